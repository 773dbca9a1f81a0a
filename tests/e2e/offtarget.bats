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

@test "guide, PAM and coordinates are one row: at ends, on both sides, of several PAMs" {
	printf '>t\nTTACGTACGTAGGTT\n>u\nAACCTACGTACGTAA\n' > t.fa
	asm-scan --pam NGG -e ACGTACGT -O tsv t.fa | rows | cut -f 2-12 > have
	printf '11\t0\t11\t+\tt\t15\t2\t13\t0\t0\t11=\n' > want
	printf '11\t0\t11\t-\tu\t15\t2\t13\t0\t0\t11=\n' >> want
	diff want have
	printf '>a\nCGTACGTAGG\n>b\nACGTACGTAG\n>c\nACGTACGTAGG\n' > t.fa
	asm-scan -s + --pam NGG -k 1 -e ACGTACGT -O tsv t.fa | rows |
		cut -f 6,8-10,12 > have
	printf 'a\t0\t10\t1\t1I10=\nc\t0\t11\t0\t11=\n' > want
	diff want have
	printf '>t\nAATTTCACGTACGTAA\n>u\nAATTTTACGTACGTAA\n' > t.fa
	asm-scan -s + --pam TTTV --pam-side=5 -e ACGTACGT -O tsv t.fa | rows |
		cut -f 6,8-10,12 > have
	printf 't\t2\t14\t0\t12=\n' > want
	diff want have
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
	LENGTHS='64 200 1000' however want "$BATS_FILE_TMPDIR/t.fa" sites
	fan 3 "-L 150 -W 64 $BATS_FILE_TMPDIR/t.fa" \
		asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" -O rec |
		merge-topk --sort=position -O tsv | rows | sort > have
	rows < want | sort | diff - have
}

@test "a region has the sites that its letters have by themselves" {
	grep -v '>' "$BATS_FILE_TMPDIR/t.fa" > letters
	for r in 1-700 301-1000 301-1150 1500-2777; do
		{
			echo '>t'
			cut -c $r letters
		} > part.fa
		for o in '--pam NGG,NG' '--pam CCN,N --pam-side=5'; do
			asm-scan $o -k 6 -e GAGTCCGAGC -O tsv part.fa | rows |
				awk -v from="${r%-*}" -v OFS='\t' '{
					$8 += from - 1; $9 += from - 1
					print }' | cut -f 1-6,8- > want
			[ -s want ]
			asm-scan $o -k 6 -e GAGTCCGAGC -O tsv -r t:$r \
				"$BATS_FILE_TMPDIR/t.fa" | rows |
				cut -f 1-6,8- | diff want -
			fasta-chunk -L 50 -r t:$r "$BATS_FILE_TMPDIR/t.fa" |
				asm-scan $o -k 6 -e GAGTCCGAGC -O tsv | rows |
				cut -f 1-6,8- | diff want -
		done
	done
}

# Letters that are cut here are printed by the threads that search them.
@test "long sequences: the rows are those of records, whatever is printed where" {
	for i in 1 2 3 4 5 6; do	# as often on each side of a border
		cat "$BATS_FILE_TMPDIR/t.fa" "$BATS_FILE_TMPDIR/r.fa"
	done | grep -v '>' | tr -d '\n' > letters
	for i in 1 2 3 4 5 6; do
		cat letters
	done | awk 'BEGIN { RS = "Z"; print ">long" } { print $0 $0 }
		END { print ">short\nACGTGG" }' > t.fa
	[ "$(wc -c < t.fa)" -gt 1000000 ]
	fasta-chunk -L 777 -W 64 t.fa > t.rec
	for f in tsv paf; do
		asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" -O $f \
			t.rec > want
		[ "$(wc -l < want)" -gt 1000 ]
		for t in 1 3; do
			asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" \
				-O $f -t $t t.fa | cmp - want
			asm-scan --pam NGG -k 4 -q "$BATS_FILE_TMPDIR/g.fa" \
				-O $f -t $t < t.fa | cmp - want
		done
	done
	cp t.fa u.fa
	sites t.fa u.fa > have
	{
		sites t.fa
		sites --no-header t.fa
	} | cmp - have
	sites t.rec u.fa | cmp - have
}

