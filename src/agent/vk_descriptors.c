/* SPDX-License-Identifier: MIT */
/* Descriptor sets: layouts, what is written into sets or pushed in their place, and what is bound.
 * Each function calls the next layer's function, too. */
#include <stdlib.h>
#include <string.h>

#include "agent/descriptors.h"
#include "agent/handles.h"
#include "agent/names_priv.h"
#include "agent/sha1.h"
#include "agent/vk_layer.h"
#include "base/cleanup.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* ---- Layouts ---- */

struct set_layout {
	struct bw_dynamic dynamic;
	uint64_t hash;
};
static struct bw_handles set_layouts = BW_HANDLES_INIT(struct set_layout);

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

/* Of the numbers that say what the bindings are. */
static uint64_t hash_of(const VkDescriptorSetLayoutBinding **sorted, uint32_t n)
{
	_cleanup_free_ uint32_t *words = calloc(3ull * n + 1, sizeof(*words));
	for (uint32_t i = 0; words && i < n; i++) {
		words[3 * i] = sorted[i]->binding;
		words[3 * i + 1] = sorted[i]->descriptorType;
		words[3 * i + 2] = sorted[i]->descriptorCount;
	}
	return words ? bw_sha1_64(words, 3ull * n * sizeof(*words)) : 0;
}

void bw_vk_note_set_layout(VkDescriptorSetLayout layout,
			   const VkDescriptorSetLayoutCreateInfo *info)
{
	struct set_layout l = {0};
	struct bw_dynamic *d = &l.dynamic;
	uint32_t n = info->bindingCount;
	_cleanup_free_ const VkDescriptorSetLayoutBinding **sorted =
		calloc(n ? n : 1, sizeof(*sorted));
	for (uint32_t i = 0; sorted && i < n; i++)
		sorted[i] = &info->pBindings[i];
	if (sorted && n)
		qsort((void *)sorted, n, sizeof(*sorted), by_binding);
	for (uint32_t i = 0; sorted && i < n; i++) {
		for (uint32_t k = 0; is_dynamic(sorted[i]->descriptorType) &&
				     k < sorted[i]->descriptorCount && d->n < BW_DYNAMIC_MAX;
		     k++) {
			d->at[d->n].binding = sorted[i]->binding;
			d->at[d->n++].element = k;
		}
	}
	l.hash = sorted ? hash_of(sorted, n) : 0;
	bw_handles_put(&set_layouts, HANDLE(layout), &l);
}

uint64_t bw_vk_set_layout_hash(VkDescriptorSetLayout layout)
{
	struct set_layout l = {0};
	bw_handles_get(&set_layouts, HANDLE(layout), &l);
	return l.hash;
}

/* ---- Sets ---- */

