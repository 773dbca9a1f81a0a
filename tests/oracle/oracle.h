/* SPDX-License-Identifier: MIT */
/* oracle.h - textbook versions, written for reading; never optimised */
#ifndef SEQF_ORACLE_H
#define SEQF_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum oracle_alphabet { ORACLE_DNA, ORACLE_PROTEIN, ORACLE_BYTES };

struct oracle_match {
	enum oracle_alphabet alphabet;
	bool iupac;	/* DNA: text codes are sets */
};

/* A 1, C 2, G 4, T 8; 0 = no IUPAC letter */
static inline unsigned
oracle_set(uint8_t c)
{
	static const uint8_t set[256] = {
		['A'] = 1, ['C'] = 2, ['M'] = 3, ['G'] = 4, ['R'] = 5,
		['S'] = 6, ['V'] = 7, ['T'] = 8, ['U'] = 8, ['W'] = 9,
		['Y'] = 10, ['H'] = 11, ['K'] = 12, ['D'] = 13, ['B'] = 14,
		['N'] = 15,
	};

	if (c >= 'a' && c <= 'z')
		c = (uint8_t)(c - 'a' + 'A');
	return set[c];
}

static inline bool
oracle_equal(struct oracle_match how, uint8_t pattern, uint8_t text)
{
	unsigned t = oracle_set(text);

	if (how.alphabet == ORACLE_BYTES)
		return pattern == text;
	if (how.alphabet == ORACLE_PROTEIN) {
		bool letter = (text >= 'a' && text <= 'z') ||
			      (text >= 'A' && text <= 'Z');

		return letter && (pattern | 32) == (text | 32);
	}
	if (!how.iupac && t != 1 && t != 2 && t != 4 && t != 8)
		return false;
	return (oracle_set(pattern) & t) != 0;
}

/* The same for all letters of texts, by a table: oracle_equals(...)[text]. */
static inline const bool *
oracle_equals(struct oracle_match how, uint8_t pattern)
{
	static bool table[3][2][256][256], known[3][2][256];
	bool *row = table[how.alphabet][how.iupac][pattern];

	if (!known[how.alphabet][how.iupac][pattern])
		for (unsigned t = 0; t < 256; t++)
			row[t] = oracle_equal(how, pattern, (uint8_t)t);
	known[how.alphabet][how.iupac][pattern] = true;
	return row;
}

static inline uint32_t
oracle_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A matrix of pattern prefixes and text ends, whose first row is 0. */
static inline uint32_t *
oracle_matrix(size_t m, size_t n)
{
	uint32_t *D = malloc((m + 1) * (n + 1) * sizeof *D);

	if (!D)
		abort();
	for (size_t j = 0; j <= n; j++)
		D[j] = 0;
	return D;
}

/*
 * Sellers: the matrix D[i * (n + 1) + j] of pattern prefixes i and text
 * ends j; its last row are the distances.
 */
static inline uint32_t *
oracle_sellers(struct oracle_match how, const uint8_t *p, size_t m,
	       const uint8_t *t, size_t n)
{
	uint32_t *D = oracle_matrix(m, n);

	for (size_t i = 1; i <= m; i++) {
		uint32_t *up = D + (i - 1) * (n + 1), *d = up + n + 1;
		const bool *equal = oracle_equals(how, p[i - 1]);

		d[0] = (uint32_t)i;
		for (size_t j = 1; j <= n; j++)
			d[j] = oracle_min(oracle_min(up[j], d[j - 1]) + 1,
			    up[j - 1] + !equal[t[j - 1]]);
	}
	return D;
}

/*
 * The same where the first `head` and the last `tail` pattern letters must
 * match side by side: among them there is only the diagonal, and only where
 * letters are equal.  Their rows are huge elsewhere.
 */
enum { ORACLE_NONE = UINT32_MAX / 2 };

