# SPDX-License-Identifier: MIT
# Local alignments: frames made by hand, merged by class, in every format.
load helper

RUN=$'str x.fa\nstr \nstr s\nu64 5'

# BEGIN of the run and of scan 9, which says "$1" (\n), END of two chunks.
books() {
	printf 'frame 1 4 0 1\nu64 0\nstr \nvar 0\n%s\n' "$RUN"
	printf 'bytes program fasta-chunk\\n\n'
	printf 'frame 1 4 0 1\nu64 9\nstr q.fa\nvar 4\n%s\n' "$RUN"
	printf 'bytes program sw-scan\\n%s\n' "$1"
	printf 'frame 9 4 0 1\n%s\nvar 2\nvar 1\nvar 20\nu64 9\n' "$RUN"
}

# HITS of $2 of the two chunks from $1 on, with the rows on stdin, each:
# strand qbeg qend sbeg send score edits CIGAR letters.
hits() {
	local digest=$(($1 == 1 ? 8 : $2 == 1 ? 1 : 9)) n=0 rows

	rows=$(cat)
	[ -z "$rows" ] || n=$(wc -l <<< "$rows")
	printf 'frame 4 4 %s %s\n%s\n' "$1" "$n" "$RUN"
	printf '%s\n' 'u64 9' 'str q.fa' 'var 4' 'var 1' 'var 0' 'var 1' \
		"var $1" "var $2" "var $((10 * $2))" "u64 $digest" 'var 0'
	printf '%s\n' 'var 1' 'var 0' 'var 12' 'str q' \
		'var 1' 'var 0' 'var 51' 'str s'
	[ -z "$rows" ] || awk '{
		print "var 0\nvar 0\nu8", ($1 == "-") + 2 + 4 * ($8 != "*") + 8
		print "var", $5; print "var", $5 - $4
		print "var", $2; print "var", $3 - $2
		print "zigzag", $6; print "var", $7
		n = $8 == "*" ? 0 : gsub(/[=XID]/, "& ", $8)
		split($8, op, " ")
		if (n) print "var", n
		for (i = 1; i <= n; i++)
			print "var", 16 * op[i] + index("ID....=X", \
				substr(op[i], length(op[i])))
		print "str", $9 }' <<< "$rows"
}

A='+ 2 10 5 14 9 2 4=1X1D3= ACGTTGCAT'
B='- 1 9 20 28 3 2 5=1I1D2= TTTGGCCA'

example() {
	{ books 'best 5\nlambda 0.5\nK 0.2\n'
	  printf '%s\n' "$A" "$B" | hits 0 2; } | recmake > a.rec
}

# The text of a.rec as $1 is stdin, from both programs.
text_is() {
	cat > want
	merge-topk -O "$1" "${@:2}" a.rec | diff want -
	rec-view -O "$1" "${@:2}" a.rec | diff want -
}

@test "tsv, bed and gff3 of alignments that begin inside of the query" {
	example
	text_is tsv --no-header --with-seq <<-END
	q	12	2	10	+	s	50	5	14	2	9	4=1X1D3=	ACGTTGCAT
	q	12	1	9	-	s	50	20	28	2	3	5=1I1D2=	TTTGGCCA
	END
	text_is bed <<-END
	s	5	14	q	9	+
	s	20	28	q	3	-
	END
	text_is gff3 <<-END
	##gff-version 3
	##sequence-region s 1 50
	s	sw-scan	match	6	14	9	+	.	ID=hit1;Name=q;Target=q 3 10;Gap=M5 D1 M3;edits=2;cigar=4%3D1X1D3%3D
	s	sw-scan	match	21	28	3	-	.	ID=hit2;Name=q;Target=q 2 9;Gap=M5 I1 D1 M2;edits=2;cigar=5%3D1I1D2%3D
	END
}

