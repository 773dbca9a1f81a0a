/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam_table.c - guides by the letters of the text beside a PAM
 *
 * An outward word's first letters [0, A) and the next ones [A, A + B) are each
 * looked up once.  Take an alignment with at most k differences.  It crosses
 * the text's column A in some guide row i, with c1 differences before and c2
 * behind; let a + b = k - 1.
 *	c1 <= a: the first table has the guide under the first A letters, as it
 *	has each word that is within a differences of one of its prefixes.
 *	c1 > a: then c1 >= max(a + 1, |i - A|), so that c2 <= b - max(0,
 *	|i - A| - (a + 1)): the second table has the guide under the next B
 *	letters, as it has each word that begins in a row i at that cost and
 *	stays within b differences until the word, or the guide, ends.
 * So no guide is missed, and one that the first table has is left out of the
 * second's pairs (pam_guides.first).  Behind row m any letter may follow.  An
 * alignment uses m - k text letters at least; A <= m - k - 1, so that it
 * crosses column A, and A + B <= m + k.
 *
 * Words are enumerated letter by letter with the rows that are within e
 * differences, e = 0, 1, ..., as bits: Wu and Manber, CACM 35(10), 1992.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff.h"
#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"

/* Best of those tried for 20 letters, by k: what a pair costs, how many guides
 * pass, how long tables take to make. */
static const struct {
	uint8_t first, A, B;
	double pairs;		/* as long as making a guide's entries takes */
} split_for[PAM_MAX_K + 1] = {
	{ 0, 9, 10, 1e3 }, { 0, 9, 10, 2e3 }, { 1, 9, 10, 4e3 },
	{ 1, 9, 10, 1e4 }, { 2, 9, 10, 6e4 }, { 2, 8, 10, 35e4 },
	{ 3, 9, 9, 65e4 },
};
enum { MANY = 300, LETTERS = 10, LETTERS_MANY = 11 };

void
kdiff_pam_plan(struct pam_group *p)
{
	int m = (int)p->m, k = (int)p->k, more = m - 20;
	int max = p->n < MANY ? LETTERS : LETTERS_MANY;
	int A = split_for[k].A, B = split_for[k].B;

	A += more > 0 ? (more + 1) / 2 : more / 2;
	B += more / 2;
	A -= k == 6 && p->n > MANY;
	B -= k == 4 && p->n < 100;
	A = A < max ? A : max;
	B = B < max ? B : max;
	A = A < m - k - 1 ? A : m - k - 1;
	B = A + B < m + k ? B : m + k - A;
	p->can_split = A > k && B >= 2;
	p->first = split_for[k].first;
	p->n_tables = k ? 2 : 1;
	p->table[0].letters = (unsigned)A;
	p->table[1].from = (unsigned)A;
	p->table[1].letters = (unsigned)B;
}

double
kdiff_pam_tables_cost(const struct pam_group *p)
{
	double words = 0;

	for (unsigned i = 0; i < p->n_tables; i++)
		words += (double)(1ull << 2 * p->table[i].letters);
	return words + (double)p->n * split_for[p->k].pairs;
}

/* One guide's words of one table. */
struct words {
	struct pam_table *t;
	uint32_t eq[4];		/* rows whose letter is A, C, G, T */
	uint32_t rows, last;	/* bits 0 to m, and m */
	unsigned most;		/* differences */
	bool counting;		/* else entries are written */
	uint16_t guide;
	/* Words that were counted, for as long as there are not too many: so
	 * they need not be enumerated again. */
	uint32_t *word;
	size_t n, cap;
};
enum { MAX_WORDS = 1 << 25, MAX_ENTRIES = 1 << 28 };
enum { ROWS = 4 };	/* a part has at most PAM_MAX_K / 2 differences */

/* All words that begin with n letters. */
static void
put_words(struct words *x, uint32_t lo, uint32_t hi, unsigned n)
{
	struct pam_table *t = x->t;
	unsigned left = t->letters - n;

	if (!left && x->counting && x->n < x->cap) {	/* mostly */
		uint32_t w = lo << t->letters | hi;

		t->start[w + 1]++;
		x->word[x->n++] = w;
		return;
	}
	for (uint32_t i = 0; i < 1u << left; i++)
		for (uint32_t j = 0; j < 1u << left; j++) {
			uint32_t w = (lo << left | i) << t->letters |
				     (hi << left | j);

			if (x->counting) {
				t->start[w + 1]++;
				if (x->n < x->cap)
					x->word[x->n] = w;
				x->n++;
			} else {
				t->guide[t->start[w + 1]++] = x->guide;
			}
		}
}

/* The four letters that may follow, at once. */
typedef uint32_t four __attribute__((vector_size(16)));

