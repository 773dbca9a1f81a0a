/* SPDX-License-Identifier: MIT */
/* ebwt_gap_dev.cu - words walked through gaps of others: memory and launch */
#include "cuda/dev.cuh"
#include "cuda/ebwt_gap_kernel.cuh"

extern "C" {
#include "cuda/ebwt_dev.h"
}

#include <stdlib.h>

/* On the device. */
struct gaps_memory {
	struct gaps_job *job;
	uint64_t *term;
	double *de;
	uint32_t *varied;
	uint16_t *letter, *next, *runs;
};

/* How many there are; next and out without what is before the first job. */
struct gaps_sizes {
	uint64_t letters, varied, next, out, terms;
	uint64_t table, word;	/* bytes of shared memory: of a block, and a
				   thread, at most */
	uint32_t longest;	/* words of a job */
};

struct work {
	const struct gap_batch *j;
	const struct gap_job *first;
	uint32_t n_jobs;
	cudaStream_t queue;
	struct gaps_job *job;	/* here */
	uint64_t *letter_at, *varied_at;	/* of each list, there */
	struct gaps_sizes n;
	struct gaps_memory m;
};

/* Its bytes. */
static size_t
lay_out(struct gaps_memory *m, const struct work *w, uint8_t *base)
{
	const struct gaps_sizes *n = &w->n;
	bool de = w->j->de;
	size_t at = 0;

	m->job = (struct gaps_job *)dev_part(base, &at,
					     w->n_jobs * sizeof *m->job);
	m->term = (uint64_t *)dev_part(base, &at, n->terms * sizeof *m->term);
	m->de = (double *)dev_part(base, &at, de ? n->out * sizeof *m->de : 0);
	m->runs = (uint16_t *)dev_part(base, &at,
				       de ? 0 : n->out * sizeof *m->runs);
	m->varied = (uint32_t *)dev_part(base, &at,
					 n->varied * sizeof *m->varied);
	m->letter = (uint16_t *)dev_part(base, &at,
					 n->letters * sizeof *m->letter);
	m->next = (uint16_t *)dev_part(base, &at, n->next * sizeof *m->next);
	return at;
}

/* Lists one behind the other; what each job is of them. */
static void
measure(struct work *w)
{
	const struct gap_batch *j = w->j;
	struct gaps_sizes *n = &w->n;

	for (uint32_t i = 0; i < j->n_lists; i++) {
		w->letter_at[i] = n->letters;
		w->varied_at[i] = n->varied;
		n->letters += j->list[i]->len;
		n->varied += gap_list_numbers(j->list[i]);
	}
	for (uint32_t k = 0; k < w->n_jobs; k++) {
		const struct gap_job *x = &w->first[k];
		const struct gap_list *l = j->list[x->list];

		w->job[k] = gaps_job{ w->letter_at[x->list],
				      w->varied_at[x->list],
				      x->next - w->first->next,
				      x->out - w->first->out, l->n, l->len,
				      x->m };
		n->next = w->job[k].next + 4 * ((uint64_t)x->m + 1);
		n->out = w->job[k].out + l->n;
		n->table = max(n->table, gap_table_bytes(x->m));
		n->word = max(n->word, gap_word_bytes(l->len, x->m, j->de));
		n->longest = max(n->longest, l->n);
	}
	n->terms = j->de ? gap_term_at(j->most_runs + 1ull) : 0;
}

static cudaError_t
put(const struct work *w)
{
	const struct gap_batch *j = w->j;
	cudaError_t rc = dev_put(w->m.job, w->job, w->n_jobs * sizeof *w->job,
				 w->queue);

	for (uint32_t i = 0; i < j->n_lists && rc == cudaSuccess; i++) {
		const struct gap_list *l = j->list[i];
		uint64_t bytes = gap_list_numbers(l) * sizeof *l->varied;

		rc = dev_put(w->m.letter + w->letter_at[i], l->letter,
			     l->len * sizeof *l->letter, w->queue);
		if (rc == cudaSuccess && bytes)
			rc = dev_put(w->m.varied + w->varied_at[i], l->varied,
				     bytes, w->queue);
	}
	if (rc == cudaSuccess && j->de)
		rc = dev_put(w->m.term, j->term, w->n.terms * sizeof *j->term,
			     w->queue);
	return rc == cudaSuccess ?
	       dev_put(w->m.next, j->next + w->first->next,
		       w->n.next * sizeof *j->next, w->queue) : rc;
}

/* As many words at a time as a block has shared memory for. */
static cudaError_t
launch(const struct work *w)
{
	uint32_t threads = GAPS_BLOCK, columns;
	struct gaps a = { w->m.job, w->m.letter, w->m.next, w->m.varied,
			  w->m.term, w->m.runs, w->m.de };
	size_t bytes;

	while (w->n.table + threads * w->n.word > GAP_ROOM)
		threads /= 2;
	bytes = w->n.table + threads * w->n.word;
	columns = min(w->n.longest / threads + 1, 65535u);
	if (w->j->de)
		LAUNCH((gaps_count<true>), dim3(w->n_jobs, columns), threads,
		       bytes, w->queue, a);
	else
		LAUNCH((gaps_count<false>), dim3(w->n_jobs, columns), threads,
		       bytes, w->queue, a);
	return cudaGetLastError();
}

static cudaError_t
run(const struct work *w)
{
	const struct gap_batch *j = w->j;
	cudaError_t rc = put(w);

	if (rc == cudaSuccess)
		rc = launch(w);
	if (rc != cudaSuccess)
		return rc;
	return j->de ? dev_get(j->de + w->first->out, w->m.de,
			       w->n.out * sizeof *j->de, w->queue) :
		       dev_get(j->runs + w->first->out, w->m.runs,
			       w->n.out * sizeof *j->runs, w->queue);
}

/* What is needed here. */
static int
prepare(struct work *w, struct err *e)
{
	size_t lists = w->j->n_lists * sizeof *w->letter_at;

	w->job = (struct gaps_job *)malloc(w->n_jobs * sizeof *w->job);
	w->letter_at = (uint64_t *)malloc(lists);
	w->varied_at = (uint64_t *)malloc(lists);
	if (!w->job || !w->letter_at || !w->varied_at)
		return err_nomem(e, w->n_jobs * sizeof *w->job + 2 * lists);
	measure(w);
	return 0;
}

static int
run_jobs(void *stream, const struct gap_batch *j, uint32_t from, uint32_t to,
	 struct err *e)
{
	struct dev_jobs *t = (struct dev_jobs *)stream;
	struct work w = { j, j->job + from, to - from, t->queue, NULL, NULL,
			  NULL, {}, {} };
	int err = prepare(&w, e);

	if (!err)
		err = dev_jobs_begin(t, lay_out(&w.m, &w, NULL), e);
	if (!err) {
		lay_out(&w.m, &w, (uint8_t *)t->mem);
		err = dev_jobs_end(t, run(&w), "walks", e);
	}
	free(w.job);
	free(w.letter_at);
	free(w.varied_at);
	return err;
}

const struct ebwt_gap_dev ebwt_gap_dev = { run_jobs };
