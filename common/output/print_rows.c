/* SPDX-License-Identifier: MIT */
/*
 * print_rows.c - formats of plain rows: tsv, BED, PAF, BLAST tabular, GFF3;
 * primers as FASTA and Boulder-IO; and what all text formats share
 */

#include <math.h>
#include <stdio.h>

#include "output/output.h"

/* What the families of text formats share. */

bool
print_no_control(uint8_t c)
{
	return c >= 0x20 && c != 0x7f;
}

bool
print_no_blank(uint8_t c)
{
	return c > ' ' && c != 0x7f;
}

void
print_share(struct buf *b, uint64_t v)
{
	char digits[16];
	int n = snprintf(digits, sizeof digits, ".%09llu",
			 (unsigned long long)(v % OFFTARGET_ONE));

	print_u64(b, v / OFFTARGET_ONE);
	while (digits[n - 1] == '0')
		n--;
	buf_put(b, digits, n > 1 ? (size_t)n : 0);
}

void
print_hundredths(struct buf *b, int64_t v)
{
	uint64_t n = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	buf_printf(b, "%s%llu.%02u", v < 0 ? "-" : "",
		   (unsigned long long)(n / 100), (unsigned)(n % 100));
}

void
print_score(struct buf *b, const struct hit *h, const char *none)
{
	if (h->flags & HIT_OFFTARGET)
		print_share(b, h->offtarget);
	else
		print_text(b, none);
}

/* Mostly there is nothing to be escaped: 8 bytes at a time.  One below 0x20, or
 * then below 1, borrows its highest bit, which it had not. */
static bool
is_plain(struct str s)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x, bad = 0;
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		memcpy(&x, s.p + i, 8);
		bad |= (x - 0x20 * ones) & ~x;
		x ^= 0x7f * ones;
		bad |= (x - ones) & ~x;
	}
	if (bad & 0x80 * ones)
		return false;
	for (; i < s.n; i++)
		if (!print_no_control((uint8_t)s.p[i]))
			return false;
	return true;
}

void
print_name(struct buf *b, struct str s, bool (*plain)(uint8_t))
{
	static const char hex[] = "0123456789ABCDEF";
	size_t from = 0;

	if (s.n == 0) {
		print_text(b, "*");
		return;
	}
	if (plain == print_no_control && is_plain(s)) {
		buf_put(b, s.p, s.n);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = (uint8_t)s.p[i];
		char esc[3] = { '%', hex[c >> 4], hex[c & 15] };

		if (plain(c))
			continue;
		buf_put(b, s.p + from, i - from);
		buf_put(b, esc, sizeof esc);
		from = i + 1;
	}
	buf_put(b, s.p + from, s.n - from);
}

const char print_two[201] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

/*
 * The digits of v < 10^8, the first one in the lowest byte: halves of 4, then
 * of 2 and of 1 side by side.  10486 / 2^20 and 103 / 2^10 are 1/100 and 1/10,
 * rounded up by so little that up to 9999 and 99 nothing changes.
 */
static inline uint64_t
eight_digits(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, high;

	high = x * 10486 >> 20 & 0x0000007f0000007f;
	x = high | (x - 100 * high) << 16;
	high = x * 103 >> 10 & 0x000f000f000f000f;
	return high | (x - 10 * high) << 8;
}

/* v > 0 */
uint8_t *
print_digits(uint8_t *p, uint64_t v)
{
	const uint64_t zeros = 0x3030303030303030;
	uint64_t x = eight_digits((uint32_t)(v % 100000000));
	unsigned lead;

	if (v >= 100000000) {
		p = print_digits(p, v / 100000000);
		put_le(p, x | zeros, 8);
		return p + 8;
	}
	lead = (unsigned)__builtin_ctzll(x) / 8;
	put_le(p, (x | zeros) >> 8 * lead, 8);	/* some are too many */
	return p + 8 - lead;
}

void
print_u64(struct buf *b, uint64_t v)
{
	if (buf_reserve(b, PRINT_DIGITS))
		b->n = (size_t)(print_number(b->p + b->n, v) - b->p);
}

