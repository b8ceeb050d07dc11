#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# main_path.sh TAILMARK-CLI TAILMARK-SIM PROFILE.json : simulated engine, one short sweep, results, library, export.
set -eu
cli=$1 sim=$2 profile=$3
dir=$(mktemp -d)
sim_pid=
trap 'test -z "$sim_pid" || kill "$sim_pid"; rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$dir"/err >&2; exit 1; }
has() { grep -q -- "$2" "$dir/$1" || fail "$1 has no $2"; }

"$sim" --profile "$profile" --port 0 >"$dir/url" &
sim_pid=$!
tries=0
until test -s "$dir/url"; do
    tries=$((tries + 1))
    test $tries -lt 100 || fail "the simulated engine did not start"
    sleep 0.1
done

cat >"$dir/smoke.tailmark.json" <<'JSON'
{"schema_version": 1, "name": "smoke",
 "workload": {"lengths": {"kind": "fixed", "prompt_tokens": 64, "output_tokens": 16}},
 "slo": [{"metric": "ttft_ms", "percentile": 90, "limit": 1000}],
 "tests": [{"kind": "concurrency_sweep", "levels": [1, 4]}],
 "measurement": {"warmup_s": 0.2, "duration_s": 1, "cooldown_s": 0, "drain_s": 5}}
JSON
"$cli" validate "$dir/smoke.tailmark.json" >"$dir/out" 2>"$dir/err" || fail "validate: exit code $?"

code=0
"$cli" run "$dir/smoke.tailmark.json" --base-url "$(cat "$dir/url")" --db "$dir/runs.sqlite" --json "$dir/result.json" \
    --records "$dir/records.csv" >"$dir/out" 2>"$dir/err" || code=$?
# 4: the machine is too busy for any point to be believed; everything is there all the same.
test $code -eq 0 || test $code -eq 4 || fail "run: exit code $code"
for key in schema_version tool run matrix plan card environment points operating_points; do
    has result.json "^  \"$key\":"
done
has result.json '"state": "done"'
has records.csv '^request,test,load,repeat,phase,in_window,outcome,'
test "$(grep -c ',completed,' "$dir/records.csv")" -gt 20 || fail "records.csv has too few completed requests"
has out '^concurrency_sweep'

"$cli" list --db "$dir/runs.sqlite" >"$dir/out" 2>"$dir/err" || fail "list: exit code $?"
has out 'smoke .* done '
"$cli" export latest --as json --db "$dir/runs.sqlite" -o "$dir/again.json" 2>"$dir/err" || fail "export: exit code $?"
cmp -s "$dir/result.json" "$dir/again.json" || fail "the exported results are not those of the run"
"$cli" operating-point smoke --slo 'e2e_ms:p50<=5000' --db "$dir/runs.sqlite" >"$dir/out" 2>"$dir/err" ||
    fail "operating-point: exit code $?"
has out '^concurrency_sweep: '
code=0
"$cli" run "$dir/none.json" >"$dir/out" 2>"$dir/err" || code=$?
test $code -eq 2 || fail "a missing matrix: exit code $code"
echo "passed"
