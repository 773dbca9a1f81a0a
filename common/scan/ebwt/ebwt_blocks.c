/* SPDX-License-Identifier: MIT */
/*
 * ebwt_blocks.c - all pairs, those of two blocks at a time
 *
 * A distance depends on its two words, or colours, alone.  So what does not fit
 * in one piece is cut into blocks of about equal numbers of letters, so few
 * that any two fit together; then each two of them are sorted as one set, and
 * each block with all others: of g blocks that is g - 1 times what it takes to
 * sort all at once.  Blocks 1 and 2, 3 and 4, ... are compared with each other
 * when their own pairs are, which takes no sort more.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scan/ebwt/ebwt_scan_priv.h"

struct blocks {
	struct ebwt_table *t;
	struct ebwt_pairs_job job;
	uint64_t base, room;	/* bytes for all; for a job, letters included */
	bool coloured;
	/* Sequences by what they are of, queries first; and where each one's
	 * begin, and letters before, reverse complements included. */
	uint32_t *seq;
	uint64_t *at, *before;
	size_t jobs, done;	/* for progress */
};

static uint64_t
letters_of(const struct blocks *k, struct ebwt_span s)
{
	return k->before[s.end] - k->before[s.beg];
}

static const struct ebwt_seq *
seq_at(const struct blocks *k, uint32_t i)
{
	const struct ebwt_scan *s = k->t->s;

	return i < s->q->n ? &s->query[i] : &k->t->r->seq[i - s->q->n];
}

/* What sequence i is of. */
static size_t
set_of(const struct blocks *k, uint32_t i)
{
	const struct ebwt_scan *s = k->t->s;

	if (!s->coloured)
		return i;
	return i < s->q->n ? s->colours.of[i] :
	       k->t->n_a + k->t->r->colours.of[i - s->q->n];
}

static size_t
sequences(const struct blocks *k)
{
	return k->t->s->q->n + k->t->r->n;
}

static int
sort_sequences(struct blocks *k, struct err *e)
{
	size_t n = sequences(k), m = k->t->n;
	unsigned strands = k->t->s->o.both ? 2 : 1;

	k->seq = malloc((n + 1) * sizeof *k->seq);
	k->at = calloc(m + 2, sizeof *k->at);
	k->before = calloc(m + 1, sizeof *k->before);
	if (!k->seq || !k->at || !k->before)
		return err_nomem(e, n * sizeof *k->seq + m * 16);
	for (uint32_t i = 0; i < n; i++) {
		size_t c = set_of(k, i);

		k->at[c + 2]++;
		k->before[c + 1] += strands * seq_at(k, i)->n;
	}
	for (size_t c = 0; c < m; c++) {
		k->at[c + 2] += k->at[c + 1];
		k->before[c + 1] += k->before[c];
	}
	for (uint32_t i = 0; i < n; i++)
		k->seq[k->at[set_of(k, i) + 1]++] = i;
	return 0;
}

/* Of two spans, their words in memory. */

struct loaded {
	struct ebwt_seq *seq;
	struct ebwt_colours colours;
	uint8_t *letters;	/* of those that are in the file */
	struct ebwt_side side;
};

static void
unload(struct loaded *l)
{
	free(l->seq);
	free(l->letters);
	free(l->colours.of);
}

static uint64_t
count_words(const struct blocks *k, struct ebwt_span s)
{
	return k->at[s.end] - k->at[s.beg];
}

/* Letters that are not there yet, in a file or to be made of others. */
static uint64_t
letters_to_load(const struct blocks *k, struct ebwt_span s)
{
	uint64_t letters = letters_of(k, s), n = 0;

	if (k->t->s->o.both)
		n = letters /= 2;
	for (size_t i = k->at[s.beg]; i < k->at[s.end]; i++)
		n += seq_at(k, k->seq[i])->letters ? 0 :
		     seq_at(k, k->seq[i])->n;
	return n;
}

/* What words take beside what sorts them. */
static uint64_t
load_bytes(const struct blocks *k, struct ebwt_span s)
{
	return letters_to_load(k, s) + count_words(k, s) *
	       (sizeof(struct ebwt_seq) + 2 * sizeof(struct ebwt_word) + 16) +
	       256;
}

