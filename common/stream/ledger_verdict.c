/* SPDX-License-Identifier: MIT */
/* ledger_verdict.c - does it balance, why not, and what is missing */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "stream/ledger_priv.h"

enum {
	MAX_REASONS = 20,	/* lines */
	MAX_GAPS = 10,		/* missing ranges in a line */
	NAME_SHOWN = 120,
};

#define CURE "fasta-chunk --label keeps inputs that begin alike apart"

/* One reason more; those above the limit are only counted. */
static void __attribute__((format(printf, 2, 3)))
reason(struct ledger *l, const char *fmt, ...)
{
	char text[900];
	va_list ap;

	if (l->n_reasons++ >= MAX_REASONS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	buf_put(&l->reasons, text, strlen(text) + 1);
}

static int
shown(struct str s)
{
	return s.n < NAME_SHOWN ? (int)s.n : NAME_SHOWN;
}

/* "genome.fa (label), scan guides.fa" */
static const char *
title(char *t, size_t n, const struct led_run *r, const struct led_scan *s)
{
	int used = snprintf(t, n, "%.*s", shown(r->key.base), r->key.base.p);

	if (r->key.label.n)
		used += snprintf(t + used, n - (size_t)used, " (%.*s)",
				 shown(r->key.label), r->key.label.p);
	if (s && s != &r->chunks)
		snprintf(t + used, n - (size_t)used, ", scan %.*s",
			 shown(s->key.base), s->key.base.p);
	return t;
}

/* The same of a run by its id: SEQ frames may name one that nothing else
 * does. */
static const char *
run_title(char *t, size_t n, const struct ledger *l, uint64_t id)
{
	const struct led_run *r = index_get(&l->by_id, id, 0);

	if (r)
		return title(t, n, r, NULL);
	snprintf(t, n, "run %016" PRIx64, id);
	return t;
}

static void
tell_gaps(struct ledger *l, const char *who, const struct led_cover *c,
	  uint64_t n)
{
	char text[600];
	uint64_t beg, end = 0, missing = 0;
	size_t i = 0, used = 0, gaps = 0;

	text[0] = '\0';
	while (led_gap(c, n, &i, &beg, &end)) {
		missing += end - beg;
		if (gaps++ >= MAX_GAPS)
			continue;
		/* at most 10 times two numbers of 20 digits: it fits */
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "%s%" PRIu64, gaps > 1 ? ", " : "",
					 beg);
		if (end - beg > 1)
			used += (size_t)snprintf(text + used,
						 sizeof text - used,
						 "-%" PRIu64, end - 1);
	}
	if (gaps)
		reason(l, "%s: %" PRIu64 " of %s %s missing: %s%s", who,
		       missing, err_count(n, "chunk").text,
		       missing == 1 ? "is" : "are", text,
		       gaps > MAX_GAPS ? ", ..." : "");
}

static void
tell_faults(struct ledger *l, const char *who, const struct led_cover *c)
{
	static const char *const why[LED_FAULTS] = {
		[LED_DISAGREE] = ("results of one chunk disagree; " CURE),
		[LED_FRAMES] = "a result of several frames lacks some",
		[LED_OVERLAP] = "results overlap in part",
		[LED_TWICE] = "it came twice, and cannot be summed",
	};

	for (int f = 0; f < LED_FAULTS; f++)
		if (c->fault[f])
			reason(l, "%s: chunk %" PRIu64 ": %s", who, c->at[f],
			       why[f]);
}

/* Only asked where every chunk is there once: do the sums agree? */
static void
tell_sums(struct ledger *l, const char *who, const struct led_cover *c,
	  const struct run_end *end)
{
	const struct range *r = (void *)c->joined.p;
	uint64_t letters = 0, digest = 0;

	for (size_t i = 0; i < c->joined.n / sizeof *r; i++) {
		letters += r[i].letters;
		digest += r[i].digest;
	}
	if (letters != end->letters)
		reason(l, "%s: letters searched: %" PRIu64 ", the input has %"
		       PRIu64, who, letters, end->letters);
	else if (digest != end->digest)
		reason(l, "%s: what was searched has another digest than the "
		       "input; " CURE, who);
}

