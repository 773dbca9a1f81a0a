/* SPDX-License-Identifier: MIT */
/* sw_scoring.c - presets, matrices, files: the scores that options mean */
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "scan/sw/sw.h"
#include "tests/lib/tap.h"

static struct err e;
static struct sw_letters l;
static char path[] = "/tmp/sw_scoring.XXXXXX";

static const struct sw_choice none = {
	.match = SW_UNSET, .mismatch = SW_UNSET, .gap_open = SW_UNSET,
	.gap_extend = SW_UNSET,
};

static void
is_text(const struct sw_choice *c, const char *want)
{
	struct buf b = { 0 };
	int rc = sw_letters_choose(&l, c, &e);

	if (rc == 0)
		sw_letters_text(&l, &b);
	buf_u8(&b, 0);
	ok(rc == 0 && strcmp((char *)b.p, want) == 0, "%.*s: %s",
	   (int)strcspn(want, "\n"), want, rc ? e.text : "the text");
	buf_free(&b);
}

static void
is_error(const struct sw_choice *c, int code, const char *part)
{
	int rc;

	e.text[0] = 0;
	rc = sw_letters_choose(&l, c, &e);
	ok(rc == code && strstr(e.text, part) && !strchr(e.text, '\n'),
	   "%d: %s, want %s", rc, e.text, part);
}

static int32_t
score(char a, char b)
{
	return l.scoring.score[l.code_of[(uint8_t)a]][l.code_of[(uint8_t)b]];
}

static void
dna(void)
{
	struct sw_choice c = none;

	is_text(&c, "match 2\nmismatch -3\ngap-open 5\ngap-extend 2\n");
	ok(l.dna && l.strands && l.scoring.letters == 5, "DNA has strands");
	ok(l.lambda == 0.625 && l.k == 0.41 && l.even, "blastn's lambda, K");
	ok(score('a', 'A') == 2 && score('U', 't') == 2 &&
	   score('G', 'c') == -3, "case and U do not matter");
	ok(score('N', 'N') == -3 && score('r', 'A') == -3 &&
	   score('R', 'R') == -3, "an ambiguity letter matches nothing");
	ok(l.code_of['C'] == 1 && l.code_of['g'] == 2 && l.code_of['n'] == 4 &&
	   l.code_of['E'] == 255 && l.code_of['*'] == 255 &&
	   l.code_of['-'] == 255, "codes");
	ok(l.same[3] == 3 && l.same[4] == 255, "N is never reported as =");
	ok(l.complement[0] == 3 && l.complement[4] == 4, "complements");
	c.preset = "SSCA1";
	is_text(&c, "match 5\nmismatch -3\ngap-open 8\ngap-extend 1\n");
	ok(l.lambda == 0 && l.k == 0, "no lambda where none is published");
	c.preset = "blastn-short";
	is_text(&c, "match 1\nmismatch -3\ngap-open 5\ngap-extend 2\n");
	ok(l.lambda == 1.374 && l.k == 0.711 && !l.even, "and where one is");
	c.match = 2;
	is_text(&c, "match 2\nmismatch -3\ngap-open 5\ngap-extend 2\n");
	c = none;
	c.preset = "5/-4/8/6";
	is_text(&c, "match 5\nmismatch -4\ngap-open 8\ngap-extend 6\n");
	ok(l.lambda == 0.146 && l.k == 0.039, "5/-4/8/6");
	c.gap_extend = c.mismatch = 0;
	is_text(&c, "match 5\nmismatch 0\ngap-open 8\ngap-extend 0\n");
	c = none;
	c.preset = "2/0/1/1";
	is_text(&c, "match 2\nmismatch 0\ngap-open 1\ngap-extend 1\n");
	c.preset = "2/-0/1/1";
	is_text(&c, "match 2\nmismatch 0\ngap-open 1\ngap-extend 1\n");
	c.match = c.mismatch = c.gap_open = c.gap_extend = SW_MAX_SCORE;
	is_text(&c, "match 1000000\nmismatch -1000000\ngap-open 1000000\n"
		"gap-extend 1000000\n");
}

static void
presets(void)
{
	char names[200], *at = names;
	struct sw_choice c = none;

	snprintf(names, sizeof names, "%s", SW_PRESETS(SW_PRESET_NAME));
	while ((c.preset = strsep(&at, ", ")))
		ok(!*c.preset || sw_letters_choose(&l, &c, &e) == 0,
		   "preset %s", c.preset);
}

