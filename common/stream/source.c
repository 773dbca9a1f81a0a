/* SPDX-License-Identifier: MIT */
/* source.c - bytes of a file, a pipe or stdin, decompressed as they come */
#include "stream/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/source_in.h"

struct source {
	struct raw raw;
	char *name;
	enum source_kind kind;
	const uint8_t *p;	/* [p, p + n) come next */
	size_t n, show;
	uint64_t offset;
	source_tap_fn *tap;
	void *tap_ctx;
	bool ended;
	int code;		/* once failed, it stays so */
	struct err err;
	/* decoders */
	struct decoder dec;
	uint64_t ticket;	/* of the next slot */
	pthread_t thread[SOURCE_THREADS];
	unsigned n_threads;
	int wake[2];
};

static int
fail(struct source *s, const struct err *e)
{
	s->err = *e;
	return s->code = e->code;
}

/* Plain: read behind what is left, which is moved in front of the block. */
static int
more_plain(struct source *s, struct err *e)
{
	uint8_t *data = s->raw.buf + SOURCE_PEEK;
	long got;

	memmove(data - s->n, s->p, s->n);
	s->p = data - s->n;
	got = raw_read(&s->raw, data, SOURCE_BLOCK);
	if (got < 0) {
		err_set(e, ERR_IO, "%s: byte %llu:", s->name,
			(unsigned long long)(s->offset + s->n));
		return fail(s, e);
	}
	s->n += (size_t)got;
	s->ended = got == 0;
	return 0;
}

/* The next slot; what is left of the one before goes in front of it. */
static int
more_decoded(struct source *s, struct err *e)
{
	struct slot *t = ring_wait(&s->dec.ring, s->ticket);

	if (t->code != 0) {
		*e = t->err;
		return fail(s, e);
	}
	if (s->n)
		memcpy(t->data - s->n, s->p, s->n);
	s->p = t->data - s->n;
	s->n += t->n;
	s->ended = t->last;
	ring_release(&s->dec.ring, s->ticket++);
	return 0;
}

/* At least one byte more than there are, or the end.  n < SOURCE_PEEK. */
static int
more(struct source *s, struct err *e)
{
	if (s->code != 0) {
		*e = s->err;
		return s->code;
	}
	return s->kind == SOURCE_PLAIN ? more_plain(s, e) : more_decoded(s, e);
}

int
source_peek(struct source *s, size_t want, const uint8_t **p, size_t *n,
	    struct err *e)
{
	int rc = 0;

	want = want < 1 ? 1 : want > SOURCE_PEEK ? SOURCE_PEEK : want;
	while (s->n < want && !s->ended && rc == 0)
		rc = more(s, e);
	*p = s->p;
	*n = s->n;
	if (*n > s->show)
		*n = s->show > want ? s->show : s->n < want ? s->n : want;
	return rc;
}

void
source_skip(struct source *s, size_t n)
{
	if (s->tap)
		s->tap(s->tap_ctx, s->p, n);
	s->p += n;
	s->n -= n;
	s->offset += n;
}

void
source_tap(struct source *s, source_tap_fn *tap, void *ctx)
{
	s->tap = tap;
	s->tap_ctx = ctx;
}

/* A plain file's bytes straight into the caller's memory. */
static int
read_through(struct source *s, uint8_t *p, size_t n, size_t *got,
	     struct err *e)
{
	long k = raw_read(&s->raw, p, n);

	if (k < 0) {
		err_set(e, ERR_IO, "%s: byte %llu:", s->name,
			(unsigned long long)s->offset);
		return fail(s, e);
	}
	s->ended = k == 0;
	s->offset += (size_t)k;
	*got += (size_t)k;
	return 0;
}

int
source_read(struct source *s, void *p, size_t n, size_t *got, struct err *e)
{
	uint8_t *d = p;
	int rc = 0;

	for (*got = 0; *got < n && rc == 0;) {
		size_t k = s->n < n - *got ? s->n : n - *got;

		if (k) {
			memcpy(d + *got, s->p, k);
			source_skip(s, k);
			*got += k;
		} else if (s->ended) {
			break;
		} else if (s->code == 0 && s->kind == SOURCE_PLAIN &&
			   !s->tap && n - *got >= SOURCE_BLOCK) {
			rc = read_through(s, d + *got, n - *got, got, e);
		} else {
			rc = more(s, e);
		}
	}
	return rc;
}

static int
refuse(const struct source *s, const char *kind, const char *tool,
       struct err *e)
{
	bool is_stdin = strcmp(s->name, "stdin") == 0;

	return err_set(e, ERR_FORMAT, "%s: %s-compressed: unpack it with "
		       "\"%s -dc%s%s | ...\"", s->name, kind, tool,
		       is_stdin ? "" : " ", is_stdin ? "" : s->name);
}

/* Begins the input with these bytes?  Waits for as many as it must only. */
static int
begins(struct source *s, const char *magic, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		int rc = raw_fill(&s->raw, i + 1, e);

		if (rc != 0)
			return rc;
		if (s->raw.n <= i || s->raw.p[i] != (uint8_t)magic[i])
			return 0;
	}
	return 1;
}

