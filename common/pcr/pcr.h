/* SPDX-License-Identifier: MIT */
/* pcr.h - pairs of primers, and their sites joined to products */
#ifndef SEQF_PCR_PCR_H
#define SEQF_PCR_PCR_H

#include "base/base.h"
#include "input/input.h"

/*
 * Pairs of primers, from files of several kinds
 *
 * Recognised by their content:
 *	lines "name forward [reverse [min max]]", separated by tabs, or by
 * blanks where a line has no tab.  Without a reverse primer the forward one is
 * paired with itself.
 *	BED of a tiling scheme (ARTIC): NAME_LEFT and NAME_RIGHT in column 4,
 * which belong together if NAME and the pool, column 5, agree; letters in
 * column 7, or by name from a FASTA.
 *	FASTA: NAME/F and NAME/R, or what pcr_side() takes for the same.
 * Of alternates, NAME_LEFT_alt1 and so on, each LEFT is paired with each
 * RIGHT; one full name twice in a pool is an error.  Blank lines and those that
 * begin with # are passed over.
 */

struct pcr_primer {
	struct str name;	/* of queries: no blank, no control character */
	struct str letters;	/* IUPAC, as given */
	const char *path;	/* of the file */
	uint64_t line;
	bool probe;		/* of no pair */
};

struct pcr_pair {
	struct str name;	/* as given */
	uint32_t f, r;		/* primers; f == r: one with itself */
	bool inner;		/* of PCR_INNER */
	bool limits;		/* its own min and max */
	uint64_t min, max;	/* letters of a product */
};

struct pcr_pairs {	/* all zero: empty */
	struct pcr_primer *primer;
	size_t n_primers, cap_primers;
	struct pcr_pair *pair;
	size_t n_pairs, cap_pairs;
	size_t n_probes;	/* of the primers */
	const char *path;	/* of the first file, as messages have it */
	struct str base;	/* base_name() of path */
	struct index names;	/* of primers, number + 1, by two hashes */
	struct pcr_text *text;	/* owns all strings */
};

enum pcr_role {
	PCR_PAIRS,		/* primers NAME/F and NAME/R */
	PCR_INNER,		/* of nested PCR: NAME/F2 and NAME/R2 */
	PCR_PROBES,		/* FASTA, each by itself, with its own name */
	PCR_PRIMERS,		/* each by itself; those of FASTA and BED with
				   their own names, whatever these say */
};
struct pcr_pairs_params {
	enum pcr_role role;
	bool alone;		/* a primer needs no partner (--all-pairs) */
	const struct queries *letters;	/* of BED without column 7, by name;
					   or NULL */
};

/* To those that are there already.  "-" is stdin.  ERR_USAGE with file and
 * line; ERR_IO, ERR_LIMIT, ...; then they are all gone. */
int pcr_pairs_load(struct pcr_pairs *p, const char *path,
		   const struct pcr_pairs_params *pp, struct err *e);
/* All of them; inner and probes may be NULL. */
struct pcr_files {
	const char *pairs, *inner, *probes;
	bool alone;		/* in pairs */
	enum pcr_role role;	/* of pairs: PCR_PAIRS or PCR_PRIMERS */
};
/* letters: FASTA for a BED of pairs without them; may be empty. */
int pcr_files_load(struct pcr_pairs *p, const struct pcr_files *f,
		   const struct opt_list *letters, struct err *e);
/* The same of n bytes of memory; path: what messages name. */
int pcr_pairs_parse(struct pcr_pairs *p, const char *path, const void *bytes,
		    size_t n, const struct pcr_pairs_params *pp,
		    struct err *e);
void pcr_pairs_free(struct pcr_pairs *p);

/* Number of the primer of that name; n_primers: there is none. */
size_t pcr_pairs_find(const struct pcr_pairs *p, struct str name);
/* The primers as queries, which must not outlive p; queries_free(). */
int pcr_pairs_queries(const struct pcr_pairs *p, struct queries *q,
		      struct err *e);

