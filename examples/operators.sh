#!/bin/sh
# SPDX-License-Identifier: MIT
# The six places where the phage's repressor binds resemble one of them.
set -eu
cd "$(dirname "$0")/data"
asm-scan -k 4 --with-seq -e TACCTCTGGCGGTGATA lambda.fa.gz |
	merge-topk -n 6 --with-seq -O tsv
