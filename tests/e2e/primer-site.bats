# SPDX-License-Identifier: MIT
# primer-find --site and --self: the nearest place of each primer, and the
# target's own places, which do not count.
load helper

# A background with N, codes, lower case and short sequences; q.fa resembles
# pieces of it, so that without --self few primers are left.
prepare() {
	{
		randseq 500 7 60 one
		printf '>two\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNRYKMACGTTGCACCTA\n'
		randseq 300 9 60 three | tr ACGT acgt
		printf '>none\n>short\nACGTTGCA\n>one_letter\nG\n'
		randseq 240 11 61 last
		printf '>one\nACGGTTAACCNNNNACGRYTTGACCAGTA\n'
	} > b.fa
	{
		printf '>a\n' && sed -n 4p b.fa | sed 's/AC/ATC/'
		printf '>b\nacgtnryttgacngguuaaccacgatcaggctta\n'
		randseq 60 12 60 c
		printf '>e\nG\n>f\nNNNNNN\n'
	} > q.fa
}

find_() {
	primer-find -O tsv --no-header -q q.fa "$@"
}

# Without sbeg and CIGAR, which the book does not give.
sites_of() {
	find_ --site "$@" | cut -f 1-9,11,12
}

each_options() { # COMMAND ...
	while read -r o; do
		"$@" $o || return 1
	done <<- .
		-k 1
		-k 1 --min-len 20
		-k 2 --primers=both
		-k 3 -s + --primers=-
		-k 4 -s - --max-len 20 --primers=both
		-k 3 --min-len 24
		-k 4 --max-len 24 --min-len 16 --three-prime 7:2
		-k 9 --max-len 63 --primers=both
		-k 30
	.
}

agrees() {
	local i

	primerbook --site "$@" q.fa b.fa > want
	all_isas want sites_of "$@" b.fa
	sites_of -t 1 "$@" b.fa | diff want -
	fasta-chunk -L 70 b.fa > b.rec
	sites_of -t 3 "$@" b.rec | diff want -
	# never nearer than the primers were found to be
	awk -F '\t' '$11 != "*" && $11 < $5 { exit 1 }' want
	find_ "$@" b.fa | diff - <(cut -f 1-7 want)
}

# bats test_tags=threads,slow
@test "sites are the first of the nearest, for all options" {
	prepare
	each_options agrees
	[ "$(sites_of -k 2 --primers=both b.fa | wc -l)" -ge 100 ]
	# all letters but one differ: more than -k
	printf '>x\nA\n' > one.fa
	run -0 primer-find -k 1 --min-len 3 --site -s + -e CAC -O tsv \
		--no-header one.fa
	[ "${output#*+}" = $'\tx\t+\t0\t1\t2\t1I1=1I' ]
	# some need more than one pass
	[ "$(sites_of -k 1 --min-len 20 b.fa | awk '$11 > 3' | wc -l)" -ge 30 ]
}

self_agrees() {
	primerbook --site --self one "$@" q.fa b.fa > want
	sites_of --self one "$@" b.fa | diff want -
	fasta-chunk -L 70 b.fa > b.rec
	sites_of --self one "$@" b.rec | diff want -
	find_ --self one "$@" b.rec | diff - <(cut -f 1-7 want)
	primerbook --site --self one:3-90 --self one:100-200 \
		--self last:230-240 --self three:0-300 "$@" q.fa b.fa > want
	sites_of --self own.bed "$@" b.fa | diff want -
	sites_of --self own.bed -t 3 "$@" b.rec | diff want -
	find_ --self own.bed --engine=plain "$@" b.fa |
		diff - <(cut -f 1-7 want)
}

# bats test_tags=threads,slow
@test "what --self names or lists matches nothing, nor is it a site" {
	prepare
	printf '%s\n' '# own' 'one	100	200	x	0	+' 'last	230	240' \
		'one	3	50' 'one	40	90' 'three	0	300' 'one	7	7' > own.bed
	each_options self_agrees
	# it makes a difference
	find_ -k 4 b.fa > without
	find_ -k 4 --self one b.fa > with
	[ "$(wc -l < with)" -gt "$(wc -l < without)" ] ||
		no cmp -s with without
	# a folder of that name is no list
	mkdir one
	find_ -k 4 --self one b.fa | diff with -
	# nothing is left at all
	{ echo '>one' && sed -n 2,4p b.fa; } > one.fa
	find_ -k 3 --site --self one one.fa > have
	[ -s have ]
	awk -F '\t' '$4 != 3 || $8 $9 $10 $11 $12 $13 != "******" { exit 1 }' \
		have
	find_ -k 3 /dev/null | diff - <(cut -f 1-7 have)
	# only there, in the source's algorithms as well
	find_ -k 3 --self own.bed b.fa > want
	find_ -k 3 --self own.bed --algorithm=alternative b.fa | diff want -
}

