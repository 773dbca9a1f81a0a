# SPDX-License-Identifier: MIT
# ebwt-dist: the definition's tables, streams in any order, matrices.
load helper

# The words as FASTA in x.fa.
words() {
	local i=0 w

	for w; do
		i=$((i + 1))
		printf '>w%d\n%s\n' $i "$w"
	done > x.fa
}
# M_L, M_chi and M_gamma of the words, as strings; and there and back.
transform() {
	words "$@"
	ebwt-dist --ebwt --no-header x.fa > rows
	for i in 1 2 3; do
		cut -f $i rows | paste -s -d '\0'
	done | paste -s -d ' ' | tr A-Z a-z
	ebwt-dist --restore rows | ebwt-dist --ebwt --no-header |
		cut -f 1,2 | cmp - <(cut -f 1,2 rows)
	ebwt-dist --restore rows | grep -v '^>' | sort |
		cmp - <(printf '%s\n' "$@" | tr a-z A-Z | sort)
	cut -f 1,2 rows | ebwt-dist --restore | cmp - <(ebwt-dist --restore rows)
}
# The distance of two words.
delta() { # OPTION ... WORD WORD
	words "${@: -2}"
	ebwt-dist -O tsv --no-header "${@:1:$#-2}" x.fa | cut -f 6
}
# Mutants of one sequence of $1 letters, seed $2; $3 of them, in lines of 60.
family() {
	awk -v n=$1 -v seed=$2 -v k=$3 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			s[i] = substr("ACGT", 1 + int(4 * rand()), 1)
		for (w = 1; w <= k; w++) {
			printf ">m%d\n", w
			for (i = 0; i < n - w; i++)
				printf "%s%s", rand() < .02 ? "N" : s[i],
					i % 60 == 59 ? "\n" : ""
			print ""
		}
	}'
}

@test "the transforms of the definition, and back" {
	[ "$(transform banana)" = 'nnbaaa 000100 111111' ]
	[ "$(transform abacb cbac bcab acba)" = \
		'bbcabbccacabbaaca 01010000000100010 41341241123334122' ]
	[ "$(transform abac cbab bca cba)" = \
		'ccbbbcacaaabba 10000000100011 13214214321324' ]
	[ "$(transform aabb abba abab)" = \
		'bbbbaabbaaaa 101001000000 123312123312' ]
	[ "$(transform acb bcab)" = 'cbcabba 0100100 2112221' ]
	[ "$(transform aba abab)" = 'babbaaa 0110000 1122122' ]
	[[ $(transform aabb abba) == *' 12121212' ]]
	ebwt-dist --ebwt x.fa | sed -n 1p | grep -qx $'#M_L\tM_chi\tM_gamma'
}

@test "the distances of the definition, by either algorithm" {
	for a in fast paper; do
		[ "$(delta --algorithm=$a acb bcab)" = 3 ]
		[ "$(delta --algorithm=$a aba abab)" = 3 ]
		[ "$(delta --algorithm=$a aabb abba)" = 0 ]
		[ "$(delta --algorithm=$a abab abab)" = 0 ]
		[ "$(delta --algorithm=$a ab abab)" = 1 ]
		[ "$(delta --algorithm=$a aa aaa)" = 0 ]
		[ "$(delta --algorithm=$a ab ac)" = 0 ]
		[ "$(delta --algorithm=$a acgua ACGTA)" = 0 ]
		[ "$(delta --algorithm=$a -e acgua ACGTA CGTAA | sort -u)" = 0 ]
		# runs 2112221: lengths 1 2 3 1
		[ "$(delta --algorithm=$a --metric=norm acb bcab)" = 0.6 ]
		[ "$(delta --algorithm=$a --metric=dm acb bcab)" = 0.75 ]
		[ "$(delta --algorithm=$a --metric=de acb bcab)" = 1.5 ]
		[ "$(delta --algorithm=$a --metric=scaled acb bcab)" = 1.16666667 ]
		[ "$(delta --algorithm=$a --metric=scaled ab ababab)" = 0 ]
		[ "$(delta --algorithm=$a --metric=subs acb bcab)" = 0.875260447 ]
		[ "$(delta --algorithm=$a --metric=norm a a)" = 0 ]
		# one run of 4, the others of 1: 3 of them
		[ "$(delta --algorithm=$a --metric=de ab ababab)" = 0.721928095 ]
	done
}

