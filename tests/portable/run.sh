#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh musl|plain|s390x BUILD - programs and unit tests
#	musl	with musl, static: gcc, scalar
#	plain	with musl by clang, no vectors, and plain code for all that only some
#		systems have: no order but the comparison's, no nameless files
#	s390x	for a machine of the other byte order, by an emulator
# into BUILD-KIND, with libraries from sources.  All programs write the same bytes
# as those of BUILD; some of the unit and end to end tests run.  LEVEL=-O1 takes
# less time to compile.
set -u
kind=$1 b=$2
dir=$b-$kind
unset MAKEFLAGS MFLAGS MAKELEVEL RUN_ISAS
flags='' run=''
# of each folder whose code has such a fallback, or that reads or writes bytes,
# and each algorithm
units='base/array base/crew base/decimal base/hash base/out base/port base/sorter
	base/threads cli/opt letters/dna rec/chunk rec/rec rec/result rec/run
	collect/ledger collect/topk output/merge_dists flow/feed flow/pump
	input/source input/fasta input/query kdiff/kdiff kdiff/kdiff_index
	kdiff/kdiff_trace ebwt/ebwt ebwt/ebwt_gap ebwt/weighted primer/primer
	primer/primer_slices scan/scan_sw sw/sw_trace'
units=$(echo "$units" | tr -s '\n\t' '  ')

skip() {
	echo "check-$kind: skipped: $*"
	exit 0
}
sh tests/deps.sh "$kind"
case $? in
0) ;;
3) skip 'no packages for it on this machine' ;;
*) exit 1 ;;
esac
case $kind in
musl) cc=musl-gcc ;;
plain)
	cc=tests/portable/musl-clang
	flags='-DSEQF_PLAIN -Dqsort=sort_plain'
	;;
s390x)
	cc=s390x-linux-gnu-gcc run=qemu-s390x-static
	# gcc 12 exchanges halves of small vectors there: wrong sums
	flags=-fno-tree-slp-vectorize
	export RUN_BY=$run SEQF_SANITIZED=1
	;;
*) exit 2 ;;
esac
libs=$b-portable/$kind
sh tests/portable/libs.sh "$libs" $cc
case $? in
0) ;;
3) skip 'its libraries cannot be compiled' ;;
*) exit 1 ;;
esac
libs=$(cd "$libs" && pwd)
mkdir -p "$dir"
make -s -j"$(nproc)" B="$dir" CC=$cc ISAL= ZSTD= BZ2= LZMA= CUDA=0 \
	WITHOUT='avx2 avx512 neon' CPPFLAGS="-I$libs/include $flags" \
	LDFLAGS="-static -L$libs/lib" CFLAGS="${LEVEL:-${CFLAGS:--O2 -g}}" \
	PORTABLE_UNITS="$units" all portable-units || exit 1

failed=0
# shellcheck disable=SC2046,SC2086 # words
sh tests/run-units.sh scalar "$dir" $(basename -a $units) || failed=1
start=$dir/bin/
[ -z "$run" ] || start="$run $dir/bin/"
# shellcheck disable=SC2086 # words
sh tests/portable/tour.sh "$dir/here" examples/data "$b/bin/" &&
	sh tests/portable/tour.sh "$dir/there" examples/data $start &&
	diff -r "$dir/here" "$dir/there" && echo 'the same bytes' || failed=1
[ "$kind" != s390x ] || exit $failed
rm -rf "$dir/helpers"
cp -r "$b/helpers" "$dir/helpers"
some='textbook|the definition|closed|full disk|SEQF_ISA|2bit: letters'
# bats takes two thirds of its own time for files without any
ISAS=scalar BATS_FILES=$(grep -lE "^@test \"[^\"]*($some)" tests/e2e/*.bats) \
	sh tests/run-bats.sh "$dir" --filter "$some" || failed=1
exit $failed
