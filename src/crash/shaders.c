/* SPDX-License-Identifier: MIT */
/* Shaders of a hang report: pipeline.log, and the code around waves. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/str.h"
#include "base/util.h"
#include "crash/report_priv.h"

/* ---- code ---- */

/* umr prints the same code for each wave in it. */
static bool is_there(const struct bw_crash_report *r, uint64_t va, size_t n)
{
	enum { LOOKED_AT = 32 };
	for (size_t i = r->pieces.len; i-- && r->pieces.len - i <= LOOKED_AT;) {
		const struct bw_crash_piece *p = &r->pieces.data[i];
		if (va >= p->va && va - p->va + n * 4 <= p->words.len * 4)
			return true;
	}
	return false;
}

/* False: it was there already, or there is no room. */
static bool add_code(struct bw_crash_report *r, uint64_t va, const uint32_t *dw, size_t n,
		     unsigned number)
{
	struct bw_crash_piece *last = r->pieces.len ? &r->pieces.data[r->pieces.len - 1] : NULL;
	if (is_there(r, va, n))
		return false;
	if (!last || last->va + last->words.len * 4 != va) {
		if (r->pieces.len >= BW_CRASH_MAX_PIECES) {
			r->n_pieces_left_out++;
			return false;
		}
		struct bw_crash_piece new = {.va = va, .line = number};
		struct bw_error *err = bw_vec_push(&r->pieces, new);
		if (err) {
			bw_crash_report_error(r, err);
			return false;
		}
		last = &r->pieces.data[r->pieces.len - 1];
	}
	for (size_t i = 0; i < n && r->n_piece_words < BW_CRASH_MAX_WORDS; i++, r->n_piece_words++)
		bw_crash_report_error(r, bw_vec_push(&last->words, dw[i]));
	return true;
}

static void add_text(struct bw_crash_report *r, uint64_t va, const char *text, size_t n)
{
	struct bw_crash_instruction new = {.va = va};
	while (n && isspace((unsigned char)text[0])) {
		text++;
		n--;
	}
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (!n || r->instructions.len >= BW_CRASH_MAX_INSTRUCTIONS)
		return;
	for (size_t i = 0; i < n && i + 1 < sizeof(new.text); i++)
		new.text[i] = text[i] == '\t' ? ' ' : text[i];
	bw_crash_report_error(r, bw_vec_push(&r->instructions, new));
}

const char *bw_crash_instruction_at(const struct bw_crash_report *r, uint64_t va)
{
	bw_vec_each(&r->instructions, i)
		if (i->va == va)
			return i->text;
	return NULL;
}

/* ---- pipeline.log ---- */

static struct bw_crash_shader *shader(struct bw_crash_report *r)
{
	return r->shader ? &r->shaders.data[r->shader - 1] : NULL;
}

/* RADV prints equal instructions in a row once, "(then repeated 6 times)", and here each of them
 * with the first one's address. */
static void fill_repeated(struct bw_crash_report *r, uint64_t next_va)
{
	struct bw_crash_repeat *x = &r->repeat;
	uint64_t size_b = x->n_words * 4;
	if (x->n && next_va == x->va + size_b * (x->n + 1))
		for (unsigned i = 1; i <= x->n; i++)
			add_code(r, x->va + size_b * i, x->words, x->n_words, 0);
	x->n = x->n_words = 0;
}

