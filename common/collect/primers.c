/* SPDX-License-Identifier: MIT */
/*
 * primers.c - primers of many PRIMER frames: ends merged by maximum, rules,
 * rows
 */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"

/* What the files of primers share (private). */

/* What the frames of one stretch of one strand of a target add up to. */
struct stretch {
	uint32_t run, scan;	/* indices of keys; run 0 unless by_run */
	uint64_t run_id;	/* the least of those merged */
	struct primer_part part;	/* everything is owned; no receipt */
	uint64_t frames;	/* how many were merged */
};
struct primers {
	bool by_run;
	struct keys runs, scans;
	struct stretch *v;
	size_t n, cap;
	size_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct index receipts;	/* how many came of a run and scan */
	const struct primer_site *site;	/* of rows; NULL: not known */
};

/* Ends of many PRIMER frames, merged by their maximum. */

int
primers_new(struct primers **p, bool by_run, struct err *e)
{
	*p = calloc(1, sizeof **p);
	if (!*p)
		return err_nomem(e, sizeof **p);
	(*p)->by_run = by_run;
	return 0;
}

static void
free_part(struct primer_part *p)
{
	free((void *)(uintptr_t)p->target.name.p);
	free((void *)(uintptr_t)p->options.p);
	free((void *)(uintptr_t)p->letters);
	free(p->end);
	free(p->end3);
}

void
primers_free(struct primers *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free_part(&p->v[i].part);
	keys_free(&p->runs);
	keys_free(&p->scans);
	free(p->v);
	free(p->slot);
	index_free(&p->receipts);
	free(p);
}

bool
primers_any(const struct primers *p)
{
	return p->n != 0;
}

static bool
is(const struct stretch *a, const struct stretch *b)
{
	return a->run == b->run && a->scan == b->scan &&
	       a->part.target.ordinal == b->part.target.ordinal &&
	       a->part.minus == b->part.minus && a->part.beg == b->part.beg;
}

static size_t
find(const struct primers *p, const struct stretch *s)
{
	uint64_t key[4] = { (uint64_t)s->run << 32 | s->scan,
			    s->part.target.ordinal, s->part.minus,
			    s->part.beg };
	size_t i = hash64(key, sizeof key, 0) & (p->n_slots - 1);

	while (p->slot[i] && !is(&p->v[p->slot[i] - 1], s))
		i = (i + 1) & (p->n_slots - 1);
	return i;
}

static int
grow(struct primers *p, struct err *e)
{
	int r = array_room(&p->v, &p->cap, p->n + 1, sizeof *p->v, e);

	if (r || p->n < p->n_slots / 2)
		return r;
	r = slots_double(&p->slot, &p->n_slots, sizeof *p->slot, e);
	for (size_t i = 0; i < p->n && r == 0; i++)
		p->slot[find(p, &p->v[i])] = i + 1;
	return r;
}

static bool
same_target(const struct query_ref *a, const struct query_ref *b)
{
	return a->ordinal == b->ordinal && a->len == b->len &&
	       str_is(a->name, b->name);
}

static int
disagree(const struct query_ref *t, struct err *e)
{
	return err_set(e, ERR_FORMAT, "primers: frames of one scan disagree "
		       "about target %llu or the options",
		       (unsigned long long)t->ordinal);
}

/* The frame's arrays change hands; what it only points to is copied. */
static bool
own(struct stretch *s, struct primer_part *from)
{
	struct str name = from->target.name, options = from->options;
	char *n = malloc(name.n + 1), *o = malloc(options.n + 1);
	uint8_t *letters = malloc(from->n);

	if (!n || !o || !letters) {
		free(n);
		free(o);
		free(letters);
		return false;
	}
	if (name.n)
		memcpy(n, name.p, name.n);
	if (options.n)
		memcpy(o, options.p, options.n);
	memcpy(letters, from->letters, from->n);
	s->part = *from;
	s->part.target.name.p = n;
	s->part.options.p = o;
	s->part.letters = letters;
	memset(&s->part.run, 0, sizeof s->part.run);
	memset(&s->part.receipt, 0, sizeof s->part.receipt);
	from->end = from->end3 = NULL;
	return true;
}

static void
raise(uint64_t *to, const uint64_t *end, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] > end[i] ? to[i] : end[i];
}

