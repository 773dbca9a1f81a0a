# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# bad-days.sh - each is reported with its reason, none gives a wrong table;
# sourced by run.sh.  A worker that is killed, or whose connection drops:
# recipes.sh.

# A folder with all parts but number 1.
most_parts() { # NAME
	dir=$tmp/bad.$1
	mkdir "$dir"
	for i in 0 2; do
		part $i "$dir/part.$i.rec"
	done
}
part() { # I FILE
	"$recipes/worker.sh" "$2" --part "$1/3"
}
# Merging says TEXT, exits 3 and writes no table.
refused() { # TEXT
	status=0
	merge-topk -O tsv -o "$dir/table" "$dir"/*.rec 2>"$tmp/notes" ||
		status=$?
	cat "$tmp/notes"
	[ "$status" -eq 3 ] && [ ! -e "$dir/table" ] &&
		grep -q "$1" "$tmp/notes"
}
whole() {
	merge-topk -O tsv -o "$dir/table" "$dir"/*.rec && cmp "$dir/table" "$tmp/want"
}

disk_full() {
	arm full full
	lossy "$recipes/xargs.sh" && grep -q 'No space left' "$tmp/notes"
}
# It holds its part until its time is over; others do not wait for it.
never_returns() {
	arm hang hang
	LIMIT=2 lossy "$recipes/xargs.sh" && grep -q 'part . is lost' "$tmp/notes"
}
never_returns_to_parallel() {
	arm hang phang
	LIMIT=3 lossy "$recipes/parallel.sh" pipe
}
same_part_twice() {
	most_parts twice
	# into one file at the same time, and into another one
	for i in 1 2 3 4; do
		part 1 "$dir/part.1.rec" &
	done
	part 1 "$dir/other.rec" && wait && whole
}
# Merged beforehand, its frames are others, and say the same.
same_part_merged() {
	most_parts merged
	part 1 "$dir/part.1.rec"
	merge-topk --partial -o "$dir/some.rec" "$dir/part.1.rec" \
		"$dir/part.2.rec" && whole
}
# Counts of one chunk must not be added twice.
same_count_merged() {
	SCAN="$SCAN --report=count"
	most_parts counts
	part 1 "$dir/part.1.rec"
	merge-topk --partial -o "$dir/some.rec" "$dir/part.1.rec" \
		"$dir/part.2.rec" && refused 'came twice, and cannot be summed'
}
# The same program of another version: its text names it.
other_version() { # PROGRAM TEXT
	most_parts "version.$1"
	mkdir -p "$tmp/other.$1"
	version=$("$build/bin/$1" --version | cut -d ' ' -f 2)
	other=$(echo "$version" | tr 0123456789 1234567890)
	LC_ALL=C sed "s/$version/$other/g" "$build/bin/$1" >"$tmp/other.$1/$1"
	chmod +x "$tmp/other.$1/$1"
	PATH=$tmp/other.$1:$PATH "$1" --version | grep -qF "$other" || return 1
	PATH=$tmp/other.$1:$PATH part 1 "$dir/part.1.rec" && refused "$2"
}
other_options() { # CUT SCAN TEXT
	most_parts "options.$(echo "$1$2" | tr -dc 'a-z0-9')"
	CUT=$1 SCAN=$2 part 1 "$dir/part.1.rec" && refused "$3"
}
# The input is another one when the last part is read.
other_input() { # NAME SED-COMMAND TEXT
	most_parts "$1"
	sed "$2" "$GENOME" >"$tmp/changed/${GENOME##*/}"
	cmp -s "$GENOME" "$tmp/changed/${GENOME##*/}" && return 1
	GENOME=$tmp/changed/${GENOME##*/} part 1 "$dir/part.1.rec" &&
		refused "$3"
}
# Frames hold no time: a worker whose clock is wrong writes the same bytes.
other_clock() {
	dir=$tmp/bad.clock
	mkdir "$dir"
	part 1 "$dir/now" || return
	for when in -9000d +9000d '-3d x99'; do
		faketime -f "$when" "$recipes/worker.sh" "$dir/then" \
			--part 1/3 && cmp "$dir/now" "$dir/then" || return
	done
}

bad_days() {
	mkdir "$tmp/changed"
	ok 'a full disk' disk_full
	ok 'a worker that never returns, xargs' never_returns
	ok 'a worker that never returns, GNU parallel' never_returns_to_parallel
	ok 'a part given to several workers' same_part_twice
	ok 'a part merged beforehand, and by itself' same_part_merged
	ok 'the same with counts' same_count_merged
	ok 'another version of fasta-chunk' other_version fasta-chunk \
		'parts of two ways to cut it'
	ok 'another version of asm-scan' other_version asm-scan \
		'parts of 2 scans'
	ok 'other chunks' other_options '-L 2k' "$SCAN" \
		'parts of two ways to cut it'
	ok 'other differences' other_options "$CUT" \
		"asm-scan -t 1 -k 1 -q $tmp/queries" 'parts of 2 scans'
	ok 'another input, in its first letters' other_input first \
		'2s/^..../NNNN/' 'parts of two inputs of one name'
	ok 'another input, further on' other_input later \
		'$s/....$/NNNN/' 'END frames disagree'
	ok 'another input, longer' other_input longer \
		'$s/$/ACGT/' 'END frames disagree'
	ok 'a clock that is wrong' other_clock
}
