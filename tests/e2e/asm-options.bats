# SPDX-License-Identifier: MIT
# asm-scan: what its further options do to the answer, and how they compose.
load helper

# A text with short records, N and codes, and in q four patterns of 12 letters
# and more that end with NGG.
prepare() {
	{
		randseq 20000 7 70 one
		printf '>two\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNRYKMACGTTGCACCTA\n'
		randseq 700 9 60 three
		printf '>none\n>short\nACGTTGCA\n'
		randseq 9000 11 61 last
	} > t.fa
	printf '%s\n' ACGTTGCANGG GATTACAGATTANGG ACGTNRYTTGACNGG \
		"$(sed 1d <(randseq 60 12) | tr -d '\n')NGG" > q
}

# The same bytes for any chunks, threads, instruction set and fan-out of
# asm-scan "$@"; want.tsv is what one process writes.
same_everywhere() {
	asm-scan -t 1 "$@" -O tsv t.fa > want.tsv
	[ "$(rows want.tsv | wc -l)" -gt 5 ]
	LENGTHS='100 1000' however want.tsv t.fa asm-scan "$@" -O tsv
	merge-topk -O tsv <(asm-scan -O rec "$@" t.fa) > merged.tsv
	fan 3 '-L 500 t.fa' asm-scan "$@" | merge-topk -O tsv | cmp - merged.tsv
}

@test "words of halves find what bit vectors find" {
	randseq 300000 5 70 | sed '1000s/.*/ACGTNNNNACGTNACGT/;2000,2009s/./N/g' \
		> t.fa
	for m in 20 24; do
		randseq $((40 * m)) $m $m | sed 1d > p$m
		sed -n 500,519p t.fa | cut -c 3-$((m + 2)) >> p$m
		for o in '-k 3' '-k 4' '-k 4 --report=all -s +'; do
			for e in text halves; do
				asm-scan --engine=$e $o -q p$m -O tsv t.fa > $e
			done
			[ "$(rows < text | wc -l)" -ge 20 ]
			cmp text halves
		done
	done
}

@test "first rows of patterns find what bit vectors find" {
	randseq 300000 5 70 | sed '1000s/.*/ACGTNNNNACGTNACGT/;2000,2009s/./N/g' \
		> t.fa
	for m in 60 100 130; do
		randseq $m $m $m | sed 1d > p
		sed "400,4000{0~5s/.*/$(tr -d '\n' < p)/}" t.fa > s.fa
		sed '0~35s/A/C/3;0~40s/GC/G/;0~45s/T/TA/2' s.fa > u.fa
		for o in '-k 10' '-k 12 --report=all -s +'; do
			for e in text rows auto; do
				asm-scan --engine=$e $o -t 2 -q p -O tsv u.fa > $e
			done
			[ "$(rows < text | wc -l)" -ge 500 ]
			cmp text rows
			cmp text auto
			fasta-chunk -L 3000 u.fa |
				asm-scan --engine=rows $o -t 3 -q p -O tsv |
				cmp text -
		done
	done
}

@test "many patterns: once chunks were many another engine takes them" {
	randseq 3500000 5 70 > t.fa
	randseq 3120 7 24 | sed 1d > p	# 130 patterns, both strands
	sed -n '2p;20000p;40000p;49990p' t.fa | cut -c 3-26 >> p
	asm-scan --engine=text -k 4 -q p -O tsv t.fa > want
	[ "$(rows < want | wc -l)" -ge 20 ]
	for t in 1 3; do
		asm-scan -t $t -k 4 -q p -O tsv t.fa | cmp - want
	done
}

@test "--exact-suffix: the last letters match, on either strand" {
	gives '+ 2 9 0 7=; + 12 19 1 6=1X' \
		TTACGTTGGTTTACGTAGATT -s + -k 1 -e ACGTNGG
	gives '+ 2 9 0 7=' \
		TTACGTTGGTTTACGTAGATT -s + -k 1 --exact-suffix 3 -e ACGTNGG
	gives '- 2 9 0 7=' \
		AACCAACGTAATCTACGTAAA -s - -k 1 --exact-suffix 3 -e ACGTNGG
	# 1 difference before the PAM; a gap within it is none of it
	gives '+ 2 9 1 2=1X4=; + 12 20 1 4=1D3=' \
		TTACCTTGGTTTACGTATGGTT -k 1 -s + --exact-suffix 3 -e ACGTNGG
	gives '' TTACGTTGAGTT -k 1 -s + --exact-suffix 3 -e ACGTNGG
}

