/* SPDX-License-Identifier: MIT */
/*
 * asm_pam.c - sites of guides beside a PAM, as rows; how likely each is cut
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
#include "input/input.h"
#include "letters/letters.h"
#include "rec/rec.h"
#include "scan/asm/asm.h"
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

/*
 * How likely a site of a guide is cut: from a formula, or from a
 * table
 *
 * Factors are integers in units of 10^-18, so a product of two fits into 128
 * bits, and every machine rounds alike.
 */

/*
 * Positions of a table, from 1 on; letters: A C G T, and GAP for none; of a
 * PAM's last letters, the places of 4^MAX_ENDING and fewer words.
 */
enum { MAX_POS = 100, GAP = 4, MAX_ENDING = 4, ENDINGS = 256 };
static const uint64_t one = 1000000000000000000, unset = UINT64_MAX;

struct asm_score {
	bool mit, before;
	/* Of the guide's letter and the one that pairs with it. */
	uint64_t factor[MAX_POS + 1][5][5];
	size_t line[MAX_POS + 1];	/* of its first mismatch; 0: none */
	unsigned n_pos;			/* the last one with mismatches */
	uint64_t pam[ENDINGS];
	unsigned n_ending;		/* letters of each; 0: PAMs are alike */
};

static uint64_t
times(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b + one / 2) / one);
}

/* A C G T and U as 0 to 3; or -1. */
static int
code_of(uint8_t c)
{
	switch (c | 32) {
	case 'a': return 0;
	case 'c': return 1;
	case 'g': return 2;
	case 't':
	case 'u': return 3;
	default: return -1;
	}
}

/* A table's lines. */

struct table_line {
	const char *path;
	size_t number;
	struct str word[4];	/* of which a line has 2 or 3 */
	size_t n;
};

static int
refuse(const struct table_line *l, const char *what, struct str word,
       struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s:%zu: %s%s%.*s", l->path, l->number,
		       what, word.n ? ": " : "", (int)min_u64(word.n, 60),
		       word.n ? word.p : "");
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Words before a #; four at most. */
static void
split_line(struct table_line *l, struct str s)
{
	const char *p = s.p, *end = memchr(s.p, '#', s.n);

	end = end ? end : s.p + s.n;
	for (l->n = 0; l->n < 4; l->n++) {
		const char *beg;

		while (p < end && is_blank(*p))
			p++;
		for (beg = p; p < end && !is_blank(*p); )
			p++;
		if (p == beg)
			return;
		l->word[l->n] = (struct str){ beg, (size_t)(p - beg) };
	}
}

/* To 15 places, exactly. */
static int
read_value(const struct table_line *l, uint64_t *value, struct err *e)
{
	struct str w = l->word[l->n - 1];
	double v;

	if (!decimal_double(w.p, w.n, &v))
		return refuse(l, "no number", w, e);
	if (!(v >= 0 && v <= 1))
		return refuse(l, "a score must be from 0 to 1", w, e);
	*value = (uint64_t)(v * 1e15 + .5) * 1000;
	return 0;
}

/* The letter behind r or d, or GAP; -1: it is none, or T where U is meant. */
static int
side_of(struct str w, size_t at, char side)
{
	char c = w.p[at + 1];

	if (w.p[at] != side)
		return -1;
	if (c == '-')
		return GAP;
	if (c == (side == 'r' ? 'U' : 'T'))
		return 3;
	return c == 'A' || c == 'C' || c == 'G' ? code_of((uint8_t)c) : -1;
}

/* A position of at most 3 digits; 0: it is none. */
static unsigned
position_of(struct str w, size_t at)
{
	unsigned n = 0;

	if (w.n == at || w.n > at + 3 || w.p[at] == '0')
		return 0;
	for (; at < w.n; at++) {
		if (w.p[at] < '0' || w.p[at] > '9')
			return 0;
		n = 10 * n + (unsigned)(w.p[at] - '0');
	}
	return n;
}

