/* SPDX-License-Identifier: MIT */
/*
 * sw_seed.c - a lower bound of the best score, from seeds; words that only the
 * query has, or only the text
 *
 * The bound is the score of one alignment.  It decides only how many scores
 * need not be computed (sw_skew_prune.c), not their values.
 *
 * Words that occur once in the query, one in each STEP letters, are looked up
 * in the text.  Each match is extended to both sides, without gaps, until its
 * score falls by much.  These pieces are then chained in the order of the text,
 * the best by a guess of what lies between two of them: what their diagonals
 * differ by is a gap, the rest adds nothing.
 * 	Then the chain is scored, link by link, by alignments of all letters
 * between the halves of two pieces: the best that stays near their diagonals,
 * as a piece may have gone on past a gap; or, where these are far apart, pieces
 * as they are, and between them one diagonal, then the other.  What overlaps in
 * the query is left out of the second piece.  So the sum over any links that
 * follow each other is the score of an alignment of the text; the largest of
 * those is the bound.
 *
 * A chain counts (sw.c says why) if it begins in columns of a segment
 * that no path can reach from before the columns that count.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_skew.h"

enum {
	MIN_WORD = 8, MAX_WORD = 16,	/* letters, 2 bits each */
	RARE = 2,	/* letters more than identify a query position */
	STEP = 4,
	DROP = 20,	/* matches */
	WINDOW = 64,	/* pieces before one that it may follow */
	BAND = 128, BESIDE = 12,	/* diagonals: most; beside a link's */
	AGAIN = 256,	/* pairs of a piece at each end */
	TURN = 16,	/* links, of some us each */
};
#define TWICE UINT32_MAX
#define NEVER (INT64_MIN / 2)

struct word {
	uint32_t letters, at;	/* at: behind its first letter; 0: no word */
};
/* n pairs from row i and column j on; chain: of the best one it ends. */
struct piece {
	uint64_t i, j, n;
	int64_t score, chain;
	size_t from;	/* the piece before it in that chain; NONE: first */
};
#define NONE SIZE_MAX
struct seeds {
	const struct sw_query *q;
	const struct sw_text *t;
	struct sw_skew_match m;
	uint8_t code[256];	/* of a letter, or 255 */
	unsigned letters;	/* of a word */
	uint32_t used;		/* their bits */
	struct word *word;
	unsigned shift;
	uint32_t mask;
	struct piece *v;
	size_t n, cap, first;	/* first: of the segment */
	size_t best;		/* that the best chain ends with; or NONE */
	/* Of the best chain, from its end back: its pieces, and what the link
	 * before each adds.  Those from `next` on nobody has taken. */
	struct chained {
		size_t piece;
		int64_t add;
	} *chain;
	size_t n_chain, cap_chain, next;
};

static uint32_t
slot_of(const struct seeds *s, uint32_t letters)
{
	return (uint32_t)(letters * 0x9e3779b97f4a7c15u >> s->shift) & s->mask;
}

/* The word's place, or that where it belongs. */
static struct word *
find_word(const struct seeds *s, uint32_t letters)
{
	uint32_t k = slot_of(s, letters);

	while (s->word[k].at && s->word[k].letters != letters)
		k = (k + 1) & s->mask;
	return &s->word[k];
}

static void
add_word(struct seeds *s, size_t i)
{
	const uint8_t *q = s->q->code + i;
	uint32_t letters = 0;
	struct word *x;

	for (unsigned k = 0; k < s->letters; k++) {
		if (s->code[q[k]] > 3)
			return;
		letters = letters << 2 | s->code[q[k]];
	}
	x = find_word(s, letters);
	x->at = x->at ? TWICE : (uint32_t)i + 1;
	x->letters = letters;
}

/* 4 to the power of a word's letters is 4^RARE rows at least, if it may. */
static void
set_letters(struct seeds *s)
{
	unsigned n = MIN_WORD;

	while (n < MAX_WORD && s->q->n >> 2 * (n - RARE))
		n++;
	s->letters = n;
	s->used = n < 16 ? ((uint32_t)1 << 2 * n) - 1 : UINT32_MAX;
}

