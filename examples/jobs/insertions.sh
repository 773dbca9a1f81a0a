#!/bin/sh
# SPDX-License-Identifier: MIT
# The hundred best copies of an insertion sequence, none of which shares a pair
# of letters with a better one, in BLAST's columns, the best first.  The genome
# is made of three copies, two of them changed, and what stands between them.
set -eu
cd "$(dirname "$0")/../data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
piece() { # BEG-END
	fasta-chunk -r "gi|9626243|ref|NC_001416.1|:$1" lambda.fa.gz |
		rec-view -O fasta | sed 1d
}
{ echo '>IS'; piece 10001-10700; } > "$tmp/is.fa"
{
	echo '>genome'
	piece 1-2000
	sed '1d; s/GATC/GTTC/g' "$tmp/is.fa"
	piece 20001-22000
	sed 1d "$tmp/is.fa"
	piece 30001-32000
	sed '1d; s/GG/GC/; s/TCA/TA/' "$tmp/is.fa"
} > "$tmp/genome.fa"
sw-scan --kind=waterman-eggert -n 100 --min-score 50 -q "$tmp/is.fa" \
	-O blast6 "$tmp/genome.fa"
