# SPDX-License-Identifier: MIT
# Circular sequences: what is over the origin is found, and rotating the
# sequence moves the rows.
load helper

# Rows of hits as if N letters had been at the other end of a circle of LEN.
moved() {
	awk -v n="$1" -v len="$2" 'BEGIN { FS = OFS = "\t" }
		{ if ($8 == "*") $9 = ($9 - 1 - n + 2 * len) % len + 1
		  else { d = $9 - $8; $8 = ($8 - n + len) % len; $9 = $8 + d }
		  print }' | sort
}

# A circle of the size of phiX, and what is looked for in it: also over the
# origin, on both strands, with differences.
prepare() {
	randseq 5386 174 70 phi > phi.fa
	randseq 40 5 70 other > other.fa
	s=$(unwrap phi.fa | tail -1)
	{
		printf '>over\n%s%s\n' "${s: -9}" "${s:0:12}"
		printf '>one\n%s%s\n' "${s: -1}" "${s:0:19}"
		printf '>last\n%s\n' "${s: -20}"
		printf '>minus\n%s\n' "$(printf '%s%s' "${s: -14}" "${s:0:6}" |
			rev | tr ACGT TGCA)"
		printf '>far\n%sA%s\n' "${s: -8}" "${s:1:12}"
		printf '>short\n%s%s\n' "${s: -2}" "${s:0:3}"
	} > q.fa
}

@test "a hit over the origin begins in the sequence and ends beyond it" {
	printf '>a\nACGTACGTTTGGCA\n>b\nGGGGGGGGGG\n' > c.fa
	run -0 asm-scan --no-header --circular -s + -e CAACG c.fa
	[ "$output" = $'CAACG\t5\t0\t5\t+\ta\t14\t12\t17\t0\t0\t5=' ]
	run -0 asm-scan --no-header -s + -e CAACG c.fa
	[ -z "$output" ]
	# all ends are alike: each is one
	[ "$(asm-scan --no-header --circular -s + -e GGG c.fa | wc -l)" = 10 ]
	[ "$(asm-scan --no-header -s + -e GGG c.fa | wc -l)" = 1 ]
	asm-scan --circular -s + -e GGG --histogram c.fa | grep -q '0	10$'
	[ "$(asm-scan --no-header --circular -s + -k 1 --max-mismatches 0 \
		-e GGC c.fa | grep -c '	b	')" = 10 ]
}

@test "rotating a sequence moves its hits and changes nothing else" {
	prepare
	for o in '' --report=all --no-indels --ends --no-cigar --with-seq \
		'--exact-suffix 3' --report=best '--max-mismatches 1'; do
		asm-scan --no-header --circular -k 2 $o -q q.fa phi.fa > want
		[ -s want ]
		for n in 1 7 2500 5385; do
			rotate $n < phi.fa > r.fa
			asm-scan --no-header --circular -k 2 $o -q q.fa r.fa |
				sort > have
			moved $n 5386 < want | diff - have
		done
	done
	for o in --histogram --report=count; do
		asm-scan --circular -k 3 $o -q q.fa phi.fa > want
		rotate 77 < phi.fa | asm-scan --circular -k 3 $o -q q.fa |
			diff want -
	done
}

@test "sites of guides over the origin" {
	randseq 3000 9 70 c > c.fa
	s=$(unwrap c.fa | tail -1)
	g="${s: -11}${s:0:9}"
	for side in 3 5; do
		for n in 0 5 9 10 12 20 25 30 40 2990; do
			rotate $n < c.fa > r.fa
			asm-scan --circular --pam NN,TTN --pam-side $side \
				--no-header -k 3 -e "$g" -e ACGTTGCATTGACC \
				r.fa > r.tsv
			[ "$n" != 0 ] || cp r.tsv want
			moved $n 3000 < want > m.tsv
			sort r.tsv | diff m.tsv -
		done
		[ -s want ]
		awk '$9 > $7' want | grep -q .
	done
	# the mirror image
	asm-scan --circular --pam NG -k 3 -e "$g" --no-header c.fa | cut -f 5,10 |
		tr -- +- -+ | sort > want
	unwrap c.fa | awk '/^>/ { print; next } { print | "rev | tr ACGT TGCA" }' |
		asm-scan --circular --pam NG -k 3 -e "$g" --no-header |
		cut -f 5,10 | sort | diff want -
}

