/* SPDX-License-Identifier: MIT */
/* primer_scan.c - from options and targets to a compiled scan */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/primer/primer.h"
#include "scan/primer/primer_scan_priv.h"

/* Words to numbers, and what goes together. */

static enum primer_sides
sides_of(const char *word)
{
	return !word ? PRIMER_AUTO_SIDES : *word == 'b' ? PRIMER_BOTH :
	       *word == '+' ? PRIMER_PLUS : PRIMER_MINUS;
}

void
primer_words(struct primer_options *o, const char *alphabet,
	     const char *primers, const char *strand, const char *engine,
	     const char *algorithm)
{
	o->paper = *algorithm != 'f';
	o->method = *algorithm == 'c' ? PRIMER_CONVENTIONAL :
		    PRIMER_ALTERNATIVE;
	o->alphabet = *alphabet == 'l' ? PRIMER_LITERAL : PRIMER_DNA;
	o->primers = sides_of(primers);
	o->strands = sides_of(strand);
	o->engine = *engine == 'a' ? PRIMER_AUTO :
		    *engine == 'p' ? PRIMER_PLAIN :
		    *engine == 'b' ? PRIMER_BLOCKS : PRIMER_SHORT;
}

/* A number of digits only, from 1 to most, at *s, which moves behind it. */
static bool
number(const char **s, uint64_t most, uint64_t *to)
{
	const char *p = *s;

	for (*to = 0; *p >= '0' && *p <= '9' && *to <= most; p++)
		*to = *to * 10 + (uint64_t)(*p - '0');
	*s = p;
	return *to >= 1 && *to <= most;
}

static int
three_prime(const struct primer_options *o, struct primer_rule *r,
	    struct err *e)
{
	const char *p = o->three_prime;

	if (!p)
		return 0;
	if (!number(&p, PRIMER_LONGEST, &r->tail) || *p++ != ':' ||
	    !number(&p, PRIMER_MAX_K, &r->tail_k) || *p)
		return err_set(e, ERR_USAGE, "--three-prime %s: must be LEN:K, "
			       "two numbers from 1 on", o->three_prime);
	if (r->tail_k > r->tail)
		return err_set(e, ERR_USAGE, "--three-prime %s: more "
			       "differences than letters", o->three_prime);
	if (r->max_len && r->tail > r->max_len)
		return err_set(e, ERR_USAGE, "--three-prime %s: longer than "
			       "--max-len %lld", o->three_prime,
			       (long long)o->max_len);
	return 0;
}

static int
lengths(const struct primer_options *o, struct primer_rule *r, struct err *e)
{
	r->k = (uint64_t)o->k;
	r->min_len = (uint64_t)o->min_len;
	r->max_len = (uint64_t)o->max_len;
	r->homopolymer = (uint64_t)o->max_homopolymer;
	r->literal = o->alphabet == PRIMER_LITERAL;
	if (!o->k)
		return err_set(e, ERR_USAGE, "how many differences? -k K");
	if (o->max_len && o->max_len < o->k)
		return err_set(e, ERR_USAGE, "--max-len %lld: a primer has as "
			       "many letters as differences at least, -k %lld",
			       (long long)o->max_len, (long long)o->k);
	if (o->max_len && o->min_len > o->max_len)
		return err_set(e, ERR_USAGE, "--min-len %lld: longer than "
			       "--max-len %lld", (long long)o->min_len,
			       (long long)o->max_len);
	return 0;
}

static int
literal(const struct primer_options *o, struct err *e)
{
	const char *what = o->primers == PRIMER_MINUS ? "--primers=-" :
			   o->primers == PRIMER_BOTH ? "--primers=both" :
			   o->strands == PRIMER_MINUS ? "-s -" :
			   o->strands == PRIMER_BOTH ? "-s both" :
			   o->self ? "--self" :
			   o->gc ? "--gc" : o->tm ? "--tm" : NULL;

	if (o->alphabet == PRIMER_LITERAL && what)
		return err_set(e, ERR_USAGE, "%s: only for DNA, not with "
			       "--alphabet=literal", what);
	return 0;
}

static struct str
str_of(const char *s)
{
	return (struct str){ s, strlen(s) };
}

static int
decimal(const char *option, const char *value, uint64_t *to, struct err *e)
{
	if (!value || primer_decimal(str_of(value), MELTING_MAX, to))
		return 0;
	return err_set(e, ERR_USAGE, "%s %s: must be a number up to %d, with "
		       "at most 3 decimals", option, value, MELTING_MAX / 1000);
}

