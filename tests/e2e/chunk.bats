# SPDX-License-Identifier: MIT
# fasta-chunk: what goes in comes out, and what is wrong is reported.
load helper

@test "letters, names and descriptions come back byte for byte" {
	local x='>a one  two\tthree\nACGTNRYKMSWBDHVacgtnryk\n>b\nMKV*-.LLAWXJZO\n'

	comes_back "$x" "$x"
	comes_back "$x" "$x" -L 1
	comes_back "$x" "$x" -L 7 -W 3
	x='>lower\nacgtacgtnnnnnnACGTNNNNNNNNNNNNNNNNNNNNNNNacgt\n'
	comes_back "$x" "$x"
	comes_back "$x" "$x" -L 5
	x='>rna\nACGUUGCAacguu\n>both\nACGTUTU\n'
	comes_back "$x" "$x"
	comes_back "$x" "$x" -L 3
	# long lines, short ones, CRLF, blank ones, none
	comes_back '>a\nACG\nT\nACGTACGT\n' '>a\nACGTACGTACGT\n'
	comes_back '>a\nACGT' '>a\nACGT\n'
	comes_back '>a' '>a\n\n'
	comes_back '>a x\r\nACG\r\nTTT\r\n>b\r\nGG\r\n' '>a x\nACGTTT\n>b\nGG\n'
	comes_back '\n\n>a\n\nACG\n\nT\n\n\n>b\nG\n\n' '>a\nACGT\n>b\nG\n'
	# records without letters, or of one
	comes_back '>a\n>b\nAC\n>c\n\n>d\nG\n>e\n' \
		'>a\n\n>b\nAC\n>c\n\n>d\nG\n>e\n\n'
	comes_back '>a\n>b\n>c\n' '>a\n\n>b\n\n>c\n\n'
	comes_back '>a\nA\n>b\nC\n>c\nN\n' '>a\nA\n>b\nC\n>c\nN\n'
	comes_back '@a\nA\n+\n@\n' '>a\nA\n'
	# qualities that begin with @ and +
	comes_back '@a d\nACGT\n+\n@@@@\n@b\nAC\nGT\n+b\n+@\n@+\n@c\nG\n+\n+\n' \
		'>a d\nACGT\n>b\nACGT\n>c\nG\n'
	comes_back '@a\r\nACGT\r\n+\r\n!!!!\r\n@b\r\n\r\n+\r\n\r\n@c\r\nA\r\n+\r\n!' \
		'>a\nACGT\n>b\n\n>c\nA\n'
}

@test "blanks in lines of letters are dropped, and do not count" {
	comes_back '>a b c\nAC GT\t \n \n\t\n  A C\n' '>a b c\nACGTAC\n'
	comes_back '@a\nA C\n+\nII\n' '>a\nAC\n'
	printf '>a\nAC G\tT\n TT \n' > in
	printf '>a\nACGTTT\n' > plain
	asm-scan -s + -e GTT -O tsv plain > want
	asm-scan -s + -e GTT -O tsv in | cmp - want
	printf '>q x\nG\tT T\n' > q
	[ "$(asm-scan -s + -q q -O tsv in | rows | cut -f 8,9)" = $'2\t5' ]
	run --separate-stderr rec-view -O fasta <(fasta-chunk -r a:3-5 in)
	[ "$output$stderr" = $'>a\nGTT' ]
	# two of one name
	run --separate-stderr rec-view -O fasta <(fasta-chunk -r a:1 -r a:3-5 in)
	[ "$output" = $'>a\nACGTTT' ]
	run --separate-stderr rec-view -O fasta \
		<(fasta-chunk -L 1 -r a:1-2 -r a:4-4 -r a:6-6 in)
	[ "$output" = $'>a\nAC\n>a\nT\n>a\nT' ]
	one_line rec-view
	[[ $stderr == *'several regions of one sequence have its name: -O tsv'* ]]
	# other white space is none
	for c in '\v' '\f' '\302\240' '\r'; do
		printf ">a\nA ${c}C\n" > in
		fails 1 'at 1' fasta-chunk in
	done
}

