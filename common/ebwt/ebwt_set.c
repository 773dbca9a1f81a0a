/* SPDX-License-Identifier: MIT */
/*
 * ebwt_set.c - a multiset of words: memory, letters, roots, conjugacy classes
 */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

/* Exponents and least rotations. */

/* Is s of n letters a power of its first n / q? */
static bool
repeats(const uint8_t *s, uint32_t n, uint32_t q)
{
	uint32_t p = n / q;

	return !memcmp(s, s + p, n - p);
}

/* The largest power q^i by which a root of n letters can still be shorter. */
static uint32_t
shorten(const uint8_t *s, uint32_t n, uint32_t q)
{
	while (n % q == 0 && repeats(s, n, q))
		n /= q;
	return n;
}

/*
 * A word is a power of its root only, and of powers of that: so prime after
 * prime divides the exponent as often as it can.
 */
static uint32_t
ebwt_exponent(const uint8_t *s, uint32_t n)
{
	uint32_t root = n, rest = n;

	for (uint32_t q = 2; q <= rest / q; q++) {
		if (rest % q)
			continue;
		root = shorten(s, root, q);
		while (rest % q == 0)
			rest /= q;
	}
	if (rest > 1)
		root = shorten(s, root, rest);
	return n / root;
}

static inline uint32_t
wrap(uint64_t i, uint32_t n)
{
	return (uint32_t)(i < n ? i : i - n);
}

/*
 * Two candidates i < j, equal over k letters.  Where they differ, the larger
 * one and the k begins behind it are none: each is larger than the begin as
 * far behind the other one.
 */
static uint32_t
ebwt_least(const uint8_t *s, uint32_t n)
{
	uint64_t i = 0, j = 1, k = 0;

	while (j < n && k < n) {
		uint8_t a = s[wrap(i + k, n)], b = s[wrap(j + k, n)];

		if (a == b) {
			k++;
			continue;
		}
		if (a > b) {
			uint64_t next = i + k + 1;

			i = j;
			j = next > j ? next : j + 1;
		} else {
			j += k + 1;
		}
		k = 0;
	}
	return (uint32_t)i;
}

/* Which words are conjugate. */

/* A word's root, to find those it is conjugate to. */
struct root {
	uint64_t print;
	uint32_t n, word;
};

static int
by_length(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	return cmp_u64(x->n, y->n);
}

static int
by_print(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	return cmp_u64(x->print, y->print);
}

struct task {
	struct ebwt *x;
	struct root *root;
	uint32_t *least;	/* by word: where its least rotation begins */
};

/* The order of least rotations of roots of equal length. */
static int
compare_roots(const struct task *t, const struct root *a, const struct root *b)
{
	const struct ebwt_word *word = t->x->word;
	const uint8_t *u = word[a->word].letters, *v = word[b->word].letters;
	uint32_t i = t->least[a->word], j = t->least[b->word];
	uint32_t left = a->n, n;
	int c = 0;

	for (; left && !c; left -= n) {
		n = a->n - (i > j ? i : j);
		n = n < left ? n : left;
		c = memcmp(u + i, v + j, n);
		i = i + n == a->n ? 0 : i + n;
		j = j + n == a->n ? 0 : j + n;
	}
	return c;
}

static int
by_rotation(const void *a, const void *b, void *task)
{
	const struct root *x = a, *y = b;
	int c = compare_roots(task, x, y);

	return c ? c : cmp_u64(x->word, y->word);
}

static void
find_least(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	const struct root *r = &t->root[i];

	(void)thread;
	t->least[r->word] = ebwt_least(t->x->word[r->word].letters, r->n);
}

/*
 * Roots of equal length and print, m of them.  They are conjugate if and only
 * if their least rotations are equal, so sorted by these a class lies together,
 * and its first word comes first: all others join it.
 */
static void
join_class(struct task *t, size_t m)
{
	struct root *r = t->root;
	uint32_t n = r->n, *least = t->least;
	struct ebwt *x = t->x;

	if (m < 2)
		return;
	threads_each(ebwt_threads(x, m * n), m, find_least, t);
	sort_with(r, m, sizeof *r, by_rotation, t);
	for (size_t k = 1, first = 0; k < m; k++) {
		uint32_t v = r[first].word, w = r[k].word;

		if (compare_roots(t, &r[first], &r[k])) {
			first = k;
			continue;
		}
		x->class_of[w] = v;
		x->shift[w] = least[v] >= least[w] ? least[v] - least[w] :
						     least[v] + (n - least[w]);
	}
}

static void
print_one(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	struct root *r = &t->root[i];

	(void)thread;
	r->print = ebwt_ops()->print(t->x->word[r->word].letters, r->n);
}

