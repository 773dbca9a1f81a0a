/* SPDX-License-Identifier: MIT */
/* cigar.c - operations of an alignment: sums, text */

#include "letters/letters.h"

static const char op_letters[] = "MIDNSHP=X";
enum { N_OPS = sizeof op_letters - 1 };

/* 16 bits of letters an operation. */
static const uint64_t sums[16] = {
	[CIGAR_EQ] = 1, [CIGAR_X] = 1ull << 16, [CIGAR_I] = 1ull << 32,
	[CIGAR_D] = 1ull << 48,
};

/* cigar_sum() of few operations = X I D of below 2^12 letters. */
static bool
short_sum(const uint32_t *ops, size_t n, struct cigar_sum *s)
{
	const unsigned gap = 1u << CIGAR_I | 1u << CIGAR_D;
	unsigned before = CIGAR_M;
	uint64_t sum = 0;
	bool bad = false;

	for (size_t i = 0; i < n; i++) {
		unsigned op = ops[i] & 15;

		bad |= !sums[op] | (ops[i] >> 16 != 0);
		sum += sums[op] * (ops[i] >> 4);
		s->gaps += (op != before) & (gap >> op & 1);
		before = op;
	}
	s->eq = sum & 0xffff;
	s->x = sum >> 16 & 0xffff;
	s->ins = sum >> 32 & 0xffff;
	s->del = sum >> 48;
	s->query = s->eq + s->x + s->ins;
	s->subject = s->eq + s->x + s->del;
	return !bad;
}

struct cigar_sum
cigar_sum(const uint32_t *ops, size_t n)
{
	struct cigar_sum s = { 0 };
	uint64_t len[16];
	unsigned before = CIGAR_M;

	if (n < 16 && short_sum(ops, n, &s))
		return s;
	s = (struct cigar_sum){ 0 };
	memset(len, 0, sizeof len);
	for (size_t i = 0; i < n; i++) {
		unsigned op = ops[i] & 15;

		len[op] += ops[i] >> 4;
		if ((op == CIGAR_I || op == CIGAR_D) &&
		    (i == 0 || op != before))
			s.gaps++;
		before = op;
	}
	s.eq = len[CIGAR_EQ];
	s.x = len[CIGAR_X];
	s.ins = len[CIGAR_I];
	s.del = len[CIGAR_D];
	s.clip = len[CIGAR_S] + len[CIGAR_H];
	s.query = len[CIGAR_M] + s.eq + s.x + s.ins + len[CIGAR_S];
	s.subject = len[CIGAR_M] + s.eq + s.x + s.del + len[CIGAR_N];
	return s;
}

/* What an operation consumes: 1 a query letter, 2^32 one of the subject. */
static const uint64_t consumes[16] = {
	[CIGAR_M] = 1 | 1ull << 32, [CIGAR_EQ] = 1 | 1ull << 32,
	[CIGAR_X] = 1 | 1ull << 32, [CIGAR_I] = 1, [CIGAR_D] = 1ull << 32,
};

/* cigar_span() of few operations, none S: both sums are below 2^32. */
static bool
short_span(const uint32_t *ops, size_t n, struct cigar_span *s)
{
	uint64_t sum = 0;
	bool bad = n == 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t one = consumes[ops[i] & 15];

		bad |= !one | !(ops[i] >> 4);
		sum += one * (ops[i] >> 4);
	}
	s->query = (uint32_t)sum;
	s->subject = sum >> 32;
	return s->good = !bad;
}

struct cigar_span
cigar_span(const uint32_t *ops, size_t n)
{
	const unsigned both = 1u << CIGAR_M | 1u << CIGAR_EQ | 1u << CIGAR_X;
	const unsigned query = both | 1u << CIGAR_I | 1u << CIGAR_S;
	const unsigned subject = both | 1u << CIGAR_D;
	struct cigar_span s = { 0 };
	size_t clips = 0;	/* inside, at last */
	unsigned bad = n == 0;

	if (n < 16 && short_span(ops, n, &s))
		return s;
	s = (struct cigar_span){ 0 };
	for (size_t i = 0; i < n; i++) {	/* no branches */
		unsigned op = ops[i] & 15;
		uint64_t len = ops[i] >> 4;

		bad |= len == 0 || !((query | subject) >> op & 1);
		s.query += len & (0 - (uint64_t)(query >> op & 1));
		s.subject += len & (0 - (uint64_t)(subject >> op & 1));
		clips += op == CIGAR_S;
	}
	if (clips && (ops[0] & 15) == CIGAR_S) {
		s.clip = ops[0] >> 4;
		clips--;
	}
	if (clips && n > 1 && (ops[n - 1] & 15) == CIGAR_S) {
		s.clip += ops[n - 1] >> 4;
		clips--;
	}
	s.good = !bad && clips == 0;
	return s;
}

/* A number of 3 digits or more; returns the byte behind it. */
static uint8_t *
put_long(uint8_t *p, uint32_t v)
{
	uint8_t t[9];	/* 2^28 - 1 */
	unsigned at = sizeof t;

	do
		t[--at] = (uint8_t)('0' + v % 10);
	while (v /= 10);
	memcpy(p, t + at, sizeof t - at);
	return p + sizeof t - at;
}

void
cigar_text(struct buf *b, const uint32_t *ops, size_t n)
{
	static const char digits[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";
	uint8_t *p;

	if (n == 0)
		buf_u8(b, '*');
	if (n > SIZE_MAX / 10 || !buf_reserve(b, 10 * n)) {
		b->bad = true;
		return;
	}
	p = b->p + b->n;
	for (size_t i = 0; i < n; i++) {
		uint32_t len = ops[i] >> 4, op = ops[i] & 15;
		unsigned one = len < 10;

		if (len < 100) {	/* mostly: 1 or 2 digits, 2 written */
			memcpy(p, digits + 2 * len + one, 2);
			p += 2 - one;
		} else {
			p = put_long(p, len);
		}
		*p++ = op < N_OPS ? (uint8_t)op_letters[op] : '?';
	}
	b->n = n ? (size_t)(p - b->p) : b->n;
}

/* One operation from s[*i..len); 0 if it is none. */
static uint32_t
parse_op(const char *s, size_t len, size_t *i)
{
	uint32_t n = 0;
	const char *op;

	for (; *i < len && s[*i] >= '0' && s[*i] <= '9'; ++*i) {
		n = 10 * n + (uint32_t)(s[*i] - '0');
		if (n > CIGAR_MAX_LEN)
			return 0;
	}
	if (n == 0 || *i == len)
		return 0;
	op = memchr(op_letters, s[*i], N_OPS);
	if (!op)
		return 0;
	++*i;
	return n << 4 | (uint32_t)(op - op_letters);
}

long
cigar_parse(const char *s, size_t len, uint32_t *ops, size_t max)
{
	size_t n = 0, i = 0;

	if (len == 1 && s[0] == '*')
		return 0;
	while (i < len) {
		uint32_t op = parse_op(s, len, &i);

		if (!op || n == max)
			return -1;
		ops[n++] = op;
	}
	return n ? (long)n : -1;
}
