/* SPDX-License-Identifier: MIT */
/*
 * kdiff_trace.c - start and CIGAR of a hit; here of one with few differences
 * Source: Ukkonen, Information and Control 64, 1985; Myers, Algorithmica 1,
 * 1986: furthest rows of diagonals.
 *
 * The window is the m + d letters before the hit's end, d its distance, and
 * diagonal t, 0 <= t <= 2d, has row i at the window's letter i + t: the hit
 * ends in row m of diagonal d.  D does not fall along a diagonal, and a pair of
 * equal letters leaves it as it is.  So D <= s holds for the rows of a diagonal
 * up to far[s][t], the largest of far[s-1][t] + 1, far[s-1][t-1] and
 * far[s-1][t+1] + 1, and as many more as letters are equal; far[0][t] begins
 * with row 0.  Only what can still reach the end matters: |t - d| <= d - s.
 * Letters behind the window change nothing: from there no path comes back.
 *
 * The path that kdiff_band.c chooses goes back by = where letters are equal,
 * for then D(i-1,j-1) is D(i,j); elsewhere by X, D or I, the first one that
 * leads to D - 1, which far[] knows.  As it is chosen by values of D alone, and
 * those within the cone are true, both find the same.
 *
 * Only whole windows of letters A C G T are looked at.  Hits of one distance
 * are traced side by side where they are many (kdiff_trace_kern.c).
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

enum {
	WORDS = 64,		/* of a pattern, at most */
	MOST = 24,		/* differences */
	DIAGONALS = 2 * MOST + 1,
	STEP = 57,		/* bits of a word that begins in any byte */
};

/* Hits of a distance, not 0, that wait for lanes. */
struct waiting {
	size_t hit[SNAKE_HITS];
	unsigned n;
};

struct snake {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	size_t seg;			/* of the last hit */
	uint32_t number, m, d;		/* the pattern; the hit's distance */
	bool letters;			/* the text may be looked at */
	uint32_t most;			/* distances of the pattern's hits, */
	uint32_t most_lanes;		/* side by side */
	/* Low and high bits of the pattern's and the window's letters. */
	uint8_t pat[2][8 * (WORDS + 1)], win[2][8 * (WORDS + 2)];
	uint32_t far[MOST + 1][DIAGONALS];
	struct waiting waiting[SNAKE_MOST + 1];
	struct kdiff_snakes lanes;
};

/* STEP bits at least from bit i on. */
static inline uint64_t
bits_at(const uint8_t *v, uint32_t i)
{
	return get_le(v + i / 8, 8) >> i % 8;
}

/* Which of STEP rows from i on differ, on diagonal t. */
static inline uint64_t
differ_at(const struct snake *s, uint32_t i, uint32_t t)
{
	return ((bits_at(s->pat[0], i) ^ bits_at(s->win[0], i + t)) |
		(bits_at(s->pat[1], i) ^ bits_at(s->win[1], i + t))) &
	       ~0ull >> (64 - STEP);
}

/* As far as letters are equal from row i on. */
static uint32_t
slide(const struct snake *s, uint32_t i, uint32_t t)
{
	uint32_t end = s->m;
	uint64_t x;

	for (i = i < end ? i : end; i < end; i += STEP) {
		x = differ_at(s, i, t);
		if (x) {
			i += (uint32_t)__builtin_ctzll(x);
			break;
		}
	}
	return i < end ? i : end;
}

/* The last row before row i that differs, plus 1; 0: none. */
static uint32_t
slide_back(const struct snake *s, uint32_t i, uint32_t t)
{
	while (i) {
		uint32_t beg = i < STEP ? 0 : i - STEP;
		uint64_t x = differ_at(s, beg, t);

		x &= ~0ull >> (64 - (i - beg));
		if (x)
			return beg + 64 - (uint32_t)__builtin_clzll(x);
		i = beg;
	}
	return 0;
}

