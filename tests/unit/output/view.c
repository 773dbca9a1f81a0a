/* SPDX-License-Identifier: MIT */
/* view.c - a forged chunk's name makes no line of its own in FASTA */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rec/rec.h"
#include "output/output.h"
#include "tests/lib/tap.h"

static struct err e;

static struct str
str_of(const char *s, size_t n)
{
	return (struct str) { s, n };
}

static struct rec_frame *
one_chunk(struct str name, struct str desc)
{
	struct chunk_row row = { .n = 4, .own_end = 4, .length = 4,
				 .flags = CHUNK_FIRST | CHUNK_LAST,
				 .name = name, .desc = desc };
	struct chunk_raw c = { .row = &row, .n_rows = 1,
			       .letters = (const uint8_t *)"ACGT" };
	uint64_t owned, digest;
	struct rec_frame *f;

	c.run.id = 1;
	c.run.base = str_of("x.fa", 4);
	c.run.first = name;
	if (chunk_encode(&f, &c, &owned, &digest, &e) != 0)
		abort();
	return f;
}

/* What view_frame() says; the text, if it is written, goes to text. */
static int
shown(struct str name, struct str desc, char *text, size_t room)
{
	struct view_params p = { .mode = VIEW_FASTA, .print.prog = "test" };
	struct rec_frame *f = one_chunk(name, desc);
	int fd = memfd_create("text", 0), r;
	struct out *o;
	struct view *v;
	char path[40];
	ssize_t n;

	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	if (out_open(&o, path, &e) != 0 || view_new(&v, &p, o, &e) != 0)
		abort();
	r = view_frame(v, f, &e);
	if (r == 0 && (view_finish(v, &e) != 0 || out_flush(o, &e) != 0))
		abort();
	n = pread(fd, text, room - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	out_abort(o);
	view_free(v);
	rec_frame_drop(f);
	close(fd);
	return r;
}

#define S(s) str_of("" s, sizeof s - 1)

static void
refused(struct str name, struct str desc, const char *what)
{
	char text[200];
	int r = shown(name, desc, text, sizeof text);

	ok(r == ERR_FORMAT && !*text && strstr(e.text, "sequence 0"),
	   "%s: %d %s", what, r, e.text);
}

static void
taken(struct str name, struct str desc, const char *want)
{
	char text[200];
	int r = shown(name, desc, text, sizeof text);

	ok(r == 0 && strcmp(text, want) == 0, "%d, %zu bytes", r, strlen(text));
}

int
main(void)
{
	taken(S("x"), S(""), ">x\nACGT\n");
	taken(S("x"), S(" a\tb "), ">x a\tb \nACGT\n");
	taken(S("x"), S(" a\n\t "), ">\t x a\nACGT\n");
	taken(S(""), S(""), ">\nACGT\n");
	taken(S(""), S("\n "), "> \nACGT\n");
	refused(S("x\n>y\nACGT"), S(""), "newline in the name");
	refused(S("x y"), S(""), "blank in the name");
	refused(S("x\ry"), S(""), "CR in the name");
	refused(S("x"), S(" a\n>y\nACGT"), "newline in the description");
	refused(S("x"), S(" a\rb"), "CR in the description");
	refused(S("x"), S(" a\0b"), "NUL in the description");
	refused(S("x"), S("y"), "no blank between");
	refused(S(""), S(" y"), "no name before the description");
	return done();
}
