/* SPDX-License-Identifier: MIT */
/*
 * pcrbook.c - products of PCR by their definition, to compare with
 *
 * usage: pcrbook K SUFFIX MIN MAX edits|hamming pairs|all PAIRS.tsv < TEXT.fa
 * Every site is found by the textbook's matrix, every two sites are tried.
 * Prints the rows of pcr-find, sorted by nothing.
 */
#include "tests/lib/book.h"
#include "tests/oracle/oracle.h"

enum { MAX_PAIRS = 200, MAX_OPS = 400 };

struct primer {
	char name[80], letters[200];
};
struct site {
	size_t beg, end;
	uint32_t edits;
	bool shadowed;
	char ops[MAX_OPS];
};
struct sites {
	struct site *v;
	size_t n;
};

static struct primer primer[2 * MAX_PAIRS];
static struct {
	char name[80];
	size_t f, r;
} pair[MAX_PAIRS];
static size_t n_primers, n_pairs;
static uint32_t k;
static size_t suffix, min, max;
static bool hamming, all;
static const struct oracle_match how = { ORACLE_DNA, false };

static size_t
add_primer(const char *name, const char *side, const char *letters)
{
	struct primer *p = &primer[n_primers];

	snprintf(p->name, sizeof p->name, "%s/%s", name, side);
	snprintf(p->letters, sizeof p->letters, "%s", letters);
	return n_primers++;
}

static void
read_pairs(const char *path)
{
	char line[600], name[70], f[200], r[200];
	FILE *in = fopen(path, "r");

	if (!in)
		exit(1);
	while (n_pairs < MAX_PAIRS && fgets(line, sizeof line, in)) {
		int n = sscanf(line, "%69s %199s %199s", name, f, r);

		if (n < 2 || *name == '#')
			continue;
		strcpy(pair[n_pairs].name, name);
		pair[n_pairs].f = pair[n_pairs].r = add_primer(name, "F", f);
		if (n == 3)
			pair[n_pairs].r = add_primer(name, "R", r);
		n_pairs++;
	}
	fclose(in);
}

static void
reverse_complement(char *s)
{
	static const char codes[] = "ACGTURYSWKMBDHVN", mates[] =
		"TGCAAYRSWMKVHDBN";
	size_t n = strlen(s);

	for (size_t i = 0, m = n; i < m--; i++) {
		char a = s[i], b = s[m];

		s[i] = mates[strchr(codes, b) - codes];
		s[m] = mates[strchr(codes, a) - codes];
	}
}

/* All sites of a pattern; minus: it is a primer's reverse complement. */
static struct sites
find_sites(const char *p, bool minus, const struct seq *t)
{
	const uint8_t *pat = (const uint8_t *)p, *s = (const uint8_t *)t->s;
	size_t m = strlen(p), head = minus ? suffix : 0, tail = suffix - head;
	struct sites f = { calloc(t->n + 1, sizeof *f.v), 0 };
	uint32_t *D, *d;

	D = hamming ? oracle_exact_hamming(how, pat, m, head, tail, s, t->n) :
		      oracle_exact(how, pat, m, head, tail, s, t->n);
	d = hamming ? D : D + m * (t->n + 1);
	for (size_t j = 1; j <= t->n; j++) {
		struct site *x = &f.v[f.n];

		if (d[j] > k || (!hamming &&
				 !oracle_minimum(d, t->n, m, k, j)))
			continue;
		f.n++;
		x->end = j;
		x->edits = d[j];
		x->beg = j - m;
		for (size_t i = 0; hamming && i < m; i++)
			x->ops[i] = oracle_equal(how, pat[i], s[j - m + i]) ?
				    '=' : 'X';
		if (!hamming)
			oracle_exact_trace(how, D, pat, m, head, tail, s,
					   t->n, j, x->ops, &x->beg);
	}
	free(D);
	return f;
}

static size_t
length(const struct site *s)
{
	return s->end - s->beg;
}

