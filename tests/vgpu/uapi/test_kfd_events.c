/* SPDX-License-Identifier: MIT */
/* Events of /dev/kfd. Results are those of kfd_events.c of Linux 6.12, read. */
#include "kfd_calls.h"

static struct kfd_ioctl_create_event_args make_event(struct client *c, uint32_t kfd, uint32_t type,
						     bool auto_reset)
{
	struct kfd_ioctl_create_event_args a = {.event_type = type, .auto_reset = auto_reset};
	assert_int_equal(file_ioctl(c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), 0);
	return a;
}

static int set_event(struct client *c, uint32_t kfd, uint32_t id)
{
	struct kfd_ioctl_set_event_args a = {.event_id = id};
	return file_ioctl(c, kfd, AMDKFD_IOC_SET_EVENT, &a);
}

/* The call's own result is 0 unless said otherwise; returns KFD_IOC_WAIT_RESULT_*. */
static uint32_t wait_events(struct client *c, uint32_t kfd, struct bw_kfd_event_data *events,
			    uint32_t n, bool all, uint32_t timeout_ms, int result)
{
	struct kfd_ioctl_wait_events_args a = {(uintptr_t)events, n, all, timeout_ms, 0};
	assert_int_equal(file_ioctl(c, kfd, AMDKFD_IOC_WAIT_EVENTS, &a), result);
	return a.wait_result;
}

enum { COMPLETE = KFD_IOC_WAIT_RESULT_COMPLETE, TIMEOUT = KFD_IOC_WAIT_RESULT_TIMEOUT };

static void events_have_ids_and_slots(void **state)
{
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args page, small;
	uint32_t kfd = kfd_open_both(&c);
	assert_int_equal(kfd_alloc(&c, kfd, 0x100000, PAGE, FLAG(GTT), &small), 0);
	assert_int_equal(kfd_alloc(&c, kfd, 0x200000, 0x8000, FLAG(GTT), &page), 0);
	struct kfd_ioctl_create_event_args a = {.event_page_offset = small.handle,
						.event_type = KFD_IOC_EVENT_MEMORY};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -EINVAL);
	a.event_page_offset = page.handle;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), 0);
	assert_int_equal(a.event_id, 0x40000000);
	uint64_t *slots = kfd_cpu_map(&c, c.drm, page.mmap_offset, 0x8000);
	assert_true(slots[0] == UINT64_MAX && slots[4095] == UINT64_MAX);
	slots[1] = 5;
	a = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true);
	assert_int_equal(a.event_id, 1);
	assert_int_equal(a.event_trigger_data, 1);
	assert_int_equal(a.event_slot_index, 1);
	assert_true(a.event_page_offset == 2ull << 62);
	assert_true(slots[1] == UINT64_MAX);
	assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_HW_EXCEPTION, false).event_id,
			 0x40000001);
	/* a second page, and the end of the one that is used */
	a = (struct kfd_ioctl_create_event_args){.event_page_offset = page.handle};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -EINVAL);
	assert_int_equal(kfd_free(&c, kfd, page.handle), -EPERM);
	/* all slots but 0 */
	for (unsigned i = 2; i < 4096; i++)
		assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, i);
	a = (struct kfd_ioctl_create_event_args){.event_type = KFD_IOC_EVENT_SIGNAL};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -ENOSPC);
	struct kfd_ioctl_destroy_event_args gone = {.event_id = 100};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_EVENT, &gone), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_EVENT, &gone), -EINVAL);
	assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, 100);
	munmap(slots, 0x8000);
	close_client(&c);
}

static void the_drivers_own_event_page(void **state)
{
	struct client c;
	uint32_t kfd = kfd_open_both(&c);
	for (unsigned i = 1; i < 256; i++)
		assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, i);
	struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -ENOSPC);
	uint64_t *slots = kfd_cpu_map(&c, kfd, 2ull << 62, PAGE);
	assert_true(slots[255] == UINT64_MAX);
	munmap(slots, PAGE);
	close_client(&c);
}

