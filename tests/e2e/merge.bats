# SPDX-License-Identifier: MIT
# merge-topk: the best of everything, in one order, whole or not at all.
load helper

# Hits in two genomes of some sequences each: all.tsv is the whole table.
prepare() {
	{ randseq 8000 1 70 a1; randseq 5000 2 70 a2; } > a.fa
	{ randseq 6000 3 70 b1; randseq 4000 4 70 b2; randseq 100 5 70 b3; } > b.fa
	printf '%s\n' ACGTTGCAAC GATTACAGAT TTGACCAGGT > q
	for f in a b; do
		fasta-chunk -L 1k $f.fa | asm-scan -k 3 -q q > $f.rec
	done
	merge-topk -O tsv a.rec b.rec > all.tsv
	[ "$(rows all.tsv | wc -l)" -gt 50 ]
}

# The best $1 of each group made of the columns $2 (awk), as text.
best_of() {
	rows all.tsv | awk -F '\t' -v n="$1" "++seen[$2] <= n"
}

@test "the order: query, score, run, sequence, end, begin, strand; all that was found" {
	prepare
	rows all.tsv | awk -F '\t' -v OFS='\t' '
		BEGIN { o["ACGTTGCAAC"] = 1; o["GATTACAGAT"] = 2; o["TTGACCAGGT"] = 3 }
		{ print o[$1], -$11, $6, $9, $8, ($5 == "-"), $12, $0 }' > keyed
	sort -s -k1,1n -k2,2n -k3,3 -k4,4n -k5,5n -k6,6n -k7,7 keyed | cmp - keyed
	{ asm-scan -k 3 -q q -O tsv a.fa; asm-scan -k 3 -q q -O tsv b.fa; } |
		rows | sort | cmp - <(rows all.tsv | sort)
	merge-topk -O tsv b.rec a.rec | cmp - all.tsv
	cat b.rec a.rec | merge-topk -O tsv | cmp - all.tsv
	for s in 1 2 3; do
		cat a.rec b.rec | recframes shuffle $s | merge-topk -O tsv |
			cmp - all.tsv
	done
	cat a.rec b.rec | recframes reverse | merge-topk -O tsv | cmp - all.tsv
	merge-topk -O tsv a.rec b.rec a.rec > have 2> note
	cmp have all.tsv
	[ "$(wc -l < note)" -eq 1 ]
	merge-topk --quiet -O tsv a.rec b.rec a.rec 2>&1 | cmp - all.tsv
}

@test "the best of each group are the first of the table, with ties or without" {
	prepare
	for n in 1 2 7 1000000; do
		merge-topk -n $n -O tsv a.rec b.rec | rows | cmp - <(best_of $n '$1')
		merge-topk -n $n --per=subject -O tsv a.rec b.rec | rows |
			sort > have
		rows all.tsv | sort -s -t "$(printf '\t')" -k11,11nr |
			awk -F '\t' -v n=$n '++seen[$6] <= n' | sort | cmp - have
		merge-topk -n $n --per=pair -O tsv a.rec b.rec | rows |
			cmp - <(best_of $n '$1 "/" $6')
	done
	merge-topk --per=all -n 9 -O tsv a.rec b.rec | rows |
		cmp - <(rows all.tsv | sort -s -t "$(printf '\t')" -k11,11nr | head -n 9)
	worst=$(best_of 3 '$1' | awk '$1 == "GATTACAGAT" { s = $11 } END { print s }')
	want=$(rows all.tsv | awk -v s="$worst" \
		'$1 == "GATTACAGAT" && $11 >= s' | wc -l)
	[ "$want" -gt 3 ]
	merge-topk -n 3 --ties=keep -O tsv a.rec b.rec | rows |
		grep -c GATTACAGAT | grep -qx "$want"
	merge-topk -n 3 --ties=cut -O tsv a.rec b.rec | rows |
		grep -c GATTACAGAT | grep -qx 3
}

