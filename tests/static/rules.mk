# SPDX-License-Identifier: MIT
# rules.mk - programs that need no library where they run, $B-static/bin: all
# instruction sets of the machine that $(CC) compiles for.  For another one:
# make static CC=aarch64-linux-gnu-gcc B=build-arm.  WITH=targets: these, too.
# Position-independent where the C library can be, else at a fixed address.
static_pie = $(shell echo 'int main(void) { return 0; }' | $(CC) $(CPPFLAGS) \
	-fPIE -static-pie $(LDFLAGS) -xc - -o /dev/null >/dev/null 2>&1 && echo 1)
static: export static_ld = $(if $(static_pie),-static-pie,-static)
static:
	@$(if $(static_pie),,echo 'static: at a fixed address: $(CC) links no -static-pie')
	@$(MAKE) --no-print-directory all $(WITH) B=$B-static CUDA=0 WITH= \
		CFLAGS='$(CFLAGS) $(if $(static_pie),-fPIE)' \
		LDFLAGS="$$static_ld -s $(LDFLAGS)"
# Here, and for ARM of 64 bits where it can be compiled for.
check-static: all
	@sh tests/static/run.sh $B "$(RUN_ISAS)"
.PHONY: static check-static
