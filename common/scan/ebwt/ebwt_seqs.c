/* SPDX-License-Identifier: MIT */
/* ebwt_seqs.c - whole sequences, put together from the chunks of a stream */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "letters/letters.h"
#include "rec/rec.h"
#include "scan/ebwt/ebwt.h"
#include "scan/ebwt/ebwt_scan_priv.h"

/* Words that wait in a temporary file. */

/* Letters of a piece: an N makes no more of them take a byte each. */
enum { PIECE = 1 << 16, WORDS = PIECE / 64 };

void
ebwt_store_free(struct ebwt_store *s)
{
	spool_close(&s->file);
	free(s->piece);
	free(s->planes);
	*s = (struct ebwt_store){ 0 };
}

/* Two planes, and marks of exceptions and of lower case. */
static int
store_room(struct ebwt_store *s, struct err *e)
{
	if (!s->planes)
		s->planes = malloc(4 * WORDS * sizeof *s->planes);
	if (!s->planes)
		return err_nomem(e, 4 * WORDS * sizeof *s->planes);
	return array_room(&s->piece, &s->cap, s->n + 1, sizeof *s->piece, e);
}

static int
put_piece(struct ebwt_store *s, uint64_t word, uint64_t beg,
	  const uint8_t *letters, uint32_t n, struct err *e)
{
	struct ebwt_piece *p;
	int rc = store_room(s, e);

	if (rc)
		return rc;
	p = &s->piece[s->n++];
	*p = (struct ebwt_piece){ word, beg, s->file.n, n, false };
	p->packed = !(dna_ops()->pack(letters, n, s->planes,
				      s->planes + 2 * WORDS, s->planes +
				      3 * WORDS) & DNA_HAS_EXC);
	return spool_append(&s->file, p->packed ? (void *)s->planes :
			    (const void *)letters, p->packed ?
			    dna_words(n) * sizeof *s->planes : n, e);
}

int
ebwt_store_put(struct ebwt_store *s, uint64_t word, uint64_t beg,
	       const uint8_t *letters, uint64_t n, struct err *e)
{
	int rc = 0;

	s->sorted = false;
	for (uint64_t at = 0; at < n && !rc; at += PIECE)
		rc = put_piece(s, word, beg + at, letters + at,
			       (uint32_t)min_u64(PIECE, n - at), e);
	return rc;
}

static int
by_word(const void *x, const void *y)
{
	const struct ebwt_piece *a = x, *b = y;
	int c = cmp_u64(a->word, b->word);

	return c ? c : cmp_u64(a->beg, b->beg);
}

static int
get_piece(struct ebwt_store *s, const struct ebwt_piece *p, uint8_t *to,
	  struct err *e)
{
	int rc;

	if (!p->packed)
		return spool_read(&s->file, p->at, to, p->n, e);
	rc = spool_read(&s->file, p->at, s->planes, dna_words(p->n) *
			sizeof *s->planes, e);
	if (!rc)
		dna_ops()->unpack(s->planes, 0, p->n, to);
	return rc;
}

int
ebwt_store_get(struct ebwt_store *s, uint64_t word, uint8_t *to,
	       struct err *e)
{
	int rc = 0;
	size_t i;

	if (!s->sorted && s->n)
		qsort(s->piece, s->n, sizeof *s->piece, by_word);
	s->sorted = true;
	i = array_first(s->piece, s->n, sizeof *s->piece,
			offsetof(struct ebwt_piece, word), word);
	for (; i < s->n && s->piece[i].word == word && !rc; i++) {
		rc = get_piece(s, &s->piece[i], to, e);
		to += s->piece[i].n;
	}
	return rc;
}

/* Letters of chunks and queries as transforms take them. */

typedef uint8_t letters16 __attribute__((vector_size(16), aligned(1)));

static void
fold(uint8_t *s, size_t n)
{
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		letters16 c = *(letters16 *)(s + i);

		/* what is true is 255 */
		c -= (letters16)(c - 'a' < 26) & ('a' - 'A');
		c -= (letters16)(c == 'U') & ('U' - 'T');
		*(letters16 *)(s + i) = c;
	}
	for (; i < n; i++) {
		uint8_t c = s[i];

		c -= c >= 'a' && c <= 'z' ? 'a' - 'A' : 0;
		s[i] = c == 'U' ? 'T' : c;
	}
}

