/* SPDX-License-Identifier: MIT */
/* print_bed.c - hits as BED, six columns; primers with more */
#include "stream/print.h"

/*
 * The score column holds 0 to 1000: the score, or, where scores are negative
 * (asm-scan: minus the edits), their distance from 0.
 */
static uint64_t
bed_score(int64_t score)
{
	if (score > 1000 || score < -1000)
		return 1000;
	return (uint64_t)(score < 0 ? -score : score);
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	(void)env;
	print_name(b, h->subject.name, print_no_control);
	buf_u8(b, '\t');
	print_u64(b, h->sbeg);
	buf_u8(b, '\t');
	print_u64(b, h->send);
	buf_u8(b, '\t');
	print_name(b, h->query.name, print_no_control);
	buf_u8(b, '\t');
	print_u64(b, bed_score(h->score));
	print_text(b, h->flags & HIT_MINUS ? "\t-\n" : "\t+\n");
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)env;
	print_name(b, r->target.name, print_no_control);
	buf_u8(b, '\t');
	print_u64(b, r->beg);
	buf_u8(b, '\t');
	print_u64(b, r->end);
	buf_u8(b, '\t');
	print_primer_name(b, r, print_no_control);
	buf_u8(b, '\t');
	print_u64(b, r->k < 1000 ? r->k : 1000);
	print_text(b, r->minus ? "\t-\t" : "\t+\t");
	print_name(b, r->sequence, print_no_control);
	print_site(b, r->site);
	buf_u8(b, '\n');
}

const struct print_family print_bed = {
	.need = PRINT_NOTHING, .wants_start = true,
	.hit = hit, .primer = primer,
};