static int
merge_part(struct stretch *s, const struct primer_part *p, struct err *e)
{
	struct primer_part *to = &s->part;

	if (!same_target(&to->target, &p->target) ||
	    !str_is(to->options, p->options) || !to->end3 != !p->end3 ||
	    memcmp(to->letters, p->letters, p->n) != 0)
		return disagree(&p->target, e);
	raise(to->end, p->end, p->n);
	if (p->end3)
		raise(to->end3, p->end3, p->n);
	return 0;
}

/* A frame counts as a receipt if it is its last one. */
static int
count_receipt(struct primers *p, const struct stretch *s, bool last,
	      struct err *e)
{
	uintptr_t n = index_number(&p->receipts, s->run, s->scan) + last;

	return !last || index_set_number(&p->receipts, s->run, s->scan, n) ?
	       0 : err_nomem(e, sizeof n);
}

int
primers_add(struct primers *p, struct primer_part *part, struct err *e)
{
	long run = p->by_run ? keys_run(&p->runs, &part->run, e) : 0;
	long scan = keys_scan(&p->scans, &part->receipt.scan, e);
	struct stretch s = { .run_id = part->run.id, .part = *part };
	struct stretch *old;
	int r;

	if (run < 0 || scan < 0)
		return e->code;
	s.run = (uint32_t)run;
	s.scan = (uint32_t)scan;
	r = count_receipt(p, &s, part->receipt.last, e);
	if (r == 0)
		r = grow(p, e);
	if (r < 0)
		return r;
	if (!p->slot[find(p, &s)]) {
		if (!own(&s, part))
			return err_nomem(e, part->n);
		s.frames = 1;
		p->v[p->n] = s;
		p->slot[find(p, &s)] = p->n + 1;
		p->n++;
		return 0;
	}
	old = &p->v[p->slot[find(p, &s)] - 1];
	old->frames++;
	old->run_id = old->run_id < s.run_id ? old->run_id : s.run_id;
	return merge_part(old, part, e);
}

static int
cmp_set(const struct stretch *a, const struct stretch *b,
	const struct primers *p)
{
	int c = 0;

	if (p->by_run)
		c = cmp_u64(p->runs.v[a->run].rank, p->runs.v[b->run].rank);
	return c ? c : cmp_u64(p->scans.v[a->scan].rank,
			       p->scans.v[b->scan].rank);
}

static int
cmp_stretch(const void *pa, const void *pb, void *ctx)
{
	const struct stretch *a = pa, *b = pb;
	int c = cmp_set(a, b, ctx);

	if (c == 0)
		c = cmp_u64(a->part.target.ordinal, b->part.target.ordinal);
	if (c == 0)
		c = cmp_u64(a->part.minus, b->part.minus);
	return c ? c : cmp_u64(a->part.beg, b->part.beg);
}

int
primers_finish(struct primers *p, struct err *e)
{
	struct primer_rule rule;
	int r = keys_rank(&p->runs, e);

	if (r == 0)
		r = keys_rank(&p->scans, e);
	if (r == 0 && p->n)
		sort_with(p->v, p->n, sizeof *p->v, cmp_stretch, p);
	for (size_t i = 0; i < p->n && r == 0; i++) {
		const struct primer_part *a = &p->v[i ? i - 1 : 0].part;
		const struct primer_part *b = &p->v[i].part;

		if (i == 0 || p->v[i].scan != p->v[i - 1].scan)
			r = primer_rule(&rule, b->options, e);
		else if (!str_is(a->options, b->options) ||
			 (a->target.ordinal == b->target.ordinal &&
			  !same_target(&a->target, &b->target)))
			r = disagree(&b->target, e);
		if (r == 0 && !rule.tail != !b->end3)
			r = disagree(&b->target, e);
	}
	return r;
}

/* Stretches of one target, both strands, stand together: [i, the outcome). */
static size_t
primers_target_end(const struct primers *p, size_t i)
{
	const struct stretch *first = &p->v[i];

	while (++i < p->n && cmp_set(first, &p->v[i], p) == 0 &&
	       p->v[i].part.target.ordinal == first->part.target.ordinal)
		;
	return i;
}

