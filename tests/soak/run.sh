#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SECONDS - the long checks of the scans: random cases against the
# textbook for so many seconds (FIRST=n: from case n on), engines against each
# other on a genome (GENOME=FASTA) for as many, then long texts against a scalar
# program (LETTERS=1000000000).  The last line says whether all were equal.
set -u
build=$1
passed=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
coli=$(dirname "$0")/../../../shared/data/bench/ecoli.MG1655.fa.gz

check() { # COMMAND ...
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}
check "$build/soak/kdiff" "$2" "${FIRST:-0}"
check "$build/soak/sw" "$2" "${FIRST:-0}"
check "$build/soak/primer" "$2" "${FIRST:-0}"
if [ -z "${GENOME:-}" ]; then
	GENOME=$tmp/genome.fa
	zcat "$coli" 2> /dev/null > "$GENOME" ||
		"$build/helpers/randseq" 5000000 > "$GENOME"
fi
check "$build/soak/engines" "$2" "$GENOME" "${FIRST:-0}"
for text in random repeats; do
	check "$build/soak/myers" "${LETTERS:-100000000}" 1 $text
done
echo "soak:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
