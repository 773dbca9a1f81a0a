/* SPDX-License-Identifier: MIT */
/* tables.h - primers and distances as text */
#ifndef SEQF_TABLES_H
#define SEQF_TABLES_H

#include "stream/dists.h"
#include "stream/ledger.h"
#include "stream/primers.h"
#include "stream/printer.h"

/* What PRIMER and DIST frames of a stream add up to. */
struct tables {
	struct primers *primers;
	struct dists *dists;
	uint64_t nearest;	/* distances of each sequence; 0: all */
	/* Before primers are printed; or NULL. */
	int (*sites)(void *ctx, struct primers *p, struct err *e);
	void *sites_ctx;
	struct ledger *ledger;	/* for sites: ERR_INCOMPLETE unless whole */
};
int tables_new(struct tables *t, struct err *e);
void tables_free(struct tables *t);
bool tables_any(const struct tables *t);
/* Take a PRIMER or DIST frame. */
int tables_frame(struct tables *t, const struct rec_frame *f, struct err *e);
/*
 * No more frames: everything is printed.  ERR_FORMAT for what does not fit
 * together: of a stream that is not whole that is no news.
 */
int tables_finish(struct tables *t, struct printer *to, enum format format,
		  struct err *e);

/*
 * All rows, or, as phylip, matrices; both finished.  A table without rows has
 * its line of column names.  ERR_USAGE if the format has no such rows.
 */
int tables_print(struct primers *p, const struct dists *d, struct printer *to,
		 enum format format, struct err *e);

#endif
