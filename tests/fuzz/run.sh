#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh "TARGETS" SECONDS - fuzz each target for so long with libFuzzer, ASan
# and UBSan, beginning with its corpus.  What it finds on the way is kept in
# build-fuzz/corpus/TARGET, an input that fails in build-fuzz/TARGET-crash-*.
# FUZZ_BUILD=folder: with the targets that are there already.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL

b=${FUZZ_BUILD:-build-fuzz} seconds=${2:-60}
export b seconds
san='-fsanitize=address,undefined -fno-sanitize-recover=undefined'

build() { # TARGET ...
	# shellcheck disable=SC2046 # no blanks in names of targets
	make -j"$(nproc)" -k B="$b" CC="${FUZZ_CC:-clang}" CPPFLAGS= LDFLAGS= \
		CFLAGS="-O1 -g1 -fno-omit-frame-pointer $san \
-fsanitize=fuzzer-no-link" $(printf "$b/fuzz/%s\n" "$@")
}
mkdir -p "$b"
unbuilt=0
# shellcheck disable=SC2086 # words
if [ -z "${FUZZ_BUILD:-}" ] && ! build ${1:-} >$b/build.log 2>&1; then
	echo "fuzz: not all of it builds"
	unbuilt=1	# what is there may be old
	tail -20 $b/build.log
fi
# As many at once as there are processors; a line of each target that passed.
# shellcheck disable=SC2016,SC2086 # the inner shell expands them
said=$(printf '%s\n' ${1:-} | xargs -r -P "$(nproc)" -I{} sh -c '
	t=$1
	mkdir -p "$b/corpus/$t" "tests/fuzz/corpus/$t"
	if "$b/fuzz/$t" -max_total_time="$seconds" -timeout=20 \
		-rss_limit_mb=2048 -artifact_prefix="$b/$t-" \
		"$b/corpus/$t" "tests/fuzz/corpus/$t" >"$b/$t.log" 2>&1
	then
		done=$(grep -E "^(Done|#.*DONE)" "$b/$t.log" | tail -1)
		echo "fuzz: $t passed: $done"
	else
		found=$(grep -E "ERROR|SUMMARY|runtime error|Test unit written" \
			"$b/$t.log" | head -20)
		printf "fuzz: %s failed, see %s\n%s\n" "$t" "$b/$t.log" "$found"
	fi' sh {})
printf '%s\n' "$said"
passed=$(printf '%s\n' "$said" | grep -c '^fuzz: [a-z_]* passed: ')
# all that did not pass, also what never ran
# shellcheck disable=SC2086
failed=$(($(set -- ${1:-}; echo $#) - passed))
echo "$passed passed, $failed failed"
[ "$((failed + unbuilt))" -eq 0 ] && [ "$passed" -gt 0 ]
