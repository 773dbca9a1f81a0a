/* SPDX-License-Identifier: MIT */
/*
 * asm_score.c - how likely a site of a guide is cut: from a formula, or from a
 * table
 *
 * Factors are integers in units of 10^-18, so a product of two fits into 128
 * bits, and every machine rounds alike.
 */

#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "letters/letters.h"
#include "rec/rec.h"
#include "scan/asm/asm.h"

/*
 * Positions of a table, from 1 on; letters: A C G T, and GAP for none; of a
 * PAM's last letters, the places of 4^MAX_ENDING and fewer words.
 */
enum { MAX_POS = 100, GAP = 4, MAX_ENDING = 4, ENDINGS = 256 };
static const uint64_t one = 1000000000000000000, unset = UINT64_MAX;

struct asm_score {
	bool mit, before;
	/* Of the guide's letter and the one that pairs with it. */
	uint64_t factor[MAX_POS + 1][5][5];
	size_t line[MAX_POS + 1];	/* of its first mismatch; 0: none */
	unsigned n_pos;			/* the last one with mismatches */
	uint64_t pam[ENDINGS];
	unsigned n_ending;		/* letters of each; 0: PAMs are alike */
};

static uint64_t
times(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b + one / 2) / one);
}

/* A C G T and U as 0 to 3; or -1. */
static int
code_of(uint8_t c)
{
	switch (c | 32) {
	case 'a': return 0;
	case 'c': return 1;
	case 'g': return 2;
	case 't':
	case 'u': return 3;
	default: return -1;
	}
}

/* A table's lines. */

struct table_line {
	const char *path;
	size_t number;
	struct str word[4];	/* of which a line has 2 or 3 */
	size_t n;
};

static int
refuse(const struct table_line *l, const char *what, struct str word,
       struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s:%zu: %s%s%.*s", l->path, l->number,
		       what, word.n ? ": " : "", (int)min_u64(word.n, 60),
		       word.n ? word.p : "");
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Words before a #; four at most. */
static void
split_line(struct table_line *l, struct str s)
{
	const char *p = s.p, *end = memchr(s.p, '#', s.n);

	end = end ? end : s.p + s.n;
	for (l->n = 0; l->n < 4; l->n++) {
		const char *beg;

		while (p < end && is_blank(*p))
			p++;
		for (beg = p; p < end && !is_blank(*p); )
			p++;
		if (p == beg)
			return;
		l->word[l->n] = (struct str){ beg, (size_t)(p - beg) };
	}
}

/* To 15 places, exactly. */
static int
read_value(const struct table_line *l, uint64_t *value, struct err *e)
{
	struct str w = l->word[l->n - 1];
	double v;

	if (!decimal_double(w.p, w.n, &v))
		return refuse(l, "no number", w, e);
	if (!(v >= 0 && v <= 1))
		return refuse(l, "a score must be from 0 to 1", w, e);
	*value = (uint64_t)(v * 1e15 + .5) * 1000;
	return 0;
}

/* The letter behind r or d, or GAP; -1: it is none, or T where U is meant. */
static int
side_of(struct str w, size_t at, char side)
{
	char c = w.p[at + 1];

	if (w.p[at] != side)
		return -1;
	if (c == '-')
		return GAP;
	if (c == (side == 'r' ? 'U' : 'T'))
		return 3;
	return c == 'A' || c == 'C' || c == 'G' ? code_of((uint8_t)c) : -1;
}

/* A position of at most 3 digits; 0: it is none. */
static unsigned
position_of(struct str w, size_t at)
{
	unsigned n = 0;

	if (w.n == at || w.n > at + 3 || w.p[at] == '0')
		return 0;
	for (; at < w.n; at++) {
		if (w.p[at] < '0' || w.p[at] > '9')
			return 0;
		n = 10 * n + (unsigned)(w.p[at] - '0');
	}
	return n;
}

