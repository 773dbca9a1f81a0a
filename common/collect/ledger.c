/* SPDX-License-Identifier: MIT */
/*
 * ledger.c - what a stream has accounted for: runs, scans, receipts, copies,
 * lengths
 */

#include <search.h>
#include <stdlib.h>

#include "base/base.h"
#include "collect/ledger_priv.h"
#include "rec/rec.h"

/* The runs, scans and BEGIN texts that a ledger knows. */

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
static bool
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

static void
scan_clear(struct led_scan *s)
{
	buf_free(&s->text);
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
	buf_free(&r->text);
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
	r->chunks.key.rule = SCAN_SUM;	/* a chunk counts once */
	r->chunks.stale = true;
	at = rec_own(&r->text, &r->key, NULL, NULL) ?
	     index_at(&l->by_id, k->id, 0) : NULL;
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
	struct buf text = { 0 };

	if (run_key_cmp(k, &r->key) >= 0)
		return r;
	if (!rec_own(&text, &least, NULL, NULL))
		return NULL;
	buf_free(&r->text);
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
	at = rec_own(&s->text, NULL, &s->key, NULL) ?
	     index_at(&r->by_id, k->id, k->rule) : NULL;
	if (!at || !append(&r->scan, &r->n_scans, s)) {
		buf_free(&s->text);
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
	struct buf text = { 0 };

	if (scan_key_cmp(k, &s->key) >= 0)
		return s;
	if (!rec_own(&text, NULL, &least, NULL))
		return NULL;
	buf_free(&s->text);
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
begin_cmp(const void *x, const void *y)
{
	const struct begin *a = x, *b = y;
	int c = run_key_cmp(&a->run, &b->run);

	if (c == 0)	/* the run's own come first */
		c = (a->scan.id != 0) - (b->scan.id != 0);
	if (c == 0)
		c = scan_key_cmp(&a->scan, &b->scan);
	return c ? c : str_cmp(a->text, b->text);
}

static int
cmp_begin(const void *a, const void *b)
{
	return begin_cmp(*(void *const *)a, *(void *const *)b);
}

static bool
led_begin(struct ledger *l, const struct begin *b)
{
	struct begin_own *k;

	if (tfind(b, &l->begins, begin_cmp))
		return true;
	k = malloc(sizeof *k);
	if (!k || !begin_copy(k, b) || !append(&l->begin, &l->n_begins, k)) {
		if (k)
			buf_free(&k->text);
		free(k);
		return false;
	}
	l->sorted = false;
	free(l->text);
	l->text = NULL;
	return tsearch(k, &l->begins, begin_cmp) != NULL;
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
		const struct begin *b = &l->begin[i]->b;

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

static void
led_keys_free(struct ledger *l)
{
	for (size_t i = 0; i < l->n_runs; i++)
		run_free(l->run[i]);
	tsearch_free(&l->begins, begin_cmp, keep_it);
	for (size_t i = 0; i < l->n_begins; i++) {
		buf_free(&l->begin[i]->text);
		free(l->begin[i]);
	}
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
	return &l->begin[i]->b;
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

/* Lengths and names of sequences, and the runs of SEQ. */

enum { NAMES_BYTES = 64 << 20 };	/* of names in memory */

/*
 * The slot that holds the subject, or the free one where it belongs.  Subjects
 * come in order mostly: 16 neighbours lie in one line of the cache.
 */
static size_t
find_length(const struct lengths *l, uint64_t run, uint64_t ordinal)
{
	uint64_t key[2] = { run, ordinal / 16 };
	size_t mask = l->n_slots - 1, i;

	i = (hash64(key, sizeof key, 0) * 16 + ordinal % 16) & mask;
	for (;; i = (i + 1) & mask) {
		const struct subject_len *s;

		if (!l->slot[i])
			return i;
		s = &l->v[l->slot[i] - 1];
		if (s->run == run && s->ordinal == ordinal)
			return i;
	}
}

/* Room for one more entry, at most half of the slots in use. */
static int
grow_lengths(struct lengths *l, struct err *e)
{
	int r;

	if (l->n >= UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "more than %u sequences",
			       UINT32_MAX / 2);
	r = array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, e);
	if (r || l->n < l->n_slots / 2)
		return r;
	r = slots_double(&l->slot, &l->n_slots, sizeof *l->slot, e);
	for (size_t i = 0; i < l->n && r == 0; i++)
		l->slot[find_length(l, l->v[i].run, l->v[i].ordinal)] =
			(uint32_t)i + 1;
	return r;
}

static int
add_length(struct lengths *l, uint64_t run, uint64_t ordinal,
	   struct subject_len **out, struct err *e)
{
	int r = grow_lengths(l, e);
	size_t at;

	if (r < 0)
		return r;
	at = find_length(l, run, ordinal);
	if (!l->slot[at]) {
		struct subject_len s = { run, ordinal, LEN_UNKNOWN, 0, 0,
					 false, false };

		l->v[l->n++] = s;
		l->slot[at] = (uint32_t)l->n;
	}
	*out = &l->v[l->slot[at] - 1];
	return 0;
}

int
lengths_put(struct lengths *l, uint64_t run, uint64_t ordinal,
	    struct str name, uint64_t length, struct err *e)
{
	struct subject_len *s;
	int r = add_length(l, run, ordinal, &s, e);

	if (r < 0)
		return r;
	if (name.p && !s->named) {
		s->name_at = l->names.n;
		s->name_n = name.n;
		s->named = true;
		buf_put(&l->names, name.p, name.n);
		if (l->names.bad)
			return err_nomem(e, name.n);
	}
	if (length == LEN_UNKNOWN || s->length == length)
		return 0;
	if (s->length != LEN_UNKNOWN)
		return err_set(e, ERR_FORMAT, "sequence %llu has two lengths, "
			       "%llu and %llu", (unsigned long long)ordinal,
			       (unsigned long long)s->length,
			       (unsigned long long)length);
	s->length = length;
	return 0;
}

static struct subject_len *
known(const struct lengths *l, uint64_t run, uint64_t ordinal)
{
	size_t at = l->n ? find_length(l, run, ordinal) : 0;

	return l->n && l->slot[at] ? &l->v[l->slot[at] - 1] : NULL;
}

const struct subject_len *
lengths_get(const struct lengths *l, uint64_t run, uint64_t ordinal)
{
	return known(l, run, ordinal);
}

void
lengths_shorten(struct lengths *l, uint64_t run, uint64_t ordinal,
		uint64_t length)
{
	struct subject_len *s = known(l, run, ordinal);

	s->length = min_u64(s->length, length);
}

void
lengths_set_circular(struct lengths *l, uint64_t run, uint64_t ordinal)
{
	known(l, run, ordinal)->circular = true;
}

void
lengths_free(struct lengths *l)
{
	free(l->v);
	free(l->slot);
	buf_free(&l->names);
	memset(l, 0, sizeof *l);
}

uint64_t
ledger_length(const struct ledger *l, uint64_t run, uint64_t ordinal)
{
	const struct subject_len *s = lengths_get(&l->lengths, run, ordinal);

	return s ? s->length : LEN_UNKNOWN;
}

static int
led_note_length(struct ledger *l, uint64_t run, uint64_t ordinal,
		uint64_t length, struct err *e)
{
	static const struct str none;
	uint64_t known = ledger_length(l, run, ordinal);

	if (length == LEN_UNKNOWN)
		return err_set(e, ERR_FORMAT,
			       "a sequence of impossible length");
	if (known == LEN_UNKNOWN)
		return lengths_put(&l->lengths, run, ordinal, none, length, e);
	if (known != length) {
		/* what is reported does not depend on the order, either */
		lengths_shorten(&l->lengths, run, ordinal, length);
		l->lengths_differ = true;
	}
	return 0;
}

int
ledger_wants_length(struct ledger *l, uint64_t run,
		    const struct subject_ref *s, struct err *e)
{
	struct str name = { s->name.n ? s->name.p : "", s->name.n };

	l->judged = false;
	return lengths_put(&l->lengths, run, s->ordinal, name, LEN_UNKNOWN, e);
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

static int
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

/* Taking note of frames, copies and lengths. */

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
	lengths_free(&l->lengths);
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

enum { KEY_UNMERGED = 2 };

/* The frame by its header and its payload, 64 bits each. */
static struct led_slot
seen_key(const struct rec_frame *f)
{
	uint64_t head[5] = { f->type, f->run, f->serial, f->records, f->n };
	struct led_slot k = { 0, hash64(head, sizeof head, 0) };

	k.a = hash64(f->payload, f->n, k.b);
	k.b |= 1;	/* never an empty slot */
	if (f->flags & REC_UNMERGED)
		k.b ^= KEY_UNMERGED;
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

		if ((r->flags & whole) == whole && r->length != LEN_UNKNOWN)
			continue;
		rc = led_note_name(l, c->run.id, r->ordinal, r->name, e);
		if (rc == 0 && r->flags & CHUNK_LAST &&
		    r->length != LEN_UNKNOWN)
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
		run->versions_differ |= run->end.kind != n.kind;
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

/* A frame of several whose receipt may be there twice? */
static bool
is_numbered(const struct rec_frame *f)
{
	struct run_key run;
	struct receipt r = { 0 };
	struct err e;
	bool is;

	if (result_head(f, &run, &r, &e) < 0)
		return false;
	is = r.scan.rule != SCAN_SUM && (r.number || !r.last);
	free(r.range);
	return is;
}

/*
 * A merge may write what a scanner wrote, but for the flag.  Such a frame of
 * several is none to drop: the others of the two results may differ, and each
 * must be whole.
 */
static bool
is_copy(const struct ledger *l, const struct rec_frame *f, struct led_slot k)
{
	if (is_seen(l, k))
		return true;
	k.b ^= KEY_UNMERGED;
	return is_seen(l, k) && (f->type == REC_CHUNK || !is_numbered(f));
}

/* Results and chunks: what must not be taken twice. */
static int
note_once(struct ledger *l, const struct rec_frame *f, struct err *e)
{
	struct led_slot k = seen_key(f);
	int rc;

	if (is_copy(l, f, k)) {
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

uint64_t
ledger_copies(const struct ledger *l)
{
	return l->copies;
}
