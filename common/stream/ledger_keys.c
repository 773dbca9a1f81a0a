/* SPDX-License-Identifier: MIT */
/* ledger_keys.c - the runs, scans and BEGIN texts that a ledger knows */
#include <stdlib.h>

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
	buf_free(&s->frames);
	buf_free(&s->ranges);
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

struct led_run *
led_run(struct ledger *l, const struct run_key *k)
{
	size_t lo = 0, hi = l->n_runs;

	if (l->last_run < hi &&
	    run_key_cmp(&l->run[l->last_run]->key, k) == 0)
		return l->run[l->last_run];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (run_key_cmp(&l->run[mid]->key, k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	l->last_run = lo;
	if (lo < l->n_runs && run_key_cmp(&l->run[lo]->key, k) == 0)
		return l->run[lo];
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

struct led_scan *
led_scan(struct led_run *r, const struct scan_key *k)
{
	size_t lo = 0, hi = r->n_scans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (scan_key_cmp(&r->scan[mid]->key, k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < r->n_scans && scan_key_cmp(&r->scan[lo]->key, k) == 0)
		return r->scan[lo];
	return scan_new(r, lo, k);
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
	return &l->run[i]->key;
}

size_t
ledger_scans(const struct ledger *l, size_t run)
{
	return l->run[run]->n_scans;
}

const struct scan_key *
ledger_scan(const struct ledger *l, size_t run, size_t i)
{
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
