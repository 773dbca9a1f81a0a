/* SPDX-License-Identifier: MIT */
/* printer.c - rows as text, held until lengths are known */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "output/picture.h"
#include "output/output.h"

/* What the files of printer share (private). */

enum { HELD_MEMORY = 16 << 20, LINE_MEMORY = 64 << 10 };

/* What a scan's rows are, whether any came or not. */
enum { PRINTER_HITS = 1, PRINTER_SUMS = 2, PRINTER_DISTS = 4 };

struct printer {
	struct printer_params pp;
	struct columns columns;		/* of pp.columns */
	bool header;			/* pp's: with columns heads are made,
					   and looked at, without it, too */
	struct err head;		/* why one has not these columns */
	struct print_env env;
	const struct print_family *family;
	struct out *out;
	struct align align;	/* tsv on a terminal */
	struct buf line;	/* rows on their way to out */
	struct buf row, ops;	/* one held row */
	struct queue held;	/* {u64 run, u64 scan, hit_put}, or, of a family
				   that prints early, struct rows_early etc. */
	struct early_last early;	/* what is pushed there next */
	struct {		/* what the first held row waits for */
		bool on;
		uint64_t run, ordinal;
	} wait;
	struct lengths lengths;
	struct begin_own *begin;
	size_t n_begins, cap_begins;
	/* numbers + 1 of BEGINs: by run and hash of scan and text, the first by
	 * run and scan */
	struct index by_text, by_scan;
	struct pams pams;
	char source[64];	/* gff3's column 2 */
	unsigned heads;		/* TABLE_*, whose heads are there */
	bool no_table;		/* without rows there are no columns either */
	unsigned tables;	/* PRINTER_*, of the scans that were begun */
	bool any_row;
	struct index regions;	/* 1 by the name's hash: gff3 printed it */
	struct run_letters {
		uint64_t run, n;
	} *letters;		/* that are known */
	size_t n_letters, cap_letters;
	struct index letters_of;	/* numbers + 1 of them, by run */
	uint64_t stats_run, stats_scan;		/* of env.stats */
	bool stats_known;
	uint64_t n_reads;	/* rows of sam */
	bool lacks;		/* rows that were given are not all */
	uint64_t n_unknown;	/* rows without a length at the end */
	char unknown[200];
};

/* Names of formats. */

static const char *const names[] = {
	[FORMAT_REC] = "rec", [FORMAT_TSV] = "tsv", [FORMAT_PAF] = "paf",
	[FORMAT_SAM] = "sam", [FORMAT_BED] = "bed", [FORMAT_GFF3] = "gff3",
	[FORMAT_JSON] = "json", [FORMAT_FASTA] = "fasta",
	[FORMAT_PHYLIP] = "phylip", [FORMAT_PHYLIP_LOWER] = "phylip-lower",
	[FORMAT_PHYLIP_STRICT] = "phylip-strict",
	[FORMAT_PRETTY] = "pretty", [FORMAT_BLAST6] = "blast6",
	[FORMAT_BOULDER] = "boulder", [FORMAT_SVG] = "svg",
	[FORMAT_OFFTARGET] = "offtarget", [FORMAT_GUIDES] = "guides",
	[FORMAT_NEWICK] = "newick", [FORMAT_SVG_TREE] = "svg-tree",
};

enum format
format_of(const char *name)
{
	for (int i = 0; i < FORMAT_NONE; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum format)i;
	return FORMAT_NONE;
}

const char *
format_word(enum format f)
{
	return names[f];
}

bool
format_is_of_pairs(enum format f)
{
	return f == FORMAT_PHYLIP || f == FORMAT_PHYLIP_LOWER ||
	       f == FORMAT_PHYLIP_STRICT || f == FORMAT_NEWICK ||
	       f == FORMAT_SVG_TREE;
}

/* Does the path end so, before .gz? */
static bool
has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
		n -= 3;
	return n > k && strncmp(path + n - k, suffix, k) == 0;
}

