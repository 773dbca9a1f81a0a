/* SPDX-License-Identifier: MIT */
/* ebwt_lines.c - the lines of a listing, and the words that they are of */
#include "scan/ebwt_lines.h"

#include "scan/ebwt_scan.h"

/* Of a line at most; what is behind the second column is not read. */
enum { LINE_MOST = 4096, WIDTH = 60 };

static bool
is_row(const uint8_t *p, size_t n)
{
	return n >= 3 && p[0] != '\t' && p[1] == '\t' &&
	       (p[2] == '0' || p[2] == '1') && (n == 3 || p[3] == '\t');
}

static int
take_line(const uint8_t *p, size_t n, uint64_t line, struct buf *last,
	  struct buf *chi, struct err *e)
{
	if (n && p[n - 1] == '\r')
		n--;
	if (line == 1 && n && *p == '#' && !is_row(p, n))
		return 0;
	if (!is_row(p, n))
		return err_set(e, ERR_FORMAT, "line %llu: no row of M_L and "
			       "M_chi: a letter, a tab, 0 or 1",
			       (unsigned long long)line);
	buf_u8(last, *p);
	buf_u8(chi, p[2] == '1');
	return last->bad || chi->bad ? err_nomem(e, last->n) : 0;
}

int
ebwt_lines_read(struct source *s, struct buf *last, struct buf *chi,
		struct err *e)
{
	uint64_t line = 0;
	const uint8_t *p, *nl;
	size_t n;
	int rc;

	while (!(rc = source_peek(s, LINE_MOST, &p, &n, e)) && n) {
		size_t at = 0;

		while (!rc && at < n &&
		       (nl = memchr(p + at, '\n', n - at)) != NULL) {
			size_t end = (size_t)(nl - p);

			rc = take_line(p + at, end - at, ++line, last, chi, e);
			at = end + 1;
		}
		/* the rest is the last line, or is shown again */
		if (!rc && at == 0) {
			rc = n < LINE_MOST ?
			     take_line(p, n, ++line, last, chi, e) :
			     err_set(e, ERR_FORMAT, "line %llu: too long",
				     (unsigned long long)(line + 1));
			at = n;
		}
		source_skip(s, at);
		if (rc)
			break;
	}
	if (rc || last->n)
		return rc;
	return err_set(e, ERR_FORMAT, "holds no row of a listing");
}

struct fasta_to {
	struct out *out;
	uint64_t n;
};

static int
put_word(void *arg, const uint8_t *letters, uint64_t m, struct err *e)
{
	struct fasta_to *to = arg;
	int rc = out_printf(to->out, e, ">%llu\n",
			    (unsigned long long)++to->n);

	for (uint64_t at = 0; at < m && !rc; at += WIDTH) {
		rc = out_write(to->out, letters + at,
			       m - at < WIDTH ? m - at : WIDTH, e);
		if (!rc)
			rc = out_write(to->out, "\n", 1, e);
	}
	return rc;
}

static int
restore_file(const char *path, unsigned threads, struct fasta_to *to,
	     struct err *e)
{
	struct buf last = { 0 }, chi = { 0 };
	struct source *s;
	int rc = source_open(&s, path, threads, e);

	if (rc)
		return rc;
	rc = ebwt_lines_read(s, &last, &chi, e);
	if (!rc)
		rc = ebwt_restore(last.p, chi.p, last.n, put_word, to, e);
	if (rc == ERR_FORMAT || rc == ERR_LIMIT)
		err_at(e, "%s", source_name(s));
	source_close(s);
	buf_free(&last);
	buf_free(&chi);
	return rc;
}

int
ebwt_restore_text(char *const *operand, size_t n, unsigned threads,
		  struct out *out, struct err *e)
{
	static char *const standard_input[] = { "-" };
	struct fasta_to to = { out, 0 };
	char *const *path = n ? operand : standard_input;
	int rc = 0;

	for (size_t i = 0; i < (n ? n : 1) && !rc; i++)
		rc = restore_file(path[i], threads, &to, e);
	return rc;
}
