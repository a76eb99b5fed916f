/* SPDX-License-Identifier: MIT */
/* The driver's knowledge is in its own objects: RADV keeps, for the life of a shader that it was
 * told to keep the internals of, the text of its NIR and a table from code to source lines
 * (struct radv_shader of radv_shader.h, struct ac_shader_debug_info; doc/hardware/mesa.md 5). Both
 * are found by what they look like, from the pipeline's handle on, since the layout of those
 * objects is not ours. A wrong reading has to find nothing: shaders that were taken from a cache
 * have no table, and other memory that is reached from a pipeline may hold pointers among zeros, as
 * a record does. So a table has to be that of an object that knows where the code is, and each of
 * its records a possible one. */
#include "agent/shaders/shaders.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/memory/peek.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/pipeline.h"

enum {
	PIPELINE_LOOK_B = 1024,
	SHADER_LOOK_B = 4096,
	CODE_LOOK_B = 512, /* of that: where its code lies is near its beginning */
	RECORDS_MAX = 1 << 18,
	RECORDS_PIECE = 64,
	FILE_MAX_B = 4096,
	TEXT_MAX_B = 8 << 20,
	FILES_MAX = 256, /* strings that have been looked at */
	/* more than source files have, less than the halves of a pointer are as numbers */
	LINE_MAX = 1 << 24,
	COLUMN_MAX = 1 << 14,
};

struct bw_spirv_copy {
	unsigned n_refs;
	size_t size_b;
	uint8_t code[];
};

struct shader {
	uint32_t id;
	uint64_t handle;
	struct bw_spirv_copy *spirv;
	struct bw_agent_constant *constants;
	size_t n_constants;
	char *source; /* owned: options, zero, source, zero; NULL: none, or not known which */
	size_t source_b;
	struct bw_capture_bytes record; /* bw_shaders_keep_record */
};

