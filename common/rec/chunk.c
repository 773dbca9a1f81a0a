/* SPDX-License-Identifier: MIT */
/*
 * chunk.c - CHUNK payloads: checks, and the letters as they were in the input
 */

#include <stdlib.h>

#include "input/input.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* CHUNK payloads: checking and showing. */

/* Counts of the head, and the payload's sections. */
struct parts {
	uint64_t n_bytes, heap;
	const uint8_t *row, *letters, *exc, *lower;
	struct cur names;
};

static int
bad(const struct chunk *c, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "malformed CHUNK frame %llu: %s",
		       (unsigned long long)c->serial, what);
}

uint64_t
chunk_owned(const struct rec_frame *f)
{
	return f->type == REC_CHUNK && f->n >= CHUNK_HEAD ?
	       get_le(f->payload + CHUNK_AT_OWNED, 8) : 0;
}

static bool
packed(const struct chunk *c)
{
	return c->enc == CHUNK_2BIT || c->enc == CHUNK_4BIT;
}

/* The head, and that the sections fill the payload: no count is larger. */
static int
view_head(struct chunk *c, const struct rec_frame *f, struct parts *s,
	  struct err *e)
{
	const uint8_t *h = f->payload;
	struct cur p = cur_of(f->payload, f->n);
	uint64_t enc, flags;

	if (f->type != REC_CHUNK || !cur_take(&p, CHUNK_HEAD))
		return bad(c, "no head", e);
	enc = get_le(h + CHUNK_AT_ENC, 4);
	flags = get_le(h + CHUNK_AT_FLAGS, 4);
	c->enc = (enum chunk_enc)enc;
	c->n_rows = get_le(h + CHUNK_AT_ROWS, 4);
	c->n = get_le(h + CHUNK_AT_N, 8);
	c->owned = get_le(h + CHUNK_AT_OWNED, 8);
	c->digest = get_le(h + CHUNK_AT_DIGEST, 8);
	c->n_bytes = s->n_bytes = get_le(h + CHUNK_AT_BYTES, 8);
	c->n_exc = get_le(h + CHUNK_AT_EXC, 4);
	c->n_lower = get_le(h + CHUNK_AT_LOWER, 4);
	s->heap = get_le(h + CHUNK_AT_HEAP, 8);
	c->rna = flags & CHUNK_RNA;
	c->filed = flags & CHUNK_FILES;
	if (enc > CHUNK_PROB || flags > (CHUNK_RNA | CHUNK_FILES) ||
	    f->records != c->n_rows || get_le(h + CHUNK_AT_ZERO, 4))
		return bad(c, "unknown encoding or flags", e);
	if (!packed(c) && (c->rna || c->n_exc || c->n_lower))
		return bad(c, "runs in an encoding that has none", e);
	if (c->n > UINT32_MAX || s->n_bytes != chunk_bytes(c->enc, c->n))
		return bad(c, "its number of letters", e);
	s->row = cur_take(&p, (uint64_t)c->n_rows * CHUNK_ROW);
	s->letters = c->letters = cur_take(&p, s->n_bytes);
	s->exc = cur_take(&p, (uint64_t)c->n_exc * CHUNK_RUN);
	s->lower = cur_take(&p, (uint64_t)c->n_lower * CHUNK_RUN);
	s->names = p;
	return p.bad || cur_left(&p) != s->heap ? bad(c, "its size", e) : 0;
}

/* Is the row's own arithmetic right?  No sum of the test overflows. */
static bool
row_ok(const struct chunk_row *r, uint64_t desc_n, bool filed)
{
	if (r->n > UINT64_MAX - r->beg || r->flags & ~15u || !r->file == filed)
		return false;
	if (r->own_beg < r->beg || r->own_end < r->own_beg ||
	    r->own_end > r->beg + r->n)
		return false;
	if (desc_n && !(r->flags & CHUNK_FIRST))
		return false;
	if (r->flags & CHUNK_CIRCULAR && r->flags & CHUNK_LAST &&
	    r->own_beg == r->length)	/* behind the sequence's end */
		return r->beg + r->n - r->length <= r->length;
	return r->flags & CHUNK_LAST ? r->length >= r->beg + r->n :
	    r->length == 0;
}

