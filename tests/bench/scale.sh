#!/bin/sh
# SPDX-License-Identifier: MIT
# scale.sh BUILD [CHUNKS [WORKERS [LETTERS]]] - what merging costs beyond the
# machines that are here: receipts of 10^7 chunks of 300,000 letters (3 Tbp)
# that 1,000 workers would have written, through merge-topk.  Prints a table;
# fails where a chunk takes the ledger more than seqfilters-scaling(7) says, or
# where the loss of a worker is not reported chunk by chunk.
set -eu
build=$(cd "$1" && pwd)
chunks=${2:-10000000} workers=${3:-1000} letters=${4:-300000}
PATH=$build/bin:$build/helpers:$build/bench:$PATH
most=100	# bytes a chunk
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# A stream of workers FIRST to END - 1.
replay() { # FIRST END HITS
	receipts "$chunks" "$workers" "$1" "$2" "$3" "$letters"
}
# Time and memory of the merge; the stream's own time goes beside it.
row() { # NAME: of $tmp/m
	awk -v n="$chunks" -v name="$1" '{
		printf "| %s | %.1f | %.1f | %.2f | %.0f | %.0f |\n", name,
			$1, $2, $2 / n * 1e6, $3 / 1024, $3 * 1024 / n }' \
		"$tmp/m"
}
bytes_a_chunk() {
	awk -v n="$chunks" '{ printf "%d", $3 * 1024 / n }' "$tmp/m"
}
fail() {
	echo "FAILED: $*"
	failed=1
}

echo "$workers workers, $chunks chunks of $letters letters:" \
	"$(awk -v c="$chunks" -v l="$letters" 'BEGIN { print c * l / 1e12 }') Tbp"
echo
echo '| | seconds | CPU seconds | CPU us a chunk | peak MiB | bytes a chunk |'
echo '|---|---|---|---|---|---|'
replay 0 "$workers" 0 | measure "$tmp/m" merge-topk -O tsv >"$tmp/table"
row 'all streams, one merge, no hits'
[ "$(bytes_a_chunk)" -le "$most" ] || fail "more than $most bytes a chunk"
[ "$(wc -l <"$tmp/table")" -eq 1 ] || fail 'a table without hits has rows'

replay 0 "$workers" 1 | measure "$tmp/m" merge-topk -O tsv >"$tmp/table"
row 'the same, a hit in each chunk'
[ "$(wc -l <"$tmp/table")" -eq $((chunks + 1)) ] || fail 'rows are missing'

replay 0 "$workers" 1 | measure "$tmp/m" merge-topk -n 100 -O tsv >"$tmp/table"
row 'the same, the best 100 of 100 queries'

replay 0 $((workers - 1)) 0 |
	measure "$tmp/m" merge-topk --missing >"$tmp/missing"
row 'a worker is lost: --missing'
seq $((workers - 1)) "$workers" $((chunks - 1)) | cmp - "$tmp/missing" ||
	fail 'other chunks are missing'

step=$(((workers + 31) / 32)) i=0
while [ "$i" -lt "$workers" ]; do
	end=$((i + step < workers ? i + step : workers))
	replay "$i" "$end" 1 | merge-topk --partial -n 100 -o "$tmp/$i.rec"
	i=$end
done
measure "$tmp/m" merge-topk -n 100 -O tsv "$tmp"/*.rec >"$tmp/again"
row 'the best 100, merged in 32 places before'
cmp "$tmp/again" "$tmp/table" || fail 'a tree gives another table'
exit "$failed"
