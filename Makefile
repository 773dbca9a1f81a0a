# SPDX-License-Identifier: MIT
# seqfilters: `make quickstart`, `make check`, `make install PREFIX=/usr/local`.
# B=dir builds elsewhere: make B=build-asan CFLAGS='-O1 -g -fsanitize=address'
# make bats BATSFLAGS='--filter gzip' RUN_ISAS=avx2: these alone.  V=1 shows all.
B ?= build
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
# make WITHOUT=avx512, WITHOUT='avx2 avx512', WITHOUT=neon: not for these.
ISAS := $(filter-out $(WITHOUT),scalar $(if $(filter x86_64%,$(MACHINE)),avx2 avx512) \
	$(if $(filter aarch64-% arm64-%,$(MACHINE)),neon))
RUN_ISAS ?= $(ISAS)
FLAGS_avx2 = -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt
FLAGS_avx512 = $(FLAGS_avx2) -mavx512f -mavx512bw -mavx512vl -mavx512dq \
	-mavx512cd -mavx512vbmi -mavx512vbmi2 -mavx512bitalg \
	-mavx512vpopcntdq -mgfni -mprefer-vector-width=512

WARN = -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
ALLC = $(CPPFLAGS) $(WITHOUT:%=-DWITHOUT_%) -D_FILE_OFFSET_BITS=64 -Icommon -I. -std=gnu11 $(WARN) \
	-fno-strict-aliasing -ffp-contract=off $(if $(findstring -fsanitize,$(CFLAGS)),-DSANITIZED) \
	$(FOUND) $(CFLAGS) -MMD -MP
LIBS = $(FOUND_LIBS) -ldeflate -lz -lm -lpthread

PROGS := $(patsubst filters/%.c,$B/bin/%,$(wildcard filters/*.c))
KERNS := $(wildcard common/*/*_kern.c common/*/*/*_kern.c)
SRCS := $(filter-out $(KERNS),$(wildcard common/*/*.c common/*/*/*.c cuda/*.c))
OBJS := $(SRCS:%.c=$B/%.o) $(foreach i,$(ISAS),$(KERNS:%.c=$B/%.$i.o))
UNITS := $(patsubst tests/unit/%.c,$B/unit/%,$(wildcard tests/unit/*/*.c))
FUZZ := $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))

HELPERS := $(patsubst tests/lib/%.c,$B/helpers/%,$(wildcard tests/lib/*.c))
BENCH := $(patsubst tests/bench/%.c,$B/bench/%,$(wildcard tests/bench/*.c))
SOAK := $(patsubst tests/soak/%.c,$B/soak/%,$(wildcard tests/soak/*.c))

all: $(PROGS)
everything: all $(UNITS) $(HELPERS) $(BENCH) $(SOAK) $(FUZZ:%=$B/replay/%) library
include common/input/rules.mk cuda/rules.mk $(wildcard tests/*/rules.mk)

# "  CC  file", and how many of TOTAL, in place of the command; with -s, nothing.
SILENT = $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(filter 1,$V)$(SILENT),,$(eval said += x)@echo '  $(1)	$(if \
	$(TOTAL),$(words $(said))/$(TOTAL)	)$@'; )

# What was built with other flags is built again.
FLAGS = $(CC) $(ALLC) $(LDFLAGS) $(LIBS) $(NVCC_ALL)
ifneq ($(strip $(FLAGS)),$(strip $(shell cat $B/flags 2>/dev/null)))
$B/flags: force
endif
$B/flags: export FLAGS_TEXT = $(FLAGS)
$B/flags:
	@mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS_TEXT" >$@

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALLC) -c -o $@ $<

define variant
$B/%.$(1).o: %.c $B/flags
	@mkdir -p $$(@D)
	$$(call say,CC)$$(CC) $$(ALLC) -DISA=$(1) -DISA_$(1) $$(FLAGS_$(1)) -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call variant,$i)))

$B/libseqf.a: $(OBJS)
	@rm -f $@
	$(call say,AR)$(AR) qcs $@ $^

define link
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(MAIN) -o $@ $^ $(LIBS)
endef
$B/bin/%: $B/filters/%.o $B/libseqf.a
	$(link)
$B/unit/ebwt/ebwt_peer $B/bench/divsufsort: private LIBS += $(if \
	$(call has,divsufsort.h,-ldivsufsort),-ldivsufsort)
$B/unit/%: $B/tests/unit/%.o $B/libseqf.a
	$(link)
$B/bench/%: $B/tests/bench/%.o $B/libseqf.a
	$(link)
$B/soak/%: $B/tests/soak/%.o $B/libseqf.a
	$(link)
# Small programs that the tests use; they need nothing of ours but zlib.
$B/helpers/%: tests/lib/%.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(CPPFLAGS) -I. -std=gnu11 $(WARN) $(CFLAGS) -MMD -MP \
		-MF $@.d -o $@ $< -lz
# A fuzz target with a driver that replays its corpus, or with libFuzzer.
$B/replay/%: $B/tests/fuzz/%.o $B/tests/fuzz/replay.o $B/libseqf.a
	$(link)
$B/fuzz/%: private MAIN = -fsanitize=fuzzer
$B/fuzz/%: $B/tests/fuzz/%.o $B/libseqf.a
	$(link)

-include $(OBJS:.o=.d) $(PROGS:$B/bin/%=$B/filters/%.d) $(HELPERS:=.d) \
	$(UNITS:$B/unit/%=$B/tests/unit/%.d) \
	$(BENCH:$B/bench/%=$B/tests/bench/%.d) \
	$(SOAK:$B/soak/%=$B/tests/soak/%.d) \
	$(FUZZ:%=$B/tests/fuzz/%.d) $B/tests/fuzz/replay.d

deps:; @sh tests/deps.sh build
deps-check:; @sh tests/deps.sh check

unit: $(UNITS) $(FUZZ:%=$B/replay/%)
	@sh tests/run-units.sh "$(RUN_ISAS)" $B

bats: all library $(HELPERS)
	@ISAS="$(RUN_ISAS)" sh tests/run-bats.sh $B $(BATSFLAGS)

# Programs and headers are looked for when make starts: install them first.
check: deps-check
	@$(MAKE) --no-print-directory everything \
		TOTAL="$$($(MAKE) -n everything | grep -c "^echo '  ")"
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory simt
	@$(MAKE) --no-print-directory bats

quickstart: deps
	@$(MAKE) --no-print-directory all \
		$(if $(filter -j%,$(MAKEFLAGS)),,-j"$$(nproc)")
	@sh examples/quickstart.sh $B/bin

lint:
	@sh tests/lint.sh $B
deb-check:; @sh tests/deb.sh

fuzz:
	@sh tests/fuzz/run.sh "$(FUZZ)" $${SECONDS_EACH:-60}

soak: $(SOAK) $(HELPERS)
	@sh tests/soak/run.sh $B $${SECONDS_EACH:-60}

bench: all $(BENCH) $(HELPERS)
	@sh tests/bench/run.sh $B

include common/api/rules.mk
install: all library
	@sh tests/install.sh install $B "$(DESTDIR)" "$(PREFIX)"
uninstall:
	@sh tests/install.sh uninstall $B "$(DESTDIR)" "$(PREFIX)"

clean:; rm -rf $B

.PHONY: all deps deps-check unit bats check quickstart lint deb-check fuzz \
	soak bench install uninstall clean force everything
.SECONDARY:
