/* SPDX-License-Identifier: MIT */
/* align.c - lines of tsv in columns, for terminals */

#include <string.h>

#include "base/base.h"
#include "output/align.h"

/* What is longer, a CIGAR say, does not make its column wider. */
enum { WIDEST = 40, BETWEEN = 2 };

static size_t
letters(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t count = 0;

	for (size_t i = 0; i < n; count++) {
		unsigned len = utf8_letter(p + i, n - i);

		i += len ? len : 1;
	}
	return count;
}

/* The cell at s, up to the tab, the end of the line, or of the text. */
static size_t
cell(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && *p != '\t' && *p != '\n')
		p++;
	return (size_t)(p - s);
}

static void
measure(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		if (c < ALIGN_COLUMNS && wide <= WIDEST && wide > a->width[c])
			a->width[c] = wide;
		p += n;
		c = p < end && *p == '\t' ? c + 1 : 0;
	}
}

void
align_lines(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	measure(a, lines);
	a->text.n = 0;
	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		buf_put(&a->text, p, n);
		p += n;
		if (p == end)
			break;
		if (*p == '\n') {
			buf_u8(&a->text, '\n');
			c = 0;
			continue;
		}
		for (; c < ALIGN_COLUMNS && wide < a->width[c]; wide++)
			buf_u8(&a->text, ' ');
		for (unsigned i = 0; i < BETWEEN; i++)
			buf_u8(&a->text, ' ');
		c++;
	}
}

void
align_free(struct align *a)
{
	buf_free(&a->text);
}
