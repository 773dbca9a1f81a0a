// SPDX-License-Identifier: MIT
// memory.cc - shared memory, device memory, pinned memory
#include "inside.h"

#include <sys/mman.h>

#include "control.h"

namespace simt
{
enum {
	PAGE = 65536, // the largest that Linux has
	ARENA = 512 * 1024,
	GAP = 128, // between shared objects, and what they are aligned to
};

static char *
map(size_t n_bytes)
{
	void *p = mmap(0, n_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? 0 : (char *)p;
}
void *
pages(size_t n_bytes)
{
	void *p = map(n_bytes);

	if (!p)
		abort();
	return p;
}
void
pages_free(void *p, size_t n_bytes)
{
	munmap(p, n_bytes);
}

static void
forbid(const void *p, size_t n_bytes)
{
#ifdef SIMT_ASAN
	__asan_poison_memory_region(p, n_bytes);
#else
	(void)p, (void)n_bytes;
#endif
}
static void
permit(const void *p, size_t n_bytes)
{
#ifdef SIMT_ASAN
	__asan_unpoison_memory_region(p, n_bytes);
#else
	(void)p, (void)n_bytes;
#endif
}

// MSan knows what was never written; elsewhere it is neither zero, nor the
// same for every seed.
void
spoil(void *p, size_t n_bytes)
{
#ifdef SIMT_MSAN
	__msan_poison(p, n_bytes);
#else
	uint64_t pattern = 0xa5c3d2e1f0b49687 ^
			   settings()->seed * 0x9e3779b97f4a7c15;
	size_t i = 0;

	for (; i + 8 <= n_bytes; i += 8)
		memcpy((char *)p + i, &pattern, 8);
	for (; i < n_bytes; i++) // TSan would see a memcpy() of so few
		((volatile char *)p)[i] = (char)(pattern >> 8 * (i & 7));
#endif
}

// -- shared memory: fresh pages for each block, so that TSan sees a new one ---

void
arena_open(struct arena *a)
{
	a->base = (char *)pages(ARENA);
	a->used = 0;
	forbid(a->base, ARENA);
}

void *
arena_take(struct arena *a, size_t n_bytes)
{
	size_t taken = (n_bytes + 2 * GAP - 1) / GAP * GAP;
	size_t most = settings()->shared;
	char *p = a->base + a->used;

	if (n_bytes > most || a->used + taken > most + 16 * GAP)
		finding(0, "more than %zu KiB of shared memory in a block",
			most / 1024);
	a->used += taken;
	permit(p, n_bytes);
	spoil(p, n_bytes);
	return p;
}

void
arena_close(struct arena *a)
{
	permit(a->base, ARENA);
	pages_free(a->base, ARENA);
}

// -- device memory, and pinned memory of the host -----------------------------

struct memory {
	struct memory *next;
	char *p;
	size_t n_bytes, mapped;
	int device; // -1: pinned
};
static struct memory *memories;
static int shown = -1;

static void
protect(const struct memory *m)
{
	bool open = m->device < 0 || m->device == shown;

	if (mprotect(m->p, m->mapped - 2 * PAGE,
		     open ? PROT_READ | PROT_WRITE : PROT_NONE))
		abort();
}

void
memory_show(int device)
{
	shown = device;
	for (const struct memory *m = memories; m; m = m->next)
		if (m->device >= 0)
			protect(m);
}

// The address behind the memory, and the one before it, are on pages that
// nobody may touch; ASan knows the bytes.
static bool
memory_new(void **p, size_t n_bytes, int device)
{
	size_t inner = (n_bytes + PAGE - 1) / PAGE * PAGE;
	char *base = map(inner + 2 * PAGE);
	struct memory *m;

	if (!base)
		return false;
	m = (struct memory *)get(sizeof *m);
	m->p = base + PAGE;
	m->n_bytes = n_bytes;
	m->mapped = inner + 2 * PAGE;
	m->device = device;
	m->next = memories;
	memories = m;
	spoil(m->p, n_bytes);
	forbid(m->p + n_bytes, inner - n_bytes);
	if (mprotect(base, PAGE, PROT_NONE) ||
	    mprotect(base + PAGE + inner, PAGE, PROT_NONE))
		abort();
	protect(m);
	*p = m->p;
	return true;
}

static bool
memory_free(void *p, bool pinned)
{
	struct memory **at = &memories, *m;

	while (*at && ((*at)->p != p || ((*at)->device < 0) != pinned))
		at = &(*at)->next;
	m = *at;
	if (!m)
		return false;
	*at = m->next;
	permit(m->p, m->mapped - 2 * PAGE);
	munmap(m->p - PAGE, m->mapped);
	free(m);
	return true;
}

enum place
memory_place(const void *p, size_t n_bytes, int *device)
{
	for (const struct memory *m = memories; m; m = m->next) {
		const char *c = (const char *)p;

		if (c < m->p || c >= m->p + m->mapped - 2 * PAGE)
			continue;
		if (n_bytes > m->n_bytes ||
		    (size_t)(c - m->p) > m->n_bytes - n_bytes)
			finding(0, "%zu bytes at offset %td of an allocation "
				"of %zu", n_bytes, c - m->p, m->n_bytes);
		*device = m->device;
		return m->device < 0 ? PINNED : ON_DEVICE;
	}
	return ON_HOST;
}

long
memory_alive(void)
{
	long n = 0;

	for (const struct memory *m = memories; m; m = m->next)
		n++;
	return n;
}

static size_t
n_used(int device)
{
	size_t n = 0;

	for (const struct memory *m = memories; m; m = m->next)
		n += m->device == device ? m->n_bytes : 0;
	return n;
}

static cudaError_t
allocate(void **p, size_t n_bytes, int device)
{
	size_t most = device < 0 ? SIZE_MAX / 4 : settings()->memory;
	size_t used = device < 0 ? 0 : n_used(device);

	*p = 0;
	called_slow();
	if (!n_bytes)
		return cudaSuccess;
	if (used > most || n_bytes > most - used ||
	    !memory_new(p, n_bytes, device))
		return failed(cudaErrorMemoryAllocation);
	return cudaSuccess;
}

static cudaError_t
give_back(void *p, bool pinned)
{
	cudaError_t e = cudaSuccess;

	if (!p)
		return e;
	lock();
	stream_settle();
	if (!memory_free(p, pinned))
		e = failed(cudaErrorInvalidValue);
	unlock();
	return e;
}
} // namespace simt

using namespace simt;

cudaError_t
cudaMalloc(void **p, size_t n_bytes)
{
	cudaError_t e = begin(cudaErrorMemoryAllocation);

	if (e == cudaSuccess)
		e = allocate(p, n_bytes, current_device());
	unlock();
	return e;
}
cudaError_t
cudaHostAlloc(void **p, size_t n_bytes, unsigned)
{
	cudaError_t e = begin(cudaErrorMemoryAllocation);

	if (e == cudaSuccess)
		e = allocate(p, n_bytes, -1);
	unlock();
	return e;
}
cudaError_t
cudaFree(void *p)
{
	return give_back(p, false);
}
cudaError_t
cudaFreeHost(void *p)
{
	return give_back(p, true);
}

cudaError_t
cudaMemGetInfo(size_t *n_free, size_t *n_total)
{
	cudaError_t e = begin(cudaErrorInvalidValue);
	size_t used = n_used(current_device());

	*n_total = settings()->memory;
	*n_free = *n_total > used ? *n_total - used : 0;
	unlock();
	return e;
}
