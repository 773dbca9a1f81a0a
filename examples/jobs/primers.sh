#!/bin/sh
# SPDX-License-Identifier: MIT
# Primers of a virus that differ by four letters from everything in a host, for
# primer3 to check.  The virus is the begin of the genome, the host its rest.
set -eu
cd "$(dirname "$0")/../data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
name='gi|9626243|ref|NC_001416.1|'
fasta-chunk -r "$name:1-300" lambda.fa.gz | rec-view -O fasta > "$tmp/virus.fa"
fasta-chunk -r "$name:301-48502" lambda.fa.gz |
	primer-find -k 4 --min-len 18 --max-len 24 --gc 40-60 --tm 55-62 \
		--primers=both -q "$tmp/virus.fa" -O boulder > "$tmp/primers"
if command -v primer3_core > /dev/null; then
	primer3_core "$tmp/primers"
else
	cat "$tmp/primers"
fi
