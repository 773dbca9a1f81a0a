# SPDX-License-Identifier: MIT
# rules.mk - packages: the wheel of packaging/python into $B-wheel/dist, the
# recipe of packaging/conda.  Tests that need PyPI skip what they cannot get.
wheel:
	@$(MAKE) --no-print-directory B=$B-wheel CUDA=0 LDFLAGS=-static all
	@SEQFILTERS_BIN=$B-wheel/bin python3 \
		packaging/python/backend/seqfilters_build.py wheel $B-wheel/dist
check-wheel:
	@sh tests/deps.sh packages
	@$(MAKE) --no-print-directory wheel
	@sh tests/packages/wheel.sh $B-wheel
check-conda:
	@sh tests/deps.sh packages
	@sh tests/packages/conda.sh $B-conda
.PHONY: wheel check-wheel check-conda