@test "-r of a name that is there twice is the first one" {
	printf '>x\nAA\n>a 1\nACGTAC\n>a 2\nTTTT\n' > in
	printf '>a 3\nGG\n' > more
	for t in 1 3; do
		[ "$(fasta-chunk -t $t -L 2 -r a in more | rec-view -O fasta)" = $'>a 1\nACGTAC' ]
		[ "$(fasta-chunk -t $t -r a:2-3 in more | rec-view -O fasta)" = $'>a 1\nCG' ]
		[ "$(fasta-chunk -t $t -r a more in | rec-view -O fasta)" = $'>a 3\nGG' ]
		asm-scan -t $t -s + -e T -r a -O tsv in more | rows | wc -l |
			grep -qx 1
		fails 2 'a has 6 letters' fasta-chunk -t $t -r a:7 in more
	done
}

@test "* - . are letters, but not of DNA" {
	comes_back '>p\nMK*L-A.W*\n' '>p\nMK*L-A.W*\n'
	printf '>p\nMKL-A.W*\n' > in
	for c in '*' - .; do
		printf '>d\nACG%sT\n' "$c" > d.fa
		for p in 'asm-scan -e' 'sw-scan -e' 'primer-find -k 1 -e'; do
			fails 1 "'$c' at 4 is no DNA letter" $p ACGT -O tsv d.fa
		done
		[ "$(asm-scan -s + --alphabet=bytes -e "G${c}T" -O tsv d.fa | rows | cut -f 8)" = 2 ]
		printf '>d\nACGT\n' | ebwt-dist -q - -O tsv d.fa | rows | cut -f 6 |
			no grep -x 0
	done
	# of a query they are none; of a sequence they match nothing
	run -2 asm-scan --alphabet=protein -e L-A -O tsv in
	asm-scan --alphabet=protein -k 1 -e LXA -O tsv in | rows |
		cut -f 8,9,12 | grep -qx $'2\t5\t1=1X1='
	# * against * is 1 in BLOSUM62
	sw-scan --matrix=BLOSUM62 -e 'L*A' -O tsv in | rows |
		cut -f 8,9,11 | grep -qx $'2\t5\t9'
}

@test "a blank after > does not hide the name" {
	printf '> pig one\nACGT\n' > in
	there_and_back in > have
	grep -Eq '^> ?pig one$' have
	asm-scan -e ACG -s + -O tsv in | rows | cut -f 6 > name
	[ "$(cat name)" = pig ]
}

@test "FASTQ whose qualities are too few or too many is an error" {
	printf '@a\nACGT\n+\n!!!\n' > short.fq
	printf '@a\nACGT\n+\n!!!!!\n@b\nA\n+\n!\n' > long.fq
	printf '@a\nACGT\n' > none.fq
	for f in short long none; do
		fails 1 "$f.fq" fasta-chunk -o x $f.fq
		[ ! -e x ]
	done
}

@test "an empty input has no chunk and is whole" {
	: > empty
	printf '\n' > blank
	for f in empty blank; do
		fasta-chunk $f > x.rec
		[ "$(types < x.rec)" = $'BEGIN\nEND' ]
		rec-view --check x.rec
		[ -z "$(rec-view -O fasta x.rec)" ]
	done
}

@test "thousands of tiny records share few frames" {
	seq 3000 | awk '{ print ">r" $1 " n " $1; print "ACGT" }' > tiny.fa
	fasta-chunk tiny.fa > x.rec
	[ "$(types < x.rec | grep -c CHUNK)" -le 3 ]
	rec-view -O fasta x.rec | unwrap | cmp - tiny.fa
	there_and_back -L 100 tiny.fa | cmp - tiny.fa
}

@test "the stream is the same for every kind of compression" {
	lambda > l.fa
	fasta-chunk -L 5k l.fa > plain.rec
	gzip -c l.fa > l.fa.gz
	fasta-chunk -L 5k l.fa.gz | cmp - plain.rec
	{ head -c 1000 l.fa | gzip; : | gzip; tail -c +1001 l.fa | gzip; } > l.fa.gz
	fasta-chunk -L 5k l.fa.gz | cmp - plain.rec
	{ gzip -c l.fa; head -c 512 /dev/zero; } > l.fa.gz
	fasta-chunk -L 5k l.fa.gz | cmp - plain.rec
	need bgzip
	bgzip -c l.fa > l.fa.gz
	fasta-chunk -L 5k l.fa.gz | cmp - plain.rec
	fasta-chunk -t 1 -L 5k l.fa.gz | cmp - plain.rec
}

