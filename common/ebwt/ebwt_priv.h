/* SPDX-License-Identifier: MIT */
/* ebwt_priv.h - declarations shared by the files of ebwt (private) */
#ifndef SEQF_EBWT_EBWT_PRIV_H
#define SEQF_EBWT_EBWT_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
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

/*
 * The kernels of ebwt and their arguments (private)
 */

/* Letters are codes below sigma.  A key is that many, as a number. */
struct ebwt_plan {
	unsigned sigma;		/* 2 to 256 */
	unsigned letters;	/* of a key: even, 2 to 48 */
	unsigned kmer, window;	/* kmer + window = letters */
	unsigned key_bits;	/* 16 to 48 */
};

enum {
	EBWT_BLOCK = 2000,	/* windows or keys of a call, at most */
	EBWT_PAD = 64,		/* letters read behind what is needed */
	EBWT_AT_BITS = 12,	/* of a position in a block's letters */
};

/*
 * The anchors of the windows that begin at t[0] to t[n - 1]: of each whose
 * anchor is not that of the window before it, the anchor's position in t, and
 * the window's << 16.  Ascending; returns how many.  Reads t[-1] to
 * t[n + letters + EBWT_PAD - 1].
 */
typedef unsigned ebwt_anchors_fn(const struct ebwt_plan *p, const uint8_t *t,
				 unsigned n, uint32_t *out);
/* The keys at t[0] to t[n - 1]; n at most EBWT_BLOCK + 64.  Reads up to
 * t[n + letters + EBWT_PAD - 1]; writes up to key[n + 7]. */
typedef void ebwt_keys_fn(const struct ebwt_plan *p, const uint8_t *t,
			  unsigned n, uint64_t *key);
/*
 * What is to become of keys: the low `shift` bits of those that begin with a
 * bucket in [lo, lo + width), `up` higher, over a tail below.
 */
struct ebwt_pick {
	unsigned shift, up;	/* together at most 64; up below 64 */
	uint64_t lo, width;
	bool counts_down;	/* a run's tails: each is one less */
};
/* From position `at` on, to the next one's. */
struct ebwt_run {
	uint64_t tail;
	uint32_t at;
};
/*
 * The items of the keys at t[0] to t[n - 1], and their buckets less lo; returns
 * how many.  Runs ascend from position 0 on, each of at most `window` ones.
 * Reads as ebwt_keys_fn does; writes up to item[n + 7] and bucket[n + 7].
 */
typedef unsigned ebwt_items_fn(const struct ebwt_plan *p,
			       const struct ebwt_pick *pick, const uint8_t *t,
			       unsigned n, const struct ebwt_run *run,
			       unsigned n_runs, uint64_t *item,
			       uint32_t *bucket);
/*
 * Sorts items, no two of which are equal above the `low` bits, nor all ones;
 * tmp has room for n.
 */
typedef void ebwt_radix_fn(uint64_t *item, uint64_t n, uint64_t *tmp,
			   unsigned low);
/* to[i] = code[from[i]]. */
typedef void ebwt_encode_fn(uint8_t *to, const uint8_t *from, uint64_t n,
			    const uint8_t code[256]);
/* seen[s[i]] = 1. */
typedef void ebwt_letters_fn(uint8_t seen[256], const uint8_t *s, uint64_t n);
/* A number that is the same for all rotations of a word, seldom for others: a
 * sum over all of them of their first letters. */
typedef uint64_t ebwt_print_fn(const uint8_t *s, uint32_t n);

/* The kernel that counts a tile of pairs of classes. */

enum {
	EBWT_TILE = 512,	/* rows, and columns, of a tile at most */
	EBWT_EVENTS = 256,	/* of a call, at most */
};

/* A row of the listing, of a class that is in the tile. */
struct ebwt_event {
	uint32_t cell;		/* its counts: of its row, or of none that is
				   looked at */
	int16_t before;		/* when the class had a row last */
	int16_t column;		/* of the class, or -1 */
};

/*
 * Event i happens at clock + i: for every column whose last time is later than
 * `before`, add one to count[cell + column]; then it is the last time of the
 * event's own column.  Columns are a multiple of 32.
 */
typedef void ebwt_tally_fn(uint16_t *count, unsigned columns, int16_t *last,
			   const struct ebwt_event *event, unsigned n,
			   int16_t clock);
/* How many of colour[1] to colour[n - 1] are c, with another before. */
typedef uint64_t ebwt_begins_fn(const uint32_t *colour, uint64_t n, uint32_t c);

struct ebwt_ops {
	ebwt_anchors_fn *anchors;
	ebwt_keys_fn *keys;
	ebwt_items_fn *items;
	ebwt_radix_fn *radix;
	ebwt_encode_fn *encode;
	ebwt_letters_fn *letters;
	ebwt_print_fn *print;
	ebwt_tally_fn *tally;
	ebwt_begins_fn *begins;
};
KERN_DECLARE(const struct ebwt_ops, ebwt_ops);
/* Those for cpu_isa(). */
const struct ebwt_ops *ebwt_ops(void);

