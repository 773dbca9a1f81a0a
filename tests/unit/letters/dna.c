/* SPDX-License-Identifier: MIT */
/* dna.c - letters and bit planes against naive versions */
#include "letters/letters.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { MAX = 300, SHOWN = 5 };

static const char acgt[] = "ACGTacgt";
static uint64_t seed = 88172645463325252;

/* Exactly n bytes, so that a sanitizer sees every step past the end. */
static void *
exact(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		abort();
	memset(p, 0x5a, n);
	return p;
}

enum kind { ANY, LETTERS, ACGT, LINES, RAGGED, EVEN, N_KINDS };

static void
fill(uint8_t *s, size_t n, enum kind kind)
{
	static const char mixed[] = "ACGTACGTACGTacgtNnUuRY*-.";
	size_t width = 5 + rnd(&seed) % 120, odd = rnd(&seed) % (2 * MAX);

	for (size_t i = 0; i < n; i++) {
		uint64_t r = rnd(&seed) >> 20;

		switch (kind) {
		case LETTERS: s[i] = (uint8_t)mixed[r % 25]; break;
		case ACGT: s[i] = (uint8_t)"ACGT"[r % 4]; break;
		case LINES:
			s[i] = i % 61 == 60 ? '\n' : (uint8_t)mixed[r % 25];
			break;
		case RAGGED:	/* lines alike, but for some */
			s[i] = i % 23 == 22 || r % 50 == 0 ? '\n' :
			    (uint8_t)mixed[r % (i % 200 < 190 ? 8 : 25)];
			break;
		case EVEN:	/* lines alike, but for one byte */
			s[i] = i == odd ? (uint8_t)r : i % width == width - 1 ?
			    '\n' : (uint8_t)mixed[r % 20];
			break;
		default: s[i] = (uint8_t)r; break;
		}
	}
}

/* Test f over all sizes and kinds of content; one line of TAP. */
static void
sweep(const char *what, bool (*f)(const uint8_t *s, size_t n))
{
	int bad = 0;

	for (size_t n = 0; n <= MAX; n++)
		for (int kind = 0; kind < N_KINDS * 2; kind++) {
			uint8_t *s = exact(n);
			uint64_t at = seed;

			fill(s, n, (enum kind)(kind % N_KINDS));
			if (!f(s, n) && bad++ < SHOWN)
				ok(0, "%s: n %zu kind %d seed %llu", what, n,
				   kind, (unsigned long long)at);
			free(s);
		}
	ok(bad == 0, "%s: sizes 0 to %d", what, MAX);
}

static bool
is_valid(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' ||
	       c == '-' || c == '.';
}

/* Lines as they are, and up to the first byte that is in none. */
static bool
check_lines(const uint8_t *s, size_t n)
{
	uint8_t *d = exact(n + 64), *want = exact(n);
	size_t i = 0, k = 0, kept = n + 1;
	bool good;

	for (; i < n && (is_valid(s[i]) || s[i] == '\n'); i++)
		if (s[i] != '\n')
			want[k++] = s[i];
	good = dna_ops()->lines(s, n, d, &kept) == i && kept == k &&
	       memcmp(d, want, k) == 0;
	free(d);
	free(want);
	return good;
}

/* Lines of CR and newline, of one width but for a byte or two. */
static bool
check_crlf(const uint8_t *letters, size_t n)
{
	size_t width = 1 + below(&seed, 150), lines = 0, have;
	uint8_t *s = exact(n), *d = exact(n + width), *want = exact(n);
	bool good;

	for (size_t i = 0; i < n; i++) {
		size_t at = i % (width + 2);

		s[i] = at < width ? "ACGTn"[letters[i] % 5] : at == width ?
		       '\r' : '\n';
	}
	if (n && below(&seed, 2))
		s[below(&seed, n)] = (uint8_t)"\n\rA *>\0"[below(&seed, 7)];
	for (size_t at = 0; n - at >= width + 2; at += width + 2) {
		size_t k = 0;

		while (k < width && (uint8_t)((s[at + k] | 32) - 'a') < 26)
			k++;
		if (k < width || memcmp(s + at + width, "\r\n", 2) != 0)
			break;
		memcpy(want + lines++ * width, s + at, width);
	}
	have = dna_ops()->crlf(s, n, width, d);
	/* short ones are left to others */
	good = (have == lines || (have == 0 && width < 64)) &&
	       memcmp(d, want, have * width) == 0;
	free(s);
	free(d);
	free(want);
	return good;
}

