/* SPDX-License-Identifier: MIT */
/* output.h - what other folders may use of output/: printers, merging, views */
#ifndef SEQF_OUTPUT_OUTPUT_H
#define SEQF_OUTPUT_OUTPUT_H

#include "base/base.h"
#include "collect/collect.h"
#include "input/input.h"
#include "letters/letters.h"
#include "rec/rec.h"

/*
 * Results as text: tsv, paf, sam, bed, gff3, json, ...
 *
 * On a terminal tsv stands in columns, and pretty is as wide as it.  Formats
 * that need a subject's length hold their rows until it is known, in
 * memory at first, then in a spool file in $TMPDIR; sam holds all of them for
 * its @SQ lines, blast6 those of a scan with lambda and K until END gives the
 * run's letters.  Rows come out in the order they went in.
 */

enum format {
	FORMAT_REC, FORMAT_TSV, FORMAT_PAF, FORMAT_SAM, FORMAT_BED,
	FORMAT_GFF3, FORMAT_JSON, FORMAT_FASTA, FORMAT_PHYLIP,
	FORMAT_PHYLIP_LOWER, FORMAT_PHYLIP_STRICT, FORMAT_PRETTY,
	FORMAT_BLAST6, FORMAT_BOULDER, FORMAT_SVG, FORMAT_OFFTARGET,
	FORMAT_GUIDES, FORMAT_NEWICK, FORMAT_SVG_TREE, FORMAT_NONE,
};
enum { TREE_DRAWN = 2000 };	/* leaves of FORMAT_SVG_TREE, at most */
/* FORMAT_NONE if the name is unknown. */
enum format format_of(const char *name);
const char *format_word(enum format f);
/* A matrix or a tree, which needs all pairs of sequences? */
bool format_is_of_pairs(enum format f);
/* What a file's suffix says, before .gz: x.bed, x.tsv.gz; or FORMAT_NONE. */
enum format format_of_file(const char *path);
/* Of a well-known format that no program here writes, its name; or NULL. */
const char *format_foreign(const char *path);

struct printer_params {
	enum format format;
	bool header;		/* tsv's # line; sam's @ lines always */
	bool letters;		/* tsv column sseq */
	const char *prog;	/* for errors and @PG */
	bool colour;		/* of pretty */
	const struct queries *queries;	/* of pretty, sam, offtarget, guides;
					   or NULL */
	bool sites;		/* tsv columns of primers' sites */
	bool array;		/* json as one array, not a line each */
	const char *columns;	/* of tsv: NAME,NAME,...; NULL: all but those
				   that only --columns names */
	const struct queries *files;	/* for the column source; or NULL */
	void (*note)(int level, const char *fmt, ...);	/* or NULL */
	bool products;		/* a table without rows is one of products */
	bool probes, outer;	/* columns of products */
	bool checks;		/* a table without rows is one of checks */
};

/* Tables of tsv. */
enum { TABLE_HITS = 1, TABLE_COUNTS = 2, TABLE_PRIMERS = 4, TABLE_DISTS = 8,
       TABLE_ANY = 15,
       TABLE_WEIGHTED = 16,	/* TABLE_DISTS, of weighted ones */
       TABLE_PRODUCTS = 32, TABLE_CHECKS = 64 };	/* only where they
							   are named */
/*
 * ERR_USAGE unless pp->columns, which may be NULL, are names of one of these
 * tables, and the format is tsv; or if json's array is wanted in another one.
 */
int printer_check(const struct printer_params *pp, unsigned tables,
			  struct err *e);
/* Is it among the names of columns, which may be NULL? */
bool printer_has_column(const char *columns, const char *name);

struct printer;
int printer_new(struct printer **p, const struct printer_params *pp,
		struct out *o, struct err *e);
/* Ids of run and scan; hits of one subject share (run, ordinal). */
int printer_hit(struct printer *p, uint64_t run, uint64_t scan,
		const struct hit *h, struct err *e);
/* tsv or json only. */
int printer_tally(struct printer *p, const struct tally_row *t, struct err *e);
/* All of them, finished here. */
int printer_counts(struct printer *p, struct counts *c, struct err *e);
/* The head is written before the first row, or, for a table without rows, by
 * itself: a no-op if it is there. */
void printer_dist_head(struct printer *p, bool weighted);
/* A product of PCR: [beg, end) of the subject, forward. */
struct product_row {
	struct str pair, subject;
	uint64_t run, ordinal;	/* of the subject */
	uint64_t pair_ordinal;
	bool minus;		/* the forward primer is on the minus strand */
	uint64_t slen;		/* or LEN_UNKNOWN */
	uint64_t beg, end;
	struct product_primer {
		uint64_t edits;
		const uint32_t *cigar;	/* along the forward subject */
		size_t n_cigar;
	} f, r;
	struct str letters;	/* forward, as in the input; p NULL: not
				   known */
	struct product_place {	/* with probes, outer */
		struct str name;
		uint64_t beg, end;
		bool minus;		/* of the probe */
		uint64_t edits;
	} probe, outer;
};
int printer_product(struct printer *p, const struct product_row *r,
		    struct err *e);
/* A primer that was given, and what of a background is near it. */
struct check_row {
	struct str primer, sequence;
	uint64_t gc[2];		/* least and most of its words, hundredths of a
				   percent */
	bool melts;
	int64_t tm[2];		/* the same, hundredths of a degree */
	bool fails;
	const uint64_t *places;	/* how many there are at 0, 1, ... */
	size_t n_places;
	struct primer_site site;	/* without CIGAR: there is none */
};
int printer_checked(struct printer *p, const struct check_row *r,
		    struct err *e);
/* A length became known (SEQ, a chunk's last piece).  sam's @SQ lines name the
 * subjects that have hits. */
int printer_length(struct printer *p, uint64_t run, uint64_t ordinal,
		   uint64_t length, struct err *e);
/* Letters of all sequences of the run (END). */
int printer_letters(struct printer *p, uint64_t run, uint64_t n,
		    struct err *e);
/* For @PG, and lambda and K. */
int printer_begin(struct printer *p, const struct begin *b, struct err *e);
/* What a BEGIN, SEQ or END says; others say nothing. */
int printer_frame(struct printer *p, const struct rec_frame *f, struct err *e);
/* Its rows are not all there and are kept back: nor are there columns then. */
void printer_no_table(struct printer *p);
/* The rows given are incomplete, and why: a picture says so, and json's array
 * stays open.  Other rows cannot; for them the exit status says it. */
void printer_lacks(struct printer *p, const char *why);
/* What the verdict lacks, and why the caller found rows missing (code 0: it did
 * not). */
int printer_verdict(struct printer *p, struct ledger *l, const struct err *late,
		    struct err *e);
/*
 * Everything out.  ERR_INCOMPLETE if the format needs a length, or BEGIN and
 * END, that never came (rows that could be written were).
 */
int printer_finish(struct printer *p, struct err *e);
void printer_free(struct printer *p);

/* A name in a column of tsv, and a string of JSON, as rows have them. */
void printer_put_name(struct buf *b, struct str s);
void printer_put_json(struct buf *b, struct str s);

/* Primers and distances as text. */

/* What PRIMER and DIST frames of a stream add up to. */
struct tables {
	struct primers *primers;
	struct dists *dists;
	uint64_t nearest;	/* distances of each sequence; 0: all */
	void (*progress)(uint64_t done, uint64_t of);	/* of them; or NULL */
	/* Before primers are printed; or NULL. */
	int (*sites)(void *ctx, struct primers *p, struct err *e);
	void *sites_ctx;
	/* Of each DIST frame that is taken; or NULL. */
	void (*rename)(void *ctx, struct dist *d);
	void *rename_ctx;
	/* Takes primers instead of printing them, if all there; or NULL. */
	int (*take)(void *ctx, struct primers *p, struct err *e);
	void *take_ctx;
	struct ledger *ledger;	/* for sites: ERR_INCOMPLETE unless whole */
};
int tables_new(struct tables *t, struct err *e);
void tables_free(struct tables *t);
bool tables_any(const struct tables *t);
/* Take a PRIMER or DIST frame. */
int tables_frame(struct tables *t, const struct rec_frame *f, struct err *e);
/*
 * No more frames: everything is printed.  ERR_FORMAT for what does not fit
 * together: of a stream that is not whole that is no news.
 */
int tables_finish(struct tables *t, struct printer *to, enum format format,
		  struct err *e);

/*
 * All rows, or, as phylip, matrices, or trees; all finished.  A table without
 * rows has
 * its line of column names.  ERR_USAGE if the format has no such rows.
 */
int tables_print(struct primers *p, const struct dists *d, struct printer *to,
		 enum format format, struct err *e);

/*
 * What printer.c and the families of text formats share (private)
 *
 * Names come from input and may hold any byte.  Each family keeps its columns
 * whole by writing a byte that would break them as %XX.
 */

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
	/* What is before a table (TABLE_HITS etc.), or the file; or NULL. */
	void (*head)(struct buf *b, const struct print_env *env,
		     unsigned table);
	void (*hit)(struct buf *b, const struct print_env *env,
		    const struct hit *h);
	void (*tally)(struct buf *b, const struct print_env *env,
		      const struct tally_row *t);
	void (*primer)(struct buf *b, const struct print_env *env,
		       const struct primer_row *r);
	void (*product)(struct buf *b, const struct print_env *env,
			const struct product_row *r);
	void (*check)(struct buf *b, const struct print_env *env,
		      const struct check_row *r);
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

/* Products in each format: print_sites.c. */
void print_product_head(struct buf *b, const struct print_env *env);
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

/*
 * @HD, @SQ of the subjects whose name and length are known, @PG of the
 * BEGINs, which are sorted here.  ERR_FORMAT if two subjects of different
 * lengths have one name.
 */
