#!/bin/sh
# SPDX-License-Identifier: MIT
# home.sh DIR - bring a run home: merge the streams of DIR into DIR/table; as
# long as the ledger misses chunks, search these alone.  Works on an empty
# folder, too, and may be called again, also after it was killed itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
dir=$(folder "${1:?"usage: home.sh DIR"}")

prepare "$dir"
round=0
while :; do
	status=0
	table "$dir" || status=$?
	case $status in
	1 | 3) [ "$round" -lt "$ROUNDS" ] || exit "$status" ;;
	*) exit "$status" ;;
	esac
	round=$((round + 1))
	mend "$dir"
	name=again.$$.$round
	n=$(spread "$dir" "$name" "$JOBS")
	if [ "$n" -eq 0 ]; then	# nothing to be made, but mended perhaps
		table "$dir"
		exit
	fi
	seq 0 $((n - 1)) | xargs -P "$JOBS" -n 1 sh -c '
		"$0" "$1/$2.$3.rec" --only "@$1/todo.$2.$3" ||
			echo "$2.$3 is lost" >&2' \
		"$here/worker.sh" "$dir" "$name"
	rm -f "$dir/todo.$name".*
done
