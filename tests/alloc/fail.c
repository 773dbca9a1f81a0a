/* SPDX-License-Identifier: MIT */
/*
 * fail.c - a library to preload: the n-th allocation of a program fails
 *
 * ALLOC_FAIL=N	the N-th fails, from 1; after it all succeed again
 * ALLOC_TRACE=FILE	at the end a 64-bit number for each one: a hash of the
 *			calls that led to it, the same in every run
 * ALLOC_SHOW=1		the calls that led to the one that fails, on standard
 *			error, as addr2line reads them
 *
 * Counted are those of the program itself and of the libraries that report a
 * failure to it (libc, zlib, libdeflate), from main() on; threads count, too.
 * The dynamic loader, OpenMP's runtime and CUDA's, which is linked into the
 * program and registers kernels before main(), end the process when theirs
 * fail, so these never do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_AREAS = 64, MAX_CALLS = 1 << 20, DEPTH = 24 };

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

typedef int main_fn(int, char **, char **);
typedef int libc_start_fn(main_fn *, int, char **, void (*)(void),
			  void (*)(void), void (*)(void), void *);
typedef int start_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		     void *);

/* Where the code is whose allocations are counted. */
static struct area {
	uintptr_t beg, end;
} area[MAX_AREAS];
static size_t n_areas;

static bool ready;
static uint64_t fail_at;
static _Atomic uint64_t n_calls;
static const char *trace_path;
static uint64_t trace[MAX_CALLS];
/* backtrace() may allocate */
static _Thread_local bool inside
    __attribute__((tls_model("initial-exec")));
static start_fn *real_start;
static main_fn *real_main;

static bool
is_exempt(const char *path)
{
	static const char *const names[] = { "/ld-linux", "/libgomp", "/libomp",
		"/libgcc_s", "/libstdc++", "/libcuda", "/alloc_fail", "vdso" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

static int
add_areas(struct dl_phdr_info *d, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	if (is_exempt(d->dlpi_name))
		return 0;
	for (size_t i = 0; i < d->dlpi_phnum && n_areas < MAX_AREAS; i++) {
		const ElfW(Phdr) *h = d->dlpi_phdr + i;
		uintptr_t beg = d->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && h->p_flags & PF_X)
			area[n_areas++] =
			    (struct area){ beg, beg + h->p_memsz };
	}
	return 0;
}

/* Of which area is it?  n_areas: of none. */
static size_t
area_of(const void *address)
{
	uintptr_t a = (uintptr_t)address;
	size_t i = 0;

	while (i < n_areas && (a < area[i].beg || a >= area[i].end))
		i++;
	return i;
}

/* Addresses differ from run to run, places in an area do not. */
static uint64_t
hash_of_calls(void)
{
	void *frame[DEPTH];
	uint64_t h = 1;
	int n;

	inside = true;
	n = backtrace(frame, DEPTH);
	inside = false;
	for (int i = 0; i < n; i++) {
		size_t k = area_of(frame[i]);

		if (k == n_areas)
			continue;
		h ^= (uintptr_t)frame[i] - area[k].beg + (k << 40);
		h *= 0x9e3779b97f4a7c15;
		h ^= h >> 29;
	}
	return h;
}

static void
show_calls(void)
{
	void *frame[DEPTH];

	inside = true;
	backtrace_symbols_fd(frame, backtrace(frame, DEPTH), STDERR_FILENO);
	inside = false;
}

/* Shall an allocation that was asked for there fail? */
static bool
fails(const void *from)
{
	uint64_t n;

	if (!ready || inside || area_of(from) == n_areas)
		return false;
	n = n_calls++;
	if (trace_path && n < MAX_CALLS)
		trace[n] = hash_of_calls();
	if (n + 1 != fail_at)
		return false;
	if (getenv("ALLOC_SHOW"))
		show_calls();
	errno = ENOMEM;
	return true;
}

static void __attribute__((constructor))
begin(void)
{
	const char *at = getenv("ALLOC_FAIL");
	void *warm[DEPTH];

	backtrace(warm, DEPTH);	/* loads what it needs */
	trace_path = getenv("ALLOC_TRACE");
	fail_at = at ? strtoull(at, NULL, 10) : 0;
	real_start = (start_fn *)dlsym(RTLD_NEXT, "pthread_create");
	dl_iterate_phdr(add_areas, NULL);
}

static int
counted_main(int argc, char **argv, char **env)
{
	ready = true;
	return real_main(argc, argv, env);
}

/* libc's own, which the start of a program calls with its main(). */
int __libc_start_main(main_fn *, int, char **, void (*)(void), void (*)(void),
		      void (*)(void), void *);
int
__libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void),
		  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	libc_start_fn *next =
	    (libc_start_fn *)dlsym(RTLD_NEXT, "__libc_start_main");

	real_main = fn;
	return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static void __attribute__((destructor))
end(void)
{
	size_t n = n_calls < MAX_CALLS ? n_calls : MAX_CALLS;
	int fd;

	ready = false;
	if (!trace_path)
		return;
	fd = open(trace_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, trace, 8 * n) != (ssize_t)(8 * n))
		abort();
	close(fd);
}

#define CALLER __builtin_return_address(0)

void *
malloc(size_t n)
{
	return fails(CALLER) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails(CALLER) ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails(CALLER) ? NULL : __libc_memalign(align, n);
}

void *
memalign(size_t align, size_t n)
{
	return fails(CALLER) ? NULL : __libc_memalign(align, n);
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	void *q = fails(CALLER) ? NULL : __libc_memalign(align, n);

	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

int
pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *),
	       void *ctx)
{
	return fails(CALLER) ? EAGAIN : real_start(t, attr, fn, ctx);
}
