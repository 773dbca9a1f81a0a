# SPDX-License-Identifier: MIT
# pcr-find --circular: products over the origin, each once.
load helper

# Products as if N letters had been at the other end of a circle of LEN.
moved() {
	awk -v n="$1" -v len="$2" 'BEGIN { FS = OFS = "\t" }
		{ $4 = ($4 - n + len) % len; $5 = $4 + $6; print }' | sort
}

# book K SUFFIX MIN MAX edits|hamming pairs|all PAIRS < one circle: products by
# the definition, from one turn of many.
book() {
	local n

	unwrap > circle.fa
	n=$(tail -1 circle.fa | tr -d '\n' | wc -c)
	awk '/^>/ { print; next } { for (i = 0; i < 7; i++) printf "%s", $0
		print "" }' circle.fa |
		pcrbook "$1" "$2" "$3" $(($4 < n ? $4 : n)) "${@:5}" |
		awk -v n="$n" 'BEGIN { FS = OFS = "\t" }
			$4 >= 3 * n && $4 < 4 * n {
				$4 -= 3 * n; $5 -= 3 * n; print }' | sort
}

# Pairs from places of the circle all around it, of 5 to 9 letters.
pairs() {
	tail -1 circle.fa | awk -v seed="$1" '
		function piece(at, m,  s) {
			s = substr($0 $0 $0, at + 1, m)
			if (rand() < .4)
				s = substr(s, 1, 2) "A" substr(s, 4)
			return s
		}
		function mate(s,  r, i) {
			for (i = length(s); i; i--)
				r = r substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
			return r
		}
		{ srand(seed); n = length($0)
		  for (i = 0; i < 4; i++) {
			at = int(rand() * n); m = 5 + int(rand() * 4)
			print "p" i "\t" piece(at, m) "\t" \
				mate(piece((at + int(rand() * n)) % n, m))
		  }
		  print "one\t" piece(n - 3, 6) }'
}

