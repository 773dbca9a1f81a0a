#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: a stream without results that says how many chunks there are
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
baseCommand: [sh, -c]
arguments:
  - |
    fasta-chunk $1 --only @/dev/null -- "$3" | $2 -q "$4" -o plan.rec
  - plan
inputs:
  cut: {type: string, inputBinding: {position: 1}}
  scan: {type: string, inputBinding: {position: 2}}
  genome:
    type: File
    secondaryFiles:
      - {pattern: .fai, required: false}
      - {pattern: .gzi, required: false}
      - {pattern: .sfi, required: false}
    inputBinding: {position: 3}
  queries: {type: File, inputBinding: {position: 4}}
outputs:
  stream: {type: File, outputBinding: {glob: plan.rec}}
