/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_OPS_H
#define BW_TARGET_OPS_H

/* For who makes a target: its operations. Each does what the function of the same name in
 * target/call.h says, which alone calls it; those of a capability that the target lacks are never
 * called and may be NULL. An operation that is added here needs a row in the table of target.c.
 *
 * A new target has a file with its operations, its bits of capabilities, and an entry in the list
 * of tests/target, where one suite holds every target to what it says it can do. */

#include "target/target.h"

struct bw_target_ops {
	void (*close)(struct bw_target *t);
	struct bw_error *(*wait)(struct bw_target *t, int timeout_ms, struct bw_target_event *out);
	void (*interrupt)(struct bw_target *t);
	void (*forget_interrupt)(struct bw_target *t);
	bool (*is_interrupted)(struct bw_target *t);

	size_t (*stopped)(struct bw_target *t, uint32_t *out_slots, size_t max);
	bool (*is_stopped)(struct bw_target *t, uint32_t slot);
	enum bw_target_end (*ends)(struct bw_target *t);
	struct bw_error *(*read_wave)(struct bw_target *t, uint32_t slot,
				      struct bw_target_wave *out);
	struct bw_error *(*read_sgprs)(struct bw_target *t, uint32_t slot, unsigned first,
				       unsigned n, uint32_t *out);
	struct bw_error *(*read_vgpr)(struct bw_target *t, uint32_t slot, unsigned n,
				      uint32_t *out);
	struct bw_error *(*write_reg)(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				      uint64_t value);
	struct bw_error *(*write_sgpr)(struct bw_target *t, uint32_t slot, unsigned n,
				       uint32_t value);
	struct bw_error *(*write_vgpr)(struct bw_target *t, uint32_t slot, unsigned n,
				       unsigned lane, uint32_t value);

	struct bw_error *(*resume)(struct bw_target *t, const uint32_t *slots, size_t n);
	struct bw_error *(*step)(struct bw_target *t, uint32_t slot);
	struct bw_error *(*wait_wave)(struct bw_target *t, uint32_t slot, int timeout_ms,
				      bool *out_stopped, bool *out_ended);
	struct bw_error *(*stop_all)(struct bw_target *t, uint32_t *out_running);
	struct bw_error *(*release)(struct bw_target *t, uint32_t submission);

	struct bw_error *(*read)(struct bw_target *t, uint64_t va, void *out, size_t size_b);
	struct bw_error *(*write)(struct bw_target *t, uint64_t va, const void *data,
				  size_t size_b);
	struct bw_error *(*read_lds)(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				     void *out, size_t size_b);
	struct bw_error *(*write_lds)(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				      const void *data, size_t size_b);
	struct bw_error *(*read_scratch)(struct bw_target *t, uint32_t slot, unsigned lane,
					 uint32_t offset_b, void *out, size_t size_b);
	struct bw_error *(*write_scratch)(struct bw_target *t, uint32_t slot, unsigned lane,
					  uint32_t offset_b, const void *data, size_t size_b);
	struct bw_error *(*fault)(struct bw_target *t, struct bw_target_fault *out);
	struct bw_error *(*walk)(struct bw_target *t, uint64_t va, struct bw_verdict *out);
	struct bw_error *(*maps)(struct bw_target *t, struct bw_target_map **out, size_t *out_n);
	struct bw_error *(*freed)(struct bw_target *t, uint64_t va, struct bw_target_freed *out);
	struct bw_error *(*objects)(struct bw_target *t, struct bw_target_object **out,
				    size_t *out_n);
	struct bw_error *(*shader)(struct bw_target *t, uint32_t pipeline,
				   struct bw_target_shader **out);
	struct bw_error *(*loaded)(struct bw_target *t, struct bw_target_loaded **out,
				   size_t *out_n);
	struct bw_error *(*loaded_bytes)(struct bw_target *t, uint64_t base, uint8_t **out,
					 size_t *out_size_b);
	struct bw_error *(*queues)(struct bw_target *t, struct bw_target_queue **out,
				   size_t *out_n);

	struct bw_error *(*draws)(struct bw_target *t, uint32_t question, void *io);

	struct bw_error *(*patch)(struct bw_target *t, uint64_t va, uint32_t word);
	struct bw_error *(*unpatch)(struct bw_target *t, uint64_t va);
	void (*code_buffer)(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b);
	struct bw_error *(*set_filter)(struct bw_target *t, unsigned index, uint64_t pc,
				       const struct bw_target_filter *f);
	struct bw_error *(*set_watch)(struct bw_target *t, unsigned index,
				      const struct bw_target_watch *w);
	struct bw_error *(*set_exceptions)(struct bw_target *t, uint32_t mask);
	struct bw_error *(*set_precise)(struct bw_target *t, bool on);

	struct bw_error *(*detach)(struct bw_target *t, pid_t pid);
	struct bw_error *(*kill)(struct bw_target *t, pid_t pid);
	struct bw_error *(*detach_children)(struct bw_target *t, bool on);
	struct bw_error *(*attach)(struct bw_target *t, pid_t pid);
	struct bw_error *(*attached)(struct bw_target *t, pid_t pid,
				     struct bw_target_attached *out);
	struct bw_error *(*make_ready)(struct bw_target *t, pid_t pid);
	struct bw_error *(*hold_time)(struct bw_target *t, bool on);
};

/* Whether each operation is there that its capabilities promise; the error names one that is
 * not. */
struct bw_error *bw_target_check(const struct bw_target *t) BW_MUST_CHECK;

#endif