static int
load_letters(const struct blocks *k, struct loaded *l, size_t n, struct err *e)
{
	uint64_t bytes = 0;
	uint8_t *to;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		bytes += l->seq[i].letters ? 0 : l->seq[i].n;
	l->letters = to = malloc(bytes + 1);
	if (!to)
		return err_nomem(e, bytes);
	for (size_t i = 0; i < n && !rc; i++) {
		if (l->seq[i].letters)
			continue;
		rc = ebwt_seqs_load(k->t->s->seqs, &l->seq[i], to, e);
		l->seq[i].letters = to;
		to += l->seq[i].n;
	}
	return rc;
}

static int
load(const struct blocks *k, struct ebwt_span s, struct loaded *l,
     struct err *e)
{
	size_t n = count_words(k, s);

	*l = (struct loaded){ 0 };
	l->seq = malloc((n + 1) * sizeof *l->seq);
	l->colours.of = malloc((n + 1) * sizeof *l->colours.of);
	if (!l->seq || !l->colours.of)
		return err_nomem(e, n * sizeof *l->seq);
	for (size_t i = 0; i < n; i++) {
		uint32_t q = k->seq[k->at[s.beg] + i];

		l->seq[i] = *seq_at(k, q);
		l->colours.of[i] = (uint32_t)(set_of(k, q) - s.beg);
	}
	/* a span is of queries, or of others */
	l->colours.n = s.end - s.beg;
	l->colours.v = (struct ebwt_seq *)(uintptr_t)ebwt_seq_of(k->t, s.beg);
	l->side = (struct ebwt_side){ l->seq, n, k->coloured && n ?
				      &l->colours : NULL };
	return load_letters(k, l, n, e);
}

/* The pairs of a region, if they fit. */

enum { TOO_LARGE = 1 };

static bool
triangle(const struct ebwt_region *r)
{
	return r->b.beg == r->b.end;
}

static uint64_t
rows_of(const struct ebwt_region *r)
{
	uint64_t n = r->a.end - r->a.beg, m = r->b.end - r->b.beg;

	return triangle(r) ? n * (n - (n > 0)) / 2 : n * m;
}

static void
keep_pairs(const struct blocks *k, const struct ebwt_region *r,
	   const struct ebwt_pairs *p)
{
	size_t n = r->a.end - r->a.beg, m = triangle(r) ? n :
					    r->b.end - r->b.beg;
	size_t first = triangle(r) ? r->a.beg : r->b.beg;
	struct ebwt_table *t = k->t;

	for (size_t i = 0; i < n; i++)
		for (size_t j = triangle(r) ? i + 1 : 0; j < m; j++) {
			size_t a = r->a.beg + i, b = first + j;
			double v = ebwt_distance(p, t->s->o.metric, i,
						 triangle(r) ? j : n + j);

			if (t->value)
				t->value[ebwt_row_begins(t, a) + b -
					 ebwt_row_first(t, a)] = v;
			if (t->nearest)
				ebwt_nearest_offer(t->nearest, a, b, v);
			if (t->nearest && !t->n_a)
				ebwt_nearest_offer(t->nearest, b, a, v);
		}
}

static void
progress(void *arg, uint64_t done, uint64_t of)
{
	const struct blocks *k = arg;
	double part = of ? (double)done / (double)of : 0;

	k->t->s->o.progress((uint64_t)(1e6 * ((double)k->done + part)),
			    1000000 * (uint64_t)k->jobs);
}

static int
too_large(const struct blocks *k, uint64_t need, struct err *e)
{
	char most[48];

	err_set(e, ERR_LIMIT, "names and pairs, and two blocks at a time, "
		"take about %llu bytes: more than %s",
		(unsigned long long)(need + k->base),
		ebwt_limit(k->t->s, most, sizeof most));
	return TOO_LARGE;
}

/* What it would take, in *need; or TOO_LARGE. */
static int
make_set(const struct blocks *k, const struct ebwt_region *r, uint64_t bytes,
	 const struct ebwt_painted *w, struct ebwt **x, uint64_t *need,
	 struct err *e)
{
	struct ebwt_pairs_job job = k->job;
	struct ebwt_params par;
	int rc = ebwt_params_of(k->t->s, 0, &par, e);

