#!/bin/sh
# SPDX-License-Identifier: MIT
# Where do EcoRI, BamHI and HindIII cut?  As BED.
set -eu
cd "$(dirname "$0")/data"
asm-scan -s + -e GAATTC -e GGATCC -e AAGCTT -O bed lambda.fa.gz
