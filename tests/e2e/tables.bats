# SPDX-License-Identifier: MIT
# Primers and distances: frames made by hand, as text and merged.
load helper

RUN=$'str x.fa\nstr \nstr s\nu64 5'

# A receipt of scan 9 (rule $1): the serials $2..., frame $3 of it, $4 the last.
receipt() {
	echo "u64 9"; echo "str q.fa"; echo "var $1"; echo "var $4"; echo "var $3"
	echo "var 1"; echo "var $2"; echo "var 1"
	echo "var 10"; echo "u64 $((7 * $2 + 1))"
	echo "var 0"
}

# BEGIN of the run, of scan 9 of program $2 (rule $1), END of $3 chunks.
books() {
	local i sum=0

	printf 'frame 1 4 0 1\nu64 0\nstr \nvar 0\n%s\n' "$RUN"
	printf 'bytes program fasta-chunk\\n\n'
	printf 'frame 1 4 0 1\nu64 9\nstr q.fa\nvar %s\n%s\n' "$1" "$RUN"
	printf 'bytes program %s\\n\n' "$2"
	for ((i = 0; i < $3; i++)); do
		sum=$((sum + 7 * i + 1))
	done
	printf 'frame 9 4 0 1\n%s\nvar %s\nvar 1\nvar %s\nu64 %s\n' "$RUN" "$3" \
		$(($3 * 10)) $sum
}

