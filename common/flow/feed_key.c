/* SPDX-License-Identifier: MIT */
/* feed_key.c - what a run is called, and its BEGIN */

#include <string.h>

#include "base/base.h"
#include "flow/feed_in.h"
#include "rec/rec.h"

/* A line's value: a newline in it would be another line. */
static void
put_line(struct buf *b, const char *key, struct str v)
{
	buf_put(b, key, strlen(key));
	buf_u8(b, ' ');
	for (size_t i = 0; i < v.n; i++)
		buf_u8(b, (uint8_t)v.p[i] < ' ' ? '?' : (uint8_t)v.p[i]);
	buf_u8(b, '\n');
}

static struct str
str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

/* What the run id is the hash of, but for its inputs' names. */
static void
put_params(struct buf *b, const struct text *t)
{
	const struct feed_params *p = t->p;

	uint64_t context = p->context;

	/* what the pieces of a circle own depends on it */
	if (p->circular)
		context = max_u64(context, p->min_context);
	buf_printf(b, "version %s\nown %llu\ncontext %llu\n", SEQF_VERSION,
		   (unsigned long long)p->own, (unsigned long long)context);
	regions_put(t->regions, b);
	circles_put(t->circles, b);
	if (p->mask)
		put_line(b, "mask", str_of("yes"));
	if (matrix_format(p->matrix) != MATRIX_AUTO)
		put_line(b, "matrix", str_of(p->matrix));
	if (p->label)
		put_line(b, "label", str_of(p->label));
}

static void
put_inputs(struct buf *b, struct buf *least, const struct operand *op,
	   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str s = base_name(op[i].path);
		size_t k = s.n < least->n ? s.n : least->n;
		int cmp = i ? memcmp(s.p, least->p, k) : -1;

		put_line(b, "input", s);
		if (cmp < 0 || (cmp == 0 && s.n < least->n)) {
			least->n = 0;
			buf_put(least, s.p, s.n);
		}
	}
}

int
run_name(struct feed_run *run, const struct text *t, const struct operand *op,
	 size_t n_op, struct rec_frame **begin, struct err *e)
{
	struct buf id = { 0 }, text = { 0 };
	struct run_key *k = &run->key;
	struct begin b = { 0 };
	int rc;

	put_params(&id, t);
	put_line(&id, "first", (struct str){ (char *)run->first.p,
					     run->first.n });
	buf_printf(&id, "hash %016llx\n", (unsigned long long)k->hash);
	buf_printf(&text, "program fasta-chunk\n");
	put_inputs(&text, &run->base, op, n_op);
	buf_put(&text, id.p, id.n);
	k->id = id.bad ? 0 : hash64(id.p, id.n, 0);
	k->id += k->id == 0;	/* 0 is no run's */
	k->base = (struct str){ (char *)run->base.p, run->base.n };
	k->label = str_of(t->p->label);
	k->first = (struct str){ (char *)run->first.p, run->first.n };
	b.run = *k;
	b.text = (struct str){ (char *)text.p, text.n };
	rc = id.bad || text.bad || run->base.bad ? err_nomem(e, text.n) :
						   begin_encode(begin, &b, e);
	buf_free(&id);
	buf_free(&text);
	return rc;
}
