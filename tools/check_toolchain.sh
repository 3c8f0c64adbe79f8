#!/bin/sh
# check_toolchain.sh PYTHON [lint | hardware]
# Is everything here that make cannot install by itself? Names all that is missing, with the
# remedy, and then fails. Silent when all is well. With `lint`, rustfmt and clippy too. With
# `hardware`, what Verilator needs from the system: as root with apt-get it is installed.
set -u
python=${1:-python3}
mode=${2:-}
least_rust=1.89 # stable AVX-512 intrinsics; Cargo.toml says the same in `rust-version`
failed=0

missing() {
    printf 'cyclotron: %s\n    %s\n' "$1" "$2" >&2
    failed=1
}
has() { command -v "$1" >/dev/null 2>&1; }

if ! has "$python"; then
    missing "no Python 3 ($python)" "Debian, Ubuntu: apt-get install python3 python3-venv"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    missing "$python is $("$python" --version 2>&1 || true); 3.10 or newer is needed" \
        "name another one: make PYTHON=python3.12 ..."
fi
if ! has cc || { ! has c++ && ! has g++ && ! has clang++; }; then
    missing "no C and C++ compiler (cc, c++): Rust links with it" \
        "Debian, Ubuntu: apt-get install build-essential"
fi
has git || missing "no git" "Debian, Ubuntu: apt-get install git"

rust_remedy="install Rust with rustup (https://rustup.rs): distributions often carry an older one"
if ! has cargo || ! has rustc; then
    missing "no Rust (cargo and rustc)" "$rust_remedy"
else
    rust=$(rustc --version 2>/dev/null | cut -d ' ' -f 2)
    major=${rust%%.*}
    minor=${rust#*.}
    minor=${minor%%.*}
    case "$major.$minor" in
    [0-9]*.[0-9]*)
        if [ "$major" -lt "${least_rust%.*}" ] ||
            { [ "$major" -eq "${least_rust%.*}" ] && [ "$minor" -lt "${least_rust#*.}" ]; }; then
            missing "rustc is $rust; $least_rust or newer is needed" "rustup update stable, or $rust_remedy"
        fi
        ;;
    *) missing "rustc does not run (rustc --version failed)" "rustup default stable, or $rust_remedy" ;;
    esac
    if [ "$mode" = lint ]; then
        cargo fmt --version >/dev/null 2>&1 || missing "no rustfmt" "rustup component add rustfmt"
        cargo clippy --version >/dev/null 2>&1 || missing "no clippy" "rustup component add clippy"
    fi
fi
if [ "$mode" = hardware ]; then
    packages=
    has "${CXX:-g++}" || packages="$packages g++"
    has make || packages="$packages make"
    # perl-base, which is always there, has no Pod::Usage: Verilator's front end needs all of Perl.
    perl -MPod::Usage -MGetopt::Long -e 1 >/dev/null 2>&1 || packages="$packages perl"
    if [ -n "$packages" ] && [ "$(id -u)" -eq 0 ] && has apt-get; then
        echo "cyclotron: Verilator needs packages that are missing; installing:$packages" >&2
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q >&2
        # shellcheck disable=SC2086 # a list of words
        apt-get install -q -y --no-install-recommends $packages >&2 && packages=
    fi
    [ -z "$packages" ] || missing "packages that Verilator needs are missing:$packages" \
        "Debian, Ubuntu: apt-get install$packages"
fi
exit "$failed"
