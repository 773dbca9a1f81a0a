/* SPDX-License-Identifier: MIT */
/*
 * sweep.c - run commands with one allocation after another failing
 *
 * usage: sweep PRELOAD FOLDER MAX|all JOBS <cases
 * A case is a line of words that blanks part: a program, its options and
 * operands; "<FILE" is its standard input.  A program runs in an empty folder
 * below FOLDER, so files are named by ../NAME or by whole paths.
 *	Each case runs once undisturbed, then with one allocation failing: at
 * most MAX of them, those first that are reached by ways of their own; of those
 * that failed in two cases of the program before, one in eight.  A run must end
 * as the undisturbed one, with the same output, or with status 1, one line that
 * says that memory is short, no more output than the other and no file left.
 * Prints what does not; exits 1 if anything did not.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 100, MAX_JOBS = 64, MAX_TEXT = 4 << 20, SECONDS = 20,
	SLOTS = 1 << 18, OFTEN = 2 };

struct result {
	int status;
	size_t n_out, n_err, n_files;
	char *out, *err, *files;	/* names and contents, by name */
};

struct job {
	pid_t pid;		/* 0: none */
	uint64_t n;		/* the allocation that fails */
};

static const char *preload, *folder;
static char *word[MAX_WORDS + 1], *input, *line;
static size_t max_runs;
static unsigned n_jobs;
static struct job job[MAX_JOBS];
static struct result want;
static size_t n_cases, n_runs, n_bad;

static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("sweep: ", stderr);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (%s)\n", strerror(errno));
	exit(2);
}

static const char *
path_of(unsigned slot, const char *name)
{
	static char path[4][4096];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof path[0], "%s/%u%s", folder, slot, name);
	return p;
}

/* A file, appended to text of *n bytes. */
static void
slurp(char *text, size_t *n, const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		die("%s", path);
	while ((got = read(fd, text + *n, MAX_TEXT - *n)) > 0)
		*n += (size_t)got;
	if (got < 0 || *n >= MAX_TEXT)
		die("%s: unreadable, or too long", path);
	close(fd);
}

static int
is_name(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

/* Names and contents of what lies in a folder, which is emptied. */
static void
take_files(struct result *r, const char *dir)
{
	struct dirent **v;
	int n = scandir(dir, &v, is_name, alphasort);

	if (n < 0)
		die("%s", dir);
	for (int i = 0; i < n; i++) {
		char path[4400];

		snprintf(path, sizeof path, "%s/%s", dir, v[i]->d_name);
		r->n_files += (size_t)snprintf(r->files + r->n_files,
		    MAX_TEXT - r->n_files, "%s\n", v[i]->d_name);
		slurp(r->files, &r->n_files, path);
		unlink(path);
		free(v[i]);
	}
	free(v);
}

static void
take_result(struct result *r, unsigned slot, int status)
{
	r->status = status;
	r->n_out = r->n_err = r->n_files = 0;
	slurp(r->out, &r->n_out, path_of(slot, ".out"));
	slurp(r->err, &r->n_err, path_of(slot, ".err"));
	take_files(r, path_of(slot, ".dir"));
	take_files(r, path_of(slot, ".tmp"));
}

static void
put_on(int fd, const char *path, int flags)
{
	int from = open(path, flags, 0666);

	if (from < 0 || dup2(from, fd) < 0)
		die("%s", path);
	close(from);
}

/* In the child. */
static void __attribute__((noreturn))
execute(unsigned slot, uint64_t n)
{
	struct rlimit cpu = { SECONDS, SECONDS };
	char number[30];

	put_on(1, path_of(slot, ".out"), O_WRONLY | O_CREAT | O_TRUNC);
	put_on(2, path_of(slot, ".err"), O_WRONLY | O_CREAT | O_TRUNC);
	if (chdir(path_of(slot, ".dir")) != 0)
		_exit(126);
	put_on(0, input ? input : "/dev/null", O_RDONLY);
	snprintf(number, sizeof number, "%llu", (unsigned long long)n);
	setenv("ALLOC_FAIL", number, 1);
	if (n == 0)
		setenv("ALLOC_TRACE", path_of(slot, ".trace"), 1);
	setenv("TMPDIR", path_of(slot, ".tmp"), 1);
	setenv("LD_PRELOAD", preload, 1);
	setrlimit(RLIMIT_CPU, &cpu);
	alarm(SECONDS);
	execvp(word[0], word);
	_exit(127);
}

static void
start(unsigned slot, uint64_t n)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0)
		execute(slot, n);
	job[slot] = (struct job){ pid, n };
	n_runs++;
}

