/* SPDX-License-Identifier: MIT */
/* fasta.c - what is read, what is refused, whatever the bytes come in */
#include <string.h>

#include "input/input.h"
#include "input/source_in.h"
#include "tests/lib/tap.h"

static struct err e;

/*
 * The events of a text as text: "name|header line|letters;..." and, if it
 * fails, "!" and the reason.
 */
static bool digits;
/* Letters of records that are taken whole where they are at hand; 0: none. */
static size_t room;
static uint8_t whole[1000 + 64];

static int
next(struct fasta *f, struct fasta_piece *p)
{
	int rc = room && fasta_between(f) ?
		 fasta_whole(f, whole, room, p, &e) : 0;

	p->letters = whole;
	return rc == 1 ? 3 : rc ? rc : fasta_next(f, p, &e);
}

static void
events(const char *text, size_t n, size_t show, struct buf *b)
{
	struct source *s = NULL;
	struct fasta *f = NULL;
	struct fasta_piece p;
	int rc;

	b->n = 0;
	if (source_memory(&s, "x", text, n, &e) != 0 ||
	    fasta_new(&f, s, &e) != 0)
		abort();
	source_show(s, show);
	if (digits)
		fasta_digits(f);
	while ((rc = next(f, &p)) > 0) {
		if (rc == FASTA_LETTERS) {
			buf_put(b, p.letters, p.n);
			continue;
		}
		buf_put(b, b->n ? ";" : "", b->n ? 1 : 0);
		buf_put(b, p.name.p, p.name.n);
		buf_put(b, "|", 1);
		fasta_header(b, p.name, p.desc);
		ok(fasta_fits(p.name, p.desc), "came from a header line");
		buf_put(b, "|", 1);
		if (rc == 3)
			buf_put(b, p.letters, p.n);
	}
	/* how many letters came before the bad one is not promised */
	while (rc < 0 && b->n && b->p[b->n - 1] != '|')
		b->n--;
	if (rc < 0)
		buf_printf(b, "!%s", e.text);
	buf_u8(b, 0);
	fasta_free(f);
	source_close(s);
}

static void
is_n(const char *text, size_t n, const char *want)
{
	static const size_t show[] = { 1, 2, 3, 5, 7, 100, SIZE_MAX };
	struct buf b = { 0 };

	static const size_t rooms[] = { 0, 1, 4, 1000 };

	for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++)
		for (size_t i = 0; i < sizeof show / sizeof *show; i++) {
			room = rooms[k];
			events(text, n, show[i], &b);
			ok(strcmp((char *)b.p, want) == 0, "show %zu room "
			   "%zu: have %s, want %s", show[i], room,
			   (char *)b.p, want);
		}
	room = 0;
	buf_free(&b);
}

static void
is(const char *text, const char *want)
{
	is_n(text, strlen(text), want);
}

static void
fasta(void)
{
	is("", "");
	is("\n\r\n \n", "");
	is(">a\nACGT\n", "a|a|ACGT");
	is(">a\nACGT", "a|a|ACGT");
	is(">a", "a|a|");
	is(">", "||");
	is(">\nA", "||A");
	is(">a\n>b\n\n>c\nA\n", "a|a|;b|b|;c|c|A");
	is("\n\n>a b  c \r\nAC\r\nGT\r\n\r\n>b\r\nA", "a|a b  c |ACGT;b|b|A");
	is("> pig1\tfoo \nAC\n", "pig1| pig1\tfoo |AC");
	is(">\t  pig\nAC\n", "pig|\t  pig|AC");
	is(">  \nAC\n", "|  |AC");
	is(">a|b>c @ +\nacgtN*-.UuRYq\n", "a|b>c|a|b>c @ +|acgtN*-.UuRYq");
	is(">a\nAC GT \n\tA\n", "a|a|ACGTA");
	is(">a\nACGT\n>b\n\n>c d\nA\nC\n\nG\nT\n>\nACGTA\n> e\nA\n",
	   "a|a|ACGT;b|b|;c|c d|ACGT;||ACGTA;e| e|A");
	is(">a\r\nACGT\r\n>b c\r\nA\n>d\nC >\n",
	   "a|a|ACGT;b|b c|A;d|d|!x:6: d: invalid byte 0x3e (>) at 1");
	is(">a\nC\n>b \rc\nC\n", "a|a|!x:3: b: the header line holds a "
	   "NUL, or a CR without newline");
	is(">a\nC\n>b\x7f c\nC\n>d\nC\n", "a|a|!x:3: b\\x7f: the name "
	   "holds a control character");
	is("\xef\xbb\xbf>a\nA\n", "a|a|A");
	is(">\xc3\xa9 \x01x\nA\n", "\xc3\xa9|\xc3\xa9 \x01x|A");
	is(">a\nA\n\n\nC\n", "a|a|AC");
}

