/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam.c - guides, and the search for their sites
 *
 * Blocks of text become bit planes; a PAM's places are an AND of shifted
 * planes.  At each place the letters outwards are one word, whatever strand
 * and side it is; guides are looked up by its letters (kdiff_pam_table.c), and
 * those found are verified, many at once (kdiff_pam_kern.c).  Where an outward
 * word has a letter that matches nothing, or tables do not pay, every guide is
 * verified.  What the kernels cannot take (guides with IUPAC codes, more than
 * PAM_MAX_K differences, m + k above 32; text sets) is searched as patterns
 * are, in a text turned so that an alignment ends at a PAM's edge: all ends
 * with at most k differences, of which those beside a PAM stay.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

enum { BLOCK = PAM_WORDS * 64, MAX_GROUP = UINT16_MAX };

/* A set's letters read on the other strand. */
static uint8_t
complement_set(uint8_t set)
{
	return (uint8_t)((set & DNA_A) << 3 | (set & DNA_C) << 1 |
			 (set & DNA_G) >> 1 | (set & DNA_T) >> 3);
}

static int
add_pam(struct kdiff_pam *g, size_t i, const char *letters, struct err *e)
{
	size_t n = strlen(letters);
	struct pam_letters *plus = &g->pam[0][i], *minus = &g->pam[1][i];
	double part = 1;

	if (n == 0 || n > KDIFF_MAX_PAM)
		return err_set(e, ERR_USAGE, "a PAM has 1 to %d letters",
			       KDIFF_MAX_PAM);
	plus->n = minus->n = (unsigned)n;
	for (size_t j = 0; j < n; j++) {
		uint8_t set = dna_set((uint8_t)letters[j]);

		if (!set)
			return err_set(e, ERR_USAGE, "letter %zu of the PAM %s "
				       "is not DNA", j + 1, letters);
		plus->set[j] = set;
		minus->set[n - 1 - j] = complement_set(set);
		part *= __builtin_popcount(set) / 4.;
	}
	g->density += part;
	g->longest = n > g->longest ? (unsigned)n : g->longest;
	return 0;
}

int
kdiff_pam_new(struct kdiff_pam **out, const struct kdiff_pam_params *p,
	      struct err *e)
{
	struct kdiff_params kp = { .alphabet = KDIFF_DNA,
				   .report = KDIFF_ALL, .iupac = p->iupac };
	struct kdiff_pam *g = calloc(1, sizeof *g);
	int rc = 0;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	if (pthread_mutex_init(&g->lock, NULL)) {
		free(g);
		return err_set(e, ERR_NOMEM, "no mutex");
	}
	g->p = *p;
	g->p.pam = NULL;
	g->ops = KERN_PICK(&pam_ops);
	g->density = p->n_pams == 0;
	if (p->n_pams > KDIFF_MAX_PAMS)
		rc = err_set(e, ERR_USAGE, "1 to %d PAMs", KDIFF_MAX_PAMS);
	for (size_t i = 0; i < p->n_pams && !rc; i++)
		rc = add_pam(g, i, p->pam[i], e);
	if (!rc)
		rc = kdiff_set_new(&g->set, &kp, e);
	if (rc)
		kdiff_pam_free(g);
	else
		*out = g;
	return rc;
}

/* Outwards to inwards: a guide as an alignment that ends at the edge reads
 * it. */
static int
add_turned(const struct kdiff_pam *g, struct kdiff_set *set,
	   const uint8_t *letters, size_t m, size_t k, struct err *e)
{
	uint8_t *turned;
	int rc;

	if (!g->p.before)
		return kdiff_set_add(set, letters, m, k, e);
	turned = malloc(m + 1);
	if (!turned)
		return err_nomem(e, m);
	for (size_t i = 0; i < m; i++)
		turned[i] = letters[m - 1 - i];
	rc = kdiff_set_add(set, turned, m, k, e);
	free(turned);
	return rc;
}

int
kdiff_pam_add(struct kdiff_pam *g, const uint8_t *letters, size_t m, size_t k,
	      struct err *e)
{
	struct pam_guide q = { .plain = true };

