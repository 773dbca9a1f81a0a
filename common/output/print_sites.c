/* SPDX-License-Identifier: MIT */
/*
 * print_sites.c - sites of guides: in the columns of Cas-OFFinder 3, and
 * added up; products of primers
 */

#include <inttypes.h>
#include <stdlib.h>

#include "letters/letters.h"
#include "output/output.h"

/*
 * Sites of guides in the columns of Cas-OFFinder 3
 *
 * crRNA and DNA are written against each other, 5' to 3' of the guide, PAM
 * included: - for a letter that the other alone has, lower case in DNA for a
 * mismatch.  The crRNA is the guide, by -q or else of BEGIN, and the PAM given
 * that the site has; the first one that matches, as the search chose it.
 */

/* A site read 5' to 3' of the guide. */
struct reading {
	const struct hit *h;
	struct str guide, pam;
	bool before;		/* the PAM is */
	bool minus;
};

/* The i-th letter of the site. */
static uint8_t
dna_letter(const struct reading *r, uint64_t i)
{
	struct str s = r->h->letters;

	return r->minus ? dna_complement((uint8_t)s.p[s.n - 1 - i]) :
			  (uint8_t)s.p[i];
}

/* Upper case, U as it is; letters come from input. */
static uint8_t
shown(uint8_t c)
{
	c &= 0xdf;
	return (uint8_t)(c - 'A') < 26 ? c : '?';
}

/*
 * Both lines are built from runs of a few letters, whose lengths no processor
 * can guess: so AT_ONCE letters are copied, whatever a run has, and the next
 * one is written over what was too much.
 */
enum { AT_ONCE = 32 };

/* shown() of 8 letters.  From A on bit 7 of the first sum is set, and above Z
 * that of the second. */
static inline uint64_t
shown_8(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t low, letter;

	x &= 0xdf * ones;
	low = x & 0x7f * ones;
	letter = low + (0x80 - 'A') * ones;
	letter &= ~(low + (0x80 - 'Z' - 1) * ones) & ~x & 0x80 * ones;
	letter = (letter >> 7) * 0xff;
	return (x & letter) | ('?' * ones & ~letter);
}

/* n letters as they are shown, and from s + *lower on in lower case, as ? is;
 * there is room for 2 n + 2 AT_ONCE. */
