/* SPDX-License-Identifier: MIT */
/* kdiff_overhang.c - patterns that hang over, by the definition itself */
#include "tests/lib/kdiff_gen.h"

/* The best of an end, and the fewest letters over the end, without an insertion
 * next to them and with one. */
struct best {
	uint32_t cost, right, loose;
};
static uint32_t *d_of[CASE_SEGS][CASE_PATS];
static struct best *best_of[CASE_SEGS][CASE_PATS];

static uint32_t
hangs(bool end, size_t l)
{
	return l ? (uint32_t)(l * kc.p.over[end].num / kc.p.over[end].den) : 0;
}

/* May o letters of a pattern that do not hang over cost so much? */
static bool
counts(size_t pat, size_t o, uint32_t cost)
{
	const struct kdiff_ratio *r = &kc.p.per_overlap;

	if (o == kc.m[pat])
		return cost <= kc.k[pat];
	return o >= kc.p.min_overlap && cost <= kc.k[pat] &&
	       (!r->den || cost <= o * r->num / r->den);
}

/* Distances of pattern letters [l, l + q) from what ends at 0 .. n, and begins
 * at the begin if l > 0; and the last if its last letter is no insertion. */
static uint32_t
textbook(size_t pat, const struct kdiff_seg *g, size_t l, size_t q, uint32_t *d)
{
	struct oracle_match how = { (enum oracle_alphabet)kc.p.alphabet,
				    kc.p.iupac };
	size_t n = g->end - g->beg;
	uint32_t far = UINT32_MAX / 2, strict = q ? far : n && l ? (uint32_t)n :
			0;

	for (size_t j = 0; j <= n; j++)
		d[j] = !j || !l ? 0 : kc.p.hamming ? far : (uint32_t)j;
	for (size_t i = 1; i <= q; i++) {
		uint32_t diag = d[0];
		const bool *equal = oracle_equals(how, kc.pat[pat][l + i - 1]);

		d[0] = kc.p.hamming ? far : (uint32_t)i;
		for (size_t j = 1; j <= n; j++) {
			uint32_t x = diag + !equal[kc.t[g->beg + j - 1]];

			if (!kc.p.hamming)
				x = oracle_min(x, d[j - 1] + 1);
			if (i == q && j == n)
				strict = x;
			if (!kc.p.hamming)
				x = oracle_min(x, d[j] + 1);
			diag = d[j];
			d[j] = oracle_min(x, far);
		}
	}
	return strict;
}

/* r letters over the end, with this cost, and this one if strictly. */
static void
keep_best(struct best *b, uint32_t cost, uint32_t strict, size_t r)
{
	if (cost < b->cost)
		*b = (struct best){ cost, UINT32_MAX, UINT32_MAX };
	if (cost == b->cost)
		b->loose = oracle_min(b->loose, (uint32_t)r);
	if (strict == b->cost)
		b->right = oracle_min(b->right, (uint32_t)r);
}

/* Each number of letters over each end. */
static struct best *
by_definition(size_t pat, const struct kdiff_seg *g)
{
	size_t m = kc.m[pat], n = g->end - g->beg;
	struct best *b = kcase_alloc((n + 1) * sizeof *b);
	uint32_t *d = kcase_alloc((n + 1) * sizeof *d);
	size_t left = g->first && kc.p.over[0].den ? m : 0;
	size_t right = g->last && kc.p.over[1].den ? m : 0;

	for (size_t j = 0; j <= n; j++)
		b[j] = (struct best){ UINT32_MAX / 2, 0, 0 };
	for (size_t l = 0; l <= left; l++)
		for (size_t r = 0; r <= right && l + r <= m; r++) {
			uint32_t over = hangs(0, l) + hangs(1, r);
			uint32_t strict = over + textbook(pat, g, l, m - l - r,
							  d);

			for (size_t j = r ? n : 0; j <= n; j++)
				if (counts(pat, m - l - r, d[j] + over))
					keep_best(&b[j], d[j] + over, r ? strict
						  : d[j] + over, r);
		}
	free(d);
	return b;
}

/*
 * D(0 .. n) of a segment: the textbook's matrix for each number of letters
 * that hang over its begin and its end.
 */
