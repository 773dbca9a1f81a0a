/* SPDX-License-Identifier: MIT */
/*
 * kdiff.c - the scan of text in memory, timed; a worker that scan.py drives
 *
 * A job is a line of stdin, words apart by blanks; the answer is one of stdout:
 *	text NAME FASTA [CHUNKS]	load letters, all sequences as one, and
 *		the frames that fasta-chunk made of them
 *	scan NAME minima|all K PATTERN ...	find ends, in pieces of 1 Mi
 *	cigar NAME minima|all K PATTERN ...	and starts and CIGARs
 *	frames NAME minima|all K PATTERN ...	from CHUNK frames to HITS frames
 * Answer of the last three: "SECONDS HITS GHZ BOUND", and for cigar the seconds
 * spent on CIGARs.  BOUND is in cycles a letter and pattern: see bound().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_priv.h"
#include "tests/lib/genome.h"
#include "machine.h"
#include "scan/asm/asm.h"
#include "tests/lib/scan_chunk.h"

enum { PIECE = 1 << 20, MAX_TEXTS = 16, BEFORE = 4 };

struct text {
	char *name;
	struct genome g;
	struct rec_frame **frame;
	size_t n_frames;
};

struct job {
	struct text *t;
	struct kdiff_set *set;
	struct asm_scan *scan;
	struct queries q;
	struct kdiff_work *w;
	struct asm_search search;
	struct scan_workers *workers;
	struct kdiff_text x;
	bool cigars;
	struct kdiff_path *path;
	size_t path_cap;
	struct buf out;
	uint64_t found;
	double tracing;
};

static struct text texts[MAX_TEXTS];
static size_t n_texts;

static void
load_frames(struct text *t, const char *path)
{
	struct rec_reader *r;
	struct rec_frame *f;
	struct source *s;
	struct err e;

	if (source_open(&s, path, 1, &e) || rec_reader_new(&r, s, &e))
		machine_stop(path);
	while (rec_read(r, &f, &e) == REC_FRAME) {
		if (f->type != REC_CHUNK) {
			rec_frame_drop(f);
			continue;
		}
		t->frame = realloc(t->frame, (t->n_frames + 1) *
				   sizeof(struct rec_frame *));
		if (!t->frame)
			machine_stop("no memory");
		t->frame[t->n_frames++] = f;
	}
	rec_reader_free(r);
	source_close(s);
}

static void
load(char **word, size_t n)
{
	struct text *t = &texts[n_texts++];

	if (n_texts > MAX_TEXTS || n < 3)
		machine_stop("text NAME FASTA [CHUNKS]");
	t->name = strdup(word[1]);
	if (genome_load(&t->g, word[2]) < 0)
		machine_stop(word[2]);
	if (n > 3)
		load_frames(t, word[3]);
	printf("%llu %s %.3f\n", (unsigned long long)t->g.n,
	       cpu_isa_name(cpu_isa()), machine_vector_ops(cpu_isa()));
}

/*
 * Cycles a letter below which the row by row scan cannot go: it stops at a
 * check row at the earliest, and a row of a vector costs 12 vector operations,
 * of which the machine does so many a cycle, as measured.  Without planes,
 * checks, loads and stores.
 */
static double
bound(const struct kdiff_set *set)
{
	double rows = 0;

	for (size_t i = 0; i < set->n; i++)
		rows += set->pat[i].chk[0];
	return rows / (double)set->n * 12 / machine_vector_ops(cpu_isa()) /
	       (64 * set->ops.lanes);
}

/* Hits as they come: counted, and traced if asked for. */
static int
take(void *ctx, const struct kdiff_hit *v, size_t n, struct err *e)
{
	struct job *j = ctx;
	double beg;
	int rc;

	j->found += n;
	if (!j->cigars)
		return 0;
	beg = machine_cpu();
	if (n > j->path_cap) {
		j->path_cap = 2 * n;
		j->path = realloc(j->path, j->path_cap * sizeof *j->path);
		if (!j->path)
			machine_stop("no memory");
	}
	j->out.n = 0;
	rc = kdiff_trace(j->set, &j->x, j->w, v, n, j->path, &j->out, e);
	j->tracing += machine_cpu() - beg;
	return rc;
}