static void
show_letters(uint8_t *s, size_t n, size_t *lower)
{
	uint64_t x;

	*lower = (n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
	memset(s + n, 0, AT_ONCE);
	for (size_t i = 0; i < n; i += 8) {
		memcpy(&x, s + i, 8);
		x = shown_8(x);
		memcpy(s + i, &x, 8);
		x |= 0x2020202020202020;
		memcpy(s + *lower + i, &x, 8);
	}
}

/* One of both lines, of n letters at s. */
static uint8_t *
put_line(uint8_t *p, const struct reading *r, uint8_t *s, size_t n, bool dna)
{
	static const uint8_t dashes[] = "--------------------------------";
	const struct hit *h = r->h;
	/* a site has no S; a frame may hold it */
	unsigned gaps = dna ? 1u << CIGAR_I | 1u << CIGAR_S : 1u << CIGAR_D;
	unsigned lower = dna ? CIGAR_X : ~0u;
	size_t off;

	show_letters(s, n, &off);
	for (size_t i = 0; i < h->n_cigar; i++) {
		uint32_t run = h->cigar[r->minus ? h->n_cigar - 1 - i : i];
		uint32_t k = run >> 4, op = run & 15;
		bool gap = gaps >> op & 1;
		const uint8_t *from = gap ? dashes :
					    s + (op == lower ? off : 0);

		s += gap ? 0 : k;
		if (k <= AT_ONCE)
			memcpy(p, from, AT_ONCE);
		else if (gap)
			memset(p, '-', k);
		else
			memcpy(p, from, k);
		p += k;
	}
	*p++ = '\t';
	return p;
}

/* Both, of n columns each. */
static void
put_lines(struct buf *b, const struct reading *r, uint64_t n)
{
	struct str first = r->before ? r->pam : r->guide;
	struct str last = r->before ? r->guide : r->pam;
	struct str dna = r->h->letters;
	size_t room = 2 * (n + 1) + AT_ONCE;
	size_t letters = max_u64(first.n + last.n, dna.n);
	uint8_t *p, *s;

	if (!buf_reserve(b, room + 2 * (letters + AT_ONCE)))
		return;
	p = b->p + b->n;
	s = p + room;	/* the letters, behind both lines */
	memcpy(s, first.p, first.n);
	memcpy(s + first.n, last.p, last.n);
	p = put_line(p, r, s, first.n + last.n, false);
	memcpy(s, dna.p, dna.n);
	if (r->minus)
		dna_revcomp(s, dna.n);
	b->n = (size_t)(put_line(p, r, s, dna.n, true) - b->p);
}

/* Does the PAM of n letters match the site's? */
static bool
has_pam(const struct reading *r, const char *pam, size_t n)
{
	size_t from = r->before ? 0 : r->h->letters.n - n;

	for (size_t i = 0; i < n; i++)
		if (!(dna_set((uint8_t)pam[i]) &
		      dna_set(dna_letter(r, from + i))))
			return false;
	return true;
}

/* Of the PAMs, with commas between, the one that the site has. */
static bool
find_pam(struct reading *r, const struct print_env *env)
{
	const char *at = env->pam.p, *end;

	if (!env->pam.n)
		return false;
	end = at + env->pam.n;
	while (at < end) {
		const char *to = memchr(at, ',', (size_t)(end - at));
		size_t n = (size_t)((to ? to : end) - at);
		struct query_ref guide = r->h->query;

		if (n <= guide.len && n <= r->h->letters.n &&
		    has_pam(r, at, n)) {
			guide.len -= n;
			r->guide = print_query(env, &guide);
			r->pam = (struct str){ at, n };
			if (r->guide.p)	/* else of other length */
				return true;
		}
		at += n + 1;
	}
	return false;
}

bool
print_offtarget_knows(const struct print_env *env, const struct hit *h)
{
	struct reading r = { .h = h, .before = env->pam_before,
			     .minus = h->flags & HIT_MINUS };

	return find_pam(&r, env);
}

static void
offtarget_head(struct buf *b, const struct print_env *env, unsigned table)
{
	if (env->pp->header && table & (TABLE_HITS | TABLE_COUNTS))
		buf_printf(b, "#Id\tBulge type\tcrRNA\tDNA\tChromosome\t"
			   "Location\tDirection\tMismatches\tBulge Size\t"
			   "Cut site%s\n", env->scored ? "\tScore" : "");
}

/*
 * The nuclease cuts 3 letters before a PAM behind the guide, or (the strand
 * that is not bound) 18 letters behind one before it.  False: that is before
 * the sequence, or of a circle not inside the site, where the length that
 * would turn it may come later.
 */
static bool
cut_site(const struct reading *r, uint64_t *cut)
{
	const struct hit *h = r->h;
	uint64_t off = r->pam.n + (r->before ? 18 : 3);
	bool left = r->before != r->minus;	/* the PAM is */

	*cut = left ? h->sbeg + off : h->send - off;
	if (!(h->flags & HIT_CIRCULAR))
		return left || off <= h->send;
	if (*cut >= h->subject.len)	/* LEN_UNKNOWN: it is below */
		*cut -= h->subject.len;
	return off < h->send - h->sbeg;
}

const char *
print_bulge(const struct cigar_sum *s)
{
	return s->del && s->ins ? "DNA,RNA" : s->del ? "DNA" :
	       s->ins ? "RNA" : "X";
}

static void
put_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct reading r = { .h = h, .before = env->pam_before,
			     .minus = h->flags & HIT_MINUS };
	struct cigar_sum s = cigar_sum(h->cigar, h->n_cigar);
	uint64_t cut;
	uint8_t *p;
	bool known;

	if (!find_pam(&r, env))
		return;		/* print_offtarget_knows() was asked */
	print_name(b, h->query.name, print_no_control);
	buf_u8(b, '\t');
	print_text(b, print_bulge(&s));
	buf_u8(b, '\t');
	put_lines(b, &r, s.query + s.del);
	print_name(b, h->subject.name, print_no_control);
	known = cut_site(&r, &cut);
	if (!buf_reserve(b, PRINT_COLUMNS))
		return;
	p = print_column(b->p + b->n, true, h->sbeg);
	*p++ = '\t';
	*p++ = r.minus ? '-' : '+';
	p = print_column(p, true, s.x);
	p = print_column(p, true, s.ins + s.del);
	p = print_column(p, known, cut);
	b->n = (size_t)(p - b->p);
	if (env->scored) {
		buf_u8(b, '\t');
		print_score(b, h, "*");
	}
	buf_u8(b, '\n');
}

/* Sites in other formats. */

/*
 * Of the list the PAM that the site has: the only one, or the first that its
 * letters match.  All have r->pam.n letters, or that is 0.
 */
