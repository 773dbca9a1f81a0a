/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam.c - sites of guides beside a PAM, by their definition
 *
 * Sequences are cut into chunks with context, as a scanner gets them; together
 * these must give each site of the definition once, with its alignment.
 */
#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"
#include "tests/lib/limits_book.h"
#include "tests/lib/tap.h"
#include "tests/oracle/oracle.h"

enum { MAX_SEQ = 6, MAX_LETTERS = 40000, MAX_GUIDES = 40, MAX_M = BOOK_M,
       TEXT = 1 << 19 };

static uint64_t seed = 1;

struct seq {
	uint8_t s[MAX_LETTERS];
	size_t n;
};

static struct case_ {
	struct seq seq[MAX_SEQ];
	size_t n_seq;
	uint8_t guide[MAX_GUIDES][MAX_M];
	size_t m[MAX_GUIDES], k[MAX_GUIDES], n;
	char pams[4][KDIFF_MAX_PAM + 1];
	const char *pam[4];
	struct kdiff_pam_params p;
	uint64_t tables_at;
} c;

/* The definition. */

struct row {
	uint64_t seq, beg, end;
	uint32_t guide, dist;
	bool minus;
	char cigar[200];
};
struct rows {
	struct row *v;
	size_t n, cap;
};
static struct rows want, have;

static struct row *
new_row(struct rows *r)
{
	if (r->n == r->cap) {
		r->cap = r->cap * 2 + 64;
		r->v = realloc(r->v, r->cap * sizeof *r->v);
		if (!r->v)
			abort();
	}
	memset(&r->v[r->n], 0, sizeof *r->v);
	return &r->v[r->n++];
}

static uint8_t
complement(uint8_t letter)
{
	static const char from[] = "ACGTUMRWSYKVHDBN";
	static const char to[] = "TGCAAKYWSRMBDHVN";
	const char *p = strchr(from, letter & 0xdf);

	return p ? (uint8_t)to[p - from] : letter;
}

/* letter a of the strand is letter a of s */
static bool
matches_pam(const uint8_t *s, size_t n, size_t a, const char *pam)
{
	size_t l = strlen(pam);

	if (a + l > n)
		return false;
	for (size_t i = 0; i < l; i++)
		if (!oracle_equal((struct oracle_match){ ORACLE_DNA,
				  c.p.iupac }, (uint8_t)pam[i], s[a + i]))
			return false;
	return true;
}

/* Guide and text as they are read from a place of the PAM. */
static void
read_outwards(const uint8_t *s, size_t n, size_t a, uint32_t guide)
{
	bool before = c.p.before;

	book.m = (uint32_t)c.m[guide];
	book.k = (uint32_t)c.k[guide];
	book.max = c.p.max;
	book.iupac = c.p.iupac;
	book.n = 0;
	while (book.n < book.m + book.k &&
	       (before ? a + book.n < n : book.n < a)) {
		book.t[book.n] = before ? s[a + book.n] : s[a - 1 - book.n];
		book.n++;
	}
	for (size_t i = 0; i < book.m; i++)
		book.p[i] = c.guide[guide][before ? i : book.m - 1 - i];
}

static void
want_site(uint64_t number, const uint8_t *s, size_t n, size_t a, size_t l,
	  uint32_t guide, bool minus)
{
	char op[300];
	size_t used = 0, n_op;
	bool before = c.p.before;
	uint32_t dist;
	struct row *r;

	read_outwards(s, n, a, guide);
	dist = book_distance();
	if (dist > book.k)
		return;
	n_op = book_path(op);
	for (size_t i = 0; i < n_op; i++)
		used += op[i] != 'I';
	/* the PAM and, outwards, the rest */
	memmove(op + l, op, n_op);
	memset(op, '=', l);
	n_op += l;
	if (before == minus)
		book_turn(op, n_op);
	r = new_row(&want);
	r->seq = number;
	r->guide = guide;
	r->dist = dist;
	r->minus = minus;
	r->beg = before ? a - l : a - used;
	r->end = before ? a + used : a + l;
	if (minus) {
		uint64_t beg = n - r->end;

		r->end = n - r->beg;
		r->beg = beg;
	}
	book_runs(op, n_op, r->cigar);
}

