/* SPDX-License-Identifier: MIT */
/*
 * primer_blocks.c - the ends of many starts by one pass over the text
 *
 * Let E be the end of the first start of a block, or less.  A start j of the
 * block that gets an end above E has [j, E + 1) occur, so its part [c, E + 1),
 * the core, does, if c is the block's last start.  One pass finds where.  What
 * is there is grouped into clusters, each of which has a first start that it
 * may matter for.  The block's starts are gone through upwards.  Where a
 * cluster's first start is reached:
 *
 * - it is looked at backwards, if E has grown since it last was: which starts
 *   have the longer [j, E + 1) occur in it.  Most have none;
 * - then it is looked at forwards, for the ends of several starts at once.
 *
 * A start below the first of all clusters has the end of the one before it.
 *
 * A block that costs more than its starts one by one would, as in repeats, is
 * given up.  The next one has half the starts; where it had one or two, starts
 * are searched by all of the text, until that took twice what the block did,
 * twice as much each time: what blocks cost in vain is soon a small part.
 *
 * There, a start that is searched gains, or has the end E of the one before.
 * Then a pass backwards from E tells the next start that gains, if it is not
 * far: those before it have E.  So two passes are made for each start that
 * gains at most, or one, where all do.
 *
 * Passes are by words of rows, a lane of 32 or 64 bits each, or by slices, a
 * lane of one bit each (primer_slices.h), which long texts are cheaper by.
 *
 * Or a finder looks for the core (primer_block_told.c).
 *
 * Memory of a thread: the text twice, once in pieces for single starts and once
 * in those for passes, or half of it by slices, with rows + k letters more in
 * each of up to 32 lanes, or 512; clusters, up to two bytes a letter; and up to
 * 200 bytes a letter of a window of the target (with the literal alphabet 8
 * more for each of its symbols).
 */
#include "algo/primer_blocks.h"
#include "base/cpu.h"
#include "base/minmax.h"

enum {
	LEAST_PAUSE = 4, MOST_PAUSE = 512,	/* plain starts' steps */
	/* Rows and differences of a core: scans and looks back, of 4 times as
	 * many, count in 31 bits. */
	MOST_CORE = 1 << 27,
};

static struct primer_blocks_ops
ops_of(enum isa isa)
{
#define OPS(lanes, pieces, bits, slices, isa) (struct primer_blocks_ops){ \
	lanes, pieces, bits, slices, primer_slices_##isa,		\
	primer_scan_##isa, primer_reach_##isa, primer_eq_##isa,		\
	primer_turn_##isa }
	switch (isa) {
#if defined(__x86_64__)
	case ISA_AVX512: return OPS(16, 32, 32, 512, avx512);
	case ISA_AVX2: return OPS(8, 16, 32, 256, avx2);
#endif
	default: return OPS(2, 2, 64, 64, scalar);
	}
#undef OPS
}

/* Permutations of 64 bits: of 8 or 16 symbols; of 4, as halves, and nothing.
 * Of 32 bits: as many symbols as a vector has. */
static void
choose(struct primer_blocks *b)
{
	unsigned n = b->x->n_symbols;
	enum isa isa = cpu_isa();

	b->ops = ops_of(isa);
	b->reaches = b->scans = (struct primer_shape){
		.bits = 64, .how = PRIMER_EQ_LOAD, .stride = n,
	};
	if ((isa == ISA_AVX512 && n <= 8) || (isa == ISA_AVX2 && n <= 5))
		b->reaches = (struct primer_shape){ 64, PRIMER_EQ_8, 8 };
	else if (isa == ISA_AVX512 && n <= 16)
		b->reaches = (struct primer_shape){ 64, PRIMER_EQ_16, 16 };
	b->scans.bits = b->ops.bits;
	if (isa == ISA_AVX512 && n <= 16)
		b->scans = (struct primer_shape){ 32, PRIMER_EQ_16, 16 };
	else if (isa == ISA_AVX2 && n <= 8)
		b->scans = (struct primer_shape){ 32, PRIMER_EQ_8, 8 };
}

/* A start is done: its end is what is known. */
static void
settle(struct primer_blocks *b, uint64_t start)
{
	uint64_t end = min_u64(primer_known(b, start),
			       primer_cap(b->p, start));

	primer_raise(b->p, start, end);
	b->before = end;
}

static bool
settled(const struct primer_blocks *b, uint64_t start)
{
	return primer_known(b, start) >= primer_cap(b->p, start);
}

