/* SPDX-License-Identifier: MIT */
/* letters.c - alphabets and bit planes, CIGARs, melting temperatures */

#include "base/base.h"
#include "letters/dna_block.h"
#include "letters/letters.h"

enum { A = DNA_A, C = DNA_C, G = DNA_G, T = DNA_T };

/* By letter & 31, once it is known to be a letter of either case. */
static const uint8_t sets[32] = {
	['A' & 31] = A,	    ['C' & 31] = C,	    ['G' & 31] = G,
	['T' & 31] = T,	    ['U' & 31] = T,	    ['R' & 31] = A | G,
	['Y' & 31] = C | T, ['S' & 31] = C | G,	    ['W' & 31] = A | T,
	['K' & 31] = G | T, ['M' & 31] = A | C,	    ['B' & 31] = C | G | T,
	['D' & 31] = A | G | T,	['H' & 31] = A | C | T, ['V' & 31] = A | C | G,
	['N' & 31] = A | C | G | T,
};

/* 0: not an IUPAC letter. */
static const char complements[32] = {
	['A' & 31] = 'T', ['C' & 31] = 'G', ['G' & 31] = 'C', ['T' & 31] = 'A',
	['U' & 31] = 'A', ['R' & 31] = 'Y', ['Y' & 31] = 'R', ['S' & 31] = 'S',
	['W' & 31] = 'W', ['K' & 31] = 'M', ['M' & 31] = 'K', ['B' & 31] = 'V',
	['V' & 31] = 'B', ['D' & 31] = 'H', ['H' & 31] = 'D', ['N' & 31] = 'N',
};

static inline bool
is_letter(uint8_t c)
{
	return (uint8_t)((c | 32) - 'a') < 26;
}

uint8_t
dna_set(uint8_t letter)
{
	return is_letter(letter) ? sets[letter & 31] : 0;
}

uint8_t
dna_complement(uint8_t letter)
{
	uint8_t c = is_letter(letter) ? (uint8_t)complements[letter & 31] : 0;

	return c ? c | (letter & 32) : letter;
}

void
dna_revcomp(uint8_t *s, size_t n)
{
	size_t i = 0;

	for (; n - i > i + 1; i++) {
		uint8_t t = dna_complement(s[i]);

		s[i] = dna_complement(s[n - 1 - i]);
		s[n - 1 - i] = t;
	}
	if (n % 2)
		s[i] = dna_complement(s[i]);
}

const struct dna_ops *
dna_ops(void)
{
	return KERN_PICK(&dna_ops);
}

/*
 * n <= 64 bits of one plane from bit beg.  The second word is read only if
 * the range reaches into it.
 */
static inline uint64_t
plane_bits(const uint64_t *plane, size_t beg, unsigned n)
{
	const uint64_t *w = plane + beg / 64 * 2;
	unsigned shift = beg % 64;
	uint64_t v = w[0] >> shift;

	return shift + n > 64 ? v | w[2] << (64 - shift) : v;
}

void
dna_copy(uint64_t *dst, size_t dst_beg, const uint64_t *src, size_t src_beg,
	 size_t n)
{
	while (n) {
		unsigned shift = dst_beg % 64;
		unsigned take = n < 64 - shift ? (unsigned)n : 64 - shift;
		uint64_t mask = ~(uint64_t)0 >> (64 - take) << shift;
		uint64_t *d = dst + dst_beg / 64 * 2;

		for (unsigned i = 0; i < 2; i++) {
			uint64_t v = plane_bits(src + i, src_beg, take);

			d[i] = (d[i] & ~mask) | (v << shift & mask);
		}
		dst_beg += take;
		src_beg += take;
		n -= take;
	}
}

void
bits_set(uint64_t *mask, size_t beg, size_t end)
{
	size_t i = beg / 64, last = end / 64;
	uint64_t first = ~(uint64_t)0 << beg % 64;

	if (beg >= end)
		return;
	if (i < last) {
		mask[i++] |= first;
		memset(mask + i, 0xff, (last - i) * sizeof *mask);
		first = ~(uint64_t)0;
	}
	if (end % 64)
		mask[last] |= first & ~(~(uint64_t)0 << end % 64);
}

/* Operations of an alignment: sums, text. */

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

/* Melting temperatures of primers, by nearest neighbours. */

#define GIGA 1000000000
#define TERA (1000LL * GIGA)

