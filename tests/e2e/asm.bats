# SPDX-License-Identifier: MIT
# asm-scan: the answer is the one that the manual defines.
load helper

@test "the worked example: report=all, minima, best, count" {
	gives '+ 0 4 2 1X1=1I2=; + 3 7 2 1X3=1I; + 3 8 1 1X4=' \
		CATGACTG -s + -k 2 --report=all -e TACTG
	gives '+ 0 4 2 1X1=1I2=; + 3 8 1 1X4=' CATGACTG -s + -k 2 -e TACTG
	gives '+ 3 8 1 1X4=' CATGACTG -s + -k 2 --report=best -e TACTG
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
	gives '+ 2 8 0 6=' AAAACCGTTTTTGGTTAAAA -e AACCGT
	gives '+ 2 8 0 6=; - 12 18 0 6=' AAAACCGTTTTTACGGTTAAA -e AACCGT
	gives '- 12 18 0 6=' AAAACCGTTTTTACGGTTAAA -s - -e AACCGT
	# the CIGAR runs along the forward sequence: reversed, it would be 2=1X3=
	gives '- 5 11 1 3=1X2=' TTTTTACGCTTAAA -s - -k 1 -e AACCGT
	gives '+ 2 8 0 6=; - 2 8 0 6=' CCGAATTCCC -e GAATTC
}

@test "--with-seq gives the letters as they stand in the input, forward" {
	printf '>T\nttACGgtTT\n' > t.fa
	[ "$(asm-scan -s + --with-seq -e ACGGT -O tsv t.fa | rows | cut -f 13)" \
		= ACGgt ]
	[ "$(asm-scan -s - --with-seq -e ACCGT -O tsv t.fa | rows | cut -f 13)" \
		= ACGgt ]
}

@test "case does not matter, U is T" {
	gives '+ 2 8 0 6=' ccuuacGGcc -s + -e UUACGG
	gives '+ 2 8 0 6=' CCTTACGGCC -s + -e uuacgg
	gives '+ 2 8 0 6=' CCUUACGGCC -s + -e ttacgg
}

@test "a repeated letter gives the last end only; all gives every end" {
	gives '+ 7 10 0 3=' CCAAAAAAAACC -s + -e AAA
	gives '+ 2 5 0 3=; + 3 6 0 3=; + 4 7 0 3=' \
		CCAAAAACC -s + --report=all -e AAA
	gives '+ 5 8 0 3=' AAAAAAAA -s + -e AAA
}

@test "k is a number, or a part of the length rounded down" {
	# 10 letters, one changed, one missing
	gives '' CCCCACGTTGCATACCC -s + -k 0 -e ACGTAGCAT
	gives '+ 4 13 1 4=1X4=' CCCCACGTTGCATACCC -s + -k 1 -e ACGTAGCAT
	gives '' CCCCACGTTGCATACCC -s + -k 11% -e ACGTAGCAT
	gives '+ 4 13 1 4=1X4=' CCCCACGTTGCATACCC -s + -k 11.2% -e ACGTAGCAT
	gives '+ 4 13 1 4=1X4=' \
		CCCCACGTTGCATACCC -s + -k 11.111111112% -e ACGTAGCAT
	gives '' CCCCACGTTGCATACCC -s + -k 11.111111111% -e ACGTAGCAT
}

@test "k that reaches a pattern's length is wrong usage, and names the pattern" {
	printf '>T\nACGT\n' > t.fa
	printf '>long\nACGTACGT\n>short\nACG\n' > q.fa
	fails 2 short asm-scan -O tsv -k 3 -q q.fa t.fa
	run -2 --separate-stderr asm-scan -O tsv -k 100% -e ACG t.fa
	for k in -1 x 3.5 101% 5%% ''; do
		fails 2 '' asm-scan -O tsv -k "$k" -e ACGTA t.fa
	done
}

