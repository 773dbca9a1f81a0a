# SPDX-License-Identifier: MIT
# ebwt-dist: what does not fit, two blocks at a time; parts of all pairs.
load helper

# Genomes of $2 letters, $1 of them, two contigs each, near-identical; and, if $3
# is not empty, short ones that several have.
genomes() {
	awk -v k="$1" -v n="$2" -v share="$3" 'BEGIN {
		srand(11)
		for (i = 0; i < n; i++)
			s[i] = substr("ACGT", 1 + int(4 * rand()), 1)
		for (g = 1; g <= k; g++) {
			printf ">g%d/1\n", g
			for (i = 0; i < n + 40 * g; i++)
				printf "%s%s", i == int(n / 3) ? "\n>g" g "/2\n" : "",
					rand() < .01 * g ? "ACGTN" ~ s[i % n] ? \
					substr("ACGTNACGTACGT", 1 + int(13 * \
					rand()), 1) : "" : s[i % n]
			print ""
		}
		if (share)
			print ">g2/3\nACAC\n>g4/3\nCACACA\n>g1/4\nNNN\n>g3/4\nNNN"
	}'
}
# Of each of two words the group.
groups() {
	grep '^>' "$1" | tr -d '>' | awk '{ print $1 "\tgroup" NR % 5 }'
}

# x.fa and parts of it, with few rows that fit at a time; counts `blocks`.
in_blocks() {
	groups x.fa > table
	rm -rf files
	mkdir files
	awk '/^>/ { split(substr($1, 2), a, "/"); f = "files/" a[1] ".fa" }
		{ print > f }' x.fa
	for by in record prefix:/ @table file; do
		in=x.fa
		[ $by != file ] || in=$(echo files/*)
		for o in '' '-s both --metric=scaled' '--metric=subs -n 2' \
		    '--metric=norm -q q.fa' '-s both -q q.fa -n 3' \
		    '--metric=de' '-O svg-tree' '-s both -O newick' \
		    '--metric=dm -O phylip' '-O rec'; do
			case "$by $o" in
			record*|*file*|*prefix*) ;;
			*-q*) continue ;;
			esac
			[ $by = record ] || [ "$o" != --metric=de ] || continue
			ebwt-dist -O tsv $o --by=$by $in > want
			for t in 1 3; do
				ebwt-dist -v -t $t --engine=few -O tsv $o --by=$by \
					$in 2> notes > have || {
					# two are too many
					grep -q 'at most [34]' notes
					continue
				}
				cmp have want
				if grep -q 'two blocks' notes; then
					blocks=$((blocks + 1))
				fi
			done
		done
	done
}

# bats test_tags=threads
@test "in blocks, the same bytes: sets, strands, metrics, the nearest, queries" {
	blocks=0
	genomes 3 400 | sed 's/^>g/>q/' > q.fa
	genomes 9 900 share > x.fa
	in_blocks
	genomes 9 6000 > x.fa
	in_blocks
	[ $blocks -ge 60 ]
}

# bats test_tags=slow
@test "in blocks by --memory, from a file: the same bytes" {
	genomes 14 70000 > x.fa
	ebwt-dist --by=prefix:/ -s both -O tsv x.fa > want
	for m in 6M 12M; do
		ebwt-dist -v -t 1 --memory=$m --by=prefix:/ -s both -O tsv x.fa \
			2> notes | cmp - want
		grep -q 'two blocks at a time' notes
	done
	# chunks in any order
	for i in 0 1 2; do
		fasta-chunk -L 3000 --part $i/3 x.fa > p.$i
	done
	ebwt-dist -t 1 --memory=6M --by=prefix:/ -s both -O tsv p.2 p.0 p.1 |
		cmp - want
	TMPDIR=/dev/null/x run -1 --separate-stderr ebwt-dist -t 1 --memory=6M \
		--by=prefix:/ -s both -O tsv x.fa
	[ -z "$output" ]
	[[ $stderr == *'no temporary file'* ]]
	# two must fit, and it says what that takes
	run -1 --separate-stderr ebwt-dist -t 1 --memory=1M -O tsv x.fa
	[ -z "$output" ]
	need=$(sed 's/.*take about \([0-9]*\) bytes.*/\1/' <<< "$stderr")
	ebwt-dist -O tsv x.fa > want
	ebwt-dist -t 1 --memory=$need -O tsv x.fa | cmp - want
	# what is enough to load them says it exactly
	run -1 --separate-stderr ebwt-dist -t 1 --memory=$((need / 4)) \
		-O tsv x.fa
	need=$(sed 's/.*take about \([0-9]*\) bytes.*/\1/' <<< "$stderr")
	run -1 ebwt-dist -t 1 --memory=$((need - 1)) -O tsv x.fa
	ebwt-dist -t 1 --memory=$((need * 11 / 10)) -O tsv x.fa | cmp - want
}

# Letters at random: SEED N [LETTERS], all A but some if there are none.
letters() {
	awk -v seed="$1" -v n="$2" -v of="${3:-}" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			printf "%s", of || rand() < .01 ? substr("ACGT", 1 + \
				int(4 * rand()), 1) : "A"
		print ""
	}' < /dev/null
}

