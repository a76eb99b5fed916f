/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

/* What an editor sends is checked here, member by member. */

static struct bw_error *wrong(const char *key, const char *type)
{
	return bw_errorf(BW_E_INVALID, "the argument \"%s\" is not %s", key, type);
}

static json_t *member(json_t *args, const char *key)
{
	json_t *value = json_object_get(args, key);
	return json_is_null(value) ? NULL : value;
}

struct bw_error *bw_dap_take_text(json_t *args, const char *key, const char **out)
{
	json_t *value = member(args, key);
	if (value && !json_is_string(value))
		return wrong(key, "a string");
	if (value)
		*out = json_string_value(value);
	return NULL;
}

struct bw_error *bw_dap_take_bool(json_t *args, const char *key, bool *out)
{
	json_t *value = member(args, key);
	if (value && !json_is_boolean(value))
		return wrong(key, "true or false");
	if (value)
		*out = json_is_true(value);
	return NULL;
}

struct bw_error *bw_dap_take_int(json_t *args, const char *key, int64_t *out)
{
	/* the protocol's integers: those that a double of JavaScript has exactly */
	const int64_t max = (1ll << 53) - 1;
	json_t *value = member(args, key);
	if (value && !json_is_integer(value))
		return wrong(key, "an integer");
	if (value && (json_integer_value(value) > max || json_integer_value(value) < -max))
		return wrong(key, "an integer of the protocol, from -(2^53 - 1) to 2^53 - 1");
	if (value)
		*out = json_integer_value(value);
	return NULL;
}

struct bw_error *bw_dap_take_count(json_t *args, const char *key, uint64_t max, uint64_t *out)
{
	int64_t value = -1;
	BW_TRY(bw_dap_take_int(args, key, &value));
	if (!member(args, key))
		return NULL;
	if (value < 0 || (uint64_t)value > max)
		return bw_errorf(BW_E_INVALID, "the argument \"%s\" is not from 0 to %llu", key,
				 (unsigned long long)max);
	*out = (uint64_t)value;
	return NULL;
}

struct bw_error *bw_dap_take_array(json_t *args, const char *key, json_t **out)
{
	json_t *value = member(args, key);
	if (value && !json_is_array(value))
		return wrong(key, "an array");
	if (value)
		*out = value;
	return NULL;
}

static struct bw_error *missing(const char *key)
{
	return bw_errorf(BW_E_INVALID, "the argument \"%s\" is missing", key);
}

struct bw_error *bw_dap_need_text(json_t *args, const char *key, const char **out)
{
	return member(args, key) ? bw_dap_take_text(args, key, out) : missing(key);
}

struct bw_error *bw_dap_need_int(json_t *args, const char *key, int64_t *out)
{
	return member(args, key) ? bw_dap_take_int(args, key, out) : missing(key);
}

bool bw_dap_wants_hex(json_t *args)
{
	return json_is_true(json_object_get(json_object_get(args, "format"), "hex"));
}
