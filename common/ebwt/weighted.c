/* SPDX-License-Identifier: MIT */
/*
 * weighted.c - the solid words of a matrix, by depth first search
 *
 * A prefix goes on only if its probability, times the largest that the rest
 * can have, reaches theta_word: then at least one word of it is solid, so that
 * no time is spent on other prefixes.  Both products are rounded: n factors in
 * any order give the true product within n * 2^-53 of it, relatively, so that
 * two orders agree within 4 * (n + 1) * 2^-53 for any n below 2^48.  The bound
 * is compared with so much room; whole words are compared without, by the
 * product from the left, so that the search decides nothing but the time.
 */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/weighted.h"
#include "ebwt/weighted_priv.h"

/*
 * The decimal number with the fewest digits after the point that rounds to f;
 * integers are themselves.  Below 2^53 the quotient of two whole numbers, and
 * of powers of ten up to 10^22, is the double next to the decimal number.
 */
static double
decimal(float f)
{
	double scale = 1, x = (double)f;

	for (int d = 0; d <= 22; d++, scale *= 10) {
		double whole = rint((double)f * scale);

		if (whole >= 0x1p53)
			break;
		x = whole / scale;
		if ((float)x == f)
			return x;
	}
	return (double)f;
}

static int
normalise(double *p, const float *v, size_t i, struct err *e)
{
	double sum = 0;

	for (int c = 0; c < 4; c++) {
		if (!isfinite(v[c]) || v[c] < 0)
			return err_set(e, ERR_FORMAT, "position %zu: %s", i + 1,
				       v[c] < 0 ? "a negative number" :
						  "not a number");
		p[c] = decimal(v[c]);
		sum += p[c];
	}
	if (!(sum > 0))
		return err_set(e, ERR_FORMAT, "position %zu: the sum is 0",
			       i + 1);
	for (int c = 0; c < 4; c++)
		p[c] /= sum;
	return 0;
}

int
weighted_new(struct weighted *w, const float *v, size_t n, struct err *e)
{
	int rc = 0;

	*w = (struct weighted){ .n = n };
	if (n > SIZE_MAX / sizeof *w->p - 1)
		return err_nomem(e, SIZE_MAX);
	w->p = malloc((n + 1) * sizeof *w->p);
	if (!w->p)
		return err_nomem(e, (n + 1) * sizeof *w->p);
	for (size_t i = 0; i < n && !rc; i++)
		rc = normalise(w->p[i], v + 4 * i, i, e);
	if (rc)
		weighted_free(w);
	return rc;
}

void
weighted_free(struct weighted *w)
{
	free(w->p);
	*w = (struct weighted){ 0 };
}

struct prob
prob_times(struct prob a, double p)
{
	int e;

	a.m = frexp(a.m * p, &e);
	a.e = a.m == 0 ? 0 : a.e + e;
	return a;
}

static struct prob
prob_prod(struct prob a, struct prob b)
{
	a = prob_times(a, b.m);
	if (a.m != 0)
		a.e += b.e;
	return a;
}

/*
 * What no double holds is brought up by powers of ten, whose exponent is
 * printed: 300 at a time, each rounded by 2^-53.
 */
void
prob_print(struct buf *b, struct prob p)
{
	int64_t tens = 0;
	char s[32], *x;

	while (p.m != 0 && p.e < -1000) {
		p = prob_times(p, 1e300);
		tens -= 300;
	}
	if (!tens) {
		buf_printf(b, "%.9g", ldexp(p.m, (int)p.e));
		return;
	}
	snprintf(s, sizeof s, "%.8e", ldexp(p.m, (int)p.e));
	x = strchr(s, 'e');
	*x++ = '\0';
	tens += strtol(x, NULL, 10);
	for (size_t n = strlen(s); s[n - 1] == '0' || s[n - 1] == '.'; n--) {
		bool point = s[n - 1] == '.';

		s[n - 1] = '\0';
		if (point)
			break;
	}
	buf_printf(b, "%se%lld", s, (long long)tens);
}

/* Is it, or, with room, could it be enough? */
static bool
reaches(struct prob p, double theta, bool strict, double room)
{
	double x = p.e < -1100 ? 0 : ldexp(p.m, (int)p.e);

	if (theta <= 0)
		return p.m > 0;
	if (strict)
		return x > theta * (1 + WEIGHTED_TOLERANCE) * (1 - room);
	return x >= theta * (1 - WEIGHTED_TOLERANCE) * (1 - room);
}

