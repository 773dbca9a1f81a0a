/* SPDX-License-Identifier: MIT */
/* sw_scoring.c - what options say of scores */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "input/input.h"
#include "letters/letters.h"
#include "scan/sw/sw.h"

/* A matrix of symbols as codes. */

static bool
is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static uint8_t
upper(uint8_t c)
{
	return is_lower(c) ? (uint8_t)(c - 'a' + 'A') : c;
}

/* Is a letter there in both cases? */
static bool
is_exact(const struct sw_matrix *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (is_lower(m->symbol[i]) &&
		    memchr(m->symbol, upper(m->symbol[i]), m->n))
			return true;
	return false;
}

/*
 * Codes go by the symbols in order, so that a matrix is the same however its
 * rows and columns were arranged: at[code] is the place in m.
 */
static void
sort_symbols(struct sw_letters *l, const struct sw_matrix *m, bool exact,
	     uint8_t at[SW_LETTERS])
{
	uint8_t place[256];
	unsigned n = 0;

	memset(place, 255, sizeof place);
	memset(l->code_of, 255, sizeof l->code_of);
	for (size_t i = 0; i < m->n; i++)
		place[exact ? m->symbol[i] : upper(m->symbol[i])] = (uint8_t)i;
	for (unsigned c = 0; c < 256; c++)
		if (place[c] != 255) {
			l->code_of[c] = (uint8_t)n;
			at[n++] = place[c];
		}
	for (unsigned c = 'a'; !exact && c <= 'z'; c++)
		l->code_of[c] = l->code_of[upper((uint8_t)c)];
}

/* A code more, with the scores of *, for the printable bytes left over. */
static void
add_others(struct sw_letters *l)
{
	struct sw_scoring *s = &l->scoring;
	uint8_t star = l->code_of['*'], other = (uint8_t)s->letters;

	if (star == 255 || s->letters == SW_LETTERS)
		return;
	for (unsigned i = 0; i < s->letters; i++) {
		s->score[i][other] = s->score[i][star];
		s->score[other][i] = s->score[star][i];
	}
	s->score[other][other] = s->score[star][star];
	l->same[other] = 255;
	s->letters++;
	for (unsigned c = '!'; c <= '~'; c++)
		if (l->code_of[c] == 255)
			l->code_of[c] = other;
}

/* Complements, if all symbols are letters of DNA that have one. */
static void
add_strands(struct sw_letters *l, const struct sw_matrix *m)
{
	unsigned all = 0;

	for (size_t i = 0; i < m->n; i++) {
		uint8_t set = dna_set(m->symbol[i]);
		uint8_t mate = l->code_of[dna_complement(m->symbol[i])];

		if (!set || mate == 255)
			return;
		if ((set & (set - 1)) == 0)
			all |= set;
		l->complement[l->code_of[m->symbol[i]]] = mate;
	}
	l->strands = all == (DNA_A | DNA_C | DNA_G | DNA_T);
	if (l->strands && l->code_of['U'] == 255)
		l->code_of['U'] = l->code_of['u'] = l->code_of['T'];
}

/* Codes of m: symbols in order.  All of l but gap costs and parameters. */
static void
sw_matrix_codes(struct sw_letters *l, const struct sw_matrix *m)
{
	bool exact = is_exact(m);
	uint8_t at[SW_LETTERS];

	memset(l, 0, sizeof *l);
	sort_symbols(l, m, exact, at);
	l->scoring.letters = (unsigned)m->n;
	for (unsigned i = 0; i < m->n; i++) {
		l->same[i] = (uint8_t)i;
		for (unsigned j = 0; j < m->n; j++)
			l->scoring.score[i][j] = m->score[at[i]][at[j]];
	}
	if (!exact)
		add_strands(l, m);
	add_others(l);
}

static void
expand(struct sw_letters *l, const struct sw_builtin *b)
{
	const int8_t *score = b->score;
	struct sw_matrix m = { .n = strlen(b->symbols) };

	memcpy(m.symbol, b->symbols, m.n);
	for (size_t i = 0; i < m.n; i++)
		for (size_t j = 0; j <= i; j++)
			m.score[i][j] = m.score[j][i] = *score++;
	sw_matrix_codes(l, &m);
}