@test "a guide of a repeat has a site in each of 120000 copies" {
	g=ATTACAGTCAATGCTAGACT
	{ echo '>r'; seq 120000 | sed "s/.*/${g}TGG/"; } > r.fa
	seq 0 23 2759977 > want
	for t in 1 3; do
		asm-scan --pam NGG -k 3 -t $t -e $g -O tsv r.fa | rows > have
		cut -f 8 have | diff want - > bad
		[ "$(cut -f 5,10,12 have | sort -u)" = $'+\t0\t23=' ]
	done
	fasta-chunk -L 10k -W 64 r.fa | asm-scan --pam NGG -k 3 -e $g -O tsv |
		rows | cmp - have
	asm-scan --pam NGG -k 3 -e $g --score-table mit -O guides r.fa |
		rows | cut -f 3-6 | grep -x $'120000\t0\t0\t0'
}

@test "on the plus strand they are all ends with an exact PAM" {
	sed '/^>/!s/$/NGG/' "$BATS_FILE_TMPDIR/g.fa" > n.fa
	asm-scan -s + -k 4 --report=all --exact-suffix 3 -q n.fa -O tsv \
		"$BATS_FILE_TMPDIR/t.fa" > want
	sites -s + "$BATS_FILE_TMPDIR/t.fa" | diff want -
}

@test "limits by kind: what is reported keeps them, with a PAM or without" {
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
	asm-scan --pam NGG -k 1 --with-seq -q g.fa -O rec t.fa > g.rec
	merge-topk --sort=position -q g.fa -O offtarget g.rec | diff want -
	# records hold the guides, up to a million letters of them
	rec-view -O offtarget g.rec | diff want -
	{ sed 1d g.fa; randseq 1050000 7 20 x | sed 1d; } > many
	asm-scan --pam NGG -k 1 --with-seq -q many -O rec t.fa > many.rec
	rec-view -q <(sed 's/>.*/>ACGTACGT/' g.fa) -O offtarget many.rec |
		sed 's/^ACGTACGT/g/' | diff want -
	fails 2 ': -O offtarget: -q FILE with the guides is needed' \
		rec-view -O offtarget many.rec
	# of two searches each site has its own PAM
	asm-scan --pam AGG,CGG -k 1 --with-seq -q g.fa -O rec t.fa |
		cat - g.rec | rec-view -O offtarget | cut -f 3 | sort -u > have
	printf '%s\n' 'ACGTAC-GT'{A,N}GG ACGTACGT{A,N}GG crRNA | diff - have
	printf '>t\nAATTTCACGTACGTACGTACGTACTTAA\n' > t.fa
	asm-scan -s + --pam TTTV --pam-side=5 -e ACGTACGTACGTACGTACTT \
		-O offtarget t.fa | rows | cut -f 3,4,10 > have
	printf 'TTTVACGTACGTACGTACGTACTT\tTTTCACGTACGTACGTACGTACTT\t24\n' |
		diff - have
	fails 2 'with --pam' asm-scan -O offtarget -e ACGT t.fa
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
		fails 2 'not with --pam' sh_ \
			"asm-scan --pam NGG -e ACGTACGT $o t.fa"
	done
	fails 2 '--pam-side=5: with --pam' \
		asm-scan --pam-side=5 -e ACGTACGT t.fa
	fails 2 'letter 2 of the PAM NXG' asm-scan --pam NXG -e ACGTACGT t.fa
	run -2 --separate-stderr asm-scan --pam NGG, -e ACGTACGT t.fa
	fails 2 '-k 8' asm-scan --pam NGG -k 8 -e ACGTACGT t.fa
	fails 2 "letter 5, 'Z'" asm-scan --pam NGG -e ACGTZCGT t.fa
	printf '>a\nACGTACGT\n>b c\nACGT\nZCGT\n' > g.fa
	printf '\nACGTACGT\nACG\n' > g.txt
	fails 2 "g.fa:3: query b: letter 5, 'Z', is not DNA" \
		asm-scan --pam NGG -q g.fa -o out t.fa
	fails 2 'g.txt:3: query ACG: -k 3: ' \
		asm-scan --pam NGG -k 3 -q g.txt -o out t.fa
	[ ! -e out ]
	fails 2 '--overhang: not with limits' \
		asm-scan --max-bulges 1 --overhang 0 -e ACGT t.fa
	says 0 'this is slow' asm-scan --pam N -e ACGTACGT -O tsv t.fa
}

