# SPDX-License-Identifier: MIT
# rules.mk - kernels, cuda/*.cu, compiled for the CPU: tests only
SIMT := tests/simt
SIMT_CC := $(wildcard $(SIMT)/*.cc)
SIMT_FAULTS := $(wildcard $(SIMT)/faults/*.c[cu])
SIMT_OWN := $(wildcard $(SIMT)/own/*.cu)
SIMT_CU := $(wildcard cuda/*.cu)

simt_obj = $(patsubst %,$B/simt/obj/%.o,$(1))
# MSan must see all that is called; the rest would take long to compile.
SIMT_C := $(filter-out $(if $(findstring =memory,$(CFLAGS)),%_parts.c),\
	$(wildcard tests/simt/unit/*.c))
SIMT_TESTS := $(SIMT_C:tests/simt/unit/%.c=$B/simt/%) \
	$(SIMT_OWN:$(SIMT)/own/%.cu=$B/simt/%) $B/simt/faults

# C++ without its library: cc links it.  TSan watches kernels, not emulators.
# UBSan's check of called functions needs that library.
SIMT_FLAGS = $(CPPFLAGS) -Icommon -I. -I$(SIMT) -std=c++17 -fno-exceptions \
	-fno-rtti -fno-threadsafe-statics -Wall -Wextra -Wno-unknown-pragmas \
	$(CFLAGS) -MMD -MP $(if $(findstring undefined,$(CFLAGS)),$(if \
	$(findstring clang,$(CC)),-fno-sanitize=function))
simt_unwatched = $(if $(findstring -fsanitize=thread,$(CFLAGS)),\
	-fno-sanitize=thread -DSIMT_TSAN)

$B/simt/obj/%.cu.o: %.cu $B/flags $(SIMT)/rules.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(SIMT_FLAGS) -x c++ -c -o $@ $<
$B/simt/obj/%.cc.o: %.cc $B/flags $(SIMT)/rules.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(SIMT_FLAGS) $(simt_unwatched) -x c++ -c -o $@ $<

$B/simt/faults: $(call simt_obj,$(SIMT_FAULTS) $(SIMT_CC))
	$(link)
$(SIMT_OWN:$(SIMT)/own/%.cu=$B/simt/%): $B/simt/%: \
		$B/simt/obj/$(SIMT)/own/%.cu.o \
		$(call simt_obj,$(SIMT_CC))
	$(link)
ifeq ($(CUDA),1)
$B/simt/words: $B/simt/nvidia_words.o
$B/simt/nvidia_words.o: $(SIMT)/nvidia_words.cu $B/flags
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC) -O1 -c -o $@ $<
endif
SIMT_PART := $(filter $B/common/base/% $B/common/letters/% $B/common/kdiff/% \
	$B/common/primer/% $B/common/ebwt/% $B/common/sw/% \
	$B/common/scan/asm/asm_gpu% $B/common/scan/sw/sw_gpu%,$(OBJS)) \
	$(patsubst %.c,$B/%.o,$(filter-out cuda/none.c,$(wildcard cuda/*.c)))
SIMT_LIB := $(if $(findstring =memory,$(CFLAGS)),$(SIMT_PART),$B/libseqf.a)
# Kernels come before the library, which has the real ones or stand-ins.
$(patsubst tests/simt/unit/%.c,$B/simt/%,$(wildcard tests/simt/unit/*.c)): \
		$B/simt/%: $B/tests/simt/unit/%.o \
		$(call simt_obj,$(SIMT_CU) $(SIMT_CC)) $(SIMT_LIB)
	$(link)

# A whole program, for the tests end to end.
SIMT_PROG := $(patsubst %,$B/helpers/%-on-cpu,asm-scan primer-find \
	ebwt-dist sw-scan)
$(SIMT_PROG): $B/helpers/%-on-cpu: $B/filters/%.o \
		$(call simt_obj,$(SIMT_CU) $(SIMT_CC)) $B/libseqf.a
	$(link)

bats: $(SIMT_PROG)
everything: $(SIMT_TESTS) $(SIMT_PROG)
# What a sanitizer reports hardly depends on the order: one is enough, by chance.
simt: $(SIMT_TESTS)
	@$(if $(findstring =thread,$(CFLAGS)),SEQF_SIMT_LITTLE=1) \
		sh $(SIMT)/run.sh $B $(if $(findstring -fsanitize,$(CFLAGS)),1,0 1 2)
.PHONY: simt
-include $(patsubst %.o,%.d,$(call simt_obj,$(SIMT_CU) $(SIMT_CC) \
	$(SIMT_FAULTS) $(SIMT_OWN))) \
	$(patsubst %.c,$B/%.d,$(wildcard tests/simt/unit/*.c))
