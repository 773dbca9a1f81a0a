// SPDX-License-Identifier: MIT
// main.cc - faults [SEEDS [NAME]]: each must be found, and nothing without it
#include "faults.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inside.h"
#include "control.h"
#include "tests/lib/tap.h"

#if defined(SIMT_TSAN)
static const char kind[] = "tsan";
#elif defined(SIMT_ASAN)
static const char kind[] = "asan";
#elif defined(SIMT_MSAN)
static const char kind[] = "msan";
#else
static const char kind[] = "plain";
#endif

static struct fault *faults;

void
fault_add(struct fault *f)
{
	f->next = faults;
	faults = f;
}

// What a process of its own says that runs it, and its status.
static int
outcome(const struct fault *f, bool sound, int seed, char *text, size_t room)
{
	size_t n = 0;
	int status, fd[2];
	pid_t child;
	ssize_t got;

	fflush(stdout);
	if (pipe(fd) || (child = fork()) < 0)
		abort();
	if (!child) {
		dup2(fd[1], 2);
		close(fd[0]);
		close(fd[1]);
		simt_seed((uint64_t)seed);
		if (!f->run(sound)) {
			fprintf(stderr, "wrong result\n");
			_exit(1);
		}
		exit(0);
	}
	close(fd[1]);
	while (n + 1 < room && (got = read(fd[0], text + n, room - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	close(fd[0]);
	if (waitpid(child, &status, 0) != child)
		abort();
	if (WIFSIGNALED(status))
		snprintf(text + n, room - n, "signal %d", WTERMSIG(status));
	return status;
}

static bool
says(const char *text, const char *alternatives)
{
	char one[100];

	for (const char *s = alternatives; *s; s += *s == '|') {
		size_t n = strcspn(s, "|");

		snprintf(one, sizeof one, "%.*s", (int)n, s);
		if (strstr(text, one))
			return true;
		s += n;
	}
	return false;
}

static void
check(const struct fault *f, int seed)
{
	static char text[1 << 16];
	int status = outcome(f, true, seed, text, sizeof text);

	if (!ok(status == 0 && !*text, "%s, seed %d: nothing without the fault",
		f->name, seed))
		printf("%.3000s\n", text);
	if (!strstr(f->found_by, kind))
		return;
	status = outcome(f, false, seed, text, sizeof text);
	if (!ok(status != 0 && says(text, f->says), "%s, seed %d: found",
		f->name, seed))
		printf("%.3000s\n", text);
}

int
main(int argc, char **argv)
{
	int seeds = argc > 1 ? atoi(argv[1]) : 3;

	for (const struct fault *f = faults; f; f = f->next)
		for (int seed = 0; seed < seeds; seed++)
			if (argc < 3 || strcmp(argv[2], f->name) == 0)
				check(f, seed);
	return done();
}
