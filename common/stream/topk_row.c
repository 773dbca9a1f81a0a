/* SPDX-License-Identifier: MIT */
/* topk_row.c - a hit as a row that sorts, and the orders of rows */
#include "stream/topk_row.h"

#include "base/minmax.h"

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
	/* before the CIGAR, which scanners that keep the best cut without */
	if (c == 0)
		c = cmp_u64(a->qbeg, b->qbeg);
	if (c == 0)
		c = cmp_cigar(a, b);
	if (c == 0)
		c = cmp_by(o, "sq", a, b);
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
