#!/bin/sh
# SPDX-License-Identifier: MIT
# slurm.sh DIR - an array job, a task a part, and a merge that depends on it.
# If the ledger misses chunks, the merge submits an array for these alone, and
# another merge behind it.  Called again for the same folder it goes on there.
# DIR is on a file system that all nodes share; SBATCH_PARTITION and the like
# are sbatch's own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/job.sh"

# Records go to files: standard output through srun is slow.  A task whose node
# is lost is not run again by Slurm, which waits two minutes before it does: the
# ledger will miss its chunks at once.
submit() { # ROUND TASKS
	me=$(quoted "$here/slurm.sh") to=$(quoted "$dir")
	log=$(printf %s "$dir/log.%A" | sed 's/%/%%/g; s/%%A$/%A/')
	tasks=$(sbatch --parsable --job-name="search.$1" --cpus-per-task=1 \
		--no-requeue --array="0-$(($2 - 1))" --time=$((LIMIT / 60 + 1)) \
		--output="$log.%a" --wrap "exec $me task $to $1")
	# afterok would never merge, nor name what is missing
	sbatch --parsable --job-name="merge.$1" --cpus-per-task=1 \
		--dependency="afterany:$tasks" --output="$log" \
		--wrap "exec $me merge $to $1"
}
task() { # ROUND
	i=$SLURM_ARRAY_TASK_ID
	[ "$1" -gt 0 ] || exec "$here/worker.sh" "$dir/part.$i.rec" \
		--part "$i/$PARTS"
	exec "$here/worker.sh" "$dir/again.$SLURM_ARRAY_JOB_ID.$i.rec" \
		--only "@$dir/todo.$1.$i"
}
merge() { # ROUND
	status=0
	table "$dir" || status=$?
	case $status in
	1 | 3) [ "$1" -lt "$ROUNDS" ] || exit "$status" ;;
	*) exit "$status" ;;
	esac
	mend "$dir"
	rm -f "$dir/todo".*
	n=$(spread "$dir" $(($1 + 1)) "$PARTS")
	if [ "$n" -eq 0 ]; then	# nothing to be made, but mended perhaps
		table "$dir"
		exit
	fi
	submit $(($1 + 1)) "$n"
}

case ${1:-} in
task | merge)
	dir=$2
	"$1" "$3"
	;;
*)
	dir=$(folder "${1:?"usage: slurm.sh DIR"}")
	case $dir in
	*\\*)
		echo "slurm.sh: $dir: sbatch takes no backslash in names" >&2
		exit 2
		;;
	esac
	if [ -e "$dir/plan.rec" ]; then
		merge 0
	else
		prepare "$dir"
		submit 0 "$PARTS"
	fi
	;;
esac
