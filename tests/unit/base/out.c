/* SPDX-License-Identifier: MIT */
/* out.c - files appear whole or not at all; a full disk is reported */
#define _GNU_SOURCE	/* O_TMPFILE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "tests/lib/tap.h"

static char dir[64], path[128], tmp[160];

static bool
there(const char *p)
{
	return access(p, F_OK) == 0;
}

/* Does the file hold n bytes, byte i being i * 7? */
static bool
holds(size_t n)
{
	FILE *f = fopen(path, "rb");
	size_t i = 0;
	int c;

	if (!f)
		return false;
	for (; (c = getc(f)) != EOF; i++)
		if (c != (uint8_t)(i * 7))
			break;
	fclose(f);
	return c == EOF && i == n;
}

/* Written in pieces of all sizes, small ones and larger than the buffer. */
static void
test_sizes(void)
{
	static uint8_t s[3000000];
	uint64_t seed = 5;
	struct out *o;
	struct err e;

	for (size_t i = 0; i < sizeof s; i++)
		s[i] = (uint8_t)(i * 7);
	for (size_t total = 0; total <= sizeof s; total = total * 9 + 1) {
		size_t at = 0;
		int rc = out_open(&o, path, &e);

		while (!rc && at < total) {
			size_t n = 1 + below(&seed, below(&seed, 2) ? 90 :
					     700000);

			n = n < total - at ? n : total - at;
			rc = out_write(o, s + at, n, &e);
			at += n;
		}
		ok(!rc && out_close(o, &e) == 0 && holds(total),
		   "%d bytes", (int)total);
	}
}