@test "--exact-prefix: the first letters match, on either strand" {
	gives '+ 2 9 0 7=' \
		TTCCAACGTTCTAACGTTT -s + -k 1 --exact-prefix 3 -e CCNACGT
	gives '- 10 17 0 7=' \
		AAACGTTAGAACGTTGGAA -s - -k 1 --exact-prefix 3 -e CCNACGT
	gives '+ 0 4 0 4=; + 0 5 1 4=1D; + 0 6 2 4=2D' \
		ACGTACCT -s + -k 2 --report=all --exact-prefix 4 -e ACGT
	gives '+ 0 4 0 4=' \
		ACGTACCT -s + -k 2 --report=all --exact-suffix 4 -e ACGT
	gives '+ 0 5 1 2=1D2=' \
		ACTGTACTT -s + -k 1 --exact-suffix 2 --exact-prefix 2 \
		--report=all -e ACGT
}

@test "exact ends go with --no-indels, best, count and other alphabets" {
	gives '+ 2 9 2 3=2X2=' \
		TTACGAAGGACGTTGATT -s + -k 2 --no-indels --exact-suffix 2 \
		-e ACGTTGG
	gives '+ 2 9 2 3=2X2=' TTACGAAGGACGTTGATT -s + -k 2 --report=best \
		--exact-suffix 2 -e ACGTTGG
	asm-scan -s + -k 2 --report=count --exact-suffix 2 -e ACGTTGG \
		-O tsv t.fa > have
	[ "$(rows have | tr '\t' ' ')" = 'ACGTTGG + 2 1' ]
	gives '+ 7 11 1 3=1X' \
		MKRGESLRGDTL --alphabet=protein -k 1 --exact-prefix 3 -e RGDS
}

@test "--alphabet=protein: 26 letters, each itself; * - . match nothing" {
	gives '+ 11 14 0 3=' \
		'MK*LV-TA.GGXBJ' --alphabet=protein -e xbj -e kl -e VT
	gives '+ 1 4 1 1=1X1=; + 4 7 1 1=1X1=' \
		'MK*LV-TA.GGXBJ' --alphabet=protein -k 1 -e KAL -e VXT
	for c in '*' - .; do
		fails 2 "letter 2, '$c', is not protein" \
			asm-scan --alphabet=protein -e "K${c}L" -O tsv t.fa
	done
	gives '+ 1 4 0 3=; + 4 7 0 3=; + 7 10 0 3=' \
		'MK*LV-TA.GG' --alphabet=bytes -e 'K*L' -e 'V-T' -e 'A.G'
}

@test "an exact end longer than a pattern is wrong usage" {
	prepare
	fails 2 'query ACGTTGCANGG*--exact-suffix 12: the query has only 11' \
		asm-scan -k 1 --exact-suffix 12 -q q t.fa
	run -2 asm-scan --exact-prefix 5 -e ACGT t.fa
	run -2 asm-scan --exact-prefix -1 -e ACGT t.fa
	run -2 asm-scan --exact-prefix 1k -e ACGT t.fa
}

# bats test_tags=threads,slow
@test "exact ends: same bytes for any chunks, threads, instruction set, fan-out" {
	prepare
	same_everywhere -k 4 --exact-suffix 3 -q q
	same_everywhere -k 4 --exact-suffix 3 --report=all -q q
	same_everywhere -k 4 --exact-prefix 4 --report=best -q q
	same_everywhere -k 4 --exact-prefix 2 --exact-suffix 2 --no-indels -q q
}

@test "scans with other exact ends are other scans" {
	prepare
	fasta-chunk t.fa > t.rec
	for s in 0 2 3; do
		asm-scan -k 3 --exact-suffix $s -q q t.rec |
			rec-view --header | grep -o 'scan [0-9a-f]\{16\}'
	done > ids
	[ "$(sort -u ids | wc -l)" -eq 3 ]
	[ "$(asm-scan -k 3 --exact-suffix 3 -q q t.rec | rec-view --header |
		grep -c 'exact-suffix 3')" -eq 1 ]
}

