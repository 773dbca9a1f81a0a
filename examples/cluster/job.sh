# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# job.sh - what the recipes of this folder search, and how; they all read it.
# Change it here or in the environment.  $here is this folder.

# A word for a shell, which SCAN is read by; whatever stands in it.
quoted() { # WORD
	printf "'"
	printf %s "$1" | sed "s/'/'\\\\''/g"
	printf "'"
}
: "${GENOME:=$here/../data/lambda.fa.gz}"	# workers must see this file
: "${CUT:=-L 1k}"			# options of fasta-chunk
: "${SCAN:=asm-scan -t 1 -k 10% -q $(quoted "$here/../data/sites.fa")}"
: "${MERGE:=}"				# options of merge-topk
: "${PARTS:=8}"				# so many parts, and so many workers
: "${JOBS:=2}"				# at a time
: "${LIMIT:=3600}"			# seconds that a worker may take
: "${ROUNDS:=3}"			# how often to search what is missing
export GENOME CUT SCAN MERGE PARTS JOBS LIMIT ROUNDS

# A folder, made if there is none, by a name that holds everywhere and is no
# option of anything.
folder() { # DIR
	case $1 in
	/*) ;;
	*) set -- "$PWD/$1" ;;
	esac
	mkdir -p "$1" && printf '%s\n' "$1"
}

# The first stream of a folder holds no result, but says how many chunks there
# are, so that the loss of all others can be reported.
prepare() { # DIR
	[ -e "$1/plan.rec" ] ||
		"$here/worker.sh" "$1/plan.rec" --only @/dev/null
}

# All streams of DIR as DIR/table, if the ledger misses nothing: else 3.
# shellcheck disable=SC2086 # options are words
table() { # DIR
	merge-topk $MERGE -o "$1/table" "$1"/*.rec
}

# A stream that was cut, by a pipe that broke or a disk that was full: what is
# sound of it stays, the rest is then missing.  Nothing is moved for want of
# disk now: faults are looked for without writing.
mend() { # DIR
	for f in "$1"/*.rec; do
		sound=0
		rec-view -O rec "$f" >/dev/null 2>&1 || sound=$?
		case $sound in
		0) ;;
		1) mv "$f" "$f.bad" ;;	# not even a stream
		3)
			sound=0
			rec-view -O rec "$f" >"$1/sound.$$" || sound=$?
			[ "$sound" -eq 3 ] || return 1	# it was reported why
			mv "$1/sound.$$" "$f"
			;;
		*) return 1 ;;
		esac
		# of a worker that wrote nothing, or nothing sound
		[ ! -e "$f" ] || [ -s "$f" ] || mv "$f" "$f.bad"
	done
	rm -f "$1/sound.$$"
}

# Serials of missing chunks, a line each, over at most N files DIR/todo.NAME.0,
# .1, ...; prints how many there are.
spread() { # DIR NAME N
	merge-topk --missing "$1"/*.rec >"$1/missing" || return
	# of several runs or scans: no search makes one of them, it was reported why
	! grep -q '^#' "$1/missing" || return 3
	awk -F- '/^[0-9]/ { for (i = $1; i <= $NF; i++) printf "%d\n", i }' \
		"$1/missing" | sort -nu | to="$1/todo.$2." awk -v most="$3" '
		{ print > (ENVIRON["to"] (NR - 1) % most) }
		END { print NR < most ? NR : most }'
}