/* The first start in [beg, last] that a cluster may matter for; last + 1: none
 * does. */
static uint64_t
next_start(const struct primer_blocks *b)
{
	uint64_t start = b->last + 1;

	for (size_t i = 0; i < b->n; i++)
		start = min_u64(start, b->list[i].start);
	return start;
}

static bool
stale(const struct primer_cluster *c, uint64_t end)
{
	return !c->hot && c->end < end;
}

/*
 * Clusters to be looked at backwards: of those of this start as many as there
 * are lanes, and if there are fewer, of the next ones, too.  Returns how many
 * of this start there are in all.
 */
static size_t
some_stale(struct primer_blocks *b, uint64_t start, uint64_t end,
	   struct primer_cluster **to, unsigned *n)
{
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (b->list[i].start == start && stale(&b->list[i], end)) {
			all++;
			if (*n < b->ops.lanes)
				to[(*n)++] = &b->list[i];
		}
	for (size_t i = 0; all && i < b->n && *n < b->ops.lanes; i++)
		if (b->list[i].start > start && b->list[i].start <= b->last &&
		    stale(&b->list[i], end))
			to[(*n)++] = &b->list[i];
	return all;
}

/* Clusters that are looked at forwards in this start's turn. */
static int
look_ahead(struct primer_blocks *b, uint64_t start)
{
	unsigned n = (unsigned)min_u64(b->ops.lanes, b->last + 1 - start);
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++) {
		struct primer_cluster *c = &b->list[i];

		if (c->start != start)
			continue;
		rc = primer_look_ahead(b, c, start, n);
		c->start = start + n;
		break;
	}
	return rc;
}

/* One step at a start that some cluster may matter for; *stop: the block has
 * become dear, and ends before this start. */
static int
step(struct primer_blocks *b, uint64_t start, bool *stop)
{
	struct primer_cluster *some[PRIMER_MAX_LANES];
	uint64_t end = primer_known(b, start), rows = end + 1 - start;
	uint64_t all, cost;
	unsigned n;

	if (settled(b, start)) {
		for (size_t i = 0; i < b->n; i++)
			b->list[i].start = max_u64(b->list[i].start, start + 1);
		return 0;
	}
	all = some_stale(b, start, end, some, &n);
	if (!n)
		return look_ahead(b, start);
	cost = (all / b->ops.lanes + 1) * PRIMER_CHAINS *
	       (rows + 2 * b->limit) * (rows / 64 + 1);
	*stop = start > b->beg && cost > b->spent / (start - b->beg);
	return *stop ? 0 : primer_look_back(b, some, n, start, end);
}

/*
 * What suits: passes over the text that cost a few times what looking in vain
 * does.  The fewer rows a core has, the more starts are in its block, at most
 * twice as many, but the more often it occurs: with k of 1,000, one letter in
 * two hundred is from hardly anywhere to everywhere.  Where a window has fewer
 * rows than suited, as after many starts that gained nothing, they are tried.
 */
static void
adapt(struct primer_blocks *b, uint64_t scan, bool stopped)
{
	uint64_t n = b->last + 1 - b->beg, core = b->end + 1 - b->first;

	if (core < b->core && b->first == b->beg && !stopped)
		b->core = core;
	if (core != b->core)
		return;
	if (stopped || b->idle > scan / 5)
		b->core++;
	else if (b->idle < scan / 50)	/* far from what suits */
		b->core -= min_u64((b->core - b->limit) / 16, n);
	if (b->idle < scan / 8 && !stopped && b->core > b->limit + 1)
		b->core--;
}

/*
 * A block costs more than as many starts one by one, of which one is so many
 * steps.  One of half the starts may not; where there are no fewer, starts one
 * by one it shall be now, for a while.
 */
static void
give_up(struct primer_blocks *b, uint64_t each)
{
	uint64_t n = b->last + 1 - b->beg, rows = b->end + 1 - b->beg;

	b->w->stats.plain++;
	b->pause = 2 * b->spent;
	b->core = rows - (n - 1) / 2;
	if (n <= 2) {
		b->pauses = max_u64(2 * b->pauses, LEAST_PAUSE * each);
		b->pauses = min_u64(b->pauses, MOST_PAUSE * each);
		b->pause = max_u64(b->pause, b->pauses);
	}
	b->paused = b->done = 0;
	b->grew = true;
}

