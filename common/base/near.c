/* SPDX-License-Identifier: MIT */
/* near.c - which name was meant: the edit distance, row by row */

#include "base/minmax.h"
#include "base/near.h"

unsigned
near_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[NEAR_FAR + 1];

	if (n > NEAR_FAR || m > NEAR_FAR)
		return NEAR_FAR;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 0; i < n; i++) {
		unsigned diagonal = row[0]++;

		for (unsigned j = 1; j <= m; j++) {
			unsigned d = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			d = d < row[j - 1] + 1 ? d : row[j - 1] + 1;
			row[j] = d < diagonal + 1 ? d : diagonal + 1;
		}
	}
	return row[m];
}
