/* SPDX-License-Identifier: MIT */
/*
 * ebwt_scan.c - from options and queries to a compiled scan and its identity
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "output/output.h"
#include "scan/ebwt/ebwt_scan_priv.h"
#include "scan/ebwt/ebwt.h"

/* The lines of a listing, and the words that they are of. */

/* Of a line at most; what is behind the second column is not read. */
enum { LINE_MOST = 4096, WIDTH = 60 };

static bool
is_row(const uint8_t *p, size_t n)
{
	return n >= 3 && p[0] != '\t' && p[1] == '\t' &&
	       (p[2] == '0' || p[2] == '1') && (n == 3 || p[3] == '\t');
}

static int
take_line(const uint8_t *p, size_t n, uint64_t line, struct buf *last,
	  struct buf *chi, struct err *e)
{
	if (n && p[n - 1] == '\r')
		n--;
	if (line == 1 && n && *p == '#' && !is_row(p, n))
		return 0;
	if (!is_row(p, n))
		return err_set(e, ERR_FORMAT, "line %llu: no row of M_L and "
			       "M_chi: a letter, a tab, 0 or 1",
			       (unsigned long long)line);
	buf_u8(last, *p);
	buf_u8(chi, p[2] == '1');
	return last->bad || chi->bad ? err_nomem(e, last->n) : 0;
}

int
ebwt_lines_read(struct source *s, struct buf *last, struct buf *chi,
		struct err *e)
{
	uint64_t line = 0;
	const uint8_t *p, *nl;
	size_t n;
	int rc;

	while (!(rc = source_peek(s, LINE_MOST, &p, &n, e)) && n) {
		size_t at = 0;

		while (!rc && at < n &&
		       (nl = memchr(p + at, '\n', n - at)) != NULL) {
			size_t end = (size_t)(nl - p);

			rc = take_line(p + at, end - at, ++line, last, chi, e);
			at = end + 1;
		}
		/* the rest is the last line, or is shown again */
		if (!rc && at == 0) {
			rc = n < LINE_MOST ?
			     take_line(p, n, ++line, last, chi, e) :
			     err_set(e, ERR_FORMAT, "line %llu: too long",
				     (unsigned long long)(line + 1));
			at = n;
		}
		source_skip(s, at);
		if (rc)
			break;
	}
	if (rc || last->n)
		return rc;
	return err_set(e, ERR_FORMAT, "holds no row of a listing");
}

struct fasta_to {
	struct out *out;
	uint64_t n;
};

static int
put_word(void *arg, const uint8_t *letters, uint64_t m, struct err *e)
{
	struct fasta_to *to = arg;
	int rc = out_printf(to->out, e, ">%llu\n",
			    (unsigned long long)++to->n);

	for (uint64_t at = 0; at < m && !rc; at += WIDTH) {
		rc = out_write(to->out, letters + at,
			       m - at < WIDTH ? m - at : WIDTH, e);
		if (!rc)
			rc = out_write(to->out, "\n", 1, e);
	}
	return rc;
}

static int
restore_file(const char *path, unsigned threads, struct fasta_to *to,
	     struct err *e)
{
	struct buf last = { 0 }, chi = { 0 };
	struct source *s;
	int rc = source_open(&s, path, threads, e);

	if (rc)
		return rc;
	rc = ebwt_lines_read(s, &last, &chi, e);
	if (!rc)
		rc = ebwt_restore(last.p, chi.p, last.n, put_word, to, e);
	if (rc == ERR_FORMAT || rc == ERR_LIMIT)
		err_at(e, "%s", source_name(s));
	source_close(s);
	buf_free(&last);
	buf_free(&chi);
	return rc;
}

int
ebwt_restore_text(char *const *operand, size_t n, unsigned threads,
		  struct out *out, struct err *e)
{
	static char *const standard_input[] = { "-" };
	struct fasta_to to = { out, 0 };
	char *const *path = n ? operand : standard_input;
	int rc = 0;

	for (size_t i = 0; i < (n ? n : 1) && !rc; i++)
		rc = restore_file(path[i], threads, &to, e);
	return rc;
}

/* Transforms row by row, words with their probabilities. */

struct listing {
	struct out *to;
	struct buf text;
};

static int
put_listing(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	struct listing *l = arg;

	l->text.n = 0;
	for (size_t i = 0; i < n; i++) {
		buf_u8(&l->text, row[i].last);
		buf_put(&l->text, row[i].offset ? "\t0\t" : "\t1\t", 3);
		print_u64(&l->text, (uint64_t)row[i].word + 1);
		buf_u8(&l->text, '\n');
	}
	return l->text.bad ? err_nomem(e, l->text.n) :
			     out_write(l->to, l->text.p, l->text.n, e);
}

static int
no_matrix(const struct ebwt_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->seq[i].prob)
			return err_set(e, ERR_FORMAT, "%.*s: a matrix has no "
				       "transform of its own; its words have "
				       "(--words)",
				       (int)(r->seq[i].name.n < 99 ?
					     r->seq[i].name.n : 99),
				       r->seq[i].name.p);
	return 0;
}

