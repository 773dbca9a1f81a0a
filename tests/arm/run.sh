#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD - build for ARM of 64 bits, into BUILD-arm-static, as make static
# does, and run unit tests and some of the end to end tests, scalar and NEON, by
# qemu: the libraries of the other machine may lie anywhere.
set -u
b=$1
arm=$b-arm-static
unset MAKEFLAGS MFLAGS MAKELEVEL RUN_ISAS

sh tests/deps.sh arm
case $? in
0) ;;
3)
	echo "check-arm: skipped: no packages for arm64 on this machine"
	exit 0
	;;
*) exit 1 ;;
esac
mkdir -p "$arm"
make -s -j"$(nproc)" static B="$b-arm" CC=aarch64-linux-gnu-gcc \
	WITH=arm-units UNIT_LEVEL='-O1 -w' 2>"$arm/make.log" || {
	cat "$arm/make.log"
	exit 1
}

# As with a sanitizer, which makes them as slow, they take fewer rounds.
export SEQF_SANITIZED=1 RUN_BY=qemu-aarch64-static
failed=0
sh tests/run-units.sh neon "$arm" || failed=1
# Scalar code is the same as elsewhere: an algorithm each.
sh tests/run-units.sh scalar "$arm" hash dna kdiff kdiff_index kdiff_trace \
	ebwt weighted primer primer_slices scan_sw sw_trace || failed=1

# The shell starts programs by their names.
mkdir -p "$arm/run/bin"
for p in "$arm"/bin/*; do
	p=${p##*/}
	printf '#!/bin/sh\nexec qemu-aarch64-static -0 %s %s/%s "$@"\n' \
		"$p" "$(cd "$arm/bin" && pwd)" "$p" >"$arm/run/bin/$p"
	chmod +x "$arm/run/bin/$p"
done
rm -rf "$arm/run/helpers"
cp -r "$b/helpers" "$arm/run/helpers"
some='textbook|SEQF_ISA|the definition|2bit: letters|sets?, fan-out'
# bats takes two thirds of its own time for files without any
ISAS='scalar neon' \
	BATS_FILES=$(grep -lE "^@test \"[^\"]*($some)" tests/e2e/*.bats) \
	sh tests/run-bats.sh "$arm/run" --filter "$some" || failed=1
exit $failed
