# SPDX-License-Identifier: MIT
# ebwt-dist of genomes: sequences that are one colour, both strands.
load helper

# Genomes of three contigs each, x1.fa, x2.fa.gz, x3.fna: mutants of one.
genomes() {
	awk -v seed="${1:-1}" 'BEGIN {
		srand(seed)
		for (i = 0; i < 900; i++)
			s[i] = substr("ACGT", 1 + int(4 * rand()), 1)
		for (g = 1; g <= 3; g++)
			for (c = 1; c <= 3; c++) {
				f = "x" g (g == 3 ? ".fna" : ".fa")
				printf ">g%d.c%d of it\n", g, c > f
				t = ""
				for (i = 300 * (c - 1); i < 300 * c; i++)
					t = t (rand() < .03 * g ? "A" : s[i])
				print t > f
			}
	}' < /dev/null
	gzip -f x2.fa
}
# The same genomes, contigs in another order, turned, on any strand.
turned() { # FILE SEED
	gzip -cdf "$1" | awk -v seed="$2" '
	function other(s,    i, t) {
		for (i = length(s); i; i--)
			t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
		return t
	}
	BEGIN { srand(seed) }
	/^>/ { name = $0; next }
	{
		at = int(rand() * length($0))
		s = substr($0, at + 1) substr($0, 1, at)
		print rand(), name, rand() < .5 ? other(s) : s
	}' | sort -g | awk '{ print $2 "\n" $NF }'
}
values() {
	rows "$@" | cut -f 6
}
# All strands of all words, as a table would have it.
by_hand() { # FILE ...
	rm -f table
	for f; do
		g=$(basename "$f" | sed 's/\..*//')
		gzip -cdf "$f" | awk -v g="$g" '
			/^>/ { n++; next }
			{
				t = ""
				for (i = length($0); i; i--)
					t = t substr("TGCA", index("ACGT",
						substr($0, i, 1)), 1)
				print ">" g "_" n "+\n" $0
				print ">" g "_" n "-\n" t
				print g "_" n "+\t" g >> "table"
				print g "_" n "-\t" g >> "table"
			}'
	done > strands.fa
}

@test "a file is one genome, whatever its contigs are called" {
	genomes
	ebwt-dist --by=file x1.fa x2.fa.gz x3.fna > out
	[ "$(rows out | cut -f 1-4)" = \
		$'x1\tx2\t900\t900\nx1\tx3\t900\t900\nx2\tx3\t900\t900' ] ||
		rows out
	ebwt-dist --by=prefix:. x1.fa x2.fa.gz x3.fna > prefix
	values out | cmp - <(values prefix)
	[ "$(rows prefix | cut -f 1,2 | sed -n 1p)" = $'g1\tg2' ]
	for g in 1 2 3; do
		for c in 1 2 3; do
			printf 'g%d.c%d\tgenome %d\n' $g $c $g
		done
	done > groups
	ebwt-dist --by=@groups x1.fa x2.fa.gz x3.fna > table
	values out | cmp - <(values table)
	[ "$(rows table | cut -f 1,2 | sed -n 3p)" = $'genome 2\tgenome 3' ]
}

@test "both strands of each word are words of its genome" {
	genomes 2
	by_hand x1.fa x2.fa.gz x3.fna
	for m in delta norm dm; do
		ebwt-dist --metric=$m --by=file -s both x1.fa x2.fa.gz x3.fna |
			values > both
		ebwt-dist --metric=$m --by=@table strands.fa | values |
			cmp - both
	done
	# and of each record, which is a colour then
	printf '>a\nACGGT\n>b\nTTTGG\n>c\nACCGT\n' > r.fa
	printf '>a+\nACGGT\n>a-\nACCGT\n>b+\nTTTGG\n>b-\nCCAAA\n' > s.fa
	printf 'a+\ta\na-\ta\nb+\tb\nb-\tb\n' > t
	[ "$(ebwt-dist -s both r.fa | values | sed -n 1p)" = \
		"$(ebwt-dist --by=@t s.fa | values)" ]
	[ "$(ebwt-dist -s both r.fa | values | sed -n 2p)" = 0 ]
}