static int
decode_row(const struct chunk *c, const struct chunk_row *r, struct buf *to,
	   struct err *e)
{
	const struct chunk_part p = chunk_row_part(r);
	uint64_t from = p.beg - r->beg, n = p.end - p.beg;

	if (c->enc == CHUNK_PROB)
		buf_put(to, c->letters + (r->at + from) * 16, n * 16);
	else if (buf_reserve(to, n + 64)) {
		chunk_letters(c, r, from, n, to->p + to->n);
		fold(to->p + to->n, n);
		to->n += n;
	}
	return to->bad ? err_nomem(e, n * 16) : 0;
}

/* Floats of the stream are little-endian. */
static void
to_host(const struct chunk *c, struct buf *b)
{
	if (c->enc != CHUNK_PROB || b->bad || le64(1) == 1)
		return;
	for (size_t i = 0; i + 4 <= b->n; i += 4) {
		uint32_t v = (uint32_t)get_le(b->p + i, 4);

		memcpy(b->p + i, &v, sizeof v);
	}
}

int
ebwt_seqs_decode(const struct rec_frame *f, struct buf *letters,
		 struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	if (!chunk_digest_ok(&c, e))
		rc = e->code;
	for (size_t i = 0; i < c.n_rows && !rc; i++)
		rc = decode_row(&c, &c.row[i], letters, e);
	to_host(&c, letters);
	chunk_free(&c);
	return rc;
}

/* The whole header as a name, appended to b. */
static struct str
full_name(struct buf *b, struct str name, struct str desc)
{
	struct str title = fasta_title(desc);
	size_t at = b->n;

	buf_put(b, name.p, name.n);
	if (name.n && title.n)
		buf_u8(b, ' ');
	buf_put(b, title.p, title.n);
	return (struct str){ b->n > at ? (char *)b->p + at : "", b->n - at };
}

int
ebwt_seqs_queries(struct queries *q, bool full, struct buf *names,
		  struct ebwt_seq **v, struct err *e)
{
	size_t room = 0;

	for (size_t i = 0; i < q->n && full; i++)
		room += q->v[i].name.n + q->v[i].desc.n + 1;
	*v = malloc((q->n + 1) * sizeof **v);
	if (!*v || (room && !buf_reserve(names, room)))	/* they stay there */
		return err_nomem(e, q->n * sizeof **v + room);
	for (size_t i = 0; i < q->n; i++) {
		struct query *x = &q->v[i];
		uint8_t *s = (uint8_t *)(uintptr_t)x->letters.p;

		if (!x->prob)
			fold(s, x->letters.n);
		(*v)[i] = (struct ebwt_seq){
			.prob = x->prob, .ordinal = i, .name = x->name,
			.full = full ? full_name(names, x->name, x->desc) :
				       x->name,
			.n = x->letters.n / (x->prob ? 16 : 1),
			.letters = s,
		};
	}
	return 0;
}

/* Whole sequences, put together from the chunks of a stream. */

/* A sequence that grows by the piece that comes next. */
struct part {
	uint32_t run, file;
	bool prob, first, last;	/* its first, last piece is there */
	uint64_t ordinal;
	uint64_t end;		/* of what is there, in the sequence */
	uint64_t n;		/* letters, or positions, of it */
	size_t name_at, name_n, full_at, full_n;
	struct buf letters;
};
/* What came before its turn. */
struct early {
	size_t part;
	uint64_t beg, end;
	unsigned flags;
	uint8_t *letters;	/* NULL: in the file */
};

struct ebwt_seqs {
	struct whole whole;
	struct ledger *ledger;
	struct part *part;
	size_t n_parts, cap_parts;
	size_t *slot;		/* index + 1, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n_parts */
	size_t last;		/* the part used last */
	struct early *early;
	size_t n_early, cap_early;
	struct buf names;
	struct begun {		/* BEGIN's text of a run, in begins */
		uint64_t run;
		size_t at, n;
		bool differs;	/* another one says something else */
	} *begun;
	size_t n_begun, cap_begun;
	struct buf begins;
	uint64_t bytes, most;
	uint64_t resident;	/* bytes, beyond which letters go to a file */
	bool spilled;
	struct ebwt_store store;
	bool full;
	struct ebwt_seq *seq;
};

