/* SPDX-License-Identifier: MIT */
/*
 * source_in.h - inside of a source: compressed bytes, ring, decoders
 *
 * Decoder threads fill the slots of a ring in order of their tickets, the
 * reader empties them in the same order; a slot has room before its data, so
 * that what is left of the slot before can be put there and bytes are shown
 * side by side without copying blocks.  Errors travel in their slot, so the
 * first one in the file is the one reported.  The data of its slot before the
 * error are not shown, since damage may be noticed only behind the bytes that
 * it spoilt.
 */
#ifndef SEQF_INPUT_SOURCE_IN_H
#define SEQF_INPUT_SOURCE_IN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "input/input.h"

enum {
	SOURCE_BLOCK = 256 << 10,	/* bytes of a read, of a bgzf slot */
	/* ISA-L keeps 32 KiB of history aside with each call: large ones; but
	 * four of them should stay in L2 */
	STREAM_SLOT = 256 << 10,
	SOURCE_PEEK = 64 << 10,		/* most that can be wanted at once */
	SOURCE_THREADS = 16,		/* decoders of bgzf at most */
	RAW_BACK = 16,			/* bytes that raw_unread() can undo */
	RAW_PAGE = 4096,
	/* room for what is left over: 2 SOURCE_PEEK and RAW_BACK at most */
	RAW_FRONT = 2 * SOURCE_PEEK + RAW_PAGE,
	RAW_ROOM = RAW_FRONT + SOURCE_BLOCK,
	BGZF_MAX = 64 << 10,		/* bytes of a block, either way */
	BGZF_BATCH = SOURCE_BLOCK / BGZF_MAX,	/* blocks a slot */
};

/* Bytes of the file as they are; [p, p + n) are at hand. */
struct raw {
	const char *name;
	int fd;			/* -1: memory, all of it at hand */
	bool regular;
	bool eof;
	int wake;		/* poll()ed beside fd: readable = stop; or -1 */
	const uint8_t *p;
	size_t n;
	uint64_t offset;	/* of p in the file */
	uint8_t *buf;
	struct unpack *unpack;	/* they are those of bgzf, by its index */
	uint64_t due;		/* bytes that a regular file still holds */
	_Atomic uint64_t n_read;	/* from fd */
};

/*
 * At least want bytes at hand (want <= BGZF_MAX + 64 KiB), fewer only at the
 * end of the file.  0, ERR_IO, or RAW_STOPPED if wake became readable.
 */
enum { RAW_STOPPED = 1 };
int raw_fill(struct raw *r, size_t want, struct err *e);

/* Bytes that a regular file holds behind those at hand go unread; false: there
 * are fewer, or it cannot be sought. */
bool raw_seek(struct raw *r, uint64_t n);

/*
 * text: of the bgzf file `in` of which nothing was taken, if it has FILE.gzi,
 * as another raw, in which raw_seek() passes over whole blocks.  1; 0: there is
 * no such index; or ERR_NOMEM.  (gzip.c)
 */
int unpack_open(struct raw *text, struct raw *in, bool zlib, struct err *e);
void unpack_close(struct raw *text);
int unpack_fill(struct raw *text, size_t want, struct err *e);
bool unpack_seek(struct raw *text, uint64_t n);
/* The text has no more bytes than these. */
uint64_t unpack_most(const struct raw *text);

static inline void
raw_take(struct raw *r, size_t n)
{
	r->p += n;
	r->n -= n;
	r->offset += n;
}

static inline void
raw_unread(struct raw *r, size_t n)	/* n <= RAW_BACK, taken before */
{
	r->p -= n;
	r->n += n;
	r->offset -= n;
}

struct slot {
	uint8_t *data;		/* SOURCE_PEEK bytes of room before it */
	uint8_t *in;		/* bgzf: blocks as in the file */
	size_t n, n_in;
	uint64_t offset;	/* bgzf: of in[0] in the file */
	bool ready, last;
	int code;		/* 0, or the code of err */
	struct err err;
};

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct slot *slot;
	unsigned n_slots;
	uint64_t claimed, released;	/* tickets */
	bool stop;
};

