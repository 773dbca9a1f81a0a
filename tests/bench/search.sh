# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# search.sh - searches that are not short patterns of few differences;
# sourced by run.sh, which sets $tmp, $data and says what race does

# Random patterns, one a line: their NUMBER, LETTERS and a seed.
patterns() {
	randseq $(($1 * $2)) "$3" "$2" | sed 1d
}

# The choice among engines: auto beside each of them.
engines() { # NAME OPTIONS
	say "### $1"
	say ''
	shift
	race 4000000 'asm-scan' "asm-scan -t 1 --ends -O rec $* $hard" \
		'--engine=text' "asm-scan -t 1 --ends -O rec --engine=text $* $hard" \
		'--engine=filter' "asm-scan -t 1 --ends -O rec --engine=filter $* $hard"
}

# An option that should cost little, beside the same search without it.
option() { # NAME LETTERS OPTION OPTIONS ...
	say "### $1"
	say ''
	n=$2 with=$3
	shift 3
	race "$n" without "asm-scan -t 1 $*" "$with" "asm-scan -t 1 $with $*"
}

searching_hard() {
	say '## Many differences, long patterns, reads'
	say ''
	say '4,000,000 random letters and 312 random guides of 23 letters with NGG'
	say 'behind 20 of them, both strands, one thread, unless said.'
	say ''
	make_once hard4M.fa randseq 4000000 19
	hard=$data/hard4M.fa
	patterns 312 20 20 | sed 's/$/NGG/' > "$tmp/guides"
	patterns 312 23 20 > "$tmp/g23"
	patterns 2000 20 21 > "$tmp/p2000"
	patterns 96 24 22 > "$tmp/barcodes"
	patterns 1 5000 23 > "$tmp/p5000"
	patterns 600 60 24 > "$tmp/p60"
	randseq 7500000 25 75 | sed 1d | awk '{ print ">r" NR; print }' \
		> "$tmp/reads75.fa"
	randseq 60000 26 > "$tmp/60k.fa"
	for k in 3 4 5; do
		engines "guides, k=$k" "-k $k -q $tmp/g23"
	done
	engines '600 patterns of 60, k=6' "-k 6 -q $tmp/p60"
	option '--exact-suffix, k=7' 4000000 '--exact-suffix 3' \
		"-k 7 --ends -O rec -q $tmp/guides $hard"
	option '--exact-prefix, k=7' 4000000 '--exact-prefix 3' \
		"-k 7 --ends -O rec -q $tmp/guides $hard"
	option '100,000 reads of 75 letters, 96 patterns of 24, k=3' 7500000 \
		'--overhang 0.5' "-k 3 -O rec -q $tmp/barcodes $tmp/reads75.fa"
	say '### 60,000 letters, 2,000 patterns of 20, k=9'
	say ''
	o="-t 1 -k 9 -s + -O rec -q $tmp/p2000 $tmp/60k.fa"
	race 60000 '--report=all --ends' "asm-scan --report=all --ends $o" \
		'--report=count' "asm-scan --report=count $o"
	option 'guides, k=8, all hits or one' 4000000 '--max-hits 1' \
		"--quiet -k 8 -O tsv -q $tmp/g23 $hard"
	option '60,000 letters, a pattern of 5,000, k=2,700' 60000 --ends \
		"-s + -k 2700 -O tsv -q $tmp/p5000 $tmp/60k.fa"
}