int
primer_salts(const struct primer_options *o, struct melting_salts *t,
	     struct err *e)
{
	struct melting m;
	int rc;

	*t = (struct melting_salts){ 50000, 1500, 600, 50000 };
	rc = decimal("--salt-monovalent", o->monovalent, &t->monovalent, e);
	if (!rc)
		rc = decimal("--salt-divalent", o->divalent, &t->divalent, e);
	if (!rc)
		rc = decimal("--dntp-conc", o->dntp, &t->dntp, e);
	if (!rc)
		rc = decimal("--dna-conc", o->dna, &t->primer, e);
	if (!rc && !melting_init(&m, t))
		rc = err_set(e, ERR_USAGE, "--tm: no temperature without salt "
			     "and primers");
	return rc;
}

static int
letters(const struct primer_options *o, struct primer_rule *r, struct err *e)
{
	r->gc = o->gc;
	r->tm = o->tm;
	if (o->gc && !primer_range(str_of(o->gc), 100000, &r->gc_lo,
				   &r->gc_hi))
		return err_set(e, ERR_USAGE, "--gc %s: must be LO-HI, percent "
			       "from 0 to 100", o->gc);
	if (o->gc && r->gc_lo < 1000 && r->gc_hi <= 1000 && r->gc_hi)
		return err_set(e, ERR_USAGE, "--gc %s: is in percent: %g-%g",
			       o->gc, (double)r->gc_lo / 10,
			       (double)r->gc_hi / 10);
	if (o->tm && !primer_range(str_of(o->tm), 1000000, &r->tm_lo,
				   &r->tm_hi))
		return err_set(e, ERR_USAGE, "--tm %s: must be LO-HI, degrees "
			       "from 0 to 1000", o->tm);
	if (o->tm)
		return primer_salts(o, &r->salts, e);
	if (o->monovalent || o->divalent || o->dntp || o->dna)
		return err_set(e, ERR_USAGE, "%s: only with --tm",
			       o->monovalent ? "--salt-monovalent" :
			       o->divalent ? "--salt-divalent" :
			       o->dntp ? "--dntp-conc" : "--dna-conc");
	return 0;
}

static int
fit(const struct primer_options *o, struct primer_rule *r, struct err *e)
{
	r->fit = o->fit;
	if (o->fit && !o->gc && !o->tm && !o->max_homopolymer)
		return err_set(e, ERR_USAGE, "--fit: only with --gc, --tm or "
			       "--max-homopolymer");
	if (o->fit && !o->max_len)
		return err_set(e, ERR_USAGE, "--fit: how long may primers "
			       "become? --max-len LEN");
	return 0;
}

/* Fill in defaults; ERR_USAGE for what does not go together. */
static int
primer_settle(struct primer_options *o, struct primer_rule *r, struct err *e)
{
	int rc;

	memset(r, 0, sizeof *r);
	rc = lengths(o, r, e);
	if (!rc)
		rc = three_prime(o, r, e);
	if (!rc)
		rc = literal(o, e);
	if (!rc)
		rc = letters(o, r, e);
	if (!rc)
		rc = fit(o, r, e);
	if (o->primers == PRIMER_AUTO_SIDES)
		o->primers = PRIMER_PLUS;
	if (o->strands == PRIMER_AUTO_SIDES)
		o->strands = o->alphabet == PRIMER_LITERAL ? PRIMER_PLUS :
			     PRIMER_BOTH;
	return rc;
}

/* Numbers from 1 to 6, and names, with commas; 0: something else. */
static unsigned
list_of(const char *s)
{
	static const struct {
		const char *name;
		unsigned is;
	} names[] = {
		{ "1", PRIMER_PAPER_ROWS }, { "2", PRIMER_PAPER_REACHED },
		{ "3", PRIMER_PAPER_OWN }, { "4", PRIMER_PAPER_TILES },
		{ "5", PRIMER_PAPER_ALPHA }, { "6", PRIMER_PAPER_BETA },
		{ "reduce", PRIMER_PAPER_REDUCE },
		{ "batch", PRIMER_PAPER_BATCH },
		{ "start", PRIMER_PAPER_START },
	};
	unsigned set = 0;

	for (;; s++) {
		size_t n = strcspn(s, ","), i = 0;

		while (strlen(names[i].name) != n ||
		       memcmp(s, names[i].name, n) != 0)
			if (++i == sizeof names / sizeof *names)
				return 0;
		set |= names[i].is;
		s += n;
		if (!*s)
			return set;
	}
}

