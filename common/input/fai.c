/* SPDX-License-Identifier: MIT */
/*
 * fai.c - FILE.fai of FASTA, and FILE.gzi of bgzf, as samtools faidx has them
 * Source: faidx(5) of samtools, and what samtools 1.16 writes.
 */

#include <stdlib.h>

#include "base/base.h"
#include "input/fai.h"
#include "input/fasta.h"
#include "input/sfi.h"
#include "input/sfi_in.h"
#include "input/source.h"

struct fai {
	struct source *s;
	struct fai_left *left;
	struct sfi_build *sums;
	enum { BETWEEN, HEADER, SEQUENCE, LINE } state;
	uint64_t line;			/* from 1 */
	struct buf head, out;		/* the header line; rows */
	struct str name;		/* in head */
	/* the sequence: its > and first letter in the file, letters, its first
	 * line's letters and bytes; the line at hand's */
	uint64_t begin, at, n, letters, bytes, line_letters, line_bytes;
	struct index names;		/* by two hashes */
};

static int
bad(const struct fai *f, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s:%llu: %.*s%s%s: no index",
		       source_name(f->s), (unsigned long long)f->line,
		       f->name.n < 200 ? (int)f->name.n : 200,
		       f->name.n ? f->name.p : "", f->name.n ? ": " : "", what);
}

static void
leave_out(const struct fai *f, uint64_t *n, char *first, size_t room)
{
	size_t k = f->name.n < room ? f->name.n : room - 1;

	if ((*n)++)
		return;
	memcpy(first, f->name.p, k);
	first[k] = '\0';
}

/* A sequence ends; it may have no letters. */
static int
put_row(struct fai *f, struct err *e)
{
	uint64_t a = hash64(f->name.p, f->name.n, 0);
	uint64_t b = hash64(f->name.p, f->name.n, 1);
	struct fai_left *l = f->left;

	sfi_record_end(f->sums, f->at, f->letters, f->bytes);
	if (!f->bytes) {
		leave_out(f, &l->n_empty, l->empty, sizeof l->empty);
		return 0;
	}
	if (index_number(&f->names, a, b)) {
		leave_out(f, &l->n_twice, l->twice, sizeof l->twice);
		return 0;
	}
	if (!index_set_number(&f->names, a, b, 1))
		return err_nomem(e, f->out.n);
	buf_put(&f->out, f->name.p, f->name.n);
	buf_printf(&f->out, "\t%llu\t%llu\t%llu\t%llu\n",
		   (unsigned long long)f->n, (unsigned long long)f->at,
		   (unsigned long long)f->letters,
		   (unsigned long long)f->bytes);
	return f->out.bad ? err_nomem(e, f->out.n) : 0;
}

static bool
is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The name is what is between blanks; the letters begin behind the line. */
static void
end_header(struct fai *f)
{
	size_t i = 0, end;

	while (i < f->head.n && is_space(f->head.p[i]))
		i++;
	for (end = i; end < f->head.n && !is_space(f->head.p[end]);)
		end++;
	f->name = (struct str){ (char *)f->head.p + i, end - i };
	f->at = source_offset(f->s);
	sfi_head(f->sums, f->begin, f->head.p, f->head.n);
	f->n = f->letters = f->bytes = 0;
	f->state = SEQUENCE;
	f->line++;
}

static int
end_line(struct fai *f, struct err *e)
{
	uint64_t bytes = f->line_bytes + 1;	/* also of a last line */

	sfi_line_end(f->sums);
	f->n += f->line_letters;
	if (!f->bytes) {
		f->bytes = bytes;
		f->letters = f->line_letters;
	}
	if (bytes > f->bytes)
		return bad(f, "a line longer than the first one", e);
	f->state = bytes < f->bytes ? BETWEEN : SEQUENCE;
	f->line++;
	return 0;
}

/* A line begins with p[0]; all of its bytes but > are still to come. */
static int
begin_line(struct fai *f, const uint8_t *p, size_t n, struct err *e)
{
	int rc = 0;

	if (p[0] == '>') {
		f->begin = source_offset(f->s);
		source_skip(f->s, 1);
		rc = f->name.p ? put_row(f, e) : 0;
		f->head.n = f->name.n = 0;
		f->state = HEADER;
	} else if (p[0] == '\n') {
		source_skip(f->s, 1);
		f->line++;
		f->state = BETWEEN;
	} else if (f->state == SEQUENCE) {
		f->line_letters = f->line_bytes = 0;
		f->state = LINE;
	} else if (p[0] == '\r') {
		rc = source_peek(f->s, 2, &p, &n, e);
		if (!rc && (n < 2 || p[1] != '\n'))
			rc = bad(f, "a CR without newline", e);
		source_skip(f->s, rc ? 0 : 1);
	} else if (p[0] == '@' && !f->name.p) {
		rc = bad(f, "FASTQ (samtools fqidx makes one)", e);
	} else {
		rc = bad(f, f->name.p ? "a line behind one that is shorter "
			 "than the first" : "no FASTA", e);
	}
	return rc;
}

