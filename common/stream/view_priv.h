/* SPDX-License-Identifier: MIT */
/* view_priv.h - what the files of view share (private) */
#ifndef SEQF_VIEW_PRIV_H
#define SEQF_VIEW_PRIV_H

#include "stream/counts.h"
#include "stream/ledger.h"
#include "stream/tables.h"
#include "stream/turn.h"
#include "stream/view.h"

enum { FASTA_COLUMNS = 60, N_TYPES = 16 };

/* Letters of chunks on their way to FASTA. */
struct fasta_out {
	struct turn *turn;	/* of chunks */
	bool in_record;
	uint64_t ordinal, pos;	/* the record's next letter */
	unsigned column;
	struct buf text, letters;
};

struct stats {
	uint64_t frames[N_TYPES], others, hits, counts, letters, records;
	uint64_t sequences;	/* of ENDs, each run once */
	struct index ended;	/* runs whose END was counted */
};

struct view {
	struct view_params p;
	struct out *out;
	struct ledger *ledger;
	struct printer *printer;	/* of VIEW_TEXT */
	struct counts counts;
	struct tables tables;
	struct err late;	/* what the text lacked, unless the ledger
				   says why */
	struct fasta_out fasta;
	struct stats stats;
	bool chunk_head;	/* the header line of chunks was written */
	bool hit;		/* the printer was given one */
	bool damage, told;
	struct buf bytes;
};

int fasta_out_new(struct view *v, struct err *e);
int fasta_out_chunk(struct view *v, const struct rec_frame *f, struct err *e);
int fasta_out_end(struct view *v, const struct rec_frame *f, struct err *e);
int fasta_out_finish(struct view *v, struct err *e);
void fasta_out_free(struct fasta_out *o);

int stats_frame(struct stats *s, const struct rec_frame *f, struct err *e);
int stats_write(struct view *v, struct err *e);
/* BEGIN texts, by run. */
int view_write_header(struct view *v, struct err *e);
/* Rows of a CHUNK frame: what it owns. */
int view_chunk_rows(struct view *v, const struct chunk *c, struct err *e);

#endif
