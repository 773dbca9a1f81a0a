# shellcheck shell=sh disable=SC2086,SC2154
# SPDX-License-Identifier: MIT
# prime.sh - primer-find beside itself, the source's algorithm and goals; sourced
# by run.sh

# In turn: medians of seconds by the clock and of the processors.  Lines of
# name, seconds of the processors to $tmp/spent.
spend() { # NAME COMMAND ...
	in_turn "$@"
	say '| | seconds | of the processors | peak memory |'
	say '|---|---|---|---|'
	: > "$tmp/spent"
	who=0
	for word; do
		who=$((who + 1))
		if [ $((who % 2)) -eq 1 ]; then
			row=$word
			continue
		fi
		sort -n -k 2 "$tmp/race.$who" | awk -v name="$row" \
		    -v to="$tmp/spent" '
			{ wall[NR] = $1; cpu[NR] = $2; kib = $3 }
			END {
				i = int((NR + 1) / 2)
				printf "| %s | %.2f | %.2f | %d MiB |\n", name,
					wall[i], cpu[i], kib / 1024
				printf "%s\t%s\n", name, cpu[i] >> to
			}' >> "$out"
	done
	rm -f "$tmp"/race.*
	say ''
}
spent() { # NAME
	awk -F '\t' -v n="$1" '$1 == n { print $2 }' "$tmp/spent"
}
ratio() { # EXPRESSION
	awk "BEGIN { printf \"%.1f\", $1 }"
}

prime() { # NAME GOAL TARGET BACKGROUND OPTIONS ...
	say "### $1; goal $2 s with two threads"
	say ''
	o="-q $3 $4"
	shift 4
	spend 'primer-find -t 1' "primer-find -t 1 $* $o" \
		'primer-find -t 2' "primer-find -t 2 $* $o"
}

# Starts searched one by one, and all of them as fast as those.
sampled() { # TARGET BACKGROUND SECONDS_OF_ALL
	say '### One start at a time: of the same background, sampled'
	say ''
	make_once alpha245.fa randseq 245 5
	make_once alpha350.fa randseq 350 5
	o="-s + -t 1 -k 100"
	spend 'engine plain, 350 letters' \
		"primer-find --engine=plain $o -q $data/alpha350.fa $2" \
		'the alternative algorithm, 245 letters' \
		"primer-find -v --algorithm=alternative $o \
			-q $data/alpha245.fa $2"
	n=$(sed -n 's/^.*: \([0-9]*\) starts searched.*/\1/p' "$tmp/err")
	m=$(primer-find $o -O tsv --no-header -q "$data/alpha350.fa" "$2" |
		wc -l)
	s=$(spent 'the alternative algorithm, 245 letters')
	p=$(spent 'engine plain, 350 letters')
	say "The alternative algorithm searched $n starts: 43,606 would take" \
		"$(ratio "$s / $n * 43606") s, as long as each of these does," \
		"$(ratio "$s / $n * 43606 / $3") times as long as primer-find" \
		"-t 1. The bit-parallel scan searched $((m + 1)), and would be" \
		"$(ratio "$p / ($m + 1) * 43606 / $3") times as long."
	say ''
}

# One beside the engine that has nothing to save by: 64 rows of one start.
repeat() { # NAME OPTIONS ...
	say "### Repeats: $1"
	say ''
	shift
	spend 'primer-find -t 1' "primer-find -t 1 -s + $*" \
		'engine plain' "primer-find --engine=plain -t 1 -s + $*"
	say "The plain engine takes $(ratio \
		"$(spent 'engine plain') / $(spent 'primer-find -t 1')") times" \
		'as long.'
	say ''
}

# Backgrounds where a core, or a piece, is everywhere.
repeats() {
	awk 'BEGIN { print ">u"; for (i = 0; i < 500000; i++) printf "CA" }
		END { print "" }' < /dev/null > "$tmp/ca.fa"
	make_once ca.fa relate "$tmp/ca.fa" 0 0 0.03 21
	head -n 3000 "$data/ca.fa" > "$tmp/ca-some.fa"
	relate "$data/ca.fa" 400 1 0.12 22 > "$tmp/ca-target.fa"
	relate "$tmp/ca-some.fa" 800 1 0.3 26 > "$tmp/ca-far.fa"
	randseq 200 23 > "$tmp/unit.fa"
	relate "$tmp/unit.fa" 0 0 0.02 24 500 |
		awk 'NR == 1 { print } !/>/ { print }' > "$tmp/units.fa"
	relate "$tmp/unit.fa" 0 0 0.3 25 4 |
		awk 'NR == 1 { print } !/>/ { print }' > "$tmp/units-target.fa"
	repeat '400 x 1 M of CA, 3 % changed (target 12 %), k=5, --max-len 60' \
		"-k 5 --max-len 60 -q $tmp/ca-target.fa $data/ca.fa"
	repeat '800 x 210,000 of CA, 3 % changed (target 30 %), k=100' \
		"-k 100 -q $tmp/ca-far.fa $tmp/ca-some.fa"
	repeat '800 x 100,000, a unit of 200, 2 % changed (target 30 %), k=100' \
		"-k 100 -q $tmp/units-target.fa $tmp/units.fa"
}