# PRIMER of chunk $1: target virus of letters $2, steps of end "$3", flags $4.
primer() {
	local s

	printf 'frame 6 4 %s 1\n%s\n' "$1" "$RUN"
	receipt 3 "$1" 0 1
	printf 'var 0\nvar %s\nstr virus\nstr k 2\\n\nu8 %s\nvar 0\nbytes %s\n' \
		${#2} "${4:-0}" "$2" | sed 's/^str k 2.n$/str k 2/'
	for s in $3; do
		echo "var $s"
	done
}

# The example of the definition: alpha = ACTG, beta = AGCAAG in two chunks, of
# which each knows an end that the other does not.
example() {
	{ books 3 primer-find 2; primer 0 ACTG "2 0 2 0"; } | recmake > a.rec
	primer 1 ACTG "1 2 0 1" | recmake > b.rec
}

@test "primers: ends merge by maximum, the definition's example comes out" {
	example
	printf '#target\tbeg\tend\tlength\tk\tsequence\tstrand\n' > want
	printf 'virus\t0\t3\t3\t2\tACT\t+\nvirus\t1\t4\t3\t2\tCTG\t+\n' >> want
	merge-topk -O tsv a.rec b.rec | diff want -
	merge-topk -O tsv b.rec a.rec b.rec | diff want -
	cat b.rec a.rec | rec-view -O tsv | diff want -
	merge-topk -O rec a.rec b.rec > m.rec
	merge-topk -O tsv m.rec | diff want -
	[ "$(types < m.rec | sort | uniq -c | tr -s ' \n' ' ')" = \
		" 2 BEGIN 1 END 1 PRIMER " ]
	merge-topk --partial b.rec > p.rec
	merge-topk -O tsv a.rec p.rec | diff want -
	merge-topk -O rec a.rec p.rec | cmp - m.rec
	merge-topk -O tsv --no-header m.rec | diff <(tail -n 2 want) -
}

@test "primers: bed with letters, gff3, fasta, json" {
	example
	merge-topk -O bed a.rec b.rec |
		diff - <(printf 'virus\t0\t3\tvirus:1-3\t2\t+\tACT\n'
			printf 'virus\t1\t4\tvirus:2-4\t2\t+\tCTG\n')
	merge-topk -O fasta a.rec b.rec > have
	printf '>virus:1-3 k=2 length=3\nACT\n>virus:2-4 k=2 length=3\nCTG\n' |
		diff - have
	cat a.rec b.rec | rec-view -O fasta | diff have -
	merge-topk -O gff3 a.rec b.rec | rows | cut -f 2-5,7 |
		diff - <(printf 'primer-find\tprimer\t1\t3\t+\n'
			printf 'primer-find\tprimer\t2\t4\t+\n')
	merge-topk -O json a.rec b.rec | wc -l | grep -qx 2
}

@test "primers of the complement have forward places" {
	{ books 3 primer-find 1; primer 0 ACTG "2 1 1 0" 1; } | recmake > a.rec
	merge-topk -O tsv a.rec | rows |
		diff - <(printf 'virus\t0\t3\t3\t2\tCTG\t-\n'
			printf 'virus\t1\t4\t3\t2\tACT\t-\n')
}

@test "primers: what does not fit is reported" {
	example
	run -3 --separate-stderr merge-topk -O tsv a.rec
	[ -z "$output" ]
	[[ $stderr == *'serials 1'* ]] || [[ $stderr == *missing* ]]
	fails 2 '' merge-topk --quiet -O sam a.rec b.rec
	run -2 --separate-stderr merge-topk -O phylip a.rec b.rec
	run -2 --separate-stderr rec-view -O paf a.rec b.rec
	fails 2 '' merge-topk -n 1 -O tsv a.rec b.rec
	primer 1 ACTC "1 2 0 1" | recmake > c.rec
	fails 3 'primers: frames of one scan disagree' \
		merge-topk -O tsv a.rec c.rec
	# an end behind the target, and one that decreases, cannot be written
	primer 1 ACTG "1 2 0 2" | recmake > c.rec
	fails 3 'bad ends' merge-topk -O tsv a.rec c.rec
}

# DIST of chunk $1, flags $2; then names and rows as lines.
dist() {
	printf 'frame 7 4 %s %s\n%s\n' "$1" "$3" "$RUN"
	receipt 0 "$1" 0 1
	printf 'str delta\nu8 %s\n' "$2"
}
subject() { # ORDINAL LEN NAME
	printf 'var %s\nvar %s\nstr %s\n' "$1" $(($2 + 1)) "$3"
}
pair() {
	printf 'var %s\nvar %s\nf64 %s\n' "$1" "$2" "$3"
}

mammals() {
	{ books 0 ebwt-dist 1; dist 0 0 6; echo "var 4"
	subject 0 10 'human being'; subject 1 11 chimp; subject 2 12 human_being
	subject 3 13 cow
	pair 0 1 1; pair 0 2 0.5; pair 0 3 7; pair 1 2 1.25; pair 1 3 6
	pair 2 3 14014; } | recmake > m.rec
}

@test "distances: tsv, json, square and lower matrices" {
	mammals
	rec-view -O tsv m.rec > have
	head -n 2 have | diff - <(printf '#a\tb\talen\tblen\tmetric\tvalue\n'
		printf 'human being\tchimp\t10\t11\tdelta\t1\n')
	[ "$(rows have | wc -l)" -eq 6 ]
	merge-topk -O tsv m.rec | cmp - have
	merge-topk -O phylip m.rec > square
	cat > want <<-'END'
	4
	human_being 0 1 0.5 7
	chimp      1 0 1.25 6
	human_being_2 0.5 1.25 0 14014
	cow        7 6 14014 0
	END
	diff want square
	rec-view -O phylip m.rec | cmp - square
	cat > want <<-'END'
	4
	human_being
	chimp      1
	human_being_2 0.5 1.25
	cow        7 6 14014
	END
	merge-topk -O phylip-lower m.rec | diff want -
	cat > want <<-'END'
	4
	human_bein 0 1 0.5 7
	chimp      1 0 1.25 6
	human_be_2 0.5 1.25 0 14014
	cow        7 6 14014 0
	END
	merge-topk -O phylip-strict m.rec | diff want -
	rec-view -O phylip-strict m.rec | diff want -
	merge-topk -O json m.rec | wc -l | grep -qx 6
	merge-topk -O rec m.rec m.rec 2> /dev/null | merge-topk -O phylip | cmp - square
}

@test "strict PHYLIP: ten letters for a name, each there once" {
	# names alike in their first ten letters, some with numbers already
	for i in $(seq 120); do
		printf '>contig_number_%d\nACG\n>contig_n_%d\nAC\n' $i $i
	done > x.fa
	printf '>contig_n_2\nA\n>\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4x1\nA\n' >> x.fa
	ebwt-dist -O phylip-strict x.fa > have
	[ "$(head -n 1 have)" = 242 ]
	sed 1d have | cut -c 1-10 > names
	[ "$(sort -u names | wc -l)" -eq 242 ]
	no grep -v '^[^ ][^ ]* *$' names
	no grep -q '[^ -~]' names
	head -n 4 names | paste -s -d ' ' |
		grep -qx 'contig_num contig_n_1 contig_n_2 contig_n_3'
	tail -n 1 names | grep -qx '________x1'
	# beside the names, the matrix is that of phylip
	diff <(sed 1d have | cut -c 11- | tr -s ' ') \
		<(ebwt-dist -O phylip x.fa | sed 1d | sed 's/^[^ ]* *//; s/^/ /')
	fasta-chunk x.fa | ebwt-dist | merge-topk -O phylip-strict | cmp - have
	run -2 ebwt-dist -n 1 -O phylip-strict x.fa
}

@test "distances of two billion letters have all their digits" {
	{ books 0 ebwt-dist 1; dist 0 0 3; echo "var 3"
	subject 0 2200000000 a; subject 1 2200000001 b; subject 2 9 c
	pair 0 1 2200026123; pair 0 2 1234567891.5
	pair 1 2 999999999; } | recmake > big.rec
	rec-view -O tsv --no-header big.rec | cut -f 6 | paste -s -d ' ' |
		grep -qx '2200026123 1.23456789e+09 999999999'
	rec-view -O phylip big.rec | grep -q '^a .* 0 2200026123 1.23456789e+09'
	rec-view -O json big.rec | grep -q '"value": *2200026123[,}]'
}

@test "distances: the nearest of each, and of all" {
	mammals
	merge-topk -n 1 -O tsv m.rec | rows | cut -f 1,2,6 |
		diff - <(printf 'human being\thuman_being\t0.5\n'
			printf 'chimp\thuman being\t1\n'
			printf 'human_being\thuman being\t0.5\n'
			printf 'cow\tchimp\t6\n')
	merge-topk -n 2 --per=all -O tsv m.rec | rows | cut -f 1,2,6 |
		diff - <(printf 'human being\thuman_being\t0.5\n'
			printf 'human being\tchimp\t1\n')
	merge-topk --partial -n 1 m.rec > p.rec
	merge-topk -n 1 -O tsv p.rec | cmp - <(merge-topk -n 1 -O tsv m.rec)
	fails 1 'all pairs' merge-topk -O phylip p.rec
	run -2 --separate-stderr merge-topk -n 2 -O tsv p.rec
	run -2 --separate-stderr merge-topk --no-overlap 0.5 -O tsv m.rec
	fails 2 '' merge-topk -O bed m.rec
}

@test "quicktree, rapidnj or fastme reads our matrix" {
	mammals
	merge-topk -O phylip m.rec > square
	for c in quicktree rapidnj fastme; do
		command -v $c > /dev/null || continue
		case $c in
		quicktree) quicktree -in m square > tree ;;
		rapidnj) rapidnj square -i pd > tree ;;
		fastme) fastme -i square -o tree > /dev/null ;;
		esac
		grep -q cow tree
		grep -q human_being_2 tree
		return 0
	done
	skip "no tree builder on this machine"
}