/* Rows after each of them. */
static inline __attribute__((always_inline)) void
next_rows(const struct words *x, const unsigned most, const four *row,
	  unsigned c, four *to)
{
	four eq, all = (four){ 0 } + x->rows;

	memcpy(&eq, x->eq, sizeof eq);
	for (unsigned e = 0; e <= most; e++) {
		four r = (four){ 0 } + row[e][c];

		to[e] = (r & eq) << 1;
		if (e) {
			four q = (four){ 0 } + row[e - 1][c];

			to[e] |= q << 1 | q | to[e - 1] << 1;
		}
		to[e] &= all;
	}
}

/* Words that go on from rows row[0..most], each in its lane c, for a number of
 * differences that the compiler knows. */
#define ENUMERATE(most)							\
static void								\
enumerate_##most(struct words *x, unsigned n, uint32_t lo, uint32_t hi,	\
		 const four *row, unsigned c)				\
{									\
	four to[most + 1];						\
									\
	next_rows(x, most, row, c, to);					\
	lo <<= 1;							\
	hi <<= 1;							\
	for (unsigned i = 0; i < 4; i++) {				\
		uint32_t l = lo | (i & 1), h = hi | i >> 1;		\
									\
		if (!to[most][i])					\
			continue;					\
		if (to[most][i] & x->last || n + 1 == x->t->letters)	\
			put_words(x, l, h, n + 1);			\
		else							\
			enumerate_##most(x, n + 1, l, h, to, i);	\
	}								\
}
ENUMERATE(0)
ENUMERATE(1)
ENUMERATE(2)
ENUMERATE(3)

static void
enumerate_words(struct words *x, const uint32_t row[ROWS])
{
	static void (*const by_most[ROWS])(struct words *, unsigned, uint32_t,
					   uint32_t, const four *, unsigned) = {
		enumerate_0, enumerate_1, enumerate_2, enumerate_3,
	};
	four from[ROWS];

	for (unsigned e = 0; e < ROWS; e++)
		from[e] = (four){ row[e] };
	by_most[x->most](x, 0, 0, 0, from, 0);
}

static void
guide_words(const struct kdiff_pam *g, const struct pam_group *p, size_t i,
	    unsigned table, struct words *x)
{
	const struct pam_guide *q = &g->guide[p->guide[i]];
	int A = (int)p->table[0].letters, a = (int)p->first;
	uint32_t row[ROWS] = { 0 };

	memset(x->eq, 0, sizeof x->eq);
	for (uint32_t j = 0; j < p->m; j++)
		x->eq[__builtin_ctz(q->set[j])] |= 1u << j;
	x->last = 1u << p->m;
	x->rows = (x->last << 1) - 1;
	x->most = table ? p->k - 1 - p->first : p->first;
	x->guide = (uint16_t)i;
	for (int e = 0; e <= (int)x->most; e++) {
		int from = table ? A - (a + 1) - e : 0;
		int to = table ? A + (a + 1) + e : e;

		for (int r = from; r <= to; r++)
			if (r >= 0 && r <= (int)p->m)
				row[e] |= 1u << r;
	}
	enumerate_words(x, row);
}

/* Numbers of entries become the lists' ends; start[w + 1] is where w's list
 * begins until its entries are written. */
static void
begin_lists(struct pam_table *t)
{
	size_t words = (size_t)1 << 2 * t->letters, used = 0;
	uint32_t at = 0;

	for (size_t w = 0; w < words; w++) {
		uint32_t n = t->start[w + 1];

		if (n) {
			t->bits[w / 32] |= 1u << w % 32;
			used++;
		}
		t->start[w + 1] = at;
		at += n;
	}
	t->sieve = used < words / 5 * 3;
}

/* Room for the words of one more guide, as many as one had so far, and as
 * many again. */
static void
words_room(struct words *x, size_t most)
{
	size_t cap = x->n + 2 * most + 4096;
	uint32_t *p;

	if (x->n > x->cap || cap <= x->cap)
		return;
	cap = cap < MAX_WORDS ? cap + cap / 2 : MAX_WORDS;
	p = realloc(x->word, cap * sizeof *p);
	if (p) {
		x->word = p;
		x->cap = cap;
	}
}

/* Numbers of entries; end[i] is where the i-th guide's words end. */
static void
count_words(const struct kdiff_pam *g, const struct pam_group *p,
	    unsigned table, struct words *x, size_t *end)
{
	size_t most = 0;

	x->counting = true;
	for (size_t i = 0; i < p->n; i++) {
		size_t before = x->n;

		words_room(x, most);
		guide_words(g, p, i, table, x);
		most = x->n - before > most ? x->n - before : most;
		end[i] = x->n;
	}
	x->t->n = x->n;
}

static void
write_entries(const struct kdiff_pam *g, const struct pam_group *p,
	      unsigned table, struct words *x, const size_t *end)
{
	struct pam_table *t = x->t;
	size_t w = 0;

	x->counting = false;
	for (size_t i = 0; i < p->n; i++) {
		if (x->n > x->cap)
			guide_words(g, p, i, table, x);
		for (; x->n <= x->cap && w < end[i]; w++)
			t->guide[t->start[x->word[w] + 1]++] = (uint16_t)i;
	}
}

