/* SPDX-License-Identifier: MIT */
/* ledger.c - the fault matrix on the level of frames */
#include "stream/ledger.h"
#include "stream/result.h"
#include "tap.h"

enum { RUNS = 2, SCANS = 2, CHUNKS = 7, MAX_FRAMES = 200 };

#define STR(s) ((struct str){ s, sizeof(s) - 1 })

static uint64_t seed = 97;

static const struct run_key runs[RUNS] = {
	{ 0x1111, { "b.fa", 4 }, { "", 0 }, { "chr1", 4 }, 7 },
	{ 0x2222, { "a.fa", 4 }, { "left", 4 }, { "chrX", 4 }, 8 },
};
static const struct scan_key scans[SCANS] = {
	{ 0xaaaa, { "guides.fa", 9 }, SCAN_UNION },
	{ 0xbbbb, { "counts.fa", 9 }, SCAN_SUM },
};

/* Letters and digest of a chunk, as its receipts tell them. */
static struct range
chunk_range(unsigned run, uint64_t i)
{
	struct range r = { i, i + 1, 100 + i, 0 };

	r.digest = (i + 1) * 0x123456789abcdef1 + run;
	return r;
}

static struct range
merged(unsigned run, uint64_t first, uint64_t end)
{
	struct range r = { first, end, 0, 0 };

	for (uint64_t i = first; i < end; i++) {
		r.letters += chunk_range(run, i).letters;
		r.digest += chunk_range(run, i).digest;
	}
	return r;
}

struct stream {
	struct rec_frame *f[MAX_FRAMES];
	size_t n;
};

static void
add(struct stream *s, struct rec_frame *f, int rc, const struct err *e)
{
	if (rc || s->n == MAX_FRAMES) {
		printf("Bail out! %s\n", e->text);
		exit(1);
	}
	s->f[s->n++] = f;
}

static void
clear(struct stream *s)
{
	while (s->n)
		rec_frame_drop(s->f[--s->n]);
}

static void
remove_at(struct stream *s, size_t i)
{
	rec_frame_drop(s->f[i]);
	memmove(s->f + i, s->f + i + 1, (--s->n - i) * sizeof *s->f);
}

static void
put_receipt(struct stream *s, unsigned run, unsigned scan, struct range *r,
	    size_t n, uint32_t number, bool last)
{
	struct receipt c = { scans[scan], number, last, r, n };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = done_encode(&f, &runs[run], &c, &e);

	add(s, f, rc, &e);
}

static void
put_range(struct stream *s, unsigned run, unsigned scan, struct range r)
{
	put_receipt(s, run, scan, &r, 1, 0, true);
}

/* A tally instead of DONE: the same receipt, another payload. */
static void
put_tally(struct stream *s, unsigned run, struct range r)
{
	struct tally_row row = { { 0, 20, STR("q") }, false, 1, 2 };
	struct tally t = { runs[run], { scans[1], 0, true, &r, 1 }, &row, 1 };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = tally_encode(&f, &t, &e);

	add(s, f, rc, &e);
}

static void
put_begin(struct stream *s, unsigned run, int scan, struct str text)
{
	struct begin b = { runs[run], { 0, { "", 0 }, SCAN_UNION }, text };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc;

	if (scan >= 0)
		b.scan = scans[scan];
	rc = begin_encode(&f, &b, &e);
	add(s, f, rc, &e);
}

static void
put_seq(struct stream *s, unsigned run, uint64_t ordinal, uint64_t length)
{
	struct seq q = { ordinal, length, STR("chr1") };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = seq_encode(&f, runs[run].id, &q, &e);

	add(s, f, rc, &e);
}

static void
put_end(struct stream *s, unsigned run, uint64_t chunks, uint64_t wrong)
{
	struct range all = merged(run, 0, chunks);
	struct run_end n = { runs[run], chunks, 1, all.letters,
			     all.digest + wrong };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = end_encode(&f, &n, &e);

	add(s, f, rc, &e);
}