static struct {
	pthread_mutex_t lock;
	struct BW_VEC(struct shader) all;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool bw_shaders_are_wanted(void)
{
	const char *s = getenv(BW_AGENT_SHADER_LINES_ENV);
	return s && !strcmp(s, "1");
}

struct bw_spirv_copy *bw_spirv_copy_new(const void *code, size_t size_b)
{
	struct bw_spirv_copy *c = malloc(sizeof(*c) + size_b);
	if (!c)
		return NULL;
	c->n_refs = 1;
	c->size_b = size_b;
	memcpy(c->code, code, size_b);
	return c;
}

struct bw_spirv_copy *bw_spirv_copy_ref(struct bw_spirv_copy *c)
{
	if (c)
		__atomic_add_fetch(&c->n_refs, 1, __ATOMIC_RELAXED);
	return c;
}

void bw_spirv_copy_unref(struct bw_spirv_copy *c)
{
	if (c && !__atomic_sub_fetch(&c->n_refs, 1, __ATOMIC_ACQ_REL))
		free(c);
}

struct bw_spirv_words bw_shaders_with_notes(const struct bw_spirv_copy *spirv)
{
	struct bw_spirv_words out = {0};
	const char *s = getenv(BW_AGENT_SHADER_NOTES_ENV);
	if (!spirv || !s || strcmp(s, "1") != 0)
		return out;
	/* without notes the shader is what it was */
	bw_error_free(bw_spirv_record((const uint32_t *)(const void *)spirv->code,
				      spirv->size_b / 4, &out));
	return out;
}

static void remove_at(size_t i)
{
	bw_spirv_copy_unref(g.all.data[i].spirv);
	free(g.all.data[i].constants);
	free(g.all.data[i].source);
	bw_vec_free(&g.all.data[i].record);
	bw_vec_remove(&g.all, i);
}

/* Lock held. */
static void forget(uint64_t handle)
{
	for (size_t i = g.all.len; i-- > 0;)
		if (g.all.data[i].handle == handle)
			remove_at(i);
}

void bw_shaders_add(uint32_t id, uint64_t handle, struct bw_spirv_copy *spirv,
		    const struct bw_agent_constant *constants, size_t n_constants)
{
	struct shader s = {.id = id, .handle = handle, .n_constants = n_constants};
	s.constants = calloc(n_constants ? n_constants : 1, sizeof(*constants));
	if (!s.constants)
		return;
	if (n_constants)
		memcpy(s.constants, constants, n_constants * sizeof(*constants));
	pthread_mutex_lock(&g.lock);
	forget(handle);
	struct bw_error *err = bw_vec_push(&g.all, s);
	if (!err)
		g.all.data[g.all.len - 1].spirv = bw_spirv_copy_ref(spirv);
	pthread_mutex_unlock(&g.lock);
	if (err)
		free(s.constants);
	bw_error_free(err);
}

void bw_shaders_source(uint32_t id, const char *options, const char *source)
{
	size_t options_b = strlen(options) + 1, source_b = strlen(source) + 1;
	struct shader new = {.id = id, .source_b = options_b + source_b};
	if (options_b > TEXT_MAX_B || source_b > TEXT_MAX_B || !(new.source = malloc(new.source_b)))
		return;
	memcpy(new.source, options, options_b);
	memcpy(new.source + options_b, source, source_b);
	pthread_mutex_lock(&g.lock);
	struct shader *old = NULL;
	bw_vec_each(&g.all, s)
		if (s->id == id)
			old = s;
	struct bw_error *err = old ? NULL : bw_vec_push(&g.all, new);
	bool keeps = !old && !err;
	if (old && old->source &&
	    (old->source_b != new.source_b || memcmp(old->source, new.source, new.source_b) != 0)) {
		free(old->source);
		old->source = NULL;
		old->source_b = 0;
	}
	pthread_mutex_unlock(&g.lock);
	if (!keeps)
		free(new.source);
	bw_error_free(err);
}

void bw_shaders_keep_record(uint32_t id, struct bw_capture_bytes *bytes)
{
	pthread_mutex_lock(&g.lock);
	bw_vec_each(&g.all, s) {
		if (s->id != id)
			continue;
		struct bw_capture_bytes old = s->record;
		s->record = *bytes;
		*bytes = old;
		break;
	}
	pthread_mutex_unlock(&g.lock);
	bw_vec_free(bytes);
}

static struct bw_error *copy_record(const struct shader *s, struct bw_capture_bytes *out)
{
	BW_TRY(bw_vec_reserve(out, s->record.len + s->spirv->size_b));
	memcpy(out->data, s->record.data, s->record.len);
	out->len = s->record.len;
	return bw_capture_pipeline_add_spirv(out, s->spirv->code, s->spirv->size_b);
}

bool bw_shaders_record(uint32_t id, struct bw_capture_bytes *out)
{
	bool has = false;
	pthread_mutex_lock(&g.lock);
	bw_vec_each(&g.all, s) {
		if (!id || s->id != id || !s->record.len || !s->spirv || s->spirv->size_b % 4 ||
		    s->spirv->size_b > BW_CAPTURE_SPIRV_MAX_B)
			continue;
		struct bw_error *err = out ? copy_record(s, out) : NULL;
		has = !err;
		bw_error_free(err);
		break;
	}
	pthread_mutex_unlock(&g.lock);
	return has;
}

void bw_shaders_remove(uint64_t handle)
{
	pthread_mutex_lock(&g.lock);
	forget(handle);
	pthread_mutex_unlock(&g.lock);
}

void bw_shaders_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
}

/* ---- The driver's objects ---- */

/* struct ac_shader_debug_info of Mesa 25.0 to 26.1. */
struct record {
	uint32_t kind, pad0;
	uint64_t file;
	uint32_t line, column, spirv_offset, pad1, offset, pad2;
};

struct strings {
	struct {
		uint64_t at;
		uint32_t text_at; /* in names; BW_AGENT_NO_LINE: no text */
	} known[FILES_MAX];
	size_t n;
	struct bw_names_blob names;
};

struct found {
	struct BW_VEC(struct bw_agent_line) lines;
	struct strings strings;
	char *nir;
};

/* A name of a file is UTF-8: the bytes of a pointer seldom are. */
static bool is_name(const char *s)
{
	while (*s) {
		size_t n = bw_utf8_length(s);
		if (!n || (unsigned char)*s < ' ' || *s == 0x7f)
			return false;
		s += n;
	}
	return true;
}