@test "all metrics: the fast way is the paper's" {
	family 150 1 9 > x.fa
	printf '>power\nACACAC\n>root\nCA\n>n\nNNNN\n' >> x.fa
	for m in delta norm dm de scaled subs; do
		ebwt-dist --metric=$m -O tsv x.fa > fast
		[ "$(rows fast | wc -l)" -eq 66 ]
		ebwt-dist --metric=$m --algorithm=paper -O tsv x.fa | cmp - fast
		ebwt-dist --metric=$m -q x.fa -O tsv x.fa | rows > square
		[ "$(wc -l < square)" -eq 144 ]
		# the triangle is in the square, as it is and mirrored
		[ "$(rows fast | sort | comm -23 - <(sort square) | wc -l)" -eq 0 ]
		awk -F '\t' -v OFS='\t' '{ print $2, $1, $4, $3, $5, $6 }' \
			<(rows fast) | sort | comm -23 - <(sort square) | wc -l |
			grep -qx 0
		[ "$(awk -F '\t' '$1 == $2' square | cut -f 6 | sort -u)" = 0 ]
	done
}

@test "the same bytes for any -t, instruction set, chunk, memory and order" {
	family 3000 2 12 > x.fa
	ebwt-dist -t 1 -O tsv x.fa > want
	[ "$(rows want | wc -l)" -eq 66 ]
	LENGTHS='1 64 999 1M' however want x.fa ebwt-dist -O tsv
	ebwt-dist --metric=de -O json x.fa > de
	all_isas de ebwt-dist --metric=de -O json x.fa
	for l in 1 999; do
		fasta-chunk -L $l x.fa | ebwt-dist | rec-view -O tsv | cmp - want
	done
	# parts of the stream, one behind the other, in every order
	for i in 0 1 2; do
		fasta-chunk -L 500 --part $i/3 x.fa > p.$i
	done
	for o in '0 1 2' '2 1 0' '1 2 0 1'; do
		ebwt-dist -O tsv $(printf 'p.%s ' $o) 2> /dev/null | cmp - want
	done
	need=$(ebwt-dist -v -O tsv x.fa 2>&1 > /dev/null | sed -n \
		's/.*rows; \([0-9.]*\) MB at least.*/\1/p')
	[ -n "$need" ]
	need=$(awk -v n="$need" 'BEGIN { printf "%d", n * 1010000 }')
	ebwt-dist --memory $need -O tsv x.fa | cmp - want
	gzip -c x.fa > x.fa.gz
	ebwt-dist -O tsv - < x.fa.gz | cmp - want
	tr ACGTN acgun < x.fa | sed 's/^>.*/\L&/' | ebwt-dist -O tsv |
		cmp - want
}

@test "the memory needed is reported before any work" {
	family 3000 2 4 > x.fa
	fails 1 '' ebwt-dist --memory 5k -O tsv x.fa
	run -1 --separate-stderr ebwt-dist --memory 20k -O tsv x.fa
	[ -z "$output" ]
	one_line ebwt-dist
	[[ $stderr == *memory*[0-9]* ]]
	fails 1 'written out*--memory' \
		ebwt-dist --memory 20k --algorithm=paper -O tsv x.fa
}

# bats test_tags=slow
@test "many short sequences: as much memory as asked for, and -n keeps few rows" {
	reads 4000 75 > x.fa
	ebwt-dist -g none -n 1 --memory=200M -O tsv x.fa > have
	[ "$(rows have | wc -l)" -eq 4000 ]
	ebwt-dist -g none -n 1 -O tsv x.fa | cmp - have
	fails 1 '7998000 pairs*--memory 200000000; -n 1, * MB' \
		ebwt-dist --memory=200M -O tsv x.fa
	ebwt-dist -n 1 --memory=20M -O tsv x.fa | cmp - have
	# in blocks, and so many that nobody would wait
	ebwt-dist -v -t 1 -n 1 --memory=8M -O tsv x.fa 2> notes | cmp - have
	grep -q 'two blocks at a time' notes
	fails 1 ' take about * bytes: more than --memory 2000000' \
		ebwt-dist -n 1 --memory=2M -O tsv x.fa
	fails 1 '--memory 1500000; some * sequences would fit' \
		ebwt-dist -n 1 --memory=1500k -O tsv x.fa
	# what is read counts while it is read, names and all
	reads 300000 3 > x.fa
	run -1 --separate-stderr sh_ \
		'[ -n "$SEQF_SANITIZED" ] || ulimit -v 300000
		ebwt-dist -t 1 -g none --memory=10M -O tsv x.fa'
	one_line ebwt-dist
	[[ $stderr == *'sequences alone'*'more than --memory 10000000' ]]
	# no machine has this, with -n or without
	for o in '-n 100000' '-n 99999 --metric=de' ''; do
		fails 1 '44999850000 pairs*of this machine; -n 1, the ' \
			ebwt-dist $o -O tsv x.fa
	done
}

