#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD - measure our programs and the peers that are found, in turn,
# and write tests/bench/results.md.  ROUNDS=5 LETTERS=100000000 by default.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
PATH=$build/bin:$build/helpers:$PATH
rounds=${ROUNDS:-5} letters=${LETTERS:-100000000}
data=$here/data
mkdir -p "$data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/results.md
began=$(date +%s)

has() { command -v "$1" > /dev/null 2>&1; }
say() { printf '%s\n' "$*" >> "$out"; }

# race LETTERS NAME COMMAND [NAME COMMAND ...]: each in turn, so many rounds;
# a row for each: median seconds, letters a second, times the first one's
# speed, largest process.  Their output goes to $tmp/out.
race() {
	n=$1
	shift
	i=0
	while [ $i -lt "$rounds" ]; do
		who=0
		for word; do
			who=$((who + 1))
			[ $((who % 2)) -eq 0 ] || continue
			measure "$tmp/m" sh -c "$word" > "$tmp/out" 2> "$tmp/err" ||
				echo "failed: $word: $(head -n 1 "$tmp/err")" >&2
			cat "$tmp/m" >> "$tmp/race.$who"
		done
		i=$((i + 1))
	done
	say '| | median | letters/s | of the first | peak memory |'
	say '|---|---|---|---|---|'
	who=0
	for word; do
		who=$((who + 1))
		if [ $((who % 2)) -eq 1 ]; then
			name=$word
			continue
		fi
		sort -n "$tmp/race.$who" | awk -v n="$n" -v name="$name" \
		    -v first="$tmp/first" -v who=$who '
			{ s[NR] = $1; if ($3 > kib) kib = $3 }
			END {
				m = s[int((NR + 1) / 2)]
				if (who == 2)
					print m > first
				else
					getline one < first
				printf "| %s | %.3f s | %.0f M | %.2f | %d MiB |\n",
					name, m, n / m / 1e6,
					(who == 2 ? m : one) / m, kib / 1024
			}' >> "$out"
	done
	rm -f "$tmp"/race.* "$tmp/first"
	say ''
}

prepare() {
	f=$data/random$letters
	[ -e "$f.fa" ] || {
		randseq "$letters" 1 > "$f.tmp"
		mv "$f.tmp" "$f.fa"
	}
	[ -e "$f.fa.gz" ] || {
		gzip -c "$f.fa" > "$f.tmp"
		mv "$f.tmp" "$f.fa.gz"
	}
	if has bgzip && [ ! -e "$f.bgz.fa.gz" ]; then
		bgzip -c "$f.fa" > "$f.tmp"
		mv "$f.tmp" "$f.bgz.fa.gz"
	fi
	fa=$f.fa gz=$f.fa.gz bgz=$f.bgz.fa.gz
	p20=$(sed -n '5000p' "$fa" | cut -c 11-30)
	p32=$(sed -n '5000p' "$fa" | cut -c 11-42)
	printf '>p20\n%s\n' "$p20" > "$tmp/p20.fa"
	printf '>p32\n%s\n' "$p32" > "$tmp/p32.fa"
	for e in "$here/../../../shared/data/bench/ecoli.MG1655.fa.gz" \
	    "$here/../../examples/data/ecoli.fa.gz" "$data/ecoli.fa.gz"; do
		if [ -e "$e" ]; then
			zcat "$e" > "$tmp/ecoli.fa"
			break
		fi
	done
	cat "$fa" "$gz" > /dev/null	# into the page cache
}

version() { # PROGRAM WORDS: its version, from Debian or from itself
	has "$1" || return 0
	v=$(dpkg-query -W -f '${Version}' "$2" 2> /dev/null) || v=
	printf '%s%s, ' "$1" "${v:+ $v}"
}

