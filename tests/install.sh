#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh install|uninstall BUILD DESTDIR PREFIX - programs, manual,
# completions, examples and the library below DESTDIR PREFIX.  uninstall removes exactly
# what install puts there.
set -eu

what=$1 build=$2 prefix=$4 to=$3$4

# Every installed file: MODE SOURCE DESTINATION; completions have no source.
list() {
	for f in filters/*.c; do
		[ -e "$f" ] || continue
		p=$(basename "$f" .c)
		echo "755 $build/bin/$p bin/$p"
		echo "644 bash=$p share/bash-completion/completions/$p"
		echo "644 zsh=$p share/zsh/site-functions/_$p"
		echo "644 fish=$p share/fish/vendor_completions.d/$p.fish"
	done
	for f in man/*.[1-8]; do
		[ -e "$f" ] || continue
		echo "644 $f share/man/man${f##*.}/$(basename "$f")"
	done
	for f in examples/*.md examples/*.sh examples/*.svg examples/data/* \
	    examples/jobs/*; do
		mode=644
		[ ! -x "$f" ] || mode=755
		echo "$mode $f share/doc/seqfilters/$f"
	done
	echo "644 $build/lib/libseqfilters.a lib/libseqfilters.a"
	echo "644 common/api/seqfilters.h include/seqfilters.h"
	echo "644 pc=$build/lib/seqfilters.pc lib/pkgconfig/seqfilters.pc"
}
put() { # MODE SOURCE DESTINATION
	mkdir -p "$to/$(dirname "$3")"
	case $2 in
	pc=* | man/*)
		sed "s,@PREFIX@,$prefix,; s,/usr/local/share/doc,$prefix/share/doc," \
			"${2#pc=}" >"$to/$3"
		chmod "$1" "$to/$3"
		;;
	*=*)
		"$build/bin/${2#*=}" --completion="${2%%=*}" >"$to/$3"
		chmod "$1" "$to/$3"
		;;
	*) install -m "$1" "$2" "$to/$3" ;;
	esac
}

list | while read -r mode from name; do
	case $what in
	install) put "$mode" "$from" "$name" ;;
	uninstall) rm -f "$to/$name" ;;
	*)
		echo "usage: install.sh install|uninstall BUILD PREFIX" >&2
		exit 2
		;;
	esac
done