static void
cast_shadows(struct sites *f)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t h = 0; h < f->n; h++) {
			const struct site *a = &f->v[i], *b = &f->v[h];
			size_t beg = a->beg > b->beg ? a->beg : b->beg;
			size_t end = a->end < b->end ? a->end : b->end;
			size_t len = length(a) < length(b) ? length(a) :
							     length(b);

			if (b->edits < a->edits && end > beg &&
			    2 * (end - beg) > len)
				f->v[i].shadowed = true;
		}
}

static void
print_cigar(const char *ops)
{
	putchar('\t');
	while (*ops) {
		size_t n = strspn(ops, (char[]){ *ops, 0 });

		printf("%zu%c", n, *ops);
		ops += n;
	}
}

static void
print_products(const char *name, const struct seq *t, char strand,
	       const struct sites *left, const struct sites *right)
{
	for (size_t i = 0; i < left->n; i++)
		for (size_t h = 0; h < right->n; h++) {
			const struct site *a = &left->v[i], *c = &right->v[h];
			const struct site *f = strand == '+' ? a : c;
			const struct site *r = strand == '+' ? c : a;

			if (a->shadowed || c->shadowed || a->beg > c->beg ||
			    a->end > c->end || c->end - a->beg < min ||
			    c->end - a->beg > max)
				continue;
			printf("%s\t%s\t%c\t%zu\t%zu\t%zu\t%u\t%u", name,
			       t->name, strand, a->beg, c->end,
			       c->end - a->beg, f->edits, r->edits);
			print_cigar(f->ops);
			print_cigar(r->ops);
			putchar('\n');
		}
}

static void
print_pair(const char *name, const struct seq *t, const struct sites *plus,
	   const struct sites *minus, size_t f, size_t r)
{
	print_products(name, t, '+', &plus[f], &minus[r]);
	if (f != r)
		print_products(name, t, '-', &plus[r], &minus[f]);
}

static bool
is_pair(size_t f, size_t r)
{
	for (size_t i = 0; i < n_pairs; i++)
		if ((pair[i].f == f && pair[i].r == r) ||
		    (pair[i].f == r && pair[i].r == f))
			return true;
	return false;
}

static void
search(const struct seq *t)
{
	struct sites plus[2 * MAX_PAIRS], minus[2 * MAX_PAIRS];
	char name[200];

	for (size_t i = 0; i < n_primers; i++) {
		plus[i] = find_sites(primer[i].letters, false, t);
		reverse_complement(primer[i].letters);
		minus[i] = find_sites(primer[i].letters, true, t);
		reverse_complement(primer[i].letters);
		if (!hamming) {
			cast_shadows(&plus[i]);
			cast_shadows(&minus[i]);
		}
	}
	for (size_t i = 0; i < n_pairs; i++)
		print_pair(pair[i].name, t, plus, minus, pair[i].f, pair[i].r);
	for (size_t f = 0; all && f < n_primers; f++)
		for (size_t r = f; r < n_primers; r++) {
			snprintf(name, sizeof name, "%.79s+%.79s",
				 primer[f].name, primer[r].name);
			if (!is_pair(f, r))
				print_pair(name, t, plus, minus, f, r);
		}
	for (size_t i = 0; i < n_primers; i++) {
		free(plus[i].v);
		free(minus[i].v);
	}
}

int
main(int argc, char **argv)
{
	struct seq *text;
	size_t n;

	if (argc != 8)
		return 2;
	k = (uint32_t)atoi(argv[1]);
	suffix = (size_t)atoi(argv[2]);
	min = (size_t)atoi(argv[3]);
	max = (size_t)atoi(argv[4]);
	hamming = *argv[5] == 'h';
	all = *argv[6] == 'a';
	read_pairs(argv[7]);
	text = book_load("-", dna_letter, &n);
	for (size_t i = 0; i < n; i++)
		search(&text[i]);
	return 0;
}