guides() {
	asm-scan -q "$BATS_FILE_TMPDIR/g.fa" "$@"
}

# A made-up table of factors, with bulges, to $1.
table() {
	awk 'BEGIN {
		split("A C G U -", r, " ")
		split("A C G T -", d, " ")
		print "# made up"
		for (p = 1; p <= 21; p++)
			for (x = 0; x < 25; x++) {
				i = 1 + int(x / 5); j = 1 + x % 5
				if (i + j == 10 || (p > 20 && i < 5) ||
				    i + j == 5)
					continue
				y = (37 * p + 11 * i + 7 * j) % 101
				printf "r%s:d%s,%d\t%.6f\n", r[i], d[j], p,
					1 - y / 131
			}
		print "pam GG 1 # as published\npam\tAG .25"
		print "pam CG 0.1\npam TG 0.039"
	}' > "$1"
}

# Rows of -O offtarget whose score is not that of their letters, by the table
# or the MIT's formula; pam: its letters, before: they precede the guide.
unlike() {
	awk -F '\t' -v pam=3 "$@" 'BEGIN {
		split("0 0 .014 0 0 .395 .317 0 .389 .079 .445 .508 .613 " \
			".851 .732 .828 .615 .804 .685 .583", w, " ")
		pair["A"] = "T"; pair["C"] = "G"; pair["G"] = "C"
		pair["T"] = "A"; pair["-"] = "-"
		while (table && (getline line < table) > 0) {
			sub(/#.*/, "", line)
			split(line, a, /[ \t]+/)
			key = a[1] == "pam" ? a[1] a[2] : a[1]
			v[key] = a[1] == "pam" ? a[3] : a[2]
		}
	}
	function factor(key) {
		known = known && key in v
		return known ? v[key] : 0
	}
	/^#/ { next }
	{
		g = $3; d = toupper($4); pos = 1; n = 0; s = known = 1
		bare = g; gsub(/-/, "", bare)
		rest = before ? pam : length(bare)
		for (i = 1; i <= length(g); i++) {
			x = substr(g, i, 1); y = substr(d, i, 1)
			if (before && rest) { rest--; continue }
			if (pos > length(bare) - pam && x != "-") break
			if (x != y && table) {
				sub(/T/, "U", x)
				s *= factor("r" x ":d" pair[y] "," pos)
			} else if (x != y) {
				first = n++ ? first : pos
				last = pos
				s *= 1 - w[pos]
			}
			pos += substr(g, i, 1) != "-"
		}
		gsub(/-/, "", d)
		end = before ? substr(d, 1, pam) : d
		if (table)
			s *= factor("pam" substr(end, length(end) - 1))
		else if ($9)
			known = 0
		if (!table && n > 1)
			s *= 1 / ((19 - (last - first) / (n - 1)) / 19 * 4 + 1)
		if (!table && n)
			s /= n * n
		e = s - $11
		if (known ? $11 == "*" || e * e > 1.2e-18 : $11 != "*")
			print s, known, $0
	}'
}

