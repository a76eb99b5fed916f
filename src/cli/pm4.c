/* SPDX-License-Identifier: MIT */
/* breakwater pm4 and breakwater ring: command streams from files, GPU memory and rings as packets,
 * with the indirect buffers that they lead to. */
#include "pm4/describe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/packets.h"
#include "cli/subcommands.h"
#include "cli/vm.h"
#include "pm4/mes.h"

static const char pm4_usage[] =
	"Usage: breakwater pm4 FILE|-|VMID@ADDRESS [--words N] [--sdma] [--fields] [--gfx VERSION]\n"
	"\n"
	"Shows a command stream as packets, with names of registers.\n"
	"FILE has words: hexadecimal in text (lines of a devcoredump or of umr, offsets in front are "
	"dropped), or binary.\n"
	"VMID@ADDRESS reads GPU memory, and follows indirect buffers.\n";
static const char ring_usage[] =
	"Usage: breakwater ring NAME [--all] [--fields] [--no-follow] [--gpu GPU]\n"
	"\n"
	"Shows a ring of the driver (gfx_0.0.0, comp_1.0.0, sdma0) as packets: what is between the "
	"read and the write pointer, or with --all every word. Indirect buffers are followed.\n";

struct pm4_command {
	struct bw_look look;
	bool is_sdma, fields, no_follow, all;
	uint64_t n_words;
	/* of a ring */
	const uint32_t *head; /* read pointer, write pointer; NULL: no ring */
	size_t ring_words;
};

enum { MAX_WORDS = 1 << 22, MAX_IB_WORDS = 1 << 16, MAX_DEPTH = 4 };

/* ---- packets ---- */

static void show_text(struct bw_packets *s, const char *lines, json_t *list)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		if (s->out)
			bw_out_line(s->out, "%*s%.*s", (int)(4 + 4 * s->depth), "", (int)n, lines);
		json_array_append_new(list, json_stringn(lines, n));
		lines += n + (lines[n] == '\n');
	}
}

/* One packet, or `times` equal ones of one word. */
struct row {
	size_t at;
	const char *name;
	uint32_t header, size_dw;
	size_t times;
	const char *text;
};

static void show_packet(struct bw_packets *s, struct row row)
{
	json_t *o = json_object(), *lines = json_array();
	size_t at = s->wrap ? (s->first + row.at) % s->wrap : row.at, times = row.times;
	/* equal words are one row, whichever of them it is */
	bool is_read = s->mark >= at && s->mark - at < times,
	     is_write = s->end && s->end - 1 >= at && s->end - 1 - at < times;
	const char *mark = is_read && is_write ? " <- read and write pointer"
			   : is_read	       ? " <- read pointer"
			   : is_write	       ? " <- write pointer"
					       : "";
	char hex[16];
	if (s->out && times > 1)
		bw_out_line(s->out, "%*s%5zu  0x%08x  %s, %zu times%s", (int)(4 * s->depth), "", at,
			    row.header, row.name, times, mark);
	else if (s->out)
		bw_out_line(s->out, "%*s%5zu  0x%08x  %s%s", (int)(4 * s->depth), "", at,
			    row.header, row.name, mark);
	json_object_set_new(o, "at", json_integer((json_int_t)at));
	json_object_set_new(o, "depth", json_integer(s->depth));
	if (is_read)
		json_object_set_new(o, "read_pointer", json_true());
	if (is_write)
		json_object_set_new(o, "write_pointer", json_true());
	snprintf(hex, sizeof(hex), "0x%08x", row.header);
	json_object_set_new(o, "header", json_string(hex));
	json_object_set_new(o, "name", json_string(row.name));
	json_object_set_new(o, "words", json_integer((json_int_t)row.size_dw));
	if (times > 1)
		json_object_set_new(o, "times", json_integer((json_int_t)times));
	show_text(s, row.text, lines);
	json_object_set_new(o, "text", lines);
	json_array_append_new(s->list, o);
}

static size_t repeats(const uint32_t *dw, size_t n, size_t at)
{
	size_t k = 1;
	while (at + k < n && dw[at + k] == dw[at])
		k++;
	return k;
}

