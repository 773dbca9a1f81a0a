/* SPDX-License-Identifier: MIT */
/*
 * print_blast6.c - hits as BLAST's tabular columns, -outfmt 6
 *
 * Source: Karlin and Altschul, PNAS 87, 1990.  With m letters of the query and
 * n of the run, score S has E = K m n exp(-lambda S) and
 * (lambda S - ln K) / ln 2 bits.  Where these hold for even scores only, BLAST
 * rounds an odd one down for E, and not for its bits.
 */
#include <math.h>

#include "stream/print.h"

/* BLAST's digits: a number this small is no number to read. */
static void
print_evalue(struct buf *b, double v)
{
	if (v < 1e-180)
		print_text(b, "0.0");
	else if (v < 0.0009)
		buf_printf(b, "%.2e", v);
	else if (v < 0.1)
		buf_printf(b, "%.3f", v);
	else if (v < 1)
		buf_printf(b, "%.2f", v);
	else if (v < 10)
		buf_printf(b, "%.1f", v);
	else
		buf_printf(b, v < 1e6 ? "%.0f" : "%.2e", v);
}

static void
statistics(struct buf *b, const struct print_stats *s, const struct hit *h)
{
	int64_t odd = s->even && h->score & 1;	/* -3 & 1 is 1 */
	double x = s->lambda * (double)(h->score - odd);
	double bits = (s->lambda * (double)h->score - log(s->k)) / log(2);

	if (s->lambda == 0) {
		print_text(b, "*\t*\n");
		return;
	}
	print_evalue(b, s->k * (double)h->query.len * (double)s->letters *
			exp(-x));
	buf_printf(b, bits < 1e5 ? "\t%.1f\n" : "\t%.3e\n", bits);
}

/* The name ends at a blank for whoever splits at blanks. */
static bool
plain(uint8_t c)
{
	return c > ' ' && c != 0x7f;
}

static void
columns(struct buf *b, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		print_u64(b, v[i]);
		buf_u8(b, '\t');
	}
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	uint64_t paired = s.query - s.clip - s.ins;	/* = X M */
	uint64_t length = paired + s.ins + s.del;
	bool minus = h->flags & HIT_MINUS;
	uint64_t v[] = { length, s.x, s.gaps, h->qbeg + 1, h->qend,
			 minus ? h->send : h->sbeg + 1,
			 minus ? h->sbeg + 1 : h->send };

	print_name(b, h->query.name, plain);
	buf_u8(b, '\t');
	print_name(b, h->subject.name, plain);
	/* a CIGAR has an operation, but it may be S alone */
	buf_printf(b, "\t%.3f\t", length ?
		   100 * (double)(paired - s.x) / (double)length : 0.0);
	columns(b, v, sizeof v / sizeof *v);
	statistics(b, &env->stats, h);
}

const struct print_family print_blast6 = {
	.need = PRINT_STATS, .wants_start = true, .wants_cigar = true,
	.hit = hit,
};
