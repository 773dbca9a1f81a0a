/* SPDX-License-Identifier: MIT */
/* hint.c - what an input is that is none of ours */

#include <stdbool.h>
#include <string.h>

#include "input/input.h"

/* What the scanners write goes on as records. */
#define FROM_SCANNER "; from a scanner: add -O rec to it)"

static const char sam[] =
	" (SAM? samtools fastq makes sequences of it" FROM_SCANNER;
static const char bed[] =
	" (BED? bedtools getfasta takes its places out of a genome"
	FROM_SCANNER;
static const char hits[] =
	" (a table of hits: add -O rec to asm-scan, sw-scan or merge-topk "
	"before it)";
static const char paf[] = " (PAF, or a table of hits" FROM_SCANNER;
static const char blast[] = " (a table of BLAST" FROM_SCANNER;
static const char phylip[] =
	" (PHYLIP? add -O rec to ebwt-dist before it)";
static const char table[] =
	" (a table? sequences are FASTA or FASTQ, patterns one a line)";
static const char twobit[] =
	" (2bit within what packs it: unpack it)";
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
	{ "BAM\1", 4, " (BAM: samtools fastq makes sequences of it)" },
	{ "##fileformat=VCF", 16,
	  " (VCF: bcftools consensus makes sequences of it)" },
	{ "##gff", 5, " (GFF3? bedtools getfasta takes its places out of a "
		      "genome" FROM_SCANNER },
	{ "LOCUS ", 6, " (GenBank? EMBOSS seqret makes FASTA of it)" },
	{ "ID   ", 5, " (EMBL? EMBOSS seqret makes FASTA of it)" },
	{ "#query\t", 7, hits },
	{ "#target\t", 8,
	  " (a table of primers: add -O rec to primer-find before it)" },
	{ "#a\tb\t", 5,
	  " (a table of distances: add -O rec to ebwt-dist before it)" },
	{ "#subject\t", 9, " (a table of chunks: rec-view -O rec copies "
			   "records)" },
	{ "\x8fGREC", 5, " (a record stream)" },
	{ "\x43\x27\x41\x1a", 4, twobit },
	{ "\x1a\x41\x27\x43", 4, twobit },
	{ "PK\3\4", 4, " (a zip archive: unpack it)" },
	{ "\x1f\x8b", 2, " (gzip within what packs it: unpack it once)" },
	{ "\x28\xb5\x2f\xfd", 4,
	  " (zstd within what packs it: unpack it once)" },
	{ "BZh", 3, " (bzip2 within what packs it: unpack it once)" },
	{ "\xfd" "7zXZ", 5, " (xz within what packs it: unpack it once)" },
	{ "\xff\xfe", 2, utf16 },
	{ "\xfe\xff", 2, utf16 },
	{ "<svg", 4, " (a picture: add -O rec to the program that drew it)" },
	{ "<", 1, " (a web page?)" },
	{ "{", 1, json },
	{ "[", 1, json },
};

/* A line, and what is between its fields. */
struct line {
	const uint8_t *p;
	size_t n;
	uint8_t between;
};

/* The first line that is no comment, nor a head of BED; \r and \n cut off. */
static struct line
first_line(const uint8_t *p, size_t n)
{
	static const char *const heads[] = { "#", "track", "browser" };
	struct line l = { p, n, '\t' };

	for (bool head = true; head;) {
		const uint8_t *end = n ? memchr(p, '\n', n) : NULL;
		size_t len = end ? (size_t)(end - p) : n;

		l = (struct line){ p, len, '\t' };
		head = false;
		for (size_t i = 0; end && i < sizeof heads / sizeof *heads; i++)
			head |= len >= strlen(heads[i]) &&
				memcmp(p, heads[i], strlen(heads[i])) == 0;
		p += head ? len + 1 : 0;
		n -= head ? len + 1 : 0;
	}
	while (l.n && (l.p[l.n - 1] == '\r' || l.p[l.n - 1] == ' '))
		l.n--;
	if (l.n && !memchr(l.p, '\t', l.n))
		l.between = ' ';
	return l;
}

/* Letters of the n-th field (from 0), if all are of this set; else 0. */
static size_t
is_of(const char *set, const struct line *l, unsigned field)
{
	size_t i = 0, from;

	for (; i < l->n && field; i++)
		field -= l->p[i] == l->between;
	for (from = i; i < l->n && l->p[i] && strchr(set, l->p[i]); i++)
		;
	return field == 0 && (i == l->n || l->p[i] == l->between) ? i - from :
								    0;
}

/* Are fields [from, to) whole numbers? */
static bool
are_numbers(const struct line *l, unsigned from, unsigned to)
{
	while (from < to && is_of("0123456789", l, from))
		from++;
	return from == to;
}

static const char *
hint_of_line(const struct line *l, bool whole)
{
	size_t letters = is_of("ACGTUNacgtun", l, 0);

	/* name flag subject position quality CIGAR */
	if (are_numbers(l, 1, 2) && are_numbers(l, 3, 5) &&
	    is_of("0123456789MIDNSHP=X*", l, 5))
		return sam;
	if (are_numbers(l, 1, 4) && is_of("+-", l, 4))
		return paf;
	if (are_numbers(l, 1, 3))
		return bed;
	if (is_of("0123456789.", l, 2) && are_numbers(l, 3, 10))
		return blast;
	if (letters && (letters == l->n || letters >= 8))
		return " (letters want a line >NAME before them; patterns go "
		       "to -q)";
	if (whole && l->n && is_of("0123456789", l, 0) == l->n)
		return phylip;
	return l->n && (memchr(l->p, '\t', l->n) || memchr(l->p, ',', l->n)) ?
	       table : "";
}

const char *
hint_of(const uint8_t *p, size_t n)
{
	struct line l;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].n && !memcmp(p, known[i].begin, known[i].n))
			return known[i].hint;
	if (n > 262 && memcmp(p + 257, "ustar", 5) == 0)
		return " (a tar archive: unpack it)";
	l = first_line(p, n);
	return hint_of_line(&l, l.n < n);
}

bool
rec_is(const uint8_t *p, size_t n)
{
	size_t len = n < REC_SYNC_LEN ? n : REC_SYNC_LEN;

	return n > 0 && memcmp(p, REC_SYNC, len) == 0;
}
