/* SPDX-License-Identifier: MIT */
/* kdiff.c - sets of patterns, choice of kernels, memory, copies of letters */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

/*
 * Letters / 64 scanned at once, so that what the lanes keep, at most 32 bytes
 * a word and pattern, stays in the cache.
 */
enum { BLOCK_WORDS = (640 << 10) / 64, BLOCK_WARMS = 64 };

/*
 * Making an index takes as long as searching so many letters x patterns
 * without it does: some 0.2 ms, and about 5 us a pattern.
 */
enum { INDEX_AT = 1 << 21, INDEX_AT_EACH = 1 << 16 };

#define OPS(lanes, isa, row, sample, place, trace) {			\
	lanes, kdiff_gather_##isa, kdiff_edit_##isa, kdiff_ham_##isa,	\
	kdiff_edit_extract_##isa, kdiff_ham_extract_##isa,		\
	kdiff_columns_le_##isa,						\
	kdiff_spread_##isa, kdiff_columns_##isa, kdiff_back_##isa,	\
	kdiff_runs_##isa, kdiff_verify_##isa, kdiff_gram_keys_##isa,	\
	kdiff_cores_##isa, kdiff_overhang_##isa,			\
	kdiff_overhang_end_##isa, kdiff_sieve_##isa,			\
	kdiff_strip_##isa, kdiff_deepen_##isa, kdiff_snakes_##isa,	\
	row, sample, place, trace,					\
}
const struct kdiff_ops kdiff_ops_scalar = OPS(1, scalar, 0.16, 10, 17, 23);
#if defined(KERN_AVX2)
static const struct kdiff_ops avx2 = OPS(4, avx2, 0.03, 3, 5.3, 8);
#endif
#if defined(KERN_AVX512)
static const struct kdiff_ops avx512 = OPS(8, avx512, 0.017, 3.5, 4.3, 3.4);
#endif
#if defined(KERN_NEON)	/* as AVX2, by twice as many instructions */
static const struct kdiff_ops neon = OPS(2, neon, 0.1, 8, 10, 15);
#endif


void
kdiff_forget(struct kdiff_set *set)
{
	struct kdiff_lazy *l = set->lazy;

	kdiff_index_free(l->index);
	kdiff_pam_free(l->halves);
	kdiff_qgram_free(l->filter);
	kdiff_overhang_parts_free(l->parts);
	l->index = NULL;
	l->halves = NULL;
	l->filter = NULL;
	l->parts = NULL;
	l->has_index = l->has_halves = false;
	l->filter_at = 0;
}

void
kdiff_set_isa(struct kdiff_set *set, enum isa isa)
{
	switch (isa) {
#if defined(KERN_AVX512)
	case ISA_AVX512:
		set->ops = avx512;
		break;
#endif
#if defined(KERN_AVX2)
	case ISA_AVX2:
		set->ops = avx2;
		break;
#endif
#if defined(KERN_NEON)
	case ISA_NEON:
		set->ops = neon;
		break;
#endif
	default:
		set->ops = kdiff_ops_scalar;
	}
	kdiff_forget(set);
}

void
kdiff_set_engine(struct kdiff_set *set, enum kdiff_engine engine)
{
	set->engine = engine;
	kdiff_forget(set);
}

void
kdiff_set_expect(struct kdiff_set *set, uint64_t letters)
{
	set->expected = letters;
}

int
kdiff_set_new(struct kdiff_set **set, const struct kdiff_params *p,
	      struct err *e)
{
	struct kdiff_set *s = calloc(1, sizeof *s);

	*set = s;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->lazy = calloc(1, sizeof *s->lazy);
	if (!s->lazy)
		return err_nomem(e, sizeof *s->lazy);
	pthread_mutex_init(&s->lazy->lock, NULL);
	s->p = *p;
	s->index_at = INDEX_AT;
	kdiff_set_isa(s, cpu_isa());
	s->block = BLOCK_WORDS;
	s->warms = BLOCK_WARMS;
	for (unsigned i = 0; i < 256; i++)
		s->sym_of[i] = -1;
	return 0;
}

