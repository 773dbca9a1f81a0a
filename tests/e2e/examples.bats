# SPDX-License-Identifier: MIT
# Every example of the manual and of the folder examples/ runs.
load helper

# Literal blocks of the sections EXAMPLES and FAN-OUT of a page, one a file.
extract() {
	awk -v name="$2" '
		/^\.Sh / { all = on = /EXAMPLES|FAN-OUT/ }
		/^\.Ss / { on = all || /Examples|Where to cut/ }
		on && /^\.Bd -literal/ { file = sprintf("%s.%02d", name, ++n); next }
		/^\.Ed/ { file = "" }
		file {
			gsub(/\\e/, "\\")
			print > file
		}' "$1"
}

# All of a page's examples, in a copy of examples/data, one after the other.
run_page() {
	local f p rc

	cd "$BATS_TEST_TMPDIR"
	rm -rf work block*
	cp -r "$DATA" work
	extract "$BATS_TEST_DIRNAME/../../man/$1" "$PWD/block"
	ls block.* > blocks
	[ "$(wc -l < blocks)" -ge "$2" ]
	cd work
	for f in ../block.*; do
		for p in parallel primer3_core samtools; do
			if grep -q "$p " $f && ! command -v $p > /dev/null; then
				continue 2
			fi
		done
		rc=0
		SLURM_ARRAY_TASK_ID=0 bash -e -o pipefail $f > ../out 2> ../err || rc=$?
		[ $rc -eq 0 ] || [ $rc -eq 141 ] || {
			cat $f ../err
			return 1
		}
	done
}

@test "the examples of fasta-chunk(1), asm-scan(1), rec-view(1) and rec(5) run" {
	run_page fasta-chunk.1 5
	zcat lambda.fa.gz | unwrap | cmp - <(unwrap copy.fa)
	run_page asm-scan.1 6
	run_page rec-view.1 4
	run_page rec.5 0
}

@test "the examples of sw-scan(1) run, and one process gives what three do" {
	run_page sw-scan.1 6
	merge-topk -n 10 -O tsv p.?.rec | cmp - <(sw-scan -O rec -n 10 -q piece.fa \
		lambda.fa.gz | merge-topk -n 10 -O tsv)
}

@test "the examples of primer-find(1) run, and one process gives what three do" {
	run_page primer-find.1 4
	merge-topk -O tsv p.?.rec | cmp - <(primer-find -k 4 --max-len 24 \
		-q target.fa -O tsv lambda.fa.gz)
	[ "$(merge-topk -O tsv p.?.rec | wc -l)" -ge 20 ]
}

@test "the examples of pcr-find(1) run, and one process gives what two do" {
	run_page pcr-find.1 4
	pcr-find -p pairs.tsv 0.rec 1.rec |
		cmp - <(pcr-find -k 3 -p pairs.tsv lambda.fa.gz)
	[ "$(grep -c '>' products.fa)" = 4 ]
}

@test "the examples of ebwt-dist(1) and seqfilters-distances(7) run" {
	run_page ebwt-dist.1 4
	[ "$(cut -f 1 listing | sed 1d | paste -s -d '\0')" = NNBAAA ]
	run_page seqfilters-distances.7 3
	[ "$(ebwt-dist --words m | rows | wc -l)" -eq 4 ]
}

@test "the examples of merge-topk(1) run, and the repair is whole" {
	run_page merge-topk.1 4
	[ "$(merge-topk -O bed some.*.rec | wc -l)" -eq 12 ]
}

@test "the examples of seqfilters(7) run" {
	run_page seqfilters.7 10
	rows home.tsv | wc -l | grep -qx 12
	[ "$(rows best.tsv | wc -l)" -eq 8 ]
	[ "$(paste -s -d ' ' once)" = 'attP_core guide_exact guide_iupac' ]
}

