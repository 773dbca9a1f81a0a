/* SPDX-License-Identifier: MIT */
/* kdiff_none.c - stands in for kdiff_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/kdiff_dev.h"

int
kdiff_dev_stream_new(struct kdiff_dev_stream **s,
		     const struct kdiff_dev_setup *u, struct err *e)
{
	*s = NULL;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", u->device,
		       cuda_why_none());
}

void
kdiff_dev_stream_free(struct kdiff_dev_stream *s)
{
	(void)s;
}

int
kdiff_dev_stream_run(struct kdiff_dev_stream *s,
		     const struct kdiff_dev_piece *p, uint64_t *n_hits,
		     struct err *e)
{
	(void)s;
	(void)p;
	*n_hits = 0;
	return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
}
