/* SPDX-License-Identifier: MIT */
/* ledger_length.c - lengths and names of sequences, and the runs of SEQ */
#include <stdlib.h>

#include "base/hash.h"
#include "base/minmax.h"
#include "stream/ledger_priv.h"
#include "stream/result.h"

enum { NAMES_BYTES = 64 << 20 };	/* of names in memory */

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

	led_sort((struct ledger *)l);	/* no change to see */
	r = l->run[run];
	return r->ended && !r->ends_differ ? r->end.letters : LEN_UNKNOWN;
}

bool
led_unknown_seq(struct ledger *l, uint64_t *run)
{
	size_t n;
	const uint64_t *id = ids_sort(&l->seq_runs, &n);

	for (size_t i = 0; i < n; i++)
		if (!index_get(&l->by_id, id[i], 0)) {
			*run = id[i];
			return true;
		}
	return false;
}

static int
cmp_name(const void *x, const void *y, void *ctx)
{
	const struct led_name *a = *(const struct led_name *const *)x;
	const struct led_name *b = *(const struct led_name *const *)y;
	int c = cmp_u64(a->run, b->run);

	(void)ctx;
	c = c ? c : cmp_u64(a->ordinal, b->ordinal);
	return c ? c : cmp_u64(a->hash, b->hash);
}

/* Each name of a sequence once. */
static size_t
drop_copies(const void **v, size_t n, void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || cmp_name(&v[kept - 1], &v[i], ctx))
			v[kept++] = v[i];
	return kept;
}

int
led_note_name(struct ledger *l, uint64_t run, uint64_t ordinal,
	      struct str name, struct err *e)
{
	static const struct sorter_ops ops = { .cmp = cmp_name,
					       .trim = drop_copies };
	struct led_name n = { .size = sizeof n, .run = run,
			      .ordinal = ordinal,
			      .hash = hash64(name.p, name.n, 0) };
	int rc = 0;

	if (!l->names)
		rc = sorter_new(&l->names, &ops, NAMES_BYTES, e);
	return rc ? rc : sorter_add(l->names, &n, e);
}

int
led_judge_names(struct ledger *l, struct err *e)
{
	struct led_name last;
	const void *row;
	bool any = false;
	int rc;

	if (!l->names)
		return 0;
	rc = sorter_finish(l->names, e);
	while (rc == 0 && (rc = sorter_next(l->names, &row, e)) > 0) {
		struct led_name n;

		memcpy(&n, row, sizeof n);
		if (any && n.run == last.run && n.ordinal == last.ordinal &&
		    n.hash != last.hash && !l->two_names) {
			l->two_names = malloc(sizeof n);
			if (!l->two_names)
				return err_nomem(e, sizeof n);
			*l->two_names = n;
		}
		last = n;
		any = true;
		rc = 0;
	}
	sorter_free(l->names);
	l->names = NULL;
	return rc;
}
