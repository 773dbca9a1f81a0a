#!/bin/sh
# SPDX-License-Identifier: MIT
# metrics.sh [LETTERS] - the tables of seqfilters-distances(7): a random genome
# and itself with substitutions, and genomes of two lengths.
set -eu
n=${1:-1000000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Letters at random: SEED N.
random() {
	awk -v seed="$1" -v n="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
	}' </dev/null
}
# Other letters in so many places of a line: SEED PLACES.
mutant() {
	awk -v seed="$1" -v k="$2" '{
		srand(seed)
		n = length($0)
		while (m < k) {
			i = 1 + int(n * rand())
			m += !(i in at)
			at[i] = 1 + int(3 * rand())
		}
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1)
			if (i in at)
				c = substr("ACGTACG", index("ACGT", c) + at[i], 1)
			printf "%s", c
		}
	}'
}
# The metrics of two files of letters, as columns of mdoc(7).
row() { # NAME FILE FILE
	{
		echo '>a'
		cat "$2"
		printf '\n>b\n'
		cat "$3"
		echo
	} >"$tmp/two.fa"
	printf '.It %s' "$1"
	for m in norm dm de scaled subs; do
		printf ' Ta %.3g' "$(ebwt-dist -O tsv --no-header --metric=$m \
			"$tmp/two.fa" | cut -f 6)"
	done
	echo
}

random 1 "$n" >"$tmp/a"
echo '.It substitutions Ta norm Ta dm Ta de Ta scaled Ta subs'
for rate in .000001 .00001 .0001 .001 .003 .01 .03 .1 .2 .3 .5; do
	k=$(awk -v n="$n" -v r=$rate 'BEGIN { printf "%d", n * r + .5 }')
	mutant 2 "$k" <"$tmp/a" >"$tmp/b"
	row $rate "$tmp/a" "$tmp/b"
done
echo '.It lengths Ta norm Ta dm Ta de Ta scaled Ta subs'
for part in 2 10 100; do
	head -c $((n / part)) "$tmp/a" >"$tmp/b"
	row "a piece, 1/$part" "$tmp/a" "$tmp/b"
	mutant 2 $((n * 3 / 100 / part)) <"$tmp/b" >"$tmp/c"
	row "the same, .03, 1/$part" "$tmp/a" "$tmp/c"
	random 3 $((n / part)) >"$tmp/b"
	row "unrelated, 1/$part" "$tmp/a" "$tmp/b"
done
