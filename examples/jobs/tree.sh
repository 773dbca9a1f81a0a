#!/bin/sh
# SPDX-License-Identifier: MIT
# tree.sh [FILE ...] - a tree of genomes, without aligning them, by quicktree if
# it is there, else the matrix.  Without files: four relatives, made of a piece
# of phage lambda.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ $# -eq 0 ]; then
	cd "$(dirname "$0")/../data"
	zcat lambda.fa.gz | sed -n 2,101p > "$tmp/a1"
	sed 's/GAT/GTT/' "$tmp/a1" > "$tmp/a2"
	sed 's/AC/G/g' "$tmp/a1" > "$tmp/b1"
	sed 's/TTG/TAG/' "$tmp/b1" > "$tmp/b2"
	for n in a1 a2 b1 b2; do
		echo ">$n made of lambda"
		cat "$tmp/$n"
	done > "$tmp/family.fa"
	set -- "$tmp/family.fa"
fi
ebwt-dist --metric=norm --full-names -O phylip "$@" > "$tmp/matrix"
if command -v quicktree > /dev/null; then
	quicktree -in m "$tmp/matrix"
else
	cat "$tmp/matrix"
fi
