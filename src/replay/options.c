/* SPDX-License-Identifier: MIT */
#include "replay/options.h"

enum { DEFAULT_TIMEOUT_S = 10, TIMEOUT_MAX_S = 24 * 3600 };

static const char usage[] =
	"Usage: breakwater replay [OPTIONS] FILE\n"
	"\n"
	"Runs the submissions of a capture (breakwater capture) again, one after the other, with the buffers at their\n"
	"captured addresses. Exit status: 0, 1 where --check finds a difference, 2 for bad input or where nothing was\n"
	"replayed or compared, 3 where a submission fails or does not end.\n";

static struct bw_error *take_dump(void *words, const char *option, const char *value)
{
	return bw_vec_push(&((struct bw_replay_words *)words)->dumps, value);
}

static struct bw_error *take_override(void *words, const char *option, const char *value)
{
	return bw_vec_push(&((struct bw_replay_words *)words)->overrides, value);
}

static struct bw_error *take_shader(void *words, const char *option, const char *value)
{
	return bw_vec_push(&((struct bw_replay_words *)words)->shaders, value);
}

static struct bw_error *take_file(void *words, const char *word)
{
	struct bw_replay_words *w = words;
	if (w->file)
		return bw_errorf(BW_E_INVALID, "One capture at a time: %s comes after %s", word,
				 w->file);
	w->file = word;
	return NULL;
}

#define WORDS struct bw_replay_words

static const struct bw_option rows[] = {
	BW_ROW_GPU(WORDS, gpu),
	{"--first", "N",
	 "leave out the submissions before this one; memory is as the capture has it before it",
	 BW_U32(WORDS, first, 1, UINT32_MAX)},
	{"--last", "N", "leave out the submissions after this one",
	 BW_U32(WORDS, last, 1, UINT32_MAX)},
	{"--frame", "N",
	 "only what is submitted for frame N, from present N-1 of the program to present N",
	 BW_U32(WORDS, frame, 1, UINT32_MAX)},
	{"--check", NULL,
	 "compare all memory with the capture's after each submission; of the first that differs, find the "
	 "packet or dispatch that does it",
	 BW_FLAG(WORDS, check)},
	{"--dump", "N:BUFFER=FILE",
	 "write a buffer, by its number or an address in it, to FILE after submission N",
	 BW_CALL(take_dump)},
	{"--override", "N[.IB]=FILE",
	 "submission N as an override file has it (breakwater decompile FILE -s N > edit.c); of another "
	 "FILE its dwords in the place of that IB (0: the first one)",
	 BW_CALL(take_override)},
	{"--dispatches", "N:COUNT",
	 "only the first COUNT dispatches and draws of submission N run, and its other packets",
	 BW_TEXT(WORDS, dispatches)},
	{"--packets", "N:COUNT",
	 "only the first COUNT packets of submission N run, dispatches and draws among them",
	 BW_TEXT(WORDS, packets)},
	{"--shader", "WHICH=FILE",
	 "assembly (.s), or SPIR-V (.spv, .comp and others), takes the place of a shader. WHICH: its name "
	 "(patterns: *), the hash of its SPIR-V or the address of its code, as \"capture show\" has them, "
	 "or the name of its module, entry point or source file. Several times",
	 BW_CALL(take_shader)},
	{"--loop", "COUNT", "all of that, again and again", BW_U64(WORDS, loop, 1, UINT32_MAX)},
	{"--timeout", "SECONDS", "how long a submission may run (default 10)",
	 BW_U64(WORDS, timeout_s, 1, TIMEOUT_MAX_S)},
	{"--shader-rules", "FOLDER", NULL, BW_TEXT(WORDS, shader_rules), .is_hidden = true},
	BW_ROW_JSON(WORDS, json),
	BW_ROW_HELP(WORDS, help),
	{0},
};

const struct bw_command_line bw_line_replay = {
	.name = "breakwater replay",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = take_file,
};

struct bw_error *bw_replay_words_parse(int argc, char *const *argv, struct bw_replay_words *w)
{
	int rest;
	*w = (struct bw_replay_words){
		.loop = 1, .first = 1, .last = UINT32_MAX, .timeout_s = DEFAULT_TIMEOUT_S};
	BW_TRY(bw_command_line_parse(&bw_line_replay, w, argc, argv, &rest));
	for (; rest < argc; rest++)
		BW_TRY(take_file(w, argv[rest]));
	if (!w->file && !w->help)
		return bw_errorf(BW_E_INVALID, "\"breakwater replay\" needs a capture: breakwater "
					       "replay FILE.bwc");
	if (w->frame && (w->first != 1 || w->last != UINT32_MAX))
		return bw_errorf(BW_E_INVALID, "--frame says itself what is replayed: it goes "
					       "without --first and --last");
	if (w->first > w->last)
		return bw_errorf(BW_E_INVALID, "--first %u comes after --last %u", w->first,
				 w->last);
	return NULL;
}

void bw_replay_words_fini(struct bw_replay_words *w)
{
	bw_vec_free(&w->dumps);
	bw_vec_free(&w->overrides);
	bw_vec_free(&w->shaders);
}
