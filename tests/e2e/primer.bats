# SPDX-License-Identifier: MIT
# primer-find: the answers, against the definition in a program of its own.
load helper

# A background of some sequences with short records, N, codes and lower case,
# in b.fa, and targets in q.fa, most of which resemble pieces of it.
prepare() {
	odd_text 500 240 > b.fa
	{
		printf '>a\n' && sed -n 4p b.fa | sed 's/AC/ATC/'
		printf '>b with a name\nacgtnryttgacngguuaaccacgatcaggctta\n'
		randseq 90 12 60 c
		printf '>d\n' && tail -n 4 b.fa | rev | tr ACGT TGCA |
			tr -d '\n' | cut -c 30-90
		printf '>e\nG\n>f\nNNNNNN\n'
	} > q.fa
}

# The program's table of these options, without its first line.
find_() {
	primer-find -O tsv --no-header -q q.fa "$@"
}

# What follows holds for all of these.
each_options() { # COMMAND ...
	while read -r o; do
		"$@" $o || return 1
	done <<- .
		-k 1
		-k 2 --primers=both
		-k 3 -s + --primers=-
		-k 4 -s - --max-len 20 --primers=both
		-k 5 --min-len 18
		-k 4 --max-len 24 --min-len 16 --three-prime 7:2
		-k 3 --three-prime 9:3 --primers=both
		-k 6 --max-len 64 -s +
		-k 9 --max-len 63 --primers=both
		-k 2 --max-len 2
		-k 30
		-k 3 --gc 40-60 --max-homopolymer 2 --primers=both
		-k 3 --gc 50-50
		-k 3 --max-len 24 --gc 45-55 --max-homopolymer 3 --fit
		-k 3 --max-len 30 --gc 48-52 --primers=both --fit
		-k 4 --max-len 28 --three-prime 7:2 --gc 50-60 --primers=both --fit
	.
}

@test "the definition's example, on one strand and on both" {
	printf '>b\nAGCAAG\n' > b.fa
	primer-find -k 2 -s + -e ACTG -O tsv b.fa > have
	{
		printf '#target\tbeg\tend\tlength\tk\tsequence\tstrand\n'
		printf 'ACTG\t0\t3\t3\t2\tACT\t+\nACTG\t1\t4\t3\t2\tCTG\t+\n'
	} | diff - have
	run -0 primer-find -k 2 -e ACTG -O tsv --no-header b.fa
	[ "$output" = $'ACTG\t0\t4\t4\t2\tACTG\t+' ]
	# the source's stop test is wrong for k = 1
	run -0 primer-find -k 1 -s + -e ACTG -O tsv --no-header b.fa
	[ "$(cut -f 2,3 <<< "$output" | tr '\t\n' '- ')" = '0-2 1-3 2-3 ' ]
}

agrees() {
	local i o=$*

	primerbook "$@" q.fa b.fa > want
	find_ -t 1 "$@" b.fa | diff want -
	all_isas want find_ "$@" b.fa
	find_ --engine=plain "$@" b.fa | diff want -
}

# bats test_tags=threads,slow
@test "primers are those of the definition, for all options" {
	prepare
	each_options agrees
	[ "$(find_ -k 2 --primers=both b.fa | wc -l)" -ge 150 ]
	[ "$(find_ -k 3 --gc 50-50 b.fa | wc -l)" -ge 10 ]
}

# bats test_tags=threads,slow
@test "random cases are as defined, of any chunks, threads and parts" {
	local i

	for i in {1..20}; do
		RANDOM=$i
		n=$((RANDOM % 400)) m=$((1 + RANDOM % 70)) k=$((1 + RANDOM % 6))
		{
			randseq $n $i 60 x
			randseq $((RANDOM % 50)) 1$i 60 y
			echo '>z'
		} > b.fa
		{
			randseq $m 2$i 80 r
			echo '>s'
			randseq $n $i 400 | tail -n +2 |
				cut -c $((1 + RANDOM % (n + 1)))- |
				cut -c 1-50 | grep . || echo A
			unwrap b.fa | tail -n +2 | sed -n 1p | rev |
				tr ACGT TGCA | cut -c 1-40 | sed 's/^/>t\nC/'
		} > q.fa
		set -- -k $k
		[ $((RANDOM % 2)) = 0 ] || set -- "$@" -s +
		[ $((RANDOM % 2)) = 0 ] || set -- "$@" --primers=both
		[ $((RANDOM % 3)) = 0 ] ||
			set -- "$@" --max-len $((k + RANDOM % 40))
		[ $((RANDOM % 3)) != 0 ] || set -- "$@" --three-prime 4:2
		[ $((RANDOM % 4)) != 0 ] || set -- "$@" --min-len 6
		case $* in
		*--max-len\ [1-5]\ *|*--max-len\ [1-5]) set -- -k $k ;;
		esac
		primerbook "$@" q.fa b.fa > want
		find_ -t 1 "$@" b.fa | diff want -
		l=$((1 + RANDOM % 90))
		fasta-chunk -L $l -W 0 b.fa | find_ -t 3 "$@" | diff want -
		parts 3 "-L $l -W 200 b.fa" primer-find -t 1 "$@" -q q.fa
		merge-topk -O tsv --no-header 2.rec 0.rec 1.rec | diff want -
	done
}

