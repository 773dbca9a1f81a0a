/* SPDX-License-Identifier: MIT */
/* ledger_priv.h - what the ledger remembers; private to ledger*.c */
#ifndef SEQF_COLLECT_LEDGER_PRIV_H
#define SEQF_COLLECT_LEDGER_PRIV_H

#include "base/base.h"
#include "collect/collect.h"

/*
 * Frames are only appended to the lists of their scan; sorting is left to the
 * verdict: O(n log n) once, for millions of chunks.  A chunk takes 32 bytes
 * here, as many again while they are sorted, and those of its led_slot.
 * Runs, scans and BEGINs are found in balanced trees, so that no number of
 * them, nor any choice of ids, takes more than O(log n) a frame.
 *	Nearly all frames are alone with their receipt, and it has one range:
 * a led_one.  Frames whose receipts list the same ranges (digests and all)
 * form a group, identified by a hash of that list.
 *	content: hash of what an unmerged result says; 0 if a merge wrote it.
 * Two of one receipt that are not 0 must be equal: scanners are deterministic.
 */
struct led_one {
	uint64_t first, digest, content;
	uint32_t n, letters;	/* serials; larger ones are no led_one */
};
struct led_frame {
	uint64_t group, content;
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
	size_t n_lacking;	/* results of several frames that lack some, */
	uint64_t lacks;		/* and the first frame of the last of these */
};

/* A set of numbers; ids_sort() makes them ascending and each one once. */
struct led_ids {
	struct buf b;
	size_t n_sorted;
};
const uint64_t *ids_sort(struct led_ids *s, size_t *n);

struct led_scan {
	struct scan_key key;
	struct buf text;	/* the key's strings */
	struct buf ones;
	struct buf frames, ranges;	/* of others: led_frame, led_range */
	struct led_ids needs;	/* BEGIN texts that must be there */
	bool stale;		/* cover is older than the lists */
	struct led_cover cover;
};

struct led_run {
	struct run_key key;
	struct buf text;
	bool begun, ended, ends_differ, versions_differ;
	struct run_end end;
	struct led_scan chunks;	/* CHUNK frames as receipts */
	struct led_scan **scan;	/* in their order after led_sort() */
	size_t n_scans;
	struct index by_id;	/* of them, by id and rule */
	bool sorted;
};

struct led_text {		/* a BEGIN by the hash of its text */
	uint64_t run, scan, hash;
	const struct begin *begin;
};

struct led_slot {		/* of a set of 128-bit hashes; 0 0 is empty */
	uint64_t a, b;
};

struct ledger {
	struct led_run **run;	/* by key after led_sort() */
	size_t n_runs;
	struct index by_id;	/* of them */
	struct led_run *last_run;	/* most frames are of the run before */
	struct begin_own **begin;	/* in order after led_sort() */
	size_t n_begins;
	void *begins;		/* of them, a tree (search.h) */
	struct led_text *text;	/* of them, sorted; NULL: not made yet */
	bool sorted;
	struct led_slot *seen;
	size_t n_seen, seen_cap;
	struct lengths lengths;		/* with a name: rows lack it */
	struct led_ids seq_runs;	/* ids that SEQ named */
	struct sorter *names;	/* struct led_name; NULL: none since the last
				   verdict */
	struct led_name *two_names;	/* the least sequence that has two */
	bool any, damaged, judge_chunks, lengths_differ;
	uint64_t copies;
	/* the verdict: lines, each with its 0 */
	struct buf reasons;
	size_t reason_at, n_reasons;
	uint64_t runs_wanted;
	bool judged;
};

/* Find, or make; NULL: no memory. */
struct led_run *led_run(struct ledger *l, const struct run_key *k);
struct led_scan *led_scan(struct ledger *l, struct led_run *r,
			  const struct scan_key *k);
/* Makes l->text, for the next two. */
int led_texts(struct ledger *l, struct err *e);
/* Is there a BEGIN of the scan whose text has this hash? */
bool led_has_begin(const struct ledger *l, uint64_t run, uint64_t scan,
		   uint64_t hash);
/* Is there a BEGIN of the scan beside those that receipts need? */
bool led_scan_begun(const struct ledger *l, const struct led_run *r,
		    struct led_scan *s);
/* Runs, their scans and BEGINs in their order. */
void led_sort(struct ledger *l);

/*
 * Names of sequences, as hashes, sorted and when they are many on disk: two of
 * one (run, ordinal) are two inputs taken for one.  CHUNK's names are in its
 * digest, so those of whole records are not kept.
 */
struct led_name {
	uint32_t size, zero;	/* base.h */
	uint64_t run, ordinal, hash;
};
int led_judge_names(struct ledger *l, struct err *e);	/* two_names */

/* The least run that SEQ frames, which have no key but its id, name, and no
 * other frame. */
bool led_unknown_seq(struct ledger *l, uint64_t *run);

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

/* false: no memory. */
bool led_cover(struct led_scan *s);
void led_cover_free(struct led_cover *c);

#endif
