/* SPDX-License-Identifier: MIT */
/* printer_table.c - formats, and rows that need not wait: all but hits */
#include "stream/picture.h"
#include "stream/printer_priv.h"

static const char *const names[] = {
	[FORMAT_REC] = "rec", [FORMAT_TSV] = "tsv", [FORMAT_PAF] = "paf",
	[FORMAT_SAM] = "sam", [FORMAT_BED] = "bed", [FORMAT_GFF3] = "gff3",
	[FORMAT_JSON] = "json", [FORMAT_FASTA] = "fasta",
	[FORMAT_PHYLIP] = "phylip", [FORMAT_PHYLIP_LOWER] = "phylip-lower",
	[FORMAT_PHYLIP_STRICT] = "phylip-strict",
	[FORMAT_PRETTY] = "pretty", [FORMAT_BLAST6] = "blast6",
	[FORMAT_BOULDER] = "boulder", [FORMAT_SVG] = "svg",
};

enum format
format_of(const char *name)
{
	for (int i = 0; i < FORMAT_NONE; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum format)i;
	return FORMAT_NONE;
}

const char *
printer_format(const struct printer *p)
{
	return names[p->pp.format];
}

const struct print_family *
printer_family(enum format f)
{
	/* whole matrices are written by dists_phylip() */
	static const struct print_family none;

	switch (f) {
	case FORMAT_TSV: return &print_tsv;
	case FORMAT_PAF: return &print_paf;
	case FORMAT_SAM: return &print_sam;
	case FORMAT_BED: return &print_bed;
	case FORMAT_GFF3: return &print_gff3;
	case FORMAT_JSON: return &print_json;
	case FORMAT_FASTA: return &print_fasta;
	case FORMAT_BOULDER: return &print_boulder;
	case FORMAT_PRETTY: return &print_pretty;
	case FORMAT_BLAST6: return &print_blast6;
	case FORMAT_SVG: return &print_svg;
	case FORMAT_PHYLIP:
	case FORMAT_PHYLIP_LOWER:
	case FORMAT_PHYLIP_STRICT: return &none;
	default: return NULL;
	}
}

int
printer_tally(struct printer *p, const struct tally_row *t, struct err *e)
{
	if (!p->family->tally)
		return err_set(e, ERR_USAGE, "counts are written as tsv, json "
			       "or svg, not as %s", printer_format(p));
	if (!p->tally_head && p->family->tally_head)
		p->family->tally_head(&p->line, &p->env);
	p->tally_head = true;
	p->family->tally(&p->line, &p->env, t);
	return printer_push(p, LINE_MEMORY, e);
}

int
printer_primer(struct printer *p, const struct primer_row *r, struct err *e)
{
	if (!p->family->primer)
		return err_set(e, ERR_USAGE, "primers are written as tsv, bed, "
			       "gff3, fasta, json, boulder or svg, not as %s",
			       printer_format(p));
	printer_primer_head(p);
	if (p->pp.format == FORMAT_GFF3)
		printer_find_source(p, r->run);
	p->family->primer(&p->line, &p->env, r);
	return printer_push(p, LINE_MEMORY, e);
}

void
printer_primer_head(struct printer *p)
{
	bool there = p->hit_head &&
		     p->family->primer_head == p->family->hit_head;

	if (!p->primer_head && !there && p->family->primer_head)
		p->family->primer_head(&p->line, &p->env);
	p->primer_head = true;
}

/* Plain and weighted rows have unlike columns. */
static void
dist_head(struct printer *p, bool weighted)
{
	int kind = weighted ? 2 : 1;

	if (p->dist_head != kind && p->family->dist_head)
		p->family->dist_head(&p->line, &p->env, weighted);
	p->dist_head = kind;
}

int
printer_dist(struct printer *p, const struct dist_text *r, struct err *e)
{
	if (!p->family->dist)
		return err_set(e, ERR_USAGE, "distances are written as tsv, "
			       "json, phylip or svg, not as %s",
			       printer_format(p));
	dist_head(p, r->weighted);
	p->family->dist(&p->line, &p->env, r);
	return printer_push(p, LINE_MEMORY, e);
}

void
printer_dist_head(struct printer *p, bool weighted)
{
	if (!p->dist_head)
		dist_head(p, weighted);
}

bool
printer_dists(struct printer *p, const struct dists *d)
{
	if (!p->env.picture)
		return false;
	picture_dists(p->env.picture, d);
	return true;
}

int
printer_lines(struct printer *p, const struct buf *b, struct err *e)
{
	buf_put(&p->line, b->p, b->n);
	return printer_push(p, LINE_MEMORY, e);
}
