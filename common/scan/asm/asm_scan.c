/* SPDX-License-Identifier: MIT */
/*
 * asm_scan.c - approximate matching over all operands: from options and
 * queries to a scan
 */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "rec/rec.h"
#include "scan/asm/asm.h"
#include "scan/asm/asm_priv.h"
#include "scan/scan.h"

/* From options and queries to a compiled scan and its identity. */

int
asm_k_read(struct asm_k *k, const char *s, struct err *e)
{
	const char *end = decimal_read(s, &k->n);

	k->percent = end && *end == '%' && !end[1];
	if (end && (k->percent || (!*end && !strchr(s, '.'))))
		return 0;
	return err_set(e, ERR_USAGE, "-k %.200s: must be a number of "
		       "differences, or a percentage such as 10%%, with at "
		       "most 9 digits", s);
}

/* A pattern's length is below 2^17: exact in 128 bits. */
uint64_t
asm_k_of(const struct asm_k *k, uint64_t m)
{
	if (!k->percent)
		return k->n.value;
	return (uint64_t)((unsigned __int128)k->n.value * m /
			  (k->n.unit * 100));
}

static void
k_print(struct buf *b, const struct asm_k *k)
{
	uint64_t value = k->n.value, unit = k->n.unit;
	char places[24];	/* behind a 1, which keeps zeros */

	snprintf(places, sizeof places, "%llu",
		 (unsigned long long)(unit + value % unit));
	buf_printf(b, "k %llu%s%s%s\n", (unsigned long long)(value / unit),
		   unit > 1 ? "." : "", places + 1, k->percent ? "%" : "");
}

/* With --pam a site is all that can be reported. */
static int
settle_pam(struct asm_options *o, struct err *e)
{
	const char *with = o->report != ASM_DEFAULT ? "--report" :
			   o->exact_suffix ? "--exact-suffix" :
			   o->exact_prefix ? "--exact-prefix" :
			   asm_hangs(o) ? "--overhang" :
			   o->ends ? "--ends" :
			   o->alphabet != KDIFF_DNA ? "--alphabet" : NULL;

	if (with && o->pam)
		return err_set(e, ERR_USAGE, "%s: not with --pam, which "
			       "reports each site of a PAM once", with);
	if (o->pam_before && !o->pam)
		return err_set(e, ERR_USAGE, "--pam-side=5: with --pam");
	if (o->score_table && (!o->pam || o->histogram))
		return err_set(e, ERR_USAGE, "--score-table scores sites: %s",
			       o->pam ? "not with --histogram" : "with --pam");
	if (asm_hangs(o) && o->limited)
		return err_set(e, ERR_USAGE, "--overhang: not with limits on "
			       "mismatches and bulges");
	return 0;
}

/* One cost at both ends, or one at each; what limits it needs one. */
static int
settle_overhang(struct asm_options *o, struct err *e)
{
	const char *one = o->overhang_start ? "--overhang-start" :
			  o->overhang_end ? "--overhang-end" : NULL;
	const char *limit = o->min_overlap ? "--min-overlap" :
			    o->per_overlap ? "--per-overlap" : NULL;

	if (o->overhang && one)
		return err_set(e, ERR_USAGE, "%s: not with --overhang, which is"
			       " at both ends", one);
	if (limit && !asm_hangs(o))
		return err_set(e, ERR_USAGE, "%s is of patterns that hang "
			       "over: with --overhang, --overhang-start or "
			       "--overhang-end", limit);
	if (o->per_overlap && (!o->k || !strchr(o->k, '%')))
		return err_set(e, ERR_USAGE, "--per-overlap: -k must be a "
			       "percentage, of the letters that overlap");
	if (asm_hangs(o) && (o->exact_prefix || o->exact_suffix))
		return err_set(e, ERR_USAGE, "--overhang: not with "
			       "--exact-prefix and --exact-suffix");
	if (o->overhang)
		o->overhang_start = o->overhang_end = o->overhang;
	return 0;
}

