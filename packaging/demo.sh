#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and opens the workbench on a demo: the simulated engine under a concurrency sweep
# and an arrival sweep, about two minutes, no GPU and no key. Without a display (or with --headless) it does the same
# unseen, and leaves a report, the database and pictures of the pages in demo-output/. Can be run again.
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

say "A first run to compare with: the concurrency sweep on a simulated B200 (about one minute)"
coproc SIM { exec "$bin/tailmark-sim" --profile 8b-b200 --port 0 --exit-with-parent; }
sim_pid=$SIM_PID
trap 'kill "$sim_pid" 2>/dev/null' EXIT
read -r -t 20 url <&"${SIM[0]}" || die "the simulated engine did not start"
"$bin/tailmark-cli" run resources/matrices/demo.tailmark.json --name "Demo: Llama-3.1-8B on a simulated B200" \
    --set bound.accelerator=b200-sxm --set 'tests[0].levels=[24, 48, 96, 128, 160, 192]' --only concurrency_sweep --base-url "$url" --db "$out/runs.sqlite" || die "the run failed"

baseline=$("$bin/tailmark-cli" list --db "$out/runs.sqlite" | awk 'NR == 2 { print $1 }') # the newest run

say "The demo itself, in the window without a display: both sweeps on a simulated H100 (about two minutes)"
"$bin/tailmark" --db "$out/runs.sqlite" --screenshots "$out/pictures" || die "the demo failed"

say "Writing the report"
for format in html:report.html md:report.md json:result.json records:records.csv; do
    "$bin/tailmark-cli" export latest --db "$out/runs.sqlite" --as "${format%%:*}" -o "$out/${format#*:}" ||
        die "export failed"
done
"$bin/tailmark-cli" compare "$baseline" latest --db "$out/runs.sqlite" >"$out/comparison.txt" || die "comparing failed"

say "Done. In $(cd "$out" && pwd):"
ls "$out" "$out/pictures"
