/* SPDX-License-Identifier: MIT */
/* primers_rule.c - options of primers from their canonical text, and back */
#include "stream/primers_priv.h"

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
is(struct str s, const char *what)
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
set_salts(struct melt_salts *t, struct str s)
{
	uint64_t *const to[] = { &t->monovalent, &t->divalent, &t->dntp,
				 &t->primer };
	struct melt m;

	for (int i = 0; i < 4; i++)
		if (!primer_decimal(i < 3 ? before(&s, ' ') : s, MELT_MOST,
				    to[i]))
			return false;
	return melt_init(&m, t);
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
	uint64_t *plain = is(key, "k") ? &r->k :
			  is(key, "min-len") ? &r->min_len :
			  is(key, "max-homopolymer") ? &r->homopolymer :
			  is(key, "max-len") ? &r->max_len : NULL;

	if (plain)
		return number(&value, plain) && value.n == 0;
	if (is(key, "alphabet")) {
		r->literal = is(value, "literal");
		return r->literal || is(value, "dna");
	}
	if (is(key, "gc")) {
		r->gc = true;
		return primer_range(value, PERCENT, &r->gc_lo, &r->gc_hi);
	}
	if (is(key, "tm")) {
		r->tm = true;
		return primer_range(value, DEGREES, &r->tm_lo, &r->tm_hi);
	}
	if (is(key, "tm-salts"))
		return set_salts(&r->salts, value);
	return is(key, "three-prime") && set_tail(r, value);
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
				       (int)(line.n < 100 ? line.n : 100),
				       line.p);
	}
	if (!r->k)
		return err_set(e, ERR_FORMAT, "primers: no option k");
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
}