/* What chooses among hits needs hits, and their places. */
static int
settle_choice(const struct asm_options *o, struct err *e)
{
	if ((o->max_hits || o->chooses) &&
	    (o->histogram || o->report == ASM_COUNT))
		return err_set(e, ERR_USAGE, "%s: not with --histogram and "
			       "--report=count, which write no hits",
			       o->chooses ? o->chooses : "--max-hits");
	if (o->chooses && o->ends)
		return err_set(e, ERR_USAGE, "%s needs where a match begins: "
			       "not with --ends", o->chooses);
	return 0;
}

/* Fill in defaults; refuse what does not go together. */
static int
settle(struct asm_options *o, struct err *e)
{
	bool dna = o->alphabet == KDIFF_DNA;

	if (settle_pam(o, e) || settle_overhang(o, e))
		return e->code;
	if (!o->k)
		o->k = "0";
	if (!dna && o->strands == ASM_MINUS)
		return err_set(e, ERR_USAGE,
			       "-s -: only DNA has a minus strand");
	if (!dna && o->iupac)
		return err_set(e, ERR_USAGE,
			       "--iupac: only with --alphabet=dna");
	if (o->ends && o->with_seq)
		return err_set(e, ERR_USAGE, "--with-seq: a match has no "
			       "letters without its start (--ends)");
	if (!dna)
		o->strands = ASM_PLUS;
	else if (o->strands == ASM_AUTO)
		o->strands = ASM_BOTH;
	if (o->report == ASM_DEFAULT)
		o->report = o->no_indels ? ASM_ALL : ASM_MINIMA;
	if (o->histogram && o->report == ASM_BEST)
		return err_set(e, ERR_USAGE, "--histogram: not with "
			       "--report=best: what is best is not known "
			       "before all is merged");
	if (settle_choice(o, e))
		return e->code;
	if (o->histogram || o->report == ASM_COUNT)
		o->ends = o->no_cigar = o->with_seq = false;
	if (o->ends)
		o->no_cigar = true;
	return 0;
}

int
asm_set_new(const struct asm_scan *a, const struct kdiff_params *p,
	    struct kdiff_set **set, struct err *e)
{
	int rc = kdiff_set_new(set, p, e);

	if (!rc) {
		kdiff_set_engine(*set, a->o.engine);
		kdiff_set_limits(*set, &a->max);
	}
	return rc;
}

int
asm_set_add(const struct asm_scan *a, struct kdiff_set *set, uint32_t query,
	    bool minus, uint64_t k, struct err *e)
{
	const struct str q = a->q->v[query].letters;
	size_t prefix = (size_t)a->o.exact_prefix;
	size_t suffix = (size_t)a->o.exact_suffix;
	uint8_t *s = malloc(q.n + 1);
	int rc;

	if (!s)
		return err_nomem(e, q.n + 1);
	memcpy(s, q.p, q.n);
	if (minus)
		dna_revcomp(s, q.n);
	rc = kdiff_set_add(set, s, q.n, (size_t)k, e);
	if (!rc)	/* a reverse complement ends where the pattern began */
		rc = kdiff_set_exact(set, minus ? suffix : prefix,
				     minus ? prefix : suffix, e);
	free(s);
	return rc;
}

