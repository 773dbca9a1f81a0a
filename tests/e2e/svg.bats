# SPDX-License-Identifier: MIT
# -O svg: pictures.  librsvg draws them, and pixels of the right colours must
# be where the results are.
load helper

PLUS=0072b2 MINUS=d55e00 BARS=009e73
X=200 W=640	# the plot

# pixels FILE COLOUR ...
pixels() {
	rsvg-convert "$1" | python3 "$BATS_TEST_DIRNAME/pixels.py" "${@:2}"
}
texts() { # of a picture, one a line
	sed -n 's#.*<text[^>]*>\(<title>.*</title>\)\{0,1\}\(.*\)</text>.*#\2#p' "$1"
}
# 1000 letters, of which only these two places match GATTACAGATTACA
place_two() {
	{ printf '>one\n'; printf 'C%.0s' $(seq 1000); } |
		sed '2s/^\(.\{400\}\).\{14\}/\1GATTACAGATTACA/;2s/^\(.\{800\}\).\{14\}/\1TGTAATCTGTAATC/' > t.fa
	printf '\n' >> t.fa
}

@test "hits stand at their place, above the line or below it" {
	need rsvg-convert
	place_two
	asm-scan -O rec -e GATTACAGATTACA t.fa > h.rec
	[ "$(rec-view -O tsv h.rec | rows | wc -l)" -eq 2 ]
	rec-view -O svg h.rec > h.svg
	pixels h.svg $PLUS $MINUS $BARS > px
	# beside the legend's square: a column of the plot at 407 and 807 / 1000
	python3 - px <<-'END'
		import sys
		px = {f[0]: [int(v) for v in f[1:]] for f in
		      (l.split() for l in open(sys.argv[1]))}
		plus, minus = px["0072b2"], px["d55e00"]
		assert abs(plus[2] - (200 + 640 * .407)) < 4, plus
		assert abs(minus[2] - (200 + 640 * .807)) < 4, minus
		assert plus[4] < minus[4], (plus, minus)
		assert px["009e73"] == [0], px	# all have no edits
	END
	texts h.svg > t
	grep -x 'one' t
	grep -x '+ strand: 1' t
	grep -x -e '- strand: 1' t
	grep '<title id="title">2 hits of 1 query in 1 sequence</title>' h.svg
	no grep -i '<script\|href' h.svg
	# the same bytes by another way
	merge-topk -O svg h.rec | cmp - h.svg
	for L in 40 100; do
		fasta-chunk -L $L -W 30 t.fa | asm-scan -t 2 -e GATTACAGATTACA |
			rec-view -O svg | cmp - h.svg
	done
}

@test "nothing, one hit, ends only, counts: each is a picture" {
	need rsvg-convert
	place_two
	asm-scan -O rec -e ATATATATATATAT t.fa | rec-view -O svg > n.svg
	pixels n.svg $PLUS
	texts n.svg | grep -x 'Nothing found'
	asm-scan -O rec -s + -e GATTACAGATTACA t.fa | rec-view -O svg > o.svg
	grep '>1 hit of 1 query in 1 sequence<' o.svg
	asm-scan -O rec -s + --ends -e GATTACAGATTACA t.fa | rec-view -O svg > e.svg
	[ "$(pixels e.svg $PLUS | cut -d ' ' -f 2)" -gt 100 ]
	asm-scan -O rec --histogram -k 3 -e GATTACAGATTACA t.fa > c.rec
	rec-view -O svg c.rec > c.svg
	n=$(rec-view -O tsv c.rec | rows | awk '$3 == 0 { n += $4 } END { print n }')
	texts c.svg | grep -x "$n"
	[ "$(pixels c.svg $BARS | cut -d ' ' -f 2)" -gt 1000 ]
	fails 2 'sequences, not hits' rec-view -O svg t.fa
}

