# SPDX-License-Identifier: MIT
# What a first user types: no empty, full or binary result without a word.
load helper

prepare() {
	printf '>chr1\nACGTACGTTTACGTA\n>s1\nACGT\n' > a.fa
	fasta-chunk -o a.rec a.fa
	asm-scan -s + -e ACGT -O tsv a.fa > want.tsv
	asm-scan -s + -e ACGT -O rec a.fa > want.rec
}

@test "text in, text out; records in, records out" {
	prepare
	asm-scan -s + -e ACGT a.fa > have
	cmp want.tsv have
	asm-scan -s + -e ACGT a.fa | cmp want.tsv
	asm-scan -s + -e ACGT < a.fa | cut -f 1-5 | cmp <(cut -f 1-5 want.tsv)
	gzip -c a.fa | asm-scan -s + -e ACGT - | cmp want.tsv
	asm-scan -s + -e ACGT <(cat a.fa) | cmp want.tsv
	asm-scan -s + -e ACGT -o have a.fa
	cmp want.tsv have
	asm-scan -s + -e ACGT a.rec | cmp want.rec
	asm-scan -s + -e ACGT < a.rec | cmp want.rec
	fasta-chunk a.fa | asm-scan -s + -e ACGT - | cmp want.rec
	asm-scan -s + -e ACGT <(cat a.rec) <(cat a.rec) | merge-topk | cmp want.tsv
	fasta-chunk a.fa | asm-scan -s + -e ACGT | merge-topk | cmp want.tsv
	rec-view want.rec | cmp want.tsv
	merge-topk want.rec > have
	cmp want.tsv have
	merge-topk --partial want.rec | rec-view --check
	sw-scan -e ACGT a.fa | head -n 1 | grep -q '^#query'
	primer-find -k 1 -e GGGGG a.fa | head -n 1 | grep -q '^#target'
	ebwt-dist a.fa | head -n 1 | grep -q '^#a'
	sw-scan -e ACGT a.rec | rec-view | head -n 1 | grep -q '^#query'
	primer-find -k 1 -e GGGGG a.rec | rec-view --check
	ebwt-dist a.rec | rec-view | head -n 1 | grep -q '^#a'
}

@test "the suffix of -o decides, if -O does not" {
	prepare
	for f in bed paf sam gff3 json rec; do
		asm-scan -e ACGT -O $f a.fa > want
		asm-scan -e ACGT -o x.$f a.fa
		cmp want x.$f
		merge-topk -O $f want.rec > want
		merge-topk -o y.$f want.rec
		cmp want y.$f
		rec-view -O $f want.rec > want
		rec-view -o y.$f want.rec
		cmp want y.$f
	done
	for f in tsv txt; do
		asm-scan -s + -e ACGT -o x.$f a.fa
		cmp want.tsv x.$f
	done
	asm-scan -s + -e ACGT -o x.bed -O tsv a.fa
	cmp want.tsv x.bed
	asm-scan -s + -e ACGT -o x.tsv a.rec
	cmp want.tsv x.tsv
	rec-view -o x.svg want.rec
	grep -q '^<svg' x.svg
	rm x.*
	fails 2 '-o x.sam: *-O chooses' ebwt-dist -o x.sam a.fa
	fails 2 '' merge-topk --partial -o x.tsv want.rec
	[ -z "$(ls x.* 2> /dev/null)" ]
}

@test "the suffix of -o decides: FASTA, and one of each program's own" {
	prepare
	printf 'p\tACGTACG\tTACGTAA\n' > pairs
	pcr-find -p pairs -O fasta a.fa > want
	[ -s want ]
	printf '>q\nGGGGG\n' > q.fa
	primer-find -k 1 -q q.fa -O fasta a.fa > want.primer
	[ -s want.primer ]
	for f in fa fasta fna; do
		pcr-find -p pairs -o x.$f a.fa
		cmp want x.$f
		pcr-find -p pairs -o x.$f.gz a.fa
		gzip -dc x.$f.gz | cmp want
		primer-find -k 1 -q q.fa -o x.$f a.fa
		cmp want.primer x.$f
		rec-view -o x.$f a.rec
		cmp a.fa x.$f
	done
	sw-scan -e ACGT -O blast6 a.fa > want
	sw-scan -e ACGT -o x.blast6 a.fa
	cmp want x.blast6
	ebwt-dist -O phylip a.fa > want
	ebwt-dist -o x.phy a.fa
	cmp want x.phy
	primer-find -k 1 -q q.fa -O boulder a.fa > want
	primer-find -k 1 -q q.fa -o x.boulder a.fa
	cmp want x.boulder
}

