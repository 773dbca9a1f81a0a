/* SPDX-License-Identifier: MIT */
/*
 * primer_dev.h - the device's side of primer.h: a stream of a GPU with its
 * memory
 *
 * A piece of text, a byte a symbol, and a batch of cores, each with a word for
 * every symbol, or several, are put into pinned memory; every core passes over
 * all of the piece.  One thread at a time a stream.
 */
#ifndef SEQF_CUDA_PRIMER_DEV_H
#define SEQF_CUDA_PRIMER_DEV_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/device.h"

enum {
	PRIMER_DEV_GROUP = 128,	/* cores that share a table */
	PRIMER_DEV_SYMBOLS = 16,
	PRIMER_DEV_NEAR = 8,		/* letters behind a hit without one */
	/* Letters before the first that is wanted, at least, unless the text
	 * begins later: rows + k - 1 decide, and k is at most rows. */
	PRIMER_DEV_LEAD = 64,
	PRIMER_DEV_MAX_WORDS = 32,	/* of a long core */
};

struct primer_dev_setup {
	const struct cuda_device *device;
	uint32_t letters;	/* of a piece at most, a multiple of 64 */
	uint32_t cores;		/* of a batch at most, of PRIMER_DEV_GROUP */
	uint32_t hits;		/* room for so many */
};

/* Pinned memory, to be filled and read by the caller.  Hits may lie where
 * tables of more cores are put. */
struct primer_dev_stream {
	uint8_t *text;
	/* Core c's word of symbol s, as struct primer_core has it: eq[(c / G *
	 * S + s) * G + c % G], G = PRIMER_DEV_GROUP, S = PRIMER_DEV_SYMBOLS. */
	uint32_t *eq;
	uint32_t *rows;		/* of each core, above k - 1 */
	uint64_t *hit;		/* of the last run: core << 32 | letters read */
	uint32_t letters, cores, hits;
	/* The device has so many letters of `text` already; 0 where it is
	 * another one.  Whose text it is: the caller's. */
	uint32_t held;
	uint64_t search;
	uint32_t threads;	/* that the device holds at a time */
};

struct primer_dev_piece {
	uint32_t letters, cores;
	uint32_t own;		/* hits wanted have more letters read */
	uint32_t stretch;	/* letters of a thread, a multiple of 64 */
	uint32_t k;		/* hits have fewer differences */
	/*
	 * A long core, the only one, has primer_dev_words() words;
	 * 0: none is.  Word w of symbol s is eq[s * words + w], last letters
	 * first, with rows that match all below them; *rows is rows, and rows -
	 * core << 16.  The text's last letter is the first that is read: text[]
	 * begins with -letters % 32 symbols that match nothing.  Behind `upto`
	 * there are 32 letters, unless the text ends.
	 */
	uint32_t words;
	uint32_t over;		/* a multiple of 32: rows + k - 1 and more */
	uint32_t upto;		/* hits wanted begin in columns [own, upto) */
};

/* Words of kernels, for cores of up to so many rows. */
static inline uint32_t
primer_dev_words(uint32_t rows)
{
	static const uint32_t sizes[] = { 2, 3, 4, 6, 8, 12, 16, 24 };

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (rows <= 32 * sizes[i])
			return sizes[i];
	return PRIMER_DEV_MAX_WORDS;
}

struct primer_dev {
	/* ERR_NOMEM: not so much memory, here or on the device; ERR_DEVICE. */
	int (*open)(struct primer_dev_stream **s,
		    const struct primer_dev_setup *u, struct err *e);
	void (*close)(void *stream);
	/*
	 * All hits in no order, *n_hits of them, of which the first s->hits are
	 * in s->hit; one may be left out that is up to PRIMER_DEV_NEAR letters
	 * behind a reported one, which may be as near behind another.  Long
	 * cores give struct primer_stretch.  ERR_DEVICE: the stream is unusable
	 * from then on.
	 */
	int (*run)(struct primer_dev_stream *s,
		   const struct primer_dev_piece *p, uint64_t *n_hits,
		   struct err *e);
};
extern const struct primer_dev primer_dev;

#endif
