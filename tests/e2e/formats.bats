#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# formats.bats - text that other programs read, whatever the hits look like
load helper

@test "CIGARs that end in D, and hits at both ends, are fine for samtools" {
	need samtools
	printf '>s\nCATGACTGA\n>t\nTACTG\n' > t.fa
	asm-scan -e TACTG -k 2 --report=all -O sam t.fa > t.sam
	grep -q '[0-9]D	' t.sam
	samtools view -b t.sam | samtools sort -o t.bam -
	samtools index t.bam
	samtools quickcheck t.bam
	[ "$(samtools view -c t.bam)" -eq "$(grep -vc '^@' t.sam)" ]
}

@test "sam is the same bytes, header and all, for any cut of the input" {
	randseq 5000 3 > t.fa
	printf '>short\nACGTACGTTT\n' >> t.fa
	for len in 50 700 100k; do
		fasta-chunk -L $len -W 40 t.fa | asm-scan -e ACGTACGTT -k 2 |
			merge-topk -O sam > $len.sam
	done
	cmp 50.sam 700.sam
	cmp 50.sam 100k.sam
	[ "$(grep -c '^@SQ' 50.sam)" -ge 1 ]
}

@test "sam refuses two sequences of one name and two lengths" {
	printf '>s\nACGT\n>s\nTTACGT\n' > t.fa
	fails 1 'two sequences are named s' \
		sh_ 'asm-scan -e ACGT -O sam t.fa'
	[ "$(asm-scan -e ACGT -s + -O tsv t.fa | rows | wc -l)" -eq 2 ]
}

@test "json: every line is an object, whatever bytes a name holds" {
	need python3
	printf '>\303\251\377"\\x\nACGT\n' > t.fa
	asm-scan -e ACGT -s + -O json t.fa > t.json
	python3 -c '
import json, sys
rows = [json.loads(l) for l in open("t.json", encoding="utf-8")]
assert len(rows) == 1
assert rows[0]["subject"] == "\u00e9\ufffd\"\\x", rows
assert rows[0]["cigar"] == "4=" and rows[0]["sbeg"] == 0
'
}

@test "gff3 escapes what has a meaning in it" {
	printf '>a;b=c,d&e\nACGT\n' > t.fa
	printf '>q;1=2\nACGT\n' > q.fa
	asm-scan -q q.fa -s + -O gff3 t.fa > t.gff3
	grep -q '^a%3Bb%3Dc%2Cd%26e	asm-scan	match	1	4	' t.gff3
	grep -q 'Name=q%3B1%3D2;Target=q%3B1%3D2 1 4;' t.gff3
}

@test "sequences come back from parts in any order" {
	{ randseq 3000 5; printf '>e\n>low  two words \nacgtNNRYacgt\n'
	  printf '> far\nAC*GT-\n'; randseq 100 6; } > t.fa
	for i in 0 1 2; do
		fasta-chunk -L 64 -W 8 --part $i/3 t.fa > $i.rec
	done
	unwrap < t.fa > want
	cat 2.rec 0.rec 1.rec 0.rec | rec-view --quiet -O fasta | unwrap |
		cmp - want
	says 3 missing rec-view -O fasta 2.rec 0.rec
}

@test "a best row elsewhere frees places: only --partial may cut before" {
	t=TTTTTTTT h=ACGTTGCTAC
	printf '>s1\n%s\n' $t$h$t$h$t$h${t}GGGCCGGGTTGG$t > 1.fa
	printf '>s2\n%s\n' ${t}ACGTTGCAAC$t > 2.fa
	printf '>A\nACGTTGCAAC\n>B\nGGGCCGGGCCGG\n' > q.fa
	for i in 1 2; do
		asm-scan -O rec -s + -k 2 --report=best -q q.fa $i.fa > $i.rec
		merge-topk --partial -n 3 --per=all $i.rec > p$i.rec
		merge-topk -n 3 --per=all -O rec $i.rec > m$i.rec
	done
	merge-topk -n 3 --per=all -O tsv 1.rec 2.rec > want
	grep -q ^B want
	merge-topk -n 3 --per=all -O tsv p1.rec p2.rec | cmp - want
	# all three places of 1.rec went to A, whose best is in 2.rec
	run -2 merge-topk -n 3 --per=all -O tsv m1.rec m2.rec
	rec-view -O tsv m1.rec | rows | cut -f 1 | uniq -c | grep -q '3 A'
}

