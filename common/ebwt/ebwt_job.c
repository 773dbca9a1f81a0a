/* SPDX-License-Identifier: MIT */
/* ebwt_job.c - sorting and counting by a backend */

#include <string.h>

#include "ebwt/ebwt_kern.h"
#include "ebwt/ebwt_priv.h"

struct job {
	struct ebwt_job j;
	uint8_t *code;
	uint32_t *base, *order, *class_of_column, *rows;
};

bool
ebwt_has_backend(const struct ebwt *x)
{
	const struct ebwt_backend *h = x->par.backend;

	return h && !x->par.memory && x->par.engine != EBWT_PLAIN &&
	       x->n_roots < 1u << 31 && h->wants(h->ctx, x->n_roots);
}

/* Roots as letter numbers, one after another; NOT_NOW: not for a backend. */
static int
prepare_job(struct job *t, struct ebwt *x, struct err *e)
{
	uint32_t n = 0;
	int rc;

	memset(t, 0, sizeof *t);
	if (!ebwt_has_backend(x))
		return EBWT_NOT_NOW;
	rc = ebwt_take(x, &t->code, x->n_roots, 1, e);
	if (!rc)
		rc = ebwt_take(x, &t->base, x->n_classes + 1, sizeof *t->base,
			       e);
	if (rc)
		return rc;
	for (size_t c = 0; c < x->n_classes; c++) {
		const struct ebwt_class *y = &x->class[c];

		t->base[c] = n;
		ebwt_ops()->encode(t->code + n, y->root, y->n, x->code);
		n += y->n;
	}
	t->base[x->n_classes] = n;
	t->j = (struct ebwt_job){
		.code = t->code, .base = t->base, .n = n,
		.n_classes = (uint32_t)x->n_classes, .bits = 1,
	};
	while (x->sigma > 1u << t->j.bits)
		t->j.bits++;
	return 0;
}

static void
done(struct job *t, struct ebwt *x)
{
	ebwt_give(x, &t->code);
	ebwt_give(x, &t->base);
	ebwt_give(x, &t->order);
	ebwt_give(x, &t->class_of_column);
	ebwt_give(x, &t->rows);
}

static int
ask(const struct job *t, const struct ebwt *x, struct err *e)
{
	const struct ebwt_params *p = &x->par;
	int rc = p->backend->run(p->backend->ctx, &t->j, e);

	if (!rc && p->progress)
		p->progress(p->progress_arg, x->n_roots, x->n_roots);
	return rc;
}

/* The order as a batch of all. */
static int
hand_out(const struct job *t, struct ebwt *x, ebwt_batch_fn *fn, void *arg,
	 struct err *e)
{
	struct ebwt_batch b = { .n = t->j.n, .base = x->par.origin,
				.index_mask = ~0ull };
	uint32_t *pos = NULL, *class = NULL;
	int rc = ebwt_take(x, &b.item, b.n, sizeof *b.item, e);

	if (!rc)
		rc = ebwt_take(x, &pos, b.n, sizeof *pos, e);
	if (!rc)
		rc = ebwt_take(x, &class, b.n, sizeof *class, e);
	for (uint32_t c = 0; c < x->n_classes && !rc; c++)
		for (uint32_t i = t->base[c]; i < t->base[c + 1]; i++) {
			pos[i] = i - t->base[c];
			class[i] = c;
		}
	for (uint64_t i = 0; i < b.n && !rc; i++)
		b.item[i] = t->order[i];
	b.pos = pos;
	b.class = class;
	if (!rc)
		rc = fn(arg, &b, e);
	ebwt_give(x, &b.item);
	ebwt_give(x, &pos);
	ebwt_give(x, &class);
	return rc;
}

int
ebwt_job_sort(struct ebwt *x, ebwt_batch_fn *fn, void *arg, bool *served,
		 struct err *e)
{
	struct job t;
	int rc = prepare_job(&t, x, e);

	if (!rc)
		rc = ebwt_take(x, &t.order, t.j.n, sizeof *t.order, e);
	t.j.order = t.order;
	if (!rc)
		rc = ask(&t, x, e);
	*served = !rc;
	if (!rc)
		rc = hand_out(&t, x, fn, arg, e);
	else if (rc == EBWT_NOT_NOW)
		rc = 0;
	done(&t, x);
	return rc;
}

/* What is wanted of pairs. */
static int
want_pairs(struct job *t, struct ebwt *x, const struct ebwt_pairs *p,
	   struct err *e)
{
	int rc = ebwt_take(x, &t->class_of_column, p->n_columns,
			   sizeof *t->class_of_column, e);

	if (!rc)
		rc = ebwt_take(x, &t->rows, 2 * x->n_classes, sizeof *t->rows,
			       e);
	if (rc)
		return rc;
	t->j.begins = p->begins;
	t->j.first = t->rows;
	t->j.last = t->rows + x->n_classes;
	t->j.row_of = p->row_of;
	t->j.class_of_column = t->class_of_column;
	t->j.n_columns = p->n_columns;
	t->j.triangle = p->triangle;
	t->j.n_cells = p->triangle ? (uint64_t)p->n_rows * (p->n_rows - 1) / 2 :
		       (uint64_t)p->n_rows * p->n_columns;
	for (uint32_t c = 0; c < x->n_classes; c++)
		if (p->column_of[c] != EBWT_NONE)
			t->class_of_column[p->column_of[c]] = c;
	return 0;
}

int
ebwt_job_count(struct ebwt *x, struct ebwt_pairs *p, bool *served,
		  struct err *e)
{
	struct job t;
	int rc;

	*served = false;
	if (x->kind_of)		/* it counts classes */
		return 0;
	rc = prepare_job(&t, x, e);
	if (!rc)
		rc = want_pairs(&t, x, p, e);
	if (!rc)
		rc = ask(&t, x, e);
	*served = !rc;
	for (size_t c = 0; c < x->n_classes && !rc; c++) {
		p->first[c] = x->par.origin + t.j.first[c];
		p->last[c] = x->par.origin + t.j.last[c];
	}
	done(&t, x);
	return rc == EBWT_NOT_NOW ? 0 : rc;
}
