/* SPDX-License-Identifier: MIT */
/* What is said of devcoredumps: which graphics blocks were busy, of GPUs of which generation. The
 * bits are those of the kernel's headers: GRBM_STATUS.GUI_ACTIVE 31, CP_BUSY 29, TA_BUSY 14,
 * GRBM_STATUS2.CPC_BUSY 29, CP_CPC_STATUS.CPC_BUSY 31 (gc_9_4_3_sh_mask.h and others, Linux 7.3).
 */
#include "crash/crash.h"

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"

static void verdict_of(const char *text, struct bw_str *out)
{
	struct bw_crash c = {0};
	unsigned number = 0;
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		bw_crash_line(&c, p, strcspn(p, "\n"), ++number);
	bw_crash_end(&c);
	bw_crash_verdict(&c, NULL, out);
	bw_crash_free(&c);
}

/* gc: "9.4.3"; rest: what follows the section of versions. */
static void says(const char *gc, const char *rest, const char *const *want, const char *never)
{
	char text[8192];
	struct bw_str out = {0};
	int n = snprintf(text, sizeof(text),
			 "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 6.14.0\n"
			 "module: amdgpu\nprocess_name: python3 PID: 77\n\n"
			 "HW IP Version Information\nHWIP: GC[1][0]: v%s.0.0\n\n%s",
			 gc, rest);
	assert_true(n > 0 && (size_t)n < sizeof(text));
	verdict_of(text, &out);
	for (; *want; want++)
		if (!strstr(bw_str_text(&out), *want))
			fail_msg("gfx%s: \"%s\" is not in:\n%s", gc, *want, bw_str_text(&out));
	if (never && strstr(bw_str_text(&out), never))
		fail_msg("gfx%s: \"%s\" is in:\n%s", gc, never, bw_str_text(&out));
	bw_str_free(&out);
}
#define SAYS(gc, never, rest, ...) says(gc, rest, (const char *const[]){__VA_ARGS__, NULL}, never)

#define XCC(n, status, status2, cpc)                                                               \
	"\nInstance id:" n "\nregGRBM_STATUS \t " status "\nregGRBM_STATUS2 \t " status2           \
	"\nregCP_CPC_STATUS \t " cpc "\n"
#define IDLE(n) XCC(n, "0x00003028", "0x00000008", "0x00000000")
#define MI300 "IP Dump\nIP: gfx_v9_4_3\nNumber of Instances:4\n"
#define RING(name) "Ring timed out details\nIP Type: 1 Ring Name: " name "\n\n"
#define FAULT(hub, address, status)                                                                \
	"[" hub "] Page fault observed\nFaulty page starting at address: " address                 \
	"\nProtection fault status register: " status "\n\n"

/* A dump lists GRBM_STATUS once for each XCC, and the first one's is not all there is. */
static void test_one_xcc_is_busy(void **state)
{
	SAYS("9.4.3", "idle when",
	     RING("comp_2.1.0.3") FAULT("gfxhub", "0x0000000000000000", "0x0") MI300 IDLE("0")
		     IDLE("1") XCC("2", "0xa0003028", "0x8", "0x80000000") IDLE("3"),
	     "Ring comp_2.1.0.3 (compute of XCC 2) did not finish a job in time.\n",
	     "Busy when the dump was made: XCC 2: CP_BUSY, GUI_ACTIVE, CPC_BUSY. The other 3 XCCs "
	     "were idle.\n");
	/* the registers of its queues are no other XCC */
	SAYS("9.4.4", NULL,
	     MI300 IDLE("0")
		     XCC("1", "0x80003028", "0x8",
			 "0") "\nnum_xcc: 2 num_mec: 1 num_pipe: 1 num_queue: 1\n"
			      "\nxcc:0 mec:0, pipe:0, queue:0\nregCP_HQD_ACTIVE \t 0x00000001\n"
			      "\nxcc:1 mec:0, pipe:0, queue:0\nregCP_HQD_ACTIVE \t 0x00000001\n",
	     "XCC 1: GUI_ACTIVE. The other 1 XCC was idle.\n");
}

