#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD - the recipes of examples/cluster, each of which loses a worker,
# and bad days; with sshd and Slurm of our own on loopback.  Whatever it starts
# is stopped by its pid file, also when it is interrupted.
set -u
export LC_ALL=C
unset SEQF_ISA SEQF_THREADS MAKEFLAGS MFLAGS MAKELEVEL
tests=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034 # the sourced ones use it
recipes=$(cd "$tests/../../examples/cluster" && pwd)
build=$(cd "$1" && pwd)
PATH=$build/bin:$build/helpers:$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d "${TMPDIR:-/tmp}/seqf-cluster.XXXXXX") || exit 1
port=0
. "$tests/../lib/ok.sh"
export PARALLEL_HOME="$tmp/parallel"
mkdir -p "$tmp/ssh" "$tmp/munge" "$tmp/slurm/state" "$tmp/pid" "$tmp/log" \
	"$tmp/shim" "$tmp/parallel"
chmod 700 "$tmp/munge"
. "$tests/daemons.sh"
. "$tests/recipes.sh"
. "$tests/bad-days.sh"
. "$tests/cwl.sh"
trap 'stop_all; rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM

on_loopback() {
	for i in 0 1 2 3; do
		hex=$(printf %04X $((port + i)))
		listens $((port + i)) || continue
		grep -shi ": [0-9A-F]*:$hex 0" /proc/net/tcp /proc/net/tcp6 |
			awk '$4 == "0A" && $2 !~ /^0100007F:/ { print; bad = 1 }
				END { exit bad }' || return 1
	done
}
nothing_left() {
	stop_all
	wait_for 10 sh -c '! ps -eo args= | grep -F "$1/" | grep -vq grep' \
		sh "$tmp" || leftovers
	for i in 0 1 2 3; do
		! listens $((port + i)) || { echo "port $((port + i))"; return 1; }
	done
	[ -z "$(leftovers)" ]
}

prepare_data || { echo "cluster: cannot begin" >&2; exit 1; }
free_ports 4
recipes_here
ok 'sshd listens' start_sshd
recipes_ssh
ok 'Slurm has two idle nodes' start_slurm
recipes_slurm
recipes_workflows
recipes_cwl
bad_days
ok 'they listened on loopback only' on_loopback
ok 'every daemon is stopped, no port is left open' nothing_left
finish cluster
