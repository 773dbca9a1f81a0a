/* SPDX-License-Identifier: MIT */
/* line.c - a file of lines, such as a list of numbers or of places */
#include "base/line.h"

/*
 * getline() would not do: it takes all memory for a file without newlines, and
 * a failed allocation looks like the end of the file.
 */
int
line_next(struct buf *b, FILE *f, const char *path, struct err *e)
{
	int c;

	b->n = 0;
	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (b->n == LINE_LONGEST)
			return err_set(e, ERR_LIMIT, "%s: a line of more than "
				       "%d bytes", path, LINE_LONGEST);
		buf_u8(b, (uint8_t)c);
	}
	if (ferror(f))
		return err_set(e, ERR_IO, "%s:", path);
	if (c == EOF && b->n == 0 && !b->bad)
		return 0;
	if (b->n && b->p[b->n - 1] == '\r')
		b->n--;
	buf_u8(b, 0);
	if (b->bad)
		return err_nomem(e, b->n);
	b->n--;
	return 1;
}