/* The one with these scores, whatever the gap costs; or NULL. */
static const struct sw_builtin *
sw_matrix_known(const struct sw_letters *l)
{
	for (const struct sw_builtin *b = sw_builtins; b->name; b++) {
		struct sw_letters known;

		expand(&known, b);
		if (known.scoring.letters == l->scoring.letters &&
		    !memcmp(known.code_of, l->code_of, sizeof l->code_of) &&
		    !memcmp(known.scoring.score, l->scoring.score,
			    sizeof l->scoring.score))
			return b;
	}
	return NULL;
}

static const struct sw_builtin *
builtin_of(const char *name)
{
	const struct sw_builtin *b = sw_builtins;

	while (b->name && strcasecmp(b->name, name) != 0)
		b++;
	return b->name ? b : NULL;
}

bool
sw_matrix_is_builtin(const char *name)
{
	return builtin_of(name) != NULL;
}

static int sw_matrix_read(struct sw_matrix *m, const char *path, struct err
		*e);

/* By name or from a file; *builtin is NULL for a file of one's own. */
static int
sw_matrix_load(struct sw_letters *l, const char *name,
	       const struct sw_builtin **builtin, struct err *e)
{
	const struct sw_builtin *b = builtin_of(name);
	struct sw_matrix m;
	int rc;

	if (b) {
		expand(l, b);
		*builtin = b;
		return 0;
	}
	rc = sw_matrix_read(&m, name, e);
	if (rc != 0)
		return rc;
	sw_matrix_codes(l, &m);
	*builtin = sw_matrix_known(l);
	return 0;
}

/* A matrix of scores in NCBI's format. */

enum { MAX_TEXT = 1 << 20 };

struct reading {
	struct sw_matrix *m;
	const char *path;
	unsigned long long line;
	bool seen[SW_LETTERS];	/* rows */
	struct str rest;	/* of the line */
};

static int
bad(const struct reading *r, struct err *e, const char *what, struct str word)
{
	int n = word.n > 40 ? 40 : (int)word.n;

	return err_set(e, ERR_FORMAT, "%s:%llu: %s%s%.*s", r->path, r->line,
		       what, n ? ": " : "", n, n ? word.p : "");
}

static bool
next_word(struct reading *r, struct str *w)
{
	struct str *s = &r->rest;

	while (s->n && (uint8_t)*s->p <= ' ')
		s->p++, s->n--;
	for (w->p = s->p; s->n && (uint8_t)*s->p > ' '; s->n--)
		s->p++;
	w->n = (size_t)(s->p - w->p);
	return w->n > 0;
}

static size_t
place(const struct sw_matrix *m, uint8_t symbol)
{
	size_t i = 0;

	while (i < m->n && m->symbol[i] != symbol)
		i++;
	return i;
}

static int
header(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w;

	while (next_word(r, &w)) {
		uint8_t c = (uint8_t)*w.p;

		if (w.n != 1 || c > '~')
			return bad(r, e, "one printable character expected as "
				   "the symbol of a column", w);
		if (place(m, c) < m->n)
			return bad(r, e, "two columns of one symbol", w);
		if (m->n == SW_LETTERS)
			return bad(r, e, "more than 64 symbols", w);
		m->symbol[m->n++] = c;
	}
	return 0;
}

/* A whole number of at most SW_MAX_SCORE, with or without sign. */
static bool
number(struct str w, int32_t *v)
{
	bool minus = *w.p == '-';
	int32_t sum = 0;

	if (minus || *w.p == '+')
		w.p++, w.n--;
	if (!w.n)
		return false;
	for (; w.n; w.p++, w.n--) {
		if (*w.p < '0' || *w.p > '9')
			return false;
		sum = sum * 10 + (*w.p - '0');
		if (sum > SW_MAX_SCORE)
			return false;
	}
	*v = minus ? -sum : sum;
	return true;
}

