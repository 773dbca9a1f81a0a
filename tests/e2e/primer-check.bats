# SPDX-License-Identifier: MIT
# primer-find --check: primers that are given, and what of a background is near
# each.
load helper

# A background with repeats, codes, N, lower case and empty sequences, in t.fa;
# primers, most of them like a piece of it, in p.fa; options in $k and $s.
# $1: seed
make_case() {
	awk -v seed=$1 'function pick(of) {
			return substr(of, 1 + int(rand() * length(of)), 1)
		}
		BEGIN {
		srand(seed)
		a = rand() < .5 ? "ACGT" : rand() < .5 ? "AC" : "ACG"
		n_seq = 1 + int(rand() * 4)
		for (q = 0; q < n_seq; q++) {
			t = ""
			for (n = int(rand() * 400); n--; ) {
				p = 1 + int(rand() * (length(t) - 25))
				if (rand() < .03 && length(t) > 30)
					t = t substr(t, p, 5 + int(rand() * 20))
				else if (rand() < .02)
					t = t pick("NNRYSWKMBDHVnacgtu")
				else
					t = t pick(a)
			}
			printf ">s%d\n%s\n", q, t > "t.fa"
			all = all toupper(t)
		}
		gsub("U", "T", all)
		for (i = 0; i < 1 + int(rand() * 6); i++) {
			L = 1 + int(rand() * 14)
			w = substr(all, 1 + int(rand() * (length(all) - L)), L)
			while (length(w) < L)
				w = w pick("ACGT")
			if (rand() < .4)
				w = substr(w, 1, L / 2) pick("ACGTRYN") \
					substr(w, L / 2 + 2)
			printf ">p%d\n%s\n", i, w > "p.fa"
			longest = length(w) > longest ? length(w) : longest
		}
		k = 1 + int(rand() * 5)
		print k < longest ? k : longest,
			rand() < .6 ? "both" : rand() < .5 ? "+" : "-" > "how"
	}' < /dev/null
	read -r k s < how
	opts=(-k $k -s $s --check p.fa --no-header -O tsv)
}

columns="primer,verdict,places,site_subject,site_strand,site_sbeg,site_send"
columns+=",site_edits,site_cigar"

@test "places and the nearest of them are those of the textbook" {
	for seed in $(seeds 60); do
		make_case $seed
		checkbook $k $s p.fa < t.fa > want
		[ -s want ]
		primer-find -g none "${opts[@]}" --columns $columns t.fa > have
		cmp want have || { cat how p.fa t.fa; return 1; }
	done
}

@test "chunks, threads and instruction sets change nothing" {
	for seed in 3 14 15 92; do
		make_case $seed
		primer-find -g none "${opts[@]}" t.fa > want
		LENGTHS=33 however want t.fa primer-find -g none "${opts[@]}"
		gzip -kf t.fa
		primer-find "${opts[@]}" t.fa.gz | cmp - want
		primer-find "${opts[@]}" < t.fa | cmp - want
	done
}

@test "the nearest place of several streams, in any order of them" {
	printf '>y\nCCGATTACAC\n' > b.fa
	printf '>x\nCGATTACACCCCCCC\n' > a.fa
	printf '>p\nGATTACA\n' > p.fa
	for i in 0 1; do
		fasta-chunk -L 3 --part $i/2 a.fa > a$i.rec
	done
	fasta-chunk b.fa > b.rec
	for order in 'a0 b a1' 'a1 b a0' 'b a1 a0'; do
		set --
		for f in $order; do
			set -- "$@" $f.rec
		done
		primer-find -k 1 --check p.fa --no-header \
			--columns places,site_subject,site_sbeg -O tsv "$@" |
			grep -qx '2,0	x	1'
	done
}

@test "places are the hits of asm-scan" {
	zcat "$DATA/lambda.fa.gz" > l.fa
	printf 'a\tGGGCGGCGACCTCGCGGGTT\tTATCGTCAATGGCCTGGACG\nb\tATGNNAAACGAT\n' \
		> p.tsv
	pcr-find -p p.tsv --primers > p.fa
	primer-find -k 4 --check p.tsv --no-header l.fa > rows
	[ "$(cut -f 1 rows | paste -sd ' ')" = "a/F a/R b/F" ]
	while IFS=$'\t' read -r name _ letters _ _ _ _ _ places _; do
		asm-scan -k 4 -e $letters --no-header l.fa > hits
		for k in 0 1 2 3 4; do
			cut -f 10 hits | grep -cx $k || true
		done | paste -sd , | grep -qx "$places"
	done < rows
}

@test "primers come as FASTA, as pairs, and as the BED of a scheme" {
	randseq 500 7 60 t > t.fa
	b=$(sed 1d t.fa | tr -d '\n')
	printf '>x_LEFT\n%s\n>two\n%s\n' ${b:10:20} ${b:90:20} > p.fa
	printf 't\t10\t30\tx_LEFT\t1\t+\nt\t90\t110\ttwo\t1\t+\n' > p.bed
	printf 'x\t%s\t%s\t50\t90\n' ${b:10:20} ${b:90:20} > p.tsv
	primer-find -k 3 --check p.fa t.fa > want
	[ "$(cut -f 1,10-15 want | sed 1d)" = \
		"$(printf 'x_LEFT\tt\t+\t10\t30\t0\t20=\ntwo\tt\t+\t90\t110\t0\t20=')" ]
	primer-find -k 3 --check p.bed -q p.fa t.fa | cmp - want
	paste p.bed <(printf '%s\n' ${b:10:20} ${b:90:20}) > q.bed
	primer-find -k 3 --check q.bed t.fa | cmp - want
	primer-find -k 3 --check - t.fa < p.fa | cmp - want
	gzip p.fa
	primer-find -k 3 --check p.fa.gz t.fa | cmp - want
	primer-find -k 3 --check p.tsv t.fa | sed 1d | cut -f 2- |
		cmp - <(sed 1d want | cut -f 2-)
}

