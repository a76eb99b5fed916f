#!/bin/sh
# SPDX-License-Identifier: MIT
# A Debian package of the files that git knows here. Usage: make-deb.sh FOLDER, which is made anew.
set -eu
cd "$(dirname "$0")/.."
tools/install-deps.sh deb
version=$(dpkg-parsechangelog -S Version)
grep -q "^  version: '$version'" meson.build || {
	echo "debian/changelog says version $version, and meson.build another one." >&2
	exit 1
}
rm -rf "$1"
mkdir -p "$1/breakwater-$version"
folder=$(realpath "$1")
git ls-files -z | tar -c --null -T - | tar -x -C "$folder/breakwater-$version"
cd "$folder/breakwater-$version"
dpkg-buildpackage -b -us -uc >"$folder/build.log" 2>&1 || {
	tail -n 30 "$folder/build.log" >&2
	echo "The package could not be built; the end of $folder/build.log is above." >&2
	exit 1
}
rm -rf "$folder/breakwater-$version"
ls -sh "$folder"/*.deb
