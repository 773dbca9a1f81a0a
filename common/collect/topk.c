/* SPDX-License-Identifier: MIT */
/*
 * topk.c - the best hits of each group by a total order, in bounded memory
 *
 * Rows pass up to six stages, each of which sorts them:
 * 	join	(SCAN_CLASS, SCAN_BEST) class, best first: of SCAN_CLASS the
 * 		first of each stays
 * 	limit	(the same with topk_limit()) query, best first: so many stay
 * 	light	(--drop-shadows) query, subject, strand, begin: collect.h
 * 	apart	(--no-overlap) query, subject, best first: greedy by rank
 * 	best	group, best first: the n best of each group stay
 * 	final	the order of the output
 * and a stage is left out if it has nothing to do.  Equal rows are neighbours
 * in each order; all but the first are dropped.
 *
 * Parts may be cut to their n best classes before they are merged.  Let r, of
 * class C, be among the n best of all rows joined.  In each part that holds r
 * it is the best of C.  Were it cut there, n other classes of its group would
 * have rows that precede r; and so would the best rows of these classes in
 * all: the best of a class never stands behind another of its rows but where
 * both differ in no more than qbeg and CIGAR of a hit on the minus strand, and
 * between two such rows of one class stands none of another one.  So n classes
 * precede r in all, and r is not among the n best.  What is kept beside the n
 * best cannot rise: each is a row of the whole.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/collect.h"

/* What is a group, and the orders, as collect.h spells them. */

static inline const char *
topk_group(enum topk_per per)
{
	static const char *const groups[] = {
		[PER_QUERY] = "q", [PER_SUBJECT] = "u", [PER_PAIR] = "qu",
		[PER_ALL] = "",
	};

	return groups[per];
}

static inline const char *
topk_best_order(const struct topk_params *p)
{
	static const char *const orders[][2] = {
		[PER_QUERY] = { "qs", "qos" }, [PER_SUBJECT] = { "usq",
		"uosq" }, [PER_PAIR] = { "qus", "quos" },
		[PER_ALL] = { "sq", "osq" },
	};

	return orders[p->per][p->sort == SORT_OFFTARGET];
}

static inline const char *
topk_final_order(const struct topk_params *p)
{
	if (p->sort == SORT_BEGIN)
		return p->by_run ? "rcubq" : "ubq";
	if (p->sort == SORT_SUBJECT)
		return "u";
	if (p->sort == SORT_SCAN)
		return "ueqk";
	if (p->sort == SORT_POSITION)
		return p->by_run ? "rcq" : "q";
	if (p->sort == SORT_OFFTARGET)
		return p->per == PER_ALL ? (p->by_run ? "rcosq" : "osq") :
					   (p->by_run ? "rcqos" : "qos");
	if (p->per == PER_ALL)
		return p->by_run ? "rcsq" : "sq";
	return p->by_run ? "rcqs" : "qs";
}

/* The best score of each query of SCAN_LEAST scans. */

struct least {	/* all zero: empty */
	struct least_of {
		uint32_t scan;
		bool used;
		uint64_t query;
		int64_t score;
	} *v;
	size_t n, cap;	/* cap: a power of two */
};

/* Runs and scans by number, called by the least of their names. */

/* Of a run or of a scan: the other one is empty. */
static int
key_cmp(const struct key *k, const struct run_key *run,
	const struct scan_key *scan)
{
	int c = run_key_cmp(&k->run, run);

	return c ? c : scan_key_cmp(&k->scan, scan);
}

/* The key takes the place of v[k->last], whose name is less, or is new. */
static int
key_put(struct keys *k, const struct run_key *run, const struct scan_key *scan,
	struct err *e)
{
	bool is_new = k->last == k->n;
	struct key n = { .rank = 0 };

	if (array_room(&k->v, &k->cap, k->n + 1, sizeof n, e))
		return e->code;
	if (!is_new)
		n = k->v[k->last];
	n.run = *run;
	n.scan = *scan;
	n.text = (struct buf){ 0 };
	if (!rec_own(&n.text, &n.run, &n.scan, NULL))
		return err_nomem(e, sizeof n);
	if (is_new && !index_set_number(&k->by_id, run->id | scan->id,
					scan->rule, k->n + 1)) {
		buf_free(&n.text);
		return err_nomem(e, sizeof n);
	}
	if (!is_new)
		buf_free(&k->v[k->last].text);
	k->renamed |= !is_new;
	k->n += is_new;
	k->ranked = false;
	k->v[k->last] = n;
	return 0;
}

