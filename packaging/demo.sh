#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and opens the workbench on a demo: the simulated engine under a concurrency sweep
# and an arrival sweep, about two minutes, no GPU and no key. Without a display (or with --headless) it does the same
# in the terminal and leaves a report, the database and pictures of the pages in demo-output/. Can be run again.
set -u
source "$(dirname "$0")/common.sh"

install_packages "${BUILD_PACKAGES[@]}"
build default tailmark tailmark-cli tailmark-sim
bin=build/bin

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ "${1:-}" != --headless ]; then
    say "Opening the workbench on the demo"
    exec "$bin/tailmark" --demo
fi

out=${TAILMARK_DEMO_OUTPUT:-demo-output}
mkdir -p "$out" || die "cannot create $out"
say "No display: running the demo headless into $out"

coproc SIM { exec "$bin/tailmark-sim" --profile 8b-h100 --port 0 --exit-with-parent --truth "$out/simulator-truth.csv"; }
sim_pid=$SIM_PID
trap 'kill "$sim_pid" 2>/dev/null' EXIT
read -r -t 20 url <&"${SIM[0]}" || die "the simulated engine did not start"
say "Simulated engine at $url; the sweeps take about two minutes"
"$bin/tailmark-cli" run resources/matrices/demo.tailmark.json --base-url "$url" --db "$out/runs.sqlite" \
    --json "$out/result.json" --records "$out/records.csv" || die "the run failed"

say "Writing the report and the pictures"
"$bin/tailmark-cli" export latest --db "$out/runs.sqlite" --as html -o "$out/report.html" || die "export failed"
"$bin/tailmark-cli" export latest --db "$out/runs.sqlite" --as md -o "$out/report.md" || die "export failed"
QT_QPA_PLATFORM=offscreen "$bin/tailmark" --db "$out/runs.sqlite" --screenshots "$out/pictures" || die "screenshots failed"

say "Done. In $(cd "$out" && pwd):"
ls "$out" "$out/pictures"
