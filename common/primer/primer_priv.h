/* SPDX-License-Identifier: MIT */
/* primer_priv.h - declarations shared by the engines of primer (private) */
#ifndef SEQF_PRIMER_PRIMER_PRIV_H
#define SEQF_PRIMER_PRIMER_PRIV_H

#include <stdatomic.h>

#include "primer/primer.h"

/* A class of letters is what a symbol of the same number matches; PRIMER_BREAK
 * is where no primer may stand. */
enum { PRIMER_BREAK = 0, PRIMER_NOTHING = 0 };

/* How the short engine and scans for cores work, where not 0: for tests. */
struct primer_force {
	enum primer_force_slices {
		PRIMER_SLICES_ALWAYS = 1,	/* wherever they are possible */
		PRIMER_SLICES_NEVER,
	} slices;
	unsigned rows;		/* of cores, up to 32; above k */
	unsigned tile;		/* letters of the first */
	bool cores;		/* from the first tile on */
	enum primer_force_seeds {	/* wherever they are possible */
		PRIMER_SEEDS_NEW = 1,	/* a table for each tile */
		PRIMER_SEEDS_OLD,	/* one as long as it fits */
	} seeds;
};

struct primer {
	struct primer_params par;
	struct primer_force force;
	const struct primer_backend *backend;
	/* n places: the class, 1 and up, or PRIMER_BREAK, which ends every
	 * target, too; behind them PRIMER_SLACK more breaks. */
	uint8_t *code;
	/* The end of each place's segment, [place, stop) without a break. */
	uint64_t *stop;
	/* end(), place by place; read and raised with memory_order_relaxed. */
	_Atomic uint64_t *end;
	uint64_t n, cap, longest;
	uint64_t *target;	/* where each begins */
	size_t n_targets, target_cap;
	/*
	 * Symbols: 0 nothing, 1 to n_classes the classes, then sets of several
	 * (DNA's ambiguous codes: 15 in all).  holds[s] has bit c - 1 if
	 * symbol s matches class c (DNA); in the literal alphabet, of up to 255
	 * classes (symbols of the text that no target has are 0), a symbol
	 * matches its own class only.
	 */
	unsigned n_classes, n_symbols;
	uint16_t holds[16];
	uint8_t symbol[2][256];		/* by byte: as it is, complement */
};

static inline uint64_t
primer_end(const struct primer *p, uint64_t place)
{
	return atomic_load_explicit(&p->end[place], memory_order_relaxed);
}

/* The largest that end(place) may become. */
static inline uint64_t
primer_cap(const struct primer *p, uint64_t place)
{
	uint64_t max = p->par.max_len;

	return max && max < p->stop[place] - place ? place + max :
						     p->stop[place];
}

/* To the larger of the two; true if it was raised. */
static inline bool
primer_raise(struct primer *p, uint64_t place, uint64_t end)
{
	uint64_t old = primer_end(p, place);

	while (old < end)
		if (atomic_compare_exchange_weak_explicit(
			    &p->end[place], &old, end, memory_order_relaxed,
			    memory_order_relaxed))
			return true;
	return false;
}

static inline bool
primer_settled(const struct primer *p, uint64_t place)
{
	return primer_end(p, place) >= primer_cap(p, place);
}

static inline bool
primer_matches(const struct primer *p, unsigned symbol, uint8_t class)
{
	if (p->par.alphabet == PRIMER_LITERAL)
		return symbol && symbol == class;
	return class && (p->holds[symbol] >> (class - 1) & 1);
}

/* Memory of an engine, kept from search to search. */
struct primer_room {
	void *mem;
	size_t cap;
};
/* Room for n things of so many bytes, contents lost; aligned to 64. */
int primer_room(struct primer_room *r, uint64_t n, size_t size, struct err *e);

/* An engine adds what it needs. */
struct primer_work {
	struct primer_stats stats;
	struct primer_meter *meter;	/* or NULL */
	uint64_t metered;		/* places of this search */
	struct primer_room text;
	struct primer_room eq, state;	/* plain */
	struct primer_room shorts, keys, seeds, cores;
	struct primer_found found;
	/* blocks: text in pieces, for scans, plain starts, their look back, and
	   clusters; clusters; letters of a pattern */
	struct primer_room scanned, pieces, back, sliced, window, list;
	struct primer_room letters;
};

/* A search is done with so many of its places. */
static inline void
primer_meter(struct primer_work *w, uint64_t places)
{
	if (!w->meter || places == w->metered)
		return;
	__atomic_fetch_add(&w->meter->done, places - w->metered,
			   __ATOMIC_RELAXED);
	w->metered = places;
	if (w->meter->tick)
		w->meter->tick(w->meter->ctx);
}

/* The engines: primer_search() within one of them.  Symbols hold no run of
 * more than k that match nothing; n and to - from are not 0. */
struct primer_text {
	const uint8_t *symbol;
	size_t n;
	unsigned n_symbols;	/* all are below: 5 for A C G T and nothing */
};
typedef int primer_engine_fn(struct primer *p, const struct primer_text *x,
			     uint64_t from, uint64_t to, struct primer_work *w,
			     struct err *e);
primer_engine_fn primer_plain, primer_blocks, primer_short;

#endif
