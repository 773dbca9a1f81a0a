# SPDX-License-Identifier: MIT
# SAM: sequences, MD and flags as aligners write them, and tools that read it.
load helper

# Two genes in a genome: one whole on -, one in two parts, far apart.
genome() {
	awk 'BEGIN {
		srand(7)
		print ">g"
		for (i = 0; i < 6000; i++) {
			printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
			if (i % 60 == 59)
				print ""
		}
	}' > g.fa
	s=$(grep -v '>' g.fa | tr -d '\n')
	{
		echo '>whole'
		echo "${s:1000:50}T${s:1051:90}${s:1143:60}" | rev |
			tr ACGT TGCA
		echo '>parts'
		echo "${s:2000:120}${s:4500:80}"
		printf '>again\n%s\n%s\n' "${s:3000:90}" "${s:3000:90}"
	} > q.fa
}

@test "SEQ is the query along the forward subject, as long as its CIGAR" {
	printf '>t\nCCGATTACACC\n' > t.fa
	printf '>p\ntgtaatc\n' > p.fa
	asm-scan -q p.fa -O sam t.fa | grep -v '^@' > have
	printf 'p\t16\tt\t3\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0\tAS:i:0\t' > want
	printf 'MD:Z:7\n' >> want
	diff want have
	printf '>t\nTTTTTGATTACAGGTTTTT\n' > t.fa
	sw-scan -e cccctgtaatcaag -O sam t.fa | grep -v '^@' |
		cut -f 2,4,6,10 > have
	printf '16\t4\t1S11=2S\tCTTGATTACAGGGG\n' | diff - have
}

@test "SEQ of RNA has T, of a protein with selenocysteine U" {
	printf '>s\nGGACGTTACC\n' > s.fa
	printf '>p\nAAMUKEL\n' > p.fa
	asm-scan -O sam -s + -e ACGUUACC s.fa | grep -v '^@' | cut -f 10 |
		grep -x ACGTTACC
	asm-scan -O sam --alphabet=protein -e MUKE p.fa | grep -v '^@' |
		cut -f 10 | grep -x MUKE
}

@test "SEQ from merge-topk and rec-view: of --with-seq or -q; a note without" {
	printf '>t\nCCGATTACACC\n' > t.fa
	printf '>x\nACC\n>p\ntgtaatc\n' > p.fa
	asm-scan -q p.fa -O rec --with-seq t.fa > w.rec
	asm-scan -q p.fa -O rec t.fa > r.rec
	for p in merge-topk rec-view; do
		$p -O sam -q p.fa r.rec 2> err > q.sam
		$p -O sam w.rec 2>> err > w.sam
		[ ! -s err ]
		for f in q w; do
			grep -v '^@' $f.sam | cut -f 1,2,10 > have
			printf 'x\t0\tACC\np\t16\tGATTACA\n' |
				diff - <(sort -r have)
		done
		[ -z "$(grep 'tgtaatc' w.sam)" ]
		$p -O sam r.rec 2> err | grep -v '^@' | cut -f 10 |
			sort -u | grep -qxF '*'
		[ "$(grep -c 'SEQ is \*: -q .* or --with-seq' err)" -eq 1 ]
	done
	merge-topk --partial w.rec | merge-topk -O sam | cmp - \
		<(merge-topk -O sam w.rec)
	# other scans beside it; those of too many letters have none
	head -c 99999 /dev/zero | tr '\0' A > long
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		cat long
		echo
	done > many
	asm-scan -e ACC -q many -O rec --with-seq t.fa > many.rec
	sw-scan -s + -e gatta -O rec --with-seq t.fa > s.rec
	merge-topk -O sam w.rec s.rec many.rec 2> err | grep -v '^@' |
		cut -f 1,10 | sort > have
	printf 'ACC\t*\ngatta\tGATTA\np\tGATTACA\nx\tACC\n' |
		diff - <(sort -u have)
	grep -q 'SEQ is' err
	run -0 rec-view --header w.rec many.rec
	[[ $output != *letters\ [a-zA]* ]]
	printf '>x\nACC\n>p\nTGTAATCA\n' > p.fa
	fails 2 '-q has no query p of 7 letters' merge-topk -O sam -q p.fa r.rec
}

