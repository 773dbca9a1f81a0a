/* SPDX-License-Identifier: MIT */
/* pcr_find.c - products of PCR from hits of asm-scan */

#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "scan/pcr/pcr.h"

/* A value of BEGIN's text, as a string. */
struct word {
	char text[64];
};

struct pcr_find {
	struct pcr_find_params p;
	uint64_t *k;		/* most differences of each primer */
	struct topk *hits;	/* query: the primer */
	bool kind_known, substitutions;
	struct index runs;	/* numbers + 1 */
	uint64_t *run_scan;	/* the one whose hits came */
	size_t n_runs, cap_runs;
	struct word found;	/* -k of the first hits */
	uint64_t primers;	/* queries_hash() of them */
	uint64_t scan;		/* of the search: no other's hits may come */
	uint64_t shift;		/* hits are so far behind their place, that
				   those over an origin stand before it, too */
	bool circles;		/* there were hits of some */
	size_t last;		/* primer found last */
	/* While products are written. */
	const struct sink *sink;
	struct printer *printer;
	struct pcr_circle circle;
	struct pcr_beds beds;
	struct pcr_letters *reader;
	struct {
		uint64_t run, ordinal, length;
		struct buf name;
		bool any;
	} subject;
	struct buf name, letters;	/* of a product */
	uint64_t n_products;
};

static int
set_k(struct pcr_find *p, struct err *e)
{
	const struct pcr_pairs *x = p->p.pairs;
	struct asm_k k = { .percent = false };

	p->k = malloc((x->n_primers + 1) * sizeof *p->k);
	if (!p->k)
		return err_nomem(e, x->n_primers * sizeof *p->k);
	if (p->p.k && asm_k_read(&k, p->p.k, e))
		return e->code;
	for (size_t i = 0; i < x->n_primers; i++)
		p->k[i] = p->p.k ? asm_k_of(&k, x->primer[i].letters.n) :
				   UINT64_MAX;
	return 0;
}

int
pcr_find_new(struct pcr_find **out, const struct pcr_find_params *pp,
	     struct err *e)
{
	struct pcr_find *p = calloc(1, sizeof *p);
	struct topk_params tp = { .sort = SORT_SUBJECT };
	int rc;

	*out = NULL;
	if (!p)
		return err_nomem(e, sizeof *p);
	p->p = *pp;
	p->shift = pcr_longest_site(pp->pairs);
	rc = set_k(p, e);
	if (!rc)
		p->primers = queries_hash(pp->queries);
	if (!rc)
		rc = topk_new(&p->hits, &tp, e);
	if (rc)
		pcr_find_free(p);
	else
		*out = p;
	return rc;
}

void
pcr_find_free(struct pcr_find *p)
{
	if (!p)
		return;
	topk_free(p->hits);
	printer_free(p->printer);
	pcr_letters_free(p->reader);
	pcr_circle_free(&p->circle);
	free(p->beds.v);
	index_free(&p->runs);
	buf_free(&p->subject.name);
	buf_free(&p->name);
	buf_free(&p->letters);
	free(p->run_scan);
	free(p->k);
	free(p);
}

uint64_t
pcr_find_products(const struct pcr_find *p)
{
	return p->n_products;
}

/* Hits. */

/* Which primer is it?  The one behind the last one, mostly, or any. */
static size_t
find_primer(struct pcr_find *p, const struct query_ref *q)
{
	const struct pcr_pairs *x = p->p.pairs;
	size_t i = q->ordinal < x->n_primers ? (size_t)q->ordinal : 0;
	const struct str *name = &x->primer[i].name;

	if (name->n == q->name.n && memcmp(name->p, q->name.p, name->n) == 0)
		return i;
	return pcr_pairs_find(x, q->name);
}

