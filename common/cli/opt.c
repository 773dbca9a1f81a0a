/* SPDX-License-Identifier: MIT */
/*
 * opt.c - the command line, --help and completions, from one table of options
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/opt.h"

/* The command line, by the program's table of options. */

const struct opt opt_common[] = {
	{ 'v', "verbose", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "more messages on standard error; repeat for more" },
	{ 0, "quiet", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "no messages but warnings and errors" },
	{ 'h', "help", NULL, OPT_FLAG, 0, 0, NULL, NULL, "show this help" },
	{ 'V', "version", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "show the version" },
	{ 0, "completion", "bash|zsh|fish", OPT_CHOICE, 0, 0, NULL, NULL,
	  NULL },
	{ 0 },
};

/* What this build reads with; --version prints it. */
static const char libraries[] = "zlib, libdeflate"
#ifdef HAVE_ISAL
	", ISA-L"
#endif
#ifdef HAVE_ZSTD
	", zstd"
#endif
#ifdef HAVE_BZ2
	", bzip2"
#endif
#ifdef HAVE_LZMA
	", xz"
#endif
	;

struct parser {
	const struct opt_spec *spec;
	char **argv;
	int argc;
	/* argv's next word; the n_operands before it are operands */
	int at, n_operands;
	const char *letters;	/* what is left of -abc; or NULL */
	const char *word;	/* the long option, --name or --name=value */
	const char *value;	/* of the last option, or NULL */
	bool apart;		/* the value was a word of its own */
	int wrong;		/* the option at fault; 0: an unknown one */
	bool *used;		/* of each entry that renames an option */
	const char **given;	/* the value of each entry; NULL: none yet */
	int verbosity;
};

static bool
is_end(const struct opt *o)
{
	return o->letter == 0 && o->name == NULL;
}

/* Entry i of the program's table, then of opt_common; NULL behind the last. */
static const struct opt *
opt_at(const struct opt_spec *spec, size_t i)
{
	const struct opt *o;

	for (o = spec->table; !is_end(o); o++)
		if (i-- == 0)
			return o;
	for (o = opt_common; !is_end(o); o++)
		if (i-- == 0)
			return o;
	return NULL;
}

/* The option of a value of next_option(); NULL if there is none. */
static const struct opt *
opt_by_value(const struct opt_spec *spec, int value)
{
	const struct opt *o;

	if (value >= OPT_LONG)
		return opt_at(spec, (size_t)(value - OPT_LONG));
	for (size_t i = 0; (o = opt_at(spec, i)); i++)
		if (o->letter == value)
			return o;
	return NULL;
}

/* The option that a former name stands for; any other is itself. */
static const struct opt *
opt_current(const struct opt_spec *spec, const struct opt *o)
{
	const struct opt *to;

	if (o->kind != OPT_RENAMED)
		return o;
	for (to = spec->table; !is_end(to); to++)
		if (to->name && strcmp(to->name, o->dflt) == 0)
			return to;
	return NULL;
}

/* What next_option() needs to know of each option. */
static int
describe(struct parser *p, struct err *e)
{
	size_t n = 0;

	while (opt_at(p->spec, n))
		n++;
	p->used = calloc(n + 1, sizeof *p->used);
	p->given = calloc(n + 1, sizeof *p->given);
	if (!p->used || !p->given)
		return err_nomem(e, (n + 1) * sizeof *p->given);
	return 0;
}

/*
 * Options one by one, by the rules of GNU's getopt_long(), which not every
 * system has, or has by other rules: operands may stand before options and are
 * moved behind them, unless POSIXLY_CORRECT is set; a long option may be cut to
 * what no other begins with.
 */

/* The next word, moved before the operands. */
static char *
take_word(struct parser *p)
{
	char **first = p->argv + p->at - p->n_operands, *word = p->argv[p->at];

	memmove(first + 1, first, (size_t)p->n_operands * sizeof *first);
	*first = word;
	p->at++;
	return word;
}

/* The option's value, which is joined (NULL if not), or a word; its number. */
static int
take_value(struct parser *p, const struct opt *o, int number,
	   const char *joined)
{
	p->value = joined;
	if (o->kind == OPT_FLAG && joined) {
		p->wrong = number;
		return '?';
	}
	if (o->kind == OPT_FLAG || opt_is_optional(o) || joined)
		return number;
	if (p->at == p->argc) {
		p->wrong = number;
		return ':';
	}
	p->value = take_word(p);
	p->apart = true;
	return number;
}