static void
fasta_with_digits(void)
{
	digits = true;
	is(">a\n1 AC\n+/9\n>2\n+", "a|a|1AC+/9;2|2|+");
	is(">a\nACGTACGTACGTACGTACGT0CGTA9\n", "a|a|ACGTACGTACGTACGTACGT"
	   "0CGTA9");
	is("@a\n1+\n+\nII\n", "a|a|1+");
	is(">a\nA1\n@b\n", "a|a|!x:3: a: invalid byte 0x40 (@) at 2");
	is(">a\nA1\n:b\n", "a|a|!x:3: a: invalid byte 0x3a (:) at 2");
	digits = false;
}

static void
fasta_bad(void)
{
	is("ACGT\n", "!x:1: neither FASTA nor FASTQ nor a "
	   "matrix: it begins with 'A' (letters want a line >NAME before "
	   "them; patterns go to -q)");
	is("\n\n\x7f" "ELF", "!x:3: neither FASTA nor FASTQ nor a "
	   "matrix: it begins with byte 0x7f");
	is("\xef\xbb\xbe>a\n", "!x:1: neither FASTA nor FASTQ nor a "
	   "matrix: it begins with byte 0xef");
	is(">a\nAC\nG\x07T\n", "a|a|!x:3: a: invalid byte 0x07 at 3");
	is(">a\n1 AC\n", "a|a|!x:2: a: invalid byte 0x31 (1) at 0");
	is(">a\nAC\n@b\n", "a|a|!x:3: a: invalid byte 0x40 (@) at 2");
	is(">a\nA\n>b\n\nC G>\n", "a|a|A;b|b|!x:5: b: invalid byte 0x3e (>) "
	   "at 2");
	is(">a\nAC\rGT\n", "a|a|!x:2: a: invalid byte 0x0d at 2");
	is(">a\nAC\r\rGT\n", "a|a|!x:2: a: invalid byte 0x0d at 2");
	is(">a\rACGT\r", "!x:1: a\\x0dACGT: line ends are a CR alone, as on "
	   "an old Macintosh");
	is(">a\x01 b\nA", "!x:1: a\\x01: the name holds a control character");
	is_n(">a b\0c\nA\n", 9, "!x:1: a: the header line holds a NUL, or a "
	     "CR without newline");
	is_n(">a\nA\0C\n", 7, "a|a|!x:2: a: invalid byte 0x00 at 1");
	is(">\nA\xff", "||!x:2: (no name): invalid byte 0xff at 1");
}

static void
fastq(void)
{
	is("@a b\nAC\n+\nII\n", "a|a b|AC");
	is("@a\nAC\n+a\nII", "a|a|AC");
	is("@a\r\nAC\r\nG\r\n+\r\nI\r\nII\r\n@b\r\nA\r\n+\r\n@\r\n",
	   "a|a|ACG;b|b|A");
	is("@a\nACGT\n+\n@+\n+@\n@b\nA\n+\n+\n", "a|a|ACGT;b|b|A");
	is("@a\nAC\nGT\n+\n>>\n@@\n\n\n@b\nA\n+\n@\n\n", "a|a|ACGT;b|b|A");
	is("@a\n\n+\n\n@b\nA\n+\nI\n", "a|a|;b|b|A");
	is("@a\n+\n@b\nA\n+\nI\r", "a|a|;b|b|A");
	is("@a\n+", "a|a|");
}