# Records of $1 (FASTA) whose names stand in the file $2, or, with -v, do not.
named() {
	awk -v inv="${3:-}" 'NR == FNR { has[$1] = 1; next }
		/^>/ { on = (substr($1, 2) in has) != (inv == "-v") }
		on' "$2" "$1"
}

# bats test_tags=threads
@test "--filter passes the records with a match as they are, --invert the others" {
	prepare
	randseq 2600000 5 60 long >> t.fa
	printf 'GATTACAGATTAAGG\n' >> t.fa
	asm-scan -k 3 --exact-suffix 3 --ends -q q -O tsv t.fa |
		rows | cut -f 6 | sort -u > names
	[ "$(grep -c . names)" -gt 2 ]
	for t in 1 3; do
		asm-scan -t $t --filter -k 3 --exact-suffix 3 -q q t.fa |
			cmp - <(named t.fa names)
		asm-scan -t $t --invert -k 3 --exact-suffix 3 -q q t.fa |
			cmp - <(named t.fa names -v)
	done
	for i in $ISAS; do
		SEQF_ISA=$i asm-scan --filter --invert -k 3 -q q \
			--exact-suffix 3 t.fa | cmp - <(named t.fa names -v)
	done
	gzip -k t.fa
	asm-scan --filter -k 3 --exact-suffix 3 -q q -o f.fa t.fa.gz
	named t.fa names | cmp - f.fa
	asm-scan --filter -k 3 --exact-suffix 3 -q q < t.fa.gz | cmp - f.fa
	cat t.fa | asm-scan --filter -k 3 --exact-suffix 3 -q q - | cmp - f.fa
	# a match in the last letters only, of the third piece
	asm-scan --filter -s + -e GATTACAGATTAAGG t.fa > have
	grep '^>' have | tail -n 1 | grep '^>long'
}

@test "--filter keeps qualities, CRLF, blank lines; files end with a line" {
	printf '@a 1\r\nACGT\r\n+\r\nIIII\r\n@b\nGAAT\nTC\n+b\n@II\nIII\n\n' > 1.fq
	printf '@c\nGGGG\n+\n@@@@\n@d\nGAATTC\n+\n++++++' > 2.fq
	asm-scan --filter -e GAATTC 1.fq 2.fq > have
	printf '@b\nGAAT\nTC\n+b\n@II\nIII\n\n@d\nGAATTC\n+\n++++++' | cmp - have
	asm-scan --invert -e GAATTC 2.fq 1.fq > have
	printf '@c\nGGGG\n+\n@@@@\n@a 1\r\nACGT\r\n+\r\nIIII\r\n' | cmp - have
	asm-scan --filter -e GAATTC 2.fq 1.fq > have
	printf '@d\nGAATTC\n+\n++++++\n@b\nGAAT\nTC\n+b\n@II\nIII\n\n' |
		cmp - have
	# all of them: the same bytes, and none: nothing
	asm-scan --filter -k 1 -e AA 1.fq | cmp - 1.fq
	asm-scan --invert -k 1 -e AA 1.fq | cmp - /dev/null
	# no byte at all is no file without records
	fails 3 '' asm-scan --filter -e ACGT < /dev/null
	asm-scan --filter -e ACGT /dev/null 2> note | cmp - /dev/null
}

@test "--filter refuses what it cannot do" {
	prepare
	fasta-chunk t.fa > t.rec
	fails 1 't.rec: a record stream' asm-scan --filter -e ACGT t.rec
	run -1 asm-scan --filter -e ACGT t.fa t.rec
	for w in '-O tsv' '--ends' '--no-cigar' '--with-seq' '--report=all' \
		'-r one' '--no-header'; do
		fails 2 '' asm-scan --filter $w -e ACGT t.fa
	done
	printf '>a\nACGT\n>b\nAC!T\n' > bad.fa
	run -1 --separate-stderr asm-scan --filter -e ACGT -o have bad.fa
	[ ! -e have ]
	printf '>a\nACGT\n' > good.fa
	run -1 asm-scan --filter -e ACGT good.fa missing.fa
	head -c 200 <(gzip -c t.fa) > cut.gz
	run -1 asm-scan --filter -e ACGT cut.gz
	run -1 asm-scan --filter -e ACGT -o /dev/full good.fa
}

# Rows of the table $1 by query, strand and edits, with their number.
tally() {
	rows "$1" | cut -f 1,5,10 | sort | uniq -c |
		awk 'BEGIN { OFS = "\t" } { print $2, $3, $4, $1 }' | sort
}

