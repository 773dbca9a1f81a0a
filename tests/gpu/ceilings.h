/* SPDX-License-Identifier: MIT */
/* ceilings.h - what a GPU does at best: bytes to it and back, operations */
#ifndef SEQF_GPU_CEILINGS_H
#define SEQF_GPU_CEILINGS_H

struct gpu_ceilings {
	double to, from;	/* pinned memory, bytes a second */
	double inside;		/* of its memory, read and written, bytes a s */
	double ops;		/* 32-bit logic of three operands, a second */
	double ops16;		/* additions with maxima, maxima of three, of
				   words of two int16: as many of each */
};
/* 0, or not: *why says it. */
int gpu_ceilings(int device, struct gpu_ceilings *c, const char **why);

#endif
