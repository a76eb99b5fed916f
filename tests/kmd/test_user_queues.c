/* SPDX-License-Identifier: MIT */
/* Folders of DRM clients as Linux 7.1.8 makes them (drm_debugfs_clients_add,
 * amdgpu_debugfs_userq_init), and what no kernel writes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../suite.h"
#include "base/util.h"
#include "kmd/kmd_priv.h"

static char root[64];

static void put(const char *path, const char *text, size_t size_b)
{
	char full[256];
	snprintf(full, sizeof(full), "%s/dri/%s", root, path);
	for (char *c = full + 1; *c; c++) {
		if (*c == '/') {
			*c = 0;
			mkdir(full, 0755);
			*c = '/';
		}
	}
	FILE *f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size_b, f), size_b);
	fclose(f);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void put_client(const char *client, const char *device, const char *proc_info)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/proc_info", client);
	put_text(path, proc_info);
	snprintf(path, sizeof(path), "%s/dri/%s/device", root, client);
	assert_int_equal(symlink(device, path), 0);
}

static int set_up(void **state)
{
	snprintf(root, sizeof(root), "/tmp/bw-userq-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void some_queues(void **state)
{
	struct bw_kmd_user_queue *q;
	size_t n = 1;
	assert_null(bw_kmd_linux_user_queues(root, "0000:03:00.0", &q, &n)); /* no dri at all */
	assert_int_equal(n, 0);
	put_client("client-12", "../0000:03:00.0", "pid: 4711\ncomm: game\n");
	put_text("client-12/queue_10/mqd_info",
		 "queue_type: 1\nmqd_gpu_address: 0xffff800000263000\n");
	put_text("client-12/queue_2/mqd_info", "queue_type: 0\nmqd_gpu_address: 0x8000251000\n");
	put_client("client-7", "../0000:03:00.0", "pid: 0\ncomm: Unset\n");
	put_text("client-7/queue_1/mqd_info", "queue_type: 2\nmqd_gpu_address: 0x0\n");
	put_client("client-8", "../0000:0a:00.0", "pid: 5\ncomm: other\n");
	put_text("client-8/queue_1/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1000\n");
	put_client("client-9", "../0000:03:00.0", "pid: 6\ncomm: none\n"); /* without queues */
	put_text("0000:03:00.0/name", "amdgpu dev=0000:03:00.0 unique=0000:03:00.0\n");

	assert_null(bw_kmd_linux_user_queues(root, "0000:03:00.0", &q, &n));
	assert_int_equal(n, 3);
	assert_int_equal(q[0].client, 7);
	assert_int_equal(q[0].pid, 0);
	assert_string_equal(q[0].comm, "");
	assert_int_equal(q[0].type, 2);
	assert_int_equal(q[1].client, 12);
	assert_int_equal(q[1].queue, 2);
	assert_int_equal(q[1].pid, 4711);
	assert_string_equal(q[1].comm, "game");
	assert_int_equal(q[1].mqd, 0x8000251000);
	assert_int_equal(q[2].queue, 10);
	assert_int_equal(q[2].type, 1);
	assert_true(q[2].mqd == 0xffff800000263000);
	free(q);
	assert_null(bw_kmd_linux_user_queues(root, "0000:0b:00.0", &q, &n));
	assert_int_equal(n, 0);
	assert_null(q);
}

static void hostile_files(void **state)
{
	static const char *const none[] = {"",
					   "queue_type: 1\n",
					   "mqd_gpu_address: 0x1\n",
					   "queue_type: \nmqd_gpu_address: 0x1\n",
					   "queue_type: -1\nmqd_gpu_address: 0x1\n",
					   "queue_type: 4294967296\nmqd_gpu_address: 0x1\n",
					   "queue_type: 1\nmqd_gpu_address: 0x10000000000000000\n",
					   "queue_type: 1 2\nmqd_gpu_address: 0x1\n",
					   "queue_type: 1\nmqd_gpu_address: 0x1z\n",
					   "a queue_type: 1\nb mqd_gpu_address: 0x1\n"};
	uint32_t type = 77;
	uint64_t mqd = 88;
	for (size_t i = 0; i < BW_ARRAY_SIZE(none); i++)
		assert_false(bw_kmd_parse_mqd_info(none[i], &type, &mqd));
	assert_int_equal(type, 77);
	assert_int_equal(mqd, 88);
	assert_true(bw_kmd_parse_mqd_info("more: x\nqueue_type: 3\nmqd_gpu_address: 0x20", &type,
					  &mqd));
	assert_int_equal(type, 3);
	assert_int_equal(mqd, 0x20);

	char big[4096];
	memset(big, 'x', sizeof(big));
	put_client("client-1", "../0000:03:00.0", "pid: 99999999999\ncomm: big\n");
	put("client-1/queue_1/mqd_info", big, sizeof(big));
	put("client-1/queue_2/mqd_info", "\0\0\0", 3);
	put_text("client-1/queue_x/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_text("client-1/queue_-3/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_text("client-1/queue_99999999999999999999/mqd_info",
		 "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_text("client-1/queue_4/other", "");
	put_client("client-2x", "../0000:03:00.0", "pid: 1\ncomm: a\n");
	put_text("client-2x/queue_1/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_client("client-3", "0000:03:00.0", "comm: no pid\n");
	put_text("client-3/queue_1/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_text("client-4/queue_1/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_client("client-5", "../0000:03:00.0",
		   "pid: 5\ncomm: a name: \nwith a line of 40 "
		   "characters and more\n");
	put_text("client-5/queue_0/mqd_info", "queue_type: 1\nmqd_gpu_address: 0x1\n");
	put_client("client-6", "../0000:03:00.0", "pid: 5\n");
	put_text("client-6/queue_0", "a file");
	struct bw_kmd_user_queue *q;
	size_t n;
	assert_null(bw_kmd_linux_user_queues(root, "0000:03:00.0", &q, &n));
	assert_int_equal(n, 4); /* of client 1 two without a descriptor, of 3 and of 5 */
	assert_int_equal(q[0].queue, 1);
	assert_false(q[0].has_mqd);
	assert_int_equal(q[0].pid, 0);
	assert_false(q[1].has_mqd);
	assert_int_equal(q[2].client, 3);
	assert_true(q[2].has_mqd);
	assert_int_equal(q[2].pid, 0);
	assert_int_equal(q[3].pid, 5);
	assert_string_equal(q[3].comm, "a name: \nwith a");
	free(q);
}

TESTS_EACH(set_up, tear_down, some_queues, hostile_files);
