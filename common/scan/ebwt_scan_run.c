/* SPDX-License-Identifier: MIT */
/* ebwt_scan_run.c - a stream's sequences, then what is wanted of them */
#include <stdio.h>

#include "base/pages.h"
#include "scan/ebwt_scan_priv.h"

struct runner {
	struct ebwt_scan *s;
	struct ebwt_seqs *seqs;
	struct out *text;
	uint64_t n_letters;
	bool any;		/* there was a frame */
};

static int
chunk(void *ctx, unsigned thread, const struct rec_frame *f,
      struct rec_frame *const *before, size_t n_before, struct buf *out,
      struct err *e)
{
	(void)ctx;
	(void)thread;
	(void)before;
	(void)n_before;
	return ebwt_seqs_decode(f, out, e);
}

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *letters,
     struct err *e)
{
	struct runner *x = ctx;

	x->any = true;
	return ebwt_seqs_add(x->seqs, f, letters, e);
}

static int
see(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct runner *x = ctx;

	x->any = true;
	return ebwt_seqs_see(x->seqs, f, e);
}

static void
progress(void *arg, uint64_t done, uint64_t of)
{
	const struct ebwt_scan *s = arg;

	s->o.progress(done, of);
}

uint64_t
ebwt_memory(const struct ebwt_scan *s)
{
	return s->o.memory ? (uint64_t)s->o.memory : pages_machine();
}

const char *
ebwt_limit(const struct ebwt_scan *s, char *room, size_t n)
{
	if (s->o.memory)
		snprintf(room, n, "--memory %lld", (long long)s->o.memory);
	else
		snprintf(room, n, "the %.3g MB of this machine",
			 1e-6 * (double)pages_machine());
	return room;
}

int
ebwt_params_of(const struct ebwt_scan *s, uint64_t n_bytes,
	       struct ebwt_params *p, struct err *e)
{
	uint64_t most = (uint64_t)s->o.memory;

	*p = (struct ebwt_params){
		.engine = s->o.paper ? EBWT_PLAIN : EBWT_AUTO,
		.helper = s->o.helper,
		.threads = s->threads, .memory = most ? most - n_bytes : 0,
		.progress = s->o.progress ? progress : NULL,
		.progress_arg = (void *)(uintptr_t)s,
	};
	return most && most <= n_bytes ?
	       err_set(e, ERR_LIMIT, "letters and rows alone take %llu bytes: "
		       "not less than --memory %llu",
		       (unsigned long long)n_bytes,
		       (unsigned long long)most) : 0;
}

void
ebwt_tell_need(const struct ebwt_scan *s, uint64_t n_bytes,
	       const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	struct ebwt_need need = ebwt_need(x, job);
	struct buf b = { 0 };

	if (!s->o.tell)
		return;
	buf_printf(&b, "memory: %.3g MB, %.3g MB of it letters and rows; "
		   "%.3g MB at least, with --memory",
		   1e-6 * (double)(need.most + n_bytes),
		   1e-6 * (double)n_bytes,
		   1e-6 * (double)(need.least + n_bytes));
	buf_u8(&b, 0);
	if (!b.bad)
		s->o.tell((char *)b.p);
	buf_free(&b);
}

/* Of the run's sequences, and of the queries. */
static uint64_t
bytes_of(const struct ebwt_scan *s, const struct ebwt_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->q->n; i++)
		n += s->query[i].n * (s->query[i].prob ? 16 : 1) +
		     EBWT_SEQ_BYTES;
	for (size_t i = 0; i < r->n; i++)
		n += r->seq[i].n * (r->seq[i].prob ? 16 : 1) +
		     EBWT_SEQ_BYTES;
	return n;
}

static int
finish_run(struct runner *x, const struct ebwt_run *r, whole_put_fn *put,
	   void *put_ctx, struct err *e)
{
	uint64_t n_bytes = bytes_of(x->s, r);

	for (size_t i = 0; i < r->n; i++)
		x->n_letters += r->seq[i].n;
	switch (x->s->o.what) {
	case EBWT_LISTING:
		return ebwt_print_listing(x->s, r, n_bytes, x->text, e);
	case EBWT_WORDS:
		return ebwt_print_words(x->s, r, x->text, e);
	default:
		return ebwt_dists(x->s, r, n_bytes, put, put_ctx, e);
	}
}

/* Pairs need all sequences.  Of no frame at all a stream is nothing, too: who
 * reads it tells that. */
static bool
needs_all(const struct runner *x)
{
	const struct ebwt_options *o = &x->s->o;

	return !x->s->q->n && (x->any || o->what || o->keeps);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	struct runner *x = ctx;
	const struct whole *w = ebwt_seqs_runs(x->seqs);
	const struct ebwt_seq *seq = NULL;
	size_t n = 0;
	int rc = needs_all(x) ? ebwt_seqs_whole(x->seqs, e) : 0;

	if (!rc)
		rc = ebwt_seqs_finish(x->seqs, &seq, &n, e);
	if (!rc && x->s->o.what == EBWT_LISTING && w->n_runs > 1)
		return err_set(e, ERR_USAGE, "%zu runs in the stream: a "
			       "listing is of one", w->n_runs);
	for (uint32_t i = 0; i < w->n_runs && !rc; i++) {
		struct ebwt_run r = { .run = &w->run[i], .seq = seq };

		while (r.n < n && seq[r.n].run == i)
			r.n++;
		rc = finish_run(x, &r, put, put_ctx, e);
		seq += r.n;
		n -= r.n;
	}
	return rc;
}

int
ebwt_scan_run(const struct scan_run *r, struct ebwt_scan *s,
	      struct out *text, uint64_t *n_letters, struct err *e)
{
	struct runner x = { .s = s, .text = text };
	struct scan_ops ops = {
		.key = &s->key,
		.text = { (const char *)s->text.p, s->text.n },
		.chunk = chunk, .keep = keep, .finish = finish, .see = see,
		.ctx = &x,
	};
	int rc = ebwt_seqs_new(&x.seqs, (uint64_t)s->o.memory, e);

	s->threads = r->threads;
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = x.n_letters;
	ebwt_seqs_free(x.seqs);
	return rc;
}