static void signals_and_their_ages(void **state)
{
	struct client c;
	uint32_t kfd = kfd_open_both(&c);
	uint32_t once = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id;
	uint32_t stays = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, false).event_id;
	uint32_t memory = make_event(&c, kfd, KFD_IOC_EVENT_MEMORY, false).event_id;
	struct bw_kfd_event_data both[] = {{.event_id = once}, {.event_id = stays}};
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), TIMEOUT);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 20, 0), TIMEOUT);
	assert_int_equal(set_event(&c, kfd, once), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, true, 0, 0), TIMEOUT); /* it is used up */
	assert_int_equal(wait_events(&c, kfd, both, 1, false, 0, 0), TIMEOUT);
	assert_int_equal(set_event(&c, kfd, stays), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), COMPLETE);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), COMPLETE);
	struct kfd_ioctl_reset_event_args reset = {.event_id = stays};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_RESET_EVENT, &reset), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), TIMEOUT);
	/* ages: from 1, and one more with each signal */
	struct bw_kfd_event_data aged = {.event_id = once, .last_event_age = 1};
	assert_int_equal(wait_events(&c, kfd, &aged, 1, true, 0, 0), COMPLETE);
	assert_int_equal(aged.last_event_age, 2);
	assert_int_equal(wait_events(&c, kfd, &aged, 1, true, 0, 0), TIMEOUT);
	/* the program signals only events with a slot */
	assert_int_equal(set_event(&c, kfd, memory), -EINVAL);
	assert_int_equal(set_event(&c, kfd, 4000), -EINVAL);
	struct bw_kfd_event_data absent = {.event_id = 4000};
	assert_int_equal(wait_events(&c, kfd, &absent, 1, true, 0, -EINVAL),
			 KFD_IOC_WAIT_RESULT_FAIL);
	assert_int_equal(wait_events(&c, kfd, NULL, 0, true, 0, 0), COMPLETE);
	close_client(&c);
}

struct waiting {
	struct client c;
	uint32_t kfd;
	struct bw_kfd_event_data data;
	int result;
	uint32_t wait_result;
};

static void *wait_on_thread(void *arg)
{
	struct waiting *w = arg;
	struct kfd_ioctl_wait_events_args a = {(uintptr_t)&w->data, 1, 1, UINT32_MAX, 0};
	w->result = file_ioctl(&w->c, w->kfd, AMDKFD_IOC_WAIT_EVENTS, &a);
	w->wait_result = a.wait_result;
	return NULL;
}

/* A call that waits on another connection of the same process; act() makes it end. */
static void while_one_waits(void (*act)(struct client *c, uint32_t kfd, uint32_t id), int result,
			    uint32_t wait_result)
{
	struct client c;
	struct waiting w = {0};
	pthread_t thread;
	uint32_t kfd = kfd_open_both(&c);
	uint32_t id = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id;
	connect_client(&w.c, c.token);
	w.kfd = kfd;
	w.data.event_id = id;
	assert_int_equal(pthread_create(&thread, NULL, wait_on_thread, &w), 0);
	usleep(20000); /* so that it mostly waits already; the result is the same if not */
	act(&c, kfd, id);
	pthread_join(thread, NULL);
	assert_int_equal(w.result, result);
	assert_int_equal(w.wait_result, wait_result);
	close_client(&w.c);
	close_client(&c);
}

static void act_set(struct client *c, uint32_t kfd, uint32_t id)
{
	assert_int_equal(set_event(c, kfd, id), 0);
}

static void a_signal_ends_a_wait(void **state)
{
	while_one_waits(act_set, 0, COMPLETE);
}

TESTS_AROUND(start_gpu, stop_gpu, events_have_ids_and_slots, the_drivers_own_event_page,
	     signals_and_their_ages, a_signal_ends_a_wait);
