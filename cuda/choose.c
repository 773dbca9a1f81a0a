/* SPDX-License-Identifier: MIT */
/* choose.c - the argument of -g */
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"

static int
bad_gpu(const char *gpu, struct err *e)
{
	return err_set(e, ERR_USAGE, "-g %s: must be auto, none or a device's "
		       "number, or several with commas between them", gpu);
}

static bool
has(const struct cuda_choice *c, int device)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->device[i] == device)
			return true;
	return false;
}

/* A number of at most 4 digits; -1: none is there. */
static int
parse_number(const char **s)
{
	size_t digits = strspn(*s, "0123456789");
	int n = 0;

	if (digits == 0 || digits > 4)
		return -1;
	for (; digits; digits--)
		n = n * 10 + (*(*s)++ - '0');
	return n;
}

static int
parse(struct cuda_choice *c, const char *gpu, struct err *e)
{
	const char *s = gpu;

	c->kind = CUDA_THESE;
	for (c->n = 0; c->n < CUDA_MAX_DEVICES; s++) {
		int n = parse_number(&s);

		if (n < 0 || (*s && *s != ','))
			break;
		if (has(c, n))
			return err_set(e, ERR_USAGE, "-g %s: names a device "
				       "twice", gpu);
		c->device[c->n++] = n;
		if (!*s)
			return 0;
	}
	return bad_gpu(gpu, e);
}

int
cuda_choose(struct cuda_choice *c, const char *gpu, struct err *e)
{
	int rc, n;

	memset(c, 0, sizeof *c);
	/* queues of the device's, one for each stream: there are 8, else */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	if (strcmp(gpu, "auto") == 0 || strcmp(gpu, "none") == 0) {
		c->kind = *gpu == 'a' ? CUDA_AUTO : CUDA_NONE;
		return 0;
	}
	rc = parse(c, gpu, e);
	if (rc)
		return rc;
	n = cuda_devices();
	if (n == 0)
		return err_set(e, ERR_DEVICE, "-g %s: %s", gpu,
			       cuda_why_none());
	for (unsigned i = 0; i < c->n; i++)
		if (c->device[i] >= n)
			return err_set(e, ERR_DEVICE, "-g %s: there %s %d "
				       "GPU%s, numbered from 0", gpu,
				       n == 1 ? "is" : "are", n,
				       n == 1 ? "" : "s");
	return 0;
}
