# SPDX-License-Identifier: MIT
# rec-view -O pretty: alignments to look at.
load helper

# + exact at 2, - with an insertion, + with a change.
prepare() {
	printf '>chr1 first\nTTACGTTGCAGGTTTTTTCCTGCAAACGTA\n' > t.fa
	printf '>chr2\nTTTTACGTTGCATGTTTTTT\n' >> t.fa
	printf '>q\nACGTTGCAGG\n' > q.fa
	asm-scan -O rec -k 1 --with-seq -q q.fa t.fa > h.rec
}

@test "both lines with their places, on both strands" {
	prepare
	cat > want <<-'END'
	q  chr1:3-12  +  edits 0  score 0
	  query    1 ACGTTGCAGG 10
	             ||||||||||
	  subject  3 ACGTTGCAGG 12

	q  chr1:19-29  -  edits 1  score -1
	  query   10 CCTGC-AACGT 1
	             ||||| |||||
	  subject 19 CCTGCAAACGT 29

	q  chr2:5-14  +  edits 1  score -1
	  query    1 ACGTTGCAGG 10
	             ||||||||*|
	  subject  5 ACGTTGCATG 14

	END
	rec-view -O pretty -q q.fa h.rec | diff want -
	rec-view -O pretty --color=auto -q q.fa h.rec | diff want -
	merge-topk -O pretty -q q.fa h.rec | sort | diff <(sort want) -
	rec-view -O pretty h.rec | diff want -
	# records hold a million letters of queries; else what differs is not known
	head -c 99999 /dev/zero | tr '\0' A > long
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		echo ">$i"
		cat long
		echo
	done | cat q.fa - > many.fa
	asm-scan -O rec -k 1 --with-seq -q many.fa t.fa | rec-view -O pretty |
		diff - <(sed '/query.*CAGG 10$/{x;s/^/x/;/^xx$/{x
			s/CAGG 10/CA?G 10/;x};x}' want)
}

@test "--color: always, never, NO_COLOR, and not into a pipe" {
	prepare
	esc=$(printf '\033')
	rec-view -O pretty --color=always -q q.fa h.rec > c
	grep -q "CA$esc\[31;1mG$esc\[0mG 10" c
	grep -q "$esc\[33;1m-$esc\[0m" c
	sed "s/$esc\[[0-9;]*m//g" c | cmp - <(rec-view -O pretty -q q.fa h.rec)
	NO_COLOR=1 rec-view -O pretty --color=always -q q.fa h.rec | cmp - c
	for when in auto never; do
		rec-view -O pretty --color=$when h.rec > plain
		no grep "$esc" plain
	done
}

@test "--color=auto: on a terminal that takes colours" {
	need_terminal
	prepare
	esc=$(printf '\033')
	rec-view -O pretty --color=always -q q.fa h.rec > c
	tty() {
		script -qec "$1 rec-view -O pretty -q q.fa h.rec" /dev/null \
			< /dev/null | tr -d '\r'
	}
	tty 'TERM=xterm NO_COLOR=' | cmp - c
	tty 'TERM=xterm NO_COLOR=1' | no grep "$esc"
	tty 'TERM=dumb' | no grep "$esc"
}

@test "long alignments are wrapped, and places go on" {
	{ echo '>s'; randseq 150 1 | tail -n +2; } | unwrap > t.fa
	tail -n 1 t.fa | cut -c 11-140 > q
	asm-scan -O rec -k 1 --report=best -s + --with-seq -q q t.fa > h.rec
	rec-view -O pretty -q q h.rec | grep -E 'query|subject' |
		awk '{ print $1, $2, length($3), $4 }' > have
	printf '%s\n' 'query 1 60 60' 'subject 11 60 70' 'query 61 60 120' \
		'subject 71 60 130' 'query 121 10 130' 'subject 131 10 140' |
		diff - have
}

@test "what is missing is named" {
	prepare
	asm-scan -O rec -k 1 -q q.fa t.fa > n.rec
	fails 2 --with-seq rec-view -O pretty n.rec
	run -2 --separate-stderr merge-topk -O pretty n.rec
	fails 2 '' rec-view -O tsv -q q.fa h.rec
	printf '>q\nACGTTGCAG\n' > other.fa
	fails 2 '-q has no query q of 10 letters' \
		rec-view -O pretty -q other.fa h.rec
}

# COLUMNS COMMAND: on a terminal as wide as that.
on_terminal() {
	script -qec "stty cols $1; TERM=dumb $2" /dev/null < /dev/null | tr -d '\r'
}

