/* SPDX-License-Identifier: MIT */
/* The chain of layers: instance and device creation, and who comes next. After the loader's
 * documentation (LoaderLayerInterface.md, interface version 2). */
#include "agent/vulkan/vk_bounds.h"
#include "agent/vulkan/vk_layer.h"
#include "agent/vulkan/vk_record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "base/util.h"

#define EXPORT __attribute__((visibility("default")))

enum { INSTANCES_MAX = 64, DEVICES_MAX = 64 };

struct instance {
	void *key;
	VkInstance handle;
	PFN_vkGetInstanceProcAddr get;
	PFN_vkDestroyInstance DestroyInstance;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct instance *instances[INSTANCES_MAX];
static struct bw_vk_device *devices[DEVICES_MAX];

static void *key_of(const void *handle)
{
	return *(void *const *)handle;
}

static struct instance *instance_of(const void *handle)
{
	struct instance *found = NULL;
	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; i < INSTANCES_MAX && !found; i++)
		if (instances[i] && instances[i]->key == key_of(handle))
			found = instances[i];
	pthread_rwlock_unlock(&lock);
	return found;
}

const struct bw_vk_device *bw_vk_device_of(const void *handle)
{
	struct bw_vk_device *found = NULL;
	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; i < DEVICES_MAX && !found; i++)
		if (devices[i] && devices[i]->key == key_of(handle))
			found = devices[i];
	pthread_rwlock_unlock(&lock);
	return found;
}

/* Puts p into a free place; false when there is none. */
static bool keep(void **table, size_t n, void *p)
{
	bool done = false;
	pthread_rwlock_wrlock(&lock);
	for (size_t i = 0; i < n && !done; i++) {
		if (!table[i]) {
			table[i] = p;
			done = true;
		}
	}
	pthread_rwlock_unlock(&lock);
	return done;
}

static void forget(void **table, size_t n, const void *p)
{
	pthread_rwlock_wrlock(&lock);
	for (size_t i = 0; i < n; i++)
		if (table[i] == p)
			table[i] = NULL;
	pthread_rwlock_unlock(&lock);
}

/* ---- Instance ---- */

static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info)
{
	VkLayerInstanceCreateInfo *i = (VkLayerInstanceCreateInfo *)(uintptr_t)info->pNext;
	while (i && (i->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
		     i->function != VK_LAYER_LINK_INFO))
		i = (VkLayerInstanceCreateInfo *)(uintptr_t)i->pNext;
	return i;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *alloc,
						      VkInstance *out)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	PFN_vkCreateInstance next = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	struct instance *i = calloc(1, sizeof(*i));
	if (!next || !i) {
		free(i);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	VkResult r = next(info, alloc, out);
	if (r != VK_SUCCESS) {
		free(i);
		return r;
	}
	*i = (struct instance){key_of(*out), *out, get,
			       (PFN_vkDestroyInstance)get(*out, "vkDestroyInstance")};
	if (!keep((void **)instances, INSTANCES_MAX, i)) {
		i->DestroyInstance(*out, alloc);
		free(i);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	return r;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance,
						   const VkAllocationCallbacks *alloc)
{
	struct instance *i = instance ? instance_of(instance) : NULL;
	if (!i)
		return;
	forget((void **)instances, INSTANCES_MAX, i);
	i->DestroyInstance(instance, alloc);
	free(i);
}

/* ---- Device ---- */

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info)
{
	VkLayerDeviceCreateInfo *i = (VkLayerDeviceCreateInfo *)(uintptr_t)info->pNext;
	while (i && (i->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
		     i->function != VK_LAYER_LINK_INFO))
		i = (VkLayerDeviceCreateInfo *)(uintptr_t)i->pNext;
	return i;
}

static const char *older_name(const char *name)
{
	return name;
}

static void fill_device(struct bw_vk_device *d)
{
#define FILL(name, other)                                                                          \
	d->name = (PFN_vk##name)d->get(d->handle, "vk" #name);                                     \
	if (!d->name && older_name(other))                                                         \
		d->name = (PFN_vk##name)d->get(d->handle, older_name(other));
	BW_VK_FUNCTIONS(FILL)
#undef FILL
	d->DestroyDevice = (PFN_vkDestroyDevice)d->get(d->handle, "vkDestroyDevice");
	d->GetDescriptorSetLayoutBindingOffsetEXT =
		(PFN_vkGetDescriptorSetLayoutBindingOffsetEXT)d->get(
			d->handle, "vkGetDescriptorSetLayoutBindingOffsetEXT");
	d->GetBufferDeviceAddress =
		(PFN_vkGetBufferDeviceAddress)d->get(d->handle, "vkGetBufferDeviceAddress");
	if (!d->GetBufferDeviceAddress)
		d->GetBufferDeviceAddress = (PFN_vkGetBufferDeviceAddress)d->get(
			d->handle, "vkGetBufferDeviceAddressKHR");
	d->GetImageMemoryRequirements =
		(PFN_vkGetImageMemoryRequirements)d->get(d->handle, "vkGetImageMemoryRequirements");
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
						    const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *alloc,
						    VkDevice *out)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	struct instance *i = instance_of(physical);
	if (!link || !i)
		return VK_ERROR_INITIALIZATION_FAILED;
	PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	PFN_vkGetDeviceProcAddr get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	PFN_vkCreateDevice next = (PFN_vkCreateDevice)get(i->handle, "vkCreateDevice");
	struct bw_vk_device *d = calloc(1, sizeof(*d));
	if (!next || !d) {
		free(d);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	VkResult r = next(physical, info, alloc, out);
	if (r != VK_SUCCESS) {
		free(d);
		return r;
	}
	d->key = key_of(*out);
	d->handle = *out;
	d->get = get_device;
	d->robustness = bw_vk_record_robustness(info);
	fill_device(d);
	if (!keep((void **)devices, DEVICES_MAX, d)) {
		d->DestroyDevice(*out, alloc);
		free(d);
		return VK_ERROR_TOO_MANY_OBJECTS;
	}
	return r;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device,
						 const VkAllocationCallbacks *alloc)
{
	struct bw_vk_device *d =
		device ? (struct bw_vk_device *)(uintptr_t)bw_vk_device_of(device) : NULL;
	if (!d)
		return;
	bw_vk_bounds_end(d);
	forget((void **)devices, DEVICES_MAX, d);
	d->DestroyDevice(device, alloc);
	free(d);
}

/* ---- Who comes next ---- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char *name)
{
	const struct bw_vk_device *d = device ? bw_vk_device_of(device) : NULL;
	if (!d)
		return NULL;
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)get_device_proc;
	if (!strcmp(name, "vkDestroyDevice"))
		return (PFN_vkVoidFunction)destroy_device;
	/* the layer adds no functions that the device does not have */
	PFN_vkVoidFunction next = d->get(device, name), ours = bw_vk_hook(name);
	return next && ours ? ours : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance instance,
								  const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
	} own[] = {
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc},
		{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc},
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
		{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(own); i++)
		if (!strcmp(own[i].name, name))
			return own[i].fn;
	struct instance *i = instance ? instance_of(instance) : NULL;
	if (!i)
		return NULL;
	PFN_vkVoidFunction next = i->get(instance, name), ours = bw_vk_hook(name);
	return next && ours ? ours : next;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v);
EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v)
{
	if (v->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT || v->loaderLayerInterfaceVersion < 2)
		return VK_ERROR_INITIALIZATION_FAILED;
	v->loaderLayerInterfaceVersion = 2;
	v->pfnGetInstanceProcAddr = get_instance_proc;
	v->pfnGetDeviceProcAddr = get_device_proc;
	v->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
