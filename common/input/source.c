/* SPDX-License-Identifier: MIT */
/* source.c - bytes of a file, a pipe or stdin, decompressed as they come */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "input/input.h"
#include "input/source_in.h"

/* Bytes of a file or pipe as they are, and the decoders' ring. */

/* From where fd stands: a shell may have read the beginning. */
static uint64_t
bytes_due(int fd, off_t size)
{
	off_t at = lseek(fd, 0, SEEK_CUR);

	return at >= 0 && at < size ? (uint64_t)(size - at) : 0;
}

/* Open the file of that path ("-": stdin); r->name is set. */
static int
raw_open(struct raw *r, const char *path, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat st;

	r->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0 || fstat(r->fd, &st) != 0)
		return err_set(e, ERR_IO, "%s:", r->name);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return err_set(e, ERR_IO, "%s:", r->name);
	}
	r->regular = S_ISREG(st.st_mode);
	r->due = r->regular ? bytes_due(r->fd, st.st_size) : 0;
	/* the kernel copies a fifth faster to whole pages */
	r->buf = aligned_alloc(RAW_PAGE, RAW_ROOM);
	if (!r->buf)
		return err_nomem(e, RAW_ROOM);
	r->p = r->buf + RAW_FRONT;
	memset(r->buf + RAW_FRONT - RAW_BACK, 0, RAW_BACK);
	return 0;
}

/* read() until something comes, the end (0), or an error (-1). */
static long
raw_read(struct raw *r, void *p, size_t n)
{
	ssize_t got;

	do {
		got = read(r->fd, p, n);
		/* a descriptor shared with a non-blocking program */
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd w = { .fd = r->fd, .events = POLLIN };

			if (poll(&w, 1, -1) < 0 && errno != EINTR)
				return -1;
			errno = EINTR;
		}
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		atomic_fetch_add_explicit(&r->n_read, (uint64_t)got,
					  memory_order_relaxed);
	if (got > 0)
		r->due -= (uint64_t)got < r->due ? (uint64_t)got : r->due;
	/* a file that shrank meanwhile must not pass for a short one */
	if (got == 0 && n && r->due) {
		errno = ESTALE;
		return -1;
	}
	return got;
}

/* Wait until fd can be read: 0, or RAW_STOPPED. */
static int
wait_input(const struct raw *r)
{
	struct pollfd w[2] = {
		{ .fd = r->fd, .events = POLLIN },
		{ .fd = r->wake, .events = POLLIN },
	};

	if (r->wake < 0 || r->regular)
		return 0;
	for (;;) {
		if (poll(w, 2, -1) < 0 && errno != EINTR)
			return 0;	/* read() will report what is wrong */
		if (w[1].revents)
			return RAW_STOPPED;
		if (w[0].revents)
			return 0;
	}
}

bool
raw_seek(struct raw *r, uint64_t n)
{
	if (r->unpack)
		return unpack_seek(r, n);
	if (!r->regular || n < r->n || n - r->n > r->due ||
	    r->due > INT64_MAX ||
	    lseek(r->fd, (off_t)(n - r->n), SEEK_CUR) < 0)
		return false;
	r->due -= n - r->n;
	r->offset += n;
	r->p += r->n;
	r->n = 0;
	return true;
}

int
raw_fill(struct raw *r, size_t want, struct err *e)
{
	uint8_t *data;

	if (r->n >= want || r->eof)
		return 0;
	if (r->unpack)
		return unpack_fill(r, want, e);
	data = r->buf + RAW_FRONT;
	/* What is left, and RAW_BACK bytes before it, go in front of data. */
	memmove(data - r->n - RAW_BACK, r->p - RAW_BACK, r->n + RAW_BACK);
	r->p = data - r->n;
	do {
		uint8_t *end = (uint8_t *)r->p + r->n;
		long got;

		if (wait_input(r) != 0)
			return RAW_STOPPED;
		got = raw_read(r, end, (size_t)(data + SOURCE_BLOCK - end));
		if (got < 0)
			return err_set(e, ERR_IO, "%s: byte %llu:", r->name,
				       (unsigned long long)(r->offset + r->n));
		r->eof = got == 0;
		r->n += (size_t)got;
	} while (r->n < want && !r->eof);
	return 0;
}

