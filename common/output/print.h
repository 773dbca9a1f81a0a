/* SPDX-License-Identifier: MIT */
/*
 * print.h - what printer.c and the families of text formats share (private)
 *
 * Names come from input and may hold any byte.  Each family keeps its columns
 * whole by writing a byte that would break them as %XX.
 */
#ifndef SEQF_OUTPUT_PRINT_H
#define SEQF_OUTPUT_PRINT_H

#include "collect/collect.h"
#include "letters/letters.h"
#include "output/printer.h"

enum print_need {
	PRINT_NOTHING,	/* a row can be written as it comes */
	PRINT_LENGTH,	/* when its subject's length is known */
	PRINT_STATS,	/* when its scan's and its run's statistics are */
	PRINT_ALL,	/* when everything is known */
};

/* Of the scores of a scan (Karlin and Altschul 1990); lambda 0: not known. */
struct print_stats {
	double lambda, k;
	bool even;		/* they are those of even scores: an odd one
				   is rounded down */
	uint64_t letters;	/* of the run */
};

struct print_env {
	const struct printer_params *pp;
	const char *source;	/* the program that found the hits */
	struct print_stats stats;	/* PRINT_STATS: of the row */
	struct picture *picture;	/* of svg */
	struct guides *guides;		/* of guides */
	uint64_t run;			/* of the hit */
	struct str pam;			/* PAMs, with commas; none: n is 0 */
	bool pam_before;
	struct print_letters {	/* of the queries of the hit's scan */
		const char *text;
		const size_t *at;	/* of each, and one behind the last */
		size_t n;
	} letters;
	bool scored;			/* some scan gives off-target scores */
	struct sam_reads *reads;	/* of sam */
	uint64_t row;			/* of sam: number of the hit */
	unsigned width;			/* of the terminal; 0: it is none */
	uint64_t id;			/* of gff3: of the row, from 1 on */
	/* Where a length that is not known yet will stand; NULL: it is. */
	size_t *hole;
};

/* Rows are appended to b; a hit's subject.len is set if it is known. */
struct print_family {
	enum print_need need;
	/* else a row is ERR_USAGE */
	bool wants_start, wants_cigar, wants_letters;
	/* Of PRINT_NOTHING and PRINT_LENGTH: hit() needs nothing else that
	 * comes later; of PRINT_LENGTH it calls print_length() once. */
	bool early;
	bool sites;	/* env.pam, .letters are asked for, of the row's scan */
	void (*hit_head)(struct buf *b, const struct print_env *env);
	void (*hit)(struct buf *b, const struct print_env *env,
		    const struct hit *h);
	void (*tally_head)(struct buf *b, const struct print_env *env);
	void (*tally)(struct buf *b, const struct print_env *env,
		      const struct tally_row *t);
	void (*primer_head)(struct buf *b, const struct print_env *env);
	void (*primer)(struct buf *b, const struct print_env *env,
		       const struct primer_row *r);
	void (*product_head)(struct buf *b, const struct print_env *env);
	void (*product)(struct buf *b, const struct print_env *env,
			const struct product_row *r);
	void (*check_head)(struct buf *b, const struct print_env *env);
	void (*check)(struct buf *b, const struct print_env *env,
		      const struct check_row *r);
	void (*dist_head)(struct buf *b, const struct print_env *env,
			  bool weighted);
	void (*dist)(struct buf *b, const struct print_env *env,
		     const struct dist_text *r);
};
extern const struct print_family print_tsv, print_paf, print_sam, print_bed,
    print_gff3, print_json, print_fasta, print_boulder, print_pretty,
    print_blast6, print_svg, print_offtarget, print_guides;

/* A line that says how long a sequence is, of gff3. */
void print_region(struct buf *b, struct str name, uint64_t length);
/* A row that says that it is circular, before its others. */
void print_circle(struct buf *b, struct str name, uint64_t length);

/* Products in each format: print_product.c. */
void print_product_tsv_head(struct buf *b, const struct print_env *env);
void print_product_tsv(struct buf *b, const struct print_env *env,
		       const struct product_row *r);
void print_product_bed(struct buf *b, const struct print_env *env,
		       const struct product_row *r);
void print_product_gff3(struct buf *b, const struct print_env *env,
			const struct product_row *r);
void print_product_fasta(struct buf *b, const struct print_env *env,
			 const struct product_row *r);
void print_product_json(struct buf *b, const struct print_env *env,
			const struct product_row *r);

/* Sites added up; errors of rows are sticky: guides_write() reports them. */
struct guides;
int guides_new(struct guides **g, struct err *e);
void guides_free(struct guides *g);
/* A scan's; ERR_USAGE if there was another one, ERR_LIMIT. */
int guides_begin(struct guides *g, const struct begin *b, struct err *e);
/* Everything, once; guides of which no site came are known by -q alone. */
int guides_write(struct buf *b, const struct print_env *env, bool header,
		 struct err *e);

/* Are a site's guide and PAM known? */
bool print_offtarget_knows(const struct print_env *env, const struct hit *h);

/* What other formats report of a site. */
struct print_site_facts {
	struct cigar_sum cigar;		/* of the guide and its PAM */
	struct str pam;		/* as it was given; p is NULL: which of them? */
	bool cut_known;
	uint64_t cut;
};
/* False: the row is of no guide beside a PAM. */
bool print_site_facts(const struct print_env *env, const struct hit *h,
		      struct print_site_facts *f);
