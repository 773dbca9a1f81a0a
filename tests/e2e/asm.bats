# SPDX-License-Identifier: MIT
# asm-scan: the answer is the one that the manual defines.
load helper

@test "the worked example: report=all" {
	run -0 scan CATGACTG -s + -k 2 --report=all -e TACTG
	are '+ 0 4 2 1X1=1I2=' '+ 3 7 2 1X3=1I' '+ 3 8 1 1X4='
}

@test "the worked example: minima, best, count" {
	run -0 scan CATGACTG -s + -k 2 -e TACTG
	are '+ 0 4 2 1X1=1I2=' '+ 3 8 1 1X4='
	run -0 scan CATGACTG -s + -k 2 --report=best -e TACTG
	are '+ 3 8 1 1X4='
	printf '>T\nCATGACTG\n' > t.fa
	asm-scan -s + -k 2 --report=count -e TACTG -O tsv t.fa > have
	printf 'TACTG\t+\t1\t1\nTACTG\t+\t2\t2\n' |
		diff - <(rows have | awk '$4')
}

@test "columns are those of the manual, in their order" {
	printf '>T some words\nCATGACTG\n' > t.fa
	asm-scan -s + -k 1 --with-seq -e TACTG -O tsv t.fa > have
	head -n 1 have | tr -d '# ' | tr '\t' ' ' > header
	printf 'query qlen qbeg qend strand subject slen sbeg send edits score cigar sseq\n' |
		tr ' ' '\n' | diff - <(tr ' ' '\n' < header)
	[ "$(rows have | tr '\t' ' ')" = \
		'TACTG 5 0 5 + T 8 3 8 1 -1 1X4= GACTG' ]
	asm-scan --no-header -s + -k 1 --with-seq -e TACTG -O tsv t.fa |
		cmp - <(rows have)
}

@test "both strands by default; - is the reverse complement, forward coordinates" {
	run -0 scan AAAACCGTTTTTGGTTAAAA -e AACCGT
	are '+ 2 8 0 6='
	run -0 scan AAAACCGTTTTTACGGTTAAA -e AACCGT
	are '+ 2 8 0 6=' '- 12 18 0 6='
	run -0 scan AAAACCGTTTTTACGGTTAAA -s - -e AACCGT
	are '- 12 18 0 6='
	# the CIGAR runs along the forward sequence: reversed, it would be 2=1X3=
	run -0 scan TTTTTACGCTTAAA -s - -k 1 -e AACCGT
	are '- 5 11 1 3=1X2='
}

@test "a palindrome is found on both strands" {
	run -0 scan CCGAATTCCC -e GAATTC
	are '+ 2 8 0 6=' '- 2 8 0 6='
}

@test "--with-seq gives the letters as they stand in the input, forward" {
	printf '>T\nttACGgtTT\n' > t.fa
	[ "$(asm-scan -s + --with-seq -e ACGGT -O tsv t.fa | rows | cut -f 13)" \
		= ACGgt ]
	[ "$(asm-scan -s - --with-seq -e ACCGT -O tsv t.fa | rows | cut -f 13)" \
		= ACGgt ]
}

@test "case does not matter, U is T" {
	run -0 scan ccuuacGGcc -s + -e UUACGG
	are '+ 2 8 0 6='
	run -0 scan CCTTACGGCC -s + -e uuacgg
	are '+ 2 8 0 6='
	run -0 scan CCUUACGGCC -s + -e ttacgg
	are '+ 2 8 0 6='
}

@test "a repeated letter gives the last end only; all gives every end" {
	run -0 scan CCAAAAAAAACC -s + -e AAA
	are '+ 7 10 0 3='
	run -0 scan CCAAAAACC -s + --report=all -e AAA
	are '+ 2 5 0 3=' '+ 3 6 0 3=' '+ 4 7 0 3='
	run -0 scan AAAAAAAA -s + -e AAA
	are '+ 5 8 0 3='
}

@test "k is a number, or a part of the length rounded down" {
	# 10 letters, one changed, one missing
	run -0 scan CCCCACGTTGCATACCC -s + -k 0 -e ACGTAGCAT
	are
	run -0 scan CCCCACGTTGCATACCC -s + -k 1 -e ACGTAGCAT
	are '+ 4 13 1 4=1X4='
	run -0 scan CCCCACGTTGCATACCC -s + -k 11% -e ACGTAGCAT
	are
	run -0 scan CCCCACGTTGCATACCC -s + -k 11.2% -e ACGTAGCAT
	are '+ 4 13 1 4=1X4='
	run -0 scan CCCCACGTTGCATACCC -s + -k 11.111111112% -e ACGTAGCAT
	are '+ 4 13 1 4=1X4='
	run -0 scan CCCCACGTTGCATACCC -s + -k 11.111111111% -e ACGTAGCAT
	are
}

