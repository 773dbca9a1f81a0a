/* SPDX-License-Identifier: MIT */
/*
 * sw.c - the score pass of local alignment in memory, timed
 *
 *	sw [ENGINE [ROUNDS [N M ...]]]
 * ENGINE: auto, plain, lanes8, lanes16, skew.  Pairs of query and text lengths,
 * by default 128 10000000 1024 5000000 10240 1000000: random DNA, one segment,
 * with 2/-3/5/2 (random letters score low) and 5/-3/8/1 (the linear phase).
 * Prints GCUPS of the fastest round, by CPU time, and which part it is of what
 * the vector units can do: a cell of a vector takes 9.25 operations of 8 bits
 * or 8.25 of 16, of which 5.25 are maxima or saturating ones.  Both rates are
 * measured here: on Intel there are half as many ports for maxima of 512 bits.
 * Set SEQF_ISA for another instruction set.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/sw_gen.h"
#include "sw/sw_lanes.h"
#include "sw/sw_skew.h"
#include "machine.h"

static const char *const names[] = { "auto", "plain", "lanes8", "lanes16",
				     "skew" };

static int64_t
take_cells(void *ctx, uint64_t block, int64_t top)
{
	int64_t *best = ctx;

	(void)block;
	*best = top > *best ? top : *best;
	return *best;
}

/* Maxima of vectors a cycle; the best of some tries. */
static double
maxima(enum isa isa)
{
	double best = 0;
#if defined(__x86_64__)
#define ONE(op, v, to) op " %%" v "8,%%" v to ",%%" v to "\n\t"
#define EIGHT(op, v)							\
	ONE(op, v, "0") ONE(op, v, "1") ONE(op, v, "2") ONE(op, v, "3")	\
	ONE(op, v, "4") ONE(op, v, "5") ONE(op, v, "6") ONE(op, v, "7")

	for (int r = 0; r < 9; r++) {
		double t = machine_cpu();

		for (int i = 0; i < MACHINE_LOOPS; i++)
			if (isa == ISA_AVX512)
				__asm__ volatile(EIGHT("vpmaxub", "zmm") : : :
				    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
				    "xmm5", "xmm6", "xmm7");
			else
				__asm__ volatile(EIGHT("vpmaxub", "ymm") : : :
				    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
				    "xmm5", "xmm6", "xmm7");
		t = 8 * MACHINE_LOOPS / (machine_cpu() - t) / 1e9 /
		    machine_ghz();
		best = t > best ? t : best;
	}
#endif
	return best > 0 ? best : 1;
}

/* GCUPS, if the vector units were never idle. */
static double
bound(bool bytes)
{
	static double most, all, ghz;
	enum isa isa = cpu_isa();
	double lanes = isa == ISA_AVX512 ? 64 : isa == ISA_AVX2 ? 32 : 0;
	double cycles, least;

	if (lanes == 0)
		return 1;
	if (most == 0) {
		most = maxima(isa);
		all = machine_vector_ops(isa);
		all = all > most ? all : most;
		ghz = machine_ghz();
	}
	cycles = (bytes ? 9.25 : 8.25) / all;
	least = 5.25 / most;
	return (bytes ? lanes : lanes / 2) * ghz /
	       (cycles > least ? cycles : least);
}

static void
report_skew(const struct sw_skew *s)
{
	double steps = (double)(s->did.steps8 + s->did.steps16);

	printf("\tskewed: %.2f %% in 16 bits, %" PRIu64 " fell back, "
	       "%.2f %% looked into, %.2f %% recorded",
	       100 * (double)s->did.steps16 / steps, s->did.failed8,
	       100 * (double)s->did.reruns / steps,
	       100 * (double)s->did.recorded / steps);
}