static int
row(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w, symbol;
	size_t i, j = 0;

	next_word(r, &symbol);
	i = symbol.n == 1 ? place(m, (uint8_t)*symbol.p) : m->n;
	if (i == m->n)
		return bad(r, e, "a row that is no column", symbol);
	if (r->seen[i])
		return bad(r, e, "two rows of one symbol", symbol);
	r->seen[i] = true;
	for (; next_word(r, &w); j++) {
		if (j == m->n)
			return bad(r, e, "more scores than columns in row",
				   symbol);
		if (!number(w, &m->score[i][j]))
			return bad(r, e, "no whole number of at most 1000000",
				   w);
	}
	if (j < m->n)
		return bad(r, e, "fewer scores than columns in row", symbol);
	return 0;
}

static int
check(const struct reading *r, struct err *e)
{
	const struct sw_matrix *m = r->m;
	bool positive = false;

	if (!m->n)
		return err_set(e, ERR_FORMAT, "%s: no matrix: it is empty",
			       r->path);
	for (size_t i = 0; i < m->n; i++) {
		if (!r->seen[i])
			return err_set(e, ERR_FORMAT, "%s: no row %c", r->path,
				       m->symbol[i]);
		for (size_t j = 0; j < m->n; j++)
			positive |= m->score[i][j] > 0;
	}
	if (!positive)
		return err_set(e, ERR_FORMAT, "%s: no score is above 0: "
			       "nothing can align", r->path);
	return 0;
}

static int
parse(struct reading *r, const struct buf *text, struct err *e)
{
	const char *p = (const char *)text->p, *end = p + text->n;
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct str w;

		if (!nl)
			nl = end;
		r->line++;
		r->rest = (struct str){ p, (size_t)(nl - p) };
		p = nl < end ? nl + 1 : end;
		if (memchr(r->rest.p, '#', r->rest.n))
			r->rest.n = (size_t)((const char *)memchr(r->rest.p,
			    '#', r->rest.n) - r->rest.p);
		w = r->rest;
		if (!next_word(r, &(struct str){ 0 }))
			continue;
		r->rest = w;
		rc = r->m->n ? row(r, e) : header(r, e);
	}
	return rc ? rc : check(r, e);
}

/* FILE in NCBI's format (sw_scoring.c). */
static int
sw_matrix_read(struct sw_matrix *m, const char *path, struct err *e)
{
	struct reading r = { .m = m, .path = path };
	struct buf text = { 0 };
	int rc = source_text(path, MAX_TEXT, "matrix", &text, e);

	memset(m, 0, sizeof *m);
	if (rc == 0)
		rc = parse(&r, &text, e);
	buf_free(&text);
	return rc;
}

/*
 * Lambda and K of gapped scores
 * Source: the tables of NCBI BLAST (blast_stat.c), which are estimates from
 * random sequences; Altschul and Gish 1996.
 */

struct gapped {
	int32_t open, extend;
	double lambda, k;
};

