/* SPDX-License-Identifier: MIT */
/*
 * kdiff_scan.c - the text engine's driver
 *
 * A text is scanned in blocks, so that the memory of the lanes is bounded:
 * hits come in order only when all lanes of a block are done.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

/* A scan, its lanes and pieces. */
struct scan {
	const struct kdiff_set *set;
	const struct kdiff_text *text;
	struct kdiff_work *w;
	struct err *e;
	const uint32_t *which;	/* patterns; NULL: the first n */
	size_t n;
	struct kdiff_source src;
	struct kdiff_piece pc;
	bool minima;		/* the kernel's */
	bool all_ends;		/* from, to are not looked at */
	struct kdiff_hits *hits;	/* where hits go */
	kdiff_take_fn *take;	/* who takes them from there, or NULL */
	kdiff_words_fn *words;	/* or who takes words instead */
	void *ctx;
	bool at_once;		/* after each piece, in any order */
	unsigned lanes, piece;
	uint64_t first, lane_words, lane_step, warm;
	uint64_t next, end;	/* words to be owned by blocks to come */
	uint64_t own;		/* first word that the block owns */
	size_t seg[KDIFF_MAX_LANES];	/* where each lane is */
};

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

/*
 * Lanes of the next block: the fewest words a lane that cover it; one lane
 * where the warm-ups of more would be longer than the text.  Blocks are about
 * equally long: at least half of `most`, so that there is a warm-up before the
 * next one, and more lanes than one are shorter than one lane: two take
 * n / 2 + warm + 4 words at most, and n >= 2 (warm + 4).
 */
static void
plan_block(struct scan *s)
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

static void
prepare_piece(struct scan *s, uint64_t sb, unsigned n_sb)
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

/* The hits of lanes, in order. */

enum { ENOUGH = 4096 };		/* hits to be taken at once: 64 KB */

/*
 * Sort v[0..n) by end, ends in beg .. beg + RANGE - 1, by counting: of equal
 * ends the first stays first.
 */
enum { RANGE = KDIFF_MAX_PIECE * KDIFF_SB + 1 };

static void
count_sort(struct kdiff_hit *v, size_t n, uint64_t beg,
	   const struct kdiff_hit *from)
{
	uint32_t at[RANGE + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		at[from[i].end - beg + 1]++;
	for (size_t i = 1; i <= RANGE; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < n; i++)
		v[at[from[i].end - beg]++] = from[i];
}

/* Order h[from ...), of a piece that begins at letter beg, by way of tmp. */
static int
order_piece(struct kdiff_hits *h, size_t from, uint64_t beg,
	    struct kdiff_hits *tmp, struct err *e)
{
	size_t n = h->n - from;
	int r;

	if (n <= 32)
		return kdiff_hits_order(h, from, tmp, e);
	tmp->n = 0;
	r = kdiff_hits_room(tmp, n, e);
	if (r < 0)
		return r;
	memcpy(tmp->v, h->v + from, n * sizeof *h->v);
	count_sort(h->v + from, n, beg, tmp->v);
	return 0;
}

void
kdiff_lane_free(struct kdiff_lane *lane)
{
	free(lane->v);
	free(lane->run);
	memset(lane, 0, sizeof *lane);
}

/* The hits of a lane's run, appended. */
static int
expand_run(struct scan *s, const struct kdiff_lane *lane,
	   const struct kdiff_run *hits_run)
{
	const struct kdiff_set *set = s->set;
	const struct kdiff_pat *p = &set->pat[hits_run->pattern];
	struct kdiff_hits *h = s->hits;
	bool ham = set->p.hamming;
	size_t words = hits_run->n / (ham ? p->bits + 2 : KDIFF_EDIT_WORD);
	size_t first = h->n;
	int r = kdiff_hits_room(h, words * 64 + KDIFF_HITS_OVER, s->e);

	if (r < 0)
		return r;
	h->n += (ham ? set->ops.ham_extract : set->ops.edit_extract)
	    (p, hits_run, lane->v + hits_run->from, s->minima, h->v + first);
	return set->exact ? kdiff_exact_keep(set, s->text, s->w, h, first,
					     s->e) : 0;
}

/*
 * Append the hits of a lane to s->hits in the order (end, pattern).  In
 * between s->take gets them, if it is not NULL; some may be left.  The lane's
 * runs are in order, those of a piece one behind the other.
 */
static int
kdiff_lane_hits(struct scan *s, const struct kdiff_lane *lane)
{
	struct kdiff_hits *h = s->hits;
	int r = 0;

	for (size_t i = 0; s->words && i < lane->n_run && !r; i++)
		r = s->words(s->ctx, lane->run + i,
			     lane->v + lane->run[i].from, s->e);
	for (size_t i = 0, runs; !s->words && i < lane->n_run && !r;
	     i += runs) {
		const struct kdiff_run *hits_run = lane->run + i;
		size_t first = h->n;

		for (runs = 0; !r && i + runs < lane->n_run &&
		     hits_run[runs].at == hits_run->at; runs++)
			r = expand_run(s, lane, hits_run + runs);
		if (!r && runs > 1)
			r = order_piece(h, first, hits_run->at, &s->w->tmp,
					s->e);
		if (!r && s->take && h->n >= ENOUGH) {
			r = s->take(s->ctx, h->v, h->n, s->e);
			h->n = 0;
		}
	}
	return r;
}

/* Memory; segments. */

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

int
kdiff_all_ends(const struct kdiff_text *text, struct kdiff_work *w,
	       struct kdiff_text *all, struct err *e)
{
	if (array_room(&w->seg, &w->seg_cap, text->n_seg, sizeof *w->seg, e))
		return e->code;
	*all = *text;
	for (size_t i = 0; i < text->n_seg; i++) {
		w->seg[i] = text->seg[i];
		w->seg[i].from = w->seg[i].beg + 1;
		w->seg[i].to = w->seg[i].end;
	}
	all->seg = w->seg;
	return 0;
}

/* The driver of the kernels. */

enum { GROUP_BYTES = 64 << 20, EQ_BYTES = 16 << 10 };

/* The i-th one to be searched for. */
static const struct kdiff_pat *
pattern(const struct scan *s, size_t i)
{
	return &s->set->pat[s->which ? s->which[i] : i];
}

static size_t
row_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	size_t v = s->lanes * sizeof(uint64_t);

	return v * (s->set->p.hamming ? p->bits + 1 : 2) * p->m;
}