/* Pieces as chunks would bring them, each with its context before. */
static void
pieces(struct job *j)
{
	uint64_t context = (kdiff_context(j->set) + 63) / 64 * 64;
	const struct genome *t = &j->t->g;

	for (uint64_t at = 0; at < t->n; at += PIECE) {
		uint64_t beg = at > context ? at - context : 0;
		uint64_t n = (t->n - at < PIECE ? t->n : at + PIECE) - beg;
		struct kdiff_seg g = { .end = n, .to = UINT64_MAX,
				       .from = at ? at - beg + 1 : 0 };
		struct err e;

		j->x = genome_piece(t, beg, n, &g);
		if (kdiff_each(j->set, &j->x, j->w, take, j, &e) < 0)
			machine_stop(e.text);
	}
}

static void
frames(struct job *j)
{
	struct rec_frame *before[BEFORE];
	struct err e;

	for (size_t i = 0; i < j->t->n_frames; i++) {
		size_t n = i < BEFORE ? i : BEFORE;

		for (size_t b = 0; b < n; b++)
			before[b] = j->t->frame[i - 1 - b];
		j->out.n = 0;
		if (scan_one_chunk(j->workers, j->t->frame[i], before, n,
				   &j->out, &e) < 0)
			machine_stop(e.text);
	}
}

/* word: what, text, report, k, patterns */
static void
compile(struct job *j, char **word, size_t n)
{
	bool minima = !strcmp(word[2], "minima");
	struct kdiff_params p = {
		.alphabet = KDIFF_DNA,
		.report = minima ? KDIFF_MINIMA : KDIFF_ALL,
	};
	struct asm_options o = {
		.k = word[3], .report = minima ? ASM_MINIMA : ASM_ALL,
		.strands = ASM_PLUS, .ends = true,
	};
	struct opt_item *it = calloc(n, sizeof *it);
	struct opt_list l = { it, n - 4 };
	struct err e;

	if (!it || kdiff_set_new(&j->set, &p, &e) < 0)
		machine_stop("no memory");
	for (size_t i = 4; i < n; i++) {
		it[i - 4] = (struct opt_item){ 'e', word[i] };
		if (kdiff_set_add(j->set, (uint8_t *)word[i], strlen(word[i]),
				  strtoull(word[3], NULL, 10), &e) < 0)
			machine_stop(e.text);
	}
	if (queries_load(&j->q, &l, false, &e) < 0 ||
	    asm_new(&j->scan, &o, &j->q, &e) < 0 ||
	    !(j->search.a = j->scan) ||
	    asm_workers_new(&j->workers, &j->search, 1, &e) < 0 ||
	    kdiff_work_new(&j->w, &e) < 0)
		machine_stop(e.text);
	free(it);
}

static void
work(char **word, size_t n)
{
	struct job j = { 0 };
	double ghz, beg, took;

	for (size_t i = 0; i < n_texts && n > 4; i++)
		if (!strcmp(texts[i].name, word[1]))
			j.t = &texts[i];
	if (!j.t)
		machine_stop("no such text");
	compile(&j, word, n);
	j.cigars = !strcmp(word[0], "cigar");
	ghz = machine_ghz();
	beg = machine_cpu();
	if (!strcmp(word[0], "frames"))
		frames(&j);
	else
		pieces(&j);
	took = machine_cpu() - beg;
	ghz = (ghz + machine_ghz()) / 2;
	printf("%.6f %llu %.3f %.5f %.6f\n", took, (unsigned long long)j.found,
	       ghz, bound(j.set), j.tracing);
	scan_workers_free(j.workers);
	asm_free(j.scan);
	queries_free(&j.q);
	kdiff_work_free(j.w);
	kdiff_set_free(j.set);
	buf_free(&j.out);
	free(j.path);
}

int
main(void)
{
	char *line = NULL, **word = NULL, *save;
	size_t cap = 0;

	while (getline(&line, &cap, stdin) > 0) {
		size_t n = 0, room = strlen(line) / 2 + 2;

		word = realloc(word, room * sizeof *word);
		if (!word)
			machine_stop("no memory");
		for (char *p = strtok_r(line, " \n", &save); p;
		     p = strtok_r(NULL, " \n", &save))
			word[n++] = p;
		if (n && !strcmp(word[0], "text"))
			load(word, n);
		else if (n)
			work(word, n);
		fflush(stdout);
	}
	free(word);
	free(line);
	return 0;
}
