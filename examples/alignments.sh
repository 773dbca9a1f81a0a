#!/bin/sh
# SPDX-License-Identifier: MIT
# The three best local alignments of each site, by three workers, each of which
# takes its part of the genome; one checked table.
set -eu
cd "$(dirname "$0")/data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
seq 0 2 | TMP=$tmp xargs -P 2 -I{} sh -c '
	fasta-chunk -L 10k --part {}/3 lambda.fa.gz |
	sw-scan -t 1 -n 3 -q sites.fa -o "$TMP/{}.rec"'
merge-topk "$tmp"/*.rec