/* Bytes of a pattern's state. */
static size_t
state_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	return row_bytes(s, p) + s->lanes * sizeof(uint64_t) * (p->n_chk + 3);
}

/* The state before the first letter: D = row everywhere. */
static void
state_init(const struct scan *s, const struct kdiff_pat *p,
	   struct kdiff_state *st, uint8_t *mem)
{
	size_t v = s->lanes * sizeof(uint64_t);

	st->rows = (uint64_t *)mem;
	memset(mem, s->set->p.hamming ? 0xff : 0, row_bytes(s, p));
	mem += row_bytes(s, p);
	st->right = (uint64_t *)mem;
	st->tail = (uint64_t *)(mem + p->n_chk * v);
	st->deepest = st->need = st->deep = 0;
	for (unsigned l = 0; l < s->lanes; l++) {
		st->right[l] = p->chk[0];
		st->tail[l] = st->tail[2 * s->lanes + l] = 0;
		st->tail[s->lanes + l] = 1ull << 63;
	}
	for (uint32_t c = 0; c + 1 < p->n_chk; c++)
		if (!s->set->p.hamming && p->chk[c] <= p->slack[c])
			st->need = c + 1;
}

/* Allocate and start patterns [beg, end); returns end, or an error. */
static int
start_patterns(struct scan *s, size_t beg, size_t *end)
{
	struct kdiff_work *w = s->w;
	size_t n = 0, v = s->lanes * sizeof(uint64_t), i = beg;
	size_t block = s->piece * KDIFF_WORDS * v;
	uint8_t *p;
	int r;

	do
		n += state_bytes(s, pattern(s, i++));
	while (i < s->n && n < GROUP_BYTES);
	*end = i;
	r = kdiff_room(&w->mem, &w->mem_cap,
		       n + block * (s->set->n_sym + 2), s->e);
	if (r < 0)
		return r;
	r = kdiff_room((uint8_t **)&w->st, &w->st_cap,
		       (*end - beg) * sizeof *w->st, s->e);
	if (r < 0)
		return r;
	p = w->mem;
	s->pc.eq = (uint64_t *)p;
	s->pc.gap = (uint64_t *)(p += block * s->set->n_sym);
	s->pc.own = (uint64_t *)(p += block);
	p += block;
	for (i = beg; i < *end; i++) {
		state_init(s, pattern(s, i), &w->st[i - beg], p);
		p += state_bytes(s, pattern(s, i));
	}
	return 0;
}

