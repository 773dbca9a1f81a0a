/* SPDX-License-Identifier: MIT */
/* ebwt_scan.c - from options and queries to a compiled scan and its identity */
#include <stdlib.h>

#include "base/hash.h"
#include "base/opt.h"
#include "scan/ebwt_scan_priv.h"

static const char *const metrics[] = {
	[EBWT_DELTA] = "delta", [EBWT_NORM] = "norm", [EBWT_DM] = "dm",
	[EBWT_DE] = "de",
};

enum ebwt_metric
ebwt_metric_of(const char *name)
{
	int i = EBWT_DE;

	while (i > EBWT_DELTA && strcmp(name, metrics[i]) != 0)
		i--;
	return (enum ebwt_metric)i;
}

static int
check(const struct ebwt_options *o, const struct queries *q, struct err *e)
{
	if (!(o->theta_pos >= 0 && o->theta_pos <= 1))
		return err_set(e, ERR_USAGE, "--theta-pos: must be a number "
			       "from 0 to 1");
	if (!(o->theta_word >= 0 && o->theta_word <= 1))
		return err_set(e, ERR_USAGE, "--theta-word: must be a number "
			       "from 0 to 1");
	if (o->what != EBWT_DISTANCES && q->n)
		return err_set(e, ERR_USAGE, "-q and -e are for distances");
	if (o->what != EBWT_DISTANCES && o->n)
		return err_set(e, ERR_USAGE, "-n is for distances");
	if (o->numbers && (q->n || o->n))
		return err_set(e, ERR_USAGE, "PHYLIP's matrices hold all "
			       "pairs: not with -q, -e or -n");
	return 0;
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct ebwt_scan *s, struct err *e)
{
	const struct ebwt_options *o = &s->o;
	struct buf *b = &s->text;

	buf_printf(b, "program ebwt-dist\nversion %s\nmetric %s\n"
		   "theta-pos %.17g\ntheta-word %.17g\nsolid %s\n",
		   SEQF_VERSION, metrics[o->metric], o->theta_pos,
		   o->theta_word, o->paper ? "more" : "at least");
	if (o->extremes)
		buf_printf(b, "extremes\n");
	if (o->n)
		buf_printf(b, "best %lld\n", (long long)o->n);
	if (s->q->n)
		buf_printf(b, "queries %zu\n", s->q->n);
	if (b->bad)
		return err_nomem(e, b->n);
	s->key.id = hash64(b->p, b->n, s->q->n ? queries_hash(s->q) : 0);
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ "", 0 };
	if (s->q->n) {
		s->key.base = (struct str){ s->q->base, strlen(s->q->base) };
		buf_printf(b, "query %s\n", s->q->base);
	}
	s->key.rule = SCAN_UNION;
	buf_printf(b, "scan %016llx\n", (unsigned long long)s->key.id);
	return b->bad ? err_nomem(e, b->n) : 0;
}

int
ebwt_scan_new(struct ebwt_scan **out, const struct ebwt_options *o,
	      struct queries *q, struct err *e)
{
	struct ebwt_scan *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->o = *o;
	s->q = q;
	s->rule = (struct solid_rule){ o->theta_pos, o->theta_word, o->paper,
				       EBWT_MAX_WORDS };
	rc = check(o, q, e);
	if (!rc)
		rc = ebwt_seqs_queries(q, &s->query, e);
	if (!rc)
		rc = identify(s, e);
	if (rc) {
		ebwt_scan_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
ebwt_scan_free(struct ebwt_scan *s)
{
	if (!s)
		return;
	free(s->query);
	buf_free(&s->text);
	free(s);
}
