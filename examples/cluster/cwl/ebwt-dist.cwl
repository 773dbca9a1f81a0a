#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: distances of whole sequences
doc: |
  The suffix of output decides: rec, tsv, phylip, nwk ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: ebwt-dist
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: distances.tsv}
  threads: {type: int, default: 1}
  metric:
    type: string?
    doc: of the distances
    inputBinding: {prefix: --metric}
  queries:
    type: File?
    doc: only distances of these to all others
    inputBinding: {prefix: -q}
  groups:
    type: File?
    doc: "name TAB group in a line: distances of these"
    inputBinding: {prefix: --by, valueFrom: "@$(self.path)"}
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
    doc: "sequences or matrices, or streams of fasta-chunk"
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
