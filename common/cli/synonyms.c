/* SPDX-License-Identifier: MIT */
/* synonyms.c - what options of other tools are called here */

#include <string.h>

#include "cli/opt.h"

/*
 * Names, parted by blanks, as cutadapt, bowtie, BLAST, seqkit, samtools, agrep,
 * fuzznuc, Cas-OFFinder, sassy and mash have them; and what to say to a program
 * that has `option`: its long name or its letter.
 */
static const struct {
	const char *names, *option, *says;
} known[] = {
    /* of seqkit amplicon, ipcress, primersearch, ipcr */
    {"F R f e forward reverse primer primers-file primer-file infile input "
     "pattern patterns",
     "pairs", "pairs of primers are -p FILE: lines of name, forward, reverse"},
    {"m mm mismatch mismatches max-mismatch mismatchpercent", "pairs",
     "-k K allows K differences in each primer; --no-indels: mismatches only"},
    {"max-length max-size max-product product-size size amplicon-size", "pairs",
     "--min-len and --max-len are those of products"},
    /* where another program or option does it */
    {"differences edits mismatch mismatches max-mismatch max-mismatches errors "
     "m mm",
     "self", "-k K is the least number of differences from the background"},
    {"background host exclude non-target nontarget off-target offtarget",
     "self", "the files at the end of the line are the background"},
    {"min-tm max-tm tm-min tm-max melting", "tm",
     "--tm MIN-MAX is the range of melting temperatures"},
    {"min-gc max-gc gc-min gc-max gc-content", "gc",
     "--gc MIN-MAX, in percent"},
    {"size min-size max-size length primer-size", "three-prime",
     "--min-len and --max-len are those of primers"},
    {"part only W context chunk-len chunk-size", "gpu",
     "fasta-chunk cuts the input: fasta-chunk --part I/N FILE, for a scanner "
     "to read"},
    {"m distance dist measure", "metric", "--metric chooses the distance"},
    {"task program x ax", "preset", "--preset NAME chooses the scores"},
    {"identity min-identity perc-identity perc_identity pident", "kind",
     "--min-score SCORE leaves out what scores less"},
    {"drop-shadows", "kind",
     "--no-overlap FRACTION keeps the best of those that overlap"},
    {"protein proteins aa amino-acids", "kind",
     "--matrix BLOSUM62 is for proteins"},
    {"protein proteins aa amino-acids", "alphabet", "--alphabet=protein"},
    {"trim cut trimming", "overhang",
     "reads are not cut here; the table says where: seqfilters-reads(7)"},
    {"n parts pieces", "chunk-len", "--part I/N is part I, from 0, of N"},
    {"edits max-edits edit-distance differences mismatches max-mismatches "
     "errors error-rate",
     "kind", "scores limit here, --min-score SCORE; asm-scan -k K finds what "
     "has at most K differences"},
    {"sort sort-by order order-by", "no-overlap",
     "merge-topk --sort=ORDER sorts records, those of -O rec; -O bed is by "
     "begin"},
    {"indels indel with-indels gaps gapped", "no-indels",
     "insertions and deletions are found; --no-indels leaves them out"},
    {"max-gaps max-gap max-indels max-indel bulges bulge bulge-size gaps",
     "max-bulges",
     "--max-bulges N limits the letters of insertions and deletions"},
    {"bed regions-file", "chunk-len",
     "--regions FILE takes the places of a BED file"},
    {"names full-name long-names", "full-names",
     "--full-names writes whole names; --by chooses what is one genome"},
    {"phylip newick nwk tree nexus nj matrix", "metric",
     "-O FORMAT chooses the output: phylip, newick, svg-tree"},
    {"fasta fa fastq sequences", "stats",
     "-O fasta shows the letters of chunks, or primers"},
    {"edits max-edits edit-distance distance max-distance errors "
     "max-errors error-rate max-error-rate differences "
     "mismatches mismatch pmismatch mm K M m v",
     "differences",
     "-k K allows K differences, -k 10% one in ten letters; "
     "--no-indels: mismatches only"},
    {"no-indel no-gaps hamming ungapped substitutions-only", "no-indels",
     "--no-indels finds substitutions only"},
    {"a b adapter adapters g5 front times", "overhang",
     "an adapter is a pattern: -e LETTERS, with --overhang-end 0 "
     "--min-overlap 3 --per-overlap at the ends of reads"},
    {"degenerate ambiguous wildcards match-read-wildcards", "iupac",
     "--iupac takes codes in the text as sets of letters; in patterns "
     "they are always"},
    {"p f file pattern-file patterns query-file primers-file guides guide "
     "sgrna primer adapters-file fasta-query",
     "query", "patterns and queries are -q FILE, or -e LETTERS"},
    {"f i file in input reference ref genome target targets subject db "
     "database fasta text index seq sequence",
     NULL,
     "sequences are operands: the files at the end of the line, or stdin"},
    {"@ j p T cpu cpus cores jobs thread num-threads num_threads nthreads "
     "numcpu",
     "threads", "-t N sets the number of threads"},
    {"bed sam paf json gff gff3 tsv blast6 csv m8 m6 tabular cs outfmt format "
     "out-format fmt f m a", "O", "-O FORMAT chooses the output"},
    {"out outfile out-file output-file result results", "output",
     "-o FILE is the output"},
    {"max-target-seqs max_target_seqs num-alignments top best k max hits "
     "limit N max-hits top-hits topk",
     "max-hits", "-n N keeps the best N"},
    {"evalue e-value E score cutoff threshold bitscore min-score", "min-score",
     "--min-score SCORE leaves out what scores less; -O blast6 shows "
     "E-values"},
    {"reward A", "match", "--match SCORE, or --preset NAME"},
    {"penalty B", "mismatch", "--mismatch COST, or --preset NAME"},
    {"gapopen gap_open O", "gap-open", "--gap-open COST"},
    {"gapextend gap_extend E", "gap-extend", "--gap-extend COST"},
    {"word-size word_size seed k w seed-length", "min-score",
     "there are no seeds: the answer is exact"},
    {"k w word-size kmer k-mer sketch-size", "metric",
     "no k-mers are used: --metric chooses the distance"},
    {"rc revcomp reverse-complement both both-strands P forward "
     "only-positive-strand norc nofw stranded S",
     "strand", "-s +, -s - or -s both chooses the strands"},
    {"i ignore-case", "strand", "letters match in either case already"},
    {"regions bed-file L locus interval", "region",
     "-r NAME:BEG-END searches a part"},
    {"chunk-size window size split length", "chunk-len",
     "-L LEN is the length of a chunk"},
    {"overlap context-size", "context",
     "-W LEN is what a chunk sees of "
     "the letters before it"},
    {"discard-untrimmed discard-trimmed untrimmed-output grep", "filter",
     "--filter writes the records that match, --invert the others"},
    {"c count only-count", "report", "--report=count counts"},
    {"minlen min-length", "min-len", "--min-len LEN"},
    {"maxlen max-length size-range", "max-len", "--max-len LEN"},
    {"H header names no-headers noheader", "no-header",
     "--no-header omits the line of column names"},
    {"q silent", "quiet", "--quiet"},
    {"debug log", "verbose", "-v says more"},
};

static bool
is_among(const char *names, const char *name, size_t n)
{
	while (*names) {
		size_t k = strcspn(names, " ");

		if (k == n && memcmp(names, name, n) == 0)
			return true;
		names += k + (names[k] == ' ');
	}
	return false;
}

static bool
has(const struct opt_spec *spec, const char *option)
{
	const struct opt *tables[] = { spec->table, opt_common };

	if (!option)
		return spec->operands != NULL;
	for (int t = 0; t < 2; t++)
		for (const struct opt *o = tables[t]; o->letter || o->name;
		     o++)
			if ((o->name && strcmp(o->name, option) == 0) ||
			    (o->letter == *option && !option[1]))
				return true;
	return false;
}

const char *
opt_synonym(const struct opt_spec *spec, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_among(known[i].names, name, n) &&
		    has(spec, known[i].option))
			return known[i].says;
	return NULL;
}
