#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that the build and the tests need, and says which.
# Does nothing, and needs no rights, when all are there. "install-deps.sh deb": what makes a package, too;
# "book": what makes the book (doc/README.md) and checks its spelling.
set -eu

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
libpython=libpython3.11 device_library=rocm-device-libs
[ "$codename" != trixie ] || libpython=libpython3.13 device_library=rocm-device-libs-17

packages="
 meson ninja-build pkg-config gcc libc6-dev python3 $libpython
 clang-19 clang-format-19 lld-19 llvm-19 llvm-19-dev libclang-rt-19-dev
 libdrm-dev libelf-dev libdw-dev libedit-dev libncurses-dev libjansson-dev libmsgpack-dev libpng-dev libxxhash-dev libzstd-dev
 libcmocka-dev python3-jsonschema gdb tmux zsh fish groff mandoc
 opencl-c-headers libegl-dev libgl-dev libvulkan-dev libspirv-cross-c-shared-dev glslang-tools spirv-tools
 $device_library
"
# The drivers of tests/vulkan and tests/opengl. Bookworm's (22.3) do, its backports' (25.0) are what the tests are about.
drivers="mesa-vulkan-drivers libegl-mesa0 libgl1-mesa-dri"

# breakwater-doc has the book.
book="python3-sphinx python3-myst-parser furo mandoc"
[ "${1:-}" != deb ] || packages="$packages debhelper dh-python dpkg-dev $book"
[ "${1:-}" != book ] || packages="$packages $book codespell"

missing_of() {
	for p; do
		status=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
		[ "$status" = "install ok installed" ] || printf ' %s' "$p"
	done
}

missing=$(missing_of $packages)
missing_drivers=$(missing_of $drivers)
[ -n "$missing$missing_drivers" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=""
elif command -v sudo >/dev/null; then
	sudo="sudo"
else
	echo "breakwater needs these Debian packages, and neither root nor sudo is at hand to install them:" >&2
	echo " $missing$missing_drivers" >&2
	exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

apt_install() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1
}

give_up() {
	tail -n 20 "$log" >&2
	echo "The packages could not be installed; the end of apt's output is above." >&2
	exit 1
}

# Where this machine gets the release's packages from: "URI OPTIONS", as apt itself knows them.
archive_of() {
	apt-get indextargets --format '$(CODENAME)|$(COMPONENT)|$(ORIGIN)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^$1|main|Debian[^|]*|//p" | head -n 1
}

# Bookworm's backports, from the mirror that bookworm itself comes from. False where there are none.
add_backports() {
	[ -z "$(archive_of bookworm-backports)" ] || return 0
	uri=$(archive_of bookworm)
	[ -n "$uri" ] || return 1
	entry=/etc/apt/sources.list.d/breakwater-backports.list
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	signed=""
	[ ! -e "$keys" ] || signed="[signed-by=$keys] "
	echo "Adding Debian's bookworm-backports to apt's sources: $entry"
	echo "deb $signed$uri bookworm-backports main" | $sudo tee "$entry" >/dev/null
	if $sudo apt-get update -o Dir::Etc::sourcelist="$entry" -o Dir::Etc::sourceparts=- \
		-o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any >>"$log" 2>&1; then
		return 0
	fi
	$sudo rm -f "$entry"
	return 1
}

echo "Installing from Debian:$missing$missing_drivers"
$sudo apt-get update >"$log" 2>&1 || give_up
[ -z "$missing" ] || apt_install $missing || give_up
[ -n "$missing_drivers" ] || exit 0

# libdrm comes along: the development package wants the version that the drivers want.
if [ "$codename" = bookworm ] && add_backports && apt_install -t bookworm-backports $missing_drivers libdrm-dev; then
	exit 0
fi
[ "$codename" != bookworm ] || echo "No drivers from bookworm-backports; installing bookworm's own:$missing_drivers"
apt_install $missing_drivers || give_up