int sam_header(struct buf *b, const struct print_env *env,
	       const struct lengths *l, struct begin_own *begin, size_t n,
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

/* s with every byte of which plain() is false as %XX; "*" if s is empty. */
void print_name(struct buf *b, struct str s, bool (*plain)(uint8_t));
bool print_no_control(uint8_t c);	/* all but 0x00-0x1f and 0x7f */
/* And no blank, at which a name ends for whoever splits there. */
bool print_no_blank(uint8_t c);
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

/* Rows that are printed, behind those in `last`, which are pushed when they are
 * of another subject or enough. */
int early_put(struct early_last *last, struct queue *q, uint64_t run,
	      const struct subject_ref *s, uint64_t send,
	      const struct rows_run *rows, struct err *e);
/* What is in `last`, too. */
int early_push(struct early_last *last, struct queue *q, struct err *e);

/* As queue_first(); x is valid until the queue changes. */
int early_first(struct queue *q, struct rows_early *x, struct err *e);

/*
 * Results of any number of streams as one table, or as one stream
 *
 * First every frame is shown to merge_frame(); then the verdict is asked for;
 * then all of it is written as text or as records.  The outcome does not depend
 * on the order of frames, nor on how often one of them came.
 */

struct merge_params {
	struct topk_params topk;
	struct printer_params print;	/* format: or FORMAT_REC */
	uint64_t runs;		/* how many must be there; 0: any */
	bool chunks;		/* CHUNK frames count as receipts; they are
				   only for merge_missing() */
};

struct merge;
int merge_new(struct merge **m, const struct merge_params *p, struct err *e);
void merge_free(struct merge *m);

enum { MERGE_BAD = 1 };	/* the frame is malformed: e says how; go on */
/*
 * Take what the frame holds.  0, MERGE_BAD, or an error; without chunks,
 * CHUNK frames are ERR_FORMAT: they are no results.
 */
int merge_frame(struct merge *m, struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE). */
void merge_damage(struct merge *m);

/*
 * ERR_USAGE if an earlier -n, --no-overlap or --drop-shadows left out rows that
 * may be among those wanted now; 1 with a note if it did, but whatever came is
 * wanted.  All frames were shown.
 */
int merge_check(struct merge *m, struct err *e);
/* As ledger_verdict(), which also knows whether all lengths are there that
 * the text needs.  All frames were shown. */
int merge_verdict(struct merge *m, struct err *e);
/* As ledger_missing(), appended to b. */
int merge_missing(struct merge *m, struct buf *b, struct err *e);
uint64_t merge_copies(const struct merge *m);

/* Everything as text, or, with FORMAT_REC, as frames: one receipt a run and
 * scan.  Call once. */
int merge_write(struct merge *m, struct out *o, struct err *e);

/*
 * A record stream as text, as sequences, as numbers, or as a copy
 *
 * Frames are shown one by one in the order of the stream, and written as they
 * come; the verdict is asked for at the end.
 */

enum view_mode {
	VIEW_TEXT,	/* in a format */
	VIEW_FASTA,	/* letters of chunks put together */
	VIEW_COPY,	/* frames, but damaged ones and copies */
	VIEW_CHECK,	/* nothing: only the verdict, digests included */
	VIEW_HEADER,	/* BEGIN texts */
	VIEW_STATS,	/* how many of what */
};

struct view_params {
	enum view_mode mode;
	struct printer_params print;	/* format: of VIEW_TEXT */
};

struct view;
int view_new(struct view **v, const struct view_params *p, struct out *o,
	     struct err *e);
void view_free(struct view *v);

enum { VIEW_BAD = 1 };	/* the frame is malformed: e says how; go on */
int view_frame(struct view *v, const struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE). */
void view_damage(struct view *v);
/* No more frames: everything goes out. */
int view_finish(struct view *v, struct err *e);
/* As ledger_verdict(); of a copy, header or stats only damage counts. */
int view_verdict(struct view *v, struct err *e);
uint64_t view_copies(const struct view *v);

/*
 * The columns of tsv: which are wanted, and how they stand on a
 * terminal
 */

enum { COLUMNS_MAX = 64 };

struct columns {
	struct str name[COLUMNS_MAX];	/* point into the text */
	size_t n;
	size_t at[COLUMNS_MAX];		/* in the rows of the table */
	size_t n_all;			/* columns of these */
};

/* NAME,NAME,...; ERR_USAGE. */
int columns_read(struct columns *c, const char *text, struct err *e);
/*
 * A table's line of names, #NAME\tNAME...\n: rows that come are of it.
 * ERR_USAGE, naming one that is not there, and all that are.
 */
int columns_of(struct columns *c, struct str head, struct err *e);
/* b[at..n) is a row of the table, or its line of names: what is wanted of it
 * takes its place. */
void columns_pick(const struct columns *c, struct buf *b, size_t at,
		  bool names);

/* Lines of tsv in columns, for terminals. */

enum { ALIGN_COLUMNS = 64 };

struct align {	/* all zero: no lines yet */
	size_t width[ALIGN_COLUMNS];	/* of the columns so far */
	struct buf text;		/* the lines of the last call */
};

/* text becomes the lines, whole ones, with blanks instead of tabs; columns are
 * as wide as those before, or wider. */
void align_lines(struct align *a, struct str lines);
void align_free(struct align *a);

#endif