@test "from standard input and <( ) come the same chunks" {
	lambda > l.fa
	fasta-chunk -L 5k l.fa | rec-view -O fasta > want
	fasta-chunk -L 5k < l.fa | rec-view -O fasta | cmp - want
	fasta-chunk -L 5k - < l.fa | rec-view -O fasta | cmp - want
	fasta-chunk -L 5k <(cat l.fa) | rec-view -O fasta | cmp - want
	gzip -c l.fa | fasta-chunk -L 5k | rec-view -O fasta | cmp - want
	cat l.fa | fasta-chunk -L 5k | recframes list | cut -d ' ' -f 1-4 > a
	fasta-chunk -L 5k l.fa | recframes list | cut -d ' ' -f 1-4 | cmp - a
}

@test "the stream does not depend on -t, nor on SEQF_ISA" {
	lambda | awk '/^>/ { print; next } NR % 3 { print tolower($0); next } 1' > l.fa
	fasta-chunk -t 1 -L 3k l.fa > want
	for t in 2 4; do
		fasta-chunk -t $t -L 3k l.fa | cmp - want
	done
	SEQF_THREADS=3 fasta-chunk -L 3k l.fa | cmp - want
	all_isas want fasta-chunk -L 3k l.fa
}

@test "gzip and bgzf that are cut, damaged or have more: a line with file and byte" {
	need bgzip
	lambda | gzip > gzip.gz
	lambda | bgzip -c > bgzf.gz
	wrong() {
		fails 1 "x.gz:*$1" fasta-chunk -o x x.gz
		[ ! -e x ]
	}
	for f in gzip bgzf; do
		size=$(stat -c %s $f.gz)
		for at in 1 2 9 11 $((size - 29)) $((size - 28)) \
		    $((size - 9)) $((size - 4)) $((size - 1)) 10000; do
			head -c $at $f.gz > x.gz
			wrong
			# a second one that is cut
			[ $at -gt 9 ] || continue
			cat $f.gz x.gz > y.gz
			mv y.gz x.gz
			wrong
		done
		head -c 10000 $f.gz > x.gz
		wrong 'at byte [0-9]'
		for at in 9000 $((size - 36)) $((size - 34)); do
			cp $f.gz x.gz
			printf '\x55\xaa' |
				dd of=x.gz bs=1 seek=$at conv=notrunc status=none
			wrong 'at byte [0-9]'
		done
		{ cat $f.gz; echo surprise; } > x.gz
		wrong
	done
}

@test "--mask makes lower case N" {
	comes_back '>a\nACgtNACgt\n' '>a\nACNNNACNN\n' --mask
}

@test "--digits takes digits, + and / for letters; else they are errors" {
	comes_back '>a\nAC9+\n+/0a\n12 3\n' '>a\nAC9++/0a123\n' --digits
	comes_back '>1\n4 5 6 7\n' '>1\n4567\n' --digits
	comes_back '@a\nA+9\n+\nIII\n' '>a\nA+9\n' --digits
	{ printf '>a\n'; lambda | tail -n +2 | tr -d '\n'; echo 7Acgt; } > l
	fasta-chunk --digits l | rec-view -O fasta | unwrap | cmp - l
	printf '>a\nAC9\n' > in
	fails 1 'invalid byte 0x39 (9) at 2' fasta-chunk in
	run -2 fasta-chunk --digits --matrix=pfm in
	run -1 sh_ 'fasta-chunk --digits in | asm-scan -e AC'
}

@test "several operands, of any kinds, are one run" {
	printf '>a\nACGT\n' > 1.fa
	printf '@b\nGG\n+\n!!\n' | gzip > 2.fq.gz
	printf '>c\nTT' > 3.fa
	fasta-chunk 1.fa 2.fq.gz - < 3.fa > x.rec
	[ "$(types < x.rec | grep -c END)" -eq 1 ]
	rec-view -O fasta x.rec | unwrap > have
	printf '>a\nACGT\n>b\nGG\n>c\nTT\n' | diff - have
}

@test "a letter that is none is reported with file, record and position" {
	printf '>a\nACGT\n>chr7\nACGTACGTA\x07CGT\n' > in.fa
	fails 1 'in.fa*chr7*0x07' fasta-chunk -o x in.fa
	[[ $stderr =~ [^0-9](9|10)([^0-9]|$) ]]
	[ ! -e x ]
}

@test "binary garbage, a record stream, a directory, a missing file: one line, exit 1" {
	fasta-chunk "$DATA/lambda.fa.gz" > l.rec
	head -c 3000 "$SEQF_BIN/fasta-chunk" > elf
	printf 'no sequences here\n' > words
	mkdir dir
	for f in l.rec elf words dir missing; do
		fails 1 "$f" fasta-chunk -o x $f
		[ ! -e x ]
	done
}