# A target and a background that are cut into parts and chunks.
larger() {
	randseq 8000 31 60 g > g.fa
	{
		randseq 600 32 60 u
		printf '>v\n' && sed -n 100,109p g.fa | sed 's/TTA/TAA/g'
	} > q.fa
}

# bats test_tags=threads
@test "same bytes for any threads, chunks, instruction set and engine" {
	larger
	for o in '-k 3 --max-len 18 --primers=both' '-k 6 --three-prime 14:3'; do
		primer-find -t 1 $o -q q.fa -O tsv g.fa > want
		[ "$(wc -l < want)" -gt 300 ]
		however want g.fa primer-find $o -q q.fa -O tsv
		primer-find -t 7 $o -q q.fa -O tsv g.fa | cmp - want
		primer-find --engine=plain $o -q q.fa -O tsv g.fa | cmp - want
		fasta-chunk -L 1000 g.fa > g.rec
		primer-find -t 1 $o -q q.fa g.rec > want.rec
		rec-view --check want.rec
		rec-view -O tsv want.rec | cmp - want
		for t in 2 3; do
			primer-find -t $t $o -q q.fa g.rec | cmp - want.rec
		done
	done
}

# bats test_tags=threads
@test "no start is lost between the parts of a chunk" {
	randseq 6000 51 60 t > q.fa
	randseq 3000 52 60 b > b.fa
	for o in '-k 3 --max-len 20' '-k 5'; do
		find_ -t 1 --primers=both $o b.fa > want
		[ "$(wc -l < want)" -gt 9000 ]
		for t in 4 16; do
			find_ -t $t --primers=both $o b.fa | cmp - want
		done
	done
}

# bats test_tags=threads
@test "fan-out and merge-topk give the single run's rows, in any order" {
	prepare
	spread() {
		find_ "$@" b.fa > want
		parts 4 '-L 97 -W 300 b.fa' primer-find -t 2 "$@" -q q.fa
		merge-topk --no-header -O tsv 3.rec 1.rec 0.rec 2.rec | cmp - want
		merge-topk --partial 1.rec 3.rec > p.rec
		merge-topk --partial 2.rec 0.rec > r.rec
		merge-topk --no-header -O tsv r.rec p.rec 1.rec 2>> notes |
			cmp - want
		merge-topk --no-header -O tsv <(cat r.rec p.rec) | cmp - want
		# whatever drops primers is applied to the merged ends only
		fails 3 missing merge-topk -O tsv 3.rec 0.rec 2.rec
	}
	each_options spread
}

@test "against a background of nothing all starts are primers, and none is lost" {
	fasta-chunk --quiet /dev/null > c.rec
	primer-find --quiet -k 2 -e ACGTACG -e GATTACA c.rec > p.rec
	merge-topk --no-header -O tsv p.rec > want
	[ "$(wc -l < want)" -eq 12 ]
	merge-topk --partial p.rec | merge-topk --no-header -O tsv - p.rec \
		2> err | cmp - want
	for n in $(frames_of p.rec PRIMER); do
		recframes drop "$n" < p.rec > x
		fails 3 'a result is missing' merge-topk -O tsv x
		cp x less.rec
	done
	recframes drop "$(frames_of x PRIMER)" < less.rec > x
	says 3 'a result is missing' rec-view -O tsv x
}

