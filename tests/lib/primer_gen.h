/* SPDX-License-Identifier: MIT */
/* primer_gen.h - random cases for primer's tests, and a run of one */
#ifndef SEQF_PRIMER_GEN_H
#define SEQF_PRIMER_GEN_H

#include "primer/primer_priv.h"
#include "tests/oracle/oracle_primer.h"
#include "tests/lib/tap.h"

enum { PCASE_TARGETS = 4, PCASE_TEXTS = 3 };

struct pletters {
	uint8_t *s;
	size_t n;
	bool minus;		/* a text: read backwards, complemented */
	uint64_t *end;		/* a target: what it should be */
};

struct pcase {
	uint64_t seed;
	struct primer_params par;
	struct primer_force force;
	const struct primer_backend *backend;	/* or NULL */
	struct pletters target[PCASE_TARGETS], text[PCASE_TEXTS];
	size_t n_targets, n_texts;
	struct primer_stats stats;	/* of the last run */
	char why[200];
};

static inline void *
pcase_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

static inline void
pcase_free(struct pcase *c)
{
	for (size_t i = 0; i < c->n_targets; i++) {
		free(c->target[i].s);
		free(c->target[i].end);
	}
	for (size_t i = 0; i < c->n_texts; i++)
		free(c->text[i].s);
	c->n_targets = c->n_texts = 0;
}

/* Letters of an alphabet of sigma; some others, one in `odd`. */
static inline struct pletters
pcase_letters(struct pcase *c, size_t n, unsigned sigma, uint64_t odd)
{
	static const char of[] = "ACGTX", odds[] = "NnRYSWKMBDHVacgtuU*-r";
	struct pletters x = { .s = pcase_alloc(n), .n = n };
	uint64_t period = below(&c->seed, 4) ? 0 : 1 + below(&c->seed, 9);

	for (size_t i = 0; i < n; i++) {
		x.s[i] = (uint8_t)of[below(&c->seed, sigma)];
		if (period && i >= period && below(&c->seed, 30))
			x.s[i] = x.s[i - period];
		else if (odd && !below(&c->seed, odd))
			x.s[i] = (uint8_t)odds[below(&c->seed,
						     sizeof odds - 1)];
	}
	return x;
}

/*
 * A copy of letters of a into t, `percent` of them changed; at begins and ends
 * of either, too.
 */
static inline void
pcase_plant(struct pcase *c, struct pletters *t, const struct pletters *a,
	    uint64_t percent)
{
	uint64_t len = 1 + below(&c->seed, 1 + (a->n < 300 ? a->n : 300));
	size_t i = a->n ? below(&c->seed, a->n) : 0;
	size_t j = t->n ? below(&c->seed, t->n) : 0;
	uint64_t how = below(&c->seed, 8);

	if (how == 0)
		j = 0;
	if (how == 1)
		j = t->n - (len < t->n ? len : t->n);
	if (how == 2)
		i = 0;
	if (how == 3)
		i = a->n - (len < a->n ? len : a->n);
	for (; len && i < a->n && j < t->n; len--) {
		uint64_t r = below(&c->seed, 100);

		if (r >= percent)
			t->s[j++] = a->s[i++];
		else if (r % 3 == 0)
			i++;
		else if (r % 3 == 1)
			j++;
		else
			t->s[j++] = "ACGT"[below(&c->seed, 4)], i++;
	}
}

/* Runs of letters that match nothing, of up to 2 k and a few, some long. */
static inline void
pcase_runs(struct pcase *c, struct pletters *t)
{
	uint64_t most = 2 * (c->par.k < 40 ? c->par.k : 40) + 3;

	for (uint64_t i = below(&c->seed, 5); t->n && i; i--) {
		size_t at = below(&c->seed, t->n);
		uint64_t len = below(&c->seed, 5) ? below(&c->seed, most) : 90;

		for (; len && at < t->n; len--)
			t->s[at++] = below(&c->seed, 9) ? 'N' : '*';
	}
}

/* Planted copies of targets in texts. */
static inline void
pcase_relate(struct pcase *c)
{
	uint64_t percent = below(&c->seed, 40), n = below(&c->seed, 9);

	for (uint64_t i = 0; i < n; i++)
		pcase_plant(c, &c->text[below(&c->seed, c->n_texts)],
			    &c->target[below(&c->seed, c->n_targets)],
			    below(&c->seed, 3) ? percent : 0);
}

/*
 * A case of up to m letters a target, n a text; the alphabet's letters, k and
 * max_len as chance will have it.
 */
