/* SPDX-License-Identifier: MIT */
/* print_product.c - products of PCR as tsv, BED, GFF3, FASTA and JSON */

#include "letters/letters.h"
#include "output/print.h"

static uint64_t
total(const struct product_row *r)
{
	return r->f.edits + r->r.edits;
}

static void
column(struct buf *b, uint64_t v)
{
	print_u64(b, v);
	buf_u8(b, '\t');
}

static const char *
strand(const struct product_row *r)
{
	return r->minus ? "-" : "+";
}

void
print_product_tsv_head(struct buf *b, const struct print_env *env)
{
	if (env->pp->header)
		print_text(b, "#pair\tsubject\tstrand\tbeg\tend\tlength\t"
			   "f_edits\tr_edits\tf_cigar\tr_cigar");
	if (env->pp->header && env->pp->probes)
		print_text(b, "\tprobe\tprobe_strand\tprobe_beg\tprobe_end\t"
			   "probe_edits");
	if (env->pp->header && env->pp->outer)
		print_text(b, "\touter\touter_beg\touter_end");
	if (env->pp->header)
		print_text(b, env->pp->letters ? "\tsseq\n" : "\n");
}

static void
tsv_places(struct buf *b, const struct print_env *env,
	   const struct product_row *r)
{
	if (env->pp->probes) {
		buf_u8(b, '\t');
		print_name(b, r->probe.name, print_no_control);
		print_text(b, r->probe.minus ? "\t-\t" : "\t+\t");
		column(b, r->probe.beg);
		column(b, r->probe.end);
		print_u64(b, r->probe.edits);
	}
	if (env->pp->outer) {
		buf_u8(b, '\t');
		print_name(b, r->outer.name, print_no_control);
		buf_u8(b, '\t');
		column(b, r->outer.beg);
		print_u64(b, r->outer.end);
	}
}

void
print_product_tsv(struct buf *b, const struct print_env *env,
		  const struct product_row *r)
{
	print_name(b, r->pair, print_no_control);
	buf_u8(b, '\t');
	print_name(b, r->subject, print_no_control);
	buf_printf(b, "\t%s\t", strand(r));
	column(b, r->beg);
	column(b, r->end);
	column(b, r->end - r->beg);
	column(b, r->f.edits);
	column(b, r->r.edits);
	cigar_text(b, r->f.cigar, r->f.n_cigar);
	buf_u8(b, '\t');
	cigar_text(b, r->r.cigar, r->r.n_cigar);
	tsv_places(b, env, r);
	if (env->pp->letters) {
		buf_u8(b, '\t');
		print_name(b, r->letters, print_no_control);
	}
	buf_u8(b, '\n');
}

/* Six columns; the score is the differences of both primers. */
void
print_product_bed(struct buf *b, const struct print_env *env,
		  const struct product_row *r)
{
	(void)env;
	print_bed_id(b, r->subject);
	buf_u8(b, '\t');
	column(b, r->beg);
	column(b, r->end);
	print_name(b, r->pair, print_no_control);
	buf_u8(b, '\t');
	column(b, total(r) < 1000 ? total(r) : 1000);
	buf_printf(b, "%s\n", strand(r));
}

static void
gff3_primer(struct buf *b, const char *name, const struct product_primer *p)
{
	buf_printf(b, ";%s_edits=%llu;%s_cigar=", name,
		   (unsigned long long)p->edits, name);
	print_gff3_cigar(b, p->cigar, p->n_cigar);
}

