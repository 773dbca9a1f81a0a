#!/bin/sh
# SPDX-License-Identifier: MIT
# real-data.sh BUILD DATA - what the programs say of real genomes, primers and
# guides.  DATA is a folder of such files with a MANIFEST.tsv.
# A line for each check, then the sum.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1/bin" && pwd) && helpers=$(cd "$1/helpers" && pwd) || exit 2
data=$(cd "${2:-$here/../../shared/data}" && pwd) || exit 2
PATH=$bin:$helpers:$PATH
small=$data/small bench=$data/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
passed=0 failed=0
# A request for more than the processor has is lowered to what it has.
isas='scalar avx2 avx512'

# check NAME COMMAND ...: the command succeeds
check() {
	name=$1
	shift
	began=$(date +%s%N)
	if out=$("$@" 2>&1); then
		passed=$((passed + 1))
		printf 'ok     %s (%d ms)%s\n' "$name" \
			$((($(date +%s%N) - began) / 1000000)) "${out:+: $out}"
	else
		failed=$((failed + 1))
		printf 'FAILED %s\n%s\n' "$name" "$(echo "$out" | head -n 20)"
	fi
}
rows() { grep -v '^#' "$@" || true; }
letters() { awk '/^>/ { if (NR > 1) print ""; next }
	{ printf "%s", toupper($0) } END { print "" }'; }
seq_md5() { rec-view -O fasta | letters | md5sum | cut -c 1-32; }
known_md5() {
	awk -F '\t' -v f="$1" '$1 == f { print $4 }' "$data/MANIFEST.tsv"
}

# each primer has exactly one hit at k = 0, where and as the BED file says
primers_at_bed() { # FASTA BED
	asm-scan -k 0 -q "$1" -O bed "$small/sars2.MN908947.3.fa" |
		cut -f 1-4,6 | sort > have
	cut -f 1-4,6 "$2" | sort > want
	[ -s want ] && diff want have
}
# BED lists no place for primers that it names not: compare those it names
primers_of_bed() {
	asm-scan -k 0 -q "$1" -O bed "$small/sars2.MN908947.3.fa" |
		cut -f 1-4,6 | sort > all
	cut -f 1-4,6 "$2" | sort > want
	cut -f 4 want > names
	grep -wFf names all > have
	[ -s want ] && diff want have
}
# each pair of a scheme has one product, from LEFT to RIGHT as BED has them; an
# alternate has those with all of the other side
products_of_bed() { # FASTA BED PAIRS: of the scheme without alternates
	pcr-find -p "$2" -q "$1" --no-header "$small/sars2.MN908947.3.fa" > all
	cut -f 1,4,5 all | grep -v '_LEFT\|_RIGHT' | sort > have
	grep -v alt "$2" | awk '{ n = $4; sub(/_(LEFT|RIGHT)$/, "", n) }
		$4 ~ /LEFT$/ { beg[n] = $2 }
		$4 ~ /RIGHT$/ { end[n] = $3 }
		END { for (n in beg) print n "\t" beg[n] "\t" end[n] }' |
		sort > want
	[ "$(wc -l < want)" = "$3" ] && diff want have &&
		[ "$(grep -c . all)" -ge "$3" ]
}
# N letters of the begin of FILE's sequence go to its end
rotated() { # FILE N
	letters < "$1" | awk -v n="$2" 'NR == 1 { print ">c\n" \
		substr($0, n + 1) substr($0, 1, n) }'
}
# rows of circles: those of a rotated one are the same, moved
moved_rows() { # N LENGTH BEG END: columns
	awk -v n="$1" -v len="$2" -v b="$3" -v e="$4" '
		BEGIN { FS = OFS = "\t" }
		{ d = $e - $b; $b = ($b - n + len) % len; $e = $b + d
		  print }' | sort
}
# hits and products over the origin move with it
circles() { # FILE: of one sequence
	rotated "$1" 0 > c.fa
	len=$(letters < c.fa | tr -d '\n' | wc -c)
	rotated "$1" $((len - 300)) | awk '/^>/ { next }
		{ for (i = 0; i < 40; i++)
			print ">q" i "\n" substr($0, 1 + i * 15, 24)
		  for (i = 0; i < 8; i++)
			printf "p%d\t%s\n", i, substr($0, 1 + i * 30, 20) \
				> "pairs" }' > q.fa
	rotated "$1" $((len / 3)) | awk '!/^>/ { for (i = 0; i < 8; i++)
		print substr($0, 1 + i * 40, 20) }' | rev | tr ACGT TGCA |
		paste pairs - > p.tsv
	for o in '-k 3' '-k 2 --report=all' '-k 3 --pam NN'; do
		asm-scan --quiet --circular $o -q q.fa --no-header c.fa > hits
		pcr-find --circular -k 2 --max-len 1M --no-header -p p.tsv \
			c.fa > products
		awk -v n="$len" '$9 > n { k++ } END { exit !k }' hits ||
			return 1
		awk -v n="$len" '$5 > n { k++ } END { exit !k }' products ||
			return 1
		for n in 1 150 $((len / 2)) $((len - 1)); do
			rotated "$1" "$n" > r.fa
			moved_rows "$n" "$len" 8 9 < hits > want
			asm-scan --quiet --circular $o -q q.fa --no-header r.fa |
				sort | diff want - || return 1
			fasta-chunk --circular -L 1k -W 99 r.fa |
				asm-scan --quiet $o -q q.fa --no-header -O tsv |
				sort | diff want - || return 1
			moved_rows "$n" "$len" 4 5 < products > want
			pcr-find --circular -k 2 --max-len 1M --no-header \
				-p p.tsv r.fa | sort | diff want - || return 1
		done
	done
	echo "$(grep -c . hits) hits, $(grep -c . products) products"
}
mitochondria() {
	awk -v RS='>' 'NR > 1 { printf ">%s", $0 > "mt" NR - 1 ".fa" }' \
		"$small/mt.human-orang.fa"
	circles mt1.fa && circles mt2.fa
}
iupac_primer() {
	asm-scan -k 0 -q "$bench/artic.v5.3.2.primers.fa" -O tsv \
		"$small/sars2.MN908947.3.fa" | rows |
		awk '$1 ~ /_84_RIGHT$/ { n++ } END { exit n != 1 }'
}
four_kinds() {
	zcat "$small/lambda.multimember.fa.gz" | cmp - "$small/lambda.fa" &&
		gzip -c "$small/lambda.fa" > lambda.fa.gz || return 1
	asm-scan -k 1 -e TACCTCTGGCGGTGATA -O tsv "$small/lambda.fa" > want
	for f in lambda.fa.gz "$small/lambda.multimember.fa.gz" \
	    "$small/lambda.bgz.fa.gz"; do
		asm-scan -k 1 -e TACCTCTGGCGGTGATA -O tsv "$f" | cmp - want ||
			return 1
	done
	[ "$(rows want | wc -l)" -eq 2 ]
}
round_trip() { # FILE below DATA
	[ "$(fasta-chunk "$data/$1" | seq_md5)" = "$(known_md5 "$1")" ]
}
records() { # FILE NUMBER LETTERS: so many come back
	fasta-chunk "$1" | rec-view -O fasta > have
	[ "$(grep -c '^>' have)" -eq "$2" ] &&
		[ "$(grep -v '^>' have | tr -d '\n' | wc -c)" -eq "$3" ]
}
blank_files() {
	for f in blank blank1; do
		fasta-chunk "$small/edge/$f.fx" | rec-view --check || return 1
	done
}
names_come_back() {
	zcat "$bench/mirbase.hairpin.fa.gz" | grep '^>' > want
	fasta-chunk "$bench/mirbase.hairpin.fa.gz" > tiny.rec
	rec-view -O fasta tiny.rec | grep '^>' | cmp - want &&
		echo "$(recframes list < tiny.rec | grep -c CHUNK) chunks"
}
rna_needs_no_translation() {
	asm-scan -s + -k 0 -e UGAGGUAGUAGGUUGUAUAGUU -O tsv \
		"$bench/mirbase.hairpin.fa.gz" | rows | cut -f 6 > have
	zcat "$bench/mirbase.hairpin.fa.gz" | awk '
		/^>/ { if (s ~ p) print name; name = substr($1, 2); s = ""; next }
		{ s = s toupper($0) } END { if (s ~ p) print name }' \
		p=UGAGGUAGUAGGUUGUAUAGUU > want
	[ -s want ] && sort -u want > names && sort -u have | diff names -
}
same_for() { # what to vary, as words NAME=VALUE or options
	for o; do
		case $o in
		SEQF_*) env "$o" asm-scan -k 4 -q guides.fa -O tsv ecoli.fa ;;
		*) # shellcheck disable=SC2086 # words
			asm-scan $o -k 4 -q guides.fa -O tsv ecoli.fa ;;
		esac | cmp - guides.tsv || return 1
	done
}
same_for_chunks() {
	for l; do
		fasta-chunk -L "$l" ecoli.fa |
			asm-scan -k 4 -q guides.fa -O tsv | cmp - guides.tsv ||
			return 1
	done
}
textbook_agrees() { # on E. coli, for two guides
	head -n 4 guides.fa > few.fa
	sellers 6 minima few.fa < ecoli.fa | cut -f 1,2,4,5 | sort > want
	asm-scan -k 6 -q few.fa -O tsv ecoli.fa | rows | cut -f 1,5,9,10 |
		sort | diff want - && [ -s want ] && echo "$(wc -l < want) hits"
}
fan_out_agrees() {
	asm-scan -O rec -k 3 -q guides.fa ecoli.fa | merge-topk -n 5 -O tsv > want
	for i in 0 1 2; do
		fasta-chunk -L 200k --part $i/3 ecoli.fa |
			asm-scan -t 1 -k 3 -q guides.fa > part.$i.rec
	done
	fasta-chunk ecoli.fa | asm-scan -k 3 -q guides.fa |
		merge-topk -n 5 -O tsv | cmp - want &&
		merge-topk -n 5 -O tsv part.2.rec part.0.rec part.1.rec |
		cmp - want
}
# What is published, or was worked out by others' programs.
herpes() {
	sw-scan -s + -n 2 --match 1 --mismatch 3 --gap-open 3 --gap-extend 2 \
		-q "$bench/NC_000898.fa.gz" -O tsv "$bench/NC_007605.fa.gz" \
		--min-score 18 | rows | cut -f 4,9,11 > have
	printf '41058\t44353\t18\n' | cmp - have
}
beyond_16_bits() {
	awk '/^>/ { n++ } { print > "mt." n ".fa" }' \
		"$small/mt.human-orang.fa"
	for isa in $isas; do
		SEQF_ISA=$isa sw-scan -s + --match 5 --mismatch 4 \
			--gap-open 12 --gap-extend 4 -q mt.1.fa -O tsv \
			mt.2.fa | rows | cut -f 11 >> scores
	done
	[ "$(sort -u scores)" = 58719 ]
}
ssca1() {
	DIR=. N=10 sh "$here/../examples/ssca1.sh" \
		"$bench/ssca1.scale30.main.fa.gz" \
		"$bench/ssca1.scale30.match.fa.gz" > out || return 1
	[ "$(awk '/kernel 2/ { exit } !/#/ { printf "%s ", $1 }' out)" = \
		'55 54 53 35 33 31 31 30 30 29 ' ]
}
phages_in_chunks() { # many pieces, parts and threads against one
	sw-scan -O rec -n 20 -q "$small/phix174.fa" ecoli.fa |
		merge-topk -O tsv > want || return 1
	for i in 0 1 2; do
		fasta-chunk -L 300k -W 20k --part $i/3 ecoli.fa |
			sw-scan -t $((i + 1)) -n 20 -q "$small/phix174.fa" \
			> sw.$i.rec || return 1
	done
	merge-topk -O tsv sw.2.rec sw.0.rec sw.1.rec | cmp - want &&
		[ "$(rows want | wc -l)" -eq 20 ]
}
peak_of() { # MIB COMMAND ...: and its output goes to ./out
	limit=$1
	shift
	measure m "$@" > out || return 1
	read -r seconds _ kib _ < m
	echo "$((kib / 1024)) MiB, $seconds s"
	[ "$kib" -le $((limit * 1024)) ]
}

