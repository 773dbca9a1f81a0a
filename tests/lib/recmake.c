/* SPDX-License-Identifier: MIT */
/*
 * recmake.c - frames by hand: a record stream from its description
 *
 * usage: recmake < description
 *	frame TYPE RUN SERIAL RECORDS	a frame begins: numbers of rec(5)
 *	u8|u64|var|zigzag N		a number of the payload
 *	f64 X
 *	str TEXT			length and bytes, up to the line's end
 *	bytes TEXT			bytes alone, \n for a new line
 * It knows frames by rec(5) alone.  No payload may hold the sync.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 48, MOST = 1 << 20 };

static uint8_t frame[HEADER + MOST + 16];
static size_t n;	/* bytes of frame; 0: none was begun */

static void
fail(const char *why, const char *line)
{
	fprintf(stderr, "recmake: %s: %s\n", why, line);
	exit(1);
}

static void
put(size_t at, uint64_t v, size_t bytes)
{
	while (bytes--) {
		frame[at++] = (uint8_t)v;
		v >>= 8;
	}
}

static void
byte(unsigned v)
{
	if (n >= HEADER + MOST)
		fail("too long", "frame");
	frame[n++] = (uint8_t)v;
}

static void
var(uint64_t v)
{
	for (; v >= 128; v >>= 7)
		byte((v & 127) | 128);
	byte((unsigned)v);
}

static void
text(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1] == 'n') {
			s++;
			byte('\n');
		} else {
			byte((uint8_t)*s);
		}
	}
}

static void
end(void)
{
	size_t len = n - HEADER, all = (n + 15) / 16 * 16;

	if (!n)
		return;
	memset(frame + n, 0, all - n);
	put(16, len, 8);
	put(40, crc32(0, frame + HEADER, (uInt)len), 4);
	put(12, crc32(0, frame, HEADER), 4);
	if (fwrite(frame, 1, all, stdout) != all)
		fail("cannot write", "frame");
}

static void
begin(const char *value)
{
	unsigned long long type, run, serial, records;

	if (sscanf(value, "%llu %llu %llu %llu", &type, &run, &serial,
		   &records) != 4)
		fail("four numbers wanted", value);
	end();
	memset(frame, 0, HEADER);
	memcpy(frame, "\x8fGREC\r\n\x1a\1", 9);
	put(9, type, 1);
	put(24, run, 8);
	put(32, serial, 8);
	put(44, records, 4);
	n = HEADER;
}

static void
number(const char *word, const char *value)
{
	uint64_t v = strtoull(value, NULL, 0);
	double x = strtod(value, NULL);
	size_t bytes = strcmp(word, "u8") ? 8 : 1;

	if (!strcmp(word, "zigzag"))
		v = v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
	if (!strcmp(word, "var") || !strcmp(word, "zigzag")) {
		var(v);
		return;
	}
	if (!strcmp(word, "f64"))
		memcpy(&v, &x, 8);
	else if (strcmp(word, "u8") && strcmp(word, "u64"))
		fail("what is this", word);
	for (; bytes--; v >>= 8)
		byte(v & 255);
}

int
main(void)
{
	char line[1 << 16], *value;

	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		value = strchr(line, ' ');
		if (value)
			*value++ = '\0';
		else
			value = line + strlen(line);
		if (!strcmp(line, "frame")) {
			begin(value);
		} else if (!strcmp(line, "str")) {
			var(strlen(value));
			text(value);
		} else if (!strcmp(line, "bytes")) {
			text(value);
		} else {
			number(line, value);
		}
	}
	end();
	return fflush(stdout) ? 1 : 0;
}