/* How many receipts there are of its run and scan. */
static uint64_t
primers_receipts(const struct primers *p, const struct stretch *s)
{
	return index_number(&p->receipts, s->run, s->scan);
}

/* Each stretch begins where the one before ends, up to the target's end. */
int
primers_check(const struct primers *p, struct err *e)
{
	uint64_t want = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct primer_part *a = &p->v[i].part;
		bool ends = i + 1 == p->n || p->v[i + 1].part.beg == 0;

		if (a->beg != want || p->v[i].frames !=
		    primers_receipts(p, &p->v[i]) ||
		    (ends && a->beg + a->n != a->target.len))
			return err_set(e, ERR_FORMAT, "primers: not every "
				       "receipt holds all of target %llu",
				       (unsigned long long)a->target.ordinal);
		want = ends ? 0 : a->beg + a->n;
	}
	return 0;
}

/* Options of primers from their canonical text, and back. */

enum { MAX_DIGITS = 18 };	/* so that no sum of two overflows */
enum { PERCENT = 100000, DEGREES = 1000000 };	/* most, in thousandths */

/* A number of digits only, at the front of s, which moves behind it. */
static bool
number(struct str *s, uint64_t *v)
{
	size_t n = 0;

	for (*v = 0; n < s->n && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		*v = *v < UINT64_MAX / 16 ?
		     10 * *v + (uint64_t)(s->p[n] - '0') : *v;
	s->p += n;
	s->n -= n;
	return n > 0 && n <= MAX_DIGITS;
}

static bool
rule_is(struct str s, const char *what)
{
	return s.n == strlen(what) && memcmp(s.p, what, s.n) == 0;
}

/* Up to the first c; *s moves behind it. */
static struct str
before(struct str *s, char c)
{
	const char *at = s->n ? memchr(s->p, c, s->n) : NULL;
	struct str part = { s->p, at ? (size_t)(at - s->p) : s->n };
	size_t used = part.n + (at != NULL);

	s->p += used;
	s->n -= used;
	return part;
}

bool
primer_decimal(struct str s, uint64_t most, uint64_t *v)
{
	uint64_t unit = 1000;

	if (!number(&s, v) || *v > most / 1000)
		return false;
	*v *= 1000;
	if (s.n == 0)
		return true;
	if (*s.p != '.' || s.n < 2 || s.n > 4)
		return false;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		unit /= 10;
		*v += unit * (uint64_t)(s.p[i] - '0');
	}
	return *v <= most;
}

bool
primer_range(struct str s, uint64_t most, uint64_t *lo, uint64_t *hi)
{
	struct str from = before(&s, '-');

	return primer_decimal(from, most, lo) && primer_decimal(s, most, hi) &&
	       *lo <= *hi;
}

static bool
set_salts(struct melting_salts *t, struct str s)
{
	uint64_t *const to[] = { &t->monovalent, &t->divalent, &t->dntp,
				 &t->primer };
	struct melting m;

	for (int i = 0; i < 4; i++)
		if (!primer_decimal(i < 3 ? before(&s, ' ') : s, MELTING_MAX,
				    to[i]))
			return false;
	return melting_init(&m, t);
}

static bool
set_tail(struct primer_rule *r, struct str value)
{
	if (!number(&value, &r->tail) || value.n == 0 || *value.p != ':')
		return false;
	value.p++;
	value.n--;
	return number(&value, &r->tail_k) && value.n == 0 && r->tail;
}

static bool
set_rule(struct primer_rule *r, struct str key, struct str value)
{
	uint64_t *plain = rule_is(key, "k") ? &r->k :
			  rule_is(key, "min-len") ? &r->min_len :
			  rule_is(key, "max-homopolymer") ? &r->homopolymer :
			  rule_is(key, "max-len") ? &r->max_len : NULL;

	if (plain)
		return number(&value, plain) && value.n == 0;
	if (rule_is(key, "alphabet")) {
		r->literal = rule_is(value, "literal");
		return r->literal || rule_is(value, "dna");
	}
	if (rule_is(key, "fit")) {
		r->fit = rule_is(value, "yes");
		return r->fit;
	}
	if (rule_is(key, "gc")) {
		r->gc = true;
		return primer_range(value, PERCENT, &r->gc_lo, &r->gc_hi);
	}
	if (rule_is(key, "tm")) {
		r->tm = true;
		return primer_range(value, DEGREES, &r->tm_lo, &r->tm_hi);
	}
	if (rule_is(key, "tm-salts"))
		return set_salts(&r->salts, value);
	return rule_is(key, "three-prime") && set_tail(r, value);
}

