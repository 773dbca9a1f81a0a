/* SPDX-License-Identifier: MIT */
/* kdiff_priv.h - inside of kdiff: set, working memory, choice of kernels */
#ifndef SEQF_KDIFF_KDIFF_PRIV_H
#define SEQF_KDIFF_KDIFF_PRIV_H

#include <pthread.h>

#include "base/base.h"
#include "kdiff/kdiff.h"
#include "kdiff/kdiff_kern.h"

struct kdiff_ops {
	unsigned lanes;
	kdiff_gather_fn *gather;
	kdiff_scan_fn *edit, *ham;
	kdiff_extract_fn *edit_extract, *ham_extract;
	kdiff_columns_le_fn *columns_le;
	kdiff_spread_fn *spread;
	kdiff_columns_fn *columns;
	kdiff_back_fn *back;
	kdiff_runs_fn *runs;
	kdiff_verify_fn *verify;
	kdiff_gram_keys_fn *keys;
	kdiff_cores_fn *cores;
	kdiff_overhang_fn *over;
	kdiff_overhang_end_fn *over_end;
	kdiff_sieve_fn *sieve;
	kdiff_strip_fn *strip;
	kdiff_deepen_fn *deepen;
	kdiff_snakes_fn *snakes;
	/* cycles: a letter and row, a sample, a letter of a place, one of a
	   hit's traceback in a lane */
	double row, sample, place, trace;
};

struct kdiff_qgram;
struct qgram_work;

/* How the filter and the index work, where not 0: for tests. */
struct kdiff_force {
	unsigned q, step;
	unsigned index_q;	/* the index's, at most */
	unsigned block;		/* letters, a multiple of 64 */
	unsigned rows;		/* of a prefix, at least */
	bool patient;		/* never thinks that a block is dense */
};

struct kdiff_set {
	struct kdiff_params p;
	struct kdiff_ops ops;
	struct kdiff_pat *pat;
	size_t n, cap;
	uint64_t max_m, max_mk, max_2mk, max_k;
	bool exact;		/* some pattern has a head or a tail */
	/* kdiff_set_limits(); then p.report is KDIFF_ALL. */
	struct kdiff_limits max;
	bool limited, limited_minima;
	/* Symbols in use, in order of appearance: IUPAC sets or bytes. */
	uint8_t sym[256];
	unsigned n_sym;
	int16_t sym_of[256];	/* the inverse, -1 = unused */
	/* Words scanned at once, but warm-ups a lane at least: tests lower
	   them, to 1 and 2. */
	uint64_t block, warms;
	enum kdiff_engine engine;
	struct kdiff_lazy *lazy;	/* what scans make once it pays */
	uint64_t index_at;	/* letters x patterns; tests lower it */
	uint64_t expected;	/* letters of all texts, or 0 */
	struct kdiff_force force;
	const struct kdiff_backend *backend;	/* or NULL */
};

/* Made with the lock held; what is not NULL, or said to be there, stays. */
struct kdiff_lazy {
	pthread_mutex_t lock;
	struct kdiff_index *index;
	struct kdiff_pam *halves;
	bool has_index, has_halves;	/* or they are known not to pay */
	uint64_t work;		/* letters x patterns without the index */
	uint64_t seen;		/* letters without the halves */
	struct kdiff_qgram *filter;
	uint64_t filter_at;	/* of a text's letters; 0: not planned yet */
	struct kdiff_overhang_parts *parts;
};

/* Letters of a pattern that hang over a subject's begin, and its end. */
struct kdiff_hang {
	uint32_t left, right;
};

/* A pattern that may hang over the begin, or the end, of a segment. */
struct kdiff_pair {
	size_t seg;
	uint32_t pattern;
	bool end;
};

/* Letters out of a text, as segments of another one. */
struct kdiff_copy {
	struct kdiff_text text;
	uint64_t *planes, *exc, *sets;
	uint8_t *bytes;
	struct kdiff_seg *seg;
	size_t planes_cap, exc_cap, sets_cap, bytes_cap, seg_cap;
};

