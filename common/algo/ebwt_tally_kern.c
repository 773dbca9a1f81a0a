/* SPDX-License-Identifier: MIT */
/* ebwt_tally_kern.c - which columns had a row since a word's last one */
#include "algo/ebwt_tally.h"
#include "base/simd.h"

enum { LANES = VBYTES / 2 };
typedef int16_t times __attribute__((vector_size(VBYTES)));
typedef uint16_t sums __attribute__((vector_size(VBYTES), aligned(2)));
typedef uint32_t classes __attribute__((vector_size(VBYTES)));
typedef uint32_t classes_at __attribute__((vector_size(VBYTES), aligned(4)));
typedef int16_t times_at __attribute__((vector_size(VBYTES), aligned(2)));

/*
 * A column of vectors at a time: its last times stay in a register, as what
 * was stored by lanes could not be loaded whole for a dozen cycles.
 */
void
KERN(ebwt_tally)(uint16_t *count, unsigned columns, int16_t *last,
		 const struct ebwt_event *event, unsigned n, int16_t clock)
{
	times lane;

	for (int i = 0; i < LANES; i++)
		lane[i] = (int16_t)i;
	for (unsigned c = 0; c < columns; c += LANES) {
		times when = *(times_at *)(last + c);

		for (unsigned i = 0; i < n; i++) {
			const struct ebwt_event *v = &event[i];
			sums *sum = (sums *)(count + v->cell + c);
			times here = (times)(lane == v->column);
			int16_t now = (int16_t)(clock + (int)i);

			/* what is true is -1 */
			*sum -= (sums)(when > v->before);
			when = (when & ~here) | (((times){ 0 } + now) & here);
		}
		*(times_at *)(last + c) = when;
		lane += LANES;
	}
}

uint64_t
KERN(ebwt_begins)(const uint32_t *colour, uint64_t n, uint32_t c)
{
	enum { STEP = VBYTES / 4 };
	uint64_t i = 1, sum = 0;

	while (i + STEP <= n) {
		/* so many that no lane overflows */
		uint64_t end = n - i > 1u << 30 ? i + (1u << 30) : n;
		classes in = { 0 };

		for (; i + STEP <= end; i += STEP)
			in -= (classes)(*(classes_at *)(colour + i) == c) &
			      (classes)(*(classes_at *)(colour + i - 1) != c);
		for (int k = 0; k < STEP; k++)
			sum += in[k];
	}
	for (; i < n; i++)
		sum += (colour[i] == c) & (colour[i - 1] != c);
	return sum;
}
