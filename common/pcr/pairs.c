/* SPDX-License-Identifier: MIT */
/* pairs.c - pairs of primers, from files of several kinds */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "letters/letters.h"
#include "pcr/pcr.h"

enum {
	MAX_BYTES = 1 << 30,	/* of a file */
	MAX_COLUMNS = 8,	/* that are looked at */
	TEXT_BLOCK = 1 << 16,
};
#define MAX_PAIRS 10000000

/* Strings that stay where they are. */

struct pcr_text {
	struct pcr_text *next;
	size_t n, cap;
	char bytes[];
};

/* Room for n bytes; NULL: no memory. */
static char *
text_room(struct pcr_pairs *p, size_t n)
{
	struct pcr_text *t = p->text;
	size_t cap = n > TEXT_BLOCK ? n : TEXT_BLOCK;

	if (!t || t->cap - t->n < n) {
		t = malloc(sizeof *t + cap);
		if (!t)
			return NULL;
		*t = (struct pcr_text){ .next = p->text, .cap = cap };
		p->text = t;
	}
	t->n += n;
	return t->bytes + t->n - n;
}

/* Strings, one behind the other. */
static int
text_join(struct pcr_pairs *p, struct str *to, const struct str *s, size_t n,
	  struct err *e)
{
	size_t size = 0;
	char *at;

	for (size_t i = 0; i < n; i++)
		size += s[i].n;
	at = text_room(p, size);
	if (!at)
		return err_nomem(e, size);
	*to = (struct str){ at, size };
	for (size_t i = 0; i < n; at += s[i++].n)
		if (s[i].n)
			memcpy(at, s[i].p, s[i].n);
	return 0;
}

/* Names of queries end at a blank: such bytes become %XX, as in tables. */
static int
text_name(struct pcr_pairs *p, struct str *to, struct str s, struct str side,
	  struct err *e)
{
	static const char hex[] = "0123456789ABCDEF";
	char *at = text_room(p, 3 * s.n + side.n);

	if (!at)
		return err_nomem(e, 3 * s.n + side.n);
	to->p = at;
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = (uint8_t)s.p[i];

		if (c > ' ' && c != 0x7f) {
			*at++ = (char)c;
			continue;
		}
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	if (side.n)
		memcpy(at, side.p, side.n);
	to->n = (size_t)(at - to->p) + side.n;
	return 0;
}

/* Lines and words of a file in memory. */

struct reading {
	struct pcr_pairs *p;
	const char *path;
	const struct pcr_pairs_params *pp;
	const char *at, *end;
	uint64_t line;
	bool own;		/* primers have their own names */
	struct amplicon *amplicon;
	size_t n_amplicons, cap_amplicons;
	struct index by_name;	/* of them, number + 1 */
	struct index given;	/* names of primers of pools */
	struct side_of {
		size_t amplicon, next;
		uint32_t primer;
		struct str alt;
	} *side;
	size_t n_sides, cap_sides;
};

