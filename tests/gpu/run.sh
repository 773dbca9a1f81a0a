#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh check|bench|all [FOLDER] - on a machine with a GPU: check, kernels
# against the textbook and the CPU; bench, how fast they are, into $RESULTS
# (tests/bench/gpu-results.md); all, bench first.  FOLDER: a build, or what
# make gpu-pack made, this script's own by default, which needs nothing else.
# SANITIZE=1: also under compute-sanitizer, which takes long.  Elsewhere one
# line that says why not.
set -u
what=$1 b=${2:-$(dirname "$0")}
results=${RESULTS:-tests/bench/gpu-results.md}
letters=${LETTERS:-6000000}
# a table's and a check's most seconds, and when no more checks begin: with the
# last one, of two programs, 450 of the 480 that either may take with its start
table_most=${TABLE_SECONDS:-75} check_most=${CHECK_SECONDS:-60}
check_until=${CHECK_UNTIL:-330}
passed=0 failed=0
[ ! -d "$b/lib" ] ||
	export LD_LIBRARY_PATH="$b/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ ! -x "$b/gpu/kdiff" ]; then
	echo "gpu-$what: skipped: built without CUDA"
	exit 0
fi
# Only the program's own word is a reason: what cannot be loaded is none.
said=$("$b/bin/asm-scan" -g 0 -e ACGT /dev/null 2>&1 >"$tmp/none")
case $?:$said in
0:*) ;;
'1:asm-scan: -g 0: '*)
	echo "gpu-$what: skipped: ${said##*: }"
	exit 0 ;;
*)
	echo "gpu-$what: FAILED: $said"
	exit 1 ;;
esac

holds() { # NAME COMMAND ...
	name=$1
	shift
	began=$(date +%s)
	if [ $((began - begun)) -ge "$check_until" ]; then
		failed=$((failed + 1))
		echo "FAILED, no time left: $name"
		return
	fi
	if "$@" >"$tmp/log" 2>&1; then
		passed=$((passed + 1))
		word=ok
	else
		failed=$((failed + 1))
		word=FAILED
		grep -v '^ok ' "$tmp/log" | tail -20
	fi
	printf '%-6s %4d s  %s\n' $word $(($(date +%s) - began)) "$name"
}
# The same bytes with and without.
same() { # PROGRAM OPTIONS ...
	prog=$1
	shift
	timeout "$check_most" "$b/bin/$prog" -g none -O tsv "$@" \
		>"$tmp/none" || return
	timeout "$check_most" "$b/bin/$prog" -g 0 -v -O tsv "$@" \
		>"$tmp/gpu" 2>"$tmp/err" || return
	cat "$tmp/err"
	grep -q 'GPU: .* letters$' "$tmp/err" || return
	[ "$(wc -l <"$tmp/none")" -gt 1 ] && cmp "$tmp/none" "$tmp/gpu"
}
patterns() { # NUMBER LETTERS: from the sequence
	grep -v '>' "$tmp/seq.fa" | head -n $(($1 * 3)) | cut -c "1-$2" |
		awk 'NR % 3 == 0' | sed 's/^\(....\)./\1A/'
}
matrix() { # POSITIONS EACH: of each so many, one has two letters
	awk -v n="$1" -v each="$2" 'BEGIN {
		print ">matrix"
		for (c = 0; c < 4; c++) {
			printf "%s [", substr("ACGT", c + 1, 1)
			for (i = 0; i < n; i++)
				printf " %d", (i * i + i) % 11 % 4 == c ||
					(i % each == 0 && i % 3 == c)
			print " ]"
		}
	}'
}
sanitizer() { # TOOL TEST
	SEQF_SANITIZED=1 SEQF_ISA=avx2 timeout 40 "$tool" --tool "$1" \
		--error-exitcode 9 "$b/gpu/$2" small
}
sanitizers() {
	tool=$(command -v compute-sanitizer ||
		ls /usr/local/cuda/bin/compute-sanitizer 2>"$tmp/err")
	if [ -z "$tool" ]; then
		echo 'skipped: compute-sanitizer: not on this machine'
		return
	fi
	for t in "$b"/gpu/*; do
		[ -f "$t" ] || continue
		for k in memcheck racecheck; do
			holds "compute-sanitizer, $k: ${t##*/}" \
				sanitizer $k "${t##*/}"
		done
	done
	holds 'compute-sanitizer, initcheck: kdiff' sanitizer initcheck kdiff
	holds 'compute-sanitizer, synccheck: ebwt' sanitizer synccheck ebwt
}

