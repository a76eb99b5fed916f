/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_PLANT_H
#define BW_VGPU_EXEC_PLANT_H

/* Faults of hardware that can be planted in the virtual GPU (breakwater-vgpu --plant NAME), so that
 * tests of `breakwater selftest` see it find them. The name, and what happens. */
#define BW_PLANTS(X)                                                                               \
	X(TRAP_EN, "trap-en", "STATUS.TRAP_EN is ignored: no wave enters a trap handler")          \
	X(VGPR, "vgpr", "a wave that enters the trap handler loses the value of v7")               \
	X(WATCH, "watch", "address watches never fire")                                            \
	X(ROUND, "round", "matrix products round as MODE says")                                    \
	X(BARRIER, "barrier", "barriers wait for waves that have ended")                           \
	X(HANG, "hang", "a wave that enters the trap handler halts for good in it")                \
	X(DEAD, "dead", "like hang, and no wave that is launched after that runs")

enum bw_plant_bit {
#define BW_PLANT_BIT(id, name, about) BW_PLANT_BIT_##id,
	BW_PLANTS(BW_PLANT_BIT)
#undef BW_PLANT_BIT
};
enum bw_plant {
#define BW_PLANT(id, name, about) BW_PLANT_##id = 1 << BW_PLANT_BIT_##id,
	BW_PLANTS(BW_PLANT)
#undef BW_PLANT
};

#endif