human_orang() {
	for a in fast paper; do
		ebwt-dist --algorithm=$a -O tsv --no-header \
			"$small/mt.human-orang.fa" | cut -f 1,2,6 > have
		printf 'MT_human\tMT_orang\t14014\n' | cmp - have || return 1
	done
}
# but for the one hedgehog and the one rodent
orders() {
	zcat "$small/mt.mammals41.fa.gz" |
		sed -n 's,>\([^ ]*\) [^/]*/\([^/]*\)/.*,\1 \2,p' > of
	[ "$(wc -l < of)" -eq 41 ] || return 1
	ebwt-dist -n 1 -O tsv --no-header "$small/mt.mammals41.fa.gz" |
		cut -f 1,2 > near
	awk 'FNR == NR { of[$1] = $2; n[$2]++; next }
		n[of[$1]] > 1 { all++; same += of[$1] == of[$2] }
		END { print all, same; exit all < 38 || same < all }' of near
}
mammal_tree() {
	sh "$here/../examples/tree.sh" "$small/mt.mammals41.fa.gz" > tree
	[ "$(grep -c '[0-9]$' tree)" -eq 41 ] &&
		# the two chimpanzees are neighbours, in either order
		grep -B 1 -A 1 D38116 tree | grep -q D38113
}
check 'artic v3: each primer once, at its place, on its strand' \
	primers_at_bed "$small/artic.v3.primers.fa" "$small/artic.v3.primer.bed"
