/* SPDX-License-Identifier: MIT */
/* sfi_build.c - making FILE.sfi: records are added in order */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/port.h"
#include "input/fasta.h"
#include "input/sfi.h"
#include "input/sfi_in.h"
#include "input/source.h"
#include "letters/letters.h"

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
put_head(struct buf *b, const struct sfi_build *s, const struct buf *table,
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
	put_head(&head, b, &table, (uint64_t)b->file.st_size, kind, text);
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
