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

# Random codons, each alike, and at three places words in one letter codes that
# the other sequence has, too: one as it is, one with two letters exchanged, one
# with a gap in each.  Lehmer's generator is the same with every awk.
generate() { # SCALE SEED main|match
	awk -v scale="$1" -v seed="$2" -v which="$3" '
	function below(n) {
		state = 16807 * state % 2147483647
		return int(state / 2147483647 * n)
	}
	function spell(word, at,    i) {
		for (i = 1; i <= length(word); i++)
			codon[at + i - 1] = of[substr(word, i, 1)]
	}
	BEGIN {
		split("A gcg C tgc D gac E gag F ttc G ggg H cac I ata " \
		    "K aag L ctg M atg N aac P ccg Q cag R agg S agc " \
		    "T acg V gtg W tgg Y tac * tga", pair, " ")
		for (i = 1; i in pair; i += 2)
			of[pair[i]] = pair[i + 1]
		state = seed * 2 + (which == "match") + 1
		for (i = 0; i < 100; i++)
			below(1)
		n = int(2 ^ (scale / 2) + 0.999999) + 82
		for (i = 0; i < n; i++)
			codon[i] = substr("acgt", below(4) + 1, 1) \
				   substr("acgt", below(4) + 1, 1) \
				   substr("acgt", below(4) + 1, 1)
		split(which == "main" ? "ACDEFG*IDENTICAL*HIKLMN " \
		    "ACDEFG*MISQRMATCHES*HIKLMN " \
		    "ACDEFG*STARTGAPMIDSTEND*HIKLMN" : \
		    "MNLKIH*IDENTICAL*GFEDCA MNLKIH*MISRQMATCHES*GFEDCA " \
		    "MNLKIH*STARTMIDSTGAPEND*GFEDCA", word, " ")
		slots = int(n / 64)
		for (i = 1; i <= 3; i++) {
			do
				s = below(slots)
			while (s in taken)
			taken[s] = 1
			spell(word[i], 64 * s)
		}
		printf ">%s scale=%s seed=%s codons=%d\n", which, scale, seed, n
		for (i = 0; i < n; i++)
			printf "%s%s", toupper(codon[i]), \
			    (i % 20 == 19 || i == n - 1) ? "\n" : ""
	}'
}

symbols=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/

# Each codon as one symbol: those of AAA, AAC, ... TTT in order.
codons() { # NAME FILE
	gzip -cdf "$2" | awk -v name="$1" -v symbols=$symbols '
	/^>/ { next }
	{ s = s toupper($1) }
	END {
		if (length(s) % 3)
			exit 1
		print ">" name
		for (i = 1; i < length(s); i += 3) {
			k = 0
			for (j = i; j < i + 3; j++) {
				c = index("ACGT", substr(s, j, 1))
				if (!c)
					exit 1
				k = 4 * k + c - 1
			}
			printf "%s", substr(symbols, k + 1, 1)
			if ((i + 2) % 180 == 0 || i + 3 > length(s))
				print ""
		}
	}' || fail "$2: no sequence of codons of A, C, G and T"
}

# Equal codons 5, the same amino acid or two stops 4, else -3.
matrix() {
	awk -v symbols=$symbols 'BEGIN {
		acids = "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLL" \
			"EDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF"
		for (i = 1; i <= 64; i++)
			printf " %s", substr(symbols, i, 1)
		for (i = 1; i <= 64; i++) {
			printf "\n%s", substr(symbols, i, 1)
			for (j = 1; j <= 64; j++)
				printf " %d", (i == j) ? 5 : \
				    (substr(acids, i, 1) == \
				     substr(acids, j, 1)) ? 4 : -3
		}
		print ""
	}'
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
codons main "$main" > "$dir/main.codons"
codons match "$match" > "$dir/match.codons"
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
