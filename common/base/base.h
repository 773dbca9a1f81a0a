/* SPDX-License-Identifier: MIT */
/*
 * base.h - what everything uses: errors, buffers, arrays, hashes, threads,
 * sorting, output files
 */
#ifndef SEQF_BASE_ALL_H
#define SEQF_BASE_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/port.h"

/*
 * What went wrong, and how a program says so
 *
 * Code under common/ and cuda/ never prints and never exits.  A function that
 * can fail takes a struct err, sets it once by err_set() and returns the same
 * negative code.  Programs turn it into one line on stderr and an exit status.
 */

enum err_code {
	ERR_NOMEM = -1,	     /* allocation refused */
	ERR_IO = -2,	     /* open, read, write, seek, close */
	ERR_FORMAT = -3,     /* malformed or damaged input */
	ERR_LIMIT = -4,	     /* a stated limit is exceeded */
	ERR_USAGE = -5,	     /* options that do not fit, too short a context */
	ERR_INCOMPLETE = -6, /* the ledger does not balance */
	ERR_DEVICE = -7,     /* GPU */
};

enum exit_status {
	EXIT_DONE = 0,
	EXIT_DATA = 1,	     /* bad data or I/O */
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3,
};

struct err {
	int code;
	char text[1000];
};

/*
 * Set code and text (printf), return code.  A format that ends in ':' gets
 * " strerror(errno)" appended.  Control characters of the text (utf8_control())
 * are shown as \xNN, so that a hostile name can neither break the one line nor
 * speak to the terminal.
 */
