/* SPDX-License-Identifier: MIT */
/*
 * gotoh.c - textbook local alignment, slow, to compare with
 *
 * usage: gotoh [-n K] [-b alignments|cells|waterman-eggert] [-s +|-|both]
 *	[-m MATCH] [-x MISMATCH] [-o OPEN] [-e EXTEND] [-M MATRIX] [--min S]
 *	[--scan] QUERY.fa SUBJECT.fa
 * Prints the rows of a table of hits, without its header: per query the best K
 * (0: all) in the order of merge-topk, or with --scan in a scanner's.  MISMATCH
 * is a score, so below 0.  With a MATRIX there is no other strand.
 */
#include <getopt.h>

#include "tests/oracle/oracle_sw.h"
#include "tests/lib/book.h"

static struct {
	struct osw_scoring s;
	int code[256];		/* -1: none */
	bool dna, plus, minus, scan;
	enum osw_reading reading;
	size_t k;
	int64_t least;
} o = { .plus = true, .minus = true, .k = 1, .least = 1, .dna = true };

static struct seq *subjects;
static size_t n_subjects;

static void
stop(const char *why, const char *what)
{
	fprintf(stderr, "gotoh: %s%s\n", why, what);
	exit(2);
}

static void
dna_scoring(int match, int mismatch)
{
	static const char codes[] = "ACGTRYSWKMBDHVN";

	for (int c = 0; c < 256; c++)
		o.code[c] = -1;
	for (int i = 0; codes[i]; i++) {
		o.code[(int)codes[i]] = i < 4 ? i : 4;
		o.code[tolower(codes[i])] = i < 4 ? i : 4;
	}
	o.code['U'] = o.code['u'] = 3;
	for (int a = 0; a < 5; a++)
		for (int b = 0; b < 5; b++)
			o.s.s[a][b] = a == b && a < 4 ? match : mismatch;
	for (int a = 0; a < 5; a++)
		o.s.same[a] = a < 4 ? (uint8_t)a : 255;
}

/*
 * Where no letter has both cases, cases are alike.  What is missing scores as
 * *, but is not equal to it: it is one code more, if there is room.
 */
static void
matrix_codes(const char *symbols)
{
	bool exact = false;

	for (const char *p = symbols; *p; p++)
		exact |= islower(*p) && strchr(symbols, toupper(*p));
	for (int c = 0; c < 256; c++) {
		const char *p = c ? strchr(symbols, c) : NULL;

		if (!p && !exact && c && c < 128)
			p = strchr(symbols, islower(c) ? toupper(c) :
					    tolower(c));
		o.code[c] = p ? (int)(p - symbols) : -1;
	}
	for (int a = 0; a < OSW_LETTERS; a++)
		o.s.same[a] = (uint8_t)a;
}

static void
add_others(const char *symbols, int n)
{
	const char *star = strchr(symbols, '*');

	if (!star || n == OSW_LETTERS)
		return;
	for (int i = 0; i < n; i++)
		o.s.s[n][i] = o.s.s[star - symbols][i];
	for (int i = 0; i <= n; i++)
		o.s.s[i][n] = o.s.s[i][star - symbols];
	o.s.same[n] = 255;
	for (int c = '!'; c <= '~'; c++)
		if (o.code[c] < 0)
			o.code[c] = n;
}

static void
load_matrix(const char *path)
{
	char symbols[OSW_LETTERS + 1] = "", *line = NULL, *p, *end;
	FILE *f = fopen(path, "r");
	size_t cap = 0, n = 0;
	bool head = false;

	if (!f)
		stop("cannot open ", path);
	o.dna = o.minus = false;
	while (getline(&line, &cap, f) >= 0) {
		char *row;

		p = line + strspn(line, " \t\r\n");
		if (!*p || *p == '#')
			continue;
		if (!head) {
			for (; *p; p += strspn(p, " \t\r\n"))
				if (n < OSW_LETTERS)
					symbols[n++] = *p++;
			matrix_codes(symbols);
			head = true;
			continue;
		}
		row = strchr(symbols, *p++);
		if (!row)
			stop("bad row in ", path);
		for (size_t j = 0; j < n; j++, p = end)
			o.s.s[row - symbols][j] = strtol(p, &end, 10);
	}
	add_others(symbols, (int)n);
	free(line);
	fclose(f);
}

static void
encode(struct seq *q)
{
	for (size_t i = 0; i < q->n; i++) {
		if (o.code[(uint8_t)q->s[i]] < 0)
			stop("a letter without a score: ", q->name);
		q->s[i] = (char)o.code[(uint8_t)q->s[i]];
	}
}

static void
reverse_complement(struct seq *q)
{
	for (size_t i = 0, k = q->n; i < k--; i++) {
		char a = q->s[i], b = q->s[k];

		q->s[i] = (char)(b < 4 ? 3 - b : b);
		q->s[k] = (char)(a < 4 ? 3 - a : a);
	}
}

