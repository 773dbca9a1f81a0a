#!/bin/sh
# SPDX-License-Identifier: MIT
# worker.sh FILE OPTION ... - one worker: search the chunks that these options
# of fasta-chunk choose.  FILE appears at the end, with the results of what came:
# chunks that did not are missing in it, and the ledger reports them.  A worker
# that hangs is stopped, so that others need not wait for it for ever.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"
to=$1
shift
# shellcheck disable=SC2086 # options are words
fasta-chunk -t 1 $CUT "$@" -- "$GENOME" |
	eval "exec timeout -k 9 \"\$LIMIT\" $SCAN -o \"\$to\""
# not even a plan came: fasta-chunk said why
[ -s "$to" ] || { rm -f "$to"; exit 1; }