/*
 * The index of the key, one of the two being empty.  Rows of a frame share
 * theirs: the last one found is tried first.
 */
static long
key_of(struct keys *k, const struct run_key *run, const struct scan_key *scan,
       struct err *e)
{
	const struct key *old = k->n ? &k->v[k->last] : NULL;

	if (!old || k->last >= k->n || old->run.id != run->id ||
	    old->scan.id != scan->id || old->scan.rule != scan->rule)
		k->last = min_u64(index_number(&k->by_id, run->id | scan->id,
					       scan->rule) - 1, k->n);
	if (k->last < k->n &&
	    (k->fixed || key_cmp(k->v + k->last, run, scan) <= 0))
		return (long)k->last;
	return key_put(k, run, scan, e) ? e->code : (long)k->last;
}

long
keys_run(struct keys *k, const struct run_key *run, struct err *e)
{
	static const struct scan_key none;

	return key_of(k, run, &none, e);
}

long
keys_scan(struct keys *k, const struct scan_key *scan, struct err *e)
{
	static const struct run_key none;

	return key_of(k, &none, scan, e);
}

static int
cmp_keys(const void *a, const void *b, void *v)
{
	const struct key *k = v, *y = &k[*(const uint32_t *)b];

	return key_cmp(&k[*(const uint32_t *)a], &y->run, &y->scan);
}

int
keys_rank(struct keys *k, struct err *e)
{
	uint32_t *by;

	if (k->ranked)
		return 0;
	by = malloc((k->n + 1) * sizeof *by);
	if (!by)
		return err_nomem(e, k->n * sizeof *by);
	for (size_t i = 0; i < k->n; i++)
		by[i] = (uint32_t)i;
	sort_with(by, k->n, sizeof *by, cmp_keys, k->v);
	for (size_t i = 0; i < k->n; i++)
		k->v[by[i]].rank = (uint32_t)i;
	k->ranked = true;
	free(by);
	return 0;
}

/* Of a scan whose rows a scanner chose, its limit, if it is higher than the one
 * it has; is there any such? */
static bool
keys_limit(struct keys *k, const struct scan_key *scan, uint64_t n)
{
	bool any = false;

	for (unsigned rule = SCAN_CLASS; rule < SCAN_RULES; rule++) {
		size_t at = index_number(&k->by_id, scan->id, rule) - 1;

		if (at >= k->n)
			continue;
		k->v[at].limit = n > k->v[at].limit ? n : k->v[at].limit;
		any |= n > 0;
	}
	return any;
}

static bool
keys_full(const struct keys *k, const struct scan_key *scan)
{
	for (unsigned rule = 0; rule < SCAN_RULES; rule++) {
		size_t at = index_number(&k->by_id, scan->id, rule) - 1;

		if (at < k->n && k->v[at].full)
			return true;
	}
	return false;
}

void
keys_free(struct keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_free(&k->v[i].text);
	index_free(&k->by_id);
	free(k->v);
	memset(k, 0, sizeof *k);
}

/* A hit as a row that sorts, and the orders of rows. */

static const uint8_t *
heap_of(const struct row *r)
{
	return (const uint8_t *)(r + 1);
}

static int
row_put(struct buf *b, uint32_t run, uint32_t scan, const struct hit *h,
	struct err *e)
{
	bool cigar = h->flags & HIT_CIGAR, letters = h->flags & HIT_LETTERS;
	struct row r = {
		.run = run, .scan = scan, .flags = h->flags,
		.query = h->query.ordinal, .subject = h->subject.ordinal,
		.qlen = h->query.len, .slen = h->subject.len,
		.qbeg = h->qbeg, .qend = h->qend, .send = h->send,
		/* one value for what is not known, so that it compares */
		.sbeg = h->flags & HIT_NO_SBEG ? h->send : h->sbeg,
		.edits = h->flags & HIT_EDITS ? h->edits : 0,
		.offtarget = h->flags & HIT_OFFTARGET ? h->offtarget + 1 : 0,
		.score = h->score,
		.n_cigar = cigar ? (uint32_t)h->n_cigar : 0,
		.n_qname = (uint32_t)h->query.name.n,
		.n_sname = (uint32_t)h->subject.name.n,
		.n_letters = letters ? (uint32_t)h->letters.n : 0,
	};
	uint64_t size = sizeof r + 4 * (uint64_t)r.n_cigar +
			(uint64_t)h->query.name.n + h->subject.name.n +
			(letters ? h->letters.n : 0) + 7;

