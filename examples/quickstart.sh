#!/bin/sh
# SPDX-License-Identifier: MIT
# Search phage lambda for eight patterns, and say what was done.
# usage: quickstart.sh FOLDER-WITH-THE-PROGRAMS
set -eu
bin=${1:-}
here=$(dirname "$0")
genome=$here/data/lambda.fa.gz
sites=$here/data/sites.fa
[ -n "$bin" ] && PATH=$(cd "$bin" && pwd):$PATH
hits=$(mktemp)
trap 'rm -f "$hits" "$hits.tsv"' EXIT

beg=$(date +%s%N)
fasta-chunk "$genome" | asm-scan -k 10% -q "$sites" -o "$hits"
# A worker that failed leaves the stream incomplete: merge-topk exits 3 then.
merge-topk "$hits" > "$hits.tsv"
end=$(date +%s%N)

echo "Places in phage lambda with at most one difference in ten letters:"
echo
awk -F '\t' '
	function line(a, b, c, d, e, f) {
		printf "  %-13s %7s %7s %6s  %-6s  %s\n", a, b, c, d, e, f
	}
	/^#/ {
		sub(/^# */, "")
		for (i = 1; i <= NF; i++)
			col[$i] = i
		line("pattern", "from", "to", "edits", "strand", "cigar")
		next
	}
	{
		line($col["query"], $col["sbeg"], $col["send"],
		     $col["edits"], "  " $col["strand"], $col["cigar"])
	}' "$hits.tsv"
echo
awk -v ns=$((end - beg)) -v n="$(grep -c '>' "$sites")" -v rows="$(grep -cv '^#' "$hits.tsv")" 'BEGIN {
	printf "%d hits: %d patterns, both strands, 48,502 letters of %s,\n",
		rows, n, "NC_001416.1"
	printf "from the compressed file to checked hits in %.0f ms.\n",
		ns / 1e6
}'
echo "Positions count from 0; the end is not included."
echo
echo "Next: try your own genome and patterns,"
echo "  PATH=\"$(cd "${bin:-/usr/local/bin}" && pwd):\$PATH\""
echo "  fasta-chunk genome.fa.gz | asm-scan -k 3 -q guides.fa |"
echo "      merge-topk -n 100"
echo "then read  man \"$(cd "$here/.." && pwd)/man/seqfilters.7\""
