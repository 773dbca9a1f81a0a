/* SPDX-License-Identifier: MIT */
/* sfi.c - making FILE.sfi; pieces of a file, read and checked by themselves */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/port.h"
#include "input/input.h"
#include "input/source_in.h"
#include "letters/letters.h"

struct sfi {
	char *path;
	int fd, index, gzi;	/* the file, FILE.sfi, FILE.gzi */
	unsigned kind;
	uint64_t size, text, n_prefix;
	struct sfi_sums sums;
	struct buf table;
	size_t first;		/* place of the first record in it */
	uint64_t blocks;	/* rows of FILE.gzi */
	_Atomic uint64_t n_read;
};

int
sfi_beside(struct buf *b, const char *path, const char *suffix, struct err *e)
{
	buf_printf(b, "%s%s", path, suffix);
	buf_u8(b, 0);
	return b->bad ? err_nomem(e, b->n) : 0;
}

bool
pread_all(int fd, void *p, size_t n, uint64_t at)
{
	uint8_t *to = p;

	while (n) {
		ssize_t got = pread(fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

bool
sfi_read_file(struct sfi *s, void *p, size_t n, uint64_t at)
{
	atomic_fetch_add_explicit(&s->n_read, n, memory_order_relaxed);
	return at <= s->size && n <= s->size - at &&
	       pread_all(s->fd, p, n, at);
}

const struct sfi_sums *
sfi_sums(const struct sfi *s)
{
	return &s->sums;
}

uint64_t
sfi_n_read(const struct sfi *s)
{
	return s->n_read;
}

void
sfi_close(struct sfi *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	if (s->index >= 0)
		close(s->index);
	if (s->gzi >= 0)
		close(s->gzi);
	buf_free(&s->table);
	free(s->path);
	free(s);
}

/* Records of the table. */

static uint64_t
prefixes(uint64_t n)
{
	return n ? (n - 1) / SFI_BLOCK : 0;
}

/* Where letter i of a record is in the text. */
static uint64_t
place(const struct sfi_record *r, uint64_t i)
{
	return i ? r->at + i / r->letters * r->bytes + i % r->letters : r->at;
}

/* Where its first n > 0 letters end; what is behind them, up to the next one,
 * belongs to the piece that begins there. */
static uint64_t
place_end(const struct sfi_record *r, uint64_t n)
{
	return place(r, n - 1) + 1;
}

bool
sfi_next(const struct sfi *s, struct sfi_place *p, struct sfi_record *r)
{
	size_t at = p->at ? p->at : s->first;
	struct cur c = cur_of(s->table.p + at, s->table.n - at);
	bool text = (s->kind & 3) != SFI_TWOBIT;
	uint64_t flags, gap;

	if (!cur_left(&c))
		return false;
	flags = cur_le(&c, 1);
	gap = cur_var(&c);
	*r = (struct sfi_record){ .number = p->number, .prefix = p->prefix,
				  .letters = p->letters, .bytes = p->bytes };
	r->head = p->end + gap;
	r->head_n = cur_var(&c);
	r->n = cur_var(&c);
	if (text && r->n && !(flags & 1)) {
		r->letters = cur_var(&c);
		r->bytes = cur_var(&c);
	}
	if (r->n > SFI_BLOCK || !text)
		r->name = cur_str(&c);
	/* blanks in front of the name end the description, and a newline */
	r->name_n = text ? r->head_n + 1 - flags / 2 % 4 : r->name.n;
	r->at = r->head + r->head_n + 2;
	*p = (struct sfi_place){
		.at = s->table.n - cur_left(&c),
		.end = !text ? r->head : r->n ? place_end(r, r->n) :
		       r->at - 1,
		.number = r->number + 1,
		.prefix = r->prefix + prefixes(r->n),
		.letters = r->letters, .bytes = r->bytes,
	};
	return !c.bad && (!text || !r->n || (r->letters && r->bytes));
}

/* Opening: what does not fit is no index. */

static int
no_use(const char *path, const char *what, char *why)
{
	snprintf(why, SFI_WHY, "%.200s.sfi %s: all of the file is read", path,
		 what);
	return 0;
}

/* The head, and whether FILE.sfi has the size it says. */
static bool
read_head(struct sfi *s, uint64_t index_size, uint64_t *table)
{
	uint8_t h[SFI_HEAD];
	uint64_t n;

	if (!pread_all(s->index, h, SFI_HEAD, 0) ||
	    memcmp(h, SFI_MAGIC, 8) != 0 ||
	    get_le(h + SFI_HEAD - 8, 8) != hash64(h, SFI_HEAD - 8, 0))
		return false;
	s->text = get_le(h + 16, 8);
	s->sums.records = get_le(h + 24, 8);
	s->sums.letters = get_le(h + 32, 8);
	s->sums.digest = get_le(h + 40, 8);
	s->sums.hash = get_le(h + 48, 8);
	n = get_le(h + 56, 8);
	s->n_prefix = get_le(h + 64, 8);
	s->kind = (unsigned)get_le(h + 72, 4);
	if (get_le(h + 8, 8) != s->size || n > index_size ||
	    (s->kind == SFI_PLAIN && s->text != s->size) ||
	    s->sums.records > index_size || s->n_prefix > index_size ||
	    index_size - SFI_HEAD !=
		n + 8 * (s->sums.records + s->n_prefix) ||
	    !buf_reserve(&s->table, (size_t)n + 1) ||
	    !pread_all(s->index, s->table.p, (size_t)n, SFI_HEAD))
		return false;
	s->table.n = (size_t)n;
	*table = get_le(h + 80, 8);
	return true;
}

static bool
read_names(struct sfi *s)
{
	struct cur c = cur_of(s->table.p, s->table.n);

	s->sums.first = cur_str(&c);
	s->sums.twice = cur_str(&c);
	s->first = s->table.n - cur_left(&c);
	return !c.bad;
}

/* FILE.gzi; its rows are read when they are wanted. */
static bool
open_gzi(struct sfi *s, const struct stat *file, struct err *e)
{
	struct buf name = { 0 };
	struct stat st;
	uint8_t n[8];
	int fd = -1;

	if (!sfi_beside(&name, s->path, ".gzi", e))
		fd = open((char *)name.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	buf_free(&name);
	s->gzi = fd;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    file_is_newer(file, &st) || st.st_size < 8 ||
	    !pread_all(fd, n, 8, 0))
		return false;
	s->blocks = get_le(n, 8);
	return st.st_size % 16 == 8 &&
	       s->blocks == (uint64_t)st.st_size / 16;
}

/* Are all records within the text, one behind the other? */
static bool
check_records(const struct sfi *s)
{
	bool text = (s->kind & 3) != SFI_TWOBIT;
	uint64_t most = text ? s->text : 4 * s->text, letters = 0, end;
	struct sfi_place p = { 0 };
	struct sfi_record r;

	while (p.at != s->table.n) {
		end = p.end;
		if (!sfi_next(s, &p, &r) || r.n > most || r.head < end ||
		    r.head_n > most || r.letters > most || r.bytes > most ||
		    r.bytes < r.letters || r.head >= s->text ||
		    p.end > s->text || p.end < r.head)
			return false;
		letters += r.n;
	}
	return p.number == s->sums.records && letters == s->sums.letters &&
	       p.prefix == s->n_prefix && s->sums.digest < DIGEST_P;
}

static int
load(struct sfi *s, char *why, struct err *e)
{
	struct buf name = { 0 };
	struct stat file, index;
	uint64_t table;
	int rc = sfi_beside(&name, s->path, ".sfi", e);

	if (!rc)
		s->index = open((char *)name.p, O_RDONLY | O_CLOEXEC |
				O_NONBLOCK);	/* a FIFO is none */
	buf_free(&name);
	if (rc || s->index < 0)
		return rc;
	s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &file) || fstat(s->index, &index) ||
	    !S_ISREG(file.st_mode) || !S_ISREG(index.st_mode))
		return 0;
	s->size = (uint64_t)file.st_size;
	if (file_is_newer(&file, &index))
		return no_use(s->path, "is older than the file", why);
	if (!read_head(s, (uint64_t)index.st_size, &table))
		return no_use(s->path, "is damaged, or of another file", why);
	if (hash64(s->table.p, s->table.n, 0) != table || !read_names(s) ||
	    !check_records(s))
		return no_use(s->path, "is damaged", why);
	if (s->kind == SFI_BGZF && !open_gzi(s, &file, e))
		return no_use(s->path, "is of no use without the .gzi of the "
			      "file", why);
	return 1;
}

int
sfi_open(struct sfi **out, const char *path, char why[SFI_WHY], struct err *e)
{
	struct sfi *s = calloc(1, sizeof *s);
	int rc;

	why[0] = '\0';
	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->fd = s->index = s->gzi = -1;
	s->path = strdup(path);
	rc = s->path ? load(s, why, e) : err_nomem(e, strlen(path));
	if (rc == 1)
		*out = s;
	else
		sfi_close(s);
	return rc;
}

/* Reading. */

static int
no_fit(const struct sfi *s, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s: %s.sfi is not of this file: make it "
		       "again (fasta-chunk --index), or remove it", s->path,
		       s->path);
}