@test "what -n or --no-overlap cut is not taken for everything" {
	randseq 3000 7 > t.fa
	asm-scan -O rec -e ACGTAC -k 2 t.fa > h.rec
	merge-topk --partial -n 5 h.rec > p.rec
	merge-topk -n 5 -O tsv h.rec > want
	merge-topk -n 5 -O tsv p.rec | cmp - want
	merge-topk -n 5 -O tsv p.rec h.rec | cmp - want
	run -0 --separate-stderr merge-topk -O tsv p.rec
	[ "$output" = "$(cat want)" ]
	[[ $stderr == *"not all rows"* ]]
	for how in "-n 6" "-n 5 --per=all" "-n 5 --ties=keep"; do
		run -2 --separate-stderr merge-topk $how -O tsv p.rec
		[ -z "$output" ]
	done
	merge-topk --no-overlap 0 -O rec h.rec > o.rec
	run -2 merge-topk -n 100 -O tsv o.rec
	merge-topk --no-overlap 0 -O tsv h.rec > want
	merge-topk --quiet -O tsv o.rec | cmp - want
	rec-view -O tsv o.rec | cmp - want
}

@test "cut rows without the BEGIN that says so are refused" {
	randseq 3000 7 > t.fa
	asm-scan -O rec -e ACGTAC -k 2 t.fa | merge-topk --partial -n 5 > p.rec
	merge-topk -O tsv p.rec > want
	n=0
	for i in $(recframes list < p.rec | awk '$2 == "BEGIN" { print $1 }'); do
		recframes drop "$i" < p.rec > d.rec
		fails 3 '' merge-topk -O tsv d.rec
		n=$((n + 1))
	done
	[ $n -eq 3 ]
	# a merge in between keeps the need
	merge-topk --partial p.rec > q.rec
	merge-topk -O tsv q.rec | cmp want -
}

# Else a scan would be called by the number that the shell gave the pipe.
@test "queries of a pipe are called stdin, whatever its number" {
	printf '>t\nACGTACGT\n' > t.fa
	for c in asm-scan sw-scan 'primer-find -k 2' ebwt-dist; do
		$c -q <(echo ACG) t.fa > a.rec
		echo ACG | $c -q - t.fa | cmp - a.rec
	done
	asm-scan -O rec -q <(echo ACG) t.fa | rec-view --header | grep -x 'query stdin'
}

# A table's rows, sorted by sequence as it comes and by where they begin.
is_by_begin() {
	awk -F '\t' '$1 != s { if ($1 in seen) exit 1; seen[$1]; s = $1; at = 0 }
		$2 < at { exit 1 } { at = $2 }' "$1"
}

@test "bed comes by where hits begin, from scanners and merge-topk alike" {
	{ printf '>b\n'; randseq 40000 31 | sed 1d
	  printf '>a\n'; randseq 9000 32 | sed 1d; } > t.fa
	printf '>p\nACGTACGT\n>q\nTTTTTTTT\n>r\nGATTACA\n' > q.fa
	{ printf '>long\n'; randseq 300 33 | sed 1d; } >> q.fa
	for o in '-k 2' '-k 3 --no-indels' '-k 3 --report=best' '-k 2 -n 9' \
	    '-k 2 --overhang 0.5' '-k 3 --no-overlap 0.5' '-k 5 --drop-shadows'; do
		asm-scan --quiet $o -q q.fa -O bed t.fa > have
		is_by_begin have
		asm-scan --quiet $o -q q.fa t.fa | rows |
			awk -F '\t' '{ print $6, $8, $9, $1, $5 }' | sort > want
		awk -F '\t' '{ print $1, $2, $3, $4, $6 }' have | sort | cmp - want
		[ -s want ]
		for l in 100 5k; do
			fasta-chunk -L $l t.fa | asm-scan --quiet -t 3 $o -q q.fa -O bed |
				cmp - have
		done
		case $o in *-n*|*--no-overlap*|*--drop*) continue ;; esac
		asm-scan $o -q q.fa -O rec t.fa | merge-topk -O bed | cmp - have
	done
	asm-scan -k 2 --pam NGG -e ACGTACGT -e GATTACA -O bed t.fa > have
	is_by_begin have
	asm-scan -k 2 --pam NGG -e ACGTACGT -e GATTACA -O rec t.fa |
		merge-topk -O bed | cmp - have
	sw-scan -n 50 -q q.fa -O bed t.fa > have
	is_by_begin have
	sw-scan -n 50 -q q.fa -O rec t.fa | merge-topk --sort=begin -O bed |
		cmp - have
	need bedtools
	bedtools merge -i have > merged
	[ -s merged ]
}