/* Letters [beg, end) of a text: right: in inverse order; minus: as their
 * complements; both of DNA only. */
struct kdiff_turn {
	const struct kdiff_text *t;
	uint64_t beg, end;
	bool right, minus;
};
/* Room for n letters of such a text, and n_seg segments; there are none so far.
 * 0 or ERR_NOMEM. */
int kdiff_copy_room(struct kdiff_copy *to, const struct kdiff_text *t,
		    uint64_t n, size_t n_seg, struct err *e);
/* To letter `at`, a multiple of 64, on. */
void kdiff_copy_put(const struct kdiff_turn *x, struct kdiff_copy *to,
		    uint64_t at);
void kdiff_copy_free(struct kdiff_copy *to);

struct kdiff_work {
	uint8_t *mem;		/* arena of a scan: vectors */
	size_t mem_cap;
	struct kdiff_state *st;
	size_t st_cap;
	struct kdiff_lane lane[KDIFF_MAX_LANES];
	struct kdiff_hits batch, tmp;
	uint8_t *eq, *trace, *shared;	/* arenas of a traceback */
	size_t eq_cap, trace_cap, shared_cap;
	struct kdiff_hits over;	/* of kdiff_overhang.c */
	uint8_t *exact;		/* arena of it and of kdiff_exact.c */
	size_t exact_cap;
	struct kdiff_hits listed, mixed;	/* engine's, scan's */
	uint8_t *room, *rest;	/* kdiff_index.c's: uint32_t a pattern */
	size_t room_cap, rest_cap, n_rest;
	struct qgram_work *qgram;
	struct kdiff_pam_work *halves;	/* kdiff_pam_table.c's */
	struct kdiff_pair *pair;	/* kdiff_overhang_parts.c's */
	size_t n_pair, pair_cap;
	struct kdiff_copy windows;
	uint8_t *window;		/* size_t: the segment of each */
	size_t window_cap;
	struct kdiff_limits_work limits;	/* kdiff_limits.c's */
	struct kdiff_seg *seg;
	uint8_t *letters;
	size_t seg_cap, letters_cap;
};

/* One hit at a time: where many would take too much memory. */
extern const struct kdiff_ops kdiff_ops_scalar;

/* Words of a run as a kernel left them. */
typedef int kdiff_words_fn(void *ctx, const struct kdiff_run *r,
			   const uint64_t *v, struct err *e);

/* What to search for, and where hits go, in the order (end, pattern). */
struct kdiff_job {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	struct kdiff_work *w;
	struct err *e;
	const uint32_t *which;	/* patterns, in order; NULL: the first n */
	size_t n;
	bool all;		/* all ends, whatever the set's report */
	struct kdiff_hits *hits;	/* appended; or, if it is NULL, */
	kdiff_take_fn *take;		/* as kdiff_each() says */
	void *ctx;
	bool unordered;		/* taken in any order */
	/* All words that may hold hits instead, of one lane after the other. */
	kdiff_words_fn *words;
};
/* By bit vectors along the text. */
int kdiff_text_scan(const struct kdiff_job *j);
/*
 * The hits in h, with those of n patterns in a text that begins at letter
 * `base` of the job's, are given to the job.
 */
int kdiff_text_mix(const struct kdiff_job *j, const struct kdiff_text *text,
		   uint64_t base, const uint32_t *which, size_t n,
		   const struct kdiff_hits *h);
/* Its cycles a letter with one pattern. */
double kdiff_plain_cycles(const struct kdiff_set *set,
			  const struct kdiff_pat *p);
static inline bool
kdiff_overhangs(const struct kdiff_set *set)
{
	return set->p.over[0].den || set->p.over[1].den;
}

/* By whatever is the fastest; without overhangs. */
int kdiff_plain_scan(struct kdiff_job *j);
/* With limits on each kind of difference. */
int kdiff_limited_scan(const struct kdiff_job *j);
int kdiff_limited_trace(const struct kdiff_set *set,
			const struct kdiff_text *text, struct kdiff_work *w,
			const struct kdiff_hit *hits, size_t n,
			struct kdiff_path *paths, struct buf *ops,
			struct err *e);