/* rA:dC,12 */
static int
take_difference(struct asm_score *s, const struct table_line *l,
		struct err *e)
{
	struct str w = l->word[0];
	bool shape = w.n > 6 && w.p[2] == ':' && w.p[5] == ',';
	int r = shape ? side_of(w, 0, 'r') : -1;
	int d = shape ? side_of(w, 3, 'd') : -1;
	unsigned pos = shape ? position_of(w, 6) : 0;
	uint64_t *to;

	/* A with T, C with G, and two gaps, are no difference */
	if (l->n != 2 || r < 0 || d < 0 || !pos || r + d == 3 ||
	    r + d == 2 * GAP)
		return refuse(l, "no key such as rA:dC,12, rA:d-,5, r-:dA,5 or "
			      "pam GG, and one value", w, e);
	if (pos > MAX_POS)
		return refuse(l, "a position above 100", w, e);
	to = &s->factor[pos][r][d];
	if (*to != unset)
		return refuse(l, "a second time", w, e);
	if (r != GAP && d != GAP) {
		s->n_pos = pos > s->n_pos ? pos : s->n_pos;
		if (!s->line[pos])
			s->line[pos] = l->number;
	}
	return read_value(l, to, e);
}

/* A word's place among all of its length; -1: a letter is none of A C G T. */
static int
ending_of(const uint8_t *p, size_t n)
{
	int at = 0;

	for (size_t i = 0; i < n; i++) {
		int c = code_of(p[i]);

		if (c < 0)
			return -1;
		at = 4 * at + c;
	}
	return at;
}

/* pam GG */
static int
take_pam(struct asm_score *s, const struct table_line *l, struct err *e)
{
	struct str w = l->word[1];
	int at = w.n <= MAX_ENDING ? ending_of((const uint8_t *)w.p, w.n) : -1;

	if (l->n != 3)
		return refuse(l, "not pam, its letters and one value",
			      l->word[0], e);
	if (at < 0)
		return refuse(l, "a PAM's last letters are 1 to 4 of A, C, G "
			      "and T", w, e);
	if (s->n_ending && s->n_ending != w.n)
		return refuse(l, "all PAMs must have as many letters as the "
			      "first", w, e);
	s->n_ending = (unsigned)w.n;
	if (s->pam[at] != unset)
		return refuse(l, "a second time", w, e);
	return read_value(l, &s->pam[at], e);
}

static int
take_line(struct asm_score *s, const struct table_line *l, struct err *e)
{
	struct str w = l->word[0];

	if (!l->n)
		return 0;
	if (w.n == 3 && memcmp(w.p, "pam", 3) == 0)
		return take_pam(s, l, e);
	return take_difference(s, l, e);
}

/* All positions with mismatches have all of them, and none is left out. */
static int
check_positions(const struct asm_score *s, struct table_line *l, struct err *e)
{
	for (unsigned pos = 1; pos <= s->n_pos; pos++)
		for (int i = 0; i < 16; i++) {
			int r = i / 4, d = i % 4;

			if (r + d == 3 || s->factor[pos][r][d] != unset)
				continue;
			l->number = s->line[pos] ? s->line[pos] :
						   s->line[s->n_pos];
			return err_set(e, ERR_FORMAT, "%s:%zu: position %u has "
				       "no r%c:d%c,%u", l->path, l->number,
				       pos, "ACGU"[r], "ACGT"[d], pos);
		}
	return s->n_pos ? 0 : err_set(e, ERR_FORMAT, "%s: no table of scores: "
				      "no line such as rA:dC,12 VALUE",
				      l->path);
}

static int
read_lines(struct asm_score *s, const char *path, struct str text,
	   struct err *e)
{
	struct table_line l = { .path = path };
	int rc = 0;

