/* SPDX-License-Identifier: MIT */
/* ledger.c - the fault matrix on the level of frames */
#include "tests/lib/ledger_case.h"

static uint64_t seed = 97;

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
	expect(&s, NULL, "every part has BEGIN and END");
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
	expect(&s, "input is empty", "nothing at all");
}

/* What two inputs say that count as one run. */
static void
test_conflicts(void)
{
	struct range r = chunk_range(0, 4);
	struct stream s;

	whole(&s, true);
	put_end(&s, 0, CHUNKS, 1);
	expect(&s, "--label", "two ENDs: the cure");
	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, 4));
	put_range(&s, 0, 0, merged(0, 5, CHUNKS));
	put_hits(&s, 0, r, STR("chr1"), 9, true);
	put_hits(&s, 0, r, STR("chr1"), 9, false);
	put_hits(&s, 0, r, STR("chr1"), 10, false);
	expect(&s, NULL, "a result, and merges of it");
	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, CHUNKS));
	put_hits(&s, 0, r, STR("chr1"), 9, true);
	put_hits(&s, 0, r, STR("chr1"), 10, true);
	expect(&s, "results of one chunk disagree; fasta-chunk --label",
	       "two unlike results of one chunk and scan");
	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, CHUNKS));
	put_hits(&s, 0, merged(0, 0, 2), STR("chr1"), 9, true);
	put_hits(&s, 0, merged(0, 0, 2), STR("chr1"), 10, true);
	expect(&s, "results of one chunk disagree", "the same of two chunks");
	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, CHUNKS));
	put_hits(&s, 0, r, STR("chr2"), 9, false);
	expect(&s, "record 1 has two names; fasta-chunk --label",
	       "names of SEQ and of hits");
	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, CHUNKS));
	put_hits(&s, 1, chunk_range(1, 4), STR("chr1"), 9, true);
	expect(&s, NULL, "one ordinal in two runs");
}

/* A merge that cannot know which result is right: no later one may, either. */
static void
test_spoilt(void)
{
	struct stream s;
	struct ledger *l;
	const struct range *g = NULL;
	size_t n = 0;
	struct err e;

	whole(&s, false);
	put_hits(&s, 0, merged(0, 0, CHUNKS), STR("chr1"), 9, true);
	put_hits(&s, 0, merged(0, 0, CHUNKS), STR("chr1"), 10, true);
	l = show(&s);
	ok(ledger_ranges(l, 1, 1, &g, &n, &e) == 0 && n == 1 &&
	   g->first == 0 && g->end == CHUNKS &&
	   g->digest != merged(0, 0, CHUNKS).digest,
	   "unlike results are covered, by a digest that cannot be");
	ledger_free(l);
	clear(&s);
}

/* A pipe has another name than a file; what was searched is the same. */
static void
test_names_of_runs(void)
{
	struct run_key pipe = runs[0];
	struct rec_frame *f;
	struct stream s;
	struct err e;

	all_but(&s, 0, 0);
	put_range(&s, 0, 0, merged(0, 0, CHUNKS));
	put_hits(&s, 0, chunk_range(0, 4), STR("chr1"), 9, true);
	pipe.base = STR("stdin");
	f = as_of_run(s.f[s.n - 1], &pipe, &e);
	add(&s, f, 0, &e);
	expect(&s, NULL, "a result of a file, and of a pipe");
}

static void
test_runs(void)
{
	const struct subject_ref subject[] = {
		{ 0, LEN_UNKNOWN, STR("chr1") },
		{ 1, LEN_UNKNOWN, STR("chr7") },
		{ 2, LEN_UNKNOWN, STR("chr3") },
	};
	struct err err;
	struct stream s;
	struct ledger *l;
	char text[4000];

	whole(&s, true);
	l = show(&s);
	ok(reasons(l, 2, text) == 0, "two runs were expected, two came");
	ok(reasons(l, 3, text) == ERR_INCOMPLETE, "three expected: %s", text);
	ok(reasons(l, 1, text) == ERR_INCOMPLETE, "one expected: %s", text);
	ok(reasons(l, 1, text) == ERR_INCOMPLETE, "asked again: %s", text);
	ok(reasons(l, 0, text) == 0, "any number: %s", text);
	ok(ledger_runs(l) == 2 && ledger_run(l, 0)->id == 0x2222 &&
	   ledger_scans(l, 1) == 2 && ledger_scan(l, 1, 0)->id == 0xbbbb,
	   "runs and scans in their order");
	ok(ledger_begins(l) == 6 && ledger_begin(l, 0)->run.id == 0x2222 &&
	   ledger_begin(l, 0)->scan.id == 0 &&
	   ledger_begin(l, 2)->scan.id == 0xaaaa, "BEGINs in order");
	ok(ledger_length(l, 0x1111, 0) == 721 &&
	   ledger_length(l, 0x1111, 1) == LEN_UNKNOWN &&
	   ledger_length(l, 0x3333, 0) == LEN_UNKNOWN, "lengths");
	for (uint64_t i = 0; i < 2; i++)
		ledger_wants_length(l, 0x1111, &subject[i], &err);
	ok(reasons(l, 0, text) == ERR_INCOMPLETE &&
	   strstr(text, "length of chr7 was"), "no length: %s", text);
	ledger_wants_length(l, 0x3333, &subject[2], &err);
	ok(reasons(l, 0, text) == ERR_INCOMPLETE &&
	   strstr(text, "2 sequences") && strstr(text, "chr3"),
	   "no lengths: %s", text);
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
	ok(n && bad == 0, "%zu cut frames are reported", n);
	clear(&s);
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
	test_conflicts();
	test_spoilt();
	test_names_of_runs();
	test_runs();
	test_malformed();
	test_missing();
	return done();
}