static void test_xccs_that_do_the_same(void **state)
{
	SAYS("9.5.0", "were idle",
	     MI300 XCC("0", "0xa0003028", "0x8", "0x0") XCC("1", "0x80007028", "0x8", "0x0")
		     XCC("2", "0xa0003028", "0x8", "0x0"),
	     "Busy when the dump was made: XCC 0, 2: CP_BUSY, GUI_ACTIVE; XCC 1: TA_BUSY, "
	     "GUI_ACTIVE.\n");
	SAYS("9.4.3", "Busy", MI300 IDLE("0") IDLE("1") IDLE("2") IDLE("3"),
	     "All 4 XCCs were idle when the dump was made.\n");
	/* the front end alone */
	SAYS("9.4.3", "idle when", MI300 IDLE("0") XCC("1", "0x00003028", "0x20000008", "0x0"),
	     "XCC 1: CPC_BUSY. The other 1 XCC was idle.\n");
	/* one that is off the bus has no busy bits */
	SAYS("9.4.3", "TA_BUSY", MI300 IDLE("0") XCC("1", "0xffffffff", "0xffffffff", "0xffffffff"),
	     "XCC 1: does not answer (all bits read as 1). The other 1 XCC was idle.\n");
}

/* GPUs of one graphics block, by the registers of their own generation. */
static void test_one_block(void **state)
{
	static const char *const generations[] = {"9.0.1",  "10.1.10", "10.1.1", "10.1.2",
						  "10.1.3", "10.1.4",  "10.3.0", "11.0.0",
						  "11.5.1", "12.0.1",  "12.1.0"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(generations); i++) {
		SAYS(generations[i], "XCC",
		     RING("gfx_0.0.0") "IP Dump\nIP: gfx_vX\nregGRBM_STATUS \t 0xa0007028\n"
				       "regGRBM_STATUS2 \t 0x70000008\n",
		     "Busy when the dump was made: TA_BUSY, CP_BUSY, GUI_ACTIVE, CPF_BUSY, "
		     "CPC_BUSY, CPG_BUSY.\n",
		     "Ring gfx_0.0.0 (graphics) did not");
		SAYS(generations[i], "Busy",
		     "IP Dump\nIP: gfx_vX\nregGRBM_STATUS \t 0x00003028\n"
		     "regGRBM_STATUS2 \t 0x00000008\n",
		     "The graphics block was idle when the dump was made.\n");
	}
	SAYS("10.1.10", NULL, "", "GPU gfx10.1.10 (Navi10)");
	SAYS("10.1.4", NULL, "", "GPU gfx10.1.4 (Cyan Skillfish (BC-250))");
	SAYS("12.1.0", NULL, RING("comp_3.1.0.0"), "Ring comp_3.1.0.0 (compute of XCC 3) did");
}

static void test_faults(void **state)
{
	/* neither an address nor a status: there was none */
	SAYS("9.4.3", "0x0", FAULT("gfxhub", "0x0000000000000000", "0x0"), "kernel 6.14.0");
	SAYS("9.4.3", "A shader", FAULT("gfxhub", "0x00007f1200003000", "0x0"),
	     "A page fault at 0x7f1200003000 was recorded, whose status was empty: who accessed it "
	     "is not known");
	/* the label is that of every hub but the first */
	SAYS("9.4.3", NULL, FAULT("mmhub", "0x00007f1200003000", "0x801031"),
	     "of the memory hub; a dump calls the graphics hubs of XCC 1 and later \"mmhub\", too. If "
	     "it is one of those: A shader of VMID 8 read from address 0x7f1200003000");
	SAYS("11.0.0", "XCC", FAULT("mmhub", "0x00007f1200003000", "0x801031"), "VMID 8");
}

TESTS(test_one_xcc_is_busy, test_xccs_that_do_the_same, test_one_block, test_faults);
