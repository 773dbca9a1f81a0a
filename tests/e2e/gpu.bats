# SPDX-License-Identifier: MIT
# -g: what it accepts, and that results are the same with a GPU and without.
load helper

# A device's number that cannot be: what every machine says to it.
@test "a device that is not there: exit 1, and the reason" {
	for p in asm-scan sw-scan primer-find ebwt-dist; do
		run -1 --separate-stderr $p -g 63 -e ACGTACGTAC "$DATA/lambda.fa.gz"
		[ -z "$output" ]
		[[ $stderr == "$p: -g 63: "*@(GPU|driver|CUDA)* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "what is no device's number is wrong usage" {
	for g in x 1, ,1 -1 0,0 12345 0,x '' ' 0'; do
		fails 2 "-g $g: " asm-scan -g "$g" -e ACGT "$DATA/lambda.fa.gz"
	done
}

@test "auto and none write the same, and -v says what searched" {
	for g in auto none; do
		asm-scan -v -g $g -k 2 -e ACGTGATCAG -O tsv \
			"$DATA/lambda.fa.gz" > $g.tsv 2> $g.err
		grep -q '^asm-scan: GPU: none: ' $g.err
	done
	[ "$(wc -l < none.tsv)" -gt 10 ]
	cmp auto.tsv none.tsv
}

# asm-scan on an emulated GPU, one thread, and on none: the same bytes of "$@".
same() {
	same_on_gpu asm-scan "$@"
}
emulated() {
	emulator
	gzip -dc "$DATA/lambda.fa.gz" | sed -n 1,120p > part.fa
}

# bats test_tags=slow
@test "every report and rule is the same from a GPU" {
	emulated
	printf '%s\n' GGTTTGCGTA TTGNTTGRCTGAAGG ATGACCTGCATGAATGCTTTGCCGACAGC \
		CCTGCCGTTGCTGATACAGGAGGAAGTGAAACAGTATCCGACGCTGAATGGTCATTACCGGTC \
		> q
	for o in '' --report=all --report=best --report=count --ends \
		--histogram '--report=minima --no-indels' \
		'--exact-suffix 4' '--overhang 0.5' '-s +' --iupac --filter; do
		same -k 20% -q q $o part.fa
	done
	same -k 15% --no-indels -q q part.fa
	# other letters, as sets or as none, in some of the chunks gathered
	sed 's/^\(.*\)TTTA/\1NRYK/; 60,70d' part.fa > iupac.fa
	fasta-chunk -L 700 iupac.fa > x.rec
	for o in '' --iupac '--iupac --no-indels' '--iupac --report=best' \
		'--iupac --overhang 0.5' '--iupac --kernel=paper' \
		'--iupac --kernel=paper-global'; do
		same -t 1 -k 20% -q q $o x.rec
	done
	for o in '' --iupac; do
		same -t 1 -k 20% -q q $o x.rec
		sed -n 's/.*GPU.* \([0-9]* letters\)$/\1/p' err >> n_letters
	done
	[ "$(sort -u n_letters | wc -l)" -eq 1 ]
}

@test "the paper's kernels are the same, too" {
	emulated
	for x in paper paper-global; do
		same --kernel=$x -k 5 -e GGTTTGCGTAAATTC -O tsv part.fa
	done
}

# primer-find on an emulated GPU and on none: the same bytes of "$@".
same_primers() {
	same_on_gpu primer-find -O tsv "$@"
}

# Of lambda's other letters, and of the background's own with changes.
primer_targets() {
	gzip -dc "$DATA/lambda.fa.gz" | sed -n 300,304p | tr -d '\n' > q
	echo >> q
	sed -n 20,24p part.fa | tr -d '\n' | sed 's/ACG/AG/g; s/TT/TGT/g' >> q
}

# bats test_tags=slow
@test "primers are the same from a GPU" {
	emulated
	primer_targets
	for o in '-k 3 --max-len 30' '-k 6 --max-len 40 --primers=both' \
		'-k 5 --max-len 63 --three-prime 12:2 -s +'; do
		same_primers $o -q q part.fa
		same_primers $o -t 2 -q q part.fa
	done
}

# bats test_tags=slow
@test "longer primers are the same from a GPU, also from one that fails" {
	emulated
	primer_targets
	for o in '-k 14' '-k 40 -s + --primers=both' '-k 3 --engine=blocks' \
		'-k 16 --max-len 80 --three-prime 12:2'; do
		same_primers $o -t 2 -q q part.fa
	done
	same_primers -k 9 -t 1 --alphabet=literal -s + --primers=+ -q q part.fa
	primer-find -g none -k 14 -O tsv -q q part.fa > none
	same_when_it_fails '25 90' primer-find -t 1 -k 14 -O tsv -q q part.fa
}

# bats test_tags=slow
@test "the source's kernels for primers are the same, too" {
	emulated
	primer_targets
	cut -c 1-40 q > few
	head -n 30 part.fa > some.fa
	for o in '' '--paper-opts=none' '--paper-opts=2,4,5,start' \
		--paper-opts=batch --paper-opts=reduce,3 \
		'--paper-opts=4,5,6 --paper-prefetch=2' \
		'--algorithm=conventional --paper-prefetch=3' \
		'--algorithm=conventional --paper-opts=3 --max-len 20'; do
		same_primers --kernel=paper --paper-threads 64 -k 4 \
			--three-prime 9:2 -t 2 $o -q few some.fa
		grep -q ' comparisons of letters$' err
	done
	same_primers --kernel=paper -k 4 -q few some.fa
	grep -q ' letters fetched ahead, [0-9]* not among them$' err
	# a GPU that fails: by the algorithm that is asked for, or ours
	for a in fast conventional; do
		same_when_it_fails '15 25' primer-find --kernel=paper -k 4 \
			--algorithm=$a -O tsv -q few some.fa
	done
	primer-find -g auto --kernel=paper -k 4 -O tsv -q few some.fa |
		cmp none
}

@test "a GPU that fails among primers: a warning, and the same bytes" {
	emulated
	primer_targets
	primer-find -g none -k 4 --max-len 30 -O tsv -q q part.fa > none
	same_when_it_fails '23 30' primer-find -k 4 --max-len 30 -O tsv -q q part.fa
}

# bats test_tags=slow
@test "distances are the same from a GPU, also from one that fails" {
	emulated
	for i in 1 2 3 4; do
		echo ">w$i"
		sed -n "$((i * 3)),$((i * 3 + 4))p" part.fa | tr -d '\n'
		echo
	done > words.fa
	for o in '-O phylip' '--metric=de -O tsv' --ebwt \
		'-O json --kernel=paper' '-O tsv --kernel=paper-bitonic'; do
		same_on_gpu ebwt-dist $o words.fa
	done
	ebwt-dist -O tsv words.fa > none
	same_when_it_fails '21 32 50 70' ebwt-dist -O tsv words.fa
	SEQF_SIMT_MEMORY=9000 run -0 --separate-stderr ebwt-dist-on-cpu \
		-g 0 -O tsv -o gpu words.fa
	[[ $stderr == *': GPU 0: memory: '*'the CPU searched' ]]
	cmp none gpu
}

# bats test_tags=threads
@test "GPUs, threads and chunks of any number: the same bytes" {
	emulated
	export SEQF_SIMT_DEVICES=3
	for l in 500 3k; do
		fasta-chunk -L $l part.fa > x.rec
		asm-scan -g none -k 3 -e GGTTTGCGTAAATTC x.rec > none
		for g in '1 -t 1' '0,2 -t 4' '2,1,0 -t 3'; do
			asm-scan-on-cpu -g $g -k 3 -e GGTTTGCGTAAATTC x.rec > gpu
			cmp none gpu
		done
	done
	# what a GPU has found in a long chunk, threads trace in parts
	randseq 300000 > long.fa
	asm-scan -g none -k 2 -e GGTTTGCG -O rec long.fa > none
	for t in 1 2 5; do
		asm-scan-on-cpu -g 0 -t $t -k 2 -e GGTTTGCG -O rec long.fa |
			cmp none
	done
}

@test "a GPU that fails on the way: a warning, and the same bytes" {
	emulated
	fasta-chunk -L 500 part.fa > x.rec
	asm-scan -g none -k 3 -e GGTTTGCGTAAATTC x.rec > none
	# in the first search, however many chunks are gathered
	same_when_it_fails '23 26 28' asm-scan -k 3 -e GGTTTGCGTAAATTC x.rec
}

@test "no GPU, or one without memory, when one is asked for: exit 1" {
	emulated
	q=GGTTTGCGTA
	for p in "asm-scan -e $q" "sw-scan -e $q" "primer-find -k 4 -e $q" \
	    ebwt-dist; do
		set -- $p
		SEQF_SIMT_DEVICES=0 fails 1 ': -g 0: no GPU' \
			sh_ "$1-on-cpu -g 0 ${*:2} part.fa"
		[ $1 != asm-scan ] && [ $1 != sw-scan ] ||
			SEQF_SIMT_MEMORY=9000 fails 1 \
				': GPU 0: too little memory is free' \
				sh_ "$1-on-cpu -g 0 ${*:2} part.fa"
	done
	SEQF_SIMT_DEVICES=2 fails 1 ': -g 2: there are 2 GPUs, numbered from 0' \
		sh_ "asm-scan-on-cpu -g 2 -e $q part.fa"
}

# A pack whose programs are scripts.
stub() { # PATH LINES
	mkdir -p "pack/${1%/*}"
	printf '#!/bin/sh\n%s\n' "$2" > "pack/$1"
	chmod +x "pack/$1"
}
gpu_run() {
	RESULTS=page TABLE_SECONDS=1 sh "$BATS_TEST_DIRNAME/../gpu/run.sh" "$@"
}

@test "gpu-check and gpu-bench: only no device is a reason to skip" {
	stub gpu/kdiff 'exit 0'
	stub bin/asm-scan 'echo "asm-scan: -g 0: no GPU" >&2; exit 1'
	for what in check bench all; do
		run -0 gpu_run $what pack
		[ "$output" = "gpu-$what: skipped: no GPU" ]
	done
	stub bin/asm-scan 'echo "asm-scan: loading libx.so: No such file" >&2; exit 127'
	run -1 gpu_run check pack
	[ "$output" = 'gpu-check: FAILED: asm-scan: loading libx.so: No such file' ]
	[ ! -e page ]
}

@test "gpu-bench: rows as they come, on after a failure" {
	stub gpu/kdiff 'exit 0'
	stub bin/asm-scan 'exit 0'
	stub gpu/speed/a 'echo "| first |"; exit 3'
	stub gpu/speed/b 'echo "| second |"; exec sleep 60'
	stub gpu/speed/c 'echo "| third |"'
	run -1 gpu_run bench pack
	[ "${lines[-1]}" = '1 passed, 2 failed' ]
	grep -v '^$' page | tail -n 5 | diff - <(printf '%s\n' '| first |' \
		'a: FAILED: exit code 3' '| second |' \
		'b: FAILED: not done in 1 s' '| third |')
	stub gpu/speed/a :
	stub gpu/speed/b :
	run -0 gpu_run bench pack
}

@test "gpu-check: what there is no time for fails, and is named" {
	stub gpu/kdiff 'exit 0'
	stub bin/asm-scan 'exit 0'
	stub helpers/randseq 'echo ">1"; echo ACGT'
	CHECK_UNTIL=0 run -1 gpu_run check pack
	[[ ${lines[0]} == 'FAILED, no time left: '* ]]
	[[ ${lines[-1]} == '0 passed, '*' failed' ]]
}

# bats test_tags=slow
@test "gpu-check: its commands are taken, and give rows" {
	mkdir -p pack/helpers
	cp "$SEQF_HELPERS/randseq" pack/helpers
	stub gpu/kdiff 'exit 0'
	for p in asm-scan sw-scan primer-find ebwt-dist; do
		stub bin/$p "[ \"\$1 \$2\" != '-g 0' ] || {
			shift 2
			set -- -g none \"\$@\"
			echo 'GPU: 1 letters' >&2
		}
		exec '$SEQF_BIN/$p' \"\$@\""
	done
	LETTERS=50000 run gpu_run check pack
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == *' passed, 0 failed' ]]
}

@test "an nvcc that fails is none, and make says so" {
	need make
	unset MAKEFLAGS MFLAGS MAKELEVEL CUDA CUDA_HOME
	stub bin/nvcc 'exit 1'
	mkdir pack/lib64
	: > pack/lib64/libcudart_static.a
	run -0 make -n -C "$BATS_TEST_DIRNAME/../.." B="$PWD/b" \
		NVCC="$PWD/pack/bin/nvcc" all
	[[ $output == *': built without CUDA: '*'/nvcc fails: see '* ]]
	[[ $output == *'/cuda/none.o'* ]]
}
