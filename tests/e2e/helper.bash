# SPDX-License-Identifier: MIT
# What all end-to-end tests share.  SEQF_BIN and SEQF_HELPERS come from make.
bats_require_minimum_version 1.5.0

setup() {
	: "${SEQF_BIN:?run the tests by make bats}"
	PATH=$SEQF_BIN:$SEQF_HELPERS:$PATH
	DATA=$(cd "$BATS_TEST_DIRNAME/../../examples/data" && pwd)
	export LC_ALL=C PARALLEL_HOME=$BATS_TEST_TMPDIR
	unset SEQF_ISA SEQF_THREADS
	cd "$BATS_TEST_TMPDIR" || return 1
	set -o pipefail
}

# The programs of the folder under test.
programs() {
	ls "$SEQF_BIN"
}

need() {
	local c

	for c; do
		command -v "$c" > /dev/null || skip "no $c on this machine"
	done
}

# A terminal of script's: containers without /dev/pts have none.
need_terminal() {
	need script
	script -qec true /dev/null > /dev/null 2>&1 < /dev/null ||
		skip "no pseudo-terminal can be made on this machine"
}

# no COMMAND ...: it fails.  "! command" is no test: bash's -e passes it over.
no() {
	if "$@"; then
		return 1
	fi
}

# A pipeline of the shell as one command for run.
sh_() {
	bash -o pipefail -c "$1"
}

# FASTA with each sequence on one line.
unwrap() {
	awk '/^>/ { if (NR > 1) print ""; print; next }
		{ printf "%s", $0 } END { if (NR) print "" }' "$@"
}

# fasta-chunk and back.
there_and_back() {
	fasta-chunk "$@" | rec-view -O fasta | unwrap
}

# The input of $1 (printf's escapes) must come back as $2.
comes_back() {
	printf "$1" > in
	printf "$2" > want
	there_and_back "${@:3}" in > have
	diff want have
}

# Types of the frames of a stream, one a line.
types() {
	recframes list | cut -d ' ' -f 2
}

# Frame numbers of type $2 in file $1.
frames_of() {
	recframes list < "$1" | awk -v t="$2" '$2 == t { print $1 }'
}

lambda() {
	zcat "$DATA/lambda.fa.gz"
}

# Rows of a tsv table without the # line.
rows() {
	grep -v '^#' "$@" || true
}

# scan TEXT OPTION ...: "strand sbeg send edits cigar" of each row
scan() {
	printf '>T\n%s\n' "$1" > t.fa
	asm-scan -O tsv "${@:2}" t.fa | rows | cut -f 5,8,9,10,12 | tr '\t' ' '
}

# the rows of the last run are these, one an argument
are() {
	[ "$output" = "$(printf '%s\n' "$@")" ]
}

# stderr of the last run is one line that begins with the program's name.
one_line() {
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
	[[ $stderr == "$1: "* ]]
}

# A matrix of $2 columns, seed $1, name $3: counts, $4 of them zeros (.55).
motif() {
	awk -v seed=$1 -v n=$2 -v name=$3 -v none="${4:-.55}" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			for (c = 0; c < 4; c++)
				v[c, i] = rand() < none ? 0 : 1 + int(4 * rand())
		for (i = 0; i < n; i++)
			v[i % 4, i]++
		printf ">%s\n", name
		for (c = 0; c < 4; c++) {
			printf "%s [", substr("ACGT", c + 1, 1)
			for (i = 0; i < n; i++)
				printf " %d", v[c, i]
			print " ]"
		}
	}'
}

# What an emulated GPU needs.
emulator() {
	# a fake stack for every thread of a GPU is too much
	export ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0
}

# PROGRAM OPTION ... on an emulated GPU, and on none: the same bytes.
same_on_gpu() {
	"$1" -g none "${@:2}" > none
	[ "$(wc -c < none)" -gt 60 ]
	"$1-on-cpu" -g 0 -v "${@:2}" > gpu 2> err
	grep -q 'GPU: CUDA on the CPU, .* letters$' err
	cmp none gpu
}

# The same where there is nothing that a GPU is for, and -v says so.
same_by_cpu() {
	"$1" -g none -O tsv "${@:2}" > none
	"$1-on-cpu" -v -g 0 -O tsv "${@:2}" > gpu 2> err
	grep -q 'GPU: none: ' err
	cmp none gpu
}

# CALLS PROGRAM OPTION ... on a GPU that fails at each of these calls: the CPU
# goes on, and says so; the same as in the file none.
same_when_it_fails() {
	local call

	for call in $1; do
		SEQF_SIMT_FAIL=$call run -0 --separate-stderr "$2-on-cpu" -g 0 \
			-o gpu "${@:3}"
		[[ $stderr == *': GPU 0: '*'the CPU searched' ]]
		cmp none gpu
	done
}
