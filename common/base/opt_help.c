/* SPDX-License-Identifier: MIT */
/* opt_help.c - --help, from the table of options */
#include "base/opt_priv.h"

#include <string.h>

enum { LEFT = 26, WIDTH = 79 };

/* "=a|b|c", wrapped behind a |; returns the column it ends at. */
static int
put_arg(const char *s, int at, FILE *f)
{
	at += fprintf(f, "=");
	while (*s) {
		int n = (int)strcspn(s, "|");

		n += s[n] == '|';
		if (at + n > WIDTH)
			at = fprintf(f, "\n%*s", LEFT, "") - 1;
		at += fprintf(f, "%.*s", n, s);
		s += n;
	}
	return at;
}

/* "-q, --query=FILE" and the like; returns its width. */
static int
put_option(const struct opt *o, FILE *f)
{
	bool optional = o->kind == OPT_SECONDS;
	const char *arg = o->kind == OPT_FLAG ? NULL : o->arg ? o->arg : "N";
	int n;

	if (!o->name)
		n = fprintf(f, arg ? "  -%c %s" : "  -%c", o->letter, arg);
	else if (o->letter)
		n = fprintf(f, "  -%c, --%s", o->letter, o->name);
	else
		n = fprintf(f, "      --%s", o->name);
	if (o->name && arg && optional)
		return n + fprintf(f, "[=%s]", arg);
	return o->name && arg ? put_arg(arg, n, f) : n;
}

/* Words from column LEFT, wrapped. */
static void
put_words(const char *s, int at, FILE *f)
{
	while (*s) {
		int n = (int)strcspn(s, " ");

		if (at > LEFT && at + 1 + n > WIDTH) {
			fprintf(f, "\n%*s", LEFT, "");
			at = LEFT;
		}
		at += fprintf(f, at > LEFT ? " %.*s" : "%.*s", n, s);
		s += n;
		s += strspn(s, " ");
	}
	fputc('\n', f);
}

/* "differences (0 to 63; default 0)" */
static void
put_help(const struct opt *o, int at, FILE *f)
{
	struct opt_range r = { "" };
	char text[1000];
	size_t n;

	if (o->kind == OPT_INT || o->kind == OPT_SIZE)
		r = opt_range(o->min, o->max, o->kind == OPT_SIZE);
	n = (size_t)snprintf(text, sizeof text, "%s", o->help);
	if (n < sizeof text && (*r.text || o->dflt))
		snprintf(text + n, sizeof text - n, " (%s%s%s%s)", r.text,
			 *r.text && o->dflt ? "; " : "",
			 o->dflt ? "default " : "", o->dflt ? o->dflt : "");
	if (at + 2 > LEFT) {
		fputc('\n', f);
		at = 0;
	}
	fprintf(f, "%*s", LEFT - at, "");
	put_words(text, LEFT, f);
}

static void
put_table(const char *title, const struct opt *o, FILE *f)
{
	fprintf(f, "\n%s:\n", title);
	for (; o->letter || o->name; o++)
		if (o->help)
			put_help(o, put_option(o, f), f);
}

void
opt_help(const struct opt_spec *spec, FILE *f)
{
	fprintf(f, "usage: %s %s\n%s\n", spec->prog, spec->usage, spec->does);
	if (spec->operands)
		fprintf(f, "\nOperands: %s\n", spec->operands);
	if (spec->table->letter || spec->table->name)
		put_table("Options", spec->table, f);
	put_table("Common options", opt_common, f);
	fprintf(f, "\nSee also: man %s, man seqfilters\n", spec->prog);
}