/* The next of -abc. */
static int
next_letter(struct parser *p)
{
	int letter = (unsigned char)*p->letters++;
	const struct opt *o = opt_by_value(p->spec, letter);
	const char *rest = *p->letters ? p->letters : NULL;

	if (!o || o->kind == OPT_FLAG)
		p->letters = rest;
	else
		p->letters = NULL;
	if (!o) {
		p->wrong = letter;
		return '?';
	}
	return o->kind == OPT_FLAG ? letter : take_value(p, o, letter, rest);
}

/* -query, as some tools have it: the letter's value would be "uery". */
static bool
is_name_behind_one_dash(const struct parser *p)
{
	const char *name = p->word + 1;
	size_t n = strcspn(name, "=");
	const struct opt *o;

	for (size_t i = 0; n > 2 && (o = opt_at(p->spec, i)); i++)
		if (o->name && strlen(o->name) == n &&
		    memcmp(o->name, name, n) == 0)
			return true;
	return n > 2 && opt_synonym(p->spec, name, n);
}

/* p->word: its whole name, or the beginning of one name only. */
static int
next_name(struct parser *p)
{
	const char *name = p->word + 2;
	size_t n = strcspn(name, "="), found = 0, n_found = 0;
	const struct opt *o;

	for (size_t i = 0; (o = opt_at(p->spec, i)); i++) {
		if (!o->name || strncmp(o->name, name, n) != 0)
			continue;
		found = n_found++ ? found : i;
		if (strlen(o->name) == n) {
			found = i;
			n_found = 1;
			break;
		}
	}
	if (n_found != 1)
		return '?';
	return take_value(p, opt_current(p->spec, opt_at(p->spec, found)),
			  OPT_LONG + (int)found, name[n] ? name + n + 1 : NULL);
}

/*
 * The next option's letter, or OPT_LONG and its place; -1 behind the last, ':'
 * for one without its value, '?' for one unknown or with a value too many.
 */
static int
next_option(struct parser *p)
{
	bool permute = !getenv("POSIXLY_CORRECT");

	p->value = NULL;
	p->apart = false;
	p->wrong = 0;
	if (p->letters)
		return next_letter(p);
	while (permute && p->at < p->argc &&
	       (p->argv[p->at][0] != '-' || !p->argv[p->at][1])) {
		p->at++;
		p->n_operands++;
	}
	if (p->at >= p->argc || p->argv[p->at][0] != '-' ||
	    !p->argv[p->at][1])
		return -1;
	p->word = take_word(p);
	if (strcmp(p->word, "--") == 0)
		return -1;
	if (p->word[1] == '-')
		return next_name(p);
	if (is_name_behind_one_dash(p))
		return '?';
	p->letters = p->word + 1;
	return next_letter(p);
}

/* "must be all, minima or count". */
static int
choose(const struct opt *o, const char *value, struct err *e)
{
	size_t len = strlen(value);
	struct buf b = { 0 };
	int rc = ERR_USAGE;

	for (const char *w = o->arg; rc; w++) {
		size_t n = strcspn(w, "|");

		if (n == len && memcmp(w, value, n) == 0)
			rc = 0;
		if (w > o->arg)
			buf_printf(&b, w[n] ? ", " : " or ");
		buf_printf(&b, "%.*s", (int)n, w);
		w += n;
		if (!*w)
			break;
	}
	if (rc && b.bad)
		rc = err_nomem(e, b.n);
	else if (rc)
		err_set(e, rc, "%.200s: must be %.*s", value, (int)b.n,
			(char *)b.p);
	buf_free(&b);
	return rc;
}

static int
append(const struct opt *o, const char *value, struct err *e)
{
	struct opt_list *l = o->to;
	struct opt_item *v = l->v;

	/* full at 0 and at the powers of two */
	if ((l->n & (l->n - 1)) == 0) {
		v = realloc(v, (l->n ? 2 * l->n : 1) * sizeof *v);
		if (!v)
			return err_nomem(e, 2 * l->n * sizeof *v);
		l->v = v;
	}
	v[l->n++] = (struct opt_item){ o->letter, value };
	return 0;
}

