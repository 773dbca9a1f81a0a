/* SPDX-License-Identifier: MIT */
/* ledger_keys.c - the runs, scans and BEGIN texts that a ledger knows */
#include <stdlib.h>

#include "base/hash.h"
#include "stream/ledger_priv.h"

/* Room for one more pointer at place i of list, *n so far. */
static bool
insert(void *list, size_t *n, size_t i, void *p)
{
	void **old = *(void ***)list, **new = old;

	/* Grown at powers of two. */
	if ((*n & (*n - 1)) == 0)
		new = realloc(old, (*n ? 2 * *n : 1) * sizeof *new);
	if (!new)
		return false;
	memmove(new + i + 1, new + i, (*n - i) * sizeof *new);
	new[i] = p;
	++*n;
	*(void ***)list = new;
	return true;
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
	buf_free(&s->needs);
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
	free(r->scan);
	free(r->text);
	free(r);
}

static struct led_run *
run_new(struct ledger *l, size_t i, const struct run_key *k)
{
	struct led_run *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->key = *k;
	r->text = own_run_key(&r->key);
	r->chunks.key.rule = SCAN_SUM;	/* a chunk counts once */
	r->chunks.stale = true;
	if (!r->text || !insert(&l->run, &l->n_runs, i, r)) {
		run_free(r);
		return NULL;
	}
	return r;
}

static int
cmp_id(const void *a, const void *b)
{
	uint64_t x = (*(struct led_run *const *)a)->key.id;
	uint64_t y = (*(struct led_run *const *)b)->key.id;

	return (x > y) - (x < y);
}

static int
cmp_key(const void *a, const void *b)
{
	return run_key_cmp(&(*(struct led_run *const *)a)->key,
			   &(*(struct led_run *const *)b)->key);
}

/* Runs are found by id, and told in the order of their keys. */
void
led_sort(struct ledger *l, bool by_key)
{
	if (l->by_key != by_key && l->n_runs)
		qsort(l->run, l->n_runs, sizeof(void *),
		      by_key ? cmp_key : cmp_id);
	l->by_key = by_key;
	l->last_run = 0;
}

/*
 * A part may have come through a pipe, or from a copy compressed otherwise:
 * the run is the same, and is called by its least name.
 */
static struct led_run *
run_named(struct led_run *r, const struct run_key *k)
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
	return r;
}

struct led_run *
led_run(struct ledger *l, const struct run_key *k)
{
	size_t lo = 0, hi;

	if (l->by_key)
		led_sort(l, false);
	hi = l->n_runs;
	if (l->last_run < hi && l->run[l->last_run]->key.id == k->id)
		return run_named(l->run[l->last_run], k);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->run[mid]->key.id < k->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	l->last_run = lo;
	if (lo < l->n_runs && l->run[lo]->key.id == k->id)
		return run_named(l->run[lo], k);
	return run_new(l, lo, k);
}

static struct led_scan *
scan_new(struct led_run *r, size_t i, const struct scan_key *k)
{
	struct led_scan *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->key = *k;
	s->stale = true;
	s->text = own_scan_key(&s->key);
	if (!s->text || !insert(&r->scan, &r->n_scans, i, s)) {
		free(s->text);
		free(s);
		return NULL;
	}
	return s;
}

/* Take the scan at place `at` out of the list, to be put where it belongs. */
static struct led_scan *
scan_out(struct led_run *r, size_t at)
{
	struct led_scan *s = r->scan[at];

	memmove(r->scan + at, r->scan + at + 1,
		(r->n_scans - at - 1) * sizeof *r->scan);
	r->n_scans--;
	return s;
}

static void
scan_in(struct led_run *r, struct led_scan *s)
{
	size_t at = r->n_scans++;

	for (; at && scan_key_cmp(&r->scan[at - 1]->key, &s->key) > 0; at--)
		r->scan[at] = r->scan[at - 1];
	r->scan[at] = s;
}

/* The least name is the scan's, as for runs. */
static struct led_scan *
scan_named(struct led_run *r, size_t at, const struct scan_key *k)
{
	struct led_scan *s = r->scan[at];
	struct scan_key least = *k;
	char *text;

	if (scan_key_cmp(k, &s->key) >= 0)
		return s;
	text = own_scan_key(&least);
	if (!text)
		return NULL;
	s = scan_out(r, at);
	free(s->text);
	s->text = text;
	s->key = least;
	scan_in(r, s);
	return s;
}

struct led_scan *
led_scan(struct led_run *r, const struct scan_key *k)
{
	size_t at = 0;

	for (size_t i = 0; i < r->n_scans; i++) {
		if (r->scan[i]->key.id == k->id &&
		    r->scan[i]->key.rule == k->rule)
			return scan_named(r, i, k);
		at += scan_key_cmp(&r->scan[i]->key, k) < 0;
	}
	return scan_new(r, at, k);
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

bool
led_begin(struct ledger *l, const struct begin *b)
{
	size_t lo = 0, hi = l->n_begins;
	struct begin *k;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (begin_cmp(l->begin[mid], b) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < l->n_begins && begin_cmp(l->begin[lo], b) == 0)
		return true;
	k = begin_copy(b);
	if (!k || !insert(&l->begin, &l->n_begins, lo, k)) {
		free(k);
		return false;
	}
	return true;
}

bool
led_has_begin(const struct ledger *l, uint64_t run, uint64_t scan,
	      uint64_t hash)
{
	for (size_t i = 0; i < l->n_begins; i++) {
		const struct begin *b = l->begin[i];

		if (b->run.id == run && b->scan.id == scan &&
		    hash64(b->text.p, b->text.n, 0) == hash)
			return true;
	}
	return false;
}

bool
led_scan_begun(const struct ledger *l, const struct led_run *r,
	       const struct led_scan *s)
{
	const uint64_t *need = (const void *)s->needs.p;
	size_t n = s->needs.n / sizeof *need;

	for (size_t i = 0; i < l->n_begins; i++) {
		const struct begin *b = l->begin[i];
		uint64_t hash;
		size_t j = 0;

		if (b->run.id != r->key.id || b->scan.id != s->key.id)
			continue;
		hash = hash64(b->text.p, b->text.n, 0);
		while (j < n && need[j] != hash)
			j++;
		if (j == n)
			return true;
	}
	return false;
}

void
led_keys_free(struct ledger *l)
{
	for (size_t i = 0; i < l->n_runs; i++)
		run_free(l->run[i]);
	for (size_t i = 0; i < l->n_begins; i++)
		free(l->begin[i]);
	free(l->run);
	free(l->begin);
}

size_t
ledger_runs(const struct ledger *l)
{
	return l->n_runs;
}

const struct run_key *
ledger_run(const struct ledger *l, size_t i)
{
	led_sort((struct ledger *)l, true);	/* no change to see */
	return &l->run[i]->key;
}

size_t
ledger_scans(const struct ledger *l, size_t run)
{
	led_sort((struct ledger *)l, true);
	return l->run[run]->n_scans;
}

const struct scan_key *
ledger_scan(const struct ledger *l, size_t run, size_t i)
{
	led_sort((struct ledger *)l, true);
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
	return l->begin[i];
}
