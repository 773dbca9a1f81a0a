/* SPDX-License-Identifier: MIT */
/* decimal.c - numbers in decimals: exact, and nothing else */
#include "base/base.h"

#include <string.h>

#include "tests/lib/tap.h"

static void
test_read(void)
{
	static const struct {
		const char *text;
		struct decimal d;
		const char *rest;	/* NULL: no number */
	} t[] = {
		{ "0", { 0, 1 }, "" },
		{ "12", { 12, 1 }, "" },
		{ "0.25", { 25, 100 }, "" },
		{ "0.250", { 25, 100 }, "" },
		{ "1.000", { 1, 1 }, "" },
		{ "10.", { 10, 1 }, "" },
		{ ".5%", { 5, 10 }, "%" },
		{ "0.29", { 29, 100 }, "" },
		{ "999999999.999999999", { 999999999999999999, 1000000000 },
		  "" },
		{ "1.0000000001", { 1, 1 }, "1" },
		{ "1234567890", { 123456789, 1 }, "0" },
		{ "1e3", { 1, 1 }, "e3" },
		{ "0x10", { 0, 1 }, "x10" },
		{ "1.2.3", { 12, 10 }, ".3" },
		{ "", { 0, 0 }, NULL },
		{ ".", { 0, 0 }, NULL },
		{ "-1", { 0, 0 }, NULL },
		{ "+1", { 0, 0 }, NULL },
		{ " 1", { 0, 0 }, NULL },
		{ "inf", { 0, 0 }, NULL },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct decimal d;
		const char *rest = decimal_read(t[i].text, &d);

		ok(!t[i].rest ? !rest : rest && !strcmp(rest, t[i].rest) &&
		   d.value == t[i].d.value && d.unit == t[i].d.unit,
		   "'%s' is read", t[i].text);
	}
}

static void
test_share(void)
{
	static const char *const bad[] = {
		"", ".", "-0", "1.1", "2", "1.000000001", "0.1234567891",
		"1e-1", "0x0", "inf", "nan", "0.5%", " 0", "0 ",
	};
	struct decimal d;
	struct err e;

	ok(!decimal_share("-x", "1.0", &d, &e) && d.value == 1 && d.unit == 1,
	   "1.0 is a share");
	ok(!decimal_share("-x", ".5", &d, &e) && d.value == 5 && d.unit == 10,
	   ".5 is a share");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(decimal_share("-x", bad[i], &d, &e) == ERR_USAGE,
		   "'%s' is no share", bad[i]);
}

static void
test_double(void)
{
	static const char *const bad[] = {
		"", ".", "e", "1e", "0x10", "0x1p3", "inf", "nan", "infinity",
		" 1", "1 ", "1,5", "--1", "1-",
	};
	double v;

	ok(decimal_double("0.1", 3, &v) && v == 0.1, "0.1");
	ok(decimal_double("-1.5e-3x", 7, &v) && v == -1.5e-3, "-1.5e-3");
	ok(decimal_double(".5", 2, &v) && v == 0.5, ".5");
	ok(!decimal_double("1\0002", 3, &v), "a byte 0 ends nothing");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!decimal_double(bad[i], strlen(bad[i]), &v),
		   "'%s' is no double", bad[i]);
}

int
main(void)
{
	test_read();
	test_share();
	test_double();
	return done();
}
