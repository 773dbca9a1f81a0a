#!/bin/sh
# SPDX-License-Identifier: MIT
# primer-pairs.sh [VIRUS HOST] - the best pairs of primers for products of 100
# to 200 letters of a virus, each primer with four differences from everything
# in a host; then what they make of the virus with up to three differences, and
# of the host, which is nothing.  Without arguments the virus is the begin of a
# genome, and the host its rest.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ $# -ne 2 ]; then
	cd "$(dirname "$0")/../data"
	name='gi|9626243|ref|NC_001416.1|'
	fasta-chunk -r "$name:1-300" lambda.fa.gz |
		rec-view -O fasta > "$tmp/virus.fa"
	fasta-chunk -r "$name:301-48502" lambda.fa.gz |
		rec-view -O fasta > "$tmp/host.fa"
	set -- "$tmp/virus.fa" "$tmp/host.fa"
fi
primer-find -k 4 --max-len 26 --gc 40-60 --tm 56-64 --fit \
	--product-size 100-200 -q "$1" -o "$tmp/best.tsv" "$2"
cut -f 1-5,9,10,14- "$tmp/best.tsv"
sed 1d "$tmp/best.tsv" | cut -f 5,10 | nl -w 1 > "$tmp/pairs.tsv"
pcr-find -k 3 -p "$tmp/pairs.tsv" --columns pair,beg,end,f_edits,r_edits "$1"
pcr-find -k 3 -p "$tmp/pairs.tsv" --no-header "$2"
