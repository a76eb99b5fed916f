/* SPDX-License-Identifier: MIT */
#include "harness.h"

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE };
enum { CODE = 0x10000000, DATA = 0x20000000, IB = 0x30000000 };
enum { INFO_GPUVM_FAULT = 0x23 }; /* AMDGPU_INFO_GPUVM_FAULT, newer than some headers */

static const uint32_t code_store[] = {0x7e0202ff, 0x1234,     0x30000082,
				      0xdc6a0000, 0x00000100, 0xbfb00000};
static const uint32_t code_loop[] = {0xbfa0ffff};	      /* s_branch -1 */
static const uint32_t code_halt[] = {0xbf820001, 0xbfb00000}; /* s_sethalt 1 */
/* s_sendmsghalt sendmsg(0, 0, 0) */
static const uint32_t code_msghalt[] = {0xbfb70000, 0xbfb00000};
static const uint32_t code_illegal[] = {0xbf800000, 0xffffffff, 0xbfb00000};

struct setup {
	struct client c;
	struct buffer ib, code;
	uint32_t ctx, n;
};

static void prepare(struct setup *s, const uint32_t *code, size_t code_b, uint64_t arg,
		    uint32_t groups)
{
	struct bw_pm4_stream stream = {0};
	open_client(&s->c);
	s->ib = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	s->code = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	memcpy(s->code.cpu, code, code_b);
	put_kernel(&stream, CODE, arg, groups);
	assert_false(stream.failed);
	memcpy(s->ib.cpu, stream.data, stream.len * 4);
	s->n = (uint32_t)stream.len;
	bw_pm4_stream_free(&stream);
	s->ctx = make_ctx(&s->c);
}

static void fault_of(struct client *c, uint64_t *out_addr, uint32_t *out_status)
{
	struct {
		uint64_t addr;
		uint32_t status, hub;
	} f = {0};
	struct drm_amdgpu_info q = {.return_pointer = (uintptr_t)&f,
				    .return_size = sizeof(f),
				    .query = INFO_GPUVM_FAULT};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_INFO, &q), 0);
	*out_addr = f.addr;
	*out_status = f.status;
}

enum { SOFT = -ENODATA, RING_RESET = -ECANCELED };

/* The job has ended with the error of how the GPU was got back, which its context sees on that ring
 * alone; and the rest of the GPU is as good as new. What Linux 6.12 does: amdgpu_ring_soft_recovery
 * and drm_sched_start for the errors, amdgpu_ctx_get_entity for who is refused, amdgpu_ctx_query2
 * for the state, which is of any reset since the context was made. */
