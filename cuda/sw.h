/* SPDX-License-Identifier: MIT */
/*
 * sw.h - the largest H of every block of a text, found by GPUs
 *
 * The first step of a search by sw/sw.h, for DNA.  The CPU does the others
 * (cells, their starts, CIGARs); the source paper's kernel finds the best
 * cells, too.  Plain C, no CUDA type.
 */
#ifndef SEQF_CUDA_SW_H
#define SEQF_CUDA_SW_H

#include "sw/sw.h"
#include "cuda/sw_dev.h"
#include "cuda/pool.h"

/* The source paper's, of cells only: chunks overlap by an alignment's greatest
 * length; or, modified, by min(n, m/100) of n rows and m columns. */
enum cuda_sw_kernel {
	CUDA_SW_FAST, CUDA_SW_PAPER, CUDA_SW_MODIFIED
};

struct cuda_sw_params {
	struct cuda_choice choice;
	enum cuda_sw_kernel kernel;
	const char *none;	/* why there is nothing to do; or NULL */
	/* CUDA_AUTO: cells before a device is opened; that the CPU's threads do
	 * a second, 0: not known. */
	uint64_t wait, rate;
	/*
	 * Bytes of a stream on the device; columns that a piece owns, and
	 * (CUDA_SW_FAST) that it is begun before; rows of a sweep (the
	 * source paper's); 0: what is usual.  For tests.
	 */
	size_t bytes;
	uint32_t own, lead, sweep;
};

/*
 * With CUDA_THESE the devices are opened now: ERR_DEVICE if one cannot be, or
 * has too little memory.  ERR_NOMEM.
 */
int cuda_sw_new(struct cuda_pool **g, const struct cuda_sw_params *p,
		struct err *e);

/* Can they search with these scores?  Of five letters, the last one alike, and
 * not above 0: rows that no letter matches have no other score of it. */
bool cuda_sw_scoring(const struct sw_scoring *s);

/*
 * struct sw_backend's function; ctx is the struct cuda_pool.  Not for now: the
 * device is not open (yet), has failed, or the query is not one for it.  Any
 * thread; one that finds all streams busy waits.
 */
int cuda_sw_find(void *ctx, const struct sw_view *q,
		 const struct sw_text *t, int32_t *top, int64_t *least,
		 struct err *e);

/* One of several texts that one behind the other are one. */
struct cuda_sw_text {
	uint64_t end;		/* its columns are those before, from the end
				   of the text before on */
	int64_t least;		/* of q->cells of its cells; 0: not known */
};
/*
 * The same of n texts, whose ends are given, side by side.  If it is not for
 * now nothing is learned of that: fewer of them may be.
 */
int cuda_sw_gathered(struct cuda_pool *g, const struct sw_view *q,
		     const struct sw_text *t, struct cuda_sw_text *each,
		     size_t n, int32_t *top, struct err *e);
/* Is a device open, and does it compute scores of several texts as one?  Of
 * this query, or (NULL) of any.  Any thread. */
bool cuda_sw_gathers(struct cuda_pool *g, const struct sw_view *q);

/* How a text is cut, and what came of it. */
struct cuda_sw_cut {
	uint32_t own, lead;	/* of a piece; multiples of SW_DEV_BLOCK */
	uint32_t sweep;		/* rows of one at most, a multiple of
				   SW_DEV_LANES (SW_DEV_PAPER) */
	uint32_t fill;		/* pieces that fill the device; 0: any do */
	uint64_t pieces, again;
	uint64_t fills;		/* times that it was filled, or begun to be */
};
/* The best cells of a text, or of each of several that make one. */
struct cuda_sw_best {
	uint64_t end;		/* columns up to the text's last one */
	struct sw_hits cells;	/* empty at first; begins are not known */
};
/*
 * One text by one stream.  With SW_DEV_PAPER the q->cells best cells of each of
 * texts that it consists of are put to best, whose last end is t->n; otherwise
 * best may be NULL.
 * 1: too many pieces do not agree, or the query is too long for the stream's
 * memory.  ERR_DEVICE, ERR_NOMEM (the host's).
 */
int cuda_sw_one(struct sw_dev_stream *s, const struct sw_view *q,
		const struct sw_text *t, struct cuda_sw_cut *c, int32_t *top,
		struct cuda_sw_best *best, struct err *e);

#endif