/* BEGINs, SEQ and END of every run, and with `results` a DONE a chunk. */
static void
whole(struct stream *s, bool results)
{
	s->n = 0;
	for (unsigned r = 0; r < RUNS; r++) {
		put_begin(s, r, -1, STR("program fasta-chunk\n"));
		for (unsigned c = 0; c < SCANS; c++)
			put_begin(s, r, (int)c, STR("program asm-scan\n"));
		for (unsigned i = 0; results && i < CHUNKS; i++)
			for (unsigned c = 0; c < SCANS; c++)
				put_range(s, r, c, chunk_range(r, i));
		put_seq(s, r, 0, 721);
		put_end(s, r, CHUNKS, 0);
	}
}

/* All but the results of one scan of one run. */
static void
all_but(struct stream *s, unsigned run, unsigned scan)
{
	whole(s, false);
	for (unsigned r = 0; r < RUNS; r++)
		for (unsigned c = 0; c < SCANS; c++)
			if (r != run || c != scan)
				put_range(s, r, c, merged(r, 0, CHUNKS));
}

static struct ledger *
show(const struct stream *s)
{
	struct ledger *l;
	struct err e;

	if (ledger_new(&l, &e))
		exit(1);
	for (size_t i = 0; i < s->n; i++)
		if (ledger_frame(l, s->f[i], &e) < 0) {
			ok(0, "frame %zu: %s", i, e.text);
			break;
		}
	return l;
}

/* All reasons, a line each, in text (4000 bytes); the verdict. */
static int
reasons(struct ledger *l, uint64_t n_runs, char *text)
{
	struct err e;
	size_t used = 0;
	int rc = 0, now;

	text[0] = '\0';
	while ((now = ledger_verdict(l, n_runs, &e))) {
		rc = now;
		if (used < 3000)
			used += (size_t)sprintf(text + used, "%.900s; ",
						e.text);
	}
	return rc;
}

static int
judge(const struct stream *s, char *text)
{
	struct ledger *l = show(s);
	int rc = reasons(l, 0, text);

	ledger_free(l);
	return rc;
}

/* The stream's verdict is incomplete, for a reason that holds `why`. */
static void
expect(struct stream *s, const char *why, const char *what)
{
	char text[4000];
	int rc = judge(s, text);

	if (why)
		ok(rc == ERR_INCOMPLETE && strstr(text, why), "%s: %d %s",
		   what, rc, rc == ERR_INCOMPLETE && strstr(text, why) ? "" :
		   text);
	else
		ok(rc == 0, "%s: %s", what, text);
	clear(s);
}

static void
shuffle(struct stream *s, uint64_t *state)
{
	for (size_t i = s->n; i > 1; i--) {
		size_t j = below(state, i);
		struct rec_frame *t = s->f[i - 1];

		s->f[i - 1] = s->f[j];
		s->f[j] = t;
	}
}

static void
test_drop(void)
{
	struct stream s;
	char text[4000];

	whole(&s, true);
	for (size_t i = 0; i < s.n; i++) {
		struct rec_frame *f = s.f[i];
		int rc;

		memmove(s.f + i, s.f + i + 1, (s.n - i - 1) * sizeof *s.f);
		s.n--;
		rc = judge(&s, text);
		ok(rc == (f->type == REC_SEQ ? 0 : ERR_INCOMPLETE),
		   "%s frame %zu dropped: %s", rec_type_name(f->type), i,
		   rc ? "" : text);
		s.n++;
		memmove(s.f + i + 1, s.f + i, (s.n - i - 1) * sizeof *s.f);
		s.f[i] = f;
	}
	clear(&s);
}