static const struct gapped blosum45[] = {
	{ 13, 3, 0.207, 0.049 }, { 12, 3, 0.199, 0.039 },
	{ 11, 3, 0.19, 0.031 }, { 10, 3, 0.179, 0.023 },
	{ 16, 2, 0.21, 0.051 }, { 15, 2, 0.203, 0.041 },
	{ 14, 2, 0.195, 0.032 }, { 13, 2, 0.185, 0.024 },
	{ 12, 2, 0.171, 0.016 }, { 19, 1, 0.205, 0.04 },
	{ 18, 1, 0.198, 0.032 }, { 17, 1, 0.189, 0.024 },
	{ 16, 1, 0.176, 0.016 },
};
static const struct gapped blosum50[] = {
	{ 13, 3, 0.212, 0.063 }, { 12, 3, 0.206, 0.055 },
	{ 11, 3, 0.197, 0.042 }, { 10, 3, 0.186, 0.031 },
	{ 9, 3, 0.172, 0.022 }, { 16, 2, 0.215, 0.066 },
	{ 15, 2, 0.21, 0.058 }, { 14, 2, 0.202, 0.045 },
	{ 13, 2, 0.193, 0.035 }, { 12, 2, 0.181, 0.025 },
	{ 19, 1, 0.212, 0.057 }, { 18, 1, 0.207, 0.05 },
	{ 17, 1, 0.198, 0.037 }, { 16, 1, 0.186, 0.025 },
	{ 15, 1, 0.171, 0.015 },
};
static const struct gapped blosum62[] = {
	{ 11, 2, 0.297, 0.082 }, { 10, 2, 0.291, 0.075 },
	{ 9, 2, 0.279, 0.058 }, { 8, 2, 0.264, 0.045 },
	{ 7, 2, 0.239, 0.027 }, { 6, 2, 0.201, 0.012 },
	{ 13, 1, 0.292, 0.071 }, { 12, 1, 0.283, 0.059 },
	{ 11, 1, 0.267, 0.041 }, { 10, 1, 0.243, 0.024 },
	{ 9, 1, 0.206, 0.01 },
};
static const struct gapped blosum80[] = {
	{ 25, 2, 0.342, 0.17 }, { 13, 2, 0.336, 0.15 },
	{ 9, 2, 0.319, 0.11 }, { 8, 2, 0.308, 0.09 }, { 7, 2, 0.293, 0.07 },
	{ 6, 2, 0.268, 0.045 }, { 11, 1, 0.314, 0.095 },
	{ 10, 1, 0.299, 0.071 }, { 9, 1, 0.279, 0.048 },
};
static const struct gapped blosum90[] = {
	{ 9, 2, 0.31, 0.12 }, { 8, 2, 0.3, 0.099 }, { 7, 2, 0.283, 0.072 },
	{ 6, 2, 0.259, 0.048 }, { 11, 1, 0.302, 0.093 },
	{ 10, 1, 0.29, 0.075 }, { 9, 1, 0.265, 0.044 },
};
static const struct gapped pam30[] = {
	{ 7, 2, 0.305, 0.15 }, { 6, 2, 0.287, 0.11 }, { 5, 2, 0.264, 0.079 },
	{ 10, 1, 0.309, 0.15 }, { 9, 1, 0.294, 0.11 }, { 8, 1, 0.27, 0.072 },
	{ 15, 3, 0.339, 0.28 }, { 14, 2, 0.337, 0.27 },
	{ 14, 1, 0.333, 0.27 }, { 13, 3, 0.338, 0.27 },
};
static const struct gapped pam70[] = {
	{ 8, 2, 0.301, 0.12 }, { 7, 2, 0.286, 0.093 },
	{ 6, 2, 0.264, 0.064 }, { 11, 1, 0.305, 0.12 },
	{ 10, 1, 0.291, 0.091 }, { 9, 1, 0.27, 0.06 },
	{ 11, 2, 0.323, 0.186 }, { 12, 3, 0.33, 0.219 },
};
static const struct gapped pam250[] = {
	{ 15, 3, 0.205, 0.049 }, { 14, 3, 0.2, 0.043 },
	{ 13, 3, 0.194, 0.036 }, { 12, 3, 0.186, 0.029 },
	{ 11, 3, 0.174, 0.02 }, { 17, 2, 0.204, 0.047 },
	{ 16, 2, 0.198, 0.038 }, { 15, 2, 0.191, 0.031 },
	{ 14, 2, 0.182, 0.024 }, { 13, 2, 0.171, 0.017 },
	{ 21, 1, 0.205, 0.045 }, { 20, 1, 0.199, 0.037 },
	{ 19, 1, 0.192, 0.029 }, { 18, 1, 0.183, 0.021 },
	{ 17, 1, 0.171, 0.014 },
};

#define TABLE(name, of) { name, of, sizeof of / sizeof *of }
static const struct {
	const char *name;
	const struct gapped *v;
	size_t n;
} proteins[] = {
	TABLE("BLOSUM45", blosum45), TABLE("BLOSUM50", blosum50),
	TABLE("BLOSUM62", blosum62), TABLE("BLOSUM80", blosum80),
	TABLE("BLOSUM90", blosum90), TABLE("PAM30", pam30),
	TABLE("PAM70", pam70), TABLE("PAM250", pam250),
};

