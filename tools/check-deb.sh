#!/bin/sh
# SPDX-License-Identifier: MIT
# What the packages of make-deb.sh are worth: lintian, then debian/tests in a bare Debian, each with only the packages
# that it asks for, and last the removal. As root.
#   check-deb.sh FOLDER [SUITE]     SUITE: the Debian that they were made for (bookworm, trixie); by default bookworm
#   check-deb.sh --lint FOLDER      lintian alone
set -eu
cd "$(dirname "$0")/.."

lint() {
	command -v lintian >/dev/null || apt-get install -y -qq --no-install-recommends lintian
	# The tag is about "wTH with" in machine code, which Debian 13 has and Debian 12 has not.
	lintian --suppress-tags spelling-error-in-binary --info --display-info --pedantic --fail-on error,warning,info,pedantic "$1"/breakwater_*.changes
	echo "lintian has found nothing."
}

case "${1:-} $#" in
"--lint 2")
	lint "$2"
	exit
	;;
-*" "* | *" 0" | *" "[3-9]*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac
[ "$(id -u)" = 0 ] || { echo "check-deb needs root: it makes a Debian tree." >&2; exit 1; }
command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap
lint "$1"

# Name and packages of each test, a line: "demo: breakwater, breakwater-doc".
tests_of() {
	sed -n 's/^Tests: *\(.*\)/\1:/p; s/^Depends: *//p' debian/tests/control | paste -d' ' - -
}

place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
tools/debian-tree.sh make "$place/tree" ${2:-}
mkdir -p "$place/tree/root/debs" "$place/tree/root/tests"
cp "$1"/*.deb "$place/tree/root/debs/"
cp debian/tests/* "$place/tree/root/tests/"
tests_of >"$place/tree/root/list"
grep -q . "$place/tree/root/list" || { echo "debian/tests/control has no test." >&2; exit 1; }

# A folder of packages is an archive for apt, so that dependencies between ours are resolved as in a real one.
tools/debian-tree.sh enter "$place/tree" '
	set -eu
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
	log=/root/install.log
	quietly() { "$@" >>$log 2>&1 || { tail $log; exit 1; }; }
	install() { quietly apt-get install -y --no-install-recommends "$@"; }
	quietly apt-get update
	install dpkg-dev
	cd /root/debs
	dpkg-scanpackages -m . >Packages 2>>$log
	echo "deb [trusted=yes] file:/root/debs ./" >/etc/apt/sources.list.d/breakwater.list
	quietly apt-get update
	while IFS=: read -r test packages; do
		echo "== $test:$packages"
		quietly apt-get satisfy -y --no-install-recommends "$packages" </dev/null
		AUTOPKGTEST_TMP=$(mktemp -d) "/root/tests/$test" </dev/null
	done </root/list
	breakwater exec -- breakwater doctor >/root/doctor.log || true
	[ -s /usr/share/breakwater/breakwater.vsix ]
	quietly apt-get remove -y breakwater libbreakwater0
	! ls -d /usr/libexec/breakwater /usr/lib/python3/dist-packages/breakwater 2>/dev/null'
echo "The packages install${2:+ on $2}, pass debian/tests and are removed."
