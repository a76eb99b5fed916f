/* SPDX-License-Identifier: MIT */
#ifndef BW_BISECT_BISECT_H
#define BW_BISECT_BISECT_H

/* The first submission of a capture with which its replay is bad, in it the first dispatch or
 * packet, and the smallest capture that still shows it. Each try is a replay in a process of its
 * own. Prints nothing: a listener hears of each try. One thread. */

#include <jansson.h>

#include "base/folder.h"
#include "base/str.h"
#include "capture/reader.h"
#include "pm4/walk.h"

enum bw_bisect_verdict { BW_BISECT_GOOD, BW_BISECT_BAD, BW_BISECT_SKIP };

/* A buffer whose memory the user's command gets, as it was typed: its number or an address. */
struct bw_bisect_buffer {
	uint64_t what;
	char text[24];
};

struct bw_bisect_override {
	const char *value; /* N[.IB]=FILE */
	uint32_t number;   /* N */
};

struct bw_bisect;

/* Who shows a search. what: a try in words ("all submissions"), borrowed for the call. */
struct bw_bisect_listener {
	void *cookie;
	void (*begins)(void *cookie, const struct bw_bisect *b, const char *what);
	void (*ended)(void *cookie, const struct bw_bisect *b, const char *what,
		      enum bw_bisect_verdict verdict);
	/* A line for the user, without its newline. */
	void (*says)(void *cookie, const char *line);
	/* The user's command is about to run, which may print. */
	void (*runs_command)(void *cookie);
};

struct bw_bisect {
	struct bw_bisect_listener listener;
	/* the program whose word "replay" replays */
	const char *breakwater;
	const char *file, *timeout;
	const char *gpu; /* replay's --gpu, or NULL */
	/* What is bad. None of them: whatever fails or hangs. differs: these, too. */
	const char *command; /* for sh; NULL: none */
	bool hang, fault, differs;
	struct BW_VEC(struct bw_bisect_buffer) buffers;
	/* What each try replays in the place of what was captured: values of replay's options. */
	struct BW_VEC(struct bw_bisect_override) overrides;
	struct BW_VEC(const char *) shaders;
	bool has_said_shaders, is_damaged;
	struct bw_folder folder;  /* where their memory is put */
	uint32_t smallest_tries;  /* at most so many for the smallest capture */
	bool is_stopped;	  /* by the command */
	unsigned n_tries, n_left; /* that are done; that are still expected */
};
void bw_bisect_fini(struct bw_bisect *b);

/* What of the capture is replayed. */
struct bw_bisect_part {
	uint32_t first, last; /* submissions; first 0: from the first of all */
	enum { BW_BISECT_WHOLE, BW_BISECT_DISPATCHES, BW_BISECT_PACKETS } limit;
	uint32_t n; /* so many of the last submission */
};

/* What a try has shown. */
struct bw_bisect_outcome {
	enum bw_bisect_verdict verdict;
	uint32_t number;      /* of the submission that fails or differs; else the last one */
	bool differs, failed; /* failed: or hangs; also where that is not what is looked for */
	char how[200];	      /* of one that is bad or has failed, as the end of a sentence */
	json_t *answer;	      /* of the replay; owned */
};

/* ---- search.c ---- */

struct bw_bisect_found {
	uint32_t number; /* 0: nothing is bad */
	char how[200];
	bool differs;
	char replayed[64]; /* differs: the first bytes that do, in the replay */
	enum bw_bisect_where {
		BW_BISECT_SUBMISSION,  /* as a whole: alone it is good, or nothing more is known */
		BW_BISECT_DISPATCH,    /* its dispatch `dispatch` */
		BW_BISECT_PACKET,      /* its packet `packet`, which is none of its dispatches */
		BW_BISECT_NO_DISPATCH, /* also without any dispatch; its packets are not known */
		BW_BISECT_BEFORE,      /* before its first packet */
		BW_BISECT_NOT_WRITTEN, /* differs: it writes none of the bytes that differ */
		BW_BISECT_OVERRIDE,    /* of --override: its packets are not looked at */
	} where;
	bool is_good_alone;
	size_t dispatch, packet, n_packets;
	size_t n_unsure; /* so many in front of it may be it as well: the command skipped them */
	uint32_t n_unsure_submissions;
	struct bw_pm4_step step;
	char other[240]; /* what was seen that is not looked for; "": nothing */
};
/* b->folder is there. s: the record of the submission found, ended by the caller, after an error,
 * too. */
