/* SPDX-License-Identifier: MIT */
/* printer_priv.h - what the files of printer share (private) */
#ifndef SEQF_PRINTER_PRIV_H
#define SEQF_PRINTER_PRIV_H

#include "base/index.h"
#include "stream/print.h"
#include "stream/spool.h"

enum { HELD_MEMORY = 16 << 20, LINE_MEMORY = 64 << 10 };

/* What a scan's rows are, whether any came or not. */
enum { PRINTER_HITS = 1, PRINTER_SUMS = 2, PRINTER_DISTS = 4 };

struct printer {
	struct printer_params pp;
	struct print_env env;
	const struct print_family *family;
	struct out *out;
	struct buf line;	/* rows on their way to out */
	struct buf row, ops;	/* one held row */
	struct queue held;	/* {u64 run, u64 scan, hit_put} */
	struct {		/* what the first held row waits for */
		bool on;
		uint64_t run, ordinal;
	} wait;
	struct lengths lengths;
	struct print_begin *begin;
	size_t n_begins, cap_begins;
	/* numbers + 1 of BEGINs: by run and hash of scan and text, the first by
	 * run and scan, the first in order by run */
	struct index by_text, by_scan, by_run;
	char source[64];	/* gff3's column 2, of the run last seen */
	uint64_t source_run;
	bool source_known;
	bool hit_head, tally_head, primer_head;
	bool no_table;		/* without rows there are no columns either */
	unsigned tables;	/* PRINTER_*, of the scans that were begun */
	int dist_head;		/* 0 none yet, 1 plain, 2 weighted */
	struct run_letters {
		uint64_t run, n;
	} *letters;		/* that are known */
	size_t n_letters, cap_letters;
	struct index letters_of;	/* numbers + 1 of them, by run */
	uint64_t stats_run, stats_scan;		/* of env.stats */
	bool stats_known;
	uint64_t n_unknown;	/* rows without a length at the end */
	char unknown[200];
};

/* NULL for what is no text. */
const struct print_family *printer_family(enum format f);
const char *printer_format(const struct printer *p);
/* Hand the lines over when there are more bytes than limit. */
int printer_push(struct printer *p, size_t limit, struct err *e);
/* Print held rows from the front until one has to wait. */
int printer_drain(struct printer *p, struct err *e);
/* env.stats become those of run and scan; false: not told yet. */
bool printer_find_stats(struct printer *p, uint64_t run, uint64_t scan);
/* gff3's column 2: the scanner of the run, else this program. */
void printer_find_source(struct printer *p, uint64_t run);

#endif