/* far[][] of the cone. */
static void
go(struct snake *s)
{
	const uint32_t d = s->d;

	for (uint32_t t = 0; t <= 2 * d; t++)
		s->far[0][t] = slide(s, 0, t);
	for (uint32_t n = 1; n < d; n++) {
		const uint32_t *old = s->far[n - 1];

		for (uint32_t t = n; t <= 2 * d - n; t++) {
			uint32_t x = old[t] + 1, y = old[t + 1] + 1;

			x = x > y ? x : y;
			x = x > old[t - 1] ? x : old[t - 1];
			s->far[n][t] = slide(s, x, t);
		}
	}
}

/*
 * n more of an operation, n >= 0, before the runs at op, without a branch on
 * what it is.
 */
static inline uint32_t *
add(uint32_t *op, uint32_t code, uint32_t n)
{
	bool more = n && (*op & 15) != code;
	uint32_t run = more ? code : *op;

	op -= more;
	*op = run + (n << 4);
	return op;
}

/*
 * The path back from row m of diagonal d, before op, which is no operation;
 * *diagonal: where it begins.
 */
static uint32_t *
come_back(const struct snake *s, uint32_t *op, uint32_t *diagonal)
{
	uint32_t t = s->d, i = s->m;

	for (uint32_t n = s->d; ; n--) {
		uint32_t to = slide_back(s, i, t), code;
		const uint32_t *far;
		bool x, skip;

		op = add(op, CIGAR_EQ, i - to);
		i = to;
		if (!i)
			break;
		far = s->far[n - 1];
		x = far[t] + 1 >= i;
		skip = far[t - 1] >= i;
		code = x ? CIGAR_X : skip ? CIGAR_D : CIGAR_I;
		op = add(op, code, 1);
		i -= x | !skip;
		t += x ? 0 : skip ? UINT32_MAX : 1;
	}
	*diagonal = t;
	return op;
}

/* Are the n letters before a hit's end in its segment? */
static inline bool
in_segment(struct snake *s, const struct kdiff_hit *h, uint64_t n)
{
	const struct kdiff_text *x = s->text;
	const struct kdiff_seg *g = &x->seg[s->seg];

	if (h->end < g->beg || h->end > g->end) {
		s->seg = kdiff_seg_find(x, h->end);
		g = &x->seg[s->seg];
	}
	return h->end - g->beg >= n;
}

/* The window before a hit's end; false: it is not one of letters A C G T. */
static bool
read_window(struct snake *s, const struct kdiff_hit *h)
{
	const struct kdiff_text *x = s->text;
	uint64_t size = s->m + s->d, none = 0;
	int64_t at = (int64_t)(h->end - size);

	if (!in_segment(s, h, size))
		return false;
	for (uint64_t i = 0; i < size; i += 64, at += 64) {
		put_le(s->win[0] + i / 8, kdiff_bits(x, x->planes, 2, at), 8);
		put_le(s->win[1] + i / 8,
		       kdiff_bits(x, x->planes + 1, 2, at), 8);
		if (x->exc)
			none |= kdiff_bits(x, x->exc, 1, at);
	}
	return !none;
}

/*
 * Distances of hits that are faster here than in a lane of kdiff_band.c.  In
 * cycles: a cell of the cone takes 11, a letter 1, beside 60 for each; such a
 * lane of AVX-512, AVX2 and none 4.6, 9 and 24 a letter, beside 160 and more
 * (Zen 4).  Side by side a cell takes 1 to 2, a difference 16 to 22, beside 50.
 */
static void
set_most(struct snake *s)
{
	double lane = 100 + s->m * s->set->ops.trace;
	uint32_t d = 0;

	while (d < MOST && 11.5 * (d + 2) * (d + 2) < lane)
		d++;
	s->most = d;
	for (d = 0; d < SNAKE_MOST && 50 + 24 * (d + 1) + (d + 1) * (d + 1) <
	     lane; d++)
		;
	s->most_lanes = d;
}

