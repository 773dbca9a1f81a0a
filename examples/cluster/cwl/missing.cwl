#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: serials of chunks that no stream of results covers
doc: |
  As fasta-chunk --only reads them; an empty file if there are none.
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
baseCommand: [merge-topk, --missing]
inputs:
  streams: {type: [File, "File[]"], inputBinding: {position: 1}}
stdout: missing
outputs:
  serials: {type: stdout}
