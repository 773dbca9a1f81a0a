/* SPDX-License-Identifier: MIT */
/*
 * primerbook.c - k-difference primers by their definition, written for
 * reading, to compare with
 *
 * usage: primerbook [options] TARGETS.fa BACKGROUND.fa
 * Options are those of primer-find: -k, -s, --min-len, --max-len,
 * --three-prime LEN:K, --primers, --literal, --gc LO-HI (whole percent),
 * --max-homopolymer N, --fit, --site, --self NAME[:BEG-END] (0-based, the end
 * not included; may be given again).  Prints primer-find's table without its
 * first line; of a site its subject, strand, end and edits.
 */
#define _GNU_SOURCE
#include <getopt.h>

#include "tests/lib/book.h"

struct row {
	size_t beg, end, from;	/* from: of the letters, along the strand */
	char strand;
};

static const char codes[] = "ACGTRYSWKMBDHVN", mates[] = "TGCAYRSWMKVHDBN";
/* N matches nothing. */
static const char *const sets[] = {
	"A", "C", "G", "T", "AG", "CT", "CG", "AT", "GT", "AC", "CGT", "AGT",
	"ACT", "ACG", "",
};
static long k = 1, min_len, max_len, tail, tail_k, same, gc_lo, gc_hi = 100;
static int literal, site, fit;
static const char *self[16];
static size_t n_self;
static const struct seq *back;	/* the background, its + strand */
static size_t n_back;
static const char *strands = "both", *primers = "+";

/* The target's own places become N. */
static void
hide(struct seq *q)
{
	for (size_t i = 0; i < n_self; i++) {
		size_t n = strcspn(self[i], ":"), beg = 0, end = q->n;

		if (strlen(q->name) != n || strncmp(q->name, self[i], n) != 0)
			continue;
		if (self[i][n])
			sscanf(self[i] + n + 1, "%zu-%zu", &beg, &end);
		for (; beg < end && beg < q->n; beg++)
			q->s[beg] = 'N';
	}
}

static struct seq
reverse_complement(const struct seq *q)
{
	struct seq r = { q->name, malloc(q->n + 1), q->n };

	for (size_t i = 0; i < q->n; i++)
		r.s[i] = mates[strchr(codes, q->s[q->n - 1 - i]) - codes];
	return r;
}

static int
matches(char p, char t)
{
	const char *c = strchr(codes, t);

	return literal ? p == t : c && strchr(sets[c - codes], p);
}

static int
may_stand(char c)
{
	return literal || strchr("ACGT", c);
}

/* d[i], i = 0..m: least distance of p[0..i) to any substring of t, if less. */
static void
distances(const char *p, size_t m, const struct seq *t, long *d)
{
	long *col = malloc((m + 1) * sizeof *col);

	for (size_t i = 0; i <= m; i++)
		col[i] = (long)i;
	for (size_t j = 0; j <= t->n; j++) {
		long diag = 0;

		for (size_t i = 0; i <= m; i++)
			d[i] = col[i] < d[i] ? col[i] : d[i];
		for (size_t i = 1; i <= m && j < t->n; i++) {
			long old = col[i];
			long x = diag + !matches(p[i - 1], t->s[j]);

			if (old + 1 < x)
				x = old + 1;
			if (col[i - 1] + 1 < x)
				x = col[i - 1] + 1;
			diag = old;
			col[i] = x;
		}
	}
	free(col);
}

/* col[i]: least distance of p[0..i) to what ends before t; c comes next. */
static void
next_column(const char *p, size_t m, char c, int mate, long *col)
{
	long diag = 0;

	for (size_t i = 1; i <= m; i++) {
		char x = mate ? mates[strchr(codes, p[m - i]) - codes] :
				p[i - 1];
		long v = diag + !matches(x, c);

		v = col[i] + 1 < v ? col[i] + 1 : v;
		v = col[i - 1] + 1 < v ? col[i - 1] + 1 : v;
		diag = col[i];
		col[i] = v;
	}
}

/* The first of the nearest ends by subject, end, strand; at a match at least:
 * what has none costs all letters, and counts for nothing. */
static void
print_site(const char *p, size_t m)
{
	long *col[2], best = (long)m;
	const char *name = "*";
	size_t end = 0;
	int strand = 0;

	for (int x = 0; x < 2; x++)
		col[x] = malloc((m + 1) * sizeof **col);
	for (size_t q = 0; q < n_back; q++) {
		for (size_t i = 0; i <= m; i++)
			col[0][i] = col[1][i] = (long)i;
		for (size_t j = 0; j < back[q].n; j++)
			for (int x = 0; x < 2; x++) {
				next_column(p, m, back[q].s[j], x, col[x]);
				if (*strands == (x ? '+' : '-') ||
				    col[x][m] >= best)
					continue;
				best = col[x][m];
				name = back[q].name;
				end = j + 1;
				strand = x;
			}
	}
	if (best < (long)m)
		printf("\t%s\t%c\t%zu\t%ld", name, "+-"[strand], end, best);
	else
		printf("\t*\t*\t*\t*");
	free(col[0]);
	free(col[1]);
}

