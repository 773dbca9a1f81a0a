/* SPDX-License-Identifier: MIT */
/* verdict.h - was everything searched? */
#ifndef SEQF_VERDICT_H
#define SEQF_VERDICT_H

#include "base/base.h"
#include "scan/scan.h"

/* What is missing is said on stderr.  An error, but for ERR_INCOMPLETE. */
static inline int
scan_whole(struct sink *s, bool *whole, struct err *e)
{
	*whole = true;
	while (sink_verdict(s, e)) {
		if (e->code != ERR_INCOMPLETE)
			return e->code;
		warn("%s", e->text);
		*whole = false;
	}
	return 0;
}

#endif