void
opt_list_free(struct opt_list *l)
{
	free(l->v);
	memset(l, 0, sizeof *l);
}

/* Lists are often shared: entries of other options are passed over. */
static const char *
next_of_list(const struct opt *o, size_t *at)
{
	const struct opt_list *l = o->to;

	while (*at < l->n) {
		const struct opt_item *item = &l->v[(*at)++];

		if (item->letter == o->letter)
			return item->value;
	}
	return NULL;
}

const char *
opt_input(const struct opt_spec *spec, const struct opt *o, size_t *at)
{
	const char *text;

	if (o->kind == OPT_LISTFILE)
		return next_of_list(o, at);
	if (*at || (o->kind != OPT_NAMEFILE && o->kind != OPT_ATFILE &&
		    o->kind != OPT_MAYBE))
		return NULL;
	*at = 1;
	text = *(const char **)o->to;
	if (!text)
		return NULL;
	if (o->kind != OPT_NAMEFILE)
		return *text == '@' ? text + 1 : NULL;
	return spec->is_name && spec->is_name(text) ? NULL : text;
}

static int
set(const struct opt *o, const char *value, struct err *e)
{
	int rc;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->to = true;
		return 0;
	case OPT_SECONDS:
		if (!value) {
			*(int64_t *)o->to = 1;
			return 0;
		}
		/* fall through */
	case OPT_INT:
	case OPT_SIZE:
		return opt_number(value, o->min, o->max, o->kind == OPT_SIZE,
				  o->to, e);
	case OPT_LIST:
	case OPT_LISTFILE:
		return append(o, value, e);
	case OPT_CHOICE:
		rc = choose(o, value, e);
		if (rc)
			return rc;
		/* fall through */
	default:
		/* of an empty variable, most likely */
		if (o->kind == OPT_MAYBE && value && !*value)
			return err_set(e, ERR_USAGE, "is empty behind its =");
		*(const char **)o->to = value ? value : "";
		return 0;
	}
}

/* --help and the like: what was printed must have arrived. */
static void __attribute__((noreturn))
finish(void)
{
	if (fflush(stdout) || ferror(stdout) || fclose(stdout))
		die(EXIT_DATA, "standard output:");
	exit(EXIT_DONE);
}

static int
set_common(struct parser *p, const struct opt *o, const char *value,
	   struct err *e)
{
	int rc;

	switch (o->name[0]) {
	case 'q':
		p->verbosity = -1;
		return 0;
	case 'c':
		rc = choose(o, value, e);
		if (!rc)
			rc = opt_completion(p->spec, value, stdout, e);
		if (rc)
			return rc;
		finish();
	case 'h':
		opt_help(p->spec, stdout);
		finish();
	default:
		break;
	}
	if (o->letter == 'V') {
		printf("%s %s (%s)\n", p->spec->prog, SEQF_VERSION, libraries);
		finish();
	}
	p->verbosity++;
	return 0;
}

/* Whether the last of several counts: of options that change no result. */
static bool
last_counts(const struct opt *o)
{
	static const char *const names[] = { "color", "memory", "kernel",
					     "engine", "completion" };

	if (o->kind == OPT_FLAG || o->kind == OPT_LIST ||
	    o->kind == OPT_LISTFILE || o->kind == OPT_SECONDS ||
	    (o->letter && strchr("tgOo", o->letter)))
		return true;
	for (size_t i = 0; o->name && i < sizeof names / sizeof *names; i++)
		if (strcmp(o->name, names[i]) == 0)
			return true;
	return false;
}

/* A second value of an option that takes one: the first must not be lost
 * without a word. */
static int
refuse_second(struct parser *p, const struct opt *o, const char *value,
	      struct err *e)
{
	const char **given;
	size_t i = 0;

	if (last_counts(o))
		return 0;
	while (opt_at(p->spec, i) != o)
		i++;
	given = &p->given[i];
	value = value ? value : "";	/* OPT_MAYBE */
	if (*given && strcmp(*given, value) != 0)
		return err_set(e, ERR_USAGE, "%.100s: is given twice, as "
			       "%.100s before", value, *given);
	*given = value;
	return 0;
}

/* What is wrong with an option, in words. */

/* "-k" or "--query", of a value of next_option(). */
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

/* Whether word spells an option, maybe with its value; "--" ends them. */
static bool
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