static void ebwt_report_need(const struct ebwt_scan *s, uint64_t n_bytes, const
		struct ebwt *x, const struct ebwt_pairs_job *job);

/* With --memory the least that will do is taken, without it the most. */
static bool
need_fits(const struct ebwt_scan *s, uint64_t n_bytes, struct ebwt_need need)
{
	return (s->o.memory ? need.least : need.most) + n_bytes <=
	       ebwt_memory(s);
}

static int
listing_fits(const struct ebwt_scan *s, uint64_t n_bytes,
	     struct ebwt_need need, struct err *e)
{
	char most[48];

	if (need_fits(s, n_bytes, need))
		return 0;
	if (s->o.memory)
		return err_set(e, ERR_LIMIT, "rotations take %llu bytes at "
			       "least: more than %s",
			       (unsigned long long)(need.least + n_bytes),
			       ebwt_limit(s, most, sizeof most));
	return err_set(e, ERR_LIMIT, "rotations take %s: more than %s; "
		       "--memory SIZE takes less, %s at least",
		       err_mb((double)(need.most + n_bytes)).text,
		       ebwt_limit(s, most, sizeof most),
		       err_mb((double)(need.least + n_bytes)).text);
}

static int
ebwt_print_listing(const struct ebwt_scan *s, const struct ebwt_run *r,
		   uint64_t n_bytes, struct out *to, struct err *e)
{
	static const char head[] = "#M_L\tM_chi\tM_gamma\n";
	struct ebwt_word *word = malloc((r->n + 1) * sizeof *word);
	struct listing l = { .to = to };
	struct ebwt_params par;
	struct ebwt *x = NULL;
	int rc = word ? no_matrix(r, e) : err_nomem(e, r->n * sizeof *word);

	for (size_t i = 0; i < r->n && !rc; i++)
		word[i] = (struct ebwt_word){ r->seq[i].letters, r->seq[i].n };
	if (!rc)
		rc = ebwt_params_of(s, n_bytes, &par, e);
	if (!rc && r->n)
		rc = ebwt_new(&x, word, r->n, &par, e);
	if (!rc && x) {
		ebwt_report_need(s, n_bytes, x, NULL);
		rc = listing_fits(s, n_bytes, ebwt_need(x, NULL), e);
	}
	if (!rc && s->o.header)
		rc = out_write(to, head, sizeof head - 1, e);
	if (!rc && x)
		rc = ebwt_list(x, put_listing, &l, e);
	ebwt_delete(x);
	buf_free(&l.text);
	free(word);
	return rc;
}

/* A row for each word; one with * where there is none. */
static int
put_words(struct buf *b, const struct ebwt_seq *q, const struct ebwt_words *w,
	  struct out *to, struct err *e)
{
	int rc = 0;

	for (uint64_t i = 0; i < w->n + !w->n && !rc; i++) {
		b->n = 0;
		print_name(b, q->full, print_no_control);
		buf_u8(b, '\t');
		if (w->n) {
			buf_put(b, w->letters + i * w->len, w->len);
			buf_u8(b, '\t');
			prob_print(b, w->p[i]);
			buf_u8(b, '\n');
		} else {
			print_text(b, "*\t*\n");
		}
		rc = b->bad ? err_nomem(e, b->n) : out_write(to, b->p, b->n, e);
	}
	return rc;
}

/* The listing; the words. */
static int
ebwt_print_words(const struct ebwt_scan *s, const struct ebwt_run *r,
		 struct out *to, struct err *e)
{
	static const char head[] = "#name\tword\tprobability\n";
	struct buf b = { 0 };
	int rc = 0;

	if (s->o.header)
		rc = out_write(to, head, sizeof head - 1, e);
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct ebwt_words w;

		rc = ebwt_words_of(&w, &r->seq[i], &s->rule, UINT64_MAX, e);
		if (rc)
			break;
		rc = put_words(&b, &r->seq[i], &w, to, e);
		ebwt_words_free(&w);
	}
	buf_free(&b);
	return rc;
}

/* All distances of a run as DIST frames. */

static void
table_free(struct ebwt_table *t)
{
	ebwt_pairs_delete(t->pairs);
	ebwt_nearest_delete(t->nearest);
	for (size_t i = 0; i < t->n_words; i++)
		ebwt_words_free(&t->words[i]);
	for (size_t i = 0; t->reverse && i < t->n; i++)
		free((void *)(uintptr_t)t->reverse[i].letters);
	free(t->reverse);
	free(t->words);
	free(t->region);
	free(t->stat);
	free(t->value);
}

/* Of colours of one word each more is known. */
static bool
is_coloured(const struct ebwt_table *t)
{
	const struct ebwt_scan *s = t->s;

	return s->coloured && (s->o.both || s->colours.several ||
			       t->r->colours.several);
}