@test "the examples of seqfilters-primers(7) run" {
	run_page seqfilters-primers.7 4
	[ "$(grep -cw fail checked.tsv)" -eq 2 ]
	[ "$(pcr-find -k 3 -p numbered.tsv target.fa | rows | wc -l)" -ge 1 ]
	[ -z "$(pcr-find -k 3 -p numbered.tsv lambda.fa.gz | rows)" ]
}

@test "the examples of seqfilters-reads(7) run, and cut where it says" {
	run_page seqfilters-reads.7 4
	[ "$(wc -l < adapter.fq) $(wc -l < clean.fq)" = '4 4' ]
	diff cuts.tsv - <<-END
	a	8	1	4=1I6=2S
	b	2	1	3=1D10=
	END
	[ ! -f bc1.fq ] || [ "$(head -n 1 bc1.fq bc2.fq | grep '^@')" = $'@y\n@x' ]
	need cutadapt
	cutadapt -e 0.1 -O 3 -a AGATCGGAAGAGC ends.fa 2> log | sed '/>/d' |
		awk '{ print length($0) }' | paste -s -d ' ' | grep -qx '8 4'
}

@test "the examples of seqfilters-offtarget(7) and -circular(7) run" {
	run_page seqfilters-offtarget.7 7
	[ "$(wc -l < guides)" -eq 75 ]
	run_page seqfilters-circular.7 4
}

@test "every manual page is clean" {
	need mandoc
	for f in "$BATS_TEST_DIRNAME"/../../man/*.[1-8]; do
		no grep -v 'referenced manual not found' \
			<(mandoc -Tlint -W style "$f")
	done
}

@test "every program has a manual page with the sections it should have" {
	for p in $(programs); do
		f=$BATS_TEST_DIRNAME/../../man/$p.1
		for s in NAME SYNOPSIS DESCRIPTION ENVIRONMENT 'EXIT STATUS' \
		    EXAMPLES 'SEE ALSO' CAVEATS; do
			grep -qx "\.Sh $s" "$f"
		done
	done
}

# A copy of examples/, in a folder that must be quoted.
there() {
	there="$PWD/it's \"a\" \$HOME {} 5%d \\n/examples"
	mkdir "${there%/*}"
	cp -r "$BATS_TEST_DIRNAME/../../examples" "$there"
}

@test "every script in examples/ runs, exits 0, and leaves nothing behind" {
	there
	ls -R "$there" > before
	export TMPDIR="$PWD/a tmp"
	mkdir "$TMPDIR"
	for f in "$there"/*.sh "$there"/jobs/*.sh; do
		[ "${f##*/}" != quickstart.sh ] || continue
		sh "$f" > out 2> err || { cat "$f" err; return 1; }
		[ -s out ]
	done
	ls -R "$there" | cmp - before
	[ -z "$(ls "$TMPDIR")" ]
}

