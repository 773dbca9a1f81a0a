/* SPDX-License-Identifier: MIT */
/*
 * print_json.c - hits and tallies as one JSON object a line
 *
 * The keys are tsv's column names, but for slen: JSON is written as hits come,
 * when a sequence's length may not be known yet.
 */
#include "stream/print.h"

/* Bytes of the UTF-8 letter at p (n > 0), or 0 if it is none (RFC 3629). */
static unsigned
utf8(const uint8_t *p, size_t n)
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

/* A byte that is no UTF-8 becomes U+FFFD, as decoders do. */
static void
string(struct buf *b, struct str s)
{
	const uint8_t *p = (const uint8_t *)s.p;
	unsigned len;

	buf_u8(b, '"');
	for (size_t i = 0; i < s.n; i += len ? len : 1) {
		len = utf8(p + i, s.n - i);
		if (!len)
			print_text(b, "\\ufffd");
		else if (p[i] < 0x20 || p[i] == 0x7f)
			buf_printf(b, "\\u%04x", p[i]);
		else if (p[i] == '"' || p[i] == '\\')
			buf_printf(b, "\\%c", p[i]);
		else
			buf_put(b, p + i, len);
	}
	buf_u8(b, '"');
}

static void
number(struct buf *b, const char *key, bool known, uint64_t v)
{
	buf_printf(b, ",\"%s\":", key);
	if (known)
		print_u64(b, v);
	else
		print_text(b, "null");
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	print_text(b, "{\"query\":");
	string(b, h->query.name);
	number(b, "qlen", true, h->query.len);
	number(b, "qbeg", true, h->qbeg);
	number(b, "qend", true, h->qend);
	print_text(b, h->flags & HIT_MINUS ? ",\"strand\":\"-\"" :
					     ",\"strand\":\"+\"");
	print_text(b, ",\"subject\":");
	string(b, h->subject.name);
	number(b, "sbeg", !(h->flags & HIT_NO_SBEG), h->sbeg);
	number(b, "send", true, h->send);
	number(b, "edits", h->flags & HIT_EDITS, h->edits);
	print_text(b, ",\"score\":");
	print_i64(b, h->score);
	print_text(b, ",\"cigar\":");
	if (h->flags & HIT_CIGAR) {
		buf_u8(b, '"');
		cigar_text(b, h->cigar, h->n_cigar);
		buf_u8(b, '"');
	} else {
		print_text(b, "null");
	}
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, ",\"sseq\":");
		string(b, h->letters);
	}
	print_text(b, "}\n");
}

static void
tally(struct buf *b, const struct print_env *env, const struct tally_row *t)
{
	(void)env;
	print_text(b, "{\"query\":");
	string(b, t->query.name);
	print_text(b, t->minus ? ",\"strand\":\"-\"" : ",\"strand\":\"+\"");
	number(b, "edits", true, t->edits);
	number(b, "count", true, t->count);
	print_text(b, "}\n");
}

const struct print_family print_json = {
	.need = PRINT_NOTHING, .hit = hit, .tally = tally,
};