static int
check_hit(const struct pcr_find *p, const struct scan_key *scan,
	  const struct hit *h, size_t primer, struct err *e)
{
	const struct pcr_pairs *x = p->p.pairs;
	const unsigned wants = HIT_CIGAR | HIT_EDITS;
	struct str name = h->query.name;

	if (p->scan && scan->id != p->scan)
		return err_set(e, ERR_USAGE, "sequences and hits at once: "
			       "give sequences, or hits of asm-scan");
	if (scan->rule != SCAN_UNION || (h->flags & wants) != wants ||
	    h->flags & HIT_NO_SBEG || h->sbeg >= h->send)
		return err_set(e, ERR_USAGE, "hits without CIGARs, or not of "
			       "asm-scan: search by asm-scan with no other "
			       "report than the default");
	if (primer == x->n_primers)
		return err_set(e, ERR_USAGE, "a hit of %.*s, which is no "
			       "primer of %s: search for what pcr-find "
			       "--primers writes", (int)min_u64(name.n, 200),
			       name.p, x->path);
	if (h->query.len != x->primer[primer].letters.n)
		return err_set(e, ERR_USAGE, "a hit of %.*s with %s, in %s it "
			       "has %zu", (int)min_u64(name.n, 200), name.p,
			       err_count(h->query.len, "letter").text, x->path,
			       x->primer[primer].letters.n);
	/* fewer differences than letters */
	if (h->send - h->sbeg > 2 * h->query.len)
		return err_set(e, ERR_FORMAT, "a hit of %.*s of %s: too many",
			       (int)min_u64(name.n, 200), name.p,
			       err_count(h->send - h->sbeg, "letter").text);
	return 0;
}

int
pcr_find_hit(void *ctx, const struct run_key *run,
	     const struct scan_key *scan, const struct hit *h, struct err *e)
{
	struct pcr_find *p = ctx;
	size_t primer = find_primer(p, &h->query);
	struct hit x = *h;
	int rc = check_hit(p, scan, h, primer, e);

	/* with more differences it is no site, nor does it shadow one */
	if (rc || h->edits > p->k[primer])
		return rc;
	x.query = (struct query_ref){ .ordinal = primer };
	x.flags &= ~(unsigned)HIT_LETTERS;
	x.qbeg = x.qend = 0;
	x.sbeg += p->shift;
	x.send += p->shift;
	p->circles |= (h->flags & HIT_CIRCULAR) != 0;
	rc = topk_add(p->hits, run, scan, &x, e);
	if (rc || !hit_over_origin(h))
		return rc;
	x.sbeg -= h->subject.len;	/* check_hit(): not below 0 */
	x.send -= h->subject.len;
	return topk_add(p->hits, run, scan, &x, e);
}

/* What streams of hits were made with. */

static int
err_made(struct err *e, const char *with, const char *want)
{
	return err_set(e, ERR_USAGE, "the hits were found with %s: pcr-find "
		       "needs those of asm-scan %s", with, want);
}

static struct word
value(const struct begin *b, const char *key)
{
	struct str v = begin_value(b, key);
	struct word w;

	snprintf(w.text, sizeof w.text, "%.*s",
		 (int)min_u64(v.n, sizeof w.text - 1), v.p ? v.p : "");
	return w;
}

static int
check_k(struct pcr_find *p, const struct begin *b, struct err *e)
{
	const struct pcr_pairs *x = p->p.pairs;
	struct word text = value(b, "k");
	struct asm_k k;

	if (asm_k_read(&k, text.text, e))
		return err_set(e, ERR_FORMAT, "BEGIN of the hits has no k");
	if (!*p->found.text)
		p->found = text;
	if (!p->p.k && strcmp(p->found.text, text.text))
		return err_set(e, ERR_USAGE, "some hits were found with -k %s, "
			       "some with -k %s: say with -k which of them "
			       "count", p->found.text, text.text);
	for (size_t i = 0; i < x->n_primers && p->p.k; i++)
		if (p->k[i] > asm_k_of(&k, x->primer[i].letters.n))
			return err_set(e, ERR_USAGE, "-k %.40s: the hits were "
				       "found with -k %s, others are missing",
				       p->p.k, text.text);
	return 0;
}

/* Edits or substitutions, and the report that belongs to it. */
static int
check_kind(struct pcr_find *p, const struct begin *b, struct err *e)
{
	bool s = begin_says(b, "differences", "substitutions");
	struct word report = value(b, "report");

	if (p->p.no_indels && !s)
		return err_made(e, "indels", "--no-indels");
	if (p->kind_known && p->substitutions != s)
		return err_set(e, ERR_USAGE, "some hits were found with "
			       "--no-indels, some without");
	p->kind_known = true;
	p->substitutions = s;
	if (strcmp(report.text, s ? "all" : "minima")) {
		char with[100];

		snprintf(with, sizeof with, "--report=%s", report.text);
		return err_made(e, with, s ? "--no-indels --report=all" :
					     "--report=minima");
	}
	return 0;
}

