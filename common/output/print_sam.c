/* SPDX-License-Identifier: MIT */
/*
 * print_sam.c - hits as SAM (SAM specification, 1.3 and 1.4)
 *
 * Rows with the name and length of one query are alignments of one read, as
 * aligners write them: the best is primary, others are secondary (0x100) or,
 * where they align another part of the query, supplementary (0x800).
 *
 * POS and CIGAR run along the forward subject, and so do ours.  A CIGAR may
 * end in D (asm-scan --report=all) or hold no = or X at all; SAM allows it, and
 * trimming would make different ends look alike.
 */

#include <stdlib.h>

#include "base/base.h"
#include "output/output.h"

enum { QNAME_MAX = 254 };
enum { SAM_REVERSE = 16, SAM_SECONDARY = 256, SAM_SUPPLEMENTARY = 2048 };

/*
 * The rows of one read that align the same part of it.  Only the best of them
 * can be more than secondary: what overlaps it overlaps the others as much.
 * So memory grows with the parts, not with the rows.
 */
struct sam_part {
	uint64_t read[2];	/* hashes of name and length */
	uint64_t qbeg, qend;
	int64_t score;
	uint64_t row;		/* the best: number of its row */
	unsigned flag;		/* of that row */
};

struct sam_reads {
	struct sam_part *part;
	size_t n, cap;
	bool noted;		/* that there is no SEQ */
	struct index of;	/* numbers + 1 of parts */
};

static struct sam_part
part_of(const struct hit *h, uint64_t row)
{
	struct str name = h->query.name;
	struct sam_part p = { .qbeg = h->qbeg, .qend = h->qend,
			      .score = h->score, .row = row };

	for (unsigned i = 0; i < 2; i++)
		p.read[i] = hash64(name.p, name.n, 2 * h->query.len + i);
	return p;
}

static uint64_t
part_key(const struct sam_part *p)
{
	uint64_t key[] = { p->read[1], p->qbeg, p->qend };

	return hash64(key, sizeof key, 0);
}

struct sam_reads *
sam_reads_new(void)
{
	return calloc(1, sizeof(struct sam_reads));
}

int
sam_reads_add(struct sam_reads *r, const struct hit *h, uint64_t row,
	      struct err *e)
{
	struct sam_part p = part_of(h, row);
	size_t i = index_number(&r->of, p.read[0], part_key(&p));

	if (i) {
		if (p.score > r->part[i - 1].score)
			r->part[i - 1] = p;
		return 0;
	}
	if (array_room(&r->part, &r->cap, r->n + 1, sizeof *r->part, e))
		return e->code;
	if (!index_set_number(&r->of, p.read[0], part_key(&p), r->n + 1))
		return err_nomem(e, sizeof p);
	r->part[r->n++] = p;
	return 0;
}

