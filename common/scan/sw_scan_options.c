/* SPDX-License-Identifier: MIT */
/* sw_scan_options.c - words to numbers, and what goes together */
#include "scan/sw_scan.h"

void
sw_words(struct sw_options *o, const char *best, const char *strand,
	 const char *engine)
{
	o->best = *best == 'c' ? SW_READ_CELLS :
		  *best == 'w' ? SW_READ_DISJOINT : SW_READ_ALIGNMENTS;
	o->strands = !strand ? SW_AUTO_STRANDS : *strand == 'b' ? SW_BOTH :
		     *strand == '+' ? SW_PLUS : SW_MINUS;
	o->engine = *engine == 'a' ? SW_AUTO : *engine == 'p' ? SW_PLAIN :
		    *engine == 's' ? SW_SKEW :
		    strcmp(engine, "lanes8") == 0 ? SW_LANES8 : SW_LANES16;
}

int
sw_fits_format(const struct sw_options *o, enum format f, const char *name,
	       struct err *e)
{
	bool cigars = f == FORMAT_PAF || f == FORMAT_SAM;

	if (o->no_cigar && cigars)
		return err_set(e, ERR_USAGE, "-O %s needs CIGARs: not with "
			       "--no-cigar", name);
	if (o->best == SW_READ_DISJOINT && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "--best=waterman-eggert: its rows "
			       "cannot be merged with others; write text "
			       "(-O tsv)");
	return 0;
}