static bool
naive_bit(const uint64_t *w, size_t i)
{
	return w[i / 64] >> i % 64 & 1;
}

static int
naive_code(const uint64_t *planes, size_t i)
{
	const uint64_t *w = planes + i / 64 * 2;

	return (int)(w[0] >> i % 64 & 1) + 2 * (int)(w[1] >> i % 64 & 1);
}

static bool
check_pack(const uint8_t *s, size_t n)
{
	size_t words = dna_words(n);
	uint64_t *planes = exact(words * 8), *exc = exact(words * 4),
		 *lower = exact(words * 4);
	unsigned has = dna_ops()->pack(s, n, planes, exc, lower), want = 0;
	bool good = true;

	for (size_t i = 0; i < words * 32; i++) {
		uint8_t c = i < n ? s[i] : 'A';
		const char *at = memchr(acgt, c, 8);
		bool is_lower = c >= 'a' && c <= 'z';
		long code = at ? (at - acgt) % 4 : 0;

		want |= (at ? 0 : DNA_HAS_EXC) |
			(is_lower ? DNA_HAS_LOWER : 0);
		good &= naive_bit(exc, i) == !at &&
			naive_bit(lower, i) == is_lower &&
			naive_code(planes, i) == code;
	}
	free(planes);
	free(exc);
	free(lower);
	return good && has == want;
}

static bool
check_valid(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && is_valid(s[i]))
		i++;
	return dna_ops()->valid(s, n) == i;
}

/* Any part of the planes comes back, exceptions as A. */
static bool
check_unpack(const uint8_t *s, size_t n)
{
	size_t words = dna_words(n);
	uint64_t *planes = exact(words * 8), *exc = exact(words * 4),
		 *lower = exact(words * 4);
	bool good = true;

	dna_ops()->pack(s, n, planes, exc, lower);
	for (int round = 0; round < 4; round++) {
		size_t beg = round ? below(&seed, n + 1) : 0;
		size_t len = round ? below(&seed, n - beg + 1) : n;
		uint8_t *d = exact(len);

		dna_ops()->unpack(planes, beg, len, d);
		for (size_t i = 0; i < len; i++)
			good &= d[i] == "ACGT"[naive_code(planes, beg + i)];
		free(d);
	}
	free(planes);
	free(exc);
	free(lower);
	return good;
}

static bool
check_nibbles(const uint8_t *s, size_t n)
{
	static const uint8_t table[] = "=ACMGRSVTWYHKDBN";
	size_t letters = 2 * n - (n && rnd(&seed) % 2);
	uint8_t *d = exact(letters + 64);
	bool good = true, zero = false, seen;

	seen = dna_ops()->nibbles(s, letters, table, d);
	for (size_t i = 0; i < letters; i++) {
		unsigned x = i % 2 ? s[i / 2] & 15 : s[i / 2] >> 4;

		good &= d[i] == table[x];
		zero |= x == 0;
	}
	free(d);
	return good && zero == seen;
}

static bool
check_copy(const uint8_t *s, size_t n)
{
	size_t beg = below(&seed, n + 1), len = below(&seed, n - beg + 1);
	size_t to = below(&seed, 200), end = to + len;
	uint64_t *src = exact(dna_words(n) * 8),
		 *mask = exact(dna_words(n) * 8),
		 *dst = exact(dna_words(end) * 8),
		 *old = exact(dna_words(end) * 8);
	bool good = true;

	dna_ops()->pack(s, n, src, mask, mask + dna_words(n) / 2);
	for (size_t i = 0; i < dna_words(end); i++)
		dst[i] = old[i] = rnd(&seed);
	dna_copy(dst, to, src, beg, len);
	for (size_t i = 0; i < dna_words(end) * 32; i++)
		good &= naive_code(dst, i) ==
			(i >= to && i < end ? naive_code(src, beg + i - to)
					    : naive_code(old, i));
	free(src);
	free(mask);
	free(dst);
	free(old);
	return good;
}

