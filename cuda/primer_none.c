/* SPDX-License-Identifier: MIT */
/* primer_none.c - stands in for primer_dev.cu where no GPU code is built */
#include "cuda/primer_dev.h"
#include "cuda/device.h"

int
primer_dev_stream_new(struct primer_dev_stream **s,
		      const struct primer_dev_setup *u, struct err *e)
{
	*s = NULL;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", u->device,
		       cuda_why_none());
}

void
primer_dev_stream_free(struct primer_dev_stream *s)
{
	(void)s;
}

int
primer_dev_stream_run(struct primer_dev_stream *s,
		      const struct primer_dev_piece *p, uint64_t *n_hits,
		      struct err *e)
{
	(void)s;
	(void)p;
	*n_hits = 0;
	return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
}
