#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SEEDS - the emulated kernels' tests, each with so many schedules,
# as many at once as there are processors; all of a failure, then the sum.
set -u
build=$1/cuda_on_cpu seeds=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# Fewer rounds, as of sanitizers; no fake stack for each CUDA thread of ASan's.
SEQF_SANITIZED=1
SEQF_ROUNDS=20
SEQF_ISA=scalar
ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
export SEQF_SANITIZED SEQF_ROUNDS SEQF_ISA ASAN_OPTIONS
# TSan must see what the emulator maps and unmaps, though CI tells it not to.
TSAN_OPTIONS=halt_on_error=1
export TSAN_OPTIONS

for t in "$build"/*; do
	[ -f "$t" ] && [ -x "$t" ] || continue
	case $t in
	*/faults) echo "0 $t $seeds" ;;
	*) seq 0 $((seeds - 1)) | sed "s,\$, $t," ;;
	esac
done >"$tmp/list"
# shellcheck disable=SC2016 # the inner shell expands them
xargs -P "$(nproc)" -L 1 sh -c '
	export SEQF_SIMT_SEED="$1"
	shift
	if out=$("$@" 2>&1); then
		echo passed
	else
		out=$(printf "%s\n" "$out" | grep -v "^ok " | head -60)
		printf "FAILED: SEQF_SIMT_SEED=%s %s\n%s\n" "$SEQF_SIMT_SEED" \
			"$*" "$out"
	fi' sh <"$tmp/list" >"$tmp/said"
grep -vx passed "$tmp/said"
passed=$(grep -cx passed "$tmp/said")
failed=$(($(wc -l <"$tmp/list") - passed))
echo "emulated kernels:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
