/* SPDX-License-Identifier: MIT */
/* printer.c - hits and tallies as text, held until lengths are known */
#include <stdio.h>
#include <stdlib.h>

#include "stream/picture.h"
#include "stream/printer_priv.h"

int
printer_new(struct printer **p, const struct printer_params *pp,
	    struct out *o, struct err *e)
{
	const struct print_family *f = printer_family(pp->format);
	struct printer *n;

	if (!f)
		return err_set(e, ERR_USAGE, "this format is no text");
	n = calloc(1, sizeof *n);
	if (!n)
		return err_nomem(e, sizeof *n);
	n->pp = *pp;
	n->env.pp = &n->pp;
	n->env.source = n->source;
	n->family = f;
	n->out = o;
	n->held.memory = HELD_MEMORY;
	if (pp->format == FORMAT_SVG && picture_new(&n->env.picture, e) != 0) {
		printer_free(n);
		return e->code;
	}
	*p = n;
	return 0;
}

int
printer_push(struct printer *p, size_t limit, struct err *e)
{
	int r;

	if (p->line.bad)
		return err_nomem(e, p->line.n);
	if (p->line.n <= limit)
		return 0;
	r = out_write(p->out, p->line.p, p->line.n, e);
	p->line.n = 0;
	return r;
}

/*
 * A row may be told its sequence's length by another frame: it is forged if
 * that is too short, and must not be held, where no such row is read back.
 */
static int
check_length(const struct hit *h, struct err *e)
{
	if (h->subject.len >= h->send)	/* LEN_UNKNOWN is the largest */
		return 0;
	return err_set(e, ERR_FORMAT, "a hit ends at %llu of %.*s, which has "
		       "%s", (unsigned long long)h->send,
		       (int)(h->subject.name.n < 150 ? h->subject.name.n :
						       150),
		       h->subject.name.p ? h->subject.name.p : "",
		       err_count(h->subject.len, "letter").text);
}

static int
print_hit(struct printer *p, uint64_t run, const struct hit *h, struct err *e)
{
	int r = check_length(h, e);

	if (r < 0)
		return r;
	if (!p->hit_head && p->family->hit_head)
		p->family->hit_head(&p->line, &p->env);
	p->hit_head = true;
	if (p->pp.format == FORMAT_GFF3)
		printer_find_source(p, run);
	p->env.run = run;
	p->family->hit(&p->line, &p->env, h);
	return printer_push(p, LINE_MEMORY, e);
}

/* What the format cannot do without. */
static int
check_hit(const struct printer *p, const struct hit *h, struct err *e)
{
	const char *name = printer_format(p);

	if (!p->family->hit)
		return err_set(e, ERR_USAGE, "hits are not written as %s%s",
			       name, p->pp.format == FORMAT_FASTA ?
			       ": scan with --with-seq, and tsv shows their "
			       "letters" : "");
	if (p->family->wants_start && h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "%s needs where hits begin: not "
			       "with --ends", name);
	if (p->family->wants_cigar && !(h->flags & HIT_CIGAR))
		return err_set(e, ERR_USAGE, "%s needs CIGARs: not with "
			       "--no-cigar", name);
	if (p->family->wants_letters && !(h->flags & HIT_LETTERS))
		return err_set(e, ERR_USAGE, "%s shows the letters that "
			       "match: scan with --with-seq", name);
	if (p->pp.queries && !print_query(p->pp.queries, &h->query).p)
		return err_set(e, ERR_USAGE, "-q has no query %.*s of %llu "
			       "letters",
			       (int)(h->query.name.n < 100 ?
				     h->query.name.n : 100),
			       h->query.name.p,
			       (unsigned long long)h->query.len);
	return 0;
}

static int
hold(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
     struct err *e)
{
	p->row.n = 0;
	buf_u64(&p->row, run);
	buf_u64(&p->row, scan);
	hit_put(&p->row, h);
	if (p->row.bad)
		return err_nomem(e, p->row.n);
	return queue_push(&p->held, p->row.p, p->row.n, e);
}

/* Can the row be printed?  Its length is set if it is known. */
static bool
is_known(struct printer *p, uint64_t run, uint64_t scan, struct hit *h)
{
	const struct subject_len *s;

	if (p->family->need == PRINT_STATS)
		return printer_find_stats(p, run, scan);
	if (h->subject.len != LEN_UNKNOWN)
		return true;
	s = lengths_get(&p->lengths, run, h->subject.ordinal);
	h->subject.len = s ? s->length : LEN_UNKNOWN;
	return s && s->length != LEN_UNKNOWN;
}

/* Its subject is named when something of it was never told. */
static void
unknown_row(struct printer *p, const struct hit *h)
{
	if (p->n_unknown++ == 0)
		snprintf(p->unknown, sizeof p->unknown, "%.*s",
			 (int)(h->subject.name.n < 150 ? h->subject.name.n :
							 150),
			 h->subject.name.p ? h->subject.name.p : "");
}

static void
wait_for(struct printer *p, uint64_t run, const struct hit *h)
{
	p->wait.on = true;
	p->wait.run = run;
	p->wait.ordinal = h->subject.ordinal;
}

/*
 * Print held rows from the front until one has to wait; at the end of input
 * such a row is skipped and counted.
 */