int err_set(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the text that is there; returns e->code. */
int err_at(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ERR_NOMEM with the number of bytes wanted. */
int err_nomem(struct err *e, unsigned long long n_bytes);

/* A number and what it counts, as messages have it: "1 hit", "2 hits", "2
 * queries". */
struct err_count {
	char text[64];
};
struct err_count err_count(unsigned long long n, const char *noun);
/* Bytes as messages have them: "0.02 MB", "34.5 MB", "20100 MB". */
struct err_count err_mb(double bytes);

/* The exit status that belongs to an error code. */
int err_exit(int code);

/*
 * The programs' voice; for filters/ only.  "prog: text" and a newline on
 * stderr; a format that ends in ':' as above.
 */
void prog_set(const char *argv0, int verbosity); /* -1 quiet, 0, 1, ... */
void die(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void die_err(const struct err *e) __attribute__((noreturn));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Printed if verbosity >= level; level 0 is silenced by --quiet only. */
void note(int level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool noted(int level);
/*
 * Of a terminal: a line without its end, which the next one is written over,
 * and which gives way to all that is said; line_off() takes it away.
 */
void line_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void line_off(void);

/* Letters of more than one byte (RFC 3629). */

enum { UTF8_MAX = 4 };	/* bytes of a letter */

/* Bytes of the UTF-8 letter at p (n > 0), or 0 if it is none. */
static inline unsigned
utf8_letter(const uint8_t *p, size_t n)
{
	unsigned len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 :
		       p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* too long forms, surrogates, and above U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* Of those below U+0800 and above U+2000: marks that turn text round, which
 * then reads as what it is not (Unicode 15, UAX 9). */
static inline int
utf8_turns(const uint8_t *p, unsigned len)
{
	if (len == 2)
		return p[0] == 0xd8 && p[1] == 0x9c;	/* U+061C */
	if (len != 3 || p[0] != 0xe2)
		return 0;
	return p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f ||	/* U+200E, F */
			      (p[2] >= 0xaa && p[2] <= 0xae) :	/* U+202A-E */
	       p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;	/* U+2066-9 */
}

/*
 * So many bytes at p (n > 0) that a terminal obeys instead of showing them, or
 * that change how others are shown: control characters, C1 ones (U+0080 to
 * U+009F) as a letter or as a byte alone, too, and marks of direction.  0: p
 * begins with none.
 */
static inline unsigned
utf8_control(const uint8_t *p, size_t n)
{
	unsigned len;

	if (p[0] < 0x80)
		return p[0] < 0x20 || p[0] == 0x7f;
	len = utf8_letter(p, n);
	if (len == 0)
		return p[0] < 0xa0;
	if (len == 2 && p[0] == 0xc2 && p[1] < 0xa0)
		return len;
	return utf8_turns(p, len) ? len : 0;
}

/* Which name was meant. */

/* The least number of letters to change, leave out or put in; at most
 * NEAR_FAR, which is also that of names of more letters than that. */
enum { NEAR_FAR = 64 };
unsigned near_distance(const char *a, size_t n, const char *b, size_t m);

/*
 * A growing byte buffer, and a bounded little-endian reader
 *
 * Both are sticky: after a failed allocation (buf.bad) or a read past the end
 * (cur.bad) further calls do nothing and read zeros, so that a whole record is
 * written or parsed first and checked once.  Not thread-safe.
 */

struct buf {
	uint8_t *p;
	size_t n, cap;
	bool bad;	/* an allocation failed */
};

/* buf_reserve() where there is no room. */
bool buf_grow(struct buf *b, size_t more);
void buf_free(struct buf *b);

/* Room for `more` bytes after n; false (and bad) if there is no memory. */
static inline bool
buf_reserve(struct buf *b, size_t more)
{
	return more <= b->cap - b->n && !b->bad ? true : buf_grow(b, more);
}

static inline void
buf_put(struct buf *b, const void *p, size_t n)
{
	if (n && buf_reserve(b, n)) {
		memcpy(b->p + b->n, p, n);
		b->n += n;
	}
}

/* n zero bytes. */
static inline void
buf_zero(struct buf *b, size_t n)
{
	if (n && buf_reserve(b, n)) {
		memset(b->p + b->n, 0, n);
		b->n += n;
	}
}

static inline void
buf_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

/* n_bytes is 8 at most. */
static inline void
put_le(uint8_t *p, uint64_t v, unsigned n_bytes)
{
	/* one store where the size is known */
	v = le64(v);
	memcpy(p, &v, n_bytes);
}

static inline uint64_t
get_le(const uint8_t *p, unsigned n_bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, n_bytes);
	return le64(v);
}

static inline void
buf_le(struct buf *b, uint64_t v, unsigned n_bytes)
{
	if (buf_reserve(b, n_bytes)) {
		put_le(b->p + b->n, v, n_bytes);
		b->n += n_bytes;
	}
}

static inline void
buf_u32(struct buf *b, uint32_t v)
{
	buf_le(b, v, 4);
}

static inline void
buf_u64(struct buf *b, uint64_t v)
{
	buf_le(b, v, 8);
}

/* LEB128: 7 bits a byte, low ones first, the last byte below 128. */
static inline void
buf_var(struct buf *b, uint64_t v)
{
	if (!buf_reserve(b, 10))
		return;
	for (; v > 127; v >>= 7)
		b->p[b->n++] = (uint8_t)(v | 128);
	b->p[b->n++] = (uint8_t)v;
}

/* Length as LEB128, then the bytes. */
void buf_str(struct buf *b, const void *s, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

struct cur {
	const uint8_t *p, *end;
	bool bad;	/* something was read past the end, or not canonical */
};

struct str {
	const char *p;	/* not terminated */
	size_t n;
};

/* By bytes, then the shorter one first. */
static inline int
str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool
str_is(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* For %.*s: names may be of any length, their first bytes do. */
static inline int
str_shown(struct str s, int most)
{
	return s.n < (size_t)most ? (int)s.n : most;
}

static inline struct cur
cur_of(const void *p, size_t n)
{
	const uint8_t *b = (const uint8_t *)p;
	/* no offset to a null pointer, not even 0 */
	struct cur c = { b, n ? b + n : b, false };

	return c;
}

static inline size_t
cur_left(const struct cur *c)
{
	return (size_t)(c->end - c->p);
}

/* n bytes, or NULL (and bad) if there are fewer. */
static inline const uint8_t *
cur_take(struct cur *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > cur_left(c)) {
		c->bad = true;
		return NULL;
	}
	if (n)
		c->p += n;
	return p;
}

static inline uint64_t
cur_le(struct cur *c, unsigned n_bytes)
{
	const uint8_t *p = cur_take(c, n_bytes);

	return p ? get_le(p, n_bytes) : 0;
}

/* cur_var() of more bytes than one, or of none. */
uint64_t cur_long_var(struct cur *c);

static inline uint64_t
cur_var(struct cur *c)
{
	if (!c->bad && c->p < c->end && *c->p < 128)
		return *c->p++;
	return cur_long_var(c);
}

struct str cur_str(struct cur *c);

/*
 * Numbers in decimals, as people write them
 *
 * Neither 0x10, nor inf, nor nan, nor blanks before them: what strtod() takes,
 * too.  Functions are thread-safe, and allocate nothing.
 */

/* value / unit, exactly: below 10^18 and a power of ten, 10^9 at most, which is
 * as small as it can be; unit 0: no number. */
struct decimal {
	uint64_t value, unit;
};

/*
 * digits[.digits], at most 9 on each side, none on one of them: what is behind
 * it, or NULL if there is none.
 */
const char *decimal_read(const char *s, struct decimal *d);

/* All of s, which is option's argument, 0 to 1; ERR_USAGE. */
int decimal_share(const char *option, const char *s, struct decimal *d,
		  struct err *e);

/* All of n bytes, [-]digits[.digits][e[-]digits], as the nearest double; false
 * if that is not what it is.  LC_NUMERIC is taken to be that of C. */
bool decimal_double(const char *p, size_t n, double *v);

/* The lesser and the larger of two, and their order. */

static inline uint64_t
min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int64_t
min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* As qsort() wants it: below 0, 0 or above 0. */
static inline int
cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Arrays and tables of slots that double; what is sorted is found
 *
 * `at` is the address of the pointer to the array, of whatever type.  After
 * ERR_NOMEM array and size are what they were.  Not thread-safe.
 */

/* Room for n things of so many bytes in an array that has room for *cap. */
int array_room(void *at, size_t *cap, size_t n, size_t size, struct err *e);

/*
 * An empty table of twice as many slots, all 0, in place of one of *n, a power
 * of two or 0.
 */
int slots_double(void *at, size_t *n, size_t size, struct err *e);

/*
 * Of n things of so many bytes, ordered by a uint64_t that each holds `at`
 * bytes behind its begin: the first whose number is not below x; n: none.
 */
size_t array_first(const void *v, size_t n, size_t size, size_t at,
		   uint64_t x);

/*
 * Values by pairs of numbers
 *
 * A balanced tree, so that no choice of numbers makes it slow: O(log n) each.
 * Not thread-safe.
 */

struct index {		/* zero it first */
	void *root;
};
/* Where the pair's value is kept, NULL at first; NULL: no memory. */
void **index_at(struct index *x, uint64_t a, uint64_t b);
/* The pair's value; NULL if it has none. */
void *index_get(const struct index *x, uint64_t a, uint64_t b);
/* The same with numbers as values; 0: none, false: no memory. */
static inline uintptr_t
index_number(const struct index *x, uint64_t a, uint64_t b)
{
	return (uintptr_t)index_get(x, a, b);
}
static inline bool
index_set_number(struct index *x, uint64_t a, uint64_t b, uintptr_t n)
{
	void **at = index_at(x, a, b);

	if (at)
		*at = (void *)n;
	return at;
}
/* The values stay the caller's. */
void index_free(struct index *x);

/* Large pieces of memory. */

/*
 * n bytes for any vector, to be free()d; NULL: there are none.  Many are asked
 * for in huge pages, which are fast to get, to use and to give back, above all
 * by several threads: the system takes turns over small ones.
 */
void *pages_alloc(size_t n);
/* Bytes of memory that the machine has, in use or not; UINT64_MAX: not
 * known. */
uint64_t pages_machine(void);

/*
 * A binary heap in an array, the first element before all others
 *
 * HEAP(name, type, ctx, before, placed) defines
 *
 * 	void name_up(ctx *c, type *v, size_t at, type x)
 * 		x to place at, which is free, or above; all else is a heap
 * 	void name_down(ctx *c, type *v, size_t n, size_t at, type x)
 * 		likewise, or below, of n elements
 *
 * 	bool before(ctx *c, const type *a, const type *b)
 * 		strict; c may be NULL
 * 	void placed(ctx *c, const type *x, size_t at)
 * 		x is at place `at` from now on; or HEAP_ANYWHERE
 *
 * To add x: name_up(c, v, n++, x).  To replace the first: name_down(c, v, n, 0,
 * x); to take it away: --n, then name_down(c, v, n, 0, v[n]) if n > 0.
 */

#define HEAP_ANYWHERE(c, x, at) ((void)(c))

#define HEAP(name, type, ctx, before, placed) \
static inline void \
name##_up(ctx *c, type *v, size_t at, type x) \
{ \
	for (; at && before(c, &x, &v[(at - 1) / 2]); at = (at - 1) / 2) { \
		v[at] = v[(at - 1) / 2]; \
		placed(c, &v[at], at); \
	} \
	v[at] = x; \
	placed(c, &x, at); \
} \
\
static inline void \
name##_down(ctx *c, type *v, size_t n, size_t at, type x) \
{ \
	for (size_t k = 2 * at + 1; k < n; k = 2 * at + 1) { \
		if (k + 1 < n && before(c, &v[k + 1], &v[k])) \
			k++; \
		if (!before(c, &v[k], &x)) \
			break; \
		v[at] = v[k]; \
		placed(c, &v[at], at); \
		at = k; \
	} \
	v[at] = x; \
	placed(c, &x, at); \
}

/* XXH64 and CRC32; digests of sequences that add up. */

/*
 * XXH64, the 64-bit hash of ids and digests
 * Source: Y. Collet, xxHash specification 0.1.1 (the value is the same on
 * every machine, so that anybody can check a digest with xxhsum).
 */

/* XXH64 of n bytes; p may be NULL if n is 0.  Thread-safe, no allocation,
 * cannot fail. */
uint64_t hash64(const void *p, size_t n, uint64_t seed);
/* The same with seeds `seed` and seed + 1. */
void hash64_two(const void *p, size_t n, uint64_t seed, uint64_t h[2]);

/* CRC32 of gzip, zlib and the record stream. */

/* The CRC of bytes whose beginning has the CRC `crc` (of none: 0). */
uint32_t crc32_more(uint32_t crc, const void *p, size_t n);

/*
 * Digests of sequences that add up, however they are cut
 *
 * Numbers modulo the prime DIGEST_P = 2^61 - 1.  Letter c at place i of a
 * sequence, from 0, counts v R^(i div 8), where v is c 256^(i mod 8), or of a
 * word's last letter, i mod 8 = 7, (c mod 16) 2^56 + (c div 16) TOP: so pieces
 * of a sequence add up, and changes of one letter or two of a word never go
 * unnoticed; other accidents do once in 2^58.  (Without TOP a last letter that
 * is 32 more is a first one that is 1 more: 2^61 is 1.  A sum modulo 2^64 of
 * products would not do: only the low bits of a word's top letter count.)
 *
 * The digest of a row is ORDER^ordinal (a letters + b), where a, not 0, and b
 * are hashes of its name, b only of what begins with its first letter.  So
 * those of a file's sequences add up to one number, which is right for any
 * number of sequences before them, but for a factor.
 */

#define DIGEST_P ((UINT64_C(1) << 61) - 1)
#define DIGEST_TOP UINT64_C(0x09e3779b97f4a7c1)

/* Of numbers below DIGEST_P; all results are, too. */
static inline uint64_t
digest_add(uint64_t a, uint64_t b)
{
	uint64_t s = a + b;

	return s >= DIGEST_P ? s - DIGEST_P : s;
}
/* The same modulo DIGEST_P, at most 2^62 + 64. */
static inline uint64_t
digest_fold(unsigned __int128 x)
{
	return ((uint64_t)x & DIGEST_P) + ((uint64_t)(x >> 61) & DIGEST_P) +
	       (uint64_t)(x >> 122);
}
static inline uint64_t
digest_reduce(unsigned __int128 x)
{
	uint64_t s = digest_fold(x);

	s = (s & DIGEST_P) + (s >> 61);
	return s >= DIGEST_P ? s - DIGEST_P : s;
}
static inline uint64_t
digest_mul(uint64_t a, uint64_t b)
{
	return digest_reduce((unsigned __int128)a * b);
}

/* Of n bytes that begin at byte `at` of the sequence. */
uint64_t digest_letters(const void *p, size_t n, uint64_t at);
/* Of a sequence's first row (it begins at place 0), or another, whose letters
 * have that digest. */
uint64_t digest_named(const char *name, size_t n, bool first,
		      uint64_t letters);

/* ORDER^n; the power for the last n is kept, as n often goes on by 1. */
struct digest_order {
	uint64_t n, power;
};
uint64_t digest_order(struct digest_order *o, uint64_t n);

/*
 * May the sum modulo 2^64 of the digests of n chunks be that sum?  It is that
 * and a multiple of DIGEST_P below n times.
 */
bool digest_sums(uint64_t sum64, uint64_t sum, uint64_t n);

/*
 * Several threads at one piece of work; leaders and their helpers
 */

/*
 * fn(ctx, i) for i from 0 to n - 1, each in a thread of its own, 0 in this one;
 * returns when all have.  Where the system has no more threads, the last ones
 * are left out: those that run must be able to do all of the work.
 */
typedef void threads_fn(void *ctx, unsigned thread);
void threads_run(unsigned n, threads_fn *fn, void *ctx);

/*
 * The same for threads that wait for each other: ready(ctx, of), called by this
 * thread before any of them begins, is given their number.
 */
void threads_team(unsigned n, threads_fn *ready, threads_fn *fn, void *ctx);

/* The same in two steps: all but thread 0 begin, which is the caller's; all of
 * them have returned.  ready may be NULL; so may what is returned. */
struct team *threads_begin(unsigned n, threads_fn *ready, threads_fn *fn,
			   void *ctx);
void threads_end(struct team *t);

/* fn(ctx, i, thread) for i from 0 to n - 1, each once, by at most `threads`
 * threads; the least that is left comes next. */
typedef void threads_each_fn(void *ctx, uint64_t i, unsigned thread);
void threads_each(unsigned threads, uint64_t n, threads_each_fn *fn, void *ctx);

/*
 * Threads that lead, and threads that help them
 *
 * A leader does its work alone but for what several can do, which it calls out:
 * then whoever helps does it, too.  Helpers come when they have nothing else to
 * do, maybe never, and stay until there is no leader left.
 */

struct crew;

/* most: leaders and helpers together at any time, at most;
 * returned by crew_most(). */
int crew_new(struct crew **c, unsigned most, struct err *e);
void crew_free(struct crew *c);
unsigned crew_most(const struct crew *c);

/* That number of leaders will come; all earlier ones and helpers have left. */
void crew_begin(struct crew *c, unsigned leaders);
/*
 * A leader: fn(ctx) by this thread and by helpers at the same time, each once;
 * by this one, when all have returned.  fn returns when nothing is left to be
 * done, or only by those who do it already; also to one who comes then.
 */
void crew_call(struct crew *c, void (*fn)(void *ctx), void *ctx);
/* A leader that leaves; each must, whatever happened. */
void crew_leave(struct crew *c);
/* Answer calls until all leaders have left. */
void crew_help(struct crew *c);

/*
 * Rows of bytes in order, in bounded memory
 *
 * A row begins with its size in bytes (uint32_t, a multiple of 8, at most
 * 2^32 - 8) and is 8-byte aligned.  Rows are sorted in memory; what does not
 * fit goes to $TMPDIR in sorted runs, which are merged in the end.
 */

struct sorter_ops {
	/* As sort_with() calls it, a and b point to pointers to rows; a total
	 * order. */
	int (*cmp)(const void *a, const void *b, void *ctx);
	/*
	 * v[0..n) are sorted rows, a part of all.  Drop those that cannot
	 * matter any more: move the others to the front, return how many.
	 * May be NULL.
	 */
	size_t (*trim)(const void **v, size_t n, void *ctx);
	void *ctx;
	/* Called before rows are put in order: what cmp() looks up.  May be
	 * NULL. */
	int (*prepare)(void *ctx, struct err *e);
};

struct sorter;
/* memory: bytes for rows, at least one row is kept whatever it says. */
int sorter_new(struct sorter **s, const struct sorter_ops *ops, size_t memory,
	       struct err *e);
int sorter_add(struct sorter *s, const void *row, struct err *e);
/* Did the order matter yet?  Until then cmp may change its mind. */
bool sorter_sorted(const struct sorter *s);
int sorter_finish(struct sorter *s, struct err *e);
/* 1 and the next row (valid until the next call), 0, or an error. */
int sorter_next(struct sorter *s, const void **row, struct err *e);
void sorter_free(struct sorter *s);

/* The version, and options that may be given many times. */

#define SEQF_VERSION "0.2.0"

/* OPT_LIST and OPT_LISTFILE options may share one list: order is kept. */
struct opt_list {
	struct opt_item {
		int letter;		/* which option gave it */
		const char *value;	/* points into argv */
	} *v;
	size_t n;
};

#ifndef __cplusplus	/* of CUDA, which has no _Atomic */
#include <stdatomic.h>

/*
 * What does not fit into memory waits in a file
 *
 * The file lies in $TMPDIR (else /tmp) and is unlinked at once, so that it
 * goes when the program does, however it ends.  Every read and write is
 * checked.  Not thread-safe.
 */

struct spool {	/* all zero: empty, no file yet */
	int fd;
	bool open;
	uint64_t n;	/* bytes written */
};

/* The first call makes the file.  ERR_IO. */
int spool_append(struct spool *s, const void *p, size_t n, struct err *e);
/* Bytes [at, at + n), all of them written before. */
int spool_read(struct spool *s, uint64_t at, void *p, size_t n,
	       struct err *e);
/* Forget the contents and give the disk space back. */
void spool_close(struct spool *s);

/*
 * A queue of byte strings, first in first out; what waits beyond `memory`
 * bytes goes through a spool.
 */
struct queue {
	size_t memory;		/* to be set; the rest all zero */
	struct buf front, back;	/* each: {u64 length, bytes} ... */
	size_t at;		/* what of front is taken */
	struct spool file;	/* between them: {u64 length, a whole back} */
	uint64_t file_at;
};

int queue_push(struct queue *q, const void *p, size_t n, struct err *e);
/* Both as one string. */
int queue_push_two(struct queue *q, const void *p, size_t n, const void *more,
		   size_t n_more, struct err *e);
/* 1 and the first string (valid until queue_pop or queue_push), or 0. */
int queue_first(struct queue *q, const uint8_t **p, size_t *n,
		struct err *e);
void queue_pop(struct queue *q);
void queue_free(struct queue *q);

/*
 * Checked output to stdout or -o FILE
 *
 * Large writes; every error is reported (a full disk is never silent).  A file
 * named by -o takes its name at out_close(), when its bytes are on the disk, so
 * that no partial file passes for whole: until then it has none, or, where the
 * file system knows no such files, FILE.tmp-NUMBER.  As with the shell's >, a
 * symbolic link is followed, also to where nothing is yet.  Devices, pipes and
 * what is open already (descriptor_of()) are written directly.  To a terminal
 * control characters go as %XX, but for blanks, ends of lines and colours.
 * What is called .gz is compressed, as BGZF.
 */

struct out;

/*
 * What a signal handler shares with the threads that write: static, zeroed,
 * and of one output at a time.
 */
struct out_guard {
	atomic_int gate;
	const char *_Atomic left;	/* the file to be removed, or NULL */
};

/* path NULL or "-": stdout; "" is ERR_USAGE. */
int out_open(struct out **o, const char *path, struct err *e);
/* The same with a guard; NULL: without. */
int out_open_guarded(struct out **o, const char *path, struct out_guard *g,
		     struct err *e);
/*
 * For handlers of signals, in any thread: the temporary file is removed, and
 * none comes after it.  The handler must then end the program: other threads
 * may wait for that.
 */
void out_stop(struct out_guard *g);
bool out_is_tty(const struct out *o);
/* Was anything written? */
bool out_any(const struct out *o);
/* Columns of the terminal, 80 if it is not known; 0: it is none. */
unsigned out_columns(const struct out *o);
/* Is it the regular file of that name ("-": stdin), or will it replace it? */
bool out_is_file(const struct out *o, const char *path);
int out_write(struct out *o, const void *p, size_t n, struct err *e);
int out_printf(struct out *o, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What is buffered goes out now. */
int out_flush(struct out *o, struct err *e);
/* Flush, to the disk, close, check, rename. */
int out_close(struct out *o, struct err *e);
/* The file that would be left if the program were killed now, or NULL. */
const char *out_left(const struct out *o);
/* Give up: remove the temporary file. */
void out_abort(struct out *o);

/* Names of what a program has open already. */

/*
 * The number of the file descriptor that a path stands for, open or not: of
 * /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N; -1: of
 * none.  Files in /dev/shm are files as any other.
 */
int descriptor_of(const char *path);

#endif	/* __cplusplus */

#endif
