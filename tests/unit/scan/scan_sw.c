/* SPDX-License-Identifier: MIT */
/* scan_sw.c - letters to codes, codes to columns, alignments without a common
 * pair: against the letters they come from, and the textbook */
#include "scan/sw/sw_scan_priv.h"
#include "tests/lib/isas.h"
#include "tests/lib/sw_gen.h"

static const struct sw_codes_ops *const variants[] = {
	KERN_ALL(&sw_codes_ops)
};

enum { MOST = 700 };

static bool
planes_case(const struct sw_codes_ops *o, uint64_t *seed, size_t beg, size_t n,
	    bool exceptions)
{
	size_t words = (beg + n + 63) / 64;
	uint64_t *planes = malloc((2 * words + !words) * 8);
	uint64_t *exc = malloc((words + !words) * 8);
	uint8_t d[MOST + 128];
	bool good = true;

	for (size_t i = 0; i < 2 * words; i++)
		planes[i] = rnd(seed);
	for (size_t i = 0; i < words; i++)
		exc[i] = rnd(seed) & rnd(seed) & rnd(seed);
	memset(d, 99, sizeof d);
	o->planes(d, planes, exceptions ? exc : NULL, beg, n);
	for (size_t i = 0; i < n; i++) {
		size_t w = (beg + i) / 64, b = (beg + i) % 64;
		uint8_t want = (planes[2 * w] >> b & 1) |
			       (planes[2 * w + 1] >> b & 1) << 1;

		if (exceptions && exc[w] >> b & 1)
			want = SW_CODE_OTHER;
		good &= d[i] == want;
	}
	good &= d[n + 63] == 99 || n % 64;
	free(planes);
	free(exc);
	return good;
}

static bool
bytes_case(const struct sw_codes_ops *o, uint64_t *seed, size_t n)
{
	uint8_t code[256], d[MOST + 128], *s = calloc(n + !n, 1);
	bool strange = below(seed, 2), want = false, good = true;

	for (size_t i = 0; i < 256; i++)
		code[i] = i >= 128 || below(seed, 8) == 0 ? 255 :
			  (uint8_t)below(seed, SW_LETTERS);
	for (size_t i = 0; i < n; i++) {
		do
			s[i] = (uint8_t)below(seed, 128);
		while (code[s[i]] == 255);
		if (strange && below(seed, n) == 0) {
			s[i] = (uint8_t)below(seed, 256);
			want |= code[s[i]] == 255;
		}
	}
	good = o->bytes(d, s, n, code) == want;
	for (size_t i = 0; i < n; i++)
		good &= code[s[i]] == 255 || d[i] == code[s[i]];
	free(s);
	return good;
}

static void
codes(uint64_t *seed)
{
	for (size_t v = 0; v < n_isas(); v++) {
		bool planes = true, bytes = true;

		for (size_t i = 0; i < 3000; i++) {
			planes &= planes_case(variants[v], seed,
					      below(seed, 200),
					      below(seed, MOST - 300), i & 1);
			bytes &= bytes_case(variants[v], seed,
					    below(seed, MOST));
		}
		ok(planes, "%s: bit planes to codes", cpu_isa_name(isas[v]));
		ok(bytes, "%s: letters to codes", cpu_isa_name(isas[v]));
	}
}

/* A window with segments of random lengths, as window_build() lays them out. */
static size_t
make_window(struct window *w, struct window_seg *g, uint8_t *s,
	    uint64_t *seed)
{
	static const struct chunk_row row = { .name = { "s", 1 } };
	size_t n = 1 + below(seed, 6);
	uint64_t at = 0;

	memset(w, 0, sizeof *w);
	for (size_t i = 0; i < n; i++) {
		uint64_t own, context = below(seed, 3) ? below(seed, 140) : 0;

		own = below(seed, 4) ? below(seed, 140) : 64;
		g[i] = (struct window_seg){
			.row = &row, .beg = at, .from = at + context,
			.end = at + context + own,
			.origin = below(seed, 1000),
		};
		w->n = g[i].end;
		at = (g[i].end + 63) / 64 * 64;
	}
	for (uint64_t i = 0; i < w->n; i++)
		s[i] = (uint8_t)"ACGTN"[below(seed, 5)];
	w->bytes = s;
	w->seg = g;
	w->n_seg = n;
	return n;
}