static void
want_strand(uint64_t number, const uint8_t *s, size_t n, bool minus)
{
	for (size_t a = 0; a <= n; a++)
		for (size_t i = 0; i < c.p.n_pams; i++) {
			size_t l = strlen(c.pam[i]);

			if (c.p.before ? a < l || !matches_pam(s, n, a - l,
							       c.pam[i]) :
			    !matches_pam(s, n, a, c.pam[i]))
				continue;
			for (uint32_t g = 0; g < c.n; g++)
				want_site(number, s, n, a, l, g, minus);
			break;
		}
}

static void
want_rows(void)
{
	static uint8_t turned[MAX_LETTERS];

	want.n = 0;
	for (size_t i = 0; i < c.n_seq; i++) {
		const struct seq *q = &c.seq[i];

		for (size_t j = 0; j < q->n; j++)
			turned[j] = complement(q->s[q->n - 1 - j]);
		if (c.p.plus)
			want_strand(i, q->s, q->n, false);
		if (c.p.minus)
			want_strand(i, turned, q->n, true);
	}
}

/* What is found. */

static struct {
	struct kdiff_pam *g;
	struct kdiff_pam_work *w;
	struct kdiff_text t;
	struct kdiff_seg seg[4000];
	uint64_t origin[4000];	/* of a segment's first letter */
	uint64_t of[4000];	/* its sequence */
	uint8_t letters[TEXT];
	uint64_t planes[TEXT / 32], exc[TEXT / 64], lower[TEXT / 64];
	uint64_t sets[TEXT / 16];
	struct err e;
} f;

static void
load_text(void)
{
	size_t n = f.t.n;
	unsigned what = dna_ops()->pack(f.letters, n, f.planes, f.exc,
					f.lower);

	f.t.planes = f.planes;
	f.t.exc = what & DNA_HAS_EXC ? f.exc : NULL;
	f.t.sets = NULL;
	if (!c.p.iupac || !f.t.exc)
		return;
	memset(f.sets, 0, n / 64 * 32 + 32);
	for (size_t i = 0; i < n; i++)
		for (unsigned x = 0; x < 4; x++)
			f.sets[i / 64 * 4 + x] |= (uint64_t)
			    (dna_set(f.letters[i]) >> x & 1) << i % 64;
	f.t.sets = f.sets;
}

static int
take(void *ctx, const struct kdiff_site *v, size_t n, struct err *e)
{
	struct kdiff_site_path *path = calloc(n, sizeof *path);
	struct buf ops = { 0 }, text = { 0 };
	int rc = kdiff_pam_trace(f.g, &f.t, f.w, v, n, path, &ops, e);

	(void)ctx;
	for (size_t i = 0; i < n && !rc; i++) {
		size_t s = kdiff_seg_find(&f.t, v[i].edge);
		struct row *r = new_row(&have);

		text.n = 0;
		cigar_text(&text, (const uint32_t *)(void *)ops.p + path[i].ops,
			   path[i].n_ops);
		*r = (struct row){
			f.of[s], f.origin[s] + path[i].beg - f.seg[s].beg,
			f.origin[s] + path[i].end - f.seg[s].beg, v[i].guide,
			v[i].dist, v[i].minus, "",
		};
		memcpy(r->cigar, text.p, text.n < 199 ? text.n : 199);
	}
	free(path);
	buf_free(&ops);
	buf_free(&text);
	return rc;
}

static int
search_text(void)
{
	if (!f.t.n_seg)
		return 0;
	load_text();
	f.t.seg = f.seg;
	return kdiff_pam_each(f.g, &f.t, f.w, take, NULL, &f.e);
}