void
print_i64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_u8(b, '-');
	print_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The length of a hit's subject, or nothing: env->hole. */
static void
print_length(struct buf *b, const struct print_env *env, const struct hit *h)
{
	if (env->hole)
		*env->hole = b->n;
	else
		print_u64(b, h->subject.len);
}

static bool
is_query(const struct query *q, const struct query_ref *r)
{
	return q->letters.n == r->len && str_is(q->name, r->name);
}

/* As BEGIN has them. */
static struct str
letters_of(const struct print_letters *l, const struct query_ref *r)
{
	struct str s = { NULL, 0 };
	const size_t *at;

	if (r->ordinal >= l->n)
		return s;
	at = l->at + r->ordinal;
	if (at[1] - at[0] == r->len + 1)
		s = (struct str){ l->text + at[0], r->len };
	return s;
}

struct str
print_query(const struct print_env *env, const struct query_ref *r)
{
	const struct queries *q = env->pp->queries;
	struct str none = { NULL, 0 };

	if (r->len == 0)
		return none;
	if (!q)
		return letters_of(&env->letters, r);
	/* else the stream has several scans, or -q another order */
	if (r->ordinal < q->n && is_query(&q->v[r->ordinal], r))
		return q->v[r->ordinal].letters;
	for (size_t i = 0; i < q->n; i++)
		if (is_query(&q->v[i], r))
			return q->v[i].letters;
	return none;
}

void
print_real(struct buf *b, bool known, double v, const char *none)
{
	if (!known)
		print_text(b, none);
	else if (fabs(v) < 0x1p53 && v == floor(v) && !(v == 0 && signbit(v)))
		print_i64(b, (int64_t)v);	/* all digits of a number */
	else
		buf_printf(b, "%.9g", v);
}

void
print_pairs(struct buf *b, const struct dist_row *r)
{
	double tens = r->log2_pairs * log10(2);

	if (r->log2_pairs == 0)
		print_u64(b, r->pairs);
	else if (r->log2_pairs < 1023)
		buf_printf(b, "%.9g", exp2(r->log2_pairs));
	else	/* what no double holds */
		buf_printf(b, "%.9ge+%.0f", pow(10, tens - floor(tens)),
			   floor(tens));
}

/* TARGET:BEG-END as -r reads it, and /rc for the reverse complement. */
static void
print_primer_name(struct buf *b, const struct primer_row *r,
		  bool (*plain)(uint8_t))
{
	print_name(b, r->target.name, plain);
	buf_u8(b, ':');
	print_u64(b, r->beg + 1);
	buf_u8(b, '-');
	print_u64(b, r->end);
	if (r->minus)
		print_text(b, "/rc");
}

void
print_site(struct buf *b, const struct primer_site *s)
{
	if (!s)
		return;
	if (!s->cigar.n) {
		print_text(b, "\t*\t*\t*\t*\t*\t*");
		return;
	}
	buf_u8(b, '\t');
	print_name(b, s->subject, print_no_control);
	print_text(b, s->minus ? "\t-" : "\t+");
	buf_printf(b, "\t%llu\t%llu\t%llu\t", (unsigned long long)s->sbeg,
		   (unsigned long long)s->send, (unsigned long long)s->edits);
	buf_put(b, s->cigar.p, s->cigar.n);
}

void
print_clips(const struct hit *h, uint64_t *before, uint64_t *after)
{
	uint64_t rest = h->query.len > h->qend ? h->query.len - h->qend : 0;
	bool minus = h->flags & HIT_MINUS;

	*before = minus ? rest : h->qbeg;
	*after = minus ? h->qbeg : rest;
}

void
printer_put_name(struct buf *b, struct str s)
{
	print_name(b, s, print_no_control);
}

void
printer_put_json(struct buf *b, struct str s)
{
	print_json_string(b, s);
}

/* Results as tab-separated columns. */