unsigned
solid_letters(const struct weighted *w, const struct solid_rule *r, size_t i)
{
	unsigned set = 0;

	for (int c = 0; c < 4; c++) {
		struct prob one = { 0.5, 1 };

		if (reaches(prob_times(one, w->p[i][c]), r->theta_pos,
			    r->strict, 0))
			set |= 1u << c;
	}
	return set;
}

struct search {
	const struct weighted *w;
	const struct solid_rule *r;
	uint8_t *set;		/* solid letters of each position */
	uint8_t *next;		/* letter to be tried there */
	uint8_t *word;
	struct prob *most;	/* of what the positions from here on can be */
	struct prob *so_far;	/* of the letters before the position */
	double room;
	struct buf letters, p;
	uint64_t n;
};

static void
search_free(struct search *s)
{
	free(s->set);
	free(s->next);
	free(s->word);
	free(s->most);
	free(s->so_far);
	buf_free(&s->letters);
	buf_free(&s->p);
}

static int
too_many(const struct solid_rule *r, struct err *e)
{
	return err_set(e, ERR_LIMIT, "more than %llu solid words: a higher "
		       "--theta-pos or --theta-word leaves fewer",
		       (unsigned long long)r->max_words);
}

/* The sets of solid letters; how many words theta_pos leaves is known before
 * any is made. */
static int
letters_of(struct search *s, bool *none, struct err *e)
{
	uint64_t n = 1;
	bool many = false;

	*none = false;
	for (size_t i = 0; i < s->w->n; i++) {
		s->set[i] = (uint8_t)solid_letters(s->w, s->r, i);
		*none |= !s->set[i];
		many |= __builtin_mul_overflow(n, (uint64_t)
			__builtin_popcount(s->set[i]), &n);
	}
	if (!*none && s->r->theta_word <= 0 && (many || n > s->r->max_words))
		return too_many(s->r, e);
	return 0;
}

static int
prepare_search(struct search *s, bool *none, struct err *e)
{
	size_t n = s->w->n;
	int rc;

	s->set = malloc(n + 1);
	s->next = calloc(n + 1, 1);
	s->word = malloc(n + 1);
	s->most = malloc((n + 1) * sizeof *s->most);
	s->so_far = malloc((n + 1) * sizeof *s->so_far);
	if (!s->set || !s->next || !s->word || !s->most || !s->so_far)
		return err_nomem(e, 35 * n);
	rc = letters_of(s, none, e);
	if (rc || *none)
		return rc;
	s->room = 4 * (double)(n + 1) * 0x1p-53;
	s->most[n] = s->so_far[0] = (struct prob){ 0.5, 1 };
	for (size_t i = n; i-- > 0;) {
		double best = 0;

		for (int c = 0; c < 4; c++)
			if (s->set[i] >> c & 1 && s->w->p[i][c] > best)
				best = s->w->p[i][c];
		s->most[i] = prob_times(s->most[i + 1], best);
	}
	return 0;
}

static int
add_word(struct search *s, struct err *e)
{
	if (!reaches(s->so_far[s->w->n], s->r->theta_word, s->r->strict, 0))
		return 0;
	if (s->n++ == s->r->max_words)
		return too_many(s->r, e);
	buf_put(&s->letters, s->word, s->w->n);
	buf_put(&s->p, &s->so_far[s->w->n], sizeof *s->so_far);
	return s->letters.bad || s->p.bad ? err_nomem(e, s->letters.n) : 0;
}

/* Down with the next letter of position i, if it can lead to a word. */
static bool
descend(struct search *s, size_t i)
{
	while (s->next[i] < 4) {
		unsigned c = s->next[i]++;

		if (!(s->set[i] >> c & 1))
			continue;
		s->so_far[i + 1] = prob_times(s->so_far[i], s->w->p[i][c]);
		if (!reaches(prob_prod(s->so_far[i + 1], s->most[i + 1]),
			     s->r->theta_word, s->r->strict, s->room))
			continue;
		s->word[i] = (uint8_t)"ACGT"[c];
		return true;
	}
	s->next[i] = 0;
	return false;
}

