#!/bin/sh
# SPDX-License-Identifier: MIT
# run-units.sh "ISAS" BUILD - run every unit test for every instruction set,
# and every fuzz target over its corpus; one line each, all of a failure.
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
for isa in $1; do
	export SEQF_ISA="$isa"
	for t in "$2"/unit/*; do
		[ -x "$t" ] && run "$t"
	done
	for t in "$2"/replay/*; do
		[ -x "$t" ] && run "$t" "tests/fuzz/corpus/$(basename "$t")"
	done
done
echo "unit tests:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
