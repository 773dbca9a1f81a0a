/* SPDX-License-Identifier: MIT */
/* chunk_encode.c - letters to CHUNK frames in the smallest encoding */

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Letters to planes or nibbles, and runs; private to chunk*.c. */

enum { PACK_TILE = 16384 };	/* letters; a multiple of 64 */

enum pack_verdict { PACK_OK, PACK_TOO_BIG, PACK_HAS_U, PACK_NO_MEMORY };

/* One attempt. */
struct packer {
	const struct dna_ops *ops;
	bool four;		/* 4-bit; else 2-bit */
	bool rna;		/* U is packed as T */
	uint64_t budget;	/* bytes that runs may take */
	uint64_t n_foreign;	/* exception runs a 4-bit chunk would keep */
	size_t n_digested;	/* rows that are in sum, by this attempt or one
				   before */
	uint64_t sum;
	struct digest_order order;
	struct buf exc, lower;	/* runs as they are stored */
	uint8_t *letters;	/* the payload's section */
	uint8_t copy[PACK_TILE];	/* a tile of RNA as DNA */
	uint64_t planes[PACK_TILE / 32];
	uint64_t bits[PACK_TILE / 64], low[PACK_TILE / 64];
};

/*
 * Letters to planes or nibbles, and runs of what is left
 *
 * A row is packed in tiles that stay in the nearest cache: planes, and
 * exceptions and case as words of which runs are made.  An attempt is given
 * up as soon as its runs cost more than ASCII.
 */

static uint8_t
upper(uint8_t c)
{
	return (uint8_t)(c - 'a') < 26 ? c - 32 : c;
}

/*
 * End of the run of letters equal to s[i], case aside, in s[0..n).  In words:
 * letters and * - . differ in other bits than case.
 */
static size_t
run_end(const uint8_t *s, size_t i, size_t n)
{
	const uint64_t no_case = 0xdfdfdfdfdfdfdfdf;
	uint8_t c = upper(s[i]);
	uint64_t want = (c & 0xdf) * (uint64_t)0x0101010101010101, x;

	for (; n - i >= 8; i += 8) {
		memcpy(&x, s + i, 8);
		if ((x & no_case) != want)
			break;
	}
	while (i < n && upper(s[i]) == c)
		i++;
	return i;
}

/* Append a run of places [beg, beg + n), or lengthen the last one by it. */
static void
add_run(struct buf *b, uint64_t beg, uint64_t n, uint8_t letter, uint64_t max)
{
	if (b->n) {
		uint8_t *last = b->p + b->n - CHUNK_RUN;
		uint64_t at = get_le(last, 4), len = get_le(last + 4, 4);
		uint64_t is = letter ? len >> 24 : 0, more;

		len = letter ? len & CHUNK_RUN_MAX : len;
		if (at + len == beg && is == letter) {
			more = max - len < n ? max - len : n;
			put_le(last + 4, (len + more) | is << 24, 4);
			beg += more;
			n -= more;
		}
	}
	while (n) {
		uint64_t take = n < max ? n : max;

		buf_u32(b, (uint32_t)beg);
		buf_u32(b, (uint32_t)(take | (uint64_t)letter << 24));
		beg += take;
		n -= take;
	}
}

/* Exceptions of n letters s that stand at place `at`; false: there is a U. */
static bool
add_exceptions(struct packer *p, const uint8_t *s, size_t n, uint64_t at)
{
	size_t i = 0;

	while (i < n) {
		uint64_t w = p->bits[i / 64] >> i % 64;
		size_t end;
		uint8_t c;

		if (!w) {
			i = (i / 64 + 1) * 64;
			continue;
		}
		i += (size_t)__builtin_ctzll(w);
		c = upper(s[i]);
		if (c == 'U')
			return false;
		end = run_end(s, i, n);
		if (!p->four || !dna_set(c))
			add_run(&p->exc, at + i, end - i, c, CHUNK_RUN_MAX);
		p->n_foreign += !dna_set(c);
		i = end;
	}
	return true;
}

