/* SPDX-License-Identifier: MIT */
/* descriptor.c - names of what a program has open already */
#include "base/descriptor.h"

#include <stddef.h>
#include <string.h>

/* Up to 9 digits, and nothing else. */
static int
number(const char *s)
{
	size_t n = strspn(s, "0123456789");
	int v = 0;

	if (n == 0 || n > 9 || s[n])
		return -1;
	while (*s)
		v = v * 10 + (*s++ - '0');
	return v;
}

int
descriptor_of(const char *path)
{
	static const char *const streams[] = { "/dev/stdin", "/dev/stdout",
					       "/dev/stderr" };
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (int i = 0; i < 3; i++)
		if (strcmp(path, streams[i]) == 0)
			return i;
	for (int i = 0; i < 2; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return number(path + strlen(folders[i]));
	return -1;
}