/* Hits to whom they are for. */
int kdiff_job_give(const struct kdiff_job *j, const struct kdiff_hit *v,
		   size_t n);

/* A changed set needs others of what scans make; nobody searches now. */
void kdiff_forget(struct kdiff_set *set);
void kdiff_qgram_free(struct kdiff_qgram *f);
void qgram_work_free(struct qgram_work *w);

/*
 * A table of q-grams.  A key's bits 0 to q-1 are the letters' low bits, q to
 * 2q-1 the high ones; those with entries are set in bits, and rank[i] of them
 * are below 64i.  Of the x-th one they are entry[start[x]] to
 * entry[start[x + 1] - 1].
 */
struct kdiff_grams {
	unsigned q;
	uint64_t *bits;
	uint32_t *rank, *start, *entry;
};

struct kdiff_entry {
	uint32_t key, entry;
};
/* Of v[0..n), of which the keys change.  0 or ERR_NOMEM. */
int kdiff_grams_make(struct kdiff_grams *g, struct kdiff_entry *v, size_t n,
		     struct err *e);
void kdiff_grams_free(struct kdiff_grams *g);

/* How many keys with entries are below this one, which has some. */
static inline uint32_t
kdiff_grams_slot(const struct kdiff_grams *g, uint64_t key)
{
	uint64_t below = g->bits[key / 64] & ((1ull << key % 64) - 1);

	/* their number: not every processor has an instruction for it */
	below -= below >> 1 & 0x5555555555555555;
	below = (below & 0x3333333333333333) +
		(below >> 2 & 0x3333333333333333);
	below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return g->rank[key / 64] +
	       (uint32_t)(below * 0x0101010101010101 >> 56);
}

static inline uint32_t
kdiff_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* 64 letters of a plane, 0 where there are none; its words are step apart. */
static inline uint64_t
kdiff_text_bits(const uint64_t *w, int64_t n_words, int step, int64_t from)
{
	int64_t i = from >> 6;
	unsigned b = (unsigned)from & 63;
	uint64_t x = 0;

	if (i >= 0 && i + 1 < n_words)
		return w[i * step] >> b | w[(i + 1) * step] << 1 << (63 - b);
	if (i >= 0 && i < n_words)
		x = w[i * step] >> b;
	if (b && i + 1 >= 0 && i + 1 < n_words)
		x |= w[(i + 1) * step] << (64 - b);
	return x;
}

/* The same of a text. */
static inline uint64_t
kdiff_bits(const struct kdiff_text *t, const uint64_t *w, int step,
	   int64_t from)
{
	return kdiff_text_bits(w, (int64_t)((t->n + 63) / 64), step, from);
}

/*
 * Where the 64 letters from `at` are A, C, G, T; not where they are others, or
 * `in` has no bit.
 */
static inline void
kdiff_four_at(const struct kdiff_text *t, int64_t at, uint64_t in,
	      uint64_t is[4])
{
	uint64_t lo = kdiff_bits(t, t->planes, 2, at);
	uint64_t hi = kdiff_bits(t, t->planes + 1, 2, at);

	if (t->exc)
		in &= ~kdiff_bits(t, t->exc, 1, at);
	is[0] = ~(lo | hi) & in;
	is[1] = lo & ~hi & in;
	is[2] = hi & ~lo & in;
	is[3] = lo & hi & in;
}

/* Where they are of a set. */
static inline uint64_t
kdiff_of_set(const uint64_t is[4], unsigned set)
{
	return (set & 1 ? is[0] : 0) | (set & 2 ? is[1] : 0) |
	       (set & 4 ? is[2] : 0) | (set & 8 ? is[3] : 0);
}

/* Use the kernels of another instruction set that this CPU has: for tests. */
void kdiff_set_isa(struct kdiff_set *set, enum isa isa);

/* Room for n bytes in *p, contents lost; aligned to 64.  0 or ERR_NOMEM. */
int kdiff_room(uint8_t **p, size_t *cap, size_t n, struct err *e);

