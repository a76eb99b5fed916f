/* SPDX-License-Identifier: MIT */
/* Descriptor sets: layouts, what is written into sets or pushed in their place, and what is bound.
 * Each function calls the next layer's function, too. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/names/descriptors.h"
#include "agent/names/handles.h"
#include "agent/names/names_priv.h"
#include "agent/vulkan/sha1.h"
#include "agent/vulkan/vk_layer.h"
#include "base/cleanup.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

/* ---- Layouts ---- */

struct set_layout {
	struct bw_dynamic dynamic;
	uint64_t hash;
	const struct bw_vk_places *places;
	const struct bw_bindings *bindings;
};
static struct bw_handles set_layouts = BW_HANDLES_INIT(struct set_layout);

/* Bindings that are buffers, and where their first descriptors are in a set. */
struct place {
	uint32_t binding, type, count, pad;
	uint64_t offset_b;
};
struct bw_vk_places {
	const struct bw_vk_places *next;
	size_t n;
	struct place at[];
};
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct bw_vk_places *all_places;

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

/* A hash of the numbers that say what the bindings are. */
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

static bool is_buffer(VkDescriptorType type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || is_dynamic(type);
}

static const struct bw_bindings *bindings_of(const VkDescriptorSetLayoutBinding **sorted,
					     uint32_t n)
{
	_cleanup_free_ struct bw_binding_count *at = calloc(n ? n : 1, sizeof(*at));
	uint32_t k = 0;
	for (uint32_t i = 0; at && i < n; i++)
		if (sorted[i]->descriptorCount)
			at[k++] = (struct bw_binding_count){sorted[i]->binding,
							    sorted[i]->descriptorCount};
	return at ? bw_bindings_keep(at, k) : NULL;
}

/* The equal one of all_places, or else `new`, which is added. Takes ownership. */
static const struct bw_vk_places *keep_places(struct bw_vk_places *new)
{
	const struct bw_vk_places *p;
	pthread_mutex_lock(&places_lock);
	for (p = all_places; p; p = p->next)
		if (p->n == new->n && !memcmp(p->at, new->at, new->n * sizeof(*new->at)))
			break;
	if (!p) {
		new->next = all_places;
		p = all_places = new;
		new = NULL;
	}
	pthread_mutex_unlock(&places_lock);
	free(new);
	return p;
}

/* NULL: not for descriptor buffers, or no memory. */
static const struct bw_vk_places *find_places(VkDevice device, VkDescriptorSetLayout layout,
					      const VkDescriptorSetLayoutCreateInfo *info)
{
	const struct bw_vk_device *d = bw_vk_device_of(device);
	uint32_t n = info->bindingCount;
	if (!(info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT) ||
	    !d->GetDescriptorSetLayoutBindingOffsetEXT)
		return NULL;
	struct bw_vk_places *p = calloc(1, sizeof(*p) + n * sizeof(*p->at));
	for (uint32_t i = 0; p && i < n; i++) {
		const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
		VkDeviceSize offset_b = 0;
		if (!is_buffer(b->descriptorType))
			continue;
		d->GetDescriptorSetLayoutBindingOffsetEXT(device, layout, b->binding, &offset_b);
		p->at[p->n++] = (struct place){.binding = b->binding,
					       .type = b->descriptorType,
					       .count = b->descriptorCount,
					       .offset_b = offset_b};
	}
	return p ? keep_places(p) : NULL;
}

const struct bw_vk_places *bw_vk_set_layout_places(VkDescriptorSetLayout layout)
{
	struct set_layout l = {0};
	bw_handles_get(&set_layouts, HANDLE(layout), &l);
	return l.places;
}

void bw_vk_note_set_layout(VkDevice device, VkDescriptorSetLayout layout,
			   const VkDescriptorSetLayoutCreateInfo *info)
{
	struct set_layout l = {.places = find_places(device, layout, info)};
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
	l.bindings = sorted ? bindings_of(sorted, n) : NULL;
	bw_handles_put(&set_layouts, HANDLE(layout), &l);
}