static void
test_double(void)
{
	struct stream s;
	char text[4000];
	struct err e;

	whole(&s, true);
	for (size_t i = 0; i < s.n; i++) {
		struct ledger *l = show(&s);
		bool result = s.f[i]->type == REC_DONE;
		int rc = ledger_frame(l, s.f[i], &e);

		ok(rc == (result ? LEDGER_COPY : 0) &&
		   ledger_copies(l) == result && reasons(l, 2, text) == 0,
		   "%s frame %zu doubled", rec_type_name(s.f[i]->type), i);
		ledger_free(l);
	}
	clear(&s);
}

static void
test_order(void)
{
	uint64_t state = seed;
	char first[4000], text[4000];
	size_t bad = 0;

	for (unsigned fault = 0; fault < 5; fault++) {
		for (unsigned i = 0; i < 40; i++) {
			struct stream s;

			whole(&s, true);
			if (fault == 1)
				remove_at(&s, 5);
			if (fault == 2) {
				remove_at(&s, 11);
				remove_at(&s, 0);
			}
			if (fault == 3)
				put_end(&s, 1, CHUNKS, 1);
			if (fault == 4) {
				put_range(&s, 0, 0, merged(0, 2, 5));
				put_range(&s, 0, 0, merged(0, 4, 6));
				put_range(&s, 1, 1, merged(1, 4, 6));
			}
			if (i)
				shuffle(&s, &state);
			bad += judge(&s, text) !=
			       (fault ? ERR_INCOMPLETE : 0);
			if (i == 0)
				strcpy(first, text);
			bad += strcmp(first, text) != 0;
			clear(&s);
		}
		ok(bad == 0, "any order, the same verdict (fault %u): %s",
		   fault, first);
	}
}

static void
test_digests(void)
{
	for (unsigned i = 0; i < 8; i++) {
		struct stream s;
		struct range r = chunk_range(0, 3);

		*(i & 1 ? &r.digest : &r.letters) += 5;
		all_but(&s, 0, i >> 1 & 1);
		for (unsigned j = 0; j < CHUNKS; j++)
			if (j != 3 || i & 4)
				put_range(&s, 0, i >> 1 & 1,
					  chunk_range(0, j));
		put_range(&s, 0, i >> 1 & 1, r);
		expect(&s, i & 4 ? "disagree" : i & 1 ? "digest" : "letters",
		       "a changed receipt");
	}
}

static void
test_ends(void)
{
	struct stream s;

	whole(&s, true);
	put_end(&s, 0, CHUNKS, 1);
	expect(&s, "b.fa: END frames disagree", "two ENDs");
	whole(&s, true);
	remove_at(&s, s.n - 1);
	put_end(&s, 1, CHUNKS, 1);
	expect(&s, "digest", "an END of another digest");
	whole(&s, true);
	remove_at(&s, s.n - 1);
	put_end(&s, 1, CHUNKS + 2, 0);
	expect(&s, "2 of 9 chunks are missing: 7-8", "more chunks at END");
	whole(&s, true);
	remove_at(&s, s.n - 1);
	put_end(&s, 1, CHUNKS - 1, 0);
	expect(&s, "chunk 6 came, though there are 6", "fewer chunks at END");
	whole(&s, true);
	put_end(&s, 0, CHUNKS, 0);
	put_end(&s, 1, CHUNKS, 0);
	put_begin(&s, 0, -1, STR("program fasta-chunk\n"));
	expect(&s, NULL, "every part tells BEGIN and END");
	s.n = 0;
	put_begin(&s, 0, -1, STR("x\n"));
	put_end(&s, 0, 0, 0);
	expect(&s, NULL, "an input without chunks, unscanned");
	put_begin(&s, 0, -1, STR("x\n"));
	put_begin(&s, 0, 1, STR("y\n"));
	put_end(&s, 0, 0, 0);
	expect(&s, NULL, "an input without chunks");
	put_begin(&s, 0, -1, STR("x\n"));
	put_end(&s, 0, 5, 0);
	expect(&s, "no result", "no scan of five chunks");
	put_seq(&s, 0, 1, 5);
	expect(&s, "no run", "nothing but SEQ");
	whole(&s, true);
	put_seq(&s, 0, 0, 722);
	expect(&s, "two lengths", "two lengths of a sequence");
	expect(&s, "no frame at all", "nothing at all");
}