/* rA:dC,12 */
static int
take_difference(struct asm_score *s, const struct table_line *l,
		struct err *e)
{
	struct str w = l->word[0];
	bool shape = w.n > 6 && w.p[2] == ':' && w.p[5] == ',';
	int r = shape ? side_of(w, 0, 'r') : -1;
	int d = shape ? side_of(w, 3, 'd') : -1;
	unsigned pos = shape ? position_of(w, 6) : 0;
	uint64_t *to;

	/* A with T, C with G, and two gaps, are no difference */
	if (l->n != 2 || r < 0 || d < 0 || !pos || r + d == 3 ||
	    r + d == 2 * GAP)
		return refuse(l, "no key such as rA:dC,12, rA:d-,5, r-:dA,5 or "
			      "pam GG, and one value", w, e);
	if (pos > MAX_POS)
		return refuse(l, "a position above 100", w, e);
	to = &s->factor[pos][r][d];
	if (*to != unset)
		return refuse(l, "a second time", w, e);
	if (r != GAP && d != GAP) {
		s->n_pos = pos > s->n_pos ? pos : s->n_pos;
		if (!s->line[pos])
			s->line[pos] = l->number;
	}
	return read_value(l, to, e);
}

/* A word's place among all of its length; -1: a letter is none of A C G T. */
static int
ending_of(const uint8_t *p, size_t n)
{
	int at = 0;

	for (size_t i = 0; i < n; i++) {
		int c = code_of(p[i]);

		if (c < 0)
			return -1;
		at = 4 * at + c;
	}
	return at;
}

/* pam GG */
static int
take_pam(struct asm_score *s, const struct table_line *l, struct err *e)
{
	struct str w = l->word[1];
	int at = w.n <= MAX_ENDING ? ending_of((const uint8_t *)w.p, w.n) : -1;

	if (l->n != 3)
		return refuse(l, "not pam, its letters and one value",
			      l->word[0], e);
	if (at < 0)
		return refuse(l, "a PAM's last letters are 1 to 4 of A, C, G "
			      "and T", w, e);
	if (s->n_ending && s->n_ending != w.n)
		return refuse(l, "all PAMs must have as many letters as the "
			      "first", w, e);
	s->n_ending = (unsigned)w.n;
	if (s->pam[at] != unset)
		return refuse(l, "a second time", w, e);
	return read_value(l, &s->pam[at], e);
}

static int
take_line(struct asm_score *s, const struct table_line *l, struct err *e)
{
	struct str w = l->word[0];

	if (!l->n)
		return 0;
	if (w.n == 3 && memcmp(w.p, "pam", 3) == 0)
		return take_pam(s, l, e);
	return take_difference(s, l, e);
}

/* All positions with mismatches have all of them, and none is left out. */
static int
check_positions(const struct asm_score *s, struct table_line *l, struct err *e)
{
	for (unsigned pos = 1; pos <= s->n_pos; pos++)
		for (int i = 0; i < 16; i++) {
			int r = i / 4, d = i % 4;

			if (r + d == 3 || s->factor[pos][r][d] != unset)
				continue;
			l->number = s->line[pos] ? s->line[pos] :
						   s->line[s->n_pos];
			return err_set(e, ERR_FORMAT, "%s:%zu: position %u has "
				       "no r%c:d%c,%u", l->path, l->number,
				       pos, "ACGU"[r], "ACGT"[d], pos);
		}
	return s->n_pos ? 0 : err_set(e, ERR_FORMAT, "%s: no table of scores: "
				      "no line such as rA:dC,12 VALUE",
				      l->path);
}

static int
read_lines(struct asm_score *s, const char *path, struct str text,
	   struct err *e)
{
	struct table_line l = { .path = path };
	int rc = 0;

