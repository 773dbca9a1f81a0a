/* SPDX-License-Identifier: MIT */
/* feed_text.c - records of neighbouring operands, and the name of their run */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/opt.h"
#include "stream/feed_in.h"
#include "stream/rec.h"
#include "stream/records.h"

int
operand_open(struct operand *o, unsigned threads, struct err *e)
{
	return o->s ? 0 : source_open(&o->s, o->path, threads, e);
}

void
operand_close(struct operand *o)
{
	source_close(o->s);
	o->s = NULL;
}

bool
operand_again(const struct operand *o)
{
	struct stat st;

	return strcmp(o->path, "-") != 0 && stat(o->path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

static void
close_reader(struct text *t)
{
	struct operand *o = &t->op[t->at];

	fasta_free(t->fasta);
	matrix_free(t->matrix);
	t->fasta = NULL;
	t->matrix = NULL;
	if (t->at < t->end && o->s) {
		place_source(&t->closed, o->s);
		operand_close(o);
	}
}

void
text_free(struct text *t)
{
	if (t->op)
		close_reader(t);
	free(t->masked);
	buf_free(&t->early);
	memset(t, 0, sizeof *t);
}

static int
open_reader(struct text *t, struct err *e)
{
	struct operand *o = &t->op[t->at];
	enum matrix_format m = matrix_format(t->p->matrix);
	const uint8_t *p;
	size_t n;
	int rc = operand_open(o, t->p->threads, e);

	if (rc == 0)
		rc = source_peek(o->s, 1, &p, &n, e);
	/* >name could be FASTA or JASPAR: what follows tells */
	if (rc == 0 && n && !t->p->digits &&
	    (*p == '>' || m == MATRIX_AUTO))
		rc = source_peek(o->s, 64 << 10, &p, &n, e);
	if (rc != 0)
		return rc;
	if (n && !t->p->digits &&
	    (m != MATRIX_AUTO || matrix_tell(p, n) != MATRIX_NONE)) {
		if (t->p->records)
			return err_set(e, ERR_FORMAT, "%s: a matrix, where "
				       "FASTA or FASTQ is expected",
				       source_name(o->s));
		return matrix_new(&t->matrix, o->s, m, e);
	}
	if (t->p->records)
		source_tap(o->s, records_bytes, t->p->records);
	rc = fasta_new(&t->fasta, o->s, e);
	if (rc == 0 && t->p->digits)
		fasta_digits(t->fasta);
	return rc;
}

static void
end_operand(struct text *t)
{
	if (!t->any)
		blank_add(t->blank, source_name(t->op[t->at].s));
	t->any = false;
	close_reader(t);
}

/* The next event of the operands themselves. */
static int
live_next(struct text *t, uint8_t *to, size_t room, struct text_event *ev,
	  struct err *e)
{
	struct fasta_piece p;
	int rc = 0;

	memset(ev, 0, sizeof *ev);
	while (rc == 0 && t->at < t->end) {
		if (!t->fasta && !t->matrix)
			rc = open_reader(t, e);
		if (rc != 0)
			return rc;
		rc = t->matrix ? matrix_next(t->matrix, &p, e) :
		     room ? fasta_next_to(t->fasta, to, room, &p, e) :
			    fasta_next(t->fasta, &p, e);
		t->any |= rc == FASTA_RECORD;
		if (rc == FASTA_RECORD && t->p->records)
			records_begin(t->p->records, p.at);
		if (rc == FASTA_EOF && t->p->records)
			records_end_file(t->p->records);
		if (rc == FASTA_EOF) {
			end_operand(t);
			t->at++;
		}
	}
	if (rc < 0)
		return rc;
	ev->kind = rc == FASTA_RECORD ? TEXT_RECORD :
		   rc == FASTA_LETTERS ? TEXT_LETTERS : TEXT_END;
	ev->prob = t->matrix != NULL;
	if (rc == FASTA_RECORD) {
		ev->name = p.name;
		ev->desc = p.desc;
	} else if (rc == FASTA_LETTERS) {
		ev->p = p.letters;
		ev->n = p.n;
	}
	return 0;
}

/* Lower case becomes N, in memory of our own. */
static int
mask(struct text *t, struct text_event *ev, struct err *e)
{
	uint8_t *to;

	free(t->masked);
	t->masked = to = malloc(ev->n);
	if (!to)
		return err_nomem(e, ev->n);
	for (size_t i = 0; i < ev->n; i++)
		to[i] = ev->p[i] >= 'a' && ev->p[i] <= 'z' ? 'N' : ev->p[i];
	ev->p = to;
	return 0;
}

static int
masked_next(struct text *t, uint8_t *to, size_t room, struct text_event *ev,
	    struct err *e)
{
	int rc = live_next(t, to, t->p->mask ? 0 : room, ev, e);

	if (rc == 0 && t->p->mask && ev->kind == TEXT_LETTERS && !ev->prob)
		rc = mask(t, ev, e);
	return rc;
}

/* An event into early, and back. */
static void
keep_event(struct buf *b, const struct text_event *ev)
{
	size_t n = ev->n * (ev->prob ? 16 : 1);

	buf_u8(b, (uint8_t)(ev->kind << 1 | ev->prob));
	buf_str(b, ev->name.p, ev->name.n);
	buf_str(b, ev->desc.p, ev->desc.n);
	buf_str(b, ev->p, n);
}

static void
kept_event(struct cur *c, struct text_event *ev)
{
	const uint8_t *head = cur_take(c, 1);
	struct str s;

	ev->kind = (enum text_kind)(*head >> 1);
	ev->prob = *head & 1;
	ev->name = cur_str(c);
	ev->desc = cur_str(c);
	s = cur_str(c);
	ev->p = (const uint8_t *)s.p;
	ev->n = s.n / (ev->prob ? 16 : 1);
}

int
text_next(struct text *t, uint8_t *to, size_t room, struct text_event *ev,
	  struct err *e)
{
	if (t->early_at < t->early.n) {
		struct cur c = cur_of(t->early.p + t->early_at,
				      t->early.n - t->early_at);

		kept_event(&c, ev);
		t->early_at = t->early.n - cur_left(&c);
		return 0;
	}
	if (t->early.p)
		buf_free(&t->early);
	t->early_at = 0;
	return masked_next(t, to, room, ev, e);
}

/* A line's value: a newline in it would be another line. */
static void
put_line(struct buf *b, const char *key, struct str v)
{
	buf_put(b, key, strlen(key));
	buf_u8(b, ' ');
	for (size_t i = 0; i < v.n; i++)
		buf_u8(b, (uint8_t)v.p[i] < ' ' ? '?' : (uint8_t)v.p[i]);
	buf_u8(b, '\n');
}

static struct str
str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

/* What the run id is the hash of, but for its inputs' names. */
static void
put_params(struct buf *b, const struct text *t)
{
	const struct feed_params *p = t->p;

	buf_printf(b, "version %s\nown %llu\ncontext %llu\n", SEQF_VERSION,
		   (unsigned long long)p->own, (unsigned long long)p->context);
	if (p->region)
		put_line(b, "region", str_of(p->region));
	if (p->mask)
		put_line(b, "mask", str_of("yes"));
	if (matrix_format(p->matrix) != MATRIX_AUTO)
		put_line(b, "matrix", str_of(p->matrix));
	if (p->label)
		put_line(b, "label", str_of(p->label));
}

static void
put_inputs(struct buf *b, struct buf *least, const struct operand *op,
	   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str s = base_name(op[i].path);
		size_t k = s.n < least->n ? s.n : least->n;
		int cmp = i ? memcmp(s.p, least->p, k) : -1;

		put_line(b, "input", s);
		if (cmp < 0 || (cmp == 0 && s.n < least->n)) {
			least->n = 0;
			buf_put(least, s.p, s.n);
		}
	}
}

/* Read until FEED_HASHED bytes of letters are known, or all. */
static int
look_ahead(struct text *t, struct feed_run *run, struct buf *letters,
	   struct err *e)
{
	bool any = false;

	buf_reserve(letters, FEED_HASHED);	/* so that p is never NULL */
	while (letters->n < FEED_HASHED && !t->ended) {
		struct text_event ev;
		int rc = masked_next(t, NULL, 0, &ev, e);

		if (rc != 0)
			return rc;
		if (ev.kind == TEXT_RECORD && !any)
			buf_put(&run->first, ev.name.p, ev.name.n);
		any = true;
		keep_event(&t->early, &ev);
		if (ev.kind == TEXT_LETTERS)
			buf_put(letters, ev.p, ev.n * (ev.prob ? 16 : 1));
		t->ended = ev.kind == TEXT_END;
		if (t->early.n > FEED_EARLY && !t->ended)
			return err_set(e, ERR_LIMIT, "%s: names and header "
				       "lines take more than %d bytes before "
				       "there are %d letters",
				       t->op[t->at].path, FEED_EARLY,
				       FEED_HASHED);
	}
	if (t->early.bad || letters->bad || run->first.bad)
		return err_nomem(e, t->early.n + letters->n);
	if (letters->n > FEED_HASHED)
		letters->n = FEED_HASHED;
	return 0;
}

static int
name_run(struct feed_run *run, const struct text *t, const struct operand *op,
	 size_t n_op, struct rec_frame **begin, struct err *e)
{
	struct buf id = { 0 }, text = { 0 };
	struct run_key *k = &run->key;
	struct begin b = { 0 };
	int rc;

	put_params(&id, t);
	put_line(&id, "first", (struct str){ (char *)run->first.p,
					     run->first.n });
	buf_printf(&id, "hash %016llx\n", (unsigned long long)k->hash);
	buf_printf(&text, "program fasta-chunk\n");
	put_inputs(&text, &run->base, op, n_op);
	buf_put(&text, id.p, id.n);
	k->id = id.bad ? 0 : hash64(id.p, id.n, 0);
	k->id += k->id == 0;	/* 0 is no run's */
	k->base = (struct str){ (char *)run->base.p, run->base.n };
	k->label = str_of(t->p->label);
	k->first = (struct str){ (char *)run->first.p, run->first.n };
	b.run = *k;
	b.text = (struct str){ (char *)text.p, text.n };
	rc = id.bad || text.bad || run->base.bad ? err_nomem(e, text.n) :
						   begin_encode(begin, &b, e);
	buf_free(&id);
	buf_free(&text);
	return rc;
}

int
text_run(struct text *t, struct feed_run **out, struct rec_frame **begin,
	 struct err *e)
{
	struct feed_run *run = calloc(1, sizeof *run);
	struct operand *op = t->op + t->at;
	size_t n_op = t->end - t->at;
	struct buf letters = { 0 };
	int rc;

	if (!run)
		return err_nomem(e, sizeof *run);
	*out = run;		/* the feed's from now on */
	rc = look_ahead(t, run, &letters, e);
	if (rc == 0) {
		run->key.hash = hash64(letters.p, letters.n, 0);
		rc = name_run(run, t, op, n_op, begin, e);
	}
	buf_free(&letters);
	return rc;
}