/* Runs of set bits of p->low. */
static void
add_lower(struct packer *p, size_t n, uint64_t at)
{
	size_t i = 0;

	while (i < n) {
		uint64_t w = p->low[i / 64] >> i % 64;
		size_t beg, left = 64 - i % 64;

		if (!w) {
			i += left;
			continue;
		}
		beg = i += (size_t)__builtin_ctzll(w);
		/* bits above n are 0 */
		for (;;) {
			w = ~p->low[i / 64] >> i % 64;
			left = 64 - i % 64;
			if (w) {
				i += (size_t)__builtin_ctzll(w);
				break;
			}
			i += left;
			if (i >= n)
				break;
		}
		add_run(&p->lower, at + beg, i - beg, 0, UINT32_MAX);
	}
}

/* n letters as T for U into p->copy; false: there is a T as well. */
static bool
as_dna(struct packer *p, const uint8_t *s, size_t n)
{
	bool t = false;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = upper(s[i]);

		t |= c == 'T';
		p->copy[i] = c == 'U' ? s[i] - 1 : s[i];
	}
	return !t;
}

/* Codes of n letters; others, and the last nibbles of the unit, are 0. */
static void
put_nibbles(uint8_t *to, const uint8_t *s, size_t n)
{
	static const uint8_t code[32] = {
		['A' & 31] = 1, ['C' & 31] = 2,	 ['M' & 31] = 3,
		['G' & 31] = 4, ['R' & 31] = 5,	 ['S' & 31] = 6,
		['V' & 31] = 7, ['T' & 31] = 8,	 ['W' & 31] = 9,
		['Y' & 31] = 10, ['H' & 31] = 11, ['K' & 31] = 12,
		['D' & 31] = 13, ['B' & 31] = 14, ['N' & 31] = 15,
	};

	memset(to, 0, (n + 63) / 64 * 32);
	for (size_t i = 0; i < n; i++)
		if (upper(s[i]) >= 'A')
			to[i / 2] |= (uint8_t)(code[s[i] & 31] << i % 2 * 4);
}

/* n <= PACK_TILE letters to place `at`, a multiple of 64. */
static enum pack_verdict
pack_tile(struct packer *p, const uint8_t *s, size_t n, uint64_t at)
{
	/* 2-bit: straight into the payload, whose sections are aligned */
	uint64_t *planes = p->four ? p->planes :
	    (uint64_t *)(void *)(p->letters + at / 4);
	size_t n_words = dna_words(n);
	unsigned has;

	if (p->rna) {
		if (!as_dna(p, s, n))
			return PACK_TOO_BIG;
		s = p->copy;
	}
	has = p->ops->pack(s, n, planes, p->bits, p->low);
	if (has & DNA_HAS_EXC && !add_exceptions(p, s, n, at))
		return PACK_HAS_U;
	if (has & DNA_HAS_LOWER)
		add_lower(p, n, at);
	if (p->exc.bad || p->lower.bad)
		return PACK_NO_MEMORY;
	if (p->exc.n + p->lower.n > p->budget)
		return PACK_TOO_BIG;
	if (p->four) {
		put_nibbles(p->letters + at / 2, s, n);
		return PACK_OK;
	}
	for (size_t i = 0; i < n_words; i++)
		planes[i] = le64(planes[i]);
	return PACK_OK;
}

/* Of a row, whose letters are at s. */
static uint64_t
row_digest(const struct chunk_raw *c, const struct chunk_row *r,
	   const uint8_t *s, struct digest_order *order)
{
	size_t unit = c->prob ? 16 : 1;
	uint64_t letters = c->digests ? r->digest :
	    digest_letters(s + (r->own_beg - r->beg) * unit,
			   (r->own_end - r->own_beg) * unit,
			   r->own_beg * unit);

	return digest_mul(digest_named(r->name.p, r->name.n,
				       r->own_beg == 0, letters),
			  digest_order(order, r->ordinal));
}

/*
 * Pack all rows of c.  PACK_TOO_BIG: the runs outgrow the budget, or U and T
 * both occur; PACK_HAS_U: to be tried again with rna.
 */
static enum pack_verdict
pack_rows(struct packer *p, const struct chunk_raw *c)
{
	uint64_t at = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		const uint8_t *s = c->letters + c->row[i].at;
		uint64_t n = c->row[i].n, done = 0;

		at = chunk_next_at(CHUNK_2BIT, at);
		while (done < n) {
			uint64_t left = n - done;
			size_t take = left < PACK_TILE ? left : PACK_TILE;
			enum pack_verdict v;

			v = pack_tile(p, s + done, take, at + done);
			if (v != PACK_OK)
				return v;
			done += take;
		}
		at += n;
		/* its letters, if few, are in the nearest cache */
		if (i == p->n_digested) {
			p->sum = digest_add(p->sum, row_digest(c, &c->row[i],
							       s, &p->order));
			p->n_digested++;
		}
	}
	return PACK_OK;
}