void
print_product_gff3(struct buf *b, const struct print_env *env,
		   const struct product_row *r)
{
	print_name(b, r->subject, print_gff3_id);
	buf_printf(b, "\t%s\tPCR_product\t%llu\t%llu\t%llu\t%s\t.\t"
		   "ID=product%llu;Name=",
		   env->pp->prog ? env->pp->prog : "seqfilters",
		   (unsigned long long)r->beg + 1, (unsigned long long)r->end,
		   (unsigned long long)total(r), strand(r),
		   (unsigned long long)env->id);
	print_name(b, r->pair, print_gff3_value);
	gff3_primer(b, "f", &r->f);
	gff3_primer(b, "r", &r->r);
	if (env->pp->probes) {
		print_text(b, ";probe=");
		print_name(b, r->probe.name, print_gff3_value);
		buf_printf(b, ";probe_strand=%s;probe_beg=%llu;probe_end=%llu;"
			   "probe_edits=%llu", r->probe.minus ? "-" : "+",
			   (unsigned long long)r->probe.beg,
			   (unsigned long long)r->probe.end,
			   (unsigned long long)r->probe.edits);
	}
	if (env->pp->outer) {
		print_text(b, ";outer=");
		print_name(b, r->outer.name, print_gff3_value);
		buf_printf(b, ";outer_beg=%llu;outer_end=%llu",
			   (unsigned long long)r->outer.beg,
			   (unsigned long long)r->outer.end);
	}
	if (env->pp->letters && r->letters.p) {
		print_text(b, ";sseq=");
		print_name(b, r->letters, print_gff3_value);
	}
	buf_u8(b, '\n');
}

/* A blank would end the name. */
static bool
plain(uint8_t c)
{
	return c > ' ' && c != 0x7f;
}

/* From the forward primer to the reverse one; the place as -r reads it. */
void
print_product_fasta(struct buf *b, const struct print_env *env,
		    const struct product_row *r)
{
	enum { LINE = 60 };
	size_t n = r->letters.n;

	(void)env;
	buf_u8(b, '>');
	print_name(b, r->pair, plain);
	buf_u8(b, ' ');
	print_name(b, r->subject, plain);
	buf_printf(b, ":%llu-%llu", (unsigned long long)r->beg + 1,
		   (unsigned long long)min_u64(r->end, r->slen));
	if (r->end > r->slen) {	/* over a circle's origin */
		buf_u8(b, ',');
		print_name(b, r->subject, plain);
		buf_printf(b, ":1-%llu",
			   (unsigned long long)(r->end - r->slen));
	}
	buf_printf(b, "%s length=%llu edits=%llu,%llu", r->minus ? "/rc" : "",
		   (unsigned long long)n,
		   (unsigned long long)r->f.edits,
		   (unsigned long long)r->r.edits);
	for (size_t i = 0; i < n; i++) {
		if (i % LINE == 0)
			buf_u8(b, '\n');
		buf_u8(b, r->minus ?
		       dna_complement((uint8_t)r->letters.p[n - 1 - i]) :
		       (uint8_t)r->letters.p[i]);
	}
	buf_u8(b, '\n');
}

static void
json_primer(struct buf *b, const char *name, const struct product_primer *p)
{
	buf_printf(b, ",\"%s_edits\":%llu,\"%s_cigar\":\"", name,
		   (unsigned long long)p->edits, name);
	cigar_text(b, p->cigar, p->n_cigar);
	buf_u8(b, '"');
}

void
print_product_json(struct buf *b, const struct print_env *env,
		   const struct product_row *r)
{
	print_text(b, "{\"pair\":");
	print_json_name(b, r->pair);
	print_text(b, ",\"subject\":");
	print_json_name(b, r->subject);
	buf_printf(b, ",\"strand\":\"%s\",\"beg\":%llu,\"end\":%llu,"
		   "\"length\":%llu", strand(r), (unsigned long long)r->beg,
		   (unsigned long long)r->end,
		   (unsigned long long)(r->end - r->beg));
	json_primer(b, "f", &r->f);
	json_primer(b, "r", &r->r);
	if (env->pp->probes) {
		print_text(b, ",\"probe\":");
		print_json_string(b, r->probe.name);
		buf_printf(b, ",\"probe_strand\":\"%s\",\"probe_beg\":%llu,"
			   "\"probe_end\":%llu,\"probe_edits\":%llu",
			   r->probe.minus ? "-" : "+",
			   (unsigned long long)r->probe.beg,
			   (unsigned long long)r->probe.end,
			   (unsigned long long)r->probe.edits);
	}
	if (env->pp->outer) {
		print_text(b, ",\"outer\":");
		print_json_string(b, r->outer.name);
		buf_printf(b, ",\"outer_beg\":%llu,\"outer_end\":%llu",
			   (unsigned long long)r->outer.beg,
			   (unsigned long long)r->outer.end);
	}
	if (env->pp->letters && r->letters.p) {
		print_text(b, ",\"sseq\":");
		print_json_string(b, r->letters);
	}
	print_text(b, "}\n");
}