static void
wrong_choices(void)
{
	static const char *const presets_not[] = {
		"", "blast", "5/-4/8", "5/4/8/4", "5/-4/8/4/", "5/-4/8/4x",
		"5/--4/8/4", "5/00004/8/4", "5/+0/8/4", "5//8/4", "a/-4/8/4",
		"5/-4/8/-4", "99999999999/-1/1/1",
	};
	struct sw_choice c = none;

	for (size_t i = 0; i < sizeof presets_not / sizeof *presets_not; i++) {
		c.preset = presets_not[i];
		is_error(&c, ERR_USAGE, "--preset");
	}
	c.preset = "1000001/-1/1/1";
	is_error(&c, ERR_USAGE, "--match 1000001: must be 1 to 1000000");
	c.preset = "1/-1/1/1";
	c.match = 0;
	is_error(&c, ERR_USAGE, "--match 0");
	c.match = 1;
	c.mismatch = -2;
	is_error(&c, ERR_USAGE, "--mismatch -2: must be 0 to");
	c.mismatch = 1;
	c.gap_open = 1000001;
	is_error(&c, ERR_USAGE, "--gap-open 1000001");
	c.gap_open = 1;
	c.gap_extend = INT64_MAX;
	is_error(&c, ERR_USAGE, "--gap-extend");
	c = none;
	c.matrix = "BLOSUM62";
	c.match = 1;
	is_error(&c, ERR_USAGE, "not with --preset");
	c.match = SW_UNSET;
	c.matrix = "BLOSUM63";
	is_error(&c, ERR_IO, "neither built in (BLOSUM45");
	c.matrix = "/nowhere/BLOSUM62";
	is_error(&c, ERR_IO, "/nowhere/BLOSUM62");
}

/*
 * Of the 20 amino acids: the diagonal's sum, and one of all scores that
 * distinguishes places apart; from Biopython's and EMBOSS's copies of the
 * matrices (BLOSUM80, which they have in third bits, from the NCBI's in half
 * bits).
 */
static const struct {
	const char *name;
	int diagonal, all;
} sums[] = {
	{ "BLOSUM45", 141, -202830 },
	{ "BLOSUM50", 150, -252192 },
	{ "BLOSUM62", 116, -231605 },
	{ "BLOSUM80", 124, -340335 },
	{ "BLOSUM90", 134, -402782 },
	{ "PAM30", 164, -1207897 },
	{ "PAM70", 144, -687326 },
	{ "PAM120", 120, -426898 },
	{ "PAM250", 118, -244207 },
};

/* Is J there, and X -1 beside every letter? */
static bool
blasts_letters(void)
{
	bool good = l.same[l.code_of['J']] == l.code_of['J'];

	for (const char *a = "ARNDCQEGHILKMFPSTWYVBZXJ"; *a; a++)
		good &= score('X', *a) == -1 && score(*a, 'X') == -1;
	return good;
}

static void
matrix_sums(void)
{
	static const char acids[] = "ARNDCQEGHILKMFPSTWYV";

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		struct sw_choice c = none;
		int diagonal = 0, all = 0;

		c.matrix = sums[i].name;
		ok(sw_letters_choose(&l, &c, &e) == 0, "%s", c.matrix);
		for (const char *a = acids; *a; a++)
			for (const char *b = acids; *b; b++) {
				diagonal += a == b ? score(*a, *b) : 0;
				all += *a * *b % 1009 * score(*a, *b);
			}
		ok(diagonal == sums[i].diagonal && all == sums[i].all,
		   "%s: sums %d %d", c.matrix, diagonal, all);
		ok(blasts_letters() == (strcmp(c.matrix, "PAM120") != 0),
		   "%s: X and J as BLAST has them", c.matrix);
		ok((l.lambda > 0) == (strcmp(c.matrix, "PAM120") != 0),
		   "%s: lambda with its default gap costs", c.matrix);
	}
}

static void
protein(void)
{
	struct sw_choice c = none;

	c.matrix = "blosum62";
	is_text(&c, "matrix BLOSUM62\ngap-open 11\ngap-extend 1\n");
	ok(l.lambda == 0.267 && l.k == 0.041, "lambda and K of BLOSUM62 11/1");
	ok(!l.dna && !l.strands, "proteins have no other strand");
	ok(score('W', 'w') == 11 && score('A', 'R') == -1 &&
	   score('l', 'I') == 2 && score('X', 'A') == -1, "BLOSUM62");
	ok(score('*', '*') == 1 && score('O', 'A') == -4 &&
	   score('U', 'U') == 1 && score('-', 'W') == -4,
	   "a letter that is missing scores as *");
	ok(l.same[l.code_of['*']] == l.code_of['*'] &&
	   l.code_of['O'] != l.code_of['*'] &&
	   l.same[l.code_of['O']] == 255, "but is not equal to it");
	ok(l.code_of['\n'] == 255 && l.code_of[' '] == 255 &&
	   l.code_of[200] == 255, "what is not printable is no letter");
	c.gap_open = 12;
	is_text(&c, "matrix BLOSUM62\ngap-open 12\ngap-extend 1\n");
	ok(l.lambda == 0.283, "lambda of 12/1");
	c.gap_open = 3;
	is_text(&c, "matrix BLOSUM62\ngap-open 3\ngap-extend 1\n");
	ok(l.lambda == 0, "none of 3/1");
}

