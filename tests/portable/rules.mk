# SPDX-License-Identifier: MIT
# rules.mk - other C libraries, compilers, byte orders, and systems that have
# less; each in a folder of its own.
check-musl check-plain check-s390x: check-%: all $(HELPERS)
	@sh tests/portable/run.sh $* $B
portable-units: $(foreach f,$(PORTABLE_UNITS),$B/unit/$f)
.PHONY: check-musl check-plain check-s390x portable-units
