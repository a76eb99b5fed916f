/* SPDX-License-Identifier: MIT */
#include "pm4/mes.h"

#include <inttypes.h>

#include "base/util.h"
#include "base/words.h"

enum { SCHEDULER = 1 /* MES_API_TYPE_SCHEDULER */ };

/* enum MES_SCH_API_OPCODE */
static const char *const names[] = {
	[0] = "SET_HW_RSRC",
	[1] = "SET_SCHEDULING_CONFIG",
	[2] = "ADD_QUEUE",
	[3] = "REMOVE_QUEUE",
	[4] = "PERFORM_YIELD",
	[5] = "SET_GANG_PRIORITY_LEVEL",
	[6] = "SUSPEND",
	[7] = "RESUME",
	[8] = "RESET",
	[9] = "SET_LOG_BUFFER",
	[10] = "CHANGE_GANG_PRIORITY",
	[11] = "QUERY_SCHEDULER_STATUS",
	[12] = "PROGRAM_GDS",
	[13] = "SET_DEBUG_VMID",
	[14] = "MISC",
	[15] = "UPDATE_ROOT_PAGE_TABLE",
	[16] = "AMD_LOG",
	[19] = "SET_HW_RSRC_1",
};

/* enum MESAPI_MISC_OPCODE */
static const char *const misc_names[] = {
	"WRITE_REG",
	"INV_GART",
	"QUERY_STATUS",
	"READ_REG",
	"WAIT_REG_MEM",
	"SET_SHADER_DEBUGGER",
	"NOTIFY_WORK_ON_UNMAPPED_QUEUE",
	"NOTIFY_TO_UNMAP_PROCESSES",
	"CHANGE_CONFIG",
	"LAUNCH_CLEANER_SHADER",
};

/* union MES_API_HEADER */
#define HEADER_TYPE 0, 4
#define HEADER_OPCODE 4, 8

static bool is_of_scheduler(uint32_t header)
{
	return bw_words_get(&header, HEADER_TYPE) == SCHEDULER;
}

static unsigned opcode_of(uint32_t header)
{
	return (unsigned)bw_words_get(&header, HEADER_OPCODE);
}

const char *bw_mes_name(uint32_t header)
{
	unsigned opcode = opcode_of(header);
	if (!is_of_scheduler(header) || opcode >= BW_ARRAY_SIZE(names) || !names[opcode])
		return "unknown frame";
	return names[opcode];
}

/* Members by their dword; the structs are packed to 4 bytes. */
static const struct {
	uint8_t opcode, at;
	bool is_pair;
	const char *name;
} members[] = {
	{2, 1, false, "process"},
	{2, 2, true, "page table"},
	{2, 10, true, "process context"},
	{2, 14, true, "gang context"},
	{2, 18, false, "doorbell"},
	{2, 19, true, "MQD"},
	{2, 21, true, "write pointer at"},
	{2, 27, false, "queue type"},
	{3, 1, false, "doorbell"},
	{3, 2, true, "gang context"},
	{3, 4, false, "flags"},
	{3, 9, false, "pipe"},
	{3, 10, false, "queue"},
};

void bw_mes_describe(const uint32_t *frame, size_t n, struct bw_str *out)
{
	enum { MISC = 14 };
	if (!n || !is_of_scheduler(frame[0]))
		return;
	unsigned opcode = opcode_of(frame[0]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(members); i++) {
		size_t at = members[i].at;
		if (members[i].opcode != opcode || at + members[i].is_pair >= n)
			continue;
		uint64_t value =
			members[i].is_pair ? bw_join32(frame[at + 1], frame[at]) : frame[at];
		bw_str_addf(out, "%s 0x%" PRIx64 "\n", members[i].name, value);
	}
	if (opcode == MISC && n > 1 && frame[1] < BW_ARRAY_SIZE(misc_names))
		bw_str_addf(out, "%s\n", misc_names[frame[1]]);
}
