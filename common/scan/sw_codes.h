/* SPDX-License-Identifier: MIT */
/*
 * sw_codes.h - letters of a text to codes of a scoring (sw_codes_kern.c)
 *
 * Both write whole vectors: up to 63 bytes behind d's n codes are spoilt.
 */
#ifndef SEQF_SW_CODES_H
#define SEQF_SW_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SW_CODE_OTHER = 4 };	/* DNA: no letter of A C G T, which are 0-3 */

struct sw_codes_ops {
	/* DNA: n letters from place beg of bit planes (dna.h); exc: a bit for
	 * each that is no A C G T, or NULL. */
	void (*planes)(uint8_t *d, const uint64_t *planes, const uint64_t *exc,
		       size_t beg, size_t n);
	/*
	 * code[] of n letters; it is below 64, or 255 for what is no letter.
	 * Returns whether there was such a one; bytes from 128 on are.
	 */
	bool (*bytes)(uint8_t *d, const uint8_t *s, size_t n,
		      const uint8_t code[256]);
};

extern const struct sw_codes_ops sw_codes_ops_scalar, sw_codes_ops_avx2,
	sw_codes_ops_avx512;

#endif
