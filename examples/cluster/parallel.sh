#!/bin/sh
# SPDX-License-Identifier: MIT
# parallel.sh HOW DIR - GNU parallel, in one of these ways:
#	parts		each worker takes its part of the input
#	pipe		one program cuts, blocks of records go to workers
#	round-robin	the same, to $JOBS workers that live to the end: best
#			where a scanner takes long to begin (many queries, GPU)
#	pipe-part	the chunks are stored once, and read by the workers
#	ssh		pipe, to the hosts of $HOSTS (host1,host2,...): the input
#			need be here only; the programs are in their PATH, or
#			in ours, and queries are files there, too
# PARALLEL_SSH names another ssh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
usage='usage: parallel.sh parts|pipe|round-robin|pipe-part|ssh DIR'
how=${1:?"$usage"}
dir=$(folder "${2:?"$usage"}")
: "${BLOCK:=32M}"	# bytes of records at a time; chunks are not split
sync=$(printf '\217GREC\r\n\032')	# with which each record begins

# Names and $SCAN come from the environment: {}, {.} and the like in a command
# are parallel's own.
export here dir PARALLEL_SHELL=/bin/sh

prepare "$dir"
split_stream() { # OPTION ...: records from standard input
	parallel -j "$JOBS" --timeout "$LIMIT" --block "$BLOCK" \
		--recstart "$sync" "$@" 'eval "$SCAN -O rec"'
}
# shellcheck disable=SC2086 # options are words
cut() {
	fasta-chunk -t 1 $CUT "$@" -- "$GENOME"
}
lost=0
case $how in
parts)
	seq 0 $((PARTS - 1)) | parallel -j "$JOBS" --timeout "$LIMIT" \
		'"$here/worker.sh" "$dir/part.{}.rec" --part "{}/$PARTS"'
	;;
pipe) cut | split_stream --pipe >"$dir/all.rec" ;;
round-robin) cut | split_stream --pipe --round-robin >"$dir/all.rec" ;;
pipe-part)
	[ -e "$dir/chunks" ] || cut -o "$dir/chunks"
	split_stream --pipe-part -a "$dir/chunks" >"$dir/all.rec"
	;;
ssh)
	cut | split_stream --pipe -S "$HOSTS" --env PATH --env SCAN \
		>"$dir/all.rec"
	;;
*)
	echo "$usage" >&2
	exit 2
	;;
esac || lost=$?
[ "$lost" -eq 0 ] || echo "$lost jobs are lost" >&2
exec "$here/home.sh" "$dir"
