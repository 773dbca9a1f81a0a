# SPDX-License-Identifier: MIT
# sw-scan: the answers, against a textbook in a program of its own.
load helper

# Texts with short records, N, codes, lower case, and in q queries of some
# letters up to 200, of which most have a place that resembles them.
prepare() {
	odd_text 1400 700 > t.fa
	{
		printf '>a\n' && sed -n '4,6p' t.fa | tr -d 'G\n' && echo
		printf '>b\nacgtnryttgacngguuaacc\n'
		randseq 90 12 60 c
		printf '>d\n' && tail -n 4 t.fa | rev | tr ACGT TGCA |
			tr -d '\n' | cut -c 30-170
		printf '>e\nG\n>f\nNNNNNN\n'
	} > q.fa
}

# gotoh's numbers for the default scores; sw-scan's are the default.
book() {
	gotoh -m 2 -x -3 -o 5 -e 2 --scan "$@"
}

@test "the table has the columns of hits, and no hit is exit 0" {
	printf '>s\nTTGATTACATT\n' > s.fa
	sw-scan -s + -e GATTACA -O tsv s.fa > have
	printf '%s\t' '#query' qlen qbeg qend strand subject slen sbeg send \
		edits score > want
	printf 'cigar\n' >> want
	printf '%s\t' GATTACA 7 0 7 + s 11 2 9 0 14 >> want
	printf '7=\n' >> want
	diff want have
	run -0 --separate-stderr sw-scan --min-score 15 -e GATTACAGG -O tsv s.fa
	[ "${#lines[@]}" -eq 1 ]
	[ -z "$stderr" ]
	run -0 sw-scan --no-header -s + -e CCC -O tsv s.fa
	[ "$(cut -f 11 <<< "$output")" = 2 ]
	: > empty
	run -0 --separate-stderr sw-scan --no-header -e ACGT -O tsv empty
	[ -z "$output" ]
}

# bats test_tags=threads,slow
@test "alignments, cells and waterman-eggert are the textbook's" {
	prepare
	for b in alignments cells waterman-eggert; do
		for n in 1 30; do
			book -n $n -b $b q.fa t.fa > want
			[ "$(wc -l < want)" -ge 5 ]
			sw-scan -n $n --kind=$b -q q.fa -O tsv --no-header \
				t.fa | diff want -
			sw-scan -t 3 -n $n --kind=$b -s - -q q.fa -O tsv \
				--no-header t.fa |
				diff <(book -n $n -b $b -s - q.fa t.fa) -
		done
	done
}

# bats test_tags=threads,slow
@test "other scores, of the linear phase too, are the textbook's" {
	prepare
	while read -r m x o e; do
		book -n 12 -m $m -x -$x -o $o -e $e q.fa t.fa > want
		sw-scan -n 12 --preset $m/-$x/$o/$e -q q.fa -O tsv \
			--no-header t.fa | diff want -
	done <<- .
		5 3 8 1
		1 3 5 2
		5 4 8 4
		1 1 0 1
		3 1 4 0
		1000 900 3000 700
		91 114 400 30
		600 900 300 1200
		2 1000000 5 2
		3 2 1000000 1
		999999 1000000 0 999998
	.
	sw-scan -n 3 --preset=ssca1 -q q.fa -O tsv --no-header t.fa |
		diff <(book -n 3 -m 5 -x -3 -o 8 -e 1 q.fa t.fa) -
}

# bats test_tags=threads,slow
@test "scores that have a divisor: what is reported, and --min-score" {
	prepare
	for b in alignments cells waterman-eggert; do
		for min in 1 5999 6000 6001 6200; do
			book() { gotoh -m 600 -x -900 -o 1500 -e 600 --scan "$@"; }
			book -n 9 -b $b --min $min q.fa t.fa > want
			sw-scan -n 9 --kind=$b --preset 600/-900/1500/600 \
				--min-score $min -q q.fa -O tsv --no-header \
				t.fa | diff want -
			fasta-chunk -L 500 -W 1000 t.fa |
				sw-scan -t 3 -n 9 --preset 600/-900/1500/600 \
				--min-score $min -q q.fa |
				merge-topk -O tsv --no-header | sort > have
			[ $b != alignments ] || sort want | diff - have
		done
	done
	run -0 --separate-stderr sw-scan --preset 600/-900/1500/600 \
		--no-header -O tsv --min-score 9223372036854775807 -q q.fa t.fa
	[ -z "$output" ]
}