static void
hit_head(struct buf *b, const struct print_env *env)
{
	print_text(b, "#query\tqlen\tqbeg\tqend\tstrand\tsubject\tslen\tsbeg\t"
		   "send\tedits\tscore\tcigar");
	if (env->pp->letters || env->pp->columns)
		print_text(b, "\tsseq");
	print_text(b, env->pp->columns ? "\tmismatches\tgaps\tsource\t"
					 "offtarget_score\n" :
					 "\n");
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

/* The file of the query, if it is among those that are known. */
static struct str
source_of(const struct queries *q, const struct query_ref *r)
{
	struct str file = { "", 0 };
	const struct query *v;

	if (q && r->ordinal < q->n) {
		v = &q->v[r->ordinal];
		if (str_is(v->name, r->name))
			file = (struct str){ v->where, strlen(v->where) };
	}
	return file;
}

/* Columns that only --columns names. */
static void
more_columns(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	bool known = h->flags & HIT_CIGAR;

	column(b, known, s.x);
	column(b, known, s.ins + s.del);
	print_name(b, source_of(env->pp->files, &h->query), print_no_control);
	buf_u8(b, '\t');
	print_score(b, h, "*");
}

static void
query_columns(struct buf *b, const struct hit *h)
{
	uint8_t *p;

	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, true, h->query.len);
	p = print_column(p, true, h->qbeg);
	p = print_column(p, true, h->qend);
	*p++ = '\t';
	*p++ = h->flags & HIT_MINUS ? '-' : '+';
	*p++ = '\t';
	b->n = (size_t)(p - b->p);
}

static void
place_columns(struct buf *b, const struct hit *h)
{
	uint64_t score = (uint64_t)h->score;
	uint8_t *p;

	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, !(h->flags & HIT_NO_SBEG), h->sbeg);
	p = print_column(p, true, h->send);
	p = print_column(p, h->flags & HIT_EDITS, h->edits);
	*p++ = '\t';
	if (h->score < 0)
		*p++ = '-';
	p = print_number(p, h->score < 0 ? 0 - score : score);
	*p++ = '\t';
	b->n = (size_t)(p - b->p);
}

static void
tsv_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	print_name(b, h->query.name, print_no_control);
	query_columns(b, h);
	print_name(b, h->subject.name, print_no_control);
	buf_u8(b, '\t');
	print_length(b, env, h);
	place_columns(b, h);
	cigar_text(b, h->cigar, h->flags & HIT_CIGAR ? h->n_cigar : 0);
	if (env->pp->letters || env->pp->columns) {
		struct str none = { "", 0 };

		buf_u8(b, '\t');
		print_name(b, h->flags & HIT_LETTERS ? h->letters : none,
			   print_no_control);
	}
	if (env->pp->columns) {
		buf_u8(b, '\t');
		more_columns(b, env, h);
	}
	buf_u8(b, '\n');
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
tsv_primer(struct buf *b, const struct print_env *env,
	   const struct primer_row *r)
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
tsv_check(struct buf *b, const struct print_env *env,
	  const struct check_row *r)
{
	(void)env;
	print_name(b, r->primer, print_no_control);
	buf_u8(b, '\t');
	column(b, true, r->sequence.n);
	print_name(b, r->sequence, print_no_control);
	for (int i = 0; i < 2; i++) {
		buf_u8(b, '\t');
		print_hundredths(b, (int64_t)r->gc[i]);
	}
	for (int i = 0; i < 2; i++) {
		buf_u8(b, '\t');
		if (r->melts)
			print_hundredths(b, r->tm[i]);
		else
			buf_u8(b, '*');
	}
	print_text(b, r->fails ? "\tfail" : "\tpass");
	for (size_t i = 0; i < r->n_places; i++) {
		buf_u8(b, i ? ',' : '\t');
		print_u64(b, r->places[i]);
	}
	print_site(b, &r->site);
	buf_u8(b, '\n');
}