@test "several backgrounds: of one run, of two runs, of two merges" {
	larger
	randseq 9000 77 60 h > h.fa
	o='-k 4 --max-len 24 -q q.fa'
	cat g.fa h.fa > gh.fa
	primer-find $o -O tsv gh.fa > want
	primer-find $o -O tsv g.fa h.fa | cmp - want
	primer-find $o -O tsv h.fa g.fa | cmp - want
	{ fasta-chunk -L 3k g.fa; fasta-chunk -L 2k h.fa; } > two.rec
	primer-find $o -O tsv two.rec | cmp - want
	primer-find $o two.rec | merge-topk -O tsv | cmp - want
	primer-find -O rec $o g.fa > g.rec
	primer-find -O rec $o h.fa > h.rec
	merge-topk -O tsv h.rec g.rec | cmp - want
	# runs are kept apart in records
	primer-find $o two.rec | recframes list | grep -c PRIMER > n
	[ "$(cat n)" -eq 4 ]
	fasta-chunk -L 3k g.fa | primer-find $o > g3.rec
	fasta-chunk -L 2k h.fa | primer-find $o > h2.rec
	merge-topk g3.rec h2.rec > a
	primer-find $o two.rec | merge-topk > b
	cmp a b
}

@test "an empty background leaves k letters; an empty record nothing" {
	printf '>t\nACGTNACG\n' > q.fa
	printf '>none\n>nothing\n' > b.fa
	: > empty
	for f in b.fa empty; do
		find_ -k 2 $f | diff <(primerbook -k 2 q.fa b.fa) -
		find_ -k 2 --primers=both $f |
			diff <(primerbook -k 2 --primers=both q.fa b.fa) -
		primer-find -O rec -k 2 -q q.fa $f | merge-topk -O tsv --no-header |
			diff <(find_ -k 2 b.fa) -
		primer-find -O rec -k 2 -q q.fa $f | rec-view -O tsv --no-header |
			diff <(find_ -k 2 b.fa) -
		for i in 0 1; do
			fasta-chunk --part $i/2 $f | primer-find -k 2 -q q.fa
		done | merge-topk -O tsv --no-header | diff <(find_ -k 2 b.fa) -
	done
	[ "$(find_ -k 2 empty | wc -l)" -eq 5 ]
}

@test "nothing but N, targets shorter than k, and no target at all" {
	printf '>n\nNNNN\n>s\nAC\n>t\nNACGTTN\n' > q.fa
	printf '>x\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n' > b.fa
	find_ -k 3 b.fa | diff <(primerbook -k 3 q.fa b.fa) -
	[ "$(find_ -k 3 b.fa | wc -l)" -eq 3 ]
	run -0 --separate-stderr primer-find -k 3 -e NNNN -O tsv b.fa
	[ "${#lines[@]}" -eq 1 ]
	[[ $stderr == 'primer-find: no primer found: '* ]]
	fails 2 '' primer-find -k 3 -O tsv b.fa
	# as the other scanners have it, but that sw-scan skips a query without
	# letters beside others
	for q in '>t\n>u\nACG\n' '>t\n' ''; do
		printf "$q" > q.fa
		for p in 'primer-find -k 3' 'asm-scan -k 0' sw-scan; do
			[[ $p$q != sw-scan*ACG* ]] || continue
			fails 2 q.fa $p -q q.fa -O tsv b.fa
		done
	done
}

@test "lower case and U are letters, codes of the background are sets" {
	printf '>t\nacguacgu\n' > q.fa
	printf '>b\nGGACGUACGTCC\n' > b.fa
	find_ -k 1 b.fa | diff <(primerbook -k 1 q.fa b.fa) -
	[ -z "$(find_ -k 1 b.fa)" ]
	[ "$(find_ -k 2 -s + b.fa | cut -f 6 | sed -n 1p)" = '' ]
	printf '>b\nGGRYKMNCGTCC\n' > b.fa
	find_ -k 2 b.fa | diff <(primerbook -k 2 q.fa b.fa) -
	printf '>b\nACNNACGT\n' > b.fa
	find_ -k 1 -s + b.fa | diff <(primerbook -k 1 -s + q.fa b.fa) -
	# N matches nothing, R either
	run -0 primer-find -k 1 -s + -e AC -O tsv --no-header \
		<(printf '>x\nAN\n>y\nNC\n')
	[ "$(cut -f 6 <<< "$output")" = AC ]
	run -0 --separate-stderr primer-find -k 1 -s + -e AC -O tsv \
		--no-header <(printf '>x\nRC\n')
	[ -z "$output" ]
}

