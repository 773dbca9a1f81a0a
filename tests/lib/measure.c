/* SPDX-License-Identifier: MIT */
/*
 * measure.c - time and memory of a command, children included
 *
 * usage: measure FILE COMMAND ...
 * Writes "seconds cpu-seconds peak-KiB page-faults" to FILE; the peak is that
 * of the largest process.  Exits as the command did.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage r;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 126;
	clock_gettime(CLOCK_MONOTONIC, &b);
	getrusage(RUSAGE_CHILDREN, &r);
	f = fopen(argv[1], "w");
	if (!f)
		return 126;
	fprintf(f, "%.4f %.4f %ld %ld\n",
		(double)(b.tv_sec - a.tv_sec) +
		    (double)(b.tv_nsec - a.tv_nsec) / 1e9,
		seconds(r.ru_utime) + seconds(r.ru_stime), r.ru_maxrss,
		r.ru_minflt);
	if (fclose(f))
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
