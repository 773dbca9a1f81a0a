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
merge-topk --columns query,sbeg,send,edits,strand,cigar --no-header "$hits" \
	> "$hits.tsv"
end=$(date +%s%N)

echo "Places in phage lambda with at most one difference in ten letters:"
echo
row() {
	printf '  %-13s %7s %7s %6s  %-6s  %s\n' "$@"
}
row pattern from to edits strand cigar
while read -r query sbeg send edits strand cigar; do
	row "$query" "$sbeg" "$send" "$edits" "  $strand" "$cigar"
done < "$hits.tsv"
echo
echo "$(grep -c . "$hits.tsv") hits: $(grep -c '>' "$sites") patterns," \
	"both strands, 48,502 letters of NC_001416.1,"
echo "from the compressed file to checked hits in $(((end - beg) / 1000000)) ms."
echo "Positions count from 0; the end is not included."
echo
echo "Next: try your own genome and patterns,"
echo "  PATH=\"$(cd "${bin:-/usr/local/bin}" && pwd):\$PATH\""
echo "  fasta-chunk genome.fa.gz | asm-scan -k 3 -q patterns.fa |"
echo "      merge-topk -n 100"
echo "then read  man \"$(cd "$here/.." && pwd)/man/seqfilters.7\""
