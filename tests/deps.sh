#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh build|check|all|cluster|arm|packages|musl|plain|s390x - install what
# building (and testing, and linting; or clusters, ARM, packages; or the kinds of
# tests/portable/run.sh) needs and this machine lacks: with apt-get on Debian and
# Ubuntu; elsewhere say what is needed.  Silent when nothing is missing.  Exit 3:
# there are no packages for that machine, or that library.
set -eu

what=${1:-build}
cc=${CC:-cc}
missing='' optional=''

die() {
	echo "deps: $*" >&2
	exit 1
}
# Headers that the compiler does not find, when asked for all of them.
# shellcheck disable=SC2086 # words
lacks_header() {
	for h; do
		echo "#include <$h>"
	done | $cc ${CPPFLAGS:-} -E -o /dev/null - >/dev/null 2>&1 && return 1
	return 0
}
# Libraries that are used where they are.
better() { # HEADER LIBRARY PACKAGE
	# shellcheck disable=SC2086 # words
	printf '#include <%s>\nint main(void) { return 0; }\n' "$1" |
		$cc ${CPPFLAGS:-} ${LDFLAGS:-} -xc - -o /dev/null "-l$2" \
			>/dev/null 2>&1 || optional="$optional $3"
}
program() { # NAME PACKAGE
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

# shellcheck disable=SC2086 # $cc may hold options
compiler() {
	case ${cc%% *} in
	cc | gcc) package=gcc ;;
	*) package=${cc%% *} ;;
	esac
	program make make
	program "${cc%% *}" "$package"
	lacks_header stdlib.h && missing="$missing libc6-dev"
	lacks_header zlib.h && missing="$missing zlib1g-dev"
	lacks_header libdeflate.h && missing="$missing libdeflate-dev"
	better isa-l.h isal libisal-dev
	better zstd.h zstd libzstd-dev
	better bzlib.h bz2 libbz2-dev
	better lzma.h lzma liblzma-dev
}

checkers() {
	program bats bats
	# emulated kernels are C++
	echo | $cc -x c++ -fsyntax-only - 2>/dev/null || missing="$missing g++"
	lacks_header divsufsort.h && missing="$missing libdivsufsort-dev"
	program mandoc mandoc
	program pkg-config pkg-config
	program python3 python3-minimal
	program samtools samtools
	program bedtools bedtools
	program parallel parallel
	program gzip gzip
	program bgzip tabix
	program xz xz-utils
	program zstd zstd
	program bzip2 bzip2
	program zsh zsh
	program fish fish
	program primer3_core primer3
	program rsvg-convert librsvg2-bin
	program cutadapt cutadapt
	program bcftools bcftools
	# builds a tree, where the archive has it
	command -v quicktree >/dev/null 2>&1 || ! known quicktree ||
		missing="$missing quicktree"
}

