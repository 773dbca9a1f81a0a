/* SPDX-License-Identifier: MIT */
/* gap_case.h - a job of words in the gaps of others, and its results */
#ifndef SEQF_GAP_CASE_H
#define SEQF_GAP_CASE_H

#include <string.h>

#include "ebwt/ebwt_gap.h"
#include "tests/oracle/oracle_ebwt.h"
#include "tests/lib/tap.h"

enum { GCASE_LISTS = 3, GCASE_JOBS = 9 };
struct gcase {
	uint64_t seed;
	bool de;
	size_t most;		/* letters of v, and of words */
	struct ebwt_gap_words words[GCASE_LISTS];
	uint8_t *letters[GCASE_LISTS], *v[GCASE_JOBS];
	struct gap_list list[GCASE_LISTS];
	const struct gap_list *lists[GCASE_LISTS];
	struct gap_job job[GCASE_JOBS];
	uint16_t *next, *runs;
	double *de_of;
	uint64_t *term;
	uint64_t n_next, n_out;
	struct gap_batch j;
};

static inline void *
gcase_alloc(size_t n)
{
	void *p = calloc(n + 1, 1);

	if (!p)
		abort();
	return p;
}

static inline void
gcase_fill(struct gcase *c, uint8_t *s, size_t n, bool others)
{
	static const char *const kinds[] = { "A", "AC", "ACGT", "GT", "AAAT",
					     "ACGTN" };
	const char *kind = kinds[below(&c->seed, others ? 6 : 5)];

	for (size_t i = 0; i < n; i++)
		s[i] = (uint8_t)kind[below(&c->seed, strlen(kind))];
}

/* Alike, or one letter again and again, or one another's rotations. */
static inline void
gcase_list(struct gcase *c, unsigned i, uint32_t n, size_t len)
{
	uint8_t *s = c->letters[i] = gcase_alloc(n * len);
	unsigned kind = (unsigned)below(&c->seed, 4);
	size_t root = kind == 1 ? 1 + below(&c->seed, len) : len;
	struct err e;

	gcase_fill(c, s, len, false);
	for (size_t k = root; k < len; k++)
		s[k] = s[k - root];
	for (uint32_t k = 1; k < n; k++) {
		uint8_t *to = s + k * len, *old = to - len;
		size_t turn = kind == 2 ? below(&c->seed, len) : 0;

		for (size_t at = 0; at < len; at++)
			to[at] = old[(at + turn) % len];
		if (kind == 3)
			gcase_fill(c, to, len, false);
		else
			to[below(&c->seed, len)] =
				(uint8_t)"ACGT"[below(&c->seed, 4)];
	}
	c->words[i] = (struct ebwt_gap_words){ s, len, n, NULL, NULL };
	if (ebwt_gap_sort(&c->words[i], &e) ||
	    gap_list_new(&c->list[i], &c->words[i], &e))
		abort();
	c->lists[i] = &c->list[i];
}

/* Any word, or one of the list, or its rotation or power, or much like it. */
static inline size_t
gcase_word(struct gcase *c, unsigned list, uint8_t **v, size_t m)
{
	const struct ebwt_gap_words *w = &c->words[list];
	const uint8_t *u = w->letters + below(&c->seed, w->n) * w->len;
	unsigned kind = (unsigned)below(&c->seed, 4);
	size_t turn = below(&c->seed, w->len);

	if (kind == 1 && w->len <= c->most)
		m = w->len * (1 + below(&c->seed, c->most / w->len));
	*v = gcase_alloc(m);
	gcase_fill(c, *v, m, true);
	for (size_t i = 0; i < m && kind; i++)
		(*v)[i] = u[(i + turn) % w->len];
	if (kind == 3)
		gcase_fill(c, *v + below(&c->seed, m), 1, true);
	return m;
}

static inline void
gcase_job(struct gcase *c, unsigned k, unsigned n_lists, size_t m)
{
	struct gap_job *x = &c->job[k];
	struct ebwt_gap g;
	struct err e;

	x->list = (uint32_t)below(&c->seed, n_lists);
	x->next = c->n_next;
	x->out = c->n_out;
	x->m = (uint32_t)gcase_word(c, x->list, &c->v[k], m);
	c->n_next += 4 * (x->m + 1ull);
	c->n_out += c->list[x->list].n;
	c->next = realloc(c->next, c->n_next * sizeof *c->next);
	if (!c->next || ebwt_gap_new(&g, c->v[k], x->m, &e))
		abort();
	gap_table(&g, c->next + x->next);
	ebwt_gap_free(&g);
}

