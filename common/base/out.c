/* SPDX-License-Identifier: MIT */
/* out.c - output to stdout or -o FILE, whole or not at all; temporary files */

#define _GNU_SOURCE	/* F_SETPIPE_SZ, O_TMPFILE */

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"

/* Bytes as BGZF, the gzip of blocks that samtools and tabix read: the SAM
 * specification, section 4.1. */

enum {
	LEVEL = 6,		/* bgzip's */
	BLOCK = 65280,		/* bytes of a block: bgzip's */
	HEAD = 18, TAIL = 8,	/* around its deflate stream */
	STORED = 5,		/* before bytes that are stored */
	MAX_BLOCK = 65536,	/* bytes of a block as it is written */
};

struct bgzf {
	struct libdeflate_compressor *c;
};

static void
bgzf_free(struct bgzf *z)
{
	if (z && z->c)
		libdeflate_free_compressor(z->c);
	free(z);
}

static int
bgzf_new(struct bgzf **z, struct err *e)
{
	*z = calloc(1, sizeof **z);
	if (*z)
		(*z)->c = libdeflate_alloc_compressor(LEVEL);
	if (*z && (*z)->c)
		return 0;
	bgzf_free(*z);
	*z = NULL;
	return err_nomem(e, sizeof **z);
}

static void
put_u16(uint8_t *to, size_t v)
{
	to[0] = (uint8_t)v;
	to[1] = (uint8_t)(v >> 8);
}

static void
put_u32(uint8_t *to, size_t v)
{
	put_u16(to, v);
	put_u16(to + 2, v >> 16);
}

/* What does not shrink is stored, in one piece: BLOCK is below 2^16. */
static size_t
store(uint8_t *to, const void *p, size_t n)
{
	*to = 1;
	put_u16(to + 1, n);
	put_u16(to + 3, ~n);
	memcpy(to + STORED, p, n);
	return STORED + n;
}

static void
put_block(struct bgzf *z, const void *p, size_t n, struct buf *b)
{
	static const uint8_t head[HEAD] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0,
					    0xff, 6, 0, 'B', 'C', 2, 0 };
	size_t k;
	uint8_t *to;

	if (!buf_reserve(b, MAX_BLOCK))
		return;
	to = b->p + b->n;
	memcpy(to, head, HEAD);
	k = libdeflate_deflate_compress(z->c, p, n, to + HEAD,
					MAX_BLOCK - HEAD - TAIL);
	if (k == 0)
		k = store(to + HEAD, p, n);
	put_u16(to + HEAD - 2, HEAD + k + TAIL - 1);
	put_u32(to + HEAD + k, libdeflate_crc32(0, p, n));
	put_u32(to + HEAD + k + 4, n);
	b->n += HEAD + k + TAIL;
}

/* Appends n bytes to b as whole blocks; b.bad if there is no memory. */
static void
bgzf_put(struct bgzf *z, const void *p, size_t n, struct buf *b)
{
	const uint8_t *at = p;

	for (size_t k; n; at += k, n -= k) {
		k = n < BLOCK ? n : BLOCK;
		put_block(z, at, k, b);
	}
}

/* Appends the empty block that ends a file. */
static void
bgzf_end(struct buf *b)
{
	static const uint8_t end[] = { 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff,
				       6, 0, 'B', 'C', 2, 0, 27, 0, 3, 0, 0,
				       0, 0, 0, 0, 0, 0, 0 };

	buf_put(b, end, sizeof end);
}

/* What does not fit into memory waits in a file. */

/* A file in a folder that has no name: nothing is left of it when the program
 * ends.  -1 where there is none. */
static int
nameless(const char *dir, int how, mode_t mode)
{
#if defined(O_TMPFILE) && !defined(SEQF_PLAIN)
	return open(dir, O_TMPFILE | how | O_CLOEXEC, mode);
#else
	(void)dir;
	(void)how;
	(void)mode;
	return -1;
#endif
}