int
primer_rule(struct primer_rule *r, struct str options, struct err *e)
{
	memset(r, 0, sizeof *r);
	while (options.n) {
		struct str line = before(&options, '\n'), value = line;
		struct str key = before(&value, ' ');

		if (!set_rule(r, key, value))
			return err_set(e, ERR_FORMAT, "primers: option "
				       "\"%.*s\" is not known here",
				       str_shown(line, 100), line.p);
	}
	if (!r->k)
		return err_set(e, ERR_FORMAT, "primers: no option k");
	if (r->fit && !r->max_len)
		return err_set(e, ERR_FORMAT, "primers: fit without max-len");
	if (r->tm != (r->salts.primer != 0))
		return err_set(e, ERR_FORMAT, "primers: of the options tm and "
			       "tm-salts one is missing");
	return 0;
}

static void
put_decimal(struct buf *b, const char *before_it, uint64_t v)
{
	buf_printf(b, "%s%llu", before_it, (unsigned long long)(v / 1000));
	if (v % 10)
		buf_printf(b, ".%03u", (unsigned)(v % 1000));
	else if (v % 100)
		buf_printf(b, ".%02u", (unsigned)(v % 1000 / 10));
	else if (v % 1000)
		buf_printf(b, ".%u", (unsigned)(v % 1000 / 100));
}

static void
put_number(struct buf *b, const char *key, uint64_t v)
{
	if (v)
		buf_printf(b, "%s %llu\n", key, (unsigned long long)v);
}

static void
put_range(struct buf *b, const char *key, uint64_t lo, uint64_t hi)
{
	put_decimal(b, key, lo);
	put_decimal(b, "-", hi);
	buf_u8(b, '\n');
}

void
primer_rule_put(struct buf *b, const struct primer_rule *r)
{
	put_number(b, "k", r->k);
	put_number(b, "min-len", r->min_len);
	put_number(b, "max-len", r->max_len);
	if (r->tail)
		buf_printf(b, "three-prime %llu:%llu\n",
			   (unsigned long long)r->tail,
			   (unsigned long long)r->tail_k);
	buf_printf(b, "alphabet %s\n", r->literal ? "literal" : "dna");
	if (r->gc)
		put_range(b, "gc ", r->gc_lo, r->gc_hi);
	if (r->tm) {
		put_range(b, "tm ", r->tm_lo, r->tm_hi);
		put_decimal(b, "tm-salts ", r->salts.monovalent);
		put_decimal(b, " ", r->salts.divalent);
		put_decimal(b, " ", r->salts.dntp);
		put_decimal(b, " ", r->salts.primer);
		buf_u8(b, '\n');
	}
	put_number(b, "max-homopolymer", r->homopolymer);
	if (r->fit)
		buf_printf(b, "fit yes\n");
}

/* From merged ends to primers, and to frames. */

static bool
may_stand(const struct primer_rule *r, uint8_t c)
{
	return r->literal || c == 'A' || c == 'C' || c == 'G' || c == 'T';
}

/*
 * Starts [j, seg), all letters of which may stand in a primer.  What an end is
 * at least never decreases along the starts, so the search for the first one
 * that satisfies --three-prime goes on where the last one ended; and once
 * there is none within the segment, no later start has one.  Ends that
 * --max-len cut short lead to primers that are too long, so to none.
 */
static void
segment_ends(const struct primer_rule *r, const struct primer_strand *s,
	     uint64_t j, uint64_t seg, uint64_t *to)
{
	uint64_t end = 0;

	for (; j < seg; j++) {
		end = max_u64(max_u64(end, s->end[j] + 1),
			  j + max_u64(r->tail, r->min_len));
		while (r->tail && end <= seg && s->end3[end - r->tail] >= end)
			end++;
		if (end > seg)
			break;
		to[j] = r->max_len && end - j > r->max_len ? 0 : end;
	}
	for (; j < seg; j++)
		to[j] = 0;
}

