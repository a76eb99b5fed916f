/* SPDX-License-Identifier: MIT */
#include "inject/swap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "inject/swap_priv.h"

/* ---- Options ---- */

void bw_swap_options_fini(struct bw_swap_options *o)
{
	bw_vec_free(&o->words);
}

static struct bw_error *take_shader(void *options, const char *option, const char *value)
{
	struct bw_swap_options *o = options;
	if (o->words.len >= BW_SWAP_RULES_MAX)
		return bw_errorf(BW_E_INVALID, "more than %d times --shader", BW_SWAP_RULES_MAX);
	return bw_vec_push(&o->words, value);
}

static struct bw_error *take_save(void *options, const char *option, const char *value)
{
	((struct bw_swap_options *)options)->save = value;
	return *value ? NULL : bw_errorf(BW_E_INVALID, "--save-shaders wants a folder");
}

const struct bw_option bw_swap_rows[] = {
	{"--shader", "WHICH=FILE",
	 "FILE takes the place of a compute shader: SPIR-V (.spv, .spvasm, .comp, .glsl, .hlsl) of the one "
	 "that the driver is given, assembly (.s) of its machine code. WHICH: a name (of the pipeline, "
	 "module, entry point or source file; patterns: *), the hash of its SPIR-V as \"info pipelines\" "
	 "has it, or the address of its code. Several times",
	 BW_CALL(take_shader)},
	{"--save-shaders", "FOLDER",
	 "writes them there: SPIR-V, and assembly to edit of those that have been dispatched",
	 BW_CALL(take_save)},
	{0},
};

/* ---- The folder ---- */

static struct bw_error *write_rules(const struct bw_swaps *s)
{
	_cleanup_free_ uint8_t *head = NULL;
	size_t size_b;
	BW_TRY(bw_swap_rules_head(&s->rules, &head, &size_b));
	BW_TRY(bw_folder_write(s->folder, BW_SWAP_RULES_FILE, "wbe", head, size_b));
	return bw_folder_write(s->folder, BW_SWAP_RULES_FILE, "abe", s->rules.bytes,
			       s->rules.size_b);
}

struct bw_error *bw_swaps_begin(const struct bw_swap_options *o, const struct bw_swap_replay *of,
				struct bw_folder *folder, struct bw_swaps **out)
{
	*out = NULL;
	if (!o->words.len && !o->save)
		return NULL;
	if (o->save && mkdir(o->save, 0777) && errno != EEXIST)
		return bw_error_errno(errno, "--save-shaders: cannot make the folder %s", o->save);
	struct bw_swaps *s = calloc(1, sizeof(*s));
	if (!s)
		return bw_error_nomem();
	s->folder = folder;
	s->save = o->save;
	s->rules.saves = o->save;
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < o->words.len; i++) {
		s->words[i] = o->words.data[i];
		err = bw_swap_build(o->words.data[i], of, &s->rules, &s->files[i]);
	}
	if (!err)
		err = bw_folder_need(BW_FOLDER_DEBUG, folder);
	if (!err)
		err = write_rules(s);
	if (err)
		bw_swaps_end(s);
	else
		*out = s;
	return err;
}

void bw_swaps_end(struct bw_swaps *s)
{
	if (!s)
		return;
	bw_swap_rules_fini(&s->rules);
	free(s);
}
