#!/bin/sh
# SPDX-License-Identifier: MIT
# wheel.sh BUILD - what `make wheel` left in BUILD-wheel is installed by pip into a
# fresh environment, and used there.  pandas, polars, mypy and auditwheel are
# from PyPI: without it their tests are skipped.
set -u
export LC_ALL=C PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
export PYTHONDONTWRITEBYTECODE=1
unset SEQF_ISA SEQF_THREADS PYTHONPATH MAKEFLAGS MFLAGS MAKELEVEL
build=$(cd "$1-wheel" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/seqf-wheel.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM
. "$here/../lib/ok.sh"
tools=$build/tools	# kept, as it takes long to get
SEQFILTERS_BIN=$(cd "$1-static/bin" && pwd)
export SEQFILTERS_BIN

installs() {
	python3 -m venv "$tmp/venv" &&
		"$tmp/venv/bin/pip" install --no-index "$build"/*.whl
}
# As users have it: of all that is installed only the environment's programs.
runs() {
	printf '>a\nGATTACA\n' | env -i PATH="$tmp/venv/bin" \
		asm-scan -s + -e GATTACA -O bed - |
		grep -x "$(printf 'a\t0\t7\tGATTACA\t0\t+')" &&
		[ -s "$tmp/venv/share/man/man1/asm-scan.1" ]
}
module() { # PYTHON
	mkdir -p "$tmp/data"
	env -u SEQFILTERS_BIN "$1" "$here/module.py" "$root/examples/data" "$tmp/data" \
		>"$tmp/module.log" 2>&1
	status=$?
	grep -v '^ok' "$tmp/module.log"
	return $status
}
# By the standard's way, and again: the same bytes.
reproduced() {
	"$tmp/venv/bin/pip" wheel --no-index --no-deps -w "$tmp/again" \
		"$root/packaging/python" && cmp "$build"/*.whl "$tmp"/again/*.whl
}
# It holds what building takes; here it takes the programs that are built.
source_package() {
	python3 "$root/packaging/python/backend/seqfilters_build.py" sdist \
		"$tmp/sdist" && tar -tzf "$tmp"/sdist/*.tar.gz >"$tmp/listed" &&
		grep -qx 'seqfilters-[0-9.]*/Makefile' "$tmp/listed" &&
		grep -qx 'seqfilters-[0-9.]*/PKG-INFO' "$tmp/listed" &&
		"$tmp/venv/bin/pip" wheel --no-index --no-deps -w "$tmp/third" \
			"$tmp"/sdist/*.tar.gz && cmp "$build"/*.whl "$tmp"/third/*.whl
}
compiles() {
	PYTHONPYCACHEPREFIX=$tmp python3 -m py_compile "$root"/packaging/python/*/*.py "$here"/*.py
}
typed() {
	cd "$root/packaging/python" && "$tools/bin/mypy" --cache-dir "$build/mypy" \
		--strict seqfilters && "$tools/bin/mypy" --cache-dir "$build/mypy" \
		--strict -c 'import gzip, pathlib, seqfilters as s
p = s.pipe(["asm-scan", pathlib.Path("x")], s.pipe(["fasta-chunk"]))
n: int = sum(h.send for h in s.hits(p, b"", "x", pathlib.Path("x")))
t: str = "".join(c.letters for c in s.chunks(gzip.open("x")))
b: bytes = s.run(("asm-scan",), gzip.open("x"))'
}
audited() {
	"$tools/bin/auditwheel" show "$build"/*.whl >"$tmp/audit" || return
	cat "$tmp/audit"
	grep -q 'requires no external shared libraries' "$tmp/audit"
}
frames() {
	"$tools/bin/pip" install -q --no-index --force-reinstall \
		"$build"/*.whl && module "$tools/bin/python" &&
		! grep skipped "$tmp/module.log"
}

ok 'one wheel, tagged for any Linux' ls "$build"/*-manylinux_2_17_*musllinux*.whl
ok 'pip installs it, without the network' installs
ok 'programs run' runs
ok 'the module gives the rows of tsv, and nothing of a part' \
	module "$tmp/venv/bin/python"
ok 'pip builds the same wheel' reproduced
ok 'the source package builds the same wheel' source_package
ok 'py_compile' compiles
if [ -x "$tools/bin/mypy" ] || { python3 -m venv "$tools" &&
	"$tools/bin/pip" install -q --retries 1 mypy auditwheel pandas polars \
		>"$tmp/pip.log" 2>&1; }; then
	ok 'mypy --strict' typed
	ok 'auditwheel: no library is missing' audited
	ok 'frames of pandas and polars' frames
else
	rm -rf "$tools"
	echo '# skipped: mypy, auditwheel, pandas and polars: no PyPI'
fi
finish wheel
