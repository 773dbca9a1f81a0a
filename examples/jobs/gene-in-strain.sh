#!/bin/sh
# SPDX-License-Identifier: MIT
# Where is a gene in another strain?  As SAM and as PAF.  The gene is that of
# the phage's repressor; the strain is the phage, with some words exchanged.
set -eu
cd "$(dirname "$0")/../data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fasta-chunk -r 'gi|9626243|ref|NC_001416.1|:37227-37940' lambda.fa.gz |
	rec-view -O fasta | sed 's/^>.*/>cI/' > "$tmp/gene.fa"
zcat lambda.fa.gz |
	sed '1s/.*/>strain/; 1!s/GATT/GACT/g; 1!s/CAGT/CAT/' > "$tmp/strain.fa"
sw-scan -q "$tmp/gene.fa" -O sam "$tmp/strain.fa"
sw-scan -q "$tmp/gene.fa" -O paf "$tmp/strain.fa"