/* The run has one END. */
static int
judge_scan(struct ledger *l, struct led_run *r, struct led_scan *s,
	   struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	const struct led_cover *c = &s->cover;
	const struct range *last;
	size_t before = l->n_reasons;

	if (!led_cover(s))
		return err_nomem(e, s->ranges.n);
	title(who, sizeof who, r, s);
	tell_faults(l, who, c);
	tell_gaps(l, who, c, r->end.chunks);
	if (!r->end.chunks && led_lacks_maximum(s))
		reason(l, "%s: a result is missing", who);
	last = c->joined.n ? (const struct range *)(const void *)
	    (c->joined.p + c->joined.n) - 1 : NULL;
	if (last && last->end > r->end.chunks)
		reason(l, "%s: chunk %" PRIu64 " came, though there are %"
		       PRIu64, who, last->end - 1, r->end.chunks);
	if (l->n_reasons == before)
		tell_sums(l, who, c, &r->end);
	return 0;
}

/* Are the run's CHUNK frames to be judged as receipts? */
static bool
judges_chunks(const struct ledger *l, const struct led_run *r)
{
	return l->judge_chunks && (r->chunks.ones.n || r->chunks.frames.n ||
				   !r->n_scans);
}

/* Without a sound END there is nothing to balance against. */
static int
judge_covers(struct ledger *l, struct led_run *r, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	bool chunks = judges_chunks(l, r);
	int rc = 0;

	if (!r->ended || r->ends_differ)
		return 0;
	if (!r->n_scans && !chunks && r->end.chunks)
		reason(l, "%s: no result of its %s",
		       title(who, sizeof who, r, NULL),
		       err_count(r->end.chunks, "chunk").text);
	for (size_t i = 0; i < r->n_scans && rc == 0; i++)
		rc = judge_scan(l, r, r->scan[i], e);
	if (rc == 0 && chunks)
		rc = judge_scan(l, r, &r->chunks, e);
	return rc;
}

static void
judge_needs(struct ledger *l, const struct led_run *r, struct led_scan *s)
{
	size_t n;
	const uint64_t *need = ids_sort(&s->needs, &n);
	char who[3 * NAME_SHOWN + 40];

	for (size_t i = 0; i < n; i++)
		if (!led_has_begin(l, r->key.id, s->key.id, need[i]))
			reason(l, "%s: no BEGIN frame of an earlier "
			       "merge-topk, which left out rows",
			       title(who, sizeof who, r, s));
}

static int
judge_run(struct ledger *l, struct led_run *r, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];

	title(who, sizeof who, r, NULL);
	if (!r->begun)
		reason(l, "%s: no BEGIN frame", who);
	if (!r->ended)
		reason(l, "%s: no END frame", who);
	if (r->versions_differ)
		reason(l, "%s: parts by version 0.1 and by a later one: use "
		       "one version of fasta-chunk for all", who);
	else if (r->ends_differ)
		reason(l, "%s: END frames disagree: parts of two inputs, or "
		       "of one that was changed; " CURE, who);
	for (size_t i = 0; i < r->n_scans; i++) {
		if (!led_scan_begun(l, r, r->scan[i]))
			reason(l, "%s: no BEGIN frame of the scanner",
			       title(who, sizeof who, r, r->scan[i]));
		judge_needs(l, r, r->scan[i]);
	}
	return judge_covers(l, r, e);
}

