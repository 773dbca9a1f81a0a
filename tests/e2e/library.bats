# SPDX-License-Identifier: MIT
# libseqfilters: the examples are programs of others, and do what ours do.
load helper

prepare() {
	PATH=$(dirname "$SEQF_BIN")/library:$PATH
	EX=$BATS_TEST_DIRNAME/../../examples/library
	GENOME=$DATA/lambda.fa.gz
}

@test "a scanner of the library finds what asm-scan finds, however it is cut" {
	prepare
	asm-scan -O rec -k 0 -s + -e GGATCC -e GAATTC -e GCGC "$GENOME" |
		merge-topk -O bed > want
	[ "$(wc -l < want)" -gt 200 ]
	exact GGATCC GAATTC GCGC < "$GENOME" | merge-topk -O bed | cmp - want
	for own in 1000000 997 64 6 1; do
		fasta-chunk -L $own -W 7 "$GENOME" |
			exact GGATCC GAATTC GCGC > x.rec
		rec-view --check x.rec
		merge-topk -O bed x.rec | cmp - want
	done
	fasta-chunk -L 997 -W 7 "$GENOME" > c.rec
	parts 3 "-L 997 -W 7 $GENOME" exact GGATCC GAATTC GCGC
	merge-topk -O bed 2.rec 0.rec 1.rec | cmp - want
	run -3 sh_ 'merge-topk -O bed 2.rec 1.rec'
}

@test "scans are identified by words, and pass other scans' frames on" {
	prepare
	exact GGATCC < "$GENOME" | recframes list | grep -c BEGIN | grep -qx 2
	printf '>a\nACGTACGT\n>b\nTTTT\n' > t.fa
	{ exact ACG < t.fa; exact TT < t.fa; } | merge-topk -O tsv | rows |
		cut -f 1,6,8,9 | tr '\t' ' ' > have
	printf '%s\n' 'ACG a 0 3' 'ACG a 4 7' 'TT b 0 2' 'TT b 1 3' 'TT b 2 4' |
		diff - have
	# the same frames twice are one
	exact ACG < t.fa > x.rec
	cat x.rec x.rec | records > twice
	records < x.rec | cmp - twice
	[ "$(wc -l < twice)" -eq 2 ]
}

@test "the reader shows hits, counts and pieces as rec-view does" {
	prepare
	asm-scan -O rec -k 10% -q "$DATA/sites.fa" "$GENOME" > h.rec
	rec-view -O tsv h.rec | grep -v '^#' |
		cut -f 1,5,6,8,9,11,12 > want
	[ -s want ]
	records h.rec | cmp - want
	records < h.rec | cmp - want
	asm-scan -O rec -k 10% --ends -q "$DATA/sites.fa" "$GENOME" > ends.rec
	records ends.rec | cut -f 1,2,5 > have
	cut -f 1,2,5 want | cmp - have
	asm-scan -O rec -k 10% --report=count -q "$DATA/sites.fa" "$GENOME" > n.rec
	rec-view -O tsv n.rec | grep -v '^#' | cut -f 1-4 > want
	records n.rec | cmp - want
	printf '>a b\nACGTNNacgtU\n>c\n>d\nTTT\n' > t.fa
	fasta-chunk -L 4 -W 3 t.fa | records | tr '\t' ' ' > have
	printf '%s\n' 'a 0 4 ACGT' 'a 4 8 NNac' 'a 8 11 gtU' 'c 0 0 ' \
		'd 0 3 TTT' | diff - have
	records t.fa | tr '\t' ' ' | head -n 1 | grep -qx 'a 0 11 ACGTNNacgtU'
}

