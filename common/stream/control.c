/* SPDX-License-Identifier: MIT */
/* control.c - BEGIN, SEQ and END payloads */
#include "stream/chunk.h"

#include <stdio.h>

#include "stream/rec.h"

/* Make a frame of the payload b, which is freed. */
static int
frame_of(struct rec_frame **f, enum rec_type type, uint64_t run,
	 struct buf *b, struct err *e)
{
	size_t n = b->n;

	*f = b->bad ? NULL : rec_frame_new(n);
	if (*f) {
		(*f)->type = (uint8_t)type;
		(*f)->run = run;
		(*f)->records = 1;
		if (n)
			memcpy((*f)->payload, b->p, n);
	}
	buf_free(b);
	return *f ? 0 : err_nomem(e, n);
}

/* A cursor over the payload, bad at once if the header does not fit. */
static struct cur
open_frame(const struct rec_frame *f, enum rec_type type)
{
	struct cur c = cur_of(f->payload, f->n);

	c.bad = f->type != type || f->serial != 0 || f->records != 1;
	return c;
}

static int
verdict(const struct cur *c, const struct rec_frame *f, struct err *e)
{
	if (c->bad || cur_left(c))
		return err_set(e, ERR_FORMAT, "malformed %s frame",
			       rec_type_name(f->type));
	return 0;
}

int
begin_encode(struct rec_frame **f, const struct begin *b, struct err *e)
{
	struct buf t = { 0 };

	buf_u64(&t, b->scan.id);
	buf_str(&t, b->scan.base.p, b->scan.base.n);
	buf_var(&t, b->scan.rule);
	run_key_put(&t, &b->run);
	buf_put(&t, b->text.p, b->text.n);
	return frame_of(f, REC_BEGIN, b->run.id, &t, e);
}

int
begin_view(struct begin *b, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_BEGIN);
	uint64_t rule;

	memset(b, 0, sizeof *b);
	b->scan.id = cur_le(&c, 8);
	b->scan.base = cur_str(&c);
	rule = cur_var(&c);
	c.bad |= rule >= SCAN_RULES;
	b->scan.rule = c.bad ? SCAN_UNION : (enum scan_rule)rule;
	run_key_get(&c, f->run, &b->run);
	b->text.n = cur_left(&c);
	b->text.p = (const char *)cur_take(&c, b->text.n);
	return verdict(&c, f, e);
}

int
seq_encode(struct rec_frame **f, uint64_t run, const struct seq *s,
	   struct err *e)
{
	struct buf t = { 0 };

	buf_var(&t, s->ordinal);
	buf_var(&t, s->length);
	buf_str(&t, s->name.p, s->name.n);
	return frame_of(f, REC_SEQ, run, &t, e);
}

int
seq_view(struct seq *s, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_SEQ);

	s->ordinal = cur_var(&c);
	s->length = cur_var(&c);
	s->name = cur_str(&c);
	return verdict(&c, f, e);
}

int
end_encode(struct rec_frame **f, const struct run_end *n, struct err *e)
{
	struct buf t = { 0 };
	int rc;

	run_key_put(&t, &n->run);
	buf_var(&t, n->chunks);
	buf_var(&t, n->sequences);
	buf_var(&t, n->letters);
	buf_u64(&t, n->digest);
	rc = frame_of(f, REC_END, n->run.id, &t, e);
	if (rc == 0 && n->named)
		(*f)->flags = REC_NAMED;
	return rc;
}

int
end_view(struct run_end *n, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_END);

	run_key_get(&c, f->run, &n->run);
	n->chunks = cur_var(&c);
	n->sequences = cur_var(&c);
	n->letters = cur_var(&c);
	n->digest = cur_le(&c, 8);
	n->named = f->flags & REC_NAMED;
	return verdict(&c, f, e);
}

struct end_odd
end_odd(const struct run_end *n)
{
	struct end_odd odd = { "" };
	struct str base = n->run.base;

	if (n->sequences == 0)
		snprintf(odd.text, sizeof odd.text,
			 "%.*s: there is no sequence in it",
			 (int)(base.n < 200 ? base.n : 200), base.p);
	return odd;
}