/*
 * 1, -3, 5, 2: gap costs of 2, 2 and more are as good as none, says the source.
 * 2, -4, 0, 5: megablast's 1, -2 and 2.5 for a letter, twice.
 */
static const struct {
	int32_t match, mismatch, open, extend;
	double lambda, k;
} dna[] = {
	{ 1, 4, 1, 2, 1.36, 0.67 }, { 1, 4, 0, 2, 1.26, 0.43 },
	{ 1, 4, 2, 1, 1.35, 0.61 }, { 1, 4, 1, 1, 1.22, 0.35 },
	{ 1, 5, 3, 3, 1.39, 0.747 }, { 2, 7, 2, 4, 0.68, 0.67 },
	{ 2, 7, 0, 4, 0.63, 0.43 }, { 2, 7, 4, 2, 0.675, 0.62 },
	{ 2, 7, 2, 2, 0.61, 0.35 }, { 1, 3, 2, 2, 1.37, 0.7 },
	{ 1, 3, 1, 2, 1.35, 0.64 }, { 1, 3, 0, 2, 1.25, 0.42 },
	{ 1, 3, 2, 1, 1.34, 0.6 }, { 1, 3, 1, 1, 1.21, 0.34 },
	{ 2, 5, 2, 4, 0.67, 0.59 }, { 2, 5, 0, 4, 0.62, 0.39 },
	{ 2, 5, 4, 2, 0.67, 0.61 }, { 2, 5, 2, 2, 0.56, 0.32 },
	{ 1, 2, 2, 2, 1.33, 0.62 }, { 1, 2, 1, 2, 1.3, 0.52 },
	{ 1, 2, 0, 2, 1.19, 0.34 }, { 1, 2, 3, 1, 1.32, 0.57 },
	{ 1, 2, 2, 1, 1.29, 0.49 }, { 1, 2, 1, 1, 1.14, 0.26 },
	{ 2, 3, 4, 4, 0.63, 0.42 }, { 2, 3, 2, 4, 0.615, 0.37 },
	{ 2, 3, 0, 4, 0.55, 0.21 }, { 2, 3, 3, 3, 0.615, 0.37 },
	{ 2, 3, 6, 2, 0.63, 0.42 }, { 2, 3, 5, 2, 0.625, 0.41 },
	{ 2, 3, 4, 2, 0.61, 0.35 }, { 2, 3, 2, 2, 0.515, 0.14 },
	{ 3, 4, 6, 3, 0.389, 0.25 }, { 3, 4, 5, 3, 0.375, 0.21 },
	{ 3, 4, 4, 3, 0.351, 0.14 }, { 3, 4, 6, 2, 0.362, 0.16 },
	{ 3, 4, 5, 2, 0.33, 0.092 }, { 3, 4, 4, 2, 0.281, 0.046 },
	{ 4, 5, 6, 5, 0.28, 0.21 }, { 4, 5, 5, 5, 0.27, 0.17 },
	{ 4, 5, 4, 5, 0.25, 0.1 }, { 4, 5, 3, 5, 0.23, 0.065 },
	{ 1, 1, 3, 2, 1.09, 0.31 }, { 1, 1, 2, 2, 1.07, 0.27 },
	{ 1, 1, 1, 2, 1.02, 0.21 }, { 1, 1, 0, 2, 0.8, 0.064 },
	{ 1, 1, 4, 1, 1.08, 0.28 }, { 1, 1, 3, 1, 1.06, 0.25 },
	{ 1, 1, 2, 1, 0.99, 0.17 }, { 3, 2, 5, 5, 0.208, 0.03 },
	{ 5, 4, 10, 6, 0.163, 0.068 }, { 5, 4, 8, 6, 0.146, 0.039 },
	{ 1, 3, 5, 2, 1.374, 0.711 }, { 2, 4, 0, 5, 0.64, 0.46 },
};

static void
of_dna(struct sw_letters *l)
{
	const struct sw_scoring *s = &l->scoring;
	int32_t match = s->score[0][0], mismatch = -s->score[0][1];

	for (size_t i = 0; i < sizeof dna / sizeof *dna; i++)
		if (dna[i].match == match && dna[i].mismatch == mismatch &&
		    dna[i].open == s->open && dna[i].extend == s->extend) {
			l->lambda = dna[i].lambda;
			l->k = dna[i].k;
			l->even = match == 2 || (match == 3 && mismatch == 4);
		}
}

