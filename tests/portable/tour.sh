#!/bin/sh
# SPDX-License-Identifier: MIT
# tour.sh OUT DATA START ... - all programs, each started by START ... with its
# name behind the last word ("chroot DIR /bin/"), over DATA, the folder of
# examples/data as the programs see it.  What they write goes to files in OUT, the
# same for every build.  Exit 1 if one failed.
set -u
out=$1 data=$2
shift 2
start=$*
rc=0
rm -rf "$out"
mkdir -p "$out"
# shellcheck disable=SC2086 # words
p() {
	name=$1
	shift
	$start$name "$@" || {
		echo "tour: exit $?: $name $*" >&2
		echo failed >"$out/failed"
	}
}
genome=$data/lambda.fa.gz sites=$data/sites.fa

p fasta-chunk -L 5k "$genome" >"$out/chunks.rec"
p rec-view <"$out/chunks.rec" >"$out/chunks.txt"
p fasta-chunk -L 5k -t 3 "$genome" | p asm-scan -t 3 -k 3 -q "$sites" \
	>"$out/asm.rec"
p merge-topk -n 5 <"$out/asm.rec" >"$out/asm.tsv"
p merge-topk -n 5 -O sam -q "$sites" <"$out/asm.rec" >"$out/asm.sam"
p rec-view -O json <"$out/asm.rec" >"$out/asm.json"
p asm-scan -t 2 -k 10% --with-seq -q "$sites" "$genome" >"$out/text.tsv"
p fasta-chunk -L 5k "$genome" | p sw-scan -t 3 -n 5 -q "$sites" >"$out/sw.rec"
p merge-topk -O paf <"$out/sw.rec" >"$out/sw.paf"
p fasta-chunk -L 10k -r 'gi|9626243|ref|NC_001416.1|:20001-22000' "$genome" \
	>"$out/target.rec"
p primer-find -t 3 -k 3 --max-len 25 -q "$sites" -O rec "$genome" \
	>"$out/primer.rec"
p merge-topk <"$out/primer.rec" >"$out/primer.tsv"
p pcr-find -t 2 -k 2 -p "$data/pairs.tsv" "$genome" >"$out/pcr.tsv"
p ebwt-dist -t 3 -O rec "$sites" >"$out/ebwt.rec"
p merge-topk -O phylip <"$out/ebwt.rec" >"$out/ebwt.phylip"
[ ! -e "$out/failed" ] || rc=1
exit $rc
