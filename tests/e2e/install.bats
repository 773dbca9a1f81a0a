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
	doc=$to/share/doc/seqfilters/examples
	grep -qxF ".It Pa $doc" "$to/share/man/man7/seqfilters.7"
	[ -s "$doc/cookbook.md" ]
	PATH=$to/bin:$PATH sh "$doc/counts.sh" > "$BATS_TEST_TMPDIR/counts"
	PATH=$SEQF_BIN:$PATH sh examples/counts.sh |
		cmp - "$BATS_TEST_TMPDIR/counts"
	PATH=$to/bin:$PATH sh "$doc/jobs/amplicons.sh" | grep -q '^b5	622$'
	# examples at the top of each page, where nothing can be written
	export LC_ALL=C PATH=$to/bin:$PATH
	for f in "$PWD"/man/*.1; do
		(
			cd "$doc/data"
			sed -n '/^\.Sh EXAMPLES IN BRIEF/,/^\.Ed/p' "$f" |
				sed '1,/^\.Bd/d; /^\.Ed/d' > "$BATS_TEST_TMPDIR/brief"
			[ "$(wc -l < "$BATS_TEST_TMPDIR/brief")" -eq 3 ]
			chmod a-w .
			while read -r line; do	# each shows something
				bash -o pipefail -c "$line" 2>&1 \
					> "$BATS_TEST_TMPDIR/rows" | grep . && exit 1
				grep -qv '^#' "$BATS_TEST_TMPDIR/rows"
			done < "$BATS_TEST_TMPDIR/brief"
			chmod u+w .
		)
	done
	sh tests/install.sh uninstall "$b" "" "$to"
	[ "$(find "$to" -type f)" = "$to/bin/not-ours" ]
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

# apt-get of a machine where others hold a lock until it was asked $1 times.
busy_apt() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cd "$BATS_TEST_DIRNAME/../.."
	rm -f "$BATS_TEST_TMPDIR/log"
	cat > "$BATS_TEST_TMPDIR/bin/apt-get" <<-END
		#!/bin/sh
		echo "\$*" >> "$BATS_TEST_TMPDIR/log"
		[ "\$(wc -l < "$BATS_TEST_TMPDIR/log")" -gt $1 ] || {
			echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (x)' >&2
			exit 100
		}
		case "\$*" in *$2*) echo 'E: of another kind' >&2; exit 100 ;; esac
	END
	printf '#!/bin/sh\nexec "$@"\n' > "$BATS_TEST_TMPDIR/bin/sudo"
	# the real one reads all the archive's lists, each time
	printf '#!/bin/sh\necho "Package: $2"\n' > "$BATS_TEST_TMPDIR/bin/apt-cache"
	chmod +x "$BATS_TEST_TMPDIR/bin"/*
}
deps() {
	CC=no-such-compiler PATH=$BATS_TEST_TMPDIR/bin:$PATH run sh tests/deps.sh build
}

@test "deps asks, where somebody can answer, and YES=1 answers" {
	command -v script || skip "no script"
	ask() { # ANSWER [YES]
		busy_apt 0 nothing
		CC=no-such-compiler PATH=$BATS_TEST_TMPDIR/bin:$PATH YES=${2:-} \
			run script -qec 'sh tests/deps.sh build' /dev/null <<< "$1"
	}
	ask n
	[ "$status" -eq 1 ]
	[[ $output == *'deps: install '*no-such-compiler*'? [Y/n]'* ]]
	[ ! -e "$BATS_TEST_TMPDIR/log" ]
	ask y
	[ "$status" -eq 0 ]
	grep -q 'install .*no-such-compiler' "$BATS_TEST_TMPDIR/log"
	ask n 1
	[ "$status" -eq 0 ]
	[[ $output != *'[Y/n]'* ]]
}

# bats test_tags=slow
@test "deps waits for another apt-get, but not for ever" {
	busy_apt 2 nothing
	deps
	[ "$status" -eq 0 ]
	[ "$(grep -c update "$BATS_TEST_TMPDIR/log")" -eq 3 ]
	[ "$(grep -c 'install .*no-such-compiler' "$BATS_TEST_TMPDIR/log")" -eq 1 ]
	[ "$(grep -c 'another apt-get is at work' <<< "$output")" -eq 1 ]
	busy_apt 1000 nothing
	APT_WAIT=1 deps
	[ "$status" -eq 1 ]
	[ "$(grep -c 'another apt-get is at work' <<< "$output")" -eq 1 ]
	[[ $output == *'Could not get lock'* ]]
	[[ $output == *'deps: apt-get failed; needed: no-such-compiler'* ]]
	# what is wrong otherwise does not get better; stale lists are enough
	busy_apt 0 update
	deps
	[ "$status" -eq 0 ]
	busy_apt 0 install
	deps
	[ "$status" -eq 1 ]
	[ "$(wc -l < "$BATS_TEST_TMPDIR/log")" -eq 2 ]
}
