/* SPDX-License-Identifier: MIT */
/* Shaders, pipelines and their layouts: what each is made of. Each function calls the next layer's
 * function first. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/names/handles.h"
#include "agent/names/names_priv.h"
#include "agent/shaders/shader_rules.h"
#include "agent/shaders/shaders.h"
#include "agent/vulkan/sha1.h"
#include "agent/vulkan/vk_layer.h"
#include "agent/vulkan/vk_plan.h"
#include "agent/vulkan/vk_record.h"
#include "agent/vulkan/vk_swap.h"
#include "base/cleanup.h"
#include "base/spirv_numbers.h"
#include "base/util.h"

#define HANDLE(h) BW_VK_HANDLE(h)
#define CALL VKAPI_ATTR void VKAPI_CALL
#define RESULT VKAPI_ATTR VkResult VKAPI_CALL

static struct bw_handles modules = BW_HANDLES_INIT(struct bw_vk_module);
static struct bw_handles layouts = BW_HANDLES_INIT(struct bw_vk_layout);
static struct bw_handles set_layouts = BW_HANDLES_INIT(uint16_t);

/* LocalSize of the entry point, where it is a plain number. A size that specialisation may change
 * stays 0: a constant decorated as WorkgroupSize in a module with specialisation constants. */
static void find_local_size(const uint32_t *code, size_t n, const char *entry, uint32_t out[3])
{
	uint32_t id = 0, size_ids[3] = {0};
	bool decorated = false;
	memset(out, 0, 3 * sizeof(*out));
	for (size_t at = SPV_HEADER; at < n;) {
		uint32_t words = bw_spv_n_words(code[at]), op = bw_spv_op(code[at]);
		const uint32_t *w = &code[at];
		if (!words || words > n - at || op == OP_FUNCTION)
			return;
		if (op == OP_ENTRY_POINT && words > 3 && w[1] == MODEL_COMPUTE &&
		    (!entry || !strncmp((const char *)&w[3], entry, (words - 3) * 4)))
			id = w[2];
		else if (op == OP_EXECUTION_MODE && words >= 6 && w[1] == id &&
			 w[2] == MODE_LOCAL_SIZE)
			memcpy(out, &w[3], 3 * sizeof(*out));
		else if (op == OP_EXECUTION_MODE_ID && words >= 6 && w[1] == id &&
			 w[2] == MODE_LOCAL_SIZE_ID)
			memcpy(size_ids, &w[3], sizeof(size_ids));
		else if (op == OP_CONSTANT && words == 4)
			for (int i = 0; i < 3; i++)
				out[i] = size_ids[i] && size_ids[i] == w[2] ? w[3] : out[i];
		else if (op == OP_DECORATE && words >= 4 && w[2] == DECO_BUILTIN &&
			 w[3] == BUILTIN_WORKGROUP_SIZE)
			decorated = true;
		else if (op >= OP_SPEC_TRUE && op <= OP_SPEC_OP && decorated)
			memset(out, 0, 3 * sizeof(*out));
		at += words;
	}
}

/* The file that OpSource names, an OpString. */
static void find_file(const uint32_t *code, size_t n, char out[64])
{
	uint32_t file = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t at = SPV_HEADER; at < n;) {
			const uint32_t *w = &code[at];
			uint32_t words = bw_spv_n_words(w[0]), op = bw_spv_op(w[0]);
			if (!words || words > n - at || op == OP_FUNCTION)
				break;
			if (!file && op == OP_SOURCE && words > 3)
				file = w[3];
			const char *text = (const char *)&w[2];
			if (pass && op == OP_STRING && words > 2 && w[1] == file &&
			    memchr(text, 0, (words - 2) * 4ul)) {
				const char *slash = strrchr(text, '/');
				snprintf(out, 64, "%s", slash ? slash + 1 : text);
				return;
			}
			at += words;
		}
	}
}