static int
check_suffix(const struct pcr_find *p, const struct begin *b, struct err *e)
{
	struct word suffix = value(b, "exact-suffix");
	char want[60], with[100];

	snprintf(want, sizeof want, "%lld", (long long)p->p.exact_suffix);
	if (strcmp(*suffix.text ? suffix.text : "0", want) == 0)
		return 0;
	snprintf(with, sizeof with, "--exact-suffix %s",
		 *suffix.text ? suffix.text : "0");
	snprintf(want, sizeof want, "--exact-suffix %lld",
		 (long long)p->p.exact_suffix);
	return err_made(e, with, want);
}

/* Options that must not have been given, or must. */
static int
check_others(const struct begin *b, struct err *e)
{
	static const struct {
		const char *key, *good, *with;
	} of[] = {
		{ "strand", "both", "one strand" },
		{ "alphabet", "dna", "another alphabet" },
		{ "text-iupac", "no", "--iupac" },
		{ "exact-prefix", "0", "--exact-prefix" },
		{ "pam", NULL, "--pam" },
		{ "mismatches", NULL, "limits on mismatches and bulges" },
		{ "overhang", NULL, "--overhang" },
	};
	struct word rows = value(b, "rows");

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (begin_value(b, of[i].key).p &&
		    !(of[i].good && begin_says(b, of[i].key, of[i].good)))
			return err_made(e, of[i].with, "without it");
	if (strncmp(rows.text, "cigar", 5) == 0)
		return 0;
	return err_made(e, *rows.text == 'e' ? "--ends" :
			*rows.text == 's' ? "--no-cigar" : "--histogram",
			"without it");
}

/* Hits that two scans found of the same run would be counted twice. */
static int
check_scan(struct pcr_find *p, const struct begin *b, struct err *e)
{
	size_t i = index_number(&p->runs, b->run.id, 0);
	int rc;

	if (i && p->run_scan[i - 1] == b->scan.id)
		return 0;
	if (i)
		return err_set(e, ERR_USAGE, "hits of two scans: give those "
			       "of one search by asm-scan");
	rc = array_room(&p->run_scan, &p->cap_runs, p->n_runs + 1,
			sizeof *p->run_scan, e);
	if (rc)
		return rc;
	p->run_scan[p->n_runs++] = b->scan.id;
	return index_set_number(&p->runs, b->run.id, 0, p->n_runs) ? 0 :
	       err_nomem(e, sizeof *b);
}

/*
 * The scan's id is a hash of its text, up to the number of queries, and of
 * their names and letters: which ours must have been.
 */
static int
check_primers(const struct pcr_find *p, const struct begin *b, struct err *e)
{
	struct str n = begin_value(b, "queries");
	uint64_t id = 0;

	if (n.p) {
		size_t size = (size_t)(n.p - b->text.p) + n.n;

		size += size < b->text.n;	/* its newline */
		id = hash64(b->text.p, size, p->primers);
		id += id == 0;
	}
	if (id == b->scan.id)
		return 0;
	return err_set(e, ERR_USAGE, "these hits are of other primers than -p "
		       "has: search with 'pcr-find -p FILE --primers'");
}

static int
check_merge(const struct begin *b, struct err *e)
{
	struct word program = value(b, "program");

	if (!b->scan.id || strcmp(program.text, "merge-topk"))
		return 0;
	return err_set(e, ERR_USAGE, "an earlier merge-topk left out hits (-n, "
		       "--no-overlap): not all products would be found");
}

static int
check_begin(struct pcr_find *p, const struct begin *b, struct err *e)
{
	struct word program = value(b, "program");
	int rc = check_merge(b, e);

	if (rc || !b->scan.id)	/* the run's own */
		return rc;
	if (strcmp(program.text, "asm-scan"))
		return err_set(e, ERR_USAGE, "results of %s: pcr-find reads "
			       "hits of asm-scan", program.text);
	rc = check_scan(p, b, e);
	if (!rc)
		rc = check_kind(p, b, e);
	if (!rc)
		rc = check_others(b, e);
	if (!rc)
		rc = check_suffix(p, b, e);
	if (!rc)
		rc = check_k(p, b, e);
	return rc ? rc : check_primers(p, b, e);
}

