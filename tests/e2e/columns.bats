# SPDX-License-Identifier: MIT
# --columns: which columns of tsv, in which order.
load helper

make_input() {
	{ printf '>#a\n'; randseq 3000 11 | sed 1d
	  printf '>b\n'; randseq 900 12 | sed 1d; } > t.fa
	printf '>#p\nACGTACGTAC\n>q\nTTTTTTTT\n' > q.fa
	printf '>r\nGATTACAGATTA\n' > r.fa
	asm-scan --quiet -O rec -k 3 --with-seq -q q.fa -q r.fa -e ACGTACG t.fa > h.rec
}

# cut in another order
reorder() {
	awk -F '\t' -v OFS='\t' -v of="$1" '{
		n = split(of, c, ",")
		row = $c[1]
		for (i = 2; i <= n; i++)
			row = row OFS $c[i]
		print row
	}'
}

@test "--columns chooses and orders what tsv holds" {
	make_input
	merge-topk --with-seq --no-header h.rec > all
	for how in 'query:1' 'cigar,query:12,1' 'sseq,sbeg,sbeg,qlen:13,8,8,2' \
	    'send,strand,subject,slen,edits,score,qbeg,qend:9,5,6,7,10,11,3,4'; do
		{ printf '#%s\n' "${how%:*}" | tr , '\t'
		  reorder "${how#*:}" < all; } > want
		merge-topk --columns "${how%:*}" h.rec | cmp - want
		rec-view --columns "${how%:*}" h.rec | sort | cmp - <(sort want)
		asm-scan --quiet -n 100000 -k 3 -q q.fa -q r.fa -e ACGTACG \
			--columns "${how%:*}" t.fa | cmp - want
		sed 1d want | cmp - <(merge-topk --no-header --columns "${how%:*}" h.rec)
	done
	[ "$(wc -l < all)" -gt 20 ]
}

@test "mismatches and gaps are those of the CIGAR, and add up to edits" {
	make_input
	merge-topk --no-header --columns mismatches,gaps,edits,cigar h.rec > have
	awk -F '\t' '{
		x = g = 0
		for (s = $4; match(s, /^[0-9]+[=XID]/); s = substr(s, RLENGTH + 1)) {
			n = substr(s, 1, RLENGTH - 1)
			op = substr(s, RLENGTH, 1)
			x += op == "X" ? n : 0
			g += op == "I" || op == "D" ? n : 0
		}
		if (s != "" || x != $1 || g != $2 || x + g != $3)
			exit 1
		some += x > 0 && g > 0
	} END { exit !some }' have
	asm-scan --no-cigar -k 3 -q q.fa --no-header --columns mismatches,gaps t.fa |
		sort -u | cmp - <(printf '*\t*\n')
}

@test "source is the file of the row's query" {
	make_input
	asm-scan --quiet --no-header -k 3 -q q.fa -q r.fa -e ACGTACG \
		--columns query,source t.fa | sort -u > have
	printf '%s\n' $'#p\tq.fa' $'ACGTACG\t-e' $'q\tq.fa' $'r\tr.fa' |
		cmp - have
	for p in merge-topk rec-view; do
		fails 2 -q $p --columns source h.rec
		asm-scan -O rec -k 3 -q q.fa -q r.fa t.fa |
			$p --no-header --columns query,source -q q.fa -q r.fa |
			sort -u | cmp - <(printf '%s\n' $'#p\tq.fa' $'q\tq.fa' $'r\tr.fa')
	done
	sw-scan --no-header -q q.fa -q r.fa --columns source,query t.fa | sort -u |
		cmp - <(printf '%s\n' $'q.fa\t#p' $'q.fa\tq' $'r.fa\tr')
}

@test "counts, primers and distances have columns, too" {
	make_input
	asm-scan --report=count --columns count,query -q q.fa t.fa > have
	asm-scan --report=count -q q.fa t.fa | reorder 4,1 |
		sed '1s/.*/#count\tquery/' | cmp - have
	asm-scan -O rec --report=count -q q.fa t.fa |
		merge-topk --columns count,query | cmp - have
	primer-find -k 2 -q r.fa t.fa | reorder 6,1 |
		sed '1s/.*/#sequence\ttarget/' > want
	primer-find -k 2 --columns sequence,target -q r.fa t.fa | cmp - want
	primer-find -O rec -k 2 -q r.fa t.fa |
		rec-view --columns sequence,target | cmp - want
	ebwt-dist t.fa q.fa | reorder 6,2,1 | sed '1s/.*/#value\tb\ta/' > want
	ebwt-dist --columns value,b,a t.fa q.fa | cmp - want
	motif 1 6 m > m
	motif 2 6 n >> m
	ebwt-dist m --columns mean,pairs,a | head -n 1 |
		cmp - <(printf '#mean\tpairs\ta\n')
}

@test "a table without rows has the columns that were asked for" {
	printf '>t\nAAAA\n' > t.fa
	asm-scan --columns score,query -e CCCC t.fa |
		cmp - <(printf '#score\tquery\n')
	sw-scan --min-score 9 --columns score,query -e CCCC t.fa |
		cmp - <(printf '#score\tquery\n')
	printf 'p\tCCCC\tGGGG\n' > p.tsv
	pcr-find -p p.tsv --nested p.tsv --probe t.fa --columns outer,probe t.fa |
		cmp - <(printf '#outer\tprobe\n')
}

@test "a column that is not there is named, with those that are" {
	make_input
	for c in 'asm-scan --columns nix -q q.fa t.fa' \
	    'asm-scan --columns count -q q.fa t.fa' \
	    'asm-scan --report=count --columns cigar -q q.fa t.fa' \
	    'sw-scan --columns query,nix -q q.fa t.fa' \
	    'primer-find -k 2 --columns query -q r.fa t.fa' \
	    'ebwt-dist --columns query t.fa' \
	    'merge-topk --columns query,count h.rec' \
	    'rec-view --columns nix h.rec'; do
		fails 2 'there is no column *: the names are ' $c
	done
	# of a stream of any table: the names of each
	asm-scan -k 3 --histogram -q q.fa -O rec t.fa > counts.rec
	for c in 'merge-topk --columns nix counts.rec' \
	    'rec-view --columns query,k counts.rec'; do
		fails 2 '' $c
		for want in 'the names are query, qlen, ' \
		    '; of counts: query, strand, edits, count; ' \
		    '; of primers: target, ' '; of distances: a, b, alen, ' \
		    '; of weighted distances: a, b, pairs, '; do
			[[ $stderr == *"$want"* ]]
		done
	done
	fails 2 ': the names are query, strand, edits, count' \
		asm-scan --histogram --columns nix -q q.fa t.fa
	# known, but not of what is there
	fails 2 ': the names are query, strand, edits, count' \
		merge-topk --columns qlen counts.rec
	fails 2 'the names are query, qlen' merge-topk --columns count h.rec
	for c in 'asm-scan --columns query, -q q.fa t.fa' \
	    'asm-scan -O bed --columns query -q q.fa t.fa' \
	    'asm-scan -O rec --columns query -q q.fa t.fa' \
	    'asm-scan --filter --columns query -q q.fa t.fa' \
	    'ebwt-dist --ebwt --columns a t.fa' \
	    'merge-topk --partial --columns query h.rec' \
	    'merge-topk -O json --columns query h.rec' \
	    'rec-view --stats --columns query h.rec'; do
		fails 2 --columns $c
	done
	fasta-chunk t.fa > c.rec
	fails 2 sequences rec-view --columns subject c.rec
}
