#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: merges results, keeps the best, checks that nothing is missing
doc: |
  Fails with exit status 3, and writes no table, unless every chunk was searched.
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: merge-topk
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: table.tsv}
  threads: {type: int, default: 1}
  best:
    type: int?
    doc: rows of each query
    inputBinding: {prefix: -n}
  queries:
    type: File?
    doc: "what was searched for, if output needs it"
    inputBinding: {prefix: -q}
  options:
    type: string[]?
    doc: "others, each word by itself"
    inputBinding: {position: 1}
  streams:
    type: [File, "File[]"]
    doc: results of scanners
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