/* The next slot to fill, when it is free; NULL if the reader has left. */
struct slot *ring_claim(struct ring *r);
void ring_ready(struct ring *r, struct slot *s);

/*
 * A format, recognised by its first bytes.  Decoders in codecs[] of source.c
 * are asked in turn, so what is also of another format comes first.
 */
struct codec {
	enum source_kind kind;
	const char *name;	/* in messages */
	/* Of the first n bytes: 1, 0, or -1: more of them must be seen. */
	int (*begins)(const uint8_t *p, size_t n);
	void *(*thread)(void *decoder);
	size_t n_slot, n_in;	/* room in its slots */
	bool parallel;		/* any number of threads */
	/* Without a thread: what it is, and the command that unpacks it. */
	const char *refused, *unpack;
	/* stream_thread(): what is decoded from the begin to the end. */
	const struct stream_ops *stream;
};
extern const struct codec bgzf_codec, gzip_codec, zstd_codec, bzip2_codec,
	xz_codec, twobit_codec, cram_codec, lzma_codec, fai_codec;

/* What the decoder threads share. */
struct decoder {
	const struct codec *codec;
	struct raw *raw;
	struct ring ring;
	pthread_mutex_t read_lock;	/* bgzf: raw, end, empty */
	bool end;			/* no slot is to be claimed any more */
	bool empty;			/* the last block was empty */
	bool zlib;			/* not ISA-L */
	source_wanted_fn *wanted;	/* 2bit: or NULL, all is */
	const void *wanted_ctx;
	struct buf *blocks;		/* bgzf: or NULL, as input.h has it */
	const struct fai_rows *rows;	/* FASTA with an index */
};

/*
 * open(): NULL if there is no memory.  read() appends to the slot's data, up
 * to codec.n_slot of them; *end: this was all.  0, RAW_STOPPED or an error.
 */
struct stream_ops {
	void *(*open)(struct decoder *d);
	int (*read)(void *state, struct slot *s, bool *end, struct err *e);
	void (*close)(void *state);
};
void *stream_thread(void *decoder);

/* For threads that put bytes where and when they like; ring is to be set. */
struct pour {
	struct ring *ring;
	struct slot *slot;		/* being filled, or NULL */
	bool left;			/* the reader has: stop */
};
void pour_put(struct pour *to, const void *p, size_t n);
/* The last slot; with an error unless rc is 0 or RAW_STOPPED. */
void pour_end(struct pour *to, int rc, const struct err *e);

/* What is wrong, behind what was taken last. */
int stream_bad(const struct raw *r, const char *name, const char *what,
	       struct err *e);
/* Do n bytes begin with these, as far as they go?  As codec.begins. */
int magic_begins(const uint8_t *p, size_t n, const char *magic, size_t size);

/* One deflate stream after another, by ISA-L or zlib. */
struct inflater;
enum { INFLATE_BAD = -1, INFLATE_MORE = 0, INFLATE_END = 1 };

/* Tests: show at most this many bytes (or what is wanted) at a time. */
void source_show(struct source *s, size_t most);

/* What FILE.sfi and the decoders share. */

#define SFI_MAGIC "SEQFSFI\1"
enum { SFI_HEAD = 96 };

/* path and suffix, with NUL. */
int sfi_beside(struct buf *b, const char *path, const char *suffix,
	       struct err *e);
/* The parts, one behind the other, to path and suffix. */
int sfi_write_beside(const char *path, const char *suffix,
		     const struct buf *part, size_t n, struct err *e);
/* n bytes, all of them. */
bool pread_all(int fd, void *p, size_t n, uint64_t at);
bool sfi_read_file(struct sfi *s, void *p, size_t n, uint64_t at);

