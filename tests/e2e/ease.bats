# SPDX-License-Identifier: MIT
# What programs say: how far they are, what it took, and what was meant.
load helper

# r.rec; its hits fill a pipe many times.  A reader that has seen the first of
# them takes no more for over a second: so no scan is done before.
prepare() {
	randseq 3000000 3 60 r > r.fa
	fasta-chunk -L 10k r.fa > r.rec
}
reader() {
	head -c 1
	sleep 1.5
	cat
}
scan_r() {
	asm-scan -t 1 -s + --report=all -k 1 -e ACGT -O bed "$@"
}

@test "--progress: plain lines with rate, share and seconds left" {
	prepare
	scan_r --progress r.rec 2> notes | reader > want
	rate='[0-9.]+ ([mb]illion letters x patterns|[kMG]B)/s'
	grep -E "^asm-scan: [0-9.]+ [kMG]B read, $rate, [0-9]+ s, [0-9]+ %, [0-9]+ s left$" notes
	[ "$(grep -vc '[kMG]B read, ' notes)" -eq 0 ]
	# of a pipe nobody knows how long it is
	cat r.rec | scan_r --progress 2> notes | reader | cmp - want
	grep -E "^asm-scan: [0-9.]+ [kMG]B read, $rate, [0-9]+ s$" notes
	scan_r --progress --quiet r.rec 2> notes | reader | cmp - want
	[ ! -s notes ]
	scan_r r.rec 2> notes | reader | cmp - want
	[ ! -s notes ]
}

@test "--progress of asm-scan: letters x patterns, in the unit that fits" {
	prepare
	randseq 20000 4 20 p | sed '/>/d' > pats
	for how in '1 million' '1000 billion'; do
		set -- $how
		(head -c 700000 r.rec; sleep 1.2; tail -c +700001 r.rec) |
			asm-scan --progress -q <(head -n $1 pats) -o x.bed 2> notes
		# on both strands: no more than what there is, in the time
		awk -v n="$1" -v unit="$2" '/ letters x patterns\/s, [0-9]+ s$/ {
			bad += $6 != unit || $5 <= 0 || $5 * \
			       (unit == "million" ? 1e6 : 1e9) > 6e6 * n
			seen = 1 }
			END { exit bad || !seen }' notes
	done
}

# What is written to the terminal, a line for each return.
on_terminal() {
	script -qec "$1" /dev/null < /dev/null | tr '\r' '\n'
}

# bats test_tags=slow
@test "in a pipeline the programs have the line one after the other" {
	need_terminal
	randseq 12000 5 60 q > q.fa
	randseq 100000 6 60 s > s.fa
	export SEQF_ISA=scalar
	on_terminal 'fasta-chunk s.fa | sw-scan -t 1 -s + --engine=plain -q q.fa -o x.tsv' > notes
	grep -qE '^sw-scan: [0-9.]+ of 1\.2 billion cells' notes
	no grep -q ' 100 %' notes
	# not while the one before it still writes
	on_terminal '(fasta-chunk s.fa; sleep 2) | asm-scan -e ACGTACGT -o x.tsv' > notes
	no grep -q asm-scan notes
}

# bats test_tags=slow
@test "what a pipe takes at first does not make the rest seem short" {
	randseq 30000000 5 60 q > q.fa
	fasta-chunk -t 2 --progress=1 q.fa 2> notes | while
		[ "$(dd bs=250k count=1 iflag=fullblock 2> dd | wc -c)" -gt 0 ]
	do
		sleep 0.4
	done
	# two thirds are read in three seconds, the rest takes five
	left=$(sed -n 's/.*, [34] s, [0-9]* %, \([0-9]*\) s left$/\1/p' notes |
		head -n 1)
	[ "$left" -ge 3 ]
	[ "$left" -le 9 ]
}

@test "fasta-chunk does not say that all is done while others work" {
	randseq 20000000 5 60 q > q.fa
	fasta-chunk --progress=1 q.fa 2> notes |
		(sleep 1.5; asm-scan -e ACGTACGTACGTACGT -o x.tsv)
	grep -q 'fasta-chunk: .* read' notes
	no grep -qE '100 %|, 0 s left' notes
}

