# SPDX-License-Identifier: MIT
# primer-find: formats, what drops primers, and what does not go together.
load helper

# A background g.fa and a target q.fa.
prepare() {
	randseq 8000 31 60 g > g.fa
	{
		randseq 400 32 60 u
		printf '>v w\n' && sed -n 100,105p g.fa | sed 's/TTA/TAA/g'
	} > q.fa
}

@test "usage that cannot be meant exits 2 and says why" {
	printf '>b\nACGTTGCA\n' > b.fa
	while read -r o; do
		fails 2 '' sh_ "primer-find -e ACGTAC $o b.fa"
	done <<- .
		-k 0
		-k -1
		-k x
		-k 1048577
		-O tsv
		-k 5 --max-len 4
		-k 2 --min-len 9 --max-len 8
		-k 2 --min-len 0
		-k 2 --max-len 0
		-k 2 --three-prime 5
		-k 2 --three-prime 5:
		-k 2 --three-prime :2
		-k 2 --three-prime 0:1
		-k 2 --three-prime 5:0
		-k 2 --three-prime 5:6
		-k 2 --three-prime 5:2:1
		-k 2 --three-prime 12:2 --max-len 11
		-k 2 --gc 40
		-k 2 --gc 60-40
		-k 2 --gc 0-101
		-k 2 --gc 40.0001-50
		-k 2 --tm 60-50
		-k 2 --tm 50
		-k 2 --tm 50-60 --dna-conc 0
		-k 2 --tm 50-60 --salt-monovalent 0 --salt-divalent 0
		-k 2 --tm 50-60 --dntp-conc x
		-k 2 --dna-conc 50
		-k 2 --salt-monovalent 50
		-k 2 --max-homopolymer 0
		-k 2 --max-len 20 --fit
		-k 2 --gc 40-60 --fit
		-k 2 -s x
		-k 2 --primers=none
		-k 2 --engine=short
		-k 2 -q - -
		-k 2 -O paf
		-k 2 -g x
	.
}

@test "the last letters of a chunk, and what crosses two, count" {
	# all of it occurs, across every border
	printf '>t\nGATTACAGGCATTAGC\n' > q.fa
	printf '>b\nCCCCGATTACAGGCATTAGCTTTT\n' > b.fa
	for l in 1 2 3 5 7 11 23; do
		run -0 --separate-stderr sh_ "fasta-chunk -L $l -W 15 b.fa |
			primer-find -k 1 -q q.fa -O tsv --no-header"
		[ -z "$output" ]
		fan 3 "-L $l -W 15 b.fa" primer-find -k 1 -q q.fa |
			merge-topk -O tsv --no-header > have
		[ ! -s have ]
		fan 3 "-L $l -W 14 b.fa" primer-find -k 1 --max-len 15 -q q.fa |
			merge-topk -O tsv --no-header > have
		[ ! -s have ]
	done
}

@test "gc, tm and homopolymers leave primers out, bounds included" {
	prepare
	o='-k 4 --min-len 18 -q q.fa -O tsv --no-header g.fa'
	primer-find --primers=both $o > all
	primer-find --primers=both --gc 45.5-55 $o > have
	awk -F '\t' '{ s = $6; n = gsub(/[GC]/, "", s)
		if (1000 * n >= 455 * $4 && 100 * n <= 55 * $4) print }' all |
		diff - have
	[ "$(wc -l < have)" -ge 50 ]
	primer-find --primers=both --max-homopolymer 3 $o > have
	grep -vE 'AAAA|CCCC|GGGG|TTTT' all | diff - have
	[ "$(wc -l < have)" -lt "$(wc -l < all)" ]
	# one primer's own temperature, from its digits
	p=CCATATCAGACTACGAGCGAGCATTTA
	o="-k 27 -s + -e $p -O tsv --no-header /dev/null"
	for tm in 62.633-62.634 62.633-100 0-62.634; do
		[ "$(primer-find --tm $tm $o | wc -l)" -eq 1 ]
	done
	for tm in 62.634-100 0-62.633; do
		[ -z "$(primer-find --tm $tm $o)" ]
	done
	o="--salt-monovalent 100 --salt-divalent 3.5 --dntp-conc 0.25
		--dna-conc 200.5 $o"
	[ "$(primer-find --tm 67.526-67.527 $o | wc -l)" -eq 1 ]
	[ -z "$(primer-find --tm 67.527-99 $o)" ]
}

@test "tm leaves out what oligotm says" {
	need oligotm
	prepare
	o='-k 4 --min-len 18 -q q.fa -O tsv --no-header g.fa'
	primer-find --primers=both $o | sed -n 1,60p > all
	primer-find --primers=both --tm 48-53.5 $o > have
	while IFS= read -r row; do
		s=$(cut -f 6 <<< "$row")
		awk -v t="$(oligotm "$s")" 'BEGIN {
			exit !(t >= 48 && t <= 53.5) }' || continue
		printf '%s\n' "$row"
	done < all > want
	[ "$(wc -l < want)" -ge 10 ]
	head -n "$(wc -l < want)" have | diff want -
}

