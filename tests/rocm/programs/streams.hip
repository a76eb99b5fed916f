/* SPDX-License-Identifier: MIT */
/* Two streams on one buffer, for --check=races. Usage: streams WHAT, `race` or `race_WITH`: the
 * second stream does something to what a kernel of the first one writes, which is in no order but
 * WITH something; see main(). `early`: the first one uploads a little, and the kernel is the
 * second's. */
#include "check.h"

#include <string.h>

enum { N = 1 << 15, GROUP = 256 };

/* With many rounds, the other stream's work is submitted before it ends. */
__global__ void fill(int *out, int value, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = value;
	for (int k = 0; k < rounds; k++)
		x = x * 5 + i % 7;
	out[i] = x;
}

__global__ void add(int *sums, const int *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	sums[i] += in[i];
}

__global__ void raise_flag(int *flag)
{
	__hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void await_flag(int *flag)
{
	while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM))
		;
}

static hipStream_t first, second;
static hipEvent_t filled;
static int *data, *other, *pinned;

static void run_fill(hipStream_t stream, int value, int rounds)
{
	fill<<<N / GROUP, GROUP, 0, stream>>>(data, value, rounds);
}

static void run_add(hipStream_t stream)
{
	add<<<N / GROUP, GROUP, 0, stream>>>(other, data);
}

/* What the second stream does. */
static void go_on(const char *how)
{
	if (!strcmp(how, "kernel"))
		run_add(second);
	else if (!strcmp(how, "copy"))
		MUST(hipMemcpyAsync(other, data, N * sizeof(*data), hipMemcpyDeviceToDevice, second));
	else if (!strcmp(how, "download"))
		MUST(hipMemcpyAsync(pinned, data, N * sizeof(*data), hipMemcpyDeviceToHost, second));
	else if (!strcmp(how, "upload"))
		MUST(hipMemcpyAsync(data, pinned, N * sizeof(*data), hipMemcpyHostToDevice, second));
	else
		MUST(hipMemsetAsync(data, 1, N * sizeof(*data), second));
}

static void host_waits(hipStream_t stream, hipError_t status, void *cookie)
{
	*(volatile int *)cookie = 1;
}

static void order(const char *with)
{
	static volatile int is_called;
	if (!strcmp(with, "event")) {
		MUST(hipEventRecord(filled, first));
		MUST(hipStreamWaitEvent(second, filled, 0));
	} else if (!strcmp(with, "host")) {
		MUST(hipStreamSynchronize(first));
	} else if (!strcmp(with, "query")) {
		MUST(hipEventRecord(filled, first));
		while (hipEventQuery(filled) == hipErrorNotReady)
			;
	} else if (!strcmp(with, "device")) {
		MUST(hipDeviceSynchronize());
	} else if (!strcmp(with, "callback")) {
		MUST(hipStreamAddCallback(first, host_waits, (void *)&is_called, 0));
		while (!is_called)
			;
	} else if (!strcmp(with, "flag")) {
		raise_flag<<<1, 1, 0, first>>>(other + N + 2);
		await_flag<<<1, 1, 0, second>>>(other + N + 2);
	} else if (!strcmp(with, "value")) {
		uint32_t *value;
		MUST(hipExtMallocWithFlags((void **)&value, 8, hipMallocSignalMemory));
		*value = 0;
		MUST(hipStreamWriteValue32(first, value, 1, 0));
		MUST(hipStreamWaitValue32(second, value, 1, hipStreamWaitValueEq, ~0u));
	} else if (!strcmp(with, "null")) {
		/* the null stream waits for all others, and they for it */
		add<<<1, 1>>>(other + N, other + N + 1);
	}
}

/* Everything once: memory of streams, code, queues. */
static void warm_up(void)
{
	run_fill(first, 1, 1);
	MUST(hipDeviceSynchronize());
	static const char *const all[] = {"kernel", "copy", "download", "upload", "set"};
	for (const char *how : all) {
		go_on(how);
		MUST(hipDeviceSynchronize());
	}
	add<<<1, 1>>>(other + N, other + N + 1);
	MUST(hipEventRecord(filled, first));
	MUST(hipDeviceSynchronize());
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	MUST(hipStreamCreate(&first));
	MUST(hipStreamCreate(&second));
	MUST(hipEventCreate(&filled));
	MUST(hipMalloc(&data, N * sizeof(*data)));
	MUST(hipMalloc(&other, (N + 3) * sizeof(*other)));
	MUST(hipMemset(other, 0, (N + 3) * sizeof(*other)));
	MUST(hipHostMalloc(&pinned, N * sizeof(*pinned)));
	warm_up();
	if (!strcmp(argv[1], "early")) {
		MUST(hipMemcpyAsync(data, pinned, 4096, hipMemcpyHostToDevice, first));
		order(argv[2]);
		run_fill(second, 2, 1);
	} else {
		run_fill(first, 2, 4000);
		order(argv[2]);
		go_on(argv[1]);
	}
	MUST(hipDeviceSynchronize());
	return verdict("streams", 0);
}
