# SPDX-License-Identifier: MIT
# The fault matrix: every loss is noticed, or makes no difference.
load helper

# c.rec: chunks; h.rec: hits of them; want: the table.
prepare() {
	{ randseq 2600 1 70 a; printf '>none\n'; randseq 90 2 70 b
	  randseq 700 3 70 c; } > t.fa
	fasta-chunk -L 300 t.fa > c.rec
	asm-scan -k 2 -e ACGTTGCA -e GATTACAG c.rec > h.rec
	merge-topk -O tsv h.rec > want
	[ "$(rows want | wc -l)" -gt 3 ]
	n=$(recframes list < h.rec | wc -l)
	[ "$n" -gt 10 ]
}

# The stream x gives the table, or exit 3 and no row.  Says which.
same_or_refused() {
	local rc=0

	merge-topk -O tsv x > have 2> err || rc=$?
	if [ $rc -eq 0 ]; then
		cmp have want
		echo same
	else
		[ $rc -eq 3 ] || { echo "exit $rc: $(cat err)"; return 1; }
		[ ! -s have ]
		[ -s err ]
		echo refused
	fi
}

# The same for damage to chunks: asm-scan in between may refuse, too.
chunks_same_or_refused() {
	local rc=0

	asm-scan -O rec -k 2 -e ACGTTGCA -e GATTACAG x > x.rec 2> err || rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 1 ] || [ $rc -eq 3 ]
	if [ $rc -ne 0 ]; then [ -s err ]; fi
	mv x.rec x
	same_or_refused
}

# becomes WHAT EDIT ...: h.rec, so edited by recframes, is the same or refused.
becomes() {
	recframes "${@:2}" < h.rec > x
	run -0 same_or_refused
	[ "$output" = "$1" ]
}

@test "frames may come twice and in any order; what is dropped is noticed" {
	prepare
	for i in $(seq 0 $((n - 1))); do
		becomes same double $i
		[ $i -eq $((n - 1)) ] || becomes same swap $i
		case $(recframes list < h.rec |
			awk -v i=$i '$1 == i { print $2 }') in
		HITS|END|BEGIN) becomes refused drop $i ;;
		# said again elsewhere
		*) recframes drop $i < h.rec > x && same_or_refused ;;
		esac
	done
	for s in 1 2 3; do
		becomes same shuffle $s
	done
}

@test "a stream that is cut, turned over or has more between is noticed" {
	prepare
	size=$(stat -c %s h.rec)
	for at in 0 1 3 7 8 47 48 49 $(seq 60 797 $((size - 1))) \
	    $((size - 49)) $((size - 48)) $((size - 16)) $((size - 1)); do
		head -c $at h.rec > x
		run -0 same_or_refused
		# only padding may be missing
		[ "$output" = refused ] || [ $((size - at)) -lt 16 ]
		# the first bytes of a stream are no text
		[ $at -eq 0 ] || [ $at -gt 8 ] || run -3 asm-scan -e ACGT x
	done
	for i in 0 $(frames_of h.rec HITS | head -n 2) $(frames_of h.rec END); do
		for at in 1 20 48 100; do
			recframes cut $i $at < h.rec > x
			cmp -s x h.rec || becomes refused cut $i $at
		done
		for at in 0 8 10 12 16 24 32 40 44 48 53; do
			recframes flip $i $at $((at % 8)) < h.rec > x
			run --separate-stderr merge-topk -O tsv x
			[ "$status" -eq 3 ] || [ "$status" -eq 1 ]
			[ -z "$output" ]
			[ -n "$stderr" ]
		done
	done
	for i in 1 2 $((n - 1)); do
		becomes refused noise $i
	done
	recframes noise 0 < h.rec > x	# no record stream at all
	fails 1 '' merge-topk -O tsv x
	{ cat h.rec; echo; } > x
	run -0 same_or_refused
	[ "$output" = refused ]
}