/* All words, with their colours if these are wanted. */
static int
paint(const struct ebwt_table *t, struct ebwt_painted *w, struct err *e)
{
	const struct ebwt_scan *s = t->s;
	bool coloured = is_coloured(t);
	struct ebwt_side side[2] = {
		{ s->query, s->q->n, coloured ? &s->colours : NULL },
		{ t->r->seq, t->r->n, coloured ? &t->r->colours : NULL },
	};

	return ebwt_paint(w, side, s->o.both, e);
}

/* All of a run's letters in one piece; *fits: they do, and that is it. */
static int
in_one(struct ebwt_table *t, const struct ebwt_pairs_job *job,
       uint64_t n_bytes, bool *fits, struct err *e)
{
	struct ebwt_painted w = { 0 };
	struct ebwt_params par;
	struct ebwt *x = NULL;
	int rc = paint(t, &w, e);

	if (!rc)
		rc = ebwt_params_of(t->s, n_bytes, &par, e);
	if (!rc)
		rc = ebwt_new(&x, w.word, w.n, &par, e);
	if (!rc && w.of)
		rc = ebwt_colours(x, w.of, t->n, e);
	*fits = !rc && need_fits(t->s, n_bytes, ebwt_need(x, job));
	if (*fits) {
		ebwt_report_need(t->s, n_bytes, x, job);
		rc = ebwt_in_bands(x, job) ?
		     ebwt_nearest_of_bands(t, x, job, e) :
		     ebwt_pairs_new(&t->pairs, x, job, e);
	}
	ebwt_delete(x);
	ebwt_painted_free(&w);
	/* two at a time may be within the limits that all are not */
	if (rc == ERR_LIMIT) {
		ebwt_nearest_delete(t->nearest);
		t->nearest = NULL;
		*fits = false;
		return 0;
	}
	return rc;
}

/* Words of plain sequences, together; letters, the run's, take so much. */
static int
plain(struct ebwt_table *t, uint64_t n_bytes, uint64_t letters, struct err *e)
{
	const struct ebwt_scan *s = t->s;
	struct ebwt_pairs_job job = {
		.n_queries = t->n_a, .nearest = s->o.n > 0,
		.entropy = ebwt_is_entropy(s->o.metric),
	};
	bool fits = false, coloured = is_coloured(t);
	int rc = 0;

	if (coloured && job.entropy)
		return err_set(e, ERR_USAGE, "--metric=de: of groups of more "
			       "than one sequence it is not defined");
	if (!s->o.parts && !ebwt_seqs_spilled(s->seqs) &&
	    n_bytes + letters < ebwt_memory(s))
		rc = in_one(t, &job, n_bytes + letters, &fits, e);
	return rc || fits ? rc :
	       ebwt_by_blocks(t, &job, coloured, n_bytes, e);
}

static struct dist_row
row_at(const struct ebwt_table *t, size_t a, size_t b)
{
	/* b counts the run's sequences */
	struct dist_row r = { .a = a, .b = b - t->n_a };
	const struct ebwt_stat *x;
	uint64_t k;

	if (t->pairs) {
		r.value = ebwt_distance(t->pairs, t->s->o.metric, a, b);
		return r;
	}
	k = ebwt_row_begins(t, a) + (b - ebwt_row_first(t, a));
	if (t->value) {
		r.value = t->value[k];
		return r;
	}
	x = &t->stat[k];
	r.value = x->mean;
	if (t->weighted) {
		r.weighted_mean = x->weighted_mean;
		r.min = x->min;
		r.max = x->max;
		r.pairs = x->pairs;
		r.log2_pairs = x->log2_pairs;
	}
	return r;
}

/* What frames are made for, and of. */
struct sink_of {
	whole_put_fn *put;
	void *ctx;
	struct dist *d;
	size_t most;		/* rows of a frame */
};

static int
put_frame(struct sink_of *to, struct err *e)
{
	struct buf b = { 0 };
	struct rec_frame *f;
	int rc = dist_encode(&f, to->d, e);

	if (!rc) {
		rc = rec_encode(&b, f, e);
		rec_frame_drop(f);
	}
	if (!rc)
		rc = to->put(to->ctx, &b, e);
	buf_free(&b);
	to->d->receipt.number++;
	to->d->n_rows = 0;
	return rc;
}

static int
put_row(struct sink_of *to, struct dist_row row, struct err *e)
{
	int rc = to->d->n_rows == to->most ? put_frame(to, e) : 0;

	if (to->d->weighted)
		to->d->row[to->d->n_rows++] = row;
	else
		to->d->pair[to->d->n_rows++] = (struct dist_few){
			(uint32_t)row.a, (uint32_t)row.b, row.value };
	return rc;
}

static int
put_pairs(const struct ebwt_table *t, struct sink_of *to, struct err *e)
{
	int rc = 0;

	for (size_t a = 0; a < ebwt_rows(t) && !rc; a++)
		for (size_t b = ebwt_row_first(t, a); b < t->n && !rc; b++)
			rc = put_row(to, row_at(t, a, b), e);
	return rc;
}

