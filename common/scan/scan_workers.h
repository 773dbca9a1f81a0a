/* SPDX-License-Identifier: MIT */
/*
 * scan_workers.h - the threads of a scan, and the chunks that they search
 *
 * An algorithm fills a struct scan_search; chunks, parts of a chunk, batches of
 * chunks for a GPU and the memory of all are handled here.
 */
#ifndef SEQF_SCAN_SCAN_WORKERS_H
#define SEQF_SCAN_SCAN_WORKERS_H

#include "cuda/pool.h"
#include "flow/flow.h"
#include "rec/rec.h"

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
	/* Before its parts are searched: cut, or not, as pump.h says. */
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

#endif