/*
 * Where a block of bgzf begins, in the file and in the text.  The first one is
 * not in FILE.gzi; behind the last one is the end.
 */
struct block {
	uint64_t at, text;
};

static bool
block(const struct sfi *s, uint64_t i, struct block *b)
{
	uint8_t row[16] = { 0 };
	bool there = i == 0 || i > s->blocks ||
		     pread_all(s->gzi, row, 16, 8 + 16 * (i - 1));

	*b = i > s->blocks ? (struct block){ s->size, s->text } :
	     (struct block){ get_le(row, 8), get_le(row + 8, 8) };
	return there;
}

/* The one that holds byte `at` of the text. */
static bool
block_of(const struct sfi *s, uint64_t at, uint64_t *i)
{
	uint64_t lo = 0, hi = s->blocks + 1;
	struct block b;

	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (!block(s, mid, &b))
			return false;
		*(b.text <= at ? &lo : &hi) = mid;
	}
	*i = lo;
	return true;
}

/* Bytes [at, end) of what bgzf holds, at < end. */
static int
read_packed(struct sfi *s, uint64_t at, uint64_t end, struct buf *to,
	    struct err *e)
{
	uint64_t first, last;
	struct block a, b;
	struct buf in = { 0 };
	size_t n;
	int rc = 0;

