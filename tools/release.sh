#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks a release, and makes its files. It sets no tag and sends nothing: whoever publishes does that.
#   release.sh --check        checks what can be seen without a build
#   release.sh FOLDER         does that; then makes in FOLDER, which is made anew: the source, which is built and tested
#                             there, and the Debian packages, which are built twice and compared, and read by lintian
set -eu
cd "$(dirname "$0")/.."

# Tests of the tarball: one of each kind that takes seconds, and what a release can have wrong. They need no git.
tests="version docs-links docs-man-page base-str debug-run e2e-breakpoints"

fail() {
	echo "Not a release: $1." >&2
	exit 1
}

check() {
	[ -z "$(git status --porcelain)" ] || fail "there are files that are not committed (git status)"
	tools/check-version.py . --release || fail "versions or dates differ (above)"
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
	commit=$(git rev-parse HEAD)
	tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
	[ -z "$tagged" ] || [ "$tagged" = "$commit" ] ||
		fail "the tag v$version exists, and is another commit; a version is released once"
	echo "Breakwater $version, commit $commit: versions and dates agree, and nothing is uncommitted."
}

# The names of tests -> what ninja has to make for them.
targets_of() {
	python3 - "$@" <<-'END'
		import json, os, subprocess, sys
		def introspect(what):
		    return json.loads(subprocess.run(["meson", "introspect", what, "build"], stdout=subprocess.PIPE, check=True).stdout)
		files = {t["id"]: t["filename"] for t in introspect("--targets")}
		tests = {t["name"]: t for t in introspect("--tests")}
		print(*{os.path.relpath(f, os.path.realpath("build")) for name in sys.argv[1:] for id in tests[name]["depends"] for f in files[id]})
	END
}

# In a folder of its own, so that nothing that lies here helps it.
try_source() {
	place=$(mktemp -d)
	trap 'rm -rf "$place"' EXIT
	tar -xf "$1" -C "$place"
	(
		cd "$place/breakwater-$version"
		quietly meson setup build
		quietly ninja -C build $(targets_of $tests)
		quietly meson test -C build --no-rebuild --print-errorlogs $tests
	)
}

quietly() {
	"$@" >"$folder/log" 2>&1 || {
		tail -n 40 "$folder/log" >&2
		fail "$1 failed; its last words are above, all of them in $folder/log"
	}
}

make_release() {
	rm -rf "$1"
	mkdir -p "$1"
	folder=$(realpath "$1")
	name=breakwater-$version.tar.xz
	git archive --prefix="breakwater-$version/" "$commit" | xz -T1 >"$folder/$name"
	try_source "$folder/$name"
	echo "$name builds, and passes: $tests."

	tools/check-reproducible.sh "$folder/packages"
	tools/check-deb.sh --lint "$folder/packages"
	mv "$folder"/packages/*.deb "$folder"
	rm -rf "$folder/packages" "$folder/log"
	[ "$(git rev-parse HEAD)" = "$commit" ] && [ -z "$(git status --porcelain)" ] || fail "the source has changed meanwhile"
	(cd "$folder" && sha256sum -- * >SHA256SUMS)

	echo "Made in $folder:"
	sed 's/^/  /' "$folder/SHA256SUMS"
	cat <<-END
		What is left to whoever publishes:
		  make check && make check-deb        and the same for Debian 13: tools/check-deb.sh FOLDER trixie
		  git tag -s v$version $commit
		  git push ORIGIN v$version
		  publish the files above, with SHA256SUMS and the part of NEWS.md about $version
	END
}

case "${1:-} $#" in
"--check 1") check ;;
-*) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
*" 1") check && make_release "$1" ;;
*) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
esac