@test "paf, sam and json of alignments that begin inside of the query" {
	example
	text_is paf <<-END
	q	12	2	10	+	s	50	5	14	7	9	255	NM:i:2	AS:i:9	cg:Z:4=1X1D3=
	q	12	1	9	-	s	50	20	28	7	9	255	NM:i:2	AS:i:3	cg:Z:5=1I1D2=
	END
	text_is json <<-END
	{"query":"q","qlen":12,"qbeg":2,"qend":10,"strand":"+","subject":"s","slen":50,"sbeg":5,"send":14,"edits":2,"score":9,"cigar":"4=1X1D3="}
	{"query":"q","qlen":12,"qbeg":1,"qend":9,"strand":"-","subject":"s","slen":50,"sbeg":20,"send":28,"edits":2,"score":3,"cigar":"5=1I1D2="}
	END
	cat > want <<-END
	q	0	s	6	255	2S4=1X1D3=2S	*	0	0	*	*	NM:i:2	AS:i:9	MD:Z:4T0^G3
	q	272	s	21	255	3S5=1I1D2=1S	*	0	0	*	*	NM:i:2	AS:i:3	MD:Z:5^C2
	END
	merge-topk -O sam a.rec > a.sam
	grep -v '^@' a.sam | diff want -
	grep -q '^@SQ	SN:s	LN:50$' a.sam
	need samtools
	samtools view -c a.sam | grep -qx 2
}

@test "pretty of alignments that begin inside of the query" {
	example
	printf '>q\nTTACGTGGCACC\n' > q.fa
	merge-topk -O pretty -q q.fa a.rec > have
	cat > want <<-END
	q  s:6-14  +  edits 2  score 9
	  query    3 ACGTG-GCA 10
	             ||||*- |||
	END
	head -n 2 have | diff <(head -n 2 want) -
	sed -n 7p have | grep -qx '  query    9 .* 2'
	sed -n 9p have | grep -qx '  subject 21 TTTGG-CCA 28'
}

@test "blast6: twelve columns, and what the scores mean" {
	example
	# 0.2 * 12 * 20 * exp(-0.5 * 9) and (0.5 * 9 - log(0.2)) / log(2)
	text_is blast6 <<-END
	q	s	77.778	9	1	1	3	10	6	14	0.53	8.8
	q	s	77.778	9	0	2	2	9	28	21	11	4.5
	END
	# in any order of frames, and with a merge in between
	for seed in 1 2 3 4 5 6; do
		recframes shuffle $seed < a.rec > b.rec
		rec-view -O blast6 b.rec | diff want -
		merge-topk -O rec b.rec | merge-topk -O blast6 | diff want -
	done
	recframes reverse < a.rec | rec-view -O blast6 | diff want -
}

@test "blast6: without lambda and K both columns are *, without END too" {
	{ books ''; printf '%s\n' "$A" | hits 0 2; } | recmake > a.rec
	text_is blast6 <<-END
	q	s	77.778	9	1	1	3	10	6	14	*	*
	END
	for text in 'lambda 0.5\n' 'K 0.2\n' 'lambda x\nK 1\n' \
		'lambda 0\nK 1\n' 'lambda -1\nK 1\n' 'lambda inf\nK 1\n'; do
		{ books "$text"; printf '%s\n' "$A" | hits 0 2; } |
			recmake > a.rec
		text_is blast6 <<< "$(cat want)"
	done
	printf '>s\nTTACGTT\n' > s.fa
	asm-scan -O rec -e ACGT -s + s.fa | merge-topk -O blast6 |
		diff <(printf 'ACGT\ts\t100.000\t4\t0\t0\t1\t4\t3\t6\t*\t*\n') -
}

@test "blast6: where statistics hold for even scores odd ones have lower ones' E" {
	for even in yes no; do
		{ books "lambda 0.5\nK 0.2\neven $even\n"
		  printf '%s\n' "$A" "$B" | hits 0 2; } | recmake > a.rec
		merge-topk -O blast6 a.rec | cut -f 11,12 > $even.txt
	done
	# scores 9 and 3: evalues of 8 and 2; bits as they are
	printf '0.88\t8.8\n18\t4.5\n' | diff - yes.txt
	printf '0.53\t8.8\n11\t4.5\n' | diff - no.txt
}

@test "blast6: a BEGIN or an END that is lost is reported, and not made up" {
	example
	for i in $(recframes list < a.rec | awk '$2 != "HITS" { print $1 }'); do
		recframes drop "$i" < a.rec > d.rec
		fails 3 '' merge-topk -O blast6 d.rec
		run -3 --separate-stderr rec-view -O blast6 d.rec
		[[ $output != *'*'* ]]
	done
	merge-topk -O rec --partial -n 2 a.rec > m.rec
	for i in $(frames_of BEGIN m.rec); do
		recframes drop "$i" < m.rec > d.rec
		fails 3 '' merge-topk -O blast6 d.rec
		run -3 --separate-stderr rec-view -O blast6 d.rec
		[[ $output != *'*'* ]]
	done
}