	if (!block_of(s, at, &first) || !block_of(s, end - 1, &last) ||
	    !block(s, first, &a) || !block(s, last + 1, &b) ||
	    a.at >= b.at || b.at > s->size || a.text > at)
		return no_fit(s, e);
	n = (size_t)(b.at - a.at);
	if (!buf_reserve(&in, n))
		rc = err_nomem(e, n);
	else if (!sfi_read_file(s, in.p, n, a.at))
		rc = no_fit(s, e);
	if (!rc)
		rc = bgzf_cut(s->path, a.at, in.p, n, at - a.text,
			      end - a.text, to, e);
	buf_free(&in);
	return rc;
}

/* Bytes [at, end) of the text. */
static int
read_text(struct sfi *s, uint64_t at, uint64_t end, struct buf *to,
	  struct err *e)
{
	size_t n = (size_t)(end - at), was = to->n;
	int rc = 0;

	if (at > end || end > s->text)
		return no_fit(s, e);
	if (!buf_reserve(to, n + (s->kind == SFI_BGZF ? BGZF_MAX : 1)))
		return err_nomem(e, n);
	if (s->kind == SFI_BGZF && n)
		rc = read_packed(s, at, end, to, e);
	else if (!sfi_read_file(s, to->p + to->n, n, at))
		rc = no_fit(s, e);
	else
		to->n += n;
	return rc || to->n == was + n ? rc : no_fit(s, e);
}

/* Exactly `want` letters are in n bytes. */
static bool
put_letters(struct buf *to, const uint8_t *p, size_t n, uint64_t want)
{
	const struct dna_ops *ops = dna_ops();
	size_t i = 0, m = 0;

	if (want > n || !buf_reserve(to, (size_t)want + 64))
		return false;
	while (i < n) {
		size_t left = (size_t)want - m, kept;
		size_t most = n - i < left ? n - i : left;
		size_t k = ops->lines(p + i, most, to->p + to->n + m, &kept);

		i += k;
		m += kept;
		if (k == most && k)
			continue;
		/* also where all letters are there */
		if (i < n && p[i] == '\r' && i + 1 < n && p[i + 1] == '\n')
			i++;
		else if (i < n && p[i] == '\n')
			i++;
		else if (i < n)
			return false;
	}
	to->n += m;
	return m == want;
}

static bool
is_blank(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isspace(p[i]) || p[i] == '\v' || p[i] == '\f')
			return false;
	return true;
}

static bool
check_start(const uint8_t *p, size_t n)
{
	bool bom = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0;

	return is_blank(p + (bom ? 3 : 0), n - (bom ? 3 : 0));
}

/* A row's digest of FILE.sfi, or a prefix. */
static bool
stored(const struct sfi *s, uint64_t number, uint64_t *d)
{
	uint8_t b[8];
	bool there = number < s->sums.records + s->n_prefix &&
		     pread_all(s->index, b, 8, SFI_HEAD + s->table.n +
			       8 * number);

	*d = there ? get_le(b, 8) : 0;
	return there && *d < DIGEST_P;
}