@test "bed of patterns too long to hold rows for in memory" {
	randseq 60000 41 > t.fa
	{ printf '>long\n'; sed 1d t.fa | tr -d '\n' | cut -c 101-20100
	  printf '>s\nACGTA\n'; } > q.fa
	asm-scan -k 1 -q q.fa -O bed t.fa > have
	is_by_begin have
	grep -q long have
	asm-scan -k 1 -q q.fa -O rec t.fa | merge-topk -O bed | cmp - have
}

@test "--sort=begin: all rows by sequence and begin, in any format" {
	{ printf '>b\n'; randseq 3000 31 | sed 1d
	  printf '>a\n'; randseq 900 32 | sed 1d; } > t.fa
	asm-scan -O rec -k 2 -e ACGTAC -e GATTACA t.fa > h.rec
	merge-topk --sort=begin h.rec | rows > have
	cut -f 6,8 have > places
	is_by_begin places
	merge-topk h.rec | rows | sort | cmp - <(sort have)
	fasta-chunk -L 64 t.fa | asm-scan -k 2 -e ACGTAC -e GATTACA |
		merge-topk --sort=begin | rows | cmp - have
	# records have an order of their own
	merge-topk --sort=begin -O rec h.rec | merge-topk --sort=begin | rows |
		cmp - have
	merge-topk -n 4 --sort=begin h.rec | rows > best
	cut -f 6,8 best > places
	is_by_begin places
	merge-topk -n 4 h.rec | rows | sort | cmp - <(sort best)
}

@test "blast6 from sw-scan: query by query, the best first" {
	{ printf '>b\n'; randseq 3000 31 | sed 1d; } > t.fa
	printf '>p\nACGTACGTTGCA\n>q\nTTTTTTTTGATT\n' > q.fa
	sw-scan -n 9 -q q.fa -O blast6 t.fa > have
	sw-scan -n 9 -q q.fa -O rec t.fa | merge-topk -O blast6 | cmp - have
	awk -F '\t' '$1 == q && $12 > bits { exit 1 } { q = $1; bits = $12 }' have
	[ "$(cut -f 1 have | uniq | wc -l)" -eq 2 ]
}

@test "gff3: the length of each sequence once, and an ID for each row" {
	printf '>a b\nACGTACGT\n>c\nTTACGTT\n>d\nTTT\n' > t.fa
	asm-scan -k 1 -e ACGT -e TTACG -O gff3 t.fa > have
	grep '^##sequence-region' have | cmp - <(printf '##sequence-region %s\n' \
		'a 1 8' 'c 1 7')
	rows have | sed 's/.*	ID=\(hit[0-9]*\);.*/\1/' > ids
	sort -u ids | wc -l | grep -qx "$(wc -l < ids)"
	# before the first row of its sequence
	awk '/^##seq/ { len[$2]; next } !/^#/ && !($1 in len) { exit 1 }' have
	asm-scan -k 1 -e ACGT -e TTACG -O rec t.fa | merge-topk -O gff3 |
		grep -c '^##sequence-region' | grep -qx 2
	primer-find -k 1 --primers=both -e ACGTTT -O gff3 t.fa |
		grep '^##sequence-region' | cmp - <(echo '##sequence-region ACGTTT 1 6')
	# whose row it is, of several scans of one run
	asm-scan -e ACGT -O rec t.fa > a.rec
	sw-scan -e ACGTAC -O rec t.fa > s.rec
	primer-find -k 1 -e ACGTTT -O rec t.fa > p.rec
	for o in 'a.rec s.rec p.rec' 'p.rec s.rec a.rec'; do
		merge-topk -O gff3 $o | rows | cut -f 2,9 | sed 's/ID.*Name=//' |
			sed 's/[:;].*//' | sort -u |
			cmp - <(printf '%s\n' 'asm-scan	ACGT' \
				'primer-find	ACGTTT' 'sw-scan	ACGTAC')
	done
}

# What a CIGAR and Gap say is the same.
@test "gff3: Gap has what the CIGAR has, without = and X and clips" {
	randseq 3000 7 > t.fa
	asm-scan -k 4 -e ACGTACGTAC --overhang 0.5 -O gff3 t.fa | rows > have
	python3 - have <<-'END'
	import re, sys
	n = 0
	for line in open(sys.argv[1]):
	    a = dict(x.split("=", 1) for x in line.rstrip("\n").split("\t")[8].split(";"))
	    c = a["cigar"].replace("%3D", "=")
	    ops = [(o, int(k)) for k, o in re.findall(r"(\d+)([=XIDS])", c) if o != "S"]
	    want = []
	    for o, k in ops:
	        o = "M" if o in "=X" else o
	        if want and want[-1][0] == o:
	            want[-1][1] += k
	        else:
	            want.append([o, k])
	    assert a.get("Gap", "") == " ".join("%s%d" % (o, k) for o, k in want), line
	    n += len(want) > 1
	assert n > 5
	END
}

