/* SPDX-License-Identifier: MIT */
/* Runs shaders of the corpus on a Vulkan device and writes what they leave in their buffers and
 * images: vkrun [OPTIONS] (CASE SPIRV)...
 *
 * CASE holds the description (case.h), SPIRV the code. Says on standard output, a line each:
 *     device NAME
 *     output CASE SET.BINDING.ELEMENT TYPE ULP ABS ordered|sorted FILE
 *     pass CASE | skip CASE REASON | fail CASE REASON
 *     validation N
 * and ends with status 1 when something failed. What compares is test_corpus.py. */

#include "case.h"
#include "gpu.h"
#include "run.h"

#include "base/cleanup.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	struct gpu_options gpu;
	struct run_options run;
	const char *out; /* folder */
	bool reference;	 /* the code is that with -DREFERENCE */
};

/* clang-format off */
static const struct option long_options[] = {
	{"device", required_argument, NULL, 'd'}, {"queue", required_argument, NULL, 'q'},
	{"wave", required_argument, NULL, 'w'},	  {"out", required_argument, NULL, 'o'},
	{"validate", no_argument, NULL, 'v'},	  {"staged", no_argument, NULL, 's'},
	{"reference", no_argument, NULL, 'r'},	  {"patience", required_argument, NULL, 'p'},
	{NULL, 0, NULL, 0},
};
/* clang-format on */

static struct bw_error *read_file(const char *path, void **out_data, size_t *out_size_b)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f || fseek(f, 0, SEEK_END))
		return bw_error_errno(errno, "cannot open %s", path);
	long n = ftell(f);
	rewind(f);
	_cleanup_free_ void *data = malloc(n > 0 ? (size_t)n : 1);
	if (!data)
		return bw_error_nomem();
	if (n <= 0 || fread(data, 1, (size_t)n, f) != (size_t)n)
		return bw_errorf(BW_E_INVALID, "cannot read %s", path);
	*out_data = bw_take(data);
	*out_size_b = (size_t)n;
	return NULL;
}

static struct bw_error *write_outputs(const struct options *o, const struct test_case *c,
				      const struct run_output *output)
{
	for (unsigned i = 0; i < c->n_items; i++) {
		const struct case_item *item = &c->items[i];
		if (!output->data[i])
			continue;
		char path[512];
		snprintf(path, sizeof(path), "%s/%s.%u.%u.%u", o->out, c->name, item->set,
			 item->binding, item->element);
		_cleanup_fclose_ FILE *f = fopen(path, "we");
		if (!f ||
		    fwrite(output->data[i], 1, case_item_bytes(item), f) != case_item_bytes(item))
			return bw_error_errno(errno, "cannot write %s", path);
		printf("output %s %u.%u.%u %c%u %u %g %s %s\n", c->name, item->set, item->binding,
		       item->element, item->type.kind, item->type.size_b * 8, item->ulp, item->abs,
		       item->sorted ? "sorted" : "ordered", path);
	}
	return NULL;
}

/* The device is opened again when the case wants another one: with robust access, or after a loss.
 */
static struct bw_error *need_device(const struct options *o, bool robust, struct gpu **gpu,
				    bool *is_robust, unsigned *n_validation)
{
	if (*gpu && *is_robust == robust)
		return NULL;
	if (*gpu)
		*n_validation += (*gpu)->n_validation;
	gpu_close(*gpu);
	*gpu = NULL;
	struct gpu_options g = o->gpu;
	g.robust = robust;
	BW_TRY(gpu_open(&g, gpu));
	*is_robust = robust;
	return NULL;
}

static const char *missing_feature(const struct gpu *gpu, uint64_t needs)
{
	for (unsigned i = 0; i < case_n_features; i++)
		if (needs & ~gpu->features & 1ull << i)
			return case_feature_names[i];
	return NULL;
}

static struct bw_error *run_file(const struct options *o, struct gpu *gpu,
				 const struct test_case *c, const char *spirv)
{
	_cleanup_free_ void *code = NULL;
	size_t code_b = 0;
	BW_TRY(read_file(spirv, &code, &code_b));
	struct run_output output = {0};
	struct bw_error *err = run_case(gpu, &o->run, c, code, code_b, &output);
	if (!err && o->out)
		err = write_outputs(o, c, &output);
	run_output_free(&output);
	return err;
}

static int parse(int argc, char **argv, struct options *o)
{
	*o = (struct options){.run = {.family = GPU_COMPUTE, .wave = 64}};
	for (int k; (k = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
		switch (k) {
		case 'd':
			o->gpu.name = optarg;
			break;
		case 'q':
			o->run.family = !strcmp(optarg, "universal") ? GPU_UNIVERSAL : GPU_COMPUTE;
			break;
		case 'w':
			o->run.wave = (unsigned)atoi(optarg);
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'v':
			o->gpu.validate = true;
			break;
		case 'r':
			o->reference = true;
			break;
		case 's':
			o->run.staged = true;
			break;
		case 'p':
			o->gpu.patience_s = (unsigned)atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind < argc && (argc - optind) % 2 == 0)
		return 0;
	fprintf(stderr, "Usage: vkrun [--device NAME] [--queue compute|universal] [--wave 32|64] "
			"[--out DIR] [--validate] [--reference]"
			" [--staged] [--patience SECONDS] (CASE SPIRV)...\n");
	return 2;
}

/* Runs one case and says how it went; returns false when it failed. */
static bool one(const struct options *o, const char *path, const char *spirv, struct gpu **gpu,
		bool *is_robust, unsigned *n_validation)
{
	static bool said;
	struct test_case c;
	_cleanup_error_ struct bw_error *err = case_read(path, &c);
	if (err) {
		printf("fail %s %s\n", path, err->message);
		return false;
	}
	err = need_device(o, c.robust, gpu, is_robust, n_validation);
	if (err) {
		printf("fail %s %s\n", c.name, err->message);
		return false;
	}
	if (!said)
		printf("device %s\n", (*gpu)->properties.deviceName);
	said = true;
	const char *missing = missing_feature(*gpu, c.needs | (o->reference ? 0 : c.wants));
	if (missing) {
		printf("skip %s the device has no %s\n", c.name, missing);
		return true;
	}
	err = run_file(o, *gpu, &c, spirv);
	if (!err) {
		printf("pass %s\n", c.name);
		return true;
	}
	printf("fail %s %s\n", c.name, err->message);
	if (err->code == BW_E_TIMEOUT) {
		fflush(stdout);
		_exit(1);
	}
	*n_validation += (*gpu)->n_validation;
	gpu_close(*gpu);
	*gpu = NULL;
	return false;
}

int main(int argc, char **argv)
{
	struct options o;
	int status = parse(argc, argv, &o);
	if (status)
		return status;
	setvbuf(stdout, NULL, _IOLBF, 0);
	struct gpu *gpu = NULL;
	bool is_robust = false;
	unsigned n_validation = 0;
	for (int i = optind; i < argc; i += 2)
		if (!one(&o, argv[i], argv[i + 1], &gpu, &is_robust, &n_validation))
			status = 1;
	if (gpu)
		n_validation += gpu->n_validation;
	gpu_close(gpu);
	if (o.gpu.validate)
		printf("validation %u\n", n_validation);
	return status || n_validation ? 1 : 0;
}
