/* SPDX-License-Identifier: MIT */
/* sw_scoring_priv.h - matrices, and what is known of them */
#ifndef SEQF_SW_SCORING_PRIV_H
#define SEQF_SW_SCORING_PRIV_H

#include "scan/sw_scoring.h"

/* A matrix that is built in. */
struct sw_builtin {
	const char *name, *symbols;
	int32_t open, extend;	/* the default */
	const int8_t *score;	/* row by row up to the diagonal */
};
extern const struct sw_builtin sw_builtins[];	/* ends with a NULL name */

/* A matrix as it is written. */
struct sw_matrix {
	size_t n;
	uint8_t symbol[SW_LETTERS];
	int32_t score[SW_LETTERS][SW_LETTERS];	/* [query][subject] */
};

/* By name or from a file; *builtin is NULL for a file of one's own. */
int sw_matrix_load(struct sw_letters *l, const char *name,
		   const struct sw_builtin **builtin, struct err *e);
/* The one with these scores, whatever the gap costs; or NULL. */
const struct sw_builtin *sw_matrix_known(const struct sw_letters *l);
/* Codes of m: symbols in order.  All of l but gap costs and parameters. */
void sw_matrix_codes(struct sw_letters *l, const struct sw_matrix *m);
/* FILE in NCBI's format (sw_matrix_file.c). */
int sw_matrix_read(struct sw_matrix *m, const char *path, struct err *e);

/* Fills lambda, k, even; builtin is NULL for DNA. */
void sw_karlin(struct sw_letters *l, const struct sw_builtin *builtin);

#endif
