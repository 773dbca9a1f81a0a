#!/bin/sh
# SPDX-License-Identifier: MIT
# run-units.sh "ISAS" BUILD [TEST ...] - run every unit test (or these) for
# every instruction set that it has code of, and every fuzz target over its
# corpus.
set -u
# The oracles' matrices are not given back to the system after each case, which
# costs more than they do.
export MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_TRIM_THRESHOLD_=1000000000
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

# Kernels run on every instruction set, where their own tests are.  All else is
# one code: of what uses them, too, the widest is enough.
own_kernels=$(find common -name '*_kern.c' | cut -d / -f 2 | sort -u)
runs_here() { # PROGRAM
	folder=${1%/*}
	[ "$isa" != "${isas##* }" ] || return 0
	grep -q "_$isa" "$1" &&
		printf '%s\n' "$own_kernels" | grep -qx "${folder##*/}"
}
# "ISA PROGRAM [OPERAND]" of each
list() {
	for isa in $isas; do
		for t in "$@"; do
			echo "$isa" "$build"/unit/*/"$t"
		done
		[ $# -eq 0 ] || continue
		for t in "$build"/unit/*/*; do
			[ ! -x "$t" ] || ! runs_here "$t" || echo "$isa $t"
		done
		for t in "$build"/replay/*; do
			[ ! -x "$t" ] ||
				echo "$isa $t tests/fuzz/corpus/${t##*/}"
		done
	done
}
list "$@" | sh tests/run-list.sh 'unit tests' SEQF_ISA