/* Wait for a run to end: its slot. */
static unsigned
finish(struct result *r)
{
	unsigned slot = 0;
	int status;
	pid_t pid = wait(&status);

	if (pid < 0)
		die("wait");
	while (job[slot].pid != pid)
		slot++;
	job[slot].pid = 0;
	take_result(r, slot, status);
	return slot;
}

static bool
same(const char *a, size_t na, const char *b, size_t nb)
{
	return na == nb && memcmp(a, b, na) == 0;
}

static size_t
n_lines(const char *s, size_t n)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += s[i] == '\n';
	return lines;
}

static bool
says_memory(struct result *r)
{
	r->err[r->n_err] = '\0';
	return strstr(r->err, "out of memory") ||
	       strstr(r->err, "annot allocate memory") ||
	       strstr(r->err, "cannot start a thread");
}

/* What is wrong with a run, or NULL. */
static const char *
fault(struct result *r)
{
	if (WIFSIGNALED(r->status))
		return WTERMSIG(r->status) == SIGALRM ||
		       WTERMSIG(r->status) == SIGXCPU ? "hangs" : "crashes";
	if (r->status == want.status &&
	    !(WEXITSTATUS(r->status) == 1 && says_memory(r))) {
		if (!same(r->out, r->n_out, want.out, want.n_out))
			return "other output, and no word of it";
		if (!same(r->files, r->n_files, want.files, want.n_files))
			return "other files, and no word of it";
		if (!same(r->err, r->n_err, want.err, want.n_err))
			return "other messages";
		return NULL;
	}
	if (WEXITSTATUS(r->status) != 1)
		return "wrong exit status";
	if (!says_memory(r))
		return "says nothing of memory";
	if (n_lines(r->err, r->n_err) > n_lines(want.err, want.n_err) + 1)
		return "says too much";
	if (r->n_files)
		return "leaves a file";
	if (r->n_out > want.n_out || memcmp(r->out, want.out, r->n_out) != 0)
		return "fails with output that is no part of the whole";
	return NULL;
}

static void
judge(struct result *r, uint64_t n)
{
	const char *why = fault(r);

	if (!why)
		return;
	n_bad++;
	r->err[r->n_err < 300 ? r->n_err : 300] = '\0';
	printf("FAILED: allocation %llu: %s (status %#x) of: %s\n%s",
	       (unsigned long long)n, why, (unsigned)r->status, line, r->err);
	fflush(stdout);
}

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* How many cases had an allocation that was reached by these calls. */
static struct seen {
	uint64_t hash;		/* 0: free */
	unsigned cases;
} seen[SLOTS];
static size_t n_seen;

static struct seen *
seen_of(uint64_t hash)
{
	size_t i;

	for (const char *s = word[0]; *s; s++)	/* of each program its own */
		hash = mix(hash + (unsigned char)*s);
	hash += hash == 0;
	for (i = hash % SLOTS; seen[i].hash && seen[i].hash != hash;)
		i = (i + 1) % SLOTS;
	if (!seen[i].hash && ++n_seen > SLOTS / 2)
		die("too many ways to an allocation");
	seen[i].hash = hash;
	return &seen[i];
}

/* A number for each allocation of the undisturbed run, the smaller the sooner
 * it is to fail: where its calls come first, then at random. */
struct turn {
	uint64_t hash, n, key;
};

static int
by_hash(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->n > b->n) - (a->n < b->n);
}