/*
 * Primers whose letters are not as wanted
 *
 * Neither begins nor ends of primers decrease along a strand, so what is
 * counted slides: each letter comes in once, and goes once.
 */
struct slide {
	const struct primer_rule *r;
	const uint8_t *s;
	struct melting melting;
	uint64_t beg, end;	/* letters [beg, end) are counted */
	uint64_t gc;
	struct melting_sum sum;	/* of neighbours among them */
	uint64_t run;		/* of the letter before end, there */
	uint64_t long_end;	/* of the last run that is too long; 0: none */
};

static bool
is_gc(uint8_t c)
{
	return c == 'G' || c == 'C';
}

static void
come(struct slide *w)
{
	uint64_t i = w->end++;
	bool next = i > w->beg;

	w->gc += is_gc(w->s[i]);
	w->run = next && w->s[i] == w->s[i - 1] ? w->run + 1 : 1;
	if (w->run > w->r->homopolymer)
		w->long_end = w->end;
	if (next && w->r->tm) {
		struct melting_sum p = melting_pair(w->s[i - 1], w->s[i]);

		w->sum.h += p.h;
		w->sum.s += p.s;
	}
}

static void
go(struct slide *w)
{
	uint64_t i = w->beg++;

	w->gc -= is_gc(w->s[i]);
	if (w->beg < w->end && w->r->tm) {
		struct melting_sum p = melting_pair(w->s[i], w->s[i + 1]);

		w->sum.h -= p.h;
		w->sum.s -= p.s;
	}
}

static void
slide_to(struct slide *w, uint64_t beg, uint64_t end)
{
	if (beg >= w->end) {
		w->beg = w->end = beg;
		w->gc = w->run = w->long_end = 0;
		w->sum = (struct melting_sum){ 0, 0 };
	}
	while (w->beg < beg)
		go(w);
	while (w->end < end)
		come(w);
}

/* A run that is too long may have begun before the primer does. */
static bool
letters_fit(const struct slide *w)
{
	const struct primer_rule *r = w->r;
	uint64_t n = w->end - w->beg;
	int64_t nano;

	if (r->homopolymer && w->long_end > w->beg &&
	    w->long_end - w->beg > r->homopolymer)
		return false;
	if (r->gc && (100000 * w->gc < r->gc_lo * n ||
		      100000 * w->gc > r->gc_hi * n))
		return false;
	return !r->tm ||
	       (melting_tm(&w->melting, w->s + w->beg, n, w->sum, &nano) &&
		nano >= (int64_t)r->tm_lo * 1000000 &&
		nano <= (int64_t)r->tm_hi * 1000000);
}

/* The end of the primer at j, or 0: [j, end) does not suit, something longer
 * may. */
static uint64_t
fitting_end(const struct slide *from, const struct primer_strand *s,
	    uint64_t j, uint64_t end)
{
	const struct primer_rule *r = from->r;
	struct slide w = *from;

	w.beg = w.end = j;
	w.gc = w.run = w.long_end = 0;
	w.sum = (struct melting_sum){ 0, 0 };
	slide_to(&w, j, end);
	while (!(r->homopolymer && w.long_end) && w.end < s->len &&
	       w.end - j < r->max_len && may_stand(r, s->letters[w.end])) {
		come(&w);
		if ((!r->tail || s->end3[w.end - r->tail] < w.end) &&
		    letters_fit(&w))
			return w.end;
	}
	return 0;
}

/* to[j] = 0 for primers whose letters are not as wanted, or a further end; the
 * ends that come in do not decrease. */
static void
primers_drop(const struct primer_rule *r, const struct primer_strand *s,
	     uint64_t *to)
{
	struct slide w = { .r = r, .s = s->letters };

	if (!r->gc && !r->tm && !r->homopolymer)
		return;
	if (r->tm && !melting_init(&w.melting, &r->salts))
		return;		/* no rule has such salts */
	for (uint64_t j = 0; j < s->len; j++) {
		if (!to[j])
			continue;
		slide_to(&w, j, to[j]);
		if (!letters_fit(&w))
			to[j] = r->fit ? fitting_end(&w, s, j, to[j]) : 0;
	}
}

