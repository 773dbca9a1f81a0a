# SPDX-License-Identifier: MIT
# sw-scan's -g, on a GPU that a CPU plays: the same bytes as without.
load helper

emulated() {
	emulator
	export SEQF_SIMT_MEMORY=20000000
	gzip -dc "$DATA/lambda.fa.gz" | sed -n 1,40p > part.fa
	sed -n 9,11p part.fa | tr -d '\n' | sed 's/ACG/AG/; s/$/\n/' > q
	printf '%s\n' GGTTTGCGTAAATTC >> q
}
# With and without, the same of "$@"; "left" texts by the CPU, a pattern.
same() {
	same_on_gpu sw-scan "$@"
	grep -q 'GPU: [0-9]* pieces, [0-9]* of them again; 0 texts left' err
}

# bats test_tags=slow
@test "every reading, scoring and output is the same from a GPU" {
	emulated
	for o in '' '-n 5' '-n 3 --kind=cells -s +' '-n 4 --preset=ssca1' \
		'--min-score 30 --no-cigar' '-n 2 --with-seq -s -' \
		'-n 30 --kind=cells --kernel=paper' \
		'-n 2 --kind=cells -s - --kernel=paper-modified'; do
		same $o -t 1 -O tsv -q q part.fa
	done
	same -t 2 -O rec -n 2 -q q part.fa
}

@test "what is not for a GPU is the CPU's, and -v says so" {
	emulated
	for o in '--matrix=BLOSUM62' '--match 1000' --kind=waterman-eggert; do
		same_by_cpu sw-scan $o -e ACGTTG part.fa
	done
	sw-scan-on-cpu -v -O tsv -e ACGTTG part.fa 2>&1 >/dev/null |
		grep 'GPU: none: short queries'
}

@test "the source's kernel finds cells, and says so of what else is asked" {
	emulated
	for o in '' --kind=alignments --kind=waterman-eggert; do
		fails 2 ': --kernel: * needs --kind=cells' \
			sw-scan --kernel=paper $o -O tsv -q q part.fa
	done
}

# bats test_tags=threads
@test "GPUs, threads and chunks of any number: the same alignments" {
	emulated
	export SEQF_SIMT_DEVICES=3
	sw-scan -g none -n 3 -O tsv -q q part.fa > none
	for l in 700 3k; do
		fasta-chunk -L $l part.fa > x.rec
		for g in '1 -t 1' '0,2 -t 4'; do
			sw-scan-on-cpu -g $g -n 3 -O tsv -q q x.rec > gpu
			cmp none gpu
		done
	done
}

@test "a GPU that fails among scores: a warning, and the same bytes" {
	emulated
	sw-scan -g none -n 2 -O tsv -q q part.fa > none
	same_when_it_fails '40 61' sw-scan -t 1 -n 2 -O tsv -q q part.fa
}