static bool has_debug_printf(const uint32_t *code, size_t n)
{
	static const char name[] = "NonSemantic.DebugPrintf";
	for (size_t at = SPV_HEADER; at < n;) {
		uint32_t words = bw_spv_n_words(code[at]), op = bw_spv_op(code[at]);
		if (!words || words > n - at || op == OP_FUNCTION)
			return false;
		if (op == OP_EXT_INST_IMPORT && words * 4 >= 8 + sizeof(name) &&
		    !memcmp(&code[at + 2], name, sizeof(name)))
			return true;
		at += words;
	}
	return false;
}

/* No driver carries out debugPrintfEXT by itself: silence would be taken for "not reached". A
 * debugger says so of each shader; without one it is said once. */
static void warn_of_prints(const uint32_t *code, size_t n)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	if (!bw_agent_config()->folders[BW_AGENT_DEBUGGER] && has_debug_printf(code, n) &&
	    !atomic_flag_test_and_set(&said))
		bw_agent_say(
			"breakwater: a shader prints by debugPrintfEXT: that is not shown; "
			"\"breakwater run -- PROGRAM\" and \"dprintf LINE,\"FORMAT\",VALUE...\" "
			"print a line for each wave\n");
}

static struct bw_vk_module describe(const uint32_t *code, size_t size_b)
{
	struct bw_vk_module m = {.hash = bw_sha1_64(code, size_b),
				 .spirv = bw_spirv_copy_new(code, size_b)};
	bw_vk_swap_save(m.hash, code, size_b);
	warn_of_prints(code, size_b / 4);
	find_local_size(code, size_b / 4, NULL, m.local_size);
	find_file(code, size_b / 4, m.file);
	return m;
}

RESULT bw_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
			     const VkAllocationCallbacks *alloc, VkShaderModule *out)
{
	VkResult r = bw_vk_device_of(device)->CreateShaderModule(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	struct bw_vk_module m = describe(info->pCode, info->codeSize);
	bw_names_set_name(0, HANDLE(*out), "");
	bw_handles_put(&modules, HANDLE(*out), &m);
	return r;
}

CALL bw_DestroyShaderModule(VkDevice device, VkShaderModule module,
			    const VkAllocationCallbacks *alloc)
{
	struct bw_vk_module m = {0};
	if (bw_handles_get(&modules, HANDLE(module), &m))
		bw_spirv_copy_unref(m.spirv);
	bw_handles_drop(&modules, HANDLE(module));
	bw_vk_device_of(device)->DestroyShaderModule(device, module, alloc);
}

/* Dynamic buffers lie elsewhere, and the descriptors of an inline block are its bytes: they are not
 * counted. */
RESULT bw_CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
				    const VkAllocationCallbacks *alloc, VkDescriptorSetLayout *out)
{
	VkResult r = bw_vk_device_of(device)->CreateDescriptorSetLayout(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	uint32_t n = 0;
	for (uint32_t i = 0; i < info->bindingCount; i++) {
		const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
		if (b->descriptorType != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC &&
		    b->descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC &&
		    b->descriptorType != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK &&
		    b->descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER)
			n += b->descriptorCount;
	}
	bw_vk_note_set_layout(device, *out, info);
	bw_vk_record_set_layout(*out, info);
	uint16_t known = (uint16_t)BW_MIN(n, (uint32_t)UINT16_MAX);
	bw_handles_put(&set_layouts, HANDLE(*out), &known);
	return r;
}

static struct bw_vk_layout layout_of(uint32_t n_sets, const VkDescriptorSetLayout *sets,
				     uint32_t n_ranges, const VkPushConstantRange *ranges)
{
	struct bw_vk_layout l = {0};
	for (uint32_t i = 0; i < n_ranges; i++)
		l.push_b = BW_MAX(l.push_b, ranges[i].offset + ranges[i].size);
	for (uint32_t i = 0; i < n_sets && i < BW_ARRAY_SIZE(l.sets); i++) {
		bw_handles_get(&set_layouts, HANDLE(sets[i]), &l.sets[i]);
		l.hashes[i] = bw_vk_set_layout_hash(sets[i]);
		l.places[i] = bw_vk_set_layout_places(sets[i]);
		l.bindings[i] = bw_vk_set_layout_bindings(sets[i]);
	}
	return l;
}

uint64_t bw_vk_layout_set(VkPipelineLayout layout, uint32_t set)
{
	struct bw_vk_layout l = {0};
	bw_handles_get(&layouts, HANDLE(layout), &l);
	return set < BW_ARRAY_SIZE(l.hashes) ? l.hashes[set] : 0;
}

const struct bw_vk_places *bw_vk_layout_places(VkPipelineLayout layout, uint32_t set)
{
	struct bw_vk_layout l = {0};
	bw_handles_get(&layouts, HANDLE(layout), &l);
	return set < BW_ARRAY_SIZE(l.places) ? l.places[set] : NULL;
}

const struct bw_bindings *bw_vk_layout_bindings(VkPipelineLayout layout, uint32_t set)
{
	struct bw_vk_layout l = {0};
	bw_handles_get(&layouts, HANDLE(layout), &l);
	return set < BW_ARRAY_SIZE(l.bindings) ? l.bindings[set] : NULL;
}

RESULT bw_CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
			       const VkAllocationCallbacks *alloc, VkPipelineLayout *out)
{
	VkResult r = bw_vk_device_of(device)->CreatePipelineLayout(device, info, alloc, out);
	if (r != VK_SUCCESS)
		return r;
	struct bw_vk_layout l = layout_of(info->setLayoutCount, info->pSetLayouts,
					  info->pushConstantRangeCount, info->pPushConstantRanges);
	bw_handles_put(&layouts, HANDLE(*out), &l);
	bw_vk_record_layout(*out, info);
	return r;
}