@test "IUPAC codes of a pattern match their sets" {
	gives '+ 2 6 0 4=; + 8 12 0 4=' AAACTTAAAGTTAAATTTAAA -s + -e ASTT
	gives '+ 2 6 0 4=; + 8 12 0 4=; + 14 18 0 4=' \
		AAACTTAAAGTTAAATTTAAA -s + -e ANTT
	# the complement of R is Y
	gives '' CCTGAACCC -s - -e TTRAGG
	gives '' CCTYAACCC -s - -e TTGAGG
	gives '- 0 6 0 6=' CCTCAACCC -s - -e TTGRGG
}

@test "N and IUPAC codes of the text match nothing, but with --iupac" {
	gives '' CCACNTCC -s + -k 0 -e ACGT
	gives '+ 2 6 1 2=1X1=' CCACNTCC -s + -k 1 -e ACGT
	gives '+ 2 6 0 4=' CCACNTCC -s + --iupac -e ACGT
	gives '+ 2 6 0 4=' CCACRTCC -s + --iupac -e ACGT
	gives '' CCACYTCC -s + --iupac -e ACGT
	gives '' CCACNTCC -s + -e ACNT
	gives '+ 2 6 0 4=' CCACRTCC -s + --iupac -e ACKT
}

@test "a letter that is not DNA is reported with sequence, place and a hint" {
	printf '>ok\nACGT\n>prot\nACGLLT\n' > t.fa
	fails 1 'prot*--alphabet=protein' asm-scan -O tsv -e ACG t.fa
	run --separate-stderr asm-scan -O tsv -e AXG t.fa
	[ $status -eq 1 ] || [ $status -eq 2 ]
	one_line asm-scan
	fails 2 "letter 3, 'Q'*--alphabet=protein" asm-scan -O tsv -e ACQG t.fa
}

@test "--alphabet=protein: letters match themselves, one strand; bytes: exact, case counts" {
	gives '+ 3 10 1 5=1X1=' MKVLAWQQtnEEL --alphabet=protein -k 1 -e lawqqsn
	gives '' MKUT --alphabet=protein -e KT
	gives '+ 2 4 0 2=' acGTac --alphabet=bytes -e GT
	gives '' acGTac --alphabet=bytes -e gt
}

@test "--no-indels: changed letters only, every window" {
	gives '+ 1 5 0 4=; + 6 10 1 3=1X' \
		AACGTAACGA -s + --no-indels -k 1 -e ACGT
	gives '+ 0 3 0 3=; + 1 4 0 3=; + 2 5 0 3=' \
		AAAAA -s + --no-indels -k 1 -e AAA
	gives '' ACG -s + --no-indels -k 1 -e TACG
	gives '+ 2 5 0 3=' AAAAA -s + --no-indels --report=minima -k 1 -e AAA
}

@test "--no-cigar and --ends leave columns out, not rows; formats that need more refuse" {
	gives '+ 0 4 2 *; + 3 8 1 *' CATGACTG -s + -k 2 --no-cigar -e TACTG
	gives '+ * 4 2 *; + * 8 1 *' CATGACTG -s + -k 2 --ends -e TACTG
	printf '>T\nACGT\n' > t.fa
	for f in paf sam; do
		fails 2 '' asm-scan --no-cigar -O $f -e ACG t.fa
	done
	for f in paf sam bed gff3; do
		fails 2 '' asm-scan --ends -O $f -e ACG t.fa
	done
	asm-scan --no-cigar -O bed -e ACG t.fa
	asm-scan --ends -O json -e ACG t.fa
}

@test "texts of no letter and of one, patterns longer than the text, the chunk, a gap" {
	gives '' ACGT -s + -k 1 -e ACGTACGT
	gives '+ 0 4 4 4I4=' ACGT -s + -k 4 -e ACGTACGT
	gives '+ 29 53 0 24=' \
		"$(printf 'ACGT%.0s' {1..10})TTT$(printf 'GA%.0s' {1..20})" \
		-s + -k 2 -e "CGTACGTACGTTTTGAGAGAGAGA"
	fasta-chunk -L 5 -W 1 t.fa |
		asm-scan -s + -k 2 -e CGTACGTACGTTTTGAGAGAGAGA -O tsv |
		rows | cut -f 8,9 | grep -qx "29	53"
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
	fails 1 TMPDIR env TMPDIR=$PWD/none asm-scan -k 1 -s + \
		--report=best -e AAAA -O tsv t.fa
}