static bool
which_pam(struct reading *r, struct str list)
{
	const char *at = list.p, *end = list.p + list.n;
	bool found = false, same = true;

	while (at < end) {
		const char *to = memchr(at, ',', (size_t)(end - at));
		size_t n = (size_t)((to ? to : end) - at);
		bool fits = n == list.n || (n <= r->h->letters.n &&
					    has_pam(r, at, n));

		same &= at == list.p || n == r->pam.n;
		if (fits && !found)
			r->pam.p = at;
		found |= fits;
		r->pam.n = n;
		at += n + 1;
	}
	if (!same)	/* letters may match several */
		r->pam.n = 0;
	return found && same;
}

bool
print_site_facts(const struct print_env *env, const struct hit *h,
		 struct print_site_facts *f)
{
	struct hit whole = *h;
	struct reading r = { .h = &whole, .before = env->pam_before,
			     .minus = h->flags & HIT_MINUS };
	bool which;

	if (!env->pam.n)
		return false;
	if (h->flags & HIT_PIECE) {
		whole.sbeg = h->qbeg;
		whole.send = h->qend;
	}
	which = which_pam(&r, env->pam);
	f->cigar = cigar_sum(h->cigar, h->n_cigar);
	f->pam = which ? r.pam : (struct str){ NULL, 0 };
	f->cut_known = r.pam.n && !(h->flags & HIT_NO_SBEG) &&
		       cut_site(&r, &f->cut);
	return true;
}

bool
print_site_sequence(struct buf *b, const struct print_env *env,
		    const struct hit *h)
{
	struct reading r = { .h = h, .before = env->pam_before,
			     .minus = h->flags & HIT_MINUS };
	bool left = r.before != r.minus;	/* the PAM is */
	struct str s = h->letters;

	if (!find_pam(&r, env))
		return false;
	for (size_t i = 0; i < r.pam.n && left; i++)
		buf_u8(b, shown((uint8_t)s.p[i]));
	for (size_t i = 0; i < r.guide.n; i++) {
		uint8_t c = (uint8_t)r.guide.p[r.minus ? r.guide.n - 1 - i : i];

		c = shown(r.minus ? dna_complement(c) : c);
		buf_u8(b, c == 'U' ? 'T' : c);	/* in BAM U would be N */
	}
	for (size_t i = s.n - r.pam.n; i < s.n && !left; i++)
		buf_u8(b, shown((uint8_t)s.p[i]));
	return true;
}

/* Which scans have which PAMs. */

struct pams_of {
	size_t at, n;		/* in text */
	bool before;
	size_t first, queries;	/* of letters */
};

/* Words, and where they begin. */
static void
put_letters(struct pams *p, struct str words)
{
	size_t at = p->text.n;

	buf_put(&p->text, words.p, words.n);
	buf_put(&p->letters, &at, sizeof at);
	for (size_t i = 0; i <= words.n; i++) {
		at++;
		if (i == words.n || words.p[i] == ' ')
			buf_put(&p->letters, &at, sizeof at);
	}
}

int
pams_begin(struct pams *p, const struct begin *b, struct err *e)
{
	struct str v = begin_value(b, "pam");	/* 3' NGG */
	struct str words = begin_value(b, "query-letters");
	struct pams_of x = { p->text.n, v.n < 4 ? 0 : v.n - 3,
			     v.n && *v.p == '5', p->letters.n / sizeof x.at,
			     0 };

	if ((v.n < 4 && !words.n) ||
	    index_number(&p->of, b->run.id, b->scan.id))
		return 0;
	if (x.n)
		buf_put(&p->text, v.p + 3, x.n);
	if (words.n) {
		put_letters(p, words);
		x.queries = p->letters.n / sizeof x.at - x.first - 1;
	}
	buf_put(&p->list, &x, sizeof x);
	p->known = false;
	return p->text.bad || p->list.bad || p->letters.bad ||
	       !index_set_number(&p->of, b->run.id, b->scan.id,
				 p->list.n / sizeof x) ?
	       err_nomem(e, v.n) : 0;
}

void
pams_find(struct pams *p, uint64_t run, uint64_t scan, struct print_env *env)
{
	const struct pams_of *v = (const void *)p->list.p;
	size_t n;

	if (p->known && p->run == run && p->scan == scan)
		return;
	n = index_number(&p->of, run, scan);
	env->pam = (struct str){ NULL, 0 };
	env->letters = (struct print_letters){ .n = 0 };
	if (n) {
		const struct pams_of *x = &v[n - 1];
		const char *text = (const char *)p->text.p;
		const size_t *letters = (const void *)p->letters.p;

		if (x->n)
			env->pam = (struct str){ text + x->at, x->n };
		env->pam_before = x->before;
		if (x->queries)
			env->letters = (struct print_letters){
				text, letters + x->first, x->queries };
	}
	p->known = true;
	p->run = run;
	p->scan = scan;
}