static int
add_query(struct asm_scan *a, uint32_t ordinal, struct err *e)
{
	const struct query *q = &a->q->v[ordinal];
	size_t m = q->letters.n;
	uint64_t k = asm_k_of(&a->k, m);
	int64_t exact = a->o.exact_prefix > a->o.exact_suffix ?
			a->o.exact_prefix : a->o.exact_suffix;
	int rc = 0;

	if (k >= m && a->o.k_fits)
		k = m - 1;
	if (k >= m && m <= KDIFF_MAX_PATTERN)
		return err_set(e, ERR_USAGE, "-k %s: must allow fewer "
			       "differences than the query has letters (%zu), "
			       "else anything matches", a->o.k, m);
	if (exact > (int64_t)m)
		return err_set(e, ERR_USAGE, "--exact-%s %lld: the query has "
			       "only %s", exact == a->o.exact_prefix ?
			       "prefix" : "suffix", (long long)exact,
			       err_count(m, "letter").text);
	if (a->pam)
		rc = kdiff_pam_add(a->pam, (const uint8_t *)q->letters.p, m,
				   (size_t)k, e);
	for (int minus = 0; minus < 2 && !rc; minus++) {
		if (!(a->o.strands & (minus ? ASM_MINUS : ASM_PLUS)))
			continue;
		if (!a->pam)
			rc = asm_set_add(a, a->set, ordinal, minus, k, e);
		a->pattern[a->n_patterns++] = (struct asm_pattern){
			ordinal, minus, k, a->n_counts,
		};
		a->n_counts += k + 1;
	}
	return rc;
}

static int
set_overhang(struct asm_scan *a, struct kdiff_params *p, struct err *e)
{
	const char *cost[] = { a->o.overhang_start, a->o.overhang_end };
	const char *option[] = { "--overhang-start", "--overhang-end" };

	for (int i = 0; i < 2; i++) {
		if (cost[i] && decimal_share(a->o.overhang ? "--overhang" :
					     option[i], cost[i], &a->over[i],
					     e))
			return e->code;
		p->over[i] = (struct kdiff_ratio){ a->over[i].value,
						   a->over[i].unit };
	}
	p->min_overlap = (uint32_t)a->o.min_overlap;
	if (a->o.per_overlap)
		p->per_overlap = (struct kdiff_ratio){ a->k.n.value,
						       a->k.n.unit * 100 };
	return 0;
}

