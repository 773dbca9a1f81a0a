#!/bin/sh
# SPDX-License-Identifier: MIT
# run-bats.sh BUILD [BATS OPTION ...] - run tests/e2e/*.bats, or those in
# BATS_FILES, on the programs of BUILD, as many files at once as there are
# processors; what fails or is skipped is shown as it comes, then the sum.  Tests
# of one file side by side would take twice as long: bats starts several programs
# for each of them then.
set -u
b=$1
shift
log=$b/bats.tap
SEQF_BIN=$(cd "$b/bin" && pwd) SEQF_HELPERS=$(cd "$b/helpers" && pwd)
export SEQF_BIN SEQF_HELPERS
n=$(nproc)
# bats refuses options of parallel runs for one job
[ "$n" -eq 1 ] || set -- --jobs "$n" --no-parallelize-within-files "$@"
# shellcheck disable=SC2086 # words
{ bats --tap "$@" ${BATS_FILES:-tests/e2e} || echo "bats exit $?"; } 2>&1 |
	tee "$log" |
	awk '/^ok .*# skip/ { print }
		/^ok / { show = 0 }
		/^(not ok|bats) / { show = 1 }
		show { print; fflush() }'
skipped=$(grep -c '^ok .*# skip' "$log")
passed=$(($(grep -c '^ok ' "$log") - skipped))
failed=$(grep -c '^not ok ' "$log")
planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -1)
[ -n "$planned" ] || cat "$log"
echo "end to end tests:"
# a test that bats never came to has failed, too
[ $((passed + failed + skipped)) -ge "${planned:-1}" ] ||
	failed=$((${planned:-1} - passed - skipped))
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && ! grep -q '^bats exit' "$log"
