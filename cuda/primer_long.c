/* SPDX-License-Identifier: MIT */
/* primer_long.c - a text and a core of several words through a stream */
#include "cuda/primer_long.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"

enum {
	/*
	 * Multiples of 32.  Of a text of 200,000 letters and k = 100 stretches
	 * of 64 take 7 columns a letter, those of 128 4, and an eighth longer,
	 * as few warps wait for themselves; and 16 streams, which do 4,600 such
	 * cores in 49 ms at best, then have room for more (predicted).
	 */
	MIN_STRETCH = 128, MAX_STRETCH = 8192,
	BEHIND = 32,	/* columns, in which hits are watched */
	/* The CPU takes so many times as long for a word of a long core as for
	 * a short core, the unit of a pool's work. */
	WORD_WORK = 16,
};

uint64_t
primer_long_work(const struct primer_find_long *x)
{
	return x->rows > 32 * PRIMER_DEV_MAX_WORDS ? 0 :
	       x->n * primer_dev_words(x->rows) * WORD_WORK;
}

/* Letters from the last one on; rows that match all below them. */
static void
put_core(struct primer_dev_stream *s, const struct primer_find_long *x,
	 uint32_t words)
{
	uint32_t *to = s->eq, wild = 32 * words - x->rows;

	*s->rows = x->rows | (x->rows - x->core) << 16;
	memset(to, 0, PRIMER_DEV_SYMBOLS * words * sizeof *to);
	for (unsigned j = 0; j < x->n_symbols; j++, to += words) {
		for (uint32_t r = 0; r < wild; r++)
			to[r / 32] |= 1u << r % 32;
		for (uint32_t r = wild; r < 32 * words; r++) {
			uint8_t letter = x->letter[32 * words - 1 - r];

			to[r / 32] |= (x->holds[j] >> (letter - 1) & 1u) <<
				      r % 32;
		}
	}
}

/* n letters of the text, unless they are there.  In one search they are, if
 * they are all of it. */
static void
put_text(struct primer_dev_stream *s, const struct primer_find_long *x,
	 const uint8_t *from, uint32_t n)
{
	bool again = s->search == *x->search && n == x->n;
	uint32_t none = -n % 32;

	s->search = *x->search;
	if (s->held == n && (again || memcmp(s->text + none, from, n) == 0))
		return;
	s->held = 0;
	memset(s->text, 0, none);
	memcpy(s->text + none, from, n);
}

/* So long that the device is half full, if there are so many; they overlap. */
static uint32_t
stretch_length(const struct primer_dev_stream *s, uint64_t letters)
{
	uint64_t n = 2 * letters / ((uint64_t)s->threads + 1);

	return (uint32_t)min_u64(MAX_STRETCH, max_u64(MIN_STRETCH,
						       n / 32 * 32));
}

static int
take_hits(const struct primer_dev_stream *s, uint64_t n, uint64_t at,
	  struct primer_found *out, struct err *e)
{
	const struct primer_stretch first = { .at = at };
	uint64_t base = primer_stretch_put(&first);
	int rc = array_room(&out->v, &out->cap, out->n + n, sizeof *out->v, e);

	for (uint64_t i = 0; i < n && !rc; i++)
		out->v[out->n++] = s->hit[i] + base;
	return rc;
}

/* The text is read from its end on. */
int
primer_long_search(struct primer_dev_stream *s,
		   const struct primer_find_long *x, struct primer_found *out,
		   bool *all, struct err *e)
{
	struct primer_dev_piece p = {
		.cores = 1, .k = x->k, .words = primer_dev_words(x->rows),
		.over = (x->rows + x->k + 31) / 32 * 32,
	};
	uint64_t found;
	int rc = 0;

	*all = p.over < s->letters / 2 && p.words <= s->cores;
	if (*all)
		put_core(s, x, p.words);
	for (uint64_t at = 0, end; at < x->n && !rc && *all; at = end) {
		uint64_t base = at - min_u64(at, p.over), last;

		last = min_u64(x->n, base + s->letters);
		end = last < x->n ? last - BEHIND : last;
		p.letters = (uint32_t)(last - base);
		p.own = (uint32_t)(at - base);
		p.upto = (uint32_t)(end - base);
		p.stretch = stretch_length(s, end - at);
		put_text(s, x, x->text + x->n - last, p.letters);
		rc = primer_dev.run(s, &p, &found, e);
		*all = found <= s->hits;
		if (!rc && *all)
			rc = take_hits(s, found, x->n - last, out, e);
	}
	return rc;
}