@test "G and C and melting temperatures, also of all words of a primer" {
	printf '>t\nACGT\n' > t.fa
	printf '>a\nACCAACCAACTTTCGATCTCTTGT\n>b\nACCAACCAACTTTCGATCTCTTGC\n' > p.fa
	printf '>c\nACCAACCAACTTTCGATCTCTTGY\n>n\nNNNNNNNNN\n>u\nacgu\n>w\nA\n' \
		>> p.fa
	primer-find -k 1 --check p.fa t.fa --no-header \
		--columns primer,gc_min,gc_max,tm_min,tm_max > table
	grep -qx $'a\t41.67\t41.67\t60.69\t60.69' table
	read -r _ _ _ lo hi < <(grep ^b table)
	[ $lo = $hi ]
	grep -qx $'c\t41.67\t45.83\t60.69\t'$hi table
	grep -qx $'n\t0.00\t100.00\t\*\t\*' table
	grep -q $'^u\t50.00\t50.00\t-' table
	primer-find -k 1 --check p.fa t.fa -O json | sed -n 4p |
		grep -q '"gc_max":100.00,"tm_min":null,"tm_max":null,"verd'
	no cmp -s table <(primer-find -k 1 --check p.fa t.fa --no-header \
		--columns primer,gc_min,gc_max,tm_min,tm_max --dna-conc 250)
}

@test "a primer fails below -k; the exit status is 0 all the same" {
	printf '>t\nTTTTGATTACATTTT\n' > t.fa
	printf '>a\nGATTACA\n>b\nGATCACA\n>c\nGG\n>d\nCCCCCCC\n' > p.fa
	check() {
		primer-find -k $1 --check p.fa t.fa --no-header -s + \
			--columns verdict | paste -sd ' '
	}
	[ "$(check 1)" = 'fail pass pass pass' ]
	[ "$(check 2)" = 'fail fail fail pass' ]
	[ "$(check 3)" = 'fail fail fail pass' ]
	primer-find -k 1 --check p.fa t.fa -O json | head -n 1 | grep -qF \
		'"places":[1,0],"site_subject":"t","site_strand":"+","site_sbeg":4'
	primer-find -k 1 --check p.fa t.fa -O json --json=array |
		grep -q '"site_cigar":null'
}

@test "the place that a primer was made for is left out by --self" {
	make_case 5
	sed 's/^>s/>t/' t.fa > u.fa
	primer-find "${opts[@]}" u.fa > want
	cat t.fa u.fa | primer-find "${opts[@]}" --self <(grep '>' t.fa |
		tr -d '>' | sed 's/$/\t0\t9999/') > have 2> notes
	cmp want have
	primer-find "${opts[@]}" --self nowhere t.fa 2>&1 > have |
		grep -q 'the first one is of nowhere'
}

@test "with a part of the background no primer is judged" {
	make_case 8
	randseq 500 7 60 t > t.fa
	fasta-chunk -L 100 t.fa > t.rec
	head -c 600 t.rec > cut.rec
	fails 3 '' primer-find "${opts[@]}" cut.rec
	fasta-chunk -L 100 --part 0/2 t.fa > half.rec
	fails 3 '' primer-find "${opts[@]}" half.rec
	asm-scan -O rec -k 1 -e ACGTA t.fa > hits.rec
	fails 2 'holds results' primer-find "${opts[@]}" hits.rec
}

refused() { # MESSAGE OPTION ...
	fails 2 "$1" primer-find "${@:2}" t.fa
}

@test "what --check cannot do is refused in a line" {
	printf '>t\nACGT\n' > t.fa
	printf '>a\nACGT\n' > p.fa
	printf '>a\nACGT\n>b\nAC!T\n' > odd.fa
	printf '>a\n>b\nACT\n' > none.fa
	printf '>a\nACGT\n>a\nACT\n' > twice.fa
	printf 'a\tACG\tT\t5\n' > four.tsv
	printf 't\t1\t5\tn\t1\t+\n' > bare.bed
	: > empty
	refused 'how many differences? -k K' --check p.fa
	refused '-k 5: no primer of p.fa has so many letters' -k 5 --check p.fa
	refused "odd.fa:3: b: the primer has '!'" -k 1 --check odd.fa
	refused 'none.fa:1: a: the primer has no letters' -k 1 --check none.fa
	refused 'twice.fa:3: a: the second one' -k 1 --check twice.fa
	refused 'four.tsv:1: 4 columns' -k 1 --check four.tsv
	refused 'bare.bed:1: n has no letters' -k 1 --check bare.bed
	refused 'empty: holds no primer' -k 1 --check empty
	refused 'p.fa is no BED' -k 1 --check p.fa -q p.fa
	refused '--min-len: not with --check' -k 1 --check p.fa --min-len 4
	refused '--site: not with --check' -k 1 --check p.fa --site
	refused '--max-pairs: not with --check' -k 1 --check p.fa -n 3
	refused '--opt-tm: not with --check' -k 1 --check p.fa --opt-tm 50
	refused 'only with -O tsv and json' -k 1 --check p.fa -O bed
	refused 'only with -O tsv and json' -k 1 --check p.fa -O rec
	refused 'edits' -k 1 --check p.fa --columns edits
	fails 2 'standard input is wanted 2 times' \
		primer-find -k 1 --check - < p.fa
}
