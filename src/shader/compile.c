/* SPDX-License-Identifier: MIT */
#include "shader/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "capture/pipeline.h"
#include "shader/vulkan_priv.h"
#include "swap/variant.h"

enum {
	FILE_MAX_B = 64 << 20,
	DESCRIPTORS_MAX = 1 << 20,
	BINDING_MAX = 1 << 16,
	PUSH_MAX_B = 4096,
	TYPES_MAX = 16,
};

/* With the known drivers, a shader's code does not depend on the source of descriptors: ordinary
 * sets take the place of pushed ones and of descriptor buffers. If it does, the code of the
 * program's own SPIR-V is not what the capture has, and the replay refuses it. */
enum {
	SET_FLAGS = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
	DROPPED_SET_FLAGS = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR |
			    VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
};

struct job {
	struct vk v;
	struct bw_capture_pipeline p;
	uint32_t push_b, push_stages, n_dynamic;
	uint32_t *spirv; /* the other; owned */
	size_t spirv_b;
	const char *entry;
};

static struct bw_error *read_file(const char *folder, const char *name, uint8_t **out,
				  size_t *out_b)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return bw_error_nomem();
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f || fseek(f, 0, SEEK_END))
		return bw_error_errno(errno, "cannot read %s", path);
	long size = ftell(f);
	if (size < 0 || size > FILE_MAX_B || fseek(f, 0, SEEK_SET))
		return bw_errorf(BW_E_INVALID, "%s cannot be read", path);
	bytes = malloc((size_t)size + 4);
	if (!bytes)
		return bw_error_nomem();
	if (fread(bytes, 1, (size_t)size, f) != (size_t)size)
		return bw_errorf(BW_E_INVALID, "%s cannot be read", path);
	*out = bw_take(bytes);
	*out_b = (size_t)size;
	return NULL;
}

/* ---- Whether the record can be used ---- */

static struct bw_error *check_set(const struct bw_capture_set *s,
				  const struct bw_capture_binding *b, uint32_t number)
{
	if (s->is_none)
		return bw_errorf(BW_E_INVALID, "the capture does not have the layout of set %u",
				 number);
	if (s->flags & ~(uint32_t)(SET_FLAGS | DROPPED_SET_FLAGS))
		return bw_errorf(BW_E_INVALID, "the layout of its set %u has the flags 0x%x",
				 number, s->flags);
	if (s->unknown)
		return bw_errorf(BW_E_INVALID,
				 "the layout of its set %u has a structure (%u) that a capture "
				 "does not record",
				 number, s->unknown);
	for (uint32_t i = 0; i < s->n_bindings; i++) {
		if (b[i].has_samplers)
			return bw_errorf(BW_E_INVALID,
					 "binding %u of its set %u has immutable samplers, which a "
					 "capture does not record",
					 b[i].binding, number);
		if (b[i].binding > BINDING_MAX)
			return bw_errorf(BW_E_INVALID, "its set %u has a binding %u", number,
					 b[i].binding);
		for (uint32_t k = 0; k < i; k++)
			if (b[k].binding == b[i].binding)
				return bw_errorf(BW_E_INVALID, "its set %u has binding %u twice",
						 number, b[i].binding);
	}
	return NULL;
}

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static struct bw_error *check_record(struct job *j)
{
	const struct bw_capture_binding *b = j->p.bindings.data;
	uint64_t n = 0;
	if (j->p.head.stage != BW_CAPTURE_COMPUTE)
		return bw_errorf(BW_E_INVALID, "it is a shader of a graphics pipeline, of which a "
					       "capture has not all inputs");
	for (uint32_t i = 0; i < j->p.sets.len; i++) {
		BW_TRY(check_set(&j->p.sets.data[i], b, i));
		b += j->p.sets.data[i].n_bindings;
	}
	bw_vec_each(&j->p.bindings, one) {
		bool is_inline = one->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
		n += one->count;
		j->n_dynamic += is_dynamic(one->type) ? BW_MIN(one->count, 4096u) : 0;
		if (one->type > VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT && !is_inline)
			return bw_errorf(BW_E_INVALID,
					 "binding %u is of type %u, for which no set is made here",
					 one->binding, one->type);
	}
	if (n > DESCRIPTORS_MAX || j->n_dynamic > 4096)
		return bw_errorf(BW_E_INVALID, "its sets have %llu descriptors",
				 (unsigned long long)n);
	bw_vec_each(&j->p.pushes, r) {
		if (r->offset_b % 4 || r->size_b % 4 || r->size_b > PUSH_MAX_B ||
		    r->offset_b > PUSH_MAX_B - r->size_b)
			return bw_errorf(BW_E_INVALID, "it has %u bytes of push constants at %u",
					 r->size_b, r->offset_b);
		j->push_b = BW_MAX(j->push_b, r->offset_b + r->size_b);
		j->push_stages |= r->stages;
	}
	uint32_t s = j->p.head.subgroup;
	if (s && s != 32 && s != 64)
		return bw_errorf(BW_E_INVALID, "it requires subgroups of %u", s);
	if (!j->p.spirv.len)
		return bw_errorf(BW_E_INVALID, "the capture does not have its SPIR-V");
	return NULL;
}

