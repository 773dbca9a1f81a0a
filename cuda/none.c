/* SPDX-License-Identifier: MIT */
/*
 * none.c - stands in for all *.cu where no GPU code is built
 *
 * There is no device, so no pool opens a stream and nothing else is called.
 */
#include "cuda/device.h"
#include "cuda/ebwt_dev.h"
#include "cuda/ebwt_gap_dev.h"
#include "cuda/kdiff_dev.h"
#include "cuda/paper_primer_dev.h"
#include "cuda/primer_dev.h"
#include "cuda/sw_dev.h"

int
cuda_devices(void)
{
	return 0;
}

const char *
cuda_why_none(void)
{
	return "built without CUDA";
}

static int
no_device(int device, struct err *e)
{
	return err_set(e, ERR_DEVICE, "GPU %d: %s", device, cuda_why_none());
}

int
cuda_device(struct cuda_device *d, int number, struct err *e)
{
	(void)d;
	return no_device(number, e);
}

int
ebwt_dev_open(void *ctx, int device, unsigned halved, void **stream,
	      struct err *e)
{
	(void)ctx;
	(void)halved;
	*stream = NULL;
	return no_device(device, e);
}

void
ebwt_dev_close(void *stream)
{
	(void)stream;
}

int
ebwt_dev_run(void *stream, const struct ebwt_dev_how *how,
	     const struct ebwt_job *j, struct err *e)
{
	(void)stream;
	(void)how;
	(void)j;
	return no_device(0, e);
}

int
ebwt_gap_dev_run(void *stream, const struct gap_batch *j, uint32_t from,
		 uint32_t to, struct err *e)
{
	(void)stream;
	(void)j;
	(void)from;
	(void)to;
	return no_device(0, e);
}

int
paper_primer_dev_run(int device, const struct paper_primer_dev_how *how,
		     const struct primer_paper_job *j,
		     struct primer_paper_stats *stats, struct err *e)
{
	(void)how;
	(void)j;
	(void)stats;
	return no_device(device, e);
}

/* Streams are never made, and functions of them never called. */

int
kdiff_dev_stream_new(struct kdiff_dev_stream **s,
		     const struct kdiff_dev_setup *u, struct err *e)
{
	*s = NULL;
	return no_device(u->device, e);
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
	return no_device(0, e);
}

int
primer_dev_stream_new(struct primer_dev_stream **s,
		      const struct primer_dev_setup *u, struct err *e)
{
	*s = NULL;
	return no_device(u->device, e);
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
	return no_device(0, e);
}

int
sw_dev_stream_new(struct sw_dev_stream **s, const struct sw_dev_setup *u,
		  struct err *e)
{
	*s = NULL;
	return no_device(u->device, e);
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

int
sw_dev_stream_begin(struct sw_dev_stream *s, const struct sw_dev_span *p,
		    struct err *e)
{
	(void)s;
	(void)p;
	return no_device(0, e);
}

int
sw_dev_stream_run(struct sw_dev_stream *s, struct err *e)
{
	(void)s;
	return no_device(0, e);
}

int
sw_dev_stream_again(struct sw_dev_stream *s, uint32_t n, struct err *e)
{
	(void)s;
	(void)n;
	return no_device(0, e);
}

int
sw_dev_stream_cells(struct sw_dev_stream *s, struct err *e)
{
	(void)s;
	return no_device(0, e);
}