static int
sniff(struct source *s, struct err *e)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *kind, *tool;
	} other[] = {
		{ "\x28\xb5\x2f\xfd", 4, "zstd", "zstd" },
		{ "\xfd" "7zXZ\0", 6, "xz", "xz" },
		{ "BZh", 3, "bzip2", "bzip2" },
	};
	int rc;

	for (size_t i = 0; i < 3; i++) {
		rc = begins(s, other[i].magic, other[i].n, e);
		if (rc < 0)
			return rc;
		/* a level and a block follow; letters such as BZhA do not */
		if (rc && i == 2 && (raw_fill(&s->raw, 5, e) < 0 ||
		    s->raw.n < 5 || s->raw.p[3] < '1' || s->raw.p[3] > '9' ||
		    (s->raw.p[4] != 0x31 && s->raw.p[4] != 0x17)))
			continue;
		if (rc)
			return refuse(s, other[i].kind, other[i].tool, e);
	}
	rc = begins(s, "\x1f\x8b", 2, e);
	if (rc <= 0)
		return rc;
	s->kind = SOURCE_GZIP;
	/* It says that it is bgzf: what is none in it is damage, not gzip. */
	rc = raw_fill(&s->raw, 18, e);
	if (rc == 0 && s->raw.n >= 18 && s->raw.p[3] == 4 &&
	    memcmp(s->raw.p + 12, "BC\2", 4) == 0)
		s->kind = SOURCE_BGZF;
	return rc;
}

/* Decoders take no signals: those are for the program's own threads. */
static int
start_threads(struct source *s, unsigned n, struct err *e)
{
	void *(*body)(void *) = s->kind == SOURCE_GZIP ? gzip_thread :
							 bgzf_thread;
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (s->n_threads < n && rc == 0) {
		rc = pthread_create(&s->thread[s->n_threads], NULL, body,
				    &s->dec);
		s->n_threads += rc == 0;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (s->n_threads > 0)
		return 0;
	errno = rc;
	return err_set(e, ERR_NOMEM, "cannot start a thread:");
}

static int
start_decoder(struct source *s, unsigned threads, struct err *e)
{
	const char *hook = getenv("SEQF_INFLATE");
	int rc;

	if (threads < 1 || s->kind == SOURCE_GZIP)
		threads = 1;
	if (threads > SOURCE_THREADS)
		threads = SOURCE_THREADS;
	s->dec.raw = &s->raw;
	s->dec.zlib = hook && strcmp(hook, "zlib") == 0;
	pthread_mutex_init(&s->dec.read_lock, NULL);
	rc = ring_new(&s->dec.ring, threads + 3,
		      s->kind == SOURCE_BGZF ? SOURCE_BLOCK : GZIP_SLOT,
		      s->kind == SOURCE_BGZF ? SOURCE_BLOCK : 0, e);
	if (rc != 0)
		return rc;
	if (!s->raw.regular && s->raw.fd >= 0) {
		if (pipe(s->wake) != 0)
			return err_set(e, ERR_IO, "pipe:");
		fcntl(s->wake[0], F_SETFD, FD_CLOEXEC);
		fcntl(s->wake[1], F_SETFD, FD_CLOEXEC);
		s->raw.wake = s->wake[0];
	}
	return start_threads(s, threads, e);
}

static struct source *
new_source(const char *name)
{
	struct source *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->raw.fd = s->raw.wake = s->wake[0] = s->wake[1] = -1;
	s->show = SIZE_MAX;
	s->raw.name = s->name = strdup(name);
	if (s->name)
		return s;
	free(s);
	return NULL;
}

/* Told by content; then p, n show what was read for that. */
static int
begin(struct source *s, unsigned threads, struct err *e)
{
	int rc = sniff(s, e);

	if (rc == 0 && s->kind != SOURCE_PLAIN)
		return start_decoder(s, threads, e);
	s->p = s->raw.p;
	s->n = s->raw.n;
	s->ended = s->raw.eof;
	return rc;
}

static int
opened(struct source **out, struct source *s, int rc)
{
	*out = rc == 0 ? s : NULL;
	if (rc != 0)
		source_close(s);
	return rc;
}

int
source_open(struct source **out, const char *path, unsigned threads,
	    struct err *e)
{
	struct source *s = new_source(strcmp(path, "-") ? path : "stdin");
	int rc;

	if (!s)
		return err_nomem(e, sizeof *s);
	rc = raw_open(&s->raw, path, e);
	return opened(out, s, rc == 0 ? begin(s, threads, e) : rc);
}

int
source_memory(struct source **out, const char *name, const void *p, size_t n,
	      struct err *e)
{
	struct source *s = new_source(name);

	if (!s)
		return err_nomem(e, sizeof *s);
	s->raw.p = p;
	s->raw.n = n;
	s->raw.eof = true;
	return opened(out, s, begin(s, 2, e));
}

void
source_close(struct source *s)
{
	if (!s)
		return;
	if (s->n_threads > 0)
		ring_stop(&s->dec.ring);
	/* an end without writers is readable: it wakes poll() */
	if (s->wake[1] >= 0)
		close(s->wake[1]);
	for (unsigned i = 0; i < s->n_threads; i++)
		pthread_join(s->thread[i], NULL);
	if (s->wake[0] >= 0)
		close(s->wake[0]);
	if (s->dec.raw)
		pthread_mutex_destroy(&s->dec.read_lock);
	ring_free(&s->dec.ring);
	if (s->raw.fd > STDIN_FILENO)
		close(s->raw.fd);
	free(s->raw.buf);
	free(s->name);
	free(s);
}

const char *
source_name(const struct source *s)
{
	return s->name;
}

enum source_kind
source_kind(const struct source *s)
{
	return s->kind;
}

uint64_t
source_offset(const struct source *s)
{
	return s->offset;
}

uint64_t
source_n_read(const struct source *s)
{
	return s->raw.n_read;
}

void
source_show(struct source *s, size_t most)
{
	s->show = most;
}
