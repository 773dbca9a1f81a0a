/* SPDX-License-Identifier: MIT */
/* primer_sites.c - the nearest site of each primer */
#include "scan/primer_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cigar.h"
#include "base/minmax.h"
#include "scan/primer_pass.h"
#include "scan/primer_scan_priv.h"

/* Letters of the primers of one pass, or a single primer that has more. */
enum { BATCH = 1 << 20 };

struct primer_sites {
	const struct scan_run *r;
	const struct primer_scan *scan;
	uint64_t ends;		/* of the first pass: hash of its ENDs */
	struct one *v;		/* of each row */
	size_t n, cap;
	struct buf letters, text;
	struct primer_site *site;
	uint64_t k, longest;
	/* Of one pass. */
	struct query *q;
	size_t *row;		/* of each query */
	size_t n_q;
};
struct one {
	size_t letters, n;	/* where they are, and how many */
	size_t cigar, cigar_n, name, name_n;	/* in text */
	bool found;
	struct primer_site site;	/* without texts */
};

/* Twice the same letters? */
static int
can_reread(const struct scan_run *r, struct err *e)
{
	struct stat st;

	if (!r->n_operands)
		return err_set(e, ERR_USAGE, "--site: the background is read "
			       "twice, and must be files");
	for (size_t i = 0; i < r->n_operands; i++)
		if (strcmp(r->operand[i], "-") == 0 ||
		    (stat(r->operand[i], &st) == 0 && !S_ISREG(st.st_mode)))
			return err_set(e, ERR_USAGE, "--site: %s: is read "
				       "twice, and must be a file",
				       r->operand[i]);
	return 0;
}

int
primer_sites_new(struct primer_sites **out, const struct scan_run *r,
		 const struct primer_scan *scan, enum format format,
		 struct err *e)
{
	struct primer_sites *s;
	int rc = can_reread(r, e);

	*out = NULL;
	if (rc)
		return rc;
	if (format != FORMAT_TSV && format != FORMAT_BED &&
	    format != FORMAT_GFF3 && format != FORMAT_JSON)
		return err_set(e, ERR_USAGE, "--site: only with -O tsv, bed, "
			       "gff3 and json");
	if (scan->o.alphabet == PRIMER_LITERAL)
		return err_set(e, ERR_USAGE, "--site: only for DNA, not with "
			       "--alphabet=literal");
	s = *out = calloc(1, sizeof *s);
	if (!s)
		return err_nomem(e, sizeof *s);
	s->r = r;
	s->scan = scan;
	return 0;
}

void
primer_sites_free(struct primer_sites *s)
{
	if (!s)
		return;
	buf_free(&s->letters);
	buf_free(&s->text);
	free(s->v);
	free(s->site);
	free(s->q);
	free(s->row);
	free(s);
}

int
primer_sites_see(struct primer_sites *s, const struct rec_frame *f,
		 struct err *e)
{
	if (f->type == REC_HITS || f->type == REC_TALLY ||
	    f->type == REC_PRIMER || f->type == REC_DIST)
		return err_set(e, ERR_USAGE, "--site: an operand holds "
			       "results, whose background is not there");
	s->ends = primer_pass_ends(s->ends, f);
	return 0;
}

static int
take_primer(void *ctx, const struct primer_row *r, struct err *e)
{
	struct primer_sites *s = ctx;
	int rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);

	if (rc)
		return rc;
	s->v[s->n++] = (struct one){ .letters = s->letters.n,
				     .n = r->sequence.n };
	s->longest = max_u64(s->longest, r->sequence.n);
	buf_put(&s->letters, r->sequence.p, r->sequence.n);
	return s->letters.bad ? err_nomem(e, s->letters.n) : 0;
}