static int
spool_open(struct spool *s, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int len;

	if (!dir || !*dir)
		dir = "/tmp";
	len = snprintf(path, sizeof path, "%s/seqfilters-XXXXXX", dir);
	if (len < 0 || (size_t)len >= sizeof path)
		return err_set(e, ERR_IO, "TMPDIR: the name is too long");
	s->fd = nameless(dir, O_RDWR, 0600);
	if (s->fd < 0) {
		s->fd = mkstemp(path);
		if (s->fd < 0)
			return err_set(e, ERR_IO, "%s: no temporary file "
				       "(TMPDIR names another place):", dir);
		unlink(path);
	}
	s->open = true;
	s->n = 0;
	return 0;
}

int
spool_append(struct spool *s, const void *p, size_t n, struct err *e)
{
	const uint8_t *from = p;
	int r = s->open ? 0 : spool_open(s, e);

	if (r < 0)
		return r;
	while (n) {
		ssize_t done = pwrite(s->fd, from, n, (off_t)s->n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set(e, ERR_IO, "writing a temporary file "
				       "(TMPDIR names another place):");
		from += done;
		n -= (size_t)done;
		s->n += (uint64_t)done;
	}
	return 0;
}

int
spool_read(struct spool *s, uint64_t at, void *p, size_t n, struct err *e)
{
	uint8_t *to = p;

	if (at > s->n || n > s->n - at)
		return err_set(e, ERR_IO, "temporary file: read past its end");
	while (n) {
		ssize_t done = pread(s->fd, to, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set(e, ERR_IO, "reading a temporary file:");
		if (done == 0)
			return err_set(e, ERR_IO, "a temporary file was cut");
		to += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}

void
spool_close(struct spool *s)
{
	if (s->open)
		close(s->fd);
	memset(s, 0, sizeof *s);
}

enum { QUEUE_BLOCK = 1 << 16 };

/* The strings at the back become one block of the file. */
static int
queue_spill(struct queue *q, struct err *e)
{
	uint64_t n = q->back.n;
	int r = spool_append(&q->file, &n, sizeof n, e);

	if (r == 0)
		r = spool_append(&q->file, q->back.p, q->back.n, e);
	if (r == 0)
		q->back.n = 0;
	return r;
}

int
queue_push(struct queue *q, const void *p, size_t n, struct err *e)
{
	return queue_push_two(q, p, n, NULL, 0, e);
}

int
queue_push_two(struct queue *q, const void *p, size_t n, const void *more,
	       size_t n_more, struct err *e)
{
	uint64_t len = n + n_more;
	size_t most;

	buf_put(&q->back, &len, sizeof len);
	buf_put(&q->back, p, n);
	buf_put(&q->back, more, n_more);
	if (q->back.bad)
		return err_nomem(e, len);
	/* front and back are each half of what may be in memory; blocks behind
	 * the first are small, so that they are copied while in the cache */
	most = q->memory / 2;
	if (q->file.open && most > QUEUE_BLOCK)
		most = QUEUE_BLOCK;
	return q->back.n > most ? queue_spill(q, e) : 0;
}

/* The front is empty: the next block of the file, else the back. */
static int
queue_refill(struct queue *q, struct err *e)
{
	struct buf t;
	uint64_t n;
	int r;

	q->at = q->front.n = 0;
	t = q->front;
	if (!q->file.open) {
		q->front = q->back;
		q->back = t;
		return 0;
	}
	r = spool_read(&q->file, q->file_at, &n, sizeof n, e);
	if (r < 0)
		return r;
	if (!buf_reserve(&q->front, n))
		return err_nomem(e, n);
	r = spool_read(&q->file, q->file_at + sizeof n, q->front.p, n, e);
	q->front.n = n;
	q->file_at += sizeof n + n;
	if (q->file_at == q->file.n) {
		spool_close(&q->file);
		q->file_at = 0;
	}
	return r;
}

int
queue_first(struct queue *q, const uint8_t **p, size_t *n, struct err *e)
{
	uint64_t len;
	int r;

	if (q->at == q->front.n) {
		r = queue_refill(q, e);
		if (r < 0)
			return r;
		if (q->front.n == 0)
			return 0;
	}
	memcpy(&len, q->front.p + q->at, sizeof len);
	*p = q->front.p + q->at + sizeof len;
	*n = len;
	return 1;
}

void
queue_pop(struct queue *q)
{
	uint64_t len;

	memcpy(&len, q->front.p + q->at, sizeof len);
	q->at += sizeof len + len;
}

void
queue_free(struct queue *q)
{
	buf_free(&q->front);
	buf_free(&q->back);
	spool_close(&q->file);
}

/* Checked output to stdout or -o FILE. */

/*
 * Small pieces are gathered up to this; a pipe moves 4-5 GB/s with it.  Large
 * ones are written from where they are, in one call with what was gathered.
 */
enum { OUT_GATHER = 1 << 18, OUT_LARGE = 1 << 16, OUT_PIPE = 1 << 20,
	TMP_ROOM = 32,		/* behind the path: .tmp- and a number */
	MAX_LINKS = 40 };	/* as Linux follows */

/* A gate: open, closed while names are made or changed, closed for good. */
enum { GATE_OPEN, GATE_NAMING, GATE_STOPPED };

struct out {
	int fd;
	bool tty, any;	/* any: something was written */
	char *path;	/* what is renamed to; NULL: nothing is */
	char *tmp;	/* its name until then; NULL: there is none */
	bool nameless;	/* it has no name yet, tmp is for later */
	const char *name;	/* for errors */
	struct out_guard *guard, none;	/* none: nobody else looks at it */
	struct bgzf *gz;	/* for names that end with .gz; or NULL */
	struct buf b;
	struct buf shown;	/* b as a terminal, or a .gz file, gets it */
};

const char *
out_left(const struct out *o)
{
	return atomic_load(&o->guard->left);
}

/*
 * Between these a file may get or lose its temporary name.  This thread takes
 * no signal there, and a handler in another one waits for open_gate(): it then
 * finds a name if and only if there is a file.  After out_stop() the program is
 * about to end, and nothing is named any more.
 */
static void
close_gate(struct out *o, sigset_t *old)
{
	int is = GATE_OPEN;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
	while (!atomic_compare_exchange_strong(&o->guard->gate, &is,
					       GATE_NAMING)) {
		is = GATE_OPEN;
		poll(NULL, 0, -1);
	}
}

static void
open_gate(struct out *o, const char *left, const sigset_t *old)
{
	atomic_store(&o->guard->left, left);
	atomic_store(&o->guard->gate, GATE_OPEN);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

void
out_stop(struct out_guard *g)
{
	const char *left;
	int is = GATE_OPEN;

	while (!atomic_compare_exchange_strong(&g->gate, &is, GATE_STOPPED)) {
		/* another thread's handler is at it, and ends the program */
		poll(NULL, 0, is == GATE_STOPPED ? -1 : 1);
		is = GATE_OPEN;
	}
	left = atomic_load(&g->left);
	if (left)
		unlink(left);
}

bool
out_is_tty(const struct out *o)
{
	return o->tty;
}

bool
out_any(const struct out *o)
{
	return o->any;
}

unsigned
out_columns(const struct out *o)
{
	struct winsize w;

	if (!o->tty)
		return 0;
	return ioctl(o->fd, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

/* After a failed write: shall it be tried again?  Waits until it can be. */
static bool
again(int fd)
{
	struct pollfd w = { .fd = fd, .events = POLLOUT };

	/* a descriptor shared with a non-blocking program */
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return poll(&w, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

/*
 * What was gathered and n bytes at p: everything, or an error.  A write may
 * stop anywhere, and Linux's after 2^31 - 4096 bytes.
 */
static int
write_all(struct out *o, const void *p, size_t n, struct err *e)
{
	struct iovec v[2] = { { o->b.p, o->b.n }, { (void *)(uintptr_t)p, n } };

	o->b.n = 0;
	while (v[0].iov_len + v[1].iov_len) {
		struct iovec *from = v[0].iov_len ? v : v + 1;
		ssize_t w = writev(o->fd, from, (int)(v + 2 - from));

		if (w < 0 && again(o->fd))
			continue;
		if (w < 0)
			return err_set(e, ERR_IO, "%s: cannot write:",
				       o->name);
		for (; w > 0 && from < v + 2; from++) {
			size_t k = (size_t)w < from->iov_len ? (size_t)w :
			    from->iov_len;

			from->iov_base = (uint8_t *)from->iov_base + k;
			from->iov_len -= k;
			w -= (ssize_t)k;
		}
	}
	return 0;
}

/*
 * Bytes at p (n > 0) that go to a terminal as they are: letters, blanks, ends
 * of lines, and the colours of print_pretty.c.  0: a control character, which
 * names and descriptions may hold, but which must not reach the terminal.
 */
static unsigned
harmless(const uint8_t *p, size_t n)
{
	static const char *const colours[] = { "\033[0m", "\033[1m",
					       "\033[31;1m", "\033[33;1m" };
	unsigned len;

	if (*p == '\n' || *p == '\t' || (*p == '\r' && n > 1 && p[1] == '\n'))
		return 1;
	for (size_t i = 0; *p == '\033' && i < 4; i++) {
		len = (unsigned)strlen(colours[i]);
		if (n >= len && memcmp(p, colours[i], len) == 0)
			return len;
	}
	if (utf8_control(p, n))
		return 0;
	len = utf8_letter(p, n);
	return len ? len : 1;
}

/*
 * What was gathered, control characters as %XX like those of names.  One whose
 * bytes come in two pieces does not pass either: its second byte is below 0xa0.
 */
static void
show(struct out *o)
{
	const uint8_t *p = o->b.p, *end = p + o->b.n;
	struct buf old = o->b;

	o->shown.n = 0;
	while (p < end) {
		unsigned len = harmless(p, (size_t)(end - p));
		unsigned bad = len ? 0 : utf8_control(p, (size_t)(end - p));

		buf_put(&o->shown, p, len);
		for (p += len; bad--; p++)
			buf_printf(&o->shown, "%%%02X", *p);
	}
	o->b = o->shown;
	o->shown = old;
}

/* What was gathered and n bytes at p, compressed. */
static void
compress_all(struct out *o, const void *p, size_t n)
{
	struct buf old = o->b;

	o->shown.n = 0;
	bgzf_put(o->gz, o->b.p, o->b.n, &o->shown);
	bgzf_put(o->gz, p, n, &o->shown);
	o->b = o->shown;
	o->shown = old;
}

/* The same, as the output wants it. */
static int
write_out(struct out *o, const void *p, size_t n, struct err *e)
{
	if (o->b.bad)
		return err_nomem(e, OUT_GATHER);
	if (!o->tty && !o->gz)
		return write_all(o, p, n, e);
	if (o->gz)
		compress_all(o, p, n);
	else
		show(o);
	return o->b.bad ? err_nomem(e, OUT_GATHER) : write_all(o, NULL, 0, e);
}

int
out_flush(struct out *o, struct err *e)
{
	return write_out(o, NULL, 0, e);
}

int
out_write(struct out *o, const void *p, size_t n, struct err *e)
{
	int rc = 0;

	o->any |= n > 0;
	if (o->b.bad)
		return err_nomem(e, OUT_GATHER);
	if (n >= OUT_LARGE && !o->tty)
		return write_out(o, p, n, e);
	if (n > OUT_GATHER - o->b.n)
		rc = out_flush(o, e);
	if (rc)
		return rc;
	buf_put(&o->b, p, n);
	if (o->b.bad)
		return err_nomem(e, n);
	return o->tty ? out_flush(o, e) : 0;
}

int
out_printf(struct out *o, struct err *e, const char *fmt, ...)
{
	va_list ap, again;
	char small[1024], *p = small;
	int n, rc;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof small) {
		p = malloc((size_t)n + 1);
		if (p)
			vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n < 0)
		return err_set(e, ERR_IO, "%s: cannot format:", o->name);
	if (!p)
		return err_nomem(e, (unsigned long long)n + 1);
	rc = out_write(o, p, (size_t)n, e);
	if (p != small)
		free(p);
	return rc;
}

/*
 * The names that a file may have until it is whole.  One that is there is
 * another's: a host that shares the folder may have been given the same work
 * and the same process id.
 */
static void
set_tmp(struct out *o, unsigned long more)
{
	snprintf(o->tmp, strlen(o->path) + TMP_ROOM, "%s.tmp-%lu", o->path,
		 (unsigned long)getpid() + more);
}

static int
open_named(struct out *o)
{
	unsigned long more = 0;
	sigset_t old;
	int fd;

	close_gate(o, &old);
	do {
		set_tmp(o, more++);
		fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0666);
	} while (fd < 0 && errno == EEXIST);
	open_gate(o, fd < 0 ? NULL : o->tmp, &old);
	return fd;
}

/* A name for an open file without one.  The gate is closed. */
static int
give_name(struct out *o, int fd)
{
	unsigned long more = 0;
	char self[40];
	int rc;

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	do {
		set_tmp(o, more++);
		rc = linkat(AT_FDCWD, self, AT_FDCWD, o->tmp,
			    AT_SYMLINK_FOLLOW);
	} while (rc != 0 && errno == EEXIST);
	return rc;
}

/*
 * A file in the folder of o->path that has no name, so that nothing is left of
 * it if the program is killed.  -1 where the file system has none, or cannot
 * name it later: that is tried, with another one.
 */
static int
open_nameless(struct out *o)
{
	const char *hook = getenv("SEQF_OUT");
	char *slash = strrchr(o->path, '/');
	sigset_t old;
	int fd, trial;

	if (hook && strcmp(hook, "named") == 0)
		return -1;
	snprintf(o->tmp, strlen(o->path) + TMP_ROOM, "%.*s.",
		 slash ? (int)(slash - o->path) + 1 : 0, o->path);
	trial = nameless(o->tmp, O_WRONLY, 0666);
	fd = nameless(o->tmp, O_WRONLY, 0666);
	close_gate(o, &old);
	if (fd >= 0 && (trial < 0 || give_name(o, trial) != 0)) {
		close(fd);
		fd = -1;
	} else if (fd >= 0) {
		unlink(o->tmp);
	}
	open_gate(o, NULL, &old);
	if (trial >= 0)
		close(trial);
	return fd;
}

/* A symbolic link's target: relative ones begin where the link is. */
static char *
link_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0, room = 256;
	char *to = NULL;

	for (;; room *= 2) {
		char *more = realloc(to, dir + room);
		ssize_t n;

		if (!more)
			break;
		to = more;
		n = readlink(path, to + dir, room);
		if (n < 0)
			break;
		if ((size_t)n == room)
			continue;
		to[dir + (size_t)n] = '\0';
		if (to[dir] == '/')
			memmove(to, to + dir, (size_t)n + 1);
		else
			memcpy(to, path, dir);
		return to;
	}
	free(to);
	return NULL;
}

/*
 * What the shell's > would write to: links are followed, also to where nothing
 * is yet.  NULL and errno where there is no end of them, or no memory.
 */
static char *
follow_links(const char *path)
{
	char *at = strdup(path);

	for (int n = 0; at && n <= MAX_LINKS; n++) {
		char *to = link_target(at);

		if (!to && errno != ENOMEM)
			return at;	/* no link */
		free(at);
		at = to;
	}
	if (at)
		errno = ELOOP;
	free(at);
	return NULL;
}

/*
 * A name beside the final file, so that the rename stays in one file system.
 * An existing file keeps its permissions, and a link to it stays a link.
 */
static int
open_beside(struct out *o, const char *path, const struct stat *st,
	    struct err *e)
{
	size_t room;

	o->path = follow_links(path);
	if (!o->path)
		return errno == ENOMEM ? err_nomem(e, strlen(path)) :
		       err_set(e, ERR_IO, "%s:", path);
	room = strlen(o->path) + TMP_ROOM;
	o->tmp = malloc(room);
	if (!o->tmp)
		return err_nomem(e, room);
	o->fd = open_nameless(o);
	o->nameless = o->fd >= 0;
	if (o->fd < 0)
		o->fd = open_named(o);
	if (o->fd < 0) {
		free(o->tmp);
		o->tmp = NULL;
		return err_set(e, ERR_IO, "%s: cannot create:", path);
	}
	if (st && fchmod(o->fd, st->st_mode & 07777) != 0)
		return err_set(e, ERR_IO, "%s: cannot set mode:", path);
	return 0;
}

/*
 * /dev/stdout may well be a regular file: it is neither renamed over, nor
 * opened again, which would write over what is there with >>.
 */
static int
open_path(struct out *o, const char *path, struct err *e)
{
	struct stat st;
	int fd = descriptor_of(path);
	bool there = stat(path, &st) == 0;

	/* such as a link that the kernel does not follow, in /tmp, say */
	if (!there && errno != ENOENT)
		return err_set(e, ERR_IO, "%s: cannot open:", path);
	if (there && S_ISDIR(st.st_mode))
		return err_set(e, ERR_IO, "%s: is a directory", path);
	/* what would be replaced could not be written to */
	if (fd < 0 && there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		return err_set(e, ERR_IO, "%s: cannot open:", path);
	if (fd < 0 && (!there || S_ISREG(st.st_mode)))
		return open_beside(o, path, there ? &st : NULL, e);
	o->fd = fd < 0 ? open(path, O_WRONLY | O_CLOEXEC) :
			 fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (o->fd < 0)
		return err_set(e, ERR_IO, "%s: cannot open:", path);
	return 0;
}

int
out_open(struct out **out, const char *path, struct err *e)
{
	return out_open_guarded(out, path, NULL, e);
}

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* Plain text in such a file would not be found out before it is unpacked. */
static int
check_name(const char *path, struct err *e)
{
	static const char *const others[] = {
		".zst", ".bz2", ".xz", ".lz4", ".zip",
	};

	if (!*path)
		return err_set(e, ERR_USAGE, "-o: the file name is empty");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (ends_with(path, others[i]))
			return err_set(e, ERR_USAGE, "-o %s: only .gz is "
				       "compressed; pipe the output to what "
				       "packs it otherwise", path);
	return 0;
}

int
out_open_guarded(struct out **out, const char *path, struct out_guard *g,
		 struct err *e)
{
	struct out *o = calloc(1, sizeof *o);
	int rc = 0;

	*out = NULL;
	if (!o)
		return err_nomem(e, sizeof *o);
	o->guard = g ? g : &o->none;
	o->fd = -1;
	if (!path || strcmp(path, "-") == 0) {
		o->fd = STDOUT_FILENO;
		o->name = "standard output";
	} else {
		o->name = path;
		rc = check_name(path, e);
		if (!rc)
			rc = open_path(o, path, e);
	}
	if (!rc && path && ends_with(path, ".gz"))
		rc = bgzf_new(&o->gz, e);
	if (!rc && !buf_reserve(&o->b, OUT_GATHER))
		rc = err_nomem(e, OUT_GATHER);
	if (rc) {
		out_abort(o);
		return rc;
	}
	o->tty = isatty(o->fd);
	/*
	 * Room for some chunks, so that both ends of a pipe can work at once;
	 * where that is not allowed, or fd is no pipe, nothing happens.
	 */
#if defined(F_SETPIPE_SZ) && !defined(SEQF_PLAIN)
	fcntl(o->fd, F_SETPIPE_SZ, OUT_PIPE);
#endif
	*out = o;
	return 0;
}

bool
out_is_file(const struct out *o, const char *path)
{
	struct stat to, from;

	if ((o->path ? stat(o->path, &to) : fstat(o->fd, &to)) ||
	    !S_ISREG(to.st_mode) ||
	    (strcmp(path, "-") ? stat(path, &from) :
				 fstat(STDIN_FILENO, &from)))
		return false;
	return to.st_dev == from.st_dev && to.st_ino == from.st_ino;
}

/* What was written takes its name.  The gate is closed. */
static int
rename_left(struct out *o, struct err *e)
{
	int fd = o->fd;

	if (o->nameless && give_name(o, fd) != 0)
		return err_set(e, ERR_IO, "%s: cannot name:", o->name);
	o->nameless = false;
	o->fd = -1;
	if (close(fd) != 0)
		return err_set(e, ERR_IO, "%s: cannot close:", o->name);
	if (rename(o->tmp, o->path) != 0)
		return err_set(e, ERR_IO, "%s: cannot rename:", o->name);
	return 0;
}

/*
 * A crash must not leave the name without the bytes, so these go to the disk
 * before.  Some file systems report a full disk only then, others when the
 * file is closed; EINVAL is from those that cannot do it.
 */
static int
take_name(struct out *o, struct err *e)
{
	sigset_t old;
	int rc;

	if (fsync(o->fd) != 0 && errno != EINVAL)
		return err_set(e, ERR_IO, "%s: cannot write to the disk:",
			       o->name);
	close_gate(o, &old);
	rc = rename_left(o, e);
	open_gate(o, rc && !o->nameless ? o->tmp : NULL, &old);
	if (!rc) {
		free(o->tmp);
		o->tmp = NULL;
	}
	return rc;
}

/* Without a temporary name. */
static int
close_only(struct out *o, struct err *e)
{
	int fd = o->fd;

	o->fd = -1;
	if (close(fd) != 0)
		return err_set(e, ERR_IO, "%s: cannot close:", o->name);
	return 0;
}

int
out_close(struct out *o, struct err *e)
{
	int rc = out_flush(o, e);

	if (!rc && o->gz) {
		bgzf_end(&o->b);
		rc = write_all(o, NULL, 0, e);
	}
	if (!rc)
		rc = o->tmp ? take_name(o, e) : close_only(o, e);
	out_abort(o);
	return rc;
}

void
out_abort(struct out *o)
{
	sigset_t old;

	if (!o)
		return;
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->tmp) {
		close_gate(o, &old);
		if (!o->nameless)
			unlink(o->tmp);
		open_gate(o, NULL, &old);
	}
	free(o->tmp);
	free(o->path);
	bgzf_free(o->gz);
	buf_free(&o->b);
	buf_free(&o->shown);
	free(o);
}

/* Names of what a program has open already. */

/* Up to 9 digits, and nothing else. */
static int
number(const char *s)
{
	size_t n = strspn(s, "0123456789");
	int v = 0;

	if (n == 0 || n > 9 || s[n])
		return -1;
	while (*s)
		v = v * 10 + (*s++ - '0');
	return v;
}

int
descriptor_of(const char *path)
{
	static const char *const streams[] = { "/dev/stdin", "/dev/stdout",
					       "/dev/stderr" };
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (int i = 0; i < 3; i++)
		if (strcmp(path, streams[i]) == 0)
			return i;
	for (int i = 0; i < 2; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return number(path + strlen(folders[i]));
	return -1;
}
