# SPDX-License-Identifier: MIT
# pcr-find: every product of two sites, and no other.
load helper

# A text with repeats, its reverse complement among it, and primers cut from it.
# $1: seed
make_case() {
	awk -v seed=$1 'BEGIN {
		srand(seed)
		a = rand() < .5 ? "ACGT" : rand() < .5 ? "AC" : "ACG"
		comp["A"] = "T"; comp["C"] = "G"; comp["G"] = "C"; comp["T"] = "A"
		for (q = 0; q < 3; q++) {
			t = ""
			for (n = int(rand() * 400); n--; ) {
				p = 1 + int(rand() * (length(t) - 25))
				if (rand() < .03 && length(t) > 30)
					t = t substr(t, p, 5 + int(rand() * 20))
				else
					t = t substr(a, 1 + int(rand() * length(a)), 1)
			}
			r = ""
			for (p = length(t); p && rand() < .999; p--)
				r = comp[substr(t, p, 1)] r
			t = rand() < .3 ? t r : t
			printf ">s%d\n%s\n", q, t > "t.fa"
			all = all t
		}
		for (i = 0; i < 1 + int(rand() * 4); i++) {
			for (h = 0; h < 2; h++) {
				L = 5 + int(rand() * 8)
				w = substr(all, 1 + int(rand() * (length(all) - L)), L)
				while (length(w) < L)
					w = w substr("ACGT", 1 + int(rand() * 4), 1)
				if (rand() < .2)
					w = substr(w, 1, 2) "N" substr(w, 4)
				if (rand() < .5) {
					r = ""
					for (p = length(w); p; p--)
						r = r comp[substr(w, p, 1)]
					gsub(/^$/, "N", r)
					w = length(r) == L ? r : w
				}
				x[h] = w
			}
			printf "p%d\t%s", i, x[0] > "p.tsv"
			printf rand() < .15 ? "\n" : "\t" x[1] "\n" > "p.tsv"
		}
		min = 1 + int(rand() * 40)
		print int(rand() * 4), int(rand() * 3), min,
			min + int(rand() * 300),
			rand() < .7 ? "edits" : "hamming",
			rand() < .5 ? "pairs" : "all" > "how"
	}' < /dev/null
	read -r k suffix min max kind all < how
	same=(-k $k --exact-suffix $suffix)
	[ $kind = edits ] || same+=(--no-indels)
	opts=("${same[@]}" --min-len $min --max-len $max -p p.tsv --no-header)
	[ $all = pairs ] || opts+=(--all-pairs)
}

# bats test_tags=slow
@test "products are those of the definition, found by trying all" {
	n=0
	for seed in $(seeds 25); do
		make_case $seed
		pcrbook $k $suffix $min $max $kind $all p.tsv < t.fa |
			sort > want
		pcr-find -g none "${opts[@]}" t.fa > table
		sort table | diff want -
		n=$((n + $(wc -l < want)))
	done
	[ $n -gt $((80 * $(seeds 25 | wc -l))) ]
}

@test "hits of a fan-out, chunks and sequences give the same table" {
	for seed in $(seq 60 70); do
		make_case $seed
		pcr-find -g none "${opts[@]}" t.fa > want
		pcr-find -p p.tsv --primers > p.fa
		for i in 2 0 1; do
			fasta-chunk -L 70 -W 60 --part $i/3 t.fa > $i.rec
			asm-scan -g none "${same[@]}" -q p.fa $i.rec -o h$i.rec
		done
		pcr-find "${opts[@]}" h2.rec h0.rec h1.rec | cmp - want
		cat h1.rec h0.rec h2.rec h0.rec | pcr-find "${opts[@]}" |
			cmp - want
		merge-topk --partial h2.rec h1.rec > m.rec
		pcr-find "${opts[@]}" m.rec h0.rec | cmp - want
		pcr-find -g none "${opts[@]}" 2.rec 0.rec 1.rec | cmp - want
		fasta-chunk -L 33 -W 60 t.fa | pcr-find -t 3 -g none "${opts[@]}" |
			cmp - want
		all_isas want pcr-find "${opts[@]}" t.fa
	done
}

