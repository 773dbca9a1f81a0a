/* SPDX-License-Identifier: MIT */
/*
 * print_pretty.c - hits as alignments to look at
 *
 * Both lines run along the forward subject, so of a hit on the minus strand
 * the query is complemented, and its positions fall.  Positions count from 1,
 * as -r reads them.  Query letters that differ are known by -q only: else ?.
 */

#include "letters/letters.h"
#include "output/output.h"

enum {
	COLUMNS = 60,		/* unless a terminal has another width */
	MIN_WIDTH = 10, MAX_WIDTH = 400,
	/* an alignment of more columns is not one to look at */
	MAX_COLUMNS = 1 << 20,
};
enum kind { SAME, CHANGE, GAP };

/* A block of columns on its way. */
struct block {
	struct buf *b;
	bool colour;
	unsigned width;			/* of the numbers */
	unsigned n, columns;		/* letters, of so many */
	uint8_t query[MAX_WIDTH], subject[MAX_WIDTH];
	enum kind kind[MAX_WIDTH];
	bool minus;
	uint64_t q_first, q, s_first, s;	/* letters used */
	uint64_t q_end;			/* on minus the first position is it */
};

static void
paint(struct buf *b, bool colour, enum kind from, enum kind to)
{
	static const char *const code[] = { "\033[0m", "\033[31;1m",
					    "\033[33;1m" };

	if (colour && from != to)
		print_text(b, code[to]);
}

static void
letters(struct block *k, const uint8_t *s)
{
	enum kind is = SAME;

	for (unsigned i = 0; i < k->n; i++) {
		uint8_t c = s[i];

		paint(k->b, k->colour, is, k->kind[i]);
		is = k->kind[i];
		/* letters come from input: none may speak to the terminal */
		buf_u8(k->b, c > ' ' && c < 0x7f ? c : '?');
	}
	paint(k->b, k->colour, is, SAME);
}

/* A line: its name, first position, letters, last position. */
static void
line(struct block *k, const char *name, const uint8_t *s, uint64_t first,
     uint64_t last)
{
	buf_printf(k->b, "  %-7s %*llu ", name, (int)k->width,
		   (unsigned long long)first);
	letters(k, s);
	buf_printf(k->b, " %llu\n", (unsigned long long)last);
}

static void
flush(struct block *k)
{
	static const char marks[] = "|* ";
	/* positions of the first and last letter; of none, the one before */
	uint64_t q0 = k->q_first + (k->q > k->q_first), q1 = k->q;
	uint64_t s0 = k->s_first + (k->s > k->s_first), s1 = k->s;

	if (!k->n)
		return;
	if (k->minus) {
		q0 = k->q_end + 1 - q0;
		q1 = k->q_end + 1 - q1;
	}
	line(k, "query", k->query, q0, q1);
	buf_printf(k->b, "  %-7s %*s ", "", (int)k->width, "");
	for (unsigned i = 0; i < k->n; i++)
		buf_u8(k->b, (uint8_t)marks[k->kind[i]]);
	buf_u8(k->b, '\n');
	line(k, "subject", k->subject, s0, s1);
	buf_u8(k->b, '\n');
	k->q_first = k->q;
	k->s_first = k->s;
	k->n = 0;
}

static void
column(struct block *k, uint8_t query, uint8_t subject, enum kind kind)
{
	k->query[k->n] = query;
	k->subject[k->n] = subject;
	k->kind[k->n++] = kind;
	k->q += query != '-';
	k->s += subject != '-';
	if (k->n == k->columns)
		flush(k);
}

/* The i-th query letter along the forward subject, 0 if it is not known. */
static uint8_t
query_letter(const struct hit *h, struct str q, uint64_t i)
{
	if (!q.p)
		return 0;
	if (!(h->flags & HIT_MINUS))
		return (uint8_t)q.p[h->qbeg + i];
	return dna_complement((uint8_t)q.p[h->qend - 1 - i]);
}

static void
operation(struct block *k, const struct hit *h, struct str q, uint32_t op,
	  uint64_t *i, uint64_t *j)
{
	for (uint32_t n = op >> 4; n; n--) {
		uint8_t a = '-', c = '-';
		unsigned what = op & 15;

		if (what != CIGAR_D)
			a = query_letter(h, q, (*i)++);
		if (what != CIGAR_I)
			c = (uint8_t)h->letters.p[(*j)++];
		if (!a)
			a = what == CIGAR_EQ ? c : '?';
		column(k, a, c, what == CIGAR_EQ ||
		       (what == CIGAR_M && (a | 32) == (c | 32)) ? SAME :
		       what == CIGAR_X || what == CIGAR_M ? CHANGE : GAP);
	}
}