@test "rows on their way out take 40 MB, said memory aside" {
	[ -z "$SEQF_SANITIZED" ] || skip 'memory of a sanitizer'
	reads 2000 75 > x.fa
	measure m ebwt-dist -v -t 1 -g none -O rec -o rec x.fa 2> notes
	said=$(sed -n 's/.*memory: \([0-9.]*\) MB.*/\1/p' notes)
	awk -v said="$said" '{ print $3 / 1000, said }
		END { exit !(said && $3 / 1000 < said + 50) }' m
}

# bats test_tags=slow
@test "a stream that is not whole has no result" {
	family 3000 3 3 > x.fa
	fasta-chunk -L 700 x.fa > whole
	n=$(recframes list < whole | wc -l)
	[ "$n" -ge 10 ]
	ebwt-dist -O tsv whole > want
	for f in $(seq 0 $((n - 1))); do
		# lengths of long sequences are in their last chunks, too
		[ "$(recframes list < whole | awk -v f=$f '$1 == f { print $2 }')" \
			!= SEQ ] || continue
		recframes drop $f < whole > bad
		for o in rec tsv phylip; do
			run -3 --separate-stderr ebwt-dist -O $o -o out bad
			[ ! -e out ]
			[[ $stderr == 'ebwt-dist: '* ]]
		done
		fails 3 '' ebwt-dist -O tsv bad
		# twice is once
		recframes double $f < whole | ebwt-dist -O tsv 2> /dev/null |
			cmp - want
	done
	for k in 100 3000 $(($(wc -c < whole) - 1)); do
		head -c $k whole > bad
		run -3 ebwt-dist -O tsv -o out bad
		[ ! -e out ]
		head -c $k whole > bad
		printf x | dd of=bad bs=1 seek=$((k / 2)) conv=notrunc 2> /dev/null
		run -3 ebwt-dist -o out bad
		[ ! -e out ]
	done
	for s in 1 2 3 4; do
		recframes shuffle $s < whole | ebwt-dist -O tsv | cmp - want
	done
}

@test "queries: parts of a stream, whole sequences in each" {
	family 400 4 12 > x.fa
	awk '/^>/ { n++ } n <= 2' x.fa > q.fa
	ebwt-dist -q q.fa -e acgtnnacgtt -O tsv x.fa > want
	[ "$(rows want | wc -l)" -eq 36 ]
	fasta-chunk -L 700 x.fa > whole
	for i in 0 1 2; do
		fasta-chunk -L 900 --part $i/3 x.fa |
			ebwt-dist -q q.fa -e acgtnnacgtt > p.$i
	done
	merge-topk -O tsv p.2 p.0 p.1 | cmp - want
	fails 3 '' merge-topk -O tsv p.0 p.2
	# a sequence in two pieces, of which one is elsewhere
	run -3 --separate-stderr sh_ 'fasta-chunk -L 100 --part 0/3 x.fa |
		ebwt-dist -q q.fa'
	[[ $stderr == *'are missing'* ]]
	run -3 --separate-stderr sh_ 'fasta-chunk -L 300 --only 0 x.fa |
		ebwt-dist -q q.fa'
	[[ $stderr == *m1*'from 300 on are missing'* ]]
	printf 'ACGT\nTTTT\n' | ebwt-dist -q - -O tsv x.fa | rows | wc -l |
		grep -qx 24
	fails 2 '' ebwt-dist -O phylip -q q.fa x.fa
	fails 2 '' ebwt-dist -q - -
}