@test "k that reaches a pattern's length is wrong usage, and names the pattern" {
	printf '>T\nACGT\n' > t.fa
	printf '>long\nACGTACGT\n>short\nACG\n' > q.fa
	run -2 --separate-stderr asm-scan -O tsv -k 3 -q q.fa t.fa
	[ -z "$output" ]
	[[ $stderr == *short* ]]
	run -2 --separate-stderr asm-scan -O tsv -k 100% -e ACG t.fa
	for k in -1 x 3.5 101% 5%% ''; do
		run -2 --separate-stderr asm-scan -O tsv -k "$k" -e ACGTA t.fa
		one_line asm-scan
	done
}

@test "IUPAC codes of a pattern match their sets" {
	run -0 scan AAACTTAAAGTTAAATTTAAA -s + -e ASTT
	are '+ 2 6 0 4=' '+ 8 12 0 4='
	run -0 scan AAACTTAAAGTTAAATTTAAA -s + -e ANTT
	are '+ 2 6 0 4=' '+ 8 12 0 4=' '+ 14 18 0 4='
	# the complement of R is Y
	run -0 scan CCTGAACCC -s - -e TTRAGG
	are
	run -0 scan CCTYAACCC -s - -e TTGAGG
	are
	run -0 scan CCTCAACCC -s - -e TTGRGG
	are '- 0 6 0 6='
}

@test "N and IUPAC codes of the text match nothing, but with --iupac" {
	run -0 scan CCACNTCC -s + -k 0 -e ACGT
	are
	run -0 scan CCACNTCC -s + -k 1 -e ACGT
	are '+ 2 6 1 2=1X1='
	run -0 scan CCACNTCC -s + --iupac -e ACGT
	are '+ 2 6 0 4='
	run -0 scan CCACRTCC -s + --iupac -e ACGT
	are '+ 2 6 0 4='
	run -0 scan CCACYTCC -s + --iupac -e ACGT
	are
	run -0 scan CCACNTCC -s + -e ACNT
	are
	run -0 scan CCACRTCC -s + --iupac -e ACKT
	are '+ 2 6 0 4='
}

@test "a letter that is not DNA is reported with sequence, place and a hint" {
	printf '>ok\nACGT\n>prot\nACGLLT\n' > t.fa
	run -1 --separate-stderr asm-scan -O tsv -e ACG t.fa
	[[ $stderr == *prot* ]]
	[[ $stderr == *--alphabet=protein* ]]
	run --separate-stderr asm-scan -O tsv -e AXG t.fa
	[ $status -eq 1 ] || [ $status -eq 2 ]
	one_line asm-scan
	run -2 --separate-stderr asm-scan -O tsv -e ACQG t.fa
	[[ $stderr == *"letter 3, 'Q'"*--alphabet=protein* ]]
}

@test "--alphabet=protein: letters match themselves, one strand" {
	run -0 scan MKVLAWQQtnEEL --alphabet=protein -k 1 -e lawqqsn
	are '+ 3 10 1 5=1X1='
	run -0 scan MKUT --alphabet=protein -e KT
	are
}

@test "--alphabet=bytes: exact, case counts" {
	run -0 scan acGTac --alphabet=bytes -e GT
	are '+ 2 4 0 2='
	run -0 scan acGTac --alphabet=bytes -e gt
	are
}

@test "--no-indels: changed letters only, every window" {
	run -0 scan AACGTAACGA -s + --no-indels -k 1 -e ACGT
	are '+ 1 5 0 4=' '+ 6 10 1 3=1X'
	run -0 scan AAAAA -s + --no-indels -k 1 -e AAA
	are '+ 0 3 0 3=' '+ 1 4 0 3=' '+ 2 5 0 3='
	run -0 --separate-stderr scan ACG -s + --no-indels -k 1 -e TACG
	are
	run -0 scan AAAAA -s + --no-indels --report=minima -k 1 -e AAA
	are '+ 2 5 0 3='
}