@test "a header that claims a gigabyte takes no memory and hides no frame" {
	prepare
	i=$(frames_of h.rec HITS | head -n 1)
	recframes large $i < h.rec > x
	( [ -n "${SEQF_SANITIZED:-}" ] || ulimit -v 900000
	  same_or_refused ) > out
	[ "$(cat out)" = refused ]
	merge-topk --missing x > missing 2> /dev/null || true
	[ "$(rows missing | wc -l)" -le 1 ]
}

@test "chunks dropped, doubled, reordered, cut, flipped before the scan" {
	prepare
	n=$(recframes list < c.rec | wc -l)
	for i in $(seq 0 $((n - 1))); do
		t=$(recframes list < c.rec | awk -v i=$i '$1 == i { print $2 }')
		recframes drop $i < c.rec > x
		run -0 chunks_same_or_refused
		case $t in
		CHUNK|END|BEGIN) [ "$output" = refused ] ;;
		esac
		recframes double $i < c.rec > x
		run -0 chunks_same_or_refused
		[ "$output" = same ]
	done
	for i in 0 $(frames_of c.rec CHUNK | head -n 2); do
		recframes cut $i 60 < c.rec > x
		run -0 chunks_same_or_refused
		[ "$output" = refused ]
		recframes flip $i 90 3 < c.rec > x
		run -0 chunks_same_or_refused
		[ "$output" = refused ]
	done
}

@test "chunks in another order, with context enough: the table is the same" {
	prepare
	for s in 1 2 3; do
		recframes shuffle $s < c.rec > x
		run -0 chunks_same_or_refused
		[ "$output" = same ]
	done
}

@test "chunks of one number and other letters are noticed by each scanner" {
	q=ACGTTGCATTGACCAG
	for x in GATTACAGATTACAGA $q; do	# far behind what names a run
		{ randseq 70000 1 70 one; echo $x; randseq 60 2 70 two; } |
			fasta-chunk -L 30k > $x.rec
	done
	mv GATTACAGATTACAGA.rec a.rec
	mv $q.rec b.rec
	for i in $(frames_of b.rec CHUNK); do
		recframes only "$i" < b.rec
	done > other
	for p in 'asm-scan --report=best -k 2' 'asm-scan -k 2' 'sw-scan -n 1' \
	    'primer-find -k 2'; do
		for x in 'a.rec other' 'other a.rec'; do
			says 3 '' $p -e $q -O tsv $x
			$p -e $q $x > y
			fails 3 '' merge-topk -O tsv y
		done
	done
	run -3 --separate-stderr ebwt-dist -O tsv a.rec other
	# the same ones once more are copies
	cat a.rec a.rec | sw-scan -e $q -O tsv | diff - <(sw-scan -e $q -O tsv a.rec)
}

@test "a scanner that met damage says so, goes on, and exits 3" {
	prepare
	recframes flip "$(frames_of c.rec CHUNK | head -n 1)" 100 1 < c.rec > x
	fails 3 '' sh_ 'asm-scan -O rec -k 2 -e ACGTTGCA x > y'
	[ "$(types < y | grep -c HITS)" -ge 5 ]
	run -3 --separate-stderr asm-scan -k 2 -e ACGTTGCA -O tsv x
}

@test "a scan of another scan's results has searched nothing, and says so" {
	prepare
	says 3 '' asm-scan -k 1 -e TTGACCAG -O tsv h.rec
	asm-scan -k 1 -e TTGACCAG h.rec > x
	run -0 same_or_refused
	[ "$output" = refused ]
}

@test "rec-view notices what merge-topk notices" {
	prepare
	rec-view --check h.rec
	rec-view --check c.rec
	for f in h c; do
		n=$(recframes list < $f.rec | wc -l)
		for i in 1 $((n / 2)) $((n - 1)); do
			recframes drop $i < $f.rec > x
			fails 3 '' rec-view --check x
			recframes flip $i 47 2 < $f.rec > x
			run -3 --separate-stderr rec-view --check x
		done
	done
	recframes drop 2 < c.rec > x
	run -3 --separate-stderr rec-view -O fasta x
	recframes drop 2 < h.rec > x
	run -3 --separate-stderr rec-view -O tsv x
}