/* The row stored at p, whose letters stand behind `end`. */
static int
view_row(struct chunk *c, struct chunk_row *r, const uint8_t *p,
	 uint64_t end, struct cur *names, struct err *e)
{
	uint64_t desc_n = get_le(p + ROW_AT_DESC, 4);

	r->ordinal = get_le(p + ROW_AT_ORDINAL, 8);
	r->beg = get_le(p + ROW_AT_BEG, 8);
	r->n = get_le(p + ROW_AT_N, 8);
	r->own_beg = get_le(p + ROW_AT_OWN_BEG, 8);
	r->own_end = get_le(p + ROW_AT_OWN_END, 8);
	r->length = get_le(p + ROW_AT_LENGTH, 8);
	r->flags = (unsigned)get_le(p + ROW_AT_FLAGS, 4);
	r->file = (uint32_t)get_le(p + ROW_AT_FILE, 4);
	r->at = chunk_next_at(c->enc, end);
	if (!row_ok(r, desc_n, c->filed) ||
	    (r->flags & CHUNK_CIRCULAR && !c->circular))
		return bad(c, "a row contradicts itself", e);
	/* at <= n + 63, both far below 2^64 */
	if (r->at > c->n || r->n > c->n - r->at)
		return bad(c, "a row leaves the letters", e);
	r->name.n = (size_t)get_le(p + ROW_AT_NAME, 4);
	r->name.p = (const char *)cur_take(names, r->name.n);
	r->desc.n = (size_t)desc_n;
	r->desc.p = (const char *)cur_take(names, desc_n);
	return names->bad ? bad(c, "a name leaves the heap", e) : 0;
}

static int
view_rows(struct chunk *c, const struct rec_frame *f, struct parts *s,
	  struct err *e)
{
	uint64_t owned = 0, end = 0;
	int rc;

	run_key_get(&s->names, f->run, &c->run);
	if (s->names.bad)
		return bad(c, "its run key", e);
	c->row = calloc(c->n_rows ? c->n_rows : 1, sizeof *c->row);
	if (!c->row)
		return err_nomem(e, c->n_rows * sizeof *c->row);
	for (size_t i = 0; i < c->n_rows; i++) {
		struct chunk_row *r = &c->row[i];

		rc = view_row(c, r, s->row + i * CHUNK_ROW, end, &s->names, e);
		if (rc < 0)
			return rc;
		end = r->at + r->n;
		owned += r->own_end - r->own_beg;
	}
	if (end != c->n || owned != c->owned || cur_left(&s->names))
		return bad(c, "its rows do not add up", e);
	return 0;
}

/* May a letter be an exception?  Other programs may skip what is none. */
static bool
exc_letter_ok(const struct chunk *c, uint8_t letter)
{
	if (letter == '*' || letter == '-' || letter == '.' ||
	    fasta_is_digit(letter))
		return true;
	if (letter < 'A' || letter > 'Z')
		return false;
	return c->enc == CHUNK_2BIT ? !strchr("ACGTU", letter) :
	    !dna_set(letter);
}

/* Runs ascend, are disjoint and not empty, and lie in the letters. */
static int
view_runs(const struct chunk *c, struct chunk_run **to, size_t n,
	  const uint8_t *p, bool exc, struct err *e)
{
	uint64_t from = 0;

	*to = n ? malloc(n * sizeof **to) : NULL;
	if (n && !*to)
		return err_nomem(e, n * sizeof **to);
	for (size_t i = 0; i < n; i++, p += CHUNK_RUN) {
		uint64_t beg = get_le(p, 4), len = get_le(p + 4, 4);
		struct chunk_run *r = &(*to)[i];

		r->letter = exc ? (uint8_t)(len >> 24) : 0;
		len = exc ? len & CHUNK_RUN_MAX : len;
		if (beg < from || !len || beg + len > c->n)
			return bad(c, "a run out of order", e);
		if (exc && !exc_letter_ok(c, r->letter))
			return bad(c, "an exception that is none", e);
		from = beg + len;
		r->beg = (uint32_t)beg;
		r->end = (uint32_t)from;
	}
	return 0;
}