static int
walk_graph(struct search *s, struct err *e)
{
	size_t i = 0, n = s->w->n;
	int rc = 0;

	while (!rc) {
		if (i == n)
			rc = add_word(s, e);
		else if (descend(s, i)) {
			i++;
			continue;
		}
		if (i-- == 0)
			break;
	}
	return rc;
}

int
solid_words(struct solid *out, const struct weighted *w,
	    const struct solid_rule *r, struct err *e)
{
	struct search s = { .w = w, .r = r };
	bool none;
	int rc = prepare_search(&s, &none, e);

	*out = (struct solid){ .len = w->n };
	if (!rc && !none)
		rc = walk_graph(&s, e);
	if (!rc) {
		out->n = s.n;
		out->letters = s.letters.p;
		out->p = (struct prob *)(void *)s.p.p;
		s.letters = s.p = (struct buf){ 0 };
	}
	search_free(&s);
	return rc;
}

void
solid_free(struct solid *s)
{
	free(s->letters);
	free(s->p);
	*s = (struct solid){ 0 };
}

/*
 * The gaps of v that the words of a product walk through
 *
 * A step from gap to gap never changes their order, so that reading a word u
 * again and again brings all gaps together, unless u never differs from a
 * rotation of v: then their roots are conjugate.  If they are not, u read once
 * takes exactly one gap to itself.  If they are, u is a power of one of v's
 * rotations' roots: these words, `tied`, are followed by themselves, as they
 * come back to each gap beside equal rotations of v, and meet none truly.
 */

int
wroom(void *at, size_t *have, size_t n, size_t size, struct err *e)
{
	void **p = at, *more;
	size_t want = n + n / 2 + 16;

	if (n <= *have)
		return 0;
	if (want < n || want > SIZE_MAX / size)
		return err_nomem(e, SIZE_MAX);
	more = realloc(*p, want * size);
	if (!more)
		return err_nomem(e, want * size);
	*p = more;
	*have = want;
	return 0;
}

void
wgraph_free(struct wgraph *g)
{
	ebwt_gap_free(&g->gap);
	free(g->node);
	free(g->first);
	free(g->bit);
	free(g->turn);
	free(g->seen);
	free(g->reach[0]);
	free(g->reach[1]);
	free(g->same);
	*g = (struct wgraph){ 0 };
}

/* What has a size of m, or of n, is of one allocation each. */
static int
rooms(struct wgraph *g, size_t n, size_t m, struct err *e)
{
	uint32_t **of_m[] = { &g->bit, &g->turn, &g->seen, &g->reach[0],
			      &g->reach[1], &g->same };
	size_t have = 0;
	int rc = 0;

	for (size_t i = 0; i < sizeof of_m / sizeof *of_m && !rc; i++) {
		have = g->m_room;
		rc = wroom(of_m[i], &have, m + 2, sizeof **of_m[i], e);
	}
	if (!rc)
		g->m_room = have;
	return rc ? rc : wroom(&g->first, &g->n_room, n + 2,
			       sizeof *g->first, e);
}

/* Letter i of the tied word that begins at letter t of v. */
static uint8_t
tied_letter(const struct wgraph *g, const uint8_t *v, uint32_t t, size_t i)
{
	return v[(t + i) % g->root];
}

static bool
is_of(const struct wgraph *g, const uint8_t *v, uint32_t t)
{
	const struct product *x = g->x;

	for (size_t i = 0; i < x->n; i++)
		if (!memchr(x->letter[i], tied_letter(g, v, t, i),
			    x->kinds[i]))
			return false;
	return true;
}

uint32_t
wgraph_root(const uint8_t *v, uint32_t m)
{
	uint32_t p = 1;

	while (m % p || memcmp(v, v + p, m - p) != 0)
		p++;
	return p;
}

static void
find_tied(struct wgraph *g, const uint8_t *v)
{
	uint32_t p = g->root = wgraph_root(v, g->m);

	g->n_tied = 0;
	for (uint32_t t = 0; g->x->n % p == 0 && t < p; t++)
		if (is_of(g, v, t))
			g->turn[g->n_tied++] = t;
}

/* Gaps of a layer, from those of the one before; both ascend, as letters and
 * the gaps that each leads to do. */
