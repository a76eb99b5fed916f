#!/bin/bash
# SPDX-License-Identifier: MIT
# A minimal Debian in a folder, to try what a newcomer's machine does.
#   debian-tree.sh make FOLDER [SUITE]     makes it, with make, git and ca-certificates and nothing else: a Debian 12
#                                          (bookworm), or the one that SUITE names
#   debian-tree.sh newer FOLDER            makes a Debian 13 with Mesa of its backports (26.1 or later), and what a
#                                          Breakwater that was built elsewhere needs to run there
#   debian-tree.sh enter FOLDER COMMAND    runs COMMAND in it by sh, with an empty environment and /proc, /sys,
#                                          /dev/pts, /tmp and process ids of its own
# As root. Nothing stays mounted.
set -eu

make_tree() {
	mmdebstrap --quiet --variant=minbase --include=make,git,ca-certificates "$2" "$1" </dev/null
	finish_tree "$1"
}

newer_packages="python3 python3-jsonschema glslang-tools libdw1t64 libelf1t64 libedit2 libjansson4 libllvm19 libzstd1
 libspirv-cross-c-shared0 libvulkan1 mesa-vulkan-drivers/trixie-backports mesa-opencl-icd/trixie-backports
 ocl-icd-libopencl1"

# From where this machine gets its own release, as apt knows it: backports are no default of mmdebstrap.
make_newer() {
	uri=$(apt-get indextargets --format '$(COMPONENT)|$(ORIGIN)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n 's/^main|Debian|//p' | head -n 1)
	[ -n "$uri" ] || {
		echo "apt knows no archive of Debian here" >&2
		return 1
	}
	mmdebstrap --quiet --variant=minbase --include="$(echo $newer_packages | tr ' ' ',')" trixie "$1" \
		"deb $uri trixie main" "deb $uri trixie-backports main" </dev/null
	finish_tree "$1"
}

finish_tree() {
	# It is thrown away: what is installed need not reach the disk before the next package.
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
	# How this machine reaches the network is the tree's way too.
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	echo "127.0.0.1 localhost" >"$1/etc/hosts"
	echo 'Acquire::Retries "3";' >"$1/etc/apt/apt.conf.d/50network"
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' >>"$1/etc/apt/apt.conf.d/50network" || true
}

# In the new namespaces; $1 is the tree. Its shell stays process 1, since that waits for orphans.
inside() {
	mount --make-rprivate /
	mount -t proc proc "$1/proc"
	mount -t sysfs -o ro sys "$1/sys"
	mount -t tmpfs -o mode=755 dev "$1/dev"
	for device in null zero full random urandom tty; do
		touch "$1/dev/$device"
		mount --bind "/dev/$device" "$1/dev/$device"
	done
	ln -s /proc/self/fd "$1/dev/fd"
	mkdir "$1/dev/pts" "$1/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$1/dev/pts"
	ln -s pts/ptmx "$1/dev/ptmx"
	mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
	# Each virtual GPU makes some 300 small files there.
	mount -t tmpfs -o mode=1777 tmp "$1/tmp"
	chroot "$1" /usr/bin/env -i /bin/sh -c "$2"
}

case "${1:-} $#" in
"make 2" | "make 3") make_tree "$2" "${3:-bookworm}" ;;
"newer 2") make_newer "$2" ;;
"enter 3") exec unshare --mount --pid --fork --kill-child "$0" inside "$2" "$3" ;;
"inside 3") inside "$2" "$3" ;;
*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac
