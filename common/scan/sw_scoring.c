/* SPDX-License-Identifier: MIT */
/* sw_scoring.c - what options say of scores */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/dna.h"
#include "base/hash.h"
#include "scan/sw_scoring_priv.h"

/*
 * blastn, blastn-short: the defaults of those tasks of BLAST.  megablast: 1, -2
 * and 2.5 for each letter of a gap, all twice.  fasta: FASTA's and ssearch's.
 * ssca1: SSCA#1 on DNA.
 */
static const struct preset {
	const char *name;
	int64_t v[4];	/* match, mismatch, gap open, gap extend */
} presets[] = {
	{ "blastn", { 2, 3, 5, 2 } }, { "blastn-short", { 1, 3, 5, 2 } },
	{ "megablast", { 2, 4, 0, 5 } }, { "fasta", { 5, 4, 12, 4 } },
	{ "ssca1", { 5, 3, 8, 1 } },
};

const char *
sw_presets(void)
{
	return "blastn, blastn-short, megablast, fasta, ssca1";
}

const char *
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
	return err_set(e, ERR_USAGE, "--preset %s: must be one of %s, or "
		       "numbers such as 2/-3/5/2", name, sw_presets());
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