static uint32_t
step_all(const struct wgraph *g, const uint32_t *from, uint32_t n, uint32_t *to,
	 size_t layer)
{
	const struct product *x = g->x;
	size_t i = x->n - 1 - layer, sigma = g->gap.sigma;
	uint32_t got = 0, last = UINT32_MAX;

	for (unsigned k = 0; k < x->kinds[i]; k++) {
		uint8_t c = x->letter[i][k], code = g->gap.code[c];
		const uint32_t *next = g->gap.next + code;

		for (uint32_t a = 0; a < n; a++) {
			uint32_t h = code < sigma ? next[from[a] * sigma] :
						    g->gap.less[c];

			to[got] = h;
			got += h != last;
			last = h;
		}
	}
	return got;
}

static int
add_node(struct wgraph *g, uint32_t gap, uint32_t tie, struct err *e)
{
	int rc = wroom(&g->node, &g->room, (size_t)g->n_nodes + 1,
		       sizeof *g->node, e);

	if (!rc)
		g->node[g->n_nodes++] = (struct wnode){ .gap = gap,
							.tie = tie };
	return rc;
}

/* Layer 0: the gaps in which words can end that may have begun in any. */
static int
first_layer(struct wgraph *g, struct err *e)
{
	uint32_t n = g->m + 1, *at = g->reach[0], *to = g->reach[1];
	int rc = 0;

	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	for (size_t layer = 0; layer < g->x->n; layer++) {
		uint32_t *was = at;

		n = step_all(g, at, n, to, layer);
		at = to;
		to = was;
	}
	g->n_nodes = 0;
	g->first[0] = 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = add_node(g, at[i], g->n_tied > 0, e);
	g->first[1] = g->n_nodes;
	return rc;
}

/* Tied words that end alike, as far as was read, count as the first of them:
 * the one that goes on from it with letter c, 1 up, or 0. */
static uint32_t
tie_after(const struct wgraph *g, const uint8_t *v, uint32_t tie, size_t i,
	  uint8_t c)
{
	for (uint32_t k = tie ? tie - 1 : g->n_tied; k < g->n_tied; k++)
		if (g->same[k] == tie - 1 &&
		    tied_letter(g, v, g->turn[k], i) == c)
			return k + 1;
	return 0;
}

/* `same` when letter i of each has been read, too. */
static void
part_ties(struct wgraph *g, const uint8_t *v, size_t i)
{
	/* as many letters as the root has distinguish them */
	if (g->x->n - i > g->root)
		return;
	for (uint32_t k = g->n_tied; k-- > 0;)
		g->same[k] = tie_after(g, v, g->same[k] + 1, i,
				       tied_letter(g, v, g->turn[k], i)) - 1;
}

/* The node of the layer that begins at `first`: old, or new.  Of nodes that
 * are not tied, `seen` is the last. */
static int
find_node(struct wgraph *g, uint32_t first, uint32_t gap, uint32_t tie,
	  uint32_t *at, struct err *e)
{
	uint32_t k = tie ? first : g->seen[gap];

	if (!tie && k >= first) {
		*at = k;
		return 0;
	}
	for (; tie && k < g->n_nodes; k++)
		if (g->node[k].gap == gap && g->node[k].tie == tie) {
			*at = k;
			return 0;
		}
	*at = g->n_nodes;
	if (!tie)
		g->seen[gap] = *at;
	return add_node(g, gap, tie, e);
}

static int
next_layer(struct wgraph *g, const uint8_t *v, size_t layer, struct err *e)
{
	const struct product *x = g->x;
	uint32_t end = g->first[layer + 1];
	size_t i = x->n - 1 - layer;
	int rc = 0;

	for (uint32_t a = g->first[layer]; a < end && !rc; a++)
		for (unsigned k = 0; k < x->kinds[i] && !rc; k++) {
			uint8_t c = x->letter[i][k];
			struct wnode *from = &g->node[a];
			uint32_t to = 0;

			rc = find_node(g, end, ebwt_gap_step(&g->gap,
				from->gap, c), tie_after(g, v, from->tie, i,
				c), &to, e);
			g->node[a].to[k] = to;
		}
	part_ties(g, v, i);
	g->first[layer + 2] = g->n_nodes;
	return rc;
}

