/* SPDX-License-Identifier: MIT */
/* output.h - the output of a program, which nothing is left of if it stops */
#ifndef SEQF_OUTPUT_H
#define SEQF_OUTPUT_H

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/opt.h"
#include "stream/out.h"

static char output_left[4096];	/* its name */

static void
output_stop(int signal)
{
	unlink(output_left);
	raise(signal);	/* the handler is off: it ends the program */
}

/* The input that the output would replace, or NULL: an operand (none: stdin),
 * or a file of -q; argv ends with NULL. */
static inline const char *
output_input(const struct out *out, const struct opt_spec *spec,
	     char *const *operand)
{
	if (!*operand && out_is_file(out, "-"))
		return "-";
	for (; *operand; operand++)
		if (out_is_file(out, *operand))
			return *operand;
	for (const struct opt *o = spec->table; o->letter || o->name; o++) {
		const struct opt_list *l = o->to;

		for (size_t i = 0; o->kind == OPT_LISTFILE && i < l->n; i++)
			if (l->v[i].letter == o->letter &&
			    out_is_file(out, l->v[i].value))
				return l->v[i].value;
	}
	return NULL;
}

/* A signal that ends the program takes away the file that would be left. */
static inline void
output_guard(const char *left)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM, SIGXCPU,
				    SIGXFSZ };
	struct sigaction was, act = { .sa_handler = output_stop,
				      .sa_flags = (int)SA_RESETHAND };

	if (!left || strlen(left) >= sizeof output_left)
		return;
	strcpy(output_left, left);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler == SIG_DFL)	/* nohup ignores SIGHUP */
			sigaction(ends[i], &act, NULL);
}

/* As out_open(), but of no file that is read: it would be lost, or read for
 * ever. */
static inline int
output_open(struct out **out, const char *path, const struct opt_spec *spec,
	    char *const *operand, struct err *e)
{
	int rc = out_open(out, path, e);
	const char *input = rc ? NULL : output_input(*out, spec, operand);

	if (rc)
		return rc;
	if (!input) {
		output_guard(out_left(*out));
		return 0;
	}
	out_abort(*out);
	return err_set(e, ERR_USAGE, "%s: is the input and the output: write "
		       "to another file",
		       strcmp(input, "-") ? input : "stdin");
}

#endif
