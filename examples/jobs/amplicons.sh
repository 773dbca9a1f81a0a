#!/bin/sh
# SPDX-License-Identifier: MIT
# amplicons.sh [PAIRS GENOME] - the products of each pair of primers, with up to
# three differences in each primer, as BED; then their lengths alone.
set -eu
if [ $# -ne 2 ]; then
	cd "$(dirname "$0")/../data"
	set -- pairs.tsv lambda.fa.gz
fi
pcr-find -k 3 -p "$1" -O bed "$2"
pcr-find -k 3 -p "$1" --columns pair,length "$2"