@test "weighted distances: numbers of pairs, and * where there is no word" {
	{ books 0 ebwt-dist 1; dist 0 1 2; echo "var 3"
	subject 0 10 x; subject 1 11 y; subject 2 12 z
	pair 0 1 1.5; printf 'f64 1.25\nf64 1\nf64 2\nvar 8\n'
	pair 0 2 0; printf 'f64 0\nf64 0\nf64 0\nvar 0\n'; } | recmake > w.rec
	merge-topk -O tsv w.rec | diff - \
		<(printf '#a\tb\tpairs\tmean\tweighted_mean\tmin\tmax\n'
		printf 'x\ty\t8\t1.5\t1.25\t1\t2\nx\tz\t0\t*\t*\t*\t*\n')
	run -1 --separate-stderr merge-topk -O phylip w.rec
}

@test "distances to queries: one table of all chunks, but no matrix" {
	rectangle() {
		dist "$1" 2 2; printf 'var 2\n'
		printf 'var 0\nvar 5\nstr p\nvar 1\nvar 5\nstr q\nvar 1\n'
		subject "$1" 10 "s$1"; pair 0 0 "$2"; pair 1 0 "$3"
	}
	{ books 0 ebwt-dist 3; rectangle 2 3 1; } | recmake > a.rec
	{ rectangle 0 5 6; rectangle 1 3 9; } | recmake > b.rec
	merge-topk -O tsv a.rec b.rec | rows | cut -f 1,2,6 | tr '\t\n' ' ;' |
		grep -qx 'p s0 5;p s1 3;p s2 3;q s0 6;q s1 9;q s2 1;'
	merge-topk -n 1 -O tsv b.rec a.rec | rows | cut -f 1,2,6 |
		tr '\t\n' ' ;' | grep -qx 'p s1 3;q s2 1;'
	merge-topk -n 1 --ties=keep -O tsv b.rec a.rec | rows | cut -f 1,2 |
		tr '\t\n' ' ;' | grep -qx 'p s1;p s2;q s2;'
	fails 2 'not those to queries' merge-topk -O phylip a.rec b.rec
}

