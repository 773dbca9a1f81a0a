# SPDX-License-Identifier: MIT
# rules.mk - for ARM of 64 bits, by a cross compiler, run by an emulator.  On a
# machine that is one: make check.
check-arm: $(HELPERS)
	@sh tests/arm/run.sh $B
# Those with kernels, but for some that take long and have none of their own.
arm-units: $(filter-out %/ebwt_many %/ebwt_peer %/sw_meter,$(foreach f,base ebwt kdiff \
	letters primer scan sw,$(filter $B/unit/$f/%,$(UNITS))))
# UNIT_LEVEL=-O1: what runs a few rounds takes longer to compile; -w: other builds
# warn, -O1 does of what -O2 sees to be right.
$B/tests/unit/%.o: private ALLC += $(UNIT_LEVEL)
.PHONY: check-arm arm-units
