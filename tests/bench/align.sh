# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# align.sh - sw-scan beside others and beside itself; sourced by run.sh

pair() { # QUERY_LETTERS TEXT_LETTERS: random ones, q and t
	make_once "query$1.fa" randseq "$1" 3
	make_once "text$2.fa" randseq "$2" 4
	q=$data/query$1.fa t=$data/text$2.fa
}

# Scores MATCH MISMATCH OPEN EXTEND; peers report one end and no CIGAR.
align() { # QUERY_LETTERS TEXT_LETTERS SCORES
	pair "$1" "$2"
	cells=$(($1 * $2))
	preset=$(echo "$3" | sed 's,\(.*\) \(.*\) \(.*\) ,\1/-\2/\3/,')
	say "### $1 x $2, $preset"
	say ''
	o="-s + --preset $preset -q $q -O tsv $t" unit=GCUPS
	set -- "$3" 'sw-scan -t 1' "sw-scan -t 1 $o" \
		'sw-scan -t 1 -n 100' "sw-scan -t 1 -n 100 $o" \
		'sw-scan -t 2' "sw-scan -t 2 $o" \
		'sw-scan -t 1, AVX2' "SEQF_ISA=avx2 sw-scan -t 1 $o"
	[ ! -d "$here/peers/parasail" ] || set -- "$@" 'parasail, read by Python' \
		"PYTHONPATH=$here/peers python3 $here/parasail_file.py $q $t $1"
	! has ssw_test || set -- "$@" SSW "$(ssw $1)"
	! has ssearch36 || set -- "$@" 'ssearch36 -T 1' "$(ssearch $1)"
	shift
	race "$cells" "$@"
	unit=GB/s
	say "sw-scan is $(faster 'sw-scan -t 1' 'parasail, read by Python')" \
		"times as fast as parasail, $(faster 'sw-scan -t 1' SSW) as SSW," \
		"$(faster 'sw-scan -t 1' 'ssearch36 -T 1') as ssearch36."
	say ''
}

# What they call opening a gap holds its first letter with SSW, not with us.
ssw() { # MATCH MISMATCH OPEN EXTEND
	echo "ssw_test -m $1 -x $2 -o $(($3 + $4)) -e $4 $t $q"
}
ssearch() { # MATCH MISMATCH OPEN EXTEND
	echo "ssearch36 -n -3 -T 1 -z -1 -r +$1/-$2 -f -$3 -g -$4 -b 1 -d 0" \
		"-m 8 $q $t"
}

# One thread, two, and two copies of one at once.
sharing() { # NAME CELLS OPTIONS
	say "### $1"
	say ''
	one="sw-scan -t 1 -s + -O tsv $3"
	race "$2" 'sw-scan -t 1' "$one" \
		'sw-scan -t 2' "sw-scan -t 2 -s + -O tsv $3" \
		'two copies of -t 1' "$one > /dev/null & $one; wait"
	tell_sharing 'sw-scan -t 1' 'sw-scan -t 2'
}

