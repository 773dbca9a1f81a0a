# SPDX-License-Identifier: MIT
# What programs say: how far they are, what it took, and what was meant.
load helper

# A genome, and as many queries as it takes for some seconds on this machine.
large() {
	[ -e "$BATS_FILE_TMPDIR/q" ] || measure
	cp "$BATS_FILE_TMPDIR"/* .
}
measure() {
	randseq 3000000 3 60 r > "$BATS_FILE_TMPDIR/r.fa"
	for ((n = 2; ; n *= 2)); do
		for ((i = 0; i < n; i++)); do
			sed -n "$((2 + i)),$((30 + i))p" \
				"$BATS_FILE_TMPDIR/r.fa" | tr -d "\n"
			echo
		done > q
		SECONDS=0
		sw-scan -t 1 -q q -o h.rec "$BATS_FILE_TMPDIR/r.fa"
		[ "$SECONDS" -lt 3 ] || break
	done
	mv q "$BATS_FILE_TMPDIR"
}
slow() {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "takes long in this build"
}
scan_r() {
	sw-scan -t 1 -q q "$@" r.fa
}

@test "--progress: plain lines with rate, share and seconds left" {
	slow
	large
	scan_r --progress -o h.rec 2> told
	grep -E '^sw-scan: [0-9.]+ GB read, [0-9.]+ [MG]B/s, [0-9]+ s, [0-9]+ %, [0-9]+ s left$' told
	[ "$(grep -vc ' GB read, ' told)" -eq 0 ]
	# of a pipe nobody knows how long it is
	cat r.fa | sw-scan -t 1 -q q --progress -o p.rec 2> told
	grep -E '^sw-scan: [0-9.]+ GB read, [0-9.]+ [MG]B/s, [0-9]+ s$' told
	cmp <(rec-view -O tsv h.rec) <(rec-view -O tsv p.rec)
	scan_r --progress --quiet -o h.rec 2> told
	[ ! -s told ]
	scan_r -o h.rec 2> told
	[ ! -s told ]
}

@test "on a terminal one line, which goes away" {
	need script
	slow
	large
	tty() { # COMMAND: what it shows, a line for each time it is rewritten
		TERM=xterm script -qc "$1" /dev/null < /dev/null | tr '\r' '\n'
	}
	tty 'sw-scan -t 1 -q q -o h.rec r.fa; sw-scan -o x -q q no.fa' > told
	grep -E '^sw-scan: [0-9.]+ GB read, [0-9.]+ MB/s, [0-9]+ s, [0-9]+ %, [0-9]+ s left *$' told
	# blanks over the last one, before anything else is said
	grep -B 2 'no.fa: No such file' told | grep -E '^ {50,}$'
	# not for programs within a pipeline, nor below xargs
	tty 'cat r.fa | sw-scan -t 1 -q q -o h.rec; echo done' > told
	grep -x done told
	! grep -F 'GB read' told
	tty 'sw-scan -t 1 --quiet -q q -o h.rec r.fa; echo done' > told
	! grep -F 'GB read' told
}

@test "-v sums up: what, seconds, threads, instruction set, memory" {
	randseq 3000 3 60 r > r.fa
	asm-scan -e ACGTAC r.fa > h.rec
	while read -r c; do
		$c -v --no-header < /dev/null > /dev/null 2> told ||
			$c -v < /dev/null > /dev/null 2> told
		grep -E '(letters|GB read).*, [0-9.]+ s, [0-9.]+ [MG]B/s$' told
		grep -E ': at most [0-9]+ threads, [a-z0-9]+, [0-9]+ MB, [0-9.]+ s of processor time$' told
	done <<-'END'
		fasta-chunk r.fa
		asm-scan -e ACGTAC -O tsv r.fa
		sw-scan -e ACGTAC -O tsv r.fa
		primer-find -k 2 -e ACGTACGGAT -O tsv r.fa
		ebwt-dist -O tsv r.fa
		merge-topk -O tsv h.rec
		rec-view -O tsv h.rec
	END
}

# hints STATUS WORDS COMMAND ...: one line on stderr that holds the words
hints() {
	run "-$1" --separate-stderr "${@:3}"
	[ "$(echo "$stderr" | wc -l)" -eq 1 ]
	[[ $stderr == *"$2"* ]]
}

@test "text of other programs is told by what it is" {
	printf '@HD\tVN:1.6\nr\t0\tx\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n' > sam
	printf 'r\t0\tx\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n' > sam2
	printf 'chr1\t10\t20\tx\n' > bed
	printf '##fileformat=VCFv4.2\n' > vcf
	printf '##gff-version 3\n' > gff
	printf 'LOCUS       X\n' > gb
	printf 'q\t9\t0\t9\t-\tchr1\t90\t10\t19\t9\t9\t60\n' > paf
	asm-scan -e AC -O json "$DATA/lambda.fa.gz" > json
	printf '[\n {\n' > json2
	printf '>t\nACGT\n' | iconv -t UTF-16 > utf16
	printf '>t\nACGT\n' | gzip | gzip > gzgz
	printf 'ACGT\nAC\n' > letters
	printf '#query\tqlen\n' > table
	printf 'BAM\1\0\0\0\0' | gzip > bam
	printf '<!DOCTYPE html>\n' > html
	tar cf - bed | gzip > tgz
	for c in fasta-chunk 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist rec-view; do
		hints 1 'samtools fasta' $c -o x sam
		hints 1 'samtools fasta' $c -o x sam2
		hints 1 'samtools fasta' $c -o x bam
		hints 1 'bedtools getfasta' $c -o x bed
		hints 1 'bedtools getfasta' $c -o x gff
		hints 1 'bcftools consensus' $c -o x vcf
		hints 1 seqret $c -o x gb
		hints 1 '>NAME' $c -o x letters
		hints 1 'tar archive' $c -o x tgz
		hints 1 'web page' $c -o x html
		hints 1 '-O rec' $c -o x table
		hints 1 PAF $c -o x paf
		hints 1 JSON $c -o x json
		hints 1 JSON $c -o x json2
		hints 1 'iconv' $c -o x utf16
		hints 1 'unpack it once' $c -o x gzgz
		run -1 --separate-stderr sh_ "cat sam | $c -o x"
		[[ $stderr == *SAM* ]]
	done
	for f in table paf json; do
		hints 1 '-O rec' merge-topk -o x $f
	done
	hints 1 'bedtools' asm-scan -q bed -o x letters
	# what is FASTQ stays FASTQ
	printf '@HD\tx\nACGT\n+\nIIII\n' > fq
	[ "$(asm-scan -e ACGT -s + -O tsv fq | rows | cut -f 6)" = HD ]
}

@test "a forgotten -q, queries that are a stream, protein into DNA" {
	printf '>p\nMKTAYIAK\n' > p.fa
	printf '>t\nACGTACGT\n' > t.fa
	for c in asm-scan sw-scan 'primer-find -k 2'; do
		hints 2 'operands are what is searched' $c -o x p.fa t.fa
	done
	asm-scan -e ACG t.fa > h.rec
	hints 1 'a record stream' asm-scan -q h.rec -o x t.fa
	hints 1 '--alphabet=protein' asm-scan -e ACGT -o x p.fa
	hints 2 '--alphabet=protein' asm-scan -q p.fa -o x t.fa
	hints 1 '--matrix=BLOSUM62' sw-scan -e ACGT -o x p.fa
}

@test "no sequences, or results instead of them: a word, and no other status" {
	: > empty.fa
	printf '>t\nACGTACGT\n' > t.fa
	asm-scan -e ACG t.fa > h.rec
	for c in 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist; do
		hints 0 'empty.fa: there is no sequence in it' $c -o x empty.fa
	done
	for c in 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT'; do
		hints 0 'merge-topk and rec-view read results' $c -o x h.rec
	done
	run -3 --separate-stderr asm-scan -e ACGT -O tsv h.rec
	[[ $stderr == *'rec-view read results'* ]]
}

@test "hits, counts and distances are not FASTA: said, not silent" {
	printf '>t\nACGTACGT\n>u\nACG\n' > t.fa
	asm-scan -e ACG t.fa > h.rec
	asm-scan --report=count -e ACG t.fa > c.rec
	ebwt-dist t.fa > d.rec
	hints 2 '--with-seq' rec-view -O fasta h.rec
	hints 2 'not as fasta' rec-view -O fasta c.rec
	hints 2 'not as fasta' rec-view -O fasta d.rec
	[ -z "$output" ]
}

@test "a program that is stopped leaves no file" {
	large
	for how in named nameless; do
		for s in TERM HUP KILL; do
			SEQF_OUT=$how sw-scan -t 1 -q q -o out.rec r.fa &
			pid=$!
			sleep 0.3
			kill -$s $pid
			run wait $pid
			ls > left
			[ ! -e out.rec ]
			[ $s$how = KILLnamed ] || ! grep out.rec.tmp left
			rm -f out.rec.tmp-*
		done
	done
}
