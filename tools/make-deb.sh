#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian packages of the files that git knows here.
#   make-deb.sh FOLDER           for the Debian that this is; FOLDER is made anew
#   make-deb.sh FOLDER SUITE     for another one (bookworm, trixie), in a bare Debian of it, with what debian/control asks
#                                for; as root
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || [ $# = 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
suite=${2:-}
command -v dpkg-parsechangelog >/dev/null || tools/install-deps.sh deb
version=$(dpkg-parsechangelog -S Version)
rm -rf "$1"
mkdir -p "$1"
folder=$(realpath "$1")

# $1: where the packages go, beside the source. Times of the checkout would get into the packages: every file has the
# changelog's.
lay_source() {
	mkdir -p "$1/breakwater-$version"
	git ls-files -z | tar -c --mtime="@$(dpkg-parsechangelog -S Timestamp)" --null -T - | tar -x -C "$1/breakwater-$version"
}

fail() {
	tail -n 30 "$folder/build.log" >&2
	echo "The packages could not be built; the end of $folder/build.log is above." >&2
	exit 1
}

# Debian's own tools make it, whatever else is first in the user's PATH.
build_here() {
	tools/install-deps.sh deb
	lay_source "$folder"
	(cd "$folder/breakwater-$version" &&
		PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage -b -us -uc) >"$folder/build.log" 2>&1 || fail
	rm -rf "$folder/breakwater-$version"
}

build_in_tree() {
	tree=$(mktemp -d)
	trap 'rm -rf --one-file-system "$tree"' EXIT
	tools/debian-tree.sh make "$tree/tree" "$suite"
	mkdir "$tree/tree/build"
	lay_source "$tree/tree/build"
	tools/debian-tree.sh enter "$tree/tree" "
		set -eu
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
		cd /build/breakwater-$version
		apt-get update
		apt-get build-dep -y --no-install-recommends ./
		dpkg-buildpackage -b -us -uc" >"$folder/build.log" 2>&1 || fail
	cp "$tree"/tree/build/breakwater_* "$tree"/tree/build/*.deb "$folder"
}

if [ -n "$suite" ]; then
	build_in_tree
else
	build_here
fi
ls -sh "$folder"/*.deb