static void
test_nesting(void)
{
	struct stream s;
	struct range odd[4], even[4];

	for (unsigned c = 0; c < SCANS; c++) {
		const char *sum = c == 1 ? "cannot be summed" : NULL;

		all_but(&s, 1, c);
		put_range(&s, 1, c, merged(1, 0, 3));
		put_range(&s, 1, c, merged(1, 3, CHUNKS));
		expect(&s, NULL, "ranges merged in series");
		all_but(&s, 1, c);
		put_range(&s, 1, c, merged(1, 0, CHUNKS));
		put_range(&s, 1, c, chunk_range(1, 4));
		expect(&s, sum, "a chunk within a range");
		all_but(&s, 1, c);
		put_range(&s, 1, c, merged(1, 0, 5));
		put_range(&s, 1, c, merged(1, 0, 2));
		put_range(&s, 1, c, merged(1, 2, 5));
		put_range(&s, 1, c, chunk_range(1, 2));
		put_range(&s, 1, c, merged(1, 5, CHUNKS));
		expect(&s, sum, "a tree of ranges");
		for (unsigned i = 0; i < CHUNKS; i++)
			*(i % 2 ? odd + i / 2 : even + i / 2) =
			    chunk_range(1, i);
		all_but(&s, 1, c);
		put_receipt(&s, 1, c, even, 4, 0, true);
		put_receipt(&s, 1, c, odd, 3, 0, true);
		expect(&s, NULL, "two workers taking turns");
		all_but(&s, 1, c);
		put_receipt(&s, 1, c, even, 4, 0, true);
		put_receipt(&s, 1, c, odd, 3, 0, true);
		put_receipt(&s, 1, c, even + 1, 2, 0, true);
		expect(&s, sum, "a part of one of them again");
		all_but(&s, 1, c);
		put_range(&s, 1, c, merged(1, 0, 4));
		put_range(&s, 1, c, merged(1, 3, CHUNKS));
		expect(&s, "overlap in part", "partial overlap");
		all_but(&s, 1, c);
		put_receipt(&s, 1, c, even, 4, 0, true);
		put_range(&s, 1, c, merged(1, 0, 4));
		put_range(&s, 1, c, merged(1, 5, 6));
		expect(&s, c ? sum : NULL, "ranges nested in turns");
	}
	all_but(&s, 1, 0);
	put_range(&s, 1, 0, merged(1, 0, CHUNKS));
	odd[0] = chunk_range(1, 4);
	for (unsigned i = 0; i < CHUNKS; i++) {
		struct range r = chunk_range(1, i);

		r.digest += i == 2;
		put_range(&s, 1, 0, r);
	}
	expect(&s, "disagree", "chunks that do not add up to their range");
	all_but(&s, 1, 1);
	put_range(&s, 1, 1, merged(1, 0, CHUNKS));
	put_tally(&s, 1, merged(1, 0, CHUNKS));
	expect(&s, "cannot be summed", "two tallies of the same ranges");
}

static void
test_numbers(void)
{
	struct range r = merged(0, 2, 6);

	/* 0-2 one dropped, 3 none, 4 without mark, 5 mark in the middle,
	 * 6 one twice with another mark */
	for (unsigned c = 0; c < SCANS; c++)
		for (unsigned t = 0; t < 7; t++) {
			struct stream s;

			all_but(&s, 0, c);
			put_range(&s, 0, c, merged(0, 0, 2));
			put_range(&s, 0, c, merged(0, 6, CHUNKS));
			for (unsigned i = 0; i < 3; i++)
				if (i != t)
					put_receipt(&s, 0, c, &r, 1, i,
						    t == 4 ? false :
						    t == 5 ? i == 1 : i == 2);
			if (t == 6)
				put_receipt(&s, 0, c, &r, 1, 1, true);
			expect(&s, t == 3 ? NULL : t < 5 ? "lacks some" :
			       "disagree", "several frames of a receipt");
		}
}

