/* SPDX-License-Identifier: MIT */
/* The waves of the fake target: they run, and stop. */
#include "fake_target.h"

#include <string.h>

#include "arch/arch.h"

enum { MAX_RUN = 10000 };

/* Stops a wave by an s_trap, or for one reason or two; BW_WF_COUNT: none. */
static void stop(struct fake_target *f, struct fake_wave *w, uint32_t trap_id,
		 enum bw_wave_field reason, enum bw_wave_field other)
{
	struct bw_wave_state *s = &w->hw.state;
	w->state = FAKE_STOPPED;
	w->hw.seq++;
	for (int i = BW_WF_ALU_EXCEPTIONS; i <= BW_WF_HOST_TRAP_TTMP; i++)
		bw_wave_set(s, (enum bw_wave_field)i, 0);
	bw_wave_set(s, BW_WF_TRAP_ID, trap_id);
	if (reason != BW_WF_COUNT)
		bw_wave_set(s, reason, 1);
	if (other != BW_WF_COUNT)
		bw_wave_set(s, other, 1);
	w->step = false;
	f->stop_pending = true;
}

/* One instruction, by its encoding (gfx11): s_nop, s_trap, s_branch, s_cbranch_scc0/1, s_endpgm,
 * s_mov_b32 and s_add_u32 of small operands. Anything else is illegal here. */
static void execute(struct fake_target *f, struct fake_wave *w)
{
	const bool scc = bw_wave_get(&w->hw.state, BW_WF_SCC);
	uint32_t op = 0;
	if (!fake_has_memory(w->hw.pc, 4)) {
		stop(f, w, 0, BW_WF_MEMORY_VIOLATION, BW_WF_PAGE_FAULT);
		return;
	}
	memcpy(&op, fake_at(f, w->hw.pc), 4);
	f->n_executed++;
	uint64_t next = w->hw.pc + 4;
	int64_t offset = (int16_t)(op & 0xffff) * 4;
	bool step = w->step;

	switch (op >> 16) {
	case 0xbf80: /* s_nop */
		break;
	case 0xbf90: /* s_trap */
		if ((op & 0xff) == 0x7e) {
			next = w->displaced_return;
			step = false;
			break;
		}
		stop(f, w, op & 0xff, BW_WF_COUNT, BW_WF_COUNT);
		return;
	case 0xbfa0: /* s_branch */
		next += (uint64_t)offset;
		break;
	case 0xbfa1: /* s_cbranch_scc0 */
		next += scc ? 0 : (uint64_t)offset;
		break;
	case 0xbfa2: /* s_cbranch_scc1 */
		next += scc ? (uint64_t)offset : 0;
		break;
	case 0xbfb0: /* s_endpgm */
		w->state = FAKE_ABSENT;
		return;
	default:
		if ((op & 0xff80ff00) == 0xbe800000 && (op & 0xff) >= 128 && (op & 0xff) <= 192) {
			w->s[op >> 16 & 0x7f] = (op & 0xff) - 128; /* s_mov_b32 sN, 0..64 */
			break;
		}
		if ((op & 0xff800000) == 0x80000000 && (op >> 8 & 0xff) >= 128 &&
		    (op >> 8 & 0xff) <= 192 && (op & 0xff) < 106) {
			w->s[op >> 16 & 0x7f] =
				w->s[op & 0xff] + (op >> 8 & 0xff) - 128; /* s_add_u32 */
			break;
		}
		stop(f, w, 0, BW_WF_ILLEGAL_INST, BW_WF_COUNT);
		return;
	}
	w->hw.pc = next;
	if (step)
		stop(f, w, 0, BW_WF_STEPPED, BW_WF_COUNT);
}

void fake_run(struct fake_target *f)
{
	for (size_t i = 0; i < FAKE_WAVES; i++)
		for (int n = 0; n < MAX_RUN && f->wave[i].state == FAKE_RUNNING; n++)
			execute(f, &f->wave[i]);
}

void fake_launch(struct fake_target *f, uint32_t slot, uint64_t pc, uint32_t workgroup,
		 uint32_t wave_in_group)
{
	struct fake_wave *w = &f->wave[slot];
	uint32_t seq = w->hw.seq;
	memset(w, 0, sizeof(*w));
	w->state = FAKE_RUNNING;
	w->hw = (struct bw_target_wave){.slot = slot,
					.seq = seq,
					.pc = pc,
					.exec = 0xffffffff,
					.state = {.arch = f->t.facts.arch},
					.workgroup = {workgroup},
					.wave_in_group = wave_in_group,
					.n_vgprs = FAKE_VGPRS,
					.lanes = 32};
}

void fake_stop(struct fake_target *f, uint32_t slot)
{
	stop(f, &f->wave[slot], 0, BW_WF_HOST_TRAP, BW_WF_HOST_TRAP_TTMP);
}

void fake_push(struct fake_target *f, const struct bw_target_event *ev)
{
	if (f->n_events < BW_ARRAY_SIZE(f->events))
		f->events[f->n_events++] = *ev;
}