@test "-n: the best of each pair and subject" {
	for seed in $(seq 20); do
		make_case $seed
		pcr-find -g none "${opts[@]}" t.fa > table
		for n in 1 3 20; do
			awk -v OFS='\t' -F '\t' '
				{ print $1, $2, $7 + $8, NR, $0 }' table |
				sort -t $'\t' -k1,1 -k2,2 -k3,3n -k4,4n |
				awk -F '\t' -v n=$n 'c[$1, $2]++ < n' |
				sort -t $'\t' -k4,4n | cut -f 5- > want
			pcr-find -g none "${opts[@]}" -n $n t.fa | cmp - want
		done
	done
}

@test "hits that were found with more differences will do" {
	for seed in $(seq 15); do
		make_case $seed
		[ $k -lt 3 ] || continue
		pcr-find -g none "${opts[@]}" t.fa > want
		pcr-find -p p.tsv --primers > p.fa
		asm-scan -O rec -g none -k $((k + 1)) "${same[@]:2}" -q p.fa t.fa |
			pcr-find "${opts[@]}" | cmp - want
	done
}

@test "letters of products, from files, in any format" {
	for seed in $(seq 10); do
		make_case $seed
		pcr-find -g none "${opts[@]}" t.fa > table
		pcr-find -g none "${opts[@]}" --with-seq t.fa > seq
		cut -f 1-10 seq | cmp - table
		awk -F '\t' 'NR == FNR {
				if (/^>/) n = substr($0, 2); else t[n] = t[n] $0
				next
			}
			substr(t[$2], $4 + 1, $6) != $11 { bad = 1 }
			END { exit bad }' t.fa seq
		fasta-chunk -L 50 -W 60 t.fa > c.rec
		pcr-find -g none "${opts[@]}" --with-seq c.rec | cmp - seq
		pcr-find -g none "${opts[@]}" -O fasta t.fa | unwrap |
			grep -v '>' > have || true
		awk -F '\t' '{
			s = $11
			if ($3 == "-") {
				s = ""
				for (i = length($11); i; i--)
					s = s substr("TGCA", index("ACGT",
						substr($11, i, 1)), 1)
			}
			print s }' seq | cmp - have
	done
	fails 2 '' sh_ 'pcr-find -p p.tsv --with-seq < t.fa'
	run -2 --separate-stderr pcr-find -p p.tsv --with-seq -r s1 t.fa
	asm-scan -O rec --exact-suffix 1 -q p.fa t.fa > h.rec || true
}

@test "both primers' letters, where they differ from the sequence's" {
	printf '>t\nTTACGTACGAATTTTTTTTCCAGTCAGGTT\n' > t.fa
	printf 'p\tACGAACG\tCCTGTCTG\n' > p.tsv
	pcr-find -k 1 -p p.tsv --with-seq --no-header t.fa | cut -f 3-5,11 > have
	printf '+\t2\t28\tACGTACGAATTTTTTTTCCAGTCAGG\n' | diff - have
	pcr-find -k 1 -p p.tsv --letters=primers -O fasta t.fa > have
	printf '>p t:3-28 length=26 edits=1,1\nACGAACGAATTTTTTTTCCAGACAGG\n' |
		diff - have
	pcr-find -k 1 -p <(printf 'p\tCCTGTCTG\tACGAACG\n') --letters=primers \
		-O fasta t.fa > have
	printf '>p t:3-28/rc length=26 edits=1,1\nCCTGTCTGGAAAAAAAATTCGTTCGT\n' |
		diff - have
}