@test "--sort=position: by query, run, sequence, end" {
	prepare
	merge-topk --sort=position -O tsv a.rec b.rec | rows > have
	rows all.tsv | awk -F '\t' -v OFS='\t' '
		BEGIN { o["ACGTTGCAAC"] = 1; o["GATTACAGAT"] = 2; o["TTGACCAGGT"] = 3 }
		{ print o[$1], $6, $9, $8, ($5 == "-"), $12, $0 }' |
		sort -s -k1,1n -k2,2 -k3,3n -k4,4n -k5,5n -k6,6 | cut -f 7- |
		cmp - have
}

@test "merging in series and in trees gives the same as all at once" {
	prepare
	for n in 2 1000; do
		merge-topk -n $n -O tsv a.rec b.rec > want
		merge-topk -n $n -O rec a.rec b.rec | merge-topk -n $n -O tsv |
			cmp - want
		for i in 0 1 2 3; do
			for f in a b; do
				fasta-chunk -L 1k --part $i/4 $f.fa |
					asm-scan -k 3 -q q
			done | merge-topk --partial -n $n > $i.part
		done
		merge-topk --partial -n $n 2.part 0.part > even.part
		merge-topk --partial -n $n 1.part 3.part > odd.part
		merge-topk -n $n -O tsv odd.part even.part | cmp - want
		merge-topk -n $n -O tsv ?.part | cmp - want
		fails 3 '' merge-topk -n $n -O tsv odd.part
	done
	# by position, and each group
	for o in --sort=position --per=all --per=pair --ties=keep; do
		merge-topk $o -n 4 -O tsv a.rec b.rec > want
		for f in a b; do
			merge-topk --partial $o -n 4 $f.rec > $f.part
		done
		merge-topk $o -n 4 -O tsv b.part a.part | cmp - want
	done
}

@test "frames of one receipt that go to two merges: none gets lost" {
	printf '>a\nACGTTGCATTGCAACGGTATCAGG\n>b\nTTGCAGGTATTACCGGATACCGAT\n' > q
	randseq 3000 5 > bg.fa
	fasta-chunk -L 1000 bg.fa |
		primer-find -k 3 --max-len 24 --primers=both -q q > all.rec
	merge-topk -O tsv all.rec > want
	[ "$(wc -l < want)" -gt 20 ]
	n=$(recframes list < all.rec | wc -l)
	for first in 0 1; do
		for j in 0 1; do
			for i in $(seq $(((first + j) % 2)) 2 $((n - 1))); do
				recframes only $i < all.rec
			done | merge-topk --partial > $j.part
		done
		merge-topk --partial 1.part 0.part | merge-topk -O tsv | cmp - want
	done
	# half of it alone is not whole, and no row of it is shown
	fails 3 '' merge-topk -O tsv 0.part
}

@test "what is missing is named, made again alone, and then it is whole" {
	prepare
	merge-topk -O tsv a.rec > want
	for i in 0 2 3 4; do
		fasta-chunk -L 1k --part $i/5 a.fa | asm-scan -k 3 -q q > $i.rec
	done
	fails 3 1 merge-topk -O tsv [0-9].rec
	merge-topk --missing [0-9].rec > missing
	[ "$(rows missing | tr '\n' ' ')" = '1 6 11 ' ]
	fasta-chunk -L 1k --only @missing a.fa | asm-scan -k 3 -q q > again.rec
	merge-topk -O tsv [0-9].rec again.rec | cmp - want
	[ -z "$(merge-topk --missing [0-9].rec again.rec | rows)" ]
}

@test "--only with other options is another run and repairs nothing" {
	prepare
	fasta-chunk -L 1k --part 0/2 a.fa | asm-scan -k 3 -q q > 0.rec
	merge-topk --missing 0.rec > missing
	fasta-chunk -L 2k --only @missing a.fa | asm-scan -k 3 -q q > 1.rec
	fails 3 'a.fa: parts of two ways to cut it' \
		merge-topk -O tsv 0.rec 1.rec
	fasta-chunk -L 1k --only @missing a.fa | asm-scan -k 2 -q q > 1.rec
	fails 3 'a.fa: parts of 2 scans' merge-topk -O tsv 0.rec 1.rec
}

@test "text in place of records: an error says what to give" {
	prepare
	fails 1 'a.fa: holds no records*scanner' merge-topk -O tsv a.fa
	fails 1 'all.tsv: holds no records' merge-topk -O tsv all.tsv
	: > none
	fails 3 'the input is empty' merge-topk -O tsv none
}

