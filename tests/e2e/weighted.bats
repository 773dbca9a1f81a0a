# SPDX-License-Identifier: MIT
# ebwt-dist of matrices: solid words, and the distances of all of them.
load helper

# What the distances of words say of matrices: words is --words of $1, without
# its header; the distances of all pairs of words, by the plain way.
from_words() { # OPTION ...
	awk '{ print ">" NR; print $2 }' words > words.fa
	ebwt-dist "$@" -q words.fa --no-header -O tsv words.fa > pairs
	awk -F '\t' -v OFS='\t' '
	FNR == NR { name[NR] = $1; p[NR] = $3
		if (!($1 in at)) { at[$1] = ++n; names[n] = $1 }; next }
	at[name[$1]] < at[name[$2]] {
		k = name[$1] OFS name[$2]; d = $6; w = p[$1] * p[$2]
		if (!(k in c) || d < min[k]) min[k] = d
		if (!(k in c) || d > max[k]) max[k] = d
		c[k]++; s[k] += d; ws[k] += w * d; wt[k] += w }
	END { for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) {
		k = names[i] OFS names[j]
		printf "%s\t%d\t%.12g\t%.12g\t%.12g\t%.12g\n", k, c[k], s[k] / c[k],
			ws[k] / wt[k], min[k], max[k] } }' words pairs
}
# Rows of files alike, but for the eighth digit of numbers (columns 4 on).
alike() {
	rows "$1" > alike.1
	rows "$2" > alike.2
	[ -s alike.1 ]
	cut -f 1-3 alike.1 | cmp - <(cut -f 1-3 alike.2)
	paste <(cut -f 4- alike.1) <(cut -f 4- alike.2) | awk -F '\t' '
		NF % 2 { exit 1 }
		{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2)
			if (d * d > 1e-15 * ($i * $i + 1e-9)) exit 1 } }'
}

@test "the words of a matrix, and their probabilities" {
	printf '>m one\nA [ 3 1 0 ]\nC [ 1 0 0 ]\nG [ 0 1 0 ]\nT [ 0 0 9 ]\n' > m
	ebwt-dist --words m > have
	printf '#name\tword\tprobability\nm\tAAT\t0.375\nm\tAGT\t0.375\n' > want
	printf 'm\tCAT\t0.125\nm\tCGT\t0.125\n' >> want
	diff want have
	fasta-chunk m | ebwt-dist --words | diff want -
	[ "$(ebwt-dist --words --theta-pos 0.26 --no-header m | wc -l)" = 2 ]
	[ "$(ebwt-dist --words --theta-word 0.375 --no-header m | wc -l)" = 2 ]
	for p in .126 1.26e-1; do
		[ "$(ebwt-dist --words --theta-word $p --no-header m | wc -l)" = 2 ]
	done
	# at the threshold: at least for us, more for the source
	[ "$(ebwt-dist --words --algorithm=paper --no-header m | wc -l)" = 2 ]
	ebwt-dist --words --theta-pos 0.6 --theta-word 0.5 --no-header m |
		diff - <(printf 'm\t*\t*\n')
	printf '>s\nacgun\n' | ebwt-dist --words --no-header |
		diff - <(printf 's\tACGTN\t1\n')
	fails 1 'm:*matrix' ebwt-dist --ebwt m
}

@test "too many words are reported, not made" {
	{ printf '>wide\n'; for i in 1 2 3 4; do
		for j in $(seq 11); do printf '1 '; done; echo; done; } > m
	fails 1 'wide*1048576*--theta' ebwt-dist --words m
	[ "$(ebwt-dist --words --theta-word 0.1 --no-header m | cut -f 2)" = '*' ]
}

@test "no solid word: 0 pairs, *, and no PHYLIP matrix" {
	motif 1 5 a > m
	printf '>b\nA [ 1 1 ]\nC [ 1 1 ]\nG [ 1 1 ]\nT [ 1 1 ]\n' >> m
	motif 2 5 c >> m
	ebwt-dist --theta-pos .26 -O tsv m > have
	[ "$(rows have | wc -l)" -eq 3 ]
	grep -qx $'a\tb\t0\t\*\t\*\t\*\t\*' have
	grep -qx $'b\tc\t0\t\*\t\*\t\*\t\*' have
	ebwt-dist -O rec --theta-pos .26 m | rec-view -O tsv | cmp - have
	ebwt-dist --theta-pos .26 -O json m | grep -c '"mean":null' | grep -qx 2
	for o in phylip phylip-lower newick; do
		fails 1 ': no matrix or tree: b has no distances: no solid word (lower --theta-' \
			ebwt-dist --theta-pos .26 -O $o m
	done
	# of the nearest it is not one, nor has it any
	run --separate-stderr ebwt-dist --theta-pos .26 -n 1 --no-header m
	[ "$(cut -f 1,2 <<< "$output")" = $'a\tc\nc\ta' ]
	[[ $stderr == *': 1 of 3 have no solid word, so no distances: lower'* ]]
	run --separate-stderr ebwt-dist -n 1 m
	[ -z "$stderr" ]
	ebwt-dist -O phylip m > square
	[ "$(wc -l < square)" -eq 4 ]
	ebwt-dist -O tsv m | awk '$1 == "a" && $2 == "c" { print $4 }' |
		grep -qxF "$(sed -n 2p square | tr -s ' ' | cut -d ' ' -f 4)"
}