@test "every format" {
	printf '>t x\nTTACGTACGAATTTTTTTTCCAGTCAGGTT\n' > t.fa
	printf 'p;1\tACGAACG\tCCTGACTG\n' > p.tsv
	f() {
		pcr-find -k 1 -p p.tsv -O $1 t.fa
	}
	printf 't\t2\t28\tp;1\t1\t+\n' | diff - <(f bed)
	{
		printf '##gff-version 3\n##sequence-region t 1 30\n'
		printf 't\tpcr-find\tPCR_product\t3\t28\t1\t+\t.'
		printf '\tID=product1;Name=p%%3B1;f_edits=1;f_cigar=3%%3D1X3%%3D;'
		printf 'r_edits=0;r_cigar=8%%3D\n'
	} | diff - <(f gff3)
	{
		printf '{"pair":"p;1","subject":"t","strand":"+","beg":2,"end":28,'
		printf '"length":26,"f_edits":1,"f_cigar":"3=1X3=",'
		printf '"r_edits":0,"r_cigar":"8="}\n'
	} | diff - <(f json)
	printf '[\n%s\n]\n' "$(f json)" |
		diff - <(pcr-find -k 1 -p p.tsv -O json --json=array t.fa)
	pcr-find -k 1 -p p.tsv --columns end,sseq t.fa |
		diff <(printf '#end\tsseq\n28\tACGTACGAATTTTTTTTCCAGTCAGG\n') -
	fails 2 '' pcr-find -p p.tsv --columns qlen t.fa
	f tsv > want
	[ "$(head -n 1 want)" = "$(printf '%s\t' '#pair' subject strand beg end \
		length f_edits r_edits f_cigar)r_cigar" ]
	pcr-find -k 1 -p p.tsv -o x.bed t.fa
	f bed | cmp - x.bed
	# without a product there are columns all the same
	pcr-find --min-len 27 -p p.tsv t.fa | cmp - <(head -n 1 want)
}

@test "--with-seq where a format has no letters is refused" {
	printf '>t\nTTACGGTTTTTTCCGTAA\n' > t.fa
	printf 'p\tTTACGG\n' > p.tsv
	for f in '-O bed' '-o x.bed' '-O svg'; do
		fails 2 'no place for letters' \
			pcr-find -p p.tsv --with-seq $f t.fa
		[ ! -e x.bed ]
	done
	for f in tsv gff3 json fasta; do
		pcr-find -p p.tsv --with-seq -O $f t.fa | grep -q TTACGGTTTT
	done
}

@test "a primer alone is paired with itself, once" {
	printf '>t\nTTACGGTTTTTTCCGTAA\n' > t.fa
	printf 'p\tTTACGG\n' > p.tsv
	pcr-find -p p.tsv --no-header t.fa | cut -f 1-5 > have
	printf 'p\tt\t+\t0\t18\n' | diff - have
	[ "$(pcr-find -p p.tsv --primers | grep -c '>')" = 1 ]
	printf 'p\tTTACGG\tGGGGGG\n' > p.tsv
	[ "$(pcr-find -p p.tsv --no-header t.fa | wc -l)" = 0 ]
	pcr-find -p p.tsv --all-pairs --no-header t.fa | cut -f 1-5 > have
	printf 'p/F+p/F\tt\t+\t0\t18\n' | diff - have
}

# By the rows of all products, and of the probes' hits.
@test "--probe: products in which a probe matches, the best one named" {
	for seed in $(seq 10); do
		make_case $seed
		awk '{ print ">q" NR "\n" substr($2, 1, 5) }' p.tsv > q.fa
		pcr-find -g none "${opts[@]}" t.fa > all
		pcr-find -g none "${opts[@]}" --probe q.fa t.fa > have
		[ -z "$(cut -f 1-10 have | sort | comm -23 - <(sort all))" ]
		asm-scan -g none -O tsv "${same[@]}" -q q.fa t.fa | rows > hits
		awk -F '\t' 'NR == FNR { hit[$1, $5, $6, $8, $9, $10] = 1; next }
			!(($11, $12, $2, $13, $14, $15) in hit) || $13 < $4 ||
				$14 > $5 { bad = 1 }
			END { exit bad }' hits have
		[ $kind = edits ] || awk -F '\t' 'NR == FNR {
				s[++n] = $6; b[n] = $8; e[n] = $9; next }
			{ for (i = 1; i <= n; i++)
				if (s[i] == $2 && b[i] >= $4 && e[i] <= $5) {
					print
					break
				} }' hits all | cmp - <(cut -f 1-10 have)
		pcr-find -p p.tsv --probe q.fa --primers > p.fa
		asm-scan -g none -O rec "${same[@]}" -q p.fa t.fa |
			pcr-find "${opts[@]}" --probe q.fa | cmp - have
	done
	printf '>a\nACGT\n>a\nACGT\n' > q.fa
	fails 2 '' pcr-find -p p.tsv --probe q.fa t.fa
	fails 2 '' pcr-find -p p.tsv --probe p.tsv t.fa
}

