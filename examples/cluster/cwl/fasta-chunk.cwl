#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: cuts sequences into a stream of chunks
doc: |
  Part i of n by part i/n; all parts together are what one would write.
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: fasta-chunk
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: chunks.rec}
  threads: {type: int, default: 1}
  letters:
    type: string?
    doc: "of a chunk, as 1M"
    inputBinding: {prefix: -L}
  context:
    type: string?
    doc: letters of context in front of a chunk
    inputBinding: {prefix: -W}
  part:
    type: string?
    doc: "i/n: part i of n, from 0"
    inputBinding: {prefix: --part}
  only:
    type: File?
    doc: "serials of chunks to write, as merge-topk --missing writes them"
    inputBinding: {prefix: --only, valueFrom: "@$(self.path)"}
  regions:
    type: File?
    doc: "BED: write these alone"
    inputBinding: {prefix: --regions}
  options:
    type: string[]?
    doc: "others, each word by itself"
    inputBinding: {position: 1}
  sequences:
    type: [File, "File[]"]
    secondaryFiles:
      - {pattern: .fai, required: false}
      - {pattern: .gzi, required: false}
      - {pattern: .sfi, required: false}
    doc: "FASTA, FASTQ, BAM, 2bit, also packed"
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
