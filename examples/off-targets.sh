#!/bin/sh
# SPDX-License-Identifier: MIT
# Where could this guide bind, with up to four differences?  Best first.
set -eu
cd "$(dirname "$0")/data"
fasta-chunk lambda.fa.gz | asm-scan -k 4 -e TTCTCATGCTGAAAACGTGG |
	merge-topk -n 10 -O tsv