# bats test_tags=threads
@test "--histogram counts the rows that there would be, by differences" {
	prepare
	for r in minima all; do
		asm-scan -k 4 --report=$r -q q -O tsv t.fa > hits.tsv
		asm-scan -k 4 --report=$r --histogram -q q -O tsv t.fa > have
		[ "$(head -n 1 have | tr '\t' ' ')" = \
			'#query strand edits count' ]
		rows have | sort | diff - <(tally hits.tsv)
		all_isas have asm-scan -t 3 -k 4 --report=$r \
			--histogram -q q -O tsv t.fa
		fan 3 '-L 300 t.fa' asm-scan -k 4 --report=$r --histogram -q q |
			merge-topk -O tsv | cmp - have
	done
	fails 2 '-O rec, and rec-view draws them' \
		asm-scan --histogram -q q -O svg t.fa
	asm-scan -k 4 --report=all --histogram -q q -O tsv t.fa |
		cmp - <(asm-scan -k 4 --report=count -q q -O tsv t.fa)
	asm-scan -k 4 --no-indels --histogram -q q -O tsv t.fa |
		rows | sort | diff - <(tally <(asm-scan -k 4 --no-indels \
			-q q -O tsv t.fa))
	run -2 asm-scan --histogram --report=best -k 1 -q q -O tsv t.fa
	run -2 asm-scan --histogram -k 1 -q q -O bed t.fa
}

@test "counts that are all 0 have the columns of counts, not those of hits" {
	local head=$'#query\tstrand\tedits\tcount' e=AACCGGTTAACCGGTT

	printf '>s\nACGTTTGACA\n' > s.fa
	for o in --report=count --histogram; do
		[ "$(asm-scan $o -e $e -O tsv s.fa)" = "$head" ]
		asm-scan -O rec $o -e $e s.fa > none.rec
		[ "$(merge-topk -O tsv none.rec)" = "$head" ]
		[ "$(rec-view -O tsv none.rec)" = "$head" ]
	done
	[[ $(asm-scan -e $e -O tsv s.fa) == $'#query\tqlen\t'* ]]
	asm-scan -O rec -e $e s.fa > hits.rec
	[[ $(rec-view -O tsv none.rec hits.rec) == $'#query\tqlen\t'* ]]
}

@test "numbers of short patterns beside a long one take little memory" {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "a sanitizer takes more"
	randseq 120000 | grep -v '>' | tr -d '\n' > letters
	{ head -c 20000 letters; echo; tail -c 100000 letters | fold -w 20
	} > q
	(echo ">t" && head -c 300 letters && echo) > t.fa
	measure m asm-scan -t 1 -k 20% --report=count -q q -O tsv t.fa > o
	read -r _ _ peak _ < m
	echo "$peak KiB"
	[ "$peak" -lt 150000 ]
}

@test "--max-hits keeps what merge-topk -n keeps, and says so" {
	prepare
	for n in 1 3 1000000; do
		for f in tsv paf json bed; do
			asm-scan -k 5 --max-hits $n -q q -O $f t.fa > have
			asm-scan -O rec -k 5 -q q t.fa | merge-topk -n $n -O $f |
				cmp - have
		done
		fasta-chunk -L 500 t.fa | asm-scan -k 5 --max-hits $n -q q \
			-O tsv | cmp - <(asm-scan -O rec -k 5 -q q t.fa |
				merge-topk -n $n -O tsv)
	done
	run -0 --separate-stderr asm-scan -k 5 --max-hits 3 -q q -O tsv t.fa
	[ "$stderr" = 'asm-scan: --max-hits 3: reached by 3 of the patterns, which may have more' ]
	quiet asm-scan -k 5 --max-hits 1000000 -q q -O tsv t.fa
	quiet asm-scan --quiet -k 5 --max-hits 3 -q q -O tsv t.fa
}

@test "--max-hits is refused where it could not be right" {
	prepare
	fails 2 'merge-topk -n' asm-scan -O rec -k 1 --max-hits 3 -q q t.fa
	run -2 asm-scan -k 1 --max-hits 3 --report=count -q q -O tsv t.fa
	run -2 asm-scan -k 1 --max-hits 3 --histogram -q q -O tsv t.fa
	run -2 asm-scan -k 1 --max-hits 3 --filter -q q t.fa
	run -2 asm-scan -k 1 --max-hits 0 -q q -O tsv t.fa
}