static uint32_t *
distances(size_t pat, const struct kdiff_seg *g)
{
	struct oracle_match how = { (enum oracle_alphabet)kc.p.alphabet,
				    kc.p.iupac };
	size_t m = kc.m[pat], n = g->end - g->beg, w = n + 1;
	uint32_t *F = kcase_alloc((m + 1) * w * sizeof *F);
	uint32_t *d = kcase_alloc(w * sizeof *d), far = UINT32_MAX / 2;

	for (size_t i = 1; i <= m; i++)
		for (size_t j = 0; j <= n; j++) {
			uint32_t x = g->first && !j ? hangs(0, i) :
				     !j && kc.p.hamming ? far :
				     !j ? (uint32_t)i : far;

			if (j)
				x = F[(i - 1) * w + j - 1] +
				    !oracle_equal(how, kc.pat[pat][i - 1],
						  kc.t[g->beg + j - 1]);
			if (j && !kc.p.hamming)
				x = oracle_min(x, oracle_min(F[(i - 1) * w + j],
					F[i * w + j - 1]) + 1);
			F[i * w + j] = oracle_min(x, far);
		}
	for (size_t j = 0; j <= n; j++) {
		d[j] = F[m * w + j];
		for (size_t l = 1; g->last && j == n && l <= m; l++)
			d[j] = oracle_min(d[j], F[(m - l) * w + j] +
					  hangs(1, l));
		if (j == 0 && !g->first && (n || !g->last))
			d[j] = far;	/* no end */
	}
	free(F);
	return d;
}

/* The rule of minima over the ends 0 .. n. */
static bool
minimum(const uint32_t *d, size_t n, size_t m, size_t j)
{
	size_t from = j;

	if (j < n && d[j + 1] <= d[j])
		return false;
	while (from > 0 && d[from - 1] == d[j])
		from--;
	return from == 0 || d[from - 1] > d[j] || j - from + 1 > m;
}

static void
want_hits(struct kdiff_hits *want)
{
	for (size_t s = 0; s < kc.n_seg; s++) {
		const struct kdiff_seg *g = &kc.seg[s];
		size_t n = g->end - g->beg;

		for (size_t j = 0; j <= n; j++)
			for (size_t p = 0; p < kc.n_pat; p++) {
				const uint32_t *d = d_of[s][p];

				if (d[j] <= kc.k[p] && g->beg + j >= g->from &&
				    g->beg + j <= g->to &&
				    (kc.p.report == KDIFF_ALL ||
				     minimum(d, n, kc.m[p], j)))
					kcase_put(want, g->beg + j, d[j],
						  (uint32_t)p);
			}
	}
}

/* Does the path cost what the hit says, by the letters it puts together? */
static bool
replay(const struct kdiff_hit *h, const struct kdiff_path *x,
       const uint32_t *op)
{
	struct oracle_match how = { (enum oracle_alphabet)kc.p.alphabet,
				    kc.p.iupac };
	uint32_t cost = hangs(0, x->left) + hangs(1, x->right), i = x->left;
	uint64_t at = x->beg, clip = 0;

	for (size_t k = 0; k < x->n_ops; k++)
		for (uint32_t n = op[k] >> 4; n; n--)
			switch (op[k] & 15) {
			case CIGAR_EQ:
			case CIGAR_X:
				if (oracle_equal(how, kc.pat[h->pattern][i++],
						 kc.t[at++]) !=
				    ((op[k] & 15) == CIGAR_EQ))
					return false;
				cost += (op[k] & 15) == CIGAR_X;
				break;
			case CIGAR_D: at++; cost++; break;
			case CIGAR_I: i++; cost++; break;
			default: clip++;
			}
	return cost == h->dist && at == h->end &&
	       i + x->right == kc.m[h->pattern] && clip == x->left + x->right;
}

/* Does it count, and does no insertion follow that could hang over? */
static bool
left_place(const struct kdiff_hit *h, const struct kdiff_path *x,
	   const uint32_t *op)
{
	size_t o = kc.m[h->pattern] - x->left - x->right;

	if (!counts(h->pattern, o, h->dist))
		return false;
	return !x->left || x->n_ops < 2 || (op[1] & 15) != CIGAR_I ||
	       !counts(h->pattern, o - 1, h->dist);
}

