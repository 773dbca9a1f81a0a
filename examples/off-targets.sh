#!/bin/sh
# SPDX-License-Identifier: MIT
# Where could this guide bind, with up to six differences?  The best five.
set -eu
cd "$(dirname "$0")/data"
fasta-chunk lambda.fa.gz | asm-scan -k 6 -e TTCTCATGCTGAAAACGTGG |
	merge-topk -n 5
