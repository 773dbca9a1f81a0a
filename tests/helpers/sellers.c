/* SPDX-License-Identifier: MIT */
/*
 * sellers.c - the textbook search, written for reading, to compare with
 *
 * usage: sellers K REPORT PATTERNS.fa < TEXT.fa
 * K may end in %; REPORT is all, minima or best (per pattern, all texts and
 * strands).  Prints "query strand subject send edits", sorted by nothing.
 * Patterns may hold IUPAC codes; the text's match nothing.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seq {
	char *name, *s;
	size_t n;
};

static const char codes[] = "ACGTRYSWKMBDHVN", mates[] = "TGCAYRSWMKVHDBN";
static const char *const sets[] = {
	"A", "C", "G", "T", "AG", "CT", "CG", "AT", "GT", "AC", "CGT", "AGT",
	"ACT", "ACG", "ACGT",
};

static struct seq *
load(FILE *f, size_t *n)
{
	struct seq *v = NULL, *q;
	char *line = NULL;
	size_t cap = 0, room = 0;
	ssize_t len;

	for (*n = 0; f && (len = getline(&line, &cap, f)) >= 0;) {
		while (len && isspace((unsigned char)line[len - 1]))
			line[--len] = 0;
		if (line[0] == '>') {
			v = realloc(v, (*n + 1) * sizeof *v);
			v[(*n)++] = (struct seq){
				strndup(line + 1, strcspn(line + 1, " \t")),
				calloc(1, 1), 0 };
			room = 1;
			continue;
		}
		q = v + *n - 1;
		while (q->n + (size_t)len + 1 > room)
			q->s = realloc(q->s, room = 2 * room + 100);
		for (ssize_t i = 0; i < len; i++) {
			int c = toupper((unsigned char)line[i]);

			q->s[q->n++] = (char)(c == 'U' ? 'T' : c);
		}
	}
	free(line);
	return v;
}

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

int
main(int argc, char **argv)
{
	size_t n_pat, n_text;
	struct seq *pat, *text;
	const char *report;
	int *d, k, best, least = 0;
	FILE *f;

	if (argc != 4 || !(f = fopen(argv[3], "r")))
		return 2;
	report = argv[2];
	least = !strcmp(report, "best");
	pat = load(f, &n_pat);
	text = load(stdin, &n_text);
	for (size_t i = 0; i < n_pat; i++) {
		struct seq *p = pat + i;

		k = atoi(argv[1]);
		if (strchr(argv[1], '%'))
			k = (int)(p->n * (size_t)k / 100);
		best = k;
		/* twice for best: find the least, then print */
		for (int pass = !least; pass < 2; pass++)
			for (int s = 0; s < 2; s++) {
				for (size_t t = 0; t < n_text; t++) {
					d = malloc((text[t].n + 1) * sizeof *d);
					distances(p->s, p->n, text + t, d);
					for (size_t j = 1; j <= text[t].n; j++)
						if (!pass)
							best = d[j] < best ? d[j] : best;
						else if (d[j] <= best &&
							 (strcmp(report, "minima") ||
							  is_minimum(d, text[t].n, j, p->n)))
							printf("%s\t%c\t%s\t%zu\t%d\n",
							       p->name, "+-"[s],
							       text[t].name, j, d[j]);
					free(d);
				}
				reverse_complement(p->s, p->n);
			}
	}
	return 0;
}
