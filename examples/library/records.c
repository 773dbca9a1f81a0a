/* SPDX-License-Identifier: MIT */
/*
 * records.c - what a stream holds, as lines: hits, counts, pieces of sequences
 *
 *	fasta-chunk genome.fa.gz | asm-scan -k 2 -q guides.fa | records
 */
#include <inttypes.h>
#include <stdio.h>

#include <seqfilters.h>

static void
text(struct seqf_text t)
{
	printf("%.*s\t", (int)t.n, t.p ? t.p : "");
}

static void
show(const struct seqf_record *x)
{
	const struct seqf_hit *h = &x->u.hit;
	const struct seqf_piece *p = &x->u.piece;
	const struct seqf_count *c = &x->u.count;

	if (x->kind == SEQF_HIT) {
		text(h->query);
		printf("%c\t", h->minus ? '-' : '+');
		text(h->subject);
		printf("%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%s\n",
		       h->ends_only ? h->subject_end : h->subject_beg,
		       h->subject_end, h->score, h->cigar ? h->cigar : "*");
	} else if (x->kind == SEQF_PIECE) {
		text(p->name);
		printf("%" PRIu64 "\t%" PRIu64 "\t%.*s\n", p->own_beg,
		       p->own_end, (int)(p->own_end - p->own_beg),
		       p->letters + (p->own_beg - p->beg));
	} else if (x->kind == SEQF_COUNT) {
		text(c->query);
		printf("%c\t%" PRIu64 "\t%" PRIu64 "\n", c->minus ? '-' : '+',
		       c->edits, c->count);
	}
}

int
main(int argc, char **argv)
{
	struct seqf_reader *in;
	struct seqf_record x;
	struct seqf_error e;
	int rc = seqf_open(&in, (const char *const *)argv + 1,
			   (size_t)argc - 1, &e);

	while (rc >= 0 && (rc = seqf_next(in, &x, &e)) > 0)
		show(&x);
	if (rc < 0)
		fprintf(stderr, "records: %s\n", e.text);
	seqf_close(in);
	return rc < 0 ? seqf_exit(e.code) : 0;
}
