# SPDX-License-Identifier: MIT
# What all programs do alike: help, version, usage, exit status, full disks.
load helper

man_of() {
	echo "$BATS_TEST_DIRNAME/../../man/$1.1"
}

# Long options of --help, of the page, of a completion; one a line, sorted.
in_help() {
	"$1" --help | grep -oE '^ +(-., )?--[a-z][a-z-]*' |
		grep -oE -- '--.*' | sort -u
}
in_page() {
	grep -E '^\.It .*Fl Fl ' "$(man_of "$1")" |
		grep -oE 'Fl Fl [a-z][a-z-]*' | sed 's/Fl Fl /--/' | sort -u
}
in_completion() {
	"$1" --completion="$2" |
		case $2 in
		bash) tr -s " ')|" '\n' | grep -oE -- '^--[a-z][a-z-]*' ;;
		zsh) sed -n "s/^[[:space:]]*'\**\(([^)]*)\)*\**//p" |
			grep -oE -- '^--[a-z][a-z-]*' ;;
		fish) grep -oE -- '-l [a-z][a-z-]*' | sed 's/-l /--/' ;;
		esac | sort -u
}
# Short options.
short_help() {
	"$1" --help | grep -oE '^ *-[A-Za-z]' | tr -d ' ' | sort -u
}
short_page() {
	grep -E '^\.It ' "$(man_of "$1")" | grep -oE 'Fl [A-Za-z]( |$)' |
		sed 's/Fl \(.\).*/-\1/' | sort -u
}

@test "--help and --version write to standard output and exit 0; help is in form" {
	[ "$(programs | wc -l)" -ge 4 ]
	for p in $(programs); do
		quiet $p --help
		[[ $output == *"$p"* ]]
		[ "${lines[0]}" = "$(sed -n 's/^\.Nd //p' "$(man_of $p)")" ]
		awk 'length > 80 { exit 1 }' <<< "$output"
		# a short option has a long one
		no sh_ "$p --help | grep -E '^ +-[A-Za-z]' | grep -v -- ', --'"
		quiet $p --version
		[[ $output == "$p "[0-9]* ]]
		[ "${#lines[@]}" -eq 1 ]
		run -0 $p -h
		run -0 $p -V
	done
}

@test "options of --help, and no other, are in the manual page and completions" {
	for p in $(programs); do
		in_help $p > a
		in_page $p > b
		[ "$(wc -l < a)" -ge 5 ]
		diff a b
		short_help $p > short
		short_page $p > b
		[ "$(wc -l < short)" -ge 3 ]
		diff short b
		for s in bash zsh fish; do
			in_completion $p $s > b
			diff a b
			$p --completion=$s > $p.$s
			if command -v $s > /dev/null; then $s -n $p.$s; fi
		done
		run -2 $p --completion=tcsh
	done
}