static int
cmp_part(const void *pa, const void *pb)
{
	const struct sam_part *a = *(struct sam_part *const *)pa;
	const struct sam_part *b = *(struct sam_part *const *)pb;
	int c = cmp_u64(a->read[0], b->read[0]);

	c = c ? c : cmp_u64(a->read[1], b->read[1]);
	if (c == 0 && a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return c ? c : cmp_u64(a->row, b->row);
}

/* Parts of a read from the best on: those that share at most half of the
 * shorter one with all that were taken. */
int
sam_reads_finish(struct sam_reads *r, struct err *e)
{
	struct sam_part **v = malloc((r->n + 1) * sizeof *v);
	struct decimal half = { .value = 1, .unit = 2 };
	struct overlap taken = { 0 };
	int rc = v ? 0 : err_nomem(e, r->n * sizeof *v);

	for (size_t i = 0; i < r->n && !rc; i++)
		v[i] = &r->part[i];
	if (!rc)
		qsort(v, r->n, sizeof *v, cmp_part);
	for (size_t i = 0; i < r->n && rc >= 0; i++) {
		struct sam_part *p = v[i];
		bool first = i == 0 || memcmp(v[i - 1]->read, p->read,
					      sizeof p->read) != 0;

		if (first)
			overlap_clear(&taken);
		rc = overlap_take(&taken, p->qbeg, p->qend, half, e);
		p->flag = first ? 0 : rc > 0 && p->qbeg < p->qend ?
			  SAM_SUPPLEMENTARY : SAM_SECONDARY;
	}
	overlap_free(&taken);
	free(v);
	return rc < 0 ? rc : 0;
}

void
sam_reads_free(struct sam_reads *r)
{
	if (!r)
		return;
	free(r->part);
	index_free(&r->of);
	free(r);
}

static unsigned
flag_of(const struct print_env *env, const struct hit *h)
{
	struct sam_part p = part_of(h, env->row);
	size_t i = index_number(&env->reads->of, p.read[0], part_key(&p));

	return i && env->reads->part[i - 1].row == env->row ?
	       env->reads->part[i - 1].flag : SAM_SECONDARY;
}

static bool
plain_qname(uint8_t c)	/* [!-?A-~] */
{
	return c > 0x20 && c < 0x7f && c != '@';
}

static bool
plain_rname(uint8_t c)
{
	return c > 0x20 && c < 0x7f && !strchr("\\,\"`'()[]{}<>", c);
}

/* A name that is too long is cut, its hash keeps it apart from others. */
static void
qname(struct buf *b, struct str s)
{
	size_t at = b->n;

	print_name(b, s, plain_qname);
	if (b->bad || b->n - at <= QNAME_MAX)
		return;
	b->n = at + QNAME_MAX - 17;
	buf_printf(b, "~%016llx", (unsigned long long)hash64(s.p, s.n, 0));
}

/* "*" alone would mean that there is no place, "=" the mate's. */
static void
rname(struct buf *b, struct str s)
{
	if (s.n == 0) {
		print_text(b, "%");
	} else if (s.p[0] == '*' || s.p[0] == '=') {
		buf_printf(b, "%%%02X", s.p[0]);
		s.p++;
		s.n--;
	}
	if (s.n)
		print_name(b, s, plain_rname);
}

/* With the query's letters outside of the alignment as S. */
static void
clipped_cigar(struct buf *b, const struct hit *h)
{
	const uint32_t *ops = h->cigar;
	size_t n = h->n_cigar;
	uint64_t before, after;

	print_clips(h, &before, &after);
	if (before && !(n && (ops[0] & 15) == CIGAR_S))
		buf_printf(b, "%lluS", (unsigned long long)before);
	if (n)
		cigar_text(b, ops, n);
	if (after && !(n > 0 && (ops[n - 1] & 15) == CIGAR_S &&
		       !(n == 1 && before)))
		buf_printf(b, "%lluS", (unsigned long long)after);
}

/* The place of what has none: @SQ cannot hold a sequence without letters. */
static void
place(struct buf *b, const struct hit *h, unsigned flag)
{
	/* an alignment without subject letters may lie behind the last one */
	uint64_t pos = h->sbeg < h->subject.len ? h->sbeg + 1 : h->subject.len;

	if (h->subject.len == 0) {
		print_text(b, h->flags & HIT_MINUS ? "20" : "4");
		print_text(b, "\t*\t0\t255\t*");
		return;
	}
	print_u64(b, flag + (h->flags & HIT_MINUS ? SAM_REVERSE : 0));
	buf_u8(b, '\t');
	rname(b, h->subject.name);
	buf_u8(b, '\t');
	print_u64(b, pos);
	print_text(b, "\t255\t");
	clipped_cigar(b, h);
}

static bool
are_letters(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] | 32) < 'a' || (s.p[i] | 32) > 'z')
			return false;
	return s.n != 0;
}

/* U is T in BAM, or becomes N; a protein keeps it. */
static bool
are_nucleotides(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!dna_set((uint8_t)s.p[i]))
			return false;
	return true;
}

static uint8_t
upper(char c)
{
	return (uint8_t)(c & ~32);	/* of a letter */
}

/* SEQ: the query as its CIGAR reads it (of a PAM what it matches: that is =),
 * or * for what SAM cannot hold. */
