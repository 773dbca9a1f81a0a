/* SPDX-License-Identifier: MIT */
/* ledger_length.c - lengths of sequences, and the runs SEQ frames name */
#include <stdlib.h>

#include "base/hash.h"
#include "stream/ledger_priv.h"
#include "stream/result.h"

static struct led_length *
length_slot(struct led_length *t, size_t cap, uint64_t run, uint64_t ordinal)
{
	uint64_t key[2] = { run, ordinal };
	size_t at = hash64(key, sizeof key, 0) & (cap - 1);

	while (t[at].length != LEN_UNKNOWN &&
	       (t[at].run != run || t[at].ordinal != ordinal))
		at = (at + 1) & (cap - 1);
	return t + at;
}

static bool
length_grow(struct ledger *l)
{
	size_t cap = l->length_cap ? 2 * l->length_cap : 64;
	struct led_length *t = malloc(cap * sizeof *t);

	if (!t)
		return false;
	for (size_t i = 0; i < cap; i++)
		t[i].length = LEN_UNKNOWN;
	for (size_t i = 0; i < l->length_cap; i++) {
		const struct led_length *k = l->length + i;

		if (k->length != LEN_UNKNOWN)
			*length_slot(t, cap, k->run, k->ordinal) = *k;
	}
	free(l->length);
	l->length = t;
	l->length_cap = cap;
	return true;
}

int
led_note_length(struct ledger *l, uint64_t run, uint64_t ordinal,
		uint64_t length, struct err *e)
{
	struct led_length *s;

	if (length == LEN_UNKNOWN)
		return err_set(e, ERR_FORMAT,
			       "a sequence of impossible length");
	if (4 * l->n_lengths >= 3 * l->length_cap && !length_grow(l))
		return err_nomem(e, 2 * l->length_cap * sizeof *l->length);
	s = length_slot(l->length, l->length_cap, run, ordinal);
	if (s->length == LEN_UNKNOWN) {
		*s = (struct led_length){ run, ordinal, length };
		l->n_lengths++;
	} else if (s->length != length) {
		/* what is told then does not depend on the order, either */
		s->length = length < s->length ? length : s->length;
		l->lengths_differ = true;
	}
	return 0;
}

uint64_t
ledger_length(const struct ledger *l, uint64_t run, uint64_t ordinal)
{
	return l->length_cap ?
	    length_slot(l->length, l->length_cap, run, ordinal)->length :
	    LEN_UNKNOWN;
}

uint64_t
ledger_letters(const struct ledger *l, size_t run)
{
	const struct led_run *r;

	led_sort((struct ledger *)l, true);	/* no change to see */
	r = l->run[run];
	return r->ended && !r->ends_differ ? r->end.letters : LEN_UNKNOWN;
}

bool
led_seq_run(struct ledger *l, uint64_t run)
{
	uint64_t *id = (void *)l->seq_runs.p;
	size_t n = l->seq_runs.n / sizeof *id, lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (id[mid] < run)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < n && id[lo] == run)
		return true;
	buf_zero(&l->seq_runs, sizeof *id);
	if (l->seq_runs.bad)
		return false;
	id = (void *)l->seq_runs.p;
	memmove(id + lo + 1, id + lo, (n - lo) * sizeof *id);
	id[lo] = run;
	return true;
}

static int
id_cmp(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

bool
led_unknown_seq(const struct ledger *l, uint64_t *run, struct buf *ids)
{
	const uint64_t *id = (const void *)l->seq_runs.p;
	size_t n = l->seq_runs.n / sizeof *id, n_ids;

	for (size_t i = 0; i < l->n_runs; i++)
		buf_put(ids, &l->run[i]->key.id, sizeof *id);
	n_ids = ids->n / sizeof *id;
	if (n_ids)
		qsort(ids->p, n_ids, sizeof *id, id_cmp);
	for (size_t i = 0; i < n; i++)
		if (!n_ids ||
		    !bsearch(id + i, ids->p, n_ids, sizeof *id, id_cmp)) {
			*run = id[i];
			return true;
		}
	return false;
}
