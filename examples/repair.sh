#!/bin/sh
# SPDX-License-Identifier: MIT
# A worker was lost: name the missing chunks, search them alone, merge again.
set -eu
cd "$(dirname "$0")/data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fasta-chunk -L 10k --part 0/2 lambda.fa.gz |
	asm-scan -k 10% -q sites.fa > "$tmp/0.rec"
merge-topk "$tmp/0.rec" || echo "exit status $?: not whole"
merge-topk --missing "$tmp/0.rec" > "$tmp/missing"
fasta-chunk -L 10k --only @"$tmp/missing" lambda.fa.gz |
	asm-scan -k 10% -q sites.fa > "$tmp/1.rec"
merge-topk "$tmp/0.rec" "$tmp/1.rec"
