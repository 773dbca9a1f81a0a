/* SPDX-License-Identifier: MIT */
/* hint.c - what an input is that is none of ours */

#include <stdbool.h>
#include <string.h>

#include "input/hint.h"

static const char sam[] = " (SAM? samtools fasta makes sequences of it)";
static const char bed[] =
	" (BED? bedtools getfasta takes its places out of a genome)";
static const char hits[] =
	" (a table of hits: add -O rec to the asm-scan, sw-scan or merge-topk "
	"before)";
static const char paf[] =
	" (PAF? add -O rec to the program that wrote it)";
static const char twobit[] =
	" (2bit: UCSC's twoBitToFa makes FASTA of it)";
static const char utf16[] =
	" (UTF-16? iconv -f UTF-16 makes plain text of it)";
static const char json[] =
	" (JSON? add -O rec to the program that wrote it)";

static const struct {
	const char *begin;
	size_t n;
	const char *hint;
} known[] = {
	{ "@HD\t", 4, sam },
	{ "@SQ\t", 4, sam },
	{ "@RG\t", 4, sam },
	{ "@PG\t", 4, sam },
	{ "@CO\t", 4, sam },
	{ "BAM\1", 4, " (BAM: samtools fasta makes sequences of it)" },
	{ "CRAM", 4, " (CRAM? samtools fasta makes sequences of it)" },
	{ "##fileformat=VCF", 16,
	  " (VCF: bcftools consensus makes sequences of it)" },
	{ "##gff", 5, " (GFF3: bedtools getfasta takes its places out of a "
		      "genome)" },
	{ "LOCUS ", 6, " (GenBank? EMBOSS seqret makes FASTA of it)" },
	{ "ID   ", 5, " (EMBL? EMBOSS seqret makes FASTA of it)" },
	{ "#query\t", 7, hits },
	{ "#target\t", 8,
	  " (a table of primers: add -O rec to the primer-find before)" },
	{ "#a\tb\t", 5,
	  " (a table of distances: add -O rec to the ebwt-dist before)" },
	{ "#subject\t", 9, " (a table of chunks: rec-view -O rec copies "
			   "records)" },
	{ "\x8fGREC", 5, " (a record stream)" },
	{ "\x43\x27\x41\x1a", 4, twobit },
	{ "\x1a\x41\x27\x43", 4, twobit },
	{ "PK\3\4", 4, " (a zip archive: unpack it)" },
	{ "\x1f\x8b", 2, " (gzip within gzip: unpack it once)" },
	{ "\xff\xfe", 2, utf16 },
	{ "\xfe\xff", 2, utf16 },
	{ "<", 1, " (a web page?)" },
	{ "{", 1, json },
	{ "[", 1, json },
};

/* A line of fields between tabs: does the n-th (from 0) have these letters? */
static bool
is_of(const char *set, const uint8_t *p, size_t n, unsigned field)
{
	size_t i = 0, from;

	for (; i < n && field; i++)
		field -= p[i] == '\t';
	for (from = i; i < n && p[i] && strchr(set, p[i]); i++)
		;
	return i > from && (i == n || p[i] == '\t' || p[i] == '\r' ||
			    p[i] == '\n');
}

static bool
is_number(const uint8_t *p, size_t n, unsigned field)
{
	return is_of("0123456789", p, n, field);
}

const char *
hint_of(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].n && !memcmp(p, known[i].begin, known[i].n))
			return known[i].hint;
	if (n > 262 && memcmp(p + 257, "ustar", 5) == 0)
		return " (a tar archive: unpack it)";
	/* name flag subject position quality CIGAR */
	if (is_number(p, n, 1) && is_number(p, n, 3) && is_number(p, n, 4) &&
	    is_of("0123456789MIDNSHP=X*", p, n, 5))
		return sam;
	if (is_number(p, n, 1) && is_number(p, n, 2))
		return is_number(p, n, 3) && is_of("+-", p, n, 4) ? paf : bed;
	return is_of("ACGTUNacgtun", p, n, 0) ?
	    " (letters want a line >NAME before them; patterns go to -q)" : "";
}

bool
rec_is(const uint8_t *p, size_t n)
{
	size_t len = n < REC_SYNC_LEN ? n : REC_SYNC_LEN;

	return n > 0 && memcmp(p, REC_SYNC, len) == 0;
}
