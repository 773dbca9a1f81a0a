/* SPDX-License-Identifier: MIT */
/*
 * feed_plan.c - some chunks of files with FILE.sfi, and nothing of the rest
 *
 * Where feed_cut.c cuts depends on lengths alone, and FILE.sfi has them: so
 * the rows of every chunk are known, those of wanted ones are filled with what
 * is read of the file, by any thread, and END is a sum of what FILE.sfi has.
 */

#include <stdlib.h>

#include "base/base.h"
#include "flow/feed_in.h"
#include "rec/rec.h"

struct plan_file {
	struct sfi *s;
	struct sfi_place place;		/* of the next record */
};

struct feed_plan {
	struct plan_file *file;
	size_t n_files, at;
	const struct serials *serials;
	struct feed_run *run;
	uint64_t own, context, serial, ordinal;
	/* the chunk that whole records go into */
	struct feed_cut *cut;
	size_t rows;
	uint64_t whole, names;		/* letters, bytes of names */
	bool wanted;
	/* the record that is in pieces */
	struct sfi_record record;
	struct plan_from from;
	uint64_t next;			/* what its next piece owns first */
	bool in_pieces, seq;		/* seq: SEQ is next */
	bool ended;
};

void
plan_free(struct feed_plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_files; i++)
		sfi_close(p->file[i].s);
	if (p->cut)
		feed_drop(&(struct feed_item){ .cut = p->cut });
	free(p->file);
	free(p);
}

uint64_t
plan_n_read(const struct feed_plan *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_files; i++)
		n += sfi_n_read(p->file[i].s);
	return n;
}

const struct sfi_sums *
plan_sums(const struct feed_plan *p)
{
	return sfi_sums(p->file[0].s);
}

/* May the run's id be known without its letters? */
static bool
is_named(const struct feed_plan *p)
{
	return p->n_files == 1 ||
	       sfi_sums(p->file[0].s)->letters >= FEED_HASHED;
}

int
plan_open(struct feed_plan **out, const struct operand *op, size_t n,
	  const struct serials *serials, char why[SFI_WHY], struct err *e)
{
	struct feed_plan *p = calloc(1, sizeof *p);
	int rc = 1;

	*out = NULL;
	why[0] = '\0';
	if (p)
		p->file = calloc(n, sizeof *p->file);
	if (!p || !p->file) {
		free(p);
		return err_nomem(e, n * sizeof *p->file);
	}
	p->serials = serials;
	for (; rc == 1 && p->n_files < n; p->n_files += rc == 1)
		rc = sfi_open(&p->file[p->n_files].s, op[p->n_files].path, why,
			      e);
	if (rc == 1 && is_named(p))
		*out = p;
	else
		plan_free(p);
	return rc < 0 ? rc : 0;
}

/* What END says of the letters and digests of all files. */
void
plan_begin(struct feed_plan *p, struct feed_run *run, uint64_t own,
	   uint64_t context)
{
	struct digest_order order = { 0 };

	p->run = run;
	p->own = own;
	p->context = context;
	run->planned = true;
	run->sequences = 0;
	for (size_t i = 0; i < p->n_files; i++) {
		const struct sfi_sums *s = sfi_sums(p->file[i].s);

		run->owned += s->letters;
		run->digest = digest_add(run->digest, digest_mul(s->digest,
			digest_order(&order, run->sequences)));
		run->sequences += s->records;
	}
}

/* A row; the cut is NULL if its chunk is not wanted. */
static int
add_row(struct feed_cut *t, const struct chunk_row *r,
	const struct plan_from *from, struct err *e)
{
	size_t n = t->raw.n_rows + 1;
	int rc = array_room(&t->raw.row, &t->rows_cap, n, sizeof *r, e);

	if (!rc)
		rc = array_room(&t->from, &t->from_cap, n, sizeof *from, e);
	if (rc)
		return rc;
	t->from[n - 1] = *from;
	t->raw.row[t->raw.n_rows++] = *r;
	return 0;
}

static int
new_cut(struct feed_plan *p, struct err *e)
{
	p->rows = 0;
	p->whole = p->names = 0;
	p->wanted = serials_has(p->serials, p->serial);
	p->cut = p->wanted ? calloc(1, sizeof *p->cut) : NULL;
	if (p->wanted && !p->cut)
		return err_nomem(e, sizeof *p->cut);
	if (p->wanted) {
		p->cut->run = p->run;
		p->cut->raw.run = p->run->key;
		p->cut->raw.serial = p->serial;
	}
	return 0;
}

/* The chunk is whole: 1 if it becomes an item. */
static int
emit(struct feed_plan *p, struct feed_item *it)
{
	int rc = p->cut != NULL;

	*it = (struct feed_item){ .kind = FEED_RAW, .cut = p->cut };
	p->cut = NULL;
	p->rows = 0;
	p->serial++;
	p->run->chunks++;
	return rc;
}

/* A whole record into the chunk. */
static int
put_whole(struct feed_plan *p, struct err *e)
{
	const struct sfi_record *r = &p->record;
	struct chunk_row row = {
		.ordinal = p->ordinal, .n = r->n, .own_end = r->n,
		.length = r->n, .file = (uint32_t)p->at + 1,
		.flags = CHUNK_FIRST | CHUNK_LAST,
	};
	int rc = p->rows ? 0 : new_cut(p, e);

	if (!rc && p->cut)
		rc = add_row(p->cut, &row, &p->from, e);
	if (rc)
		return rc;
	p->rows++;
	p->whole += r->n;
	p->names += r->name_n;
	p->ordinal++;
	return 0;
}

