/* SPDX-License-Identifier: MIT */
/* ebwt_text.c - the text of anchors: codes, and who does which part of it */
#include <string.h>

#include "algo/ebwt_anchor.h"
#include "base/cpu.h"
#include "base/minmax.h"

enum {
	KEY_BITS = 48,
	PART = 1 << 30,		/* rotations, about: no count overflows */
	CLASS_BUCKETS = 13,	/* bits of so many are not too many */
};

const struct ebwt_ops *
ebwt_ops(void)
{
	static const struct ebwt_ops scalar = {
		ebwt_anchors_scalar, ebwt_keys_scalar, ebwt_items_scalar,
		ebwt_radix_scalar, ebwt_encode_scalar,
		ebwt_letters_scalar, ebwt_print_scalar,
	};
#if defined(__x86_64__)
	static const struct ebwt_ops avx2 = {
		ebwt_anchors_avx2, ebwt_keys_avx2, ebwt_items_avx2,
		ebwt_radix_avx2, ebwt_encode_avx2,
		ebwt_letters_avx2, ebwt_print_avx2,
	}, avx512 = {
		ebwt_anchors_avx512, ebwt_keys_avx512, ebwt_items_avx512,
		ebwt_radix_avx512, ebwt_encode_avx512,
		ebwt_letters_avx512, ebwt_print_avx512,
	};

	switch (cpu_isa()) {
	case ISA_AVX512:
		return &avx512;
	case ISA_AVX2:
		return &avx2;
	default:
		return &scalar;
	}
#else
	return &scalar;
#endif
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
	ebwt_each(a->threads, x->n_classes, encode_class, a);
	divide(a);
	return 0;
}
