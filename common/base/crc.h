/* SPDX-License-Identifier: MIT */
/* crc.h - CRC32 of gzip, zlib and the record stream */
#ifndef SEQF_CRC_H
#define SEQF_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of bytes whose beginning has the CRC `crc` (of none: 0). */
uint32_t crc32_more(uint32_t crc, const void *p, size_t n);

#endif
