/* SPDX-License-Identifier: MIT */
/* pcr_letters.c - letters of sequences in their order, read once more */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scan/pcr/pcr.h"

struct pcr_letters {
	struct feed *feed;
	struct rec_frame *frame;	/* of the rows that are left */
	struct chunk c;
	size_t row;
	uint64_t wanted;	/* letters before it are not */
	/* Of one sequence: its letters [beg, beg + text.n). */
	bool any;
	uint64_t ordinal, beg;
	struct buf text;
	struct buf head, round;	/* its first letters; a piece around */
	uint64_t most;		/* of head */
};

/* What cannot be read twice. */
static int
refuse_pipes(const struct scan_run *r, struct err *e)
{
	struct stat st;

	for (size_t i = 0; i < r->n_operands || i == 0; i++) {
		const char *path = r->n_operands ? r->operand[i] : "-";

		if (strcmp(path, "-") && !stat(path, &st) &&
		    S_ISREG(st.st_mode))
			continue;
		return err_set(e, ERR_USAGE, "%s: letters of products need "
			       "sequences in files, which are read twice",
			       strcmp(path, "-") ? path : "stdin");
	}
	if (r->regions && r->regions->n)
		return err_set(e, ERR_USAGE, "-r: not with letters of "
			       "products, which may lie between regions");
	return 0;
}

int
pcr_letters_new(struct pcr_letters **out, const struct scan_run *r,
		uint64_t head, struct err *e)
{
	struct feed_params fp = feed_defaults;
	struct pcr_letters *l;
	int rc = refuse_pipes(r, e);

	*out = NULL;
	if (rc)
		return rc;
	l = calloc(1, sizeof *l);
	if (!l)
		return err_nomem(e, sizeof *l);
	l->most = head;
	fp.threads = r->threads;
	rc = feed_open(&l->feed, r->operand, r->n_operands, &fp, e);
	if (rc)
		pcr_letters_free(l);
	else
		*out = l;
	return rc;
}

void
pcr_letters_free(struct pcr_letters *l)
{
	if (!l)
		return;
	chunk_free(&l->c);
	rec_frame_drop(l->frame);
	feed_close(l->feed);
	buf_free(&l->text);
	buf_free(&l->head);
	buf_free(&l->round);
	free(l);
}

/* The next chunk: 1, 0 at the end, or an error. */
static int
next_chunk(struct pcr_letters *l, struct err *e)
{
	struct feed_item it;
	int rc;

	chunk_free(&l->c);
	rec_frame_drop(l->frame);
	l->frame = NULL;
	l->row = 0;
	while ((rc = feed_next(l->feed, &it, e)) > 0) {
		rc = it.kind == FEED_DAMAGE ?
		     err_set(e, ERR_INCOMPLETE, "%s", it.text) : 0;
		if (!rc && it.kind == FEED_RAW)
			rc = feed_encode(&it, e);
		if (!rc)
			rc = feed_account(l->feed, &it, e);
		if (!rc && it.frame && it.frame->type == REC_CHUNK)
			l->frame = rec_frame_keep(it.frame);
		feed_drop(&it);
		if (rc || l->frame)
			break;
	}
	if (rc < 0)
		return rc;
	if (!l->frame)
		return 0;
	rc = chunk_view(&l->c, l->frame, e);
	return rc ? rc : 1;
}

/* The owned letters of a row go behind those that are there, of which the ones
 * that are wanted stay. */
static int
take_row(struct pcr_letters *l, const struct chunk_row *r, struct err *e)
{
	const struct chunk_part p = chunk_row_part(r);
	uint64_t n = p.end - p.beg, old;

	if (!l->any || r->ordinal != l->ordinal) {
		l->any = true;
		l->ordinal = r->ordinal;
		l->beg = p.beg;
		l->text.n = l->head.n = 0;
	}
	if (p.beg != l->beg + l->text.n)
		return err_set(e, ERR_USAGE, "letters of products need the "
			       "chunks of sequences in their order");
	if (l->wanted > l->beg && l->text.n) {
		old = min_u64(l->wanted - l->beg, l->text.n);
		memmove(l->text.p, l->text.p + old, l->text.n - old);
		l->text.n -= old;
		l->beg += old;
	}
	if (!buf_reserve(&l->text, n + 64))
		return err_nomem(e, n);
	chunk_letters(&l->c, r, p.beg - r->beg, n, l->text.p + l->text.n);
	if (l->head.n < l->most)
		buf_put(&l->head, l->text.p + l->text.n,
			min_u64(n, l->most - l->head.n));
	l->text.n += n;
	return l->head.bad ? err_nomem(e, l->head.n + n) : 0;
}

static bool
has(const struct pcr_letters *l, uint64_t ordinal, uint64_t beg, uint64_t end)
{
	return l->any && l->ordinal == ordinal && l->beg <= beg &&
	       end <= l->beg + l->text.n;
}

int
pcr_letters_get(struct pcr_letters *l, uint64_t ordinal, uint64_t beg,
		uint64_t end, struct str *to, struct err *e)
{
	int rc = 0;

	l->wanted = l->any && l->ordinal == ordinal ? beg : 0;
	while (!has(l, ordinal, beg, end)) {
		if (l->row == l->c.n_rows) {
			rc = next_chunk(l, e);
			if (rc == 0)
				return err_set(e, ERR_FORMAT, "the sequences "
					       "are not what they were when "
					       "they were read first");
		} else if (l->c.row[l->row].ordinal <= ordinal) {
			rc = take_row(l, &l->c.row[l->row++], e);
		} else {
			return err_set(e, ERR_USAGE, "letters of products "
				       "need the chunks of sequences in their "
				       "order");
		}
		if (rc < 0)
			return rc;
	}
	*to = (struct str){ (const char *)l->text.p + (beg - l->beg),
			    end - beg };
	return 0;
}

int
pcr_letters_around(struct pcr_letters *l, uint64_t ordinal, uint64_t beg,
		   uint64_t end, uint64_t n, struct str *to, struct err *e)
{
	int rc = pcr_letters_get(l, ordinal, beg, n, to, e);

	if (rc)
		return rc;
	if (end - n > l->head.n)
		return err_set(e, ERR_FORMAT, "the sequences are not what they "
			       "were when they were read first");
	l->round.n = 0;
	buf_put(&l->round, to->p, to->n);
	buf_put(&l->round, l->head.p, end - n);
	*to = (struct str){ (const char *)l->round.p, l->round.n };
	return l->round.bad ? err_nomem(e, l->round.n) : 0;
}

int
pcr_find_settle_letters(struct pcr_find_params *pp, struct err *e)
{
	struct printer_params *p = &pp->print;

	if (p->letters && (p->format == FORMAT_BED || p->format == FORMAT_SVG))
		return err_set(e, ERR_USAGE, "--with-seq: -O %s has no place "
			       "for letters", format_word(p->format));
	p->letters |= printer_has_column(p->columns, "sseq");
	if (pp->primer_letters && !pcr_find_reads_twice(pp))
		return err_set(e, ERR_USAGE, "--letters: only with --with-seq "
			       "or -O fasta");
	return 0;
}
