#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the fuzz targets and runs each for FUZZ_SECONDS (10 by default) on its seeds in
# tests/fuzz/corpus/NAME. Usage: fuzz-smoke.sh BUILD_DIR
set -eu
build=$1
seconds=${FUZZ_SECONDS:-10}
source=$(dirname "$0")/..
targets=$(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/fuzz\/fuzz_[a-z_0-9]*\): .*/\1/p')
ninja -C "$build" --quiet $targets
for t in $targets; do
	name=$(basename "$t" | sed 's/^fuzz_//')
	work=$(mktemp -d)
	seeds="$source/tests/fuzz/corpus/$name"
	[ -d "$seeds" ] || seeds=""
	if "$build/$t" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$work/" \
		"$work" $seeds >"$work/log" 2>&1; then
		runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$work/log")
		printf 'fuzz %-14s %10s runs in %s s, no finding\n' "$name" "${runs:-?}" "$seconds"
		rm -rf "$work"
	else
		tail -n 40 "$work/log"
		echo "fuzz $name: a finding; the input is in $work"
		exit 1
	fi
done
