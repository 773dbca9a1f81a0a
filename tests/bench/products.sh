# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# products.sh - products of PCR; sourced by run.sh, which sets $tmp, $data and
# says what race does

# Pairs of 20 letters that make products of 820 letters of a genome, NUMBER of
# them, a step apart.
pairs_of() { # FASTA NUMBER
	sed 1d "$1" | tr -d '\n' | awk -v n="$2" -v OFS='\t' '
		function revcomp(s, i, r) {
			for (i = length(s); i; i--)
				r = r substr("TGCA", index("ACGT",
					substr(s, i, 1)), 1)
			return r
		}
		{ for (i = 0; i < n; i++) {
			at = 1000 + int(i * (length($0) - 3000) / n)
			print "p" i, substr($0, at, 20),
				revcomp(substr($0, at + 800, 20))
		} }'
}

# What others find with mismatches alone is among ours.
products_beside() { # NAME LETTERS FASTA
	say "### $1, ten pairs, three differences, one thread"
	say ''
	file=$3
	pairs_of "$file" 10 > "$tmp/ten.tsv"
	awk '{ print $1, $2, $3, 1, 10000 }' "$tmp/ten.tsv" > "$tmp/ten.ipcress"
	awk '{ print $1, $2, $3 }' "$tmp/ten.tsv" > "$tmp/ten.search"
	set -- "$2" pcr-find "pcr-find -g none -t 1 -k 3 --exact-suffix 0 -p $tmp/ten.tsv $file"
	! has ipcress || set -- "$@" 'ipcress, 3 mismatches' \
		"ipcress $tmp/ten.ipcress $file --mismatch 3 --pretty FALSE"
	! has primersearch || set -- "$@" 'primersearch, 15 %' \
		"primersearch -seqall $file -infile $tmp/ten.search -mismatchpercent 15 -outfile $tmp/ten.found"
	! has seqkit || set -- "$@" 'seqkit amplicon -m 3' \
		"once: seqkit amplicon -j 1 -m 3 --bed -p $tmp/ten.tsv $file"
	race "$@"
}

finding_products() {
	say '## Products of PCR'
	say ''
	[ -z "$ecoli" ] || products_beside 'E. coli' 4641652 "$ecoli"
	say '### 64,000,000 random letters, 1,000 pairs, k=3, one thread'
	say ''
	say 'The search alone, with the pairing, and the pairing alone.'
	say ''
	make_once random64000000.fa randseq 64000000 5
	genome=$data/random64000000.fa
	pairs_of "$genome" 1000 > "$tmp/pairs.tsv"
	pcr-find -p "$tmp/pairs.tsv" --primers > "$tmp/primers.fa"
	race 64000000 asm-scan \
		"asm-scan -g none -t 1 -k 3 --exact-suffix 1 -O rec -q $tmp/primers.fa -o $tmp/pcr.rec $genome" \
		pcr-find "pcr-find -g none -t 1 -k 3 -p $tmp/pairs.tsv $genome" \
		'pcr-find, of the hits' "pcr-find -p $tmp/pairs.tsv $tmp/pcr.rec"
	say '### 10,000,000 hits of one primer, sorted and paired'
	say ''
	awk 'BEGIN { for (i = 0; i < 1000; i++) s = s "ACGTTGCA"
		print ">r"
		while (n++ < 5000)
			print s }' > "$tmp/repeat.fa"
	printf 'p\tACGTTGCA\t\t8000\t8001\n' > "$tmp/one.tsv"
	pcr-find -p "$tmp/one.tsv" --primers > "$tmp/one.fa"
	asm-scan -g none --exact-suffix 1 -O rec -q "$tmp/one.fa" \
		-o "$tmp/repeat.rec" "$tmp/repeat.fa"
	race 40000000 'merge-topk --sort=position' \
		"merge-topk --sort=position $tmp/repeat.rec" \
		pcr-find "pcr-find -p $tmp/one.tsv $tmp/repeat.rec"
	rm -f "$tmp"/repeat.* "$tmp/pcr.rec"
}
