/* SPDX-License-Identifier: MIT */
/* A program of HSA: vadd CODE-OBJECT. It loads the code object of vadd.hip, makes a queue, writes
 * an AQL packet into it, and waits for the packet's signal. */
#include <hsa/hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>

enum { N = 1024, GROUP = 64 };

static void must(hsa_status_t status, const char *what)
{
	const char *text = "";
	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return;
	hsa_status_string(status, &text);
	fprintf(stderr, "%s: %s\n", what, text);
	exit(1);
}
#define MUST(call) must(call, #call)

static hsa_status_t take_gpu(hsa_agent_t agent, void *out)
{
	hsa_device_type_t type;
	MUST(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	*(hsa_agent_t *)out = agent;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t take_cpu(hsa_agent_t agent, void *out)
{
	hsa_device_type_t type;
	MUST(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type != HSA_DEVICE_TYPE_CPU)
		return HSA_STATUS_SUCCESS;
	*(hsa_agent_t *)out = agent;
	return HSA_STATUS_INFO_BREAK;
}

/* A region of the CPU for kernel arguments, which the GPU sees, too. */
static hsa_status_t take_kernarg(hsa_region_t region, void *out)
{
	hsa_region_segment_t segment;
	hsa_region_global_flag_t flags = 0;
	MUST(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
	if (segment != HSA_REGION_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	MUST(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
	if (!(flags & HSA_REGION_GLOBAL_FLAG_KERNARG))
		return HSA_STATUS_SUCCESS;
	*(hsa_region_t *)out = region;
	return HSA_STATUS_INFO_BREAK;
}

static uint64_t load_kernel(hsa_agent_t gpu, const char *path)
{
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	hsa_executable_symbol_t symbol;
	uint64_t object;
	MUST(hsa_code_object_reader_create_from_file(open(path, O_RDONLY), &reader));
	MUST(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
				       NULL, &executable));
	MUST(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
	MUST(hsa_executable_freeze(executable, NULL));
	MUST(hsa_executable_get_symbol_by_name(executable, "vadd.kd", &gpu, &symbol));
	MUST(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
					    &object));
	return object;
}

int main(int argc, char **argv)
{
	hsa_agent_t gpu = {0}, cpu = {0};
	hsa_region_t region = {0};
	hsa_queue_t *queue;
	hsa_signal_t done;
	float *a;
	struct {
		float *a, *b, *c;
	} *args;
	if (argc != 2)
		return 2;
	MUST(hsa_init());
	MUST(hsa_iterate_agents(take_gpu, &gpu));
	MUST(hsa_iterate_agents(take_cpu, &cpu));
	MUST(hsa_agent_iterate_regions(cpu, take_kernarg, &region));
	if (!gpu.handle || !region.handle) {
		fprintf(stderr, "no GPU, or no region for arguments\n");
		return 1;
	}
	uint64_t object = load_kernel(gpu, argv[1]);
	MUST(hsa_queue_create(gpu, 1024, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
			      &queue));
	MUST(hsa_signal_create(1, 0, NULL, &done));
	MUST(hsa_memory_allocate(region, 4096, (void **)&args));
	MUST(hsa_memory_allocate(region, 3 * N * sizeof(float), (void **)&a));
	args->a = a;
	args->b = a + N;
	args->c = a + 2 * N;
	for (int i = 0; i < N; i++) {
		args->a[i] = (float)i;
		args->b[i] = (float)(3 * i);
		args->c[i] = -1;
	}
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_kernel_dispatch_packet_t *p =
		(hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
	memset((char *)p + 4, 0, sizeof(*p) - 4);
	p->workgroup_size_x = GROUP;
	p->workgroup_size_y = p->workgroup_size_z = 1;
	p->grid_size_x = N;
	p->grid_size_y = p->grid_size_z = 1;
	p->kernel_object = object;
	p->kernarg_address = args;
	p->completion_signal = done;
	uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
	__atomic_store_n((uint32_t *)p, header | 1u << 16, __ATOMIC_RELEASE); /* one dimension */
	hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
	hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
				  HSA_WAIT_STATE_BLOCKED);
	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += args->c[i] != (float)(4 * i);
	MUST(hsa_signal_destroy(done));
	MUST(hsa_queue_destroy(queue));
	MUST(hsa_shut_down());
	if (wrong)
		printf("vadd: %d wrong\n", wrong);
	else
		printf("vadd: right\n");
	return wrong != 0;
}