static bool
right_place(const struct kdiff_hit *h, const struct kdiff_path *x)
{
	for (size_t s = 0; s < kc.n_seg; s++) {
		const struct kdiff_seg *g = &kc.seg[s];
		const struct best *b = best_of[s][h->pattern];

		if (h->end >= g->beg && h->end <= g->end && b) {
			b += h->end - g->beg;
			return x->right == (b->right < UINT32_MAX ? b->right :
					    b->loose);
		}
	}
	return true;
}

static bool
check(void)
{
	struct kcase_scan s = kcase_scan(&kc, cpu_isa());
	struct kdiff_path *path = kcase_alloc((s.h.n + 1) * sizeof *path);
	const struct kdiff_hit *h = s.h.v;
	struct kdiff_hits want = { 0 };
	struct buf ops = { 0 };
	struct err e;
	bool good;

	want_hits(&want);
	good = kcase_same(&kc, &s.h, &want, "overhang") &&
	       kcase_each(&kc, &s, &want);
	if (kdiff_trace(s.set, &s.t.x, s.w, h, s.h.n, path, &ops, &e))
		abort();
	for (size_t i = 0; good && i < s.h.n; i++)
		if (!right_place(&h[i], &path[i]) ||
		    !left_place(&h[i], &path[i], (const uint32_t *)
				(const void *)ops.p + path[i].ops))
			good = kcase_fail(&kc, "overhang of end %d pattern %d: "
					  "%d %d", (int)h[i].end,
					  (int)h[i].pattern, (int)path[i].left,
					  (int)path[i].right);
	for (size_t i = 0; good && i < s.h.n; i++)
		if (!replay(&h[i], &path[i], (const uint32_t *)(const void *)
			    ops.p + path[i].ops))
			good = kcase_fail(&kc, "path of end %d pattern %d",
					  (int)h[i].end, (int)h[i].pattern);
	free(path);
	buf_free(&ops);
	kdiff_hits_free(&want);
	kcase_scan_free(&s);
	return good;
}

static void
cut_short(size_t gap, uint64_t most)
{
	uint64_t at = 0;

	kc.n_seg = 0;
	while (kc.n_seg < CASE_SEGS && at <= kc.n) {
		struct kdiff_seg *g = &kc.seg[kc.n_seg++];
		uint64_t len = below(&seed, most);

		g->beg = at;
		g->end = at + len < kc.n ? at + len : kc.n;
		g->from = below(&seed, 3) ? 0 : at + below(&seed, len + 2);
		g->to = below(&seed, 3) ? UINT64_MAX :
			at + below(&seed, len + 2);
		g->first = below(&seed, 4);
		g->last = below(&seed, 4);
		at = (g->end + gap + 63) / 64 * 64;
	}
	kc.n = kc.seg[kc.n_seg - 1].end;
}

static const uint64_t costs[][2] = { { 0, 1 }, { 1, 1 }, { 1, 2 },
	{ 1, 4 }, { 3, 10 }, { 999999999, 1000000000 }, { 2, 3 } };

static struct kdiff_ratio
cost_of(uint64_t i)
{
	return (struct kdiff_ratio){ costs[i % 7][0], costs[i % 7][1] };
}

/* The distances of each segment, by one oracle or both. */
static void
make_oracle(bool plain, bool defined)
{
	for (size_t s = 0; s < kc.n_seg; s++)
		for (size_t p = 0; p < kc.n_pat; p++) {
			const struct kdiff_seg *g = &kc.seg[s];
			size_t n = g->end - g->beg;
			struct best *b = defined ? by_definition(p, g) : NULL;

			best_of[s][p] = b;
			d_of[s][p] = plain ? distances(p, g) :
				     kcase_alloc((n + 1) * sizeof(uint32_t));
			for (size_t j = 0; !plain && j <= n; j++)
				d_of[s][p][j] = b[j].cost;
		}
}

static bool
by_oracle(bool plain, bool defined)
{
	bool good;

	make_oracle(plain, defined);
	good = check();
	for (size_t s = 0; s < kc.n_seg; s++)
		for (size_t p = 0; p < kc.n_pat; p++) {
			free(d_of[s][p]);
			free(best_of[s][p]);
			best_of[s][p] = NULL;
		}
	return good;
}

