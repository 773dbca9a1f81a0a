/* SPDX-License-Identifier: MIT */
/* sw_trace_path.c - from directions to operations */
#include "algo/sw_trace.h"
#include "base/cigar.h"

/* Runs beyond CIGAR_MAX_LEN become several operations. */
void
sw_path_flush(struct sw_path *p)
{
	while (p->len) {
		uint64_t n = p->len < CIGAR_MAX_LEN ? p->len : CIGAR_MAX_LEN;
		uint32_t op = (uint32_t)n << 4 | p->op;

		buf_put(p->ops, &op, sizeof op);
		p->len -= n;
	}
}

static void
put(struct sw_path *p, uint32_t op)
{
	if (!p->ops)
		return;
	if (op != p->op)
		sw_path_flush(p);
	p->op = op;
	p->len++;
}

static void
diagonal(struct sw_path *p)
{
	uint8_t a = p->row[p->i--], b = p->col[p->j--];

	p->score += p->q->s.score[a][b];
	put(p, !p->same || p->same[a] == b ? CIGAR_EQ : CIGAR_X);
}

static void
along(struct sw_path *p)
{
	p->score -= p->q->s.extend;
	p->in = OPEN_E;
	p->j--;
	put(p, CIGAR_D);
}

static void
down(struct sw_path *p)
{
	p->score -= p->q->s.extend;
	p->in = OPEN_F;
	p->i--;
	put(p, CIGAR_I);
}

void
sw_path_step(struct sw_path *p, unsigned dirs)
{
	if (p->in != STEP_DIAG && dirs >> p->in & 1) {
		p->score -= p->q->s.open;
		p->in = STEP_DIAG;
	}
	if (p->in == OPEN_E)
		along(p);
	else if (p->in == OPEN_F)
		down(p);
	else if (dirs >> STEP_DIAG & 1)
		diagonal(p);
	else if (dirs >> STEP_E & 1)
		along(p);
	else
		down(p);
}

bool
sw_path_up(struct sw_path *p, const struct sw_tracing *how,
	   const uint8_t *dirs, size_t top, size_t left, size_t end)
{
	const size_t mask = how->rows / 8;

	while (p->i >= (ptrdiff_t)top) {
		size_t r = (size_t)p->i - top, k = how->rows - 1 - r;
		const uint8_t *x = dirs + k / 8;
		unsigned bits = 0;

		if (p->j < (ptrdiff_t)left || p->j >= (ptrdiff_t)end)
			return false;
		x += ((size_t)p->j - left + r) * SW_DIRS * mask;
		for (unsigned d = 0; d < SW_DIRS; d++)
			bits |= (x[d * mask] >> k % 8 & 1u) << d;
		sw_path_step(p, bits);
	}
	return true;
}

void
sw_path_end(struct sw_path *p)
{
	uint32_t a, b;

	sw_path_flush(p);
	if (p->ops->bad)
		return;
	for (size_t i = p->first, j = p->ops->n; i + 4 < j; i += 4) {
		j -= 4;
		memcpy(&a, p->ops->p + i, 4);
		memcpy(&b, p->ops->p + j, 4);
		memcpy(p->ops->p + i, &b, 4);
		memcpy(p->ops->p + j, &a, 4);
	}
}