@test "-o with the suffix of what a program does not write is refused" {
	prepare
	printf 'p\tACGTACG\tTACGTAA\n' > pairs
	for x in 'asm-scan -e ACGT -o x.fa' 'asm-scan -e ACGT -o x.blast6.gz' \
		'sw-scan -e ACGT -o x.fna' 'pcr-find -p pairs -o x.sam' \
		'ebwt-dist -o x.bed' 'asm-scan -e ACGT -o x.csv' \
		'sw-scan -e ACGT -o x.bam' 'rec-view -o x.xlsx' \
		'merge-topk -o x.jsonl' 'pcr-find -p pairs -o x.vcf.gz' \
		'primer-find -k 1 -e GGGGG -o x.html' 'ebwt-dist -o x.gtf'; do
		for in in a.fa a.rec; do
			fails 2 "-o x.*: ${x%% *} writes no *; -O chooses one of " \
				sh_ "$x $in"
		done
	done
	for f in tsv bed fa json svg csv bam tsv.gz; do
		fails 2 "-o x.$f: fasta-chunk writes rec, no " \
			fasta-chunk -o x.$f a.fa
	done
	for c in 'fasta-chunk -o x.rec.zst' 'asm-scan -e ACGT -O tsv -o x.xz' \
		'asm-scan -e ACGT --filter -o x.fq.bz2' 'merge-topk -o x.zst'; do
		fails 2 '-o x.*: only .gz is compressed' sh_ "$c a.fa"
	done
	[ -z "$(ls x.* 2> /dev/null)" ]
	# -O decides first; what else a name ends with says nothing
	for f in rec rec.gz out chunks; do
		fasta-chunk -o x.$f a.fa
		gzip -dcf x.$f | cmp a.rec
	done
	fasta-chunk -O rec -o x.tsv a.fa
	cmp a.rec x.tsv
	asm-scan -s + -e ACGT -O tsv -o x.csv a.fa
	cmp want.tsv x.csv
	asm-scan -s + -e ACGT -o x.hits a.rec
	cmp want.rec x.hits
	for f in x.fq x.fasta x.out; do
		asm-scan -s + -e ACGT --filter -o $f a.fa
		cmp a.fa $f
	done
	for f in bed tsv sam.gz rec bam csv; do
		fails 2 "y.$f: not with --filter" \
			asm-scan -e ACGT --invert -o y.$f a.fa
		[ ! -e y.$f ]
	done
}

@test "an option that would do nothing is refused" {
	prepare
	asm-scan -e ACGT --histogram -O rec a.fa > counts.rec
	asm-scan -e ACGT --ends -O rec a.fa > ends.rec
	merge-topk counts.rec | grep -q '^#query'
	merge-topk ends.rec | grep -q '^#query'
	merge-topk --sort=position ends.rec | grep -q '^#query'
	while read -r program rest; do
		fails 2 '' sh_ "$program $rest"
	done <<- 'end'
		merge-topk -n 1 counts.rec
		merge-topk --no-overlap 0.5 counts.rec
		merge-topk --drop-shadows counts.rec
		merge-topk -n 1 --partial counts.rec
		merge-topk --sort=begin ends.rec
		merge-topk --sort=begin --partial ends.rec
		merge-topk -O bed ends.rec
		asm-scan --filter --json=array -e ACGT a.fa
		asm-scan --invert --json=array -e ACGT a.fa
		asm-scan -e ACGT --columns query,offtarget_score a.fa
		sw-scan -e ACGT --columns offtarget_score a.fa
	end
	merge-topk --sort=begin want.rec | grep -q '^#query'
	merge-topk --columns query,offtarget_score want.rec | grep -q '\*$'
}

