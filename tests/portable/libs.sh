#!/bin/sh
# SPDX-License-Identifier: MIT
# libs.sh FOLDER COMPILER - zlib and libdeflate, static, by this compiler, in
# FOLDER/include and FOLDER/lib: from the distribution's sources, by apt-get, which
# go to FOLDER/../sources and stay there.  What apt-get knows does not change.
# Exit 3: there are no sources.
set -eu
dir=$1 cc=$2
sources=$(dirname "$dir")/sources

none() {
	echo "libs: $*" >&2
	exit 3
}
# The distribution's lists, of sources, in a folder of ours.
lists() {
	mkdir -p "$sources/apt/lists/partial" "$sources/apt/parts"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		case $f in
		*.sources) grep -qi debian "$f" && sed 's/^Types:.*/Types: deb-src/' \
			"$f" >"$sources/apt/parts/${f##*/}" ;;
		*.list) grep -E '^deb .* main' "$f" | sed 's/^deb /deb-src /' \
			>"$sources/apt/parts/${f##*/}" ;;
		esac || true
	done
}
apt() {
	apt-get -qq -o Dir::Etc::SourceList=/dev/null \
		-o Dir::Etc::SourceParts="$sources/apt/parts" \
		-o Dir::State::Lists="$sources/apt/lists" \
		-o APT::Sandbox::User="$(id -un)" "$@" >"$sources/log" 2>&1
}
fetch() {
	command -v apt-get >/dev/null || none 'no apt-get'
	sources=$(cd "$sources" && pwd)
	lists
	apt update || true
	(cd "$sources" && apt source --download-only zlib libdeflate) || {
		tail -3 "$sources/log" >&2
		none 'no sources of zlib and libdeflate'
	}
	for name in zlib libdeflate; do
		mkdir -p "$sources/$name"
		tar -xf "$sources/$name"_*.orig.tar.* -C "$sources/$name" \
			--strip-components=1
	done
	: >"$sources/whole"
}
# library NAME: all C files of the operands
library() {
	name=$1
	shift
	rm -rf "${dir:?}/$name"
	mkdir -p "$dir/$name"
	for f; do
		# shellcheck disable=SC2086 # $cc may have options
		$cc -O2 -fPIC -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H \
			-I"$sources/$name" -c "$f" \
			-o "$dir/$name/$(echo "$f" | tr / _).o"
	done
	rm -f "$dir/lib/lib${name#lib}.a"
	"$($cc -print-prog-name=ar)" qcs "$dir/lib/lib${name#lib}.a" "$dir/$name"/*.o
}

[ ! -e "$dir/whole" ] || exit 0
mkdir -p "$sources" "$dir/lib" "$dir/include"
[ -e "$sources/whole" ] || fetch
(cd "$sources" && ls zlib/adler32.c libdeflate/lib/utils.c) >/dev/null
library zlib "$sources"/zlib/*.c
mv "$dir/lib/libzlib.a" "$dir/lib/libz.a"
library libdeflate "$sources"/libdeflate/lib/*.c "$sources"/libdeflate/lib/*/*.c
cp "$sources"/zlib/zlib.h "$sources"/zlib/zconf.h \
	"$sources"/libdeflate/libdeflate.h "$dir/include"
: >"$dir/whole"
