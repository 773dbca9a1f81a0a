#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SECONDS - the long checks of the scan: random cases for so many
# seconds (FIRST=n: from case n on), then long texts against a scalar program
# (LETTERS=1000000000).  The last line tells whether all were equal.
set -u
build=$1
passed=0 failed=0

check() { # COMMAND ...
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}
check "$build/soak/kdiff" "$2" "${FIRST:-0}"
for text in random repeats; do
	check "$build/soak/myers" "${LETTERS:-100000000}" 1 $text
done
echo "soak:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
