#!/bin/sh
# SPDX-License-Identifier: MIT
# off-targets.sh [GUIDES GENOME] - where may these guides bind beside NGG, with
# up to four differences of which two may be bulges?  Mismatches and letters of
# bulges apart, the likeliest first.
set -eu
if [ $# -ne 2 ]; then
	cd "$(dirname "$0")/../data"
	set -- - lambda.fa.gz
fi
printf '>guide\nGTCCTTTCCGGCAATCAGGC\n' |
	asm-scan --pam NGG -k 4 --max-bulges 2 -n 100 -q "$1" \
		--columns query,subject,strand,sbeg,send,mismatches,gaps,cigar \
		-O tsv "$2"