static struct bw_error *follow(struct bw_packets *s, const struct bw_pm4_flow *flow)
{
	uint32_t n = BW_MIN(flow->size_dw, (uint32_t)MAX_IB_WORDS), got = 0;
	if (!s->read || s->depth >= MAX_DEPTH || !n)
		return NULL;
	_cleanup_free_ uint32_t *dw = calloc(n, 4);
	if (!dw)
		return bw_error_nomem();
	got = s->read(s->cookie, flow->vmid ? flow->vmid : s->vmid, flow->va, dw, n);
	struct bw_packets inner = *s;
	inner.depth++;
	inner.vmid = flow->vmid ? flow->vmid : s->vmid;
	inner.mark = SIZE_MAX;
	inner.end = 0;
	inner.first = inner.wrap = 0;
	if (got < n && s->out)
		bw_out_line(s->out, "%*s(%u of its %u words can be read)", (int)(4 * inner.depth),
			    "", got, flow->size_dw);
	return bw_packets_show(&inner, dw, got);
}

static struct bw_error *show_pm4(struct bw_packets *s, const uint32_t *dw, size_t n)
{
	struct bw_pm4_packet p;
	for (size_t at = 0; at < n; at += p.size_dw) {
		struct bw_str text = {0};
		char buf[16];
		if (!bw_pm4_at(dw, n, at, &p)) {
			show_packet(s,
				    (struct row){at, "cut off", dw[at], (uint32_t)(n - at), 1, ""});
			return NULL;
		}
		size_t times = p.size_dw == 1 ? repeats(dw, n, at) : 1;
		bw_pm4_describe(s->names, &p, &text);
		const char *name = p.kind == BW_PM4_TYPE3	? bw_pm4_name(p.op, buf)
				   : p.kind == BW_PM4_TYPE2_PAD ? "PAD"
								: "no packet";
		show_packet(s,
			    (struct row){at, name, p.header, p.size_dw, times, bw_str_text(&text)});
		bw_str_free(&text);
		const struct bw_pm4_flow flow = bw_pm4_flow(&p);
		if (flow.calls)
			BW_TRY(follow(s, &flow));
		at += times - 1;
	}
	return NULL;
}

static struct bw_error *show_sdma(struct bw_packets *s, const uint32_t *dw, size_t n)
{
	struct bw_sdma_packet p;
	for (size_t at = 0; at < n; at += p.size_dw) {
		struct bw_str text = {0};
		char buf[32];
		if (!bw_sdma_at(dw, n, at, &p)) {
			show_packet(s,
				    (struct row){at, "cut off", dw[at], (uint32_t)(n - at), 1, ""});
			return NULL;
		}
		size_t times = p.size_dw == 1 ? repeats(dw, n, at) : 1;
		bw_sdma_describe(&p, &text);
		show_packet(s, (struct row){at, bw_sdma_name(p.header, buf), p.header, p.size_dw,
					    times, bw_str_text(&text)});
		bw_str_free(&text);
		const struct bw_pm4_flow flow = bw_sdma_flow(&p);
		if (flow.calls)
			BW_TRY(follow(s, &flow));
		at += times - 1;
	}
	return NULL;
}

static void show_mes(struct bw_packets *s, const uint32_t *dw, size_t n)
{
	for (size_t at = 0; at < n; at += BW_MES_FRAME_DW) {
		size_t size = BW_MIN(n - at, (size_t)BW_MES_FRAME_DW);
		struct bw_str text = {0};
		bw_mes_describe(dw + at, size, &text);
		show_packet(s, (struct row){at, bw_mes_name(dw[at]), dw[at], (uint32_t)size, 1,
					    bw_str_text(&text)});
		bw_str_free(&text);
	}
}

struct bw_error *bw_packets_show(struct bw_packets *s, const uint32_t *dw, size_t n)
{
	if (s->is_mes) {
		show_mes(s, dw, n);
		return NULL;
	}
	return s->is_sdma ? show_sdma(s, dw, n) : show_pm4(s, dw, n);
}

/* ---- GPU memory ---- */

/* The address space that was used last, which stays open during a command. */
struct spaces {
	struct bw_look *l;
	struct bw_look_vm vm;
	bool is_open;
	unsigned vmid;
};

static uint32_t read_space(void *cookie, unsigned vmid, uint64_t va, uint32_t *dw, uint32_t n)
{
	struct spaces *s = cookie;
	if (!s->is_open || s->vmid != vmid) {
		if (s->is_open)
			bw_look_vm_close(&s->vm);
		memset(&s->vm, 0, sizeof(s->vm));
		s->is_open = true;
		s->vmid = vmid;
		struct bw_error *err = bw_look_vm_open(s->l, vmid, &s->vm);
		if (err) {
			bw_error_free(err);
			bw_look_vm_close(&s->vm);
			s->is_open = false;
			return 0;
		}
	}
	return (uint32_t)(bw_look_vm_bytes(&s->vm, va, dw, (size_t)n * 4) / 4);
}