CALL bw_DestroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
			      const VkAllocationCallbacks *alloc)
{
	bw_handles_drop(&layouts, HANDLE(layout));
	bw_vk_record_drop_layout(layout);
	bw_vk_device_of(device)->DestroyPipelineLayout(device, layout, alloc);
}

static bool layout_lives(VkPipelineLayout layout)
{
	struct bw_vk_layout l;
	return bw_handles_get(&layouts, HANDLE(layout), &l);
}

void bw_vk_name_pipeline(VkDevice device, uint64_t handle, const char *name)
{
	bw_vk_swap_named(device, (VkPipeline)(uintptr_t)handle, name, layout_lives);
}

static const VkShaderModuleCreateInfo *inline_module(const void *next)
{
	const VkBaseInStructure *s = next;
	while (s && s->sType != VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
		s = s->pNext;
	return (const VkShaderModuleCreateInfo *)s;
}

const char *bw_vk_inline_name(const void *next)
{
	const VkBaseInStructure *s = next;
	while (s && s->sType != VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT)
		s = s->pNext;
	return s ? ((const VkDebugUtilsObjectNameInfoEXT *)s)->pObjectName : NULL;
}

static void keep_shader(const struct bw_vk_made *made, uint32_t id, struct bw_spirv_copy *spirv)
{
	const VkSpecializationInfo *info = made->constants;
	uint32_t n = info ? info->mapEntryCount : 0;
	_cleanup_free_ struct bw_agent_constant *constants = calloc(n ? n : 1, sizeof(*constants));
	size_t k = 0;
	for (uint32_t i = 0; constants && i < n; i++) {
		const VkSpecializationMapEntry *e = &info->pMapEntries[i];
		struct bw_agent_constant c = {.id = e->constantID, .size_b = (uint32_t)e->size};
		if (e->size > sizeof(c.value) || e->offset > info->dataSize ||
		    e->size > info->dataSize - e->offset)
			continue;
		memcpy(&c.value, (const uint8_t *)info->pData + e->offset, e->size);
		constants[k++] = c;
	}
	bw_shaders_add(id, made->handle, spirv, constants, k);
}

/* Describes a shader before it is made. */
static struct bw_agent_object describe_made(const struct bw_vk_made *made,
					    const struct bw_vk_module *m,
					    const struct bw_vk_layout *l)
{
	const char *entry = made->entry, *name = made->name;
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_PIPELINE,
				    .handle = made->handle,
				    .push_b = l->push_b,
				    .hash = m->hash,
				    .stage = made->stage};
	memcpy(o.sets, l->sets, sizeof(o.sets));
	memcpy(o.dim, m->local_size, sizeof(o.dim));
	memcpy(o.file, m->file, sizeof(o.file));
	/* the bytes of text that fit; the rest is zero already */
	memcpy(o.entry, entry, strnlen(entry, sizeof(o.entry) - 1));
	if (name)
		memcpy(o.name, name, strnlen(name, sizeof(o.name) - 1));
	if (made->module)
		bw_names_other_name(made->module, o.module);
	return o;
}