@test "chunks, threads and parts do not show; rows are in order" {
	prepare
	cat phi.fa other.fa > all.fa
	asm-scan --circular=phi -k 2 -q q.fa all.fa > want
	sort -s -t '	' -k 8,8n want | grep -q over
	awk -F '\t' 'NR > 1 && $6 == "phi" { if ($9 < last) exit 1; last = $9 }' \
		want
	for l in 1M 5386 3000 777 64 11; do
		for t in 1 3; do
			fasta-chunk --circular=phi -L $l -W 60 all.fa |
				asm-scan -t $t -k 2 -q q.fa -O tsv | diff want -
		done
	done
	merge-topk --sort=position <(asm-scan --circular=phi -k 2 -q q.fa -O rec \
		all.fa) > sorted
	parts 3 '--circular=phi -L 500 -W 60 all.fa' asm-scan -k 2 -q q.fa
	merge-topk --sort=position 1.rec 2.rec 0.rec | diff sorted -
	merge-topk --sort=position 1.rec 2.rec 0.rec 1.rec 2> err | diff sorted -
	fails 3 missing merge-topk --sort=position 1.rec 2.rec
	# the last piece alone was lost
	fasta-chunk --circular=phi -L 500 -W 60 all.fa > chunks
	last=$(rec-view chunks | awk '$1 == "phi" { n = $5 } END { print n }')
	fasta-chunk --circular=phi -L 500 -W 60 --only "0-$((last - 1))" all.fa |
		asm-scan -k 2 -q q.fa > most.rec
	run -3 merge-topk most.rec
	merge-topk --missing most.rec > missing || [ $? = 3 ]
	fasta-chunk --circular=phi -L 500 -W 60 --only @missing all.fa |
		asm-scan -k 2 -q q.fa | merge-topk --sort=position most.rec - |
		diff sorted -
	# as workers get them
	fasta-chunk --circular=phi -L 500 -W 60 all.fa | recframes reverse |
		asm-scan -k 2 -q q.fa | merge-topk --sort=position | diff sorted -
}

@test "-n chooses by the places that are shown" {
	prepare
	asm-scan --circular -k 3 --report=all -q q.fa -O rec phi.fa > h.rec
	for n in 1 2 5; do
		asm-scan --circular -k 3 --report=all -n $n -q q.fa phi.fa > have
		merge-topk -n $n h.rec | diff - have
	done
	fails 2 origin asm-scan --circular -k 2 --no-overlap 0.5 -q q.fa phi.fa
}

@test "a stream of circles comes back as the letters it was cut from" {
	printf '>a x y\nACGTacgtNNRRTTGGCA\n>b\nG\n>c\nGATTACAGATTACA\n' > c.fa
	for l in 1 2 5 13 14 100; do
		for w in 0 1 3 9 50; do
			fasta-chunk --circular -L $l -W $w c.fa > c.rec
			rec-view -O fasta c.rec | diff c.fa -
			rec-view --check c.rec > /dev/null
			ebwt-dist c.rec -O tsv > have
			ebwt-dist c.fa | diff - have
		done
	done
}

@test "which sequences are circular" {
	{
		printf '>a topology=circular [topology=circular]x\nTTACGGA\n'
		printf '>b len=7 [topology=circular]\nTTACGGA\n'
		printf '>c circular=true depth=2\nTTACGGA\n>d\nTTACGGA\n'
	} > c.fa
	found() {
		asm-scan --no-header -s + -e GGATT --columns subject "$@" c.fa |
			tr '\n' ' '
	}
	[ "$(found)" = '' ]
	[ "$(found --circular)" = 'a b c d ' ]
	[ "$(found --circular=auto)" = 'b c ' ]
	[ "$(found --circular=d,a)" = 'a d ' ]
	printf 'd and more\r\n\na\n' > names
	[ "$(found --circular=@names)" = 'a d ' ]
	[ "$(found --circular=d -r d)" = 'd ' ]
	[ "$(found --circular=d -r d:1-7)" = '' ]
	# what is said counts, not how
	rec_id() { rec-view --header <(fasta-chunk "$@" c.fa); }
	[ "$(rec_id --circular=a,d)" = "$(rec_id --circular=@names)" ]
	[ "$(rec_id --circular=a)" != "$(rec_id --circular=d)" ]
	fails 2 'no sequence is called e' asm-scan --circular=e -e ACGT c.fa
	fails 2 'empty name' fasta-chunk --circular=a,,b c.fa
	fails 2 '--circular*empty' fasta-chunk --circular= c.fa
	: > none
	run -2 fasta-chunk --circular=@none c.fa
	fails 1 nofile fasta-chunk --circular=@nofile c.fa
	fails 2 'give --circular to fasta-chunk' \
		asm-scan --circular -e ACGT <(fasta-chunk c.fa)
	printf '>m\nA [ 1 0 ]\nC [ 0 1 ]\nG [ 0 0 ]\nT [ 0 0 ]\n' > m.jaspar
	fails 2 matrix fasta-chunk --circular m.jaspar
}