static void
pat_free(struct kdiff_pat *p)
{
	free(p->code);
	free(p->chk);
	free(p->slack);
	free(p->core);
	free(p->over);
}


void
kdiff_set_free(struct kdiff_set *set)
{
	if (!set)
		return;
	if (set->lazy) {
		kdiff_forget(set);
		pthread_mutex_destroy(&set->lazy->lock);
	}
	for (size_t i = 0; i < set->n; i++)
		pat_free(&set->pat[i]);
	free(set->lazy);
	free(set->pat);
	free(set);
}

size_t
kdiff_set_size(const struct kdiff_set *set)
{
	return set->n;
}

const struct kdiff_params *
kdiff_set_params(const struct kdiff_set *set)
{
	return &set->p;
}

/* The set or byte a letter stands for; -1 = none of the alphabet. */
static int
symbol(enum kdiff_alphabet a, uint8_t letter)
{
	uint8_t up = letter & 0xdf;

	switch (a) {
	case KDIFF_DNA:
		return dna_set(letter) ? dna_set(letter) : -1;
	case KDIFF_PROTEIN:
		return up >= 'A' && up <= 'Z' ? up : -1;
	default:
		return letter;
	}
}

/*
 * Rows with an exit check.  Random DNA exceeds k everywhere in a superblock
 * after about 16 rows for k = 3, 33 for 10, 120 for 50; before, a check is in
 * vain.  A check costs about a row, so they become sparser the deeper a
 * superblock had to go.
 */
static size_t
check_rows(uint32_t m, uint32_t k, uint32_t *chk, uint32_t *slack)
{
	uint64_t first = 8 + (uint64_t)k * 2 + (k < 24 ? k + 1 : 24) / 2, r;
	uint64_t step = 4 + k / 64;
	size_t n = 0;

	for (r = first; r < m; r += step + (r - first) / 16) {
		if (chk)
			chk[n] = (uint32_t)r;
		n++;
	}
	if (chk)
		chk[n] = m;
	n++;
	for (size_t i = 0; chk && i < n; i++) {
		uint32_t before = i ? chk[i] - chk[i - 1] : 0;
		uint32_t after = i + 1 < n ? chk[i + 1] - chk[i] : 0;

		slack[i] = k + ((before > after ? before : after) + 1) / 2;
	}
	return n;
}

/* The largest L such that k + 1 pieces of L letters A C G T are in p. */
static unsigned
piece_length(const uint8_t *p, size_t m, size_t k)
{
	size_t lo = 0, hi = m / (k + 1) < 64 ? m / (k + 1) : 64;

	while (lo < hi) {
		size_t mid = (lo + hi + 1) / 2, n = 0, run = 0;

		for (size_t i = 0; i < m; i++) {
			unsigned s = dna_set(p[i]);

			run = s & (s - 1) ? 0 : run + 1;
			if (run == mid) {
				run = 0;
				n++;
			}
		}
		if (n > k)
			lo = mid;
		else
			hi = mid - 1;
	}
	return (unsigned)lo;
}

static int
compile_pattern(struct kdiff_set *set, struct kdiff_pat *p,
		const uint8_t *letters, struct err *e)
{
	int r;

	p->n_chk = (uint32_t)check_rows(p->m, p->k, NULL, NULL);
	p->code = malloc(p->m);
	p->chk = malloc(p->n_chk * sizeof *p->chk);
	p->slack = malloc(p->n_chk * sizeof *p->slack);
	if (!p->code || !p->chk || !p->slack) {
		pat_free(p);
		return err_nomem(e, p->m + 8ull * p->n_chk);
	}
	check_rows(p->m, p->k, p->chk, p->slack);
	if (set->p.alphabet == KDIFF_DNA)
		p->piece = piece_length(letters, p->m, p->k);
	while (p->k >> p->bits)
		p->bits++;
	for (uint32_t i = 0; i < p->m; i++) {
		int s = symbol(set->p.alphabet, letters[i]);

		if (set->sym_of[s] < 0) {
			set->sym_of[s] = (int16_t)set->n_sym;
			set->sym[set->n_sym++] = (uint8_t)s;
		}
		p->code[i] = (uint8_t)set->sym_of[s];
		p->codes |= set->p.alphabet == KDIFF_DNA && (s & (s - 1));
	}
	if (!kdiff_overhangs(set) || set->p.hamming)
		return 0;
	r = kdiff_overhang_compile(set, p, e);
	if (r)
		pat_free(p);
	return r;
}