static void make_plan(const struct bw_vk_made *made, const struct bw_vk_module *m,
		      const struct bw_vk_layout *l, struct bw_vk_plan *out)
{
	*out = (struct bw_vk_plan){.made = *made, .m = *m, .l = *l, .rule = -1};
	/* rules replace compute shaders */
	if (bw_agent_shader_rules() && !made->stage) {
		const struct bw_agent_object o = describe_made(made, m, l);
		bw_agent_shader_say(BW_SWAP_CREATED, -1, &o, NULL);
		out->rule = bw_vk_swap_rule(&o);
	}
	if (out->rule >= 0) {
		out->other = bw_vk_swap_code(out->rule, &out->other_b);
		return;
	}
	out->noted = bw_shaders_with_notes(m->spirv);
	out->other = out->noted.data;
	out->other_b = 4 * out->noted.len;
}

void bw_vk_plan_free(VkDevice device, struct bw_vk_plan *plan)
{
	bw_spirv_copy_unref(plan->m.spirv);
	bw_vec_free(&plan->noted);
	if (plan->module)
		bw_vk_device_of(device)->DestroyShaderModule(device, plan->module, NULL);
}

static const char *entry_of(const struct bw_vk_plan *plan)
{
	return plan->rule >= 0 ? bw_vk_swap_entry(plan->rule, plan->made.entry) : plan->made.entry;
}

uint32_t bw_vk_plan_add(const struct bw_vk_plan *plan, uint64_t handle)
{
	struct bw_vk_made made = plan->made;
	struct bw_vk_module m = plan->m;
	made.handle = handle;
	const char *refused = plan->refusal;
	struct bw_agent_object o = describe_made(&made, &m, &plan->l);
	uint32_t id;
	if (plan->other && !refused) {
		find_local_size(plan->other, plan->other_b / 4, NULL, o.dim);
		struct bw_spirv_copy *spirv = bw_spirv_copy_new(plan->other, plan->other_b);
		id = bw_names_add(&o);
		keep_shader(&made, id, spirv);
		bw_spirv_copy_unref(spirv);
	} else {
		id = bw_names_add(&o);
		keep_shader(&made, id, m.spirv);
	}
	if (plan->rule >= 0)
		bw_agent_shader_say(refused ? BW_SWAP_REFUSED : BW_SWAP_REPLACED, plan->rule, &o,
				    refused);
	return id;
}

void bw_vk_plan_stage(const VkPipelineShaderStageCreateInfo *info, VkPipelineLayout layout,
		      const char *name, enum bw_agent_stage stage, struct bw_vk_plan *out)
{
	const VkShaderModuleCreateInfo *own = inline_module(info->pNext);
	struct bw_vk_module m = {0};
	struct bw_vk_layout l = {0};
	if (own)
		m = describe(own->pCode, own->codeSize);
	else if (bw_handles_get(&modules, HANDLE(info->module), &m))
		bw_spirv_copy_ref(m.spirv);
	bw_handles_get(&layouts, HANDLE(layout), &l);
	const struct bw_vk_made made = {0,    HANDLE(info->module),	 info->pName,
					name, info->pSpecializationInfo, stage};
	make_plan(&made, &m, &l, out);
}

