/* SPDX-License-Identifier: MIT */
/* kdiff.c - k differences against the textbook, many kinds of text */
#include "tests/lib/kdiff_rounds.h"

int
main(void)
{
	sweep("small", small, 1000);
	sweep("segments", segments, 250);
	sweep("exits", exits, 80);
	sweep("plateaus", plateaus, 80);
	sweep("others", others, 60);
	return done();
}
