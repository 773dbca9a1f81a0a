/* SPDX-License-Identifier: MIT */
/*
 * opt.h - one table of options a program: parsing, --help, completion
 *
 * The table is the only place where an option, its range, its default and its
 * help stand.  Parsing, --help, the range errors and the completions for
 * bash, zsh and fish derive from it; a test compares the man pages with it.
 * Every program has -h/--help, -V/--version, -v/--verbose, --quiet and the
 * hidden --completion=SHELL; they need no entry.
 */
#ifndef SEQF_CLI_OPT_H
#define SEQF_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"

enum opt_kind {
	OPT_FLAG,	/* bool *: becomes true */
	OPT_INT,	/* int64_t *: a decimal number in [min, max] */
	OPT_SIZE,	/* int64_t *: the same, also 1.5k, 2M, 3G */
	OPT_TEXT,	/* const char **: any text; joined, also "-v" */
	OPT_FILE,	/* const char **: a file's name (for completion) */
	OPT_CHOICE,	/* const char **: one of the words of arg, a|b|c */
	OPT_LIST,	/* struct opt_list *: may be given many times */
	OPT_LISTFILE,	/* the same, completed as a file's name */
	OPT_NAMEFILE,	/* const char **: a name, or a file to read */
	OPT_ATFILE,	/* const char **: any text, or @ and a file to read */
	OPT_SECONDS,	/* int64_t *: an optional number, --name[=N]; N or 1 */
	OPT_MAYBE,	/* const char **: an optional text, --name[=TEXT]; ""
			   without */
	OPT_RENAMED,	/* a former long name; by OPT_FORMER() */
};

struct opt {
	int letter;		/* 'k', or 0 */
	const char *name;	/* long name, or NULL */
	const char *arg;	/* "K", "FILE", "all|best"; NULL: a flag */
	enum opt_kind kind;
	int64_t min, max;	/* of OPT_INT, OPT_SIZE, OPT_SECONDS */
	void *to;
	const char *dflt;	/* shown in --help; NULL: nothing to show */
	const char *help;	/* one line; NULL: a hidden option */
};

/*
 * An entry for a former long name of the option now called --name: accepted
 * with a note, neither in --help nor in completions.
 */
#define OPT_FORMER(former, name) \
	{ 0, former, NULL, OPT_RENAMED, 0, 0, NULL, name, NULL }

struct opt_spec {
	const char *prog;	/* "asm-scan" */
	const char *does;	/* one line, the .Nd of its page */
	const char *usage;	/* "[options] -q FILE [FILE ...]" */
	const char *operands;	/* what the operands are, one line; or NULL */
	const struct opt *table;	/* ends with { 0 } */
	/* of OPT_NAMEFILE: a name, whatever files there are; NULL: none is */
	bool (*is_name)(const char *text);
	/* values that completions offer for options that take others, too:
	 * pairs of a long name and "a|b|c", ended by NULL; or NULL */
	const char *const *values;
	const bool *no_input;	/* true, once parsed: without operands stdin is
				   not read; or NULL */
};

/*
 * Parse argv; *operand becomes the index of the first operand (options and
 * operands may be mixed: argv is permuted).  Handles --help, --version and
 * --completion itself: they print to stdout, check the write and exit 0; sets
 * the program's name and verbosity (prog_set).  Returns 0, or ERR_USAGE with
 * a reason such as "-k 70: must be 0 to 63", "unknown option --foo" or "-k:
 * needs an argument (K), but -e follows".  Notes each former name that was
 * used: "--best is now --max-hits".  Calls cpu_check().
 */
int opt_parse(const struct opt_spec *spec, int argc, char **argv,
	      int *operand, struct err *e);
/* The next input that an option names, from *at = 0; NULL: there is no more. */
const char *opt_input(const struct opt_spec *spec, const struct opt *o,
		      size_t *at);
void opt_help(const struct opt_spec *spec, FILE *f);
/* shell: bash, zsh or fish; ERR_USAGE otherwise. */
int opt_completion(const struct opt_spec *spec, const char *shell, FILE *f,
		   struct err *e);
void opt_list_free(struct opt_list *l);

/* What the parts of opt.h share; for opt*.c only. */

/*
 * What an option that this program has not is called here, as other tools have
 * it (synonyms.c): "differences are -k K"; NULL: not known.  name: without the
 * dashes, n letters.
 */
const char *opt_synonym(const struct opt_spec *spec, const char *name,
			size_t n);

/* The options that every program has, ended as any table. */
extern const struct opt opt_common[];

/* The number of the long option i is this and i; letters lie below. */
enum { OPT_LONG = 256 };

/* Whether the argument may be left out: it is no word of its own. */
static inline bool
opt_is_optional(const struct opt *o)
{
	return o->kind == OPT_SECONDS || o->kind == OPT_MAYBE;
}

/* Whether the argument is completed as a name of a file. */
static inline bool
opt_is_file(const struct opt *o)
{
	return o->kind == OPT_FILE || o->kind == OPT_LISTFILE ||
	       o->kind == OPT_NAMEFILE || o->kind == OPT_ATFILE;
}

/* "0 to 63", "at least 1", or nothing where any number will do. */
struct opt_range {
	char text[64];
};
struct opt_range opt_range(int64_t min, int64_t max, bool sizes);

/* A whole number in [min, max], with sizes also 1.5k; ERR_USAGE. */
int opt_number(const char *s, int64_t min, int64_t max, bool sizes,
	       int64_t *out, struct err *e);

#endif
