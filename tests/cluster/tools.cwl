# SPDX-License-Identifier: MIT
# tools.cwl - every program once, by its description and with the inputs that it
# has there.
cwlVersion: v1.2
class: Workflow
inputs:
  genome: {type: File, secondaryFiles: [.sfi]}
  queries: File
  pairs: File
  serials: File
  regions: File
outputs:
  hits: {type: File, outputSource: asm/result}
  alignments: {type: File, outputSource: sw/result}
  primers: {type: File, outputSource: primer/result}
  products: {type: File, outputSource: pcr/result}
  distances: {type: File, outputSource: ebwt/result}
  best: {type: File, outputSource: merge/result}
  letters: {type: File, outputSource: view/result}
  some: {type: File, outputSource: few/result}
steps:
  chunk:
    run: ../../examples/cluster/cwl/fasta-chunk.cwl
    in:
      sequences: genome
      letters: {default: 1k}
      context: {default: "500"}
      options: {default: [--label, l]}
    out: [result]
  few:
    run: ../../examples/cluster/cwl/fasta-chunk.cwl
    in:
      sequences: genome
      letters: {default: 2k}
      part: {default: 0/2}
      only: serials
      output: {default: some.rec}
    out: [result]
  view:
    run: ../../examples/cluster/cwl/rec-view.cwl
    in:
      streams: chunk/result
      output: {default: letters.fa}
      options: {default: [--quiet]}
    out: [result]
  asm:
    run: ../../examples/cluster/cwl/asm-scan.cwl
    in:
      input: genome
      differences: {default: 10%}
      queries: queries
      pattern: {default: GATTACA}
      threads: {default: 2}
    out: [result]
  merge:
    run: ../../examples/cluster/cwl/merge-topk.cwl
    in:
      streams: asm/result
      best: {default: 1}
    out: [result]
  sw:
    run: ../../examples/cluster/cwl/sw-scan.cwl
    in:
      input: genome
      queries: queries
      best: {default: 2}
      min_score: {default: 9}
      preset: {default: fasta}
      regions: regions
    out: [result]
  primer:
    run: ../../examples/cluster/cwl/primer-find.cwl
    in:
      background: genome
      differences: {default: 2}
      targets: queries
    out: [result]
  pcr:
    run: ../../examples/cluster/cwl/pcr-find.cwl
    in:
      input: genome
      differences: {default: 2}
      pairs: pairs
      max_length: {default: 2k}
    out: [result]
  ebwt:
    run: ../../examples/cluster/cwl/ebwt-dist.cwl
    in:
      input: genome
      queries: queries
      metric: {default: dm}
    out: [result]
