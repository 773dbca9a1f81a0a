#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# index.bats - fasta-chunk --index: .fai and .gzi, byte for byte as samtools
load helper

# index FILE ...: ours and samtools' agree, also where there is none.
index() {
	local f ours theirs

	for f; do
		rm -f "$f".fai "$f".gzi
		ours=0 theirs=0
		fasta-chunk --index "$f" > out 2> err || ours=$?
		[ ! -s out ]
		for s in fai gzi; do
			rm -f ours.$s
			[ ! -e "$f".$s ] || mv "$f".$s ours.$s
		done
		samtools faidx "$f" 2> /dev/null || theirs=$?
		if [ $theirs -ne 0 ]; then
			[ $ours -eq 1 ]
			[ "$(wc -l < err)" -eq 1 ]
			[ ! -e ours.fai ]
			continue
		fi
		cmp ours.fai "$f".fai
		[ ! -e "$f".gzi ] || cmp ours.gzi "$f".gzi
	done
}

@test "--index: genomes, plain and bgzf, any number of blocks" {
	need samtools bgzip
	lambda > l.fa
	for i in 1 2 3 4; do sed "s/^>/>c$i /" l.fa; done > m.fa
	for f in l m; do
		bgzip -c $f.fa > $f.fa.gz
	done
	{ bgzip -c < /dev/null; head -c 100000 m.fa | bgzip
		tail -c +100001 m.fa | bgzip; } > c.fa.gz
	index l.fa m.fa l.fa.gz m.fa.gz c.fa.gz
	for t in 1 2 7; do
		fasta-chunk -t $t --index m.fa.gz
		cmp ours.gzi c.fa.gz.gzi
		samtools faidx m.fa.gz -o a 'c3:40000-40100'
		samtools faidx m.fa -o b 'c3:40000-40100'
		cmp a b
	done
	mkdir many
	randseq 700 3 60 r | awk '/^>/ { next }
		{ for (i = 1; i <= 3000; i++) print ">r" i " x\n" $0 "\nACG"; exit }' > many.fa
	bgzip -c many.fa > many.fa.gz
	index many.fa many.fa.gz
	[ "$(wc -l < many.fa.fai)" -eq 3000 ]
}

@test "--index: blanks, CRLF, long lines, ends without newline, names" {
	need samtools
	printf '>a\nACGT\nACGT\nAC\n>b desc\nACGT' > 1.fa
	printf '>a\r\nACGT\r\nAC\r\n\r\n>b\r\nACGT\r\n' > 2.fa
	printf '\n\n>a\nAC GT\nACGTA\n\n\n>b\nA' > 3.fa
	printf '>a\n%s\n>b\n%s\n' "$(randseq 300000 1 300000 | tail -n 1)" ACG > 4.fa
	printf '> a\nACGT\n>\tb c\nAC\n>\nACG\n' > 5.fa
	printf '>a\nACGT\n>a\nACG\n>b\nAC\n' > 6.fa
	printf '>e\n>a\nACGT\n>e\n\n>b\nACG\n' > 7.fa
	printf '>a\n  \nAC\n' > 8.fa
	printf '>a\nAC\n\n' > 9.fa
	index ?.fa
	ls ?.fa.fai | wc -l | grep -x 9
	fasta-chunk --index 6.fa 2> err
	grep -q 'leaves out 1 sequence of names that came before: a$' err
	fasta-chunk --index 7.fa 2> err
	grep -q 'leaves out 2 sequences without letters: e ...$' err
}

