#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh BUILD [MAX|all] - each program with one allocation after another
# failing, at most MAX of each command (default 150), on all processors.
set -euo pipefail

b=$(cd "$1" && pwd) max=${2:-150}
work=$(mktemp -d "${TMPDIR:-/tmp}/seqfilters-alloc.XXXXXX")
trap 'rm -rf "$work"' EXIT
PATH=$b/bin:$b/library:$b/helpers:$PATH
export LC_ALL=C SEQF_THREADS=1
# freed and fresh memory hold neither zeros nor what they held
export MALLOC_PERTURB_=165
unset SEQF_ISA SEQF_INFLATE
cd "$work"

# What the commands read.
p1=ACGTTGCATTGACC p2=GATTACAGATTACA
{ randseq 1500 1 70 a; printf '>none\n'; randseq 90 2 70 'b two'
	randseq 700 3 70 c; printf '>d\n%s%sN%s\n' $p1 $p2 $p1; } >t.fa
{ sed -n '2,9p' t.fa | tr -d '\n' | sed 's/^/>x\n/'; echo; echo '>y'
	sed -n '12,15p' t.fa; } >q.fa
awk '/^>/ { n = substr($0, 2); next }
	{ print "@" n ++k; print; print "+"; gsub(/./, "I"); print }' t.fa >t.fq
printf '>%s\n%s\n' one $p1 two $p2 three ACGTACGTACGT >p.fa
printf '%s\n' $p1 $p2 >p.txt
for i in $(seq 10 60); do	# many patterns, of one length and of several
	randseq 20 "$i" 70 "g$i"
done >many.fa
{ cat many.fa; randseq 150 7 200 long; randseq 33 8 70 odd; } >mixed.fa
gzip -kn t.fa
gzip -n <p.fa >p.gz
for p in zstd bzip2 xz; do	# or as it is, where this build has no library
	if fasta-chunk -V | grep -q $p; then $p -c t.fa; else cat t.fa; fi >t.$p
done
awk 'NR % 4 == 1 { n = substr($0, 2) } NR % 4 == 2 { s = $0 }
	NR % 4 == 0 { print n "\t16\t*\t0\t0\t*\t*\t0\t0\t" s "\t" $0 }' t.fq |
	samtools view -b - >t.bam
cp t.fa i.fa
if command -v bgzip >/dev/null; then bgzip -c t.fa >ib.fa.gz; else cp t.fa ib.fa.gz; fi
fasta-chunk --quiet --index i.fa ib.fa.gz
fasta-chunk -L 300 t.fa >c.rec
fasta-chunk -L 300 --part 0/2 t.fa >c0.rec
gzip -kn c.rec
asm-scan -k 2 --with-seq -q p.fa c.rec >h.rec
asm-scan -k 2 --with-seq -q p.fa c0.rec >h0.rec
asm-scan -k 2 --report=count -q p.fa c.rec >tally.rec
asm-scan --report=best -k 9 -q p.fa c.rec >best.rec
sw-scan -n 3 --with-seq -q q.fa c.rec >sw.rec
primer-find -k 2 -q q.fa c.rec >primer.rec
sed '/>none/d' t.fa >u.fa
gzip -kn u.fa
printf 'a\nc\n' >circles
fasta-chunk -L 300 u.fa >u.rec
ebwt-dist u.rec >dist.rec
head -c $(($(stat -c %s h.rec) / 2)) h.rec >cut.rec
printf 'one\t%s\t%s\ntwo\t%s\n' $p1 TGTAATCTGTAATC $p2 >pairs.tsv
printf '>probe\nATTGAC\n' >p.txt.fa
printf 'one\tTGCATT\tCTGTAA\n' >inner.tsv
awk -v OFS='\t' '{ print "t", 1, 2, $1 "_LEFT", 1, "+", $2
	print "t", 1, 2, $1 "_RIGHT", 1, "-", $2 }' pairs.tsv >pairs.bed
pcr-find -p pairs.tsv --primers >pcr.fa
asm-scan -k 2 --exact-suffix 1 -q pcr.fa c.rec >pcr.rec
printf '0\n2-5\n' >serials
printf 'a\t20\t300\nc\t0\t70\n' >self.bed
printf '   A  C  G  T\nA  5 -4 -4 -4\nC -4  5 -4 -4\nG -4 -4  5 -4\nT -4 -4 -4  5\n' \
	>scores