static bool
columns_good(const struct sw_columns *l, const struct sw_scan *s,
	     const struct window *w)
{
	uint64_t at = 0;
	size_t k = 0;
	bool good = l->n % SW_BLOCK == 0;

	for (size_t i = 0; i < w->n_seg; i++) {
		const struct window_seg *g = &w->seg[i];
		uint64_t lead;

		if (g->from == g->end)
			continue;
		good &= k < l->n_seg && l->seg[k].beg == at &&
			l->seg[k].own % SW_BLOCK == 0 &&
			l->seg[k].end % SW_BLOCK == 0 && l->place[k].from == g;
		lead = g->origin - l->place[k].origin;
		good &= lead < SW_BLOCK &&
			l->seg[k].own == at + lead + (g->from - g->beg);
		for (uint64_t c = at; c < l->seg[k].end; c++) {
			uint64_t x = g->beg + (c - at) - lead;
			uint8_t want = c - at < lead || x >= g->end ? SW_PAD :
				       s->by.code_of[w->bytes[x]];

			good &= l->codes.p[c] == want;
		}
		at = l->seg[k++].end;
	}
	return good && k == l->n_seg && at == l->n;
}

static void
columns(uint64_t *seed)
{
	static uint8_t text[6 * 400];
	struct sw_choice dna = { NULL, NULL, SW_UNSET, SW_UNSET, SW_UNSET,
				 SW_UNSET };
	struct window_seg seg[6];
	struct sw_columns l = { 0 };
	struct sw_scan s = { .codes = variants[n_isas() - 1] };
	struct window w;
	struct err e;
	bool good = sw_letters_choose(&s.by, &dna, &e) == 0;

	for (int i = 0; i < 2000; i++) {
		make_window(&w, seg, text, seed);
		good &= sw_columns_of(&l, &s, &w, &e) == 0 &&
			columns_good(&l, &s, &w);
	}
	ok(good, "columns: what is owned begins at a block, others are padded");
	text[w.n - 1] = '!';
	seg[w.n_seg - 1].from = w.n - 1;
	good = seg[w.n_seg - 1].end == seg[w.n_seg - 1].beg ||
	       (sw_columns_of(&l, &s, &w, &e) == ERR_FORMAT &&
		strstr(e.text, "'!'"));
	ok(good, "columns: a letter that the scoring does not know");
	sw_columns_free(&l);
}

/* One more alignment is the textbook's next one. */
static bool
same_hit(const struct sw_hit *h, const struct buf *ops,
	 const struct osw_hit *want)
{
	const uint32_t *v = (const uint32_t *)(const void *)ops->p;
	size_t at = 0;

	if (h->score != want->score || h->qbeg != want->qbeg ||
	    h->qend != want->qend || h->beg != want->beg ||
	    h->end != want->end)
		return false;
	for (size_t i = 0; i < ops->n / sizeof *v; i++)
		for (uint32_t k = 0; k < v[i] >> 4; k++, at++)
			if (at >= want->n_ops ||
			    want->ops[at] != "MIDNSHP=X"[v[i] & 15])
				return false;
	return at == want->n_ops;
}

