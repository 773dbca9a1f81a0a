/* SPDX-License-Identifier: MIT */
/* primer_scan_paper.c - a chunk in the source's way, by a GPU or here */
#include "scan/primer_scan_priv.h"

/* So many threads for each start, and for starts. */
struct primer_paper
primer_scan_share(const struct primer_scan *s, unsigned threads)
{
	const char *how = s->o.parallel ? s->o.parallel : "coarse";
	unsigned fine = *how == 'c' ? 0 : *how == 'f' ? threads :
			threads < 2 ? 1 : 2;

	return (struct primer_paper){
		.method = s->o.method, .optimisations = s->optimisations,
		.coarse = fine ? threads / fine : threads, .fine = fine,
	};
}

/* One text after the other. */
static int
each(const struct primer_paper_helper *h, const struct primer_text *x,
     struct primer *const *search, const struct primer_paper *how,
     struct primer_paper_stats *did, struct err *e)
{
	const uint8_t *symbols = x->symbols.p;
	size_t beg = 0;
	int rc = 0;

	for (size_t i = 0; i < x->n && !rc; beg = x->end[i++])
		for (int k = 0; k < SEARCHES && !rc; k++) {
			size_t n = x->end[i] - beg;

			if (!search[k])
				continue;
			rc = h ? primer_paper_by(h, search[k], symbols + beg, n,
						 how, did, e) :
				 primer_paper(search[k], symbols + beg, n, how,
					      did, e);
		}
	return rc;
}

int
primer_scan_paper(const struct primer_scan *s, const struct primer_text *x,
		  struct primer *const *search, const struct primer_paper *how,
		  struct primer_paper_stats *did, struct err *e)
{
	struct primer_paper gpu = *how;
	int rc = PRIMER_NOT_NOW;

	gpu.optimisations = s->gpu_optimisations;
	if (s->helper)
		rc = each(s->helper, x, search, &gpu, did, e);
	if (rc == PRIMER_NOT_NOW && s->o.paper)
		rc = each(NULL, x, search, how, did, e);
	return rc;
}