static bool
check_set(const uint8_t *s, size_t n)
{
	size_t words = (n + 63) / 64;
	size_t beg = below(&seed, n + 1), end = beg + below(&seed, n - beg + 1);
	uint64_t *mask = exact(words * 8), *old = exact(words * 8);
	bool good = true;

	(void)s;
	for (size_t i = 0; i < words; i++)
		mask[i] = old[i] = rnd(&seed) & rnd(&seed);
	bits_set(mask, beg, end);
	for (size_t i = 0; i < words * 64; i++)
		good &= naive_bit(mask, i) ==
			((i >= beg && i < end) || naive_bit(old, i));
	free(mask);
	free(old);
	return good;
}

static bool
check_revcomp(const uint8_t *s, size_t n)
{
	uint8_t *d = exact(n);
	bool good = true;

	memcpy(d, s, n);
	dna_revcomp(d, n);
	for (size_t i = 0; i < n; i++)
		good &= d[i] == dna_complement(s[n - 1 - i]);
	free(d);
	return good;
}

/* Sets and complements of all 256 bytes, from the IUPAC table. */
static void
test_letters(void)
{
	static const char *const iupac[] = {
		"AA", "CC", "GG", "TT", "UT", "RAG", "YCT", "SCG", "WAT", "KGT",
		"MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT",
	};
	uint8_t want[256] = { 0 };
	bool good = true, twice = true, flips = true;

	for (size_t i = 0; i < sizeof iupac / sizeof iupac[0]; i++)
		for (const char *p = iupac[i] + 1; *p; p++) {
			uint8_t bit = 1 << (strchr(acgt, *p) - acgt);

			want[(uint8_t)iupac[i][0]] |= bit;
			want[(uint8_t)iupac[i][0] | 32] |= bit;
		}
	for (unsigned c = 0; c < 256; c++) {
		uint8_t set = want[c], other = dna_complement((uint8_t)c);
		uint8_t mirror = (uint8_t)((set & 1) << 3 | (set & 2) << 1 |
					   (set & 4) >> 1 | (set & 8) >> 3);

		good &= dna_set((uint8_t)c) == set;
		flips &= set ? dna_set(other) == mirror &&
			       (other & 32) == (c & 32) : other == c;
		if ((c | 32) != 'u')
			twice &= dna_complement(other) == c;
	}
	ok(good, "the set of every byte");
	ok(flips, "the complement's set is the complement of the set");
	ok(twice, "complement twice");
	ok(dna_complement('A') == 'T' && dna_complement('a') == 't' &&
	   dna_complement('U') == 'A', "A gives T, U gives A");
}

/* Each byte by itself, at each place of a block. */
static void
test_bytes(void)
{
	bool good = true;

	for (unsigned c = 0; c < 256; c++)
		for (unsigned at = 0; at < 64; at++) {
			uint8_t s[64];

			memset(s, "ACGTN"[c % 5], sizeof s);
			s[at] = (uint8_t)c;
			good &= check_lines(s, 64) && check_pack(s, 64) &&
				check_valid(s, 64);
		}
	ok(good, "every byte at every place of a block");
}

int
main(void)
{
	test_letters();
	test_bytes();
	sweep("lines", check_lines);
	sweep("crlf", check_crlf);
	sweep("pack", check_pack);
	sweep("valid", check_valid);
	sweep("unpack", check_unpack);
	sweep("nibbles", check_nibbles);
	sweep("copy", check_copy);
	sweep("bits_set", check_set);
	sweep("revcomp", check_revcomp);
	return done();
}