/* Letters [own_beg, own_end) of a sequence as a chunk has them. */
static int
add_chunk(uint64_t number, size_t own_beg, size_t own_end)
{
	const struct seq *q = &c.seq[number];
	size_t context = kdiff_pam_context(f.g) + below(&seed, 3);
	size_t beg = own_beg < context ? 0 : own_beg - context;
	size_t len = own_end - beg, i = f.t.n_seg;
	struct kdiff_seg *s = &f.seg[i];
	bool last = own_end == q->n;
	int rc = 0;

	if (i == 4000 || f.t.n + len + 500 > TEXT) {
		rc = search_text();
		f.t = (struct kdiff_text){ 0 };
		s = &f.seg[i = 0];
	}
	s->beg = f.t.n ? (f.t.n + kdiff_pam_gap(f.g) + 63) / 64 * 64 : 0;
	while (f.t.n < s->beg)	/* what is between is never looked at */
		f.letters[f.t.n++] = (uint8_t)"ACGTN"[below(&seed, 5)];
	memcpy(f.letters + s->beg, q->s + beg, len);
	s->end = f.t.n = s->beg + len;
	s->from = s->beg + (own_beg ? own_beg : 1) - beg;
	s->to = last ? s->end : s->end - 1;
	s->first = beg == 0;
	s->last = last && below(&seed, 2);	/* a region's end is no last */
	f.origin[i] = beg;
	f.of[i] = number;
	f.t.n_seg = i + 1;
	return rc;
}

static int
have_rows(void)
{
	size_t step = below(&seed, 4) ? MAX_LETTERS : 1 + below(&seed, 200);
	int rc = kdiff_pam_new(&f.g, &c.p, &f.e);

	for (size_t i = 0; i < c.n && !rc; i++)
		rc = kdiff_pam_add(f.g, c.guide[i], c.m[i], c.k[i], &f.e);
	if (!rc)
		rc = kdiff_pam_work_new(&f.w, &f.e);
	have.n = 0;
	f.t = (struct kdiff_text){ 0 };
	if (!rc)
		f.g->tables_at = c.tables_at;
	for (size_t i = 0; i < c.n_seq && !rc; i++)
		for (size_t at = 0; at < c.seq[i].n && !rc; at += step)
			rc = add_chunk(i, at, c.seq[i].n - at < step ?
				       c.seq[i].n : at + step);
	if (!rc)
		rc = search_text();
	kdiff_pam_work_free(f.w);
	kdiff_pam_free(f.g);
	f.w = NULL;
	f.g = NULL;
	return rc;
}

static int
compare(const void *pa, const void *pb)
{
	const struct row *x = pa, *y = pb;
	int d = (x->seq > y->seq) - (x->seq < y->seq);

	d = d ? d : (x->end > y->end) - (x->end < y->end);
	d = d ? d : (x->guide > y->guide) - (x->guide < y->guide);
	d = d ? d : x->minus - y->minus;
	d = d ? d : (x->beg > y->beg) - (x->beg < y->beg);
	return d ? d : strcmp(x->cigar, y->cigar);
}

static bool
same_row(const struct row *x, const struct row *y)
{
	return compare(x, y) == 0 && x->dist == y->dist;
}

static bool
run(const char *name, uint64_t round)
{
	size_t i = 0;
	int rc;

	want_rows();
	rc = have_rows();
	if (rc)
		return ok(0, "%s %lu: %s", name, (unsigned long)round,
			  f.e.text);
	qsort(want.v, want.n, sizeof *want.v, compare);
	qsort(have.v, have.n, sizeof *have.v, compare);
	while (i < want.n && i < have.n && same_row(&want.v[i], &have.v[i]))
		i++;
	if (want.n == have.n && i == want.n)
		return true;
	ok(0, "%s %lu: %zu sites, not %zu", name, (unsigned long)round,
	   have.n, want.n);
	for (int k = 0; k < 2; k++) {
		const struct rows *r = k ? &have : &want;

		if (i < r->n)
			printf("# %s seq %lu guide %u %c [%lu, %lu) %u %s\n",
			       k ? "have" : "want", r->v[i].seq,
			       r->v[i].guide, "+-"[r->v[i].minus], r->v[i].beg,
			       r->v[i].end, r->v[i].dist, r->v[i].cigar);
	}
	return false;
}

/* Random cases. */

