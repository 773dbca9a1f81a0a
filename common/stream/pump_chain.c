/* SPDX-License-Identifier: MIT */
/* pump_chain.c - pieces of one sequence, each continuing the next */
#include "stream/pump_chain.h"

#include <stdlib.h>

#include "base/array.h"

/* A chunk that the next one may continue. */
struct pump_link {
	struct rec_frame *frame;
	uint64_t serial, ordinal;
	uint64_t beg;		/* first letter of the last row's piece */
	uint64_t own_end;
};

static void
drop(struct pump_chain *l, size_t n)	/* the n farthest */
{
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		rec_frame_drop(l->link[i].frame);
	l->n -= n;
	memmove(l->link, l->link + n, l->n * sizeof *l->link);
}

static int
add(struct pump_chain *l, struct rec_frame *f, const struct chunk_row *last,
    uint64_t serial, struct err *e)
{
	int rc = array_room(&l->link, &l->cap, l->n + 1, sizeof *l->link, e);

	if (rc)
		return rc;
	l->link[l->n++] = (struct pump_link){
		rec_frame_keep(f), serial, last->ordinal, last->beg,
		last->own_end,
	};
	return 0;
}

/* Does the chunk begin where the chain ends? */
static bool
continues(const struct pump_chain *l, const struct chunk *c)
{
	const struct pump_link *k;

	if (l->n == 0 || c->n_rows == 0)
		return false;
	k = &l->link[l->n - 1];
	return k->frame->run == c->run.id && k->serial + 1 == c->serial &&
	       k->ordinal == c->row[0].ordinal &&
	       k->own_end == c->row[0].own_beg &&
	       !(c->row[0].flags & CHUNK_FIRST);
}

/* References to as many pieces as reach back to `want`. */
static int
take_before(const struct pump_chain *l, struct pump_job *job,
	    const struct chunk_row *r, uint64_t want, struct err *e)
{
	uint64_t have = r->beg;
	size_t n = 0;

	while (n < l->n && have > want)
		have = l->link[l->n - ++n].beg;
	if (n == 0)
		return 0;
	job->before = malloc(n * sizeof *job->before);
	if (!job->before)
		return err_nomem(e, n * sizeof *job->before);
	for (size_t i = 0; i < n; i++)
		job->before[i] = rec_frame_keep(l->link[l->n - 1 - i].frame);
	job->n_before = n;
	return 0;
}

/* Forget what no next chunk can want: all but the pieces up to `want`. */
static void
trim(struct pump_chain *l, uint64_t want)
{
	size_t i = l->n;

	while (i > 0 && l->link[i - 1].beg > want)
		i--;
	if (i > 1)
		drop(l, i - 1);
}

static uint64_t
back(uint64_t from, uint64_t context)
{
	return from > context ? from - context : 0;
}

static int
chain_chunk(struct pump_chain *l, uint64_t context, struct pump_job *job,
	    const struct chunk *c, struct err *e)
{
	const struct chunk_row *last = &c->row[c->n_rows - 1];
	bool more = continues(l, c);
	int rc = 0;

	if (more)
		rc = take_before(l, job, c->row,
				 back(c->row->own_beg, context), e);
	if (!more || c->n_rows > 1)
		drop(l, l->n);
	if (rc || last->flags & CHUNK_LAST)
		return rc;
	rc = add(l, job->item.frame, last, c->serial, e);
	trim(l, back(last->own_end, context));
	return rc;
}

int
pump_chain_job(struct pump_chain *l, uint64_t context, struct pump_job *job,
	       struct err *e)
{
	const struct rec_frame *f = job->item.frame;
	struct err why;
	struct chunk c;
	int rc;

	if (context == 0 || job->item.kind != FEED_FRAME ||
	    f->type != REC_CHUNK)
		return 0;
	/* What is wrong with a malformed chunk is work()'s to tell. */
	rc = chunk_view(&c, f, &why);
	if (rc == ERR_NOMEM) {
		*e = why;
		return rc;
	}
	if (rc) {
		drop(l, l->n);
		return 0;
	}
	if (c.n_rows)
		rc = chain_chunk(l, context, job, &c, e);
	chunk_free(&c);
	return rc;
}

void
pump_chain_free(struct pump_chain *l)
{
	drop(l, l->n);
	free(l->link);
}
