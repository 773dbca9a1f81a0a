# SPDX-License-Identifier: MIT
# -g: what it accepts, and that results are the same with a GPU and without.
load helper

# A device's number that cannot be: what every machine says to it.
@test "a device that is not there: exit 1, and the reason" {
	for p in asm-scan sw-scan primer-find; do
		run -1 --separate-stderr $p -g 63 -e ACGTACGTAC "$DATA/lambda.fa.gz"
		[ -z "$output" ]
		[[ $stderr == "$p: -g 63: "*@(GPU|driver|CUDA)* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "what is no device's number is wrong usage" {
	for g in x 1, ,1 -1 0,0 12345 0,x '' ' 0'; do
		run -2 --separate-stderr asm-scan -g "$g" -e ACGT "$DATA/lambda.fa.gz"
		[[ $stderr == "asm-scan: -g $g: "* ]]
	done
}

@test "auto and none write the same, and -v says what searched" {
	for g in auto none; do
		asm-scan -v -g $g -k 2 -e ACGTGATCAG -O tsv \
			"$DATA/lambda.fa.gz" > $g.tsv 2> $g.err
		grep -q '^asm-scan: GPU: none: ' $g.err
	done
	[ "$(wc -l < none.tsv)" -gt 10 ]
	cmp auto.tsv none.tsv
}