static struct bw_error *append(struct bw_names_blob *b, const void *data, size_t size_b)
{
	BW_TRY(bw_vec_reserve(b, b->len + size_b));
	if (size_b)
		memcpy(b->data + b->len, data, size_b);
	b->len += size_b;
	return NULL;
}

/* The file name at an address, as an offset in names; BW_AGENT_NO_LINE: there is none. */
static uint32_t file_at(struct strings *s, uint64_t at)
{
	char text[FILE_MAX_B];
	for (size_t i = s->n; i-- > 0;)
		if (s->known[i].at == at)
			return s->known[i].text_at;
	uint32_t text_at = BW_AGENT_NO_LINE;
	long n = bw_agent_peek_text(at, text, sizeof(text));
	if (n >= 0 && is_name(text)) {
		/* each instruction may have a copy of its own */
		for (size_t i = 0; i < s->n && text_at == BW_AGENT_NO_LINE; i++)
			if (s->known[i].text_at != BW_AGENT_NO_LINE &&
			    !strcmp((const char *)s->names.data + s->known[i].text_at, text))
				text_at = s->known[i].text_at;
		if (text_at == BW_AGENT_NO_LINE) {
			text_at = (uint32_t)s->names.len;
			struct bw_error *err = append(&s->names, text, (size_t)n + 1);
			if (err)
				text_at = BW_AGENT_NO_LINE;
			bw_error_free(err);
			if (!err && s->n < FILES_MAX) {
				s->known[s->n].at = at;
				s->known[s->n++].text_at = text_at;
			}
		}
	}
	return text_at;
}

/* Mesa 25.0 counts from the dword before the code. */
enum { BEFORE_CODE = 0xfffffffc };

static bool is_record(const struct record *r)
{
	return !r->kind && !r->pad0 && !r->pad1 && !r->pad2 && r->offset % 4 == 0 &&
	       (r->offset < 1u << 28 || r->offset == (uint32_t)BEFORE_CODE) &&
	       (r->file || !r->line) && r->line < LINE_MAX && r->column < COLUMN_MAX;
}

/* The name of a record with a line. Mesa 25.0 has none, and may have freed what it points to. */
static uint32_t name_of(struct strings *s, const struct record *r, bool is_older)
{
	static const char none[] = "";
	return file_at(s, is_older ? (uint64_t)(uintptr_t)none : r->file);
}

/* Whether n records lie there, which are added then. Zeros are none: one has a line at least. */
static bool read_table(uint64_t at, uint32_t n, struct found *f)
{
	struct record piece[RECORDS_PIECE];
	bool has_line = false, is_older = false;
	f->lines.len = 0;
	for (uint32_t i = 0; i < n; i += RECORDS_PIECE) {
		size_t count = BW_MIN(n - i, (uint32_t)RECORDS_PIECE),
		       size_b = count * sizeof(*piece);
		if (bw_agent_peek(at + i * sizeof(*piece), piece, size_b) != size_b)
			return false;
		for (size_t k = 0; k < count; k++) {
			const struct record *r = &piece[k];
			struct bw_agent_line line = {.offset_b = r->offset,
						     .line = r->line,
						     .column = r->column,
						     .file_at = BW_AGENT_NO_LINE};
			if (!is_record(r))
				return false;
			is_older |= r->offset == (uint32_t)BEFORE_CODE;
			if (r->file && r->line)
				line.file_at = name_of(&f->strings, r, is_older);
			if (r->file && r->line && line.file_at == BW_AGENT_NO_LINE)
				return false;
			has_line |= r->line > 0;
			struct bw_error *err = bw_vec_push(&f->lines, line);
			bw_error_free(err);
			if (err)
				return false;
		}
	}
	return has_line;
}

static bool is_pointer(uint64_t word)
{
	return word >= 4096 && !(word >> 47);
}

