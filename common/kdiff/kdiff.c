/* SPDX-License-Identifier: MIT */
/* kdiff.c - sets of patterns, choice of kernels and engine, working memory */

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_exact.h"
#include "kdiff/kdiff_halves.h"
#include "kdiff/kdiff_index.h"
#include "kdiff/kdiff_overhang.h"
#include "kdiff/kdiff_qgram.h"
#include "kdiff/kdiff_scan.h"
#include "kdiff/kdiff_snake.h"
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

static void kdiff_lazy_forget(struct kdiff_lazy *l);

/* They are of the patterns and kernels as they were. */
void
kdiff_forget(struct kdiff_set *set)
{
	if (set->lazy)
		kdiff_lazy_forget(set->lazy);
	kdiff_qgram_free(set->filter);
	set->filter = NULL;
	set->filter_at = 0;
	kdiff_overhang_parts_free(set->parts);
	set->parts = NULL;
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

static int kdiff_lazy_new(struct kdiff_set *set, struct err *e);

int
kdiff_set_new(struct kdiff_set **set, const struct kdiff_params *p,
	      struct err *e)
{
	struct kdiff_set *s = calloc(1, sizeof *s);

	*set = s;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->p = *p;
	s->index_at = INDEX_AT;
	kdiff_set_isa(s, cpu_isa());
	s->block = BLOCK_WORDS;
	s->warms = BLOCK_WARMS;
	for (unsigned i = 0; i < 256; i++)
		s->sym_of[i] = -1;
	return kdiff_lazy_new(s, e);
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

static void kdiff_lazy_free(struct kdiff_lazy *l);

void
kdiff_set_free(struct kdiff_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++)
		pat_free(&set->pat[i]);
	kdiff_lazy_free(set->lazy);
	free(set->pat);
	kdiff_qgram_free(set->filter);
	kdiff_overhang_parts_free(set->parts);
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

uint64_t
kdiff_context(const struct kdiff_set *set)
{
	return set->p.report == KDIFF_MINIMA || set->limited_minima ?
	       set->max_2mk : set->max_mk;
}

uint64_t
kdiff_gap(const struct kdiff_set *set)
{
	return set->max_k + 1 + kdiff_overhangs(set);
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
	free(w->window);
	free(w->exact);
	kdiff_limits_free(&w->limits);
	free(w->seg);
	free(w->letters);
	qgram_work_free(w->qgram);
	kdiff_pam_work_free(w->halves);
	free(w);
}

int
kdiff_room(uint8_t **p, size_t *cap, size_t n, struct err *e)
{
	if (n <= *cap)
		return 0;
	free(*p);
	*cap = 0;
	n = (n + 63) / 64 * 64;
	*p = aligned_alloc(64, n);
	if (!*p)
		return err_nomem(e, n);
	*cap = n;
	return 0;
}

size_t
kdiff_seg_find(const struct kdiff_text *text, uint64_t at)
{
	size_t lo = 0, hi = text->n_seg;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (text->seg[mid].beg <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Lanes, pieces, segments: which letters stand where
 *
 * Blocks follow each other.  The words of one go to L lanes of T words each.
 * Lane l begins l * (T - warm) words in, and owns all its words but the first
 * `warm`, which only bring it to the right values; lane 0 of the first block
 * owns these, too.  A block's lanes end where the next one begins to own.
 *
 * Segments stand apart because letters of a gap match nothing.  Take a path
 * of cost <= k that ends inside a segment.  It cannot cross the gap before,
 * since each of k + 1 letters would cost 1.  If it begins in the gap, leave
 * its gap letters out (a pattern letter that stood against one becomes an
 * insertion): it costs no more, so D <= k is the segment's own.  Likewise at a
 * gap's last letter D > k: there a run of values <= k begins by a fall, as
 * after D(0) = m > k, and is never counted longer than it is.  After the end
 * the kernel lets D rise, as the minima's rule says.  A lane that begins in a
 * gap, or before a segment's end, sees fewer paths, and exact values <= k
 * after m + k letters (2m + k for the runs).
 */

/* Words to be owned, and before those of a lane. */
void
kdiff_plan(struct scan *s)
{
	s->warm = (s->minima ? s->set->max_2mk : s->set->max_mk) / 64 + 1;
	s->next = s->text->seg[0].beg / 64;
	/* with the column after the last end */
	s->end = s->text->seg[s->text->n_seg - 1].end / 64 + 1;
}

/*
 * Lanes of the next block: the fewest words a lane that cover it; one lane
 * where the warm-ups of more would be longer than the text.  Blocks are about
 * equally long: at least half of `most`, so that there is a warm-up before the
 * next one, and more lanes than one are shorter than one lane: two take
 * n / 2 + warm + 4 words at most, and n >= 2 (warm + 4).
 */
void
kdiff_plan_block(struct scan *s)
{
	uint64_t least = s->set->warms * s->lanes * (s->warm + 4);
	uint64_t most = s->set->block > least ? s->set->block : least;
	uint64_t n = s->end - s->next, t, one;
	bool begins = s->next == s->text->seg[0].beg / 64;

	s->own = s->next;
	s->first = begins ? s->own : s->own - s->warm;
	n = (n + (n - 1) / most) / ((n - 1) / most + 1);
	one = s->own - s->first + n;
	one = (one + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	t = (n + s->lanes - 1) / s->lanes + s->warm;
	t = (t + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	if (t >= one) {
		s->lane_words = s->lane_step = one;
		s->next = s->first + one;
		return;
	}
	if ((t - s->warm) % 256 == 0)	/* lanes would share cache sets */
		t += KDIFF_WORDS;
	s->lane_words = t;
	s->lane_step = t - s->warm;
	s->next = s->first + s->warm + s->lanes * s->lane_step;
}

/* Columns lo <= c < hi of the word at letter `at`. */
static uint64_t
columns_of(uint64_t at, uint64_t lo, uint64_t hi)
{
	lo = lo > at ? lo - at : 0;
	hi = hi > at ? hi - at : 0;
	if (hi > 64)
		hi = 64;
	return lo < hi ? ~0ull >> (64 - (hi - lo)) << lo : 0;
}

struct range {
	uint64_t lo, hi;	/* columns [lo, hi) */
};

/* Columns whose ends are to be reported: end = column + 1, or column. */
static struct range
reported_columns(const struct scan *s, const struct kdiff_seg *g)
{
	uint64_t from = g->beg + 1, to = g->end;

	if (!s->all_ends && g->from > from)
		from = g->from;
	if (!s->all_ends && g->to < to)
		to = g->to;
	if (from > to)
		return (struct range){ 0, 0 };
	return (struct range){ from - !s->minima, to + s->minima };
}

/* First letter a lane owns. */
static uint64_t
first_owned(const struct scan *s, unsigned l)
{
	return (l ? s->first + l * s->lane_step + s->warm : s->own) * 64;
}

/* Are n letters of lane l from `at` inside a segment, and all reported? */
static bool
is_inside(struct scan *s, unsigned l, uint64_t at, uint64_t n)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_seg *g;
	struct range r;

	while (s->seg[l] + 1 < t->n_seg && t->seg[s->seg[l] + 1].beg <= at)
		s->seg[l]++;
	g = &t->seg[s->seg[l]];
	r = reported_columns(s, g);
	return at >= first_owned(s, l) && at + n <= g->end && r.lo <= at &&
	       at + n <= r.hi;
}

/* Gap and own masks of a lane's words of superblock i. */
static void
put_masks(struct scan *s, unsigned l, unsigned i)
{
	const struct kdiff_text *t = s->text;
	uint64_t at = s->pc.at[l] + (uint64_t)i * KDIFF_SB,
		 mine = first_owned(s, l);
	size_t seg = s->seg[l];

	for (unsigned w = 0; w < KDIFF_WORDS; w++, at += 64) {
		size_t slot = ((size_t)i * KDIFF_WORDS + w) * s->lanes + l;
		const struct kdiff_seg *g;
		struct range r;

		/* a segment begins with a word: at most one is in each */
		while (seg + 1 < t->n_seg && t->seg[seg + 1].beg <= at)
			seg++;
		g = &t->seg[seg];
		r = reported_columns(s, g);
		s->pc.gap[slot] = ~columns_of(at, g->beg, g->end);
		s->pc.own[slot] = at >= mine ? columns_of(at, r.lo, r.hi) : 0;
	}
}

void
kdiff_begin_block(struct scan *s)
{
	for (unsigned l = 0; l < s->lanes; l++)
		s->seg[l] = kdiff_seg_find(s->text, (s->first +
						     l * s->lane_step) * 64);
}

void
kdiff_prepare_piece(struct scan *s, uint64_t sb, unsigned n_sb)
{
	bool all = true;

	s->pc.n_sb = n_sb;
	for (unsigned l = 0; l < s->lanes; l++) {
		s->pc.at[l] = (s->first + l * s->lane_step +
			       sb * KDIFF_WORDS) * 64;
		all &= is_inside(s, l, s->pc.at[l], (uint64_t)n_sb * KDIFF_SB);
	}
	for (unsigned i = 0; i < n_sb; i++) {
		s->pc.special[i] = false;
		for (unsigned l = 0; !all && l < s->lanes; l++)
			s->pc.special[i] |= !is_inside(
			    s, l, s->pc.at[l] + i * KDIFF_SB, KDIFF_SB);
		for (unsigned l = 0; s->pc.special[i] && l < s->lanes; l++)
			put_masks(s, l, i);
	}
	s->set->ops.gather(&s->src, &s->pc);
}

/*
 * Which engine searches for which patterns
 *
 * The index of many patterns costs a look-up a text letter and a closer look
 * at a place in 10^3 to 10^5 letters of each pattern; without it each pattern
 * costs some rows of bit vectors.  So it pays from about ten patterns on whose
 * pieces are long enough, once the text is long enough to be worth making it.
 * Where the filter is possible, kdiff_qgram_index.c knows whether it is better.
 */

struct kdiff_lazy {
	const struct kdiff_set *of;	/* not of a copy with other patterns */
	pthread_mutex_t lock;
	struct kdiff_index *index;
	struct kdiff_halves *halves;
	bool asked;		/* for halves */
	uint64_t seen;		/* letters so far, until then */
	uint64_t work;		/* letters x patterns so far */
	bool made;
};

static int
kdiff_lazy_new(struct kdiff_set *set, struct err *e)
{
	struct kdiff_lazy *l = calloc(1, sizeof *l);

	set->lazy = l;
	if (!l)
		return err_nomem(e, sizeof *l);
	l->of = set;
	pthread_mutex_init(&l->lock, NULL);
	return 0;
}

static void
kdiff_lazy_free(struct kdiff_lazy *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	kdiff_index_free(l->index);
	kdiff_halves_free(l->halves);
	free(l);
}

/* The index is no longer right; nobody searches now. */
static void
kdiff_lazy_forget(struct kdiff_lazy *l)
{
	kdiff_index_free(l->index);
	kdiff_halves_free(l->halves);
	l->index = NULL;
	l->halves = NULL;
	l->made = l->asked = false;
}

/* With the lock held. */
static int
make_index(const struct kdiff_set *set, struct err *e)
{
	struct kdiff_lazy *l = set->lazy;
	int r;

	if (l->made)
		return 0;
	r = kdiff_index_new(&l->index, set,
			    set->engine == KDIFF_PATTERNS, e);
	if (!r)
		__atomic_store_n(&l->made, true, __ATOMIC_RELEASE);
	return r;
}

/*
 * The index to search a text with, or NULL: made once so much has been
 * searched without it that it will pay.
 */
static int
find_index(const struct kdiff_set *set, const struct kdiff_text *text,
		 const struct kdiff_index **x, struct err *e)
{
	struct kdiff_lazy *l = set->lazy;
	bool must = set->engine == KDIFF_PATTERNS;
	uint64_t work = text->n * set->n, rest = 0, sum;
	int r;

	*x = NULL;
	if (set->engine == KDIFF_TEXT || set->p.alphabet != KDIFF_DNA ||
	    (set->p.iupac && text->sets) || l->of != set)
		return 0;
	if (!__atomic_load_n(&l->made, __ATOMIC_ACQUIRE)) {
		if (text->whole > text->n)	/* what its parts will add */
			rest = (text->whole - text->n) * set->n;
		sum = work + __atomic_fetch_add(&l->work, work,
						__ATOMIC_RELAXED);
		if (!must && sum + rest < set->index_at)
			return 0;
		/*
		 * To make it takes less time than a chunk without it.  But not
		 * less than a short text, if another thread does already: half
		 * of the time is left, say.
		 */
		if (must || work >= set->index_at / 2)
			pthread_mutex_lock(&l->lock);
		else if (pthread_mutex_trylock(&l->lock))
			return 0;
		r = make_index(set, e);
		pthread_mutex_unlock(&l->lock);
		if (r)
			return r;
	}
	*x = l->index;
	return 0;
}

/* Words of halves, if they pay, or NULL: of long texts, or many. */
static int
find_halves(const struct kdiff_set *set, const struct kdiff_text *text,
	    struct kdiff_halves **h, struct err *e)
{
	enum { LONG = 1 << 21 };
	bool must = set->engine == KDIFF_HALVES;
	struct kdiff_lazy *l = set->lazy;
	int r = 0;

	*h = NULL;
	if ((set->engine != KDIFF_AUTO && !must) || l->of != set ||
	    set->p.alphabet != KDIFF_DNA || (set->p.iupac && text->exc))
		return 0;
	if (!__atomic_load_n(&l->asked, __ATOMIC_ACQUIRE)) {
		uint64_t rest = max_u64(text->n, text->whole) - text->n;

		if (!must && rest + __atomic_add_fetch(&l->seen, text->n,
						       __ATOMIC_RELAXED) < LONG)
			return 0;
		pthread_mutex_lock(&l->lock);
		if (!l->asked)
			r = kdiff_halves_new(&l->halves, set, must, e);
		if (!r)
			__atomic_store_n(&l->asked, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&l->lock);
	}
	*h = r ? NULL : l->halves;
	return r;
}

/* Of all ends in w->listed those that are to be reported. */
static int
choose_ends(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->listed;
	int r = 0;

	if (j->set->exact)
		r = kdiff_exact_keep(j->set, j->text, j->w, h, 0, j->e);
	if (r)
		return r;
	if (j->set->p.report == KDIFF_MINIMA && !j->all)
		return kdiff_hits_minima(j->set, j->text, h, 0, j->e);
	kdiff_hits_reported(j->text, h);
	return 0;
}

/* What w->listed has of all ends, and these other patterns by bit vectors. */
static int
with_others(const struct kdiff_job *j, const uint32_t *which, size_t n)
{
	int r = choose_ends(j);

	return r ? r : kdiff_text_mix(j, j->text, 0, which, n, &j->w->listed);
}

/* Of these ends, which stand `at` letters further on, those in [from, to]. */
static int
take_ends(struct kdiff_hits *to, const struct kdiff_hits *found, uint64_t at,
	  uint64_t from, uint64_t end, struct err *e)
{
	size_t i = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + from);
	size_t n = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + end + 1);
	int r = kdiff_hits_room(to, n - i, e);

	for (; i < n && !r; i++) {
		to->v[to->n] = found->v[i];
		to->v[to->n++].end -= at;
	}
	return r;
}

/*
 * What it has found already.  A text that is a part of the one that was
 * searched has ends that it would not have alone, in the letters before those
 * whose ends are reported: there D, of a match that begins further in front, is
 * the true value.
 */
static int
take_found(const struct kdiff_job *j, struct kdiff_hits *to)
{
	const struct kdiff_text *t = j->text;
	int r = 0;

	for (size_t i = 0; i < t->n_seg && !r; i++)
		r = take_ends(to, t->found, t->found_at, t->seg[i].beg + 1,
			      t->seg[i].end, j->e);
	return r;
}

/* KDIFF_NOT_NOW: there is none, or it does not want this text. */
static int
by_backend(const struct kdiff_job *j, bool first)
{
	const struct kdiff_backend *f = j->set->backend;
	const struct kdiff_hits *found = j->text->found;
	struct kdiff_hits *listed = &j->w->listed;
	int r;

	if (!f || (f->first || found) != first || j->set->lazy->of != j->set)
		return KDIFF_NOT_NOW;
	listed->n = 0;
	r = found ? take_found(j, listed) :
		    f->find(f->ctx, j->text, listed, j->e);
	return r ? r : with_others(j, f->rest, f->n_rest);
}

static int
by_halves(const struct kdiff_job *j, struct kdiff_halves *h)
{
	struct kdiff_work *w = j->w;
	int r;

	w->listed.n = 0;
	r = kdiff_halves_scan(h, j->text, w, &w->listed, j->e);
	return r ? r : with_others(j, NULL, 0);
}

static int
by_index(const struct kdiff_job *j, const struct kdiff_index *x)
{
	struct kdiff_work *w = j->w;
	int r;

	w->listed.n = 0;
	r = kdiff_index_scan(j->set, x, j->text, w, &w->listed, j->e);
	return r ? r : with_others(j, (const uint32_t *)(const void *)w->rest,
				   w->n_rest);
}

/*
 * By a backend that comes first, a filter, another backend, or an index if
 * there is one, in this order; and what is left.  The filter does not know of
 * all ends.
 */
int
kdiff_plain_scan(struct kdiff_job *j)
{
	const struct kdiff_index *x;
	const struct kdiff_qgram *f = NULL;
	struct kdiff_halves *h;
	int r;

	j->n = j->set->n;
	if (!j->n || !j->text->n_seg)
		return 0;
	r = by_backend(j, true);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = 0;
	if (!kdiff_overhangs(j->set))
		r = kdiff_qgram_find(j, &f);
	if (r || f)
		return r ? r : kdiff_qgram_each(f, j);
	r = by_backend(j, false);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = find_halves(j->set, j->text, &h, j->e);
	if (r || h)
		return r ? r : by_halves(j, h);
	r = find_index(j->set, j->text, &x, j->e);
	if (r || !x)
		return r ? r : kdiff_text_scan(j);
	return by_index(j, x);
}

static int
search_job(struct kdiff_job *j)
{
	int r;

	if (j->set->limited)
		return kdiff_limited_scan(j);
	if (!kdiff_overhangs(j->set))
		return kdiff_plain_scan(j);
	if (j->unordered && j->set->p.report == KDIFF_ALL)
		return kdiff_overhang_each(j);
	r = kdiff_overhang_scan(j);
	return r || !j->w->over.n ? r :
	       kdiff_job_give(j, j->w->over.v, j->w->over.n);
}

int
kdiff_scan(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, struct kdiff_hits *hits, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .hits = hits, .e = e };

	return search_job(&j);
}

int
kdiff_each_unordered(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     kdiff_take_fn *take, void *ctx, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .unordered = true,
			       .e = e };

	return search_job(&j);
}

int
kdiff_each(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, kdiff_take_fn *take, void *ctx,
	   struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .e = e };

	return search_job(&j);
}