static void
test_runs(void)
{
	struct stream s;
	struct ledger *l;
	char text[4000];

	whole(&s, true);
	l = show(&s);
	ok(reasons(l, 2, text) == 0, "two runs were told, two came");
	ok(reasons(l, 3, text) == ERR_INCOMPLETE, "three told: %s", text);
	ok(reasons(l, 1, text) == ERR_INCOMPLETE, "one told: %s", text);
	ok(reasons(l, 1, text) == ERR_INCOMPLETE, "asked again: %s", text);
	ok(reasons(l, 0, text) == 0, "none told: %s", text);
	ok(ledger_runs(l) == 2 && ledger_run(l, 0)->id == 0x2222 &&
	   ledger_scans(l, 1) == 2 && ledger_scan(l, 1, 0)->id == 0xbbbb,
	   "runs and scans in their order");
	ok(ledger_begins(l) == 6 && ledger_begin(l, 0)->run.id == 0x2222 &&
	   ledger_begin(l, 0)->scan.id == 0 &&
	   ledger_begin(l, 2)->scan.id == 0xaaaa, "BEGINs in order");
	ok(ledger_length(l, 0x1111, 0) == 721 &&
	   ledger_length(l, 0x1111, 1) == LEN_UNKNOWN &&
	   ledger_length(l, 0x3333, 0) == LEN_UNKNOWN, "lengths");
	ledger_no_length(l, "chr7");
	ok(reasons(l, 0, text) == ERR_INCOMPLETE && strstr(text, "chr7"),
	   "no length: %s", text);
	ledger_free(l);
	l = show(&s);
	ledger_damage(l);
	ok(reasons(l, 0, text) == ERR_INCOMPLETE, "damage: %s", text);
	ledger_free(l);
	clear(&s);
}

static void
test_malformed(void)
{
	struct stream s;
	char text[4000];
	size_t bad = 0, n = 0;

	whole(&s, true);
	for (size_t i = 0; i < s.n; i++)
		for (size_t cut = 0; cut < s.f[i]->n; cut++) {
			struct rec_frame f = *s.f[i];
			struct ledger *l;
			struct err e;

			if (f.type == REC_BEGIN)	/* its text is free */
				break;
			f.payload = malloc(cut ? cut : 1);
			if (!f.payload || ledger_new(&l, &e))
				exit(1);
			memcpy(f.payload, s.f[i]->payload, cut);
			f.n = cut;
			bad += ledger_frame(l, &f, &e) != ERR_FORMAT ||
			       reasons(l, 0, text) != ERR_INCOMPLETE;
			n++;
			ledger_free(l);
			free(f.payload);
		}
	ok(n && bad == 0, "%zu cut frames are told", n);
	clear(&s);
}

static void
missing_is(const struct stream *s, const char *want, int want_rc)
{
	struct ledger *l = show(s);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct err e;
	int rc;

	if (!f)
		exit(1);
	rc = ledger_missing(l, f, &e);
	fclose(f);
	ok(rc == want_rc && strcmp(text, want) == 0, "missing: %d %s", rc,
	   strcmp(text, want) ? text : "as wanted");
	free(text);
	ledger_free(l);
}

static void
test_missing(void)
{
	struct stream s = { .n = 0 };
	struct range r = merged(0, 2, 4);

	put_begin(&s, 0, -1, STR("x\n"));
	put_begin(&s, 0, 0, STR("y\n"));
	missing_is(&s, "", ERR_INCOMPLETE);
	put_end(&s, 0, 10, 0);
	missing_is(&s, "0-9\n", 0);
	put_range(&s, 0, 0, chunk_range(0, 1));
	put_receipt(&s, 0, 0, &r, 1, 0, false);	/* its second is not there */
	put_range(&s, 0, 0, merged(0, 4, 6));
	put_range(&s, 0, 0, merged(0, 7, 9));
	missing_is(&s, "0\n2-3\n6\n9\n", 0);
	put_begin(&s, 0, 1, STR("z\n"));
	missing_is(&s, "# run 0000000000001111 b.fa scan 000000000000bbbb "
		   "counts.fa\n0-9\n# run 0000000000001111 b.fa scan "
		   "000000000000aaaa guides.fa\n0\n2-3\n6\n9\n", 0);
	clear(&s);
}

