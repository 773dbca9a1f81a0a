/* SPDX-License-Identifier: MIT */
/* sw_scoring.c - what options say of scores; matrices that are built in */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "input/input.h"
#include "letters/letters.h"
#include "scan/sw/sw.h"

/*
 * The matrices that are built in, up to their diagonals
 *
 * BLOSUM: Henikoff and Henikoff 1992; PAM: Dayhoff, Schwartz and Orcutt 1978.
 * Scores and default gap costs are those of NCBI BLAST (sm_*.c, and what
 * blast_stat.c marks as best); PAM120, which it lacks, is what the program pam
 * 1.0.6 gives in half bits, with the gap costs of BLOSUM62, of the same scale.
 */

static const int8_t blosum45[] = {
	/* A */ 5,
	/* R */ -2, 7,
	/* N */ -1, 0, 6,
	/* D */ -2, -1, 2, 7,
	/* C */ -1, -3, -2, -3, 12,
	/* Q */ -1, 1, 0, 0, -3, 6,
	/* E */ -1, 0, 0, 2, -3, 2, 6,
	/* G */ 0, -2, 0, -1, -3, -2, -2, 7,
	/* H */ -2, 0, 1, 0, -3, 1, 0, -2, 10,
	/* I */ -1, -3, -2, -4, -3, -2, -3, -4, -3, 5,
	/* L */ -1, -2, -3, -3, -2, -2, -2, -3, -2, 2, 5,
	/* K */ -1, 3, 0, 0, -3, 1, 1, -2, -1, -3, -3, 5,
	/* M */ -1, -1, -2, -3, -2, 0, -2, -2, 0, 2, 2, -1, 6,
	/* F */ -2, -2, -2, -4, -2, -4, -3, -3, -2, 0, 1, -3, 0, 8,
	/* P */ -1, -2, -2, -1, -4, -1, 0, -2, -2, -2, -3, -1, -2, -3, 9,
	/* S */ 1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -3, -1, -2, -2, -1, 4,
	/* T */ 0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -1, -1, 2, 5,
	/* W */ -2, -2, -4, -4, -5, -2, -3, -2, -3, -2, -2, -2, -2, 1, -3, -4,
		-3, 15,
	/* Y */ -2, -1, -2, -2, -3, -1, -2, -3, 2, 0, 0, -1, 0, 3, -3, -2, -1,
		3, 8,
	/* V */ 0, -2, -3, -3, -1, -3, -3, -3, -3, 3, 1, -2, 1, 0, -3, -1, 0,
		-3, -1, 5,
	/* B */ -1, -1, 5, 6, -2, 0, 1, -1, 0, -3, -3, 0, -2, -3, -2, 0, 0, -4,
		-2, -3, 5,
	/* J */ -1, -3, -3, -3, -2, -2, -3, -4, -2, 4, 4, -3, 2, 1, -3, -2, -1,
		-2, 0, 2, -3, 4,
	/* Z */ -1, 1, 0, 1, -3, 4, 5, -2, 0, -3, -2, 1, -1, -3, -1, 0, -1, -2,
		-2, -3, 1, -2, 5,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5,
		-5, -5, -5, -5, -5, -5, -5, -5, 1,
};

static const int8_t blosum50[] = {
	/* A */ 5,
	/* R */ -2, 7,
	/* N */ -1, -1, 7,
	/* D */ -2, -2, 2, 8,
	/* C */ -1, -4, -2, -4, 13,
	/* Q */ -1, 1, 0, 0, -3, 7,
	/* E */ -1, 0, 0, 2, -3, 2, 6,
	/* G */ 0, -3, 0, -1, -3, -2, -3, 8,
	/* H */ -2, 0, 1, -1, -3, 1, 0, -2, 10,
	/* I */ -1, -4, -3, -4, -2, -3, -4, -4, -4, 5,
	/* L */ -2, -3, -4, -4, -2, -2, -3, -4, -3, 2, 5,
	/* K */ -1, 3, 0, -1, -3, 2, 1, -2, 0, -3, -3, 6,
	/* M */ -1, -2, -2, -4, -2, 0, -2, -3, -1, 2, 3, -2, 7,
	/* F */ -3, -3, -4, -5, -2, -4, -3, -4, -1, 0, 1, -4, 0, 8,
	/* P */ -1, -3, -2, -1, -4, -1, -1, -2, -2, -3, -4, -1, -3, -4, 10,
	/* S */ 1, -1, 1, 0, -1, 0, -1, 0, -1, -3, -3, 0, -2, -3, -1, 5,
	/* T */ 0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 2, 5,
	/* W */ -3, -3, -4, -5, -5, -1, -3, -3, -3, -3, -2, -3, -1, 1, -4, -4,
		-3, 15,
	/* Y */ -2, -1, -2, -3, -3, -1, -2, -3, 2, -1, -1, -2, 0, 4, -3, -2,
		-2, 2, 8,
	/* V */ 0, -3, -3, -4, -1, -3, -3, -4, -4, 4, 1, -3, 1, -1, -3, -2, 0,
		-3, -1, 5,
	/* B */ -2, -1, 5, 6, -3, 0, 1, -1, 0, -4, -4, 0, -3, -4, -2, 0, 0, -5,
		-3, -3, 6,
	/* J */ -2, -3, -4, -4, -2, -3, -3, -4, -3, 4, 4, -3, 2, 1, -3, -3, -1,
		-2, -1, 2, -4, 4,
	/* Z */ -1, 0, 0, 1, -3, 4, 5, -2, 0, -3, -3, 1, -1, -4, -1, 0, -1, -2,
		-2, -3, 1, -3, 5,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5,
		-5, -5, -5, -5, -5, -5, -5, -5, 1,
};

static const int8_t blosum62[] = {
	/* A */ 4,
	/* R */ -1, 5,
	/* N */ -2, 0, 6,
	/* D */ -2, -2, 1, 6,
	/* C */ 0, -3, -3, -3, 9,
	/* Q */ -1, 1, 0, 0, -3, 5,
	/* E */ -1, 0, 0, 2, -4, 2, 5,
	/* G */ 0, -2, 0, -1, -3, -2, -2, 6,
	/* H */ -2, 0, 1, -1, -3, 0, 0, -2, 8,
	/* I */ -1, -3, -3, -3, -1, -3, -3, -4, -3, 4,
	/* L */ -1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4,
	/* K */ -1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5,
	/* M */ -1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5,
	/* F */ -2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6,
	/* P */ -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,
	/* S */ 1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4,
	/* T */ 0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5,
	/* W */ -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3,
		-2, 11,
	/* Y */ -2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2,
		-2, 2, 7,
	/* V */ 0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0,
		-3, -1, 4,
	/* B */ -2, -1, 4, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1,
		-4, -3, -3, 4,
	/* J */ -1, -2, -3, -3, -1, -2, -3, -4, -3, 3, 3, -3, 2, 0, -3, -2, -1,
		-2, -1, 2, -3, 3,
	/* Z */ -1, 0, 0, 1, -3, 4, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -2,
		-2, -2, 0, -3, 4,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4,
		-4, -4, -4, -4, -4, -4, -4, -4, 1,
};