# bats test_tags=slow
@test "random cases of sites and own places are as defined" {
	local i

	for i in {1..15}; do
		RANDOM=$i
		n=$((1 + RANDOM % 300)) k=$((1 + RANDOM % 5))
		{
			randseq $n $i 60 x
			randseq $((RANDOM % 50)) 1$i 60 y
			echo '>z'
			randseq 70 3$i 60 x
		} | sed '/>/!s/ACA/ANR/' > b.fa
		{
			randseq $((1 + RANDOM % 50)) 2$i 80 r
			echo '>s'
			sed -n 2p b.fa | sed 's/CA/A/;s/T/G/3'
		} > q.fa
		f=$((RANDOM % n)) l=$((1 + RANDOM % 40))
		printf 'x\t%d\t%d\n' $f $((f + l)) > own.bed
		for o in "-k $k" "-k $k -s + --min-len 12 --primers=both" \
			"-k $k -s - --three-prime 6:2"; do
			primerbook $o --site q.fa b.fa > want
			sites_of $o b.fa | diff want -
			primerbook $o --site --self x:$f-$((f + l)) q.fa b.fa \
				> want
			fasta-chunk -L $((20 + RANDOM % 90)) b.fa > b.rec
			sites_of $o --self own.bed --quiet b.rec |
				diff want -
		done
	done
}

@test "begins and CIGARs are those of asm-scan" {
	randseq 8000 31 60 g > b.fa
	randseq 150 32 60 u > q.fa
	o='-k 4 --min-len 20 --primers=both'
	find_ $o --site b.fa > have
	[ "$(wc -l < have)" -ge 150 ]
	while IFS=$'\t' read -r t b e l k s x; do
		asm-scan --report=best -k 12 -e "${s%%	*}" -O tsv --no-header \
			b.fa | sed -n 1p | cut -f 5,6,8-10,12
	done < <(head -n 40 have) > want
	awk -F '\t' -v OFS='\t' '{ print $9, $8, $10, $11, $12, $13 }' have |
		sed -n 1,40p | diff want -
}

@test "json has the columns, and two files are one background" {
	prepare
	find_ -k 3 --site b.fa > tsv
	primer-find -k 3 --site -q q.fa -O tsv b.fa | sed -n 1p > have
	printf '#target\tbeg\tend\tlength\tk\tsequence\tstrand\t' > want
	printf 'site_%s\t' subject strand sbeg send edits >> want
	printf 'site_cigar\n' >> want
	diff want have
	primer-find -k 3 --site -q q.fa -O json b.fa |
		sed 's/.*"site_subject":"\([^"]*\)","site_strand":"\(.\)"/\1 \2/
			s/,"site_[a-z]*":/ /g; s/["}]//g' |
		diff - <(cut -f 8- tsv | tr '\t' ' ')
	primer-find -k 3 --site -q q.fa -O json --self one \
		<(cat) < /dev/null && return 1
	echo '>one' > empty.fa
	run -0 primer-find -k 3 --site -e ACG -O json empty.fa
	[[ $output == *',"site_subject":null,"site_strand":null,"site_sbeg":null,"site_send":null,"site_edits":null,"site_cigar":null}' ]]
	awk '/>three/ { f = 1 } !f { print > "b1.fa" } f { print > "b2.fa" }' \
		b.fa
	find_ -k 3 --site b1.fa b2.fa | diff tsv -
	fasta-chunk --label 1 b1.fa > b1.rec
	fasta-chunk --label 2 b2.fa > b2.rec
	find_ -k 3 --site b1.rec b2.rec | diff tsv -
}

@test "bed and gff3 have what tsv has" {
	prepare
	sed -i 's/>one$/>one;=%,\&/' b.fa
	find_ -k 3 --min-len 12 --primers=both --site b.fa > tsv
	grep -q ';=%,&' tsv
	cut -f 8- tsv > want
	primer-find -k 3 --min-len 12 --primers=both --site -q q.fa -O bed \
		b.fa > bed
	cut -f 8- bed | diff want -
	diff <(cut -f 1-3,6,7 tsv) <(cut -f 1-3,7 bed | paste - <(cut -f 6 bed))
	awk -F '\t' -v OFS=';' '{
		gsub("%", "%25", $1); gsub(";", "%3B", $1); gsub("=", "%3D", $1)
		gsub(",", "%2C", $1); gsub("&", "%26", $1); gsub("=", "%3D", $6)
		print "site_subject=" $1, "site_strand=" $2, "site_sbeg=" $3,
			"site_send=" $4, "site_edits=" $5, "site_cigar=" $6
	}' want > attributes
	primer-find -k 3 --min-len 12 --primers=both --site -q q.fa -O gff3 \
		b.fa | sed -n '/^#/!s/.*;site_subject=/site_subject=/p' |
		diff attributes -
	# no site: no attributes, but columns
	echo '>one' > empty.fa
	run -0 primer-find -k 3 --site -e ACG -O gff3 empty.fa
	[[ $output == *';sequence=ACG' ]]
	run -0 primer-find -k 3 --site -e ACG -O bed empty.fa
	[[ $output == *$'\t+\tACG\t*\t*\t*\t*\t*\t*' ]]
}