/* Room for more hits.  0 or ERR_NOMEM. */
int kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e);

/* What kdiff_set_add() would say: 0 or ERR_USAGE. */
int kdiff_pattern_check(const struct kdiff_set *set, const uint8_t *letters,
			size_t m, size_t k, struct err *e);

/* Letters [beg, beg + m) of another set's pattern, as kdiff_set_add(). */
int kdiff_set_add_part(struct kdiff_set *set, const struct kdiff_set *of,
		       uint32_t pattern, uint32_t beg, uint32_t m, uint32_t k,
		       struct err *e);

void kdiff_lane_free(struct kdiff_lane *lane);

static inline bool
kdiff_hit_before(const struct kdiff_hit *a, const struct kdiff_hit *b)
{
	return a->end != b->end ? a->end < b->end : a->pattern < b->pattern;
}

/*
 * Put h[from ...) in order by way of tmp; of one end and pattern the least
 * distance stays.  0 or ERR_NOMEM.
 */
int kdiff_hits_order(struct kdiff_hits *h, size_t from, struct kdiff_hits *tmp,
		     struct err *e);

/* Of hits in order keep those with ends in their segment's range. */
void kdiff_hits_reported(const struct kdiff_text *text, struct kdiff_hits *h);
/* Of v[0..n), all ends <= k of one pattern of m letters in order, the minima
 * are put first; their number. */
size_t kdiff_hits_minima_of(struct kdiff_hit *v, size_t n, uint32_t m);
/* Of all ends h[from ...) the minima that are to be reported. */
int kdiff_hits_minima(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_hits *h,
		      size_t from, struct err *e);

/* The last segment with beg <= at; 0 if there is none. */
size_t kdiff_seg_find(const struct kdiff_text *text, uint64_t at);

/* The text with all ends of its segments reported, until w is used for the next
 * one.  0 or ERR_NOMEM. */
int kdiff_all_ends(const struct kdiff_text *text, struct kdiff_work *w,
		   struct kdiff_text *all, struct err *e);

/*
 * Traceback of n > 0 hits, order[0..n), their patterns in order, by
 * kdiff_band.c.  With exact letters of the core; reach, hangs (or NULL): see
 * struct trace there.  0 or ERR_NOMEM.
 */
int kdiff_trace_plain(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_work *w,
		      const struct kdiff_hit *hits, const size_t *order,
		      size_t n, const uint64_t *reach,
		      const struct kdiff_hang *hangs,
		      struct kdiff_path *paths, struct buf *ops, struct err *e);

/* Indices of hits in the order of their patterns; malloc'ed, or NULL. */
size_t *kdiff_by_pattern(const struct kdiff_set *set,
			 const struct kdiff_hit *hits, size_t n,
			 struct err *e);

/* First or last letters that must match, see kdiff_set_exact(). */

/* Does pattern letter i match a text letter of this class? */
static inline bool
exact_fits(const struct kdiff_set *set, const struct kdiff_pat *p, uint32_t i,
	   uint8_t class)
{
	uint8_t sym = set->sym[p->code[i]];

	return set->p.alphabet == KDIFF_DNA ? sym & class : sym == class;
}

/* Classes of n text letters from `at`: DNA: IUPAC sets, 0 matches nothing. */
void kdiff_read_classes(const struct kdiff_set *set, const struct kdiff_text *t,
			uint64_t at, uint64_t n, uint8_t *to);

/*
 * h[from..n) are ends with plain distances <= k: the distance that keeps the
 * rule takes their place, and those above k are left out.  0 or ERR_NOMEM.
 */
int kdiff_exact_keep(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     struct kdiff_hits *h, size_t from, struct err *e);

/* kdiff_trace() of such a set; not for Hamming distance. */
int kdiff_exact_trace(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_work *w,
		      const struct kdiff_hit *hits, size_t n,
		      struct kdiff_path *paths, struct buf *ops,
		      struct err *e);

/* Patterns that overhang the ends of a subject: kdiff_overhang.c. */

/* A whole search, of a set with params.over. */
int kdiff_overhang_scan(const struct kdiff_job *j);
/* All ends, taken in any order. */
int kdiff_overhang_each(const struct kdiff_job *j);

