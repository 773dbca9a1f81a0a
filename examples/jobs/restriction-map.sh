#!/bin/sh
# SPDX-License-Identifier: MIT
# restriction-map.sh [ENZYMES GENOME] - which enzyme cuts where: a picture, SVG,
# on standard output.
set -eu
if [ $# -ne 2 ]; then
	cd "$(dirname "$0")/../data"
	set -- - lambda.fa.gz
fi
printf '>EcoRI\nGAATTC\n>BamHI\nGGATCC\n>HindIII\nAAGCTT\n' |
	asm-scan -s + -q "$1" -O svg "$2"
