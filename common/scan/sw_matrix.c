/* SPDX-License-Identifier: MIT */
/* sw_matrix.c - a matrix of symbols as codes */
#include <string.h>
#include <strings.h>

#include "base/dna.h"
#include "scan/sw_scoring_priv.h"

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

void
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

const struct sw_builtin *
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

int
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
