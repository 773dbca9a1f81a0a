/* SPDX-License-Identifier: MIT */
/*
 * primer_pairs.c - primers of one target joined into pairs, the best of them
 *
 * Forward primers are taken by ascending penalty, each with the reverse
 * primers whose ends are in its window of product lengths.  Once n pairs are
 * kept, only pairs that would come before the last of them are aligned, and
 * none can come of forward primers whose penalty and the least of the reverse
 * ones exceed the last pair's: penalties add up.
 */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/primer/primer_scan_priv.h"

/* A primer; letters are in text. */
struct single {
	uint64_t beg, end;	/* forward */
	size_t at;
	int64_t tm, penalty;	/* 10^-9 degrees */
};

struct singles {
	struct single *v;
	size_t n, cap;
};

struct pair {
	struct single f, r;
	int64_t penalty;
	int64_t any, end;	/* scores */
};

struct primer_pairs {
	struct primer_pairs_params p;
	const struct primer_scan *scan;
	struct out *out;
	struct melting melting;
	uint64_t min, max;			/* product length */
	uint64_t max_diff, max_any, max_end;	/* thousandths */
	int64_t opt_tm, opt_size;		/* 10^-9 degrees; letters */
	struct singles side[2];			/* of this target */
	struct query_ref target;
	bool any;		/* a row came */
	bool found;		/* a pair was written */
	struct buf text, name, line;
	struct pair *best;			/* a heap, the last one first */
	size_t n, n_best;
	int64_t *cells;
	size_t n_cells;
};

static int
decimal(const char *option, const char *text, uint64_t most, uint64_t *v,
	struct err *e)
{
	struct str s = { text, text ? strlen(text) : 0 };

	if (!text || primer_decimal(s, most, v))
		return 0;
	return err_set(e, ERR_USAGE, "%s %s: must be a number from 0 to %llu, "
		       "with up to three places", option, text,
		       (unsigned long long)(most / 1000));
}

/* MIN-MAX, whole numbers. */
static int
sizes(struct primer_pairs *x, struct err *e)
{
	const char *t = x->p.product_size;
	struct str s = { t, strlen(t) };

	if (!primer_range(s, 1000ull * PRIMER_LONGEST, &x->min, &x->max) ||
	    x->min % 1000 || x->max % 1000 || !x->min)
		return err_set(e, ERR_USAGE, "--product-size %s: must be "
			       "MIN-MAX, letters from 1 to %d", t,
			       PRIMER_LONGEST);
	x->min /= 1000;
	x->max /= 1000;
	return 0;
}

static int
settle(struct primer_pairs *x, const struct primer_options *o, struct err *e)
{
	struct melting_salts salts;
	uint64_t tm = 60000;
	int rc = sizes(x, e);

	x->max_diff = 100000;
	x->max_any = 8000;
	x->max_end = 3000;
	if (!rc)
		rc = decimal("--pair-max-diff-tm", x->p.max_diff_tm, 1000000,
			     &x->max_diff, e);
	if (!rc)
		rc = decimal("--pair-max-compl-any", x->p.max_compl_any,
			     1000000, &x->max_any, e);
	if (!rc)
		rc = decimal("--pair-max-compl-end", x->p.max_compl_end,
			     1000000, &x->max_end, e);
	if (!rc)
		rc = decimal("--opt-tm", x->p.opt_tm, 1000000, &tm, e);
	if (!rc)
		rc = primer_salts(o, &salts, e);
	if (rc)
		return rc;
	x->opt_tm = (int64_t)tm * 1000000;
	x->opt_size = x->p.opt_size ? x->p.opt_size : 20;
	x->n_best = x->p.n ? (size_t)x->p.n : 5;
	return melting_init(&x->melting, &salts) ? 0 :
	       err_set(e, ERR_USAGE, "there is no melting temperature without "
		       "salt and primers");
}

int
primer_pairs_new(struct primer_pairs **out, const struct primer_pairs_params *p,
		 const struct primer_options *o, const struct primer_scan *scan,
		 struct out *to, struct err *e)
{
	struct primer_pairs *x = calloc(1, sizeof *x);
	int rc;

	*out = NULL;
	if (!x)
		return err_nomem(e, sizeof *x);
	x->p = *p;
	x->scan = scan;
	x->out = to;
	rc = settle(x, o, e);
	if (!rc) {
		x->best = calloc(x->n_best + 1, sizeof *x->best);
		if (!x->best)
			rc = err_nomem(e, x->n_best * sizeof *x->best);
	}
	if (rc)
		primer_pairs_free(x);
	else
		*out = x;
	return rc;
}

void
primer_pairs_free(struct primer_pairs *x)
{
	if (!x)
		return;
	free(x->side[0].v);
	free(x->side[1].v);
	free(x->best);
	free(x->cells);
	buf_free(&x->text);
	buf_free(&x->name);
	buf_free(&x->line);
	free(x);
}

