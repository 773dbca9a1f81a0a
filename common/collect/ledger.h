/* SPDX-License-Identifier: MIT */
/*
 * ledger.h - is the stream whole?
 *
 * The ledger is shown every frame that a program reads and every damage it
 * meets.  For every (run, scan) that appears, the receipts must cover serials
 * 0..N-1 of the run's END once, and their digests add up to END's.
 * 	Over a stream of chunks alone, CHUNK frames are the receipts.
 * 	A run has an id, a scan too.  Of several names of one run (a file, a
 * pipe, a copy compressed otherwise) the least is kept.  Inputs that begin
 * alike have one id unless --label differs: what of them does not agree is a
 * conflict.  Not thread-safe.
 */
#ifndef SEQF_COLLECT_LEDGER_H
#define SEQF_COLLECT_LEDGER_H

#include "base/base.h"
#include "rec/rec.h"

struct ledger;

int ledger_new(struct ledger **l, struct err *e);
void ledger_free(struct ledger *l);

enum { LEDGER_COPY = 1 };
/*
 * Take note of a frame.  Returns 0; LEDGER_COPY if it repeats a result or
 * chunk that was seen (the caller drops it; counted for the note); ERR_FORMAT
 * if its payload is malformed (counted as damage here: warn and go on);
 * ERR_NOMEM, and ERR_IO where very many names are sorted on disk.  A frame
 * whose receipt lies wholly inside of ranges that other frames cover is a copy
 * as well only if it is the very same frame; overlaps are judged at the end.
 */
int ledger_frame(struct ledger *l, const struct rec_frame *f, struct err *e);
/* Something was damaged or cut (REC_DAMAGE): the verdict is incomplete. */
void ledger_damage(struct ledger *l);
/* CHUNK frames count as receipts (rec-view -O fasta, --check). */
void ledger_judge_chunks(struct ledger *l);
/* A length that the output needs was never given. */
void ledger_no_length(struct ledger *l, const char *name);

/*
 * The verdict: 0 if everything is there; else ERR_INCOMPLETE with one line of
 * reason, and more lines, if any, by calling again (until 0; then it begins
 * anew).  The lines do not depend on the order of frames.
 * runs: number of runs that must appear, or 0.
 *	Incomplete is: no frame at all; a run without BEGIN, without END, with
 * disagreeing ENDs; a scan without BEGIN; missing serials (named as ranges,
 * the first ones of many); receipts of one chunk that disagree, or its
 * results as scanners wrote them; frames of one receipt missing (numbers,
 * last); digests that do not add up; ranges that overlap in part; two names
 * of one sequence; damage; too few or too many runs.
 *	Names are compared once: those that come after a verdict are not with
 * those before it.
 */
int ledger_verdict(struct ledger *l, uint64_t runs, struct err *e);
/* *whole: it has no line, of any runs.  0 or ERR_NOMEM. */
int ledger_whole(struct ledger *l, bool *whole, struct err *e);
/* Identical frames that were dropped. */
uint64_t ledger_copies(const struct ledger *l);
/* Name of the first input that came cut in two ways, both searched by one scan,
 * so that its rows are there twice; else of no letters. */
struct str ledger_cut_twice(struct ledger *l);

/*
 * Missing serials of every run as fasta-chunk --only @FILE reads them, appended
 * to b: one range "17" or "20-31" a line; with several runs or scans a comment
 * line "# run ... scan ..." before each.  ERR_INCOMPLETE if there is no END
 * that says how many there should be.
 */
int ledger_missing(struct ledger *l, struct buf *b, struct err *e);

/*
 * For merging in series: all ranges a scan of a run covers (adjacent ones
 * joined), to write receipts.  Results whose frames are not all there are left
 * out, and ranges that contradict each other get a digest that cannot add up,
 * so that the last stage sees both.  Runs and scans are in their order.
 */
size_t ledger_runs(const struct ledger *l);
const struct run_key *ledger_run(const struct ledger *l, size_t i);
size_t ledger_scans(const struct ledger *l, size_t run);
const struct scan_key *ledger_scan(const struct ledger *l, size_t run,
				   size_t i);
int ledger_ranges(struct ledger *l, size_t run, size_t scan,
		  const struct range **r, size_t *n, struct err *e);
/*
 * The length of a sequence longer than one chunk, from SEQ or its last CHUNK
 * (hits on shorter ones carry it themselves); LEN_UNKNOWN (result.h) if none
 * did.
 */
uint64_t ledger_length(const struct ledger *l, uint64_t run,
		       uint64_t ordinal);
/* Letters of the run, if one END gives them; else LEN_UNKNOWN. */
uint64_t ledger_letters(const struct ledger *l, size_t run);
/* Distinct BEGIN texts in run order; *scan 0 for a run's own. */
size_t ledger_begins(const struct ledger *l);
const struct begin *ledger_begin(const struct ledger *l, size_t i);
/* The i-th one of a scan of a run in the order of the hashes of their texts;
 * *b becomes NULL if there are no more.  ERR_NOMEM. */
int ledger_begin_of(struct ledger *l, uint64_t run, uint64_t scan, size_t i,
		    const struct begin **b, uint64_t *hash, struct err *e);

#endif
