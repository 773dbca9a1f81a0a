# SPDX-License-Identifier: MIT
# rules.mk - in a build with ASan the targets themselves count what runs in them,
# without which libFuzzer ends at once.  All else does so in make fuzz's own.
$B/tests/fuzz/%.o: private ALLC += $(if $(findstring clang,$(CC)),$(if \
	$(findstring -fsanitize=address,$(CFLAGS)),-fsanitize=fuzzer-no-link))