	/* checked forwards, so that a message names the letter's place */
	if (kdiff_pattern_check(g->set, letters, m, k, e) ||
	    add_turned(g, g->set, letters, m, k, e) ||
	    array_room(&g->guide, &g->cap, g->n + 1, sizeof q, e))
		return e->code;
	q.m = (uint32_t)m;
	q.k = (uint32_t)k;
	q.set = malloc(m);
	if (!q.set)
		return err_nomem(e, m);
	for (size_t i = 0; i < m; i++) {
		q.set[i] = dna_set(letters[g->p.before ? i : m - 1 - i]);
		q.plain &= (q.set[i] & (q.set[i] - 1)) == 0;
	}
	g->guide[g->n++] = q;
	g->max_mk = max_u64(g->max_mk, m + k);
	g->max_k = max_u64(g->max_k, k);
	return 0;
}

void
kdiff_pam_expect(struct kdiff_pam *g, uint64_t letters)
{
	g->expected = letters;
}

static void
group_free(struct pam_group *p)
{
	free(p->guide);
	free(p->lo);
	free(p->hi);
	kdiff_pam_tables_free(p);
}

void
kdiff_pam_free(struct kdiff_pam *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		free(g->guide[i].set);
	for (size_t i = 0; i < g->n_groups; i++)
		group_free(&g->group[i]);
	free(g->guide);
	free(g->group);
	free(g->rest);
	kdiff_set_free(g->set);
	kdiff_set_free(g->rest_set);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

unsigned
kdiff_pam_letters(const struct kdiff_pam *g, unsigned pam)
{
	return g->pam[0][pam].n;
}

uint64_t
kdiff_pam_context(const struct kdiff_pam *g)
{
	return g->max_mk + g->longest;
}

uint64_t
kdiff_pam_gap(const struct kdiff_pam *g)
{
	return g->max_k + 1;
}

int
kdiff_pam_work_new(struct kdiff_pam_work **out, struct err *e)
{
	struct kdiff_pam_work *w = calloc(1, sizeof *w);
	int rc;

	*out = NULL;
	if (!w)
		return err_nomem(e, sizeof *w);
	rc = kdiff_work_new(&w->kdiff, e);
	if (rc)
		kdiff_pam_work_free(w);
	else
		*out = w;
	return rc;
}

void
kdiff_pam_work_free(struct kdiff_pam_work *w)
{
	if (!w)
		return;
	kdiff_work_free(w->kdiff);
	kdiff_copy_free(&w->turned);
	kdiff_copy_free(&w->window);
	kdiff_limits_free(&w->limits);
	buf_free(&w->ops);
	free(w->site);
	free(w->letters);
	free(w->hit);
	free(w->path);
	free(w);
}

/* Groups of guides that kernels take, and the rest. */

static bool
is_for_kernels(const struct pam_guide *q)
{
	return q->plain && q->k <= PAM_MAX_K && q->m < 32 && q->m + q->k <= 32;
}

static struct pam_group *
group_of(struct kdiff_pam *g, const struct pam_guide *q, size_t *cap,
	 struct err *e)
{
	struct pam_group *p;

	for (size_t i = 0; i < g->n_groups; i++) {
		p = &g->group[i];
		if (p->m == q->m && p->k == q->k && p->n < MAX_GROUP)
			return p;
	}
	if (array_room(&g->group, cap, g->n_groups + 1, sizeof *p, e))
		return NULL;
	p = &g->group[g->n_groups++];
	memset(p, 0, sizeof *p);
	p->m = q->m;
	p->k = q->k;
	return p;
}

static int
group_words(struct kdiff_pam *g, struct pam_group *p, struct err *e)
{
	p->lo = calloc(p->n, sizeof *p->lo);
	p->hi = calloc(p->n, sizeof *p->hi);
	if (!p->lo || !p->hi)
		return err_nomem(e, p->n * sizeof *p->lo);
	for (size_t i = 0; i < p->n; i++)
		for (uint32_t j = 0; j < p->m; j++) {
			const uint8_t *set = g->guide[p->guide[i]].set;
			uint32_t code = (uint32_t)__builtin_ctz(set[j]);

			p->lo[i] |= (code & 1) << (31 - j);
			p->hi[i] |= code >> 1 << (31 - j);
		}
	for (size_t i = 0; i < p->n; i++) {
		g->guide[p->guide[i]].lo = p->lo[i];
		g->guide[p->guide[i]].hi = p->hi[i];
	}
	kdiff_pam_plan(p);
	return 0;
}

/* A guide that is none of a group's. */
static int
add_rest(struct kdiff_pam *g, uint32_t number, struct err *e)
{
	const struct pam_guide *q = &g->guide[number];
	struct kdiff_params kp = *kdiff_set_params(g->set);
	int rc = 0;

	if (!g->rest_set)
		rc = kdiff_set_new(&g->rest_set, &kp, e);
	if (!rc)
		rc = kdiff_set_add_part(g->rest_set, g->set, number, 0, q->m,
					q->k, e);
	if (!rc)
		g->rest[g->n_rest++] = number;
	return rc;
}

static int
make_groups(struct kdiff_pam *g, struct err *e)
{
	size_t cap = 0, *room = calloc(g->n + 1, sizeof *room);
	int rc;

	g->rest = calloc(g->n + 1, sizeof *g->rest);
	rc = room && g->rest ? 0 : err_nomem(e, g->n * sizeof *room);
	for (uint32_t i = 0; i < g->n && !rc; i++) {
		struct pam_group *p;

		if (!is_for_kernels(&g->guide[i])) {
			rc = add_rest(g, i, e);
			continue;
		}
		p = group_of(g, &g->guide[i], &cap, e);
		rc = !p ? e->code :
		     array_room(&p->guide, &room[p - g->group], p->n + 1,
				sizeof *p->guide, e);
		if (!rc)
			p->guide[p->n++] = i;
	}
	for (size_t i = 0; i < g->n_groups && !rc; i++)
		rc = group_words(g, &g->group[i], e);
	free(room);
	return rc;
}

static int
group_guides(struct kdiff_pam *g, struct err *e)
{
	int rc = 0;

	if (atomic_load(&g->grouped))
		return 0;
	pthread_mutex_lock(&g->lock);
	if (!atomic_load(&g->grouped) && !g->failed.code) {
		rc = make_groups(g, &g->failed);
		g->failed.code = rc;
		atomic_store(&g->grouped, !rc);
	}
	if (g->failed.code)
		*e = g->failed;
	rc = g->failed.code;
	pthread_mutex_unlock(&g->lock);
	return rc;
}

/* Tables once they pay: that many pairs come, or came, without them.  If they
 * are too large, all pairs are verified as before. */
static void
make_tables(struct kdiff_pam *g, struct pam_group *p, double pairs)
{
	double least = g->tables_at ? (double)g->tables_at :
		       kdiff_pam_tables_cost(p);

	if (!p->can_split || pairs < least || atomic_load(&p->ready))
		return;
	pthread_mutex_lock(&g->lock);
	if (p->can_split && !atomic_load(&p->ready)) {
		p->can_split = kdiff_pam_tables(g, p);
		atomic_store(&p->ready, p->can_split);
	}
	pthread_mutex_unlock(&g->lock);
}

/* Places of a PAM. */

uint8_t
kdiff_pam_letter(const struct kdiff_text *t, uint64_t at, bool minus)
{
	uint64_t w = at / 64;
	unsigned b = at % 64, code;
	uint8_t set = 0;

	if (t->sets) {
		for (unsigned i = 0; i < 4; i++)
			set |= (uint8_t)((t->sets[4 * w + i] >> b & 1) << i);
	} else if (!t->exc || !(t->exc[w] >> b & 1)) {
		code = (t->planes[2 * w] >> b & 1) |
		       (t->planes[2 * w + 1] >> b & 1) << 1;
		set = (uint8_t)(1 << code);
	}
	return minus ? complement_set(set) : set;
}

int
kdiff_pam_at(const struct kdiff_pam *g, const struct kdiff_text *t,
	     const struct kdiff_seg *s, uint64_t edge, bool minus)
{
	bool right = kdiff_pam_right(g, minus);

	for (size_t i = 0; i < g->p.n_pams; i++) {
		const struct pam_letters *p = &g->pam[minus][i];
		unsigned j = 0;

		if (right ? edge - s->beg < p->n : s->end - edge < p->n)
			continue;
		while (j < p->n && (kdiff_pam_letter(t, edge + j -
					(right ? p->n : 0), false) &
				    p->set[j]))
			j++;
		if (j == p->n)
			return (int)i;
	}
	return -1;
}

struct pam_range
kdiff_pam_range(const struct kdiff_pam *g, const struct kdiff_seg *s,
		bool right, uint64_t mk)
{
	uint64_t off = right ? mk : g->longest;
	bool rest = s->to == s->end;	/* also of a region: last is not set */
	struct pam_range r = { s->beg, s->end };

	if (s->from > s->beg + off)
		r.lo = s->from - off;
	if (rest)
		return r;
	if (s->to < s->beg + off)
		return (struct pam_range){ 1, 0 };
	r.hi = min_u64(s->to - off, s->end);
	return r;
}

/* Letters of a block, in bit planes. */

struct search {
	struct kdiff_pam *g;
	const struct kdiff_text *t;
	struct kdiff_pam_work *w;
	kdiff_site_fn *take;
	void *ctx;
	struct err *e;
	uint64_t base;		/* of the block */
	const struct pam_group *p;
	bool minus;
	const uint32_t *number;	/* of guides searched as patterns; or NULL */
};

/* Segments with letters of [beg, end), from the first of them on. */
static size_t
first_seg(const struct kdiff_text *t, uint64_t beg)
{
	size_t i = kdiff_seg_find(t, beg);

	return i < t->n_seg && t->seg[i].end <= beg ? i + 1 : i;
}

static void
load_ok(const struct search *x, uint64_t beg, uint64_t end)
{
	const struct kdiff_text *t = x->t;
	struct pam_block *b = &x->w->block;
	uint64_t first = beg / 64;

	memset(b->ok, 0, sizeof b->ok);
	for (size_t i = first_seg(t, beg); i < t->n_seg; i++) {
		uint64_t lo = max_u64(t->seg[i].beg, beg);
		uint64_t hi = min_u64(t->seg[i].end, end);

		if (t->seg[i].beg >= end)
			break;
		bits_set(b->ok, lo + PAM_PAD * 64 - x->base,
			 hi + PAM_PAD * 64 - x->base);
	}
	for (uint64_t i = first; t->exc && i < (end + 63) / 64; i++)
		b->ok[i + PAM_PAD - x->base / 64] &= ~t->exc[i];
	b->clean = true;
	for (size_t i = PAM_PAD - 1; i <= PAM_PAD + PAM_WORDS; i++)
		b->clean &= b->ok[i] == ~0ull;
}

static void
load_block(const struct search *x)
{
	const struct kdiff_text *t = x->t;
	struct pam_block *b = &x->w->block;
	uint64_t beg = x->base < PAM_PAD * 64 ? 0 : x->base - PAM_PAD * 64;
	uint64_t end = min_u64(t->n, x->base + (PAM_WORDS + PAM_PAD) * 64);
	size_t from = beg / 64 + PAM_PAD - x->base / 64;
	size_t to = (end + 63) / 64 + PAM_PAD - x->base / 64;

	load_ok(x, beg, end);
	memset(b->lo, 0, sizeof b->lo);
	memset(b->hi, 0, sizeof b->hi);
	for (size_t i = from; i < to; i++) {
		const uint64_t *p = t->planes +
				    2 * (x->base / 64 + i - PAM_PAD);

		b->lo[i] = p[0];
		b->hi[i] = p[1];
	}
	for (size_t i = 0; i < PAM_SPAN; i++) {
		uint64_t lo = b->lo[i], hi = b->hi[i], ok = b->ok[i];

		b->can[0][i] = ~lo & ~hi & ok;
		b->can[1][i] = lo & ~hi & ok;
		b->can[2][i] = ~lo & hi & ok;
		b->can[3][i] = lo & hi & ok;
	}
}

/* Edges of any PAM on the strand, in w->some; false: there is none. */
static bool
find_edges(const struct search *x)
{
	const struct kdiff_pam *g = x->g;
	struct kdiff_pam_work *w = x->w;
	bool right = kdiff_pam_right(g, x->minus);
	uint64_t any = 0;

	memset(w->some, g->p.n_pams ? 0 : 0xff, sizeof w->some);
	for (size_t i = 0; i < g->p.n_pams; i++) {
		const struct pam_letters *p = &g->pam[x->minus][i];

		g->ops->places(&w->block, p->set, p->n,
			       right ? -(int)p->n : 0, w->bits);
		for (size_t j = 0; j < PAM_WORDS; j++)
			any |= w->some[j] |= w->bits[j];
	}
	return any || !g->p.n_pams;
}

/* Those that the group's segments report, in w->bits. */
static void
own_edges(const struct search *x)
{
	const struct kdiff_text *t = x->t;
	struct kdiff_pam_work *w = x->w;
	bool right = kdiff_pam_right(x->g, x->minus);
	uint64_t end = x->base + BLOCK;

	memset(w->mask, 0, sizeof w->mask);
	for (size_t i = first_seg(t, x->base); i < t->n_seg; i++) {
		struct pam_range r = kdiff_pam_range(x->g, &t->seg[i], right,
						     x->p->m + x->p->k);

		if (t->seg[i].beg >= end)
			break;
		r.lo = max_u64(r.lo, x->base);
		r.hi = min_u64(r.hi + 1, end);
		if (r.lo < r.hi)
			bits_set(w->mask, r.lo - x->base, r.hi - x->base);
	}
	for (size_t i = 0; i < PAM_WORDS; i++)
		w->bits[i] = w->some[i] & w->mask[i];
}

/* Pairs of sites and guides. */

static int
give_sites(const struct search *x)
{
	struct kdiff_pam_work *w = x->w;
	size_t n = w->n_site;

	w->n_site = 0;
	return n ? x->take(x->ctx, w->site, n, x->e) : 0;
}

/* One site, if it keeps the limits. */
static int
add_site(const struct search *x, struct kdiff_site s)
{
	struct kdiff_pam_work *w = x->w;
	const struct kdiff_pam *g = x->g;
	int rc = 0;

	if (kdiff_limited(&g->p.max))
		rc = kdiff_pam_limits(g, x->t, &s, w, &s.dist, x->e);
	if (rc || s.dist > g->guide[s.guide].k)
		return rc;
	if (w->n_site == PAM_SITES && (rc = give_sites(x)))
		return rc;
	if (array_room(&w->site, &w->site_cap, w->n_site + 1, sizeof s, x->e))
		return x->e->code;
	w->site[w->n_site++] = s;
	return 0;
}

/* The pairs so far; second: of the second table. */
static int
verify_pairs(const struct search *x, const struct pam_sites *s, bool bad,
	     bool second)
{
	struct kdiff_pam_work *w = x->w;
	struct pam_guides guides = {
		.m = x->p->m, .k = x->p->k, .lo = x->p->lo, .hi = x->p->hi,
		.second = second, .first = x->p->first,
		.letters = x->p->table[0].letters,
	};
	int rc = 0;

	/* for a vector that is not full */
	for (size_t i = w->pairs.n; i < w->pairs.n + PAM_SPARE; i++)
		w->pairs.guide[i] = w->pairs.site[i] = 0;
	x->g->ops->verify(&guides, s, &w->pairs, bad, &w->hits);
	w->pairs.n = 0;
	for (size_t i = 0; i < w->hits.n && !rc; i++) {
		struct kdiff_site site = {
			.edge = x->base + s->at[w->hits.site[i]],
			.guide = x->p->guide[w->hits.guide[i]],
			.dist = w->hits.dist[i], .minus = x->minus,
			.lo = s->lo[w->hits.site[i]],
			.hi = s->hi[w->hits.site[i]], .whole = !bad,
		};

		if (x->g->p.n_pams > 1)
			site.pam = (uint8_t)kdiff_pam_at(x->g, x->t,
			    &x->t->seg[kdiff_seg_find(x->t, site.edge)],
			    site.edge, x->minus);
		rc = add_site(x, site);
	}
	return rc;
}

static int
verify_all(const struct search *x, const struct pam_sites *s, bool bad)
{
	struct pam_pairs *p = &x->w->pairs;
	int rc = 0;

	for (uint32_t g = 0; g < x->p->n && !rc; g++)
		for (size_t i = 0, n; i < s->n && !rc; i += n) {
			n = min_u64(s->n - i, PAM_PAIRS - p->n);
			for (size_t j = 0; j < n; j++) {
				p->site[p->n + j] = (uint32_t)(i + j);
				p->guide[p->n + j] = g;
			}
			p->n += n;
			if (p->n == PAM_PAIRS)
				rc = verify_pairs(x, s, bad, false);
		}
	return rc || !p->n ? rc : verify_pairs(x, s, bad, false);
}

static int
look_up(const struct search *x, const struct pam_sites *s, unsigned table)
{
	const struct pam_table *t = &x->p->table[table];
	struct kdiff_pam_work *w = x->w;
	const struct pam_ops *ops = x->g->ops;
	uint32_t skip = 0;
	int rc = 0;

	ops->lookup(t, s, &w->found);
	for (size_t i = 0; i < w->found.n && !rc;) {
		i = ops->pair(t, &w->found, i, &skip, &w->pairs);
		if (w->pairs.n)
			rc = verify_pairs(x, s, false, table);
	}
	return rc;
}

/*
 * Sites with a letter that matches nothing among those that may count.  An
 * alignment has m - k of the text's letters at least: more than k that match
 * nothing are too many.
 */
static void
split_off(struct pam_sites *s, struct pam_sites *slow, uint32_t m, uint32_t k)
{
	uint32_t mask = ~0u << (32 - m - k), least = ~0u << (32 - m + k);
	size_t n = 0;

	slow->n = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct pam_sites *to = s->bad[i] & mask ? slow : s;
		size_t j = to == s ? n : slow->n;

		if (s->bad[i] &&	/* seldom */
		    (uint32_t)__builtin_popcount(s->bad[i] & least) > k)
			continue;
		n += to == s;
		slow->n += to == slow;
		to->at[j] = s->at[i];
		to->lo[j] = s->lo[i];
		to->hi[j] = s->hi[i];
		to->bad[j] = s->bad[i];
	}
	s->n = n;
}