/* A file with this text; with --gap-open 1 --gap-extend 1. */
static struct sw_choice
file_of(const char *text)
{
	struct sw_choice c = none;
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	c.matrix = path;
	c.gap_open = c.gap_extend = 1;
	return c;
}

static void
files(void)
{
	struct sw_choice c = file_of("# two\n\n A\tb \r\nb -1 2\nA 3  +4 # x");

	ok(sw_letters_choose(&l, &c, &e) == 0, "a file: %s", e.text);
	ok(score('A', 'b') == 4 && score('b', 'A') == -1 &&
	   score('a', 'A') == 3 && score('B', 'b') == 2 &&
	   l.scoring.letters == 2 && l.code_of['C'] == 255,
	   "rows are the query, in any order; case does not matter");
	c = file_of("Aab\nA 5 1 2\na 3 6 4\nb 7 8 9\n");
	is_error(&c, ERR_FORMAT, ":1: one printable character");
	c = file_of("A a b\nA 5 1 2\na 3 6 4\nb 7 8 9\n");
	ok(sw_letters_choose(&l, &c, &e) == 0 && score('A', 'a') == 1 &&
	   score('a', 'A') == 3 && l.code_of['B'] == 255 &&
	   score('b', 'b') == 9, "case matters where a letter has both");
	c.gap_extend = SW_UNSET;
	is_error(&c, ERR_USAGE, "needs --gap-open and --gap-extend");
}

static void
wrong_files(void)
{
	static const char *const text[][2] = {
		{ "", ": no matrix: it is empty" },
		{ "# nothing\n", ": no matrix: it is empty" },
		{ "A A\nA 1 1\n", ":1: two columns of one symbol: A" },
		{ "A \x80\n", ":1: one printable" },
		{ "A\nB 1\n", ":2: a row that is no column: B" },
		{ "A B\nA 1 1\n\nA 1 1\n", ":4: two rows of one symbol: A" },
		{ "A B\nA 1 1\n", ": no row B" },
		{ "A B\nA 1\n", ":2: fewer scores than columns in row: A" },
		{ "A\nA 1 1\n", ":2: more scores than columns in row: A" },
		{ "A\nA 1.5\n", ":2: no whole number of at most 1000000: 1.5" },
		{ "A\nA 1000001\n", ":2: no whole number" },
		{ "A\nA -\n", ":2: no whole number of at most 1000000: -" },
		{ "A\nA 99999999999999999999\n", ":2: no whole number" },
		{ "A\nA 0\n", ": no score is above 0" },
		{ "A\nAB 1\n", ":2: a row that is no column: AB" },
	};

	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct sw_choice c = file_of(text[i][0]);

		is_error(&c, ERR_FORMAT, text[i][1]);
	}
}

/* A matrix of so many symbols from ! on, but #; s(i, j) = 7 i + j mod 100. */
static struct sw_choice
file_of_many(unsigned n)
{
	struct buf b = { 0 };
	struct sw_choice c;
	char symbol[100];

	for (unsigned i = 0, s = '!'; i < n; i++, s++) {
		s += s == '#';
		symbol[i] = (char)s;
		buf_printf(&b, " %c", s);
	}
	for (unsigned i = 0; i < n; i++) {
		buf_printf(&b, "\n%c", symbol[i]);
		for (unsigned j = 0; j < n; j++)
			buf_printf(&b, " %u", (7 * i + j) % 100);
	}
	buf_u8(&b, 0);
	c = file_of((char *)b.p);
	buf_free(&b);
	return c;
}

static void
many(void)
{
	struct sw_choice c = file_of_many(64);

	ok(sw_letters_choose(&l, &c, &e) == 0 && l.scoring.letters == 64 &&
	   l.scoring.score[63][63] == 504 % 100 &&
	   l.scoring.score[1][0] == 7 && l.code_of['a'] == 63 &&
	   l.code_of['b'] == 255, "64 symbols, * is like the others");
	c = file_of_many(63);
	ok(sw_letters_choose(&l, &c, &e) == 0 && l.scoring.letters == 64 &&
	   l.code_of['a'] == l.code_of['A'] && l.code_of['{'] == 63 &&
	   l.same[63] == 255, "63 and the others");
	c = file_of_many(65);
	is_error(&c, ERR_FORMAT, ":1: more than 64 symbols");
}