static void
report(const struct swg_case *c, const struct sw_work *w, double seconds,
       int64_t best)
{
	const struct sw_lanes *s = w->lanes;
	double gcups = (double)c->n * (double)c->m / seconds / 1e9;

	printf("%zu x %zu\t%d/%d/%d/%d\tbest %" PRId64 "\t%.1f GCUPS", c->n,
	       c->m, c->s.score[0][0], c->s.score[0][1], c->s.open,
	       c->s.extend, best, gcups);
	if (s && s->did.passes) {
		bool bytes = s->did.blocks8 > s->did.blocks16;

		printf("\t%.0f %% of %.1f (%d bits)\t%" PRIu64 " passes, "
		       "%.3f x the blocks, %.2f %% reruns",
		       100 * gcups / bound(bytes), bound(bytes), bytes ? 8 : 16,
		       s->did.passes,
		       (double)(s->did.blocks8 + s->did.blocks16) /
		       (double)s->step,
		       100. * (double)s->did.reruns / (double)s->strips /
		       (double)(s->did.blocks8 + s->did.blocks16));
	}
	if (w->skew && w->skew->did.steps8 + w->skew->did.steps16)
		report_skew(w->skew);
	printf("\n");
	fflush(stdout);
}

static void
measure(struct swg_case *c, enum sw_engine engine, unsigned rounds)
{
	uint64_t n = (c->m + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
	struct sw_seg seg = { 0, n, 0 };
	struct sw_text t = { c->t, n, &seg, 1, { 0 } };
	struct sw_peak *peak = calloc(n / SW_BLOCK, sizeof *peak);
	struct sw_query *q;
	struct sw_work *w;
	struct err e;
	double least = 1e99;
	int64_t best = 1;

	if (!peak || sw_work_new(&w, &e) ||
	    sw_query_new(&q, &c->s, c->q, c->n, false, engine, &e))
		machine_stop("no memory");
	for (unsigned r = 0; r < rounds; r++) {
		struct sw_pass p = { .q = q, .t = &t, .peak = peak,
				     .threshold = 1, .raise = take_cells,
				     .ctx = &best };
		double beg;

		best = 1;
		if (w->lanes)
			memset(&w->lanes->did, 0, sizeof w->lanes->did);
		if (w->skew)
			memset(&w->skew->did, 0, sizeof w->skew->did);
		beg = machine_cpu();
		if (sw_pass(&p, w, &e))
			machine_stop("pass");
		beg = machine_cpu() - beg;
		least = beg < least ? beg : least;
	}
	report(c, w, least, best);
	sw_query_free(q);
	sw_work_free(w);
	free(peak);
}

static void
pair(size_t n, size_t m, enum sw_engine engine, unsigned rounds)
{
	static const int32_t scheme[][4] = { { 2, -3, 5, 2 }, { 5, -3, 8, 1 } };
	uint64_t seed = 1;

	for (unsigned i = 0; i < 2; i++) {
		const int32_t *v = scheme[i];
		struct swg_case c;

		swg_dna(&c.s, v[0], v[1], v[2], v[3]);
		swg_room(&c, n, m + 2 * SW_BLOCK);
		c.m = m;
		memset(c.t + m, SW_PAD, 2 * SW_BLOCK);
		swg_fill(&seed, SWG_RANDOM, 5, c.q, n);
		swg_fill(&seed, SWG_RANDOM, 5, c.t, m);
		measure(&c, engine, rounds);
		swg_free(&c);
	}
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "auto";
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
	unsigned engine = 0;

	while (engine < 5 && strcmp(names[engine], name) != 0)
		engine++;
	if (engine == 5)
		machine_stop("sw [auto|plain|lanes8|lanes16|skew "
			     "[ROUNDS [N M ...]]]");
	printf("%s, %.2f GHz, %.2f vector operations, %.2f maxima a cycle\n",
	       cpu_isa_name(cpu_isa()), machine_ghz(),
	       machine_vector_ops(cpu_isa()), maxima(cpu_isa()));
	if (argc < 5) {
		pair(128, 10000000, (enum sw_engine)engine, rounds);
		pair(1024, 5000000, (enum sw_engine)engine, rounds);
		pair(10240, 1000000, (enum sw_engine)engine, rounds);
	}
	for (int i = 3; i + 1 < argc; i += 2)
		pair(strtoull(argv[i], NULL, 10), strtoull(argv[i + 1], NULL,
		     10), (enum sw_engine)engine, rounds);
	return 0;
}
