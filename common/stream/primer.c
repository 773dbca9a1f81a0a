/* SPDX-License-Identifier: MIT */
/* primer.c - PRIMER frames: end() of a stretch of a target */
#include <stdlib.h>

#include "stream/codec.h"

enum { PART_MINUS = 1, PART_END3 = 2 };

/*
 * end() never decreases along the target, so that the lengths from each start
 * shrink by at most 1 a step: mostly one byte each.
 */
static void
put_ends(struct buf *b, const uint64_t *end, uint64_t n)
{
	uint64_t before = 0;

	for (uint64_t i = 0; i < n; i++) {
		put_zigzag(b, (int64_t)(end[i] - before));
		before = end[i];
	}
}

static bool
ends_ok(const struct primer_part *p, const uint64_t *end)
{
	for (uint64_t i = 0; i < p->n; i++)
		if (end[i] > p->letters.n - i)
			return false;
	return true;
}

/* Why the part cannot be (its arrays aside), or NULL. */
static const char *
part_fault(const struct primer_part *p)
{
	if (p->beg > p->target.len ||
	    p->letters.n > p->target.len - p->beg)
		return "letters behind the target's end";
	if (p->n > p->letters.n)
		return "fewer letters than starts";
	return NULL;
}

static int
put_part(struct buf *b, const struct primer_part *p, struct err *e)
{
	const char *fault = part_fault(p);

	if (!fault && (!ends_ok(p, p->end) ||
		       (p->end3 && !ends_ok(p, p->end3))))
		fault = "an end behind the letters";
	if (fault)
		return err_set(e, ERR_FORMAT, "primers: %s", fault);
	query_put(b, &p->target);
	buf_str(b, p->options.p, p->options.n);
	buf_u8(b, (uint8_t)((p->minus ? PART_MINUS : 0) |
			    (p->end3 ? PART_END3 : 0)));
	buf_var(b, p->beg);
	buf_var(b, p->n);
	buf_str(b, p->letters.p, p->letters.n);
	put_ends(b, p->end, p->n);
	if (p->end3)
		put_ends(b, p->end3, p->n);
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

/* NULL, and ERR_NOMEM, without memory; c->bad for what is malformed. */
static uint64_t *
get_ends(struct cur *c, uint64_t n, struct err *e)
{
	uint64_t *end, before = 0;

	if (!codec_fits(c, n, 1))
		n = 0;
	end = calloc(n + 1, sizeof *end);
	if (!end) {
		err_nomem(e, n * sizeof *end);
		return NULL;
	}
	for (uint64_t i = 0; i < n; i++)
		end[i] = before += (uint64_t)get_zigzag(c);
	return end;
}

static int
view_part(struct primer_part *p, struct cur *c, const struct rec_frame *f,
	  struct err *e)
{
	uint64_t flags;

	query_get(c, &p->target);
	p->options = cur_str(c);
	flags = cur_le(c, 1);
	p->minus = flags & PART_MINUS;
	p->beg = cur_var(c);
	p->n = cur_var(c);
	p->letters = cur_str(c);
	if (c->bad || flags & ~(uint64_t)(PART_MINUS | PART_END3) ||
	    f->records != 1)
		return codec_bad(f, "bad head of a part", e);
	if (part_fault(p))
		return codec_bad(f, part_fault(p), e);
	p->end = get_ends(c, p->n, e);
	if (!p->end)
		return ERR_NOMEM;
	if (flags & PART_END3) {
		p->end3 = get_ends(c, p->n, e);
		if (!p->end3)
			return ERR_NOMEM;
	}
	if (c->bad || cur_left(c))
		return codec_bad(f, "bad ends, or something behind", e);
	if (!ends_ok(p, p->end) || (p->end3 && !ends_ok(p, p->end3)))
		return codec_bad(f, "an end behind the letters", e);
	return 0;
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