# Id, mismatches, bulges, strand, cut site, PAM and score of -O offtarget, and
# of the two others, in order.
facts() {
	rows | awk -F '\t' -v OFS='\t' -v of="$1" '
	of == "offtarget" {
		d = $3; r = $4
		print $1, $8, gsub(/-/, "", d), gsub(/-/, "", r), $7, $10,
			substr($3, length($3) - 2), $11
	}
	of == "bed" { print $4, $8, $9, $10, $6, $11, $12, $13 }
	of == "sam" && !/^@/ {
		v["xs"] = "*"
		for (i = 12; i <= NF; i++)
			v[substr($i, 1, 2)] = substr($i, 6)
		strand = int($2 / 16) % 2 ? "-" : "+"
		print $1, v["xm"], v["xd"], v["xr"], strand, v["xc"],
			v["xp"], v["xs"]
	}' | sort
}

@test "-O bed and -O sam say of a site what -O offtarget says" {
	table f.txt
	guides --pam NGG,NAG -k 4 --with-seq --score-table f.txt -O rec \
		"$BATS_FILE_TMPDIR/t.fa" > s.rec
	for f in offtarget bed sam; do
		guides -k 4 --pam NGG,NAG --with-seq --score-table f.txt -O $f \
			"$BATS_FILE_TMPDIR/t.fa" > $f
		facts $f < $f > facts.$f
		[ "$(wc -l < facts.$f)" -gt 90 ]
		diff facts.offtarget facts.$f
	done
	grep -q '	NAG	' facts.bed
	merge-topk --sort=begin -O bed s.rec | cmp - bed
	merge-topk --sort=position -O sam s.rec | facts sam | diff facts.sam -
	awk -F '\t' 'NF != 13 { exit 1 }' bed
}

@test "a cut before the sequence is *, and of a circle it is turned" {
	printf '>a\nTTACGTACGTTGAAATT\n' > t.fa
	cut_of() {
		asm-scan -e ACGTACGT "$@" | rows > cut.out
		asm-scan -e ACGTACGT "$@" -O bed | cut -f 11 | uniq > cut.bed
		cut -f 10 cut.out | uniq | diff - cut.bed
		cat cut.bed
	}
	# 18 letters behind a PAM: beyond the site
	[ "$(cut_of -s - --pam TTCA --pam-side=5 -O offtarget t.fa)" = '*' ]
	[ "$(cut_of -s - --pam TTCA --pam-side=5 --circular -O offtarget \
		t.fa)" = '*' ]
	printf '>a\nACGTACGAGGTTAAATTGTAC\n>b\nGTACGAGGTTAAATTGTACAC\n' > c.fa
	[ "$(cut_of -s + --pam AGG --circular -k 1 -O offtarget c.fa)" = \
		"$(printf '4\n2')" ]
}

@test "-O offtarget: a shorter PAM matches the end of a longer one, too" {
	printf '>t\nCCATTCTCATGCTGAAAACGTGGTGAGCCC\n' > t.fa
	asm-scan -s + --pam NAG,TGAG -e TTCTCATGCTGAAAACGTGG -O tsv t.fa |
		rows | cut -f 2 > have
	printf '24\n' | diff - have
	asm-scan -s + --pam NAG,TGAG -e TTCTCATGCTGAAAACGTGG -O offtarget \
		t.fa | rows | cut -f 3 > have
	printf 'TTCTCATGCTGAAAACGTGGTGAG\n' | diff - have
}

@test "samtools and bedtools take sites" {
	need samtools bedtools
	guides --pam NGG -k 4 -O sam "$BATS_FILE_TMPDIR/t.fa" > sam
	guides --pam NGG -k 4 -O bed "$BATS_FILE_TMPDIR/t.fa" > bed
	[ "$(samtools view -c sam)" = "$(wc -l < bed)" ]
	samtools view -b sam | samtools view - > have
	[ "$(grep -c 'xp:Z:NGG' have)" = "$(wc -l < bed)" ]
	bedtools intersect -u -sorted -a bed -b bed | diff bed -
	# NM and MD are what samtools makes of SEQ and the sequence
	samtools sort -O sam sam | samtools view - > sorted
	samtools calmd <(samtools sort -O sam sam) "$BATS_FILE_TMPDIR/t.fa" \
		2> err | grep -v '^@' | cmp - sorted
	cut -f 10 sorted | no grep -vqx '[ACGT]*'
	# of RNA too: U would be N in BAM
	sed '/>/!y/T/U/' "$BATS_FILE_TMPDIR/g.fa" > rna.fa
	asm-scan --pam NGG -k 4 -q rna.fa -O sam "$BATS_FILE_TMPDIR/t.fa" |
		grep -v '^@' > have
	grep -v '^@' sam | diff - have
}