/* The NIR as the driver prints it begins so (nir_print.c). */
static char *read_nir(uint64_t at)
{
	static const char begin[] = "shader: MESA_SHADER_";
	char head[sizeof(begin) + 8] = {0};
	if (bw_agent_peek(at, head, sizeof(head) & ~(size_t)7) < sizeof(begin) - 1 ||
	    strncmp(head, begin, sizeof(begin) - 1) != 0)
		return NULL;
	for (size_t room = 1 << 16; room <= TEXT_MAX_B; room *= 4) {
		char *text = malloc(room);
		if (text && bw_agent_peek_text(at, text, room) >= 0)
			return text;
		free(text);
	}
	return NULL;
}

static void look_at_shader(const uint64_t *w, size_t n, struct found *f)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_pointer(w[i]))
			continue;
		uint32_t count = i + 1 < n ? (uint32_t)w[i + 1] : 0;
		if (!f->nir)
			f->nir = read_nir(w[i]);
		if (!f->lines.len && w[i] % 8 == 0 && count && count <= RECORDS_MAX &&
		    !read_table(w[i], count, f)) {
			f->lines.len = 0;
			f->strings.names.len = f->strings.n = 0;
		}
	}
}

static bool has_word(const uint64_t *w, size_t n, uint64_t va)
{
	for (size_t i = 0; i < n; i++)
		if ((w[i] & BW_VA_MASK) == (va & BW_VA_MASK))
			return true;
	return false;
}

/* code_va: of the shader whose table is wanted; 0: nothing has run it yet, and it cannot be told
 * which object is its. */
static void look_at_pipeline(uint64_t handle, uint64_t code_va, struct found *f)
{
	enum { STAGE_BITS = 7 }; /* of a shader of a graphics pipeline (BW_NAMES_STAGE) */
	uint64_t object[PIPELINE_LOOK_B / 8], shader[SHADER_LOOK_B / 8];
	handle &= ~(uint64_t)STAGE_BITS;
	if (!code_va || !handle || handle % 8 || !is_pointer(handle))
		return;
	size_t n = bw_agent_peek(handle, object, sizeof(object)) / 8;
	for (size_t i = 0; i < n && !f->lines.len; i++) {
		if (object[i] % 8 || !is_pointer(object[i]))
			continue;
		size_t m = bw_agent_peek(object[i], shader, sizeof(shader)) / 8;
		if (has_word(shader, BW_MIN(m, (size_t)CODE_LOOK_B / 8), code_va))
			look_at_shader(shader, m, f);
	}
}

/* ---- The answer ---- */

static struct bw_error *write_answer(const struct shader *s, const struct found *f,
				     struct bw_names_blob *out)
{
	const struct bw_agent_shader_info head = {
		.spirv_b = s->spirv ? (uint32_t)s->spirv->size_b : 0,
		.n_constants = (uint32_t)s->n_constants,
		.n_lines = (uint32_t)f->lines.len,
		.files_b = (uint32_t)f->strings.names.len,
		.nir_b = f->nir ? (uint32_t)strlen(f->nir) + 1 : 0,
		.source_b = (uint32_t)s->source_b};
	BW_TRY(append(out, &head, sizeof(head)));
	BW_TRY(append(out, s->constants, s->n_constants * sizeof(*s->constants)));
	BW_TRY(append(out, f->lines.data, f->lines.len * sizeof(*f->lines.data)));
	BW_TRY(append(out, s->spirv ? s->spirv->code : NULL, head.spirv_b));
	BW_TRY(append(out, f->strings.names.data, head.files_b));
	BW_TRY(append(out, f->nir, head.nir_b));
	return append(out, s->source, head.source_b);
}

int bw_shaders_describe(uint32_t id, struct bw_names_blob *out)
{
	struct found f = {0};
	struct bw_error *err = NULL;
	int result = -ENOENT;
	pthread_mutex_lock(&g.lock);
	bw_vec_each(&g.all, s) {
		if (s->id != id)
			continue;
		look_at_pipeline(s->handle, bw_names_code_of(id), &f);
		err = write_answer(s, &f, out);
		result = err ? -ENOMEM : 0;
		break;
	}
	pthread_mutex_unlock(&g.lock);
	bw_error_free(err);
	bw_vec_free(&f.lines);
	bw_vec_free(&f.strings.names);
	free(f.nir);
	return result;
}