@test "-o FILE.gz is compressed, as BGZF" {
	prepare
	for f in tsv bed sam rec; do
		asm-scan -e ACGT -O $f a.fa > want
		asm-scan -e ACGT -o x.$f.gz a.fa
		gzip -dc x.$f.gz | cmp want
		asm-scan -e ACGT -O $f -o x.gz a.fa
		gzip -dc x.gz | cmp want
	done
	asm-scan -s + -e ACGT -o x.rec.gz a.fa
	merge-topk x.rec.gz | cmp want.tsv
	# many blocks, of what shrinks and of what does not
	randseq 3000000 1 70 r > r.fa
	fasta-chunk -o r.rec.gz r.fa
	fasta-chunk r.fa | cmp - <(gzip -dc r.rec.gz)
	rec-view --check r.rec.gz
	head -c 200000 r.rec.gz > cut.rec.gz
	run -1 rec-view --check cut.rec.gz
	asm-scan --filter -e ACGT -o x.fa.gz r.fa
	gzip -dc x.fa.gz | cmp r.fa
	if command -v bgzip; then
		bgzip -t r.rec.gz
	fi
	: > none.fa
	asm-scan -e ACGT -o none.tsv.gz none.fa
	gzip -dc none.tsv.gz | grep -q '^#query'
	run -1 asm-scan -e ACGT -o /dev/full a.fa
}

@test "text beside records needs -O, whatever they come through" {
	prepare
	for x in 'a.fa a.rec' 'a.rec a.fa' '<(cat a.fa) a.rec' \
		'a.fa <(cat a.rec)' '<(cat a.fa) <(cat a.rec)' \
		'- a.fa < a.rec' '- a.rec < a.fa'; do
		fails 2 ' holds records, * does not: *-O' \
			sh_ "asm-scan -e ACGT $x"
		sh_ "asm-scan -e ACGT -O tsv $x" | grep -q '^ACGT'
		sh_ "asm-scan -e ACGT -O rec $x" | rec-view --check
	done
	run -2 --separate-stderr sh_ 'asm-scan -e ACGT -o x a.fa <(cat a.rec)'
	[ ! -e x ]
}

@test "a table where records are expected: what would have worked" {
	prepare
	for p in merge-topk rec-view 'rec-view --check'; do
		fails 1 'add -O rec to asm-scan, sw-scan or merge-topk' \
			sh_ "asm-scan -e ACGT a.fa | $p"
		fails 1 'add -O rec to ebwt-dist' sh_ "ebwt-dist a.fa | $p"
		fails 1 'add -O rec to primer-find' sh_ \
			"primer-find -k 1 -e GGGGG a.fa | $p"
		fails 1 'add -O rec' sh_ "asm-scan -O paf -e ACGT a.fa | $p"
		for f in 'asm-scan -O json' 'sw-scan -O bed' 'asm-scan -O sam' \
			'sw-scan -O gff3' 'sw-scan -O blast6' \
			'asm-scan --no-header' 'ebwt-dist -O phylip'; do
			o='-e ACGT'
			[[ $f != ebwt* ]] || o=
			# as a matrix, PHYLIP may be the data of rec-view
			[[ $f != ebwt* || $p = merge-topk ]] || continue
			fails 1 'add -O rec to' sh_ "$f $o a.fa | $p"
		done
	done
}