static const int8_t blosum80[] = {
	/* A */ 5,
	/* R */ -2, 6,
	/* N */ -2, -1, 6,
	/* D */ -2, -2, 1, 6,
	/* C */ -1, -4, -3, -4, 9,
	/* Q */ -1, 1, 0, -1, -4, 6,
	/* E */ -1, -1, -1, 1, -5, 2, 6,
	/* G */ 0, -3, -1, -2, -4, -2, -3, 6,
	/* H */ -2, 0, 0, -2, -4, 1, 0, -3, 8,
	/* I */ -2, -3, -4, -4, -2, -3, -4, -5, -4, 5,
	/* L */ -2, -3, -4, -5, -2, -3, -4, -4, -3, 1, 4,
	/* K */ -1, 2, 0, -1, -4, 1, 1, -2, -1, -3, -3, 5,
	/* M */ -1, -2, -3, -4, -2, 0, -2, -4, -2, 1, 2, -2, 6,
	/* F */ -3, -4, -4, -4, -3, -4, -4, -4, -2, -1, 0, -4, 0, 6,
	/* P */ -1, -2, -3, -2, -4, -2, -2, -3, -3, -4, -3, -1, -3, -4, 8,
	/* S */ 1, -1, 0, -1, -2, 0, 0, -1, -1, -3, -3, -1, -2, -3, -1, 5,
	/* T */ 0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -2, -1, -1, -2, -2, 1, 5,
	/* W */ -3, -4, -4, -6, -3, -3, -4, -4, -3, -3, -2, -4, -2, 0, -5, -4,
		-4, 11,
	/* Y */ -2, -3, -3, -4, -3, -2, -3, -4, 2, -2, -2, -3, -2, 3, -4, -2,
		-2, 2, 7,
	/* V */ 0, -3, -4, -4, -1, -3, -3, -4, -4, 3, 1, -3, 1, -1, -3, -2, 0,
		-3, -2, 4,
	/* B */ -2, -1, 5, 5, -4, 0, 1, -1, -1, -4, -4, -1, -3, -4, -2, 0, -1,
		-5, -3, -4, 5,
	/* J */ -2, -3, -4, -5, -2, -3, -4, -5, -4, 3, 3, -3, 2, 0, -4, -3, -1,
		-3, -2, 2, -4, 3,
	/* Z */ -1, 0, 0, 1, -4, 4, 5, -3, 0, -4, -3, 1, -1, -4, -2, 0, -1, -3,
		-3, -3, 0, -3, 5,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6,
		-6, -6, -6, -6, -6, -6, -6, -6, 1,
};

static const int8_t blosum90[] = {
	/* A */ 5,
	/* R */ -2, 6,
	/* N */ -2, -1, 7,
	/* D */ -3, -3, 1, 7,
	/* C */ -1, -5, -4, -5, 9,
	/* Q */ -1, 1, 0, -1, -4, 7,
	/* E */ -1, -1, -1, 1, -6, 2, 6,
	/* G */ 0, -3, -1, -2, -4, -3, -3, 6,
	/* H */ -2, 0, 0, -2, -5, 1, -1, -3, 8,
	/* I */ -2, -4, -4, -5, -2, -4, -4, -5, -4, 5,
	/* L */ -2, -3, -4, -5, -2, -3, -4, -5, -4, 1, 5,
	/* K */ -1, 2, 0, -1, -4, 1, 0, -2, -1, -4, -3, 6,
	/* M */ -2, -2, -3, -4, -2, 0, -3, -4, -3, 1, 2, -2, 7,
	/* F */ -3, -4, -4, -5, -3, -4, -5, -5, -2, -1, 0, -4, -1, 7,
	/* P */ -1, -3, -3, -3, -4, -2, -2, -3, -3, -4, -4, -2, -3, -4, 8,
	/* S */ 1, -1, 0, -1, -2, -1, -1, -1, -2, -3, -3, -1, -2, -3, -2, 5,
	/* T */ 0, -2, 0, -2, -2, -1, -1, -3, -2, -1, -2, -1, -1, -3, -2, 1, 6,
	/* W */ -4, -4, -5, -6, -4, -3, -5, -4, -3, -4, -3, -5, -2, 0, -5, -4,
		-4, 11,
	/* Y */ -3, -3, -3, -4, -4, -3, -4, -5, 1, -2, -2, -3, -2, 3, -4, -3,
		-2, 2, 8,
	/* V */ -1, -3, -4, -5, -2, -3, -3, -5, -4, 3, 0, -3, 0, -2, -3, -2,
		-1, -3, -3, 5,
	/* B */ -2, -2, 5, 5, -4, -1, 1, -2, -1, -5, -5, -1, -4, -4, -3, 0, -1,
		-6, -4, -4, 5,
	/* J */ -2, -3, -4, -5, -2, -3, -4, -5, -4, 3, 4, -3, 2, 0, -4, -3, -2,
		-3, -2, 1, -5, 4,
	/* Z */ -1, 0, -1, 1, -5, 5, 5, -3, 0, -4, -4, 1, -2, -4, -2, -1, -1,
		-4, -3, -3, 0, -4, 5,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6, -6,
		-6, -6, -6, -6, -6, -6, -6, -6, 1,
};

