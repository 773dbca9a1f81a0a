/* SPDX-License-Identifier: MIT */
/* ledger.c - taking note of frames, copies and lengths */
#include <stdlib.h>

#include "base/hash.h"
#include "stream/ledger_priv.h"
#include "stream/result.h"

int
ledger_new(struct ledger **l, struct err *e)
{
	*l = calloc(1, sizeof **l);
	return *l ? 0 : err_nomem(e, sizeof **l);
}

void
ledger_free(struct ledger *l)
{
	if (!l)
		return;
	led_keys_free(l);
	free(l->seen);
	free(l->length);
	buf_free(&l->seq_runs.b);
	sorter_free(l->names);
	free(l->two_names);
	buf_free(&l->reasons);
	free(l);
}

/* Where the frame of these hashes stands, or should. */
static struct led_slot *
seen_slot(struct led_slot *t, size_t cap, struct led_slot k)
{
	size_t at = k.a & (cap - 1);

	while ((t[at].a || t[at].b) && (t[at].a != k.a || t[at].b != k.b))
		at = (at + 1) & (cap - 1);
	return t + at;
}

static bool
seen_grow(struct ledger *l)
{
	size_t cap = l->seen_cap ? 2 * l->seen_cap : 64;
	struct led_slot *t = calloc(cap, sizeof *t);

	if (!t)
		return false;
	for (size_t i = 0; i < l->seen_cap; i++)
		if (l->seen[i].a || l->seen[i].b)
			*seen_slot(t, cap, l->seen[i]) = l->seen[i];
	free(l->seen);
	l->seen = t;
	l->seen_cap = cap;
	return true;
}

/* The frame by its header and its payload, 64 bits each. */
static struct led_slot
seen_key(const struct rec_frame *f)
{
	uint64_t head[5] = { f->type, f->run, f->serial, f->records, f->n };
	struct led_slot k = { 0, hash64(head, sizeof head, 0) };

	k.a = hash64(f->payload, f->n, k.b);
	k.b |= 1;	/* never an empty slot */
	return k;
}

static bool
is_seen(const struct ledger *l, struct led_slot k)
{
	const struct led_slot *s;

	if (!l->seen_cap)
		return false;
	s = seen_slot(l->seen, l->seen_cap, k);
	return s->a || s->b;
}

static int
see(struct ledger *l, struct led_slot k, struct err *e)
{
	if (4 * l->n_seen >= 3 * l->seen_cap && !seen_grow(l))
		return err_nomem(e, 2 * l->seen_cap * sizeof *l->seen);
	*seen_slot(l->seen, l->seen_cap, k) = k;
	l->n_seen++;
	return 0;
}

/* Is it a led_one? */
static bool
note_one(struct led_scan *s, const struct receipt *r, uint64_t content)
{
	const struct range *g = r->range;
	struct led_one one;

	if (r->n_ranges != 1 || r->number || !r->last ||
	    g->end - g->first > UINT32_MAX || g->letters > UINT32_MAX)
		return false;
	one = (struct led_one){ g->first, g->digest, content,
				(uint32_t)(g->end - g->first),
				(uint32_t)g->letters };
	buf_put(&s->ones, &one, sizeof one);
	return true;
}

/* Append; the ranges only once for frames that follow each other. */
static void
note_frame(struct led_scan *s, const struct receipt *r, uint64_t content)
{
	struct led_frame f = { ranges_hash(r->range, r->n_ranges), content,
			       r->number, r->last };
	const struct led_frame *before =
	    s->frames.n ? (const void *)(s->frames.p + s->frames.n - sizeof f) :
	    NULL;
	bool known = before && before->group == f.group;

	buf_put(&s->frames, &f, sizeof f);
	for (size_t i = 0; !known && i < r->n_ranges; i++) {
		struct led_range g = { r->range[i], f.group };

		buf_put(&s->ranges, &g, sizeof g);
	}
}

static int
note_receipt(struct led_scan *s, const struct receipt *r, uint64_t content,
	     struct err *e)
{
	bool fine = true;

	s->stale = true;
	for (size_t i = 0; i < r->n_needs; i++)
		fine &= ids_add(&s->needs, r->need[i]);
	if (!note_one(s, r, content))
		note_frame(s, r, content);
	if (!fine || s->ones.bad || s->frames.bad || s->ranges.bad)
		return err_nomem(e, s->ones.n + s->ranges.n);
	return 0;
}

static int
note_names(struct ledger *l, uint64_t run, const struct subject_ref *s,
	   size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = led_note_name(l, run, s[i].ordinal, s[i].name, e);
	return rc;
}

/* All but HITS' rows is checked. */
static int
check_result(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct hits_view h;
	struct tally t;
	struct primer_part p;
	struct dist d;
	int rc = 0;

	switch (f->type) {
	case REC_HITS:
		rc = hits_view(&h, f, e);
		if (rc == 0)
			rc = note_names(l, f->run, h.subject, h.n_subjects, e);
		hits_view_free(&h);
		break;
	case REC_TALLY:
		rc = tally_view(&t, f, e);
		tally_free(&t);
		break;
	case REC_PRIMER:
		rc = primer_view(&p, f, e);
		primer_free(&p);
		break;
	case REC_DIST:
		rc = dist_view(&d, f, e);
		if (rc == 0)
			rc = note_names(l, f->run, d.name, d.n_names, e);
		dist_free(&d);
		break;
	}
	return rc;
}

/*
 * Hash of what a scanner wrote behind the receipt, never 0: the same for the
 * same result of a file, a pipe and a copy, whose run keys have other names.
 * 0 of what a merge wrote.
 */
