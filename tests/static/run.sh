#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD "ISAS" - static programs, for this machine and for ARM of 64 bits, where
# there is nothing else: in an empty folder, as its root.  They write the same
# as the programs of BUILD.  LEVEL=-O1: those for this machine take less time to
# compile.
# shellcheck disable=SC2086 # $start is words: see tour.sh
set -u
b=$1 isas=$2
unset MAKEFLAGS MFLAGS MAKELEVEL
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM
room=$tmp/room
. tests/lib/ok.sh

# No loader, no library, no symbols.
alone() {
	for p in "$room"/bin/*; do
		if readelf -ldSW "$p" | grep -wE 'INTERP|NEEDED|\.symtab'; then
			echo "$p"
			return 1
		fi
	done
}
# As many as here, and they say who they are.
versions() {
	for p in "$b"/bin/*; do
		p=${p##*/}
		$start$p --version | grep "^$p [0-9.]* (.*libdeflate" ||
			return 1
	done
}
same() {
	sh tests/portable/tour.sh "$tmp/there" /data $start &&
		diff -r "$tmp/here" "$tmp/there"
}
# There is no /dev, /proc and /tmp: files are written, and where standard input
# is closed, no file is taken for it.
files() {
	rm -f "$room"/hits.*
	${start}asm-scan -t 2 -k 3 -q /data/sites.fa -o /hits.rec \
		/data/lambda.fa.gz <&- || return
	${start}merge-topk -n 5 -o /hits.tsv /hits.rec <&- || return
	[ "$(wc -l <"$room/hits.tsv")" -eq "$(wc -l <"$tmp/here/asm.tsv")" ] ||
		return
	${start}asm-scan -q /data/sites.fa - <&- 2>"$tmp/said"
	[ $? -eq 1 ] && cat "$tmp/said" && [ "$(wc -l <"$tmp/said")" -eq 1 ]
}
# What --version names can be read.
packed() {
	for by in zstd bzip2 xz; do
		${start}fasta-chunk --version | grep -qw $by || continue
		command -v $by >/dev/null || continue
		gzip -dc examples/data/lambda.fa.gz | $by -c >"$room/data/packed"
		${start}fasta-chunk -L 5k /data/packed | ${start}rec-view |
			diff - "$tmp/here/chunks.txt" | grep '^[<>] CHUNK' &&
			return 1
	done
	return 0
}
in_room() { # NAME FOLDER ENTER ...
	what=$1 folder=$2
	shift 2
	rm -rf "$room"
	mkdir -p "$room/bin" "$room/data"
	cp "$folder"/bin/* "$room/bin"
	cp examples/data/* "$room/data"
	case " $* " in
	*' /run '*) cp "$(command -v qemu-aarch64-static)" "$room/run" ;;
	esac
	start="$* /bin/"
	ok "$what: need nothing" alone
	ok "$what: all of them" versions
	ok "$what: the same bytes" same
	ok "$what: without /dev, /proc, /tmp" files
	ok "$what: packed input" packed
}

make -s -j"$(nproc)" static B="$b" ${LEVEL:+CFLAGS="$LEVEL"} || exit 1
sh tests/portable/tour.sh "$tmp/here" examples/data "$b/bin/" || exit 1
if chroot / true 2>/dev/null; then
	enter=chroot
elif unshare -r chroot / true 2>/dev/null; then
	enter='unshare -r chroot'
else
	echo 'check-static: skipped: neither root nor unshare -r to change the root'
	exit 0
fi
for isa in $isas; do
	export SEQF_ISA="$isa"
	in_room "static, $isa" "$b-static" $enter "$room"
done
export SEQF_ISA=
sh tests/deps.sh arm
case $? in
0)
	make -s -j"$(nproc)" static B="$b-arm" CC=aarch64-linux-gnu-gcc ||
		exit 1
	in_room 'static, for ARM' "$b-arm-static" $enter "$room" /run
	;;
3) echo 'check-static: skipped for ARM: no packages for arm64 on this machine' ;;
*) exit 1 ;;
esac
finish check-static