/* A tile of the pairs of classes, and rows to count (private). */

/* Numbers of rows and of columns of p->begins. */
struct ebwt_tile {
	uint32_t row, rows, column, columns;
};

/* Colours of consecutive rows, and when each class had the last one before. */
struct ebwt_stretch {
	const uint32_t *colour;
	uint64_t n;
	const uint64_t *last;	/* by class: number of the row from 1; 0 */
};

/* What a thread counts a tile with. */
struct ebwt_tile_work {
	uint16_t *id;		/* by class, or 65535: its place in */
	struct ebwt_local *local;
	uint16_t *count;	/* EBWT_TILE + 1 rows; the last is ignored */
	int16_t *last;		/* by column */
	uint64_t *order;
};
uint64_t ebwt_tile_bytes(const struct ebwt *x);
int ebwt_tile_room(struct ebwt_tile_work *w, struct ebwt *x, struct err *e);
void ebwt_tile_done(struct ebwt_tile_work *w, struct ebwt *x);

/*
 * Add to p->begins, for each pair of the tile, how many rows of the stretch
 * have the row's class, and a column's later than the last one of this.  The
 * lock guards p->begins.  class_of_row[] and class_of_column[] are by numbers.
 */
struct ebwt_tiling {
	struct ebwt_pairs *p;
	const uint32_t *class_of_row, *class_of_column;
	pthread_mutex_t *lock;
	ebwt_tally_fn *tally;
};
void ebwt_tile(const struct ebwt_tiling *g, const struct ebwt_tile *t,
	       const struct ebwt_stretch *s, struct ebwt_tile_work *w);

/* The rows of classes [class, class + EBWT_GROUP), ascending. */
enum { EBWT_GROUP = 256 };
struct ebwt_group {
	const uint32_t *row;
	const uint8_t *of;	/* which class each is of, less the first */
	uint64_t n;
	uint32_t class;
};
/* The same of all rows, of which those of the tile's classes are given: of a
 * group's classes as rows, of another's or the same one's as columns. */
void ebwt_tile_groups(const struct ebwt_tiling *g, const struct ebwt_tile *t,
		      struct ebwt_group rows, struct ebwt_group columns,
		      struct ebwt_tile_work *w);

/*
 * Rotations sorted as integers, by way of anchors (private)
 *
 * The key of a rotation is its first L letters as a number.  Its anchor is the
 * leftmost least k-mer, in an order of k-mers by a hash, of those that begin
 * within its first w = L - k letters: a minimizer.  It depends on letters of
 * the key only, so rotations of equal keys are equally far before their
 * anchors, and compare as these do: (key, rank of the anchor) orders rotations.
 * There are about 2 / (w + 1) anchors a letter, sorted in their turn by keys,
 * and where keys tie by the ranks of further anchors (ebwt_order.c).  No two
 * rotations of roots tie in the end (ebwt_set.c), whatever the hash: runs only
 * make anchors more frequent.
 *
 * A rotation is a 64-bit integer: the low bits of its key (the high ones select
 * its bucket), the rank of its anchor, and a tail: how far before it lies, or,
 * where only this is asked for, the class.
 */

/* What a thread does of the rotations, which are numbered class by class. */
struct ebwt_part {
	uint64_t beg, end;
	uint32_t first_class;	/* that has rotation beg */
	uint32_t first_anchor, n_anchors, room;
	uint32_t *count;	/* by bucket: rotations, then where they go */
};

/* Bits of an item. */
struct ebwt_layout {
	unsigned bucket_bits;	/* high bits of a key, that are not in it */
	unsigned index_bits, tail_bits;
	bool has_class;		/* is the tail */
};

struct ebwt_anchors {
	struct ebwt *x;
	struct ebwt_plan plan;
	const struct ebwt_ops *ops;
	unsigned threads, n_parts;
	struct ebwt_part *part;	/* of less than 2^32 rotations */
	uint32_t *counts;	/* of all parts */
	bool wants_offsets;
	struct ebwt_layout layout;
	uint8_t *text;		/* codes: ebwt_codes() */
	uint64_t *base;		/* by class, and one more: first rotation */
	uint32_t *first;	/* by class, and one more: first anchor */
	uint32_t n;		/* anchors */
	uint32_t *pos;		/* in its class, ascending */
	/* The anchor is that of rotations pos - reach up to pos, and on to the
	 * next one's first: of one class, circular. */
	uint8_t *reach;
	/*
	 * What anchors are sorted with, and then items: new memory costs more
	 * than to sort in it.
	 */
	uint8_t *slab;
	uint64_t slab_bytes;
	uint64_t *key;		/* in it, until anchors are sorted by keys */
	uint32_t *rank;		/* by anchor */
	uint32_t *sorted;	/* anchors by rank; room for one more */
	uint64_t n_keys;	/* different ones, of anchors */
	/*
	 * If rotations go in bundles (ebwt_order.c), else NULL: is an anchor
	 * in the bundle of the one before in rank?  By rank, below the class
	 * in bits above, with a 0 behind; by anchor.
	 */
	uint32_t *member;
	uint8_t *led;
	uint64_t n_leads;	/* rotations of anchors that lead bundles */
};