/* "v_mov_b32_e32 v1, v0   ; 7e020300 [PC=0x80000000201c, off=28, size=4]" */
static bool code_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	struct bw_crash_repeat *x = &r->repeat;
	const char *words = NULL, *at;
	uint32_t dw[BW_ARRAY_SIZE(x->words)];
	unsigned n = 0;
	for (const char *p = line; (p = strstr(p, "; ")); p += 2)
		words = p; /* the text of an instruction may have one, too */
	at = words ? bw_crash_after(words, " [PC=0x") : NULL;
	if (!at)
		return false;
	uint64_t va = bw_canonical(strtoull(at, NULL, 16));
	for (const char *p = words + 2; p < at && n < BW_ARRAY_SIZE(dw); p += 9) {
		if (!bw_crash_is_hex(p, 8))
			break;
		dw[n++] = (uint32_t)strtoul(p, NULL, 16);
	}
	if (!n || va % 4)
		return false;
	if (x->n_words == n && x->va == va && !memcmp(x->words, dw, n * 4)) {
		x->n++;
		return true;
	}
	fill_repeated(r, va);
	if (add_code(r, va, dw, n, number))
		add_text(r, va, line, (size_t)(words - line));
	*x = (struct bw_crash_repeat){.va = va, .n_words = n};
	memcpy(x->words, dw, n * 4);
	struct bw_crash_shader *s = r->in_code ? shader(r) : NULL;
	if (s && !s->code_b)
		s->va = va;
	if (s && va >= s->va)
		s->code_b = BW_MAX(s->code_b, va - s->va + n * 4);
	return true;
}

/* "Compute Shader:", "Vertex Shader as ESGS:", "Compute Shader - annotated disassembly:": the
 * length of the stage's name; 0: it is not such a line. */
static size_t stage_of(const char *line, bool *out_is_code)
{
	static const char code[] = " - annotated disassembly:";
	size_t n = strlen(line);
	const char *dash = strstr(line, code);
	*out_is_code = dash && !dash[strlen(code)];
	if (*out_is_code)
		n = (size_t)(dash - line);
	else if (n && line[n - 1] == ':')
		n--;
	else
		return 0;
	if (!isupper((unsigned char)line[0]) || n >= sizeof(((struct bw_crash_shader *)0)->stage) ||
	    !memmem(line, n, " Shader", 7))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)line[i]) && !strchr(" ()/-", line[i]))
			return 0;
	return n;
}

/* The shader of this stage in the pipeline that lines are about; made if there is none yet. */
static void choose_shader(struct bw_crash_report *r, const char *stage, size_t n, unsigned number)
{
	struct bw_crash_shader new = {.line = number};
	memcpy(new.stage, stage, n);
	memcpy(new.pipeline, r->pipeline, sizeof(new.pipeline));
	r->shader = 0;
	for (size_t i = 0; i < r->shaders.len; i++)
		if (!strcmp(r->shaders.data[i].stage, new.stage) &&
		    !strcmp(r->shaders.data[i].pipeline, new.pipeline))
			r->shader = i + 1;
	if (r->shader || r->shaders.len >= BW_CRASH_MAX_SHADERS)
		return;
	struct bw_error *err = bw_vec_push(&r->shaders, new);
	if (!err)
		r->shader = r->shaders.len;
	bw_crash_report_error(r, err);
}

/* "SPIRV (see b93705cbf7d668cc11809ac248294f10d3b0ec3d.spv)": a name, and no path. */
static bool spirv_line(struct bw_crash_report *r, const char *line)
{
	struct bw_crash_shader *s = shader(r);
	const char *name =
		bw_starts_with(line, "SPIRV (see ") ? line + strlen("SPIRV (see ") : NULL;
	size_t n = name ? strcspn(name, ")/ ") : 0;
	if (!n || name[n] != ')')
		return false;
	if (s && n < sizeof(s->spirv))
		bw_crash_copy(s->spirv, sizeof(s->spirv), name, n);
	return true;
}

bool bw_crash_pipeline_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	bool is_code;
	const char *hash =
		bw_starts_with(line, "Pipeline hash: ") ? line + strlen("Pipeline hash: ") : NULL;
	struct bw_crash_shader *s = shader(r);
	if (hash) {
		r->shader = 0;
		r->in_code = false;
		memset(r->pipeline, 0, sizeof(r->pipeline));
		bw_crash_copy(r->pipeline, sizeof(r->pipeline), hash, strlen(hash));
		return false; /* it is one of the facts, too */
	}
	size_t n = stage_of(line, &is_code);
	if (n) {
		fill_repeated(r, 0);
		choose_shader(r, line, n, number);
		r->in_code = is_code;
		return true;
	}
	if (s && bw_starts_with(line, "Code size: "))
		s->said_b = strtoull(line + strlen("Code size: "), NULL, 10);
	return spirv_line(r, line) || code_line(r, line, number);
}

