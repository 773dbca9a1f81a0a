# SPDX-License-Identifier: MIT
# ebwt-dist's -g with matrices, on a GPU that a CPU plays: the same bytes as
# without.
load helper

emulated() {
	emulator
	motif 1 6 a .55 > m
	motif 2 9 b .55 >> m
	motif 3 11 c .7 >> m
	motif 4 5 d .55 >> m
	printf '>s1\nACGTTNACA\n>s2\nGATTACAGATTACA\n>s3\nCATTC\n' > s.fa
}
# With and without, the same of "$@".
same() {
	same_on_gpu ebwt-dist -O tsv "$@"
	[ "$(wc -l < none)" -gt 3 ]
}

@test "words of matrices are compared the same on a GPU" {
	emulated
	for d in delta norm dm de; do
		for o in --engine=lists '--theta-pos .3 --engine=lists' \
			'--theta-word .0004'; do
			same --metric=$d $o m
			same --metric=$d $o -q s.fa m s.fa
		done
	done
	# two of more words than one task takes
	same --metric=de --theta-pos .1 m s.fa
	same --metric=de -q m s.fa m
	same --metric=de -e ACG -e CAT -e ATTTTCA -n 2 m
	# no two words with more letters than there is room for: nothing to do
	awk 'BEGIN { print ">long"; for (i = 0; i < 900; i++)
		print "ACGATTACATGCA" }' > long.fa
	same_by_cpu ebwt-dist --metric=de -q long.fa m
}

@test "products, written rotations and a bound of memory are the CPU's" {
	emulated
	for o in --engine=product '--metric=de --algorithm=paper' \
		'--metric=de --memory 100M'; do
		same_by_cpu ebwt-dist $o -q s.fa m
	done
}

# bats test_tags=threads
@test "matrices on GPUs, by threads of any number: the same bytes" {
	emulated
	export SEQF_SIMT_DEVICES=2
	counts='1 2 5'
	# a sanitizer takes a quarter of a minute each
	[ -z "${SEQF_SANITIZED:-}" ] || counts=5
	for t in $counts; do
		for g in 1 0,1; do
			ebwt-dist -g none --metric=dm --theta-pos .1 \
				--engine=lists -t $t m > none
			ebwt-dist-on-cpu -g $g --metric=dm --theta-pos .1 \
				--engine=lists -t $t m > gpu
			cmp none gpu
		done
	done
}

@test "a GPU that fails amid matrices: a warning, and the same bytes" {
	emulated
	ebwt-dist -O tsv --metric=de m > none
	same_when_it_fails '21 23 26 30 33 37' ebwt-dist -t 1 -O tsv \
		--metric=de m
	SEQF_SIMT_MEMORY=1000 run -0 --separate-stderr ebwt-dist-on-cpu -g 0 \
		-O tsv --metric=de -o gpu m
	[[ $stderr == *': GPU 0: memory: '*'the CPU searched' ]]
	cmp none gpu
	SEQF_SIMT_MEMORY=3500 run -0 --separate-stderr ebwt-dist-on-cpu -g 0 \
		-t 1 -O tsv --metric=de -o gpu m
	[ -z "$stderr" ]	# in parts
	cmp none gpu
}