@test "the fault matrix for primers and distances" {
	example
	mammals
	cat a.rec b.rec > p.rec
	for f in p m; do
		for at in $(recframes list < $f.rec | cut -d ' ' -f 1); do
			recframes drop $at < $f.rec > x.rec
			run -3 merge-topk -O tsv x.rec
			run -3 rec-view -O tsv x.rec
			recframes double $at < $f.rec |
				merge-topk --quiet -O tsv |
				cmp - <(merge-topk -O tsv $f.rec)
			recframes flip $at 60 3 < $f.rec > x.rec
			run -3 merge-topk -O tsv x.rec
			recframes cut $at 70 < $f.rec > x.rec
			run -3 merge-topk -O tsv x.rec
		done
		for s in 1 2 3; do
			recframes shuffle $s < $f.rec | merge-topk |
				cmp - <(merge-topk $f.rec)
		done
	done
}

@test "a scanner's text shows what scans before it found, tables as well" {
	fasta-chunk "$DATA/lambda.fa.gz" > c.rec
	example
	{ books 0 ebwt-dist 1; dist 0 0 1; echo "var 2"
	subject 0 10 a; subject 1 11 b; pair 0 1 1; } | recmake > d.rec
	asm-scan -O tsv -e GGGCGGCGACCTCGCGGG c.rec > hits
	cat a.rec b.rec c.rec > all.rec
	# their run has no chunks here, which is reported, too
	run -3 --separate-stderr asm-scan -O tsv -e GGGCGGCGACCTCGCGGG all.rec
	{ cat hits; rec-view -O tsv a.rec b.rec; } | diff - <(echo "$output")
	[[ $stderr == *missing* ]]
	cat d.rec c.rec > all.rec
	run -3 --separate-stderr asm-scan -O tsv -e GGGCGGCGACCTCGCGGG all.rec
	{ cat hits; rec-view -O tsv d.rec; } | diff - <(echo "$output")
	fails 2 '' asm-scan -O paf -e GGGCGGCGACCTCGCGGG all.rec
}
