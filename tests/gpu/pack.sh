#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh BUILD - BUILD/gpu-pack: what gpu-check and gpu-bench need on another
# machine, the programs' libraries among it; that machine needs no compiler.
# sh gpu-pack/run.sh bench, then check.
set -eu
b=$1 pack=$1/gpu-pack
most=50		# MiB
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/gpu/speed" "$pack/helpers" "$pack/lib"
copy() { # FOLDER PROGRAM ...: without symbols
	to=$pack/$1
	shift
	for p in "$@"; do
		[ ! -f "$p" ] || strip -o "$to/${p##*/}" "$p"
	done
}
copy bin "$b/bin/asm-scan" "$b/bin/sw-scan" "$b/bin/primer-find" \
	"$b/bin/ebwt-dist"
copy gpu "$b"/gpu/*
copy gpu/speed "$b"/gpu/speed/*
copy helpers "$b/helpers/randseq"
# all libraries but the C library's own: tables need the compiler's threads
for p in "$pack"/bin/* "$pack"/gpu/* "$pack"/gpu/speed/*; do
	[ ! -f "$p" ] || ldd "$p"
done | awk '$3 ~ "^/" && $1 !~ /^(libc|libm|libpthread|libdl|librt)[.]/ {
	print $3 }' | sort -u | while read -r lib; do
	cp -L "$lib" "$pack/lib"
done
cp tests/gpu/run.sh "$pack"
size=$(du -sm "$pack" | cut -f 1)
echo "$pack: $size MiB"
[ "$size" -lt "$most" ] || {
	echo "gpu-pack: more than $most MiB; CUDA_ARCHS=90 compiles for one" \
		'kind of GPU' >&2
	exit 1
}
