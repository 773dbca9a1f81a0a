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

static const char codes[] = "ACGTRYSWKMBDHVN", mates[] = "TGCAYRSWMKVHDBN";
static const char *const sets[] = {
	"A", "C", "G", "T", "AG", "CT", "CG", "AT", "GT", "AC", "CGT", "AGT",
	"ACT", "ACG", "ACGT",
};

static int
matches(char p, char t)
{
	const char *c = strchr(codes, p);

	return c && strchr(sets[c - codes], t);
}

static void
reverse_complement(char *s, size_t n)
{
	for (size_t i = 0, k = n; i < k--; i++) {
		char a = s[i], b = s[k];

		s[i] = mates[strchr(codes, b) - codes];
		s[k] = mates[strchr(codes, a) - codes];
	}
}

/* D(0..n) */
static void
distances(const char *p, size_t m, const struct seq *t, int *d)
{
	int *col = malloc((m + 1) * sizeof *col), diag, up;

	for (size_t i = 0; i <= m; i++)
		col[i] = (int)i;
	d[0] = (int)m;
	for (size_t j = 1; j <= t->n; j++) {
		diag = 0;
		for (size_t i = 1; i <= m; i++) {
			up = col[i];
			col[i] = diag + !matches(p[i - 1], t->s[j - 1]);
			if (col[i] > up + 1)
				col[i] = up + 1;
			if (col[i] > col[i - 1] + 1)
				col[i] = col[i - 1] + 1;
			diag = up;
		}
		d[j] = col[m];
	}
	free(col);
}

static int
is_minimum(const int *d, size_t n, size_t j, size_t m)
{
	size_t beg = j;

	if (j < n && d[j + 1] <= d[j])
		return 0;
	while (beg > 1 && d[beg - 1] == d[j])
		beg--;
	return d[beg - 1] > d[j] || j - beg + 1 > m;
}

struct search {
	struct seq *text;
	size_t n_text;
	int k, all, print;
};

/* Go through all texts; print ends of up to k, and lower the least distance. */
static void
scan(const struct search *x, const struct seq *p, char strand, int *least)
{
	for (size_t t = 0; t < x->n_text; t++) {
		const struct seq *s = x->text + t;
		int *d = malloc((s->n + 1) * sizeof *d);

		distances(p->s, p->n, s, d);
		for (size_t j = 1; j <= s->n; j++) {
			if (d[j] < *least)
				*least = d[j];
			if (x->print && d[j] <= x->k &&
			    (x->all || is_minimum(d, s->n, j, p->n)))
				printf("%s\t%c\t%s\t%zu\t%d\n", p->name,
				       strand, s->name, j, d[j]);
		}
		free(d);
	}
}

static void
both_strands(const struct search *x, struct seq *p, int *least)
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
	int best, k;

	if (argc != 4)
		return 2;
	best = !strcmp(argv[2], "best");
	x.all = strcmp(argv[2], "minima") != 0;
	pat = book_load(argv[3], dna_letter, &n_pat);
	x.text = book_load("-", dna_letter, &x.n_text);
	for (size_t i = 0; i < n_pat; i++) {
		k = atoi(argv[1]);
		if (strchr(argv[1], '%'))
			k = (int)(pat[i].n * (size_t)k / 100);
		if (best) {	/* find the least first */
			x.print = 0;
			both_strands(&x, pat + i, &k);
		}
		x.print = 1;
		x.k = k;
		both_strands(&x, pat + i, &k);
	}
	return 0;
}