@test "what does not fit is known before any work, and two that do are enough" {
	# as many letters in blocks of one, whatever the order
	for i in 1 2 3 4; do
		echo ">r$i"
		letters $i $((110000 - i % 2 * 20000)) x
	done > x.fa
	run -1 --separate-stderr ebwt-dist -t 1 --memory=700k -O tsv x.fa
	need=$(sed 's/.*take about \([0-9]*\) bytes.*/\1/' <<< "$stderr")
	ebwt-dist -t 1 -O tsv x.fa > want
	ebwt-dist -v -t 1 --memory=$((need * 11 / 10)) -O tsv x.fa 2> notes |
		cmp - want
	grep -q 'two blocks at a time, 6 times' notes
	# those that take most are not the longest
	{
		cat x.fa
		for i in 5 6; do
			echo ">p$i"
			letters $i 80000
		done
	} > y.fa
	for o in '' '-n 1' '-O rec --part 1/3' '-s both'; do
		fails 1 'two blocks at a time, take about' ebwt-dist -v -t 1 \
			--memory=$((need * 5 / 2)) $o y.fa
		[[ $stderr != *' times; some '* ]]
	done
	need=$(sed 's/.*take about \([0-9]*\) bytes.*/\1/' <<< "$stderr")
	ebwt-dist -s both -t 1 -O tsv y.fa > want
	ebwt-dist -s both -t 1 --memory=$((need * 11 / 10)) -O tsv y.fa |
		cmp - want
	# nor is a letter that no strand has seen late
	printf '>p\nMKLVEF\n' >> x.fa
	fails 1 'p: -s both is for DNA' \
		ebwt-dist -v -s both -t 1 --memory=3M -O tsv x.fa
	[[ $stderr != *' times; some '* ]]
	# what a part does is planned at once
	ebwt-dist -v -t 1 --part 0/2 -O rec y.fa 2> notes > /dev/null
	[ "$(grep -c 'two blocks at a time' notes)" = 1 ]
}

@test "parts of the pairs, merged: the same bytes; a lost one is exit 3" {
	genomes 7 900 > x.fa
	for o in '--by=prefix:/ -s both' '--metric=de' '-e ACGGT -e AAC'; do
		ebwt-dist -O tsv $o x.fa > want
		for n in 1 2 5 24; do
			rm -f p.*
			for i in $(seq 0 $((n - 1))); do
				ebwt-dist $o --part $i/$n -o p.$i.rec x.fa
			done
			merge-topk -O tsv p.*.rec | cmp - want
			# one again, a tree of merges
			merge-topk --quiet -O tsv p.0.rec p.*.rec | cmp - want
			merge-topk --partial -o half p.0.rec p.$((n - 1)).rec
			rm p.0.rec
			rm -f p.$((n - 1)).rec
			merge-topk --quiet -O tsv half $(find . -name 'p.*.rec') | cmp - want
			mv half p.0.rec
			rm -f p.$((n / 2)).rec
			[ $n -ne 2 ] || continue
			[ $n -eq 1 ] || run -3 --separate-stderr merge-topk -O tsv p.*.rec
			[ -z "$output" ]
			[ $n -eq 1 ] ||
				[[ $stderr == *"lacks some: number $((n / 2)) "* ]]
			[[ $stderr != *'scan :'* ]]
		done
	done
	rm -f p.*
	# -n is of the merge; parts of other divisions are not these
	for i in 0 1 2; do
		ebwt-dist --part $i/3 x.fa -o p.$i.rec
	done
	merge-topk -n 2 -O tsv p.*.rec | cmp - <(ebwt-dist -n 2 -O tsv x.fa)
	rm p.1.rec
	ebwt-dist --part 1/4 x.fa -o p.1.rec
	run -3 --separate-stderr merge-topk -O tsv p.*.rec
	for o in '--part 3/3' '--part x' '--part 1/' \
	    '--part 0/2 -n 1' '--part 0/2 --ebwt' '--part -1/2' \
	    '--part 0/2 --algorithm=paper'; do
		fails 2 '' ebwt-dist $o -O rec x.fa
	done
	fails 2 '-O rec' ebwt-dist --part 0/1 x.fa
	printf '>m\nA [1 2]\nC [1 2]\nG [0 0]\nT [0 0]\n' > m
	fails 2 '' ebwt-dist --part 0/2 -O rec m
	# one sequence has no pair, and its parts say so
	printf '>a\nACGT\n' > x.fa
	for i in 0 1; do
		ebwt-dist --part $i/2 x.fa -o p.$i.rec
	done
	merge-topk -O tsv p.[01].rec | cmp - <(ebwt-dist -O tsv x.fa)
	run -3 merge-topk -O tsv p.1.rec
}