static int
add_queries(struct asm_scan *a, struct err *e)
{
	struct kdiff_params p = {
		.alphabet = a->o.alphabet, .iupac = a->o.iupac,
		.hamming = a->o.no_indels,
		.report = a->o.report == ASM_MINIMA ? KDIFF_MINIMA : KDIFF_ALL,
	};
	int rc = 0;

	if (a->q->n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too many queries");
	rc = set_overhang(a, &p, e);
	if (rc)
		return rc;
	a->pattern = malloc(a->q->n * 2 * sizeof *a->pattern);
	if (!a->pattern)
		return err_nomem(e, a->q->n * 2 * sizeof *a->pattern);
	rc = a->o.pam ? asm_pam_new(a, e) : asm_set_new(a, &p, &a->set, e);
	for (uint32_t i = 0; i < a->q->n && !rc; i++) {
		rc = add_query(a, i, e);
		if (rc)
			query_blame(&a->q->v[i], "query", e);
	}
	return rc;
}

static void
print_sites(const struct asm_scan *a, struct buf *b)
{
	const struct asm_options *o = &a->o;

	if (o->pam)
		buf_printf(b, "pam %s %s\n", o->pam_before ? "5'" : "3'",
			   o->pam);
	if (a->score)
		asm_score_text(a->score, b);
	if (kdiff_limited(&a->max))
		buf_printf(b, "mismatches %u bulges %u dna %u rna %u\n",
			   a->max.mismatches, a->max.bulges, a->max.dna,
			   a->max.rna);
}

/* A cost at both ends as version 0.1 has it. */
static void
print_overhang(const struct asm_scan *a, struct buf *b)
{
	static const char *const side[] = { "overhang-start", "overhang-end" };
	bool both = a->over[0].unit && a->over[1].unit &&
		    (unsigned __int128)a->over[0].value * a->over[1].unit ==
		    (unsigned __int128)a->over[1].value * a->over[0].unit;

	for (int i = 0; i < 2 - both; i++)
		if (a->over[i].unit)
			buf_printf(b, "%s %llu/%llu\n",
				   both ? "overhang" : side[i],
				   (unsigned long long)a->over[i].value,
				   (unsigned long long)a->over[i].unit);
	if (a->o.min_overlap)
		buf_printf(b, "min-overlap %lld\n",
			   (long long)a->o.min_overlap);
	if (a->o.per_overlap)
		buf_printf(b, "per-overlap\n");
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct asm_scan *a, struct err *e)
{
	static const char *const alphabets[] = { "dna", "protein", "bytes" };
	static const char *const reports[] = { "", "minima", "all", "best",
					       "count" };
	static const char *const strands[] = { "", "+", "-", "both" };
	const struct asm_options *o = &a->o;
	struct buf *b = &a->text;

	buf_printf(b, "program asm-scan\nversion %s\n", SEQF_VERSION);
	k_print(b, &a->k);
	buf_printf(b, "report %s\nstrand %s\nalphabet %s\n",
		   reports[o->report], strands[o->strands],
		   alphabets[o->alphabet]);
	buf_printf(b, "differences %s\n",
		   o->no_indels ? "substitutions" : "edits");
	if (o->exact_prefix || o->exact_suffix)
		buf_printf(b, "exact-prefix %lld\nexact-suffix %lld\n",
			   (long long)o->exact_prefix,
			   (long long)o->exact_suffix);
	print_sites(a, b);
	print_overhang(a, b);
	buf_printf(b, "text-iupac %s\n", o->iupac ? "yes" : "no");
	buf_printf(b, "rows %s%s\n", o->histogram ? "histogram" :
		   o->ends ? "ends" :
		   o->no_cigar ? "starts" : "cigar",
		   o->with_seq ? " letters" : "");
	buf_printf(b, "queries %zu\n", a->q->n);
	if (b->bad)
		return err_nomem(e, b->n);
	a->key.id = hash64(b->p, b->n, queries_hash(a->q));
	a->key.id += a->key.id == 0;	/* 0 is a run's own */
	a->key.base = (struct str){ a->q->base, strlen(a->q->base) };
	a->key.rule = asm_tallies(a) ? SCAN_SUM :
		      o->report == ASM_BEST ? SCAN_LEAST : SCAN_UNION;
	buf_printf(b, "query %s\nscan %016llx\n", a->q->base,
		   (unsigned long long)a->key.id);
	if (o->with_seq)
		queries_text(a->q, b);
	return b->bad ? err_nomem(e, b->n) : 0;
}

int
asm_new(struct asm_scan **out, const struct asm_options *o,
	const struct queries *q, struct err *e)
{
	struct asm_scan *a = calloc(1, sizeof *a);
	int rc;

	*out = NULL;
	if (!a)
		return err_nomem(e, sizeof *a);
	pthread_mutex_init(&a->ends_lock, NULL);
	a->o = *o;
	a->q = q;
	rc = settle(&a->o, e);
	a->max = a->o.limited ? a->o.max : KDIFF_NO_LIMITS;
	if (a->o.no_indels && (a->o.pam || a->o.limited))
		a->max.bulges = a->max.dna = a->max.rna = 0;
	if (!rc)
		rc = asm_k_read(&a->k, a->o.k, e);
	if (!rc && a->o.score_table)
		rc = asm_score_new(&a->score, a->o.score_table,
				   a->o.pam_before, e);
	if (!rc)
		rc = add_queries(a, e);
	if (!rc)
		rc = identify(a, e);
	if (rc) {
		asm_free(a);
		return rc;
	}
	a->kind = a->o.alphabet == KDIFF_BYTES ? WINDOW_BYTES :
		  a->o.alphabet == KDIFF_PROTEIN ? WINDOW_UPPER :
		  a->o.iupac ? WINDOW_SETS : WINDOW_PLANES;
	a->context = a->pam ? kdiff_pam_context(a->pam) :
			      kdiff_context(a->set);
	a->gap = a->pam ? kdiff_pam_gap(a->pam) : kdiff_gap(a->set);
	*out = a;
	return 0;
}

void
asm_free(struct asm_scan *a)
{
	if (!a)
		return;
	asm_gpu_free(a->gpu);
	kdiff_set_free(a->set);
	kdiff_set_free(a->ends);
	pthread_mutex_destroy(&a->ends_lock);
	kdiff_pam_free(a->pam);
	asm_score_free(a->score);
	free(a->pattern);
	buf_free(&a->text);
	free(a);
}

const struct scan_key *
asm_key(const struct asm_scan *a)
{
	return &a->key;
}

enum asm_report
asm_report(const struct asm_scan *a)
{
	return a->o.report;
}

/* A limit on one kind of differences that -k, of all kinds, is below. */
static bool
asm_odd_limit(const struct asm_scan *a, struct asm_odd *odd)
{
	const struct { const char *name; uint32_t n; } limit[] = {
		{ "mismatches", a->max.mismatches },
		{ "bulges", a->max.bulges },
		{ "dna-bulge", a->max.dna },
		{ "rna-bulge", a->max.rna },
	};

	for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
		if (limit[i].n == UINT32_MAX || limit[i].n <= a->k.n.value)
			continue;
		snprintf(odd->text, sizeof odd->text, "--max-%s %u: -k allows "
			 "only %llu differences of all kinds", limit[i].name,
			 limit[i].n, (unsigned long long)a->k.n.value);
		return true;
	}
	return false;
}

