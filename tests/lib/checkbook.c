/* SPDX-License-Identifier: MIT */
/*
 * checkbook.c - primer-find --check by its definition, to compare with
 *
 * usage: checkbook K STRANDS PRIMERS.fa < BACKGROUND.fa
 * STRANDS is +, - or both.  Prints the columns primer, verdict, places and
 * site_* of every primer, which may hold IUPAC codes, as may the background,
 * where N matches nothing.
 */
#include "tests/lib/book.h"
#include "tests/oracle/oracle.h"

enum { MAX_K = 100, MAX_OPS = 400 };

struct place {
	const struct seq *text;
	size_t beg, end;
	uint32_t edits;
	char strand, ops[MAX_OPS];
};

static const struct oracle_match how = { ORACLE_DNA, true };
static uint32_t k;
static const struct seq *text;
static size_t n_text;

/* In the background: N has an empty set. */
static int
letter(int c)
{
	c = dna_letter(c);
	return c == 'N' ? '-' : c;
}

static void
reverse_complement(const struct seq *p, char *to)
{
	static const char codes[] = "ACGTRYSWKMBDHVN", mates[] =
		"TGCAYRSWMKVHDBN";

	for (size_t i = 0; i < p->n; i++)
		to[p->n - 1 - i] = mates[strchr(codes, p->s[i]) - codes];
	to[p->n] = 0;
}

/* Is the end before that of x, in the same text or a later one? */
static int
is_better(uint32_t edits, size_t end, const struct seq *t,
	  const struct place *x)
{
	return !x->text || edits < x->edits ||
	       (edits == x->edits && t == x->text && end < x->end);
}

static void
scan(const char *p, size_t m, char strand, uint32_t most, const struct seq *t,
     size_t *places, struct place *near)
{
	const uint8_t *pat = (const uint8_t *)p, *s = (const uint8_t *)t->s;
	uint32_t *D = oracle_exact(how, pat, m, 0, 0, s, t->n);
	const uint32_t *d = D + m * (t->n + 1);

	for (size_t j = 1; j <= t->n; j++) {
		if (!oracle_minimum(d, t->n, m, most, j))
			continue;
		places[d[j]]++;
		if (!is_better(d[j], j, t, near))
			continue;
		*near = (struct place){ t, 0, j, d[j], strand, { 0 } };
		oracle_exact_trace(how, D, pat, m, 0, 0, s, t->n, j, near->ops,
				   &near->beg);
	}
	free(D);
}

static void
print_place(const struct place *x)
{
	const char *ops = x->ops;

	if (!x->text) {
		puts("\t*\t*\t*\t*\t*\t*");
		return;
	}
	printf("\t%s\t%c\t%zu\t%zu\t%u\t", x->text->name, x->strand, x->beg,
	       x->end, x->edits);
	while (*ops) {
		size_t n = strspn(ops, (char[]){ *ops, 0 });

		printf("%zu%c", n, *ops);
		ops += n;
	}
	putchar('\n');
}

static void
check(const struct seq *p, const char *strands)
{
	uint32_t most = p->n > k ? k : (uint32_t)p->n - 1;
	size_t places[MAX_K + 1] = { 0 };
	struct place near = { 0 };
	char *r = malloc(p->n + 1);

	reverse_complement(p, r);
	for (size_t t = 0; t < n_text; t++) {
		if (*strands != '-')
			scan(p->s, p->n, '+', most, text + t, places, &near);
		if (*strands != '+')
			scan(r, p->n, '-', most, text + t, places, &near);
	}
	free(r);
	printf("%s\t%s", p->name, p->n < k || (near.text && near.edits < k) ?
	       "fail" : "pass");
	for (size_t i = 0; i <= k; i++)
		printf("%c%zu", i ? ',' : '\t', places[i]);
	print_place(&near);
}

int
main(int argc, char **argv)
{
	struct seq *p;
	size_t n;

	if (argc != 4)
		return 2;
	k = (uint32_t)atoi(argv[1]);
	if (k > MAX_K)
		return 2;
	p = book_load(argv[3], dna_letter, &n);
	text = book_load("-", letter, &n_text);
	for (size_t i = 0; i < n; i++)
		check(p + i, argv[2]);
	return 0;
}
