/* SPDX-License-Identifier: MIT */
/* cigar.c - operations of an alignment: sums, text */
#include "base/cigar.h"

static const char op_letters[] = "MIDNSHP=X";
enum { N_OPS = sizeof op_letters - 1 };

struct cigar_sum
cigar_sum(const uint32_t *ops, size_t n)
{
	struct cigar_sum s = { 0 };
	uint64_t len[16] = { 0 };
	unsigned before = CIGAR_M;

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

void
cigar_text(struct buf *b, const uint32_t *ops, size_t n)
{
	if (n == 0)
		buf_u8(b, '*');
	for (size_t i = 0; i < n; i++) {
		uint32_t len = ops[i] >> 4, op = ops[i] & 15;
		char t[10];	/* 2^28 - 1 has 9 digits */
		unsigned at = sizeof t;

		t[--at] = op < N_OPS ? op_letters[op] : '?';
		do {
			t[--at] = (char)('0' + len % 10);
			len /= 10;
		} while (len);
		buf_put(b, t + at, sizeof t - at);
	}
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