/* At least twice as many slots as words. */
static int
add_words(struct seeds *s, struct err *e)
{
	unsigned bits = 1;

	while (((size_t)1 << bits) < s->q->n / STEP * 2 + 2)
		bits++;
	s->shift = 64 - bits;
	s->mask = (uint32_t)(((size_t)1 << bits) - 1);
	s->word = calloc((size_t)1 << bits, sizeof *s->word);
	if (!s->word)
		return err_nomem(e, sizeof *s->word << bits);
	for (size_t i = 0; i + s->letters <= s->q->n; i += STEP)
		add_word(s, i);
	return 0;
}

static int32_t
pair(const struct seeds *s, uint64_t i, uint64_t j)
{
	uint8_t a = s->code[s->q->code[i]];

	return a < 4 && a == s->code[s->t->codes[j]] ? s->m.match :
						       s->m.mismatch;
}

/* Pairs from there on, up to n; they add *score, which is not below 0. */
static uint64_t
forwards(const struct seeds *s, uint64_t i, uint64_t j, uint64_t n,
	 int64_t *score)
{
	int64_t now = 0, most = 0, drop = (int64_t)DROP * s->m.match;
	uint64_t len = 0;

	for (uint64_t k = 0; k < n && now >= most - drop; k++) {
		now += pair(s, i + k, j + k);
		if (now > most) {
			most = now;
			len = k + 1;
		}
	}
	*score += most;
	return len;
}

static uint64_t
backwards(const struct seeds *s, uint64_t i, uint64_t j, uint64_t n,
	  int64_t *score)
{
	int64_t now = 0, most = 0, drop = (int64_t)DROP * s->m.match;
	uint64_t len = 0;

	for (uint64_t k = 1; k <= n && now >= most - drop; k++) {
		now += pair(s, i - k, j - k);
		if (now > most) {
			most = now;
			len = k;
		}
	}
	*score += most;
	return len;
}

static int64_t
gap(const struct seeds *s, uint64_t n)
{
	return n ? s->q->s->open + (int64_t)n * s->q->s->extend : 0;
}

/* Rows and columns between two pieces, the second less its first pairs. */
struct link {
	uint64_t i, j, cut, rows, cols;
};

static struct link
link_of(const struct piece *a, const struct piece *b)
{
	struct link x = { .i = a->i + a->n, .j = a->j + a->n };

	x.cut = x.i > b->i ? x.i - b->i : 0;
	x.rows = b->i + x.cut - x.i;
	x.cols = b->j + x.cut - x.j;
	return x;
}

/* About that, if they are related; to choose a chain, not to score it. */
static int64_t
likely(const struct seeds *s, const struct link *x)
{
	return -gap(s, x->rows > x->cols ? x->rows - x->cols :
					   x->cols - x->rows);
}

/* Pairs from either end, as many as there may be, and a gap between. */
static int64_t
one_gap(const struct seeds *s, const struct link *x)
{
	uint64_t least = x->rows < x->cols ? x->rows : x->cols;
	uint64_t di = x->rows - least, dj = x->cols - least;
	int64_t two = -gap(s, x->rows) - gap(s, x->cols), now = 0, most;

	for (uint64_t k = 0; k < least; k++)
		now += pair(s, x->i + di + k, x->j + dj + k);
	most = now;
	for (uint64_t k = 0; k < least; k++) {
		now += pair(s, x->i + k, x->j + k) -
		       pair(s, x->i + di + k, x->j + dj + k);
		most = now > most ? now : most;
	}
	most -= gap(s, di + dj);
	return most > two ? most : two;
}

/*
 * Row r of a band of n diagonals from `low` on, which are columns less rows;
 * h, f: the row before, by diagonal, and one that is out of reach.  E is opened
 * from what is no E, as where H is one, going on with it is no worse.
 */
