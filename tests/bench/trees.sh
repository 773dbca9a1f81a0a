# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# trees.sh - how many groups known beyond doubt are whole in a tree by
# neighbour joining; sourced by run.sh, which sets $tmp and says what say does
#
# The groups are by accession: the orders in the headers of mt.mammals41 are
# permuted.

mammals_groups() {
	cat << 'END'
man and chimpanzees	V00662 D38113 D38116
chimpanzees	D38113 D38116
orangutans	D38115 NC_002083
great apes	V00662 D38113 D38116 D38114 D38115 NC_002083
apes	V00662 D38113 D38116 D38114 D38115 NC_002083 X99256
monkeys of the Old World	Y18001 AY863426 NC_002764
primates	V00662 D38113 D38116 D38114 D38115 NC_002083 X99256 Y18001 AY863426 NC_002764
baleen whales	X72204 NC_001321 NC_005268 NC_005270 NC_006931
whales	X72204 NC_001321 NC_005268 NC_005270 NC_006931 NC_005275
rhinoceroses	X97336 Y07726
horses	NC_001788 NC_001640
odd-toed ungulates	X97336 Y07726 NC_001788 NC_001640
cattle and their kin	AY488491 V00654 AF533441 AF010406 NC_007441 NC_010640
pigs	AJ002189 NC_008830
dogs	U96639 EU442884
bears	EF212882 AF303110 AF303111 DQ402478
cats	U20753 EF551002 EF551003
carnivores	U96639 EU442884 EF212882 AF303110 AF303111 DQ402478 U20753 EF551002 EF551003
END
}

primates_groups() {
	cat << 'END'
man	NC_012920 NC_013993 NC_011137 NC_023100
chimpanzees	NC_001643 NC_001644
gorillas	NC_001645 NC_011120
orangutans	NC_001646 NC_002083
man and chimpanzees	NC_012920 NC_013993 NC_011137 NC_023100 NC_001643 NC_001644
man, chimpanzees, gorillas	NC_012920 NC_013993 NC_011137 NC_023100 NC_001643 NC_001644 NC_001645 NC_011120
great apes	NC_012920 NC_013993 NC_011137 NC_023100 NC_001643 NC_001644 NC_001645 NC_011120 NC_001646 NC_002083
END
}

# Subtypes of influenza, which the headers name.
subtypes() { # FASTA
	zcat "$1" | sed -n 's,^>\([^ .]*\).*Influenza/\([^/]*\)/.*,\2 \1,p' |
		awk '{ g[$1] = g[$1] " " $2 }
			END { for (s in g) print s "\t" g[s] }' | sort
}

# Of the groups of a file, those that are whole in a tree without a root: a
# branch has them, and nobody else, on one side.
whole() { # GROUPS NEWICK
	awk '
	function leaves(    set, c, l) {	# of the tree at s; a row of bits
		if (substr(s, 1, 1) != "(") {
			match(s, /[,():;]/)
			l = substr(s, 1, RSTART - 1)
			s = substr(s, RSTART)
			sub(/\..*/, "", l)
			set = " " l " "
		} else {
			do {
				s = substr(s, 2)
				set = set leaves()
				c = substr(s, 1, 1)
			} while (c == ",")
			s = substr(s, 2)
		}
		if (match(s, /^:[^,();]*/))
			s = substr(s, RLENGTH + 1)
		side[++sides] = set
		return set
	}
	FILENAME == ARGV[1] {
		split($0, part, "\t")
		name[++groups] = part[1]
		members[groups] = part[2]
		next
	}
	{ s = s $0 }
	END {
		all = split(leaves(), every, " ")
		for (g = 1; g <= groups; g++) {
			n = split(members[g], m, " ")
			for (i = 1; i <= sides; i++) {
				has = 0
				for (j = 1; j <= n; j++)
					has += index(side[i], " " m[j] " ") > 0
				size = split(side[i], x, " ")
				if ((has == n && size == n) ||
				    (has == 0 && size == all - n))
					break
			}
			if (i <= sides)
				good++
			else
				lost = lost (lost ? ", " : "") name[g]
		}
		printf "%d of %d | %s\n", good, groups, lost ? lost : "-"
	}' "$1" "$2"
}

# The full matrix of mash triangle, for quicktree.
full_matrix() {
	awk 'NR == 1 { n = $1; next }
		{ name[NR - 2] = $1
		for (i = 2; i <= NF; i++)
			d[NR - 2, i - 2] = d[i - 2, NR - 2] = $i }
		END { print n
		for (i = 0; i < n; i++) {
			printf "%s", name[i]
			for (j = 0; j < n; j++)
				printf " %s", i == j ? 0 : d[i, j]
			print ""
		} }'
}

tree_row() { # METHOD GROUPS
	say "| $1 | $(whole "$2" "$tmp/tree") |"
}
# The same of $tmp/matrix, by quicktree, which fails without a number.
joined_row() { # METHOD GROUPS
	lacks=$(awk 'NR > 1' "$tmp/matrix" | grep -o -w nan | wc -l)
	if [ "$lacks" -gt 0 ]; then
		say "| $1 | none: no number for $((lacks / 2)) pairs | - |"
		return
	fi
	quicktree -in m "$tmp/matrix" | tr -d '\n' > "$tmp/tree"
	tree_row "$1" "$2"
}

trees_of() { # TITLE FASTA GROUPS
	say "### $1"
	say ''
	say '| distance | groups that are whole | those that are not |'
	say '|---|---|---|'
	for metric in norm scaled subs; do
		for strand in + both; do
			ebwt-dist --quiet --metric=$metric -s $strand \
				-O newick "$2" > "$tmp/tree"
			tree_row "ebwt-dist --metric=$metric -s $strand" "$3"
		done
	done
	zcat -f "$2" | sed 's/^\(>[^ ]*\).*/\1/' > "$tmp/plain.fa"
	if has quicktree && has mash; then
		mash triangle -i -k 16 -s 10000 "$tmp/plain.fa" \
			2> /dev/null | full_matrix > "$tmp/matrix"
		joined_row 'mash -k 16 -s 10000' "$3"
	fi
	if has quicktree && has andi; then
		# exits with 1 where some are far apart
		andi "$tmp/plain.fa" 2> /dev/null > "$tmp/matrix" || :
		joined_row andi "$3"
	fi
	say ''
}

growing_trees() {
	shared=$here/../../../shared/data
	[ -d "$shared" ] || return 0
	say '## Trees by ebwt-dist'
	say ''
	say 'How many groups that nobody doubts are whole in a tree by neighbour'
	say 'joining; those of mash and andi are joined by quicktree.'
	say ''
	mammals_groups > "$tmp/groups"
	trees_of '41 mitochondria of mammals' \
		"$shared/small/mt.mammals41.fa.gz" "$tmp/groups"
	primates_groups > "$tmp/groups"
	trees_of '148 mitochondria of primates' \
		"$shared/bench/mt.primates148.fa.gz" "$tmp/groups"
	subtypes "$shared/small/influenza38.fa.gz" > "$tmp/groups"
	trees_of '38 segments of influenza, by subtype' \
		"$shared/small/influenza38.fa.gz" "$tmp/groups"
}
