#!/bin/sh
# SPDX-License-Identifier: MIT
# How many places have 0, 1, 2, 3 differences from each pattern?
set -eu
cd "$(dirname "$0")/data"
printf '%s\n' TTCTCATGCTGAAAACGTGG TCCGTGGTGGCACAGAGTACG |
	asm-scan -k 3 --report=count -q - lambda.fa.gz
