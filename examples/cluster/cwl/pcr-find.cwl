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
  options:
    type: string[]?
    doc: "others, each word by itself"
    inputBinding: {position: 1}
  input:
    type: [File, "File[]"]
    doc: "sequences, or streams of fasta-chunk"
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