@test "--overhang: letters beyond a sequence's ends cost that much, rounded down" {
	gives '+ 0 5 1 2S5=; + 9 13 1 4=3S' \
		GATTACAGGCCGA -s + -k 1 --overhang 0.5 -e CCGATTA
	gives '' GATTACAGGCCGA -s + -k 1 --overhang 1 -e CCGATTA
	gives '+ 0 5 2 2S5=' GATTACAGGCCGA -s + -k 2 --overhang 1.0 -e CCGATTA
	# the other strand: its first letters are the pattern's last ones
	gives '- 0 7 0 3S7=' TAATCGGTTTTT -s - -k 0 --overhang .25 -e CCGATTAGGG
	asm-scan --overhang .25 -s - -e CCGATTAGGG -O tsv t.fa > have
	[ "$(rows have | cut -f 2-4,8,9)" = "$(printf '10\t0\t7\t0\t7')" ]
	# longer than the sequence, over both ends; and a sequence of none
	gives '+ 0 4 0 2S4=2S' GATT -s + -k 1 --overhang 0.3 -e CCGATTAA
	printf '>none\n>one\nA\n' > n.fa
	asm-scan -s + -k 1 --overhang 0.4 -e CCG -O tsv n.fa > have
	[ "$(rows have | cut -f 6,8-10,12 | tr '\t' ' ')" = "$(printf '%s\n' \
		'none 0 0 0 3S' 'one 0 1 1 2S1X')" ]
}

@test "--overhang in sam, paf, json: S in CIGARs that have them" {
	printf '>T\nGATTACAGGCCGA\n' > t.fa
	asm-scan -s + -k 1 --overhang 0.5 -e CCGATTA -O sam t.fa |
		grep -v '^@' | cut -f 4,6 | tr '\t' ' ' > have
	printf '1 2S5=\n10 4=3S\n' | diff - have
	asm-scan -s + -k 1 --overhang 0.5 -e CCGATTA -O paf t.fa > have
	[ "$(cut -f 3,4,8,9,15 have | tr '\t' ' ')" = \
		"$(printf '%s\n' '2 7 0 5 cg:Z:5=' '0 4 9 13 cg:Z:4=')" ]
	# NM is of the aligned letters, AS of what hangs over, too
	for f in sam paf; do
		asm-scan -s + -k 2 --overhang 0.5 -e CCGATTTA -O $f t.fa |
			grep -v '^@' | grep -o '[0-9=XDIS]*\(NM\|AS\):i:[-0-9]*'
	done > have
	printf 'NM:i:%d\nAS:i:-2\n' 1 0 1 0 > want
	diff have want
	asm-scan -O rec -s + -k 1 --overhang 0.5 -e CCGATTA t.fa | rec-view --check
	asm-scan -O rec -s + -k 1 --overhang 0.5 --with-seq -e CCGATTA t.fa |
		rec-view -O tsv --with-seq | rows | cut -f 13 > have
	printf 'GATTA\nCCGA\n' | diff - have
}

@test "--overhang: a region's border is none of a sequence's ends" {
	printf '>T\nGATTACAGGCCAGATT\n' > t.fa
	for r in T:1-10 T:2-16; do
		asm-scan -s + -r $r --overhang 0 -e CATGATTACAGGCC \
			-e CCAGATTTTT -O tsv t.fa | rows | cut -f 12
	done > have
	printf '%s\n' 14S 10S 14S 7=3S > want
	diff want have
}

# bats test_tags=threads,slow
@test "--overhang: same bytes for any chunks, threads, instruction set, fan-out" {
	prepare
	same_everywhere -k 4 --overhang 0.5 -q q
	same_everywhere -k 3 --overhang 0.25 --report=all -q q
	same_everywhere -k 4 --overhang 0.7 --report=best -q q
	same_everywhere -k 4 --overhang 0 --no-indels -q q
	asm-scan -k 4 --overhang 0.5 --histogram --report=all -q q -O tsv \
		t.fa | rows | sort > have
	tally <(asm-scan -k 4 --overhang 0.5 --report=all -q q -O tsv t.fa) |
		diff have -
}

