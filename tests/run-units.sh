#!/bin/sh
# SPDX-License-Identifier: MIT
# run-units.sh "ISAS" BUILD [TEST ...] - run every unit test (or these) for
# every instruction set, and every fuzz target over its corpus; one line each,
# all of a failure.
set -u
passed=0 failed=0
run() {
	if out=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: SEQF_ISA=${SEQF_ISA:-} $*"
		printf '%s\n' "$out" | grep -v '^ok ' | head -40
	fi
}
isas=$1 build=$2
shift 2
for isa in $isas; do
	export SEQF_ISA="$isa"
	for t in "$@"; do
		run "$build/unit/$t"
	done
	[ $# -eq 0 ] || continue
	for t in "$build"/unit/*; do
		[ -x "$t" ] && run "$t"
	done
	for t in "$build"/replay/*; do
		[ -x "$t" ] && run "$t" "tests/fuzz/corpus/$(basename "$t")"
	done
done
echo "unit tests:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
