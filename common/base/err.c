/* SPDX-License-Identifier: MIT */
/* err.c - error texts and the programs' voice */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static const char *program = "seqfilters";
static int verbosity;
static int line_width;	/* columns of the line that is rewritten */

/* Copy s to d (size n), every byte of a control character as \xNN. */
static void
printable(char *d, size_t n, const char *s)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + strlen(s);
	size_t used = 0;

	while (p < end && used + 4 * UTF8_MAX < n) {
		unsigned len = utf8_letter(p, (size_t)(end - p));
		bool plain = !utf8_control(p, (size_t)(end - p));

		for (len = len ? len : 1; len--; p++)
			if (plain)
				d[used++] = (char)*p;
			else
				used += (size_t)snprintf(d + used, n - used,
							 "\\x%02x", *p);
	}
	d[used] = '\0';
}

static void
format(char *d, size_t n, const char *fmt, va_list ap)
{
	char raw[1000];
	int saved = errno;
	size_t used, len = strlen(fmt);

	vsnprintf(raw, sizeof raw, fmt, ap);
	used = strlen(raw);
	if (len && fmt[len - 1] == ':')
		snprintf(raw + used, sizeof raw - used, " %s",
			 strerror(saved));
	printable(d, n, raw);
}

int
err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	e->code = code;
	return code;
}

int
err_at(struct err *e, const char *fmt, ...)
{
	char prefix[500], rest[sizeof e->text];
	va_list ap;

	va_start(ap, fmt);
	format(prefix, sizeof prefix, fmt, ap);
	va_end(ap);
	memcpy(rest, e->text, sizeof rest);
	snprintf(e->text, sizeof e->text, "%s: %.490s", prefix, rest);
	return e->code;
}

struct err_count
err_count(unsigned long long n, const char *noun)
{
	size_t len = strlen(noun);
	bool ies = n != 1 && noun[len - 1] == 'y';
	struct err_count c;

	snprintf(c.text, sizeof c.text, "%llu %.*s%s", n, (int)(len - ies),
		 noun, n == 1 ? "" : ies ? "ies" : "s");
	return c;
}

struct err_count
err_mb(double bytes)
{
	double mb = 1e-6 * bytes;
	struct err_count c;

	/* %.3g would write 2e+03 */
	snprintf(c.text, sizeof c.text, mb < 999 ? "%.3g MB" : "%.0f MB", mb);
	return c;
}

int
err_nomem(struct err *e, unsigned long long n_bytes)
{
	return err_set(e, ERR_NOMEM, "out of memory (%llu bytes wanted)",
		       n_bytes);
}

int
err_exit(int code)
{
	switch (code) {
	case 0: return EXIT_DONE;
	case ERR_USAGE: return EXIT_USAGE;
	case ERR_INCOMPLETE: return EXIT_INCOMPLETE;
	default: return EXIT_DATA;
	}
}

void
prog_set(const char *argv0, int level)
{
	const char *slash = strrchr(argv0, '/');

	program = slash ? slash + 1 : argv0;
	verbosity = level;
}

void
line_off(void)
{
	if (line_width > 0)
		fprintf(stderr, "\r%*s\r", line_width, "");
	line_width = 0;
}

static void
say(const char *fmt, va_list ap)
{
	char text[1000];

	format(text, sizeof text, fmt, ap);
	line_off();
	fprintf(stderr, "%s: %s\n", program, text);
}

void
line_set(const char *fmt, ...)
{
	char text[200];
	va_list ap;
	int before = line_width;

	va_start(ap, fmt);
	format(text, sizeof text, fmt, ap);
	va_end(ap);
	line_width = fprintf(stderr, "\r%s: %s", program, text) - 1;
	if (line_width < before)
		fprintf(stderr, "%*s", before - line_width, "");
	fflush(stderr);
}

void
die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

void
die_err(const struct err *e)
{
	die(err_exit(e->code), "%s", e->text);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void
note(int level, const char *fmt, ...)
{
	va_list ap;

	if (verbosity < level)
		return;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

bool
noted(int level)
{
	return verbosity >= level;
}

/* Which name was meant: the edit distance, row by row. */

unsigned
near_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[NEAR_FAR + 1];

	if (n > NEAR_FAR || m > NEAR_FAR)
		return NEAR_FAR;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 0; i < n; i++) {
		unsigned diagonal = row[0]++;

		for (unsigned j = 1; j <= m; j++) {
			unsigned d = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			d = d < row[j - 1] + 1 ? d : row[j - 1] + 1;
			row[j] = d < diagonal + 1 ? d : diagonal + 1;
		}
	}
	return row[m];
}