/* Of a start that is searched by all of the text: as those of the last pause
 * did, if that is less.  With max_len it may be, as where all there can be is
 * found, nothing is left to be read. */
static uint64_t
plain_steps(const struct primer_blocks *b, uint64_t rows)
{
	uint64_t most = primer_plain_steps(b, rows);

	return b->each ? min_u64(b->each, most) : most;
}

/* The starts of a block; *next is the first that is not done. */
static int
starts(struct primer_blocks *b, uint64_t *next)
{
	uint64_t each = plain_steps(b, b->end + 1 - b->beg);
	uint64_t scan = b->spent, at = b->beg, to;
	bool stop = false, dear = false;
	int rc = 0;

	while (!rc && !stop && !dear && at <= b->last) {
		to = next_start(b);
		while (at < to)
			settle(b, at++);
		if (at <= b->last)
			rc = step(b, at, &stop);
		dear = b->spent > scan + (at - b->beg + LEAST_PAUSE) * each;
	}
	*next = at;
	if (rc)
		return rc;
	adapt(b, scan, stop);
	if (dear || b->spent > 2 * (at - b->beg + 1) * each)
		give_up(b, each);
	else
		b->pauses = 0;
	return 0;
}

static int
block(struct primer_blocks *b, uint64_t start, uint64_t to, uint64_t *next)
{
	uint64_t end = primer_known(b, start), rows = end + 1 - start;
	uint64_t core = min_u64(rows, min_u64(b->core, MOST_CORE));
	int rc;

	b->beg = start;
	b->end = end;
	b->first = end + 1 - core;
	b->last = min_u64(b->first, to - 1);
	b->spent = b->idle = 0;
	b->w->stats.blocks++;
	rc = primer_block_told(b);
	if (rc == PRIMER_NOT_NOW)
		rc = primer_block_scan(b);
	return rc ? rc : starts(b, next);
}

/* A start by itself: in a pause, and where nothing is known of its end. */
static int
plain(struct primer_blocks *b, uint64_t start)
{
	uint64_t end = primer_known(b, start);
	int rc;

	b->spent = 0;
	rc = primer_block_plain(b, start);
	b->segment = b->p->stop[start];
	settle(b, start);
	b->each = b->spent + 1;
	b->grew = b->before > end;
	if (!rc && !b->core)
		b->core = max_u64(b->before - start, b->limit + 1);
	return rc;
}

/* The next starts in a pause; *at is the first that is not done. */
static int
by_all_of_text(struct primer_blocks *b, uint64_t *at, uint64_t to)
{
	uint64_t start = *at, next = start;
	int rc = 0;

	b->spent = 0;
	if (!b->grew) {
		rc = primer_block_back(b, start, primer_known(b, start), &next);
		b->grew = true;
		while (!rc && *at < min_u64(next, to))
			settle(b, (*at)++);
	} else {
		rc = plain(b, (*at)++);
	}
	b->paused += b->spent;
	b->done += *at - start;
	b->pause -= min_u64(b->pause, b->spent);
	if (!b->pause)
		b->each = b->done ? b->paused / b->done + 1 : 0;
	return rc;
}

int
primer_blocks(struct primer *p, const struct primer_text *x, uint64_t from,
	      uint64_t to, struct primer_work *w, struct err *e)
{
	struct primer_blocks b = {
		.p = p, .x = x, .w = w, .e = e, .limit = p->par.k - 1,
		.before = from ? primer_end(p, from - 1) : 0,
		.segment = UINT64_MAX,
	};
	uint64_t at = from;
	int rc = 0;

	choose(&b);
	b.scanned = (struct primer_pieces){
		.room = &w->scanned, .n = b.ops.pieces, .back = true,
	};
	b.plain = (struct primer_pieces){
		.room = &w->pieces, .n = b.ops.lanes,
	};
	b.back = (struct primer_pieces){
		.room = &w->back, .n = b.ops.lanes, .back = true,
	};
	b.sliced = (struct primer_pieces){
		.room = &w->sliced, .n = b.ops.slices, .back = true,
	};
	while (!rc && at < to)
		if (settled(&b, at))
			settle(&b, at++);
		else if (b.segment != p->stop[at])
			rc = plain(&b, at++);
		else if (b.pause || b.limit >= MOST_CORE)
			rc = by_all_of_text(&b, &at, to);
		else
			rc = block(&b, at, to, &at);
	return rc;
}
