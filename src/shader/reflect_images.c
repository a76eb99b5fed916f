/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "shader/reflect_priv.h"

static bool dim_of(SpvDim dim, enum bw_shader_dim *out)
{
	static const struct {
		SpvDim spirv;
		enum bw_shader_dim dim;
	} rows[] = {{SpvDim1D, BW_SHADER_1D}, {SpvDimBuffer, BW_SHADER_1D},
		    {SpvDim2D, BW_SHADER_2D}, {SpvDimRect, BW_SHADER_2D},
		    {SpvDim3D, BW_SHADER_3D}, {SpvDimCube, BW_SHADER_CUBE}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		if (rows[i].spirv == dim) {
			*out = rows[i].dim;
			return true;
		}
	}
	return false;
}

static struct bw_error *read_texels(struct bw_shader_reader *r, spvc_type type, const char *name,
				    struct bw_shader_image *out)
{
	SpvDim dim = spvc_type_get_image_dimension(type);
	spvc_basetype component = spvc_type_get_basetype(
		spvc_compiler_get_type_handle(r->compiler, spvc_type_get_image_sampled_type(type)));
	if (spvc_type_get_image_multisampled(type))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s is an image with several samples, which is not supported",
				 name);
	if (!dim_of(dim, &out->dim))
		return bw_errorf(BW_E_UNSUPPORTED, "%s is an image of an unknown shape", name);
	if (component != SPVC_BASETYPE_FP32 && component != SPVC_BASETYPE_INT32 &&
	    component != SPVC_BASETYPE_UINT32)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s has texels whose components do not have 32 bits, which is "
				 "not supported",
				 name);
	if (out->kind == BW_SHADER_SAMPLED_IMAGE && spvc_type_get_image_is_depth(type))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s is sampled with comparison (a shadow sampler), which is not "
				 "supported",
				 name);
	if (dim == SpvDimBuffer)
		out->kind = out->kind == BW_SHADER_STORAGE_IMAGE ? BW_SHADER_STORAGE_TEXELS
								 : BW_SHADER_UNIFORM_TEXELS;
	out->is_array = spvc_type_get_image_arrayed(type);
	out->format = spvc_type_get_image_storage_format(type);
	out->type = component == SPVC_BASETYPE_FP32    ? BW_SCALAR_F32
		    : component == SPVC_BASETYPE_INT32 ? BW_SCALAR_I32
						       : BW_SCALAR_U32;
	return NULL;
}

static struct bw_error *read_image(struct bw_shader_reader *r, const spvc_reflected_resource *res,
				   enum bw_shader_image_kind kind)
{
	spvc_type whole = spvc_compiler_get_type_handle(r->compiler, res->type_id);
	spvc_type type = spvc_compiler_get_type_handle(r->compiler, res->base_type_id);
	const char *name = spvc_compiler_get_name(r->compiler, res->id);
	const char *known = name && *name ? name : res->name;
	size_t n = bw_shader_count_elements(whole);
	if (!n)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s is an array of images or samplers whose length is not a plain "
				 "number of at most 256, which is not supported",
				 known);
	struct bw_shader_image image = {.kind = kind,
					.elements = (unsigned)n,
					.set = spvc_compiler_get_decoration(
						r->compiler, res->id, SpvDecorationDescriptorSet),
					.binding = spvc_compiler_get_decoration(
						r->compiler, res->id, SpvDecorationBinding)};
	if (kind != BW_SHADER_SAMPLER)
		BW_TRY(read_texels(r, type, known, &image));
	for (size_t i = 0; i < n; i++) {
		image.element = (unsigned)i;
		if (n > 1 ? asprintf(&image.name, "%s[%zu]", known, i) < 0
			  : !(image.name = strdup(known)))
			return bw_error_nomem();
		struct bw_error *err = bw_vec_push(&r->s->images, image);
		if (err) {
			free(image.name);
			return err;
		}
	}
	return NULL;
}

struct bw_error *bw_shader_read_images(struct bw_shader_reader *r, spvc_resources resources)
{
	static const struct {
		spvc_resource_type type;
		enum bw_shader_image_kind kind;
	} rows[] = {
		{SPVC_RESOURCE_TYPE_STORAGE_IMAGE, BW_SHADER_STORAGE_IMAGE},
		{SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, BW_SHADER_SAMPLED_IMAGE},
		{SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, BW_SHADER_SEPARATE_IMAGE},
		{SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, BW_SHADER_SAMPLER},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const spvc_reflected_resource *list;
		size_t n;
		if (spvc_resources_get_resource_list_for_type(resources, rows[i].type, &list, &n))
			return bw_shader_library_error(r, "reading the shader's resources");
		for (size_t k = 0; k < n; k++)
			BW_TRY(read_image(r, &list[k], rows[i].kind));
	}
	return NULL;
}