static void *
zeroed(size_t n)
{
	void *p = pages_alloc(n);

	return p ? memset(p, 0, n) : NULL;
}

static bool
make_table(const struct kdiff_pam *g, const struct pam_group *p,
	   unsigned table, struct pam_table *t)
{
	size_t words = (size_t)1 << 2 * t->letters;
	size_t *end = calloc(p->n, sizeof *end);
	struct words x = { .t = t };

	t->start = zeroed((words + 2) * sizeof *t->start);
	t->bits = zeroed((words / 32 + 1) * sizeof *t->bits);
	if (end && t->start && t->bits)
		count_words(g, p, table, &x, end);
	if (x.n && x.n < MAX_ENTRIES) {
		begin_lists(t);
		t->guide = zeroed((t->n + PAM_SPARE) * sizeof *t->guide);
	}
	if (t->guide)
		write_entries(g, p, table, &x, end);
	free(end);
	free(x.word);
	return t->guide;
}

bool
kdiff_pam_tables(const struct kdiff_pam *g, struct pam_group *p)
{
	bool good = true;

	for (unsigned i = 0; i < p->n_tables && good; i++)
		good = make_table(g, p, i, &p->table[i]);
	if (!good)
		kdiff_pam_tables_free(p);
	return good;
}

void
kdiff_pam_tables_free(struct pam_group *p)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pam_table *t = &p->table[i];

		free(t->bits);
		free(t->start);
		free(t->guide);
		t->bits = t->start = NULL;
		t->guide = NULL;
		t->n = 0;
	}
}

/*
 * Many short patterns, looked up by words of their halves
 *
 * What kdiff_pam.c does for guides beside a PAM, with every place of the text
 * in place of those of a PAM: all ends with at most k differences.
 */

/*
 * Numbers of patterns from which on it is at least half as fast again as what
 * else there is, by k and letters: words of longer patterns are rarer.  So it
 * is in random text; where patterns are of repeats, nothing is gained or lost.
 * With 5 differences it never was.
 */
static const struct {
	uint32_t k, m;
	size_t n;
} pays[] = {
	{ 4, 20, 240 }, { 4, 22, 160 }, { 4, 24, 100 },
};

static bool
is_plain(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	bool plain = p->m < 32 && p->m + p->k <= 32 && p->k <= PAM_MAX_K;

	for (uint32_t r = 0; r < p->m && plain; r++) {
		unsigned s = set->sym[p->code[r]];

		plain = s && !(s & (s - 1));
	}
	return plain;
}

static bool
pay(const struct kdiff_set *set, bool must)
{
	uint32_t m = UINT32_MAX, k = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];

		if (!is_plain(set, p) || (i && p->k != k))
			return false;
		k = p->k;
		m = p->m < m ? p->m : m;
	}
	for (size_t i = 0; i < sizeof pays / sizeof *pays && !must; i++)
		if (k == pays[i].k && m >= pays[i].m && set->n >= pays[i].n)
			return true;
	return must;
}

int
kdiff_halves_new(struct kdiff_pam **h, const struct kdiff_set *set, bool must,
		 struct err *e)
{
	struct kdiff_pam_params p = { .plus = true, .max = KDIFF_NO_LIMITS };
	int r;

	*h = NULL;
	if (set->p.alphabet != KDIFF_DNA || set->p.hamming || !pay(set, must))
		return 0;
	r = kdiff_pam_new(h, &p, e);
	for (size_t i = 0; i < set->n && !r; i++) {
		const struct kdiff_pat *q = &set->pat[i];
		uint8_t letters[32];

		for (uint32_t j = 0; j < q->m; j++)
			letters[j] = (uint8_t)"ACGT"[__builtin_ctz(
			    set->sym[q->code[j]])];
		r = kdiff_pam_add(*h, letters, q->m, q->k, e);
	}
	if (r) {
		kdiff_pam_free(*h);
		*h = NULL;
	}
	return r;
}

static int
take(void *ctx, const struct kdiff_site *v, size_t n, struct err *e)
{
	struct kdiff_hits *to = ctx;
	int r = kdiff_hits_room(to, n, e);

	for (size_t i = 0; i < n && !r; i++)
		to->v[to->n++] = (struct kdiff_hit){ v[i].edge, v[i].dist,
						     v[i].guide };
	return r;
}

int
kdiff_halves_scan(struct kdiff_pam *h, const struct kdiff_text *text,
		  struct kdiff_work *w, struct kdiff_hits *out, struct err *e)
{
	struct kdiff_text all;
	size_t from = out->n;
	/* every end counts, also for minima beside it */
	int r = kdiff_all_ends(text, w, &all, e);

	if (!r && !w->halves)
		r = kdiff_pam_work_new(&w->halves, e);
	if (!r)
		r = kdiff_pam_each(h, &all, w->halves, take, out, e);
	return r ? r : kdiff_hits_order(out, from, &w->tmp, e);
}