@test "alignments are lines of a dot plot, falling or rising" {
	need rsvg-convert
	randseq 3000 7 60 s > s.fa
	unwrap s.fa | tail -n 1 | cut -c 501-1500 > line
	{ printf '>q\n'; cat line; } > q.fa
	{ printf '>r\n'; tr ACGT TGCA < line | rev; } > r.fa
	sw-scan -O rec --min-score 200 -q q.fa s.fa | rec-view -O svg > q.svg
	sw-scan -O rec --min-score 200 -q r.fa s.fa | rec-view -O svg > r.svg
	grep '<path class="pl" d="M[^L]*L[^L]*"/>' q.svg
	grep '<path class="ml" d="M[^L]*L[^L]*"/>' r.svg
	for f in q r; do	# from one edge of the query to the other
		grep -o 'class="[pm]l" d="M[0-9. ]*L[0-9. ]*' $f.svg |
			tr -c '0-9.\n' ' ' > at
		awk '{ d = $4 - $2; exit !(d * d > 359 * 359) }' at
	done
	[ "$(pixels q.svg $PLUS | cut -d ' ' -f 2)" -gt 1000 ]
}

@test "few queries: a lane and a colour for each, as in a restriction map" {
	need rsvg-convert
	printf '>EcoRI\nGAATTC\n>BamHI\nGGATCC\n>HindIII\nAAGCTT\n' > e.fa
	asm-scan -s + -q e.fa -O svg "$DATA/lambda.fa.gz" > m.svg
	texts m.svg > t
	for n in EcoRI BamHI HindIII; do grep -x $n t; done
	# so many sites each, 0 differences: in a line, and no bar of its own
	grep -x 5 t | wc -l | grep -qx 2
	grep -qx 6 t
	grep -x 'Hits by edits: all 16 have 0' t
	no grep -x differences t
	# one site of EcoRI: 21226 of 48502 letters, in the first colour
	grep -o 'class="c0" d="M[0-9.]*' m.svg | grep -o '[0-9.]*$' > at
	awk '{ d = $1 - (200 + 640 * 21229 / 48503); exit !(d * d < 9) }' at
	pixels m.svg 0072b2 d55e00 009e73 > px
	[ "$(awk '$2 > 20' px | wc -l)" -eq 3 ]
	# one above the other, in the order of the queries
	awk '{ y[NR] = $5 } END { exit !(y[1] < y[2] && y[2] < y[3]) }' px
	asm-scan -O rec -s + -q e.fa "$DATA/lambda.fa.gz" > m.rec
	rec-view -O svg m.rec | cmp - m.svg
	merge-topk -O svg m.rec | cmp - m.svg
	# thirteen are too many: by strand
	for i in $(seq 13); do printf '>q%d\n' $i; randseq 5 $i | sed 1d; done > 13.fa
	asm-scan -q 13.fa -O svg "$DATA/lambda.fa.gz" > 13.svg
	no grep 'class="c0"' 13.svg
	texts 13.svg | grep -x 'Hits along the sequences'
	head -n 24 13.fa | asm-scan -q - -O svg "$DATA/lambda.fa.gz" |
		grep 'class="c7"' > /dev/null
}

# bats test_tags=slow
@test "thousands of sequences: a small picture, which says what it leaves out" {
	need rsvg-convert
	for i in $(seq 3000); do
		printf '>s%d <&>\nACGTGATTACAACGT\n' $i
	done > many.fa
	{ printf '>most\n'; for i in $(seq 50); do printf GATTACA; done; } >> many.fa
	asm-scan -O rec -s + -e GATTACA many.fa > h.rec
	rec-view -O svg h.rec > h.svg
	[ "$(wc -c < h.svg)" -lt 60000 ]
	texts h.svg > t
	[ "$(grep -c '^s[0-9]*$' t)" -eq 23 ]
	grep -x most t
	grep -x 'not shown: 2,977 more in 2,977 other sequences' t
	pixels h.svg $PLUS
	# nor does it matter what comes first
	fasta-chunk -L 500 many.fa | asm-scan -s + -e GATTACA > p.rec
	for i in 0 1 2; do
		fasta-chunk -L 500 --part $i/3 many.fa |
			asm-scan -s + -e GATTACA > part.$i
	done
	rec-view -O svg p.rec | cmp - h.svg
	cat part.2 part.0 part.1 | rec-view -O svg | cmp - h.svg
}