/* The next piece of a long record: 1 an item, 0 its chunk is not wanted. */
static int
put_piece(struct feed_plan *p, struct feed_item *it, struct err *e)
{
	const struct sfi_record *r = &p->record;
	uint64_t end = min_u64(p->next + p->own, r->n);
	struct chunk_row row = {
		.ordinal = p->ordinal, .own_beg = p->next, .own_end = end,
		.beg = p->next > p->context ? p->next - p->context : 0,
		.file = (uint32_t)p->at + 1,
		.flags = p->next ? 0 : CHUNK_FIRST,
	};
	int rc = new_cut(p, e);

	row.n = end - row.beg;
	if (end == r->n) {
		row.flags |= CHUNK_LAST;
		row.length = r->n;
	}
	if (!rc && p->cut)
		rc = add_row(p->cut, &row, &p->from, e);
	if (rc)
		return rc;
	p->next = end;
	p->in_pieces = end < r->n;
	p->seq = end == r->n;
	return emit(p, it);
}

static int
put_seq(struct feed_plan *p, struct feed_item *it, struct err *e)
{
	struct seq s = { .ordinal = p->ordinal++, .length = p->record.n,
			 .name = p->record.name };

	p->seq = false;
	*it = (struct feed_item){ .kind = FEED_FRAME };
	return seq_encode(&it->frame, p->run->key.id, &s, e);
}

static int
put_end(struct feed_plan *p, struct feed_item *it, struct err *e)
{
	*it = (struct feed_item){ .kind = FEED_END,
				  .cut = calloc(1, sizeof *it->cut) };
	p->ended = true;
	if (!it->cut)
		return err_nomem(e, sizeof *it->cut);
	it->cut->run = p->run;
	return 0;
}

/* The next record into p->record, but for its place. */
static bool
look(struct feed_plan *p)
{
	for (; p->at < p->n_files; p->at++) {
		struct plan_file *f = &p->file[p->at];

		p->from = (struct plan_from){ f->s, f->place };
		if (sfi_next(f->s, &p->from.place, &p->record)) {
			p->from.place = f->place;
			return true;
		}
	}
	return false;
}

/* It is p->record from now on. */
static void
take(struct feed_plan *p)
{
	struct plan_file *f = &p->file[p->at];

	sfi_next(f->s, &f->place, &p->record);
}

int
plan_next(struct feed_plan *p, struct feed_item *it, struct err *e)
{
	int rc = 0;

	while (rc == 0) {
		if (p->seq)
			return put_seq(p, it, e) ? e->code : 1;
		if (p->in_pieces) {
			rc = put_piece(p, it, e);
			continue;
		}
		if (p->ended)
			return 0;
		/* as feed_cut.c has it: before the row, and for its letters */
		if (!look(p)) {
			if (p->rows)
				rc = emit(p, it);
			else
				return put_end(p, it, e) ? e->code : 1;
		} else if (p->rows && (p->rows >= FEED_ROWS ||
				       p->names >= FEED_NAMES ||
				       p->record.n > p->own - p->whole)) {
			rc = emit(p, it);
		} else {
			take(p);
			p->next = 0;
			p->in_pieces = p->record.n > p->own;
			if (!p->in_pieces)
				rc = put_whole(p, e);
		}
	}
	return rc;
}

/* Letters and names of the rows from `i` on that are of one file. */
static int
fill_file(struct feed_cut *c, size_t i, size_t n, struct sfi_row *row,
	  struct err *e)
{
	const struct chunk_row *r = &c->raw.row[i];

	return sfi_read(c->from[i].s, c->from[i].place, n, r->beg,
			r->own_beg, r->own_end, &c->letters, &c->names, row,
			e);
}

int
plan_fill(struct feed_cut *c, struct err *e)
{
	size_t n = c->raw.n_rows, k;
	struct sfi_row *row = calloc(n + 1, sizeof *row);
	const char *name;
	uint64_t at = 0;
	int rc = row ? 0 : err_nomem(e, n * sizeof *row);

	for (size_t i = 0; i < n && !rc; i += k) {
		for (k = 1; i + k < n && c->from[i + k].s == c->from[i].s;)
			k++;
		rc = fill_file(c, i, k, row + i, e);
	}
	if (!rc && !buf_reserve(&c->letters, 64))
		rc = err_nomem(e, 64);
	name = (const char *)c->names.p;
	for (size_t i = 0; i < n && !rc; i++) {
		struct chunk_row *r = &c->raw.row[i];

		r->at = at + row[i].before;
		at = r->at + r->n;
		r->digest = row[i].digest;
		r->name = (struct str){ name, row[i].name };
		r->desc = (struct str){ name + row[i].name, row[i].desc };
		name += row[i].name + row[i].desc;
	}
	if (!rc)
		memset(c->letters.p + c->letters.n, 0, 64);
	c->raw.letters = c->letters.p;
	c->raw.digests = true;
	free(row);
	return rc;
}