/* p->over of a set with edit distance.  0 or ERR_NOMEM. */
int kdiff_overhang_compile(const struct kdiff_set *set, struct kdiff_pat *p,
			   struct err *e);

/*
 * An index of places where patterns may overhang, made once; NULL if
 * that takes longer than to check all places.  0 or ERR_NOMEM.
 */
struct kdiff_overhang_parts;
int kdiff_overhang_parts(const struct kdiff_job *j,
			 const struct kdiff_overhang_parts **o);
void kdiff_overhang_parts_free(struct kdiff_overhang_parts *o);
/* Patterns of which nothing is known, at the begin or the end of subjects. */
const uint32_t *kdiff_overhang_always(const struct kdiff_overhang_parts *o,
				      bool end, size_t *n);
/*
 * Where others may hang over segments [first, end) of max_mk letters or more,
 * in order: j->w->pair[0 .. n_pair); *dense: of too many.  0 or ERR_NOMEM.
 */
int kdiff_overhang_pairs(const struct kdiff_overhang_parts *o,
			 const struct kdiff_job *j, size_t first, size_t end,
			 bool *dense);

/* The cost of l letters that hang over the subject's begin, or its end. */
static inline uint32_t
kdiff_overhang_cost(const struct kdiff_set *set, bool end, uint64_t l)
{
	const struct kdiff_ratio *c = &set->p.over[end];

	return (uint32_t)(l * c->num / c->den);
}

/*
 * at[i]: letters of hits[i] that hang over the subject's end, of alignments of
 * its distance the fewest, if possible without an insertion next to them; and
 * how many at most may hang over its begin.  0 or ERR_NOMEM.
 */
int kdiff_overhang_places(const struct kdiff_set *set,
			  const struct kdiff_text *text, struct kdiff_work *w,
			  const struct kdiff_hit *hits, size_t n,
			  struct kdiff_hang *at, struct err *e);

/* An index from q-grams of the text to patterns: kdiff_index.c. */

enum {
	KDIFF_MIN_Q = 4,
	KDIFF_MAX_Q = 10,
	KDIFF_INDEX_M = 64,	/* m + 2k of a pattern in an index, at most */
};

struct kdiff_index {
	struct kdiff_grams grams;
	uint64_t (*eq)[4];	/* of each pattern: where it has A C G T, its
				   last letter in the top bit */
	uint32_t *rest;		/* patterns that are not in it, in order */
	size_t n_rest;
	/* Places of each pattern, a letter of text, that cost as much as the
	   other engine; 0 of those in rest. */
	double *most_places;
};

/* An entry: a pattern, and its letters from the piece's beginning on. */
static inline uint32_t
kdiff_entry_pattern(uint32_t e)
{
	return e / KDIFF_INDEX_M;
}

static inline uint32_t
kdiff_entry_rest(uint32_t e)
{
	return e % KDIFF_INDEX_M + 1;
}

/* How a pattern is cut: s pieces, the last s1 of them with one difference. */
struct kdiff_cut {
	uint32_t s, s1;
};
/* False: it cannot be. */
bool kdiff_cut(const struct kdiff_pat *p, unsigned q, struct kdiff_cut *c);

/* Where piece j of s begins. */
static inline uint32_t
kdiff_piece_at(const struct kdiff_pat *p, const struct kdiff_cut *c,
	       uint32_t j)
{
	return p->m * j / c->s;
}

/* Cycles of a closer look at a place. */
double kdiff_place_cycles(const struct kdiff_set *set,
			  const struct kdiff_pat *p);
/*
 * Does pattern i go into an index with this q?  Only if it should be twice as
 * fast there as without, as texts are not random, or if all shall that can
 * (`every`).  *cycles: of a letter.
 */
bool kdiff_index_fits(const struct kdiff_set *set, size_t i, unsigned q,
		      bool every, double *cycles);
/*
 * The best q, 0 if there is none, and its cycles a letter of random text, other
 * patterns searched by bit vectors.
 */