static void
of_protein(struct sw_letters *l, const struct gapped *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].open == l->scoring.open &&
		    v[i].extend == l->scoring.extend) {
			l->lambda = v[i].lambda;
			l->k = v[i].k;
		}
}

/* Fills lambda, k, even; builtin is NULL for DNA. */
static void
sw_karlin(struct sw_letters *l, const struct sw_builtin *builtin)
{
	l->lambda = l->k = 0;
	l->even = false;
	if (l->dna)
		of_dna(l);
	for (size_t i = 0; builtin && i < sizeof proteins / sizeof *proteins;
	     i++)
		if (strcmp(proteins[i].name, builtin->name) == 0)
			of_protein(l, proteins[i].v, proteins[i].n);
}

/* What options say of scores. */

#define PRESET_ROW(name, match, mismatch, open, extend) \
	{ name, { match, mismatch, open, extend } },
static const struct preset {
	const char *name;
	int64_t v[4];	/* match, mismatch, gap open, gap extend */
} presets[] = {
	SW_PRESETS(PRESET_ROW)
};

static const char *
sw_matrices(void)
{
	return "BLOSUM45, BLOSUM50, BLOSUM62, BLOSUM80, BLOSUM90, PAM30, "
	       "PAM70, PAM120, PAM250";
}

/* "5/-4/8/4"; a mismatch that costs nothing needs no sign. */
static bool
preset_numbers(const char *s, int64_t v[4])
{
	for (unsigned i = 0; i < 4; i++) {
		char *end;
		long x;

		if (i && *s++ != '/')
			return false;
		if (i == 1 && *s == '-')
			s++;
		else if (i == 1 && *s != '0')
			return false;
		if (*s < '0' || *s > '9')
			return false;
		x = strtol(s, &end, 10);
		if (end - s > 9 || (i == 1 && s[-1] != '-' && x))
			return false;
		v[i] = x;
		s = end;
	}
	return !*s;
}

static int
preset_of(const char *name, int64_t v[4], struct err *e)
{
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (strcasecmp(presets[i].name, name) == 0) {
			memcpy(v, presets[i].v, sizeof presets[i].v);
			return 0;
		}
	if (preset_numbers(name, v))
		return 0;
	return err_set(e, ERR_USAGE, "--preset %s: must be one of "
		       SW_PRESET_VALUES, name);
}

static int
in_range(const char *option, int64_t v, int64_t min, struct err *e)
{
	if (v < min || v > SW_MAX_SCORE)
		return err_set(e, ERR_USAGE, "%s %lld: must be %lld to %d",
			       option, (long long)v, (long long)min,
			       SW_MAX_SCORE);
	return 0;
}

static void
override(int64_t *v, int64_t option)
{
	if (option != SW_UNSET)
		*v = option;
}

static void
dna_letters(struct sw_letters *l, int32_t match, int32_t mismatch)
{
	memset(l, 0, sizeof *l);
	l->dna = l->strands = true;
	l->scoring.letters = 5;
	for (unsigned c = 0; c < 256; c++) {
		unsigned set = dna_set((uint8_t)c);

		l->code_of[c] = set == DNA_A ? 0 : set == DNA_C ? 1 :
				set == DNA_G ? 2 : set == DNA_T ? 3 :
				set ? 4 : 255;
	}
	for (unsigned a = 0; a < 5; a++) {
		l->complement[a] = (uint8_t)(a < 4 ? 3 - a : 4);
		l->same[a] = (uint8_t)(a < 4 ? a : 255);
		for (unsigned b = 0; b < 5; b++)
			l->scoring.score[a][b] = a == b && a < 4 ? match :
							       -mismatch;
	}
}

static int
gap_costs(struct sw_letters *l, int64_t open, int64_t extend, struct err *e)
{
	if (in_range("--gap-open", open, 0, e) ||
	    in_range("--gap-extend", extend, 0, e))
		return ERR_USAGE;
	l->scoring.open = (int32_t)open;
	l->scoring.extend = (int32_t)extend;
	return 0;
}

