/* SPDX-License-Identifier: MIT */
/* query.c - queries from lines, FASTA and -e, and what is refused */
#include <string.h>
#include <unistd.h>

#include "input/input.h"
#include "tests/lib/tap.h"

static char path[64];

static void
put_file(const char *text, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f))
		abort();
}

static int
load(struct queries *q, const char *text, bool bytes, struct err *e)
{
	struct opt_item it = { 'q', path };
	struct opt_list l = { &it, 1 };

	put_file(text, strlen(text));
	return queries_load(q, &l, bytes, e);
}

static bool
is(struct str s, const char *want)
{
	return s.n == strlen(want) && memcmp(s.p, want, s.n) == 0;
}

static void
test_lines(void)
{
	struct queries q;
	struct err e;
	int rc = load(&q, "\n ACGT\r\n\n  \nacgtn\t\nTT", false, &e);

	if (!ok(rc == 0 && q.n == 3, "blank lines, CRLF, no final newline"))
		return;
	ok(is(q.v[0].letters, "ACGT") && is(q.v[0].name, "ACGT"), "first");
	ok(is(q.v[1].letters, "acgtn") && is(q.v[2].letters, "TT"), "others");
	ok(strcmp(q.v[0].where, path) == 0, "where");
	queries_free(&q);
	rc = load(&q, "ACGT\nAC GT\n", false, &e);
	ok(rc == ERR_FORMAT && strstr(e.text, ":2:"), "blank inside: %s",
	   e.text);
	rc = load(&q, "AC GT\n\t\xff\r\n", true, &e);
	ok(rc == 0 && q.n == 2 && is(q.v[0].letters, "AC GT") &&
	   is(q.v[1].letters, "\t\xff"), "bytes may be anything");
	ok(is(q.v[0].name, "AC%20GT"), "names keep to one column");
	queries_free(&q);
}

static void
test_fasta(void)
{
	struct queries q;
	struct err e;
	int rc = load(&q, "\n>a first one\nAC\ngt\n>b\nTTT\n", false, &e);

	if (ok(rc == 0 && q.n == 2, "FASTA")) {
		ok(is(q.v[0].name, "a") && is(q.v[0].desc, "first one") &&
		   is(q.v[0].letters, "ACgt"), "record");
		ok(is(q.v[1].name, "b") && is(q.v[1].letters, "TTT"), "b");
		queries_free(&q);
	}
	rc = load(&q, "@r\nACGT\n+\nIIII\n", false, &e);
	if (ok(rc == 0 && q.n == 1, "FASTQ")) {
		ok(is(q.v[0].letters, "ACGT"), "letters");
		queries_free(&q);
	}
	rc = load(&q, ">a\nAC\n>empty\n>c\nA\n", false, &e);
	ok(rc == ERR_USAGE && strstr(e.text, "empty"), "no letters: %s",
	   e.text);
}

static void
test_options(void)
{
	const struct query_limits some = { .skip_empty = true };
	struct opt_item it[] = { { 'e', "ACG" }, { 'q', path }, { 'e', "" } };
	struct opt_list l = { it, 2 };
	struct queries q, r;
	struct err e;
	uint64_t h;

	put_file("TT\n", 3);
	if (ok(queries_load(&q, &l, false, &e) == 0 && q.n == 2, "order")) {
		ok(is(q.v[0].letters, "ACG") && is(q.v[1].letters, "TT"),
		   "as given");
		ok(strcmp(q.base, strrchr(path, '/') + 1) == 0, "base %s",
		   q.base);
		h = queries_hash(&q);
		queries_free(&q);
		put_file("TA\n", 3);
		ok(queries_load(&r, &l, false, &e) == 0 &&
		   queries_hash(&r) != h, "the hash depends on letters");
		queries_free(&r);
	}
	l.n = 1;
	ok(queries_load(&q, &l, false, &e) == 0 && strcmp(q.base, "-e") == 0,
	   "-e alone");
	queries_free(&q);
	l.n = 3;
	ok(queries_load(&q, &l, false, &e) == ERR_USAGE, "-e '': %s", e.text);
	ok(queries_load_within(&q, &l, false, &some, &e) == 0 && q.n == 2 &&
	   q.n_empty == 1 && q.empty_at == 3 && q.empty.letters.n == 0,
	   "or left out");
	queries_free(&q);
	l.n = 0;
	ok(queries_load(&q, &l, false, &e) == ERR_USAGE, "none: %s", e.text);
	put_file("\n\n", 2);
	it[0] = it[1];
	l.n = 1;
	ok(queries_load(&q, &l, false, &e) == ERR_USAGE, "empty file: %s",
	   e.text);
}

#define SIXTY " of a name of twenty letters, or of thirty, or of sixty or so"

/* The last that is allowed, and one more of each. */
static void
test_limits(void)
{
	const struct query_limits most = { .letters = 5,
					   .bytes = 4 * QUERY_COST + 40,
					   .n = 4 };
	static const struct {
		const char *text;
		int rc;
		const char *why;
	} c[] = {
		{ "ACGTA\nACGTA\n", 0, "" },
		{ "A\nACGTAC\n", ERR_USAGE, "query 2 (ACGTAC) has more than 5 "
		  "letters" },
		{ ">x d\nACG\nTAC\n", ERR_USAGE,
		  "query 1 (x) has more than 5" },
		{ "A\nC\nG\nT\n", 0, "" },
		{ "A\nC\nG\nT\nA\n", ERR_LIMIT, "more than 4 queries" },
		{ ">a\nA\n>b\nA\n>c\nA\n>d\nA\n>e\nA\n", ERR_LIMIT,
		  "more than 4 queries" },
		{ ">a" SIXTY "\nA\n>b" SIXTY "\nA\n", 0, "" },
		{ ">a" SIXTY "\nA\n>b" SIXTY SIXTY "\nA\n", ERR_LIMIT,
		  "number 2 take more than 296 bytes" },
	};
	struct opt_item it = { 'q', path };
	struct opt_list l = { &it, 1 };

	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct queries q;
		struct err e = { 0 };
		int rc;

		put_file(c[i].text, strlen(c[i].text));
		rc = queries_load_within(&q, &l, false, &most, &e);
		ok(rc == c[i].rc && strstr(e.text, c[i].why), "limits %zu: %d "
		   "%s", i, rc, e.text);
		if (rc == 0)
			queries_free(&q);
	}
}

int
main(void)
{
	int fd;

	snprintf(path, sizeof path, "/tmp/seqf-query-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	test_lines();
	test_fasta();
	test_options();
	test_limits();
	unlink(path);
	return done();
}
