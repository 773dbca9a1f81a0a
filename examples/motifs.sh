#!/bin/sh
# SPDX-License-Identifier: MIT
# motifs.sh [FILE ...] - for each motif (JASPAR, MEME, TRANSFAC, counts) the
# nearest other one, by the mean distance of all their words.  Without files:
# five small ones, two of which are the same box, seen by two laboratories.
set -eu
if [ $# -eq 0 ]; then
	set -- -
fi
{
	[ "$1" != - ] || cat <<'END'
>E_box_1 bHLH
A [ 1 19  0  1  0  0 ]
C [18  0 20  0  1  0 ]
G [ 1  1  0 19  0 20 ]
T [ 0  0  0  0 19  0 ]
>GATA
A [ 7  0 20  0 19 12 ]
C [ 1  0  0  0  0  1 ]
G [ 2 20  0  1  0  7 ]
T [10  0  0 19  1  0 ]
>E_box_2 bHLH
A [ 0 30  1  0  0  0  8 ]
C [30  0 29  1  3  0 12 ]
G [ 0  0  0 28  0 30  6 ]
T [ 0  0  0  1 27  0  4 ]
>TATA
A [ 0 20  0 20 12 20 ]
C [ 1  0  0  0  0  0 ]
G [ 0  0  1  0  0  0 ]
T [19  0 19  0  8  0 ]
>poly_A
A [ 9  9  9  9 ]
C [ 0  0  0  1 ]
G [ 0  1  0  0 ]
T [ 1  0  1  0 ]
END
} | ebwt-dist --theta-word 0.01 -n 1 "$@"