static int
drain(struct printer *p, bool all, struct err *e)
{
	const uint8_t *bytes;
	size_t n;
	int r;

	p->wait.on = false;
	while ((r = queue_first(&p->held, &bytes, &n, e)) > 0) {
		struct cur c = cur_of(bytes, n);
		uint64_t run = cur_le(&c, 8), scan = cur_le(&c, 8);
		struct hit h;
		bool known;

		hit_get(&c, &h, &p->ops);
		if (p->ops.bad)
			return err_nomem(e, n);
		if (c.bad)
			return err_set(e, ERR_IO, "a held row is damaged");
		known = is_known(p, run, scan, &h);
		if (!known && !all) {
			wait_for(p, run, &h);
			return 0;
		}
		if (!known)
			unknown_row(p, &h);
		else if ((r = print_hit(p, run, &h, e)) < 0)
			return r;
		queue_pop(&p->held);
	}
	return r;
}

int
printer_drain(struct printer *p, struct err *e)
{
	return drain(p, false, e);
}

/* Nothing is held: print the row, or make it the first one that is. */
static int
hit_now(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
	struct err *e)
{
	struct hit k = *h;

	if (is_known(p, run, scan, &k))
		return print_hit(p, run, &k, e);
	wait_for(p, run, h);
	return hold(p, run, scan, h, e);
}

int
printer_hit(struct printer *p, uint64_t run, uint64_t scan,
	    const struct hit *h, struct err *e)
{
	int r = check_hit(p, h, e);

	if (r == 0)
		r = check_length(h, e);
	if (r < 0)
		return r;
	if (p->family->need == PRINT_NOTHING)
		return print_hit(p, run, h, e);
	if (p->family->need == PRINT_ALL) {
		r = lengths_put(&p->lengths, run, h->subject.ordinal,
				h->subject.name, h->subject.len, e);
		return r < 0 ? r : hold(p, run, scan, h, e);
	}
	if (p->family->need == PRINT_LENGTH && p->wait.on &&
	    h->subject.len != LEN_UNKNOWN) {
		static const struct str none;

		r = printer_length(p, run, h->subject.ordinal, none,
				   h->subject.len, e);
		if (r < 0)
			return r;
	}
	return p->wait.on ? hold(p, run, scan, h, e) :
			    hit_now(p, run, scan, h, e);
}

int
printer_length(struct printer *p, uint64_t run, uint64_t ordinal,
	       struct str name, uint64_t length, struct err *e)
{
	static const struct str none;
	int r;

	if (p->family->need != PRINT_LENGTH && p->family->need != PRINT_ALL)
		return 0;
	(void)name;
	/* sam lists only what has hits: of records in one chunk no stage after
	 * the scanner knows more, and the text must not depend on chunking */
	r = lengths_put(&p->lengths, run, ordinal, none, length, e);
	if (r == 0 && p->wait.on && p->wait.run == run &&
	    p->wait.ordinal == ordinal)
		r = drain(p, false, e);
	return r;
}

/* Of no rows at all: the columns of what alone was asked for, or of hits. */
static void
empty_head(struct printer *p)
{
	bool counts = p->tables == PRINTER_SUMS && p->family->tally_head;

	if (p->hit_head || p->tally_head || p->primer_head || p->dist_head ||
	    p->no_table)
		return;
	if (counts)
		p->family->tally_head(&p->line, &p->env);
	else if (p->tables == PRINTER_DISTS)
		printer_dist_head(p, false);
	else if (p->family->hit_head)
		p->family->hit_head(&p->line, &p->env);
}

void
printer_no_table(struct printer *p)
{
	p->no_table = true;
}

/* Rows that could not be written, if any. */
static int
tell_unknown(const struct printer *p, struct err *e)
{
	if (!p->n_unknown)
		return 0;
	return err_set(e, ERR_INCOMPLETE, "%s %s missing: the %s %s was never "
		       "told", err_count(p->n_unknown, "row").text,
		       p->n_unknown == 1 ? "is" : "are",
		       p->family->need == PRINT_STATS ?
		       "BEGIN of the scan, or the END, of" : "length of",
		       p->unknown);
}

void
printer_lacks(struct printer *p, const char *why)
{
	if (p->env.picture)
		picture_lacks(p->env.picture, why);
}

static int
draw(struct printer *p, struct err *e)
{
	if (tell_unknown(p, e))
		printer_lacks(p, e->text);
	return picture_draw(p->env.picture, &p->line, e);
}

int
printer_finish(struct printer *p, struct err *e)
{
	int r = 0;

	if (p->family->need == PRINT_ALL)
		r = sam_header(&p->line, &p->env, &p->lengths, p->begin,
			       p->n_begins, e);
	if (r == 0)
		r = drain(p, true, e);
	if (r == 0 && p->env.picture)
		r = draw(p, e);
	if (r == 0)
		empty_head(p);
	if (r == 0)
		r = printer_push(p, 0, e);
	return r == 0 ? tell_unknown(p, e) : r;
}

void
printer_free(struct printer *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_begins; i++)
		buf_free(&p->begin[i].text);
	free(p->begin);
	free(p->letters);
	index_free(&p->by_text);
	index_free(&p->by_scan);
	index_free(&p->by_run);
	index_free(&p->letters_of);
	picture_free(p->env.picture);
	lengths_free(&p->lengths);
	queue_free(&p->held);
	buf_free(&p->line);
	buf_free(&p->row);
	buf_free(&p->ops);
	free(p);
}