@test "names of any bytes, long ones cut in their middle" {
	need rsvg-convert
	printf '>a&b<c>"d\\\x27e\nGATTACA\n>caf\xc3\xa9\xff\nGATTACA\n' > n.fa
	# control characters, what XML does not allow, long forms, a cut letter
	printf '>\xe2\x82\xac\xc2\x85\xef\xbf\xbe\xc0\xaf\xe2\x82\nGATTACA\n' >> n.fa
	# 60 letters of 2 bytes have room, 61 do not and are cut between two
	for n in 60 61; do
		printf '>%s%d\nGATTACA\n' "$(printf '\xc3\xb6%.0s' $(seq $((n - 2))))" $n
	done >> n.fa
	printf '>a_name_of_37_letters_for_which_is_room\nGATTACA\n' >> n.fa
	printf '>%s%s\nGATTACA\n' the_longest_name_of_all_of_them_ \
		and_longer_than_what_there_is_room_for >> n.fa
	asm-scan -O rec -s + -e GATTACA n.fa | rec-view -O svg > n.svg
	pixels n.svg $PLUS
	grep -F 'a&amp;b&lt;c&gt;"d' n.svg
	grep -F '>café%FF<' n.svg
	grep -F '>€%C2%85%EF%BF%BE%C0%AF%E2%82<' n.svg
	grep -E '>(ö){58}60<' n.svg
	grep -E '</title>(ö){30}&#8230;(ö){27}61<' n.svg
	grep -F '>a_name_of_37_letters_for_which_is_room<' n.svg
	grep -F 'room_for</title>the_longest_name_of_all_of_the&#8230;r_than_what_there_is_room_for<' n.svg
	# what is beside them has moved, and is all there
	grep -F '<g transform="translate(336,0)">' n.svg
	grep -F '<svg xmlns="http://www.w3.org/2000/svg" width="1296" ' n.svg
	ebwt-dist -O rec n.fa | rec-view -O svg > d.svg
	pixels d.svg 440154
}

