/* SPDX-License-Identifier: MIT */
/*
 * result.c - result frames: what all of them share, and DONE
 *
 * Numbers are little-endian; var is LEB128 (7 bits a byte, low ones first),
 * zigzag a var of (v << 1) ^ (v >> 63), str a var length and as many bytes,
 * f64 an IEEE 754 double.  RUNKEY and RECEIPT are run.c's.  The header's run
 * is the run's id, its serial the first serial of the receipt (0 if it has no
 * range), its records the number of rows.  Nothing stands behind the last row.
 *
 * QUERY	var ordinal, var length, str name
 * SUBJECT	var ordinal, var length + 1 (0: not known), str name
 *
 * HITS		RUNKEY RECEIPT
 *		var n, n QUERY		the table of queries
 *		var n, n SUBJECT	the table of subjects
 *		rows:
 *		var	index in the table of queries
 *		var	index in the table of subjects
 *		u8	1 minus strand, 2 edits, 4 CIGAR, 8 letters, 16 sbeg is
 *			not known (then neither CIGAR nor letters); others 0
 *		var	send <= subject's length, if known
 *		var	send - sbeg <= send; not with 16
 *		var	qbeg
 *		var	qend - qbeg; qend <= query's length
 *		zigzag	score
 *		var	edits; with 2
 *		var n, n var	CIGAR operations, n > 0, length << 4 | code, as
 *			BAM's, length > 0; with 4.  M I D S = X only, S only at
 *			the ends; they consume qend - qbeg and send - sbeg
 *			letters (S none of these, but fits into the query)
 *		str	letters, send - sbeg of them; with 8
 *
 * TALLY	RUNKEY RECEIPT
 *		var n, n QUERY		ascending by ordinal
 *		rows, ascending by query, strand, edits:
 *		var	index in the table
 *		u8	0 plus, 1 minus
 *		var	edits
 *		var	count
 *
 * PRIMER	RUNKEY RECEIPT; the header's records are 1
 *		QUERY	the target
 *		str	options, canonical text
 *		u8	1 reverse complement, 2 second array; others 0
 *		var	beg
 *		var	n; beg + n <= target's length
 *		str	letters of the target from beg on, n or more of them,
 *			none behind the target's end
 *		n zigzag	end[j] - end[j - 1], with end[-1] = 0; each
 *			0 <= end[j] <= letters - j
 *		n zigzag	the same for end3; with 2
 *
 * DIST		RUNKEY RECEIPT
 *		str	metric
 *		u8	0 plain, 1 weighted
 *		var n, n SUBJECT	names
 *		rows:
 *		var	a, index in the table
 *		var	b, index in the table
 *		f64	value (weighted: mean), finite
 *		f64 f64 f64 var		weighted_mean, min, max, pairs; with 1
 *
 * DONE		RUNKEY RECEIPT; no rows
 *
 * Scan rules: HITS union or least, TALLY sum, PRIMER max, DIST union, DONE any.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "stream/codec.h"
