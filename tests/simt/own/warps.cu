/* SPDX-License-Identifier: MIT */
/* warps.cu - exchange between threads of a kernel, against definitions */
#include "cuda/simt.h"

#include "control.h"
#include "tests/lib/tap.h"

enum { LANES = 32, KINDS = 4, WIDTHS = 6, BYS = 33 };

static __global__ void
shuffles(unsigned long long *out)
{
	unsigned lane = threadIdx.x;
	unsigned long long v = 1000 + lane;

	for (int w = 0; w < WIDTHS; w++)
		for (int by = 0; by < BYS; by++) {
			unsigned long long *o = out + (w * BYS + by) * KINDS *
						LANES + lane;
			int width = 1 << w;

			o[0] = __shfl_sync(~0u, v, by, width);
			o[LANES] = __shfl_up_sync(~0u, v, by & 31, width);
			o[2 * LANES] = __shfl_down_sync(~0u, v, by & 31, width);
			o[3 * LANES] = __shfl_xor_sync(~0u, v, by & 31, width);
		}
}
/* The lane that is read: of width lanes beside each other, or one's own. */
static int
source(int kind, int lane, int by, int width)
{
	int base = lane / width * width, s = by & 31;

	switch (kind) {
	case 0: return base + by % width;
	case 1: return lane - s >= base ? lane - s : lane;
	case 2: return lane + s < base + width ? lane + s : lane;
	default: return (lane ^ s) < base + width ? lane ^ s : lane;
	}
}
static void
test_shuffles(void)
{
	static unsigned long long host[WIDTHS][BYS][KINDS][LANES];
	unsigned long long *dev;
	int wrong = 0;

	cudaMalloc(&dev, sizeof host);
	LAUNCH(shuffles, 1, LANES, 0, 0, dev);
	cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost);
	cudaFree(dev);
	for (int w = 0; w < WIDTHS; w++)
		for (int by = 0; by < BYS; by++)
			for (int k = 0; k < KINDS; k++)
				for (int l = 0; l < LANES; l++)
					wrong += host[w][by][k][l] !=
					    1000ull + (unsigned)source(k, l, by,
								       1 << w);
	ok(!wrong, "%d shuffles read another lane", wrong);
}

struct votes {
	unsigned ballot, match, any, all, or_, and_, count;
	unsigned long long match64;
};
static __global__ void
vote(struct votes *out, unsigned mask)
{
	unsigned i = threadIdx.x, lane = i & 31;
	struct votes v = {};

	v.or_ = (unsigned)__syncthreads_or(i == 40);
	v.and_ = (unsigned)__syncthreads_and(i < 64);
	v.count = (unsigned)__syncthreads_count(i % 3 == 0);
	if (mask >> lane & 1) { /* others go on */
		v.ballot = __ballot_sync(mask, lane % 3 == 0);
		v.any = (unsigned)__any_sync(mask, lane == 31);
		v.all = (unsigned)__all_sync(mask, lane > 3);
		v.match = __match_any_sync(mask, lane / 8);
		v.match64 = __match_any_sync(mask, (1ull << 40) * (lane & 1));
	}
	out[i] = v;
}
static bool
vote_right(const struct votes *v, unsigned lane, unsigned mask)
{
	unsigned thirds = 0x49249249, eight = 0xffu << lane / 8 * 8;

	if (v->or_ != 1 || v->and_ != 1 || v->count != 22)
		return false;
	if (!(mask >> lane & 1))
		return true;
	return v->ballot == (thirds & mask) && v->any == mask >> 31 &&
	       v->all == !(mask & 15) && v->match == (eight & mask) &&
	       v->match64 == ((lane & 1 ? 0xaaaaaaaa : 0x55555555) & mask);
}
static void
test_votes(void)
{
	static const unsigned masks[] = {~0u, 1, 0xfffffff0, 0x80000000,
					 0x12345678};
	struct votes host[64], *dev;
	int wrong = 0;

	cudaMalloc(&dev, sizeof host);
	for (unsigned mask : masks) {
		LAUNCH(vote, 1, 64, 0, 0, dev, mask);
		cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost);
		for (unsigned i = 0; i < 64; i++)
			wrong += !vote_right(&host[i], i & 31, mask);
	}
	cudaFree(dev);
	ok(!wrong, "%d votes are not as defined", wrong);
}