	while (text.n && !rc) {
		const char *nl = memchr(text.p, '\n', text.n);
		size_t n = nl ? (size_t)(nl - text.p) : text.n;

		l.number++;
		split_line(&l, (struct str){ text.p, n });
		rc = take_line(s, &l, e);
		n += nl != NULL;
		text = (struct str){ text.p + n, text.n - n };
	}
	return rc ? rc : check_positions(s, &l, e);
}

/* A table has at most some 100 times 24 lines. */
enum { MAX_TEXT = 1 << 20 };

static int
load(struct buf *text, const char *path, struct err *e)
{
	int rc = source_text(path, MAX_TEXT, "table of scores", text, e);

	if (rc)
		err_at(e, rc == ERR_IO && !strchr(path, '/') ?
		       "--score-table: neither mit nor a file" :
		       "--score-table");
	return rc;
}

/* Without a factor. */
static struct asm_score *
new_score(bool before, struct err *e)
{
	struct asm_score *s = calloc(1, sizeof *s);

	if (!s) {
		err_nomem(e, sizeof *s);
		return NULL;
	}
	memset(s->factor, 0xff, sizeof s->factor);	/* unset */
	memset(s->pam, 0xff, sizeof s->pam);
	s->before = before;
	return s;
}

int
asm_score_parse(struct asm_score **out, const char *name, struct str text,
		bool before, struct err *e)
{
	struct asm_score *s = *out = new_score(before, e);

	if (!s || !read_lines(s, name, text, e))
		return s ? 0 : e->code;
	asm_score_free(s);
	*out = NULL;
	return e->code;
}

bool
asm_score_is_name(const char *what)
{
	return strcmp(what, "mit") == 0;
}

int
asm_score_new(struct asm_score **out, const char *what, bool before,
	      struct err *e)
{
	const char *name = strcmp(what, "-") ? what : "stdin";
	struct buf b = { 0 };
	int rc;

	*out = NULL;
	if (asm_score_is_name(what) && before)
		return err_set(e, ERR_USAGE, "--score-table mit is of guides "
			       "before their PAM: not with --pam-side=5");
	if (asm_score_is_name(what)) {
		*out = new_score(false, e);
		if (!*out)
			return e->code;
		(*out)->mit = true;
		return 0;
	}
	rc = load(&b, what, e);
	if (!rc)
		rc = asm_score_parse(out, name, (struct str){
				     (const char *)b.p, b.n }, before, e);
	buf_free(&b);
	return rc;
}

void
asm_score_free(struct asm_score *s)
{
	free(s);
}

static uint64_t
hash_all(const uint64_t *v, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t b[8];

		put_le(b, v[i], 8);
		seed = hash64(b, sizeof b, seed);
	}
	return seed;
}

void
asm_score_text(const struct asm_score *s, struct buf *b)
{
	uint64_t h = hash_all(&s->factor[0][0][0], (MAX_POS + 1) * 25,
			      s->n_ending);

	if (s->mit)
		buf_printf(b, "offtarget-score mit\n");
	else
		buf_printf(b, "offtarget-score table %016llx\n",
			   (unsigned long long)hash_all(s->pam, ENDINGS, h));
}

/* Sites. */

/* What is known so far of a site, which is read 5' to 3' of the guide. */
struct site_sum {
	unsigned n, first, last;	/* mismatches, and where, from 1 on */
	bool bulge;
	uint64_t product;	/* of factors; unset: one is not known */
};

/* The i-th letter. */
static uint8_t
letter_at(const struct asm_score_site *x, uint64_t i)
{
	return x->minus ?
	       dna_complement((uint8_t)x->letters.p[x->letters.n - 1 - i]) :
	       (uint8_t)x->letters.p[i];
}

/* In thousandths: what a mismatch at a position takes away. */
static const uint16_t mit_weight[21] = {
	0, 0, 0, 14, 0, 0, 395, 317, 0, 389, 79, 445, 508, 613, 851, 732, 828,
	615, 804, 685, 583,
};

