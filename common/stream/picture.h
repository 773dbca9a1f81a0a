/* SPDX-License-Identifier: MIT */
/*
 * picture.h - results to look at, as one SVG file
 *
 * Hits and primers: where they lie along the sequences, on which strand; how
 * many have how many edits, what score, what length.  Of hits with scores of
 * their own (sw-scan) a dot plot.  Counts: a histogram.  Distances: a heat map.
 * The picture does not depend on the order of rows; its size is bounded, and
 * what is not shown is said.  Memory: 2 KB for each of the first 16,384
 * sequences or targets.
 */
#ifndef SEQF_PICTURE_H
#define SEQF_PICTURE_H

#include "stream/dists.h"
#include "stream/primers.h"
#include "stream/result.h"

struct picture;
int picture_new(struct picture **p, struct err *e);
void picture_free(struct picture *p);

/* Sticky: what fails is told by picture_draw(). */
void picture_hit(struct picture *p, uint64_t run, const struct hit *h);
void picture_tally(struct picture *p, const struct tally_row *t);
void picture_primer(struct picture *p, const struct primer_row *r);
void picture_dists(struct picture *p, const struct dists *d);
/* Not everything came, and why; the first reason is shown. */
void picture_lacks(struct picture *p, const char *why);

/* The file, appended to b.  ERR_NOMEM. */
int picture_draw(struct picture *p, struct buf *b, struct err *e);

#endif
