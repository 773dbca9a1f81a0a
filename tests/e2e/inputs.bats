#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# inputs.bats - compressed files, told by content, from files, pipes and stdin
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
	run -1 --separate-stderr fasta-chunk -o x z
	one_line fasta-chunk
	[[ $stderr == *'--long=31'* ]]
	[ ! -e x ]
}

@test "zstd, bzip2 and xz: cut or damaged, one line with the file, exit 1" {
	lambda > l.fa
	for p in $(packers); do
		$p -c l.fa > z
		size=$(stat -c %s z)
		for at in 8 100 5000 $((size - 9)) $((size - 1)); do
			head -c $at z > cut
			run -1 --separate-stderr fasta-chunk -o x cut
			one_line fasta-chunk
			[[ $stderr == *cut:*truncated*byte* ]]
			run -1 asm-scan -q cut -e ACGT -o x l.fa
			[ ! -e x ]
		done
		cp z bad
		printf '\x55\xaa' | dd of=bad bs=1 seek=5000 conv=notrunc 2> /dev/null
		run -1 --separate-stderr fasta-chunk -o x bad
		one_line fasta-chunk
		[[ $stderr == *bad:*damaged*byte* ]]
		{ cat z; echo surprise; } > more
		run -1 --separate-stderr fasta-chunk -o x more
		[[ $stderr == *more:*byte* ]]
		[ ! -e x ]
	done
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

@test "CRAM is refused with the line that makes sequences of it" {
	printf 'CRAM\3\0name' > x.cram
	run -1 --separate-stderr fasta-chunk -o x x.cram
	one_line fasta-chunk
	[[ $stderr == *'"samtools fasta x.cram | ..."'* ]]
	[ ! -e x ]
}