/* ---- Layouts and sets ---- */

static struct bw_error *make_set_layouts(struct job *j)
{
	const struct bw_capture_binding *b = j->p.bindings.data;
	for (uint32_t i = 0; i < j->p.sets.len; i++) {
		uint32_t n = j->p.sets.data[i].n_bindings;
		_cleanup_free_ VkDescriptorSetLayoutBinding *at = calloc(n + 1, sizeof(*at));
		_cleanup_free_ VkDescriptorBindingFlags *flags = calloc(n + 1, sizeof(*flags));
		if (!at || !flags)
			return bw_error_nomem();
		for (uint32_t k = 0; k < n; k++, b++) {
			at[k] = (VkDescriptorSetLayoutBinding){b->binding, b->type, b->count,
							       b->stages, NULL};
			flags[k] = b->flags;
		}
		const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
			.bindingCount = n,
			.pBindingFlags = flags};
		const VkDescriptorSetLayoutCreateInfo info = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
			.pNext = &more,
			.flags = j->p.sets.data[i].flags & SET_FLAGS,
			.bindingCount = n,
			.pBindings = at};
		BW_TRY(bw_shader_check(
			vkCreateDescriptorSetLayout(j->v.device, &info, NULL, &j->v.layouts[i]),
			"the layout of its sets"));
		j->v.n_sets++;
	}
	return NULL;
}

/* A size for each type that the bindings have. */
static uint32_t pool_sizes(const struct job *j, VkDescriptorPoolSize out[TYPES_MAX],
			   uint32_t *out_inline)
{
	uint32_t n = 0;
	*out_inline = 0;
	bw_vec_each(&j->p.bindings, b) {
		uint32_t i = 0;
		*out_inline += b->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
		while (i < n && (uint32_t)out[i].type != b->type)
			i++;
		if (i == TYPES_MAX || !b->count)
			continue;
		if (i == n)
			out[n++] = (VkDescriptorPoolSize){.type = b->type};
		out[i].descriptorCount += b->count;
	}
	return n;
}

static struct bw_error *make_sets(struct job *j)
{
	VkDescriptorPoolSize sizes[TYPES_MAX];
	uint32_t n_inline, n = pool_sizes(j, sizes, &n_inline);
	if (!j->v.n_sets)
		return NULL;
	const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
		.maxInlineUniformBlockBindings = n_inline};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.pNext = n_inline ? &blocks : NULL,
		.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
		.maxSets = j->v.n_sets,
		.poolSizeCount = n,
		.pPoolSizes = sizes};
	BW_TRY(bw_shader_check(vkCreateDescriptorPool(j->v.device, &pool, NULL, &j->v.pool),
			       "memory for its sets"));
	const VkDescriptorSetAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = j->v.pool,
		.descriptorSetCount = j->v.n_sets,
		.pSetLayouts = j->v.layouts};
	return bw_shader_check(vkAllocateDescriptorSets(j->v.device, &alloc, j->v.sets),
			       "memory for its sets");
}

