/* SPDX-License-Identifier: MIT */
/* asm.c - from options and queries to a compiled scan and its identity */
#include "scan/asm.h"

#include <stdlib.h>

#include "base/dna.h"
#include "base/hash.h"
#include "scan/asm_gpu.h"
#include "scan/asm_priv.h"

/* k as value / 10^decimals, of a hundred if percent. */
struct k_text {
	uint64_t value;
	unsigned decimals;
	bool percent;
};

/*
 * At most 9 digits on each side, so that value < 10^18; times a pattern's
 * length (below 2^17) it is exact in 128 bits.
 */
static int
k_parse(const char *s, struct k_text *k, struct err *e)
{
	unsigned digits[2] = { 0, 0 }, side = 0;
	const char *p = s;

	memset(k, 0, sizeof *k);
	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !side); p++) {
		if (*p == '.') {
			side = 1;
			continue;
		}
		if (++digits[side] > 9)
			return err_set(e, ERR_USAGE,
				       "-k %s: has too many digits", s);
		k->value = k->value * 10 + (uint64_t)(*p - '0');
	}
	k->percent = *p == '%' && p[1] == '\0';
	if (digits[0] + digits[1] == 0 || (*p && !k->percent) ||
	    (side && !k->percent))
		return err_set(e, ERR_USAGE, "-k %s: must be a number of "
			       "differences, or a percentage such as 10%%", s);
	for (k->decimals = digits[1]; k->decimals && k->value % 10 == 0;
	     k->decimals--)
		k->value /= 10;
	return 0;
}

static uint64_t
k_apply(const struct k_text *k, uint64_t m)
{
	uint64_t unit = 100;

	if (!k->percent)
		return k->value;
	for (unsigned i = 0; i < k->decimals; i++)
		unit *= 10;
	return (uint64_t)((unsigned __int128)k->value * m / unit);
}

static void
k_print(struct buf *b, const struct k_text *k)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < k->decimals; i++)
		unit *= 10;
	buf_printf(b, "k %llu", (unsigned long long)(k->value / unit));
	if (k->decimals)
		buf_printf(b, ".%0*llu", (int)k->decimals,
			   (unsigned long long)(k->value % unit));
	buf_printf(b, "%s\n", k->percent ? "%" : "");
}

int
asm_k_of(const char *text, uint64_t m, uint64_t *k, struct err *e)
{
	struct k_text t;
	int rc = k_parse(text, &t, e);

	if (!rc)
		*k = k_apply(&t, m);
	return rc;
}

/* Fill in defaults; refuse what does not go together. */
static int
settle(struct asm_options *o, struct err *e)
{
	bool dna = o->alphabet == KDIFF_DNA;

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
	if (o->overhang && (o->exact_prefix || o->exact_suffix))
		return err_set(e, ERR_USAGE, "--overhang: not with "
			       "--exact-prefix and --exact-suffix");
	if (o->histogram && o->report == ASM_BEST)
		return err_set(e, ERR_USAGE, "--histogram: not with "
			       "--report=best: what is best is not known "
			       "before all is merged");
	if (o->max_hits && (o->histogram || o->report == ASM_COUNT))
		return err_set(e, ERR_USAGE, "--max-hits: not with --histogram "
			       "and --report=count, which write no hits");
	if (o->histogram || o->report == ASM_COUNT)
		o->ends = o->no_cigar = o->with_seq = false;
	if (o->ends)
		o->no_cigar = true;
	return 0;
}

static int
add_pattern(struct asm_scan *a, uint32_t ordinal, const uint8_t *letters,
	    size_t m, uint64_t k, bool minus, struct err *e)
{
	size_t prefix = (size_t)a->o.exact_prefix;
	size_t suffix = (size_t)a->o.exact_suffix;
	int rc = kdiff_set_add(a->set, letters, m, (size_t)k, e);

	if (!rc)	/* a reverse complement ends where the pattern began */
		rc = kdiff_set_exact(a->set, minus ? suffix : prefix,
				     minus ? prefix : suffix, e);
	if (rc)
		return rc;
	a->pattern[a->n_patterns++] = (struct asm_pattern){
		ordinal, minus, k, a->n_counts,
	};
	a->n_counts += k + 1;
	return 0;
}