@test "an error in the second file leaves no output that passes for whole" {
	printf '>a\nACGT\n' > 1.fa
	fasta-chunk 1.fa missing > x.rec 2> err && return 1
	run -3 rec-view --check x.rec
}

@test "hostile names: control bytes, a tab, 100,000 letters" {
	name=$(head -c 100000 /dev/zero | tr '\0' n)
	printf '>%s d\nACGT\n' "$name" > in
	there_and_back in | cmp - in
	printf '>a\tb\tc d\nACGT\n' > in
	there_and_back in | tail -n 1 | grep -qx ACGT
	asm-scan -s + -e ACG -O tsv in | rows | awk -F '\t' '
		NF != 12 || $6 != "a" { exit 1 }'
	printf '>ok\nA\n>a\x01b\x1b[31m\nACGT\n' > in
	fails 1 'in:3*a\\x01b\\x1b\[31m' fasta-chunk -o x in
}

@test "binary is not written to a terminal" {
	need_terminal
	printf '>a\nACGT\n' > in
	run script -qec "fasta-chunk in" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == fasta-chunk:* ]]
	[[ $output != *GREC* ]]
}

@test "lengths out of range and senseless parts are wrong usage" {
	printf '>a\nACGT\n' > in
	for o in '-L 0' '-L -1' '-L 2G' '-L x' '-L' '-W -1' '-W 1x' \
	    '--part 1/1' '--part 4/4' '--part -1/4' '--part 1' '--part 0/0' \
	    '--part a/b' '-t 0' '--matrix=none'; do
		fails 2 '' fasta-chunk $o in
	done
}

@test "-o writes the file as a whole or not at all" {
	printf '>a\nACGT\n' > in
	fasta-chunk -o x.rec in
	fasta-chunk in | cmp - x.rec
	printf 'junk' > x.rec
	run -1 fasta-chunk -o x.rec missing
	[ "$(cat x.rec)" = junk ]
	[ "$(ls | tr '\n' ' ')" = "in x.rec " ]
	fails 1 '' fasta-chunk -o nodir/x in
}

@test "a file that shrinks while it is read is an error" {
	# the writer waits at the full pipe, far from the end of its input
	randseq 20000000 3 > in
	( fasta-chunk -t 1 in 2> err | { head -c 100 > /dev/null
		truncate -s 2000 in; cat > /dev/null; }; exit "${PIPESTATUS[0]}" ) &&
		status=0 || status=$?
	[ "$status" -eq 1 ]
	one=$(cat err)
	[[ $one == fasta-chunk:*in* ]]
}

# >s ACGTNac, its letters and blocks as UCSC's 2bit, little or big end first.
twobit() {
	if [ "$1" = little ]; then
		printf '\x43\x27\x41\x1a\0\0\0\0\1\0\0\0\0\0\0\0\1s\x16\0\0\0'
		printf '\7\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0'
		printf '\1\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0'
	else
		printf '\x1a\x41\x27\x43\0\0\0\0\0\0\0\1\0\0\0\0\1s\0\0\0\x16'
		printf '\0\0\0\7\0\0\0\1\0\0\0\4\0\0\0\1'
		printf '\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0\0'
	fi
	printf '\x9c\x24'
}

@test "2bit: letters, N and lower case, both byte orders, files and pipes" {
	printf '>s\nACGTNac\n' > want
	for order in little big; do
		twobit $order > in.2bit
		there_and_back in.2bit | diff want -
		there_and_back < in.2bit | diff want -
	done
	[ "$(asm-scan -s + -e CGT -O tsv in.2bit | rows | cut -f 8,9)" = "1	4" ]
	[ "$(fasta-chunk -r s:2-4 in.2bit | rec-view -O fasta | tail -n 1)" = CGT ]
}

@test "2bit that is cut off, or has more, or is out of order: an error" {
	twobit little > whole
	for n in 5 17 20 30 55 $(($(stat -c %s whole) - 1)); do
		head -c $n whole > in.2bit
		fails 1 'in.2bit: byte *truncated' fasta-chunk -o x.rec in.2bit
		[ ! -e x.rec ]
	done
	{ cat whole; echo; } > in.2bit
	fails 1 'bytes behind the last sequence' fasta-chunk -o x.rec in.2bit
	sed 's/\x05\x00\x00\x00\x02/\x05\x00\x00\x00\x09/' whole > in.2bit
	fails 1 'blocks out of order or bounds' fasta-chunk -o x.rec in.2bit
}
