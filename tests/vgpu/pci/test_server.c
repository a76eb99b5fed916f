/* SPDX-License-Identifier: MIT */
/* A client of the server, as QEMU is one: what a guest's driver sees through it. */
#include "vgpu/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/memfd.h"
#include "vgpu/device/discovery.h"

enum { VRAM_B = 256 << 20 };
/* registers of Navi31, as dword addresses (Linux 6.12's asic_reg, and its discovery table) */
enum { RCC_CONFIG_MEMSIZE = 0xde3, SCRATCH_REG0 = 0xc040, IH_RB_CNTL = 0x1120 };

static struct bw_pci *pci;
static int client, server, stop_fd;
static pthread_t thread;
static struct bw_error *served;
static struct {
	uint16_t id, command;
	uint32_t size, flags, error;
	uint8_t body[4096];
} reply;
static int reply_fd;

static void *serve(void *arg)
{
	served = bw_pci_serve(pci, server, stop_fd);
	close(server); /* so that a client that waits sees the end */
	return NULL;
}

static int set_up(void **state)
{
	int pair[2];
	const struct bw_pci_options options = {.device = {.threads = 1}, .vram_size_b = VRAM_B};
	struct bw_error *err = bw_pci_create(&bw_profile_navi31, &options, &pci);
	if (err)
		fail_msg("%s", err->message);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	client = pair[0];
	server = pair[1];
	stop_fd = eventfd(0, EFD_CLOEXEC);
	served = NULL;
	reply_fd = -1;
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	close(client);
	pthread_join(thread, NULL);
	bw_error_free(served);
	bw_pci_destroy(pci);
	close(stop_fd);
	if (reply_fd >= 0)
		close(reply_fd);
	return 0;
}

static void send_message(uint16_t command, uint32_t flags, const void *body, size_t n, int fd)
{
	uint8_t bytes[4096] = {0};
	const uint16_t id = 0x77;
	uint32_t size = (uint32_t)(16 + n);
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec v = {bytes, size};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	memcpy(bytes, &id, 2);
	memcpy(bytes + 2, &command, 2);
	memcpy(bytes + 4, &size, 4);
	memcpy(bytes + 8, &flags, 4);
	if (n)
		memcpy(bytes + 16, body, n);
	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		struct cmsghdr *h = CMSG_FIRSTHDR(&m);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &fd, sizeof(int));
	}
	assert_int_equal(sendmsg(client, &m, MSG_NOSIGNAL), size);
}

static void receive_reply(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec v = {&reply, 16};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	assert_int_equal(recvmsg(client, &m, MSG_WAITALL), 16);
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	if (reply_fd >= 0)
		close(reply_fd);
	reply_fd = -1;
	if (h)
		memcpy(&reply_fd, CMSG_DATA(h), sizeof(int));
	assert_true(reply.size >= 16 && reply.size <= sizeof(reply));
	if (reply.size > 16) /* a receive of no bytes would wait for some */
		assert_int_equal(recv(client, reply.body, reply.size - 16, MSG_WAITALL),
				 reply.size - 16);
	assert_int_equal(reply.id, 0x77);
}

/* Sends, and returns the error of the reply. */
static uint32_t ask(uint16_t command, const void *body, size_t n, int fd)
{
	send_message(command, 0, body, n, fd);
	receive_reply();
	assert_int_equal(reply.command, command);
	return reply.flags & BW_VFU_ERROR ? reply.error : 0;
}

struct __attribute__((packed)) access {
	uint64_t offset;
	uint32_t region, count;
	uint64_t data;
};

static uint32_t read_reg(uint32_t addr_dw)
{
	const struct access a = {addr_dw * 4ull, 5, 4, 0};
	uint32_t v;
	assert_int_equal(ask(BW_VFU_REGION_READ, &a, 16, -1), 0);
	memcpy(&v, reply.body + 16, 4);
	return v;
}

static void write_reg(uint32_t addr_dw, uint32_t v)
{
	const struct access a = {addr_dw * 4ull, 5, 4, v};
	assert_int_equal(ask(BW_VFU_REGION_WRITE, &a, 20, -1), 0);
}