# bats test_tags=slow
@test "matrices: the distances of all their words, by any way" {
	for s in 1 2; do
		{ motif $s 4 x; motif $s$s 3 y; motif $s$s$s 5 z
		motif 5$s 4 x2; } > m
		for o in '' '--theta-word 0.001' '--theta-pos 0.1'; do
			ebwt-dist --words --no-header $o m > words
			no grep '\*' words
			for d in delta de; do
				from_words --metric=$d > want
				ebwt-dist --extremes --metric=$d $o -O tsv m > have
				alike want have
				ebwt-dist --metric=$d $o -O tsv m > have
				alike <(cut -f 1-5 want) <(cut -f 1-5 have)
				rows have | cut -f 6- | sort -u |
					diff - <(printf '*\t*\n')
			done
			ebwt-dist $o -O tsv -t 1 m | cmp - \
				<(ebwt-dist $o -O tsv -t 3 m)
		done
		# away from the thresholds the source's words are the same
		ebwt-dist --extremes --theta-pos .2351 -O tsv m > want
		ebwt-dist --extremes --theta-pos .2351 --algorithm=paper \
			-O tsv m > have
		alike want have
	done
	ebwt-dist -O tsv m > want
	LENGTHS='1 5 100' however want m ebwt-dist -O tsv
}

@test "matrices and sequences in one set, and as queries" {
	motif 7 6 x > m
	printf '>s\nACGTTACGGATTACA\n>t\nACGNA\n' > s.fa
	ebwt-dist --extremes -O tsv m s.fa > have
	[ "$(rows have | wc -l)" -eq 3 ]
	head -n 1 have | grep -q weighted_mean
	ebwt-dist --extremes -O tsv -q s.fa m > q
	ebwt-dist --words --no-header m > words
	[ "$(wc -l < words)" -gt 1 ]
	for n in s t; do
		awk -v OFS='\t' -v n=$n '$1 == "x" && $2 == n {
			$1 = n; $2 = "x"; print }' have > a
		awk -v n=$n '$1 == n' q > b
		alike a b
		[ "$(cut -f 3 a)" = "$(wc -l < words)" ]
	done
	awk '$1 == "s"' have | cut -f 3- |
		cmp - <(d=$(ebwt-dist -O tsv --no-header s.fa | cut -f 6)
			printf "1\t$d\t$d\t$d\t$d\n")
	# a matrix as a query, from a pipe, too
	ebwt-dist --extremes -O tsv -q m s.fa > r
	gzip -c m | ebwt-dist --extremes -O tsv -q - s.fa | cmp - r
	grep ^x have > a
	alike r a
	fasta-chunk s.fa | ebwt-dist -q m | merge-topk -n 1 -O tsv |
		cmp - <(ebwt-dist -n 1 -q m -O tsv s.fa)
	fails 1 '' ebwt-dist --memory 150 -O tsv m s.fa
}

@test "a bad column, letters beside probabilities" {
	printf '>m\nA [ 1 0 ]\nC [ 1 0 ]\nG [ 1 0 ]\nT [ 1 0 ]\n' > m
	fails 1 '' ebwt-dist -O tsv m
	fails 1 m ebwt-dist -q m -O tsv -
}

# bats test_tags=slow
@test "as products, as lists, as the source does it: the same distances" {
	{ motif 4 6 x; motif 44 4 y; motif 74 6 z
	motif 4 6 x2; printf '>p\nA [1]\nC [1]\nG [0]\nT [0]\n'; } > m
	printf '>s\nACGTNACG\n>t\nA\n' > s.fa
	for d in delta norm dm; do
		for e in auto lists product; do
			ebwt-dist --engine=$e --metric=$d -O tsv \
				--theta-pos .1 m s.fa > $e
			ebwt-dist --engine=$e --metric=$d -O tsv \
				--extremes --theta-pos .1 m s.fa > $e.x
		done
		for e in lists product auto.x; do
			alike <(cut -f 1-5 auto) <(cut -f 1-5 $e)
		done
		alike auto.x lists.x
		alike auto.x product.x
		ebwt-dist --algorithm=paper --metric=$d -O tsv \
			--extremes --theta-pos .0999 m s.fa > paper
		alike auto.x paper
	done
	[ "$(rows auto | wc -l)" -eq 21 ]
	ebwt-dist --engine=product -t 1 -O tsv --theta-pos 0 m s.fa > want
	for t in 1 3; do
		all_isas want ebwt-dist --engine=product -t $t -O tsv \
			--theta-pos 0 m s.fa
	done
}