@test "-O bed of sites without letters, CIGARs, or with PAMs of two lengths" {
	printf '>t\nTTACGTACGTAGGTT\n' > t.fa
	one() {
		asm-scan -s + -e ACGTACGT -k 0 -O bed "$@" t.fa | cut -f 7-
	}
	[ "$(one --pam NGG)" = 'X	0	0	0	7	NGG	*' ]
	[ "$(one --pam NGG --no-cigar)" = '*	*	*	*	7	NGG	*' ]
	[ "$(one --pam NAG,NGG)" = 'X	0	0	0	7	*	*' ]
	[ "$(one --pam NAG,NGG --with-seq)" = 'X	0	0	0	7	NGG	*' ]
	[ "$(one --pam NA,NGG --with-seq)" = 'X	0	0	0	*	*	*' ]
	asm-scan -s + -e ACGTACGT -k 0 -O bed t.fa | awk 'NF != 6 { exit 1 }'
}

@test "--score-table mit: the published formula" {
	g=GAGTCCGAGCAGAAGAAGAA
	printf '>t\nTTT%sTGGTT%sAGGAACC%sCGG\n' $g GAGTCCGAGCAGAAGAAGAT \
		GAGTCCTAGCAGAAGAAGAT > t.fa
	printf '>u\n%sTGG\n>v\n%sTGG\n' TAGTCCGTGCAGAAGAACAA \
		GAGTCCGAGCAGAAGAGAA >> t.fa
	asm-scan --pam NGG -k 3 --score-table mit -e $g -O offtarget t.fa \
		> have
	# none; at 20: 1 - .583; at 7 and 20:
	# (1 - .317) (1 - .583) / ((19 - 13) / 19 * 4 + 1) / 4;
	# at 1, 8 and 18: (1 - .804) / ((19 - 8.5) / 19 * 4 + 1) / 9
	printf 'Score\n1\n0.417\n0.03146168\n0.006783242\n*\n' > want
	cut -f 11 have | diff want -
	sites --score-table mit -O offtarget "$BATS_FILE_TMPDIR/t.fa" > have
	[ "$(rows < have | grep -vc '\*$')" -gt 20 ]
	unlike < have > bad
	diff /dev/null bad
}

@test "--score-table FILE: factors of differences and of the PAM" {
	table f.txt
	guides -k 4 --pam NNG --score-table f.txt -O offtarget \
		"$BATS_FILE_TMPDIR/t.fa" > have
	[ "$(rows < have | grep -c DNA)" -gt 5 ]
	[ "$(rows < have | grep -vc '\*$')" -gt 50 ]
	unlike -v table=f.txt < have > bad
	diff /dev/null bad
	guides -k 6 --pam NAA --score-table f.txt -O offtarget \
		"$BATS_FILE_TMPDIR/t.fa" | rows | cut -f 11 | sort -u > g
	printf '*\n' | diff - g
	guides -k 4 --pam NNN --pam-side=5 --score-table f.txt -O offtarget \
		"$BATS_FILE_TMPDIR/t.fa" > have
	[ "$(rows < have | grep -vc '\*$')" -gt 5 ]
	unlike -v table=f.txt -v before=1 < have > bad
	diff /dev/null bad
	# without bulges, and of guides that are longer than the table
	grep -v -e 'r-' -e 'd-' f.txt > g.txt
	sites --score-table g.txt -O offtarget "$BATS_FILE_TMPDIR/t.fa" |
		rows | awk -F '\t' '($9 > 0) != ($11 == "*")' > bad
	diff /dev/null bad
	grep -v ',20	' f.txt | sed '/,21	/d' > g.txt
	sites --score-table g.txt -O offtarget "$BATS_FILE_TMPDIR/t.fa" |
		rows | cut -f 11 | sort -u > have
	printf '*\n' | diff - have
	# without PAMs all are alike; comments, blanks, order and a byte order
	# mark do not count
	{ printf '\xef\xbb\xbf'
	  grep -v pam f.txt | tac | sed 's/	/  /; s/$/ # x/'; } > g.txt
	sites --score-table g.txt -O offtarget "$BATS_FILE_TMPDIR/t.fa" > have
	sites --score-table f.txt -O offtarget "$BATS_FILE_TMPDIR/t.fa" |
		diff - have
}

