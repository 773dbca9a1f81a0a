# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# dist.sh - ebwt-dist beside others and beside itself; sourced by run.sh

cpu_of() { # NAME
	awk -F '\t' -v a="$1" '$2 == a { printf "%.3f s", $3 }' "$tmp/medians"
}

cpu_ratio() { # NAME OTHER
	awk -F '\t' -v a="$1" -v b="$2" '{ t[$2] = $3 }
		END { printf "%.2f", t[b] / t[a] }' "$tmp/medians"
}

# Peaks of processes, in bytes a letter; --memory is what -v says is enough.
bytes_a_letter() { # LETTERS FILE
	ebwt-dist -v -t 1 -O rec -o "$tmp/rec" "$2" 2> "$tmp/notes"
	least=$(sed -n 's/.*rows; \([0-9.e+]*\) MB at least.*/\1/p' "$tmp/notes" |
		awk '{ printf "%d", $1 * 1010000 }')
	say "Bytes a letter, of the whole process:" \
		"$(peak "$1" -t 1 "$2")," \
		"$(peak "$1" -t 1 --memory "$least" "$2") with --memory."
	say ''
}
peak() { # LETTERS OPTIONS ...
	of=$1
	shift
	measure "$tmp/m" ebwt-dist -O rec -o "$tmp/rec" "$@"
	awk -v n="$of" '{ printf "%.1f", $3 * 1024 / n }' "$tmp/m"
}
middle() { sort -n | awk '{ s[NR] = $1 } END { print s[int((NR + 1) / 2)] }'; }

# GOAL: of a Zen 5, in seconds; PART: of libdivsufsort's sort, which the goal
# may be at most.
apart() { # NAME LETTERS FILE GOAL [PART]
	say "### $1"
	say ''
	one="ebwt-dist -t 1 -O tsv $3" file=$3 letters_of=$2 goal=$4 part=${5:-}
	: > "$tmp/sorts"
	: > "$tmp/jobs"
	set -- "${2}000" 'ebwt-dist -t 1' "$one" \
		'ebwt-dist -t 2' "ebwt-dist -t 2 -O tsv $3" \
		'ebwt-dist -t 1 -s both' "$one -s both" \
		'two copies of -t 1' "$one > /dev/null & $one; wait" \
		'the same without reading and writing' \
		"$build/bench/ebwt 1 1 fasta $3 >> $tmp/jobs" \
		libdivsufsort "$build/bench/divsufsort $3 >> $tmp/sorts"
	! has mash || set -- "$@" 'mash triangle -p 1' \
		"mash triangle -i -p 1 $file"
	! has andi || [ "$letters_of" -gt 20000000 ] ||
		set -- "$@" 'andi -t 1, once' "once: andi -t 1 $file"
	race "$@"
	sort=$(middle < "$tmp/sorts")
	# of the columns: roots, then pairs with their sort
	job=$(awk '{ print $1 + $5 }' "$tmp/jobs" | middle)
	say "Processor time: in all $(cpu_of 'ebwt-dist -t 1'); without reading" \
		"and writing $job s (goal $goal s on a Zen 5), which is" \
		"$(awk "BEGIN { printf \"%.2f\", $job / $sort }") of" \
		"libdivsufsort's sort alone, $sort s${part:+ (goal $part)}."
	say "Both strands take $(cpu_ratio 'ebwt-dist -t 1' \
		'ebwt-dist -t 1 -s both') times the processor time of one" \
		"(goal 2.2)."
	tell_sharing 'ebwt-dist -t 1' 'ebwt-dist -t 2'
	bytes_a_letter "$letters_of" "$file"
}

# Real ones, or copies of one, of which each has changed on its own.
mitochondria() {
	if genome mt148.fa mt.primates148.fa.gz; then
		apart '148 primate mitochondria' 2460639 "$data/mt148.fa" \
			0.05 0.8
		return
	fi
	make_once mt1.fa randseq 16600 17
	make_once mt148like.fa relate "$data/mt1.fa" 0 0 0.1 18 148
	apart '148 x 16.6 kbp, a tenth of the letters changed, for mitochondria' \
		2456800 "$data/mt148like.fa" 0.05 0.8
}

looking_up() {
	make_once many10000.fa relate "$data/near1.fa" 0 0 0.2 19 10000
	make_once query16k.fa relate "$data/near1.fa" 0 0 0.2 20
	say '### One query of 16 kbp against 10,000 sequences as long, once'
	say ''
	o="-t 1 -q $data/query16k.fa -O rec $data/many10000.fa"
	was=$rounds rounds=1
	race 160000000000 'looked up in the query' "ebwt-dist $o" \
		'the same, -t 2' "ebwt-dist -t 2 $o" \
		'all sorted' "ebwt-dist --engine=sort $o"
	rounds=$was
}

