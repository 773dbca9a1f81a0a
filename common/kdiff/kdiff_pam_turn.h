/* SPDX-License-Identifier: MIT */
/* kdiff_pam_turn.h - a text turned so that alignments end at a PAM */
#ifndef SEQF_KDIFF_KDIFF_PAM_TURN_H
#define SEQF_KDIFF_KDIFF_PAM_TURN_H

#include "kdiff/kdiff_pam_priv.h"

/* Letters [beg, end) of a text: right: in inverse order; minus: as their
 * complements. */
struct pam_turn {
	const struct kdiff_text *t;
	uint64_t beg, end;
	bool right, minus;
};
int kdiff_pam_turn_room(struct pam_turned *to, const struct kdiff_text *t,
			uint64_t n, size_t n_seg, struct err *e);
void kdiff_pam_turn_free(struct pam_turned *to);
/* To letter `at`, a multiple of 64, on. */
void kdiff_pam_turn(const struct pam_turn *x, struct pam_turned *to,
		    uint64_t at);

#endif