check 'artic v5.3.2: each primer that BED lists, at its place' \
	primers_of_bed "$bench/artic.v5.3.2.primers.fa" \
	"$bench/artic.v5.3.2.primer.bed"
check 'artic v3: 98 products of the scheme, and those of alternates' \
	products_of_bed "$small/artic.v3.primers.fa" \
	"$small/artic.v3.primer.bed" 98
check 'artic v5.3.2: 96 products of the scheme' products_of_bed \
	"$bench/artic.v5.3.2.primers.fa" "$bench/artic.v5.3.2.primer.bed" 96
check 'artic v5.3.2: 84_RIGHT, with its R, exactly once' iupac_primer
check 'phiX174, a circle: rotated, its rows move' circles "$small/phix174.fa"
check 'mitochondria of human and orangutan: the same' mitochondria
check 'lambda plain, gzip, two members, bgzf: the same rows' four_kinds
check 'blank files are whole' blank_files
for f in faidx.fa minimal.fa multiline.fa minimal.fq longline.fq; do
	check "round trip of $f" round_trip small/edge/htslib.$f
done
check 'round trip of contigs.fa' round_trip small/edge/contigs.fa
check 'pseudopig.fa, with a blank after >' round_trip small/pseudopig.fa
check 'pseudocat.fa, lower case' round_trip small/pseudocat.fa
check 'FASTQ of many lines, with @ and + among qualities' \
	records "$small/edge/htslib.multiline.fq" 2 78