static inline void
band_row(const struct seeds *s, const struct link *x, int64_t r, int64_t low,
	 int64_t n, int64_t *h, int64_t *f)
{
	const int64_t extend = s->q->s->extend, first = gap(s, 1);
	const int64_t score[] = { s->m.mismatch, s->m.match };
	const int64_t end = (int64_t)x->cols - r - low + 1;
	const uint8_t a = s->code[s->q->code[x->i + (uint64_t)r - 1]];
	const uint8_t is = a < 4 ? a : 254;	/* that no letter has */
	const uint8_t *text = s->t->codes + x->j;
	int64_t k = r + low < 0 ? -(r + low) : 0, e = NEVER;

	n = end < n ? end : n;
	if (k < n && r + low + k == 0) {	/* before the first column */
		f[k] = max_i64(f[k + 1] - extend, h[k + 1] - first);
		h[k] = f[k];
		e = f[k] - first;
		k++;
	}
	for (; k < n; k++) {
		const uint8_t b = s->code[text[r + low + k - 1]];
		int64_t no_e = h[k] + score[b == is];

		f[k] = max_i64(f[k + 1] - extend, h[k + 1] - first);
		no_e = max_i64(no_e, f[k]);
		h[k] = max_i64(no_e, e);
		e = max_i64(e - extend, no_e - first);
	}
}

/* The best of all rows and columns that stays beside both corners' diagonals,
 * which are near each other. */
static int64_t
band(const struct seeds *s, const struct link *x)
{
	const int64_t last = (int64_t)x->cols - (int64_t)x->rows;
	const int64_t low = (last < 0 ? last : 0) - BESIDE;
	const int64_t n = (last < 0 ? 0 : last) + BESIDE + 1 - low;
	int64_t h[BAND + 1], f[BAND + 1];

	for (int64_t k = 0; k <= n; k++) {
		int64_t c = low + k;

		f[k] = NEVER;
		h[k] = c < 0 || k == n ? NEVER : -gap(s, (uint64_t)c);
	}
	for (int64_t r = 1; r <= (int64_t)x->rows; r++)
		band_row(s, x, r, low, n, h, f);
	return h[last - low];
}

static int64_t
pairs(const struct seeds *s, uint64_t i, uint64_t j, uint64_t n)
{
	int64_t score = 0;

	for (uint64_t k = 0; k < n; k++)
		score += pair(s, i + k, j + k);
	return score;
}

static struct link
link_before(const struct seeds *s, const struct piece *b)
{
	struct link none = { 0 };

	return b->from == NONE ? none : link_of(&s->v[b->from], b);
}

/* What the link before b adds; of pairs that are aligned again, no more than
 * half of a piece at either end, so that none is twice. */
static int64_t
bridge(const struct seeds *s, const struct piece *b, struct link x)
{
	const struct piece *a = &s->v[b->from];
	uint64_t tail = min_u64(AGAIN, (a->n - link_before(s, a).cut) / 2);
	uint64_t head = min_u64(AGAIN, (b->n - x.cut) / 2);
	uint64_t off = x.rows > x.cols ? x.rows - x.cols : x.cols - x.rows;
	int64_t was;

	if (off + 2 * BESIDE >= BAND)
		return one_gap(s, &x);
	was = pairs(s, x.i - tail, x.j - tail, tail) +
	      pairs(s, x.i + x.rows, x.j + x.cols, head);
	x.i -= tail;
	x.j -= tail;
	x.rows += tail + head;
	x.cols += tail + head;
	return band(s, &x) - was;
}

/* Links that nobody has taken, a few at a time. */
static void
score_links(void *ctx)
{
	struct seeds *s = ctx;
	size_t k;

	while ((k = __atomic_fetch_add(&s->next, TURN, __ATOMIC_RELAXED)) <
	       s->n_chain)
		for (size_t end = k + TURN; k < end && k < s->n_chain; k++) {
			const struct piece *b = &s->v[s->chain[k].piece];
			struct link x = link_before(s, b);

			if (b->from != NONE)
				s->chain[k].add = bridge(s, b, x) -
						  pairs(s, b->i, b->j, x.cut);
		}
}

