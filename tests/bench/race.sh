# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# race.sh - commands measured in turn; sourced by run.sh, which sets $tmp, $out
# and $rounds

has() { command -v "$1" > /dev/null 2>&1; }
say() { printf '%s\n' "$*" >> "$out"; }

# in_turn NAME COMMAND [NAME COMMAND ...]: each in turn, so many rounds; what
# measure says of the second word goes to $tmp/race.2, of the fourth to
# $tmp/race.4; their output to $tmp/out.  A command behind "once: " is run in the
# first round only.
in_turn() {
	i=0
	while [ $i -lt "$rounds" ]; do
		who=0
		for word; do
			who=$((who + 1))
			[ $((who % 2)) -eq 0 ] || continue
			case $word in once:*)
				[ $i -eq 0 ] || continue
				word=${word#once: } ;;
			esac
			measure "$tmp/m" sh -c "$word" > "$tmp/out" 2> "$tmp/err" ||
				echo "failed: $word: $(head -n 1 "$tmp/err")" >&2
			cat "$tmp/m" >> "$tmp/race.$who"
		done
		i=$((i + 1))
	done
}

# race LETTERS NAME COMMAND ...: a row for each, in turn: median seconds, letters
# a second (headed $unit), times the first one's speed, largest process.  Lines
# of median, name and median of processor time go to $tmp/medians.
race() {
	n=$1
	shift
	in_turn "$@"
	say "| | median | $unit | of the first | peak memory |"
	say '|---|---|---|---|---|'
	: > "$tmp/medians"
	who=0
	for word; do
		who=$((who + 1))
		if [ $((who % 2)) -eq 1 ]; then
			name=$word
			continue
		fi
		cpu=$(cut -d ' ' -f 2 "$tmp/race.$who" | sort -n |
			awk '{ s[NR] = $1 } END { print s[int((NR + 1) / 2)] }')
		sort -n "$tmp/race.$who" | awk -v n="$n" -v name="$name" \
		    -v cpu="$cpu" \
		    -v first="$(head -n 1 "$tmp/medians" | cut -f 1)" \
		    -v medians="$tmp/medians" '
			{ s[NR] = $1; if ($3 > kib) kib = $3 }
			END {
				m = s[int((NR + 1) / 2)]
				printf "%s\t%s\t%s\n", m, name, cpu >> medians
				printf "| %s | %.3f s | %.2f | %.2f | %d MiB |\n",
					name, m, n / m / 1e9,
					(first ? first : m) / m, kib / 1024
			}' >> "$out"
	done
	rm -f "$tmp"/race.*
	say ''
}

# How many times A was faster than B in the last race.
faster() { # A B
	awk -F '\t' -v a="$1" -v b="$2" '
		$2 == a { x = $1 }
		$2 == b { y = $1 }
		END { printf(x > 0 && y > 0 ? "%.2f" : "-", y / (x ? x : 1)) }
		' "$tmp/medians"
}

# What two cores can give at most, as far as memory and power are shared, is
# what two copies of one thread at once do, each for itself.
tell_sharing() { # ONE_THREAD TWO_THREADS
	say "Two threads are $(faster "$2" "$1") times as fast as one; two" \
		"copies of one, together," \
		"$(faster 'two copies of -t 1' "$1" |
			awk '{ printf "%.2f", 2 * $1 }') times."
	say ''
}