static int
by_key(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

static size_t
plan(struct turn **out)
{
	const char *path = path_of(0, ".trace");
	char *text = malloc(MAX_TEXT);
	size_t n = 0, i;
	struct turn *v;

	if (!text)
		die("memory");
	slurp(text, &n, path);
	n /= 8;
	v = calloc(n + 1, sizeof *v);
	if (!v)
		die("memory");
	for (i = 0; i < n; i++) {
		memcpy(&v[i].hash, text + 8 * i, 8);
		v[i].n = i + 1;
	}
	qsort(v, n, sizeof *v, by_hash);
	for (i = 0; i < n; i++) {
		bool first = i == 0 || v[i - 1].hash != v[i].hash;
		bool last = i + 1 == n || v[i + 1].hash != v[i].hash;

		bool often = max_runs != SIZE_MAX &&
			     seen_of(v[i].hash)->cases >= OFTEN;

		/* those that are not to fail have the largest key */
		v[i].key = often && mix(v[i].n) % 8 ? UINT64_MAX :
			   mix(v[i].n) >> 3 | (uint64_t)(!last) << 61 |
			   (uint64_t)(!first) << 62;
	}
	for (i = 0; i < n; i++)
		if (i == 0 || v[i - 1].hash != v[i].hash)
			seen_of(v[i].hash)->cases++;
	qsort(v, n, sizeof *v, by_key);
	free(text);
	*out = v;
	return n;
}

/* A free slot, and one that is free: those of children that ended. */
static unsigned
free_slot(struct result *r, unsigned *running)
{
	unsigned slot = 0;

	if (*running == n_jobs) {
		slot = finish(r);
		--*running;
		judge(r, job[slot].n);
		return slot;
	}
	while (job[slot].pid)
		slot++;
	return slot;
}

static void
sweep(struct result *r)
{
	unsigned running = 0, slot;
	size_t before = n_bad;
	struct turn *v;
	size_t n, runs;

	n_cases++;
	start(0, 0);
	finish(&want);
	want.err[want.n_err < 300 ? want.n_err : 300] = '\0';
	if (!WIFEXITED(want.status) || (WEXITSTATUS(want.status) != 0 &&
					WEXITSTATUS(want.status) != 3)) {
		n_bad++;
		printf("FAILED: undisturbed (status %#x): %s\n%s",
		       (unsigned)want.status, line, want.err);
		return;
	}
	n = plan(&v);
	for (runs = 0; runs < n && runs < max_runs &&
	     v[runs].key != UINT64_MAX;)
		runs++;
	for (size_t i = 0; i < runs; i++, running++)
		start(free_slot(r, &running), v[i].n);
	for (; running > 0; running--) {
		slot = finish(r);
		judge(r, job[slot].n);
	}
	free(v);
	printf("%zu of %zu allocations, %zu bad, exit %d: %s\n", runs, n,
	       n_bad - before, WEXITSTATUS(want.status), line);
	fflush(stdout);
}

/* Words of the line; false: there are none. */
static bool
split(char *s)
{
	size_t n = 0;

	input = NULL;
	for (char *w = strtok(s, " \t"); w; w = strtok(NULL, " \t")) {
		if (*w == '<')
			input = w + 1;
		else if (n < MAX_WORDS)
			word[n++] = w;
	}
	word[n] = NULL;
	return n > 0;
}

static void
result_new(struct result *r)
{
	r->out = malloc(MAX_TEXT + 1);
	r->err = malloc(MAX_TEXT + 1);
	r->files = malloc(MAX_TEXT + 1);
	if (!r->out || !r->err || !r->files)
		die("memory");
}

int
main(int argc, char **argv)
{
	static char text[65536];
	struct result r = { 0 };

	if (argc != 5)
		die("usage: sweep PRELOAD FOLDER MAX JOBS");
	preload = argv[1];
	folder = argv[2];
	max_runs = strcmp(argv[3], "all") ? strtoul(argv[3], NULL, 10) :
					    SIZE_MAX;
	n_jobs = (unsigned)strtoul(argv[4], NULL, 10);
	if (n_jobs < 1 || n_jobs > MAX_JOBS || max_runs < 1)
		die("MAX and JOBS: at least 1");
	result_new(&r);
	result_new(&want);
	for (unsigned i = 0; i < n_jobs; i++)
		if (mkdir(path_of(i, ".dir"), 0777) != 0 ||
		    mkdir(path_of(i, ".tmp"), 0777) != 0)
			die("%s", folder);
	while (fgets(text, sizeof text, stdin)) {
		text[strcspn(text, "\n")] = '\0';
		line = strdup(text);
		if (line && *line != '#' && split(text))
			sweep(&r);
		free(line);
	}
	printf("%zu commands, %zu runs\n", n_cases, n_runs);
	printf("%zu passed, %zu failed\n", n_runs - n_bad, n_bad);
	return n_bad > 0 || n_cases == 0;
}
