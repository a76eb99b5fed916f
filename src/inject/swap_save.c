/* SPDX-License-Identifier: MIT */
/* --save-shaders FOLDER: SPIR-V and machine code of a program's shaders, as files that --shader
 * takes. The agent has left the bytes in the folder of the rules. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/util.h"
#include "compile/tool.h"
#include "inject/code_text.h"
#include "inject/swap_priv.h"
#include "regs/field.h"

/* "first_step-ffa72cb101948a8b": a name for people, and what --shader can be told. */
static char *stem_of(const struct bw_swap_said *e)
{
	enum { NAME_MAX_B = 48 };
	struct bw_str s = {0};
	const char *name = bw_swap_name(e);
	for (size_t i = 0; name[i] && i < NAME_MAX_B; i++)
		bw_str_addf(&s, "%c",
			    isalnum((unsigned char)name[i]) || strchr("._-", name[i]) ? name[i]
										      : '_');
	if (s.len && s.data[0] == '.')
		s.data[0] = '_';
	if (e->hash)
		bw_str_addf(&s, "%s%016" PRIx64, s.len ? "-" : "", e->hash);
	else if (!s.len)
		bw_str_add(&s, "shader");
	return bw_str_take(&s);
}

static struct bw_error *read_all(const char *path, uint8_t **out, size_t *out_size_b)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t n = 0, room = 1 << 16;
	if (!f)
		return bw_error_errno(errno, "cannot read %s", path);
	do {
		room *= 2;
		uint8_t *more = realloc(bytes, room);
		if (!more)
			return bw_error_nomem();
		bytes = more;
		n += fread(bytes + n, 1, room - n, f);
	} while (n == room && room < BW_SWAP_FILE_MAX_B);
	*out = bw_take(bytes);
	*out_size_b = n;
	return NULL;
}

/* ---- SPIR-V ---- */

/* Writes the text, too, if the SPIR-V tools are installed. */
static bool disassemble(const char *spv, const char *text)
{
	const char *const argv[] = {"spirv-dis", spv, "-o", text, NULL};
	const struct bw_tool tool = {
		.source = spv, .what = "does not disassemble", .package = "spirv-tools"};
	_cleanup_error_ struct bw_error *err = bw_tool_run(argv, &tool);
	return !err;
}

static struct bw_error *save_spirv(const struct bw_swaps *s, const struct bw_swap_said *e,
				   unsigned *n)
{
	_cleanup_free_ char *from = NULL, *stem = stem_of(e), *to = NULL, *text = NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size_b;
	if (!stem || asprintf(&from, "%s/%016" PRIx64 ".spv", s->folder->path, e->hash) < 0 ||
	    asprintf(&to, "%s/%s.spv", s->save, stem) < 0 ||
	    asprintf(&text, "%s/%s.spvasm", s->save, stem) < 0)
		return bw_error_nomem();
	struct bw_error *err = read_all(from, &bytes, &size_b);
	if (err && err->errnum == ENOENT) { /* the agent could not write it */
		bw_error_free(err);
		return NULL;
	}
	BW_TRY(err);
	BW_TRY(bw_file_write(to, "wbe", bytes, size_b));
	*n += 1u + disassemble(to, text);
	return NULL;
}

/* ---- Code ---- */

static void add_head(const struct bw_swap_said *e, const char *path, size_t size_b,
		     struct bw_str *out)
{
	unsigned unit = e->lanes == 64 ? 4 : 8;
	bw_str_add(out, "// ");
	bw_str_add_printable(out, bw_swap_name(e), "");
	bw_str_addf(out, ": %zu bytes of code for waves of %u lanes.\n", size_b, e->lanes);
	bw_str_addf(out, "// The dispatch has %u VGPRs, %u bytes of LDS and %u user SGPRs.\n",
		    (BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, e->rsrc1) + 1) * unit,
		    BW_FIELD_GET(COMPUTE_PGM_RSRC2, LDS_SIZE, e->rsrc2) * 512,
		    BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, e->rsrc2));
	if (e->hash)
		bw_str_addf(out, "//     breakwater exec --shader %016" PRIx64 "=%s -- ...\n",
			    e->hash, path);
}

/* A path that nothing of this run has: two pipelines of one name and hash can have other code. */
static char *code_path(const struct bw_swaps *s, const char *stem, unsigned k)
{
	char *path = NULL;
	int n = k ? asprintf(&path, "%s/%s-%u.s", s->save, stem, k + 1)
		  : asprintf(&path, "%s/%s.s", s->save, stem);
	return n < 0 ? NULL : path;
}

/* Text that has been written for a stem. */
struct written {
	char *stem, *text; /* owned */
	unsigned n;	   /* of the stem */
};
struct all_written BW_VEC(struct written);