/* How many letters stand from `at` on; of more than most the rest is cut. */
static size_t
cut(struct buf *b, size_t at, size_t most)
{
	size_t dots = most > 6 ? 3 : 0, n = 0, end = at;

	for (size_t i = at; i < b->n; n++) {
		unsigned len = utf8_letter(b->p + i, b->n - i);

		if (n == most) {
			b->n = end;
			buf_put(b, "...", dots);
			break;
		}
		i += len ? len : 1;
		if (n < most - dots)
			end = i;
	}
	return n;
}

/* Where both do not fit in the room, each has a half, or what is left of it. */
static void
names(struct buf *b, const struct hit *h, size_t room)
{
	size_t at = b->n, q, s;

	print_name(b, h->subject.name, print_no_control);
	s = cut(b, at, SIZE_MAX);
	b->n = at;
	print_name(b, h->query.name, print_no_control);
	q = cut(b, at, SIZE_MAX);
	if (q > room / 2 && q + s > room)
		q = cut(b, at, s < room / 2 ? room - s : room / 2);
	print_text(b, "  ");
	at = b->n;
	print_name(b, h->subject.name, print_no_control);
	cut(b, at, q < room ? room - q : 0);
}

static void
head(struct buf *b, const struct print_env *env, const struct hit *h)
{
	enum { ROOM = 14 };	/* for names, even if the place does not fit */
	char place[120];
	size_t width = env->width ? env->width : SIZE_MAX, at, n;

	n = (size_t)snprintf(place, sizeof place, ":%llu-%llu  %c",
			     (unsigned long long)h->sbeg + 1,
			     (unsigned long long)h->send,
			     h->flags & HIT_MINUS ? '-' : '+');
	if (h->flags & HIT_EDITS)
		n += (size_t)snprintf(place + n, sizeof place - n,
				      "  edits %llu",
				      (unsigned long long)h->edits);
	n += (size_t)snprintf(place + n, sizeof place - n, "  score %lld",
			      (long long)h->score);
	if (env->pp->colour)
		print_text(b, "\033[1m");
	at = b->n;
	names(b, h, width > n + 2 + ROOM ? width - n - 2 : ROOM);
	buf_put(b, place, n);
	cut(b, at, width);
	print_text(b, env->pp->colour ? "\033[0m\n" : "\n");
}

static unsigned
digits(uint64_t v)
{
	unsigned n = 1;

	while (v /= 10)
		n++;
	return n;
}

/* Letters of a line in which numbers have so many digits, tens of them. */
static unsigned
columns_to_show(const struct print_env *env, unsigned width)
{
	unsigned beside = 12 + 2 * width, n;	/* see line() */

	if (!env->width)
		return COLUMNS;
	n = env->width > beside ? (env->width - beside) / 10 * 10 : 0;
	return n < MIN_WIDTH ? MIN_WIDTH : n > MAX_WIDTH ? MAX_WIDTH : n;
}

/* As given, or made in site of a guide and the letters beside it. */
static struct str
letters_of(struct buf *site, const struct print_env *env, const struct hit *h)
{
	struct str q = print_query(env, &h->query);

	if (q.p || !print_site_sequence(site, env, h) || site->bad)
		return q;
	if (h->flags & HIT_MINUS)
		dna_revcomp(site->p, site->n);
	return (struct str){ (const char *)site->p, site->n };
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum sum = cigar_sum(h->cigar, h->n_cigar);
	struct buf site = { 0 };
	struct str q;
	struct block k = { .b = b, .colour = env->pp->colour,
			   .minus = h->flags & HIT_MINUS };
	uint64_t i = 0, j = 0;

	head(b, env, h);
	if (sum.ins + sum.subject > MAX_COLUMNS) {
		print_text(b, "  (too long to be shown)\n\n");
		return;
	}
	k.q_end = h->qbeg + h->qend;
	k.q = k.q_first = h->qbeg;
	k.s = k.s_first = h->sbeg;
	k.width = digits(h->send > h->qend ? h->send : h->qend);
	k.columns = columns_to_show(env, k.width);
	q = letters_of(&site, env, h);
	for (size_t n = 0; n < h->n_cigar; n++)
		if ((h->cigar[n] & 15) != CIGAR_S)
			operation(&k, h, q, h->cigar[n], &i, &j);
	flush(&k);
	if (i + j == 0)
		buf_u8(b, '\n');
	buf_free(&site);
}

const struct print_family print_pretty = {
	.need = PRINT_NOTHING, .wants_start = true, .wants_cigar = true,
	.wants_letters = true, .sites = true, .hit = hit,
};