/*
 * NAME_LEFT, NAME_RIGHT_alt2, NAME/F, name-rev, NAME.R ...: the name, which
 * side, and what stands behind LEFT and RIGHT.  False: it says no side.
 */
struct pcr_side {
	struct str stem, alt;
	bool reverse;
};
bool pcr_side(struct pcr_side *s, struct str name);

/*
 * Sites of primers to products of PCR
 *
 * A product of the pair (f, r) is a site of f on + at [a,b) and one of r on -
 * at [c,d), or of r on + and f on -, with a <= c, b <= d and min <= d - a <=
 * max; it is [a,d).  Every such two sites are one product.
 *	With shadows a site is left out if one of the same primer and strand
 * with fewer differences overlaps more than half of the shorter of both,
 * whether that one is left out or not.
 *	Where there are probes, a product counts only if a site of one lies in
 * it, on either strand: the best one is that with the fewest differences, and
 * of equal ones the first by end.  Where there are inner pairs, only their
 * products count, and only if one of another pair begins where they do or
 * before, and ends where they do or behind: the one that ends last, and of
 * equal ones the first by begin, then by pair.
 *	Sites come in the order of their ends; products go on in the order of
 * begins.  What is kept are sites of the last `max` letters and the length of
 * a site.  With n sites and p products: O(n log n + p), but for shadows, which
 * compare each site with those of its primer that overlap it.
 */

enum { PCR_OPS = 6 };	/* operations of a CIGAR that need no memory */

struct pcr_site {
	uint32_t primer;
	bool minus;
	uint64_t beg, end, edits;	/* beg < end */
	size_t n_ops;
	union {
		uint32_t few[PCR_OPS];
		uint32_t *many;		/* malloc()ed */
	} ops;
};
static inline const uint32_t *
pcr_ops(const struct pcr_site *s)
{
	return s->n_ops > PCR_OPS ? s->ops.many : s->ops.few;
}

struct pcr_product {
	uint32_t f, r;		/* primers */
	size_t pair;		/* of them; n_pairs: not in the file */
	bool minus;		/* r is on +, f on - */
	const struct pcr_site *left, *right;	/* on +, on - */
	const struct pcr_site *probe;	/* the best inside; or NULL */
	struct pcr_outer {	/* of an inner one: where it lies */
		size_t pair;
		uint64_t beg, end;
	} outer;
};
static inline uint64_t
pcr_product_edits(const struct pcr_product *p)
{
	return p->left->edits + p->right->edits;
}

typedef int pcr_product_fn(void *ctx, const struct pcr_product *p,
			   struct err *e);

struct pcr_join_params {
	const struct pcr_pairs *pairs;
	bool all_pairs;		/* each primer with each, and itself */
	bool shadows;
	uint64_t min, max;	/* of pairs without their own */
	uint64_t max_hits;	/* of each pair and subject the best, by
				   differences, then order; 0: all */
	pcr_product_fn *put;
	void *ctx;
};

struct pcr_join;
int pcr_join_new(struct pcr_join **j, const struct pcr_join_params *p,
		 struct err *e);
void pcr_join_free(struct pcr_join *j);
/*
 * Before its first site: the subject is circular, of n letters.  Its sites come
 * from `from` on, those that begin in the first letters a second time, n
 * further on, and those that reach into the first letters also before them; a
 * product begins in [from, from + n) and has n letters at most.  With inner
 * pairs all sites come once more, and inner products begin in
 * [from + n, from + 2 n).
 */
void pcr_join_circle(struct pcr_join *j, uint64_t from, uint64_t n);
/* Letters of which a product or a site is one, at most. */
uint64_t pcr_join_reach(const struct pcr_join *j);
/* At most so many letters has a site. */
uint64_t pcr_longest_site(const struct pcr_pairs *p);
/* The next site of the subject, its CIGAR beside it: s->ops is not looked at.
 * Its end is not below that of the one before. */
int pcr_join_site(struct pcr_join *j, const struct pcr_site *s,
		  const uint32_t *ops, struct err *e);
/* The subject has no more. */
int pcr_join_end(struct pcr_join *j, struct err *e);

/* All that other folders may use of pcr/. */


#endif
