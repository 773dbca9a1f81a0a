#!/bin/sh
# SPDX-License-Identifier: MIT
# tree.sh [FILE ...] - a tree of sequences from their eBWT distances, drawn in
# the terminal.
# Without files: pieces of phage lambda that descended from each other.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A child is its parent with one word exchanged for another, wherever it is.
child() { # PARENT CHILD WORD OTHER
	sed "s/$3/$4/g" "$tmp/$1" >"$tmp/$2"
}

family() {
	zcat "$(dirname "$0")/data/lambda.fa.gz" | sed 1d | tr -d '\n' |
		cut -c 1-6000 >"$tmp/a"
	child a b GA GT
	child a c CT CC
	child b b1 AAT ACT
	child b b2 TGG TCG
	child c c1 GCA GAA
	child c c2 ACG ATG
	for n in b1 c1 b2 c2; do
		child $n ${n}_x GGAA GGCA
		child $n ${n}_y TTCA TTGA
		for x in ${n}_x ${n}_y; do
			echo ">$x"
			cat "$tmp/$x"
		done
	done
}

# A tree in parentheses as lines, a joint as +.
draw() {
	sed 's/:[-+.0-9e]*//g; s/;$//; s/[(,)]/\n&\n/g' | {
		before=
		while read -r word; do
			case $word in
			"(")
				echo "$before+"
				before="$before|  "
				;;
			")") before=${before#???} ;;
			"," | "") ;;
			*) echo "$before$word" ;;
			esac
		done
	}
}

if [ $# -eq 0 ]; then
	family >"$tmp/family.fa"
	set -- "$tmp/family.fa"
fi
ebwt-dist --metric=scaled -s both -O newick "$@" | draw
