# SPDX-License-Identifier: MIT
# The answer does not depend on how it was worked out: same bytes.
load helper

# A text of some sequences, with N, codes and lower case, and a table of hits.
prepare() {
	{
		randseq 20000 7 70 one
		printf '>two with words\n'
		sed 1d <(randseq 3000 8) | tr ACGT acgt
		printf 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNRYKM\n'
		sed 1d <(randseq 700 9)
		printf '>none\n>short\nACGTTGCA\n'
		randseq 9000 11 61 last
	} > t.fa
	printf '%s\n' ACGTTGCA GATTACAGATTAC ACGTNRYTTGACCA \
		"$(sed 1d <(randseq 90 12) | tr -d '\n')" > q
	asm-scan -t 1 -k 3 -q q -O tsv t.fa > want.tsv
	[ "$(rows want.tsv | wc -l)" -gt 50 ]
}

# bats test_tags=threads
@test "text: any -t, instruction set, -L, -W" {
	prepare
	LENGTHS='1 100 1000 1M' however want.tsv t.fa asm-scan -k 3 -q q -O tsv
	for w in 1 64 5k; do
		fasta-chunk -t 4 -L 500 -W $w t.fa |
			asm-scan -k 3 -q q -O tsv | cmp - want.tsv
	done
}

@test "text: any order of the chunks, two runs mixed" {
	prepare
	for f in tsv bed json sam; do
		asm-scan -k 3 -q q -O $f t.fa > want
		fan 4 '-L 500 t.fa' | asm-scan -k 3 -q q -O $f | cmp - want
	done
	randseq 8000 5 60 other > u.fa
	asm-scan -k 3 -q q -O tsv u.fa | rows > more
	for f in t.fa u.fa; do fasta-chunk -L 500 $f; done > whole.rec
	for i in 0 1; do
		fasta-chunk -L 500 --part $i/2 t.fa
		fasta-chunk -L 500 --part $i/2 u.fa
	done > mixed.rec
	asm-scan -k 3 -q q -O tsv whole.rec | cmp - <(cat want.tsv more)
	asm-scan -k 3 -q q -O tsv mixed.rec | cmp - <(cat want.tsv more)
	rec-view -O fasta mixed.rec | cmp - <(rec-view -O fasta whole.rec)
}

@test "text: one program, a pipe, a file, rec-view, rec and back" {
	prepare
	asm-scan -k 3 -q q -O tsv < t.fa | cmp - want.tsv
	asm-scan -k 3 -q q -O tsv <(gzip -c t.fa) | cmp - want.tsv
	fasta-chunk -L 900 t.fa > t.rec
	asm-scan -k 3 -q q -O tsv t.rec | cmp - want.tsv
	asm-scan -k 3 -q q t.rec | rec-view -O tsv | cmp - want.tsv
	asm-scan -k 3 -q q t.rec | rec-view -O rec | rec-view -O tsv |
		cmp - want.tsv
	asm-scan -O rec -k 3 -q q t.fa | rec-view -O tsv | cmp - want.tsv
}

# bats test_tags=threads
@test "records: the same bytes for any -t and instruction set" {
	prepare
	fasta-chunk -L 900 t.fa > t.rec
	asm-scan -t 1 -k 3 -q q t.rec > want.rec
	for t in 2 3 4; do
		asm-scan -t $t -k 3 -q q t.rec | cmp - want.rec
	done
	all_isas want.rec asm-scan -k 3 -q q t.rec
}

@test "every report, strand, and way to count is the same in pieces" {
	prepare
	for o in --report=all --report=best --report=count --no-indels \
	    --no-cigar --ends --with-seq --iupac '-s +' '-s -'; do
		asm-scan $o -k 2 -q q -O tsv t.fa > want
		[ -s want ]
		fasta-chunk -L 64 t.fa | asm-scan $o -k 2 -q q -O tsv | cmp - want
		fasta-chunk -L 333 t.fa | SEQF_ISA=scalar \
			asm-scan -t 2 $o -k 2 -q q -O tsv | cmp - want
	done
}

