/* SPDX-License-Identifier: MIT */
/* ebwt_gap.c - distances of many words to one, without sorting them */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt.h"
#include "ebwt/ebwt_gap.h"

/* Words and gaps as a backend takes them. */

static const char letters[] = "ACGT";

static inline uint32_t
code(uint8_t c)	/* A, C, G, T: 0 to 3 */
{
	return (c >> 1 ^ c >> 2) & 3;
}

/* Of each depth: is it the same in all words? */
static int
find_varied(struct gap_list *l, const struct ebwt_gap_words *w, struct err *e)
{
	uint8_t *differ = calloc(w->len, 1);
	uint32_t k = 0;

	if (!differ)
		return err_nomem(e, w->len);
	for (size_t i = 1; i < w->n; i++)
		for (size_t d = 0; d < w->len; d++)
			differ[d] |= w->letters[i * w->len + d] ^ w->letters[d];
	for (size_t d = 0; d < w->len; d++) {
		size_t at = w->len - 1 - d;

		l->letter[d] = (uint16_t)(differ[at] ? 4 + k++ :
					  code(w->letters[at]));
	}
	free(differ);
	l->n_varied = k;
	return 0;
}

static void
put_word(struct gap_list *l, uint32_t i, const uint8_t *s)
{
	for (uint32_t d = 0; d < l->len; d++) {
		uint32_t k = l->letter[d];

		if (k < 4)
			continue;
		k -= 4;
		l->varied[(uint64_t)(k / 16) * l->n + i] |=
			code(s[l->len - 1 - d]) << k % 16 * 2;
	}
}

int
gap_list_new(struct gap_list *l, const struct ebwt_gap_words *w, struct err *e)
{
	int rc;

	*l = (struct gap_list){ .n = w->n, .len = (uint32_t)w->len };
	if (!w->n || w->len < 1 || w->len > GAP_LIST_LEN)
		return err_set(e, ERR_LIMIT, "%u words of %zu letters: must be "
			       "1 to %d", w->n, w->len, GAP_LIST_LEN);
	l->letter = malloc(w->len * sizeof *l->letter);
	if (!l->letter)
		return err_nomem(e, w->len * sizeof *l->letter);
	rc = find_varied(l, w, e);
	if (!rc) {
		l->varied = calloc(gap_list_numbers(l) + 1, sizeof *l->varied);
		rc = l->varied ? 0 : err_nomem(e, gap_list_numbers(l) *
					       sizeof *l->varied);
	}
	for (uint32_t i = 0; i < l->n && !rc; i++)
		put_word(l, i, w->letters + (size_t)w->order[i] * w->len);
	if (rc)
		gap_list_free(l);
	return rc;
}

void
gap_list_free(struct gap_list *l)
{
	free(l->letter);
	free(l->varied);
	*l = (struct gap_list){ 0 };
}

void
gap_table(const struct ebwt_gap *g, uint16_t *next)
{
	for (uint32_t at = 0; at <= g->m; at++)
		for (int c = 0; c < 4; c++)
			*next++ = (uint16_t)ebwt_gap_step(g, at,
							  (uint8_t)letters[c]);
}

uint64_t *
gap_terms_new(uint32_t most_runs)
{
	uint64_t *term = malloc(gap_term_at(most_runs + 1ull) * sizeof *term);

	for (uint32_t runs = 0; term && runs <= most_runs; runs++)
		for (uint32_t c = 0; c <= runs; c++)
			term[gap_term_at(runs) + c] = ebwt_bits_of(c, runs);
	return term;
}

/* The rotations of one word found in the gaps of another. */

/*
 * A step waits for the one before, so a long word is read from several places
 * at once.  It takes MIN_CHAIN letters to be worth it.
 */
enum { CHAINS = 8, MIN_CHAIN = 256, ALL = -1 };

/* Rotation `at` of u lies in the gap; `left` more before it are to be found. */
struct chain {
	uint32_t gap;
	size_t at, left;
};

static inline size_t
cyclic_before(size_t i, size_t n)
{
	return (i ? i : n) - 1;
}

/*
 * From rotation c->at backwards, within `most` letters, to one whose gap is
 * known; false: there is none.  Of all gaps at first, [a, b] are those between
 * which a rotation of v would have to begin with what was read to tie with it.
 * n + m letters are more than two words whose roots are not conjugate have in
 * common (ebwt.h), so there always is one within ALL if they are not.
 */
static bool
settle_chain(const struct ebwt_gap *g, const uint8_t *u, size_t n, int64_t most,
	     struct chain *c)
{
	uint64_t limit = most == ALL ? (uint64_t)n + g->m : (uint64_t)most;
	uint32_t a = 0, b = g->m;
	size_t i = c->at;

