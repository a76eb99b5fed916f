/* SPDX-License-Identifier: MIT */
/* Texel formats: names of GLSL (GLSL 4.60, 4.4.6.2), numbers of SPIR-V (SPIR-V 1.6, 3.11) and of
 * Vulkan (1.3, VkFormat). */
#include <spirv_cross/spirv.h>
#include <strings.h>
#include <vulkan/vulkan_core.h>

#include "base/util.h"
#include "shader/texels.h"

/* clang-format off */
static const struct row {
	struct bw_shader_format format;
	SpvImageFormat spirv;
} rows[] = {
	{{"rgba32f",        VK_FORMAT_R32G32B32A32_SFLOAT,      "32_32_32_32_FLOAT"}, SpvImageFormatRgba32f},
	{{"rgba16f",        VK_FORMAT_R16G16B16A16_SFLOAT,      "16_16_16_16_FLOAT"}, SpvImageFormatRgba16f},
	{{"r32f",           VK_FORMAT_R32_SFLOAT,               "32_FLOAT"},          SpvImageFormatR32f},
	{{"rgba8",          VK_FORMAT_R8G8B8A8_UNORM,           "8_8_8_8_UNORM"},     SpvImageFormatRgba8},
	{{"rgba8_snorm",    VK_FORMAT_R8G8B8A8_SNORM,           "8_8_8_8_SNORM"},     SpvImageFormatRgba8Snorm},
	{{"rg32f",          VK_FORMAT_R32G32_SFLOAT,            "32_32_FLOAT"},       SpvImageFormatRg32f},
	{{"rg16f",          VK_FORMAT_R16G16_SFLOAT,            "16_16_FLOAT"},       SpvImageFormatRg16f},
	{{"r11f_g11f_b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32,  "10_11_11_FLOAT"},    SpvImageFormatR11fG11fB10f},
	{{"r16f",           VK_FORMAT_R16_SFLOAT,               "16_FLOAT"},          SpvImageFormatR16f},
	{{"rgba16",         VK_FORMAT_R16G16B16A16_UNORM,       "16_16_16_16_UNORM"}, SpvImageFormatRgba16},
	{{"rgb10_a2",       VK_FORMAT_A2B10G10R10_UNORM_PACK32, "2_10_10_10_UNORM"},  SpvImageFormatRgb10A2},
	{{"rg16",           VK_FORMAT_R16G16_UNORM,             "16_16_UNORM"},       SpvImageFormatRg16},
	{{"rg8",            VK_FORMAT_R8G8_UNORM,               "8_8_UNORM"},         SpvImageFormatRg8},
	{{"r16",            VK_FORMAT_R16_UNORM,                "16_UNORM"},          SpvImageFormatR16},
	{{"r8",             VK_FORMAT_R8_UNORM,                 "8_UNORM"},           SpvImageFormatR8},
	{{"rgba16_snorm",   VK_FORMAT_R16G16B16A16_SNORM,       "16_16_16_16_SNORM"}, SpvImageFormatRgba16Snorm},
	{{"rg16_snorm",     VK_FORMAT_R16G16_SNORM,             "16_16_SNORM"},       SpvImageFormatRg16Snorm},
	{{"rg8_snorm",      VK_FORMAT_R8G8_SNORM,               "8_8_SNORM"},         SpvImageFormatRg8Snorm},
	{{"r16_snorm",      VK_FORMAT_R16_SNORM,                "16_SNORM"},          SpvImageFormatR16Snorm},
	{{"r8_snorm",       VK_FORMAT_R8_SNORM,                 "8_SNORM"},           SpvImageFormatR8Snorm},
	{{"rgba32i",        VK_FORMAT_R32G32B32A32_SINT,        "32_32_32_32_SINT"},  SpvImageFormatRgba32i},
	{{"rgba16i",        VK_FORMAT_R16G16B16A16_SINT,        "16_16_16_16_SINT"},  SpvImageFormatRgba16i},
	{{"rgba8i",         VK_FORMAT_R8G8B8A8_SINT,            "8_8_8_8_SINT"},      SpvImageFormatRgba8i},
	{{"r32i",           VK_FORMAT_R32_SINT,                 "32_SINT"},           SpvImageFormatR32i},
	{{"rg32i",          VK_FORMAT_R32G32_SINT,              "32_32_SINT"},        SpvImageFormatRg32i},
	{{"rg16i",          VK_FORMAT_R16G16_SINT,              "16_16_SINT"},        SpvImageFormatRg16i},
	{{"rg8i",           VK_FORMAT_R8G8_SINT,                "8_8_SINT"},          SpvImageFormatRg8i},
	{{"r16i",           VK_FORMAT_R16_SINT,                 "16_SINT"},           SpvImageFormatR16i},
	{{"r8i",            VK_FORMAT_R8_SINT,                  "8_SINT"},            SpvImageFormatR8i},
	{{"rgba32ui",       VK_FORMAT_R32G32B32A32_UINT,        "32_32_32_32_UINT"},  SpvImageFormatRgba32ui},
	{{"rgba16ui",       VK_FORMAT_R16G16B16A16_UINT,        "16_16_16_16_UINT"},  SpvImageFormatRgba16ui},
	{{"rgba8ui",        VK_FORMAT_R8G8B8A8_UINT,            "8_8_8_8_UINT"},      SpvImageFormatRgba8ui},
	{{"r32ui",          VK_FORMAT_R32_UINT,                 "32_UINT"},           SpvImageFormatR32ui},
	{{"rgb10_a2ui",     VK_FORMAT_A2B10G10R10_UINT_PACK32,  "2_10_10_10_UINT"},   SpvImageFormatRgb10a2ui},
	{{"rg32ui",         VK_FORMAT_R32G32_UINT,              "32_32_UINT"},        SpvImageFormatRg32ui},
	{{"rg16ui",         VK_FORMAT_R16G16_UINT,              "16_16_UINT"},        SpvImageFormatRg16ui},
	{{"rg8ui",          VK_FORMAT_R8G8_UINT,                "8_8_UINT"},          SpvImageFormatRg8ui},
	{{"r16ui",          VK_FORMAT_R16_UINT,                 "16_UINT"},           SpvImageFormatR16ui},
	{{"r8ui",           VK_FORMAT_R8_UINT,                  "8_UINT"},            SpvImageFormatR8ui},
	/* not of storage images */
	{{"srgb8_a8",       VK_FORMAT_R8G8B8A8_SRGB,            "8_8_8_8_SRGB"},      SpvImageFormatUnknown},
};
/* clang-format on */

const struct bw_shader_format *bw_shader_format_declared(uint32_t spirv)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (spirv != SpvImageFormatUnknown && rows[i].spirv == spirv)
			return &rows[i].format;
	return NULL;
}

const struct bw_shader_format *bw_shader_format_called(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (!strcasecmp(rows[i].format.name, name))
			return &rows[i].format;
	return NULL;
}