struct bw_error *bw_packets_read(const char *path, struct bw_pm4_words *words)
{
	struct bw_str bytes = {0};
	char chunk[65536];
	size_t got;
	bool is_stdin = !strcmp(path, "-");
	FILE *f = is_stdin ? stdin : fopen(path, "re");
	if (!f)
		return bw_error_errno(errno, "cannot open %s", path);
	while (bytes.len < MAX_WORDS * 16ul && (got = fread(chunk, 1, sizeof(chunk), f)) > 0)
		bw_str_addn(&bytes, chunk, got);
	struct bw_error *err = ferror(f) ? bw_error_errno(errno, "reading %s", path) : NULL;
	if (!is_stdin)
		fclose(f);
	if (!err)
		err = bytes.failed
			      ? bw_error_nomem()
			      : bw_pm4_read_words(bw_str_text(&bytes), bytes.len, MAX_WORDS, words);
	bw_str_free(&bytes);
	return err;
}

static struct bw_error *read_place(struct pm4_command *c, struct spaces *s, const char *place,
				   struct bw_pm4_words *words, unsigned *out_vmid)
{
	uint64_t va;
	BW_TRY(bw_look_live_place(s->l, place, true, out_vmid, &va));
	uint32_t n = (uint32_t)BW_MIN(c->n_words ? c->n_words : 64, (uint64_t)MAX_IB_WORDS);
	BW_TRY(bw_vec_reserve(words, n));
	words->len = read_space(s, *out_vmid, va, words->data, n);
	return words->len
		       ? NULL
		       : bw_errorf(BW_E_NOT_FOUND,
				   "nothing can be read at %s: \"breakwater vm walk %s\" says why",
				   place, place);
}

#define FIELDS {"--fields", NULL, "fields of registers, too", BW_FLAG(struct pm4_command, fields)}
#define NO_FOLLOW                                                                                  \
	{"--no-follow", NULL, "leaves indirect buffers alone",                                     \
	 BW_FLAG(struct pm4_command, no_follow)}

