# SPDX-License-Identifier: MIT
# many.awk - hostile streams: very many of one thing, for recmake
#
# usage: awk -v kind=KIND -v n=N -f many.awk | recmake
# KIND: scans of one run, with a hit, tallies, primers or dists each; runs with
# a scan each; begins of one scan; needs, four a frame, of BEGINs that are not
# there; frames of receipts that lack the second one; lengths of runs of which
# there is nothing else.  Ids come in no order.
function runkey() { print "str a.fa\nstr\nstr s\nu64 7" }
function begin(run, scan, rule, text) {
	print "frame 1", run, 0, 1
	print "u64", scan
	print scan ? "str q.fa" : "str"
	print "var", rule
	runkey()
	print "bytes", text "\\n"
}
function end(run, chunks) {
	print "frame 9", run, 0, 1
	runkey()
	print "var", chunks "\nvar 1\nvar", 10 * chunks
	print "u64", 5 * chunks
}
# last: flags of the receipt
function result(type, run, scan, rule, serial, last, records, needs) {
	print "frame", type, run, serial, records
	runkey()
	print "u64", scan "\nstr q.fa\nvar", rule "\nvar", last
	print "var 0\nvar 1\nvar", serial "\nvar 1\nvar 10\nu64 5"
	print "var", needs
	for (j = 0; j < needs; j++)
		print "u64", ++need
}
function query() { print "var 0\nvar 4\nstr q" }
function hits(run, scan, serial, last, needs) {
	result(4, run, scan, 0, serial, last, 1, needs)
	print "var 1"
	query()
	print "var 1\nvar 0\nvar 11\nstr s"	# length 10
	print "var 0\nvar 0\nu8 0\nvar 4\nvar 4\nvar 0\nvar 4\nzigzag 0"
}
function tally(run, scan) {
	result(5, run, scan, 2, 0, 1, 1, 0)
	print "var 1"
	query()
	print "var 0\nu8 0\nvar 0\nvar 1"
}
function primer(run, scan) {
	result(6, run, scan, 3, 0, 1, 1, 0)
	query()
	print "var 4\nbytes k 2\\n\nu8 0\nvar 0\nbytes ACGT"
	print "var 0\nvar 1\nvar 1\nvar 1"
}
function dist(run, scan) {
	result(7, run, scan, 0, 0, 1, 1, 0)
	print "str delta\nu8 0\nvar 2\nvar 0\nvar 11\nstr s"
	print "var 1\nvar 11\nstr t\nvar 0\nvar 1\nf64 .5"
}
function rule_of(k) {
	return k == "tallies" ? 2 : k == "primers" ? 3 : 0
}
BEGIN {
	if (kind != "runs")
		begin(1, 0, 0, "program fasta-chunk")
	one = kind == "needs" || kind == "begins" || kind == "frames"
	if (one)
		begin(1, 1, 0, "program asm-scan")
	for (i = 1; i <= n; i++) {
		id = i * 7919 % n + 1	# n is no multiple of 7919
		if (kind == "runs") {
			begin(id + 1, 0, 0, "program fasta-chunk")
			begin(id + 1, 1, 0, "program asm-scan")
			hits(id + 1, 1, 0, 1, 0)
			end(id + 1, 1)
		} else if (kind == "lengths") {
			print "frame 3", id + 1, 0, 1
			print "var 0\nvar 10\nstr s"
		} else if (kind == "begins")
			begin(1, 1, 0, "program asm-scan\\nk " id)
		else if (kind == "needs")
			hits(1, 1, id - 1, 1, 4)
		else if (kind == "frames")
			hits(1, 1, id - 1, 0, 0)
		else {
			begin(1, id, rule_of(kind), "program asm-scan")
			if (kind == "scans")
				hits(1, id, 0, 1, 0)
			else if (kind == "tallies")
				tally(1, id)
			else if (kind == "primers")
				primer(1, id)
			else
				dist(1, id)
		}
	}
	if (kind == "begins")
		hits(1, 1, 0, 1, 0)
	if (kind != "runs")
		end(1, one && kind != "begins" ? n : 1)
}
