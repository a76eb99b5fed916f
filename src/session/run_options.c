/* SPDX-License-Identifier: MIT */
#include "session/run_options.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "gpuvm/fault.h"

/* The value of the option at argv[*i], "--name VALUE" or "--name=VALUE". NULL: it is another
 * option. */
static struct bw_error *option_value(int argc, char **argv, int *i, const char *name,
				     const char **out)
{
	const char *word = argv[*i];
	size_t n = strlen(name);
	*out = NULL;
	if (strncmp(word, name, n) || (word[n] && word[n] != '='))
		return NULL;
	if (word[n] == '=') {
		*out = word + n + 1;
	} else if (*i + 1 < argc) {
		*out = argv[++*i];
	} else {
		return bw_errorf(BW_E_INVALID, "%s needs a value", name);
	}
	++*i;
	return NULL;
}

static struct bw_error *take_limit(const char *value, double *out)
{
	enum { YEAR_S = 366 * 24 * 3600 };
	double seconds;
	if (!bw_parse_f64(value, &seconds) || !(seconds >= 0.001 && seconds <= YEAR_S))
		return bw_errorf(BW_E_INVALID, "--timeout takes seconds, not \"%s\"", value);
	*out = seconds;
	return NULL;
}

static struct bw_error *take_gfx(const char *text, uint32_t *out)
{
	struct bw_gpuvm_part part;
	BW_TRY(bw_gpuvm_part_parse(text, &part));
	*out = part.gc;
	return NULL;
}

static struct bw_error *take_option(struct bw_run_options *o, int argc, char **argv, int *i)
{
	static const struct {
		const char *name;
		enum bw_script_kind kind;
	} script_options[] = {{"-ex", BW_SCRIPT_COMMAND},
			      {"--ex", BW_SCRIPT_COMMAND},
			      {"--eval-command", BW_SCRIPT_COMMAND},
			      {"-x", BW_SCRIPT_FILE},
			      {"--command", BW_SCRIPT_FILE}};
	const char *word = argv[*i], *value;
	for (size_t k = 0; k < BW_ARRAY_SIZE(script_options); k++) {
		BW_TRY(option_value(argc, argv, i, script_options[k].name, &value));
		if (value) {
			struct bw_script_item item = {script_options[k].kind, value};
			return bw_vec_push(&o->script, item);
		}
	}
	BW_TRY(option_value(argc, argv, i, "--gpu", &value));
	if (value) {
		o->gpu = value;
		return NULL;
	}
	BW_TRY(option_value(argc, argv, i, "--gfx", &value));
	if (value)
		return take_gfx(value, &o->gc);
	BW_TRY(option_value(argc, argv, i, "--timeout", &value));
	if (value)
		return take_limit(value, &o->limit_s);
	if (!strcmp(word, "--batch") || !strcmp(word, "-batch"))
		o->batch = true;
	else if (!strcmp(word, "--json"))
		o->json = true;
	else if (!strcmp(word, "--fidelity"))
		o->fidelity = true;
	else if (!strcmp(word, "--shader-lines") || !strcmp(word, "--no-shader-lines"))
		o->shader_lines =
			!strcmp(word, "--shader-lines") ? BW_LINES_WANTED : BW_LINES_UNWANTED;
	else if (!strcmp(word, "-i") || !strcmp(word, "--interactive"))
		o->interactive = true;
	else if (!strcmp(word, "--tui") || !strcmp(word, "-tui"))
		o->interactive = o->tui = true;
	else if (!strcmp(word, "-h") || !strcmp(word, "--help"))
		o->help = true;
	else if (!bw_vgpu_option_take(word, &o->vgpu))
		return bw_errorf(BW_E_INVALID, "\"breakwater run\" has no option %s (see --help)",
				 word);
	++*i;
	return NULL;
}

static struct bw_error *check_attach(struct bw_run_options *o)
{
	uint64_t pid;
	if (o->program || o->launch.words.len || o->compile.first || !o->kernel ||
	    !bw_parse_u64(o->kernel, &pid) || !pid || pid > INT32_MAX)
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater attach\" takes the number of a process that \"breakwater exec\" started");
	o->pid = (pid_t)pid;
	return NULL;
}

/* -O0 alone is right for a program, too: its shaders then note their variables. */
static bool is_only_o0(const struct bw_compile_options *o)
{
	bw_vec_each(&o->words, w)
		if (strcmp(*w, "-O0") != 0)
			return false;
	return o->words.len && !o->wave64;
}

struct bw_error *bw_run_options_parse(struct bw_run_options *o, int argc, char **argv)
{
	for (int i = 1; i < argc;) {
		bool taken;
		if (!strcmp(argv[i], "--")) {
			o->program = &argv[i + 1];
			break;
		}
		BW_TRY(bw_launch_options_take(&o->launch, argc, argv, &i, &taken));
		if (taken)
			continue;
		BW_TRY(bw_compile_options_take(&o->compile, argc, argv, &i, &taken));
		if (taken)
			continue;
		int used;
		BW_TRY(bw_swap_option_take(argv + i, &o->swaps, &used));
		if (used) {
			i += used;
			continue;
		}
		if (argv[i][0] == '-' && argv[i][1]) {
			BW_TRY(take_option(o, argc, argv, &i));
			continue;
		}
		if (o->kernel)
			return bw_errorf(BW_E_INVALID,
					 "One kernel at a time: \"%s\" comes after \"%s\"", argv[i],
					 o->kernel);
		o->kernel = argv[i++];
	}
	if (o->help)
		return NULL;
	if ((o->swaps.words.len || o->swaps.save) && (o->attach || o->kernel))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "--shader and --save-shaders are for a program after --, whose "
				 "shaders are replaced when it makes them");
	if (o->attach)
		return check_attach(o);
	if (o->kernel && o->program)
		return bw_errorf(BW_E_INVALID,
				 "Either a kernel (\"%s\") or a program after --, not both",
				 o->kernel);
	if (!o->kernel && (!o->program || !o->program[0]))
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater run\" needs a kernel: breakwater run [OPTIONS] KERNEL [KERNEL OPTIONS]");
	const char *other = o->launch.words.len	      ? o->launch.words.data[0]
			    : is_only_o0(&o->compile) ? NULL
						      : o->compile.first;
	if (o->program && other)
		return bw_errorf(BW_E_INVALID,
				 "%s is for kernels; the program's own arguments go after it",
				 other);
	return NULL;
}

void bw_run_options_fini(struct bw_run_options *o)
{
	bw_vec_free(&o->script);
	bw_launch_options_fini(&o->launch);
	bw_compile_options_fini(&o->compile);
	bw_swap_options_fini(&o->swaps);
}
