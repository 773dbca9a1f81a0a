#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: finds all products of pairs of primers
doc: |
  Writes tables; the suffix of output decides: tsv, bed, fasta, gff3 ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: pcr-find
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: products.tsv}
  threads: {type: int, default: 1}
  differences:
    type: ["null", int, string]
    doc: in each primer
    inputBinding: {prefix: -k}
  pairs:
    type: File
    doc: "name, forward and reverse primer in a line"
    inputBinding: {prefix: -p}
  max_length:
    type: string?
    doc: of a product
    inputBinding: {prefix: --max-len}
  queries:
    type: File?
    doc: letters of the primers of a BED without them
    inputBinding: {prefix: -q}
  nested:
    type: File?
    doc: "pairs: only products of these inside those"
    inputBinding: {prefix: --nested}
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