@test "one end only, and limits on the overlap" {
	local a=AGATCGGAAGAGC

	# at both ends of a read, a part of six letters
	printf '>r\nGAAGAGCTTTTTTTTTTTTTTTTTAGATCGG\n' > r.fa
	scan() { asm-scan -s + -k 10% -e $a "$@" -O tsv --no-header r.fa |
		cut -f 3,4,8-10,12; }
	[ "$(scan --overhang-end 0 --min-overlap 3)" = \
		"$(printf '0\t7\t24\t31\t0\t7=6S')" ]
	[ "$(scan --overhang-start 0 --min-overlap 3)" = \
		"$(printf '6\t13\t0\t7\t0\t6S7=')" ]
	[ "$(scan --overhang 0 --min-overlap 7 | wc -l)" -eq 2 ]
	[ -z "$(scan --overhang 0 --min-overlap 8 --no-indels)" ]
	[ -z "$(scan --overhang-end 0.5 --overhang-start 0.34 --min-overlap 3)" ]
	[ "$(scan --overhang-end 0.5 --overhang-start 0.16 --min-overlap 3 |
		cut -f 6)" = 6S7= ]
	# a rate of the part: 7 letters may have none at 10 %, one at 15 %
	sed -i s/AGATCGG/AGTTCGG/ r.fa
	[ "$(scan --overhang-end 0 --min-overlap 3)" = \
		"$(printf '0\t7\t24\t31\t1\t2=1X4=6S')" ]
	[ -z "$(scan --overhang-end 0 --min-overlap 3 --per-overlap)" ]
	[ "$(asm-scan -s + -k 15% -e $a --overhang-end 0 --per-overlap \
		--min-overlap 3 --no-header r.fa | cut -f 10,12)" = \
		"$(printf '1\t2=1X4=6S')" ]
	run -0 --separate-stderr asm-scan -s + -k 10% -e $a --overhang-end 0 \
		--min-overlap 3 --per-overlap --filter r.fa
	[ -z "$output" ]
	[ "$stderr" = 'asm-scan: 0 of 1 record passed' ]
	# records of the two are not those of one scan
	asm-scan -s + -k 10% -e $a --overhang 0 --min-overlap 3 -O rec r.fa |
		rec-view --check
	for o in '--min-overlap 3' --per-overlap '--overhang 0 --overhang-end 1' \
		'--overhang-start 1.5' '--overhang-end x' \
		'--overhang 0 --min-overlap 0'; do
		fails 2 '' asm-scan -k 10% $o -e $a r.fa
	done
	fails 2 '-k must be a percentage' \
		asm-scan -k 2 --overhang 0 --per-overlap -e $a r.fa
}

# Reads with adapters of few errors, some of which begin in the last letters.
adapter_reads() { # SEED
	awk -v seed="$1" -v a=AGATCGGAAGAGCACACGTCTGAACTCCAGTCA 'BEGIN {
		srand(seed)
		for (n = 0; n < 4000; n++) {
			s = ""
			for (l = int(rand() * 100); l > 0; l--)
				s = s substr("ACGT", 1 + int(rand() * 4), 1)
			b = a
			for (e = int(rand() * 5); e > 0; e--) {
				i = 1 + int(rand() * length(b))
				b = substr(b, 1, i - 1) \
				    substr("ACGT", 1 + int(rand() * 4), \
					   rand() * 3) substr(b, i + 1)
			}
			s = substr(s b "GATTACA", 1, 60)
			q = s
			gsub(/./, "I", q)
			printf "@r%d\n%s\n+\n%s\n", n, s, q
		}
	}'
}