/*
 * Workers get a random share of frames, perhaps merge those in two steps, and
 * say by ledger_ranges what they cover: the last stage must see what is so.
 */
static void
test_trees(void)
{
	uint64_t state = seed;
	size_t bad = 0;

	for (unsigned t = 0; t < 300; t++) {
		unsigned fault = t % 4, n_workers = 1 + t / 4 % 4;
		struct stream part[5], last;
		char text[4000];
		struct range wrong = chunk_range(0, 5);

		all_but(&last, 0, t & 1);
		for (unsigned w = 0; w < n_workers; w++)
			part[w].n = 0;
		for (unsigned i = 0; i < CHUNKS; i++) {
			unsigned w = (unsigned)below(&state, n_workers);

			if (fault == 1 && i == 5)
				continue;	/* lost */
			put_range(part + w, 0, t & 1, chunk_range(0, i));
			if (fault == 2 && i == 5) {	/* twofold */
				wrong.digest++;
				put_range(part + w, 0, t & 1, wrong);
			}
			if (fault == 3 && i == 5) {	/* half a result */
				rec_frame_drop(part[w].f[--part[w].n]);
				put_receipt(part + w, 0, t & 1, &wrong, 1, 0,
					    false);
			}
		}
		for (unsigned w = 0; w < n_workers; w++) {
			struct ledger *l = show(part + w);
			const struct range *r;
			size_t n = 0;

			if (part[w].n) {
				r = ledger_ranges(l, 0, 0, &n);
				put_receipt(&last, 0, t & 1,
					    (struct range *)r, n, 0, true);
			}
			ledger_free(l);
			clear(part + w);
		}
		bad += judge(&last, text) != (fault ? ERR_INCOMPLETE : 0);
		clear(&last);
	}
	ok(bad == 0, "trees of merges: %zu wrong verdicts", bad);
}