/* The same scores in another order, packed: the same text and tables. */
static void
same_text(void)
{
	struct sw_choice c = file_of("A C\nA 1 2\nC 3 4\n");
	struct sw_letters was;
	struct buf b = { 0 }, d = { 0 };
	gzFile z;

	ok(sw_letters_choose(&was, &c, &e) == 0, "a matrix");
	sw_letters_text(&was, &b);
	z = gzopen(path, "wb");
	if (!z || gzputs(z, "c a\na 2 1\nc 4 3\n") < 0 || gzclose(z) != Z_OK)
		abort();
	ok(sw_letters_choose(&l, &c, &e) == 0, "packed: %s", e.text);
	sw_letters_text(&l, &d);
	ok(memcmp(&l, &was, sizeof l) == 0 && b.n == d.n &&
	   memcmp(b.p, d.p, b.n) == 0, "in another order and case: the same");
	c = file_of("A C\nA 1 3\nC 2 4\n");
	d.n = 0;
	ok(sw_letters_choose(&l, &c, &e) == 0, "transposed");
	sw_letters_text(&l, &d);
	ok(b.n == d.n && memcmp(b.p, d.p, b.n) != 0, "another matrix");
	buf_free(&b);
	buf_free(&d);
}

/* What is built in, written as a file. */
static void
known(void)
{
	static const char symbols[] = "*VYWTSPFMKLIHGEQCDNRAXZJB";
	struct sw_choice c = none;
	struct buf b = { 0 };

	c.matrix = "PAM30";
	sw_letters_choose(&l, &c, &e);
	for (const char *p = symbols; *p; p++)
		buf_printf(&b, " %c", *p);
	for (const char *p = symbols; *p; p++) {
		buf_printf(&b, "\n%c", *p);
		for (const char *q = symbols; *q; q++)
			buf_printf(&b, " %d", score(*p, *q));
	}
	buf_u8(&b, 0);
	c = file_of((char *)b.p);
	c.gap_open = c.gap_extend = SW_UNSET;
	is_text(&c, "matrix PAM30\ngap-open 9\ngap-extend 1\n");
	ok(l.lambda == 0.294, "and its lambda");
	buf_free(&b);
}

/* All of them divided; a matrix counts in all its letters. */
static void
reduce(void)
{
	struct sw_scoring s;
	struct sw_choice c = none;

	c.preset = "200/-300/500/200";
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == 100 && s.score[0][0] == 2 &&
	   s.score[0][1] == -3 && s.score[4][4] == -3 && s.open == 5 &&
	   s.extend == 2 && s.letters == 5, "by 100");
	c.preset = "91/-114/400/30";
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == 1 &&
	   memcmp(&s, &l.scoring, sizeof s) == 0, "by 1");
	c.preset = "7/-0/0/0";
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == 7 && s.score[3][3] == 1,
	   "zeros divide by all");
	c.preset = "1000000/-1000000/1000000/1000000";
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == SW_MAX_SCORE && s.open == 1 &&
	   s.score[0][1] == -1, "by the largest");
	c = file_of("A C\nA 12 -9\nC 0 6\n");
	c.gap_open = 0;
	c.gap_extend = 3;
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == 3 && s.score[0][0] == 4 &&
	   s.score[0][1] == -3 && s.extend == 1, "a matrix by 3");
	c.gap_extend = 4;
	sw_letters_choose(&l, &c, &e);
	ok(sw_scoring_reduce(&s, &l.scoring) == 1, "or by 1");
	memset(&l.scoring.score, 0, sizeof l.scoring.score);
	l.scoring.open = l.scoring.extend = 0;
	ok(sw_scoring_reduce(&s, &l.scoring) == 1, "nothing by 1");
}

static void
strands(void)
{
	struct sw_choice c = file_of("A T G C N\nA 5 -4 -4 -4 -2\n"
	    "T -4 5 -4 -4 -2\nG -4 -4 5 -4 -2\nC -4 -4 -4 5 -2\n"
	    "N -2 -2 -2 -2 -1\n");

	ok(sw_letters_choose(&l, &c, &e) == 0 && !l.dna && l.strands &&
	   l.complement[l.code_of['a']] == l.code_of['T'] &&
	   l.complement[l.code_of['N']] == l.code_of['n'] &&
	   score('u', 't') == 5 && l.code_of['R'] == 255,
	   "a matrix of DNA has strands");
	c = file_of("A T G C R\nA 5 0 0 0 0\nT 0 5 0 0 0\nG 0 0 5 0 0\n"
		    "C 0 0 0 5 0\nR 0 0 0 0 1\n");
	ok(sw_letters_choose(&l, &c, &e) == 0 && !l.strands, "without Y");
	c = file_of("A T\nA 5 0\nT 0 5\n");
	ok(sw_letters_choose(&l, &c, &e) == 0 && !l.strands, "without C, G");
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0 || close(fd) != 0)
		abort();
	dna();
	presets();
	wrong_choices();
	matrix_sums();
	protein();
	files();
	wrong_files();
	many();
	same_text();
	known();
	strands();
	reduce();
	unlink(path);
	return done();
}