static int
list_chain(struct seeds *s, struct err *e)
{
	int rc = 0;

	for (size_t k = s->best; k != NONE && !rc; k = s->v[k].from) {
		rc = array_room(&s->chain, &s->cap_chain, s->n_chain + 1,
				sizeof *s->chain, e);
		if (!rc)
			s->chain[s->n_chain++] = (struct chained){ k, 0 };
	}
	return rc;
}

/* The best of links of the chain that follow each other, from the last on. */
static int
best_chain(struct seeds *s, struct crew *crew, int64_t *most, struct err *e)
{
	int64_t score = 0;
	int rc = list_chain(s, e);

	*most = 0;
	if (!rc && crew && s->n_chain > 2 * TURN)
		crew_call(crew, score_links, s);
	else if (!rc)
		score_links(s);
	for (size_t k = 0; k < s->n_chain && !rc; k++) {
		score += s->v[s->chain[k].piece].score;
		*most = max_i64(score, *most);
		score = max_i64(score + s->chain[k].add, 0);
	}
	return rc;
}

static void
chain_seeds(struct seeds *s, size_t n)
{
	struct piece *b = &s->v[n];
	size_t k = n - s->first > WINDOW ? n - WINDOW : s->first;

	b->chain = b->score;
	b->from = NONE;
	for (; k < n; k++) {
		struct link x = link_of(&s->v[k], b);
		int64_t score = s->v[k].chain + likely(s, &x) + b->score -
				(int64_t)x.cut * s->m.match;

		if (x.cut < b->n && score > b->chain) {
			b->chain = score;
			b->from = k;
		}
	}
	if (s->best == NONE || b->chain > s->v[s->best].chain)
		s->best = n;
}

/* A word at row i and column j, of the columns [beg, end). */
static int
add_piece(struct seeds *s, uint64_t i, uint64_t j, uint64_t beg, uint64_t end,
	  uint64_t *next, struct err *e)
{
	const unsigned word = s->letters;
	const uint64_t rows = s->q->n - i - word, cols = end - j - word;
	struct piece x = { .n = word, .score = (int64_t)word * s->m.match };
	uint64_t before = j - beg;

	if (array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e))
		return e->code;
	if (s->n > s->first)
		before = j - (s->v[s->n - 1].j + s->v[s->n - 1].n);
	x.n += forwards(s, i + word, j + word, rows < cols ? rows : cols,
			&x.score);
	before = backwards(s, i, j, i < before ? i : before, &x.score);
	x.i = i - before;
	x.j = j - before;
	x.n += before;
	s->v[s->n] = x;
	chain_seeds(s, s->n++);
	*next = x.j + x.n;
	return 0;
}

static int
look_up(struct seeds *s, uint64_t beg, uint64_t end, struct err *e)
{
	uint32_t letters = 0;
	unsigned n = 0;
	int rc = 0;

	s->first = s->n;
	for (uint64_t j = beg; j < end && !rc;) {
		uint8_t c = s->code[s->t->codes[j++]];
		uint32_t at;

		letters = (letters << 2 | (c & 3)) & s->used;
		n = c > 3 ? 0 : n + 1;
		if (n < s->letters)
			continue;
		at = find_word(s, letters)->at;
		if (!at || at == TWICE)
			continue;
		rc = add_piece(s, at - 1, j - s->letters, beg, end, &j, e);
		n = 0;
	}
	return rc;
}

static int
all_segments(struct seeds *s, struct err *e)
{
	const uint64_t context = s->q->context;
	int rc = 0;

	for (size_t k = 0; k < s->t->n_seg && !rc; k++) {
		const struct sw_seg *g = &s->t->seg[k];

		if (g->own == g->beg)
			rc = look_up(s, g->beg, g->end, e);
		else if (g->end - g->own > context)
			rc = look_up(s, g->own + context, g->end, e);
	}
	return rc;
}

