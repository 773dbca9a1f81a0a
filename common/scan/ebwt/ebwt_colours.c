/* SPDX-License-Identifier: MIT */
/* ebwt_colours.c - sequences to colours: by file, prefix or a table */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/ebwt/ebwt_scan_priv.h"

/* A name as a message shows it. */
static int
short_n(struct str s)
{
	return (int)(s.n < 99 ? s.n : 99);
}

static bool
same(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static uint64_t
hash_of(struct str s)
{
	return hash64(s.p, s.n, 0);
}

/* A table. */

/* The row of that name, by a hash or, of equal ones, by those behind it. */
static struct ebwt_by_row *
row_of(const struct ebwt_by *b, struct str name)
{
	uint64_t hash = hash_of(name);
	size_t i;

	for (uint64_t k = 0; (i = index_number(&b->by_name, hash, k)); k++)
		if (same(b->row[i - 1].record, name))
			return &b->row[i - 1];
	return NULL;
}

static int
add_row(struct ebwt_by *b, struct str record, struct str group,
	unsigned long long line, const char *path, struct err *e)
{
	uint64_t hash = hash_of(record), k = 0;
	int rc = array_room(&b->row, &b->cap, b->n + 1, sizeof *b->row, e);

	if (rc)
		return rc;
	if (row_of(b, record))
		return err_set(e, ERR_FORMAT, "%s: line %llu: %.*s is there "
			       "twice", path, line, short_n(record), record.p);
	while (index_number(&b->by_name, hash, k))
		k++;
	b->row[b->n++] = (struct ebwt_by_row){ record, group, 0 };
	return index_set_number(&b->by_name, hash, k, b->n) ? 0 :
	       err_nomem(e, b->n * sizeof *b->row);
}

static int
take_line(struct ebwt_by *b, const char *p, size_t n, unsigned long long line,
	  const char *path, struct err *e)
{
	const char *tab = n ? memchr(p, '\t', n) : NULL;
	struct str record = { p, 0 }, group;

	if (n && p[n - 1] == '\r')
		n--;
	if (!n || *p == '#')
		return 0;
	record.n = tab ? (size_t)(tab - p) : 0;
	group = (struct str){ p + record.n + 1, tab ? n - record.n - 1 : 0 };
	while (group.n && group.p[group.n - 1] == ' ')
		group.n--;
	if (!record.n || (group.n && memchr(group.p, '\t', group.n)))
		return err_set(e, ERR_FORMAT, "%s: line %llu: not a record, a "
			       "tab and its group", path, line);
	if (!group.n)
		return err_set(e, ERR_FORMAT, "%s: line %llu: %.*s is of an "
			       "empty group", path, line, short_n(record), p);
	return add_row(b, record, group, line, path, e);
}

static int
take_lines(struct ebwt_by *b, const char *path, struct err *e)
{
	const char *p = (const char *)b->text.p, *end = p + b->text.n, *nl;
	unsigned long long line = 0;
	int rc = 0;

	for (; p < end && !rc; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		rc = take_line(b, p, (size_t)(nl - p), ++line, path, e);
	}
	if (!rc && !b->n)
		rc = err_set(e, ERR_FORMAT, "%s: no record and its group",
			     path);
	return rc;
}

static int
read_table(struct ebwt_by *b, const char *path, struct err *e)
{
	int rc = source_text(path, SIZE_MAX, "table", &b->text, e);

	if (!rc)
		rc = take_lines(b, strcmp(path, "-") ? path : "stdin", e);
	b->hash = hash64(b->text.p, b->text.n, EBWT_BY_TABLE);
	return rc;
}

int
ebwt_by_parse(struct ebwt_by *b, const char *arg, struct err *e)
{
	static const char prefix[] = "prefix:";
	size_t n = sizeof prefix - 1;

	memset(b, 0, sizeof *b);
	if (!arg || strcmp(arg, "record") == 0)
		return 0;
	b->kind = EBWT_BY_FILE;
	if (strcmp(arg, "file") == 0)
		return 0;
	if (strncmp(arg, prefix, n) == 0 && arg[n]) {
		b->kind = EBWT_BY_PREFIX;
		b->separator = (struct str){ arg + n, strlen(arg + n) };
		b->hash = hash64(arg, strlen(arg), EBWT_BY_PREFIX);
		return 0;
	}
	b->kind = EBWT_BY_TABLE;
	return *arg == '@' && arg[1] ? read_table(b, arg + 1, e) :
	       err_set(e, ERR_USAGE, "--by %.200s: must be record, file, "
		       "prefix:C or @TABLE", arg);
}

void
ebwt_by_free(struct ebwt_by *b)
{
	buf_free(&b->text);
	free(b->row);
	index_free(&b->by_name);
	memset(b, 0, sizeof *b);
}

int
ebwt_by_check(const struct ebwt_by *b, void (*remark)(const char *text),
	      struct err *e)
{
	char text[200];

	for (size_t i = 0; i < b->n; i++)
		if (!b->row[i].found)
			return err_set(e, ERR_FORMAT, "--by: no sequence is "
				       "called %.*s",
				       short_n(b->row[i].record),
				       b->row[i].record.p);
	if (b->twice && remark) {
		snprintf(text, sizeof text, "--by: two sequences are called "
			 "%.*s: both are of its group",
			 short_n(b->twice->record), b->twice->record.p);
		remark(text);
	}
	return 0;
}

/* Colours. */

static struct str
without_suffix(struct str s)
{
	static const char *const ext[] = {
		".fa", ".fasta", ".fna", ".faa", ".fas", ".fq", ".fastq",
		".2bit",
	};

	for (size_t i = 0; i < sizeof ext / sizeof *ext; i++) {
		size_t n = strlen(ext[i]);

		if (s.n > n && memcmp(s.p + s.n - n, ext[i], n) == 0)
			return (struct str){ s.p, s.n - n };
	}
	return s;
}

static int
by_prefix(const struct ebwt_by *b, struct str name, struct str *to,
	  struct err *e)
{
	size_t k = b->separator.n, i = 0;

	while (i + k <= name.n && memcmp(name.p + i, b->separator.p, k) != 0)
		i++;
	*to = (struct str){ name.p, i + k <= name.n ? i : name.n };
	return to->n ? 0 : err_set(e, ERR_FORMAT, "%.*s: nothing is before "
				   "the first %.*s: a group without a name",
				   short_n(name), name.p,
				   short_n(b->separator), b->separator.p);
}

static int
by_table(struct ebwt_by *b, struct str name, struct str *to, struct err *e)
{
	struct ebwt_by_row *r = row_of(b, name);

	if (!r)
		return err_set(e, ERR_FORMAT, "%.*s: is in no group of the "
			       "table", short_n(name), name.p);
	if (r->found == b->calls && !b->twice)
		b->twice = r;
	r->found = b->calls;
	*to = r->group;
	return 0;
}

/* The name of the colour that the sequence is of. */
static int
colour_name(struct ebwt_by *b, const struct ebwt_seq *q,
	    const struct str *file, size_t n_files, struct str *to,
	    struct err *e)
{
	switch (b->kind) {
	case EBWT_BY_FILE:
		if (!q->file || q->file > n_files)
			return err_set(e, ERR_USAGE, "--by=file: the stream "
				       "does not say which file %.*s came "
				       "from: cut it by this version of "
				       "fasta-chunk", short_n(q->name),
				       q->name.p);
		*to = without_suffix(file[q->file - 1]);
		return 0;
	case EBWT_BY_PREFIX:
		return by_prefix(b, q->name, to, e);
	case EBWT_BY_TABLE:
		return by_table(b, q->name, to, e);
	default:
		*to = q->name;
		return 0;
	}
}

/* Records are colours of their own, with their ordinals; others have ordinals
 * that no record has, and that no other grouping has. */
static uint64_t
colour_ordinal(const struct ebwt_by *b, const struct ebwt_seq *q, size_t i)
{
	uint64_t kind = hash64(&b->hash, sizeof b->hash, b->kind) >> 33;

	return b->kind == EBWT_BY_RECORD ? q->ordinal :
	       1ull << 63 | kind << 32 | i;
}

/* Number of the colour of that name, from 1; 0: there is none yet. */
static size_t
find(const struct ebwt_colours *c, struct str name, uint64_t *k)
{
	uint64_t hash = hash_of(name);
	size_t i;

	for (*k = 0; (i = index_number(&c->by_name, hash, *k)); ++*k)
		if (same(c->v[i - 1].name, name))
			return i;
	return 0;
}

static int
add_seq(struct ebwt_colours *c, struct ebwt_by *b, const struct ebwt_seq *q,
	struct str name, uint32_t *of, struct err *e)
{
	uint64_t k = 0;
	size_t i = b->kind == EBWT_BY_RECORD ? 0 : find(c, name, &k);
	struct ebwt_seq *to;

	if (!i) {
		if (array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e))
			return e->code;
		c->v[c->n] = *q;
		c->v[c->n].ordinal = colour_ordinal(b, q, c->n);
		c->v[c->n].name = name;
		if (b->kind != EBWT_BY_RECORD)
			c->v[c->n].full = name;
		*of = (uint32_t)c->n++;
		return b->kind == EBWT_BY_RECORD ||
		       index_set_number(&c->by_name, hash_of(name), k, c->n) ?
		       0 : err_nomem(e, c->n * sizeof *c->v);
	}
	to = &c->v[i - 1];
	if (b->kind == EBWT_BY_FILE && to->file != q->file)
		return err_set(e, ERR_FORMAT, "two files are called %.*s: "
			       "genomes need names that differ",
			       short_n(name), name.p);
	to->n += q->n;
	to->letters = NULL;
	c->several = true;
	*of = (uint32_t)(i - 1);
	return 0;
}

