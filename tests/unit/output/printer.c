/* SPDX-License-Identifier: MIT */
/* printer.c - rows of every text format, held rows, hostile names */
#include "output/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "letters/letters.h"
#include "cli/opt.h"
#include "base/base.h"
#include "tests/lib/tap.h"

static char path[] = "/tmp/seqf-printer-XXXXXX";
static struct printer *printer;
static struct out *out;
static struct err err;

static void
start(enum format f, bool letters)
{
	struct printer_params pp = { .format = f, .header = true,
				     .letters = letters, .prog = "test" };

	if (out_open(&out, path, &err) < 0 ||
	    printer_new(&printer, &pp, out, &err) < 0)
		printf("# %s\n", err.text);
}

/* What printer_finish() said; *text is what was written. */
static int
stop(char *text, size_t size)
{
	int r = printer_finish(printer, &err);
	FILE *f;
	size_t n;

	if (out_close(out, &err) < 0)
		printf("# %s\n", err.text);
	printer_free(printer);
	f = fopen(path, "rb");
	n = f ? fread(text, 1, size - 1, f) : 0;
	text[n] = '\0';
	if (f)
		fclose(f);
	return r;
}

/* A row by itself. */
static int
print(enum format f, bool letters, const struct hit *h, char *text,
      size_t size)
{
	start(f, letters);
	printer_hit(printer, 1, 0, h, &err);
	return stop(text, size);
}

static void
refuse(enum format f, const struct hit *h, const char *what)
{
	char text[2000];

	start(f, false);
	ok(printer_hit(printer, 1, 0, h, &err) == ERR_USAGE, "%s", what);
	stop(text, sizeof text);
}

static struct str
str(const char *s)
{
	return (struct str){ s, strlen(s) };
}

static const uint32_t ops[] = { 3 << 4 | CIGAR_EQ, 1 << 4 | CIGAR_X,
				1 << 4 | CIGAR_D, 2 << 4 | CIGAR_I };

static struct hit
example(void)
{
	struct hit h = {
		.query = { 0, 6, str("q") }, .subject = { 7, 100, str("s") },
		.qend = 6, .sbeg = 10, .send = 15, .score = -4, .edits = 4,
		.flags = HIT_MINUS | HIT_EDITS | HIT_CIGAR | HIT_LETTERS,
		.cigar = ops, .n_cigar = 4, .letters = str("acGTN"),
	};

	return h;
}

static void
is(const char *have, const char *want, const char *what)
{
	if (!ok(strcmp(have, want) == 0, "%s", what))
		printf("# have:\n%s# want:\n%s", have, want);
}

#define HEAD "#query\tqlen\tqbeg\tqend\tstrand\tsubject\tslen\tsbeg\tsend\t" \
	     "edits\tscore\tcigar"

static void
test_rows(void)
{
	static const struct {
		enum format f;
		const char *want;
	} t[] = {
	{ FORMAT_TSV, HEAD "\tsseq\n"
	  "q\t6\t0\t6\t-\ts\t100\t10\t15\t4\t-4\t3=1X1D2I\tacGTN\n" },
	{ FORMAT_PAF, "q\t6\t0\t6\t-\ts\t100\t10\t15\t3\t7\t255\tNM:i:4\t"
	  "AS:i:-4\tcg:Z:3=1X1D2I\tss:Z:acGTN\n" },
	{ FORMAT_SAM, "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:s\tLN:100\n"
	  "@PG\tID:0\tPN:test\tVN:" SEQF_VERSION "\n"
	  "q\t16\ts\t11\t255\t3=1X1D2I\t*\t0\t0\t*\t*\tNM:i:4\tAS:i:-4\t"
	  "MD:Z:3T0^N0\tss:Z:acGTN\n" },
	{ FORMAT_BED, "s\t10\t15\tq\t4\t-\n" },
	{ FORMAT_GFF3, "##gff-version 3\n##sequence-region s 1 100\n"
	  "s\ttest\tmatch\t11\t15\t-4\t-\t.\tID=hit1;Name=q;Target=q 1 6;"
	  "Gap=M4 D1 I2;edits=4;cigar=3%3D1X1D2I;sseq=acGTN\n" },
	{ FORMAT_JSON, "{\"query\":\"q\",\"qlen\":6,\"qbeg\":0,\"qend\":6,"
	  "\"strand\":\"-\",\"subject\":\"s\",\"slen\":100,\"sbeg\":10,"
	  "\"send\":15,"
	  "\"edits\":4,\"score\":-4,\"cigar\":\"3=1X1D2I\","
	  "\"sseq\":\"acGTN\"}\n" },
	};
	struct hit h = example();
	char text[2000];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		ok(print(t[i].f, true, &h, text, sizeof text) == 0,
		   "finished");
		is(text, t[i].want, "the row as it is defined");
	}
}

