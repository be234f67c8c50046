#!/bin/sh
# The heat example in C and in Python on 4 ranks, compared bit by bit, and the 8-byte latency.
# Called by `make run` when everything is built. Status 1 when something fails or differs.
set -eu

cd "$(dirname -- "$0")/.."
bin=${STARLING_PREFIX:-$PWD/target/starling}/bin
python=${STARLING_PYTHON:-$PWD/target/venv/bin/python}
picture=examples/heat/murmuration.png
out=target/examples
ranks=4
seconds_max=300

say() { printf '\n== %s\n' "$1"; }
show() { printf '$ %s\n' "$*"; }

# job FILE ARGUMENTS: runs a job under a time limit, its output in FILE and on the screen.
job() {
    file=$1
    shift
    show mpiexec "$@"
    status=0
    timeout --foreground -k 10 $seconds_max "$bin/mpiexec" "$@" >"$file" || status=$?
    cat "$file"
    [ $status -eq 0 ] || { echo "run_example.sh: the job ended with status $status" >&2; exit 1; }
}

mkdir -p "$out"
say "compiling the C programs with our mpicc"
show mpicc -O3 -ffp-contract=off examples/heat/heat.c examples/heat/png.c -lz -lm -o $out/heat
"$bin/mpicc" -O3 -ffp-contract=off examples/heat/heat.c examples/heat/png.c -lz -lm -o $out/heat
"$bin/mpicc" -O2 bench/latency.c -o $out/latency

say "heat in C, $ranks ranks"
job $out/heat-c.txt -n $ranks $out/heat -o $out/heat-c.png -d $out/heat-c.bin $picture
say "heat in Python (mpi4py and NumPy), $ranks ranks"
job $out/heat-python.txt -n $ranks "$python" examples/heat/heat.py -o $out/heat-python.png \
    -d $out/heat-python.bin $picture
say "comparing the two results"
"$python" examples/heat/compare.py $out/heat-c.bin $out/heat-python.bin
say "latency of 8 bytes between two ranks"
job $out/latency.txt -n 2 $out/latency -s 8

speed() { sed -n 's/.*: \([0-9.]*\) iterations per second.*/\1/p' "$1"; }
latency=$(awk '$1 == 8 { print $3 }' $out/latency.txt)
c_speed=$(speed $out/heat-c.txt)
python_speed=$(speed $out/heat-python.txt)
if [ -z "$latency" ] || [ -z "$c_speed" ] || [ -z "$python_speed" ]; then
    echo "run_example.sh: a job did not print its figures" >&2
    exit 1
fi
cat <<END

== result: C and Python agree to the last bit
  pictures      $PWD/$picture (before)
                $PWD/$out/heat-c.png
                $PWD/$out/heat-python.png
  C             $c_speed iterations per second
  Python        $python_speed iterations per second
  latency       $latency us for 8 bytes between two ranks
END
