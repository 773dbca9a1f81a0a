#!/bin/sh
# SPDX-License-Identifier: MIT
# Primers in the first 300 letters of phage lambda that differ by 4 letters at
# least from all that follows, on both strands, by three workers.
set -eu
cd "$(dirname "$0")/data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
name='gi|9626243|ref|NC_001416.1|'
fasta-chunk -r "$name:1-300" lambda.fa.gz | rec-view -O fasta > "$tmp/target.fa"
seq 0 2 | NAME=$name TMP=$tmp xargs -P 2 -I{} sh -c '
	fasta-chunk -L 10k --part {}/3 -r "$NAME:301-48502" lambda.fa.gz |
	primer-find -t 1 -k 4 --min-len 18 --max-len 24 --gc 40-60 --tm 50-60 \
		--max-homopolymer 4 --primers=both -q "$TMP/target.fa" \
		-o "$TMP/{}.rec"'
merge-topk "$tmp"/*.rec