@test "SEQ of a site is the guide and what its PAM matches" {
	printf '>g\nCCATTCTCATGCTGAAAACGTGGAGGCCC\n' > g.fa
	printf '>r\nGGGcCTCCACGTTTTCAGCATGAGAATGG\n' > r.fa
	asm-scan --pam NGG -k 1 -e TTCTCAGCTGAAAACGTGG -O sam g.fa r.fa |
		grep -v '^@' | cut -f 2,4,6,10,14 > have
	{
		printf '0\t4\t6=1D16=\tTTCTCAGCTGAAAACGTGGAGG\tMD:Z:6^T16\n'
		printf '272\t4\t16=1D6=\tCCTCCACGTTTTCAGCTGAGAA\tMD:Z:16^A6\n'
	} | diff - have
	# the PAM in front
	printf '>f\nCCTTTAACGTACGTACGGTACGTT\n' > f.fa
	asm-scan --pam TTTV --pam-side=5 -k 1 -e ACGTACTTACGGTACG -O sam f.fa |
		grep -v '^@' | cut -f 2,4,6,10 > have
	printf '0\t3\t10=1X9=\tTTTAACGTACTTACGGTACG\n' | diff - have
	asm-scan --pam NGG -k 1 -e TTCTCATGCTGAAAACGTGG -O rec --with-seq \
		g.fa > g.rec
	merge-topk -O sam g.rec > n.sam
	merge-topk -O sam -q <(printf '>TTCTCATGCTGAAAACGTGG\n%s\n' \
		TTCTCATGCTGAAAACGTGG) g.rec > m.sam
	cut -f 10 m.sam | grep -qx TTCTCATGCTGAAAACGTGGAGG
	cmp m.sam n.sam
	asm-scan --pam NGG -e TTCTCATGCTGAAAACGTGG -O pretty g.fa |
		grep -q 'query  *1 TTCTCATGCTGAAAACGTGGAGG 23'
	# of a letter that only the guide has, too, on both strands
	for o in '-O pretty' '-O rec --with-seq'; do
		asm-scan --pam NGG -k 1 -e TTCTCATGCTGTAAAACGTGG $o g.fa r.fa |
			{ [[ $o = *pretty ]] && cat || rec-view -O pretty; } |
			grep query > have
		grep -q '1 TTCTCATGCTGTAAAACGTGGAGG 24' have
		grep -q '24 CCTCCACGTTTTACAGCATGAGAA 1' have
	done
}

@test "MD names the subject's letters that differ or are missing" {
	printf '>t\nAAACCCGGGTTTACG\n' > t.fa
	asm-scan -s + -k 3 --report=best -e AAATCCGGGTTACG -O sam t.fa |
		grep -v '^@' | cut -f 6,14 > have
	printf '3=1X5=1D5=\tMD:Z:3C5^T5\n' | diff - have
	# an insertion leaves no trace in MD
	asm-scan -s + -k 1 --report=best -e AAACCCGGGATTTACG -O sam t.fa |
		grep -v '^@' | cut -f 6,14 > have
	printf '9=1I6=\tMD:Z:15\n' | diff - have
}

@test "one primary row a query; others secondary or supplementary" {
	genome
	sw-scan -n 5 --min-score 60 -q q.fa -O sam g.fa | grep -v '^@' > h.sam
	cut -f 1,2 h.sam | sort -u > have
	grep -q '^whole	16$' have
	# the longer part is the primary one, the other lies elsewhere
	grep -q '^parts	0	g	2001	255	120=1X2=77S' h.sam
	grep -q '^parts	2048	g	4497	255	116S3=1X80=' h.sam
	# exactly one row without 0x100 and 0x800 for each query
	awk '{ if (int($2 / 256) % 2 == 0 && int($2 / 2048) % 2 == 0) n[$1]++ }
		END { for (q in n) print q, n[q] }' h.sam | sort > have
	printf 'again 1\nparts 1\nwhole 1\n' | diff - have
	# asm-scan's hits are of the whole pattern: all but the best secondary
	printf '>t\nGATTTCATTTTGATTACATTTTGATTACA\n' > t.fa
	asm-scan -s + -k 1 -e GATTACA -O sam t.fa | grep -v '^@' |
		cut -f 2,4 > have
	printf '256\t1\n0\t12\n256\t23\n' | diff - have
	# whatever the order in which the rows are written
	asm-scan -s + -k 1 -e GATTACA -O rec t.fa |
		merge-topk --quiet -O sam --sort=position | grep -v '^@' |
		cut -f 2,4 | diff have -
}

@test "samtools reads it: stats, fasta, mpileup, calmd" {
	need samtools
	genome
	sw-scan -n 5 --min-score 60 -q q.fa -O sam g.fa > h.sam
	asm-scan -k 2 -e GATTACAG -O sam g.fa > a.sam
	for i in h a; do
		samtools stats $i.sam > stats
		grep -q '^SN	raw total sequences' stats
		samtools sort -o $i.bam $i.sam
		samtools mpileup -f g.fa $i.bam > pileup 2> err
		# MD and NM are those that samtools makes
		samtools calmd $i.bam g.fa > calmd 2> err
		no grep -qi 'different' err
		samtools view $i.bam | tr '\t' '\n' | grep -E '^(MD|NM):' |
			sort > have
		grep -v '^@' calmd | tr '\t' '\n' | grep -E '^(MD|NM):' |
			sort | diff have -
	done
	samtools mpileup -f g.fa h.bam > pileup 2> err
	[ -s pileup ]
	samtools fasta h.sam 2> err > have.fa
	awk '/^>/ { print; next } { s = s $0 }
		END { print length(s) }' have.fa > have
	tail -n 1 have | grep -qx 581
}
