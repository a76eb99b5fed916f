#!/bin/sh
# SPDX-License-Identifier: MIT
# What "breakwater vgpu linux" boots: QEMU with a vfio-user client, and Linux 6.12 with its modules. Both come
# from Debian, through apt with a configuration of its own, and are only unpacked: nothing is installed on this
# machine, nothing of the packages is executed here, and no rights are needed.
#   guest-parts.sh FOLDER [--no-kernel]    makes what FOLDER lacks, and says on standard error what and how large
#   guest-parts.sh FOLDER --rocm           makes the ROCm tree there instead: for "breakwater exec --rocm", too
#   guest-parts.sh --pin-rocm              prints rocm/packages.txt anew, for one who maintains Breakwater
# BREAKWATER_DEBIAN and BREAKWATER_DEBIAN_SECURITY are the archives to use, if not those of deb.debian.org, and
# BREAKWATER_DEBIAN_SNAPSHOT what has the versions of packages that the archive has replaced.
# Made are FOLDER/qemu-2 (started by its own dynamic linker), FOLDER/linux-6.12-2 (vmlinuz, modules, release), and
# FOLDER/rocm-3 (Debian 13's ROCm: the packages that rocm/packages.txt pins, each by its SHA256).
# The number changes when this script makes something else. A folder is complete if it is there: it is made
# beside its place, and renamed. Each has a file MANIFEST with the hashes of what came out of the packages that
# apt has verified, and is held to it at each use of this script.
set -eu

fail() {
	echo "breakwater: $*" >&2
	exit 1
}

[ $# -ge 1 ] || {
	sed -n 's/^#   //p' "$0" >&2
	exit 2
}
place=$1
qemu=qemu-2 kernel=linux-6.12-2 rocm=rocm-3
parts="$qemu $kernel" called="QEMU and the kernel"
pins_anew=no
[ "$place" != --pin-rocm ] || pins_anew=yes place=$(mktemp -d)
case ${2:-} in
--no-kernel) parts=$qemu ;;
--rocm) parts=$rocm called="the ROCm tree" ;;
esac
pins=$(dirname "$0")/rocm/packages.txt
archive=${BREAKWATER_DEBIAN:-http://deb.debian.org/debian}
security=${BREAKWATER_DEBIAN_SECURITY:-http://deb.debian.org/debian-security}
snapshot=${BREAKWATER_DEBIAN_SNAPSHOT:-http://snapshot.debian.org/archive/debian}

# lacks PART: it is to be made, and is not there.
lacks() {
	case " $parts " in *" $1 "*) [ ! -d "$place/$1" ] ;; *) false ;; esac
}

is_complete() {
	for part in $parts; do
		! lacks "$part" || return 1
	done
}

# Ends where a file is not as it was unpacked, or is gone.
verify() {
	for part in $parts; do
		(cd "$place/$part" && sha256sum --quiet --strict --check MANIFEST) >&2 ||
			fail "$place/$part is not as it was unpacked from Debian's packages: remove that folder, and it is fetched anew"
	done
}

if is_complete; then
	verify
	exit 0
fi
mkdir -p "$place" || fail "the folder $place cannot be made"
place=$(cd "$place" && pwd)
# One process at a time makes a folder. The lock ends with the last process that has descriptor 9.
exec 9>"$place/lock"
flock -n 9 || {
	echo "breakwater: another process fetches $called into $place; waiting for it ..." >&2
	flock 9
}
if is_complete; then
	verify
	exit 0
fi

for tool in apt-get apt-cache dpkg-deb flock; do
	command -v $tool >/dev/null || fail "$called: fetched from Debian with $tool, which is not installed"
done
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keys ] || fail "$keys is missing, by which packages are verified; it is in the package debian-archive-keyring"

