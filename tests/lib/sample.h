/* SPDX-License-Identifier: MIT */
/* sample.h - chunks of letters of all kinds */
#ifndef SEQF_SAMPLE_H
#define SEQF_SAMPLE_H

#include "rec/rec.h"
#include "tests/lib/tap.h"

enum { MAX_ROWS = 40, ROOM = 1 << 17 };

static const char *const kinds[] = {
	"ACGT", "ACGTACGTACGTACGTN", "ACGTacgt", "ACGU", "acgu",
	"ACGTRYSWKMBDHVN", "ACDEFGHIKLMNPQRSTVWY*", "ACGTU", "N", "nN",
	"*-.", "ACGT-", "A", "U", "acgtryswkmbdhvn",
	("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-."),
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

struct sample {
	struct chunk_raw raw;
	struct chunk_row row[MAX_ROWS];
	uint8_t letters[ROOM];
};

/* Letters in runs: `mean` is about the length of one. */
static inline void
letters(uint8_t *s, size_t n, const char *from, unsigned mean, uint64_t *seed)
{
	size_t len = strlen(from);
	uint8_t c = (uint8_t)from[below(seed, len)];

	for (size_t i = 0; i < n; i++) {
		if (below(seed, mean) == 0)
			c = (uint8_t)from[below(seed, len)];
		s[i] = c;
	}
}

static inline void
make_row(struct chunk_row *r, uint64_t at, uint64_t n, uint64_t *seed)
{
	memset(r, 0, sizeof *r);
	r->ordinal = rnd(seed) >> below(seed, 64);
	r->beg = below(seed, 3) ? below(seed, 1000) : 0;
	r->n = n;
	r->at = at;
	r->own_beg = r->beg + below(seed, n + 1);
	r->own_end = r->own_beg + below(seed, r->beg + n - r->own_beg + 1);
	r->flags = (unsigned)below(seed, 4);
	if (r->flags & CHUNK_LAST)
		r->length = r->beg + n;
	r->name.p = "chromosome_17";
	r->name.n = below(seed, 14);
	if (r->flags & CHUNK_FIRST) {
		r->desc.p = "some words\tabout it";
		r->desc.n = below(seed, 20);
	}
}

static inline void
make(struct sample *s, const char *kind, unsigned mean, size_t n_rows,
     size_t most, uint64_t *seed)
{
	uint64_t at = 0;
	bool filed = below(seed, 2);

	memset(&s->raw, 0, sizeof s->raw);
	for (size_t i = 0; i < n_rows; i++) {
		uint64_t n = below(seed, 8) ? below(seed, most + 1) : 0;

		if (below(seed, 5) == 0)
			n = n / 64 * 64;
		make_row(&s->row[i], at, n, seed);
		s->row[i].file = filed ? 1 + (uint32_t)(rnd(seed) >> 40) : 0;
		letters(s->letters + at, n, kind, mean, seed);
		at += n + below(seed, 3);
	}
	s->raw.run.id = rnd(seed);
	s->raw.run.base = (struct str){ "genome.fa", 9 };
	s->raw.run.first = (struct str){ "chr1", 4 };
	s->raw.run.hash = rnd(seed);
	s->raw.serial = rnd(seed);
	s->raw.row = s->row;
	s->raw.n_rows = n_rows;
	s->raw.letters = s->letters;
}

static inline bool
same_str(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

#endif