static const int8_t pam30[] = {
	/* A */ 6,
	/* R */ -7, 8,
	/* N */ -4, -6, 8,
	/* D */ -3, -10, 2, 8,
	/* C */ -6, -8, -11, -14, 10,
	/* Q */ -4, -2, -3, -2, -14, 8,
	/* E */ -2, -9, -2, 2, -14, 1, 8,
	/* G */ -2, -9, -3, -3, -9, -7, -4, 6,
	/* H */ -7, -2, 0, -4, -7, 1, -5, -9, 9,
	/* I */ -5, -5, -5, -7, -6, -8, -5, -11, -9, 8,
	/* L */ -6, -8, -7, -12, -15, -5, -9, -10, -6, -1, 7,
	/* K */ -7, 0, -1, -4, -14, -3, -4, -7, -6, -6, -8, 7,
	/* M */ -5, -4, -9, -11, -13, -4, -7, -8, -10, -1, 1, -2, 11,
	/* F */ -8, -9, -9, -15, -13, -13, -14, -9, -6, -2, -3, -14, -4, 9,
	/* P */ -2, -4, -6, -8, -8, -3, -5, -6, -4, -8, -7, -6, -8, -10, 8,
	/* S */ 0, -3, 0, -4, -3, -5, -4, -2, -6, -7, -8, -4, -5, -6, -2, 6,
	/* T */ -1, -6, -2, -5, -8, -5, -6, -6, -7, -2, -7, -3, -4, -9, -4, 0,
		7,
	/* W */ -13, -2, -8, -15, -15, -13, -17, -15, -7, -14, -6, -12, -13,
		-4, -14, -5, -13, 13,
	/* Y */ -8, -10, -4, -11, -4, -12, -8, -14, -3, -6, -7, -9, -11, 2,
		-13, -7, -6, -5, 10,
	/* V */ -2, -8, -8, -8, -6, -7, -6, -5, -6, 2, -2, -9, -1, -8, -6, -6,
		-3, -15, -7, 7,
	/* B */ -3, -7, 6, 6, -12, -3, 1, -3, -1, -6, -9, -2, -10, -10, -7, -1,
		-3, -10, -6, -8, 6,
	/* J */ -6, -7, -6, -10, -9, -5, -7, -10, -7, 5, 6, -7, 0, -2, -7, -8,
		-5, -7, -7, 0, -8, 6,
	/* Z */ -3, -4, -3, 1, -14, 6, 6, -5, -1, -6, -7, -4, -5, -13, -4, -5,
		-6, -14, -9, -6, 0, -6, 6,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -17, -17, -17, -17, -17, -17, -17, -17, -17, -17, -17, -17,
		-17, -17, -17, -17, -17, -17, -17, -17, -17, -17, -17, -17, 1,
};

static const int8_t pam70[] = {
	/* A */ 5,
	/* R */ -4, 8,
	/* N */ -2, -3, 6,
	/* D */ -1, -6, 3, 6,
	/* C */ -4, -5, -7, -9, 9,
	/* Q */ -2, 0, -1, 0, -9, 7,
	/* E */ -1, -5, 0, 3, -9, 2, 6,
	/* G */ 0, -6, -1, -1, -6, -4, -2, 6,
	/* H */ -4, 0, 1, -1, -5, 2, -2, -6, 8,
	/* I */ -2, -3, -3, -5, -4, -5, -4, -6, -6, 7,
	/* L */ -4, -6, -5, -8, -10, -3, -6, -7, -4, 1, 6,
	/* K */ -4, 2, 0, -2, -9, -1, -2, -5, -3, -4, -5, 6,
	/* M */ -3, -2, -5, -7, -9, -2, -4, -6, -6, 1, 2, 0, 10,
	/* F */ -6, -7, -6, -10, -8, -9, -9, -7, -4, 0, -1, -9, -2, 8,
	/* P */ 0, -2, -3, -4, -5, -1, -3, -3, -2, -5, -5, -4, -5, -7, 7,
	/* S */ 1, -1, 1, -1, -1, -3, -2, 0, -3, -4, -6, -2, -3, -4, 0, 5,
	/* T */ 1, -4, 0, -2, -5, -3, -3, -3, -4, -1, -4, -1, -2, -6, -2, 2, 6,
	/* W */ -9, 0, -6, -10, -11, -8, -11, -10, -5, -9, -4, -7, -8, -2, -9,
		-3, -8, 13,
	/* Y */ -5, -7, -3, -7, -2, -8, -6, -9, -1, -4, -4, -7, -7, 4, -9, -5,
		-4, -3, 9,
	/* V */ -1, -5, -5, -5, -4, -4, -4, -3, -4, 3, 0, -6, 0, -5, -3, -3,
		-1, -10, -5, 6,
	/* B */ -1, -4, 5, 5, -8, -1, 2, -1, 0, -4, -6, -1, -6, -7, -4, 0, -1,
		-7, -4, -5, 5,
	/* J */ -3, -5, -4, -7, -7, -3, -5, -7, -4, 4, 5, -5, 2, -1, -5, -5,
		-3, -5, -4, 1, -5, 5,
	/* Z */ -1, -2, -1, 2, -9, 5, 5, -3, 1, -4, -4, -2, -3, -9, -2, -2, -3,
		-10, -7, -4, 1, -4, 5,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11,
		-11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, -11, 1,
};

static const int8_t pam120[] = {
	/* A */ 3,
	/* R */ -3, 6,
	/* N */ -1, -1, 4,
	/* D */ 0, -3, 2, 5,
	/* C */ -3, -4, -5, -7, 9,
	/* Q */ -1, 1, 0, 1, -7, 6,
	/* E */ 0, -3, 1, 3, -7, 2, 5,
	/* G */ 1, -4, 0, 0, -4, -3, -1, 5,
	/* H */ -3, 1, 2, 0, -4, 3, -1, -4, 7,
	/* I */ -1, -2, -2, -3, -3, -3, -3, -4, -4, 6,
	/* L */ -3, -4, -4, -5, -7, -2, -4, -5, -3, 1, 5,
	/* K */ -2, 2, 1, -1, -7, 0, -1, -3, -2, -3, -4, 5,
	/* M */ -2, -1, -3, -4, -6, -1, -3, -4, -4, 1, 3, 0, 8,
	/* F */ -4, -5, -4, -7, -6, -6, -7, -5, -3, 0, 0, -7, -1, 8,
	/* P */ 1, -1, -2, -3, -4, 0, -2, -2, -1, -3, -3, -2, -3, -5, 6,
	/* S */ 1, -1, 1, 0, 0, -2, -1, 1, -2, -2, -4, -1, -2, -3, 1, 3,
	/* T */ 1, -2, 0, -1, -3, -2, -2, -1, -3, 0, -3, -1, -1, -4, -1, 2, 4,
	/* W */ -7, 1, -4, -8, -8, -6, -8, -8, -3, -6, -3, -5, -6, -1, -7, -2,
		-6, 12,
	/* Y */ -4, -5, -2, -5, -1, -5, -5, -6, -1, -2, -2, -5, -4, 4, -6, -3,
		-3, -2, 8,
	/* V */ 0, -3, -3, -3, -3, -3, -3, -2, -3, 3, 1, -4, 1, -3, -2, -2, 0,
		-8, -3, 5,
	/* B */ 0, -2, 3, 4, -6, 0, 3, 0, 1, -3, -4, 0, -4, -5, -2, 0, 0, -6,
		-3, -3, 4,
	/* Z */ -1, -1, 0, 3, -7, 4, 4, -2, 1, -3, -3, -1, -2, -6, -1, -1, -2,
		-7, -5, -3, 2, 4,
	/* X */ -1, -2, -1, -2, -4, -1, -1, -2, -2, -1, -2, -2, -2, -3, -2, -1,
		-1, -5, -3, -1, -1, -1, -2,
	/* * */ -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8,
		-8, -8, -8, -8, -8, -8, -8, 1,
};

