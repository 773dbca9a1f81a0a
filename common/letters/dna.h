/* SPDX-License-Identifier: MIT */
/*
 * dna.h - letters: IUPAC sets, complement, bit planes
 *
 * Bit planes hold 64 letters in two words: first the 64 low bits, then the 64
 * high bits, of the codes A 0, C 1, G 2, T 3; letter i of the 64 is bit i.
 * n letters take dna_words(n) words; bits past the last letter are 0.
 */
#ifndef SEQF_LETTERS_DNA_H
#define SEQF_LETTERS_DNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	 * high ones first, by a table; d has room for n + 64.
	 */
	void (*nibbles)(const uint8_t *s, size_t n, const uint8_t table[16],
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

#endif
