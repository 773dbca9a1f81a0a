#!/bin/sh
# SPDX-License-Identifier: MIT
# worker-fault.sh - stands in for asm-scan, which it runs: the first that is
# given chunks to search meets what the file `fault` beside it says, once.
set -u
dir=$(cd "$(dirname "$0")" && pwd)
real=$(cat "$dir/real")/asm-scan
head=$dir/head.$$
fault=$(cat "$dir/fault")

head -c 4000 >"$head"
# a stream without chunks is shorter
if [ "$(wc -c <"$head")" -lt 4000 ] || ! mkdir "$dir/met" 2>/dev/null; then
	cat "$head" - | "$real" "$@"
	exit
fi
case $fault in
kill)	# while it waits for more
	mkfifo "$dir/pipe.$$"
	"$real" "$@" <"$dir/pipe.$$" &
	{
		cat "$head"
		sleep 0.3
		kill -9 $!
	} >"$dir/pipe.$$"
	exit 137
	;;
cut)	# killed while it writes
	cat "$head" - | "$real" "$@" | head -c 1500
	kill -9 $$
	;;
drop)	# the connection by which we came breaks
	cat "$head" - | "$real" "$@" | head -c 1500
	pid=$$
	until [ "$pid" -le 1 ] || [ "$(cat "/proc/$pid/comm")" = sshd ]; do
		pid=$(awk '{ print $4 }' "/proc/$pid/stat")
	done
	[ "$pid" -gt 1 ] || exit
	kill -9 "$pid"
	;;
full) cat "$head" - | "$real" "$@" -o /dev/full ;;
hang)	# who and where it is, for whoever takes its node away
	echo $$ >"$dir/met/pid"
	echo "${SLURMD_NODENAME:-here}" >"$dir/met/node"
	exec sleep 600
	;;
esac
