/* SPDX-License-Identifier: MIT */
/* primer_check.c - primers that are given, and what is near them */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/asm/asm.h"
#include "scan/primer/primer_scan_priv.h"

/* What is known of a primer. */
struct nearest {
	bool found;
	size_t run;			/* of runs */
	uint64_t ordinal;
	struct primer_site site;	/* without texts */
	struct buf subject, cigar;
};

struct primer_check {
	struct pcr_pairs pairs;
	struct queries q;
	struct asm_scan *scan;
	struct primer_self *self;	/* or NULL */
	struct window_hide hide;	/* N, and self's places */
	struct melting melting;
	uint64_t k;
	struct keys runs;		/* of what was searched */
	struct nearest *near;		/* of each primer */
	uint64_t *places;		/* k + 1 of each */
};

size_t
primer_check_primers(const struct primer_check *c)
{
	return c->pairs.n_primers;
}

void
primer_check_free(struct primer_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->near && i < c->pairs.n_primers; i++) {
		buf_free(&c->near[i].subject);
		buf_free(&c->near[i].cigar);
	}
	free(c->near);
	free(c->places);
	keys_free(&c->runs);
	asm_free(c->scan);
	primer_self_free(c->self);
	queries_free(&c->q);
	pcr_pairs_free(&c->pairs);
	free(c);
}

static int
check_options(struct primer_check *c, const struct primer_options *o,
	      struct err *e)
{
	struct melting_salts salts;
	int rc;

	if (!o->k)
		return err_set(e, ERR_USAGE, "how many differences? -k K");
	c->k = (uint64_t)o->k;
	rc = primer_salts(o, &salts, e);
	if (rc)
		return rc;
	if (!melting_init(&c->melting, &salts))
		return err_set(e, ERR_USAGE, "there is no melting temperature "
			       "without salt and primers");
	return o->self ? primer_self_new(&c->self, o->self, e) : 0;
}

static int
check_compile(struct primer_check *c, const struct primer_options *o,
	      struct err *e)
{
	char k[24];
	struct asm_options ao = {
		.k = k, .iupac = true, .k_fits = true, .hide = &c->hide,
		.strands = o->strands == PRIMER_PLUS ? ASM_PLUS :
			   o->strands == PRIMER_MINUS ? ASM_MINUS : ASM_BOTH,
	};
	uint64_t longest = 0;
	int rc = pcr_pairs_queries(&c->pairs, &c->q, e);

	for (size_t i = 0; i < c->pairs.n_primers; i++)
		longest = max_u64(longest, c->pairs.primer[i].letters.n);
	if (!rc && c->k > longest)
		return err_set(e, ERR_USAGE, "-k %llu: no primer of %s has so "
			       "many letters", (unsigned long long)c->k,
			       c->pairs.path);
	if (c->self)
		c->hide = primer_self_hide(c->self);
	snprintf(k, sizeof k, "%llu", (unsigned long long)c->k);
	return rc ? rc : asm_new(&c->scan, &ao, &c->q, e);
}

int
primer_check_new(struct primer_check **out, const struct primer_options *o,
		 const struct pcr_files *files, const struct opt_list *letters,
		 struct err *e)
{
	struct primer_check *c = calloc(1, sizeof *c);
	size_t n;
	int rc;

	*out = NULL;
	if (!c)
		return err_nomem(e, sizeof *c);
	rc = check_options(c, o, e);
	if (!rc)
		rc = pcr_files_load(&c->pairs, files, letters, e);
	if (!rc)
		rc = check_compile(c, o, e);
	n = c->pairs.n_primers;
	if (!rc) {
		c->near = calloc(n, sizeof *c->near);
		c->places = calloc(n * (c->k + 1), sizeof *c->places);
		if (!c->near || !c->places)
			rc = err_nomem(e, n * (c->k + 1) * sizeof *c->places);
	}
	if (rc)
		primer_check_free(c);
	else
		*out = c;
	return rc;
}

/* Hits. */

/* Runs are in merge-topk's order, whichever came first. */
static bool
comes_before(const struct primer_check *c, const struct hit *h, size_t run,
	     const struct nearest *x)
{
	bool minus = h->flags & HIT_MINUS;

	if (!x->found || h->edits != x->site.edits)
		return !x->found || h->edits < x->site.edits;
	if (run != x->run)
		return run_key_cmp(&c->runs.v[run].run,
				   &c->runs.v[x->run].run) < 0;
	if (h->subject.ordinal != x->ordinal)
		return h->subject.ordinal < x->ordinal;
	if (h->send != x->site.send)
		return h->send < x->site.send;
	return minus < x->site.minus;
}

int
primer_check_hit(void *ctx, const struct run_key *run,
		 const struct scan_key *scan, const struct hit *h,
		 struct err *e)
{
	struct primer_check *c = ctx;
	size_t i = (size_t)h->query.ordinal;
	struct nearest *x;
	long r;

	if (scan->id != asm_key(c->scan)->id || i >= c->pairs.n_primers ||
	    h->edits > c->k)
		return err_set(e, ERR_FORMAT, "--check: a hit of no primer");
	x = &c->near[i];
	c->places[i * (c->k + 1) + h->edits]++;
	r = keys_run(&c->runs, run, e);
	if (r < 0)
		return (int)r;
	if (!comes_before(c, h, (size_t)r, x))
		return 0;
	x->found = true;
	x->run = (size_t)r;
	x->ordinal = h->subject.ordinal;
	x->site.minus = h->flags & HIT_MINUS;
	x->site.sbeg = h->sbeg;
	x->site.send = h->send;
	x->site.edits = h->edits;
	x->subject.n = x->cigar.n = 0;
	buf_put(&x->subject, h->subject.name.p, h->subject.name.n);
	cigar_text(&x->cigar, h->cigar, h->n_cigar);
	return x->subject.bad || x->cigar.bad ?
	       err_nomem(e, h->subject.name.n) : 0;
}

