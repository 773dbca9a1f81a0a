/* SPDX-License-Identifier: MIT */
/* tables.h - primers and distances as text */
#ifndef SEQF_TABLES_H
#define SEQF_TABLES_H

#include "stream/printer.h"

/*
 * All rows, or, as phylip, matrices; both finished.  A table without rows has
 * its line of column names.  ERR_USAGE if the format has no such rows.
 */
int tables_print(struct primers *p, const struct dists *d, struct printer *to,
		 enum format format, struct err *e);

#endif