@test "--index: what samtools makes no index of is an error" {
	need samtools
	printf '>a\nACG\nACGT\n' > 1.fa
	printf '>a\nACG\nA\nAC\n' > 2.fa
	printf '>a\nACG\n\nACG\n' > 3.fa
	printf '>a\nACG\n>b\n' > 4.fa
	printf '>a' > 5.fa
	: > 6.fa
	printf 'ACGT\n' > 7.fa
	printf '>a\nACG\n\n\r>b\nA\n' > 8.fa
	printf '>a\nACG\n' | gzip > 9.fa
	index ?.fa
	no ls ./*.fai
}

# Files of a few kinds of lines, in any order.
# bats test_tags=slow
@test "--index agrees with samtools on random lines" {
	need samtools
	for seed in $(seq 60); do
		awk -v seed=$seed 'BEGIN {
			srand(seed)
			n = split(">a|>b x|> c|>|ACGT|ACGT|ACGT|AC|A C|ACGTA||\r|ACGT\r", line, "|")
			m = 1 + int(12 * rand())
			printf rand() < .9 ? ">first\nACGT" : ""
			for (i = 0; i < m; i++)
				printf "\n%s", line[1 + int((rand() < .5 ? 7 : n) * rand())]
			printf rand() < .7 ? "\n" : ""
		}' > x.fa
		# samtools passes over a > without a name at the end
		[ "$(tail -c 1 x.fa)" = '>' ] || index x.fa
	done
}

@test "-r and --regions: the same with an index and without" {
	for i in 1 2 3; do
		randseq 2000000 $i 60 s$i
	done | sed 's/^>s2/>s2 the second/' > g.fa
	printf '>\nGG\n>short\nACGTACGT\n> \nTT\n>s4\n' >> g.fa
	randseq 500000 4 500000 | tail -n 1 >> g.fa
	printf 's1\t100\t200\ns3\t1500000\t1500500\ns3\t1999000\t2000000\n' > r.bed
	cp g.fa i.fa
	fasta-chunk --index i.fa
	mkdir a b
	mv g.fa a/g.fa
	mv i.fa b/g.fa
	mv i.fa.fai b/g.fa.fai
	for o in '-r s1' '-r s2:1500001-1500100' '-r s3:1999k-' '-r short' \
	    '-r s4:400k-400100' '-r s2:10-20 -r s4' '--regions r.bed' \
	    '-r s3:1900k-1900100 -r s3:5-9 -r s3:1900050-1901k' \
	    '-r s2 --part 1/2' '-r s1:1-1 --mask'; do
		fasta-chunk -L 100k $o a/g.fa > want
		fasta-chunk -L 100k $o b/g.fa | cmp - want
	done
	asm-scan -k 2 -e ACGTACGTAC --regions r.bed a/g.fa > want
	asm-scan -k 2 -e ACGTACGTAC --regions r.bed b/g.fa | cmp - want
	for o in '-r s9' '-r s3:1-2000001' '-r short:9-'; do
		run -2 --separate-stderr fasta-chunk $o a/g.fa
		want=$stderr
		run -2 --separate-stderr fasta-chunk $o b/g.fa
		[ "${stderr//b\/g.fa/a/g.fa}" = "$want" ]
	done
}

# bats test_tags=slow
@test "-r and --regions of bgzf: the same with an index, of few blocks" {
	need bgzip
	for i in 1 2 3; do randseq 4000000 $i 60 s$i; done > g.fa
	printf '>s4\r\nACGT\r\nAC\r\n' >> g.fa
	bgzip -c g.fa > g.fa.gz
	mkdir alone
	ln -s ../g.fa.gz alone/
	printf 's1\t100\t200\ns3\t1500000\t1500500\ns3\t3999000\t4000000\n' > r.bed
	fasta-chunk --index g.fa.gz
	for o in '-r s1' '-r s2:1500001-1500100' '-r s3:1999k-' '-r s4' \
	    '-r s2:10-20 -r s4' '--regions r.bed' '-r s2 --part 1/2' \
	    '-r s3:3900k-3900100 -r s3:5-9 -r s2:3 -r s2:2222222-'; do
		fasta-chunk -L 100k $o alone/g.fa.gz > want
		fasta-chunk -L 100k -t 2 $o g.fa.gz | cmp - want
		SEQF_INFLATE=zlib fasta-chunk -L 100k $o g.fa.gz | cmp - want
	done
	asm-scan -k 2 -e ACGTACGTAC --regions r.bed alone/g.fa.gz > want
	asm-scan -k 2 -e ACGTACGTAC --regions r.bed g.fa.gz | cmp - want
	[ ! -r /proc/self/io ] || for r in s3:1500000-1500100 \
	    's1:1-100 -r s1:3999900-4000000 -r s3:1-9 -r s3:3999990-'; do
		n=$(sh -c "fasta-chunk -r $r g.fa.gz > /dev/null
			cat /proc/\$\$/io" | awk '/^rchar/ { print $2 }')
		[ "$n" -lt $(($(stat -c %s g.fa.gz) / 2)) ]
	done
	# only one of the two, or not of this file
	mv g.fa.gz.fai fai
	fasta-chunk -r s2:1-9 g.fa.gz | cmp - <(fasta-chunk -r s2:1-9 alone/g.fa.gz)
	mv fai g.fa.gz.fai
	mv g.fa.gz.gzi gzi
	fasta-chunk -r s2:1-9 g.fa.gz | cmp - <(fasta-chunk -r s2:1-9 alone/g.fa.gz)
	{ head -c 496 gzi; printf '\1'; tail -c +498 gzi; } > g.fa.gz.gzi
	fails 1 'g.fa.gz.gzi is not of this file' fasta-chunk -o x -r s1 g.fa.gz
	head -c 500 gzi > g.fa.gz.gzi
	fasta-chunk -r s2:1-9 g.fa.gz | cmp - <(fasta-chunk -r s2:1-9 alone/g.fa.gz)
	head -c 20000 g.fa.gz > cut.fa.gz
	cp g.fa.gz.fai cut.fa.gz.fai
	cp gzi cut.fa.gz.gzi
	fails 1 '' fasta-chunk -o x -r s1 cut.fa.gz
	[ ! -e x ]
}

@test "-r with an index of lines that hold blanks: the same, or an error" {
	randseq 1500000 1 1500000 > g.txt
	tail -n 1 g.txt | fold -w 70000 | sed 's/./& /35000' > lines
	{ echo '>a'; sed '$s/ //' lines; } > within.fa
	{ echo '>a'; sed 's/ //; s/$/ /' lines; } > behind.fa
	{ echo '>a'; tail -n 1 g.txt | sed 's/./& /70000'; } > one.fa
	sed 's/$/\r/' within.fa > crlf.fa
	{ echo '>a'; tail -n 1 g.txt | fold -w 60; printf 'ACGT \n>b\nGG \n'
	} | sed 's/^[ACGT]\{10\}/& /' > short.fa
	for f in within behind one crlf short; do
		for r in a:1200000-1200050 a:1499990-; do
			rm -f $f.fa.fai
			fasta-chunk -r $r $f.fa > want
			fasta-chunk --index $f.fa
			[ -s $f.fa.fai ]
			fasta-chunk -r $r $f.fa | cmp - want
		done
	done
	# samtools counts letters, so all behind the blank are one too early
	{ echo '>a'; tail -n 1 g.txt | fold -w 60 | sed '2s/^./ /'; echo A
	} > late.fa
	fasta-chunk --index late.fa
	fails 1 'late.fa.fai is not of this file' \
		fasta-chunk -o x -r a:1200000-1200050 late.fa
	[ ! -e x ]
}

@test "--index: no stdin, no other options, no other formats, no damage" {
	lambda > l.fa
	for o in '' - '-o x l.fa' '--part 0/2 l.fa' '-r a l.fa' '-L 5k l.fa' \
		'-W 10 l.fa' '--label x l.fa' '--mask l.fa' '--digits l.fa' \
		'--circular all l.fa'; do
		fails 2 '' fasta-chunk --index $o
	done
	printf '@a\nACGT\n+\nIIII\n' > r.fq
	fails 1 'r.fq:1: FASTQ' fasta-chunk --index r.fq
	gzip -k l.fa
	fails 1 bgzip fasta-chunk --index l.fa.gz
	need bgzip
	printf 'BAM\1\0\0\0\0\0\0\0\0' | bgzip > x.bam
	fails 1 'x.bam: only plain FASTA' fasta-chunk --index x.bam
	bgzip -c l.fa > l.gz
	head -c 12000 l.gz > cut.gz
	fails 1 '' fasta-chunk --index cut.gz
	no ls ./*.fai ./*.gzi
	run -1 fasta-chunk --index nonesuch
}
