/* SPDX-License-Identifier: MIT */
/*
 * sfi.h - FILE.sfi: where the records of a file lie, and digests of them
 *
 * With it pieces of plain FASTA, of bgzf (with its .gzi) and of 2bit are read
 * by themselves, and END is known without the rest: digests of letters and
 * names add up (base/hash.h), whatever the chunks.  All letters that are
 * read are held against digests, as far as the next multiples of SFI_BLOCK; so
 * of a file that was changed behind its index either the letters are right, or
 * reading them is an error.
 *
 *	at  size   (numbers are little-endian)
 *	 0   8  "SEQFSFI" 01
 *	 8  u64 bytes of the file
 *	16  u64 bytes of its text, or of 2bit of the file
 *	24  u64 records
 *	32  u64 letters
 *	40  u64 digest of all, as the file's records were 0, 1, ...
 *	48  u64 XXH64, seed 0, of the first 64 KiB of letters
 *	56  u64 bytes of the table
 *	64  u64 prefixes
 *	72  u32 0 plain, 1 bgzf, 2 2bit; 4 more: 2bit, bytes are swapped
 *	76  u32 0
 *	80  u64 XXH64 of the table
 *	88  u64 XXH64 of the 88 bytes before
 *	96  the table: str first record's name, str a name that came twice, then
 *	    of each record
 *		u8  1: lines as those of the record before; 2 k: k - 1 blanks
 *		    of the line are in front of the name
 *		var bytes between the letters of the record before and its >;
 *		    2bit: between their places
 *		var bytes of its line, without > and newline
 *		var letters
 *		var letters and
 *		var bytes of a line, unless as before, or there are no letters
 *		str name, if it has more than SFI_BLOCK letters, or of 2bit
 *	    u64 of each record its digest, as if its ordinal were 0
 *	    u64 of each record, for each multiple of SFI_BLOCK within, what the
 *		letters before count
 */
#ifndef SEQF_INPUT_SFI_H
#define SEQF_INPUT_SFI_H

#include "base/base.h"

enum { SFI_BLOCK = 1024, SFI_HASHED = 64 << 10 };

struct sfi;
struct sfi_sums {
	uint64_t records, letters, digest;
	uint64_t hash;			/* of the first SFI_HASHED letters */
	struct str first, twice;	/* names; twice: if one came again */
};
/*
 * 1: the file of that path has one, and it is open; 0: there is none, or none
 * of use: then why[] says why one that is there is not, or is empty.  Or
 * ERR_NOMEM.
 */
enum { SFI_WHY = 300 };
int sfi_open(struct sfi **s, const char *path, char why[SFI_WHY],
	     struct err *e);
void sfi_close(struct sfi *s);
const struct sfi_sums *sfi_sums(const struct sfi *s);
uint64_t sfi_n_read(const struct sfi *s);	/* bytes of the file */

/* The place of a record in the table; zeros are those of the first one. */
struct sfi_place {
	size_t at;			/* in the table */
	uint64_t end;			/* of the letters before, in the text */
	uint64_t number, prefix;
	uint64_t letters, bytes;	/* of a line before */
};
struct sfi_record {
	uint64_t number, prefix;	/* its number; of its first prefix */
	uint64_t head, head_n;		/* its > in the text; its line */
	uint64_t name_n;		/* bytes of name and description */
	uint64_t n;			/* letters */
	uint64_t at, letters, bytes;	/* the first one; those of a line */
	struct str name;		/* if n > SFI_BLOCK, or of 2bit */
};
/* The record there; p moves to the next one.  false: there is none. */
bool sfi_next(const struct sfi *s, struct sfi_place *p, struct sfi_record *r);

/*
 * Letters of n records from p on, whole ones; or of one of more than SFI_BLOCK
 * letters, [beg, end), which owns those from `own` on; they are appended, and
 * names and descriptions, and row[] says what is of which.  Of a piece behind a
 * record's begin there is no description.  Any threads.  ERR_FORMAT if the file
 * is another one.
 */
struct sfi_row {
	size_t name, desc;	/* bytes */
	size_t before;		/* letters in front that are not wanted */
	uint64_t digest;	/* digest_letters() of what it owns */
};
int sfi_read(struct sfi *s, struct sfi_place p, size_t n, uint64_t beg,
	     uint64_t own, uint64_t end, struct buf *letters,
	     struct buf *names, struct sfi_row *row, struct err *e);

/* Making one. */
struct sfi_build;
enum sfi_kind { SFI_PLAIN, SFI_BGZF, SFI_TWOBIT, SFI_SWAPPED = 4 };
/* Before the file is read. */
int sfi_new(struct sfi_build **b, const char *path, struct err *e);
/* ERR_IO: the file has changed since. */
int sfi_unchanged(const struct sfi_build *b, const char *path, struct err *e);
void sfi_free(struct sfi_build *b);
/* A record begins: the place of its >, and the line behind that. */
void sfi_head(struct sfi_build *b, uint64_t at, const void *line, size_t n);
/* Bytes of a line of letters, and its end. */
void sfi_bytes(struct sfi_build *b, const uint8_t *p, size_t n);
void sfi_line_end(struct sfi_build *b);
/* It ends; its first letter in the text, and those of a line. */
void sfi_record_end(struct sfi_build *b, uint64_t at, uint64_t letters,
		    uint64_t bytes);
/* Beside the file, unless lines hold what is no letter: *odd. */
int sfi_write(struct sfi_build *b, const char *path, enum sfi_kind kind,
	      uint64_t text, bool *odd, struct err *e);
/* Of a 2bit file. */
int sfi_twobit(const char *path, bool *odd, struct err *e);

#endif
