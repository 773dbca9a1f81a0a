/* SPDX-License-Identifier: MIT */
/* cpu.c - choice of instruction set and thread count */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/port.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

static const char *const names[] = {
	[ISA_SCALAR] = "scalar",
	[ISA_NEON] = "neon",
	[ISA_AVX2] = "avx2",
	[ISA_AVX512] = "avx512",
};
/* Those that the build has, by the Makefile's ISAS.  Any other name is a limit
 * that the best of these may lie below. */
#if defined(KERN_AVX512) && defined(KERN_AVX2)
static const char built[] = "scalar, avx2 or avx512";
#else
static const char built[] = "scalar" KERN_IF_NEON(" or neon")
	KERN_IF_AVX2(" or avx2") KERN_IF_AVX512(" or avx512");
#endif
static const enum isa isas[] = { KERN_ISAS };	/* the least first */
enum { N_NAMES = sizeof names / sizeof names[0], MAX_THREADS = 1024 };

/* What the loader found, from glibc 2.34: libgcc asks the processor a dozen
 * times before main(), each of which takes 5 us in a virtual machine.  Its
 * header shifts an int into its sign, which a sanitizer does not pass. */
#if defined(CPU_FEATURE_ACTIVE) && !defined(SANITIZED)
#define ASK()
#define HAS(glibc, gcc) CPU_FEATURE_ACTIVE(glibc)
#else
#define ASK() __builtin_cpu_init()	/* checks XCR0, too */
#define HAS(glibc, gcc) __builtin_cpu_supports(gcc)
#endif

static enum isa
best(void)
{
#if defined(__x86_64__)
	ASK();
#endif
#if defined(KERN_AVX512)
	if (HAS(AVX512F, "avx512f") && HAS(AVX512BW, "avx512bw") &&
	    HAS(AVX512VL, "avx512vl") && HAS(AVX512DQ, "avx512dq") &&
	    HAS(AVX512CD, "avx512cd") && HAS(AVX512_VBMI, "avx512vbmi") &&
	    HAS(AVX512_VBMI2, "avx512vbmi2") &&
	    HAS(AVX512_BITALG, "avx512bitalg") &&
	    HAS(AVX512_VPOPCNTDQ, "avx512vpopcntdq") && HAS(GFNI, "gfni"))
		return ISA_AVX512;
#endif
#if defined(KERN_AVX2)
	if (HAS(AVX2, "avx2") && HAS(BMI1, "bmi") && HAS(BMI2, "bmi2") &&
	    HAS(POPCNT, "popcnt"))
		return ISA_AVX2;
#endif
#if defined(KERN_NEON)
	return ISA_NEON;	/* all of them have it */
#else
	return ISA_SCALAR;
#endif
}

/* The instruction set that SEQF_ISA names; -1 unset, -2 unknown. */
static int
wanted(void)
{
	const char *s = getenv("SEQF_ISA");

	if (!s || !*s)
		return -1;
	for (int i = 0; i < N_NAMES; i++)
		if (strcmp(s, names[i]) == 0)
			return i;
	return -2;
}

enum isa
cpu_isa(void)
{
	enum isa have = best(), isa = ISA_SCALAR;
	int want = wanted();

#if defined(__x86_64__)
	if (want == ISA_NEON)	/* below AVX2 in the order, but not ours */
		return have;
#endif
	if (want < 0)
		return have;
	for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
		if ((int)isas[i] <= want && isas[i] <= have)
			isa = isas[i];
	return isa;
}

const char *
cpu_isa_name(enum isa isa)
{
	return names[isa];
}

bool
cpu_mullo64(void)
{
#if defined(__x86_64__)
	unsigned most, b, c, d;

	__cpuid(0, most, b, c, d);
	return b == signature_AMD_ebx;
#else
	return false;
#endif
}

/* SEQF_THREADS; 0 unset, -1 not a number from 1 to MAX_THREADS. */
static long
threads_wanted(void)
{
	const char *s = getenv("SEQF_THREADS");
	char *end;
	long n;

	if (!s || !*s)
		return 0;
	errno = 0;
	n = strtol(s, &end, 10);
	return errno || *end || n < 1 || n > MAX_THREADS ? -1 : n;
}

int
cpu_check(struct err *e)
{
	if (wanted() == -2)
		return err_set(e, ERR_USAGE, "SEQF_ISA=%s: must be %s",
			       getenv("SEQF_ISA"), built);
	if (threads_wanted() < 0)
		return err_set(e, ERR_USAGE, "SEQF_THREADS=%s: must be 1 to "
			       "%d", getenv("SEQF_THREADS"), MAX_THREADS);
	return 0;
}

unsigned
cpu_threads(void)
{
	long n = threads_wanted();

	return n > 0 ? (unsigned)n : port_processors();
}
