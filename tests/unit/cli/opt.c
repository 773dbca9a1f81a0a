/* SPDX-License-Identifier: MIT */
/* opt.c - parsing, help and completions of a made-up program */
#define _GNU_SOURCE
#include "cli/opt.h"
#include "tests/lib/tap.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool flag;
static int64_t k, size, every;
static const char *text, *file, *report, *bed, *these;
static struct opt_list queries;

static const struct opt table[] = {
	{ 'k', NULL, "K", OPT_INT, 0, 63, &k, "0", "differences" },
	{ 'L', "length", "LEN", OPT_SIZE, 1, 1000000000, &size, "1M",
	  "letters a chunk" },
	{ 0, "far", "N", OPT_INT, -5, INT64_MAX, &k, NULL, "no upper end" },
	{ 'n', "no-indels", NULL, OPT_FLAG, 0, 0, &flag, NULL,
	  "substitutions only; it's [odd]: really" },
	{ 'x', "text", "TEXT", OPT_TEXT, 0, 0, &text, NULL, "any text" },
	{ 'o', "output", "FILE", OPT_FILE, 0, 0, &file, NULL, "write here" },
	{ 0, "report", "all|minima|best|count", OPT_CHOICE, 0, 0, &report,
	  "minima", "which ends to report, out of all those that there are, "
	  "in so many words that it takes a second line" },
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &queries, NULL,
	  "patterns" },
	{ 'e', NULL, "LETTERS", OPT_LIST, 0, 0, &queries, NULL, "a pattern" },
	{ 0, "bed", "NAME|BED", OPT_NAMEFILE, 0, 0, &bed, NULL, "a place" },
	{ 0, "these", "N|@FILE", OPT_ATFILE, 0, 0, &these, NULL, "numbers" },
	{ 0, "progress", "SEC", OPT_SECONDS, 1, 3600, &every, NULL,
	  "report progress" },
	OPT_FORMER("far-off", "far"),
	OPT_FORMER("kind", "report"),
	OPT_FORMER("input", "query"),
	OPT_FORMER("exact", "no-indels"),
	{ 0, "secret", NULL, OPT_FLAG, 0, 0, &flag, NULL, NULL },
	{ 0 },
};
static bool
is_name(const char *s)
{
	return strcmp(s, "chr1") == 0;
}

static const struct opt_spec spec = {
	.prog = "try-it",
	.does = "Tries it.",
	.usage = "[options] -q FILE [FILE ...]",
	.operands = "FASTA files or record streams",
	.table = table,
	.is_name = is_name,
};

/* Parse words (split at blanks); rc, with the first operand's index. */
static int
parse(const char *words, int *operand, struct err *e)
{
	static char line[5000];
	char *argv[40];
	int argc = 0;

	argv[argc++] = (char *)"try-it";
	snprintf(line, sizeof line, "%s", words);
	for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	flag = false;
	k = size = every = -77;
	text = file = report = bed = these = NULL;
	opt_list_free(&queries);
	e->code = 0;
	return opt_parse(&spec, argc, argv, operand, e);
}

static void
good(const char *words, int want_operand)
{
	struct err e;
	int at = -1, rc = parse(words, &at, &e);

	ok(rc == 0 && at == want_operand, "taken: %s", words);
}

static void
refused(const char *words, const char *why)
{
	static const char hint[] = " (see try-it --help)";
	struct err e;
	int at;
	size_t n = strlen(why);
	bool same = parse(words, &at, &e) == ERR_USAGE &&
		    e.code == ERR_USAGE && strncmp(e.text, why, n) == 0 &&
		    strcmp(e.text + n, hint) == 0;

	if (!ok(same, "refused: %.60s", words))
		printf("# %s\n", e.text);
}

static void
test_values(void)
{
	good("-k 63 -L 1.5k --no-indels -x any -o - --report=best", 11);
	ok(k == 63 && size == 1500 && flag && strcmp(text, "any") == 0 &&
	   strcmp(file, "-") == 0 && strcmp(report, "best") == 0, "all set");
	good("-k0 -nL2M --far -5", 5);
	ok(k == -5 && size == 2000000 && flag, "letters joined, a minus");
	good("--progress", 2);
	ok(every == 1, "seconds left out");
	good("--progress=20", 2);
	ok(every == 20, "seconds given");
	good("--progress 20", 2);
	ok(every == 1, "a word behind is an operand");
	good("a -k 1 b -- -k", 4);
	good("", 1);
	good("-", 1);
	good("--len 5 --que x", 5);
	ok(size == 5 && queries.n == 1, "abbreviated names");
	good("-x-k -o -k -e -k -q --far", 8);
	ok(strcmp(text, "-k") == 0, "joined to its letter");
	good("--text=--far -o -k -e -k -q --far", 8);
	ok(strcmp(text, "--far") == 0 && strcmp(file, "-k") == 0 &&
	   queries.n == 2 && strcmp(queries.v[0].value, "-k") == 0 &&
	   k == -77, "what looks like an option, where it may be meant");
	good("-x -", 3);
	good("-x -5", 3);
	good("-x --5", 3);
	good("-x 5 -x 5 -o a -o b -e A -e C --progress --progress=3", 15);
	ok(strcmp(file, "b") == 0 && every == 3, "the last counts");
	good("-v -vv --quiet --verbose", 5);
}

