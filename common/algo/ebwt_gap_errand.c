/* SPDX-License-Identifier: MIT */
/* ebwt_gap_errand.c - words and gaps as a helper takes them */
#include "algo/ebwt_gap_errand.h"

#include <stdlib.h>
#include <string.h>

static const char letters[] = "ACGT";

static inline uint32_t
code(uint8_t c)	/* A, C, G, T: 0 to 3 */
{
	return (c >> 1 ^ c >> 2) & 3;
}

/* Of each depth: is it the same in all words? */
static int
find_varied(struct gap_list *l, const struct ebwt_gap_words *w, struct err *e)
{
	uint8_t *differ = calloc(w->len, 1);
	uint32_t k = 0;

	if (!differ)
		return err_nomem(e, w->len);
	for (size_t i = 1; i < w->n; i++)
		for (size_t d = 0; d < w->len; d++)
			differ[d] |= w->letters[i * w->len + d] ^ w->letters[d];
	for (size_t d = 0; d < w->len; d++) {
		size_t at = w->len - 1 - d;

		l->letter[d] = (uint16_t)(differ[at] ? 4 + k++ :
					  code(w->letters[at]));
	}
	free(differ);
	l->n_varied = k;
	return 0;
}

static void
put_word(struct gap_list *l, uint32_t i, const uint8_t *s)
{
	for (uint32_t d = 0; d < l->len; d++) {
		uint32_t k = l->letter[d];

		if (k < 4)
			continue;
		k -= 4;
		l->varied[(uint64_t)(k / 16) * l->n + i] |=
			code(s[l->len - 1 - d]) << k % 16 * 2;
	}
}

int
gap_list_new(struct gap_list *l, const struct ebwt_gap_words *w, struct err *e)
{
	int rc;

	*l = (struct gap_list){ .n = w->n, .len = (uint32_t)w->len };
	if (!w->n || w->len < 1 || w->len > GAP_LIST_LEN)
		return err_set(e, ERR_LIMIT, "%u words of %zu letters: must be "
			       "1 to %d", w->n, w->len, GAP_LIST_LEN);
	l->letter = malloc(w->len * sizeof *l->letter);
	if (!l->letter)
		return err_nomem(e, w->len * sizeof *l->letter);
	rc = find_varied(l, w, e);
	if (!rc) {
		l->varied = calloc(gap_list_numbers(l) + 1, sizeof *l->varied);
		rc = l->varied ? 0 : err_nomem(e, gap_list_numbers(l) *
					       sizeof *l->varied);
	}
	for (uint32_t i = 0; i < l->n && !rc; i++)
		put_word(l, i, w->letters + (size_t)w->order[i] * w->len);
	if (rc)
		gap_list_free(l);
	return rc;
}

void
gap_list_free(struct gap_list *l)
{
	free(l->letter);
	free(l->varied);
	*l = (struct gap_list){ 0 };
}

void
gap_table(const struct ebwt_gap *g, uint16_t *next)
{
	for (uint32_t at = 0; at <= g->m; at++)
		for (int c = 0; c < 4; c++)
			*next++ = (uint16_t)ebwt_gap_step(g, at,
							  (uint8_t)letters[c]);
}

uint64_t *
gap_terms_new(uint32_t most_runs)
{
	uint64_t *term = malloc(gap_term_at(most_runs + 1ull) * sizeof *term);

	for (uint32_t runs = 0; term && runs <= most_runs; runs++)
		for (uint32_t c = 0; c <= runs; c++)
			term[gap_term_at(runs) + c] = ebwt_bits_of(c, runs);
	return term;
}
