#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: finds the best local alignments
doc: |
  Reads sequences or chunks; the suffix of output decides: rec, tsv, sam ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: sw-scan
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: alignments.rec}
  threads: {type: int, default: 1}
  queries:
    type: File?
    doc: what is searched for
    inputBinding: {prefix: -q}
  best:
    type: int?
    doc: alignments of each query
    inputBinding: {prefix: -n}
  min_score:
    type: int?
    doc: leave out what scores less
    inputBinding: {prefix: --min-score}
  preset:
    type: string?
    doc: of scores
    inputBinding: {prefix: --preset}
  matrix:
    type: ["null", File, string]
    doc: "of scores: a name, or a file"
    inputBinding: {prefix: --matrix}
  regions:
    type: File?
    doc: "BED: search these alone"
    inputBinding: {prefix: --regions}
  options:
    type: string[]?
    doc: "others, each word by itself"
    inputBinding: {position: 1}
  input:
    type: [File, "File[]"]
    secondaryFiles:
      - {pattern: .fai, required: false}
      - {pattern: .gzi, required: false}
      - {pattern: .sfi, required: false}
    doc: "sequences, or streams of fasta-chunk"
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
