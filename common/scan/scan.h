/* SPDX-License-Identifier: MIT */
/*
 * scan.h - what other folders may use of scan/: a run, its workers, and where
 * their frames go
 */
#ifndef SEQF_SCAN_SCAN_H
#define SEQF_SCAN_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "collect/collect.h"
#include "cuda/pool.h"
#include "flow/flow.h"
#include "output/output.h"
#include "rec/rec.h"

/*
 * Results of a whole stream: what was covered, and the rows that
 * come in one go at its end
 *
 * Not thread-safe.
 */

struct whole_run {
	struct run_key key;
	struct buf names;	/* the key's own copy */
	struct range *range;
	size_t n, cap;
	uint64_t *seen;		/* what came, as hashes; slots, 0: empty */
	size_t n_slots, n_seen;
};
struct whole {		/* zero it first */
	struct whole_run *run;	/* in the order in which they came */
	size_t n_runs, cap_runs;
	struct index by_id;	/* numbers + 1 of them */
};
void whole_free(struct whole *w);

/*
 * A CHUNK frame was searched: *run becomes the index of its run; *again: its
 * serial was covered before, and its rows must not count.  If it had other
 * letters then, what is covered is spoilt (rec.h): the last stage refuses it.
 */
int whole_cover(struct whole *w, const struct rec_frame *f, uint32_t *run,
		bool *again, struct err *e);
/* A run without any chunk: *run becomes its index. */
int whole_meet(struct whole *w, const struct run_key *k, uint32_t *run,
	       struct err *e);

/* A row to be sorted (base.h); hit_put()'s bytes and zeros behind it. */
struct whole_row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t n;		/* bytes behind it */
	uint64_t ordinal, send, sbeg, qbeg, qend;
	int64_t score;
	uint64_t minus;
	uint32_t run, query;
};
/* b becomes the row; ERR_NOMEM, ERR_LIMIT (4 GiB). */
int whole_row(struct buf *b, uint32_t run, const struct hit *h, int64_t score,
	      struct str bytes, struct err *e);

/*
 * HITS frames of all runs, with all that they cover.  next() hands out the
 * rows, by run: 1 the next one of this run, 0 none (of this run), or an error.
 */
typedef int whole_next_fn(void *ctx, uint32_t run, struct hit *h,
			  struct err *e);
typedef int whole_put_fn(void *ctx, const struct buf *frames, struct err *e);
struct whole_ops {
	whole_next_fn *next;
	void *next_ctx;
	whole_put_fn *put;
	void *put_ctx;
};

/*
 * The rows with the best scores of each query, over a whole stream
 *
 * Either the best n, chosen as merge-topk does, or all with the best score.
 * Beside the rows stands a lower bound of the scores that count, which threads
 * raise as soon as they know better, so that little else is traced or kept.
 */

struct scan_best_params {
	const struct scan_key *key;
	size_t n_queries;
	uint64_t n;		/* of each query; 0: all with the best score */
	int64_t unit;		/* scores are counted in units of it */
	int64_t floor;		/* least score that counts, in units */
};

struct scan_best;
int scan_best_new(struct scan_best **b, const struct scan_best_params *p,
		  struct err *e);
void scan_best_free(struct scan_best *b);	/* may be NULL */

/*
 * No row of the query with a lower score, in units, can be among the best.  It
 * rises, by atomic stores: any thread may load it, at any time.
 */
const int64_t *scan_best_bound(const struct scan_best *b, uint32_t query);
/* To a score that as many rows as are wanted will have; by any thread. */
void scan_best_raise(const struct scan_best *b, uint32_t query, int64_t score);

/*
 * A chunk's rows.  fresh: no chunk before it can have reported the row's class
 * (collect.h), so it counts as one of n that are as good.
 */
void scan_best_put(struct buf *rows, bool fresh, const struct hit *h,
		   struct buf *scratch);
struct scan_best_row {
	struct hit h;
	bool fresh;
	struct str bytes;	/* of h: hit_put()'s */
};
/* The next of such rows; ops: memory of its CIGAR.  ERR_NOMEM. */
int scan_best_get(struct cur *rows, struct scan_best_row *r, struct buf *ops,
		  struct err *e);