static bool
same(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* Parts made unlike, or of unlike inputs, lack each other's chunks: say so. */
static void
tell_mixed(struct ledger *l)
{
	char who[3 * NAME_SHOWN + 40];

	for (size_t i = 0; i < l->n_runs; i++) {
		const struct led_run *r = l->run[i];
		const struct run_key *k = &r->key;
		const struct run_key *before = i ? &l->run[i - 1]->key : NULL;

		title(who, sizeof who, r, NULL);
		if (r->n_scans > 1)
			reason(l, "%s: parts of %zu scans: the same patterns, "
			       "options and version in all?", who, r->n_scans);
		if (!before || !same(k->base, before->base) ||
		    !same(k->label, before->label))
			continue;
		if (k->hash == before->hash && same(k->first, before->first))
			reason(l, "%s: parts of two ways to cut it: the same "
			       "options and version of fasta-chunk in all?",
			       who);
		else
			reason(l, "%s: parts of two inputs of one name, or of "
			       "one that was changed; " CURE, who);
	}
}

/* SEQ frames of a run of which nothing else came. */
static void
judge_seqs(struct ledger *l)
{
	uint64_t run;

	if (led_unknown_seq(l, &run))
		reason(l, "run %016" PRIx64 ": nothing but lengths", run);
}

static int
judge(struct ledger *l, uint64_t runs, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	int rc = led_judge_names(l, e);

	l->reasons.n = l->reason_at = l->n_reasons = 0;
	led_sort(l);
	if (rc == 0)
		rc = led_texts(l, e);
	if (l->damaged)
		reason(l, "the input is damaged");
	if (!l->any)
		reason(l, "the input is empty: did the program that writes "
		       "it fail?");
	else if (!l->n_runs)
		reason(l, "the input holds no run");
	if (runs && runs != l->n_runs)
		reason(l, "%s came, %" PRIu64 " were told",
		       err_count(l->n_runs, "run").text, runs);
	for (size_t i = 0; i < l->n_runs && rc == 0; i++)
		rc = judge_run(l, l->run[i], e);
	judge_seqs(l);
	if (l->n_reasons)
		tell_mixed(l);
	if (l->lengths_differ)
		reason(l, "two lengths of one sequence; " CURE);
	if (l->two_names)
		reason(l, "%s: record %" PRIu64 " has two names; " CURE,
		       run_title(who, sizeof who, l, l->two_names->run),
		       l->two_names->ordinal + 1);
	if (l->no_lengths == 1)
		reason(l, "the length of %s was never told", l->no_length);
	else if (l->no_lengths)
		reason(l, "the lengths of %" PRIu64 " sequences were never "
		       "told, one of them %s", l->no_lengths, l->no_length);
	if (l->n_reasons > MAX_REASONS) {
		buf_printf(&l->reasons, "and %s more",
			   err_count(l->n_reasons - MAX_REASONS,
				     "reason").text);
		buf_u8(&l->reasons, 0);
	}
	return rc == 0 && l->reasons.bad ? err_nomem(e, l->reasons.n) : rc;
}

int
ledger_verdict(struct ledger *l, uint64_t runs, struct err *e)
{
	const char *text;
	int rc;

	if (!l->judged || runs != l->runs_wanted) {
		rc = judge(l, runs, e);
		if (rc)
			return rc;
		l->judged = true;
		l->runs_wanted = runs;
	}
	if (l->reason_at == l->reasons.n) {
		l->reason_at = 0;	/* asked anew, it says the same again */
		return 0;
	}
	text = (const char *)l->reasons.p + l->reason_at;
	l->reason_at += strlen(text) + 1;
	return err_set(e, ERR_INCOMPLETE, "%s", text);
}

int
ledger_whole(struct ledger *l, bool *whole, struct err *e)
{
	int rc;

	*whole = true;
	while ((rc = ledger_verdict(l, 0, e)) == ERR_INCOMPLETE)
		*whole = false;
	return rc;
}

/* A comment must stay one line, whatever a file's name holds. */
static void
print_name(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_u8(b, iscntrl((unsigned char)s.p[i]) ? '?' :
			  (uint8_t)s.p[i]);
}

static int
print_missing(struct buf *b, struct led_run *r, struct led_scan *s,
	      bool comment, struct err *e)
{
	uint64_t beg, end = 0;
	size_t i = 0;

	if (!led_cover(s))
		return err_nomem(e, s->ranges.n);
	if (comment) {
		buf_printf(b, "# run %016" PRIx64 " ", r->key.id);
		print_name(b, r->key.base);
		if (s != &r->chunks) {
			buf_printf(b, " scan %016" PRIx64 " ", s->key.id);
			print_name(b, s->key.base);
		}
		buf_u8(b, '\n');
	}
	while (led_gap(&s->cover, r->end.chunks, &i, &beg, &end)) {
		buf_printf(b, "%" PRIu64, beg);
		if (end - beg > 1)
			buf_printf(b, "-%" PRIu64, end - 1);
		buf_u8(b, '\n');
	}
	return 0;
}

static bool
missing_of_chunks(const struct ledger *l, const struct led_run *r)
{
	return !r->n_scans || judges_chunks(l, r);
}

int
ledger_missing(struct ledger *l, struct buf *b, struct err *e)
{
	size_t lists = 0, no_end = 0;
	int rc = 0;

	led_sort(l);
	for (size_t i = 0; i < l->n_runs; i++)
		lists += l->run[i]->n_scans + missing_of_chunks(l, l->run[i]);
	for (size_t i = 0; i < l->n_runs && rc == 0; i++) {
		struct led_run *r = l->run[i];

		if (!r->ended || r->ends_differ) {
			no_end++;
			continue;
		}
		for (size_t j = 0; j < r->n_scans && rc == 0; j++)
			rc = print_missing(b, r, r->scan[j], lists > 1, e);
		if (rc == 0 && missing_of_chunks(l, r))
			rc = print_missing(b, r, &r->chunks, lists > 1, e);
	}
	if (rc == 0 && b->bad)
		rc = err_nomem(e, b->n);
	if (rc == 0 && (no_end || !l->n_runs))
		rc = err_set(e, ERR_INCOMPLETE,
			     "no END frame (or several) tells how many chunks "
			     "there are");
	return rc;
}