template <class T>
static __global__ void
atomics(T *v)
{
	T i = (T)(blockIdx.x * blockDim.x + threadIdx.x);

	atomicAdd(&v[0], i);
	atomicSub(&v[1], i);
	atomicMin(&v[2], i);
	atomicMax(&v[3], i);
	atomicAnd(&v[4], (T)~((T)1 << i % 31));
	atomicOr(&v[5], (T)1 << i % 31);
	atomicXor(&v[6], i);
	for (T old = 0, seen; ; old = seen) {
		seen = atomicCAS(&v[7], old, old + 2);
		if (seen == old)
			break;
	}
	atomicExch(&v[8], (T)5);
}
template <class T>
static void
test_atomics(const char *name)
{
	const T n = 3 * 50, sum = n * (n - 1) / 2;
	T host[9] = {0, 0, 1000, 0, (T)-1, 0, 0, 0, 0}, *dev, x = 0;
	T bits = (T)0x7fffffff;

	for (T i = 0; i < n; i++)
		x ^= i;
	cudaMalloc(&dev, sizeof host);
	cudaMemcpy(dev, host, sizeof host, cudaMemcpyHostToDevice);
	LAUNCH(atomics<T>, 3, 50, 0, 0, dev);
	cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost);
	cudaFree(dev);
	ok(host[0] == sum && host[1] == (T)0 - sum && host[2] == 0 &&
	   host[3] == n - 1 && host[4] == (T)~bits && host[5] == bits &&
	   host[6] == x && host[7] == 2 * n && host[8] == 5,
	   "atomics of %s", name);
}

/* Each thread knows who it is, in three dimensions. */
static __global__ void
place(unsigned *seen, unsigned *turn)
{
	unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
		     threadIdx.x;
	unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x +
		     blockIdx.x;

	seen[b * blockDim.x * blockDim.y * blockDim.z + t] =
	    atomicAdd(turn, 1u);
}
static uint64_t
test_places(uint64_t seed)
{
	enum { N = 24 * 70 };
	static unsigned host[N], turns[N];
	uint64_t order = 0;
	unsigned *dev, *turn;
	int missing = 0;

	simt_seed(seed);
	memset(turns, 0, sizeof turns);
	cudaMalloc(&dev, sizeof host);
	cudaMalloc(&turn, sizeof *turn);
	cudaMemset(turn, 0, sizeof *turn);
	LAUNCH(place, dim3(2, 3, 4), dim3(7, 5, 2), 0, 0, dev, turn);
	cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost);
	cudaFree(dev);
	cudaFree(turn);
	for (unsigned i = 0; i < N; i++) {
		if (host[i] < N)
			turns[host[i]]++;
		order = order * 31 + host[i];
	}
	for (unsigned i = 0; i < N; i++)
		missing += turns[i] != 1;
	ok(!missing, "seed %d: each thread ran once", (int)seed);
	return order;
}

template <int N>
static __global__ void
two_sizes(int *out)
{
	SHARED_DYN(int, row);
	SHARED_ARRAY(int, own, N);

	for (int i = (int)threadIdx.x; i < 2 * N; i += (int)blockDim.x)
		row[i] = i;
	if (threadIdx.x < N)
		own[threadIdx.x] = 7;
	__syncthreads();
	out[threadIdx.x] = row[2 * N - 1 - (int)threadIdx.x] + own[N - 1];
}
static void
test_shared(void)
{
	int host[40], *dev, wrong = 0;

	cudaMalloc(&dev, sizeof host);
	LAUNCH(two_sizes<20>, 1, 40, 40 * sizeof(int), 0, dev);
	cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost);
	cudaFree(dev);
	for (int i = 0; i < 40; i++)
		wrong += host[i] != 39 - i + 7;
	ok(!wrong, "shared memory, static and dynamic");
}

int
main(void)
{
	uint64_t orders[3];

	test_shuffles();
	test_votes();
	test_atomics<int>("int");
	test_atomics<unsigned>("unsigned");
	test_atomics<unsigned long long>("unsigned long long");
	test_shared();
	for (uint64_t seed = 0; seed < 3; seed++)
		orders[seed] = test_places(seed);
	ok(orders[0] != orders[1] && orders[1] != orders[2] &&
	   orders[0] != orders[2], "schedules differ by seed");
	return done();
}