# The shortest primer at a start that suits is that of the least --min-len with
# which there is one.
@test "--fit takes the first of all lengths that suits" {
	prepare
	for o in '--tm 50-56' '--gc 45-55 --max-homopolymer 3' \
		'--tm 52-58 --gc 40-60 --three-prime 10:2'; do
		o="-k 4 --max-len 26 --primers=both -q q.fa -O tsv --no-header $o"
		for n in {4..26}; do
			primer-find $o --min-len $n g.fa
		done | awk -F '\t' '!seen[$1, $7, $7 == "+" ? $2 : $3]++' |
			sort > want
		primer-find $o --fit g.fa | sort | diff - want
		[ "$(primer-find $o g.fa | wc -l)" -lt "$(wc -l < want)" ]
	done
}

@test "text formats, from one run and from merged parts" {
	prepare
	o='-k 4 --max-len 24 --primers=both -q q.fa'
	primer-find $o -O tsv --no-header g.fa > tsv
	parts 3 '-L 700 g.fa' primer-find $o
	for f in bed gff3 fasta json boulder; do
		primer-find $o -O $f g.fa > have
		merge-topk -O $f 2.rec 0.rec 1.rec > merged
		[ $f = gff3 ] || cmp have merged
		cat [012].rec | rec-view -O $f | cmp - merged
	done
	primer-find $o -O bed g.fa | cut -f 1-3,6,7 |
		diff - <(cut -f 1-3,6,7 tsv | awk -F '\t' -v OFS='\t' \
			'{ print $1, $2, $3, $5, $4 }')
	primer-find $o -O fasta g.fa | grep -v '>' | diff - <(cut -f 6 tsv)
	primer-find $o -O gff3 g.fa | grep -v '#' |
		awk -F '\t' -v OFS='\t' '{ print $1, $4 - 1, $5, $7 }' |
		diff - <(cut -f 1-3,7 tsv)
	[ "$(primer-find $o -O json g.fa | wc -l)" -eq "$(wc -l < tsv)" ]
	[ "$(primer-find $o -O boulder g.fa | grep -cx =)" -eq \
		"$(wc -l < tsv)" ]
}

@test "bedtools finds the same letters at the places of bed" {
	need bedtools
	prepare
	unwrap q.fa > t.fa
	primer-find -k 4 --max-len 24 --primers=both -q t.fa -O bed g.fa |
		sed 's/^v w/v/' > have
	sed -i 's/ w$//' t.fa
	bedtools getfasta -tab -s -bed have -fi t.fa | cut -f 2 |
		diff - <(cut -f 7 have)
	[ "$(wc -l < have)" -ge 100 ]
}

@test "primer3 takes the records, and melts them as --tm does" {
	need primer3_core
	prepare
	printf '%s\n' 'Primer3 File - http://primer3.org' \
		P3_FILE_TYPE=settings '' PRIMER_PICK_ANYWAY=1 = > settings
	o='-k 4 --min-len 18 --max-len 27 --tm 50-56 --gc 30-70
		--primers=both -q q.fa'
	primer-find $o -O boulder g.fa |
		primer3_core --p3_settings_file=settings > checked
	primer-find $o -O tsv --no-header g.fa > tsv
	[ "$(wc -l < tsv)" -ge 20 ]
	grep -E '^PRIMER_(LEFT|RIGHT)_0_SEQUENCE=' checked | cut -d = -f 2 |
		diff - <(cut -f 6 tsv)
	[ "$(grep -cE '^PRIMER_(LEFT|RIGHT)_0_TM=' checked)" -eq \
		"$(wc -l < tsv)" ]
	grep -E '^PRIMER_(LEFT|RIGHT)_0_TM=' checked |
		awk -F = '$2 < 50 || $2 > 56 { exit 1 }'
	grep -E '^PRIMER_(LEFT|RIGHT)_0_GC_PERCENT=' checked |
		awk -F = '$2 < 30 || $2 > 70 { exit 1 }'
	# without the setting primer3 says what it likes
	primer-find $o -O boulder g.fa | primer3_core |
		grep -c '^PRIMER_LEFT_NUM_RETURNED='
}

@test "-v reports what was done, and a region only what it holds" {
	prepare
	says 0 '8000 letters, 760 starts, * columns scanned' \
		primer-find -v -k 3 -q q.fa -O tsv g.fa
	primer-find -k 4 -q q.fa -r g:101-4000 -O tsv g.fa > have
	{ echo '>g' && unwrap g.fa | tail -n 1 | cut -c 101-4000; } > part.fa
	primer-find -k 4 -q q.fa -O tsv part.fa | cmp - have
	primer-find --progress=1 --quiet -k 3 -q q.fa -O tsv g.fa > /dev/null
}