@test "scores do not depend on chunks, threads, instruction sets, fan-out" {
	table f.txt
	text=$BATS_FILE_TMPDIR/t.fa guides=$BATS_FILE_TMPDIR/g.fa
	for f in mit f.txt; do
		sites --score-table $f -O offtarget "$text" > want
		LENGTHS='64 1000' however want "$text" \
			sites --score-table $f -O offtarget
		for i in 2 0 1; do
			fasta-chunk -L 150 -W 64 --part $i/3 "$text" |
				sites --score-table $f --with-seq -O rec |
				merge-topk --partial > p$i.rec
		done
		merge-topk --partial p2.rec p1.rec > p.rec
		merge-topk -q "$guides" -O offtarget p.rec p0.rec > have
		sort want > sorted
		sort have | diff sorted -
		merge-topk --partial p.rec p0.rec | rec-view --check
	done
	# of json and tsv, too
	rows < want | cut -f 11 > w
	sites --score-table f.txt --columns offtarget_score -O tsv "$text" |
		rows | diff w -
	sites --score-table f.txt -O json "$text" | grep -o \
		'"offtarget_score":[^,]*' | sed 's/.*://; s/null/*/' | diff w -
	no grep -q offtarget <(sites -O json "$text")
}

@test "merge-topk --sort=offtarget-score, and -n by it" {
	table f.txt
	text=$BATS_FILE_TMPDIR/t.fa by=--sort=offtarget-score
	for f in mit f.txt; do
		sites --score-table $f -O rec "$text" > s.rec
		merge-topk --columns query,offtarget_score,score,sbeg s.rec |
			rows > plain
		merge-topk $by --columns query,offtarget_score,score,sbeg \
			s.rec > have
		sort -s -t '	' -k 1,1 -k 2,2gr plain > want
		rows < have | diff want -
		for i in 0 1 2; do
			fasta-chunk -L 150 -W 64 --part $i/3 "$text" |
				sites --score-table $f -O rec |
				merge-topk --partial $by -n 4 > p$i.rec
		done
		merge-topk $by -n 4 -O tsv s.rec > want
		merge-topk $by -n 4 -O tsv p[012].rec | diff want -
		[ "$(rows < want | wc -l)" = 8 ]
		fails 2 'the same -n, --per, --sort and --ties' \
			merge-topk -n 4 p0.rec p1.rec p2.rec
	done
	sites --score-table mit -O rec "$text" | merge-topk $by --ties=keep \
		-n 1000 -O tsv > have
	sites --score-table mit -O rec "$text" | merge-topk $by -O tsv |
		diff - have
}