static bool
fine(const struct primer_options *o)
{
	return o->parallel && *o->parallel != 'c';
}

/* The source's best. */
static unsigned
best_of(const struct primer_options *o, bool gpu)
{
	bool conventional = o->method == PRIMER_CONVENTIONAL;
	unsigned set = conventional ? PRIMER_PAPER_ROWS : PRIMER_PAPER_REACHED;

	if (gpu)
		return PRIMER_PAPER_OWN | PRIMER_PAPER_TILES |
		       PRIMER_PAPER_ALPHA | PRIMER_PAPER_REDUCE |
		       PRIMER_PAPER_BATCH |
		       (conventional ? PRIMER_PAPER_ROWS : PRIMER_PAPER_BETA);
	if (!fine(o))
		return set;
	return PRIMER_PAPER_OWN | (conventional ? 0 : set);
}

/* Which of them is a GPU's; NULL: none. */
static const char *
why_gpu(unsigned set)
{
	static const struct {
		unsigned of;
		const char *why;
	} rules[] = {
#define ONLY_GPU(of, name)                                                     \
	{ of, name " is a GPU's: only with --kernel=paper" }
		ONLY_GPU(PRIMER_PAPER_TILES, "4"),
		ONLY_GPU(PRIMER_PAPER_ALPHA, "5"),
		ONLY_GPU(PRIMER_PAPER_BETA, "6"),
		ONLY_GPU(PRIMER_PAPER_REDUCE, "reduce"),
		ONLY_GPU(PRIMER_PAPER_BATCH, "batch"),
#undef ONLY_GPU
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (set & rules[i].of)
			return rules[i].why;
	return NULL;
}

/* Why there is no such set of optimisations; NULL: there is. */
static const char *
why_not(const struct primer_options *o, unsigned set)
{
	bool gpu = o->paper_gpu, conventional = o->method ==
						PRIMER_CONVENTIONAL;
	const struct {
		unsigned of, needs;
		bool no;
		const char *why;
	} rules[] = {
		{ PRIMER_PAPER_ROWS, 0, !conventional,
		  "1 is of --algorithm=conventional" },
		{ PRIMER_PAPER_REACHED, 0, conventional,
		  "2 is of --algorithm=alternative" },
		{ PRIMER_PAPER_OWN, 0, !gpu && !fine(o),
		  "3 is of --parallel=fine and both, or --kernel=paper" },
		{ PRIMER_PAPER_BETA, 0, conventional,
		  "6 is of --algorithm=alternative" },
		{ PRIMER_PAPER_START, 0, conventional,
		  "start is of --algorithm=alternative: a matrix needs all "
		  "its rows" },
		{ PRIMER_PAPER_ROWS, 0, !gpu && fine(o),
		  "1 is of --parallel=coarse: anti-diagonals have no rows to "
		  "go by" },
		{ PRIMER_PAPER_ROWS, PRIMER_PAPER_TILES, gpu,
		  "1 needs 4: only tiles have rows to go by" },
		{ PRIMER_PAPER_ALPHA, PRIMER_PAPER_TILES, gpu,
		  "5 needs 4: it is for all tiles" },
		{ PRIMER_PAPER_BETA, PRIMER_PAPER_ALPHA, gpu,
		  "6 needs 5: its letters go with those" },
		{ PRIMER_PAPER_REDUCE, PRIMER_PAPER_OWN, gpu,
		  "reduce needs 3: it is of each thread's maximum" },
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (set & rules[i].of && rules[i].no &&
		    !(rules[i].needs & set))
			return rules[i].why;
	return gpu ? NULL : why_gpu(set);
}

/* The same, of the source's algorithms: optimisations of the CPU, a GPU. */
static int
primer_settle_paper(const struct primer_options *o, unsigned *cpu,
		    unsigned *gpu, struct err *e)
{
	const char *list = o->paper_opts ? o->paper_opts : "all", *why;
	bool all = strcmp(list, "all") == 0;
	unsigned set = list_of(list);

	*cpu = all ? best_of(o, false) : set;
	*gpu = all ? best_of(o, true) : set;
	if (!o->paper && o->parallel)
		return err_set(e, ERR_USAGE, "--parallel: only with --algorithm"
			       "=conventional or alternative");
	if (!o->paper && !o->paper_gpu && o->paper_opts)
		return err_set(e, ERR_USAGE, "--paper-opts: only with "
			       "--algorithm=conventional or alternative, or "
			       "--kernel=paper");
	if (!set && !all && strcmp(list, "none") != 0)
		return err_set(e, ERR_USAGE, "--paper-opts %s: must be all, "
			       "none, or of 1 to 6, reduce, batch and start "
			       "some, with commas", list);
	why = why_not(o, set);
	if (why)
		return err_set(e, ERR_USAGE, "--paper-opts %s: %s", list, why);
	return 0;
}

/* From options and targets to a compiled scan. */

void
primer_searches_free(struct primer **search)
{
	for (int i = 0; i < SEARCHES; i++) {
		primer_delete(search[i]);
		search[i] = NULL;
	}
}

static int
search_new(const struct primer_scan *s, struct primer **p,
	   const struct primer_params *par, struct err *e)
{
	int rc = primer_new(p, par, e);

	if (!rc && s->backend.find)
		primer_set_backend(*p, &s->backend);
	for (size_t i = 0; i < s->n_sides && !rc; i++)
		rc = primer_add(*p, s->side[i].letters, s->side[i].n, e);
	return rc;
}

int
primer_searches_new(const struct primer_scan *s, struct primer **search,
		    struct err *e)
{
	struct primer_params par = {
		.alphabet = s->o.alphabet,
		.engine = s->o.paper ? PRIMER_PLAIN : s->o.engine,
		.k = (uint64_t)s->o.k, .max_len = (uint64_t)s->o.max_len,
	};
	int rc;

	search[SEARCH_WHOLE] = search[SEARCH_TAIL] = NULL;
	rc = search_new(s, &search[SEARCH_WHOLE], &par, e);
	par.k = s->rule.tail_k;
	par.max_len = s->rule.tail;
	if (!rc && s->rule.tail)
		rc = search_new(s, &search[SEARCH_TAIL], &par, e);
	if (rc)
		primer_searches_free(search);
	return rc;
}

/* Upper case with T for U, if it is DNA. */
static int
copy_letters(const struct primer_scan *s, const struct query *q, uint8_t *to,
	     struct err *e)
{
	for (size_t i = 0; i < q->letters.n; i++) {
		uint8_t c = (uint8_t)q->letters.p[i];

		to[i] = c;
		if (s->o.alphabet == PRIMER_LITERAL)
			continue;
		if (!dna_set(c))
			return err_set(e, ERR_USAGE, "letter %zu, '%c', is not "
				       "DNA (for others: --alphabet=literal)",
				       i + 1, c ? c : '?');
		if (c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		to[i] = c == 'U' ? 'T' : c;
	}
	return 0;
}

static int
add_side(struct primer_scan *s, uint32_t target, bool minus, struct err *e)
{
	const struct query *q = &s->q->v[target];
	struct primer_side *d = &s->side[s->n_sides];
	int rc;

	d->letters = malloc(q->letters.n);
	if (!d->letters)
		return err_nomem(e, q->letters.n);
	s->n_sides++;
	d->target = target;
	d->minus = minus;
	d->n = q->letters.n;
	s->starts += d->n;
	rc = copy_letters(s, q, d->letters, e);
	if (rc)
		return query_blame(q, "target", e);
	if (minus)
		dna_revcomp(d->letters, d->n);
	return 0;
}

static int
add_targets(struct primer_scan *s, struct err *e)
{
	int rc = 0;

	if (s->q->n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too many targets");
	s->side = calloc(s->q->n * 2, sizeof *s->side);
	if (!s->side)
		return err_nomem(e, s->q->n * 2 * sizeof *s->side);
	for (uint32_t i = 0; i < s->q->n && !rc; i++) {
		if (s->o.primers & PRIMER_PLUS)
			rc = add_side(s, i, false, e);
		if (!rc && s->o.primers & PRIMER_MINUS)
			rc = add_side(s, i, true, e);
	}
	return rc;
}

/* What an occurrence may need before the last of its letters. */
static void
set_context(struct primer_scan *s)
{
	for (int i = 0; i < SEARCHES; i++) {
		uint64_t span = s->empty[i] ? primer_span(s->empty[i]) : 0;

		if (span > s->context + 1)
			s->context = span - 1;
	}
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct primer_scan *s, struct err *e)
{
	static const char *const sides[] = { "", "+", "-", "both" };
	struct buf *b = &s->text;

	primer_rule_put(&s->options, &s->rule);
	buf_printf(b, "program primer-find\nversion %s\n", SEQF_VERSION);
	buf_put(b, s->options.p, s->options.n);
	if (s->self)
		buf_printf(b, "self %016llx\n",
			   (unsigned long long)primer_self_hash(s->self));
	buf_printf(b, "primers %s\nstrand %s\nqueries %zu\n",
		   sides[s->o.primers], sides[s->o.strands], s->q->n);
	if (b->bad || s->options.bad)
		return err_nomem(e, b->n);
	s->key.id = hash64(b->p, b->n, queries_hash(s->q));
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ s->q->base, strlen(s->q->base) };
	s->key.rule = SCAN_MAX;
	buf_printf(b, "query %s\nscan %016llx\n", s->q->base,
		   (unsigned long long)s->key.id);
	return b->bad ? err_nomem(e, b->n) : 0;
}

static int
compile(struct primer_scan *s, struct err *e)
{
	int rc = primer_settle(&s->o, &s->rule, e);

	if (!rc)
		rc = primer_settle_paper(&s->o, &s->optimisations,
					 &s->gpu_optimisations, e);
	if (!rc)
		rc = add_targets(s, e);
	if (!rc && s->o.self)
		rc = primer_self_new(&s->self, s->o.self, e);
	if (!rc && s->self)
		s->hide = primer_self_hide(s->self);
	if (!rc)
		rc = primer_searches_new(s, s->empty, e);
	if (!rc)
		rc = identify(s, e);
	if (!rc)
		set_context(s);
	return rc;
}

int
primer_scan_new(struct primer_scan **out, const struct primer_options *o,
		const struct queries *q, struct err *e)
{
	struct primer_scan *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->o = *o;
	s->q = q;
	rc = compile(s, e);
	if (rc) {
		primer_scan_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
primer_scan_free(struct primer_scan *s)
{
	if (!s)
		return;
	primer_searches_free(s->empty);
	cuda_pool_free(s->gpu);
	primer_self_free(s->self);
	for (size_t i = 0; i < s->n_sides; i++)
		free(s->side[i].letters);
	free(s->side);
	buf_free(&s->text);
	buf_free(&s->options);
	free(s);
}

/* Which cores GPUs look for, and when. */

/*
 * By default a GPU is used only for so many cores a thread: a
 * thread scans for 128 in about the time of one.  It does some 2^33 letters x
 * cores in a second, and to open a device takes a good part of one.
 */
enum { AUTO_CORES = 256, AUTO_WAIT = 33 };

static int
open_cores(struct primer_scan *s, const struct primer_gpu_params *p,
	   struct err *e)
{
	unsigned streams = p->threads < 2 ? 2 : p->threads;
	struct cuda_primer_params c = {
		.choice = p->choice, .wait = (uint64_t)p->threads << AUTO_WAIT,
		.rate = scan_cpu_rate(p->threads, 1ull << AUTO_WAIT),
		.least = p->choice.kind == CUDA_THESE ? 0 : AUTO_CORES,
	};
	int rc;

	/* The source's algorithms are the CPU's, but for their own kernels. */
	if (s->o.paper)
		c.choice.kind = CUDA_NONE;
	/* a long core is too little for a device: one of each thread */
	if (!primer_scan_by_text(s))
		c.streams = streams < CUDA_MAX_STREAMS ? streams :
							 CUDA_MAX_STREAMS;
	rc = cuda_primer_new(&s->gpu, &c, e);
	if (!rc)
		s->backend = cuda_primer_backend(s->gpu);
	return rc;
}

int
primer_use_gpu(struct primer_scan *s, const struct primer_gpu_params *p,
	       struct err *e)
{
	struct cuda_paper_primer_params c = { p->choice, p->how };
	int rc;

	if (!s->o.paper_gpu)
		return open_cores(s, p, e);
	rc = cuda_paper_primer_new(&s->gpu, &c, e);
	if (!rc)
		s->paper_backend = cuda_paper_primer_backend(s->gpu);
	return rc;
}

void
primer_end_gpu(struct primer_scan *s, struct cuda_report *r)
{
	cuda_pool_report(s->gpu, r);
	cuda_pool_free(s->gpu);
	s->gpu = NULL;
}
