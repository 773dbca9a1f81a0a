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

#include "input/source.h"

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
	struct buf *blocks;		/* bgzf: or NULL, as source.h has it */
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

#endif