	par.memory = k->room > bytes ? k->room - bytes : 1;
	par.backend = NULL;
	par.progress = par.progress ? progress : NULL;
	par.progress_arg = (void *)(uintptr_t)k;
	job.n_queries = triangle(r) ? 0 : r->a.end - r->a.beg;
	if (!rc)
		rc = ebwt_new(x, w->word, w->n, &par, e);
	if (!rc && w->of)
		rc = ebwt_colours(*x, w->of, r->a.end - r->a.beg + r->b.end -
				  r->b.beg, e);
	*need = rc ? 2 * k->room : bytes + ebwt_need(*x, &job).least;
	if (!rc && *need > k->room)
		return too_large(k, *need, e);
	return rc == ERR_LIMIT ? TOO_LARGE : rc;
}

/* What the letters of r take when they are sorted, roughly: 20 bytes each. */
static uint64_t
sorted_bytes(const struct blocks *k, const struct ebwt_region *r)
{
	uint64_t n = letters_of(k, r->a) + (triangle(r) ? 0 :
					    letters_of(k, r->b));

	return 20 * n;
}

/*
 * TOO_LARGE: it does not fit, e says why; *need: what it takes, roughly.  With
 * `tries` nothing else is found out.
 */
static int
compare(const struct blocks *k, const struct ebwt_region *r, bool tries,
	uint64_t *need, struct err *e)
{
	uint64_t bytes = load_bytes(k, r->a) + load_bytes(k, r->b);
	struct ebwt_pairs_job job = k->job;
	struct loaded l[2] = { { 0 }, { 0 } };
	struct ebwt_painted w = { 0 };
	struct ebwt_pairs *p = NULL;
	struct ebwt *x = NULL;
	int rc;

	*need = 2 * bytes;	/* at least */
	if (*need > k->room)
		return too_large(k, max_u64(*need, sorted_bytes(k, r)), e);
	job.n_queries = triangle(r) ? 0 : r->a.end - r->a.beg;
	/* all pairs: those of the second side */
	rc = load(k, r->a, &l[triangle(r)], e);
	if (!rc && !triangle(r))
		rc = load(k, r->b, &l[1], e);
	if (!rc)
		rc = ebwt_paint(&w, (struct ebwt_side[2]){ l[0].side,
				l[1].side }, k->t->s->o.both, e);
	if (!rc)
		rc = make_set(k, r, bytes, &w, &x, need, e);
	if (!rc && !tries) {
		rc = ebwt_pairs_new(&p, x, &job, e);
		rc = rc == ERR_LIMIT ? TOO_LARGE : rc;
	}
	if (!rc && p)
		keep_pairs(k, r, p);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	ebwt_painted_free(&w);
	unload(&l[0]);
	unload(&l[1]);
	return rc;
}

/* Blocks: of more than so many, each sorted so often, nobody waits for the
 * end. */
enum { MOST_BLOCKS = 1024 };

/* The end of block i of g: the nearest to so many letters. */
static size_t
cut_at(const struct blocks *k, struct ebwt_span s, size_t i, size_t g)
{
	const uint64_t *before = k->before, first = before[s.beg];
	long double want = (long double)letters_of(k, s) * i / g;
	size_t lo = s.beg, hi = s.end;

	if (i == g)
		return s.end;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if ((long double)(before[mid] - first) < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > s.beg && (long double)(before[lo] - first) - want >
	       want - (long double)(before[lo - 1] - first) ? lo - 1 : lo;
}

static struct ebwt_span
block(const struct blocks *k, struct ebwt_span s, size_t i, size_t g)
{
	return (struct ebwt_span){ cut_at(k, s, i, g), cut_at(k, s, i + 1, g) };
}

struct regions {
	struct ebwt_region *v;
	size_t n, cap;
};

/* Without pairs it is left out: b is empty in a triangle alone. */
static int
add_region(struct regions *to, struct ebwt_span a, struct ebwt_span b,
	   bool of_one, struct err *e)
{
	int rc;

	if (of_one)
		b.beg = b.end = 0;
	if (of_one ? a.end - a.beg < 2 : a.beg == a.end || b.beg == b.end)
		return 0;
	rc = array_room(&to->v, &to->cap, to->n + 1, sizeof *to->v, e);
	if (!rc)
		to->v[to->n++] = (struct ebwt_region){ a, b };
	return rc;
}

/* All pairs of g blocks. */
static int
cut_triangle(const struct blocks *k, struct ebwt_span s, size_t g,
	     struct regions *to, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g && !rc; i++) {
		struct ebwt_span a = block(k, s, i, g);
		size_t j = i + 1;

		if (i % 2 == 0) {
			j += j < g;	/* with the next one */
			rc = add_region(to, (struct ebwt_span){ a.beg,
					cut_at(k, s, j, g) }, a, true, e);
		}
		for (; j < g && !rc; j++)
			rc = add_region(to, a, block(k, s, j, g), false, e);
	}
	return rc;
}