static int
add_query(struct asm_scan *a, uint32_t ordinal, const struct k_text *kt,
	  struct err *e)
{
	const struct query *q = &a->q->v[ordinal];
	size_t m = q->letters.n;
	uint64_t k = k_apply(kt, m);
	int64_t exact = a->o.exact_prefix > a->o.exact_suffix ?
			a->o.exact_prefix : a->o.exact_suffix;
	uint8_t *s;
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
	s = malloc(m);
	if (!s)
		return err_nomem(e, m);
	memcpy(s, q->letters.p, m);
	if (a->o.strands & ASM_PLUS)
		rc = add_pattern(a, ordinal, s, m, k, false, e);
	if (!rc && a->o.strands & ASM_MINUS) {
		dna_revcomp(s, m);
		rc = add_pattern(a, ordinal, s, m, k, true, e);
	}
	free(s);
	return rc;
}

static int
add_queries(struct asm_scan *a, const struct k_text *kt, struct err *e)
{
	struct kdiff_params p = {
		.alphabet = a->o.alphabet, .iupac = a->o.iupac,
		.hamming = a->o.no_indels,
		.report = a->o.report == ASM_MINIMA ? KDIFF_MINIMA : KDIFF_ALL,
	};
	int rc = 0;

	if (a->q->n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too many queries");
	if (a->o.overhang)
		rc = asm_cost_of(a->o.overhang, &p.over_num, &p.over_den, e);
	if (rc)
		return rc;
	a->over_num = p.over_num;
	a->over_den = p.over_den;
	a->pattern = malloc(a->q->n * 2 * sizeof *a->pattern);
	if (!a->pattern)
		return err_nomem(e, a->q->n * 2 * sizeof *a->pattern);
	rc = kdiff_set_new(&a->set, &p, e);
	if (!rc)
		kdiff_set_engine(a->set, a->o.engine);
	for (uint32_t i = 0; i < a->q->n && !rc; i++) {
		rc = add_query(a, i, kt, e);
		if (rc)
			query_blame(&a->q->v[i], e);
	}
	return rc;
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct asm_scan *a, const struct k_text *kt, struct err *e)
{
	static const char *const alphabets[] = { "dna", "protein", "bytes" };
	static const char *const reports[] = { "", "minima", "all", "best",
					       "count" };
	static const char *const strands[] = { "", "+", "-", "both" };
	const struct asm_options *o = &a->o;
	struct buf *b = &a->text;

	buf_printf(b, "program asm-scan\nversion %s\n", SEQF_VERSION);
	k_print(b, kt);
	buf_printf(b, "report %s\nstrand %s\nalphabet %s\n",
		   reports[o->report], strands[o->strands],
		   alphabets[o->alphabet]);
	buf_printf(b, "differences %s\n",
		   o->no_indels ? "substitutions" : "edits");
	if (o->exact_prefix || o->exact_suffix)
		buf_printf(b, "exact-prefix %lld\nexact-suffix %lld\n",
			   (long long)o->exact_prefix,
			   (long long)o->exact_suffix);
	if (o->overhang)
		buf_printf(b, "overhang %llu/%llu\n",
			   (unsigned long long)a->over_num,
			   (unsigned long long)a->over_den);
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
	return b->bad ? err_nomem(e, b->n) : 0;
}

int
asm_new(struct asm_scan **out, const struct asm_options *o,
	const struct queries *q, struct err *e)
{
	struct asm_scan *a = calloc(1, sizeof *a);
	struct k_text kt;
	int rc;

	*out = NULL;
	if (!a)
		return err_nomem(e, sizeof *a);
	a->o = *o;
	a->q = q;
	rc = settle(&a->o, e);
	if (!rc)
		rc = k_parse(a->o.k, &kt, e);
	if (!rc)
		rc = add_queries(a, &kt, e);
	if (!rc)
		rc = identify(a, &kt, e);
	if (rc) {
		asm_free(a);
		return rc;
	}
	a->kind = a->o.alphabet == KDIFF_BYTES ? WINDOW_BYTES :
		  a->o.alphabet == KDIFF_PROTEIN ? WINDOW_UPPER :
		  a->o.iupac ? WINDOW_SETS : WINDOW_PLANES;
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
	free(a->pattern);
	buf_free(&a->text);
	free(a);
}

const struct scan_key *
asm_key(const struct asm_scan *a)
{
	return &a->key;
}

struct str
asm_text(const struct asm_scan *a)
{
	return (struct str){ (const char *)a->text.p, a->text.n };
}

enum asm_report
asm_report(const struct asm_scan *a)
{
	return a->o.report;
}

uint64_t
asm_context(const struct asm_scan *a)
{
	return kdiff_context(a->set);
}

size_t
asm_patterns(const struct asm_scan *a)
{
	return a->n_patterns;
}