@test "two runs in one stream are both checked" {
	prepare
	sed 's/>/>x/' t.fa > u.fa
	fasta-chunk -L 300 u.fa | asm-scan -k 2 -e ACGTTGCA -e GATTACAG > u.rec
	cat h.rec u.rec | merge-topk -O tsv > both
	[ "$(rows both | wc -l)" -eq $((2 * $(rows want | wc -l))) ]
	m=$(recframes list < u.rec | wc -l)
	for i in 1 $((m / 2)) $((m - 1)); do
		recframes drop $i < u.rec | cat h.rec - > x
		fails 3 '' merge-topk -O tsv x
	done
}

@test "parts of different parameters, inputs or scans do not pass for one" {
	prepare
	part() {
		fasta-chunk "${@:2}" t.fa | asm-scan -k $1 -e ACGTTGCA -e GATTACAG
	}
	part 2 -L 300 --part 0/2 > 0.rec
	part 2 -L 300 --part 1/2 | cat 0.rec - > x
	run -0 same_or_refused
	[ "$output" = same ]
	part 2 -L 301 --part 1/2 | cat 0.rec - > x
	run -0 same_or_refused
	[ "$output" = refused ]
	part 2 -L 300 -W 99 --part 1/2 | cat 0.rec - > x
	run -0 same_or_refused
	[ "$output" = refused ]
	part 1 -L 300 --part 1/2 | cat 0.rec - > x
	run -0 same_or_refused
	[ "$output" = refused ]
	sed '$ s/A/C/' t.fa > u.fa
	cmp -s t.fa u.fa && sed '$ s/G/C/' t.fa > u.fa
	fasta-chunk -L 300 --part 1/2 u.fa |
		asm-scan -k 2 -e ACGTTGCA -e GATTACAG | cat 0.rec - > x
	run -0 same_or_refused
	[ "$output" = refused ]
}

@test "a stream of another version, a flag that must be understood: exit 1" {
	prepare
	recframes version 0 9 < h.rec > x
	for p in 'merge-topk -O tsv' 'rec-view -O tsv' 'asm-scan -e ACGT -O tsv'; do
		fails 1 version $p x
	done
	recframes type 0 99 $((0x4000)) < h.rec > x
	for p in 'merge-topk -O tsv' 'rec-view -O tsv'; do
		run -1 --separate-stderr $p x
		[ -z "$output" ]
	done
}

@test "a frame of an unknown kind that may be ignored is passed through" {
	prepare
	# a second copy of END turned into a frame of type 99
	i=$(frames_of h.rec END)
	recframes only "$i" < h.rec | recframes type 0 99 1 > other
	{ cat other h.rec; } > x
	run -0 same_or_refused
	[ "$output" = same ]
	asm-scan -k 2 -e ACGTTGCA <(cat other c.rec) > y
	types < y | grep -q OTHER
	rec-view -O rec x | types | grep -q OTHER
}

@test "a scanner killed in the middle is noticed" {
	prepare
	half=$(($(stat -c %s c.rec) / 2))
	for at in 0 700 $half; do
		mkfifo pipe
		asm-scan -O rec -k 2 -e ACGTTGCA < pipe > x &
		exec 9> pipe
		head -c $at c.rec >&9
		sleep 0.1
		kill -9 $!
		wait $! || true
		exec 9>&-
		rm pipe
		fails 3 '' merge-topk -O tsv x
	done
}

