# SPDX-License-Identifier: MIT
# asm-scan --pam: each site of a guide beside a PAM, once.
load helper

# Guides, and a text in which both strands have changed copies of them.
setup_file() {
	awk 'BEGIN {
		srand(7)
		split("A C G T", l, " ")
		g[1] = "GAGTCCGAGCAGAAGAAGAA"
		g[2] = "GACCCCCTCCACCCCGCCTC"
		comp["A"] = "T"; comp["C"] = "G"; comp["G"] = "C"; comp["T"] = "A"
		for (i = 0; i < 90; i++) {
			for (n = int(rand() * 300); n--; )
				s = s l[1 + int(rand() * 4)]
			t = g[1 + i % 2]
			for (n = int(rand() * 5); n--; ) {
				p = 1 + int(rand() * length(t))
				x = rand() < .6 ? l[1 + int(rand() * 4)] : ""
				y = rand() < .2 ? l[1 + int(rand() * 4)] : ""
				t = substr(t, 1, p - 1) x y substr(t, p + 1)
			}
			t = t l[1 + int(rand() * 4)] "GG"
			if (rand() < .5) {
				r = ""
				for (p = length(t); p; p--)
					r = r comp[substr(t, p, 1)]
				t = r
			}
			s = s t
		}
		r = ""
		for (p = length(s); p; p--)
			r = r comp[substr(s, p, 1)]
		printf ">t\n%s\n", s > "'"$BATS_FILE_TMPDIR"'/t.fa"
		printf ">t\n%s\n", r > "'"$BATS_FILE_TMPDIR"'/r.fa"
		printf ">g1\n%s\n>g2\n%s\n", g[1], g[2] > "'"$BATS_FILE_TMPDIR"'/g.fa"
	}'
}

sites() {
	asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" -O tsv "$@"
}

@test "guide, PAM and coordinates are one row; edits are the guide's" {
	printf '>t\nTTACGTACGTAGGTT\n>u\nAACCTACGTACGTAA\n' > t.fa
	asm-scan --pam NGG -e ACGTACGT -O tsv t.fa | rows | cut -f 2-12 > have
	printf '11\t0\t11\t+\tt\t15\t2\t13\t0\t0\t11=\n' > want
	printf '11\t0\t11\t-\tu\t15\t2\t13\t0\t0\t11=\n' >> want
	diff want have
}

@test "a guide's first letters may be beyond the sequence, its PAM may not" {
	printf '>a\nCGTACGTAGG\n>b\nACGTACGTAG\n>c\nACGTACGTAGG\n' > t.fa
	asm-scan -s + --pam NGG -k 1 -e ACGTACGT -O tsv t.fa | rows |
		cut -f 6,8-10,12 > have
	printf 'a\t0\t10\t1\t1I10=\nc\t0\t11\t0\t11=\n' > want
	diff want have
}

@test "a PAM on the 5' side" {
	printf '>t\nAATTTCACGTACGTAA\n>u\nAATTTTACGTACGTAA\n' > t.fa
	asm-scan -s + --pam TTTV --pam-side=5 -e ACGTACGT -O tsv t.fa | rows |
		cut -f 6,8-10,12 > have
	printf 't\t2\t14\t0\t12=\n' > want
	diff want have
}

@test "a place that several PAMs match is one site, of the first given" {
	printf '>t\nTTACGTACGTAGGTT\n' > t.fa
	asm-scan -s + --pam NAG,NGG,AG -e ACGTACG -k 1 -O tsv t.fa | rows |
		cut -f 2,8-10,12 > have
	[ "$(sort have | uniq -d | wc -l)" = 0 ]
	grep -q '^10	2	13	1' have
}

@test "sites of the reverse complement are mirrored, row for row" {
	sites "$BATS_FILE_TMPDIR/t.fa" | rows > t
	sites "$BATS_FILE_TMPDIR/r.fa" | rows > r
	[ "$(wc -l < t)" -gt 90 ]
	awk -v OFS='\t' '{ print $1, $5 == "+" ? "-" : "+", $7 - $9,
		$7 - $8, $10 }' r | sort > mirrored
	cut -f 1,5,8,9,10 t | sort | diff - mirrored
}

@test "rows do not depend on chunks, threads, instruction sets, fan-out" {
	sites "$BATS_FILE_TMPDIR/t.fa" > want
	for l in 64 200 1000; do
		for t in 1 3; do
			fasta-chunk -L $l -W 64 "$BATS_FILE_TMPDIR/t.fa" |
				sites -t $t | cmp - want
		done
	done
	for i in scalar avx2 avx512; do
		SEQF_ISA=$i sites "$BATS_FILE_TMPDIR/t.fa" | cmp - want
	done
	for i in 2 0 1; do
		fasta-chunk -L 150 -W 64 --part $i/3 "$BATS_FILE_TMPDIR/t.fa" |
			asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" \
			-O rec
	done | merge-topk --sort=position -O tsv | rows | sort > have
	rows < want | sort | diff - have
}

@test "on the plus strand they are all ends with an exact PAM" {
	sed '/^>/!s/$/NGG/' "$BATS_FILE_TMPDIR/g.fa" > n.fa
	asm-scan -s + -k 4 --report=all --exact-suffix 3 -q n.fa -O tsv \
		"$BATS_FILE_TMPDIR/t.fa" > want
	sites -s + "$BATS_FILE_TMPDIR/t.fa" | diff want -
}