static int __attribute__((format(printf, 3, 4)))
err_line(const struct reading *r, struct err *e, const char *fmt, ...)
{
	char text[500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(e, ERR_USAGE, "%s:%llu: %s", r->path,
		       (unsigned long long)r->line, text);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str
trim(struct str s)
{
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	while (s.n && is_blank(*s.p)) {
		s.p++;
		s.n--;
	}
	return s;
}

/* The next line that is neither blank nor a comment; false: the end. */
static bool
next_line(struct reading *r, struct str *line)
{
	while (r->at < r->end) {
		const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
		struct str s = { r->at, (size_t)((nl ? nl : r->end) - r->at) };

		r->at += s.n + (nl != NULL);
		r->line++;
		if (!trim(s).n || *trim(s).p == '#')
			continue;
		if (s.p[s.n - 1] == '\r')
			s.n--;
		*line = s;
		return true;
	}
	return false;
}

/* Columns between tabs, or, without any, between blanks; how many there are,
 * of which MAX_COLUMNS are stored. */
static size_t
columns(struct str line, struct str *to)
{
	bool tabs = memchr(line.p, '\t', line.n) != NULL;
	size_t n = 0;

	if (!tabs)
		line = trim(line);
	while (true) {
		const char *cut = memchr(line.p, tabs ? '\t' : ' ', line.n);
		struct str s = { line.p, cut ? (size_t)(cut - line.p) :
					       line.n };

		if (n < MAX_COLUMNS)
			to[n] = trim(s);
		n += tabs || s.n;
		if (!cut)
			break;
		line.n -= s.n + 1;
		line.p += s.n + 1;
	}
	while (n && n <= MAX_COLUMNS && !to[n - 1].n)
		n--;
	return n;
}

/* Primers and pairs. */

static void
hashes(struct str s, uint64_t h[2])
{
	h[0] = hash64(s.p, s.n, 0);
	h[1] = hash64(s.p, s.n, 1);
}

static bool
same(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

size_t
pcr_pairs_find(const struct pcr_pairs *p, struct str name)
{
	uint64_t h[2];
	size_t i;

	hashes(name, h);
	i = index_number(&p->names, h[0], h[1]);
	return i && same(p->primer[i - 1].name, name) ? i - 1 : p->n_primers;
}

static int
check_letters(const struct reading *r, struct str name, const char *which,
	      struct str s, struct err *e)
{
	if (!s.n)
		return err_line(r, e, "%.*s: the %s has no letters",
				(int)min_u64(name.n, 100), name.p, which);
	for (size_t i = 0; i < s.n; i++)
		if (!dna_set((uint8_t)s.p[i]))
			return err_line(r, e, "%.*s: the %s has '%c', "
					"which is no IUPAC letter of DNA",
					(int)min_u64(name.n, 100), name.p,
					which, s.p[i]);
	return 0;
}

/* The primer, which is complete, can be found, and counts. */
static int
note_name(struct reading *r, const struct pcr_primer *x, struct err *e)
{
	struct pcr_pairs *p = r->p;
	uint64_t h[2];

	hashes(x->name, h);
	if (index_number(&p->names, h[0], h[1]))
		return err_line(r, e, "%.*s: the second one of that name",
				(int)min_u64(x->name.n, 100), x->name.p);
	p->n_probes += x->probe;
	p->n_primers++;
	return index_set_number(&p->names, h[0], h[1], p->n_primers) ? 0 :
	       err_nomem(e, sizeof *x);
}

/* A primer called NAME/F, say, or a probe; *number is what it gets. */
static int
add_primer(struct reading *r, struct str name, bool reverse,
	   struct str letters, uint32_t *number, struct err *e)
{
	static const char *const ends[][2] = {
		{ "/F", "/R" }, { "/F2", "/R2" }, { "", "" },
	};
	const char *end = ends[r->own ? 2 : r->pp->role == PCR_INNER][reverse];
	struct str side = { end, strlen(end) };
	bool probe = r->pp->role == PCR_PROBES;
	struct pcr_pairs *p = r->p;
	struct pcr_primer *x;
	int rc = check_letters(r, name, probe ? "probe" : r->own ? "primer" :
			       reverse ? "reverse primer" : "forward primer",
			       letters, e);

	if (!rc)
		rc = array_room(&p->primer, &p->cap_primers, p->n_primers + 1,
				sizeof *p->primer, e);
	if (rc)
		return rc;
	x = &p->primer[p->n_primers];
	x->line = r->line;
	x->path = r->path;
	x->probe = probe;
	rc = text_name(p, &x->name, name, side, e);
	if (!rc)
		rc = text_join(p, &x->letters, &letters, 1, e);
	*number = (uint32_t)p->n_primers;
	return rc ? rc : note_name(r, x, e);
}

static int
add_pair(struct reading *r, struct pcr_pair *pair, struct err *e)
{
	struct pcr_pairs *p = r->p;
	int rc;

	pair->inner = r->pp->role == PCR_INNER;
	if (p->n_pairs == MAX_PAIRS)
		return err_set(e, ERR_LIMIT, "%s: more than %d pairs", r->path,
			       MAX_PAIRS);
	rc = array_room(&p->pair, &p->cap_pairs, p->n_pairs + 1,
			sizeof *p->pair, e);
	if (!rc)
		p->pair[p->n_pairs++] = *pair;
	return rc;
}

/* Lines of name, forward, reverse, min, max. */

static int
read_number(const struct reading *r, struct str s, const char *what,
	    uint64_t *to, struct err *e)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || i > 11)
			return err_line(r, e, "%s of a product: %.*s is no "
					"number of letters", what,
					(int)min_u64(s.n, 40), s.p);
		v = 10 * v + (uint64_t)(s.p[i] - '0');
	}
	if (!s.n || !v)
		return err_line(r, e, "%s of a product: must be at least 1",
				what);
	*to = v;
	return 0;
}