static void
test_lists(void)
{
	good("-q a -e b --query=c -e d -e e", 10);
	ok(queries.n == 5 && queries.v[0].letter == 'q' &&
	   queries.v[1].letter == 'e' && queries.v[2].letter == 'q' &&
	   strcmp(queries.v[2].value, "c") == 0 &&
	   strcmp(queries.v[4].value, "e") == 0, "a shared list in order");
}

/* All that is read but operands, each with a blank behind it. */
static void
test_inputs(void)
{
	static const char *const t[][2] = {
		{ "", "" },
		{ "-o out -x @text -e -q", "" },
		{ "-q a -e b -q - -q c", "a - c " },
		{ "--bed chr1 --these 1,2", "" },
		{ "--bed chr2 --these @1,2 -q a", "a chr2 1,2 " },
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		char have[100] = "";
		const char *s;
		struct err e;
		int at;

		parse(t[i][0], &at, &e);
		for (const struct opt *o = table; o->letter || o->name; o++)
			for (size_t n = 0; (s = opt_input(&spec, o, &n));) {
				strcat(have, s);
				strcat(have, " ");
			}
		ok(strcmp(have, t[i][1]) == 0, "'%s' reads '%s'", t[i][0],
		   have);
	}
}

static void
test_twice_and_foreign(void)
{
	refused("-k 1 -k 2", "-k 2: is given twice, as 1 before");
	refused("--len 5 --len=6", "--length 6: is given twice, as 5 before");
	refused("--far-off 7 --far 8", "--far 8: is given twice, as 7 before");
	refused("--regions=x", "unknown option --regions");
	refused("--pattern-file=x",
		"unknown option --pattern-file: patterns and queries "
		"are -q FILE, or -e LETTERS");
	refused("-i", "unknown option -i: sequences are operands: the files at "
		"the end of the line, or stdin");
}

