/* SPDX-License-Identifier: MIT */
/*
 * receipts.c - what workers would have written, without the work
 *
 *	receipts CHUNKS WORKERS FIRST END HITS [LETTERS]
 * Workers FIRST to END - 1 of so many have each scanned the chunks whose
 * serials leave its number when divided by WORKERS (fasta-chunk --part) and
 * written what asm-scan would: two BEGINs, a HITS frame with its receipt and
 * HITS rows a chunk, SEQ of each sequence, and END.  A chunk owns LETTERS
 * letters (300000), a sequence has 1000 chunks.  Digests are invented, and add
 * up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "rec/rec.h"

enum { CHUNKS_OF_SEQ = 1000, QUERY = 23 };
#define STR(s) ((struct str){ s, sizeof(s) - 1 })

static const struct run_key run = {
	0x1234567890abcdef, { "genomes.fa", 10 }, { "", 0 }, { "s0", 2 }, 7,
};
static const struct scan_key scan = {
	0xfedcba9876543210, { "guides.fa", 9 }, SCAN_UNION,
};
static uint64_t chunks, workers, n_hits, letters = 300000, digest_sum;
static struct out *out;
static struct err e;

static void
check(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "receipts: %s\n", e.text);
	exit(1);
}

static void
put(struct rec_frame *f)
{
	struct buf b = { 0 };

	check(rec_encode(&b, f, &e));
	check(out_write(out, b.p, b.n, &e));
	buf_free(&b);
	rec_frame_drop(f);
}

static uint64_t
digest(uint64_t serial)
{
	return hash64(&serial, sizeof serial, 1);
}

static struct str
name_of(uint64_t sequence, char text[32])
{
	return (struct str){ text, (size_t)snprintf(text, 32, "s%" PRIu64,
						    sequence) };
}

static uint64_t
length_of(uint64_t sequence)
{
	uint64_t left = chunks - sequence * CHUNKS_OF_SEQ;

	return (left < CHUNKS_OF_SEQ ? left : CHUNKS_OF_SEQ) * letters;
}

static void
put_begin(struct scan_key of, struct str text)
{
	struct begin b = { .run = run, .scan = of, .text = text };
	struct rec_frame *f;

	check(begin_encode(&f, &b, &e));
	put(f);
}

/* Rows of chunk `serial`, at places that a hash chooses, in their order. */
static void
add_hits(struct hits_writer *w, uint64_t serial)
{
	static const uint32_t cigar = QUERY << 4 | 7;	/* 23= */
	uint64_t sequence = serial / CHUNKS_OF_SEQ;
	uint64_t beg = serial % CHUNKS_OF_SEQ * letters;
	uint64_t step = letters / (n_hits + 1);
	char name[32];

	for (uint64_t i = 0; i < n_hits; i++) {
		uint64_t at = beg + i * step + digest(serial + i) % (step - 30);
		struct hit h = {
			.query = { digest(at) % 100, QUERY, STR("guide") },
			.subject = { sequence, length_of(sequence),
				     name_of(sequence, name) },
			.qend = QUERY, .sbeg = at, .send = at + QUERY,
			.flags = HIT_EDITS | HIT_CIGAR,
			.cigar = &cigar, .n_cigar = 1,
		};

		check(hits_add(w, &h, &e));
	}
}

static void
put_chunk(uint64_t serial)
{
	struct range g = { serial, serial + 1, letters, digest(serial) };
	struct receipt r = { .scan = scan, .last = true, .range = &g,
			     .n_ranges = 1 };
	struct hits_writer *w;
	struct buf b = { 0 };

	check(hits_writer_new(&w, &run, &r, &e));
	add_hits(w, serial);
	check(hits_finish(w, &b, &e));
	check(out_write(out, b.p, b.n, &e));
	buf_free(&b);
	hits_writer_free(w);
}

static void
put_end(void)
{
	struct run_end n = { .run = run, .chunks = chunks,
			     .letters = chunks * letters };
	struct rec_frame *f;
	char name[32];

	n.sequences = (chunks + CHUNKS_OF_SEQ - 1) / CHUNKS_OF_SEQ;
	for (uint64_t i = 0; i < n.sequences; i++) {
		struct seq s = { i, length_of(i), name_of(i, name) };

		check(seq_encode(&f, run.id, &s, &e));
		put(f);
	}
	n.digest = digest_sum;
	check(end_encode(&f, &n, &e));
	put(f);
}

int
main(int argc, char **argv)
{
	uint64_t number[6] = { 0 };

	for (int i = 1; i < argc && i <= 6; i++)
		number[i - 1] = strtoull(argv[i], NULL, 10);
	chunks = number[0];
	workers = number[1];
	n_hits = number[4];
	letters = number[5] ? number[5] : letters;
	if (argc < 6 || !workers || n_hits > letters / 100) {
		fputs("usage: receipts CHUNKS WORKERS FIRST END HITS "
		      "[LETTERS]\n", stderr);
		return 2;
	}
	for (uint64_t i = 0; i < chunks; i++)
		digest_sum += digest(i);
	check(out_open(&out, NULL, &e));
	for (uint64_t w = number[2]; w < number[3]; w++) {
		put_begin((struct scan_key){ 0 }, STR("program fasta-chunk\n"));
		put_begin(scan, STR("program asm-scan\n"));
		for (uint64_t i = w; i < chunks; i += workers)
			put_chunk(i);
		put_end();
	}
	check(out_close(out, &e));
	return 0;
}
