/* SPDX-License-Identifier: MIT */
#include "agent/vulkan/vk_record.h"

#include <stdlib.h>
#include <string.h>

#include "agent/names/handles.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)

/* VK_EXT_robustness2 and its KHR form have one number. */
#define ROBUSTNESS_2_FEATURES VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT

/* Owned by the table that has it. A handle is made again only after it was destroyed, so nobody
 * reads the record that is replaced then. */
struct kept_set {
	struct bw_capture_set set;
	struct bw_capture_binding at[];
};
static struct bw_handles sets = BW_HANDLES_INIT(struct kept_set *);
/* Sets, bindings and push constants of a pipeline layout; the rest is empty. */
static struct bw_handles layouts = BW_HANDLES_INIT(struct bw_capture_pipeline *);

static const VkBaseInStructure *find_in_chain(const void *next, VkStructureType type)
{
	const VkBaseInStructure *s = next;
	while (s && s->sType != type)
		s = s->pNext;
	return s;
}

/* The first structure of a chain that is none of these; 0: there is none. */
static uint32_t unknown_in(const void *next, const VkStructureType *known, size_t n)
{
	for (const VkBaseInStructure *s = next; s; s = s->pNext) {
		size_t i = 0;
		while (i < n && known[i] != s->sType)
			i++;
		if (i == n)
			return (uint32_t)s->sType;
	}
	return 0;
}

/* ---- Layouts ---- */

void bw_vk_record_set_layout(VkDescriptorSetLayout layout,
			     const VkDescriptorSetLayoutCreateInfo *info)
{
	static const VkStructureType known[] = {
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO};
	const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
		(const void *)find_in_chain(info->pNext, known[0]);
	uint32_t n = info->bindingCount;
	struct kept_set *old = NULL, *new = n <= BW_CAPTURE_BINDINGS_MAX
						    ? calloc(1, sizeof(*new) + n * sizeof(*new->at))
						    : NULL;
	if (bw_handles_get(&sets, HANDLE(layout), &old)) {
		bw_handles_drop(&sets, HANDLE(layout));
		free(old);
	}
	if (!new)
		return;
	new->set = (struct bw_capture_set){.flags = info->flags,
					   .n_bindings = n,
					   .unknown = unknown_in(info->pNext, known, 1)};
	for (uint32_t i = 0; i < n; i++) {
		const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
		new->at[i] = (struct bw_capture_binding){
			.binding = b->binding,
			.type = b->descriptorType,
			.count = b->descriptorCount,
			.stages = b->stageFlags,
			.flags = flags && i < flags->bindingCount ? flags->pBindingFlags[i] : 0,
			.has_samplers =
				b->pImmutableSamplers && b->descriptorCount &&
				(b->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
				 b->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)};
	}
	bw_handles_put(&sets, HANDLE(layout), &new);
}

static struct bw_error *add_set(struct bw_capture_pipeline *p, VkDescriptorSetLayout layout)
{
	struct kept_set *k = NULL;
	if (!layout || !bw_handles_get(&sets, HANDLE(layout), &k))
		return bw_vec_push(&p->sets, ((struct bw_capture_set){.is_none = 1}));
	BW_TRY(bw_vec_push(&p->sets, k->set));
	for (uint32_t i = 0; i < k->set.n_bindings; i++)
		BW_TRY(bw_vec_push(&p->bindings, k->at[i]));
	return NULL;
}

static struct bw_error *fill_layout(struct bw_capture_pipeline *p,
				    const VkPipelineLayoutCreateInfo *info)
{
	p->head.layout_flags = info->flags;
	for (uint32_t i = 0; i < info->setLayoutCount; i++)
		BW_TRY(add_set(p, info->pSetLayouts[i]));
	for (uint32_t i = 0; i < info->pushConstantRangeCount; i++) {
		const VkPushConstantRange *r = &info->pPushConstantRanges[i];
		BW_TRY(bw_vec_push(&p->pushes, ((struct bw_capture_push){r->stageFlags, r->offset,
									 r->size, 0})));
	}
	return NULL;
}

static void free_layout(struct bw_capture_pipeline *p)
{
	bw_capture_pipeline_fini(p);
	free(p);
}

void bw_vk_record_drop_layout(VkPipelineLayout layout)
{
	struct bw_capture_pipeline *old = NULL;
	if (!bw_handles_get(&layouts, HANDLE(layout), &old))
		return;
	bw_handles_drop(&layouts, HANDLE(layout));
	free_layout(old);
}