struct __attribute__((packed)) map {
	uint32_t argsz, flags;
	uint64_t offset, address, size;
};

static int guest_memory(size_t size, bool sealed)
{
	int fd = bw_memfd("guest");
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	if (sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	return fd;
}

static void registers_are_reached(void **state)
{
	assert_int_equal(read_reg(RCC_CONFIG_MEMSIZE), VRAM_B >> 20);
	write_reg(SCRATCH_REG0, 0xcafedead);
	assert_int_equal(read_reg(SCRATCH_REG0), 0xcafedead);
	const struct access crooked = {2, 5, 4, 0};
	assert_int_equal(ask(BW_VFU_REGION_READ, &crooked, 16, -1), EINVAL);
	const struct access behind = {BW_PCI_REGISTERS_B - 4, 5, 8, 0};
	assert_int_equal(ask(BW_VFU_REGION_READ, &behind, 16, -1), EINVAL);
}

/* Many messages at once, as a driver writes an index and reads the data behind it. */
static void what_arrives_together_is_answered_in_order(void **state)
{
	for (uint32_t i = 0; i < 64; i++) {
		const struct access w = {SCRATCH_REG0 * 4, 5, 4, 1000 + i};
		const struct access r = {SCRATCH_REG0 * 4, 5, 4, 0};
		send_message(BW_VFU_REGION_WRITE, BW_VFU_NO_REPLY, &w, 20, -1);
		send_message(BW_VFU_REGION_READ, 0, &r, 16, -1);
	}
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t v;
		receive_reply();
		memcpy(&v, reply.body + 16, 4);
		assert_int_equal(v, 1000 + i);
	}
}

static void vram_is_a_file_with_the_tables_in_it(void **state)
{
	struct {
		uint32_t argsz, flags, index, cap;
		uint64_t size, offset;
	} info = {32, 0, 0, 0, 0, 0};
	assert_int_equal(ask(BW_VFU_GET_REGION_INFO, &info, 32, -1), 0);
	memcpy(&info, reply.body, sizeof(info));
	assert_int_equal(info.flags, 7);
	assert_int_equal(info.size, VRAM_B);
	assert_true(reply_fd >= 0);
	uint8_t *vram = mmap(NULL, VRAM_B, PROT_READ | PROT_WRITE, MAP_SHARED, reply_fd, 0);
	assert_ptr_not_equal(vram, MAP_FAILED);
	assert_int_equal(vram[0], 0x55);
	uint32_t signature;
	memcpy(&signature, vram + VRAM_B - BW_DISCOVERY_FROM_END_B, 4);
	assert_int_equal(signature, 0x28211407);
	/* no message says that the guest wrote this */
	memset(vram, 0, 4096);
	vram[0x10000] = 42;
	struct access a = {0x10000, 0, 1, 0};
	assert_int_equal(ask(BW_VFU_REGION_READ, &a, 16, -1), 0);
	assert_int_equal(reply.body[16], 42);
	/* a reset makes the tables anew */
	assert_int_equal(ask(BW_VFU_RESET, NULL, 0, -1), 0);
	assert_int_equal(vram[0], 0x55);
	assert_int_equal(vram[0x10000], 42);
	munmap(vram, VRAM_B);
}

static void regions_that_are_absent_have_no_size(void **state)
{
	struct {
		uint32_t argsz, flags, index, cap;
		uint64_t size, offset;
	} info;
	for (uint32_t i = 0; i < 9; i++) {
		memset(&info, 0, sizeof(info));
		info.argsz = 32;
		info.index = i;
		assert_int_equal(ask(BW_VFU_GET_REGION_INFO, &info, 32, -1), 0);
		memcpy(&info, reply.body, sizeof(info));
		bool there = i == 0 || i == 2 || i == 5 || i == 7;
		assert_int_equal(info.size != 0, there);
		assert_int_equal(info.flags != 0, there);
	}
}