@test "order, orientation and rotation of contigs do not matter with -s both" {
	genomes 3
	ebwt-dist --by=file -s both x1.fa x2.fa.gz x3.fna > want
	for seed in 1 2 3 4; do
		mkdir -p $seed
		turned x1.fa $seed > $seed/x1.fa
		turned x2.fa.gz $((seed + 10)) > $seed/x2.fa
		turned x3.fna $((seed + 20)) > $seed/x3.fasta
		(cd $seed && ebwt-dist --by=file -s both x1.fa x2.fa x3.fasta) |
			cmp - want
		cp $seed/x1.fa y$seed.fa
	done
	# one genome, three times
	ebwt-dist --by=file -s both x1.fa y1.fa y2.fa y3.fa | values > zero
	[ "$(sort -u zero)" = 0 ]
	[ "$(wc -l < zero)" = 6 ]
	# which one strand does not see
	[ "$(ebwt-dist --by=file x1.fa y1.fa | values)" != 0 ]
}

@test "chunks, parts, threads, memory and merges change no genome's distance" {
	genomes 4
	for o in --by=file '--by=prefix:. -s both' '-s both'; do
		ebwt-dist $o -O tsv x1.fa x2.fa.gz x3.fna > want
		fasta-chunk -L 100 x1.fa x2.fa.gz x3.fna > x.rec
		ebwt-dist $o -O tsv -t 3 x.rec | cmp - want
		fan 3 '-L 70 x1.fa x2.fa.gz x3.fna' |
			ebwt-dist $o | merge-topk | cmp - want
		ebwt-dist $o --memory 60M x.rec -O tsv | cmp - want
		ebwt-dist $o -O rec x.rec > d.rec
		rec-view --check d.rec
		rec-view d.rec | cmp - want
		merge-topk --partial d.rec d.rec | merge-topk |
			cmp - want
		ebwt-dist $o -O phylip x.rec > want.phylip
		rec-view -O phylip d.rec | cmp - want.phylip
		fasta-chunk -L 100 --part 1/3 x1.fa x2.fa.gz x3.fna > part.rec
		fails 3 '' ebwt-dist $o -O tsv part.rec
	done
	# two groupings of one run are two scans, apart
	ebwt-dist --by=file x.rec > file.rec
	ebwt-dist --by=prefix:. x.rec > prefix.rec
	merge-topk file.rec prefix.rec | rows | sort > have
	cat <(ebwt-dist --by=file -O tsv x.rec) \
		<(ebwt-dist --by=prefix:. -O tsv x.rec) | rows | sort |
		cmp - have
}

@test "queries are grouped, too" {
	genomes 5
	ebwt-dist --by=file -s both x1.fa x2.fa.gz x3.fna > all
	ebwt-dist --by=file -s both -q x1.fa x2.fa.gz x3.fna | rows |
		cmp - <(rows all | head -n 2)
	ebwt-dist --by=file -s both -q x1.fa -q x2.fa.gz x3.fna | values |
		cmp - <(values all | tail -n 2)
	ebwt-dist --by=file -e ACGT -e GG x3.fna > e
	[ "$(rows e | cut -f 1-3)" = $'ACGT\tx3\t4\nGG\tx3\t2' ]
	ebwt-dist -n 1 --by=file x1.fa x2.fa.gz x3.fna | rows > near
	[ "$(wc -l < near)" = 3 ]
}

