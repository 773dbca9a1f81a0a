# SPDX-License-Identifier: MIT
# rules.mk - packages: the wheel of packaging/python into $B-wheel, the recipe
# of packaging/conda.  Tests that need PyPI skip what they cannot get.  They take
# 60 and 150 seconds of a processor beside make static.
# For ARM: make wheel CC=aarch64-linux-gnu-gcc B=build-arm
wheel: static
	@rm -f $B-wheel/*.whl
	@SEQFILTERS_BIN=$B-static/bin python3 \
		packaging/python/backend/seqfilters_build.py wheel $B-wheel
check-wheel:
	@sh tests/deps.sh packages
	@$(MAKE) --no-print-directory wheel
	@sh tests/packages/wheel.sh $B
check-conda:
	@sh tests/deps.sh packages
	@bash tests/packages/conda.sh $B-conda
.PHONY: wheel check-wheel check-conda