@test "3' adapters are those that cutadapt finds" {
	command -v cutadapt > /dev/null || skip "no cutadapt"
	for s in 1 2; do
		adapter_reads $s > reads.fq
		for r in 0.1:10 0.2:20 0.15:15; do
			cutadapt -e ${r%:*} -O 3 -o want.fq --action=none \
				-a AGATCGGAAGAGCACACGTCTGAACTCCAGTCA \
				--discard-untrimmed reads.fq > log 2>&1
			asm-scan -s + -k ${r#*:}% --overhang-end 0 \
				--min-overlap 3 --per-overlap --filter -o have.fq \
				-e AGATCGGAAGAGCACACGTCTGAACTCCAGTCA reads.fq
			cmp want.fq have.fq
			[ "$(wc -l < have.fq)" -gt 4000 ]
		done
	done
}

# As seqfilters-reads(7) says: but for D in place of I, where cutadapt cuts.
@test "3' adapters are cut where cutadapt cuts, but for D before I" {
	command -v cutadapt > /dev/null || skip "no cutadapt"
	local a=AGATCGGAAGAGCACACGTCTGAACTCCAGTCA

	for r in '0.1 10 3 10 20 30' '0.2 20 3 5 10 15 20 25 30'; do
		set -- $r
		adapter_reads 3 | awk 'NR % 4 == 1 { print ">" substr($0, 2) }
			NR % 4 == 2' > reads.fa
		cutadapt -e $1 -O 3 -a $a --info-file info -o /dev/null \
			reads.fa > log 2>&1
		awk -F '\t' '$2 >= 0 { print $1 "\t" $3 "\t" $2 }' info |
			sort > want
		for o in "${@:3}"; do
			asm-scan -s + -k $2% --per-overlap --overhang-end 0 \
				--min-overlap $o -e $a --no-header \
				--columns subject,sbeg,edits,cigar reads.fa
		done | LC_ALL=C sort -k 1,1 -k 2,2n -k 3,3n |
			LC_ALL=C sort -u -k 1,1 > have
		sort have | join -t "$(printf '\t')" want - > both
		cut -f 1 want | cmp - <(cut -f 1 both)
		awk -F '\t' '$2 != $4 { n++
			if ($4 > $2 || $5 != $3 || $6 !~ /D/) exit 1 }
			END { exit (n > NR / 50) }' both
	done
}

# As seqfilters-reads(7) says; the last of equally good ends.
@test "5' adapters are cut where cutadapt cuts, or a letter behind" {
	need cutadapt rev
	local a

	a=$(rev <<< AGATCGGAAGAGCACACGTCTGAACTCCAGTCA)
	adapter_reads 3 > reads.fq
	paste -d '\n' <(sed -n '1~4s/^@/>/p' reads.fq) \
		<(sed -n '2~4p' reads.fq | rev) > reads.fa
	cutadapt -e 0.1 -O 3 -g "$a" --info-file info -o /dev/null \
		reads.fa > log 2>&1
	awk -F '\t' '$2 >= 0 { print $1 "\t" $4 "\t" $2 }' info |
		LC_ALL=C sort > want
	for o in 3 10 20 30; do
		asm-scan -s + -k 10% --per-overlap --overhang-start 0 \
			--min-overlap $o -e "$a" --no-header \
			--columns subject,send,edits,cigar reads.fa
	done | LC_ALL=C sort -k 1,1 -k 2,2nr -k 3,3n |
		LC_ALL=C sort -u -k 1,1 > have
	LC_ALL=C join -t "$(printf '\t')" want have > both
	cut -f 1 want | cmp - <(cut -f 1 both)
	[ "$(wc -l < both)" -gt 1000 ]
	awk -F '\t' '$2 != $4 { n++
			if ($4 != $2 + 1 || $5 != $3 || $6 !~ /1D[12]=$/)
				exit 1 }
			END { exit (n > NR / 20) }' both
}

# bats test_tags=slow
@test "limits on the overlap: same bytes for any chunks, threads, fan-out" {
	prepare
	same_everywhere -k 30% --overhang 0 --min-overlap 3 --per-overlap -q q
	same_everywhere -k 25% --overhang-start 0.5 --per-overlap -q q
	same_everywhere -k 25% --overhang-end 0 --min-overlap 4 --report=all -q q
	same_everywhere -k 30% --overhang 0 --per-overlap --no-indels -q q
}

@test "--overhang that is no cost, or does not go with others, is wrong usage" {
	prepare
	for c in 1.1 -1 x '' . 1e-1 0.5% 2 1.000000001 .1234567890; do
		fails 2 '' asm-scan --overhang "$c" -q q t.fa
	done
	run -2 asm-scan --overhang 0.5 --exact-suffix 3 -q q t.fa
	fails 2 '--overhang: not with --exact-prefix' \
		asm-scan --overhang 0.5 --exact-prefix 1 -q q t.fa
	asm-scan -O rec -k 1 --overhang 0.5 --exact-prefix 0 -q q t.fa | rec-view --check
	run -2 asm-scan --overhang 0.5 --ends -q q t.fa
	sed 1d <(randseq 5000 3 60) | tr -d '\n' > long
	run -2 asm-scan --overhang 0.5 -q long t.fa
}