@test "--nested: inner products, and the outer ones that they lie in" {
	for seed in $(seq 10); do
		make_case $seed
		opts=("${opts[@]/--all-pairs/--quiet}")
		awk -v OFS='\t' '{ $1 = "n" $1; $2 = substr($2, 2); print }' \
			p.tsv > n.tsv
		pcr-find -g none "${opts[@]}" t.fa > outer
		pcr-find -g none "${opts[@]/p.tsv/n.tsv}" t.fa > inner
		awk -F '\t' -v OFS='\t' 'NR == FNR {
				s[++n] = $2; b[n] = $4; e[n] = $5; p[n] = $1
				next
			}
			{
				best = 0
				for (i = 1; i <= n; i++)
					if (s[i] == $2 && b[i] <= $4 && e[i] >= $5 &&
					    (!best || e[i] > e[best]))
						best = i
				if (best)
					print $0, p[best], b[best], e[best]
			}' outer inner > want
		pcr-find -g none "${opts[@]}" --nested n.tsv t.fa > have
		cmp have want
		pcr-find -p p.tsv --nested n.tsv --primers > p.fa
		asm-scan -g none -O rec "${same[@]}" -q p.fa t.fa |
			pcr-find "${opts[@]}" --nested n.tsv | cmp - want
		pcr-find -g none "${opts[@]}" --nested n.tsv --no-header t.fa \
			-O bed | wc -l | grep -qx "$(wc -l < want)"
	done
	fails 2 '' pcr-find -p p.tsv --nested n.tsv --all-pairs t.fa
}

@test "limits of a pair, and of all" {
	printf '>t\nTTACGGTTTTTTCCGTAA\n' > t.fa
	printf 'a\tTTACGG\t\t18\t18\nb\tTTACGG\t\t1\t17\nc\tTTACGG\n' > p.tsv
	pcr-find -p p.tsv --no-header t.fa | cut -f 1 | paste -s | grep -x 'a	c'
	pcr-find -p p.tsv --max-len 17 --no-header t.fa | cut -f 1 | grep -x a
	pcr-find -p p.tsv --min-len 19 --no-header t.fa | cut -f 1 | grep -x a
	fails 2 '' pcr-find -p p.tsv --min-len 5 --max-len 4 t.fa
}

@test "less than the whole: exit 3 and no table" {
	for seed in $(seq 20); do
		make_case $seed
		[ "$(wc -c < t.fa)" -lt 500 ] || break
	done
	pcr-find -p p.tsv --primers > p.fa
	fasta-chunk -L 50 -W 60 t.fa > c.rec
	asm-scan "${same[@]}" -q p.fa c.rec > h.rec
	fasta-chunk -L 50 -W 60 --part 0/2 t.fa > c0.rec
	asm-scan "${same[@]}" -q p.fa c0.rec > h0.rec
	head -c $(($(wc -c < h.rec) - 20)) h.rec > cut.rec
	for f in c0.rec h0.rec cut.rec /dev/null; do
		fails 3 '' pcr-find "${opts[@]}" -o table $f
		[ ! -e table ]
		fails 3 '' sh_ "pcr-find -p p.tsv ${opts[*]} < $f"
	done
	# lengths of sequences are not needed
	for i in $(recframes list < h.rec | awk '$2 != "SEQ" { print $1 }'); do
		recframes drop $i < h.rec > d.rec
		fails 3 '' pcr-find "${opts[@]}" d.rec
	done
	# that these are hits is seen behind damage, too
	for f in 'flip 0 17 3' 'flip 1 0 3' 'flip 1 20 3' 'noise 1'; do
		recframes $f < h.rec > d.rec
		fails 3 '' pcr-find "${opts[@]}" d.rec
	done
}