/*
 * Of every chunk, in order, by one thread at a time; a chunk that comes again
 * is ignored.  In the end the HITS frames with all ranges covered, run by run
 * in the order in which they came.  Rows that do not fit into memory are in
 * $TMPDIR meanwhile.
 */
int scan_best_add(struct scan_best *b, const struct rec_frame *f,
		  const struct buf *rows, struct err *e);
int scan_best_finish(struct scan_best *b, whole_put_fn *put, void *ctx,
		     struct err *e);

/*
 * Where a scanner's frames go: a record stream, or text that is judged
 *
 * FORMAT_REC: BEGIN, SEQ, END, result frames and unknown optional frames pass
 * in order; CHUNK frames end here.  Any other format: the ledger sees every
 * frame and the printer every row, in the order of the input, not of arrival;
 * tallies are added up.
 */

typedef int sink_hit_fn(void *ctx, const struct run_key *run,
			const struct scan_key *scan, const struct hit *h,
			struct err *e);

struct sink_params {
	enum format format;
	bool header, letters;	/* as in struct printer_params */
	const char *prog;
	const struct queries *queries;	/* for text that shows them */
	/* As in struct printer_params; tables: TABLE_*, what may come. */
	const char *columns;
	const struct queries *files;
	unsigned tables;
	bool colour;
	struct topk_params best;	/* of text: if it chooses rows, and of
				   FORMAT_BED and FORMAT_BLAST6, they come as
				   merge-topk writes them, else in order of the
				   input */
	uint64_t slack;		/* of text: how far rows may be out of order;
				   0: they are not (collect.h) */
	uint64_t longest;	/* letters that a row spans at most; 0: it is
				   not known */
	bool array;		/* these as in struct printer_params */
	void (*note)(int level, const char *fmt, ...);
	uint64_t nearest;	/* of text: distances of each; 0: all */
	void (*progress)(uint64_t done, uint64_t of);	/* of their rows */
	/*
	 * Finds sites of primers, which are final (primers_set_sites()), if the
	 * stream was whole; if part of it is not there, sink_finish() is
	 * ERR_USAGE.  Or NULL.
	 */
	int (*sites)(void *ctx, struct primers *p, struct err *e);
	void *sites_ctx;
	/* Instead of printing them: takes the hits, in order of the input;
	   the format is text, and without header.  Or NULL. */
	sink_hit_fn *hit;
	void *hit_ctx;
	/* Instead of printing them: takes the primers, if the stream was whole;
	   the format is text, without header.  Or NULL. */
	int (*take)(void *ctx, struct primers *p, struct err *e);
	void *take_ctx;
	bool primers;	/* no table of primers unless the stream is whole */
	/* Gives distances other names; or NULL. */
	void (*rename)(void *ctx, struct dist *d);
	void *rename_ctx;
	bool dists;		/* a table without rows is one of distances */
};

struct sink;
int sink_new(struct sink **s, const struct sink_params *p, struct out *o,
	     struct err *e);
void sink_free(struct sink *s);

/* What sink_frame() may return beside 0 and errors. */
enum { SINK_WARN = 1 };	/* the frame is malformed: e says how; go on */
/* A frame that came in. */
int sink_frame(struct sink *s, const struct rec_frame *f, struct err *e);
/* BEGIN of a scan, for every run before its first result; again is harmless. */
int sink_begin(struct sink *s, const struct run_key *run,
	       const struct scan_key *scan, struct str text, struct err *e);
/* A stream of which nothing came: in records, a run that is never ended. */
int sink_dead(struct sink *s, const struct run_key *run,
	      const struct scan_key *scan, struct str text, struct err *e);
/* Frames that were made, as bytes; the same as sink_frame() for each. */
int sink_bytes(struct sink *s, const struct buf *frames, struct err *e);
/* False: rows can be no text yet (output.h). */
bool sink_prints(const struct sink *s, struct rows_print *how);
/* Rows of a chunk, behind its frames. */
int sink_rows(struct sink *s, uint64_t run, const struct buf *rows,
	      struct err *e);
