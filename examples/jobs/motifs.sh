#!/bin/sh
# SPDX-License-Identifier: MIT
# Motifs: which of them are alike, and how often does each consensus occur?
set -eu
cd "$(dirname "$0")/../data"
ebwt-dist --theta-word 0.01 -n 1 --columns a,b,weighted_mean - <<'END'
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
A [ 0 30  1  0  0  0 ]
C [30  0 29  1  3  0 ]
G [ 0  0  0 28  0 30 ]
T [ 0  0  0  1 27  0 ]
END
asm-scan --report=count --columns query,strand,count -e CACGTG -e WGATAR \
	-O tsv lambda.fa.gz
