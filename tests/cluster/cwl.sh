# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# cwl.sh - the Common Workflow Language: each description, and the workflow by
# cwltool and by toil, on Slurm; sourced by run.sh, when Slurm runs.  Both come
# from PyPI, into a folder that is kept.
cwl=$build-cwl

get_cwl() {
	[ -x "$cwl/bin/toil-cwl-runner" ] && return
	rm -rf "$cwl"
	python3 -m venv "$cwl" && "$cwl/bin/pip" install -q --retries 1 \
		--disable-pip-version-check cwltool 'toil[cwl]' && return
	rm -rf "$cwl"
	return 1
}
cwl_job() {
	for f in "genome $GENOME" "queries $tmp/queries" "$@"; do
		printf '%s: {class: File, path: "%s"}\n' "${f%% *}" "${f#* }"
	done
}
cwl_tools() {
	echo 0-4 >"$tmp/serials"
	printf '%s\t100\t9000\n' "$(sed -n '1s/>\([^ ]*\).*/\1/p' "$GENOME")" \
		>"$tmp/r.bed"
	# an index comes with its file: this one is looked at, and is none
	echo >"$GENOME.sfi"
	cwl_job "pairs $recipes/../data/pairs.tsv" "serials $tmp/serials" \
		"regions $tmp/r.bed" >"$tmp/tools.yml"
	"$cwl/bin/cwltool" --quiet --outdir "$tmp/tools" "$tests/tools.cwl" \
		"$tmp/tools.yml" 2>"$tmp/tools.err" || return
	rm "$GENOME.sfi"
	grep 'sfi is damaged' "$tmp/tools.err" || return
	cd "$tmp/tools" && ls -l || return
	asm-scan -O rec -k 10% -e GATTACA -q "$tmp/queries" "$GENOME" |
		cmp - hits.rec || return
	merge-topk -n 1 hits.rec | cmp - table.tsv || return
	sw-scan -O rec -n 2 --min-score 9 --preset fasta -q "$tmp/queries" \
		--regions "$tmp/r.bed" "$GENOME" | cmp - alignments.rec || return
	tr -d "\n" <letters.fa >letters && tr -d "\n" <"$GENOME" |
		cmp - letters || return
	# of the first five chunks those of the part
	[ "$(recframes list <some.rec | grep -c CHUNK)" -eq 3 ] || return
	for f in alignments.rec primers.rec products.tsv distances.tsv; do
		[ -s "$f" ] || return
	done
}
# RUNNER ...: the workflow, which loses a worker.
cwl_home() {
	{
		cwl_job
		echo "cut: $CUT"
		echo 'scan: asm-scan -k 2'
		echo 'workers: 3'
	} >"$tmp/job.yml"
	shimmed "$@" --outdir "$tmp/$fault.out" "$recipes/cwl/workflow.cwl" \
		"$tmp/job.yml" || return
	mkdir -p "$dir"
	cd "$tmp/$fault.out" || return
	cp hits.tsv "$dir/table"
	cp missing again.rec "$dir"
	is_home
}
recipes_cwl() {
	if ! get_cwl >"$tmp/out" 2>&1; then
		echo '# skipped: CWL: neither cwltool nor toil from PyPI'
		return
	fi
	PATH=$PATH:$cwl/bin	# toil starts programs of its own
	ok 'CWL: each program by its description' cwl_tools
	for fault in kill cut; do
		arm $fault cwl
		ok "CWL, cwltool: a worker is lost ($fault)" \
			cwl_home cwltool --parallel
	done
	# its jobs are Slurm's, of which it takes note
	printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' \
		"$tmp/submitted" "$(command -v sbatch)" >"$tmp/shim/sbatch"
	chmod +x "$tmp/shim/sbatch"
	arm kill toil
	fault=toil
	ok 'CWL, toil on Slurm: a worker is killed' cwl_home toil-cwl-runner \
		--no-container --logWarning --batchSystem slurm \
		--slurmAllocateMem False --statePollingWait 1 \
		--workDir "$tmp" --jobStore "$tmp/store"
	ok 'they were jobs of Slurm' [ "$(wc -l <"$tmp/submitted")" -ge 5 ]
	rm "$tmp/shim/sbatch"
}
