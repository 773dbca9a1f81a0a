/* SPDX-License-Identifier: MIT */
/* fasta_header.c - a header line to name and description, and back */
#include "stream/fasta.h"

#include "stream/lines.h"

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

const char *
fasta_split(struct buf *h, struct str *name, struct str *desc)
{
	size_t n, lead = 0, end;

	if (h->n && h->p[h->n - 1] == '\r')
		h->n--;
	n = h->n;
	while (lead < n && is_blank(h->p[lead]))
		lead++;
	for (end = lead; end < n && !is_blank(h->p[end]);)
		end++;
	/* the blanks in front go behind: the line moves if memory does */
	buf_reserve(h, lead + 1);
	buf_u8(h, '\n');
	if (h->bad)
		return NULL;
	buf_put(h, h->p, lead);
	*name = (struct str){ (char *)h->p + lead, end - lead };
	*desc = (struct str){ (char *)h->p + end,
			      lead ? h->n - end : n - end };
	for (size_t i = lead; i < end; i++)
		if (h->p[i] < ' ' || h->p[i] == 0x7f)
			return h->p[i] == '\r' ? "line ends are a CR alone, as "
			    "on an old Macintosh" :
			    "the name holds a control character";
	for (size_t i = end; i < n; i++)
		if (h->p[i] == '\0' || h->p[i] == '\r')
			return "the header line holds a NUL, or a CR without "
			    "newline";
	return NULL;
}

void
fasta_header(struct buf *b, struct str name, struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;
	size_t n = nl ? (size_t)(nl - desc.p) : desc.n;

	for (size_t i = n + 1; nl && i < desc.n; i++)
		buf_u8(b, desc.p[i] == '\t' ? '\t' : ' ');
	buf_put(b, name.p, name.n);
	buf_put(b, desc.p, n);
}

bool
fasta_fits(struct str name, struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;
	size_t n = nl ? (size_t)(nl - desc.p) : desc.n;

	for (size_t i = 0; i < name.n; i++)
		if ((uint8_t)name.p[i] <= ' ' || name.p[i] == 0x7f)
			return false;
	/* what follows the name is behind a blank, and behind a name */
	if (n && (name.n == 0 || !is_blank((uint8_t)desc.p[0])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (desc.p[i] == '\0' || desc.p[i] == '\r')
			return false;
	for (size_t i = n + 1; i < desc.n; i++)
		if (!is_blank((uint8_t)desc.p[i]))
			return false;
	return true;
}

struct str
fasta_title(struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;

	if (nl)
		desc.n = (size_t)(nl - desc.p);
	for (; desc.n && is_blank((uint8_t)*desc.p); desc.n--)
		desc.p++;
	return desc;
}
