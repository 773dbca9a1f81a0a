/* SPDX-License-Identifier: MIT */
/* sw_checkpoints_case.h - a case whose pass leaves checkpoints; small tiles */
#ifndef SEQF_SW_CHECKPOINTS_CASE_H
#define SEQF_SW_CHECKPOINTS_CASE_H

#include "base/cpu.h"
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_paths.h"

static uint64_t seed = 1;
static struct sw_work *work;
static struct swg_case c;
static struct err err;

/* Columns between marks, at least; 0: there are none. */
static inline uint64_t
step(void)
{
	return cpu_isa() == ISA_AVX512 ? 64 * SW_BLOCK :
	       cpu_isa() == ISA_AVX2 ? 32 * SW_BLOCK : 0;
}

/* Tiles of a grid, of borders: 0: as is best. */
static inline void
new_work(unsigned grid, unsigned borders)
{
	sw_work_free(work);
	if (sw_work_new(&work, &err))
		abort();
	work->grid_from = 0;
	work->grid_tile = grid;
	work->border_tile = borders;
}

/* Pieces of the query are here and there in the text. */
static inline void
new_case(size_t n, size_t m, const int32_t *v)
{
	swg_free(&c);
	swg_dna(&c.s, v[0], v[1], v[2], v[3]);
	swg_room(&c, n, m + SW_BLOCK);	/* readable */
	c.m = m;
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, m);
	for (unsigned i = 0; i < 6; i++)
		swg_copy(&seed, 4, c.t, m, below(&seed, m), c.q, n,
			 (unsigned)below(&seed, 20));
}

#endif