bool
asm_odd_k(const struct asm_scan *a, struct asm_odd *odd)
{
	double percent = (double)a->k.n.value / (double)a->k.n.unit;
	uint64_t m = a->q->n ? a->q->v[0].letters.n : 0;

	if (!a->k.percent)
		return asm_odd_limit(a, odd);
	if (percent < 50)
		return false;
	snprintf(odd->text, sizeof odd->text, "-k %.20s allows %llu "
		 "differences in %llu letters; %g %% identity is -k %g%%",
		 a->o.k, (unsigned long long)asm_k_of(&a->k, m),
		 (unsigned long long)m, percent, 100 - percent);
	return true;
}

/* The end of a sequence that all m letters may hang over within k; or -1. */
static int
all_may_hang(const struct asm_scan *a, uint64_t m, uint64_t k)
{
	for (int i = 0; i < 2 && !a->o.min_overlap && !a->o.per_overlap; i++)
		if (a->over[i].unit && m * a->over[i].value / a->over[i].unit
		    <= k)
			return i;
	return -1;
}

bool
asm_odd_overhang(const struct asm_scan *a, struct asm_odd *odd)
{
	const char *cost[] = { a->o.overhang_start, a->o.overhang_end };
	const char *side[] = { "-start", "-end" };

	for (size_t i = 0; i < a->q->n; i++) {
		const struct query *q = &a->q->v[i];
		uint64_t m = q->letters.n, k = asm_k_of(&a->k, m);
		int at = all_may_hang(a, m, k);

		if (at < 0)
			continue;
		snprintf(odd->text, sizeof odd->text, "--overhang%s %.12s: all "
			 "%llu letters of %.*s may hang over within -k %.12s, "
			 "so that it is in every sequence; give --min-overlap "
			 "or --per-overlap, raise the cost, or lower -k",
			 a->o.overhang ? "" : side[at], cost[at],
			 (unsigned long long)m, (int)min_u64(q->name.n, 40),
			 q->name.p, a->o.k ? a->o.k : "0");
		return true;
	}
	return false;
}

void
asm_order(const struct asm_scan *a, uint64_t *slack, uint64_t *longest)
{
	*slack = a->pam ? asm_pam_slack(a) : 0;
	*longest = a->context;
}

const char *
asm_odd_pam(const struct asm_scan *a)
{
	return a->odd_pam;
}

size_t
asm_patterns(const struct asm_scan *a)
{
	return a->n_patterns;
}

/* What goes together. */

