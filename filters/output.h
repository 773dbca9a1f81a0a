/* SPDX-License-Identifier: MIT */
/* output.h - the output of a program, which nothing is left of if it stops */
#ifndef SEQF_OUTPUT_H
#define SEQF_OUTPUT_H

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "stream/out.h"

static char output_left[4096];	/* its name */

static void
output_stop(int signal)
{
	unlink(output_left);
	raise(signal);	/* the handler is off: it ends the program */
}

/* As out_open(); a signal that ends the program takes away what it wrote. */
static inline int
output_open(struct out **out, const char *path, struct err *e)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM, SIGXCPU };
	struct sigaction was, act = { .sa_handler = output_stop,
				      .sa_flags = (int)SA_RESETHAND };
	int rc = out_open(out, path, e);
	const char *left = rc ? NULL : out_left(*out);

	if (!left || strlen(left) >= sizeof output_left)
		return rc;
	strcpy(output_left, left);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &was) == 0 &&
		    was.sa_handler == SIG_DFL)	/* nohup ignores SIGHUP */
			sigaction(ends[i], &act, NULL);
	return 0;
}

#endif
