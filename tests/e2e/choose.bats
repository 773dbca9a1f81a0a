# SPDX-License-Identifier: MIT
# Which of the rows that overlap stay: --drop-shadows and --no-overlap.
load helper

# Rows that no row of their query, sequence and strand with fewer edits overlaps
# by more than half of the shorter: a table as text, each pair compared.
no_shadows() {
	awk -F '\t' '
		/^#/ { next }
		{ row[++n] = $0; key[n] = $1 "\t" $6 "\t" $5
		  beg[n] = $8; end[n] = $9; edits[n] = $10 }
		END {
			for (i = 1; i <= n; i++) {
				hidden = 0
				for (j = 1; j <= n && !hidden; j++) {
					if (key[i] != key[j] || edits[j] >= edits[i])
						continue
					from = beg[i] > beg[j] ? beg[i] : beg[j]
					to = end[i] < end[j] ? end[i] : end[j]
					x = end[i] - beg[i]
					y = end[j] - beg[j]
					hidden = 2 * (to - from) > (x < y ? x : y)
				}
				if (!hidden)
					print row[i]
			}
		}'
}

make_input() {
	{ printf '>a\n'; randseq 1500 11 | sed 1d
	  printf '>b\n'; randseq 900 12 | sed 1d
	  printf '>c\nACGTACGTACGTACGTACGTTTTTTTTTTTTTTTTTTT\n>d\nA\n>e\n'; } > t.fa
	printf '>p\nACGTACGTAC\n>q\nTTTTTTTT\n>r\nGATTACAGATTA\n' > q.fa
}

@test "--drop-shadows leaves what no better hit hides, in both programs" {
	make_input
	for k in 0 1 3 4 6; do
		asm-scan -O rec -k $k -q q.fa t.fa > h.rec
		merge-topk -O tsv h.rec | no_shadows > want
		merge-topk --drop-shadows h.rec | rows | cmp - want
		for t in 1 3; do
			asm-scan -t $t --drop-shadows -k $k -q q.fa t.fa |
				rows | cmp - want
		done
		fasta-chunk -L 50 t.fa | asm-scan --drop-shadows -k $k -q q.fa \
			-O tsv | rows | cmp - want
	done
	[ "$(wc -l < want)" -gt 10 ]
	[ "$(merge-topk h.rec | rows | wc -l)" -gt "$(wc -l < want)" ]
}

@test "a shadow hides others, too" {
	# TTTT with no edits, and on its flanks what overlaps it
	asm-scan -O rec --report=all -k 3 -s + -e ACGTAC -e TTTT \
		<(printf '>t\nGGACGTACACGTATTTTACC\n') > h.rec
	merge-topk h.rec | no_shadows > want
	merge-topk --drop-shadows h.rec | rows | cmp - want
	[ "$(grep -c . want)" -lt "$(merge-topk h.rec | rows | wc -l)" ]
}

@test "--no-overlap in a scanner is that of merge-topk" {
	make_input
	for f in 0 0.3 0.5 1; do
		for n in '' '-n 1' '-n 3'; do
			asm-scan -O rec -k 3 -q q.fa t.fa |
				merge-topk $n --no-overlap $f > want
			asm-scan --quiet $n --no-overlap $f -k 3 -q q.fa t.fa | cmp - want
			asm-scan -O rec -k 3 -q q.fa t.fa |
				merge-topk $n --no-overlap $f --drop-shadows > want
			asm-scan --quiet $n --no-overlap $f --drop-shadows -k 3 \
				-q q.fa t.fa | cmp - want
		done
		sw-scan -O rec -n 9 -q q.fa t.fa |
			merge-topk --quiet --no-overlap $f > want
		sw-scan -n 9 --no-overlap $f -q q.fa t.fa | cmp - want
		fasta-chunk -L 60 t.fa | sw-scan -n 9 --no-overlap $f -q q.fa \
			-O tsv | cmp - want
	done
}

@test "what cannot be chosen among is refused in a line" {
	make_input
	asm-scan -O rec -k 1 -q q.fa t.fa > h.rec
	sw-scan -O rec -n 3 -q q.fa t.fa > s.rec
	asm-scan -O rec --ends -k 1 -q q.fa t.fa > e.rec
	for how in --drop-shadows '--no-overlap 0.5'; do
		for c in "asm-scan -O rec -k 1 $how -q q.fa t.fa" \
		    "asm-scan --ends -k 1 $how -q q.fa t.fa" \
		    "asm-scan --report=count -k 1 $how -q q.fa t.fa" \
		    "asm-scan --histogram -k 1 $how -q q.fa t.fa" \
		    "asm-scan --filter -k 1 $how -q q.fa t.fa" \
		    "merge-topk --partial $how h.rec" "merge-topk $how e.rec"; do
			fails 2 "${how%% *}" $c
		done
	done
	for c in 'sw-scan -O rec -n 3 --no-overlap 0.5 -q q.fa t.fa' \
	    'merge-topk --drop-shadows s.rec' \
	    'asm-scan -k 1 --no-overlap 1.5 -q q.fa t.fa' \
	    'sw-scan -n 3 --no-overlap x -q q.fa t.fa'; do
		fails 2 '' $c
	done
	says 0 'of which there is 1' sw-scan --no-overlap 0 -q q.fa t.fa
}

@test "what --drop-shadows left out is not taken for everything" {
	make_input
	asm-scan -O rec -k 4 -q q.fa t.fa > h.rec
	merge-topk --drop-shadows h.rec > want
	merge-topk --drop-shadows -O rec h.rec > o.rec
	rec-view o.rec | cmp - want
	merge-topk --quiet o.rec | cmp - want
	for how in '-n 9' --drop-shadows '--no-overlap 0'; do
		fails 2 'left out rows' merge-topk $how o.rec
	done
}

@test "shadows of more rows than memory holds" {
	randseq 60000 9 > t.fa
	asm-scan -O rec -k 2 -e ACGTA -e GGCAC -e TTTAC t.fa > t.rec
	mkdir tmp
	TMPDIR=$PWD/tmp merge-topk --drop-shadows t.rec | rows > have
	[ -z "$(ls tmp)" ]
	# in pieces that share no row, the rule sees the same
	merge-topk t.rec | awk -F '\t' '!/^#/ { print $1, $5 > "keys" }
		!/^#/ { print > "part." $1 $5 }'
	for f in part.*; do
		sort -t "$(printf '\t')" -k8,8n "$f" | awk -F '\t' '
			{ b[++n] = $8; e[n] = $9; d[n] = $10; row[n] = $0 }
			END { for (i = 1; i <= n; i++) {
				h = 0
				for (j = i - 40; j <= i + 40 && !h; j++) {
					if (j < 1 || j > n || d[j] >= d[i])
						continue
					f = b[i] > b[j] ? b[i] : b[j]
					t = e[i] < e[j] ? e[i] : e[j]
					x = e[i] - b[i]; y = e[j] - b[j]
					h = 2 * (t - f) > (x < y ? x : y)
				}
				if (!h) print row[i]
			} }'
	done | sort > want
	sort have | cmp - want
	[ "$(wc -l < want)" -gt 1000 ]
}