static int
read_limits(const struct reading *r, struct pcr_pair *p, const struct str *c,
	    struct err *e)
{
	int rc = read_number(r, c[3], "min", &p->min, e);

	if (!rc)
		rc = read_number(r, c[4], "max", &p->max, e);
	if (!rc && p->min > p->max)
		rc = err_line(r, e, "min %llu is above max %llu",
			      (unsigned long long)p->min,
			      (unsigned long long)p->max);
	p->limits = true;
	return rc;
}

static int
read_pair(struct reading *r, struct str line, struct err *e)
{
	struct str c[MAX_COLUMNS] = { { NULL, 0 } };
	size_t n = columns(line, c);
	struct pcr_pair pair = { .limits = false };
	int rc = 0;

	if (n != 2 && n != 3 && n != 5)
		return err_line(r, e, "%zu columns: a pair is name, forward "
				"primer, reverse primer, and perhaps min and "
				"max, with tabs between", n);
	if (!c[0].n)
		return err_line(r, e, "the pair has no name");
	if (n == 5)
		rc = read_limits(r, &pair, c, e);
	if (!rc)
		rc = text_join(r->p, &pair.name, c, 1, e);
	if (!rc)
		rc = add_primer(r, c[0], false, c[1], &pair.f, e);
	pair.r = pair.f;
	if (!rc && c[2].n)
		rc = add_primer(r, c[0], true, c[2], &pair.r, e);
	return rc ? rc : add_pair(r, &pair, e);
}

/* Sides by name. */

