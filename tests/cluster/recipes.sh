# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# recipes.sh - each recipe loses a worker and comes home; sourced by run.sh

# What is searched has some hits in most chunks; $tmp/want is its table.
prepare_data() {
	export GENOME="$tmp/genome.fa" LIMIT=60 PARTS=6 JOBS=2 CUT='-L 1k'
	export SCAN="asm-scan -t 1 -k 2 -q '$tmp/{#} queries'" MERGE='-O tsv'
	{
		randseq 60000 31 70 a
		randseq 9000 32 70 b
	} >"$GENOME"
	printf '%s\n' ACGTTGCAAC GATTACAGATTA >"$tmp/queries"
	cp "$tmp/queries" "$tmp/{#} queries"
	cp "$tests/worker-fault.sh" "$tmp/shim/asm-scan"
	echo "$build/bin" >"$tmp/shim/real"
	chmod +x "$tmp/shim/asm-scan"
	asm-scan -O rec -k 2 -q "$tmp/queries" "$GENOME" |
		merge-topk -O tsv -o "$tmp/want"
	[ "$(wc -l <"$tmp/want")" -gt 100 ]
}
# Serials of the results in streams, one a line.
serials() {
	cat "$@" | recframes list | awk '$2 == "HITS" { print $4 }' | sort -n
}
ranges() { # FILE of --missing
	awk -F- '/^[0-9]/ { for (i = $1; i <= $NF; i++) print i }' "$1"
}
# The next worker meets the fault; each recipe has a folder of its own.
arm() { # FAULT NAME
	echo "$1" >"$tmp/shim/fault"
	rm -rf "$tmp/shim/met" "$tmp/shim"/head.* "$tmp/shim"/pipe.*
	dir="$tmp/it's {} 5%a run.$2"
}
shimmed() {
	PATH=$tmp/shim:$PATH "$@"
}
# Came it home?  FAULT's worker was there, serials were named as missing, no
# others were searched again, and the table is that of one machine.
is_home() {
	[ -e "$tmp/shim/met" ] || { echo 'no worker met the fault'; return 1; }
	cmp "$dir/table" "$tmp/want" || return 1
	[ -s "$dir/missing" ] || { echo 'nothing was missing'; return 1; }
	ranges "$dir/missing" >"$tmp/named"
	serials "$dir"/again*.rec | cmp - "$tmp/named" || return 1
	[ "$(wc -l <"$tmp/named")" -lt 60 ] || { echo 'all of it'; return 1; }
}
missing='chunks \(are\|is\) missing: [0-9]'
lossy() { # COMMAND ... in $dir
	shimmed "$@" "$dir" >"$tmp/notes" 2>&1 ||
		{ cat "$tmp/notes"; return 1; }
	cat "$tmp/notes"
	grep -q "$missing" "$tmp/notes" && is_home
}

recipes_here() {
	arm kill xargs
	ok 'xargs -P: a worker is killed' lossy "$recipes/xargs.sh"
	arm kill parts
	ok 'GNU parallel, parts: a worker is killed' \
		lossy "$recipes/parallel.sh" parts
	export BLOCK=20k
	for how in pipe round-robin pipe-part; do
		arm cut $how
		ok "GNU parallel, $how: a worker is killed while it writes" \
			lossy "$recipes/parallel.sh" $how
	done
}

recipes_ssh() {
	export HOSTS=w1,w2 PARALLEL_SSH="ssh -F $tmp/ssh/config"
	arm cut ssh
	ok 'GNU parallel over ssh, two hosts: a worker is killed' \
		lossy "$recipes/parallel.sh" ssh
	arm drop drop
	ok 'GNU parallel over ssh: a connection is dropped' \
		lossy "$recipes/parallel.sh" ssh
}

# All jobs are done, one way or the other.
queue_empty() {
	[ -z "$(squeue -h -o %i)" ]
}
# The node of the task that hangs falls silent: its daemon and the task's
# processes up to the one that the daemon started are gone.
lose_node() {
	wait_for 30 test -e "$tmp/shim/met/node" || return
	node=$(cat "$tmp/shim/met/node")
	kill -9 "$(cat "$tmp/pid/slurmd.$node")"
	rm "$tmp/pid/slurmd.$node"
	pid=$(cat "$tmp/shim/met/pid")
	while [ "$pid" -gt 1 ]; do
		above=$(awk '{ print $4 }' "/proc/$pid/stat")
		kill -9 "$pid"
		pid=$above
	done
}
slurm_job() { # COMMAND ... while it runs
	shimmed "$recipes/slurm.sh" "$dir" && "$@" && wait_for 90 queue_empty
	cat "$dir"/log.* >"$tmp/notes"
	cat "$tmp/notes"
	grep -q "$missing" "$tmp/notes" && is_home
}
recipes_slurm() {
	arm kill slurm
	ok 'Slurm, array and dependent merge: a worker is killed' slurm_job true
	arm hang node
	ok 'Slurm: a node falls silent' slurm_job lose_node
}

# Snakemake puts things where its conventions have them.
snakemake_home() {
	cp -r "$recipes/snakemake" "$dir"
	cd "$dir" || return
	shimmed snakemake --cores "$JOBS" --nolock --config \
		genome="$GENOME" queries="$tmp/queries" cut="$CUT" \
		scan='asm-scan -k 2' parts="$PARTS" || return
	cp results/*.rec results/missing .
	cp results/hits.tsv table
	grep -l . logs/part.*.log
	is_home
}
nextflow_parses() {
	find "$recipes/nextflow" -type f -exec python3 "$tests/nextflow.py" {} +
}
recipes_workflows() {
	arm kill snakemake
	ok 'Snakemake: a worker is killed' snakemake_home
	ok 'Nextflow: its syntax alone, as far as checked without it' \
		nextflow_parses
}
