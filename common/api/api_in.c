/* SPDX-License-Identifier: MIT */
/* api_in.c - frames of operands for the library's reader and scanner */
#include "api/api_in.h"

#include <string.h>

#include "base/opt.h"

_Static_assert((int)SEQF_ENOMEM == ERR_NOMEM && (int)SEQF_EIO == ERR_IO &&
	       (int)SEQF_EFORMAT == ERR_FORMAT &&
	       (int)SEQF_ELIMIT == ERR_LIMIT &&
	       (int)SEQF_EUSAGE == ERR_USAGE &&
	       (int)SEQF_EINCOMPLETE == ERR_INCOMPLETE, "one set of codes");

int
seqf_exit(int code)
{
	return err_exit(code);
}

const char *
seqf_version(void)
{
	return SEQF_VERSION;
}

int
api_tell(struct seqf_error *to, const struct err *e)
{
	_Static_assert(sizeof to->text == sizeof e->text, "one line fits");
	to->code = e->code;
	memcpy(to->text, e->text, sizeof to->text);
	return e->code;
}

int
api_in_open(struct api_in *in, const char *const *paths, size_t n,
	    bool results, uint64_t context, struct err *e)
{
	struct feed_params p = feed_defaults;

	memset(in, 0, sizeof *in);
	p.threads = 1;
	p.results = results;
	p.min_context = context;
	/* the feed only reads the names */
	return feed_open(&in->feed, (char **)(uintptr_t)paths, n, &p, e);
}

void
api_in_close(struct api_in *in)
{
	if (in->shown)
		feed_drop(&in->it);
	feed_close(in->feed);
	memset(in, 0, sizeof *in);
}

int
api_in_next(struct api_in *in, struct err *e)
{
	int got;

	if (in->shown)
		feed_drop(&in->it);
	in->shown = false;
	got = feed_next(in->feed, &in->it, e);
	if (got <= 0)
		return got;
	in->shown = true;
	if (in->it.kind == FEED_RAW)
		got = feed_encode(&in->it, e);
	if (got >= 0)
		got = feed_account(in->feed, &in->it, e);
	return got < 0 ? got : 1;
}

int
api_piece(struct seqf_piece *p, const struct chunk *c, size_t i, struct buf *b,
	  struct err *e)
{
	const struct chunk_row *r = &c->row[i];

	if (!buf_reserve(b, r->n + 64))
		return err_nomem(e, r->n + 64);
	chunk_letters(c, r, 0, r->n, b->p);
	b->p[r->n] = 0;
	*p = (struct seqf_piece){
		.run = c->run.id, .chunk = c->serial, .number = r->ordinal,
		.name = api_text(r->name), .description = api_text(r->desc),
		.beg = r->beg, .end = r->beg + r->n,
		.own_beg = r->own_beg, .own_end = r->own_end,
		.length = r->flags & CHUNK_LAST ? r->length : SEQF_UNKNOWN,
		.first = (r->flags & CHUNK_FIRST) != 0,
		.last = (r->flags & CHUNK_LAST) != 0,
		.letters = (const char *)b->p,
	};
	return 0;
}