@test "bad tables of scores: a line with file and line, nothing written" {
	printf '>t\nTTACGTACGTAGGTT\n' > t.fa
	table f.txt
	bad() {
		run -1 --separate-stderr asm-scan --pam NGG -e ACGTACGT \
			--score-table g.txt -o out.tsv t.fa
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"$1"* ]]
		[ ! -e out.tsv ]
	}
	sed '/rA:dC,7	/d' f.txt > g.txt
	n=$(grep -n -m 1 ',7	' g.txt | cut -d : -f 1)
	bad "g.txt:$n: position 7 has no rA:dC,7"
	sed '/,7	/d' f.txt > g.txt
	bad "position 7 has no rA:dA,7"
	sed '3s/	.*/	1.5/' f.txt > g.txt
	bad "g.txt:3: a score must be from 0 to 1: 1.5"
	sed '3s/	.*/	x/' f.txt > g.txt
	bad "g.txt:3: no number: x"
	sed '3s/	.*//' f.txt > g.txt
	bad "g.txt:3: no key such as"
	sed '3p' f.txt > g.txt
	bad "g.txt:4: a second time"
	for k in rA:dT,3 rT:dC,3 rA:dC,0 rA:dC,03 'rA:dC,' r-:d-,1 ra:dc,1 \
		rA:dC,1x X ''; do
		{ printf '%s 1\n' "$k"; cat f.txt; } > g.txt
		bad "g.txt:1: no key such as rA:dC,12"
	done
	{ echo 'rA:dC,101 1'; cat f.txt; } > g.txt
	bad "g.txt:1: a position above 100"
	{ cat f.txt; echo 'pam G 1'; } > g.txt
	bad "all PAMs must have as many letters"
	{ cat f.txt; echo 'pam GG 1'; } > g.txt
	bad "a second time: GG"
	for k in 'pam NG' 'pam ACGTA'; do
		echo "$k 1" > g.txt
		bad "g.txt:1: a PAM's last letters"
	done
	echo 'pam GG' > g.txt
	bad "g.txt:1: not pam, its letters and one value"
	: > g.txt
	bad "no table of scores"
	fails 1 '--score-table: neither mit nor a file' \
		asm-scan --pam NGG -e ACGTACGT --score-table none t.fa
	for o in '-e ACGT' '--pam NGG --histogram -e ACGT' \
		'--pam NGG --pam-side=5 -e ACGT'; do
		fails 2 --score-table sh_ "asm-scan --score-table mit $o t.fa"
	done
	run -2 --separate-stderr asm-scan --pam NGG --filter -e ACGT \
		--score-table mit t.fa
}

# Rows of -O guides, from those of -O offtarget; $1: guides, as FASTA.
summed() {
	awk -F '\t' -v OFS='\t' -v most=4 'FNR == NR {
			if (/^>/) g[++n] = substr($0, 2)
			else l[n] = $0
			next
		}
		/^#/ { next }
		{
			sites[$1]++
			s[$1, $8 + $9]++
			if ($11 == "*") { un[$1]++; next }
			sum[$1] += $11
			if ($8 + $9 == 0 && $11 > top[$1]) top[$1] = $11
		}
		END {
			for (i = 1; i <= n; i++) {
				r = g[i] OFS l[i]
				for (d = 0; d <= most; d++)
					r = r OFS s[g[i], d] + 0
				x = 100 / (1 + sum[g[i]] - top[g[i]])
				x = sprintf("%.5f", x)
				if (sites[g[i]] && un[g[i]] == sites[g[i]])
					x = "*"
				print r, un[g[i]] + 0, x
			}
		}' "$1" -
}