static inline uint32_t *
oracle_exact(struct oracle_match how, const uint8_t *p, size_t m, size_t head,
	     size_t tail, const uint8_t *t, size_t n)
{
	uint32_t *D = oracle_matrix(m, n);

	for (size_t i = 1; i <= m; i++) {
		uint32_t *up = D + (i - 1) * (n + 1), *d = up + n + 1;
		bool fixed = i <= head || i > m - tail;
		bool skip = i >= head && i <= m - tail;
		const bool *equal = oracle_equals(how, p[i - 1]);

		for (size_t j = 0; j <= n; j++) {
			d[j] = ORACLE_NONE;
			if (j && equal[t[j - 1]])
				d[j] = up[j - 1];
			else if (j && !fixed)
				d[j] = oracle_min(d[j], up[j - 1] + 1);
			if (!fixed)
				d[j] = oracle_min(d[j], up[j] + 1);
			if (j && skip)
				d[j] = oracle_min(d[j], d[j - 1] + 1);
			d[j] = oracle_min(d[j], ORACLE_NONE);
		}
	}
	return D;
}

/* Mismatches of the window that ends at j; UINT32_MAX for j < m. */
static inline uint32_t *
oracle_hamming(struct oracle_match how, const uint8_t *p, size_t m,
	       const uint8_t *t, size_t n)
{
	uint32_t *d = malloc((n + 1) * sizeof *d);

	if (!d)
		abort();
	for (size_t j = 0; j <= n; j++)
		d[j] = j < m ? UINT32_MAX : 0;
	for (size_t i = 0; i < m; i++) {
		const bool *equal = oracle_equals(how, p[i]);

		for (size_t j = m; j <= n; j++)
			d[j] += !equal[t[j - m + i]];
	}
	return d;
}

/* The same where the first `head` and the last `tail` letters must match. */
static inline uint32_t *
oracle_exact_hamming(struct oracle_match how, const uint8_t *p, size_t m,
		     size_t head, size_t tail, const uint8_t *t, size_t n)
{
	uint32_t *d = oracle_hamming(how, p, m, t, n);

	for (size_t j = m; j <= n; j++)
		for (size_t i = 0; i < m; i++)
			if ((i < head || i >= m - tail) &&
			    !oracle_equal(how, p[i], t[j - m + i]))
				d[j] = UINT32_MAX;
	return d;
}

/* Is end j, 1 <= j <= n, reported as a minimum?  d[0..n] are the distances. */
static inline bool
oracle_minimum(const uint32_t *d, size_t n, size_t m, size_t k, size_t j)
{
	size_t first = j;

	if (d[j] > k)
		return false;
	if (j < n && d[j + 1] <= d[j])
		return false;	/* not the run's last end, or D falls then */
	while (first > 1 && d[first - 1] == d[j])
		first--;
	return d[first - 1] > d[j] || j - first + 1 > m;
}

/*
 * Traceback from D(m, j): = or X, then D, then I, where the rule on head and
 * tail allows them.  Operations from the left to the right in ops (room for
 * m + j); returns their number, *beg = start.
 */
static inline size_t
oracle_exact_trace(struct oracle_match how, const uint32_t *D,
		   const uint8_t *p, size_t m, size_t head, size_t tail,
		   const uint8_t *t, size_t n, size_t j, char *ops,
		   size_t *beg)
{
	size_t i = m, k = 0;

	while (i > 0) {
		uint32_t d = D[i * (n + 1) + j];
		bool eq = j && oracle_equal(how, p[i - 1], t[j - 1]);
		bool fixed = i <= head || i > m - tail;
		bool skip = i >= head && i <= m - tail;

		if (j && (eq || !fixed) &&
		    d == D[(i - 1) * (n + 1) + j - 1] + !eq) {
			ops[k++] = eq ? '=' : 'X';
			i--;
			j--;
		} else if (j && skip && d == D[i * (n + 1) + j - 1] + 1) {
			ops[k++] = 'D';
			j--;
		} else {
			ops[k++] = 'I';
			i--;
		}
	}
	for (size_t a = 0; a < k / 2; a++) {
		char c = ops[a];

		ops[a] = ops[k - 1 - a];
		ops[k - 1 - a] = c;
	}
	*beg = j;
	return k;
}

static inline size_t
oracle_trace(struct oracle_match how, const uint32_t *D, const uint8_t *p,
	     size_t m, const uint8_t *t, size_t n, size_t j, char *ops,
	     size_t *beg)
{
	return oracle_exact_trace(how, D, p, m, 0, 0, t, n, j, ops, beg);
}

#endif