@test "neither manual pages nor the cookbook nor examples/*.sh need awk" {
	cd "$BATS_TEST_DIRNAME/../.."
	no grep -lE 'awk|perl' -- man/*.[1-8] examples/cookbook.md \
		examples/*.sh
}

# The eleven jobs that a first user comes with.
job() {
	sh "$BATS_TEST_DIRNAME/../../examples/jobs/$1.sh" "${@:2}"
}

@test "there are eleven jobs, and none needs awk" {
	cd "$BATS_TEST_DIRNAME/../../examples/jobs"
	[ "$(ls | wc -l)" -eq 11 ]
	no grep -lE 'awk|perl|python' -- *
}

@test "jobs: off-targets with mismatches and bulges apart" {
	job off-targets > have
	[ "$(head -n 1 have | cut -f 6,7)" = "$(printf 'mismatches\tgaps')" ]
	rows have | cut -f 4,6,7 | grep -qx "$(printf '11000\t0\t0')"
	rows have | cut -f 4,6,7 | grep -qx "$(printf '48474\t4\t0')"
	printf '>g\nGTCCTTTCCGGCAATCAGGC\n' > g.fa
	job off-targets "$PWD/g.fa" "$DATA/lambda.fa.gz" | rows | cut -f 1 |
		sort -u | grep -qx g
}

@test "jobs: reads with adapters" {
	job adapters > have
	diff - <(rows have | head -n 4) <<-END
	differs	21	6	1
	hidden	18	8	1
	part	23	16	0
	whole	25	8	0
	END
	tail -n 4 have | head -n 1 | grep -qx @none
}

@test "jobs: amplicons of a scheme" {
	job amplicons > have
	diff - <(sed 1,5d have | sort) <<-END
	a20	900
	b5	622
	c23	622
	d41	622
	END
}

@test "jobs: a gene in another strain, as SAM and PAF" {
	job gene-in-strain > have
	grep -c '^cI	' have | grep -qx 2
	tail -n 1 have > paf
	[ "$(cut -f 2-6,11 paf | tr '\t' ' ')" = '714 0 714 + strain 714' ]
	need samtools
	head -n -1 have | samtools view -c - | grep -qx 1
}

@test "jobs: the best copies of an insertion sequence, as BLAST's columns" {
	job insertions > have
	[ "$(wc -l < have)" -eq 3 ]
	awk -F '\t' 'NF != 12 || (NR > 1 && $12 > bits) { exit 1 }
		{ bits = $12 }' have
	[ "$(cut -f 9 have | sort -n | tr '\n' ' ')" = '2001 4701 7401 ' ]
}

@test "jobs: primers against a host, for primer3" {
	job primers > have
	[ "$(grep -c '^SEQUENCE_ID=' have)" -gt 5 ]
	[ "$(grep -c '^=$' have)" -eq "$(grep -c '^SEQUENCE_ID=' have)" ]
}

@test "jobs: pairs of primers, each with one product of the virus alone" {
	job primer-pairs > have
	sed -n 2,6p have | cut -f 2,3 | sort > best
	[ "$(wc -l < best)" -eq 5 ]
	sed 1,7d have | cut -f 2,3 | sort | cmp - best
	sed 1,7d have | cut -f 4,5 | sort -u | grep -qx "0	0"
}

@test "jobs: a tree of genomes has relatives beside each other" {
	job tree | tr -d '\n' > have
	grep -qE '\(a[12]_made_of_lambda:[0-9.]*,a[12]_made_of_lambda:' have
	grep -qE 'b[12]_made_of_lambda:[0-9.]*,b[12]_made_of_lambda:' have
}

@test "jobs: motifs, restriction map, a worker that was killed" {
	job motifs > have
	grep -qx "$(printf 'E_box_1\tE_box_2\t0')" have
	grep -q "$(printf '^E_box_2\tE_box_1\t')" have
	grep -qx "$(printf 'CACGTG\t+\t3')" have
	job restriction-map > map.svg
	grep -q '<title id="title">16 hits of 3 queries in 1 sequence</title>' map.svg
	grep -q 'class="c2"' map.svg
	job repair > have 2> notes
	head -n 1 have | grep -qx 'exit status 3: not whole'
	asm-scan -O rec -k 10% -q "$DATA/sites.fa" "$DATA/lambda.fa.gz" |
		merge-topk | cmp - <(sed 1d have)
	grep -q 'chunks are missing' notes
}

@test "a tree of a family has it as it descended" {
	sh "$BATS_TEST_DIRNAME/../../examples/tree.sh" > tree
	[ "$(grep -c '_[xy]$' tree)" -eq 8 ]
	for p in b1 b2 c1 c2; do
		grep -A 1 ${p}_ tree | grep -c ${p}_ | grep -qx 2
	done
	grep -A 3 c1_ tree | grep -q c2_ || grep -A 3 c2_ tree | grep -q c1_
}

@test "a recipe for clusters: what got lost is searched again, and no more" {
	there
	local recipes=$there/cluster

	PARTS=3 sh "$recipes/xargs.sh" run
	asm-scan -O rec -k 10% -q "$DATA/sites.fa" "$DATA/lambda.fa.gz" |
		merge-topk -O tsv > want
	cmp want run/table
	rm run/part.1.rec run/table
	head -c 1000 run/part.2.rec > cut
	mv cut run/part.2.rec
	: > run/killed.rec	# by a worker's shell
	sh "$recipes/home.sh" run 2> notes
	[ -e run/killed.rec.bad ]
	cmp want run/table
	grep -q 'chunks are missing: 1, ' notes
	cat run/again.*.rec | recframes list |
		awk '$2 == "HITS" && $4 % 3 == 0 { exit 1 }'
	for d in "it's {} empty\\n" -n; do
		sh "$recipes/home.sh" "$d"
		cmp want "./$d/table"
	done
	rm ./-n/plan.rec ./-n/table
	sh "$recipes/xargs.sh" -n
	cmp want ./-n/table
	# a genome whose name looks like an option
	cp "$DATA/lambda.fa.gz" ./-n.gz
	GENOME=-n.gz PARTS=2 sh "$recipes/xargs.sh" x
	cmp want x/table
	need parallel
	for how in parts pipe; do
		GENOME=-n.gz PARTS=2 sh "$recipes/parallel.sh" $how $how
		cmp want $how/table
	done
}

@test "all recipes take a genome whose name looks like an option" {
	cd "$BATS_TEST_DIRNAME/../../examples/cluster"
	grep -rhE 'GENOME"|input\.genome|\$genome' . |
		grep -v ' -- ' > "$BATS_TEST_TMPDIR/bare" || true
	[ ! -s "$BATS_TEST_TMPDIR/bare" ]
	[ "$(grep -rE -- ' -- .*(GENOME"|input\.genome|\$genome)' . | wc -l)" -ge 5 ]
}

@test "quickstart shows twelve hits and what to type next, and so does the README" {
	sh "$BATS_TEST_DIRNAME/../../examples/quickstart.sh" "$SEQF_BIN" > out
	cat out
	[ "$(grep -cE '^  [A-Za-z0-9_]+ +[0-9]+ +[0-9]+ ' out)" -eq 12 ]
	grep -q '12 hits: 8 patterns' out
	grep -q '^Next:' out
	awk 'length > 80 && !/PATH=|man/ { exit 1 }' out
	sed '/^Next:/,$d' out | grep -E '^  [A-Za-z]' > rows
	[ "$(wc -l < rows)" -ge 13 ]
	while IFS= read -r line; do
		grep -qF -- "$line" "$BATS_TEST_DIRNAME/../../README.md"
	done < rows
}

# The commands of a page between <!-- $2 --> and <!-- /$2 -->, one a file, and
# what they print behind each.
blocks() {
	sed -n "/<!-- $2 -->/,/<!-- .$2 -->/p" "$1" | awk '
		/^    \$ / {
			print substr($0, 7) > (file = sprintf("cmd.%03d", ++n))
			next
		}
		/^    > / { print substr($0, 7) > file; next }
		/^    / && n { print substr($0, 5) > sprintf("want.%03d", n) }'
}

# They run in a copy of examples/data and print just that.
run_blocks() {
	local c n rc

	cd "$BATS_TEST_TMPDIR"
	rm -rf work cmd.* want.*
	cp -r "$DATA" work
	blocks "$BATS_TEST_DIRNAME/../../$1" "$2"
	[ "$(ls cmd.* | wc -l)" -ge "$3" ]
	cd work
	for c in ../cmd.*; do
		n=${c##*.} rc=0
		bash -e -o pipefail $c > ../have 2>&1 || rc=$?
		[ $rc -eq 0 ] || [ $rc -eq 141 ] || { cat $c ../have; return 1; }
		touch ../want.$n
		expand ../have | sed 's/ *$//' | diff ../want.$n - || {
			cat $c
			return 1
		}
	done
}

@test "the tour of the README and the cookbook run, and print what they say" {
	run_blocks README.md tour 10
	run_blocks examples/cookbook.md run 30
}
