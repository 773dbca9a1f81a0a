#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD - measure our programs and the peers that are found, in turn,
# and write tests/bench/results.md, with what notes.md says of it.  ROUNDS=5
# LETTERS=100000000 by default; PARTS="scanning ..." measures only these parts,
# RESULTS=FILE writes there, without the notes.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
PATH=$build/bin:$build/helpers:$PATH
rounds=${ROUNDS:-5} letters=${LETTERS:-100000000}
export unit=GB/s	# of the tables of race.sh
parts=${PARTS:-scanning searching reading scaling aligning priming finding_products offtargets distances growing_trees starting}
data=$here/data
mkdir -p "$data"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/results.md
began=$(date +%s)
. "$here/race.sh"
. "$here/search.sh"
. "$here/read.sh"
. "$here/align.sh"
. "$here/prime.sh"
. "$here/products.sh"
. "$here/offtarget.sh"
. "$here/dist.sh"
. "$here/trees.sh"

# A file of $data, made by a command once.
make_once() { # NAME COMMAND ...
	[ -e "$data/$1" ] && return
	made=$data/$1
	shift
	"$@" > "$made.tmp"
	mv "$made.tmp" "$made"
}

# A genome of the project's shared data, of examples/, or put here by hand.
genome() { # NAME FILE
	for g in "$here/../../../shared/data/bench/$2" \
	    "$here/../../examples/data/$2" "$data/$2"; do
		if [ -e "$g" ]; then
			make_once "$1" zcat "$g"
			return
		fi
	done
	return 1
}

prepare() {
	f=random$letters
	make_once "$f.fa" randseq "$letters" 1
	make_once "$f.fa.gz" gzip -c "$data/$f.fa"
	! has bgzip || make_once "$f.bgz.fa.gz" bgzip -c "$data/$f.fa"
	make_once "$f.reads.fa" awk 'NR > 1 { print ">r" NR; print }' \
		"$data/$f.fa"
	prepare_packed
	fa=$data/$f.fa gz=$data/$f.fa.gz
	reads=$data/$f.reads.fa
	printf '>p20\n%s\n' "$(sed -n 5000p "$fa" | cut -c 11-30)" \
		> "$tmp/p20.fa"
	printf '>p32\n%s\n' "$(sed -n 5000p "$fa" | cut -c 11-42)" \
		> "$tmp/p32.fa"
	sed -n '2,97s/^.\{9\}\(.\{20\}\).*/\1/p' "$fa" |
		awk '{ printf ">p%d\n%s\n", NR, $0 }' > "$tmp/p96.fa"
	ecoli='' chr20=''
	! genome ecoli.fa ecoli.MG1655.fa.gz || ecoli=$data/ecoli.fa
	! genome chr20.fa human.chr20.GRCh37.fa.gz || chr20=$data/chr20.fa
	# into the page cache
	cat "$fa" "$gz" "$reads" ${chr20:+"$chr20"} > /dev/null
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
	peers=$(for p in edlib-aligner:edlib-aligner seqkit:seqkit ipcress:exonerate primersearch:emboss seqtk:seqtk \
	    samtools:samtools bgzip:tabix igzip:isal gzip:gzip zstd:zstd xz:xz-utils \
	    bzip2:bzip2 ssw-align:ssw-align ssearch36:fasta3 mash:mash \
	    andi:andi; do
		version "${p%:*}" "${p#*:}"
	done)
	[ ! -d "$here/peers/sassy" ] || peers="$peers$(ls "$here/peers" |
		sed -n 's/^\(\(sassy_rs\|parasail\|rapidgzip\)-[0-9.]*\)\.dist-info$/\1,/p' |
		tr '\n' ' ')"
	say "- peers: $(echo "$peers" | sed 's/[, ]*$//')"
	say "- input: $letters random letters of A, C, G, T in lines of 70, E. coli K-12"
	say '  MG1655 and human chromosome 20 when found; all in the page cache'
	say ''
}

scanning() {
	has python3 || return 0
	say '## The scan of text in memory, one thread'
	say ''
	python3 "$here/scan.py" "$build" "$data" "$rounds" "random=$fa" \
		${ecoli:+"E. coli=$ecoli"} ${chr20:+"chr20=$chr20"} >> "$out"
}

