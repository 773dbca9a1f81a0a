/* SPDX-License-Identifier: MIT */
/* ebwt_letters.c - letters of chunks and queries as transforms take them */
#include <stdlib.h>

#include "scan/ebwt_seqs.h"
#include "stream/chunk.h"

typedef uint8_t letters16 __attribute__((vector_size(16), aligned(1)));

static void
fold(uint8_t *s, size_t n)
{
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		letters16 c = *(letters16 *)(s + i);

		/* what is true is 255 */
		c -= (letters16)(c - 'a' < 26) & ('a' - 'A');
		c -= (letters16)(c == 'U') & ('U' - 'T');
		*(letters16 *)(s + i) = c;
	}
	for (; i < n; i++) {
		uint8_t c = s[i];

		c -= c >= 'a' && c <= 'z' ? 'a' - 'A' : 0;
		s[i] = c == 'U' ? 'T' : c;
	}
}

static int
decode_row(const struct chunk *c, const struct chunk_row *r, struct buf *to,
	   struct err *e)
{
	uint64_t from = r->own_beg - r->beg, n = r->own_end - r->own_beg;

	if (c->enc == CHUNK_PROB)
		buf_put(to, c->letters + (r->at + from) * 16, n * 16);
	else if (buf_reserve(to, n + 64)) {
		chunk_letters(c, r, from, n, to->p + to->n);
		fold(to->p + to->n, n);
		to->n += n;
	}
	return to->bad ? err_nomem(e, n * 16) : 0;
}

/* Floats of the stream are little-endian. */
static void
to_host(const struct chunk *c, struct buf *b)
{
	if (c->enc != CHUNK_PROB || b->bad || htole32(1) == 1)
		return;
	for (size_t i = 0; i + 4 <= b->n; i += 4) {
		uint32_t v = (uint32_t)get_le(b->p + i, 4);

		memcpy(b->p + i, &v, sizeof v);
	}
}

int
ebwt_seqs_decode(const struct rec_frame *f, struct buf *letters,
		 struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	if (!chunk_digest_ok(&c, e))
		rc = e->code;
	for (size_t i = 0; i < c.n_rows && !rc; i++)
		rc = decode_row(&c, &c.row[i], letters, e);
	to_host(&c, letters);
	chunk_free(&c);
	return rc;
}

int
ebwt_seqs_queries(struct queries *q, struct ebwt_seq **v, struct err *e)
{
	*v = malloc((q->n + 1) * sizeof **v);
	if (!*v)
		return err_nomem(e, q->n * sizeof **v);
	for (size_t i = 0; i < q->n; i++) {
		struct query *x = &q->v[i];
		uint8_t *s = (uint8_t *)(uintptr_t)x->letters.p;

		if (!x->prob)
			fold(s, x->letters.n);
		(*v)[i] = (struct ebwt_seq){
			.prob = x->prob, .ordinal = i, .name = x->name,
			.n = x->letters.n / (x->prob ? 16 : 1),
			.letters = s,
		};
	}
	return 0;
}