void
primer_ends(const struct primer_rule *r, const struct primer_strand *s,
	    uint64_t *to)
{
	for (uint64_t j = 0, seg; j < s->len; j = seg) {
		seg = j;
		while (seg < s->len && may_stand(r, s->letters[seg]))
			seg++;
		segment_ends(r, s, j, seg, to);
		if (seg < s->len)
			to[seg++] = 0;
	}
	primers_drop(r, s, to);
}

/* One strand of a target put together; arrays are owned. */
struct whole {
	struct primer_strand s;
	uint8_t *letters;
	uint64_t *end, *end3, *to;
	/* Starts, from that of the last forward begin to that of the first:
	 * where primers are fitted, these do not descend by themselves. */
	uint64_t *order;
	size_t n;		/* of them */
};

static void
whole_free(struct whole *w)
{
	free(w->letters);
	free(w->end);
	free(w->end3);
	free(w->to);
	free(w->order);
}

static int
join(struct whole *w, const struct stretch *v, size_t n, struct err *e)
{
	size_t len = (size_t)v->part.target.len;

	w->letters = malloc(len);
	w->end = malloc(len * sizeof *w->end);
	w->end3 = v->part.end3 ? malloc(len * sizeof *w->end3) : NULL;
	if (!w->letters || !w->end || (v->part.end3 && !w->end3))
		return err_nomem(e, 17 * (uint64_t)len);
	for (size_t i = 0; i < n; i++) {
		const struct primer_part *p = &v[i].part;

		memcpy(w->letters + p->beg, p->letters, p->n);
		memcpy(w->end + p->beg, p->end, p->n * sizeof *p->end);
		if (w->end3 && p->end3)
			memcpy(w->end3 + p->beg, p->end3,
			       p->n * sizeof *p->end3);
	}
	w->s.letters = w->letters;
	w->s.end = w->end;
	w->s.end3 = w->end3;
	return 0;
}

/* v[0..n) are stretches of one strand; without all of them it has no rows,
 * and the ledger, or primers_check(), says so. */
static int
whole_new(struct whole *w, const struct stretch *v, size_t n, struct err *e)
{
	const struct primer_part *p = &v->part;
	struct primer_rule rule;
	uint64_t len = p->target.len, have = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		have += v[i].part.n;
	if (n == 0 || have != len)
		return 0;
	w->s = (struct primer_strand) { len, p->letters, p->end, p->end3 };
	r = n > 1 ? join(w, v, n, e) : 0;
	if (r == 0)
		r = primer_rule(&rule, p->options, e);
	if (r < 0)
		return r;
	w->to = malloc((size_t)len * sizeof *w->to);
	if (!w->to)
		return err_nomem(e, len * sizeof *w->to);
	primer_ends(&rule, &w->s, w->to);
	return 0;
}

/* Of the complement: those that end first begin last; of equal ones that which
 * begins first ends last. */
static int
cmp_start(const void *pa, const void *pb, void *to)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	const uint64_t *end = to;

	return end[a] != end[b] ? cmp_u64(end[a], end[b]) : cmp_u64(a, b);
}

static int
whole_order(struct whole *w, bool fit, struct err *e)
{
	if (!w->to)
		return 0;
	w->order = malloc((size_t)w->s.len * sizeof *w->order);
	if (!w->order)
		return err_nomem(e, w->s.len * sizeof *w->order);
	for (uint64_t j = 0; j < w->s.len; j++)
		if (w->to[j])
			w->order[w->n++] = j;
	if (fit)
		sort_with(w->order, w->n, sizeof *w->order, cmp_start, w->to);
	return 0;
}

struct target_rows {
	struct primer_row row;	/* what all have in common */
	struct whole plus, minus;
	uint64_t i, j;		/* next start; left of the complement's order */
	const struct primer_site *site;	/* of the next row, or NULL */
	int (*put)(void *ctx, const struct primer_row *r, struct err *e);
	void *ctx;
};

static int
put_row(struct target_rows *t, const struct primer_strand *s, uint64_t beg,
	uint64_t end, bool minus, struct err *e)
{
	struct primer_row r = t->row;

	r.minus = minus;
	r.beg = minus ? s->len - end : beg;
	r.end = minus ? s->len - beg : end;
	r.sequence = (struct str) { (const char *)s->letters + beg,
				    (size_t)(end - beg) };
	r.site = t->site;
	if (t->site)
		t->site++;
	return t->put(t->ctx, &r, e);
}

