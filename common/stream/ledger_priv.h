/* SPDX-License-Identifier: MIT */
/* ledger_priv.h - what the ledger remembers; private to ledger*.c */
#ifndef SEQF_LEDGER_PRIV_H
#define SEQF_LEDGER_PRIV_H

#include "stream/ledger.h"

/*
 * Frames are only appended to the lists of their scan; sorting is left to the
 * verdict: O(n log n) once, for millions of chunks.  A chunk takes 24 bytes
 * here, as many again while they are sorted, and those of its led_slot.
 *	Nearly all frames are alone with their receipt, and it has one range:
 * a led_one.  Frames whose receipts list the same ranges (digests and all)
 * form a group, told by a hash of that list.
 */
struct led_one {
	uint64_t first, digest;
	uint32_t n, letters;	/* serials; larger ones are no led_one */
};
struct led_frame {
	uint64_t group;
	uint32_t number, last;
};
struct led_range {
	struct range r;
	uint64_t group;
};

enum led_fault {
	LED_DISAGREE,	/* one chunk, two receipts that differ */
	LED_FRAMES,	/* numbers of one receipt missing */
	LED_OVERLAP,	/* ranges that overlap in part */
	LED_TWICE,	/* covered twice by results that add up */
	LED_FAULTS,
};

/* What the ranges of a scan come to. */
struct led_cover {
	struct buf joined;	/* struct range: the largest, disjoint,
				   adjacent ones made one */
	bool fault[LED_FAULTS];
	uint64_t at[LED_FAULTS];	/* the least serial of each fault */
};

struct led_scan {
	struct scan_key key;
	char *text;		/* the key's strings */
	struct buf ones;
	struct buf frames, ranges;	/* of others: led_frame, led_range */
	struct buf needs;	/* uint64_t: BEGIN texts that must be there */
	bool stale;		/* cover is older than the lists */
	struct led_cover cover;
};

struct led_run {
	struct run_key key;
	char *text;
	bool begun, ended, ends_differ;
	struct run_end end;
	struct led_scan chunks;	/* CHUNK frames as receipts */
	struct led_scan **scan;	/* in their order */
	size_t n_scans;
};

struct led_slot {		/* of a set of 128-bit hashes; 0 0 is empty */
	uint64_t a, b;
};
struct led_length {
	uint64_t run, ordinal, length;	/* LEN_UNKNOWN: empty */
};

struct ledger {
	struct led_run **run;	/* by id, or by key after led_sort() */
	size_t n_runs, last_run;
	bool by_key;
	struct begin **begin;	/* in order of run, scan, text */
	size_t n_begins;
	struct led_slot *seen;
	size_t n_seen, seen_cap;
	struct led_length *length;
	size_t n_lengths, length_cap;
	struct buf seq_runs;	/* uint64_t, ascending: ids that SEQ named */
	bool any, damaged, judge_chunks, lengths_differ;
	uint64_t copies, no_lengths;
	char no_length[128];	/* the least name, for a verdict that does not
				   depend on the order of arrival */
	/* the verdict: lines, each with its 0 */
	struct buf reasons;
	size_t reason_at, n_reasons;
	uint64_t runs_wanted;
	bool judged;
};

/* Find, or make, keeping the order; NULL: no memory. */
struct led_run *led_run(struct ledger *l, const struct run_key *k);
struct led_scan *led_scan(struct led_run *r, const struct scan_key *k);
bool led_begin(struct ledger *l, const struct begin *b);
/* Is there a BEGIN of the scan whose text has this hash? */
bool led_has_begin(const struct ledger *l, uint64_t run, uint64_t scan,
		   uint64_t hash);
/* Is there a BEGIN of the scan beside those that receipts need? */
bool led_scan_begun(const struct ledger *l, const struct led_run *r,
		    const struct led_scan *s);
void led_keys_free(struct ledger *l);
void led_sort(struct ledger *l, bool by_key);

int led_note_length(struct ledger *l, uint64_t run, uint64_t ordinal,
		    uint64_t length, struct err *e);
/* SEQ tells no key but its run's id: keep these, to miss a run by. */
bool led_seq_run(struct ledger *l, uint64_t run);
/* The least run that SEQ frames name and no other frame.  ids: for its use,
 * ids->bad tells that there was no memory. */
bool led_unknown_seq(const struct ledger *l, uint64_t *run, struct buf *ids);

/*
 * Both lists of a scan as one, in the order of their ranges, those that nest in
 * another one behind it; the ranges of a group once.
 */
struct led_list {
	const struct led_one *one, *one_end;
	const struct led_range *range, *range_end;
	struct buf bad;		/* groups that are not whole; to be freed */
	enum scan_rule rule;
};
bool led_list_begin(struct led_list *l, struct led_scan *s);	/* false: no
								   memory */
/* fault: why it does not count, or LED_FAULTS; false: no more. */
bool led_list_next(struct led_list *l, struct range *r, int *fault);

/* In a run without chunks: no range tells of a result that is not there, but
 * of nothing the maximum is known, too.  After led_cover(). */
bool led_lacks_maximum(const struct led_scan *s);

/* false: no memory. */
bool led_cover(struct led_scan *s);
void led_cover_free(struct led_cover *c);

/* The next serials [*beg, *end) below n that no range covers, from *end on;
 * i and *end begin as 0.  False: no more. */
bool led_gap(const struct led_cover *c, uint64_t n, size_t *i, uint64_t *beg,
	     uint64_t *end);

#endif