	/* a frame has at most 1 GiB, so this is no hit of a stream */
	if (h->n_cigar > UINT32_MAX / 8 || size > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than 4 GiB");
	r.size = (uint32_t)(size & ~(uint64_t)7);
	b->n = 0;
	buf_put(b, &r, sizeof r);
	buf_put(b, h->cigar, 4 * (size_t)r.n_cigar);
	buf_put(b, h->query.name.p, r.n_qname);
	buf_put(b, h->subject.name.p, r.n_sname);
	buf_put(b, h->letters.p, r.n_letters);
	buf_zero(b, r.size - b->n);
	return b->bad ? err_nomem(e, r.size) : 0;
}

/* b becomes the row; ERR_NOMEM, ERR_LIMIT (4 GiB a row). */
static void
row_hit(const struct row *r, struct hit *h)
{
	const char *p = (const char *)heap_of(r) + 4 * (size_t)r->n_cigar;

	memset(h, 0, sizeof *h);
	h->query = (struct query_ref) { r->query, r->qlen,
					{ p, r->n_qname } };
	p += r->n_qname;
	h->subject = (struct subject_ref) { r->subject, r->slen,
					    { p, r->n_sname } };
	p += r->n_sname;
	h->letters = (struct str) { p, r->n_letters };
	h->qbeg = r->qbeg;
	h->qend = r->qend;
	h->sbeg = r->sbeg;
	h->send = r->send;
	h->score = r->score;
	h->edits = r->edits;
	h->offtarget = r->offtarget - (r->offtarget > 0);
	h->flags = r->flags;
	h->cigar = (const uint32_t *)(const void *)heap_of(r);
	h->n_cigar = r->n_cigar;
}

static int
cmp_cigar(const struct row *a, const struct row *b)
{
	const uint32_t *x = (const uint32_t *)(const void *)heap_of(a);
	const uint32_t *y = (const uint32_t *)(const void *)heap_of(b);
	uint32_t n = a->n_cigar < b->n_cigar ? a->n_cigar : b->n_cigar;

	for (uint32_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return cmp_u64(a->n_cigar, b->n_cigar);
}

static int
cmp_query(const struct row_order *o, const struct row *a, const struct row *b)
{
	int c = 0;

	if (a->scan != b->scan)
		c = cmp_u64(o->scans->v[a->scan].rank,
			    o->scans->v[b->scan].rank);
	return c ? c : cmp_u64(a->query, b->query);
}

/* On the minus strand a hit begins, along it, at qend. */
static int
cmp_start(const struct row *a, const struct row *b)
{
	int c = cmp_u64(a->flags & HIT_MINUS, b->flags & HIT_MINUS);

	if (c == 0)
		c = cmp_u64(a->sbeg, b->sbeg);
	if (c == 0)
		c = a->flags & HIT_MINUS ? cmp_u64(a->qend, b->qend) :
					   cmp_u64(a->qbeg, b->qbeg);
	return c;
}

static int
cmp_end(const struct row *a, const struct row *b)
{
	int c = cmp_u64(a->send, b->send);

	if (c == 0)
		c = a->flags & HIT_MINUS ? cmp_u64(b->qbeg, a->qbeg) :
					   cmp_u64(a->qend, b->qend);
	return c;
}

static int
cmp_by(const struct row_order *o, const char *by, const struct row *a,
       const struct row *b)
{
	int c = 0;

	for (; *by && c == 0; by++) {
		switch (*by) {
		case 'q':
			c = cmp_query(o, a, b);
			break;
		case 's':
			c = a->score > b->score ? -1 : a->score < b->score;
			break;
		case 'o':
			c = cmp_u64(b->offtarget, a->offtarget);
			break;
		case 'c':
			c = cmp_u64(o->scans->v[a->scan].rank,
				    o->scans->v[b->scan].rank);
			break;
		case 'k':
			c = cmp_start(a, b);
			break;
		case 'w':
			c = cmp_end(a, b);
			break;
		case 'e':
			c = cmp_u64(a->send, b->send);
			break;
		case 'b':
			c = cmp_u64(a->sbeg, b->sbeg);
			if (c == 0)
				c = cmp_u64(a->send, b->send);
			break;
		default: /* r, u */
			c = cmp_u64(o->runs->v[a->run].rank,
				    o->runs->v[b->run].rank);
			if (c == 0 && *by == 'u')
				c = cmp_u64(a->subject, b->subject);
		}
	}
	return c;
}

/* The keys that every order ends in, as far as they distinguish hits. */
static int
cmp_place(const struct row_order *o, const struct row *a, const struct row *b)
{
	const uint32_t shown = HIT_EDITS | HIT_CIGAR | HIT_NO_SBEG;
	int c = cmp_by(o, "u", a, b);

	if (c == 0)
		c = cmp_u64(a->send, b->send);
	if (c == 0)
		c = cmp_u64(a->qend, b->qend);
	if (c == 0)
		c = cmp_u64(a->sbeg, b->sbeg);
	if (c == 0)
		c = cmp_u64(a->flags & HIT_MINUS, b->flags & HIT_MINUS);
	/* before the CIGAR, which scanners that keep the best cut without */
	if (c == 0)
		c = cmp_u64(a->qbeg, b->qbeg);
	if (c == 0)
		c = cmp_cigar(a, b);
	if (c == 0)
		c = cmp_by(o, "sq", a, b);
	if (c == 0)
		c = cmp_u64(a->edits, b->edits);
	if (c == 0)
		c = cmp_u64(b->offtarget, a->offtarget);
	return c ? c : cmp_u64(a->flags & shown, b->flags & shown);
}

int
row_cmp(const struct row_order *o, const struct row *a, const struct row *b)
{
	int c = cmp_by(o, o->by, a, b);

	if (c == 0)
		c = cmp_place(o, a, b);
	/* Of equal hits the one that knows more comes first, and stays. */
	if (c == 0)
		c = cmp_u64(b->flags & HIT_LETTERS, a->flags & HIT_LETTERS);
	if (c == 0)
		c = cmp_u64(a->slen, b->slen);
	if (c == 0)
		c = cmp_u64(a->qlen, b->qlen);
	if (c == 0)
		c = cmp_u64(a->size, b->size);
	return c ? c : memcmp(heap_of(a), heap_of(b), a->size - sizeof *a);
}

static bool
row_same(const struct row_order *o, const struct row *a, const struct row *b)
{
	return cmp_place(o, a, b) == 0;
}

/* The same hit: the same columns of text. */
static bool
row_same_group(const struct row_order *o, const char *group,
	       const struct row *a, const struct row *b)
{
	return cmp_by(o, group, a, b) == 0;
}

/* The best score of each query of SCAN_LEAST scans. */

static struct least_of *
find(const struct least *l, uint32_t scan, uint64_t query)
{
	uint64_t key[2] = { scan, query };
	size_t i = hash64(key, sizeof key, 0) & (l->cap - 1);

	while (l->v[i].used &&
	       (l->v[i].scan != scan || l->v[i].query != query))
		i = (i + 1) & (l->cap - 1);
	return &l->v[i];
}

static int
grow(struct least *l, struct err *e)
{
	size_t cap = l->cap, want = cap ? 2 * cap : 64;
	struct least_of *old = l->v, *v;

	if (l->n < cap / 2)
		return 0;
	v = calloc(want, sizeof *v);
	if (!v)
		return err_nomem(e, want * sizeof *v);
	l->v = v;
	l->cap = want;
	for (size_t i = 0; i < cap; i++)
		if (old[i].used)
			*find(l, old[i].scan, old[i].query) = old[i];
	free(old);
	return 0;
}

/* 1 if the score is as good as any of its query so far, 0, or ERR_NOMEM. */
static int
least_take(struct least *l, uint32_t scan, uint64_t query, int64_t score,
	   struct err *e)
{
	struct least_of *of;
	int r = grow(l, e);

	if (r < 0)
		return r;
	of = find(l, scan, query);
	if (of->used && score < of->score)
		return 0;
	l->n += !of->used;
	*of = (struct least_of) { scan, true, query, score };
	return 1;
}

static bool
least_beats(const struct least *l, uint32_t scan, uint64_t query,
	    int64_t score)
{
	return score < find(l, scan, query)->score;
}

/* Is there a better one of the query, of which one was taken? */
static void
least_free(struct least *l)
{
	free(l->v);
	memset(l, 0, sizeof *l);
}

/* The best hits of each group by a total order, in bounded memory. */

enum { MEMORY = 64 << 20, MAX_STAGES = 4 };

struct stage {
	enum { JOIN, LIMIT, LIGHT, APART, BEST, FINAL } does;
	const char *group;	/* a cut counts in each */
	struct topk *t;
	struct row_order order;
	struct sorter *sorter;
};

/* Runs over sorted rows and says which of them stay. */
struct keeper {
	const struct row *last;	/* the row before, taken or not */
	uint64_t count;		/* taken of the group */
	int64_t nth;		/* what the one taken last scores */
};

struct topk {
	struct topk_params p;
	struct keys runs, scans;
	struct stage stage[MAX_STAGES];
	size_t n_stages;
	struct stage join, limit;	/* sorter NULL: not needed yet */
	bool limited;
	struct least least;
	struct overlap overlap;
	struct shadow shadow;
	const struct row *waits;	/* of LIGHT, to be added to shadow; or
					   NULL */
	struct row added;		/* the one before it, but its heap */
	uint64_t from;			/* no row to come begins before it */
	struct keeper keeper;		/* of topk_next() */
	struct buf row, last, piece;
};

static bool
beaten(struct topk *t, const struct row *r)
{
	return t->scans.v[r->scan].scan.rule == SCAN_LEAST &&
	       least_beats(&t->least, r->scan, r->query, r->score);
}

/*
 * May all but the n best of a group be forgotten before all rows are there?
 * Not if a row among them can be dropped later for what another group holds:
 * a better score of its query (SCAN_LEAST), which frees its place.
 */
static bool
may_cut(const struct topk *t)
{
	return !t->least.n || t->p.per == PER_QUERY || t->p.per == PER_PAIR;
}

/* How many of a group stay after the stage; 0: all.  early: more may come. */
static uint64_t
cut_of(const struct stage *s, const struct row *r, bool early)
{
	if (s->does == LIMIT)
		return s->t->scans.v[r->scan].limit;
	return s->does == BEST && (!early || may_cut(s->t)) ? s->t->p.n : 0;
}

/* What ties go by. */
static int64_t
value_of(const struct stage *s, const struct row *r)
{
	return s->t->p.sort == SORT_OFFTARGET ? (int64_t)r->offtarget :
						r->score;
}

/* Does the row, next in the stage's order, stay? */
static bool
keep(const struct stage *s, struct keeper *k, bool early, const struct row *r)
{
	const struct row *last = k->last;
	bool first = !last || !row_same_group(&s->order, s->group, last, r);
	uint64_t n = cut_of(s, r, early);

	k->last = r;
	if (s->does == JOIN && s->t->scans.v[r->scan].scan.rule == SCAN_CLASS)
		return first;
	if (last && row_same(&s->order, last, r))
		return false;
	if (first)
		k->count = 0;
	if (beaten(s->t, r))
		return false;
	if (s->does == LIMIT && n && k->count + 1 >= n)
		s->t->scans.v[r->scan].full = true;
	if (n && k->count >= n)
		return s->does == BEST && s->t->p.keep_ties &&
		       value_of(s, r) == k->nth;
	k->count++;
	k->nth = value_of(s, r);
	return true;
}

static int
cmp_stage(const void *a, const void *b, void *ctx)
{
	const struct stage *s = ctx;

	return row_cmp(&s->order, *(const struct row *const *)a,
		       *(const struct row *const *)b);
}

static size_t
trim(const void **v, size_t n, void *ctx)
{
	const struct stage *s = ctx;
	struct keeper k = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (keep(s, &k, true, v[i]))
			v[kept++] = v[i];
	return kept;
}

/* Places of runs and scans: once for all rows, however many keys they have. */
static int
rank(void *ctx, struct err *e)
{
	struct topk *t = ((const struct stage *)ctx)->t;
	int r = keys_rank(&t->runs, e);

	return r < 0 ? r : keys_rank(&t->scans, e);
}

static int
open_stage(struct topk *t, struct stage *s, int does, const char *group,
	   const char *by, struct err *e)
{
	struct sorter_ops ops = { .cmp = cmp_stage, .trim = trim, .ctx = s,
				  .prepare = rank };

	s->does = does;
	s->group = group;
	s->t = t;
	s->order = (struct row_order) { by, &t->runs, &t->scans };
	/* one is read and one written, while another one waits for more */
	return sorter_new(&s->sorter, &ops, t->p.memory / 3, e);
}

static int
add_stage(struct topk *t, int does, const char *by, struct err *e)
{
	return open_stage(t, &t->stage[t->n_stages++], does,
			  topk_group(t->p.per), by, e);
}

void
topk_words(struct topk_params *p, const char *per, const char *ties,
	   const char *sort)
{
	p->per = *per == 'q' ? PER_QUERY : *per == 's' ? PER_SUBJECT :
		 *per == 'p' ? PER_PAIR : PER_ALL;
	p->keep_ties = *ties == 'k';
	p->sort = *sort == 'p' ? SORT_POSITION :
		  *sort == 'o' ? SORT_OFFTARGET :
		  *sort == 'b' ? SORT_BEGIN : SORT_SCORE;
}

int
topk_new(struct topk **out, const struct topk_params *p, struct err *e)
{
	struct topk *t = calloc(1, sizeof *t);
	int r = 0;

	if (!t)
		return err_nomem(e, sizeof *t);
	t->p = *p;
	if (!p->memory)
		t->p.memory = MEMORY;
	if (p->drop_shadows)
		r = add_stage(t, LIGHT, "quk", e);
	if (r == 0 && p->no_overlap.unit)
		r = add_stage(t, APART, "qus", e);
	if (r == 0 && p->n)
		r = add_stage(t, BEST, topk_best_order(p), e);
	if (r == 0 && (!p->n ||
		       strcmp(topk_best_order(p), topk_final_order(p))))
		r = add_stage(t, FINAL, topk_final_order(p), e);
	if (r < 0)
		topk_free(t);
	else
		*out = t;
	return r;
}

void
topk_free(struct topk *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_stages; i++)
		sorter_free(t->stage[i].sorter);
	sorter_free(t->join.sorter);
	sorter_free(t->limit.sorter);
	keys_free(&t->runs);
	keys_free(&t->scans);
	overlap_free(&t->overlap);
	shadow_free(&t->shadow);
	buf_free(&t->row);
	buf_free(&t->last);
	buf_free(&t->piece);
	least_free(&t->least);
	free(t);
}

/*
 * A lesser name of a run or scan may move it in the order.  That is harmless
 * until rows were sorted by the old one; then ties between runs may have been
 * cut the wrong way, which cannot be mended here.
 */
static int
renamed(struct topk *t, struct err *e)
{
	bool many = t->runs.n > 1 || t->scans.n > 1;

	t->runs.renamed = t->scans.renamed = false;
	if (!many || (!sorter_sorted(t->stage[0].sorter) &&
		      !(t->join.sorter && sorter_sorted(t->join.sorter))))
		return 0;
	return err_set(e, ERR_LIMIT, "parts of one run or scan came under "
		       "several names and too many rows to be sorted again: "
		       "give all parts the same file name");
}

/* What the options need of rows. */
static int
check_row(const struct topk *t, const struct scan_key *scan,
	  const struct hit *h, struct err *e)
{
	const char *word = t->p.drop_shadows ? "--drop-shadows" :
					       "--no-overlap";

	if (t->p.sort == SORT_BEGIN && h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "--sort=begin, -O bed: there are "
			       "rows without a beginning (asm-scan --ends)");
	if (!topk_needs_all(&t->p))
		return 0;
	if (hit_over_origin(h))
		return err_set(e, ERR_USAGE, "%s: not with hits over the "
			       "origin of a circular sequence", word);
	if (h->flags & HIT_NO_SBEG)
		return err_set(e, ERR_USAGE, "%s: there are "
			       "rows without a beginning (asm-scan --ends)",
			       word);
	if (t->p.drop_shadows &&
	    (scan->rule >= SCAN_CLASS || !(h->flags & HIT_EDITS)))
		return err_set(e, ERR_USAGE, "--drop-shadows is for hits of "
			       "asm-scan: of local alignments a part has "
			       "fewer edits than the whole (--no-overlap)");
	return 0;
}

/* Where a row of the scan goes first. */
static int
first_sorter(struct topk *t, const struct scan_key *scan, struct stage **s,
	     struct err *e)
{
	int r = 0;