/* A pass hands out the least of each query in the order of places. */
static int
take_hit(void *ctx, const struct hit *h, struct err *e)
{
	struct primer_sites *s = ctx;
	struct one *o;

	if (h->query.ordinal >= s->n_q)
		return err_set(e, ERR_FORMAT, "--site: a hit of no primer");
	o = &s->v[s->row[h->query.ordinal]];
	if (o->found)
		return 0;
	o->found = true;
	o->site.minus = h->flags & HIT_MINUS;
	o->site.sbeg = h->sbeg;
	o->site.send = h->send;
	o->site.edits = h->edits;
	o->cigar = s->text.n;
	cigar_text(&s->text, h->cigar, h->n_cigar);
	o->cigar_n = s->text.n - o->cigar;
	o->name = s->text.n;
	buf_put(&s->text, h->subject.name.p, h->subject.name.n);
	o->name_n = h->subject.name.n;
	return s->text.bad ? err_nomem(e, s->text.n) : 0;
}

/*
 * Rows from *at on that have no site as yet to queries.  Any alignment with a
 * letter that matches has fewer differences than the primer has letters: once k
 * was as many less one, there is nothing more to be found.
 */
static void
next_batch(struct primer_sites *s, size_t *at, uint64_t done)
{
	uint64_t letters = 0;

	for (s->n_q = 0; *at < s->n; ++*at) {
		const struct one *o = &s->v[*at];
		struct str p = { (const char *)s->letters.p + o->letters,
				 o->n };

		if (o->found || (done && o->n <= done + 1))
			continue;
		if (s->n_q && letters + o->n > BATCH)
			return;
		letters += o->n;
		s->row[s->n_q] = *at;
		s->q[s->n_q++] = (struct query){
			.name = p, .letters = p, .where = "--site",
		};
	}
}

static int
search(struct primer_sites *s, struct err *e)
{
	struct queries q = { .v = s->q, .n = s->n_q, .base = "primers" };
	char k[24];
	struct asm_options o = {
		.k = k, .report = ASM_BEST, .iupac = true, .k_fits = true,
		.strands = s->scan->o.strands == PRIMER_PLUS ? ASM_PLUS :
			   s->scan->o.strands == PRIMER_MINUS ? ASM_MINUS :
			   ASM_BOTH,
		.hide = &s->scan->hide,
	};
	struct primer_pass pass = {
		.r = s->r, .own = primer_scan_own(s->scan),
		.hit = take_hit, .ctx = s,
	};
	struct asm_scan *a = NULL;
	int rc;

	snprintf(k, sizeof k, "%llu", (unsigned long long)s->k);
	rc = asm_new(&a, &o, &q, e);
	if (!rc)
		rc = primer_pass_run(&pass, a, e);
	asm_free(a);
	return rc || pass.ends == s->ends ? rc :
	       err_set(e, ERR_IO, "--site: the background has changed "
		       "while it was searched");
}

/*
 * A primer that was not lengthened has exactly -k differences; others have
 * more, and need more passes.
 */
static int
search_all(struct primer_sites *s, struct err *e)
{
	uint64_t done = 0, step = 1;
	int rc = 0;

	s->k = s->scan->rule.k;
	while (!rc && done + 1 < s->longest + !done) {
		size_t at = 0;

		do {
			next_batch(s, &at, done);
			if (s->n_q)
				rc = search(s, e);
		} while (!rc && s->n_q);
		done = s->k;
		s->k += step;
		step *= 2;
	}
	return rc;
}

static void
point(struct primer_sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct one *o = &s->v[i];
		const char *t = (const char *)s->text.p;

		if (!o->found)
			continue;
		s->site[i] = o->site;
		s->site[i].cigar = (struct str){ t + o->cigar, o->cigar_n };
		s->site[i].subject = (struct str){ t + o->name, o->name_n };
	}
}

int
primer_sites_find(void *ctx, struct primers *p, struct err *e)
{
	struct primer_sites *s = ctx;
	int rc = primers_rows(p, take_primer, s, e);

	if (rc || s->n == 0)
		return rc;
	s->site = calloc(s->n, sizeof *s->site);
	s->q = calloc(s->n, sizeof *s->q);
	s->row = calloc(s->n, sizeof *s->row);
	if (!s->site || !s->q || !s->row)
		return err_nomem(e, s->n * sizeof *s->q);
	rc = search_all(s, e);
	if (!rc) {
		point(s);
		primers_set_sites(p, s->site);
	}
	return rc;
}
