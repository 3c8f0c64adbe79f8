#!/bin/sh
# check_toolchain.sh PYTHON [lint]
# Is everything here that make cannot install by itself? Names all that is missing, with the
# remedy, and then fails. Silent when all is well. With `lint`, rustfmt and clippy too.
set -u
python=${1:-python3}
lint=${2:-}
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
    if [ "$lint" = lint ]; then
        cargo fmt --version >/dev/null 2>&1 || missing "no rustfmt" "rustup component add rustfmt"
        cargo clippy --version >/dev/null 2>&1 || missing "no clippy" "rustup component add clippy"
    fi
fi
exit "$failed"
