/* SPDX-License-Identifier: MIT */
/* ebwt_priv.h - declarations shared by the files of ebwt (private) */
#ifndef SEQF_EBWT_EBWT_PRIV_H
#define SEQF_EBWT_EBWT_PRIV_H

#include "ebwt/ebwt.h"

/*
 * Words whose roots are conjugate are a class.  Only the rotations of one root
 * of each class are sorted: no two of these tie.  A rotation stands for all
 * rows of the listing that tie with it.
 */
struct ebwt_class {
	const uint8_t *root;	/* of the class's first word, as it is there */
	uint32_t n;		/* letters */
	uint32_t first, words;	/* of x->member */
};

struct ebwt {
	struct ebwt_params par;
	struct ebwt_word *word;
	size_t n_words, n_classes;
	uint64_t n_rows;	/* letters of all words */
	uint64_t n_roots;	/* of the classes' roots */
	struct ebwt_class *class;
	uint32_t *class_of;	/* by word */
	uint32_t *exponent;	/* by word: |word| / |root| */
	/* Letter o of a word is letter (o + shift) % n of its class's root. */
	uint32_t *shift;
	uint32_t *member;	/* words by class, ascending */
	/*
	 * What pairs are of: words, or colours if there are any; rows count as
	 * those of a kind, a class or a colour.
	 */
	size_t n_sets, n_kinds, n_colours;
	uint32_t *kind_of;	/* by class: its colour; EBWT_NONE: several.
				   NULL without colours */
	/* Colours of class c: from tone_at[c] to tone_at[c + 1]. */
	struct ebwt_tone {
		uint32_t colour, times;	/* rows of a rotation */
	} *tone;
	uint32_t *tone_at;
	uint64_t *colour_n;	/* letters, by colour */
	bool shares;		/* a class has several */
	uint64_t *kept_n;	/* by colour: rows, if it has such a class */
	uint64_t n_kept;	/* of all */
	unsigned sigma;		/* letters that there are */
	uint8_t code[256];	/* their numbers, as they compare */
	uint64_t used, peak;	/* bytes of ebwt_take() */
};

/*
 * n things of so many bytes, aligned to 64, within x->par.memory; contents
 * random.  ERR_LIMIT, ERR_NOMEM.  Not by two threads at a time.
 */
int ebwt_take(struct ebwt *x, void *at, uint64_t n, size_t size,
	      struct err *e);
/* *at becomes NULL; may be NULL.  x is NULL for what has outlived it. */
void ebwt_give(struct ebwt *x, void *at);
/* ERR_LIMIT if so many bytes more than are in use are too many. */
int ebwt_fits(const struct ebwt *x, uint64_t more, struct err *e);

/* What 32 bits count. */
static inline uint32_t
ebwt_most(const struct ebwt *x)
{
	return x->par.most ? x->par.most : UINT32_MAX;
}

/* As many threads as so many letters are worth. */
static inline unsigned
ebwt_threads(const struct ebwt *x, uint64_t letters)
{
	uint64_t least = x->par.least_part ? x->par.least_part : 1 << 16;
	uint64_t parts = letters / least + 1;

	return parts < x->par.threads ? (unsigned)parts : x->par.threads;
}

/*
 * Sorted rotations of roots.  Item i has an index in bits above `tail_bits`, of
 * class[] and pos[].  The tail is how far it lies before position pos[index];
 * or, if class is NULL, it is the class.
 */
struct ebwt_batch {
	uint64_t *item;		/* may be written over */
	uint64_t n, base;	/* rotations: in this batch, before it */
	unsigned tail_bits;
	uint64_t index_mask;
	const uint32_t *pos, *class;	/* pos: if offsets are wanted */
	uint32_t *plain;	/* or NULL: the items' classes, in their place;
				   may be written over */
};
/* Batches come in order, every one of n > 0. */
typedef int ebwt_batch_fn(void *arg, const struct ebwt_batch *b,
			  struct err *e);
typedef int ebwt_sort_fn(struct ebwt *x, bool wants_offsets,
			 ebwt_batch_fn *fn, void *arg, struct err *e);
ebwt_sort_fn ebwt_sort, ebwt_sort_plain, ebwt_sort_anchors;
/* Is there one that would take the set? */
bool ebwt_has_backend(const struct ebwt *x);
/* By the backend; false in *served: there is none, or it cannot. */
int ebwt_job_sort(struct ebwt *x, ebwt_batch_fn *fn, void *arg,
		     bool *served, struct err *e);
