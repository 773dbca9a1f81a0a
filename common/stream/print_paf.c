/* SPDX-License-Identifier: MIT */
/* print_paf.c - hits as PAF with NM:i, AS:i and cg:Z */
#include "stream/print.h"

/* PAF speaks of the aligned part only: clips are told by qbeg and qend. */
static void
aligned_cigar(struct buf *b, const struct hit *h)
{
	const uint32_t *ops = h->cigar;
	size_t n = h->n_cigar;

	while (n && (ops[0] & 15) == CIGAR_S)
		ops++, n--;
	while (n && (ops[n - 1] & 15) == CIGAR_S)
		n--;
	if (!n)
		return;
	print_text(b, "\tcg:Z:");
	cigar_text(b, ops, n);
}

static void
columns(struct buf *b, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		buf_u8(b, '\t');
		print_u64(b, v[i]);
	}
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	uint64_t paired = s.query - s.clip - s.ins;	/* = X M */
	uint64_t query[] = { h->query.len, h->qbeg, h->qend };
	uint64_t subject[] = { h->subject.len, h->sbeg, h->send,
			       paired - s.x };

	print_name(b, h->query.name, print_no_control);
	columns(b, query, 3);
	print_text(b, h->flags & HIT_MINUS ? "\t-\t" : "\t+\t");
	print_name(b, h->subject.name, print_no_control);
	columns(b, subject, 4);
	buf_u8(b, '\t');
	print_u64(b, paired + s.ins + s.del);
	print_text(b, "\t255\tNM:i:");
	print_u64(b, s.x + s.ins + s.del);
	print_text(b, "\tAS:i:");
	print_i64(b, h->score);
	aligned_cigar(b, h);
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, "\tss:Z:");
		print_name(b, h->letters, print_no_control);
	}
	buf_u8(b, '\n');
}

const struct print_family print_paf = {
	.need = PRINT_LENGTH, .wants_start = true, .wants_cigar = true,
	.hit = hit,
};
