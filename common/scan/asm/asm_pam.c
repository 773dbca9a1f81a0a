/* SPDX-License-Identifier: MIT */
/*
 * asm_pam.c - sites of guides beside a PAM, as rows
 *
 * A row is the guide with its PAM, as if both were one query.  A site to the
 * right of its PAM is found by the chunk that owns the letter m + k behind the
 * edge, so rows come out of order by at most asm_pam_slack() from one chunk to
 * the next; a chunk's own are sorted here.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/asm/asm_priv.h"

/* From "NGG,NAG" to PAMs. */

struct pam_list {
	char *text;
	const char *pam[KDIFF_MAX_PAMS];
	size_t n;
};

static int
split_list(const char *s, struct pam_list *l, struct err *e)
{
	char *at = l->text = strdup(s);

	l->n = 0;
	if (!at)
		return err_nomem(e, strlen(s) + 1);
	for (; at; l->n++) {
		if (l->n == KDIFF_MAX_PAMS)
			return err_set(e, ERR_USAGE, "--pam: at most %d PAMs",
				       KDIFF_MAX_PAMS);
		l->pam[l->n] = at;
		at = strchr(at, ',');
		if (at)
			*at++ = 0;
	}
	return 0;
}

static unsigned
fixed_letters(const char *pam)
{
	unsigned n = 0;

	for (; *pam; pam++)
		n += strchr("ACGTU", toupper((unsigned char)*pam)) != NULL;
	return n;
}

/* Whether the letters of a guide that lie beside its PAM may be this one. */
static bool
holds_pam(const struct str guide, const char *pam, bool before)
{
	size_t n = strlen(pam);
	const char *s = guide.p;

	if (guide.n <= n)
		return false;
	s += before ? 0 : guide.n - n;
	while (n-- > 0)
		if (!(dna_set((uint8_t)pam[n]) & dna_set((uint8_t)s[n])))
			return false;
	return true;
}

/* Whether guides were given with their PAM: nearly all seem to be, and are so
 * many, or so long, that it is not by chance. */
static bool
with_pams(const struct asm_scan *a, const struct pam_list *l)
{
	uint64_t least = UINT64_MAX, fixed = 0, held = 0;

	for (size_t i = 0; i < l->n; i++)
		least = min_u64(least, fixed_letters(l->pam[i]));
	for (size_t i = 0; i < a->q->n; i++) {
		const struct str guide = a->q->v[i].letters;
		size_t k = 0;

		while (k < l->n &&
		       !holds_pam(guide, l->pam[k], a->o.pam_before))
			k++;
		if (k == l->n)
			continue;
		held++;
		fixed += guide.n >= 20 + strlen(l->pam[k]) ? 2 * least : least;
	}
	return fixed >= 4 && held >= a->q->n - a->q->n / 10;
}

int
asm_pam_new(struct asm_scan *a, struct err *e)
{
	struct pam_list l;
	struct kdiff_pam_params p = {
		.pam = l.pam, .before = a->o.pam_before, .iupac = a->o.iupac,
		.plus = a->o.strands & ASM_PLUS,
		.minus = a->o.strands & ASM_MINUS, .max = a->max,
	};
	int rc = split_list(a->o.pam, &l, e);

	p.n_pams = l.n;
	if (!rc) {
		rc = kdiff_pam_new(&a->pam, &p, e);
		if (rc)
			err_at(e, "--pam %s", a->o.pam);
	}
	for (size_t i = 0; i < l.n && !rc; i++)
		if (strspn(l.pam[i], "Nn") == strlen(l.pam[i]))
			a->odd_pam = "a PAM without a fixed letter is at every "
				     "position: this is slow";
	if (!rc && with_pams(a, &l))
		a->odd_pam = "the guides seem to have their PAM in them: --pam "
			     "is searched beside them, so give them without it";
	free(l.text);
	return rc;
}

int
asm_pam_add(struct asm_scan *a, uint32_t ordinal, uint64_t k, struct err *e)
{
	const struct query *q = &a->q->v[ordinal];
	int rc = kdiff_pam_add(a->pam, (const uint8_t *)q->letters.p,
			       q->letters.n, (size_t)k, e);

	for (int minus = 0; minus < 2 && !rc; minus++) {
		if (!(a->o.strands & (minus ? ASM_MINUS : ASM_PLUS)))
			continue;
		a->pattern[a->n_patterns++] = (struct asm_pattern){
			ordinal, minus, k, a->n_counts,
		};
		a->n_counts += k + 1;
	}
	return rc;
}

