/* SPDX-License-Identifier: MIT */
/* kdiff_priv.h - inside of kdiff: set, working memory, choice of kernels */
#ifndef SEQF_KDIFF_KDIFF_PRIV_H
#define SEQF_KDIFF_KDIFF_PRIV_H

#include "base/base.h"
#include "kdiff/kdiff_kern.h"
#include "kdiff/kdiff_limits.h"

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
	struct kdiff_lazy *lazy;	/* the patterns' index, once it pays */
	uint64_t index_at;	/* letters x patterns; tests lower it */
	struct kdiff_force force;
	struct kdiff_qgram *filter;	/* built by a scan */
	uint64_t filter_at;	/* of a text's letters; 0: not planned yet */
	const struct kdiff_backend *backend;	/* or NULL */
	struct kdiff_overhang_parts *parts;	/* built by a scan */
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
	struct kdiff_hits listed, mixed;	/* kdiff.c's */
	uint8_t *room, *rest;	/* kdiff_index.c's: uint32_t a pattern */
	size_t room_cap, rest_cap, n_rest;
	struct qgram_work *qgram;
	struct kdiff_pam_work *halves;	/* kdiff_halves.c's */
	struct kdiff_pair *pair;	/* kdiff_overhang_parts.c's */
	size_t n_pair, pair_cap;
	uint8_t *window;
	size_t window_cap;
	struct kdiff_limits_work limits;	/* kdiff_limited.c's */
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

/* A changed set needs another index and another filter. */
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

/* Use the kernels of another instruction set that this CPU has: for tests. */
void kdiff_set_isa(struct kdiff_set *set, enum isa isa);

/* Room for n bytes in *p, contents lost; aligned to 64.  0 or ERR_NOMEM. */
int kdiff_room(uint8_t **p, size_t *cap, size_t n, struct err *e);

/* Room for more hits.  0 or ERR_NOMEM. */
int kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e);

/* What kdiff_set_add() would say: 0 or ERR_USAGE. */
int kdiff_pattern_check(const struct kdiff_set *set, const uint8_t *letters,
			size_t m, size_t k, struct err *e);

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

#endif