static void
sequence(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct str q = print_query(env, &h->query);
	bool minus = h->flags & HIT_MINUS, dna = are_nucleotides(q);

	if (!q.p && print_site_sequence(b, env, h))
		return;
	if (!q.p && env->pp->note && !env->reads->noted) {
		env->pp->note(0, "SEQ is *: -q with the queries gives their "
			      "letters, or --with-seq of the scanner");
		env->reads->noted = true;
	}
	if (!are_letters(q)) {
		buf_u8(b, '*');
		return;
	}
	for (size_t i = 0; i < q.n; i++) {
		uint8_t c = minus ? dna_complement(upper(q.p[q.n - 1 - i])) :
				    upper(q.p[i]);

		buf_u8(b, dna && c == 'U' ? 'T' : c);
	}
}

/* MD: the subject's letters where they differ or are deleted.  Without the
 * subject's letters, or where M hides differences, there is none. */
static void
mismatches(struct buf *b, const struct hit *h)
{
	const char *s = h->letters.p;
	uint64_t same = 0;

	print_text(b, "\tMD:Z:");
	for (size_t i = 0; i < h->n_cigar; i++) {
		uint64_t n = h->cigar[i] >> 4;
		unsigned op = h->cigar[i] & 15;

		if (op == CIGAR_EQ) {
			same += n;
			s += n;
		} else if (op == CIGAR_D) {
			print_u64(b, same);
			buf_u8(b, '^');
			for (same = 0; n; n--)
				buf_u8(b, upper(*s++));
		} else if (op == CIGAR_X) {
			for (; n; n--, same = 0) {
				print_u64(b, same);
				buf_u8(b, upper(*s++));
			}
		}
	}
	print_u64(b, same);
}

static void
number_tag(struct buf *b, const char *tag, uint64_t v)
{
	print_text(b, tag);
	print_u64(b, v);
}

/* Of a site of a guide; tags in lower case are everyone's own. */
static void
site_tags(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct print_site_facts f;

	if (!print_site_facts(env, h, &f))
		return;
	number_tag(b, "\txm:i:", f.cigar.x);
	number_tag(b, "\txd:i:", f.cigar.del);
	number_tag(b, "\txr:i:", f.cigar.ins);
	if (f.cut_known)
		number_tag(b, "\txc:i:", f.cut);
	if (f.pam.p) {
		print_text(b, "\txp:Z:");
		print_name(b, f.pam, print_no_control);
	}
	if (h->flags & HIT_OFFTARGET) {
		print_text(b, "\txs:f:");
		print_score(b, h, "");
	}
}

static void
hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	bool letters = h->flags & HIT_LETTERS && h->letters.n;

	qname(b, h->query.name);
	buf_u8(b, '\t');
	place(b, h, flag_of(env, h));
	print_text(b, "\t*\t0\t0\t");
	sequence(b, env, h);
	print_text(b, "\t*\tNM:i:");
	print_u64(b, s.x + s.ins + s.del);
	print_text(b, "\tAS:i:");
	print_i64(b, h->score);
	if (letters && s.subject == s.eq + s.x + s.del &&
	    are_letters(h->letters))
		mismatches(b, h);
	if (env->pp->letters && letters) {
		print_text(b, "\tss:Z:");
		print_name(b, h->letters, print_no_control);
	}
	site_tags(b, env, h);
	buf_u8(b, '\n');
}

const struct print_family print_sam = {
	.need = PRINT_ALL, .wants_start = true, .wants_cigar = true,
	.sites = true,
	.hit = hit,
};

struct sq {
	const struct begin *run;	/* NULL: the run has no BEGIN */
	const struct subject_len *s;
	struct str raw;
	size_t at, n;			/* of the printed name, in heap */
	bool same;			/* as one before */
	bool circular;
};

static int
cmp_subject(const void *pa, const void *pb)
{
	const struct sq *a = pa, *b = pb;
	int c = !a->run - !b->run;

	if (c == 0 && a->run)
		c = run_key_cmp(&a->run->run, &b->run->run);
	if (c == 0)
		c = cmp_u64(a->s->run, b->s->run);
	return c ? c : cmp_u64(a->s->ordinal, b->s->ordinal);
}