@test "blast6: digits as BLAST's, and what it needs" {
	{ books 'lambda 1\nK 1\n'
	  at=0
	  for score in 1000 420 415 235 230 20 12 10 8 6 5 3 -30; do
		echo "+ 0 4 $((++at)) $((at + 4)) $score 0 4= ACGT"
	  done | hits 0 2; } | recmake > a.rec
	merge-topk -O blast6 a.rec | cut -f 11,12 > have
	# m * n = 240
	awk 'BEGIN { n = split("1000 420 415 235 230 20 12 10 8 6 5 3 -30", s)
		for (i = 1; i <= n; i++) {
			e = 240 * exp(-s[i])
			f = e < 1e-180 ? "0.0%.0s" : e < 0.0009 ? "%.2e" : \
				e < 0.1 ? "%.3f" : e < 1 ? "%.2f" : \
				e < 10 ? "%.1f" : e < 1e6 ? "%.0f" : "%.2e"
			printf f "\t%.1f\n", e, s[i] / log(2) } }' | diff - have
	sed -n 1p have | grep -q '^0.0	1442.7$'
	{ books ''; echo '+ 2 10 5 14 9 2 * ACGTTGCAT' | hits 0 2; } |
		recmake > n.rec
	for program in merge-topk rec-view; do
		fails 2 'blast6 needs CIGARs' $program -O blast6 n.rec
	done
}

@test "one alignment that two parts know differently is one row, the best" {
	{ books 'best 2\n'; printf '%s\n' "$A" "$B" | hits 0 1; } |
		recmake > a.rec
	# the same start, a better end; another one, worse than both
	{ echo '+ 2 12 5 16 11 2 4=1X1D5= ACGTTGCATGG'
	  echo '- 1 9 30 38 2 2 5=1I1D2= TTTGGCCA'; } | hits 1 1 |
		recmake > b.rec
	merge-topk --no-header -O tsv a.rec b.rec | cut -f 3-5,8,9,11 > have
	printf '2\t12\t+\t5\t16\t11\n1\t9\t-\t20\t28\t3\n' | diff - have
	merge-topk --partial -n 1 a.rec > p.rec
	merge-topk -n 1 --no-header -O tsv b.rec p.rec |
		diff <(merge-topk -n 1 --no-header -O tsv a.rec b.rec) -
	[ "$(merge-topk -n 1 --no-header -O tsv a.rec b.rec | wc -l)" -eq 1 ]
	# what is missing, what more was asked for than was kept
	fails 3 '' merge-topk -O tsv a.rec
	merge-topk --missing a.rec | grep -qx 1
	merge-topk --missing a.rec b.rec | rows | wc -l | grep -qx 0
	fails 2 'sw-scan -n 2 may have left out rows*here at most that, with' \
		merge-topk -n 3 -O tsv a.rec b.rec
	says 0 'not all rows: those that sw-scan kept' \
		merge-topk --no-overlap 0 -O tsv a.rec b.rec
	merge-topk --runs 1 -O tsv a.rec b.rec | rows | wc -l | grep -qx 2
	run -3 merge-topk --runs 2 -O tsv a.rec b.rec
}

@test "of fewer rows than the scanner was to choose none was left out" {
	for best in 2 3; do
		{ books "best $best\n"; printf '%s\n' "$A" "$B" | hits 0 2; } |
			recmake > $best.rec
	done
	for o in '--per=subject -n 1' '--per=pair -n 1' '--ties=keep -n 1' \
	    '-n 9' '--no-overlap 0.5 -n 9'; do
		run -2 merge-topk -O tsv $o 2.rec
		quiet merge-topk -O tsv $o 3.rec
	done
	merge-topk -O tsv --no-header --per=subject -n 1 3.rec | cut -f 11 |
		diff <(echo 9) -
	run -2 merge-topk --partial --per=subject -n 1 3.rec
}
