#!/bin/sh
# SPDX-License-Identifier: MIT
# model.sh BUILD [GENOME.fa] - the figures of seqfilters-scaling(7): CPU seconds
# a Gbp of each step on one core, and the model against two workers side by
# side, which cost the scan once, the cutting twice and the start of a scanner
# once more.  Without a genome: 20 Mbp of random letters.  Medians of 3.
set -eu
build=$(cd "$1" && pwd)
PATH=$build/bin:$build/helpers:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export SEQF_THREADS=1
if [ $# -gt 1 ]; then
	cat "$2" >"$tmp/g.fa"
else
	randseq 20000000 1 >"$tmp/g.fa"
fi
n=$(grep -v '>' "$tmp/g.fa" | tr -d '\n' | wc -c)
gzip -c "$tmp/g.fa" >"$tmp/g.fa.gz"
# queries: letters of the genome itself
letters() { # AT LENGTH
	grep -v '[>N]' "$tmp/g.fa" | tr -d '\n' | tail -c "+$1" | head -c "$2"
}
query() { # NAME LENGTH
	printf '>%s\n%s\n' "$1" "$(letters 1000001 "$2")" >"$tmp/$1"
}
query q20 20
query q150 150
query q1000 1000
letters 2000001 2300 | fold -w 23 >"$tmp/guides"

# CPU seconds a Gbp of COMMAND: the median of three.
cost() { # COMMAND
	for _ in 1 2 3; do
		measure "$tmp/m" sh -c "$1" >/dev/null
		awk -v n="$n" '{ print $2 / n * 1e9 }' "$tmp/m"
	done | sort -n | sed -n 2p
}
row() { # NAME SCAN-COMMAND [CHUNKS OF ONE WORKER, OF THE OTHER]
	scan=$(cost "$2 $tmp/g.rec")
	start=$(cost "$2 $tmp/none.rec")
	two=$(cost "
		fasta-chunk -W 4k ${3:---part 0/2} $tmp/g.fa | $2 &
		fasta-chunk -W 4k ${4:---part 1/2} $tmp/g.fa | $2; wait")
	echo "$scan $start $cut $two" | awk -v name="$1" -v n="$n" '{
		model = $1 + $2 + 2 * $3
		printf "| %s | %.2f | %.0f | %.2f | %.2f | %.2f |\n", name, $1,
			$2 * n / 1e6, model, $4, $4 / model }'
}
fasta-chunk -W 4k "$tmp/g.fa" >"$tmp/g.rec"
fasta-chunk -W 4k --only @/dev/null "$tmp/g.fa" >"$tmp/none.rec"
half=$((n / 2000000))
echo "$n letters; CPU seconds a Gbp"
echo
echo '| step | one core |'
echo '|---|---|'
cut=$(cost "fasta-chunk -W 4k $tmp/g.fa")
echo "| fasta-chunk, plain | $cut |"
echo "| fasta-chunk, gzip | $(cost "fasta-chunk -W 4k $tmp/g.fa.gz") |"
echo "| fasta-chunk, one part of two | $(cost "fasta-chunk -W 4k \
	--part 0/2 $tmp/g.fa") |"
echo
echo '| scan | of stored chunks | start, ms | two parts: model | measured | ratio |'
echo '|---|---|---|---|---|---|'
row 'asm-scan -k 3, 20 letters' "asm-scan -k 3 -q $tmp/q20"
row 'asm-scan -k 3, 100 guides of 23' "asm-scan -k 3 -q $tmp/guides"
row 'sw-scan -n 10, 150 letters' "sw-scan -n 10 -q $tmp/q150"
row 'sw-scan -n 10, 1000 letters' "sw-scan -n 10 -q $tmp/q1000"
row 'primer-find -k 3, 1000 letters' \
	"primer-find -k 3 --max-len 30 -q $tmp/q1000"
row 'the same, two halves' \
	"primer-find -k 3 --max-len 30 -q $tmp/q1000" \
	"--only 0-$((half - 1))" "--only $half-999999"
