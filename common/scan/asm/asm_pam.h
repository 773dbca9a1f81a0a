/* SPDX-License-Identifier: MIT */
/* asm_pam.h - sites of guides beside a PAM, as rows */
#ifndef SEQF_SCAN_ASM_ASM_PAM_H
#define SEQF_SCAN_ASM_ASM_PAM_H

#include "scan/asm/asm_priv.h"
#include "scan/asm/asm_scan.h"

/* a->pam from the options; then each query as a guide. */
int asm_pam_new(struct asm_scan *a, struct err *e);
int asm_pam_add(struct asm_scan *a, uint32_t ordinal, uint64_t k,
		struct err *e);

/* Letters of the shortest PAM. */
uint64_t asm_pam_shortest(const struct asm_scan *a);
/* A row's send may lie so far before that of a row of an earlier chunk. */
uint64_t asm_pam_slack(const struct asm_scan *a);

/* A thread's sites of a part; zero it first. */
struct asm_sites {
	struct kdiff_pam_work *work;
	bool by_begin;		/* asm_sites_rows(): as in struct rows_print */
	struct buf sites, paths, ops;
	struct buf order, spare;	/* struct site_place */
};
void asm_sites_free(struct asm_sites *t);

/* Sites of a text as hits that end at the PAM's edge, one at a time; sorted:
 * in order of edges. */
int asm_sites_each(const struct asm_scan *a, const struct kdiff_text *x,
		   struct asm_sites *t, bool sorted, kdiff_take_fn *take,
		   void *ctx, struct err *e);

/* Sites with their alignments, in the order of a scanner. */
struct asm_site {
	const struct kdiff_site *site;
	const struct kdiff_site_path *path;
	const uint32_t *ops;
	unsigned pam;		/* letters of its PAM */
};
typedef int asm_site_fn(void *ctx, const struct asm_site *x, struct err *e);
int asm_sites_rows(const struct asm_scan *a, const struct kdiff_text *x,
		   struct asm_sites *t, asm_site_fn *put, void *ctx,
		   struct err *e);

#endif