/* Is s the word, which is in upper case, in any case? */
static bool
is_word(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

bool
pcr_side(struct pcr_side *s, struct str name)
{
	static const char *const word[][2] = {
		{ "LEFT", "RIGHT" }, { "F", "R" }, { "FWD", "REV" },
		{ "FW", "RV" }, { "FOR", "REV" }, { "FORWARD", "REVERSE" },
	};
	size_t end = name.n;

	for (size_t i = name.n; i-- > 1;) {
		struct str w = { name.p + i + 1, end - i - 1 };

		if (!strchr("_/.-", name.p[i]) || !name.p[i])
			continue;
		for (size_t k = 0; k < 2 * sizeof word / sizeof *word; k++) {
			if (!is_word(w, word[k / 2][k % 2]) ||
			    (k > 1 && end < name.n))
				continue;
			s->stem = (struct str){ name.p, i };
			s->alt = (struct str){ name.p + end, name.n - end };
			s->reverse = k % 2;
			return true;
		}
		end = i;
	}
	return false;
}

/* Primers of one name and pool. */
struct amplicon {
	struct str name, pool;
	uint64_t line;		/* of the first one */
	size_t first[2], last[2];	/* sides, + 1: LEFT, RIGHT */
};

static int
find_amplicon(struct reading *r, struct str name, struct str pool,
	      size_t *number, struct err *e)
{
	uint64_t h[2] = { hash64(name.p, name.n, hash64(pool.p, pool.n, 0)),
			  hash64(name.p, name.n, 1) };
	size_t i = index_number(&r->by_name, h[0], h[1]);
	struct amplicon *a;
	int rc;

	if (i && same(r->amplicon[i - 1].name, name)) {
		*number = i - 1;
		return 0;
	}
	rc = array_room(&r->amplicon, &r->cap_amplicons, r->n_amplicons + 1,
			sizeof *a, e);
	if (rc)
		return rc;
	a = &r->amplicon[r->n_amplicons];
	*a = (struct amplicon){ .name = name, .pool = pool, .line = r->line };
	*number = r->n_amplicons++;
	return index_set_number(&r->by_name, h[0], h[1], r->n_amplicons) ?
	       0 : err_nomem(e, sizeof *a);
}

/* What a primer is called as a query: NAME/F, of alternates NAME_LEFT_alt1/F,
 * whichever of them comes first. */
static int
side_name(struct reading *r, const struct pcr_side *s, bool plain,
	  struct str *to, struct err *e)
{
	struct str part[3] = { s->stem, s->reverse ? (struct str){ "_RIGHT", 6 }
			       : (struct str){ "_LEFT", 5 }, s->alt };

	return text_join(r->p, to, part, plain ? 1 : 3, e);
}

/* Of a side, the one that is no alternate, or else the first. */
static size_t
plain_side(const struct reading *r, size_t first)
{
	for (size_t i = first; i; i = r->side[i - 1].next)
		if (!r->side[i - 1].alt.n)
			return i;
	return first;
}

/* A name that comes twice in a pool is no alternate. */
static int
note_given(struct reading *r, const struct pcr_side *s, struct str pool,
	   struct err *e)
{
	struct str name = { s->stem.p, (size_t)(s->alt.p - s->stem.p) +
				       s->alt.n };
	uint64_t h = hash64(pool.p, pool.n, 0);
	uint64_t a = hash64(name.p, name.n, h), b = hash64(name.p, name.n, ~h);

	if (index_number(&r->given, a, b))
		return err_line(r, e, "%.*s: the second one of that name",
				(int)min_u64(name.n, 100), name.p);
	return index_set_number(&r->given, a, b, 1) ? 0 :
	       err_nomem(e, sizeof name);
}

static int
add_side(struct reading *r, const struct pcr_side *s, struct str pool,
	 struct str letters, struct err *e)
{
	struct side_of x = { .alt = s->alt };
	struct str name = { NULL, 0 };
	struct amplicon *a = NULL;
	size_t n = r->n_sides, i = 0;
	int rc = note_given(r, s, pool, e);

	if (!rc)
		rc = find_amplicon(r, s->stem, pool, &x.amplicon, e);
	if (!rc)
		rc = array_room(&r->side, &r->cap_sides, n + 1,
				sizeof *r->side, e);
	if (!rc) {
		a = &r->amplicon[x.amplicon];
		if (!s->alt.n)
			i = plain_side(r, a->first[s->reverse]);
		rc = side_name(r, s, !s->alt.n && (!i || r->side[i - 1].alt.n),
			       &name, e);
	}
	if (!rc)
		rc = add_primer(r, name, s->reverse, letters, &x.primer, e);
	if (rc)
		return rc;
	r->side[n] = x;
	r->n_sides++;
	if (!a->first[s->reverse])
		a->first[s->reverse] = n + 1;
	else
		r->side[a->last[s->reverse] - 1].next = n + 1;
	a->last[s->reverse] = n + 1;
	return 0;
}

/* Each LEFT with each RIGHT; alternates are named. */
static int
pair_sides(struct reading *r, const struct amplicon *a, struct err *e)
{
	static const struct str left = { "_LEFT", 5 }, right = { "_RIGHT", 6 };
	size_t plain[2] = { plain_side(r, a->first[0]),
			    plain_side(r, a->first[1]) };
	int rc = 0;

	for (size_t i = a->first[0]; i && !rc; i = r->side[i - 1].next)
		for (size_t k = a->first[1]; k && !rc;
		     k = r->side[k - 1].next) {
			const struct side_of *f = &r->side[i - 1];
			const struct side_of *v = &r->side[k - 1];
			struct pcr_pair pair = { .f = f->primer,
						 .r = v->primer };
			struct str part[5] = { a->name };
			size_t n = 1;

			if (i != plain[0]) {
				part[n++] = left;
				part[n++] = f->alt;
			}
			if (k != plain[1]) {
				part[n++] = right;
				part[n++] = v->alt;
			}
			rc = text_join(r->p, &pair.name, part, n, e);
			if (!rc)
				rc = add_pair(r, &pair, e);
		}
	return rc;
}

static int
pair_amplicons(struct reading *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_amplicons && !rc; i++) {
		const struct amplicon *a = &r->amplicon[i];
		int lacks = a->first[0] ? 1 : 0;

		r->line = a->line;
		if (!a->first[lacks] && !r->pp->alone)
			return err_line(r, e, "%.*s has no %s primer%s%.*s",
					(int)min_u64(a->name.n, 100),
					a->name.p, lacks ? "RIGHT (reverse)" :
					"LEFT (forward)",
					a->pool.n ? " in pool " : "",
					(int)min_u64(a->pool.n, 40),
					a->pool.n ? a->pool.p : "");
		rc = pair_sides(r, a, e);
	}
	return rc;
}

