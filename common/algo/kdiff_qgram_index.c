/* SPDX-License-Identifier: MIT */
/* kdiff_qgram_index.c - the patterns' q-grams, to be found by their number */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_qgram.h"
#include "base/dna.h"

void
kdiff_qgram_free(struct kdiff_qgram *f)
{
	if (!f)
		return;
	free(f->set.pat);
	free(f->number);
	free(f->rest);
	free(f->pat);
	free(f->store);
	free(f->pieces);
	free(f->bits);
	free(f->rank);
	free(f->start);
	free(f->seed);
	free(f);
}

static void
put(struct kdiff_qgram *f, const struct kdiff_pat *p, uint32_t number)
{
	f->number[f->set.n] = number;
	f->set.pat[f->set.n++] = *p;
	f->cycles += kdiff_plain_cycles(&f->set, p);
}

/* Patterns with pieces of `least` letters, and the others. */
static int
divide(struct kdiff_qgram *f, const struct kdiff_set *set, unsigned least,
       struct err *e)
{
	f->set = *set;
	f->set.n = 0;
	f->set.filter = NULL;
	f->set.lazy = NULL;
	f->set.pat = malloc(set->n * sizeof *f->set.pat);
	f->number = malloc(set->n * sizeof *f->number);
	f->rest = malloc(set->n * sizeof *f->rest);
	if (!f->set.pat || !f->number || !f->rest)
		return err_nomem(e, set->n * sizeof *f->set.pat);
	for (uint32_t i = 0; i < set->n; i++)
		if (set->pat[i].piece >= least)
			put(f, &set->pat[i], i);
		else
			f->rest[f->n_rest++] = i;
	return 0;
}

/* Where the pattern's k + 1 pieces begin. */
static void
cut(const struct kdiff_set *set, const struct kdiff_pat *p, uint32_t *piece)
{
	unsigned run = 0;

	for (uint32_t i = 0, n = 0; n <= p->k; i++) {
		unsigned s = set->sym[p->code[i]];

		run = s & (s - 1) ? 0 : run + 1;
		if (run == p->piece) {
			run = 0;
			piece[n++] = i + 1 - p->piece;
		}
	}
}

static void
planes(const struct kdiff_set *set, const struct kdiff_pat *p,
       struct qgram_pat *x)
{
	for (uint32_t i = 0; i < p->m; i++) {
		unsigned s = set->sym[p->code[i]];
		uint64_t bit = 1ull << i % 64;

		x->lo[i / 64] |= s == DNA_C || s == DNA_T ? bit : 0;
		x->hi[i / 64] |= s == DNA_G || s == DNA_T ? bit : 0;
		x->any[i / 64] |= s & (s - 1) ? bit : 0;
	}
}

/* The seed of piece j of pattern i, without its skip. */
static struct qgram_seed
seed_of(const struct kdiff_qgram *f, uint32_t i, uint32_t j)
{
	const struct qgram_pat *p = &f->pat[i];
	uint32_t at = p->piece[j];
	unsigned b = at % 64;

	return (struct qgram_seed){
		p->lo[at / 64] >> b | p->lo[at / 64 + 1] << 1 << (63 - b),
		p->hi[at / 64] >> b | p->hi[at / 64 + 1] << 1 << (63 - b),
		i, j, f->set.pat[i].piece, 0,
	};
}

static int
patterns(struct kdiff_qgram *f, struct err *e)
{
	const struct kdiff_set *s = &f->set;
	size_t words = 0, pieces = 0;
	uint64_t *to;
	uint32_t *piece;

	for (size_t i = 0; i < s->n; i++) {
		words += 3 * (s->pat[i].m / 64 + 3);
		pieces += s->pat[i].k + 1;
	}
	f->pat = calloc(s->n, sizeof *f->pat);
	f->store = to = calloc(words, sizeof *to);
	f->pieces = piece = malloc(pieces * sizeof *piece);
	if (!f->pat || !to || !piece)
		return err_nomem(e, words * sizeof *to);
	for (size_t i = 0; i < s->n; i++) {
		size_t n = s->pat[i].m / 64 + 3;
		struct qgram_pat *x = &f->pat[i];

		*x = (struct qgram_pat){ to + 1, to + n + 1, to + 2 * n + 1,
					 piece };
		to += 3 * n;
		piece += s->pat[i].k + 1;
		cut(s, &s->pat[i], x->piece);
		planes(s, &s->pat[i], x);
	}
	f->n_seed = pieces * f->sieve.step;
	return 0;
}

/* Call todo for each seed and its q-gram. */
static void
each(struct kdiff_qgram *f, void (*todo)(struct kdiff_qgram *f, uint64_t g,
					 const struct qgram_seed *s))
{
	uint64_t mask = (1ull << f->sieve.q) - 1;

	for (uint32_t i = 0; i < f->set.n; i++)
		for (uint32_t j = 0; j <= f->set.pat[i].k; j++) {
			struct qgram_seed s = seed_of(f, i, j);

			for (; s.skip < f->sieve.step; s.skip++)
				todo(f, (s.lo >> s.skip & mask) |
				     (s.hi >> s.skip & mask) << f->sieve.q,
				     &s);
		}
}

static void
mark(struct kdiff_qgram *f, uint64_t g, const struct qgram_seed *s)
{
	(void)s;
	f->bits[g / 64] |= 1ull << g % 64;
}

static void
count(struct kdiff_qgram *f, uint64_t g, const struct qgram_seed *s)
{
	(void)s;
	kdiff_qgram_slot(f, g)[2]++;
}

static void
store(struct kdiff_qgram *f, uint64_t g, const struct qgram_seed *s)
{
	f->seed[kdiff_qgram_slot(f, g)[1]++] = *s;
}

static int
table(struct kdiff_qgram *f, struct err *e)
{
	size_t n_words = (1ull << 2 * f->sieve.q) / 64, n = 0;

	n_words += n_words == 0;
	f->bits = aligned_alloc(64, (n_words * 8 + 63) / 64 * 64);
	f->rank = malloc(n_words * sizeof *f->rank);
	f->seed = malloc(f->n_seed * sizeof *f->seed);
	if (!f->bits || !f->rank || !f->seed)
		return err_nomem(e, f->n_seed * sizeof *f->seed);
	f->sieve.bits = f->bits;
	memset(f->bits, 0, n_words * 8);
	each(f, mark);
	for (size_t i = 0; i < n_words; i++) {
		f->rank[i] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(f->bits[i]);
	}
	/* counted two places on, stored one on: then each is in its own */
	f->start = calloc(n + 2, sizeof *f->start);
	if (!f->start)
		return err_nomem(e, n * sizeof *f->start);
	each(f, count);
	for (size_t i = 1; i < n + 2; i++)
		f->start[i] += f->start[i - 1];
	each(f, store);
	return 0;
}

int
kdiff_qgram_new(struct kdiff_qgram **out, const struct kdiff_set *set,
		const struct qgram_plan *p, struct err *e)
{
	struct kdiff_qgram *f = calloc(1, sizeof *f);
	int r;

	*out = NULL;
	if (!f)
		return err_nomem(e, sizeof *f);
	f->sieve.q = p->q;
	f->sieve.step = p->step;
	r = divide(f, set, p->least, e);
	if (!r)
		r = patterns(f, e);
	if (!r)
		r = table(f, e);
	if (r < 0) {
		kdiff_qgram_free(f);
		return r;
	}
	*out = f;
	return 0;
}