int
ebwt_seqs_new(struct ebwt_seqs **out, uint64_t most, uint64_t resident,
	      bool full, struct err *e)
{
	struct ebwt_seqs *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->most = most ? most : UINT64_MAX;
	s->resident = resident ? resident : UINT64_MAX;
	s->full = full;
	rc = ledger_new(&s->ledger, e);
	if (rc) {
		ebwt_seqs_free(s);
		return rc;
	}
	ledger_judge_chunks(s->ledger);
	*out = s;
	return 0;
}

void
ebwt_seqs_free(struct ebwt_seqs *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_parts; i++)
		buf_free(&s->part[i].letters);
	for (size_t i = 0; i < s->n_early; i++)
		free(s->early[i].letters);
	if (s->ledger)
		ledger_free(s->ledger);
	whole_free(&s->whole);
	ebwt_store_free(&s->store);
	free(s->part);
	free(s->slot);
	free(s->early);
	free(s->seq);
	free(s->begun);
	buf_free(&s->begins);
	buf_free(&s->names);
	free(s);
}

static size_t
find(const struct ebwt_seqs *s, uint32_t run, uint64_t ordinal)
{
	uint64_t key[2] = { run, ordinal };
	size_t i = hash64(key, sizeof key, 0) & (s->n_slots - 1);

	for (; s->slot[i]; i = (i + 1) & (s->n_slots - 1)) {
		const struct part *p = &s->part[s->slot[i] - 1];

		if (p->run == run && p->ordinal == ordinal)
			break;
	}
	return i;
}

static int
grow(struct ebwt_seqs *s, struct err *e)
{
	int rc = array_room(&s->part, &s->cap_parts, s->n_parts + 1,
			    sizeof *s->part, e);

	if (rc || s->n_parts < s->n_slots / 2)
		return rc;
	rc = slots_double(&s->slot, &s->n_slots, sizeof *s->slot, e);
	for (size_t i = 0; i < s->n_parts && !rc; i++)
		s->slot[find(s, s->part[i].run, s->part[i].ordinal)] = i + 1;
	return rc;
}

/* Of the first piece of a sequence, which has its description. */
static int
name_part(struct ebwt_seqs *s, struct part *p, const struct chunk_row *r,
	  struct err *e)
{
	if (!s->full || p->full_n || !(r->flags & CHUNK_FIRST))
		return 0;
	p->full_at = s->names.n;
	p->full_n = full_name(&s->names, r->name, r->desc).n;
	s->bytes += p->full_n;
	return s->names.bad ? err_nomem(e, p->full_n) : 0;
}

/* s->last becomes the row's sequence, a new one if it is. */
static int
find_part(struct ebwt_seqs *s, uint32_t run, const struct chunk_row *r,
	  bool prob, struct err *e)
{
	struct part *p;
	int rc = grow(s, e);
	size_t at;

	if (rc)
		return rc;
	at = find(s, run, r->ordinal);
	if (!s->slot[at]) {
		p = &s->part[s->n_parts++];
		*p = (struct part){ .run = run, .prob = prob, .file = r->file,
				    .ordinal = r->ordinal,
				    .name_at = s->names.n,
				    .name_n = r->name.n };
		buf_put(&s->names, r->name.p, r->name.n);
		s->slot[at] = s->n_parts;
		s->bytes += EBWT_SEQ_BYTES + r->name.n;
		if (s->names.bad)
			return err_nomem(e, r->name.n);
	}
	s->last = s->slot[at] - 1;
	if (name_part(s, &s->part[s->last], r, e))
		return e->code;
	return s->part[s->last].prob == prob ? 0 :
	       err_set(e, ERR_FORMAT, "%.*s: letters and probabilities in one "
		       "sequence", (int)(r->name.n < 99 ? r->name.n : 99),
		       r->name.p);
}

/* Is the piece the next one? */
static bool
fits(const struct part *p, uint64_t beg, unsigned flags)
{
	return p->first ? p->end == beg && !p->last : flags & CHUNK_FIRST;
}

static int
to_file(struct ebwt_seqs *s, size_t part, uint64_t beg, const uint8_t *letters,
	uint64_t n, struct err *e)
{
	uint64_t had = ebwt_store_bytes(&s->store);
	int rc = ebwt_store_put(&s->store, part, beg, letters, n, e);

	s->bytes += ebwt_store_bytes(&s->store) - had;
	return rc;
}