@test "hits of other primers, and made otherwise, are refused" {
	printf '>t\nTTACGTACGAATTTTTTTTCCAGTCAGGTT\n' > t.fa
	printf 'p\tACGAACG\tCCTGACTG\n' > p.tsv
	pcr-find -p p.tsv --primers > p.fa
	refuse() {
		asm-scan -O rec "$@" t.fa > h.rec
		fails 2 '' pcr-find -p p.tsv h.rec
	}
	s="-k 1 --exact-suffix 1"
	for o in --ends --no-cigar --report=all --report=best --report=count \
	    --histogram '-s +' --iupac '--exact-prefix 1' '--max-bulges 1'; do
		refuse $s $o -q p.fa
	done
	refuse -k 1 -q p.fa
	refuse -k 1 --exact-suffix 2 -q p.fa
	refuse $s --no-indels --report=minima -q p.fa
	refuse $s --alphabet=bytes -q p.fa
	refuse $s -e ACGAACG
	refuse $s -q <(head -n 2 p.fa)
	refuse $s -q <(sed 's/ACGAACG/ACGAACGA/' p.fa)
	refuse $s -q <(sed 's,/F,/G,' p.fa)
	refuse $s -q <(cat p.fa; printf '>x\nACGT\n')
	asm-scan -O rec $s -q p.fa t.fa > h.rec
	[ "$(pcr-find -p p.tsv --no-header h.rec | wc -l)" = 1 ]
	for o in '-k 2' '-k 30%' --no-indels '--exact-suffix 0'; do
		fails 2 '' pcr-find $o -p p.tsv h.rec
	done
	[ "$(pcr-find -k 0 -p p.tsv --no-header h.rec | wc -l)" = 0 ]
	# two scans of the same
	asm-scan -O rec -k 2 --exact-suffix 1 -q p.fa t.fa > i.rec
	run -2 --separate-stderr pcr-find -p p.tsv h.rec i.rec
	merge-topk -n 1 -O rec h.rec > n.rec
	run -2 --separate-stderr pcr-find -p p.tsv n.rec
	sw-scan -O rec -q p.fa t.fa > s.rec
	run -2 --separate-stderr pcr-find -p p.tsv s.rec
	fasta-chunk t.fa > c.rec
	for f in 'h.rec t.fa' 'h.rec c.rec' 'c.rec h.rec' 't.fa c.rec'; do
		fails 2 '' pcr-find -p p.tsv $f
	done
	# an empty genome has no product
	printf '>x\n' > e.fa
	asm-scan -O rec $s -q p.fa e.fa 2> /dev/null | pcr-find -p p.tsv > a
	pcr-find -p p.tsv e.fa 2> /dev/null | cmp - a
	fasta-chunk e.fa | pcr-find -p p.tsv 2> /dev/null | cmp - a
	[ "$(wc -l < a)" = 1 ]
}

# Hits that are the search's own by their scan, or those of other letters.
two_sites() {
	printf '>two\nAAACCGTAGGTTTTTTTTTTTTTTACGGATCCAAACCGTAGG' > two.fa
	printf 'TTTTTTTTTTTTTTACGGATCCAAA\n' >> two.fa
	printf '>u\nAAACCGTTGGTTTTTTTTTTTTTTACGGATCCAAA\n' > u.fa
	printf 'x\tACCGTAGG\tGGATCCGT\n' > p.tsv
	pcr-find -p p.tsv --primers > p.fa
	s="--exact-suffix 1 -O rec"
	for i in 0 1; do
		asm-scan -k $i $s -q p.fa two.fa > t$i.rec
		asm-scan -k $i $s -q p.fa u.fa > u$i.rec
	done
	fasta-chunk u.fa > u.ch
	: > empty.rec
}

@test "hits behind sequences are refused as before them" {
	two_sites
	merge-topk -n 1 -O rec t0.rec > n.rec
	for f in 'u.ch t0.rec' 't0.rec u.ch'; do
		fails 2 'hits and sequences at once' sh_ "pcr-find -p p.tsv $f"
		fails 2 'hits and sequences at once' \
			sh_ "cat $f | pcr-find -p p.tsv"
	done
	for f in 'u.ch n.rec' 'n.rec u.ch'; do
		run -2 --separate-stderr pcr-find -p p.tsv $f
		[ -z "$output" ]
		run -2 --separate-stderr sh_ "cat $f | pcr-find -p p.tsv"
		[ -z "$output" ]
	done
	fails 2 '-r: hits were found already' sh_ "pcr-find -r two -p p.tsv t0.rec"
	printf 'two\t0\t40\n' > r.bed
	fails 2 '-r: hits' sh_ "pcr-find --regions r.bed -p p.tsv t0.rec"
}

