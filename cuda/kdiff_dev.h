/* SPDX-License-Identifier: MIT */
/*
 * kdiff_dev.h - the device's side of kdiff.h: a stream of a GPU with its memory
 *
 * A piece of text is put into pinned memory, as letters in planes and as the
 * stretches whose ends are wanted, and every pattern passes over every stretch.
 * One thread at a time a stream.
 */
#ifndef SEQF_CUDA_KDIFF_DEV_H
#define SEQF_CUDA_KDIFF_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/device.h"

enum {
	KDIFF_DEV_NARROW = 32,	/* letters of a pattern in one register */
	KDIFF_DEV_WIDE = 64,		/* in two: of any pattern */
	KDIFF_DEV_MAX_NUMBER = (1 << 24) - 1,
	/*
	 * Letters before the first end wanted, at least, unless a segment
	 * begins later: m + k < 2 m of them decide where D <= k, and 2 m is at
	 * most twice a pattern's bits.
	 */
	KDIFF_DEV_LEAD = 2 * KDIFF_DEV_WIDE,
};

/* Bit i of eq[x]: the i-th letter matches A, C, G, T for x = 0..3. */
struct kdiff_dev_pattern {
	uint64_t eq[4];
	uint32_t m, k;		/* m <= KDIFF_DEV_WIDE, k < m */
	uint32_t number;	/* of its ends; <= KDIFF_DEV_MAX_NUMBER */
};

/*
 * Ends wanted: (own, end], counted in letters of the piece up to and with the
 * match's last one.  Letters of [beg, end) belong to the same segment; beg is
 * the segment's own begin, or at least KDIFF_DEV_LEAD letters before `own`.
 * beg and own are multiples of 32.
 */
struct kdiff_dev_stretch {
	uint32_t beg, own, end;
};

/* The source paper's kernel, not for hamming, in two variants: the last columns
 * with a letter, its matrix X, found for each tile, or kept for all. */
enum kdiff_dev_kernel {
	KDIFF_DEV_FAST, KDIFF_DEV_PAPER, KDIFF_DEV_PAPER_GLOBAL
};

struct kdiff_dev_setup {
	const struct cuda_device *device;
	bool hamming, sets;	/* sets: a piece may have them */
	enum kdiff_dev_kernel kernel;
	const struct kdiff_dev_pattern *pattern;
	size_t n;
	uint32_t letters;	/* of a piece at most, a multiple of 64 */
	uint32_t hits;		/* room for so many */
	uint64_t launch;	/* letters x patterns of a launch at most, but
				   for one group of patterns */
};

/* Pinned memory, to be filled and read by the caller. */
struct kdiff_dev_stream {
	uint64_t *planes, *exc;	/* as struct kdiff_text says */
	uint64_t *sets;		/* the same, with kdiff_dev_setup.sets */
	struct kdiff_dev_stretch *stretch;
	uint64_t *hit;		/* end << 32 | pattern's number << 8 | D */
	uint32_t letters, stretches, hits;	/* how many there can be */
	uint32_t at_once;	/* letters of a piece for now: the caller's */
	uint32_t threads;	/* that the device holds at a time */
	uint32_t groups;	/* of patterns, a thread each in a stretch */
};

/* Most stretches of a piece: one begins at every 64th letter at most. */
static inline uint32_t
kdiff_dev_stretches(uint32_t n_letters)
{
	return n_letters / 64 + 1;
}

struct kdiff_dev_piece {
	uint32_t letters, stretches;
	uint32_t longest;	/* letters owned by a stretch at most */
	bool exc;		/* exc holds something */
	bool sets;		/* the letters are there, not in the others */
};

struct kdiff_dev {
	/* ERR_NOMEM: not so much memory, here or on the device; ERR_DEVICE. */
	int (*open)(struct kdiff_dev_stream **s,
		    const struct kdiff_dev_setup *u, struct err *e);
	void (*close)(void *stream);
	/*
	 * All ends with D <= k of all patterns, in no order: *n_hits of them,
	 * of which the first s->hits are in s->hit.  ERR_DEVICE: the stream is
	 * of no more use.
	 */
	int (*run)(struct kdiff_dev_stream *s, const struct kdiff_dev_piece *p,
		   uint64_t *n_hits, struct err *e);
};
extern const struct kdiff_dev kdiff_dev;

#endif
