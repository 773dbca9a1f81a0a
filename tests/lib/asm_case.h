/* SPDX-License-Identifier: MIT */
/* asm_case.h - random cases for a scan, and what the textbook says of them */
#ifndef SEQF_ASM_CASE_H
#define SEQF_ASM_CASE_H

#include "letters/letters.h"
#include "tests/oracle/oracle.h"
#include "scan/asm/asm.h"
#include "rec/rec.h"
#include "flow/flow.h"
#include "tests/lib/tap.h"

enum { MAX_SEQ = 40, MAX_LEN = 700, MAX_QUERY = 4, MAX_M = 30 };

/* One case: sequences, queries, options, and how the former are cut. */
static uint8_t seq[MAX_SEQ][MAX_LEN + 64];
static size_t len[MAX_SEQ], n_seq;
static char pat[MAX_QUERY][MAX_M + 1];
static uint64_t k_of[MAX_QUERY];
static size_t n_query;
static char k_text[24];
static struct asm_options o;
static struct rec_frame *frames[MAX_SEQ * MAX_LEN + 2];
static size_t n_frames, n_chunks;

/* The feed is played by this test: frames [beg, end). */

struct feed {
	size_t next, end;
};
static struct feed fake;
const struct feed_params feed_defaults = { .own = 1000 };

int
feed_open(struct feed **f, char **operands, size_t n,
	  const struct feed_params *p, struct err *e)
{
	(void)operands;
	(void)n;
	(void)p;
	(void)e;
	*f = &fake;
	return 0;
}

int
feed_next(struct feed *f, struct feed_item *it, struct err *e)
{
	(void)e;
	if (f->next == f->end)
		return 0;
	memset(it, 0, sizeof *it);
	it->kind = FEED_FRAME;
	it->frame = rec_frame_keep(frames[f->next++]);
	return 1;
}

int
feed_encode(struct feed_item *it, struct err *e)
{
	(void)it;
	(void)e;
	return 0;
}

int
feed_account(struct feed *f, struct feed_item *it, struct err *e)
{
	(void)f;
	(void)it;
	(void)e;
	return 0;
}

void
feed_drop(struct feed_item *it)
{
	rec_frame_drop(it->frame);
}

bool
feed_blank(const struct feed *f, struct feed_blank *b)
{
	(void)f;
	(void)b;
	return false;
}

bool
feed_twice(const struct feed *f, struct feed_twice *t)
{
	(void)f;
	(void)t;
	return false;
}

struct feed_place
feed_place(struct feed *f)
{
	return (struct feed_place){ f->next, 0, 0 };
}

void
feed_close(struct feed *f)
{
	(void)f;
}

/* Not asked: there is one operand. */
int
feed_look(struct feed_look *l, char **operands, size_t n, unsigned threads,
	  struct err *e)
{
	(void)operands;
	(void)n;
	(void)threads;
	memset(l, 0, sizeof *l);
	return err_set(e, ERR_USAGE, "nothing to look into");
}

/* Making a case. */

static uint8_t
letter(uint64_t *s, bool clean)
{
	static const char rare[] = "NNRYMacgtnU";

	if (!clean && below(s, 25) == 0)
		return (uint8_t)rare[below(s, sizeof rare - 1)];
	return (uint8_t)"ACGT"[below(s, 100) < 70 ? below(s, 2) :
				below(s, 4)];
}

