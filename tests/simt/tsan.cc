// SPDX-License-Identifier: MIT
// tsan.cc - who comes before whom, for TSan; elsewhere nothing
#include "inside.h"

namespace simt
{
#ifdef SIMT_TSAN
void *
order_new(void)
{
	return __tsan_create_fiber(0);
}
void
order_free(void *fiber)
{
	__tsan_destroy_fiber(fiber);
}
void *
order_self(void)
{
	return __tsan_get_current_fiber();
}
void
order_switch(void *fiber)
{
	__tsan_switch_to_fiber(fiber, 1);
}
void
order_after(void *at)
{
	__tsan_acquire(at);
}
void
order_before(void *at)
{
	__tsan_release(at);
}
void
order_reads(const void *p, size_t n_bytes)
{
	__tsan_read_range((void *)p, n_bytes);
}
void
order_writes(void *p, size_t n_bytes)
{
	__tsan_write_range(p, n_bytes);
}

// Fibers live on; it would wait a second for what they might do at exit.
extern "C" const char *
__tsan_default_options(void)
{
	return "atexit_sleep_ms=0";
}
#else
void *
order_new(void)
{
	return 0;
}
void
order_free(void *)
{
}
void *
order_self(void)
{
	return 0;
}
void
order_switch(void *)
{
}
void
order_after(void *)
{
}
void
order_before(void *)
{
}
void
order_reads(const void *, size_t)
{
}
void
order_writes(void *, size_t)
{
}
#endif

// Memory fresh from malloc() has no past for TSan: two meetings at one address
// would come one before the other, and hide what is not in order.
void
threads_meet(struct thread **t, unsigned n)
{
#ifdef SIMT_TSAN
	void *running = order_self();
	void *here = get(8);

	for (int after = 0; after < 2; after++)
		for (unsigned i = 0; i < n; i++) {
			order_switch(t[i]->fiber.tsan);
			after ? order_after(here) : order_before(here);
		}
	order_switch(running);
	free(here);
#else
	(void)t, (void)n;
#endif
}
} // namespace simt
