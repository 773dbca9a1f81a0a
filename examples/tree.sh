#!/bin/sh
# SPDX-License-Identifier: MIT
# tree.sh [FILE ...] - a tree of sequences from their eBWT distances, drawn in
# the terminal.
# Without files: pieces of phage lambda that descended from each other.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A family: each child is its parent with one letter in so many changed.
family() {
	zcat "$(dirname "$0")/data/lambda.fa.gz" | sed 1d | tr -d '\n' |
		awk -v seed=3 '
		function child(s, rate,    i, t) {
			for (i = 1; i <= length(s); i++)
				if (rand() * rate < 1)
					t = t substr("ACGT",
						1 + int(4 * rand()), 1)
				else
					t = t substr(s, i, 1)
			return t
		}
		{
			srand(seed)
			a = substr($0, 1, 6000); b = child(a, 12); c = child(a, 12)
			b1 = child(b, 30); b2 = child(b, 30)
			c1 = child(c, 30); c2 = child(c, 30)
			print ">b1_x\n" child(b1, 90) "\n>b1_y\n" child(b1, 90)
			print ">c1_x\n" child(c1, 90) "\n>c1_y\n" child(c1, 90)
			print ">b2_x\n" child(b2, 90) "\n>b2_y\n" child(b2, 90)
			print ">c2_x\n" child(c2, 90) "\n>c2_y\n" child(c2, 90)
		}'
}

# A tree in parentheses as lines.
draw() {
	awk '
	function node(    n, l) {
		n = ++count
		if (substr(s, at, 1) == "(")
			do {
				at++
				child[n, ++kids[n]] = node()
			} while (substr(s, at, 1) == ",")
		if (kids[n])
			at++
		l = match(substr(s, at), /[,();]/) - 1
		name[n] = substr(s, at, l)
		sub(/:.*/, "", name[n])
		if (kids[n])
			name[n] = ""
		at += l
		return n
	}
	function show(n, before, last,    i) {
		print before (last ? "`--" : "|--") (name[n] ? " " name[n] : "+")
		for (i = 1; i <= kids[n]; i++)
			show(child[n, i], before (last ? "   " : "|  "),
				i == kids[n])
	}
	{ s = s $0 }
	END { at = 1; show(node(), "", 1) }'
}

if [ $# -eq 0 ]; then
	family >"$tmp/family.fa"
	set -- "$tmp/family.fa"
fi
ebwt-dist --metric=scaled -s both -O newick "$@" | draw