# What an earlier process was making when it was killed.
rm -rf "$place"/making.*
work=$place/making.$$
mkdir "$work"
trap 'rm -rf "$work"; [ $pins_anew = no ] || rm -rf "$place"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# An apt of its own: these sources, an empty list of installed packages, all its files below $work. How this
# machine reaches the network it takes from the system's configuration.
apt_files() {
	mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/apt/etc/parts"
	: >"$work/apt/status"
	cat >"$work/apt/sources.list" <<-END
		deb [signed-by=$keys] $archive trixie main
		deb [signed-by=$keys] $archive trixie-backports main
		deb [signed-by=$keys] $security bookworm-security main
	END
	# vfio-user is in the backport alone. Bookworm is there for its kernel, which has headers on Debian 12.
	cat >"$work/apt/preferences" <<-END
		Package: *
		Pin: release n=trixie-backports
		Pin-Priority: 900

		Package: *
		Pin: release n=bookworm-security
		Pin-Priority: -1

		Package: linux-image-6.12*
		Pin: release n=bookworm-security
		Pin-Priority: 990
	END
	cat >"$work/apt/conf" <<-END
		Dir::State "$work/apt";
		Dir::State::status "$work/apt/status";
		Dir::State::lists "$work/apt/lists";
		Dir::Cache "$work/apt";
		Dir::Cache::archives "$work/apt/archives";
		Dir::Etc::sourcelist "$work/apt/sources.list";
		Dir::Etc::sourceparts "$work/apt/etc/parts";
		Dir::Etc::preferences "$work/apt/preferences";
		Dir::Etc::preferencesparts "$work/apt/etc/parts";
		Dir::Log "$work/apt";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Install-Recommends "false";
		APT::Install-Suggests "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Debug::NoLocking "true";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	END
}

# With -c: that is read behind the system's configuration.
apt() {
	tool=$1
	shift
	"$tool" -c "$work/apt/conf" "$@"
}

megabytes() {
	awk '{ n += $1 } END { printf "%d", n / 1000000 + 1 }'
}

# What apt printed, where it failed.
or_fail() {
	"$@" >"$work/log" 2>&1 9>&- || {
		tail -n 15 "$work/log" >&2
		fail "$what could not be fetched from Debian; the end of apt's output is above"
	}
}

# fetch WHAT WHERE [--alone] PACKAGE...: the packages with all that they need (or without), unpacked.
fetch() {
	what=$1 where=$2 command="install -y"
	shift 2
	if [ "$1" = --alone ]; then
		command=download
		shift
	fi
	# 'URI' FILE SIZE HASH
	or_fail apt apt-get $command --print-uris "$@"
	grep "^'" "$work/log" >"$work/uris" || fail "$what could not be fetched: apt names no package"
	echo "breakwater: fetching $what from Debian, $(awk '{ print $3 }' "$work/uris" | megabytes) MB (packages: $(wc -l <"$work/uris")) ..." >&2
	mkdir -p "$work/debs" "$where"
	if [ "$command" = download ]; then
		(cd "$work/debs" && or_fail apt apt-get download "$@")
	else
		or_fail apt apt-get $command --download-only "$@"
		mv "$work/apt/archives/"*.deb "$work/debs/"
	fi
	for deb in "$work/debs/"*.deb; do
		dpkg-deb -x "$deb" "$where" || fail "$deb could not be unpacked into $place: is the disk full?"
	done
	rm -r "$work/debs"
}

