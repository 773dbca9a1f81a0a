# SPDX-License-Identifier: MIT
# primer-find --circular: primers differ from what is over the origin, too.
load helper

# A background of which some sequences are circles, b.fa, and the same with the
# circles going around three times, t.fa; targets that resemble pieces of it,
# two of them over an origin: q.fa.
prepare() {
	randseq 400 7 60 lin > lin.fa
	randseq 150 9 60 c1 > c1.fa
	randseq 90 11 60 c2 > c2.fa
	cat c1.fa lin.fa c2.fa > b.fa
	unwrap b.fa | awk '/^>/ { round = /c/; print; next }
		{ print round ? $0 $0 $0 : $0 }' > t.fa
	{
		printf '>over\n%s%s\n' "$(unwrap c1.fa | tail -c 26 | head -1)" \
			"$(unwrap c1.fa | sed -n 2p | cut -c 1-30)"
		printf '>far\n%s\n' "$(unwrap c1.fa | sed -n 2p |
			awk '{ print substr($0 $0, 120, 60) }' |
			sed 's/.\{6\}/&T/g')"
		printf '>minus\n%s\n' "$(unwrap c2.fa | sed -n 2p |
			awk '{ print substr($0 $0, 70, 45) }' |
			sed 's/ACG/AG/' | rev | tr ACGT TGCA)"
		randseq 80 12 60 other
		sed -n 3p lin.fa | sed '1i >line'
	} > q.fa
}

each_options() { # COMMAND ...
	while read -r o; do
		"$@" $o || return 1
	done <<- .
		-k 1
		-k 2 --primers=both
		-k 3 -s + --primers=-
		-k 4 -s - --max-len 20 --primers=both
		-k 5 --min-len 18
		-k 4 --max-len 24 --min-len 16 --three-prime 7:2
		-k 6 --max-len 64 -s +
		-k 2 --max-len 2
		-k 9 --max-len 70
	.
}

agrees() {
	local i l

	primerbook "$@" q.fa t.fa > want
	all_isas want primer-find --circular=c1,c2 -O tsv --no-header \
		-q q.fa "$@" b.fa
	for l in 30 89 90 1000; do
		fasta-chunk --circular=c1,c2 -L $l -W 80 b.fa |
			primer-find -O tsv --no-header -t 2 -q q.fa "$@" |
			diff want -
	done
	primer-find --no-header -O tsv -q q.fa "$@" b.fa | cmp -s want - ||
		echo "$@" >> differ
}

# bats test_tags=slow
@test "primers are those of a background that goes around" {
	prepare
	each_options agrees
	# and those of a linear one are not
	[ "$(sort -u differ | wc -l)" -gt 4 ]
}

@test "rotating a circle changes no primer; parts merge" {
	prepare
	primer-find --circular=c1 -k 4 --max-len 30 -q q.fa b.fa -O tsv > want
	for n in 1 20 149; do
		{
			unwrap c1.fa | awk -v n=$n '/^>/ { print; next }
				{ print substr($0, n + 1) substr($0, 1, n) }'
			cat lin.fa c2.fa
		} > r.fa
		primer-find --circular=c1 -k 4 --max-len 30 -q q.fa r.fa -O tsv |
			diff want -
	done
	fan 3 '--circular=c1 -L 25 -W 33 b.fa' \
		primer-find -k 4 --max-len 30 -q q.fa | merge-topk | diff want -
}

@test "--site names places over the origin; --self hides them" {
	prepare
	for l in 20 60 149 1000; do
		fasta-chunk --circular=c1,c2 -L $l -W 150 b.fa > b.rec
		primer-find --site -k 4 --max-len 30 -q q.fa -O tsv b.rec > $l
		cmp 20 $l
	done
	primer-find --site --circular=c1,c2 -k 4 --max-len 30 -q q.fa -O tsv \
		b.fa | diff 20 -
	awk -F '\t' '$8 == "c1" && $10 < 150 && $11 > 150' 20 | grep -c .
	primer-find --circular=c1 --self c1 -k 4 --max-len 30 -q q.fa -O tsv \
		b.fa > have
	cat lin.fa c2.fa > without.fa
	primer-find -k 4 --max-len 30 -q q.fa -O tsv without.fa | diff - have
	printf 'c1\t0\t20\nc1\t140\t150\n' > self.bed
	unwrap c1.fa | awk '/^>/ { print; next }
		{ gsub(/./, "N", h); print "NNNNNNNNNNNNNNNNNNNN" \
			substr($0, 21, 120) "NNNNNNNNNN" }' > n.fa
	cat n.fa lin.fa c2.fa > n-b.fa
	primer-find --circular=c1 -k 4 --max-len 30 -q q.fa -O tsv n-b.fa > want
	for l in 30 1000; do
		fasta-chunk --circular=c1 -L $l -W 40 b.fa |
			primer-find --self self.bed -k 4 --max-len 30 -q q.fa \
				-O tsv 2> err | diff want -
		[ ! -s err ]
	done
}

@test "a circle that is shorter than what may occur in it is refused" {
	prepare
	fails 2 'c2: --circular:*--max-len' \
		primer-find --circular=c2 -k 12 -q q.fa b.fa
	primer-find --circular=c2 -k 12 --max-len 79 -q q.fa b.fa > /dev/null
	run -2 sh_ 'fasta-chunk --circular=c1 -L 25 -W 31 b.fa |
		primer-find -k 4 --max-len 30 -q q.fa'
	[[ $output == *"-W 32"* ]]
	fails 2 'no sequence is called c3' \
		primer-find --circular=c3 -k 4 -q q.fa b.fa
	fails 2 'give --circular to fasta-chunk' \
		primer-find --circular -k 4 -q q.fa <(fasta-chunk b.fa)
}

@test "--check finds places over the origin, wherever it is" {
	prepare
	s=$(unwrap c1.fa | tail -1)
	printf '>p\n%s%s\n>q\n%s\n' "${s: -9}" "${s:0:9}" "${s:50:18}" > p.fa
	places() {
		primer-find --check p.fa --circular -k 4 -O tsv --no-header \
			--columns primer,places,site_sbeg,site_edits "$@"
	}
	places c1.fa > want
	grep -c '^p	1,0,0,0,0	141	0$' want
	for n in 7 75 140; do
		printf '>c1\n%s%s\n' "${s:n}" "${s:0:n}" > r.fa
		places r.fa | awk -v n=$n 'BEGIN { FS = OFS = "\t" }
			{ $3 = ($3 + n) % 150; print }' | diff want -
	done
	primer-find --check p.fa -k 4 -O tsv c1.fa | grep -c '^p.*pass'
}
