/* SPDX-License-Identifier: MIT */
#include "launch/options.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "regs/field.h"

static struct bw_error *parse_dims(const char *option, const char *text, uint32_t out[3])
{
	char copy[96];
	uint32_t dims[3] = {1, 1, 1};
	if (strlen(text) >= sizeof(copy))
		return bw_errorf(BW_E_INVALID, "%s %s: not a size: use X, X,Y or X,Y,Z", option,
				 text);
	strcpy(copy, text);
	char *rest = copy;
	for (unsigned i = 0; rest; i++) {
		char *word = strsep(&rest, ",");
		uint64_t v;
		if (i == 3 || !bw_parse_u64(word, &v))
			return bw_errorf(BW_E_INVALID, "%s %s: not a size: use X, X,Y or X,Y,Z",
					 option, text);
		if (v == 0)
			return bw_errorf(BW_E_INVALID, "%s %s: each dimension needs at least 1",
					 option, text);
		if (v > UINT32_MAX)
			return bw_errorf(BW_E_INVALID, "%s %s: a dimension has 32 bits", option,
					 text);
		dims[i] = (uint32_t)v;
	}
	memcpy(out, dims, sizeof(dims));
	return NULL;
}

static struct bw_error *parse_number(const char *option, const char *text, uint64_t most,
				     uint32_t *out)
{
	uint64_t v;
	if (!bw_parse_u64(text, &v))
		return bw_errorf(BW_E_INVALID, "%s %s: not a number", option, text);
	if (v > most)
		return bw_errorf(BW_E_INVALID, "%s %s: at most %llu", option, text,
				 (unsigned long long)most);
	*out = (uint32_t)v;
	return NULL;
}

/* NAME<sep>REST, REST needed unless sep is ':'. */
static struct bw_error *push_pair(struct bw_launch_pairs *pairs, const char *option,
				  const char *text, char sep, const char *shape)
{
	const char *at = strchr(text, sep);
	size_t name_len = at ? (size_t)(at - text) : strlen(text);
	if (!name_len || (sep == '=' && (!at || !at[1])))
		return bw_errorf(BW_E_INVALID, "%s %s: use %s %s", option, text, option, shape);
	struct bw_launch_pair p = {.name = strndup(text, name_len)};
	if (p.name && sep == '=')
		p.value = strdup(at + 1);
	struct bw_error *err = NULL;
	if (!p.name || (sep == '=' && !p.value))
		err = bw_error_nomem();
	else if (sep == ':' && at && (!bw_parse_u64(at + 1, &p.count) || !p.count))
		err = bw_errorf(BW_E_INVALID, "%s %s: '%s' is not a number of elements", option,
				text, at + 1);
	else
		err = bw_vec_push(pairs, p);
	if (err) {
		free(p.name);
		free(p.value);
	}
	return err;
}

static struct bw_error *take_kernel(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	if (!*text)
		return bw_errorf(BW_E_INVALID, "--kernel needs a name");
	free(o->kernel);
	o->kernel = strdup(text);
	return o->kernel ? NULL : bw_error_nomem();
}

static struct bw_error *take_grid(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	BW_TRY(parse_dims(option, text, o->grid));
	o->has_grid = true;
	return NULL;
}

static struct bw_error *take_groups(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	BW_TRY(parse_dims(option, text, o->groups));
	o->has_groups = true;
	return NULL;
}

static struct bw_error *take_group(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	BW_TRY(parse_dims(option, text, o->group));
	o->has_group = true;
	return NULL;
}

static struct bw_error *take_arg(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	return push_pair(&o->args, option, text, '=', "NAME=VALUE");
}

static struct bw_error *take_print(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	return push_pair(&o->prints, option, text, ':', "NAME[:COUNT]");
}

static struct bw_error *take_dump(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	return push_pair(&o->dumps, option, text, '=', "NAME=FILE");
}

static struct bw_error *take_vgprs(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	return parse_number(option, text, 256, &o->vgprs);
}

static struct bw_error *take_sgprs(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	return parse_number(option, text, 106, &o->sgprs);
}

static struct bw_error *take_lds(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	return parse_number(option, text, 64 << 10, &o->lds_b);
}

static struct bw_error *take_scratch(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	/* TMPRING_SIZE.WAVESIZE: 15 bits of 256 bytes for the 64 lanes of a wave. */
	return parse_number(option, text, BW_FIELD_MAX(COMPUTE_TMPRING_SIZE, WAVESIZE) * 256 / 64,
			    &o->scratch_b);
}

static struct bw_error *take_wave(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	if (strcmp(text, "32") && strcmp(text, "64"))
		return bw_errorf(BW_E_INVALID, "--wave %s: a wave has 32 or 64 lanes", text);
	o->wave = text[0] == '3' ? 32 : 64;
	return NULL;
}

