/* SPDX-License-Identifier: MIT */
/* fasta_header.c - a record's header line from its name and description */
#include "stream/fasta.h"

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

struct str
fasta_title(struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;

	if (nl)
		desc.n = (size_t)(nl - desc.p);
	for (; desc.n && (*desc.p == ' ' || *desc.p == '\t'); desc.n--)
		desc.p++;
	return desc;
}