/* BED of a scheme. */

static bool
is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n;
}

static bool
is_bed(struct str line)
{
	struct str c[MAX_COLUMNS] = { { NULL, 0 } };

	return columns(line, c) >= 6 && is_number(c[1]) && is_number(c[2]) &&
	       c[5].n == 1 && strchr("+-.", *c[5].p);
}

/* Lines that genome browsers want. */
static bool
is_track(struct str line)
{
	return (line.n > 6 && memcmp(line.p, "track ", 6) == 0) ||
	       (line.n > 8 && memcmp(line.p, "browser ", 8) == 0);
}

static struct str
letters_by_name(const struct reading *r, struct str name)
{
	const struct queries *q = r->pp->letters;

	for (size_t i = 0; q && i < q->n; i++)
		if (same(q->v[i].name, name))
			return q->v[i].letters;
	return (struct str){ NULL, 0 };
}

static int
read_bed(struct reading *r, struct str line, struct err *e)
{
	struct str c[MAX_COLUMNS] = { { NULL, 0 } };
	struct pcr_side side;
	uint32_t number;

	if (is_track(line))
		return 0;
	if (!is_bed(line))
		return err_line(r, e, "is no line of BED with a name, a pool "
				"and a strand, as the first one is");
	columns(line, c);
	if (!r->own && !pcr_side(&side, c[3]))
		return err_line(r, e, "%.*s: the name says neither LEFT nor "
				"RIGHT", (int)min_u64(c[3].n, 100), c[3].p);
	if (!c[6].n)
		c[6] = letters_by_name(r, c[3]);
	if (!c[6].n)
		return err_line(r, e, "%.*s has no letters: neither in column "
				"7, nor by that name in -q FASTA",
				(int)min_u64(c[3].n, 100), c[3].p);
	return r->own ? add_primer(r, c[3], false, c[6], &number, e) :
			add_side(r, &side, c[4], c[6], e);
}

/* FASTA. */

/* A record whose letters are gathered. */
struct record {
	struct str name;
	uint64_t line;
	struct buf letters;
};

static int
end_record(struct reading *r, struct record *x, struct err *e)
{
	struct str letters = { (char *)x->letters.p, x->letters.n };
	uint64_t line = r->line;
	struct pcr_side side;
	uint32_t number;
	int rc;

	if (x->letters.bad)
		return err_nomem(e, x->letters.n);
	r->line = x->line;
	if (r->own)
		rc = add_primer(r, x->name, false, letters, &number, e);
	else if (pcr_side(&side, x->name))
		rc = add_side(r, &side, (struct str){ NULL, 0 }, letters, e);
	else if (r->pp->alone)
		rc = add_primer(r, x->name, false, letters, &number, e);
	else
		rc = err_line(r, e, "%.*s: the name does not say which of a "
			      "pair it is: NAME/F and NAME/R, or NAME_LEFT and "
			      "NAME_RIGHT do", (int)min_u64(x->name.n, 100),
			      x->name.p);
	r->line = line;
	return rc;
}

static int
begin_record(struct reading *r, struct record *x, struct str line,
	     struct err *e)
{
	size_t n = 0;

	line = trim((struct str){ line.p + 1, line.n - 1 });
	while (n < line.n && !is_blank(line.p[n]))
		n++;
	x->name = (struct str){ line.p, n };
	x->line = r->line;
	x->letters.n = 0;
	return n ? 0 : err_line(r, e, "the primer has no name");
}

static int
read_fasta(struct reading *r, struct str line, struct err *e)
{
	struct record x = { .line = 0 };
	int rc = begin_record(r, &x, line, e);

	while (!rc && next_line(r, &line)) {
		if (*line.p == '>') {
			rc = end_record(r, &x, e);
			if (!rc)
				rc = begin_record(r, &x, line, e);
			continue;
		}
		for (size_t i = 0; i < line.n; i++)
			if (!is_blank(line.p[i]))
				buf_u8(&x.letters, (uint8_t)line.p[i]);
	}
	if (!rc)
		rc = end_record(r, &x, e);
	buf_free(&x.letters);
	return rc;
}

