#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# inputs.bats - packed files and BAM, recognised by content: files, pipes, stdin
load helper

# Programs that pack as the build can unpack.
packers() {
	local p

	for p in zstd bzip2 xz; do
		fasta-chunk --version | grep -q "$p" || continue
		need $p
		echo $p
	done
}

@test "zstd, bzip2 and xz: files, pipes and stdin, whatever their names" {
	lambda > l.fa
	fasta-chunk -L 5k l.fa > want
	fasta-chunk -L 5k < l.fa > stdin
	mkdir z
	for p in $(packers); do
		$p -c l.fa > z/l.fa
		fasta-chunk -L 5k z/l.fa | cmp - want
		fasta-chunk -L 5k - < z/l.fa | cmp - stdin
		cat z/l.fa | fasta-chunk -t 1 -L 5k | cmp - stdin
		fasta-chunk -L 5k <(cat z/l.fa) | cmp - stdin
		# streams put together, and an empty one
		{ head -c 777 l.fa | $p -c; : | $p -c; tail -c +778 l.fa | $p -c; } > z/l.fa
		fasta-chunk -L 5k z/l.fa | cmp - want
	done
}

@test "zstd, bzip2 and xz: queries, operands and record streams of every program" {
	lambda > l.fa
	printf '>q\nTACCTCTGGCGGTGATA\n' > q
	printf 'gi|9626243|ref|NC_001416.1|\t100\t9000\n' > r.bed
	fasta-chunk -L 5k l.fa > l.rec
	asm-scan -k 3 -q q l.fa > asm
	asm-scan -k 3 -q q --regions r.bed l.fa > regions
	asm-scan -k 3 --filter -q q l.fa > filter
	asm-scan -k 3 -q q l.rec > hits.rec
	merge-topk hits.rec > merged
	sw-scan -n 3 -q q l.fa > sw
	primer-find -k 2 -q q l.fa > primer
	ebwt-dist l.fa q > ebwt
	for p in $(packers); do
		for f in l.fa q l.rec hits.rec r.bed; do
			$p -c $f > $f.z
		done
		mkdir -p z
		mv q.z z/q
		asm-scan -k 3 -q z/q l.fa.z | cmp - asm
		asm-scan -k 3 -q z/q l.rec.z | cmp - hits.rec
		asm-scan -k 3 -q q --regions r.bed.z l.fa.z | cmp - regions
		asm-scan -k 3 --filter -q z/q l.fa.z | cmp - filter
		merge-topk hits.rec.z | cmp - merged
		rec-view -O fasta l.rec.z | unwrap | cmp - <(unwrap l.fa)
		sw-scan -n 3 -q z/q l.fa.z | cmp - sw
		primer-find -k 2 -q z/q l.fa.z | cmp - primer
		ebwt-dist l.fa.z z/q | cmp - ebwt
	done
}

@test "zstd: long windows up to 128 MiB, frames without sizes, no checksums" {
	fasta-chunk --version | grep -q zstd || skip 'a build without zstd'
	need zstd
	lambda > l.fa
	fasta-chunk -L 5k < l.fa > want
	zstd -c --long=27 --no-check < l.fa | fasta-chunk -L 5k | cmp - want
	zstd -c --long=28 --zstd=wlog=28 < l.fa > z
	fails 1 --long=31 fasta-chunk -o x z
	[ ! -e x ]
}

@test "zstd, bzip2 and xz: cut or damaged, one line with the file, exit 1" {
	lambda > l.fa
	for p in $(packers); do
		$p -c l.fa > z
		size=$(stat -c %s z)
		for at in 8 100 5000 $((size - 9)) $((size - 1)); do
			head -c $at z > cut
			fails 1 'cut:*truncated*byte' fasta-chunk -o x cut
			run -1 asm-scan -q cut -e ACGT -o x l.fa
			[ ! -e x ]
		done
		cp z bad
		printf '\x55\xaa' | dd of=bad bs=1 seek=5000 conv=notrunc 2> /dev/null
		fails 1 'bad:*damaged*byte' fasta-chunk -o x bad
		{ cat z; echo surprise; } > more
		fails 1 'more:*byte' fasta-chunk -o x more
		[ ! -e x ]
	done
}