check() {
	begun=$(date +%s)
	"$b/helpers/randseq" "$letters" >"$tmp/seq.fa"
	patterns 40 20 >"$tmp/short"
	patterns 40 50 >"$tmp/long"
	for t in "$b"/gpu/*; do
		[ ! -f "$t" ] || holds "kernels, textbook: ${t##*/}" \
			timeout "$check_most" "$t"
	done
	for o in '-k 3' '-k 3 --report=all --no-cigar' '-k 4 --no-indels' \
		'-k 2 --report=count' '-k 3 --report=best' '-k 2 -s + -t 1' \
		'-k 3 --exact-suffix 3' '-k 3 --overhang 0.5'; do
		# shellcheck disable=SC2086 # words
		holds "asm-scan $o" same asm-scan $o -q "$tmp/short" "$tmp/seq.fa"
	done
	sed 's/ACGTA/ARNTA/' "$tmp/seq.fa" >"$tmp/iupac.fa"
	for o in '-k 3' '-k 3 --no-indels' '-k 3 --kernel=paper -s +'; do
		# shellcheck disable=SC2086 # words
		holds "asm-scan --iupac $o" same asm-scan --iupac $o \
			-q "$tmp/short" "$tmp/iupac.fa"
	done
	holds 'asm-scan -k 18%, 50 letters' same asm-scan -k 18% -q "$tmp/long" \
		"$tmp/seq.fa"
	grep -v '>' "$tmp/seq.fa" | sed -n 100,114p | tr -d '\n' |
		sed 's/ACGT/AGT/g' >"$tmp/queries"
	for o in '' '-n 20' '-n 5 --kind=cells -s +' '-n 3 --no-cigar -t 1' \
		'--match 1 --gap-open 3' \
		'-n 30 --kind=cells --kernel=paper' \
		'-n 30 --kind=cells --kernel=paper-modified'; do
		# shellcheck disable=SC2086 # words
		holds "sw-scan $o" same sw-scan $o -q "$tmp/queries" \
			"$tmp/seq.fa"
	done
	"$b/helpers/randseq" 30000 7 70 target >"$tmp/target.fa"
	for o in '-k 4 --max-len 30' '-k 7 --max-len 45 --three-prime 12:2'; do
		# shellcheck disable=SC2086 # words
		holds "primer-find $o" same primer-find $o -q "$tmp/target.fa" \
			"$tmp/seq.fa"
	done
	"$b/helpers/randseq" 3000 7 70 target >"$tmp/target.fa"
	for o in '-k 20' '-k 100 -s +' '-k 40 --three-prime 12:2 -t 1'; do
		# shellcheck disable=SC2086 # words
		holds "primer-find $o" same primer-find $o -q "$tmp/target.fa" \
			"$tmp/seq.fa"
	done
	"$b/helpers/randseq" 600 7 60 target >"$tmp/small.fa"
	"$b/helpers/randseq" $((letters / 60)) >"$tmp/part.fa"
	for o in '-k 9' '-k 9 --paper-opts=none' \
		'-k 9 --paper-opts=3,reduce' '-k 9 --paper-opts=batch' '-k 30 --paper-opts=4,5,6' \
		'-k 9 --algorithm=conventional --paper-opts=1,3,4,5' \
		'-k 9 --algorithm=conventional --paper-opts=3'; do
		# shellcheck disable=SC2086 # words
		holds "primer-find --kernel=paper $o" same primer-find \
			--kernel=paper $o -q "$tmp/small.fa" "$tmp/part.fa"
	done
	for o in --metric=delta --metric=de --kernel=paper \
		--kernel=paper-bitonic; do
		holds "ebwt-dist $o" same ebwt-dist $o "$tmp/target.fa" \
			"$tmp/seq.fa"
	done
	matrix 200 14 >"$tmp/matrix"
	grep -v '>' "$tmp/seq.fa" | head -n 120 | sed 's/^/>\n/' |
		awk '/>/ { $0 = ">" ++n } { print }' >"$tmp/lines.fa"
	for o in --metric=delta --metric=dm --metric=de; do
		holds "ebwt-dist $o, words of a matrix" same ebwt-dist $o \
			-q "$tmp/lines.fa" "$tmp/matrix"
	done
	[ -z "${SANITIZE:-}" ] || sanitizers
	echo "gpu-check:"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}

# Rows as they come, here and in the page; what failed is named there, too.
table() { # PROGRAM
	{
		timeout "$table_most" "$1" 2>&1
		echo $? >"$tmp/rc"
	} | tee -a "$results"
	rc=$(cat "$tmp/rc")
	if [ "$rc" -eq 0 ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	why="exit code $rc"
	[ "$rc" -ne 124 ] || why="not done in $table_most s"
	printf '\n%s: FAILED: %s\n' "${1##*/}" "$why" | tee -a "$results"
}
bench() {
	cat >"$results" <<-END || return
	# How fast, with a GPU

	Written by \`make gpu-bench\`. Random letters in memory, chunks of 1 Mi
	letters by all threads; medians of 5. The ceiling is what the GPU's
	arithmetic gives, at the fewest operations that a letter can take;
	copies are part of the time.  What takes seconds was run once.

	END
	for t in "$b"/gpu/speed/*; do
		table "$t"
	done
	echo "gpu-bench:"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
all() {
	bench
	slow=$? passed=0 failed=0
	check && return $slow
}

$what