struct ebwt_pairs;
int ebwt_job_count(struct ebwt *x, struct ebwt_pairs *p, bool *served,
		      struct err *e);

static inline uint64_t
ebwt_index(const struct ebwt_batch *b, uint64_t i)
{
	return b->item[i] >> b->tail_bits & b->index_mask;
}

static inline uint64_t
ebwt_tail(const struct ebwt_batch *b, uint64_t i)
{
	return b->item[i] & ((1ull << b->tail_bits) - 1);
}

static inline uint32_t
ebwt_class(const struct ebwt_batch *b, uint64_t i)
{
	return b->plain ? b->plain[i] :
	       b->class ? b->class[ebwt_index(b, i)] :
			  (uint32_t)ebwt_tail(b, i);
}

/* Offset of item i in its class's root, of n letters. */
static inline uint32_t
ebwt_offset(const struct ebwt_batch *b, uint64_t i, uint32_t n)
{
	uint64_t d = ebwt_tail(b, i), pos = b->pos[ebwt_index(b, i)];

	while (pos < d)
		pos += n;
	return (uint32_t)(pos - d);
}

/*
 * Pairs of classes have a row and a column each.  All pairs: the numbers are
 * the classes', and the row is the larger one.  With queries: row_of[] numbers
 * the classes of queries, column_of[] those of the others.
 */
struct ebwt_pairs {
	size_t n_words, n_queries;	/* or colours */
	bool triangle;			/* columns below the row alone */
	uint64_t *length;		/* by word */
	uint32_t *class_of;		/* by word */
	uint32_t *row_of, *column_of;	/* by class; or EBWT_NONE */
	uint32_t n_rows, n_columns;
	/* Rows of the row's class that are behind one of the column's, which is
	 * behind their last before: by row and column. */
	uint32_t *begins;
	uint64_t *first, *last;		/* row of a class, from 1 */
	double *entropy;		/* by words, or NULL */
	/* Colours that have classes in common with others: their numbers, or
	 * EBWT_NONE, and delta of i > j in cell i * (i - 1) / 2 + j. */
	uint32_t *sharer;
	uint64_t *shared;
};

/* Of colours that share classes (ebwt_colour.c): all rows, by colour, and how
 * many of the listing each stands for. */
struct ebwt_kept_row {
	uint32_t row, times;
};
struct ebwt_kept {
	struct ebwt_kept_row *row;
	uint64_t *end;		/* by colour */
};
int ebwt_kept_new(struct ebwt_kept *t, struct ebwt *x, struct err *e);
void ebwt_kept_free(struct ebwt_kept *t, struct ebwt *x);
/* Items of a batch from *from on as rows of colours, as long as there is room;
 * some are kept.  Returns how many there are. */
size_t ebwt_kept_rows(struct ebwt_kept *t, const struct ebwt *x,
		      const struct ebwt_batch *b, uint64_t *from, uint32_t *to,
		      size_t room);
/* Fills in sharer and shared. */
int ebwt_share(struct ebwt *x, const struct ebwt_kept *t, struct ebwt_pairs *p,
	       struct err *e);

/*
 * Entropies of the lengths of runs: of word i and those of [beg, end), `step`
 * apart.  Threads are numbered from 0.  A set with n_rows below 2^32.  What
 * failed is to be deleted, too.
 */
struct ebwt_entropies;
int ebwt_entropies_new(struct ebwt_entropies **t, struct ebwt *x,
		       struct err *e);
void ebwt_entropies_of(const struct ebwt_entropies *t, unsigned thread,
		       size_t i, size_t beg, size_t end, double *to,
		       uint64_t step);
void ebwt_entropies_delete(struct ebwt_entropies *t);

static inline uint64_t
ebwt_cell(const struct ebwt_pairs *p, uint32_t row, uint32_t column)
{
	return p->triangle ? (uint64_t)row * (row - 1) / 2 + column :
			     (uint64_t)row * p->n_columns + column;
}

/* Of classes of a row and a column, their runs: ebwt_pairs.c proves it. */
static inline uint64_t
ebwt_runs(const struct ebwt_pairs *p, uint32_t c, uint32_t d, uint64_t begins)
{
	return 2 * begins + (p->first[c] < p->first[d]) +
	       (p->last[d] > p->last[c]);
}

/* What bands take beside the sort and what threads have. */
uint64_t ebwt_band_bytes(const struct ebwt *x,
			 const struct ebwt_pairs_job *job);

#endif
