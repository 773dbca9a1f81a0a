#!/bin/sh
# SPDX-License-Identifier: MIT
# run-list.sh TITLE VARIABLE - run the lines of stdin, "VALUE PROGRAM [OPERAND
# ...]", each with the variable set to its value, as many at once as there are
# processors; all of a failure, then the sum.  Where the leak checker itself
# crashed, as it may while a thread ends, the line is run once more.  RUN_BY is a
# program that runs them, which are of another machine.
set -u
title=$1 variable=$2
export variable RUN_BY="${RUN_BY:-}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/list"
# shellcheck disable=SC2016 # the inner shell expands them
xargs -r -P "$(nproc)" -L 1 sh -c '
	export "$variable=$1"
	said="$variable=$*"
	shift
	out=$($RUN_BY "$@" 2>&1)
	rc=$?
	case $out in
	*"LeakSanitizer has encountered a fatal error"*)
		out=$($RUN_BY "$@" 2>&1)
		rc=$? ;;
	esac
	if [ $rc -eq 0 ]; then
		echo passed
	else
		out=$(printf "%s\n" "$out" | grep -v "^ok " | head -60)
		printf "FAILED: %s\n%s\n" "$said" "$out"
	fi' sh <"$tmp/list" >"$tmp/said"
grep -vx passed "$tmp/said"
passed=$(grep -cx passed "$tmp/said")
# all that did not pass, also what never ended
failed=$(($(wc -l <"$tmp/list") - passed))
echo "$title:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