static void check_ended(struct setup *s, uint64_t seq, int error)
{
	uint64_t status;
	assert_int_equal(wait_cs(&s->c, s->ctx, COMPUTE, 0, seq, SECONDS(20), &status), error);
	assert_int_equal(state2(&s->c, s->ctx), AMDGPU_CTX_QUERY2_FLAGS_RESET);
	assert_int_equal(submit(&s->c, s->ctx, COMPUTE, 0, IB, s->n, NULL, 0, NULL), error);
	assert_int_equal(server_info(&s->c).waves_resident, 0);
	struct buffer data = make_buffer(&s->c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	struct bw_pm4_stream stream = {0};
	memcpy(s->code.cpu, code_store, sizeof(code_store));
	put_kernel(&stream, CODE, DATA, 1);
	bw_pm4_put_acquire(&stream, 0xc3b1);
	/* the instruction cache first, then the kernel */
	uint32_t *ib = s->ib.cpu;
	struct bw_pm4_stream first = {0};
	bw_pm4_put_acquire(&first, 0xc3b1);
	memcpy(ib, first.data, first.len * 4);
	memcpy(ib + first.len, stream.data, stream.len * 4);
	uint32_t n = (uint32_t)(first.len + stream.len), ctx = make_ctx(&s->c);
	bw_pm4_stream_free(&first);
	bw_pm4_stream_free(&stream);
	assert_int_equal(state2(&s->c, ctx), 0);
	assert_int_equal(submit(&s->c, ctx, COMPUTE, 0, IB, n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&s->c, ctx, COMPUTE, 0, seq, SECONDS(20), &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(((uint32_t *)data.cpu)[31], 0x1234);
}

static void a_store_to_nowhere(void **state)
{
	struct setup s;
	uint64_t seq, addr;
	uint32_t status;
	prepare(&s, code_store, sizeof(code_store), 0x7654321000, 1);
	fault_of(&s.c, &addr, &status);
	assert_int_equal(status, 0); /* none yet */
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	check_ended(&s, seq, SOFT);
	fault_of(&s.c, &addr, &status);
	assert_int_equal(addr, 0x7654321000);
	/* TCP (8), a write, VMID 1; the page is not there: directories of level 2 (WALKER 4) down
	 */
	assert_int_equal(status >> 9 & 0x1ff, 8);
	assert_int_equal(status >> 18 & 1, 1);
	assert_true(status >> 4 & 1);

	char *log = file_text(&s.c, "log"), expected[200];
	assert_non_null(
		strstr(log, "amdgpu " PCI
			    ": amdgpu: [gfxhub] page fault (src_id:0 ring:0 vmid:1 pasid:32769)"));
	snprintf(expected, sizeof(expected), " in process test pid %d thread test pid %d)",
		 getpid(), getpid());
	assert_non_null(strstr(log, expected));
	assert_non_null(
		strstr(log, "  in page starting at address 0x0000007654321000 from client 10\n"));
	snprintf(expected, sizeof(expected), "GCVM_L2_PROTECTION_FAULT_STATUS:0x%08X\n", status);
	assert_non_null(strstr(log, expected));
	assert_non_null(strstr(log, "\t Faulty UTCL2 client ID: TCP (0x8)\n"));
	assert_non_null(strstr(log, "\t RW: 0x1\n"));
	assert_non_null(strstr(log, "breakwater run"));
	free(log);
	close_client(&s.c);
}

static void a_fault_of_one_is_not_the_others(void **state)
{
	struct setup s;
	struct client other;
	uint64_t seq, addr, ignored;
	uint32_t status;
	open_client(&other);
	prepare(&s, code_store, sizeof(code_store), 0x123456000, 1);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, SECONDS(20), &ignored), SOFT);
	fault_of(&other, &addr, &status);
	assert_int_equal(status, 0);
	fault_of(&s.c, &addr, &status);
	assert_int_equal(addr, 0x123456000);
	close_client(&other);
	close_client(&s.c);
}

static void an_illegal_instruction(void **state)
{
	struct setup s;
	uint64_t seq;
	prepare(&s, code_illegal, sizeof(code_illegal), DATA, 1);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	check_ended(&s, seq, SOFT);
	char *log = file_text(&s.c, "sys/kernel/breakwater_log");
	assert_non_null(strstr(log, "Illegal instruction"));
	free(log);
	close_client(&s.c);
}

static void many_faulting_groups(void **state)
{
	struct setup s;
	uint64_t seq;
	prepare(&s, code_store, sizeof(code_store), 0x7654321000, 20000);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	check_ended(&s, seq, SOFT);
	close_client(&s.c);
}

static void an_ib_that_is_not_there(void **state)
{
	struct setup s;
	uint64_t seq;
	prepare(&s, code_store, sizeof(code_store), DATA, 1);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, 0x660000000, 16, NULL, 0, &seq), 0);
	check_ended(&s, seq, RING_RESET);
	close_client(&s.c);
}

static void a_packet_that_is_none(void **state)
{
	struct setup s;
	uint64_t seq;
	prepare(&s, code_store, sizeof(code_store), DATA, 1);
	uint32_t *ib = s.ib.cpu, kept = ib[0];
	ib[0] = 0xc000fe00; /* opcode 0xfe */
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, 2, NULL, 0, &seq), 0);
	ib[0] = ib[0]; /* the job still reads it */
	uint64_t status;
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, SECONDS(20), &status), RING_RESET);
	ib[0] = kept;
	check_ended(&s, seq, RING_RESET);
	char *log = file_text(&s.c, "log");
	assert_non_null(strstr(log, "Illegal opcode in command stream"));
	assert_non_null(strstr(log, "opcode 0xfe"));
	assert_non_null(strstr(log, "Ring comp_1."));
	free(log);
	close_client(&s.c);
}

