/* SPDX-License-Identifier: MIT */
/* kdiff_none.c - stands in for kdiff_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/kdiff_dev.h"

int
ends_stream_new(struct ends_stream **s, const struct ends_setup *u,
		struct err *e)
{
	*s = NULL;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", u->device,
		       cuda_why_none());
}

void
ends_stream_free(struct ends_stream *s)
{
	(void)s;
}

int
ends_stream_run(struct ends_stream *s, const struct ends_piece *p,
		uint64_t *n_hits, struct err *e)
{
	(void)s;
	(void)p;
	*n_hits = 0;
	return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
}
