#!/bin/sh
# SPDX-License-Identifier: MIT
# Four workers, each with its part of the genome; one checked table.
set -eu
cd "$(dirname "$0")/data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
seq 0 3 | TMP=$tmp xargs -P 2 -I{} sh -c '
	fasta-chunk -L 10k --part {}/4 lambda.fa.gz |
	asm-scan -t 1 -k 10% -q sites.fa -o "$TMP/{}.rec"'
merge-topk "$tmp"/*.rec
