#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh check|bench BUILD - on a machine with a GPU: kernels against the
# textbook and the CPU, also under compute-sanitizer; or how fast they are, into
# tests/bench/gpu-results.md.  Elsewhere one line that says why not.
set -u
what=$1 b=$2
passed=0 failed=0
kernels='kdiff kdiff_gather asm_parts sw sw_gather primer primer_long ebwt
	paper_primer ebwt_gap'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ ! -x "$b/gpu/kdiff" ]; then
	echo "gpu-$what: skipped: built without CUDA"
	exit 0
fi
why=$("$b/bin/asm-scan" -g 0 -e ACGT /dev/null 2>&1 >/dev/null) || {
	echo "gpu-$what: skipped: ${why##*: }"
	exit 0
}

holds() { # NAME COMMAND ...
	name=$1
	shift
	began=$(date +%s)
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
	"$b/bin/$prog" -g none -O tsv "$@" >"$tmp/none" || return
	"$b/bin/$prog" -g 0 -v -O tsv "$@" >"$tmp/gpu" 2>"$tmp/err" || return
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

check() {
	"$b/helpers/randseq" 6000000 >"$tmp/seq.fa"
	patterns 40 20 >"$tmp/short"
	patterns 40 50 >"$tmp/long"
	for t in $kernels; do
		holds "kernels, textbook: $t" "$b/gpu/$t"
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
	grep -v '>' "$tmp/seq.fa" | sed -n 1000,1014p | tr -d '\n' |
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
	"$b/helpers/randseq" 100000 >"$tmp/part.fa"
	for o in '-k 9' '-k 9 --paper-opts=none' '-k 30 --paper-opts=5,6' \
		'-k 9 --algorithm=conventional --paper-opts=1,4,5,6' \
		'-k 9 --algorithm=conventional --paper-opts=1,2,3'; do
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
	tool=$(command -v compute-sanitizer ||
		ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
	if [ -n "$tool" ]; then
		for k in $kernels; do
			for t in memcheck racecheck; do
				holds "compute-sanitizer, $t: $k" \
					sanitizer $t "$k"
			done
		done
		holds 'compute-sanitizer, initcheck: kdiff' \
			sanitizer initcheck kdiff
		holds 'compute-sanitizer, synccheck: ebwt' \
			sanitizer synccheck ebwt
	else
		echo 'skipped: compute-sanitizer: not on this machine'
	fi
	echo "gpu-check:"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}

bench() {
	out=tests/bench/gpu-results.md
	{
		cat <<-END
		# How fast, with a GPU

		Written by \`make gpu-bench\`. Random letters in memory, chunks
		of 1 Mi letters by all threads; medians of 5. The ceiling is
		what the GPU's arithmetic gives, at the fewest operations that
		a letter can take; copies are part of the time.  What takes
		seconds was run once.

		END
		for t in bench scores batches primers ebwt ebwt_gap; do
			"$b/gpu/speed/$t" || return
		done
	} >"$tmp/results" || return
	cp "$tmp/results" "$out" && cat "$out"
}

$what
