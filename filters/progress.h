/* SPDX-License-Identifier: MIT */
/* progress.h - how far a program is, and what it took, in the same words */
#ifndef SEQF_PROGRESS_H
#define SEQF_PROGRESS_H

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "flow/flow.h"

static int64_t progress_every;	/* --progress: seconds; 0: not asked for */
static double progress_started;
static double progress_patterns;	/* with strands; 0: none that count */
static struct {
	bool on, line;		/* line: one line that is rewritten */
	bool piped;		/* after the program before it has ended */
	double next;
	uint64_t size;		/* bytes of all inputs; 0: not known */
	/* two places on the way, the second half as late again at least */
	struct { double t, share; } mark[2];
} progress;

static inline double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes that a regular file holds, from where stdin stands; else 0. */
static inline uint64_t
progress_size(const char *path)
{
	bool in = strcmp(path, "-") == 0;
	struct stat st;
	off_t at = 0;

	if ((in ? fstat(0, &st) : stat(path, &st)) || !S_ISREG(st.st_mode))
		return 0;
	if (in)
		at = lseek(0, 0, SEEK_CUR);
	return at >= 0 && at < st.st_size ? (uint64_t)(st.st_size - at) : 0;
}

/*
 * Before the work.  On a terminal how far it is stands in one line, if it is
 * asked for, or if someone sits there: then stdin is that terminal, which it
 * is not below xargs, or a pipe.  In a pipeline one program at a time has the
 * line: the first one, which waits for the slowest, and, once it is done, the
 * next one that still works.  Rows on the same terminal have it to themselves.
 */
static inline void
progress_begin(bool rows_on_tty, char *const *operand, size_t n)
{
	const char *term = getenv("TERM");
	bool tty = isatty(2) && !rows_on_tty &&
		   !(term && strcmp(term, "dumb") == 0);
	struct stat in;

	progress_started = now();
	if (n == 0 && isatty(0))
		note(0, "reads standard input, which is a terminal: Ctrl-D "
		     "ends it; see --help for files");
	for (size_t i = 0; i < n || (i == 0 && n == 0); i++) {
		uint64_t size = progress_size(n ? operand[i] : "-");

		progress.size = size && (i == 0 || progress.size)
				    ? progress.size + size
				    : 0;
	}
	progress.line = tty;
	progress.piped = !progress_every && n == 0 && fstat(0, &in) == 0 &&
			 S_ISFIFO(in.st_mode);
	progress.on = noted(0) &&
		      (progress_every || (tty && (progress.piped ||
				  (isatty(0) && progress.size))));
	progress.next = progress_started + (tty ? 1 : (double)progress_every);
	if (progress.on && tty)
		atexit(line_off);
}

/* Who says something has it, where threads may do so beside each other. */
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;

/* Has whoever writes to stdin, a pipe, come to its end? */
static inline bool
progress_alone(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };

	return poll(&in, 1, 0) == 1 && (in.revents & POLLHUP);
}

/* Is it time to say so? */
static inline bool
progress_due(void)
{
	double t;

	if (!progress.on)
		return false;
	t = now();
	if (t < progress.next)
		return false;
	progress.next = t + (progress.line ? 0.2 : (double)progress_every);
	return !progress.piped || progress_alone();
}

/* Seconds to come, at the pace of the last third of the time or more: at first
 * a pipe takes much before anyone works on it. */
static inline double
progress_left(double t, double share)
{
	if (t >= 1.5 * progress.mark[1].t) {
		progress.mark[0] = progress.mark[1];
		progress.mark[1].t = t;
		progress.mark[1].share = share;
	}
	if (share > progress.mark[0].share)
		return (1 - share) * (t - progress.mark[0].t) /
		       (share - progress.mark[0].share);
	return t / share - t;
}

/* What is known of the end, behind the rest; share: 0 if it is not known. */
static inline void
progress_text(const char *what, double share)
{
	double t = now() - progress_started, left = 0;
	char end[60] = "";

	if (share > 0 && share <= 1) {
		left = progress_left(t, share);
		snprintf(end, sizeof end, left < 60 ? ", %.0f %%, %.0f s left" :
			 ", %.0f %%, %.0f min left", 100 * share,
			 left < 60 ? left : left / 60);
	}
	if (progress.line)
		line_set("%s, %.0f s%s", what, t, end);
	else
		note(0, "%s, %.0f s%s", what, t, end);
}

/* A number of bytes, in the unit that fits. */
struct progress_size {
	char text[24];
};
static inline struct progress_size
progress_bytes(double n)
{
	struct progress_size s;

	snprintf(s.text, sizeof s.text, n < 1e6 ? "%.1f kB" : n < 1e9 ?
		 "%.1f MB" : "%.2f GB", n < 1e6 ? n / 1e3 : n < 1e9 ? n / 1e6 :
		 n / 1e9);
	return s;
}

#define PER " letters x patterns/s"
/* How fast: letters times patterns where they are known, else bytes. */
struct progress_rate {
	char text[60];
};
static inline struct progress_rate
progress_rate(struct feed_place at, double t)
{
	double n = t > 0 ? (double)at.n_letters * progress_patterns / t : 0;
	double bytes = t > 0 ? (double)at.n_bytes / t : 0;
	struct progress_rate r;

	if (n > 0)
		snprintf(r.text, sizeof r.text, n < 1e9 ? "%.1f million" PER :
			 n < 1e12 ? "%.1f billion" PER : "%.1f trillion" PER,
			 n < 1e9 ? n / 1e6 : n < 1e12 ? n / 1e9 : n / 1e12);
	else
		snprintf(r.text, sizeof r.text, "%s/s",
			 progress_bytes(bytes).text);
	return r;
}

/*
 * Bytes of the input: all programs that read sequences or records.  When all is
 * read, others may work on it for long: no share, no time left.
 */
static inline void
progress_place(struct feed_place at)
{
	bool all = progress.size && at.n_read >= progress.size;
	char what[120];

	if (pthread_mutex_trylock(&progress_lock))
		return;
	if (progress_due()) {
		snprintf(what, sizeof what, "%s%s read, %s",
			 all ? "all " : "",
			 progress_bytes((double)at.n_bytes).text,
			 progress_rate(at, now() - progress_started).text);
		progress_text(what, progress.size && !all ?
			  (double)at.n_read / (double)progress.size : 0);
	}
	pthread_mutex_unlock(&progress_lock);
}

/* What the program took; it has said what for. */
static inline void
progress_cost(unsigned threads)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	note(1, "at most %s, %s, %.0f MB, %.2f s of processor time",
	     err_count(threads, "thread").text, cpu_isa_name(cpu_isa()),
	     (double)u.ru_maxrss / 1024,
	     (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	     1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec));
}

/* Of those that only read. */
static inline void
progress_read(uint64_t n_bytes, unsigned threads)
{
	double t = now() - progress_started;

	note(1, "%.3f GB read, %.2f s, %.2f GB/s", 1e-9 * (double)n_bytes, t,
	     1e-9 * (double)n_bytes / t);
	progress_cost(threads);
}

#endif
