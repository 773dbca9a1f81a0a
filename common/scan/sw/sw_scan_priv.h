/* SPDX-License-Identifier: MIT */
/* sw_scan_priv.h - shared by the files of sw_scan, private to them */
#ifndef SEQF_SCAN_SW_SW_SCAN_PRIV_H
#define SEQF_SCAN_SW_SW_SCAN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/scan.h"
#include "scan/sw/sw_scan.h"
#include "sw/sw.h"

/*
 * Letters of a text to codes of a scoring (sw_codes_kern.c)
 *
 * Both write whole vectors: up to 63 bytes behind d's n codes are spoilt.
 */

enum { SW_CODE_OTHER = 4 };	/* DNA: no letter of A C G T, which are 0-3 */

struct sw_codes_ops {
	/* DNA: n letters from place beg of bit planes (dna.h); exc: a bit for
	 * each that is no A C G T, or NULL. */
	void (*planes)(uint8_t *d, const uint64_t *planes, const uint64_t *exc,
		       size_t beg, size_t n);
	/*
	 * code[] of n letters; it is below 64, or 255 for what is no letter.
	 * Returns whether there was such a one; bytes from 128 on are.
	 */
	bool (*bytes)(uint8_t *d, const uint8_t *s, size_t n,
		      const uint8_t code[256]);
};

extern const struct sw_codes_ops sw_codes_ops_scalar, sw_codes_ops_avx2,
	sw_codes_ops_avx512;

/* Shared by the files of sw_scan, private to them. */

struct sw_pattern {
	uint32_t query;		/* ordinal */
	bool minus;
	struct sw_query *q;
};

struct sw_scan {
	struct sw_options o;	/* nothing left to default */
	const struct queries *q;
	struct sw_letters by;	/* scores, and letters to codes */
	/* What is aligned by: scores are those of `by` divided by unit. */
	struct sw_scoring scoring;
	int64_t unit;
	struct sw_scheme *scheme;
	struct sw_pattern *pattern;	/* by query, then + before - */
	size_t n_patterns;
	uint64_t context;	/* the largest of all */
	struct scan_key key;
	struct buf text;
	const struct sw_codes_ops *codes;
	struct cuda_sw *gpu;	/* sw_gpu.h; or NULL */
	bool gpu_required;		/* to use it: no other choice */
	struct sw_backend backend;	/* the same for threads */
	uint64_t part;		/* columns of each, where not 0: for tests */
};

/* The pattern's letters as they are aligned; room for all. */
void sw_pattern_codes(const struct sw_scan *s, const struct sw_pattern *p,
		      uint8_t *code);

/* A segment of the text, and where its letters come from. */
struct sw_place {
	const struct window_seg *from;
	uint64_t origin;	/* position in the sequence of column beg,
				   modulo 2^64: padding may come first */
};

/* The letters of a window as the algorithm takes them; reused. */
struct sw_columns {
	struct buf codes;
	struct sw_seg *seg;
	struct sw_place *place;
	size_t n_seg, cap;
	uint64_t n;
};
/* ERR_FORMAT for a letter that the scoring does not know. */
int sw_columns_of(struct sw_columns *l, const struct sw_scan *s,
		  const struct window *w, struct err *e);
void sw_columns_free(struct sw_columns *l);

/* What is best of a whole stream so far. */
struct sw_kept;
int sw_kept_new(struct sw_kept **k, const struct sw_scan *s, struct err *e);
void sw_kept_free(struct sw_kept *k);
/* Chunks in order, by one thread at a time; one that comes again is ignored. */
int sw_kept_add(struct sw_kept *k, const struct rec_frame *f,
		const struct buf *rows, struct err *e);
int sw_kept_finish(struct sw_kept *k, whole_put_fn *put, void *ctx,
		   struct err *e);

/* Patterns [from, to), cells of columns [beg, end). */
struct sw_part {
	size_t from, to;
	uint64_t beg, end;
};

/* A chunk to be searched, whole or by several threads in parts. */
struct sw_cut {			/* zero it first; reused */
	const struct sw_scan *s;
	struct scan_chunk v;
	struct window w;
	struct sw_columns l;
	unsigned n_parts;
	/*
	 * Not 0: so many parts lead, and share the rows of their patterns with
	 * the others, which have none.
	 */
	unsigned leaders;
	struct sw_part part[PUMP_MAX_PARTS];
	struct buf rows[PUMP_MAX_PARTS];	/* not joined yet */
	/*
	 * It was put off, and is not cut into stretches of columns: of each
	 * pattern what a GPU has computed of all of them.
	 */
	bool off;
	struct sw_known *known;
	struct sw_seg *seg;	/* of a text */
	size_t seg_cap;
};
/*
 * Parts for so many threads.  few: there may be nothing else for some of them,
 * so a part may cost more than it should; plenty: there is, for all.
 */