# bats test_tags=threads
@test "queries looked up one by one, or all sorted: the same bytes" {
	family 2000 7 5 > x.fa
	printf '>power\nACACAC\n>root\nCA\n>n\nNNNN\n>z\nZ\n' >> x.fa
	family 700 8 2 > q.fa
	awk '/^>/ { n++ } n == 3' x.fa >> q.fa
	printf '>ac\nAC\n' >> q.fa
	for m in delta norm dm de scaled; do
		ebwt-dist --engine=sort --metric=$m -q q.fa -O tsv x.fa > want
		[ "$(rows want | wc -l)" -eq 36 ]
		[ "$(rows want | cut -f 6 | sort -u | wc -l)" -gt 9 ]
		for t in 1 2 3; do
			ebwt-dist --engine=walks -t $t --metric=$m -q q.fa \
				-O tsv x.fa | cmp - want
		done
		ebwt-dist --metric=$m -q q.fa -O tsv x.fa | cmp - want
		ebwt-dist --metric=$m -n 2 -q q.fa -O tsv x.fa |
			cmp - <(ebwt-dist --metric=$m --engine=sort -n 2 \
				-q q.fa -O tsv x.fa)
	done
	ebwt-dist -v -q q.fa -o out x.fa 2> notes
	grep -q 'one by one' notes
	fails 1 'indexes and pairs take*--memory' \
		ebwt-dist --engine=walks --memory 20k -q q.fa -O tsv x.fa
	# letters, rows and the query's own index, but no rotations of all
	family 200000 9 2 > x.fa
	ebwt-dist --memory 2M -e ACGTTGCA -O tsv x.fa > little
	run -1 ebwt-dist --engine=sort --memory 2M -e ACGTTGCA -O tsv x.fa
	ebwt-dist --engine=sort -e ACGTTGCA -O tsv x.fa | cmp - little
}

@test "the nearest, here or by merge-topk" {
	family 500 5 9 > x.fa
	ebwt-dist -O rec x.fa > all
	for n in 1 2 5 99; do
		merge-topk -n $n -O tsv all > want
		ebwt-dist -n $n -O tsv x.fa | cmp - want
		ebwt-dist -O rec -n $n x.fa | merge-topk -n $n -O tsv | cmp - want
	done
	run -2 ebwt-dist -n 1 -O phylip x.fa
	for f in phylip phylip-lower phylip-strict newick svg-tree; do
		run -2 --separate-stderr merge-topk -n 2 -O $f all
		[ -z "$output" ]
	done
	run -2 --separate-stderr sh_ \
		'ebwt-dist -O rec -n 1 x.fa | merge-topk -n 2 -O tsv'
	ebwt-dist -O rec -q x.fa x.fa | merge-topk -n 3 -O tsv |
		cmp - <(ebwt-dist -n 3 -q x.fa -O tsv x.fa)
	# many are as near as the last one
	reads 60 4 > x.fa
	ebwt-dist -O rec x.fa > all
	for n in 1 2 3 7 30 59 60; do
		merge-topk -n $n -O tsv all > want
		ebwt-dist -n $n -O tsv x.fa | cmp - want
		ebwt-dist -O rec -n $n x.fa | merge-topk -n $n -O tsv | cmp - want
	done
	# words without a distance are near to none
	{ for i in 1 2 3 4 5; do motif $i 4 m$i; done
	printf '>b\nA [ 1 1 ]\nC [ 1 1 ]\nG [ 1 1 ]\nT [ 1 1 ]\n'; } > m
	ebwt-dist -O rec --theta-pos .26 m > all
	for n in 1 2 9; do
		merge-topk -n $n -O tsv all > want
		[ -z "$(rows want | grep -w b)" ]
		ebwt-dist -n $n --theta-pos .26 -O tsv m | cmp - want
	done
}

@test "entropies of as many runs are equal, and the first is the nearest" {
	printf '>u\nACATTCTCCG\n>v\nGTAC\n>vv\nGTACGTAC\n' > x.fa
	for o in '-n 2' '-e ACATTCTCCG -n 3' '-q x.fa -n 4'; do
		for a in fast paper; do
			ebwt-dist --metric=de --algorithm=$a -O tsv $o x.fa |
				awk '$3 == 10 && $4 % 4 == 0' > got
			[ "$(cut -f 2 got | paste -sd ' ')" = 'v vv' ]
			[ "$(cut -f 6 got | sort -u | wc -l)" -eq 1 ]
		done
	done
}

