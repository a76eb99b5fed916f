/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_SHADERS_SHADER_RULES_H
#define BW_AGENT_SHADERS_SHADER_RULES_H

/* Shaders that are to be replaced or saved (swap/rules.h, breakwater exec --shader): the rules of
 * this process, and what is said of them. Any thread may call. */

#include "swap/rules.h"
#include "wire/agent_proto.h"

/* Read at the first call. NULL: no shader is replaced or saved. */
const struct bw_swap_rules *bw_agent_shader_rules(void);
/* The first rule of that kind for this pipeline; -1: none. */
int bw_agent_shader_rule(enum bw_swap_kind kind, const struct bw_agent_object *o);
/* Appends a record; rule -1: none. text may be NULL. */
void bw_agent_shader_say(enum bw_swap_event event, int rule, const struct bw_agent_object *o,
			 const char *text);
/* Appends a record that has been made. */
void bw_agent_shader_append(const struct bw_swap_said *record);
/* Writes a file into the folder, whole or not at all; false: it cannot be written. An existing one
 * stays. */
bool bw_agent_shader_save(const char *name, const void *bytes, size_t size_b);

#endif