/* Something was damaged: REC_DAMAGE. */
void sink_damage(struct sink *s);

/* No more frames: everything goes out. */
int sink_finish(struct sink *s, struct err *e);
/*
 * Are the results complete?  0, or ERR_INCOMPLETE with one line of reason;
 * call again for more until 0.  In a record stream only damage counts.
 */
int sink_verdict(struct sink *s, struct err *e);
/* Queries that have best.n rows; they may have had more. */
uint64_t sink_full(const struct sink *s);
/* Rows that were made; 0 with best.n, of which some are never made. */
uint64_t sink_hits(const struct sink *s);
uint64_t sink_copies(const struct sink *s);	/* frames that came twice */
/* As ledger_length(), of text. */
uint64_t sink_length(const struct sink *s, uint64_t run, uint64_t ordinal);
bool sink_any(const struct sink *s);		/* some frame came */

/* What so many threads do a second, by what one with AVX-512 does that has a
 * processor of its own: a GPU that -g auto takes should do more. */
static inline uint64_t
scan_cpu_rate(unsigned threads, uint64_t one)
{
	unsigned most = port_processors();

	return (threads < most ? threads : most) * one / 64 *
	       isa_bytes(cpu_isa());
}

/* Texts of several chunks, searched by a GPU as one. */

/* n texts, from number `from` on, as one; false: that cannot be done. */
typedef bool scan_batch_fn(void *ctx, size_t from, size_t n);
/*
 * In one transfer and one launch where the device's memory is large enough.
 * Where texts have too much together, halves of them.  What cannot be done,
 * for whatever reason, is not.
 */
static inline void
scan_gpu_batch(scan_batch_fn *search, void *ctx, size_t from, size_t n)
{
	if (n == 0 || search(ctx, from, n) || n == 1)
		return;
	scan_gpu_batch(search, ctx, from, n / 2);
	scan_gpu_batch(search, ctx, from + n / 2, n - n / 2);
}

/*
 * The threads of a scan, and the chunks that they search
 *
 * An algorithm fills a struct scan_search; chunks, parts of a chunk, batches of
 * chunks for a GPU and the memory of all are handled here.
 */

/* A chunk to be scanned, with those before it, viewed. */
struct scan_chunk {
	struct chunk c, *before;	/* before: the nearest first */
	size_t n_before;
};
/* The frames must outlive it.  ERR_FORMAT, ERR_NOMEM. */
int scan_chunk_view(struct scan_chunk *v, const struct rec_frame *f,
		    struct rec_frame *const *before, size_t n, struct err *e);
/* Does it hold a row of a circular sequence? */
bool scan_chunk_is_circular(const struct scan_chunk *v);
/* ERR_USAGE if it does: who (sw-scan) cannot search it. */
int scan_chunk_refuse_circular(const struct scan_chunk *v, const char *who,
			       struct err *e);
/* Once more does no harm. */
void scan_chunk_free(struct scan_chunk *v);

/*
 * A chunk on its way to rows, by one thread, or in parts by several.  An
 * algorithm's own struct begins with it, and is zeroed at first.
 */
struct scan_job {
	void *ctx;		/* of the workers */
	struct scan_chunk v;
	struct window w;	/* its memory is kept for the next chunk */
	unsigned n_parts;	/* 1 until it is cut */
	uint64_t weight;	/* of one that is postponed, else 0 */
	/* Of a part until it is joined; keep_rows: until all are. */
	struct buf rows[PUMP_MAX_PARTS];
	bool keep_rows;
};

/* A thread's working memory.  An algorithm's own struct begins with it. */
struct scan_worker {
	void *ctx;
	uint64_t n_letters;	/* owned by all chunks so far */
	struct buf ops, letters, row;	/* of one row */
};

/* How an algorithm searches a chunk; what is said to be optional may be
 * NULL. */
