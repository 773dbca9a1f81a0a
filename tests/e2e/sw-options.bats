# SPDX-License-Identifier: MIT
# sw-scan: scores, letters, formats, and what does not go together.
load helper

# scan TEXT OPTION ...: "qbeg qend strand sbeg send edits score cigar" of rows
scan() {
	printf '>T\n%s\n' "$1" > t.fa
	sw-scan -O tsv --no-header "${@:2}" t.fa |
		cut -f 3-5,8-12 | tr '\t' ' '
}

# A matrix over the letters $1, some of them alike, in the file m.
make_matrix() {
	awk -v s="$1" 'BEGIN {
		n = length(s)
		print "# made for a test"
		for (i = 1; i <= n; i++)
			printf " %s", substr(s, i, 1)
		print ""
		for (i = 1; i <= n; i++) {
			printf "%s", substr(s, i, 1)
			for (j = 1; j <= n; j++)
				if (i == j)
					printf " %d", 4 + i % 5
				else
					printf " %d", (i * j + i + j) % 7 - 5
			print ""
		}
	}' > m
}

# random LETTERS N SEED NAME: a sequence over any letters
random() {
	awk -v s="$1" -v n="$2" -v seed="$3" -v name="$4" 'BEGIN {
		x = seed
		print ">" name
		while (n-- > 0) {
			x = (x * 69069 + 12345) % 2147483648
			printf "%s", substr(s, int(x / 64) % length(s) + 1, 1)
		}
		print ""
	}'
}

@test "the start follows the full recurrence, not the shortcut" {
	# feeding E and F from one value keeps the score, and moves the start
	printf '>T\nccaaacggtc\n' > t.fa
	printf '>q\ntcatc\n' > q.fa
	for b in alignments cells waterman-eggert; do
		sw-scan --kind=$b -n 50 --preset 4/-5/2/1 -q q.fa -O tsv \
			--no-header t.fa > have
		gotoh -b $b -n 50 -m 4 -x -5 -o 2 -e 1 --scan q.fa t.fa |
			diff - have
		[ "$(wc -l < have)" -ge 5 ]
	done
}

@test "gaps: I and D, a gap of l letters costs open + l * extend" {
	gives '0 15 + 2 20 3 19 7=3D8=' \
		TTGATTACAGGGCATTAGCATT -s + -e GATTACACATTAGCA
	gives '0 18 + 2 17 3 19 7=3I8=' \
		TTGATTACACATTAGCATT -s + -e GATTACAGGGCATTAGCA
	gives '0 15 + 2 20 3 27 7=3D8=' \
		TTGATTACAGGGCATTAGCATT -s + --preset 2/-3/0/1 \
		-e GATTACACATTAGCA
	gives '7 15 + 12 20 0 16 8=' \
		TTGATTACAGGGCATTAGCATT -s + --gap-open 9 -e GATTACACATTAGCA
	gives '0 15 + 2 20 3 25 7=3D8=' \
		TTGATTACAGGGCATTAGCATT -s + --gap-extend 0 -e GATTACACATTAGCA
}

@test "both strands; the query's places are its own, the CIGAR runs forward" {
	# the reverse complement is CCGTAATCTTTT: its first letter is the last
	gives '0 11 - 2 14 1 19 6=1D5=' \
		AACGTAATGCTTTTAA -e AAAAGATTACGG --preset 2/-3/2/1
	gives '0 11 - 2 13 0 22 11=' AACGTAATCTTTTAA -s - -e AAAAGATTACGG
	gives '' AACGTAATCTTTTAA -s + --min-score 15 -e AAAAGATTACGG
	gives '0 8 + 0 8 0 16 8=; 0 8 - 0 8 0 16 8=' \
		ACGTACGT -n 2 --min-score 16 -e ACGTACGT
}

@test "case does not matter, U is T, other codes are mismatches" {
	gives '0 7 + 0 7 0 14 7=' gattaca -s + -e GAUUACA
	gives '0 11 + 0 11 1 17 4=1X6=' GATTNCAGATT -s + -e GATTNCAGATT
	gives '0 11 + 0 11 1 17 4=1X6=' GATTRCAGATT -s + -e GATTACAGATT
	gives '' NNNNNNNNNN -e NNNN
	printf '>T\nACGTEACGT\n' > t.fa
	fails 1 "T: 'E' at 5 is no DNA letter*--matrix=BLOSUM62" \
		sw-scan -e ACGT -O tsv t.fa
	fails 2 "query ACGTE: letter 5, 'E', is not DNA" \
		sw-scan -e ACGTE -O tsv t.fa
	fails 2 '' sw-scan -O tsv t.fa
}

