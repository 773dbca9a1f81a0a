/* SPDX-License-Identifier: MIT */
/* printer.c - hits and tallies as text, held until lengths are known */
#include "stream/printer.h"

#include <stdio.h>
#include <stdlib.h>

#include "stream/print.h"
#include "stream/spool.h"

enum { HELD_MEMORY = 16 << 20, LINE_MEMORY = 64 << 10 };

struct printer {
	struct printer_params pp;
	struct print_env env;
	const struct print_family *family;
	struct out *out;
	struct buf line;	/* rows on their way to out */
	struct buf row, ops;	/* one held row */
	struct queue held;	/* {u64 run, hit_put} */
	struct {		/* whose length the first held row waits for */
		bool on;
		uint64_t run, ordinal;
	} wait;
	struct lengths lengths;
	struct print_begin *begin;
	size_t n_begins;
	char source[64];	/* gff3's column 2, of the run last seen */
	uint64_t source_run;
	bool source_known;
	bool hit_head, tally_head;
	uint64_t n_unknown;	/* rows without a length at the end */
	char unknown[200];
};

static const char *const names[] = {
	[FORMAT_REC] = "rec", [FORMAT_TSV] = "tsv", [FORMAT_PAF] = "paf",
	[FORMAT_SAM] = "sam", [FORMAT_BED] = "bed", [FORMAT_GFF3] = "gff3",
	[FORMAT_JSON] = "json", [FORMAT_FASTA] = "fasta",
};

enum format
format_of(const char *name)
{
	for (int i = 0; i < FORMAT_NONE; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum format)i;
	return FORMAT_NONE;
}

static const struct print_family *
family_of(enum format f)
{
	switch (f) {
	case FORMAT_TSV: return &print_tsv;
	case FORMAT_PAF: return &print_paf;
	case FORMAT_SAM: return &print_sam;
	case FORMAT_BED: return &print_bed;
	case FORMAT_GFF3: return &print_gff3;
	case FORMAT_JSON: return &print_json;
	default: return NULL;
	}
}

int
printer_new(struct printer **p, const struct printer_params *pp,
	    struct out *o, struct err *e)
{
	const struct print_family *f = family_of(pp->format);
	struct printer *n;

	if (!f)
		return err_set(e, ERR_USAGE, "hits and counts are no text in "
			       "this format");
	n = calloc(1, sizeof *n);
	if (!n)
		return err_nomem(e, sizeof *n);
	n->pp = *pp;
	n->env.pp = &n->pp;
	n->env.source = n->source;
	n->family = f;
	n->out = o;
	n->held.memory = HELD_MEMORY;
	*p = n;
	return 0;
}

/* Hand the lines over when there are many. */
static int
push_lines(struct printer *p, size_t limit, struct err *e)
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

/* The scanner of the run is the source of its hits, else this program. */
static void
find_source(struct printer *p, uint64_t run)
{
	const struct begin *best = NULL;
	struct str v = { NULL, 0 };

	if (p->source_known && p->source_run == run)
		return;
	for (size_t i = 0; i < p->n_begins; i++) {
		const struct begin *b = &p->begin[i].b;

		if (b->run.id == run && b->scan.id &&
		    (!best || scan_key_cmp(&b->scan, &best->scan) < 0))
			best = b;
	}
	if (best)
		v = begin_value(best, "program");
	if (v.p)
		snprintf(p->source, sizeof p->source, "%.*s",
			 (int)(v.n < 60 ? v.n : 60), v.p);
	else
		snprintf(p->source, sizeof p->source, "%s",
			 p->pp.prog ? p->pp.prog : "seqfilters");
	p->source_run = run;
	p->source_known = true;
}

static int
print_hit(struct printer *p, uint64_t run, const struct hit *h, struct err *e)
{
	if (!p->hit_head && p->family->hit_head)
		p->family->hit_head(&p->line, &p->env);
	p->hit_head = true;
	if (p->pp.format == FORMAT_GFF3)
		find_source(p, run);
	p->family->hit(&p->line, &p->env, h);
	return push_lines(p, LINE_MEMORY, e);
}

/* What the format cannot do without. */
static int
check_hit(const struct printer *p, const struct hit *h, struct err *e)
{
	const char *name = names[p->pp.format];

	if (p->family->wants_start && h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "%s needs where hits begin: not "
			       "with --ends", name);
	if (p->family->wants_cigar && !(h->flags & HIT_CIGAR))
		return err_set(e, ERR_USAGE, "%s needs CIGARs: not with "
			       "--no-cigar", name);
	return 0;
}

static int
hold(struct printer *p, uint64_t run, const struct hit *h, struct err *e)
{
	p->row.n = 0;
	buf_u64(&p->row, run);
	hit_put(&p->row, h);
	if (p->row.bad)
		return err_nomem(e, p->row.n);
	return queue_push(&p->held, p->row.p, p->row.n, e);
}

static uint64_t
known_length(const struct printer *p, uint64_t run, const struct hit *h)
{
	const struct subject_len *s;

	if (h->subject.len != LEN_UNKNOWN)
		return h->subject.len;
	s = lengths_get(&p->lengths, run, h->subject.ordinal);
	return s ? s->length : LEN_UNKNOWN;
}

static void
unknown_length(struct printer *p, const struct hit *h)
{
	if (p->n_unknown++ == 0)
		snprintf(p->unknown, sizeof p->unknown, "%.*s",
			 (int)(h->subject.name.n < 150 ? h->subject.name.n :
							 150),
			 h->subject.name.p ? h->subject.name.p : "");
}