	for (uint64_t k = 0; a != b; k++) {
		if (k > limit)
			return false;
		i = cyclic_before(i, n);
		a = ebwt_gap_step(g, a, u[i]);
		b = ebwt_gap_step(g, b, u[i]);
	}
	c->gap = a;
	c->at = i;
	return true;
}

/*
 * Chains from places that are equally far apart, those that settle soon.  Each
 * goes on to where the one before it in the text began: together they meet
 * every rotation once.
 */
static unsigned
begin_chains(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	     struct chain *chain)
{
	unsigned k = 0;

	for (unsigned i = 0; i < CHAINS && n >= MIN_CHAIN; i++) {
		size_t from = n / CHAINS * i, to = n / CHAINS * (i + 1);

		/*
		 * No further than half of the way to the place before, which
		 * is for speed.  A chain never settles left of one that began
		 * further left, for it has read all that the other has, and
		 * more; but the first must not go beyond letter 0.
		 */
		chain[k].at = to;
		if (settle_chain(g, u, n, (int64_t)((to - from) / 2),
				 &chain[k]))
			k++;
	}
	if (k == 0) {
		chain[0].at = 0;
		if (!settle_chain(g, u, n, ALL, &chain[0]))
			return 0;
		k = 1;
	}
	for (unsigned i = 1; i < k; i++)
		chain[i].left = chain[i].at - chain[i - 1].at;
	chain[0].left = chain[0].at + n - chain[k - 1].at;
	return k;
}

static inline void
step_chain(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	   struct chain *c)
{
	c->at = cyclic_before(c->at, n);
	c->gap = ebwt_gap_step(g, c->gap, u[c->at]);
}

/* `steps` of each of so many chains; beside `taken` ones, how many gaps are. */
static inline uint64_t
walk_chains(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	    struct chain *chain, unsigned n_chains, size_t steps,
	    uint64_t taken, struct ebwt_gap_work *w)
{
	struct chain c[CHAINS];

	memcpy(c, chain, n_chains * sizeof *c);
	for (size_t k = 0; k < steps; k++)
#pragma GCC unroll 8
		for (unsigned i = 0; i < n_chains; i++) {
			step_chain(g, u, n, &c[i]);
			w->taken[taken] = c[i].gap;
			taken += w->count[c[i].gap]++ == 0;
		}
	for (unsigned i = 0; i < n_chains; i++) {
		c[i].left -= steps;
		chain[i] = c[i];
	}
	return taken;
}

static int
by_left(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;

	return x->left > y->left ? -1 : x->left < y->left;
}

/* Rotations into their gaps, by as many chains as are left: returns how many
 * gaps are taken. */
static uint64_t
take_gaps(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	  struct chain *chain, unsigned n_chains, struct ebwt_gap_work *w)
{
	uint64_t taken = 0;
	unsigned k;
	size_t left;

	for (;;) {
		qsort(chain, n_chains, sizeof *chain, by_left);
		while (n_chains && !chain[n_chains - 1].left)
			n_chains--;
		if (!n_chains)
			return taken;
		k = n_chains == 8 ? 8 : n_chains >= 4 ? 4 :
		    n_chains >= 2 ? 2 : 1;
		left = chain[k - 1].left;
		/* the number is known where it is inlined */
		taken =
		    k == 8   ? walk_chains(g, u, n, chain, 8, left, taken, w)
		    : k == 4 ? walk_chains(g, u, n, chain, 4, left, taken, w)
		    : k == 2 ? walk_chains(g, u, n, chain, 2, left, taken, w)
			     : walk_chains(g, u, n, chain, 1, left, taken, w);
	}
}

/* Back to zeros: all, or the ones that were taken. */
static void
clear_gaps(const struct ebwt_gap *g, struct ebwt_gap_work *w, uint64_t taken)
{
	if (g->m / 16 <= taken) {
		memset(w->count, 0, ((size_t)g->m + 1) * sizeof *w->count);
		return;
	}
	for (uint64_t i = 0; i < taken; i++)
		w->count[w->taken[i]] = 0;
}

static int ebwt_gap_room(uint32_t **v, size_t *have, size_t n, struct err *e);

static double ebwt_gap_runs(const struct ebwt_gap *g, size_t n, struct
		ebwt_gap_work *w, uint64_t runs);

int
ebwt_gap_delta(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	       struct ebwt_gap_work *w, uint64_t *delta, double *de,
	       struct err *e)
{
	struct chain chain[CHAINS] = { { 0 } };
	uint64_t taken, inner, runs;
	unsigned n_chains;
	int rc;

