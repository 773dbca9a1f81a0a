#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# parts.bats - --part and --only of files with FILE.sfi: the same bytes, of
# little more than the parts themselves
load helper

# Files of FASTA of many kinds.
kinds() {
	{ randseq 9000 1 60 s1; randseq 5000 2 61 s2; } > long.fa
	{
		printf '\n\n>e an empty one\n>f\n\n\n>N\n'
		printf 'N%.0s' $(seq 5000) | fold -w 70
		printf '\n> lead x\nACGTacgtnn\n\n\n>\nAC\n>e\n'
		randseq 4096 3 4096 x | tail -n 1
		printf '>l\tTab\nAC-GT*\n>last\nRYKMacg'
	} > odd.fa
	sed 's/$/\r/' odd.fa > crlf.fa
	randseq 60000 4 60 r | awk '/^>/ { next } { print ">read" NR " x" NR "\n" $0 }
		NR % 50 == 0 { print ">long" NR; for (i = 0; i < 30; i++) print }' > reads.fa
	randseq 2048 5 1024 b > even.fa
	randseq 1024 6 60 c >> even.fa
}

# Without FILE.sfi: beside links of another folder there is none.
alone() {
	mkdir -p alone
	for f; do
		ln -sf "../$f" alone/
	done
}

# rchar COMMAND: the bytes that it reads, libraries and all.
rchar() {
	sh -c "$* > /dev/null; cat /proc/\$\$/io" | awk '/^rchar/ { print $2 }'
}

