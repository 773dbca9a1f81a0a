/* SPDX-License-Identifier: MIT */
/* tap.h - Test Anything Protocol, as little as needed */
#ifndef SEQF_TAP_H
#define SEQF_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

/* One test; every failure prints what, e.g. sizes and the seed. */
static inline int __attribute__((format(printf, 2, 3)))
ok(int good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	tap_failed += !good;
	return good;
}

/* Last line of main(): the plan, and the exit status. */
static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed || tap_count == 0;
}

/* A seeded generator (xorshift64*): the same numbers on every machine. */
static inline uint64_t
rnd(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

/* Does an emulator run it, of another machine? */
static inline bool
emulated(void)
{
	const char *by = getenv("RUN_BY");

	return by && *by;
}

/*
 * Of so many rounds SEQF_ROUNDS percent; without it 15, or a twentieth where a
 * sanitizer makes each ten times slower, or 3 by an emulator.  All of them are
 * for changes to what is tested: make unit SEQF_ROUNDS=100, or more.
 */
static inline uint64_t
fewer(uint64_t rounds)
{
	const char *percent = getenv("SEQF_ROUNDS");
	uint64_t p = percent ? strtoull(percent, NULL, 10) :
		     emulated() ? 3 : getenv("SEQF_SANITIZED") ? 5 : 15;

	return (rounds * p + 99) / 100;
}

/* The same, and a twentieth at least, where it is counted what all of them
 * come across. */
static inline uint64_t
not_too_few(uint64_t rounds)
{
	uint64_t n = fewer(rounds), least = (rounds + 19) / 20;

	return n > least ? n : least;
}

/*
 * Of so many rounds half, or a sixth where a sanitizer makes each ten times
 * slower, or a tenth by an emulator: it must see every path of the code once,
 * the answers are checked without it.  With SEQF_ROUNDS as much more or less as
 * of fewer(), from 30 on all of them.
 */
static inline uint64_t
lighter(uint64_t rounds)
{
	const char *percent = getenv("SEQF_ROUNDS");
	uint64_t p = percent ? strtoull(percent, NULL, 10) * 10 / 3 :
		     emulated() ? 10 : getenv("SEQF_SANITIZED") ? 17 : 50;

	return p < 100 ? (rounds * p + 99) / 100 : rounds;
}

/* A number below n, n > 0. */
static inline uint64_t
below(uint64_t *state, uint64_t n)
{
	return (rnd(state) >> 11) % n;
}

#endif
