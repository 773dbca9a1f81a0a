/* SPDX-License-Identifier: MIT */
/*
 * err.h - what went wrong, and how a program says so
 *
 * Code under common/ and cuda/ never prints and never exits.  A function that
 * can fail takes a struct err, sets it once by err_set() and returns the same
 * negative code.  Programs turn it into one line on stderr and an exit status.
 */
#ifndef SEQF_BASE_ERR_H
#define SEQF_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
