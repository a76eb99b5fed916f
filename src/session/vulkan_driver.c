/* SPDX-License-Identifier: MIT */
/* Where the Vulkan loader of a program finds RADV, the driver of AMD GPUs: a file of a name that
 * begins with "radeon" in the folders that the loader searches ("Driver Discovery on Linux" in the
 * Vulkan loader's documentation), or what VK_DRIVER_FILES names in their place. */
#include "session/vulkan_driver.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* In a sandbox of flatpak, and on NixOS, they are in places of their own. */
static const char *const always[] = {"/etc/vulkan/icd.d", "/run/opengl-driver/share/vulkan/icd.d"};

static bool is_radv(const char *name)
{
	size_t len = strlen(name);
	return bw_starts_with(name, "radeon") && len > 5 && !strcmp(name + len - 5, ".json");
}

/* True: path is RADV's file, or a folder with it, whose path goes to out. */
static bool has_radv(const char *path, char **out)
{
	DIR *dir = opendir(path);
	bool found = !dir && is_radv(bw_base_name(path)) && !access(path, R_OK);
	if (found)
		*out = strdup(path);
	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (is_radv(e->d_name))
			found = asprintf(out, "%s/%s", path, e->d_name) >= 0;
	if (dir)
		closedir(dir);
	return found;
}

/* A list of paths, each with what comes after it. */
static bool search_list(const char *root, const char *list, const char *rest, char **out)
{
	_cleanup_free_ char *copy = strdup(list);
	char *left = copy;
	for (char *word; copy && (word = strsep(&left, ":"));) {
		_cleanup_free_ char *path = NULL;
		if (*word && asprintf(&path, "%s%s%s", root, word, rest) >= 0 &&
		    has_radv(path, out))
			return true;
	}
	return false;
}

/* What the variable does for a program: an error says that RADV is not among its drivers. */
static struct bw_error *of_variable(const char *name, const char *list, char **out)
{
	char *found = NULL;
	if (search_list("", list, "", &found)) {
		*out = found;
		return NULL;
	}
	if (!strchr(list, ':') && access(list, F_OK))
		return bw_errorf(BW_E_NOT_FOUND,
				 "%s names %s, which does not exist: unset it, or let it name "
				 "radeon_icd.json",
				 name, list);
	return bw_errorf(BW_E_NOT_FOUND,
			 "%s names no driver of AMD GPUs (RADV, radeon_icd.json), so that Vulkan "
			 "programs do not see the GPU: unset it",
			 name);
}

struct bw_error *bw_vulkan_driver_find(const char *root, char **out)
{
	static const char *const variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
	const char *data = *root ? NULL : getenv("XDG_DATA_DIRS");
	const char *home = *root ? NULL : getenv("HOME");
	char *found = NULL;
	for (size_t i = 0; !*root && i < BW_ARRAY_SIZE(variables); i++) {
		const char *list = getenv(variables[i]);
		if (list && *list)
			return of_variable(variables[i], list, out);
	}
	bool any = search_list(root, data && *data ? data : "/usr/local/share:/usr/share",
			       "/vulkan/icd.d", &found) ||
		   (home && search_list(root, home, "/.local/share/vulkan/icd.d", &found));
	for (size_t i = 0; !any && i < BW_ARRAY_SIZE(always); i++)
		any = search_list(root, always[i], "", &found);
	if (!any)
		return bw_errorf(
			BW_E_NOT_FOUND,
			"no Vulkan driver of AMD GPUs is installed (RADV, radeon_icd.json): "
			"install mesa-vulkan-drivers");
	*out = found;
	return NULL;
}
