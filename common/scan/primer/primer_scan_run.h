/* SPDX-License-Identifier: MIT */
/*
 * primer_scan_run.h - what of a background is the nearest to each primer: a
 * second pass over it, with the primers as patterns of an approximate search
 *
 * The least distance counts, and of its places the first one by run, subject,
 * end and strand (+ first).  A primer none of whose letters is in the
 * background has no site: its distance is its length, to nothing.
 */
#ifndef SEQF_SCAN_PRIMER_PRIMER_SCAN_RUN_H
#define SEQF_SCAN_PRIMER_PRIMER_SCAN_RUN_H

#include "collect/collect.h"
#include "scan/primer/primer_scan.h"

struct primer_sites;
/*
 * Both must outlive it.  ERR_USAGE if the operands cannot be read twice, for
 * another format than tsv and json, and for --alphabet=literal.
 */
int primer_sites_new(struct primer_sites **s, const struct scan_run *r,
		     const struct primer_scan *scan, enum format format,
		     struct err *e);
void primer_sites_free(struct primer_sites *s);
/* struct sink_params' sites(); ctx is a struct primer_sites, to which the
 * primers refer from then on. */
int primer_sites_find(void *ctx, struct primers *p, struct err *e);

#endif