static int
choose_dna(struct sw_letters *l, const struct sw_choice *c, struct err *e)
{
	int64_t v[4];
	int rc = preset_of(c->preset ? c->preset : "blastn", v, e);

	if (rc != 0)
		return rc;
	override(v, c->match);
	override(v + 1, c->mismatch);
	override(v + 2, c->gap_open);
	override(v + 3, c->gap_extend);
	if (in_range("--match", v[0], 1, e) ||
	    in_range("--mismatch", v[1], 0, e))
		return ERR_USAGE;
	dna_letters(l, (int32_t)v[0], (int32_t)v[1]);
	rc = gap_costs(l, v[2], v[3], e);
	if (rc == 0)
		sw_karlin(l, NULL);
	return rc;
}

static int
choose_matrix(struct sw_letters *l, const struct sw_choice *c, struct err *e)
{
	const struct sw_builtin *b = NULL;
	int64_t open = SW_UNSET, extend = SW_UNSET;
	int rc;

	if (c->preset || c->match != SW_UNSET || c->mismatch != SW_UNSET)
		return err_set(e, ERR_USAGE, "--matrix holds all scores: not "
			       "with --preset, --match, --mismatch");
	rc = sw_matrix_load(l, c->matrix, &b, e);
	if (rc != 0)
		return rc == ERR_IO && !strchr(c->matrix, '/') ?
		       err_at(e, "--matrix: neither built in (%s) nor a file",
			      sw_matrices()) : err_at(e, "--matrix");
	if (b) {
		open = b->open;
		extend = b->extend;
	}
	override(&open, c->gap_open);
	override(&extend, c->gap_extend);
	if (open == SW_UNSET || extend == SW_UNSET)
		return err_set(e, ERR_USAGE, "--matrix %s: a matrix that is "
			       "not built in needs --gap-open and "
			       "--gap-extend", c->matrix);
	rc = gap_costs(l, open, extend, e);
	if (rc == 0)
		sw_karlin(l, b);
	return rc;
}

int
sw_letters_choose(struct sw_letters *l, const struct sw_choice *c,
		  struct err *e)
{
	return c->matrix ? choose_matrix(l, c, e) : choose_dna(l, c, e);
}

static int32_t
common_divisor(int32_t a, int32_t b)
{
	a = abs(a);
	b = abs(b);
	while (b) {
		int32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int32_t
sw_scoring_reduce(struct sw_scoring *to, const struct sw_scoring *s)
{
	int32_t unit = common_divisor(s->open, s->extend);

	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			unit = common_divisor(unit, s->score[i][j]);
	unit += unit == 0;	/* all of them are 0 */
	*to = *s;
	to->open /= unit;
	to->extend /= unit;
	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++)
			to->score[i][j] /= unit;
	return unit;
}

/* Of what a matrix means: which letters have which scores. */
static uint64_t
matrix_hash(const struct sw_letters *l)
{
	const struct sw_scoring *s = &l->scoring;
	uint64_t h = hash64(l->code_of, sizeof l->code_of, s->letters);

	for (unsigned i = 0; i < s->letters; i++)
		for (unsigned j = 0; j < s->letters; j++) {
			uint8_t v[4];

			put_le(v, (uint32_t)s->score[i][j], 4);
			h = hash64(v, sizeof v, h);
		}
	return h;
}

void
sw_letters_text(const struct sw_letters *l, struct buf *b)
{
	const struct sw_scoring *s = &l->scoring;
	const struct sw_builtin *known = l->dna ? NULL : sw_matrix_known(l);

	if (l->dna)
		buf_printf(b, "match %d\nmismatch %d\n", s->score[0][0],
			   s->score[0][1]);
	else if (known)
		buf_printf(b, "matrix %s\n", known->name);
	else
		buf_printf(b, "matrix %016llx\n",
			   (unsigned long long)matrix_hash(l));
	buf_printf(b, "gap-open %d\ngap-extend %d\n", s->open, s->extend);
}
