/* SPDX-License-Identifier: MIT */
/* feed.c - frames of all operands in order */

#define _GNU_SOURCE	/* memmem */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "flow/flow.h"
#include "flow/feed_in.h"
#include "rec/rec.h"

struct feed {
	struct feed_params p;
	struct serials serials;
	struct regions regions;
	struct circles circles;
	size_t want;			/* which of regions.want is next */
	struct operand *op;
	size_t n_op, at;
	struct feed_run *runs;
	/* operands [at, text.end) are a run in progress */
	bool in_run, open;		/* open: the record is wanted */
	bool plain;			/* are_plain() */
	struct text text;
	struct feed_plan *plan;		/* of the run in progress, or NULL */
	struct feed_stale stale;
	struct blank blank;
	/* names of a run, by hash: open addressing, 0 is free */
	uint64_t *names;
	size_t name_slots, n_names;
	uint64_t seed;			/* of the hash */
	struct buf twice;		/* the first name that came again */
	struct cutter cut;
	uint64_t pos;			/* in the record, of pend */
	const uint8_t *pend;		/* letters the cutter has not taken */
	size_t n_pend;
	unsigned unit;			/* bytes of a position */
	/* operand `at` is a record stream */
	struct rec_reader *reader;
	struct feed_place done;		/* operands that are read */
	_Atomic uint64_t n_bytes, n_read;
};

const struct feed_params feed_defaults = {
	.own = 1000000,
	.context = 1000,
	.threads = 1,
};

/* Records of neighbouring operands, and the name of their run. */

static bool
is_pipe(const struct operand *o)
{
	return strcmp(o->path, "-") == 0 || descriptor_of(o->path) >= 0;
}

/* The first bytes of an operand, enough to recognise a record stream. */
static int
peek_kind(struct source *s, const uint8_t **p, size_t *n, struct err *e)
{
	int rc = source_peek(s, 1, p, n, e);

	/* its first byte is no letter, so nobody waits for 8 in vain */
	if (rc == 0 && *n && **p == (uint8_t)REC_SYNC[0])
		rc = source_peek(s, REC_SYNC_LEN, p, n, e);
	return rc;
}

static int
err_mixed(struct err *e, const char *records, const char *text)
{
	return err_set(e, ERR_USAGE, "%.300s holds records, %.300s does not: "
		       "choose the output with -O", records, text);
}

static int
operand_open(struct operand *o, unsigned threads, struct err *e)
{
	return o->s ? 0 : source_open(&o->s, o->path, threads, e);
}

static void
operand_close(struct operand *o)
{
	source_close(o->s);
	o->s = NULL;
}