bool bw_vk_plan_replace(VkDevice device, struct bw_vk_plan *plan,
			VkPipelineShaderStageCreateInfo *stage)
{
	if (stage->module) {
		plan->module = bw_vk_swap_module(device, plan->other, plan->other_b);
		stage->module = plan->module;
		if (!plan->module)
			return false;
	} else {
		/* drivers take the first structure of a kind */
		plan->own = (VkShaderModuleCreateInfo){
			.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
			.pNext = stage->pNext};
		plan->own.pCode = plan->other;
		plan->own.codeSize = plan->other_b;
		stage->pNext = &plan->own;
	}
	stage->pName = entry_of(plan);
	return true;
}

/* Pipelines as they are to be made: of other SPIR-V where a rule says so, and with a flag for which
 * the driver keeps what it knows of a shader's code. All owned. */
struct with_changes {
	struct bw_vk_plan *plans;
	VkComputePipelineCreateInfo *infos;
	BwPipelineCreateFlags2CreateInfo *flags;
	bool has_any, has_swaps;
};

static void add_pipeline(VkDevice device, const VkComputePipelineCreateInfo *info,
			 VkPipeline pipeline, const struct bw_vk_plan *plan)
{
	bool is_swapped = plan->rule >= 0 && !plan->refusal;
	struct bw_capture_bytes record = {0};
	bw_vk_record_pipeline(device,
			      &(struct bw_vk_recorded){.next = info->pNext,
						       .flags = info->flags,
						       .layout = info->layout,
						       .shader = &info->stage},
			      is_swapped ? entry_of(plan) : info->stage.pName, &record);
	bw_shaders_keep_record(bw_vk_plan_add(plan, HANDLE(pipeline)), &record);
	if (is_swapped)
		return;
	const struct bw_agent_object o = describe_made(&plan->made, &plan->m, &plan->l);
	bw_vk_swap_keep(pipeline, info, &o);
}

static void free_changes(VkDevice device, uint32_t n, struct with_changes *c)
{
	for (uint32_t i = 0; c->plans && i < n; i++)
		bw_vk_plan_free(device, &c->plans[i]);
	free(c->infos);
	free(c->flags);
	free(c->plans);
}

void bw_vk_plan_flags(const void **next, VkPipelineCreateFlags *old,
		      BwPipelineCreateFlags2CreateInfo *flags)
{
	const VkBaseInStructure *s = *next;
	*old |= VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
	while (s && s->sType != BW_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO)
		s = s->pNext;
	if (!s)
		return;
	/* These flags replace the others. Drivers take the first structure of a kind. */
	*flags = *(const BwPipelineCreateFlags2CreateInfo *)s;
	flags->pNext = *next;
	flags->flags |= (uint64_t)VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
	*next = flags;
}

/* False: no memory. To be freed in any case. */
static bool make_changes(VkDevice device, uint32_t n, const VkComputePipelineCreateInfo *infos,
			 struct with_changes *out)
{
	out->plans = calloc(n ? n : 1, sizeof(*out->plans));
	for (uint32_t i = 0; out->plans && i < n; i++)
		bw_vk_plan_stage(&infos[i].stage, infos[i].layout,
				 bw_vk_inline_name(infos[i].pNext), BW_AGENT_COMPUTE,
				 &out->plans[i]);
	out->infos = calloc(n ? n : 1, sizeof(*out->infos));
	out->flags = calloc(n ? n : 1, sizeof(*out->flags));
	if (!out->plans || !out->infos || !out->flags)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct bw_vk_plan *plan = &out->plans[i];
		out->infos[i] = infos[i];
		if (bw_shaders_are_wanted()) {
			bw_vk_plan_flags(&out->infos[i].pNext, &out->infos[i].flags,
					 &out->flags[i]);
			out->has_any = true;
		}
		if (!plan->other)
			continue;
		out->has_any = out->has_swaps = true;
		if (!bw_vk_plan_replace(device, plan, &out->infos[i].stage)) {
			out->infos[i].stage = infos[i].stage;
			plan->refusal = "the driver makes no shader module of it";
		}
	}
	return true;
}