static size_t
count_graph(const uint8_t *p, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += (uint8_t)(p[i] - '!') <= '~' - '!';
	return k;
}

/* Some bytes of a header or of letters, up to the newline. */
static int
go_on(struct fai *f, const uint8_t *p, size_t n, struct err *e)
{
	const uint8_t *end = memchr(p, '\n', n);
	size_t k = end ? (size_t)(end - p) : n;

	if (f->state == LINE) {
		f->line_bytes += k;
		f->line_letters += count_graph(p, k);
		sfi_bytes(f->sums, p, k);
	} else {
		buf_put(&f->head, p, k);
		buf_reserve(&f->head, 1);
		if (f->head.bad)
			return err_nomem(e, f->head.n + k);
		if (f->head.n > FASTA_MAX_HEADER || memchr(p, 0, k))
			return bad(f, "a NUL in a header, or one of more than "
				   "16 MiB", e);
	}
	source_skip(f->s, k + (end != NULL));
	if (!end)
		return 0;
	if (f->state == LINE)
		return end_line(f, e);
	end_header(f);
	return 0;
}

static int
scan(struct fai *f, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc;

	while (!(rc = source_peek(f->s, 1, &p, &n, e)) && n && !rc) {
		rc = f->state == LINE || f->state == HEADER ?
		     go_on(f, p, n, e) : begin_line(f, p, n, e);
		if (rc)
			return rc;
	}
	if (!rc && f->state == LINE)
		rc = end_line(f, e);
	if (!rc && (f->state == HEADER || !f->name.p || !f->bytes))
		rc = bad(f, "no letters at the end", e);
	return rc ? rc : put_row(f, e);
}

/* Where blocks begin, in the file and in what is in them; those without bytes
 * and the first one are left out. */
static int
write_gzi(const char *path, const struct buf *blocks, struct err *e)
{
	struct buf b = { 0 };
	uint64_t n = 0, at = 0;
	int rc;

	buf_u64(&b, 0);
	for (size_t i = 0; i < blocks->n; i += 16) {
		uint64_t size = get_le(blocks->p + i + 8, 8);

		if (size && at) {
			buf_put(&b, blocks->p + i, 8);
			buf_u64(&b, at);
			n++;
		}
		at += size;
	}
	if (b.bad || blocks->bad)
		return buf_free(&b), err_nomem(e, blocks->n);
	put_le(b.p, n, 8);
	rc = sfi_write_beside(path, ".gzi", &b, 1, e);
	buf_free(&b);
	return rc;
}

/* BAM is seen as such in its first bytes. */
static int
check_kind(struct source *s, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = source_peek(s, 1, &p, &n, e);

	if (rc || source_kind(s) == SOURCE_PLAIN ||
	    source_kind(s) == SOURCE_BGZF)
		return rc;
	return err_set(e, ERR_FORMAT, "%s: only plain FASTA, or compressed by "
		       "bgzip, and 2bit have an index", source_name(s));
}

int
fai_build(const char *path, unsigned threads, struct fai_left *left,
	  struct err *e)
{
	struct fai f = { .line = 1, .left = left };
	struct buf blocks = { 0 };
	int rc = sfi_new(&f.sums, path, e);
	bool packed = false;
	uint64_t text = 0;

	memset(left, 0, sizeof *left);
	if (!rc)
		rc = source_open_blocks(&f.s, path, threads, &blocks, e);
	if (!rc && source_kind(f.s) == SOURCE_TWOBIT) {
		source_close(f.s);
		sfi_free(f.sums);
		buf_free(&blocks);
		return sfi_twobit(path, &left->odd, e);
	}
	if (!rc)
		rc = check_kind(f.s, e);
	if (!rc) {
		packed = source_kind(f.s) == SOURCE_BGZF;
		rc = scan(&f, e);
		text = source_offset(f.s);
	}
	source_close(f.s);
	if (!rc)
		rc = sfi_unchanged(f.sums, path, e);
	if (!rc && packed)
		rc = write_gzi(path, &blocks, e);
	if (!rc)
		rc = sfi_write_beside(path, ".fai", &f.out, 1, e);
	if (!rc)
		rc = sfi_write(f.sums, path, packed ? SFI_BGZF : SFI_PLAIN,
			       text, &left->odd, e);
	sfi_free(f.sums);
	buf_free(&f.head);
	buf_free(&f.out);
	buf_free(&blocks);
	index_free(&f.names);
	return rc;
}
