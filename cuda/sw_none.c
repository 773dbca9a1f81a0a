/* SPDX-License-Identifier: MIT */
/* sw_none.c - stands in for sw_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/sw_dev.h"

int
sw_dev_stream_new(struct sw_dev_stream **s, const struct sw_dev_setup *u,
		  struct err *e)
{
	*s = NULL;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", u->device,
		       cuda_why_none());
}

void
sw_dev_stream_free(struct sw_dev_stream *s)
{
	(void)s;
}

bool
sw_dev_stream_fits(const struct sw_dev_stream *s, const struct sw_dev_span *p)
{
	(void)s;
	(void)p;
	return false;
}

static int
none(struct err *e)
{
	return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
}

int
sw_dev_stream_begin(struct sw_dev_stream *s, const struct sw_dev_span *p,
		    struct err *e)
{
	(void)s;
	(void)p;
	return none(e);
}

int
sw_dev_stream_run(struct sw_dev_stream *s, struct err *e)
{
	(void)s;
	return none(e);
}

int
sw_dev_stream_again(struct sw_dev_stream *s, uint32_t n, struct err *e)
{
	(void)s;
	(void)n;
	return none(e);
}

int
sw_dev_stream_cells(struct sw_dev_stream *s, struct err *e)
{
	(void)s;
	return none(e);
}
