/* SPDX-License-Identifier: MIT */
/*
 * matrix.h - count and probability matrices: JASPAR, PFM, MEME, TRANSFAC
 *
 * A matrix becomes a record whose letters are four floats a position, A C G
 * T, as given (counts are not normalised here).  A column that sums to 0, or
 * holds a negative or non-finite number, is an error.
 */
#ifndef SEQF_INPUT_MATRIX_H
#define SEQF_INPUT_MATRIX_H

#include "input/fasta.h"

enum matrix_format {
	MATRIX_AUTO, MATRIX_JASPAR, MATRIX_MEME, MATRIX_TRANSFAC, MATRIX_PFM,
	MATRIX_NONE,	/* not the name of a format */
};
enum matrix_format matrix_format(const char *name);

/* The format that these bytes, the input's first (up to 64 KiB), begin; or
 * MATRIX_NONE: they begin no matrices. */
enum matrix_format matrix_describe(const uint8_t *p, size_t n);

struct matrix;
/* Reads the whole source (at most 256 MiB); it stays the caller's. */
int matrix_new(struct matrix **m, struct source *s, enum matrix_format format,
	       struct err *e);
/* As fasta_next(); n counts positions, letters are native floats. */
int matrix_next(struct matrix *m, struct fasta_piece *p, struct err *e);
void matrix_free(struct matrix *m);

#endif