@test "each scanner: a chunk twice counts once, a lost one is noticed, and a cut" {
	randseq 3000 5 70 t > t.fa
	sed -n 9p t.fa | sed 's/A/C/4' > q
	randseq 300 6 70 u > u
	fasta-chunk -L 300 t.fa > c.rec
	n=$(frames_of c.rec CHUNK | sed -n 3p)
	recframes double "$n" < c.rec > two.rec
	recframes drop "$n" < c.rec > less.rec
	head -c 2000 c.rec > cut.rec
	for c in 'asm-scan -k 49% -q q' 'sw-scan -n 25 -q q' \
	    'primer-find -k 3 --max-len 20 -q u'; do
		$c -O tsv c.rec > want
		[ "$(rows want | wc -l)" -gt 5 ]
		$c -O tsv two.rec 2> err | cmp - want
		grep -q 'came twice' err
		$c two.rec | rec-view -O tsv | cmp - want
		for f in less cut; do
			run -3 $c -O tsv $f.rec
		done
		run -3 $c -o x cut.rec
		$c less.rec > x
		run -3 rec-view -O tsv x
		run -3 merge-topk -O tsv x
	done
}

# Numbers of letters, and the command that needs them as context.
@test "too little context is refused, naming the -W that cures it" {
	randseq 5000 3 60 t > t.fa
	sed 1d t.fa | tr -d '\n' | head -c 2150 | tail -c 300 > q
	randseq 300 6 70 u > u
	fasta-chunk -L 1000 -W 20 --part 1/2 t.fa > p.rec
	while read -r w c; do
		fails 2 "fasta-chunk -W $w" $c -o x p.rec
		[ ! -e x ]
		fasta-chunk -L 1000 -W $((w - 1)) --part 0/2 t.fa > less.rec
		run -2 $c -O tsv less.rec
		$c -O rec t.fa | merge-topk -O tsv > want
		[ "$(rows want | wc -l)" -gt 0 ]
		fan 2 "-L 1000 -W $w t.fa" $c | merge-topk -O tsv |
			cmp - want
		# within one pipe it works as it is
		for o in '-L 1000 -W 20' '-L 10 -W 0'; do
			fasta-chunk $o t.fa | $c | merge-topk -O tsv |
				cmp - want
		done
	done <<- END
		610 asm-scan -k 10 -q q
		597 sw-scan -q q
		300 primer-find -k 2 -q u
		26 primer-find -k 4 --max-len 24 -q u
		31 primer-find -k 4 --max-len 24 --three-prime 24:9 -q u
	END
	# free extension has no bound
	fails 2 'the whole sequence in one process' \
		sw-scan --gap-extend 0 -q q -O tsv p.rec
}

# a.fa and b.fa: one first record, so that they count as one run, and other
# names behind it.
alike() {
	{ randseq 900 1 70 one; randseq 300 2 70 two; } > a.fa
	sed 's/>two/>TWO/' a.fa > b.fa
	q=$(sed -n 2p a.fa | cut -c 11-30)
}

@test "inputs that differ in a later name are a conflict, cured by --label" {
	alike
	for p in 'asm-scan -k 2' 'asm-scan -k 2 --report=best' \
	    'asm-scan -k 2 --report=count' 'sw-scan -n 2' 'primer-find -k 2' \
	    ebwt-dist; do
		[ "$p" = ebwt-dist ] || p="$p -e $q"
		for x in a b; do
			$p -O rec $x.fa > $x.rec
			fasta-chunk --label $x $x.fa | $p -O rec > $x.label
		done
		for x in 'a.rec b.rec' 'b.rec a.rec'; do
			fails 3 --label merge-topk -O tsv $x
			fails 3 --label rec-view --check $x
			merge-topk --partial $x > y || true
			fails 3 '' merge-topk -O tsv y
		done
		merge-topk --runs 2 -O tsv a.label b.label > both
		[ -s both ]
	done
	fasta-chunk a.fa > a.rec
	fasta-chunk b.fa > b.rec
	says 3 --label rec-view -O fasta a.rec b.rec
}