static void
next_pattern(struct snake *s, uint32_t number)
{
	const struct kdiff_pat *p = &s->set->pat[number];
	uint32_t words = (p->m + 63) / 64;

	s->number = number;
	s->m = s->lanes.m = p->m;
	s->most = s->most_lanes = 0;
	if (!s->letters || p->codes || words > WORDS)
		return;
	set_most(s);
	memset(s->pat[0], 0, 8 * words);
	memset(s->pat[1], 0, 8 * words);
	for (uint32_t i = 0; i < p->m; i++) {
		unsigned set = s->set->sym[p->code[i]];

		s->pat[0][i / 8] |= (uint8_t)(!(set & 5) << i % 8);
		s->pat[1][i / 8] |= (uint8_t)(!(set & 3) << i % 8);
	}
	for (unsigned i = 0; i < 2; i++)
		for (unsigned w = 0; w < SNAKE_WORDS; w++)
			s->lanes.pat[i][w] = w * 64 < s->m ?
			    get_le(s->pat[i] + 8 * w, 8) : 0;
}

/* What a call is about, and where its paths go. */
struct job {
	const struct kdiff_hit *hits;
	struct kdiff_path *paths;
	struct buf *ops;
	size_t *left, n_left;	/* hits that are not for here */
	struct err *e;
};

/* Those that wait with distance d, side by side. */
static int
trace_lanes(struct snake *s, uint32_t d, struct job *j)
{
	struct waiting *w = &s->waiting[d];
	struct kdiff_snakes *x = &s->lanes;
	size_t room = 2 * d + 1, size = w->n * room * sizeof(uint32_t);
	uint32_t *ops, *op;

	if (!buf_reserve(j->ops, size))
		return err_nomem(j->e, size);
	ops = (uint32_t *)(void *)j->ops->p;
	op = (uint32_t *)(void *)(j->ops->p + j->ops->n);
	x->d = d;
	x->n = w->n;
	for (size_t l = 0; l < SNAKE_HITS; l++) {
		x->at[l] = j->hits[w->hit[l < w->n ? l : 0]].end - x->m - d;
		x->op[l] = op + room * (l + 1);
	}
	s->set->ops.snakes(x);
	for (size_t l = 0; l < w->n; l++) {
		op += room;
		j->paths[w->hit[l]] = (struct kdiff_path){
			.beg = x->at[l], .n_ops = (size_t)(op - x->op[l]),
			.ops = (size_t)(x->op[l] - ops),
		};
	}
	j->ops->n += size;
	w->n = 0;
	return 0;
}

static int
trace_waiting(struct snake *s, struct job *j)
{
	int r = 0;

	for (uint32_t d = 1; d <= SNAKE_MOST && !r; d++)
		if (s->waiting[d].n)
			r = trace_lanes(s, d, j);
	return r;
}

/* A hit without a difference. */
static int
trace_equal(struct snake *s, size_t i, struct job *j)
{
	uint32_t op = s->m << 4 | CIGAR_EQ;

	j->paths[i] = (struct kdiff_path){
		.beg = j->hits[i].end - s->m, .n_ops = 1,
		.ops = j->ops->n / sizeof op,
	};
	buf_put(j->ops, &op, sizeof op);
	return j->ops->bad ? err_nomem(j->e, sizeof op) : 0;
}

/* One hit by itself, or it is left. */
static int
trace_alone(struct snake *s, size_t i, struct job *j)
{
	const struct kdiff_hit *h = &j->hits[i];
	size_t room = 2 * (size_t)h->dist + 1;
	size_t size = (room + 1) * sizeof(uint32_t);
	uint32_t *end, *op, t;

	s->d = h->dist;
	if (s->d > s->most || !read_window(s, h)) {
		j->left[j->n_left++] = i;
		return 0;
	}
	if (!buf_reserve(j->ops, size))
		return err_nomem(j->e, size);
	end = (uint32_t *)(void *)(j->ops->p + j->ops->n) + room;
	*end = 15;		/* no operation */
	go(s);
	op = come_back(s, end, &t);
	j->paths[i] = (struct kdiff_path){
		.beg = h->end - (s->m + s->d - t), .n_ops = (size_t)(end - op),
		.ops = (size_t)(op - (uint32_t *)(void *)j->ops->p),
	};
	j->ops->n += room * sizeof *op;
	return 0;
}

/* May this hit be traced with others of its distance? */
static inline bool
fits_lane(struct snake *s, const struct kdiff_hit *h)
{
	const struct kdiff_text *x = s->text;
	uint64_t size = (uint64_t)s->m + h->dist;

	if (h->dist > s->most_lanes || size >= 64 * SNAKE_WORDS ||
	    !in_segment(s, h, size) || h->end - size + SNAKE_READS > x->n)
		return false;
	for (uint64_t i = 0; x->exc && i < size; i += 64)
		if (kdiff_bits(x, x->exc, 1, (int64_t)(h->end - size + i)))
			return false;
	return true;
}