	if (n < 1 || n > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "a word of %zu letters: must be "
			       "1 to %d", n, EBWT_GAP_MAX);
	rc = ebwt_gap_room(&w->count, &w->n_count, (size_t)g->m + 1, e);
	if (!rc)	/* one behind all that there are */
		rc = ebwt_gap_room(&w->taken, &w->n_taken, (size_t)g->m + 2, e);
	if (!rc && de)
		rc = ebwt_gap_room(&w->runs, &w->n_runs,
				   (n > g->m ? n : g->m) + 2, e);
	if (rc)
		return rc;
	n_chains = begin_chains(g, u, n, chain);
	if (!n_chains) {
		*delta = ebwt_delta_tied(n, g->m);
		if (de)
			*de = ebwt_gap_entropy_tied(n, g->m);
		return 0;
	}
	taken = take_gaps(g, u, n, chain, n_chains, w);
	inner = taken - (w->count[0] > 0) - (w->count[g->m] > 0);
	/* each gap taken is a run of u; v's is cut by those within it */
	runs = taken + inner + 1;
	*delta = n + g->m - runs;
	if (de)
		*de = ebwt_gap_runs(g, n, w, runs);
	clear_gaps(g, w, taken);
	return 0;
}

/*
 * Distances of a matrix's words to one
 *
 * A word is read from its last letter on.  path[d] holds the bounds a and b of
 * the gap after d letters (ebwt_gap.c): as soon as they meet, at depth t, the
 * gap is known, whatever letters come, and from there on the rotations that
 * begin with each letter read are counted.  The last t letters are read once
 * more, behind the first, for their own rotations: with them all n are there.
 * The next word goes on from where it parts from this one: what was read
 * deeper is taken back.
 */