/* Complementarity. */

static uint8_t
complement(uint8_t c)
{
	return c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : 'A';
}

/*
 * A cell's score ends in a pair of letters; before it is another pair, or a
 * gap of one letter and a pair, or nothing: with end only where a or b begins,
 * so that all that lies side by side counts.  cells: three rows of m + 2.
 */
int64_t
primer_pairs_align(const uint8_t *a, size_t n, const uint8_t *b, size_t m,
		   bool end, int64_t *cells)
{
	const int64_t none = end ? INT64_MIN / 2 : 0;
	int64_t *row[3] = { cells, cells + m + 2, cells + 2 * (m + 2) };
	int64_t best = 0;

	for (size_t j = 0; j < 3 * (m + 2); j++)
		cells[j] = none;
	for (size_t i = 0; i < n; i++) {
		int64_t *to = row[i % 3];
		const int64_t *one = row[(i + 2) % 3], *two = row[(i + 1) % 3];

		for (size_t j = 0; j < m; j++) {
			bool same = a[i] == complement(b[m - 1 - j]);
			int64_t s = max_i64(i && j ? none : 0, one[j + 1]);

			s = max_i64(s, max_i64(one[j], two[j + 1]) - 2);
			to[j + 2] = max_i64(none, s + (same ? 1 : -1));
			if (!end || i + 1 == n)
				best = max_i64(best, to[j + 2]);
		}
	}
	return best;
}

static int
align(struct primer_pairs *x, struct pair *p, struct err *e)
{
	const uint8_t *a = x->text.p + p->f.at, *b = x->text.p + p->r.at;
	size_t n = (size_t)(p->f.end - p->f.beg);
	size_t m = (size_t)(p->r.end - p->r.beg);
	int rc = array_room(&x->cells, &x->n_cells, 3 * (max_u64(n, m) + 2),
			    sizeof *x->cells, e);

	if (rc)
		return rc;
	p->any = primer_pairs_align(a, n, b, m, false, x->cells);
	p->end = max_i64(primer_pairs_align(a, n, b, m, true, x->cells),
			 primer_pairs_align(b, m, a, n, true, x->cells));
	return 0;
}

/* The best pairs of a target. */

static int
cmp_pair(const struct pair *a, const struct pair *b)
{
	if (a->penalty != b->penalty)
		return a->penalty < b->penalty ? -1 : 1;
	if (a->f.beg != b->f.beg)
		return cmp_u64(a->f.beg, b->f.beg);
	return cmp_u64(a->r.end, b->r.end);
}

static int
in_order(const void *a, const void *b)
{
	return cmp_pair(a, b);
}

static bool
is_behind(void *c, const struct pair *a, const struct pair *b)
{
	(void)c;
	return cmp_pair(a, b) > 0;
}
HEAP(best, struct pair, void, is_behind, HEAP_ANYWHERE)

static int
cmp_penalty(const void *pa, const void *pb)
{
	const struct single *a = pa, *b = pb;

	return a->penalty != b->penalty ? (a->penalty < b->penalty ? -1 : 1) :
	       cmp_u64(a->beg, b->beg);
}

static int
cmp_end(const void *pa, const void *pb)
{
	const struct single *a = pa, *b = pb;

	return a->end != b->end ? cmp_u64(a->end, b->end) :
	       cmp_u64(a->beg, b->beg);
}

static int
try_pair(struct primer_pairs *x, const struct single *f,
	 const struct single *r, struct err *e)
{
	struct pair p = { .f = *f, .r = *r,
			  .penalty = f->penalty + r->penalty };
	int64_t diff = f->tm > r->tm ? f->tm - r->tm : r->tm - f->tm;
	int rc;

	if (r->beg < f->beg || r->end < f->end ||
	    diff > (int64_t)x->max_diff * 1000000 ||
	    (x->n == x->n_best && cmp_pair(&p, &x->best[0]) >= 0))
		return 0;
	rc = align(x, &p, e);
	if (rc || (uint64_t)p.any * 1000 > x->max_any ||
	    (uint64_t)p.end * 1000 > x->max_end)
		return rc;
	if (x->n < x->n_best)
		best_up(NULL, x->best, x->n++, p);
	else
		best_down(NULL, x->best, x->n, 0, p);
	return 0;
}

