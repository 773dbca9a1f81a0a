/* SPDX-License-Identifier: MIT */
/*
 * asm_score.h - how likely a site of a guide is cut
 *
 * By the formula of the MIT (Hsu et al., Nature Biotechnology 31, 827, 2013),
 * or by a table of factors, such as those of CFD (Doench et al., Nature
 * Biotechnology 34, 184, 2016), which are not part of this program.  Scores are
 * integers, so that sums of them do not depend on their order.
 */
#ifndef SEQF_SCAN_ASM_ASM_SCORE_H
#define SEQF_SCAN_ASM_ASM_SCORE_H

#include "base/base.h"

/* Of --score-table.  Never changes: any number of threads. */
struct asm_score;

/* Not a file: mit. */
bool asm_score_is_name(const char *what);

/*
 * what: mit, or a file's name.  before: PAMs are on the guide's 5' side, which
 * mit does not know (ERR_USAGE).  ERR_IO; ERR_FORMAT, naming file and line.
 */
int asm_score_new(struct asm_score **s, const char *what, bool before,
		  struct err *e);
/* From a file's text. */
int asm_score_parse(struct asm_score **s, const char *name, struct str text,
		    bool before, struct err *e);
void asm_score_free(struct asm_score *s);

/* A line of the scan's text, of all that decides a score. */
void asm_score_text(const struct asm_score *s, struct buf *b);

struct asm_score_site {
	struct str guide;	/* without its PAM */
	struct str letters;	/* of guide and PAM; these along the forward */
	const uint32_t *ops;	/* text, as kdiff_pam_trace() gives them */
	size_t n_ops;
	unsigned pam;		/* letters of the PAM */
	bool minus;
};
/* 0 to OFFTARGET_ONE; false: the site has no score. */
bool asm_score_site(const struct asm_score *s, const struct asm_score_site *x,
		    uint64_t *score);

#endif