static const int8_t pam250[] = {
	/* A */ 2,
	/* R */ -2, 6,
	/* N */ 0, 0, 2,
	/* D */ 0, -1, 2, 4,
	/* C */ -2, -4, -4, -5, 12,
	/* Q */ 0, 1, 1, 2, -5, 4,
	/* E */ 0, -1, 1, 3, -5, 2, 4,
	/* G */ 1, -3, 0, 1, -3, -1, 0, 5,
	/* H */ -1, 2, 2, 1, -3, 3, 1, -2, 6,
	/* I */ -1, -2, -2, -2, -2, -2, -2, -3, -2, 5,
	/* L */ -2, -3, -3, -4, -6, -2, -3, -4, -2, 2, 6,
	/* K */ -1, 3, 1, 0, -5, 1, 0, -2, 0, -2, -3, 5,
	/* M */ -1, 0, -2, -3, -5, -1, -2, -3, -2, 2, 4, 0, 6,
	/* F */ -3, -4, -3, -6, -4, -5, -5, -5, -2, 1, 2, -5, 0, 9,
	/* P */ 1, 0, 0, -1, -3, 0, -1, 0, 0, -2, -3, -1, -2, -5, 6,
	/* S */ 1, 0, 1, 0, 0, -1, 0, 1, -1, -1, -3, 0, -2, -3, 1, 2,
	/* T */ 1, -1, 0, 0, -2, -1, 0, 0, -1, 0, -2, 0, -1, -3, 0, 1, 3,
	/* W */ -6, 2, -4, -7, -8, -5, -7, -7, -3, -5, -2, -3, -4, 0, -6, -2,
		-5, 17,
	/* Y */ -3, -4, -2, -4, 0, -4, -4, -5, 0, -1, -1, -4, -2, 7, -5, -3,
		-3, 0, 10,
	/* V */ 0, -2, -2, -2, -2, -2, -2, -1, -2, 4, 2, -2, 2, -1, -1, -1, 0,
		-6, -2, 4,
	/* B */ 0, -1, 2, 3, -4, 1, 3, 0, 1, -2, -3, 1, -2, -4, -1, 0, 0, -5,
		-3, -2, 3,
	/* J */ -1, -3, -3, -3, -5, -2, -3, -4, -2, 3, 5, -3, 3, 2, -2, -2, -1,
		-3, -1, 2, -3, 5,
	/* Z */ 0, 0, 1, 3, -5, 3, 3, 0, 2, -2, -3, 0, -2, -5, 0, 0, -1, -6,
		-4, -2, 2, -2, 3,
	/* X */ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
	/* * */ -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8, -8,
		-8, -8, -8, -8, -8, -8, -8, -8, 1,
};

static const struct sw_builtin {
	const char *name, *symbols;
	int32_t open, extend;	/* the default */
	const int8_t *score;	/* row by row up to the diagonal */
} sw_builtins[] = {
	{ "BLOSUM45", "ARNDCQEGHILKMFPSTWYVBJZX*", 14, 2, blosum45 },
	{ "BLOSUM50", "ARNDCQEGHILKMFPSTWYVBJZX*", 13, 2, blosum50 },
	{ "BLOSUM62", "ARNDCQEGHILKMFPSTWYVBJZX*", 11, 1, blosum62 },
	{ "BLOSUM80", "ARNDCQEGHILKMFPSTWYVBJZX*", 10, 1, blosum80 },
	{ "BLOSUM90", "ARNDCQEGHILKMFPSTWYVBJZX*", 10, 1, blosum90 },
	{ "PAM30", "ARNDCQEGHILKMFPSTWYVBJZX*", 9, 1, pam30 },
	{ "PAM70", "ARNDCQEGHILKMFPSTWYVBJZX*", 10, 1, pam70 },
	{ "PAM120", "ARNDCQEGHILKMFPSTWYVBZX*", 11, 1, pam120 },
	{ "PAM250", "ARNDCQEGHILKMFPSTWYVBJZX*", 14, 2, pam250 },
	{ NULL, NULL, 0, 0, NULL },
};

/* A matrix as it is written. */
struct sw_matrix {
	size_t n;
	uint8_t symbol[SW_LETTERS];
	int32_t score[SW_LETTERS][SW_LETTERS];	/* [query][subject] */
};

/* A matrix of symbols as codes. */

static bool
is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static uint8_t
upper(uint8_t c)
{
	return is_lower(c) ? (uint8_t)(c - 'a' + 'A') : c;
}

/* Is a letter there in both cases? */
static bool
is_exact(const struct sw_matrix *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_lower(m->symbol[i]) &&
		    memchr(m->symbol, upper(m->symbol[i]), m->n))
			return true;
	return false;
}

/*
 * Codes go by the symbols in order, so that a matrix is the same however its
 * rows and columns were arranged: at[code] is the place in m.
 */
static void
sort_symbols(struct sw_letters *l, const struct sw_matrix *m, bool exact,
	     uint8_t at[SW_LETTERS])
{
	uint8_t place[256];
	unsigned n = 0;

	memset(place, 255, sizeof place);
	memset(l->code_of, 255, sizeof l->code_of);
	for (size_t i = 0; i < m->n; i++)
		place[exact ? m->symbol[i] : upper(m->symbol[i])] = (uint8_t)i;
	for (unsigned c = 0; c < 256; c++)
		if (place[c] != 255) {
			l->code_of[c] = (uint8_t)n;
			at[n++] = place[c];
		}
	for (unsigned c = 'a'; !exact && c <= 'z'; c++)
		l->code_of[c] = l->code_of[upper((uint8_t)c)];
}

/* A code more, with the scores of *, for the printable bytes left over. */
static void
add_others(struct sw_letters *l)
{
	struct sw_scoring *s = &l->scoring;
	uint8_t star = l->code_of['*'], other = (uint8_t)s->letters;

	if (star == 255 || s->letters == SW_LETTERS)
		return;
	for (unsigned i = 0; i < s->letters; i++) {
		s->score[i][other] = s->score[i][star];
		s->score[other][i] = s->score[star][i];
	}
	s->score[other][other] = s->score[star][star];
	l->same[other] = 255;
	s->letters++;
	for (unsigned c = '!'; c <= '~'; c++)
		if (l->code_of[c] == 255)
			l->code_of[c] = other;
}