unsigned kdiff_index_q(const struct kdiff_set *set, bool every,
		       double *cycles);

/*
 * *x = the index of a set's patterns, NULL if it would win nothing over
 * scanning with each; `every`: of all that can be in one, even so.  0 or
 * ERR_NOMEM.
 */
int kdiff_index_new(struct kdiff_index **x, const struct kdiff_set *set,
		    bool every, struct err *e);
void kdiff_index_free(struct kdiff_index *x);

/* The engine that looks for all patterns of an index at once. */

/*
 * Append all ends with D <= k of the patterns in an index, those that are not
 * to be reported too, in the order (end, pattern).  The patterns left to the
 * other engine are w->rest[0 .. w->n_rest).  The text has planes.  0 or
 * ERR_NOMEM.
 */
int kdiff_index_scan(const struct kdiff_set *set, const struct kdiff_index *x,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     struct kdiff_hits *out, struct err *e);

/* Many short patterns, looked up by words of their halves. */

/* *h is NULL where it would not pay, or cannot be; `must`: only if it cannot.
 * 0 or ERR_NOMEM. */
int kdiff_halves_new(struct kdiff_pam **h, const struct kdiff_set *set,
		     bool must, struct err *e);

/* As kdiff_index_scan(); no pattern is left to others. */
int kdiff_halves_scan(struct kdiff_pam *h, const struct kdiff_text *text,
		      struct kdiff_work *w, struct kdiff_hits *out,
		      struct err *e);

/* Distances at ends that a strip of diagonals leads to: kdiff_strip.c. */

enum {
	STRIP_WORDS = 16,	/* of a frame, at most */
	STRIP_ROWS = 16,	/* until the frame moves, at least */
	STRIP_WIDTH = 64 * STRIP_WORDS - STRIP_ROWS + 1,
};

/* Ends from <= e <= to of a pattern in a segment, to be looked at. */
struct kdiff_range {
	uint32_t pattern;
	bool plain;		/* not by a strip */
	bool deep;		/* rows below are left */
	size_t seg;
	int64_t lo, hi;		/* those that the strip leads to */
	uint64_t from, to;	/* of these, or none */
	uint64_t vp, vm;	/* deep: rises and falls from lo on */
};

struct kdiff_strips {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	bool minima;
	uint32_t pad;		/* diagonals to look at beside each range */
	uint8_t **mem;		/* arena: kdiff_room() */
	size_t *mem_cap;
	struct kdiff_hits *hits;	/* appended */
	struct err *e;
};

/* Can the set's patterns be searched for so? */
static inline bool
kdiff_strip_fits(const struct kdiff_set *set)
{
	return !set->p.hamming && !set->exact;
}

/* Cycles of a range of a pattern. */
double kdiff_strip_cycles(const struct kdiff_set *set,
			  const struct kdiff_range *r, uint32_t pad);

/*
 * Hits of v[0..n), all of one pattern, in order, with the number that they
 * shall have; no D beside a range, up to its segment's ends, is <= k.  0 or
 * ERR_NOMEM.
 */
int kdiff_strip_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		     size_t n, uint32_t number);

/* Ends by way of a pattern's first rows: kdiff_strip.c. */

/* One more of what the first rows lead to. */
typedef int kdiff_range_fn(void *ctx, const struct kdiff_range *x,
			   struct err *e);

struct kdiff_prefix {
	const struct kdiff_set *set;	/* whole patterns */
	const struct kdiff_set *first;	/* their first rows */
	const struct kdiff_text *text;
	kdiff_range_fn *add;
	void *ctx;
};

/*
 * Rows of the prefix, 0 if there is none.  More than k, so that D > k before a
 * segment's first letter; and as many are left, so that live columns up to an
 * end say all of it and of the next one: there blocks meet (split_ranges() in
 * kdiff_qgram.c).
 */
static inline uint32_t
kdiff_prefix_rows(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	uint64_t rows = set->force.rows ? set->force.rows : p->chk[0];

	if (p->m < 2ull * p->k + 2)
		return 0;
	return (uint32_t)min_u64(max_u64(rows, p->k + 1), p->m - p->k - 1);
}