	if (scan->rule < SCAN_CLASS) {
		*s = &t->stage[0];
		return 0;
	}
	if (!t->join.sorter)
		r = open_stage(t, &t->join, JOIN, "quk", "quksw", e);
	*s = &t->join;
	return r;
}

/* A row goes into the last sorter, maybe in two pieces. */
static int
add_final(struct topk *t, struct sorter *to, const struct row *r,
	  struct err *e)
{
	struct hit h;
	int rc;

	if (!t->p.split || !(r->flags & HIT_CIRCULAR) || r->send <= r->slen)
		return sorter_add(to, r, e);
	row_hit(r, &h);
	h.flags |= HIT_PIECE;
	h.qbeg = h.sbeg;
	h.qend = h.send;
	h.send = h.subject.len;
	rc = row_put(&t->piece, r->run, r->scan, &h, e);
	if (rc == 0)
		rc = sorter_add(to, t->piece.p, e);
	h.send = h.qend - h.subject.len;
	h.sbeg = 0;
	if (rc == 0)
		rc = row_put(&t->piece, r->run, r->scan, &h, e);
	return rc ? rc : sorter_add(to, t->piece.p, e);
}

/* The same into any of them. */
static int
add_to(struct stage *s, const struct row *r, struct err *e)
{
	return s->does == FINAL ? add_final(s->t, s->sorter, r, e) :
				  sorter_add(s->sorter, r, e);
}

int
topk_add(struct topk *t, const struct run_key *run,
	 const struct scan_key *scan, const struct hit *h, struct err *e)
{
	long ri = keys_run(&t->runs, run, e), si;
	struct stage *first = NULL;
	int r;

	if (check_row(t, scan, h, e))
		return e->code;
	si = ri < 0 ? ri : keys_scan(&t->scans, scan, e);
	if (si < 0)
		return (int)si;
	if (t->runs.renamed || t->scans.renamed) {
		r = renamed(t, e);
		if (r < 0)
			return r;
	}
	if (scan->rule == SCAN_LEAST) {
		r = least_take(&t->least, (uint32_t)si, h->query.ordinal,
			       h->score, e);
		if (r <= 0)
			return r;
	}
	r = row_put(&t->row, (uint32_t)ri, (uint32_t)si, h, e);
	if (r == 0)
		r = first_sorter(t, scan, &first, e);
	return r < 0 ? r : add_to(first, (const struct row *)
				  (const void *)t->row.p, e);
}

/* The keeper's last row must outlive the sorter's. */
static int
remember(struct topk *t, struct keeper *k, struct err *e)
{
	t->last.n = 0;
	buf_put(&t->last, k->last, k->last->size);
	k->last = (const struct row *)(const void *)t->last.p;
	return t->last.bad ? err_nomem(e, 0) : 0;
}

/* 1 if the row stays after the stage, 0 if not. */
static int
passes(struct stage *s, struct keeper *k, const struct row *r, struct err *e)
{
	struct topk *t = s->t;

	if (s->does == APART && k->last &&
	    !row_same_group(&s->order, "qu", k->last, r))
		overlap_clear(&t->overlap);
	if (!keep(s, k, t->p.partial, r))
		return 0;
	if (s->does == APART)
		return overlap_take(&t->overlap, r->sbeg, r->send,
				    t->p.no_overlap, e);
	return 1;
}

/* 1 and the next row that stays, 0 at the end; of LIGHT, which may be
 * shadows. */
static int
next_kept(struct stage *s, struct keeper *k, const struct row **row,
	 struct err *e)
{
	const void *p;
	int r;

