/* SPDX-License-Identifier: MIT */
/* opt_complete.c - completions for bash, zsh and fish, from the table */
#include "base/opt_priv.h"

#include <string.h>

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

/* a|b|c as "a b c". */
static void
put_words(const char *arg, FILE *f)
{
	for (; *arg; arg++)
		fputc(*arg == '|' ? ' ' : *arg, f);
}

static void
bash_argument(const struct opt *o, FILE *f)
{
	fputs("\t", f);
	if (o->letter)
		fprintf(f, "-%c", o->letter);
	if (o->name)
		fprintf(f, "%s--%s", o->letter ? "|" : "", o->name);
	fputs(")\n", f);
	if (o->kind == OPT_CHOICE) {
		fputs("\t\tmapfile -t COMPREPLY < <(compgen -W '", f);
		put_words(o->arg, f);
		fputs("' -- \"$cur\")\n", f);
	} else if (opt_is_file(o)) {
		fputs("\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY "
		      "< <(compgen -f -- \"$cur\")\n", f);
	}
	fputs("\t\treturn ;;\n", f);
}

/*
 * bash splits --name=word at the =, so that the option may be two words back.
 * The argument of OPT_SECONDS is never a word of its own.
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
		if (o->help && o->kind != OPT_FLAG && o->kind != OPT_SECONDS)
			bash_argument(o, f);
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
zsh_name(const struct opt *o, bool is_long, bool many, FILE *f)
{
	fputs(" \\\n\t'", f);
	if (many)
		fputc('*', f);
	else if (o->letter && o->name)
		fprintf(f, "(-%c --%s)", o->letter, o->name);
	if (is_long)
		fprintf(f, "--%s", o->name);
	else
		fprintf(f, "-%c", o->letter);
	if (o->kind == OPT_SECONDS)
		fputs(is_long ? "=-" : "-", f);
	else if (o->kind != OPT_FLAG)
		fputs(is_long ? "=" : "+", f);
	fputc('[', f);
	put_escaped(o->help, "\\[]:", "'\\''", f);
	fputc(']', f);
	if (o->kind != OPT_FLAG) {
		fputs(o->kind == OPT_SECONDS ? "::" : ":", f);
		put_escaped(o->arg ? o->arg : "N", "\\:", "'\\''", f);
		fputc(':', f);
		if (o->kind == OPT_CHOICE) {
			fputc('(', f);
			put_words(o->arg, f);
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
			zsh_name(o, false, many, f);
		if (o->help && o->name)
			zsh_name(o, true, many, f);
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
		else if (o->kind != OPT_FLAG && o->kind != OPT_SECONDS)
			fputs(" -x", f);
		if (o->kind == OPT_CHOICE) {
			fputs(" -a '", f);
			put_words(o->arg, f);
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