/* By definition: is the heap of ranges fine for this rule? */
static bool
fine(const struct range *r, size_t n, unsigned scan)
{
	for (uint64_t i = 0; i < CHUNKS; i++) {
		size_t covered = 0;

		for (size_t j = 0; j < n; j++)
			covered += r[j].first <= i && i < r[j].end;
		if (covered == 0 || (scan == 1 && covered > 1))
			return false;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (r[i].first < r[j].first &&
			    r[j].first < r[i].end && r[i].end < r[j].end)
				return false;
	return true;
}

static void
test_heaps(void)
{
	uint64_t state = seed;
	size_t bad = 0, good = 0;

	for (unsigned t = 0; t < 20000; t++) {
		struct range r[12];
		struct stream s;
		size_t n = 0, most = 1 + below(&state, 12);
		char text[4000];
		bool want;

		all_but(&s, 0, t & 1);
		while (n < most) {
			uint64_t a = below(&state, CHUNKS);
			uint64_t b = a + 1 + below(&state, CHUNKS - a);
			size_t i = 0;

			if (n == 0 && t % 5)	/* else few would be whole */
				a = 0, b = t % 3 ? CHUNKS : 4;
			if (n == 1 && t % 5 && t % 3 == 0)
				a = 4, b = CHUNKS;
			while (i < n && (r[i].first != a || r[i].end != b))
				i++;
			r[n] = merged(0, a, b);
			put_range(&s, 0, t & 1, r[n]);
			if (i == n)
				n++;
			else
				most--;	/* a copy: dropped */
		}
		want = fine(r, n, t & 1);
		good += want;
		bad += (judge(&s, text) == 0) != want;
		clear(&s);
	}
	ok(bad == 0 && good > 1000 && good < 19000,
	   "heaps of ranges: %zu wrong verdicts, %zu whole", bad, good);
}

static void
put_chunk(struct stream *s, unsigned run, uint64_t i, uint64_t *letters,
	  uint64_t *digest)
{
	struct chunk_row row = { .ordinal = 0, .beg = 10 * i, .n = 10,
		.own_beg = 10 * i, .own_end = 10 * i + 10,
		.length = i == 3 ? 40 : 0, .name = STR("chr1"),
		.flags = i == 0 ? CHUNK_FIRST : i == 3 ? CHUNK_LAST : 0 };
	struct chunk_raw c = { .run = runs[run], .serial = i, .row = &row,
		.n_rows = 1, .letters = (const uint8_t *)"ACGTTGCAAC" };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	uint64_t owned, d;
	int rc = chunk_encode(&f, &c, &owned, &d, &e);

	add(s, f, rc, &e);
	*letters += owned;
	*digest += d;
}

static void
test_chunks(void)
{
	for (unsigned t = 0; t < 6; t++) {
		struct stream s = { .n = 0 };
		struct run_end n = { runs[0], 4, 1, 0, 0 };
		struct rec_frame *f = NULL;
		struct err e = { 0 };
		struct ledger *l;
		char text[4000];
		int rc, want = t == 1 || t == 3 || t == 5;

		put_begin(&s, 0, -1, STR("x\n"));
		for (unsigned i = 0; i < 4; i++)
			put_chunk(&s, 0, i, &n.letters, &n.digest);
		n.digest += t == 5;
		rc = end_encode(&f, &n, &e);
		add(&s, f, rc, &e);
		if (t == 1)
			remove_at(&s, 2);
		l = show(&s);
		if (t != 3)	/* 3: nobody scanned */
			ledger_judge_chunks(l);
		if (t == 2)
			ok(ledger_frame(l, s.f[1], &e) == LEDGER_COPY,
			   "a chunk twice");
		ok(reasons(l, 0, text) == (want ? ERR_INCOMPLETE : 0),
		   "chunks as receipts, %u: %s", t, text);
		ok(ledger_length(l, runs[0].id, 0) == 40,
		   "the last chunk tells the length");
		ledger_free(l);
		if (t == 1)
			missing_is(&s, "1\n", 0);
		clear(&s);
	}
}

/* Neither quadratic nor large. */
static void
test_many(void)
{
	enum { N = 200000 };
	struct ledger *l;
	struct stream s = { .n = 0 };
	struct err e = { 0 };
	char text[4000];
	size_t n, bad = 0;
	uint64_t step = 123457;	/* prime to N */

	if (ledger_new(&l, &e))
		exit(1);
	put_begin(&s, 0, -1, STR("x\n"));
	put_begin(&s, 0, 0, STR("y\n"));
	put_end(&s, 0, N, 0);
	for (uint64_t i = 0; i < N; i++)
		put_range(&s, 0, 0, chunk_range(0, i * step % N)),
		bad += ledger_frame(l, s.f[s.n - 1], &e) != 0,
		remove_at(&s, s.n - 1);
	for (size_t i = 0; i < s.n; i++)
		bad += ledger_frame(l, s.f[i], &e) != 0;
	ok(bad == 0 && reasons(l, 1, text) == 0, "many chunks: %s", text);
	ok(ledger_ranges(l, 0, 0, &n) && n == 1, "they join");
	ledger_free(l);
	clear(&s);
}

int
main(void)
{
	struct stream s;

	printf("# seed %llu\n", (unsigned long long)seed);
	whole(&s, true);
	expect(&s, NULL, "a whole stream");
	test_drop();
	test_double();
	test_order();
	test_digests();
	test_ends();
	test_nesting();
	test_numbers();
	test_runs();
	test_malformed();
	test_missing();
	test_trees();
	test_heaps();
	test_chunks();
	test_many();
	return done();
}