@test "what is no grouping is refused, by name" {
	genomes 6
	refuses() { # STATUS TEXT OPTION ...
		fails "$1" "$2" sh_ "ebwt-dist ${*:3}"
	}
	: > empty.fa
	mkdir d
	cp x1.fa d
	printf 'g1.c1\ta\ng1.c2\ta\ng1.c3\tb\nno\tb\n' > no
	printf 'g1.c1\ta\ng1.c2\t\n' > blank
	printf 'g1.c1\ta\n' > few
	printf 'g1.c1\ta\ng1.c1\tb\n' > twice
	printf 'g1.c1 a\n' > tabless
	printf '# nothing\n\n' > nothing
	refuses 1 'no sequence is called no' --by=@no x1.fa
	refuses 1 'blank: line 2: g1.c2 is of an empty group' --by=@blank x1.fa
	refuses 1 'g1.c2: is in no group of the table' --by=@few x1.fa
	refuses 1 'twice: line 2: g1.c1 is there twice' --by=@twice x1.fa
	refuses 1 'tabless: line 1: not a record, a tab' --by=@tabless x1.fa
	refuses 1 'nothing: no record' --by=@nothing x1.fa
	refuses 1 'nix: No such file' --by=@nix x1.fa
	refuses 1 'no letters came from empty.fa' --by=file x1.fa empty.fa
	refuses 1 'two files are called x1' --by=file x1.fa d/x1.fa
	refuses 1 'two files are called x1' --by=file -q x1.fa -q x1.fa x3.fna
	refuses 1 'no letters came from empty.fa' --by=file empty.fa
	fasta-chunk empty.fa > empty.rec
	fasta-chunk x1.fa x3.fna > x.rec
	refuses 1 'no letters came from empty.fa' --by=file -O tsv empty.rec x.rec
	printf 'g1.c1\ta\ng1.c2\t \n' > blanks
	refuses 1 'blanks: line 2: g1.c2 is of an empty group' --by=@blanks x1.fa
	refuses 1 'nothing is before the first g' --by=prefix:g x1.fa
	for o in file '' prefix: @ x; do
		[ "$o" = file ] || refuses 2 "--by $o: must be" --by="$o" x1.fa
	done
	refuses 2 'not defined' --by=file --metric=de x1.fa x3.fna
	refuses 2 '-s both' -s both --metric=de x1.fa
	for o in --ebwt --words --algorithm=paper; do
		refuses 2 'not with' -s both $o x1.fa
		refuses 2 'not with' --by=file $o x1.fa
	done
	printf '>p\nMKLVEF\n>q\nMK\n' > p.fa
	refuses 1 'p: -s both is for DNA' -s both p.fa
	{
		fasta-chunk x1.fa
		fasta-chunk --label=2 d/x1.fa
	} > two.rec
	cp x1.fa z1.fa
	{
		fasta-chunk -L 100 --part 0/2 x1.fa x3.fna
		fasta-chunk -L 100 --part 1/2 z1.fa x3.fna
	} > parts.rec
	refuses 1 'parts of one input name other files' --by=file -O tsv \
		parts.rec
	refuses 1 'x1: in two runs of the stream' --by=file -O tsv two.rec
	refuses 1 'g1: in two runs of the stream' --by=prefix:. -O tsv two.rec
	# nor do results of two runs have one name
	ebwt-dist --by=prefix:. -O rec x1.fa x2.fa.gz > a.rec
	ebwt-dist --by=prefix:. -O rec z1.fa x3.fna > b.rec
	for f in merge-topk 'merge-topk -O rec' rec-view; do
		fails 1 'g1: a group in two runs' $f a.rec b.rec
	done
	ebwt-dist -O rec x1.fa x2.fa.gz > a.rec
	ebwt-dist -O rec z1.fa x3.fna > b.rec
	merge-topk a.rec b.rec
}

@test "names of contigs that come again are no concern of groups" {
	printf '>c\nACGTAC\n' > a.fa
	printf '>c\nACGAAC\n' > b.fa
	quiet ebwt-dist --by=file a.fa b.fa
	# but of a table, which knows one
	printf 'c\tg\n' > table
	says 0 'two sequences are called c: both are of its group' \
		ebwt-dist --by=@table a.fa b.fa
	quiet ebwt-dist --by=@table -q a.fa b.fa
	says 0 'two sequences are called c' ebwt-dist a.fa b.fa
}

