/* SPDX-License-Identifier: MIT */
/* ebwt_tally.h - the kernel that counts a tile of pairs of classes (private) */
#ifndef SEQF_EBWT_TALLY_H
#define SEQF_EBWT_TALLY_H

#include <stdint.h>

enum {
	EBWT_TILE = 512,	/* rows, and columns, of a tile at most */
	EBWT_EVENTS = 256,	/* of a call, at most */
};

/* A row of the listing, of a class that is in the tile. */
struct ebwt_event {
	uint32_t cell;		/* its counts: of its row, or of none that is
				   looked at */
	int16_t before;		/* when the class had a row last */
	int16_t column;		/* of the class, or -1 */
};

/*
 * Event i happens at clock + i: for every column whose last time is later than
 * `before`, add one to count[cell + column]; then it is the last time of the
 * event's own column.  Columns are a multiple of 32.
 */
typedef void ebwt_tally_fn(uint16_t *count, unsigned columns, int16_t *last,
			   const struct ebwt_event *event, unsigned n,
			   int16_t clock);
/* How many of colour[1] to colour[n - 1] are c, with another before. */
typedef uint64_t ebwt_begins_fn(const uint32_t *colour, uint64_t n, uint32_t c);
ebwt_tally_fn ebwt_tally_scalar, ebwt_tally_avx2, ebwt_tally_avx512;
ebwt_begins_fn ebwt_begins_scalar, ebwt_begins_avx2, ebwt_begins_avx512;

#endif