# Where cores are everywhere, or are from hardly anywhere to everywhere within
# a few rows; beside random letters of as many.
unit_of() { # UNIT TIMES
	awk -v u="$1" -v n="$2" 'BEGIN { print ">u"
		for (i = 0; i < n; i++) printf "%s", u
		print "" }' < /dev/null
}
cliffs() {
	randseq 700 36 > "$tmp/fine.fa"
	unit_of GT 2500 > "$tmp/gt.fa"
	unit_of AC 500000 > "$tmp/ac.fa"
	make_once alpha5000.fa randseq 5000 31
	make_once beta1000000.fa randseq 1000000 32
	unit_of ACGTTGCA 3750 > "$tmp/eight.fa"
	relate "$tmp/eight.fa" 0 0 0.05 33 > "$tmp/eight-target.fa"
	unit_of ACGTTGCA 25000 > "$tmp/eights.fa"
	make_once alpha30000.fa randseq 30000 34
	make_once beta200000.fa randseq 200000 35
	unit_of ACGTG 1000 > "$tmp/five.fa"
	unit_of ACGTG 200000 > "$tmp/fives.fa"
	say '### Cliffs'
	say ''
	spend '(GT)2500 x (AC)500000, k=5, --max-len 30' \
		"primer-find -t 1 -k 5 --max-len 30 -q $tmp/gt.fa $tmp/ac.fa" \
		'random letters, as many' "primer-find -t 1 -k 5 \
			--max-len 30 -q $data/alpha5000.fa \
			$data/beta1000000.fa" \
		'30,000 x 200,000, 8-mer repeats, 5 % changed, k=5' \
		"primer-find -t 1 -k 5 -q $tmp/eight-target.fa \
			$tmp/eights.fa" \
		'the same, k=100' "primer-find -t 1 -k 100 \
			-q $tmp/eight-target.fa $tmp/eights.fa" \
		'30,000 x 200,000, random, k=1000' "primer-find -t 1 -s + \
			-k 1000 -q $data/alpha30000.fa $data/beta200000.fa" \
		'5-mer repeats, found at once, k=16, --max-len 100' \
		"primer-find -t 1 -k 16 --max-len 100 -q $tmp/five.fa \
			$tmp/fives.fa" \
		'--parallel=fine, two threads, 60 x 700 letters' \
		"primer-find -t 2 --algorithm=conventional --parallel=fine \
			-k 3 -e $(head -c 200 "$data/alpha5000.fa" |
			sed 1d | tr -d '\n' | cut -c 1-60) $tmp/fine.fa"
}

headline() {
	make_once alpha43606.fa randseq 43606 5
	make_once beta241494.fa randseq 241494 6
	b=$data/beta241494.fa
	make_once alpha20.fa relate "$b" 43606 0.6 0.2 7
	make_once alpha5.fa relate "$b" 43606 0.6 0.05 8
	prime '43,606 x 241,494, k=100, 60 % homologous at 20 %' 0.4 \
		"$data/alpha20.fa" "$b" -s + -k 100
	prime '43,606 x 241,494, k=100, 60 % homologous at 5 %' 0.5 \
		"$data/alpha5.fa" "$b" -s + -k 100
	prime '43,606 x 241,494, k=100, random' 0.6 "$data/alpha43606.fa" \
		"$b" -s + -k 100
	sampled "$data/alpha43606.fa" "$b" "$(spent 'primer-find -t 1')"
}
genomes() {
	make_once alpha29903.fa randseq 29903 11
	make_once beta4600000.fa randseq 4600000 12
	prime '29,903 x 4.6 M, k=5, --max-len 35' 1.5 "$data/alpha29903.fa" \
		"${ecoli:-$data/beta4600000.fa}" -k 5 --max-len 35
	[ -z "$chr20" ] || prime '29,903 x chromosome 20, k=4, --max-len 30' 9 \
		"$data/alpha29903.fa" "$chr20" -k 4 --max-len 30
}
largest() {
	make_once beta2220391.fa randseq 2220391 10
	make_once alpha107280.fa relate "$data/beta2220391.fa" 107280 0.6 0.2 9
	prime '107,280 x 2,220,391, k=256, 60 % homologous at 20 %' 6 \
		"$data/alpha107280.fa" "$data/beta2220391.fa" -s + -k 256
	say 'Letters related to the background cost little: their primers are'
	say 'twice as long, and a core of the same length stands for hundreds'
	say 'of starts instead of about 17.'
	say ''
}

# Of PRIMING, if it is set, only these.
priming() {
	say '## primer-find from files to records'
	say ''
	say 'Goals are of a Zen core; the cases of one bacterium and one'
	say 'chromosome have both strands, others one.  Compare seconds of the'
	say 'processors where other work was going on; on two threads of one core'
	say 'they count nearly twice.'
	say ''
	for c in ${PRIMING:-headline repeats cliffs genomes largest}; do
		$c
	done
}
