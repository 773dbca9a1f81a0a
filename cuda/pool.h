/* SPDX-License-Identifier: MIT */
/*
 * pool.h - streams of GPUs: opened when that is worth it, lent to threads, and
 * given up when they fail; plain C, no CUDA type
 *
 * Usually two streams a device: one copies while the other computes.  Each
 * algorithm makes a pool of its own (cuda_kdiff_new() and the like), which
 * holds the algorithm's state and defines what a stream is, with its memory on
 * both sides.  When it is opened and given up, why there is none, what was done
 * and its end are the same for all, and here: a scanner holds a pool, passes it
 * to the algorithm's functions, and ends by cuda_pool_report() and _free().
 */
#ifndef SEQF_CUDA_POOL_H
#define SEQF_CUDA_POOL_H

#include "cuda/device.h"

struct cuda_pool;

enum { CUDA_MAX_STREAMS = 16 };
struct cuda_report {
	uint64_t letters;	/* done by devices, all together */
	unsigned devices;	/* that were opened */
	char first[256];	/* the first one's name */
	char why_not[1000];	/* why none, or none any more; or empty */
	char failed[1000];	/* what failed although it was open; or empty */
	/* Of sw: pieces searched, of these again, and texts left to the CPU. */
	uint64_t pieces, again, left;
};

struct cuda_pool_params {
	struct cuda_choice choice;
	/* CUDA_AUTO: no device is woken up before so much work was there: what
	 * follows should be worth the time that it takes. */
	uint64_t wait;
	/* CUDA_AUTO: operations a second that a device must do to be faster
	 * than the CPU; of one without maxima of three so many.  0: any. */
	uint64_t ops, ops_without;
	/*
	 * A stream of a device.  ERR_NOMEM: not so much memory; it is tried
	 * again with half of it, up to so many times.  ERR_DEVICE.
	 */
	int (*open)(const void *ctx, const struct cuda_device *d,
		    unsigned halved, void **stream, struct err *e);
	unsigned halvings;
	unsigned streams;	/* a device, to CUDA_MAX_STREAMS; 0: 2 */
	void (*close)(void *stream);
	/* Letters that fill a stream; may be NULL.  `usual` until one is
	 * open. */
	uint64_t (*fill)(const void *stream);
	uint64_t usual;
	/* Adds what the algorithm has counted; may be NULL. */
	void (*report)(const void *ctx, struct cuda_report *r);
	const void *ctx;	/* the algorithm's state at first: copied */
	size_t ctx_bytes;
	const char *none;	/* why there is nothing to do; or NULL */
};

/*
 * With CUDA_THESE the devices are opened now: ERR_DEVICE if one cannot be, or
 * has too little memory.  ERR_NOMEM.
 */
int cuda_pool_new(struct cuda_pool **p, const struct cuda_pool_params *par,
		  struct err *e);
void cuda_pool_free(struct cuda_pool *p);	/* may be NULL */
void *cuda_pool_ctx(struct cuda_pool *p);

/* A stream that is lent. */
struct cuda_lent {
	void *stream;
	unsigned slot;		/* the pool's */
};
/*
 * So much work is there: true, and a stream; a thread that finds all of them
 * lent waits.  False: no device is open (yet), or all have failed.  Any thread.
 */
bool cuda_pool_borrow(struct cuda_pool *p, uint64_t work, struct cuda_lent *l);
/* The same; with the same number the same stream, if it is free. */
bool cuda_pool_borrow_near(struct cuda_pool *p, uint64_t work, unsigned number,
			   struct cuda_lent *l);
/*
 * Back, with what came of it: with ERR_DEVICE, e says why, no stream of that
 * device is lent any more; with ERR_NOMEM it is reported, too, but the next
 * job may fit; with 0, so much was done.
 */
void cuda_pool_return(struct cuda_pool *p, const struct cuda_lent *l, int rc,
		      uint64_t done, const struct err *e);
/* Is a device open, and has not failed?  Any thread. */
bool cuda_pool_is_open(struct cuda_pool *p);
/* Is it open because its devices were named?  May be NULL. */
bool cuda_pool_is_named(struct cuda_pool *p);
/* Streams there are, or will be where none is open yet; 0 where none can. */
unsigned cuda_pool_streams(struct cuda_pool *p);
/* Letters that fill each of them. */
uint64_t cuda_pool_fill(struct cuda_pool *p);
/* Nothing is lent any more, for this reason. */
void cuda_pool_stop(struct cuda_pool *p, const char *why);

/* When no thread is at work. */
void cuda_pool_report(const struct cuda_pool *p, struct cuda_report *r);

#endif