/* The line of names. */
static void
tsv_head(struct buf *b, const struct print_env *env, unsigned table)
{
	if (!env->pp->header)
		return;
	switch (table) {
	case TABLE_COUNTS:
		print_text(b, "#query\tstrand\tedits\tcount\n");
		break;
	case TABLE_PRIMERS:
		print_text(b, "#target\tbeg\tend\tlength\tk\tsequence\t"
			   "strand");
		print_text(b, env->pp->sites ?
			   "\tsite_subject\tsite_strand\tsite_sbeg\t"
			   "site_send\tsite_edits\tsite_cigar\n" : "\n");
		break;
	case TABLE_DISTS:
		print_text(b, "#a\tb\talen\tblen\tmetric\tvalue\n");
		break;
	case TABLE_WEIGHTED:
		print_text(b, "#a\tb\tpairs\tmean\tweighted_mean\tmin\t"
			   "max\n");
		break;
	case TABLE_PRODUCTS: print_product_head(b, env); break;
	case TABLE_CHECKS:
		print_text(b, "#primer\tlength\tsequence\tgc_min\tgc_max\t"
			   "tm_min\ttm_max\tverdict\tplaces\tsite_subject\t"
			   "site_strand\tsite_sbeg\tsite_send\tsite_edits\t"
			   "site_cigar\n");
		break;
	default: hit_head(b, env);
	}
}

static void
tsv_dist(struct buf *b, const struct print_env *env, const struct dist_text *r)
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
	.need = PRINT_LENGTH, .early = true,
	.head = tsv_head, .hit = tsv_hit, .tally = tally, .primer = tsv_primer,
	.dist = tsv_dist, .product = print_product_tsv, .check = tsv_check,
};

/* Hits as BED, six columns; primers with more. */

/*
 * The score column holds 0 to 1000: the score, or, where scores are negative
 * (asm-scan: minus the edits), their distance from 0.
 */
static uint64_t
bed_score(int64_t score)
{
	if (score > 1000 || score < -1000)
		return 1000;
	return (uint64_t)(score < 0 ? -score : score);
}

/* What begins with # is a comment to all that read BED. */
void
print_bed_id(struct buf *b, struct str s)
{
	if (s.n && *s.p == '#') {
		print_text(b, "%23");
		s = (struct str){ s.p + 1, s.n - 1 };
		if (!s.n)
			return;
	}
	print_name(b, s, print_no_control);
}

/* Seven columns more of a site of a guide, * for what is not known. */
static void
bed_site(struct buf *b, const struct hit *h, const struct print_site_facts *f)
{
	bool cigar = h->flags & HIT_CIGAR;
	uint8_t *p;

	buf_u8(b, '\t');
	print_text(b, cigar ? print_bulge(&f->cigar) : "*");
	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, cigar, f->cigar.x);
	p = print_column(p, cigar, f->cigar.del);
	p = print_column(p, cigar, f->cigar.ins);
	p = print_column(p, f->cut_known, f->cut);
	*p++ = '\t';
	b->n = (size_t)(p - b->p);
	print_name(b, f->pam, print_no_control);
	buf_u8(b, '\t');
	print_score(b, h, "*");
}

static void
bed_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct print_site_facts f;
	uint8_t *p;

	if (hit_over_origin(h)) {	/* as topk_params.split, unsorted */
		struct hit x = *h;

		x.flags |= HIT_PIECE;
		x.qbeg = h->sbeg;
		x.qend = h->send;
		x.send = x.subject.len;
		bed_hit(b, env, &x);
		x.sbeg = 0;
		x.send = h->send - x.subject.len;
		bed_hit(b, env, &x);
		return;
	}
	print_bed_id(b, h->subject.name);
	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, true, h->sbeg);
	p = print_column(p, true, h->send);
	*p++ = '\t';
	b->n = (size_t)(p - b->p);
	print_name(b, h->query.name, print_no_control);
	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, true, bed_score(h->score));
	*p++ = '\t';
	*p++ = h->flags & HIT_MINUS ? '-' : '+';
	b->n = (size_t)(p - b->p);
	if (print_site_facts(env, h, &f))
		bed_site(b, h, &f);
	buf_u8(b, '\n');
}