static void guest_memory_becomes_system_memory(void **state)
{
	_Static_assert(sizeof(struct map) == 32, "packed");
	int fd = guest_memory(0x10000, true);
	const struct map m = {32, 3, 0x4000, 0x100000, 0x2000};
	const struct {
		uint32_t argsz, flags;
		uint64_t address, size;
	} u = {24, 0, 0x100000, 0x2000}, part = {24, 0, 0x100000, 0x1000};
	assert_int_equal(pwrite(fd, "guest", 5, 0x5000), 5);
	assert_int_equal(ask(BW_VFU_DMA_MAP, &m, 32, fd), 0);
	/* the offset is that of the file, not the address */
	assert_memory_equal(bw_device_sysmem(bw_pci_device(pci), 0x101000, 5), "guest", 5);
	assert_null(bw_device_sysmem(bw_pci_device(pci), 0x102000, 1));
	assert_int_equal(ask(BW_VFU_DMA_MAP, &m, 32, fd), EEXIST);
	/* a device made anew has the same memory */
	assert_int_equal(ask(BW_VFU_RESET, NULL, 0, -1), 0);
	assert_memory_equal(bw_device_sysmem(bw_pci_device(pci), 0x101000, 5), "guest", 5);
	assert_int_equal(ask(BW_VFU_DMA_UNMAP, &part, 24, -1), ENOENT);
	assert_int_equal(ask(BW_VFU_DMA_UNMAP, &u, 24, -1), 0);
	assert_null(bw_device_sysmem(bw_pci_device(pci), 0x101000, 1));
	close(fd);
}

static void what_is_no_memory_is_remembered_and_not_used(void **state)
{
	int fd = guest_memory(0x10000, true), loose = guest_memory(0x10000, false);
	const struct map hole = {32, 1, 0, 0xfffc0000, 0x40000};
	const struct map rom = {32, 1, 0, 0xc0000, 0x1000};
	const struct map far = {32, 3, 0, 0xff00000000, 0x1000};
	const struct map unsealed = {32, 3, 0, 0x200000, 0x1000};
	const struct map beyond = {32, 3, 0x10000, 0x300000, 0x1000};
	assert_int_equal(ask(BW_VFU_DMA_MAP, &hole, 32, -1), 0);
	assert_int_equal(ask(BW_VFU_DMA_MAP, &rom, 32, fd), 0);
	assert_int_equal(ask(BW_VFU_DMA_MAP, &far, 32, fd), 0);
	assert_null(bw_device_sysmem(bw_pci_device(pci), 0xc0000, 1));
	/* a file that can shrink would end the server */
	assert_int_equal(ask(BW_VFU_DMA_MAP, &unsealed, 32, loose), EINVAL);
	assert_int_equal(ask(BW_VFU_DMA_MAP, &beyond, 32, fd), EINVAL);
	close(fd);
	close(loose);
}

/* The interrupt ring in VRAM; SDMA queue 0 of engine 0 on a ring with a packet that does not
 * exist: it says so by an interrupt. */
static void send_bad_packet(void)
{
	struct bw_device *dev = bw_pci_device(pci);
	write_reg(IH_RB_CNTL + 1, 0x80000000u + 0x1000); /* base >> 8: VRAM 0x100000 */
	write_reg(IH_RB_CNTL, 1 | 10 << 1 | 1 << 17 | 4u << 28);
	memset(bw_device_vram(dev) + 0x200000, 0xff, 4096);
	write_reg(0x12e1, 0x80000000u + 0x2000);
	write_reg(0x12e0, 1 | 10 << 1);
	write_reg(0x12e5, 64); /* WPTR */
}