/*
 * Places behind a row's last letter hold 0, as kernels expect; their bits of
 * the row's last unit are looked at.
 */
static bool
tail_ok(const struct chunk *c, const struct chunk_row *r)
{
	unsigned used = r->n % CHUNK_UNIT;
	uint64_t unit = (r->at + r->n) / CHUNK_UNIT;
	const uint8_t *p;

	if (!used)
		return true;
	if (c->enc == CHUNK_2BIT) {
		p = c->letters + unit * 16;
		return !((get_le(p, 8) | get_le(p + 8, 8)) >> used);
	}
	p = c->letters + unit * 32;
	if (used % 2 && p[used / 2] >> 4)
		return false;
	for (unsigned i = (used + 1) / 2; i < CHUNK_UNIT / 2; i++)
		if (p[i])
			return false;
	return true;
}

/* Planes hold 0 where an exception is. */
static bool
planes_ok(const struct chunk *c)
{
	for (size_t i = 0; i < c->n_exc; i++) {
		uint64_t at = c->exc[i].beg, end = c->exc[i].end;

		while (at < end) {
			const uint8_t *p = c->letters + at / 64 * 16;
			unsigned shift = at % 64, n = 64 - shift;

			if (end - at < n)
				n = (unsigned)(end - at);
			if ((get_le(p, 8) | get_le(p + 8, 8)) >> shift <<
			    (64 - n))
				return false;
			at += n;
		}
	}
	return true;
}

/*
 * Nibbles hold 0 where an exception is, and nowhere else in a row.  *next is
 * the first exception that may concern the row, then the one behind it.
 */
static bool
nibbles_ok(const struct chunk *c, const struct chunk_row *r, size_t *next)
{
	size_t x = *next;

	for (uint64_t i = r->at; i < r->at + r->n; i++) {
		bool zero = !(c->letters[i / 2] >> i % 2 * 4 & 15);

		while (x < c->n_exc && c->exc[x].end <= i)
			x++;
		if (zero != (x < c->n_exc && c->exc[x].beg <= i))
			return false;
	}
	*next = x;
	return true;
}

static bool
ascii_ok(const struct chunk *c)
{
	const struct dna_ops *ops = c->ops;
	size_t i = 0;

	while ((i += ops->valid(c->letters + i, c->n_bytes - i)) < c->n_bytes)
		if (!fasta_is_digit(c->letters[i++]))
			return false;
	return true;
}

static int
view_letters(const struct chunk *c, struct err *e)
{
	size_t next = 0;

	if (c->enc == CHUNK_ASCII && !ascii_ok(c))
		return bad(c, "a byte that is no letter", e);
	if (!packed(c))
		return 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		if (!tail_ok(c, &c->row[i]))
			return bad(c, "letters behind a row's end", e);
		if (c->enc == CHUNK_4BIT && !nibbles_ok(c, &c->row[i], &next))
			return bad(c, "its exceptions", e);
	}
	if (c->enc == CHUNK_2BIT && !planes_ok(c))
		return bad(c, "a letter where an exception is", e);
	return 0;
}

int
chunk_view(struct chunk *c, const struct rec_frame *f, struct err *e)
{
	struct parts s;
	int rc;

	memset(c, 0, sizeof *c);
	c->ops = dna_ops();
	c->serial = f->serial;
	c->kind = digest_kind(f->flags);
	c->circular = f->flags & REC_CIRCULAR;
	rc = view_head(c, f, &s, e);
	if (rc == 0)
		rc = view_rows(c, f, &s, e);
	if (rc == 0)
		rc = view_runs(c, &c->exc, c->n_exc, s.exc, true, e);
	if (rc == 0)
		rc = view_runs(c, &c->lower, c->n_lower, s.lower, false, e);
	if (rc == 0)
		rc = view_letters(c, e);
	if (rc < 0)
		chunk_free(c);
	return rc;
}

void
chunk_free(struct chunk *c)
{
	free(c->row);
	free(c->exc);
	free(c->lower);
	free(c->unrolled);
	memset(c, 0, sizeof *c);
}