/*
 * Whether an option of which the value was forgotten took the next option for
 * it.  Joined to its option, -xVALUE or --text=VALUE, any value may be meant;
 * so may a file's name, and a pattern, as grep's -e does.
 */
static bool
swallows(const struct parser *p, const struct opt *o)
{
	if (!p->apart)
		return false;
	switch (o->kind) {
	case OPT_FILE:
	case OPT_LIST:
	case OPT_LISTFILE:
		return false;
	default:
		return opt_is_spelt(p->spec, p->value);
	}
}

/* An option that this was meant for, by its looks: NULL if there is none. */
static const char *
meant(const struct opt_spec *spec, const char *name, size_t n)
{
	unsigned least = n < 4 ? 2 : 3;	/* one letter of a short one, else 2 */
	const char *best = NULL;
	const struct opt *o;

	for (size_t i = 0; (o = opt_at(spec, i)); i++) {
		unsigned d = !o->name || !o->help ? least :
			     near_distance(name, n, o->name, strlen(o->name));

		if (d < least) {
			least = d;
			best = o->name;
		}
	}
	return best;
}

/* A long option that is none: nothing, or too much, begins so; or it has one
 * dash. */
static int
unknown_name(const struct opt_spec *spec, const char *given, struct err *e)
{
	const char *name = given + 1 + (given[1] == '-');
	int n = (int)strcspn(given, "=");
	size_t len = (size_t)(given + n - name);
	const char *near = len ? meant(spec, name, len) : NULL;
	const char *here = len ? opt_synonym(spec, name, len) : NULL;
	const struct opt *o;
	struct buf b = { 0 };

	for (size_t i = 0; len && given[1] == '-' && (o = opt_at(spec, i)); i++)
		if (o->name && o->help && strncmp(o->name, name, len) == 0)
			buf_printf(&b, "%s--%s", b.n ? ", " : "", o->name);
	if (n > 200)
		n = 200;
	if (b.n && !b.bad)
		err_set(e, ERR_USAGE, "%.*s: could be %.*s", n, given,
			(int)b.n, (char *)b.p);
	else if (here)
		err_set(e, ERR_USAGE, "unknown option %.*s: %s", n, given,
			here);
	else
		err_set(e, ERR_USAGE, "unknown option %.*s%s%s%s", n, given,
			near ? ": did you mean --" : "", near ? near : "",
			near ? "?" : "");
	buf_free(&b);
	return ERR_USAGE;
}

static const char *
argument(const struct opt *o)
{
	return o->arg ? o->arg : "VALUE";
}

/* The reason, where next_option() said ':' or '?'; ERR_USAGE. */
static int
opt_refuse(const struct parser *p, int said, struct err *e)
{
	const struct opt_spec *spec = p->spec;
	int wrong = p->wrong;
	const struct opt *o = wrong ? opt_by_value(spec, wrong) : NULL;
	const char letter = (char)wrong;
	const char *here = wrong ? opt_synonym(spec, &letter, 1) : NULL;

	if (!o)
		return wrong ? err_set(e, ERR_USAGE, "unknown option -%c%s%s",
				       wrong, here ? ": " : "",
				       here ? here : "")
			     : unknown_name(spec, p->word, e);
	if (said == ':')
		return err_set(e, ERR_USAGE, "%s: needs an argument (%s)",
			       name_of(o, wrong).text,
			       argument(opt_current(spec, o)));
	return err_set(e, ERR_USAGE, "%s: takes no argument",
		       name_of(o, wrong).text);
}

/* The option of this number was given an option as its value. */
static int
opt_refuse_swallowed(const struct opt_spec *spec, int value, const char *word,
		     struct err *e)
{
	const struct opt *o = opt_by_value(spec, value);

	return err_set(e, ERR_USAGE, "%s: needs an argument (%s), but %.200s "
		       "follows", name_of(o, value).text,
		       argument(opt_current(spec, o)), word);
}