# Texts ten times as long as in align(): of a tenth of a second, what a kernel
# takes to wake a second processor is too large a part.
share_all() {
	unit=GCUPS
	was=$rounds rounds=3
	for p in 2/-3/5/2 5/-3/8/1; do
		for n in '1024 50000000' '10240 10000000'; do
			pair "${n% *}" "${n#* }"
			sharing "${n% *} x ${n#* }, $p" \
				$((${n% *} * ${n#* })) "--preset $p -q $q $t"
		done
	done
	rounds=$was unit=GB/s
}

# The best alignment of two of a kind, a tenth of whose letters are changed, and
# of two that are not of a kind.  The largest stand for two strains of S. aureus.
relatives() {
	unit=GCUPS
	for n in 200000 800000; do
		related $n
		say "### $n beside $n, + strand"
		say ''
		o="-s + -O tsv -q $q $t"
		race $((n * n)) 'sw-scan -t 1' "sw-scan -t 1 $o" \
			'sw-scan -t 2' "sw-scan -t 2 $o" \
			'two copies of -t 1' \
			"sw-scan -t 1 $o > /dev/null & sw-scan -t 1 $o; wait" \
			'sw-scan -t 1, AVX2' "SEQF_ISA=avx2 sw-scan -t 1 $o"
		tell_sharing 'sw-scan -t 1' 'sw-scan -t 2'
	done
	related 2800000
	say '### 2800000 beside 2800000, both strands'
	say ''
	race 15680000000000 'sw-scan -t 2' "once: sw-scan -t 2 -O tsv -q $q $t"
	pair 200000 200000
	say '### 200000 beside 200000, random, + strand'
	say ''
	race 40000000000 'sw-scan -t 1' "sw-scan -t 1 -s + -O tsv -q $q $t"
	unit=GB/s
}
related() { # LETTERS: q and t
	make_once "related$1.fa" randseq "$1" 51
	make_once "related$1.changed.fa" relate "$data/related$1.fa" 0 0 0.1 52
	q=$data/related$1.fa t=$data/related$1.changed.fa
}

# The best few beside the best one, of relatives of 60,000 letters and of a
# query in random letters; and alignments without a pair in common.
several() {
	unit=GCUPS
	make_once plasmid1.fa randseq 60000 53
	for x in '0.01 blastn' '0.1 blastn' '0.3 blastn' '0.1 ssca1'; do
		p=${x% *}
		make_once "plasmid2-$p.fa" relate "$data/plasmid1.fa" 0 0 "$p" \
			54
		say "### relatives, $p of 60,000 letters changed, ${x#* }," \
			'both strands'
		say ''
		o="-t 1 -O tsv --preset ${x#* } -q $data/plasmid1.fa"
		o="$o $data/plasmid2-$p.fa"
		race 7200000000 'sw-scan -n 1' "sw-scan $o" \
			'sw-scan -n 2' "sw-scan -n 2 $o" \
			'sw-scan -n 10' "sw-scan -n 10 $o" \
			'sw-scan -n 100' "sw-scan -n 100 $o"
	done
	pair 10240 1000000
	say '### random, 10240 x 1000000, 5/-3/8/1, + strand'
	say ''
	o="-t 1 -s + -O tsv --preset 5/-3/8/1 -q $q $t"
	race 10240000000 'sw-scan -n 1' "sw-scan $o" \
		'sw-scan -n 10' "sw-scan -n 10 $o" \
		'sw-scan -n 100' "sw-scan -n 100 $o" \
		'sw-scan -n 400' "sw-scan -n 400 $o" \
		'sw-scan -n 1000' "once: sw-scan -n 1000 $o"
	pair 2000 440000
	say '### waterman-eggert, 2000 x 440000, both strands'
	say ''
	o="-t 1 -n 10 -O tsv -q $q $t"
	race 1760000000 'sw-scan -n 10' "sw-scan $o" \
		'sw-scan -n 10 --kind=waterman-eggert' \
		"sw-scan --kind=waterman-eggert $o"
	unit=GB/s
}

aligning() {
	say '## sw-scan from files to rows, + strand'
	say ''
	say 'Random letters; cells of query times sequence, each once.'
	say ''
	for scores in '2 3 5 2' '5 3 8 1'; do
		align 128 10000000 "$scores"
		align 1024 5000000 "$scores"
		align 10240 1000000 "$scores"
	done
	say '## sw-scan with large scores, + strand'
	say ''
	say "lastz's, 2/-3/5/2 times 100, and what leaves 16 bits."
	say ''
	for scores in '91 114 400 30' '200 300 500 200' '1999 2000 9000 999'; do
		align 128 10000000 "$scores"
		align 1024 5000000 "$scores"
	done
	say '## sw-scan of relatives'
	say ''
	relatives
	say '## sw-scan -n, --kind=waterman-eggert'
	say ''
	several
	say '## sw-scan by two threads, + strand'
	say ''
	share_all
}
