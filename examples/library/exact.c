/* SPDX-License-Identifier: MIT */
/*
 * exact.c - a scanner of one's own: where words occur as they are
 *
 *	fasta-chunk genome.fa.gz | exact GGATCC GAATTC | merge-topk -O tsv
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <seqfilters.h>

static struct seqf_query word[100];
static struct seqf_scanner *scan;

static void
die(const struct seqf_error *e)
{
	fprintf(stderr, "exact: %s\n", e->text);
	seqf_scan_abort(scan);
	exit(seqf_exit(e->code));
}

/* All places of word i that end in what the piece owns. */
static void
search(const struct seqf_piece *p, size_t i)
{
	size_t m = strlen(word[i].letters);
	const char *at = p->letters;
	char cigar[30];
	struct seqf_error e;

	snprintf(cigar, sizeof cigar, "%zu=", m);
	for (; (at = strstr(at, word[i].letters)); at++) {
		struct seqf_hit h = {
			.query_number = i, .query_end = m, .cigar = cigar,
			.subject_beg = p->beg + (size_t)(at - p->letters),
		};

		h.subject_end = h.subject_beg + m;
		if (h.subject_end > p->own_beg && h.subject_end <= p->own_end &&
		    seqf_scan_hit(scan, &h, &e) < 0)
			die(&e);
	}
}

int
main(int argc, char **argv)
{
	struct seqf_search what = {
		.program = "exact", .version = "1", .query = word,
	};
	struct seqf_piece piece;
	struct seqf_error e;
	int rc;

	for (int i = 1; i < argc && i <= 100; i++) {
		word[i - 1] = (struct seqf_query){ argv[i], argv[i] };
		what.n_queries = (size_t)i;
		if (strlen(argv[i]) > what.context)
			what.context = strlen(argv[i]);
	}
	if (seqf_scan_open(&scan, &what, NULL, 0, NULL, &e) < 0)
		die(&e);
	while ((rc = seqf_scan_next(scan, &piece, &e)) > 0)
		for (size_t i = 0; i < what.n_queries; i++)
			search(&piece, i);
	if (rc < 0)
		die(&e);
	rc = seqf_scan_close(scan, &e);
	scan = NULL;
	if (rc < 0)
		die(&e);
	return 0;
}