static int
ring_new(struct ring *r, unsigned n_slots, size_t n_data, size_t n_in,
	 struct err *e)
{
	size_t each = SOURCE_PEEK + n_data + n_in;

	memset(r, 0, sizeof *r);
	r->slot = calloc(n_slots, sizeof *r->slot);
	if (!r->slot)
		return err_nomem(e, n_slots * sizeof *r->slot);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	for (r->n_slots = 0; r->n_slots < n_slots; r->n_slots++) {
		uint8_t *p = malloc(each);

		if (!p)
			return err_nomem(e, each);
		r->slot[r->n_slots].data = p + SOURCE_PEEK;
		r->slot[r->n_slots].in = p + SOURCE_PEEK + n_data;
	}
	return 0;
}

static void
ring_free(struct ring *r)
{
	if (!r->slot)
		return;
	for (unsigned i = 0; i < r->n_slots; i++)
		free(r->slot[i].data - SOURCE_PEEK);
	free(r->slot);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->change);
}

struct slot *
ring_claim(struct ring *r)
{
	struct slot *s = NULL;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->claimed - r->released >= r->n_slots)
		pthread_cond_wait(&r->change, &r->lock);
	if (!r->stop) {
		s = &r->slot[r->claimed++ % r->n_slots];
		s->n = s->n_in = 0;
		s->ready = s->last = false;
		s->code = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return s;
}