static void
fill(uint8_t *s, size_t n, uint64_t kind)
{
	const char *from = kind == 1 ? "AC" : kind == 2 ? "GGGCCA" : "ACGT";
	size_t letters = strlen(from), period = 1 + below(&seed, 7);

	for (size_t i = 0; i < n; i++)
		s[i] = kind == 3 && i >= period && below(&seed, 30) ?
		       s[i - period] : (uint8_t)from[below(&seed, letters)];
}

static size_t
mutate(const uint8_t *s, size_t n, uint64_t most, uint8_t *to)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = most ? below(&seed, 3 * n / most + 1) : 9;

		if (x != 0)
			to[k++] = x == 1 ? (uint8_t)"ACGT"[below(&seed, 4)] :
				  s[i];
		if (x == 2)
			to[k++] = (uint8_t)"ACGT"[below(&seed, 4)];
	}
	return k;
}

/* A guide with a PAM, changed, on either strand. */
static void
plant(struct seq *q)
{
	uint8_t site[4 * MAX_M];
	size_t g = below(&seed, c.n), n = 0;
	const char *pam = c.pam[below(&seed, c.p.n_pams)];

	if (!c.p.before)
		n = mutate(c.guide[g], c.m[g], c.k[g], site);
	for (const char *x = pam; *x; x++) {
		uint8_t letter = 0;

		while (!(oracle_set(letter) & oracle_set((uint8_t)*x)))
			letter = (uint8_t)"ACGT"[below(&seed, 4)];
		site[n++] = letter;
	}
	if (c.p.before)
		n += mutate(c.guide[g], c.m[g], c.k[g], site + n);
	if (below(&seed, 2))
		dna_revcomp(site, n);
	if (n <= q->n) {
		size_t at = below(&seed, 4) ? below(&seed, q->n - n + 1) :
			    below(&seed, 2) ? 0 : q->n - n;

		memcpy(q->s + at, site, n);
	}
}

static void
spoil(struct seq *q)
{
	for (uint64_t i = below(&seed, 6); i-- && q->n;) {
		size_t at = below(&seed, q->n), n = 1 + below(&seed, 30);

		for (size_t j = at; j < q->n && j < at + n; j++)
			q->s[j] = (uint8_t)"NNNRYa"[below(&seed, 6)];
	}
}

static void
make_guides(size_t n, size_t m, size_t k, bool codes)
{
	c.n = n;
	for (size_t i = 0; i < n; i++) {
		c.m[i] = m;
		c.k[i] = k;
		fill(c.guide[i], m, below(&seed, 6));
		if (codes && below(&seed, 2))
			c.guide[i][below(&seed, m)] = 'R';
		if (codes && below(&seed, 3) == 0)
			c.guide[i][below(&seed, m)] = 'N';
	}
}

static void
make_pams(void)
{
	static const char *const some[] = {
		"NGG", "TTTV", "NG", "NNGRRT", "N", "NAG", "TTN", "GG",
	};

	c.p.n_pams = 1 + (below(&seed, 3) == 0) + (below(&seed, 9) == 0);
	for (size_t i = 0; i < c.p.n_pams; i++) {
		strcpy(c.pams[i], some[below(&seed, 8)]);
		c.pam[i] = c.pams[i];
	}
	c.p.pam = c.pam;
	c.p.before = below(&seed, 2);
	c.p.plus = below(&seed, 4) != 0;
	c.p.minus = !c.p.plus || below(&seed, 4);
}

static void
make_seqs(size_t most)
{
	c.n_seq = 1 + below(&seed, MAX_SEQ);
	for (size_t i = 0; i < c.n_seq; i++) {
		struct seq *q = &c.seq[i];

		q->n = below(&seed, most + 1);
		fill(q->s, q->n, below(&seed, 6));
		for (uint64_t j = below(&seed, 2 + q->n / 100); j--;)
			plant(q);
		if (below(&seed, 3) == 0)
			spoil(q);
	}
}