/*
 * Of blocks of bgzf, whose first one stands at `offset` of the file: bytes
 * [at, end) of what is in them are appended.  (gzip.c)
 */
int bgzf_cut(const char *name, uint64_t offset, const uint8_t *p, size_t n,
	     uint64_t at, uint64_t end, struct buf *to, struct err *e);
/*
 * Letters [lo, hi) of the record of a 2bit file that stands at `at` and has n
 * of them are appended; 1: no such record.  (twobit.c)
 */
int twobit_cut(struct sfi *s, bool swapped, uint64_t at, uint64_t n,
	       uint64_t lo, uint64_t hi, struct buf *to, struct err *e);

/*
 * What FILE.fai says where the sequences of FILE lie
 *
 * Any rows will do: what no row covers is read as it is.  Those that do not
 * fit what is in the file are noticed when it is read.
 */

struct fai_row {
	size_t name_at, name_n;		/* in names */
	uint64_t n;			/* letters, > 0 */
	uint64_t at, end;		/* of their bytes in the file */
	uint64_t letters, bytes;	/* of a line */
};
struct fai_rows {
	struct fai_row *v;		/* in the order of the file */
	size_t n, cap;
	struct buf names;
	bool crlf;			/* set before: lines end in both */
};

/*
 * 1: of the file of that name and so many bytes; 0: there is no index, or none
 * that is of use: older than the file, of FASTQ, malformed; or ERR_NOMEM.
 */
int fai_rows_load(struct fai_rows *r, const char *path, uint64_t size,
		  struct err *e);
void fai_rows_free(struct fai_rows *r);

/* Looking at many bytes of text at a time, on any machine. */

typedef uint8_t bytes_v16 __attribute__((vector_size(16)));

/* Is one of 16 below `least`, or DEL? */
static inline bool
any_below(const uint8_t *p, uint8_t least)
{
	bytes_v16 x;
	uint64_t w[2];

	memcpy(&x, p, 16);
	x = (bytes_v16)(x < least) | (bytes_v16)(x == 0x7f);
	memcpy(w, &x, 16);
	return w[0] | w[1];
}

/* Bytes that p begins with, none of them below `least`, or DEL. */
static inline size_t
count_from(const uint8_t *p, size_t n, uint8_t least)
{
	size_t i = 0;

	while (n - i >= 16 && !any_below(p + i, least))
		i += 16;
	/* most names end here; some bytes are seen twice */
	if (n - i < 16 && n >= 16 && !any_below(p + n - 16, least))
		return n;
	while (i < n && p[i] >= least && p[i] != 0x7f)
		i++;
	return i;
}

/*
 * The reads of BAM, and as FASTQ text
 *
 * As `samtools fastq` has them: as they were sequenced (those on the reverse
 * strand are turned back), /1 and /2 behind the names of a pair's two, without
 * secondary and supplementary alignments (flags 0x900); where a read has no
 * qualities they are B.  Unlike there, reads without letters are kept.  What is
 * aligned where is dropped.
 */

struct bam;

bool bam_is(const uint8_t *p, size_t n);
/* name: of the file, in errors; it must last.  NULL: no memory. */
struct bam *bam_new(const char *name);
/*
 * Of the next *n bytes of the unpacked file, any number, as many are taken as
 * make a read whole: 1; 0: all are; ERR_FORMAT or ERR_NOMEM.  A record is kept
 * until it is whole; memory grows as its bytes come, whatever length it claims.
 */
int bam_next(struct bam *b, const uint8_t **p, size_t *n, struct bam_read *r,
	     struct err *e);
/* The same as text, appended, of all n bytes. */
int bam_feed(struct bam *b, const uint8_t *p, size_t n, struct buf *text,
	     struct err *e);
/* The file ends here: was that between two records? */
int bam_end(const struct bam *b, struct err *e);
void bam_free(struct bam *b);

#endif
