/* SPDX-License-Identifier: MIT */
/* ebwt_scan_priv.h - what the files of ebwt_scan share (private) */
#ifndef SEQF_EBWT_SCAN_PRIV_H
#define SEQF_EBWT_SCAN_PRIV_H

#include "scan/ebwt_scan.h"
#include "scan/ebwt_words.h"

struct ebwt_scan {
	struct ebwt_options o;
	struct queries *q;	/* n is 0 without */
	struct ebwt_seq *query;	/* q->n */
	struct scan_key key;
	struct buf text;	/* of BEGIN */
	struct solid_rule rule;
	unsigned threads;
};

/* The sequences of one run, and of it what they cover. */
struct ebwt_run {
	const struct whole_run *run;
	const struct ebwt_seq *seq;
	size_t n;
};

/* Frames of all distances of a run. */
int ebwt_dists(const struct ebwt_scan *s, const struct ebwt_run *r,
	       uint64_t n_bytes, whole_put_fn *put, void *put_ctx,
	       struct err *e);
/* The listing; the words. */
int ebwt_print_listing(const struct ebwt_scan *s, const struct ebwt_run *r,
		       uint64_t n_bytes, struct out *to, struct err *e);
int ebwt_print_words(const struct ebwt_scan *s, const struct ebwt_run *r,
		     struct out *to, struct err *e);

/* What may be taken: --memory, or what the machine has; and its name. */
uint64_t ebwt_memory(const struct ebwt_scan *s);
const char *ebwt_limit(const struct ebwt_scan *s, char *room, size_t n);
/* For transforms beside n_bytes of letters; ERR_LIMIT if none are left. */
int ebwt_params_of(const struct ebwt_scan *s, uint64_t n_bytes,
		   struct ebwt_params *p, struct err *e);
/* What it will take, told beforehand. */
void ebwt_tell_need(const struct ebwt_scan *s, uint64_t n_bytes,
		    const struct ebwt *x, const struct ebwt_pairs_job *job);

#endif