/* letters NULL: they are in the file. */
static int
append(struct ebwt_seqs *s, size_t part, const uint8_t *letters, uint64_t beg,
       uint64_t end, unsigned flags, struct err *e)
{
	struct part *p = &s->part[part];
	int rc = 0;

	if (letters && s->spilled && !p->prob)
		rc = to_file(s, part, beg, letters, end - beg, e);
	else if (letters)
		buf_put(&p->letters, letters, (end - beg) *
			(p->prob ? 16 : 1));
	p->first = true;
	p->last = flags & CHUNK_LAST;
	p->end = end;
	p->n += end - beg;
	return p->letters.bad ? err_nomem(e, p->letters.n) : rc;
}

static int
put_aside(struct ebwt_seqs *s, const uint8_t *letters, size_t n,
	  const struct chunk_row *r, struct err *e)
{
	const struct chunk_part p = chunk_row_part(r);
	struct early k = { s->last, p.beg, p.end, r->flags, NULL };
	int rc = array_room(&s->early, &s->cap_early, s->n_early + 1, sizeof k,
			    e);

	if (rc)
		return rc;
	if (n && s->spilled && !s->part[s->last].prob) {
		rc = to_file(s, s->last, p.beg, letters, n, e);
	} else if (n) {
		k.letters = malloc(n);
		if (!k.letters)
			return err_nomem(e, n);
		memcpy(k.letters, letters, n);
	}
	s->early[s->n_early++] = k;
	return rc;
}

/* What came early goes there, too, and so on. */
int
ebwt_seqs_spill(struct ebwt_seqs *s, struct err *e)
{
	int rc = 0;

	s->spilled = true;
	for (size_t i = 0; i < s->n_parts && !rc; i++) {
		struct part *p = &s->part[i];

		if (p->prob)
			continue;
		s->bytes -= p->letters.n;
		rc = to_file(s, i, p->end - p->n, p->letters.p, p->letters.n,
			     e);
		buf_free(&p->letters);
	}
	for (size_t i = 0; i < s->n_early && !rc; i++) {
		struct early *k = &s->early[i];

		if (!k->letters || s->part[k->part].prob)
			continue;
		s->bytes -= k->end - k->beg;
		rc = to_file(s, k->part, k->beg, k->letters, k->end - k->beg,
			     e);
		free(k->letters);
		k->letters = NULL;
	}
	for (size_t i = 0; s->seq && i < s->n_parts; i++)
		if (!s->seq[i].prob)
			s->seq[i].letters = NULL;
	return rc;
}

bool
ebwt_seqs_spilled(const struct ebwt_seqs *s)
{
	return s->spilled;
}

int
ebwt_seqs_load(struct ebwt_seqs *s, const struct ebwt_seq *q, uint8_t *to,
	       struct err *e)
{
	return ebwt_store_get(&s->store, q->part, to, e);
}

/* The next n letters are not there yet. */
static int
spill_before(struct ebwt_seqs *s, uint64_t n, struct err *e)
{
	s->bytes -= n;
	return ebwt_seqs_spill(s, e);
}

static int
add_row(struct ebwt_seqs *s, uint32_t run, const struct chunk_row *r,
	bool prob, const uint8_t *letters, struct err *e)
{
	const struct chunk_part p = chunk_row_part(r);
	size_t n = (p.end - p.beg) * (prob ? 16 : 1);
	int rc = find_part(s, run, r, prob, e);

	if (rc)
		return rc;
	s->bytes += s->spilled && !prob ? 0 : n;
	if (!s->spilled && s->bytes > s->resident &&
	    spill_before(s, prob ? 0 : n, e))
		return e->code;
	if (s->bytes > s->most)
		return err_set(e, ERR_LIMIT, "%s alone, and there "
			       "may be more, take %s: more than --memory "
			       "%llu", err_count(s->n_parts, "sequence").text,
			       err_mb((double)s->bytes).text,
			       (unsigned long long)s->most);
	if (s->part[s->last].last && r->flags & CHUNK_FIRST)
		return err_set(e, ERR_USAGE, "%.*s: several regions of one "
			       "sequence: here words are whole, so give them "
			       "as sequences of their own",
			       (int)(r->name.n < 99 ? r->name.n : 99),
			       r->name.p);
	if (fits(&s->part[s->last], p.beg, r->flags))
		return append(s, s->last, letters, p.beg, p.end, r->flags, e);
	return put_aside(s, letters, n, r, e);
}

