# SPDX-License-Identifier: MIT
# rules.mk - with nvcc, *.cu are compiled; without it, none.c stands in.
# CUDA=0 builds without it, CUDA=1 does not accept that there is none.
# CUDA_ARCHS=90 compiles for one kind of GPU only: for developers.
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) \
	$(wildcard $(CUDA_HOME:%=%/bin/nvcc) /usr/local/cuda/bin/nvcc))
nvcc_home := $(patsubst %/bin/,%,$(dir $(realpath \
	$(shell command -v '$(NVCC)' 2>/dev/null))))
cudart := $(if $(nvcc_home),$(firstword $(wildcard $(addprefix $(nvcc_home)/, \
	lib64/libcudart_static.a lib/libcudart_static.a \
	targets/*/lib/libcudart_static.a ../*-linux-gnu/libcudart_static.a))))
# One that refuses the C++ compiler, or is of CUDA 11, which lacks maxima of
# three, is as good as none: asked for once a build.
nvcc_works = $(shell mkdir -p $B && test -e $B/nvcc-works || { \
	echo '__global__ void f(int *x) { if constexpr (true) *x = \
	__viaddmax_s16x2(*x, *x, __vimax3_s32(*x, 1, 2)); }' \
	>$B/nvcc-try.cu && '$(NVCC)' -std=c++17 -c -o $B/nvcc-try.o \
	$B/nvcc-try.cu >$B/nvcc-try.log 2>&1 && : >$B/nvcc-works; }; \
	ls $B/nvcc-works 2>/dev/null)
ifeq ($(origin CUDA),undefined)
CUDA := $(if $(cudart),$(if $(nvcc_works),1,0),0)
ifneq ($(cudart),)
ifeq ($(CUDA),0)
$(warning built without CUDA: $(NVCC) fails: see $B/nvcc-try.log)
endif
endif
endif

# Volta, which CUDA 13 has no code for; Turing; Ampere, and for games; Ada;
# Hopper; Blackwell, in a car, and for games.  Later ones compile the newest
# one's PTX when they meet it.
CUDA_ARCHS ?= 70 75 80 86 89 90 100 110 120

ifeq ($(CUDA),1)
ifeq ($(cudart),)
$(error CUDA=1: no nvcc with its libcudart_static.a; NVCC=/path/to/nvcc)
endif
# An older nvcc does not know the newest.
archs := $(filter $(CUDA_ARCHS),$(patsubst sm_%,%,$(shell \
	'$(NVCC)' --list-gpu-code)))
ifeq ($(archs),)
$(error CUDA=1: $(NVCC) knows none of CUDA_ARCHS=$(CUDA_ARCHS))
endif
newest := $(lastword $(archs))
# Without exceptions and guards nothing needs libstdc++, and $(CC) links.  Code
# that is compressed well takes a third; all drivers of CUDA 13, which is the
# one that knows 110, read it.
NVCC_ALL := $(NVCC) -O3 -std=c++17 --threads 0 -Icommon -I. \
	$(foreach a,$(archs),-gencode arch=compute_$a,code=sm_$a) \
	-gencode arch=compute_$(newest),code=compute_$(newest) \
	$(if $(filter 110,$(archs)),--compress-mode=size) \
	-Xcompiler -Wall,-fno-exceptions,-fno-threadsafe-statics $(NVCCFLAGS)
CU := $(wildcard cuda/*.cu)
OBJS := $(filter-out $B/cuda/none.o,$(OBJS)) \
	$(CU:%.cu=$B/%.o)
LIBS += $(cudart) -ldl -lrt

$B/%.o: %.cu $B/flags
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC_ALL) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

GPU_CHECKS := kdiff kdiff_batch asm_parts sw sw_batch sw_parts primer \
	primer_long ebwt paper_primer ebwt_gap
GPU_BENCHES := bench scores batches primers ebwt ebwt_gap
GPU_TESTS := $(GPU_CHECKS:%=$B/gpu/%) $(GPU_BENCHES:%=$B/gpu/speed/%)
$(GPU_CHECKS:%=$B/gpu/%): $B/gpu/%: $B/tests/simt/unit/%.o $B/libseqf.a
	$(link)
# Their hosts' loops are OpenMP's.
$(GPU_BENCHES:%=$B/gpu/speed/%) $(GPU_BENCHES:%=$B/tests/gpu/%.o): \
	private CFLAGS += -fopenmp
$(GPU_BENCHES:%=$B/gpu/speed/%): $B/gpu/speed/%: $B/tests/gpu/%.o \
		$B/tests/gpu/ceilings.o $B/libseqf.a
	$(link)
-include $(GPU_CHECKS:%=$B/tests/simt/unit/%.d) \
	$(patsubst %,$B/tests/gpu/%.d,$(GPU_BENCHES) ceilings)
endif

# For a machine with a GPU; elsewhere they say so and succeed.  Nothing is
# installed or fetched.  gpu-pack: a folder for such a machine, with all they
# need.
gpu-build: all $(GPU_TESTS) $B/helpers/randseq
gpu-check gpu-bench gpu-pack: gpu-%:
	@$(MAKE) --no-print-directory gpu-build \
		$(if $(filter -j%,$(MAKEFLAGS)),,-j"$$(nproc)")
	@sh tests/gpu/$(if $(filter pack,$*),pack.sh,run.sh $*) $B

# No kernel may spill registers or need a stack, on any of these GPUs.
cuda-check:
ifeq ($(CUDA),1)
	@$(MAKE) --no-print-directory B=$B/cuda-check CUDA=1 \
		NVCCFLAGS='-Xptxas -warn-spills,-warn-lmem-usage,-Werror' \
		$(CU:%.cu=$B/cuda-check/%.o)
else
	@echo 'cuda-check: skipped: no nvcc'
endif
.PHONY: cuda-check gpu-build gpu-check gpu-bench gpu-pack
