# SPDX-License-Identifier: MIT
# The library for programs of others: one object, in which only seqf_* can be
# seen, so that no name of ours meets one of theirs.
LIBRARY := $B/lib/libseqfilters.a
# A cross compiler has tools of its own.
tool = $(or $(shell $(CC) -print-prog-name=$(1) 2>/dev/null),$(1))
ifeq ($(origin AR),default)
AR = $(call tool,ar)
endif
# It has no part that uses a GPU.
LIBRARY_LIBS = $(filter-out $(cudart) -ldl -lrt,$(LIBS))
API := $(patsubst %.c,$B/%.o,$(wildcard common/api/*.c))

$B/lib/seqfilters.o: $(API) $B/libseqf.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) -r -nostdlib -o $@ $(API) $B/libseqf.a
	@$(or $(OBJCOPY),$(call tool,objcopy)) --wildcard --keep-global-symbol='seqf_*' $@
$(LIBRARY): $B/lib/seqfilters.o
	@rm -f $@
	$(call say,AR)$(AR) qcs $@ $^
# What pkg-config prints; the prefix is filled in by make install.
$B/lib/seqfilters.pc: $B/flags common/api/rules.mk common/base/base.h
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=@PREFIX@' 'libdir=$${prefix}/lib' \
		'includedir=$${prefix}/include' '' 'Name: seqfilters' \
		'Description: record streams of exact sequence search' \
		"Version: $$(sed -n 's/.*SEQF_VERSION "\(.*\)"/\1/p' \
			common/base/base.h)" \
		'Cflags: -I$${includedir}' \
		'Libs: -L$${libdir} -lseqfilters $(LIBRARY_LIBS)' >$@
# The examples, as a program of others is built.
EXAMPLES := $(patsubst examples/library/%.c,$B/library/%,$(wildcard examples/library/*.c))
$B/library/%: examples/library/%.c $(LIBRARY) common/api/seqfilters.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -Icommon/api -std=c11 $(WARN) $(CFLAGS) -o $@ $< \
		$(LIBRARY) $(LIBRARY_LIBS)
library: $(LIBRARY) $B/lib/seqfilters.pc $(EXAMPLES)
.PHONY: library