# Long enough that threads share a chunk.
# bats test_tags=threads
@test "few chunks, shared by threads: the same bytes, whatever is asked for" {
	{
		randseq 400000 21 70 one
		printf '>two\nNNNNNRYKM\n'
		randseq 150000 22 70 three
		randseq 90000 23 70 four
	} > t.fa
	printf '%s\n' GATTACAGAT ACGTNRYTTGACCA \
		"$(sed 1d <(randseq 60 12) | tr -d '\n')" > q
	i=0
	isas=($ISAS)
	for o in '' --report=all --report=best --report=count --histogram \
	    --ends '--no-indels --with-seq' '--overhang 0.5' --iupac; do
		for l in 1M 330k 220k 130k; do	# 1, 2, 3 and 5 chunks
			fasta-chunk -L $l t.fa > t.rec
			asm-scan -t 1 $o -k 2 -q q t.rec > want
			[ -s want ]
			for t in 2 3 4; do
				i=$((i + 1))
				SEQF_ISA=${isas[i % ${#isas[@]}]} asm-scan \
					-t $t $o -k 2 -q q t.rec | cmp - want
			done
		done
	done
	for o in --filter '--filter --invert' '--max-hits 5 -O tsv'; do
		asm-scan -t 1 $o -k 5 -e "$(tail -n 1 q)" t.fa > want
		for t in 2 3 4; do
			asm-scan -t $t $o -k 5 -e "$(tail -n 1 q)" t.fa |
				cmp - want
		done
	done
}

@test "hits across every border are found once, however it is fanned out" {
	prepare
	fasta-chunk -L 97 -W 300 t.fa > t.rec
	parts 5 '-L 97 -W 300 t.fa' asm-scan -t 1 -k 3 -q q
	merge-topk --sort=position -O tsv [0-4].rec > have
	asm-scan -O rec -k 3 -q q t.fa | merge-topk --sort=position -O tsv | cmp - have
	[ "$(rows have | wc -l)" -eq "$(rows want.tsv | wc -l)" ]
	rows have | sort | cmp - <(rows want.tsv | sort)
}

@test "thousands of patterns in one pass are as many passes of one" {
	randseq 30000 21 > t.fa
	sed 1d t.fa | tr -d '\n' | fold -w 15 | sed -n 1,2000p > q
	asm-scan -k 1 -q q -O tsv t.fa | rows | sort > have
	[ "$(cut -f 1 have | sort -u | wc -l)" -eq 2000 ]
	for i in 1 77 1999; do
		p=$(sed -n ${i}p q)
		asm-scan -k 1 -e "$p" -O tsv t.fa | rows | sort |
			diff <(awk -v p="$p" '$1 == p' have) -
	done
}

@test "patterns of mixed lengths do not disturb one another" {
	randseq 20000 22 > t.fa
	sed 1d t.fa | tr -d '\n' > letters
	for m in 1 2 3 7 8 15 16 17 31 32 33 63 64 65 100 127 128 129 200 300; do
		tail -c +$((m * 50)) letters | cut -c 1-$m
	done > q
	asm-scan -k 0 -q q -O tsv t.fa | rows | sort > have
	while read -r p; do
		asm-scan -k 0 -e "$p" -O tsv t.fa
	done < q | rows | sort | cmp - have
	asm-scan -k 20% -q q --report=best -O tsv t.fa | rows | sort > have
	while read -r p; do
		asm-scan -k 20% -e "$p" --report=best -O tsv t.fa
	done < q | rows | sort | cmp - have
}

@test "all engines find the same, whatever is asked for" {
	prepare
	{
		cat q
		sed 1d t.fa | tr -d '\n>' | tr -cd ACGT | fold -w 23 |
			sed -n 1,300p
	} > many
	for o in '-k 3' '-k 15%' '-k 2 --report=all' '-k 3 --report=best' \
		'-k 3 --no-indels' '-k 2 --report=count' '-k 1 --iupac' \
		'-k 3 --exact-suffix=3 -s -' '-k 2 --ends --no-indels'; do
		for e in text patterns filter auto; do
			asm-scan $o --engine=$e -q many -O tsv t.fa > $e
		done
		cmp text patterns
		cmp text filter
		cmp text auto
		[ "$(rows text | wc -l)" -gt 100 ]
	done
}