/* Sequences. */

static int
err_both(struct err *e)
{
	return err_set(e, ERR_USAGE, "hits and sequences at once: give "
		       "sequences, or hits of asm-scan");
}

/* Frames that come in: results among them would pass for those of the search,
 * of which they may have the id. */
static int
see_sequences(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	int rc;

	(void)ctx;
	switch (f->type) {
	case REC_HITS:
	case REC_TALLY:
	case REC_PRIMER:
	case REC_DIST:
		return err_both(e);
	case REC_BEGIN:
		rc = begin_view(&b, f, e);
		if (rc)	/* the sink reports damage */
			return rc == ERR_FORMAT ? 0 : rc;
		rc = check_merge(&b, e);
		return rc || !b.scan.id ? rc : err_both(e);
	default:
		return 0;
	}
}

int
pcr_find_search(struct pcr_find *p, const struct scan_run *r,
		const struct asm_scan *scan, uint64_t *n_letters,
		struct err *e)
{
	struct scan_run run = *r;

	p->substitutions = p->p.no_indels;
	p->scan = asm_key(scan)->id;
	run.see = see_sequences;
	run.see_ctx = p;
	run.primers = true;
	return asm_run(&run, scan, n_letters, e);
}

/* Streams of hits. */

struct reading {
	struct pcr_find *p;
	const struct scan_run *r;
	struct feed *feed;
};

static int
check_frame(struct pcr_find *p, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	int rc;

	switch (f->type) {
	case REC_CHUNK:
		return err_both(e);
	case REC_TALLY:
	case REC_PRIMER:
	case REC_DIST:
		return err_set(e, ERR_USAGE, "%s frames: pcr-find reads hits "
			       "of asm-scan", rec_type_name(f->type));
	case REC_BEGIN:
		rc = begin_view(&b, f, e);
		if (rc)	/* the sink reports damage */
			return rc == ERR_FORMAT ? 0 : rc;
		return check_begin(p, &b, e);
	default:
		return 0;
	}
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct reading *s = ctx;
	const struct rec_frame *f = job->item.frame;
	int rc;

	if (s->r->progress)
		s->r->progress(feed_place(s->feed));
	if (job->item.kind == FEED_DAMAGE) {
		s->r->note(job->item.text);
		sink_damage(s->r->sink);
	}
	if (!f || job->item.kind == FEED_DAMAGE)
		return 0;
	rc = check_frame(s->p, f, e);
	if (!rc)
		rc = sink_frame(s->r->sink, f, e);
	if (rc == SINK_WARN) {
		s->r->note(e->text);
		rc = 0;
	}
	return rc;
}

int
pcr_find_read(struct pcr_find *p, const struct scan_run *r, struct err *e)
{
	static const struct pump_ops ops = { .emit = emit };
	struct feed_params fp = feed_defaults;
	struct reading s = { .p = p, .r = r };
	int rc;

	fp.threads = r->threads;
	fp.results = true;
	fp.look = r->look;
	rc = feed_open(&s.feed, r->operand, r->n_operands, &fp, e);
	if (rc)
		return rc;
	rc = pump_run(s.feed, &ops, &s, r->threads, e);
	feed_close(s.feed);
	if (!rc)
		rc = sink_finish(r->sink, e);
	return rc;
}

/* Products. */

static void
put_str(struct buf *b, struct str s)
{
	buf_put(b, s.p, s.n);
}

/* Primers that are no pair of the file are called by both names. */
static struct str
pair_name(struct pcr_find *p, const struct pcr_product *x)
{
	const struct pcr_pairs *of = p->p.pairs;

	if (x->pair < of->n_pairs)
		return of->pair[x->pair].name;
	p->name.n = 0;
	put_str(&p->name, of->primer[x->f].name);
	buf_u8(&p->name, '+');
	put_str(&p->name, of->primer[x->r].name);
	return (struct str){ (const char *)p->name.p, p->name.n };
}

/* Pairs of the file come first. */
static uint64_t
pair_ordinal(const struct pcr_find *p, const struct pcr_product *x)
{
	const struct pcr_pairs *of = p->p.pairs;

	return x->pair < of->n_pairs ? x->pair :
	       of->n_pairs + (uint64_t)x->f * of->n_primers + x->r;
}