static void
test_unknown(void)
{
	struct hit h = example();
	char text[2000];

	h.flags = HIT_NO_SBEG;
	print(FORMAT_TSV, true, &h, text, sizeof text);
	is(text, HEAD "\tsseq\nq\t6\t0\t6\t+\ts\t100\t*\t15\t*\t-4\t*\t*\n",
	   "what is not known is *");
	refuse(FORMAT_BED, &h, "bed, --ends");
	h.flags = HIT_EDITS;
	refuse(FORMAT_PAF, &h, "paf, no CIGAR");
	start(FORMAT_TSV, false);
	stop(text, sizeof text);
	is(text, HEAD "\n", "the header line stands also without rows");
}

/* Rows wait for the first one's length; order stays. */
static void
test_held(void)
{
	struct hit h = example();
	char text[2000];

	h.flags = 0;
	start(FORMAT_TSV, false);
	h.subject.len = LEN_UNKNOWN;
	printer_hit(printer, 1, 0, &h, &err);
	h.subject.ordinal = 8;
	h.subject.name = str("t");
	printer_hit(printer, 1, 0, &h, &err);
	h.subject.ordinal = 9;
	h.subject.name = str("u");
	h.subject.len = 30;
	printer_hit(printer, 1, 0, &h, &err);
	printer_length(printer, 2, 7, 99, &err);
	printer_length(printer, 1, 8, 20, &err);
	printer_length(printer, 1, 7, 15, &err);
	ok(stop(text, sizeof text) == 0, "all lengths were given");
	is(text, HEAD "\n"
	   "q\t6\t0\t6\t+\ts\t15\t10\t15\t*\t-4\t*\n"
	   "q\t6\t0\t6\t+\tt\t20\t10\t15\t*\t-4\t*\n"
	   "q\t6\t0\t6\t+\tu\t30\t10\t15\t*\t-4\t*\n", "held rows in order");

	start(FORMAT_TSV, false);
	h.subject.len = LEN_UNKNOWN;
	printer_hit(printer, 1, 0, &h, &err);
	h.subject.ordinal = 3;
	h.subject.len = 30;
	printer_hit(printer, 1, 0, &h, &err);
	ok(stop(text, sizeof text) == ERR_INCOMPLETE, "a length is missing");
	is(text, HEAD "\nq\t6\t0\t6\t+\tu\t30\t10\t15\t*\t-4\t*\n",
	   "the other rows were written");

	start(FORMAT_TSV, false);
	printer_length(printer, 1, 7, 10, &err);
	ok(printer_length(printer, 1, 7, 11, &err) == ERR_FORMAT,
	   "two lengths of one sequence");
	stop(text, sizeof text);
}

/* Names may hold any byte; columns and JSON must stay whole. */
static void
test_names(void)
{
	struct hit h = example();
	char text[4000], longname[600];

	h.flags = HIT_EDITS | HIT_CIGAR;
	h.query.name.p = "a\tb\nc\0\xff\xc3\xa9;=\"@";
	h.query.name.n = 13;
	h.subject.name = str("*x,\t");
	print(FORMAT_TSV, false, &h, text, sizeof text);
	ok(strstr(text, "\na%09b%0Ac%00\xff\xc3\xa9;=\"@\t6\t") != NULL,
	   "tsv escapes control bytes only");
	print(FORMAT_SAM, false, &h, text, sizeof text);
	ok(strstr(text, "@SQ\tSN:%2Ax%2C%09\tLN:100\n") &&
	   strstr(text, "\na%09b%0Ac%00%FF%C3%A9;=\"%40\t0\t%2Ax%2C%09\t11\t"),
	   "sam keeps to its letters");
	print(FORMAT_GFF3, false, &h, text, sizeof text);
	ok(strstr(text, "\n*x%2C%09\ttest\t") &&
	   strstr(text, "Name=a%09b%0Ac%00\xff\xc3\xa9%3B%3D\"@;"),
	   "gff3 encodes what separates");
	print(FORMAT_JSON, false, &h, text, sizeof text);
	ok(strstr(text, "\"a\\u0009b\\u000ac\\u0000\\ufffd\xc3\xa9;=\\\"@\"")
	   != NULL, "json is valid UTF-8");
	memset(longname, 'A', sizeof longname);
	h.query.name.p = longname;
	h.query.name.n = sizeof longname;
	print(FORMAT_SAM, false, &h, text, sizeof text);
	ok(strstr(text, "AA~") && strcspn(strstr(text, "\nAAA") + 1, "\t") ==
	   254, "sam cuts a long query name to 254 letters");
}

