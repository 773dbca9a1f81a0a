/* SPDX-License-Identifier: MIT */
/* picture.c - results to look at: what is kept of them, and the page */
#include "stream/picture_priv.h"

#include <stdlib.h>

#include "base/hash.h"

int
picture_new(struct picture **p, struct err *e)
{
	*p = calloc(1, sizeof **p);
	if (!*p)
		return err_nomem(e, sizeof **p);
	(*p)->queries.by_ordinal = true;	/* their keys are hashes */
	return 0;
}

void
picture_free(struct picture *p)
{
	if (!p)
		return;
	lanes_free(&p->subjects);
	lanes_free(&p->queries);
	free(p->marks.v);
	buf_free(&p->heat);
	buf_free(&p->body);
	buf_free(&p->title);
	buf_free(&p->desc);
	buf_free(&p->lacks);
	free(p);
}

static uint64_t
middle(uint64_t beg, uint64_t end)
{
	return beg + (end - beg) / 2;
}

static int
add_hit(struct picture *p, uint64_t run, const struct hit *h)
{
	uint64_t key = hash64(h->query.name.p, h->query.name.n, h->query.len);
	struct lane *s, *q;
	struct mark m = {
		h->score, run, h->subject.ordinal, h->sbeg, h->send, key,
		h->query.ordinal, h->qbeg, h->qend, h->flags & HIT_MINUS,
	};
	int r = 0;

	p->n[m.minus]++;
	if (h->flags & HIT_EDITS)
		histo_add(&p->edits, h->edits, 1);
	s = lanes_find(&p->subjects, run, h->subject.ordinal, h->subject.name,
		       h->subject.len, &p->err);
	q = lanes_find(&p->queries, key, h->query.ordinal, h->query.name,
		       h->query.len, &p->err);
	if (s)
		r = lane_hit(s, middle(h->sbeg, h->send), m.minus, &p->err);
	if (q)
		q->n++;
	if (h->score <= 0 || r < 0)
		return r;
	histo_add(&p->scores, (uint64_t)h->score, 1);
	return marks_add(&p->marks, &m, &p->err);
}

void
picture_hit(struct picture *p, uint64_t run, const struct hit *h)
{
	if (!p->err.code)
		add_hit(p, run, h);
}

void
picture_tally(struct picture *p, const struct tally_row *t)
{
	histo_add(&p->ends, t->edits, t->count);
}

void
picture_primer(struct picture *p, const struct primer_row *r)
{
	uint64_t key = hash64(r->target.name.p, r->target.name.n,
			      r->target.len);
	struct lane *s;

	if (p->err.code)
		return;
	p->primers = p->subjects.by_ordinal = true;
	p->n[r->minus]++;
	histo_add(&p->lengths, r->end - r->beg, 1);
	s = lanes_find(&p->subjects, key, r->target.ordinal, r->target.name,
		       r->target.len, &p->err);
	if (s)
		lane_hit(s, middle(r->beg, r->end), r->minus, &p->err);
}

void
picture_lacks(struct picture *p, const char *why)
{
	if (!p->lacks.n)
		buf_put(&p->lacks, why, strlen(why));
}

void
picture_head(struct picture *p, const char *text)
{
	p->height += 20;
	svg_text(&p->body, "h", "start", MARGIN, p->height, "%s", text);
	p->height += 12;
}

/* "3 hits of 2 queries in 1 sequence: 2 on the + strand, 1 on the -." */
static void
say_hits(struct picture *p)
{
	uint64_t all = p->n[0] + p->n[1];
	bool more = p->subjects.others || p->queries.others;

	buf_printf(&p->title, "%s %s%s", svg_number(all).text,
		   p->primers ? "primer" : "hit", all == 1 ? "" : "s");
	if (!p->primers && p->queries.n)
		buf_printf(&p->title, " of %zu %s%s", p->queries.n,
			   p->queries.n == 1 ? "query" : "queries",
			   p->queries.others ? " or more" : "");
	if (p->subjects.n)
		buf_printf(&p->title, " in %zu %s%s", p->subjects.n,
			   p->subjects.n == 1 ? "sequence" : "sequences",
			   p->subjects.others ? " or more" : "");
	buf_printf(&p->desc, "%s on the + strand, %s on the - strand.%s ",
		   svg_number(p->n[0]).text, svg_number(p->n[1]).text,
		   more ? " Not all of them are shown." : "");
}

static void
say_all(struct picture *p)
{
	bool any = p->n[0] + p->n[1];

	if (any)
		say_hits(p);
	else if (!p->n_heats && !p->ends.total)
		buf_printf(&p->title, "Nothing found");
	if (p->ends.total)
		buf_printf(&p->title, "%s%s ends are counted",
			   any ? "; " : "", svg_number(p->ends.total).text);
	if (p->n_heats)
		buf_printf(&p->title, "%sdistances of sequences",
			   p->title.n ? "; " : "");
	buf_printf(&p->desc, "Drawn by seqfilters.");
}

/* Above all else: a picture is looked at without the exit status. */
static void
say_lacks(struct picture *p)
{
	struct str why = { (const char *)p->lacks.p, p->lacks.n };

	buf_printf(&p->title, "Incomplete: ");
	svg_rect(&p->body, "m", MARGIN, p->height, p->width - 2 * MARGIN, 4);
	p->height += 6;
	picture_head(p, "Incomplete: there may be more than is shown");
	svg_name(&p->body, "start", MARGIN, p->height + 8, why, 120);
	p->height += 20;
}

int
picture_draw(struct picture *p, struct buf *b, struct err *e)
{
	if (p->err.code) {
		*e = p->err;
		return e->code;
	}
	p->width = p->heat_width > PAGE ? p->heat_width : PAGE;
	p->height = MARGIN;
	if (p->lacks.n)
		say_lacks(p);
	say_all(p);
	if (p->n[0] + p->n[1])
		picture_lanes(p);
	else if (!p->n_heats && !p->ends.total)
		picture_head(p, "Nothing found");
	if (p->marks.n)
		picture_dots(p);
	picture_histo(p, &p->edits, "Hits by edits",
		      "differences");
	picture_histo(p, &p->scores, "Hits by score", "score");
	picture_histo(p, &p->lengths, "Primers by length", "letters");
	picture_histo(p, &p->ends, "Ends by differences",
		      "differences");
	if (p->n_heats) {
		buf_printf(&p->body, "<g transform=\"translate(0,%u)\">\n",
			   p->height);
		buf_put(&p->body, p->heat.p, p->heat.n);
		buf_printf(&p->body, "</g>\n");
		p->height += p->heat_height;
	}
	svg_file(b, p->width, p->height + MARGIN, &p->title, &p->desc,
		 &p->body);
	return b->bad || p->heat.bad || p->lacks.bad ? err_nomem(e, b->n) : 0;
}
