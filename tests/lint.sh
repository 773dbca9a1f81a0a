#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD - the rules of the house that a machine can check.  GCC_BUILD is
# the folder of what gcc has built with -Werror, if it has, and CFLAGS are its.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL

b=${1:-build}-lint
passed=0 failed=0

# A rule holds if its command succeeds and prints nothing.
rule() { # NAME COMMAND ...
	name=$1
	shift
	if out=$("$@" 2>&1) && [ -z "$out" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		printf '%s\n' "$out" | head -30
	fi
}
# Our files whose names match, one a line.
files() {
	{ git ls-files -co --exclude-standard 2>/dev/null ||
		find . -name 'build*' -prune -o -type f -print |
		sed 's,^\./,,'; } | grep -E "$1" |
		while read -r f; do
			[ ! -e "$f" ] || echo "$f"
		done
}
sources='\.([ch]|cc|cu|cuh)$'
scripts='(\.sh|^\.ci/run)$'
text='(\.([ch]|cc|cuh?|sh|bats|md|[1-8])|Makefile|^\.ci/run)$'

gcc_build=${GCC_BUILD:-$b/gcc}
by_gcc() {
	[ -z "${GCC_BUILD:-}" ] || {
		make -s -j"$(nproc)" B="$gcc_build" everything || return
		grep -q -e -Werror "$gcc_build/flags" ||
			echo "$gcc_build: not with -Werror"
		return
	}
	make -s -j"$(nproc)" B="$gcc_build" CC=gcc CUDA=0 \
		CFLAGS='-O2 -g -Werror' everything
}
# Its warnings need no code.
by_clang() {
	files '\.(c|cc|cu)$' | grep -vE '^tests/gpu/|nvidia_words' |
		while read -r f; do
			case $f in
			*_kern.c) for o in "$gcc_build/${f%c}"*.o; do
				echo "$b/clang/${o#"$gcc_build"/}"
			done ;;
			*.c) echo "$b/clang/${f%c}o" ;;
			*) echo "$b/clang/simt/obj/$f.o" ;;
			esac
		done | xargs make -s -k -j"$(nproc)" B="$b/clang" \
		CC='clang -fsyntax-only' CUDA=0 CFLAGS='-Werror -Icommon/api'
}
manual() {
	for f in man/*.[1-8]; do
		[ ! -e "$f" ] || mandoc -Tlint -W style "$f" |
			grep -v 'referenced manual not found'
	done
	return 0
}
shell() {
	# shellcheck disable=SC2046 # no blanks in our names
	shellcheck -S warning $(files "$scripts")
}
long_files() {
	files '(\.([ch]|cc|cuh?|sh|bats|mk|py)|Makefile)$' | while read -r f; do
		case $f in
		Makefile) max=149 ;;
		filters/*) max=250 ;;
		*) max=1200 ;;
		esac
		n=$(wc -l <"$f")
		[ "$n" -le $max ] || echo "$f: $n lines (at most $max)"
	done
}
# A function's body stands between braces in the first column.
long_functions() {
	files "$sources" | while read -r f; do
		case $f in
		*_kern.c | *.cu | *.cuh) max=120 ;;
		*) max=40 ;;
		esac
		awk -v max=$max '/^\{/ { beg = NR } /^\}/ && beg {
			if (NR - beg - 1 > max)
				print FILENAME ":" beg ": " NR - beg - 1 \
					" lines (at most " max ")"
			beg = 0 }' "$f"
	done
}
licences() {
	files "($sources|$scripts|\.bats$)" | while read -r f; do
		head -2 "$f" | grep -q 'SPDX-License-Identifier: MIT' ||
			echo "$f"
	done
}
blanks() {
	files "$text" | xargs grep -nE '[[:blank:]]$'
	[ $? -ne 2 ]
}
columns() {
	files "$sources" | while read -r f; do
		expand "$f" | awk -v f="$f" 'length > 80 {
			print f ":" NR ": " length " columns" }'
	done
}
# Constants with addresses lie in .data.rel.ro, which the loader closes.  Of
# kernels, nvcc makes some of its own.
globals() {
	objdump -t "$gcc_build/libseqf.a" | awk '
		/file format/ { obj = $1 }
		/ O +(\.data|\.bss|\*COM\*)/ && !/\.data\.rel\.ro/ {
			name = $NF
			if (obj !~ /^(device|.*_dev)\.o/ && !(obj ~ /^err\.o/ &&
			    name ~ /^(program|verbosity|line_width)$/))
				print obj " " name }'
}
# Which folder may use which: HACKING.md.
includes() {
	sh tests/layers.sh includes
}
symbols() {
	sh tests/layers.sh symbols "$gcc_build"
}
# A file named in HACKING.md is there; NAME stands for any.
map() {
	grep -oE '`[a-zA-Z0-9_./-]+\.(c|h|cu|sh|bats)`' HACKING.md | tr -d '`' |
		grep -v NAME | sort -u | while read -r f; do
		[ -n "$(git ls-files "$f" "*/$f")" ] || echo "HACKING.md: $f"
	done
	awk 'END { if (NR > 250) print "HACKING.md: " NR " lines" }' HACKING.md
}
# "! command" is no test: bash's -e passes it over.
passed_over() {
	grep -nE '(^|\|\||&&|;)[[:blank:]]*! ' tests/e2e/*.bats |
		grep -vE '\<(if|while|until)\>'
	return 0
}
# err.c is the programs' voice; opt.c ends --help and --version.  What is quoted,
# as a file's name, says nothing; a member is a function of the caller.
voices() {
	words='v?printf|puts|putchar|perror|warn|die|die_err|note|_?exit|abort'
	files '^(common|cuda)/.*\.(c|h|cu|cuh)$' |
		grep -vE '^common/(base/(base\.h|err\.c)|cli/opt\.c)$' |
		while read -r f; do
			sed -e 's,"[^"]*",,g' -e 's,/\*.*,,' \
				-e 's,^[[:space:]]*\*.*,,' "$f" |
				grep -nE "(^|[^.>])\\<(($words)\(|(stdout|stderr)\>)" |
				sed "s,^,$f:,"
		done
	return 0
}

rule 'gcc without a warning' by_gcc
rule 'clang without a warning' by_clang
rule 'mandoc -Tlint' manual
rule 'shellcheck' shell
rule 'files of at most 1200 lines, filters 250, Makefile 149' long_files
rule 'functions of at most 40 lines, kernels 120' long_functions
rule 'every file names its licence' licences
rule 'no blanks at the end of a line' blanks
rule 'no line above 80 columns' columns
rule 'no test by "!" in *.bats, but by no of helper.bash' passed_over
rule 'no writable globals' globals
rule 'folders include public headers of those below them' includes
rule 'folders use symbols of those below them' symbols
rule 'HACKING.md names files that are there' map
rule 'nothing under common prints or exits' voices
echo "lint:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
