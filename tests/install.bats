#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# install.bats - what `make install` and `make deps` do to a machine

setup() {
	b=$(dirname "$SEQF_BIN")
	to="$BATS_TEST_TMPDIR/a prefix"
}

@test "install brings programs, pages and completions; uninstall takes them away" {
	mkdir -p "$to/bin"
	touch "$to/bin/not-ours"
	sh tests/install.sh install "$b" "" "$to"
	for f in filters/*.c; do
		[ -e "$f" ] || continue
		p=$(basename "$f" .c)
		[ -x "$to/bin/$p" ]
		[ -s "$to/share/bash-completion/completions/$p" ]
		[ -s "$to/share/zsh/site-functions/_$p" ]
		[ -s "$to/share/fish/vendor_completions.d/$p.fish" ]
	done
	for f in man/*.[1-8]; do
		[ -s "$to/share/man/man${f##*.}/$(basename "$f")" ]
	done
	sh tests/install.sh uninstall "$b" "" "$to"
	[ "$(find "$to" -type f)" = "$to/bin/not-ours" ]
}

@test "bash, zsh and fish accept the completions" {
	for p in "$SEQF_BIN"/*; do
		[ -x "$p" ] || continue
		for shell in bash zsh fish; do
			"$p" --completion=$shell >"$BATS_TEST_TMPDIR/c"
			[ -s "$BATS_TEST_TMPDIR/c" ]
			$shell -n "$BATS_TEST_TMPDIR/c"
		done
	done
}

@test "help and version on a full disk are an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	for p in "$SEQF_BIN"/*; do
		[ -x "$p" ] || continue
		for o in --help --version --completion=bash; do
			"$p" $o >/dev/null
			run sh -c '"$1" $2 2>&1 >/dev/full' sh "$p" $o
			[ "$status" -eq 1 ]
			[[ $output == *"No space left"* ]]
		done
	done
}

@test "deps is silent when nothing is missing" {
	run sh tests/deps.sh check
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "without apt-get, deps says what is needed and fails" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	for p in sh cc make; do
		ln -s "$(command -v $p)" "$BATS_TEST_TMPDIR/bin"
	done
	PATH=$BATS_TEST_TMPDIR/bin run sh tests/deps.sh check
	[ "$status" -eq 1 ]
	[[ $output == *"samtools"*"tabix"* ]]
}
