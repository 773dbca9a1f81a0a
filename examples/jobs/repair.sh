#!/bin/sh
# SPDX-License-Identifier: MIT
# Four workers, one of which is killed at work: what it left is refused, and
# what it was to search is found, and searched again, alone.
set -eu
cd "$(dirname "$0")/../data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
worker() { # PART
	fasta-chunk -L 2k --part "$1/4" lambda.fa.gz |
		asm-scan -t 1 -k 10% -q sites.fa
}
for i in 0 1 3; do
	worker $i > "$tmp/$i.rec"
done
worker 2 | head -c 900 > "$tmp/2.rec"
merge-topk "$tmp"/?.rec || echo "exit status $?: not whole"
rm "$tmp/2.rec"
merge-topk --missing "$tmp"/?.rec > "$tmp/missing"
fasta-chunk -L 2k --only @"$tmp/missing" lambda.fa.gz |
	asm-scan -k 10% -q sites.fa > "$tmp/again.rec"
merge-topk "$tmp"/*.rec
