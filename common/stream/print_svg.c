/* SPDX-License-Identifier: MIT */
/* print_svg.c - results as a picture: rows are kept until all are there */
#include "stream/picture.h"
#include "stream/print.h"

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	(void)b;
	picture_hit(env->picture, env->run, h);
}

static void
tally(struct buf *b, const struct print_env *env, const struct tally_row *t)
{
	(void)b;
	picture_tally(env->picture, t);
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)b;
	picture_primer(env->picture, r);
}

const struct print_family print_svg = {
	.need = PRINT_LENGTH, .hit = hit, .tally = tally, .primer = primer,
};