/* The first of those, by end, that ends at end or later. */
static size_t
first_end(const struct singles *s, uint64_t end)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].end < end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int
choose(struct primer_pairs *x, struct err *e)
{
	const struct singles *f = &x->side[0], *r = &x->side[1];
	int64_t least = INT64_MAX;
	int rc = 0;

	x->n = 0;
	if (!f->n || !r->n)
		return 0;
	qsort(f->v, f->n, sizeof *f->v, cmp_penalty);
	qsort(r->v, r->n, sizeof *r->v, cmp_end);
	for (size_t j = 0; j < r->n; j++)
		least = r->v[j].penalty < least ? r->v[j].penalty : least;
	for (size_t i = 0; i < f->n && !rc; i++) {
		const struct single *a = &f->v[i];

		if (x->n == x->n_best &&
		    a->penalty + least > x->best[0].penalty)
			break;
		for (size_t j = first_end(r, a->beg + x->min); !rc &&
		     j < r->n && r->v[j].end <= a->beg + x->max; j++)
			rc = try_pair(x, a, &r->v[j], e);
	}
	if (x->n)
		qsort(x->best, x->n, sizeof *x->best, in_order);
	return rc;
}

/* Text. */

static void
put_decimal(struct buf *b, int64_t nano, int places)
{
	int64_t unit = places == 2 ? 10000000 : 1000000;
	int64_t per = places == 2 ? 100 : 1000;
	int64_t v = nano < 0 ? -((unit / 2 - nano) / unit) :
			       (nano + unit / 2) / unit;
	uint64_t a = (uint64_t)(v < 0 ? -v : v);

	buf_printf(b, "%s%llu.%0*llu", v < 0 ? "-" : "",
		   (unsigned long long)(a / (uint64_t)per), places,
		   (unsigned long long)(a % (uint64_t)per));
}

/* Percent. */
static void
put_gc(struct buf *b, const uint8_t *s, uint64_t n)
{
	uint64_t gc = 0, v;

	for (uint64_t i = 0; i < n; i++)
		gc += s[i] == 'G' || s[i] == 'C';
	v = (20000 * gc + n) / (2 * n);
	buf_printf(b, "%llu.%02u", (unsigned long long)(v / 100),
		   (unsigned)(v % 100));
}

enum { FIELDS = 18 };
static const char *const field[FIELDS] = {
	"target", "beg", "end", "length", "forward", "forward_beg",
	"forward_length", "forward_gc", "forward_tm", "reverse", "reverse_beg",
	"reverse_length", "reverse_gc", "reverse_tm", "diff_tm", "compl_any",
	"compl_end", "penalty",
};

static void
put_field(const struct primer_pairs *x, struct buf *b, const struct pair *p,
	  int i)
{
	const struct single *s = i < 9 ? &p->f : &p->r;
	const uint8_t *letters = x->text.p + s->at;
	uint64_t n = s->end - s->beg;
	int64_t diff = p->f.tm - p->r.tm;

	switch (i) {
	case 1: buf_printf(b, "%llu", (unsigned long long)p->f.beg); break;
	case 2: buf_printf(b, "%llu", (unsigned long long)p->r.end); break;
	case 3: buf_printf(b, "%llu",
			   (unsigned long long)(p->r.end - p->f.beg)); break;
	case 4: case 9: buf_put(b, letters, (size_t)n); break;
	case 5: case 10: buf_printf(b, "%llu",
				    (unsigned long long)s->beg); break;
	case 6: case 11: buf_printf(b, "%llu", (unsigned long long)n); break;
	case 7: case 12: put_gc(b, letters, n); break;
	case 8: case 13: put_decimal(b, s->tm, 2); break;
	case 14: put_decimal(b, diff < 0 ? -diff : diff, 2); break;
	case 15: buf_printf(b, "%lld.00", (long long)p->any); break;
	case 16: buf_printf(b, "%lld.00", (long long)p->end); break;
	default: put_decimal(b, p->penalty, 3);
	}
}

static void
put_tsv(struct primer_pairs *x, const struct pair *p)
{
	printer_put_name(&x->line, x->target.name);
	for (int i = 1; i < FIELDS; i++) {
		buf_u8(&x->line, '\t');
		put_field(x, &x->line, p, i);
	}
	buf_u8(&x->line, '\n');
}

static void
put_json(struct primer_pairs *x, const struct pair *p)
{
	struct buf *b = &x->line;

	buf_printf(b, "{\"target\":");
	printer_put_json(b, x->target.name);
	for (int i = 1; i < FIELDS; i++) {
		const char *quote = i == 4 || i == 9 ? "\"" : "";

		buf_printf(b, ",\"%s\":%s", field[i], quote);
		put_field(x, b, p, i);
		buf_printf(b, "%s", quote);
	}
	buf_printf(b, "}\n");
}

/* primer3_core knows no U, and of the codes only N. */
static void
put_template(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_u8(b, strchr("ACGTNacgtn", s.p[i]) ? (uint8_t)s.p[i] :
			  s.p[i] == 'U' ? 'T' : s.p[i] == 'u' ? 't' : 'N');
}