static int
parse_one(struct parser *p, int value, struct err *e)
{
	const struct opt *o, *named;
	struct err why;
	int rc;

	if (value == ':' || value == '?')
		return opt_refuse(p, value, e);
	named = opt_by_value(p->spec, value);
	o = opt_current(p->spec, named);
	if (o != named)
		p->used[value - OPT_LONG] = true;
	if (swallows(p, o))
		return opt_refuse_swallowed(p->spec, value, p->value, e);
	if (o >= opt_common &&
	    o < opt_common + sizeof opt_common / sizeof *opt_common)
		rc = set_common(p, o, p->value, &why);
	else if ((rc = refuse_second(p, o, p->value, &why)) == 0)
		rc = set(o, p->value, &why);
	if (rc == ERR_USAGE)
		return value >= OPT_LONG ?
		    err_set(e, rc, "--%s %s", named->name, why.text) :
		    err_set(e, rc, "-%c %s", value, why.text);
	if (rc)
		*e = why;
	return rc;
}

/* A note for each former name that was used. */
static void
note_renamed(const struct parser *p)
{
	const struct opt *o;

	for (size_t i = 0; (o = opt_at(p->spec, i)); i++)
		if (p->used[i])
			note(0, "--%s is now --%s", o->name, o->dflt);
}

/*
 * What was closed when we began must not become a file of ours: errors would
 * go into an output that took number 2, and - would read a query file.  Opened
 * the wrong way round, they still fail as if closed; so does a folder, where
 * there is no /dev.
 */
static void
keep_standard(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0 &&
		    open("/", O_RDONLY) < 0)
			return;
}

int
opt_parse(const struct opt_spec *spec, int argc, char **argv, int *operand,
	  struct err *e)
{
	struct parser p = { .spec = spec, .argv = argv, .argc = argc, .at = 1 };
	int rc, value;

	keep_standard();
	prog_set(spec->prog, 0);
	rc = describe(&p, e);
	while (!rc && (value = next_option(&p)) != -1)
		rc = parse_one(&p, value, e);
	*operand = argc ? p.at - p.n_operands : 0;
	if (!rc) {
		prog_set(spec->prog, p.verbosity);
		note_renamed(&p);
	}
	free(p.used);
	free(p.given);
	if (rc == ERR_USAGE) {
		struct err why = *e;

		return err_set(e, rc, "%.900s (see %s --help)", why.text,
			       spec->prog);
	}
	return rc ? rc : cpu_check(e);
}

/* Numbers of options, and their ranges in words. */

static const char digits[] = "0123456789";

/* v as short as it goes: 1000000 is 1M if sizes may be given. */
static void
number_text(char *d, size_t n, int64_t v, bool sizes)
{
	static const char unit[] = "kMG";
	int i = -1;

	for (; sizes && v != 0 && v % 1000 == 0 && i < 2; i++)
		v /= 1000;
	snprintf(d, n, "%lld%.*s", (long long)v, i >= 0,
		 i >= 0 ? unit + i : "");
}

struct opt_range
opt_range(int64_t min, int64_t max, bool sizes)
{
	struct opt_range r = { "" };
	char lo[24], hi[24];

	number_text(lo, sizeof lo, min, sizes);
	number_text(hi, sizeof hi, max, sizes);
	if (max < INT64_MAX)
		snprintf(r.text, sizeof r.text, "%s to %s", lo, hi);
	else if (min != 0)
		snprintf(r.text, sizeof r.text, "at least %s", lo);
	return r;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* *v = 10 *v + digit, towards the sign; false on overflow. */
static bool
value_append(int64_t *v, int digit, bool negative)
{
	return !__builtin_mul_overflow(*v, 10, v) &&
	       !__builtin_add_overflow(*v, negative ? -digit : digit, v);
}

enum parsed { PARSED, NO_NUMBER, TOO_BIG };

/* The zeros that a unit stands for; 0 if c is none. */
static int
unit_zeros(char c)
{
	switch (c) {
	case 'k':
	case 'K': return 3;
	case 'M': return 6;
	case 'G': return 9;
	default: return 0;
	}
}

/*
 * [-]digits[.digits][k|M|G].  There may be no more decimal places than the
 * unit has zeros: 1.5k is 1500, 1.0005k is no whole number.
 */
static enum parsed
parse(const char *s, bool sizes, int64_t *out)
{
	bool negative = *s == '-', fits = true;
	const char *point, *end, *unit;
	int zeros = 0;

	s += negative;
	point = s + strspn(s, digits);
	end = unit = point;
	if (sizes && *point == '.' && is_digit(point[1])) {
		unit = point + 1 + strspn(point + 1, digits);
		for (end = unit; end[-1] == '0';)
			end--;
		if (end[-1] == '.')
			end--;
	}
	if (sizes)
		zeros = unit_zeros(*unit);
	if (point == s || unit[zeros > 0])
		return NO_NUMBER;
	if (end > point && end - point - 1 > zeros)
		return NO_NUMBER;
	if (end > point)
		zeros -= (int)(end - point - 1);
	*out = 0;
	for (; s < end; s++)
		if (*s != '.')
			fits = fits && value_append(out, *s - '0', negative);
	while (zeros-- > 0)
		fits = fits && value_append(out, 0, negative);
	return fits ? PARSED : TOO_BIG;
}

int
opt_number(const char *s, int64_t min, int64_t max, bool sizes, int64_t *out,
	   struct err *e)
{
	struct opt_range r = opt_range(min, max, sizes);
	int64_t v = 0;
	enum parsed how = parse(s, sizes, &v);

	if (how == PARSED && v >= min && v <= max) {
		*out = v;
		return 0;
	}
	if (how == NO_NUMBER)
		return err_set(e, ERR_USAGE, "%.200s: must be %s%sa whole "
			       "number", s, r.text, *r.text ? ", " : "");
	return err_set(e, ERR_USAGE, "%.200s: must be %s", s,
		       *r.text ? r.text : "0 to 9223372036854775807");
}

/* --help, from the table of options. */

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
	bool optional = opt_is_optional(o);
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
	fprintf(f, "%s\nusage: %s %s\n", spec->does, spec->prog, spec->usage);
	if (spec->operands)
		fprintf(f, "\nOperands: %s\n", spec->operands);
	if (spec->table->letter || spec->table->name)
		put_table("Options", spec->table, f);
	put_table("Common options", opt_common, f);
	fprintf(f, "\nSee also: man %s, man seqfilters\n", spec->prog);
}