RESULT bw_AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info,
				 VkDescriptorSet *out)
{
	VkResult r = bw_vk_device_of(device)->AllocateDescriptorSets(device, info, out);
	for (uint32_t i = 0; r == VK_SUCCESS && i < info->descriptorSetCount; i++) {
		struct set_layout l = {0};
		bw_handles_get(&set_layouts, HANDLE(info->pSetLayouts[i]), &l);
		bw_descriptors_make(HANDLE(out[i]), &l.dynamic);
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

/* Writes go to a set, or are collected where they are pushed. */
struct written {
	uint64_t set;
	struct bw_descriptors *pushed; /* else NULL */
};

static void write_buffer(const struct written *to, uint32_t binding, uint32_t element,
			 VkDescriptorType type, const VkDescriptorBufferInfo *info)
{
	const struct bw_descriptor d = {.binding = binding,
					.element = element,
					.type = type,
					.is_dynamic = is_dynamic(type),
					.buffer = HANDLE(info->buffer),
					.offset_b = info->offset,
					.range_b = info->range};
	if (to->pushed)
		bw_descriptors_put(to->pushed, &d);
	else
		bw_descriptors_write(to->set, &d);
}

static void write_all(const VkWriteDescriptorSet *writes, uint32_t n, struct bw_descriptors *pushed)
{
	for (uint32_t i = 0; i < n; i++) {
		const VkWriteDescriptorSet *w = &writes[i];
		const struct written to = {HANDLE(w->dstSet), pushed};
		for (uint32_t k = 0; is_buffer(w->descriptorType) && k < w->descriptorCount; k++)
			write_buffer(&to, w->dstBinding, w->dstArrayElement + k, w->descriptorType,
				     &w->pBufferInfo[k]);
	}
}

CALL bw_UpdateDescriptorSets(VkDevice device, uint32_t n_writes, const VkWriteDescriptorSet *writes,
			     uint32_t n_copies, const VkCopyDescriptorSet *copies)
{
	write_all(writes, n_writes, NULL);
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
	VkPipelineBindPoint point;		  /* of one that pushes */
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
	struct template t = {.n = info->descriptorUpdateEntryCount,
			     .point = info->pipelineBindPoint};
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

static void write_template(const struct written *to, const struct template *t, const uint8_t *data)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const VkDescriptorUpdateTemplateEntry *e = &t->entries[i];
		for (uint32_t k = 0; is_buffer(e->descriptorType) && k < e->descriptorCount; k++)
			write_buffer(to, e->dstBinding, e->dstArrayElement + k, e->descriptorType,
				     (const void *)(data + e->offset + k * e->stride));
	}
}

CALL bw_UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet set,
					VkDescriptorUpdateTemplate template, const void *data)
{
	struct template t = {0};
	bw_handles_get(&templates, HANDLE(template), &t);
	write_template(&(struct written){.set = HANDLE(set)}, &t, data);
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

/* ---- Pushing ---- */

static void push(VkCommandBuffer cmd, VkPipelineLayout layout, uint32_t set, uint32_t n,
		 const VkWriteDescriptorSet *writes)
{
	struct bw_descriptors pushed = {0};
	write_all(writes, n, &pushed);
	bw_names_cmd_push_set(HANDLE(cmd), set, bw_vk_layout_set(layout, set), &pushed);
	bw_vec_free(&pushed);
}

static void push_template(VkCommandBuffer cmd, VkDescriptorUpdateTemplate template,
			  VkPipelineLayout layout, uint32_t set, const void *data)
{
	struct template t = {0};
	if (!bw_handles_get(&templates, HANDLE(template), &t) ||
	    t.point != VK_PIPELINE_BIND_POINT_COMPUTE)
		return;
	struct bw_descriptors pushed = {0};
	write_template(&(struct written){.pushed = &pushed}, &t, data);
	bw_names_cmd_push_set(HANDLE(cmd), set, bw_vk_layout_set(layout, set), &pushed);
	bw_vec_free(&pushed);
}

CALL bw_CmdPushDescriptorSetKHR(VkCommandBuffer cmd, VkPipelineBindPoint point,
				VkPipelineLayout layout, uint32_t set, uint32_t n,
				const VkWriteDescriptorSet *writes)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		push(cmd, layout, set, n, writes);
	bw_vk_device_of(cmd)->CmdPushDescriptorSetKHR(cmd, point, layout, set, n, writes);
}

CALL bw_CmdPushDescriptorSet2(VkCommandBuffer cmd, const VkPushDescriptorSetInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		push(cmd, info->layout, info->set, info->descriptorWriteCount,
		     info->pDescriptorWrites);
	bw_vk_device_of(cmd)->CmdPushDescriptorSet2(cmd, info);
}

CALL bw_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer cmd,
					    VkDescriptorUpdateTemplate template,
					    VkPipelineLayout layout, uint32_t set, const void *data)
{
	push_template(cmd, template, layout, set, data);
	bw_vk_device_of(cmd)->CmdPushDescriptorSetWithTemplateKHR(cmd, template, layout, set, data);
}

CALL bw_CmdPushDescriptorSetWithTemplate2(VkCommandBuffer cmd,
					  const VkPushDescriptorSetWithTemplateInfo *info)
{
	push_template(cmd, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
	bw_vk_device_of(cmd)->CmdPushDescriptorSetWithTemplate2(cmd, info);
}
