#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of shaders at source level, and of OpenCL on rusticl, with a newer Mesa than that of Debian 12's backports, in a Debian 13 that is
# made for it. What was built in ROOT/root/breakwater runs there, with those libraries of its own that a Debian
# 13 does not have.
#   newer-mesa.sh ROOT TREE    ROOT: where it was built (/ or a Debian 12 of debian-tree.sh); TREE: does not
#                              exist yet; the source is in ROOT/root/breakwater, or here where ROOT is /
# As root. Exit status 77, and a sentence: the Debian 13 could not be made.
set -eu
root=${1%/} tree=$2
tools=$(cd "$(dirname "$0")" && pwd)
source=${root:+$root/root/breakwater}
source=${source:-$(dirname "$tools")}
there=/root/breakwater

skip() {
	echo "No tests with a newer Mesa: $1."
	exit 77
}

[ "$(id -u)" = 0 ] || skip "to make a Debian 13 takes root"
unshare --mount --pid --fork true 2>/dev/null || skip "namespaces are not allowed"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
"$tools/debian-tree.sh" newer "$tree" || skip "a Debian 13 with Mesa of its backports cannot be made (above)"

mkdir -p "$tree$there/build"
find "$source/build" -maxdepth 1 \( -type f ! -name '*.ninja' ! -name '*.json' -o -type l -name 'lib*' \) -exec cp -dt "$tree$there/build" {} +
cp "$source"/build/{breakwater-layer,json.schema}.json "$tree$there/build"
for part in breakwater tests doc; do
	[ ! -d "$source/$part" ] || cp -r "$source/$part" "$tree$there"
done

missing=$("$tools/debian-tree.sh" enter "$tree" "cd $there/build && ldd breakwater breakwater-vgpu breakwater-launch-shader *.so" |
	sed -n 's/^\t\([^ ]*\) => not found$/\1/p' | sort -u)
for library in $missing; do
	cp -L "$root"/usr/lib/*-linux-gnu/"$library" "$tree/usr/local/lib/"
done
"$tools/debian-tree.sh" enter "$tree" "ldconfig && cd $there &&
	dpkg-query -W mesa-vulkan-drivers &&
	export BREAKWATER_SOURCE=$there BREAKWATER_BUILD=$there/build &&
	BREAKWATER_TEST_LINES=source python3 tests/vulkan/test_source.py &&
	python3 tests/vulkan/test_record.py &&
	python3 tests/vulkan/test_opencl.py"
