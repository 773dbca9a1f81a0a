/* SPDX-License-Identifier: MIT */
/* asm_options.c - what goes together */
#include "scan/asm.h"

#include <string.h>

void
asm_words(struct asm_options *o, const char *alphabet, const char *strand,
	  const char *report, const char *engine)
{
	o->alphabet = *alphabet == 'd' ? KDIFF_DNA :
		      *alphabet == 'b' ? KDIFF_BYTES : KDIFF_PROTEIN;
	o->strands = !strand || *strand == 'b' ? ASM_AUTO :
		     *strand == '+' ? ASM_PLUS : ASM_MINUS;
	o->report = !report ? ASM_DEFAULT : *report == 'm' ? ASM_MINIMA :
		    *report == 'a' ? ASM_ALL : *report == 'b' ? ASM_BEST :
		    ASM_COUNT;
	o->engine = *engine == 'a' ? KDIFF_AUTO :
		    *engine == 't' ? KDIFF_TEXT :
		    *engine == 'p' ? KDIFF_PATTERNS : KDIFF_FILTER;
}

int
asm_fits_format(const struct asm_options *o, enum format f, const char *name,
		struct err *e)
{
	bool text = f == FORMAT_TSV || f == FORMAT_JSON;
	bool cigars = f == FORMAT_PAF || f == FORMAT_SAM;
	bool starts = cigars || f == FORMAT_BED || f == FORMAT_GFF3;

	if (o->ends && starts)
		return err_set(e, ERR_USAGE, "-O %s needs where a match "
			       "begins: not with --ends", name);
	if (o->no_cigar && cigars)
		return err_set(e, ERR_USAGE, "-O %s needs CIGARs: not with "
			       "--no-cigar", name);
	if ((o->report == ASM_COUNT || o->histogram) && !text &&
	    f != FORMAT_REC)
		return err_set(e, ERR_USAGE, "-O %s holds no counts: use tsv "
			       "or json", name);
	if (o->overhang && o->ends)
		return err_set(e, ERR_USAGE, "--ends does not tell what hangs "
			       "over: not with --overhang");
	if (o->max_hits && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "--max-hits is for the last "
			       "stage, which writes text (-O tsv): of records "
			       "merge-topk -n keeps the best");
	return 0;
}

int
asm_only_records(struct asm_options *o, const char *const *other, size_t n,
		 struct err *e)
{
	const char *word = o->report != ASM_DEFAULT ? "--report" :
			   o->no_cigar ? "--no-cigar" : o->ends ? "--ends" :
			   o->with_seq ? "--with-seq" :
			   o->histogram ? "--histogram" :
			   o->max_hits ? "--max-hits" : NULL;

	for (size_t i = 0; i < n && !word; i++)
		word = other[i];
	if (word)
		return err_set(e, ERR_USAGE, "%s: not with --filter and "
			       "--invert, which pass records as they are",
			       word);
	o->report = ASM_ALL;
	o->ends = true;
	return 0;
}
