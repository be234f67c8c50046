#!/bin/sh
# Checks the compiler wrappers and pkg-config files of a staged installation, from the outside:
# what they print, that what they build runs, that they survive a move, and that CMake's own
# FindMPI takes them. Called by run_tests.sh; STARLING_PREFIX names another installation.
set -u

cd "$(dirname -- "$0")/.." || exit 1
. scripts/tally.sh
prefix=$(cd "${STARLING_PREFIX:-target/starling}" && pwd -P) || exit 1
bin=$prefix/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MPI_CC MPICH_CC OMPI_CC MPI_CXX MPICH_CXX OMPI_CXX

cat >"$work/one.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("size %d\n", size);
    MPI_Finalize();
    return 0;
}
END
cp "$work/one.c" "$work/one.cpp"

flags_link="-L$prefix/lib -Wl,-rpath,$prefix/lib -Wl,--enable-new-dtags -lmpi_abi"

questions() {
    for name in mpicc mpicc_abi mpicxx mpic++ mpicxx_abi; do
        case $name in mpicc*) compiler=a-cc ;; *) compiler=a-cxx ;; esac
        export MPI_CC=a-cc MPI_CXX=a-cxx
        says "$name -showme:compile" "-I$prefix/include" "$bin/$name" -showme:compile
        says "$name --showme:link" "$flags_link" "$bin/$name" --showme:link
        says "$name -show" "$compiler -I$prefix/include $flags_link" "$bin/$name" -show
        says "$name -showme -c x" "$compiler -c x -I$prefix/include" "$bin/$name" -showme -c x
        says "$name -compile-info" "$compiler -I$prefix/include" "$bin/$name" -compile-info
        says "$name -show-link-info" "$compiler -I$prefix/include $flags_link" \
            "$bin/$name" -show-link-info
        refuses "$name -showme:nonsense" 1 nonsense "$bin/$name" -showme:nonsense
        unset MPI_CC MPI_CXX
    done
    says "-showme:incdirs" "$prefix/include" "$bin/mpicc" -showme:incdirs
    says "-showme:libdirs" "$prefix/lib" "$bin/mpicc" -showme:libdirs
    says "-showme:libs" mpi_abi "$bin/mpicc" -showme:libs
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    says "-showme:version" "mpicxx: Starling MPI $version (Language: C++)" \
        "$bin/mpicxx" -showme:version
    refuses "mpifort says that Fortran comes later" 1 "Fortran is not supported yet" \
        "$bin/mpifort" -showme:compile
}

compilers() {
    for variable in MPI_CC MPICH_CC OMPI_CC; do
        says "$variable" "other -m64" env $variable='other -m64' "$bin/mpicc" -showme:command
    done
    says "MPI_CXX" other env MPI_CXX=other "$bin/mpicxx" -showme:command
    says "-cc=" other "$bin/mpicc" -cc=other -showme:command
    says "-cxx=" other "$bin/mpicxx" -cxx=other -showme:command
    check "MPI_CC=mpicc does not call itself for ever" \
        env MPI_CC=mpicc "$bin/mpicc" -c "$work/one.c" -o "$work/loop.o"
    refuses "a compiler that is not there" 1 "no-such-compiler" \
        "$bin/mpicc" -cc=no-such-compiler "$work/one.c"
    check "mpicc --version does not link" "$bin/mpicc" --version
    check "mpicc -v does not link" "$bin/mpicc" -v
}

# Each language, in one step and in two, through a link, and from a moved tree with a blank.
builds() {
    check "mpicc compiles and links" "$bin/mpicc" "$work/one.c" -o "$work/one"
    says "its program runs" "size 2
size 2" "$bin/mpiexec" -n 2 "$work/one"
    check "mpicc -c" "$bin/mpicc" -c "$work/one.c" -o "$work/one.o"
    check "mpicc links objects" "$bin/mpicc" "$work/one.o" -o "$work/two"
    says "its program runs alone" "size 1" "$work/two"
    check "mpicxx compiles and links" "$bin/mpicxx" "$work/one.cpp" -o "$work/three"
    says "the C++ program runs" "size 1" "$work/three"
    ln -s "$bin/mpicc" "$work/a-link"
    says "called through a link" "-I$prefix/include" "$work/a-link" -showme:compile
    mkdir "$work/moved here"
    cp -a "$prefix/." "$work/moved here"
    check "a moved tree" "$work/moved here/bin/mpicc" "$work/one.c" -o "$work/moved"
    case $(ldd "$work/moved") in
        *"$work/moved here/lib/libmpi_abi.so.1"*) pass "the moved tree's library is linked" ;;
        *) fail "the moved tree's library is linked" "$(ldd "$work/moved")" ;;
    esac
    says "the moved tree's program runs" "size 1" "$work/moved"
}

packages() {
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    for name in starling mpi-c mpi-cxx; do
        check "pkg-config knows $name" pkg-config --cflags --libs $name
        # shellcheck disable=SC2086 # a list of flags
        check "what it says builds" cc "$work/one.c" $output -o "$work/pc-$name"
        says "and runs" "size 1" "$work/pc-$name"
    done
    unset PKG_CONFIG_PATH
}

cmake_project() {
    mkdir "$work/project"
    cp "$work/one.c" "$work/one.cpp" "$work/project"
    cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(one C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(one_c one.c)
target_link_libraries(one_c MPI::MPI_C)
add_executable(one_cxx one.cpp)
target_link_libraries(one_cxx MPI::MPI_CXX)
END
    check "CMake's FindMPI" env PATH="$bin:$PATH" \
        cmake -S "$work/project" -B "$work/project/build"
    case $output in
        *"$prefix/lib/libmpi_abi.so"*) pass "FindMPI found this library" ;;
        *) fail "FindMPI found this library" "$output" ;;
    esac
    check "CMake builds" cmake --build "$work/project/build"
    says "CMake's C program runs" "size 1" "$work/project/build/one_c"
    says "CMake's C++ program runs" "size 1" "$work/project/build/one_cxx"
}

questions
compilers
builds
packages
cmake_project
tally
