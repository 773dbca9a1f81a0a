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

# Places of products, one a line; seqkit counts those on - from the end of the
# genome, and has some that end before they begin.
places() { # PROGRAM LETTERS
	case $1 in
	pcr-find) cut -f 2,3 ;;
	seqkit) awk -v n="$2" -v OFS='\t' '$3 > $2 {
			print $6 == "+" ? $2 OFS $3 : n - $3 OFS n - $2 }' ;;
	ipcress) awk -v OFS='\t' '/^ipcress:/ { print $6, $6 + $4 }' ;;
	primersearch) awk -v OFS='\t' '/forward strand at/ { at = $6 - 1 }
		/Amplimer length/ { print at, at + $3 }' ;;
	esac | sort -u
}
among() { # PROGRAM LETTERS: how many of what it finds is among ours
	places "$1" "$2" < "$tmp/found.$1" > "$tmp/theirs"
	say "$1 finds products at $(wc -l < "$tmp/theirs") places;" \
		"$(comm -12 "$tmp/ours" "$tmp/theirs" | wc -l) of them are among ours."
}

# They find mismatches alone, and put no limit to a product's length.
products_beside() { # NAME LETTERS FASTA
	say "### $1, ten pairs, three differences, one thread"
	say ''
	letters_there=$2 file=$3
	pairs_of "$file" 10 > "$tmp/ten.tsv"
	awk '{ print $1, $2, $3, 1, 10000 }' "$tmp/ten.tsv" > "$tmp/ten.ipcress"
	awk '{ print $1, $2, $3 }' "$tmp/ten.tsv" > "$tmp/ten.search"
	o="-g none -t 1 -k 3 --exact-suffix 0 -p $tmp/ten.tsv $file"
	set -- pcr-find "pcr-find $o -o $tmp/found.bed" \
		'pcr-find --no-indels --max-len 5M' \
		"pcr-find --no-indels --max-len 5M $o -o $tmp/all.bed"
	! has ipcress || set -- "$@" 'ipcress, 3 mismatches' \
		"ipcress $tmp/ten.ipcress $file --mismatch 3 --pretty FALSE > $tmp/found.ipcress"
	! has primersearch || set -- "$@" 'primersearch, 15 %' \
		"primersearch -seqall $file -infile $tmp/ten.search -mismatchpercent 15 -outfile $tmp/found.primersearch"
	for m in 1 2 3; do
		! has seqkit || set -- "$@" "seqkit amplicon -m $m" \
			"seqkit amplicon -j 1 -m $m --bed -p $tmp/ten.tsv $file > $tmp/found.seqkit"
	done
	spend "$@"
	places pcr-find < "$tmp/all.bed" > "$tmp/ours"
	for found in ipcress primersearch seqkit; do
		[ ! -s "$tmp/found.$found" ] || among $found "$letters_there"
	done
	say ''
}

thousand_pairs() {
	say '### 64,000,000 random letters, 1,000 pairs, k=3, one thread'
	say ''
	say 'Goal: the pairing takes at most a tenth of the search.'
	say ''
	make_once random64000000.fa randseq 64000000 5
	genome=$data/random64000000.fa
	pairs_of "$genome" 1000 > "$tmp/pairs.tsv"
	pcr-find -p "$tmp/pairs.tsv" --primers > "$tmp/primers.fa"
	spend 'asm-scan, the search' \
		"asm-scan -g none -t 1 -k 3 --exact-suffix 1 -O rec -q $tmp/primers.fa -o $tmp/pcr.rec $genome" \
		'pcr-find, search and pairing' "pcr-find -g none -t 1 -k 3 -p $tmp/pairs.tsv -o $tmp/found.tsv $genome" \
		'pcr-find, of the hits' "pcr-find -p $tmp/pairs.tsv -o $tmp/found.tsv $tmp/pcr.rec"
	say "The pairing of the hits takes" \
		"$(ratio "100 * $(spent 'pcr-find, of the hits') / $(spent 'asm-scan, the search')") %" \
		"of the search."
	say ''
	rm "$tmp/pcr.rec"
}

one_repeat() {
	say '### 10,000,000 hits of one primer, sorted and paired'
	say ''
	say 'Goal: twice the time of sorting them.'
	say ''
	awk 'BEGIN { for (i = 0; i < 1000; i++) s = s "ACGTTGCA"
		print ">r"
		while (n++ < 5000)
			print s }' > "$tmp/repeat.fa"
	printf 'p\tACGTTGCA\t\t8000\t8001\n' > "$tmp/one.tsv"
	pcr-find -p "$tmp/one.tsv" --primers > "$tmp/one.fa"
	asm-scan -g none --exact-suffix 1 -O rec -q "$tmp/one.fa" \
		-o "$tmp/repeat.rec" "$tmp/repeat.fa"
	spend 'merge-topk --sort=position' \
		"merge-topk --sort=position -o $tmp/found.tsv $tmp/repeat.rec" \
		pcr-find "pcr-find -p $tmp/one.tsv -o $tmp/found.tsv $tmp/repeat.rec"
	say "pcr-find takes" \
		"$(ratio "$(spent pcr-find) / $(spent 'merge-topk --sort=position')") times" \
		"as long as sorting; limits leave no product to be written."
	say ''
	rm "$tmp"/repeat.*
}

# Primers that are given.
checking() {
	artic=$here/../../../shared/data/small/artic.v3.primers.fa
	[ -e "$artic" ] || artic=$data/artic.v3.primers.fa
	[ -e "$artic" ] && [ -n "$chr20" ] || return 0
	for k in 3 4; do
		say "### 218 primers of ARTIC checked against chromosome 20, k=$k, one thread"
		say ''
		say "Goal: twice the time of asm-scan."
		say ''
		spend asm-scan \
			"asm-scan -g none -t 1 -k $k -q $artic -O rec -o $tmp/found.rec $chr20" \
			'primer-find --check' \
			"primer-find -g none -t 1 -k $k --check $artic -o $tmp/checked.tsv $chr20"
		say "--check takes" \
			"$(ratio "$(spent 'primer-find --check') / $(spent asm-scan)") times" \
			"as long; $(grep -cw fail "$tmp/checked.tsv") primers fail."
		say ''
	done
	rm -f "$tmp"/found.*
}

finding_products() {
	say '## Products of PCR'
	say ''
	[ -z "$ecoli" ] || products_beside 'E. coli' 4641652 "$ecoli"
	thousand_pairs
	one_repeat
	checking
}