uint64_t
asm_pam_shortest(const struct asm_scan *a)
{
	uint64_t least = KDIFF_MAX_PAM;

	for (const char *at = a->o.pam, *end; at; at = *end ? end + 1 : NULL) {
		end = at + strcspn(at, ",");
		least = min_u64(least, (uint64_t)(end - at));
	}
	return least;
}

/* A site's end lies before its anchor by 2k or a PAM's letters at most. */
uint64_t
asm_pam_slack(const struct asm_scan *a)
{
	uint64_t max_k = 0;

	for (size_t i = 0; i < a->n_patterns; i++)
		max_k = max_u64(max_k, a->pattern[i].k);
	return 2 * max_k + KDIFF_MAX_PAM;
}

/* Sites of a part. */

void
asm_sites_free(struct asm_sites *t)
{
	kdiff_pam_work_free(t->work);
	buf_free(&t->sites);
	buf_free(&t->paths);
	buf_free(&t->ops);
	buf_free(&t->order);
	buf_free(&t->spare);
}

static int
collect_sites(void *ctx, const struct kdiff_site *v, size_t n, struct err *e)
{
	struct asm_sites *t = ctx;

	buf_put(&t->sites, v, n * sizeof *v);
	return t->sites.bad ? err_nomem(e, n * sizeof *v) : 0;
}

static int
by_edge(const void *pa, const void *pb)
{
	const struct kdiff_site *a = pa, *b = pb;

	return (a->edge > b->edge) - (a->edge < b->edge);
}

/* In no order. */
static int
find_sites(const struct asm_scan *a, const struct kdiff_text *x,
	   struct asm_sites *t, size_t *n, struct err *e)
{
	int rc = 0;

	t->sites.n = 0;
	if (!t->work)
		rc = kdiff_pam_work_new(&t->work, e);
	if (!rc)
		rc = kdiff_pam_each(a->pam, x, t->work, collect_sites, t, e);
	*n = t->sites.n / sizeof(struct kdiff_site);
	return rc;
}

/* The number of a guide's pattern on a strand. */
static uint32_t
pattern_of(const struct asm_scan *a, const struct kdiff_site *s)
{
	return a->o.strands == ASM_BOTH ? 2 * s->guide + s->minus : s->guide;
}

int
asm_sites_each(const struct asm_scan *a, const struct kdiff_text *x,
	       struct asm_sites *t, bool sorted, kdiff_take_fn *take,
	       void *ctx, struct err *e)
{
	const struct kdiff_site *v;
	size_t n;
	int rc = find_sites(a, x, t, &n, e);

	if (!rc && n && sorted)
		qsort(t->sites.p, n, sizeof(struct kdiff_site), by_edge);
	v = (const struct kdiff_site *)(const void *)t->sites.p;
	for (size_t i = 0; i < n && !rc; i++) {
		struct kdiff_hit h = { v[i].edge, v[i].dist,
				       pattern_of(a, &v[i]) };

		rc = take(ctx, &h, 1, e);
	}
	return rc;
}

/* Rows. */

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A row by its end, or its begin. */
struct site_place {
	uint64_t at;
	size_t row;
};
struct site_rows {
	const struct kdiff_pam *pam;
	const struct kdiff_site *site;
	const struct kdiff_site_path *path;
	bool by_begin;
};
enum { PLACE_BITS = 11, FEW_PLACES = 64 };

/* One pass of radix sort. */
static void
sort_digit(const struct site_place *v, size_t n, struct site_place *to,
	   unsigned shift)
{
	size_t at[1 << PLACE_BITS] = { 0 }, sum = 0;
	const uint64_t mask = (1 << PLACE_BITS) - 1;

	for (size_t i = 0; i < n; i++)
		at[v[i].at >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		size_t k = at[d];

		at[d] = sum;
		sum += k;
	}
	for (size_t i = 0; i < n; i++)
		to[at[v[i].at >> shift & mask]++] = v[i];
}

/* Those in one place: by_begin: by end, guide, PAM's letters, strand; else by
 * guide, strand, begin, and PAM's letters. */
static int
by_row(const void *pa, const void *pb, void *rows)
{
	const struct site_place *a = pa, *b = pb;
	const struct site_rows *r = rows;
	const struct kdiff_site *x = &r->site[a->row], *y = &r->site[b->row];
	int d = compare(a->at, b->at), pam, minus = x->minus - y->minus;

	if (!d && r->by_begin)
		d = compare(r->path[a->row].end, r->path[b->row].end);
	d = d ? d : compare(x->guide, y->guide);
	if (!d && !r->by_begin)
		d = minus ? minus : compare(r->path[a->row].beg,
					    r->path[b->row].beg);
	if (d)
		return d;
	pam = compare(kdiff_pam_letters(r->pam, x->pam),
		      kdiff_pam_letters(r->pam, y->pam));
	return pam ? pam : minus;
}

