/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_OUT_H
#define BW_UI_OUT_H

/* Where a command's output goes. In text, lines appear as they are made. With --json, each command
 * (and each event) becomes one JSON object on one line: {"type": "answer", "command": ..., facts}
 * or {"type": "event", "event": ..., facts}. A command writes both, lines for people and facts for
 * programs, and the mode selects; an object without facts gets the lines ("lines"). doc/json.md
 * describes the objects, json.schema.json (of doc/json.schema.in) is their schema. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "ui/sink.h"
#include "ui/table.h"

struct bw_out;

/* Makes an output to f, which is borrowed. */
struct bw_error *bw_out_create(FILE *f, bool json, struct bw_out **out) BW_MUST_CHECK;
void bw_out_destroy(struct bw_out *o);
bool bw_out_is_json(const struct bw_out *o);

/* From here on o writes to f (borrowed) in that mode, and to its log as before. bw_out_restore ends
 * the objects that are open, and frees `kept`. */
struct bw_error *bw_out_divert(struct bw_out *o, FILE *f, bool json,
			       struct bw_out **kept) BW_MUST_CHECK;
void bw_out_restore(struct bw_out *o, struct bw_out *kept);

/* A request is one line of input: objects between begin and end carry its id, and end makes the
 * last one, which says whether it succeeded. id: an integer or a string (taken). Requests do not
 * nest. In text mode only an error is shown. */
void bw_out_begin_request(struct bw_out *o, json_t *id);
bool bw_out_in_request(const struct bw_out *o);
void bw_out_end_request(struct bw_out *o, const struct bw_error *err);

/* kind: "command" or "event". Objects nest: an event inside a command is an object of its own. */
void bw_out_begin(struct bw_out *o, const char *kind, const char *name);
void bw_out_end(struct bw_out *o);
/* Like bw_out_end, but drops the object, because its facts could not be read. */
void bw_out_drop(struct bw_out *o);

/* A member that names the kind of answer, as "what" of info; it does not count as one of its
 * facts. */
void bw_out_name(struct bw_out *o, const char *key, const char *value);
/* on: from here on facts are left out, so that the object has lines for people. */
void bw_out_lines_only(struct bw_out *o, bool on);

/* Writes a line for people. Names in it may be a program's: control characters except newline and
 * tab are written as \ooo. */
void bw_out_line(struct bw_out *o, const char *fmt, ...) BW_PRINTF(2, 3);
/* Writes a line that is not a sentence: source, an instruction. */
void bw_out_painted(struct bw_out *o, enum bw_paint kind, const char *fmt, ...) BW_PRINTF(3, 4);
void bw_out_text(struct bw_out *o, const char *text); /* without a newline of its own */
void bw_out_raw(struct bw_out *o, const char *text);  /* text of the user's own: every byte
						       * unchanged */
/* Writes text to another stream, with control characters as in bw_out_line. */
void bw_out_printable(FILE *f, const char *text);
void bw_out_flush(struct bw_out *o);
/* The sink of o, for pages, colours and log; its f must not be changed. */
struct bw_sink *bw_out_sink(struct bw_out *o);

/* Adds a fact for programs. */
void bw_out_str(struct bw_out *o, const char *key, const char *value);
void bw_out_strf(struct bw_out *o, const char *key, const char *fmt, ...) BW_PRINTF(3, 4);
void bw_out_int(struct bw_out *o, const char *key, int64_t value);
void bw_out_bool(struct bw_out *o, const char *key, bool value);
void bw_out_hex(struct bw_out *o, const char *key, uint64_t value);
/* Adds a member of "registers": a hex number or (json_t, freed) an array with one for each lane. */
void bw_out_register(struct bw_out *o, const char *name, json_t *value);
void bw_out_json(struct bw_out *o, const char *key, json_t *value); /* takes the reference */

/* Writes a table for people and programs. In text, a table without rows shows `if_empty`. */
void bw_out_table(struct bw_out *o, const struct bw_table *t, const char *if_empty);
/* Writes a table with the facts of n elements of an array. */
#define bw_out_facts(o, facts, elements, n, if_empty)                                              \
	bw_out_facts_of((o), (facts), (elements), (n), sizeof(*(elements)), (if_empty))
void bw_out_facts_of(struct bw_out *o, const struct bw_fact_table *facts, const void *elements,
		     size_t n, size_t element_b, const char *if_empty);
/* An error that is not the end of a request: an event on f (JSON), a sentence on stderr (text). The
 * caller keeps err. */
void bw_out_error(struct bw_out *o, const struct bw_error *err);

#endif
