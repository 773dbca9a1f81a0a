# SPDX-License-Identifier: MIT
# fasta-chunk: parts, serials and regions of what goes in.
load helper

@test "a part that gets no chunk still says how many there are" {
	printf '>a\nACGT\n' > a.fa
	fasta-chunk --part 7/9 a.fa > 7.rec
	[[ $(types < 7.rec) == *END* ]]
	types < 7.rec | no grep CHUNK
	run -3 rec-view --check 7.rec
	fasta-chunk --part 0/9 a.fa | cat - 7.rec | rec-view --check
}

@test "--only takes numbers, ranges and files of them" {
	fasta-chunk -L 5k --only 3,0-1,8 "$DATA/lambda.fa.gz" > x.rec
	[ "$(recframes list < x.rec | awk '$2 == "CHUNK" { printf "%s ", $4 }')" \
		= "0 1 3 8 " ]
	printf '# comment\n3\n0-1\n\n8\n' > list
	fasta-chunk -L 5k --only @list "$DATA/lambda.fa.gz" | cmp - x.rec
	for bad in x 3- -3 5-2 1,,2 '' @nosuchfile; do
		run --separate-stderr fasta-chunk -o y --only "$bad" "$DATA/lambda.fa.gz"
		[ $status -eq 1 ] || [ $status -eq 2 ]
		one_line fasta-chunk
	done
}

@test "--only names serials that the run does not have" {
	printf '>a\nACGTACGTAC\n' > a.fa		# 5 chunks
	says 0 'has 5 chunks, from serial 0: there is no 5-7, 99' \
		fasta-chunk -L 2 -o x --only 3,5-7,99 a.fa
	printf '1\n5\n' > list
	says 0 'there is no 5' fasta-chunk -L 2 -o y --only @list a.fa
	# what is there is written all the same
	fasta-chunk -L 2 --only 3 a.fa | cmp - x
	fasta-chunk -L 2 --only 1 a.fa | cmp - y
	# nothing wanted is nothing missed; a part may be without any
	quiet fasta-chunk -L 2 -o x --only @/dev/null a.fa
	quiet fasta-chunk -L 2 -o x --part 7/9 --only 0-4 a.fa
	# -t only changes the speed, and an empty run has no chunk
	: > none.fa
	run -0 --separate-stderr fasta-chunk -t 3 -o x --only 0 none.fa
	[[ $stderr == *$'none.fa: there is no sequence in it\n'* ]]
	[[ $stderr == *"has 0 chunks, from serial 0: there is no 0" ]]
}

@test "a region counts from 1, both ends included, and keeps its place" {
	printf '>a\nTTTT\n>chr1 d\nAACCGGTTAACCGGTT\n>b\nGG\n' > in
	[ "$(there_and_back -r chr1:3-6 in | tail -n 1)" = CCGG ]
	[ "$(there_and_back -r chr1:0,003-1,6 in | tail -n 1)" = CCGGTTAACCGGTT ]
	[ "$(there_and_back -r chr1 in | tail -n 1)" = AACCGGTTAACCGGTT ]
	fasta-chunk -r chr1:3-12 in | asm-scan -s + -e CCGG -O bed > have
	[ "$(cut -f 1-3 have)" = $'chr1\t2\t6' ]
	fasta-chunk -r chr1:3-14 -L 3 in | asm-scan -s + -e CCGG -O bed > have
	[ "$(cut -f 1-3 have)" = $'chr1\t2\t6\nchr1\t10\t14' ]
}

@test "where a region begins, no context is missing" {
	randseq 400 7 70 x > in
	q=$(sed -n 4p in | cut -c 20-50)
	asm-scan -k 14 --report=all -r x:101-300 -e $q -O tsv in > want
	sw-scan -n 9 -r x:101-300 -e $q -O tsv in > want.sw
	[ "$(wc -l < want)" -gt 5 ]
	for l in 7 20 64; do
		for i in 0 1 2; do
			fasta-chunk -r x:101-300 -L $l -W 90 --part $i/3 in |
				tee $i.rec | asm-scan -O rec -k 14 --report=all \
				-e $q > asm.$i
			sw-scan -n 9 -e $q $i.rec > sw.$i
		done
		merge-topk --sort=position -O tsv asm.? | sort |
			diff <(sort want) -
		merge-topk -n 9 -O tsv sw.? | sort | diff <(sort want.sw) -
	done
	# but behind it, it is
	fasta-chunk -r x:101-300 -L 20 -W 19 --part 2/3 in > 2.rec
	run -2 asm-scan -k 14 --report=all -e $q -O tsv 2.rec
}

@test "a region that is not there or makes no sense is an error" {
	printf '>chr1\nAACC\n' > in
	for r in chr2 chr2:1-2 chr1:3-2 chr1:0-2 chr1:7-9 chr1:2-1,000; do
		fails 2 "$r" fasta-chunk -o x -r $r in
		[ ! -e x ]
	done
}
