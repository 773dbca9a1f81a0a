/* SPDX-License-Identifier: MIT */
/* ebwt_paper.c - a pair's distance from all rotations, written out */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt.h"
#include "ebwt/ebwt_gap.h"
#include "ebwt/paper/ebwt_paper.h"

/*
 * Rotations over and over, n + m letters of each: two words whose rotations
 * agree so far have conjugate roots (ebwt.h).
 */
static void
write_rotations(uint8_t *to, const uint8_t *s, size_t n, size_t width)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < width; k++)
			to[i * width + k] = s[(i + k) % n];
}

static int
cmp(const void *a, const void *b, void *width)
{
	return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b,
		      *(const size_t *)width);
}

struct table {
	uint8_t *rotation;
	uint8_t **order;
	uint32_t *of_length;	/* runs */
	size_t n, rows;		/* rotations of u, of both; letters of each */
};

static bool
is_u(const struct table *t, size_t i)
{
	return t->order[i] < t->rotation + t->n * t->rows;
}

/* How many runs; 0: rotations of both words tie. */
static uint64_t
count_runs(struct table *t)
{
	uint64_t runs = 0;
	size_t beg = 0;

	for (size_t i = 1; i <= t->rows; i++) {
		if (i < t->rows && is_u(t, i) == is_u(t, i - 1))
			continue;
		if (i < t->rows && cmp(&t->order[i - 1], &t->order[i],
				       &t->rows) == 0)
			return 0;
		t->of_length[i - beg]++;
		beg = i;
		runs++;
	}
	return runs;
}

static void
measure_table(struct table *t, uint64_t *delta, double *de)
{
	uint64_t runs, m = t->rows - t->n;

	sort_with(t->order, t->rows, sizeof *t->order, cmp, &t->rows);
	runs = count_runs(t);
	*delta = runs ? t->rows - runs : ebwt_delta_tied(t->n, m);
	if (de)
		*de = runs ? ebwt_gap_entropy(t->of_length, t->rows + 1, runs) :
			     ebwt_gap_entropy_tied(t->n, m);
}

int
ebwt_paper_delta(const uint8_t *u, size_t n, const uint8_t *v, size_t m,
		 uint64_t memory, uint64_t *delta, double *de, struct err *e)
{
	struct table t = { .n = n, .rows = n + m };
	unsigned __int128 want = (unsigned __int128)t.rows * t.rows;
	int rc = 0;

	if (t.rows < n || want > memory)
		return err_set(e, ERR_LIMIT, "rotations of %zu and %zu "
			       "letters, written out, take %.3g bytes: more "
			       "than the %llu that --memory leaves for a pair",
			       n, m, (double)want,
			       (unsigned long long)memory);
	t.rotation = malloc(t.rows * t.rows);
	t.order = malloc(t.rows * sizeof *t.order);
	t.of_length = calloc(t.rows + 1, sizeof *t.of_length);
	if (!t.rotation || !t.order || !t.of_length) {
		rc = err_nomem(e, t.rows * t.rows);
	} else {
		write_rotations(t.rotation, u, n, t.rows);
		write_rotations(t.rotation + n * t.rows, v, m, t.rows);
		for (size_t i = 0; i < t.rows; i++)
			t.order[i] = t.rotation + i * t.rows;
		measure_table(&t, delta, de);
	}
	free(t.rotation);
	free(t.order);
	free(t.of_length);
	return rc;
}
