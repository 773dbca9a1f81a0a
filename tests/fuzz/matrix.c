/* SPDX-License-Identifier: MIT */
/*
 * matrix.c - matrices in any format: never a crash, the same whatever portions
 * the bytes come in, and the same when written as JASPAR does; then the
 * distance of the first two, by their words as a product and one by one
 */
#include <math.h>
#include <stdlib.h>

#include "scan/ebwt/ebwt.h"
#include "input/input.h"
#include "input/source_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { POSITIONS = 12, WORDS = 200 };

/* What was read: of each matrix a line of its name, then its numbers. */
struct seen {
	int rc;
	struct buf names, numbers;
	struct ebwt_seq first[2];	/* letters: offsets in numbers */
	size_t n;
};

static void
collect(struct seen *v, const struct fasta_piece *x)
{
	static const uint8_t none;
	float f[4];

	for (size_t i = 0; i < x->n; i++) {
		memcpy(f, x->letters + 16 * i, sizeof f);
		for (int c = 0; c < 4; c++)
			if (!(f[c] >= 0 && isfinite(f[c])))
				abort();
		if (!(f[0] + f[1] + f[2] + f[3] > 0))
			abort();
	}
	if (v->n < 2)
		v->first[v->n] = (struct ebwt_seq){ .prob = true, .n = x->n,
			.name = { "x", 1 }, .letters = &none };
	v->n++;
	buf_put(&v->numbers, x->letters, 16 * x->n);
}

static void
look(struct seen *v, const uint8_t *p, size_t n, size_t show,
     enum matrix_format format)
{
	struct source *s = NULL;
	struct matrix *m = NULL;
	struct fasta_piece x;
	struct err e;

	*v = (struct seen){ .rc = ERR_IO };
	if (source_memory(&s, "x", p, n, &e))
		return;
	if (source_kind(s) == SOURCE_PLAIN) {
		source_show(s, show);
		v->rc = matrix_new(&m, s, format, &e);
	}
	while (!v->rc && matrix_next(m, &x, &e) > 0) {
		if (matrix_next(m, &x, &e) != FASTA_LETTERS)
			abort();
		buf_printf(&v->names, "%.*s\n", (int)x.name.n, x.name.p);
		collect(v, &x);
	}
	if (!v->rc)
		matrix_free(m);
	source_close(s);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->p, b->p, a->n));
}

static void
forget(struct seen *v)
{
	buf_free(&v->names);
	buf_free(&v->numbers);
}

/* Numbers as text, row by row; nine digits are enough for each float. */
static void
again(const struct seen *v)
{
	struct buf text = { 0 };
	struct seen back;

	buf_printf(&text, ">m\n");
	for (size_t c = 0; c < 4; c++) {
		buf_printf(&text, "%c [", "ACGT"[c]);
		for (size_t i = 0; i < v->numbers.n / 16; i++) {
			float f;

			memcpy(&f, v->numbers.p + 16 * i + 4 * c, 4);
			buf_printf(&text, " %.9g", (double)f);
		}
		buf_printf(&text, " ]\n");
	}
	look(&back, text.p, text.n, SIZE_MAX, MATRIX_AUTO);
	if (back.rc || back.n != 1 || !same(&back.numbers, &v->numbers))
		abort();
	forget(&back);
	buf_free(&text);
}

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-11 * fabs(b) + 1e-300;
}

static struct ebwt_stat
distance(const struct ebwt_words *w, enum ebwt_way way, bool extremes)
{
	struct ebwt_how how = { .metric = EBWT_DELTA, .way = way,
				.extremes = extremes };
	struct ebwt_sums_work work = { 0 };
	struct ebwt_sums y = { 0 };
	struct ebwt_route p;
	struct err e;

	if (!ebwt_route(&p, &w[0], &w[1], &how) ||
	    ebwt_sums_add(&y, &p, &how, 0, p.items, &work, &e))
		abort();
	ebwt_sums_work_free(&work);
	return ebwt_sums_stat(&y, &p, &how);
}

static void
compare(const struct seen *v, double theta_pos, double theta_word)
{
	struct solid_rule r = { theta_pos, theta_word, false, WORDS };
	struct ebwt_seq seq[2] = { v->first[0], v->first[1] };
	struct ebwt_words w[2] = { 0 };
	struct ebwt_stat a, b, c;
	struct err e;

	seq[0].letters = v->numbers.p;
	seq[1].letters = v->numbers.p + 16 * seq[0].n;
	if (!ebwt_words_of(&w[0], &seq[0], &r, WORDS, &e) &&
	    !ebwt_words_of(&w[1], &seq[1], &r, WORDS, &e) &&
	    w[0].n <= WORDS && w[1].n <= WORDS) {
		a = distance(w, EBWT_WAY_LISTS, true);
		if (ebwt_words_turns(&w[0], &e) || ebwt_words_turns(&w[1], &e))
			abort();
		b = distance(w, EBWT_WAY_PRODUCT, true);
		c = distance(w, EBWT_WAY_PRODUCT, false);
		if (a.pairs != b.pairs || a.mean != b.mean ||
		    a.min != b.min || a.max != b.max ||
		    !near(a.weighted_mean, b.weighted_mean))
			abort();
		if (a.pairs != c.pairs || !near(a.mean, c.mean) ||
		    !near(a.weighted_mean, c.weighted_mean) ||
		    (c.pairs && (c.min != -1 || c.max != -1)))
			abort();
	}
	ebwt_words_free(&w[0]);
	ebwt_words_free(&w[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const double theta[] = { 0, 0.1, 0.25, 0.4 };
	enum matrix_format format;
	struct seen a, b;

	if (n < 1)
		return 0;
	format = (enum matrix_format)(data[0] % MATRIX_NONE);
	matrix_describe(data + 1, n - 1);
	look(&a, data + 1, n - 1, SIZE_MAX, format);
	look(&b, data + 1, n - 1, 1 + data[0] % 64, format);
	if (a.rc != b.rc || !same(&a.names, &b.names) ||
	    !same(&a.numbers, &b.numbers))
		abort();
	if (a.n)
		again(&a);
	if (a.n > 1 && a.first[0].n <= POSITIONS && a.first[1].n <= POSITIONS)
		compare(&a, theta[data[0] / 5 % 4],
			data[0] & 128 ? 0.01 : 0);
	forget(&a);
	forget(&b);
	return 0;
}