static void
test_refused(void)
{
	char longest[3000];

	refused("-k 64", "-k 64: must be 0 to 63");
	refused("-k -1", "-k -1: must be 0 to 63");
	refused("-k x", "-k x: must be 0 to 63, a whole number");
	refused("-k 1k", "-k 1k: must be 0 to 63, a whole number");
	refused("-k 99999999999999999999", "-k 99999999999999999999: must be "
		"0 to 63");
	refused("--far -6", "--far -6: must be at least -5");
	refused("-L 0", "-L 0: must be 1 to 1G");
	refused("--length=2G", "--length 2G: must be 1 to 1G");
	refused("--report x", "--report x: must be all, minima, best or "
		"count");
	refused("--report all|best", "--report all|best: must be all, "
		"minima, best or count");
	refused("--report=", "--report : must be all, minima, best or count");
	refused("--progress=0", "--progress 0: must be 1 to 3600");
	refused("--foo", "unknown option --foo");
	refused("--foo=bar", "unknown option --foo");
	refused("--qeury=x", "unknown option --qeury: did you mean --query?");
	refused("--reprt", "unknown option --reprt: did you mean --report?");
	refused("--repxxt", "unknown option --repxxt: did you mean --report?");
	refused("--rxxxrt", "unknown option --rxxxrt");
	refused("--secrt", "unknown option --secrt");
	refused("-nz", "unknown option -z");
	refused("--ve", "--ve: could be --verbose, --version");
	refused("-k", "-k: needs an argument (K)");
	refused("--query", "--query: needs an argument (FILE)");
	refused("--no-indels=1", "--no-indels: takes no argument");
	refused("--completion=csh", "--completion csh: must be bash, zsh or "
		"fish");
	refused("-k \033[1m", "-k \\x1b[1m: must be 0 to 63, a whole number");
	memset(longest, '-', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	refused(longest, "unknown option ----------------------------------"
		"----------------------------------------------------------"
		"----------------------------------------------------------"
		"--------------------------------------------------");
}

/* What parsing words writes to standard error. */
static const char *
noted_of(const char *words)
{
	static char s[500];
	FILE *f = tmpfile();
	int was = dup(2), at;
	struct err e;
	size_t n;

	if (!f || was < 0 || dup2(fileno(f), 2) < 0)
		abort();
	ok(parse(words, &at, &e) == 0, "taken: %s", words);
	dup2(was, 2);
	close(was);
	rewind(f);
	n = fread(s, 1, sizeof s - 1, f);
	s[n] = '\0';
	fclose(f);
	return s;
}

static void
test_former_names(void)
{
	static const char note[] = "try-it: --far-off is now --far\n";

	ok(strcmp(noted_of("--far-off 7"), note) == 0 && k == 7, "a number");
	ok(strcmp(noted_of("--far-off=8 --far-off 8"), note) == 0 && k == 8,
	   "one note for a name used twice");
	ok(strcmp(noted_of("--far-o 9"), note) == 0 && k == 9, "abbreviated");
	ok(!*noted_of("--far-off 7 --quiet") && k == 7, "--quiet");
	ok(!*noted_of("--far 7"), "no note for the name of today");
	ok(strcmp(noted_of("--kind all --exact"), "try-it: --kind is now "
		  "--report\ntry-it: --exact is now --no-indels\n") == 0 &&
	   strcmp(report, "all") == 0 && flag, "a choice and a flag");
	noted_of("--input a -q b");
	ok(queries.n == 2 && queries.v[0].letter == 'q' &&
	   queries.v[1].letter == 'q', "of a list");
	refused("--kind x", "--kind x: must be all, minima, best or count");
	refused("--far-off -6", "--far-off -6: must be at least -5");
	refused("--far-off", "--far-off: needs an argument (N)");
	refused("--far-off -k", "--far-off: needs an argument (N), but -k "
		"follows");
	refused("--exact=1", "--exact: takes no argument");
}

/* An option in place of a value. */
static void
test_swallowed(void)
{
	refused("-k -e x", "-k: needs an argument (K), but -e follows");
	refused("-k -ex", "-k: needs an argument (K), but -ex follows");
	refused("-k --qu=x", "-k: needs an argument (K), but --qu=x follows");
	refused("-nk -- 5", "-k: needs an argument (K), but -- follows");
	refused("--len -h", "--length: needs an argument (LEN), but -h "
		"follows");
	refused("-x -V", "-x: needs an argument (TEXT), but -V follows");
	refused("--text --help", "--text: needs an argument (TEXT), but "
		"--help follows");
	refused("--report -n", "--report: needs an argument (all|minima|best|"
		"count), but -n follows");
	refused("--completion -k", "--completion: needs an argument (bash|zsh|"
		"fish), but -k follows");
	refused("-k-e", "-k -e: must be 0 to 63, a whole number");
	refused("-k -y", "-k -y: must be 0 to 63, a whole number");
	refused("-k --any", "-k --any: must be 0 to 63, a whole number");
}

static void
test_sizes(void)
{
	static const struct {
		const char *s;
		int64_t v;	/* -1: refused */
	} t[] = {
		{ "0", 0 }, { "12", 12 }, { "007", 7 }, { "1k", 1000 },
		{ "1K", 1000 }, { "1.5k", 1500 }, { "1.50000000000000k", 1500 },
		{ "0.001k", 1 }, { "1.0", 1 }, { "2M", 2000000 },
		{ "3G", 3000000000 }, { "0.000000001G", 1 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036.854775807G", INT64_MAX },
		{ "1.5", -1 }, { "1.0005k", -1 }, { "0.0000000001G", -1 },
		{ "9223372036854775808", -1 }, { "9223372036854775807k", -1 },
		{ "99999999999999999999G", -1 }, { "", -1 }, { "k", -1 },
		{ ".5k", -1 }, { "1.k", -1 }, { "1.", -1 }, { "1kk", -1 },
		{ "1 k", -1 }, { " 1", -1 }, { "+1", -1 }, { "0x10", -1 },
		{ "1e3", -1 }, { "-1", -1 }, { "--1", -1 }, { "1T", -1 },
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		struct err e;
		int64_t v = -1;
		int rc = opt_number(t[i].s, 0, INT64_MAX, true, &v, &e);

		ok(v == t[i].v && rc == (t[i].v < 0 ? ERR_USAGE : 0),
		   "size '%s'", t[i].s);
	}
}

/* What f prints, in memory that the next call reuses. */
static const char *
printed(const char *shell)
{
	static char *s;
	size_t n;
	struct err e;
	FILE *f;

	free(s);
	f = open_memstream(&s, &n);
	if (!f)
		abort();
	if (shell)
		opt_completion(&spec, shell, f, &e);
	else
		opt_help(&spec, f);
	fclose(f);
	return s;
}

static void
has(const char *s, const char *part, const char *what)
{
	ok(strstr(s, part) != NULL, "%s", what);
}

static void
test_help(void)
{
	const char *s = printed(NULL);
	size_t widest = 0;

	has(s, "usage: try-it [options] -q FILE [FILE ...]\n", "usage");
	ok(strncmp(s, "Tries it.\n", 10) == 0, "the first line says what for");
	has(s, "\n  -k K                    differences (0 to 63; "
		  "default 0)\n", "range and default");
	has(s, "\n  -L, --length=LEN        letters a chunk (1 to 1G; "
		  "default 1M)\n", "two names, sizes");
	has(s, "\n      --progress[=SEC]    report", "optional");
	has(s, "\n      --report=all|minima|best|count\n"
		  "                          which", "long names wrap");
	has(s, "Common options:\n  -v, --verbose", "common options");
	ok(!strstr(s, "secret") && !strstr(s, "completion") &&
	   !strstr(s, "far-off"), "hidden ones");
	for (const char *p = s; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > widest)
			widest = strcspn(p, "\n");
	ok(widest < 80, "no line above 79 columns");
}

/* The exit status of a child that parses one word; stdout into file. */
static int
status_of(char *word, const char *to)
{
	char *argv[] = { (char *)"try-it", word, NULL };
	int status, operand;
	struct err e;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (!freopen(to, "w", stdout))
			_exit(99);
		/* no return but by an error: a mistake is seen as 98 */
		opt_parse(&spec, 2, argv, &operand, &e);
		_exit(98);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 97;
	return WEXITSTATUS(status);
}

static void
test_exits(void)
{
	static char *words[] = { (char *)"--help", (char *)"-h",
		(char *)"--version", (char *)"-V",
		(char *)"--completion=bash", (char *)"--completion=fish" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		ok(status_of(words[i], "/dev/null") == 0, "%s", words[i]);
		/* the message goes to stderr, which the runner shows */
		if (access("/dev/full", W_OK) == 0)
			ok(status_of(words[i], "/dev/full") == 1,
			   "%s, disk full", words[i]);
	}
}

/* Feed a script to a shell, if it is installed; its exit status. */
static int
feed(const char *shell, const char *args, const char *script)
{
	char command[200];
	FILE *f;

	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1 || "
		 "exec cat >/dev/null; exec %s %s", shell, shell, args);
	f = popen(command, "w");
	if (!f || fputs(script, f) < 0)
		return -1;
	return pclose(f);
}

static void
test_completions(void)
{
	static const char use[] =
		"try() { COMP_WORDS=(try-it \"$@\"); COMP_CWORD=$#;\n"
		"_try_it; echo \"${COMPREPLY[*]}\"; }\n"
		"compopt() { :; }\n"
		"[[ $(try --re) == --report ]] || exit 11\n"
		"[[ $(try --report m) == minima ]] || exit 12\n"
		"[[ $(try --report = b) == best ]] || exit 13\n"
		"[[ $(try --report =) == 'all minima best count' ]] || "
		"exit 14\n"
		"[[ $(try -k '') == '' ]] || exit 15\n"
		"[[ $(try -o /de) == /dev ]] || exit 16\n"
		"[[ $(try /de) == /dev ]] || exit 17\n"
		"[[ $(try --se) == '' ]] || exit 18\n"
		"[[ $(try --fa) == --far ]] || exit 19\n";
	char *all;
	int status;

	if (asprintf(&all, "%s%s", printed("bash"), use) < 0)
		abort();
	ok(!strstr(printed("zsh"), "far-off") &&
	   !strstr(printed("fish"), "far-off"), "no former names");
	status = feed("bash", "-s", all);
	ok(status == 0, "bash completes (exit %d)", status >> 8);
	free(all);
	ok(feed("zsh", "-n", printed("zsh")) == 0, "zsh's syntax");
	ok(feed("fish", "-n /dev/stdin", printed("fish")) == 0,
	   "fish's syntax");
	has(printed("zsh"), "'(-n --no-indels)-n[substitutions only; "
		  "it'\\''s \\[odd\\]\\: really]'", "zsh's escapes");
	has(printed("fish"), "-s n -l no-indels -d 'substitutions only; "
		  "it\\'s [odd]: really'", "fish's escapes");
}

int
main(void)
{
	test_values();
	test_lists();
	test_inputs();
	test_refused();
	test_twice_and_foreign();
	test_former_names();
	test_swallowed();
	test_sizes();
	test_help();
	test_exits();
	test_completions();
	opt_list_free(&queries);
	return done();
}