void
pams_free(struct pams *p)
{
	buf_free(&p->list);
	buf_free(&p->text);
	buf_free(&p->letters);
	index_free(&p->of);
}

const struct print_family print_offtarget = {
	.need = PRINT_NOTHING, .early = true,
	.wants_start = true, .wants_cigar = true, .wants_letters = true,
	.sites = true, .head = offtarget_head, .hit = put_hit,
};

/*
 * Sites of guides, added up: a row for each guide
 *
 * Sums are of integers, so the order of sites does not matter.
 */

/* Columns of numbers of sites, at most; what is kept grows with sites, not
 * with these. */
enum { MAX_EDITS = 1000 };

struct guide {
	uint64_t ordinal;
	size_t name, n_name;		/* in names */
	uint64_t sites, scored;
	unsigned __int128 sum;		/* of scores */
	uint64_t best;			/* highest score of a site with 0
					   edits; 0: none */
};

struct guides {
	struct guide *v;
	size_t n, cap;
	struct index by_ordinal;	/* numbers + 1 of them */
	struct index count;		/* of sites, by ordinal and edits */
	struct buf names;
	bool k_known;
	uint64_t most;			/* -k, or the most edits so far */
	uint64_t scan;			/* 0: none so far */
	struct err err;			/* of a row */
};

int
guides_new(struct guides **g, struct err *e)
{
	*g = calloc(1, sizeof **g);
	return *g ? 0 : err_nomem(e, sizeof **g);
}

void
guides_free(struct guides *g)
{
	if (!g)
		return;
	index_free(&g->by_ordinal);
	index_free(&g->count);
	buf_free(&g->names);
	free(g->v);
	free(g);
}

int
guides_begin(struct guides *g, const struct begin *b, struct err *e)
{
	struct str k = begin_value(b, "k");
	uint64_t most = 0;

	if (!begin_value(b, "pam").p)
		return 0;
	if (g->scan && g->scan != b->scan.id)
		return err_set(e, ERR_USAGE, "-O guides: several scans: one at "
			       "a time");
	g->scan = b->scan.id;
	for (size_t i = 0; i < k.n; i++) {
		if (k.p[i] < '0' || k.p[i] > '9')	/* a percentage */
			return 0;
		most = min_u64(10 * most + (uint64_t)(k.p[i] - '0'),
			       MAX_EDITS + 1);
	}
	if (most > MAX_EDITS)
		return err_set(e, ERR_LIMIT, "-O guides: -k above %d",
			       MAX_EDITS);
	g->k_known = k.n > 0;
	g->most = max_u64(g->most, most);
	return 0;
}

/* The guide's place, which may be new; NULL: no memory. */
static struct guide *
guide_of(struct guides *g, uint64_t ordinal, struct str name, struct err *e)
{
	size_t n = index_number(&g->by_ordinal, ordinal, 0);

	if (n)
		return &g->v[n - 1];
	if (array_room(&g->v, &g->cap, g->n + 1, sizeof *g->v, e))
		return NULL;
	g->v[g->n] = (struct guide){ .ordinal = ordinal,
				     .name = g->names.n, .n_name = name.n };
	buf_put(&g->names, name.p, name.n);
	if (g->names.bad ||
	    !index_set_number(&g->by_ordinal, ordinal, 0, g->n + 1)) {
		err_nomem(e, name.n);
		return NULL;
	}
	return &g->v[g->n++];
}

static int
count_site(struct guides *g, const struct hit *h, struct err *e)
{
	uint64_t ordinal = h->query.ordinal;
	size_t n = index_number(&g->count, ordinal, h->edits);

	if (h->edits > (g->k_known ? g->most : MAX_EDITS))
		return err_set(e, ERR_FORMAT, "-O guides: a site with %" PRIu64
			       " edits, more than -k", h->edits);
	g->most = max_u64(g->most, h->edits);
	return index_set_number(&g->count, ordinal, h->edits, n + 1) ? 0 :
	       err_nomem(e, sizeof n);
}