static struct bw_error *make_layout(struct job *j)
{
	VkPushConstantRange ranges[BW_CAPTURE_PUSHES_MAX];
	for (size_t i = 0; i < j->p.pushes.len; i++) {
		const struct bw_capture_push *r = &j->p.pushes.data[i];
		ranges[i] = (VkPushConstantRange){r->stages, r->offset_b, r->size_b};
	}
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.flags = j->p.head.layout_flags,
		.setLayoutCount = j->v.n_sets,
		.pSetLayouts = j->v.layouts,
		.pushConstantRangeCount = (uint32_t)j->p.pushes.len,
		.pPushConstantRanges = ranges};
	return bw_shader_check(vkCreatePipelineLayout(j->v.device, &info, NULL, &j->v.layout),
			       "the layout of its arguments");
}

/* ---- Pipelines ---- */

struct shader {
	const char *name, *entry, *failure;
	const uint32_t *code;
	size_t size_b;
};

static struct bw_error *make_pipeline(struct job *j, const struct shader *s)
{
	/* the first two need what is not here, the others would end without a pipeline */
	const VkPipelineCreateFlags no_flags =
		VK_PIPELINE_CREATE_DERIVATIVE_BIT | VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
		VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
		VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
	const size_t n = j->p.constants.len;
	_cleanup_free_ VkSpecializationMapEntry *entries = calloc(n + 1, sizeof(*entries));
	if (!entries)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		const struct bw_capture_constant *c = &j->p.constants.data[i];
		size_t at = i * sizeof(*c) + offsetof(struct bw_capture_constant, value);
		entries[i] = (VkSpecializationMapEntry){c->id, (uint32_t)at, c->size_b};
	}
	const VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = s->size_b,
		.pCode = s->code};
	const VkSpecializationInfo special = {
		(uint32_t)n, entries, n * sizeof(*j->p.constants.data), j->p.constants.data};
	const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.pNext = (void *)(uintptr_t)&module,
		.requiredSubgroupSize = j->p.head.subgroup};
	BW_TRY(bw_shader_check(vkCreateShaderModule(j->v.device, &module, NULL, &j->v.module),
			       s->failure));
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = (VkPipelineCreateFlags)j->p.head.flags & ~no_flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = j->p.head.subgroup ? &subgroup : NULL,
			  .flags = j->p.head.stage_flags,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = j->v.module,
			  .pName = s->entry,
			  .pSpecializationInfo = n ? &special : NULL},
		.layout = j->v.layout};
	BW_TRY(bw_shader_check(vkCreateComputePipelines(j->v.device, VK_NULL_HANDLE, 1, &info, NULL,
							&j->v.pipeline),
			       s->failure));
	bw_shader_give_name(&j->v, VK_OBJECT_TYPE_PIPELINE, (uint64_t)(uintptr_t)j->v.pipeline,
			    s->name);
	return NULL;
}

/* ---- The dispatch ---- */

