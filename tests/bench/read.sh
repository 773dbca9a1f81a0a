# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# read.sh - how fast files of all kinds are read; sourced by run.sh

# What zstd, bzip2 and xz pack, and reads as BAM; f is a name in $data.
prepare_packed() {
	! has zstd || make_once "$f.fa.zst" zstd -qc "$data/$f.fa"
	! has bzip2 || make_once "$f.fa.bz2" bzip2 -c "$data/$f.fa"
	! has xz || make_once "$f.fa.xz" xz -1c "$data/$f.fa"
	! has samtools || make_once "$f.reads.bam" reads_bam "$data/$f.fa" 1
	! has samtools || make_once "$f.long.bam" reads_bam "$data/$f.fa" 2
}
reads_bam() { # FASTA N: N lines each as a read of BAM, with qualities
	awk -v n="$2" '/^>/ { next } {
		part = part $0
		if (NR % n)
			next
		$0 = part
		part = ""
		q = ""
		for (i = 0; i < length($0); i++)
			q = q sprintf("%c", 53 + (i * NR) % 20)
		print "r" NR "\t4\t*\t0\t0\t*\t*\t0\t0\t" $0 "\t" q
	}' "$1" | samtools view -b -
}

# One core for each program, whatever threads it starts, but where -t 2 or the
# like is said.
reading_one() { # KIND GOAL FILE [PEER COMMAND] ...
	say "### $1"
	say ''
	goal=$2 file=$3
	shift 3
	peer=${1:-}
	set -- fasta-chunk "taskset -c 0 fasta-chunk $file > /dev/null" "$@"
	case $file in
	*.fa | *.gz)
		! has seqkit || set -- "$@" \
			'seqkit stats' "taskset -c 0 seqkit stats -T $file" \
			'seqkit seq -w 0' \
			"taskset -c 0 seqkit seq -w 0 $file > /dev/null"
		;;
	esac
	race "$letters" "$@" \
		'fasta-chunk -t 2' "fasta-chunk -t 2 $file > /dev/null" \
		'two copies of -t 1' \
		"taskset -c 0 fasta-chunk $file > /dev/null &
		taskset -c 1 fasta-chunk $file > /dev/null; wait" \
		'fasta-chunk -t 2, into a pipe' \
		"fasta-chunk -t 2 $file | cat > /dev/null" \
		'cat, into a pipe' "cat $file | cat > /dev/null"
	case $file in
	*.fa | *.gz)
		say "fasta-chunk is $(faster fasta-chunk 'seqkit stats')" \
			"times as fast as seqkit stats," \
			"$(faster fasta-chunk 'seqkit seq -w 0') times as" \
			"seqkit seq; goal: $goal." ;;
	*) say "fasta-chunk is $(faster fasta-chunk "$peer") times as fast as" \
		"$peer, by two threads" \
		"$(faster 'fasta-chunk -t 2' "$peer") times; goal: $goal." ;;
	esac
	say ''
	tell_sharing fasta-chunk 'fasta-chunk -t 2'
}

# reading_packed KIND PROGRAM SUFFIX: beside the program that unpacks it.
reading_packed() {
	[ -e "$fa.$3" ] || return 0
	reading_one "$1" 1 "$fa.$3" "$2 -dc" \
		"taskset -c 0 $2 -dc $fa.$3 > /dev/null"
}

# parts_cost N FILE: bytes read and processor seconds of N parts together.
parts_cost() {
	sh -c "i=0
		while [ \$i -lt $1 ]; do
			fasta-chunk -t 1 --part \$i/$1 $2 > /dev/null
			i=\$((i + 1))
		done
		cat /proc/\$\$/io /proc/\$\$/stat" |
		awk '/^rchar/ { r = $2 }
			NF > 40 { print r, ($16 + $17) / 100 }'
}

# reading_parts FILE ...: with FILE.sfi and without it.
reading_parts() {
	say '## fasta-chunk --part: all parts together'
	say ''
	say '| file | parts | times the file read | CPU s | without FILE.sfi | CPU s |'
	say '|---|---|---|---|---|---|'
	mkdir -p "$data/alone"
	for f; do
		ln -sf "../${f##*/}" "$data/alone/"
		fasta-chunk --quiet --index "$f"
		for n in 1 4 16; do
			say "| ${f##*/} | $n | $({
				parts_cost $n "$f"
				parts_cost $n "$data/alone/${f##*/}"
			} | awk -v n="$(stat -L -c %s "$f")" '{
				printf "%s%.3f | %.2f", (NR > 1 ? " | " : ""),
					$1 / n, $2 }') |"
		done
	done
	say ''
	say 'Goal: 1.1 times at most.'
	say ''
}

reading() {
	say '## fasta-chunk, on one core'
	say ''
	! has seqtk || set -- 'seqtk seq' "taskset -c 0 seqtk seq $fa > /dev/null"
	# which is all that there is: a goal of GB/s is one machine's
	set -- "$@" 'read() alone' \
		"taskset -c 0 dd if=$fa of=/dev/null bs=256K status=none"
	reading_one plain '2.8, and 6 GB/s' "$fa" "$@"
	say "Of what read() alone gives, one thread has" \
		"$(faster fasta-chunk 'read() alone')," \
		"two $(faster 'fasta-chunk -t 2' 'read() alone');" \
		'goal: 0.32 and 0.53, 6 and 10 GB/s of 19.'
	say ''
	reading_gzip "$gz" gzip '2.8, and 1.1 GB/s'
	bgz=$data/random$letters.bgz.fa.gz
	[ ! -e "$bgz" ] || reading_gzip "$bgz" bgzf '2.8, and 1.0 GB/s'
	reading_packed zstd zstd zst
	reading_packed bzip2 bzip2 bz2
	reading_packed xz xz xz
	reading_bam 70 "$data/random$letters.reads.bam"
	reading_bam 140 "$data/random$letters.long.bam"
	set -- "$fa"
	[ ! -e "$bgz" ] || set -- "$@" "$bgz"
	reading_parts "$@"
}

reading_bam() { # LETTERS FILE
	[ ! -e "$2" ] || reading_one "BAM, reads of $1 letters" 1 "$2" \
		'samtools fasta' \
		"taskset -c 0 samtools fasta $2 > /dev/null 2>&1" \
		'samtools fasta -@ 2' "samtools fasta -@ 2 $2 > /dev/null 2>&1"
}

reading_gzip() { # FILE KIND GOAL
	file=$1 kind=$2 goal=$3
	set --
	! has seqtk || set -- "$@" 'seqtk seq' \
		"taskset -c 0 seqtk seq $file > /dev/null"
	! has igzip || set -- "$@" 'igzip -dc' \
		"taskset -c 0 igzip -dc $file > /dev/null"
	[ "$kind" != bgzf ] || set -- "$@" 'bgzip -@ 2 -dc' \
		"bgzip -@ 2 -dc $file > /dev/null"
	[ ! -x "$here/peers/bin/rapidgzip" ] || set -- "$@" 'rapidgzip -P 2' \
		"PYTHONPATH=$here/peers $here/peers/bin/rapidgzip -P 2 -dc $file > /dev/null"
	reading_one "$kind" "$goal" "$file" "$@"
}