/* A subject with a hit. */
static void
sequence(uint64_t run, uint64_t ordinal, const char *name, uint64_t len)
{
	struct hit h = example();

	h.flags = HIT_CIGAR;
	h.sbeg -= 10;	/* cannot matter here */
	h.send -= 10;
	h.subject = (struct subject_ref) { ordinal, LEN_UNKNOWN, str(name) };
	printer_hit(printer, run, 0, &h, &err);
	printer_length(printer, run, ordinal, len, &err);
}

static void
test_sam_header(void)
{
	struct begin a = { .run = { .id = 5, .base = str("b.fa") },
			   .text = str("program fasta-chunk\nversion 1\n") };
	struct begin b = { .run = { .id = 9, .base = str("a.fa") },
			   .text = str("program fasta-chunk\nversion 1\n") };
	struct begin s = { .run = b.run, .scan = { .id = 3 },
			   .text = str("program asm-scan\nown 7\nk 3\n") };
	char text[2000], *rows;

	start(FORMAT_SAM, false);
	printer_begin(printer, &s, &err);
	printer_begin(printer, &a, &err);
	printer_begin(printer, &b, &err);
	printer_begin(printer, &b, &err);
	sequence(5, 0, "x", 24);
	sequence(9, 1, "z", 25);
	sequence(9, 0, "y", 26);
	sequence(9, 2, "x", 24);
	printer_length(printer, 9, 3, 100, &err);
	ok(stop(text, sizeof text) == 0, "a header");
	rows = strstr(text, "\nq\t");
	if (rows)
		rows[1] = '\0';
	is(text, "@HD\tVN:1.6\tSO:unsorted\n"
	   "@SQ\tSN:y\tLN:26\n@SQ\tSN:z\tLN:25\n@SQ\tSN:x\tLN:24\n"
	   "@PG\tID:0\tPN:fasta-chunk\tVN:1\tDS:program fasta-chunk; "
	   "version 1\n"
	   "@PG\tID:1\tPN:asm-scan\tPP:0\tDS:program asm-scan; k 3\n"
	   "@PG\tID:2\tPN:fasta-chunk\tVN:1\tDS:program fasta-chunk; "
	   "version 1\n"
	   "@PG\tID:3\tPN:test\tVN:" SEQF_VERSION "\n",
	   "subjects in run order, programs chained");
	start(FORMAT_SAM, false);
	sequence(5, 0, "x", 24);
	sequence(9, 0, "x", 5);
	ok(stop(text, sizeof text) == ERR_FORMAT,
	   "one name for two lengths is refused");
}

/* Clips: sw-scan leaves them out of the CIGAR, asm-scan has them in it. */
static void
test_clips(void)
{
	static const uint32_t eq[] = { 4 << 4 | CIGAR_EQ };
	static const uint32_t clip[] = { 5 << 4 | CIGAR_S,
					 4 << 4 | CIGAR_EQ,
					 1 << 4 | CIGAR_S };
	struct hit h = example();
	char text[2000], *first;

	h.flags &= ~(unsigned)HIT_LETTERS;
	h.query.len = 10;
	h.qbeg = 1;
	h.qend = 5;
	h.send = 14;
	h.cigar = eq;
	h.n_cigar = 1;
	start(FORMAT_SAM, false);
	printer_hit(printer, 1, 0, &h, &err);
	h.cigar = clip;
	h.n_cigar = 3;
	printer_hit(printer, 1, 0, &h, &err);
	stop(text, sizeof text);
	first = strstr(text, "\t5S4=1S\t");
	ok(first && strstr(first + 1, "\t5S4=1S\t"),
	   "sam has the clips, once");
	print(FORMAT_PAF, false, &h, text, sizeof text);
	ok(strstr(text, "\t4\t4\t255\tNM:i:0\t") && strstr(text, "cg:Z:4=\n"),
	   "paf has none");
}

static void
test_tally(void)
{
	struct tally_row t = { { 0, 4, str("q") }, true, 2, 17 };
	char text[500];

	start(FORMAT_TSV, false);
	printer_tally(printer, &t, &err);
	stop(text, sizeof text);
	is(text, "#query\tstrand\tedits\tcount\nq\t-\t2\t17\n", "a tally");
	start(FORMAT_JSON, false);
	printer_tally(printer, &t, &err);
	stop(text, sizeof text);
	is(text, "{\"query\":\"q\",\"strand\":\"-\",\"edits\":2,"
	   "\"count\":17}\n", "a tally as json");
	start(FORMAT_BED, false);
	ok(printer_tally(printer, &t, &err) == ERR_USAGE, "not as bed");
	stop(text, sizeof text);
}