/* Complements, if all symbols are letters of DNA that have one. */
static void
add_strands(struct sw_letters *l, const struct sw_matrix *m)
{
	unsigned all = 0;

	for (size_t i = 0; i < m->n; i++) {
		uint8_t set = dna_set(m->symbol[i]);
		uint8_t mate = l->code_of[dna_complement(m->symbol[i])];

		if (!set || mate == 255)
			return;
		if ((set & (set - 1)) == 0)
			all |= set;
		l->complement[l->code_of[m->symbol[i]]] = mate;
	}
	l->strands = all == (DNA_A | DNA_C | DNA_G | DNA_T);
	if (l->strands && l->code_of['U'] == 255)
		l->code_of['U'] = l->code_of['u'] = l->code_of['T'];
}

/* Codes of m: symbols in order.  All of l but gap costs and parameters. */
static void
sw_matrix_codes(struct sw_letters *l, const struct sw_matrix *m)
{
	bool exact = is_exact(m);
	uint8_t at[SW_LETTERS];

	memset(l, 0, sizeof *l);
	sort_symbols(l, m, exact, at);
	l->scoring.letters = (unsigned)m->n;
	for (unsigned i = 0; i < m->n; i++) {
		l->same[i] = (uint8_t)i;
		for (unsigned j = 0; j < m->n; j++)
			l->scoring.score[i][j] = m->score[at[i]][at[j]];
	}
	if (!exact)
		add_strands(l, m);
	add_others(l);
}

static void
expand(struct sw_letters *l, const struct sw_builtin *b)
{
	const int8_t *score = b->score;
	struct sw_matrix m = { .n = strlen(b->symbols) };

	memcpy(m.symbol, b->symbols, m.n);
	for (size_t i = 0; i < m.n; i++)
		for (size_t j = 0; j <= i; j++)
			m.score[i][j] = m.score[j][i] = *score++;
	sw_matrix_codes(l, &m);
}

/* The one with these scores, whatever the gap costs; or NULL. */
static const struct sw_builtin *
sw_matrix_known(const struct sw_letters *l)
{
	for (const struct sw_builtin *b = sw_builtins; b->name; b++) {
		struct sw_letters known;

		expand(&known, b);
		if (known.scoring.letters == l->scoring.letters &&
		    !memcmp(known.code_of, l->code_of, sizeof l->code_of) &&
		    !memcmp(known.scoring.score, l->scoring.score,
			    sizeof l->scoring.score))
			return b;
	}
	return NULL;
}

static const struct sw_builtin *
builtin_of(const char *name)
{
	const struct sw_builtin *b = sw_builtins;

	while (b->name && strcasecmp(b->name, name) != 0)
		b++;
	return b->name ? b : NULL;
}

bool
sw_matrix_is_builtin(const char *name)
{
	return builtin_of(name) != NULL;
}

/* A matrix of scores in NCBI's format. */

enum { MAX_TEXT = 1 << 20 };

struct reading {
	struct sw_matrix *m;
	const char *path;
	unsigned long long line;
	bool seen[SW_LETTERS];	/* rows */
	struct str rest;	/* of the line */
};

static int
bad(const struct reading *r, struct err *e, const char *what, struct str word)
{
	int n = word.n > 40 ? 40 : (int)word.n;

	return err_set(e, ERR_FORMAT, "%s:%llu: %s%s%.*s", r->path, r->line,
		       what, n ? ": " : "", n, n ? word.p : "");
}

static bool
next_word(struct reading *r, struct str *w)
{
	struct str *s = &r->rest;

	while (s->n && (uint8_t)*s->p <= ' ')
		s->p++, s->n--;
	for (w->p = s->p; s->n && (uint8_t)*s->p > ' '; s->n--)
		s->p++;
	w->n = (size_t)(s->p - w->p);
	return w->n > 0;
}

static size_t
place(const struct sw_matrix *m, uint8_t symbol)
{
	size_t i = 0;

	while (i < m->n && m->symbol[i] != symbol)
		i++;
	return i;
}

static int
header(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w;

	while (next_word(r, &w)) {
		uint8_t c = (uint8_t)*w.p;

		if (w.n != 1 || c > '~')
			return bad(r, e, "one printable character expected as "
				   "the symbol of a column", w);
		if (place(m, c) < m->n)
			return bad(r, e, "two columns of one symbol", w);
		if (m->n == SW_LETTERS)
			return bad(r, e, "more than 64 symbols", w);
		m->symbol[m->n++] = c;
	}
	return 0;
}

/* A whole number of at most SW_MAX_SCORE, with or without sign. */
static bool
number(struct str w, int32_t *v)
{
	bool minus = *w.p == '-';
	int32_t sum = 0;

	if (minus || *w.p == '+')
		w.p++, w.n--;
	if (!w.n)
		return false;
	for (; w.n; w.p++, w.n--) {
		if (*w.p < '0' || *w.p > '9')
			return false;
		sum = sum * 10 + (*w.p - '0');
		if (sum > SW_MAX_SCORE)
			return false;
	}
	*v = minus ? -sum : sum;
	return true;
}

static int
row(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w, symbol;
	size_t i, j = 0;

	next_word(r, &symbol);
	i = symbol.n == 1 ? place(m, (uint8_t)*symbol.p) : m->n;
	if (i == m->n)
		return bad(r, e, "a row that is no column", symbol);
	if (r->seen[i])
		return bad(r, e, "two rows of one symbol", symbol);
	r->seen[i] = true;
	for (; next_word(r, &w); j++) {
		if (j == m->n)
			return bad(r, e, "more scores than columns in row",
				   symbol);
		if (!number(w, &m->score[i][j]))
			return bad(r, e, "no whole number of at most 1000000",
				   w);
	}
	if (j < m->n)
		return bad(r, e, "fewer scores than columns in row", symbol);
	return 0;
}

static int
check(const struct reading *r, struct err *e)
{
	const struct sw_matrix *m = r->m;
	bool positive = false;

	if (!m->n)
		return err_set(e, ERR_FORMAT, "%s: no matrix: it is empty",
			       r->path);
	for (size_t i = 0; i < m->n; i++) {
		if (!r->seen[i])
			return err_set(e, ERR_FORMAT, "%s: no row %c", r->path,
				       m->symbol[i]);
		for (size_t j = 0; j < m->n; j++)
			positive |= m->score[i][j] > 0;
	}
	if (!positive)
		return err_set(e, ERR_FORMAT, "%s: no score is above 0: "
			       "nothing can align", r->path);
	return 0;
}

