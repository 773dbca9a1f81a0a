/* SPDX-License-Identifier: MIT */
/*
 * rows.h - rows that are printed by the threads that find them
 *
 * Of formats that need nothing but a subject's length beside the row itself:
 * the text of a row, with the place where the length belongs, and what the row
 * is put in order by.  Nobody outside of the program gets such bytes.
 */
#ifndef SEQF_OUTPUT_ROWS_H
#define SEQF_OUTPUT_ROWS_H

#include "output/print.h"

/* How. */
struct rows_print {
	const struct print_family *family;
	struct print_env env;	/* of all rows: pp; and by the caller what is
				   known of its scan */
	bool by_begin;		/* rows of a subject are sorted by sbeg, send,
				   query, qlen and strand; else by send */
};
/* False: rows of this format wait for more. */
bool printer_rows(const struct printer *p, struct rows_print *how);

/* Rows on their way into a buffer, by one thread, sorted by subject; zero it
 * first. */
struct rows_text {
	struct print_env env;
	const struct print_family *family;
	struct buf *to;
	struct buf heads;	/* of the last subject's rows */
	size_t at;		/* where these begin */
	struct rows_part {
		uint64_t ordinal, len, send, rows, name, bytes;
	} last;			/* what will stand there; rows is 0: nothing */
	size_t hole;
};
void rows_begin(struct rows_text *t, const struct rows_print *how,
		struct buf *to);
/* ERR_NOMEM, ERR_LIMIT. */
int rows_add(struct rows_text *t, const struct hit *h, struct err *e);
int rows_end(struct rows_text *t, struct err *e);
void rows_text_free(struct rows_text *t);

/*
 * Buffers of rows in the order of the input.  Those of each are sorted; from
 * one to the next they are out of order by at most `slack` letters: of a
 * subject's rows so far the largest end is E, and none that is still to come
 * ends (begins) before E - slack.  slack is 0: they are not.
 */
struct rows_order {	/* all zero but slack and by_begin */
	uint64_t slack;
	bool by_begin;
	uint64_t run, end;	/* of those that wait */
	struct subject_ref subject;
	struct buf name;	/* its bytes */
	struct rows_held {
		struct buf text, heads;
		uint64_t n;
	} held, next;
	uint64_t n;		/* rows so far */
};
void rows_free(struct rows_order *o);
/* All that can be printed are. */
int rows_take(struct rows_order *o, uint64_t run, const struct buf *rows,
	      struct printer *to, struct err *e);
/* And those that wait. */
int rows_finish(struct rows_order *o, struct printer *to, struct err *e);

/* Of a row that was printed: n bytes, and a length goes before text[hole]. */
struct row_text {
	uint32_t hole, n;
};
/* Some one behind the other: their text, and, `step` bytes apart, struct
 * row_text. */
struct rows_run {
	const uint8_t *text, *row;
	size_t step;
	uint64_t n;
};
static inline struct row_text
rows_at(const struct rows_run *r, uint64_t i)
{
	struct row_text x;

	memcpy(&x, r->row + i * r->step, sizeof x);
	return x;
}
/* Those of subject s, none of which ends behind `send`. */
int printer_text(struct printer *p, uint64_t run, const struct subject_ref *s,
		 uint64_t send, const struct rows_run *rows, struct err *e);

/*
 * Rows that are printed but for a length (private)
 *
 * Most rows of a large sequence come before its length is known.  What waits is
 * their text, which is printed once, with the place where the length belongs;
 * rows of a subject are together in one piece of a queue.
 */

struct rows_early {
	uint64_t run, ordinal, send;	/* send: the largest */
	struct str name;	/* of the subject */
	struct rows_run rows;
};

/* What is pushed next: zero it first. */
struct early_last {
	struct buf text, rows;
};
void early_free(struct early_last *last);

/* A row of a family that prints early, behind those in `last`, which are pushed
 * when they are of another subject or enough. */
int early_add(struct early_last *last, struct queue *q,
	      const struct print_family *f, struct print_env *env,
	      uint64_t run, const struct hit *h, struct err *e);
/* The same of some that are printed already. */
int early_put(struct early_last *last, struct queue *q, uint64_t run,
	      const struct subject_ref *s, uint64_t send,
	      const struct rows_run *rows, struct err *e);
/* What is in `last`, too. */
int early_push(struct early_last *last, struct queue *q, struct err *e);

/* As queue_first(); x is valid until the queue changes. */
int early_first(struct queue *q, struct rows_early *x, struct err *e);

#endif