/* Any mix of pushes and pops, with next to no memory, keeps the order. */
static void
test_queue(void)
{
	struct queue q = { .memory = 200 };
	uint64_t seed = 11, in = 0, from = 0, wrong = 0;
	const uint8_t *p;
	size_t n;

	while (from < 5000) {
		uint8_t b[50] = { 0 };

		if (in < 5000 && below(&seed, 5) < 3) {
			put_le(b, in, 8);
			queue_push(&q, b, 8 + in++ % 40, &err);
		} else if (queue_first(&q, &p, &n, &err) == 1) {
			wrong += n != 8 + from % 40 || get_le(p, 8) != from;
			from++;
			queue_pop(&q);
		} else {
			wrong += from != in;
		}
	}
	ok(wrong == 0 && queue_first(&q, &p, &n, &err) == 0,
	   "first in, first out through a file");
	queue_free(&q);
}

/* Another frame says that a hit's sequence ends before the hit does. */
static void
test_short_subject(enum format f)
{
	struct hit h = example();
	char text[2000];

	h.subject.len = LEN_UNKNOWN;
	start(f, false);
	ok(printer_hit(printer, 1, 0, &h, &err) == 0, "not given yet");
	printer_length(printer, 1, 7, 14, &err);
	ok(stop(text, sizeof text) == ERR_FORMAT, "%s", err.text);
}

/* Numbers of every length, as the C library writes them. */
static void
test_numbers(void)
{
	bool fine = true;
	uint64_t power = 1;

	for (unsigned digits = 0; digits < 20; digits++, power *= 10) {
		struct buf b = { 0 };
		char want[100];
		int n = snprintf(want, sizeof want, "%llu %llu %llu",
				 (unsigned long long)power - 1,
				 (unsigned long long)power,
				 (unsigned long long)(power / 3 * 2 + 1));

		print_u64(&b, power - 1);
		buf_u8(&b, ' ');
		print_u64(&b, power);
		buf_u8(&b, ' ');
		print_u64(&b, power / 3 * 2 + 1);
		fine &= b.n == (size_t)n && memcmp(b.p, want, b.n) == 0;
		buf_free(&b);
	}
	ok(fine, "numbers of 1 to 20 digits");
}

/* Each byte at each place of a name. */
static void
test_bytes(void)
{
	bool fine = true;

	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < 19; at++) {
			char name[19], esc[4];
			struct buf b = { 0 };
			bool plain = print_no_control((uint8_t)c);

			memset(name, 'a', sizeof name);
			name[at] = (char)c;
			print_name(&b, (struct str){ name, sizeof name },
				   print_no_control);
			snprintf(esc, sizeof esc, "%%%02X", c);
			fine &= plain ? b.n == 19 && b.p[at] == c :
				b.n == 21 && memcmp(b.p + at, esc, 3) == 0;
			buf_free(&b);
		}
	ok(fine, "bytes of names that are escaped, wherever they are");
}

/* Columns are as wide as what is in them, up to 40 letters; bytes of UTF-8 are
 * no letters by themselves. */
static void
test_align(void)
{
	static const struct {
		size_t letters;		/* of a cell above */
		int width;		/* of the column below */
	} t[] = { { 0, 1 }, { 3, 3 }, { 39, 39 }, { 40, 40 }, { 41, 1 } };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct align a = { .width = { 0 } };
		char lines[200] = "", want[100];

		for (size_t k = 0; k < t[i].letters; k++)
			strcat(lines, k == 1 ? "\xc3\xa9" : "a");
		strcat(lines, "\tb\nx\ty\n");
		align_lines(&a, str(lines));
		snprintf(want, sizeof want, "\n%-*s  y\n", t[i].width, "x");
		ok(a.text.n > strlen(want) &&
		   !memcmp(a.text.p + a.text.n - strlen(want), want,
			   strlen(want)), "below %zu letters", t[i].letters);
		align_free(&a);
	}
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_rows();
	test_unknown();
	test_held();
	test_names();
	test_sam_header();
	test_clips();
	test_tally();
	test_queue();
	test_short_subject(FORMAT_SAM);
	test_short_subject(FORMAT_TSV);
	test_numbers();
	test_bytes();
	test_align();
	unlink(path);
	return done();
}