static int
cmp_name(const void *pa, const void *pb, void *heap)
{
	const struct sq *a = *(struct sq *const *)pa;
	const struct sq *b = *(struct sq *const *)pb;
	const uint8_t *p = heap;
	int c = memcmp(p + a->at, p + b->at, a->n < b->n ? a->n : b->n);

	if (c == 0)
		c = cmp_u64(a->n, b->n);
	return c ? c : (a > b) - (a < b);
}

/* The first BEGIN of each run. */
static int
index_begins(struct index *x, const struct begin_own *begin, size_t n,
	     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		void **at = index_at(x, begin[i].b.run.id, 0);

		if (!at)
			return err_nomem(e, sizeof *at);
		if (!*at)
			*at = (void *)(uintptr_t)&begin[i].b;
	}
	return 0;
}

static size_t
collect(struct sq *v, struct buf *heap, const struct lengths *l,
	const struct index *begin_of)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct sq q = { .s = &l->v[i], .at = heap->n };

		if (!q.s->named || q.s->length == LEN_UNKNOWN ||
		    q.s->length == 0)
			continue;
		q.run = index_get(begin_of, q.s->run, 0);
		q.raw = lengths_name(l, q.s);
		q.circular = q.s->circular;
		rname(heap, q.raw);
		q.n = heap->n - q.at;
		v[n++] = q;
	}
	return n;
}

/*
 * A name stands for one sequence in SAM.  Sequences of one name and length (a
 * genome cut twice, say) share a line; others would be ambiguous.
 */
static int
mark_same(struct sq *v, struct sq **by_name, size_t n, struct buf *heap,
	  struct err *e)
{
	for (size_t i = 0; i < n; i++)
		by_name[i] = &v[i];
	sort_with(by_name, n, sizeof *by_name, cmp_name, heap->p);
	for (size_t i = 1; i < n; i++) {
		struct sq *a = by_name[i - 1], *b = by_name[i];

		if (a->n != b->n ||
		    memcmp(heap->p + a->at, heap->p + b->at, a->n) != 0)
			continue;
		if (a->s->length != b->s->length || a->raw.n != b->raw.n ||
		    memcmp(a->raw.p, b->raw.p, a->raw.n) != 0)
			return err_set(e, ERR_FORMAT, "sam: two sequences are "
				       "named %.*s (%llu and %llu letters): "
				       "choose another format",
				       (int)(a->n < 200 ? a->n : 200),
				       (const char *)heap->p + a->at,
				       (unsigned long long)a->s->length,
				       (unsigned long long)b->s->length);
		b->same = true;
	}
	for (size_t i = n; i-- > 1;)	/* the first one has the line */
		if (by_name[i]->same)
			by_name[i - 1]->circular |= by_name[i]->circular;
	return 0;
}

static int
sq_lines(struct buf *b, const struct lengths *l,
	 const struct begin_own *begin, size_t n_begins, struct err *e)
{
	struct sq *v = malloc((l->n + 1) * sizeof *v);
	struct sq **by_name = malloc((l->n + 1) * sizeof *by_name);
	struct index begin_of = { 0 };
	struct buf heap = { 0 };
	size_t n;
	int r = v && by_name ? index_begins(&begin_of, begin, n_begins, e) :
			       err_nomem(e, l->n * sizeof *v);

	if (r == 0) {
		n = collect(v, &heap, l, &begin_of);
		qsort(v, n, sizeof *v, cmp_subject);
		r = heap.bad ? err_nomem(e, heap.n) :
			       mark_same(v, by_name, n, &heap, e);
		for (size_t i = 0; i < n && r == 0; i++) {
			if (v[i].same)
				continue;
			print_text(b, "@SQ\tSN:");
			buf_put(b, heap.p + v[i].at, v[i].n);
			print_text(b, "\tLN:");
			print_u64(b, v[i].s->length);
			print_text(b, v[i].circular ? "\tTP:circular\n" :
							 "\n");
		}
	}
	index_free(&begin_of);
	buf_free(&heap);
	free(by_name);
	free(v);
	return r;
}