static void
bed_primer(struct buf *b, const struct print_env *env,
	   const struct primer_row *r)
{
	(void)env;
	print_bed_id(b, r->target.name);
	buf_u8(b, '\t');
	print_u64(b, r->beg);
	buf_u8(b, '\t');
	print_u64(b, r->end);
	buf_u8(b, '\t');
	print_primer_name(b, r, print_no_control);
	buf_u8(b, '\t');
	print_u64(b, r->k < 1000 ? r->k : 1000);
	print_text(b, r->minus ? "\t-\t" : "\t+\t");
	print_name(b, r->sequence, print_no_control);
	print_site(b, r->site);
	buf_u8(b, '\n');
}

const struct print_family print_bed = {
	.need = PRINT_NOTHING, .early = true, .wants_start = true,
	.sites = true, .hit = bed_hit, .primer = bed_primer,
	.product = print_product_bed,
};

/* Hits as PAF with NM:i, AS:i and cg:Z. */

/* PAF describes the aligned part only: clips follow from qbeg and qend. */
static void
aligned_cigar(struct buf *b, const struct hit *h)
{
	const uint32_t *ops = h->cigar;
	size_t n = h->n_cigar;

	while (n && (ops[0] & 15) == CIGAR_S)
		ops++, n--;
	while (n && (ops[n - 1] & 15) == CIGAR_S)
		n--;
	if (!n)
		return;
	print_text(b, "\tcg:Z:");
	cigar_text(b, ops, n);
}

static void
paf_columns(struct buf *b, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		buf_u8(b, '\t');
		print_u64(b, v[i]);
	}
}

static void
paf_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	uint64_t paired = s.query - s.clip - s.ins;	/* = X M */
	uint64_t query[] = { h->query.len, h->qbeg, h->qend };
	uint64_t subject[] = { h->sbeg, h->send, paired - s.x };

	print_name(b, h->query.name, print_no_control);
	paf_columns(b, query, 3);
	print_text(b, h->flags & HIT_MINUS ? "\t-\t" : "\t+\t");
	print_name(b, h->subject.name, print_no_control);
	buf_u8(b, '\t');
	print_length(b, env, h);
	paf_columns(b, subject, 3);
	buf_u8(b, '\t');
	print_u64(b, paired + s.ins + s.del);
	print_text(b, "\t255\tNM:i:");
	print_u64(b, s.x + s.ins + s.del);
	print_text(b, "\tAS:i:");
	print_i64(b, h->score);
	aligned_cigar(b, h);
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, "\tss:Z:");
		print_name(b, h->letters, print_no_control);
	}
	buf_u8(b, '\n');
}

const struct print_family print_paf = {
	.need = PRINT_LENGTH, .early = true, .wants_start = true,
	.wants_cigar = true, .hit = paf_hit,
};

/*
 * Hits as BLAST's tabular columns, -outfmt 6
 *
 * Source: Karlin and Altschul, PNAS 87, 1990.  With m letters of the query and
 * n of the run, score S has E = K m n exp(-lambda S) and
 * (lambda S - ln K) / ln 2 bits.  Where these hold for even scores only, BLAST
 * rounds an odd one down for E, and not for its bits.
 */

/* BLAST's digits: a number this small is no number to read. */
static void
print_evalue(struct buf *b, double v)
{
	if (v < 1e-180)
		print_text(b, "0.0");
	else if (v < 0.0009)
		buf_printf(b, "%.2e", v);
	else if (v < 0.1)
		buf_printf(b, "%.3f", v);
	else if (v < 1)
		buf_printf(b, "%.2f", v);
	else if (v < 10)
		buf_printf(b, "%.1f", v);
	else
		buf_printf(b, v < 1e6 ? "%.0f" : "%.2e", v);
}

static void
statistics(struct buf *b, const struct print_stats *s, const struct hit *h)
{
	int64_t odd = s->even && h->score & 1;	/* -3 & 1 is 1 */
	double x = s->lambda * (double)(h->score - odd);
	double bits = (s->lambda * (double)h->score - log(s->k)) / log(2);

	if (s->lambda == 0) {
		print_text(b, "*\t*\n");
		return;
	}
	print_evalue(b, s->k * (double)h->query.len * (double)s->letters *
			exp(-x));
	buf_printf(b, bits < 1e5 ? "\t%.1f\n" : "\t%.3e\n", bits);
}