/* Is there a sequence of each file? */
static int
check_files(const struct ebwt_seq *seq, size_t n, const struct str *file,
	    size_t n_files, struct err *e)
{
	uint8_t *has = calloc(n_files + 1, 1);
	int rc = has ? 0 : err_nomem(e, n_files);

	for (size_t i = 0; i < n && has; i++)
		has[seq[i].file] = 1;
	for (size_t i = 1; i <= n_files && !rc; i++)
		if (!has[i])
			rc = err_set(e, ERR_FORMAT, "--by=file: no letters "
				     "came from %.*s", short_n(file[i - 1]),
				     file[i - 1].p);
	free(has);
	return rc;
}

int
ebwt_colours_of(struct ebwt_colours *c, struct ebwt_by *b,
		const struct ebwt_seq *seq, size_t n, const struct str *file,
		size_t n_files, struct err *e)
{
	int rc = 0;

	memset(c, 0, sizeof *c);
	b->calls++;
	c->of = malloc((n + 1) * sizeof *c->of);
	if (!c->of)
		return err_nomem(e, n * sizeof *c->of);
	for (size_t i = 0; i < n && !rc; i++) {
		struct str name = { "", 0 };

		rc = colour_name(b, &seq[i], file, n_files, &name, e);
		if (!rc)
			rc = add_seq(c, b, &seq[i], name, &c->of[i], e);
	}
	if (!rc && b->kind == EBWT_BY_FILE)
		rc = check_files(seq, n, file, n_files, e);
	return rc;
}