static struct bw_error *dispatch(struct job *j)
{
	uint32_t push[PUSH_MAX_B / 4];
	_cleanup_free_ uint32_t *offsets = calloc(j->n_dynamic + 1, sizeof(*offsets));
	VkCommandBuffer cb;
	if (!offsets)
		return bw_error_nomem();
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(push); i++)
		push[i] = BW_SWAP_PUSH_MARK + i;
	const VkCommandBufferAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = j->v.commands,
		.commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	BW_TRY(bw_shader_check(vkAllocateCommandBuffers(j->v.device, &alloc, &cb), "recording"));
	BW_TRY(bw_shader_check(vkBeginCommandBuffer(cb, &begin), "recording"));
	vkCmdBindPipeline(cb, VK_PIPELINE_BIND_POINT_COMPUTE, j->v.pipeline);
	if (j->v.n_sets)
		vkCmdBindDescriptorSets(cb, VK_PIPELINE_BIND_POINT_COMPUTE, j->v.layout, 0,
					j->v.n_sets, j->v.sets, j->n_dynamic, offsets);
	if (j->push_b)
		vkCmdPushConstants(cb, j->v.layout, j->push_stages, 0, j->push_b, push);
	vkCmdDispatch(cb, 0, BW_SWAP_GROUPS_Y, BW_SWAP_GROUPS_Z);
	BW_TRY(bw_shader_check(vkEndCommandBuffer(cb), "recording"));
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &cb};
	BW_TRY(bw_shader_check(vkQueueSubmit(j->v.queue, 1, &submit, VK_NULL_HANDLE),
			       "submitting"));
	return bw_shader_check(vkDeviceWaitIdle(j->v.device), "submitting");
}

static struct bw_error *run_one(struct job *j, const struct shader *s)
{
	struct bw_error *err = make_pipeline(j, s);
	if (!err)
		err = dispatch(j);
	vkDestroyPipeline(j->v.device, j->v.pipeline, NULL);
	vkDestroyShaderModule(j->v.device, j->v.module, NULL);
	j->v.pipeline = VK_NULL_HANDLE;
	j->v.module = VK_NULL_HANDLE;
	return err;
}

static struct bw_error *run_job(struct job *j)
{
	const struct shader own = {"own", j->p.head.entry,
				   "the driver does not compile the program's own SPIR-V",
				   j->p.spirv.data, j->p.spirv.len * sizeof(uint32_t)};
	const struct shader other = {"other", j->entry, "the driver does not compile it", j->spirv,
				     j->spirv_b};
	BW_TRY(check_record(j));
	j->v.robustness = j->p.head.robustness;
	BW_TRY(bw_shader_open(&j->v));
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .queueFamilyIndex = j->v.family};
	BW_TRY(bw_shader_check(vkCreateCommandPool(j->v.device, &pool, NULL, &j->v.commands),
			       "recording"));
	BW_TRY(make_set_layouts(j));
	BW_TRY(make_sets(j));
	BW_TRY(make_layout(j));
	BW_TRY(run_one(j, &own));
	return run_one(j, &other);
}

static void close_all(struct job *j)
{
	if (j->v.device) {
		vkDestroyCommandPool(j->v.device, j->v.commands, NULL);
		vkDestroyPipelineLayout(j->v.device, j->v.layout, NULL);
		vkDestroyDescriptorPool(j->v.device, j->v.pool, NULL);
		for (uint32_t i = 0; i < j->v.n_sets; i++)
			vkDestroyDescriptorSetLayout(j->v.device, j->v.layouts[i], NULL);
		vkDestroyDevice(j->v.device, NULL);
	}
	if (j->v.instance)
		vkDestroyInstance(j->v.instance, NULL);
	bw_capture_pipeline_fini(&j->p);
	free(j->spirv);
}

static void write_why(const char *folder, const struct bw_error *why)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/why", folder) < 0)
		return;
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	if (f)
		fputs(why->message, f);
}

struct bw_error *bw_shader_compile(const char *folder, const char *entry)
{
	struct job j = {.entry = entry};
	_cleanup_free_ uint8_t *record = NULL;
	uint8_t *spirv = NULL;
	size_t record_b;
	struct bw_error *err = read_file(folder, "record", &record, &record_b);
	if (!err)
		err = bw_capture_pipeline_decode(record, record_b, &j.p);
	if (!err)
		err = read_file(folder, "spirv", &spirv, &j.spirv_b);
	j.spirv = (uint32_t *)spirv;
	if (!err)
		err = run_job(&j);
	close_all(&j);
	if (err)
		write_why(folder, err);
	return err;
}
