#!/bin/sh
# SPDX-License-Identifier: MIT
# Where do EcoRI, BamHI and HindIII cut?  As BED.
set -eu
cd "$(dirname "$0")/data"
asm-scan -O rec -s + -e GAATTC -e GGATCC -e AAGCTT lambda.fa.gz |
	merge-topk --sort=position -O bed