/* One vector, by the rules of ih_v6_0.c. */
static void an_interrupt_reaches_the_eventfd_of_msi(void **state)
{
	struct {
		uint32_t argsz, flags, index, start, count;
	} set = {20, 0x24, 0, 0, 1};
	uint64_t count = 0;
	int intx = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), msi = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(ask(BW_VFU_SET_IRQS, &set, 20, intx), 0);
	set.index = 1;
	assert_int_equal(ask(BW_VFU_SET_IRQS, &set, 20, msi), 0);
	send_bad_packet();
	struct bw_device *dev = bw_pci_device(pci);
	struct pollfd there = {msi, POLLIN, 0};
	assert_int_equal(poll(&there, 1, -1), 1);
	assert_int_equal(read(msi, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	assert_int_equal(bw_device_vram(dev)[0x100000], 0x0a);
	assert_int_equal(read(intx, &count, sizeof(count)), -1);
	close(intx);
	close(msi);
}

/* Where a client gives something else, or lets its eventfd be full, only the client is without
 * interrupts. */
static void an_interrupt_that_nobody_takes_blocks_nothing(void **state)
{
	struct {
		uint32_t argsz, flags, index, start, count;
	} set = {20, 0x24, 1, 0, 1};
	const uint64_t full = UINT64_MAX - 1;
	int ends[2], msi = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ask(BW_VFU_SET_IRQS, &set, 20, ends[1]), EINVAL);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(write(msi, &full, sizeof(full)), sizeof(full));
	assert_int_equal(ask(BW_VFU_SET_IRQS, &set, 20, msi), 0);
	send_bad_packet();
	/* The counter's last value is an overflow, which poll() shows as an error; but nobody who
	 * sleeps in it for that is woken (eventfd_signal() of Linux). */
	struct pollfd there = {msi, 0, 0};
	while (poll(&there, 1, 0) == 0)
		usleep(1000);
	assert_true(there.revents & POLLERR);
	write_reg(SCRATCH_REG0, 0x600d);
	assert_int_equal(read_reg(SCRATCH_REG0), 0x600d);
	close(msi);
}

/* A ring where nothing is mapped: the fault of storing a vector has no place either. */
static void an_interrupt_ring_that_is_not_there_blocks_nothing(void **state)
{
	struct bw_device *dev = bw_pci_device(pci);
	write_reg(IH_RB_CNTL + 1, 0x1000); /* 0x100000: no VRAM, which begins at 512 GiB */
	write_reg(IH_RB_CNTL, 1 | 10 << 1 | 1 << 17 | 4u << 28);
	memset(bw_device_vram(dev) + 0x200000, 0xff, 4096);
	write_reg(0x12e1, 0x80000000u + 0x2000);
	write_reg(0x12e0, 1 | 10 << 1);
	write_reg(0x12e5, 64);
	char why[64];
	while (!bw_device_sdma_error(dev, 0, 0, why, sizeof(why))) /* until the engine has met it */
		sched_yield();
	write_reg(IH_RB_CNTL, 0);
	assert_int_equal(read_reg(IH_RB_CNTL), 0);
}

static void a_client_that_breaks_the_stream_is_left(void **state)
{
	const uint8_t nonsense[16] = {1, 0, 4, 0, 3, 0, 0, 0};
	uint8_t c;
	assert_int_equal(send(client, nonsense, sizeof(nonsense), MSG_NOSIGNAL), 16);
	assert_int_equal(recv(client, &c, 1, 0), 0);
	pthread_join(thread, NULL);
	assert_non_null(served);
	assert_int_equal(served->code, BW_E_INVALID);
	bw_error_free(served);
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0); /* for tear_down */
}

static void a_stop_ends_it_while_it_waits(void **state)
{
	const uint64_t one = 1;
	uint8_t c;
	assert_int_equal(send(client, "half", 4, MSG_NOSIGNAL), 4);
	assert_int_equal(write(stop_fd, &one, 8), 8);
	assert_true(recv(client, &c, 1, 0) <= 0);
}

TESTS_EACH(set_up, tear_down, registers_are_reached, what_arrives_together_is_answered_in_order,
	   vram_is_a_file_with_the_tables_in_it, regions_that_are_absent_have_no_size,
	   guest_memory_becomes_system_memory, what_is_no_memory_is_remembered_and_not_used,
	   an_interrupt_reaches_the_eventfd_of_msi, an_interrupt_that_nobody_takes_blocks_nothing,
	   an_interrupt_ring_that_is_not_there_blocks_nothing,
	   a_client_that_breaks_the_stream_is_left, a_stop_ends_it_while_it_waits);
