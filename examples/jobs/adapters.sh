#!/bin/sh
# SPDX-License-Identifier: MIT
# Which reads end in this adapter, or in a part of three letters or more, with
# at most one difference in ten letters?  Name, length, where to cut, differences
# of each (seqfilters-reads(7), Where to cut), then the others as they are.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat > "$tmp/reads.fq" <<'END'
@whole
TTGACCATAGATCGGAAGAGCACAC
+
IIIIIIIIIIIIIIIIIIIIIIIII
@part
TTGACGATTACAGTCAAGATCGG
+
IIIIIIIIIIIIIIIIIIIIIII
@differs
GGCATTAGATCGGATGAGCTT
+
IIIIIIIIIIIIIIIIIIIII
@hidden
TTGCATGTAGATGGAAGA
+
IIIIIIIIIIIIIIIIII
@none
TTGACCGATTACAAGGCTTCA
+
IIIIIIIIIIIIIIIIIIIII
END
adapter() {
	asm-scan -s + -k 10% --per-overlap --overhang-end 0 \
		-e AGATCGGAAGAGC --min-overlap "$@" "$tmp/reads.fq"
}
for least in 3 10; do
	adapter $least --columns subject,slen,sbeg,edits --no-header
done | sort -k 1,1 -k 3,3n -k 4,4n | sort -u -k 1,1
adapter 3 --invert