static int
cut_rectangle(const struct blocks *k, const struct ebwt_region *r, size_t g,
	      size_t h, struct regions *to, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g && !rc; i++)
		for (size_t j = 0; j < h && !rc; j++)
			rc = add_region(to, block(k, r->a, i, g),
					block(k, r->b, j, h), false, e);
	return rc;
}

/* How many blocks of at most so many letters. */
static size_t
blocks_of(const struct blocks *k, struct ebwt_span s, uint64_t most)
{
	uint64_t n = letters_of(k, s);

	return (size_t)min_u64(s.end - s.beg, n / max_u64(most, 1) + 1);
}

/* The regions of r, if so many letters fit at a time. */
static int
cut(const struct blocks *k, const struct ebwt_region *r, uint64_t letters,
    struct regions *to, struct err *e)
{
	uint64_t a = letters_of(k, r->a), b = letters_of(k, r->b);
	uint64_t of_a = letters / 2, of_b = letters / 2;

	to->n = 0;
	if (triangle(r) && a <= letters)
		return cut_triangle(k, r->a, 1, to, e);
	if (triangle(r))
		return cut_triangle(k, r->a, blocks_of(k, r->a, of_a), to, e);
	if (a <= of_a) {
		of_b = letters - a;
		of_a = a + 1;
	} else if (b <= of_b) {
		of_a = letters - b;
		of_b = b + 1;
	}
	return cut_rectangle(k, r, blocks_of(k, r->a, of_a),
			     blocks_of(k, r->b, of_b), to, e);
}

/* What is too large after all, in halves. */
static int
halve(const struct ebwt_region *r, struct regions *to, struct err *e)
{
	size_t n = r->a.end - r->a.beg, m = r->b.end - r->b.beg;
	bool of_a = triangle(r) || n >= m;
	struct ebwt_span s = of_a ? r->a : r->b, lo = s, hi = s;
	int rc;

	lo.end = hi.beg = s.beg + (s.end - s.beg) / 2;
	if (triangle(r)) {
		rc = add_region(to, lo, lo, true, e);
		if (!rc)
			rc = add_region(to, hi, hi, true, e);
		return rc ? rc : add_region(to, lo, hi, false, e);
	}
	rc = add_region(to, of_a ? lo : r->a, of_a ? r->b : lo, false, e);
	return rc ? rc : add_region(to, of_a ? hi : r->a, of_a ? r->b : hi,
				    false, e);
}

static int
run_region(const struct blocks *k, const struct ebwt_region *r, struct err *e)
{
	size_t a = r->a.end - r->a.beg, b = r->b.end - r->b.beg;
	struct regions parts = { 0 };
	uint64_t need;
	int rc = compare(k, r, false, &need, e);

	if (rc != TOO_LARGE)
		return rc;
	if (triangle(r) ? a < 3 : a < 2 && b < 2)
		return e->code;
	rc = halve(r, &parts, e);
	for (size_t i = 0; i < parts.n && !rc; i++)
		rc = run_region(k, &parts.v[i], e);
	free(parts.v);
	return rc;
}

/* The one that has most letters. */
static const struct ebwt_region *
largest(const struct blocks *k, const struct regions *of)
{
	const struct ebwt_region *best = of->v;
	uint64_t most = 0;

	for (size_t i = 0; i < of->n; i++) {
		uint64_t n = letters_of(k, of->v[i].a) +
			     letters_of(k, of->v[i].b);

		if (n > most)
			best = &of->v[i];
		most = max_u64(most, n);
	}
	return best;
}

/*
 * Cuts r into regions that fit, nearly all: what the largest takes says how
 * many letters will do.
 */
static int
plan(const struct blocks *k, const struct ebwt_region *r, struct regions *to,
     struct err *e)
{
	enum { TRIES = 8, LETTER = 10 };	/* bytes of DNA's, about */
	double letters = (double)k->room / LETTER;
	int rc = TOO_LARGE;

