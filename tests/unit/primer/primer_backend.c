/* SPDX-License-Identifier: MIT */
/* primer_backend.c - the short engine by a backend that reports any choice
 * of cores within its contract */
#include "tests/lib/core_case.h"
#include "base/base.h"

enum { TEXT_MOST = 1000 };

struct reporter {
	uint64_t seed, asked;
	uint64_t more;	/* one of so many optional ones is reported; or 0 */
};

static int
report(struct reporter *t, const struct primer_find *x, uint64_t core,
     struct primer_found *out, struct err *e)
{
	uint32_t last[TEXT_MOST];
	uint64_t upto = 0;

	core_last_row(&x->core[core], x, last);
	for (uint64_t at = 1; at <= x->n; at++) {
		if (last[at - 1] >= x->k)
			continue;
		if (at <= upto && (!t->more || below(&t->seed, t->more)))
			continue;
		if (array_room(&out->v, &out->cap, out->n + 1, sizeof *out->v,
			       e))
			return e->code;
		out->v[out->n++] = core << 32 | at;
		upto = at + PRIMER_CORE_NEAR;
	}
	return 0;
}

static int
find(void *ctx, const struct primer_find *x, struct primer_found *out,
     struct err *e)
{
	struct reporter *t = ctx;
	int rc = 0;

	if (x->n > TEXT_MOST)
		abort();
	if (!below(&t->seed, 9))
		return PRIMER_NOT_NOW;
	t->asked++;
	for (size_t i = 0; i < x->n_cores && !rc; i++)
		rc = report(t, x, i, out, e);
	return rc;
}

static bool
serves(void *ctx)
{
	(void)ctx;
	return true;
}

static void
searches(uint64_t more, uint64_t rounds)
{
	struct reporter t = { .seed = 314159 + more, .more = more };
	struct primer_backend f = { .find = find, .serves = serves, .ctx = &t };
	uint64_t found = 0, i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c;

		core_repeats(&c, 161803398875 + i * 7919);
		f.first = below(&t.seed, 2);
		c.backend = &f;
		good = pcase_run(&c, PRIMER_SHORT, below(&c.seed, 2) ?
				 SIZE_MAX / 2 : 100 + below(&c.seed, 300),
				 "reported");
		found += c.stats.found;
		if (!good)
			ok(0, "round %d: k %d max_len %d: %s", (int)i,
			   (int)c.par.k, (int)c.par.max_len, c.why);
		pcase_free(&c);
	}
	ok(good && found > rounds && t.asked > rounds / 2, "one more of %d "
	   "reported: %d searches, %llu places of cores", (int)more, (int)i,
	   (unsigned long long)found);
}

/* As few as there may be, some more, all. */
int
main(void)
{
	searches(0, fewer(300));
	searches(4, fewer(1000));
	searches(2, fewer(300));
	searches(1, fewer(300));
	return done();
}