static void
blast6_columns(struct buf *b, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		print_u64(b, v[i]);
		buf_u8(b, '\t');
	}
}

static void
blast6_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	uint64_t paired = s.query - s.clip - s.ins;	/* = X M */
	uint64_t length = paired + s.ins + s.del;
	bool minus = h->flags & HIT_MINUS;
	uint64_t v[] = { length, s.x, s.gaps, h->qbeg + 1, h->qend,
			 minus ? h->send : h->sbeg + 1,
			 minus ? h->sbeg + 1 : h->send };

	print_name(b, h->query.name, print_no_blank);
	buf_u8(b, '\t');
	print_name(b, h->subject.name, print_no_blank);
	/* a CIGAR has an operation, but it may be S alone */
	buf_printf(b, "\t%.3f\t", length ?
		   100 * (double)(paired - s.x) / (double)length : 0.0);
	blast6_columns(b, v, sizeof v / sizeof *v);
	statistics(b, &env->stats, h);
}

const struct print_family print_blast6 = {
	.need = PRINT_STATS, .wants_start = true, .wants_cigar = true,
	.hit = blast6_hit,
};

/* Hits and primers as GFF3 (Sequence Ontology, version 1.26). */

static bool
is_alnum(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* Column 1: the letters that the specification allows unescaped. */
bool
print_gff3_id(uint8_t c)
{
	return is_alnum(c) || (c && strchr(".:^*$@!+_?-|", c));
}

/* Attribute values; a blank would also split Target. */
bool
print_gff3_value(uint8_t c)
{
	return c > 0x20 && c != 0x7f && !strchr("%;=&,", c);
}

/* Once, before the first feature. */
static void
gff3_head(struct buf *b, const struct print_env *env, unsigned table)
{
	if (!env->id && table & (TABLE_HITS | TABLE_COUNTS | TABLE_PRIMERS |
				 TABLE_PRODUCTS))
		print_text(b, "##gff-version 3\n");
}

void
print_circle(struct buf *b, struct str name, uint64_t length)
{
	print_name(b, name, print_gff3_id);
	buf_printf(b, "\tseqfilters\tregion\t1\t%llu\t.\t+\t.\tID=",
		   (unsigned long long)length);
	print_name(b, name, print_gff3_value);
	print_text(b, ";Is_circular=true\n");
}

void
print_region(struct buf *b, struct str name, uint64_t length)
{
	print_text(b, "##sequence-region ");
	print_name(b, name, print_gff3_id);
	buf_printf(b, " 1 %llu\n", (unsigned long long)length);
}

/* The alignment without what is not aligned: M is = or X, I is of the Target
 * only, D of the sequence only. */
static void
gap(struct buf *b, const struct hit *h)
{
	static const char letter[] = "MID????MM";
	uint64_t n = 0;
	bool any = false;

	for (size_t i = 0; i < h->n_cigar; i++) {
		unsigned op = h->cigar[i] & 15;
		bool more = i + 1 < h->n_cigar;

		if (op == CIGAR_S)
			continue;
		n += h->cigar[i] >> 4;
		if (more && (h->cigar[i + 1] & 15) != CIGAR_S &&
		    letter[h->cigar[i + 1] & 15] == letter[op])
			continue;
		buf_printf(b, "%s%c%llu", any ? " " : ";Gap=", letter[op],
			   (unsigned long long)n);
		any = true;
		n = 0;
	}
}

void
print_gff3_cigar(struct buf *b, const uint32_t *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned op = ops[i] & 15;

		print_u64(b, ops[i] >> 4);
		if (op == CIGAR_EQ)
			print_text(b, "%3D");
		else
			buf_u8(b, (uint8_t)"MIDNSHP=X???????"[op]);
	}
}