cpu() { # FIELD of /proc/cpuinfo, of the first processor
	sed -n "s/^$1[^a-z:]*: //p" /proc/cpuinfo | head -n 1
}
describe() {
	say '# How fast'
	say ''
	say "Written by \`make bench\`, which also makes its input. Commands ran"
	say "one after the other, in turn, $rounds rounds; medians. Run it on your"
	say 'machine before you believe a number.'
	say ''
	say "- machine: $(cpu model.name), family $(cpu 'cpu family')," \
		"model $(cpu model), $(nproc) cores," \
		"$(awk '/MemTotal/ { printf "%.0f", $2 / 1e6 }' /proc/meminfo) GB"
	say "- load when it began: $(cut -d ' ' -f 1 /proc/loadavg)" \
		'(idle is near 0; ratios suffer less from other work than times)'
	say "- system: $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -r)"
	say "- compiler: $(${CC:-cc} --version | head -n 1)"
	peers=$(for p in edlib-aligner:edlib-aligner seqkit:seqkit seqtk:seqtk \
	    samtools:samtools bgzip:tabix igzip:isal gzip:gzip; do
		version "${p%:*}" "${p#*:}"
	done)
	[ ! -d "$here/peers/sassy" ] || peers="$peers$(ls "$here/peers" |
		sed -n 's/^\(sassy_rs-[0-9.]*\)\.dist-info$/\1/p'), "
	say "- peers: ${peers%, }"
	say "- input: $letters random letters of A, C, G, T in lines of 70, and E. coli"
	say '  K-12 MG1655 when found; all in the page cache'
	say ''
}

# Arguments of race for a peer that may be absent are added one by one.
cutting() {
	say '## fasta-chunk: plain FASTA'
	say ''
	set -- 'fasta-chunk -t 1' "fasta-chunk -t 1 $fa > /dev/null" \
		'fasta-chunk -t 2' "fasta-chunk -t 2 $fa > /dev/null" \
		'fasta-chunk -t 2, into a pipe' "fasta-chunk -t 2 $fa | cat > /dev/null" \
		'cat, into a pipe' "cat $fa | cat > /dev/null"
	! has seqtk || set -- "$@" 'seqtk seq' "seqtk seq $fa > /dev/null"
	! has seqkit || set -- "$@" 'seqkit seq' "seqkit seq -w 0 $fa > /dev/null"
	! has samtools || set -- "$@" 'samtools faidx' \
		"samtools faidx $fa --fai-idx $tmp/fai"
	race "$letters" "$@"
	say '## fasta-chunk: gzip'
	say ''
	set -- 'fasta-chunk -t 2' "fasta-chunk -t 2 $gz > /dev/null"
	! has igzip || set -- "$@" 'igzip -dc' "igzip -dc $gz > /dev/null"
	! has seqtk || set -- "$@" 'seqtk seq' "seqtk seq $gz > /dev/null"
	race "$letters" "$@" 'gzip -dc' "gzip -dc $gz > /dev/null"
	[ -e "$bgz" ] || return 0
	say '## fasta-chunk: bgzf'
	say ''
	race "$letters" 'fasta-chunk -t 2' "fasta-chunk -t 2 $bgz > /dev/null" \
		'bgzip -dc -@ 2' "bgzip -dc -@ 2 $bgz > /dev/null"
}