@test "best: the least over all sequences and both strands, after merging too" {
	printf '>a\nTTTACGTTGCAATTT\n>b\nTTTTTTTGCATCGTTTT\n>c\nGGGGGGGGG\n' > t.fa
	# ACGATGCAA: one change from a on +; exact on - in b
	asm-scan -k 2 --report=best -e ACGATGCAA -O tsv t.fa |
		rows | cut -f 5,6,10 > have
	printf -- '-\tb\t0\n' | diff - have
	fasta-chunk -L 4 t.fa | asm-scan -k 2 --report=best -e ACGATGCAA |
		merge-topk -O tsv | rows | cut -f 5,6,10 | diff - have
	fan 3 '-L 4 t.fa' asm-scan -k 2 --report=best -e ACGATGCAA |
		merge-topk -O tsv | rows | cut -f 5,6,10 | diff - have
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
	fails 2 '' asm-scan -O tsv t.fa
	run -2 --separate-stderr asm-scan -O tsv -q empty t.fa
	fails 2 q asm-scan -O tsv -q noletters t.fa
	run -2 --separate-stderr asm-scan -O tsv -e '' t.fa
	fails 1 missing asm-scan -O tsv -q missing t.fa
}

@test "a pattern of 10,000 letters is found, of more than 100,000 refused" {
	randseq 12000 5 > t.fa
	sed 1d t.fa | tr -d '\n' > letters
	{ echo '>q'; head -c 10500 letters | tail -c +501 | head -c 10000; echo; } > q.fa
	asm-scan -s + -k 5 -q q.fa -O tsv t.fa | rows | cut -f 8-10 > have
	printf '500\t10500\t0\n' | diff - have
	fasta-chunk -L 1000 t.fa | asm-scan -s + -k 5 -q q.fa |
		merge-topk -O tsv | rows | cut -f 8-10 | diff - have
	printf '>T\nACGT\n' > t.fa
	randseq 100001 > q.fa
	fails 2 '' asm-scan -q q.fa -O tsv t.fa
	randseq 100000 > q.fa
	asm-scan -q q.fa -O tsv t.fa
}

@test "of equal alignments: no gap where none is needed, gaps at the left" {
	# end 8: 1X4=, 1=1D4= and 1I4= are equal
	gives '+ 3 8 1 1X4=' CATGACTG -s + -k 1 -e TACTG
	# 2X, not 1I1=1D
	gives '+ 2 10 2 4=2X2=' TTACGTCATT -s + -k 2 -e ACGTACTT
	gives '+ 2 12 1 3=1D6=' CCACGTTTTGCAGG -s + -k 1 -e ACGTTTGCA
	gives '+ 2 12 1 3=1I7=' CCACGTTTTGCAGG -s + -k 1 -e ACGTTTTTGCA
	gives '+ 0 14 2 4=2D8=' ACGTCACACATTGG -s + -k 2 -e ACGTCACATTGG
}

@test "a region of a FASTA operand is searched as if fasta-chunk had cut it" {
	printf '>a\nCCGG\n>chr1 d\nAACCGGTTAACCGGTT\n' > in
	fasta-chunk -r chr1:3-12 in | asm-scan -e CCGG -O tsv > want
	asm-scan -r chr1:3-12 -e CCGG -O tsv in | diff want -
	[ "$(rows < want | cut -f 6-9 | sort -u)" = $'chr1\t16\t2\t6' ]
	fasta-chunk in > in.rec
	fails 2 'give -r to fasta-chunk' asm-scan -r chr1 -e CCGG -O tsv in.rec
}