static void
attributes(struct buf *b, const struct print_env *env, const struct hit *h)
{
	buf_printf(b, "ID=hit%llu;Name=", (unsigned long long)env->id);
	print_name(b, h->query.name, print_gff3_value);
	/* Nothing of the query is aligned: a Target would have no place. */
	if (h->qbeg < h->qend) {
		print_text(b, ";Target=");
		print_name(b, h->query.name, print_gff3_value);
		buf_printf(b, " %llu %llu", (unsigned long long)h->qbeg + 1,
			   (unsigned long long)h->qend);
		if (h->flags & HIT_CIGAR)
			gap(b, h);
	}
	if (h->flags & HIT_EDITS)
		buf_printf(b, ";edits=%llu", (unsigned long long)h->edits);
	if (h->flags & HIT_CIGAR) {
		print_text(b, ";cigar=");
		print_gff3_cigar(b, h->cigar, h->n_cigar);
	}
	if (env->pp->letters && h->flags & HIT_LETTERS) {
		print_text(b, ";sseq=");
		print_name(b, h->letters, print_gff3_value);
	}
	buf_u8(b, '\n');
}

static void
gff3_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct str source = { env->source, strlen(env->source) };
	/* An empty place has equal ends, and lies right of the letter named. */
	uint64_t beg = h->sbeg < h->send ? h->sbeg + 1 : h->send;

	print_name(b, h->subject.name, print_gff3_id);
	buf_u8(b, '\t');
	print_name(b, source, print_gff3_id);
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
	print_name(b, s->subject, print_gff3_value);
	buf_printf(b, ";site_strand=%c;site_sbeg=%llu;site_send=%llu;"
		   "site_edits=%llu;site_cigar=", s->minus ? '-' : '+',
		   (unsigned long long)s->sbeg, (unsigned long long)s->send,
		   (unsigned long long)s->edits);
	print_name(b, s->cigar, print_gff3_value);
}

static void
gff3_primer(struct buf *b, const struct print_env *env,
	    const struct primer_row *r)
{
	struct str source = { env->source, strlen(env->source) };

	print_name(b, r->target.name, print_gff3_id);
	buf_u8(b, '\t');
	print_name(b, source, print_gff3_id);
	buf_printf(b, "\tprimer\t%llu\t%llu\t.\t%c\t.\tID=primer%llu;Name=",
		   (unsigned long long)r->beg + 1, (unsigned long long)r->end,
		   r->minus ? '-' : '+', (unsigned long long)env->id);
	print_primer_name(b, r, print_gff3_value);
	buf_printf(b, ";k=%llu;sequence=", (unsigned long long)r->k);
	print_name(b, r->sequence, print_gff3_value);
	site(b, r->site);
	buf_u8(b, '\n');
}

const struct print_family print_gff3 = {
	.need = PRINT_LENGTH, .wants_start = true,
	.head = gff3_head, .hit = gff3_hit, .primer = gff3_primer,
	.product = print_product_gff3,
};

/* Primers as Boulder-IO, records for primer3 to check. */

static void
boulder_primer(struct buf *b, const struct print_env *env,
	       const struct primer_row *r)
{
	(void)env;
	print_text(b, "SEQUENCE_ID=");
	print_primer_name(b, r, print_no_control);
	print_text(b, r->minus ? "\nSEQUENCE_PRIMER_REVCOMP=" :
				 "\nSEQUENCE_PRIMER=");
	print_name(b, r->sequence, print_no_control);
	print_text(b, "\nPRIMER_TASK=check_primers\n=\n");
}

const struct print_family print_boulder = {
	.need = PRINT_NOTHING, .primer = boulder_primer,
};

/* Primers as FASTA, each on a line. */

/* A blank would end the name. */

static void
fasta_primer(struct buf *b, const struct print_env *env,
	     const struct primer_row *r)
{
	(void)env;
	buf_u8(b, '>');
	print_primer_name(b, r, print_no_blank);
	buf_printf(b, " k=%llu length=%llu\n", (unsigned long long)r->k,
		   (unsigned long long)(r->end - r->beg));
	print_name(b, r->sequence, print_no_blank);
	buf_u8(b, '\n');
}

const struct print_family print_fasta = {
	.need = PRINT_NOTHING, .primer = fasta_primer,
	.product = print_product_fasta,
};