void
ebwt_colours_free(struct ebwt_colours *c)
{
	free(c->v);
	free(c->of);
	index_free(&c->by_name);
	memset(c, 0, sizeof *c);
}

int
ebwt_colours_meet(const struct ebwt_colours *c, struct index *seen,
		  struct err *e)
{
	for (size_t i = 0; i < c->n; i++) {
		struct str s = c->v[i].name;
		/* 128 bits of hash: no two names have the same */
		uint64_t a = hash_of(s), b = hash64(s.p, s.n, 1);

		if (index_number(seen, a, b))
			return err_set(e, ERR_FORMAT, "%.*s: in two runs of "
				       "the stream, which are compared apart: "
				       "cut all files by one fasta-chunk",
				       short_n(s), s.p);
		if (!index_set_number(seen, a, b, 1))
			return err_nomem(e, c->n * sizeof a);
	}
	return 0;
}

/* The other strand. */

/* Of upper case, as ebwt.h has it; 0 for letters of proteins alone. */
static void
complements(uint8_t map[256])
{
	static const char none[] = "EFIJLOPQZ";

	for (unsigned c = 0; c < 256; c++)
		map[c] = memchr(none, (int)c, sizeof none - 1) ? 0 :
			 dna_complement((uint8_t)c);
}

/* False: a letter has no complement. */
static bool
reverse(uint8_t *to, const uint8_t *s, uint64_t n, const uint8_t map[256])
{
	for (uint64_t i = 0; i < n; i++)
		to[n - 1 - i] = map[s[i]];
	return !memchr(to, 0, n);
}

