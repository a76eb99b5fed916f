/* SPDX-License-Identifier: MIT */
#include "shader/validate.h"

#include <string.h>

#include <spirv-tools/libspirv.h>

/* The rules of all environments, those of Vulkan for layouts being options of devices: what is
 * refused here is not SPIR-V, whoever is to run it. */
struct bw_error *bw_shader_validate(const uint32_t *words, size_t n_words)
{
	spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
	spv_validator_options options = spvValidatorOptionsCreate();
	spv_diagnostic said = NULL;
	struct bw_error *err = NULL;
	if (!context || !options) {
		err = bw_error_nomem();
	} else {
		spv_const_binary_t module = {words, n_words};
		spvValidatorOptionsSetSkipBlockLayout(options, true);
		spv_result_t r = spvValidateWithOptions(context, options, &module, &said);
		const char *why = said && said->error ? said->error : "SPIRV-Tools refuses it";
		/* one line, without its last dot, which the sentence around it has */
		int n = (int)strcspn(why, "\n");
		while (n && (why[n - 1] == '.' || why[n - 1] == ' '))
			n--;
		if (r != SPV_SUCCESS)
			err = bw_errorf(BW_E_INVALID, "it is not valid SPIR-V: %.*s", n, why);
	}
	spvDiagnosticDestroy(said);
	spvValidatorOptionsDestroy(options);
	spvContextDestroy(context);
	return err;
}