@test "an option of another tool is answered by ours" {
	prepare
	answers() { # PROGRAM OPTION TEXT
		fails 2 "unknown option ${2%%[= ]*}: *$3" "$1" $2 a.fa
	}
	for o in --edits=2 '--mismatches 2' --max-errors=1 '-K 3'; do
		answers asm-scan "$o" '-k K allows K differences'
	done
	answers asm-scan '-a AGATCGG' --overhang
	answers asm-scan '-@ 4' '-t N'
	answers sw-scan --cpu=4 '-t N'
	answers asm-scan --bed '-O FORMAT'
	answers sw-scan '--outfmt 6' '-O FORMAT'
	answers asm-scan --patterns=x '-q FILE'
	answers asm-scan '-i' 'operands'
	answers sw-scan --reference=x 'operands'
	answers sw-scan --max-target-seqs=5 '-n N'
	answers sw-scan --evalue=1 '--min-score'
	answers merge-topk --top=3 '-n N'
	answers primer-find '--mismatches 3' 'least number of differences'
	answers primer-find --background=x 'are the background'
	answers fasta-chunk --bed=x '--regions FILE'
	answers ebwt-dist --names --full-names
	for o in --phylip --newick --tree; do
		answers ebwt-dist $o 'phylip, newick, svg-tree'
	done
	answers rec-view --fasta '-O fasta'
	answers asm-scan --file=x '-q FILE'
	answers fasta-chunk --file=x operands
	answers sw-scan --edits=2 'asm-scan -k K'
	answers asm-scan --indels --no-indels
	answers asm-scan --max-gaps=1 '--max-bulges N'
	answers asm-scan --sort=begin 'merge-topk --sort'
	for o in '-m 2' --mm=2; do
		answers asm-scan "$o" '-k K allows K differences'
		answers pcr-find "$o" '-k K allows K differences'
		answers primer-find "$o" 'least number of differences'
	done
	answers asm-scan --bulge=1 '--max-bulges N'
	answers asm-scan --no-gaps '--no-indels'
	answers asm-scan --output-file=x '-o FILE'
	answers asm-scan --trim 'seqfilters-reads(7)'
	answers asm-scan --protein '--alphabet=protein'
	answers sw-scan --protein '--matrix BLOSUM62'
	answers sw-scan '--task blastn' '--preset NAME'
	answers sw-scan --perc_identity=90 '--min-score'
	answers sw-scan --drop-shadows '--no-overlap'
	answers primer-find --min-tm=50 '--tm MIN-MAX'
	answers primer-find --gc-content=40-60 '--gc MIN-MAX'
	answers primer-find --size=20 '--min-len'
	answers pcr-find --size=100-200 '--min-len'
	answers ebwt-dist '-m norm' '--metric'
	answers fasta-chunk '-n 4' '--part I/N'
	for p in asm-scan sw-scan primer-find pcr-find; do
		answers $p --part=1/4 'fasta-chunk --part I/N'
	done
	answers ebwt-dist '-k 21' 'no k-mers'
	answers sw-scan -a '-O FORMAT'
	answers sw-scan '-x map-ont' '--preset NAME'
	# a name behind one dash is no letter with a value
	answers sw-scan '-query a.fa' 'did you mean --query?'
	answers sw-scan '-outfmt 6' '-O FORMAT'
	answers sw-scan '-num_threads 4' '-t N'
	answers sw-scan -evalue=1 '--min-score'
	answers asm-scan '-output x' 'did you mean --output?'
	[ -z "$(ls utfmt utput x 2> /dev/null)" ]
	answers sw-scan --sort=begin 'merge-topk --sort'
	fails 2 '-e 0.1: no pattern; an error rate is -k 10%' \
		asm-scan -e 0.1 a.fa
}

@test "a second value of an option is no secret; of -t, -g, -O, -o the last counts" {
	prepare
	for o in '-k 1 -k 2' '-s + -s -' '--report=all --report=best' \
		'-n 1 --max-hits 2' '--exact-suffix=1 --exact-suffix=2'; do
		fails 2 ' is given twice, as ' asm-scan $o -e ACGT a.fa
	done
	# the same one changes nothing; it is compared as it is spelt
	asm-scan -k 1 -k 1 -e ACGT a.fa | cmp - <(asm-scan -k 1 -e ACGT a.fa)
	run -2 asm-scan -k 1 -k 01 -e ACGT a.fa
	asm-scan -s + -s + -t 1 -t 2 -g none -g auto -O bed -O tsv -o x -o have \
		-e ACGT a.fa
	cmp have want.tsv
	[ ! -e x ]
}

@test "many regions, by -r and as BED: what each one has, no letter twice" {
	for i in 1 2 3; do randseq 4000 $i 70 s$i; done > g.fa
	printf 's1\t100\t900\tgene\ns1\t1500\t1600\ns3\t0\t40\n' > r.bed
	places() { # OPTIONS ...: places without the line of names
		asm-scan -k 1 -e ACGTAC --no-header "$@" | cut -f 5-
	}
	places -r s1:101-900 g.fa > want
	places -r s1:1,501-1.6k g.fa >> want
	places -r s3:-40 g.fa >> want
	[ "$(wc -l < want)" -gt 5 ]
	places --regions r.bed g.fa | cmp - want
	gzip r.bed
	for o in '--regions r.bed.gz' '--regions r.bed.gz -r s1:200-300' \
		'-r s1:101-500 -r s1:501-900 -r s1:1501-1600 -r s3:1-40' \
		'-r s3:-40 -r s1:1501-1600 -r s1:101-700 -r s1:300-900'; do
		places $o g.fa | cmp - want
		places $o -t 1 - < g.fa | cmp - want
		for l in 7 801; do
			fan 3 "-L $l -W 20 $o g.fa" asm-scan -k 1 -e ACGTAC |
				merge-topk --no-header | cut -f 5- | sort |
				cmp - <(sort want)
		done
	done
	asm-scan -k 1 -e ACGTAC -O sam --regions r.bed.gz g.fa > x.sam
	[ "$(grep -c '^@SQ' x.sam)" -eq 2 ]
	[ "$(grep -vc '^@' x.sam)" -eq "$(wc -l < want)" ]
	sw-scan -n 5 -e ACGTACGTTTACG --regions r.bed.gz --no-header g.fa |
		awk '$8 < 100 || $9 > 1600 || ($8 < 1500 && $9 > 900)' |
		grep -v s3 > out || true
	[ ! -s out ]
	run -2 ebwt-dist --regions r.bed.gz g.fa
	[ "$(ebwt-dist -r s1:1-50 -r s2:1-50 g.fa | rows | wc -l)" -eq 1 ]
}