/* Both strands by beg; of equal begins on one strand the one that ends first
 * comes first. */
static int
put_rows(struct target_rows *t, struct err *e)
{
	const struct whole *p = &t->plus, *m = &t->minus;
	int r = 0;

	t->i = 0;
	t->j = m->n;
	while (r == 0) {
		uint64_t j = t->j ? m->order[t->j - 1] : 0;

		while (p->to && t->i < p->s.len && !p->to[t->i])
			t->i++;
		if (p->to && t->i < p->s.len &&
		    (!t->j || t->i <= m->s.len - m->to[j])) {
			r = put_row(t, &p->s, t->i, p->to[t->i], false, e);
			t->i++;
		} else if (t->j) {
			t->j--;
			r = put_row(t, &m->s, j, m->to[j], true, e);
		} else {
			break;
		}
	}
	return r;
}

void
primers_set_sites(struct primers *p, const struct primer_site *site)
{
	p->site = site;
}

int
primers_rows(struct primers *p,
	     int (*row)(void *ctx, const struct primer_row *r,
			struct err *e), void *ctx, struct err *e)
{
	const struct primer_site *site = p->site;
	int r = 0;

	for (size_t i = 0, k; i < p->n && r == 0; i = k) {
		struct target_rows t = { .put = row, .ctx = ctx,
					 .site = site };
		struct primer_rule rule;
		size_t mid = i;

		k = primers_target_end(p, i);
		while (mid < k && !p->v[mid].part.minus)
			mid++;
		t.row.target = p->v[i].part.target;
		t.row.run = p->v[i].run_id;
		r = primer_rule(&rule, p->v[i].part.options, e);
		t.row.k = rule.k;
		if (r == 0)
			r = whole_new(&t.plus, p->v + i, mid - i, e);
		if (r == 0)
			r = whole_new(&t.minus, p->v + mid, k - mid, e);
		if (r == 0)
			r = whole_order(&t.minus, rule.fit, e);
		if (r == 0)
			r = put_rows(&t, e);
		site = t.site;
		whole_free(&t.plus);
		whole_free(&t.minus);
	}
	return r;
}

/* The first stretch of a scan of a run, by the order of primers_finish(). */
static size_t
stretches_from(const struct primers *p, uint64_t run,
	       const struct scan_key *scan)
{
	size_t r = index_number(&p->runs.by_id, run, 0);
	size_t s = index_number(&p->scans.by_id, scan->id, scan->rule);
	size_t lo = 0, hi = p->n;
	uint64_t run_rank, scan_rank;

	if (!r || !s)
		return p->n;
	run_rank = p->runs.v[r - 1].rank;
	scan_rank = p->scans.v[s - 1].rank;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t rank = p->runs.v[p->v[mid].run].rank;

		if (rank < run_rank ||
		    (rank == run_rank &&
		     p->scans.v[p->v[mid].scan].rank < scan_rank))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n && p->v[lo].run == r - 1 && p->v[lo].scan == s - 1 ?
	       lo : p->n;
}

int
primers_frames(struct primers *p, const struct run_key *run,
	       const struct receipt *t,
	       int (*put)(void *ctx, struct rec_frame *f, struct err *e),
	       void *ctx, struct err *e)
{
	size_t i = stretches_from(p, run->id, &t->scan), k;
	int r = 0;

	for (k = i; k < p->n && p->v[k].run == p->v[i].run &&
		    p->v[k].scan == p->v[i].scan; k++)
		/* no serial is covered: of a scan of nothing, or what is left
		 * of receipts that were cut, and stands for none */
		if (!t->n_ranges && p->v[k].frames !=
		    primers_receipts(p, &p->v[k]))
			return 0;
	for (size_t j = i; j < k && r == 0; j++) {
		struct primer_part part = p->v[j].part;
		struct rec_frame *f;

		part.run = *run;
		part.receipt = *t;
		part.receipt.number = (uint32_t)(j - i);
		part.receipt.last = j + 1 == k;
		r = primer_encode(&f, &part, e);
		if (r == 0)
			r = put(ctx, f, e);
	}
	return r;
}
