#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the fuzz targets and runs each for FUZZ_SECONDS (10 by default) on its seeds, one on each processor:
# those that tools/fuzz-seeds.py makes, and those in tests/fuzz/corpus/NAME. Says what it ran, and how many edges
# of the code that covered; FUZZ_SEEDS=no runs without seeds, to compare.
# Usage: fuzz-smoke.sh BUILD_DIR [NAME...]
set -eu

# --one TARGET MADE: one of them, with build, source and seconds in the environment
if [ "${1:-}" = --one ]; then
	name=$(basename "$2" | sed 's/^fuzz_//')
	work=$(mktemp -d)
	seeds=""
	for folder in "$3/$name" "$source/tests/fuzz/corpus/$name"; do
		[ "${FUZZ_SEEDS:-yes}" = no ] || [ ! -d "$folder" ] || seeds="$seeds $folder"
	done
	if "$build/$2" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -artifact_prefix="$work/" \
		"$work" $seeds >"$work/log" 2>&1; then
		runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$work/log")
		edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$work/log" | tail -n 1)
		printf 'fuzz %-14s %10s runs in %s s, %6s edges, no finding\n' "$name" "${runs:-?}" "$seconds" "${edges:-?}"
		rm -rf "$work"
		exit 0
	fi
	tail -n 40 "$work/log"
	echo "fuzz $name: a finding; the input is in $work"
	exit 255 # for xargs: begin no more
fi

build=$1
shift
seconds=${FUZZ_SECONDS:-10}
source=$(dirname "$0")/..
targets=$(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/fuzz\/fuzz_[a-z_0-9]*\): .*/\1/p')
if [ $# -gt 0 ]; then
	targets=$(printf 'tests/fuzz/fuzz_%s ' "$@")
fi
objects=$(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/\(sym\|live\)\/[^ ]*\.co\): .*/\1/p')
ninja -C "$build" --quiet $targets $objects
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$source/tools/fuzz-seeds.py" "$build" "$made"
export build source seconds
printf '%s\n' $targets | xargs -P "$(nproc)" -I TARGET "$0" --one TARGET "$made"