/* How many there are in dir. */
static int
files(void)
{
	DIR *d = opendir(dir);
	int n = -2;	/* . and .. */

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Has the file system of dir files without a name? */
static bool
knows_nameless(void)
{
#if defined(SEQF_PLAIN)
	return false;
#endif
	int fd = open(dir, O_TMPFILE | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && access("/proc/self/fd", F_OK) == 0;
}

static void
test_whole(bool named)
{
	struct stat st;
	struct out *o = NULL;
	struct err e;

	if (named)
		setenv("SEQF_OUT", "named", 1);
	unlink(path);
	/* what another program has there is nobody else's */
	ok(symlink("/nowhere", tmp) == 0 && out_open(&o, path, &e) == 0 &&
	   !out_is_tty(o), "open");
	ok(out_printf(o, &e, "%c", 0) == 0 && out_flush(o, &e) == 0, "write");
	ok(!there(path) && (named ? there(out_left(o)) : !out_left(o)) &&
	   files() == 1 + named, "not there before it is whole");
	ok(out_close(o, &e) == 0 && there(path) && files() == 2 &&
	   unlink(tmp) == 0 && holds(1), "there then");
	ok(chmod(path, 0640) == 0 && out_open(&o, path, &e) == 0, "again");
	out_printf(o, &e, "xyz");
	out_abort(o);
	ok(holds(1) && files() == 1, "given up: the old file stays");
	ok(out_open(&o, path, &e) == 0 && out_close(o, &e) == 0 &&
	   stat(path, &st) == 0 && (st.st_mode & 0777) == 0640 &&
	   st.st_size == 0, "permissions stay");
}

static void
test_reported(void)
{
	struct out *o;
	struct err e;
	int rc;

	ok(out_open(&o, "", &e) == ERR_USAGE, "no name: %s", e.text);
	ok(out_open(&o, dir, &e) == ERR_IO, "a directory: %s", e.text);
	ok(out_open(&o, "/nowhere/x", &e) == ERR_IO, "no folder: %s", e.text);
	rc = out_open(&o, "/dev/full", &e);
	if (rc) {
		ok(1, "# SKIP no /dev/full");
		return;
	}
	rc = out_printf(o, &e, "x");
	ok(rc == 0 && out_close(o, &e) == ERR_IO, "full disk: %s", e.text);
}

static bool
is_text(const char *p, const char *text)
{
	char s[32];
	FILE *f = fopen(p, "r");
	size_t n = f ? fread(s, 1, sizeof s, f) : 0;

	if (f)
		fclose(f);
	return n == strlen(text) && memcmp(s, text, n) == 0;
}

static int
put(const char *to, const char *text)
{
	struct out *o;
	struct err e;
	int rc = out_open(&o, to, &e);

	if (rc)
		return rc;
	rc = out_printf(o, &e, "%s", text);
	return rc ? rc : out_close(o, &e);
}

/* As the shell's >> and > leave them. */
static void
test_open_already(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	char name[32];

	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	ok(fd >= 0 && put(name, "old") == 0 && put(name, "new") == 0 &&
	   is_text(path, "oldnew"), "what is open is gone on with");
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	ok(put(name, ", or so") == 0 && write(fd, ".", 1) == 1 &&
	   is_text(path, "oldnew, or so."), "and stays open");
	close(fd);
	ok(put(name, "x") == ERR_IO, "a closed file is reported");
}

/* /dev/shm is a folder as any other. */
static void
test_memory(void)
{
	char in_memory[] = "/dev/shm/seqf-out-XXXXXX";
	int fd = mkstemp(in_memory);

	if (fd < 0) {
		ok(1, "# SKIP no /dev/shm");
		return;
	}
	ok(write(fd, "a long one", 10) == 10 && put(in_memory, "short") == 0 &&
	   is_text(in_memory, "short"), "a file in memory is replaced");
	close(fd);
	ok(unlink(in_memory) == 0 && put(in_memory, "new") == 0 &&
	   is_text(in_memory, "new"), "or made");
	unlink(in_memory);
}

/* U+c in UTF-8. */
static unsigned
letter(uint32_t c, uint8_t *p)
{
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (unsigned i = n; i-- > 1; c >>= 6)
		p[i] = (uint8_t)(0x80 | (c & 63));
	p[0] = (uint8_t)(n == 1 ? c : (0xf00u >> n & 0xf0) | c);
	return n;
}

static bool
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* All letters, and all bytes that are none. */
static void
test_control(void)
{
	unsigned bad = 0;
	uint8_t p[4];
	struct err e;

	for (uint32_t c = 0; c < 0x110000; c++) {
		unsigned n = letter(c, p);

		if (c >= 0xd800 && c < 0xe000)
			continue;
		bad += utf8_letter(p, n) != n ||
		       utf8_control(p, n) != (is_control(c) ? n : 0);
		/* no piece of one passes */
		if (n > 1 && is_control(c))
			bad += utf8_control(p + n - 1, 1) != 1 &&
			       utf8_control(p + 1, n - 1) != 1;
	}
	for (unsigned c = 0x80; c < 0x100; c++) {
		p[0] = (uint8_t)c;
		bad += utf8_control(p, 1) != (c < 0xa0);
	}
	ok(bad == 0, "control characters: %u", bad);
	err_set(&e, ERR_IO, "%s", "a\x1b[b\xc2\x9b\x63\x9b\xe2\x80\xae"
		"\xc3\xa9\xe2\x82\xac\xf0\x9f\xa7\xac\xff\xd8\x9c.");
	ok(strcmp(e.text, "a\\x1b[b\\xc2\\x9bc\\x9b\\xe2\\x80\\xae"
		  "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa7\xac\xff"
		  "\\xd8\\x9c.") == 0, "messages: %s", e.text);
}

static int sync_fails;	/* errno */

/* In place of the C library's. */
int
fsync(int fd)
{
	if (!sync_fails)
		return fdatasync(fd);
	errno = sync_fails;
	return -1;
}

/* A disk that has no room for what was taken, or a file system without. */
static void
test_sync(void)
{
	struct out *o;
	struct err e;

	unlink(path);
	sync_fails = EDQUOT;
	ok(out_open(&o, path, &e) == 0 && out_printf(o, &e, "x") == 0 &&
	   out_close(o, &e) == ERR_IO && strstr(e.text, path) && !there(path) &&
	   files() == 0, "what is not on the disk has no name: %s", e.text);
	sync_fails = EINVAL;
	ok(put(path, "x") == 0 && is_text(path, "x"), "no sync at all");
	sync_fails = 0;
}

static bool
is_link(const char *p)
{
	struct stat st;

	return lstat(p, &st) == 0 && S_ISLNK(st.st_mode);
}

/* As the shell's >, to what is there, or is not yet. */
static void
test_links(void)
{
	char to[200], a[200], b[200], far[300];

	snprintf(to, sizeof to, "%s/sub/to", dir);
	snprintf(a, sizeof a, "%s/a", dir);
	snprintf(b, sizeof b, "%s/sub/b", dir);
	snprintf(far, sizeof far, "%s/sub", dir);
	unlink(path);
	ok(mkdir(far, 0700) == 0 && symlink("to", b) == 0 &&
	   symlink("sub/b", a) == 0 && symlink(a, path) == 0, "links");
	ok(put(path, "new") == 0 && is_link(path) && is_link(a) &&
	   is_link(b) && !is_link(to) && is_text(to, "new"),
	   "what a link points to is made");
	ok(put(path, "other") == 0 && is_link(path) && is_link(b) &&
	   is_text(to, "other"), "and replaced");
	ok(unlink(b) == 0 && symlink("none/x", b) == 0 &&
	   put(path, "x") == ERR_IO && is_link(path) && is_link(b),
	   "its folder is not");
	ok(unlink(b) == 0 && symlink("../a", b) == 0 &&
	   put(path, "x") == ERR_IO && is_link(path), "a circle");
	memset(far, 'x', sizeof far - 1);
	far[255] = '\0';
	ok(unlink(b) == 0 && symlink(far, b) == 0 && put(path, "x") == ERR_IO,
	   "long ones, whose file's name is too long");
	unlink(to);
	unlink(a);
	unlink(b);
	snprintf(far, sizeof far, "%s/sub", dir);
	ok(rmdir(far) == 0 && unlink(path) == 0, "no other files");
}

/* As many links in a row as Linux follows, and one more. */
static void
test_chain(void)
{
	enum { LINKS = 40 };
	char name[LINKS + 2][200];

	for (int i = 0; i < LINKS + 2; i++)
		snprintf(name[i], sizeof name[i], "%s/l%d", dir, i);
	for (int i = 0; i < LINKS + 1; i++)
		if (symlink(name[i], name[i + 1]))
			abort();
	ok(put(name[LINKS], "x") == 0 && is_text(name[0], "x"), "%d links",
	   LINKS);
	unlink(name[0]);
	ok(put(name[LINKS], "y") == 0 && is_text(name[0], "y"),
	   "%d links to nothing yet", LINKS);
	unlink(name[0]);
	ok(put(name[LINKS + 1], "x") == ERR_IO && !there(name[0]),
	   "one more");
	for (int i = 0; i < LINKS + 2; i++)
		unlink(name[i]);
}

/* A handler's work: the file goes, and no other thread names one. */
static void
test_stop(bool named)
{
	static struct out_guard none;
	struct out_guard g = none;
	struct out *o;
	struct err e;
	int status = 0, fd[2];
	pid_t child;
	char c;

	if (named)
		setenv("SEQF_OUT", "named", 1);
	else
		unsetenv("SEQF_OUT");
	ok(out_open_guarded(&o, path, &g, &e) == 0 &&
	   !out_left(o) == !named && files() == named, "open");
	fflush(stdout);
	child = pipe(fd) ? -1 : fork();
	if (child == 0) {
		out_stop(&g);
		if (write(fd[1], "x", 1) != 1)
			_exit(1);
		out_close(o, &e);	/* waits for the end */
		_exit(1);
	}
	ok(child > 0 && read(fd[0], &c, 1) == 1, "a handler");
	usleep(20000);
	close(fd[0]);
	close(fd[1]);
	ok(waitpid(child, &status, WNOHANG) == 0 && kill(child, SIGKILL) == 0 &&
	   wait(&status) > 0 && !there(path) && files() == 0, "stopped");
	out_abort(o);
	ok(files() == 0, "given up");
}

/* Someone else has made the pipe non-blocking, and it is full at times. */
static void
test_full_pipe(void)
{
	enum { SMALL = 3000, LARGE = 300000, TIMES = 10 };
	static uint8_t s[LARGE];
	size_t total = 0;
	int fd[2], status;
	struct out *o;
	struct err e;
	ssize_t got;

	if (pipe(fd) != 0 || fcntl(fd[1], F_SETFL, O_NONBLOCK) != 0)
		abort();
	fflush(stdout);
	if (fork() == 0) {
		int rc = dup2(fd[1], 1) != 1 || out_open(&o, NULL, &e);

		close(fd[0]);
		for (int i = 0; i < TIMES && !rc; i++)
			rc = out_write(o, s, SMALL, &e) || out_flush(o, &e) ||
			     out_write(o, s, LARGE, &e);
		_exit(rc || out_close(o, &e));
	}
	close(fd[1]);
	usleep(20000);
	while ((got = read(fd[0], s, sizeof s)) > 0)
		total += (size_t)got;
	close(fd[0]);
	ok(wait(&status) > 0 && status == 0 &&
	   total == TIMES * (SMALL + LARGE), "a full pipe is waited for");
}

/* What was appended is read back from any byte on, and nothing behind it. */
static void
test_spool(void)
{
	struct spool s = { 0 };
	struct err e = { 0 };
	char got[8] = "";

	ok(spool_append(&s, "abcd", 4, &e) == 0 &&
	   spool_append(&s, "efg", 3, &e) == 0 && s.n == 7, "appended");
	ok(spool_read(&s, 2, got, 5, &e) == 0 && memcmp(got, "cdefg", 5) == 0 &&
	   spool_read(&s, 7, got, 0, &e) == 0, "read back to its end");
	ok(spool_read(&s, 2, got, 6, &e) == ERR_IO &&
	   spool_read(&s, 8, got, 0, &e) == ERR_IO &&
	   spool_read(&s, UINT64_MAX, got, 2, &e) == ERR_IO,
	   "a read past the end is refused");
	spool_close(&s);
}

int
main(void)
{
	snprintf(dir, sizeof dir, "/tmp/seqf-out-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/file", dir);
	snprintf(tmp, sizeof tmp, "%s.tmp-%ld", path, (long)getpid());
	test_sizes();
	test_whole(!knows_nameless());
	test_whole(true);
	test_reported();
	test_full_pipe();
	test_open_already();
	test_memory();
	test_spool();
	test_control();
	test_sync();
	test_links();
	test_chain();
	test_stop(true);
	test_stop(!knows_nameless());
	unlink(path);
	rmdir(dir);
	return done();
}
