/* SPDX-License-Identifier: MIT */
/*
 * asm_circle.c - circular sequences, cut anyhow, against a text that goes
 * around several times
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "flow/flow.h"
#include "letters/letters.h"
#include "scan/asm/asm_priv.h"
#include "tests/lib/tap.h"
#include "tests/oracle/oracle.h"

enum { SEQS = 4, LEN = 150, QUERIES = 3, M = 9, LINE = 400 };

/* One case. */
static char seq[SEQS][LEN + 1];
static size_t len[SEQS], n_seq;
static bool circle[SEQS];
static char pat[QUERIES][M + 1];
static size_t n_pat, k_of;
static struct asm_options o;
static char fasta[64], stream[64], table[64], names[64];

/* What the textbook says. */
struct line {
	size_t subject, send, query;
	bool minus;
	size_t sbeg;
	uint32_t dist;
	char text[LINE];
};
static struct line want[SEQS * LEN * QUERIES * 4];
static size_t n_want;

static int
cmp_row(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	size_t p[] = { x->subject, x->send, x->query, x->minus, x->sbeg };
	size_t q[] = { y->subject, y->send, y->query, y->minus, y->sbeg };

	for (int i = 0; i < 5; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/* "===X" to "3=1X" */
static void
put_cigar(char *to, const char *ops, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && ops[j] == ops[i]; j++)
			;
		to += sprintf(to, "%d%c", (int)(j - i), ops[i]);
	}
	*to = '\0';
}

/* A hit that ends at j of the text, whose letter 0 is at `turns` times n. */
static void
add_row(size_t s, size_t q, bool minus, const uint8_t *t, size_t j,
	size_t beg, uint32_t dist, const char *ops, size_t n_ops)
{
	struct line *r = &want[n_want++];
	size_t span = j - beg, n = len[s], m = strlen(pat[q]);
	char cigar[3 * LEN] = "*", at[24] = "*";

	*r = (struct line){ s, j, q, minus, beg, dist, "" };
	if (circle[s] && o.ends)
		r->send = (j - 1) % n + 1;
	else if (circle[s])
		r->send = (r->sbeg = beg % n) + span;
	if (o.ends)
		r->sbeg = 0;
	else
		sprintf(at, "%d", (int)r->sbeg);
	if (!o.ends && !o.no_cigar)
		put_cigar(cigar, ops, n_ops);
	snprintf(r->text, LINE, "%s\t%d\t0\t%d\t%c\ts%d\t%d\t%s\t%d\t%d\t%d"
		 "\t%s%s%.*s\n", pat[q], (int)m, (int)m, "+-"[minus],
		 (int)s, (int)n, at, (int)r->send, (int)dist, -(int)dist,
		 cigar, o.with_seq ? "\t" : "", o.with_seq ? (int)span : 0,
		 (const char *)t + beg);
}

/* The whole matrix, or a row. */
static uint32_t *
distances(struct oracle_match how, const uint8_t *p, size_t m, bool minus,
	  const uint8_t *t, size_t n)
{
	size_t head = (size_t)(minus ? o.exact_suffix : o.exact_prefix);
	size_t tail = (size_t)(minus ? o.exact_prefix : o.exact_suffix);

	return o.no_indels ? oracle_hamming(how, p, m, t, n) :
	       oracle_exact(how, p, m, head, tail, t, n);
}

/* Are all ends of one turn alike? */
static bool
is_even(const uint32_t *d, size_t from, size_t n)
{
	for (size_t j = from; j < from + n; j++)
		if (d[j] > k_of || d[j] != d[from])
			return false;
	return n > 0;
}

/* Of one strand's pattern p in one sequence. */
static void
book(size_t s, size_t q, bool minus, const uint8_t *p)
{
	size_t m = strlen(pat[q]), n = len[s], before = 0, all = n;
	static uint8_t t[30 * LEN];
	struct oracle_match how = { ORACLE_DNA, o.iupac };
	uint32_t *D, *d;
	char ops[31 * LEN];

	if (circle[s]) {	/* enough turns that none is missed */
		before = (4 * m / n + 3) * n;
		all = before + 2 * n;
	}
	for (size_t i = 0; i < all; i++)
		t[i] = (uint8_t)seq[s][i % n];
	D = distances(how, p, m, minus, t, all);
	d = D + (o.no_indels ? 0 : m * (all + 1));
	for (size_t j = before + 1; j <= before + n; j++) {
		bool even = circle[s] && is_even(d, before + 1, n);
		size_t beg = j - m, n_ops = m;

		if (d[j] > k_of || (o.report == ASM_MINIMA && !even &&
				    !oracle_minimum(d, all, m, k_of, j)))
			continue;
		for (size_t i = 0; i < m && o.no_indels; i++)
			ops[i] = oracle_equal(how, p[i], t[beg + i]) ? '=' :
								      'X';
		if (!o.no_indels)
			n_ops = oracle_exact_trace(how, D, p, m, (size_t)
				(minus ? o.exact_suffix : o.exact_prefix),
				(size_t)(minus ? o.exact_prefix :
				o.exact_suffix), t, all, j, ops, &beg);
		add_row(s, q, minus, t, j, beg, d[j], ops, n_ops);
	}
	free(D);
}