static void
fastq_bad(void)
{
	is("@a\nAC\n", "a|a|!x:3: a: truncated record: no line with +");
	is("@a", "a|a|!x:1: a: truncated record: no line with +");
	is("@a\nAC\n+\n", "a|a|!x:4: a: truncated record: 0 qualities for "
	   "2 letters");
	is("@a\nAC\n+\nI", "a|a|!x:4: a: truncated record: 1 qualities for "
	   "2 letters");
	is("@a\nAC\n+\nIII\n", "a|a|!x:4: a: more qualities than letters");
	is("@a\nAC\n+\nI\n@b\nA\n+\nI\n", "a|a|!x:5: a: more qualities than "
	   "letters");
	is("@a\nAC\n@b\nA\n+\nI\n", "a|a|!x:3: a: no line with + before the "
	   "next record");
	is("@a\nAC\n+\nI I\n", "a|a|!x:4: a: invalid byte 0x20 at 1 of the "
	   "qualities");
	is("@a\nAC\n+\nI\rI\n", "a|a|!x:4: a: invalid byte 0x0d at 1 of the "
	   "qualities");
	is("@a\nAC\n+\nII\n>b\nA\n", "a|a|!x:5: @ expected, where a record "
	   "should begin, not 0x3e");
}

/* One bad byte somewhere: found in its line, or a changed header. */
static void
spoilt(uint64_t *seed, struct buf *text, size_t n)
{
	struct buf have = { 0 };

	for (int i = 0; i < 20; i++) {
		size_t at = below(seed, text->n), line = 1;
		uint8_t old = text->p[at];
		char *wrong, says[40];

		for (size_t j = 0; j < at; j++)
			line += text->p[j] == '\n';
		snprintf(says, sizeof says, "!x:%zu:", line);
		text->p[at] = 0x07;
		events((char *)text->p, text->n, SIZE_MAX, &have);
		wrong = strchr((char *)have.p, '!');
		ok(wrong ? strncmp(wrong, says, strlen(says)) == 0 :
			   have.n == n,
		   "bad byte at %zu of %zu: %s, %s", at, text->n, says,
		   wrong ? wrong : "none");
		text->p[at] = old;
	}
	buf_free(&have);
}

/* Long lines and many lines, against a plain loop, for all ways to show. */
static void
large(uint64_t *seed, size_t width, const char *eol)
{
	struct buf text = { 0 }, want = { 0 }, have = { 0 };
	static const size_t show[] = { 4099, 65537, SIZE_MAX };

	for (int r = 0; r < 4; r++) {
		size_t n = r == 2 ? 0 : below(seed, 300000);

		buf_printf(&text, ">r%d x%s", r, eol);
		buf_printf(&want, "%sr%d|r%d x|", r ? ";" : "", r, r);
		for (size_t i = 0; i < n; i++) {
			/* most lines are of letters only */
			uint8_t c = (uint8_t)"ACGTacgtNRYU*-."[below(seed,
			    below(seed, 300) ? 12 : 15)];

			buf_u8(&text, c);
			buf_u8(&want, c);
			if (i % width == width - 1 || i + 1 == n)
				buf_put(&text, eol, strlen(eol));
		}
	}
	buf_u8(&want, 0);
	for (size_t i = 0; i < 3; i++) {
		events((char *)text.p, text.n, show[i], &have);
		ok(have.n == want.n && !memcmp(have.p, want.p, want.n),
		   "width %zu show %zu", width, show[i]);
	}
	spoilt(seed, &text, want.n);
	buf_free(&text);
	buf_free(&want);
	buf_free(&have);
}

int
main(void)
{
	uint64_t seed = 7;

	fasta();
	fasta_with_digits();
	fasta_bad();
	fastq();
	fastq_bad();
	large(&seed, 60, "\n");
	large(&seed, 70, "\r\n");
	large(&seed, 64, "\r\n");
	large(&seed, 3000, "\r\n");
	large(&seed, 1, "\n");
	large(&seed, 1 << 30, "\n");
	large(&seed, 65536, "\r\n");
	return done();
}
