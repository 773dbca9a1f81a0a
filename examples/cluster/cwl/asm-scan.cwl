#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: finds patterns with at most k differences
doc: |
  Reads sequences or chunks; the suffix of output decides: rec, tsv, bed, sam ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: asm-scan
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: hits.rec}
  threads: {type: int, default: 1}
  differences:
    type: ["null", int, string]
    doc: "a number, or percent of the letters"
    inputBinding: {prefix: -k}
  queries:
    type: File?
    doc: "patterns: FASTA or lines"
    inputBinding: {prefix: -q}
  pattern:
    type: string?
    doc: letters of one
    inputBinding: {prefix: -e}
  score_table:
    type: ["null", File, string]
    doc: "of off-targets, or mit"
    inputBinding: {prefix: --score-table}
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