# bats test_tags=slow
@test "distances are cells of a heat map" {
	need rsvg-convert
	for i in $(seq 6); do randseq 200 $i 60 n$i; done > d.fa
	ebwt-dist -O rec d.fa > d.rec
	rec-view -O svg d.rec > d.svg
	merge-topk -O svg d.rec | cmp - d.svg
	# the nearest is as dark, and the farthest as light, as any
	pixels d.svg 440154 fde725 > px
	[ "$(awk '$2 > 1000' px | wc -l)" -eq 2 ]
	# 30 of 36 cells hold a number
	[ "$(grep -c '<text fill="#' d.svg)" -eq 30 ]
	v=$(rec-view -O tsv d.rec | rows | awk '{ print $6 }' | sort -n | tail -n 1)
	texts d.svg | grep -E "^$v +delta$"
	# nothing of the diagonal, nothing of pairs that were left out
	merge-topk -n 1 -O svg d.rec > one.svg
	[ "$(grep -c '<text fill="#' one.svg)" -lt 20 ]
	ebwt-dist -O rec -q <(head -n 5 d.fa) d.fa | rec-view -O svg > q.svg
	[ "$(grep -c '<text fill="#' q.svg)" -eq 6 ]
	# thousands are k; what has no solid word has no number
	for i in 1 2; do randseq 9000 $i 60 n$i; done > long.fa
	ebwt-dist -O rec long.fa > l.rec
	rec-view -O svg l.rec > l.svg
	grep -E '<text fill="#[^>]*>[0-9.]+k</text>' l.svg
	# of one distance alone all is dark
	grep '<path fill="#440154" d="M' l.svg
	# a map for each scan and run, each as it is by itself
	ebwt-dist -O rec --metric=norm d.fa > n.rec
	cat d.rec n.rec l.rec | rec-view -O svg > three.svg
	for f in d n l; do
		rec-view -O svg $f.rec > one.svg
		texts one.svg
	done | sort | diff - <(texts three.svg | sort)
	printf '>a\n9 0 0 0\n0 9 0 0\n>b\n0 9 0 0\n9 9 9 9\n' > w
	ebwt-dist -O rec --theta-pos 0.5 w > w.rec
	[ "$(rec-view -O tsv w.rec | rows | cut -f 3,5)" = $'0\t*' ]
	rec-view -O svg w.rec > w.svg
	no grep '<text fill="#' w.svg
	for i in $(seq 120); do randseq 20 $i 60 n$i; done > many.fa
	ebwt-dist -O rec many.fa | rec-view -O svg > m.svg
	texts m.svg | grep -x 'the first 100 by 100 of 120 by 120 sequences: -O tsv has all of them'
	[ "$(wc -c < m.svg)" -lt 300000 ]
	pixels m.svg 440154
	grep '^<svg [^>]* width="1816" ' m.svg
}

@test "primers lie along their targets" {
	need rsvg-convert
	randseq 2000 3 60 g > g.fa
	randseq 100 4 60 t > t.fa
	primer-find -O rec -k 3 --primers=both -q t.fa g.fa > p.rec
	rec-view -O svg p.rec > p.svg
	n=$(rec-view -O tsv p.rec | rows | wc -l)
	grep "<title id=\"title\">$n primers in 1 sequence</title>" p.svg
	[ "$(pixels p.svg $PLUS $MINUS $BARS | awk '$2 > 300' | wc -l)" -eq 3 ]
}

@test "a picture of what is not whole says so at its top" {
	need rsvg-convert
	place_two
	fasta-chunk -L 100 -W 30 t.fa | asm-scan -e GATTACAGATTACA > h.rec
	recframes list < h.rec > frames
	n=$(awk '$2 == "HITS" { print $1; exit }' frames)
	recframes drop $n < h.rec > gap.rec
	run -3 --separate-stderr rec-view -O svg gap.rec
	echo "$output" > gap.svg
	why='t.fa, scan -e: 1 of 10 chunks is missing: 0'
	[ "$stderr" = "rec-view: $why" ]
	texts gap.svg | sed -n 1,2p |
		diff <(printf '%s\n' 'Incomplete: there may be more than is shown' "$why") -
	grep '<title id="title">Incomplete: 2 hits of' gap.svg
	# a bar from one edge to the other, above what else there is
	pixels gap.svg $MINUS > px
	[ "$(awk '{ print $3, $4, $5 < 20 }' px)" = '16 943 1' ]
	# a length that was never given, and rows that are left out for it
	n=$(awk '$2 == "SEQ" { print $1 }' frames)
	recframes drop $n < h.rec > x
	rec-view -O svg x > x.svg || [ $? -eq 3 ]
	texts x.svg | grep -x '2 rows are missing: the length of one was never given'
	# damage, and gaps of tables
	head -c 900 h.rec > cut
	rec-view -O svg cut > cut.svg || [ $? -eq 3 ]
	texts cut.svg | grep '^Incomplete: '
	for i in 1 2 3; do randseq 200 $i 60 n$i; done > d.fa
	ebwt-dist -O rec d.fa | recframes list > frames
	ebwt-dist -O rec d.fa | recframes drop $(awk '$2 == "DIST" { print $1; exit }' frames) > x
	rec-view -O svg x > x.svg || [ $? -eq 3 ]
	texts x.svg | grep '^Incomplete: '
	# no file, as of text
	run -3 rec-view -O svg -o no.svg gap.rec
	[ ! -e no.svg ]
	# what is whole says nothing of it
	rec-view -O svg h.rec > h.svg
	no grep Incomplete h.svg
}

@test "the picture in the documents is what its command draws" {
	cd "$DATA"
	asm-scan -O rec -k 2 -q sites.fa lambda.fa.gz | rec-view -O svg | cmp - ../sites.svg
}