/* Results among the frames that come in would pass for those of the search. */
static int
see_frame(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct primer_check *c = ctx;
	struct begin b;

	switch (f->type) {
	case REC_CHUNK:
		return c->self ? primer_self_see(c->self, f, e) : 0;
	case REC_BEGIN:
		if (begin_view(&b, f, e) || !b.scan.id)
			return 0;	/* the sink reports damage */
		break;
	case REC_HITS:
	case REC_TALLY:
	case REC_PRIMER:
	case REC_DIST:
		break;
	default:
		return 0;
	}
	return err_set(e, ERR_USAGE, "--check: an operand holds results, whose "
		       "background is not there");
}

int
primer_check_run(struct primer_check *c, const struct scan_run *r,
		 struct cuda_choice gpu, struct cuda_report *report,
		 uint64_t *n_letters, struct err *e)
{
	struct asm_gpu_params gp = {
		.choice = gpu, .threads = r->threads,
		.kernel = KDIFF_DEV_FAST,
	};
	struct scan_run run = *r;
	struct err why;
	int rc = asm_use_gpu(c->scan, &gp, e);

	run.see = see_frame;
	run.see_ctx = c;
	if (!rc)
		rc = asm_run(&run, c->scan, n_letters, e);
	if (!rc)
		asm_end_gpu(c->scan, report);
	if (!rc && c->self && primer_self_missing(c->self, &why))
		r->note(why.text);
	return rc;
}

/* Rows. */

static const uint8_t dna_letter[] = { 'A', 'C', 'G', 'T' };

/* How many words a primer stands for, if these are MAX_WORDS at most; else 0,
 * and there is no temperature. */
enum { MAX_WORDS = 1 << 16 };

static uint64_t
count_words(struct str s)
{
	uint64_t n = 1;

	for (size_t i = 0; i < s.n; i++) {
		n *= (unsigned)__builtin_popcount(dna_set((uint8_t)s.p[i]));
		if (n > MAX_WORDS)
			return 0;
	}
	return n;
}

/* Word number w of those that s stands for. */
static void
nth_word(struct str s, uint64_t w, uint8_t *to)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned set = dna_set((uint8_t)s.p[i]);
		unsigned of = (unsigned)__builtin_popcount(set), n = w % of;

		w /= of;
		while (n--)
			set &= set - 1;
		to[i] = dna_letter[__builtin_ctz(set)];
	}
}

static int64_t
to_hundredths(int64_t nano)
{
	const int64_t unit = 10000000;

	return nano < 0 ? -((unit / 2 - nano) / unit) :
			  (nano + unit / 2) / unit;
}

static int
set_tm(const struct primer_check *c, struct check_row *r, struct err *e)
{
	struct str s = r->sequence;
	uint64_t n = count_words(s);
	uint8_t *word = malloc(s.n);
	int64_t tm;

	if (!word)
		return err_nomem(e, s.n);
	r->melts = n;
	for (uint64_t w = 0; w < n && r->melts; w++) {
		struct melting_sum sum = { 0, 0 };

		nth_word(s, w, word);
		for (size_t i = 1; i < s.n; i++) {
			struct melting_sum p = melting_pair(word[i - 1],
							    word[i]);
			sum.h += p.h;
			sum.s += p.s;
		}
		r->melts = melting_tm(&c->melting, word, s.n, sum, &tm);
		if (!r->melts)
			break;
		tm = to_hundredths(tm);
		r->tm[0] = w && r->tm[0] < tm ? r->tm[0] : tm;
		r->tm[1] = w && r->tm[1] > tm ? r->tm[1] : tm;
	}
	free(word);
	return 0;
}

static void
set_gc(struct check_row *r)
{
	uint64_t n = r->sequence.n, all = 0, any = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t set = dna_set((uint8_t)r->sequence.p[i]);

		all += !(set & (DNA_A | DNA_T));
		any += (set & (DNA_C | DNA_G)) != 0;
	}
	r->gc[0] = (20000 * all + n) / (2 * n);
	r->gc[1] = (20000 * any + n) / (2 * n);
}

static int
write_row(const struct primer_check *c, size_t i, struct printer *to,
	  struct err *e)
{
	const struct pcr_primer *p = &c->pairs.primer[i];
	const struct nearest *x = &c->near[i];
	struct check_row r = {
		.primer = p->name, .sequence = p->letters,
		.places = c->places + i * (c->k + 1), .n_places = c->k + 1,
		.fails = p->letters.n < c->k ||
			 (x->found && x->site.edits < c->k),
		.site = x->site,
	};
	int rc;

	r.site.subject = (struct str){ (char *)x->subject.p, x->subject.n };
	r.site.cigar = (struct str){ (char *)x->cigar.p, x->cigar.n };
	set_gc(&r);
	rc = set_tm(c, &r, e);
	return rc ? rc : printer_checked(to, &r, e);
}

int
primer_check_write(const struct primer_check *c,
		   const struct printer_params *pp, struct out *out,
		   struct err *e)
{
	struct printer *to = NULL;
	int rc = printer_new(&to, pp, out, e);

	for (size_t i = 0; i < c->pairs.n_primers && !rc; i++)
		rc = write_row(c, i, to, e);
	if (!rc)
		rc = printer_finish(to, e);
	printer_free(to);
	return rc;
}