/* Words of at most so many letters each; each list of at most n. */
static inline void
gcase_make(struct gcase *c, uint64_t seed, size_t most, uint32_t n, bool de)
{
	unsigned n_lists, n_jobs;
	uint64_t runs = 0;

	*c = (struct gcase){ .seed = seed, .de = de, .most = most };
	n_lists = 1 + (unsigned)below(&c->seed, GCASE_LISTS);
	n_jobs = 1 + (unsigned)below(&c->seed, GCASE_JOBS);
	for (unsigned i = 0; i < n_lists; i++)
		gcase_list(c, i, 1 + (uint32_t)below(&c->seed, n),
			   1 + below(&c->seed, most));
	for (unsigned k = 0; k < n_jobs; k++) {
		gcase_job(c, k, n_lists, 1 + below(&c->seed, most));
		if (gap_most_runs(c->list[c->job[k].list].len, c->job[k].m) >
		    runs)
			runs = gap_most_runs(c->list[c->job[k].list].len,
					     c->job[k].m);
	}
	/* what nobody writes is no answer */
	c->runs = gcase_alloc(c->n_out * sizeof *c->runs);
	memset(c->runs, 0xee, c->n_out * sizeof *c->runs);
	if (de) {
		c->de_of = gcase_alloc(c->n_out * sizeof *c->de_of);
		c->term = gap_terms_new((uint32_t)runs);
		if (!c->term)
			abort();
	}
	c->j = (struct gap_batch){
		.list = c->lists, .n_lists = n_lists, .job = c->job,
		.n_jobs = n_jobs, .next = c->next, .runs = c->runs,
		.de = c->de_of, .term = c->term, .most_runs = (uint32_t)runs,
	};
}

static inline void
gcase_free(struct gcase *c)
{
	for (unsigned i = 0; i < GCASE_LISTS; i++) {
		free(c->words[i].order);
		free(c->words[i].shared);
		free(c->letters[i]);
		gap_list_free(&c->list[i]);
	}
	for (unsigned k = 0; k < GCASE_JOBS; k++)
		free(c->v[k]);
	free(c->next);
	free(c->runs);
	free(c->de_of);
	free(c->term);
}

/* By definition: 0 where roots are conjugate. */
static inline uint64_t
gcase_runs(const struct ebwt_word *u, const struct ebwt_word *v)
{
	uint64_t *length = gcase_alloc((u->n + v->n) * sizeof *length), runs;
	bool tied = false;

	for (uint64_t i = 0; i < u->n; i++)
		tied |= oracle_omega(u, i, v, 0) == 0;
	runs = tied ? 0 : oracle_runs(u, v, length);
	free(length);
	return runs;
}

/* Result i of job k: the same as by definition, if it is short, and as from
 * the CPU, bit by bit. */
static inline bool
gcase_right(const struct gcase *c, unsigned k, uint32_t i,
	    const struct ebwt_gap *g, struct ebwt_gap_work *w)
{
	const struct ebwt_gap_words *l = &c->words[c->job[k].list];
	uint64_t at = c->job[k].out + i, delta, runs;
	struct ebwt_word v = { c->v[k], c->job[k].m };
	struct ebwt_word u = { l->letters + l->order[i] * l->len, l->len };
	struct err e;
	double de;

	if (ebwt_gap_delta(g, u.letters, u.n, w, &delta, &de, &e))
		abort();
	runs = c->de ? 0 : c->runs[at];
	if (u.n + v.n < 40 && !c->de && gcase_runs(&u, &v) != runs)
		return false;
	if (u.n + v.n < 40 && c->de &&
	    (c->de_of[at] < 0) != (gcase_runs(&u, &v) == 0))
		return false;
	if (c->de && c->de_of[at] < 0)
		return de == ebwt_gap_entropy_tied(u.n, v.n);
	if (c->de)
		return memcmp(&de, &c->de_of[at], sizeof de) == 0;
	return delta == (runs ? u.n + v.n - runs :
			 ebwt_delta_tied(u.n, v.n));
}

static inline bool
gcase_same(const struct gcase *c)
{
	struct ebwt_gap_work w = { 0 };
	bool good = true;

	for (unsigned k = 0; k < c->j.n_jobs && good; k++) {
		struct ebwt_gap g;
		struct err e;

		if (ebwt_gap_new(&g, c->v[k], c->job[k].m, &e))
			abort();
		for (uint32_t i = 0; i < c->list[c->job[k].list].n && good;
		     i++) {
			good = gcase_right(c, k, i, &g, &w);
			if (!good)
				printf("# job %u, word %u\n", k, i);
		}
		ebwt_gap_free(&g);
	}
	ebwt_gap_work_free(&w);
	return good;
}

#endif
