#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the package of make-deb.sh in a bare Debian 12 and runs the demo there. As root.
# Usage: check-deb.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "check-deb needs root: it makes a Debian tree." >&2; exit 1; }
command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap
place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
tools/debian-tree.sh make "$place/tree"
cp "$1"/breakwater_*.deb "$place/tree/root/"
tools/debian-tree.sh enter "$place/tree" '
	set -e
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends /root/breakwater_*.deb >/root/install.log 2>&1 || { tail /root/install.log; exit 1; }
	/usr/share/doc/breakwater/examples/demo.sh
	breakwater exec -- breakwater doctor >/root/doctor.log || true
	breakwater umr -wa
	apt-get install -y -qq --no-install-recommends python3 libpython3.11 >>/root/install.log 2>&1 || { tail /root/install.log; exit 1; }
	python3 -c "import breakwater; print(breakwater.__version__)"
	cd /usr/share/doc/breakwater
	breakwater run --batch -x examples/check.py examples/fahrenheit.s --grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128
	cd /
	[ -s /usr/share/breakwater/breakwater.vsix ]
	apt-get remove -y -qq breakwater >/dev/null
	! ls -d /usr/libexec/breakwater /usr/lib/python3/dist-packages/breakwater 2>/dev/null'
echo "The package installs, runs the demo and is removed."
