/* SPDX-License-Identifier: MIT */
/* feed_in.h - inside of a feed: operands to letters to raw chunks */
#ifndef SEQF_FLOW_FEED_IN_H
#define SEQF_FLOW_FEED_IN_H

#include "flow/flow.h"
#include "input/input.h"

enum {
	FEED_HASHED = 64 << 10,		/* bytes of letters in a run's hash */
	FEED_EARLY = 128 << 20,		/* bytes kept until they are there */
	FEED_ROWS = 16 << 10,		/* records of a chunk at most */
	FEED_NAMES = 1 << 20,		/* bytes of their names, about */
	FEED_MAX_LEN = 1 << 30,		/* of -L and -W */
	FEED_KNOWN = 1 << 16,		/* names that are compared */
};

/* A run of text operands; lives as long as the feed. */
struct feed_run {
	struct feed_run *next;
	struct run_key key;		/* its strings are the bufs' */
	struct buf base, first;
	/* feed_account()'s sums */
	uint64_t chunks, owned, digest;
	bool planned;			/* they are feed_plan.c's */
	/* known when all is cut */
	uint64_t sequences;
};

/* Where feed_plan.c finds a row. */
struct plan_from {
	struct sfi *s;
	struct sfi_place place;
};

/* A chunk to be encoded; END has no rows. */
struct feed_cut {
	struct feed_run *run;
	struct cut_memory **spare;	/* the cutter's */
	struct chunk_raw raw;		/* row: malloc()ed */
	size_t rows_cap;
	struct buf letters;
	struct buf names;	/* name, description, name, ... of the rows */
	struct plan_from *from;	/* of each row, whose letters are still in
				   files; or NULL */
	size_t from_cap;
};

/*
 * The chunker.  Letters of a record are put into the open row; items come out
 * as they are complete.  What is cut where depends on lengths only, not on
 * the portions in which letters come.
 */
enum { CUT_SPARE = 16 };
struct cutter {
	uint64_t own, context;
	/* of cuts that were encoded, for the next ones: any thread */
	struct cut_memory *spare[CUT_SPARE];
	struct feed_run *run;
	struct feed_cut *cut;		/* being filled, or NULL */
	uint64_t serial;
	uint64_t whole;			/* letters in the cut's whole rows */
	uint64_t ordinal;
	bool in_pieces;			/* the open record has left chunks */
	bool in_parts;			/* it was cut by cutter_skip_to() */
	bool circular;			/* it is */
	struct buf head;		/* what its last piece will own, once
					   it is in pieces */
	bool prob;
	uint32_t file;			/* of the next record, from 1 */
	struct buf name;		/* of a record in pieces or parts */
	struct feed_item queue[4];
	unsigned n_queue;
};
void cutter_free(struct cutter *c);
/* start: place of its first letter in the sequence (-r), else 0; circular only
 * of letters, and whole. */
int cutter_record(struct cutter *c, struct str name, struct str desc,
		  bool prob, bool circular, uint64_t start, struct err *e);
/*
 * n positions at p; *used of them were taken: fewer than n if items came out
 * (take them, and come again with the rest).
 */
int cutter_letters(struct cutter *c, const uint8_t *p, size_t n, size_t *used,
		   struct err *e);
/*
 * Instead, the next letters may be put at *to: so many at most (and 64 bytes
 * more), 0 if they must not; cutter_took() is given how many were.
 */
size_t cutter_room(struct cutter *c, uint8_t **to);
void cutter_took(struct cutter *c, size_t n);
/* Of the open record, until the next call that changes the cutter. */
struct str cutter_name(const struct cutter *c);
/*
 * Between records, a whole one of no more letters than `room`: they are put at
 * *to (where 64 bytes more may be overwritten), and then it is named.  0: no
 * record may come this way now.
 */
size_t cutter_short_room(struct cutter *c, uint8_t **to);
int cutter_short(struct cutter *c, struct str name, struct str desc, size_t n,
		 struct err *e);
/* Would the end of the open record change no chunk but the one it is in? */
bool cutter_is_short(const struct cutter *c);
int cutter_end_record(struct cutter *c, uint64_t length, struct err *e);
/* Instead: the record goes on, behind letters that are not wanted, at start;
 * its length is not known yet. */
int cutter_skip_to(struct cutter *c, uint64_t start, struct err *e);
int cutter_finish(struct cutter *c, struct err *e);
bool cutter_pop(struct cutter *c, struct feed_item *it);

/* --part and --only. */
struct serials {
	uint64_t part, parts;
	bool only;
	struct source_span *v;
	size_t n, cap;
};
int serials_parse(struct serials *s, const struct feed_params *p,
		  struct err *e);
bool serials_has(const struct serials *s, uint64_t serial);
/* flow.h */
bool serials_absent(const struct serials *s, uint64_t chunks,
		    struct feed_absent *a);
void serials_free(struct serials *s);