@test "what is no word is an error that names it" {
	printf '>a\nACGT\n>empty one\n>b\nAC\n' > x.fa
	fails 1 'empty*no letters' ebwt-dist -O tsv x.fa
	printf '>a\nACGT\n' > x.fa
	ebwt-dist -O phylip x.fa | diff - <(printf '1\na          0\n')
	ebwt-dist -O tsv x.fa | wc -l | grep -qx 1
	for f in /dev/null x.fa; do
		ebwt-dist -O tsv $f | cmp - <(printf \
			'#a\tb\talen\tblen\tmetric\tvalue\n')
		ebwt-dist --no-header -O tsv $f | cmp - /dev/null
	done
	for o in '-q x.fa' '' '-n 2'; do
		ebwt-dist $o -O rec -o none /dev/null
		for c in rec-view merge-topk 'merge-topk -n 1'; do
			$c -O tsv none | cmp - <(printf \
				'#a\tb\talen\tblen\tmetric\tvalue\n')
			$c --no-header -O tsv none | cmp - /dev/null
		done
		merge-topk --partial none | rec-view -O tsv | cmp - \
			<(rec-view -O tsv none)
	done
	[ -z "$(ebwt-dist -O json /dev/null)" ]
	[ -z "$(ebwt-dist -O phylip /dev/null)" ]
	# regions of a sequence are words; runs are sets of their own
	fasta-chunk -r a:2-4 -L 2 x.fa | ebwt-dist --words --no-header |
		cmp - <(printf 'a\tCGT\t1\n')
	ebwt-dist -r a:2-4 --words --no-header x.fa |
		cmp - <(printf 'a\tCGT\t1\n')
	fails 2 '' ebwt-dist -r c -e ACGT x.fa
	# of no frame at all a stream is nothing, and a table is not whole
	run -3 sh_ 'ebwt-dist < /dev/null'
	ebwt-dist -O rec < /dev/null | cmp - /dev/null
	run -3 sh_ 'ebwt-dist -O tsv < /dev/null'
	printf '>a\nACGT\n>b\nAC\n' > y.fa
	fasta-chunk --label 1 y.fa > runs
	fasta-chunk --label 2 y.fa >> runs
	ebwt-dist -O tsv runs | rows | wc -l | grep -qx 2
	fails 2 '' ebwt-dist --ebwt runs
	run -3 sh_ 'ebwt-dist -O rec y.fa | ebwt-dist -O tsv'
	printf '>a\nACGT\n>b\nARYN*-.\n>c\nACGNNT\n' > x.fa
	ebwt-dist -O tsv x.fa | cmp - <(ebwt-dist --algorithm=paper -O tsv x.fa)
	for o in '--ebwt --words' '--restore -n 3' '--ebwt -O json' '--words -q x.fa' \
	    '--theta-pos 1.5' '--theta-pos x' '--theta-word -1' '--metric=x' \
	    '--theta-word 0x0p0' '--theta-pos nan' '--theta-word inf' \
	    '--restore -O tsv' '--ebwt -n 2' '--memory 0' '-n 0'; do
		fails 2 '' ebwt-dist $o x.fa
	done
}

@test "lines that no words have are reported" {
	for s in 'A\t1\nB\t1\n' '' 'A\n' 'A\t2\n' 'AB\t1\n' '#x\n' 'A\t1\n\nB\t0\n' \
	    'A\t0\nA\t0\n' '\t1\n'; do
		printf "$s" > l
		[ "$s" != 'A\t1\nB\t1\n' ] || continue
		fails 1 '' ebwt-dist --restore l
	done
	printf '#\t1\r\nA\t1' > l
	ebwt-dist --restore l | diff - <(printf '>1\n#\n>2\nA\n')
	printf 'A\t1\nB\t1\n' | ebwt-dist --restore |
		diff - <(printf '>1\nA\n>2\nB\n')
}

@test "JSON and records hold what tsv does" {
	family 100 6 4 > x.fa
	ebwt-dist -O rec x.fa > x.rec
	rec-view --check x.rec
	[ "$(types < x.rec | sort -u | tr '\n' ' ')" = 'BEGIN DIST END ' ]
	ebwt-dist -O json x.fa | sed 's/.*"a":"\([^"]*\)","b":"\([^"]*\)".*"value":\([0-9]*\)}/\1 \2 \3/' |
		cmp - <(ebwt-dist -O tsv --no-header x.fa | cut -f 1,2,6 | tr '\t' ' ')
	for o in phylip phylip-lower; do
		ebwt-dist -O $o x.fa | cmp - <(rec-view -O $o x.rec)
		ebwt-dist -O $o x.fa | cmp - <(merge-topk -O $o x.rec)
	done
	ebwt-dist --progress=1 -t 2 -o y.rec x.fa
	cmp x.rec y.rec
}