@test "trees are the same from records, by suffix, and for any threads" {
	for i in $(seq 9); do randseq 1500 $i 70 t$i; done > f.fa
	ebwt-dist --metric=norm -O newick f.fa > want
	ebwt-dist --metric=norm -t 3 -o x.nwk f.fa
	cmp x.nwk want
	ebwt-dist --metric=norm -o x.newick.gz f.fa
	zcat x.newick.gz | cmp - want
	fasta-chunk -L 700 f.fa | ebwt-dist --metric=norm > d.rec
	rec-view -O newick d.rec | cmp - want
	merge-topk -o y.nwk d.rec
	cmp y.nwk want
	ebwt-dist -O svg-tree f.fa > tree.svg
	fasta-chunk f.fa | ebwt-dist | merge-topk -O svg-tree | cmp - tree.svg
	fasta-chunk f.fa | ebwt-dist | rec-view -O svg-tree | cmp - tree.svg
	[ "$(grep -c '<text[^>]*>t[1-9]<' tree.svg)" = 9 ]
	[[ $(head -c 5 tree.svg) == '<svg ' ]]
	if command -v xmllint > /dev/null; then
		xmllint --noout tree.svg
	fi
}

@test "small trees, names that trees cannot hold, and what has no tree" {
	printf '>a\nACGT\n' > 1.fa
	[ "$(ebwt-dist -O newick 1.fa)" = 'a;' ]
	printf '>a(x)\nAAC\n>b:1\nGTT\n' > 2.fa
	[ "$(ebwt-dist -O newick 2.fa)" = '(a_x_:2,b_1:2);' ]
	# where lengths differ, delta is a matter of these
	printf '>c\nAACCGTTGAC\n>d\nACCGTTGACAC\n' > near.fa
	printf '>e\nACGTTGCATGCA\n' | cat near.fa - > far.fa
	for o in newick phylip; do
		run --separate-stderr ebwt-dist -O $o far.fa
		one_line ebwt-dist
		[[ $stderr == *'differ: take --metric=scaled' ]]
		for f in '-O tsv far.fa' "-O $o near.fa" \
			"-O $o --metric=scaled far.fa"; do
			quiet ebwt-dist $f
		done
	done
	printf '>c\nAAC\n>c\nGTTG\n>d\nAAC\n' | ebwt-dist -O newick 2> /dev/null |
		grep -qxE '\(c:[0-9.]+,c_2:[0-9.]+,d:[0-9.]+\);'
	for o in newick svg-tree; do
		run -2 ebwt-dist -O $o -n 1 2.fa
		run -2 ebwt-dist -O $o -q 1.fa 2.fa
		fails 1 "$o: there is no sequence" \
			sh_ "ebwt-dist -O $o /dev/null"
		ebwt-dist -O rec -q 1.fa 2.fa > q.rec
		fails 2 "$o needs distances of all pairs" merge-topk -O $o q.rec
		run -2 asm-scan -e ACG -O $o 2.fa
		asm-scan -e ACG -O rec 1.fa > hits.rec
		run -2 merge-topk -O $o hits.rec
	done
	seq 2001 | sed 's/.*/>s&\nAC/' > many.fa
	fails 1 ' 2001 sequences: more than the 2000' \
		ebwt-dist -v -O svg-tree many.fa
	# nothing was sorted for that
	[[ $stderr != *memory* ]]
	ebwt-dist -O rec many.fa > many.rec
	fails 1 'svg-tree: 2001 sequences: more than the 2000' \
		merge-topk -O svg-tree many.rec
}

@test "subs counts substitutions, on either strand and in any contigs" {
	awk 'BEGIN {
		srand(11)
		for (i = 0; i < 60000; i++) {
			c = 1 + int(4 * rand())
			s = s substr("ACGT", c, 1)
			if (rand() < .05)
				c += 1 + int(3 * rand())
			t = t substr("ACGTACG", c, 1)
		}
		print ">a" > "a.fa"
		print s > "a.fa"
		for (i = 1; i < 60000; i += 20000)
			print ">b" i "\n" substr(t, i, 20000) > "b.fa"
	}' < /dev/null
	turned b.fa 5 > c.fa
	ebwt-dist --metric=subs --by=file -s both a.fa b.fa c.fa > out
	# 5 % of places, some 5.2 % of substitutions
	rows out | awk '{
		bad += $1 == "a" ? $6 < .045 || $6 > .06 : $6 != 0
	} END { exit bad || NR != 3 }'
	rows out | cut -f 6 | head -n 2 | uniq | wc -l | grep -qx 1
}