# bats test_tags=threads
@test "every engine gives the same bytes" {
	prepare
	sw-scan -n 20 -q q.fa -O tsv t.fa > want
	for g in plain lanes8 lanes16 skew; do
		all_isas want sw-scan --engine=$g -n 20 -q q.fa -O tsv t.fa
	done
}

# bats test_tags=threads
@test "same bytes for any chunks, threads and instruction set" {
	prepare
	for b in alignments cells; do
		sw-scan -t 1 --kind=$b -n 25 -q q.fa -O tsv t.fa > want
		LENGTHS='64 130 700' however want t.fa \
			sw-scan --kind=$b -n 25 -q q.fa -O tsv
		# a letter a chunk
		grep -A 6 '>one$' t.fa > s.fa
		for q in GATTACATTCACG TTGCAT; do
			sw-scan --kind=$b -n 9 -e $q -O tsv s.fa > want
			for t in 1 2 3; do
				fasta-chunk -L 1 s.fa | sw-scan -t $t \
					--kind=$b -n 9 -e $q -O tsv |
					cmp - want
			done
		done
	done
	for l in 300 5000; do
		fasta-chunk -L $l t.fa | sw-scan --kind=waterman-eggert -n 9 \
			-q q.fa -O tsv
	done > have
	sw-scan --kind=waterman-eggert -n 9 -q q.fa -O tsv t.fa > want
	cat want want | cmp - have
}

# Copies of a query stand where halves, quarters and eighths of the text meet.
# bats test_tags=threads
@test "same bytes when threads share a chunk" {
	randseq 300 5 > q.fa
	q=$(sed 1d q.fa | tr -d '\n')
	{
		echo '>t'
		for i in 1 2 3 4 5 6 7 8; do
			sed 1d <(randseq 12200 "2$i")
			echo "${q:0:100}${q:$((100 + i)):100}G${q:200}"
		done
	} > t.fa
	printf '>r\n%s\n' "${q:40:30}" >> q.fa
	for o in '' '-s + --kind=cells' '--preset=1/-3/5/2 -s -' \
	    '-s + --preset=ssca1'; do
		for n in 1 100; do
			sw-scan -t 1 -n $n $o -q q.fa -O tsv t.fa > want
			for t in 2 3 8; do
				sw-scan -t $t -n $n $o -q q.fa -O tsv t.fa |
					cmp - want
			done
			fasta-chunk -L 30k t.fa | sw-scan -t 4 -n $n $o \
				-q q.fa -O tsv | cmp - want
		done
	done
}

# bats test_tags=threads
@test "rec: the same bytes for any threads and instruction set" {
	prepare
	fasta-chunk -L 300 t.fa > t.rec
	sw-scan -t 1 -n 25 -q q.fa t.rec > want.rec
	rec-view --check want.rec
	for t in 2 3; do
		sw-scan -t $t -n 25 -q q.fa t.rec | cmp - want.rec
	done
	all_isas want.rec sw-scan -n 25 -q q.fa t.rec
	sw-scan -n 25 -q q.fa -O tsv t.fa > want
	rec-view -O tsv want.rec | cmp - want
}

# bats test_tags=threads,slow
@test "fan-out and merge-topk give the single run's rows" {
	prepare
	for b in alignments cells; do
		for n in 1 25 400; do
			sw-scan -O rec -n $n --kind=$b -q q.fa t.fa |
				merge-topk -n $n -O tsv > want
			book -n $n -b $b q.fa t.fa | sort > book
			rows want | sort | diff book -
			for l in 333; do
				parts 3 "-L $l -W 410 t.fa" \
					sw-scan -t 2 -n $n --kind=$b -q q.fa
				merge-topk -n $n -O tsv 2.rec 0.rec 1.rec |
					cmp - want
				merge-topk --partial -n $n 1.rec 2.rec > p.rec
				merge-topk -n $n -O tsv p.rec 0.rec | cmp - want
				merge-topk -O tsv [0-2].rec | cmp - want
			done
		done
	done
}

