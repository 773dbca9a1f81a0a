/* SPDX-License-Identifier: MIT */
/* print_tsv.c - results as tab-separated columns */
#include "stream/print.h"

static void
hit_head(struct buf *b, const struct print_env *env)
{
	if (!env->pp->header)
		return;
	print_text(b, "#query\tqlen\tqbeg\tqend\tstrand\tsubject\tslen\tsbeg\t"
		   "send\tedits\tscore\tcigar");
	print_text(b, env->pp->letters ? "\tsseq\n" : "\n");
}

/* A number and the tab behind it, or * if it is not known. */
static void
column(struct buf *b, bool known, uint64_t v)
{
	if (known)
		print_u64(b, v);
	else
		buf_u8(b, '*');
	buf_u8(b, '\t');
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	print_name(b, h->query.name, print_no_control);
	buf_u8(b, '\t');
	column(b, true, h->query.len);
	column(b, true, h->qbeg);
	column(b, true, h->qend);
	print_text(b, h->flags & HIT_MINUS ? "-\t" : "+\t");
	print_name(b, h->subject.name, print_no_control);
	buf_u8(b, '\t');
	column(b, true, h->subject.len);
	column(b, !(h->flags & HIT_NO_SBEG), h->sbeg);
	column(b, true, h->send);
	column(b, h->flags & HIT_EDITS, h->edits);
	print_i64(b, h->score);
	buf_u8(b, '\t');
	cigar_text(b, h->cigar, h->flags & HIT_CIGAR ? h->n_cigar : 0);
	if (env->pp->letters) {
		struct str none = { "", 0 };

		buf_u8(b, '\t');
		print_name(b, h->flags & HIT_LETTERS ? h->letters : none,
			   print_no_control);
	}
	buf_u8(b, '\n');
}

static void
tally_head(struct buf *b, const struct print_env *env)
{
	if (env->pp->header)
		print_text(b, "#query\tstrand\tedits\tcount\n");
}

static void
tally(struct buf *b, const struct print_env *env, const struct tally_row *t)
{
	(void)env;
	print_name(b, t->query.name, print_no_control);
	print_text(b, t->minus ? "\t-\t" : "\t+\t");
	column(b, true, t->edits);
	print_u64(b, t->count);
	buf_u8(b, '\n');
}

static void
primer_head(struct buf *b, const struct print_env *env)
{
	if (env->pp->header)
		print_text(b, "#target\tbeg\tend\tlength\tk\tsequence\t"
			   "strand");
	if (env->pp->header && env->pp->sites)
		print_text(b, "\tsite_subject\tsite_strand\tsite_sbeg\t"
			   "site_send\tsite_edits\tsite_cigar");
	if (env->pp->header)
		buf_u8(b, '\n');
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)env;
	print_name(b, r->target.name, print_no_control);
	buf_u8(b, '\t');
	column(b, true, r->beg);
	column(b, true, r->end);
	column(b, true, r->end - r->beg);
	column(b, true, r->k);
	print_name(b, r->sequence, print_no_control);
	print_text(b, r->minus ? "\t-" : "\t+");
	print_site(b, r->site);
	buf_u8(b, '\n');
}

static void
dist_head(struct buf *b, const struct print_env *env, bool weighted)
{
	if (env->pp->header)
		print_text(b, weighted ? "#a\tb\tpairs\tmean\tweighted_mean\t"
					 "min\tmax\n" :
					 "#a\tb\talen\tblen\tmetric\tvalue\n");
}

static void
dist(struct buf *b, const struct print_env *env, const struct dist_text *r)
{
	const double v[4] = { r->row.value, r->row.weighted_mean, r->row.min,
			      r->row.max };

	(void)env;
	print_name(b, r->a, print_no_control);
	buf_u8(b, '\t');
	print_name(b, r->b, print_no_control);
	buf_u8(b, '\t');
	if (r->weighted) {
		print_pairs(b, &r->row);
		for (unsigned i = 0; i < 4; i++) {
			buf_u8(b, '\t');
			print_real(b, r->row.pairs && v[i] >= 0, v[i], "*");
		}
	} else {
		column(b, r->alen != LEN_UNKNOWN, r->alen);
		column(b, r->blen != LEN_UNKNOWN, r->blen);
		print_name(b, r->metric, print_no_control);
		buf_u8(b, '\t');
		print_real(b, true, r->row.value, "*");
	}
	buf_u8(b, '\n');
}

const struct print_family print_tsv = {
	.need = PRINT_LENGTH,
	.hit_head = hit_head, .hit = hit,
	.tally_head = tally_head, .tally = tally,
	.primer_head = primer_head, .primer = primer,
	.dist_head = dist_head, .dist = dist,
};