@test "hits of other letters or order under the same names are refused" {
	two_sites
	sed 's/ACCGTAGG/ACCGTAGC/' p.fa > old.fa
	tac p.fa | paste - - | awk '{ print $2 "\n" $1 }' > order.fa
	for f in old order; do
		for k in 0 1; do
			asm-scan -k $k $s -q $f.fa two.fa > o.rec
			fails 2 "other primers than -p has" \
				sh_ "pcr-find -p p.tsv o.rec"
		done
	done
	# letters as they are given, all kinds of pairs, and ways to search
	printf 'x\taccGUARG\tGGATNCGt\n' > q.tsv
	printf 'y\tCGUA\n' > n.tsv
	printf '>z\nttt\n' > z.fa
	o="-p q.tsv --nested n.tsv --probe z.fa"
	pcr-find $o --primers > q.fa
	pcr-find -k 10% $o two.fa > want
	for k in 10% 10.0%; do
		asm-scan -k $k -t 3 $s -q q.fa two.fa | pcr-find $o |
			cmp - want
	done
	merge-topk --partial t0.rec | pcr-find -p p.tsv --no-header |
		wc -l | grep -qx 3
}

@test "hits of two scans are refused; of runs, if -k does not say which" {
	two_sites
	for o in '' '-k 0' '-k 1'; do
		fails 2 'hits of two scans' \
			sh_ "cat t1.rec t0.rec | pcr-find $o -p p.tsv"
	done
	fails 2 'hits of two scans' sh_ "pcr-find -p p.tsv u0.rec t0.rec t1.rec"
	fails 2 'some hits were found with -k 0, some with -k 1: ' \
		sh_ "pcr-find -p p.tsv u0.rec t1.rec"
	fails 2 'some hits were found with -k 1, some with -k 0: ' \
		sh_ "cat t1.rec u0.rec | pcr-find -p p.tsv"
	for f in 'u0.rec t1.rec' 'u1.rec t0.rec' 't0.rec u0.rec'; do
		pcr-find -k 0 -p p.tsv --no-header $f | wc -l | grep -qx 3
	done
	pcr-find -p p.tsv u1.rec t1.rec | sort |
		cmp - <(pcr-find -k 1 -p p.tsv u.fa two.fa | sort)
	fails 2 'others are missing' sh_ "pcr-find -k 1 -p p.tsv u0.rec t1.rec"
}

@test "an empty operand beside hits: exit 3 and no row, in any order" {
	two_sites
	for f in 'empty.rec t0.rec' 't0.rec empty.rec' 'empty.rec empty.rec' \
	    'empty.rec empty.rec t0.rec u0.rec'; do
		fails 3 empty.rec pcr-find -p p.tsv $f
	done
	# of text it is a sequence file without a sequence
	pcr-find -p p.tsv empty.rec two.fa 2> /dev/null |
		cmp - <(pcr-find -p p.tsv two.fa)
	run -2 --separate-stderr sh_ "cat t0.rec | pcr-find -p p.tsv empty.rec -"
	[ -z "$output" ]
}

