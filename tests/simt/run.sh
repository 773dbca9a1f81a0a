#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SEED ... - the emulated kernels' tests, each with the schedule of
# each seed; 0: in order.
set -u
build=$1/simt
shift
# Fewer rounds, as of sanitizers; no fake stack for each CUDA thread of ASan's.
SEQF_SANITIZED=1
SEQF_ROUNDS=20
SEQF_ISA=scalar
ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
export SEQF_SANITIZED SEQF_ROUNDS SEQF_ISA ASAN_OPTIONS
# TSan must see what the emulator maps and unmaps, though CI turns that off.
TSAN_OPTIONS=halt_on_error=1
export TSAN_OPTIONS

for t in "$build"/*; do
	[ -f "$t" ] && [ -x "$t" ] || continue
	case $t in
	# its own loop over seeds: those in order as well
	*/faults) echo "0 $t $(($# + 1))" ;;
	*) printf "%s $t\n" "$@" ;;
	esac
done | sh tests/run-list.sh 'emulated kernels' SEQF_SIMT_SEED
