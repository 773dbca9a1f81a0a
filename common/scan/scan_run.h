/* SPDX-License-Identifier: MIT */
/* scan_run.h - a scan over all operands, from the feed to the sink */
#ifndef SEQF_SCAN_SCAN_RUN_H
#define SEQF_SCAN_SCAN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/pool.h"
#include "flow/flow.h"
#include "rec/rec.h"
#include "scan/sink.h"
#include "scan/whole.h"

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
	struct cuda_pool *gpu;	/* for batches; or NULL */
	struct pump_batch batch;	/* for the pump; all 0 without a GPU */
	unsigned n, n_jobs;
	struct scan_worker **worker;
	struct scan_job **job;	/* for all that the pump has in flight */
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
	bool digits;			/* of them are letters (fasta.h) */
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

#endif
