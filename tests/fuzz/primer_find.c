/* SPDX-License-Identifier: MIT */
/*
 * primer_find.c - fuzz what primer-find does with options, targets and records:
 * chunks of any length, some threads, any engine and instruction set must write
 * the same bytes as the source's first algorithm does for the whole
 *
 * Input: 10 bytes of choices, then letters: of up to three targets, then of up
 * to three sequences.  A byte >= 224 repeats what came before.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chunk_frame.h"
#include "letters.h"
#include "scan/primer/primer.h"
#include "flow/flow.h"
#include "tests/lib/isas.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_M = 40, MAX_N = 120, PARTS = 3 };

struct run_case {
	struct primer_options o;
	char tail[16], gc[16];
	enum format format;
	bool site;
	unsigned threads;
	const char *isa;
	uint64_t own;		/* letters of a chunk */
};

/* What a run answers, and what it wrote. */
struct answer {
	int rc;
	struct buf text;
};

/* A file of these bytes that is only in memory. */
static int
memory_file(const struct buf *b, char path[32])
{
	int fd = memfd_create("fuzz", 0);

	must(fd >= 0 && (!b || write(fd, b->p, b->n) == (ssize_t)b->n));
	snprintf(path, 32, "/dev/fd/%d", fd);
	return fd;
}

static void
choose(struct run_case *c, struct input *in)
{
	static const enum format formats[] = {
		FORMAT_TSV, FORMAT_JSON, FORMAT_BED, FORMAT_GFF3, FORMAT_FASTA,
		FORMAT_BOULDER,
	};
	unsigned a = take(in), b = take(in), tail = take(in), gc = take(in);

	c->o.k = 1 + a % 11;
	c->o.max_len = b & 1 ? 1 + b / 2 % 70 : 0;
	c->o.min_len = take(in) % 30;
	snprintf(c->tail, sizeof c->tail, "%u:%u", 1 + tail % 14,
		 1 + tail / 14 % 5);
	c->o.three_prime = tail >= 140 ? c->tail : NULL;
	snprintf(c->gc, sizeof c->gc, "%u-%u", gc % 50, 50 + gc % 51);
	c->o.gc = gc & 1 ? c->gc : NULL;
	c->o.max_homopolymer = gc & 2 ? 1 + gc / 4 % 5 : 0;
	a = take(in);
	c->o.primers = (enum primer_sides)(a & 3);
	c->o.strands = (enum primer_sides)(a >> 2 & 3);
	c->o.self = a & 16 ? "b1" : NULL;
	c->o.engine = (enum primer_engine)(a >> 5 & 3);
	a = take(in);
	c->format = formats[a % 6];
	c->site = a / 6 & 1;
	c->own = 1 + take(in) % 100;
	a = take(in);
	c->threads = 1 + a % 3;
	c->isa = cpu_isa_name(isas[a / 3 % N_ISAS]);
}

/* FASTA of the background, in lines, of which letters of targets are copies. */
static void
background(struct input *in, uint8_t *all, size_t have, unsigned n,
	   struct buf *to)
{
	for (unsigned i = 0; i < n; i++) {
		size_t end = have + take(in) % MAX_N;

		buf_printf(to, ">b%u\n", i % 2);
		while (have < end) {
			size_t beg = have;

			have = expand(in, "ACGTNRYacgt", in->n & 64 ? 11 : 4,
				      all, have, end, 4, 2);
			buf_put(to, all + beg, have - beg);
			if (in->n % 7 == 0)
				buf_u8(to, '\n');
		}
		buf_u8(to, '\n');
	}
	must(!to->bad);
}

/* The background as a record stream of small chunks. */
static void
chunks(char *fasta, uint64_t own, struct buf *to)
{
	struct feed_params p = feed_defaults;
	struct feed_item it;
	struct feed *f;
	struct err e;
	int rc;

	p.own = own;
	p.context = 2 * MAX_M;
	must(feed_open(&f, &fasta, 1, &p, &e) == 0);
	while ((rc = feed_next(f, &it, &e)) > 0) {
		must(it.kind != FEED_RAW || feed_encode(&it, &e) == 0);
		must(feed_account(f, &it, &e) == 0);
		must(!it.frame || rec_encode(to, it.frame, &e) == 0);
		feed_drop(&it);
	}
	must(rc == 0);
	feed_close(f);
}