@test "what --site cannot do is refused, and it writes nothing" {
	prepare
	fasta-chunk -L 90 -W 400 --part 0/2 b.fa > p0.rec
	fasta-chunk -L 90 -W 400 --part 1/2 b.fa > p1.rec
	primer-find -O rec -k 3 -q q.fa b.fa > done.rec
	for o in '-O tsv' '-O tsv -' '-O tsv /dev/stdin' '-O rec b.fa' '-o x.rec b.fa' \
		'-O fasta b.fa' '-O boulder b.fa' '-O tsv --alphabet=literal b.fa' \
		'-O tsv p0.rec' '-O tsv b.fa done.rec' '-O tsv done.rec'; do
		fails 2 --site sh_ \
			"cat b.fa | primer-find -k 3 --site -q q.fa $o"
	done
	find_ -k 3 --max-len 40 --site p1.rec p0.rec |
		diff - <(find_ -k 3 --max-len 40 --site b.fa)
	run -2 --separate-stderr primer-find -k 3 --self one \
		--alphabet=literal -q q.fa b.fa
	head -c 900 p0.rec > cut.rec
	run -3 --separate-stderr primer-find -k 3 --site -q q.fa -O tsv cut.rec
}

@test "own places that are not there are reported, and keep merges apart" {
	prepare
	says 0 '--self: 1 of 1 places is not in this background; the first one is of nobody' \
		find_ -k 3 --self nobody b.fa
	says 0 'the first one is of one:3-9 (a part of a sequence is a line of BED)' \
		find_ -k 3 --self one:3-9 b.fa
	printf 'one\t3\t9\nthree\t290\t301\nlast\t0\t240\n' > own.bed
	says 0 '1 of 3 places *of three' find_ -k 3 --self own.bed b.fa
	sed -i s/301/300/ own.bed
	run -0 --separate-stderr find_ -k 3 --self own.bed b.fa
	[[ $stderr != *--self* ]]
	for bad in 'one 3 9' 'one	9	3' 'one	3' 'one	3	x' 'one	3	9x' \
		'	3	9' 'one	-3	9'; do
		printf 'one\t3\t9\n%s\n' "$bad" > bad.bed
		fails 1 'bad.bed: line 2: ' primer-find -k 3 --self bad.bed \
			-q q.fa -O tsv b.fa
	done
	# of parts, with merge-topk, and not with others
	fasta-chunk -L 90 -W 200 --part 0/2 b.fa |
		primer-find -k 3 --max-len 30 -q q.fa --self one -o 0.rec
	fasta-chunk -L 90 -W 200 --part 1/2 b.fa > p1.rec
	primer-find -k 3 --max-len 30 -q q.fa --self one -o 1.rec p1.rec
	merge-topk -O tsv --no-header 0.rec 1.rec |
		diff - <(find_ -k 3 --max-len 30 --self one b.fa)
	primer-find -k 3 --max-len 30 -q q.fa --self last -o 1.rec p1.rec
	run -3 merge-topk -O tsv 0.rec 1.rec
	primer-find -k 3 --max-len 30 -q q.fa -o 1.rec p1.rec
	run -3 merge-topk -O tsv 0.rec 1.rec
}
