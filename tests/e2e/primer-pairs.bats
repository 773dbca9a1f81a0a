# SPDX-License-Identifier: MIT
# primer-find --product-size: primers joined into pairs.
load helper

# Two targets in q.fa and a background in g.fa. $1: seed
make_case() {
	awk -v seed=$1 'function letters(n,    t) {
			while (n--)
				t = t substr("ACGT", 1 + int(rand() * 4), 1)
			return t
		}
		BEGIN {
		srand(seed)
		printf ">a\n%s\n>b x\n%s\n", letters(60 + int(rand() * 40)),
			letters(70) > "q.fa"
		printf ">g\n%s\n", letters(3000) > "g.fa"
	}' < /dev/null
}

# Begin, end, letters, scores and penalty of rows, in two places.
columns() {
	awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $5, $10, int($16),
		int($17), sprintf("%.1f", $18) }'
}

# bats test_tags=slow
@test "pairs are those of all primers against all" {
	need python3
	how=("20 400 100 8 3 5" "60 90 3 5 2.5 100" "50 120 100 4 2 1" \
		"30 150 20 6 0 10" "1 100000 5.5 6 4 1000000")
	for seed in {1..2}; do
		make_case $seed
		primer-find -k 4 --min-len 15 --primers=both -q q.fa \
			-O tsv --no-header g.fa |
			python3 "$BATS_TEST_DIRNAME/pairs.py" "${how[@]}" |
			awk -F '\t' -v OFS='\t' \
			'{ $9 = sprintf("%.1f", $9) } 1' > all.want
		for i in "${!how[@]}"; do
			read -r lo hi diff any end n <<< "${how[i]}"
			grep "^$i	" all.want | cut -f 2- > want || true
			primer-find -k 4 --min-len 15 -q q.fa -O tsv \
				--product-size $lo-$hi --pair-max-diff-tm $diff \
				--pair-max-compl-any $any -n $n --no-header \
				--pair-max-compl-end $end g.fa > got
			columns < got > have
			cut -f 1-7 want | diff - <(cut -f 1-7 have) || {
				echo "seed $seed ${how[i]}"; return 1; }
			paste want have | awk -F '\t' '{ d = $8 - $16
				if (d > .11 || d < -.11) exit 1 }'
			cat have >> all
		done
	done
	[ "$(wc -l < all)" -ge 160 ]
}

@test "threads, engines and records do not change pairs" {
	make_case 77
	o='-k 4 --min-len 15 --product-size 40-90 -n 50 -q q.fa -O tsv'
	primer-find $o g.fa > want
	[ "$(wc -l < want)" -ge 10 ]
	head -n 1 want | grep '^#target	beg	end	length	forward	'
	for t in 1 3; do
		primer-find $o -t $t g.fa | cmp - want
		fasta-chunk -L 500 -W 200 g.fa | primer-find $o -t $t | cmp - want
	done
	primer-find $o --engine=plain g.fa | cmp - want
	primer-find ${o% -O tsv} -O json g.fa > json
	[ "$(wc -l < json)" -eq "$(($(wc -l < want) - 1))" ]
	grep -q '^{"target":"a","beg":[0-9]*,.*"penalty":[0-9.]*}$' json
	# primers that several processes found
	for i in 0 1 2; do
		fasta-chunk -L 500 --part $i/3 g.fa | primer-find \
			${o%% --product*} -q q.fa --primers=both -o p.$i.rec
	done
	quiet primer-find $o p.?.rec
	primer-find $o p.?.rec | cmp - want
	merge-topk -O rec p.?.rec | primer-find $o | cmp - want
	fails 3 '' primer-find $o p.[02].rec
	# part of a background: no pairs
	fasta-chunk -L 500 -W 200 g.fa > s.rec
	head -c 2000 s.rec > part.rec
	fails 3 '' primer-find $o part.rec
}

@test "primer3 takes the pairs, and finds the same scores and penalties" {
	need primer3_core
	make_case 5
	# a template with what primer3 does not know
	sed '2s/$/NNryUUacgtuu/; 4s/T/U/g' q.fa > u.fa
	printf '%s\n' 'Primer3 File - http://primer3.org' \
		P3_FILE_TYPE=settings '' PRIMER_PICK_ANYWAY=1 \
		PRIMER_MIN_TM=0 PRIMER_MAX_TM=100 PRIMER_MIN_SIZE=10 \
		PRIMER_MAX_SIZE=36 PRIMER_MIN_GC=0 PRIMER_MAX_GC=100 \
		PRIMER_THERMODYNAMIC_OLIGO_ALIGNMENT=0 = > settings
	o='-k 4 --min-len 16 --max-len 30 --product-size 36-90 -q u.fa -n 20'
	primer-find $o -O boulder g.fa |
		primer3_core --p3_settings_file=settings > checked
	primer-find $o -O tsv --no-header g.fa > tsv
	[ "$(wc -l < tsv)" -ge 10 ]
	for f in COMPL_ANY:16 COMPL_END:17 PENALTY:18 PRODUCT_SIZE:4; do
		grep "^PRIMER_PAIR_0_${f%:*}=" checked | cut -d = -f 2 > p3
		cut -f ${f#*:} tsv | paste p3 - | awk '{ d = $1 - $2
			if (NF != 2 || d > .002 || d < -.002) { print; bad = 1 }
		} END { exit bad || !NR }'
	done
}

@test "what does not go with pairs is refused" {
	make_case 1
	for bad in "--product-size 9" "--product-size 9-3" \
		"--product-size 0-3" "--product-size 1.5-3" "--product-size x" \
		"--max-pairs 3" "--opt-tm 50" "--product-size 9-99 -O rec" \
		"--product-size 9-99 -O bed" "--product-size 9-99 --primers=+" \
		"--product-size 9-99 --site" \
		"--product-size 9-99 --pair-max-compl-any x" \
		"--product-size 9-99 --columns target" \
		"--product-size 9-99 --json=array" \
		"--product-size 9-99 --alphabet=literal"; do
		fails 2 '' primer-find -k 3 -q q.fa $bad g.fa
	done
	run -2 primer-find -k 3 --check q.fa --product-size 9-99 g.fa
	run -0 --separate-stderr primer-find -k 3 -q q.fa \
		--product-size 999-9999 -O tsv --no-header g.fa
	[ -z "$output" ]
}