@test "BED: heads of browsers, names that begin as they do, CR and LF apart" {
	printf '>track1\nACGTA\n>a\nCCGG\n>track\nTTT\n>a\nGGGGGG\n' > g.fa
	letters() { # the BED on standard input
		fasta-chunk --regions - g.fa | rec-view -O fasta |
			paste -sd ' '
	}
	printf 'track name=x\nbrowser position a\ntrack\n#x\n\n%s\n' \
		$'a\t1\t3\ntrack1\t0\t2\ntrack\t0\t1' > r.bed
	want='>track1 AC >a CG >track T'
	[ "$(letters < r.bed)" = "$want" ]
	sed 's/$/\r/' r.bed > crlf.bed
	[ "$(letters < crlf.bed)" = "$want" ]
	[ "$(head -c -1 crlf.bed | letters)" = "$want" ]
	[ "$({ printf 'a\t1\t3\r'; sleep .2; printf '\ntrack1\t0\t2\r\n'
		} | letters)" = '>track1 AC >a CG' ]
	# of two of a name the first one, as -r has it
	[ "$(printf 'a\t1\t6\n' | letters 2>&1 | head -n 1)" = \
		'fasta-chunk: stdin:1: beyond the end: a has 4 letters' ]
}

@test "a region that is not there: which are like it; lines of BED that are none" {
	prepare
	fails 2 '-r chr2: no such sequence; like it are chr1, s1' \
		asm-scan -r chr2 -e ACGT a.fa
	fails 2 '-r s:1-2: no such sequence; like it are s1, chr1' \
		asm-scan -r chr1 -r s:1-2 -e ACGT a.fa
	printf '>chr1\nA\n>chr2\nA\n>chr3\nA\n>chrX\nA\n' > g.fa
	fails 2 'like it are chrX, chr1, chr2' asm-scan -r CHRx -e ACGT g.fa
	for l in 'chr1' 'chr1\t4' 'chr1\t4\t4' 'chr1\t9\t4' 'chr1\t-1\t4' \
		'chr1 1 4' 'chr1\t1\t4x' '\t1\t2' 'chr1\t1\t99999999999999999999'
	do
		printf "#x\n$l\n" > b.bed
		fails 1 'b.bed:2: no line of BED' \
			asm-scan --regions b.bed -e ACGT a.fa
	done
	: > b.bed
	fails 1 'b.bed: there is no region in it' \
		asm-scan --regions b.bed -e ACGT a.fa
	printf 'chr1\t2\t16\n' > b.bed
	fails 2 ' b.bed:1: beyond the end: chr1 has 15 letters' \
		asm-scan --regions b.bed -e ACGT a.fa
	printf 'chrX\t2\t6\n' > b.bed
	fails 2 ' b.bed:1: chrX: no such sequence; like it are chr1, s1' \
		asm-scan --regions b.bed -e ACGT a.fa
	fails 2 '-r :1k-6k: the name before the colon is missing' \
		asm-scan -r :1k-6k -e ACGT a.fa
	fails 1 'stdin: there is no region in it' \
		asm-scan --regions - -e ACGT a.fa < /dev/null
	run -1 asm-scan --regions missing.bed -e ACGT a.fa
	fails 2 'give -r to fasta-chunk' asm-scan --regions b.bed -e ACGT a.rec
}

