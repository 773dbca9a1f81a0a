# SPDX-License-Identifier: MIT
# Work spread over processes by the usual tools, checked by the last one.
load helper

sync=$'\x8fGREC\r\n\x1a'

prepare() {
	{ randseq 60000 31 70 a; randseq 9000 32 70 b; } > t.fa
	printf '%s\n' ACGTTGCAAC GATTACAGATTA > q
	fasta-chunk -L 1k t.fa > c.rec
	asm-scan -t 1 -k 2 -q q c.rec | merge-topk -O tsv > want
	[ "$(rows want | wc -l)" -gt 10 ]
}

@test "xargs -P over parts" {
	prepare
	seq 0 6 | xargs -P 3 -I{} sh -c 'fasta-chunk -L 1k --part {}/7 t.fa |
		asm-scan -t 1 -k 2 -q q -o {}.rec'
	merge-topk -O tsv [0-9].rec | cmp - want
}

@test "xargs -P over files: a run each" {
	prepare
	mkdir in
	for i in 1 2 3 4; do
		randseq 5000 $i 70 s$i > in/$i.fa
	done
	ls in/*.fa | xargs -P 2 -I{} sh -c \
		'fasta-chunk {} | asm-scan -t 1 -k 2 -q q -o {}.rec'
	merge-topk --runs 4 -O tsv in/*.rec > have
	for i in 4 2 1 3; do
		asm-scan -O rec -k 2 -q q in/$i.fa
	done | merge-topk -O tsv | cmp - have
	rm in/2.fa.rec
	fails 3 '' merge-topk --runs 4 -O tsv in/*.rec
}

@test "GNU parallel: a stream split between records, dealt out, or of a file; parts" {
	need parallel
	prepare
	asm='asm-scan -O rec -t 1 -k 2 -q q'
	for how in '--pipe --block 20k' '--pipe --block 5k --round-robin' \
	    '--pipe-part -a c.rec --block 9k'; do
		parallel $how --recstart "$sync" -j 3 $asm < c.rec |
			merge-topk -O tsv | cmp - want
	done
	seq 0 5 | parallel -j 2 "fasta-chunk -L 1k --part {}/6 t.fa | $asm |
		merge-topk --partial > {}.rec"
	# in a tree
	merge-topk --partial 0.rec 5.rec 3.rec > x.rec
	merge-topk -O tsv 1.rec 2.rec 4.rec x.rec | cmp - want
}

@test "a worker that died, a part that is missing: exit 3, --missing, --only, whole again" {
	prepare
	seq 0 3 | xargs -P 2 -I{} sh -c '
		fasta-chunk -L 1k --part {}/4 t.fa |
		asm-scan -t 1 -k 2 -q q |
		if [ {} = 2 ]; then head -c 2000; else cat; fi > {}.rec' || true
	fails 3 '' merge-topk -O tsv [0-9].rec
	merge-topk --missing [0-9].rec > missing 2> /dev/null || [ $? -eq 3 ]
	[ -s missing ]
	fasta-chunk -L 1k --only @missing t.fa |
		asm-scan -t 1 -k 2 -q q > again.rec
	# the cut file stays damaged: leave its broken end away
	rec-view -O rec 2.rec > whole.rec 2> /dev/null || [ $? -eq 3 ]
	mv whole.rec 2.rec
	merge-topk -O tsv [0-9].rec again.rec | cmp - want
	rm [0-9].rec
	for i in 0 2; do
		fasta-chunk -L 1k --part $i/3 t.fa | asm-scan -k 2 -q q > $i.rec
	done
	run -3 --separate-stderr merge-topk -O tsv [0-9].rec
	merge-topk --missing [0-9].rec > missing || [ $? -eq 3 ]
	fasta-chunk -L 1k --only @missing t.fa | asm-scan -k 2 -q q > 1.rec
	merge-topk -O tsv [0-9].rec | cmp - want
}

@test "chunks that are missing are named before any scanner read them" {
	prepare
	for i in 0 2; do
		fasta-chunk -L 1k --part $i/3 t.fa > $i.rec
	done
	merge-topk --missing [0-9].rec > missing
	[ -s missing ]
	fasta-chunk -L 1k --only @missing t.fa > 1.rec
	rec-view --check [0-9].rec
	merge-topk --missing [0-9].rec > missing
	[ ! -s missing ]
	fails 1 'holds sequences' merge-topk -O tsv [0-9].rec
}
