/* SPDX-License-Identifier: MIT */
/* scanner.h - what programs that scan chunks say, word for word */
#ifndef SEQF_SCANNER_H
#define SEQF_SCANNER_H

#include <time.h>

#include "scan/scan_run.h"

static double scan_started, scan_told;
static int64_t scan_progress;	/* seconds between two notes; 0: none */

static inline double
scan_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
scan_tell_damage(const char *text)
{
	warn("%s", text);
}

static void
scan_tell_progress(uint64_t n_bytes)
{
	if (scan_now() - scan_told < (double)scan_progress)
		return;
	scan_told = scan_now();
	note(0, "%.3f GB read, %.0f s", 1e-9 * (double)n_bytes,
	     scan_told - scan_started);
}

/* The verdict on stderr; text that is not whole never replaces a file. */
static int
scan_judge(struct sink *s, struct out *out, const char *out_path, bool text)
{
	struct err e;
	bool whole = true;

	while (sink_verdict(s, &e)) {
		warn("%s", e.text);
		whole = false;
	}
	if (!whole && text && out_path)
		out_abort(out);
	else if (out_close(out, &e))
		die_err(&e);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

#endif
