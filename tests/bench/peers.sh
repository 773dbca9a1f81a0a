#!/bin/sh
# SPDX-License-Identifier: MIT
# peers.sh - put peers that no Debian package has into tests/bench/peers,
# which git ignores: sassy and parasail, as Python packages
set -eu
cd "$(dirname "$0")"
pip install --quiet --target peers sassy-rs parasail
echo "now: make bench"