check '105 records of FASTQ' records "$small/edge/htslib.fastqs.fq" 105 18914
check '28,645 tiny records: names and descriptions' names_come_back
check '28,645 tiny records: letters' round_trip bench/mirbase.hairpin.fa.gz
check 'RNA pattern in RNA' rna_needs_no_translation

cp "$small/crispr.guides312.fa" guides.fa
zcat "$bench/ecoli.MG1655.fa.gz" > ecoli.fa
asm-scan -t 1 -k 4 -q guides.fa -O tsv ecoli.fa > guides.tsv
check '312 guides on E. coli: -t 2 as -t 1' same_for '-t 2'
for i in $isas; do
	check "312 guides on E. coli: SEQF_ISA=$i" same_for "SEQF_ISA=$i"
done
check '312 guides on E. coli: -L 10k, 333k, 10M' \
	same_for_chunks 10k 333k 10M
check '2 guides on E. coli, k=6: as the textbook says' textbook_agrees
check '312 guides on E. coli: pipes, parts and merges agree' fan_out_agrees

check 'herpes pair: best 18, one cell, at 41058, 44353' herpes
check 'mitochondria: 58719, which 16 bits do not hold' beyond_16_bits
check 'mitochondria of human and orang-utan: delta 14014' human_orang
check '41 mammals: the nearest is of the same order' orders
check '41 mammals: a tree, drawn' mammal_tree
check 'SSCA#1, scale 30: the published scores' ssca1
check 'phiX174 on E. coli: parts and merges agree' phages_in_chunks