/* What the letters before `at` count, a multiple of SFI_BLOCK. */
static bool
prefix(const struct sfi *s, const struct sfi_record *r, uint64_t at,
       uint64_t *d)
{
	*d = 0;
	return !at || stored(s, s->sums.records + r->prefix +
			     at / SFI_BLOCK - 1, d);
}

/* Letters of a record. */
struct piece {
	uint64_t beg, own, end;	/* wanted; owned from `own` on */
	uint64_t lo, hi;	/* read, so that digests are known */
};

static struct piece
widen(const struct sfi_record *r, uint64_t beg, uint64_t own, uint64_t end)
{
	uint64_t hi = (end + SFI_BLOCK - 1) / SFI_BLOCK * SFI_BLOCK;

	return (struct piece){ beg, own, end, beg / SFI_BLOCK * SFI_BLOCK,
			       hi < r->n ? hi : r->n };
}

/*
 * The letters of a piece, from lo on, are the last ones in `to`: are they those
 * of the record?  Then those behind what is wanted go again.
 */
static bool
check_letters(const struct sfi *s, const struct sfi_record *r,
	      const struct piece *c, struct str name, struct buf *to,
	      struct sfi_row *row)
{
	const uint8_t *p = to->p + to->n - (c->hi - c->lo);
	uint64_t d, all;

	if (!prefix(s, r, c->lo, &d))
		return false;
	row->before = (size_t)(c->beg - c->lo);
	row->digest = digest_letters(p + (c->own - c->lo),
				     (size_t)(c->end - c->own), c->own);
	d = digest_add(d, digest_letters(p, (size_t)(c->own - c->lo), c->lo));
	d = digest_add(d, row->digest);
	d = digest_add(d, digest_letters(p + (c->end - c->lo),
					 (size_t)(c->hi - c->end), c->end));
	to->n -= (size_t)(c->hi - c->end);
	if (c->hi < r->n)
		return prefix(s, r, c->hi, &all) && all == d;
	return stored(s, r->number, &all) &&
	       digest_named(name.p, name.n, true, d) == all;
}

/* The line of a record, to names; *name is there. */
static int
put_head(struct sfi *s, const struct sfi_record *r, const uint8_t *p,
	 struct buf *names, struct sfi_row *row, struct err *e)
{
	struct buf line = { 0 };
	struct str name = { 0 }, desc = { 0 };
	size_t n = (size_t)r->head_n;
	int rc = 0;

	buf_put(&line, p + 1, n);
	buf_reserve(&line, 1);
	if (line.bad)
		return err_nomem(e, n);
	if (p[0] != '>' || memchr(p + 1, '\n', n) ||
	    fasta_split(&line, &name, &desc) || line.bad ||
	    name.n + desc.n != r->name_n ||
	    (r->n > SFI_BLOCK && (r->name.n != name.n ||
				  memcmp(name.p, r->name.p, name.n) != 0)))
		rc = no_fit(s, e);
	if (!rc) {
		buf_put(names, name.p, name.n);
		buf_put(names, desc.p, desc.n);
		row->name = name.n;
		row->desc = desc.n;
		rc = names->bad ? err_nomem(e, n) : 0;
	}
	buf_free(&line);
	return rc;
}

/* One record: its line if it is there, its letters, and what is behind them up
 * to `next`, if these are its last ones. */
static int
put_record(struct sfi *s, const struct sfi_record *r, const struct piece *c,
	   const struct buf *text, uint64_t from, uint64_t next,
	   struct buf *letters, struct buf *names, struct sfi_row *row,
	   struct err *e)
{
	const uint8_t *t = text->p;
	size_t name_at = names->n;
	uint64_t a = c->lo ? place_end(r, c->lo) : r->at;
	uint64_t b = c->hi ? place_end(r, c->hi) : r->at;
	int rc = 0;

	if (!c->beg) {
		rc = put_head(s, r, t + (r->head - from), names, row, e);
		if (!rc && (r->n ? t[r->at - 1 - from] != '\n' :
			    next > r->at - 1 && t[r->at - 1 - from] != '\n'))
			rc = no_fit(s, e);
		if (!r->n)
			a = b = r->at - 1;
	} else {
		row->name = r->name.n;
		row->desc = 0;
		buf_put(names, r->name.p, r->name.n);
		rc = names->bad ? err_nomem(e, r->name.n) : 0;
	}
	if (rc)
		return rc;
	if (!put_letters(letters, t + (a - from), (size_t)(b - a),
			 c->hi - c->lo))
		return letters->bad ? err_nomem(e, (size_t)(b - a)) :
				      no_fit(s, e);
	if (c->hi == r->n &&
	    (!is_blank(t + (b - from), (size_t)(next - b)) ||
	     (next < s->text && (next == b || t[next - 1 - from] != '\n'))))
		return no_fit(s, e);
	return check_letters(s, r, c, (struct str){
		(char *)names->p + name_at, row->name }, letters, row) ? 0 :
	       no_fit(s, e);
}