/* Of a part, those of its regions. */
static int
put_region(const struct ebwt_table *t, const struct ebwt_region *r,
	   struct sink_of *to, struct err *e)
{
	bool of_one = r->b.beg == r->b.end;
	size_t end = of_one ? r->a.end : r->b.end;
	int rc = 0;

	for (size_t a = r->a.beg; a < r->a.end && !rc; a++)
		for (size_t b = of_one ? a + 1 : r->b.beg; b < end && !rc; b++)
			rc = put_row(to, row_at(t, a, b), e);
	return rc;
}

static int
put_part(const struct ebwt_table *t, struct sink_of *to, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < t->n_regions && !rc; i++)
		rc = put_region(t, &t->region[i], to, e);
	return rc;
}

static void
find_nearest(const struct ebwt_table *t)
{
	for (size_t a = 0; a < ebwt_rows(t); a++)
		for (size_t b = ebwt_row_first(t, a); b < t->n; b++) {
			struct dist_row r = row_at(t, a, b);

			/* without a number there is no place among them */
			if (t->weighted && !r.pairs)
				continue;
			ebwt_nearest_offer(t->nearest, a, b, r.value);
			if (!t->n_a)
				ebwt_nearest_offer(t->nearest, b, a, r.value);
		}
}

static int
names_of(const struct ebwt_table *t, struct dist *d, struct err *e)
{
	d->query = malloc((t->n_a + 1) * sizeof *d->query);
	d->name = malloc((t->n - t->n_a + 1) * sizeof *d->name);
	if (!d->query || !d->name)
		return err_nomem(e, t->n * sizeof *d->name);
	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);

		if (i < t->n_a)
			d->query[d->n_queries++] = (struct query_ref){
				q->ordinal, q->n, q->name };
		else
			d->name[d->n_names++] = (struct subject_ref){
				q->ordinal, q->n, q->name };
	}
	return 0;
}

/* The n nearest of each, in either direction. */
static int
put_nearest(struct ebwt_table *t, struct sink_of *to, struct err *e)
{
	const struct ebwt_near_pair *v;
	int rc = 0;
	size_t n;

	if (!t->nearest) {
		rc = ebwt_nearest_new(&t->nearest, t, e);
		if (rc)
			return rc;
		find_nearest(t);
	}
	n = ebwt_nearest_pairs(t->nearest, t, &v);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_row(to, t->stat ? row_at(t, v[i].a, v[i].b) :
			     (struct dist_row){ .a = v[i].a,
						.b = v[i].b - t->n_a,
						.value = v[i].value }, e);
	return rc;
}

static int
put_table(struct ebwt_table *t, whole_put_fn *put, void *ctx,
	  struct err *e)
{
	const struct ebwt_options *o = &t->s->o;
	const char *metric = ebwt_metrics[o->metric].name;
	const struct whole_run *u = t->r->run;
	struct dist d = {
		.run = u->key, .metric = { metric, strlen(metric) },
		.receipt = { .scan = t->s->key, .range = u->range,
			     .n_ranges = u->n, .unmerged = true },
		.weighted = t->weighted, .rect = t->n_a,
	};
	struct sink_of to = { put, ctx, &d, 0 };
	int rc = names_of(t, &d, e);

	to.most = min_u64(t->weighted ? RESULT_SPLIT / 48 : EBWT_FRAME_ROWS,
			  t->n_pairs + 1);
	d.receipt.number = (uint32_t)t->before;
	if (t->weighted)
		d.row = malloc(to.most * sizeof *d.row);
	else
		d.pair = malloc(to.most * sizeof *d.pair);
	if (!rc && !d.row && !d.pair)
		rc = err_nomem(e, to.most * sizeof *d.row);
	if (!rc)
		rc = o->n ? put_nearest(t, &to, e) :
		     o->parts ? put_part(t, &to, e) : put_pairs(t, &to, e);
	d.receipt.last = !o->parts || o->part + 1 == o->parts;
	if (!rc)
		rc = put_frame(&to, e);
	d.receipt.range = NULL;	/* the run's */
	dist_free(&d);
	return rc;
}

/*
 * What rows take until they are written as text, with room to grow, and the
 * nearest of each until they are cut; n as -n.
 */
static uint64_t
kept_bytes(const struct ebwt_table *t, uint64_t n)
{
	uint64_t of_each = min_u64(n, t->n - min_u64(t->n, t->n_a ? t->n_a :
							   1));
	uint64_t rows = n && t->n_pairs / n > ebwt_rows(t)
			    ? ebwt_rows(t) * of_each
			    : t->n_pairs;
	uint64_t bytes = (t->weighted ? 64 : 24) * t->s->o.keeps *
			 (n ? 4 : 1);

	if (rows > UINT64_MAX / 1024)
		return UINT64_MAX / 4;
	return rows * bytes + (n ? ebwt_rows(t) * (8 + 16 * of_each) : 0);
}