/* -r and --regions (feed_select.c) */
struct regions {
	struct region *v;		/* of -r, then lines of BED */
	size_t n, cap, n_given;		/* n_given: of -r */
	struct buf names;		/* of BED lines */
	struct index by_name;		/* numbers + 1 of BED lines */
	uint64_t hash;			/* of all BED lines */
	/* of the open record: what is wanted, ascending and disjoint */
	struct source_spans want;
	struct buf seen;		/* names, each with a 0 behind it */
	size_t n_seen;			/* FEED_KNOWN at most */
};
static inline bool
regions_any(const struct regions *r)
{
	return r->n > 0;
}
/* ERR_USAGE, ERR_IO, ERR_FORMAT with the line. */
int regions_parse(struct regions *r, const struct opt_list *l, struct err *e);
/* 1: the record of this name is wanted, `want` says what of it; or 0, or
 * ERR_USAGE. */
int regions_match(struct regions *r, struct str name, struct err *e);
/* The same for source_open_some(), of any record of the name.  Other threads
 * may ask, from regions_parse() on.  ERR_NOMEM. */
int regions_spans(const struct regions *r, struct str name,
		  struct source_spans *to, struct err *e);
/* At a record's end: ERR_USAGE if a region goes beyond it. */
int regions_check_end(const struct regions *r, struct str name,
		      uint64_t length, struct err *e);
/* At the end of all: ERR_USAGE for one that was not there. */
int regions_check_found(const struct regions *r, struct err *e);
void regions_free(struct regions *r);

/* --circular (feed_select.c) */
struct circles {
	enum { CIRCLES_NONE, CIRCLES_ALL, CIRCLES_AUTO, CIRCLES_NAMED } kind;
	struct circle *v;		/* names, in order */
	size_t n, cap;
	struct buf names;
};
/* text as feed_params.circular.  ERR_USAGE, ERR_IO. */
int circles_parse(struct circles *c, const char *text, struct err *e);
/* Is the record circular? */
bool circles_has(struct circles *c, struct str name, struct str desc);
/* At the end of all: ERR_USAGE for a name that no record had. */
int circles_check_found(const struct circles *c, struct err *e);
void circles_free(struct circles *c);

static inline void
place_add(struct feed_place *to, const struct feed_place *p)
{
	to->n_bytes += p->n_bytes;
	to->n_read += p->n_read;
}

static inline void
place_source(struct feed_place *to, const struct source *s)
{
	to->n_bytes += source_offset(s);
	to->n_read += source_n_read(s);
}

/* Operands of text without a record; so many of them are named. */
enum { BLANK_NAMES = 10, BLANK_NAME = 200 };
struct blank {
	size_t files, n;
	char names[BLANK_NAMES * (BLANK_NAME + 2) + 1];
};
void blank_add(struct blank *b, const char *name);
bool blank_line(const struct blank *b, struct feed_blank *line);

/* Chunks of --part and --only out of files with FILE.sfi (feed_plan.c) */
struct feed_plan;
struct operand;
/* *p is NULL if not all operands have one of use: why[] says what is wrong with
 * one that is there, or is empty.  ERR_NOMEM. */
int plan_open(struct feed_plan **p, const struct operand *op, size_t n,
	      const struct serials *serials, char why[SFI_WHY],
	      struct err *e);
void plan_free(struct feed_plan *p);
/* Of the first file. */
const struct sfi_sums *plan_sums(const struct feed_plan *p);
uint64_t plan_n_read(const struct feed_plan *p);
void plan_begin(struct feed_plan *p, struct feed_run *run, uint64_t own,
		uint64_t context);
/* 1 an item; 0: END was one. */
int plan_next(struct feed_plan *p, struct feed_item *it, struct err *e);
/* Letters and names of a cut with `from`.  Any thread. */
int plan_fill(struct feed_cut *c, struct err *e);

/* Records of neighbouring text operands. */
struct operand {
	const char *path;
	struct source *s;		/* open, or NULL */
};
enum text_kind { TEXT_END, TEXT_RECORD, TEXT_LETTERS };
struct text_event {
	enum text_kind kind;
	bool prob;
	uint32_t file;			/* of RECORD: number of its operand
					   in the run, from 1 */
	struct str name, desc;		/* of RECORD */
	const uint8_t *p;
	size_t n;			/* positions */
};
struct text {
	const struct feed_params *p;
	struct operand *op;
	size_t first, at, end;		/* operands [at, end) are left */
	struct fasta *fasta;
	struct matrix *matrix;
	uint8_t *masked;
	struct feed_place closed;	/* operands that are read */
	bool any;			/* operand `at` had a record */
	struct blank *blank;		/* operands that had none */
	const struct regions *regions;
	const struct circles *circles;
	/* Events that were read for the run's hash, to be read again. */
	struct buf early;
	size_t early_at;
	bool ended;
};

/*
 * The run's id and BEGIN (feed_select.c), once its first name and the hash of
 * its letters are known; of t only options are asked for.
 */
int run_name(struct feed_run *run, const struct text *t,
	     const struct operand *op, size_t n_op, struct rec_frame **begin,
	     struct err *e);

#endif