@test "limits by kind: what is reported keeps them" {
	sites --max-mismatches 2 --max-bulges 1 "$BATS_FILE_TMPDIR/t.fa" |
		rows | cut -f 12 > have
	[ -s have ]
	awk '{ x = i = 0
		while (match($0, /[0-9]+[=XID]/)) {
			n = substr($0, RSTART, RLENGTH - 1)
			op = substr($0, RSTART + RLENGTH - 1, 1)
			x += op == "X" ? n : 0
			i += op ~ /[ID]/ ? n : 0
			$0 = substr($0, RSTART + RLENGTH)
		}
		if (x > 2 || i > 1) exit 1 }' have
	sites --no-indels "$BATS_FILE_TMPDIR/t.fa" > h
	sites --max-bulges 0 "$BATS_FILE_TMPDIR/t.fa" | diff h -
	no grep -q '[0-9][ID]' <(rows < h | cut -f 12)
}

@test "limits without a PAM" {
	printf '>t\nCATGACTG\n' > t.fa
	asm-scan -s + -k 2 --max-mismatches 1 --max-bulges 0 -e TACTG -O tsv \
		t.fa | rows | cut -f 8-10,12 > have
	printf '3\t8\t1\t1X4=\n' | diff - have
	asm-scan -s + -k 2 --max-mismatches 0 -e TACTG -O tsv t.fa | rows |
		cut -f 8-10,12 > have
	[ -s have ]
	no grep -q X have
}

@test "-O offtarget: the columns of Cas-OFFinder, on both strands and sides" {
	printf '>t\nTTACGTACGTAGGTT\n>u\nAACCTACTTACGTAA\n' > t.fa
	printf '>v\nTTACGTACGGTAGGTT\n' >> t.fa
	printf '>g\nACGTACGT\n' > g.fa
	asm-scan --pam NGG -k 1 -q g.fa -O offtarget t.fa > have
	printf '#Id\tBulge type\tcrRNA\tDNA\tChromosome\tLocation\t' > want
	printf 'Direction\tMismatches\tBulge Size\tCut site\n' >> want
	printf 'g\tX\tACGTACGTNGG\tACGTACGTAGG\tt\t2\t+\t0\t0\t7\n' >> want
	printf 'g\tX\tACGTACGTNGG\tACGTAaGTAGG\tu\t2\t-\t1\t0\t8\n' >> want
	printf 'g\tDNA\tACGTAC-GTNGG\tACGTACGGTAGG\tv\t2\t+\t0\t1\t8\n' >> want
	diff want have
	asm-scan --pam NGG -k 1 --with-seq -q g.fa -O rec t.fa |
		merge-topk --sort=position -q g.fa -O offtarget | diff want -
	printf '>t\nAATTTCACGTACGTACGTACGTACTTAA\n' > t.fa
	asm-scan -s + --pam TTTV --pam-side=5 -e ACGTACGTACGTACGTACTT \
		-O offtarget t.fa | rows | cut -f 3,4,10 > have
	printf 'TTTVACGTACGTACGTACGTACTT\tTTTCACGTACGTACGTACGTACTT\t24\n' |
		diff - have
	run -2 --separate-stderr asm-scan -O offtarget -e ACGT t.fa
	[[ $stderr == *"with --pam"* ]]
	run -2 --separate-stderr sh_ "asm-scan --pam NGG -k 1 --with-seq \
		-q g.fa -O rec $BATS_FILE_TMPDIR/t.fa |
		merge-topk -O offtarget"
}

@test "counts, best hits and records with sites" {
	n=$(sites "$BATS_FILE_TMPDIR/t.fa" | rows | wc -l)
	asm-scan --pam NGG -k 4 --histogram -q "$BATS_FILE_TMPDIR/g.fa" \
		-O tsv "$BATS_FILE_TMPDIR/t.fa" | rows |
		awk '{ n += $4 } END { print n }' > have
	[ "$(cat have)" = "$n" ]
	sites -n 3 "$BATS_FILE_TMPDIR/t.fa" > have
	asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" -O rec \
		"$BATS_FILE_TMPDIR/t.fa" | merge-topk -n 3 -O tsv | diff have -
	printf '@a\nTTACGTACGTAGG\n+\nIIIIIIIIIIIII\n@b\nTTACGTACGTACC\n+\nIIIIIIIIIIIII\n' > r.fq
	[ "$(asm-scan -s + --pam NGG -e ACGTACGT --filter r.fq | head -n 1)" = @a ]
}

@test "what does not go together, and bad guides and PAMs, exit 2" {
	printf '>t\nACGT\n' > t.fa
	for o in --report=all '--exact-suffix 3' '--exact-prefix 3' \
		'--overhang 0' --alphabet=bytes; do
		run -2 --separate-stderr sh_ \
			"asm-scan --pam NGG -e ACGTACGT $o t.fa"
		[[ $stderr == *"not with --pam"* ]]
	done
	run -2 --separate-stderr asm-scan --pam NXG -e ACGTACGT t.fa
	[[ $stderr == *"letter 2 of the PAM NXG"* ]]
	run -2 --separate-stderr asm-scan --pam NGG, -e ACGTACGT t.fa
	run -2 --separate-stderr asm-scan --pam NGG -k 8 -e ACGTACGT t.fa
	[[ $stderr == *"-k 8"* ]]
	run -2 --separate-stderr asm-scan --pam NGG -e ACGTZCGT t.fa
	[[ $stderr == *"letter 5, 'Z'"* ]]
	run -2 --separate-stderr asm-scan --max-bulges 1 --overhang 0 \
		-e ACGT t.fa
	[[ $stderr == *"--overhang: not with limits"* ]]
	run -0 --separate-stderr asm-scan --pam N -e ACGTACGT -O tsv t.fa
	[[ $stderr == *"this is slow"* ]]
}
