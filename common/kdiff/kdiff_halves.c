/* SPDX-License-Identifier: MIT */
/*
 * kdiff_halves.c - many short patterns, looked up by words of their halves
 *
 * What kdiff_pam.c does for guides beside a PAM, with every place of the text
 * in place of those of a PAM: all ends with at most k differences.
 */

#include <stdlib.h>

#include "kdiff/kdiff_halves.h"
#include "kdiff/kdiff_pam.h"
#include "kdiff/kdiff_pam_kern.h"

struct kdiff_halves {
	struct kdiff_pam *pam;
};

/*
 * Numbers of patterns from which on it is at least half as fast again as what
 * else there is, by k and letters: words of longer patterns are rarer.  So it
 * is in random text; where patterns are of repeats, nothing is gained or lost.
 * With 5 differences it never was.
 */
static const struct {
	uint32_t k, m;
	size_t n;
} pays[] = {
	{ 4, 20, 240 }, { 4, 22, 160 }, { 4, 24, 100 },
};

static bool
is_plain(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	bool plain = p->m < 32 && p->m + p->k <= 32 && p->k <= PAM_MAX_K;

	for (uint32_t r = 0; r < p->m && plain; r++) {
		unsigned s = set->sym[p->code[r]];

		plain = s && !(s & (s - 1));
	}
	return plain;
}

static bool
pay(const struct kdiff_set *set, bool must)
{
	uint32_t m = UINT32_MAX, k = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];

		if (!is_plain(set, p) || (i && p->k != k))
			return false;
		k = p->k;
		m = p->m < m ? p->m : m;
	}
	for (size_t i = 0; i < sizeof pays / sizeof *pays && !must; i++)
		if (k == pays[i].k && m >= pays[i].m && set->n >= pays[i].n)
			return true;
	return must;
}

static int
add_pattern(struct kdiff_halves *h, const struct kdiff_set *set,
	    const struct kdiff_pat *p, struct err *e)
{
	uint8_t letters[32];

	for (uint32_t r = 0; r < p->m; r++)
		letters[r] = (uint8_t)"ACGT"[__builtin_ctz(
		    set->sym[p->code[r]])];
	return kdiff_pam_add(h->pam, letters, p->m, p->k, e);
}

int
kdiff_halves_new(struct kdiff_halves **out, const struct kdiff_set *set,
		 bool must, struct err *e)
{
	struct kdiff_pam_params p = { .plus = true, .max = KDIFF_NO_LIMITS };
	struct kdiff_halves *h;
	int r;

	*out = NULL;
	if (set->p.alphabet != KDIFF_DNA || set->p.hamming || !pay(set, must))
		return 0;
	h = calloc(1, sizeof *h);
	if (!h)
		return err_nomem(e, sizeof *h);
	r = kdiff_pam_new(&h->pam, &p, e);
	for (size_t i = 0; i < set->n && !r; i++)
		r = add_pattern(h, set, &set->pat[i], e);
	if (r)
		kdiff_halves_free(h);
	else
		*out = h;
	return r;
}

void
kdiff_halves_free(struct kdiff_halves *h)
{
	if (!h)
		return;
	kdiff_pam_free(h->pam);
	free(h);
}

struct found {
	struct kdiff_hits *to;
};

static int
take(void *ctx, const struct kdiff_site *v, size_t n, struct err *e)
{
	struct kdiff_hits *to = ((struct found *)ctx)->to;
	int r = kdiff_hits_room(to, n, e);

	for (size_t i = 0; i < n && !r; i++)
		to->v[to->n++] = (struct kdiff_hit){ v[i].edge, v[i].dist,
						     v[i].guide };
	return r;
}

/* Every end counts, also for minima beside it. */
static int
all_ends(const struct kdiff_text *text, struct kdiff_work *w,
	 struct kdiff_text *all, struct err *e)
{
	int r = array_room(&w->seg, &w->seg_cap, text->n_seg, sizeof *w->seg,
			   e);

	*all = *text;
	all->seg = w->seg;
	for (size_t i = 0; i < text->n_seg && !r; i++) {
		w->seg[i] = text->seg[i];
		w->seg[i].from = w->seg[i].beg + 1;
		w->seg[i].to = w->seg[i].end;
	}
	return r;
}

int
kdiff_halves_scan(struct kdiff_halves *h, const struct kdiff_text *text,
		  struct kdiff_work *w, struct kdiff_hits *out, struct err *e)
{
	struct found f = { out };
	struct kdiff_text all;
	size_t from = out->n;
	int r = all_ends(text, w, &all, e);

	if (!r && !w->halves)
		r = kdiff_pam_work_new(&w->halves, e);
	if (!r)
		r = kdiff_pam_each(h->pam, &all, w->halves, take, &f, e);
	return r ? r : kdiff_hits_order(out, from, &w->tmp, e);
}
