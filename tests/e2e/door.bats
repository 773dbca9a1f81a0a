# SPDX-License-Identifier: MIT
# What a first user types: no empty, full or binary result without a word.
load helper

prepare() {
	printf '>chr1\nACGTACGTTTACGTA\n>s1\nACGT\n' > a.fa
	fasta-chunk -o a.rec a.fa
	asm-scan -s + -e ACGT -O tsv a.fa > want.tsv
	asm-scan -s + -e ACGT -O rec a.fa > want.rec
}

@test "text in, text out; records in, records out" {
	prepare
	asm-scan -s + -e ACGT a.fa > have
	cmp want.tsv have
	asm-scan -s + -e ACGT a.fa | cmp want.tsv
	asm-scan -s + -e ACGT < a.fa | cut -f 1-5 | cmp <(cut -f 1-5 want.tsv)
	gzip -c a.fa | asm-scan -s + -e ACGT - | cmp want.tsv
	asm-scan -s + -e ACGT <(cat a.fa) | cmp want.tsv
	asm-scan -s + -e ACGT -o have a.fa
	cmp want.tsv have
	asm-scan -s + -e ACGT a.rec | cmp want.rec
	asm-scan -s + -e ACGT < a.rec | cmp want.rec
	fasta-chunk a.fa | asm-scan -s + -e ACGT - | cmp want.rec
	asm-scan -s + -e ACGT <(cat a.rec) <(cat a.rec) | merge-topk | cmp want.tsv
	fasta-chunk a.fa | asm-scan -s + -e ACGT | merge-topk | cmp want.tsv
	rec-view want.rec | cmp want.tsv
	merge-topk want.rec > have
	cmp want.tsv have
	merge-topk --partial want.rec | rec-view --check
	sw-scan -e ACGT a.fa | head -n 1 | grep -q '^#query'
	primer-find -k 1 -e GGGGG a.fa | head -n 1 | grep -q '^#target'
	ebwt-dist a.fa | head -n 1 | grep -q '^#a'
	sw-scan -e ACGT a.rec | rec-view | head -n 1 | grep -q '^#query'
	primer-find -k 1 -e GGGGG a.rec | rec-view --check
	ebwt-dist a.rec | rec-view | head -n 1 | grep -q '^#a'
}

@test "the suffix of -o decides, if -O does not" {
	prepare
	for f in bed paf sam gff3 json rec; do
		asm-scan -e ACGT -O $f a.fa > want
		asm-scan -e ACGT -o x.$f a.fa
		cmp want x.$f
		merge-topk -O $f want.rec > want
		merge-topk -o y.$f want.rec
		cmp want y.$f
		rec-view -O $f want.rec > want
		rec-view -o y.$f want.rec
		cmp want y.$f
	done
	for f in tsv txt; do
		asm-scan -s + -e ACGT -o x.$f a.fa
		cmp want.tsv x.$f
	done
	asm-scan -s + -e ACGT -o x.bed -O tsv a.fa
	cmp want.tsv x.bed
	asm-scan -s + -e ACGT -o x.tsv a.rec
	cmp want.tsv x.tsv
	rec-view -o x.svg want.rec
	grep -q '^<svg' x.svg
	rm x.*
	run -2 --separate-stderr ebwt-dist -o x.sam a.fa
	one_line ebwt-dist
	[[ $stderr == *'-o x.sam: '*'-O chooses'* ]]
	run -2 --separate-stderr merge-topk --partial -o x.tsv want.rec
	one_line merge-topk
	[ -z "$(ls x.* 2> /dev/null)" ]
}

@test "-o FILE.gz is compressed, as BGZF" {
	prepare
	for f in tsv bed sam rec; do
		asm-scan -e ACGT -O $f a.fa > want
		asm-scan -e ACGT -o x.$f.gz a.fa
		gzip -dc x.$f.gz | cmp want
		asm-scan -e ACGT -O $f -o x.gz a.fa
		gzip -dc x.gz | cmp want
	done
	asm-scan -s + -e ACGT -o x.rec.gz a.fa
	merge-topk x.rec.gz | cmp want.tsv
	# many blocks, of what shrinks and of what does not
	randseq 3000000 1 70 r > r.fa
	fasta-chunk -o r.rec.gz r.fa
	fasta-chunk r.fa | cmp - <(gzip -dc r.rec.gz)
	rec-view --check r.rec.gz
	head -c 200000 r.rec.gz > cut.rec.gz
	run -1 rec-view --check cut.rec.gz
	asm-scan --filter -e ACGT -o x.fa.gz r.fa
	gzip -dc x.fa.gz | cmp r.fa
	if command -v bgzip; then
		bgzip -t r.rec.gz
	fi
	: > none.fa
	asm-scan -e ACGT -o none.tsv.gz none.fa
	gzip -dc none.tsv.gz | grep -q '^#query'
	run -1 asm-scan -e ACGT -o /dev/full a.fa
}

