#!/bin/sh
# SPDX-License-Identifier: MIT
# xargs.sh DIR - each worker takes its part of the input.  The shell between
# xargs and the worker keeps xargs going when a worker is killed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
dir=$(folder "${1:?"usage: xargs.sh DIR"}")

prepare "$dir"
seq 0 $((PARTS - 1)) | xargs -P "$JOBS" -n 1 sh -c '
	"$0" "$1/part.$2.rec" --part "$2/$PARTS" ||
		echo "part $2 is lost" >&2' "$here/worker.sh" "$dir"
exec "$here/home.sh" "$dir"
