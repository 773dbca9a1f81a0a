#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
# Parts of a genome are searched by as many jobs as the runner starts.  Of one
# that is lost the ledger names the chunks that are missing, and these alone are
# searched again.
#
#	cwltool --parallel workflow.cwl job.yml
#	toil-cwl-runner --batchSystem slurm --jobStore DIR workflow.cwl job.yml
cwlVersion: v1.2
class: Workflow
label: exact search of a genome by many workers
requirements:
  ScatterFeatureRequirement: {}
  MultipleInputFeatureRequirement: {}
inputs:
  genome:
    type: File
    doc: "FASTA, also packed; fasta-chunk --index lets workers read less of it"
    secondaryFiles:
      - {pattern: .fai, required: false}
      - {pattern: .gzi, required: false}
      - {pattern: .sfi, required: false}
  queries: File
  cut: {type: string, default: -L 1M, doc: options of fasta-chunk}
  scan:
    type: string
    default: asm-scan -k 3
    doc: the scanner and its options but -t, -q and -o
  options: {type: "string[]?", doc: "of merge-topk, each word by itself"}
  name: {type: string, default: hits.tsv, doc: of the table}
  workers: {type: int, default: 8}
  seconds: {type: int, default: 3600, doc: that a worker may take}
outputs:
  table: {type: File, outputSource: merge/result}
  serials: {type: File, outputSource: missing/serials}
  repair: {type: File, outputSource: again/stream}
steps:
  plan:
    run: plan.cwl
    in: {genome: genome, queries: queries, cut: cut, scan: scan}
    out: [stream]
  parts:
    run: parts.cwl
    in: {n: workers}
    out: [parts, names]
  part:
    run: search.cwl
    scatter: [part, output]
    scatterMethod: dotproduct
    in:
      part: parts/parts
      output: parts/names
      plan: plan/stream
      genome: genome
      queries: queries
      cut: cut
      scan: scan
      seconds: seconds
    out: [stream]
  missing:
    run: missing.cwl
    in:
      streams:
        source: [plan/stream, part/stream]
        linkMerge: merge_flattened
    out: [serials]
  again:
    run: search.cwl
    in:
      only: missing/serials
      output: {default: again.rec}
      plan: plan/stream
      genome: genome
      queries: queries
      cut: cut
      scan: scan
      seconds: seconds
    out: [stream]
  # It fails, and writes nothing, unless every chunk was searched.
  merge:
    run: merge-topk.cwl
    in:
      output: name
      options: options
      streams:
        source: [plan/stream, part/stream, again/stream]
        linkMerge: merge_flattened
    out: [result]
