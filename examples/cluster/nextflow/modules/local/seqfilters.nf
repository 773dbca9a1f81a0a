// SPDX-License-Identifier: MIT
// seqfilters.nf - plan, search, missing and merge as processes; options come
// from task.ext.args, as in nf-core.

process SEQFILTERS_SEARCH {
    tag "$meta.id $chunks"
    label 'process_single'

    input:
    tuple val(meta), path(genome), path(queries), val(chunks), path(serials)

    output:
    tuple val(meta), path("*.rec"), emit: rec
    path "versions.yml"           , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args   = task.ext.args ?: ''
    def args2  = task.ext.args2 ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}.${task.process.tokenize(':')[-1]}.${task.index}"
    """
    fasta-chunk -t 1 $args $chunks -- $genome |
        asm-scan -t $task.cpus $args2 -q $queries -o ${prefix}.rec

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        seqfilters: \$(asm-scan --version | cut -d ' ' -f 2)
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}.${task.process.tokenize(':')[-1]}.${task.index}"
    """
    touch ${prefix}.rec versions.yml
    """
}

process SEQFILTERS_MISSING {
    tag "$meta.id"
    label 'process_single'

    input:
    tuple val(meta), path(streams)

    output:
    tuple val(meta), path("missing"), emit: serials

    script:
    """
    merge-topk --missing $streams > missing
    """

    stub:
    """
    touch missing
    """
}

process SEQFILTERS_MERGE {
    tag "$meta.id"
    label 'process_single'

    input:
    tuple val(meta), path(streams)

    output:
    tuple val(meta), path("*.tsv"), emit: tsv

    script:
    def args   = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    merge-topk $args -o ${prefix}.tsv $streams
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.tsv
    """
}