/* Letters to CHUNK frames in the smallest encoding. */

enum { RUN_SLACK = 64 << 10 };	/* bytes of runs a new frame has room for */

/* What every frame of this chunk holds, however its letters are stored. */
struct plan {
	uint64_t n_ascii;	/* letters, without gaps */
	uint64_t n_packed;	/* places in packed letters */
	uint64_t owned, n_names;
	struct buf key;
};

/* The digest reads owned letters: they must be there. */
static bool
row_ok(const struct chunk_row *r)
{
	return r->beg <= r->own_beg && r->own_beg <= r->own_end &&
	       r->own_end - r->beg <= r->n;
}

/* Only a sequence's first piece has one. */
static size_t
desc_n(const struct chunk_row *r)
{
	return r->flags & CHUNK_FIRST ? r->desc.n : 0;
}

/* Do the rows say of which file they are? */
static bool
has_files(const struct chunk_raw *c)
{
	return c->n_rows && c->row[0].file;
}

/* Run key and names. */
static uint64_t
heap_n(const struct plan *p)
{
	return p->key.n + p->n_names;
}

static int
plan(struct plan *p, const struct chunk_raw *c, struct err *e)
{
	run_key_put(&p->key, &c->run);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		if (r->n > UINT32_MAX || r->name.n > REC_MAX_PAYLOAD ||
		    r->desc.n > REC_MAX_PAYLOAD)
			return err_set(e, ERR_LIMIT, "chunk %llu is too large",
				       (unsigned long long)c->serial);
		if (!row_ok(r) || !r->file == has_files(c))
			return err_set(e, ERR_FORMAT, "chunk %llu: a row owns "
				       "letters that it does not hold, or is "
				       "of no file",
				       (unsigned long long)c->serial);
		p->n_ascii += r->n;
		p->n_packed = chunk_next_at(CHUNK_2BIT, p->n_packed) + r->n;
		p->owned += r->own_end - r->own_beg;
		p->n_names += r->name.n + desc_n(r);
	}
	if (p->n_packed > UINT32_MAX || heap_n(p) > REC_MAX_PAYLOAD)
		return err_set(e, ERR_LIMIT, "chunk %llu is too large",
			       (unsigned long long)c->serial);
	return p->key.bad ? err_nomem(e, p->key.n) : 0;
}

static uint64_t
places(const struct plan *p, enum chunk_enc enc)
{
	return enc == CHUNK_2BIT || enc == CHUNK_4BIT ? p->n_packed :
	    p->n_ascii;
}

/* A frame whose letters section may be filled, with room for runs. */
static int
new_frame(struct rec_frame **f, const struct chunk_raw *c,
	  const struct plan *p, enum chunk_enc enc, uint64_t runs,
	  struct err *e)
{
	uint64_t n = CHUNK_HEAD + (uint64_t)c->n_rows * CHUNK_ROW +
	    chunk_bytes(enc, places(p, enc)) + runs + heap_n(p);

	if (c->n_rows > UINT32_MAX / CHUNK_ROW || n > REC_MAX_PAYLOAD)
		return err_set(e, ERR_LIMIT, "chunk %llu is too large",
			       (unsigned long long)c->serial);
	*f = rec_frame_new((size_t)n);
	return *f ? 0 : err_nomem(e, n);
}

static uint8_t *
letters_of(const struct rec_frame *f, const struct chunk_raw *c)
{
	return f->payload + CHUNK_HEAD + c->n_rows * CHUNK_ROW;
}

static void
put_row(uint8_t *to, const struct chunk_row *r)
{
	put_le(to + ROW_AT_ORDINAL, r->ordinal, 8);
	put_le(to + ROW_AT_BEG, r->beg, 8);
	put_le(to + ROW_AT_N, r->n, 8);
	put_le(to + ROW_AT_OWN_BEG, r->own_beg, 8);
	put_le(to + ROW_AT_OWN_END, r->own_end, 8);
	put_le(to + ROW_AT_LENGTH, r->flags & CHUNK_LAST ? r->length : 0, 8);
	put_le(to + ROW_AT_NAME, r->name.n, 4);
	put_le(to + ROW_AT_DESC, desc_n(r), 4);
	put_le(to + ROW_AT_FLAGS, r->flags, 4);
	put_le(to + ROW_AT_FILE, r->file, 4);
}

