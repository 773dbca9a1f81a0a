/* SPDX-License-Identifier: MIT */
/* matrix.c - the formats of matrices give the same floats */
#include <string.h>

#include "input/input.h"
#include "tests/lib/tap.h"

static struct err e;

/* "name|desc|a,c,g,t a,c,g,t;..." or "!" and the reason. */
static void
events(const char *text, enum matrix_format format, struct buf *b)
{
	struct source *s = NULL;
	struct matrix *m = NULL;
	struct fasta_piece p;
	size_t n = strlen(text);
	int rc;

	b->n = 0;
	if (source_memory(&s, "x", text, n, &e) != 0)
		abort();
	if (format == MATRIX_AUTO &&
	    matrix_describe((const uint8_t *)text, n) == MATRIX_NONE)
		buf_printf(b, "none");
	else if (matrix_new(&m, s, format, &e) != 0)
		buf_printf(b, "!%s", e.text);
	while (m && (rc = matrix_next(m, &p, &e)) > 0) {
		if (rc == FASTA_RECORD)
			buf_printf(b, "%s%.*s|%.*s|", b->n ? ";" : "",
				   (int)p.name.n, p.name.p, (int)p.desc.n,
				   p.desc.p);
		for (size_t i = 0; rc == FASTA_LETTERS && i < p.n; i++) {
			float f[4];

			memcpy(f, p.letters + 16 * i, 16);
			buf_printf(b, "%s%g,%g,%g,%g", i ? " " : "", f[0],
				   f[1], f[2], f[3]);
		}
	}
	buf_u8(b, 0);
	matrix_free(m);
	source_close(s);
}

static void
as(enum matrix_format format, const char *text, const char *want)
{
	struct buf b = { 0 };

	events(text, format, &b);
	ok(strcmp((char *)b.p, want) == 0, "have %s, want %s", (char *)b.p,
	   want);
	buf_free(&b);
}

static void
is(const char *text, const char *want)
{
	as(MATRIX_AUTO, text, want);
}

#define TWO "1,3,5,7 2,4,6,8"

static void
plain(void)
{
	is(">M1 x y\nA [ 1 2 ]\nC [ 3 4 ]\nG [ 5 6 ]\nT [ 7 8 ]\n",
	   "M1| x y|" TWO);
	is(">M1\r\nA  [1 2]\r\nC [3 4]\r\nG [5 6]\r\nT [7 8]\r\n>M2\nA [1]\n"
	   "C [0]\nG [0]\nT [0]", "M1||" TWO ";M2||1,0,0,0");
	is(">M1\n1 2\n3 4\n5 6\n7 8\n", "M1||" TWO);
	is("1 2 9 9\n3 4 9 9\n5 6 9 9\n7 8 9 9\n",
	   "matrix_1||1,3,5,7 2,4,6,8 9,9,9,9 9,9,9,9");
	is("A | 1 2\nT | 7 8\nG | 5 6\nC | 3 4\n", "matrix_1||" TWO);
	is("# c\na 1 2\nc 3 4\ng 5 6\nu 7 8\n\n# d\nA 1\nC 1\nG 1\nT 1\n",
	   "matrix_1||" TWO ";matrix_2||1,1,1,1");
	is("A 1 2\nC 3 4\nG 5 6\nT 7 8\nA 1\nC 1\nG 1\nT 1\n",
	   "matrix_1||" TWO ";matrix_2||1,1,1,1");
	is("name rest\n1 3 5 7\n2 4 6 8\n", "name| rest|" TWO);
	is("Gene\tG1\nPos\tA\tC\tG\tT\n1\t1\t3\t5\t7\n2\t2\t4\t6\t8\n",
	   "G1||" TWO);
	is("T A G C\n7 1 5 3\n8 2 6 4\n", "matrix_1||" TWO);
	is("> h\n1 3 5 7\n2 4 6 8\n1 1 1 1e2\n", "h||" TWO " 1,1,1,100");
	is("base 1 2\n a 1 2\n c 3 4\n g 5 6\n t 7 8\n\nEnt= 1 2\n",
	   "matrix_1||" TWO);
}

