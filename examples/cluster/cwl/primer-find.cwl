#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: finds primers that differ from everything in a background
doc: |
  Reads sequences or chunks; the suffix of output decides: rec, tsv, bed ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: primer-find
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: primers.rec}
  threads: {type: int, default: 1}
  differences:
    type: int?
    doc: of a primer from everything in the background
    inputBinding: {prefix: -k}
  targets:
    type: File?
    doc: where primers may stand
    inputBinding: {prefix: -q}
  check:
    type: File?
    doc: "primers to check, instead of targets"
    inputBinding: {prefix: --check}
  regions:
    type: File?
    doc: "BED: search these alone"
    inputBinding: {prefix: --regions}
  options:
    type: string[]?
    doc: "others, each word by itself"
    inputBinding: {position: 1}
  background:
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