for r in A C G U; do
	for d in A C G T; do
		case $r$d in AT | CG | GC | UA) ;; *) for p in $(seq 14); do
			echo "r$r:d$d,$p .$p"
		done ;; esac
	done
done >factors
printf '>m\nA [ 8 1 0 2 ]\nC [ 0 1 0 2 ]\nG [ 0 6 0 2 ]\nT [ 0 0 8 2 ]\n' >m.pfm
printf '>n\nA [ 1 0 3 ]\nC [ 1 0 1 ]\nG [ 1 6 0 ]\nT [ 0 0 3 ]\n' >>m.pfm
printf '>u\nACBACBAC\n>v\nBCAB\n>w\nABCB\n' >w.fa
fasta-chunk m.pfm >m.rec
printf '\103\047\101\032\0\0\0\0\1\0\0\0\0\0\0\0\1s\026\0\0\0\7\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0\0\0\0\0\234$' \
	>x.2bit
ebwt-dist -O rec -q m.pfm p.fa >wdist.rec
ebwt-dist --ebwt w.fa >w.ebwt

cases() {
	sed -e 's,^,fasta-chunk ,' <<-end
		-L 300 ../t.fa
		-L 300 -o f.rec ../t.fa.gz
		-L 300 -W 50 --part 1/2 --mask ../t.fq
		-L 300 --only @../serials ../t.fa ../p.gz
		-r a:20-900 ../t.fa
		../m.pfm
		-L 300 --circular=@../circles ../u.fa
		../x.2bit
		-L 300 -t 2 <../t.fa.gz
		-L 300 ../t.zstd
		-L 300 ../t.bzip2
		-L 300 ../t.xz
		-L 300 ../t.bam
		-r c:10-20 ../i.fa
		-L 1k --part 0/2 ../i.fa
		-r c:10-20 ../ib.fa.gz
		-L 1k --part 0/2 ../ib.fa.gz ../i.fa
		--quiet --index ../i.fa
		--quiet --index ../ib.fa.gz ../x.2bit
	end
	sed -e 's,^,asm-scan -g none ,' <<-end
		-k 2 -q ../p.fa ../c.rec
		-k 2 -q ../p.gz -O tsv ../t.fa.gz
		-k 2 --with-seq -q ../p.txt -O sam -o f.sam ../t.fa
		-k 2 -e $p1 -O paf ../c.rec.gz
		-k 2 -e $p1 -O bed <../t.fq
		-k 2 -e $p1 -O gff3 ../c.rec
		-k 2 -q ../p.fa -O json ../c.rec
		-k 9 --report=best -q ../p.fa -O tsv ../c.rec
		-k 2 --report=all --ends -q ../p.fa -O tsv ../t.fa
		-k 2 --report=count -q ../p.fa ../t.fa
		-k 2 --histogram -q ../p.fa -O tsv ../t.fa
		-k 4 --max-hits 2 -q ../p.fa -O tsv ../t.fa
		-k 4 --drop-shadows --no-overlap .5 -q ../p.fa -O bed ../t.fa
		-k 2 -q ../p.fa --columns=source,gaps,query,sseq ../t.fa
		-k 2 -q ../p.fa -O svg ../t.fa
		-k 3 --pam NG -q ../p.txt -O offtarget ../t.fa
		-k 3 --pam NG --score-table ../factors -q ../p.txt -O json ../t.fa
		-k 3 --pam NG --score-table ../factors -q ../p.txt -O guides ../t.fa
		-k 2 --max-bulges 1 -q ../p.fa -O tsv ../t.fa
		-k 2 --no-indels --iupac -q ../p.fa -O tsv ../t.fa
		-k 3 --exact-prefix 4 -q ../p.fa -O tsv ../t.fa
		-k 3 --overhang .5 -q ../p.fa -O tsv ../t.fa
		-k 2 --alphabet=bytes -e $p1 -O tsv ../t.fa
		--filter -k 2 -q ../p.fa ../t.fa
		--invert -k 2 -q ../p.fa ../t.fq
		-k 2 -q ../p.fa -r a:20-900 -O tsv ../t.fa
		-k 2 -q ../p.fa -O tsv ../c0.rec
		-k 2 --circular=a,c -q ../p.fa -O bed ../u.fa
		-k 2 --circular --with-seq -q ../p.fa -O sam ../u.fa
		-k 3 -q ../many.fa -O tsv ../t.fa
		-k 5 -q ../mixed.fa --engine=text ../t.fa
		-k 5 -q ../mixed.fa --engine=patterns ../t.fa
		-k 3 -q ../many.fa --engine=filter ../t.fa
		-k 30% -s - --with-seq -q ../mixed.fa -O paf ../t.fa
		-k 3 --exact-suffix 5 -q ../many.fa -O tsv ../c.rec
		-k 2 --overhang 0 -q ../mixed.fa -O tsv ../t.fq
		-k 2 --alphabet=protein -q ../p.fa -O tsv ../t.fa
		-k 2 -t 2 -q ../p.fa -O tsv ../c.rec
		-k 2 -t 2 -q ../p.fa ../t.fa.gz
	end
	sed -e 's,^,sw-scan -g none ,' <<-end
		-q ../q.fa ../c.rec
		-n 3 -q ../q.fa -O tsv ../t.fa.gz
		-n 3 --with-seq -q ../q.fa -O sam -o f.sam ../c.rec
		-n 2 --kind=cells -q ../q.fa -O paf ../c.rec
		-n 2 --kind=waterman-eggert -q ../q.fa -O blast6 ../t.fa
		-n 2 --kind=waterman-eggert -q ../p.fa -O tsv ../t.fa
		--matrix ../scores --gap-open 9 --gap-extend 1 -q ../p.fa -O tsv ../p.gz
		--matrix BLOSUM62 -q ../q.fa -O json ../t.fa
		--no-cigar -n 20 -q ../q.fa -O bed ../t.fa
		-n 5 -q ../many.fa -O tsv ../t.fa
		-n 2 -q ../u.fa -O tsv ../t.fa
		--match 91 --mismatch 114 --gap-open 400 --gap-extend 30 -q ../q.fa -O tsv ../t.fa
		--kind=waterman-eggert -n 9 --matrix BLOSUM62 -q ../q.fa -O tsv ../c.rec
		-t 2 -n 3 -q ../q.fa -O tsv ../c.rec
	end
	sed -e 's,^,primer-find -g none ,' <<-end
		-k 2 -q ../q.fa ../c.rec
		-k 2 -q ../q.fa -O tsv ../t.fa.gz
		-k 3 --max-len 24 --primers=both --tm 30-70 -q ../q.fa -O tsv ../t.fa
		-k 2 --site -q ../q.fa -O tsv ../t.fa
		-k 2 --site -q ../q.fa -O gff3 -o f.txt ../c.rec
		-k 3 --self a -q ../q.fa -O bed ../t.fa
		-k 3 --self ../self.bed --site -q ../q.fa -O json ../t.fa
		-k 2 --alphabet=literal -q ../q.fa -O fasta ../t.fa
		-k 2 --algorithm=conventional -q ../q.fa -O tsv ../t.fa
		-k 2 --algorithm=alternative --parallel=fine -q ../q.fa -O gff3 ../t.fa
		-k 3 --engine=plain -q ../q.fa ../t.fa
		-k 2 --circular=a,c --max-len 30 --site -q ../q.fa -O tsv ../u.fa
		-k 3 --engine=blocks -q ../q.fa ../t.fa
		-k 3 --engine=short --max-len 20 -q ../q.fa ../t.fa
		-k 12 --three-prime 8:1 --gc 40-60 -q ../q.fa -O tsv ../t.fa
		-k 3 --algorithm=alternative --parallel=both -s + -q ../q.fa ../t.fa
		-k 2 -q ../q.fa -O tsv ../c0.rec
		-k 2 -t 2 -q ../q.fa -O tsv ../c.rec
	end
	sed -e 's,^,pcr-find -g none -p ../pairs.tsv ,' <<-end
		-k 2 ../t.fa
		-k 3 --circular -O bed ../u.fa
		-k 3 --circular --with-seq ../u.fa
		-k 3 --all-pairs -n 3 ../c.rec
		-k 6 --no-indels -O json -o f.txt ../t.fa.gz
		-k 2 --with-seq -O gff3 ../t.fa
		-k 3 --letters=primers -O fasta ../c.rec
		../pcr.rec
		-k 1 -O bed <../pcr.rec
		-k 4 -O svg ../t.fa
		-k 2 --probe ../p.txt.fa --nested ../inner.tsv -n 2 ../t.fa
		--primers
	end
	sed -e 's,^,pcr-find -g none -p ../pairs.bed ,' <<-end
		--primers
		-k 2 -q ../pcr.fa ../t.fa
	end
	sed -e 's,^,ebwt-dist -g none ,' <<-end
		../u.rec
		-O tsv ../u.fa.gz
		--metric=de -O phylip -o f.txt ../w.fa
		-n 1 -O tsv ../u.fa
		--memory=10M -n 1 -O tsv ../u.fa
		--words ../m.pfm
		--words ../m.rec
		-q ../m.pfm -O tsv ../p.fa
		--theta-word .1 -q ../p.txt -O tsv ../m.pfm
		-q ../p.fa -O json ../u.rec
		--engine=product -O tsv ../m.pfm
		--engine=lists --metric=dm -O tsv ../m.pfm
		--engine=walks -q ../p.fa -O tsv ../u.fa
		--engine=sort -q ../p.fa -O tsv ../u.fa
		--memory=1M --metric=norm -O phylip-lower ../u.rec
		--ebwt ../w.fa
		--restore ../w.ebwt
		--algorithm=paper -O tsv ../w.fa
		-t 2 -O tsv ../u.fa
	end
	sed -e 's,^,merge-topk ,' <<-end
		../h.rec
		-O tsv ../h.rec ../sw.rec
		-n 2 --per=pair --ties=keep -O tsv <../h.rec
		--sort=position -O sam -o f.sam ../h.rec
		--no-overlap .2 -O paf ../h.rec
		--drop-shadows -O tsv ../h.rec
		--sort=begin -O bed ../h.rec
		--json=array -O json ../h.rec
		--columns=gaps,query ../h.rec
		-O gff3 ../h.rec
		-O svg ../h.rec
		-O svg ../sw.rec
		-O svg ../tally.rec
		-O svg ../dist.rec
		-O svg ../primer.rec
		-q ../p.fa --color=always -O pretty ../h.rec
		-O blast6 ../sw.rec
		-O tsv ../best.rec
		-O tsv ../tally.rec
		-O json ../primer.rec
		-O boulder ../primer.rec
		-O phylip ../dist.rec
		-n 1 -O tsv ../dist.rec
		-O tsv ../wdist.rec
		--partial -n 3 ../h0.rec ../h.rec
		--missing ../h0.rec
		--missing -o f.txt ../h0.rec ../sw.rec
		-O tsv ../h0.rec
		-O tsv ../cut.rec
		-t 2 -O tsv ../h.rec
	end
	sed -e 's,^,rec-view ,' <<-end
		--check ../h.rec
		--check ../c.rec.gz
		--stats ../c.rec
		--stats ../h.rec
		--stats ../sw.rec
		--header ../h.rec
		-O tsv ../h.rec
		-O tsv ../dist.rec
		-O tsv ../primer.rec
		-O fasta ../c.rec
		-O fasta ../t.fa.gz
		-O sam ../sw.rec
		-O svg ../h.rec
		-O svg ../dist.rec
		-O pretty -q ../q.fa ../sw.rec
		-O rec -o f.rec ../h.rec
		-O svg ../cut.rec
		--check ../cut.rec
		-O tsv ../h0.rec
	end
	# what stands on the library
	cat <<-end
		exact GGATCC GAATTC GCG <../t.fa
		exact ACG <../c.rec
		records ../h.rec
		records ../c.rec.gz
		records ../tally.rec
	end
}

cases | "$b/helpers/alloc_sweep" "$b/helpers/alloc_fail.so" "$work" \
	"$max" "$(nproc)"
