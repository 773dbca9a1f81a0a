/* SPDX-License-Identifier: MIT */
/* print.c - what the families of text formats share */

#include <math.h>
#include <stdio.h>

#include "output/print.h"

bool
print_no_control(uint8_t c)
{
	return c >= 0x20 && c != 0x7f;
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

void
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
	return q->letters.n == r->len && q->name.n == r->name.n &&
	       memcmp(q->name.p, r->name.p, r->name.n) == 0;
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

void
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

struct str
begin_value(const struct begin *b, const char *key)
{
	struct str v = { NULL, 0 };
	size_t n = strlen(key);
	const char *p = b->text.p, *end = p + b->text.n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (!nl)
			nl = end;
		if ((size_t)(nl - p) > n && memcmp(p, key, n) == 0 &&
		    p[n] == ' ') {
			v.p = p + n + 1;
			v.n = (size_t)(nl - v.p);
			return v;
		}
		p = nl < end ? nl + 1 : end;
	}
	return v;
}

bool
begin_says(const struct begin *b, const char *key, const char *value)
{
	struct str v = begin_value(b, key);

	return v.p && v.n == strlen(value) && memcmp(v.p, value, v.n) == 0;
}

/* Names of formats. */

static const char *const names[] = {
	[FORMAT_REC] = "rec", [FORMAT_TSV] = "tsv", [FORMAT_PAF] = "paf",
	[FORMAT_SAM] = "sam", [FORMAT_BED] = "bed", [FORMAT_GFF3] = "gff3",
	[FORMAT_JSON] = "json", [FORMAT_FASTA] = "fasta",
	[FORMAT_PHYLIP] = "phylip", [FORMAT_PHYLIP_LOWER] = "phylip-lower",
	[FORMAT_PHYLIP_STRICT] = "phylip-strict",
	[FORMAT_PRETTY] = "pretty", [FORMAT_BLAST6] = "blast6",
	[FORMAT_BOULDER] = "boulder", [FORMAT_SVG] = "svg",
	[FORMAT_OFFTARGET] = "offtarget", [FORMAT_GUIDES] = "guides",
	[FORMAT_NEWICK] = "newick", [FORMAT_SVG_TREE] = "svg-tree",
};

enum format
format_of(const char *name)
{
	for (int i = 0; i < FORMAT_NONE; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum format)i;
	return FORMAT_NONE;
}

const char *
format_word(enum format f)
{
	return names[f];
}

bool
format_is_of_pairs(enum format f)
{
	return f == FORMAT_PHYLIP || f == FORMAT_PHYLIP_LOWER ||
	       f == FORMAT_PHYLIP_STRICT || f == FORMAT_NEWICK ||
	       f == FORMAT_SVG_TREE;
}

/* Does the path end so, before .gz? */
static bool
has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
		n -= 3;
	return n > k && strncmp(path + n - k, suffix, k) == 0;
}

enum format
format_of_file(const char *path)
{
	static const struct {
		const char *suffix;
		enum format format;
	} known[] = {
		{ ".rec", FORMAT_REC }, { ".tsv", FORMAT_TSV },
		{ ".txt", FORMAT_TSV }, { ".bed", FORMAT_BED },
		{ ".sam", FORMAT_SAM }, { ".paf", FORMAT_PAF },
		{ ".gff3", FORMAT_GFF3 }, { ".gff", FORMAT_GFF3 },
		{ ".json", FORMAT_JSON }, { ".svg", FORMAT_SVG },
		{ ".fa", FORMAT_FASTA }, { ".fasta", FORMAT_FASTA },
		{ ".fna", FORMAT_FASTA }, { ".blast6", FORMAT_BLAST6 },
		{ ".phylip", FORMAT_PHYLIP }, { ".phy", FORMAT_PHYLIP },
		{ ".boulder", FORMAT_BOULDER }, { ".nwk", FORMAT_NEWICK },
		{ ".newick", FORMAT_NEWICK },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (has_suffix(path, known[i].suffix))
			return known[i].format;
	return FORMAT_NONE;
}

const char *
format_foreign(const char *path)
{
	static const char *const suffix[] = {
		".csv", ".xls", ".xlsx", ".ods", ".bam", ".cram", ".vcf",
		".bcf", ".gtf", ".psl", ".fq", ".fastq", ".jsonl", ".ndjson",
		".html", ".pdf", ".png", ".xml",
	};

	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
		if (has_suffix(path, suffix[i]))
			return suffix[i] + 1;
	return NULL;
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