static struct bw_error *take_user_sgpr(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	char index_text[8] = "";
	const char *equals = strchr(text, '=');
	uint64_t index, value;
	int64_t negative;
	if (equals && (size_t)(equals - text) < sizeof(index_text))
		memcpy(index_text, text, (size_t)(equals - text));
	if (!bw_parse_u64(index_text, &index))
		return bw_errorf(BW_E_INVALID, "--user-sgpr %s: use --user-sgpr I=VALUE", text);
	if (index >= BW_LAUNCH_USER_SGPRS)
		return bw_errorf(BW_E_INVALID, "--user-sgpr %s: the user SGPRs are 0 to %d", text,
				 BW_LAUNCH_USER_SGPRS - 1);
	if (bw_parse_i64(equals + 1, &negative) && negative < 0 && negative >= INT32_MIN)
		value = (uint32_t)negative;
	else if (!bw_parse_u64(equals + 1, &value) || value > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "--user-sgpr %s: '%s' is not a number of 32 bits",
				 text, equals + 1);
	o->user_sgpr[index] = (uint32_t)value;
	o->user_sgpr_mask |= 1u << index;
	return NULL;
}

static struct bw_error *take_code_in(void *options, const char *option, const char *text)
{
	struct bw_launch_options *o = options;
	o->has_raw = true;
	if (strcmp(text, "vram") && strcmp(text, "gtt"))
		return bw_errorf(BW_E_INVALID,
				 "--code-in %s: vram is the GPU's memory, gtt the system's", text);
	o->code_in_gtt = text[0] == 'g';
	return NULL;
}

const struct bw_option bw_launch_rows[] = {
	{"--kernel", "NAME", "which kernel of the code object; needed when it has several",
	 BW_CALL(take_kernel)},
	{"--grid", "X[,Y,Z]", "work-items to run; or", BW_CALL(take_grid)},
	{"--groups", "X[,Y,Z]", "workgroups to run", BW_CALL(take_groups)},
	{"--group", "X[,Y,Z]", "work-items of a workgroup (default: as required, else 64)",
	 BW_CALL(take_group)},
	{"--arg", "NAME=VALUE",
	 "an argument; VALUE is a number, those of a vector (1,2,3,4), zeros:N, iota:N, fill:N:V, "
	 "random:N[:SEED] or file:PATH, each with an optional last :TYPE (f32 f16 f64 i8 u8 i16 u16 i32 u32 "
	 "i64 u64); of shaders also image:WIDTHxHEIGHT[:FORMAT][:iota ...], image:FILE.png, sampler:linear",
	 BW_CALL(take_arg)},
	{"--print", "NAME[:COUNT]", "afterwards, print the elements of a buffer or an image",
	 BW_CALL(take_print)},
	{"--dump", "NAME=FILE",
	 "afterwards, write a buffer's bytes to a file; an image to FILE.png", BW_CALL(take_dump)},
	{0},
};
const struct bw_option bw_launch_raw_rows[] = {
	{"--vgprs", "N", NULL, BW_CALL(take_vgprs)},
	{"--sgprs", "N", NULL, BW_CALL(take_sgprs)},
	{"--lds", "BYTES", NULL, BW_CALL(take_lds)},
	{"--scratch", "BYTES", NULL, BW_CALL(take_scratch)},
	{"--wave", "32|64", NULL, BW_CALL(take_wave)},
	{"--user-sgpr", "I=VALUE", NULL, BW_CALL(take_user_sgpr)},
	{"--code-in", "vram|gtt", "the code lies in the GPU's memory (default) or the system's",
	 BW_CALL(take_code_in)},
	{0},
};

struct bw_error *bw_launch_keep_words(void *options, char *const *words, size_t n)
{
	struct bw_launch_options *o = options;
	for (size_t i = 0; i < n; i++)
		BW_TRY(bw_vec_push(&o->words, words[i]));
	return NULL;
}

static const struct bw_command_line line = {.groups = {BW_LAUNCH_GROUPS(0)}};

struct bw_error *bw_launch_options_take(struct bw_launch_options *o, int argc, char *const *argv,
					int *index, bool *out_taken)
{
	return bw_command_line_take(&line, o, argc, argv, index, out_taken);
}

void bw_launch_options_print_help(const char *usage)
{
	struct bw_command_line l = line;
	l.usage = usage;
	bw_command_line_print_help(&l);
}

struct bw_error *bw_launch_command_parse(struct bw_launch_command *c, int argc, char *const *argv)
{
	for (int i = 1; i < argc;) {
		const char *word = argv[i];
		const int before = i;
		bool taken;
		BW_TRY(bw_launch_options_take(&c->options, argc, argv, &i, &taken));
		if (taken)
			continue;
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			c->help = true;
			return NULL;
		}
		BW_TRY(c->take(c->cookie, argc, argv, &i));
		if (i != before)
			continue;
		if (word[0] == '-')
			return bw_errorf(BW_E_INVALID, "unknown option %s (see --help)", word);
		if (c->file)
			return bw_errorf(BW_E_INVALID, "one %s at a time: both %s and %s are given",
					 c->what, c->file, word);
		c->file = word;
		i++;
	}
	return c->file ? NULL : bw_errorf(BW_E_INVALID, "no %s given (see --help)", c->what);
}

static void free_pairs(struct bw_launch_pairs *pairs)
{
	bw_vec_each(pairs, p) {
		free(p->name);
		free(p->value);
	}
	bw_vec_free(pairs);
}

void bw_launch_options_fini(struct bw_launch_options *o)
{
	free(o->kernel);
	free_pairs(&o->args);
	free_pairs(&o->prints);
	free_pairs(&o->dumps);
	bw_vec_free(&o->words);
	*o = (struct bw_launch_options){0};
}