/* Letters of a chunk as they were in the input. */

enum { TILE = 4096 };	/* letters; a multiple of 64 */

/* The first run that ends behind `place`. */
static size_t
first_run(const struct chunk_run *run, size_t n, uint64_t place)
{
	size_t lo = 0;

	while (n > 0) {
		if (run[lo + n / 2].end <= place) {
			lo += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return lo;
}

/* ACGT of places [beg, beg + n), by way of words in the machine's order. */
static void
letters_2bit(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	uint64_t words[TILE / 64 * 2];

	while (n) {
		size_t shift = beg % TILE;
		size_t take = n < TILE - shift ? (size_t)n : TILE - shift;
		size_t from = shift / 64 * 2;
		size_t n_words = dna_words(shift + take) - from;

		memcpy(words, c->letters + (beg - shift) / 4 + from * 8,
		       n_words * 8);
		for (size_t i = 0; i < n_words; i++)
			words[i] = le64(words[i]);
		c->ops->unpack(words, shift % 64, take, s);
		beg += take;
		n -= take;
		s += take;
	}
}

static void
letters_4bit(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	for (uint64_t i = beg; i < beg + n; i++)
		*s++ = (uint8_t)CHUNK_4BIT_LETTERS[
		    c->letters[i / 2] >> i % 2 * 4 & 15];
}

/* In words; * - . have the bit already. */
static void
to_lower(uint8_t *s, uint64_t n)
{
	uint64_t x;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&x, s, 8);
		x |= 0x2020202020202020;
		memcpy(s, &x, 8);
	}
	while (n)
		s[--n] |= 0x20;
}

/* What the packed letters do not say: U, exceptions, lower case. */
static void
touch_up(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	uint64_t end = beg + n;

	if (c->rna)
		for (uint64_t i = 0; i < n; i++)
			s[i] = s[i] == 'T' ? 'U' : s[i];
	for (size_t i = first_run(c->exc, c->n_exc, beg);
	     i < c->n_exc && c->exc[i].beg < end; i++) {
		const struct chunk_run *r = &c->exc[i];
		uint64_t a = r->beg < beg ? beg : r->beg;
		uint64_t b = r->end > end ? end : r->end;

		memset(s + (a - beg), r->letter, b - a);
	}
	for (size_t i = first_run(c->lower, c->n_lower, beg);
	     i < c->n_lower && c->lower[i].beg < end; i++) {
		const struct chunk_run *r = &c->lower[i];
		uint64_t a = r->beg < beg ? beg : r->beg;
		uint64_t b = r->end > end ? end : r->end;

		to_lower(s + (a - beg), b - a);
	}
}

void
chunk_letters(const struct chunk *c, const struct chunk_row *r, uint64_t from,
	      uint64_t n, uint8_t *s)
{
	uint64_t beg = r->at + from;

	switch (c->enc) {
	case CHUNK_2BIT:
		letters_2bit(c, beg, n, s);
		touch_up(c, beg, n, s);
		break;
	case CHUNK_4BIT:
		letters_4bit(c, beg, n, s);
		touch_up(c, beg, n, s);
		break;
	default:
		if (n)
			memcpy(s, c->letters + beg, n);
		break;
	}
}

/* The owned letters of a row as the digest takes them; t has room. */
static const uint8_t *
owned_letters(const struct chunk *c, const struct chunk_row *r, uint8_t *t,
	      size_t *n)
{
	uint64_t from = r->own_beg - r->beg, own = r->own_end - r->own_beg;

	*n = (size_t)own;
	if (c->enc == CHUNK_ASCII)
		return c->letters + r->at + from;
	if (c->enc == CHUNK_PROB) {
		*n *= 16;
		return c->letters + (r->at + from) * 16;
	}
	chunk_letters(c, r, from, own, t);
	return t;
}

uint64_t
chunk_row_digest(const struct chunk_row *r, enum digest_kind kind,
		 struct digest_order *o, const void *letters, size_t n,
		 bool prob)
{
	const struct digest_row d = {
		.kind = kind, .ordinal = r->ordinal, .own_beg = r->own_beg,
		.at = r->own_beg * (prob ? 16 : 1),
		.name = r->name,
	};

	return digest_row(&d, o, letters, n);
}