@test "--full-names: whole headers, in every text, however the input is cut" {
	printf '>a one two\nACGTACGT\n>b\nACGTTCGT\n>a  three\t4\nGGGTACGT\n>\nACGTAAAA\n' > n.fa
	ebwt-dist --full-names n.fa > have
	{ cut -f 1 have; cut -f 2 have; } | rows | sort -u |
		diff <(printf '%s\n' '*' 'a one two' 'a three%094' b) -
	# the numbers are those of short names
	cut -f 3- have | cmp - <(ebwt-dist n.fa | cut -f 3-)
	for l in 2 3 100; do
		fasta-chunk -L $l n.fa | ebwt-dist --full-names -O tsv | cmp - have
	done
	ebwt-dist --full-names -q n.fa n.fa | rows | cut -f 1 | uniq |
		diff <(printf '%s\n' 'a one two' b 'a three%094' '*') -
	ebwt-dist --full-names -O phylip n.fa | sed 1d | cut -d ' ' -f 1 |
		diff <(printf '%s\n' a_one_two b a_three_4 '*') -
	ebwt-dist --full-names -O json n.fa | grep -c '"a":"a one two"' | grep -qx 3
	ebwt-dist --full-names --words n.fa | rows | cut -f 1 |
		diff <(printf '%s\n' 'a one two' b 'a three%094' '*') -
	# records say which sequence is meant, and must fit each other
	fails 2 --full-names ebwt-dist --full-names -O rec n.fa
}

@test "a sequence without a name is * everywhere" {
	printf '>\nACGTACGT\n>b\nACGTTCGT\n' > n.fa
	ebwt-dist n.fa | rows | cut -f 1 | grep -qxF '*'
	ebwt-dist -O json n.fa | grep -qF '{"a":"*",'
	ebwt-dist -O phylip n.fa | grep -q '^\*  *0 '
	ebwt-dist -O rec n.fa | rec-view -O svg | grep -qF '>*</text>'
	asm-scan -e ACGTACGT -s + n.fa | rows | cut -f 6 | grep -qxF '*'
	asm-scan -e ACGTACGT -s + -O json n.fa | grep -qF '"subject":"*"'
	asm-scan -q n.fa -s + -O json n.fa | grep -qF '"query":"*"'
	for f in bed gff3; do
		asm-scan -e ACGTACGT -s + -O $f n.fa | rows | cut -f 1 | grep -qxF '*'
	done
	asm-scan -e ACGTACGT -s + -O svg n.fa | grep -qF '>*</text>'
	primer-find -k 1 -q n.fa -O json <(printf '>x\nCCCC\n') |
		grep -qF '"target":"*"'
}

@test "what it will take includes the rows, of which there are many" {
	for i in $(seq 2000); do
		printf '>%s\nACGTTGCA\n' $i
	done > r.fa
	takes() {
		ebwt-dist -t 1 -v "$@" -o x r.fa 2>&1 |
			sed -n 's/.*; some \(.*\) s of one processor.*/\1/p'
	}
	text=$(takes) records=$(takes -O rec) few=$(takes -n 1)
	[ "$few" = "$(takes -n 1 -O rec)" ]
	awk "BEGIN { exit !($text > $records && $records > 2 * $few) }"
}

@test "strict PHYLIP: ten letters for a name, each there once" {
	# names alike in their first ten letters, some with numbers already
	for i in $(seq 120); do
		printf '>contig_number_%d\nACG\n>contig_n_%d\nAC\n' $i $i
	done > x.fa
	printf '>contig_n_2\nA\n>\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4x1\nA\n' >> x.fa
	ebwt-dist -O phylip-strict x.fa > have
	[ "$(head -n 1 have)" = 242 ]
	sed 1d have | cut -c 1-10 > names
	[ "$(sort -u names | wc -l)" -eq 242 ]
	no grep -v '^[^ ][^ ]* *$' names
	no grep -q '[^ -~]' names
	head -n 4 names | paste -s -d ' ' |
		grep -qx 'contig_num contig_n_1 contig_n_2 contig_n_3'
	tail -n 1 names | grep -qx '________x1'
	# beside the names, the matrix is that of phylip
	diff <(sed 1d have | cut -c 11- | tr -s ' ') \
		<(ebwt-dist -O phylip x.fa | sed 1d | sed 's/^[^ ]* *//; s/^/ /')
	fasta-chunk x.fa | ebwt-dist | merge-topk -O phylip-strict | cmp - have
	run -2 ebwt-dist -n 1 -O phylip-strict x.fa
}