# JASPAR's matrices and FASTA's words, each the other way round, with r before
# its name.
other_way() {
	awk 'function row(s, n, i, k, f) {
			gsub(/[][]/, "", s)
			k = split(s, f, " ")
			s = ""
			for (i = k; i > 1; i--)
				s = s " " f[i]
			return s
		}
		/^>/ { sub(/^>/, ">r"); print; next }
		/^[ACGT] *\[/ {
			r[substr($0, 1, 1)] = row($0)
			if (++n % 4 == 0) {
				print "A [" r["T"] " ]\nC [" r["G"] " ]"
				print "G [" r["C"] " ]\nT [" r["A"] " ]"
			}
		}' "$1"
}

@test "both strands of matrices: all words of both, from the four of one strand" {
	for i in 1 2 3 4; do motif $i $((2 + 2 * i)) m$i .7; done > m
	motif 9 9 m5 .9 >> m
	printf '>no\nA [ 9 1 ]\nC [ 9 1 ]\nG [ 9 1 ]\nT [ 9 1 ]\n' >> m
	{ cat m; other_way m; } > all
	[ "$(grep -c '^>r' all)" -eq 6 ]
	for o in '--extremes' '--extremes --theta-word 1e-3' \
	    '--metric=dm --extremes' '--metric=scaled' '--metric=norm -n 2'; do
		ebwt-dist --theta-pos .26 $o -s both m > have
		ebwt-dist --theta-pos .26 ${o% -n 2} all | rows | awk '
			function name(s) { sub(/^r/, "", s); return s }
			name($1) != name($2) {
				k = name($1) < name($2) ? name($1) " " name($2) : \
					name($2) " " name($1)
				n[k] += $3; s[k] += $4 / 4; w[k] += $5 / 4
				if (!(k in c) || $6 < l[k]) l[k] = $6
				if (!(k in c) || $7 > m[k]) m[k] = $7
				c[k]++
			}
			END { for (k in c) if (n[k])
				printf "%s %d %.6g %.6g %s %s\n", k, n[k], s[k],
					w[k], l[k], m[k] }' | sort > want
		[ "$(wc -l < want)" -eq 10 ]
		rows have | awk '$3 { k = $1 < $2 ? $1 " " $2 : $2 " " $1
			printf "%s %d %.6g %.6g %s %s\n", k, $3, $4, $5, $6,
				$7 }' | sort -u > got
		case $o in
		*-n*) [ "$(comm -13 want got | wc -l)" -eq 0 ] ;;
		*) cmp want got ;;
		esac
	done
	# a matrix on the other strand is as near; queries; words beside matrices
	ebwt-dist -s both m | rows | cut -f 4 > have
	{ sed -n 1,5p m; other_way m | sed '1,5d; s/^>r/>/'; } > turned
	ebwt-dist -s both turned | rows | cut -f 4 | cmp - have
	ebwt-dist -s both -e ACGTTA -O tsv m | rows | cut -f 4 |
		cmp - <(ebwt-dist -s both -e TAACGT -O tsv m | rows | cut -f 4)
	for t in 1 3; do
		ebwt-dist -t $t -s both --engine=lists m | cmp - \
			<(ebwt-dist -t 1 -s both --engine=lists m)
	done
	ebwt-dist -O rec -s both m | rec-view -O tsv | cmp - <(ebwt-dist -s both m)
	fails 2 '' ebwt-dist -s both --by=file m
	fails 1 'ACEF*none of theirs' ebwt-dist -s both -e ACEF m
	# whole names
	printf '>MA0363.1 REB1\nA [ 1 0 ]\nC [ 1 0 ]\nG [ 0 1 ]\nT [ 0 1 ]\n' > one
	ebwt-dist --full-names -s both -e ACG -O tsv one | rows |
		cut -f 2 | grep -qx 'MA0363.1 REB1'
}