	while (text.n && !rc) {
		const char *nl = memchr(text.p, '\n', text.n);
		size_t n = nl ? (size_t)(nl - text.p) : text.n;

		l.number++;
		split_line(&l, (struct str){ text.p, n });
		rc = take_line(s, &l, e);
		n += nl != NULL;
		text = (struct str){ text.p + n, text.n - n };
	}
	return rc ? rc : check_positions(s, &l, e);
}

/* A table has at most some 100 times 24 lines. */
enum { MAX_TEXT = 1 << 20 };

static int
load(struct buf *text, const char *path, struct err *e)
{
	int rc = source_text(path, MAX_TEXT, "table of scores", text, e);

	if (rc)
		err_at(e, rc == ERR_IO && !strchr(path, '/') ?
		       "--score-table: neither mit nor a file" :
		       "--score-table");
	return rc;
}

/* Without a factor. */
static struct asm_score *
new_score(bool before, struct err *e)
{
	struct asm_score *s = calloc(1, sizeof *s);

	if (!s) {
		err_nomem(e, sizeof *s);
		return NULL;
	}
	memset(s->factor, 0xff, sizeof s->factor);	/* unset */
	memset(s->pam, 0xff, sizeof s->pam);
	s->before = before;
	return s;
}

int
asm_score_parse(struct asm_score **out, const char *name, struct str text,
		bool before, struct err *e)
{
	struct asm_score *s = *out = new_score(before, e);

	if (!s || !read_lines(s, name, text, e))
		return s ? 0 : e->code;
	asm_score_free(s);
	*out = NULL;
	return e->code;
}

bool
asm_score_is_name(const char *what)
{
	return strcmp(what, "mit") == 0;
}

int
asm_score_new(struct asm_score **out, const char *what, bool before,
	      struct err *e)
{
	const char *name = strcmp(what, "-") ? what : "stdin";
	struct buf b = { 0 };
	int rc;

	*out = NULL;
	if (asm_score_is_name(what) && before)
		return err_set(e, ERR_USAGE, "--score-table mit is of guides "
			       "before their PAM: not with --pam-side=5");
	if (asm_score_is_name(what)) {
		*out = new_score(false, e);
		if (!*out)
			return e->code;
		(*out)->mit = true;
		return 0;
	}
	rc = load(&b, what, e);
	if (!rc)
		rc = asm_score_parse(out, name, (struct str){
				     (const char *)b.p, b.n }, before, e);
	buf_free(&b);
	return rc;
}

void
asm_score_free(struct asm_score *s)
{
	free(s);
}

static uint64_t
hash_all(const uint64_t *v, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t b[8];

		put_le(b, v[i], 8);
		seed = hash64(b, sizeof b, seed);
	}
	return seed;
}

void
asm_score_text(const struct asm_score *s, struct buf *b)
{
	uint64_t h = hash_all(&s->factor[0][0][0], (MAX_POS + 1) * 25,
			      s->n_ending);

	if (s->mit)
		buf_printf(b, "offtarget-score mit\n");
	else
		buf_printf(b, "offtarget-score table %016llx\n",
			   (unsigned long long)hash_all(s->pam, ENDINGS, h));
}

/* Sites. */

/* What is known so far of a site, which is read 5' to 3' of the guide. */
struct site_sum {
	unsigned n, first, last;	/* mismatches, and where, from 1 on */
	bool bulge;
	uint64_t product;	/* of factors; unset: one is not known */
};

/* The i-th letter. */
static uint8_t
letter_at(const struct asm_score_site *x, uint64_t i)
{
	return x->minus ?
	       dna_complement((uint8_t)x->letters.p[x->letters.n - 1 - i]) :
	       (uint8_t)x->letters.p[i];
}

/* In thousandths: what a mismatch at a position takes away. */
static const uint16_t mit_weight[21] = {
	0, 0, 0, 14, 0, 0, 395, 317, 0, 389, 79, 445, 508, 613, 851, 732, 828,
	615, 804, 685, 583,
};

