/* SPDX-License-Identifier: MIT */
/* print_gff3.c - hits and primers as GFF3 (Sequence Ontology, version 1.26) */
#include "stream/print.h"

static bool
is_alnum(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* Column 1: the letters that the specification allows unescaped. */
static bool
plain_id(uint8_t c)
{
	return is_alnum(c) || (c && strchr(".:^*$@!+_?-|", c));
}

/* Attribute values; a blank would also split Target. */
static bool
plain_value(uint8_t c)
{
	return c > 0x20 && c != 0x7f && !strchr("%;=&,", c);
}

static void
head(struct buf *b, const struct print_env *env)
{
	(void)env;
	print_text(b, "##gff-version 3\n");
}

static void
attributes(struct buf *b, const struct print_env *env, const struct hit *h)
{
	print_text(b, "Name=");
	print_name(b, h->query.name, plain_value);
	/* Nothing of the query is aligned: a Target would have no place. */
	if (h->qbeg < h->qend) {
		print_text(b, ";Target=");
		print_name(b, h->query.name, plain_value);
		buf_printf(b, " %llu %llu", (unsigned long long)h->qbeg + 1,
			   (unsigned long long)h->qend);
	}
	if (h->flags & HIT_EDITS)
		buf_printf(b, ";edits=%llu", (unsigned long long)h->edits);
	if (h->flags & HIT_CIGAR) {
		print_text(b, ";cigar=");
		/* '=' has a meaning in this column: it is %3D */
		for (size_t i = 0; i < h->n_cigar; i++) {
			unsigned op = h->cigar[i] & 15;

			print_u64(b, h->cigar[i] >> 4);
			if (op == CIGAR_EQ)
				print_text(b, "%3D");
			else
				buf_u8(b, (uint8_t)"MIDNSHP=X???????"[op]);
		}
	}
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, ";sseq=");
		print_name(b, h->letters, plain_value);
	}
	buf_u8(b, '\n');
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct str source = { env->source, strlen(env->source) };
	/* An empty place has equal ends, and lies right of the letter named. */
	uint64_t beg = h->sbeg < h->send ? h->sbeg + 1 : h->send;

	print_name(b, h->subject.name, plain_id);
	buf_u8(b, '\t');
	print_name(b, source, plain_id);
	print_text(b, "\tmatch\t");
	print_u64(b, beg ? beg : 1);
	buf_u8(b, '\t');
	print_u64(b, h->send ? h->send : 1);
	buf_u8(b, '\t');
	print_i64(b, h->score);
	print_text(b, h->flags & HIT_MINUS ? "\t-\t.\t" : "\t+\t.\t");
	attributes(b, env, h);
}

/* Places as in other formats; none where there is no site. */
static void
site(struct buf *b, const struct primer_site *s)
{
	if (!s || !s->cigar.n)
		return;
	print_text(b, ";site_subject=");
	print_name(b, s->subject, plain_value);
	buf_printf(b, ";site_strand=%c;site_sbeg=%llu;site_send=%llu;"
		   "site_edits=%llu;site_cigar=", s->minus ? '-' : '+',
		   (unsigned long long)s->sbeg, (unsigned long long)s->send,
		   (unsigned long long)s->edits);
	print_name(b, s->cigar, plain_value);
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	struct str source = { env->source, strlen(env->source) };

	print_name(b, r->target.name, plain_id);
	buf_u8(b, '\t');
	print_name(b, source, plain_id);
	buf_printf(b, "\tprimer\t%llu\t%llu\t.\t%c\t.\tName=",
		   (unsigned long long)r->beg + 1, (unsigned long long)r->end,
		   r->minus ? '-' : '+');
	print_primer_name(b, r, plain_value);
	buf_printf(b, ";k=%llu;sequence=", (unsigned long long)r->k);
	print_name(b, r->sequence, plain_value);
	site(b, r->site);
	buf_u8(b, '\n');
}

const struct print_family print_gff3 = {
	.need = PRINT_NOTHING, .wants_start = true,
	.hit_head = head, .hit = hit,
	.primer_head = head, .primer = primer,
};