const char *print_bulge(const struct cigar_sum *s);
/* The guide, and the letters that its PAM matches, along the forward subject;
 * false: they are not known. */
bool print_site_sequence(struct buf *b, const struct print_env *env,
			 const struct hit *h);

/* PAMs of scans, and letters of their queries.  pams_begin() learns those of a
 * BEGIN, pams_find() makes them, or none, env's. */
struct pams {	/* zero it first */
	struct buf list;	/* struct pams_of */
	struct buf text;
	struct buf letters;	/* size_t: where they begin in text */
	struct index of;	/* numbers + 1 of the list, by run and scan */
	bool known;		/* which ones env has */
	uint64_t run, scan;
};
int pams_begin(struct pams *p, const struct begin *b, struct err *e);
void pams_find(struct pams *p, uint64_t run, uint64_t scan,
	       struct print_env *env);
void pams_free(struct pams *p);

/* For sam's header. */
struct print_begin {
	struct begin b;		/* strings point into text */
	struct buf text;
};

/*
 * @HD, @SQ of the subjects whose name and length are known, @PG of the
 * BEGINs, which are sorted here.  ERR_FORMAT if two subjects of different
 * lengths have one name.
 */
int sam_header(struct buf *b, const struct print_env *env,
	       const struct lengths *l, struct print_begin *begin, size_t n,
	       struct err *e);

/*
 * Which rows of a read are primary, secondary and supplementary.  All rows
 * are added with their numbers, then it is finished.
 */
struct sam_reads;
struct sam_reads *sam_reads_new(void);
int sam_reads_add(struct sam_reads *r, const struct hit *h, uint64_t row,
		  struct err *e);
int sam_reads_finish(struct sam_reads *r, struct err *e);
void sam_reads_free(struct sam_reads *r);

/* The value of a "key value" line of BEGIN's text; p is NULL without one. */
struct str begin_value(const struct begin *b, const char *key);
bool begin_says(const struct begin *b, const char *key, const char *value);

/* s with every byte of which plain() is false as %XX; "*" if s is empty. */
void print_name(struct buf *b, struct str s, bool (*plain)(uint8_t));
bool print_no_control(uint8_t c);	/* all but 0x00-0x1f and 0x7f */
/* What stands in GFF3 without an escape: in column 1, and in attributes. */
bool print_gff3_id(uint8_t c);
bool print_gff3_value(uint8_t c);
/* The sequence of a row of BED. */
void print_bed_id(struct buf *b, struct str s);
/* A number of hundredths, with two decimals. */
void print_hundredths(struct buf *b, int64_t v);
/* The CIGAR in an attribute of GFF3: = is %3D. */
void print_gff3_cigar(struct buf *b, const uint32_t *ops, size_t n);
void print_json_string(struct buf *b, struct str s);
void print_json_name(struct buf *b, struct str s);	/* "*" if it is empty */
void print_u64(struct buf *b, uint64_t v);
/*
 * The same where there is room for PRINT_DIGITS, which may all be written;
 * returns where the number ends.  print_digits: v > 0.
 */
enum { PRINT_DIGITS = 20 };
extern const char print_two[201];	/* 00 to 99 */
uint8_t *print_digits(uint8_t *p, uint64_t v);
static inline uint8_t *
print_number(uint8_t *p, uint64_t v)
{
	if (v > 99)
		return print_digits(p, v);
	memcpy(p, print_two + 2 * v + (v < 10), 2);
	return p + 1 + (v > 9);
}
/* A tab and a number, or * if it is not known, where there is room. */
static inline uint8_t *
print_column(uint8_t *p, bool known, uint64_t v)
{
	*p++ = '\t';
	if (known)
		return print_number(p, v);
	*p = '*';
	return p + 1;
}
enum { PRINT_COLUMNS = 4 * (PRINT_DIGITS + 2) };	/* room of 4 */
void print_i64(struct buf *b, int64_t v);
/* The length of a hit's subject, or nothing: env->hole. */
void print_length(struct buf *b, const struct print_env *env,
		  const struct hit *h);
/* v * 10^-9, in decimals. */
void print_share(struct buf *b, uint64_t v);
/* A hit's off-target score, 0 to 1, or `none` if it has none. */
void print_score(struct buf *b, const struct hit *h, const char *none);
static inline void
print_text(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}
/* The query's letters, of -q or else of BEGIN; p is NULL without. */
struct str print_query(const struct print_env *env,
		       const struct query_ref *r);
/* A number of a distance, or `none` if there is none. */
void print_real(struct buf *b, bool known, double v, const char *none);
/* The number of a weighted row's pairs: a real if it is above 2^64 - 2. */
void print_pairs(struct buf *b, const struct dist_row *r);
/* TARGET:BEG-END as -r reads it, and /rc for the reverse complement. */
void print_primer_name(struct buf *b, const struct primer_row *r,
		       bool (*plain)(uint8_t));
/* A primer's site as six more columns, * where there is none; s may be NULL. */
void print_site(struct buf *b, const struct primer_site *s);
/* Query letters before and after the alignment, along the subject. */
void print_clips(const struct hit *h, uint64_t *before, uint64_t *after);

/*
 * Rows that are printed by the threads that find them
 *
 * Of formats that need nothing but a subject's length beside the row itself:
 * the text of a row, with the place where the length belongs, and what the row
 * is put in order by.  Nobody outside of the program gets such bytes.
 */

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
