/* SPDX-License-Identifier: MIT */
/* matrix.c - count and probability matrices: JASPAR, PFM, MEME, TRANSFAC */
#include "stream/matrix.h"

enum matrix_format
matrix_format(const char *name)
{
	static const char *const names[] = {
		"auto", "jaspar", "meme", "transfac", "pfm",
	};

	for (size_t i = 0; name && i < 5; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum matrix_format)i;
	return name ? MATRIX_NONE : MATRIX_AUTO;
}
bool matrix_is(const uint8_t *p, size_t n) { (void)p; (void)n; return false; }
int matrix_new(struct matrix **m, struct source *s, enum matrix_format format, struct err *e)
{ (void)m; (void)s; (void)format; return err_set(e, ERR_FORMAT, "matrices: not yet"); }
int matrix_next(struct matrix *m, struct fasta_piece *p, struct err *e) { (void)m; (void)p; (void)e; return 0; }
void matrix_free(struct matrix *m) { (void)m; }