weighing() {
	say '### A weighted sequence of 260, 12 positions of two letters, a word of 6'
	say ''
	"$build/bench/weighted" 21 260 12 6 > "$tmp/weighted"
	for i in 1 2 3; do
		awk -v i="$i" '{ print $i }' "$tmp/weighted" | middle
	done | paste -s -d ' ' | {
		read -r product lists rotations
		say "Milliseconds for the 4,096 words, median of 21: $product" \
			"without a list of them (goal 0.7), $lists with it," \
			"$rotations by rotations written out, as the source does."
	}
	say ''
}

# A matrix of so many positions, all four letters at each.
open_matrix() { # NAME POSITIONS
	awk -v name="$1" -v n="$2" 'BEGIN {
		srand(n)
		print ">" name
		for (c = 0; c < 4; c++) {
			for (i = 0; i < n; i++)
				printf "%d ", 1 + int(rand() * 20)
			print ""
		} }'
}

full_matrices() {
	for m in 6 10; do
		open_matrix long 300 > "$tmp/open$m"
		open_matrix short $m >> "$tmp/open$m"
	done
	say '### Weighted sequences of all letters: 300 positions against 6 and 10'
	say ''
	o='-g none --theta-pos 0 -O tsv'
	race 310 '300 x 4 against 10 x 4' "ebwt-dist -t 1 $o $tmp/open10" \
		'the same, -t 2' "ebwt-dist -t 2 $o $tmp/open10" \
		'300 x 4 against 6 x 4' "ebwt-dist -t 1 $o $tmp/open6" \
		'the same, with extremes' \
		"once: ebwt-dist -t 1 --extremes $o $tmp/open6"
	say 'Processor time of 300 x 4 against 10 x 4, the source'\''s practical' \
		"example: $(cpu_of '300 x 4 against 10 x 4') (goal 5 s)."
	say ''
}

# As many motifs, about as long and as sure, as JASPAR has of fungi.
motifs() {
	awk 'BEGIN {
		srand(176)
		for (k = 1; k <= 176; k++) {
			n = k % 5 ? 7 + int(rand() * 4) : 19 + int(rand() * 3)
			for (i = 1; i <= n; i++) {
				sure = rand() < .5 ? 100 : 12
				for (c = 1; c <= 4; c++)
					p[c, i] = 1 + int(rand() * 24)
				p[1 + int(rand() * 4), i] += sure
			}
			print ">M" k
			for (c = 1; c <= 4; c++)
				for (i = 1; i <= n; i++)
					printf "%d%s", p[c, i], i < n ? " " : "\n"
		} }' > "$tmp/motifs"
	say '### 176 motifs of 7 to 21 positions, all pairs, once (goal 5 s)'
	say ''
	o="-t 1 -g none -O tsv $tmp/motifs"
	was=$rounds rounds=1
	race 2000 'ebwt-dist' "ebwt-dist $o" \
		'-s both' "ebwt-dist -s both $o" \
		'--extremes' "ebwt-dist --extremes $o"
	rounds=$was
}

many_reads() {
	make_once reads4000.fa awk 'BEGIN { srand(7)
		for (i = 0; i < 4000; i++) {
			print ">s" i
			for (j = 0; j < 75; j++)
				printf "%s", substr("ACGT", 1 + int(rand() * 4), 1)
			print "" } }'
	say '### 4,000 reads of 75 letters, the nearest of each (goal 200 MB)'
	say ''
	o="-t 1 -g none -O tsv $data/reads4000.fa"
	race 300000 'ebwt-dist -n 1' "ebwt-dist -n 1 $o" \
		'ebwt-dist -n 1 --memory=200M' \
		"ebwt-dist -n 1 --memory=200M $o" \
		'all pairs' "ebwt-dist $o"
}

distances() {
	say '## ebwt-dist from files to rows'
	say ''
	say 'libdivsufsort sorts the suffixes of the words, each with a sixteenth'
	say 'of it once more behind; its rows hold reading, too. mash and andi'
	say 'estimate other distances, and mash by samples.'
	say ''
	unit='MB/s'
	make_once near1.fa randseq 16000 15
	make_once near100.fa relate "$data/near1.fa" 0 0 0.001 16 100
	make_once two1.fa randseq 5000000 13 70 a
	make_once two2.fa randseq 5000000 14 70 b
	make_once two.fa cat "$data/two1.fa" "$data/two2.fa"
	make_once genome1.fa randseq 4640000 21
	make_once near20.fa relate "$data/genome1.fa" 0 0 0.001 22 20
	apart '2 x 5 Mbp, random' 10000000 "$data/two.fa" 0.19 0.32
	apart '100 x 16 kbp, 0.1 % apart' 1600000 "$data/near100.fa" 0.05
	mitochondria
	was=$rounds rounds=1
	apart '20 x 4.64 Mbp, 0.1 % apart, once' 92800000 "$data/near20.fa" \
		2.5
	rounds=$was
	looking_up
	many_reads
	weighing
	motifs
	full_matrices
	unit=GB/s
}
