#!/bin/sh
# Makes target/venv: NumPy, and mpi4py built from source with our mpicc, so on the standard ABI.
#
#     scripts/python_env.sh [mpicc]        (target/starling/bin/mpicc)
#
# Does nothing when that is there already: mpi4py has to be built again only when the library's
# place, the Python or the versions change, never when the library itself does. That is what a
# standard ABI is for. Called by the Makefile after staging.
set -eu

cd "$(dirname -- "$0")/.."
mpi4py=4.1.2
mpicc=${1:-$PWD/target/starling/bin/mpicc}
venv=target/venv
stamp=$venv/starling-stamp

[ -x "$mpicc" ] || { echo "python_env.sh: $mpicc does not exist; stage it first" >&2; exit 1; }
python=$(sh scripts/find_python.sh) || {
    echo "python_env.sh: no Python with venv and headers; run scripts/setup.sh" >&2
    exit 1
}
wanted="$("$python" -c 'import sys; print(sys.executable, sys.version)') $mpi4py $mpicc"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && [ -x "$venv/bin/python" ]; then
    echo "python: $venv is up to date (NumPy, mpi4py $mpi4py)"
    exit 0
fi

echo "python: making $venv with $python"
rm -rf "$venv"
"$python" -m venv "$venv"
echo "python: installing NumPy"
"$venv/bin/pip" install --disable-pip-version-check -q numpy
echo "python: building mpi4py $mpi4py with $mpicc (a minute or two)"
# Python's own flags would have it compiled with -O3 and debug information, which takes twice as
# long and makes nothing faster that can be measured.
export CFLAGS='-O1 -g0 -DNDEBUG -fwrapv -fno-strict-aliasing'
MPI4PY_BUILD_MPIABI=1 MPI4PY_BUILD_MPICC=$mpicc "$venv/bin/pip" install \
    --disable-pip-version-check --no-cache-dir --no-binary mpi4py "mpi4py==$mpi4py"
"$venv/bin/python" -c 'import mpi4py; mpi4py.rc.initialize = False; import mpi4py.MPI'
printf '%s' "$wanted" >"$stamp"