static void
make_case(uint64_t *s)
{
	bool clean = below(s, 2), small = below(s, 3) == 0;

	n_seq = small ? 1 + below(s, MAX_SEQ) : 1 + below(s, 3);
	for (size_t i = 0; i < n_seq; i++) {
		len[i] = below(s, small ? 60 : MAX_LEN);
		for (size_t j = 0; j < len[i]; j++)
			seq[i][j] = j && below(s, 9) == 0 ? seq[i][j - 1] :
				    letter(s, clean);
	}
	n_query = 1 + below(s, MAX_QUERY);
	snprintf(k_text, sizeof k_text, "%d%%", (int)below(s, 100) / 2);
	for (size_t i = 0; i < n_query; i++) {
		size_t m = 1 + below(s, below(s, 2) ? 6 : MAX_M);

		for (size_t j = 0; j < m; j++)
			pat[i][j] = (char)letter(s, false);
		pat[i][m] = '\0';
		k_of[i] = (uint64_t)atoi(k_text) * m / 100;
	}
	o = (struct asm_options){
		.k = k_text, .report = (enum asm_report)below(s, 5),
		.strands = (enum asm_strands)below(s, 4),
		.no_indels = below(s, 4) == 0, .iupac = below(s, 3) == 0,
		.no_cigar = below(s, 5) == 0, .with_seq = below(s, 2),
	};
	o.ends = !o.with_seq && below(s, 5) == 0;
	o.histogram = o.report != ASM_BEST && below(s, 6) == 0;
	if (below(s, 2)) {
		size_t m = MAX_M;

		for (size_t i = 0; i < n_query; i++)
			m = strlen(pat[i]) < m ? strlen(pat[i]) : m;
		o.exact_prefix = below(s, 2) * below(s, m + 1);
		o.exact_suffix = below(s, 2) * below(s, m + 1);
	}
}

static void
add_chunk(struct chunk_row *row, size_t n_rows, const uint8_t *letters)
{
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 }, .first = { "s", 1 } },
		.serial = n_chunks++, .row = row, .n_rows = n_rows,
		.letters = letters,
	};
	uint64_t owned, digest;
	struct err e;

	if (chunk_encode(&frames[n_frames++], &raw, &owned, &digest, &e))
		abort();
}

static struct chunk_row
row_of(size_t i, uint64_t beg, uint64_t own_beg, uint64_t own_end)
{
	struct chunk_row r = {
		.ordinal = i, .beg = beg, .n = own_end - beg,
		.own_beg = own_beg, .own_end = own_end,
		.flags = (own_beg ? 0 : CHUNK_FIRST) |
			 (own_end == len[i] ? CHUNK_LAST : 0),
		.length = own_end == len[i] ? len[i] : 0,
		.name = { "seq", 3 },
	};

	return r;
}

/* Sequences longer than own in pieces, neighbours that are not together. */
static void
cut(uint64_t own, uint64_t w)
{
	static uint8_t letters[MAX_SEQ * MAX_LEN];
	struct chunk_row row[MAX_SEQ];
	uint64_t at = 0;
	size_t n = 0;

	while (n_frames)
		rec_frame_drop(frames[--n_frames]);
	n_chunks = 0;
	for (size_t i = 0; i < n_seq; i++) {
		if (n && at + len[i] > own) {
			add_chunk(row, n, letters);
			n = at = 0;
		}
		if (len[i] <= own) {
			row[n] = row_of(i, 0, 0, len[i]);
			row[n++].at = at;
			memcpy(letters + at, seq[i], len[i]);
			at += len[i];
			continue;
		}
		for (uint64_t b = 0; b < len[i]; b += own) {
			uint64_t beg = b > w ? b - w : 0;
			struct chunk_row r = row_of(i, beg, b, b + own <
				len[i] ? b + own : len[i]);

			add_chunk(&r, 1, seq[i] + beg);
		}
	}
	if (n)
		add_chunk(row, n, letters);
}

/* What the textbook says, a row a line. */

static const struct oracle_match *
how(void)
{
	static struct oracle_match h;

	h = (struct oracle_match){ ORACLE_DNA, o.iupac };
	return &h;
}

/* What must match at a pattern's begin and end on a strand. */
static size_t
head_of(bool minus)
{
	return minus ? o.exact_suffix : o.exact_prefix;
}

/* Distances of ends 0 to n; *D gets the matrix, if there is one. */
static uint32_t *
distances(const uint8_t *p, size_t m, bool minus, const uint8_t *t, size_t n,
	  uint32_t **D)
{
	size_t head = head_of(minus), tail = head_of(!minus);
	uint32_t *d;

	*D = NULL;
	if (o.no_indels)
		return oracle_exact_hamming(*how(), p, m, head, tail, t, n);
	*D = head || tail ? oracle_exact(*how(), p, m, head, tail, t, n) :
			    oracle_sellers(*how(), p, m, t, n);
	d = malloc((n + 1) * sizeof *d);
	if (!d)
		abort();
	memcpy(d, *D + m * (n + 1), (n + 1) * sizeof *d);
	return d;
}

