/* SPDX-License-Identifier: MIT */
/* pairs.c - files of primers: what they hold, and what is wrong with them */

#include <string.h>

#include "pcr/pcr.h"
#include "tests/lib/tap.h"

/* Primers and pairs as "NAME=LETTERS ... | NAME:F:R[:MIN-MAX] ..." */
static void
show(const struct pcr_pairs *p, struct buf *b)
{
	for (size_t i = 0; i < p->n_primers; i++)
		buf_printf(b, "%.*s=%.*s ", (int)p->primer[i].name.n,
			   p->primer[i].name.p, (int)p->primer[i].letters.n,
			   p->primer[i].letters.p);
	buf_printf(b, "|");
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct pcr_pair *x = &p->pair[i];

		buf_printf(b, " %.*s:%u:%u", (int)x->name.n, x->name.p, x->f,
			   x->r);
		if (x->limits)
			buf_printf(b, ":%llu-%llu", (unsigned long long)x->min,
				   (unsigned long long)x->max);
	}
	buf_u8(b, 0);
}

static void
test_role(enum pcr_role role, const char *text, bool alone, const char *want)
{
	struct pcr_pairs_params pp = { .role = role, .alone = alone };
	struct buf b = { 0 };
	struct pcr_pairs p = { .path = NULL };
	struct err e;
	int rc = pcr_pairs_parse(&p, "f", text, strlen(text), &pp, &e);

	if (rc)
		buf_printf(&b, "%d %s", rc, e.text);
	else
		show(&p, &b);
	buf_u8(&b, 0);
	ok(strcmp((char *)b.p, want) == 0, "%s: %s", want, b.p);
	if (!rc)
		pcr_pairs_free(&p);
	buf_free(&b);
}

static void
test_file(const char *text, bool alone, const char *want)
{
	test_role(PCR_PAIRS, text, alone, want);
}

/* Their own names stay, where they have any. */
static void
test_primers(void)
{
	test_role(PCR_PRIMERS, "a\tACG\tTTN\t5\t70\nb\tRYK\n", true,
		  "a/F=ACG a/R=TTN b/F=RYK | a:0:1:5-70 b:2:2");
	test_role(PCR_PRIMERS, ">a_LEFT x\nAC\nG\n>b/F\nTT\n>c\nA\n", true,
		  "a_LEFT=ACG b/F=TT c=A |");
	test_role(PCR_PRIMERS, "c\t1\t5\tn_LEFT\tp1\t+\tACG\n"
		  "c\t1\t5\tn\tp1\t+\tCCC\n", true, "n_LEFT=ACG n=CCC |");
	test_role(PCR_PRIMERS, ">a\nACG\n>a\nACG\n", true,
		  "-5 f:3: a: the second one of that name");
	test_role(PCR_PRIMERS, ">a\nAC-G\n", true, "-5 f:1: a: the primer "
		  "has '-', which is no IUPAC letter of DNA");
	test_role(PCR_PRIMERS, "\n# x\n", true, "-5 f: holds no primer");
}

static void
test_lines(void)
{
	test_file("a\tACG\tTTN\nb\tRYK\tu\n", false,
		  "a/F=ACG a/R=TTN b/F=RYK b/R=u | a:0:1 b:2:3");
	test_file("# x\n\n  \na\tACG\tTTN\t5\t70\r\nb\tacg", false,
		  "a/F=ACG a/R=TTN b/F=acg | a:0:1:5-70 b:2:2");
	test_file("a  ACG TTN  5 70\n", false,
		  "a/F=ACG a/R=TTN | a:0:1:5-70");
	test_file("a\tACG\t\t5\t5\t\n", false, "a/F=ACG | a:0:0:5-5");
	test_file("my one\tACG\tT", false,
		  "my%20one/F=ACG my%20one/R=T | my one:0:1");
}

static void
test_scheme(void)
{
	test_file("c\t1\t5\tn_1_LEFT\tp1\t+\tACG\nc\t9\t12\tn_1_RIGHT\tp1\t-\t"
		  "CCC\textra\tmore\n", false,
		  "n_1/F=ACG n_1/R=CCC | n_1:0:1");
	test_file("track name=x\n"
		  "c\t1\t5\tn_LEFT\t1\t+\tACG\n"
		  "c\t1\t5\tn_LEFT_alt0\t1\t+\tACT\n"
		  "c\t1\t5\tn_RIGHT\t1\t-\tAA\n"
		  "c\t1\t5\tn_RIGHT_alt2\t1\t-\tAC\n", false,
		  "n/F=ACG n_LEFT_alt0/F=ACT n/R=AA n_RIGHT_alt2/R=AC | "
		  "n:0:2 n_RIGHT_alt2:0:3 n_LEFT_alt0:1:2 "
		  "n_LEFT_alt0_RIGHT_alt2:1:3");
	/* an alternate is one wherever it stands; of these alone the first */
	test_file("c\t1\t5\tn_LEFT_alt1\t1\t+\tACT\n"
		  "c\t1\t5\tn_LEFT\t1\t+\tACG\n"
		  "c\t1\t5\tn_RIGHT_1\t1\t-\tAA\n"
		  "c\t1\t5\tn_RIGHT_2\t1\t-\tAC\n", false,
		  "n_LEFT_alt1/F=ACT n/F=ACG n_RIGHT_1/R=AA n_RIGHT_2/R=AC | "
		  "n_LEFT_alt1:0:2 n_LEFT_alt1_RIGHT_2:0:3 n:1:2 "
		  "n_RIGHT_2:1:3");
	test_file("c\t1\t5\tn_LEFT\t1\t+\tACG\nc\t1\t5\tn_RIGHT\t2\t-\tACG\n",
		  false, "-5 f:1: n has no RIGHT (reverse) primer in pool 1");
	test_file("c\t1\t5\tn_LEFT\t1\t+\n", false, "-5 f:1: n_LEFT has no "
		  "letters: neither in column 7, nor by that name in -q "
		  "FASTA");
	test_file("c\t1\t5\tn\t1\t+\tACG\n", false, "-5 f:1: n: the name says "
		  "neither LEFT nor RIGHT");
}