@test "files of pairs that are none: file, line, what is wrong" {
	printf '>t\nACGT\n' > t.fa
	refuse() {
		printf "$1" > p.tsv
		fails 2 "p.tsv*$2" pcr-find -p p.tsv t.fa
	}
	refuse '' 'holds no primer'
	fails 2 'stdin: holds no primer' pcr-find -p - t.fa < p.tsv
	refuse 'a\tACG\tCCX\n' ':1: a: the reverse primer has '
	refuse '\na\tACG\tCC\t5\t4\n' ':2: min 5 is above max 4'
	refuse 'a\tACG\tCC\na\t\tC\n' ':2: a: the forward primer has no letters'
	refuse 'a\tACG\tCC\na\tACG\tCC\n' ':2: a/F: the second one of that name'
	two='the second one of that name'
	refuse '>x/F\nACG\n>x/F\nACC\n>x/R\nCCT\n' ":3: x/F: $two"
	refuse '>x/F\nACG\n>x/R\nACC\n>x/R\nACC\n' ":5: x/R: $two"
	refuse '>x_LEFT\nAC\n>x_LEFT_alt1\nAC\n>x_LEFT_alt1\nAG\n' \
		":5: x_LEFT_alt1: $two"
	l='c\t1\t2\ta_LEFT\t1\t+\tACG\n' r='c\t7\t9\ta_RIGHT\t1\t-\tACC\n'
	refuse "$l$r$r" ":3: a_RIGHT: $two"
	refuse "$l$l$r" ":2: a_LEFT: $two"
	# nor in two pools: products of both would have one name
	refuse "$l$r$(printf %s "$l$r" | sed 's/\\t1\\t\([-+]\)/\\t2\\t\1/g')" \
		":3: a/F: $two"
	refuse '>a\nACG\n' ':1: a: the name does not say '
	refuse '>a_LEFT\nACG\n' ':1: a has no RIGHT '
	refuse 'c\t1\t2\ta_LEFT\t1\t+\n' ':1: a_LEFT has no letters'
	run -1 --separate-stderr pcr-find -p nofile t.fa
	run -2 --separate-stderr pcr-find t.fa
	fails 2 '' pcr-find -k 3 -p <(printf 'a\tACG\tACG\n') t.fa
	fails 2 '' pcr-find -p <(printf 'a\tACG\tACG\n') -q t.fa t.fa
}

@test "schemes of ARTIC, with letters of their own or by -q, and FASTA" {
	lambda > l.fa
	cut -f 1-3 "$DATA/pairs.tsv" | grep -v '#' > p.tsv
	awk -v OFS='\t' '{
		print "L", 1, 2, $1 "_LEFT", NR % 2, "+", $2
		print "L", 1, 2, $1 "_RIGHT", NR % 2, "-", $3 }' p.tsv > p.bed
	awk '{ print ">" $4 "\n" $7 }' p.bed > p.fa
	pcr-find -k 3 -p p.tsv l.fa > want
	[ "$(wc -l < want)" -gt 4 ]
	pcr-find -k 3 -p p.bed l.fa | cmp - want
	cut -f 1-6 p.bed > q.bed
	pcr-find -k 3 -p q.bed -q p.fa l.fa | cmp - want
	pcr-find -k 3 -p p.fa l.fa | cmp - want
	gzip -k p.bed
	pcr-find -k 3 -p p.bed.gz l.fa | cmp - want
	pcr-find -p p.bed --primers > a
	pcr-find -p p.tsv --primers | cmp - a
	printf 'L\t1\t2\ta20_LEFT_alt1\t1\t+\tAGCACGCGCCGCCAGCACG\n' >> p.bed
	pcr-find -p p.bed --no-header l.fa | grep a20 | cut -f 1,4,5 > have
	printf 'a20\t20100\t21000\na20_LEFT_alt1\t20101\t21000\n' | diff - have
}

@test "seqkit amplicon's example" {
	printf '>seq1\nACGCCCACTGAAATGA\n>seq2\nACGTACGGTCAGATCCA\n' > s.fa
	printf 'p1\tccc\tttt\np2\tttt\tccc\np3\tttt\n\np4\tCG\tTG\nP5\tCG\tGA\n' > p.tsv
	printf '\n# containing degenerate bases\np6\tTRC\tWGG\n' >> p.tsv
	pcr-find -p p.tsv --no-header s.fa | cut -f 1-5 > have
	printf '%s\t%s\t%s\t%s\t%s\n' p4 seq1 + 1 7 p1 seq1 + 3 13 \
		p2 seq1 - 3 13 P5 seq2 + 1 10 p4 seq2 + 1 11 P5 seq2 + 1 15 \
		p4 seq2 + 1 17 p6 seq2 + 3 17 P5 seq2 + 5 10 p4 seq2 + 5 11 \
		P5 seq2 + 5 15 p4 seq2 + 5 17 | diff - have
}