/* All that is held at once, at least. */
static uint64_t
least_bytes(const struct ebwt_table *t, uint64_t n_bytes, uint64_t n)
{
	uint64_t pair = n ? 0 : ebwt_is_entropy(t->s->o.metric) ? 12 : 4;

	if (t->weighted || t->s->o.paper)	/* of both strands, four */
		pair = (t->s->o.both ? 4 : 1) * sizeof *t->stat;
	return t->n_pairs > UINT64_MAX / 1024 ? UINT64_MAX / 2 :
	       n_bytes + kept_bytes(t, n) + t->n_pairs * pair;
}

/* So many sequences would fit: by their pairs, or by rows of each. */
static uint64_t
fitting(const struct ebwt_table *t, uint64_t room, uint64_t bytes)
{
	double part = (double)room / (double)bytes;

	return (uint64_t)((double)(t->n - t->n_a) *
			  (t->n_a || t->s->o.n ? part : sqrt(part)));
}

/* Refused before it starts: what --memory, the machine, or a picture has no
 * room for. */
static int
fits(const struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t n = (uint64_t)t->s->o.n, have = ebwt_memory(t->s);
	uint64_t need = least_bytes(t, n_bytes, n);
	uint64_t near = least_bytes(t, n_bytes, 1);
	struct buf cure = { 0 };
	char most[48];

	if (t->s->o.most && t->n > t->s->o.most)
		return err_set(e, ERR_LIMIT, "%zu sequences: more than the "
			       "%llu of a picture; use -O newick", t->n,
			       (unsigned long long)t->s->o.most);
	if (need <= have)
		return 0;
	if (near < need && near <= have)
		buf_printf(&cure, "-n 1, the nearest of each, takes %s",
			   err_mb((double)near).text);
	else
		buf_printf(&cure, "some %s would fit",
			   err_count(fitting(t, have, need), "sequence").text);
	buf_u8(&cure, 0);
	err_set(e, ERR_LIMIT, "%s of sequences take %s at least: "
		"more than %s; %s", err_count(t->n_pairs, "pair").text,
		err_mb((double)need).text, ebwt_limit(t->s, most, sizeof most),
		cure.bad ? "" : (char *)cure.p);
	buf_free(&cure);
	return ERR_LIMIT;
}

/* Of sequences that are not a matrix's; n_bytes: what they are beside letters,
 * which may go to a file. */
static int
compare_plain(struct ebwt_table *t, uint64_t n_bytes, uint64_t letters,
	      struct err *e)
{
	const struct ebwt_scan *s = t->s;

	return !s->coloured && !s->o.parts && !ebwt_seqs_spilled(s->seqs) &&
	       ebwt_walks(t, n_bytes + letters) ?
	       ebwt_by_walks(t, n_bytes + letters, e) :
	       plain(t, n_bytes, letters, e);
}

static int
spilled(const struct ebwt_table *t, struct err *e)
{
	char most[48];

	return ebwt_seqs_spilled(t->s->seqs) ?
	       err_set(e, ERR_LIMIT, "sequences beside matrices: their letters "
		       "take more than %s",
		       ebwt_limit(t->s, most, sizeof most)) : 0;
}

/* One alone; and delta of a matrix or tree, which lengths may make. */
static void
note_odd(const struct ebwt_table *t)
{
	const struct ebwt_options *o = &t->s->o;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < t->n; i++) {
		least = min_u64(least, ebwt_seq_of(t, i)->n);
		most = max_u64(most, ebwt_seq_of(t, i)->n);
	}
	if (!o->remark)
		return;
	if (t->n == 1 && !o->parts)
		o->remark(t->s->coloured ?
			  "one group alone has no distances" :
			  "one sequence alone has no distances");
	if (o->numbers && o->metric == EBWT_DELTA && !t->weighted &&
	    most > least + least / 10)
		o->remark("delta grows with the lengths, which differ: take "
			  "--metric=scaled");
}

/* Frames of all distances of a run. */
static int
ebwt_dists(const struct ebwt_scan *s, const struct ebwt_run *r,
	   uint64_t n_bytes, uint64_t letters, whole_put_fn *put,
	   void *put_ctx, struct err *e)
{
	struct ebwt_table t = {
		.s = s, .r = r, .query = s->query, .seq = r->seq,
		.n_a = s->q->n, .n = s->q->n + r->n,
	};
	uint64_t n_seqs = r->n;
	bool by_words;
	int rc = 0;

	if (s->coloured) {
		t.query = s->colours.v;
		t.n_a = s->colours.n;
		t.seq = r->colours.v;
		n_seqs = r->colours.n;
		t.n = t.n_a + n_seqs;
	}
	for (size_t i = 0; i < t.n; i++)
		t.weighted |= ebwt_seq_of(&t, i)->prob;
	if (t.n > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "more than 2^32 sequences");
	t.n_pairs = t.n_a ? t.n_a * n_seqs :
			    t.n * (uint64_t)(t.n - (t.n > 0)) / 2;
	by_words = t.weighted || s->o.paper;
	n_bytes += by_words ? letters : 0;
	rc = fits(&t, n_bytes, e);
	n_bytes += kept_bytes(&t, (uint64_t)s->o.n);
	if (rc)
		return rc;
	if (t.weighted && (s->by.kind || s->o.parts))
		rc = err_set(e, ERR_USAGE, "--by and --part: not with "
			     "matrices");
	else if (t.n_pairs && by_words)
		rc = spilled(&t, e) ? e->code : ebwt_by_words(&t, n_bytes, e);
	else if (t.n_pairs || s->o.parts)
		rc = compare_plain(&t, n_bytes, letters, e);
	if (!rc)
		note_odd(&t);
	if (!rc)
		rc = put_table(&t, put, put_ctx, e);
	table_free(&t);
	return rc;
}