static void
give_bits(struct wgraph *g)
{
	g->n_bits = 0;
	g->inner = 0;
	for (uint32_t i = 0; i <= g->m; i++)
		g->bit[i] = UINT32_MAX;
	for (uint32_t k = g->first[1]; k < g->n_nodes; k++) {
		uint32_t gap = g->node[k].gap;

		if (g->bit[gap] != UINT32_MAX)
			continue;
		g->bit[gap] = g->n_bits++;
		if (g->bit[gap] < 64 && gap > 0 && gap < g->m)
			g->inner |= 1ull << g->bit[gap];
	}
}

int
wgraph_make(struct wgraph *g, const struct product *x, const uint8_t *v,
	    size_t m, struct err *e)
{
	int rc = m > EBWT_GAP_MAX ?
		 err_set(e, ERR_LIMIT, "a word of %zu letters", m) :
		 rooms(g, x->n, m, e);

	ebwt_gap_free(&g->gap);
	g->x = x;
	g->m = (uint32_t)m;
	if (!rc)
		rc = ebwt_gap_new(&g->gap, v, m, e);
	if (rc)
		return rc;
	find_tied(g, v);
	rc = first_layer(g, e);
	for (uint32_t k = 0; k < g->n_tied; k++)
		g->same[k] = 0;
	/* node numbers from here on */
	memset(g->seen, 0, (m + 1) * sizeof *g->seen);
	for (size_t i = 0; i < x->n && !rc; i++)
		rc = next_layer(g, v, i, e);
	if (!rc)
		give_bits(g);
	return rc;
}

/*
 * Which sets of gaps the words of a product meet
 *
 * Words are cut in two, where both halves are about as many.  Of first halves
 * (read first) from each gap, and of second ones from each node that those end
 * at, the sets of gaps are listed, equal ones once.  A word begins in some gap
 * s, is at node e in the middle, and ends in s again: its set is that of a
 * first half from s to e and of a second one from e to s.  The pairs of sets
 * are no more than words.
 */

static int
sets_too_many(bool *many)
{
	*many = true;
	return 0;
}

/* The layer at which the larger half is as small as it can be. */
static size_t
middle(const struct product *x)
{
	double all = 0, half = 0;
	size_t i = x->n;

	for (size_t k = 0; k < x->n; k++)
		all += log2(x->kinds[k]);
	while (i > 1 && half + log2(x->kinds[i - 1]) <= all / 2)
		half += log2(x->kinds[--i]);
	/* one letter more, if then it is more even */
	if (i > 1 && half + log2(x->kinds[i - 1]) < all - half)
		i--;
	return x->n - i;
}

static inline uint64_t
bit(const struct wgraph *g, uint32_t node)
{
	return 1ull << g->bit[g->node[node].gap];
}

static inline size_t
slot(uint64_t mask, uint32_t node, size_t slots)
{
	uint64_t h = (mask ^ (uint64_t)node << 40) * 0x9e3779b97f4a7c15ull;

	return (h >> 24 ^ h >> 50) & (slots - 1);
}

/* To the set of the same gaps and node, or a new one; there is room. */
static void
put_wset(struct product_work *k, size_t slots, const struct wset *x)
{
	struct wsets *to = &k->next;
	size_t i = slot(x->mask, x->node, slots);

	for (; k->table[i]; i = (i + 1) & (slots - 1)) {
		struct wset *old = &to->v[k->table[i] - 1];

		if (old->mask == x->mask && old->node == x->node) {
			old->is.c += x->is.c;
			old->is.w += x->is.w;
			return;
		}
	}
	to->v[to->n++] = *x;
	k->table[i] = (uint32_t)to->n;
}

static struct wset
go_on(const struct wgraph *g, const struct wset *x, size_t i, unsigned letter,
      double part)
{
	uint32_t to = g->node[x->node].to[letter];

	return (struct wset){ x->mask | bit(g, to), to,
			      { x->is.c * part,
				x->is.w * g->x->p[i][letter] } };
}