static int
search_sites(const struct search *x)
{
	struct pam_sites *s = &x->w->sites, *slow = &x->w->slow;
	struct pam_group *p = &x->g->group[x->p - x->g->group];
	int rc = 0;

	slow->n = 0;
	if (!x->w->block.clean)
		split_off(s, slow, p->m, p->k);
	if (!atomic_load(&p->ready))
		make_tables(x->g, p, (double)atomic_fetch_add(&p->pairs,
							      s->n * p->n));
	if (!atomic_load(&p->ready))
		rc = verify_all(x, s, false);
	else
		for (unsigned i = 0; i < p->n_tables && !rc; i++)
			rc = look_up(x, s, i);
	if (!rc && slow->n)
		rc = verify_all(x, slow, true);
	s->n = 0;
	return rc;
}

static int
search_block(struct search *x)
{
	struct kdiff_pam_work *w = x->w;
	bool right = kdiff_pam_right(x->g, x->minus);
	int rc = 0;

	if (!find_edges(x))
		return 0;
	for (size_t i = 0; i < x->g->n_groups && !rc; i++) {
		x->p = &x->g->group[i];
		own_edges(x);
		w->sites.n = 0;
		for (unsigned at = 0; at < PAM_WORDS && !rc;) {
			at = x->g->ops->sites(&w->block, w->bits, at, right,
					      x->minus ? ~0u : 0, &w->sites);
			if (w->sites.n)
				rc = search_sites(x);
		}
	}
	return rc;
}

