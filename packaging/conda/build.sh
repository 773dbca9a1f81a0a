#!/bin/bash
# SPDX-License-Identifier: MIT
# conda-build sets PREFIX, CC, CFLAGS, CPPFLAGS, LDFLAGS and CPU_COUNT.
set -euo pipefail

make -j"${CPU_COUNT:-1}" CUDA=0 PREFIX="$PREFIX" install
