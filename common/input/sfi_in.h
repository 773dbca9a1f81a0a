/* SPDX-License-Identifier: MIT */
/* sfi_in.h - what the files of sfi.h and the decoders share */
#ifndef SEQF_INPUT_SFI_IN_H
#define SEQF_INPUT_SFI_IN_H

#include "input/sfi.h"

#define SFI_MAGIC "SEQFSFI\1"
enum { SFI_HEAD = 96 };

/* path and suffix, with NUL. */
int sfi_beside(struct buf *b, const char *path, const char *suffix,
	       struct err *e);
/* The parts, one behind the other, to path and suffix. */
int sfi_write_beside(const char *path, const char *suffix,
		     const struct buf *part, size_t n, struct err *e);
/* n bytes, all of them. */
bool pread_all(int fd, void *p, size_t n, uint64_t at);
bool sfi_read_file(struct sfi *s, void *p, size_t n, uint64_t at);

/*
 * Of blocks of bgzf, whose first one stands at `offset` of the file: bytes
 * [at, end) of what is in them are appended.  (gzip.c)
 */
int bgzf_cut(const char *name, uint64_t offset, const uint8_t *p, size_t n,
	     uint64_t at, uint64_t end, struct buf *to, struct err *e);
/*
 * Letters [lo, hi) of the record of a 2bit file that stands at `at` and has n
 * of them are appended; 1: no such record.  (twobit.c)
 */
int twobit_cut(struct sfi *s, bool swapped, uint64_t at, uint64_t n,
	       uint64_t lo, uint64_t hi, struct buf *to, struct err *e);

#endif
