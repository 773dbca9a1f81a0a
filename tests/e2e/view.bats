# SPDX-License-Identifier: MIT
# rec-view and the text formats: what other programs read.
load helper

# + exact at 2, - with an insertion, + with a change; lengths 30 and 20.
prepare() {
	printf '>chr1 first\nTTACGTTGCAGGTTTTTTCCTGCAAACGTA\n' > t.fa
	printf '>chr2\nTTTTACGTTGCATGTTTTTT\n' >> t.fa
	printf '>q\nACGTTGCAGG\n' > q.fa
	asm-scan -O rec -k 1 -q q.fa t.fa > h.rec
}

@test "tsv, bed, gff3, paf, json: the same hits, each in its way" {
	prepare
	rec-view -O tsv h.rec | rows | cut -f 5,6,8-10,12 | tr '\t' ' ' > have
	printf '%s\n' '+ chr1 2 12 0 10=' '- chr1 18 29 1 5=1D5=' \
		'+ chr2 4 14 1 8=1X1=' | diff - have
	rec-view -O bed h.rec | cut -f 1-4,6 | tr '\t' ' ' > have
	printf '%s\n' 'chr1 2 12 q +' 'chr1 18 29 q -' 'chr2 4 14 q +' |
		diff - have
	rec-view -O gff3 h.rec | rows | cut -f 1,4,5,7 | tr '\t' ' ' > have
	printf '%s\n' 'chr1 3 12 +' 'chr1 19 29 -' 'chr2 5 14 +' | diff - have
	rec-view -O gff3 h.rec | head -n 1 | grep -qx '##gff-version 3.*'
	rec-view -O paf h.rec > paf
	cut -f 1-9 paf | tr '\t' ' ' > have
	printf '%s\n' 'q 10 0 10 + chr1 30 2 12' 'q 10 0 10 - chr1 30 18 29' \
		'q 10 0 10 + chr2 20 4 14' | diff - have
	grep -c 'cg:Z:' paf | grep -qx 3
	awk '{ for (i = 13; i <= NF; i++) if ($i ~ /^NM:i:/) print $i }' paf |
		tr '\n' ' ' | grep -qx 'NM:i:0 NM:i:1 NM:i:1 '
	# matches and block length: = letters, and all columns
	cut -f 10,11 paf | tr '\t' ' ' > have
	printf '%s\n' '10 10' '10 11' '9 10' | diff - have
	rec-view -O json h.rec > json
	[ "$(wc -l < json)" -eq 3 ]
	grep -c '^{.*"chr.*}$' json | grep -qx 3
}

@test "sam: lengths, flags, CIGAR and letters as the specification wants them" {
	prepare
	rec-view -O sam h.rec > sam
	grep -P '^@SQ\tSN:chr1\tLN:30$' sam
	grep -P '^@SQ\tSN:chr2\tLN:20$' sam
	grep -q '^@PG' sam
	grep -v '^@' sam > rows
	cut -f 1-4,6 rows | tr '\t' ' ' > have
	[ "$(cut -d ' ' -f 3-5 have)" = \
		$'chr1 3 10=\nchr1 19 5=1D5=\nchr2 5 8=1X1=' ]
	# bit 16 for the - strand; one row of a query is not marked secondary
	awk '{ print int($2 / 16) % 2 }' have | tr '\n' ' ' | grep -qx '0 1 0 '
}

@test "samtools takes our sam" {
	need samtools
	prepare
	asm-scan -k 10% -q "$DATA/sites.fa" -O sam "$DATA/lambda.fa.gz" > l.sam
	asm-scan -k 10% -q "$DATA/sites.fa" -O tsv "$DATA/lambda.fa.gz" |
		rows | wc -l > n
	samtools view -c l.sam | cmp - n
	samtools view -b l.sam | samtools sort -o l.bam - 2> /dev/null
	samtools index l.bam
	samtools quickcheck l.bam
	[ "$(samtools view -c l.bam 'gi|9626243|ref|NC_001416.1|:38001-38020')" -eq 2 ]
	rec-view -O sam h.rec | samtools view -c - | grep -qx 3
	# NM and the letters agree with the reference
	rec-view -O sam h.rec | samtools calmd - t.fa > md 2> err
	no grep 'different NM' err
}

@test "bedtools takes our bed and gff3" {
	need bedtools
	prepare
	printf 'chr1\t0\t15\nchr2\t0\t3\n' > a.bed
	for f in bed gff3; do
		rec-view -O $f h.rec > x.$f
		bedtools intersect -u -a x.$f -b a.bed | rows | wc -l |
			grep -qx 1
	done
	rec-view -O bed h.rec | bedtools getfasta -tab -s -bed - -fi t.fa |
		cut -f 2 > have
	printf 'ACGTTGCAGG\nACGTTTGCAGG\nACGTTGCATG\n' | diff - have
}

@test "counts as tsv and json; other formats are refused" {
	prepare
	asm-scan -O rec -k 1 --report=count -q q.fa t.fa > c.rec
	rec-view -O tsv c.rec | head -n 1 | tr -d '# ' | tr '\t' ' ' |
		grep -qx 'query strand edits count'
	rec-view -O json c.rec | grep -q '"count"'
	for f in paf sam bed gff3; do
		run -2 --separate-stderr asm-scan --report=count -O $f -q q.fa t.fa
	done
}

