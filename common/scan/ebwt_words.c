/* SPDX-License-Identifier: MIT */
/* ebwt_words.c - the words of a sequence or matrix, listed or as a product */
#include "scan/ebwt_words.h"

#include <math.h>
#include <stdlib.h>

static const double one_weight = 0.5;
static const struct prob one = { 0.5, 1 };

/* Probabilities may be smaller than any double: only their ratios count. */
static int
weigh(struct ebwt_words *w, struct err *e)
{
	int64_t most = INT64_MIN;

	w->own_weight = malloc((w->n + 1) * sizeof *w->own_weight);
	if (!w->own_weight)
		return err_nomem(e, w->n * sizeof *w->own_weight);
	for (uint64_t i = 0; i < w->n; i++)
		if (w->p[i].e > most)
			most = w->p[i].e;
	for (uint64_t i = 0; i < w->n; i++) {
		int64_t below = w->p[i].e - most;

		w->own_weight[i] = below < -2000 ? 0 :
				   ldexp(w->p[i].m, (int)below);
	}
	w->weight = w->own_weight;
	return 0;
}

static int
matrix_of(struct weighted *m, const struct ebwt_seq *s, struct err *e)
{
	float *v = malloc(s->n * 16);
	int rc;

	if (!v)
		return err_nomem(e, s->n * 16);
	memcpy(v, s->letters, s->n * 16);	/* now aligned */
	rc = weighted_new(m, v, s->n, e);
	free(v);
	return rc;
}

static int
list(struct ebwt_words *w, const struct weighted *m,
     const struct solid_rule *r, struct err *e)
{
	int rc = solid_words(&w->own, m, r, e);

	w->n = w->own.n;
	w->letters = w->own.letters;
	w->p = w->own.p;
	return rc ? rc : weigh(w, e);
}

static int
solid_of(struct ebwt_words *w, const struct ebwt_seq *s,
	 const struct solid_rule *r, uint64_t most, struct err *e)
{
	struct weighted m;
	int rc = matrix_of(&m, s, e);

	if (rc)
		return rc;
	w->letters = NULL;
	rc = product_solid(&w->product, &m, r, &w->is_product, e);
	if (w->is_product)
		w->n = w->product.words;
	if (!rc && (!w->is_product || w->n <= most))
		rc = list(w, &m, r, e);
	weighted_free(&m);
	return rc;
}

static int
sort(struct ebwt_words *w, struct err *e)
{
	/* beside what is not shared: the circle is closed */
	enum { CLOSE = 8 };
	int rc;

	w->by_end = (struct ebwt_gap_words){ w->letters, w->len,
					     (uint32_t)w->n, NULL, NULL };
	rc = ebwt_gap_sort(&w->by_end, e);
	for (uint64_t i = 0; i < w->n && !rc; i++)
		w->steps += w->len + CLOSE - w->by_end.shared[i];
	return rc;
}

int
ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
	      const struct solid_rule *r, uint64_t most, struct err *e)
{
	int rc = 0;

	*w = (struct ebwt_words){ .seq = s, .n = 1, .len = s->n,
				  .letters = s->letters, .p = &one,
				  .weight = &one_weight };
	if (s->prob)
		rc = solid_of(w, s, r, most, e);
	if (!rc && (w->letters || !w->n))
		rc = sort(w, e);
	if (rc) {
		err_at(e, "%.*s", (int)(s->name.n < 99 ? s->name.n : 99),
		       s->name.p);
		ebwt_words_free(w);
	}
	return rc;
}

const uint8_t *
ebwt_words_nth(const struct ebwt_words *w, uint64_t j, uint8_t *room,
	       double *weight)
{
	if (!w->letters) {
		*weight = product_nth(&w->product, j, room);
		return room;
	}
	*weight = w->weight[j];
	return w->letters + j * w->len;
}

double
ebwt_words_log2(const struct ebwt_words *w)
{
	uint64_t threes = 0, twos = 0;

	if (!w->is_product)
		return log2((double)w->n);
	for (size_t i = 0; i < w->product.n; i++) {
		threes += w->product.kinds[i] == 3;
		twos += w->product.kinds[i] / 2 * (w->product.kinds[i] != 3);
	}
	return (double)twos + (double)threes * log2(3);
}