static void
take_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct guides *g = env->guides;
	struct guide *v;

	(void)b;
	if (g->err.code)
		return;
	v = guide_of(g, h->query.ordinal, h->query.name, &g->err);
	if (!v || count_site(g, h, &g->err))
		return;
	v->sites++;
	if (!(h->flags & HIT_OFFTARGET))
		return;
	v->scored++;
	v->sum += h->offtarget;
	if (h->edits == 0)
		v->best = max_u64(v->best, h->offtarget);
}

static int
by_ordinal(const void *pa, const void *pb)
{
	const struct guide *a = pa, *b = pb;

	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* 100 * 100 / (100 + sum of percents), in units of 10^-9. */
static uint64_t
specificity(const struct guide *v)
{
	unsigned __int128 down = v->sum - v->best + OFFTARGET_ONE;
	unsigned __int128 up = (unsigned __int128)100 * OFFTARGET_ONE *
			       OFFTARGET_ONE;

	return (uint64_t)((up + down / 2) / down);
}

/* Its letters, if the query is the one that rows name. */
static struct str
letters_of(const struct queries *q, const struct guide *v, struct str name)
{
	const struct query *x = q && v->ordinal < q->n ? &q->v[v->ordinal] :
							 NULL;

	return x && str_is(x->name, name) ? x->letters :
					    (struct str){ NULL, 0 };
}

static void
put_guide(struct buf *b, const struct print_env *env, const struct guide *v)
{
	const struct guides *g = env->guides;
	struct str name = { (const char *)g->names.p + v->name, v->n_name };

	print_name(b, name, print_no_control);
	buf_u8(b, '\t');
	print_name(b, letters_of(env->pp->queries, v, name), print_no_control);
	for (uint64_t d = 0; d <= g->most; d++) {
		buf_u8(b, '\t');
		print_u64(b, index_number(&g->count, v->ordinal, d));
	}
	buf_u8(b, '\t');
	if (!env->scored) {
		print_text(b, "*\t*\n");
		return;
	}
	print_u64(b, v->sites - v->scored);
	buf_u8(b, '\t');
	if (v->scored || !v->sites)
		print_share(b, specificity(v));
	else
		buf_u8(b, '*');
	buf_u8(b, '\n');
}

static void
put_head(struct buf *b, const struct guides *g)
{
	print_text(b, "#guide\tletters");
	for (uint64_t d = 0; d <= g->most; d++)
		buf_printf(b, "\tedits_%" PRIu64, d);
	print_text(b, "\tunscored\tspecificity\n");
}

int
guides_write(struct buf *b, const struct print_env *env, bool header,
	     struct err *e)
{
	struct guides *g = env->guides;
	const struct queries *q = env->pp->queries;

	for (size_t i = 0; q && i < q->n && !g->err.code; i++)
		guide_of(g, i, q->v[i].name, &g->err);
	if (g->err.code) {
		*e = g->err;
		return e->code;
	}
	if (!q && env->pp->note)
		env->pp->note(0, "guides without sites are not here: -q FILE "
			      "with the guides adds them, and their letters");
	if (g->n)
		qsort(g->v, g->n, sizeof *g->v, by_ordinal);
	if (header)
		put_head(b, g);
	for (size_t i = 0; i < g->n; i++)
		put_guide(b, env, &g->v[i]);
	return b->bad ? err_nomem(e, b->n) : 0;
}

const struct print_family print_guides = { .sites = true, .hit = take_hit };

/* Products of PCR as tsv, BED, GFF3, FASTA and JSON. */

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
print_product_head(struct buf *b, const struct print_env *env)
{
	print_text(b, "#pair\tsubject\tstrand\tbeg\tend\tlength\tf_edits\t"
		   "r_edits\tf_cigar\tr_cigar");
	if (env->pp->probes)
		print_text(b, "\tprobe\tprobe_strand\tprobe_beg\tprobe_end\t"
			   "probe_edits");
	if (env->pp->outer)
		print_text(b, "\touter\touter_beg\touter_end");
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

/* From the forward primer to the reverse one; the place as -r reads it. */
void
print_product_fasta(struct buf *b, const struct print_env *env,
		    const struct product_row *r)
{
	enum { LINE = 60 };
	size_t n = r->letters.n;

	(void)env;
	buf_u8(b, '>');
	print_name(b, r->pair, print_no_blank);
	buf_u8(b, ' ');
	print_name(b, r->subject, print_no_blank);
	buf_printf(b, ":%llu-%llu", (unsigned long long)r->beg + 1,
		   (unsigned long long)min_u64(r->end, r->slen));
	if (r->end > r->slen) {	/* over a circle's origin */
		buf_u8(b, ',');
		print_name(b, r->subject, print_no_blank);
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