/* Hits of all lanes, which are empty then. */
static int
take_lanes(struct scan *s)
{
	int r = 0;

	for (unsigned l = 0; !r && l < s->lanes; l++) {
		struct kdiff_lane *lane = &s->w->lane[l];

		r = kdiff_lane_hits(s, lane);
		lane->n = lane->n_run = 0;
	}
	return r;
}

/* Pattern i over the piece; its state is st. */
static int
scan_piece(struct scan *s, size_t i, struct kdiff_state *st)
{
	const struct kdiff_pat *p = pattern(s, i);
	bool ham = s->set->p.hamming;
	size_t word = ham ? p->bits + 2 : KDIFF_EDIT_WORD;
	size_t from[KDIFF_MAX_LANES];

	for (unsigned l = 0; l < s->lanes; l++) {
		struct kdiff_lane *x = &s->w->lane[l];

		from[l] = x->n;
		if (array_room(&x->v, &x->cap, x->n +
			       (s->pc.n_sb * KDIFF_WORDS + 1) * word,
			       sizeof *x->v, s->e) ||
		    array_room(&x->run, &x->run_cap, x->n_run + 1,
			       sizeof *x->run, s->e))
			return s->e->code;
	}
	(ham ? s->set->ops.ham : s->set->ops.edit)(p, st, &s->pc, s->minima,
						   s->w->lane);
	for (unsigned l = 0; l < s->lanes; l++) {
		struct kdiff_lane *x = &s->w->lane[l];

		if (x->n > from[l])
			x->run[x->n_run++] = (struct kdiff_run){
				s->pc.at[l], from[l],
				(uint32_t)(x->n - from[l]),
				s->which ? s->which[i] : (uint32_t)i,
			};
	}
	return s->at_once ? take_lanes(s) : 0;
}

/* Patterns [beg, end) over the block. */
static int
scan_group(struct scan *s, size_t beg, size_t end)
{
	uint64_t n_sb = s->lane_words / KDIFF_WORDS;
	int r = 0;

	for (unsigned l = 0; l < s->lanes; l++)
		s->seg[l] = kdiff_seg_find(s->text, (s->first +
						     l * s->lane_step) * 64);
	for (uint64_t sb = 0; !r && sb < n_sb; sb += s->pc.n_sb) {
		prepare_piece(s, sb, n_sb - sb < s->piece ?
				    (unsigned)(n_sb - sb) : s->piece);
		for (size_t i = beg; !r && i < end; i++)
			r = scan_piece(s, i, &s->w->st[i - beg]);
	}
	return r;
}

static int
cmp_runs(const void *x, const void *y)
{
	const struct kdiff_run *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

static int
scan_block(struct scan *s)
{
	struct kdiff_lane *lane = s->w->lane;
	size_t beg = 0, end = 0;
	int r = 0;

	plan_block(s);
	for (unsigned l = 0; l < s->lanes; l++)
		lane[l].n = lane[l].n_run = 0;
	for (; !r && beg < s->n; beg = end) {
		r = start_patterns(s, beg, &end);
		if (!r)
			r = scan_group(s, beg, end);
		/* the runs of a later group go between those of others */
		for (unsigned l = 0; !r && beg && l < s->lanes; l++)
			if (lane[l].n_run)
				qsort(lane[l].run, lane[l].n_run,
				      sizeof *lane[l].run, cmp_runs);
	}
	return r ? r : take_lanes(s);
}

static void
set_source(struct scan *s)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_params *p = &s->set->p;

	s->src.n = t->n;
	s->src.sym = s->set->sym;
	s->src.n_sym = s->pc.n_sym = s->set->n_sym;
	s->src.fold = p->alphabet == KDIFF_PROTEIN;
	if (p->alphabet != KDIFF_DNA) {
		s->src.bytes = t->bytes;
	} else if (p->iupac && t->sets) {
		s->src.sets = t->sets;
	} else {
		s->src.planes = t->planes;
		s->src.exc = t->exc;
	}
}

