/* SPDX-License-Identifier: MIT */
/* opt_refuse.c - what is wrong with an option, in words */
#define _GNU_SOURCE
#include "base/opt_priv.h"
#include "base/buf.h"

#include <getopt.h>
#include <string.h>

/* The least number of letters to change, leave out or put in; at most 64. */
static unsigned
distance(const char *a, size_t n, const char *b)
{
	unsigned row[65], m = (unsigned)strlen(b);

	if (n > 64 || m > 64)
		return 64;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 0; i < n; i++) {
		unsigned diagonal = row[0]++;

		for (unsigned j = 1; j <= m; j++) {
			unsigned d = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			d = d < row[j - 1] + 1 ? d : row[j - 1] + 1;
			row[j] = d < diagonal + 1 ? d : diagonal + 1;
		}
	}
	return row[m];
}

/* An option that this was meant for, by its looks: NULL if there is none. */
static const char *
meant(const struct opt_spec *spec, const char *name, size_t n)
{
	unsigned least = n < 4 ? 2 : 3;	/* one letter of a short one, else 2 */
	const char *best = NULL;
	const struct opt *o;

	for (size_t i = 0; (o = opt_at(spec, i)); i++) {
		unsigned d = o->name && o->help ? distance(name, n, o->name)
						: least;

		if (d < least) {
			least = d;
			best = o->name;
		}
	}
	return best;
}

/* A long option that getopt_long refused: nothing, or too much, begins so. */
static int
unknown_name(const struct opt_spec *spec, char **argv, struct err *e)
{
	const char *given = argv[optind - 1];
	int n = (int)strcspn(given, "=");
	const char *near = n > 2 ? meant(spec, given + 2, (size_t)n - 2) : NULL;
	const struct opt *o;
	struct buf b = { 0 };

	for (size_t i = 0; n > 2 && (o = opt_at(spec, i)); i++)
		if (o->name && o->help &&
		    strncmp(o->name, given + 2, (size_t)n - 2) == 0)
			buf_printf(&b, "%s--%s", b.n ? ", " : "", o->name);
	if (n > 200)
		n = 200;
	if (b.n && !b.bad)
		err_set(e, ERR_USAGE, "%.*s: could be %.*s", n, given,
			(int)b.n, (char *)b.p);
	else
		err_set(e, ERR_USAGE, "unknown option %.*s%s%s%s", n, given,
			near ? ": did you mean --" : "", near ? near : "",
			near ? "?" : "");
	buf_free(&b);
	return ERR_USAGE;
}

/* "-k" or "--query", of getopt_long's value. */
struct name {
	char text[80];
};
static struct name
name_of(const struct opt *o, int value)
{
	struct name n;

	if (value >= OPT_LONG)
		snprintf(n.text, sizeof n.text, "--%s", o->name);
	else
		snprintf(n.text, sizeof n.text, "-%c", value);
	return n;
}

static const char *
argument(const struct opt *o)
{
	return o->arg ? o->arg : "VALUE";
}

int
opt_refuse(const struct opt_spec *spec, char **argv, int said, struct err *e)
{
	const struct opt *o = optopt ? opt_by_value(spec, optopt) : NULL;

	if (!o)
		return optopt ? err_set(e, ERR_USAGE, "unknown option -%c",
					optopt)
			      : unknown_name(spec, argv, e);
	if (said == ':')
		return err_set(e, ERR_USAGE, "%s: needs an argument (%s)",
			       name_of(o, optopt).text, argument(o));
	return err_set(e, ERR_USAGE, "%s: takes no argument",
		       name_of(o, optopt).text);
}

bool
opt_is_spelt(const struct opt_spec *spec, const char *word)
{
	const struct opt *o;
	size_t n;

	if (word[0] != '-' || word[1] == '\0')
		return false;
	if (word[1] != '-')
		return opt_by_value(spec, (unsigned char)word[1]) != NULL;
	n = strcspn(word + 2, "=");
	for (size_t i = 0; (o = opt_at(spec, i)); i++)
		if (o->name && strncmp(o->name, word + 2, n) == 0)
			return true;
	return false;
}

int
opt_refuse_swallowed(const struct opt_spec *spec, int value, const char *word,
		     struct err *e)
{
	const struct opt *o = opt_by_value(spec, value);

	return err_set(e, ERR_USAGE, "%s: needs an argument (%s), but %.200s "
		       "follows", name_of(o, value).text, argument(o), word);
}
