#!/bin/sh
# SPDX-License-Identifier: MIT
# Five of the six places where the phage's repressor binds resemble one
# another: nothing else in the genome is within three differences of the first.
set -eu
cd "$(dirname "$0")/data"
asm-scan -O rec -k 3 --with-seq -e TACCTCTGGCGGTGATA lambda.fa.gz |
	merge-topk --no-overlap 0.5 --with-seq