/* Words whose roots have equal lengths, m of them from r on. */
static void
join_prints(struct task t, struct root *r, size_t m)
{
	size_t i, k;

	if (m < 2)
		return;
	t.root = r;
	threads_each(ebwt_threads(t.x, m * r->n), m, print_one, &t);
	qsort(r, m, sizeof *r, by_print);
	for (i = 0; i < m; i = k) {
		for (k = i + 1; k < m && r[k].print == r[i].print; k++)
			;
		t.root = r + i;
		join_class(&t, k - i);
	}
}

/* Number the classes in the order of their first words, and list members. */
static int
number_classes(struct ebwt *x, struct err *e)
{
	uint32_t first = 0;

	for (size_t w = 0; w < x->n_words; w++)
		x->n_classes += x->class_of[w] == w;
	if (ebwt_take(x, &x->class, x->n_classes, sizeof *x->class, e))
		return e->code;
	x->n_classes = 0;
	for (size_t w = 0; w < x->n_words; w++) {
		struct ebwt_class *c = &x->class[x->n_classes];

		if (x->class_of[w] != w) {	/* joined an earlier word */
			x->class_of[w] = x->class_of[x->class_of[w]];
			x->class[x->class_of[w]].words++;
			continue;
		}
		*c = (struct ebwt_class){
			.root = x->word[w].letters, .words = 1,
			.n = (uint32_t)(x->word[w].n / x->exponent[w]),
		};
		x->n_roots += c->n;
		x->class_of[w] = (uint32_t)x->n_classes++;
	}
	for (size_t c = 0; c < x->n_classes; c++) {
		x->class[c].first = first;
		first += x->class[c].words;
		x->class[c].words = 0;
	}
	for (size_t w = 0; w < x->n_words; w++) {
		struct ebwt_class *c = &x->class[x->class_of[w]];

		x->member[c->first + c->words++] = (uint32_t)w;
	}
	return 0;
}

static void
root_one(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	struct ebwt *x = t->x;
	const struct ebwt_word *w = &x->word[i];

	(void)thread;
	x->exponent[i] = ebwt_exponent(w->letters, (uint32_t)w->n);
	x->class_of[i] = (uint32_t)i;
	x->shift[i] = 0;
	t->root[i] = (struct root){
		.n = (uint32_t)w->n / x->exponent[i], .word = (uint32_t)i,
	};
}

/* class_of is at first the least word of the class. */
static int
ebwt_classes(struct ebwt *x, struct err *e)
{
	struct task t = { .x = x };
	size_t n = x->n_words, i, k;
	struct root *r = NULL;
	int rc = ebwt_take(x, &r, n, sizeof *r, e);

	if (!rc)
		rc = ebwt_take(x, &t.least, n, sizeof *t.least, e);
	if (rc)
		goto out;
	t.root = r;
	threads_each(ebwt_threads(x, x->n_rows), n, root_one, &t);
	qsort(r, n, sizeof *r, by_length);
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && r[k].n == r[i].n; k++)
			;
		join_prints(t, r + i, k - i);
	}
	rc = number_classes(x, e);
out:
	ebwt_give(x, &r);
	ebwt_give(x, &t.least);
	return rc;
}

bool
ebwt_conjugate(const struct ebwt *x, size_t i, size_t j)
{
	return x->class_of[i] == x->class_of[j];
}

/* The text of anchors: codes, and who does which part of it. */

enum {
	KEY_BITS = 48,
	PART = 1 << 30,		/* rotations, about: no count overflows */
	CLASS_BUCKETS = 13,	/* bits of so many are not too many */
};

const struct ebwt_ops *
ebwt_ops(void)
{
	return KERN_PICK(&ebwt_ops);
}

/* As many letters as a key's bits hold, an even number. */
void
ebwt_plan(struct ebwt_plan *p, const struct ebwt *x)
{
	unsigned key_bits = x->par.key_bits ? x->par.key_bits : KEY_BITS;
	uint64_t values = 1, max = 1ull << key_bits;

	p->sigma = x->sigma < 2 ? 2 : x->sigma;
	p->letters = 0;
	while (values <= max / p->sigma / p->sigma) {
		values *= (uint64_t)p->sigma * p->sigma;
		p->letters += 2;
	}
	p->key_bits = ebwt_bits(values - 1);
	p->kmer = p->letters / 4 ? p->letters / 4 : 1;
	p->window = p->letters - p->kmer;
}

/*
 * A class goes with an item if it has few enough bits: then it is at hand as
 * soon as it is sorted, and is not looked up among all anchors.  Bits that are
 * too many for an item are its bucket's: with an offset, 48 + 32 + 6 - 64 of
 * them at most.
 */
