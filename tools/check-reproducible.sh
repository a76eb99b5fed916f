#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the Debian packages twice and compares them byte by byte. The second build has another path, umask, locale, time
# zone, HOME and number of jobs, and a clock that is more than a year ahead.
# Usage: check-reproducible.sh FOLDER, which is made anew, and has the packages of the first build at the end.
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || { sed -n 's/^# Usage: //p' "$0" >&2; exit 2; }
command -v faketime >/dev/null || { [ "$(id -u)" = 0 ] && apt-get install -y -qq --no-install-recommends faketime; } ||
	{ echo "check-reproducible needs the Debian package faketime." >&2; exit 1; }

tools/make-deb.sh "$1"
second=$1/again/in/another/folder
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
(
	umask 027
	unset LANGUAGE
	export LC_ALL=POSIX TZ=Pacific/Kiritimati HOME="$home" USER=somebody DEB_BUILD_OPTIONS=parallel=3
	# Without NO_FAKE_STAT the times of files that are there already would be shifted, too, and copies of them keep those.
	NO_FAKE_STAT=1 faketime '+400 days' tools/make-deb.sh "$second"
)

# Says which files of a package differ, and how, as far as that is short.
tell_difference() {
	for n in first second; do
		mkdir -p "$home/$n"
	done
	dpkg-deb -R "$1" "$home/first"
	dpkg-deb -R "$2" "$home/second"
	diff -r --no-dereference "$home/first" "$home/second" | head -n 20 | cut -c 1-200
	for package in "$1" "$2"; do
		dpkg-deb -c "$package" >"$home/list-$(dirname "$package" | tr / _)"
	done
	diff "$home"/list-* | head -n 20 # modes and times
	rm -f "$home"/list-*
	rm -rf "$home/first" "$home/second"
}

differ=0
for package in "$1"/*.deb; do
	name=$(basename "$package")
	if ! cmp -s "$package" "$second/$name"; then
		echo "$name differs:"
		tell_difference "$package" "$second/$name" | sed 's/^/  /'
		differ=1
	fi
done
[ "$differ" = 0 ] || { echo "The builds differ; the second one is in $second." >&2; exit 1; }
count=$(ls "$1"/*.deb | wc -l)
[ "$count" = "$(ls "$second"/*.deb | wc -l)" ] || { echo "The builds do not have the same packages." >&2; exit 1; }
rm -rf "${1:?}/again"
echo "Two builds of $count packages are the same, byte by byte."
