/* SPDX-License-Identifier: MIT */
/* words.c - random command lines, read as GNU's getopt_long() reads them */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt.h"
#include "tests/lib/splitmix.h"
#include "tests/lib/tap.h"

enum { WORDS = 9, ROUNDS = 40000 };

static bool no, secret;
static int64_t every;
static struct opt_list list;
static const struct opt table[] = {
	{ 'n', "no-indels", NULL, OPT_FLAG, 0, 0, &no, NULL, "a flag" },
	{ 'q', "query", "FILE", OPT_LIST, 0, 0, &list, NULL, "a value" },
	{ 'e', NULL, "LETTERS", OPT_LIST, 0, 0, &list, NULL, "a value" },
	{ 0, "progress", "SEC", OPT_SECONDS, 1, 9, &every, NULL, "or none" },
	{ 0, "query-size", "N", OPT_LIST, 0, 0, &list, NULL, "begins alike" },
	{ 0, "secret", NULL, OPT_FLAG, 0, 0, &secret, NULL, "no letter" },
	{ 0 },
};
static const struct opt_spec spec = {
	.prog = "try-it", .does = "Tries it.", .usage = "[options]",
	.operands = "files", .table = table,
};
static const char *const word[] = {
	"-n", "-nn", "-v", "-nv", "-e", "-eAC", "-ne", "-neA", "-q", "-qn",
	"--query", "--query=a", "--query=", "--quer", "--query-size",
	"--query-s=7", "--no-indels", "--no", "--no=1", "--progress",
	"--progress=", "--prog=1", "--p", "--secret", "--s", "--secret=x",
	"--verb", "--ver", "--ve", "--zz", "-z", "-nz", "--", "-", "", "a",
	"b", "c", "d", "--=", "--=x", "-n=", "-:", "-?", "-\303\244",
};

/* What getopt_long() says of it: operands and values, in this order. */
struct said {
	bool good, flag;
	size_t n;
	const char *text[2 * WORDS];
};

static int
value_of(const struct opt *o)
{
	return o->kind == OPT_FLAG ? no_argument :
	       o->kind == OPT_SECONDS ? optional_argument : required_argument;
}

static size_t
add_names(struct option *to, const struct opt *o, size_t n)
{
	for (; o->letter || o->name; o++)
		if (o->name) {
			to[n] = (struct option){ o->name, value_of(o), NULL,
				o->letter ? o->letter : 1000 + (int)n };
			n++;
		}
	return n;
}

static void
by_getopt(int argc, char **argv, struct said *s)
{
	struct option names[20] = { 0 };
	int c;

	add_names(names, opt_common, add_names(names, table, 0));
	*s = (struct said){ .good = true };
	opterr = optind = 0;
	while ((c = getopt_long(argc, argv, ":nq:e:vhV", names, NULL)) != -1) {
		if (c == ':' || c == '?')
			s->good = false;
		s->flag |= c == 'n';
		if (optarg && s->n < WORDS && strcmp(optarg, "1") != 0)
			s->text[s->n++] = optarg;
	}
	while (optind < argc)
		s->text[s->n++] = argv[optind++];
}

static bool
same(const struct said *s, int argc, char **argv)
{
	struct err e;
	size_t n = 0;
	int at, rc;

	no = false;
	opt_list_free(&list);
	rc = opt_parse(&spec, argc, argv, &at, &e);
	if (rc || !s->good)
		return (rc == 0) == s->good;
	if (no != s->flag || list.n + (size_t)(argc - at) != s->n)
		return false;
	for (; n < list.n; n++)
		if (strcmp(list.v[n].value, s->text[n]) != 0)
			return false;
	for (; at < argc; at++)
		if (argv[at] != s->text[n++])
			return false;
	return true;
}

/* Options that end the program, or whose values are their own business. */
static bool
is_left_out(char *const *argv, int argc)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--progress=") == 0 ||
		    strcmp(argv[i], "--p") == 0)
			return true;
	return false;
}

static void
rounds(void)
{
	uint64_t seed = 20261127;
	unsigned good = 0, wrong = 0;

	for (int i = 0; i < ROUNDS && !wrong; i++) {
		char *a[WORDS + 1] = { (char *)"try-it" }, *b[WORDS + 1];
		int n = 1 + (int)below(&seed, WORDS - 1);
		struct said s;

		for (int k = 1; k < n; k++)
			a[k] = (char *)(uintptr_t)word[below(&seed,
				sizeof word / sizeof *word)];
		if (is_left_out(a, n))
			continue;
		memcpy(b, a, sizeof b);
		by_getopt(n, b, &s);
		good += s.good;
		memcpy(b, a, sizeof b);
		if (same(&s, n, b))
			continue;
		wrong++;
		for (int k = 0; k < n; k++)
			printf("# %s\n", a[k]);
	}
	ok(!wrong && good > 100, "as getopt_long(): %u lines that are good",
	   good);
}

int
main(void)
{
#if !defined(__GLIBC__)
	ok(true, "# SKIP getopt_long() is not GNU's");
	return done();
#endif
	rounds();
	setenv("POSIXLY_CORRECT", "1", 1);
	rounds();
	opt_list_free(&list);
	return done();
}