searching() {
	for m in 20 32; do
		say "## asm-scan from a plain file: m=$m, k=3, + strand"
		say ''
		o="-s + -k 3 -q $tmp/p$m.fa -O tsv $fa"
		set -- 'asm-scan -t 1' "asm-scan -t 1 $o" \
			'asm-scan -t 2' "asm-scan -t 2 $o" \
			'asm-scan -t 1 --ends' "asm-scan -t 1 --ends $o" \
			"fasta-chunk \\| asm-scan" \
			"fasta-chunk -t 1 $fa | asm-scan -t 1 -s + -k 3 -q $tmp/p$m.fa -O tsv"
		! has edlib-aligner || set -- "$@" 'edlib-aligner -m HW' \
			"edlib-aligner -m HW -k 3 -p -f CIG_EXT $tmp/p$m.fa $fa"
		[ ! -d "$here/peers/sassy" ] || set -- "$@" \
			'sassy, read by Python' \
			"PYTHONPATH=$here/peers python3 $here/sassy_peer.py $fa 3 1 $(sed 1d "$tmp/p$m.fa")"
		race "$letters" "$@"
	done
	[ -e "$tmp/ecoli.fa" ] || return 0
	n=4641652
	say '## E. coli: one pattern of 20 letters, both strands'
	say ''
	set -- 'asm-scan -t 1 -k 3' \
		"asm-scan -t 1 -k 3 -q $tmp/p20.fa -O tsv $tmp/ecoli.fa" \
		'asm-scan -t 1 -k 3 --no-indels' \
		"asm-scan -t 1 --no-indels -k 3 -q $tmp/p20.fa -O tsv $tmp/ecoli.fa"
	! has seqkit || set -- "$@" 'seqkit locate -m 3 (no indels)' \
		"seqkit locate -j 1 -m 3 -f $tmp/p20.fa $tmp/ecoli.fa"
	race $n "$@"
	guides=$here/../../../shared/data/small/crispr.guides312.fa
	[ -e "$guides" ] || return 0
	say '## E. coli: 312 guides of 23 letters, k=3, both strands, -t 2'
	say ''
	say 'Letters are those of the genome, for all guides together.'
	say ''
	race $n 'asm-scan' "asm-scan -t 2 -k 3 -q $guides -O tsv $tmp/ecoli.fa" \
		'asm-scan --ends' "asm-scan -t 2 -k 3 --ends -q $guides -O tsv $tmp/ecoli.fa" \
		'asm-scan \| merge-topk -n 100' "asm-scan -t 2 -k 3 -q $guides $tmp/ecoli.fa | merge-topk -n 100 -O tsv"
}

# Speeds of the search itself, without reading: "NAME LENGTH GB/s" lines.
in_memory_peers() {
	[ ! -d "$here/peers/sassy" ] || PYTHONPATH=$here/peers \
		python3 "$here/sassy_peer.py" "$fa" 3 "$rounds" "$p20" "$p32" |
		awk -v n="$letters" '{ print "sassy", $1, n / $2 / 1e9 }'
	for m in 20 32; do
		! has edlib-aligner ||
			edlib-aligner -m HW -k 3 -s "$tmp/p$m.fa" "$fa" |
			awk -v n="$letters" -v m=$m '/^Cpu time of searching/ {
				print "edlib", m, n / $NF / 1e9 }'
	done
}
in_memory() {
	say '## The scan alone, over text in memory: k=3, + strand, one thread'
	say ''
	"$build/bench/kdiff" "$letters" > "$tmp/kdiff"
	{
		# whole text: "1 x m20 k3 random minima 8.55 ..."
		awk '$1 == 1 && $4 == "k3" && $5 == "random" && !seen[$3]++ {
			print "ours", substr($3, 2), $7 }' "$tmp/kdiff"
		in_memory_peers
	} > "$tmp/speeds"
	say '| | m | GB/s | ours is faster by |'
	say '|---|---|---|---|'
	awk '$1 == "ours" { ours[$2] = $3 }
		{ printf "| %s | %s | %.2f | %.1f |\n", $1, $2, $3, ours[$2] / $3 }' \
		"$tmp/speeds" >> "$out"
	say ''
	say 'Ours is the best of three rounds, the others are medians. More of ours:'
	say ''
	sed 's/^/    /' "$tmp/kdiff" >> "$out"
	say ''
}

starting() {
	say '## Starting'
	say ''
	printf '>a\nACGT\n' > "$tmp/a.fa"
	i=0
	while [ $i -lt 21 ]; do
		measure "$tmp/m" asm-scan -e ACG -O tsv "$tmp/a.fa" > /dev/null
		cat "$tmp/m" >> "$tmp/starts"
		i=$((i + 1))
	done
	say "asm-scan on four letters, median of 21:" \
		"$(sort -n "$tmp/starts" | awk 'NR == 11 { printf "%.1f", $1 * 1e3 }') ms."
	say ''
}

prepare
describe
in_memory
searching
cutting
starting
say "Load when it ended: $(cut -d ' ' -f 1 /proc/loadavg)."
say "The whole took $(($(date +%s) - began)) s."
cp "$out" "$here/results.md"
cat "$here/results.md"