static bool
search(uint64_t round, size_t gap, uint64_t most)
{
	kc.force.patient = below(&seed, 2);	/* parts, of few pairs too */
	kc.p.over[0] = kc.p.over[1] = cost_of(round);
	if (gap)
		cut_short(gap, most);
	return by_oracle(true, kc.m[0] < 40 && most && most < 30);
}

/* So many patterns that some go side by side, of one word and of more. */
static bool
small(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t gap = 0, n_pat = 1 + below(&seed, below(&seed, 3) ? 3 : 10);

	reset(1 + below(&seed, 900));
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	fill(kind, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t k = add_short(kind);

		gap = k + 2 > gap ? k + 2 : gap;
	}
	return search(round, gap, below(&seed, 2) ? 20 : 150);
}

/* Long patterns of few differences: what the filter would take. */
static bool
longer(uint64_t round)
{
	reset(3000);
	kc.engine = round % 2 ? KDIFF_FILTER : KDIFF_AUTO;
	fill(RANDOM, letters, kc.n);
	for (size_t i = 0; i < 2; i++)
		add_pattern(RANDOM, 300 + below(&seed, 400),
			    8 * below(&seed, 5));
	return search(round, 34, 1500);
}

/*
 * Many patterns of few differences, pieces of which lie at both ends of longer
 * segments: what is found by parts.
 */
static bool
parts(uint64_t round)
{
	size_t n_pat = 2 + below(&seed, 20), k = below(&seed, 5), gap = k + 2;
	bool good;

	reset(6000);
	kc.p.iupac = below(&seed, 4) == 0;
	kc.p.hamming = below(&seed, 3) == 0;
	fill(below(&seed, 3) ? RANDOM : NS, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++)
		add_pattern(below(&seed, 6) ? RANDOM : CODES,
			    12 + 3 * k + below(&seed, 30), k);
	cut_short(gap, 40 + below(&seed, 300));
	for (size_t i = 0; i < kc.n_seg; i++) {
		const struct kdiff_seg *g = &kc.seg[i];
		size_t p = below(&seed, n_pat), m = kc.m[p];
		size_t l = below(&seed, m), n = g->end - g->beg;
		bool end = below(&seed, 2);

		if (n <= m)
			continue;
		for (size_t j = l; j < m; j++)
			if (end)
				letters[g->end - m + j] = kc.pat[p][j - l];
			else
				letters[g->beg + j - l] = kc.pat[p][j];
		for (size_t e = below(&seed, k + 1); e; e--)
			letters[(end ? g->end - m + l : g->beg) +
				below(&seed, m - l)] = letter("ACGT", 4);
	}
	good = search(round, 0, 0);
	return good;
}

/* One end, limits on the overlap, both; k is the rate's share of a pattern. */
static bool
limits(uint64_t round)
{
	static const uint64_t rates[][2] = { { 1, 10 }, { 1, 4 }, { 1, 3 },
		{ 1, 2 }, { 184, 1000 }, { 9, 10 }, { 0, 1 } };
	enum kind kind = round % N_KINDS;
	size_t gap = 2, n_pat = 1 + below(&seed, 7), ends = below(&seed, 3);
	const uint64_t *rate = rates[below(&seed, 7)];

	reset(1 + below(&seed, 400));
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 5) == 0;
	kc.force.patient = below(&seed, 2);
	fill(kind, letters, kc.n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t m = 1 + below(&seed, below(&seed, 6) ? 20 : 75);

		add_pattern(kind, m, m * rate[0] / rate[1]);
		gap = gap > kc.k[i] + 2 ? gap : kc.k[i] + 2;
	}
	if (ends != 1)
		kc.p.over[0] = cost_of(below(&seed, 3) ? 0 : round);
	if (ends != 0)
		kc.p.over[1] = cost_of(below(&seed, 3) ? 0 : round + 1);
	if (below(&seed, 3))
		kc.p.min_overlap = (uint32_t)below(&seed, 12);
	if (below(&seed, 3))
		kc.p.per_overlap = (struct kdiff_ratio){ rate[0], rate[1] };
	cut_short(gap, below(&seed, 2) ? 20 : 60);
	return by_oracle(false, true);
}

int
main(void)
{
	sweep("limits", limits, 2000);
	sweep("parts", parts, 150);
	sweep("overhangs", small, 700);
	sweep("longer", longer, 12);
	return done();
}