/* Strings to `to`: as far as one lies behind the other, at once. */
struct strings {
	uint8_t *to;
	struct str have;	/* not there yet */
};

static void
put_string(struct strings *t, struct str s)
{
	if (s.n && t->have.n && s.p != t->have.p + t->have.n) {
		memcpy(t->to, t->have.p, t->have.n);
		t->to += t->have.n;
		t->have.n = 0;
	}
	if (s.n && !t->have.n)
		t->have.p = s.p;
	t->have.n += s.n;
}

/* Rows and their names; what flags of the frame they want. */
static uint16_t
put_rows(uint8_t *to, uint8_t *names, const struct chunk_raw *c)
{
	struct strings t = { .to = names };
	unsigned flags = 0;

	for (size_t i = 0; i < c->n_rows; i++, to += CHUNK_ROW) {
		const struct chunk_row *r = &c->row[i];

		put_row(to, r);
		put_string(&t, r->name);
		put_string(&t, (struct str){ r->desc.p, desc_n(r) });
		flags |= r->flags;
	}
	if (t.have.n)
		memcpy(t.to, t.have.p, t.have.n);
	return flags & CHUNK_CIRCULAR ? REC_CIRCULAR : 0;
}

/* Everything but letters and digest; exc and lower may be empty. */
static void
put_parts(struct rec_frame *f, const struct chunk_raw *c, const struct plan *p,
	  enum chunk_enc enc, bool rna, const struct buf *exc,
	  const struct buf *lower)
{
	uint64_t bytes = chunk_bytes(enc, places(p, enc));
	uint8_t *h = f->payload, *t = letters_of(f, c) + bytes;

	put_le(h + CHUNK_AT_ENC, enc, 4);
	put_le(h + CHUNK_AT_ROWS, c->n_rows, 4);
	put_le(h + CHUNK_AT_N, places(p, enc), 8);
	put_le(h + CHUNK_AT_OWNED, p->owned, 8);
	put_le(h + CHUNK_AT_BYTES, bytes, 8);
	put_le(h + CHUNK_AT_EXC, exc->n / CHUNK_RUN, 4);
	put_le(h + CHUNK_AT_LOWER, lower->n / CHUNK_RUN, 4);
	put_le(h + CHUNK_AT_HEAP, heap_n(p), 8);
	put_le(h + CHUNK_AT_FLAGS, (rna ? CHUNK_RNA : 0) |
	       (has_files(c) ? CHUNK_FILES : 0), 4);
	put_le(h + CHUNK_AT_ZERO, 0, 4);
	if (exc->n)
		memcpy(t, exc->p, exc->n);
	if (lower->n)
		memcpy(t + exc->n, lower->p, lower->n);
	t += exc->n + lower->n;
	memcpy(t, p->key.p, p->key.n);
	f->flags = put_rows(h + CHUNK_HEAD, t + p->key.n, c);
	f->flags |= REC_NAMED | REC_ADDS;
	f->n = (size_t)(t - h) + heap_n(p);
	memset(h + f->n, 0, (64 - f->n % 64) % 64);
	f->type = REC_CHUNK;
	f->records = (uint32_t)c->n_rows;
	f->run = c->run.id;
	f->serial = c->serial;
}

/* Runs that outgrew the room: the same frame, larger. */
static int
more_room(struct rec_frame **f, const struct chunk_raw *c,
	  const struct plan *p, enum chunk_enc enc, uint64_t runs,
	  struct err *e)
{
	struct rec_frame *old = *f;
	int rc = new_frame(f, c, p, enc, runs, e);

	if (rc == 0)
		memcpy(letters_of(*f, c), letters_of(old, c),
		       chunk_bytes(enc, p->n_packed));
	else
		*f = NULL;
	rec_frame_drop(old);
	return rc;
}

static bool
better_in_four(const struct packer *k, const struct plan *p)
{
	return !k->four && chunk_bytes(CHUNK_4BIT, p->n_packed) +
	    k->n_foreign * CHUNK_RUN <
	    chunk_bytes(CHUNK_2BIT, p->n_packed) + k->exc.n;
}