struct bw_error *bw_bisect_search(struct bw_bisect *b, struct bw_capture_reader *r,
				  struct bw_bisect_found *out,
				  struct bw_capture_submission *s) BW_MUST_CHECK;

/* Tells the listener, and counts: for smallest.c. */
void bw_bisect_begins(const struct bw_bisect *b, const char *what);
void bw_bisect_ended(struct bw_bisect *b, const char *what, enum bw_bisect_verdict verdict);

/* ---- smallest.c ---- */

/* What a smaller capture has, and what the one that it was made of has. */
struct bw_bisect_smallest {
	uint64_t size_b, all_b;
	size_t n_submissions, all_submissions;
	size_t n_dispatches, all_dispatches; /* of the submission found, with its draws */
	const char *kinds;		     /* bw_capture_work_name of them */
	size_t n_written_dispatches;	     /* of all submissions */
	size_t n_buffers, all_buffers;
	size_t n_pages, all_pages; /* before it, that are not zero */
};
/* Writes it to path, by tries of its own. f, s: what the search has found. */
struct bw_error *bw_bisect_smallest(struct bw_bisect *b, struct bw_capture_reader *r,
				    const struct bw_bisect_found *f,
				    const struct bw_capture_submission *s, const char *path,
				    struct bw_bisect_smallest *out) BW_MUST_CHECK;

/* ---- try.c ---- */

/* One replay, judged. What the user's command writes goes to standard error. out: freed by
 * json_decref(out->answer). */
struct bw_error *bw_bisect_try(struct bw_bisect *b, const struct bw_bisect_part *part,
			       struct bw_bisect_outcome *out) BW_MUST_CHECK;

/* ---- command.c ---- */

/* The user's command; buffers that it names ({buffer:4}, {buffer:0x100006000}) become b->buffers.
 */
struct bw_error *bw_bisect_set_command(struct bw_bisect *b, const char *command) BW_MUST_CHECK;
/* One more buffer, by its number or an address in it. */
struct bw_error *bw_bisect_add_buffer(struct bw_bisect *b, const char *text) BW_MUST_CHECK;
/* Where its memory is put; false: the name is too long. */
bool bw_bisect_buffer_path(const struct bw_bisect *b, const struct bw_bisect_buffer *buffer,
			   char *out, size_t room);
/* Runs it after a replay. status: the replay's; out->how is what the replay has said. Sets the
 * verdict, and how where that is bad. */
struct bw_error *bw_bisect_run_command(struct bw_bisect *b, const struct bw_bisect_part *part,
				       int status, struct bw_bisect_outcome *out) BW_MUST_CHECK;

/* ---- steps.c ---- */

/* The packets of a submission as the capture has them; BW_E_UNSUPPORTED: of a ring whose packets
 * are not known. Freed by the caller, after an error, too. */
struct bw_error *bw_bisect_steps(struct bw_capture_reader *r, uint32_t number,
				 struct bw_pm4_steps *out) BW_MUST_CHECK;
/* What one of them does, in words; lines, each with its newline, or "". */
struct bw_error *bw_bisect_describe(struct bw_capture_reader *r, uint32_t number,
				    const struct bw_pm4_step *s, struct bw_str *out) BW_MUST_CHECK;
/* The numbers of the submissions after which all of b->buffers are there: those of the address
 * space of the last one that has them. All, where no buffer is named. */
struct bw_bisect_numbers BW_VEC(uint32_t);
struct bw_error *bw_bisect_candidates(struct bw_bisect *b, struct bw_capture_reader *r,
				      struct bw_bisect_numbers *out) BW_MUST_CHECK;

#endif
