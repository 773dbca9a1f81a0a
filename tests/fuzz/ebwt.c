/* SPDX-License-Identifier: MIT */
/*
 * ebwt.c - lines of a listing: never a crash, the same whatever portions they
 * come in, and what words come of them have that listing
 */
#include <stdlib.h>

#include "ebwt/ebwt.h"
#include "scan/ebwt/ebwt_scan_priv.h"
#include "input/source_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 4096 };

struct words {
	struct buf letters;
	struct ebwt_word v[MOST];
	size_t n;
};

struct want {
	const struct buf *last, *chi;
	size_t at;
};

static int
keep(void *arg, const uint8_t *letters, uint64_t m, struct err *e)
{
	struct words *w = arg;

	if (w->n == MOST || m == 0)
		abort();
	/* room for all is there: nothing moves */
	w->v[w->n++] = (struct ebwt_word){ w->letters.p + w->letters.n, m };
	buf_put(&w->letters, letters, m);
	(void)e;
	return 0;
}

static int
compare(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	struct want *w = arg;

	(void)e;
	for (size_t i = 0; i < n; i++, w->at++)
		if (w->at >= w->last->n || w->last->p[w->at] != row[i].last ||
		    w->chi->p[w->at] != (row[i].offset == 0))
			abort();
	return 0;
}

static int
rows(const uint8_t *p, size_t n, size_t show, struct buf *last,
     struct buf *chi)
{
	struct source *s = NULL;
	struct err e;
	int rc;

	if (source_memory(&s, "x", p, n, &e) != 0)
		return ERR_IO;
	if (source_kind(s) == SOURCE_PLAIN)
		source_show(s, show);
	rc = ebwt_lines_read(s, last, chi, &e);
	source_close(s);
	return rc;
}

static void
there_and_back(const struct buf *last, const struct buf *chi)
{
	static struct words w;
	struct ebwt_params par = {
		.threads = 1, .bundles = (enum ebwt_bundling)(last->n % 3),
	};
	struct want want = { last, chi, 0 };
	struct ebwt *x;
	struct err e;

	w.n = w.letters.n = 0;
	if (!buf_reserve(&w.letters, last->n) ||
	    ebwt_restore(last->p, chi->p, last->n, keep, &w, &e))
		return;
	if (ebwt_new(&x, w.v, w.n, &par, &e) ||
	    ebwt_list(x, compare, &want, &e) || want.at != last->n)
		abort();
	ebwt_delete(x);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf last[2] = { 0 }, chi[2] = { 0 };
	int rc[2];

	if (n < 1)
		return 0;
	rc[0] = rows(data + 1, n - 1, SIZE_MAX, &last[0], &chi[0]);
	rc[1] = rows(data + 1, n - 1, 1 + data[0] % 64, &last[1], &chi[1]);
	if (rc[0] != rc[1] || last[0].n != last[1].n ||
	    (last[0].n && memcmp(last[0].p, last[1].p, last[0].n)))
		abort();
	if (!rc[0] && last[0].n <= MOST)
		there_and_back(&last[0], &chi[0]);
	for (int i = 0; i < 2; i++) {
		buf_free(&last[i]);
		buf_free(&chi[i]);
	}
	return 0;
}