static void
all_books(void)
{
	uint32_t least[QUERIES];
	size_t n = 0;

	n_want = 0;
	memset(least, 0xff, sizeof least);
	for (size_t s = 0; s < n_seq; s++)
		for (size_t q = 0; q < n_pat; q++) {
			uint8_t p[M + 1];

			memcpy(p, pat[q], sizeof p);
			book(s, q, false, p);
			dna_revcomp(p, strlen(pat[q]));
			book(s, q, true, p);
		}
	for (size_t i = 0; i < n_want; i++)
		least[want[i].query] = oracle_min(least[want[i].query],
						  want[i].dist);
	for (size_t i = 0; i < n_want; i++)
		if (o.report != ASM_BEST ||
		    want[i].dist == least[want[i].query])
			want[n++] = want[i];
	n_want = n;
	qsort(want, n_want, sizeof *want, cmp_row);
}

/* What the scan says. */

static void
write_fasta(void)
{
	FILE *f = fopen(fasta, "w");
	char *p = names;

	if (!f)
		abort();
	for (size_t i = 0; i < n_seq; i++) {
		fprintf(f, ">s%d\n%.*s\n", (int)i, (int)len[i], seq[i]);
		if (circle[i])
			p += sprintf(p, "%ss%d", p == names ? "" : ",",
				     (int)i);
	}
	if (fclose(f))
		abort();
}

static void
write_stream(uint64_t own, uint64_t context)
{
	struct feed_params fp = feed_defaults;
	FILE *f = fopen(stream, "w");
	struct feed_item it;
	struct buf b = { 0 };
	char *op[] = { fasta };
	struct feed *feed;
	struct err e;

	fp.own = own;
	fp.context = context;
	fp.circular = *names ? names : NULL;
	fp.text_only = true;
	if (!f || feed_open(&feed, op, 1, &fp, &e))
		abort();
	while (feed_next(feed, &it, &e) > 0) {
		if (feed_encode(&it, &e) || feed_account(feed, &it, &e) ||
		    rec_encode(&b, it.frame, &e))
			abort();
		feed_drop(&it);
	}
	feed_close(feed);
	if (fwrite(b.p, 1, b.n, f) != b.n || fclose(f))
		abort();
	buf_free(&b);
}

static void
no_note(const char *text)
{
	(void)text;
}

/* part: letters of each, or 0. */
static int
scan(const struct queries *q, bool direct, unsigned threads, uint64_t part,
     struct err *e)
{
	char *op[] = { direct ? fasta : stream };
	struct scan_run r = { .threads = threads, .note = no_note,
			      .operand = op, .n_operands = 1,
			      .circular = direct && *names ? names : NULL };
	struct sink_params sp = { .format = FORMAT_TSV, .prog = "test",
				  .letters = o.with_seq };
	struct asm_scan *a = NULL;
	uint64_t n_letters;
	struct out *out;
	int rc = asm_new(&a, &o, q, e);

	if (rc || out_open(&out, table, e) || sink_new(&r.sink, &sp, out, e))
		abort();
	a->part = part;
	rc = asm_run(&r, a, &n_letters, e);
	if (!rc)
		rc = sink_verdict(r.sink, e);
	if (rc)
		out_abort(out);
	else
		rc = out_close(out, e);
	sink_free(r.sink);
	asm_free(a);
	return rc;
}

static bool
is_wanted(void)
{
	char line[LINE];
	FILE *f = fopen(table, "r");
	size_t n = 0;
	bool good = f;

	while (good && fgets(line, sizeof line, f))
		good = n < n_want && strcmp(line, want[n++].text) == 0;
	if (!good || n != n_want)
		printf("# line %d of %d: have %s# want %s", (int)n,
		       (int)n_want, line, n && n <= n_want ?
		       want[n - 1].text : "\n");
	if (f)
		fclose(f);
	return good && n == n_want;
}

/* Have the first `context` ends of a circle that is cut one distance, so that
 * it is refused? */
