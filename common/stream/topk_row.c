/* SPDX-License-Identifier: MIT */
/* topk_row.c - a hit as a row that sorts, and the orders of rows */
#define _GNU_SOURCE	/* qsort_r */
#include "stream/topk_row.h"

#include <stdlib.h>

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static const uint8_t *
heap_of(const struct row *r)
{
	return (const uint8_t *)(r + 1);
}

int
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

void
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
		case 'c':
			c = cmp_u64(o->scans->v[a->scan].rank,
				    o->scans->v[b->scan].rank);
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

/* What every order ends in, as far as it tells hits apart. */
static int
cmp_place(const struct row_order *o, const struct row *a, const struct row *b)
{
	const uint32_t told = HIT_EDITS | HIT_CIGAR | HIT_NO_SBEG;
	int c = cmp_by(o, "u", a, b);

	if (c == 0)
		c = cmp_u64(a->send, b->send);
	if (c == 0)
		c = cmp_u64(a->qend, b->qend);
	if (c == 0)
		c = cmp_u64(a->sbeg, b->sbeg);
	if (c == 0)
		c = cmp_u64(a->flags & HIT_MINUS, b->flags & HIT_MINUS);
	if (c == 0)
		c = cmp_cigar(a, b);
	if (c == 0)
		c = cmp_by(o, "sq", a, b);
	if (c == 0)
		c = cmp_u64(a->qbeg, b->qbeg);
	if (c == 0)
		c = cmp_u64(a->edits, b->edits);
	return c ? c : cmp_u64(a->flags & told, b->flags & told);
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

bool
row_same(const struct row_order *o, const struct row *a, const struct row *b)
{
	return cmp_place(o, a, b) == 0;
}

bool
row_same_group(const struct row_order *o, const char *group,
	       const struct row *a, const struct row *b)
{
	return cmp_by(o, group, a, b) == 0;
}

static int
key_new(struct keys *k, struct key **out, struct err *e)
{
	if (k->n == k->cap) {
		size_t cap = k->cap ? 2 * k->cap : 8;
		struct key *v = realloc(k->v, cap * sizeof *v);

		if (!v)
			return err_nomem(e, cap * sizeof *v);
		k->v = v;
		k->cap = cap;
	}
	*out = &k->v[k->n];
	memset(*out, 0, sizeof **out);
	return 0;
}

/* The strings' bytes go to text, one behind the other. */
static int
own(struct keys *k, struct key *n, struct str **s, size_t n_str,
    struct err *e)
{
	size_t at = 0;

	for (size_t i = 0; i < n_str; i++)
		buf_put(&n->text, s[i]->p, s[i]->n);
	if (n->text.bad) {
		buf_free(&n->text);
		return err_nomem(e, 0);
	}
	for (size_t i = 0; i < n_str; at += s[i++]->n)
		s[i]->p = s[i]->n ? (char *)n->text.p + at : "";
	k->ranked = false;
	k->last = k->n++;
	return 0;
}

/* The key's strings take the place of those of v[at]. */
static int
rename_key(struct keys *k, size_t at, struct key *n, struct str **s,
	   size_t n_str, struct err *e)
{
	size_t count = k->n;
	int r;

	memset(&n->text, 0, sizeof n->text);
	r = own(k, n, s, n_str, e);
	if (r < 0)
		return r;
	k->n = count;
	k->last = at;
	k->renamed = true;
	buf_free(&k->v[at].text);
	k->v[at] = *n;
	return 0;
}

/* v[at] was found: it is called by the least of its names. */
static long
found_run(struct keys *k, size_t at, const struct run_key *run, struct err *e)
{
	struct key n = { .run = *run };
	struct str *s[] = { &n.run.base, &n.run.label, &n.run.first };
	int r = 0;

	k->last = at;
	if (!k->fixed && run_key_cmp(run, &k->v[at].run) < 0)
		r = rename_key(k, at, &n, s, 3, e);
	return r < 0 ? r : (long)at;
}

static long
found_scan(struct keys *k, size_t at, const struct scan_key *scan,
	   struct err *e)
{
	struct key n = { .scan = *scan };
	struct str *s[] = { &n.scan.base };
	int r = 0;

	k->last = at;
	if (!k->fixed && scan_key_cmp(scan, &k->v[at].scan) < 0)
		r = rename_key(k, at, &n, s, 1, e);
	return r < 0 ? r : (long)at;
}

/* Rows of a frame share their keys: the last one found is tried first. */
long
keys_run(struct keys *k, const struct run_key *run, struct err *e)
{
	struct key *n;
	int r;

	for (size_t i = 0; i < k->n; i++) {
		size_t at = (k->last + i) % k->n;

		if (k->v[at].run.id == run->id)
			return found_run(k, at, run, e);
	}
	r = key_new(k, &n, e);
	if (r == 0) {
		struct str *s[] = { &n->run.base, &n->run.label,
				    &n->run.first };

		n->run = *run;
		r = own(k, n, s, 3, e);
	}
	return r < 0 ? r : (long)k->last;
}

long
keys_scan(struct keys *k, const struct scan_key *scan, struct err *e)
{
	struct key *n;
	int r;

	for (size_t i = 0; i < k->n; i++) {
		size_t at = (k->last + i) % k->n;

		if (k->v[at].scan.id == scan->id &&
		    k->v[at].scan.rule == scan->rule)
			return found_scan(k, at, scan, e);
	}
	r = key_new(k, &n, e);
	if (r == 0) {
		struct str *s[] = { &n->scan.base };

		n->scan = *scan;
		r = own(k, n, s, 1, e);
	}
	return r < 0 ? r : (long)k->last;
}

static int
cmp_run(const void *a, const void *b, void *v)
{
	const struct key *k = v;

	return run_key_cmp(&k[*(const uint32_t *)a].run,
			   &k[*(const uint32_t *)b].run);
}

static int
cmp_scan(const void *a, const void *b, void *v)
{
	const struct key *k = v;
	const struct scan_key *x = &k[*(const uint32_t *)a].scan;
	const struct scan_key *y = &k[*(const uint32_t *)b].scan;
	int c = scan_key_cmp(x, y);

	return c ? c : (x->rule > y->rule) - (x->rule < y->rule);
}

int
keys_rank(struct keys *k, bool scans, struct err *e)
{
	uint32_t *by;

	if (k->ranked)
		return 0;
	by = malloc((k->n + 1) * sizeof *by);
	if (!by)
		return err_nomem(e, k->n * sizeof *by);
	for (size_t i = 0; i < k->n; i++)
		by[i] = (uint32_t)i;
	qsort_r(by, k->n, sizeof *by, scans ? cmp_scan : cmp_run, k->v);
	for (size_t i = 0; i < k->n; i++)
		k->v[by[i]].rank = (uint32_t)i;
	k->ranked = true;
	free(by);
	return 0;
}

void
keys_free(struct keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_free(&k->v[i].text);
	free(k->v);
	memset(k, 0, sizeof *k);
}
