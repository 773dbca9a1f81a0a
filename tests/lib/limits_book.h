/* SPDX-License-Identifier: MIT */
/*
 * limits_book.h - alignments with limits on mismatches and bulges, by trying
 * all of them
 */
#ifndef SEQF_LIMITS_BOOK_H
#define SEQF_LIMITS_BOOK_H

#include <stdio.h>
#include <string.h>

#include "kdiff/kdiff.h"
#include "tests/oracle/oracle.h"

enum { BOOK_M = 64, BOOK_K = 9, BOOK_NONE = 100 };

/* A pattern and the text beside its first letter, both read from there. */
static struct {
	uint8_t p[BOOK_M], t[BOOK_M + BOOK_K + 1];
	uint32_t m, n, k;
	uint32_t first, last;	/* letters that must match, no gap among them */
	struct kdiff_limits max;
	bool iupac;
	/* The least number of differences behind a state, plus 1. */
	uint8_t memo[BOOK_M + 1][BOOK_K + 1][BOOK_K + 1][BOOK_K + 1];
} book;

static uint32_t book_rest(uint32_t i, uint32_t x, uint32_t d, uint32_t r);

/* By each of the steps; BOOK_NONE where it is not allowed. */
static inline uint32_t
book_step(char op, uint32_t i, uint32_t x, uint32_t d, uint32_t r)
{
	struct oracle_match how = { ORACLE_DNA, book.iupac };
	uint32_t j = i + d - r;
	bool free = i >= book.first && i + book.last < book.m;
	bool eq = j < book.n && oracle_equal(how, book.p[i], book.t[j]);

	switch (op) {
	case '=':
		return eq ? book_rest(i + 1, x, d, r) : BOOK_NONE;
	case 'X':
		return j < book.n && !eq && free ?
		       book_rest(i + 1, x + 1, d, r) + 1 : BOOK_NONE;
	case 'D':
		return j < book.n && i >= book.first &&
		       i + book.last <= book.m ?
		       book_rest(i, x, d + 1, r) + 1 : BOOK_NONE;
	default:
		return free ? book_rest(i + 1, x, d, r + 1) + 1 : BOOK_NONE;
	}
}

static uint32_t
book_rest(uint32_t i, uint32_t x, uint32_t d, uint32_t r)
{
	uint32_t best = BOOK_NONE;
	uint8_t *memo = &book.memo[i][x][d][r];

	if (x + d + r > book.k || x > book.max.mismatches ||
	    d > book.max.dna || r > book.max.rna || d + r > book.max.bulges)
		return BOOK_NONE;
	if (i == book.m)
		return 0;
	if (*memo)
		return *memo - 1u;
	for (const char *op = "=XDI"; *op; op++)
		best = oracle_min(best, book_step(*op, i, x, d, r));
	*memo = (uint8_t)(best + 1);
	return best;
}

/* The least number of differences; above k: no alignment keeps the limits. */
static inline uint32_t
book_distance(void)
{
	memset(book.memo, 0, (book.m + 1) * sizeof book.memo[0]);
	return book_rest(0, 0, 0, 0);
}

/* The rule's operations from there on; how many. */
static inline size_t
book_path(char *ops)
{
	uint32_t i = 0, x = 0, d = 0, r = 0;
	size_t n = 0;

	while (i < book.m) {
		uint32_t now = book_rest(i, x, d, r);
		const char *op = "=XDI";

		while (book_step(*op, i, x, d, r) != now)
			op++;
		ops[n++] = *op;
		i += *op != 'D';
		x += *op == 'X';
		d += *op == 'D';
		r += *op == 'I';
	}
	return n;
}

static inline void
book_turn(char *op, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		char x = op[i];

		op[i] = op[n - 1 - i];
		op[n - 1 - i] = x;
	}
}

static inline void
book_runs(const char *op, size_t n, char *to)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && op[j] == op[i];)
			j++;
		to += sprintf(to, "%zu%c", j - i, op[i]);
	}
}

#endif