/* As primer3_core takes it: its search is for this product alone. */
static void
put_boulder(struct primer_pairs *x, const struct pair *p, size_t number)
{
	unsigned long long length = p->r.end - p->f.beg;
	struct buf *b = &x->line;

	buf_printf(b, "SEQUENCE_ID=");
	printer_put_name(b, x->target.name);
	buf_printf(b, "/%llu\nSEQUENCE_TEMPLATE=",
		   (unsigned long long)number + 1);
	put_template(b, x->scan->q->v[x->target.ordinal].letters);
	buf_printf(b, "\nSEQUENCE_PRIMER=");
	put_field(x, b, p, 4);
	buf_printf(b, "\nSEQUENCE_PRIMER_REVCOMP=");
	put_field(x, b, p, 9);
	buf_printf(b, "\nPRIMER_PRODUCT_SIZE_RANGE=%llu-%llu\n=\n",
		   length, length);
}

static int
flush(struct primer_pairs *x, struct err *e)
{
	int rc = x->line.bad ? err_nomem(e, x->line.n) :
		 x->line.n ? out_write(x->out, x->line.p, x->line.n, e) : 0;

	x->line.n = 0;
	return rc;
}

static int
finish_target(struct primer_pairs *x, struct err *e)
{
	int rc = choose(x, e);

	for (size_t i = 0; i < x->n && !rc; i++) {
		if (x->p.format == FORMAT_JSON)
			put_json(x, &x->best[i]);
		else if (x->p.format == FORMAT_BOULDER)
			put_boulder(x, &x->best[i], i);
		else
			put_tsv(x, &x->best[i]);
		rc = flush(x, e);
	}
	x->found |= x->n > 0;
	x->side[0].n = x->side[1].n = x->text.n = x->n = 0;
	return rc;
}

/* Rows. */

/* A stream's primers may be those of other targets. */
static bool
is_ours(const struct primer_pairs *x, const struct primer_row *r)
{
	const struct queries *q = x->scan->q;

	return r->target.ordinal < q->n && r->k == x->scan->rule.k &&
	       r->target.len == q->v[r->target.ordinal].letters.n;
}

static int
start_target(struct primer_pairs *x, const struct primer_row *r,
	     struct err *e)
{
	int rc = finish_target(x, e);

	x->any = true;
	x->name.n = 0;
	buf_put(&x->name, r->target.name.p, r->target.name.n);
	if (!rc && x->name.bad)
		rc = err_nomem(e, r->target.name.n);
	x->target = r->target;
	x->target.name = (struct str){ (char *)x->name.p, x->name.n };
	return rc;
}

static int
take_row(void *ctx, const struct primer_row *r, struct err *e)
{
	struct primer_pairs *x = ctx;
	struct singles *to = &x->side[r->minus];
	struct single s = { .beg = r->beg, .end = r->end };
	const uint8_t *t = (const uint8_t *)r->sequence.p;
	size_t n = r->sequence.n;
	struct melting_sum sum = { 0, 0 };
	int64_t off = (int64_t)n - x->opt_size;
	int rc = 0;

	if (!is_ours(x, r))
		return err_set(e, ERR_USAGE, "--product-size: an operand holds "
			       "primers of other targets");
	if (!x->any || r->target.ordinal != x->target.ordinal)
		rc = start_target(x, r, e);
	for (size_t i = 1; i < n; i++) {
		struct melting_sum p = melting_pair(t[i - 1], t[i]);

		sum.h += p.h;
		sum.s += p.s;
	}
	if (rc || !melting_tm(&x->melting, t, n, sum, &s.tm))
		return rc;
	s.penalty = (s.tm > x->opt_tm ? s.tm - x->opt_tm : x->opt_tm - s.tm) +
		    (off < 0 ? -off : off) * 1000000000;
	s.at = x->text.n;
	buf_put(&x->text, t, n);
	if (x->text.bad)
		return err_nomem(e, n);
	rc = array_room(&to->v, &to->cap, to->n + 1, sizeof *to->v, e);
	if (!rc)
		to->v[to->n++] = s;
	return rc;
}

int
primer_pairs_take(void *ctx, struct primers *p, struct err *e)
{
	struct primer_pairs *x = ctx;
	int rc;

	if (x->p.header && x->p.format == FORMAT_TSV)
		for (int i = 0; i < FIELDS; i++)
			buf_printf(&x->line, "%s%s%s", i ? "" : "#", field[i],
				   i + 1 < FIELDS ? "\t" : "\n");
	rc = flush(x, e);
	if (!rc)
		rc = primers_rows(p, take_row, x, e);
	if (!rc)
		rc = finish_target(x, e);
	if (!rc && !x->found && x->p.format == FORMAT_TSV)
		x->p.note(0, "no pair of primers found: -k or a limit is too "
			  "strict, or the background holds the target "
			  "(--self)");
	return rc;
}