int
kdiff_pattern_check(const struct kdiff_set *set, const uint8_t *letters,
		    size_t m, size_t k, struct err *e)
{
	static const char *const name[] = {
		"DNA (for others: --alphabet=protein)", "protein", "bytes"
	};

	if (!m)
		return err_set(e, ERR_USAGE, "the pattern is empty");
	if (m > KDIFF_MAX_PATTERN)
		return err_set(e, ERR_USAGE, "%zu letters: at most %d", m,
			       KDIFF_MAX_PATTERN);
	if (kdiff_overhangs(set) && m > KDIFF_MAX_OVER)
		return err_set(e, ERR_USAGE, "%zu letters: at most %d may "
			       "hang over", m, KDIFF_MAX_OVER);
	if (k >= m)
		return err_set(e, ERR_USAGE, "%s in %s: must be fewer",
			       err_count(k, "difference").text,
			       err_count(m, "letter").text);
	for (size_t i = 0; i < m; i++)
		if (symbol(set->p.alphabet, letters[i]) < 0)
			return err_set(e, ERR_USAGE,
				       "letter %zu, '%c', is not %s", i + 1,
				       letters[i] ? letters[i] : '?',
				       name[set->p.alphabet]);
	return 0;
}

int
kdiff_set_add(struct kdiff_set *set, const uint8_t *letters, size_t m,
	      size_t k, struct err *e)
{
	struct kdiff_pat p = { .m = (uint32_t)m, .k = (uint32_t)k };
	int r = kdiff_pattern_check(set, letters, m, k, e);

	if (r == 0)
		r = array_room(&set->pat, &set->cap, set->n + 1, sizeof p, e);
	if (r == 0)
		r = compile_pattern(set, &p, letters, e);
	if (r < 0)
		return r;
	set->pat[set->n++] = p;
	set->index_at += INDEX_AT_EACH;
	set->max_m = max_u64(set->max_m, m);
	set->max_k = max_u64(set->max_k, k);
	set->max_mk = max_u64(set->max_mk, m + k);
	set->max_2mk = max_u64(set->max_2mk, 2 * m + k);
	kdiff_forget(set);
	return 0;
}

int
kdiff_set_add_part(struct kdiff_set *set, const struct kdiff_set *of,
		   uint32_t pattern, uint32_t beg, uint32_t m, uint32_t k,
		   struct err *e)
{
	static const char codes[] = "?ACMGRSVTWYHKDBN";
	uint8_t *letters = malloc(m);
	int rc;

	if (!letters)
		return err_nomem(e, m);
	for (uint32_t i = 0; i < m; i++) {
		uint8_t sym = of->sym[of->pat[pattern].code[beg + i]];

		letters[i] = of->p.alphabet == KDIFF_DNA ?
			     (uint8_t)codes[sym] : sym;
	}
	rc = kdiff_set_add(set, letters, m, k, e);
	free(letters);
	return rc;
}

void
kdiff_set_backend(struct kdiff_set *set, const struct kdiff_backend *f)
{
	set->backend = f;
}

bool
kdiff_set_masks(const struct kdiff_set *set, size_t pattern,
		struct kdiff_masks *x)
{
	const struct kdiff_pat *p = &set->pat[pattern];

	*x = (struct kdiff_masks){ .m = p->m, .k = p->k, .piece = p->piece };
	if (p->m > 64 || set->p.alphabet != KDIFF_DNA)
		return false;
	for (uint32_t i = 0; i < p->m; i++)
		for (unsigned s = 0; s < 4; s++)
			x->eq[s] |= (uint64_t)(set->sym[p->code[i]] >> s & 1)
				    << i;
	return true;
}