/* One attempt; *f stays NULL if it comes out too big. */
static int
attempt(struct rec_frame **f, const struct chunk_raw *c, const struct plan *p,
	struct packer *k, struct err *e)
{
	enum chunk_enc enc = k->four ? CHUNK_4BIT : CHUNK_2BIT;
	uint64_t bytes = chunk_bytes(enc, p->n_packed), slack, runs;
	enum pack_verdict v;
	int rc;

	*f = NULL;
	if (bytes > p->n_ascii)
		return 0;
	k->budget = p->n_ascii - bytes;
	slack = k->budget < RUN_SLACK ? k->budget : RUN_SLACK;
	rc = new_frame(f, c, p, enc, slack, e);
	if (rc < 0)
		return rc;
	k->letters = letters_of(*f, c);
	k->n_foreign = k->exc.n = k->lower.n = 0;
	v = pack_rows(k, c);
	runs = k->exc.n + k->lower.n;
	if (v == PACK_NO_MEMORY)
		rc = err_nomem(e, runs);
	else if (v == PACK_OK && !better_in_four(k, p)) {
		if (runs > slack)
			rc = more_room(f, c, p, enc, runs, e);
		if (rc == 0)
			put_parts(*f, c, p, enc, k->rna, &k->exc, &k->lower);
		return rc;
	}
	rec_frame_drop(*f);
	*f = NULL;
	if (v == PACK_HAS_U && !k->rna) {
		k->rna = true;
		return attempt(f, c, p, k, e);
	}
	return rc;
}

/* *f stays NULL if ASCII is smaller; else *sum is the digest. */
static int
encode_packed(struct rec_frame **f, const struct chunk_raw *c,
	      const struct plan *p, uint64_t *sum, struct err *e)
{
	struct packer k;
	int rc = 0;

	k.ops = dna_ops();
	memset(&k.exc, 0, sizeof k.exc);
	memset(&k.lower, 0, sizeof k.lower);
	memset(&k.order, 0, sizeof k.order);
	k.n_digested = 0;
	k.sum = 0;
	*f = NULL;
	for (int four = 0; rc == 0 && !*f && four < 2; four++) {
		k.four = four;
		k.rna = false;
		rc = attempt(f, c, p, &k, e);
	}
	*sum = k.sum;
	buf_free(&k.exc);
	buf_free(&k.lower);
	return rc;
}

/* Letters as they are; floats in little-endian order. */
static int
encode_plain(struct rec_frame **f, const struct chunk_raw *c,
	     const struct plan *p, struct err *e)
{
	static const struct buf none;
	enum chunk_enc enc = c->prob ? CHUNK_PROB : CHUNK_ASCII;
	size_t unit = c->prob ? 16 : 1;
	int rc = new_frame(f, c, p, enc, 0, e);
	uint8_t *to;

	if (rc < 0)
		return rc;
	to = letters_of(*f, c);
	for (size_t i = 0; i < c->n_rows; i++) {
		size_t n = c->row[i].n * unit;

		if (n)
			memcpy(to, c->letters + c->row[i].at * unit, n);
		for (size_t j = 0; c->prob && j < n; j += 4) {
			uint32_t x;

			memcpy(&x, to + j, 4);
			put_le(to + j, x, 4);
		}
		to += n;
	}
	put_parts(*f, c, p, enc, false, &none, &none);
	return 0;
}

/* The digest, from the letters given, or from floats as they are stored. */
static uint64_t
digest(const struct chunk_raw *c, const struct rec_frame *f)
{
	struct digest_order order = { 0 };
	uint64_t at = 0, sum = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		sum = digest_add(sum, row_digest(c, r, c->prob ?
				 letters_of(f, c) + at * 16 :
				 c->letters + r->at, &order));
		at += r->n;
	}
	return sum;
}

int
chunk_encode(struct rec_frame **f, const struct chunk_raw *c,
	     uint64_t *owned, uint64_t *sum, struct err *e)
{
	struct plan p = { 0 };
	int rc = plan(&p, c, e);

	*f = NULL;
	if (rc == 0 && !c->prob)
		rc = encode_packed(f, c, &p, sum, e);
	if (rc == 0 && !*f) {
		rc = encode_plain(f, c, &p, e);
		*sum = rc == 0 ? digest(c, *f) : 0;
	}
	if (rc == 0) {
		*owned = p.owned;
		put_le((*f)->payload + CHUNK_AT_DIGEST, *sum, 8);
	}
	buf_free(&p.key);
	return rc;
}
