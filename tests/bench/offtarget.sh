# shellcheck shell=sh disable=SC2086,SC2154
# SPDX-License-Identifier: MIT
# offtarget.sh - sites of CRISPR guides; sourced by run.sh, which sets $tmp and
# $data and says what spend does.  V01=PROGRAM: asm-scan of version 0.1.

# NUMBER guides of 20 letters before NGG of a text, a step apart; every second
# one has two letters changed.
guides_of() { # FASTA NUMBER
	sed 1d "$1" | tr -d '\n' | tr '[:lower:]' '[:upper:]' | fold -w 9978 |
	awk -v n="$2" -v letters="$(sed 1d "$1" | tr -d '\n' | wc -c)" '
		function place(i) {
			return 1000 + int(i * (letters - 3000) / n)
		}
		BEGIN {
			for (i = 0; i < 21; i++)
				site = site "[ACGT]"
			site = site "GG"
			i = 0; at = 1; from = place(0)
		}
		{ # letters from number `at` on; the last 22 come again
			s = last $0
			behind = at + length(s) - 22
			while (i < n && from < behind) {
				part = substr(s, from - at + 1)
				if (!match(part, site)) {
					from = behind
					break
				}
				g = substr(part, RSTART, 20)
				if (i % 2) {
					p = 2 + i % 17
					c = substr(g, p, 1) == "A" ? "C" : "A"
					g = substr(g, 1, p - 1) c \
						substr(g, p + 1, 1) "T" \
						substr(g, p + 3)
				}
				print ">g" i; print g
				from = place(++i)
			}
			last = substr(s, length(s) - 21)
			at = behind
		}'
}

# 61 guides: rows written, sites counted, other instruction sets, the peers.
sixty_one() { # NAME FASTA
	guides_of "$2" 61 > "$tmp/g61.fa"
	sed '/^>/!s/$/NGG/' "$tmp/g61.fa" > "$tmp/g61ngg.fa"
	o="--pam NGG -t 1 -q $tmp/g61.fa -O tsv -o $tmp/sites.tsv"
	for k in 3 4 5 6; do
		say "### $1, 61 guides, k=$k, one thread"
		say ''
		set -- "$1" "$2" asm-scan "asm-scan -k $k $o $2" \
			'sites counted' "asm-scan --histogram -k $k $o $2" \
			AVX2 "SEQF_ISA=avx2 asm-scan -k $k $o $2" \
			'plain C' "SEQF_ISA=scalar asm-scan -k $k $o $2"
		[ $k -gt 5 ] || [ -z "${V01:-}" ] || set -- "$@" \
			'version 0.1, --exact-suffix 3' \
			"$V01 --exact-suffix 3 --report=all -t 1 -k $k -q $tmp/g61ngg.fa -O tsv -o $tmp/sites.tsv $2"
		[ $k -gt 5 ] || [ ! -d "$here/peers/sassy" ] || set -- "$@" \
			'sassy, by Python, guides with NGG' \
			"PYTHONPATH=$here/peers python3 $here/sassy_guides.py $2 $k $tmp/g61ngg.fa"
		name=$1 file=$2
		shift 2
		spend "$@"
		set -- "$name" "$file"
	done
	say '### The same, reading and packing alone'
	say ''
	spend 'fasta-chunk -t 1' "fasta-chunk -t 1 $2 -o /dev/null"
}

many_guides() { # NAME FASTA
	guides_of "$2" 1000 > "$tmp/g1000.fa"
	o="--pam NGG -t 1 -q $tmp/g1000.fa"
	for k in 3 4; do
		say "### $1, 1,000 guides, k=$k, one thread"
		say ''
		asm-scan $o -k $k --no-header -O tsv "$2" | wc -l > "$tmp/n"
		spend 'sites counted' "asm-scan --histogram -k $k $o $2" \
			'rows written' \
			"asm-scan -k $k $o -O tsv -o $tmp/sites.tsv $2" \
			records "asm-scan -k $k $o -O rec -o $tmp/sites.rec $2" \
			'as offtarget' \
			"asm-scan -k $k $o -O offtarget -o $tmp/sites.tsv $2" \
			'as BED' "asm-scan -k $k $o -O bed -o $tmp/sites.tsv $2"
		say "$(awk -F '\t' -v n="$(cat "$tmp/n")" '
			function each(what) {
				return (t[what] - t["sites counted"]) / n * 1e9
			}
			{ t[$1] = $2 }
			END {
				printf "%d rows: %.0f ns each, ", n,
					each("rows written")
				printf "%.0f as records, ", each("records")
				printf "%.0f as offtarget, ", each("as offtarget")
				printf "%.0f as BED.", each("as BED")
			}' "$tmp/spent")"
		say ''
	done
	rm -f "$tmp"/sites.*
}

offtargets() {
	say '## Off-targets of guides: sites beside NGG, both strands'
	say ''
	make_once random64000000.fa randseq 64000000 5
	sixty_one '64,000,000 random letters' "$data/random64000000.fa"
	[ -n "$chr20" ] || return 0
	sixty_one 'chromosome 20' "$chr20"
	many_guides 'chromosome 20' "$chr20"
}
