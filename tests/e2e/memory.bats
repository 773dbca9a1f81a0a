# SPDX-License-Identifier: MIT
# What memory a small input may command: limits are checked while it is read.
load helper

# lean MIB COMMAND ...: as COMMAND, whose largest process takes at most so much;
# sanitizers take memory of their own.
lean() {
	local most=$1 rc=0 peak

	shift
	measure peak "$@" || rc=$?
	peak=$(cut -d ' ' -f 3 peak)
	[ -n "${SEQF_SANITIZED:-}" ] || [ "$peak" -le $((most * 1024)) ] ||
		{ echo "$peak KiB: $*" >&2; return 99; }
	return $rc
}

# so many MiB of one letter, packed
letters() {
	head -c "${1}M" /dev/zero | tr '\0' A
}

# times N LINE: the line so often
times() {
	head -n "$1" < <(yes "$2")
}

# bats test_tags=slow
@test "a pattern that a small .gz makes long is refused where it gets long" {
	printf '>T\nACGT\n' > t.fa
	letters 60 | gzip -1 > line.gz
	{ echo '>long'; letters 260; } | gzip -1 > fasta.gz
	for f in line fasta; do
		fails 2 "$f.gz: query 1*more than 100000 letters" \
			lean 40 asm-scan -q $f.gz -O tsv t.fa
	done
	fails 2 'query 1 (long) has more than 268435456 letters' \
		lean 300 primer-find -k 2 -q fasta.gz -O tsv t.fa
}

# bats test_tags=slow
@test "too many queries are refused while they are counted" {
	printf '>T\nACGT\n' > t.fa
	times 11000000 A | gzip -1 > many.gz
	fails 1 'many.gz: more than 10000000 queries' \
		lean 1000 asm-scan -q many.gz -O tsv t.fa
}

# bats test_tags=slow
@test "a matrix of millions of positions is no motif" {
	{ echo '>m'; times 1200000 '1 1 1 1'; } | gzip -1 > long.gz
	{ echo '>m'; times 5000000 1 | tr '\n' ' '; } | gzip -1 > row.gz
	for f in long row; do
		fails 1 'more than 2^20 positions' \
			lean 250 fasta-chunk $f.gz -o /dev/null
	done
	times 28000000 '>m' | gzip -1 > text.gz
	fails 1 '' lean 250 fasta-chunk --matrix=jaspar text.gz -o /dev/null
}

# bats test_tags=slow
@test "headers without letters between them are not kept for ever" {
	head -c 10M /dev/zero | tr '\0' x > name
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		printf '>'; cat name; printf '\nA\n'
	done | gzip -1 > names.gz
	fails 1 'names.gz: names and header lines take more than' \
		lean 250 fasta-chunk names.gz -o /dev/null
}

@test "a line without end is no list of serials and no BED" {
	printf '>T\nACGT\n' > t.fa
	letters 40 | tr A 1 > line
	fails 1 'line: a line of more than 16777216 bytes' \
		lean 60 fasta-chunk --only @line t.fa -o x.rec
	fails 1 'line: a line of more than 16777216 bytes' \
		lean 60 primer-find -k 1 -e ACGTACGT --self line t.fa -o x.rec
	[ ! -e x.rec ]
	# numbers that come again take no memory
	times 20000000 7 > list
	lean 60 fasta-chunk --only @list t.fa -o x.rec
}

@test "reads that are in one chunk each take no memory in a table" {
	times 5000000 $'>\nA' | gzip -1 > reads.gz
	lean 100 asm-scan -t 2 -e ACGTACGT -O tsv reads.gz > have
	[ "$(rows have | wc -l)" -eq 0 ]
}

# bats test_tags=slow
@test "queries of sw-scan share what their scores take" {
	printf '>T\nACGT\n' > t.fa
	times 200000 A > many
	lean 200 sw-scan -t 1 -q many -O tsv t.fa > have
	[ "$(rows have | wc -l)" -eq 200000 ]
}

# bats test_tags=slow
@test "queries of ebwt-dist are in --memory while they are read" {
	printf '>T\nACGT\n' > t.fa
	{ echo '>long'; letters 100; } | gzip -1 > long.gz
	letters 100 | gzip -1 > line.gz
	times 1000000 A | gzip -1 > many.gz
	for f in long line many; do
		fails 1 "$f.gz: the queries up to number * take more than 10000000 bytes" \
			lean 40 ebwt-dist --memory=10M -q $f.gz -O tsv t.fa
	done
}

# bats test_tags=slow
@test "the nearest of many reads need no table of all pairs, as is announced" {
	reads 8000 75 > x.fa
	for m in delta de; do
		n=8000
		[ $m = delta ] || n=2500	# entropies take longer
		head -n $((2 * n)) x.fa > y.fa
		# 128 MB and 37 MB for pairs alone
		lean 40 ebwt-dist -v -t 2 -g none --metric=$m -n 1 -O tsv y.fa \
			> have 2> notes
		[ "$(rows have | cut -f 1 | sort -u | wc -l)" -ge $((n / 2)) ]
		said=$(sed -n 's/.*: memory: \([0-9]*\).* MB, .*/\1/p' notes)
		[ "$said" -ge 5 ]
		[ "$said" -le 30 ]
		grep -q 'memory: .*; some [0-9.]* s of one processor' notes
		lean $((said + 12)) ebwt-dist -t 2 -g none --metric=$m -n 1 \
			-O tsv y.fa | cmp - have
	done
	# queries looked up one by one, and a row of them at a time
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		sed "s/>/>$i./" x.fa
	done > many.fa
	head -n 40 x.fa > q.fa
	lean 120 ebwt-dist -t 2 -g none -n 2 -q q.fa -O tsv many.fa > have
	[ "$(rows have | wc -l)" -eq 40 ]
}

@test "memory of a chunk is the next one's, not taken from the system again" {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "sanitizers keep what is freed"
	for n in 5 25; do
		randseq ${n}000000 1 70 > t.fa
		measure m fasta-chunk -t 1 t.fa -o /dev/null
		read -r _ _ _ faults < m
		[ $n -eq 25 ] || few=$faults
	done
	echo "$few and $faults page faults"
	[ $((faults - few)) -le 60 ]
}
