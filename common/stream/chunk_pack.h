/* SPDX-License-Identifier: MIT */
/* chunk_pack.h - letters to planes or nibbles, and runs; private to chunk*.c */
#ifndef SEQF_CHUNK_PACK_H
#define SEQF_CHUNK_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dna.h"
#include "stream/chunk.h"

enum { PACK_TILE = 16384 };	/* letters; a multiple of 64 */

enum pack_verdict { PACK_OK, PACK_TOO_BIG, PACK_HAS_U, PACK_NO_MEMORY };

/* One attempt. */
struct packer {
	const struct dna_ops *ops;
	bool four;		/* 4-bit; else 2-bit */
	bool rna;		/* U is packed as T */
	uint64_t budget;	/* bytes that runs may take */
	uint64_t n_foreign;	/* exception runs a 4-bit chunk would keep */
	struct buf exc, lower;	/* runs as they are stored */
	uint8_t *letters;	/* the payload's section */
	uint8_t copy[PACK_TILE];	/* a tile of RNA as DNA */
	uint64_t planes[PACK_TILE / 32];
	uint64_t bits[PACK_TILE / 64], low[PACK_TILE / 64];
};

/*
 * Pack all rows of c.  PACK_TOO_BIG: the runs outgrow the budget, or U and T
 * both occur; PACK_HAS_U: to be tried again with rna.
 */
enum pack_verdict pack_rows(struct packer *p, const struct chunk_raw *c);

#endif