int
sw_bound(const struct sw_query *q, const struct sw_text *t, struct crew *crew,
	 int64_t *bound, struct err *e)
{
	struct seeds s = { .q = q, .t = t, .best = NONE };
	int64_t score = 0;
	int rc;

	if (!sw_skew_match(q, &s.m))
		return 0;
	for (unsigned a = 0; a < 256; a++)
		s.code[a] = a < SW_LETTERS ? s.m.code[a] : 255;
	set_letters(&s);
	rc = add_words(&s, e);
	if (!rc)
		rc = all_segments(&s, e);
	if (!rc)
		rc = best_chain(&s, crew, &score, e);
	if (score > *bound)
		*bound = score;
	free(s.word);
	free(s.v);
	free(s.chain);
	return rc;
}

/* Words that the other one does not have. */

enum { LONGEST = 13, ENOUGH = 16 };

/* So long that at most one word in ENOUGH occurs in the longer sequence by
 * chance. */
static void
set_word(struct seeds *s)
{
	uint64_t most = s->q->n > s->t->n ? s->q->n : s->t->n;
	unsigned n = SW_SKEW_WORD;

	while (n < LONGEST && (uint64_t)1 << 2 * n < ENOUGH * most)
		n++;
	s->letters = n;
	s->used = ((uint32_t)1 << 2 * n) - 1;
}

static void
mark_words(const struct seeds *s, const uint8_t *code, uint64_t n,
	   uint64_t *has)
{
	uint32_t letters = 0;
	unsigned run = 0;

	memset(has, 0, ((size_t)s->used + 1) / 8);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t c = s->code[code[i]];

		letters = (letters << 2 | (c & 3)) & s->used;
		run = c > 3 ? 0 : run + 1;
		if (run >= s->letters)
			has[letters / 64] |= (uint64_t)1 << letters % 64;
	}
}

/* Words that do not overlap, taken greedily from the end: count[i] is that of
 * those that begin at letter i * each or behind it. */
static void
count_absent(const struct seeds *s, const uint8_t *code, uint64_t n,
	     const uint64_t *has, unsigned each, uint32_t *count)
{
	uint32_t letters = 0, words = 0;
	unsigned run = 0;

	for (uint64_t i = n; i-- > 0;) {
		uint8_t c = s->code[code[i]];

		letters = letters >> 2 | (uint32_t)(c & 3) <<
					 2 * (s->letters - 1);
		run = c > 3 ? 0 : run + 1;
		if (run >= s->letters &&
		    !(has[letters / 64] >> letters % 64 & 1)) {
			words++;
			run = 0;
		}
		if (i % each == 0)
			count[i / each] = words;
	}
}

int
sw_absent_find(struct sw_absent *x, const struct sw_query *q,
	       const struct sw_text *t, struct err *e)
{
	struct seeds s = { .q = q, .t = t };
	uint64_t *has;
	int rc;

	if (!sw_skew_match(q, &s.m) || (q->n | t->n) >> 31 ||
	    (double)(q->n > t->n ? q->n : t->n) * s.m.match > INT32_MAX / 2)
		return 1;
	for (unsigned a = 0; a < 256; a++)
		s.code[a] = a < SW_LETTERS ? s.m.code[a] : 255;
	set_word(&s);
	rc = array_room(&x->rows, &x->n_rows, q->n / SW_SKEW_ROWS + 2,
			sizeof *x->rows, e);
	if (!rc)
		rc = array_room(&x->blocks, &x->n_blocks, t->n / SW_BLOCK + 1,
				sizeof *x->blocks, e);
	has = rc ? NULL : malloc(((size_t)s.used + 1) / 8);
	if (!has)
		return rc ? rc : err_nomem(e, ((size_t)s.used + 1) / 8);
	x->rows[(q->n + SW_SKEW_ROWS - 1) / SW_SKEW_ROWS] = 0;
	x->blocks[t->n / SW_BLOCK] = 0;
	mark_words(&s, t->codes, t->n, has);
	count_absent(&s, q->code, q->n, has, SW_SKEW_ROWS, x->rows);
	mark_words(&s, q->code, q->n, has);
	count_absent(&s, t->codes, t->n, has, SW_BLOCK, x->blocks);
	free(has);
	return 0;
}

void
sw_absent_free(struct sw_absent *x)
{
	free(x->rows);
	free(x->blocks);
}
