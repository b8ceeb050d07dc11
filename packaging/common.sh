# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by demo.sh and test.sh: say what is done, install what is missing, build.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# What the build needs on Debian 12; README.md says what each is for.
BUILD_PACKAGES=(g++ cmake ninja-build pkg-config qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev
                libcurl4-openssl-dev libssl-dev zlib1g-dev libsqlite3-dev nlohmann-json3-dev libevent-dev libcli11-dev libboost-dev
                fonts-dejavu-core)

# What tests need beyond that: servers that speak TLS and HTTP/2.
TEST_PACKAGES=(libssl-dev libnghttp2-dev)

# Installs those of the named packages that are missing; asks for nothing when all are there.
install_packages() {
    command -v dpkg-query >/dev/null ||
        die "this script installs Debian packages; elsewhere install what README.md names and use cmake --preset default"
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && { say "All needed packages are installed"; return; }
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "run this as root, or install sudo, or run: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq update || die "apt-get update failed"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq -y \
        --no-install-recommends install "${missing[@]}" >/dev/null || die "apt-get install failed"
}

# build PRESET [TARGET…]
build() {
    local preset=$1; shift
    say "Building (preset $preset)"
    cmake --preset "$preset" >/dev/null || die "configuring failed; cmake --preset $preset says why"
    cmake --build --preset "$preset" ${*:+--target "$@"} || die "building failed"
}
