/* SPDX-License-Identifier: MIT */
/* pages.h - large pieces of memory */
#ifndef SEQF_PAGES_H
#define SEQF_PAGES_H

#include <stddef.h>
#include <stdint.h>

/*
 * n bytes for any vector, to be free()d; NULL: there are none.  Many are asked
 * for in huge pages, which are fast to get, to use and to give back, above all
 * by several threads: the system takes turns over small ones.
 */
void *pages_alloc(size_t n);
/* Bytes of memory that the machine has, in use or not; UINT64_MAX: not
 * known. */
uint64_t pages_machine(void);

#endif
