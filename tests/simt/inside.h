/* SPDX-License-Identifier: MIT */
/*
 * inside.h - what the parts of the emulator know of each other
 *
 * Nothing of libstdc++ is used, so that cc links it.  What is compiled for TSan
 * is not itself watched by it (SIMT_TSAN): threads would race in our tables.
 */
#ifndef SEQF_SIMT_INSIDE_H
#define SEQF_SIMT_INSIDE_H

#include "cuda_on_cpu.h"

#ifdef __has_feature
#define SIMT_HAS(x) __has_feature(x)
#else
#define SIMT_HAS(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || SIMT_HAS(address_sanitizer)
#define SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if SIMT_HAS(memory_sanitizer)
#define SIMT_MSAN
#include <sanitizer/msan_interface.h>
#endif
#ifdef SIMT_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_read_range(void *p, unsigned long n_bytes);
void __tsan_write_range(void *p, unsigned long n_bytes);
}
#endif

namespace simt
{
/* settings.cc: the environment, chance, and the report of a finding */
struct setting {
	uint64_t seed; /* 0: in order */
	int n_devices, n_old, kind;
	long fail_at;	/* the call that fails; 0 none */
	size_t memory;	/* bytes of a device */
	size_t shared;	/* bytes of shared memory that a block can have */
};
enum { MOST_SHARED = 227 * 1024 };
struct setting *settings(void);
uint64_t chance(void);
inline bool
nasty(void) /* one in two, but never without a seed */
{
	return settings()->seed && chance() & 1;
}
[[noreturn]] void finding(int line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The n-th call of the runtime that can fail asks this, and fails. */
bool injected(void);
/* What control.h counts. */
void called_slow(void);
void copied_back(size_t n_bytes);
void *get(size_t n_bytes); /* zeroed; there is enough */

/* tsan.cc: who comes before whom */
void *order_new(void); /* another thread, for TSan */
void order_free(void *fiber);
void *order_self(void);
void order_switch(void *fiber); /* without any order between them */
void order_after(void *at);	/* acquire */
void order_before(void *at);	/* release */
/* What this code, which TSan does not watch, reads and writes. */
void order_reads(const void *p, size_t n_bytes);
void order_writes(void *p, size_t n_bytes);

/* fiber.cc */
struct fiber {
	void *sp;	/* where it stopped */
	char *stack;
	void *tsan, *fake;
	void *context;	/* where there is no assembly of ours */
};
void fiber_prepare(struct fiber *f, void (*entry)(void));
void fiber_enter(struct fiber *f);
void fiber_begun(void);	/* entry()'s first words */
void fiber_leave(struct fiber *f, bool for_good);
void fiber_drop(struct fiber *f);

/* memory.cc */
void *pages(size_t n_bytes); /* zeroed; TSan sees no write, also when freed */
void pages_free(void *p, size_t n_bytes);
void spoil(void *p, size_t n_bytes);	/* what is not written yet */
struct arena {
	char *base;
	size_t used;
};
void arena_open(struct arena *a);
void *arena_take(struct arena *a, size_t n_bytes);
void arena_close(struct arena *a);
void memory_show(int device); /* to whom runs there; -1: to the host, none */
enum place { ON_HOST, PINNED, ON_DEVICE };
enum place memory_place(const void *p, size_t n_bytes, int *device);
long memory_alive(void);

/* stream.cc */
int current_device(void);
struct stream *stream_of(cudaStream_t s); /* 0: the device's own */
cudaError_t failed(cudaError_t e); /* is the last error, from now on */
/* Locks; the error of a call that must fail: for want of a device, by order. */
cudaError_t begin(cudaError_t by_order);
void lock(void);
void unlock(void);
void stream_settle(void); /* all that is queued, is done */

/* block.cc */
enum state { READY, IN_BARRIER, IN_WARP, DONE };
enum { MOST_COPIES = 64 };
struct copy {
	void *to;
	const void *from;
	size_t n_bytes;
	unsigned group;
};
struct warp;
struct block;
struct thread {
	struct where is;
	struct fiber fiber;
	struct block *block;
	struct warp *warp;
	enum state state;
	int line; /* where it waits */
	enum warp_op op;
	unsigned mask;
	int source;
	uint64_t value, out;
	struct copy *copy; /* MOST_COPIES */
	unsigned n_copies, group;
};
struct warp {
	struct thread *thread; /* the first of n */
	int n;
	unsigned ready; /* lanes that could go on */
	unsigned waiting; /* lanes in a warp operation */
	uint64_t rank;	/* under warp priorities */
};
struct grid;
struct block {
	struct grid *grid;
	struct thread *thread;
	struct copy *copy; /* of all threads */
	struct warp *warp;
	unsigned n, n_warps, n_done, n_waiting;
	enum block_op op;
	int line, any, all, count;
	struct arena arena;
	void *dyn;
	struct {
		const void *site;
		void *p;
	} object[16];
	unsigned n_objects;
};
extern struct thread *current;
void thread_ready(struct thread *t);
void thread_wait(void); /* until it is ready and chosen */
/* All that any of them did before comes before all that any does next. */
void threads_meet(struct thread **t, unsigned n);
void grid_run(const struct config *c, struct job j);
const char *grid_name(void);
void grid_waiting(void); /* reports who waits for what */
} // namespace simt

#endif