static inline int
trace_hit(struct snake *s, size_t i, struct job *j)
{
	const struct kdiff_hit *h = &j->hits[i];
	struct waiting *w;

	if (!h->dist)
		return trace_equal(s, i, j);
	if (h->dist > s->most && h->dist > s->most_lanes) {
		j->left[j->n_left++] = i;
		return 0;
	}
	if (!fits_lane(s, h))
		return trace_alone(s, i, j);
	w = &s->waiting[h->dist];
	w->hit[w->n++] = i;
	return w->n == SNAKE_HITS ? trace_lanes(s, h->dist, j) : 0;
}

/*
 * Of hits order[0 .. *n), in the order of their patterns, those whose paths are
 * found faster by snakes get them; the others stay in order[0 .. *n).  Not for
 * Hamming distance, exact letters, or overhangs.  0 or ERR_NOMEM.
 */
static int
trace_few(const struct kdiff_set *set, const struct kdiff_text *text,
	  const struct kdiff_hit *hits, size_t *order, size_t *n,
	  struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct job j = { hits, paths, ops, order, 0, e };
	struct snake s;
	int r = 0;

	s.set = set;
	s.text = text;
	s.lanes.planes = text->planes;
	s.seg = 0;
	s.number = UINT32_MAX;
	memset(s.win, 0, sizeof s.win);
	memset(s.pat, 0, sizeof s.pat);
	memset(s.waiting, 0, sizeof s.waiting);
	s.letters = set->p.alphabet == KDIFF_DNA &&
		    !(set->p.iupac && text->sets);
	for (size_t i = 0; i < *n && !r; i++) {
		uint32_t number = hits[order[i]].pattern;

		if (s.number != number) {
			r = trace_waiting(&s, &j);
			next_pattern(&s, number);
		}
		if (!r)
			r = trace_hit(&s, order[i], &j);
	}
	if (!r)
		r = trace_waiting(&s, &j);
	*n = j.n_left;
	return r;
}

size_t *
kdiff_by_pattern(const struct kdiff_set *set, const struct kdiff_hit *hits,
		 size_t n, struct err *e)
{
	size_t *at = calloc(set->n + 1, sizeof *at);
	size_t *order = malloc((n ? n : 1) * sizeof *order);

	if (!at || !order) {
		err_nomem(e, (set->n + 1 + n) * sizeof *at);
		free(order);
		free(at);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		at[hits[i].pattern + 1]++;
	for (size_t p = 1; p < set->n; p++)
		at[p] += at[p - 1];
	for (size_t i = 0; i < n; i++)
		order[at[hits[i].pattern]++] = i;
	free(at);
	return order;
}

int
kdiff_trace(const struct kdiff_set *set, const struct kdiff_text *text,
	    struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
	    struct kdiff_path *paths, struct buf *ops, struct err *e)
{
	struct kdiff_hang *hangs = NULL;
	size_t *order;
	int r = 0;

	if (!n)
		return 0;
	if (set->limited)
		return kdiff_limited_trace(set, text, w, hits, n, paths, ops,
					   e);
	if (set->exact && !set->p.hamming)
		return kdiff_exact_trace(set, text, w, hits, n, paths, ops, e);
	order = kdiff_by_pattern(set, hits, n, e);
	if (!order)
		return ERR_NOMEM;
	if (kdiff_overhangs(set)) {
		hangs = calloc(n, sizeof *hangs);
		r = hangs
			? kdiff_overhang_places(set, text, w, hits, n, hangs, e)
			: err_nomem(e, n * sizeof *hangs);
	}
	if (!r && !hangs && !set->exact && !set->p.hamming)
		r = trace_few(set, text, hits, order, &n, paths, ops, e);
	if (!r && n)
		r = kdiff_trace_plain(set, text, w, hits, order, n, NULL,
				      hangs, paths, ops, e);
	free(hangs);
	free(order);
	return r;
}