# One package of rocm/packages.txt: from the archive, or from what keeps the versions that it has replaced. apt-helper
# compares the hash, so that it does not matter who serves the file.
fetch_pinned() {
	deb=$work/debs/${2##*/}
	for from in "$archive" "$snapshot/$(sed -n 's/^snapshot //p' "$pins")"; do
		/usr/lib/apt/apt-helper -c "$work/apt/conf" download-file "$from/$2" "$deb" "SHA256:$4" >"$work/log" 2>&1 9>&- &&
			[ "$(stat -c %s "$deb")" = "$3" ] && return
	done
	tail -n 5 "$work/log" >&2
	fail "the package $1 could not be fetched in the version that Breakwater pins ($2): $archive may have replaced it by a newer one, and $snapshot, which keeps old ones, could not be reached either. BREAKWATER_DEBIAN_SNAPSHOT names another place that has it"
}

# ROCm's OpenCL compiler has its declarations in a precompiled form, which needs the header that it was made of, at the
# place where Debian has that. The list tells the compiler that it is in the tree (tools/rocm/rocm-run). Of the package no
# other header is needed.
add_opencl_header() {
	headers=lib/clang/17/include header=opencl-c-base.h
	[ -e "$work/$rocm/usr/lib/llvm-17/$headers/$header" ] || return 0
	find "$work/$rocm/usr/lib/llvm-17/$headers" -mindepth 1 ! -name $header -delete
	cat >"$work/$rocm/usr/lib/llvm-17/opencl-headers.yaml" <<-END
		{
		  "version": 0,
		  "overlay-relative": true,
		  "roots": [
		    {"type": "file", "name": "/usr/lib/llvm-17/$headers/$header", "external-contents": "$headers/$header"}
		  ]
		}
	END
}

fetch_rocm() {
	what="ROCm of Debian 13"
	mkdir -p "$work/debs" "$work/$rocm"
	grep -v -e '^#' -e '^snapshot ' "$pins" >"$work/pinned"
	echo "breakwater: fetching $what, $(awk '{ print $3 }' "$work/pinned" | megabytes) MB (packages: $(wc -l <"$work/pinned")) ..." >&2
	while read -r name path size hash; do
		fetch_pinned "$name" "$path" "$size" "$hash"
		dpkg-deb -x "$deb" "$work/$rocm" || fail "$deb could not be unpacked into $place: is the disk full?"
		rm "$deb"
	done <"$work/pinned"
	(cd "$work/$rocm/usr/share" && rm -rf doc man locale lintian bug)
	add_opencl_header
	done_with $rocm
}

done_with() {
	(cd "$work/$1" && find . -type f ! -name MANIFEST -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >"$work/MANIFEST")
	mv "$work/MANIFEST" "$work/$1/MANIFEST"
	mv "$work/$1" "$place/$1"
	echo "breakwater: $what is in $place/$1, $(du -sk "$place/$1" | awk '{ print $1 * 1024 }' | megabytes) MB." >&2
}

# The newest versions in the archive of the packages that are pinned now.
pin_rocm() {
	what="Debian's package lists"
	echo "deb [signed-by=$keys] $archive trixie main" >"$work/apt/sources.list"
	or_fail apt apt-get update -o APT::Update::Error-Mode=any
	grep '^#' "$pins"
	date -u '+snapshot %Y%m%dT%H0000Z'
	for name in $(sed -n 's/ pool.*//p' "$pins"); do
		apt apt-cache show --no-all-versions "$name" | awk -v n="$name" '/^Filename:/ { f = $2 } /^Size:/ { s = $2 } /^SHA256:/ { h = $2 }
			END { print n, f, s, h }'
	done
}

apt_files
if [ $pins_anew = yes ]; then
	pin_rocm
	exit 0
fi
if lacks $rocm; then
	fetch_rocm
	verify
	exit 0
fi
what="Debian's package lists"
or_fail apt apt-get update -o APT::Update::Error-Mode=any

if lacks $qemu; then
	# xz-utils and zstd unpack kernel modules.
	fetch QEMU "$work/$qemu" qemu-system-x86 xz-utils zstd
	(cd "$work/$qemu/usr/share" && rm -rf doc man locale lintian bug bash-completion)
	done_with $qemu
fi

if lacks $kernel; then
	package=$(apt apt-cache depends linux-image-6.12-amd64 2>"$work/log" | sed -n 's/.*Depends: \(linux-image-6\.12[^ ]*-amd64\)$/\1/p' | head -n 1)
	[ -n "$package" ] || fail "Debian's bookworm-security has no package linux-image-6.12-amd64 any more"
	release=${package#linux-image-}
	fetch "Linux $release" "$work/package" --alone "$package"
	mkdir "$work/$kernel"
	mv "$work/package/boot/vmlinuz-$release" "$work/$kernel/vmlinuz"
	mv "$work/package/lib/modules/$release" "$work/$kernel/modules"
	echo "$release" >"$work/$kernel/release"
	done_with $kernel
fi
verify
