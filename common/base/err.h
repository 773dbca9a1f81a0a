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

#endif