@test "a picture: products on their sequences, and a gel" {
	lambda > l.fa
	pcr-find -k 5 -p "$DATA/pairs.tsv" -o a.svg l.fa
	n=$(pcr-find -k 5 -p "$DATA/pairs.tsv" --no-header l.fa | wc -l)
	grep -q "<title[^>]*>$n products of 4 pairs in 1 sequence" a.svg
	grep -q 'bands of a gel' a.svg
	for p in a20 b5 c23 d41; do
		grep -q ">$p</text>" a.svg
	done
	# a band of each length that differs by a twentieth
	printf '>t\nTTACGGTTTTTTCCGTAATTTTTTTTTTTTTTTTCCGTAA\n' > t.fa
	printf 'p\tTTACGG\n' > p.tsv
	pcr-find -p p.tsv -O svg t.fa > b.svg
	[ "$(sed -n '/gel/,/differences/p' b.svg | grep -c 'rect class="n"')" = 2 ]
	pcr-find -p "$DATA/pairs.tsv" --primers > p.fa
	parts 2 '-L 9k l.fa' asm-scan -k 5 --exact-suffix 1 -q p.fa
	pcr-find -p "$DATA/pairs.tsv" -O svg 0.rec 1.rec | cmp - a.svg
	pcr-find -p p.tsv --min-len 99 -O svg t.fa > c.svg
	grep -q '<title[^>]*>Nothing found' c.svg
	need python3
	python3 -c 'import sys, xml.dom.minidom as m
for f in sys.argv[1:]: m.parse(f)' a.svg b.svg
}

@test "files of primers are read, not written, and stdin is read once" {
	printf '>t\nTTACGGTTTTTTCCGTAA\n' > t.fa
	printf 'p\tTTACGG\n' > p.tsv
	printf '>q\nTTTT\n' > q.fa
	for o in '-o p.tsv' '-o n.tsv' '-o q.fa' '-o t.fa'; do
		cp p.tsv n.tsv
		fails 2 '' pcr-find -p p.tsv --nested n.tsv --probe q.fa $o t.fa
		cmp p.tsv n.tsv
	done
	fails 2 '' sh_ 'pcr-find -p - < p.tsv'
	run -2 --separate-stderr sh_ 'pcr-find -p - --probe - t.fa < p.tsv'
	run -2 --separate-stderr sh_ 'pcr-find -p - t.fa - < p.tsv'
	pcr-find -p p.tsv t.fa > want
	pcr-find -p - t.fa < p.tsv | cmp - want
	pcr-find -p - --primers < p.tsv | cmp - <(pcr-find -p p.tsv --primers)
}

@test "options of other tools are answered by ours" {
	for o in '-m 3:-k K' '-F ACG:-p FILE' '--max-length 9:--max-len'; do
		fails 2 "${o#*:}" pcr-find ${o%:*}
	done
}

# Each of their products is one of ours, where a 3' end may differ.
@test "what ipcress, primersearch and seqkit amplicon find is found" {
	lambda > l.fa
	cut -f 1-3 "$DATA/pairs.tsv" | grep -v '#' > p.tsv
	pcr-find -k 3 --exact-suffix 0 --no-indels --max-len 50k -p p.tsv \
		-O bed l.fa | cut -f 2,3 | sort -u > ours
	any=
	if command -v seqkit > /dev/null; then
		any=1
		seqkit amplicon -m 3 --bed -p p.tsv l.fa | cut -f 2,3 | sort > a
		[ -s a ]
		[ -z "$(comm -23 a ours)" ]
	fi
	if command -v ipcress > /dev/null; then
		any=1
		awk '{ print $1, $2, $3, 1, 10000 }' p.tsv > p.ipcress
		ipcress p.ipcress l.fa --mismatch 3 --pretty FALSE 2> /dev/null |
			awk '/^ipcress:/ && $5 != "A" || /^ipcress:/ {
				print $6, $6 + $4 }' OFS='\t' | sort > a
		[ -s a ]
		[ -z "$(comm -23 a ours)" ]
	fi
	if command -v primersearch > /dev/null; then
		any=1
		awk '{ print $1, $2, $3 }' p.tsv > p.search
		primersearch -seqall l.fa -infile p.search -mismatchpercent 15 \
			-outfile found 2> /dev/null
		awk -v OFS='\t' '/forward strand at/ { at = $6 - 1 }
			/Amplimer length/ { print at, at + $3 }' found |
			sort -u > a
		[ -s a ]
		[ -z "$(comm -23 a ours)" ]
	fi
	[ -n "$any" ] || skip "no other program on this machine"
}
