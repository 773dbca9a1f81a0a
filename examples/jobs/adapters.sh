#!/bin/sh
# SPDX-License-Identifier: MIT
# Which reads end in this adapter, or in a part of three letters or more, with
# at most one difference in ten letters?  Where to cut each, then the others as
# they are.
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
@none
TTGACCGATTACAAGGCTTCA
+
IIIIIIIIIIIIIIIIIIIII
END
adapter() {
	asm-scan -s + -k 10% --per-overlap --overhang-end 0 --min-overlap 3 \
		-e AGATCGGAAGAGC "$@" "$tmp/reads.fq"
}
adapter -O rec | merge-topk -n 1 --per=subject --columns subject,slen,sbeg,edits
adapter --invert
