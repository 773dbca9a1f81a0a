#!/usr/bin/env cwl-runner
# SPDX-License-Identifier: MIT
cwlVersion: v1.2
class: CommandLineTool
label: the numbers 0/n, 1/n, ... of parts, and a file name for each
baseCommand: awk
arguments:
  - |
    BEGIN {
        for (n = ARGV[1]; i < n; i++) {
            parts = parts sep "\"" i + 0 "/" n "\""
            names = names sep "\"part." i + 0 ".rec\""
            sep = ", "
        }
        print "{\"parts\": [" parts "], \"names\": [" names "]}"
    }
inputs:
  n: {type: int, inputBinding: {position: 1}}
stdout: cwl.output.json
outputs:
  parts: {type: "string[]"}
  names: {type: "string[]"}
