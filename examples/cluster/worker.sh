#!/bin/sh
# SPDX-License-Identifier: MIT
# worker.sh FILE OPTION ... - one worker: search the chunks that these options
# of fasta-chunk choose.  FILE appears when all of them are searched; a worker
# that hangs is stopped, so that others need not wait for it for ever.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
to=$1
shift
# shellcheck disable=SC2086 # options are words
fasta-chunk -t 1 $CUT "$@" "$GENOME" | timeout -k 9 "$LIMIT" $SCAN -o "$to"