@test "equal scores are one scan, whatever options say them" {
	printf '>T\nGATTACA\n' > t.fa
	id() {
		sw-scan -O rec "$@" -e ACGT t.fa | rec-view --header |
			grep -o 'scan [0-9a-f]\{16\}' | sort -u
	}
	[ "$(id)" = "$(id --preset=blastn)" ]
	[ "$(id)" = "$(id --match 2 --mismatch 3 --gap-open 5 --gap-extend 2)" ]
	[ "$(id)" = "$(id --preset 2/-3/5/2 -t 2 -n 1 -s both --engine plain)" ]
	[ "$(id --preset ssca1)" = "$(id --preset 5/-3/8/1)" ]
	for o in --preset=ssca1 '-n 2' --kind=cells '-s +' --min-score=2 \
		--no-cigar --with-seq; do
		[ "$(id)" != "$(id $o)" ]
	done
}

@test "BEGIN has the scores, and lambda and K where they are known" {
	printf '>T\nGATTACA\n' > t.fa
	sw-scan -O rec -n 7 -e ACGT t.fa | rec-view --header > have
	for l in 'program sw-scan' 'best 7' 'match 2' 'mismatch -3' \
		'gap-open 5' 'gap-extend 2' 'lambda 0.625' 'K 0.41'; do
		grep -qx "$l" have
	done
	sw-scan -O rec --preset ssca1 -e ACGT t.fa | rec-view --header > have
	grep -qx 'gap-open 8' have
	no grep lambda have
}

# bats test_tags=threads
@test "a matrix: the textbook's rows, with one strand, for any instruction set" {
	make_matrix ARNDCQEGHILKMFPSTWYV
	{ random ARNDCQEGHILKMFPSTWYV 700 5 p1
	  random ARNDCQEGHILKMFPSTWYV 60 6 p2 | tr A-Z a-z; } > t.fa
	{ printf '>q\n' && sed -n 2p t.fa | cut -c 300-350
	  random ARNDCQEGHILKMFPSTWYV 80 9 r; } > q.fa
	for b in alignments cells waterman-eggert; do
		gotoh -b $b -n 15 -M m -o 9 -e 2 --scan q.fa t.fa > want
		[ "$(wc -l < want)" -ge 20 ]
		all_isas want sw-scan --kind=$b -n 15 --matrix m \
			--gap-open 9 --gap-extend 2 -q q.fa -O tsv \
			--no-header t.fa
	done
	sw-scan -n 15 --matrix m --gap-open 9 --gap-extend 2 -q q.fa -O tsv \
		t.fa > want
	for l in 33 100; do
		fasta-chunk -L $l t.fa | sw-scan -t 2 -n 15 --matrix m \
			--gap-open 9 --gap-extend 2 -q q.fa -O tsv |
			cmp - want
	done
	fails 2 '-s -: only DNA has a minus strand' \
		sw-scan -s - --matrix m --gap-open 9 \
		--gap-extend 2 -q q.fa -O tsv t.fa
	run -2 sw-scan --matrix m -q q.fa -O tsv t.fa
	one_line sw-scan || true
}

