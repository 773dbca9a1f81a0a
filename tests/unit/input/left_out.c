/* SPDX-License-Identifier: MIT */
/* left_out.c - a build without a library says what unpacks the file */
#undef HAVE_ZSTD
#undef HAVE_BZ2
#undef HAVE_LZMA
#include "common/input/bzip2.c"
#include "common/input/xz.c"
#include "common/input/zstd.c"
#include "tests/lib/source_case.h"

int
main(void)
{
	struct buf zst = { (uint8_t *)"\x28\xb5\x2f\xfd....", 8, 8, false };
	struct buf skip = { (uint8_t *)"\x5f\x2a\x4d\x18....", 8, 8, false };
	struct buf xz = { (uint8_t *)"\xfd" "7zXZ\0..", 8, 8, false };
	struct buf bz = { (uint8_t *)"BZh91AY&SY", 10, 10, false };
	struct source *s = NULL;

	says(&zst, ERR_FORMAT, "x: compressed by zstd, which this build cannot "
	     "unpack: \"zstd -dc x | ...\" does it");
	says(&skip, ERR_FORMAT, "\"zstd -dc x");
	says(&xz, ERR_FORMAT, "compressed by xz, which this build cannot "
	     "unpack: \"xz -dc x | ...\"");
	says(&bz, ERR_FORMAT, "compressed by bzip2, which this build cannot "
	     "unpack: \"bzip2 -dc x | ...\"");
	ok(source_memory(&s, "stdin", zst.p, zst.n, &e) == ERR_FORMAT &&
	   strstr(e.text, "\"zstd -dc | ...\""), "%s", e.text);
	return done();
}
