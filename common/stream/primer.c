/* SPDX-License-Identifier: MIT */
/* primer.c - PRIMER frames: end() of a stretch of a target */
#include <stdlib.h>

#include "stream/codec.h"

enum { PART_MINUS = 1, PART_END3 = 2 };

/* Why the part's head cannot be, or NULL. */
static const char *
head_fault(const struct primer_part *p)
{
	if (p->beg >= p->target.len)
		return "no starts";
	if (p->beg % PRIMER_SPLIT)
		return "a stretch that begins where none does";
	return NULL;
}

/* Ends never decrease, and none lies before its start. */
static bool
ends_ok(const struct primer_part *p, const uint64_t *end)
{
	for (size_t i = 0; i < p->n; i++)
		if (end[i] < p->beg + i || end[i] > p->target.len ||
		    (i && end[i] < end[i - 1]))
			return false;
	return true;
}

/* Steps are mostly 0 or 1: one byte each. */
static void
put_ends(struct buf *b, const struct primer_part *p, const uint64_t *end)
{
	uint64_t before = p->beg;

	for (size_t i = 0; i < p->n; i++) {
		buf_var(b, end[i] - before);
		before = end[i];
	}
}

static int
put_part(struct buf *b, const struct primer_part *p, struct err *e)
{
	const char *fault = head_fault(p);

	if (!fault && p->n != primer_starts(p->target.len, p->beg))
		fault = "a stretch that ends where none does";
	if (!fault && (!ends_ok(p, p->end) ||
		       (p->end3 && !ends_ok(p, p->end3))))
		fault = "ends that cannot be";
	if (fault)
		return err_set(e, ERR_FORMAT, "primers: %s", fault);
	query_put(b, &p->target);
	buf_str(b, p->options.p, p->options.n);
	buf_u8(b, (uint8_t)((p->minus ? PART_MINUS : 0) |
			    (p->end3 ? PART_END3 : 0)));
	buf_var(b, p->beg);
	buf_put(b, p->letters, p->n);
	put_ends(b, p, p->end);
	if (p->end3)
		put_ends(b, p, p->end3);
	return 0;
}

int
primer_encode(struct rec_frame **f, const struct primer_part *p, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	*f = NULL;
	rc = codec_head_put(&b, REC_PRIMER, &p->run, &p->receipt, e);
	if (rc == 0)
		rc = put_part(&b, p, e);
	if (rc) {
		buf_free(&b);
		return rc;
	}
	return codec_frame(f, REC_PRIMER, &p->run, &p->receipt, 1, &b, e);
}

/* ERR_NOMEM; c->bad for what is malformed. */
static int
get_ends(struct cur *c, const struct primer_part *p, uint64_t **end,
	 struct err *e)
{
	uint64_t at = p->beg;

	if (!codec_fits(c, p->n, 1))
		return 0;
	*end = malloc(p->n * sizeof **end);
	if (!*end)
		return err_nomem(e, p->n * sizeof **end);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t step = cur_var(c);

		if (step > p->target.len - at)
			c->bad = true;
		at += c->bad ? 0 : step;
		(*end)[i] = at;
	}
	if (!ends_ok(p, *end))
		c->bad = true;
	return 0;
}

static int
view_part(struct primer_part *p, struct cur *c, const struct rec_frame *f,
	  struct err *e)
{
	uint64_t flags;
	int rc;

	query_get(c, &p->target);
	p->options = cur_str(c);
	flags = cur_le(c, 1);
	p->minus = flags & PART_MINUS;
	p->beg = cur_var(c);
	if (c->bad || flags & ~(uint64_t)(PART_MINUS | PART_END3) ||
	    f->records != 1)
		return codec_bad(f, "bad head of a part", e);
	if (head_fault(p))
		return codec_bad(f, head_fault(p), e);
	p->n = primer_starts(p->target.len, p->beg);
	p->letters = cur_take(c, p->n);
	if (c->bad)
		return codec_bad(f, "fewer letters than starts", e);
	rc = get_ends(c, p, &p->end, e);
	if (rc == 0 && flags & PART_END3)
		rc = get_ends(c, p, &p->end3, e);
	if (rc == 0 && (c->bad || cur_left(c)))
		return codec_bad(f, "bad ends, or something behind", e);
	return rc;
}

int
primer_view(struct primer_part *p, const struct rec_frame *f, struct err *e)
{
	struct cur c = cur_of(f->payload, f->n);
	int rc;

	memset(p, 0, sizeof *p);
	if (f->type != REC_PRIMER)
		return codec_bad(f, "no PRIMER frame", e);
	rc = codec_head_get(&c, f, &p->run, &p->receipt, e);
	if (rc == 0)
		rc = view_part(p, &c, f, e);
	if (rc)
		primer_free(p);
	return rc;
}

void
primer_free(struct primer_part *p)
{
	free(p->end);
	free(p->end3);
	free(p->receipt.range);
	memset(p, 0, sizeof *p);
}
