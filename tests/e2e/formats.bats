#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# formats.bats - text that other programs read, whatever the hits look like
load helper

@test "CIGARs that end in D, and hits at both ends, are fine for samtools" {
	need samtools
	printf '>s\nCATGACTGA\n>t\nTACTG\n' > t.fa
	asm-scan -e TACTG -k 2 --report=all -O sam t.fa > t.sam
	grep -q '[0-9]D	' t.sam
	samtools view -b t.sam | samtools sort -o t.bam -
	samtools index t.bam
	samtools quickcheck t.bam
	[ "$(samtools view -c t.bam)" -eq "$(grep -vc '^@' t.sam)" ]
}

@test "sam is the same bytes, header and all, for any cut of the input" {
	randseq 5000 3 > t.fa
	printf '>short\nACGTACGTTT\n' >> t.fa
	for len in 50 700 100k; do
		fasta-chunk -L $len -W 40 t.fa | asm-scan -e ACGTACGTT -k 2 |
			merge-topk -O sam > $len.sam
	done
	cmp 50.sam 700.sam
	cmp 50.sam 100k.sam
	[ "$(grep -c '^@SQ' 50.sam)" -ge 1 ]
}

@test "sam refuses two sequences of one name and two lengths" {
	printf '>s\nACGT\n>s\nTTACGT\n' > t.fa
	run -1 --separate-stderr asm-scan -e ACGT -O sam t.fa
	[[ $stderr == *"two sequences are named s"* ]]
	[ "$(asm-scan -e ACGT -s + -O tsv t.fa | rows | wc -l)" -eq 2 ]
}

@test "json: every line is an object, whatever bytes a name holds" {
	need python3
	printf '>\303\251\377"\\x\nACGT\n' > t.fa
	asm-scan -e ACGT -s + -O json t.fa > t.json
	python3 -c '
import json, sys
rows = [json.loads(l) for l in open("t.json", encoding="utf-8")]
assert len(rows) == 1
assert rows[0]["subject"] == "\u00e9\ufffd\"\\x", rows
assert rows[0]["cigar"] == "4=" and rows[0]["sbeg"] == 0
'
}

@test "gff3 escapes what has a meaning in it" {
	printf '>a;b=c,d&e\nACGT\n' > t.fa
	printf '>q;1=2\nACGT\n' > q.fa
	asm-scan -q q.fa -s + -O gff3 t.fa > t.gff3
	grep -q '^a%3Bb%3Dc%2Cd%26e	asm-scan	match	1	4	' t.gff3
	grep -q 'Name=q%3B1%3D2;Target=q%3B1%3D2 1 4;' t.gff3
}

@test "sequences come back from parts in any order" {
	{ randseq 3000 5; printf '>e\n>low  two words \nacgtNNRYacgt\n'
	  printf '> far\nAC*GT-\n'; randseq 100 6; } > t.fa
	for i in 0 1 2; do
		fasta-chunk -L 64 -W 8 --part $i/3 t.fa > $i.rec
	done
	unwrap < t.fa > want
	cat 2.rec 0.rec 1.rec 0.rec | rec-view --quiet -O fasta | unwrap |
		cmp - want
	run -3 --separate-stderr rec-view -O fasta 2.rec 0.rec
	[[ $stderr == *missing* ]]
}

@test "a best row elsewhere frees places: only --partial may cut before" {
	t=TTTTTTTT h=ACGTTGCTAC
	printf '>s1\n%s\n' $t$h$t$h$t$h${t}GGGCCGGGTTGG$t > 1.fa
	printf '>s2\n%s\n' ${t}ACGTTGCAAC$t > 2.fa
	printf '>A\nACGTTGCAAC\n>B\nGGGCCGGGCCGG\n' > q.fa
	for i in 1 2; do
		asm-scan -O rec -s + -k 2 --report=best -q q.fa $i.fa > $i.rec
		merge-topk --partial -n 3 --per=all $i.rec > p$i.rec
		merge-topk -n 3 --per=all -O rec $i.rec > m$i.rec
	done
	merge-topk -n 3 --per=all -O tsv 1.rec 2.rec > want
	grep -q ^B want
	merge-topk -n 3 --per=all -O tsv p1.rec p2.rec | cmp - want
	# all three places of 1.rec went to A, whose best is in 2.rec
	run -2 merge-topk -n 3 --per=all -O tsv m1.rec m2.rec
	rec-view -O tsv m1.rec | rows | cut -f 1 | uniq -c | grep -q '3 A'
}

@test "what -n or --no-overlap cut is not taken for everything" {
	randseq 3000 7 > t.fa
	asm-scan -O rec -e ACGTAC -k 2 t.fa > h.rec
	merge-topk --partial -n 5 h.rec > p.rec
	merge-topk -n 5 -O tsv h.rec > want
	merge-topk -n 5 -O tsv p.rec | cmp - want
	merge-topk -n 5 -O tsv p.rec h.rec | cmp - want
	run -0 --separate-stderr merge-topk -O tsv p.rec
	[ "$output" = "$(cat want)" ]
	[[ $stderr == *"not all rows"* ]]
	for how in "-n 6" "-n 5 --per=all" "-n 5 --ties=keep"; do
		run -2 --separate-stderr merge-topk $how -O tsv p.rec
		[ -z "$output" ]
	done
	merge-topk --no-overlap 0 -O rec h.rec > o.rec
	run -2 merge-topk -n 100 -O tsv o.rec
	merge-topk --no-overlap 0 -O tsv h.rec > want
	merge-topk --quiet -O tsv o.rec | cmp - want
	rec-view -O tsv o.rec | cmp - want
}

@test "cut rows without the BEGIN that says so are refused" {
	randseq 3000 7 > t.fa
	asm-scan -O rec -e ACGTAC -k 2 t.fa | merge-topk --partial -n 5 > p.rec
	merge-topk -O tsv p.rec > want
	n=0
	for i in $(recframes list < p.rec | awk '$2 == "BEGIN" { print $1 }'); do
		recframes drop "$i" < p.rec > d.rec
		run -3 --separate-stderr merge-topk -O tsv d.rec
		[ -z "$output" ]
		n=$((n + 1))
	done
	[ $n -eq 3 ]
	# a merge in between keeps the need
	merge-topk --partial p.rec > q.rec
	merge-topk -O tsv q.rec | cmp want -
}

# Else a scan would be called by the number that the shell gave the pipe.
@test "queries of a pipe are called stdin, whatever its number" {
	printf '>t\nACGTACGT\n' > t.fa
	for c in asm-scan sw-scan 'primer-find -k 2' ebwt-dist; do
		$c -q <(echo ACG) t.fa > a.rec
		echo ACG | $c -q - t.fa | cmp - a.rec
	done
	asm-scan -O rec -q <(echo ACG) t.fa | rec-view --header | grep -x 'query stdin'
}
