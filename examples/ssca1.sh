#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark SSCA#1 (Bader and others 2006), kernels 1 and 2: the best local
# alignments of two sequences of codons; where they end, then all of them.
#
# usage: ssca1.sh [SCALE [SEED]]	sequences of 2^(SCALE/2) random codons
#	 ssca1.sh MAIN.fa MATCH.fa	these ones, DNA, plain or gzip
# N=n asks for n alignments; DIR=folder keeps all files there.
set -eu

fail() {
	echo "ssca1: $*" >&2
	exit 2
}
n=${N:-10}
if [ -n "${DIR:-}" ]; then
	dir=$DIR
	mkdir -p "$dir"
else
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi

# Lehmer's generator: a random number from 0 to below $1.
below() {
	state=$((16807 * state % 2147483647))
	drawn=$((state * $1 / 2147483647))
}

# The codons of a word of amino acids, one a line.
spell() {
	echo "$1" | fold -w 1 | sed 's/A/GCG/;t; s/C/TGC/;t; s/D/GAC/;t
		s/E/GAG/;t; s/F/TTC/;t; s/G/GGG/;t; s/H/CAC/;t; s/I/ATA/;t
		s/K/AAG/;t; s/L/CTG/;t; s/M/ATG/;t; s/N/AAC/;t; s/P/CCG/;t
		s/Q/CAG/;t; s/R/AGG/;t; s/S/AGC/;t; s/T/ACG/;t; s/V/GTG/;t
		s/W/TGG/;t; s/Y/TAC/;t; s/[*]/TGA/'
}

# Random codons, each alike, and at three places words in one letter codes that
# the other sequence has, too: one as it is, one with two letters exchanged, one
# with a gap in each.
generate() { # SCALE SEED main|match
	if [ "$3" = main ]; then
		state=$((2 * $2 + 1)) left=ACDEFG right=HIKLMN
		set -- "$@" MISQRMATCHES STARTGAPMIDSTEND
	else
		state=$((2 * $2 + 2)) left=MNLKIH right=GFEDCA
		set -- "$@" MISRQMATCHES STARTMIDSTGAPEND
	fi
	size=1 i=0 taken=,
	while [ $((i += 1)) -le 100 ]; do
		below 1
	done
	while [ $((size * size)) -lt $((1 << $1)) ]; do
		size=$((size + 1))
	done
	size=$((size + 82)) i=0
	while [ $((i += 1)) -le $((3 * size)) ]; do
		below 4
		echo $drawn
	done >"$dir/drawn"
	tr 0123 ACGT <"$dir/drawn" | paste -d '\0' - - - >"$dir/random"
	for word in IDENTICAL "$4" "$5"; do
		below $((size / 64))
		while [ "${taken#*,"$drawn",}" != "$taken" ]; do
			below $((size / 64))
		done
		taken=$taken$drawn,
		spell "$left*$word*$right" >"$dir/word"
		{
			head -n $((64 * drawn)) "$dir/random"
			cat "$dir/word"
			tail -n +$((64 * drawn + ${#word} + 15)) "$dir/random"
		} >"$dir/next"
		mv "$dir/next" "$dir/random"
	done
	echo ">$3 scale=$1 seed=$2 codons=$size"
	tr -d '\n' <"$dir/random" | fold -w 60
	echo
}

# Of each codon, AAA, AAC, ... TTT in order: its symbol, and its amino acid.
symbols=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/
acids=KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV-Y-YSSSS-CWCLFLF

# Each codon as its symbol.
codons() { # NAME FILE
	gzip -cdf "$2" | sed '/^>/d' | tr -d '\r\n' | tr acgt ACGT |
		fold -w 3 >"$dir/codons"
	echo >>"$dir/codons"
	echo $symbols | fold -w 1 >"$dir/symbols"
	for a in A C G T; do
		for b in A C G T; do
			printf "s,^$a$b%s$,\n" A C G T
		done
	done | paste -d '\0' - "$dir/symbols" | sed 's/$/,;t/' >"$dir/rules"
	echo 's/.*/?/' >>"$dir/rules"
	echo ">$1"
	sed -f "$dir/rules" "$dir/codons" | tr -d '\n' | fold -w 60
	echo
}

# Equal codons 5, the same amino acid or two stops 4, else -3.
matrix() {
	echo $symbols | sed 's/./ &/g'
	for i in $(seq 64); do
		acid=$(echo $acids | cut -c "$i")
		echo $acids | sed "s/$acid/ 4/g; s/[A-Z-]/ -3/g
			s/\( -*[34]\)/ 5/$i"
	done | paste -d '\0' "$dir/symbols" -
}

case ${1:-16} in
*[!0-9]*)
	[ $# -eq 2 ] || fail "usage: ssca1.sh [SCALE [SEED]] or MAIN MATCH"
	main=$1 match=$2
	;;
*)
	scale=${1:-16} seed=${2:-1}
	[ "$scale" -ge 14 ] || fail "a SCALE of 14 or more is needed"
	main=$dir/main.fa match=$dir/match.fa
	generate "$scale" "$seed" main > "$main"
	generate "$scale" "$seed" match > "$match"
	;;
esac
for f in main match; do
	codons $f "$main" >"$dir/$f.codons"
	! grep -q '?' "$dir/$f.codons" ||
		fail "$main: no sequence of codons of A, C, G and T"
	main=$match
done
matrix > "$dir/codons.matrix"

scan() { # COLUMNS OPTIONS ...
	columns=$1
	shift
	sw-scan -O rec --digits --matrix "$dir/codons.matrix" --gap-open 5 \
		--gap-extend 2 -n "$n" -q "$dir/main.codons" "$@" \
		"$dir/match.codons" | merge-topk --no-header --columns "$columns"
}

echo "# kernel 1: score, ends in the main and in the matching sequence"
scan score,qend,send --no-cigar
echo "# kernel 2: score, codons of the main and of the matching sequence, CIGAR"
scan score,qbeg,qend,sbeg,send,cigar | sed 's/	/-/4; s/	/-/2'