@test "what is packed twice is refused with what is within" {
	lambda > l.fa
	for p in $(packers) gzip; do
		for q in $(packers) gzip; do
			$q -c l.fa | $p -c > z
			fails 1 "z:1: *($q within*unpack it once)" \
				fasta-chunk -o x z
			[ ! -e x ]
		done
	done
	if [ -n "$(command -v bgzip)" ]; then	# gzip behind bgzf, no damage
		{ bgzip -c l.fa; gzip -c l.fa; } > z
		fails 1 'gzip data behind bgzf data, which zcat reads' \
			fasta-chunk -o x z
		zcat z | cmp - <(cat l.fa l.fa)
	fi
	printf '\x43\x27\x41\x1a' | gzip > z
	fails 1 'z:1: *(2bit within what packs it: unpack it)' \
		fasta-chunk -o x z
}

@test "a compressed copy has the keys of a plain one" {
	lambda > l.fa
	asm-scan -O rec -e GAATTC l.fa > want
	for p in $(packers); do
		rm -f l.fa.*
		$p -k -q l.fa
		asm-scan -O rec -e GAATTC l.fa.* | cmp - want
	done
}

# Reads in SAM, $1 of them, of all kinds.
sam() {
	printf '@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000000\n@CO\ta comment\n'
	awk -v n=$1 'BEGIN {
		srand(5)
		for (i = 0; i < n; i++) {
			flag = int(4096 * rand())
			len = 1 + int(i % 7 ? 150 * rand() : 30000 * rand() ^ 4)
			s = q = ""
			for (j = 0; j < len; j++) {
				s = s substr("ACGTNRYKMSWBDHV", 1 + int((i % 3 ? 4 : 15) * rand()), 1)
				q = q sprintf("%c", 33 + int(94 * rand()))
			}
			if (i % 5 == 0)
				q = "*"
			printf "r%d\t%d\tchr1\t%d\t9\t%dM\t*\t0\t0\t%s\t%s\tNM:i:%d\tXA:Z:text\n",
				i, flag, 1 + int(9e5 * rand()), len, s, q, i
		}
	}'
}

# bats test_tags=slow
@test "BAM is read as samtools fastq has it; files, pipes, stdin, any packing" {
	need samtools bgzip
	sam 1000 > x.sam
	samtools view -b x.sam > x.bam
	samtools fastq x.bam > want 2> /dev/null
	[ "$(grep -c ^@r want)" -gt 150 ]
	none=ACGTACGTTTGACCAGGCATACGGATACCATTAGAC
	asm-scan -k 0 -e $none --invert x.bam > have
	cmp want have
	fasta-chunk -L 5k < want > stdin
	fasta-chunk -L 5k < x.bam | cmp - stdin
	cat x.bam | fasta-chunk -t 1 -L 5k | cmp - stdin
	for t in 1 2 5; do
		fasta-chunk -t $t -L 5k <(cat x.bam) | cmp - stdin
	done
	samtools view -u x.sam | fasta-chunk -L 5k | cmp - stdin
	bgzip -dc x.bam | gzip | fasta-chunk -L 5k | cmp - stdin
	for p in $(packers); do
		bgzip -dc x.bam | $p | fasta-chunk -L 5k | cmp - stdin
	done
	samtools fasta x.bam 2> /dev/null | asm-scan -k 1 -e ACGTACG > want
	asm-scan -k 1 -e ACGTACG - < x.bam | cmp - want
}

@test "reads of BAM that match are written as FASTQ; BAM as queries" {
	need samtools
	printf 'a\t4\t*\t0\t0\t*\t*\t0\t0\tTTACGTACGTT\tABCDEFGHIJK\n' > x.sam
	printf 'b\t4\t*\t0\t0\t*\t*\t0\t0\tTTTTTT\tABCDEF\n' >> x.sam
	samtools view -b x.sam > x.bam
	printf '@a\nTTACGTACGTT\n+\nABCDEFGHIJK\n' > want
	asm-scan -e ACGTACG --filter x.bam | cmp - want
	samtools fastq x.bam 2> /dev/null > q.fq
	lambda > l.fa
	mkdir q
	cp x.bam q/q.fq
	asm-scan -k 1 -q q.fq -O tsv l.fa > want
	asm-scan -k 1 -q q/q.fq -O tsv l.fa | cmp - want
}