static void
begin(void)
{
	memset(&c.p, 0, sizeof c.p);
	c.p.max = KDIFF_NO_LIMITS;
	c.tables_at = below(&seed, 3) ? 1 : UINT64_MAX / 2;
	make_pams();
}

static void
make_limits(size_t k)
{
	uint32_t *v[] = { &c.p.max.mismatches, &c.p.max.bulges, &c.p.max.dna,
			  &c.p.max.rna };

	for (int i = 0; i < 4; i++)
		if (below(&seed, 2))
			*v[i] = (uint32_t)below(&seed, k + 1);
}

/* What the kernels take, and as little as they take. */
static bool
for_kernels(uint64_t round)
{
	size_t k = round % 7, m = k + 1 + below(&seed, 32 - 2 * k);

	begin();
	if (below(&seed, 3))
		m = 18 + below(&seed, 7);
	make_guides(1 + below(&seed, 5), m, k, false);
	if (below(&seed, 4) == 0) {
		c.k[0] = below(&seed, k + 1);
		c.m[c.n - 1] = k + 1 + below(&seed, 32 - 2 * k);
		fill(c.guide[c.n - 1], c.m[c.n - 1], below(&seed, 6));
	}
	c.p.iupac = below(&seed, 5) == 0;
	if (below(&seed, 4) == 0)
		make_limits(k);
	make_seqs(round % 3 ? 400 : 3000);
	return run("for kernels", round);
}

/* Also what they do not take. */
static bool
others(uint64_t round)
{
	size_t m = 1 + below(&seed, MAX_M), k = below(&seed, m < 9 ? m : 9);

	begin();
	make_guides(1 + below(&seed, 4), m, k, true);
	c.p.iupac = below(&seed, 2);
	if (below(&seed, 2))
		make_limits(k);
	make_seqs(600);
	return run("others", round);
}

/* More than a block, more guides than lanes. */
static bool
large(uint64_t round)
{
	begin();
	strcpy(c.pams[0], c.p.before ? "TTTV" : "NGG");
	c.p.n_pams = 1;
	make_guides(MAX_GUIDES, 20, 3 + round % 3, false);
	c.n_seq = 3;
	for (size_t i = 0; i < c.n_seq; i++) {
		c.seq[i].n = MAX_LETTERS - below(&seed, 100);
		fill(c.seq[i].s, c.seq[i].n, 0);
		for (int j = 0; j < 200; j++)
			plant(&c.seq[i]);
		if (i)
			spoil(&c.seq[i]);
	}
	return run("large", round);
}

static void
sweep(const char *name, bool (*one)(uint64_t), uint64_t rounds)
{
	uint64_t i = 0;

	rounds = fewer(rounds);
	while (i < rounds) {
		seed = i + 1;
		if (!one(i++))
			return;
	}
	ok(1, "%s: %lu cases", name, (unsigned long)rounds);
}

static void
bad_input(void)
{
	const char *pam = "NXG", *none = "";
	struct kdiff_pam_params p = { .pam = &pam, .n_pams = 1, .plus = true,
				      .max = KDIFF_NO_LIMITS };
	struct kdiff_pam *g;
	struct err e;

	ok(kdiff_pam_new(&g, &p, &e) == ERR_USAGE, "a letter: %s", e.text);
	p.pam = &none;
	ok(kdiff_pam_new(&g, &p, &e) == ERR_USAGE, "none: %s", e.text);
	pam = "NGG";
	p.pam = &pam;
	p.before = true;
	if (kdiff_pam_new(&g, &p, &e))
		abort();
	ok(kdiff_pam_add(g, (const uint8_t *)"AZGT", 4, 1, &e) == ERR_USAGE &&
	   strstr(e.text, "letter 2"), "a guide's letter: %s", e.text);
	ok(kdiff_pam_add(g, (const uint8_t *)"ACGT", 4, 4, &e) == ERR_USAGE,
	   "k: %s", e.text);
	kdiff_pam_free(g);
}

int
main(void)
{
	bad_input();
	sweep("for kernels", for_kernels, 1400);
	sweep("others", others, 500);
	sweep("large", large, 6);
	free(want.v);
	free(have.v);
	return done();
}