/* Pieces that go through corners of tiles, with gaps that cost much. */
static struct swg_case
corners(uint64_t *seed, size_t side)
{
	struct swg_case c;

	swg_dna(&c.s, 9, -(int32_t)(1 + below(seed, 20)), 200, 3);
	swg_room(&c, 3 * side, 5 * side);
	swg_fill(seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(seed, SWG_RANDOM, 5, c.t, c.m);
	for (int i = 0; i < 12; i++) {
		size_t corner = side * (1 + below(seed, 2));
		size_t from = corner - 1 - below(seed, 8);
		size_t to = corner + below(seed, 8);
		size_t at = from + side * below(seed, 3);

		memcpy(c.t + at, c.q + from, to - from);
	}
	return c;
}

/*
 * Of one tile, of several small ones that paths go through, and of copies and
 * repeats whose alignments are beside each other.
 */
static struct swg_case
disjoint_input(struct sw_disjoint *d, uint64_t *seed)
{
	uint64_t kind = below(seed, 5);

	d->side = kind == 0 ? 0 : (size_t)32 << below(seed, 2);
	if (kind == 0)
		return swg_any(seed, 30, 120);
	if (kind == 1)
		return swg_family(seed, 20 + below(seed, 80),
				  below(seed, 400));
	if (kind == 2)
		return corners(seed, d->side);
	return swg_any(seed, 150, 400);
}

static bool
disjoint_case(struct sw_disjoint *d, const struct swg_case *input, size_t k,
	      struct buf *ops, uint64_t *seed)
{
	struct swg_case c = *input;
	struct osw_scoring s;
	int64_t least = (int64_t)(1 + below(seed, 8));
	struct osw_hits want = { 0 };
	struct sw_hit h;
	struct osw x;
	struct err e;
	bool good;

	swg_oracle(&c.s, &s);
	x = osw_new(&s, (struct osw_query){ c.q, c.n, false },
		    (struct osw_subject){ c.t, c.m, 0 }, 0);
	osw_waterman_eggert(&x, least, k, &want);
	d->s = &c.s;
	d->same = s.same;
	d->query = c.q;
	d->text = c.t;
	d->m = c.n;
	d->n = c.m;
	good = sw_disjoint_begin(d, &e) == 0;
	for (size_t i = 0; i < want.n; i++)
		good &= sw_disjoint_next(d, least, &h, ops, &e) == 1 &&
			same_hit(&h, ops, &want.v[i]);
	if (want.n < k)
		good &= sw_disjoint_next(d, least, &h, ops, &e) == 0;
	osw_hits_free(&want);
	osw_free(&x);
	swg_free(&c);
	return good;
}

static void
disjoint(uint64_t *seed)
{
	const uint64_t rounds = fewer(600);
	struct sw_disjoint d = { 0 };
	struct buf ops = { 0 };

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t before = *seed;
		struct swg_case c = disjoint_input(&d, seed);

		if (!disjoint_case(&d, &c, 1 + below(seed, 12), &ops, seed))
			ok(0, "waterman-eggert: seed %llx",
			   (unsigned long long)before);
	}
	ok(1, "waterman-eggert: %llu cases as in the textbook",
	   (unsigned long long)rounds);
	sw_disjoint_free(&d);
	buf_free(&ops);
}

static bool
same_next(struct sw_disjoint *all, struct sw_disjoint *some, struct buf ops[2])
{
	struct sw_hit a, b;
	struct err e;

	int got = sw_disjoint_next(all, 1, &a, &ops[0], &e);

	if (sw_disjoint_next(some, 1, &b, &ops[1], &e) != got)
		return false;
	return !got || (a.score == b.score && a.qbeg == b.qbeg &&
			a.qend == b.qend && a.beg == b.beg &&
			a.end == b.end && ops[0].n == ops[1].n &&
			!memcmp(ops[0].p, ops[1].p, ops[0].n));
}

/* A long text between pads: whole columns of blocks. */
struct long_text {
	struct swg_case c;	/* its text is not used */
	uint8_t *text;
	size_t at, n, all, k;
};