static void
quiet(const char *text)
{
	(void)text;
}

static int
search(const struct run_case *c, const struct queries *q, char *operand,
       struct out *out, struct err *e)
{
	struct sink_params sp = { .prog = "fuzz", .primers = true,
				  .header = true, .format = c->format };
	struct scan_run r = { .operand = &operand, .n_operands = 1,
			      .threads = c->threads, .note = quiet };
	struct primer_scan *scan = NULL;
	struct primer_sites *sites = NULL;
	struct primer_scan_stats stats;
	int rc = primer_scan_new(&scan, &c->o, q, e);

	if (!rc && c->site) {
		rc = primer_sites_new(&sites, &r, scan, c->format, e);
		sp.sites = primer_sites_find;
		sp.sites_ctx = sites;
	}
	if (!rc)
		rc = sink_new(&r.sink, &sp, out, e);
	if (!rc)
		rc = primer_scan_run(&r, scan, sites, &stats, e);
	if (!rc)
		rc = sink_verdict(r.sink, e);
	sink_free(r.sink);
	primer_sites_free(sites);
	primer_scan_free(scan);
	return rc;
}

static struct answer
run(const struct run_case *c, const struct queries *q, char *operand)
{
	struct answer a = { 0, { 0 } };
	char path[32];
	int fd = memory_file(NULL, path);
	struct stat st;
	struct out *out;
	struct err e;

	setenv("SEQF_ISA", c->isa, 1);
	must(out_open(&out, path, &e) == 0);
	a.rc = search(c, q, operand, out, &e);
	must(a.rc != ERR_NOMEM);
	if (a.rc) {
		out_abort(out);
	} else {
		must(out_close(out, &e) == 0 && fstat(fd, &st) == 0);
		buf_zero(&a.text, (size_t)st.st_size);
		must(!a.text.bad && pread(fd, a.text.p, a.text.n, 0) ==
		     st.st_size);
	}
	close(fd);
	return a;
}

static void
compare(struct run_case *c, const struct queries *q, const struct buf *fasta)
{
	struct run_case slow = *c;
	struct buf rec = { 0 };
	char path[2][32];
	int fd[2] = { memory_file(fasta, path[0]), 0 };
	struct answer a, b;

	slow.o.paper = true;
	slow.o.method = PRIMER_CONVENTIONAL;
	slow.o.engine = PRIMER_AUTO;
	slow.threads = 1;
	slow.isa = "scalar";
	chunks(path[0], c->own, &rec);
	fd[1] = memory_file(&rec, path[1]);
	if (c->o.engine == PRIMER_SHORT &&
	    (!c->o.max_len || c->o.max_len > 63))
		c->o.engine = PRIMER_BLOCKS;
	a = run(&slow, q, path[0]);
	b = run(c, q, path[1]);
	must(a.rc == b.rc && a.text.n == b.text.n &&
	     (!a.text.n || memcmp(a.text.p, b.text.p, a.text.n) == 0));
	buf_free(&a.text);
	buf_free(&b.text);
	buf_free(&rec);
	close(fd[0]);
	close(fd[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t all[PARTS * (MAX_M + MAX_N)];
	struct input in = { data, n };
	struct run_case c = { .site = false };
	struct query target[PARTS];
	struct queries q = { .v = target, .base = "-e" };
	struct buf fasta = { 0 };
	unsigned how, n_seqs;
	size_t have = 0;

	choose(&c, &in);
	how = take(&in);
	q.n = 1 + how % PARTS;
	n_seqs = how / PARTS % (PARTS + 1);
	for (size_t i = 0; i < q.n; i++) {
		size_t beg = have, end = beg + 1 + take(&in) % (MAX_M - 1);
		struct str s;

		while (have < end)
			have = expand(&in, "ACGTUNacgt", how & 128 ? 10 : 4,
				      all, have, end, 2, 1);
		s = (struct str){ (const char *)all + beg, have - beg };
		target[i] = (struct query){ .name = s, .letters = s,
					    .where = "-e" };
	}
	background(&in, all, have, n_seqs, &fasta);
	compare(&c, &q, &fasta);
	buf_free(&fasta);
	return 0;
}
