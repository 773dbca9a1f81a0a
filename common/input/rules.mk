# SPDX-License-Identifier: MIT
# Libraries that are used where they are, found by linking with $(CC): headers
# alone may be another machine's.  make ZSTD= builds without that one.
has = $(shell printf '\043include <$(1)>\nint main(void) { return 0; }\n' | \
	$(CC) $(CPPFLAGS) $(LDFLAGS) -xc - -o /dev/null $(2) >/dev/null 2>&1 && \
	echo 1)
find = $(if $(filter undefined,$(origin $(1))),$(eval $(1) := $(call has,$(2),$(3))))
$(call find,ISAL,isa-l.h,-lisal)
$(call find,ZSTD,zstd.h,-lzstd)
$(call find,BZ2,bzlib.h,-lbz2)
$(call find,LZMA,lzma.h,-llzma)
FOUND = $(foreach o,ISAL ZSTD BZ2 LZMA,$(if $($o),-DHAVE_$o))
FOUND_LIBS = $(if $(ISAL),-lisal) $(if $(ZSTD),-lzstd) $(if $(BZ2),-lbz2) \
	$(if $(LZMA),-llzma)