@test "--no-cigar and --ends leave columns out, not rows" {
	run -0 scan CATGACTG -s + -k 2 --no-cigar -e TACTG
	are '+ 0 4 2 *' '+ 3 8 1 *'
	run -0 scan CATGACTG -s + -k 2 --ends -e TACTG
	are '+ * 4 2 *' '+ * 8 1 *'
}

@test "--no-cigar and --ends are refused for formats that need more" {
	printf '>T\nACGT\n' > t.fa
	for f in paf sam; do
		run -2 --separate-stderr asm-scan --no-cigar -O $f -e ACG t.fa
		one_line asm-scan
	done
	for f in paf sam bed gff3; do
		run -2 --separate-stderr asm-scan --ends -O $f -e ACG t.fa
		one_line asm-scan
	done
	asm-scan --no-cigar -O bed -e ACG t.fa
	asm-scan --ends -O json -e ACG t.fa
}

@test "a pattern longer than the text, the chunk, or a gap" {
	run -0 --separate-stderr scan ACGT -s + -k 1 -e ACGTACGT
	are
	run -0 scan ACGT -s + -k 4 -e ACGTACGT
	are '+ 0 4 4 4I4='
	run -0 scan "$(printf 'ACGT%.0s' {1..10})TTT$(printf 'GA%.0s' {1..20})" \
		-s + -k 2 -e "CGTACGTACGTTTTGAGAGAGAGA"
	are '+ 29 53 0 24='
	fasta-chunk -L 5 -W 1 t.fa |
		asm-scan -s + -k 2 -e CGTACGTACGTTTTGAGAGAGAGA -O tsv |
		rows | cut -f 8,9 | grep -qx "29	53"
}

@test "texts of no letter and of one letter" {
	printf '>none\n>one\nA\n>two\nAC\n' > t.fa
	asm-scan -s + -O tsv -e A t.fa | rows | cut -f 6,8,9 > have
	printf 'one\t0\t1\ntwo\t0\t1\n' | diff - have
}

@test "best: more ties than memory holds wait in TMPDIR, in their order" {
	{
		printf '>T\n'
		head -c 150000 /dev/zero | tr '\0' A
		printf 'C%s\n>U\n' AAAT
		head -c 250000 /dev/zero | tr '\0' A
	} > t.fa
	asm-scan -k 1 -s + --report=all -e AAAA -O tsv t.fa |
		awk '/^#/ || $10 == 0' > want
	mkdir tmp
	TMPDIR=$PWD/tmp asm-scan -k 1 -s + --report=best -e AAAA -O tsv \
		t.fa | diff -q want -
	[ "$(wc -l < want)" -eq 399995 ]
	run -1 --separate-stderr env TMPDIR=$PWD/none asm-scan -k 1 -s + \
		--report=best -e AAAA -O tsv t.fa
	[[ $stderr == *TMPDIR* ]]
}

@test "best: the least over all sequences and both strands, after merging too" {
	printf '>a\nTTTACGTTGCAATTT\n>b\nTTTTTTTGCATCGTTTT\n>c\nGGGGGGGGG\n' > t.fa
	# ACGATGCAA: one change from a on +; exact on - in b
	asm-scan -k 2 --report=best -e ACGATGCAA -O tsv t.fa |
		rows | cut -f 5,6,10 > have
	printf -- '-\tb\t0\n' | diff - have
	fasta-chunk -L 4 t.fa | asm-scan -k 2 --report=best -e ACGATGCAA |
		merge-topk -O tsv | rows | cut -f 5,6,10 | diff - have
	for i in 0 1 2; do
		fasta-chunk -L 4 --part $i/3 t.fa |
			asm-scan -k 2 --report=best -e ACGATGCAA
	done | merge-topk -O tsv | rows | cut -f 5,6,10 | diff - have
}

@test "count: numbers of all ends, for each pattern and strand" {
	asm-scan -k 10% --report=all -q "$DATA/sites.fa" -O tsv \
		"$DATA/lambda.fa.gz" | rows | cut -f 1,5,10 | sort | uniq -c |
		awk '{ print $2, $3, $4, $1 }' | sort > want
	[ -s want ]
	asm-scan -k 10% --report=count -q "$DATA/sites.fa" -O tsv \
		"$DATA/lambda.fa.gz" | rows | awk '$4 { print $1, $2, $3, $4 }' |
		sort | diff want -
	fasta-chunk -L 3k "$DATA/lambda.fa.gz" |
		asm-scan -k 10% --report=count -q "$DATA/sites.fa" |
		merge-topk -O tsv | rows | awk '$4 { print $1, $2, $3, $4 }' |
		sort | diff want -
}