struct scan_search {
	size_t job_size, worker_size;
	int (*worker_new)(struct scan_worker *w, struct err *e);
	void (*worker_free)(struct scan_worker *w);	/* even half made */
	/* The chunk is viewed: its text is laid out, its result begun. */
	int (*open)(struct scan_job *j, struct err *e);
	void (*close)(struct scan_job *j);	/* once more does no harm */
	void (*job_free)(struct scan_job *j);	/* closed already */
	/* Before its parts are searched: cut, or not, as flow.h says. */
	int (*plan)(struct scan_job *j, const struct pump_job *pump,
		    struct err *e);
	/* Rows of a part are appended to out.  next: all before it are joined,
	 * nobody else writes to out and to the job's result meanwhile. */
	int (*part)(struct scan_job *j, struct scan_worker *w, unsigned part,
		    bool next, struct buf *out, struct err *e);
	/* Optional: the rows of a part were appended to out, in order. */
	int (*join)(struct scan_job *j, unsigned part, struct buf *out,
		    struct err *e);
	/*
	 * Optional: gets an opened job ready for a batch, which a GPU searches
	 * as one; its weight stays 0 if there is nothing to search.
	 */
	int (*postpone)(struct scan_job *j, struct err *e);
	void (*batch)(struct scan_job **j, unsigned n);
};

/*
 * Open a job for a search by one thread or more.  Then each part is searched,
 * and joined in order.  The frames must outlive it.  ERR_FORMAT, ERR_NOMEM.
 */
int scan_job_open(const struct scan_search *s, struct scan_job *j,
		  struct scan_worker *w, const struct pump_job *pump,
		  struct err *e);
int scan_job_part(const struct scan_search *s, struct scan_job *j,
		  struct scan_worker *w, unsigned part, bool next,
		  struct buf *out, struct err *e);
int scan_job_join(const struct scan_search *s, struct scan_job *j,
		  unsigned part, struct buf *out, struct err *e);
void scan_job_close(const struct scan_search *s, struct scan_job *j);

/* For --with-seq: letters [beg, end) of the window, as in the input, are put
 * into w->letters, and h points to them. */
int scan_job_letters(const struct scan_job *j, struct scan_worker *w,
		     const struct window_seg *g, uint64_t beg, uint64_t end,
		     struct hit *h, struct err *e);

struct scan_workers {
	const struct scan_search *s;
	void *ctx;		/* of jobs and workers */
	struct cuda_pool *gpu;	/* for batches; or NULL */
	struct pump_batch batch;	/* for the pump; all 0 without a GPU */
	unsigned n, n_jobs;
	struct scan_worker **worker;
	/* For all that the pump has in flight; NULL: not needed so far. */
	struct scan_job **job;
	bool *taken;		/* of them */
};

/*
 * ctx is for the jobs and workers.  One thread more where a GPU is named, and
 * so open by now: a thread waits for it, or for what is read.
 */
int scan_workers_new(struct scan_workers **m, const struct scan_search *s,
		     void *ctx, struct cuda_pool *gpu, unsigned threads,
		     struct err *e);
void scan_workers_free(struct scan_workers *m);
uint64_t scan_workers_letters(const struct scan_workers *m);

/* For pump_ops; ctx points to a pointer to the workers. */
int scan_workers_work(void *ctx, unsigned thread, struct pump_job *pump,
		      struct err *e);
int scan_workers_part(void *ctx, unsigned thread, struct pump_job *pump,
		      unsigned part, bool next, struct err *e);
int scan_workers_join(void *ctx, struct pump_job *pump, unsigned part,
		      struct err *e);

/* Frames that were put into memory, one by one. */

typedef int frames_fn(void *ctx, struct rec_frame *f, struct err *e);

/*
 * fn(ctx) of each frame in b, in order, until one fails.  They were made here:
 * that one is damaged is an error, ERR_FORMAT.
 */
int frames_each(const struct buf *b, frames_fn *fn, void *ctx, struct err *e);

/* A scan over all operands, from the feed to the sink. */

/* How far a scan is in the chunks that it has begun, in cells, or in starts of
 * primers. */
