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

/* Rows on their way into a buffer, by one thread, sorted by subject. */
struct rows_text {
	struct print_env env;
	const struct print_family *family;
	struct buf *to;
	size_t at;		/* where the last subject's rows begin */
	struct rows_part {
		uint64_t ordinal, len, send, rows, name;
	} last;			/* what stands there; rows is 0: nothing yet */
	size_t hole;
};
void rows_begin(struct rows_text *t, const struct rows_print *how,
		struct buf *to);
/* ERR_NOMEM, ERR_LIMIT. */
int rows_add(struct rows_text *t, const struct hit *h, struct err *e);

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
	struct buf held, next;
	uint64_t n_held, n_next;
	uint64_t n;		/* rows so far */
};
void rows_free(struct rows_order *o);
/* All that can be printed are. */
int rows_take(struct rows_order *o, uint64_t run, const struct buf *rows,
	      struct printer *to, struct err *e);
/* And those that wait. */
int rows_finish(struct rows_order *o, struct printer *to, struct err *e);

/* A row that was printed; a length goes before text[hole]. */
struct early_row {
	const uint8_t *text;
	size_t hole, n;
};
/* One of subject s that ends at send. */
int printer_text(struct printer *p, uint64_t run, const struct subject_ref *s,
		 uint64_t send, const struct early_row *row, struct err *e);

#endif
