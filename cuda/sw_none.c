/* SPDX-License-Identifier: MIT */
/* sw_none.c - stands in for sw_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/sw_dev.h"

int
peaks_stream_new(struct peaks_stream **s, const struct peaks_setup *u,
		 struct err *e)
{
	*s = NULL;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", u->device,
		       cuda_why_none());
}

void
peaks_stream_free(struct peaks_stream *s)
{
	(void)s;
}

bool
peaks_stream_fits(const struct peaks_stream *s, const struct peaks_span *p)
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
peaks_stream_begin(struct peaks_stream *s, const struct peaks_span *p,
		   struct err *e)
{
	(void)s;
	(void)p;
	return none(e);
}

int
peaks_stream_run(struct peaks_stream *s, struct err *e)
{
	(void)s;
	return none(e);
}

int
peaks_stream_again(struct peaks_stream *s, uint32_t n, struct err *e)
{
	(void)s;
	(void)n;
	return none(e);
}

int
peaks_stream_cells(struct peaks_stream *s, struct err *e)
{
	(void)s;
	return none(e);
}