/* ---- umr_waves.log ---- */

/* The code around a wave's PC: "    pgm[1@0x1000014f0 + 0x4   ] = 0xbe80027f ...", with "*" before
 * it at the PC; of 2018: ">pgm[1@1000014f0] = be80027f". */
bool bw_crash_program_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	const char *p = line + strspn(line, " *>\t");
	unsigned long long base, offset = 0;
	unsigned vmid, word;
	int n = 0;
	if (sscanf(p, "pgm[%4u@0x%16llx + 0x%8llx ] = 0x%8x%n", &vmid, &base, &offset, &word, &n) !=
		    4 &&
	    sscanf(p, "pgm[%4u@%16llx] = %8x%n", &vmid, &base, &word, &n) != 3)
		return false;
	uint64_t va = bw_canonical(base + offset);
	if (va % 4 == 0 && add_code(r, va, &(uint32_t){word}, 1, number))
		add_text(r, va, p + n, strlen(p + n));
	return true;
}

/* "gfx1201.regCOMPUTE_PGM_RSRC1(0@0x7a0944aa4540) == 0xe00f0000": the GC version's digits. */
bool bw_crash_umr_register_line(struct bw_crash_report *r, const char *line)
{
	const char *p = line + strspn(line, " \t");
	unsigned major, minor, step;
	int n = 0;
	if (!bw_starts_with(p, "gfx"))
		return false;
	size_t digits = strspn(p + 3, "0123456789abcdef");
	if (digits == 4
		    ? sscanf(p + 3, "%2u%1x%1x%n", &major, &minor, &step, &n) != 3
		    : digits != 3 || sscanf(p + 3, "%1u%1x%1x%n", &major, &minor, &step, &n) != 3)
		return false;
	if ((size_t)n != digits ||
	    (!bw_starts_with(p + 3 + n, ".reg") && !bw_starts_with(p + 3 + n, ".mm")))
		return false;
	if (!r->gc)
		r->gc = BW_IP_VERSION(major, minor, step);
	return true;
}

void bw_crash_shaders_next_file(struct bw_crash_report *r)
{
	r->shader = 0;
	r->in_code = false;
	memset(r->pipeline, 0, sizeof(r->pipeline));
	fill_repeated(r, 0);
}

/* ---- SPIR-V ---- */

bool bw_crash_report_file(struct bw_crash_report *r, const char *name, const void *bytes, size_t n)
{
	enum { HEADER_B = 20 };
	const uint32_t magic = 0x07230203;
	struct bw_crash_module new = {0};
	if (n < HEADER_B || n % 4 || memcmp(bytes, &magic, 4) != 0 ||
	    strlen(name) >= sizeof(new.name) || r->modules.len >= BW_CRASH_MAX_MODULES ||
	    n > BW_CRASH_MAX_MODULE_B - r->n_module_b)
		return false;
	memcpy(new.name, name, strlen(name));
	struct bw_error *err = bw_vec_reserve(&new.words, n / 4);
	if (!err) {
		memcpy(new.words.data, bytes, n);
		new.words.len = n / 4;
		err = bw_vec_push(&r->modules, new);
	}
	bool ok = !err;
	if (ok)
		r->n_module_b += n;
	else
		bw_vec_free(&new.words);
	bw_crash_report_error(r, err);
	return ok;
}

const struct bw_crash_module *bw_crash_module_of(const struct bw_crash_report *r,
						 const struct bw_crash_shader *s)
{
	bw_vec_each(&r->modules, m)
		if (s->spirv[0] && !strcmp(m->name, s->spirv))
			return m;
	return NULL;
}