linters() {
	program clang clang
	program clang-format clang-format
	program shellcheck shellcheck
	if ! command -v clang >/dev/null 2>&1; then
		missing="$missing libclang-rt-dev"
		return
	fi
	dir=$(clang -print-resource-dir)
	ls "$dir"/lib/*/*fuzzer* >/dev/null 2>&1 ||
		missing="$missing libclang-rt-dev"
}

# A cross compiler, an emulator, and libraries of the other machine.
arms() {
	cc=aarch64-linux-gnu-gcc
	program make make
	program $cc gcc-aarch64-linux-gnu
	program qemu-aarch64-static qemu-user-static
	lacks_header stdlib.h && missing="$missing libc6-dev-arm64-cross"
	echo 'int main(void) { return 0; }' | $cc -static -o /dev/null -x c - \
		-ldeflate -lz 2>/dev/null ||
		missing="$missing libdeflate-dev:arm64 zlib1g-dev:arm64"
	better zstd.h zstd libzstd-dev:arm64
	better bzlib.h bz2 libbz2-dev:arm64
	better lzma.h lzma liblzma-dev:arm64
}
# Libraries for these come from sources.
muslers() {
	program make make
	program musl-gcc musl-tools
	[ "$what" != plain ] || program clang clang
}
s390xs() {
	cc=s390x-linux-gnu-gcc
	program make make
	program $cc gcc-s390x-linux-gnu
	program qemu-s390x-static qemu-user-static
	lacks_header stdlib.h && missing="$missing libc6-dev-s390x-cross"
	return 0
}
# The archive may have none for it: then it is as it was.
add_arm() {
	dpkg --print-foreign-architectures | grep -qx arm64 && return
	$as_root dpkg --add-architecture arm64
	added=yes
}
drop_arm() {
	[ -z "${added:-}" ] || $as_root dpkg --remove-architecture arm64
	apt_get update || true
	rm -f "$log"
	exit 3
}

# Daemons are for tests that start them with files of their own.
clusters() {
	PATH=$PATH:/usr/sbin:/sbin
	program parallel parallel
	program ssh openssh-client
	program sshd openssh-server
	program munged munge
	program sbatch slurm-client
	program slurmctld slurmctld
	program slurmd slurmd
	program snakemake snakemake
	program faketime faketime
	environments
	program ps procps
}
# The packages start theirs when they are installed, unless this program says
# no; what a machine has of its own is left alone.
no_daemons() {
	[ "$what" = cluster ] && [ ! -e /usr/sbin/policy-rc.d ] || return 0
	trap '$as_root rm -f /usr/sbin/policy-rc.d' EXIT
	trap 'exit 130' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' |
		$as_root tee /usr/sbin/policy-rc.d >/dev/null
	$as_root chmod 755 /usr/sbin/policy-rc.d
}

# Environments of Python for what is installed by pip.
environments() {
	program python3 python3
	python3 -c 'import ensurepip' 2>/dev/null ||
		missing="$missing python3-venv"
}
packages() {
	environments
	program strip binutils
	program bzip2 bzip2
	program xz xz-utils
}

known() {
	apt-cache show "$1" 2>/dev/null | grep -q '^Package:'
}

# Older distributions keep the sanitizers with a numbered package, or clang.
available() {
	for p in $missing; do
		if [ "$p" != libclang-rt-dev ] || known "$p"; then
			echo "$p"
		elif known libclang-rt-14-dev; then
			echo libclang-rt-14-dev
		fi
	done
	for p in $optional; do
		if known "$p"; then
			echo "$p"
		fi
	done
}

# apt_get ARGUMENT ...: what it says goes to $log.  Another one's lock is waited
# for, which DPkg::Lock::Timeout does for installing alone, not for the lists.
apt_get() {
	end=$(($(date +%s) + ${APT_WAIT:-600}))
	until $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get \
		-qq "$@" >"$log" 2>&1 </dev/null; do
		grep -q 'Could not get lock' "$log" || return 1
		[ "$(date +%s)" -lt $end ] || return 1
		[ -n "${waits:-}" ] || echo "deps: another apt-get is at work:" \
			"waiting ${APT_WAIT:-600} s for it at most" >&2
		waits=yes
		sleep 1
	done
}

get() {
	as_root=''
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null 2>&1 ||
			die "needed, as root: apt-get install$missing"
		as_root='sudo'
	fi
	# nobody is asked where nobody can answer
	if [ "${YES:-}" != 1 ] && [ -t 0 ] && [ -t 2 ]; then
		printf 'deps: install%s? [Y/n] ' "$missing" >&2
		read -r answer
		case $answer in
		'' | [Yy]*) ;;
		*) die "needed:$missing" ;;
		esac
	fi
	echo "deps: installing$missing" >&2
	no_daemons
	log=$(mktemp)
	[ "$what" != arm ] || add_arm
	# a stale list is good enough if the archive is out of reach
	apt_get update || true
	[ "$what" != arm ] || known zlib1g-dev:arm64 || drop_arm
	case $what in
	musl | plain | s390x)
		for p in $missing; do
			known "$p" || exit 3
		done ;;
	esac
	# shellcheck disable=SC2046 # words
	if ! apt_get -y --no-install-recommends install $(available); then
		grep -E '^(E|W|Err):?' "$log" >&2 || tail -5 "$log" >&2
		rm -f "$log"
		die "apt-get failed; needed:$missing"
	fi
	rm -f "$log"
}

case $what in
build) compiler ;;
check) compiler && checkers ;;
all) compiler && checkers && linters ;;
cluster) compiler && clusters ;;
arm) arms ;;
packages) compiler && packages ;;
musl | plain) muslers ;;
s390x) s390xs ;;
*) die "usage: deps.sh build|check|all|cluster|arm|packages|musl|plain|s390x" ;;
esac

if [ -n "$missing" ]; then
	command -v apt-get >/dev/null 2>&1 || case $what in
	arm | musl | plain | s390x) exit 3 ;;
	esac
	command -v apt-get >/dev/null 2>&1 ||
		die "install these, or what your system calls them:$missing"
	get
elif [ -n "$optional" ] && [ "$(id -u)" -eq 0 ] && [ -n "$(available)" ]; then
	# more is read, and faster; nobody is asked for a password, nor waits
	as_root='' log=/dev/null APT_WAIT=0
	# shellcheck disable=SC2046 # words
	apt_get -y --no-install-recommends install $(available) || true
fi
exit 0