/* A reset cancels what is on that ring, the innocent context's jobs too, and nothing else. */
static void a_ring_reset_is_of_one_ring(void **state)
{
	struct setup s;
	uint64_t seq[8], bad, status;
	prepare(&s, code_loop, sizeof(code_loop), DATA, 4);
	struct buffer nop = make_buffer(&s.c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0x40000000);
	*(uint32_t *)nop.cpu = 0xffff1000;
	uint32_t innocent = make_ctx(&s.c);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, 0x660000000, 16, NULL, 0, &bad), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(
			submit(&s.c, innocent, COMPUTE, i % 4, 0x40000000, 1, NULL, 0, &seq[i]), 0);
	unsigned n_lost = 0;
	for (unsigned ring = 0; ring < 4; ring++) {
		int first = wait_cs(&s.c, innocent, COMPUTE, ring, seq[ring], SECONDS(20), &status);
		int r = wait_cs(&s.c, innocent, COMPUTE, ring, seq[ring + 4], SECONDS(20), &status);
		assert_true(r == 0 || r == RING_RESET);
		assert_true(first == 0 || r == RING_RESET);
		n_lost += r != 0;
	}
	assert_true(n_lost <= 1);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, bad, SECONDS(20), &status), RING_RESET);
	innocent = make_ctx(&s.c);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(
			submit(&s.c, innocent, COMPUTE, i % 4, 0x40000000, 1, NULL, 0, &seq[i]), 0);
		assert_int_equal(
			wait_cs(&s.c, innocent, COMPUTE, i % 4, seq[i], SECONDS(20), &status), 0);
		assert_int_equal(status, 0);
	}
	close_client(&s.c);
}

/* Reading the file resets the GPU, as on Linux: running jobs are lost, later ones run. */
static void a_reset_is_asked_for_by_debugfs(void **state)
{
	struct setup s;
	uint64_t seq, status;
	prepare(&s, code_loop, sizeof(code_loop), DATA, 4);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	while (!server_info(&s.c).waves_resident)
		usleep(1000);
	char *text = file_text(&s.c, "debug/dri/0/amdgpu_gpu_recover");
	assert_string_equal(text, "0\n");
	free(text);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, SECONDS(20), &status), -ECANCELED);
	check_ended(&s, seq, -ECANCELED);
	close_client(&s.c);
}

static int start_with_timeout(void **state)
{
	gpu_options.lockup_timeout_ms = 300;
	return start_gpu(state);
}

static void a_kernel_without_end_is_ended(void **state)
{
	struct setup s;
	uint64_t seq, status;
	prepare(&s, code_loop, sizeof(code_loop), DATA, 4);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	assert_int_equal(
		wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, (uint64_t)now_ns() + 100000000, &status), 0);
	assert_int_equal(status, 1);
	check_ended(&s, seq, SOFT);
	char *log = file_text(&s.c, "log");
	assert_non_null(strstr(log, "timeout"));
	free(log);
	close_client(&s.c);
}

/* A wave that halts itself hangs like any other: no debugger holds it that could resume it. */
static void a_wave_that_halts_itself_is_ended(void **state)
{
	static const struct {
		const uint32_t *code;
		size_t size_b;
	} kernels[] = {{code_halt, sizeof(code_halt)}, {code_msghalt, sizeof(code_msghalt)}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(kernels); i++) {
		struct setup s;
		uint64_t seq, status;
		prepare(&s, kernels[i].code, kernels[i].size_b, DATA, 4);
		assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
		/* A wait has its end before that. */
		assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq,
					 (uint64_t)now_ns() + 10000000, &status),
				 0);
		assert_int_equal(status, 1);
		check_ended(&s, seq, SOFT);
		char *log = file_text(&s.c, "log");
		assert_non_null(strstr(log, "timeout"));
		free(log);
		close_client(&s.c);
	}
}

struct later {
	struct client *c;
	uint32_t file;
	uint64_t pos;
	uint32_t go;
};

static void *let_go(void *arg)
{
	struct later *l = arg;
	usleep(400000);
	file_write(l->c, l->file, &l->pos, &l->go, 4);
	return NULL;
}

