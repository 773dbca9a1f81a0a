/* SPDX-License-Identifier: MIT */
/* feed.c - chunks own everything once; kinds of input agree */
#include <sys/wait.h>
#include <zlib.h>

#include "tests/lib/feed_case.h"

static void
cuts(void)
{
	struct buf fa = { 0 };
	struct seen s = { 0 };

	for (int round = 0; round < 400; round++) {
		struct feed_params p = feed_defaults;

		make_records(below(&seed, 12), below(&seed, 150), &fa);
		save(path, fa.p, fa.n);
		p.own = 1 + below(&seed, 70);
		p.context = below(&seed, 21);
		p.min_context = below(&seed, 3) ? 0 : below(&seed, 200);
		all(&p, &s);
		ok(s.good, "L=%d W=%d,%d records=%zu", (int)p.own,
		   (int)p.context, (int)p.min_context, n_rec);
	}
	buf_free(&fa);
	buf_free(&s.frames);
}

/* The same frames but for BEGIN and END's base: from gzip, from a pipe. */
static void
kinds(void)
{
	struct seen plain = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char gz[64], fd_path[32], *op[] = { path, NULL };
	int fd[2];
	gzFile g;

	make_records(60, 390, &fa);
	save(path, fa.p, fa.n);
	p.own = 100;
	all(&p, &plain);
	snprintf(gz, sizeof gz, "%s.gz", path);
	g = gzopen(gz, "wb");
	gzwrite(g, fa.p, (unsigned)fa.n);
	gzclose(g);
	op[0] = gz;
	drain(&s, op, 1, &p);
	ok(s.good && s.frames.n == plain.frames.n &&
	   !memcmp(s.frames.p, plain.frames.p, s.frames.n), "gzip: the same "
	   "bytes");
	remove(gz);
	if (pipe(fd) != 0)
		abort();
	fflush(stdout);
	if (fork() == 0) {
		for (size_t i = 0; i < fa.n; i += i + 13 < fa.n ? 13 : 1)
			if (write(fd[1], fa.p + i, i + 13 < fa.n ? 13 : 1) < 0)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	snprintf(fd_path, sizeof fd_path, "/dev/fd/%d", fd[0]);
	op[0] = fd_path;
	drain(&s, op, 1, &p);
	close(fd[0]);
	wait(NULL);
	ok(s.good && s.rc == 0 && same_end(&s, &plain), "pipe: the same run");
	buf_free(&fa);
	buf_free(&s.frames);
	buf_free(&plain.frames);
}

/* A stream of frames is passed through as it is. */
static void
stream(void)
{
	struct seen plain = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char rec_path[64], *op[] = { rec_path };

	make_records(60, 390, &fa);
	save(path, fa.p, fa.n);
	p.own = 100;
	all(&p, &plain);
	snprintf(rec_path, sizeof rec_path, "%s.rec", path);
	save(rec_path, plain.frames.p, plain.frames.n);
	drain(&s, op, 1, &p);
	ok(s.good && s.frames.n == plain.frames.n &&
	   !memcmp(s.frames.p, plain.frames.p, s.frames.n), "rec: as it is");
	p.text_only = true;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_FORMAT && strstr(e.text, "record stream"), "%s",
	   e.text);
	remove(rec_path);
	buf_free(&fa);
	buf_free(&s.frames);
	buf_free(&plain.frames);
}

/* Very many tiny records fit few frames; none at all is a run, too. */
static void
many(void)
{
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	struct seen s = { 0 };
	char *op[] = { path };

	n_rec = 0;
	for (int i = 0; i < 30000; i++)
		buf_printf(&fa, ">r%d\nAC\n", i);
	save(path, fa.p, fa.n);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.chunks < 4 && s.end.sequences == 30000 &&
	   s.end.letters == 60000, "30,000 records");
	save(path, "", 0);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.begins == 1 && s.ends == 1 && s.chunks == 0 &&
	   s.run, "no record");
	save(path, ">a\n>b", 5);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.chunks == 1 && s.end.sequences == 2, "no letter");
	p.own = 2;
	save(path, ">\nAC\n>\nACG\n", 11);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.end.sequences == 2 && s.end.letters == 5,
	   "no name at all");
	buf_free(&fa);
	buf_free(&s.frames);
}

/* Each row says which operand it came from; some have none. */
static void
files(void)
{
	enum { FILES = 4 };
	struct feed_params p = feed_defaults;
	char name[FILES][64], *op[FILES];
	struct buf fa = { 0 }, all_of = { 0 };
	struct seen s = { 0 };

	for (int round = 0; round < 60; round++) {
		size_t at = 0;

		make_records(below(&seed, 20), 300, &all_of);
		for (uint32_t i = 0; i < FILES; i++) {
			size_t n = i < FILES - 1 ? below(&seed, 8) : n_rec;

			fa.n = 0;
			for (; n-- && at < n_rec; at++) {
				rec[at].file = i + 1;
				buf_printf(&fa, ">%s\n", rec[at].name);
				buf_put(&fa, rec[at].s, rec[at].n);
				buf_u8(&fa, '\n');
			}
			snprintf(name[i], sizeof name[i], "%s.%u", path, i);
			op[i] = name[i];
			save(name[i], fa.p, fa.n);
		}
		p.own = 1 + below(&seed, 200);
		drain(&s, op, FILES, &p);
		ok(s.rc == 0 && s.good && s.end.sequences == n_rec,
		   "%zu records of %d files", n_rec, FILES);
	}
	for (int i = 0; i < FILES; i++)
		remove(name[i]);
	buf_free(&fa);
	buf_free(&all_of);
	buf_free(&s.frames);
}

/* Two files are one run; its base is the least name. */
static void
several(void)
{
	struct feed_params p = feed_defaults;
	struct seen one = { 0 }, s = { 0 };
	char other[64], *op[] = { other, path }, *single[] = { path };

	n_rec = 0;
	snprintf(other, sizeof other, "%s.b.fa.gz", path);
	save(path, ">a\nACGT\n>b\nAC\n", 14);
	drain(&one, single, 1, &p);
	save(path, ">b\nAC\n", 6);
	save(other, ">a\nACGT\n", 8);
	drain(&s, op, 2, &p);
	ok(s.rc == 0 && s.begins == 1 && same_end(&s, &one), "two files");
	p.mask = true;
	save(other, ">a\nacGT\n", 8);
	drain(&one, op, 2, &p);
	save(other, ">a\nNNGT\n", 8);
	drain(&s, op, 2, &p);
	ok(same_end(&s, &one), "--mask");
	remove(other);
	buf_free(&s.frames);
	buf_free(&one.frames);
}

int
main(void)
{
	temporary();
	cuts();
	kinds();
	stream();
	many();
	files();
	several();
	remove(path);
	return done();
}
