#!/bin/sh
# SPDX-License-Identifier: MIT
# run-units.sh "ISAS" BUILD [TEST ...] - run every unit test (or these) for
# every instruction set that it has code of, and every fuzz target over its
# corpus.
set -u
isas=$1 build=$2
shift 2

# Where the build has no kernels for an instruction set, nothing would be tested.
# Programs without symbols do not say.
for isa in $isas; do
	grep -q "_$isa" "$build"/unit/*/* ||
		! grep -q _scalar "$build"/unit/*/* || {
		echo "FAILED: $build: no kernels for $isa"
		exit 1
	}
done

# A program without a kernel does the same on every instruction set.
differs() { # PROGRAM
	[ "$isa" = "${isas%% *}" ] || grep -q "_$isa" "$1"
}
# "ISA PROGRAM [OPERAND]" of each
list() {
	for isa in $isas; do
		for t in "$@"; do
			echo "$isa" "$build"/unit/*/"$t"
		done
		[ $# -eq 0 ] || continue
		for t in "$build"/unit/*/*; do
			[ ! -x "$t" ] || ! differs "$t" || echo "$isa $t"
		done
		for t in "$build"/replay/*; do
			[ ! -x "$t" ] ||
				echo "$isa $t tests/fuzz/corpus/${t##*/}"
		done
	done
}
list "$@" | sh tests/run-list.sh 'unit tests' SEQF_ISA