@test "waterman-eggert: of equal ones on the minus strand the first by its end" {
	printf '>s\nGAG\n' > one.fa
	for n in 1 2 3; do
		sw-scan -s - -n $n --kind=waterman-eggert -e CAC -O tsv \
			--no-header one.fa | cut -f 3,4,9 > have
		printf '0\t1\t1\n2\t3\t1\n0\t1\t3\n' | head -n $n |
			cmp - have
	done
}

@test "waterman-eggert is refused where sequences are not whole" {
	prepare
	fails 2 '--kind=waterman-eggert*-O tsv' \
		sw-scan --kind=waterman-eggert -O rec -q q.fa t.fa
	for i in 0 1; do
		fasta-chunk -L 300 -W 90 --part $i/2 t.fa > p.rec
		fails 2 '' sw-scan --kind=waterman-eggert -q q.fa -O tsv p.rec
	done
}

@test "gz, stdin, FASTQ and a region" {
	prepare
	sw-scan -n 9 -q q.fa -O tsv t.fa > want
	gzip -k t.fa
	sw-scan -n 9 -q q.fa -O tsv t.fa.gz | cmp - want
	sw-scan -n 9 -q q.fa -O tsv < t.fa | cmp - want
	sw-scan -n 9 -q - -O tsv t.fa < q.fa | cmp - want
	gzip -k q.fa
	sw-scan -n 9 -q q.fa.gz -O tsv - < t.fa.gz | cmp - want
	run -2 sw-scan -q - -O tsv < t.fa
	printf '@s\nTTGATTACATT\n+\nIIIIIIIIIII\n' > s.fq
	[ "$(sw-scan -s + -e GATTACA -O tsv --no-header s.fq | cut -f 8,9)" = \
		$'2\t9' ]
	# places stay those of the whole sequence
	sed -n '/>one$/,/>two/p' t.fa | sed '/^>/d' | tr -d '\n' |
		cut -c 501-1000 | sed '1i >x' > piece.fa
	sw-scan -n 9 -r one:501-1000 -q q.fa -O tsv --no-header t.fa |
		cut -f 1-5,8-12 > have
	sw-scan -n 9 -q q.fa -O tsv --no-header piece.fa |
		awk -v OFS='\t' '{ $8 += 500; $9 += 500; print }' |
		cut -f 1-5,8-12 | diff - have
}

# The second best must not be lost to the best one, reported by several chunks.
# bats test_tags=threads
@test "one alignment over many chunks, or reported twice, counts once" {
	randseq 1000 21 60 t > t.fa
	sed 1d t.fa | tr -d '\n' | cut -c 201-400 > q
	sed 1d t.fa | tr -d '\n' | cut -c 221-250 > weaker
	{ head -n 12 t.fa && tr ACGT TGCA < t.fa | sed 1d && cat weaker
	  randseq 300 22 60 u; } > s.fa
	for n in 1 2 3; do
		sw-scan -s + -n $n -q q -O tsv s.fa > want
		[ "$(rows want | wc -l)" -eq $n ]
		for l in 10 30 64 100; do
			fasta-chunk -L $l s.fa > s.rec
			sw-scan -t 1 -s + -n $n -q q -O tsv s.rec | cmp - want
			sw-scan -t 3 -s + -n $n -q q -O tsv s.rec | cmp - want
			k=$(frames_of s.rec CHUNK | sed -n "$((200 / l + 1))p")
			recframes double "$k" < s.rec | sw-scan --quiet -s + \
				-n $n -q q -O tsv | cmp - want
			recframes double "$k" < s.rec | sw-scan -s + -n $n \
				-q q | rec-view -O tsv | cmp - want
		done
	done
}

