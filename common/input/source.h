/* SPDX-License-Identifier: MIT */
/*
 * source.h - bytes of a file, a pipe or stdin, decompressed as they come
 *
 * Detected by content: plain, gzip (any number of members, also with empty ones
 * and trailing zeros), bgzf (blocks inflated in parallel; the empty block at
 * its end must be there), zstd, bzip2, xz (each with any number of streams),
 * UCSC's 2bit, which becomes FASTA.  BAM, packed by any of them, becomes FASTQ
 * (bam.h); source_kind() says so once bytes were shown.  CRAM, and what a
 * build leaves out, is refused with the command that unpacks it.  A decoder
 * runs in its own thread(s), so that decoding overlaps the reader's work;
 * memory is bounded (a few MiB, and two records of BAM).
 * A truncated or damaged file, a directory, a failed read is an error that
 * names the file and the byte offset in it; nothing short passes as whole.
 */
#ifndef SEQF_INPUT_SOURCE_H
#define SEQF_INPUT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "input/bam.h"

struct source;

enum source_kind {
	SOURCE_PLAIN, SOURCE_GZIP, SOURCE_BGZF, SOURCE_TWOBIT, SOURCE_ZSTD,
	SOURCE_BZIP2, SOURCE_XZ, SOURCE_LZMA, SOURCE_CRAM, SOURCE_BAM,
	SOURCE_FAI,
};

/*
 * path "-" is stdin.  threads: decoders for bgzf.  0, ERR_IO, ERR_FORMAT or
 * ERR_NOMEM.  One thread uses a source at a time.
 */
int source_open(struct source **s, const char *path, unsigned threads,
		struct err *e);
/*
 * The same, but of a 2bit file that can be sought, and of FASTA with its
 * FILE.fai, plain or bgzf with FILE.gzi (then it is SOURCE_FAI), only letters
 * that wanted() names of a sequence are read, and the first SOURCE_SHOWN of
 * all; others are N, and sequences of which none are wanted may have no
 * letters.
 * wanted() is called by another thread, until the source is closed: 0 or
 * ERR_NOMEM.
 */
enum { SOURCE_SHOWN = 1 << 20 };
struct source_span {
	uint64_t beg, end;		/* [beg, end) */
};
struct source_spans {
	struct source_span *v;		/* ascending and disjoint */
	size_t n, cap;
};
typedef int source_wanted_fn(const void *ctx, struct str name,
			     struct source_spans *to, struct err *e);
int source_open_some(struct source **s, const char *path, unsigned threads,
		     source_wanted_fn *wanted, const void *ctx,
		     struct err *e);
/*
 * The same; of a bgzf file two uint64_t of each block are appended: its offset
 * in the file, and how many bytes are in it.  *blocks is whole (or bad) once
 * the source is closed.
 */
int source_open_blocks(struct source **s, const char *path, unsigned threads,
		       struct buf *blocks, struct err *e);
/*
 * The same over n bytes of memory, detected and decoded alike (tests, fuzzing).
 */
int source_memory(struct source **s, const char *name, const void *p,
		  size_t n, struct err *e);
void source_close(struct source *s);

/*
 * Show the bytes that come next without taking them: at least `want` of them
 * (at most 64 KiB) unless the input ends before; more if they are at hand.
 * *n is 0 only at the end of input.  Valid until the next call.
 */
int source_peek(struct source *s, size_t want, const uint8_t **p, size_t *n,
		struct err *e);
/* The same without waiting: as many as are at hand, or 0. */
size_t source_at_hand(const struct source *s, const uint8_t **p);
/* Take n bytes that source_peek() has shown. */
void source_skip(struct source *s, size_t n);
/* Pass over the byte order mark that text of Windows may begin with. */
int source_skip_mark(struct source *s, struct err *e);
/* Read n bytes, fewer only at the end of input: *got. */
int source_read(struct source *s, void *p, size_t n, size_t *got,
		struct err *e);
/*
 * The next line of a list in place of what b held: b->n bytes without newline,
 * CR and byte order mark, and a 0 behind them.  1; 0 at the end of input;
 * ERR_LIMIT, too.
 */
enum { SOURCE_LINE = 1 << 24 };	/* bytes of a line */
int source_line(struct source *s, struct buf *b, struct err *e);
/* All bytes of a text behind its byte order mark, appended to b.  ERR_LIMIT:
 * more than `most`, so that it is no `what`. */
int source_text(const char *path, size_t most, const char *what,
		struct buf *b, struct err *e);

/*
 * Of BAM, once all text that was shown is taken, reads may be taken instead of
 * their text, from then on: 1; 0 at the end; else as source_peek().  false: it
 * is none, or a tap wants text.
 */
bool source_has_reads(const struct source *s);
int source_next_read(struct source *s, struct bam_read *r, struct err *e);

/* From now on tap() sees all bytes that are taken, in order. */
typedef void source_tap_fn(void *ctx, const uint8_t *p, size_t n);
void source_tap(struct source *s, source_tap_fn *tap, void *ctx);

const char *source_name(const struct source *s);	/* "stdin" for - */
enum source_kind source_kind(const struct source *s);
/* Decompressed bytes taken so far. */
uint64_t source_offset(const struct source *s);
/* Bytes of the file, as it is, that were read so far. */
uint64_t source_n_read(const struct source *s);

/* What messages say of an input without a byte. */
#define NO_BYTE "not a byte is in it: did the program that writes it fail?"

/*
 * What a file is called in keys: its name without folders and what a
 * compressor adds.  Pipes of the shell have no name worth keeping: they count
 * as "stdin", as - does.  Points into path, or to what lasts.
 */
struct str base_name(const char *path);

#endif
