/* SPDX-License-Identifier: MIT */
/*
 * print_json.c - results as one JSON object a line
 *
 * The keys are tsv's column names.
 */

#include "base/base.h"
#include "output/output.h"

/* A byte that is no UTF-8 becomes U+FFFD, as decoders do. */
void
print_json_string(struct buf *b, struct str s)
{
	const uint8_t *p = (const uint8_t *)s.p;
	unsigned len;

	buf_u8(b, '"');
	for (size_t i = 0; i < s.n; i += len ? len : 1) {
		len = utf8_letter(p + i, s.n - i);
		if (!len)
			print_text(b, "\\ufffd");
		else if (p[i] < 0x20 || p[i] == 0x7f)
			buf_printf(b, "\\u%04x", p[i]);
		else if (p[i] == '"' || p[i] == '\\')
			buf_printf(b, "\\%c", p[i]);
		else
			buf_put(b, p + i, len);
	}
	buf_u8(b, '"');
}

void
print_json_name(struct buf *b, struct str s)
{
	print_json_string(b, s.n ? s : (struct str){ "*", 1 });
}

static void
number(struct buf *b, const char *key, bool known, uint64_t v)
{
	buf_printf(b, ",\"%s\":", key);
	if (known)
		print_u64(b, v);
	else
		print_text(b, "null");
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	print_text(b, "{\"query\":");
	print_json_name(b, h->query.name);
	number(b, "qlen", true, h->query.len);
	number(b, "qbeg", true, h->qbeg);
	number(b, "qend", true, h->qend);
	print_text(b, h->flags & HIT_MINUS ? ",\"strand\":\"-\"" :
					     ",\"strand\":\"+\"");
	print_text(b, ",\"subject\":");
	print_json_name(b, h->subject.name);
	number(b, "slen", true, h->subject.len);
	number(b, "sbeg", !(h->flags & HIT_NO_SBEG), h->sbeg);
	number(b, "send", true, h->send);
	number(b, "edits", h->flags & HIT_EDITS, h->edits);
	print_text(b, ",\"score\":");
	print_i64(b, h->score);
	if (env->scored) {
		print_text(b, ",\"offtarget_score\":");
		print_score(b, h, "null");
	}
	print_text(b, ",\"cigar\":");
	if (h->flags & HIT_CIGAR) {
		buf_u8(b, '"');
		cigar_text(b, h->cigar, h->n_cigar);
		buf_u8(b, '"');
	} else {
		print_text(b, "null");
	}
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, ",\"sseq\":");
		print_json_string(b, h->letters);
	}
	print_text(b, "}\n");
}

static void
tally(struct buf *b, const struct print_env *env, const struct tally_row *t)
{
	(void)env;
	print_text(b, "{\"query\":");
	print_json_name(b, t->query.name);
	print_text(b, t->minus ? ",\"strand\":\"-\"" : ",\"strand\":\"+\"");
	number(b, "edits", true, t->edits);
	number(b, "count", true, t->count);
	print_text(b, "}\n");
}

static void
site(struct buf *b, const struct primer_site *s)
{
	bool known = s->cigar.n != 0;

	print_text(b, ",\"site_subject\":");
	if (known)
		print_json_name(b, s->subject);
	else
		print_text(b, "null");
	print_text(b, ",\"site_strand\":");
	print_text(b, !known ? "null" : s->minus ? "\"-\"" : "\"+\"");
	number(b, "site_sbeg", known, s->sbeg);
	number(b, "site_send", known, s->send);
	number(b, "site_edits", known, s->edits);
	print_text(b, ",\"site_cigar\":");
	if (known)
		print_json_string(b, s->cigar);
	else
		print_text(b, "null");
}

static void
primer(struct buf *b, const struct print_env *env, const struct primer_row *r)
{
	(void)env;
	print_text(b, "{\"target\":");
	print_json_name(b, r->target.name);
	number(b, "beg", true, r->beg);
	number(b, "end", true, r->end);
	number(b, "length", true, r->end - r->beg);
	number(b, "k", true, r->k);
	print_text(b, ",\"sequence\":");
	print_json_string(b, r->sequence);
	print_text(b, r->minus ? ",\"strand\":\"-\"" :
				 ",\"strand\":\"+\"");
	if (r->site)
		site(b, r->site);
	print_text(b, "}\n");
}

static void
json_check(struct buf *b, const struct print_env *env,
	   const struct check_row *r)
{
	static const char *const tm[] = { ",\"tm_min\":", ",\"tm_max\":" };

	(void)env;
	print_text(b, "{\"primer\":");
	print_json_name(b, r->primer);
	number(b, "length", true, r->sequence.n);
	print_text(b, ",\"sequence\":");
	print_json_string(b, r->sequence);
	print_text(b, ",\"gc_min\":");
	print_hundredths(b, (int64_t)r->gc[0]);
	print_text(b, ",\"gc_max\":");
	print_hundredths(b, (int64_t)r->gc[1]);
	for (int i = 0; i < 2; i++) {
		print_text(b, tm[i]);
		if (r->melts)
			print_hundredths(b, r->tm[i]);
		else
			print_text(b, "null");
	}
	print_text(b, r->fails ? ",\"verdict\":\"fail\"" :
				 ",\"verdict\":\"pass\"");
	for (size_t i = 0; i < r->n_places; i++) {
		print_text(b, i ? "," : ",\"places\":[");
		print_u64(b, r->places[i]);
	}
	buf_u8(b, ']');
	site(b, &r->site);
	print_text(b, "}\n");
}

static void
real(struct buf *b, const char *key, bool known, double v)
{
	buf_printf(b, ",\"%s\":", key);
	print_real(b, known, v, "null");
}

static void
dist(struct buf *b, const struct print_env *env, const struct dist_text *r)
{
	bool some = r->row.pairs;

	(void)env;
	print_text(b, "{\"a\":");
	print_json_name(b, r->a);
	print_text(b, ",\"b\":");
	print_json_name(b, r->b);
	if (r->weighted) {
		print_text(b, ",\"pairs\":");
		print_pairs(b, &r->row);
		real(b, "mean", some, r->row.value);
		real(b, "weighted_mean", some, r->row.weighted_mean);
		real(b, "min", some && r->row.min >= 0, r->row.min);
		real(b, "max", some && r->row.max >= 0, r->row.max);
	} else {
		number(b, "alen", r->alen != LEN_UNKNOWN, r->alen);
		number(b, "blen", r->blen != LEN_UNKNOWN, r->blen);
		print_text(b, ",\"metric\":");
		print_json_string(b, r->metric);
		real(b, "value", true, r->row.value);
	}
	print_text(b, "}\n");
}

const struct print_family print_json = {
	.need = PRINT_LENGTH, .hit = hit, .tally = tally, .primer = primer,
	.dist = dist, .product = print_product_json, .check = json_check,
};