static bool
may_be_even(uint64_t own, uint64_t context)
{
	static uint8_t t[2 * LEN + 1000];
	struct oracle_match how = { ORACLE_DNA, o.iupac };
	bool any = false;

	for (size_t i = 0; i < n_seq * n_pat * 2 && !any; i++) {
		size_t s = i / 2 / n_pat, q = i / 2 % n_pat, n = len[s];
		size_t m = strlen(pat[q]), all = context + n;
		uint8_t p[M + 1];
		uint32_t *D;

		if (!circle[s] || n <= own + context)
			continue;
		memcpy(p, pat[q], sizeof p);
		if (i % 2)
			dna_revcomp(p, m);
		for (size_t j = 0; j < all; j++)
			t[j] = (uint8_t)seq[s][(j + n - context % n) % n];
		D = distances(how, p, m, i % 2, t, all);
		any = is_even(D + (o.no_indels ? 0 : m * (all + 1)), context,
			      context);
		free(D);
	}
	return any;
}

/* Making a case. */

static void
make_case(uint64_t *s)
{
	size_t letters = 1 + below(s, 3), longest = 0;

	n_seq = 1 + below(s, SEQS);
	n_pat = 1 + below(s, QUERIES);
	k_of = 0;
	for (size_t q = 0; q < n_pat; q++) {
		size_t m = 1 + below(s, M);

		for (size_t i = 0; i < m; i++)
			pat[q][i] = "ACGT"[below(s, letters + 1) % 4];
		pat[q][m] = '\0';
		longest = m > longest ? m : longest;
		k_of = q && k_of < m ? k_of : below(s, m);
	}
	for (size_t i = 0; i < n_seq; i++) {
		bool even = below(s, 3) == 0;
		size_t period = 1 + below(s, 5);

		circle[i] = below(s, 4) > 0;
		len[i] = longest + k_of + below(s, below(s, 2) ? 5 : 120);
		for (size_t j = 0; j < len[i]; j++)
			seq[i][j] = even && j >= period ? seq[i][j - period] :
				    "ACGT"[below(s, 12) ?
					   below(s, letters) : below(s, 4)];
	}
	*names = '\0';
	write_fasta();
}

static void
make_options(uint64_t *s)
{
	static char k[8];
	size_t least = M;

	for (size_t q = 0; q < n_pat; q++)
		if (strlen(pat[q]) < least)
			least = strlen(pat[q]);
	sprintf(k, "%d", (int)k_of);
	o = (struct asm_options){ .k = k };
	o.report = (enum asm_report[]){ ASM_MINIMA, ASM_MINIMA, ASM_ALL,
					ASM_BEST }[below(s, 4)];
	o.no_indels = below(s, 4) == 0;
	o.ends = below(s, 6) == 0;
	o.no_cigar = o.ends || below(s, 6) == 0;
	o.with_seq = !o.ends && below(s, 2);
	if (!o.no_indels && below(s, 3) == 0) {
		o.exact_prefix = (int64_t)below(s, least + 1);
		o.exact_suffix = (int64_t)below(s, least + 1);
	}
	o.engine = (enum kdiff_engine[]){ KDIFF_AUTO, KDIFF_TEXT,
		KDIFF_PATTERNS, KDIFF_FILTER }[below(s, 4)];
}

static void
test_case(uint64_t *s, int number)
{
	struct opt_item it[QUERIES];
	struct opt_list l = { it, n_pat };
	bool direct = below(s, 3) == 0;
	uint64_t own = 1 + below(s, 100), part = below(s, 2) ? 64 : 0;
	uint64_t context = 2 * M + k_of + below(s, 2) * below(s, 100);
	struct queries q = { 0 };
	struct err e = { 0, "" };
	int rc;

	for (size_t i = 0; i < n_pat; i++)
		it[i] = (struct opt_item){ 'e', pat[i] };
	if (queries_load(&q, &l, false, &e))
		abort();
	all_books();
	write_stream(own, context);
	rc = scan(&q, direct, 1 + (unsigned)below(s, 3), part, &e);
	if (rc == ERR_USAGE && strstr(e.text, "maybe all"))
		ok(!direct && may_be_even(own, context), "case %d: refused: "
		   "%s", number, e.text);
	else
		ok(rc == 0 && is_wanted(), "case %d: %s L=%d W=%d k=%d "
		   "report=%d%s%s %s", number, direct ? "direct" : "stream",
		   (int)own, (int)context, (int)k_of, o.report,
		   o.no_indels ? " no indels" : "", part ? " parts" : "",
		   e.text);
	queries_free(&q);
}

static void
new_file(char *path)
{
	int fd;

	sprintf(path, "/tmp/seqf-circle-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		abort();
	close(fd);
}

int
main(void)
{
	uint64_t s = 7;
	int n = 0;

	new_file(fasta);
	new_file(stream);
	new_file(table);
	for (; n < (int)lighter(2400); n++) {
		make_case(&s);
		make_options(&s);
		test_case(&s, n);
	}
	unlink(fasta);
	unlink(stream);
	unlink(table);
	return done();
}