@test "a circle that is too short, or has too little context, is refused" {
	printf '>c\nACGTTGCA\n' > c.fa
	asm-scan --circular -k 2 -e ACGTTG c.fa > /dev/null
	fails 2 'c: --circular: a match can have 9 letters' \
		asm-scan --circular -k 3 -e ACGTTG c.fa
	run -2 asm-scan --circular --pam NGG -k 1 -e ACGTTG c.fa
	printf '>none\n' > none.fa
	run -2 asm-scan --circular -e A none.fa
	randseq 300 > r.fa
	run -2 sh_ 'fasta-chunk --circular -L 100 -W 9 r.fa |
		asm-scan -k 2 -e ACGTTG'
	[[ $output == *"-W 14"* ]]
	fasta-chunk --circular -L 100 -W 14 r.fa | asm-scan -k 2 -e ACGTTG -O tsv |
		diff <(asm-scan --circular -k 2 -e ACGTTG r.fa) -
	# is the whole circle like its first letters?
	printf '>c\n%0300d\n' 0 | tr 0 A > a.fa
	run -2 sh_ 'fasta-chunk --circular -L 100 -W 14 a.fa |
		asm-scan -k 2 -e AACAAA'
	[[ $output == *"-L 300"* ]]
	[ "$(fasta-chunk --circular -L 300 -W 14 a.fa |
		asm-scan -s + -k 2 -e AACAAA -O tsv | wc -l)" = 301 ]
}

@test "who knows no circles refuses them" {
	prepare
	fasta-chunk --circular phi.fa > c.rec
	fails 2 --circular sw-scan -q q.fa c.rec
	[ -z "$(sw-scan -q q.fa c.rec 2> /dev/null)" ]
	fails 2 --circular sw-scan --circular -q q.fa phi.fa
	sw-scan --circular=auto -q q.fa phi.fa | cmp - <(sw-scan -q q.fa phi.fa)
	cat phi.fa other.fa > two.fa
	ebwt-dist --circular two.fa | cmp - <(ebwt-dist two.fa)
	ebwt-dist --circular --ebwt other.fa |
		cmp - <(ebwt-dist --ebwt other.fa)
	run -2 ebwt-dist --circular=nobody two.fa
}

@test "formats: what they cannot say they do not" {
	prepare
	asm-scan --circular -k 2 -q q.fa phi.fa > h.tsv
	over=$(awk -F '\t' 'NR > 1 && $9 > 5386' h.tsv | wc -l)
	[ "$over" -gt 3 ]
	asm-scan --circular -k 2 -q q.fa -O bed phi.fa > h.bed
	[ "$(wc -l < h.bed)" = $(($(wc -l < h.tsv) - 1 + over)) ]
	sort -s -k 2,2n h.bed | diff h.bed -
	awk '$3 > 5386 || $2 >= $3 { exit 1 }' h.bed
	fasta-chunk --circular -L 600 -W 99 phi.fa | asm-scan -k 2 -q q.fa |
		merge-topk -O bed | sort | diff <(sort h.bed) -
	asm-scan --circular -k 2 -q q.fa -O gff3 phi.fa > h.gff
	[ "$(grep -c Is_circular=true h.gff)" = 1 ]
	[ "$(awk '$5 > 5386' h.gff | wc -l)" = "$over" ]
	asm-scan --circular -k 2 -q q.fa -O json phi.fa |
		grep -c '"send":5398' > /dev/null
	fails 2 'paf cannot' asm-scan --circular -k 2 -q q.fa -O paf phi.fa
	asm-scan --circular -k 2 -q q.fa -O svg phi.fa > /dev/null
	asm-scan --circular -k 2 -q q.fa -O pretty phi.fa > /dev/null
	asm-scan --circular -k 2 -q q.fa -O sam phi.fa > h.sam
	grep -q 'LN:5386	TP:circular' h.sam
	need samtools
	samtools sort -o h.bam h.sam
	samtools index h.bam
	[ "$(samtools view h.bam phi:5386-5386 | wc -l)" -ge "$over" ]
	need bedtools
	bedtools intersect -sorted -a h.bed -b h.bed > /dev/null
}

@test "records that match over the origin pass a filter" {
	prepare
	cat other.fa phi.fa > all.fa
	s=$(unwrap phi.fa | tail -1)
	q="${s: -9}${s:0:12}"
	asm-scan --circular --filter -e "$q" all.fa | diff phi.fa -
	asm-scan --circular --invert -e "$q" all.fa | diff other.fa -
	[ -z "$(asm-scan --filter -e "$q" all.fa)" ]
}