# Arguments of race for a peer that may be absent are added one by one.
pipe() { # NAME LETTERS FASTA
	say "### $1"
	say ''
	file=$3 o="-s + -k 3 -q $tmp/p20.fa -O tsv"
	set -- "$2" 'fasta-chunk -t 1 \| asm-scan -t 1' \
		"fasta-chunk -t 1 $file | asm-scan -t 1 $o" \
		'fasta-chunk -t 1, no scan' "fasta-chunk -t 1 $file > /dev/null" \
		'asm-scan -t 1' "asm-scan -t 1 $o $file" \
		'asm-scan -t 1 --ends' "asm-scan -t 1 --ends $o $file" \
		'asm-scan -t 2' "asm-scan -t 2 $o $file"
	! has edlib-aligner || set -- "$@" 'edlib-aligner -m HW' \
		"edlib-aligner -m HW -k 3 -p -f CIG_EXT $tmp/p20.fa $file"
	[ ! -d "$here/peers/sassy" ] || set -- "$@" 'sassy, read by Python' \
		"PYTHONPATH=$here/peers python3 $here/sassy_file.py $file 3 $(sed 1d "$tmp/p20.fa")"
	race "$@"
}
searching() {
	say '## From a plain file to rows: m=20, k=3, + strand, minima, CIGARs'
	say ''
	pipe 'random letters' "$letters" "$fa"
	[ -z "$ecoli" ] || pipe 'E. coli' 4641652 "$ecoli"
	[ -z "$chr20" ] || pipe 'chromosome 20' 63025520 "$chr20"
	searching_hard
	guides=$here/../../../shared/data/small/crispr.guides312.fa
	[ -n "$ecoli" ] || return 0
	[ -e "$guides" ] || return 0
	say '### E. coli: 312 guides of 23 letters, k=3, both strands, -t 2'
	say ''
	say 'Letters are those of the genome, for all guides together.'
	say ''
	race 4641652 \
		'asm-scan' "asm-scan -t 2 -k 3 -q $guides -O tsv $ecoli" \
		'asm-scan --ends' "asm-scan -t 2 -k 3 --ends -q $guides -O tsv $ecoli" \
		'asm-scan \| merge-topk -n 100' "asm-scan -O rec -t 2 -k 3 -q $guides $ecoli | merge-topk -n 100 -O tsv"
}

scale() { # NAME LETTERS OPTIONS: -t 1 against -t 2
	say "### $1"
	say ''
	race "$2" 'asm-scan -t 1' "asm-scan -t 1 $3 > /dev/null" \
		'asm-scan -t 2' "asm-scan -t 2 $3 > /dev/null"
}
scaling() {
	say '## Two threads'
	say ''
	fasta-chunk "$fa" > "$data/one.rec"
	fasta-chunk "$reads" > "$data/many.rec"
	ends='--ends -O rec'
	scale 'one record, m=20, k=3, chunks' "$letters" \
		"-s + -k 3 -q $tmp/p20.fa $ends $data/one.rec"
	scale 'one record, m=20, k=3, FASTA' "$letters" \
		"-s + -k 3 -q $tmp/p20.fa $ends $fa"
	scale 'one record, 96 patterns of 20, k=3, chunks' "$letters" \
		"-s + -k 3 -q $tmp/p96.fa $ends $data/one.rec"
	scale 'records of 70 letters, m=20, k=3, chunks' "$letters" \
		"-s + -k 3 -q $tmp/p20.fa $ends $data/many.rec"
	scale 'records of 70 letters, 96 patterns of 20, k=3, chunks' "$letters" \
		"-s + -k 3 -q $tmp/p96.fa $ends $data/many.rec"
	[ -z "$chr20" ] || scale 'chromosome 20, 96 patterns of 20, k=3, FASTA' \
		63025520 "-s + -k 3 -q $tmp/p96.fa $ends $chr20"
	rm -f "$data/one.rec" "$data/many.rec"
	[ -n "$ecoli" ] || return 0
	fasta-chunk -L 8M "$ecoli" > "$data/coli.rec"
	scale 'E. coli in one chunk, 96 patterns of 20, k=3' 4641652 \
		"-s + -k 3 -q $tmp/p96.fa $ends $data/coli.rec"
	rm -f "$data/coli.rec"
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
for part in $parts; do
	$part
done
say "Load when it ended: $(cut -d ' ' -f 1 /proc/loadavg)."
say "The whole took $(($(date +%s) - began)) s."
[ -n "${RESULTS:-}" ] || [ ! -e "$here/notes.md" ] || {
	say ''
	cat "$here/notes.md" >> "$out"
}
cp "$out" "${RESULTS:-$here/results.md}"
cat "$out"