/* May a[0..n) be reported, by what drops primers? */
static int
passes(const char *a, size_t n)
{
	long gc = 0, run = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		gc += a[i] == 'G' || a[i] == 'C';
		run = i && a[i] == a[i - 1] ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return (!max_len || (long)n <= max_len) && (!same || most <= same) &&
	       100 * gc >= gc_lo * (long)n && 100 * gc <= gc_hi * (long)n;
}

/* Rows of one strand of a target; d[j] are the distances from start j on. */
static size_t
rows_of(const struct seq *a, char strand, long **d, struct row *row)
{
	size_t n = 0;

	for (size_t j = 0; j < a->n; j++)
		for (size_t e = j + 1; e <= a->n && may_stand(a->s[e - 1]);
		     e++) {
			long len = (long)(e - j);

			if (len < min_len || len < tail || d[j][len] < k ||
			    (tail && d[e - (size_t)tail][tail] < tail_k))
				continue;
			if (fit && !passes(a->s + j, e - j))
				continue;
			if (passes(a->s + j, e - j))
				row[n++] = (struct row){
					strand == '+' ? j : a->n - e,
					strand == '+' ? e : a->n - j, j,
					strand };
			break;
		}
	return n;
}

static size_t
search(const struct seq *a, char strand, const struct seq *b, size_t n,
       struct row *row)
{
	long **d = malloc((a->n + 1) * sizeof *d);
	size_t rows;

	for (size_t j = 0; j < a->n; j++) {
		size_t m = a->n - j;

		d[j] = malloc((m + 1) * sizeof **d);
		for (size_t i = 0; i <= m; i++)
			d[j][i] = (long)i;
		for (size_t i = 0; i < n; i++)
			distances(a->s + j, m, b + i, d[j]);
	}
	rows = rows_of(a, strand, d, row);
	for (size_t j = 0; j < a->n; j++)
		free(d[j]);
	free(d);
	return rows;
}

static int
cmp(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->beg != b->beg)
		return a->beg < b->beg ? -1 : 1;
	if (a->strand != b->strand)
		return a->strand == '+' ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void
target(const struct seq *a, const struct seq *b, size_t n)
{
	struct row *row = malloc((2 * a->n + 1) * sizeof *row);
	struct seq rc = { 0 };
	size_t rows = 0;

	if (*primers != '-')
		rows = search(a, '+', b, n, row);
	if (*primers != '+') {
		rc = reverse_complement(a);
		rows += search(&rc, '-', b, n, row + rows);
	}
	qsort(row, rows, sizeof *row, cmp);
	for (size_t i = 0; i < rows; i++) {
		const char *s = row[i].strand == '+' ? a->s : rc.s;
		size_t len = row[i].end - row[i].beg;

		printf("%s\t%zu\t%zu\t%zu\t%ld\t%.*s\t%c", a->name,
		       row[i].beg, row[i].end, len, k, (int)len,
		       s + row[i].from, row[i].strand);
		if (site)
			print_site(s + row[i].from, len);
		putchar('\n');
	}
	free(row);
	free(rc.s);
}

static void
options(int argc, char **argv)
{
	static const struct option words[] = {
		{ "min-len", 1, NULL, 'm' }, { "max-len", 1, NULL, 'M' },
		{ "three-prime", 1, NULL, '3' }, { "primers", 1, NULL, 'p' },
		{ "literal", 0, NULL, 'l' }, { "gc", 1, NULL, 'g' },
		{ "max-homopolymer", 1, NULL, 'h' }, { "site", 0, NULL, 'S' },
		{ "self", 1, NULL, 'x' }, { "fit", 0, NULL, 'F' }, { 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "k:s:", words, NULL)) != -1)
		switch (c) {
		case 'k': k = atol(optarg); break;
		case 's': strands = optarg; break;
		case 'm': min_len = atol(optarg); break;
		case 'M': max_len = atol(optarg); break;
		case '3': sscanf(optarg, "%ld:%ld", &tail, &tail_k); break;
		case 'p': primers = optarg; break;
		case 'l': literal = 1; strands = "+"; break;
		case 'g': sscanf(optarg, "%ld-%ld", &gc_lo, &gc_hi); break;
		case 'h': same = atol(optarg); break;
		case 'S': site = 1; break;
		case 'F': fit = 1; break;
		case 'x': self[n_self++ % 16] = optarg; break;
		default: exit(2);
		}
}

int
main(int argc, char **argv)
{
	size_t na, nb, n = 0;
	struct seq *a, *b, *both;

	options(argc, argv);
	if (argc - optind != 2)
		return 2;
	a = book_load(argv[optind], literal ? NULL : dna_letter, &na);
	b = book_load(argv[optind + 1], literal ? NULL : dna_letter, &nb);
	for (size_t i = 0; i < nb; i++)
		hide(&b[i]);
	back = b;
	n_back = nb;
	both = malloc((2 * nb + 1) * sizeof *both);
	for (size_t i = 0; i < nb; i++) {
		if (*strands != '-')
			both[n++] = b[i];
		if (*strands != '+')
			both[n++] = reverse_complement(&b[i]);
	}
	for (size_t i = 0; i < na; i++)
		target(&a[i], both, n);
	return 0;
}