static void
test_fasta(void)
{
	test_file(">a/F x y\nAC\nG\n>a/R\nTT\n", false,
		  "a/F=ACG a/R=TT | a:0:1");
	test_file(">b-fwd\nAC G\n\n>b-rev\nTT\n>c.R\nA\n>c.F\nC\n", false,
		  "b/F=ACG b/R=TT c/R=A c/F=C | b:0:1 c:3:2");
	test_file(">a\nACG\n", false, "-5 f:1: a: the name does not say which "
		  "of a pair it is: NAME/F and NAME/R, or NAME_LEFT and "
		  "NAME_RIGHT do");
	test_file(">a\nACG\n>b_R\nTT\n", true, "a/F=ACG b/R=TT |");
	test_file(">a/F\nACG\n>a_LEFT\nACG\n>a/R\nA\n", false,
		  "a/F=ACG a_LEFT/F=ACG a/R=A | a:0:2 a_LEFT:1:2");
	test_file(">a/F\nACG\n>a/F\nACG\n>a/R\nA\n", false,
		  "-5 f:3: a/F: the second one of that name");
	test_file(">a/F\nACG\n>a/R\nACG\n>a/R\nA\n", false,
		  "-5 f:5: a/R: the second one of that name");
	test_file(">a/F\nACG\n>b/R\nA\n", false,
		  "-5 f:1: a has no RIGHT (reverse) primer");
	test_file(">a/F\n>a/R\nA\n", false,
		  "-5 f:1: a: the forward primer has no letters");
	test_file("> \nA\n", false, "-5 f:1: the primer has no name");
}

static void
test_errors(void)
{
	test_file("", false, "-5 f: holds no primer");
	test_file("# a\n\n", false, "-5 f: holds no primer");
	test_file("a\tACG\tTT\na\tACG\tTT\n", false,
		  "-5 f:2: a/F: the second one of that name");
	test_file("a\n", false, "-5 f:1: 1 columns: a pair is name, forward "
		  "primer, reverse primer, and perhaps min and max, with tabs "
		  "between");
	test_file("a\tA\tC\t5\n", false, "-5 f:1: 4 columns: a pair is name, "
		  "forward primer, reverse primer, and perhaps min and max, "
		  "with tabs between");
	test_file("\n\na\tACX\tTT\n", false, "-5 f:3: a: the forward primer "
		  "has 'X', which is no IUPAC letter of DNA");
	test_file("a\t\tTT\n", false,
		  "-5 f:1: a: the forward primer has no letters");
	test_file("\tACG\tTT\n", false, "-5 f:1: the pair has no name");
	test_file("a\tACG\tTT\t9\t8\n", false, "-5 f:1: min 9 is above max 8");
	test_file("a\tACG\tTT\tx\t8\n", false,
		  "-5 f:1: min of a product: x is no number of letters");
	test_file("a\tACG\tTT\t0\t8\n", false,
		  "-5 f:1: min of a product: must be at least 1");
}

static void
test_sides(void)
{
	static const char *const yes[][3] = {
		{ "a_LEFT", "a", "" }, { "a_left_alt1", "a", "_alt1" },
		{ "x_R_1_RIGHT", "x_R_1", "" }, { "a/r", "a", "" },
		{ "a.rev", "a", "" }, { "a_RIGHT_2", "a", "_2" },
	};
	static const char *const no[] = { "", "F", "_F", "a", "aF", "a_F_1" };
	struct pcr_side s;

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		struct str n = { yes[i][0], strlen(yes[i][0]) };

		ok(pcr_side(&s, n) && s.reverse == (i > 1) &&
		   s.stem.n == strlen(yes[i][1]) &&
		   s.alt.n == strlen(yes[i][2]), "%s", yes[i][0]);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ok(!pcr_side(&s, (struct str){ no[i], strlen(no[i]) }),
		   "no side: %s", no[i]);
}

int
main(void)
{
	test_lines();
	test_primers();
	test_scheme();
	test_fasta();
	test_errors();
	test_sides();
	return done();
}