	while (true) {
		if (k->last && k->last != (const void *)s->t->last.p &&
		    (r = remember(s->t, k, e)) < 0)
			return r;
		r = sorter_next(s->sorter, &p, e);
		if (r <= 0)
			return r;
		r = passes(s, k, p, e);
		if (r < 0)
			return r;
		if (r > 0) {
			*row = p;
			return 1;
		}
	}
}

/* Another row, which waits until those are out that it cannot hide. */
static int
next_light(struct stage *s, struct keeper *k, struct err *e)
{
	struct topk *t = s->t;
	const struct row *a = &t->added, *b;
	int r = next_kept(s, k, &b, e);

	if (r < 0)
		return r;
	t->waits = r ? b : NULL;
	t->from = r && row_same_group(&s->order, "qu", a, b) &&
		  !((a->flags ^ b->flags) & HIT_MINUS) ? b->sbeg : UINT64_MAX;
	return 0;
}

static int
add_light(struct topk *t, struct err *e)
{
	const struct row *w = t->waits;
	struct shadow_of x = { .beg = w->sbeg, .end = w->send,
			       .edits = w->edits };

	if (t->from == UINT64_MAX)	/* the first of its group */
		shadow_clear(&t->shadow);
	t->added = *w;
	t->waits = NULL;
	return shadow_add(&t->shadow, &x, w, w->size, e);
}

/* 1 and the next row that stays, 0 at the end. */
static int
next_row(struct stage *s, struct keeper *k, const struct row **row,
	 struct err *e)
{
	struct topk *t = s->t;
	const void *p;
	int r = 0;

