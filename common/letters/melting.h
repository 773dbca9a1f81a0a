/* SPDX-License-Identifier: MIT */
/*
 * melting.h - melting temperatures of primers, by nearest neighbours
 * Source: SantaLucia, PNAS 95, 1998, with its salt correction; divalent ions
 * as von Ahsen et al., Clinical Chemistry 47, 2001.  As primer3's oligotm.
 *
 * 	Tm = H / (S + 0.368 (n - 1) ln Na + 1.987 ln C) - 273.15
 * of n letters: H and S are sums over neighbours, both ends, and symmetry; Na
 * is the salt in mol/l, monovalent + 120 sqrt(divalent - dNTP) with these in
 * mmol/l; C the primer's concentration in mol/l, a fourth of it unless it is
 * its own reverse complement.
 *
 * Whole numbers throughout: every machine gives the same temperature.
 */
#ifndef SEQF_LETTERS_MELTING_H
#define SEQF_LETTERS_MELTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Thousandths of mmol/l, of the primer nmol/l; up to MELTING_MAX. */
struct melting_salts {
	uint64_t monovalent, divalent, dntp, primer;
};
enum { MELTING_MAX = 1000000000 };

/* Sums over neighbours: -H in 100 cal/mol, -S in 0.1 cal/(mol K). */
struct melting_sum {
	int64_t h, s;
};

struct melting {		/* logarithms in 10^-12 */
	int64_t salt, primer[2];	/* primer[1]: its own complement */
};
/* False if a logarithm of 0 is asked for: no salt, or no primer. */
bool melting_init(struct melting *m, const struct melting_salts *s);
/* Of letters A C G T side by side, 5' to 3'; 0 for any other. */
struct melting_sum melting_pair(uint8_t a, uint8_t b);
/*
 * Temperature in 10^-9 degrees Celsius of letters s[0..n), n >= 1, whose
 * neighbours sum up to that.  False if there is none: the formula has a pole,
 * at concentrations that no tube holds.
 */
bool melting_tm(const struct melting *m, const uint8_t *s, size_t n,
		struct melting_sum sum, int64_t *nano);

#endif
