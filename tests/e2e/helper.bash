# SPDX-License-Identifier: MIT
# What all end-to-end tests share.  SEQF_BIN and SEQF_HELPERS come from make.
bats_require_minimum_version 1.5.0

setup() {
	: "${SEQF_BIN:?run the tests by make bats}" "${ISAS:?}"
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

# seeds N: 1 to N; every third one by an emulator, which starts a program in
# twenty times the time.
seeds() {
	seq 1 "$([ -z "${RUN_BY:-}" ] && echo 1 || echo 3)" "$1"
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

# all_isas FILE COMMAND ...: it writes FILE's bytes on every instruction set.
all_isas() {
	local i

	for i in $ISAS; do
		SEQF_ISA=$i "${@:2}" | cmp - "$1"
	done
}

# however FILE TEXT COMMAND ...: it writes FILE's bytes of TEXT on every
# instruction set, for any number of threads, and in chunks of LENGTHS.
however() {
	local t l

	all_isas "$1" "${@:3}" "$2"
	for t in 1 2 3; do
		"${@:3}" -t $t "$2" | cmp - "$1"
	done
	for l in ${LENGTHS:-64 999 8k}; do
		fasta-chunk -L $l "$2" | "${@:3}" -t 3 | cmp - "$1"
	done
}

# fan N "OPTION ... FILE" [COMMAND ...]: what it makes of each of N parts that
# fasta-chunk cuts, the last one first.
fan() {
	local i

	[ $# -gt 2 ] || set -- "$@" cat
	for ((i = $1; i-- > 0;)); do
		fasta-chunk --part $i/$1 $2 | "${@:3}"
	done
}
# The same to 0.rec, 1.rec, ...
parts() {
	local i

	for ((i = 0; i < $1; i++)); do
		fasta-chunk --part $i/$1 $2 | "${@:3}" > $i.rec
	done
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

# gives ROWS TEXT OPTION ...: they are what scan gives, "; " between them.
gives() {
	run -0 --separate-stderr scan "${@:2}"
	[ "${output//$'\n'/; }" = "$1" ]
}

# stderr of the last run is one line that begins with the program's name.
one_line() {
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
	[[ $stderr == "$1: "* ]]
}

# says STATUS WORDS COMMAND ...: WORDS, a pattern, on stderr, where each line has
# the program's name, and an error is one line; of a pipeline any words.
says() {
	run "-$1" --separate-stderr "${@:3}"
	case $1$3 in
	[12]*-*) one_line "$3" ;;
	[03]*-*) no grep -v "^$3: " <<< "$stderr" ;;
	*) [ -n "$stderr" ] ;;
	esac
	case $stderr in	# no [[: it takes *( for more than a star
	*$2*) ;;
	*) return 1 ;;
	esac
}
# The same, and no output.
fails() {
	says "$@"
	[ -z "$output" ]
}
# Not a word on stderr.
quiet() {
	run -0 --separate-stderr "$@"
	[ -z "$stderr" ]
}

# rotate N < one record: N letters of its begin go to its end.
rotate() {
	unwrap | awk -v n="$1" '/^>/ { print; next }
		{ print substr($0, n + 1) substr($0, 1, n) }'
}

# reads N M: so many sequences, s0 and on, of M random letters.
reads() {
	awk -v n="$1" -v m="$2" 'BEGIN {
		srand(7)
		for (i = 0; i < n; i++) {
			s = ""
			for (j = 0; j < m; j++)
				s = s substr("ACGT", 1 + int(rand() * 4), 1)
			printf ">s%d\n%s\n", i, s
		}
	}'
}

# odd_text N M: sequences of N and M random letters, and of codes, in lower case,
# of one letter and of none.
odd_text() {
	randseq "$1" 7 70 one
	printf '>two\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNRYKMACGTTGCACCTA\n'
	randseq 300 9 60 three | tr ACGT acgt
	printf '>none\n>short\nACGTTGCA\n>one_letter\nG\n'
	randseq "$2" 11 61 last
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