static void
put_cigar(struct buf *b, const char *ops, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && ops[j] == ops[i]; j++)
			;
		buf_printf(b, "%d%c", (int)(j - i), ops[i]);
	}
}

static void
put_row(struct buf *b, size_t s, size_t send, size_t q, char strand,
	const uint8_t *p, size_t m, uint32_t dist, const uint32_t *D)
{
	char ops[MAX_M + MAX_LEN];
	size_t beg = send - m, n = m;

	if (D)
		n = oracle_exact_trace(*how(), D, p, m,
				       head_of(strand == '-'),
				       head_of(strand == '+'), seq[s], len[s],
				       send, ops, &beg);
	else
		for (size_t i = 0; i < m; i++)
			ops[i] = oracle_equal(*how(), p[i], seq[s][beg + i]) ?
				 '=' : 'X';
	buf_printf(b, "%d %d %d %c %d", (int)s, (int)send, (int)q, strand,
		   (int)dist);
	if (!o.ends)
		buf_printf(b, " %d", (int)beg);
	if (!o.ends && !o.no_cigar) {
		buf_u8(b, ' ');
		put_cigar(b, ops, n);
	}
	if (o.with_seq)
		buf_printf(b, " %.*s", (int)(send - beg),
			   (const char *)seq[s] + beg);
	buf_u8(b, '\n');
}

static bool
reported(const uint32_t *d, size_t n, size_t m, size_t k, size_t j)
{
	bool minima = o.report == ASM_MINIMA ||
		      (o.report == ASM_DEFAULT && !o.no_indels);

	return minima ? oracle_minimum(d, n, m, k, j) : d[j] <= k;
}

/* Calls see() for each end in the order of scanners. */
struct want {
	struct buf rows;
	uint32_t least[MAX_QUERY];
	uint64_t count[MAX_QUERY][2][MAX_M];
};

static void
search(struct want *w, size_t s, bool put)
{
	uint8_t p[MAX_QUERY][2][MAX_M];
	uint32_t *d[MAX_QUERY][2], *D[MAX_QUERY][2];

	for (size_t q = 0; q < n_query; q++)
		for (int minus = 0; minus < 2; minus++) {
			size_t m = strlen(pat[q]);

			memcpy(p[q][minus], pat[q], m);
			if (minus)
				dna_revcomp(p[q][1], m);
			d[q][minus] = distances(p[q][minus], m, minus, seq[s],
						len[s], &D[q][minus]);
		}
	for (size_t j = 1; j <= len[s]; j++)
		for (size_t x = 0; x < n_query * 2; x++) {
			size_t q = x / 2, y = x & 1, m = strlen(pat[q]);
			uint32_t *v = d[q][y];

			if (o.strands != ASM_AUTO && !(o.strands & (1 << y)))
				continue;
			if (!reported(v, len[s], m, k_of[q], j))
				continue;
			if (!put) {
				w->count[q][y][v[j]]++;
				w->least[q] = oracle_min(w->least[q], v[j]);
			} else if (o.report != ASM_BEST ||
				   v[j] == w->least[q]) {
				put_row(&w->rows, s, j, q, "+-"[y], p[q][y],
					m, v[j], D[q][y]);
			}
		}
	for (size_t x = 0; x < n_query * 2; x++) {
		free(d[x / 2][x & 1]);
		free(D[x / 2][x & 1]);
	}
}

static void
textbook(struct want *w)
{
	bool tallies;

	memset(w, 0, sizeof *w);
	memset(w->least, 0xff, sizeof w->least);
	tallies = o.report == ASM_COUNT || o.histogram;
	for (size_t s = 0; s < n_seq; s++)
		search(w, s, false);
	for (size_t s = 0; s < n_seq && !tallies; s++)
		search(w, s, true);
	if (!tallies)
		return;
	for (size_t x = 0; x < n_query * 2 * MAX_M; x++) {
		size_t q = x / MAX_M / 2, y = x / MAX_M % 2, d = x % MAX_M;

		if (w->count[q][y][d])
			buf_printf(&w->rows, "%d %c %d %d\n", (int)q,
				   "+-"[y], (int)d, (int)w->count[q][y][d]);
	}
}

#endif