@test "BAM that is cut is an error: in a record, between blocks, no end block" {
	need samtools
	sam 2000 > x.sam
	samtools view -b x.sam > x.bam
	size=$(stat -c %s x.bam)
	for at in 100 30000 70000 $((size - 28)) $((size - 1)); do
		head -c $at x.bam > cut
		fails 1 'cut:*truncated' fasta-chunk -o x cut
		run -1 asm-scan -q cut -e ACGT -o x x.bam
		run -1 asm-scan -e ACGT --filter -o x cut
		[ ! -e x ]
	done
	# whole blocks and the end block, but a record that is not whole
	need bgzip
	bgzip -dc x.bam > bam
	head -c 100000 bam | bgzip > cut
	fails 1 'cut:*it ends within record' fasta-chunk -o x cut
	[ ! -e x ]
	cat x.bam x.bam > two
	fails 1 'two: damaged BAM record*another BAM file begins' \
		fasta-chunk -o x two
}

@test "a letter that only SAM knows is an error that names the read" {
	need samtools
	letters=$(printf %0200d 0 | tr 0 A)
	for at in 2 3000; do
		awk -v at=$at -v s="$letters" 'BEGIN {
			for (i = 1; i < 3100; i++)
				print "r" i "\t4\t*\t0\t0\t*\t*\t0\t0\t" \
					(i == at ? "AC=" substr(s, 4) : s) "\t*"
		}' | samtools view -b - > x.bam
		fails 1 "x.bam: read $at: r$at: *0x3d (=) at 2" \
			fasta-chunk -o x x.bam
	done
	[ ! -e x ]
}

@test "CRAM is refused with the line that makes sequences of it" {
	printf 'CRAM\3\0name' > x.cram
	fails 1 '"samtools fastq x.cram | ..."' fasta-chunk -o x x.cram
	[ ! -e x ]
	mv x.cram 'a b.cram'
	run -1 --separate-stderr fasta-chunk -o x 'a b.cram'
	[[ $stderr == *"\"samtools fastq 'a b.cram' | ...\""* ]]
}

@test "a byte order mark is passed over: sequences, queries, BED" {
	printf '>c1\nACGTACCA\n' > g.fa
	printf '>q\nTACC\n' > q.fa
	printf 'TACC\n' > q
	printf 'c1\t1\t8\n' > r.bed
	for f in g.fa q.fa q r.bed; do
		{ printf '\xef\xbb\xbf'; cat $f; } > bom.$f
	done
	for q in q q.fa; do
		asm-scan -q $q --regions r.bed g.fa > want
		[ "$(wc -l < want)" -eq 2 ]
		asm-scan -q bom.$q --regions bom.r.bed bom.g.fa | cmp - want
		sw-scan -q $q g.fa > want
		sw-scan -q bom.$q - < bom.g.fa | cmp - want
	done
}

@test "a byte order mark is passed over: lists, tables, matrices, primers" {
	printf '>c1\nACGTACCA\n>c2\nTTTACG\n' > g.fa
	echo 0 > only
	echo c1 > names
	printf 'c1\tx\nc2\tx\n' > by
	printf 'p\tACGT\tTGG\n' > pairs
	printf '  A C G T\nA 5 -4 -4 -4\nC -4 5 -4 -4\nG -4 -4 5 -4\nT -4 -4 -4 5\n' \
		> matrix
	for f in only names by pairs matrix; do
		{ printf '\xef\xbb\xbf'; cat $f; } > bom.$f
	done
	same_by() { # FILE COMMAND with FILE
		bash -c "${2//FILE/$1}" > want
		[ -s want ]
		bash -c "${2//FILE/bom.$1}" | cmp - want
	}
	same_by only 'fasta-chunk --only=@FILE g.fa'
	same_by names 'fasta-chunk --circular=@FILE g.fa'
	same_by by 'ebwt-dist -O tsv --by=@FILE g.fa'
	same_by pairs 'pcr-find -O tsv -p FILE g.fa'
	same_by matrix 'sw-scan --matrix FILE --gap-open 8 --gap-extend 2 -O tsv -q g.fa g.fa'
}