# As `man -k` searches the .Nd lines, and a reader what stands out.
@test "the field's words are where users search for them" {
	cd "$BATS_TEST_DIRNAME/../.."
	for w in mismatch insertion deletion adapter off-target; do
		grep -qi "^\.Nd .*$w" man/*.[1-8]
		grep -qi "$w" <(head -n 12 README.md; grep '^#' README.md)
		grep -qiE "^(#|\*\*[0-9]).*$w" examples/cookbook.md
	done
}

# -n N is the best N in every program that has it.
@test "-n has one meaning and one name, former names are taken with a note" {
	printf '>s\nGATTACAGATTACA\n' > t.fa
	for p in asm-scan sw-scan merge-topk ebwt-dist; do
		n=--max-hits
		[ $p != ebwt-dist ] || n=--nearest
		$p --help | grep -E "^ +-n, $n=N +(only the|keep the|the best) "
	done
	asm-scan -O rec -k 2 -e ATTA t.fa > h.rec
	merge-topk -n 1 -O tsv h.rec > want
	for o in -n1 --max-hits=1 '--max-hits 1' '--best 1' --best=1; do
		run -0 --separate-stderr sh_ "merge-topk $o -O tsv h.rec > have"
		cmp have want
		[[ $o != --best* && -z $stderr ||
		    $stderr = 'merge-topk: --best is now --max-hits' ]]
	done
	for o in -n --max-hits; do
		asm-scan -k 2 -e ATTA $o 1 -O tsv t.fa | cmp - want
	done
	sw-scan --kind=cells -n 2 -e GATTA -O tsv t.fa > want
	for o in --kind --best; do
		run -0 --separate-stderr sh_ \
			"sw-scan $o=cells --max-hits 2 -e GATTA -O tsv t.fa > have"
		cmp have want
		[[ $o = --kind && -z $stderr ||
		    $stderr = 'sw-scan: --best is now --kind' ]]
	done
	quiet sw-scan --best=cells --quiet -e GATTA t.fa
	for p in merge-topk sw-scan; do
		for s in bash zsh fish; do
			no sh_ "$p --completion=$s | grep -E -- '(--|-l )best'"
		done
		no sh_ "$p --help | grep -e --best"
	done
	fasta-chunk -L 5 -W 2 t.fa |
		cmp - <(fasta-chunk --chunk-len=5 --context=2 t.fa)
}

@test "wrong usage exits 2 and says why on stderr only" {
	for p in $(programs); do
		for o in --nosuchoption -Z '-O nosuchformat' --quiet=1; do
			run -2 --separate-stderr $p $o /dev/null
			[ -z "$output" ]
			[[ $stderr == $p:* ]]
		done
		run -2 --separate-stderr $p -o
		[[ $stderr == $p:* ]]
		# no name, where a script's variable was empty
		e=; [[ $p != *-scan ]] || e='-e ACGT'
		fails 2 '' $p $e -o '' /dev/null
	done
}

@test "closed standard files are errors, and no file takes their number" {
	printf '>a\nACGTACGT\n' > t.fa
	# "-" must not read the file of patterns
	fails 1 '' sh_ 'asm-scan -q t.fa -O tsv - <&-'
	# a warning must not go into the output
	fasta-chunk t.fa > good
	{ cat good; echo rubbish; } > bad
	run -3 sh_ 'asm-scan -e ACG -o x bad 2>&-'
	run -3 sh_ 'asm-scan -e ACG -o y bad 2> /dev/null'
	cmp x y
	fails 1 '' sh_ 'fasta-chunk t.fa <&- >&-'
}

@test "a full disk is an error, not silence" {
	[ -w /dev/full ] || skip "no /dev/full"
	lambda > l.fa
	fasta-chunk l.fa > c.rec
	asm-scan -O rec -e GAATTC l.fa > h.rec
	fasta-chunk -L 9k --part 0/2 l.fa | asm-scan -e GAATTC > half.rec
	while read -r c; do
		fails 1 '' sh_ "$c > /dev/full"
		fails 1 '' sh_ "$c -o /dev/full"
	done <<- 'END'
		fasta-chunk l.fa
		asm-scan -e GAATTC l.fa
		asm-scan -e GAATTC -O tsv l.fa
		asm-scan -e GAATTC -O sam l.fa
		sw-scan -e GAATTC -O tsv l.fa
		primer-find -k 2 -e GAATTCGAATTC -O tsv l.fa
		ebwt-dist -O tsv l.fa
		merge-topk -O tsv h.rec
		merge-topk -O rec h.rec
		merge-topk --missing half.rec
		rec-view -O tsv h.rec
		rec-view -O rec h.rec
		rec-view -O fasta c.rec
		rec-view --stats c.rec
		rec-view --header c.rec
	END
	for p in $(programs); do
		for o in --help --version --completion=bash; do
			fails 1 'No space left' sh_ "$p $o > /dev/full"
		done
	done
}

# Each writes more than the 1 MiB that a pipe holds: less may all lie there
# before the reader goes.
# bats test_tags=slow
@test "a reader that has seen enough ends a program silently" {
	randseq 3000000 1 > t.fa
	fasta-chunk t.fa > c.rec
	asm-scan -O rec --report=all -k 2 -e ACGTA t.fa > h.rec
	while read -r c; do
		bash -c "$c 2> err | head -c 1 > /dev/null
			echo \${PIPESTATUS[0]}" > status
		[ ! -s err ]
		[ "$(cat status)" -eq 141 ]
	done <<- 'END'
		fasta-chunk -L 1k t.fa
		asm-scan --report=all -k 2 -e ACGTA -O tsv t.fa
		asm-scan --report=all -k 2 -e ACGTA t.fa
		merge-topk -O tsv h.rec
		rec-view -O tsv h.rec
		rec-view -O fasta c.rec
	END
}

# refused FILE COMMAND [NAME]: in one line that names FILE, which keeps
# what it holds.
refused() {
	local name=$1

	cp "$name" before
	run -2 --separate-stderr sh_ "$2"
	[ "$stderr" = "${2%% *}: ${3:-$name}: is the input and the output: write to another file" ]
	cmp "$name" before
}

@test "what is read is not written to" {
	printf '>s\nGATTACA\n' > t.fa
	ln t.fa hard.fa
	ln -s t.fa soft.fa
	asm-scan -O rec -e ATT t.fa > h.rec
	for to in t.fa hard.fa soft.fa ./t.fa; do
		refused t.fa "asm-scan -e ATT -o $to t.fa"
		refused t.fa "asm-scan -e ATT -o $to < t.fa" stdin
	done
	for p in fasta-chunk 'sw-scan -e ATT' 'primer-find -k 1 -e ATT' \
	    'ebwt-dist -O tsv'; do
		refused t.fa "$p -o t.fa t.fa"
		refused t.fa "$p t.fa >> t.fa"
	done
	refused t.fa 'asm-scan -e A -q t.fa -o t.fa h.rec'
	refused h.rec 'merge-topk -O tsv -o h.rec h.rec'
	refused h.rec 'rec-view -O rec h.rec >> h.rec'
	for p in merge-topk rec-view; do
		refused t.fa "$p -O pretty -q t.fa -o t.fa h.rec"
	done
	rm before
	ls | no grep '[.]tmp-'
	# the letters of -e are no name, nor are standard files of one device
	mv t.fa ATT
	asm-scan -e ATT -o x h.rec < /dev/null > /dev/null
	asm-scan -e GATTACA -o GATTACA ATT
}

@test "standard input is read by one of operands and options" {
	printf '>a\nGATTACA\n' > t.fa
	printf '>c\nTT\n>a\nGATTACA\n' > u.fa
	echo 1 > only
	echo a > names
	printf 'a\tx\nc\ty\n' > by
	printf 'a\t0\t7\n' > bed
	printf 'p\tGATT\tTGTA\n' > p
	printf ' A C G T\nA 1 -1 -1 -1\nC -1 1 -1 -1\nG -1 -1 1 -1\nT -1 -1 -1 1\n' > m
	once() { # FILE OPTION PROGRAM ...: OPTION reads FILE
		"${@:3}" "$2$1" u.fa > want
		[ -s want ]
		gzip -c "$1" | "${@:3}" "$2-" u.fa | cmp - want
		for o in - '' /dev/stdin; do
			run -2 --separate-stderr sh_ "${*:3} $2- $o < $1"
			[ "$stderr" = "$3: standard input is wanted 2 times" ]
		done
	}
	once only --only=@ fasta-chunk
	once names --circular=@ fasta-chunk
	once t.fa -q asm-scan -O tsv
	once bed --regions= asm-scan -O tsv -e TTA
	once t.fa -q sw-scan -O tsv
	once m --matrix= sw-scan -O tsv --gap-open 2 --gap-extend 1 -e TTA
	once t.fa -q primer-find -O tsv -k 1
	once by --by=@ ebwt-dist -O tsv
	once p -p pcr-find -O tsv
	[ "$(pcr-find --primers -p - < p | wc -l)" -eq 4 ]
}

@test "what an option reads is not written to" {
	printf '>s\nGATTACAGATTACA\n' > t.fa
	printf '   A  C  G  T\nA  1 -1 -1 -1\nC -1  1 -1 -1\nG -1 -1  1 -1\nT -1 -1 -1  1\n' > m.txt
	printf 's\t2\t5\n' > place
	echo 0 > list
	for f in m.txt place list; do
		ln $f hard.$f
		ln -s $f soft.$f
	done
	m='--gap-open=1 --gap-extend=1 -e ATT t.fa'
	for to in '-o ' '>> '; do
		for k in '' hard. soft.; do
			refused m.txt "sw-scan --matrix=m.txt $m $to${k}m.txt"
			refused place "primer-find -k 1 -e GATTA --self=place t.fa $to${k}place"
			refused list "fasta-chunk --only=@list t.fa $to${k}list"
		done
	done
	for c in 'fasta-chunk --regions=' 'asm-scan -e ATT --regions=' \
	    'sw-scan -e ATT --regions=' 'fasta-chunk --circular=@' \
	    'asm-scan -e ATT --circular=@' 'ebwt-dist --by=@' \
	    'primer-find --check=' 'pcr-find --pairs=' \
	    'pcr-find --pairs=list --nested=' \
	    'asm-scan --pam NGG -e GATTACAGATTACAGATTAC --score-table='; do
		refused place "${c}place -o place t.fa"
	done
	rm before
	ls | no grep '[.]tmp-'
	# what is no file there, may be one here
	sw-scan --matrix=blosum62 -e ATT -o blosum62 t.fa
	sw-scan --matrix=blosum62 -e ATT -o blosum62 t.fa
	for i in 1 2; do
		fasta-chunk --only=0 -o 0 t.fa
		primer-find -k 1 -e GATTA --self=place -O tsv -o s t.fa
		asm-scan -e ATT -r s -o s t.fa
	done
}

@test "a missing file, a directory, no standard input: one line, exit 1" {
	mkdir dir
	for c in fasta-chunk 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist merge-topk rec-view; do
		for f in missing dir; do
			fails 1 "$f" $c -o x $f
			[ ! -e x ]
		done
		fails 1 '' sh_ "$c -o x <&-"
	done
}

@test "SEQF_ISA and SEQF_THREADS that make no sense are reported" {
	printf '>a\nACGT\n' > t.fa
	SEQF_ISA=mmx run -2 --separate-stderr asm-scan -e ACGT -O tsv t.fa
	[[ $stderr == *SEQF_ISA* ]]
	# only what this build has; a higher name is a limit none the less
	[[ $ISAS == *neon* || $stderr != *neon* ]]
	[[ $ISAS == *avx* || $stderr != *avx* ]]
	for i in neon avx512; do
		SEQF_ISA=$i asm-scan -e ACGT -O tsv t.fa
	done
	for t in 0 x -1; do
		SEQF_THREADS=$t run -2 --separate-stderr asm-scan -e ACGT -O tsv t.fa
		[[ $stderr == *SEQF_THREADS* ]]
	done
}

# processor_time COMMAND ...: the least of five
processor_time() {
	for _ in 1 2 3 4 5; do
		measure m "$@" > /dev/null
		cut -d ' ' -f 2 m
	done | sort -g | head -n 1
}

@test "a program starts in less time than the shell counts to 20,000" {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "slowed down by a sanitizer"
	shell=$(processor_time sh -c 'i=0
		while [ $i -lt 20000 ]; do i=$((i + 1)); done')
	for p in $(programs); do
		awk -v p="$(processor_time $p --version)" -v s="$shell" \
			'BEGIN { exit p >= s }'
	done
}

@test "one is no plural" {
	printf '>s\nGATTACA\n' > s.fa
	asm-scan -v -t 1 -s + -e GATTACA -O tsv s.fa 2> err
	grep -x 'asm-scan: 1 hit found' err
	sw-scan -O rec -v -e ACGT s.fa 2>&1 >/dev/null |
		grep '^sw-scan: [0-9]* letters, 2 queries with strands'
	grep '^asm-scan: 7 letters, 1 pattern with strands, ' err
	grep ': at most 1 thread, ' err
	fasta-chunk -v s.fa 2>&1 > s.rec |
		grep '^fasta-chunk: 1 sequence, 7 letters, 1 chunk, '
	asm-scan -s + -e GATTACA s.rec > h.rec
	n=$(recframes list < h.rec | awk '$2 == "HITS" { print $1 }')
	recframes drop $n < h.rec > x
	run -3 merge-topk -O tsv x
	[ "$output" = 'merge-topk: s.fa, scan -e: 1 of 1 chunk is missing: 0' ]
	cat h.rec h.rec | merge-topk -O tsv 2>&1 >/dev/null |
		grep 'frames* came twice: the copies were dropped'
}

@test "-v says what a scan found and took" {
	for p in 'asm-scan -k 1' sw-scan; do
		$p -v -t 2 -s + -e ACGTTGCATG -O tsv "$DATA/lambda.fa.gz" \
			> out 2> err
		grep -qx "${p%% *}: $(rows out | wc -l) hits* found" err
		grep -qE '^[a-z-]*: 48502 letters, .* [0-9.]+ s, ' err
		grep -qE ': at most 2 threads, (scalar|neon|avx2|avx512), [1-9][0-9]* MB, [0-9.]+ s of' err
	done
}
