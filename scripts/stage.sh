#!/bin/sh
# Lays out the installation: programs, library, header, compiler wrappers, pkg-config files.
#
#     scripts/stage.sh                 from target/release into target/starling
#     scripts/stage.sh PREFIX          from there into PREFIX (below DESTDIR, where that is set)
#
# The first is called by the Makefile after `cargo build --release`, the second by `make install`.
# The tree finds itself, so it may be moved or linked to afterwards.
set -eu

cd "$(dirname -- "$0")/.."
root=target/starling
built=target/release

fail() {
    echo "stage.sh: $1" >&2
    exit 1
}

if [ $# -gt 0 ]; then
    [ -x "$root/bin/mpicc" ] || fail "nothing is staged; run \`make build\` first"
    mkdir -p "${DESTDIR:-}$1"
    cp -R -P --preserve=mode,timestamps --remove-destination "$root/." "${DESTDIR:-}$1"
    echo "installed Starling MPI in ${DESTDIR:-}$1"
    exit 0
fi

for file in "$built/starling" "$built/libmpi_abi.so" include/mpi.h; do
    [ -f "$file" ] || fail "$file does not exist; run \`make build\` first"
done
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ -n "$version" ] || fail "Cargo.toml has no version"

# install(1) writes a new file and never into one that a running program has open.
mkdir -p "$root/bin" "$root/lib/pkgconfig" "$root/include"
install -m 755 "$built/starling" "$root/bin/starling"
ln -sfn starling "$root/bin/mpiexec"
ln -sfn starling "$root/bin/mpirun"
install -m 755 "$built/libmpi_abi.so" "$root/lib/libmpi_abi.so.1"
ln -sfn libmpi_abi.so.1 "$root/lib/libmpi_abi.so"
install -m 644 include/mpi.h "$root/include/mpi.h"

filled=$(mktemp)
trap 'rm -f "$filled"' EXIT
sed "s/@VERSION@/$version/g" scripts/wrappers/mpicc.in >"$filled"
install -m 755 "$filled" "$root/bin/mpicc"
for name in mpicc_abi mpicxx mpic++ mpicxx_abi mpifort; do
    ln -sfn mpicc "$root/bin/$name"
done
for row in 'starling C' 'mpi-c C' 'mpi-cxx C++'; do
    sed "s/@NAME@/${row% *}/; s/@LANGUAGE@/${row#* }/; s/@VERSION@/$version/" \
        scripts/wrappers/mpi.pc.in >"$filled"
    install -m 644 "$filled" "$root/lib/pkgconfig/${row% *}.pc"
done

# The launcher knows its own manual pages: they come from the declaration of its options.
mkdir -p "$root/share/man/man1"
for page in starling mpiexec; do
    "$root/bin/starling" man $page >"$filled"
    install -m 644 "$filled" "$root/share/man/man1/$page.1"
done
ln -sfn mpiexec.1 "$root/share/man/man1/mpirun.1"
echo "staged Starling MPI $version in $root: bin, lib, include, share/man"
