/* SPDX-License-Identifier: MIT */
/* umr -R, -RS, -di, -df: rings, IBs and files of packets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/packets.h"
#include "cli/umr/umr.h"
#include "pm4/mes.h"

/* umr's numbers of decoders. */
enum { PM_MES = '2', PM_SDMA = '3', PM_PM4 = '4' };

static void print_place(const struct bw_umr_stream *s, size_t at)
{
	if (s->ring)
		printf("[%s][%5zu] ", s->ring, at % s->ring_words);
	else
		printf("[%u@0x%" PRIx64 " + 0x%04zx] ", s->vmid, s->address, 4 * at);
}

static void print_packet(const struct bw_umr_stream *s, const uint32_t *dw, size_t at, size_t n_dw,
			 const char *name)
{
	for (size_t i = at; i < at + n_dw; i++) {
		print_place(s, i);
		printf("0x%08x%s%s\n", dw[i], i == at && *name ? "  " : "", i == at ? name : "");
	}
}

/* Prints one packet and its fields; returns its number of words. */
static size_t print_one(const struct bw_umr_stream *s, const struct bw_pm4_names *names, char pm,
			const uint32_t *dw, size_t at)
{
	struct bw_pm4_packet pm4;
	struct bw_sdma_packet sdma;
	struct bw_str text = {0};
	char buf[32];
	const char *name = "no packet";
	size_t size = 0;
	if (pm == PM_MES) {
		size = BW_MIN(s->end - at, (size_t)BW_MES_FRAME_DW);
		name = bw_mes_name(dw[at]);
		bw_mes_describe(dw + at, size, &text);
	} else if (pm == PM_PM4 && bw_pm4_at(dw, s->end, at, &pm4)) {
		size = pm4.size_dw;
		name = pm4.kind == BW_PM4_TYPE3 ? bw_pm4_name(pm4.op, buf) : "";
		bw_pm4_describe(names, &pm4, &text);
	} else if (pm == PM_SDMA && bw_sdma_at(dw, s->end, at, &sdma)) {
		size = sdma.size_dw;
		name = bw_sdma_name(sdma.header, buf);
		bw_sdma_describe(&sdma, &text);
	}
	size = size ? size : 1;
	print_packet(s, dw, at, size, name);
	for (const char *line = bw_str_text(&text); *line;) {
		size_t n = strcspn(line, "\n");
		printf("\t%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
	bw_str_free(&text);
	return size;
}

struct bw_error *bw_umr_packets(struct bw_umr *u, const struct bw_umr_stream *s, const uint32_t *dw,
				const char *pm)
{
	static const struct {
		const char *pm, *what;
	} others[] = {{"1", "VPE"},
		      {"5", "UMSCH"},
		      {"6", "HSA"},
		      {"7", "VCN decode"},
		      {"8", "VCN encode"}};
	struct bw_pm4_names names;
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
		if (!strcmp(pm, others[i].pm))
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"%s packets (%s) are not known here: PM4 (4), SDMA (3) and "
				"MES (2) are",
				others[i].what, pm);
	if (strcmp(pm, "4") != 0 && strcmp(pm, "3") != 0 && strcmp(pm, "2") != 0)
		return bw_errorf(BW_E_INVALID, "%s is not a kind of packet: 4 PM4, 3 SDMA, 2 MES",
				 pm);
	BW_TRY(bw_pm4_names_of(u->gpu.part.gc, &names));
	for (size_t at = s->begin; at < s->end;)
		at += print_one(s, &names, *pm, dw, at);
	return NULL;
}

struct bw_error *bw_umr_dump_file(struct bw_umr *u, const char *path, const char *pm)
{
	enum { RING_HEAD_DW = 3 };
	struct bw_pm4_words words = {0};
	size_t n = strlen(path), skip = n > 5 && !strcmp(path + n - 5, ".ring") ? RING_HEAD_DW : 0;
	struct bw_error *err = bw_packets_read(path, &words);
	if (!err && words.len <= skip)
		err = bw_errorf(BW_E_INVALID, "%s has no words", path);
	if (!err) {
		const struct bw_umr_stream s = {.end = words.len - skip};
		err = bw_umr_packets(u, &s, words.data + skip, pm);
	}
	bw_vec_free(&words);
	return err;
}

/* ---- rings ---- */

struct ring {
	char name[48];
	uint32_t read, write, driver_write, n; /* pointers and size, in words */
	uint32_t *dw;			       /* twice, so that no packet is cut; owned */
};

static void free_ring(struct ring *r)
{
	free(r->dw);
}

static struct bw_error *read_ring(struct bw_umr *u, struct ring *r)
{
	char file[64];
	struct bw_str bytes = {0};
	enum { HEAD_DW = 3 };
	uint32_t head[HEAD_DW];
	snprintf(file, sizeof(file), "amdgpu_ring_%s", r->name);
	struct bw_error *err = bw_kmd_text(u->kmd, file, &bytes);
	if (!err && bytes.len <= sizeof(head))
		err = bw_errorf(BW_E_INVALID, "ring %s is empty", r->name);
	if (!err) {
		memcpy(head, bw_str_text(&bytes), sizeof(head));
		r->n = (uint32_t)(bytes.len - sizeof(head)) / 4;
		r->read = head[0];
		r->write = head[1];
		r->driver_write = head[2];
		r->dw = r->n ? calloc(2 * (size_t)r->n, 4) : NULL;
		if (!r->dw)
			err = bw_error_nomem();
	}
	if (!err) {
		memcpy(r->dw, bw_str_text(&bytes) + sizeof(head), r->n * 4ul);
		memcpy(r->dw + r->n, r->dw, r->n * 4ul);
	}
	bw_str_free(&bytes);
	return err;
}

/* "[FROM:TO]": words of the ring, from 0 to twice its size. A "." is the read pointer in front and
 * the write pointer after that; of "K:." and ".:K" the other is K words before or after it. */
static struct bw_error *parse_range(const struct ring *r, const char *text, size_t *out_begin,
				    size_t *out_end)
{
	char from[16] = "", to[16] = "", close = 0, rest;
	size_t read = r->read % r->n, write = r->write % r->n;
	if (!strcmp(text, "[.]"))
		text = "[.:.]";
	if (sscanf(text, "[%15[0-9.]:%15[0-9.]%c%c", from, to, &close, &rest) != 3 || close != ']')
		return bw_errorf(BW_E_INVALID,
				 "%s is not a range of words: [0:16], [.:.], [.:16] or [16:.]",
				 text);
	bool from_dot = !strcmp(from, "."), to_dot = !strcmp(to, ".");
	size_t a = strtoul(from, NULL, 10), b = strtoul(to, NULL, 10);
	if ((!from_dot && a >= r->n) || (!to_dot && b >= r->n))
		return bw_errorf(BW_E_INVALID, "ring %s has %u words", r->name, r->n);
	if (to_dot && !from_dot) {
		*out_end = write + (write < a ? r->n : 0);
		*out_begin = *out_end - a;
	} else {
		*out_begin = from_dot ? read : a;
		*out_end = from_dot && to_dot ? (write < read ? write + r->n : write)
			   : from_dot	      ? read + b
					      : b + 1; /* the last word is shown, too */
	}
	if (*out_end < *out_begin)
		return bw_errorf(BW_E_INVALID, "%s ends before it begins", text);
	return NULL;
}

static void print_words(const struct ring *r, size_t begin, size_t end)
{
	for (size_t at = begin; at < end; at++) {
		uint32_t i = (uint32_t)(at % r->n);
		printf("   %s.ring[%5u] == 0x%08x    %s%s%s\n", r->name, i, r->dw[i],
		       i == r->read ? "r" : ".", i == r->write ? "w" : ".",
		       i == r->driver_write ? "D" : ".");
	}
}

struct bw_error *bw_umr_ring(struct bw_umr *u, const char *text, bool packets)
{
	_cleanup_(free_ring) struct ring r = {0};
	const char *range = strchr(text, '[');
	size_t begin = 0, end;
	snprintf(r.name, sizeof(r.name), "%.*s", (int)strcspn(text, "["), text);
	BW_TRY(read_ring(u, &r));
	end = r.n;
	if (range || packets)
		BW_TRY(parse_range(&r, range ? range : "[.]", &begin, &end));
	printf("%s.rptr == %u\n%s.wptr == %u\n%s.drv_wptr == %u\n", r.name, r.read, r.name, r.write,
	       r.name, r.driver_write);
	if (!packets) {
		print_words(&r, begin, end);
		return NULL;
	}
	const struct bw_umr_stream s = {
		.ring = r.name, .ring_words = r.n, .begin = begin, .end = end};
	return bw_umr_packets(u, &s, r.dw,
			      bw_starts_with(r.name, "sdma")  ? "3"
			      : bw_starts_with(r.name, "mes") ? "2"
							      : "4");
}