/* Completions for bash, zsh and fish, from the table. */

/* s with a backslash before each byte of special; ' becomes quote. */
static void
put_escaped(const char *s, const char *special, const char *quote, FILE *f)
{
	for (; *s; s++) {
		if (*s == '\'') {
			fputs(quote, f);
			continue;
		}
		if (strchr(special, *s))
			fputc('\\', f);
		fputc(*s, f);
	}
}

/* What completions offer for an option's value, as "a|b|c"; or NULL. */
static const char *
words_of(const struct opt_spec *spec, const struct opt *o)
{
	if (o->kind == OPT_CHOICE)
		return o->arg;
	for (const char *const *v = spec->values; v && *v; v += 2)
		if (o->name && strcmp(*v, o->name) == 0)
			return v[1];
	return NULL;
}

/* a|b|c as "a b c". */
static void
put_shell_words(const char *arg, FILE *f)
{
	for (; *arg; arg++)
		fputc(*arg == '|' ? ' ' : *arg, f);
}

static void
bash_argument(const struct opt_spec *spec, const struct opt *o, FILE *f)
{
	const char *words = words_of(spec, o);

	fputs("\t", f);
	if (o->letter)
		fprintf(f, "-%c", o->letter);
	if (o->name)
		fprintf(f, "%s--%s", o->letter ? "|" : "", o->name);
	fputs(")\n", f);
	if (words) {
		fprintf(f, "\t\tmapfile -t COMPREPLY < <(compgen %s-W '",
			opt_is_file(o) ? "-f " : "");
		put_shell_words(words, f);
		fputs("' -- \"$cur\")\n", f);
	} else if (opt_is_file(o)) {
		fputs("\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY "
		      "< <(compgen -f -- \"$cur\")\n", f);
	}
	fputs("\t\treturn ;;\n", f);
}

/*
 * bash splits --name=word at the =, so that the option may be two words back.
 * An argument that may be left out is never a word of its own.
 */