@test "what is hardly meant is said, and the result is there" {
	prepare
	printf '>q\nACGTACGTACGTACGTACGTACGT\n' > q.fa
	says 0 'every sequence (15 letters at most) is too short for every query (24 at least)' \
		asm-scan -q q.fa a.fa
	says 0 'too short for every query (26 at least)' \
		asm-scan --pam NNGG,GG -q q.fa a.fa
	says 0 '--min-score 1000: no query can score more than 48' \
		sw-scan --min-score 1000 -q q.fa a.fa
	says 0 'one sequence alone has no distances' ebwt-dist q.fa
	says 0 'one group alone has no distances' ebwt-dist --by=file a.fa
	{ sed 's/>q/>q\/F/' q.fa; sed 's/>q/>q\/R/' q.fa; } > p.fa
	says 0 'too short for every primer (24 at least): primers are -p' \
		pcr-find -p p.fa a.fa
	for o in --filter '--filter --invert'; do
		says 0 'is too short for every query' \
			sh_ "asm-scan $o -q q.fa a.fa"
	done
	quiet asm-scan -q a.fa q.fa
	printf '>d\nACGTACGTACGT\n' > d.fa
	printf '>p\nMKVLAWFQ\n' > pep.fa
	says 0 'the queries look like DNA' \
		sw-scan --matrix BLOSUM62 -q d.fa pep.fa
	says 0 'the sequences look like DNA' \
		sw-scan --matrix BLOSUM62 -q pep.fa d.fa
	quiet sw-scan --matrix BLOSUM62 -q pep.fa pep.fa
	quiet asm-scan --overhang 0.5 -q q.fa a.fa
	for o in 0 0.2 0.25; do
		says 0 "--overhang $o: all 13 letters of AGATCGGAAGAGC may hang over within -k 3" \
			asm-scan -k 3 --overhang $o -e AGATCGGAAGAGC a.fa
		for f in --filter --invert; do
			fails 2 "would pass: --overhang $o*-k 3" \
				asm-scan -k 3 --overhang $o \
				$f -o x -e AGATCGGAAGAGC a.fa
			[ ! -e x ]
		done
	done
	quiet asm-scan -k 3 --overhang 0.31 --filter -e AGATCGGAAGAGC a.fa
	says 0 '-k 99% allows 23 differences in 24 letters; 99 % identity is -k 1%' \
		asm-scan -k 99% -q q.fa a.fa
	says 0 '--max-mismatches 3: -k allows only 0 differences of all kinds' \
		asm-scan --max-mismatches 3 -q q.fa a.fa
	cat a.fa a.fa > twice.fa
	says 0 'two sequences are called chr1' asm-scan -e ACGT twice.fa
	says 0 'two sequences are called chr1' fasta-chunk -o x.rec twice.fa
	# among the first 65,536, the first one of them
	for n in 1000 40000 65535; do
		{ seq $n; echo 777; echo 9; } | sed 's/.*/>s&\nA/' > names.fa
		says 0 'two sequences are called s777:' fasta-chunk -o x.rec names.fa
	done
	seq 65536 | sed 's/.*/>s&\nA/' > names.fa
	fasta-chunk -o x.rec names.fa 2> err
	[ ! -s err ]
	says 0 'twice.fa: two queries are called chr1' asm-scan -q twice.fa a.fa
	says 0 'twice.fa: two queries are called chr1' sw-scan -q twice.fa a.fa
	says 0 'queries look like DNA, but --alphabet=protein' \
		asm-scan --alphabet protein -q d.fa pep.fa
	quiet asm-scan --alphabet protein -e GATTACA pep.fa
	says 0 'queries look like DNA, but --matrix=BLOSUM62' \
		sw-scan --matrix BLOSUM62 -q q.fa a.fa
	randseq 300 4 70 s > dna.fa
	says 0 'the sequences look like DNA' sw-scan --matrix BLOSUM62 -e ARNDC dna.fa
	says 0 'a target has fewer than the 5 letters of -k' \
		primer-find -k 5 -q a.fa q.fa
	head -c 120 dna.fa > few.fa
	says 0 'no primer found: -k or a limit is too strict, or the background holds the target (--self)' \
		primer-find -k 2 --gc 99-100 -q few.fa dna.fa
	says 0 'no pair of primers found: -k or a limit is too strict, or the background holds the target (--self)' \
		primer-find -k 2 --product-size 40-41 -q few.fa dna.fa
	primer-find -k 2 --gc 99-100 -O rec -q few.fa dna.fa > few.rec
	says 0 'no primer found' merge-topk few.rec
	quiet primer-find -k 1 -q few.fa a.fa
	randseq 3000 5 70 host > host.fa
	says 0 'the background has 116 letters, the targets have more than ten' \
		primer-find -k 4 -q host.fa few.fa
	run -0 --separate-stderr primer-find -k 4 -q few.fa host.fa
	[[ $stderr != *background* ]]
	fails 2 '--gc 0.4-0.6: is in percent: 40-60' \
		primer-find -k 2 --gc 0.4-0.6 -q a.fa q.fa
	fails 1 'phylip: there is no sequence' sh_ 'ebwt-dist -O phylip /dev/null'
	printf '>m\nA [ 1 2 ]\nC [ 1 1 ]\nG [ 0 0 ]\nT [ 3 3 ]\n' > m
	for p in asm-scan sw-scan primer-find; do
		o='-k 1'
		[ $p != sw-scan ] || o=
		run -1 --separate-stderr $p $o -q m a.fa
		one_line $p
		[[ $stderr == "$p: m: a matrix: only ebwt-dist reads matrices"* ]]
		run -1 --separate-stderr $p $o -e ACGT m
		[[ $stderr == "$p: m: "'a matrix, not letters: only ebwt-dist reads matrices'* ]]
	done
	printf 'chr1\t10\t20\tx\t5\t+\n' > x.bed
	fails 1 '(BED? ' asm-scan -e ACGT x.bed
	fails 1 '(a table of hits' asm-scan -e ACGT want.tsv
	asm-scan -e ACGT --no-header a.fa > headless.tsv
	run -1 --separate-stderr asm-scan -e ACGT headless.tsv
	[[ $stderr != *SAM* ]]
	printf 'gene\tsymbol\nx\ty\n' > x.tsv
	fails 1 '(a table? ' asm-scan -e ACGT x.tsv
}

