#!/bin/bash
# SPDX-License-Identifier: MIT
# conda.sh BUILD - packaging/conda without conda: the steps of build.sh in a
# prefix that holds the libraries and nothing else, with the variables of
# conda-build and of its compilers; then the tests of meta.yaml, whose reader is
# from PyPI.  LEVEL=-O1 takes half the time of conda's -O2.
set -u
export LC_ALL=C
unset SEQF_ISA SEQF_THREADS MAKEFLAGS MFLAGS MAKELEVEL
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/seqf-conda.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM
. "$here/../lib/ok.sh"
mkdir -p "$1" "$tmp/prefix/include" "$tmp/prefix/lib" "$tmp/bin"
level=${LEVEL:--O2}
tools=$(cd "$1" && pwd)/tools
prefix=$tmp/prefix src=$tmp/src
cc=$(command -v "${CC:-cc}") path=$PATH

# Where the compiler finds a header.
header() { # NAME
	echo "#include <$1>" | "$cc" -E - 2>/dev/null |
		sed -n "s,^# [0-9]* \"\(.*/$1\)\".*,\1,p" | head -n 1
}
# The libraries as packages of the section host put them there.
host() {
	local f
	for f in zlib.h zconf.h libdeflate.h isa-l.h zstd.h bzlib.h lzma.h; do
		f=$(header $f)
		[ -z "$f" ] || cp "$f" "$prefix/include"
	done
	for f in isa-l lzma; do	# what theirs include
		[ ! -d "/usr/include/$f" ] ||
			cp -r "/usr/include/$f" "$prefix/include"
	done
	for f in z deflate isal zstd bz2 lzma; do
		f=$("$cc" -print-file-name=lib$f.so)
		[ ! -e "$f" ] || ln -s "$(readlink -f "$f")" "$prefix/lib/${f##*/}"
	done
	find "$prefix" ! -type d >"$tmp/before"
}
# Nothing but $CC may compile.
compilers() {
	local name
	printf '#!/bin/sh\nexport PATH="%s"\nexec "%s" "$@"\n' "$path" "$cc" \
		>"$tmp/bin/x86_64-conda-linux-gnu-cc"
	for name in cc gcc clang; do
		printf '#!/bin/sh\necho "%s is not the compiler" >&2\nexit 1\n' \
			$name >"$tmp/bin/$name"
	done
	chmod +x "$tmp/bin"/*
}
in_conda() { # COMMAND ... in $src
	(cd "$src" && env -i HOME="$tmp" LC_ALL=C PATH="$tmp/bin:/usr/bin:/bin" \
		CCACHE_DIR="${CCACHE_DIR:-$tmp/ccache}" \
		PREFIX="$prefix" SRC_DIR="$src" PKG_NAME=seqfilters \
		PKG_VERSION="$version" CPU_COUNT="$(nproc)" \
		CC="$tmp/bin/x86_64-conda-linux-gnu-cc" \
		CPPFLAGS="-DNDEBUG -D_FORTIFY_SOURCE=2 $level -isystem $prefix/include" \
		CFLAGS="-march=nocona -mtune=haswell -ftree-vectorize -fPIC -fstack-protector-strong -fno-plt $level -ffunction-sections -pipe -isystem $prefix/include -fdebug-prefix-map=$src=/usr/local/src/conda" \
		LDFLAGS="-Wl,-O2 -Wl,--sort-common -Wl,--as-needed -Wl,-z,relro -Wl,-z,now -Wl,--disable-new-dtags -Wl,--gc-sections -Wl,-rpath,$prefix/lib -Wl,-rpath-link,$prefix/lib -L$prefix/lib" \
		"$@")
}
sources() {
	mkdir "$src" && cd "$root" &&
		git ls-files -co --exclude-standard -z | tar --null -T - -cf - |
		tar -xf - -C "$src"
}
builds() {
	in_conda bash -e "$src/packaging/conda/build.sh"
}
# What it put there: programs, a manual page each, library; nothing beside.
installed() {
	find "$prefix" ! -type d | grep -vxFf "$tmp/before" |
		sed "s,^$prefix/,," | sort >"$tmp/new"
	grep -vE '^(bin|include|lib|share/(man|doc/seqfilters|bash-completion|zsh|fish))/' \
		"$tmp/new" && return 1
	for p in "$src"/filters/*.c; do
		p=${p##*/} p=${p%.c}
		grep -x "bin/$p" "$tmp/new" && grep -x "share/man/man1/$p.1" \
			"$tmp/new" || return
	done
	# of the prefix, not of the system
	readelf -d "$prefix/bin/asm-scan" | grep -F "[$prefix/lib]" || return
	"$prefix/bin/asm-scan" --version | grep -w libdeflate
}
recipe() {
	"$tools/bin/python" "$here/recipe.py" "$root/packaging/conda/meta.yaml" \
		"$version" "$tmp"
}
tests() {
	mkdir "$tmp/test" || return
	while read -r f; do
		mkdir -p "$tmp/test/$(dirname "$f")"
		cp -r "$src/$f" "$tmp/test/$f"
	done <"$tmp/files"
	(cd "$tmp/test" && env -i HOME="$tmp" PATH="$prefix/bin:/usr/bin:/bin" \
		PREFIX="$prefix" bash -ex -o pipefail "$tmp/commands")
}

version=$(sed -n 's/.*SEQF_VERSION "\(.*\)"/\1/p' "$root/common/base/base.h")
host && compilers && sources || exit 1
ok 'build.sh, with the variables of conda-build' builds
ok 'programs, manual and library are in the prefix, and nothing else' installed
if [ -x "$tools/bin/python" ] || { python3 -m venv "$tools" &&
	"$tools/bin/pip" install -q --retries 1 --disable-pip-version-check \
		jinja2 pyyaml >"$tmp/pip.log" 2>&1; }; then
	ok 'meta.yaml has what bioconda asks for' recipe
	ok 'the tests of meta.yaml' tests
else
	rm -rf "$tools"
	echo '# skipped: meta.yaml: no PyPI'
fi
finish conda