# A matrix of $1 columns of any letters, name $2.
any() {
	printf '>%s\n' "$2"
	for c in 2 3 4 5; do
		printf "$c %.0s" $(seq $1)
		echo
	done
}

@test "more words than there is time for: means of all, or what is to be done" {
	{ any 12 small; any 40 large; } > m
	ebwt-dist --extremes --theta-pos 0 -e ACGT -e ACGTTACGGATTACAGGTACCATTT -O tsv m > have
	grep -q $'^ACGT\tsmall\t16777216\t[0-9.]*\t[0-9.]*\t7\t14$' have
	grep -q $'^ACGT\tlarge\t1.20892582e+24\t[0-9.]*\t[0-9.]*\t35\t42$' have
	# the sets of gaps are too many to know the least
	grep -q $'^ACGTTA.*\tlarge\t1.20892582e+24\t[0-9.]*\t[0-9.]*\t\*\t\*$' have
	ebwt-dist -O rec --extremes --theta-pos 0 -e ACGT -e ACGTTACGGATTACAGGTACCATTT m > rec
	rec-view -O tsv rec | cmp - have
	cat rec rec | merge-topk -O tsv 2> /dev/null | cmp - have
	rec-view -O json rec | grep -c '"min":null,"max":null' | grep -qx 1
	fails 1 'small and large have*--theta-pos 0.29 leaves few' \
		ebwt-dist --theta-pos 0 -O tsv m
	ebwt-dist --theta-pos .29 -O tsv m | rows | wc -l |
		grep -qx 1
	fails 1 'which delta and norm alone allow' \
		ebwt-dist --theta-pos 0 --metric=dm -e A -O tsv m
	# two letters at each position, or none at all
	for i in a b; do
		echo ">$i"
		for c in 'A 3' 'C 3' 'G 1' 'T 1'; do
			echo "${c% *} [ $(yes "${c#* }" | head -n 30 | tr '\n' ' ')]"
		done
	done > pairs
	fails 1 ' both; --theta-word P leaves at most 1/P' \
		ebwt-dist -O tsv pairs
	{ any 40 a; any 41 b; } > large
	fails 1 'a and b have some 10^24 and some 10^25 solid words' \
		ebwt-dist --theta-pos 0 -O tsv large
	# reported before it is taken
	fails 1 'more than --memory 8' \
		ebwt-dist --theta-pos 0 -e ACGT --memory 8k -O tsv m
	ebwt-dist -v --theta-pos 0 -e ACGT --progress -O tsv m 2> notes > /dev/null
	grep -q 'memory: .* some .* s of one processor' notes
}

@test "matrices of all letters: means without extremes are those of all words" {
	{ any 6 a; any 3 b; any 2 c; motif 9 6 d; any 1 e
	# the same columns again, and a letter that is never there
	printf '>f\nA 2 0 2 0\nC 1 1 1 1\nG 0 0 0 0\nT 3 9 3 9\n'; } > m
	printf '>s\nACACAC\n>t\nAC\n>u\nCACACA\n>v\nNNA\n>w\nAAAA\n' > s.fa
	for q in '' '-q s.fa'; do
		ebwt-dist --theta-pos 0 $q -O tsv m > have
		[ "$(rows have | wc -l)" -ge 15 ]
		ebwt-dist --theta-pos 0 $q --engine=lists -O tsv m > want
		alike have want
		ebwt-dist --theta-pos 0 $q --algorithm=paper -O tsv m > want
		alike have want
	done
	# the pairs of words of long ones are no number of 64 bits
	{ any 150 long; any 3 short; } > l
	ebwt-dist -O rec -t 1 --theta-pos 0 l > want
	for t in 1 3; do
		all_isas want ebwt-dist -O rec -t $t --theta-pos 0 l
	done
	rec-view -O tsv want > have
	grep -q $'^long\tshort\t1.3037[0-9]*e+92\t14[0-9.]*\t14[0-9.]*\t\*\t\*$' have
	cat want want | merge-topk -O tsv 2> /dev/null | cmp - have
}

# bats test_tags=threads
@test "a mean by many tasks is that of one" {
	{ any 6 a; any 5 b; } > m
	ebwt-dist --theta-pos 0 -t 1 -O tsv m > one
	ebwt-dist --theta-pos 0 -t 3 -O tsv m | cmp - one
	ebwt-dist --theta-pos 0 -t 2 --engine=lists -O tsv m > two
	alike one two
	[ "$(rows one | cut -f 3)" -eq $((4096 * 1024)) ]
	ebwt-dist --theta-pos 0 -t 1 --engine=lists --metric=de -O tsv m > one
	ebwt-dist --theta-pos 0 -t 3 --metric=de -O tsv m | cmp - one
}
