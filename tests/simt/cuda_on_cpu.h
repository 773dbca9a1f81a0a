/* SPDX-License-Identifier: MIT */
/*
 * cuda_on_cpu.h - the CUDA of cuda/simt.h, for tests on a CPU
 *
 * Kernels see this through cuda/simt.h, which says what there is.  What this
 * emulator finds, and how to ask for it, is in README.md.
 */
#ifndef SEQF_CUDA_ON_CPU_H
#define SEQF_CUDA_ON_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
		: x(a), y(b), z(c)
	{
	}
};

#include "cuda_runtime_on_cpu.h"

namespace simt
{
/* What the running CUDA thread is; null outside kernels. */
struct where {
	dim3 thread, block, n_threads, n_blocks;
	int lane;
};
extern const struct where *self;

enum warp_op { SHUFFLE, BALLOT, MATCH, SYNC };
uint64_t warp_meet(enum warp_op op, unsigned mask, uint64_t value, int source,
		   int line);
enum block_op { PLAIN, OR, AND, COUNT };
int block_meet(enum block_op op, int predicate, int line);
void fence(void);
void jostle(void); /* may let other threads go first */

void *shared(const void *site, size_t n_bytes);
void *shared_dyn(void);

/* Copies not yet waited for, of the running thread. */
void copy_later(void *to, const void *from, size_t n_bytes);
void copies_commit(void);
bool copy_due(unsigned prior, void **to, const void **from, size_t *n_bytes);

/* A launch's closure: copied at launch, freed when it has run. */
struct job {
	void (*call)(void *data);
	void *data;
};
struct config {
	const char *name;
	const void *kernel;
	dim3 n_blocks, n_threads;
	size_t n_bytes;
	cudaStream_t stream;
};
/* False if the launch is refused; cudaGetLastError() says why. */
bool launch_allowed(const struct config *c);
void launch_queue(const struct config *c, struct job j);
void check_pointer(const struct config *c, const void *p);

template <class T> void
check(const struct config *, const T &)
{
}
template <class T> void
check(const struct config *c, T *const &p)
{
	check_pointer(c, p);
}
template <class F> struct job
job_of(const F &f)
{
	static_assert(__is_trivially_copyable(F), "kernels take plain data");
	struct job j = {[](void *data) { (*(F *)data)(); }, malloc(sizeof f)};

	if (!j.data)
		abort();
	memcpy(j.data, (const void *)&f, sizeof f);
	return j;
}
template <class... P, class... A> void
launch(const char *name, void (*kernel)(P...), dim3 n_blocks, dim3 n_threads,
       size_t n_bytes, cudaStream_t stream, A... a)
{
	static_assert((sizeof(P) + ... + 0) <= 4096, "4 KiB of parameters");
	struct config c = {name,      (const void *)kernel, n_blocks,
			   n_threads, n_bytes,		    stream};

	(check(&c, a), ...);
	if (launch_allowed(&c))
		launch_queue(&c, job_of([=] { kernel(a...); }));
}

/* Values pass through 64 bits, and MSan's knowledge of them with them. */
template <class T> uint64_t
pack(T v)
{
	static_assert(sizeof v == 4 || sizeof v == 8, "shuffles take 4 or 8 "
						      "bytes");
	uint64_t r = 0;

	memcpy(&r, &v, sizeof v);
	return r;
}
template <class T> T
shuffle(unsigned mask, T v, int source, int line)
{
	uint64_t r = warp_meet(SHUFFLE, mask, pack(v), source, line);

	memcpy(&v, &r, sizeof v);
	return v;
}
} // namespace simt

#define LAUNCH(kernel, grid, block, n_bytes, stream, ...)                      \
	simt::launch(#kernel, kernel, dim3(grid), dim3(block), n_bytes,        \
		     stream, ##__VA_ARGS__)
#define SHARED(T, name)                                                        \
	static const char simt_at_##name = 0;                                  \
	T &name = *(T *)simt::shared(&simt_at_##name, sizeof(T))
#define SHARED_ARRAY(T, name, n)                                               \
	static const char simt_at_##name = 0;                                  \
	T(&name)                                                               \
	[n] = *(T(*)[n])simt::shared(&simt_at_##name, sizeof(T) * (n))
#define SHARED_DYN(T, name) T *name = (T *)simt::shared_dyn()

#define threadIdx (simt::self->thread)
#define blockIdx (simt::self->block)
#define blockDim (simt::self->n_threads)
#define gridDim (simt::self->n_blocks)
enum { warpSize = 32 };

#include "simt_sync.h"
#include "simt_word.h"

#endif