@test "a textbook program finds the same ends in lambda" {
	for k in 10% 3; do
		for r in minima all best; do
			lambda | sellers $k $r "$DATA/sites.fa" | sort > want
			asm-scan -k $k --report=$r -q "$DATA/sites.fa" -O tsv \
				"$DATA/lambda.fa.gz" | rows |
				cut -f 1,5,6,9,10 | sort > have
			cmp want have
		done
	done
}

@test "patterns come from files of any kind, lines, -e, in the order given" {
	printf '>T\nACGTTGCAGG\n' > t.fa
	printf '>q1 x\nACG\nT\n' | gzip > 1.fa.gz
	printf '@q2\nTGC\n+\n@@@\n' > 2.fq
	printf 'CAGG\r\n\nGTTG\n' > lines
	asm-scan -s + -e GCAG -q 1.fa.gz -q 2.fq -q lines -e TTGC -O rec t.fa |
		merge-topk -O tsv | rows | cut -f 1 | tr '\n' ' ' > have
	[ "$(cat have)" = 'GCAG q1 q2 CAGG GTTG TTGC ' ]
	asm-scan -s + -q - -O tsv t.fa < lines | rows | wc -l | grep -qx 2
}

@test "no pattern, an empty pattern, a missing file of patterns" {
	printf '>T\nACGT\n' > t.fa
	: > empty
	printf '>q\n' > noletters
	run -2 --separate-stderr asm-scan -O tsv t.fa
	[[ $stderr == asm-scan:* ]]
	run -2 --separate-stderr asm-scan -O tsv -q empty t.fa
	run -2 --separate-stderr asm-scan -O tsv -q noletters t.fa
	[[ $stderr == *q* ]]
	run -2 --separate-stderr asm-scan -O tsv -e '' t.fa
	run -1 --separate-stderr asm-scan -O tsv -q missing t.fa
	[[ $stderr == *missing* ]]
}

@test "a pattern of 10,000 letters is found" {
	randseq 12000 5 > t.fa
	sed 1d t.fa | tr -d '\n' > letters
	{ echo '>q'; head -c 10500 letters | tail -c +501 | head -c 10000; echo; } > q.fa
	asm-scan -s + -k 5 -q q.fa -O tsv t.fa | rows | cut -f 8-10 > have
	printf '500\t10500\t0\n' | diff - have
	fasta-chunk -L 1000 t.fa | asm-scan -s + -k 5 -q q.fa |
		merge-topk -O tsv | rows | cut -f 8-10 | diff - have
}

@test "of equal alignments: no gap where none is needed, gaps at the left" {
	# end 8: 1X4=, 1=1D4= and 1I4= are equal
	run -0 scan CATGACTG -s + -k 1 -e TACTG
	are '+ 3 8 1 1X4='
	# 2X, not 1I1=1D
	run -0 scan TTACGTCATT -s + -k 2 -e ACGTACTT
	are '+ 2 10 2 4=2X2='
	run -0 scan CCACGTTTTGCAGG -s + -k 1 -e ACGTTTGCA
	are '+ 2 12 1 3=1D6='
	run -0 scan CCACGTTTTGCAGG -s + -k 1 -e ACGTTTTTGCA
	are '+ 2 12 1 3=1I7='
	run -0 scan ACGTCACACATTGG -s + -k 2 -e ACGTCACATTGG
	are '+ 0 14 2 4=2D8='
}

@test "a pattern of more than 100,000 letters is refused" {
	printf '>T\nACGT\n' > t.fa
	randseq 100001 > q.fa
	run -2 --separate-stderr asm-scan -q q.fa -O tsv t.fa
	one_line asm-scan
	randseq 100000 > q.fa
	asm-scan -q q.fa -O tsv t.fa
}

@test "a region of a FASTA operand is searched as if fasta-chunk had cut it" {
	printf '>a\nCCGG\n>chr1 d\nAACCGGTTAACCGGTT\n' > in
	fasta-chunk -r chr1:3-12 in | asm-scan -e CCGG -O tsv > want
	asm-scan -r chr1:3-12 -e CCGG -O tsv in | diff want -
	[ "$(rows < want | cut -f 6-9 | sort -u)" = $'chr1\t16\t2\t6' ]
	fasta-chunk in > in.rec
	run -2 --separate-stderr asm-scan -r chr1 -e CCGG -O tsv in.rec
	[[ $stderr == *"give -r to fasta-chunk"* ]]
}