static void
print(const struct seq *q, const struct osw_hit *h)
{
	size_t qbeg = osw_given_qbeg(h), qend = osw_given_qend(h), edits = 0;
	const struct seq *s = subjects + h->subject;

	for (size_t i = 0; i < h->n_ops; i++)
		edits += h->ops[i] != '=';
	printf("%s\t%zu\t%zu\t%zu\t%c\t%s\t%zu\t%zu\t%zu\t%zu\t%lld\t",
	       q->name, q->n, qbeg, qend, h->query.minus ? '-' : '+', s->name,
	       s->n, h->beg, h->end, edits, (long long)h->score);
	for (size_t i = 0, k; i < h->n_ops; i = k) {
		for (k = i; k < h->n_ops && h->ops[k] == h->ops[i];)
			k++;
		printf("%zu%c", k - i, h->ops[i]);
	}
	putchar('\n');
}

/* A scanner's order, after the query: subject, send; then strand, sbeg, qbeg,
 * qend. */
struct row {
	const struct seq *q;
	size_t query;
	struct osw_hit h;
};

static int
scan_cmp(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	size_t ka[] = { a->h.subject, a->h.end, a->query, a->h.query.minus,
			a->h.beg, osw_given_qbeg(&a->h),
			osw_given_qend(&a->h) };
	size_t kb[] = { b->h.subject, b->h.end, b->query, b->h.query.minus,
			b->h.beg, osw_given_qbeg(&b->h),
			osw_given_qend(&b->h) };

	for (size_t i = 0; i < sizeof ka / sizeof *ka; i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	return 0;
}

/* The best K of a query over all subjects and strands. */
static struct osw_hits
search(struct seq *q)
{
	struct osw_hits h = { 0 };

	for (int minus = 0; minus < 2; minus++) {
		struct osw_query query = { (const uint8_t *)q->s, q->n, minus };

		if (minus)
			reverse_complement(q);
		for (size_t i = 0; i < n_subjects; i++)
			if (minus ? o.minus : o.plus)
				osw_search(&o.s, query, (struct osw_subject){
				    (const uint8_t *)subjects[i].s,
				    subjects[i].n, 0 }, i,
				    o.reading, o.k, o.least, &h);
	}
	osw_cut(&h, o.k);
	return h;
}

static void
run(struct seq *query, size_t n)
{
	struct row *rows = NULL;
	size_t n_rows = 0;

	for (size_t i = 0; i < n; i++) {
		struct osw_hits h = search(query + i);

		rows = realloc(rows, (n_rows + h.n + 1) * sizeof *rows);
		for (size_t k = 0; k < h.n; k++)
			rows[n_rows++] = (struct row){ query + i, i, h.v[k] };
		free(h.v);
	}
	if (o.scan)
		qsort(rows, n_rows, sizeof *rows, scan_cmp);
	for (size_t i = 0; i < n_rows; i++) {
		print(rows[i].q, &rows[i].h);
		free(rows[i].h.ops);
	}
	free(rows);
}

static int match = 2, mismatch = -3;
static const char *matrix;

static void
option(int c, const char *arg)
{
	int v = atoi(arg);

	switch (c) {
	case 'b':
		o.reading = *arg == 'a' ? OSW_ALIGNMENTS :
			    *arg == 'c' ? OSW_CELLS : OSW_WATERMAN_EGGERT;
		break;
	case 's':
		o.plus = *arg != '-';
		o.minus = *arg != '+';
		break;
	case 'n': o.k = (size_t)v; break;
	case 'm': match = v; break;
	case 'x': mismatch = v; break;
	case 'o': o.s.open = v; break;
	case 'e': o.s.extend = v; break;
	case 'M': matrix = arg; break;
	case 'L': o.least = v; break;
	case 'S': o.scan = true; break;
	default: stop("unknown option", "");
	}
}

int
main(int argc, char **argv)
{
	static const struct option words[] = {
		{ "min", required_argument, NULL, 'L' },
		{ "scan", no_argument, NULL, 'S' }, { 0 },
	};
	struct seq *query;
	size_t n;
	int c;

	o.s.open = 5;
	o.s.extend = 2;
	while ((c = getopt_long(argc, argv, "n:b:s:m:x:o:e:M:", words,
				NULL)) != -1)
		option(c, optarg ? optarg : "");
	if (argc - optind != 2)
		stop("a query and a subject file expected", "");
	if (o.k == 0)
		o.k = SIZE_MAX;
	if (matrix)
		load_matrix(matrix);
	else
		dna_scoring(match, mismatch);
	query = book_load(argv[optind], NULL, &n);
	subjects = book_load(argv[optind + 1], NULL, &n_subjects);
	for (size_t i = 0; i < n; i++)
		encode(query + i);
	for (size_t i = 0; i < n_subjects; i++)
		encode(subjects + i);
	run(query, n);
	return 0;
}