@test "--runs counts runs: a run that got lost is noticed" {
	prepare
	merge-topk --runs 2 -O tsv a.rec b.rec | cmp - all.tsv
	fails 3 '' merge-topk --runs 2 -O tsv a.rec
	fails 3 '' merge-topk --runs 1 -O tsv a.rec b.rec
}

@test "an empty input is not whole" {
	: > empty
	: | gzip > empty.gz
	for f in empty empty.gz; do
		says 3 'the input is empty' rec-view -O tsv $f
		run -3 --separate-stderr merge-topk -O tsv $f
	done
	fails 3 '' merge-topk -O tsv empty
	run -3 --separate-stderr sh_ 'merge-topk -O tsv < /dev/null'
}

@test "--missing: two ENDs that differ are named, and so is the cure" {
	mkdir a b
	printf '>chr1\nACGTACGT\n>s1\nACGT\n' > a/x.fa
	printf '>chr1\nACGTACGT\n>s2\nACGT\n' > b/x.fa
	(asm-scan -O rec -e ACGT a/x.fa; asm-scan -O rec -e ACGT b/x.fa) > two.rec
	says='x.fa: END frames disagree: *--label keeps *'
	for p in 'merge-topk --missing' 'merge-topk -O tsv'; do
		fails 3 "$says" $p two.rec
	done
	asm-scan -O rec -e ACGT a/x.fa | head -c -20 > cut.rec
	run -3 --separate-stderr merge-topk --missing cut.rec
	cure='no END frame, *: add the output of fasta-chunk --only @/dev/null FILE'
	[[ $stderr == *'x.fa: '$cure ]]
	# its chunk came, or it did not
	for n in 0 1; do
		tail -c $n cut.rec > part.rec
		[ $n -gt 0 ] || cp cut.rec part.rec
		fasta-chunk --only @/dev/null a/x.fa |
			merge-topk --missing part.rec - > missing
		[ "$(wc -l < missing)" -eq $n ]
	done
	: > empty
	fails 3 ": $cure" merge-topk --missing empty
}

@test "an empty file beside others is named, and the input is not whole" {
	prepare
	: > empty
	: | gzip > none.gz
	for f in empty none.gz; do
		for x in "a.rec $f" "$f a.rec"; do
			for p in 'merge-topk -O tsv' 'rec-view --check'; do
				fails 3 "$f: not a byte is in it" $p $x
			done
			# what came goes on, and so does the status
			fails 3 "$f: not a byte is in it" sh_ \
				"merge-topk --partial $x > x"
			merge-topk -O tsv x | diff - <(merge-topk -O tsv a.rec)
			# that is what --missing is for
			run -0 --separate-stderr merge-topk --missing $x
			[ -z "$output" ]
			[[ $stderr == *"$f: not a byte is in it"* ]]
		done
		fails 3 'stdin: not a byte is in it' \
			sh_ "asm-scan -O rec -e ACGT a.fa - < $f > y"
	done
	fails 3 'empty:*none.gz:*the input is empty' \
		merge-topk -O tsv empty none.gz
}

@test "no hit at all is a table without rows, exit 0" {
	prepare
	asm-scan -O rec -e ACGTACGTACGTACGTACGTACGT a.fa | merge-topk -O tsv > have
	[ -z "$(rows have)" ]
	[ "$(wc -l < have)" -eq 1 ]
	asm-scan -O rec -e ACGTACGTACGTACGTACGTACGT a.fa | merge-topk -O bed > have
	[ ! -s have ]
}

@test "two scans of one run are two ledgers" {
	prepare
	mkfifo copy
	asm-scan -O rec -k 1 -e ACGTTGCAAC < copy > 1.rec &
	fasta-chunk -L 1k a.fa | tee copy |
		asm-scan -O rec -k 1 -e TTGACCAGGT > 2.rec
	wait
	merge-topk -O tsv 1.rec 2.rec | rows | wc -l > n
	{ merge-topk -O tsv 1.rec; merge-topk -O tsv 2.rec; } | rows | wc -l |
		cmp - n
	# half of one scan is missing, though the other is whole
	fasta-chunk -L 1k --part 0/2 a.fa | asm-scan -k 1 -e ACGTTGCAAC > 1.rec
	fails 3 '' merge-topk -O tsv 1.rec 2.rec
}

