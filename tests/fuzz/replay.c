/* SPDX-License-Identifier: MIT */
/* replay.c - run a fuzz target over the files of a folder, without libFuzzer */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int
replay(const char *dir, const char *name)
{
	char path[4096];
	uint8_t *data = NULL;
	size_t n = 0, got;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f)
		return 1;
	do {
		data = realloc(data, n + 65536);
		if (!data)
			abort();
		got = fread(data + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 0;
}

int
main(int argc, char **argv)
{
	struct dirent *d;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	int files = 0, bad = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.') {
			bad += replay(argv[1], d->d_name);
			files++;
		}
	closedir(dir);
	printf("%d files\n", files);
	return bad || !files;
}
