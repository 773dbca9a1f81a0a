// SPDX-License-Identifier: MIT
// fiber.cc - a stack for each CUDA thread, and going from one to another
#include "inside.h"

#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace simt
{
enum { STACK = 128 * 1024, GUARD = 64 * 1024, FRAMES = 8 * 1024 };

// What runs the threads: the caller's own stack.
static struct {
	void *sp, *fake, *tsan;
	const void *bottom;
	size_t n_bytes;
#if !defined(__x86_64__)
	ucontext_t context;
#endif
} home;
static char *spare; // stacks that nobody uses; each begins with the next

#if defined(__x86_64__)
// Saves what a called function must keep, and takes up where `to` left off.
extern "C" void simt_switch(void **from, void *to);
__asm__(".text\n"
	".globl simt_switch\n"
	".type simt_switch,@function\n"
	"simt_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp,(%rdi)\n"
	"	mov %rsi,%rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size simt_switch,.-simt_switch\n");

// As if simt_switch() had been called from where entry() begins: at its first
// instruction the stack is 8 off a multiple of 16.
static void
set_entry(struct fiber *f, void (*entry)(void))
{
	void **sp = (void **)(f->stack + STACK - 64);

	*--sp = 0;
	*--sp = (void *)entry;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	f->sp = sp;
}
static void
go_in(struct fiber *f)
{
	simt_switch(&home.sp, f->sp);
}
static void
go_out(struct fiber *f)
{
	simt_switch(&f->sp, home.sp);
}
#else
static void
set_entry(struct fiber *f, void (*entry)(void))
{
	ucontext_t *u = (ucontext_t *)get(sizeof *u);

	if (getcontext(u))
		abort();
	u->uc_stack.ss_sp = f->stack;
	u->uc_stack.ss_size = STACK;
	makecontext(u, entry, 0);
	f->context = u;
}
static void
go_in(struct fiber *f)
{
	if (swapcontext(&home.context, (ucontext_t *)f->context))
		abort();
}
static void
go_out(struct fiber *f)
{
	if (swapcontext((ucontext_t *)f->context, &home.context))
		abort();
}
#endif

static char *
new_stack(void)
{
	char *p = spare;

#ifdef SIMT_TSAN // the next user is another thread, in no order with this one
	return (char *)pages(STACK);
#endif
	if (p) {
		memcpy(&spare, p, sizeof spare);
		return p;
	}
	p = (char *)mmap(0, GUARD + STACK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || mprotect(p, GUARD, PROT_NONE))
		abort();
	return p + GUARD;
}

void
fiber_prepare(struct fiber *f, void (*entry)(void))
{
	f->stack = new_stack();
	f->fake = 0;
	f->tsan = order_new();
	set_entry(f, entry);
}

static void
asan_leaves(void **fake, const void *bottom, size_t n_bytes)
{
#ifdef SIMT_ASAN
	__sanitizer_start_switch_fiber(fake, bottom, n_bytes);
#else
	(void)fake, (void)bottom, (void)n_bytes;
#endif
}
static void
asan_arrives(void *fake, const void **bottom, size_t *n_bytes)
{
#ifdef SIMT_ASAN
	__sanitizer_finish_switch_fiber(fake, bottom, n_bytes);
#else
	(void)fake, (void)bottom, (void)n_bytes;
#endif
}

void
fiber_enter(struct fiber *f)
{
	home.tsan = order_self();
	asan_leaves(&home.fake, f->stack, STACK);
	order_switch(f->tsan);
	go_in(f);
	asan_arrives(home.fake, 0, 0);
}

void
fiber_begun(void)
{
	asan_arrives(0, &home.bottom, &home.n_bytes);
}

void
fiber_leave(struct fiber *f, bool for_good)
{
	asan_leaves(for_good ? 0 : &f->fake, home.bottom, home.n_bytes);
	order_switch(home.tsan);
	go_out(f);
	asan_arrives(f->fake, &home.bottom, &home.n_bytes);
}

// The frames of who left for good are still there for ASan: a few, on top.
void
fiber_drop(struct fiber *f)
{
	order_free(f->tsan);
	free(f->context);
	f->context = 0;
#ifdef SIMT_ASAN
	__asan_unpoison_memory_region(f->stack + STACK - FRAMES, FRAMES);
#endif
#ifdef SIMT_TSAN
	pages_free(f->stack, STACK);
#else
	memcpy(f->stack, &spare, sizeof spare);
	spare = f->stack;
#endif
}
} // namespace simt