# bats test_tags=slow
@test "--progress of one long pair: cells done and left" {
	randseq 12000 5 60 q > q.fa
	randseq 100000 6 60 s > s.fa
	cell='[0-9]+\.[0-9] of 1\.2 billion cells, [0-9.]+ billion/s, [0-9]+ % of them left out'
	SEQF_ISA=scalar sw-scan --engine=plain -t 1 -s + --progress -q q.fa \
		-O tsv s.fa > have 2> notes
	grep -E "^sw-scan: $cell, [0-9]+ s, [0-9]+ %, [0-9]+ s left$" notes
	# more and more, and never all of it before the end
	cut -d ' ' -f 2 notes > done
	sort -n done | cmp - done
	sw-scan -t 1 -s + --quiet --progress -q q.fa -O tsv s.fa 2> notes |
		cmp have -
	[ ! -s notes ]
}

# bats test_tags=slow
@test "--progress: cells that are computed again are among those to do" {
	randseq 12000 5 60 q > q.fa
	relate q.fa 0 1 .1 > r.fa
	SEQF_ISA=scalar sw-scan -t 2 -s + -n 5 --progress -q q.fa -O tsv r.fa \
		> have 2> notes
	grep -E '^sw-scan: [0-9.]+ of [0-9.]+ billion cells' notes
	awk '/cells/ && ($2 < last || $2 > $4) { exit 1 } { last = $2 }' notes
}

@test "on a terminal one line, which goes away" {
	need_terminal
	prepare
	export -f reader scan_r
	tty() { # COMMAND: what it shows, a line for each time it is rewritten
		SHELL=/bin/bash TERM=xterm script -qc "$1" /dev/null < /dev/null |
			tr '\r' '\n'
	}
	tty 'scan_r r.rec | reader > x; asm-scan -e A -o x no.fa' > notes
	grep -E '^asm-scan: [0-9.]+ [kMG]B read, [0-9.]+ million letters x patterns/s, [0-9]+ s, [0-9]+ %, [0-9]+ s left *$' notes
	# blanks over the last one, before anything else is said
	grep -B 2 'no.fa: No such file' notes | grep -E '^ {40,}$'
	tty 'scan_r --quiet r.rec | reader > x; echo done' > notes
	grep -x done notes
	no grep 'B read' notes
}

@test "names do not speak to a terminal" {
	need_terminal
	# C1 controls as UTF-8 and as a byte, a mark of direction; e acute stays
	a=$(printf 'a\302\2332J') b=$(printf 'b\2332J\303\251') c=$(printf 'c\342\200\256x')
	printf '>%s d\033[2J\ta\303\251\nACGTACGTAC\n>%s\nACGTACGT\n>%s\nACGTACG\n' \
		"$a" "$b" "$c" > t.fa
	asm-scan -O rec -s + --with-seq -e ACGTAC t.fa > h.rec
	tty() {
		script -qec "$1" /dev/null < /dev/null | tr -d '\r'
	}
	for f in tsv paf sam bed gff3 json blast6 pretty; do
		tty "rec-view --quiet -O $f --color=never h.rec" > shown
		rec-view -O $f h.rec > file
		[ -s shown ]
		no grep -P '[\x80-\xa8\xaa-\xc2\xc4-\xff\x1b]' shown
		[ "$(wc -l < shown)" -eq "$(wc -l < file)" ]
	done
	# to other places names go as they are
	asm-scan -s + -e ACGTAC -O tsv t.fa > file
	grep -qF "$a" file
	tty 'asm-scan -s + -e ACGTAC t.fa' > shown
	printf '%s\n' a%C2%9B2J a%C2%9B2J "$(printf 'b%%9B2J\303\251')" c%E2%80%AEx |
		diff - <(rows shown | awk '{ print $6 }')
	# descriptions, too; blanks and colours stay
	tty 'rec-view -O fasta t.fa' | head -n 1 > shown
	printf '>a%%C2%%9B2J d%%1B[2J\ta\303\251\n' | cmp - shown
	tty 'TERM=xterm NO_COLOR= rec-view -O pretty h.rec' | grep -qF "$(printf '\033[1m')"
	# messages: on any standard error
	for name in "$a" "$b" "$c"; do
		run -1 --separate-stderr asm-scan -e AC "$name"
		no grep -P '[\x80-\xa8\xaa-\xc2\xc4-\xff\x1b]' <<< "$stderr"
	done
	[ "$stderr" = 'asm-scan: c\xe2\x80\xaex: No such file or directory' ]
}