struct ebwt_layout
ebwt_layout(const struct ebwt *x, const struct ebwt_plan *p, uint64_t anchors,
	    bool wants_offsets)
{
	unsigned index = ebwt_bits(anchors);
	unsigned class = ebwt_bits(x->n_classes - 1);
	struct ebwt_layout l = {
		.index_bits = index, .tail_bits = class, .has_class = true,
		.bucket_bits = ebwt_bucket_bits(p, x->n_roots, index + class),
	};
	unsigned few = ebwt_bucket_bits(p, x->n_roots, index);

	if (wants_offsets || index + class > 63 ||
	    l.bucket_bits > max_u64(few, CLASS_BUCKETS)) {
		l.has_class = false;
		l.tail_bits = wants_offsets ? ebwt_bits(p->window - 1) : 0;
		l.bucket_bits = ebwt_bucket_bits(p, x->n_roots, index +
						 l.tail_bits);
	}
	return l;
}

/* t[-L] to t[n + L - 1], of which letters [0, n) are there. */
static void
surround(uint8_t *t, uint32_t n, unsigned letters)
{
	for (unsigned i = 0; i < letters; i++)
		t[n + i] = t[i];
	for (unsigned i = 1; i <= letters; i++)
		t[-(int64_t)i] = t[(int64_t)n - i];
}

static void
encode_class(void *arg, uint64_t c, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	uint8_t *t = ebwt_codes(a, (uint32_t)c);

	(void)thread;
	a->ops->encode(t, a->x->class[c].root, a->x->class[c].n, a->x->code);
	surround(t, a->x->class[c].n, a->plan.letters);
}

static void
divide(struct ebwt_anchors *a)
{
	uint64_t n = a->x->n_roots;
	uint32_t c = 0;

	for (unsigned i = 0; i < a->n_parts; i++) {
		struct ebwt_part *p = &a->part[i];

		p->beg = a->base[0] + n * i / a->n_parts;
		p->end = a->base[0] + n * (i + 1) / a->n_parts;
		while (a->base[c + 1] <= p->beg)
			c++;
		p->first_class = c;
	}
}

unsigned
ebwt_parts(const struct ebwt *x)
{
	uint64_t n = x->n_roots;

	return (unsigned)min_u64(n, max_u64(ebwt_threads(x, n), n / PART + 1));
}

int
ebwt_text(struct ebwt_anchors *a, struct err *e)
{
	struct ebwt *x = a->x;
	uint64_t n = x->n_roots, bytes;
	int rc;

	ebwt_plan(&a->plan, x);
	bytes = n + 2 * (uint64_t)a->plan.letters * x->n_classes;
	a->threads = ebwt_threads(x, n);
	a->n_parts = ebwt_parts(x);
	rc = ebwt_take(x, &a->text, bytes + EBWT_PAD + a->plan.letters, 1, e);
	if (!rc)
		rc = ebwt_take(x, &a->base, x->n_classes + 1,
			       sizeof *a->base, e);
	if (!rc)
		rc = ebwt_take(x, &a->part, a->n_parts, sizeof *a->part, e);
	if (rc)
		return rc;
	memset(a->part, 0, a->n_parts * sizeof *a->part);
	memset(a->text + bytes, 0, EBWT_PAD + a->plan.letters);
	a->base[0] = x->par.origin;
	for (size_t c = 0; c < x->n_classes; c++)
		a->base[c + 1] = a->base[c] + x->class[c].n;
	threads_each(a->threads, x->n_classes, encode_class, a);
	divide(a);
	return 0;
}

/* A multiset of words: its memory, its letters. */

/* Before what ebwt_take() gives: how large it is. */
struct head {
	_Alignas(64) uint64_t bytes;
};

int
ebwt_fits(const struct ebwt *x, uint64_t more, struct err *e)
{
	uint64_t max = x->par.memory;

	if (!max || (x->used <= max && more <= max - x->used))
		return 0;
	return err_set(e, ERR_LIMIT, "%llu bytes of memory are needed, and no "
		"more than %llu are allowed", (unsigned long long)(x->used +
		more), (unsigned long long)max);
}

int
ebwt_take(struct ebwt *x, void *at, uint64_t n, size_t size, struct err *e)
{
	struct head *h;
	size_t bytes;

	if (n > SIZE_MAX / 4 / size)
		return err_nomem(e, SIZE_MAX);
	bytes = (n * size + sizeof *h + 63) / 64 * 64;
	if (ebwt_fits(x, bytes, e))
		return e->code;
	h = pages_alloc(bytes);	/* sorting writes a thousand streams at once */
	if (!h)
		return err_nomem(e, bytes);
	h->bytes = bytes;
	x->used += bytes;
	x->peak = x->used > x->peak ? x->used : x->peak;
	h++;
	memcpy(at, &h, sizeof h);
	return 0;
}