void
asm_words(struct asm_options *o, const char *alphabet, const char *strand,
	  const char *report, const char *engine)
{
	o->alphabet = *alphabet == 'd' ? KDIFF_DNA :
		      *alphabet == 'b' ? KDIFF_BYTES : KDIFF_PROTEIN;
	o->strands = !strand || *strand == 'b' ? ASM_AUTO :
		     *strand == '+' ? ASM_PLUS : ASM_MINUS;
	o->report = !report ? ASM_DEFAULT : *report == 'm' ? ASM_MINIMA :
		    *report == 'a' ? ASM_ALL : *report == 'b' ? ASM_BEST :
		    ASM_COUNT;
	o->engine = *engine == 'a' ? KDIFF_AUTO :
		    *engine == 't' ? KDIFF_TEXT :
		    *engine == 'r' ? KDIFF_PREFIX :	/* rows */
		    *engine == 'p' ? KDIFF_PATTERNS :
		    *engine == 'h' ? KDIFF_HALVES : KDIFF_FILTER;
}

static uint32_t
limit(int64_t n)
{
	return n < 0 ? UINT32_MAX : (uint32_t)n;
}

void
asm_limits(struct asm_options *o, const int64_t max[4])
{
	o->max = (struct kdiff_limits){ limit(max[0]), limit(max[1]),
					limit(max[2]), limit(max[3]) };
	o->limited = kdiff_limited(&o->max);
}

int
asm_fits_format(const struct asm_options *o, enum format f,
		struct err *e)
{
	bool text = f == FORMAT_TSV || f == FORMAT_JSON;
	bool cigars = f == FORMAT_PAF || f == FORMAT_SAM ||
		      f == FORMAT_PRETTY;
	bool starts = cigars || f == FORMAT_BED || f == FORMAT_GFF3 ||
		      f == FORMAT_SVG;

	if (f == FORMAT_OFFTARGET && (!o->pam || o->no_cigar))
		return err_set(e, ERR_USAGE, "-O offtarget shows sites: with "
			       "--pam, not with --no-cigar");
	if (f == FORMAT_GUIDES && (!o->pam || o->max_hits || o->chooses))
		return err_set(e, ERR_USAGE, "-O guides adds up all sites: %s",
			       !o->pam ? "with --pam" : "not with -n and "
			       "other options that choose");
	if (o->ends && starts)
		return err_set(e, ERR_USAGE, "-O %s needs where a match "
			       "begins: not with --ends", format_word(f));
	if (o->no_cigar && cigars)
		return err_set(e, ERR_USAGE, "-O %s needs CIGARs: not with "
			       "--no-cigar", format_word(f));
	if ((o->report == ASM_COUNT || o->histogram) && !text &&
	    f != FORMAT_REC)
		return err_set(e, ERR_USAGE, "-O %s holds no counts: use tsv "
			       "or json%s", format_word(f),
			       f == FORMAT_SVG ? ", or -O rec, and rec-view "
			       "draws them" : "");
	if (asm_hangs(o) && o->ends)
		return err_set(e, ERR_USAGE, "--ends does not find what hangs "
			       "over: not with --overhang");
	if (o->max_hits && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "--max-hits is for the last "
			       "stage, which writes text (-O tsv): of records "
			       "merge-topk -n keeps the best");
	if (o->chooses && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "%s is for the last stage, which "
			       "writes text (-O tsv): of records merge-topk %s "
			       "chooses", o->chooses, o->chooses);
	return 0;
}

/* cutadapt's -e is an error rate. */
int
asm_refuse_rate(const struct opt_list *queries, struct err *e)
{
	double v;

	for (size_t i = 0; i < queries->n; i++) {
		const char *s = queries->v[i].value;

		if (queries->v[i].letter == 'e' && strchr(s, '.') &&
		    decimal_double(s, strlen(s), &v))
			return err_set(e, ERR_USAGE, "-e %s: no pattern; an "
				       "error rate is -k %g%%", s, 100 * v);
	}
	return 0;
}