	for (int i = 0; i < TRIES && rc; i++) {
		const struct ebwt_region *top;
		uint64_t need;

		rc = cut(k, r, (uint64_t)letters, to, e);
		if (rc || !to->n)
			return rc;
		top = largest(k, to);
		rc = compare(k, top, true, &need, e);
		if (rc < 0)
			return rc;
		if (rc)
			letters *= .95 * (double)k->room / (double)need;
		else if (!i && to->n > 1 && need < k->room / 4 * 3) {
			letters *= .95 * (double)k->room / (double)need;
			rc = TOO_LARGE;
		}
	}
	return 0;
}

/* The same of n regions, one behind the other. */
static int
plan_all(const struct blocks *k, const struct ebwt_region *r, size_t n,
	 struct regions *to, struct err *e)
{
	struct regions one = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		rc = plan(k, &r[i], &one, e);
		if (!rc)
			rc = array_room(&to->v, &to->cap, to->n + one.n,
					sizeof *to->v, e);
		if (!rc && one.n)
			memcpy(to->v + to->n, one.v, one.n * sizeof *to->v);
		to->n += rc ? 0 : one.n;
	}
	free(one.v);
	return rc;
}

static int
run_regions(struct blocks *k, const struct ebwt_region *r, size_t n,
	    struct err *e)
{
	enum { SORT_NS = 40, PAIR_NS = 10 };	/* as of pairs_ns() */
	struct regions all = { 0 };
	double ns = 0;
	char what[99];
	int rc = plan_all(k, r, n, &all, e);

	k->jobs = all.n;
	for (size_t i = 0; i < all.n; i++)
		ns += PAIR_NS * (double)rows_of(&all.v[i]) + SORT_NS *
		      (double)(letters_of(k, all.v[i].a) +
			       letters_of(k, all.v[i].b));
	snprintf(what, sizeof what, ", two blocks at a time, %zu times",
		 all.n);
	if (!rc && all.n)
		ebwt_note(k->t->s, what, k->base + k->room, ns,
			  ", less with more --memory");
	for (; k->done < all.n && !rc; k->done++)
		rc = run_region(k, &all.v[k->done], e);
	free(all.v);
	return rc;
}

/* All pairs, and parts of them. */

static struct ebwt_region
everything(const struct ebwt_table *t)
{
	struct ebwt_region r = { { 0, t->n }, { 0, 0 } };

	if (t->n_a)
		r = (struct ebwt_region){ { 0, t->n_a }, { t->n_a, t->n } };
	return r;
}

/*
 * Pairs of as few blocks as give each part one; of queries, blocks of what they
 * are compared with.  They depend on the input alone.
 */
static int
cut_for_parts(const struct blocks *k, uint64_t n, struct regions *to,
	      struct err *e)
{
	struct ebwt_region all = everything(k->t);
	uint64_t g = 2;

	if (k->t->n_a)
		return cut_rectangle(k, &all, 1, (size_t)n, to, e);
	while (g * (g - 1) / 2 + g % 2 < n)
		g++;
	return cut_triangle(k, all.a, (size_t)g, to, e);
}

/* What is this part's, and how many frames those before it make. */
static int
choose_part(struct blocks *k, struct err *e)
{
	const struct ebwt_options *o = &k->t->s->o;
	uint64_t *rows = calloc(o->parts, sizeof *rows);
	struct regions all = { 0 };
	struct ebwt_table *t = k->t;
	int rc = rows ? cut_for_parts(k, o->parts, &all, e) :
			err_nomem(e, o->parts * sizeof *rows);

	for (size_t i = 0; i < all.n && !rc; i++)
		rows[i % o->parts] += rows_of(&all.v[i]);
	for (uint64_t i = 0; i < o->part && !rc; i++)
		t->before += max_u64(1, (rows[i] + EBWT_FRAME_ROWS - 1) /
				     EBWT_FRAME_ROWS);
	for (size_t i = 0; i < all.n && !rc; i++)
		if (i % o->parts == o->part)
			all.v[t->n_regions++] = all.v[i];
	t->region = all.v;
	free(rows);
	return rc;
}

/* What a block takes by itself, roughly: more than there is, if it is too
 * large. */
