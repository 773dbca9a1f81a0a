#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh "TARGETS" SECONDS - fuzz each target for so long with libFuzzer, ASan
# and UBSan, beginning with its corpus.  What it finds on the way is kept in
# build-fuzz/corpus/TARGET, an input that fails in build-fuzz/TARGET-crash-*.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL

b=build-fuzz
passed=0 failed=0
san='-fsanitize=address,undefined -fno-sanitize-recover=undefined'

build() {
	make -j"$(nproc)" B=$b CC="${FUZZ_CC:-clang}" CPPFLAGS= LDFLAGS= \
		CFLAGS="-O1 -g -fno-omit-frame-pointer $san \
-fsanitize=fuzzer-no-link" "$b/fuzz/$1"
}
fuzz() {
	mkdir -p "$b/corpus/$1" "tests/fuzz/corpus/$1"
	"$b/fuzz/$1" -max_total_time="$2" -timeout=20 -rss_limit_mb=2048 \
		-artifact_prefix="$b/$1-" "$b/corpus/$1" "tests/fuzz/corpus/$1"
}
for t in ${1:-}; do
	mkdir -p $b
	if ! build "$t" >"$b/$t.log" 2>&1; then
		echo "fuzz: $t does not build"
		tail -20 "$b/$t.log"
		failed=$((failed + 1))
	elif ! fuzz "$t" "${2:-60}" >"$b/$t.log" 2>&1; then
		echo "fuzz: $t failed, see $b/$t.log"
		grep -E 'ERROR|SUMMARY|runtime error|Test unit written' \
			"$b/$t.log" | head -20
		failed=$((failed + 1))
	else
		grep -E '^(Done|#.*DONE)' "$b/$t.log" | tail -1 |
			sed "s/^/fuzz: $t: /"
		passed=$((passed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
