/* SPDX-License-Identifier: MIT */
/* print_boulder.c - primers as Boulder-IO, records for primer3 to check */
#include "stream/print.h"

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)env;
	print_text(b, "SEQUENCE_ID=");
	print_primer_name(b, r, print_no_control);
	print_text(b, r->minus ? "\nSEQUENCE_PRIMER_REVCOMP=" :
				 "\nSEQUENCE_PRIMER=");
	print_name(b, r->sequence, print_no_control);
	print_text(b, "\nPRIMER_TASK=check_primers\n=\n");
}

const struct print_family print_boulder = {
	.need = PRINT_NOTHING, .primer = primer,
};