static const struct bw_option pm4_rows[] = {
	{"--words", "N", "how many words to read at VMID@ADDRESS (64)",
	 BW_U64(struct pm4_command, n_words, 0, UINT64_MAX)},
	{"--sdma", NULL, "packets of the copy engine", BW_FLAG(struct pm4_command, is_sdma)},
	FIELDS,
	NO_FOLLOW,
	BW_LOOK_GFX,
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_pm4 = {
	.name = "breakwater pm4",
	.usage = pm4_usage,
	.groups = {{"Options:", pm4_rows}},
	.word = bw_look_take_word,
};

static const struct bw_option ring_rows[] = {
	{"--all", NULL, "every word", BW_FLAG(struct pm4_command, all)},
	FIELDS,
	NO_FOLLOW,
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_ring = {
	.name = "breakwater ring",
	.usage = ring_usage,
	.groups = {{"Options:", ring_rows}},
	.word = bw_look_take_word,
};

static struct bw_error *names_of(struct pm4_command *c, struct bw_pm4_names *names)
{
	static const uint32_t gfx11 = BW_IP_VERSION(11, 0, 0);
	BW_TRY(bw_pm4_names_of(c->look.has_part ? c->look.part.gc : gfx11, names));
	names->fields = c->fields;
	return NULL;
}

static struct bw_error *show_words(struct pm4_command *c, struct bw_packets *p, const char *command,
				   const uint32_t *dw, size_t n)
{
	p->out = c->look.out;
	p->list = json_array();
	p->is_sdma = c->is_sdma;
	bw_out_begin(c->look.out, "command", command);
	if (c->head) {
		bw_out_line(c->look.out, "%s: read pointer %u, write pointer %u, %zu words",
			    c->look.words[0], c->head[0], c->head[1], c->ring_words);
		bw_out_str(c->look.out, "ring", c->look.words[0]);
		bw_out_int(c->look.out, "read_pointer", c->head[0]);
		bw_out_int(c->look.out, "write_pointer", c->head[1]);
		bw_out_int(c->look.out, "size", (int64_t)c->ring_words);
	}
	struct bw_error *err = bw_packets_show(p, dw, n);
	if (err) {
		json_decref(p->list);
		bw_out_drop(c->look.out);
		return err;
	}
	if (!n)
		bw_out_line(c->look.out, "There is nothing between the pointers.");
	else if (c->head && !c->all)
		bw_out_line(c->look.out, "%5u  <- write pointer", c->head[1]);
	bw_out_json(c->look.out, "packets", p->list);
	bw_out_end(c->look.out);
	return NULL;
}

static struct bw_error *run_pm4(struct bw_look *l)
{
	struct pm4_command *c = l->cookie;
	struct bw_pm4_names names;
	struct bw_packets p = {.names = &names, .mark = SIZE_MAX};
	struct spaces s = {.l = l};
	struct bw_pm4_words words = {0};
	unsigned vmid = 0;
	if (l->n_words != 1)
		return bw_errorf(BW_E_INVALID, "pm4 wants one FILE or VMID@ADDRESS");
	BW_TRY(names_of(c, &names));
	bool is_place = strchr(l->words[0], '@') != NULL;
	struct bw_error *err = is_place ? read_place(c, &s, l->words[0], &words, &vmid)
					: bw_packets_read(l->words[0], &words);
	if (!err && !words.len)
		err = bw_errorf(BW_E_INVALID, "there are no hexadecimal words in %s", l->words[0]);
	if (is_place && !c->no_follow) {
		p.read = read_space;
		p.cookie = &s;
		p.vmid = vmid;
	}
	if (!err)
		err = show_words(c, &p, "pm4", words.data, words.len);
	if (s.is_open)
		bw_look_vm_close(&s.vm);
	bw_vec_free(&words);
	return err;
}

/* ---- rings ---- */

static struct bw_error *read_ring(struct bw_look *l, const char *name, struct bw_pm4_words *words)
{
	char path[64];
	struct bw_kmd *kmd;
	struct bw_kmd_file *f;
	uint32_t chunk[1024];
	size_t done = 1;
	snprintf(path, sizeof(path), "amdgpu_ring_%s", name);
	BW_TRY(bw_kmd_open(l->gpu, &kmd));
	struct bw_error *err = bw_kmd_file_open(kmd, path, false, &f);
	for (uint64_t pos = 0; !err && done && words->len < MAX_WORDS; pos += done) {
		err = bw_kmd_file_read(f, pos, chunk, sizeof(chunk), &done);
		for (size_t i = 0; !err && i < done / 4; i++)
			err = bw_vec_push(words, chunk[i]);
		if (err)
			bw_kmd_file_close(f);
	}
	if (!err)
		bw_kmd_file_close(f);
	bw_kmd_close(kmd);
	return bw_error_wrap(err, "ring %s (\"breakwater queues\" lists the rings)", name);
}

static struct bw_error *run_ring(struct bw_look *l)
{
	struct pm4_command *c = l->cookie;
	struct bw_pm4_names names;
	struct bw_packets p = {.names = &names, .mark = SIZE_MAX};
	struct spaces s = {.l = l};
	struct bw_pm4_words words = {0};
	enum { HEAD = 3 };
	if (l->n_words != 1)
		return bw_errorf(BW_E_INVALID,
				 "ring wants the name of a ring (gfx_0.0.0, sdma0, ...)");
	c->is_sdma |= bw_starts_with(l->words[0], "sdma");
	BW_TRY(names_of(c, &names));
	struct bw_error *err = read_ring(l, l->words[0], &words);
	if (!err && words.len <= HEAD)
		err = bw_errorf(BW_E_INVALID, "ring %s is empty", l->words[0]);
	if (err) {
		bw_vec_free(&words);
		return err;
	}
	size_t n = words.len - HEAD;
	uint32_t *ring = words.data + HEAD, *head = words.data;
	size_t from = head[0] % n, to = head[1] % n, len = c->all ? n : (to + n - from) % n;
	_cleanup_free_ uint32_t *dw = calloc(len + 1, 4);
	for (size_t i = 0; dw && i < len; i++)
		dw[i] = ring[c->all ? i : (from + i) % n];
	if (!dw)
		err = bw_error_nomem();
	c->head = head;
	c->ring_words = n;
	if (!c->no_follow) {
		p.read = read_space;
		p.cookie = &s;
	}
	p.mark = from;
	p.end = c->all ? to + 1 : 0;
	p.first = c->all ? 0 : from;
	p.wrap = n;
	if (!err)
		err = show_words(c, &p, "ring", dw, len);
	if (s.is_open)
		bw_look_vm_close(&s.vm);
	bw_vec_free(&words);
	return err;
}

int bw_main_pm4(int argc, char **argv)
{
	struct pm4_command c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_pm4, argc, argv, run_pm4);
}

int bw_main_ring(int argc, char **argv)
{
	struct pm4_command c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_ring, argc, argv, run_ring);
}