const struct bw_bindings *bw_vk_set_layout_bindings(VkDescriptorSetLayout layout)
{
	struct set_layout l = {0};
	bw_handles_get(&set_layouts, HANDLE(layout), &l);
	return l.bindings;
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
		bw_descriptors_make(HANDLE(out[i]), &l.dynamic, l.bindings);
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

/* Writes go to a set, or are collected where they are pushed. */
struct written {
	uint64_t set;
	struct bw_descriptors *pushed; /* else NULL; into a set with these bindings: */
	const struct bw_bindings *bindings;
};

static void write_buffer(const struct written *to, uint32_t binding, uint32_t element,
			 VkDescriptorType type, const VkDescriptorBufferInfo *info)
{
	struct bw_descriptor d = {.binding = binding,
				  .element = element,
				  .type = type,
				  .is_dynamic = is_dynamic(type),
				  .buffer = HANDLE(info->buffer),
				  .offset_b = info->offset,
				  .range_b = info->range};
	if (!to->pushed)
		bw_descriptors_write(to->set, &d);
	else if (bw_bindings_place(to->bindings, &d))
		bw_descriptors_put(to->pushed, &d);
}

/* into: where they are pushed; NULL: each goes to its own set. */
static void write_all(const VkWriteDescriptorSet *writes, uint32_t n, const struct written *into)
{
	for (uint32_t i = 0; i < n; i++) {
		const VkWriteDescriptorSet *w = &writes[i];
		const struct written to = into ? *into : (struct written){HANDLE(w->dstSet)};
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

static void bind(uint64_t cmd, uint32_t first, uint32_t n, const VkDescriptorSet *sets,
		 uint32_t n_offsets, const uint32_t *offsets)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t set = sets ? HANDLE(sets[i]) : 0;
		uint32_t own = BW_MIN(set ? bw_descriptors_n_dynamic(set) : 0, n_offsets);
		bw_names_cmd_set(cmd, first + i, set, offsets, own);
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
		bind(HANDLE(cmd), first, n, sets, n_offsets, offsets);
	else if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
		bind(BW_NAMES_DRAWS(HANDLE(cmd)), first, n, sets, n_offsets, offsets);
	bw_vk_device_of(cmd)->CmdBindDescriptorSets(cmd, point, layout, first, n, sets, n_offsets,
						    offsets);
}

CALL bw_CmdBindDescriptorSets2(VkCommandBuffer cmd, const VkBindDescriptorSetsInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		bind(HANDLE(cmd), info->firstSet, info->descriptorSetCount, info->pDescriptorSets,
		     info->dynamicOffsetCount, info->pDynamicOffsets);
	if (info->stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS)
		bind(BW_NAMES_DRAWS(HANDLE(cmd)), info->firstSet, info->descriptorSetCount,
		     info->pDescriptorSets, info->dynamicOffsetCount, info->pDynamicOffsets);
	bw_vk_device_of(cmd)->CmdBindDescriptorSets2(cmd, info);
}

/* ---- Pushing ---- */

static void push(uint64_t cmd, VkPipelineLayout layout, uint32_t set, uint32_t n,
		 const VkWriteDescriptorSet *writes)
{
	struct bw_descriptors pushed = {0};
	const struct bw_bindings *bindings = bw_vk_layout_bindings(layout, set);
	write_all(writes, n, &(struct written){.pushed = &pushed, .bindings = bindings});
	bw_names_cmd_push_set(cmd, set, bw_vk_layout_set(layout, set), &pushed);
	bw_vec_free(&pushed);
}

static void push_template(VkCommandBuffer cmd, VkDescriptorUpdateTemplate template,
			  VkPipelineLayout layout, uint32_t set, const void *data)
{
	struct template t = {0};
	if (!bw_handles_get(&templates, HANDLE(template), &t) ||
	    (t.point != VK_PIPELINE_BIND_POINT_COMPUTE &&
	     t.point != VK_PIPELINE_BIND_POINT_GRAPHICS))
		return;
	bool draws = t.point == VK_PIPELINE_BIND_POINT_GRAPHICS;
	struct bw_descriptors pushed = {0};
	const struct bw_bindings *bindings = bw_vk_layout_bindings(layout, set);
	write_template(&(struct written){.pushed = &pushed, .bindings = bindings}, &t, data);
	bw_names_cmd_push_set(draws ? BW_NAMES_DRAWS(HANDLE(cmd)) : HANDLE(cmd), set,
			      bw_vk_layout_set(layout, set), &pushed);
	bw_vec_free(&pushed);
}

CALL bw_CmdPushDescriptorSetKHR(VkCommandBuffer cmd, VkPipelineBindPoint point,
				VkPipelineLayout layout, uint32_t set, uint32_t n,
				const VkWriteDescriptorSet *writes)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		push(HANDLE(cmd), layout, set, n, writes);
	else if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
		push(BW_NAMES_DRAWS(HANDLE(cmd)), layout, set, n, writes);
	bw_vk_device_of(cmd)->CmdPushDescriptorSetKHR(cmd, point, layout, set, n, writes);
}

CALL bw_CmdPushDescriptorSet2(VkCommandBuffer cmd, const VkPushDescriptorSetInfo *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		push(HANDLE(cmd), info->layout, info->set, info->descriptorWriteCount,
		     info->pDescriptorWrites);
	if (info->stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS)
		push(BW_NAMES_DRAWS(HANDLE(cmd)), info->layout, info->set,
		     info->descriptorWriteCount, info->pDescriptorWrites);
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

/* ---- Descriptor buffers ---- */

/* RADV's descriptor of a buffer is the hardware's: 4 dwords. Of long arrays the first ones. */
enum { BUFFERS_MAX = 32, DESCRIPTOR_B = 16, ELEMENTS_MAX = 256 };

/* The descriptor buffers that are bound, by their indices. */
struct buffers {
	uint64_t va[BUFFERS_MAX];
};
static struct bw_handles bound_buffers = BW_HANDLES_INIT(struct buffers);

CALL bw_CmdBindDescriptorBuffersEXT(VkCommandBuffer cmd, uint32_t n,
				    const VkDescriptorBufferBindingInfoEXT *infos)
{
	struct buffers b = {0};
	for (uint32_t i = 0; i < BW_MIN(n, (uint32_t)BUFFERS_MAX); i++)
		b.va[i] = infos[i].address;
	bw_handles_put(&bound_buffers, HANDLE(cmd), &b);
	bw_vk_device_of(cmd)->CmdBindDescriptorBuffersEXT(cmd, n, infos);
}

static void place_set(uint64_t cmd, VkPipelineLayout layout, uint32_t set, uint64_t va)
{
	const struct bw_vk_places *places = bw_vk_layout_places(layout, set);
	struct bw_descriptors all = {0};
	for (size_t i = 0; places && va && i < places->n; i++) {
		const struct place *p = &places->at[i];
		for (uint32_t k = 0; k < BW_MIN(p->count, (uint32_t)ELEMENTS_MAX); k++)
			bw_descriptors_put(
				&all, &(struct bw_descriptor){.binding = p->binding,
							      .element = k,
							      .type = p->type,
							      .at_va = va + p->offset_b +
								       (uint64_t)k * DESCRIPTOR_B});
	}
	/* in place of all that was there */
	bw_names_cmd_set(cmd, set, 0, NULL, 0);
	bw_names_cmd_push_set(cmd, set, bw_vk_layout_set(layout, set), &all);
	bw_vec_free(&all);
}

/* record: of dispatches or of draws. */
static void place_sets(uint64_t record, VkPipelineLayout layout, uint32_t first, uint32_t n,
		       const uint32_t *indices, const VkDeviceSize *offsets)
{
	struct buffers b = {0};
	bw_handles_get(&bound_buffers, record & ~(uint64_t)1, &b);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t va = indices[i] < BUFFERS_MAX ? b.va[indices[i]] : 0;
		place_set(record, layout, first + i, va ? va + offsets[i] : 0);
	}
}

CALL bw_CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer cmd, VkPipelineBindPoint point,
					 VkPipelineLayout layout, uint32_t first, uint32_t n,
					 const uint32_t *indices, const VkDeviceSize *offsets)
{
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		place_sets(HANDLE(cmd), layout, first, n, indices, offsets);
	else if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
		place_sets(BW_NAMES_DRAWS(HANDLE(cmd)), layout, first, n, indices, offsets);
	bw_vk_device_of(cmd)->CmdSetDescriptorBufferOffsetsEXT(cmd, point, layout, first, n,
							       indices, offsets);
}

CALL bw_CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer cmd,
					  const VkSetDescriptorBufferOffsetsInfoEXT *info)
{
	if (info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
		place_sets(HANDLE(cmd), info->layout, info->firstSet, info->setCount,
			   info->pBufferIndices, info->pOffsets);
	if (info->stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS)
		place_sets(BW_NAMES_DRAWS(HANDLE(cmd)), info->layout, info->firstSet,
			   info->setCount, info->pBufferIndices, info->pOffsets);
	bw_vk_device_of(cmd)->CmdSetDescriptorBufferOffsets2EXT(cmd, info);
}