void
ebwt_give(struct ebwt *x, void *at)
{
	struct head *h;

	memcpy(&h, at, sizeof h);
	if (!h)
		return;
	if (x)
		x->used -= h[-1].bytes;
	free(h - 1);
	h = NULL;
	memcpy(at, &h, sizeof h);
}

struct letters {
	const struct ebwt *x;
	_Atomic uint64_t here[4];	/* a bit for each byte */
};

static void
look_for_letters(void *arg, uint64_t c, unsigned thread)
{
	struct letters *l = arg;
	uint8_t seen[256] = { 0 };
	uint64_t bits[4] = { 0 };

	(void)thread;
	ebwt_ops()->letters(seen, l->x->class[c].root, l->x->class[c].n);
	for (unsigned i = 0; i < 256; i++)
		bits[i / 64] |= (uint64_t)seen[i] << i % 64;
	for (unsigned i = 0; i < 4; i++)
		atomic_fetch_or(&l->here[i], bits[i]);
}

static void
find_letters(struct ebwt *x)
{
	struct letters l = { .x = x };

	threads_each(ebwt_threads(x, x->n_roots), x->n_classes,
		     look_for_letters, &l);
	for (unsigned i = 0; i < 256; i++)
		x->code[i] = (uint8_t)(l.here[i / 64] >> i % 64 & 1 ?
			x->sigma++ : 0);
}

static int
check_words(const struct ebwt_word *word, size_t n,
	    const struct ebwt_params *par, uint64_t *rows, struct err *e)
{
	if (!n || !par->threads)
		return err_set(e, ERR_USAGE, n ? "no threads" : "no words");
	if (n >= UINT32_MAX - 1)
		return err_set(e, ERR_LIMIT, "too many words (at most %u)",
			       UINT32_MAX - 2);
	*rows = 0;
	for (size_t i = 0; i < n; i++) {
		if (!word[i].n)
			return err_set(e, ERR_USAGE, "word %zu has no letters",
				       i + 1);
		if (word[i].n > EBWT_MAX_WORD)
			return err_set(e, ERR_LIMIT, "word %zu is too long (at "
				"most %llu letters)", i + 1, EBWT_MAX_WORD);
		if (word[i].n > EBWT_MAX_LETTERS - *rows)
			return err_set(e, ERR_LIMIT, "too many letters in all "
				"words (at most %llu)", EBWT_MAX_LETTERS);
		*rows += word[i].n;
	}
	return 0;
}

int
ebwt_new(struct ebwt **to, const struct ebwt_word *word, size_t n,
	 const struct ebwt_params *par, struct err *e)
{
	struct ebwt *x;
	uint64_t rows = 0;
	int rc;

	*to = NULL;
	if (check_words(word, n, par, &rows, e))
		return e->code;
	x = calloc(1, sizeof *x);
	if (!x)
		return err_nomem(e, sizeof *x);
	x->par = *par;
	x->n_words = n;
	x->n_rows = rows;
	rc = ebwt_take(x, &x->word, n, sizeof *x->word, e);
	if (!rc)
		rc = ebwt_take(x, &x->class_of, n, sizeof *x->class_of, e);
	if (!rc)
		rc = ebwt_take(x, &x->exponent, n, sizeof *x->exponent, e);
	if (!rc)
		rc = ebwt_take(x, &x->shift, n, sizeof *x->shift, e);
	if (!rc)
		rc = ebwt_take(x, &x->member, n, sizeof *x->member, e);
	if (!rc) {
		memcpy(x->word, word, n * sizeof *word);
		rc = ebwt_classes(x, e);
	}
	if (!rc)
		find_letters(x);
	x->n_sets = n;
	x->n_kinds = x->n_classes;
	if (rc)
		ebwt_delete(x);
	else
		*to = x;
	return rc;
}

void
ebwt_delete(struct ebwt *x)
{
	if (!x)
		return;
	ebwt_give(x, &x->word);
	ebwt_give(x, &x->class);
	ebwt_give(x, &x->class_of);
	ebwt_give(x, &x->exponent);
	ebwt_give(x, &x->shift);
	ebwt_give(x, &x->member);
	ebwt_give(x, &x->kind_of);
	ebwt_give(x, &x->tone);
	ebwt_give(x, &x->tone_at);
	ebwt_give(x, &x->colour_n);
	ebwt_give(x, &x->kept_n);
	free(x);
}