static int
parse(struct reading *r, const struct buf *text, struct err *e)
{
	const char *p = (const char *)text->p, *end = p + text->n;
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct str w;

		if (!nl)
			nl = end;
		r->line++;
		r->rest = (struct str){ p, (size_t)(nl - p) };
		p = nl < end ? nl + 1 : end;
		if (memchr(r->rest.p, '#', r->rest.n))
			r->rest.n = (size_t)((const char *)memchr(r->rest.p,
			    '#', r->rest.n) - r->rest.p);
		w = r->rest;
		if (!next_word(r, &(struct str){ 0 }))
			continue;
		r->rest = w;
		rc = r->m->n ? row(r, e) : header(r, e);
	}
	return rc ? rc : check(r, e);
}

static int
sw_matrix_read(struct sw_matrix *m, const char *path, struct err *e)
{
	struct reading r = { .m = m, .path = path };
	struct buf text = { 0 };
	int rc = source_text(path, MAX_TEXT, "matrix", &text, e);

	memset(m, 0, sizeof *m);
	if (rc == 0)
		rc = parse(&r, &text, e);
	buf_free(&text);
	return rc;
}

/* By name or from a file; *builtin is NULL for a file of one's own. */
static int
sw_matrix_load(struct sw_letters *l, const char *name,
	       const struct sw_builtin **builtin, struct err *e)
{
	const struct sw_builtin *b = builtin_of(name);
	struct sw_matrix m;
	int rc;

	if (b) {
		expand(l, b);
		*builtin = b;
		return 0;
	}
	rc = sw_matrix_read(&m, name, e);
	if (rc != 0)
		return rc;
	sw_matrix_codes(l, &m);
	*builtin = sw_matrix_known(l);
	return 0;
}

/*
 * Lambda and K of gapped scores
 * Source: the tables of NCBI BLAST (blast_stat.c), which are estimates from
 * random sequences; Altschul and Gish 1996.
 */

struct gapped {
	int32_t open, extend;
	double lambda, k;
};

static const struct gapped blosum45_gaps[] = {
	{ 13, 3, 0.207, 0.049 }, { 12, 3, 0.199, 0.039 },
	{ 11, 3, 0.19, 0.031 }, { 10, 3, 0.179, 0.023 },
	{ 16, 2, 0.21, 0.051 }, { 15, 2, 0.203, 0.041 },
	{ 14, 2, 0.195, 0.032 }, { 13, 2, 0.185, 0.024 },
	{ 12, 2, 0.171, 0.016 }, { 19, 1, 0.205, 0.04 },
	{ 18, 1, 0.198, 0.032 }, { 17, 1, 0.189, 0.024 },
	{ 16, 1, 0.176, 0.016 },
};
static const struct gapped blosum50_gaps[] = {
	{ 13, 3, 0.212, 0.063 }, { 12, 3, 0.206, 0.055 },
	{ 11, 3, 0.197, 0.042 }, { 10, 3, 0.186, 0.031 },
	{ 9, 3, 0.172, 0.022 }, { 16, 2, 0.215, 0.066 },
	{ 15, 2, 0.21, 0.058 }, { 14, 2, 0.202, 0.045 },
	{ 13, 2, 0.193, 0.035 }, { 12, 2, 0.181, 0.025 },
	{ 19, 1, 0.212, 0.057 }, { 18, 1, 0.207, 0.05 },
	{ 17, 1, 0.198, 0.037 }, { 16, 1, 0.186, 0.025 },
	{ 15, 1, 0.171, 0.015 },
};
static const struct gapped blosum62_gaps[] = {
	{ 11, 2, 0.297, 0.082 }, { 10, 2, 0.291, 0.075 },
	{ 9, 2, 0.279, 0.058 }, { 8, 2, 0.264, 0.045 },
	{ 7, 2, 0.239, 0.027 }, { 6, 2, 0.201, 0.012 },
	{ 13, 1, 0.292, 0.071 }, { 12, 1, 0.283, 0.059 },
	{ 11, 1, 0.267, 0.041 }, { 10, 1, 0.243, 0.024 },
	{ 9, 1, 0.206, 0.01 },
};
static const struct gapped blosum80_gaps[] = {
	{ 25, 2, 0.342, 0.17 }, { 13, 2, 0.336, 0.15 },
	{ 9, 2, 0.319, 0.11 }, { 8, 2, 0.308, 0.09 }, { 7, 2, 0.293, 0.07 },
	{ 6, 2, 0.268, 0.045 }, { 11, 1, 0.314, 0.095 },
	{ 10, 1, 0.299, 0.071 }, { 9, 1, 0.279, 0.048 },
};
static const struct gapped blosum90_gaps[] = {
	{ 9, 2, 0.31, 0.12 }, { 8, 2, 0.3, 0.099 }, { 7, 2, 0.283, 0.072 },
	{ 6, 2, 0.259, 0.048 }, { 11, 1, 0.302, 0.093 },
	{ 10, 1, 0.29, 0.075 }, { 9, 1, 0.265, 0.044 },
};
static const struct gapped pam30_gaps[] = {
	{ 7, 2, 0.305, 0.15 }, { 6, 2, 0.287, 0.11 }, { 5, 2, 0.264, 0.079 },
	{ 10, 1, 0.309, 0.15 }, { 9, 1, 0.294, 0.11 }, { 8, 1, 0.27, 0.072 },
	{ 15, 3, 0.339, 0.28 }, { 14, 2, 0.337, 0.27 },
	{ 14, 1, 0.333, 0.27 }, { 13, 3, 0.338, 0.27 },
};
static const struct gapped pam70_gaps[] = {
	{ 8, 2, 0.301, 0.12 }, { 7, 2, 0.286, 0.093 },
	{ 6, 2, 0.264, 0.064 }, { 11, 1, 0.305, 0.12 },
	{ 10, 1, 0.291, 0.091 }, { 9, 1, 0.27, 0.06 },
	{ 11, 2, 0.323, 0.186 }, { 12, 3, 0.33, 0.219 },
};
static const struct gapped pam250_gaps[] = {
	{ 15, 3, 0.205, 0.049 }, { 14, 3, 0.2, 0.043 },
	{ 13, 3, 0.194, 0.036 }, { 12, 3, 0.186, 0.029 },
	{ 11, 3, 0.174, 0.02 }, { 17, 2, 0.204, 0.047 },
	{ 16, 2, 0.198, 0.038 }, { 15, 2, 0.191, 0.031 },
	{ 14, 2, 0.182, 0.024 }, { 13, 2, 0.171, 0.017 },
	{ 21, 1, 0.205, 0.045 }, { 20, 1, 0.199, 0.037 },
	{ 19, 1, 0.192, 0.029 }, { 18, 1, 0.183, 0.021 },
	{ 17, 1, 0.171, 0.014 },
};

