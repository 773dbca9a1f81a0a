#!/bin/sh
# SPDX-License-Identifier: MIT
# home.sh DIR - bring a run home: merge the streams of DIR into DIR/table; as
# long as the ledger misses chunks, search these alone.  Works on an empty
# folder, too, and may be called again, also after it was killed itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
dir=$1

prepare "$dir"
round=0
while :; do
	status=0
	table "$dir" || status=$?
	[ "$status" -eq 3 ] && [ "$round" -lt "$ROUNDS" ] || exit "$status"
	round=$((round + 1))
	mend "$dir"
	name=again.$$.$round
	n=$(spread "$dir" "$name" "$JOBS")
	[ "$n" -gt 0 ] || exit 3	# nothing to be made: it was told why
	seq 0 $((n - 1)) | xargs -P "$JOBS" -I{} sh -c '
		"$0" "$1/$2.rec" --only "@$1/todo.$2" ||
			echo "$2 is lost" >&2' \
		"$here/worker.sh" "$dir" "$name.{}"
done