static inline void
pcase_random(struct pcase *c, uint64_t seed, size_t m, size_t n)
{
	unsigned sigma = 2 + (unsigned)below(&seed, 4);
	uint64_t odd_a = below(&seed, 3) ? 0 : 1 + below(&seed, 60);
	uint64_t odd_t = below(&seed, 2) ? 0 : 1 + below(&seed, 60);
	static const uint64_t lens[] = { 0, 0, 1, 8, 30, 63, 64, 200 };

	*c = (struct pcase){ .seed = seed };
	c->par.alphabet = below(&c->seed, 3) ? PRIMER_DNA : PRIMER_LITERAL;
	c->par.k = 1 + below(&c->seed, below(&c->seed, 4) ? 8 : m + 5);
	c->par.max_len = lens[below(&c->seed, 8)];
	if (c->par.max_len > 1)
		c->par.max_len = 1 + below(&c->seed, c->par.max_len);
	c->n_targets = 1 + below(&c->seed, below(&c->seed, 2) ? 1 : 4);
	c->n_texts = 1 + below(&c->seed, below(&c->seed, 2) ? 1 : 3);
	for (size_t i = 0; i < c->n_targets; i++) {
		c->target[i] = pcase_letters(c, below(&c->seed, m + 1), sigma,
					     odd_a);
		c->target[i].end = pcase_alloc(c->target[i].n * 8);
	}
	for (size_t i = 0; i < c->n_texts; i++) {
		c->text[i] = pcase_letters(c, below(&c->seed, n + 1), sigma,
					   odd_t);
		c->text[i].minus = c->par.alphabet == PRIMER_DNA &&
				   below(&c->seed, 2);
	}
	pcase_relate(c);
	for (size_t i = 0; i < c->n_texts; i++)
		if (!below(&c->seed, 3))
			pcase_runs(c, &c->text[i]);
}

/* Stretches of exact repeats in a text, with nothing, little or much between
 * them, at its ends, too; some of them the target has, and what is around. */
static inline void
pcase_put_repeats(struct pcase *c, struct pletters *t, const struct pletters *a)
{
	for (size_t at = 0; at < t->n; at += below(&c->seed, 60)) {
		size_t period = 1 + below(&c->seed, 14), end;

		end = at + below(&c->seed, 1 + below(&c->seed, 900));
		for (size_t i = 0; i < period && at < t->n; i++, at++)
			if (below(&c->seed, 2) && a->n)
				t->s[at] = a->s[(at + period) % a->n];
		for (; at < end && at < t->n; at++)
			t->s[at] = t->s[at - period];
		if (at < t->n && a->n && below(&c->seed, 2))
			pcase_plant(c, t, a, 5);
	}
}

/* A case of repeats, some of a text's letters in the first target. */
static inline void
pcase_repeats(struct pcase *c, uint64_t seed)
{
	pcase_random(c, seed, 60, 3000);
	c->par.k = 1 + below(&c->seed, 7);
	for (size_t t = 0; t < c->n_texts; t++)
		pcase_put_repeats(c, &c->text[t], &c->target[0]);
	if (c->target[0].n && c->text[0].n > 100) {
		size_t n = c->target[0].n;
		size_t at = below(&c->seed, c->text[0].n - (n < 100 ? n : 100));

		memcpy(c->target[0].s, c->text[0].s + at, n);
	}
}

/* What the definition says. */
static inline void
pcase_want(struct pcase *c)
{
	struct oracle_primer o = { c->par.alphabet == PRIMER_LITERAL,
				   c->par.k, c->par.max_len };

	for (size_t i = 0; i < c->n_targets; i++) {
		struct pletters *a = &c->target[i];

		memset(a->end, 0, a->n * 8);
		for (size_t t = 0; t < c->n_texts; t++)
			oracle_primer(&o, a->s, a->n, c->text[t].s,
				      c->text[t].n, c->text[t].minus, a->end);
	}
}

static inline struct primer *
pcase_primer(const struct pcase *c, enum primer_engine engine)
{
	struct primer_params par = c->par;
	struct primer *p;
	struct err e;

	par.engine = engine;
	if (primer_new(&p, &par, &e))
		abort();
	p->force = c->force;
	primer_set_backend(p, engine == PRIMER_PLAIN ? NULL : c->backend);
	for (size_t i = 0; i < c->n_targets; i++)
		if (primer_add(p, c->target[i].s, c->target[i].n, &e))
			abort();
	return p;
}

/* The symbols of letters [beg, end) of a text as it is read, by itself. */
static inline uint8_t *
pcase_symbols(const struct primer *p, const struct pletters *t, size_t beg,
	      size_t end)
{
	const uint8_t *of = primer_symbols(p, t->minus);
	uint8_t *s = pcase_alloc(end - beg);

	for (size_t i = beg; i < end; i++)
		s[i - beg] = of[t->s[t->minus ? t->n - 1 - i : i]];
	return s;
}

/* Pieces [n] of a text, each with the context it needs. */
struct ppiece {
	size_t text, beg, end;
};

static inline size_t
pcase_pieces(const struct pcase *c, const struct primer *p, uint64_t size,
	     struct ppiece **to)
{
	uint64_t before = primer_span(p) ? primer_span(p) - 1 : 0;
	size_t n = 0;

	*to = NULL;
	for (size_t t = 0; t < c->n_texts; t++)
		for (size_t at = 0; at < c->text[t].n; at += size) {
			size_t end = c->text[t].n - at < size ? c->text[t].n :
				     at + size;

			*to = realloc(*to, (n + 1) * sizeof **to);
			if (!*to)
				abort();
			(*to)[n++] = (struct ppiece){
				t, at < before ? 0 : at - before, end
			};
		}
	return n;
}