@test "-v sums up: what, seconds, threads, instruction set, memory" {
	randseq 3000 3 60 r > r.fa
	asm-scan -O rec -e ACGTAC r.fa > h.rec
	while read -r c; do
		$c -v --no-header < /dev/null > /dev/null 2> notes ||
			$c -v < /dev/null > /dev/null 2> notes
		grep -E '(letters|GB read).*, [0-9.]+ s, [0-9.]+ [MG]B/s(, [0-9.e+-]+ billion (cells|letters x patterns)/s)?$' notes
		grep -E ': at most [0-9]+ threads?, [a-z0-9]+, [0-9]+ MB, [0-9.]+ s of processor time$' notes
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

@test "text of other programs is recognised" {
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
	printf 'BAM\1\0\0\0\0' > bam
	printf '<!DOCTYPE html>\n' > html
	tar cf - bed | gzip > tgz
	for c in fasta-chunk 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist rec-view; do
		says 1 'samtools fastq' $c -o x sam
		says 1 'samtools fastq' $c -o x sam2
		says 1 'samtools fastq' $c -o x bam
		says 1 'bedtools getfasta' $c -o x bed
		says 1 'bedtools getfasta' $c -o x gff
		says 1 'bcftools consensus' $c -o x vcf
		says 1 seqret $c -o x gb
		says 1 '>NAME' $c -o x letters
		says 1 'tar archive' $c -o x tgz
		says 1 'web page' $c -o x html
		says 1 '-O rec' $c -o x table
		says 1 PAF $c -o x paf
		says 1 JSON $c -o x json
		says 1 JSON $c -o x json2
		says 1 'iconv' $c -o x utf16
		says 1 'unpack it once' $c -o x gzgz
		fails 1 SAM sh_ "cat sam | $c -o x"
	done
	for f in table paf json; do
		says 1 '-O rec' merge-topk -o x $f
	done
	says 1 'bedtools' asm-scan -q bed -o x letters
	# what is FASTQ stays FASTQ
	printf '@HD\tx\nACGT\n+\nIIII\n' > fq
	[ "$(asm-scan -e ACGT -s + -O tsv fq | rows | cut -f 6)" = HD ]
}

@test "a forgotten -q, queries that are a stream, protein into DNA" {
	printf '>p\nMKTAYIAK\n' > p.fa
	printf '>t\nACGTACGT\n' > t.fa
	for c in asm-scan sw-scan 'primer-find -k 2'; do
		says 2 'operands are what is searched' $c -o x p.fa t.fa
	done
	asm-scan -O rec -e ACG t.fa > h.rec
	says 1 'a record stream' asm-scan -q h.rec -o x t.fa
	says 1 '--alphabet=protein' asm-scan -e ACGT -o x p.fa
	says 2 '--alphabet=protein' asm-scan -q p.fa -o x t.fa
	says 1 '--matrix=BLOSUM62' sw-scan -e ACGT -o x p.fa
}

@test "no sequences, or results instead of them: a word, and no other status" {
	: > empty.fa
	printf '>t\nACGTACGT\n' > t.fa
	asm-scan -O rec -e ACG t.fa > h.rec
	for c in fasta-chunk 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist; do
		says 0 'empty.fa: there is no sequence in it' $c -o x empty.fa
	done
	for c in 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT'; do
		says 0 'merge-topk and rec-view read results' $c -o x h.rec
	done
	says 3 'rec-view read results' sh_ 'asm-scan -e ACGT -O tsv h.rec'
}

@test "not a byte on stdin: nothing is written, and the status is 3" {
	: > empty.fa
	says='not a byte is in it: did the program that writes it fail?'
	for x in '< empty.fa' '- < empty.fa' '/dev/stdin < empty.fa' \
	    '<(:)' 'empty.fa - < empty.fa' '-o x < empty.fa'; do
		fails 3 '' bash -c "fasta-chunk $x"
		[ ! -e x ]
		[[ $stderr == "fasta-chunk: "*": $says" ]]
	done
	for p in 'asm-scan -e ACGT' 'sw-scan -e ACGT' 'primer-find -k 2 -e ACGT' \
	    ebwt-dist; do
		fails 3 'the input is empty' sh_ "$p < empty.fa"
		run -3 sh_ "$p -o x < empty.fa"
		[ ! -e x ]
		run -3 sh_ ": | fasta-chunk | $p | merge-topk -O tsv"
		# a worker of records may get nothing; who judges says so
		run -0 --separate-stderr sh_ "$p -O rec < empty.fa"
		[ -z "$output" ]
		[ -z "$stderr" ]
		run -3 sh_ "$p -O rec < empty.fa | merge-topk -O tsv"
	done
	# bytes that hold no sequence, and a file by its name, are an input
	for x in 'gzip -c empty.fa | fasta-chunk' 'fasta-chunk empty.fa' \
	    'echo | fasta-chunk'; do
		says 0 'there is no sequence in it' sh_ "$x > x.rec"
		[ "$(types < x.rec | tr '\n' ' ')" = 'BEGIN END ' ]
		asm-scan -e ACGT x.rec | merge-topk -O tsv | grep -c . > n
		[ "$(cat n)" = 1 ]
	done
}

@test "a pipe without a byte beside others: what follows says so, too" {
	printf '>a\nACGTACGT\n' > A.fa
	fasta-chunk A.fa > A.rec
	says='stdin: not a byte is in it: did the program that writes it fail?'
	for p in 'asm-scan -e ACGT -s +' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e ACGT' ebwt-dist; do
		# of text they would be one run: nothing is written
		for x in 'A.fa -' '- A.fa' 'A.fa - A.fa' 'A.fa A.rec - A.fa'; do
			run -3 --separate-stderr sh_ ": | $p -O tsv $x"
			[ "$x" = 'A.fa A.rec - A.fa' ] || [ -z "$output" ]
			[[ $stderr == *"${p%% *}: $says"* ]]
			sh_ ": | $p -O rec $x" > x.rec 2> err && false
			[ "$x" = 'A.fa A.rec - A.fa' ] || [ ! -s x.rec ]
			fails 3 '' sh_ ": | $p -O rec $x | merge-topk -O tsv"
		done
		# beside a stream it is a run that is never ended
		for x in 'A.rec -' '- A.rec' 'A.fa A.rec -' 'A.rec - A.rec'; do
			run -3 --separate-stderr sh_ ": | $p -O rec $x > x.rec"
			[[ $stderr == "${p%% *}: $says"* ]]
			fails 3 '' merge-topk -O tsv x.rec
			# ebwt-dist has no distances of a part
			[ "$p" = ebwt-dist ] ||
				[[ $stderr == *'stdin: no END frame'* ]]
			run -3 sh_ 'merge-topk --partial x.rec |
				merge-topk -O tsv'
			run -3 rec-view --check x.rec
		done
	done
	# hits of the stream are shown, and the status is 3
	run -3 --separate-stderr sh_ ': | asm-scan -e ACGT -s + -O bed A.rec -'
	[ "$(grep -c ^a <<< "$output")" = 2 ]
	[[ $stderr == "asm-scan: $says"* ]]
	[[ $stderr != *END* ]]
	fails 3 '' sh_ ": | asm-scan --filter -e ACGT A.fa -"
}

@test "files without a sequence beside others are named, the rest is searched" {
	: > empty.fa
	: | gzip > none.gz
	printf '\n\n' > lines.fa
	printf '>t\nACGTACGT\n' > t.fa
	fasta-chunk t.fa > t.rec
	says='empty.fa, none.gz, lines.fa: there is no sequence in them'
	for c in 'asm-scan -e ACGT' 'sw-scan -e ACGT' \
	    'primer-find -k 2 -e GGGG' 'ebwt-dist -q t.fa'; do
		$c -O tsv t.fa > want
		for t in 1 3; do
			run -0 --separate-stderr $c -t $t -O tsv empty.fa t.fa \
				none.gz lines.fa
			[ "$output" = "$(cat want)" ]
			[ "$stderr" = "${c%% *}: $says" ]
		done
		# between streams, too, where text is a run of its own
		says 0 "${c%% *}: empty.fa: there is no sequence in it" \
			$c -o x t.rec empty.fa
	done
	says 0 "fasta-chunk: $says" fasta-chunk -o x empty.fa none.gz lines.fa
	says 0 "fasta-chunk: $says" fasta-chunk -o x empty.fa none.gz \
		lines.fa t.fa
	rec-view -O fasta x | cmp - t.fa
	says 0 'asm-scan: empty.fa: there is no sequence in it' \
		asm-scan --filter -e ACGT -o y empty.fa t.fa
	cmp y t.fa
	says 0 'rec-view: lines.fa: there is no sequence in it' \
		rec-view -O fasta -o y lines.fa t.fa
	for i in $(seq 11); do : > $i; done
	says 0 '8, 9, 10, ...: there is no sequence in them' fasta-chunk \
		-o x $(seq 11) t.fa
}

@test "hits, counts and distances are not FASTA: said, not silent" {
	printf '>t\nACGTACGT\n>u\nACG\n' > t.fa
	asm-scan -O rec -e ACG t.fa > h.rec
	asm-scan -O rec --report=count -e ACG t.fa > c.rec
	ebwt-dist -O rec t.fa > d.rec
	says 2 '--with-seq' rec-view -O fasta h.rec
	says 2 'not as fasta' rec-view -O fasta c.rec
	says 2 'not as fasta' rec-view -O fasta d.rec
	[ -z "$output" ]
}

@test "a program that is stopped leaves no file" {
	mkfifo in
	for how in named nameless; do
		for s in TERM HUP XFSZ KILL; do
			SEQF_OUT=$how asm-scan -e ACGT -o out.rec in &
			exec 9> in	# until it reads: then out.rec is begun
			[ $how = nameless ] || ls out.rec.tmp-*
			kill -$s $!
			wait $! || true
			exec 9>&-
			ls > left
			[ ! -e out.rec ]
			[ $s$how = KILLnamed ] || no grep out.rec.tmp left
			rm -f out.rec.tmp-*
		done
	done
}

# stop.so: where $STOP_AT says, the program gets signal $STOP_BY before it goes
# on: behind call number N of linkat, of open for a new file, before rename.
stopper() {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "a sanitizer is loaded first"
	need cc
	cat > stop.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <fcntl.h>
	#include <poll.h>
	#include <signal.h>
	#include <stdarg.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/types.h>
	#include <unistd.h>
	static void now(const char *call) {
		static int n;
		const char *at = getenv("STOP_AT"), *by = getenv("STOP_BY");
		if (!at || strncmp(at, call, strlen(call)) != 0 ||
		    ++n != atoi(at + strlen(call)))
			return;
		fclose(fopen("stopped", "w"));
		kill(getpid(), atoi(by));
		poll(NULL, 0, 20);	/* for other threads to take it */
	}
	int linkat(int a, const char *b, int c, const char *d, int f) {
		int (*real)(int, const char *, int, const char *, int) =
			dlsym(RTLD_NEXT, "linkat");
		int rc = real(a, b, c, d, f);
		now("link");
		return rc;
	}
	int rename(const char *a, const char *b) {
		int (*real)(const char *, const char *) =
			dlsym(RTLD_NEXT, "rename");
		now("rename");
		return real(a, b);
	}
	static int opened(const char *name, const char *p, int f, int mode) {
		int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
		int fd = real(p, f, mode);
		if (f & O_EXCL)
			now("open");
		return fd;
	}
	#define OPEN(name) int name(const char *p, int f, ...) { \
		va_list ap; int mode; va_start(ap, f); \
		mode = va_arg(ap, int); va_end(ap); \
		return opened(#name, p, f, mode); }
	OPEN(open64)
	#undef open
	OPEN(open)
	END
	cc -shared -fPIC -w -o stop.so stop.c -ldl
}

# stopped AT SIGNAL HOW: nothing is left but a whole file or none.  The program
# died of the signal, or it was done before it.
stopped() {
	local rc=0

	rm -f out.rec stopped
	LD_PRELOAD=$PWD/stop.so STOP_AT=$1 STOP_BY=$(kill -l $2) SEQF_OUT=$3 \
		asm-scan -t 2 -e ACGT -o out.rec t.fa || rc=$?
	# nothing is linked where files have a name from the beginning
	[ -e stopped ] || [[ $1 == link* ]]
	[ $rc -eq $((128 + $(kill -l $2))) ] || [ $rc -eq 0 ]
	[ $rc -ne 0 ] || [ -e out.rec ]
	[ ! -e out.rec ] || cmp out.rec want.rec
	ls | no grep '[.]tmp-'
}

@test "a program that is stopped while it names its file leaves no other" {
	stopper
	randseq 300000 1 > t.fa
	asm-scan -O rec -e ACGT t.fa > want.rec
	ulimit -c 0
	for s in TERM INT QUIT PIPE USR1 ALRM HUP; do
		for at in open1 rename1; do
			stopped $at $s named
		done
		for at in link1 link2 rename1; do
			stopped $at $s nameless
		done
	done
}
