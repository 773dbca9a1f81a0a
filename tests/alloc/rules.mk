# SPDX-License-Identifier: MIT
# Programs while one allocation after another fails: MAX=n
# of each command's, or all.
$B/helpers/alloc_fail.so: tests/alloc/fail.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) -std=gnu11 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $<
$B/helpers/alloc_sweep: tests/alloc/sweep.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) -std=gnu11 $(WARN) $(CFLAGS) -o $@ $<
alloc-check: all library $(HELPERS) $B/helpers/alloc_fail.so $B/helpers/alloc_sweep
	@bash tests/alloc/run.sh $B $(MAX)
.PHONY: alloc-check