void bw_vk_record_layout(VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info)
{
	struct bw_capture_pipeline *p = calloc(1, sizeof(*p));
	bw_vk_record_drop_layout(layout);
	struct bw_error *err = p ? fill_layout(p, info) : NULL;
	if (!p || err) {
		bw_error_free(err);
		if (p)
			free_layout(p);
		return;
	}
	bw_handles_put(&layouts, HANDLE(layout), &p);
}

/* ---- Devices ---- */

uint32_t bw_vk_record_robustness(const VkDeviceCreateInfo *info)
{
	const VkPhysicalDeviceFeatures2 *f = (const void *)find_in_chain(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	const VkPhysicalDeviceFeatures *core = f ? &f->features : info->pEnabledFeatures;
	const VkPhysicalDeviceRobustness2FeaturesEXT *two =
		(const void *)find_in_chain(info->pNext, ROBUSTNESS_2_FEATURES);
	const VkPhysicalDeviceImageRobustnessFeatures *image = (const void *)find_in_chain(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
	const VkPhysicalDeviceVulkan13Features *f13 = (const void *)find_in_chain(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
	bool images = (image && image->robustImageAccess) || (f13 && f13->robustImageAccess);
	return (core && core->robustBufferAccess ? BW_CAPTURE_ROBUST_BUFFERS : 0) |
	       (two && two->robustBufferAccess2 ? BW_CAPTURE_ROBUST_BUFFERS_2 : 0) |
	       (images ? BW_CAPTURE_ROBUST_IMAGES : 0) |
	       (two && two->robustImageAccess2 ? BW_CAPTURE_ROBUST_IMAGES_2 : 0);
}

/* ---- Pipelines ---- */

static struct bw_error *add_constants(struct bw_capture_pipeline *p, const VkSpecializationInfo *s)
{
	for (uint32_t i = 0; s && i < s->mapEntryCount; i++) {
		const VkSpecializationMapEntry *e = &s->pMapEntries[i];
		struct bw_capture_constant c = {.id = e->constantID, .size_b = (uint32_t)e->size};
		if (e->size > sizeof(c.value) || e->offset > s->dataSize ||
		    e->size > s->dataSize - e->offset)
			continue;
		memcpy(&c.value, (const uint8_t *)s->pData + e->offset, e->size);
		BW_TRY(bw_vec_push(&p->constants, c));
	}
	return NULL;
}

static void fill_head(const struct bw_vk_recorded *info, struct bw_capture_pipeline_head *h)
{
	static const VkStructureType known[] = {
		BW_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
		VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
		VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
	const BwPipelineCreateFlags2CreateInfo *flags =
		(const void *)find_in_chain(info->next, known[0]);
	const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *subgroup =
		(const void *)find_in_chain(info->shader->pNext, known[4]);
	h->flags = flags ? flags->flags : info->flags;
	h->stage_flags = info->shader->flags;
	h->subgroup = subgroup ? subgroup->requiredSubgroupSize : 0;
	h->unknown = unknown_in(info->next, known, BW_ARRAY_SIZE(known));
	if (!h->unknown)
		h->unknown = unknown_in(info->shader->pNext, known, BW_ARRAY_SIZE(known));
	h->stage = info->stage;
}

static bool is_small(const struct bw_capture_pipeline *p)
{
	return p->sets.len <= BW_CAPTURE_SETS_MAX && p->bindings.len <= BW_CAPTURE_BINDINGS_MAX &&
	       p->pushes.len <= BW_CAPTURE_PUSHES_MAX &&
	       p->constants.len <= BW_CAPTURE_CONSTANTS_MAX;
}

void bw_vk_record_pipeline(VkDevice device, const struct bw_vk_recorded *info, const char *entry,
			   struct bw_capture_bytes *out)
{
	struct bw_capture_pipeline *layout = NULL;
	if (!bw_handles_get(&layouts, HANDLE(info->layout), &layout))
		return;
	/* its vectors are the layout's, but for the constants */
	struct bw_capture_pipeline p = *layout;
	fill_head(info, &p.head);
	p.head.robustness = bw_vk_device_of(device)->robustness;
	struct bw_error *err = add_constants(&p, info->shader->pSpecializationInfo);
	if (!err && strlen(entry) < sizeof(p.head.entry)) {
		memcpy(p.head.entry, entry, strlen(entry));
		err = is_small(&p) ? bw_capture_pipeline_encode(&p, out) : NULL;
	}
	bw_vec_free(&p.constants);
	bw_error_free(err);
}