static struct bw_error *write_text(const struct bw_swaps *s, const struct bw_swap_said *e,
				   size_t size_b, char *text, struct all_written *all)
{
	struct written new = {.text = text, .stem = stem_of(e)};
	struct bw_error *err = new.stem ? NULL : bw_error_nomem();
	bool is_known = false;
	for (size_t i = 0; !err && i < all->len; i++) {
		if (strcmp(all->data[i].stem, new.stem) != 0)
			continue;
		is_known |= !strcmp(all->data[i].text, text);
		new.n++;
	}
	_cleanup_free_ char *path = err ? NULL : code_path(s, new.stem, new.n);
	if (!err && !is_known) {
		struct bw_str whole = {0};
		add_head(e, path ? path : "", size_b, &whole);
		bw_str_add(&whole, text);
		err = !path || whole.failed ? bw_error_nomem()
					    : bw_file_write(path, "wbe", whole.data, whole.len);
		bw_str_free(&whole);
	}
	if (!err && !is_known)
		err = bw_vec_push(all, new);
	if (err || is_known) {
		free(new.stem);
		free(new.text);
	}
	return err;
}

/* Marks the slots for which clang reports errors. False: there are none. */
static bool refuse_errors(struct bw_code_text *c, const char *said)
{
	static const char error[] = ": error:";
	bool any = false;
	for (const char *at = said; (at = strstr(at, error)); at += sizeof(error) - 1) {
		const char *line = at;
		/* "FILE:LINE:COLUMN: error:" */
		for (int colons = 0; line > said && colons < 2; colons += line[0] == ':')
			line--;
		unsigned long n = strtoul(line + 1, NULL, 10);
		if (!n)
			continue;
		bw_code_text_refuse(c, (n - 1) / 2);
		any = true;
	}
	return any;
}

/* Finds the instructions whose text assembles to other words. */
static struct bw_error *check_text(struct bw_code_text *c, bool is_wave64)
{
	enum { TRIES = 8 };
	_cleanup_free_ char *path = NULL;
	BW_TRY(bw_temporary_file("slots", ".s", &path));
	for (unsigned i = 0; i < TRIES; i++) {
		struct bw_str slots = {0};
		struct bw_swap_assembled a = {0};
		struct bw_error *err = bw_code_text_slots(c, &slots);
		if (!err)
			err = bw_file_write(path, "wbe", bw_str_text(&slots), slots.len);
		bool is_empty = !slots.len;
		bw_str_free(&slots);
		BW_TRY(err);
		if (is_empty)
			return NULL;
		err = bw_swap_assemble(path, is_wave64, &a);
		if (err && (i == TRIES - 1 || !refuse_errors(c, err->message)))
			return err;
		if (!err)
			bw_code_text_compare(c, a.bytes, a.size_b);
		bool is_done = !err;
		bw_error_free(err);
		free(a.bytes);
		if (is_done)
			return NULL;
	}
	return NULL;
}

static struct bw_error *text_of(const uint8_t *bytes, size_t size_b, unsigned lanes,
				struct bw_str *out, size_t *out_code_b)
{
	struct bw_code_text *c;
	BW_TRY(bw_code_text_create(bytes, size_b, lanes, &c));
	struct bw_error *err = check_text(c, lanes == 64);
	if (!err)
		err = bw_code_text_write(c, out);
	*out_code_b = bw_code_text_size(c);
	bw_code_text_free(c);
	return err;
}

static struct bw_error *save_code(const struct bw_swaps *s, const struct bw_swap_said *e,
				  struct bw_str *said, struct all_written *all)
{
	_cleanup_free_ char *from = NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct bw_str text = {0};
	size_t size_b, code_b = 0;
	if (asprintf(&from, "%s/" BW_SWAP_CODE_FILE ".%u.%u", s->folder->path, e->pid, e->number) <
	    0)
		return bw_error_nomem();
	BW_TRY(read_all(from, &bytes, &size_b));
	struct bw_error *err = text_of(bytes, size_b, e->lanes, &text, &code_b);
	if (err && err->code == BW_E_INVALID) {
		bw_str_add(said, "The code of ");
		bw_str_add_printable(said, bw_swap_name(e), "");
		bw_str_addf(said, " was not saved: %s.\n", err->message);
		bw_error_free(err);
		err = NULL;
	} else if (!err) {
		char *taken = bw_str_take(&text);
		err = taken ? write_text(s, e, code_b, taken, all) : bw_error_nomem();
	}
	bw_str_free(&text);
	return err;
}

/* Whether a later record names the same SPIR-V: a name that came after it. */
static bool is_named_later(const struct bw_swap_events *events, size_t i)
{
	const struct bw_swap_said *e = &events->data[i];
	for (size_t k = i + 1; k < events->len; k++) {
		const struct bw_swap_said *later = &events->data[k];
		if (later->event == BW_SWAP_CREATED && later->hash == e->hash &&
		    (!*e->name || !strcmp(e->name, later->name)))
			return true;
	}
	return false;
}

struct bw_error *bw_swaps_save(const struct bw_swaps *s, const struct bw_swap_events *events,
			       struct bw_str *said, unsigned *out_n)
{
	struct all_written all = {0};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < events->len; i++) {
		const struct bw_swap_said *e = &events->data[i];
		if (e->event == BW_SWAP_CREATED && e->hash && !is_named_later(events, i))
			err = save_spirv(s, e, out_n);
		else if (e->event == BW_SWAP_SAVED)
			err = save_code(s, e, said, &all);
	}
	*out_n += (unsigned)all.len;
	bw_vec_each(&all, w) {
		free(w->stem);
		free(w->text);
	}
	bw_vec_free(&all);
	return err;
}