static int
search_groups(struct search *x)
{
	const struct kdiff_text *t = x->t;
	struct kdiff_pam *g = x->g;
	uint64_t letters = max_u64(max_u64(t->n, t->whole), g->expected);
	double places = g->density * (double)letters *
			(g->p.plus + g->p.minus);
	int rc = 0;

	for (size_t i = 0; i < g->n_groups; i++)
		make_tables(g, &g->group[i],
			    places * (double)g->group[i].n / 2);
	for (x->base = 0; x->base <= t->n && !rc && g->n_groups;
	     x->base += BLOCK) {
		load_block(x);
		for (int minus = 0; minus < 2 && !rc; minus++) {
			x->minus = minus;
			if (minus ? g->p.minus : g->p.plus)
				rc = search_block(x);
		}
	}
	return rc;
}

/* Guides searched as patterns. */

/* Ends, and which of them are sites. */
static int
take_ends(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct search *x = ctx;
	const struct kdiff_pam *g = x->g;
	bool right = kdiff_pam_right(g, x->minus);
	int rc = 0;

	(void)e;
	for (size_t i = 0; i < n && !rc; i++) {
		const struct kdiff_seg *s =
		    &x->t->seg[kdiff_seg_find(x->t, v[i].end)];
		struct kdiff_site site = {
			.guide = x->number ? x->number[v[i].pattern] :
				 v[i].pattern,
			.dist = v[i].dist, .minus = x->minus,
			.edge = right ? s->beg + (s->end - v[i].end) :
				v[i].end,
		};
		const struct pam_guide *q = &g->guide[site.guide];
		struct pam_range r = kdiff_pam_range(g, s, right,
						     (uint64_t)q->m + q->k);
		int pam;

		if (site.edge < r.lo || site.edge > r.hi)
			continue;
		pam = kdiff_pam_at(g, x->t, s, site.edge, x->minus);
		site.pam = (uint8_t)pam;
		if (pam >= 0)
			rc = add_site(x, site);
	}
	return rc;
}