/* All letters of position i, where there are several. */
static int
branch(struct product_work *k, size_t i, bool parts, struct err *e)
{
	const struct product *x = k->graph.x;
	size_t most = k->now.n * x->kinds[i], slots = 16;
	struct wsets was;
	int rc;

	while (slots < 2 * most)
		slots *= 2;
	rc = wroom(&k->next.v, &k->next.room, most, sizeof *k->next.v, e);
	if (!rc)
		rc = wroom(&k->table, &k->table_room, slots,
			   sizeof *k->table, e);
	if (rc)
		return rc;
	memset(k->table, 0, slots * sizeof *k->table);
	k->next.n = 0;
	for (size_t a = 0; a < k->now.n; a++)
		for (unsigned c = 0; c < x->kinds[i]; c++) {
			struct wset to = go_on(&k->graph, &k->now.v[a], i, c,
					       parts ? 1.0 / x->kinds[i] : 1);

			put_wset(k, slots, &to);
		}
	was = k->now;
	k->now = k->next;
	k->next = was;
	return 0;
}

/* k->now: where words are that were at `node` of layer `from`, at layer `to`,
 * unless with the `had` there are too many. */
static int
half(struct product_work *k, uint32_t node, size_t from, size_t to,
     size_t had, bool parts, bool *many, struct err *e)
{
	const struct product *x = k->graph.x;
	size_t most = min_u64(PRODUCT_HALF, PRODUCT_SETS - had);
	int rc = wroom(&k->now.v, &k->now.room, 1, sizeof *k->now.v, e);

	if (rc)
		return rc;
	k->now.n = 1;
	k->now.v[0] = (struct wset){ 0, node, { 1, 1 } };
	for (size_t layer = from; layer < to && !rc; layer++) {
		size_t i = x->n - 1 - layer;

		if (x->kinds[i] == 1)
			for (size_t a = 0; a < k->now.n; a++)
				k->now.v[a] = go_on(&k->graph, &k->now.v[a],
						    i, 0, 1);
		else
			rc = branch(k, i, parts, e);
		if (k->now.n > most)
			return sets_too_many(many);
	}
	return rc;
}

/* First halves from each start, by the node that they end at. */
static int
first_halves(struct product_work *k, size_t mid, bool parts, bool *many,
	     struct err *e)
{
	const struct wgraph *g = &k->graph;
	uint32_t ends = wgraph_size(g, mid), node = g->first[mid];
	int rc = 0;

	k->s.n = 0;
	for (uint32_t a = 0; a < g->first[1] && !rc && !*many; a++) {
		size_t *at = k->s_at + (size_t)a * ends;

		rc = half(k, a, 0, mid, k->s.n, parts, many, e);
		if (!rc)
			rc = wroom(&k->s.v, &k->s.room, k->s.n + k->now.n,
				   sizeof *k->s.v, e);
		if (rc || *many)
			break;
		memset(at, 0, ends * sizeof *at);
		for (size_t i = 0; i < k->now.n; i++)
			at[k->now.v[i].node - node]++;
		for (uint32_t b = 0; b < ends; b++) {
			size_t n = at[b];

			at[b] = k->s.n;
			k->s.n += n;
		}
		for (size_t i = 0; i < k->now.n; i++)
			k->s.v[at[k->now.v[i].node - node]++] = k->now.v[i];
	}
	return rc;	/* each at now stands behind its own */
}

/* Room for n more columns, which begin with nothing. */
static int
columns(struct wcolumns *p, size_t n, struct err *e)
{
	size_t have = p->room;
	int rc = wroom(&p->mask, &have, p->n + n, sizeof *p->mask, e);

	if (!rc) {
		have = p->room;
		rc = wroom(&p->c, &have, p->n + n, sizeof *p->c, e);
	}
	if (!rc) {
		have = p->room;
		rc = wroom(&p->w, &have, p->n + n, sizeof *p->w, e);
	}
	if (!rc)
		p->room = have;
	return rc;
}

/* Those of k->now that end at gap s, untied. */
static void
gather(struct product_work *k, uint32_t s)
{
	const struct wgraph *g = &k->graph;
	struct wcolumns *p = &k->p;
	size_t begin = p->n;

	for (size_t i = 0; i < k->now.n; i++) {
		const struct wset *x = &k->now.v[i];

		if (g->node[x->node].tie || g->node[x->node].gap != s)
			continue;
		p->mask[p->n] = x->mask;
		p->c[p->n] = x->is.c;
		p->w[p->n++] = x->is.w;
	}
	for (; (p->n - begin) % 8; p->n++) {
		p->mask[p->n] = p->mask[begin];
		p->c[p->n] = p->w[p->n] = 0;
	}
}