static uint64_t
content_of(const struct rec_frame *f, const struct receipt *r, struct str body)
{
	uint64_t hash;

	if (!r->unmerged)
		return 0;
	hash = hash64(body.p, body.n, f->type);
	return hash + (hash == 0);
}

static int
note_result(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct run_key key;
	struct receipt r;
	struct led_run *run;
	struct led_scan *s;
	struct str body;
	int rc = check_result(l, f, e);

	if (rc == 0)
		rc = result_body(f, &key, &r, &body, e);
	if (rc)
		return rc;
	run = led_run(l, &key);
	s = run ? led_scan(l, run, &r.scan) : NULL;
	rc = s ? note_receipt(s, &r, content_of(f, &r, body), e) :
		 err_nomem(e, sizeof *run);
	free(r.range);
	return rc;
}

/*
 * A whole record's length is known to every hit in it, and its name is in this
 * chunk's digest alone: to remember those too would take memory for every read
 * of a sequencer.
 */
static int
note_chunk_rows(struct ledger *l, const struct chunk *c, struct err *e)
{
	const unsigned whole = CHUNK_FIRST | CHUNK_LAST;
	int rc = 0;

	for (size_t i = 0; i < c->n_rows && rc == 0; i++) {
		const struct chunk_row *r = &c->row[i];

		if ((r->flags & whole) == whole)
			continue;
		rc = led_note_name(l, c->run.id, r->ordinal, r->name, e);
		if (rc == 0 && r->flags & CHUNK_LAST)
			rc = led_note_length(l, c->run.id, r->ordinal,
					     r->length, e);
	}
	return rc;
}

static int
note_chunk(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	struct range g;
	struct receipt r = { .last = true, .range = &g, .n_ranges = 1 };
	struct led_run *run;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	g = (struct range){ c.serial, c.serial + 1, c.owned, c.digest };
	if (c.serial == UINT64_MAX)
		rc = err_set(e, ERR_FORMAT, "a chunk of impossible serial");
	if (rc == 0)
		rc = note_chunk_rows(l, &c, e);
	if (rc == 0) {
		run = led_run(l, &c.run);
		rc = run ? note_receipt(&run->chunks, &r, 0, e) :
			   err_nomem(e, sizeof *run);
	}
	chunk_free(&c);
	return rc;
}

static int
note_begin(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	struct led_run *run;
	struct led_scan *s = NULL;
	int rc = begin_view(&b, f, e);

	if (rc)
		return rc;
	run = led_run(l, &b.run);
	if (run && b.scan.id)
		s = led_scan(l, run, &b.scan);
	if (!run || (b.scan.id && !s) || !led_begin(l, &b))
		return err_nomem(e, sizeof *run + b.text.n);
	if (!s)
		run->begun = true;
	return 0;
}

static int
note_end(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct run_end n;
	struct led_run *run;
	int rc = end_view(&n, f, e);

	if (rc)
		return rc;
	run = led_run(l, &n.run);
	if (!run)
		return err_nomem(e, sizeof *run);
	if (run->ended && (run->end.chunks != n.chunks ||
			   run->end.sequences != n.sequences ||
			   run->end.letters != n.letters ||
			   run->end.digest != n.digest)) {
		run->ends_differ = true;
		run->versions_differ |= run->end.named != n.named;
	}
	run->ended = true;
	run->end = n;
	run->end.run = run->key;	/* n's strings go with the frame */
	return 0;
}

static int
note_seq(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct seq s;
	int rc = seq_view(&s, f, e);

	if (rc)
		return rc;
	if (!ids_add(&l->seq_runs, f->run))
		return err_nomem(e, l->seq_runs.b.n);
	rc = led_note_name(l, f->run, s.ordinal, s.name, e);
	return rc ? rc : led_note_length(l, f->run, s.ordinal, s.length, e);
}

/* Results and chunks: what must not be taken twice. */
static int
note_once(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct led_slot k = seen_key(f);
	int rc;

	if (is_seen(l, k)) {
		l->copies++;
		return LEDGER_COPY;
	}
	rc = f->type == REC_CHUNK ? note_chunk(l, f, e) : note_result(l, f, e);
	return rc ? rc : see(l, k, e);
}

int
ledger_frame(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	int rc = 0;

	l->any = true;
	l->judged = false;
	switch (f->type) {
	case REC_BEGIN: rc = note_begin(l, f, e); break;
	case REC_SEQ: rc = note_seq(l, f, e); break;
	case REC_END: rc = note_end(l, f, e); break;
	case REC_CHUNK:
	case REC_HITS:
	case REC_TALLY:
	case REC_PRIMER:
	case REC_DIST:
	case REC_DONE: rc = note_once(l, f, e); break;
	}
	if (rc == ERR_FORMAT)
		l->damaged = true;
	return rc;
}

void
ledger_damage(struct ledger *l)
{
	l->damaged = true;
	l->judged = false;
}

void
ledger_judge_chunks(struct ledger *l)
{
	l->judge_chunks = true;
	l->judged = false;
}

void
ledger_no_length(struct ledger *l, const char *name)
{
	if (l->no_lengths++ == 0 ||
	    strncmp(name, l->no_length, sizeof l->no_length - 1) < 0) {
		memset(l->no_length, 0, sizeof l->no_length);
		strncpy(l->no_length, name, sizeof l->no_length - 1);
	}
	l->judged = false;
}

uint64_t
ledger_copies(const struct ledger *l)
{
	return l->copies;
}