@test "--part: the same bytes with FILE.sfi, plain and bgzf" {
	need bgzip
	kinds
	for f in long odd crlf reads even; do
		bgzip -c $f.fa > $f.fa.gz
		{ head -c 3000 $f.fa | bgzip; tail -c +3001 $f.fa | bgzip; } > two.$f.gz
	done
	fasta-chunk --index --quiet ./*.fa ./*.gz
	[ "$(ls ./*.sfi | wc -l)" -eq 15 ]
	alone ./*.fa ./*.gz
	for o in '-L 1024 -W 0' '-L 1500' '-L 4096 -W 9000' '-L 1M' \
	    '-L 1023' '-L 2000 --label x' '-L 2k --mask' '-L 2k --circular'; do
		for f in long odd crlf reads even; do
			for i in 0/1 1/2 2/3 19/20; do
				fasta-chunk --quiet $o --part $i alone/$f.fa > want
				fasta-chunk --quiet $o --part $i $f.fa | cmp - want
			done
			fasta-chunk --quiet -t 2 $o --part 19/20 $f.fa.gz | cmp - want
			fasta-chunk --quiet $o --part 19/20 two.$f.gz | rec-view --stats > have
			rec-view --stats want | sed "s/$f.fa/two.$f/" | diff - have
		done
	done
	fasta-chunk -L 1500 --only 1,3-4 alone/long.fa > want
	fasta-chunk -L 1500 --only 1,3-4 long.fa | cmp - want
}

# 2.4 million letters and 1.2; blocks of N and of lower case.
two_bit() {
	seq 300000 > digits
	printf '\x43\x27\x41\x1a\0\0\0\0\2\0\0\0\0\0\0\0'
	printf '\1a\x1c\0\0\0\1b\x04\x28\x09\0'
	printf '\0\x9f\x24\0'
	printf '\2\0\0\0\0\0\0\0\0\0\x10\0\5\0\0\0\x10\x27\0\0'
	printf '\1\0\0\0\0\x10\0\0\0\0\x20\0\0\0\0\0'
	head -c 600000 digits
	printf '\x80\x4f\x12\0\0\0\0\0\0\0\0\0\0\0\0\0'
	tail -c 300000 digits
}

@test "--part of 2bit: the same bytes with FILE.sfi" {
	two_bit > g.2bit
	rec-view -O fasta <(fasta-chunk g.2bit) | sed -n 2p | grep -q '^NNNNNC*[ACGT]'
	alone g.2bit
	fasta-chunk --index g.2bit
	[ -s g.2bit.sfi ]
	for o in '-L 1M' '-L 100001 -W 5k'; do
		for i in 0/1 0/3 1/3 2/3 19/20; do
			fasta-chunk $o --part $i alone/g.2bit > want
			fasta-chunk $o --part $i g.2bit | cmp - want
		done
	done
	# another name, and letters: the sizes are the same
	for at in 17 23 30000 800000; do
		cp g.2bit x.2bit
		cp g.2bit.sfi x.2bit.sfi
		printf 'c' | dd of=x.2bit bs=1 seek=$at conv=notrunc status=none
		touch x.2bit.sfi
		failed=0
		for i in 0/3 1/3 2/3; do
			fasta-chunk --part $i x.2bit > have 2> err || failed=1
		done
		[ $failed -eq 1 ]
	done
}

# bats test_tags=slow
@test "parts together read hardly more than one program" {
	[ -r /proc/self/io ] || skip 'no /proc/self/io'
	need bgzip
	randseq 10000000 1 60 s1 > g.fa
	randseq 3500000 2 60 s2 >> g.fa
	bgzip -c g.fa > g.fa.gz
	{	# a letter of 2bit a quarter of a byte
		printf '\x43\x27\x41\x1a\0\0\0\0\1\0\0\0\0\0\0\0\1s\x16\0\0\0'
		printf '\0\x2d\x31\1\0\0\0\0\0\0\0\0\0\0\0\0'
		head -c 5000000 g.fa
	} > g.2bit
	fasta-chunk --index g.fa g.fa.gz g.2bit
	# what starting takes is not the file's: a sanitizer's is a megabyte
	start=$(rchar 'fasta-chunk --version')
	for f in g.fa g.fa.gz g.2bit; do
		for n in 2 9; do
			sum=$((-n * start))
			for i in $(seq 0 $((n - 1))); do
				sum=$((sum + $(rchar "fasta-chunk --part $i/$n $f")))
			done
			[ $((10 * sum)) -le $((11 * $(stat -c %s $f))) ]
		done
	done
}

# Whatever becomes of a byte of the file, no table is silently another one.
@test "a file that was altered behind its FILE.sfi is refused, or not whole" {
	kinds
	asm-scan() { command asm-scan -k 1 -e ACGTAC "$@"; }
	for f in long odd; do
		cp $f.fa g.fa
		fasta-chunk --index --quiet g.fa
		n=$(stat -c %s g.fa) wrong=0
		for at in $(seq 1 997 "$n") 0 1 2 $((n - 1)) $((n - 2)); do
			cp $f.fa g.fa
			printf 'T' | dd of=g.fa bs=1 seek="$at" conv=notrunc status=none
			cmp -s g.fa $f.fa && continue
			touch -d '1 hour ago' g.fa
			refused=0
			for i in 0 1 2; do
				fasta-chunk --quiet -L 1500 --part $i/3 g.fa > p$i 2> err ||
					refused=$?
			done
			if [ $refused -ne 0 ]; then
				[ $refused -eq 1 ]
				wrong=$((wrong + 1))
				continue
			fi
			# a description, or what is as good as before
			cat p0 p1 p2 | rec-view -O fasta | cmp - <(fasta-chunk --quiet g.fa |
				rec-view -O fasta)
		done
		[ $wrong -gt 9 ]
	done
	# one part does not see it: the merge of all does
	cp long.fa g.fa
	fasta-chunk --index g.fa
	fasta-chunk -L 2k -W 50 --part 0/2 g.fa | asm-scan > 0.rec
	fasta-chunk -L 2k -W 50 --part 1/2 g.fa | asm-scan > 1.rec
	merge-topk -O tsv 0.rec 1.rec > want
	sed -i '2s/^./N/' g.fa
	touch -d '1 hour ago' g.fa
	fasta-chunk -L 2k -W 50 --part 1/2 g.fa | asm-scan | cmp - 1.rec
	fails 1 'g.fa.sfi is not of this file: make it again' \
		fasta-chunk -L 2k -W 50 -o x --part 0/2 g.fa
	[ ! -e x ]
	rm g.fa.sfi
	fasta-chunk -L 2k -W 50 --part 0/2 g.fa | asm-scan > 0.rec
	fails 3 '' merge-topk -O tsv 0.rec 1.rec
}

@test "FILE.sfi that is cut, damaged or of another file: an error, or all is read" {
	need bgzip
	kinds
	bgzip -c odd.fa > odd.fa.gz
	for f in odd.fa odd.fa.gz long.fa; do
		fasta-chunk --index --quiet $f
		fasta-chunk --quiet -L 1500 --part 1/3 $f > want
		cp $f.sfi whole
		n=$(stat -c %s whole)
		for k in $(seq 0 61 "$n") $((n - 1)); do
			head -c "$k" whole > $f.sfi
			fasta-chunk -L 1500 --part 1/3 $f 2> err | cmp - want
			grep -q 'sfi is damaged, or of another file: all of the file is read$' err
			cp whole $f.sfi
			[ "$k" -lt "$n" ] || continue
			printf '\x5a' | dd of=$f.sfi bs=1 seek="$k" conv=notrunc status=none
			if fasta-chunk -L 1500 --part 1/3 $f > have 2> err; then
				cmp have want
			else
				grep -q 'sfi is not of this file' err
			fi
		done
		cp whole $f.sfi
	done
	cp long.fa.sfi odd.fa.sfi
	fasta-chunk -L 1500 --part 1/3 odd.fa 2> err | cmp - <(
		alone odd.fa; fasta-chunk --quiet -L 1500 --part 1/3 alone/odd.fa)
	grep -q 'of another file' err
	# the same size and lines
	sed '2s/A/C/; 3s/G/T/' long.fa > other.fa
	cp long.fa.sfi other.fa.sfi
	fails 1 'other.fa.sfi is not of this file' \
		fasta-chunk -L 1500 --part 0/3 other.fa
	# a whole reading takes nothing from it
	alone other.fa
	fasta-chunk -L 1500 other.fa | cmp - <(fasta-chunk -L 1500 alone/other.fa)
}

@test "an old FILE.sfi is not read, nor one without .gzi; .fai alone is not enough" {
	need bgzip
	kinds
	bgzip -c long.fa > long.fa.gz
	alone long.fa long.fa.gz
	fasta-chunk --index long.fa long.fa.gz
	fasta-chunk -L 2k --part 0/2 alone/long.fa > want
	touch -d '1 hour ago' long.fa.sfi
	fasta-chunk -L 2k --part 0/2 long.fa 2> err | cmp - want
	grep -q 'long.fa.sfi is older than the file: all of the file is read$' err
	mv long.fa.gz.gzi gzi
	fasta-chunk -L 2k --part 0/2 long.fa.gz 2> err | cmp - want
	grep -q 'no use without the .gzi' err
	rm long.fa.sfi
	fasta-chunk -L 2k --part 0/2 long.fa 2> err | cmp - want
	[ ! -s err ]
	# lines with blanks, which samtools has an index of
	printf '>a\nAC GT\nACGTA\n' > blank.fa
	fasta-chunk --index blank.fa 2> err
	grep -q 'blank.fa: lines, or names of 2bit, hold blanks: no blank.fa.sfi' err
	[ -s blank.fa.fai ]
	[ ! -e blank.fa.sfi ]
	# regions are read as they were
	fasta-chunk --index long.fa
	fasta-chunk -L 2k --part 0/2 -r s2 alone/long.fa > want
	fasta-chunk -L 2k --part 0/2 -r s2 long.fa | cmp - want
}

@test "a newline between two parts is read by one of them" {
	randseq 20480 > x.fa
	{ echo '>x'; grep -v '>' x.fa | tr -d '\n' | fold -w 64; echo; } > a.fa
	touch -d '1 hour ago' a.fa
	fasta-chunk --index a.fa
	for n in 2048 4096; do
		cp -p a.fa was
		# behind letter n; the first line has three bytes
		printf A | dd of=a.fa bs=1 seek=$((3 + n / 64 * 65 - 1)) \
			conv=notrunc status=none
		touch -d '1 hour ago' a.fa
		failed=0
		for i in 0 1; do
			fasta-chunk --quiet -W 0 -L 2048 --part $i/2 a.fa \
				> p$i 2> err || failed=1
		done
		[ "$failed" -eq 1 ]
		cp -p was a.fa
	done
}

@test "--index: a file that changes meanwhile, a FIFO in its place, a full disk" {
	kinds
	fasta-chunk --index long.fa
	fasta-chunk --quiet -L 2k --part 0/2 long.fa > want
	for s in sfi fai; do
		mkdir -p d
		cp -p long.fa d
		rm -f d/long.fa.*
		mkfifo d/long.fa.$s
		timeout 20 fasta-chunk --quiet -L 2k --part 0/2 d/long.fa |
			cmp - want
		rm d/long.fa.$s
	done
	# as if it had grown behind the last letter that was read
	cp -p long.fa.sfi d
	cp -p long.fa d/long.fa
	printf '>new\nACGT\n' >> d/long.fa
	touch d/long.fa.sfi
	fasta-chunk -L 2k --part 0/2 d/long.fa 2> err | rec-view > have || true
	grep -q 'of another file: all of the file is read' err
	[ -w /dev/full ] || skip "no /dev/full"
	for s in fai sfi; do
		rm -f d/long.fa.*
		ln -s /dev/full d/long.fa.$s
		fails 1 "d/long.fa.$s: *No space left" \
			fasta-chunk --index d/long.fa
	done
}