@test "-O guides: sites by edits, and how specific each guide is" {
	table f.txt
	text=$BATS_FILE_TMPDIR/t.fa
	{ cat "$BATS_FILE_TMPDIR/g.fa"
		printf '>none\nACGTTTTTTTTACGACGATT\n>g1c\n'
		printf 'GAGTCCGAGCAGAAGAAGAAA\n'; } > q.fa
	for f in mit f.txt; do
		all() {
			asm-scan --pam NGG -k 4 --score-table $f -q q.fa "$@"
		}
		all -O offtarget "$text" | summed q.fa > want
		[ "$(cut -f 3 want | head -n 1)" -gt 1 ]
		[ "$(cut -f 9 want | head -n 1)" != 100.00000 ]
		all -O guides "$text" > have
		h="$(printf '\tedits_%s' 0 1 2 3 4)	unscored	specificity"
		[ "$(head -n 1 have)" = "#guide	letters$h" ]
		rows < have | awk -F '\t' -v OFS='\t' '$9 != "*" {
			$9 = sprintf("%.5f", $9) } 1' | diff want -
		fasta-chunk -L 200 -W 64 "$text" | all -t 3 -O guides |
			cmp - have
		all -O rec "$text" | merge-topk -q q.fa -O guides | cmp - have
		all -O rec "$text" | rec-view -q q.fa -O guides | cmp - have
		fan 3 "-L 150 -W 64 $text" all |
			merge-topk -q q.fa -O guides | cmp - have
	done
	# letters that are not known; no scores
	all -O rec "$text" > g.rec
	for p in rec-view merge-topk; do
		run --separate-stderr $p -O guides --no-header g.rec
		[[ $stderr == *'guides without sites are not here: -q'* ]]
		run --separate-stderr $p -q q.fa -O guides g.rec
		[ -z "$stderr" ]
	done
	rec-view -O guides --no-header g.rec > h
	rows < have | grep -v '^none' | awk -F '\t' -v OFS='\t' '{ $2 = "*" } 1' |
		diff - h
	asm-scan --pam NGG -k 4 -q q.fa -O guides "$text" | cut -f 1-7 > h
	cut -f 1-7 have | diff - h
	asm-scan --pam NGG -k 20% -q q.fa -O guides "$text" | cut -f 1-7 |
		diff h -
	asm-scan --pam NGG -q q.fa -O guides "$text" | rows | cut -f 4- |
		sort -u > h
	printf '*\t*\n' | diff - h
}

@test "--pam: a note where guides have their PAM in them" {
	printf '>t\nTTACGTACGTAGGTT\n' > t.fa
	notes() { # lines of standard error that say so
		asm-scan --pam "$@" t.fa 2>&1 > out |
			grep -c 'have their PAM in them'
	}
	g=GAGTCCGAGCAGAAGAAGAA many=
	for end in TGG tgg NNN; do
		[ "$(notes NGG -e $g$end)" -eq 1 ]
		[ "$(notes NAG,NGG -e $g$end)" -eq 1 ]
		[ "$(notes NGG -e ${g:3}$end -e ${g:3}$end)" -eq 1 ]
	done
	[ "$(notes TTTV --pam-side 5 -e TTTA$g)" -eq 1 ]
	# one in ten may lack it; by chance; no guide, but a PAM
	for i in A C G T AA CC GG TT AC; do
		many="$many -e $g${i}AGG"
	done
	[ "$(notes NGG $many -e $g)" -eq 1 ]
	[ "$(notes NGG $many -e $g -e $g)" -eq 0 ]
	for o in "-e $g" "-e ${g:3}TGG" '-e TGG' "-e $g -e ${g}TGG"; do
		[ "$(notes NGG $o)" -eq 0 ]
	done
	[ "$(notes NG -e ${g}TG)" -eq 0 ]
}

@test "-O guides adds up all sites of one scan, and nothing else" {
	printf '>t\nTTACGTACGTAGGTT\n' > t.fa
	fails 2 'with --pam' asm-scan -e ACGT -O guides t.fa
	fails 2 '-O guides adds up all sites' \
		asm-scan --pam NGG -n 2 -e ACGT -O guides t.fa
	asm-scan --pam NGG -e ACGT -O rec t.fa > a.rec
	asm-scan --pam NGG -k 1 -e ACGT -O rec t.fa > b.rec
	fails 2 '-O guides adds up all sites' merge-topk -n 2 -O guides a.rec
	fails 2 'several scans' merge-topk -O guides a.rec b.rec
	asm-scan -k 1 -e ACGT -O rec t.fa > c.rec
	fails 2 'only of asm-scan --pam' rec-view -O guides c.rec
}