static struct product_primer
primer_of(const struct pcr_site *s)
{
	return (struct product_primer){ s->edits, pcr_ops(s), s->n_ops };
}

/* Letters of the right primer, along the subject, that lie at `from` of the
 * subject and behind it. */
static size_t
letters_behind(const struct pcr_site *s, uint64_t from)
{
	const uint32_t *ops = pcr_ops(s);
	uint64_t at = s->beg;
	size_t n = 0;

	for (size_t i = 0; i < s->n_ops; i++) {
		unsigned op = ops[i] & 15;

		for (uint32_t k = ops[i] >> 4; k; k--) {
			n += op != CIGAR_D && at >= from;
			at += op != CIGAR_I;
		}
	}
	return n;
}

/* As amplified: both primers' letters, and what lies between them. */
static struct str
primer_letters(struct pcr_find *p, const struct pcr_product *x,
	       struct str letters)
{
	const struct pcr_primer *of = p->p.pairs->primer;
	struct str left = of[x->left->primer].letters;
	struct str right = of[x->right->primer].letters;
	uint64_t beg = x->left->end - x->left->beg;
	uint64_t end = x->right->beg - x->left->beg;
	size_t n = end < beg ? letters_behind(x->right, x->left->end) :
			       right.n;
	struct buf *b = &p->letters;

	b->n = 0;
	put_str(b, left);
	if (beg < end)
		buf_put(b, letters.p + beg, end - beg);
	for (size_t i = n; i--;)
		buf_u8(b, dna_complement((uint8_t)right.p[i]));
	return (struct str){ (const char *)b->p, b->n };
}

/* Where a place of the join is. */
static uint64_t
place(const struct pcr_find *p, uint64_t at)
{
	return p->circle.n ? (at - p->circle.from) % p->circle.n : at;
}

static void
set_places(const struct pcr_find *p, const struct pcr_product *x,
	   struct product_row *r)
{
	const struct pcr_pairs *of = p->p.pairs;

	if (x->probe) {
		uint64_t beg = place(p, x->probe->beg);

		r->probe = (struct product_place){
			of->primer[x->probe->primer].name, beg,
			beg + (x->probe->end - x->probe->beg),
			x->probe->minus, x->probe->edits,
		};
	}
	if (p->p.print.outer) {
		uint64_t beg = place(p, x->outer.beg);

		r->outer = (struct product_place){
			.name = of->pair[x->outer.pair].name, .beg = beg,
			.end = beg + (x->outer.end - x->outer.beg),
		};
	}
}

static int
product_letters(struct pcr_find *p, struct product_row *r, struct err *e)
{
	uint64_t n = p->circle.n;

	if (!p->reader)
		return 0;
	return n && r->end > n ?
	       pcr_letters_around(p->reader, p->subject.ordinal, r->beg,
				  r->end, n, &r->letters, e) :
	       pcr_letters_get(p->reader, p->subject.ordinal, r->beg, r->end,
			       &r->letters, e);
}

static int
put_product(void *ctx, const struct pcr_product *x, struct err *e)
{
	struct pcr_find *p = ctx;
	uint64_t beg = place(p, x->left->beg);
	struct product_row r = {
		.pair = pair_name(p, x),
		.subject = { (char *)p->subject.name.p, p->subject.name.n },
		.run = p->subject.run, .ordinal = p->subject.ordinal,
		.pair_ordinal = pair_ordinal(p, x), .slen = p->subject.length,
		.minus = x->minus, .beg = beg,
		.end = beg + (x->right->end - x->left->beg),
		.f = primer_of(x->minus ? x->right : x->left),
		.r = primer_of(x->minus ? x->left : x->right),
	};
	int rc = product_letters(p, &r, e);

	if (!rc && p->circle.n && p->p.print.format == FORMAT_BED) {
		p->n_products++;
		return pcr_beds_add(&p->beds, x, &p->circle, e);
	}
	set_places(p, x, &r);
	if (!rc && p->p.primer_letters)
		r.letters = primer_letters(p, x, r.letters);
	if (!rc && (p->name.bad || p->letters.bad))
		rc = err_nomem(e, p->letters.n);
	p->n_products++;
	return rc ? rc : printer_product(p->printer, &r, e);
}