@test "ties at the cut are taken as merge-topk takes them" {
	printf '>s\n' > t.fa
	for i in $(seq 40); do printf 'GATTACATTTTTTTTTTT\n'; done >> t.fa
	printf '>r\nGATTACA\n' >> t.fa
	printf '>q\nGATTACA\n>p\nTGTAATC\n' > q.fa
	sw-scan -O rec -n 1000 -q q.fa t.fa | merge-topk -n 7 -O tsv > want
	[ "$(rows want | wc -l)" -eq 14 ]
	sw-scan -O rec -n 7 -q q.fa t.fa | merge-topk -O tsv | cmp - want
	for l in 5 17 100; do
		fasta-chunk -L $l t.fa | sw-scan -t 3 -n 7 -q q.fa |
			merge-topk -O tsv | cmp - want
	done
	fan 2 '-L 20 t.fa' sw-scan -n 7 -q q.fa | merge-topk -O tsv | cmp - want
}

# Rows are shared by threads where there are vectors; both ways must agree.
# bats test_tags=threads
@test "a long query beside one sequence: the same bytes for any -t" {
	randseq 1300 31 60 q > q.fa
	relate q.fa 7000 0.7 0.15 32 > t.fa
	for o in '-n 5 --preset 2/-3/5/2' '-n 2 --preset 5/-3/8/1' \
	    '--kind=cells -n 2 --preset 3/-2/4/0'; do
		sw-scan -t 1 $o -q q.fa -O tsv t.fa > want
		[ "$(rows want | wc -l)" -ge 2 ]
		sw-scan -t 1 -s + $o -q q.fa -O tsv t.fa > plus
		for i in ${ISAS#scalar}; do
			SEQF_ISA=$i sw-scan -t 2 -s + $o -q q.fa -O tsv t.fa |
				cmp - plus
			SEQF_ISA=$i sw-scan -t 5 $o -q q.fa -O tsv t.fa |
				cmp - want
		done
	done
}

# A query of so many letters, and a text of random letters and three relatives,
# of which most scores are left out.
relatives() { # LETTERS
	randseq "$1" 41 60 q > q.fa
	{
		echo '>t'
		for i in 1 2; do
			randseq "$1" 5$i | sed 1d
			relate q.fa 0 0 0.$((4 - i))3 6$i | sed 1d
		done
		relate q.fa 0 0 0.02 63 | sed 1d | rev | tr ACGT TGCA
		randseq 3000 64 | sed 1d
	} > t.fa
}

same_whatever() { # OPTIONS ...
	local o i t reference=scalar

	# without vectors it takes minutes where a sanitizer slows it down
	[ -z "${SEQF_SANITIZED:-}" ] || reference=${ISAS##* }
	for o; do
		SEQF_ISA=$reference sw-scan -t 2 $o -q q.fa -O tsv t.fa > want
		[ "$(rows want | wc -l)" -ge 1 ]
		for i in ${ISAS#scalar}; do
			for t in 1 2 3; do
				SEQF_ISA=$i sw-scan -t $t $o -q q.fa -O tsv \
					t.fa | cmp - want
			done
			fasta-chunk -L 13000 t.fa |
				SEQF_ISA=$i sw-scan -t 2 $o -q q.fa -O tsv |
				cmp - want
		done
	done
}

# bats test_tags=threads,slow
@test "a long query and its relatives: the same bytes however it is searched" {
	relatives 4200
	same_whatever '-n 1 -s +' '--kind=cells -s -' '-n 2'
	# without vectors these take ten times as long
	relatives 2100
	same_whatever '-n 1 --preset 5/-3/8/1' '-n 3 --preset ssca1'
}

@test "a query of 100,000 letters takes little memory with four threads" {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "a sanitizer takes more"
	[ "$ISAS" != scalar ] || skip "no vectors: it takes long"
	randseq 100000 33 > q.fa
	randseq 70000 34 > t.fa
	measure m sw-scan -t 4 -s + -q q.fa -O tsv t.fa > o
	read -r _ _ peak _ < m
	echo "$peak KiB"
	[ "$(rows o | wc -l)" -eq 1 ]
	[ "$peak" -lt 60000 ]
}