@test "pretty is as wide as the terminal" {
	need_terminal
	{ echo '>s'; randseq 900 1 | tail -n +2; } | unwrap > t.fa
	tail -n 1 t.fa | cut -c 11-810 > q
	asm-scan -O rec -k 1 --report=best -s + --with-seq -q q t.fa > h.rec
	# 12 columns and two numbers of 3 digits are beside the letters
	for how in '78 60' '77 50' '100 80' '38 20' '5 10' '1000 400' '137 110'; do
		set -- $how
		on_terminal "$1" 'rec-view -O pretty h.rec' > have
		grep subject have | head -n 1 | awk '{ print length($3) }' |
			grep -qx "$2"
		[ "$1" -lt 30 ] || sed 1d have | awk -v w="$1" 'length > w { exit 1 }'
		[ "$(grep subject have | awk '{ printf "%s", $3 }')" = \
			"$(rec-view -O pretty h.rec | grep subject | awk '{ printf "%s", $3 }')" ]
	done
	rec-view -O pretty h.rec | grep subject | head -n 1 |
		awk '{ print length($3) }' | grep -qx 60
}

@test "the line above an alignment is as wide as the terminal: names are cut" {
	need_terminal
	q=$(printf 'query_%.0s' $(seq 20)) s=$(printf 's\303\251q%.0s' $(seq 40))
	printf '>%s\nTTACGTTGCAGGTT\n>short\nTTACGTTGCAGGTT\n' "$s" > t.fa
	printf '>%s\nACGTTGCAGG\n>q\nACGTTGCAGG\n' "$q" > q.fa
	asm-scan -O rec -s + --with-seq -q q.fa t.fa > h.rec
	place=':3-12  +  edits 0  score 0'
	for w in 80 51 40 30 20 10; do
		on_terminal $w 'rec-view -O pretty h.rec' | grep -E '^[a-z]' > have
		[ "$(wc -l < have)" -eq 4 ]
		[ "$(LC_ALL=C.UTF-8 wc -L < have)" -le $w ]
		iconv -f UTF-8 -t UTF-8 have > /dev/null
		[ $w -lt 51 ] || [ "$(grep -cF -- "$place" have)" -eq 4 ]
	done
	on_terminal 80 'rec-view -O pretty h.rec' > have
	# half of the room each, or what the other leaves
	half=$(printf 's\303\251q%.0s' $(seq 8))
	grep -qxF "${q::23}...  ${half%q}...$place" have
	grep -qxF "${q::44}...  short$place" have
	grep -qxF "q  short$place" have
	# whole in files, and where there is room
	rec-view -O pretty h.rec | grep -qxF "$q  $s$place"
	on_terminal 400 'rec-view -O pretty h.rec' | grep -qxF "$q  $s$place"
}

@test "tsv stands in columns on a terminal, and nowhere else" {
	need_terminal
	printf '>chr1 first\nTTACGTTGCAGGTTTTTTCCTGCAAACGTA\n>caf\xc3\xa9\nTTACGTTGCA\n' > t.fa
	printf '>q\nACGTTGCAGG\n>a_longer_name\nTTACG\n' > q.fa
	asm-scan -k 1 -q q.fa t.fa > plain
	grep -q "$(printf '\t')" plain
	on_terminal 80 'asm-scan -k 1 -q q.fa t.fa' > have
	no grep "$(printf '\t')" have
	# the same words, and each column begins at one place
	tr -s ' ' ' ' < have | cmp - <(tr '\t' ' ' < plain)
	asm-scan -O rec -k 1 -q q.fa t.fa > h.rec
	on_terminal 80 'rec-view h.rec' | cmp - have
	LC_ALL=C.UTF-8 python3 - have <<-'END'
	import re, sys
	lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
	starts = [[m.start() for m in re.finditer(r"(?<!\S)\S", l)] for l in lines]
	assert len(lines) > 4 and all(s == starts[0] for s in starts), starts
	END
	on_terminal 80 'asm-scan --no-header --columns query,sbeg -k 1 -q q.fa t.fa' |
		grep -q '^q              [0-9]*$'
	asm-scan -k 1 -q q.fa -o file t.fa
	cmp file plain
}

@test "a long cell does not make its column wide" {
	need_terminal
	{ printf '>t\n'; printf 'ACGT%.0s' $(seq 30); echo; } > t.fa
	{ printf '>%s\n' "$(printf 'n%.0s' $(seq 100))"; echo ACGTACG
	  printf '>b\nGTACGTAC\n'; } > q.fa
	on_terminal 80 'asm-scan -s + --columns query,sbeg -q q.fa t.fa' > have
	grep -q '^b       *[0-9]*$' have
	awk '/^b/ && length > 12 { exit 1 }' have
}