/* A stream's sequences, then what is wanted of them. */

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
		snprintf(room, n, "the %s of this machine",
			 err_mb((double)pages_machine()).text);
	return room;
}

enum { FEW_ANCHORS = 4000 };

int
ebwt_params_of(const struct ebwt_scan *s, uint64_t n_bytes,
	       struct ebwt_params *p, struct err *e)
{
	uint64_t most = (uint64_t)s->o.memory;

	*p = (struct ebwt_params){
		.engine = s->o.paper ? EBWT_PLAIN : EBWT_AUTO,
		.backend = s->o.backend,
		.threads = s->threads, .memory = most ? most - n_bytes : 0,
		.most = s->o.way == EBWT_WAY_FEW ? FEW_ANCHORS : 0,
		.progress = s->o.progress ? progress : NULL,
		.progress_arg = (void *)(uintptr_t)s,
	};
	return most && most <= n_bytes ?
	       err_set(e, ERR_LIMIT, "letters and rows alone take %llu bytes: "
		       "not less than --memory %llu",
		       (unsigned long long)n_bytes,
		       (unsigned long long)most) : 0;
}

/* Reports beforehand what it will take. */
static void
ebwt_report_need(const struct ebwt_scan *s, uint64_t n_bytes,
	       const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	enum { TEXT_NS = 220, RECORD_NS = 70 };	/* to keep, sort and write a row
						   of text; of records */
	struct ebwt_need need = ebwt_need(x, job);
	double rows = s->o.n || !(need.ns > 0) ? 0 :
		      need.pairs * (s->o.keeps ? TEXT_NS : RECORD_NS);
	const char *cure = rows > need.ns ?
			   "; -n N, the nearest of each, is quicker" : "";
	char what[200];

	snprintf(what, sizeof what,
		 ", %s of it letters and rows; %s at least, with --memory, or "
		 "blocks",
		 err_mb((double)n_bytes).text,
		 err_mb((double)(need.least + n_bytes)).text);
	ebwt_note(s, what, need.most + n_bytes, need.ns + rows, cure);
	if (s->o.share && s->o.keeps && need.ns > 0)
		s->o.share(need.ns / (need.ns + rows));
}

/* Of the run's sequences without their letters, and of the queries. */
static uint64_t
bytes_of(const struct ebwt_scan *s, const struct ebwt_run *r)
{
	uint64_t n = (s->q->n + r->n) * EBWT_SEQ_BYTES;

	for (size_t i = 0; i < s->q->n; i++)
		n += s->query[i].n * (s->query[i].prob ? 16 : 1) *
		     (s->o.both ? 2 : 1);
	if (s->coloured)
		n += r->n * sizeof(struct ebwt_word);
	return n;
}

/* And of their letters, and those of their reverse complements. */
static uint64_t
letters_of(const struct ebwt_scan *s, const struct ebwt_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->seq[i].n * (r->seq[i].prob ? 16 : 1);
	return n * (s->o.both ? 2 : 1);
}

static int
finish_run(struct runner *x, const struct ebwt_run *r, whole_put_fn *put,
	   void *put_ctx, struct err *e)
{
	uint64_t n_bytes = bytes_of(x->s, r), letters = letters_of(x->s, r);

	for (size_t i = 0; i < r->n; i++)
		x->n_letters += r->seq[i].n;
	switch (x->s->o.what) {
	case EBWT_LISTING:
		return ebwt_print_listing(x->s, r, n_bytes + letters, x->text,
					  e);
	case EBWT_WORDS:
		return ebwt_print_words(x->s, r, x->text, e);
	default:
		return ebwt_dists(x->s, r, n_bytes, letters, put, put_ctx, e);
	}
}

/* Pairs need all sequences.  A stream without any frame is nothing, too: its
 * reader reports that. */
static bool
needs_all(const struct runner *x)
{
	const struct ebwt_options *o = &x->s->o;

	return (!x->s->q->n || x->s->by.kind) &&
	       (x->any || o->what || o->keeps);
}