@test "text beside records needs -O, whatever they come through" {
	prepare
	for x in 'a.fa a.rec' 'a.rec a.fa' '<(cat a.fa) a.rec' \
		'a.fa <(cat a.rec)' '<(cat a.fa) <(cat a.rec)' \
		'- a.fa < a.rec' '- a.rec < a.fa'; do
		run -2 --separate-stderr sh_ "asm-scan -e ACGT $x"
		one_line asm-scan
		[[ $stderr == *' holds records, '*' does not: '*-O* ]]
		sh_ "asm-scan -e ACGT -O tsv $x" | grep -q '^ACGT'
		sh_ "asm-scan -e ACGT -O rec $x" | rec-view --check
	done
	run -2 --separate-stderr sh_ 'asm-scan -e ACGT -o x a.fa <(cat a.rec)'
	[ ! -e x ]
}

@test "a table where records are expected: what would have worked" {
	prepare
	for p in merge-topk rec-view 'rec-view --check'; do
		run -1 --separate-stderr sh_ "asm-scan -e ACGT a.fa | $p"
		one_line "${p%% *}"
		[[ $stderr == *'add -O rec to the asm-scan or sw-scan'* ]]
		run -1 --separate-stderr sh_ "ebwt-dist a.fa | $p"
		[[ $stderr == *'add -O rec to the ebwt-dist'* ]]
		run -1 --separate-stderr sh_ \
			"primer-find -k 1 -e GGGGG a.fa | $p"
		[[ $stderr == *'add -O rec to the primer-find'* ]]
		run -1 --separate-stderr sh_ "asm-scan -O paf -e ACGT a.fa | $p"
		[[ $stderr == *'add -O rec'* ]]
		run -1 --separate-stderr sh_ "asm-scan -O json -e ACGT a.fa | $p"
		[[ $stderr == *'add -O rec'* ]]
	done
}

@test "an option of another tool is answered by ours" {
	prepare
	says() { # PROGRAM OPTION TEXT
		run -2 --separate-stderr "$1" $2 a.fa
		one_line "$1"
		[[ $stderr == "$1: unknown option ${2%%[= ]*}: "*"$3"* ]]
	}
	for o in --edits=2 '--mismatches 2' --max-mismatch=1 --max-errors=1 \
		'-K 3'; do
		says asm-scan "$o" '-k K allows K differences'
	done
	says asm-scan --pam=NGG --exact-suffix
	says asm-scan '-a AGATCGG' --overhang
	says asm-scan '-@ 4' '-t N'
	says sw-scan --cpu=4 '-t N'
	says asm-scan --bed '-O FORMAT'
	says sw-scan '--outfmt 6' '-O FORMAT'
	says asm-scan --patterns=x '-q FILE'
	says asm-scan '-i' 'operands'
	says sw-scan --reference=x 'operands'
	says sw-scan --max-target-seqs=5 '-n N'
	says sw-scan --evalue=1 '--min-score'
	says merge-topk --top=3 '-n N'
	run -2 --separate-stderr asm-scan -e 0.1 a.fa
	one_line asm-scan
	[[ $stderr == *'-e 0.1: no pattern; an error rate is -k 10%' ]]
}

@test "a second value of an option is no secret; of -t, -g, -O, -o the last counts" {
	prepare
	for o in '-k 1 -k 2' '-s + -s -' '--report=all --report=best' \
		'-n 1 --max-hits 2' '--exact-suffix=1 --exact-suffix=2'; do
		run -2 --separate-stderr asm-scan $o -e ACGT a.fa
		one_line asm-scan
		[[ $stderr == *' is given twice, as '* ]]
	done
	asm-scan -s + -s + -t 1 -t 2 -g none -g auto -O bed -O tsv -o x -o have \
		-e ACGT a.fa
	cmp have want.tsv
	[ ! -e x ]
}