static void held_time_does_not_count(void **state)
{
	struct setup s;
	uint64_t seq, status;
	prepare(&s, code_loop, sizeof(code_loop), DATA, 1);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	while (!server_info(&s.c).waves_resident)
		usleep(1000);
	/* SQ_CMD SETHALT, broadcast: what a debugger does. The lockup timeout of 300 ms and a
	 * finite wait stand still. */
	struct client debugger;
	uint32_t file, halt = 1 | 1 << 4 | 1 << 8, go = 1 | 1 << 4;
	uint64_t pos = 4ull * (bw_profile_navi31.gc.segment[0] + 0x111b);
	connect_client(&debugger, 0);
	assert_int_equal(file_open(&debugger, "debug/dri/0/amdgpu_regs2", O_RDWR, &file), 0);
	assert_int_equal(file_write(&debugger, file, &pos, &halt, 4), 4);
	usleep(600000);
	assert_int_equal(state2(&s.c, s.ctx), 0);
	int64_t before = now_ns();
	uint64_t deadline = (uint64_t)before + 50000000;
	pthread_t thread;
	struct later later = {&debugger, file, pos, go};
	pthread_create(&thread, NULL, let_go, &later);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, deadline, &status), 0);
	assert_int_equal(status, 1);
	assert_true(now_ns() - before >= 400000000); /* not after 50 ms */
	pthread_join(thread, NULL);
	check_ended(&s, seq, SOFT); /* and now it runs out */
	close_client(&debugger);
	close_client(&s.c);
}

/* Not who waits for waves of others to end is ended for it: those are held here for longer than the
 * time limit of a second. */
static int start_with_a_second(void **state)
{
	gpu_options.lockup_timeout_ms = 1000;
	int r = start_gpu(state);
	gpu_options.lockup_timeout_ms = 0;
	return r;
}

static void waiting_for_others_does_not_count(void **state)
{
	enum { ROOM = 1536 }; /* groups of 32 threads that fit: 48 WGPs with 32 each */
	static const uint32_t code_end[] = {0xbfb00000};
	struct setup hog, s;
	uint64_t seq, hogs, status;
	prepare(&hog, code_loop, sizeof(code_loop), DATA, ROOM);
	prepare(&s, code_end, sizeof(code_end), DATA, 1);
	assert_int_equal(submit(&hog.c, hog.ctx, COMPUTE, 0, IB, hog.n, NULL, 0, &hogs), 0);
	while (server_info(&s.c).waves_resident < ROOM) {
		assert_int_equal(state2(&s.c, s.ctx), 0); /* it is not ended before */
		usleep(1000);
	}
	uint32_t file, halt = 1 | 1 << 4 | 1 << 8, go = 1 | 1 << 4;
	uint64_t pos = 4ull * (bw_profile_navi31.gc.segment[0] + 0x111b);
	assert_int_equal(file_open(&s.c, "debug/dri/0/amdgpu_regs2", O_RDWR, &file), 0);
	assert_int_equal(file_write(&s.c, file, &pos, &halt, 4), 4);
	assert_int_equal(submit(&s.c, s.ctx, COMPUTE, 0, IB, s.n, NULL, 0, &seq), 0);
	usleep(1500000);
	assert_int_equal(state2(&s.c, s.ctx), 0);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, 0, &status), 0);
	assert_int_equal(status, 1);
	pos = 4ull * (bw_profile_navi31.gc.segment[0] + 0x111b);
	assert_int_equal(file_write(&s.c, file, &pos, &go, 4), 4);
	assert_int_equal(wait_cs(&s.c, s.ctx, COMPUTE, 0, seq, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
	check_ended(&hog, hogs, SOFT);
	close_client(&hog.c);
	close_client(&s.c);
}

TESTS_EACH(start_gpu, stop_gpu, a_store_to_nowhere, a_fault_of_one_is_not_the_others,
	   an_illegal_instruction, many_faulting_groups, an_ib_that_is_not_there,
	   a_packet_that_is_none, a_ring_reset_is_of_one_ring, a_reset_is_asked_for_by_debugfs);
TESTS_EACH(start_with_timeout, stop_gpu, a_kernel_without_end_is_ended,
	   a_wave_that_halts_itself_is_ended, held_time_does_not_count);
TESTS_EACH(start_with_a_second, stop_gpu, waiting_for_others_does_not_count);
