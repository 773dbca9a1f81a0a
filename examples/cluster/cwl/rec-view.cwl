#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: shows, converts and checks a stream
doc: |
  The suffix of output decides: tsv, fasta, svg ...
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: $(inputs.threads)
baseCommand: rec-view
arguments: [-t, $(inputs.threads), -o, $(inputs.output)]
inputs:
  output: {type: string, default: view.tsv}
  threads: {type: int, default: 1}
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
    doc: records
    inputBinding: {position: 2}
outputs:
  result:
    type: File
    outputBinding: {glob: $(inputs.output)}
