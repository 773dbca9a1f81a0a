/* SPDX-License-Identifier: MIT */
/* simt_sync.h - barriers, warp operations, atomics, asynchronous copies */
#ifndef SEQF_SIMT_SYNC_H
#define SEQF_SIMT_SYNC_H

/* The caller's line: what threads that meet must have in common. */
#define SIMT_LINE int line = __builtin_LINE()

inline void
__syncthreads(SIMT_LINE)
{
	simt::block_meet(simt::PLAIN, 0, line);
}
inline int
__syncthreads_or(int p, SIMT_LINE)
{
	return simt::block_meet(simt::OR, p, line);
}
inline int
__syncthreads_and(int p, SIMT_LINE)
{
	return simt::block_meet(simt::AND, p, line);
}
inline int
__syncthreads_count(int p, SIMT_LINE)
{
	return simt::block_meet(simt::COUNT, p, line);
}

inline void
__syncwarp(unsigned mask = 0xffffffff, SIMT_LINE)
{
	simt::warp_meet(simt::SYNC, mask, 0, 0, line);
}
inline unsigned
__ballot_sync(unsigned mask, int p, SIMT_LINE)
{
	return (unsigned)simt::warp_meet(simt::BALLOT, mask, p != 0, 0, line);
}
inline int
__any_sync(unsigned mask, int p, SIMT_LINE)
{
	return __ballot_sync(mask, p, line) != 0;
}
inline int
__all_sync(unsigned mask, int p, SIMT_LINE)
{
	return __ballot_sync(mask, p, line) == mask;
}
template <class T> unsigned
__match_any_sync(unsigned mask, T v, SIMT_LINE)
{
	return (unsigned)simt::warp_meet(simt::MATCH, mask, simt::pack(v), 0,
					 line);
}

/* Segments of width lanes, a power of two; who would leave his keeps his own
 * value, but xor may read earlier segments. */
template <class T> T
__shfl_sync(unsigned mask, T v, int from, int width = 32, SIMT_LINE)
{
	int base = simt::self->lane & ~(width - 1);

	return simt::shuffle(mask, v, base | (from & (width - 1)), line);
}
template <class T> T
__shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32, SIMT_LINE)
{
	int lane = simt::self->lane, from = lane - (int)(by & 31);

	return simt::shuffle(mask, v,
			     from < (lane & ~(width - 1)) ? lane : from, line);
}
template <class T> T
__shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32, SIMT_LINE)
{
	int lane = simt::self->lane, from = lane + (int)(by & 31);

	return simt::shuffle(mask, v, from > (lane | (width - 1)) ? lane : from,
			     line);
}
template <class T> T
__shfl_xor_sync(unsigned mask, T v, int by, int width = 32, SIMT_LINE)
{
	int lane = simt::self->lane, from = lane ^ (by & 31);

	return simt::shuffle(mask, v, from > (lane | (width - 1)) ? lane : from,
			     line);
}

inline void
__threadfence(void)
{
	simt::fence();
}
inline void
__threadfence_block(void)
{
	simt::fence();
}

/*
 * Atomics order nothing but themselves, as in CUDA.  Only the types that all
 * of them have there: uint64_t is another type than unsigned long long.
 */
namespace simt
{
template <class T> struct atomic;
template <> struct atomic<int> {
	typedef int type;
};
template <> struct atomic<unsigned> {
	typedef unsigned type;
};
template <> struct atomic<unsigned long long> {
	typedef unsigned long long type;
};
template <class T, class F> T
atomic_update(T *p, F f)
{
	jostle();
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(p, &old, f(old), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old;
}
} // namespace simt

#define SIMT_ATOMIC(name, expression)                                          \
	template <class T>                                                     \
	T name(T *p, typename simt::atomic<T>::type v)                         \
	{                                                                      \
		return simt::atomic_update(p, [=](T old) -> T {                \
			(void)old;                                             \
			return expression;                                     \
		});                                                            \
	}
/* sums wrap: by unsigned arithmetic */
SIMT_ATOMIC(atomicAdd, (T)((unsigned long long)old + (unsigned long long)v))
SIMT_ATOMIC(atomicSub, (T)((unsigned long long)old - (unsigned long long)v))
SIMT_ATOMIC(atomicMin, v < old ? v : old)
SIMT_ATOMIC(atomicMax, v > old ? v : old)
SIMT_ATOMIC(atomicAnd, old &v)
SIMT_ATOMIC(atomicOr, old | v)
SIMT_ATOMIC(atomicXor, old ^ v)
SIMT_ATOMIC(atomicExch, v)
#undef SIMT_ATOMIC

template <class T> T
atomicCAS(T *p, typename simt::atomic<T>::type expected,
	  typename simt::atomic<T>::type v)
{
	return simt::atomic_update(
	    p, [=](T old) -> T { return old == expected ? v : old; });
}

template <class T> T
__ldg(const T *p)
{
	return *p;
}

/*
 * The copy is made when it is waited for, by this code, which a sanitizer
 * watches; until then the shared memory holds nothing of use.
 */
inline void
__pipeline_memcpy_async(void *to, const void *from, size_t n_bytes)
{
	simt::copy_later(to, from, n_bytes);
}
inline void
__pipeline_commit(void)
{
	simt::copies_commit();
}
inline void
__pipeline_wait_prior(unsigned prior)
{
	const void *from;
	size_t n_bytes;
	void *to;

	while (simt::copy_due(prior, &to, &from, &n_bytes))
		for (size_t i = 0; i < n_bytes / 4; i++) {
			unsigned v;

			memcpy(&v, (const char *)from + 4 * i, 4);
			memcpy((char *)to + 4 * i, &v, 4);
		}
}

#endif
