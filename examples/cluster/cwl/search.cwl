#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
# One worker: some chunks are cut and searched.  One that is lost leaves a copy
# of the plan, a stream without results, and is no failure of the workflow: the
# ledger knows which chunks it should have searched.
cwlVersion: v1.2
class: CommandLineTool
label: search some chunks of a genome
hints:
  SoftwareRequirement:
    packages:
      seqfilters: {}
  ResourceRequirement:
    coresMin: 1
baseCommand: [sh, -c]
arguments:
  - |
    out=$1 cut=$2 scan=$3 seconds=$4 plan=$5 genome=$6 queries=$7
    shift 7
    if [ "$1" = --only ]; then
        [ -s "$2" ] || exec cp "$plan" "$out"   # nothing is missing
        set -- --only "@$2"
    fi
    fasta-chunk -t 1 $cut "$@" -- "$genome" |
        timeout -k 9 "$seconds" $scan -t 1 -q "$queries" -o "$out" || {
        echo "$out is lost" >&2
        cp "$plan" "$out"
    }
  - search
inputs:
  output: {type: string, inputBinding: {position: 1}}
  cut:
    type: string
    doc: options of fasta-chunk
    inputBinding: {position: 2}
  scan:
    type: string
    doc: the scanner and its options but -t, -q and -o
    inputBinding: {position: 3}
  seconds:
    type: int
    doc: that it may take
    inputBinding: {position: 4}
  plan: {type: File, inputBinding: {position: 5}}
  genome:
    type: File
    secondaryFiles:
      - {pattern: .fai, required: false}
      - {pattern: .gzi, required: false}
      - {pattern: .sfi, required: false}
    inputBinding: {position: 6}
  queries: {type: File, inputBinding: {position: 7}}
  part:
    type: string?
    doc: i/n, from 0; or else
    inputBinding: {position: 8, prefix: --part}
  only:
    type: File?
    doc: serials of chunks, a line each
    inputBinding: {position: 8, prefix: --only}
outputs:
  stream: {type: File, outputBinding: {glob: $(inputs.output)}}