int
ebwt_seqs_add(struct ebwt_seqs *s, const struct rec_frame *f,
	      const struct buf *letters, struct err *e)
{
	struct chunk c;
	uint32_t run = 0;
	bool again = false;
	size_t at = 0;
	int rc = whole_cover(&s->whole, f, &run, &again, e);

	if (rc || again)
		return rc;
	rc = chunk_view(&c, f, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < c.n_rows && !rc; i++) {
		const struct chunk_row *r = &c.row[i];
		const struct chunk_part p = chunk_row_part(r);
		bool prob = c.enc == CHUNK_PROB;

		/* an empty row's place may be behind no memory at all */
		rc = add_row(s, run, r, prob,
			     letters->p ? letters->p + at : NULL, e);
		at += (p.end - p.beg) * (prob ? 16 : 1);
	}
	chunk_free(&c);
	return rc;
}

/* What the run's first BEGIN says of it. */
static int
keep_begin(struct ebwt_seqs *s, const struct begin *b, struct err *e)
{
	for (size_t i = 0; i < s->n_begun; i++) {
		struct begun *k = &s->begun[i];

		if (k->run != b->run.id)
			continue;
		k->differs |= k->n != b->text.n || (k->n &&
			memcmp(s->begins.p + k->at, b->text.p, k->n) != 0);
		return 0;
	}
	if (array_room(&s->begun, &s->cap_begun, s->n_begun + 1,
		       sizeof *s->begun, e))
		return e->code;
	s->begun[s->n_begun++] = (struct begun){ b->run.id, s->begins.n,
						 b->text.n, false };
	buf_put(&s->begins, b->text.p, b->text.n);
	return s->begins.bad ? err_nomem(e, b->text.n) : 0;
}

/* The next file that BEGIN's text names, from *p on; p NULL: no more. */
static struct str
next_file(const char **p, const char *end)
{
	static const char key[] = "input ";
	const char *line, *nl;
	size_t k = sizeof key - 1;

	while (*p < end) {
		line = *p;
		nl = memchr(line, '\n', (size_t)(end - line));
		nl = nl ? nl : end;
		*p = nl + 1;
		if ((size_t)(nl - line) >= k && memcmp(line, key, k) == 0)
			return (struct str){ line + k, (size_t)(nl - line) -
						       k };
	}
	return (struct str){ NULL, 0 };
}

int
ebwt_seqs_files(const struct ebwt_seqs *s, uint32_t run, struct str **file,
		size_t *n, struct err *e)
{
	const char *p = NULL, *end = NULL;
	struct str name;
	size_t cap = 0;
	int rc = 0;

	*file = NULL;
	*n = 0;
	for (size_t i = 0; i < s->n_begun; i++) {
		const struct begun *b = &s->begun[i];

		if (b->run != s->whole.run[run].key.id)
			continue;
		if (b->differs)
			return err_set(e, ERR_FORMAT, "--by=file: parts of one "
				       "input name other files");
		p = (const char *)s->begins.p + b->at;
		end = p + b->n;
	}
	while (!rc && (name = next_file(&p, end)).p) {
		rc = array_room(file, &cap, *n + 1, sizeof **file, e);
		if (!rc)
			(*file)[(*n)++] = name;
	}
	return rc;
}

int
ebwt_seqs_no_empty(const struct ebwt_seqs *s, struct err *e)
{
	for (size_t i = 0; i < s->n_begun; i++) {
		const char *p = (const char *)s->begins.p + s->begun[i].at;
		struct str name = next_file(&p, p + s->begun[i].n);

		if (name.p && !index_number(&s->whole.by_id, s->begun[i].run,
					    0))
			return err_set(e, ERR_FORMAT, "--by=file: no letters "
				       "came from %.*s",
				       (int)(name.n < 99 ? name.n : 99),
				       name.p);
	}
	return 0;
}

/* The ledger says what is wrong with a frame in its verdict. */
int
ebwt_seqs_see(struct ebwt_seqs *s, const struct rec_frame *f, struct err *e)
{
	struct begin b;
	int rc;

	if (!f) {
		ledger_damage(s->ledger);
		return 0;
	}
	if (f->type != REC_BEGIN && f->type != REC_CHUNK &&
	    f->type != REC_SEQ && f->type != REC_END)
		return 0;
	rc = f->type == REC_BEGIN ? begin_view(&b, f, e) : 0;
	if (!rc && f->type == REC_BEGIN && !b.scan.id)
		rc = keep_begin(s, &b, e);
	/* other scans of the run are not what is judged here */
	if (!rc && (f->type != REC_BEGIN || !b.scan.id))
		rc = ledger_frame(s->ledger, f, e);
	return rc == ERR_NOMEM ? rc : 0;
}