@test "what is not whole is reported: no table would be right" {
	prepare
	fasta-chunk -L 997 "$GENOME" > c.rec
	asm-scan -k 1 -q "$DATA/sites.fa" c.rec > h.rec
	for f in c h; do
		n=$(stat -c %s $f.rec)
		for at in 0 10 100 $((n / 2)) $((n - 100)) $((n - 1)); do
			head -c $at $f.rec > cut.rec
			says 3 '' records cut.rec
		done
	done
	head -c 9000 "$GENOME" > cut.gz
	fails 1 cut.gz records cut.gz
	run -1 exact ACGT < cut.gz
	head -c 9000 c.rec > cut.rec
	run -1 exact ACGT < cut.rec
	run -1 records nothing.rec
	run -1 sh_ 'exact ACGT < c.rec > /dev/full'
}

@test "short context, no words, matrices: refused with a reason" {
	prepare
	fasta-chunk -L 100 -W 3 "$GENOME" > c.rec
	fails 2 'fasta-chunk -W 5' sh_ 'exact ACGTA < c.rec'
	run -2 sh_ 'exact < c.rec'
	run -2 sh_ 'exact "" < c.rec'
	printf '>m\nA [ 1 2 ]\nC [ 1 2 ]\nG [ 1 2 ]\nT [ 1 2 ]\n' > m
	fasta-chunk m > m.rec
	fails 2 matrices sh_ 'exact ACGTA < m.rec'
	records m.rec | wc -l | grep -qx 0
}

@test "records.py reads hits without any library" {
	need python3
	prepare
	fasta-chunk -L 997 -W 30 "$GENOME" |
		asm-scan -k 2 -q "$DATA/sites.fa" --with-seq > h.rec
	rec-view --with-seq -O tsv h.rec | grep -v '^#' > tsv
	awk -F'\t' -v OFS='\t' '{
		print $1, $5, $6, $8, $9, $3, $4, $11, $10, $12, $13 }' tsv > want
	[ "$(wc -l < want)" -gt 1000 ]
	python3 "$EX/records.py" < h.rec | cmp - want
	asm-scan -O rec -k 1 --ends -q "$DATA/sites.fa" "$GENOME" > ends.rec
	python3 "$EX/records.py" < ends.rec | wc -l > have
	rec-view -O tsv ends.rec | grep -vc '^#' | cmp - have
	head -c 9000 h.rec > cut.rec
	says 1 'cut or damaged' python3 "$EX/records.py" < cut.rec
}

@test "pkg-config's line builds a program; nothing but seqf_* can be seen" {
	[ -z "${SEQF_SANITIZED:-}" ] || skip "built for a sanitizer"
	need pkg-config cc
	prepare
	b=$(dirname "$SEQF_BIN")
	(cd "$BATS_TEST_DIRNAME/../.." && sh tests/install.sh install "$b" \
		"$BATS_TEST_TMPDIR/stage" /usr)
	grep -qx 'prefix=/usr' stage/usr/lib/pkgconfig/seqfilters.pc
	(cd "$BATS_TEST_DIRNAME/../.." && sh tests/install.sh install "$b" "" \
		"$BATS_TEST_TMPDIR/to")
	export PKG_CONFIG_PATH=$PWD/to/lib/pkgconfig
	cc -std=c11 -Wall -Werror -o mine "$EX/exact.c" \
		$(pkg-config --cflags --libs seqfilters)
	./mine GGATCC < "$GENOME" | cmp - <(exact GGATCC < "$GENOME")
	nm -g --defined-only to/lib/libseqfilters.a | awk 'NF == 3 { print $3 }' |
		grep -v '^seqf_' > others || true
	[ ! -s others ]
	nm -g --defined-only to/lib/libseqfilters.a | grep -c ' T seqf_' |
		grep -qx "$(grep -cE '^[a-z].*\<seqf_[a-z_]+\(' \
			to/include/seqfilters.h)"
}

@test "pieces of circular sequences are refused, hits are shown" {
	prepare
	for own in 100 1000000; do
		run -2 sh_ "fasta-chunk --circular -L $own '$GENOME' |
			exact GGATCC"
		[[ $output == *--circular* ]]
	done
	printf '>c\nGATTACACCT\n' > c.fa
	asm-scan --circular -s + -e CTGAT -O rec c.fa | records > have
	grep -c 'CTGAT.*8.*13' have
}