static void
sort_few(struct site_place *v, size_t n, struct site_rows *rows)
{
	for (size_t i = 1; i < n; i++) {
		struct site_place x = v[i];
		size_t j = i;

		for (; j && by_row(&x, &v[j - 1], rows) < 0; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* Those of one place: few, mostly. */
static void
sort_ties(struct site_place *v, size_t n, struct site_rows *rows)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && v[j].at == v[i].at; j++)
			;
		if (j - i <= FEW_PLACES)
			sort_few(v + i, j - i, rows);
		else
			sort_with(v + i, j - i, sizeof *v, by_row, rows);
	}
}

/* Of n rows, counted from the first place; returns the last. */
static uint64_t
places_of(const struct site_rows *r, struct site_place *v, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		v[i].at = r->by_begin ? r->path[i].beg : r->path[i].end;
		v[i].row = i;
		least = min_u64(least, v[i].at);
	}
	for (size_t i = 0; i < n; i++) {
		v[i].at -= least;
		most = max_u64(most, v[i].at);
	}
	return most;
}

/* t->order of n rows: by their places first, as there are many. */
static int
order_rows(const struct asm_scan *a, struct asm_sites *t, size_t n,
	   struct err *e)
{
	struct site_rows rows = {
		a->pam, (const void *)t->sites.p, (const void *)t->paths.p,
		t->by_begin,
	};
	struct site_place *v, *to, *swap;
	uint64_t most;

	t->order.n = t->spare.n = 0;
	buf_zero(&t->order, n * sizeof *v);
	buf_zero(&t->spare, n * sizeof *v);
	if (t->order.bad || t->spare.bad)
		return err_nomem(e, n * sizeof *v);
	v = (struct site_place *)(void *)t->order.p;
	to = (struct site_place *)(void *)t->spare.p;
	most = places_of(&rows, v, n);
	if (n <= FEW_PLACES) {
		sort_few(v, n, &rows);
		return 0;
	}
	for (unsigned shift = 0; shift < 64 && most >> shift;
	     shift += PLACE_BITS) {
		sort_digit(v, n, to, shift);
		swap = v;
		v = to;
		to = swap;
	}
	sort_ties(v, n, &rows);
	if (v != (void *)t->order.p) {
		struct buf b = t->order;

		t->order = t->spare;
		t->spare = b;
	}
	return 0;
}

/* The alignments of n sites, in t->paths, and t->order. */
static int
trace_sites(const struct asm_scan *a, const struct kdiff_text *x,
	    struct asm_sites *t, size_t n, struct err *e)
{
	struct kdiff_site_path *path;
	int rc;

	t->ops.n = t->paths.n = 0;
	if (!buf_reserve(&t->paths, n * sizeof *path + 1))
		return err_nomem(e, n * sizeof *path);
	path = (struct kdiff_site_path *)(void *)t->paths.p;
	rc = kdiff_pam_trace(a->pam, x, t->work, (const void *)t->sites.p, n,
			     path, &t->ops, e);
	return rc ? rc : order_rows(a, t, n, e);
}

int
asm_sites_rows(const struct asm_scan *a, const struct kdiff_text *x,
	       struct asm_sites *t, asm_site_fn *put, void *ctx, struct err *e)
{
	enum { AHEAD = 8 };	/* they are in another order in memory */
	const struct kdiff_site *site;
	const struct kdiff_site_path *path;
	const struct site_place *v;
	struct asm_site row;
	size_t n;
	int rc = find_sites(a, x, t, &n, e);

	if (!rc)
		rc = trace_sites(a, x, t, n, e);
	site = (const struct kdiff_site *)(void *)t->sites.p;
	path = (const struct kdiff_site_path *)(void *)t->paths.p;
	v = (const struct site_place *)(const void *)t->order.p;
	for (size_t i = 0; i < n && !rc; i++) {
		if (n - i > AHEAD) {
			__builtin_prefetch(site + v[i + AHEAD].row);
			__builtin_prefetch(path + v[i + AHEAD].row);
		}
		row.site = site + v[i].row;
		row.path = path + v[i].row;
		row.ops = (const uint32_t *)(const void *)t->ops.p +
			  row.path->ops;
		row.pam = kdiff_pam_letters(a->pam, row.site->pam);
		rc = put(ctx, &row, e);
	}
	return rc;
}