int
ebwt_seqs_whole(struct ebwt_seqs *s, struct err *e)
{
	return ledger_verdict(s->ledger, 0, e);
}

const struct whole *
ebwt_seqs_runs(const struct ebwt_seqs *s)
{
	return &s->whole;
}

static int
by_place(const void *x, const void *y)
{
	const struct early *a = x, *b = y;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->beg < b->beg ? -1 : a->beg > b->beg ? 1 :
	       a->end < b->end ? -1 : a->end > b->end;
}

/* What came early is in its turn now, if nothing is missing before it. */
static int
add_early(struct ebwt_seqs *s, struct err *e)
{
	int rc = 0;

	if (s->n_early)
		qsort(s->early, s->n_early, sizeof *s->early, by_place);
	for (size_t i = 0; i < s->n_early && !rc; i++) {
		struct early *k = &s->early[i];
		struct part *p = &s->part[k->part];

		if (!fits(p, k->beg, k->flags))
			return err_set(e, ERR_INCOMPLETE, "%.*s: letters "
				       "before %llu are missing",
				       (int)(p->name_n < 99 ? p->name_n : 99),
				       s->names.p + p->name_at,
				       (unsigned long long)k->beg);
		rc = append(s, k->part, k->letters, k->beg, k->end, k->flags,
			    e);
		free(k->letters);
		k->letters = NULL;
	}
	return rc;
}

static int
by_run(const void *x, const void *y)
{
	const struct ebwt_seq *a = x, *b = y;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

const struct ebwt_seq *
ebwt_seqs_find(const struct ebwt_seqs *s, uint64_t run, uint64_t ordinal)
{
	size_t n = index_number(&s->whole.by_id, run, 0);
	struct ebwt_seq key = { .ordinal = ordinal, .run = (uint32_t)n - 1 };

	return s->seq && n ? bsearch(&key, s->seq, s->n_parts, sizeof key,
				     by_run) : NULL;
}

static int
no_letters(struct str name, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%.*s: has no letters",
		       (int)(name.n < 99 ? name.n : 99), name.p);
}

static int
show(struct ebwt_seqs *s, const struct part *p, struct ebwt_seq *q,
     struct err *e)
{
	uint8_t *tight;

	*q = (struct ebwt_seq){
		.run = p->run, .prob = p->prob, .file = p->file,
		.ordinal = p->ordinal,
		.name = { (char *)s->names.p + p->name_at, p->name_n },
		.n = p->n, .part = (size_t)(p - s->part),
		.letters = p->letters.p,
	};
	if (!p->name_n)
		q->name.p = "";
	q->full = p->full_n ? (struct str){
		(char *)s->names.p + p->full_at, p->full_n } : q->name;
	if (!p->last)
		return err_set(e, ERR_INCOMPLETE, "%.*s: letters from %llu on "
			       "are missing",
			       (int)(q->name.n < 99 ? q->name.n : 99),
			       q->name.p, (unsigned long long)p->end);
	if (!q->n)
		return no_letters(q->name, e);
	if (!p->letters.p)
		return 0;
	tight = realloc(p->letters.p, p->letters.n);
	q->letters = tight ? tight : p->letters.p;
	return 0;
}

int
ebwt_seqs_finish(struct ebwt_seqs *s, const struct ebwt_seq **v, size_t *n,
		 struct err *e)
{
	int rc = add_early(s, e);

	if (rc)
		return rc;
	s->seq = malloc((s->n_parts + 1) * sizeof *s->seq);
	if (!s->seq)
		return err_nomem(e, s->n_parts * sizeof *s->seq);
	for (size_t i = 0; i < s->n_parts && !rc; i++) {
		rc = show(s, &s->part[i], &s->seq[i], e);
		if (!rc)	/* memory may have moved */
			s->part[i].letters.p =
			    (uint8_t *)(uintptr_t)s->seq[i].letters;
	}
	if (!rc && s->n_parts)
		qsort(s->seq, s->n_parts, sizeof *s->seq, by_run);
	*v = s->seq;
	*n = s->n_parts;
	return rc;
}
