/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - pairs of primers, from files of several kinds
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
#ifndef SEQF_PCR_PAIRS_H
#define SEQF_PCR_PAIRS_H

#include "base/base.h"
#include "input/input.h"

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

#endif
