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

