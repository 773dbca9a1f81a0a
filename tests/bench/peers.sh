#!/bin/sh
# SPDX-License-Identifier: MIT
# peers.sh - put peers that no Debian package has into tests/bench/peers,
# which git ignores: sassy, parasail and rapidgzip, as Python packages
set -eu
cd "$(dirname "$0")"
pip install --quiet --target peers sassy-rs parasail rapidgzip
echo "now: make bench"