/* Rotations as integers, those of some buckets at a time. */
struct ebwt_items {
	struct ebwt_anchors *a;
	uint64_t *end;			/* by bucket, of all rotations */
	uint64_t most;			/* in a batch: room of item */
	uint64_t *item;
	uint64_t *bundle;		/* one for each: n_leads */
	uint64_t *to;			/* what ebwt_scatter() writes */
	uint64_t *tmp, largest;		/* for the largest bucket, by thread */
	uint32_t *pos, *class;		/* by rank */
	uint64_t lo, hi;		/* buckets of a batch */
	uint64_t base;			/* rotations before it */
};

/*
 * The slab, in bytes an anchor: where what begins.  What is written first is
 * written over: to clear a page that is new takes as long as to sort it.
 */
enum {
	EBWT_SLAB_ITEM = 0,
	EBWT_SLAB_KEY = 8,
	EBWT_SLAB_NEXT = 8,
	EBWT_SLAB_STEP = 12,
	EBWT_SLAB_TMP = 16,	/* little of it is used but for large groups */
	EBWT_SLAB_GROUP = 24,
	EBWT_SLAB_OTHER = 28,
	EBWT_SLAB_TURN = 32,
	EBWT_SLAB_OLD = 36,	/* this and what follows if there are threads */
	EBWT_SLAB_OWNER = 40,
	EBWT_SLAB_END = 41,
};
static inline uint64_t
ebwt_slab_bytes(unsigned threads, uint64_t anchors)
{
	return (anchors + 15) / 16 * 16 *
	       (threads > 1 ? EBWT_SLAB_END : EBWT_SLAB_OLD);
}
static inline void *
ebwt_slab(const struct ebwt_anchors *a, unsigned at)
{
	return a->slab + (((uint64_t)a->n + 15) / 16 * 16) * at;
}

/* A class's letters: L more, circular, on both sides. */
static inline uint8_t *
ebwt_codes(const struct ebwt_anchors *a, uint32_t class)
{
	return a->text + (a->base[class] - a->base[0]) +
	       (2 * (uint64_t)class + 1) * a->plan.letters;
}

/* The first rotation, from the class's own begin on, of which an anchor of it
 * is the anchor: may lie before it. */
static inline int64_t
ebwt_begin(const struct ebwt_anchors *a, uint32_t anchor)
{
	return (int64_t)a->pos[anchor] - a->reach[anchor];
}

static inline unsigned
ebwt_bits(uint64_t x)
{
	return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

unsigned ebwt_parts(const struct ebwt *x);
/* How many there will be, as a sample says. */
uint64_t ebwt_guess_anchors(const struct ebwt *x, const struct ebwt_plan *p);
/* For so many of each part there is room, if it is n in all. */
static inline uint64_t
ebwt_anchor_room(uint64_t n, uint64_t parts)
{
	return parts == 1 ? n : n / parts + n / parts / 16 + 1;
}
void ebwt_plan(struct ebwt_plan *p, const struct ebwt *x);
struct ebwt_layout ebwt_layout(const struct ebwt *x, const struct ebwt_plan *p,
			       uint64_t anchors, bool wants_offsets);
/*
 * Bits of buckets of m integers that hold a key and `more` bits: as many as it
 * takes for the rest of a key to fit 64 bits, and for few to be in a bucket.
 */
static inline unsigned
ebwt_bucket_bits(const struct ebwt_plan *p, uint64_t m, unsigned more)
{
	enum { FEW = 14 };	/* bits of how many */
	unsigned n = ebwt_bits(m), bits = n > FEW + 1 ? n - FEW : 1;

	if (p->key_bits + more > 64 + bits)
		bits = p->key_bits + more - 64;
	return bits < p->key_bits ? bits : p->key_bits;
}

/* The steps: text, find anchors, sort them. */
int ebwt_text(struct ebwt_anchors *a, struct err *e);
int ebwt_find(struct ebwt_anchors *a, struct err *e);
int ebwt_order(struct ebwt_anchors *a, struct err *e);
/* Then `sorted` is `member`, or no more.  Bundles, if there are any, leave room
 * in the slab for `largest` items. */
int ebwt_bundles(struct ebwt_anchors *a, uint64_t largest, struct err *e);
/* A part's rotations of the batch's buckets to t->to, each bucket's from the
 * part's count on, which goes on; or counted. */
threads_each_fn ebwt_scatter, ebwt_count_items;
/* How many rotations become items at a time if there is memory. */
uint64_t ebwt_batch_size(const struct ebwt *x);

#endif