/* Where the record behind begins, or the text ends. */
static uint64_t
next_head(const struct sfi *s, const struct sfi_place *p)
{
	struct sfi_place q = *p;
	struct sfi_record r;

	return sfi_next(s, &q, &r) ? r.head : s->text;
}

/* The text of records: of one, letters lo to hi alone. */
static int
read_records(struct sfi *s, const struct sfi_place *p, size_t n,
	     const struct sfi_record *first, const struct piece *c,
	     uint64_t *from, struct buf *text, struct err *e)
{
	struct sfi_place q = *p;
	struct sfi_record r;
	uint64_t end;

	*from = c->beg && c->lo ? place_end(first, c->lo) :
		c->beg ? first->at : first->number ? first->head - 1 : 0;
	if (c->hi < first->n)
		return read_text(s, *from, place_end(first, c->hi), text, e);
	while (n-- && sfi_next(s, &q, &r))
		;
	end = next_head(s, &q);
	return read_text(s, *from, end, text, e);
}

static int
read_fasta(struct sfi *s, struct sfi_place p, size_t n, uint64_t beg,
	   uint64_t own, uint64_t end, struct buf *letters,
	   struct buf *names, struct sfi_row *row, struct err *e)
{
	struct buf text = { 0 };
	struct sfi_place q = p;
	struct sfi_record r;
	struct piece c;
	uint64_t from = 0;
	int rc;

	if (!sfi_next(s, &q, &r))
		return no_fit(s, e);
	c = widen(&r, beg, own, n > 1 ? r.n : end);
	rc = read_records(s, &p, n, &r, &c, &from, &text, e);
	if (!rc && !c.beg && (r.number ? text.p[0] != '\n' :
			      !check_start(text.p, (size_t)r.head)))
		rc = no_fit(s, e);
	for (size_t i = 0; i < n && !rc; i++) {
		sfi_next(s, &p, &r);
		if (i)
			c = widen(&r, 0, 0, r.n);
		rc = put_record(s, &r, &c, &text, from, next_head(s, &p),
				letters, names, row + i, e);
	}
	buf_free(&text);
	return rc;
}

static uint64_t
number_of(const struct sfi *s, const uint8_t *p, unsigned bytes)
{
	uint64_t v = get_le(p, bytes);

	return !(s->kind & SFI_SWAPPED) ? v : bytes == 8 ?
	       __builtin_bswap64(v) : __builtin_bswap32((uint32_t)v);
}

/* Has the index of a 2bit file, n bytes, these names and places? */
static bool
same_places(const struct sfi *s, const uint8_t *p, size_t n)
{
	unsigned wide = number_of(s, p + 4, 4) == 1 ? 8 : 4;
	struct sfi_place q = { 0 };
	struct sfi_record r;
	size_t i = 16;

	while (sfi_next(s, &q, &r)) {
		size_t k = r.name.n;

		if (n - i < 1 + k + wide || p[i] != k ||
		    memcmp(p + i + 1, r.name.p, k) != 0 ||
		    number_of(s, p + i + 1 + k, wide) != r.head)
			return false;
		i += 1 + k + wide;
	}
	return number_of(s, p, 4) == 0x1a412743 &&
	       number_of(s, p + 4, 4) <= 1 &&
	       number_of(s, p + 8, 4) == s->sums.records;
}

/* Names are there alone: who reads the first record looks at all of them. */
static int
check_index(struct sfi *s, const struct sfi_record *first, struct err *e)
{
	size_t n = (size_t)first->head;
	uint8_t *p = n >= 16 ? malloc(n) : NULL;
	int rc = 0;

	if (n < 16)
		return no_fit(s, e);
	if (!p)
		return err_nomem(e, n);
	if (!sfi_read_file(s, p, n, 0) || !same_places(s, p, n))
		rc = no_fit(s, e);
	free(p);
	return rc;
}

