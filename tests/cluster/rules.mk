# SPDX-License-Identifier: MIT
# The recipes of examples/cluster, with sshd and Slurm of our own.  Headers are
# looked for when make starts: packages first.
check-cluster:
	@sh tests/deps.sh cluster
	@$(MAKE) --no-print-directory all $(HELPERS)
	@sh tests/cluster/run.sh $B
.PHONY: check-cluster