static int
block_bytes(const struct blocks *k, struct ebwt_span s, uint64_t *need,
	    struct err *e)
{
	int rc = compare(k, &(struct ebwt_region){ s, { 0, 0 } }, true, need,
			 e);

	return rc == TOO_LARGE ? 0 : rc;
}

/*
 * Of a span's smallest blocks the two that take most.  All letters are looked
 * at, so that what is wrong with one, or too large, is known beforehand.
 */
static int
top_blocks(const struct blocks *k, struct ebwt_span s, struct ebwt_span top[2],
	   struct err *e)
{
	size_t n = s.end - s.beg, g = min_u64(n, MOST_BLOCKS);
	uint64_t most[2] = { 0, 0 }, need;
	unsigned at;
	int rc = 0;

	top[0] = top[1] = (struct ebwt_span){ s.beg, s.beg };
	for (size_t i = 0; i < g && !rc; i++) {
		struct ebwt_span b = { s.beg + i, s.beg + i + 1 };

		if (g < n)
			b = block(k, s, i, g);
		if (b.beg == b.end)
			continue;
		rc = block_bytes(k, b, &need, e);
		at = need <= most[0];
		if (!at) {
			most[1] = most[0];
			top[1] = top[0];
		}
		if (need > most[at]) {
			most[at] = need;
			top[at] = b;
		}
	}
	return rc;
}

/* The two that take most: if they do not fit, nothing is begun. */
static int
check_largest(const struct blocks *k, struct err *e)
{
	struct ebwt_region all = everything(k->t);
	struct ebwt_span a[2], b[2];
	uint64_t need;
	int rc = top_blocks(k, all.a, a, e);

	b[0] = a[1];
	if (!rc && !triangle(&all))
		rc = top_blocks(k, all.b, b, e);
	if (!rc)
		rc = compare(k, &(struct ebwt_region){ a[0], b[0] }, true,
			     &need, e);
	return rc == TOO_LARGE ? e->code : rc;
}

/* Memory for a job: what is left. */
static int
find_room(struct blocks *k, uint64_t n_bytes, struct err *e)
{
	uint64_t limit = ebwt_memory(k->t->s), letters = 0;
	uint64_t words = sequences(k), sets = k->t->n;
	char most[48];

	for (size_t i = 0; i < k->t->r->n; i++)
		letters += k->t->r->seq[i].n;
	if (!k->t->s->o.memory)
		limit -= limit / 4;	/* other programs */
	k->base = n_bytes + 4 * words + 16 * (sets + 2) +
		  (k->t->nearest ? 0 : 8 * k->t->n_pairs);
	if (!ebwt_seqs_spilled(k->t->s->seqs) && letters > limit / 8 &&
	    ebwt_seqs_spill(k->t->s->seqs, e))
		return e->code;
	if (!ebwt_seqs_spilled(k->t->s->seqs))
		k->base += letters;
	k->room = limit > k->base ? limit - k->base : 0;
	return k->room ? 0 : err_set(e, ERR_LIMIT, "names and pairs take %s: "
				     "more than %s",
				     err_mb((double)k->base).text,
				     ebwt_limit(k->t->s, most, sizeof most));
}

int
ebwt_by_blocks(struct ebwt_table *t, const struct ebwt_pairs_job *job,
	       bool coloured, uint64_t n_bytes, struct err *e)
{
	struct blocks k = { .t = t, .job = *job, .coloured = coloured };
	struct ebwt_region all = everything(t);
	int rc = 0;

	k.job.nearest = false;	/* tables of blocks are small */
	if (t->s->o.n)
		rc = ebwt_nearest_new(&t->nearest, t, e);
	else if (!(t->value = malloc((t->n_pairs + 1) * sizeof *t->value)))
		rc = err_nomem(e, t->n_pairs * sizeof *t->value);
	if (!rc)
		rc = find_room(&k, n_bytes, e);
	if (!rc)
		rc = sort_sequences(&k, e);
	if (!rc && t->n_pairs)
		rc = check_largest(&k, e);
	if (!rc && t->s->o.parts)
		rc = choose_part(&k, e);
	else if (!rc)
		rc = run_regions(&k, &all, 1, e);
	if (!rc && t->s->o.parts)
		rc = run_regions(&k, t->region, t->n_regions, e);
	free(k.seq);
	free(k.at);
	free(k.before);
	return rc;
}
