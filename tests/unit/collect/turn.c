/* SPDX-License-Identifier: MIT */
/* turn.c - frames come in the order of their input, run behind run */
#include "collect/collect.h"

#include <string.h>

#include "tests/lib/tap.h"

static struct err err;

struct order {
	char text[64];
	size_t n;
};

static int
put(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct order *o = ctx;

	(void)e;
	o->text[o->n++] = (char)('a' + f->run - 1);
	o->text[o->n++] = (char)('0' + f->serial);
	return 0;
}

/* Words "aX0": chunk 0 of run a, whose file is called X. */
static void
order_is(const char *words, size_t n_bytes, const char *want)
{
	struct order o = { .n = 0 };
	bool good = true;
	struct turn *t;

	if (turn_new(&t, put, &o, &err) != 0)
		abort();
	for (const char *w = words; *w && good; w += w[3] ? 4 : 3) {
		struct run_key run = { .id = (uint64_t)(w[0] - 'a' + 1) };
		struct turn_place at = { .run = &run, .last = true };
		struct rec_frame *f = rec_frame_new(n_bytes);

		if (!f)
			abort();
		memset(f->payload, 0, n_bytes);
		run.base = (struct str) { w + 1, 1 };
		f->run = run.id;
		f->serial = at.first = (uint64_t)(w[2] - '0');
		at.end = at.first + 1;
		good = turn_frame(t, &at, f, &err) == 0;
		rec_frame_drop(f);
	}
	good = good && turn_finish(t, &err) == 0;
	turn_free(t);
	o.text[o.n] = '\0';
	ok(good && strcmp(o.text, want) == 0, "%s: %s", words, o.text);
}

int
main(void)
{
	order_is("aX0 aX1 bY0", 9, "a0a1b0");
	order_is("bY1 bY0 aX1 aX0", 9, "a0a1b0b1");
	/* a run that has begun goes on before others begin */
	order_is("bY0 bY2 aX0 aX1 bY1", 9, "b0b1b2a0a1");
	order_is("bY0 aX0 aX1 bY1", 9, "b0b1a0a1");
	/* the least of a run's names puts it in its place, ... */
	order_is("aY1 bX1 aW0 bX0", 9, "a0a1b0b1");
	/* ... but not where frames lie sorted by another one already */
	order_is("aY1 bX1 bX2 aW0 bX0", 24 << 20, "b0b1b2a0a1");
	return done();
}