/* The sequences of run i, the first of n from *seq on, and their colours. */
static int
begin_run(struct runner *x, struct ebwt_run *r, uint32_t i,
	  const struct ebwt_seq **seq, size_t *n, struct index *seen,
	  struct err *e)
{
	struct str *file = NULL;
	size_t n_files = 0;
	int rc = 0;

	*r = (struct ebwt_run){ .run = &ebwt_seqs_runs(x->seqs)->run[i],
				.seq = *seq };
	while (r->n < *n && (*seq)[r->n].run == i)
		r->n++;
	*seq += r->n;
	*n -= r->n;
	if (!x->s->coloured)
		return 0;
	if (x->s->by.kind == EBWT_BY_FILE)
		rc = ebwt_seqs_files(x->seqs, i, &file, &n_files, e);
	if (!rc)
		rc = ebwt_colours_of(&r->colours, &x->s->by, r->seq, r->n, file,
				     n_files, e);
	if (!rc && x->s->by.kind)
		rc = ebwt_colours_meet(&r->colours, seen, e);
	free(file);
	return rc;
}

/* All runs; then what is wrong with their colours is known. */
static int
begin_runs(struct runner *x, struct ebwt_run *r, size_t n_runs,
	   const struct ebwt_seq *seq, size_t n, struct err *e)
{
	struct index seen = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < n_runs && !rc; i++)
		rc = begin_run(x, &r[i], i, &seq, &n, &seen, e);
	index_free(&seen);
	if (!rc && x->s->by.kind == EBWT_BY_FILE)
		rc = ebwt_seqs_no_empty(x->seqs, e);
	return rc ? rc : ebwt_by_check(&x->s->by, x->s->o.remark, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	struct runner *x = ctx;
	const struct whole *w = ebwt_seqs_runs(x->seqs);
	const struct ebwt_seq *seq = NULL;
	struct ebwt_run *r;
	size_t n = 0;
	int rc = needs_all(x) ? ebwt_seqs_whole(x->seqs, e) : 0;

	if (!rc)
		rc = ebwt_seqs_finish(x->seqs, &seq, &n, e);
	if (!rc && x->s->o.what == EBWT_LISTING && w->n_runs > 1)
		return err_set(e, ERR_USAGE, "%zu runs in the stream: a "
			       "listing is of one", w->n_runs);
	r = calloc(w->n_runs + 1, sizeof *r);
	if (!rc)
		rc = r ? begin_runs(x, r, w->n_runs, seq, n, e) :
			 err_nomem(e, w->n_runs * sizeof *r);
	for (size_t i = 0; i < w->n_runs && !rc; i++)
		rc = finish_run(x, &r[i], put, put_ctx, e);
	for (size_t i = 0; i < w->n_runs && r; i++)
		ebwt_colours_free(&r[i].colours);
	free(r);
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
		.groups = s->by.kind || s->o.full_names,
		.ctx = &x,
	};
	bool whole = s->o.what || s->o.paper;
	/* to sort takes four times as much, to look queries up may not */
	uint64_t resident = s->q->n && s->o.memory ? (uint64_t)s->o.memory :
						     ebwt_memory(s) / 4;
	int rc = ebwt_seqs_new(&x.seqs, (uint64_t)s->o.memory,
			       whole ? 0 : resident, s->o.full_names, e);

	s->threads = r->threads;
	s->seqs = x.seqs;
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = x.n_letters;
	ebwt_seqs_free(x.seqs);
	s->seqs = NULL;
	return rc;
}

/* Frames, which other stages hold against SEQ, have names as they are. */
void
ebwt_full_names(void *scan, struct dist *d)
{
	const struct ebwt_scan *s = scan;

	if (d->receipt.scan.id != s->key.id || !s->seqs)
		return;
	for (size_t i = 0; i < d->n_queries; i++)
		if (d->query[i].ordinal < s->q->n)
			d->query[i].name = s->query[d->query[i].ordinal].full;
	for (size_t i = 0; i < d->n_names; i++) {
		const struct ebwt_seq *q = ebwt_seqs_find(s->seqs, d->run.id,
						d->name[i].ordinal);

		if (q)
			d->name[i].name = q->full;
	}
}

/* From options and queries to a compiled scan and its identity. */

