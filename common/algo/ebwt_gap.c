/* SPDX-License-Identifier: MIT */
/* ebwt_gap.c - distances of many words to one, without sorting them */
#include "algo/ebwt_gap.h"

#include <stdlib.h>
#include <string.h>

#include "algo/ebwt.h"
#include "algo/ebwt_bits.h"

/* Words as short are sorted by insertion. */
enum { SHORT = 32 };

/* Rotations i and j of v; of equal ones neither is less. */
static bool
is_less(const uint8_t *v, size_t m, size_t i, size_t j)
{
	for (size_t k = 0; k < m; k++) {
		if (v[i] != v[j])
			return v[i] < v[j];
		i = i + 1 == m ? 0 : i + 1;
		j = j + 1 == m ? 0 : j + 1;
	}
	return false;
}

static void
last_of_short(const uint8_t *v, size_t m, uint8_t *last)
{
	uint8_t order[SHORT];

	for (size_t i = 0; i < m; i++) {
		size_t at = i;

		for (; at > 0 && is_less(v, m, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
	for (size_t i = 0; i < m; i++)
		last[i] = v[order[i] ? order[i] - 1u : m - 1];
}

static int
take_rows(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	uint8_t **last = arg;

	(void)e;
	for (size_t i = 0; i < n; i++)
		*(*last)++ = row[i].last;
	return 0;
}

/* M_L of v alone; of tied rotations the last letters are equal, too. */
static int
last_letters(const uint8_t *v, size_t m, uint8_t *last, struct err *e)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt_word word = { v, m };
	struct ebwt *x;
	int rc;

	if (m <= SHORT) {
		last_of_short(v, m, last);
		return 0;
	}
	rc = ebwt_new(&x, &word, 1, &par, e);
	if (rc)
		return rc;
	rc = ebwt_list(x, take_rows, &last, e);
	ebwt_delete(x);
	return rc;
}

/* Letters of v get codes in order; `less` of all of them. */
static void
count_letters(struct ebwt_gap *g, const uint8_t *v)
{
	uint32_t n[256] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < g->m; i++)
		n[v[i]]++;
	g->sigma = 0;
	for (int c = 0; c < 256; c++) {
		g->less[c] = sum;
		sum += n[c];
		g->sigma += n[c] > 0;
	}
	for (unsigned c = 0, k = 0; c < 256; c++)
		g->code[c] = (uint8_t)(n[c] ? k++ : g->sigma);
}

/* Only a v of all 256 letters has no code left for others, and needs none. */
static int
link_gaps(struct ebwt_gap *g, const uint8_t *last, struct err *e)
{
	size_t n = ((size_t)g->m + 1) * g->sigma;
	uint32_t at[256];

	g->next = malloc(n * sizeof *g->next);
	if (!g->next)
		return err_nomem(e, n * sizeof *g->next);
	for (int c = 0; c < 256; c++)
		if (g->code[c] < g->sigma)
			at[g->code[c]] = g->less[c];
	for (size_t i = 0; i <= g->m; i++) {
		memcpy(g->next + i * g->sigma, at, g->sigma * sizeof *at);
		if (i < g->m)
			at[g->code[last[i]]]++;
	}
	return 0;
}

int
ebwt_gap_new(struct ebwt_gap *g, const uint8_t *v, size_t m, struct err *e)
{
	uint8_t *last = NULL;
	int rc = 0;

	memset(g, 0, sizeof *g);
	if (m < 1 || m > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "a word of %zu letters: must be "
			       "1 to %d", m, EBWT_GAP_MAX);
	g->m = (uint32_t)m;
	g->less = malloc(256 * sizeof *g->less);
	last = malloc(m);
	if (!g->less || !last)
		rc = err_nomem(e, m);
	if (!rc)
		rc = last_letters(v, m, last, e);
	if (!rc) {
		count_letters(g, v);
		rc = link_gaps(g, last, e);
	}
	free(last);
	if (rc)
		ebwt_gap_free(g);
	return rc;
}

void
ebwt_gap_free(struct ebwt_gap *g)
{
	free(g->less);
	free(g->next);
	memset(g, 0, sizeof *g);
}

void
ebwt_gap_work_free(struct ebwt_gap_work *w)
{
	free(w->count);
	free(w->runs);
	free(w->path);
	free(w->taken);
	memset(w, 0, sizeof *w);
}

int
ebwt_gap_room(uint32_t **v, size_t *have, size_t n, struct err *e)
{
	if (n <= *have)
		return 0;
	free(*v);
	*have = 0;
	*v = calloc(n, sizeof **v);
	if (!*v)
		return err_nomem(e, n * sizeof **v);
	*have = n;
	return 0;
}

double
ebwt_gap_entropy(const uint32_t *of_length, size_t n, uint64_t runs)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ebwt_bits_of(of_length[i], runs);
	return ebwt_bits_sum(sum);
}

double
ebwt_gap_entropy_tied(uint64_t u, uint64_t v)
{
	uint64_t d = u > v ? u - v : v - u;
	uint64_t runs = u + v - ebwt_delta_tied(u, v);

	if (d <= 1)
		return 0;
	/* one of length d, the others of 1 */
	return ebwt_bits_sum(ebwt_bits_of(1, runs) +
			     ebwt_bits_of(runs - 1, runs));
}

double
ebwt_gap_runs(const struct ebwt_gap *g, size_t n, struct ebwt_gap_work *w,
	      uint64_t runs)
{
	size_t longest = n > g->m ? n : g->m;
	uint32_t v_run = 0;
	double de;

	for (size_t i = 0; i <= g->m; i++) {
		uint32_t c = w->count[i];

		if (c) {
			w->runs[v_run] += v_run > 0;
			w->runs[c]++;
			v_run = 0;
		}
		v_run++;
	}
	/* the last gap has no rotation of v behind it */
	w->runs[v_run - 1] += v_run > 1;
	de = ebwt_gap_entropy(w->runs + 1, longest, runs);
	memset(w->runs, 0, (longest + 1) * sizeof *w->runs);
	return de;
}
