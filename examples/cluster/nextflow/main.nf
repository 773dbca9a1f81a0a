// SPDX-License-Identifier: MIT
// Parts of a genome are searched by as many tasks as the executor runs.  One
// that is lost is left out; the ledger then names the chunks that are missing,
// and these alone are searched again.
//
//     nextflow run examples/cluster/nextflow --genome G.fa.gz --queries Q.fa
nextflow.enable.dsl = 2

include { SEQFILTERS_SEARCH as PLAN  } from './modules/local/seqfilters'
include { SEQFILTERS_SEARCH as PART  } from './modules/local/seqfilters'
include { SEQFILTERS_SEARCH as AGAIN } from './modules/local/seqfilters'
include { SEQFILTERS_MISSING         } from './modules/local/seqfilters'
include { SEQFILTERS_MERGE           } from './modules/local/seqfilters'

workflow {
    def meta = [ id: params.id ]
    def search = Channel.of([ meta, file(params.genome, checkIfExists: true),
                              file(params.queries, checkIfExists: true) ])

    // No results, but how many chunks there are.
    PLAN ( search.map { it + [ '--only @/dev/null', [] ] } )
    PART ( search.combine(Channel.of(0..<params.parts))
                 .map { it[0..2] + [ "--part ${it[3]}/${params.parts}".toString(), [] ] } )
    def streams = PLAN.out.rec.mix(PART.out.rec).groupTuple()

    SEQFILTERS_MISSING ( streams )
    AGAIN ( search.join(SEQFILTERS_MISSING.out.serials)
                  .filter { it[3].size() > 0 }
                  .map { it[0..2] + [ "--only @${it[3].name}".toString(), it[3] ] } )

    SEQFILTERS_MERGE ( PLAN.out.rec.mix(PART.out.rec, AGAIN.out.rec).groupTuple() )
}
