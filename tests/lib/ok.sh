# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# ok.sh - counts tests; sourced.  $tmp is a folder.
passed=0 failed=0

ok() { # NAME COMMAND ...: its output is shown if it fails
	name=$1
	shift
	if "$@" >"${tmp:?}/out" 2>&1; then
		passed=$((passed + 1))
		echo "ok $name"
	else
		failed=$((failed + 1))
		echo "not ok $name"
		tail -n 25 "$tmp/out" | sed 's/^/# /'
	fi
}
finish() { # WHAT
	echo "$1:"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
