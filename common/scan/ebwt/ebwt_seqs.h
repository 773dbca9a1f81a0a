/* SPDX-License-Identifier: MIT */
/*
 * ebwt_seqs.h - whole sequences, put together from the chunks of a stream
 *
 * Chunks may come in any order, and more than once.  Letters become upper
 * case, U becomes T.  Not thread-safe but for ebwt_seqs_decode().
 */
#ifndef SEQF_SCAN_EBWT_EBWT_SEQS_H
#define SEQF_SCAN_EBWT_EBWT_SEQS_H

#include "input/input.h"
#include "scan/scan.h"

struct ebwt_seq {
	uint32_t run;		/* index in whole.run; of queries 0 */
	bool prob;		/* a matrix: 4 floats a position */
	uint32_t file;		/* number among those of the run, from 1; 0: not
				   known */
	uint64_t ordinal;
	struct str name;
	struct str full;	/* the whole header, if such are wanted; else
				   the name */
	uint64_t n;		/* letters, or positions; 1 at least */
	const uint8_t *letters;	/* or the floats; NULL: they are in a file */
	size_t part;		/* what it is called there */
};

/* What a sequence takes beside its letters, roughly: what is kept of it, in
 * arrays that grow and in tables, and memory that it does not fill. */
enum { EBWT_SEQ_BYTES = 300 };

struct ebwt_seqs;
/*
 * most: bytes in memory at most; 0: any number.  Letters beyond `resident`
 * bytes, if not 0, go to a temporary file, but for matrices.  full: headers are
 * wanted.
 */
int ebwt_seqs_new(struct ebwt_seqs **s, uint64_t most, uint64_t resident,
		  bool full, struct err *e);
void ebwt_seqs_free(struct ebwt_seqs *s);
/* The letters that a CHUNK frame owns, row by row; its digest is checked.
 * Any thread. */
int ebwt_seqs_decode(const struct rec_frame *f, struct buf *letters,
		     struct err *e);
/* A CHUNK frame with those.  ERR_LIMIT for more than `most`. */
int ebwt_seqs_add(struct ebwt_seqs *s, const struct rec_frame *f,
		  const struct buf *letters, struct err *e);
/* Any frame, NULL for damage: for ebwt_seqs_whole(). */
int ebwt_seqs_see(struct ebwt_seqs *s, const struct rec_frame *f,
		  struct err *e);
/*
 * No more chunks: *v becomes all sequences by run and ordinal, as long as s
 * lives.  ERR_INCOMPLETE if one lacks letters, ERR_FORMAT if one has none;
 * either names it.
 */
int ebwt_seqs_finish(struct ebwt_seqs *s, const struct ebwt_seq **v, size_t *n,
		     struct err *e);
/* From now on all letters are in the file; sequences that were handed out, too.
 * ERR_IO, ERR_NOMEM. */
int ebwt_seqs_spill(struct ebwt_seqs *s, struct err *e);
bool ebwt_seqs_spilled(const struct ebwt_seqs *s);
/* A sequence's letters from there, n of them.  Not thread-safe. */
int ebwt_seqs_load(struct ebwt_seqs *s, const struct ebwt_seq *q, uint8_t *to,
		   struct err *e);
/* ERR_INCOMPLETE unless all chunks of all runs came. */
int ebwt_seqs_whole(struct ebwt_seqs *s, struct err *e);
/* After ebwt_seqs_finish(): the sequence, or NULL. */
const struct ebwt_seq *ebwt_seqs_find(const struct ebwt_seqs *s, uint64_t run,
				      uint64_t ordinal);
/* The names of a run's files, by their numbers less 1: *file is free()d by the
 * caller, the names live as long as s.  ERR_FORMAT if two BEGINs differ. */
int ebwt_seqs_files(const struct ebwt_seqs *s, uint32_t run, struct str **file,
		    size_t *n, struct err *e);
/* ERR_FORMAT if a run has files, but no chunk; names the first of them. */
int ebwt_seqs_no_empty(const struct ebwt_seqs *s, struct err *e);
/* The runs, and what of them came. */
const struct whole *ebwt_seqs_runs(const struct ebwt_seqs *s);

/* Queries as such; *v is free()d by the caller, letters are the queries' own,
 * which are brought to upper case.  full: as above; names holds the headers. */
int ebwt_seqs_queries(struct queries *q, bool full, struct buf *names,
		      struct ebwt_seq **v, struct err *e);

#endif