enum { TURNS_LEN = 32 };	/* letters in a key */

/* The least rotation, two bits a letter. */
static uint64_t
least_turn(const uint8_t *s, uint64_t len)
{
	unsigned bits = (unsigned)(2 * len), top = bits - 2;
	uint64_t mask = UINT64_MAX >> (64 - bits), x = 0, least;

	for (uint64_t i = 0; i < len; i++)
		x = x << 2 | (s[i] >> 1 & 3);
	least = x;
	for (uint64_t i = 1; i < len; i++) {
		x = (x << 2 & mask) | x >> top;
		least = x < least ? x : least;
	}
	return least;
}

struct keyed {
	uint64_t key, word;
};

static int
by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->word < y->word ? -1 : x->word > y->word;
}

/* Words of equal keys are one turn. */
static void
unite(struct ebwt_words *w, const struct keyed *v)
{
	uint8_t room[TURNS_LEN];

	for (uint64_t i = 0; i < w->n; i++) {
		struct ebwt_turn *t = &w->turn[w->n_turns];
		double weight;

		ebwt_words_nth(w, v[i].word, room, &weight);
		if (i && v[i].key == v[i - 1].key) {
			t[-1].n++;
			t[-1].weight += weight;
			continue;
		}
		*t = (struct ebwt_turn){ v[i].word, 1, weight };
		w->n_turns++;
	}
}

int
ebwt_words_turns(struct ebwt_words *w, struct err *e)
{
	uint8_t room[TURNS_LEN];
	struct keyed *v;
	double weight;

	if (!w->seq->prob || w->n < 2 || w->n > EBWT_MAX_WORDS ||
	    w->len > TURNS_LEN)
		return 0;
	v = malloc(w->n * sizeof *v);
	w->turn = malloc(w->n * sizeof *w->turn);
	if (!v || !w->turn) {
		free(v);
		return err_nomem(e, w->n * sizeof *w->turn);
	}
	for (uint64_t j = 0; j < w->n; j++)
		v[j] = (struct keyed){ least_turn(ebwt_words_nth(w, j, room,
			&weight), w->len), j };
	qsort(v, w->n, sizeof *v, by_key);
	unite(w, v);
	free(v);
	return 0;
}

int
ebwt_words_pack(struct ebwt_words *w, struct err *e)
{
	return w->own.letters && w->n && w->len <= GAP_LIST_LEN ?
	       gap_list_new(&w->packed, &w->by_end, e) : 0;
}

void
ebwt_words_free(struct ebwt_words *w)
{
	gap_list_free(&w->packed);
	product_free(&w->product);
	solid_free(&w->own);
	free(w->own_weight);
	free(w->turn);
	free(w->by_end.order);
	free(w->by_end.shared);
	*w = (struct ebwt_words){ 0 };
}

uint64_t
ebwt_words_bytes(const struct ebwt_words *w)
{
	uint64_t bytes = w->is_product ? w->len * (1 + 4 + 4 * 8) : 0;

	if (w->own.letters)
		bytes += w->n * (w->len + sizeof *w->p + sizeof *w->weight +
				 2 * sizeof(uint32_t));
	if (w->turn)
		bytes += w->n * sizeof *w->turn;
	return bytes;
}

uint64_t
ebwt_words_left(const struct ebwt_words *w, const struct solid_rule *r,
		double theta_pos)
{
	struct solid_rule more = *r;
	struct product x;
	struct weighted m;
	struct err e;
	uint64_t n = 0;
	bool is;

	if (!w->seq->prob)
		return 1;
	if (matrix_of(&m, w->seq, &e))
		return UINT64_MAX;
	more.theta_pos = theta_pos;
	more.theta_word = 0;
	if (product_solid(&x, &m, &more, &is, &e))
		n = UINT64_MAX;
	else if (is)
		n = x.words;
	product_free(&x);
	weighted_free(&m);
	return n;
}