/* Guide's letter r and the site's t, or GAP; below 0: another letter. */
static void
take_pair(const struct asm_score *s, struct site_sum *sum, unsigned pos, int r,
	  int t)
{
	uint64_t f = unset;

	if (r == GAP || t == GAP) {
		sum->bulge = true;
	} else {
		sum->first = sum->n++ ? sum->first : pos;
		sum->last = pos;
	}
	if (s->mit)
		f = pos <= 20 ? one / 1000 * (1000 - mit_weight[pos]) : unset;
	else if (pos <= MAX_POS && r >= 0 && t >= 0)
		f = s->factor[pos][r][t == GAP ? GAP : 3 - t];
	sum->product = f == unset || sum->product == unset ? unset :
		       times(sum->product, f);
}

/* All differences: of the guide's letters and, between two, of the site's the
 * position is that of the letter behind. */
static void
take_ops(const struct asm_score *s, const struct asm_score_site *x,
	 struct site_sum *sum)
{
	uint64_t pos = 1, t = 0, skip = s->before ? x->pam : 0;

	for (size_t i = 0; i < x->n_ops; i++) {
		uint32_t op = x->ops[x->minus ? x->n_ops - 1 - i : i];
		unsigned kind = op & 15;

		for (uint32_t n = op >> 4; n; n--) {
			bool pam = skip || pos > x->guide.n + (kind == CIGAR_D);
			int r = GAP, c = GAP;

			if (kind != CIGAR_D && !pam)
				r = code_of((uint8_t)x->guide.p[pos - 1]);
			if (kind != CIGAR_I)
				c = code_of(letter_at(x, t++));
			if (kind != CIGAR_EQ && !pam)
				take_pair(s, sum, (unsigned)pos, r, c);
			if (skip)
				skip--;
			else
				pos += kind != CIGAR_D;
		}
	}
}

/*
 * With n mismatches, the first and last span letters apart, the product of
 * 1 - weight is multiplied by 1 / ((19 - d) / 19 * 4 + 1), where d is span /
 * (n - 1), if there are two, and by 1 / n^2.
 */
static bool
mit_score(const struct asm_score_site *x, const struct site_sum *sum,
	  uint64_t *score)
{
	uint64_t gaps = sum->n ? sum->n - 1 : 0, span = sum->last - sum->first;
	uint64_t up = gaps ? 19 * gaps : 1;
	uint64_t down = gaps ? 4 * (19 * gaps - span) + 19 * gaps : 1;

	if (x->guide.n != 20 || sum->bulge || sum->product == unset)
		return false;
	down *= sum->n ? (uint64_t)sum->n * sum->n : 1;
	down *= one / OFFTARGET_ONE;
	*score = (uint64_t)(((unsigned __int128)sum->product * up + down / 2) /
			    down);
	return true;
}

/* The factor of the site's PAM, by its last letters; or unset. */
static uint64_t
pam_factor(const struct asm_score *s, const struct asm_score_site *x)
{
	uint64_t end = s->before ? x->pam : x->letters.n;
	uint8_t last[MAX_ENDING];
	int at;

	if (!s->n_ending)
		return one;
	if (s->n_ending > x->pam)
		return unset;
	for (unsigned i = 0; i < s->n_ending; i++)
		last[i] = letter_at(x, end - s->n_ending + i);
	at = ending_of(last, s->n_ending);
	return at < 0 ? unset : s->pam[at];
}

bool
asm_score_site(const struct asm_score *s, const struct asm_score_site *x,
	       uint64_t *score)
{
	struct site_sum sum = { .product = one };
	uint64_t pam;

	take_ops(s, x, &sum);
	if (s->mit)
		return mit_score(x, &sum, score);
	pam = pam_factor(s, x);
	if (x->guide.n > s->n_pos || sum.product == unset || pam == unset)
		return false;
	*score = (times(sum.product, pam) + one / OFFTARGET_ONE / 2) /
		 (one / OFFTARGET_ONE);
	return true;
}
