/* SPDX-License-Identifier: MIT */
/*
 * sellers.c - the textbook search, written for reading, to compare with
 *
 * usage: sellers K REPORT PATTERNS.fa < TEXT.fa
 * K may end in %; REPORT is all, minima or best (per pattern, all texts and
 * strands).  Prints "query strand subject send edits", sorted by nothing.
 * Patterns may hold IUPAC codes; the text's match nothing.
 */
#include "tests/lib/book.h"
#include "tests/oracle/oracle.h"

static void
reverse_complement(char *s, size_t n)
{
	static const char codes[] = "ACGTRYSWKMBDHVN", mates[] =
		"TGCAYRSWMKVHDBN";

	for (size_t i = 0, k = n; i < k--; i++) {
		char a = s[i], b = s[k];

		s[i] = mates[strchr(codes, b) - codes];
		s[k] = mates[strchr(codes, a) - codes];
	}
}

struct search {
	struct seq *text;
	size_t n_text;
	uint32_t k;
	bool all, print;
};

/* Go through all texts; print ends of up to k, and lower the least distance. */
static void
scan(const struct search *x, const struct seq *p, char strand, uint32_t *least)
{
	static const struct oracle_match how = { ORACLE_DNA, false };

	for (size_t t = 0; t < x->n_text; t++) {
		const struct seq *s = x->text + t;
		uint32_t *D = oracle_sellers(how, (uint8_t *)p->s, p->n,
					     (uint8_t *)s->s, s->n);
		const uint32_t *d = D + p->n * (s->n + 1);

		for (size_t j = 1; j <= s->n; j++) {
			*least = oracle_min(*least, d[j]);
			if (x->print && d[j] <= x->k &&
			    (x->all || oracle_minimum(d, s->n, p->n, x->k, j)))
				printf("%s\t%c\t%s\t%zu\t%u\n", p->name,
				       strand, s->name, j, d[j]);
		}
		free(D);
	}
}

static void
both_strands(const struct search *x, struct seq *p, uint32_t *least)
{
	scan(x, p, '+', least);
	reverse_complement(p->s, p->n);
	scan(x, p, '-', least);
	reverse_complement(p->s, p->n);
}

int
main(int argc, char **argv)
{
	struct search x = { 0 };
	struct seq *pat;
	size_t n_pat;
	uint32_t k;
	bool best;

	if (argc != 4)
		return 2;
	best = !strcmp(argv[2], "best");
	x.all = strcmp(argv[2], "minima") != 0;
	pat = book_load(argv[3], dna_letter, &n_pat);
	x.text = book_load("-", dna_letter, &x.n_text);
	for (size_t i = 0; i < n_pat; i++) {
		k = (uint32_t)atoi(argv[1]);
		if (strchr(argv[1], '%'))
			k = (uint32_t)(pat[i].n * k / 100);
		if (best) {	/* find the least first */
			x.print = false;
			both_strands(&x, pat + i, &k);
		}
		x.print = true;
		x.k = k;
		both_strands(&x, pat + i, &k);
	}
	return 0;
}
