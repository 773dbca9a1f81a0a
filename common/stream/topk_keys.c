/* SPDX-License-Identifier: MIT */
/* topk_keys.c - runs and scans by number, called by the least of their names */
#define _GNU_SOURCE	/* qsort_r */
#include <stdlib.h>

#include "base/array.h"
#include "stream/topk_row.h"

static int
key_new(struct keys *k, struct key **out, struct err *e)
{
	int r = array_room(&k->v, &k->cap, k->n + 1, sizeof *k->v, e);

	if (r < 0)
		return r;
	*out = &k->v[k->n];
	memset(*out, 0, sizeof **out);
	return 0;
}

/* The strings' bytes go to text, one behind the other. */
static int
own(struct key *n, struct str **s, size_t n_str, struct err *e)
{
	size_t at = 0;

	for (size_t i = 0; i < n_str; i++)
		buf_put(&n->text, s[i]->p, s[i]->n);
	if (n->text.bad) {
		buf_free(&n->text);
		return err_nomem(e, 0);
	}
	for (size_t i = 0; i < n_str; at += s[i++]->n)
		s[i]->p = s[i]->n ? (char *)n->text.p + at : "";
	return 0;
}

/* A new key with strings of its own. */
static int
add(struct keys *k, uint64_t id, uint64_t rule, struct key *n, struct str **s,
    size_t n_str, struct err *e)
{
	int r = own(n, s, n_str, e);

	if (r < 0)
		return r;
	if (!index_set_number(&k->by_id, id, rule, k->n + 1)) {
		buf_free(&n->text);
		return err_nomem(e, sizeof *n);
	}
	k->ranked = false;
	k->last = k->n++;
	return 0;
}

/* The key's strings take the place of those of v[at]. */
static int
rename_key(struct keys *k, size_t at, struct key *n, struct str **s,
	   size_t n_str, struct err *e)
{
	int r;

	memset(&n->text, 0, sizeof n->text);
	n->limit = k->v[at].limit;
	n->full = k->v[at].full;
	r = own(n, s, n_str, e);
	if (r < 0)
		return r;
	k->ranked = false;
	k->last = at;
	k->renamed = true;
	buf_free(&k->v[at].text);
	k->v[at] = *n;
	return 0;
}

/* v[at] was found: it is called by the least of its names. */
static long
found_run(struct keys *k, size_t at, const struct run_key *run, struct err *e)
{
	struct key n = { .run = *run };
	struct str *s[] = { &n.run.base, &n.run.label, &n.run.first };
	int r = 0;

	k->last = at;
	if (!k->fixed && run_key_cmp(run, &k->v[at].run) < 0)
		r = rename_key(k, at, &n, s, 3, e);
	return r < 0 ? r : (long)at;
}

static long
found_scan(struct keys *k, size_t at, const struct scan_key *scan,
	   struct err *e)
{
	struct key n = { .scan = *scan };
	struct str *s[] = { &n.scan.base };
	int r = 0;

	k->last = at;
	if (!k->fixed && scan_key_cmp(scan, &k->v[at].scan) < 0)
		r = rename_key(k, at, &n, s, 1, e);
	return r < 0 ? r : (long)at;
}

/* Rows of a frame share their keys: the last one found is tried first. */
long
keys_run(struct keys *k, const struct run_key *run, struct err *e)
{
	size_t at = k->last;
	struct key *n;
	int r;

	if (at >= k->n || k->v[at].run.id != run->id)
		at = index_number(&k->by_id, run->id, 0) - 1;
	if (at < k->n)
		return found_run(k, at, run, e);
	r = key_new(k, &n, e);
	if (r == 0) {
		struct str *s[] = { &n->run.base, &n->run.label,
				    &n->run.first };

		n->run = *run;
		r = add(k, run->id, 0, n, s, 3, e);
	}
	return r < 0 ? r : (long)k->last;
}

long
keys_scan(struct keys *k, const struct scan_key *scan, struct err *e)
{
	size_t at = k->last;
	struct key *n;
	int r;

	if (at >= k->n || k->v[at].scan.id != scan->id ||
	    k->v[at].scan.rule != scan->rule)
		at = index_number(&k->by_id, scan->id, scan->rule) - 1;
	if (at < k->n)
		return found_scan(k, at, scan, e);
	r = key_new(k, &n, e);
	if (r == 0) {
		struct str *s[] = { &n->scan.base };

		n->scan = *scan;
		r = add(k, scan->id, scan->rule, n, s, 1, e);
	}
	return r < 0 ? r : (long)k->last;
}

static int
cmp_run(const void *a, const void *b, void *v)
{
	const struct key *k = v;

	return run_key_cmp(&k[*(const uint32_t *)a].run,
			   &k[*(const uint32_t *)b].run);
}

static int
cmp_scan(const void *a, const void *b, void *v)
{
	const struct key *k = v;
	const struct scan_key *x = &k[*(const uint32_t *)a].scan;
	const struct scan_key *y = &k[*(const uint32_t *)b].scan;
	int c = scan_key_cmp(x, y);

	return c ? c : (x->rule > y->rule) - (x->rule < y->rule);
}

int
keys_rank(struct keys *k, bool scans, struct err *e)
{
	uint32_t *by;

	if (k->ranked)
		return 0;
	by = malloc((k->n + 1) * sizeof *by);
	if (!by)
		return err_nomem(e, k->n * sizeof *by);
	for (size_t i = 0; i < k->n; i++)
		by[i] = (uint32_t)i;
	qsort_r(by, k->n, sizeof *by, scans ? cmp_scan : cmp_run, k->v);
	for (size_t i = 0; i < k->n; i++)
		k->v[by[i]].rank = (uint32_t)i;
	k->ranked = true;
	free(by);
	return 0;
}

bool
keys_limit(struct keys *k, const struct scan_key *scan, uint64_t n)
{
	bool any = false;

	for (unsigned rule = SCAN_CLASS; rule < SCAN_RULES; rule++) {
		size_t at = index_number(&k->by_id, scan->id, rule) - 1;

		if (at >= k->n)
			continue;
		k->v[at].limit = n > k->v[at].limit ? n : k->v[at].limit;
		any |= n > 0;
	}
	return any;
}

bool
keys_full(const struct keys *k, const struct scan_key *scan)
{
	for (unsigned rule = 0; rule < SCAN_RULES; rule++) {
		size_t at = index_number(&k->by_id, scan->id, rule) - 1;

		if (at < k->n && k->v[at].full)
			return true;
	}
	return false;
}

void
keys_free(struct keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		buf_free(&k->v[i].text);
	index_free(&k->by_id);
	free(k->v);
	memset(k, 0, sizeof *k);
}