void
ring_ready(struct ring *r, struct slot *s)
{
	pthread_mutex_lock(&r->lock);
	s->ready = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

/* The slot of a ticket, when it is filled. */
static struct slot *
ring_wait(struct ring *r, uint64_t ticket)
{
	struct slot *s = &r->slot[ticket % r->n_slots];

	pthread_mutex_lock(&r->lock);
	while (r->claimed <= ticket || !s->ready)
		pthread_cond_wait(&r->change, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return s;
}

/* The slots of all tickets below this one are free. */
static void
ring_release(struct ring *r, uint64_t ticket)
{
	pthread_mutex_lock(&r->lock);
	r->released = ticket;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

static void
ring_stop(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

/* A source: what comes next of a file, or of what was decoded. */

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
	struct fai_rows rows;
	struct raw unpacked;	/* bgzf with an index */
	struct bam *bam;	/* if it is one: slots become text, */
	struct buf text;
	struct slot *reads;	/* or reads, of bytes [read_p, + read_n) */
	const uint8_t *read_p;
	size_t read_n;
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

/* The first slot says whether BAM was packed. */
static int
sniff_bam(struct source *s, const struct slot *t, struct err *e)
{
	if (s->ticket || !bam_is(t->data, t->n))
		return 0;
	s->kind = SOURCE_BAM;
	s->bam = bam_new(s->name);
	return s->bam ? 0 : err_nomem(e, SOURCE_BLOCK);
}

/* Text of a slot of BAM, which may be none, behind what is left. */
static int
more_bam(struct source *s, const struct slot *t, struct err *e)
{
	int rc;

	if (s->n)
		memmove(s->text.p, s->p, s->n);
	s->text.n = s->n;
	rc = bam_feed(s->bam, t->data, t->n, &s->text, e);
	if (rc == 0 && t->last)
		rc = bam_end(s->bam, e);
	s->p = s->text.p;
	s->n = rc ? s->n : s->text.n;
	return rc;
}

/* The next slot; what is left of the one before goes in front of it. */
static int
more_decoded(struct source *s, struct err *e)
{
	struct slot *t = ring_wait(&s->dec.ring, s->ticket);
	int rc = t->code;

	if (rc)
		*e = t->err;
	else
		rc = sniff_bam(s, t, e);
	if (!rc && s->bam) {
		rc = more_bam(s, t, e);
	} else if (!rc) {
		if (s->n)
			memcpy(t->data - s->n, s->p, s->n);
		s->p = t->data - s->n;
		s->n += t->n;
	}
	if (rc)
		return fail(s, e);
	s->ended = t->last;
	ring_release(&s->dec.ring, s->ticket++);
	return 0;
}

bool
source_has_reads(const struct source *s)
{
	return s->bam && s->n == 0 && !s->tap;
}

/* The next slot of reads, if there is one. */
static int
more_reads(struct source *s, struct err *e)
{
	struct slot *t = ring_wait(&s->dec.ring, s->ticket);

	if (t->code) {
		*e = t->err;
		return fail(s, e);
	}
	s->reads = t;
	s->read_p = t->data;
	s->read_n = t->n;
	return 0;
}

int
source_next_read(struct source *s, struct bam_read *r, struct err *e)
{
	int rc = s->code;

	if (rc)
		*e = s->err;
	while (!rc && !(s->ended && !s->reads)) {
		if (!s->reads) {
			rc = more_reads(s, e);
			continue;
		}
		rc = bam_next(s->bam, &s->read_p, &s->read_n, r, e);
		if (!rc && s->reads->last)
			rc = bam_end(s->bam, e);
		if (rc == 1) {
			s->offset += r->name.n + r->mate.n + 2 * r->n + 6;
			return 1;
		}
		if (rc)
			return fail(s, e);
		s->ended = s->reads->last;
		s->reads = NULL;
		ring_release(&s->dec.ring, s->ticket++);
	}
	return rc;
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

size_t
source_at_hand(const struct source *s, const uint8_t **p)
{
	*p = s->p;
	return s->n < s->show ? s->n : s->show;
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

int
source_skip_mark(struct source *s, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = source_peek(s, 3, &p, &n, e);

	if (rc == 0 && n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		source_skip(s, 3);
	return rc;
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

static const struct codec *const codecs[] = {
	&bgzf_codec, &gzip_codec, &zstd_codec, &bzip2_codec, &xz_codec,
	&twobit_codec, &cram_codec, &lzma_codec,
};

int
magic_begins(const uint8_t *p, size_t n, const char *magic, size_t size)
{
	size_t k = n < size ? n : size;

	return memcmp(p, magic, k) != 0 ? 0 : n < size ? -1 : 1;
}

static int
refuse(const struct source *s, const struct codec *c, struct err *e)
{
	const char *name = strcmp(s->name, "stdin") ? s->name : "";
	/* for a shell; not where that would not do, either */
	const char *quote = strpbrk(name, " \t()&;*?$#!\"\\<>|[]{}~`") &&
			    !strchr(name, '\'') ? "'" : "";

	return err_set(e, ERR_FORMAT, "%s: %s: \"%s%s%s%s%s | ...\" does it",
		       s->name, c->refused, c->unpack, *name ? " " : "", quote,
		       name, quote);
}

/* The input's format, or none; no more bytes are waited for than decide. */
static int
sniff(struct source *s, struct err *e)
{
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		const struct codec *c = codecs[i];
		int is = -1;

		while (is < 0) {
			size_t n = s->raw.n;
			int rc = 0;

			is = n ? c->begins(s->raw.p, n) : -1;
			if (is < 0)
				rc = raw_fill(&s->raw, n + 1, e);
			if (rc)
				return rc;
			if (is < 0 && s->raw.n == n)
				is = 0;
		}
		if (!is)
			continue;
		s->kind = c->kind;
		s->dec.codec = c;
		return c->thread ? 0 : refuse(s, c, e);
	}
	return 0;
}

/* Decoders take no signals: those are for the program's own threads. */
static int
start_threads(struct source *s, unsigned n, struct err *e)
{
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (s->n_threads < n && rc == 0) {
		rc = pthread_create(&s->thread[s->n_threads], NULL,
				    s->dec.codec->thread, &s->dec);
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
	const struct codec *c = s->dec.codec;
	int rc;

	if (threads < 1 || !c->parallel)
		threads = 1;
	if (threads > SOURCE_THREADS)
		threads = SOURCE_THREADS;
	if (!s->dec.raw)
		s->dec.raw = &s->raw;
	s->dec.zlib = hook && strcmp(hook, "zlib") == 0;
	pthread_mutex_init(&s->dec.read_lock, NULL);
	rc = ring_new(&s->dec.ring, threads + 3, c->n_slot, c->n_in, e);
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

/* The bytes at r by FILE.fai, if it is there. */
static int
use_rows(struct source *s, struct raw *r, uint64_t size, struct err *e)
{
	const uint8_t *nl = r->n ? memchr(r->p, '\n', r->n) : NULL;
	int rc;

	s->rows.crlf = nl && nl > r->p && nl[-1] == '\r';
	rc = fai_rows_load(&s->rows, s->name, size, e);
	if (rc < 0 || (rc == 0 && !r->unpack))
		return rc;
	s->kind = SOURCE_FAI;
	s->dec.codec = &fai_codec;
	s->dec.raw = r;
	s->dec.rows = &s->rows;
	return 0;
}

/* Bgzf: is there FILE.gzi, and FILE.fai?  Then it is unpacked block by block,
 * also where no row of FILE.fai is of use after all. */
static int
use_blocks(struct source *s, struct err *e)
{
	const char *hook = getenv("SEQF_INFLATE");
	struct raw *t = &s->unpacked;
	int rc = unpack_open(t, &s->raw, hook && strcmp(hook, "zlib") == 0, e);

	if (rc != 1)
		return rc;
	s->rows.crlf = true;
	rc = fai_rows_load(&s->rows, s->name, unpack_most(t), e);
	fai_rows_free(&s->rows);
	if (rc != 1)
		return rc;
	rc = raw_fill(t, 1, e);
	return rc ? rc : use_rows(s, t, unpack_most(t), e);
}

/* Only a part is wanted of FASTA, plain or bgzf. */
static int
use_index(struct source *s, struct err *e)
{
	return s->dec.codec ? use_blocks(s, e) :
	       use_rows(s, &s->raw, s->raw.n + s->raw.due, e);
}

/* Detects the kind by content; then p, n show what was read for that. */
static int
begin(struct source *s, unsigned threads, struct err *e)
{
	int rc = sniff(s, e);

	if (rc == 0 && s->dec.wanted && s->raw.regular &&
	    (!s->dec.codec || s->dec.codec == &bgzf_codec))
		rc = use_index(s, e);
	if (rc == 0 && s->dec.codec)
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
	return source_open_some(out, path, threads, NULL, NULL, e);
}

/* What is to be set before is. */
static int
open_path(struct source **out, const char *path, unsigned threads,
	  const struct decoder *set, struct err *e)
{
	struct source *s = new_source(strcmp(path, "-") ? path : "stdin");
	int rc;

	if (!s)
		return err_nomem(e, sizeof *s);
	s->dec = *set;
	rc = raw_open(&s->raw, path, e);
	return opened(out, s, rc == 0 ? begin(s, threads, e) : rc);
}

int
source_open_some(struct source **out, const char *path, unsigned threads,
		 source_wanted_fn *wanted, const void *ctx, struct err *e)
{
	return open_path(out, path, threads, &(struct decoder){
		.wanted = wanted, .wanted_ctx = ctx }, e);
}

int
source_open_blocks(struct source **out, const char *path, unsigned threads,
		   struct buf *blocks, struct err *e)
{
	return open_path(out, path, threads, &(struct decoder){
		.blocks = blocks }, e);
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
	fai_rows_free(&s->rows);
	bam_free(s->bam);
	buf_free(&s->text);
	if (s->raw.fd > STDIN_FILENO)
		close(s->raw.fd);
	unpack_close(&s->unpacked);
	free(s->raw.buf);
	free(s->name);
	free(s);
}

/* A line without end takes no more memory than one may have. */
int
source_line(struct source *s, struct buf *b, struct err *e)
{
	const uint8_t *p, *end;
	size_t n, k;

	b->n = 0;
	do {
		if (source_peek(s, 1, &p, &n, e))
			return e->code;
		end = n ? memchr(p, '\n', n) : NULL;
		k = end ? (size_t)(end - p) : n;
		if (k > SOURCE_LINE - b->n)
			return err_set(e, ERR_LIMIT, "%s: a line of more than "
				       "%d bytes", s->name, SOURCE_LINE);
		buf_put(b, p, k);
		source_skip(s, k + (end != NULL));
	} while (n && !end && !b->bad);
	if (!n && !b->n)
		return 0;
	if (b->n && b->p[b->n - 1] == '\r')
		b->n--;
	if (b->n >= 3 && memcmp(b->p, "\xef\xbb\xbf", 3) == 0)
		memmove(b->p, b->p + 3, b->n -= 3);
	buf_u8(b, 0);
	return b->bad ? err_nomem(e, b->n) : (b->n--, 1);
}

int
source_text(const char *path, size_t most, const char *what, struct buf *b,
	    struct err *e)
{
	struct source *s;
	size_t got = SOURCE_BLOCK;
	int rc = source_open(&s, path, 1, e);

	if (rc)
		return rc;
	rc = source_skip_mark(s, e);
	while (!rc && got == SOURCE_BLOCK) {
		if (!buf_reserve(b, SOURCE_BLOCK)) {
			rc = err_nomem(e, b->n + SOURCE_BLOCK);
			break;
		}
		rc = source_read(s, b->p + b->n, SOURCE_BLOCK, &got, e);
		b->n += rc ? 0 : got;
		if (!rc && b->n > most)
			rc = err_set(e, ERR_LIMIT, "%s: no %s: more than %zu "
				     "bytes", s->name, what, most);
	}
	source_close(s);
	return rc;
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

struct str
base_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *end;
	const char *p = slash ? slash + 1 : path;
	static const char *const ext[] = {
		".gz", ".bgz", ".bgzf", ".zst", ".bz2", ".xz",
	};

	if (strcmp(path, "-") == 0 || descriptor_of(path) >= 0 ||
	    strncmp(path, "/proc/", 6) == 0)
		p = "stdin";
	end = p + strlen(p);
	for (size_t i = 0; i < sizeof ext / sizeof *ext; i++) {
		size_t n = strlen(ext[i]);

		if ((size_t)(end - p) > n && !strcmp(end - n, ext[i])) {
			end -= n;
			break;
		}
	}
	return (struct str){ p, (size_t)(end - p) };
}

/* Threads that decode a file from its begin to its end. */

int
stream_bad(const struct raw *r, const char *name, const char *what,
	   struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s: %s behind byte %llu (%s)", r->name,
		       what, (unsigned long long)r->offset, name);
}

void *
stream_thread(void *arg)
{
	struct decoder *d = arg;
	const struct stream_ops *ops = d->codec->stream;
	void *state = ops->open(d);
	struct slot *s;
	bool end = false;

	while (!end && (s = ring_claim(&d->ring))) {
		int rc = state ? 0 : err_nomem(&s->err, STREAM_SLOT);

		while (rc == 0 && !end && s->n < d->codec->n_slot)
			rc = ops->read(state, s, &end, &s->err);
		s->code = rc;
		s->last = end = end || rc != 0;
		ring_ready(&d->ring, s);
	}
	if (state)
		ops->close(state);
	return NULL;
}

/* The slot is full, or the last one. */
static void
hand_over(struct pour *to, bool last)
{
	to->slot->last = last;
	ring_ready(to->ring, to->slot);
	to->slot = NULL;
}

/* Is there a slot to fill? */
static bool
has_slot(struct pour *to)
{
	if (!to->slot && !to->left)
		to->slot = ring_claim(to->ring);
	to->left |= !to->slot;
	return !to->left;
}

void
pour_put(struct pour *to, const void *p, size_t n)
{
	const uint8_t *s = p;

	while (n && has_slot(to)) {
		size_t room = STREAM_SLOT - to->slot->n;
		size_t k = n < room ? n : room;

		memcpy(to->slot->data + to->slot->n, s, k);
		to->slot->n += k;
		s += k;
		n -= k;
		if (k == room)
			hand_over(to, false);
	}
}

void
pour_end(struct pour *to, int rc, const struct err *e)
{
	if (rc == RAW_STOPPED || !has_slot(to))
		return;
	if (rc) {
		to->slot->code = rc;
		to->slot->err = *e;
	}
	hand_over(to, true);
}

/* CRAM is recognised, and refused. */

/* A major version follows; CRAM alone may be letters of a query. */
static int
cram_begins(const uint8_t *p, size_t n)
{
	int rc = magic_begins(p, n, "CRAM", 4);

	if (rc <= 0 || n < 5)
		return rc <= 0 ? rc : -1;
	return p[4] >= 1 && p[4] <= 8;
}

const struct codec cram_codec = {
	.kind = SOURCE_CRAM,
	.name = "CRAM",
	.begins = cram_begins,
	.refused = "CRAM, which is not read here",
	.unpack = "samtools fastq",
};
