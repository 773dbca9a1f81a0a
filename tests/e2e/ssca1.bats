# SPDX-License-Identifier: MIT
# SSCA#1: the example beside a textbook program, on codons as 64 symbols.
load helper

ssca1() {
	sh "$BATS_TEST_DIRNAME/../../examples/ssca1.sh" "$@"
}

# Best alignments of the files in $1, by the textbook.
textbook() { # DIR OPTIONS ...
	gotoh -M $1/codons.matrix -o 5 -e 2 "${@:2}" $1/main.codons $1/match.codons
}

# $1 is the kernels' output, $2 rows of a table: scores, ends, starts, CIGARs.
kernels_are() {
	sed '/kernel 2/,$d' $1 | rows > have1
	sed '1,/kernel 2/d' $1 > have2
	awk -F '\t' '{ print $11 "\t" $4 "\t" $9 }' $2 > want1
	awk -F '\t' '{
		print $11 "\t" $3 "-" $4 "\t" $8 "-" $9 "\t" $12 }' $2 > want2
	[ -s want1 ]
	diff want1 have1
	diff want2 have2
}

# bats test_tags=slow
@test "both kernels find what a textbook program finds" {
	for seed in 1 2 3; do
		DIR=$seed N=30 ssca1 16 $seed > out
		textbook $seed -n 30 > want
		[ "$(wc -l < want)" -eq 30 ]
		kernels_are out want
		cut -f 1 have1 | head -3 > scores
		printf '55\n54\n53\n' | diff - scores
	done
}

# bats test_tags=slow
@test "so they do for any number of threads and instruction set" {
	DIR=0 N=12 ssca1 17 4 > want
	for isa in $ISAS; do
		SEQF_ISA=$isa SEQF_THREADS=2 N=12 ssca1 17 4 | cmp - want
	done
}

# bats test_tags=slow
@test "each reading of the best, as a scanner's text, is the textbook's" {
	DIR=d ssca1 15 7 > /dev/null
	for b in alignments cells waterman-eggert; do
		fasta-chunk --digits -L 1G d/match.codons |
			sw-scan --digits --matrix d/codons.matrix \
				--gap-open 5 --gap-extend 2 --kind=$b -n 40 \
				-q d/main.codons -O tsv | rows > have
		textbook d -b $b -n 40 --scan | diff - have
	done
}

# bats test_tags=slow
@test "sequences may be given, compressed or not" {
	DIR=d ssca1 16 5 > want
	gzip -k d/match.fa
	ssca1 d/main.fa d/match.fa.gz | cmp - want
	tr ACGT acgt < d/main.fa > lower.fa
	ssca1 lower.fa d/match.fa | cmp - want
}

@test "what is no sequence of codons, or no scale, is an error" {
	printf '>a\nACGTA\n' > five.fa
	printf '>a\nACGTAN\n' > n.fa
	printf '>a\nACGTAC\n' > six.fa
	fails 2 '' ssca1 six.fa five.fa
	fails 2 '' ssca1 n.fa six.fa
	run -2 ssca1 six.fa
	run -2 ssca1 13
	run -0 ssca1 six.fa six.fa
	[ "${lines[1]}" = $'10\t2\t2' ]
}
