#!/bin/sh
# SPDX-License-Identifier: MIT
# mutants.sh BUILD [WORD] - the lines of mutants.txt, or those with a word in
# them, each made in a copy of the tree that was built as BUILD: the kernel's
# test must fail.  By hand: it takes a quarter of a minute each.
set -u
build=$1 word=${2:-}
here=tests/simt
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export SEQF_SANITIZED=1 SEQF_ROUNDS=20 SEQF_ISA=scalar TSAN_OPTIONS=halt_on_error=1
found=0 missed=0

cp -a Makefile common cuda filters tests "$tmp" && mkdir "$tmp/$build" &&
	cp -a "$build/." "$tmp/$build" || exit

# The first line of FILE that has FROM, as plain text, with TO instead.
mutate() { # FILE FROM TO
	FROM=$2 TO=$3 awk '
		!done && (i = index($0, ENVIRON["FROM"])) {
			$0 = substr($0, 1, i - 1) ENVIRON["TO"] \
				substr($0, i + length(ENVIRON["FROM"]))
			done = 1
		}
		{ print }
		END { exit !done }' "$1" >"$tmp/$1"
}
# A little of the test, then more of it with another schedule.
survives() { # TEST
	SEQF_SIMT_LITTLE=1 timeout 300 "$tmp/$build/simt/$1" \
		>"$tmp/log" 2>&1 &&
		SEQF_SIMT_SEED=1 timeout 300 "$tmp/$build/simt/$1" \
			>"$tmp/log" 2>&1
}
tab=$(printf '\t')
grep -v '^#' "$here/mutants.txt" | grep -F -- "$word" >"$tmp/list"
while IFS=$tab read -r test file from to; do
	if ! mutate "$file" "$from" "$to"; then
		word='NO SUCH LINE'
	elif ! make -C "$tmp" "B=$build" "$build/simt/$test" \
		>"$tmp/log" 2>&1; then
		word='DOES NOT BUILD'
	elif survives "$test"; then
		word='NOT FOUND'
	else
		word=found
	fi
	[ "$word" = found ] && found=$((found + 1)) || missed=$((missed + 1))
	printf '%-14s %s: %s -> %s\n' "$word" "$file" "$from" "$to"
	cp "$file" "$tmp/$file"
done <"$tmp/list"
echo "$found found, $missed not"
[ "$missed" -eq 0 ]