@test "BLOSUM62: known scores, gap costs of BLAST, * for what it has not" {
	gives '0 3 + 2 5 0 33 3=' PPWWWPP --matrix BLOSUM62 -e WWW
	gives '0 3 + 2 5 1 24 1=1X1=' PPwwwPP --matrix blosum62 -e WyW
	# 11 + 1 for the one letter
	gives '0 8 + 0 9 1 76 4=1D4=' WWWWAWWWW --matrix BLOSUM62 -e WWWWWWWW
	gives '0 7 + 0 7 1 67 3=1X3=' WWWOWWW --matrix BLOSUM62 -e WWWOWWW
	make_matrix ACDEFW
	printf '>T\nACDEFKW\n' > t.fa
	o='--matrix m --gap-open 3 --gap-extend 1 -O tsv'
	fails 1 "T: 'K' at 6 is no letter of the matrix" sw-scan $o -e ACDE t.fa
	fails 2 "query ACDX: letter 4, 'X', is not a letter of the matrix" \
		sw-scan $o -e ACDX t.fa
	fails 2 '' sw-scan --matrix BLOSUM62 --match 3 -e A -O tsv t.fa
	fails 2 '' sw-scan --preset nonsense -e A -O tsv t.fa
	fails 1 '' sw-scan ${o#* m } --matrix no-such-file -e A t.fa
}

@test "64 symbols: case counts, digits are letters" {
	s=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/
	make_matrix $s
	random $s 900 3 codons > t.fa
	{ printf '>q\n' && sed -n 2p t.fa | cut -c 400-470
	  random $s 90 8 r; } > q.fa
	gotoh -n 10 -M m -o 6 -e 1 --scan q.fa t.fa > want
	[ "$(wc -l < want)" -eq 20 ]
	for l in 64 5000; do
		fasta-chunk --digits -L $l t.fa | sw-scan --digits -n 10 \
			--matrix m --gap-open 6 --gap-extend 1 -q q.fa -O tsv \
			--no-header | diff want -
	done
	sw-scan --digits -n 10 --matrix m --gap-open 6 --gap-extend 1 -q q.fa \
		-O tsv --no-header t.fa | diff want -
}

@test "a matrix of DNA has two strands" {
	make_matrix ACGT
	randseq 900 5 > t.fa
	randseq 50 6 60 q > q.fa
	sw-scan -n 4 --matrix m --gap-open 6 --gap-extend 2 -q q.fa -O tsv \
		--no-header t.fa > have
	for s in + -; do
		sw-scan -n 4 -s $s --matrix m --gap-open 6 --gap-extend 2 \
			-q q.fa -O tsv --no-header t.fa > $s.tsv
		[ "$(wc -l < ./$s.tsv)" -eq 4 ]
	done
	gotoh -s + -n 4 -M m -o 6 -e 2 --scan q.fa t.fa | diff - ./+.tsv
	[ "$(wc -l < have)" -eq 4 ]
	[ "$(cat ./[+-].tsv | sort have - | uniq -d | wc -l)" -eq 4 ]
}

@test "--min-score, --no-cigar, --with-seq" {
	randseq 2000 7 > t.fa
	randseq 60 8 60 q > q.fa
	sw-scan -n 50 -q q.fa -O tsv --no-header t.fa > all
	for m in 1 15 18 100; do
		awk -F '\t' -v m=$m '$11 >= m' all > want
		sw-scan -n 50 --min-score $m -q q.fa -O tsv --no-header t.fa |
			diff want -
	done
	sw-scan -n 50 --no-cigar -q q.fa -O tsv --no-header t.fa |
		diff <(awk -F '\t' -v OFS='\t' '{ $10 = $12 = "*"; print }' \
			all) -
	sed 1d t.fa | tr -d '\n' > letters
	sw-scan -n 50 --with-seq -q q.fa -O tsv --no-header t.fa |
		while IFS=$'\t' read -r _ _ _ _ _ _ _ b e _ _ _ s; do
			[ "$s" = "$(cut -c $((b + 1))-$e letters)" ]
		done
	run -2 sw-scan --min-score 0 -q q.fa -O tsv t.fa
	for f in paf sam; do
		fails 2 "-O $f needs CIGARs" \
			sw-scan --no-cigar -q q.fa -O $f t.fa
	done
}

@test "paf, sam, bed, gff3, json and blast6 say what tsv says" {
	printf '>T\nTTGATTACAGGGCATTAGCATT\n' > t.fa
	o='-s + -e CCGATTACACATTAGCA'
	sw-scan $o -O paf t.fa | cut -f 3,4,8,9,10,11,13- | tr '\t' ' ' > have
	echo '2 17 2 20 15 18 NM:i:3 AS:i:19 cg:Z:7=3D8=' | diff - have
	sw-scan $o -O sam t.fa | grep -v '^@' | cut -f 2,4,6,12- |
		tr '\t' ' ' > have
	echo '0 3 2S7=3D8= NM:i:3 AS:i:19 MD:Z:7^GGG8' | diff - have
	sw-scan $o -O bed t.fa | tr '\t' ' ' > have
	echo 'T 2 20 CCGATTACACATTAGCA 19 +' | diff - have
	sw-scan $o -O gff3 t.fa | grep -v '^#' | cut -f 2-7 |
		tr '\t' ' ' > have
	echo 'sw-scan match 3 20 19 +' | diff - have
	sw-scan $o -O json t.fa > have
	grep -q '"score":19,"cigar":"7=3D8="' have
	sw-scan $o -O blast6 t.fa | cut -f 3-10 | tr '\t' ' ' > have
	echo '83.333 18 0 1 3 17 3 20' | diff - have
}

@test "wrong usage is exit 2 and one line" {
	printf '>T\nGATTACA\n' > t.fa
	for o in '-n 0' '-n 10001' '-n x' '--kind=first' '--match -1' \
		'--gap-open x' '--gap-extend 1000001' '-s x' \
		'--preset 1/2/3' '--engine=fast' '-O phylip'; do
		fails 2 '' sw-scan $o -e ACGT t.fa
	done
	run -2 --separate-stderr sw-scan -O tsv t.fa
	run -2 --separate-stderr sw-scan -e '' -O tsv t.fa
	fails 1 '' sw-scan -e ACGT -O tsv missing.fa
	run -1 sw-scan -e ACGT -O tsv -o /dev/full t.fa
	says 0 'may take long' sw-scan -v -n 5 --preset=ssca1 -e ACGT \
		-O tsv t.fa
	quiet sw-scan -n 5 --preset=ssca1 -e ACGT -O tsv t.fa
}

@test "a query without letters is skipped with a note" {
	printf '>s\nTTGATTACATT\n' > s.fa
	printf '>none\n>a\nGATTACA\n>blank\n\n>b\nACATT\n' > q.fa
	printf '>a\nGATTACA\n>b\nACATT\n' > two.fa
	sw-scan -q two.fa -O tsv s.fa > want
	run -0 --separate-stderr sw-scan -q q.fa -O tsv s.fa
	diff want - <<< "$output"
	[ "$stderr" = 'sw-scan: 2 queries without letters are skipped: the first one is q.fa: query 1 (none)' ]
	run -0 --separate-stderr sw-scan -e ACATT -e '' -O tsv s.fa
	[ "$stderr" = 'sw-scan: a query without letters is skipped: the first one is -e: query 2 ()' ]
	quiet sw-scan --quiet -q q.fa -O tsv s.fa
	printf '>none\n' > none.fa
	fails 2 'none.fa: query 1 (none) has no letters' \
		sw-scan -q none.fa -O tsv s.fa
}

@test "bits of odd scores are BLAST's, and a mismatch of 0 needs no sign" {
	# blastn: 47 has 43.7 bits; 46 has 42.8, and the same evalue
	q=ACGTTGCATTACGTAGCATTGCCA
	printf '>s\nTT%sTT\n' $q > s.fa
	one() { sw-scan -O rec -s + -e "$1" "${@:2}" s.fa | merge-topk -O blast6; }
	[ "$(one $q | cut -f 12)" = 44.6 ]	# 48
	printf '>s\nTT%sGG\n' ACGTTGCATTACGAAGCATTGCCAAC > s.fa
	[ "$(one ACGTTGCATTACGTAGCATTGCCAAC | cut -f 12)" = 43.7 ]	# 47
	sw-scan -s + --preset 2/0/1/1 -e ACGTTGCATTACGTAGC -O tsv s.fa > have
	sw-scan -s + --preset 2/-0/1/1 -e ACGTTGCATTACGTAGC -O tsv s.fa |
		diff have -
	fails 2 '--preset 2/3/5/2' sw-scan --preset 2/3/5/2 -e ACG s.fa
}

@test "N beside N, and U beside U in proteins, are X" {
	printf '>s\nACGTTGNATTACG\n' > s.fa
	cigar() { sw-scan -s + --no-header -O tsv "$@" | cut -f 11,12; }
	[ "$(cigar -e ACGTTGNATTACG s.fa)" = "21	6=1X6=" ]
	printf '>p\nWWWWUWWWW\n' > p.fa
	[ "$(cigar --matrix BLOSUM62 -e WWWWUWWWW p.fa)" = "89	4=1X4=" ]
	printf '>p\nWWWWJWWWWXWWW\n' > p.fa
	[ "$(cigar --matrix BLOSUM62 -e WWWWJWWWWXWWW p.fa)" = "123	13=" ]
}