void sw_plan(struct sw_cut *c, unsigned team, bool few, bool plenty);
/* Of all columns and patterns. */
struct sw_part sw_plan_whole(const struct sw_cut *c);

/* How far a scan is; of: cells of chunks that were begun, if it is watched. */
struct sw_progress {
	struct sw_meter meter;
	uint64_t of;
};
/* The chunk's parts are begun. */
void sw_cut_begin(struct sw_cut *c, struct sw_progress *p);

/* Working memory of one thread. */
struct sw_thread {
	const struct sw_scan *s;
	struct sw_progress *progress;	/* or NULL */
	const struct sw_kept *kept;
	struct sw_work *work;
	struct sw_hits hits;
	struct sw_seg *seg;	/* of a part's text */
	size_t seg_cap;
	struct sw_disjoint d;
	struct buf ops, letters, row, query;
	struct sw_cut own;	/* sw_thread_chunk()'s */
	uint64_t n_letters;	/* owned by all chunks so far */
};
int sw_thread_new(struct sw_thread **t, const struct sw_scan *s,
		  const struct sw_kept *k, struct err *e);
void sw_thread_free(struct sw_thread *t);
/* Rows of a CHUNK frame, for sw_kept_add(), are appended to out. */
int sw_thread_chunk(struct sw_thread *t, const struct rec_frame *f,
		    struct rec_frame *const *before, size_t n_before,
		    struct buf *out, struct err *e);
/* Those of a part, which crew may help with; NULL: nobody. */
int sw_thread_part(struct sw_thread *t, const struct sw_cut *c,
		   const struct sw_part *p, struct crew *crew,
		   struct buf *out, struct err *e);

/* Open a chunk: it is one part, until sw_plan() makes more of it. */
int sw_cut_open(struct sw_cut *c, struct sw_thread *t,
		const struct rec_frame *f, struct rec_frame *const *before,
		size_t n_before, struct err *e);
void sw_cut_close(struct sw_cut *c);	/* once more does no harm */
void sw_cut_free(struct sw_cut *c);
/*
 * The part's columns with `context` before them, as a text that begins at
 * column *base; without segments if it owns none.  Its segments are *seg.
 */
int sw_cut_text(const struct sw_cut *c, const struct sw_part *p,
		uint64_t context, struct sw_seg **seg, size_t *cap,
		struct sw_text *x, uint64_t *base, struct err *e);
int sw_cut_put_off(struct sw_cut *c, struct err *e);
/* Chunks that were put off, n > 0. */
void sw_cut_gather(struct sw_cut **c, size_t n);

/* The threads of a scan, and the chunks that they share. */
struct sw_team;
/* Threads of a team for so many of -t's: one more where a GPU is to
 * search, as a thread waits for it, or for what is read. */
unsigned sw_team_threads(const struct sw_scan *s, unsigned threads);
int sw_team_new(struct sw_team **m, const struct sw_scan *s,
		const struct sw_kept *k, unsigned threads, struct err *e);
void sw_team_free(struct sw_team *m);
uint64_t sw_team_letters(const struct sw_team *m);	/* searched by all */
/* scan_run.h says what they are. */
void sw_team_watch(struct sw_team *m, void (*tick)(void *), void *tick_ctx);
struct scan_cells sw_team_cells(const struct sw_team *m);
/* What the pump asks for (pump.h): rows for sw_kept_add() in job->out. */
int sw_team_work(struct sw_team *m, unsigned thread, struct pump_job *job,
		 struct err *e);
int sw_team_part(struct sw_team *m, unsigned thread, struct pump_job *job,
		 unsigned part, struct err *e);
int sw_team_join(struct sw_team *m, struct pump_job *job, unsigned part,
		 struct err *e);
/* Of chunks that work() puts off for a GPU, for the pump: by call(), which
 * comes to sw_team_gather(); all 0 without one, or where m is NULL. */
struct pump_gather sw_team_gathers(const struct sw_team *m,
				   pump_gather_fn *call);
void sw_team_gather(struct pump_job **job, unsigned n);

#endif
