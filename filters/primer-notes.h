/* SPDX-License-Identifier: MIT */
/* primer-notes.h - what primer-find reports */
#ifndef SEQF_PRIMER_NOTES_H
#define SEQF_PRIMER_NOTES_H

#include "filters/options.h"
#include "scan/primer/primer.h"

/* What was done, in its own measures. */
static void
note_work(const struct primer_scan_stats *s, bool paper)
{
	const struct primer_paper_stats *p = &s->paper;

	if (paper || p->starts)
		note(1, "%s searched, %s, %s of letters",
		     err_count(p->starts, "start").text,
		     err_count(p->values, "value").text,
		     err_count(p->comparisons, "comparison").text);
	if (p->fetched)
		note(1, "%s fetched ahead, %llu not among them",
		     err_count(p->fetched, "letter").text,
		     (unsigned long long)p->missed);
	if (!paper && !p->starts)
		note(1, "%s scanned, %s looked up, %s checked; %s, %llu of "
		     "them plain", err_count(s->search.columns, "column").text,
		     err_count(s->search.seeds, "piece").text,
		     err_count(s->search.checks, "column").text,
		     err_count(s->search.blocks, "block").text,
		     (unsigned long long)s->search.plain);
}

/* A target far longer than the background is hardly meant. */
static void
note_swapped(const struct primer_scan_stats *s)
{
	if (s->letters && s->starts / 20 > s->letters)
		note(0, "the background has %s, the targets have more than "
		     "ten times as many: targets are -q, the background the "
		     "operands", err_count(s->letters, "letter").text);
}

#endif