/* Close it; it can be opened again later if it is a regular file. */
static bool
operand_again(const struct operand *o)
{
	struct stat st;

	return !is_pipe(o) && stat(o->path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Frames that are in streams of sequences and of results. */
static bool
tells_nothing(const uint8_t *p)
{
	uint8_t type = p[REC_AT_TYPE];

	return type == REC_BEGIN || type == REC_SEQ || type == REC_END;
}

/*
 * Are they results?  Of the frames in the n bytes, which begin with one, the
 * first of CHUNKs and results decides; else whether a BEGIN is of a scan.  A
 * frame ends where the next one begins, whatever length it claims: between
 * them may be damage, of which the reader says what it is.
 */
static bool
holds_results(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n, *next;

	for (bool scan = false; ; p = next) {
		if (end - p < REC_HEADER)
			return scan;
		if (!tells_nothing(p))
			return p[REC_AT_TYPE] != REC_CHUNK;
		next = memmem(p + REC_SYNC_LEN, (size_t)(end - p) -
			      REC_SYNC_LEN, REC_SYNC, REC_SYNC_LEN);
		scan |= p[REC_AT_TYPE] == REC_BEGIN &&
			memmem(p, (size_t)((next ? next : end) - p),
			       "\nscan ", 6);
		if (!next)
			return scan;
	}
}

/* What one operand holds; it is open afterwards, unless that is an error. */
static int
look_into(struct operand *o, unsigned threads, enum feed_holds *holds,
	  struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = operand_open(o, threads, e);

	if (rc == 0)
		rc = peek_kind(o->s, &p, &n, e);
	if (rc != 0)
		operand_close(o);
	else
		*holds = n == 0 ? FEED_ANYTHING : rec_is(p, n) ? FEED_RECORDS :
								 FEED_TEXT;
	return rc;
}

int
feed_look(struct feed_look *l, char **operands, size_t n, unsigned threads,
	  struct err *e)
{
	const char *of[3] = { 0 };	/* an operand that holds it */
	int rc = 0;

	memset(l, 0, sizeof *l);
	for (size_t i = 0; rc == 0 && i < (n ? n : 1); i++) {
		struct operand o = { .path = n ? operands[i] : "-" };
		enum feed_holds holds = FEED_ANYTHING;
		bool again = operand_again(&o);

		if (i && !again)
			continue;
		rc = look_into(&o, threads, &holds, e);
		of[holds] = of[holds] ? of[holds] : o.path;
		if (again)
			operand_close(&o);
		else
			l->first = o.s;
		if (of[FEED_TEXT] && of[FEED_RECORDS])
			rc = err_mixed(e, of[FEED_RECORDS], of[FEED_TEXT]);
	}
	l->holds = of[FEED_RECORDS] ? FEED_RECORDS : FEED_TEXT;
	if (rc != 0) {
		source_close(l->first);
		l->first = NULL;
	}
	return rc;
}

int
feed_look_results(const struct feed_look *l, char **operands, size_t n,
		  bool *results, struct err *e)
{
	const uint8_t *p;
	size_t got = 0;
	int rc = 0;

	*results = true;
	for (size_t i = 0; rc == 0 && got == 0 && i < (n ? n : 1); i++) {
		struct operand o = { .path = n ? operands[i] : "-" };
		struct source *s = i ? NULL : l->first;

		if (i && !operand_again(&o)) {
			*results = false;
			break;
		}
		if (!s)
			rc = source_open(&s, o.path, 1, e);
		if (rc == 0)
			rc = source_peek(s, 64 << 10, &p, &got, e);
		if (rc == 0 && got)
			*results = rec_is(p, got) && holds_results(p, got);
		if (i || s != l->first)
			source_close(s);
	}
	return rc;
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

static void
text_free(struct text *t)
{
	if (t->op)
		close_reader(t);
	free(t->masked);
	buf_free(&t->early);
	memset(t, 0, sizeof *t);
}

static int
wanted(const void *ctx, struct str name, struct source_spans *to,
       struct err *e)
{
	return regions_spans(ctx, name, to, e);
}

/* Of a 2bit file, or FASTA with an index, only regions are read. */
static int
open_wanted(struct operand *o, unsigned threads, const struct regions *r,
	    struct err *e)
{
	if (o->s || !regions_any(r) || !operand_again(o))
		return operand_open(o, threads, e);
	return source_open_some(&o->s, o->path, threads, wanted, r, e);
}

static int
open_reader(struct text *t, struct err *e)
{
	struct operand *o = &t->op[t->at];
	enum matrix_format m = matrix_format(t->p->matrix);
	const uint8_t *p;
	size_t n;
	int rc = open_wanted(o, t->p->threads, t->regions, e);

	if (rc == 0)
		rc = source_peek(o->s, 1, &p, &n, e);
	/* >name could be FASTA or JASPAR: the next lines decide */
	if (rc == 0 && n && !t->p->digits &&
	    (*p == '>' || m == MATRIX_AUTO))
		rc = source_peek(o->s, 64 << 10, &p, &n, e);
	if (rc != 0)
		return rc;
	if (n && !t->p->digits &&
	    (m != MATRIX_AUTO || matrix_describe(p, n) != MATRIX_NONE)) {
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
		ev->file = (uint32_t)(t->at - t->first + 1);
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
	buf_u32(b, ev->file);
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
	ev->file = (uint32_t)cur_le(c, 4);
	ev->name = cur_str(c);
	ev->desc = cur_str(c);
	s = cur_str(c);
	ev->p = (const uint8_t *)s.p;
	ev->n = s.n / (ev->prob ? 16 : 1);
}

/*
 * Letters may be put at `to`, `room` of them at most, if room > 0: then
 * ev->p is `to`; or not.
 */
static int
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

/* Reads on until the run's key is known. */
static int
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
		rc = run_name(run, t, op, n_op, begin, e);
	}
	buf_free(&letters);
	return rc;
}

/* The same of a plan, without a letter. */
static int
plan_run(struct feed *f, struct feed_run *run, struct rec_frame **begin,
	 struct err *e)
{
	const struct sfi_sums *s = plan_sums(f->plan);
	struct text t = { .p = &f->p, .regions = &f->regions,
			  .circles = &f->circles };

	buf_put(&run->first, s->first.p, s->first.n);
	buf_reserve(&run->first, 1);
	buf_put(&f->twice, s->twice.p, s->twice.n);
	if (s->twice.n)
		buf_u8(&f->twice, 0);
	if (run->first.bad || f->twice.bad)
		return err_nomem(e, s->first.n + s->twice.n);
	run->key.hash = s->hash;
	return run_name(run, &t, f->op, f->n_op, begin, e);
}

/* Frames of all operands in order. */

static int
check_len(const char *what, uint64_t v, uint64_t min, struct err *e)
{
	if (v >= min && v <= FEED_MAX_LEN)
		return 0;
	return err_set(e, ERR_USAGE, "%s %llu: must be %llu to %d", what,
		       (unsigned long long)v, (unsigned long long)min,
		       FEED_MAX_LEN);
}

static int
check(const struct feed_params *p, struct err *e)
{
	int rc = check_len("-L", p->own, 1, e);

	if (rc == 0)
		rc = check_len("-W", p->context, 0, e);
	if (rc == 0)
		rc = check_len("context", p->min_context, 0, e);
	for (const char *s = p->label; rc == 0 && s && *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			rc = err_set(e, ERR_USAGE, "--label: must not hold "
				     "control characters");
	if (rc == 0 && matrix_format(p->matrix) == MATRIX_NONE)
		rc = err_set(e, ERR_USAGE, "--matrix=%s: must be auto, "
			     "jaspar, meme, transfac or pfm", p->matrix);
	if (rc == 0 && p->digits && matrix_format(p->matrix) != MATRIX_AUTO)
		rc = err_set(e, ERR_USAGE, "--digits: not with --matrix");
	return rc;
}

static int
set_operands(struct feed *f, char **operands, size_t n, struct err *e)
{
	f->n_op = n ? n : 1;
	f->op = calloc(f->n_op, sizeof *f->op);
	if (!f->op)
		return err_nomem(e, f->n_op * sizeof *f->op);
	f->op[0].path = "-";
	for (size_t i = 0; i < n; i++)
		f->op[i].path = operands[i];
	return 0;
}

int
feed_open(struct feed **out, char **operands, size_t n,
	  const struct feed_params *p, struct err *e)
{
	struct feed *f = calloc(1, sizeof *f);
	struct timespec t = { 0 };
	int rc;

	if (!f)
		return err_nomem(e, sizeof *f);
	clock_gettime(CLOCK_REALTIME, &t);
	f->seed = (uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec;
	f->p = *p;
	f->cut.own = p->own;
	f->cut.context = p->context > p->min_context ? p->context :
						       p->min_context;
	rc = check(p, e);
	if (rc == 0)
		rc = regions_parse(&f->regions, p->regions, e);
	if (rc == 0)
		rc = circles_parse(&f->circles, p->circular, e);
	if (rc == 0)
		rc = serials_parse(&f->serials, p, e);
	if (rc == 0)
		rc = set_operands(f, operands, n, e);
	if (rc != 0) {
		feed_close(f);
		return rc;
	}
	if (p->look) {
		f->op[0].s = p->look->first;
		p->look->first = NULL;
	}
	*out = f;
	return 0;
}

void
feed_close(struct feed *f)
{
	if (!f)
		return;
	text_free(&f->text);
	cutter_free(&f->cut);
	plan_free(f->plan);
	rec_reader_free(f->reader);
	for (size_t i = 0; i < f->n_op && f->op; i++)
		operand_close(&f->op[i]);
	while (f->runs) {
		struct feed_run *r = f->runs;

		f->runs = r->next;
		buf_free(&r->base);
		buf_free(&r->first);
		free(r);
	}
	serials_free(&f->serials);
	regions_free(&f->regions);
	circles_free(&f->circles);
	free(f->names);
	buf_free(&f->twice);
	free(f->op);
	free(f);
}

/* A pipe in which not a byte stands: what was to write there has failed, and
 * must not pass for an input without a sequence. */
static int
check_bytes(struct feed *f, size_t i, struct err *e)
{
	const struct operand *o = &f->op[i];

	if (!is_pipe(o) || source_n_read(o->s))
		return 0;
	return err_set(e, ERR_INCOMPLETE, "%s: " NO_BYTE, source_name(o->s));
}

/* Text and records need -O, where feed_look() did not see it before. */
static int
check_mixed(const struct feed *f, size_t i, bool records, struct err *e)
{
	const char *name = source_name(f->op[i].s), *first = f->op[0].path;
	enum feed_holds holds = f->p.look ? f->p.look->holds : FEED_ANYTHING;

	if (holds == FEED_ANYTHING || records == (holds == FEED_RECORDS))
		return 0;
	return records ? err_mixed(e, name, first) : err_mixed(e, first, name);
}

enum { NO_STREAM, STREAM, DEAD };	/* DEAD: a pipe without a byte */

/* Is operand i a record stream?  NO_STREAM, STREAM, DEAD or an error. */
static int
is_stream(struct feed *f, size_t i, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = open_wanted(&f->op[i], f->p.threads, &f->regions, e);

	if (rc == 0)
		rc = peek_kind(f->op[i].s, &p, &n, e);
	if (rc == 0 && n)
		rc = check_mixed(f, i, rec_is(p, n), e);
	if (rc != 0)
		return rc;
	/*
	 * Nothing at all: what was to write there may have died.  A stream
	 * without frames is what the judge refuses.
	 */
	if (n == 0 && !f->p.text_only && f->p.results)
		return STREAM;
	if (n == 0 && !f->p.text_only && is_pipe(&f->op[i]))
		return DEAD;
	if (n == 0 && f->p.text_only && (rc = check_bytes(f, i, e)) != 0)
		return rc;
	if (n == 0 || !rec_is(p, n))
		return NO_STREAM;
	if (!f->p.text_only && (regions_any(&f->regions) || f->p.circular))
		return err_set(e, ERR_USAGE, "%s: a record stream was cut "
			       "already: give %s to fasta-chunk",
			       source_name(f->op[i].s),
			       f->p.circular ? "--circular" : "-r");
	if (!f->p.text_only)
		return STREAM;
	return err_set(e, ERR_FORMAT, "%s: a record stream, where sequences "
		       "are expected", source_name(f->op[i].s));
}

static void
dead_item(const struct feed *f, size_t i, struct feed_item *it)
{
	const char *name = source_name(f->op[i].s);

	it->kind = FEED_DAMAGE;
	snprintf(it->text, sizeof it->text, "%.180s: " NO_BYTE, name);
	it->dead_name = strnlen(name, 180);
}

/*
 * Operand i, DEAD, would be of one run with the text beside it, which without
 * it must not pass for the whole run: it is left out, and is an error while
 * nothing is out yet.
 */
static int
dead_run(struct feed *f, size_t i, struct feed_item *it, struct err *e)
{
	int rc = 0;

	dead_item(f, i, it);
	if (f->at == 0)
		return err_set(e, ERR_INCOMPLETE, "%s", it->text);
	while (f->at <= i)
		operand_close(&f->op[f->at++]);
	while (f->at < f->n_op &&
	       (rc = is_stream(f, f->at, e)) == NO_STREAM)
		operand_close(&f->op[f->at++]);
	return rc < 0 ? rc : 1;
}

/* As many operands from `at` on as are text; DEAD: one of them is. */
static int
group(struct feed *f, size_t *end, struct err *e)
{
	for (*end = f->at + 1; *end < f->n_op; ++*end) {
		struct operand *o = &f->op[*end];
		int rc = is_stream(f, *end, e);

		if (rc != 0)
			return rc < 0 || rc == DEAD ? rc : 0;
		/* files are opened again: there may be very many */
		if (operand_again(o))
			operand_close(o);
	}
	return 0;
}

/* May records come so? */
static bool
are_plain(const struct feed *f)
{
	return !f->p.mask && !f->p.digits && !f->p.records &&
	       !regions_any(&f->regions) && f->circles.kind == CIRCLES_NONE;
}

static int
begin_run(struct feed *f, struct feed_item *it, struct err *e)
{
	struct feed_run *run = NULL;
	int rc;

	f->text = (struct text){ .p = &f->p, .op = f->op, .first = f->at,
				 .at = f->at, .blank = &f->blank,
				 .regions = &f->regions,
				 .circles = &f->circles };
	rc = group(f, &f->text.end, e);
	if (rc != 0)
		return rc == DEAD ? dead_run(f, f->text.end, it, e) : rc;
	rc = text_run(&f->text, &run, &it->frame, e);
	if (run) {
		run->next = f->runs;
		f->runs = run;
	}
	if (rc != 0)
		return rc;
	f->in_run = true;
	f->open = false;
	f->plain = are_plain(f);
	if (f->n_names)
		memset(f->names, 0, f->name_slots * sizeof *f->names);
	f->n_names = 0;
	f->cut.run = run;
	f->cut.serial = f->cut.ordinal = 0;
	it->kind = FEED_FRAME;
	return 1;
}

static int
end_record(struct feed *f, struct err *e)
{
	int rc = 0;

	if (!f->open)
		return 0;
	f->open = false;
	if (regions_any(&f->regions))
		rc = regions_check_end(&f->regions, cutter_name(&f->cut),
				       f->pos, e);
	return rc ? rc : cutter_end_record(&f->cut, f->pos, e);
}

/* The slot of that hash, or the free one where it belongs. */
static uint64_t *
name_slot(struct feed *f, uint64_t hash)
{
	size_t mask = f->name_slots - 1, i = (size_t)hash & mask;

	while (f->names[i] && f->names[i] != hash)
		i = (i + 1) & mask;
	return &f->names[i];
}

/* Twice as many slots; the names stay. */
static int
more_names(struct feed *f, struct err *e)
{
	size_t n = f->name_slots;
	uint64_t *old = f->names;
	int rc;

	f->names = NULL;
	rc = slots_double(&f->names, &f->name_slots, sizeof *old, e);
	if (rc) {
		f->names = old;
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*name_slot(f, old[i]) = old[i];
	free(old);
	return 0;
}

/*
 * Did another record have this name?  The seed is nobody's to know, or names
 * could be chosen that all want one slot.
 */
static int
look_twice(struct feed *f, struct str name, struct err *e)
{
	uint64_t hash, *slot;

	if (f->twice.n || f->n_names == FEED_KNOWN)
		return 0;
	if (2 * f->n_names >= f->name_slots && more_names(f, e))
		return e->code;
	hash = hash64(name.p, name.n, f->seed);
	hash += hash == 0;
	slot = name_slot(f, hash);
	if (!*slot) {
		*slot = hash;
		f->n_names++;
		return 0;
	}
	buf_put(&f->twice, name.p, name.n);
	buf_u8(&f->twice, 0);
	return f->twice.bad ? err_nomem(e, name.n) : 0;
}

bool
feed_twice(const struct feed *f, struct feed_twice *t)
{
	if (f->twice.n)
		snprintf(t->text, sizeof t->text, "two sequences are called "
			 "%.200s: rows do not show which one is meant",
			 (const char *)f->twice.p);
	return f->twice.n;
}

static int
begin_record(struct feed *f, const struct text_event *ev, struct err *e)
{
	bool some = regions_any(&f->regions);
	bool round = circles_has(&f->circles, ev->name, ev->desc);
	int rc = some ? regions_match(&f->regions, ev->name, e) : 1;

	if (rc <= 0)
		return rc;
	rc = look_twice(f, ev->name, e);
	if (!rc && round && ev->prob)
		rc = err_set(e, ERR_USAGE, "--circular: %.*s is a matrix",
			     str_shown(ev->name, 99), ev->name.p);
	if (rc)
		return rc;
	/* a part of a circle is none */
	if (some && (f->regions.want.n > 1 || f->regions.want.v[0].beg ||
		     f->regions.want.v[0].end != UINT64_MAX))
		round = false;
	f->open = true;
	f->want = 0;
	f->pos = 0;
	f->unit = ev->prob ? 16 : 1;
	f->cut.file = ev->file;
	return cutter_record(&f->cut, ev->name, ev->desc, ev->prob, round,
			     some ? f->regions.want.v[0].beg : 0, e);
}

/* Letters of an open record with regions: what is next is left out, or goes
 * to the cutter. */
static int
cut_region(struct feed *f, size_t *used, struct err *e)
{
	const struct source_span *s = f->regions.want.v + f->want;

	*used = f->n_pend;
	if (f->want == f->regions.want.n)
		return 0;
	if (f->pos < s->beg) {
		if (*used > s->beg - f->pos)
			*used = (size_t)(s->beg - f->pos);
		return 0;
	}
	if (f->pos < s->end)
		return cutter_letters(&f->cut, f->pend,
				      (size_t)min_u64(f->n_pend,
						      s->end - f->pos),
				      used, e);
	*used = 0;
	return ++f->want < f->regions.want.n ?
	       cutter_skip_to(&f->cut, s[1].beg, e) : 0;
}

static int
finish_run(struct feed *f, struct err *e)
{
	int rc = f->text.end < f->n_op ? 0 :
		 regions_check_found(&f->regions, e);

	if (rc == 0 && f->text.end == f->n_op)
		rc = circles_check_found(&f->circles, e);
	if (rc != 0)
		return rc;
	f->in_run = false;
	f->at = f->text.end;
	place_add(&f->done, &f->text.closed);
	text_free(&f->text);
	return cutter_finish(&f->cut, e);
}

/*
 * Records that are short and all at hand go to the cutter at once, as many as
 * come: of events, one for what each is made of, reads of 70 letters took twice
 * the time.
 */
static int
short_records(struct feed *f, struct err *e)
{
	struct text *t = &f->text;
	struct fasta_piece p;
	uint8_t *to;
	size_t room;
	int rc;

	if (f->open && !cutter_is_short(&f->cut))
		return 0;
	rc = end_record(f, e);
	f->cut.file = (uint32_t)(t->at - t->first + 1);
	while (rc == 0 && (room = cutter_short_room(&f->cut, &to))) {
		rc = fasta_whole(t->fasta, to, room, &p, e);
		if (rc <= 0)
			return rc;
		t->any = true;
		rc = look_twice(f, p.name, e);
		if (rc == 0)
			rc = cutter_short(&f->cut, p.name, p.desc, p.n, e);
	}
	return rc;
}

/* One event on: items may have come out. */
static int
advance(struct feed *f, struct err *e)
{
	struct text_event ev;
	size_t used, room = 0;
	uint8_t *to = NULL;
	int rc;

	if (f->n_pend) {
		rc = regions_any(&f->regions) ? cut_region(f, &used, e) :
		     cutter_letters(&f->cut, f->pend, f->n_pend, &used, e);
		f->pend += used * f->unit;
		f->n_pend -= used;
		f->pos += used;
		return rc;
	}
	if (f->plain && f->text.fasta && f->text.early_at == f->text.early.n &&
	    fasta_between(f->text.fasta)) {
		rc = short_records(f, e);
		if (rc)
			return rc;
	}
	if (f->open && !regions_any(&f->regions))
		room = cutter_room(&f->cut, &to);
	rc = text_next(&f->text, to, room, &ev, e);
	if (rc != 0)
		return rc;
	if (ev.kind == TEXT_LETTERS) {
		if (room && ev.p == to) {
			cutter_took(&f->cut, ev.n);
			f->pos += ev.n;
		} else if (f->open) {
			f->pend = ev.p;
			f->n_pend = ev.n;
		}
		return 0;
	}
	rc = end_record(f, e);
	if (rc == 0)
		rc = ev.kind == TEXT_RECORD ? begin_record(f, &ev, e) :
					      finish_run(f, e);
	return rc;
}

static int
next_frame(struct feed *f, struct feed_item *it, struct err *e)
{
	int rc = rec_read(f->reader, &it->frame, e);

	if (rc == REC_DAMAGE) {
		it->kind = FEED_DAMAGE;
		snprintf(it->text, sizeof it->text, "%.255s", e->text);
		return 1;
	}
	it->kind = FEED_FRAME;
	if (rc != REC_EOF)
		return rc;
	/* of a single one the verdict says so */
	if (f->n_op > 1 && source_offset(f->op[f->at].s) == 0) {
		dead_item(f, f->at, it);
		rc = 1;
	}
	rec_reader_free(f->reader);
	f->reader = NULL;
	place_source(&f->done, f->op[f->at].s);
	operand_close(&f->op[f->at++]);
	return rc;
}

static void
count(struct feed *f)
{
	size_t at = f->in_run ? f->text.at : f->at;
	struct feed_place n = f->done;

	if (f->in_run)
		place_add(&n, &f->text.closed);
	if (f->plan)
		n.n_read += plan_n_read(f->plan);
	if (at < f->n_op && f->op[at].s)
		place_source(&n, f->op[at].s);
	atomic_store_explicit(&f->n_bytes, n.n_bytes, memory_order_relaxed);
	atomic_store_explicit(&f->n_read, n.n_read, memory_order_relaxed);
}

/* Are only some chunks wanted, of letters as they are in the files? */
static bool
may_plan(const struct feed *f)
{
	const struct feed_params *p = &f->p;
	bool ok = p->text_only && (p->parts || p->only) && !p->circular &&
		  !p->mask && !p->digits && !p->records &&
		  !regions_any(&f->regions) && f->at == 0 &&
		  matrix_format(p->matrix) == MATRIX_AUTO &&
		  f->cut.own >= SFI_BLOCK;

	for (size_t i = 0; ok && i < f->n_op; i++)
		ok = !f->op[i].s && operand_again(&f->op[i]);
	return ok;
}

/* The run of all operands, if FILE.sfi of each is there.  0: it is not. */
static int
begin_plan(struct feed *f, struct feed_item *it, struct err *e)
{
	struct feed_run *run;
	int rc;

	if (!may_plan(f))
		return 0;
	rc = plan_open(&f->plan, f->op, f->n_op, &f->serials, f->stale.text,
		       e);
	if (rc || !f->plan)
		return rc;
	run = calloc(1, sizeof *run);
	if (!run)
		return err_nomem(e, sizeof *run);
	run->next = f->runs;
	f->runs = run;
	plan_begin(f->plan, run, f->cut.own, f->cut.context);
	rc = plan_run(f, run, &it->frame, e);
	it->kind = FEED_FRAME;
	return rc ? rc : 1;
}

bool
feed_stale(const struct feed *f, struct feed_stale *s)
{
	*s = f->stale;
	return *s->text;
}

/* The next operand: a run of text, or the reader of a stream. */
static int
begin_operand(struct feed *f, struct feed_item *it, struct err *e)
{
	int rc = begin_plan(f, it, e), next = STREAM;

	if (rc)
		return rc;
	rc = is_stream(f, f->at, e);
	if (rc == NO_STREAM)
		return begin_run(f, it, e);
	if (rc == DEAD && f->at + 1 < f->n_op)
		next = is_stream(f, f->at + 1, e);
	if (rc < 0 || next < 0)
		return rc < 0 ? rc : next;
	return next == NO_STREAM ? dead_run(f, f->at, it, e) :
	       rec_reader_new(&f->reader, f->op[f->at].s, e);
}

int
feed_next(struct feed *f, struct feed_item *it, struct err *e)
{
	int rc = 0;

	memset(it, 0, sizeof *it);
	count(f);
	while (rc == 0) {
		if (cutter_pop(&f->cut, it)) {
			it->skip = it->kind == FEED_RAW &&
			    !serials_has(&f->serials, it->cut->raw.serial);
			return 1;
		}
		if (f->plan) {
			f->at = f->n_op;
			return plan_next(f->plan, it, e);
		} else if (f->in_run) {
			rc = advance(f, e);
		} else if (f->reader) {
			rc = next_frame(f, it, e);
		} else if (f->at == f->n_op) {
			return 0;
		} else {
			rc = begin_operand(f, it, e);
		}
	}
	return rc;
}

bool
feed_absent(const struct feed *f, uint64_t chunks, struct feed_absent *a)
{
	return serials_absent(&f->serials, chunks, a);
}

bool
feed_blank(const struct feed *f, struct feed_blank *b)
{
	return blank_line(&f->blank, b);
}

struct feed_place
feed_place(struct feed *f)
{
	struct feed_place p = { 0 };

	p.n_bytes = atomic_load_explicit(&f->n_bytes, memory_order_relaxed);
	p.n_read = atomic_load_explicit(&f->n_read, memory_order_relaxed);
	return p;
}
