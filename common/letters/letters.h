/* SPDX-License-Identifier: MIT */
/* letters.h - alphabets and bit planes, CIGARs, melting temperatures */
#ifndef SEQF_LETTERS_LETTERS_H
#define SEQF_LETTERS_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/*
 * Letters: IUPAC sets, complement, bit planes
 *
 * Bit planes hold 64 letters in two words: first the 64 low bits, then the 64
 * high bits, of the codes A 0, C 1, G 2, T 3; letter i of the 64 is bit i.
 * n letters take dna_words(n) words; bits past the last letter are 0.
 */

enum { DNA_A = 1, DNA_C = 2, DNA_G = 4, DNA_T = 8 };

/*
 * The IUPAC set of a letter as a union of DNA_*, either case, U = T; 0 for
 * every other byte.  N is all four.
 */
uint8_t dna_set(uint8_t letter);

/*
 * The complement of an IUPAC letter, case kept; U becomes A, A becomes T;
 * every other byte is itself.
 */
uint8_t dna_complement(uint8_t letter);

/* Reverse complement in place. */
void dna_revcomp(uint8_t *s, size_t n);

static inline size_t
dna_words(size_t n)	/* of both planes together */
{
	return (n + 63) / 64 * 2;
}

/* What dna_ops.pack met. */
enum { DNA_HAS_EXC = 1, DNA_HAS_LOWER = 2 };

struct dna_ops {
	/*
	 * Copy s up to its first byte that is neither newline nor valid (see
	 * below), without newlines, to d (room for n + 64 bytes; d may not
	 * overlap s).  Returns the number of bytes gone through, *kept of
	 * which are in d.
	 */
	size_t (*lines)(const uint8_t *s, size_t n, uint8_t *d, size_t *kept);
	/*
	 * How many lines there are, perhaps not all, of `width` letters and
	 * nothing else but CR and newline behind them.  They are in d without
	 * ends; `width` bytes more may be overwritten if n has as many.
	 */
	size_t (*crlf)(const uint8_t *s, size_t n, size_t width, uint8_t *d);
	/*
	 * n letters to planes (dna_words(n) words), exc and lower
	 * (dna_words(n) / 2 words each; bit = the letter is not one of
	 * ACGTacgt; bit = the letter is a-z).  The code of an exception is 0.
	 * Returns DNA_HAS_*.
	 */
	unsigned (*pack)(const uint8_t *s, size_t n, uint64_t *planes,
			 uint64_t *exc, uint64_t *lower);
	/* Upper-case ACGT of letters [beg, beg + n) of planes. */
	void (*unpack)(const uint64_t *planes, size_t beg, size_t n,
		       uint8_t *s);
	/*
	 * First index whose byte is not a letter A-Z a-z nor one of * - . ;
	 * n if there is none.
	 */
	size_t (*valid)(const uint8_t *s, size_t n);
	/*
	 * n letters of (n + 1) / 2 bytes, each two numbers of four bits, the
	 * high ones first, by a table; d has room for n + 64.  Is one of
	 * them 0?
	 */
	bool (*nibbles)(const uint8_t *s, size_t n, const uint8_t table[16],
			uint8_t *d);
};

/* The kernels for cpu_isa(); never NULL.  Thread-safe. */
const struct dna_ops *dna_ops(void);

/*
 * Copy n letters' planes from bit src_beg of src to bit dst_beg of dst.
 * Words of dst are read and written within the range only; other bits stay.
 */
void dna_copy(uint64_t *dst, size_t dst_beg, const uint64_t *src,
	      size_t src_beg, size_t n);

/* Set bits [beg, end) of a one-bit mask. */
void bits_set(uint64_t *mask, size_t beg, size_t end);

/*
 * Operations of an alignment, along the forward subject
 *
 * One uint32_t an operation: length << 4 | code, as in BAM (SAM specification
 * 4.2).  D consumes a subject (text) letter, I a query (pattern) letter.
 */

enum cigar_op {
	CIGAR_M = 0, CIGAR_I = 1, CIGAR_D = 2, CIGAR_N = 3, CIGAR_S = 4,
	CIGAR_H = 5, CIGAR_P = 6, CIGAR_EQ = 7, CIGAR_X = 8,
};
enum { CIGAR_MAX_LEN = (1u << 28) - 1 };

struct cigar_sum {
	uint64_t query, subject;	/* letters consumed */
	uint64_t eq, x, ins, del, clip;	/* letters by operation */
	uint64_t gaps;			/* runs of I, and runs of D */
};

/*
 * What ops[0..n) add up to; CIGAR_M counts in query and subject only, clip
 * is S and H (of which only S is a letter of the query).
 */
struct cigar_sum cigar_sum(const uint32_t *ops, size_t n);

struct cigar_span {
	uint64_t query, subject, clip;	/* as in cigar_sum */
	/*
	 * At least one operation; all are M I D S = X, of length > 0, and S at
	 * the ends only.
	 */
	bool good;
};

/* What a row of hits has to be checked for, in little time. */
struct cigar_span cigar_span(const uint32_t *ops, size_t n);

/* "12=1X3=", or "*" for none, appended. */
void cigar_text(struct buf *b, const uint32_t *ops, size_t n);

/*
 * The inverse; at most max operations.  Returns their number, or -1 if s is
 * no CIGAR (unknown letter, length 0 or above CIGAR_MAX_LEN, too many).
 * "*" gives 0.
 */
long cigar_parse(const char *s, size_t len, uint32_t *ops, size_t max);

/*
 * Melting temperatures of primers, by nearest neighbours
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

/* All that other folders may use of letters/. */


#endif