static void
long_room(struct long_text *x, uint64_t *seed, size_t n, size_t k)
{
	x->at = below(seed, SW_BLOCK);
	x->n = n;
	x->k = k;
	x->all = (x->at + n + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
	x->text = malloc(x->all + SW_BLOCK);
	memset(x->text, SW_PAD, x->all + SW_BLOCK);
}

/* Of any kind, with copies, near each other some of them. */
static void
long_any(struct long_text *x, uint64_t *seed)
{
	struct swg_case *c = &x->c;
	size_t places = below(seed, 40), at = 0;

	*c = swg_any(seed, 20, 0);
	long_room(x, seed, 1000 + below(seed, 9000), 1 + below(seed, 6));
	swg_fill(seed, (enum swg_kind)below(seed, SWG_KINDS), c->s.letters,
		 x->text + x->at, x->n);
	for (; places; places--) {
		at = below(seed, 3) ? below(seed, x->n) :
				      (at + below(seed, 2 * c->n)) % x->n;
		swg_copy(seed, c->s.letters, x->text + x->at, x->n, at, c->q,
			 c->n, (unsigned)below(seed, 20));
	}
}

/* Halves of the query so far apart that their tops are two, and yet one
 * alignment: fewer alignments reach a score than tops. */
static void
long_halves(struct long_text *x, uint64_t *seed)
{
	struct swg_case *c = &x->c;
	const size_t half = 100, gap = 17 * SW_BLOCK;

	*c = (struct swg_case){ 0 };
	swg_dna(&c->s, 20, -20, 500, 1);
	swg_room(c, 2 * half, 0);
	swg_fill(seed, SWG_RANDOM, 5, c->q, c->n);
	long_room(x, seed, 75000, 5);
	swg_fill(seed, SWG_RANDOM, 5, x->text + x->at, x->n);
	for (size_t i = 0; i < 4; i++) {
		size_t at = 18000 * i + below(seed, 15000);

		swg_copy(seed, 4, x->text + x->at, x->n, at, c->q, half, 0);
		swg_copy(seed, 4, x->text + x->at, x->n, at + half + gap,
			 c->q + half, half, 0);
	}
}

/* Computed as a whole and in part; *left counts texts of which half of the
 * cells are left out. */
static bool
disjoint_part(struct sw_disjoint *d, const struct long_text *x,
	      struct sw_work *work, struct buf ops[2], uint64_t *left)
{
	struct sw_seg seg = { 0, x->all, 0 };
	uint8_t same[SW_LETTERS];
	struct sw_meter meter = { 0 };
	struct sw_query *q;
	bool good = true;
	struct err e;

	for (size_t i = 0; i < SW_LETTERS; i++)
		same[i] = (uint8_t)i;
	if (sw_query_new(&q, &x->c.s, x->c.q, x->c.n, false, SW_AUTO, &e))
		abort();
	for (int i = 0; i < 2; i++) {
		d[i].s = &x->c.s;
		d[i].same = same;
		d[i].query = x->c.q;
		d[i].text = x->text + x->at;
		d[i].m = x->c.n;
		d[i].n = x->n;
	}
	d[1].q = q;
	d[1].around = (struct sw_text){ x->text, x->all, &seg, 1, { 0 } };
	d[1].at = x->at;
	d[1].wanted = x->k;
	d[1].work = work;
	d[1].meter = &meter;
	if (sw_disjoint_begin(d, &e) || sw_disjoint_begin(d + 1, &e))
		abort();
	*left += meter.more && meter.more < x->c.n * x->n / 2;
	for (size_t i = 0; i < x->k && good; i++)
		good = same_next(d, d + 1, ops);
	sw_query_free(q);
	return good;
}

static void
disjoint_parts(uint64_t *seed)
{
	const uint64_t rounds = fewer(200);
	struct sw_disjoint d[2] = { { 0 } };
	struct buf ops[2] = { { 0 } };
	struct sw_work *work;
	uint64_t good = 0, left = 0;
	struct err e;

	if (sw_work_new(&work, &e))
		abort();
	for (uint64_t i = 0; i < rounds; i++) {
		struct long_text x;

		if (i % 16)
			long_any(&x, seed);
		else
			long_halves(&x, seed);
		d[0].side = d[1].side = (size_t)32 << below(seed, 3);
		/* again, too, with borders that are there already */
		good += disjoint_part(d, &x, work, ops, &left) &&
			(i % 16 || disjoint_part(d, &x, work, ops, &left));
		swg_free(&x.c);
		free(x.text);
	}
	ok(good == rounds && left > rounds / 10, "waterman-eggert: %llu of "
	   "%llu long texts in part, less than half of %llu",
	   (unsigned long long)good, (unsigned long long)rounds,
	   (unsigned long long)left);
	sw_work_free(work);
	for (int i = 0; i < 2; i++) {
		sw_disjoint_free(&d[i]);
		buf_free(&ops[i]);
	}
}

/* Scores of more than 32 bits hold, in tiles of the usual size. */
static void
disjoint_large(uint64_t *seed)
{
	const size_t n = 1100;
	struct sw_disjoint d = { 0 };
	struct buf ops = { 0 };
	struct swg_case c;

	swg_dna(&c.s, 1000000, -1000000, 1000000, 1000);
	swg_room(&c, n, n + 50);
	swg_fill(seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(seed, SWG_RANDOM, 5, c.t, c.m);
	swg_copy(seed, 4, c.t, c.m, 20, c.q, c.n, 1);
	ok(disjoint_case(&d, &c, 2, &ops, seed),
	   "waterman-eggert: scores of 10^9");
	sw_disjoint_free(&d);
	buf_free(&ops);
}

int
main(void)
{
	uint64_t seed = 0x5ca11;

	codes(&seed);
	columns(&seed);
	disjoint(&seed);
	disjoint_parts(&seed);
	disjoint_large(&seed);
	return done();
}