struct scan_cells {
	bool starts;
	uint64_t done, of;
	uint64_t left_out;	/* of those done: not computed */
};

/* What is done with chunks, and by what name. */
struct scan_ops {
	const struct scan_key *key;
	struct str text;		/* of BEGIN */
	uint64_t context;		/* letters before what a chunk owns */
	uint64_t cut;			/* context of those cut here, if more */
	uint64_t own;			/* letters of a chunk cut here; 0: as
					   ever */
	bool groups;			/* rows are not of sequences, which may
					   have equal names */
	uint64_t shortest;		/* letters of a sequence in which some
					   query can be; 0: of any */
	/*
	 * Any thread, in any order: out gets the frames of the chunk's
	 * receipt, or what keep() takes.
	 */
	int (*chunk)(void *ctx, unsigned thread, const struct rec_frame *f,
		     struct rec_frame *const *before, size_t n_before,
		     struct buf *out, struct err *e);
	/*
	 * Or, instead of chunk(), as flow.h says: for every frame, and chunks
	 * may be cut into parts.
	 */
	int (*work)(void *ctx, unsigned thread, struct pump_job *job,
		    struct err *e);
	int (*part)(void *ctx, unsigned thread, struct pump_job *job,
		    unsigned part, bool next, struct err *e);
	int (*join)(void *ctx, struct pump_job *job, unsigned part,
		    struct err *e);
	/* Or these; ctx is not for them. */
	struct scan_workers *workers;
	/* Of results of a whole stream: chunks in order, and all frames. */
	int (*keep)(void *ctx, const struct rec_frame *f,
		    const struct buf *out, struct err *e);
	/* Each END, if it is well-formed; may be NULL. */
	int (*end)(void *ctx, const struct run_end *end, struct err *e);
	int (*finish)(void *ctx, whole_put_fn *put, void *put_ctx,
		      struct err *e);
	/* Every frame in order, before keep(); NULL: something was damaged.
	 * May be NULL. */
	int (*see)(void *ctx, const struct rec_frame *f, struct err *e);
	/*
	 * cells() may be asked at any time from watch() on, which begins to
	 * call tick(tick_ctx), by any thread, now and then.  May be NULL.
	 */
	void (*watch)(void *ctx, void (*tick)(void *), void *tick_ctx);
	struct scan_cells (*cells)(void *ctx);
	void *ctx;
};

struct scan_run {
	struct sink *sink;
	char **operand;			/* files; none: stdin */
	size_t n_operands;
	struct feed_look *look;		/* what they hold; or NULL */
	const struct opt_list *regions;	/* of FASTA operands; or NULL */
	const char *circular;		/* of them (flow.h); or NULL */
	bool digits;			/* of them are letters (input.h) */
	bool protein;			/* is meant: DNA is noted */
	bool primers;			/* the queries are -p's, not -q's */
	bool joins;			/* results: they may come alone */
	unsigned threads;
	/* Each frame that comes in, in order; may refuse it.  Or NULL. */
	int (*see)(void *ctx, const struct rec_frame *f, struct err *e);
	void *see_ctx;
	/* What was damaged or is odd, and how far it is; by one thread. */
	void (*note)(const char *text);
	void (*progress)(struct feed_place at);	/* or NULL */
	/* The same of chunks that take long; by any thread, even beside the
	 * others.  Or NULL. */
	void (*cells)(struct feed_place at, const struct scan_cells *c);
};

/* Letters that the operands may hold, by the sizes of their files; 0: not
 * known. */
uint64_t scan_letters(const struct scan_run *r);

/* Say it where no query can be found in the longest sequence. */
void scan_note_short(uint64_t longest, uint64_t shortest, bool primers,
		     void (*say)(const char *text));

/*
 * Search everything and finish the sink; the verdict is the caller's to ask
 * for.  Errors of the feed, of the ops and of the sink.
 */
int scan_run(const struct scan_run *r, const struct scan_ops *ops,
	     struct err *e);

/* All that other folders may use of scan/. */

#endif
