#!/bin/sh
# SPDX-License-Identifier: MIT
# tree.sh [FILE ...] - a tree of genomes, a sequence each, without aligning them,
# on whichever strands they are.  (Genomes of many contigs: --by=file instead of
# --full-names.)  Without files: four relatives, made of a piece of phage lambda.
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
ebwt-dist --metric=norm -s both --full-names -O newick "$@"
