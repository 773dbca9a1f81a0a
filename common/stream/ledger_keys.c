/* SPDX-License-Identifier: MIT */
/* ledger_keys.c - the runs, scans and BEGIN texts that a ledger knows */
#define _GNU_SOURCE	/* tdestroy */
#include <search.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/minmax.h"
#include "stream/ledger_priv.h"

/* p behind the *n pointers of list. */
static bool
append(void *list, size_t *n, void *p)
{
	void **old = *(void ***)list, **new = old;

	/* Grown at powers of two. */
	if ((*n & (*n - 1)) == 0)
		new = realloc(old, (*n ? 2 * *n : 1) * sizeof *new);
	if (!new)
		return false;
	new[(*n)++] = p;
	*(void ***)list = new;
	return true;
}

static int
cmp_number(const void *a, const void *b)
{
	return cmp_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

const uint64_t *
ids_sort(struct led_ids *s, size_t *n)
{
	uint64_t *v = (void *)s->b.p;
	size_t all = s->b.n / sizeof *v, kept = 0;

	if (s->n_sorted < all) {
		qsort(v, all, sizeof *v, cmp_number);
		for (size_t i = 0; i < all; i++)
			if (!kept || v[kept - 1] != v[i])
				v[kept++] = v[i];
		s->n_sorted = kept;
		s->b.n = kept * sizeof *v;
	}
	*n = s->n_sorted;
	return v;
}

/*
 * Copies go when there are twice as many numbers as were left the last time:
 * so each number is sorted O(1) times, and repeated ones take no memory.
 */
bool
ids_add(struct led_ids *s, uint64_t id)
{
	const uint64_t *v = (void *)s->b.p;
	size_t n = s->b.n / sizeof id;

	if (n && v[n - 1] == id)
		return true;
	if (n >= 2 * s->n_sorted + 16)
		ids_sort(s, &n);
	buf_put(&s->b, &id, sizeof id);
	return !s->b.bad;
}

static struct str
copy_str(char **to, struct str s)
{
	struct str kept = { *to, s.n };

	if (s.n)
		memcpy(*to, s.p, s.n);
	*to += s.n;
	return kept;
}

/* *k with strings of its own, in one block; NULL: no memory. */
static char *
own_run_key(struct run_key *k)
{
	char *text = malloc(k->base.n + k->label.n + k->first.n + 1);
	char *to = text;

	if (!text)
		return NULL;
	k->base = copy_str(&to, k->base);
	k->label = copy_str(&to, k->label);
	k->first = copy_str(&to, k->first);
	return text;
}

static char *
own_scan_key(struct scan_key *k)
{
	char *text = malloc(k->base.n + 1), *to = text;

	if (text)
		k->base = copy_str(&to, k->base);
	return text;
}

static void
scan_clear(struct led_scan *s)
{
	free(s->text);
	buf_free(&s->ones);
	buf_free(&s->frames);
	buf_free(&s->ranges);
	buf_free(&s->needs.b);
	led_cover_free(&s->cover);
}

static void
run_free(struct led_run *r)
{
	for (size_t i = 0; i < r->n_scans; i++) {
		scan_clear(r->scan[i]);
		free(r->scan[i]);
	}
	scan_clear(&r->chunks);
	index_free(&r->by_id);
	free(r->scan);
	free(r->text);
	free(r);
}

static struct led_run *
run_new(struct ledger *l, const struct run_key *k)
{
	struct led_run *r = calloc(1, sizeof *r);
	void **at;

	if (!r)
		return NULL;
	r->key = *k;
	r->text = own_run_key(&r->key);
	r->chunks.key.rule = SCAN_SUM;	/* a chunk counts once */
	r->chunks.stale = true;
	at = r->text ? index_at(&l->by_id, k->id, 0) : NULL;
	if (!at || !append(&l->run, &l->n_runs, r)) {
		run_free(r);
		return NULL;
	}
	*at = r;
	l->sorted = false;
	return r;
}

static int
cmp_run(const void *a, const void *b)
{
	return run_key_cmp(&(*(struct led_run *const *)a)->key,
			   &(*(struct led_run *const *)b)->key);
}

static int
cmp_scan(const void *a, const void *b)
{
	return scan_key_cmp(&(*(struct led_scan *const *)a)->key,
			    &(*(struct led_scan *const *)b)->key);
}

/*
 * A part may have come through a pipe, or from a copy compressed otherwise:
 * the run is the same, and is called by its least name.
 */
static struct led_run *
run_named(struct ledger *l, struct led_run *r, const struct run_key *k)
{
	struct run_key least = *k;
	char *text;

	if (run_key_cmp(k, &r->key) >= 0)
		return r;
	text = own_run_key(&least);
	if (!text)
		return NULL;
	free(r->text);
	r->text = text;
	r->key = least;
	l->sorted = false;
	return r;
}

struct led_run *
led_run(struct ledger *l, const struct run_key *k)
{
	if (!l->last_run || l->last_run->key.id != k->id)
		l->last_run = index_get(&l->by_id, k->id, 0);
	if (l->last_run)
		return run_named(l, l->last_run, k);
	return l->last_run = run_new(l, k);
}

static struct led_scan *
scan_new(struct led_run *r, const struct scan_key *k)
{
	struct led_scan *s = calloc(1, sizeof *s);
	void **at;

	if (!s)
		return NULL;
	s->key = *k;
	s->stale = true;
	s->text = own_scan_key(&s->key);
	at = s->text ? index_at(&r->by_id, k->id, k->rule) : NULL;
	if (!at || !append(&r->scan, &r->n_scans, s)) {
		free(s->text);
		free(s);
		return NULL;
	}
	*at = s;
	r->sorted = false;
	return s;
}

/* The least name is the scan's, as for runs. */
static struct led_scan *
scan_named(struct led_run *r, struct led_scan *s, const struct scan_key *k)
{
	struct scan_key least = *k;
	char *text;

	if (scan_key_cmp(k, &s->key) >= 0)
		return s;
	text = own_scan_key(&least);
	if (!text)
		return NULL;
	free(s->text);
	s->text = text;
	s->key = least;
	r->sorted = false;
	return s;
}

struct led_scan *
led_scan(struct ledger *l, struct led_run *r, const struct scan_key *k)
{
	struct led_scan *s = index_get(&r->by_id, k->id, k->rule);

	s = s ? scan_named(r, s, k) : scan_new(r, k);
	l->sorted &= r->sorted;
	return s;
}

static int
begin_cmp(const struct begin *a, const struct begin *b)
{
	size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
	int c = run_key_cmp(&a->run, &b->run);

	if (c == 0)	/* the run's own come first */
		c = (a->scan.id != 0) - (b->scan.id != 0);
	if (c == 0)
		c = scan_key_cmp(&a->scan, &b->scan);
	if (c == 0 && n)
		c = memcmp(a->text.p, b->text.p, n);
	return c ? c : (a->text.n > b->text.n) - (a->text.n < b->text.n);
}

/* One block: the struct, then the strings. */
static struct begin *
begin_copy(const struct begin *b)
{
	struct begin *k = malloc(sizeof *k + b->run.base.n + b->run.label.n +
				 b->run.first.n + b->scan.base.n + b->text.n);
	char *to;

	if (!k)
		return NULL;
	to = (char *)(k + 1);
	*k = *b;
	k->run.base = copy_str(&to, b->run.base);
	k->run.label = copy_str(&to, b->run.label);
	k->run.first = copy_str(&to, b->run.first);
	k->scan.base = copy_str(&to, b->scan.base);
	k->text = copy_str(&to, b->text);
	return k;
}

static int
cmp_begin(const void *a, const void *b)
{
	return begin_cmp(*(struct begin *const *)a, *(struct begin *const *)b);
}

/* begin_cmp() as tsearch() wants it. */
static int
cmp_in_tree(const void *a, const void *b)
{
	return begin_cmp(a, b);
}

bool
led_begin(struct ledger *l, const struct begin *b)
{
	struct begin *k;

	if (tfind(b, &l->begins, cmp_in_tree))
		return true;
	k = begin_copy(b);
	if (!k || !append(&l->begin, &l->n_begins, k)) {
		free(k);
		return false;
	}
	l->sorted = false;
	free(l->text);
	l->text = NULL;
	return tsearch(k, &l->begins, cmp_in_tree) != NULL;
}

void
led_sort(struct ledger *l)
{
	if (l->sorted)
		return;
	if (l->n_runs)
		qsort(l->run, l->n_runs, sizeof(void *), cmp_run);
	for (size_t i = 0; i < l->n_runs; i++) {
		struct led_run *r = l->run[i];

		if (r->n_scans && !r->sorted)
			qsort(r->scan, r->n_scans, sizeof(void *), cmp_scan);
		r->sorted = true;
	}
	if (l->n_begins)
		qsort(l->begin, l->n_begins, sizeof(void *), cmp_begin);
	l->sorted = true;
}

static int
cmp_text(const void *x, const void *y)
{
	const struct led_text *a = x, *b = y;
	int c = cmp_u64(a->run, b->run);

	c = c ? c : cmp_u64(a->scan, b->scan);
	return c ? c : cmp_u64(a->hash, b->hash);
}

int
led_texts(struct ledger *l, struct err *e)
{
	if (l->text)
		return 0;
	l->text = malloc((l->n_begins + 1) * sizeof *l->text);
	if (!l->text)
		return err_nomem(e, l->n_begins * sizeof *l->text);
	for (size_t i = 0; i < l->n_begins; i++) {
		const struct begin *b = l->begin[i];

		l->text[i] = (struct led_text){
			b->run.id, b->scan.id, hash64(b->text.p, b->text.n, 0),
			b,
		};
	}
	if (l->n_begins)
		qsort(l->text, l->n_begins, sizeof *l->text, cmp_text);
	return 0;
}

/* The first BEGIN that is not before this one. */
static size_t
text_from(const struct ledger *l, uint64_t run, uint64_t scan, uint64_t hash)
{
	struct led_text k = { run, scan, hash, NULL };
	size_t lo = 0, hi = l->n_begins;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_text(l->text + mid, &k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
text_is_of(const struct ledger *l, size_t i, uint64_t run, uint64_t scan)
{
	return i < l->n_begins && l->text[i].run == run &&
	       l->text[i].scan == scan;
}

bool
led_has_begin(const struct ledger *l, uint64_t run, uint64_t scan,
	      uint64_t hash)
{
	size_t i = text_from(l, run, scan, hash);

	return text_is_of(l, i, run, scan) && l->text[i].hash == hash;
}

bool
led_scan_begun(const struct ledger *l, const struct led_run *r,
	       struct led_scan *s)
{
	uint64_t run = r->key.id, scan = s->key.id;
	size_t i = text_from(l, run, scan, 0), n;
	const uint64_t *need = ids_sort(&s->needs, &n);

	for (; text_is_of(l, i, run, scan); i++)
		if (!n || !bsearch(&l->text[i].hash, need, n, sizeof *need,
				   cmp_number))
			return true;
	return false;
}

/* The BEGINs are the list's. */
static void
keep_it(void *b)
{
	(void)b;
}

void
led_keys_free(struct ledger *l)
{
	for (size_t i = 0; i < l->n_runs; i++)
		run_free(l->run[i]);
	tdestroy(l->begins, keep_it);
	for (size_t i = 0; i < l->n_begins; i++)
		free(l->begin[i]);
	index_free(&l->by_id);
	free(l->run);
	free(l->begin);
	free(l->text);
}

size_t
ledger_runs(const struct ledger *l)
{
	return l->n_runs;
}

const struct run_key *
ledger_run(const struct ledger *l, size_t i)
{
	led_sort((struct ledger *)l);	/* no change to see */
	return &l->run[i]->key;
}

size_t
ledger_scans(const struct ledger *l, size_t run)
{
	led_sort((struct ledger *)l);
	return l->run[run]->n_scans;
}

const struct scan_key *
ledger_scan(const struct ledger *l, size_t run, size_t i)
{
	led_sort((struct ledger *)l);
	return &l->run[run]->scan[i]->key;
}

size_t
ledger_begins(const struct ledger *l)
{
	return l->n_begins;
}

const struct begin *
ledger_begin(const struct ledger *l, size_t i)
{
	led_sort((struct ledger *)l);
	return l->begin[i];
}

int
ledger_begin_of(struct ledger *l, uint64_t run, uint64_t scan, size_t i,
		const struct begin **b, uint64_t *hash, struct err *e)
{
	int rc = led_texts(l, e);

	*b = NULL;
	if (rc)
		return rc;
	i += text_from(l, run, scan, 0);
	if (text_is_of(l, i, run, scan)) {
		*b = l->text[i].begin;
		*hash = l->text[i].hash;
	}
	return 0;
}