/* Second halves from each node of the middle, by the gap that they end in. */
static int
second_halves(struct product_work *k, size_t mid, bool parts, bool *many,
	      struct err *e)
{
	const struct wgraph *g = &k->graph;
	uint32_t ends = wgraph_size(g, mid), starts = g->first[1];
	size_t n = 0;
	int rc = 0;

	k->p.n = 0;
	for (uint32_t b = 0; b < ends && !rc; b++) {
		rc = half(k, g->first[mid] + b, mid, g->x->n, n, parts, many,
			  e);
		if (!rc && !*many)
			rc = columns(&k->p, k->now.n + 8 * (size_t)starts, e);
		if (rc || *many)
			break;
		n += k->now.n;
		for (uint32_t a = 0; a < starts; a++) {
			k->p_at[(size_t)b * starts + a] = k->p.n;
			gather(k, g->node[a].gap);
		}
	}
	k->p_at[(size_t)ends * starts] = k->p.n;
	return rc;
}

/* Start a, middle b: sets of first halves, and columns of second ones. */
static void
pair(const struct product_work *k, uint32_t ends, uint32_t a, uint32_t b,
     struct wjoin *j)
{
	const size_t *s = k->s_at + (size_t)a * ends + b;
	const size_t *p = k->p_at + (size_t)b * k->graph.first[1] + a;
	size_t begin = a || b ? s[-1] : 0;

	j->a = k->s.v + begin;
	j->n_a = *s - begin;
	j->mask = k->p.mask + p[0];
	j->c = k->p.c + p[0];
	j->w = k->p.w + p[0];
	j->n_b = p[1] - p[0];
}

static void
join_ends(struct product_work *k, uint32_t ends, struct product_sum *out,
	  bool *many)
{
	struct wjoin j = { .inner = k->graph.inner, .value = k->value,
			   .least = UINT64_MAX };
	weighted_join_fn *fn = KERN_PICK(weighted_join);
	uint64_t pairs = 0;

	for (uint32_t a = 0; a < k->graph.first[1]; a++)
		for (uint32_t b = 0; b < ends; b++) {
			pair(k, ends, a, b, &j);
			pairs += j.n_a * j.n_b;
		}
	*many = pairs > PRODUCT_PAIRS;
	for (uint32_t a = 0; a < k->graph.first[1] && !*many; a++)
		for (uint32_t b = 0; b < ends; b++) {
			pair(k, ends, a, b, &j);
			if (j.n_a && j.n_b)
				fn(&j);
		}
	if (*many || j.least == UINT64_MAX)
		return;
	out->sum += j.sum.c;
	out->share_sum += j.sum.w;
	/* more runs, less distance */
	out->least = k->value[j.most];
	out->most = k->value[j.least];
}

/* The value of a distance by runs - 1: gaps count twice at most. */
static int
values(struct product_work *k, enum ebwt_metric metric, struct err *e)
{
	uint64_t n = k->graph.x->n, m = k->graph.m;
	int rc = wroom(&k->value, &k->value_room, 2 * PRODUCT_GAPS + 1,
		       sizeof *k->value, e);

	for (uint64_t r = 0; !rc && r <= 2 * PRODUCT_GAPS; r++)
		k->value[r] = r < n + m ? ebwt_measure(metric, n, m,
						       n + m - 1 - r) : 0;
	return rc;
}

int
wsets_sum(struct product_work *k, const struct product_how *how,
	  struct product_sum *out, bool *many, struct err *e)
{
	const struct wgraph *g = &k->graph;
	size_t mid = middle(g->x), room_s = k->at_room, room_p = k->at_room;
	uint32_t ends = wgraph_size(g, mid);
	size_t n = (size_t)ends * g->first[1] + 1;
	int rc;

	*many = g->n_bits > PRODUCT_GAPS || n > PRODUCT_SETS;
	if (*many)
		return 0;
	rc = wroom(&k->s_at, &room_s, n, sizeof *k->s_at, e);
	if (!rc)
		rc = wroom(&k->p_at, &room_p, n, sizeof *k->p_at, e);
	if (rc)
		return rc;
	k->at_room = room_p;
	rc = values(k, how->metric, e);
	if (!rc)
		rc = first_halves(k, mid, how->parts, many, e);
	if (!rc && !*many)
		rc = second_halves(k, mid, how->parts, many, e);
	if (!rc && !*many)
		join_ends(k, ends, out, many);
	return rc;
}