/* The text as read on a strand towards the PAMs; ends of all edges that some
 * guide's segments report. */
static int
turn_text(struct search *x, struct err *e)
{
	const struct kdiff_text *t = x->t;
	struct kdiff_copy *to = &x->w->turned;
	bool right = kdiff_pam_right(x->g, x->minus);
	int rc = kdiff_copy_room(to, t, t->n, t->n_seg, e);

	for (size_t i = 0; i < t->n_seg && !rc; i++) {
		const struct kdiff_seg *s = &t->seg[i];
		struct kdiff_turn turn = { t, s->beg, s->end, right, x->minus };

		kdiff_copy_put(&turn, to, s->beg);
		to->seg[i] = *s;
		to->seg[i].from = s->beg + 1;
		to->seg[i].to = s->end;
	}
	to->text.n_seg = t->n_seg;
	return rc;
}

static int
search_as_patterns(struct search *x, const struct kdiff_set *set)
{
	int rc = 0;

	for (int minus = 0; minus < 2 && !rc; minus++) {
		x->minus = minus;
		if (!(minus ? x->g->p.minus : x->g->p.plus))
			continue;
		rc = turn_text(x, x->e);
		if (!rc)
			rc = kdiff_each(set, &x->w->turned.text, x->w->kdiff,
					take_ends, x, x->e);
	}
	return rc;
}

int
kdiff_pam_each(struct kdiff_pam *g, const struct kdiff_text *text,
	       struct kdiff_pam_work *w, kdiff_site_fn *take, void *ctx,
	       struct err *e)
{
	struct search x = { .g = g, .t = text, .w = w, .take = take,
			    .ctx = ctx, .e = e };
	int rc = 0;

	w->n_site = 0;
	if (text->n_seg == 0 || g->n == 0)
		return 0;
	if (text->sets) {
		rc = search_as_patterns(&x, g->set);
		return rc ? rc : give_sites(&x);
	}
	rc = group_guides(g, e);
	if (!rc)
		rc = search_groups(&x);
	if (!rc && g->n_rest) {
		x.number = g->rest;
		rc = search_as_patterns(&x, g->rest_set);
	}
	return rc ? rc : give_sites(&x);
}