/* The subject has no more hits. */
static int
end_subject(struct pcr_find *p, struct pcr_join *j, struct err *e)
{
	int rc = pcr_circle_end(&p->circle, j, e);

	pcr_beds_sort(&p->beds);
	for (size_t i = 0; i < p->beds.n && !rc; i++) {
		const struct pcr_bed *b = &p->beds.v[i];
		const struct pcr_product x = { .pair = b->pair, .f = b->f,
					       .r = b->r };
		struct product_row r = {
			.pair = pair_name(p, &x), .run = p->subject.run,
			.subject = { (char *)p->subject.name.p,
				     p->subject.name.n },
			.ordinal = p->subject.ordinal, .minus = b->minus,
			.slen = p->subject.length, .beg = b->beg,
			.end = b->end, .f.edits = b->edits,
		};

		rc = p->name.bad ? err_nomem(e, p->name.n) :
				   printer_product(p->printer, &r, e);
	}
	p->beds.n = 0;
	return rc;
}

static int
begin_circle(struct pcr_find *p, struct pcr_join *j, struct err *e)
{
	if (p->subject.length == LEN_UNKNOWN || p->subject.length == 0)
		return err_set(e, ERR_INCOMPLETE, "%.*s: how many letters the "
			       "circle has is not known",
			       (int)min_u64(p->subject.name.n, 99),
			       (char *)p->subject.name.p);
	pcr_circle_begin(&p->circle, j, p->shift, p->subject.length,
			 p->p.print.outer ? 2 : 1);
	return 0;
}

/* The hit may be the first one of another subject. */
static int
take_hit(struct pcr_find *p, struct pcr_join *j, const struct run_key *run,
	 const struct hit *h, struct err *e)
{
	struct pcr_site s = {
		.primer = (uint32_t)h->query.ordinal,
		.minus = h->flags & HIT_MINUS, .beg = h->sbeg - p->shift,
		.end = h->send - p->shift,
		.edits = h->edits, .n_ops = h->n_cigar,
	};
	int rc = 0;

	if (!p->subject.any || p->subject.run != run->id ||
	    p->subject.ordinal != h->subject.ordinal) {
		if (p->subject.any)
			rc = end_subject(p, j, e);
		p->subject.any = true;
		p->subject.run = run->id;
		p->subject.ordinal = h->subject.ordinal;
		p->subject.length = h->subject.len != LEN_UNKNOWN ?
			h->subject.len : sink_length(p->sink, run->id,
						     h->subject.ordinal);
		p->subject.name.n = 0;
		put_str(&p->subject.name, h->subject.name);
		if (!rc && p->subject.name.bad)
			rc = err_nomem(e, h->subject.name.n);
		if (!rc && h->flags & HIT_CIRCULAR)
			rc = begin_circle(p, j, e);
	}
	if (p->circle.n) {
		s.beg += p->shift;
		s.end += p->shift;
	}
	return rc ? rc : pcr_circle_site(&p->circle, j, &s, h->cigar, e);
}

static int
join_hits(struct pcr_find *p, struct pcr_join *j, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int got, rc = topk_finish(p->hits, e);

	while (!rc && (got = topk_next(p->hits, &run, &scan, &h, e)) != 0)
		rc = got < 0 ? got : take_hit(p, j, run, &h, e);
	return !rc && p->subject.any ? end_subject(p, j, e) : rc;
}

bool
pcr_find_reads_twice(const struct pcr_find_params *pp)
{
	return pp->print.letters || pp->print.format == FORMAT_FASTA;
}

int
pcr_find_write(struct pcr_find *p, const struct scan_run *r, struct out *out,
	       struct err *e)
{
	struct pcr_join_params jp = {
		.pairs = p->p.pairs, .all_pairs = p->p.all_pairs,
		.shadows = !p->substitutions, .min = p->p.min,
		.max = p->p.max, .max_hits = p->p.max_hits,
		.put = put_product, .ctx = p,
	};
	struct pcr_join *j = NULL;
	int rc = printer_new(&p->printer, &p->p.print, out, e);

	p->sink = r->sink;
	if (!rc)
		rc = pcr_join_new(&j, &jp, e);
	if (!rc && pcr_find_reads_twice(&p->p))
		rc = pcr_letters_new(&p->reader, r, p->circles ?
				     pcr_join_reach(j) : 0, e);
	if (!rc)
		rc = join_hits(p, j, e);
	pcr_join_free(j);
	return rc ? rc : printer_finish(p->printer, e);
}