/* The first rows of set's patterns; two numbers for each are put in room. */
int kdiff_prefix_make(struct kdiff_set *first, const struct kdiff_set *set,
		      uint32_t *room, struct err *e);

/*
 * The ranges of a view of p->text, which begins at letter base there; its
 * segments' from and to are ends of the first rows.  Those of a pattern come
 * in order, from and to are the segment's.
 */
int kdiff_prefix_find(const struct kdiff_prefix *p, const struct kdiff_job *j,
		      const struct kdiff_text *view, uint64_t base);

/* Hits of the deep ones of v[0..n), all of one pattern: kdiff_strip_scan(). */
int kdiff_deep_scan(const struct kdiff_strips *s, const struct kdiff_range *v,
		    size_t n, uint32_t rows, uint32_t number);

/* The filter: kdiff_qgram.c. */

enum {
	QGRAM_MAX_Q = 11,	/* the bitmap stays in the L2 cache */
	QGRAM_MAX_STEP = 32,
	QGRAM_LEVEL = 15,	/* differences of a check, at most */
};

/* A q-gram of a piece, `skip` letters after its beginning. */
struct qgram_seed {
	uint64_t lo, hi;	/* the piece's letters, of which n count */
	uint32_t pattern, piece;
	uint32_t n, skip;
};

/* A pattern's letters as planes, a word of nothing before and after. */
struct qgram_pat {
	uint64_t *lo, *hi, *any;	/* any: takes any letter */
	uint32_t *piece;		/* where its k + 1 pieces begin */
};

struct kdiff_qgram {
	struct kdiff_set set;	/* those with a filter; nothing else is own */
	uint32_t *number;	/* theirs in the whole set */
	uint32_t *rest;		/* the others: scanned plainly */
	size_t n_rest;
	double cycles;		/* of a plain scan of those in set, a letter */
	struct qgram_pat *pat;
	uint64_t *store;		/* their planes */
	uint32_t *pieces;
	struct kdiff_sieve sieve;
	struct kdiff_grams grams;	/* entries: numbers of seeds */
	struct qgram_seed *seed;
	size_t n_seed;
	/* The patterns' first rows, in place of all samples; or none. */
	struct kdiff_set first;
};

/* The cheapest way. */
struct qgram_plan {
	unsigned least;		/* patterns with shorter pieces are left out */
	unsigned q, step;	/* q = 0: no filter */
	bool prefix;		/* but first rows */
	double cycles;		/* a letter, of the filter and of the rest */
	double plain;		/* a letter, without */
	double build;		/* all in all */
};

void kdiff_qgram_plan(const struct kdiff_set *set, struct qgram_plan *p);

int kdiff_qgram_new(struct kdiff_qgram **f, const struct kdiff_set *set,
		    const struct qgram_plan *p, struct err *e);

/* Do the job, which is for all patterns of the set. */
int kdiff_qgram_each(const struct kdiff_qgram *f, const struct kdiff_job *j);

/* A text's planes. */
struct qgram_text {
	const uint64_t *planes, *exc;
	int64_t n_words;
};

/* Is the seed's piece at letter `at` of the text? */
static inline bool
kdiff_qgram_equal(const struct qgram_text *t, const struct qgram_seed *s,
		  int64_t at)
{
	uint64_t d = (kdiff_text_bits(t->planes, t->n_words, 2, at) ^ s->lo) |
		     (kdiff_text_bits(t->planes + 1, t->n_words, 2, at) ^
		      s->hi);

	if (t->exc)
		d |= kdiff_text_bits(t->exc, t->n_words, 1, at);
	return !(d << (64 - s->n));
}

/*
 * Do the neighbours of a piece that is equal at letter `at` of the text match,
 * too, until so many letters are looked at?  *spent grows by the steps it took.
 */
bool kdiff_qgram_check(const struct kdiff_qgram *f,
		       const struct qgram_text *t,
		       const struct qgram_seed *seed, int64_t at,
		       uint32_t enough, uint64_t *spent);

#endif
