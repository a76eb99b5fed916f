/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_GDS_H
#define BW_VGPU_DEVICE_GDS_H

/* The global data share: a small memory beside the caches, in which shaders of vertices count
 * primitives for queries, and the counters of transform feedback, which are registers.
 *
 * Transform feedback of gfx11 is the work of the shader. The first thread of a subgroup adds the
 * bytes that the subgroup is to store to GDS_STRMOUT_DWORDS_WRITTEN_n, whose old value says where
 * they go, and the subgroups do that in their order: ds_ordered_count waits for those before.
 * Subgroups that have an order run one after the other here (draw_priv.h), so nothing has to wait.
 *
 * The memory is the same for all VMIDs: the model has no GDS_VMIDn_BASE. Drivers leave it idle when
 * a stream of commands ends. Sources: DS_ORDERED_COUNT, DS_ADD_GS_REG_RTN in AMD's RDNA3 ISA
 * document; aco_instruction_selection.cpp of Mesa 25; IntrinsicsAMDGPU.td of LLVM 19 (M0 of
 * llvm.amdgcn.ds.ordered.add). */

#include <stdbool.h>
#include <stdint.h>

enum { BW_GDS_B = 4096 };

struct bw_device;
struct bw_inst;
struct bw_wave;

/* The dword at an offset in bytes, which is rounded down; 0 beyond the end. Any thread. */
uint32_t bw_gds_read(struct bw_device *dev, uint64_t offset_b);
/* Executes an instruction with the GDS bit. False: it is not one of those that drivers use. */
bool bw_gds_instruction(struct bw_device *dev, struct bw_wave *w, const struct bw_inst *in);

#endif