	if (s->does != LIGHT)
		return next_kept(s, k, row, e);
	if (!k->last)
		r = next_light(s, k, e);
	while (r == 0 && (r = shadow_next(&t->shadow, t->from, &p, e)) == 0) {
		if (!t->waits)
			return 0;
		r = add_light(t, e);
		if (r == 0)
			r = next_light(s, k, e);
	}
	if (r > 0)
		*row = p;
	return r;
}

/* What stays after a stage goes into the next one. */
static int
pour(struct stage *from, struct stage *to, struct err *e)
{
	struct keeper k = { 0 };
	const struct row *row;
	int r = sorter_finish(from->sorter, e);

	while (r >= 0 && (r = next_row(from, &k, &row, e)) > 0)
		r = add_to(to, row, e);
	sorter_free(from->sorter);
	from->sorter = NULL;
	return r;
}

void
topk_limit(struct topk *t, const struct scan_key *scan, uint64_t n)
{
	t->limited |= keys_limit(&t->scans, scan, n);
}

/* Rows of SCAN_CLASS and SCAN_BEST join the others. */
static int
pour_classes(struct topk *t, struct err *e)
{
	int r;

	if (!t->join.sorter)
		return 0;
	if (!t->limited)
		return pour(&t->join, &t->stage[0], e);
	r = open_stage(t, &t->limit, LIMIT, "q", "qs", e);
	if (r == 0)
		r = pour(&t->join, &t->limit, e);
	return r < 0 ? r : pour(&t->limit, &t->stage[0], e);
}

int
topk_full(struct topk *t, const struct scan_key *scan, struct err *e)
{
	int r = pour_classes(t, e);

	return r < 0 ? r : keys_full(&t->scans, scan);
}

int
topk_finish(struct topk *t, struct err *e)
{
	int r = pour_classes(t, e);
	size_t i = 0;

	for (; i + 1 < t->n_stages && r == 0; i++)
		r = pour(&t->stage[i], &t->stage[i + 1], e);
	return r < 0 ? r : sorter_finish(t->stage[i].sorter, e);
}

int
topk_next(struct topk *t, const struct run_key **run,
	  const struct scan_key **scan, struct hit *h, struct err *e)
{
	struct stage *s = &t->stage[t->n_stages - 1];
	const struct row *row;
	int r = next_row(s, &t->keeper, &row, e);

	if (r <= 0)
		return r;
	*run = &t->runs.v[row->run].run;
	*scan = &t->scans.v[row->scan].scan;
	row_hit(row, h);
	return 1;
}