static int
read_twobit(struct sfi *s, struct sfi_place p, size_t n, uint64_t beg,
	    uint64_t own, uint64_t end, struct buf *letters,
	    struct buf *names, struct sfi_row *row, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		size_t name_at = names->n;
		struct sfi_record r;
		struct piece c;
		struct str name;

		if (!sfi_next(s, &p, &r))
			return no_fit(s, e);
		c = n > 1 ? widen(&r, 0, 0, r.n) : widen(&r, beg, own, end);
		rc = r.number || beg ? 0 : check_index(s, &r, e);
		if (!rc)
			rc = twobit_cut(s, s->kind & SFI_SWAPPED, r.head, r.n,
					c.lo, c.hi, letters, e);
		if (rc > 0)
			rc = no_fit(s, e);
		name = r.name;
		buf_put(names, name.p, name.n);
		if (!rc && names->bad)
			rc = err_nomem(e, name.n);
		row[i] = (struct sfi_row){ .name = name.n };
		name.p = (char *)names->p + name_at;
		if (!rc && !check_letters(s, &r, &c, name, letters, row + i))
			rc = no_fit(s, e);
	}
	return rc;
}

int
sfi_read(struct sfi *s, struct sfi_place p, size_t n, uint64_t beg,
	 uint64_t own, uint64_t end, struct buf *letters, struct buf *names,
	 struct sfi_row *row, struct err *e)
{
	buf_reserve(letters, 64);
	buf_reserve(names, 1);
	if (letters->bad || names->bad)
		return err_nomem(e, 64);
	return (s->kind & 3) == SFI_TWOBIT ?
	       read_twobit(s, p, n, beg, own, end, letters, names, row, e) :
	       read_fasta(s, p, n, beg, own, end, letters, names, row, e);
}

/* Making FILE.sfi: records are added in order. */

enum { NAMES = 1 << 16 };	/* that are looked at for equal ones */

struct sfi_build {
	struct buf table, digests, prefixes;
	struct buf first, twice;	/* names */
	struct buf early;		/* the first letters */
	struct index names;		/* by two hashes */
	uint64_t records, letters, digest;
	struct digest_order order;
	/* the record */
	uint64_t head, head_n, n, sum;
	struct buf line;		/* its line; name points into it */
	struct str name, desc;
	/* those before */
	uint64_t end, line_letters, line_bytes;
	uint8_t block[SFI_BLOCK + 64];
	bool cr, odd, bad;		/* bad: no memory */
	bool twobit;
	struct stat file;		/* before it was read */
};

int
sfi_new(struct sfi_build **b, const char *path, struct err *e)
{
	*b = calloc(1, sizeof **b);
	if (!*b)
		return err_nomem(e, sizeof **b);
	if (stat(path, &(*b)->file))
		return err_set(e, ERR_IO, "%s:", path);
	return 0;
}

int
sfi_unchanged(const struct sfi_build *b, const char *path, struct err *e)
{
	const struct stat *was = &b->file;
	struct stat now;

	if (stat(path, &now))
		return err_set(e, ERR_IO, "%s:", path);
	if (now.st_size == was->st_size && now.st_ino == was->st_ino &&
	    now.st_dev == was->st_dev && !file_is_newer(&now, was) &&
	    !file_is_newer(was, &now))
		return 0;
	return err_set(e, ERR_FORMAT, "%s: it was changed while it was read: "
		       "make its index again", path);
}

void
sfi_free(struct sfi_build *b)
{
	if (!b)
		return;
	buf_free(&b->table);
	buf_free(&b->digests);
	buf_free(&b->prefixes);
	buf_free(&b->first);
	buf_free(&b->twice);
	buf_free(&b->early);
	buf_free(&b->line);
	index_free(&b->names);
	free(b);
}

/* Does the name come again? */
static void
note_name(struct sfi_build *b)
{
	uint64_t x = hash64(b->name.p, b->name.n, 0);
	uint64_t y = hash64(b->name.p, b->name.n, 1);

	if (b->records == 0)
		buf_put(&b->first, b->name.p, b->name.n);
	if (b->twice.n || b->records >= NAMES)
		return;
	if (index_number(&b->names, x, y))
		buf_put(&b->twice, b->name.p, b->name.n);
	else
		b->bad |= !index_set_number(&b->names, x, y, 1);
}

void
sfi_head(struct sfi_build *b, uint64_t at, const void *line, size_t n)
{
	b->head = at;
	b->head_n = n;
	b->n = b->sum = 0;
	b->cr = false;
	b->line.n = 0;
	buf_put(&b->line, line, n);
	buf_reserve(&b->line, 1);
	if (b->line.bad)
		return;
	b->odd |= fasta_split(&b->line, &b->name, &b->desc) != NULL;
	if (!b->line.bad && !b->odd)
		note_name(b);
}