# bats test_tags=slow
@test "products of circles are those of the definition" {
	for seed in $(seeds 20); do
		n=$((25 + seed * seed % 400))
		randseq $n $seed 70 c > c.fa
		unwrap c.fa > circle.fa
		pairs $seed > p.tsv
		k=$((seed % 3))
		max=$((seed % 4 == 0 ? 10000 : 20 + seed * 7))
		kind=edits o=
		[ $((seed % 5)) != 0 ] || { kind=hamming; o=--no-indels; }
		all=pairs
		[ $((seed % 3)) != 0 ] || { all=all; o="$o --all-pairs"; }
		book $k 1 1 $max $kind $all p.tsv < c.fa > want
		pcr-find --no-header --circular -k $k --max-len $max $o \
			-p p.tsv c.fa > have
		sort have | diff want -
		sort -s -t '	' -k 4,4n have | cut -f 4 | diff <(cut -f 4 have) -
		awk -v n=$n '$5 > n' want >> over
		cat want >> all
		# by a stream of pieces, and of hits
		pcr-find -p p.tsv --primers > q.fa
		i=--report=minima
		[ $kind = edits ] || i='--report=all --no-indels'
		fasta-chunk --circular -L $((n / 3)) -W 99 c.fa |
			asm-scan -k $k $i --exact-suffix 1 -q q.fa > hits.rec
		[ $kind = edits ] || o=${o#--no-indels}
		pcr-find --no-header --max-len $max $o -p p.tsv hits.rec |
			diff have -
	done
	[ "$(wc -l < all)" -gt $((5 * $(seeds 20 | wc -l))) ]
	[ "$(wc -l < over)" -gt $(($(seeds 20 | wc -l) + 5)) ]
}

@test "rotating a circle moves its products and changes nothing else" {
	randseq 5386 174 70 phi > phi.fa
	s=$(unwrap phi.fa | tail -1)
	rc() { rev | tr ACGT TGCA; }
	{
		printf 'over\t%s\t%s\n' "${s: -100:20}" \
			"$(printf %s "${s:150:20}" | rc)"
		printf 'in\t%s\t%s\n' "${s:1000:20}" \
			"$(printf %s "${s:1400:20}" | rc)"
		printf 'round\t%s\t%s\n' "${s: -10}${s:0:10}" \
			"$(printf %s "${s:5356:20}" | rc)"
		printf 'minus\t%s\t%s\n' \
			"$(printf %s "${s:30:20}" | rc)" "${s: -40:20}"
	} > p.tsv
	printf '>probe\n%s%s\n' "${s: -8}" "${s:0:8}" > probe.fa
	for o in '' '--all-pairs' '-k 2' '--with-seq' '--with-seq --letters primers' \
		'--no-indels -k 3'; do
		pcr-find --no-header --circular $o -p p.tsv phi.fa > want
		grep -q over want
		for n in 1 90 2700 5385; do
			rotate $n < phi.fa > r.fa
			pcr-find --no-header --circular $o -p p.tsv r.fa | sort \
				> have
			moved $n 5386 < want | diff - have
		done
	done
	grep -q '	5286	5556	270	' <(pcr-find --circular -p p.tsv phi.fa)
	# no linear search has it
	[ "$(pcr-find --no-header -p p.tsv phi.fa | cut -f 1)" = in ]
	# letters and the probe
	pcr-find --circular -p p.tsv -O fasta phi.fa > o.fa
	grep -q '>over phi:5287-5386,phi:1-170 length=270' o.fa
	unwrap o.fa | grep -A 1 '^>over' | tail -1 |
		diff - <(printf '%s%s\n' "${s: -100}" "${s:0:170}")
	pcr-find --no-header --circular -p p.tsv --probe probe.fa phi.fa |
		cut -f 1,13,14 > have
	grep -q '^over	5378	5394$' have
	grep -q '^minus	5378	5394$' have
	no grep -q '^in' have
}

# Of the rows of inner products those that lie in one of outer ones on a circle
# of LEN letters, with what of them ends last.
nested() { # LEN OUTER INNER
	awk -v n="$1" 'BEGIN { FS = OFS = "\t" }
		FNR == NR { name[++c] = $1; a[c] = $4; d[c] = $5; next }
		{
			best = 0
			for (i = 1; i <= c; i++) {
				turn = a[i] > $4 ? -n : 0
				if (d[i] + turn < $5)
					continue
				if (!best || d[i] + turn > last ||
				    (d[i] + turn == last && a[i] + turn < from)) {
					best = i
					last = d[i] + turn
					from = a[i] + turn
				}
			}
			if (best)
				print $0, name[best], a[best], d[best]
		}' "$2" "$3"
}

@test "nested products of circles lie in others across the origin, too" {
	for seed in {1..12}; do
		n=$((20 + seed * seed % 90))
		randseq $n $((seed + 70)) 70 c > c.fa
		unwrap c.fa > circle.fa
		pairs $seed | head -n 1 > outer.tsv
		pairs $((seed + 50)) > inner.tsv
		o="--no-header --circular -k 2"
		pcr-find $o -p outer.tsv c.fa > outer
		pcr-find $o -p inner.tsv c.fa > inner
		nested $n outer inner > want
		pcr-find $o -p outer.tsv --nested inner.tsv c.fa > have
		diff want have
		awk -F '\t' '$12 > $4' have >> over
		cat have >> all
	done
	[ "$(wc -l < all)" -gt 100 ]
	[ "$(wc -l < over)" -gt 20 ]
}

@test "formats of products over an origin" {
	randseq 500 3 70 c > c.fa
	unwrap c.fa > circle.fa
	pairs 5 > p.tsv
	pcr-find --circular -k 1 --all-pairs -p p.tsv c.fa > p
	over=$(awk -F '\t' 'NR > 1 && $5 > 500' p | wc -l)
	[ "$over" -gt 0 ]
	pcr-find --circular -k 1 --all-pairs -p p.tsv -O bed c.fa > p.bed
	sort -s -k 2,2n p.bed | diff p.bed -
	awk '$3 > 500 || $2 >= $3 { exit 1 }' p.bed
	[ "$(wc -l < p.bed)" = $(($(wc -l < p) - 1 + over)) ]
	pcr-find --circular -k 1 --all-pairs -p p.tsv -O gff3 c.fa > p.gff
	[ "$(grep -c Is_circular=true p.gff)" = 1 ]
	for f in json svg fasta; do
		pcr-find --circular -k 1 --all-pairs -p p.tsv -O $f c.fa |
			grep -c . > /dev/null
	done
	fails 2 'no sequence is called d' pcr-find --circular=d -p p.tsv c.fa
	pcr-find -n 1 --circular -k 1 -p p.tsv c.fa > best
	[ "$(tail -n +2 best | cut -f 1 | sort | uniq -d | wc -l)" = 0 ]
}

@test "circles among other sequences, from streams and files of chunks" {
	for n in 1 2 3; do
		randseq $((300 * n)) $n 70 s$n
	done > all.fa
	unwrap all.fa | sed -n 3,4p > circle.fa
	pairs 9 > p.tsv
	unwrap all.fa | sed -n 1,2p > s1.fa
	unwrap all.fa | sed -n 5,6p > s3.fa
	opts=(--no-header -k 2 --all-pairs -p p.tsv --max-len 500)
	{
		pcr-find "${opts[@]}" --with-seq s1.fa
		pcr-find "${opts[@]}" --with-seq --circular circle.fa
		pcr-find "${opts[@]}" --with-seq s3.fa
	} > want
	[ "$(cut -f 2 want | sort -u | wc -l)" = 3 ]
	awk -F '\t' '$2 == "s2" && $5 > 600' want | grep -c .
	pcr-find "${opts[@]}" --with-seq --circular=s2 all.fa | diff want -
	for l in 50 599 1M; do
		fasta-chunk --circular=s2 -L $l all.fa > all.rec
		pcr-find "${opts[@]}" --with-seq all.rec | diff want -
		pcr-find "${opts[@]}" < all.rec | diff <(cut -f 1-10 want) -
	done
	pcr-find "${opts[@]}" -O bed --circular=s2 all.fa > x.bed
	for s in s1 s2 s3; do
		grep "^$s	" x.bed | sort -c -s -k 2,2n
	done
}