int
asm_only_records(struct asm_options *o, const char *const *other, size_t n,
		 struct err *e)
{
	const char *word = o->report != ASM_DEFAULT ? "--report" :
			   o->no_cigar ? "--no-cigar" : o->ends ? "--ends" :
			   o->with_seq ? "--with-seq" :
			   o->histogram ? "--histogram" :
			   o->score_table ? "--score-table" :
			   o->max_hits ? "--max-hits" : o->chooses;

	for (size_t i = 0; i < n && !word; i++)
		word = other[i];
	if (word)
		return err_set(e, ERR_USAGE, "%s: not with --filter and "
			       "--invert, which pass records as they are",
			       word);
	if (!o->pam) {
		o->report = ASM_ALL;
		o->ends = true;
	}
	return 0;
}

/* Approximate matching over all operands. */

struct runner {
	struct scan_workers *workers;
	struct asm_search search;
	struct sink *sink;
};

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *rows,
     struct err *e)
{
	return scan_best_add(((struct runner *)ctx)->search.best, f, rows, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	return scan_best_finish(((struct runner *)ctx)->search.best, put,
				put_ctx, e);
}

/* Frames of a chunk, and its rows as text. */
static int
print(void *ctx, const struct rec_frame *f, const struct buf *out,
      struct err *e)
{
	const struct runner *s = ctx;
	uint64_t n = get_le(out->p + out->n - 8, 8);
	struct buf text = { .p = out->p, .n = n };
	struct buf frames = { .p = out->p + n, .n = out->n - n - 8 };
	int rc = sink_bytes(s->sink, &frames, e);

	return rc ? rc : sink_rows(s->sink, f->run, &text, e);
}

/* Letters of a chunk: sites on their way to rows stay in the cache.  With their
 * context they are four blocks of kdiff_pam.c. */
enum { SITES_AT_ONCE = (1 << 18) - 256 };

/* Then rows are printed in the order in which they come. */
static bool
is_text(const struct scan_run *r)
{
	struct feed_look look;
	struct stat st;
	struct err e;

	if (r->look || r->n_operands < 2)
		return true;
	for (size_t i = 0; i < r->n_operands; i++)
		if (descriptor_of(r->operand[i]) >= 0 ||
		    stat(r->operand[i], &st) || !S_ISREG(st.st_mode))
			return false;
	if (feed_look(&look, r->operand, r->n_operands, 1, &e))
		return false;
	source_close(look.first);
	return true;
}

/* Are rows printed by the threads that find them?  Sites alone come as rows
 * that are sorted by their begins. */
static bool
prints(const struct asm_scan *a, const struct sink *s, struct rows_print *how)
{
	if (!sink_prints(s, how) || (how->by_begin && !a->pam))
		return false;
	how->env.pam = (struct str){ a->o.pam, a->o.pam ? strlen(a->o.pam) :
				     0 };
	how->env.pam_before = a->o.pam_before;
	how->env.scored = a->score != NULL;
	return true;
}

/* Letters that a sequence has in which some query can be found. */
static uint64_t
asm_shortest(const struct asm_scan *a)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < a->q->n; i++) {
		uint64_t m = a->q->v[i].letters.n;

		least = min_u64(least, m - asm_k_of(&a->k, m));
	}
	if (a->pam)
		least += asm_pam_shortest(a);
	return asm_hangs(&a->o) ? 0 : least;
}

