/* SPDX-License-Identifier: MIT */
/*
 * chunk_pack.c - letters to planes or nibbles, and runs of what is left
 *
 * A row is packed in tiles that stay in the nearest cache: planes, and
 * exceptions and case as words of which runs are made.  An attempt is given
 * up as soon as its runs cost more than ASCII.
 */
#include "stream/chunk_pack.h"
#include "stream/chunk_head.h"

#include <endian.h>

static uint8_t
upper(uint8_t c)
{
	return (uint8_t)(c - 'a') < 26 ? c - 32 : c;
}

/*
 * End of the run of letters equal to s[i], case aside, in s[0..n).  In words:
 * letters and * - . differ in other bits than case.
 */
static size_t
run_end(const uint8_t *s, size_t i, size_t n)
{
	const uint64_t no_case = 0xdfdfdfdfdfdfdfdf;
	uint8_t c = upper(s[i]);
	uint64_t want = (c & 0xdf) * (uint64_t)0x0101010101010101, x;

	for (; n - i >= 8; i += 8) {
		memcpy(&x, s + i, 8);
		if ((x & no_case) != want)
			break;
	}
	while (i < n && upper(s[i]) == c)
		i++;
	return i;
}

/* Append a run of places [beg, beg + n), or lengthen the last one by it. */
static void
add_run(struct buf *b, uint64_t beg, uint64_t n, uint8_t letter, uint64_t max)
{
	if (b->n) {
		uint8_t *last = b->p + b->n - CHUNK_RUN;
		uint64_t at = get_le(last, 4), len = get_le(last + 4, 4);
		uint64_t is = letter ? len >> 24 : 0, more;

		len = letter ? len & CHUNK_RUN_MAX : len;
		if (at + len == beg && is == letter) {
			more = max - len < n ? max - len : n;
			put_le(last + 4, (len + more) | is << 24, 4);
			beg += more;
			n -= more;
		}
	}
	while (n) {
		uint64_t take = n < max ? n : max;

		buf_u32(b, (uint32_t)beg);
		buf_u32(b, (uint32_t)(take | (uint64_t)letter << 24));
		beg += take;
		n -= take;
	}
}

/* Exceptions of n letters s that stand at place `at`; false: there is a U. */
static bool
add_exceptions(struct packer *p, const uint8_t *s, size_t n, uint64_t at)
{
	size_t i = 0;

	while (i < n) {
		uint64_t w = p->bits[i / 64] >> i % 64;
		size_t end;
		uint8_t c;

		if (!w) {
			i = (i / 64 + 1) * 64;
			continue;
		}
		i += (size_t)__builtin_ctzll(w);
		c = upper(s[i]);
		if (c == 'U')
			return false;
		end = run_end(s, i, n);
		if (!p->four || !dna_set(c))
			add_run(&p->exc, at + i, end - i, c, CHUNK_RUN_MAX);
		p->n_foreign += !dna_set(c);
		i = end;
	}
	return true;
}

/* Runs of set bits of p->low. */
static void
add_lower(struct packer *p, size_t n, uint64_t at)
{
	size_t i = 0;

	while (i < n) {
		uint64_t w = p->low[i / 64] >> i % 64;
		size_t beg, left = 64 - i % 64;

		if (!w) {
			i += left;
			continue;
		}
		beg = i += (size_t)__builtin_ctzll(w);
		/* bits above n are 0 */
		for (;;) {
			w = ~p->low[i / 64] >> i % 64;
			left = 64 - i % 64;
			if (w) {
				i += (size_t)__builtin_ctzll(w);
				break;
			}
			i += left;
			if (i >= n)
				break;
		}
		add_run(&p->lower, at + beg, i - beg, 0, UINT32_MAX);
	}
}

/* n letters as T for U into p->copy; false: there is a T as well. */
static bool
as_dna(struct packer *p, const uint8_t *s, size_t n)
{
	bool t = false;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = upper(s[i]);

		t |= c == 'T';
		p->copy[i] = c == 'U' ? s[i] - 1 : s[i];
	}
	return !t;
}

/* Codes of n letters; others, and the last nibbles of the unit, are 0. */
static void
put_nibbles(uint8_t *to, const uint8_t *s, size_t n)
{
	static const uint8_t code[32] = {
		['A' & 31] = 1, ['C' & 31] = 2,	 ['M' & 31] = 3,
		['G' & 31] = 4, ['R' & 31] = 5,	 ['S' & 31] = 6,
		['V' & 31] = 7, ['T' & 31] = 8,	 ['W' & 31] = 9,
		['Y' & 31] = 10, ['H' & 31] = 11, ['K' & 31] = 12,
		['D' & 31] = 13, ['B' & 31] = 14, ['N' & 31] = 15,
	};

	memset(to, 0, (n + 63) / 64 * 32);
	for (size_t i = 0; i < n; i++)
		if (upper(s[i]) >= 'A')
			to[i / 2] |= (uint8_t)(code[s[i] & 31] << i % 2 * 4);
}

/* n <= PACK_TILE letters to place `at`, a multiple of 64. */
static enum pack_verdict
pack_tile(struct packer *p, const uint8_t *s, size_t n, uint64_t at)
{
	/* 2-bit: straight into the payload, whose sections are aligned */
	uint64_t *planes = p->four ? p->planes :
	    (uint64_t *)(void *)(p->letters + at / 4);
	size_t n_words = dna_words(n);
	unsigned has;

	if (p->rna) {
		if (!as_dna(p, s, n))
			return PACK_TOO_BIG;
		s = p->copy;
	}
	has = p->ops->pack(s, n, planes, p->bits, p->low);
	if (has & DNA_HAS_EXC && !add_exceptions(p, s, n, at))
		return PACK_HAS_U;
	if (has & DNA_HAS_LOWER)
		add_lower(p, n, at);
	if (p->exc.bad || p->lower.bad)
		return PACK_NO_MEMORY;
	if (p->exc.n + p->lower.n > p->budget)
		return PACK_TOO_BIG;
	if (p->four) {
		put_nibbles(p->letters + at / 2, s, n);
		return PACK_OK;
	}
	for (size_t i = 0; i < n_words; i++)
		planes[i] = htole64(planes[i]);
	return PACK_OK;
}

enum pack_verdict
pack_rows(struct packer *p, const struct chunk_raw *c)
{
	uint64_t at = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		const uint8_t *s = c->letters + c->row[i].at;
		uint64_t n = c->row[i].n, done = 0;

		at = chunk_next_at(CHUNK_2BIT, at);
		while (done < n) {
			uint64_t left = n - done;
			size_t take = left < PACK_TILE ? left : PACK_TILE;
			enum pack_verdict v;

			v = pack_tile(p, s + done, take, at + done);
			if (v != PACK_OK)
				return v;
			done += take;
		}
		at += n;
	}
	return PACK_OK;
}