static void
others(void)
{
	is("MEME version 4\n\nALPHABET= ACGT\n\nBackground letter frequencies\n"
	   "A 0.25 C 0.25 G 0.25 T 0.25\n\nMOTIF m1 alt\nletter-probability "
	   "matrix: alength= 4 w= 2 nsites= 20 E= 0\n 1 3 5 7\n 2 4 6 8\n\n"
	   "MOTIF m2\nletter-probability matrix:\n1 0 0 0\n",
	   "m1| alt|" TWO ";m2||1,0,0,0");
	is("AC  X1\nXX\nID  N1 y\nXX\nP0  A  C  G  T\n01  1  3  5  7  K\n"
	   "02  2  4  6  8  N\nXX\n//\nAC X2\nPO T C G A\n1 1 0 0 0\n//\n",
	   "N1| y|" TWO ";X2||0,0,0,1");
	is(">a\nACGT\n", "none");
	is(">a\nA C G T\n", "none");
	is(">a\n>b\nA\n", "none");
	is("@a\nA\n+\n1\n", "none");
	is("", "none");
	is("This is\nsome text\nof no use\nat all\n1 2 3 4\n", "none");
	as(MATRIX_PFM, "", "");
}

static void
bad(void)
{
	is(">M\nA [ 1 0 ]\nC [ 1 0 ]\nG [ 1 0 ]\nT [ 1 0 ]\n",
	   "!x:5: M: position 1: it sums to 0");
	is(">M\nA [ -1 ]\nC [ 2 ]\nG [ 1 ]\nT [ 1 ]\n", "!x:5: M: position 0: "
	   "a negative number (log-odds are not read)");
	is(">M\nA [ 1e39 ]\nC [ 2 ]\nG [ 1 ]\nT [ 1 ]\n", "!x:5: M: position "
	   "0: a number that is not finite");
	is(">M\nA [ 1 ]\nC [ 2 ]\nG [ 1 2 ]\nT [ 1 ]\n", "!x:5: M: its rows "
	   "differ in length");
	is(">M\nA [ 1 ]\nC [ 2 ]\nG [ 1 ]\n", "!x:4: M: its rows are not A, C, "
	   "G and T");
	is(">M\nA [ 1 ]\nC [ nan ]\nG [ 1 ]\nT [ 1 ]\n", "!x:3: M: a row of "
	   "numbers expected");
	is(">M\nA [ 1 ]\nC [ 1 ]\nG [ 1 ]\nT [ 1 ]\n>N\n", "!x:6: N: no "
	   "numbers");
	is("1 2 3 4 5\n1 2 3 4 5\n", "!x:2: matrix: neither four rows nor "
	   "four columns");
	is("MEME version 4\nALPHABET= ACDEFGHIKLMNPQRSTVWY\n",
	   "!x:2: matrix: the alphabet is not ACGT");
	is("MEME version 4\nMOTIF m\nletter-probability matrix: w= 2\n"
	   "1 0 0 0\n", "!x:4: m: truncated: fewer rows than w= says");
	is("MEME version 4\nMOTIF m\n", "!x:2: m: a motif without "
	   "letter-probability matrix");
	is("ID m\nP0 A C G T\n01 1 1 1 1\n", "!x:3: m: truncated: no // at "
	   "its end");
	is("ID m\nP0 A C G T\n", "!x:2: m: truncated: no // at its end");
	is("ID m\nP0 A C G T\n01 1 1 1 1\n//\nID n\n", "!x:5: n: truncated: "
	   "no // at its end");
	is("A C G T\n", "!x:1: matrix: no numbers");
	is("A C G T\n>m\n1 2 3 4\n", "!x:2: matrix: no numbers");
}

/* Any text cut or changed anywhere is read or refused, not misread. */
static void
hostile(void)
{
	static const char text[] = "MEME version 4\nMOTIF m\nletter-"
	    "probability matrix: alength= 4 w= 2\n1 0 0 0\n1 0 0 0\n";
	struct buf b = { 0 };
	uint64_t seed = 3;
	char t[sizeof text];
	int read = 0;

	for (int i = 0; i < 2000; i++) {
		memcpy(t, text, sizeof t);
		t[below(&seed, sizeof t - 1)] = (char)below(&seed, 256);
		t[below(&seed, sizeof t - 1)] = (char)below(&seed, 256);
		events(t, (enum matrix_format)below(&seed, 5), &b);
		read += b.p[0] != '!';
	}
	ok(read > 0 && read < 2000, "changed texts: %d of 2000 read", read);
	buf_free(&b);
}

int
main(void)
{
	plain();
	others();
	bad();
	hostile();
	return done();
}
