/* SPDX-License-Identifier: MIT */
/* ebwt_text.c - transforms row by row, words with their probabilities */
#include <stdlib.h>

#include "scan/ebwt_scan_priv.h"
#include "scan/ebwt_words.h"
#include "stream/print.h"

struct listing {
	struct out *to;
	struct buf text;
};

static int
put_rows(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	struct listing *l = arg;

	l->text.n = 0;
	for (size_t i = 0; i < n; i++) {
		buf_u8(&l->text, row[i].last);
		buf_put(&l->text, row[i].offset ? "\t0\t" : "\t1\t", 3);
		print_u64(&l->text, (uint64_t)row[i].word + 1);
		buf_u8(&l->text, '\n');
	}
	return l->text.bad ? err_nomem(e, l->text.n) :
			     out_write(l->to, l->text.p, l->text.n, e);
}

static int
no_matrix(const struct ebwt_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->seq[i].prob)
			return err_set(e, ERR_FORMAT, "%.*s: a matrix has no "
				       "transform of its own; its words have "
				       "(--words)",
				       (int)(r->seq[i].name.n < 99 ?
					     r->seq[i].name.n : 99),
				       r->seq[i].name.p);
	return 0;
}

int
ebwt_print_listing(const struct ebwt_scan *s, const struct ebwt_run *r,
		   uint64_t n_bytes, struct out *to, struct err *e)
{
	static const char head[] = "#M_L\tM_chi\tM_gamma\n";
	struct ebwt_word *word = malloc((r->n + 1) * sizeof *word);
	struct listing l = { .to = to };
	struct ebwt_params par;
	struct ebwt *x = NULL;
	int rc = word ? no_matrix(r, e) : err_nomem(e, r->n * sizeof *word);

	for (size_t i = 0; i < r->n && !rc; i++)
		word[i] = (struct ebwt_word){ r->seq[i].letters, r->seq[i].n };
	if (!rc)
		rc = ebwt_params_of(s, n_bytes, &par, e);
	if (!rc && r->n)
		rc = ebwt_new(&x, word, r->n, &par, e);
	if (!rc && x)
		ebwt_tell_need(s, n_bytes, x, NULL);
	if (!rc && s->o.header)
		rc = out_write(to, head, sizeof head - 1, e);
	if (!rc && x)
		rc = ebwt_list(x, put_rows, &l, e);
	ebwt_delete(x);
	buf_free(&l.text);
	free(word);
	return rc;
}

/* A row for each word; one with * where there is none. */
static int
put_words(struct buf *b, const struct ebwt_seq *q, const struct ebwt_words *w,
	  struct out *to, struct err *e)
{
	int rc = 0;

	for (uint64_t i = 0; i < w->n + !w->n && !rc; i++) {
		b->n = 0;
		print_name(b, q->name, print_no_control);
		buf_u8(b, '\t');
		if (w->n) {
			buf_put(b, w->letters + i * w->len, w->len);
			buf_u8(b, '\t');
			prob_print(b, w->p[i]);
			buf_u8(b, '\n');
		} else {
			print_text(b, "*\t*\n");
		}
		rc = b->bad ? err_nomem(e, b->n) : out_write(to, b->p, b->n, e);
	}
	return rc;
}

int
ebwt_print_words(const struct ebwt_scan *s, const struct ebwt_run *r,
		 struct out *to, struct err *e)
{
	static const char head[] = "#name\tword\tprobability\n";
	struct buf b = { 0 };
	int rc = 0;

	if (s->o.header)
		rc = out_write(to, head, sizeof head - 1, e);
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct ebwt_words w;

		rc = ebwt_words_of(&w, &r->seq[i], &s->rule, UINT64_MAX, e);
		if (rc)
			break;
		rc = put_words(&b, &r->seq[i], &w, to, e);
		ebwt_words_free(&w);
	}
	buf_free(&b);
	return rc;
}