# bats test_tags=threads
@test "--progress counts starts where one chunk takes long" {
	randseq 100000 3 70 text > text.fa
	randseq 10000 4 70 target > target.fa
	# many seconds, of which one line is enough
	for t in 1 2; do
		{ timeout 60 primer-find --progress=1 -g none -t $t -k 1000 \
			-q target.fa -o x.tsv text.fa 2>&1 ||
			[ $? -eq 141 ]; } |
			grep -m 1 -E ': [1-9][0-9]* of 10001 starts, [0-9]+ s, '
	done
}

@test "the source's algorithms agree, by threads of any grain" {
	randseq 200 31 60 g > g.fa
	{
		randseq 30 32 60 u
		printf '>v\n' && sed -n 2p g.fa | sed 's/TTA/TAA/g' |
			sed 's/^.\{20\}/&N/'
	} > q.fa
	for o in '-k 1 -s +' '-k 3 --primers=both' \
		'-k 4 --max-len 18 --three-prime 9:2'; do
		primerbook $o q.fa g.fa > want
		[ -s want ]
		for p in conventional,none conventional,1 alternative,none \
			alternative,start,2; do
			primer-find --algorithm=${p%%,*} --paper-opts=${p#*,} \
				$o -q q.fa -O tsv --no-header g.fa | diff want -
		done
		for p in fine both; do
			primer-find --algorithm=conventional --parallel=$p \
				-t 2 --paper-opts=3 $o -q q.fa -O tsv \
				--no-header g.fa | diff want -
		done
		fasta-chunk -L 70 -W 0 g.fa | primer-find -t 3 \
			--algorithm=alternative $o -q q.fa -O tsv --no-header |
			diff want -
	done
	# threads that share short rows do not spend the day waiting
	randseq 2000 3 70 text > text.fa
	randseq 300 4 70 target > target.fa
	timeout ${SEQF_SANITIZED:+10}8 primer-find --algorithm=conventional --parallel=fine -t 2 \
		-k 5 -q target.fa -O tsv text.fa > have
	primer-find -k 5 -q target.fa -O tsv text.fa | cmp - have
	for o in --paper-opts=1 --parallel=fine --paper-prefetch=2 \
		--paper-threads=64 '--kernel=paper --parallel=fine'; do
		fails 2 '' primer-find -k 3 $o -q q.fa g.fa
	done
	for p in 0 7 2, ,2 '' '2 3' 12 all,2 starts start, batc,2; do
		fails 2 '' primer-find -k 3 "--paper-opts=$p" \
			--algorithm=alternative -q q.fa g.fa
	done
}

@test "an optimisation of another algorithm, grain or device is refused" {
	prepare
	while IFS='|' read -r p o why; do
		fails 2 '' primer-find -k 3 --paper-opts=$p $o -q q.fa g.fa
		[ "$stderr" = "primer-find: --paper-opts $p: $why" ]
	done <<- .
		1|--algorithm=alternative|1 is of --algorithm=conventional
		2|--algorithm=conventional|2 is of --algorithm=alternative
		1,3|--algorithm=conventional|3 is of --parallel=fine and both, or --kernel=paper
		1|--algorithm=conventional --parallel=fine|1 is of --parallel=coarse: anti-diagonals have no rows to go by
		1,4|--algorithm=conventional|4 is a GPU's: only with --kernel=paper
		2,5|--algorithm=alternative|5 is a GPU's: only with --kernel=paper
		6|--algorithm=alternative --parallel=both|6 is a GPU's: only with --kernel=paper
		1|--kernel=paper --algorithm=conventional|1 needs 4: only tiles have rows to go by
		3,5|--kernel=paper|5 needs 4: it is for all tiles
		4,6|--kernel=paper|6 needs 5: its letters go with those
		4,5,6|--kernel=paper --algorithm=conventional|6 is of --algorithm=alternative
		1,4|--kernel=paper|1 is of --algorithm=conventional
		reduce,4|--kernel=paper|reduce needs 3: it is of each thread's maximum
		3,reduce|--algorithm=alternative --parallel=fine|reduce is a GPU's: only with --kernel=paper
		batch|--algorithm=conventional|batch is a GPU's: only with --kernel=paper
		start|--algorithm=conventional|start is of --algorithm=alternative: a matrix needs all its rows
		start|--kernel=paper --algorithm=conventional|start is of --algorithm=alternative: a matrix needs all its rows
		1,start|--algorithm=conventional|start is of --algorithm=alternative: a matrix needs all its rows
	.
}

@test "optimisations save comparisons, and -v counts them" {
	prepare
	head -n 3 q.fa > t.fa
	compared() {
		primer-find -v -t 1 -k 4 -s + "$@" -q t.fa -o x.rec g.fa 2>&1 |
			sed -n 's/.* \([0-9]*\) comparisons of letters$/\1/p'
	}
	for a in conventional alternative; do
		[ "$(compared --algorithm=$a)" -lt \
			"$(compared --algorithm=$a --paper-opts=none)" ]
	done
	[ "$(compared --algorithm=alternative)" -gt 100000 ]
}
