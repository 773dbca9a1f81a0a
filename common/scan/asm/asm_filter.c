/* SPDX-License-Identifier: MIT */
/* asm_filter.c - records of FASTA and FASTQ with, or without, a match */

#include "flow/flow.h"
#include "rec/rec.h"
#include "scan/asm/asm_filter.h"
#include "scan/asm/asm_search.h"
#include "scan/scan.h"

enum { MEMORY = 64 << 20 };	/* of records that wait */

struct runner {
	struct scan_workers *workers;	/* first: for the pump */
	struct asm_search search;
	struct asm_filter *f;
	struct feed *feed;
	struct records *records;
	bool matched;		/* the record whose chunks come now */
	uint64_t longest;	/* letters of a record */
};

/* A record's last row decides. */
static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;
	struct asm_filter *f = s->f;
	const struct rec_frame *frame = job->item.frame;
	const uint8_t *matched = job->out.p;	/* of each row */
	struct chunk c;
	int rc;

	if (f->progress) {
		struct feed_place at = feed_place(s->feed);

		f->n_letters += frame ? chunk_owned(frame) : 0;
		at.n_letters = f->n_letters;
		f->progress(at);
	}
	if (!frame || frame->type != REC_CHUNK)
		return 0;
	rc = chunk_view(&c, frame, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < c.n_rows && !rc; i++) {
		bool wanted;

		s->matched |= matched[i];
		s->longest = max_u64(s->longest, c.row[i].own_end);
		if (!(c.row[i].flags & CHUNK_LAST))
			continue;
		wanted = s->matched != f->invert;
		s->matched = false;
		f->n_records++;
		f->n_passed += wanted;
		rc = records_next(s->records, wanted, f->out, e);
	}
	chunk_free(&c);
	return rc;
}

static int
prepare(struct runner *s, struct err *e)
{
	struct asm_filter *f = s->f;
	struct feed_params fp = feed_defaults;
	int rc = records_new(&s->records, MEMORY, e);

	if (!rc)
		rc = asm_workers_new(&s->workers, &s->search, f->threads, e);
	fp.min_context = asm_context(f->scan);
	fp.threads = f->threads;
	fp.text_only = true;
	fp.records = s->records;
	fp.circular = f->circular;
	return rc ? rc : feed_open(&s->feed, f->operand, f->n_operands, &fp,
				   e);
}

int
asm_filter(struct asm_filter *f, struct err *e)
{
	struct pump_ops ops = { .context = asm_context(f->scan),
				.work = scan_workers_work,
				.part = scan_workers_part,
				.join = scan_workers_join, .emit = emit };
	struct runner s = { .f = f, .search = { .a = f->scan,
						.matched = true } };
	struct feed_blank blank;
	int rc = prepare(&s, e);

	if (!rc) {
		ops.batch = s.workers->batch;
		rc = pump_run(s.feed, &ops, &s, s.workers->n, e);
	}
	if (!rc && feed_blank(s.feed, &blank))
		f->note(blank.text);
	if (!rc && f->n_records)
		scan_note_short(s.longest, asm_shortest(f->scan), false,
				f->note);
	f->n_letters = scan_workers_letters(s.workers);
	scan_workers_free(s.workers);
	if (s.feed)
		feed_close(s.feed);
	records_free(s.records);
	return rc;
}