@test "the same queries are one scan, whatever their files are called" {
	prepare
	cp q other
	fasta-chunk -L 1k --part 0/2 a.fa | asm-scan -k 3 -q other > 0.rec
	fasta-chunk -L 1k --part 1/2 a.fa | asm-scan -k 3 -q q > 1.rec
	for x in '0.rec 1.rec b.rec' 'b.rec 1.rec 0.rec' 'a.rec b.rec 0.rec'; do
		merge-topk -O tsv $x | cmp - all.tsv
	done
	merge-topk --partial 1.rec b.rec | merge-topk -O tsv 0.rec - |
		cmp - all.tsv
}

@test "an input that was cut in two ways is noted: its rows come twice" {
	prepare
	for o in '-L 2k' '-W 500 -L 1k'; do
		fasta-chunk $o a.fa | asm-scan -k 3 -q q > other.rec
		merge-topk -O tsv a.rec other.rec 2> err | rows > have
		grep -q '^merge-topk: a.fa was cut in two ways' err
	done
	fasta-chunk -L 2k a.fa | asm-scan -k 2 -q q > other.rec
	merge-topk -O tsv a.rec b.rec other.rec 2> err > have
	[ ! -s err ]
}

# bats test_tags=slow
@test "a chunk of several frames counts once beside a merge that holds it" {
	{ echo '>a'; for i in {1..10}; do printf 'AC%.0s' {1..10000}; done; } > a.fa
	asm-scan -O rec -k 3 -e ACACACACACAC -e CACACACACACA -e ACACACACACAA \
		-e ACACACACACACA -e CACACACACACAC -e ACACACACACACACAC \
		--report=all a.fa > a.rec
	rec-view --stats a.rec | grep '^frames HITS *[2-9]'
	merge-topk --partial a.rec > all.part
	merge-topk --partial -n 5 a.rec > few.part
	merge-topk -n 4 -O tsv a.rec > want
	merge-topk -n 4 -O tsv all.part a.rec | cmp - want
	merge-topk --partial few.part a.rec > both.part
	merge-topk -n 4 -O tsv both.part | cmp - want
	[ "$(rec-view --stats both.part | grep ^hits)" = \
		"$(rec-view --stats a.rec | grep ^hits)" ]
}

@test "--no-overlap keeps the best of rows that overlap" {
	prepare
	merge-topk --no-overlap 0 --sort=position -O tsv a.rec b.rec | rows > have
	awk -F '\t' '$1 == q && $6 == s && $8 < e { print; bad = 1 }
		{ q = $1; s = $6; if (q != pq || s != ps || $9 > e) e = $9
		  pq = q; ps = s } END { exit bad }' have
	[ "$(wc -l < have)" -lt "$(rows all.tsv | wc -l)" ]
	merge-topk --no-overlap 1 -O tsv a.rec b.rec | cmp - all.tsv
	run -2 merge-topk --partial --no-overlap 0 a.rec
	# without beginnings nobody knows what overlaps
	asm-scan -O rec --ends -k 3 -q q a.fa > e.rec
	fails 2 --ends merge-topk -O tsv --no-overlap 0.5 e.rec
	for x in -1 2 x '' 0x1 inf 1e-1 ' 0' 0.1234567890; do
		run -2 merge-topk -O tsv --no-overlap "$x" a.rec
	done
}

# bats test_tags=slow
@test "a table larger than memory is sorted in TMPDIR, which stays clean" {
	randseq 60000 9 > t.fa
	mkdir tmp
	asm-scan -O rec -k 2 -e ACGT -e GGCA -e TTTA --report=all t.fa > t.rec
	TMPDIR=$PWD/tmp merge-topk -O tsv t.rec | rows > have
	[ "$(wc -l < have)" -gt 100000 ]
	[ -z "$(ls tmp)" ]
	sort -s -t "$(printf '\t')" -k11,11nr -k9,9n -k8,8n -k5,5 -k12,12 have |
		awk '$1 == "GGCA"' | cmp - <(awk '$1 == "GGCA"' have)
}
