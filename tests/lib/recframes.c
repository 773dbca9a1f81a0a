/* SPDX-License-Identifier: MIT */
/*
 * recframes.c - take a record stream apart, for the fault matrix
 *
 * usage: recframes COMMAND [N [A [B]]] < stream
 *	list		a line a frame: number, type, flags, serial, bytes
 *	drop N		leave frame N out
 *	double N	write frame N twice
 *	swap N		write frame N behind the next one
 *	reverse		last frame first
 *	shuffle SEED	any order
 *	only N		frame N and no other
 *	cut N A		only the first A bytes of frame N, then the next frames
 *	end N A		stop after A bytes of frame N
 *	flip N A B	invert bit B of byte A of frame N
 *	noise N		put bytes that are no frame before frame N
 *	version N A	make frame N one of version A, with a right checksum
 *	type N A B	make its type A and flags B, with a right checksum
 *	poke N A B	make byte A of its payload B, with right checksums
 *	large N		let its header claim a gigabyte, with a right checksum
 * It knows the header only (rec(5)) and trusts it: it reads sound streams.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 48, SYNC = 8 };

struct frame {
	uint8_t *p;
	size_t n;
};

static const char *const types[] = {
	"0", "BEGIN", "CHUNK", "SEQ", "HITS", "TALLY", "PRIMER", "DIST",
	"DONE", "END",
};

static void
fail(const char *why)
{
	fprintf(stderr, "recframes: %s\n", why);
	exit(1);
}

static uint64_t
get(const uint8_t *p, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static void
put(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

static uint8_t *
slurp(size_t *n)
{
	size_t cap = 1 << 20, got;
	uint8_t *p = malloc(cap);

	*n = 0;
	while (p && (got = fread(p + *n, 1, cap - *n, stdin)) > 0) {
		*n += got;
		if (*n == cap)
			p = realloc(p, cap *= 2);
	}
	if (!p || ferror(stdin))
		fail("cannot read standard input");
	return p;
}

static struct frame *
split(uint8_t *p, size_t n, size_t *n_frames)
{
	struct frame *f = calloc(n / HEADER + 1, sizeof *f);
	size_t len;

	*n_frames = 0;
	if (!f)
		fail("no memory");
	for (; n; p += len, n -= len) {
		if (n < HEADER || memcmp(p, "\x8fGREC\r\n\x1a", SYNC))
			fail("not a record stream");
		len = (HEADER + get(p + 16, 8) + 15) / 16 * 16;
		if (len > n)
			fail("the last frame is cut");
		f[(*n_frames)++] = (struct frame){ p, len };
	}
	return f;
}

/* The header's checksum anew: its own field counts as 0. */
static void
seal(struct frame *f)
{
	put(f->p + 12, 0, 4);
	put(f->p + 12, crc32(0, f->p, HEADER), 4);
}

static void
show(const struct frame *f, size_t i)
{
	unsigned t = f->p[9];

	printf("%zu %s %llu %llu %zu\n", i,
	       t < sizeof types / sizeof *types ? types[t] : "OTHER",
	       (unsigned long long)get(f->p + 10, 2),
	       (unsigned long long)get(f->p + 32, 8), f->n);
}

static void
emit(const struct frame *f)
{
	if (fwrite(f->p, 1, f->n, stdout) != f->n)
		fail("cannot write");
}

static void
poke(struct frame *f, size_t a, size_t b)
{
	size_t n = (size_t)get(f->p + 16, 8);

	if (a >= n)
		fail("no such byte");
	f->p[HEADER + a] = (uint8_t)b;
	put(f->p + 40, crc32(0, f->p + HEADER, (uInt)n), 4);
}

/* Change frame f in place. */
static void
change(struct frame *f, const char *cmd, size_t a, size_t b)
{
	if (!strcmp(cmd, "flip")) {
		if (a >= f->n)
			fail("no such byte");
		f->p[a] ^= 1 << b;
		return;
	}
	if (!strcmp(cmd, "version"))
		f->p[8] = (uint8_t)a;
	else if (!strcmp(cmd, "poke"))
		poke(f, a, b);
	else if (!strcmp(cmd, "large"))
		put(f->p + 16, 1 << 30, 8);
	else if (!strcmp(cmd, "type")) {
		f->p[9] = (uint8_t)a;
		put(f->p + 10, b, 2);
	} else
		return;
	seal(f);
}

/* All orders, not all alike likely: good enough to test with. */
static void
shuffle(struct frame *f, size_t n, unsigned long long x)
{
	struct frame tmp;

	for (size_t i = n; i > 1; i--) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		size_t k = (x >> 33) % i;

		tmp = f[k];
		f[k] = f[i - 1];
		f[i - 1] = tmp;
	}
}

static void
reverse(struct frame *f, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct frame tmp = f[i];

		f[i] = f[n - 1 - i];
		f[n - 1 - i] = tmp;
	}
}

/* Frame N: written once, twice, in part, or not at all. */
static void
special(struct frame *f, const char *cmd, size_t a)
{
	if ((!strcmp(cmd, "cut") || !strcmp(cmd, "end")) && a < f->n)
		f->n = a;
	if (!strcmp(cmd, "noise"))
		fputs("this is no frame\n", stdout);
	if (strcmp(cmd, "drop"))
		emit(f);
	if (!strcmp(cmd, "double"))
		emit(f);
}

/* Frame i of n as the command wants it; v[0] is the chosen one. */
static void
write_one(struct frame *f, size_t i, const char *cmd, const size_t *v)
{
	if (!strcmp(cmd, "list"))
		show(f, i);
	else if (!strcmp(cmd, "shuffle") || !strcmp(cmd, "reverse"))
		emit(f);
	else if (i == v[0])
		special(f, cmd, v[1]);
	else if (strcmp(cmd, "only") && (strcmp(cmd, "end") || i < v[0]))
		emit(f);
}

int
main(int argc, char **argv)
{
	const char *cmd = argc > 1 ? argv[1] : "list";
	size_t v[3] = { 0 }, n, bytes;
	uint8_t *p = slurp(&bytes);
	struct frame *f = split(p, bytes, &n);

	for (int i = 0; i < 3 && i + 2 < argc; i++)
		v[i] = strtoull(argv[i + 2], NULL, 0);
	if (!strcmp(cmd, "shuffle"))
		shuffle(f, n, v[0]);
	else if (!strcmp(cmd, "reverse"))
		reverse(f, n);
	else if (strcmp(cmd, "list") && v[0] >= n)
		fail("no such frame");
	else if (!strcmp(cmd, "swap") && v[0] + 1 < n)
		reverse(f + v[0], 2);
	else if (strcmp(cmd, "list"))
		change(f + v[0], cmd, v[1], v[2]);
	for (size_t i = 0; i < n; i++)
		write_one(f + i, i, cmd, v);
	if (fflush(stdout))
		fail("cannot write");
	free(f);
	free(p);
	return 0;
}