/*
 * ln(num / den) in 10^-12; both are at least 1.  The bits of the binary
 * logarithm come by squaring: with x in [1, 2) the next bit is x^2 >= 2.  A
 * rounding by 2^-63 at bit i is one of 2^-63-i of the result, so 48 bits are
 * right.
 */
static int64_t
ln(unsigned __int128 num, unsigned __int128 den)
{
	const int bits = 48;
	const int64_t ln2 = 693147180560;
	uint64_t x;
	int64_t log = 0;

	while (num < den) {
		num *= 2;
		log--;
	}
	while (num / 2 >= den) {
		den *= 2;
		log++;
	}
	/* 1 <= num / den < 2 */
	x = 1;
	num -= den;
	for (int i = 0; i < 63; i++) {
		num *= 2;
		x = 2 * x + (num >= den);
		num -= num >= den ? den : 0;
	}
	for (int i = 0; i < bits; i++) {
		unsigned __int128 square = (unsigned __int128)x * x >> 63;
		bool bit = square >> 64;

		log = 2 * log + bit;
		x = (uint64_t)(square >> bit);
	}
	return (int64_t)(((__int128)log * ln2) >> bits);
}

static uint64_t
root(unsigned __int128 v)
{
	uint64_t r = 0;

	for (int i = 63; i >= 0; i--) {
		uint64_t x = r | 1ULL << i;

		if ((unsigned __int128)x * x <= v)
			r = x;
	}
	return r;
}

bool
melting_init(struct melting *m, const struct melting_salts *s)
{
	/* 10^-9 mmol/l */
	uint64_t salt = s->monovalent * 1000000;
	const unsigned __int128 scale = TERA * 1000;

	if (s->divalent > s->dntp)
		salt += 120 * root((s->divalent - s->dntp) * scale);
	if (!salt || !s->primer)
		return false;
	m->salt = ln(salt, TERA);
	m->primer[0] = ln(s->primer, 4 * TERA);
	m->primer[1] = ln(s->primer, TERA);
	return true;
}

static int
code(uint8_t letter)
{
	switch (letter) {
	case 'A': return 0;
	case 'C': return 1;
	case 'G': return 2;
	case 'T': return 3;
	default: return -1;
	}
}

struct melting_sum
melting_pair(uint8_t a, uint8_t b)
{
	static const struct melting_sum of[4][4] = {
		{ { 79, 222 }, { 84, 224 }, { 78, 210 }, { 72, 204 } },
		{ { 85, 227 }, { 80, 199 }, { 106, 272 }, { 78, 210 } },
		{ { 82, 222 }, { 98, 244 }, { 80, 199 }, { 84, 224 } },
		{ { 72, 213 }, { 82, 222 }, { 85, 227 }, { 79, 222 } },
	};
	int i = code(a), j = code(b);

	return i < 0 || j < 0 ? (struct melting_sum){ 0, 0 } : of[i][j];
}

static bool
own_complement(const uint8_t *s, size_t n)
{
	if (n % 2)
		return false;
	for (size_t i = 0; i < n / 2; i++)
		if (code(s[i]) + code(s[n - 1 - i]) != 3)
			return false;
	return true;
}

bool
melting_tm(const struct melting *m, const uint8_t *s, size_t n,
	   struct melting_sum sum, int64_t *nano)
{
	const struct melting_sum at = { -23, -41 }, cg = { -1, 28 };
	bool own = own_complement(s, n);
	__int128 below;		/* the denominator in 10^-15 cal/(mol K) */

	for (int i = 0; i < 2; i++) {
		int c = code(s[i ? n - 1 : 0]);
		struct melting_sum end = c == 0 || c == 3 ? at : cg;

		sum.h += end.h;
		sum.s += end.s;
	}
	if (own)
		sum.s += 14;
	below = (__int128)sum.s * (-100 * TERA) +
		(__int128)(n - 1) * 368 * m->salt +
		(__int128)1987 * m->primer[own];
	if (below >= 0)
		return false;
	/* h is at most 106 * 2^30, of the longest primer: below 10^12 */
	below = (__int128)sum.h * (-100) * TERA * 1000 * GIGA / below;
	if (below > INT64_MAX / 2 || below < INT64_MIN / 2)
		return false;
	*nano = (int64_t)below - 273150000000;
	return true;
}