/* Letters, which are none but those. */
static void
add(struct sfi_build *b, const uint8_t *p, size_t n)
{
	size_t k;

	if (b->early.n < SFI_HASHED)
		buf_put(&b->early, p, min_u64(n, SFI_HASHED - b->early.n));
	for (; n; p += k, n -= k) {
		if (b->n && b->n % SFI_BLOCK == 0)
			buf_u64(&b->prefixes, b->sum);
		k = min_u64(n, SFI_BLOCK - b->n % SFI_BLOCK);
		b->sum = digest_add(b->sum, digest_letters(p, k, b->n));
		b->n += k;
	}
}

void
sfi_bytes(struct sfi_build *b, const uint8_t *p, size_t n)
{
	const struct dna_ops *ops = dna_ops();
	size_t k, kept;

	for (; n && !b->odd; p += k, n -= k) {
		k = ops->lines(p, min_u64(n, SFI_BLOCK), b->block, &kept);
		b->odd |= b->cr && k;
		add(b, b->block, kept);
		if (k == 0) {
			b->odd |= b->cr || *p != '\r';
			b->cr = true;
			k = 1;
		}
	}
}

void
sfi_line_end(struct sfi_build *b)
{
	b->cr = false;
}

static void
put_lines(struct sfi_build *b, uint64_t letters, uint64_t bytes, bool same)
{
	if (same)
		return;
	/* a last line without newline has none of its own */
	b->odd |= letters == 0 || bytes <= letters || bytes - letters > 2;
	buf_var(&b->table, letters);
	buf_var(&b->table, bytes);
	b->line_letters = letters;
	b->line_bytes = bytes;
}

void
sfi_record_end(struct sfi_build *b, uint64_t at, uint64_t letters,
	       uint64_t bytes)
{
	bool same = letters == b->line_letters && bytes == b->line_bytes;
	size_t name_n = b->name.n + b->desc.n;
	uint64_t d;

	if (b->odd || b->line.bad)
		return;
	buf_u8(&b->table, (uint8_t)((b->head_n + 1 - name_n) << 1 | same));
	buf_var(&b->table, b->head - b->end);
	buf_var(&b->table, b->twobit ? 0 : b->head_n);
	buf_var(&b->table, b->n);
	if (b->twobit)
		b->end = b->head;
	else if (b->n)
		put_lines(b, letters, bytes, same);
	if (b->n > SFI_BLOCK || b->twobit)
		buf_str(&b->table, b->name.p, b->name.n);
	if (!b->twobit)
		b->end = !b->n ? b->head + 1 + b->head_n : b->odd ? at :
			 at + (b->n - 1) / letters * bytes +
			 (b->n - 1) % letters + 1;
	d = digest_named(b->name.p, b->name.n, true, b->sum);
	buf_u64(&b->digests, d);
	d = digest_mul(d, digest_order(&b->order, b->records));
	b->digest = digest_add(b->digest, d);
	b->letters += b->n;
	b->records++;
}

static void
build_head(struct buf *b, const struct sfi_build *s, const struct buf *table,
	 uint64_t size, enum sfi_kind kind, uint64_t text)
{
	buf_put(b, SFI_MAGIC, 8);
	buf_u64(b, size);
	buf_u64(b, text);
	buf_u64(b, s->records);
	buf_u64(b, s->letters);
	buf_u64(b, s->digest);
	buf_u64(b, hash64(s->early.p, s->early.n, 0));
	buf_u64(b, table->n);
	buf_u64(b, s->prefixes.n / 8);
	buf_u32(b, kind);
	buf_u32(b, 0);
	buf_u64(b, hash64(table->p, table->n, 0));
	if (!b->bad)
		buf_u64(b, hash64(b->p, SFI_HEAD - 8, 0));
}

int
sfi_write_beside(const char *path, const char *suffix, const struct buf *part,
		 size_t n, struct err *e)
{
	struct buf name = { 0 };
	struct out *o = NULL;
	int rc = sfi_beside(&name, path, suffix, e);

	if (!rc)
		rc = out_open(&o, (char *)name.p, e);
	for (size_t i = 0; i < n && !rc; i++)
		if (part[i].n)
			rc = out_write(o, part[i].p, part[i].n, e);
	if (o && !rc)
		rc = out_close(o, e);
	else if (o)
		out_abort(o);
	buf_free(&name);	/* errors name it */
	return rc;
}