#define TABLE(name, of) { name, of, sizeof of / sizeof *of }
static const struct {
	const char *name;
	const struct gapped *v;
	size_t n;
} proteins[] = {
	TABLE("BLOSUM45", blosum45_gaps), TABLE("BLOSUM50", blosum50_gaps),
	TABLE("BLOSUM62", blosum62_gaps), TABLE("BLOSUM80", blosum80_gaps),
	TABLE("BLOSUM90", blosum90_gaps), TABLE("PAM30", pam30_gaps),
	TABLE("PAM70", pam70_gaps), TABLE("PAM250", pam250_gaps),
};

/*
 * 1, -3, 5, 2: gap costs of 2, 2 and more are as good as none, says the source.
 * 2, -4, 0, 5: megablast's 1, -2 and 2.5 for a letter, twice.
 */
static const struct {
	int32_t match, mismatch, open, extend;
	double lambda, k;
} dna[] = {
	{ 1, 4, 1, 2, 1.36, 0.67 }, { 1, 4, 0, 2, 1.26, 0.43 },
	{ 1, 4, 2, 1, 1.35, 0.61 }, { 1, 4, 1, 1, 1.22, 0.35 },
	{ 1, 5, 3, 3, 1.39, 0.747 }, { 2, 7, 2, 4, 0.68, 0.67 },
	{ 2, 7, 0, 4, 0.63, 0.43 }, { 2, 7, 4, 2, 0.675, 0.62 },
	{ 2, 7, 2, 2, 0.61, 0.35 }, { 1, 3, 2, 2, 1.37, 0.7 },
	{ 1, 3, 1, 2, 1.35, 0.64 }, { 1, 3, 0, 2, 1.25, 0.42 },
	{ 1, 3, 2, 1, 1.34, 0.6 }, { 1, 3, 1, 1, 1.21, 0.34 },
	{ 2, 5, 2, 4, 0.67, 0.59 }, { 2, 5, 0, 4, 0.62, 0.39 },
	{ 2, 5, 4, 2, 0.67, 0.61 }, { 2, 5, 2, 2, 0.56, 0.32 },
	{ 1, 2, 2, 2, 1.33, 0.62 }, { 1, 2, 1, 2, 1.3, 0.52 },
	{ 1, 2, 0, 2, 1.19, 0.34 }, { 1, 2, 3, 1, 1.32, 0.57 },
	{ 1, 2, 2, 1, 1.29, 0.49 }, { 1, 2, 1, 1, 1.14, 0.26 },
	{ 2, 3, 4, 4, 0.63, 0.42 }, { 2, 3, 2, 4, 0.615, 0.37 },
	{ 2, 3, 0, 4, 0.55, 0.21 }, { 2, 3, 3, 3, 0.615, 0.37 },
	{ 2, 3, 6, 2, 0.63, 0.42 }, { 2, 3, 5, 2, 0.625, 0.41 },
	{ 2, 3, 4, 2, 0.61, 0.35 }, { 2, 3, 2, 2, 0.515, 0.14 },
	{ 3, 4, 6, 3, 0.389, 0.25 }, { 3, 4, 5, 3, 0.375, 0.21 },
	{ 3, 4, 4, 3, 0.351, 0.14 }, { 3, 4, 6, 2, 0.362, 0.16 },
	{ 3, 4, 5, 2, 0.33, 0.092 }, { 3, 4, 4, 2, 0.281, 0.046 },
	{ 4, 5, 6, 5, 0.28, 0.21 }, { 4, 5, 5, 5, 0.27, 0.17 },
	{ 4, 5, 4, 5, 0.25, 0.1 }, { 4, 5, 3, 5, 0.23, 0.065 },
	{ 1, 1, 3, 2, 1.09, 0.31 }, { 1, 1, 2, 2, 1.07, 0.27 },
	{ 1, 1, 1, 2, 1.02, 0.21 }, { 1, 1, 0, 2, 0.8, 0.064 },
	{ 1, 1, 4, 1, 1.08, 0.28 }, { 1, 1, 3, 1, 1.06, 0.25 },
	{ 1, 1, 2, 1, 0.99, 0.17 }, { 3, 2, 5, 5, 0.208, 0.03 },
	{ 5, 4, 10, 6, 0.163, 0.068 }, { 5, 4, 8, 6, 0.146, 0.039 },
	{ 1, 3, 5, 2, 1.374, 0.711 }, { 2, 4, 0, 5, 0.64, 0.46 },
};

static void
of_dna(struct sw_letters *l)
{
	const struct sw_scoring *s = &l->scoring;
	int32_t match = s->score[0][0], mismatch = -s->score[0][1];

	for (size_t i = 0; i < sizeof dna / sizeof *dna; i++)
		if (dna[i].match == match && dna[i].mismatch == mismatch &&
		    dna[i].open == s->open && dna[i].extend == s->extend) {
			l->lambda = dna[i].lambda;
			l->k = dna[i].k;
			l->even = match == 2 || (match == 3 && mismatch == 4);
		}
}

static void
of_protein(struct sw_letters *l, const struct gapped *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].open == l->scoring.open &&
		    v[i].extend == l->scoring.extend) {
			l->lambda = v[i].lambda;
			l->k = v[i].k;
		}
}

/* Fills lambda, k, even; builtin is NULL for DNA. */
static void
sw_karlin(struct sw_letters *l, const struct sw_builtin *builtin)
{
	l->lambda = l->k = 0;
	l->even = false;
	if (l->dna)
		of_dna(l);
	for (size_t i = 0; builtin && i < sizeof proteins / sizeof *proteins;
	     i++)
		if (strcmp(proteins[i].name, builtin->name) == 0)
			of_protein(l, proteins[i].v, proteins[i].n);
}

/* What options say of scores. */

#define PRESET_ROW(name, match, mismatch, open, extend) \
	{ name, { match, mismatch, open, extend } },
static const struct preset {
	const char *name;
	int64_t v[4];	/* match, mismatch, gap open, gap extend */
} presets[] = {
	SW_PRESETS(PRESET_ROW)
};

