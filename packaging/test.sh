#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds everything and passes all tests: the workbench with every test, then the engine,
# command line and simulator as they are built on a machine without Qt. Can be run again.
set -u
source "$(dirname "$0")/common.sh"
failed=

# ccache: the second build compiles the same engine again.
install_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" procps ccache
build default
say "Testing: workbench, engine, command line, simulator"
ctest --preset default || failed=1

say "Building and testing without Qt"
cmake --preset headless -DCMAKE_DISABLE_FIND_PACKAGE_Qt6=ON >/dev/null || die "configuring without Qt failed"
cmake --build --preset headless || die "building without Qt failed"
ctest --test-dir build-headless --output-on-failure --no-tests=error || failed=1

[ -z "$failed" ] || die "some tests failed; see above"
say "All tests passed"
