/* SPDX-License-Identifier: MIT */
/* output.h - the output of a program, which nothing is left of if it stops */
#ifndef SEQF_OUTPUT_H
#define SEQF_OUTPUT_H

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/opt.h"
#include "base/base.h"

static struct out_guard output_left;

/* Of a process that no signal of its own ends, as a container's first: exit. */
static void
output_stop(int signal)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t this;

	out_stop(&output_left);
	sigaction(signal, &dfl, NULL);
	sigemptyset(&this);
	sigaddset(&this, signal);
	pthread_sigmask(SIG_UNBLOCK, &this, NULL);
	raise(signal);
	_exit(128 + signal);
}

/* The input that the output would replace, or NULL: an operand (none: stdin),
 * or what an option names; argv ends with NULL. */
static inline const char *
output_input(const struct out *out, const struct opt_spec *spec,
	     char *const *operand)
{
	const char *file;

	if (!*operand && out_is_file(out, "-"))
		return "-";
	for (; *operand; operand++)
		if (out_is_file(out, *operand))
			return *operand;
	for (const struct opt *o = spec->table; o->letter || o->name; o++)
		for (size_t at = 0; (file = opt_input(spec, o, &at));)
			if (out_is_file(out, file))
				return file;
	return NULL;
}

/* Standard input, which can be read once, by an operand (none: it is one) or
 * what an option names. */
static inline int
output_stdin_once(const struct opt_spec *spec, char *const *operand,
		  struct err *e)
{
	const char *file;
	size_t n = !*operand && !(spec->no_input && *spec->no_input);

	for (; *operand; operand++)
		n += strcmp(*operand, "-") == 0 ||
		     descriptor_of(*operand) == STDIN_FILENO;
	for (const struct opt *o = spec->table; o->letter || o->name; o++)
		for (size_t at = 0; (file = opt_input(spec, o, &at));)
			n += strcmp(file, "-") == 0 ||
			     descriptor_of(file) == STDIN_FILENO;
	return n < 2 ? 0 : err_set(e, ERR_USAGE, "standard input is wanted "
				   "%zu times", n);
}

/* Signals that end the program take away the file that would be left. */
static inline void
output_guard(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM,
				    SIGTERM, SIGUSR1, SIGUSR2, SIGPROF,
				    SIGVTALRM, SIGXCPU, SIGXFSZ };
	struct sigaction was, act = { .sa_handler = output_stop };

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler == SIG_DFL)	/* nohup ignores SIGHUP */
			sigaction(ends[i], &act, NULL);
}

/* As out_open(), but of no file that is read: it would be lost, or read for
 * ever; and where nothing is read that is gone. */
static inline int
output_open(struct out **out, const char *path, const struct opt_spec *spec,
	    char *const *operand, struct err *e)
{
	const char *input;
	int rc = output_stdin_once(spec, operand, e);

	if (path && !rc)
		output_guard();
	if (!rc)
		rc = out_open_guarded(out, path, &output_left, e);
	input = rc ? NULL : output_input(*out, spec, operand);
	if (!input)
		return rc;
	out_abort(*out);
	return err_set(e, ERR_USAGE, "%s: is the input and the output: write "
		       "to another file",
		       strcmp(input, "-") ? input : "stdin");
}

/* out_close(); that the output is empty is noted, unless it may well be. */
static inline int
output_close(struct out *out, bool may, struct err *e)
{
	bool any = may || out_any(out);
	int rc = out_close(out, e);

	if (!rc && !any)
		note(0, "nothing was found: the output is empty");
	return rc;
}

/* Of text that needs no verdict. */
static inline int
output_done(struct out *out, struct err *e)
{
	if (out_close(out, e))
		die_err(e);
	return EXIT_DONE;
}

#endif