static int
by_ends(const void *x, const void *y, void *arg)
{
	const struct ebwt_gap_words *w = arg;
	const uint8_t *a = w->letters + *(const uint32_t *)x * w->len;
	const uint8_t *b = w->letters + *(const uint32_t *)y * w->len;

	for (size_t i = w->len; i-- > 0;)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static uint32_t
common_end(const struct ebwt_gap_words *w, uint32_t i, uint32_t j)
{
	const uint8_t *a = w->letters + i * w->len;
	const uint8_t *b = w->letters + j * w->len;
	size_t n = 0;

	while (n < w->len && a[w->len - 1 - n] == b[w->len - 1 - n])
		n++;
	return (uint32_t)n;
}

int
ebwt_gap_sort(struct ebwt_gap_words *w, struct err *e)
{
	w->order = malloc(((size_t)w->n + 1) * sizeof *w->order);
	w->shared = malloc(((size_t)w->n + 1) * sizeof *w->shared);
	if (!w->order || !w->shared) {
		free(w->order);
		free(w->shared);
		w->order = w->shared = NULL;
		return err_nomem(e, w->n * 2 * sizeof *w->order);
	}
	for (uint32_t i = 0; i < w->n; i++)
		w->order[i] = i;
	if (w->n)
		sort_with(w->order, w->n, sizeof *w->order, by_ends, w);
	for (uint32_t i = 0; i < w->n; i++)
		w->shared[i] = i ? common_end(w, w->order[i - 1],
					      w->order[i]) : 0;
	return 0;
}

struct each_walk {
	const struct ebwt_gap *g;
	uint32_t *path;		/* a, b of each depth */
	uint32_t *count;	/* rotations in each gap */
	uint64_t taken, inner;	/* gaps that have any; of those within v's */
	size_t met;		/* depth at which the bounds met; beyond len:
				   they did not */
};

static inline bool
is_inner(const struct ebwt_gap *g, uint32_t gap)
{
	return gap > 0 && gap < g->m;
}

static inline void
put_gap(struct each_walk *k, uint32_t gap)
{
	if (k->count[gap]++ == 0) {
		k->taken++;
		k->inner += is_inner(k->g, gap);
	}
}

static inline void
take_back(struct each_walk *k, uint32_t gap)
{
	if (--k->count[gap] == 0) {
		k->taken--;
		k->inner -= is_inner(k->g, gap);
	}
}

/* From depth `from` of a word that reached depth n, or none. */
static void
undo(struct each_walk *k, size_t from, size_t n)
{
	for (size_t d = n; d > from && d > k->met; d--)
		take_back(k, k->path[2 * d]);
	if (k->met > from)
		k->met = SIZE_MAX;
}

static void
descend(struct each_walk *k, const uint8_t *s, size_t n, size_t from)
{
	for (size_t d = from + 1; d <= n; d++) {
		uint8_t c = s[n - d];
		uint32_t *at = k->path + 2 * d;

		at[0] = ebwt_gap_step(k->g, at[-2], c);
		if (k->met < d) {
			put_gap(k, at[0]);
			at[1] = at[0];
			continue;
		}
		at[1] = ebwt_gap_step(k->g, at[-1], c);
		if (at[0] == at[1])
			k->met = d;
	}
}

/* The last letters again, as far as the bounds had not met, and the runs. */
static uint64_t
close_circle(struct each_walk *k, const uint8_t *s, size_t n, bool wants_de,
	     struct ebwt_gap_work *work, double *de)
{
	uint32_t gap = k->path[2 * n];
	uint64_t runs;

	for (size_t d = 1; d <= k->met; d++) {
		gap = ebwt_gap_step(k->g, gap, s[n - d]);
		put_gap(k, gap);
	}
	runs = k->taken + k->inner + 1;
	if (wants_de)
		*de = ebwt_gap_runs(k->g, n, work, runs);
	gap = k->path[2 * n];
	for (size_t d = 1; d <= k->met; d++) {
		gap = ebwt_gap_step(k->g, gap, s[n - d]);
		take_back(k, gap);
	}
	return n + k->g->m - runs;
}

/* A word whose bounds did not meet within it has nothing counted. */
static int
one_word(struct each_walk *k, const struct ebwt_gap_words *w, uint32_t i,
	 bool wants_de, struct ebwt_gap_work *work, uint64_t *delta,
	 double *de, struct err *e)
{
	const uint8_t *s = w->letters + (size_t)w->order[i] * w->len;

	undo(k, w->shared[i], w->len);
	descend(k, s, w->len, w->shared[i]);
	if (k->met > w->len)
		return ebwt_gap_delta(k->g, s, w->len, work, delta,
				      wants_de ? de : NULL, e);
	*delta = close_circle(k, s, w->len, wants_de, work, de);
	return 0;
}

int
ebwt_gap_each(const struct ebwt_gap *g, const struct ebwt_gap_words *w,
	      bool wants_de, struct ebwt_gap_work *work, ebwt_gap_fn *fn,
	      void *arg, struct err *e)
{
	struct each_walk k = { .g = g, .met = SIZE_MAX };
	size_t longest = w->len > g->m ? w->len : g->m;
	uint64_t delta = 0;
	double de = 0;
	int rc = 0;

	if (w->len < 1 || w->len > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "words of %zu letters: must be 1 "
			       "to %d", w->len, EBWT_GAP_MAX);
	rc = ebwt_gap_room(&work->count, &work->n_count, (size_t)g->m + 1, e);
	if (!rc && wants_de)
		rc = ebwt_gap_room(&work->runs, &work->n_runs, longest + 2, e);
	if (!rc)
		rc = ebwt_gap_room(&work->path, &work->n_path,
				   2 * (w->len + 1), e);
	if (rc)
		return rc;
	k.path = work->path;
	k.count = work->count;
	k.path[0] = 0;
	k.path[1] = g->m;
	for (uint32_t i = 0; i < w->n && !rc; i++) {
		rc = one_word(&k, w, i, wants_de, work, &delta, &de, e);
		if (!rc)
			fn(arg, w->order[i], delta, de);
	}
	memset(work->count, 0, ((size_t)g->m + 1) * sizeof *work->count);
	return rc;
}

/* Distances of many words to one, without sorting them. */

/* Words as short are sorted by insertion. */
enum { SHORT = 32 };

/* Rotations i and j of v; of equal ones neither is less. */
static bool
is_less(const uint8_t *v, size_t m, size_t i, size_t j)
{
	for (size_t k = 0; k < m; k++) {
		if (v[i] != v[j])
			return v[i] < v[j];
		i = i + 1 == m ? 0 : i + 1;
		j = j + 1 == m ? 0 : j + 1;
	}
	return false;
}

static void
last_of_short(const uint8_t *v, size_t m, uint8_t *last)
{
	uint8_t order[SHORT];

	for (size_t i = 0; i < m; i++) {
		size_t at = i;

		for (; at > 0 && is_less(v, m, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
	for (size_t i = 0; i < m; i++)
		last[i] = v[order[i] ? order[i] - 1u : m - 1];
}

static int
take_rows(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	uint8_t **last = arg;

	(void)e;
	for (size_t i = 0; i < n; i++)
		*(*last)++ = row[i].last;
	return 0;
}

/* M_L of v alone; of tied rotations the last letters are equal, too. */
static int
last_letters(const uint8_t *v, size_t m, uint8_t *last, struct err *e)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_word word = { v, m };
	struct ebwt *x;
	int rc;

	if (m <= SHORT) {
		last_of_short(v, m, last);
		return 0;
	}
	rc = ebwt_new(&x, &word, 1, &par, e);
	if (rc)
		return rc;
	rc = ebwt_list(x, take_rows, &last, e);
	ebwt_delete(x);
	return rc;
}

/* Letters of v get codes in order; `less` of all of them, and by code: at. */
static void
count_letters(struct ebwt_gap *g, const uint8_t *v, uint32_t at[256])
{
	uint32_t n[256] = { 0 }, sum = 0;

	g->sigma = 0;
	for (uint32_t i = 0; i < g->m; i++)
		g->sigma += n[v[i]]++ == 0;
	for (unsigned c = 0, k = 0; c < 256; c++) {
		g->less[c] = at[k] = sum;
		g->code[c] = (uint8_t)(n[c] ? k : g->sigma);
		k += n[c] > 0;
		sum += n[c];
	}
}

/* Only a v of all 256 letters has no code left for others, and needs none. */
static int
link_gaps(struct ebwt_gap *g, const uint8_t *last, uint32_t at[256],
	  struct err *e)
{
	size_t n = ((size_t)g->m + 1) * g->sigma;

	g->next = malloc(n * sizeof *g->next);
	if (!g->next)
		return err_nomem(e, n * sizeof *g->next);
	for (size_t i = 0; i <= g->m; i++) {
		memcpy(g->next + i * g->sigma, at, g->sigma * sizeof *at);
		if (i < g->m)
			at[g->code[last[i]]]++;
	}
	return 0;
}

int
ebwt_gap_new(struct ebwt_gap *g, const uint8_t *v, size_t m, struct err *e)
{
	uint8_t *last = NULL;
	uint32_t at[256];
	int rc = 0;

	memset(g, 0, sizeof *g);
	if (m < 1 || m > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "a word of %zu letters: must be "
			       "1 to %d", m, EBWT_GAP_MAX);
	g->m = (uint32_t)m;
	g->less = malloc(256 * sizeof *g->less);
	last = malloc(m);
	if (!g->less || !last)
		rc = err_nomem(e, m);
	if (!rc)
		rc = last_letters(v, m, last, e);
	if (!rc) {
		count_letters(g, v, at);
		rc = link_gaps(g, last, at, e);
	}
	free(last);
	if (rc)
		ebwt_gap_free(g);
	return rc;
}

void
ebwt_gap_free(struct ebwt_gap *g)
{
	free(g->less);
	free(g->next);
	memset(g, 0, sizeof *g);
}

void
ebwt_gap_work_free(struct ebwt_gap_work *w)
{
	free(w->count);
	free(w->runs);
	free(w->path);
	free(w->taken);
	memset(w, 0, sizeof *w);
}

/* Private: at least n, all zeros when new. */
static int
ebwt_gap_room(uint32_t **v, size_t *have, size_t n, struct err *e)
{
	if (n <= *have)
		return 0;
	free(*v);
	*have = 0;
	*v = calloc(n, sizeof **v);
	if (!*v)
		return err_nomem(e, n * sizeof **v);
	*have = n;
	return 0;
}

double
ebwt_gap_entropy(const uint32_t *of_length, size_t n, uint64_t runs)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ebwt_bits_of(of_length[i], runs);
	return ebwt_bits_sum(sum);
}

double
ebwt_gap_entropy_tied(uint64_t u, uint64_t v)
{
	uint64_t d = u > v ? u - v : v - u;
	uint64_t runs = u + v - ebwt_delta_tied(u, v);

	if (d <= 1)
		return 0;
	/* one of length d, the others of 1 */
	return ebwt_bits_sum(ebwt_bits_of(1, runs) +
			     ebwt_bits_of(runs - 1, runs));
}

/* Private: runs by length, from the rotations of u in each gap (count). */
static double
ebwt_gap_runs(const struct ebwt_gap *g, size_t n, struct ebwt_gap_work *w,
	      uint64_t runs)
{
	size_t longest = n > g->m ? n : g->m;
	uint32_t v_run = 0;
	double de;

	for (size_t i = 0; i <= g->m; i++) {
		uint32_t c = w->count[i];

		if (c) {
			w->runs[v_run] += v_run > 0;
			w->runs[c]++;
			v_run = 0;
		}
		v_run++;
	}
	/* the last gap has no rotation of v behind it */
	w->runs[v_run - 1] += v_run > 1;
	de = ebwt_gap_entropy(w->runs + 1, longest, runs);
	memset(w->runs, 0, (longest + 1) * sizeof *w->runs);
	return de;
}
