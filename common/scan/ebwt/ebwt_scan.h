/* SPDX-License-Identifier: MIT */
/*
 * ebwt_scan.h - distances of whole sequences by their extended
 * Burrows-Wheeler transform: options to a compiled scan, a stream to DIST
 * frames or text
 */
#ifndef SEQF_SCAN_EBWT_EBWT_SCAN_H
#define SEQF_SCAN_EBWT_EBWT_SCAN_H

#include "ebwt/ebwt.h"
#include "input/input.h"
#include "scan/ebwt/ebwt_sums.h"
#include "scan/scan.h"

enum ebwt_what {
	EBWT_DISTANCES,
	EBWT_LISTING,	/* M_L, M_chi, M_gamma of each run's words */
	EBWT_WORDS,	/* the words, with their probabilities */
};

enum { EBWT_MAX_PARTS = 1 << 20 };

struct ebwt_options {
	enum ebwt_what what;
	enum ebwt_metric metric;
	double theta_pos, theta_word;
	bool extremes;		/* the least and the largest, too, of words */
	bool paper;		/* written-out rotations, and its thresholds */
	bool numbers;		/* a pair without a distance is an error */
	uint64_t most;		/* a run has no more sequences, or sets; 0: any
				   number */
	bool keeps;		/* the sink keeps rows until all came: text */
	bool header;		/* of listings and words */
	bool full_names;	/* names are whole headers */
	const char *by;		/* which sequences are one colour: record (also
				   NULL), file, prefix:C or @TABLE */
	bool both;		/* reverse complements are of the colour, too */
	int64_t n;		/* the nearest of each; 0: all pairs */
	uint64_t part, parts;	/* of so many parts of the pairs, which; 0: all
				   pairs */
	int64_t memory;		/* bytes; 0: no bound */
	enum ebwt_way way;	/* for tests */
	const struct ebwt_backend *backend;	/* or NULL */
	const struct gap_backend *gap_backend;	/* the same */
	/* Called by one thread; either may be NULL. */
	void (*note)(const char *text);	/* what memory it takes */
	void (*remark)(const char *text);	/* that it takes long, or
					   what has no distances */
	void (*progress)(uint64_t done, uint64_t of);
	void (*share)(double of_time);	/* that progress counts; of text the
					   rest is for rows; or NULL */
};

struct ebwt_scan;
/*
 * Without queries: distances of all pairs of a run's sequences.  With them: of
 * each to each sequence.  They must outlive the scan, and become upper case.
 * ERR_USAGE for thresholds out of [0, 1], and for what does not go together.
 */
int ebwt_scan_new(struct ebwt_scan **s, const struct ebwt_options *o,
		  struct queries *q, struct err *e);

/*
 * Read everything; then DIST frames go to the sink, which is finished
 * (scan_run.h), other text to `text`.  ERR_INCOMPLETE, before any result, if a
 * sequence, or (of all pairs, listings and words) a chunk is missing.
 */
int ebwt_scan_run(const struct scan_run *r, struct ebwt_scan *s,
		  struct out *text, uint64_t *n_letters, struct err *e);

/* Names of the scan's sequences become whole headers, with full_names; for the
 * sink, while the scan runs. */
void ebwt_full_names(void *scan, struct dist *d);

/*
 * Words from the lines of a listing, as FASTA.  ERR_FORMAT, naming the line or
 * saying that no words have such a transform; ERR_LIMIT.
 */
int ebwt_restore_text(char *const *operand, size_t n, unsigned threads,
		      struct out *to, struct err *e);

#endif