@test "-o replaces no file that > would not" {
	prepare
	need setpriv
	chmod 755 .
	mkdir d
	chmod 777 d
	: > d/kept
	chmod 444 d/kept
	for o in d/kept; do
		fails 1 'd/kept: cannot *Permission denied' \
			setpriv --reuid=65534 --clear-groups \
			"$(command -v asm-scan)" -e ACGT -o $o a.fa
	done
	[ ! -s d/kept ]
}

@test "records are not written to a terminal" {
	need_terminal
	prepare
	asm-scan -e ACGT -O rec a.fa > a.rec
	for c in 'asm-scan -e ACGT -O rec a.fa' 'sw-scan -e ACGT -O rec a.fa' \
		'merge-topk --partial a.rec' 'merge-topk -O rec a.rec' \
		'rec-view -O rec a.rec' 'ebwt-dist -O rec a.fa' \
		'primer-find -k 1 -e ACGTACGT -O rec a.fa' 'fasta-chunk a.fa'; do
		run script -qec "$c" /dev/null
		[ "$status" -eq 2 ]
		[[ $output == *'binary output to a terminal: pipe it or use -o'* ]]
	done
	script -qec 'merge-topk --partial -o b.rec a.rec' /dev/null
	rec-view --check b.rec
}

@test "an output without a byte is noted" {
	printf '>a\nACGTACGT\n' > a.fa
	for c in 'asm-scan -e GGGG -O bed' 'sw-scan -e GG --min-score 9 -O bed' \
		'asm-scan -t 1 --pam NGG -e GGGG -O bed'; do
		run -0 --separate-stderr $c a.fa
		[ -z "$output" ]
		[[ $stderr == *'nothing was found: the output is empty' ]]
		run -0 --separate-stderr $c --quiet a.fa
		[ -z "$output$stderr" ]
	done
	for c in 'merge-topk -O bed' 'rec-view -O bed'; do
		says 0 'nothing was found: the output is empty' \
			sh_ "asm-scan -e GGGG -O rec a.fa | $c"
	done
	run -0 --separate-stderr sh_ 'asm-scan -e GGGG -O rec a.fa | merge-topk --missing'
	[ -z "$output$stderr" ]
	asm-scan -e GGGG -O rec a.fa | rec-view --check 2> err
	[ ! -s err ]
	printf 'p\tGGGG\tTTTT\n' > p.tsv
	says 0 'nothing was found: the output is empty' \
		pcr-find -p p.tsv -O bed a.fa
	run -0 --separate-stderr asm-scan -e GGGG --filter a.fa
	[ -z "$output" ]
	[[ $stderr == 'asm-scan: 0 of 1 record passed' ]]
	run -0 --separate-stderr asm-scan -e ACGT -O bed a.fa
	[ -n "$output" ]
	[ -z "$stderr" ]
}
