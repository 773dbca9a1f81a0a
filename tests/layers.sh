#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh includes|symbols [BUILD] - which folder may use which: by the
# include lines of common/, cuda/ and filters/, or by the symbols of BUILD's
# objects.  Prints what breaks the rule.
set -u

# A folder, and what it may use beside itself.  No line names one below it, so
# there is no circle.
table='
base
letters base
cli base
kdiff base letters
sw base letters
primer base letters
ebwt base letters
input base letters
pcr base letters input
rec base letters input
flow base letters input rec
collect base letters input rec
output base letters input rec collect
cuda base letters kdiff sw primer ebwt
scan base letters kdiff sw primer ebwt input pcr rec flow collect output cuda
api base letters input rec flow collect output scan
filters *
'

# common/scan/asm/asm_scan.c is of scan, cuda/pool.c of cuda
awk_rules='
function folder(path) {
	sub(/^common\//, "", path)
	sub(/\/.*/, "", path)
	return path
}
function check(user, used, what) {
	if (user != used && !((user, used) in may) && !((user, "*") in may))
		print what ": " user "/ may not use " used "/"
}
BEGIN {
	n = split(table, line, "\n")
	for (i = 1; i <= n; i++) {
		m = split(line[i], word, " ")
		for (j = 2; j <= m; j++)
			may[word[1], word[j]]
	}
}'

# Headers that other folders may include: FOLDER/FOLDER.h; of the kernels, the
# vectors of base; what is listed here, until it is merged into those.
by_includes() {
	grep -rn '^#include "' --include='*.[ch]' --include='*.cu' \
		--include='*.cuh' common cuda filters |
		awk -F '[:"]' -v table="$table" "$awk_rules"'
		{
			dir = $4
			if (!sub(/\/[^\/]*$/, "", dir))
				next
			from = $1
			sub(/\/[^\/]*$/, "", from)
			sub(/^common\//, "", from)
			check(folder($1), folder($4), $1 ":" $2)
			name = dir
			sub(/.*\//, "", name)
			if (dir != from && $4 != dir "/" name ".h" &&
			    $4 !~ open)
				print $1 ":" $2 ": " $4 " is not public"
		}' open='^(base\/(cpu|port|simd|vec)|cli\/opt|cuda\/[a-z_]*|ebwt\/(ebwt_gap|weighted)|[a-z]*\/paper\/[a-z_]*|primer\/primer_priv)\.h$'
}

by_symbols() {
	find "$1/common" "$1/cuda" "$1/filters" -name '*.o' -exec nm -A {} + |
		sed "s,^$1/,,; s,:, ," |
		awk -v table="$table" "$awk_rules"'
		NF == 4 && $3 ~ /^[TDRBV]$/ { home[$4] = folder($1) }
		NF == 3 && $2 == "U" { uses[$1, $3] }
		END {
			for (k in uses) {
				split(k, u, SUBSEP)
				if (u[2] in home)
					check(folder(u[1]), home[u[2]],
						u[1] ": " u[2])
			}
		}'
}

case $1 in
includes) by_includes ;;
symbols) by_symbols "$2" ;;
esac
