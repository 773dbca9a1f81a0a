# SPDX-License-Identifier: MIT
# Count and probability matrices as input.
load helper

@test "matrices in several layouts become records of probabilities" {
	printf '>MA1 x\nA [ 1 2 3 ]\nC [ 0 0 0 ]\nG [ 1 1 1 ]\nT [ 0 0 0 ]\n' > m
	fasta-chunk m > m.rec
	rec-view --check m.rec
	rec-view --stats m.rec | grep -Eq '^letters.* 3$'
	printf '>MA1 x\n1 2 3\n0 0 0\n1 1 1\n0 0 0\n' > m
	fasta-chunk --matrix=pfm m | rec-view --stats | grep -Eq '^letters.* 3$'
	fasta-chunk m | rec-view --stats | grep -Eq '^letters.* 3$'
	sed 1d m | fasta-chunk | rec-view --stats | grep -Eq '^letters.* 3$'
	fails 1 '' asm-scan -e ACGT -O tsv m.rec
	run --separate-stderr rec-view -O fasta m.rec
	[ "$status" -ne 0 ]
	one_line rec-view
}

@test "a column that sums to 0 or holds a negative number is an error" {
	printf '>MA1\nA [ 1 0 3 ]\nC [ 0 0 0 ]\nG [ 1 0 1 ]\nT [ 0 0 0 ]\n' > m
	fails 1 MA1 fasta-chunk -o x m
	printf '>MA1\nA [ 1 -1 ]\nC [ 0 3 ]\nG [ 1 0 ]\nT [ 0 0 ]\n' > m
	run -1 --separate-stderr fasta-chunk -o x m
	printf '>MA1\nA [ 1 1 ]\nC [ 0 3 ]\nG [ 1 0 ]\nT [ 0 ]\n' > m
	run -1 --separate-stderr fasta-chunk -o x m
	printf '>a\nACGT\n' > m
	for f in jaspar meme transfac pfm; do
		fails 1 '' fasta-chunk --matrix=$f -o x m
		[ ! -e x ]
	done
}