static void
bash(const struct opt_spec *spec, const char *fn, FILE *f)
{
	const struct opt *o;

	fprintf(f, "# bash completion for %s\n%s() {\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
		"\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
		"\tif [[ $cur == = ]]; then\n\t\tcur=\n"
		"\telif [[ $prev == = ]]; then\n"
		"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
		"\tCOMPREPLY=()\n\tcase $prev in\n", spec->prog, fn);
	for (size_t i = 0; (o = opt_at(spec, i)); i++)
		if (o->help && o->kind != OPT_FLAG && !opt_is_optional(o))
			bash_argument(spec, o, f);
	fputs("\tesac\n\tif [[ $cur == -* ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '", f);
	for (size_t i = 0; (o = opt_at(spec, i)); i++) {
		if (o->help && o->letter)
			fprintf(f, "-%c ", o->letter);
		if (o->help && o->name)
			fprintf(f, "--%s ", o->name);
	}
	fputs("' -- \"$cur\")\n", f);
	if (spec->operands)
		fputs("\telse\n\t\tcompopt -o filenames\n\t\tmapfile -t "
		      "COMPREPLY < <(compgen -f -- \"$cur\")\n", f);
	fprintf(f, "\tfi\n}\ncomplete -F %s %s\n", fn, spec->prog);
}

/* One spec of _arguments for one of the option's two names. */
static void
zsh_name(const struct opt_spec *spec, const struct opt *o, bool is_long,
	 bool many, FILE *f)
{
	const char *words = words_of(spec, o);

	fputs(" \\\n\t'", f);
	if (many)
		fputc('*', f);
	else if (o->letter && o->name)
		fprintf(f, "(-%c --%s)", o->letter, o->name);
	if (is_long)
		fprintf(f, "--%s", o->name);
	else
		fprintf(f, "-%c", o->letter);
	if (opt_is_optional(o))
		fputs(is_long ? "=-" : "-", f);
	else if (o->kind != OPT_FLAG)
		fputs(is_long ? "=" : "+", f);
	fputc('[', f);
	put_escaped(o->help, "\\[]:", "'\\''", f);
	fputc(']', f);
	if (o->kind != OPT_FLAG) {
		fputs(opt_is_optional(o) ? "::" : ":", f);
		put_escaped(o->arg ? o->arg : "N", "\\:", "'\\''", f);
		fputc(':', f);
		if (words) {
			fputc('(', f);
			put_shell_words(words, f);
			fputc(')', f);
		} else {
			fputs(opt_is_file(o) ? "_files" : " ", f);
		}
	}
	fputc('\'', f);
}

static void
zsh(const struct opt_spec *spec, FILE *f)
{
	const struct opt *o;

	fprintf(f, "#compdef %s\n_arguments -s -S", spec->prog);
	for (size_t i = 0; (o = opt_at(spec, i)); i++) {
		bool many = o->kind == OPT_LIST || o->kind == OPT_LISTFILE ||
			    o->letter == 'v';

		if (o->help && o->letter)
			zsh_name(spec, o, false, many, f);
		if (o->help && o->name)
			zsh_name(spec, o, true, many, f);
	}
	if (spec->operands)
		fputs(" \\\n\t'*:file:_files'", f);
	fputc('\n', f);
}

static void
fish(const struct opt_spec *spec, FILE *f)
{
	const struct opt *o;

	fprintf(f, "# fish completion for %s\n", spec->prog);
	if (!spec->operands)
		fprintf(f, "complete -c %s -f\n", spec->prog);
	for (size_t i = 0; (o = opt_at(spec, i)); i++) {
		if (!o->help)
			continue;
		fprintf(f, "complete -c %s", spec->prog);
		if (o->letter)
			fprintf(f, " -s %c", o->letter);
		if (o->name)
			fprintf(f, " -l %s", o->name);
		if (opt_is_file(o))
			fputs(" -r -F", f);
		else if (o->kind != OPT_FLAG && !opt_is_optional(o))
			fputs(" -x", f);
		if (words_of(spec, o)) {
			fputs(" -a '", f);
			put_shell_words(words_of(spec, o), f);
			fputc('\'', f);
		}
		fputs(" -d '", f);
		put_escaped(o->help, "\\", "\\'", f);
		fputs("'\n", f);
	}
}

int
opt_completion(const struct opt_spec *spec, const char *shell, FILE *f,
	       struct err *e)
{
	char fn[80];

	snprintf(fn, sizeof fn, "_%s", spec->prog);
	for (char *p = fn; *p; p++)
		if (*p == '-')
			*p = '_';
	if (strcmp(shell, "bash") == 0)
		bash(spec, fn, f);
	else if (strcmp(shell, "zsh") == 0)
		zsh(spec, f);
	else if (strcmp(shell, "fish") == 0)
		fish(spec, f);
	else
		return err_set(e, ERR_USAGE, "%.200s: must be bash, zsh or "
			       "fish", shell);
	return 0;
}