/* A file of either kind. */

static int
read_all(struct reading *r, struct err *e)
{
	struct str line;
	int rc = 0;
	bool bed, more;

	do {
		more = next_line(r, &line);
	} while (more && is_track(line));
	if (!more)
		return err_set(e, ERR_USAGE, "%s: holds no primer", r->path);
	bed = is_bed(line);
	r->own = r->pp->role == PCR_PROBES ||
		 (r->pp->role == PCR_PRIMERS && (bed || *line.p == '>'));
	if (r->pp->letters && !bed)
		return err_set(e, ERR_USAGE, "-q: %s is no BED, it has the "
			       "letters of its primers", r->path);
	if (*line.p == '>') {
		rc = read_fasta(r, line, e);
		return rc ? rc : pair_amplicons(r, e);
	}
	if (r->pp->role == PCR_PROBES)
		return err_line(r, e, "probes are given as FASTA");
	for (; more && !rc; more = next_line(r, &line))
		rc = bed ? read_bed(r, line, e) : read_pair(r, line, e);
	return rc ? rc : pair_amplicons(r, e);
}

int
pcr_pairs_parse(struct pcr_pairs *p, const char *path, const void *bytes,
		size_t n, const struct pcr_pairs_params *pp, struct err *e)
{
	struct reading r = { .p = p, .pp = pp, .at = bytes,
			     .path = strcmp(path, "-") ? path : "stdin" };
	int rc;

	if (!p->path) {
		p->path = path;
		p->base = base_name(path);
	}
	r.end = n ? r.at + n : r.at;
	rc = read_all(&r, e);
	free(r.amplicon);
	free(r.side);
	index_free(&r.by_name);
	index_free(&r.given);
	if (rc)
		pcr_pairs_free(p);
	return rc;
}

int
pcr_pairs_load(struct pcr_pairs *p, const char *path,
	       const struct pcr_pairs_params *pp, struct err *e)
{
	struct buf b = { 0 };
	int rc = source_text(path, MAX_BYTES, "file of primers", &b, e);

	if (rc)
		pcr_pairs_free(p);
	else
		rc = pcr_pairs_parse(p, path, b.p, b.n, pp, e);
	buf_free(&b);
	return rc;
}

int
pcr_files_load(struct pcr_pairs *p, const struct pcr_files *f,
	       const struct opt_list *letters, struct err *e)
{
	struct pcr_pairs_params pp = { .role = f->role, .alone = f->alone };
	struct queries given = { .n = 0 };
	int rc = 0;

	if (letters->n) {
		rc = queries_load(&given, letters, false, e);
		pp.letters = &given;
	}
	if (!rc)
		rc = pcr_pairs_load(p, f->pairs, &pp, e);
	queries_free(&given);
	pp = (struct pcr_pairs_params){ .role = PCR_INNER };
	if (!rc && f->inner)
		rc = pcr_pairs_load(p, f->inner, &pp, e);
	pp.role = PCR_PROBES;
	if (!rc && f->probes)
		rc = pcr_pairs_load(p, f->probes, &pp, e);
	return rc;
}

void
pcr_pairs_free(struct pcr_pairs *p)
{
	while (p->text) {
		struct pcr_text *t = p->text;

		p->text = t->next;
		free(t);
	}
	index_free(&p->names);
	free(p->primer);
	free(p->pair);
	memset(p, 0, sizeof *p);
}

int
pcr_pairs_queries(const struct pcr_pairs *p, struct queries *q, struct err *e)
{
	memset(q, 0, sizeof *q);
	q->v = calloc(p->n_primers, sizeof *q->v);
	buf_put(&q->heap, p->base.p, p->base.n);
	buf_u8(&q->heap, 0);
	if (!q->v || q->heap.bad) {
		queries_free(q);
		return err_nomem(e, p->n_primers * sizeof *q->v);
	}
	q->n = p->n_primers;
	q->base = (const char *)q->heap.p;
	for (size_t i = 0; i < q->n; i++)
		q->v[i] = (struct query){ .name = p->primer[i].name,
					  .letters = p->primer[i].letters,
					  .where = p->primer[i].path };
	return 0;
}
