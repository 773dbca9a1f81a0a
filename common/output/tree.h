/* SPDX-License-Identifier: MIT */
/*
 * tree.h - trees by neighbour joining
 * Sources: Saitou and Nei, 1987 (the method); Studier and Keppler, 1988 (in
 * cubic time); Howe, Bateman and Durbin, QuickTree, 2002 (its rule for negative
 * lengths, by Bruno).
 */
#ifndef SEQF_OUTPUT_TREE_H
#define SEQF_OUTPUT_TREE_H

#include "base/base.h"

#define TREE_NONE UINT32_MAX

/* Leaves are nodes 0 to n_leaves - 1, the root is the last node. */
struct tree_node {
	uint32_t parent, first, next;	/* child, sibling; or TREE_NONE */
	uint32_t least;			/* leaf below it: children ascend */
	double length;			/* of the branch to the parent, >= 0 */
};
struct tree {
	struct tree_node *v;
	size_t n, n_leaves;
};

/*
 * The tree of n >= 1 leaves with these distances: of i > j in d[i * (i - 1) / 2
 * + j], which is written over.  Two at a time are joined, those with the least
 * (m - 2) d(i, j) - r(i) - r(j), where m are left and r is the sum of a row; of
 * equal ones, the first by the larger and then the smaller place; a new node
 * takes the larger one.  The last three have the root for a parent; of two
 * leaves each has half of the distance.  A length below 0 becomes 0, and the
 * other branch gets all of the distance.  The same for the same numbers.
 * ERR_NOMEM.
 */
int tree_join(struct tree *t, double *d, size_t n, struct err *e);
void tree_free(struct tree *t);
/* As Newick's format: a line.  Names are as they are to stand there. */
void tree_newick(struct buf *b, const struct tree *t, const struct str *name);
/*
 * A picture of it, of TREE_DRAWN leaves at most, to the right of x, from y on
 * down; what: the distance.
 * Returns the height; *width becomes the page's if it is less.
 */
double tree_draw(struct buf *b, const struct tree *t, const struct str *name,
		 struct str what, double y, double *width, struct err *e);

#endif
