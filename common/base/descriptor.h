/* SPDX-License-Identifier: MIT */
/* descriptor.h - names of what a program has open already */
#ifndef SEQF_DESCRIPTOR_H
#define SEQF_DESCRIPTOR_H

/*
 * The number of the file descriptor that a path stands for, open or not: of
 * /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N; -1: of
 * none.  Files in /dev/shm are files as any other.
 */
int descriptor_of(const char *path);

#endif
