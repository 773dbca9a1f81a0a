/* SPDX-License-Identifier: MIT */
/* primer_plain.h - cases too large for the definition, against plain */
#ifndef SEQF_PRIMER_PLAIN_H
#define SEQF_PRIMER_PLAIN_H

#include "tests/lib/primer_gen.h"

/* A case of one target and one text; k, max_len and the rest are the
 * caller's. */
static inline void
pcase_begin(struct pcase *c, uint64_t seed, size_t m, size_t n,
	    unsigned sigma)
{
	*c = (struct pcase){ .seed = seed, .n_targets = 1, .n_texts = 1 };
	c->target[0] = pcase_letters(c, m, sigma, 0);
	c->target[0].end = pcase_alloc(m * 8);
	c->text[0] = pcase_letters(c, n, sigma, 0);
}

/* Ends by the plain engine, which the definition has vouched for. */
static inline void
pcase_want_plain(struct pcase *c)
{
	pcase_want_by(c, PRIMER_PLAIN);
}

static inline bool
pcase_against_plain(struct pcase *c, const char *name, uint64_t size)
{
	bool good;

	pcase_want_plain(c);
	good = pcase_run(c, PRIMER_SHORT, size, name);
	if (!good)
		ok(0, "%s: k %llu: %s", name, (unsigned long long)c->par.k,
		   c->why);
	return good;
}

#endif