static int
scan_run(struct scan *s)
{
	size_t first = s->hits->n, n_eq;
	int r = 0;

	if (!s->n || !s->text->n_seg)
		return 0;
	s->lanes = s->set->ops.lanes;
	set_source(s);
	s->warm = (s->minima ? s->set->max_2mk : s->set->max_mk) / 64 + 1;
	s->next = s->text->seg[0].beg / 64;
	/* with the column after the last end */
	s->end = s->text->seg[s->text->n_seg - 1].end / 64 + 1;
	n_eq = s->set->n_sym * KDIFF_WORDS * s->lanes * sizeof(uint64_t);
	s->piece = (unsigned)(EQ_BYTES / n_eq);
	if (s->piece > KDIFF_MAX_PIECE)
		s->piece = KDIFF_MAX_PIECE;
	if (!s->piece)
		s->piece = 1;
	while (!r && s->next < s->end)
		r = scan_block(s);
	if (!r && s->all_ends)
		r = kdiff_hits_minima(s->set, s->text, s->hits, first, s->e);
	return r;
}

int
kdiff_text_scan(const struct kdiff_job *j)
{
	bool minima = j->set->p.report == KDIFF_MINIMA && !j->all;
	bool after = j->set->p.hamming || j->set->exact;
	struct kdiff_hits *batch = &j->w->batch;
	struct scan s = {
		.set = j->set, .text = j->text, .w = j->w, .e = j->e,
		.which = j->which, .n = j->n,
		.hits = j->hits ? j->hits : batch, .take = j->take,
		.words = j->words, .ctx = j->ctx,
		/* by the kernel, or out of all ends */
		.minima = minima && !after, .all_ends = minima && after,
	};
	int r;

	if (s.all_ends)		/* minima are known at the end only */
		s.take = NULL;
	s.at_once = j->unordered && s.take;
	batch->n = 0;
	r = scan_run(&s);
	return r || j->hits || !batch->n ? r :
	       j->take(j->ctx, batch->v, batch->n, j->e);
}

/* Lists of hits: order, minima, those of two engines as one. */

void
kdiff_hits_free(struct kdiff_hits *h)
{
	free(h->v);
	memset(h, 0, sizeof *h);
}

int
kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e)
{
	return array_room(&h->v, &h->cap, h->n + more, sizeof *h->v, e);
}

/* Merge v[0..mid) and v[mid..n) by way of tmp, which holds mid hits. */
static void
merge_hits(struct kdiff_hit *v, size_t mid, size_t n, struct kdiff_hit *tmp)
{
	size_t i = 0, j = mid, k = 0;

	memcpy(tmp, v, mid * sizeof *v);
	while (i < mid)
		v[k++] = j < n && kdiff_hit_before(&v[j], &tmp[i]) ? v[j++] :
			 tmp[i++];
}

/* Of hits in order and their copies the one of the least distance stays. */
static void
drop_copies(struct kdiff_hits *h, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		if (n > from && !kdiff_hit_before(&h->v[n - 1], &x)) {
			if (x.dist < h->v[n - 1].dist)
				h->v[n - 1].dist = x.dist;
			continue;
		}
		h->v[n++] = x;
	}
	h->n = n;
}

int
kdiff_hits_order(struct kdiff_hits *h, size_t from, struct kdiff_hits *tmp,
		 struct err *e)
{
	struct kdiff_hit *v;
	size_t n = h->n - from;
	int r;

	if (n < 2)
		return 0;
	v = h->v + from;
	tmp->n = 0;
	r = kdiff_hits_room(tmp, n, e);
	for (size_t w = 1; w < n && !r; w *= 2)
		for (size_t i = 0; i + w < n; i += 2 * w)
			if (kdiff_hit_before(&v[i + w], &v[i + w - 1]))
				merge_hits(v + i, w,
					   n - i < 2 * w ? n - i : 2 * w,
					   tmp->v);
	drop_copies(h, from);
	return r;
}

void
kdiff_hits_reported(const struct kdiff_text *t, struct kdiff_hits *h)
{
	const struct kdiff_seg *g = t->seg;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		while (g->end < x.end)
			g++;
		if (x.end >= g->from && x.end <= g->to)
			h->v[n++] = x;
	}
	h->n = n;
}

enum { KEEP = 1u << 31 };	/* in dist, which is below 2^17 */

struct hits_run {
	size_t last;		/* its last hit so far, SIZE_MAX: none */
	uint64_t beg;		/* its first end */
	bool armed;		/* the value before is larger */
};

static void
close_run(struct hits_run *r, uint32_t m, struct kdiff_hit *v)
{
	if (r->armed || v[r->last].end - r->beg + 1 > m)
		v[r->last].dist |= KEEP;
}

