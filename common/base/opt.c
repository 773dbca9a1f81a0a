/* SPDX-License-Identifier: MIT */
/* opt.c - the command line, by the program's table of options */
#define _GNU_SOURCE
#include "base/opt_priv.h"
#include "base/buf.h"
#include "base/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct opt opt_common[] = {
	{ 'v', "verbose", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "tell more; twice: still more" },
	{ 0, "quiet", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "tell nothing but warnings and errors" },
	{ 'h', "help", NULL, OPT_FLAG, 0, 0, NULL, NULL, "show this help" },
	{ 'V', "version", NULL, OPT_FLAG, 0, 0, NULL, NULL,
	  "show the version" },
	{ 0, "completion", "bash|zsh|fish", OPT_CHOICE, 0, 0, NULL, NULL,
	  NULL },
	{ 0 },
};

struct parser {
	const struct opt_spec *spec;
	char **argv;
	char *letters;		/* getopt's optstring */
	struct option *names;
	int verbosity;
};

static bool
is_end(const struct opt *o)
{
	return o->letter == 0 && o->name == NULL;
}

const struct opt *
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

const struct opt *
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

static int
wants(const struct opt *o)
{
	return o->kind == OPT_FLAG ? no_argument :
	       o->kind == OPT_SECONDS ? optional_argument : required_argument;
}

/* What getopt_long wants to know: ":k:q:v" and the long options. */
static int
describe(struct parser *p, struct err *e)
{
	const struct opt *o;
	size_t n = 0, used = 1, n_names = 0;

	while (opt_at(p->spec, n))
		n++;
	p->letters = calloc(3 * n + 2, 1);
	p->names = calloc(n + 1, sizeof *p->names);
	if (!p->letters || !p->names)
		return err_nomem(e, (n + 1) * sizeof *p->names);
	p->letters[0] = ':';	/* tell a missing argument from the unknown */
	for (size_t i = 0; i < n; i++) {
		o = opt_at(p->spec, i);
		if (o->letter) {
			p->letters[used++] = (char)o->letter;
			for (int k = 0; k < wants(o); k++)
				p->letters[used++] = ':';
		}
		if (o->name)
			p->names[n_names++] = (struct option){
				o->name, wants(o), NULL, OPT_LONG + (int)i };
	}
	return 0;
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
	if (*at || (o->kind != OPT_NAMEFILE && o->kind != OPT_ATFILE))
		return NULL;
	*at = 1;
	text = *(const char **)o->to;
	if (!text)
		return NULL;
	if (o->kind == OPT_ATFILE)
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
		*(const char **)o->to = value;
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
		printf("%s %s\n", p->spec->prog, SEQF_VERSION);
		finish();
	}
	p->verbosity++;
	return 0;
}

/*
 * Whether an option of which the value was forgotten took the next option for
 * it.  Joined to its option, -xVALUE or --text=VALUE, any value may be meant;
 * so may a file's name, and a pattern, as grep's -e does.
 */
static bool
swallows(const struct parser *p, const struct opt *o)
{
	if (!optarg || optarg != p->argv[optind - 1])
		return false;
	switch (o->kind) {
	case OPT_FILE:
	case OPT_LIST:
	case OPT_LISTFILE:
		return false;
	default:
		return opt_is_spelt(p->spec, optarg);
	}
}

static int
parse_one(struct parser *p, int value, struct err *e)
{
	const struct opt *o;
	struct err why;
	int rc;

	if (value == ':' || value == '?')
		return opt_refuse(p->spec, p->argv, value, e);
	o = opt_by_value(p->spec, value);
	if (swallows(p, o))
		return opt_refuse_swallowed(p->spec, value, optarg, e);
	if (o >= opt_common &&
	    o < opt_common + sizeof opt_common / sizeof *opt_common)
		rc = set_common(p, o, optarg, &why);
	else
		rc = set(o, optarg, &why);
	if (rc == ERR_USAGE)
		return value >= OPT_LONG ?
		    err_set(e, rc, "--%s %s", o->name, why.text) :
		    err_set(e, rc, "-%c %s", value, why.text);
	if (rc)
		*e = why;
	return rc;
}

/*
 * What was closed when we began must not become a file of ours: errors would
 * go into an output that took number 2, and - would read a query file.  Opened
 * the wrong way round, they still fail as if closed.
 */
static void
keep_standard(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

int
opt_parse(const struct opt_spec *spec, int argc, char **argv, int *operand,
	  struct err *e)
{
	struct parser p = { .spec = spec, .argv = argv };
	int rc, value;

	keep_standard();
	prog_set(spec->prog, 0);
	rc = describe(&p, e);
	opterr = 0;
	optind = 0;	/* 0, not 1: start afresh, also after another parse */
	while (!rc && (value = getopt_long(argc, argv, p.letters, p.names,
					   NULL)) != -1)
		rc = parse_one(&p, value, e);
	*operand = optind < argc ? optind : argc;
	free(p.letters);
	free(p.names);
	if (rc == ERR_USAGE) {
		struct err why = *e;

		return err_set(e, rc, "%.900s (see %s --help)", why.text,
			       spec->prog);
	}
	prog_set(spec->prog, p.verbosity);
	return rc ? rc : cpu_check(e);
}