static inline void
pcase_add_stats(struct primer_stats *to, const struct primer_stats *s)
{
	to->columns += s->columns;
	to->checks += s->checks;
	to->seeds += s->seeds;
	to->blocks += s->blocks;
	to->plain += s->plain;
	to->found += s->found;
	to->reported += s->reported;
}

static inline bool
pcase_search(const struct primer *p, const struct pcase *c,
	     const struct ppiece *x, uint64_t from, uint64_t to,
	     struct primer_work *w)
{
	uint8_t *s = pcase_symbols(p, &c->text[x->text], x->beg, x->end);
	struct err e;
	int rc = primer_search((struct primer *)p, s, x->end - x->beg, from,
			       to, w, &e);

	free(s);
	return !rc;
}

/* Ends by an engine that is trusted: the plain one, which the definition has
 * vouched for and which takes a small part of its time. */
static inline void
pcase_want_by(struct pcase *c, enum primer_engine engine)
{
	struct primer *p = pcase_primer(c, engine);
	struct primer_work *w;
	struct err e;

	if (primer_work_new(&w, &e))
		abort();
	for (size_t t = 0; t < c->n_texts; t++) {
		struct ppiece x = { t, 0, c->text[t].n };

		if (!pcase_search(p, c, &x, 0, UINT64_MAX, w))
			abort();
	}
	for (size_t i = 0; i < c->n_targets; i++)
		primer_target_ends(p, i, c->target[i].end);
	c->stats = *primer_work_stats(w);
	primer_work_free(w);
	primer_delete(p);
}

/* Do ends agree with what they should be? */
static inline bool
pcase_same(struct pcase *c, const struct primer *p, const char *how)
{
	bool good = true;

	for (size_t i = 0; i < c->n_targets && good; i++) {
		size_t n = c->target[i].n;
		uint64_t *end = pcase_alloc(n * 8);

		primer_target_ends(p, i, end);
		for (size_t j = 0; j < n && good; j++) {
			good = end[j] == c->target[i].end[j];
			if (!good)
				snprintf(c->why, sizeof c->why, "%s: target "
					 "%zu end(%zu) is %llu, not %llu", how,
					 i, j, (unsigned long long)end[j],
					 (unsigned long long)
					 c->target[i].end[j]);
		}
		free(end);
	}
	return good;
}

/*
 * A run: all pieces of all texts in any order, some twice, the places in one
 * range or in several.
 */
static inline bool
pcase_run(struct pcase *c, enum primer_engine engine, uint64_t size,
	  const char *how)
{
	struct primer *p = pcase_primer(c, engine);
	struct primer_work *w;
	struct ppiece *x;
	struct err e;
	size_t n = pcase_pieces(c, p, size, &x);
	uint64_t cut = below(&c->seed, 2) ? 0 :
		       below(&c->seed, primer_places(p) + 1);
	bool good = true;

	if (primer_work_new(&w, &e))
		abort();
	for (size_t left = n; left && good; left--) {
		size_t i = below(&c->seed, left);
		struct ppiece was = x[i];

		x[i] = x[left - 1];
		good = pcase_search(p, c, &was, cut, UINT64_MAX, w);
		if (cut)
			good &= pcase_search(p, c, &was, 0, cut, w);
	}
	if (!good)
		snprintf(c->why, sizeof c->why, "%s: no memory", how);
	c->stats = (struct primer_stats){ 0 };
	pcase_add_stats(&c->stats, primer_work_stats(w));
	good = good && pcase_same(c, p, how);
	primer_work_free(w);
	primer_delete(p);
	free(x);
	return good;
}

/* The engines' ways: cores of any length, small tiles, slices, or neither. */
static inline void
pcase_force(struct pcase *c)
{
	c->force = (struct primer_force){ 0 };
	if (below(&c->seed, 2))
		c->force.rows = 1 + (unsigned)below(&c->seed, 32);
	if (below(&c->seed, 2))
		c->force.tile = 1 + (unsigned)below(&c->seed, 60);
	c->force.cores = below(&c->seed, 3) == 0;
	c->force.slices = (enum primer_force_slices)below(&c->seed, 3);
	c->force.seeds = (enum primer_force_seeds)below(&c->seed, 3);
	c->force.slices = (enum primer_force_slices)below(&c->seed, 3);
}

/* All engines against ends that are known. */
static inline bool
pcase_engines(struct pcase *c)
{
	static const char *const names[] = { "auto", "plain", "blocks",
					     "short" };
	bool good = true;

	for (int i = PRIMER_AUTO; i <= PRIMER_SHORT && good; i++) {
		uint64_t size = below(&c->seed, 2) ? SIZE_MAX / 2 :
				1 + below(&c->seed, 400);

		if (i == PRIMER_SHORT &&
		    (c->par.max_len < 1 || c->par.max_len > 63))
			continue;
		pcase_force(c);
		good = pcase_run(c, (enum primer_engine)i, size, names[i]);
	}
	return good;
}

#endif
