/* SPDX-License-Identifier: MIT */
/* primer_scan_options.c - words to numbers, and what goes together */
#include "scan/primer_scan_priv.h"

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
	if (!value || primer_decimal(str_of(value), MELT_MOST, to))
		return 0;
	return err_set(e, ERR_USAGE, "%s %s: must be a number up to %d, with "
		       "at most 3 decimals", option, value, MELT_MOST / 1000);
}

/* primer3's defaults. */
static int
salts(const struct primer_options *o, struct melt_salts *t, struct err *e)
{
	struct melt m;
	int rc;

	*t = (struct melt_salts){ 50000, 1500, 600, 50000 };
	rc = decimal("--salt-monovalent", o->monovalent, &t->monovalent, e);
	if (!rc)
		rc = decimal("--salt-divalent", o->divalent, &t->divalent, e);
	if (!rc)
		rc = decimal("--dntp-conc", o->dntp, &t->dntp, e);
	if (!rc)
		rc = decimal("--dna-conc", o->dna, &t->primer, e);
	if (!rc && !melt_init(&m, t))
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
	if (o->tm && !primer_range(str_of(o->tm), 1000000, &r->tm_lo,
				   &r->tm_hi))
		return err_set(e, ERR_USAGE, "--tm %s: must be LO-HI, degrees "
			       "from 0 to 1000", o->tm);
	if (o->tm)
		return salts(o, &r->salts, e);
	if (o->monovalent || o->divalent || o->dntp || o->dna)
		return err_set(e, ERR_USAGE, "%s: only with --tm",
			       o->monovalent ? "--salt-monovalent" :
			       o->divalent ? "--salt-divalent" :
			       o->dntp ? "--dntp-conc" : "--dna-conc");
	return 0;
}

int
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
	if (o->primers == PRIMER_AUTO_SIDES)
		o->primers = PRIMER_PLUS;
	if (o->strands == PRIMER_AUTO_SIDES)
		o->strands = o->alphabet == PRIMER_LITERAL ? PRIMER_PLUS :
			     PRIMER_BOTH;
	return rc;
}

/* Numbers from 1 to 6, and our own, with commas; 0: something else. */
static unsigned
list_of(const char *s)
{
	static const char own[] = "start";
	unsigned set = 0;

	for (;; s++) {
		if (*s >= '1' && *s <= '6') {
			set |= 1U << (*s++ - '1');
		} else if (strncmp(s, own, sizeof own - 1) == 0) {
			set |= PRIMER_PAPER_START;
			s += sizeof own - 1;
		} else {
			return 0;
		}
		if (!*s)
			return set;
		if (*s != ',')
			return 0;
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
		       PRIMER_PAPER_ALPHA |
		       (conventional ? PRIMER_PAPER_ROWS : PRIMER_PAPER_BETA);
	if (!fine(o))
		return set;
	return PRIMER_PAPER_OWN | (conventional ? 0 : set);
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
		{ PRIMER_PAPER_TILES, 0, !gpu,
		  "4 is a GPU's: only with --kernel=paper" },
		{ PRIMER_PAPER_ALPHA, 0, !gpu,
		  "5 is a GPU's: only with --kernel=paper" },
		{ PRIMER_PAPER_BETA, 0, !gpu,
		  "6 is a GPU's: only with --kernel=paper" },
		{ PRIMER_PAPER_BETA, 0, conventional,
		  "6 is of --algorithm=alternative" },
		{ PRIMER_PAPER_ROWS, 0, !gpu && fine(o),
		  "1 is of --parallel=coarse: anti-diagonals have no rows to "
		  "go by" },
		{ PRIMER_PAPER_ROWS, PRIMER_PAPER_TILES, gpu,
		  "1 needs 4: only tiles have rows to go by" },
		{ PRIMER_PAPER_ALPHA, PRIMER_PAPER_TILES, gpu,
		  "5 needs 4: it is for all tiles" },
		{ PRIMER_PAPER_BETA, PRIMER_PAPER_ALPHA, gpu,
		  "6 needs 5: its letters go with those" },
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (set & rules[i].of && rules[i].no &&
		    !(rules[i].needs & set))
			return rules[i].why;
	return NULL;
}

int
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
			       "none, or of 1 to 6 and start some, with commas",
			       list);
	why = why_not(o, set);
	if (why)
		return err_set(e, ERR_USAGE, "--paper-opts %s: %s", list, why);
	return 0;
}
