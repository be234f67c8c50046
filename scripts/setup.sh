#!/bin/sh
# Installs what Starling needs on Debian and Ubuntu, and only what is missing.
#
#     scripts/setup.sh run       to build and run the examples
#     scripts/setup.sh test      also what the tests need
#
# Says what it installs and why. Works as root and with sudo; otherwise, or on another system, it
# names what is missing and ends with status 1. Called by `make run`, `make test` and .ci/run.
set -u

cd "$(dirname -- "$0")/.." || exit 1
profile=${1:-run}
case $profile in
    run | test) ;;
    *) echo "usage: scripts/setup.sh [run|test]" >&2; exit 2 ;;
esac

packages=''
# need PACKAGE WHY: notes a package for installation.
need() {
    [ -n "$packages" ] || echo "setup: missing on this machine:"
    packages="$packages $1"
    printf '  %-16s %s\n' "$1" "$2"
}
have() { command -v "$1" >/dev/null 2>&1; }
have_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }

check_packages() {
    have cc || need gcc "compiles C programs, and links Rust ones"
    have cc && have_header stdio.h || need libc6-dev "headers of the C library"
    have c++ || need g++ "compiles C++ programs with mpicxx"
    have make || need make "runs the Makefile"
    have cc && have_header zlib.h || need zlib1g-dev "packs PNG pictures in the heat example"
    if ! sh scripts/find_python.sh >/dev/null; then
        have python3 || need python3 "runs the Python examples"
        need python3-venv "keeps NumPy and mpi4py in an environment of their own"
        need python3-dev "headers to build mpi4py against this library"
    fi
    if [ "$profile" = test ]; then
        have pkg-config || need pkg-config "checks the .pc files"
        have cmake || need cmake "checks that CMake finds the library"
    fi
}

install_packages() {
    if ! have apt-get; then
        echo "setup: this is not Debian or Ubuntu; install what these packages hold:$packages" >&2
        return 1
    fi
    as_root=''
    if [ "$(id -u)" -ne 0 ]; then
        # Without a terminal sudo could only wait for a password that nobody types.
        if have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
            as_root=sudo
        else
            echo "setup: not root and no sudo; have someone run: apt-get install$packages" >&2
            return 1
        fi
    fi
    echo "setup: installing with apt-get${as_root:+ (through sudo)}:$packages"
    # shellcheck disable=SC2086 # lists of words
    $as_root apt-get update -q &&
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends $packages
}

# The Rust toolchain comes from rustup, which is the user's choice to install.
check_rust() {
    PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    if ! have cargo || ! found=$(cargo --version 2>/dev/null); then
        echo "setup: no Rust toolchain. Install Rust $wanted or newer from https://rustup.rs:" >&2
        echo "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" >&2
        return 1
    fi
    found=${found#cargo }
    found=${found%% *}
    older=$(printf '%s\n%s\n' "$wanted" "${found%%-*}" | sort -V | head -n 1)
    if [ "$older" != "$wanted" ]; then
        echo "setup: Rust $found is too old, $wanted or newer is needed: rustup update" >&2
        return 1
    fi
    echo "setup: Rust $found"
}

check_packages
if [ -n "$packages" ]; then
    install_packages || exit 1
    if ! sh scripts/find_python.sh >/dev/null; then
        echo "setup: there is still no Python 3.9 or newer with venv and headers" >&2
        exit 1
    fi
else
    echo "setup: all packages are there"
fi
check_rust