/* Add hit i to the run of its pattern. */
static void
extend_run(struct hits_run *r, uint32_t m, struct kdiff_hit *v, size_t i)
{
	bool joined = r->last != SIZE_MAX && v[r->last].end + 1 == v[i].end;
	uint32_t was = joined ? v[r->last].dist : UINT32_MAX;

	if (r->last != SIZE_MAX && (!joined || v[i].dist > was))
		close_run(r, m, v);
	if (!joined || v[i].dist != was) {
		r->beg = v[i].end;
		r->armed = v[i].dist < was;
	}
	r->last = i;
}

size_t
kdiff_hits_minima_of(struct kdiff_hit *v, size_t n, uint32_t m)
{
	struct hits_run r = { .last = SIZE_MAX };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		extend_run(&r, m, v, i);
	if (n)
		close_run(&r, m, v);
	for (size_t i = 0; i < n; i++)
		if (v[i].dist & KEEP) {
			v[kept] = v[i];
			v[kept++].dist &= ~(uint32_t)KEEP;
		}
	return kept;
}

/*
 * All ends <= k, in context too, are there; values elsewhere are larger, as
 * are those of windows that would leave a segment.
 */
int
kdiff_hits_minima(const struct kdiff_set *set, const struct kdiff_text *text,
		  struct kdiff_hits *h, size_t from, struct err *e)
{
	struct hits_run *hits_run = malloc(set->n * sizeof *hits_run);
	size_t kept = from, s = 0;

	if (!hits_run)
		return err_nomem(e, set->n * sizeof *hits_run);
	for (size_t p = 0; p < set->n; p++)
		hits_run[p].last = SIZE_MAX;
	for (size_t i = from; i < h->n; i++)
		extend_run(&hits_run[h->v[i].pattern],
			   set->pat[h->v[i].pattern].m, h->v, i);
	for (size_t p = 0; p < set->n; p++)
		if (hits_run[p].last != SIZE_MAX)
			close_run(&hits_run[p], set->pat[p].m, h->v);
	free(hits_run);
	for (size_t i = from; i < h->n; i++) {
		struct kdiff_hit x = h->v[i];

		while (s + 1 < text->n_seg && text->seg[s + 1].beg <= x.end)
			s++;
		if (x.dist & KEEP && x.end >= text->seg[s].from &&
		    x.end <= text->seg[s].to) {
			x.dist &= ~(uint32_t)KEEP;
			h->v[kept++] = x;
		}
	}
	h->n = kept;
	return 0;
}

int
kdiff_job_give(const struct kdiff_job *j, const struct kdiff_hit *v, size_t n)
{
	int r;

	if (j->take)
		return j->take(j->ctx, v, n, j->e);
	r = kdiff_hits_room(j->hits, n, j->e);
	if (r)
		return r;
	memcpy(j->hits->v + j->hits->n, v, n * sizeof *v);
	j->hits->n += n;
	return 0;
}

struct mix {
	const struct kdiff_job *j;
	const struct kdiff_hits *h;
	size_t next;		/* of h */
	uint64_t base;		/* added to the text engine's ends */
};

/* Hits of the text engine, with those of the list that come before them. */
static int
mix_hits(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct mix *m = ctx;
	const struct kdiff_hits *h = m->h;
	struct kdiff_hits *to = &m->j->w->mixed;
	int r;

	to->n = 0;
	r = kdiff_hits_room(to, n + (h->n - m->next), e);
	for (size_t i = 0; i < n && !r; i++) {
		struct kdiff_hit x = v[i];

		x.end += m->base;
		while (m->next < h->n && kdiff_hit_before(&h->v[m->next], &x))
			to->v[to->n++] = h->v[m->next++];
		to->v[to->n++] = x;
	}
	return r ? r : kdiff_job_give(m->j, to->v, to->n);
}

int
kdiff_text_mix(const struct kdiff_job *j, const struct kdiff_text *text,
	       uint64_t base, const uint32_t *which, size_t n,
	       const struct kdiff_hits *h)
{
	struct mix m = { j, h, 0, base };
	struct kdiff_job other = *j;
	int r = 0;

	other.text = text;
	other.which = which;
	other.n = n;
	other.hits = NULL;
	other.take = mix_hits;
	other.ctx = &m;
	if (n && text->n_seg)
		r = kdiff_text_scan(&other);
	if (r || m.next == h->n)
		return r;
	return kdiff_job_give(j, h->v + m.next, h->n - m.next);
}