static const char *
sw_matrices(void)
{
	return "BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, BLOSUM90, PAM30, "
	       "PAM70, PAM120, PAM250";
}

/* "5/-4/8/4"; a mismatch that costs nothing needs no sign. */
static bool
preset_numbers(const char *s, int64_t v[4])
{
	for (unsigned i = 0; i < 4; i++) {
		char *end;
		long x;

		if (i && *s++ != '/')
			return false;
		if (i == 1 && *s == '-')
			s++;
		else if (i == 1 && *s != '0')
			return false;
		if (*s < '0' || *s > '9')
			return false;
		x = strtol(s, &end, 10);
		if (end - s > 9 || (i == 1 && s[-1] != '-' && x))
			return false;
		v[i] = x;
		s = end;
	}
	return !*s;
}

static int
preset_of(const char *name, int64_t v[4], struct err *e)
{
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (strcasecmp(presets[i].name, name) == 0) {
			memcpy(v, presets[i].v, sizeof presets[i].v);
			return 0;
		}
	if (preset_numbers(name, v))
		return 0;
	return err_set(e, ERR_USAGE, "--preset %s: must be one of "
		       SW_PRESET_VALUES, name);
}

static int
in_range(const char *option, int64_t v, int64_t min, struct err *e)
{
	if (v < min || v > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "%s %lld: must be %lld to %d",
			       option, (long long)v, (long long)min,
			       SW_MAX_SCORE);
	return 0;
}

static void
override(int64_t *v, int64_t option)
{
	if (option != SW_UNSET)
		*v = option;
}

static void
dna_letters(struct sw_letters *l, int32_t match, int32_t mismatch)
{
	memset(l, 0, sizeof *l);
	l->dna = l->strands = true;
	l->scoring.letters = 5;
	for (unsigned c = 0; c < 256; c++) {
		unsigned set = dna_set((uint8_t)c);

		l->code_of[c] = set == DNA_A ? 0 : set == DNA_C ? 1 :
				set == DNA_G ? 2 : set == DNA_T ? 3 :
				set ? 4 : 255;
	}
	for (unsigned a = 0; a < 5; a++) {
		l->complement[a] = (uint8_t)(a < 4 ? 3 - a : 4);
		l->same[a] = (uint8_t)(a < 4 ? a : 255);
		for (unsigned b = 0; b < 5; b++)
			l->scoring.score[a][b] = a == b && a < 4 ? match :
							       -mismatch;
	}
}

static int
gap_costs(struct sw_letters *l, int64_t open, int64_t extend, struct err *e)
{
	if (in_range("--gap-open", open, 0, e) ||
	    in_range("--gap-extend", extend, 0, e))
		return ERR_USAGE;
	l->scoring.open = (int32_t)open;
	l->scoring.extend = (int32_t)extend;
	return 0;
}

static int
choose_dna(struct sw_letters *l, const struct sw_choice *c, struct err *e)
{
	int64_t v[4];
	int rc = preset_of(c->preset ? c->preset : "blastn", v, e);

	if (rc != 0)
		return rc;
	override(v, c->match);
	override(v + 1, c->mismatch);
	override(v + 2, c->gap_open);
	override(v + 3, c->gap_extend);
	if (in_range("--match", v[0], 1, e) ||
	    in_range("--mismatch", v[1], 0, e))
		return ERR_USAGE;
	dna_letters(l, (int32_t)v[0], (int32_t)v[1]);
	rc = gap_costs(l, v[2], v[3], e);
	if (rc == 0)
		sw_karlin(l, NULL);
	return rc;
}

static int
choose_matrix(struct sw_letters *l, const struct sw_choice *c, struct err *e)
{
	const struct sw_builtin *b = NULL;
	int64_t open = SW_UNSET, extend = SW_UNSET;
	int rc;

	if (c->preset || c->match != SW_UNSET || c->mismatch != SW_UNSET)
		return err_set(e, ERR_USAGE, "--matrix holds all scores: not "
			       "with --preset, --match, --mismatch");
	rc = sw_matrix_load(l, c->matrix, &b, e);
	if (rc != 0)
		return rc == ERR_IO && !strchr(c->matrix, '/') ?
		       err_at(e, "--matrix: neither built in (%s) nor a file",
			      sw_matrices()) : err_at(e, "--matrix");
	if (b) {
		open = b->open;
		extend = b->extend;
	}
	override(&open, c->gap_open);
	override(&extend, c->gap_extend);
	if (open == SW_UNSET || extend == SW_UNSET)
		return err_set(e, ERR_USAGE, "--matrix %s: a matrix that is "
			       "not built in needs --gap-open and "
			       "--gap-extend", c->matrix);
	rc = gap_costs(l, open, extend, e);
	if (rc == 0)
		sw_karlin(l, b);
	return rc;
}

int
sw_letters_choose(struct sw_letters *l, const struct sw_choice *c,
		  struct err *e)
{
	return c->matrix ? choose_matrix(l, c, e) : choose_dna(l, c, e);
}

static int32_t
common_divisor(int32_t a, int32_t b)
{
	a = abs(a);
	b = abs(b);
	while (b) {
		int32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int32_t
sw_scoring_reduce(struct sw_scoring *to, const struct sw_scoring *s)
{
	int32_t unit = common_divisor(s->open, s->extend);

	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			unit = common_divisor(unit, s->score[i][j]);
	unit += unit == 0;	/* all of them are 0 */
	*to = *s;
	to->open /= unit;
	to->extend /= unit;
	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			to->score[i][j] /= unit;
	return unit;
}

/* Of what a matrix means: which letters have which scores. */
static uint64_t
matrix_hash(const struct sw_letters *l)
{
	const struct sw_scoring *s = &l->scoring;
	uint64_t h = hash64(l->code_of, sizeof l->code_of, s->letters);

	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++) {
			uint8_t v[4];

			put_le(v, (uint32_t)s->score[i][j], 4);
			h = hash64(v, sizeof v, h);
		}
	return h;
}

void
sw_letters_text(const struct sw_letters *l, struct buf *b)
{
	const struct sw_scoring *s = &l->scoring;
	const struct sw_builtin *known = l->dna ? NULL : sw_matrix_known(l);

	if (l->dna)
		buf_printf(b, "match %d\nmismatch %d\n", s->score[0][0],
			   s->score[0][1]);
	else if (known)
		buf_printf(b, "matrix %s\n", known->name);
	else
		buf_printf(b, "matrix %016llx\n",
			   (unsigned long long)matrix_hash(l));
	buf_printf(b, "gap-open %d\ngap-extend %d\n", s->open, s->extend);
}