RESULT bw_CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t n,
				 const VkComputePipelineCreateInfo *infos,
				 const VkAllocationCallbacks *alloc, VkPipeline *out)
{
	struct with_changes c = {0};
	const struct bw_vk_device *d = bw_vk_device_of(device);
	bool can = make_changes(device, n, infos, &c);
	VkResult r = d->CreateComputePipelines(device, cache, n, can && c.has_any ? c.infos : infos,
					       alloc, out);
	if (r < 0 && can && c.has_swaps) {
		for (uint32_t i = 0; i < n; i++) {
			if (out[i])
				d->DestroyPipeline(device, out[i], alloc);
			c.plans[i].refusal = "the driver makes no pipeline of it";
		}
		r = d->CreateComputePipelines(device, cache, n, infos, alloc, out);
	}
	for (uint32_t i = 0; r >= 0 && c.plans && i < n; i++)
		if (out[i])
			add_pipeline(device, &infos[i], out[i], &c.plans[i]);
	free_changes(device, n, &c);
	return r;
}

CALL bw_DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *alloc)
{
	for (uint32_t stage = BW_AGENT_COMPUTE; stage < BW_AGENT_STAGES; stage++) {
		bw_names_remove(BW_AGENT_OBJECT_PIPELINE, BW_NAMES_STAGE(HANDLE(pipeline), stage));
		bw_shaders_remove(BW_NAMES_STAGE(HANDLE(pipeline), stage));
	}
	bw_vk_swap_drop(device, pipeline);
	bw_vk_device_of(device)->DestroyPipeline(device, pipeline, alloc);
}

/* Compute shaders without a pipeline (VK_EXT_shader_object) are listed among the pipelines. One
 * that is made from the driver's own binary has no SPIR-V to be known by. */
static bool is_compute_spirv(const VkShaderCreateInfoEXT *info)
{
	return info->stage == VK_SHADER_STAGE_COMPUTE_BIT &&
	       info->codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT;
}

static void plan_shader(const VkShaderCreateInfoEXT *info, struct bw_vk_plan *out)
{
	struct bw_vk_module m = {0};
	if (is_compute_spirv(info))
		m = describe(info->pCode, info->codeSize);
	struct bw_vk_layout l = layout_of(info->setLayoutCount, info->pSetLayouts,
					  info->pushConstantRangeCount, info->pPushConstantRanges);
	const struct bw_vk_made made = {0, 0, info->pName ? info->pName : "main",
					bw_vk_inline_name(info->pNext), info->pSpecializationInfo};
	make_plan(&made, &m, &l, out);
}

RESULT bw_CreateShadersEXT(VkDevice device, uint32_t n, const VkShaderCreateInfoEXT *infos,
			   const VkAllocationCallbacks *alloc, VkShaderEXT *out)
{
	_cleanup_free_ VkShaderCreateInfoEXT *changed = calloc(n ? n : 1, sizeof(*changed));
	_cleanup_free_ struct bw_vk_plan *plans = calloc(n ? n : 1, sizeof(*plans));
	for (uint32_t i = 0; changed && plans && i < n; i++) {
		changed[i] = infos[i];
		if (infos[i].stage != VK_SHADER_STAGE_COMPUTE_BIT)
			continue;
		plan_shader(&infos[i], &plans[i]);
		if (!plans[i].other || !is_compute_spirv(&infos[i]))
			continue;
		changed[i].pCode = plans[i].other;
		changed[i].codeSize = plans[i].other_b;
		changed[i].pName = entry_of(&plans[i]);
	}
	VkResult r = bw_vk_device_of(device)->CreateShadersEXT(
		device, n, changed && plans ? changed : infos, alloc, out);
	for (uint32_t i = 0; changed && plans && i < n; i++) {
		if (r >= 0 && out[i] && infos[i].stage == VK_SHADER_STAGE_COMPUTE_BIT)
			bw_vk_plan_add(&plans[i], HANDLE(out[i]));
		bw_vk_plan_free(device, &plans[i]);
	}
	return r;
}

CALL bw_DestroyShaderEXT(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks *alloc)
{
	bw_names_remove(BW_AGENT_OBJECT_PIPELINE, HANDLE(shader));
	bw_shaders_remove(HANDLE(shader));
	bw_vk_device_of(device)->DestroyShaderEXT(device, shader, alloc);
}