/* Guide's letter r and the site's t, or GAP; below 0: another letter. */
static void
take_pair(const struct asm_score *s, struct site_sum *sum, unsigned pos, int r,
	  int t)
{
	uint64_t f = unset;

	if (r == GAP || t == GAP) {
		sum->bulge = true;
	} else {
		sum->first = sum->n++ ? sum->first : pos;
		sum->last = pos;
	}
	if (s->mit)
		f = pos <= 20 ? one / 1000 * (1000 - mit_weight[pos]) : unset;
	else if (pos <= MAX_POS && r >= 0 && t >= 0)
		f = s->factor[pos][r][t == GAP ? GAP : 3 - t];
	sum->product = f == unset || sum->product == unset ? unset :
		       times(sum->product, f);
}

/* All differences: of the guide's letters and, between two, of the site's the
 * position is that of the letter behind. */
static void
take_ops(const struct asm_score *s, const struct asm_score_site *x,
	 struct site_sum *sum)
{
	uint64_t pos = 1, t = 0, skip = s->before ? x->pam : 0;

	for (size_t i = 0; i < x->n_ops; i++) {
		uint32_t op = x->ops[x->minus ? x->n_ops - 1 - i : i];
		unsigned kind = op & 15;

		for (uint32_t n = op >> 4; n; n--) {
			bool pam = skip || pos > x->guide.n + (kind == CIGAR_D);
			int r = GAP, c = GAP;

			if (kind != CIGAR_D && !pam)
				r = code_of((uint8_t)x->guide.p[pos - 1]);
			if (kind != CIGAR_I)
				c = code_of(letter_at(x, t++));
			if (kind != CIGAR_EQ && !pam)
				take_pair(s, sum, (unsigned)pos, r, c);
			if (skip)
				skip--;
			else
				pos += kind != CIGAR_D;
		}
	}
}

/*
 * With n mismatches, the first and last span letters apart, the product of
 * 1 - weight is multiplied by 1 / ((19 - d) / 19 * 4 + 1), where d is span /
 * (n - 1), if there are two, and by 1 / n^2.
 */
static bool
mit_score(const struct asm_score_site *x, const struct site_sum *sum,
	  uint64_t *score)
{
	uint64_t gaps = sum->n ? sum->n - 1 : 0, span = sum->last - sum->first;
	uint64_t up = gaps ? 19 * gaps : 1;
	uint64_t down = gaps ? 4 * (19 * gaps - span) + 19 * gaps : 1;

	if (x->guide.n != 20 || sum->bulge || sum->product == unset)
		return false;
	down *= sum->n ? (uint64_t)sum->n * sum->n : 1;
	down *= one / OFFTARGET_ONE;
	*score = (uint64_t)(((unsigned __int128)sum->product * up + down / 2) /
			    down);
	return true;
}

/* The factor of the site's PAM, by its last letters; or unset. */
static uint64_t
pam_factor(const struct asm_score *s, const struct asm_score_site *x)
{
	uint64_t end = s->before ? x->pam : x->letters.n;
	uint8_t last[MAX_ENDING];
	int at;

	if (!s->n_ending)
		return one;
	if (s->n_ending > x->pam)
		return unset;
	for (unsigned i = 0; i < s->n_ending; i++)
		last[i] = letter_at(x, end - s->n_ending + i);
	at = ending_of(last, s->n_ending);
	return at < 0 ? unset : s->pam[at];
}

bool
asm_score_site(const struct asm_score *s, const struct asm_score_site *x,
	       uint64_t *score)
{
	struct site_sum sum = { .product = one };
	uint64_t pam;

	take_ops(s, x, &sum);
	if (s->mit)
		return mit_score(x, &sum, score);
	pam = pam_factor(s, x);
	if (x->guide.n > s->n_pos || sum.product == unset || pam == unset)
		return false;
	*score = (times(sum.product, pam) + one / OFFTARGET_ONE / 2) /
		 (one / OFFTARGET_ONE);
	return true;
}