int
kdiff_work_new(struct kdiff_work **w, struct err *e)
{
	*w = calloc(1, sizeof **w);
	return *w ? 0 : err_nomem(e, sizeof **w);
}

void
kdiff_work_free(struct kdiff_work *w)
{
	if (!w)
		return;
	for (unsigned l = 0; l < KDIFF_MAX_LANES; l++)
		kdiff_lane_free(&w->lane[l]);
	kdiff_hits_free(&w->batch);
	kdiff_hits_free(&w->tmp);
	kdiff_hits_free(&w->over);
	kdiff_hits_free(&w->listed);
	kdiff_hits_free(&w->mixed);
	free(w->room);
	free(w->rest);
	free(w->mem);
	free(w->st);
	free(w->eq);
	free(w->trace);
	free(w->shared);
	free(w->pair);
	kdiff_copy_free(&w->windows);
	free(w->window);
	free(w->exact);
	kdiff_limits_free(&w->limits);
	free(w->seg);
	free(w->letters);
	qgram_work_free(w->qgram);
	kdiff_pam_work_free(w->halves);
	free(w);
}

/* Letters copied out of a text. */

static inline uint64_t
reversed(uint64_t x)
{
	x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
	x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(x);
}

/* 64 letters of a plane, the w-th of those that are turned. */
static uint64_t
turned(const struct kdiff_turn *x, const uint64_t *plane, int step, uint64_t w)
{
	int64_t from = x->right ? (int64_t)(x->end - 64 * (w + 1)) :
		       (int64_t)(x->beg + 64 * w);
	uint64_t left = x->end - x->beg - 64 * w;
	uint64_t bits = kdiff_bits(x->t, plane, step, from);

	if (x->right)
		bits = reversed(bits);
	return left < 64 ? bits & ((1ull << left) - 1) : bits;
}

void
kdiff_copy_put(const struct kdiff_turn *x, struct kdiff_copy *to, uint64_t at)
{
	const struct kdiff_text *t = x->t;

	for (uint64_t n = x->end - x->beg, w = 0; w * 64 < n; w++) {
		uint64_t i = at / 64 + w, left = n - 64 * w;
		uint64_t have = left < 64 ? (1ull << left) - 1 : ~0ull;

		for (unsigned p = 0; p < 2 && to->text.planes; p++)
			to->planes[2 * i + p] = have &
			    (turned(x, t->planes + p, 2, w) ^
			     -(uint64_t)x->minus);
		if (t->exc)
			to->exc[i] = turned(x, t->exc, 1, w);
		for (unsigned p = 0; p < 4 && t->sets; p++)
			to->sets[4 * i + (x->minus ? 3 - p : p)] =
			    turned(x, t->sets + p, 4, w);
	}
	if (t->bytes)
		memcpy(to->bytes + at, t->bytes + x->beg, x->end - x->beg);
}

int
kdiff_copy_room(struct kdiff_copy *to, const struct kdiff_text *t, uint64_t n,
		size_t n_seg, struct err *e)
{
	size_t words = (size_t)(n + 63) / 64;
	bool planes = t->planes && !t->sets;

	if (array_room(&to->planes, &to->planes_cap, planes ? 2 * words : 0, 8,
		       e) ||
	    array_room(&to->exc, &to->exc_cap, t->exc ? words : 0, 8, e) ||
	    array_room(&to->sets, &to->sets_cap, t->sets ? 4 * words : 0, 8,
		       e) ||
	    array_room(&to->bytes, &to->bytes_cap, t->bytes ? n : 0, 1, e) ||
	    array_room(&to->seg, &to->seg_cap, n_seg, sizeof *to->seg, e))
		return e->code;
	to->text = (struct kdiff_text){
		.n = n, .planes = planes ? to->planes : NULL,
		.exc = t->exc ? to->exc : NULL,
		.sets = t->sets ? to->sets : NULL,
		.bytes = t->bytes ? to->bytes : NULL, .seg = to->seg,
	};
	return 0;
}

void
kdiff_copy_free(struct kdiff_copy *to)
{
	free(to->planes);
	free(to->exc);
	free(to->sets);
	free(to->bytes);
	free(to->seg);
}