int
asm_run(const struct scan_run *r, const struct asm_scan *scan,
	uint64_t *n_letters, struct err *e)
{
	struct runner s = { .search = { .a = scan } };
	struct scan_ops ops = { .key = &scan->key, .context = scan->context,
				.text = { (const char *)scan->text.p,
					  scan->text.n },
				.shortest = asm_shortest(scan), .ctx = &s };
	int rc = 0;

	if (asm_report(scan) == ASM_BEST) {
		rc = asm_best_new(&s.search.best, scan, e);
		ops.keep = keep;
		ops.finish = finish;
	}
	if (!asm_tallies(scan) && !ops.keep && !asm_tops(scan) &&
	    !r->circular && prints(scan, r->sink, &s.search.how) &&
	    is_text(r)) {
		s.search.prints = true;
		s.sink = r->sink;
		ops.own = scan->pam ? SITES_AT_ONCE : 0;
		ops.keep = print;
	}
	if (scan->pam)
		kdiff_pam_expect(scan->pam, scan_letters(r));
	else if (scan->set)
		kdiff_set_expect(scan->set, scan_letters(r));
	if (!rc)
		rc = asm_workers_new(&s.workers, &s.search, r->threads, e);
	ops.workers = s.workers;
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = scan_workers_letters(s.workers);
	scan_workers_free(s.workers);
	scan_best_free(s.search.best);
	return rc;
}

/* Records of FASTA and FASTQ with, or without, a match. */

enum { MEMORY = 64 << 20 };	/* of records that wait */

struct filter {
	struct scan_workers *workers;	/* first: for the pump */
	struct asm_search search;
	struct asm_filter *f;
	struct feed *feed;
	struct records *records;
	bool matched;		/* the record whose chunks come now */
	uint64_t longest;	/* letters of a record */
};

/* A record's last row decides. */
static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct filter *s = ctx;
	struct asm_filter *f = s->f;
	const struct rec_frame *frame = job->item.frame;
	const uint8_t *matched = job->out.p;	/* of each row */
	struct chunk c;
	int rc;

	if (f->progress) {
		struct feed_place at = feed_place(s->feed);

		f->n_letters += frame ? chunk_owned(frame) : 0;
		at.n_letters = f->n_letters;
		f->progress(at);
	}
	if (!frame || frame->type != REC_CHUNK)
		return 0;
	rc = chunk_view(&c, frame, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < c.n_rows && !rc; i++) {
		bool wanted;

		s->matched |= matched[i];
		s->longest = max_u64(s->longest, c.row[i].own_end);
		if (!(c.row[i].flags & CHUNK_LAST))
			continue;
		wanted = s->matched != f->invert;
		s->matched = false;
		f->n_records++;
		f->n_passed += wanted;
		rc = records_next(s->records, wanted, f->out, e);
	}
	chunk_free(&c);
	return rc;
}

static int
prepare(struct filter *s, struct err *e)
{
	struct asm_filter *f = s->f;
	struct feed_params fp = feed_defaults;
	int rc = records_new(&s->records, MEMORY, e);

	if (!rc)
		rc = asm_workers_new(&s->workers, &s->search, f->threads, e);
	fp.min_context = asm_context(f->scan);
	fp.threads = f->threads;
	fp.text_only = true;
	fp.records = s->records;
	fp.circular = f->circular;
	return rc ? rc : feed_open(&s->feed, f->operand, f->n_operands, &fp,
				   e);
}

int
asm_filter(struct asm_filter *f, struct err *e)
{
	struct pump_ops ops = { .context = asm_context(f->scan),
				.work = scan_workers_work,
				.part = scan_workers_part,
				.join = scan_workers_join, .emit = emit };
	struct filter s = { .f = f, .search = { .a = f->scan,
						.matched = true } };
	struct feed_blank blank;
	int rc = prepare(&s, e);

	if (!rc) {
		ops.batch = s.workers->batch;
		rc = pump_run(s.feed, &ops, &s, s.workers->n, e);
	}
	if (!rc && feed_blank(s.feed, &blank))
		f->note(blank.text);
	if (!rc && f->n_records)
		scan_note_short(s.longest, asm_shortest(f->scan), false,
				f->note);
	f->n_letters = scan_workers_letters(s.workers);
	scan_workers_free(s.workers);
	if (s.feed)
		feed_close(s.feed);
	records_free(s.records);
	return rc;
}