/*
 * Print held rows from the front until one has no length; at the end of input
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
		uint64_t run = cur_le(&c, 8);
		struct hit h;

		hit_get(&c, &h, &p->ops);
		if (c.bad)
			return err_set(e, ERR_IO, "a held row is damaged");
		h.subject.len = known_length(p, run, &h);
		if (h.subject.len == LEN_UNKNOWN && !all) {
			p->wait.on = true;
			p->wait.run = run;
			p->wait.ordinal = h.subject.ordinal;
			return 0;
		}
		if (h.subject.len == LEN_UNKNOWN)
			unknown_length(p, &h);
		else if ((r = print_hit(p, run, &h, e)) < 0)
			return r;
		queue_pop(&p->held);
	}
	return r;
}

/* Nothing is held: print the row, or make it the first one that is. */
static int
hit_now(struct printer *p, uint64_t run, const struct hit *h, struct err *e)
{
	struct hit k = *h;

	k.subject.len = known_length(p, run, h);
	if (k.subject.len != LEN_UNKNOWN)
		return print_hit(p, run, &k, e);
	p->wait.on = true;
	p->wait.run = run;
	p->wait.ordinal = h->subject.ordinal;
	return hold(p, run, h, e);
}

int
printer_hit(struct printer *p, uint64_t run, const struct hit *h,
	    struct err *e)
{
	int r = check_hit(p, h, e);

	if (r < 0)
		return r;
	if (p->family->need == PRINT_NOTHING)
		return print_hit(p, run, h, e);
	if (p->family->need == PRINT_ALL) {
		r = lengths_put(&p->lengths, run, h->subject.ordinal,
				h->subject.name, h->subject.len, e);
		return r < 0 ? r : hold(p, run, h, e);
	}
	if (p->wait.on && h->subject.len != LEN_UNKNOWN) {
		static const struct str none;

		r = printer_length(p, run, h->subject.ordinal, none,
				   h->subject.len, e);
		if (r < 0)
			return r;
	}
	return p->wait.on ? hold(p, run, h, e) : hit_now(p, run, h, e);
}

int
printer_tally(struct printer *p, const struct tally_row *t, struct err *e)
{
	if (!p->family->tally)
		return err_set(e, ERR_USAGE, "counts are written as tsv or "
			       "json only, not as %s", names[p->pp.format]);
	if (!p->tally_head && p->family->tally_head)
		p->family->tally_head(&p->line, &p->env);
	p->tally_head = true;
	p->family->tally(&p->line, &p->env, t);
	return push_lines(p, LINE_MEMORY, e);
}

int
printer_length(struct printer *p, uint64_t run, uint64_t ordinal,
	       struct str name, uint64_t length, struct err *e)
{
	static const struct str none;
	int r;

	if (p->family->need == PRINT_NOTHING)
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

/* The run's strings and the text, copied one behind the other. */
static void
copy_begin(struct print_begin *to, const struct begin *from)
{
	struct str *s[] = { &to->b.run.base, &to->b.run.label,
			    &to->b.run.first, &to->b.scan.base, &to->b.text };
	size_t at = 0;

	to->b = *from;
	memset(&to->text, 0, sizeof to->text);
	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		buf_put(&to->text, s[i]->p, s[i]->n);
	for (size_t i = 0; i < sizeof s / sizeof *s && !to->text.bad; i++) {
		s[i]->p = s[i]->n ? (char *)to->text.p + at : "";
		at += s[i]->n;
	}
}

/* How results were merged is no part of a final text. */
static bool
is_merge(const struct begin *b)
{
	struct str prog = begin_value(b, "program");

	return prog.n == 10 && memcmp(prog.p, "merge-topk", 10) == 0;
}

static bool
same_begin(const struct begin *a, const struct begin *b)
{
	return a->run.id == b->run.id && a->scan.id == b->scan.id &&
	       a->text.n == b->text.n &&
	       memcmp(a->text.p, b->text.p, a->text.n) == 0;
}

int
printer_begin(struct printer *p, const struct begin *b, struct err *e)
{
	size_t bytes = (p->n_begins + 1) * sizeof *p->begin;
	struct print_begin *v;

	if (p->family->need != PRINT_ALL && p->pp.format != FORMAT_GFF3)
		return 0;
	if (is_merge(b))
		return 0;
	for (size_t i = 0; i < p->n_begins; i++)
		if (same_begin(&p->begin[i].b, b))
			return 0;
	v = realloc(p->begin, bytes);
	if (!v)
		return err_nomem(e, bytes);
	p->begin = v;
	copy_begin(&v[p->n_begins], b);
	if (v[p->n_begins].text.bad) {
		buf_free(&v[p->n_begins].text);
		return err_nomem(e, b->text.n);
	}
	p->n_begins++;
	p->source_known = false;
	return 0;
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
	if (r == 0 && !p->hit_head && !p->tally_head && p->family->hit_head)
		p->family->hit_head(&p->line, &p->env);
	if (r == 0)
		r = push_lines(p, 0, e);
	if (r == 0 && p->n_unknown)
		r = err_set(e, ERR_INCOMPLETE, "%llu rows are missing: the "
			    "length of %s was never told",
			    (unsigned long long)p->n_unknown, p->unknown);
	return r;
}

void
printer_free(struct printer *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_begins; i++)
		buf_free(&p->begin[i].text);
	free(p->begin);
	lengths_free(&p->lengths);
	queue_free(&p->held);
	buf_free(&p->line);
	buf_free(&p->row);
	buf_free(&p->ops);
	free(p);
}