static int
check(const struct ebwt_scan *s, const struct queries *q, struct err *e)
{
	const struct ebwt_options *o = &s->o;

	if (!(o->theta_pos >= 0 && o->theta_pos <= 1))
		return err_set(e, ERR_USAGE, "--theta-pos: must be a number "
			       "from 0 to 1");
	if (!(o->theta_word >= 0 && o->theta_word <= 1))
		return err_set(e, ERR_USAGE, "--theta-word: must be a number "
			       "from 0 to 1");
	if (o->what != EBWT_DISTANCES && q->n)
		return err_set(e, ERR_USAGE, "-q and -e are for distances");
	if (o->what != EBWT_DISTANCES && o->n)
		return err_set(e, ERR_USAGE, "-n is for distances");
	if (o->full_names && !o->what && !o->keeps)
		return err_set(e, ERR_USAGE, "--full-names: only in text; "
			       "records have names as they are");
	if ((s->by.kind || o->both) && (o->what || o->paper))
		return err_set(e, ERR_USAGE, "--by and -s both: not with "
			       "--ebwt, --words and --algorithm=paper");
	if (o->both && ebwt_is_entropy(o->metric))
		return err_set(e, ERR_USAGE, "-s both: --metric=de is of words "
			       "of one strand");
	if (o->parts && o->n)
		return err_set(e, ERR_USAGE, "--part: all distances; give -n "
			       "to merge-topk");
	if (o->parts && (o->what || o->paper))
		return err_set(e, ERR_USAGE, "--part: not with --ebwt, "
			       "--words and --algorithm=paper");
	if (o->parts && o->keeps)
		return err_set(e, ERR_USAGE, "--part: no table, but -O rec for "
			       "merge-topk");
	if (s->by.kind && o->full_names)
		return err_set(e, ERR_USAGE, "--full-names: not with --by");
	if (o->numbers && (q->n || o->n))
		return err_set(e, ERR_USAGE, "PHYLIP's matrices and trees are "
			       "of all pairs: not with -q, -e or -n");
	return 0;
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct ebwt_scan *s, struct err *e)
{
	const struct ebwt_options *o = &s->o;
	struct buf *b = &s->text;

	buf_printf(b, "program ebwt-dist\nversion %s\nmetric %s\n"
		   "theta-pos %.17g\ntheta-word %.17g\nsolid %s\n",
		   SEQF_VERSION, ebwt_metrics[o->metric].name, o->theta_pos,
		   o->theta_word, o->paper ? "more" : "at least");
	if (o->extremes)
		buf_printf(b, "extremes\n");
	if (s->by.kind)
		buf_printf(b, "by %s %016llx\n",
			   s->by.kind == EBWT_BY_FILE ? "file" :
			   s->by.kind == EBWT_BY_PREFIX ? "prefix" : "table",
			   (unsigned long long)s->by.hash);
	if (o->both)
		buf_printf(b, "strand both\n");
	if (o->n)
		buf_printf(b, "best %lld\n", (long long)o->n);
	if (o->parts)	/* which one is in the numbers of frames */
		buf_printf(b, "parts %llu\n", (unsigned long long)o->parts);
	if (s->q->n)
		buf_printf(b, "queries %zu\n", s->q->n);
	if (b->bad)
		return err_nomem(e, b->n);
	s->key.id = hash64(b->p, b->n, s->q->n ? queries_hash(s->q) : 0);
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ "", 0 };
	if (s->q->n) {
		s->key.base = (struct str){ s->q->base, strlen(s->q->base) };
		buf_printf(b, "query %s\n", s->q->base);
	}
	s->key.rule = SCAN_UNION;
	buf_printf(b, "scan %016llx\n", (unsigned long long)s->key.id);
	return b->bad ? err_nomem(e, b->n) : 0;
}

static void ebwt_scan_free(struct ebwt_scan *s);

/* Files of queries have numbers, too; a -e is one of its own. */
static int
colour_queries(struct ebwt_scan *s, struct err *e)
{
	struct str *file = malloc((s->q->n + 1) * sizeof *file);
	uint32_t n = 0;
	int rc;

	if (!file)
		return err_nomem(e, s->q->n * sizeof *file);
	for (size_t i = 0; i < s->q->n; i++) {
		const struct query *x = &s->q->v[i];
		bool option = strcmp(x->where, "-e") == 0;

		/* the same pointer, if of the same -q */
		if (!i || option || x->where != x[-1].where)
			file[n++] = option ? x->name : base_name(x->where);
		s->query[i].file = n;
	}
	rc = ebwt_colours_of(&s->colours, &s->by, s->query, s->q->n, file, n,
			     e);
	free(file);
	return rc;
}

int
ebwt_scan_new(struct ebwt_scan **out, const struct ebwt_options *o,
	      struct queries *q, struct err *e)
{
	struct ebwt_scan *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->o = *o;
	s->q = q;
	s->rule = (struct solid_rule){ o->theta_pos, o->theta_word, o->paper,
				       EBWT_MAX_WORDS };
	rc = ebwt_by_parse(&s->by, o->by, e);
	s->coloured = s->by.kind || o->both;
	if (!rc)
		rc = check(s, q, e);
	if (!rc)
		rc = ebwt_seqs_queries(q, o->full_names, &s->names,
				       &s->query, e);
	if (!rc && s->coloured)
		rc = colour_queries(s, e);
	if (!rc)
		rc = identify(s, e);
	if (rc) {
		ebwt_scan_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

static void
ebwt_scan_free(struct ebwt_scan *s)
{
	if (!s)
		return;
	free(s->query);
	ebwt_by_free(&s->by);
	ebwt_colours_free(&s->colours);
	buf_free(&s->names);
	buf_free(&s->text);
	free(s);
}
