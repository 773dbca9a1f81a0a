// SPDX-License-Identifier: MIT
// settings.cc - the environment, chance, and the report of a finding
#include "inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "control.h"

namespace simt
{
static struct setting now;
static uint64_t random_state;
static long n_calls, n_slow;
static size_t n_back;

static unsigned long long
number(const char *name, unsigned long long otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoull(s, 0, 10) : otherwise;
}

struct setting *
settings(void)
{
	static bool read;

	if (!read) {
		read = true;
		now.n_devices = (int)number("SEQF_SIMT_DEVICES", 1);
		now.fail_at = (long)number("SEQF_SIMT_FAIL", 0);
		now.n_old = (int)number("SEQF_SIMT_OLD", 0);
		now.kind = 9;
		now.memory = number("SEQF_SIMT_MEMORY", 1 << 30);
		now.shared = number("SEQF_SIMT_SHARED", MOST_SHARED);
		simt_seed(number("SEQF_SIMT_SEED", 0));
	}
	return &now;
}

uint64_t
chance(void) /* splitmix64 */
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void
finding(int line, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "cuda_on_cpu: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	if (current)
		fprintf(stderr, " (kernel %s, line %d, block %u %u %u, "
			"thread %u %u %u, seed %llu)",
			grid_name(), line, current->is.block.x,
			current->is.block.y, current->is.block.z,
			current->is.thread.x, current->is.thread.y,
			current->is.thread.z, (unsigned long long)now.seed);
	fprintf(stderr, "\n");
	grid_waiting();
	_exit(SIMT_FINDING);
}

bool
injected(void)
{
	return ++n_calls == settings()->fail_at;
}

void
called_slow(void)
{
	n_slow++;
}
void
copied_back(size_t n_bytes)
{
	n_back += n_bytes;
}

void *
get(size_t n_bytes)
{
	void *p = calloc(1, n_bytes);

	if (!p)
		abort();
	return p;
}
} // namespace simt

using namespace simt;

void
simt_seed(uint64_t seed)
{
	settings()->seed = seed;
	random_state = seed;
}

void
simt_devices(int n)
{
	settings()->n_devices = n;
}

void
simt_old(int n)
{
	settings()->n_old = n;
}

void
simt_kind(int major)
{
	settings()->kind = major;
}

void
simt_memory(size_t n_bytes)
{
	settings()->memory = n_bytes;
}

void
simt_shared(size_t n_bytes)
{
	settings()->shared = n_bytes;
}

void
simt_fail_at(long call)
{
	settings()->fail_at = call;
	n_calls = n_slow = 0;
	n_back = 0;
}

long
simt_calls(void)
{
	return n_calls;
}

long
simt_slow_calls(void)
{
	return n_slow;
}

size_t
simt_copied_back(void)
{
	return n_back;
}
