#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that the build and the tests need, and says which.
# Does nothing, and needs no rights, when all are there.
set -eu

packages="
 meson ninja-build pkg-config gcc libc6-dev python3
 clang-19 lld-19 llvm-19 llvm-19-dev libclang-rt-19-dev
 libdrm-dev libelf-dev libdw-dev libedit-dev libjansson-dev libmsgpack-dev libzstd-dev
 libcmocka-dev
"

missing=""
for p in $packages; do
	status=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null || true)
	[ "$status" = "install ok installed" ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=""
elif command -v sudo >/dev/null; then
	sudo="sudo"
else
	echo "breakwater needs these Debian packages, and neither root nor sudo is at hand to install them:" >&2
	echo " $missing" >&2
	exit 1
fi

echo "Installing from Debian:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive \
	apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "The packages could not be installed; the end of apt's output is above." >&2
	exit 1
fi