/* One that is there is of no use any more. */
static int
remove_old(const char *path, struct err *e)
{
	struct buf name = { 0 };
	int rc = sfi_beside(&name, path, ".sfi", e);

	if (!rc)
		unlink((char *)name.p);
	buf_free(&name);
	return rc;
}

int
sfi_write(struct sfi_build *b, const char *path, enum sfi_kind kind,
	  uint64_t text, bool *odd, struct err *e)
{
	struct buf table = { 0 }, head = { 0 };
	int rc = sfi_unchanged(b, path, e);

	*odd = b->odd;
	if (rc || b->odd)
		return rc ? rc : remove_old(path, e);
	buf_str(&table, b->first.p, b->first.n);
	buf_str(&table, b->twice.p, b->twice.n);
	buf_put(&table, b->table.p, b->table.n);
	build_head(&head, b, &table, (uint64_t)b->file.st_size, kind, text);
	if (table.bad || head.bad || b->bad || b->line.bad || b->table.bad ||
	    b->first.bad || b->twice.bad || b->early.bad || b->digests.bad ||
	    b->prefixes.bad) {
		rc = err_nomem(e, table.n);
	} else {
		const struct buf parts[] = { head, table, b->digests,
					     b->prefixes };

		rc = sfi_write_beside(path, ".sfi", parts, 4, e);
	}
	buf_free(&table);
	buf_free(&head);
	return rc;
}

/* 2bit: places are those of its index, letters come as FASTA. */

static bool
get(FILE *f, unsigned bytes, bool swapped, uint64_t *v)
{
	uint8_t b[8];

	if (fread(b, 1, bytes, f) != bytes)
		return false;
	*v = get_le(b, bytes);
	if (swapped)
		*v = bytes == 8 ? __builtin_bswap64(*v) :
		     bytes == 4 ? __builtin_bswap32((uint32_t)*v) : *v;
	return true;
}

/* The decoder will say what is wrong with a file. */
static int
read_places(const char *path, struct buf *places, bool *swapped,
	    struct err *e)
{
	FILE *f = fopen(path, "re");
	uint64_t magic, version, n = 0, size, v;
	bool ok = f && get(f, 4, false, &magic);

	if (!f)
		return err_set(e, ERR_IO, "%s:", path);
	*swapped = ok && (magic & 0xff) == 0x1a;
	ok = ok && get(f, 4, *swapped, &version) && get(f, 4, *swapped, &n) &&
	     get(f, 4, *swapped, &v);
	while (ok && n-- && get(f, 1, false, &size) &&
	       fseek(f, (long)size, SEEK_CUR) == 0 &&
	       get(f, version == 1 ? 8 : 4, *swapped, &v))
		buf_u64(places, v);
	fclose(f);
	return places->bad ? err_nomem(e, places->n) : 0;
}

/* A record's line is its name. */
static int
add_letters(struct sfi_build *b, struct source *s, const struct buf *places,
	    struct err *e)
{
	struct fasta_piece p;
	struct fasta *f;
	size_t i = 0;
	int rc = fasta_new(&f, s, e);

	if (rc)
		return rc;
	while ((rc = fasta_next(f, &p, e)) > 0) {
		if (rc == FASTA_LETTERS) {
			add(b, p.letters, p.n);
			continue;
		}
		if (i)
			sfi_record_end(b, 0, 0, 0);
		b->odd |= i >= places->n || p.desc.n;
		if (b->odd)
			break;
		sfi_head(b, get_le(places->p + i, 8), p.name.p, p.name.n);
		i += 8;
	}
	if (!rc && i)
		sfi_record_end(b, 0, 0, 0);
	fasta_free(f);
	return rc < 0 ? rc : 0;
}

int
sfi_twobit(const char *path, bool *odd, struct err *e)
{
	struct sfi_build *b = NULL;
	struct source *s = NULL;
	struct buf places = { 0 };
	bool swapped = false;
	int rc = sfi_new(&b, path, e);

	if (!rc)
		rc = read_places(path, &places, &swapped, e);
	if (!rc)
		rc = source_open(&s, path, 1, e);
	if (!rc) {
		b->twobit = true;
		rc = add_letters(b, s, &places, e);
	}
	source_close(s);
	if (!rc)
		rc = sfi_write(b, path, swapped ? SFI_TWOBIT | SFI_SWAPPED :
			       SFI_TWOBIT, (uint64_t)b->file.st_size, odd, e);
	buf_free(&places);
	sfi_free(b);
	return rc;
}
