/* SPDX-License-Identifier: MIT */
/*
 * printer.h - results as text: tsv, paf, sam, bed, gff3, json, ...
 *
 * On a terminal tsv stands in columns, and pretty is as wide as it.  Formats
 * that need a subject's length hold their rows until it is known, in
 * memory at first, then in a spool file in $TMPDIR; sam holds all of them for
 * its @SQ lines, blast6 those of a scan with lambda and K until END gives the
 * run's letters.  Rows come out in the order they went in.
 */
#ifndef SEQF_OUTPUT_PRINTER_H
#define SEQF_OUTPUT_PRINTER_H

#include "base/base.h"
#include "collect/collect.h"
#include "input/input.h"
#include "rec/rec.h"

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
		   struct str name, uint64_t length, struct err *e);
/* Letters of all sequences of the run (END). */
int printer_letters(struct printer *p, uint64_t run, uint64_t n,
		    struct err *e);
/* For @PG, and lambda and K. */
int printer_begin(struct printer *p, const struct begin *b, struct err *e);
/* Its rows are not all there and are kept back: nor are there columns then. */
void printer_no_table(struct printer *p);
/* The rows given are incomplete, and why: a picture says so, and json's array
 * stays open.  Other rows cannot; for them the exit status says it. */
void printer_lacks(struct printer *p, const char *why);
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

#endif
