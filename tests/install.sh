#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh install|uninstall BUILD PREFIX - programs, manual and completions
# below PREFIX.  uninstall removes exactly what install puts there.
set -eu

what=$1 build=$2 to=$3

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
}
put() { # MODE SOURCE DESTINATION
	mkdir -p "$to/$(dirname "$3")"
	case $2 in
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