enum format
format_of_file(const char *path)
{
	static const struct {
		const char *suffix;
		enum format format;
	} known[] = {
		{ ".rec", FORMAT_REC }, { ".tsv", FORMAT_TSV },
		{ ".txt", FORMAT_TSV }, { ".bed", FORMAT_BED },
		{ ".sam", FORMAT_SAM }, { ".paf", FORMAT_PAF },
		{ ".gff3", FORMAT_GFF3 }, { ".gff", FORMAT_GFF3 },
		{ ".json", FORMAT_JSON }, { ".svg", FORMAT_SVG },
		{ ".fa", FORMAT_FASTA }, { ".fasta", FORMAT_FASTA },
		{ ".fna", FORMAT_FASTA }, { ".blast6", FORMAT_BLAST6 },
		{ ".phylip", FORMAT_PHYLIP }, { ".phy", FORMAT_PHYLIP },
		{ ".boulder", FORMAT_BOULDER }, { ".nwk", FORMAT_NEWICK },
		{ ".newick", FORMAT_NEWICK },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (has_suffix(path, known[i].suffix))
			return known[i].format;
	return FORMAT_NONE;
}

const char *
format_foreign(const char *path)
{
	static const char *const suffix[] = {
		".csv", ".xls", ".xlsx", ".ods", ".bam", ".cram", ".vcf",
		".bcf", ".gtf", ".psl", ".fq", ".fastq", ".jsonl", ".ndjson",
		".html", ".pdf", ".png", ".xml",
	};

	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
		if (has_suffix(path, suffix[i]))
			return suffix[i] + 1;
	return NULL;
}

/* Hits and tallies as text, held until lengths are known. */

/* NULL for what is no text. */
static const struct print_family *
printer_family(enum format f)
{
	/* whole matrices and trees are written by dists_phylip() */
	static const struct print_family none;

	switch (f) {
	case FORMAT_TSV: return &print_tsv;
	case FORMAT_PAF: return &print_paf;
	case FORMAT_SAM: return &print_sam;
	case FORMAT_BED: return &print_bed;
	case FORMAT_GFF3: return &print_gff3;
	case FORMAT_JSON: return &print_json;
	case FORMAT_FASTA: return &print_fasta;
	case FORMAT_BOULDER: return &print_boulder;
	case FORMAT_PRETTY: return &print_pretty;
	case FORMAT_BLAST6: return &print_blast6;
	case FORMAT_SVG: return &print_svg;
	case FORMAT_OFFTARGET: return &print_offtarget;
	case FORMAT_GUIDES: return &print_guides;
	case FORMAT_PHYLIP:
	case FORMAT_PHYLIP_LOWER:
	case FORMAT_PHYLIP_STRICT:
	case FORMAT_NEWICK:
	case FORMAT_SVG_TREE: return &none;
	default: return NULL;
	}
}

int
printer_new(struct printer **p, const struct printer_params *pp,
	    struct out *o, struct err *e)
{
	const struct print_family *f = printer_family(pp->format);
	struct printer *n;
	int r = 0;

	if (!f)
		return err_set(e, ERR_USAGE, "this format is no text");
	n = calloc(1, sizeof *n);
	if (!n)
		return err_nomem(e, sizeof *n);
	n->pp = *pp;
	n->header = pp->header;
	n->pp.header |= pp->columns != NULL;
	n->env.pp = &n->pp;
	n->env.source = n->source;
	n->family = f;
	n->out = o;
	n->env.width = out_columns(o);
	n->held.memory = HELD_MEMORY;
	if (pp->columns)
		r = columns_read(&n->columns, pp->columns, e);
	if (r == 0 && pp->format == FORMAT_SVG)
		r = picture_new(&n->env.picture, e);
	if (r == 0 && pp->format == FORMAT_GUIDES)
		r = guides_new(&n->env.guides, e);
	if (r == 0 && pp->format == FORMAT_SAM &&
	    !(n->env.reads = sam_reads_new()))
		r = err_nomem(e, sizeof *n);
	if (r < 0)
		printer_free(n);
	else
		*p = n;
	return r;
}

static int
write_lines(struct printer *p, struct err *e)
{
	const struct buf *b = &p->line;

	if (p->env.width && p->pp.format == FORMAT_TSV) {
		align_lines(&p->align, (struct str){ (const char *)b->p,
						     b->n });
		b = &p->align.text;
	}
	return b->bad ? err_nomem(e, b->n) : out_write(p->out, b->p, b->n, e);
}

/* Hand the lines over when there are more bytes than limit. */
static int
printer_push(struct printer *p, size_t limit, struct err *e)
{
	int r;

	if (p->line.bad)
		return err_nomem(e, p->line.n);
	if (p->head.code) {
		*e = p->head;
		return e->code;
	}
	if (p->line.n <= limit)
		return 0;
	r = write_lines(p, e);
	p->line.n = 0;
	return r;
}

/* A feature of gff3 is numbered, and its sequence's length stands before the
 * first one. */
static int
next_feature(struct printer *p, struct str name, uint64_t length,
	     bool circular, struct err *e)
{
	uint64_t hash = hash64(name.p, name.n, 0);

	if (p->pp.format != FORMAT_GFF3)
		return 0;
	p->env.id++;
	if (circular && length != LEN_UNKNOWN &&
	    !index_number(&p->regions, hash, 1)) {
		if (!index_number(&p->regions, hash, 0))
			print_region(&p->line, name, length);
		print_circle(&p->line, name, length);
		return index_set_number(&p->regions, hash, 0, 1) &&
		       index_set_number(&p->regions, hash, 1, 1) ? 0 :
		       err_nomem(e, sizeof hash);
	}
	if (length == LEN_UNKNOWN || index_number(&p->regions, hash, 0))
		return 0;
	print_region(&p->line, name, length);
	return index_set_number(&p->regions, hash, 0, 1) ? 0 :
	       err_nomem(e, sizeof hash);
}

/* Where the row begins that is next. */
static size_t
row_begin(struct printer *p)
{
	if (p->pp.array)
		print_text(&p->line, p->any_row ? ",\n" : "[\n");
	p->any_row = true;
	return p->line.n;
}

/* Of the row at line.p + at the columns that are wanted; of an array, what is
 * behind it comes later. */
static int
row_done(struct printer *p, size_t at, struct err *e)
{
	if (p->pp.array && p->line.n > at)
		p->line.n--;
	if (p->pp.columns && !p->head.code)
		columns_pick(&p->columns, &p->line, at, false);
	return printer_push(p, LINE_MEMORY, e);
}

/* The same of a table's names. */
static void
head_done(struct printer *p, size_t at)
{
	struct str head;

	if (!p->pp.columns || p->line.bad || p->head.code)
		return;
	head = (struct str){ (const char *)p->line.p + at, p->line.n - at };
	if (columns_of(&p->columns, head, &p->head))
		return;
	columns_pick(&p->columns, &p->line, at, true);
	if (!p->header)
		p->line.n = at;
}

/*
 * A row may get its sequence's length from another frame: it is forged if
 * that is too short, and must not be held, where no such row is read back.
 */
static int
check_length(const struct hit *h, struct err *e)
{
	if (h->subject.len >= h->send ||	/* LEN_UNKNOWN is the largest */
	    (h->flags & HIT_CIRCULAR && h->sbeg < h->subject.len &&
	     h->send - h->sbeg <= h->subject.len))
		return 0;
	return err_set(e, ERR_FORMAT, "a hit ends at %llu of %.*s, which has "
		       "%s", (unsigned long long)h->send,
		       str_shown(h->subject.name, 150),
		       h->subject.name.p ? h->subject.name.p : "",
		       err_count(h->subject.len, "letter").text);
}

static const struct begin *
begin_of(const struct printer *p, uint64_t run, uint64_t scan)
{
	size_t n = index_number(&p->by_scan, run, scan);

	return n ? &p->begin[n - 1].b : NULL;
}

/* The scanner is the source of its hits, else this program. */
static void
find_source(struct printer *p, uint64_t run, uint64_t scan)
{
	const struct begin *b = begin_of(p, run, scan);
	const char *prog = p->pp.prog ? p->pp.prog : "seqfilters";
	struct str v = b ? begin_value(b, "program") : (struct str){ NULL, 0 };

	snprintf(p->source, sizeof p->source, "%.*s", v.p ? (int)v.n : 60,
		 v.p ? v.p : prog);
}

static void
table_head(struct printer *p, unsigned table)
{
	size_t at = p->line.n;

	if (p->heads & table)
		return;
	if (p->family->head)
		p->family->head(&p->line, &p->env, table);
	head_done(p, at);
	p->heads |= table;
}

static int
print_hit(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
	  struct err *e)
{
	int r = check_length(h, e);
	size_t at;

	if (r < 0)
		return r;
	table_head(p, TABLE_HITS);
	r = next_feature(p, h->subject.name, h->subject.len,
			 h->flags & HIT_CIRCULAR, e);
	if (r < 0)
		return r;
	if (p->pp.format == FORMAT_GFF3)
		find_source(p, run, scan);
	p->env.run = run;
	if (p->family->sites)
		pams_find(&p->pams, run, scan, &p->env);
	at = row_begin(p);
	p->family->hit(&p->line, &p->env, h);
	return row_done(p, at, e);
}

/* Itself, or the guide of a site. */
static bool
knows_query(const struct printer *p, const struct hit *h)
{
	return print_query(&p->env, &h->query).p ||
	       (p->family->sites && p->env.pam.n &&
		print_offtarget_knows(&p->env, h));
}

/* What the format cannot do without. */
static int
check_hit(const struct printer *p, const struct hit *h, struct err *e)
{
	const char *name = format_word(p->pp.format);

	if (!p->family->hit)
		return err_set(e, ERR_USAGE, "hits are not written as %s%s",
			       name, p->pp.format == FORMAT_FASTA ?
			       ": scan with --with-seq, and tsv shows their "
			       "letters" : "");
	if (p->pp.format == FORMAT_PAF && hit_over_origin(h))
		return err_set(e, ERR_USAGE, "paf cannot say that a hit is "
			       "over the origin of %.*s: use tsv, json, sam, "
			       "gff3 or bed",
			       str_shown(h->subject.name, 100),
			       h->subject.name.p);
	if (p->family->wants_start && h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "%s needs where hits begin: not "
			       "with --ends", name);
	if (p->family->wants_cigar && !(h->flags & HIT_CIGAR))
		return err_set(e, ERR_USAGE, "%s needs CIGARs: not with "
			       "--no-cigar", name);
	if (p->family->wants_letters && !(h->flags & HIT_LETTERS))
		return err_set(e, ERR_USAGE, "%s shows the letters that "
			       "match: scan with --with-seq", name);
	if (p->pp.format == FORMAT_OFFTARGET || p->env.guides) {
		if (p->env.guides ? p->env.pam.p && h->flags & HIT_EDITS :
		    print_offtarget_knows(&p->env, h))
			return 0;
		return err_set(e, ERR_USAGE, "-O %s: %s", name, !p->env.pam.p ?
			       "only of asm-scan --pam" : p->pp.queries ?
			       "-q needs the guides without their PAM" :
			       "-q FILE with the guides is needed");
	}
	if (p->pp.queries && !knows_query(p, h))
		return err_set(e, ERR_USAGE, "-q has no query %.*s of %llu "
			       "letters",
			       str_shown(h->query.name, 100), h->query.name.p,
			       (unsigned long long)h->query.len);
	return 0;
}

/* Of a family that prints early. */
static int
hold_text(struct printer *p, uint64_t run, const struct hit *h, struct err *e)
{
	size_t hole = 0;
	struct row_text row;
	struct rows_run rows;

	p->env.run = run;
	p->env.hole = &hole;
	p->family->hit(&p->row, &p->env, h);
	p->env.hole = NULL;
	if (p->row.bad)
		return err_nomem(e, p->row.n);
	if (p->row.n > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than %u bytes",
			       UINT32_MAX);
	row = (struct row_text){ (uint32_t)hole, (uint32_t)p->row.n };
	rows = (struct rows_run){ p->row.p, (const uint8_t *)&row, sizeof row,
				  1 };
	/* one over the origin knows its length */
	return early_put(&p->early, &p->held, run, &h->subject,
			 hit_over_origin(h) ? 0 : h->send, &rows, e);
}

static int
hold(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
     struct err *e)
{
	p->row.n = 0;
	if (p->family->early)
		return hold_text(p, run, h, e);
	buf_u64(&p->row, run);
	buf_u64(&p->row, scan);
	hit_put(&p->row, h);
	if (p->row.bad)
		return err_nomem(e, p->row.n);
	return queue_push(&p->held, p->row.p, p->row.n, e);
}

/* A positive number, or 0 if there is none. */
static double
number(const struct begin *b, const char *key)
{
	struct str v = begin_value(b, key);
	double x;

	return decimal_double(v.p, v.n, &x) && isfinite(x) && x > 0 ? x : 0;
}

/* A scan whose BEGIN holds no lambda and K needs no END. */
static bool
printer_find_stats(struct printer *p, uint64_t run, uint64_t scan)
{
	struct print_stats *s = &p->env.stats;
	const struct begin *b;
	size_t n;

	if (p->stats_known && p->stats_run == run && p->stats_scan == scan)
		return true;
	b = begin_of(p, run, scan);
	if (!b)
		return false;
	*s = (struct print_stats) { number(b, "lambda"), number(b, "K"),
				    begin_says(b, "even", "yes"), 0 };
	p->stats_known = s->lambda == 0 || s->k == 0;
	if (p->stats_known)
		s->lambda = 0;
	n = index_number(&p->letters_of, run, 0);
	if (n && !p->stats_known) {
		s->letters = p->letters[n - 1].n;
		p->stats_known = true;
	}
	p->stats_run = run;
	p->stats_scan = scan;
	return p->stats_known;
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

/* Their subject is named if something of it never came. */
static void
unknown_rows(struct printer *p, const struct hit *h, uint64_t n)
{
	p->n_unknown += n;
	if (p->n_unknown == n)
		snprintf(p->unknown, sizeof p->unknown, "%.*s",
			 str_shown(h->subject.name, 150),
			 h->subject.name.p ? h->subject.name.p : "");
}

static void
wait_for(struct printer *p, uint64_t run, const struct hit *h)
{
	p->wait.on = true;
	p->wait.run = run;
	p->wait.ordinal = h->subject.ordinal;
}

/* Rows with their subject's length, where the format has it; else of several
 * at once. */
static int
put_rows(struct printer *p, const struct rows_run *rows, uint64_t len,
	 struct err *e)
{
	bool copies = p->family->need != PRINT_LENGTH && !p->pp.columns;
	uint8_t length[PRINT_DIGITS];
	size_t n = copies ? 0 : (size_t)(print_number(length, len) - length);
	const uint8_t *text = rows->text;
	struct buf *b = &p->line;
	int r = 0;

	table_head(p, TABLE_HITS);
	for (uint64_t i = 0; i < rows->n && !r;) {
		struct row_text row = rows_at(rows, i++);
		size_t at = row_begin(p);

		while (copies && i < rows->n && row.n < LINE_MEMORY &&
		       rows_at(rows, i).n < LINE_MEMORY)
			row.n += rows_at(rows, i++).n;
		buf_put(b, text, row.hole);
		buf_put(b, length, n);
		buf_put(b, text + row.hole, row.n - row.hole);
		text += row.n;
		r = row_done(p, at, e);
	}
	return r;
}

/* drain() of texts. */
static int
drain_text(struct printer *p, bool all, struct err *e)
{
	struct rows_early x;
	int r = early_push(&p->early, &p->held, e), got = 0;

	p->wait.on = false;
	while (!r && (got = early_first(&p->held, &x, e)) > 0) {
		struct hit h = {
			.subject = { x.ordinal, LEN_UNKNOWN, x.name },
			.send = x.send,
		};

		if (!is_known(p, x.run, 0, &h) && !all) {
			wait_for(p, x.run, &h);
			return 0;
		}
		if (h.subject.len == LEN_UNKNOWN)
			unknown_rows(p, &h, x.rows.n);
		else if (!(r = check_length(&h, e)))
			r = put_rows(p, &x.rows, h.subject.len, e);
		if (!r)
			queue_pop(&p->held);
	}
	return r ? r : got;
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

	if (p->family->early)
		return drain_text(p, all, e);
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
			unknown_rows(p, &h, 1);
		else if ((r = print_hit(p, run, scan, &h, e)) < 0)
			return r;
		queue_pop(&p->held);
		p->env.row++;
	}
	return r;
}

/* Nothing is held: print the row, or make it the first one that is. */
static int
hit_now(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
	struct err *e)
{
	struct hit k = *h;

	if (is_known(p, run, scan, &k))
		return print_hit(p, run, scan, &k, e);
	wait_for(p, run, h);
	return hold(p, run, scan, h, e);
}

/* A row of sam, which needs the others. */
static int
hold_read(struct printer *p, uint64_t run, uint64_t scan, const struct hit *h,
	  struct err *e)
{
	int r = lengths_put(&p->lengths, run, h->subject.ordinal,
			    h->subject.name, h->subject.len, e);

	if (r == 0 && h->flags & HIT_CIRCULAR)
		lengths_set_circular(&p->lengths, run, h->subject.ordinal);
	if (r == 0 && h->subject.len)	/* else it is an unmapped read */
		r = sam_reads_add(p->env.reads, h, p->n_reads, e);
	p->n_reads++;
	return r < 0 ? r : hold(p, run, scan, h, e);
}

int
printer_hit(struct printer *p, uint64_t run, uint64_t scan,
	    const struct hit *h, struct err *e)
{
	int r;

	if (p->family->sites)
		pams_find(&p->pams, run, scan, &p->env);
	r = check_hit(p, h, e);
	if (r == 0)
		r = check_length(h, e);
	if (r < 0)
		return r;
	if (p->family->need == PRINT_NOTHING)
		return print_hit(p, run, scan, h, e);
	if (p->family->need == PRINT_ALL)
		return hold_read(p, run, scan, h, e);
	if (p->family->need == PRINT_LENGTH && p->wait.on &&
	    h->subject.len != LEN_UNKNOWN) {
		r = printer_length(p, run, h->subject.ordinal, h->subject.len,
				   e);
		if (r < 0)
			return r;
	}
	return p->wait.on ? hold(p, run, scan, h, e) :
			    hit_now(p, run, scan, h, e);
}

bool
printer_rows(const struct printer *p, struct rows_print *how)
{
	*how = (struct rows_print){ p->family, .env = { .pp = &p->pp } };
	return p->family->early;
}

int
printer_text(struct printer *p, uint64_t run, const struct subject_ref *s,
	     uint64_t send, const struct rows_run *rows, struct err *e)
{
	struct hit h = { .subject = *s, .send = send };
	bool lengths = p->family->need == PRINT_LENGTH;
	int r = check_length(&h, e);

	if (!r && p->wait.on && s->len != LEN_UNKNOWN)
		r = printer_length(p, run, s->ordinal, s->len, e);
	if (r < 0)
		return r;
	if (lengths && (p->wait.on || !is_known(p, run, 0, &h))) {
		if (!p->wait.on)
			wait_for(p, run, &h);
		return early_put(&p->early, &p->held, run, s, send, rows, e);
	}
	return put_rows(p, rows, h.subject.len, e);
}

int
printer_length(struct printer *p, uint64_t run, uint64_t ordinal,
	       uint64_t length, struct err *e)
{
	static const struct str none;
	int r;

	if (p->family->need != PRINT_LENGTH && p->family->need != PRINT_ALL)
		return 0;
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
	if (!p->heads && !p->no_table)
		table_head(p, p->pp.products ? TABLE_PRODUCTS :
			   p->pp.checks ? TABLE_CHECKS :
			   p->tables == PRINTER_SUMS ? TABLE_COUNTS :
			   p->tables == PRINTER_DISTS ? TABLE_DISTS :
							TABLE_HITS);
}

void
printer_no_table(struct printer *p)
{
	p->no_table = true;
}

/* Rows that could not be written, if any. */
static int
report_unknown(const struct printer *p, struct err *e)
{
	if (!p->n_unknown)
		return 0;
	return err_set(e, ERR_INCOMPLETE, "%s %s missing: the %s %s was never "
		       "given", err_count(p->n_unknown, "row").text,
		       p->n_unknown == 1 ? "is" : "are",
		       p->family->need == PRINT_STATS ?
		       "BEGIN of the scan, or the END, of" : "length of",
		       p->unknown);
}

void
printer_lacks(struct printer *p, const char *why)
{
	p->lacks = true;
	if (p->env.picture)
		picture_lacks(p->env.picture, why);
}

static int
draw(struct printer *p, struct err *e)
{
	if (report_unknown(p, e))
		printer_lacks(p, e->text);
	return picture_draw(p->env.picture, &p->line, e);
}

/* Of rows that are not all there it stays open, so that none takes it for
 * whole. */
static void
end_array(struct printer *p)
{
	print_text(&p->line, p->any_row ? "\n" : "[");
	print_text(&p->line, p->lacks || p->n_unknown ?
			     p->any_row ? "" : "\n" : "]\n");
}

int
printer_finish(struct printer *p, struct err *e)
{
	int r = 0;

	if (p->family->need == PRINT_ALL)
		r = sam_header(&p->line, &p->env, &p->lengths, p->begin,
			       p->n_begins, e);
	if (r == 0 && p->env.reads)
		r = sam_reads_finish(p->env.reads, e);
	if (r == 0)
		r = drain(p, true, e);
	if (r == 0 && p->env.picture)
		r = draw(p, e);
	if (r == 0 && p->env.guides && !p->no_table)
		r = guides_write(&p->line, &p->env, p->header, e);
	if (r == 0)
		empty_head(p);
	if (p->pp.array && !(p->no_table && !p->any_row))
		end_array(p);
	if (r == 0)
		r = printer_push(p, 0, e);
	return r == 0 ? report_unknown(p, e) : r;
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
	index_free(&p->letters_of);
	index_free(&p->regions);
	if (p->env.picture)
		picture_free(p->env.picture);
	if (p->env.reads)
		sam_reads_free(p->env.reads);
	if (p->env.guides)
		guides_free(p->env.guides);
	if (p->family && p->family->sites)
		pams_free(&p->pams);
	lengths_free(&p->lengths);
	queue_free(&p->held);
	align_free(&p->align);
	buf_free(&p->line);
	buf_free(&p->row);
	early_free(&p->early);
	buf_free(&p->ops);
	free(p);
}

/* How rows were made: @PG, gff3's column 2, statistics. */

/* How results were merged is no part of a final text. */
static bool
is_merge(const struct begin *b)
{
	return begin_says(b, "program", "merge-topk");
}

static bool
same_begin(const struct begin *a, const struct begin *b)
{
	return a->run.id == b->run.id && a->scan.id == b->scan.id &&
	       str_is(a->text, b->text);
}

/* So that the BEGIN, which is the next one, will be found. */
static bool
note_begin(struct printer *p, const struct begin *b, uint64_t hash)
{
	size_t n = p->n_begins + 1;
	bool fine = index_set_number(&p->by_text, b->run.id, hash, n);

	if (!index_number(&p->by_scan, b->run.id, b->scan.id))
		fine &= index_set_number(&p->by_scan, b->run.id, b->scan.id,
					 n);
	return fine;
}

static int
add_begin(struct printer *p, const struct begin *b, struct err *e)
{
	uint64_t hash = hash64(b->text.p, b->text.n, b->scan.id);
	size_t n = index_number(&p->by_text, b->run.id, hash);
	int r;

	if (n && same_begin(&p->begin[n - 1].b, b))
		return 0;
	r = array_room(&p->begin, &p->cap_begins, p->n_begins + 1,
		       sizeof *p->begin, e);
	if (r < 0)
		return r;
	if (!begin_copy(&p->begin[p->n_begins], b) ||
	    !note_begin(p, b, hash)) {
		buf_free(&p->begin[p->n_begins].text);
		return err_nomem(e, b->text.n);
	}
	p->n_begins++;
	p->stats_known = false;
	return 0;
}

int
printer_begin(struct printer *p, const struct begin *b, struct err *e)
{
	size_t before = p->n_begins;
	int r;

	if (b->scan.id && !is_merge(b))
		p->tables |= b->scan.rule == SCAN_SUM ? PRINTER_SUMS :
			     begin_says(b, "program", "ebwt-dist") ?
							PRINTER_DISTS :
							PRINTER_HITS;
	/* columns stay as they began */
	if (begin_value(b, "offtarget-score").p &&
	    (!(p->heads & TABLE_HITS) || p->pp.format == FORMAT_JSON))
		p->env.scored = true;
	if (p->pp.format == FORMAT_GUIDES && guides_begin(p->env.guides, b, e))
		return e->code;
	if (p->family->sites && pams_begin(&p->pams, b, e))
		return e->code;
	if (p->family->need != PRINT_ALL && p->family->need != PRINT_STATS &&
	    p->pp.format != FORMAT_GFF3)
		return 0;
	if (is_merge(b))
		return 0;
	r = add_begin(p, b, e);
	return r == 0 && p->n_begins > before && p->wait.on &&
	       p->family->need == PRINT_STATS ? drain(p, false, e) : r;
}

int
printer_letters(struct printer *p, uint64_t run, uint64_t n, struct err *e)
{
	int r;

	if (p->family->need != PRINT_STATS)
		return 0;
	if (index_number(&p->letters_of, run, 0))	/* every part has its
							   END */
		return 0;
	r = array_room(&p->letters, &p->cap_letters, p->n_letters + 1,
		       sizeof *p->letters, e);
	if (r < 0)
		return r;
	p->letters[p->n_letters++] = (struct run_letters) { run, n };
	if (!index_set_number(&p->letters_of, run, 0, p->n_letters))
		return err_nomem(e, sizeof *p->letters);
	return p->wait.on ? drain(p, false, e) : 0;
}

int
printer_frame(struct printer *p, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	struct seq s;
	struct run_end end;
	int r;

	switch (f->type) {
	case REC_BEGIN:
		r = begin_view(&b, f, e);
		return r < 0 ? r : printer_begin(p, &b, e);
	case REC_SEQ:
		r = seq_view(&s, f, e);
		return r < 0 ? r : printer_length(p, f->run, s.ordinal,
						  s.length, e);
	case REC_END:
		r = end_view(&end, f, e);
		return r < 0 ? r : printer_letters(p, end.run.id, end.letters,
						   e);
	default: return 0;
	}
}

int
printer_verdict(struct printer *p, struct ledger *l, const struct err *late,
		struct err *e)
{
	int r;

	while ((r = ledger_verdict(l, 0, e)) == ERR_INCOMPLETE)
		printer_lacks(p, e->text);
	if (late->code)
		printer_lacks(p, late->text);
	return r;
}

/* Formats, and rows that need not wait: all but hits. */

int
printer_tally(struct printer *p, const struct tally_row *t, struct err *e)
{
	size_t at;

	if (!p->family->tally)
		return err_set(e, ERR_USAGE, "counts are written as tsv, json "
			       "or svg, not as %s", format_word(p->pp.format));
	table_head(p, TABLE_COUNTS);
	at = row_begin(p);
	p->family->tally(&p->line, &p->env, t);
	return row_done(p, at, e);
}

int
printer_counts(struct printer *p, struct counts *c, struct err *e)
{
	int r = counts_finish(c, false, e);

	for (size_t i = 0; i < c->n && r == 0; i++) {
		struct tally_row t = counts_row(c, i);

		r = printer_tally(p, &t, e);
	}
	return r;
}

int
printer_product(struct printer *p, const struct product_row *r,
		struct err *e)
{
	size_t at;

	if (!p->family->product)
		return err_set(e, ERR_USAGE, "products are not written as %s",
			       format_word(p->pp.format));
	table_head(p, TABLE_PRODUCTS);
	if (next_feature(p, r->subject, r->slen, r->end > r->slen, e))
		return e->code;
	at = row_begin(p);
	p->family->product(&p->line, &p->env, r);
	return row_done(p, at, e);
}

int
printer_checked(struct printer *p, const struct check_row *r, struct err *e)
{
	size_t at;

	if (!p->family->check)
		return err_set(e, ERR_USAGE, "checks are written as tsv or "
			       "json, not as %s", format_word(p->pp.format));
	table_head(p, TABLE_CHECKS);
	at = row_begin(p);
	p->family->check(&p->line, &p->env, r);
	return row_done(p, at, e);
}

/* Primers and distances as text. */

static int
put_primer(void *ctx, const struct primer_row *r, struct err *e)
{
	struct printer *p = ctx;
	size_t at;

	if (!p->family->primer)
		return err_set(e, ERR_USAGE, "primers are written as tsv, bed, "
			       "gff3, fasta, json, boulder or svg, not as %s",
			       format_word(p->pp.format));
	table_head(p, TABLE_PRIMERS);
	if (next_feature(p, r->target.name, r->target.len, false, e))
		return e->code;
	snprintf(p->source, sizeof p->source, "primer-find");
	at = row_begin(p);
	p->family->primer(&p->line, &p->env, r);
	return row_done(p, at, e);
}

static int
put_dist(void *ctx, const struct dist_text *r, struct err *e)
{
	struct printer *p = ctx;
	size_t at;

	if (!p->family->dist)
		return err_set(e, ERR_USAGE, "distances are written as tsv, "
			       "json, phylip, newick or svg, not as %s",
			       format_word(p->pp.format));
	/* columns of plain and weighted rows are unlike */
	p->heads &= r->weighted ? ~TABLE_DISTS : ~TABLE_WEIGHTED;
	table_head(p, r->weighted ? TABLE_WEIGHTED : TABLE_DISTS);
	at = row_begin(p);
	p->family->dist(&p->line, &p->env, r);
	return row_done(p, at, e);
}

void
printer_dist_head(struct printer *p, bool weighted)
{
	if (!(p->heads & (TABLE_DISTS | TABLE_WEIGHTED)))
		table_head(p, weighted ? TABLE_WEIGHTED : TABLE_DISTS);
}

/* Lines as they are: matrices. */
static int
put_lines(void *ctx, const struct buf *b, struct err *e)
{
	struct printer *p = ctx;

	buf_put(&p->line, b->p, b->n);
	return printer_push(p, LINE_MEMORY, e);
}

int
tables_print(struct primers *p, const struct dists *d, struct printer *to,
	     enum format format, struct err *e)
{
	enum dists_matrix matrix = format == FORMAT_PHYLIP ? DISTS_SQUARE :
		format == FORMAT_PHYLIP_LOWER ? DISTS_LOWER :
		format == FORMAT_PHYLIP_STRICT ? DISTS_STRICT :
		format == FORMAT_NEWICK ? DISTS_NEWICK :
		format == FORMAT_SVG_TREE ? DISTS_SVG_TREE : DISTS_NONE;
	int r = 0;

	if (primers_any(p))
		table_head(to, TABLE_PRIMERS);
	r = primers_rows(p, put_primer, to, e);
	if (r == 0 && primers_any(p) && !to->any_row && to->pp.note)
		to->pp.note(0, "no primer found: -k or a limit is too strict, "
			    "or the background holds the target (--self)");
	if (r == 0 && matrix)
		return dists_phylip(d, matrix, put_lines, to, e);
	if (r == 0 && dists_any(d) && to->env.picture) {
		picture_dists(to->env.picture, d);
		return 0;
	}
	if (r == 0)
		r = dists_rows(d, put_dist, to, e);
	if (dists_any(d))
		printer_dist_head(to, dists_weighted(d));
	return r;
}
