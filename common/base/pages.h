/* SPDX-License-Identifier: MIT */
/* pages.h - large pieces of memory */
#ifndef SEQF_PAGES_H
#define SEQF_PAGES_H

#include <stddef.h>

/*
 * n bytes for any vector, to be free()d; NULL: there are none.  Many are asked
 * for in huge pages, which are fast to get, to use and to give back, above all
 * by several threads: the system takes turns over small ones.
 */
void *pages_alloc(size_t n);

#endif