@test "bed: a sequence called #x is no comment; tsv leaves the name as it is" {
	printf '>#\nACGT\n>#x#\nACGT\n>y#\nACGT\n' > t.fa
	printf '%s\n' %23 %23x# y# > want
	for o in '' '-n 9'; do
		asm-scan -s + $o -e ACGT -O bed t.fa | cut -f 1 | diff want -
	done
	printf 'p\tAC\tAC\n' > pairs
	pcr-find -p pairs -O bed t.fa | cut -f 1 | sort -u | diff want -
	printf '>#q\nACGTTAGGACAA\n' > q.fa
	primer-find -k 1 -q q.fa -O bed t.fa | cut -f 1 | sort -u > have
	diff <(echo %23q) have
	if command -v bedtools; then
		asm-scan -s + -e ACGT -O bed t.fa > t.bed
		[ "$(bedtools sort -i t.bed | wc -l)" -eq 3 ]
	fi
	asm-scan -s + --no-header -e ACGT -O tsv t.fa | cut -f 6 |
		diff <(printf '%s\n' '#' '#x#' y#) -
}

@test "--json=array is one array of what lines are, also without rows" {
	printf '>a\nACGTACGTTT\n' > t.fa
	motif 1 6 m > m
	motif 2 6 n >> m
	same() {
		case=$((case + 1))
		"$@" -O json > lines.$case
		"$@" -O json --json=array > array.$case
		echo "$n" > rows.$case
	}
	case=0
	n=2 same asm-scan -s + -e ACGT t.fa
	n=0 same asm-scan -s + -e CCCC t.fa
	n=1 same asm-scan -s + --report=count -e ACGT t.fa
	n=1 same sw-scan -e ACGT t.fa
	n=1 same ebwt-dist m
	printf '>a\nACGT\n>b\nACCT\n' > d.fa
	n=1 same ebwt-dist d.fa
	n=8 same primer-find -k 1 -e ACGTTAGGAC t.fa
	asm-scan -O rec -s + -e ACGT t.fa > h.rec
	n=2 same merge-topk h.rec
	n=2 same rec-view h.rec
	asm-scan -O json -s + -e ACGT t.fa | grep -c '"slen":10,' | grep -qx 2
	for c in 'asm-scan -e ACGT t.fa' 'merge-topk h.rec' 'rec-view -O bed h.rec' \
	    'ebwt-dist d.fa' 'sw-scan -O sam -e ACGT t.fa'; do
		fails 2 '' $c --json=array
	done
	# nothing is known of what is not whole: no array either
	fasta-chunk -L 4 t.fa | asm-scan -e ACGT | recframes drop 1 > d.rec
	fails 3 '' merge-topk -O json --json=array d.rec
	# of rows that were written before, it stays open
	fasta-chunk -L 4 t.fa | recframes drop 1 > c.rec
	open() {
		says 3 '' "$@" -O json --json=array
		case=$((case + 1))
		printf '%s\n' "$output" > open.$case
		"$@" -O json > lines.$case || :
		echo "$n" > rows.$case
	}
	n=4 open rec-view d.rec
	n=2 open asm-scan -s + -e ACGT c.rec
	n=0 open asm-scan -s + -e CCCC c.rec
	n=1 open asm-scan -s + --report=count -e ACGT c.rec
	n=1 open sw-scan -e ACGT c.rec
	head -c $(($(wc -c < h.rec) - 1)) h.rec > cut.rec
	n=2 open rec-view cut.rec
	python3 - $case << 'END'
import json, os, sys
for i in map(str, range(1, int(sys.argv[1]) + 1)):
    lines = [json.loads(l) for l in open("lines." + i)]
    assert len(lines) == int(open("rows." + i).read()), i
    if os.path.exists("array." + i):
        assert lines == json.load(open("array." + i)), i
        continue
    text = open("open." + i).read()
    assert text.startswith("[\n") and lines == json.loads(text + "]"), i
    try:
        json.loads(text)
    except ValueError:
        continue
    sys.exit("open." + i + " is whole")
END
}
