#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh - the Debian packages build from a copy of the tree with what they
# declare, are clean for lintian, and hold what they should.
set -eu

say() {
	echo "deb-check: $*" >&2
}
for p in dpkg-buildpackage dh lintian; do
	command -v $p >/dev/null || {
		say "no $p: apt-get install build-essential debhelper lintian"
		exit 1
	}
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/seqfilters"
{ git ls-files -co --exclude-standard 2>/dev/null ||
	find . -name 'build*' -prune -o -type f -print; } |
	tar -cf - -T - | tar -xf - -C "$tmp/seqfilters"
(
	cd "$tmp/seqfilters"
	unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CC
	dpkg-checkbuilddeps
	dpkg-buildpackage -us -uc -b >../log 2>&1 || {
		tail -40 ../log >&2
		say "dpkg-buildpackage failed"
		exit 1
	}
	sed -n 's/^dpkg-gencontrol: warning/warning/p' ../log >&2
)
cd "$tmp"
arch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
lintian --fail-on error,warning ./*.changes
for f in ./seqfilters_*.deb ./libseqfilters-dev_*.deb; do
	dpkg-deb -c "$f" | awk '{ print $6 }'
done >files
for f in usr/bin/asm-scan usr/share/man/man1/asm-scan.1.gz \
	usr/share/bash-completion/completions/asm-scan \
	usr/share/zsh/vendor-completions/_asm-scan \
	usr/share/fish/vendor_completions.d/asm-scan.fish \
	usr/share/man/man3/seqfilters.3.gz usr/include/seqfilters.h \
	"usr/lib/$arch/libseqfilters.a" \
	"usr/lib/$arch/pkgconfig/seqfilters.pc"; do
	grep -qx "./$f" files || {
		say "missing: $f"
		exit 1
	}
done
dpkg-deb -x ./seqfilters_*.deb root
dpkg-deb -x ./libseqfilters-dev_*.deb root
grep -x 'prefix=/usr' "root/usr/lib/$arch/pkgconfig/seqfilters.pc" \
	>/dev/null
printf '>a\nGATTACA\n' | root/usr/bin/asm-scan -s + -e GATTACA -O bed - |
	grep -x "$(printf 'a\t0\t7\tGATTACA\t0\t+')" >/dev/null
say "the packages are whole"
