/* SPDX-License-Identifier: MIT */
#ifndef BW_REPORT_REPORT_PRIV_H
#define BW_REPORT_REPORT_PRIV_H

#include "page/page.h"
#include "pm4/describe.h"
#include "report/report.h"
#include "debug/dispatches.h"
#include "image/picture.h"
#include "ui/out.h"

/* The limits of a page. */
enum {
	BW_REPORT_PACKETS = 3000, /* of all rings and IBs */
	BW_REPORT_LINES = 12000,  /* below packets: registers and words */
	BW_REPORT_REGISTERS = 4000,
	BW_REPORT_WAVES = 4096,
	BW_REPORT_WAVE_STATES = 256, /* waves with all of their registers */
	BW_REPORT_VGPR_WORDS = 1 << 17,
	BW_REPORT_EVENTS = 600,
	BW_REPORT_PLACES = 200,	       /* groups of waves at one place */
	BW_REPORT_SOURCE_LINES = 3000, /* of all files, and of instructions */
	BW_REPORT_FILES = 12,
	BW_REPORT_FUNCTIONS = 12,
	BW_REPORT_BUFFERS = 64,
	BW_REPORT_BUFFER_B = 64 << 10,	 /* of each buffer */
	BW_REPORT_BUFFERS_B = 512 << 10, /* of all of them */
	BW_REPORT_PICTURE = 1024,	 /* texels on a side */
	BW_REPORT_PICTURES_B = 1 << 20,	 /* PNG of all of them */
};

/* Packets and their lines, so far; names of registers for them. */
struct bw_report_packets {
	const struct bw_pm4_names *names;
	bool is_sdma, is_mes;
	const uint32_t *dw;
	/* first: place of the first word; wrap: number of the ring's words */
	size_t n, first, wrap;
	size_t mark;	 /* place of the marked packet; SIZE_MAX: none */
	const char *why; /* the text at the mark */
	/* the note beside a packet at that place, or NULL; NULL: no notes */
	const char *(*note)(void *cookie, size_t at);
	void *cookie;
};
struct bw_report_room {
	/* what has been written so far */
	size_t packets, lines, registers, vgpr_words, pictures_b, buffers_b;
};
void bw_report_packets(struct bw_page *page, struct bw_report_room *room,
		       const struct bw_report_packets *s);

/* ---- crash.c, crash_streams.c, crash_waves.c: of files ---- */

struct bw_crash_page {
	const struct bw_crash *crash;
	const struct bw_gpuvm_part *part;
	struct bw_page page;
	struct bw_report_room room;
};
void bw_report_crash_verdict(struct bw_crash_page *p);
/* Writes faults, the origin of the files, and command streams. */
struct bw_error *bw_report_crash_begin(struct bw_crash_page *p) BW_MUST_CHECK;
struct bw_error *bw_report_crash_waves(struct bw_crash_page *p) BW_MUST_CHECK;
/* arch: NULL if it is not known. */
struct bw_error *bw_report_crash_map(struct bw_crash_page *p,
				     const struct bw_arch *arch) BW_MUST_CHECK;
/* Writes the log, registers of the GPU, and what is damaged. */
void bw_report_crash_end(struct bw_crash_page *p);
struct bw_error *bw_report_crash_streams(struct bw_crash_page *p, const struct bw_crash_dump *d,
					 const struct bw_gpuvm_part *part) BW_MUST_CHECK;

/* ---- session*.c: of a session that is stopped ---- */

struct bw_report_session {
	const struct bw_report *report;
	struct bw_debug *debug;
	/* the dispatch that the page is about; 0: none */
	uint32_t dispatch;
	struct bw_page *page;
	struct bw_report_room *room;
};
void bw_report_session_summary(struct bw_report_session *s);
struct bw_error *bw_report_session_waves(struct bw_report_session *s) BW_MUST_CHECK;
void bw_report_session_fault(struct bw_report_session *s);
struct bw_error *bw_report_session_code(struct bw_report_session *s) BW_MUST_CHECK;
/* Writes the focus wave: frames, variables, lanes, and registers of it and of other waves. */
void bw_report_session_lanes(struct bw_report_session *s);
struct bw_error *bw_report_session_registers(struct bw_report_session *s) BW_MUST_CHECK;
struct bw_error *bw_report_session_stream(struct bw_report_session *s) BW_MUST_CHECK;
struct bw_error *bw_report_session_buffers(struct bw_report_session *s) BW_MUST_CHECK;
/* Writes the draws, and the attachments as pictures; nothing where nothing was drawn. */
void bw_report_session_draws(struct bw_report_session *s);
/* A picture, if the page has room for it. */
void bw_report_picture(struct bw_report_session *s, const struct bw_picture *p,
		       const char *caption);

/* Prints a command's text, which is used as lines; an error is shown by its text. The caller frees
 * it. */
typedef struct bw_error *bw_report_say_fn(struct bw_out *o, struct bw_debug *d, void *cookie);
char *bw_report_said(struct bw_debug *d, bw_report_say_fn *say, void *cookie);

#endif