@test "names that would break a line or a field do not" {
	printf '>a"b\\c;d=e%%f,g&h\nTTACGTT\n' > t.fa
	for f in tsv paf sam bed gff3 json; do
		asm-scan -s + -e ACGT -O $f t.fa > x.$f
		[ "$(grep -cv '^[@#]' x.$f)" -eq 1 ]
	done
	awk -F '\t' '!/^#/ && NF != 9 { exit 1 }' x.gff3
	if command -v python3 > /dev/null; then
		python3 -c 'import json,sys; json.loads(sys.stdin.read())' < x.json
	fi
}

@test "--check says nothing of what is well, -O rec copies it" {
	prepare
	fasta-chunk t.fa > c.rec
	for f in c h; do
		quiet rec-view --check $f.rec
		[ -z "$output" ]
		rec-view -O rec $f.rec | cmp - $f.rec
	done
}

@test "--header prints programs, versions and options; --stats counts" {
	prepare
	rec-view --header h.rec > have
	grep -q fasta-chunk have
	grep -q asm-scan have
	grep -q t.fa have
	rec-view --stats h.rec | grep -Eq '^hits +3$'
	fasta-chunk t.fa | rec-view --stats > have
	grep -Eq '^letters.* 50$' have
	grep -Eq '^sequences +2$' have
}

@test "a length that was never given: the rows it lacks, in one line" {
	{ echo '>s'; randseq 3000 9 70 | sed 1d; } > s.fa
	fasta-chunk -L 1000 s.fa |
		asm-scan -s + -e "$(sed -n 3p s.fa | cut -c 1-20)" > s.rec
	n=$(recframes list < s.rec | awk '$2 == "SEQ" { print $1 }')
	recframes drop $n < s.rec > x
	fails 3 '' rec-view -O tsv --no-header x
	[ "$stderr" = 'rec-view: 1 row is missing: the length of s was never given' ]
	fails 3 '' merge-topk -O tsv x
	[ "$stderr" = 'merge-topk: the length of s was never given' ]
}

@test "hits that are many before a length is known wait in TMPDIR" {
	randseq 400000 6 > t.fa
	mkdir tmp
	for f in tsv paf sam; do
		fasta-chunk -L 10k t.fa | TMPDIR=$PWD/tmp asm-scan \
			--report=all -k 2 -e ACGTA -O $f > x
		[ -z "$(ls tmp)" ]
		grep -cv '^[@#]' x
	done | uniq | wc -l | grep -qx 1
	[ "$(grep -cv '^[@#]' x)" -gt 50000 ]
}

@test "chunks as tsv are one table: no header of hits below" {
	randseq 3000 1 70 a > a.fa
	fasta-chunk -L 1k a.fa | rec-view -O tsv > out
	[ "$(grep -c '^#' out)" -eq 1 ]
	[ "$(rows out | wc -l)" -eq 3 ]
	fasta-chunk -L 1k a.fa | asm-scan -e ACGTTGCAACGTTT | rec-view -O tsv > out
	grep -q '^#query' out
}

# The first letters of run b go on at once; those of run a come before the
# others of b, and a stands before b by its name.
@test "fasta of parts with another run between them is whole" {
	printf '>x\nAAAACCCCGGGGTTTT\n' > b.fa
	printf '>y\nACACACACGTGTGTGT\n' > a.fa
	fasta-chunk -L 4 --part 0/2 b.fa > x0
	fasta-chunk -L 4 --part 1/2 b.fa > x1
	fasta-chunk -L 4 a.fa > y
	rec-view -O fasta x0 y x1 | diff <(cat b.fa a.fa) -
	[ "$(asm-scan -e CC -k 0 --no-header -O tsv x0 y x1 | cut -f 6 |
		uniq | tr '\n' ' ')" = 'x ' ]
	asm-scan -e AC -k 0 --no-header -O tsv x0 y x1 | cut -f 6 | uniq |
		diff - <(printf 'x\ny\n')
}

@test "fasta that stops where letters do not fit is not taken for whole" {
	printf '>x\nAAAACCCC\n' > a.fa
	# the first row's flags: that it is the first one is forgotten
	fasta-chunk -L 4 a.fa | recframes poke 1 120 0 > bad
	fails 3 'letters before 0 of x' rec-view -O fasta bad
	recframes swap 1 < bad > turned
	fails 3 'letters before 0 of x' rec-view -O fasta turned
}

@test "a scanner's text shows what scans before it found, tables as well" {
	fasta-chunk "$DATA/lambda.fa.gz" > c.rec
	printf '>b\nAGCAAG\n' > b.fa
	printf '>x\nACGTTA\n>y\nACGTAA\n' > d.fa
	primer-find -O rec -k 2 -s + -e ACTG b.fa > p.rec
	ebwt-dist -O rec d.fa > d.rec
	q=GGGCGGCGACCTCGCGGG
	asm-scan -O tsv -e $q c.rec > hits
	for f in p d; do
		cat $f.rec c.rec > all.rec
		# their run has no chunks here, which is reported, too
		run -3 --separate-stderr asm-scan -O tsv -e $q all.rec
		{ cat hits; rec-view -O tsv $f.rec; } | diff - <(echo "$output")
		[[ $stderr == *missing* ]]
	done
	fails 2 '' asm-scan -O paf -e $q all.rec
}