@test "parts of inputs that differ in a later name do not pass for one" {
	alike
	for x in a b; do
		for i in 0 1; do
			fasta-chunk -L 400 --part $i/2 $x.fa |
				asm-scan -k 2 -e $q > $x.$i
		done
	done
	merge-topk -O tsv a.0 a.1 > want
	fails 3 --label merge-topk -O tsv a.0 b.1
	# without an END of the other one, too
	recframes drop "$(frames_of b.1 END)" < b.1 > x
	fails 3 '' merge-topk -O tsv a.0 x
	# compression, pipes and folders are no difference
	gzip -k b.fa
	mkdir other
	gzip -c a.fa > other/A.fa.gz
	for i in 'other/A.fa.gz' '- < a.fa'; do
		eval "fasta-chunk -L 400 --part 1/2 $i" |
			asm-scan -k 2 -e $q > x
		merge-topk -O tsv a.0 x | diff want -
		merge-topk -O tsv x a.0 a.1 | diff want -
	done
}

@test "two results of one chunk and scan that differ are a conflict" {
	alike
	for p in 'asm-scan -k 2' 'asm-scan -k 2 --report=best' \
	    'asm-scan -k 2 --report=count' 'sw-scan -n 2' 'primer-find -k 2' \
	    ebwt-dist; do
		[ "$p" = ebwt-dist ] || p="$p -e $q"
		$p -O rec a.fa > x
		i=$(recframes list < x |
			awk '$2 ~ /HITS|TALLY|PRIMER|DIST/ { print $1; exit }')
		# another name of the query, or another metric
		recframes only "$i" < x > one
		says=${p##* }
		[ "$p" != ebwt-dist ] || says=delta
		at=$(grep -obaF "$says" one | head -n 1 | cut -d : -f 1)
		recframes poke 0 $((at - 48)) 66 < one > two
		rec-view --stats two > out
		for y in 'x two' 'two x'; do
			fails 3 'chunk 0: results of one chunk disagree*--label' \
				merge-topk -O tsv $y
			fails 3 --label rec-view --check $y
			merge-topk --partial $y > z || true
			fails 3 '' merge-topk -O tsv z x
		done
		# what a merge wrote may say the same otherwise
		[[ $p == *count ]] || merge-topk --partial x |
			merge-topk -O tsv x - | diff - <(merge-topk -O tsv x)
	done
}

# What fasta-chunk -W 0 of version 0.1 made of old.fa.
old_stream() {
	printf '>s\nACGT\n>t x\nGATTACA\n' > old.fa
	base64 -d << 'EOF' | zcat > old.rec
H4sIAAAAAAACA+t3D3J15uWSYmRkYOBeeYihlgECTNuM7yw7fkwDymW4e9uvjZEBGbAWl6Rk
5jEwFn+NvTR5q1f0roKi/PSixFyFtMTikkTd5IzSvGyuzLyC0hIFsEqustSi4sz8PAUDPUM9
A6788jwFQwMw4ErOzytJrShRMOBKyywqBqrnykgszlBISjRNMklMMrU0TjEyTUkz5QLa2g9z
LxMDg+yj5HUPcLh3mUvPXSYoG0RzQ9kwem7TLqdZIXHfuRlQgSgDfsCCgw+jYWHEjMaHAXYc
fHYk9UxI+h2d3UPcHUNCHJ0dMQIcGFIV8PDgZGC48c76jgyO8OBQsHdhxBZrjEzcsLAAeR0A
dt0+NBACAAA=
EOF
}

@test "a stream of version 0.1 is read, and no part of it for a later one" {
	old_stream
	rec-view --check old.rec
	rec-view -O fasta old.rec | diff old.fa -
	asm-scan -e GATT -O tsv old.rec | diff - <(asm-scan -e GATT -O tsv old.fa)
	ebwt-dist -O tsv old.rec | diff - <(ebwt-dist -O tsv old.fa)
	# it does not say which file a record came from
	fails 2 '--by=file: the stream does not say which file s came from' \
		ebwt-dist --by=file -O tsv old.rec
	ebwt-dist --by=prefix:_ -s both -O tsv old.rec |
		diff - <(ebwt-dist --by=prefix:_ -s both -O tsv old.fa)
	asm-scan -e GATT old.rec > old.hits
	merge-topk -O tsv old.hits | diff - <(asm-scan -e GATT -O tsv old.fa)
	fasta-chunk -W 0 < old.fa | asm-scan -e GATT > new.hits
	recframes drop "$(frames_of old.hits HITS)" < old.hits > part.hits
	fails 3 'parts of two ways to cut it: the same options and version of fasta-chunk in all?' \
		merge-topk -O tsv part.hits new.hits
	# and by its BEGIN each stream says which one cut it
	[[ $(fasta-chunk -V) == 'fasta-chunk 0.2.0 ('* ]]
	grep -aq 'version 0\.1\.0' old.rec
	[ "$(fasta-chunk old.fa | grep -ac 'version 0\.2\.0')" = 1 ]
	# what version 0.1 must not take for its own
	[ "$(fasta-chunk old.fa | recframes list |
		awk '/CHUNK|END/ { print int($3 / 512) % 2 }' | uniq)" = 1 ]
}

# The same of a version 0.2 whose digests did not add up.
@test "a stream with digests of another kind is read, and no part of it more" {
	old_stream
	base64 -d << 'EOF' | zcat > old.rec
H4sIAAAAAAACA+t3D3J15uWSYmRkYJAMfllczwABS/Lqnnu3v3kG5TKcO3CSnZEBGbDl56TopSUy
MBZ/jb00eatX9K6Covz0osRchbTE4pJE3eSM0rxsrsy8gtISBYhSrrLUouLM/DwFAz0jPQOu/PI8
BUMDMOBKzs8rSa0oUTDgSsssKi5RKObKSCzOUEhKNE0ySUwytTROMTJNSTPlYuiHuZeJgUlm2u6w
hzjc+/2P1kUmKBtEc0PZMDr29eG3Z+88tONmQAViSHqwARYcfBgNCyNmKJsRTT07Dj47kn4mJP2O
zu4h7o4hIY7OjpgBDgyoCjTz4OHDycBU8aInShZH+Ai0TvzPiDUWGZm4YYEDDAMAMTEPKyACAAA=
EOF
	rec-view --check old.rec
	rec-view -O fasta old.rec | diff old.fa -
	asm-scan -e GATT old.rec > old.hits
	merge-topk -O tsv old.hits | diff - <(asm-scan -e GATT -O tsv old.fa)
	ebwt-dist -O tsv old.rec | diff - <(ebwt-dist -O tsv old.fa)
	fasta-chunk -W 0 < old.fa | asm-scan -e GATT > new.hits
	fails 3 'parts by two versions of fasta-chunk' \
		merge-topk -O tsv old.hits new.hits
}

# bats test_tags=slow
@test "very many scans, runs, results or needs take no more than n log n" {
	# with squares each of these took over half a minute for twice as many
	for x in scans:15000 runs:15000 tallies:30000 dists:30000 \
	    primers:30000 needs:75000 frames:50000; do
		awk -v kind=${x%:*} -v n=${x#*:} \
			-f "$BATS_TEST_DIRNAME/../lib/many.awk" |
			recmake > x
		for p in 'merge-topk -O tsv' 'merge-topk --partial' \
		    'rec-view --check'; do
			( [ -n "${SEQF_SANITIZED:-}" ] || ulimit -t 5
			  rc=0
			  $p x > out 2> err || rc=$?
			  echo "$x $p: $rc"
			  case $x in
			  needs*|frames*) [ $rc -eq 3 ] || [[ $p == *partial ]] ;;
			  *) [ $rc -eq 0 ] ;;
			  esac )
			[[ $p != *tsv ]] || [[ $x == [nf]* ]] ||
				[ "$(rows out | wc -l)" -ge "${x#*:}" ]
		done
	done
}