@test "literal: every byte is itself, of one strand" {
	printf '>t\nacNRtZ\n' > q.fa
	printf '>b\nACNRT-acN*Z.\n' > b.fa
	for k in 1 2 3; do
		find_ -k $k --alphabet=literal b.fa |
			diff <(primerbook -k $k --literal q.fa b.fa) -
	done
	[ "$(find_ -k 1 --alphabet=literal b.fa | wc -l)" -ge 3 ]
	for o in '-s -' '-s both' --primers=- --primers=both '--gc 1-2' \
	    '--tm 1-2'; do
		fails 2 '' primer-find -k 1 --alphabet=literal $o -q q.fa b.fa
	done
	fails 1 "b: '-' at 6 is no DNA letter*literal" \
		primer-find -k 1 -e ACGT -O tsv b.fa
	fails 2 "target t: letter 6, 'Z', is not DNA*literal" \
		primer-find -k 1 -q q.fa -O tsv b.fa
}

@test "literal: the bytes that there may be, and that there may not" {
	local all c
	all='ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-.'
	printf '>b\n%s\n' "$all" > b.fa
	# each matches itself, alone
	primer-find -k 1 --alphabet=literal -e "$all" -O tsv --no-header b.fa |
		diff /dev/null -
	printf '>q\naA-*.z\n' > q.fa
	primer-find -k 1 --alphabet=literal -q q.fa -O tsv --no-header b.fa |
		diff <(primerbook -k 1 --literal q.fa b.fa) -
	# in a background, blanks are left out; other bytes are none
	printf '>b\nA \tC\n' > c.fa
	primer-find -k 1 --alphabet=literal -e AC -O tsv --no-header c.fa |
		diff /dev/null -
	for o in $(seq 33 126); do
		c=$(printf "\\$(printf %o "$o")")
		[[ $all != *"$c"* ]] || continue
		printf '>b\nAC%sGT\n' "$c" > c.fa
		fails 1 'invalid byte* at 2' \
			primer-find -k 1 --alphabet=literal -e A -O tsv c.fa
		primer-find -k 1 --alphabet=literal -e "A$c" -O tsv \
			--no-header b.fa > have
		[ "$(cut -f 2,3 have)" = $'0\t2\n1\t2' ]
	done
	printf '>q\nA+/09\n' > q.fa
	primer-find -k 1 --alphabet=literal -q q.fa -O tsv --no-header b.fa |
		cut -f 6 | diff <(printf '%s\n' A+ + / 0 9) -
}

# bats test_tags=slow
@test "max-len on both sides of a word, and k as large as it goes" {
	larger
	randseq 150 41 60 w > q.fa
	head -c 1500 g.fa > b.fa
	for l in 63 64; do
		find_ -k 25 --max-len $l --primers=both b.fa | diff <(
			primerbook -k 25 --max-len $l --primers=both \
				q.fa b.fa) -
	done
	for k in 150 151 1048576; do
		find_ -k $k b.fa | diff <(primerbook -k $k q.fa b.fa) -
	done
	# many records, each with more nothing behind it than letters
	for i in {1..300}; do printf '>r%d\nACGT\n' $i; done > r.fa
	find_ -k 140 r.fa | diff <(primerbook -k 140 q.fa r.fa) -
	find_ -k 1048576 -t 2 r.fa | cmp - /dev/null
}

@test "with a part of the background there is no table: more would be primers" {
	randseq 3000 5 60 g > b.fa
	randseq 60 6 60 u > q.fa
	fasta-chunk -L 500 b.fa > b.rec
	find_ -k 3 b.rec > all
	[ -s all ]
	for n in 300 700 "$(($(wc -c < b.rec) - 1))"; do
		fails 3 '' bash -c \
			"head -c $n b.rec | primer-find -k 3 -q q.fa -O tsv --no-header"
	done
	# nor a header
	recframes drop "$(frames_of b.rec CHUNK | sed -n 3p)" < b.rec > less.rec
	head -c 700 b.rec > cut.rec
	for f in tsv bed gff3 fasta json boulder; do
		for b in less cut; do
			fails 3 '' primer-find -k 3 -q q.fa -O $f $b.rec
			run -3 primer-find -k 3 -q q.fa -O $f -o x $b.rec
			[ ! -e x ]
		done
	done
	run -2 --separate-stderr primer-find -k 3 --site -q q.fa -O tsv less.rec
	[ -z "$output" ]
	# what a scan before found is shown, with its header
	asm-scan -e ACGTA b.rec > h.rec
	asm-scan -e ACGTA -O tsv b.rec > hits
	cat h.rec less.rec > x.rec
	run -3 --separate-stderr primer-find -k 3 -q q.fa -O tsv x.rec
	[ "$output" = "$(cat hits)" ]
}
