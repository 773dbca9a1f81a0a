#!/bin/sh
# SPDX-License-Identifier: MIT
# run-units.sh "ISAS" BUILD [TEST ...] - run every unit test (or these) for
# every instruction set, and every fuzz target over its corpus, as many at once
# as there are processors; all of a failure, then the sum.
set -u
isas=$1 build=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# "ISA PROGRAM [OPERAND]" of each
list() {
	for isa in $isas; do
		for t in "$@"; do
			echo "$isa $build/unit/$t"
		done
		[ $# -eq 0 ] || continue
		for t in "$build"/unit/*; do
			[ ! -x "$t" ] || echo "$isa $t"
		done
		for t in "$build"/replay/*; do
			[ ! -x "$t" ] ||
				echo "$isa $t tests/fuzz/corpus/${t##*/}"
		done
	done
}
list "$@" > "$tmp/list"
# shellcheck disable=SC2016 # the inner shell expands them
xargs -P "$(nproc)" -L 1 sh -c '
	export SEQF_ISA="$1"
	shift
	if out=$("$@" 2>&1); then
		echo passed
	else
		out=$(printf "%s\n" "$out" | grep -v "^ok " | head -40)
		printf "FAILED: SEQF_ISA=%s %s\n%s\n" "$SEQF_ISA" "$*" "$out"
	fi' sh < "$tmp/list" > "$tmp/said"
grep -vx passed "$tmp/said"
passed=$(grep -cx passed "$tmp/said")
# all that did not pass, also what never ended
failed=$(($(wc -l < "$tmp/list") - passed))
echo "unit tests:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