chr20=$bench/human.chr20.GRCh37.fa.gz
check 'human chr20: round trip' round_trip bench/human.chr20.GRCh37.fa.gz
check 'human chr20: fasta-chunk -t 2 within 100 MiB' \
	peak_of 100 fasta-chunk -t 2 "$chr20"
mv out chr20.rec
head -n 20 guides.fa > few.fa
check 'human chr20: asm-scan -t 2 from a stream within 100 MiB' \
	peak_of 100 asm-scan -t 2 -k 3 -q few.fa chr20.rec
mv out one.rec
check 'human chr20: asm-scan -t 2 from gzip, to tsv, within 100 MiB' \
	peak_of 100 asm-scan -t 2 -k 3 -q few.fa -O tsv "$chr20"
check 'human chr20: merge-topk within 300 MiB' \
	peak_of 300 merge-topk -n 100 -O paf one.rec

# Of the primers in ./found every Nth is one by itself, with all its letters,
# when it alone is looked for in another way.
sampled() { # N OPTIONS AND BACKGROUND ...
	awk -v n="$1" 'NR % n == int(n / 2) { print ">" $2 "\n" $6 }' found \
		> few.fa
	shift
	awk '/^>/ { b = substr($0, 2); next } { print b, length, $0 }' few.fa \
		> want
	primer-find -q few.fa -O tsv --no-header "$@" |
		awk '$2 == 0 { print $1, $4, $6 }' > have
	[ -s want ] && diff want have && wc -l < want
}
chr20_primers() {
	awk '!/^>/ { s = s $0 } END { print ">s"; print substr(s, 10001, 3000) }' \
		"$small/sars2.MN908947.3.fa" > some.fa
	primer-find -t 2 -k 4 --max-len 30 -q some.fa -O tsv --no-header \
		"$chr20" > found && wc -l < found
}
headline_primers() {
	randseq 43606 5 > alpha.fa && randseq 241494 6 > beta.fa
	primer-find -s + -k 100 -q alpha.fa -O tsv --no-header beta.fa > found
	wc -l < found
}
check 'SARS-CoV-2, 3,000 starts, from human chr20: found' chr20_primers
check 'human chr20: 3 of them, each start by itself' \
	sampled 900 -k 4 --engine=plain "$chr20"
check "human chr20: 1 of them, the source's algorithm" \
	sampled 2000 -k 4 --algorithm=alternative "$chr20"
check '43,606 x 241,494, k=100: found' headline_primers
check "43,606 x 241,494, k=100: 2 of them, the source's algorithm" \
	sampled 20000 -s + -k 100 --algorithm=alternative beta.fa

echo "real data:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