bool
chunk_digest_ok(const struct chunk *c, struct err *e)
{
	struct digest_order order = { 0 };
	uint64_t most = 0, sum = 0;
	uint8_t *t;

	for (size_t i = 0; i < c->n_rows; i++)
		if (c->row[i].n > most)
			most = c->row[i].n;
	t = malloc(most + 64);
	if (!t) {
		err_nomem(e, most + 64);
		return false;
	}
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		size_t n;
		const uint8_t *s = owned_letters(c, r, t, &n);

		sum = digest_more(c->kind, sum, chunk_row_digest(r, c->kind,
				  &order, s, n, c->enc == CHUNK_PROB));
	}
	free(t);
	if (sum == c->digest)
		return true;
	err_set(e, ERR_FORMAT, "CHUNK frame %llu: its letters or names do not "
		"fit its digest", (unsigned long long)c->serial);
	return false;
}

/* Circles, as far around as they are searched. */

static bool
is_circle(const struct chunk_row *r)
{
	const unsigned whole = CHUNK_CIRCULAR | CHUNK_FIRST | CHUNK_LAST;

	return (r->flags & whole) == whole && r->n && r->n == r->length &&
	       r->own_beg == 0 && r->own_end == r->n;
}

/* The row as a piece whose first letter stands at `at`; false: too long. */
static bool
unrolled_row(struct chunk_row *r, uint64_t context, uint64_t at)
{
	r->at = at;
	if (!is_circle(r))
		return true;
	if (context > UINT32_MAX)
		return false;
	r->own_beg = (context + r->length - 1) / r->length * r->length;
	r->own_end = r->own_beg + r->length;
	r->beg = r->own_beg - context;
	r->n = context + r->length;
	r->flags = CHUNK_CIRCULAR | CHUNK_LAST;
	return true;
}

/* Letters of the row `from` to those of the row `to`. */
static void
unroll_letters(const struct chunk *c, const struct chunk_row *from,
	       const struct chunk_row *to, uint8_t *letters)
{
	uint64_t ahead = to->n - from->n;
	uint8_t *s = letters + to->at;

	/* chunk_letters() may write 64 bytes more: the last one wins */
	chunk_letters(c, from, 0, from->n, s + ahead);
	for (uint64_t i = ahead; i-- > 0;)
		s[i] = s[i + from->n];
}

int
chunk_unroll(struct chunk *c, uint64_t context, struct err *e)
{
	struct chunk_row *row;
	uint64_t at = 0;
	uint8_t *letters = NULL;
	bool any = false, fits = true;

	for (size_t i = 0; i < c->n_rows; i++)
		any |= is_circle(&c->row[i]);
	if (!any || c->enc == CHUNK_PROB)
		return 0;
	row = malloc(c->n_rows * sizeof *row);
	if (!row)
		return err_nomem(e, c->n_rows * sizeof *row);
	for (size_t i = 0; i < c->n_rows && fits; i++) {
		row[i] = c->row[i];
		fits = unrolled_row(&row[i], context, at);
		at += row[i].n;	/* 2^32 rows of 2^33 letters at most */
	}
	if (fits && at < SIZE_MAX - 64)
		letters = malloc(at + 64);
	if (!letters) {
		free(row);
		return fits ? err_nomem(e, at) :
		       err_set(e, ERR_LIMIT, "chunk %llu: too much context "
			       "around a circle",
			       (unsigned long long)c->serial);
	}
	for (size_t i = 0; i < c->n_rows; i++)
		unroll_letters(c, &c->row[i], &row[i], letters);
	free(c->row);
	free(c->exc);
	free(c->lower);
	c->row = row;
	c->exc = c->lower = NULL;
	c->n_exc = c->n_lower = 0;
	c->enc = CHUNK_ASCII;
	c->rna = false;
	c->n = c->n_bytes = at;
	c->letters = c->unrolled = letters;
	return 0;
}
