/* SPDX-License-Identifier: MIT */
/* program.h - the version, and options that may be given many times */
#ifndef SEQF_BASE_PROGRAM_H
#define SEQF_BASE_PROGRAM_H

#include <stddef.h>

#define SEQF_VERSION "0.2.0"

/* OPT_LIST and OPT_LISTFILE options may share one list: order is kept. */
struct opt_list {
	struct opt_item {
		int letter;		/* which option gave it */
		const char *value;	/* points into argv */
	} *v;
	size_t n;
};

#endif
