/* SPDX-License-Identifier: MIT */
/* print_fasta.c - primers as FASTA, each on a line */
#include "stream/print.h"

/* A blank would end the name. */
static bool
plain(uint8_t c)
{
	return c > ' ' && c != 0x7f;
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)env;
	buf_u8(b, '>');
	print_primer_name(b, r, plain);
	buf_printf(b, " k=%llu length=%llu\n", (unsigned long long)r->k,
		   (unsigned long long)(r->end - r->beg));
	print_name(b, r->sequence, plain);
	buf_u8(b, '\n');
}

const struct print_family print_fasta = {
	.need = PRINT_NOTHING, .primer = primer,
};
