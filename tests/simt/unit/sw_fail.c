/* SPDX-License-Identifier: MIT */
/*
 * sw_fail.c - devices that fail at any call while scores are computed, or
 * have little memory: the best are the same, and nothing leaks
 */
#include "tests/simt/control.h"
#include "tests/lib/sw_case.h"
#include "scan/sw/sw_gpu.h"

enum { TEXTS = 2 };
enum kind { AUTO, NAMED };

static struct swg_case g;
static struct swc c;
static enum cuda_sw_kernel kernel;
static bool gathers;	/* texts, or each is searched alone */

/* Several pieces, in one span, some of which are done again. */
static void
prepare(void)
{
	uint64_t seed = 4712;

	swg_dna(&g.s, 2, -3, 5, 2);
	swg_room(&g, 150, 1500);
	swg_fill(&seed, SWG_RANDOM, 5, g.q, g.n);
	swg_fill(&seed, SWG_RANDOM, 5, g.t, g.m);
	swg_copy(&seed, 4, g.t, g.m, 412, g.q, g.n, 1);
	c = (struct swc){ .s = &g.s, .q = g.q, .n = g.n, .least = 1,
			  .kind = SW_CELLS,
			  .subject = { { .t = g.t, .n = g.m } },
			  .n_subjects = 1 };
	swc_ready(&c);
}

static void
gather(struct cuda_pool *p, struct sw_gpu_text *text)
{
	size_t cells = kernel == CUDA_SW_FAST ? 0 : 5;
	struct sw_query *q;
	struct err e;

	if (sw_query_new(&q, c.s, c.q, c.n, false, SW_AUTO, &e))
		abort();
	for (int i = 0; i < TEXTS; i++)
		text[i] = (struct sw_gpu_text){ .x = c.text };
	if (gathers)
		sw_gpu_batch(p, q, cells, text, TEXTS);
	sw_query_free(q);
}

static bool
search(struct cuda_pool *p)
{
	struct sw_gpu_text text[TEXTS];
	struct sw_backend d = { cuda_sw_find, p };
	struct sw_hits hits = { 0 };
	struct sw_work *w;
	struct err e;
	bool good = !sw_work_new(&w, &e);

	sw_work_backend(w, &d);
	gather(p, text);
	for (int i = 0; i < TEXTS; i++) {
		c.text.known = text[i].known;
		good = good && swc_check(&c, SW_AUTO, 5, w, &hits);
		free(text[i].known.tops);
	}
	c.text.known.tops = NULL;
	sw_work_free(w);
	sw_hits_free(&hits);
	return good;
}

/* With so many bytes a stream; 0, or why it could not begin. */
static int
trial(enum kind kind, int devices, size_t n_bytes, bool *right,
      struct cuda_report *r, struct err *e)
{
	struct cuda_sw_params p = {
		.choice = { .kind = kind == AUTO ? CUDA_AUTO : CUDA_THESE,
			    .n = kind == AUTO ? 0 : (unsigned)devices },
		.kernel = kernel, .own = 256, .lead = 64, .sweep = 64,
		.bytes = n_bytes,
	};
	struct cuda_pool *x;
	int rc;

	for (int i = 0; i < devices; i++)
		p.choice.device[i] = i;
	memset(r, 0, sizeof *r);
	*right = true;
	rc = cuda_sw_new(&x, &p, e);
	if (rc)
		return rc;
	*right = search(x);
	cuda_pool_report(x, r);
	cuda_pool_free(x);
	return 0;
}

static void
each_call(int devices, long step)
{
	struct cuda_report r;
	struct err e;
	unsigned begun = 0, reported = 0;
	bool right, whole;
	long calls;

	simt_devices(devices);
	simt_fail_at(0);
	whole = !trial(NAMED, devices, 1 << 20, &right, &r, &e) &&
		!*r.failed && r.again &&
		r.letters == TEXTS * c.text.n;
	calls = simt_calls();
	ok(whole && right && calls > 30, "%d devices, gathered %d: %ld calls, "
	   "%llu pieces again", devices, gathers, calls,
	   (unsigned long long)r.again);
	for (long i = 1; i <= calls && right; i += step) {
		bool one;

		simt_fail_at(i);
		if (trial(NAMED, devices, 1 << 20, &one, &r, &e))
			continue;
		begun++;
		right = one;
		reported += *r.failed != '\0';
	}
	simt_fail_at(0);
	ok(right && reported > 3 && begun >= reported,
	   "%u begin, %u fail on the way "
	   "and say so",
	   begun, reported);
	simt_devices(1);
}

static void
memory(size_t n_bytes, bool enough)
{
	struct cuda_report r;
	struct err e;
	bool right;
	int rc;

	simt_memory(n_bytes);
	rc = trial(NAMED, 1, 0, &right, &r, &e);
	ok(right && (enough ? !rc && r.letters :
		     rc == ERR_DEVICE && strstr(e.text, "memory")),
	   "%zu bytes: %s", n_bytes, rc ? e.text : "enough");
	simt_memory(1 << 30);
}

/* By default: where there is no GPU, nothing is reported. */
static void
automatic(int devices)
{
	struct cuda_report r;
	struct err e;
	bool right;
	int rc;

	simt_devices(devices);
	rc = trial(AUTO, devices, 1 << 20, &right, &r, &e);
	ok(!rc && right && !*r.failed &&
	   (r.letters > 0) == (devices > 0) &&
	   !*r.why_not == (devices > 0), "auto, %d devices: %s", devices,
	   r.why_not);
	simt_devices(1);
}

int
main(void)
{
	struct cuda_report r;
	struct err e;
	bool right;

	prepare();
	each_call(1, fewer(5) == 5 ? 1 : 5);
	each_call(2, fewer(5) == 5 ? 3 : 7);
	gathers = true;
	each_call(1, fewer(5) == 5 ? 1 : 5);
	kernel = CUDA_SW_MODIFIED;
	each_call(1, fewer(5) == 5 ? 1 : 5);
	gathers = false;
	each_call(1, fewer(5) == 5 ? 1 : 9);
	kernel = CUDA_SW_FAST;
	ok(!trial(NAMED, 1, 9000, &right, &r, &e) && right &&
	   !r.letters && r.left == TEXTS, "a query that is too long");
	ok(!trial(AUTO, 1, 9000, &right, &r, &e) && right &&
	   !r.letters && !r.left, "auto: few pieces fit");
	memory(20 << 20, true);
	memory(100 << 10, false);
	automatic(0);
	automatic(1);
	swc_free(&c);
	swg_free(&g);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