/* A position's A, C, G, T become T, G, C, A. */
static void
reverse_matrix(uint8_t *to, const uint8_t *s, uint64_t n)
{
	for (uint64_t i = 0; i < 4 * n; i++)
		memcpy(to + 4 * (4 * n - 1 - i), s + 4 * i, 4);
}

int
ebwt_reverse(uint8_t *to, const struct ebwt_seq *q, struct err *e)
{
	uint8_t map[256];

	if (q->prob) {
		reverse_matrix(to, q->letters, q->n);
		return 0;
	}
	complements(map);
	return reverse(to, q->letters, q->n, map) ? 0 :
	       err_set(e, ERR_FORMAT, "%.*s: -s both is for DNA and RNA: it "
		       "has a letter that is none of theirs", short_n(q->name),
		       q->name.p);
}

/* Words behind those of the others, of colours that are counted on. */
static void
add_side(struct ebwt_painted *p, const struct ebwt_side *d, size_t before)
{
	for (size_t i = 0; i < d->n; i++) {
		if (p->of)
			p->of[p->n] = (uint32_t)before + d->colours->of[i];
		p->word[p->n++] = (struct ebwt_word){ d->seq[i].letters,
						      d->seq[i].n };
	}
}

static int
add_reverse(struct ebwt_painted *p, const struct ebwt_side *d, uint8_t **to,
	    size_t at, struct err *e)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct ebwt_seq *q = &d->seq[i];

		if (ebwt_reverse(*to, q, e))
			return e->code;
		p->of[p->n] = p->of[at + i];
		p->word[p->n++] = (struct ebwt_word){ *to, q->n };
		*to += q->n;
	}
	return 0;
}

/* ERR_LIMIT names a colour of too many letters. */
static int
check_letters(const struct ebwt_colours *c, bool both, struct err *e)
{
	uint64_t most = EBWT_MAX_WORD / (both ? 2 : 1);

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].n > most)
			return err_set(e, ERR_LIMIT, "%.*s: %llu letters: more "
				       "than %llu", short_n(c->v[i].name),
				       c->v[i].name.p, (unsigned long long)
				       c->v[i].n, (unsigned long long)most);
	return 0;
}

int
ebwt_paint(struct ebwt_painted *p, const struct ebwt_side side[2], bool both,
	   struct err *e)
{
	size_t n = (side[0].n + side[1].n) * (both ? 2 : 1) + 1;
	uint64_t letters = 0;
	uint8_t *to;
	int rc = 0;

	memset(p, 0, sizeof *p);
	for (int k = 0; k < 2; k++) {
		if (side[k].colours && check_letters(side[k].colours, both, e))
			return e->code;
		for (size_t i = 0; i < side[k].n; i++)
			letters += side[k].seq[i].n;
	}
	p->word = malloc(n * sizeof *p->word);
	p->of = side[1].colours ? malloc(n * sizeof *p->of) : NULL;
	p->reverse = to = both ? malloc(letters + 1) : NULL;
	if (!p->word || (!p->of && side[1].colours) || (!to && both))
		return err_nomem(e, n * sizeof *p->word + letters);
	add_side(p, &side[0], 0);
	add_side(p, &side[1], side[0].colours ? side[0].colours->n : 0);
	if (both)
		rc = add_reverse(p, &side[0], &to, 0, e);
	if (both && !rc)
		rc = add_reverse(p, &side[1], &to, side[0].n, e);
	return rc;
}

void
ebwt_painted_free(struct ebwt_painted *p)
{
	free(p->word);
	free(p->of);
	free(p->reverse);
	memset(p, 0, sizeof *p);
}
