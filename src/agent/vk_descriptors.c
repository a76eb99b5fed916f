/* SPDX-License-Identifier: MIT */
/* Descriptor sets: layouts, what is written into sets, and what is bound. Each function calls the
 * next layer's function, too. */
#include <stdlib.h>
#include <string.h>

#include "agent/descriptors.h"
#include "agent/handles.h"
#include "agent/names_priv.h"
#include "agent/vk_layer.h"
#include "base/cleanup.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* ---- Layouts ---- */

static struct bw_handles set_layouts = BW_HANDLES_INIT(struct bw_dynamic);

static bool is_dynamic(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static int by_binding(const void *pa, const void *pb)
{
	const VkDescriptorSetLayoutBinding *const *a = pa, *const *b = pb;
	return (*a)->binding<(*b)->binding ? -1 : (*a)->binding>(*b)->binding;
}

void bw_vk_note_set_layout(VkDescriptorSetLayout layout,
			   const VkDescriptorSetLayoutCreateInfo *info)
{
	struct bw_dynamic d = {0};
	uint32_t n = info->bindingCount;
	_cleanup_free_ const VkDescriptorSetLayoutBinding **sorted =
		calloc(n ? n : 1, sizeof(*sorted));
	for (uint32_t i = 0; sorted && i < n; i++)
		sorted[i] = &info->pBindings[i];
	if (sorted && n)
		qsort((void *)sorted, n, sizeof(*sorted), by_binding);
	for (uint32_t i = 0; sorted && i < n; i++) {
		for (uint32_t k = 0; is_dynamic(sorted[i]->descriptorType) &&
				     k < sorted[i]->descriptorCount && d.n < BW_DYNAMIC_MAX;
		     k++) {
			d.at[d.n].binding = sorted[i]->binding;
			d.at[d.n++].element = k;
		}
	}
	bw_handles_put(&set_layouts, HANDLE(layout), &d);
}

/* ---- Sets ---- */

RESULT bw_AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info,
				 VkDescriptorSet *out)
{
	VkResult r = bw_vk_device_of(device)->AllocateDescriptorSets(device, info, out);
	for (uint32_t i = 0; r == VK_SUCCESS && i < info->descriptorSetCount; i++) {
		struct bw_dynamic d = {0};
		bw_handles_get(&set_layouts, HANDLE(info->pSetLayouts[i]), &d);
		bw_descriptors_make(HANDLE(out[i]), &d);
	}
	return r;
}

RESULT bw_FreeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t n,
			     const VkDescriptorSet *sets)
{
	for (uint32_t i = 0; i < n; i++)
		if (sets[i])
			bw_descriptors_forget(HANDLE(sets[i]));
	return bw_vk_device_of(device)->FreeDescriptorSets(device, pool, n, sets);
}

static bool is_buffer(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || is_dynamic(type);
}

static void write_buffer(uint64_t set, uint32_t binding, uint32_t element, VkDescriptorType type,
			 const VkDescriptorBufferInfo *info)
{
	const struct bw_descriptor d = {.binding = binding,
					.element = element,
					.type = type,
					.is_dynamic = is_dynamic(type),
					.buffer = HANDLE(info->buffer),
					.offset_b = info->offset,
					.range_b = info->range};
	bw_descriptors_write(set, &d);
}

CALL bw_UpdateDescriptorSets(VkDevice device, uint32_t n_writes, const VkWriteDescriptorSet *writes,
			     uint32_t n_copies, const VkCopyDescriptorSet *copies)
{
	for (uint32_t i = 0; i < n_writes; i++) {
		const VkWriteDescriptorSet *w = &writes[i];
		for (uint32_t k = 0; is_buffer(w->descriptorType) && k < w->descriptorCount; k++)
			write_buffer(HANDLE(w->dstSet), w->dstBinding, w->dstArrayElement + k,
				     w->descriptorType, &w->pBufferInfo[k]);
	}
	for (uint32_t i = 0; i < n_copies; i++) {
		const VkCopyDescriptorSet *c = &copies[i];
		const struct bw_descriptor first = {.binding = c->dstBinding,
						    .element = c->dstArrayElement};
		bw_descriptors_copy(HANDLE(c->srcSet), c->srcBinding, c->srcArrayElement,
				    HANDLE(c->dstSet), &first, c->descriptorCount);
	}
	bw_vk_device_of(device)->UpdateDescriptorSets(device, n_writes, writes, n_copies, copies);
}