static int
cmp_begin(const void *pa, const void *pb)
{
	const struct begin *a = &((const struct begin_own *)pa)->b;
	const struct begin *b = &((const struct begin_own *)pb)->b;
	int c = run_key_cmp(&a->run, &b->run);

	if (c == 0)	/* the run's own first */
		c = !!a->scan.id - !!b->scan.id;
	if (c == 0)
		c = scan_key_cmp(&a->scan, &b->scan);
	if (c == 0)
		c = memcmp(a->text.p, b->text.p, a->text.n < b->text.n ?
			   a->text.n : b->text.n);
	return c ? c : cmp_u64(a->text.n, b->text.n);
}

/* How long chunks are is no part of a final text: see stream's orders.  Letters
 * of queries are SEQ. */
static bool
is_left_out(const char *line, size_t n)
{
	return (n > 4 && memcmp(line, "own ", 4) == 0) ||
	       (n > 8 && memcmp(line, "context ", 8) == 0) ||
	       (n > 14 && memcmp(line, "query-letters ", 14) == 0);
}

/* The lines of BEGIN's text as one. */
static void
description(struct buf *b, const struct begin *g)
{
	const char *p = g->text.p, *end = p + g->text.n, *nl;
	const char *between = "";

	for (; p < end; p = nl + 1) {
		struct str line = { p, 0 };

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		line.n = (size_t)(nl - p);
		if (!line.n || is_left_out(p, line.n))
			continue;
		print_text(b, between);
		print_name(b, line, print_no_control);
		between = "; ";
	}
}

/* ID, program, version, chain, and the rest. */
static void
pg_line(struct buf *b, size_t id, const struct begin *g, long previous)
{
	struct str prog = begin_value(g, "program");
	struct str version = begin_value(g, "version");

	buf_printf(b, "@PG\tID:%zu", id);
	if (prog.p) {
		print_text(b, "\tPN:");
		print_name(b, prog, print_no_control);
	}
	if (version.p) {
		print_text(b, "\tVN:");
		print_name(b, version, print_no_control);
	}
	if (previous >= 0)
		buf_printf(b, "\tPP:%ld", previous);
	print_text(b, "\tDS:");
	description(b, g);
	buf_u8(b, '\n');
}

static bool
is_program(const struct begin *b, const char *prog)
{
	struct str v = begin_value(b, "program");

	return prog && v.n == strlen(prog) && memcmp(v.p, prog, v.n) == 0;
}

/*
 * A run's scans follow the run's own BEGIN.  The program that prints follows
 * if there is one chain only: a @PG has one predecessor.
 */
static void
pg_lines(struct buf *b, const struct print_env *env,
	 const struct begin_own *begin, size_t n)
{
	size_t leaves = 0;
	long own = -1;
	bool itself = false;	/* a scanner that prints has its BEGIN here */

	for (size_t i = 0; i < n; i++) {
		const struct begin *g = &begin[i].b;

		if (i && begin[i - 1].b.run.id != g->run.id)
			own = -1;
		pg_line(b, i, g, own);
		if (!g->scan.id)
			own = (long)i;
		leaves += g->scan.id || i + 1 == n ||
			  begin[i + 1].b.run.id != g->run.id;
		itself |= is_program(g, env->pp->prog);
	}
	if (!env->pp->prog || itself)
		return;
	buf_printf(b, "@PG\tID:%zu\tPN:%s\tVN:" SEQF_VERSION, n,
		   env->pp->prog);
	if (leaves == 1)
		buf_printf(b, "\tPP:%zu", n - 1);
	buf_u8(b, '\n');
}

int
sam_header(struct buf *b, const struct print_env *env,
	   const struct lengths *l, struct begin_own *begin, size_t n,
	   struct err *e)
{
	int r;

	if (n)
		qsort(begin, n, sizeof *begin, cmp_begin);
	print_text(b, "@HD\tVN:1.6\tSO:unsorted\n");
	r = sq_lines(b, l, begin, n, e);
	if (r < 0)
		return r;
	pg_lines(b, env, begin, n);
	return b->bad ? err_nomem(e, b->n) : 0;
}