/* ---- Templates ---- */

struct template
{
	uint32_t n;
	VkDescriptorUpdateTemplateEntry *entries; /* owned by the table */
};
static struct bw_handles templates = BW_HANDLES_INIT(struct template);

RESULT bw_CreateDescriptorUpdateTemplate(VkDevice device,
					 const VkDescriptorUpdateTemplateCreateInfo *info,
					 const VkAllocationCallbacks *alloc,
					 VkDescriptorUpdateTemplate *out)
{
	VkResult r =
		bw_vk_device_of(device)->CreateDescriptorUpdateTemplate(device, info, alloc, out);
	struct template t = {.n = info->descriptorUpdateEntryCount};
	if (r == VK_SUCCESS)
		t.entries = calloc(t.n ? t.n : 1, sizeof(*t.entries));
	if (!t.entries)
		return r;
	memcpy(t.entries, info->pDescriptorUpdateEntries, t.n * sizeof(*t.entries));
	bw_handles_put(&templates, HANDLE(*out), &t);
	return r;
}

CALL bw_DestroyDescriptorUpdateTemplate(VkDevice device, VkDescriptorUpdateTemplate template,
					const VkAllocationCallbacks *alloc)
{
	struct template t = {0};
	if (bw_handles_get(&templates, HANDLE(template), &t))
		free(t.entries);
	bw_handles_drop(&templates, HANDLE(template));
	bw_vk_device_of(device)->DestroyDescriptorUpdateTemplate(device, template, alloc);
}

CALL bw_UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet set,
					VkDescriptorUpdateTemplate template, const void *data)
{
	struct template t = {0};
	bw_handles_get(&templates, HANDLE(template), &t);
	for (uint32_t i = 0; i < t.n; i++) {
		const VkDescriptorUpdateTemplateEntry *e = &t.entries[i];
		for (uint32_t k = 0; is_buffer(e->descriptorType) && k < e->descriptorCount; k++)
			write_buffer(
				HANDLE(set), e->dstBinding, e->dstArrayElement + k,
				e->descriptorType,
				(const void *)((const uint8_t *)data + e->offset + k * e->stride));
	}
	bw_vk_device_of(device)->UpdateDescriptorSetWithTemplate(device, set, template, data);
}

/* ---- Binding ---- */

static void bind(VkCommandBuffer cmd, uint32_t first, uint32_t n, const VkDescriptorSet *sets,
		 uint32_t n_offsets, const uint32_t *offsets)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t set = sets ? HANDLE(sets[i]) : 0;
		uint32_t own = BW_MIN(set ? bw_descriptors_n_dynamic(set) : 0, n_offsets);
		bw_names_cmd_set(HANDLE(cmd), first + i, set, offsets, own);
		offsets += own;
		n_offsets -= own;
	}
}

CALL bw_CmdBindDescriptorSets(VkCommandBuffer cmd, VkPipelineBindPoint point,
			      VkPipelineLayout layout, uint32_t first, uint32_t n,
			      const VkDescriptorSet *sets, uint32_t n_offsets,
			      const uint32_t *offsets)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		bind(cmd, first, n, sets, n_offsets, offsets);
	bw_vk_device_of(cmd)->CmdBindDescriptorSets(cmd, point, layout, first, n, sets, n_offsets,
						    offsets);
}

CALL bw_CmdBindDescriptorSets2(VkCommandBuffer cmd, const VkBindDescriptorSetsInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		bind(cmd, info->firstSet, info->descriptorSetCount, info->pDescriptorSets,
		     info->dynamicOffsetCount, info->pDynamicOffsets);
	bw_vk_device_of(cmd)->CmdBindDescriptorSets2(cmd, info);
}

/* What a command puts in place of a set is not followed: then nothing is known of that set. */
CALL bw_CmdPushDescriptorSetKHR(VkCommandBuffer cmd, VkPipelineBindPoint point,
				VkPipelineLayout layout, uint32_t set, uint32_t n,
				const VkWriteDescriptorSet *writes)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		bw_names_cmd_set(HANDLE(cmd), set, 0, NULL, 0);
	bw_vk_device_of(cmd)->CmdPushDescriptorSetKHR(cmd, point, layout, set, n, writes);
}
